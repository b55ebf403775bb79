// How options say what a picture shall be like.
#ifndef SN_APP_PICTURE_OPTION_H
#define SN_APP_PICTURE_OPTION_H

#include "options.h"
#include "sinew/draw.h"

#define SN_OPTION_SIZE(usual, text)                                                                \
    {                                                                                              \
        .name = "size", .type = SN_OPTION_TEXT, .value = "WIDTHxHEIGHT", .fallback = (usual),      \
        .doc = (text)                                                                              \
    }
#define SN_OPTION_SAMPLES                                                                          \
    {                                                                                              \
        .name = "samples", .type = SN_OPTION_WORD, .value = "N", .fallback = "16",                 \
        .doc = "samples to a pixel: more make edges smoother", .words = sn_sample_words            \
    }
// `more`: words that the verb has besides, "scene, "
#define SN_OPTION_CAMERA(usual, more)                                                              \
    {                                                                                              \
        .name = "camera", .letter = 'c', .type = SN_OPTION_TEXT, .value = "VIEW",                  \
        .fallback = (usual),                                                                       \
        .doc = more "auto, front, back, left, right, top, corner, or X,Y,Z[/X,Y,Z[/DEGREES]]: "    \
                    "eye, target, height"                                                          \
    }
#define SN_OPTION_AT(usual, text)                                                                  \
    {                                                                                              \
        .name = "at", .type = SN_OPTION_TIME, .value = "TIME", .fallback = (usual), .doc = (text), \
        .minimum = 0, .maximum = 1e9                                                               \
    }
// `what`: what is filmed
#define SN_OPTION_VIDEO(what)                                                                      \
    {                                                                                              \
        .name = "video", .type = SN_OPTION_FILE, .value = "FILE.mp4",                              \
        .doc = what ", through ffmpeg; PNG files where it is missing, or into FOLDER/",            \
        .endings = ".mp4 .webm .mkv .mov .m4v .avi .mpg .ogv .gif .webp"                           \
    }
#define SN_OPTION_FPS(usual, text)                                                                 \
    {                                                                                              \
        .name = "fps", .type = SN_OPTION_NUMBER, .value = "N", .fallback = (usual), .doc = (text), \
        .minimum = 0.01, .maximum = 1000                                                           \
    }
extern const char *const sn_sample_words[];

// --size, if it is given. An exit code, after telling stderr what is wrong.
int sn_read_size(const sn_arguments *arguments, sn_picture_def *def);

// What verbs that draw start with: the usual def, --size and --samples, and Ctrl-C ends a drawing.
// An exit code.
int sn_read_picture(const sn_arguments *arguments, sn_picture_def *def);

// --threads of a verb that draws; else one a processor.
int sn_drawing_threads(const sn_arguments *arguments);

// A word, or eye[/target[/degrees]]. An exit code, after telling stderr what is wrong.
int sn_read_camera(const sn_verb *verb, const char *text, sn_picture_def *def);

#endif
