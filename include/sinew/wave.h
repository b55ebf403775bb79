// Sinew wave: WAV files as numbers from -1 to 1, all channels mixed into one.
//
//     const char bytes[] = "RIFF...";  // a whole file
//     sn_wave wave = {0};
//     if (sn_wave_read(bytes, sizeof bytes, &wave, &error) == SN_OK) {
//         sn_motion *course = NULL;
//         sn_breath_course(sn_default_breath_def(), wave.rate, wave.samples, wave.count, &course,
//                          NULL, &error);
//         sn_motion_release(course);
//     }
//     sn_wave_free(&wave);
//
// Reads whole numbers of 8, 16, 24 and 32 bits and floating-point numbers of 32 and 64 bits, plain
// or in the extensible form. A file whose recording was cut off gives what is there. Numbers that
// are none, or beyond the range, are passed on as they are: who listens counts them.
//
// What it does not do: compressed sound, and files of 4 GB or more.
#ifndef SINEW_WAVE_H
#define SINEW_WAVE_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_wave {
    double rate; // samples per second
    size_t count;
    float *samples;
} sn_wave;

SN_API sn_status sn_wave_read(const void *bytes, size_t count, sn_wave *wave, sn_error *error);
SN_API void sn_wave_free(sn_wave *wave);

#ifdef __cplusplus
}
#endif

#endif
