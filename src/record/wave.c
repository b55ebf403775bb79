#include "sinew/wave.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/bytes.h"

enum { WHOLE = 1, FLOATING = 3, EXTENSIBLE = 0xFFFE, CHANNEL_LIMIT = 64 };

typedef struct wave_format {
    int encoding, channels, bits;
    uint32_t rate;
    size_t frame; // bytes
} wave_format;

static int fetch_u16(const uint8_t *place)
{
    return place[0] | place[1] << 8;
}

// ---- one sample ----

static float read_whole(const uint8_t *place, int bits)
{
    switch (bits) {
    case 8: // the only one without a sign
        return (float)(place[0] - 128) / 128.0F;
    case 16:
        return (float)(int16_t)fetch_u16(place) / 32768.0F;
    case 24: {
        uint32_t top =
            (uint32_t)place[0] << 8 | (uint32_t)place[1] << 16 | (uint32_t)place[2] << 24;
        return (float)((double)(int32_t)top / 2147483648.0);
    }
    default:
        return (float)((double)(int32_t)sn_fetch_u32(place) / 2147483648.0);
    }
}

static float read_floating(const uint8_t *place, int bits)
{
    if (bits == 32) {
        uint32_t word = sn_fetch_u32(place);
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    uint64_t word = sn_fetch_u64(place);
    double value;
    memcpy(&value, &word, sizeof value);
    // What a float cannot hold is beyond any range.
    return value > 1e30 ? 1e30F : value < -1e30 ? -1e30F : (float)value;
}

static void mix(const wave_format *format, const uint8_t *data, sn_wave *wave)
{
    size_t size = (size_t)format->bits / 8;
    for (size_t i = 0; i < wave->count; ++i) {
        float sum = 0.0F;
        for (int k = 0; k < format->channels; ++k) {
            const uint8_t *place = data + i * format->frame + (size_t)k * size;
            sum += format->encoding == WHOLE ? read_whole(place, format->bits)
                                             : read_floating(place, format->bits);
        }
        wave->samples[i] = sum / (float)format->channels;
    }
}

// ---- chunks ----

static sn_status read_format(const uint8_t *data, size_t count, wave_format *format,
                             sn_error *error)
{
    if (count < 16) {
        return sn_fail(error, SN_ERROR_FORMAT, "WAV file",
                       "its format has %zu bytes, expected 16 or more", count);
    }
    *format = (wave_format){.encoding = fetch_u16(data),
                            .channels = fetch_u16(data + 2),
                            .rate = sn_fetch_u32(data + 4),
                            .frame = (size_t)fetch_u16(data + 12),
                            .bits = fetch_u16(data + 14)};
    if (format->encoding == EXTENSIBLE && count >= 26) {
        format->encoding = fetch_u16(data + 24);
    }
    int bits = format->bits;
    bool known =
        (format->encoding == WHOLE && (bits == 8 || bits == 16 || bits == 24 || bits == 32)) ||
        (format->encoding == FLOATING && (bits == 32 || bits == 64));
    if (!known) {
        return sn_fail(error, SN_ERROR_FORMAT, "WAV file",
                       "its sound has the encoding %d with %d bits, expected whole numbers of 8, "
                       "16, 24 or 32 bits or floating-point numbers of 32 or 64",
                       format->encoding, bits);
    }
    if (format->channels < 1 || format->channels > CHANNEL_LIMIT || format->rate == 0 ||
        format->frame != (size_t)format->channels * (size_t)bits / 8) {
        return sn_fail(error, SN_ERROR_FORMAT, "WAV file",
                       "it has %d channels of %d bits in %zu bytes at %u samples per second, which "
                       "cannot be; expected 1 to %d channels",
                       format->channels, bits, format->frame, (unsigned)format->rate,
                       CHANNEL_LIMIT);
    }
    return SN_OK;
}

static sn_status read_sound(const wave_format *format, const uint8_t *data, size_t count,
                            sn_wave *wave, sn_error *error)
{
    wave->rate = format->rate;
    wave->count = count / format->frame;
    if (wave->count == 0) {
        return sn_fail(error, SN_ERROR_FORMAT, "WAV file", "there is no sound in it");
    }
    wave->samples = sn_allocate(wave->count * sizeof *wave->samples);
    if (wave->samples == NULL) {
        return sn_fail_memory(error, wave->count * sizeof *wave->samples);
    }
    mix(format, data, wave);
    return SN_OK;
}

sn_status sn_wave_read(const void *bytes, size_t count, sn_wave *wave, sn_error *error)
{
    *wave = (sn_wave){0};
    const uint8_t *data = bytes;
    if (count < 12 || memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WAVE", 4) != 0) {
        return sn_fail(error, SN_ERROR_FORMAT, "WAV file",
                       "it does not start as a WAV file does, with RIFF and WAVE");
    }
    wave_format format = {0};
    for (size_t at = 12; count - at >= 8;) {
        const uint8_t *chunk = data + at;
        size_t left = count - at - 8, size = sn_fetch_u32(chunk + 4);
        bool is_sound = memcmp(chunk, "data", 4) == 0;
        if (size > left && !is_sound) {
            break;
        }
        if (is_sound && format.frame == 0) {
            return sn_fail(error, SN_ERROR_FORMAT, "WAV file", "the sound comes before its format");
        }
        if (is_sound) {
            sn_status status =
                read_sound(&format, chunk + 8, size < left ? size : left, wave, error);
            if (status != SN_OK) {
                sn_wave_free(wave);
            }
            return status;
        }
        if (memcmp(chunk, "fmt ", 4) == 0) {
            sn_status status = read_format(chunk + 8, size, &format, error);
            if (status != SN_OK) {
                return status;
            }
        }
        // Chunks start at even places.
        size_t step = size + (size & 1);
        at += 8 + (step < left ? step : left);
    }
    return sn_fail(error, SN_ERROR_FORMAT, "WAV file", "there is no sound in it");
}

void sn_wave_free(sn_wave *wave)
{
    sn_free(wave->samples);
    *wave = (sn_wave){0};
}
