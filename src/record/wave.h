// WAV files: sound as numbers from -1 to 1, all channels mixed into one.
//
//     sn_wave wave = {0};
//     sn_wave_read(bytes, count, &wave, error);
//     sn_breath_feed(&breath, wave.samples, wave.count);
//     sn_wave_free(&wave);
//
// Reads whole numbers of 8, 16, 24 and 32 bits and floating-point numbers of 32 and 64 bits, plain
// or in the extensible form. A file whose recording was cut off gives what is there. Numbers that
// are none, or beyond the range, are passed on as they are: who listens counts them.
//
// What it does not do: compressed sound, and files of 4 GB or more.
#ifndef SN_RECORD_WAVE_H
#define SN_RECORD_WAVE_H

#include "sinew/base.h"

typedef struct sn_wave {
    double rate; // samples per second
    size_t count;
    float *samples;
} sn_wave;

SN_API sn_status sn_wave_read(const void *bytes, size_t count, sn_wave *wave, sn_error *error);
SN_API void sn_wave_free(sn_wave *wave);

#endif
