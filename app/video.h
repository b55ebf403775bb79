// Pictures one after the other, into a film through ffmpeg, or into a folder as PNG files where
// there is no ffmpeg. Both are valid after any number of pictures.
#ifndef SN_APP_VIDEO_H
#define SN_APP_VIDEO_H

#include <stdint.h>
#include <sys/types.h>

#include "files.h"
#include "options.h"

typedef struct sn_video {
    char path[SN_PATH_LIMIT]; // the film, or the folder
    bool film;
    int width, height;
    int count;      // pictures written
    bool unwritten; // what failed was to write
    int pipe;       // to ffmpeg
    pid_t child;
} sn_video;

// `path` ends with "/" or is a folder: PNG files are wanted. Where ffmpeg is missing, a folder
// beside the film is taken instead, and stderr is told.
sn_status sn_video_open(sn_video *video, const sn_arguments *arguments, const char *path, int width,
                        int height, double rate, sn_error *error);
sn_status sn_video_add(sn_video *video, const uint8_t *pixels, sn_error *error);

// Waits for ffmpeg, after pictures that ended with `status`; the first failure is the result.
sn_status sn_video_close(sn_video *video, sn_status status, sn_error *error);

// One picture as a file; - is standard output.
sn_status sn_picture_write(const char *path, const uint8_t *pixels, int width, int height,
                           sn_error *error);

#endif
