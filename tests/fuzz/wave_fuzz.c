// Fuzzes the WAV reader and what listens to it: any bytes are read as a file; what has sound in it
// must give finite speeds, and the same from whole and divided samples.
#include <math.h>
#include <stdlib.h>

#include "sinew/breath.h"
#include "sinew/wave.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void listen(const sn_wave *wave)
{
    sn_error error = {0};
    sn_breath whole, parts;
    if (sn_breath_start(&whole, sn_default_breath_def(), wave->rate, &error) != SN_OK) {
        return; // a rate beyond what is heard
    }
    parts = whole;
    sn_breath_feed(&whole, wave->samples, wave->count);
    for (size_t at = 0; at < wave->count; at += 37) {
        size_t left = wave->count - at;
        sn_breath_feed(&parts, wave->samples + at, left < 37 ? left : 37);
    }
    double speed = sn_breath_speed(&whole);
    if (!isfinite(speed) || speed < 0.0 || speed != sn_breath_speed(&parts)) {
        abort();
    }
    sn_motion *course = NULL;
    if (wave->rate > 16000.0) {
        return; // the silence after it would take most of the time
    }
    if (sn_breath_course(sn_default_breath_def(), wave->rate, wave->samples, wave->count, &course,
                         NULL, &error) == SN_OK &&
        sn_motion_at(course, 1e9).value != 0.0) {
        abort(); // it goes on for ever
    }
    sn_motion_release(course);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_wave wave;
    sn_error error = {0};
    sn_status status = sn_wave_read(data, size, &wave, &error);
    if ((status == SN_OK) != (wave.samples != NULL) ||
        (status != SN_OK) != (error.text[0] != '\0')) {
        abort(); // refused without a word, or accepted with one
    }
    if (status == SN_OK) {
        listen(&wave);
    }
    sn_wave_free(&wave);
    return 0;
}
