// Sinew base: what every other header needs. Status codes, errors, versions, handles.
//
//     sn_error error = {0};
//     if (sn_world_step(world, 0.001, &error) != SN_OK) {
//         fprintf(stderr, "%s\n", sn_error_message(&error));
//     }
//
// Nothing in Sinew aborts, exits or prints. What can fail returns an `sn_status` and, when the
// caller gives one, fills an `sn_error`: a code, the place it happened (a file:line:column, or a
// body's name and step) and a sentence. An `sn_error` belongs to the caller; passing NULL is
// allowed everywhere.
//
// Units are SI, z points up, frames are right-handed, quaternions are (w, x, y, z), angles are
// radians.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 1
#define SN_VERSION_PATCH 0

#if defined(__GNUC__)
#define SN_API              __attribute__((visibility("default")))
#define SN_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#else
#define SN_API
#define SN_PRINTF(fmt, arg)
#endif

// Every way a call can fail: stable name, then the general meaning. The sentence in an `sn_error`
// says the particular.
#define SN_STATUS_LIST(X)                                                                          \
    X(SN_OK, "no error")                                                                           \
    X(SN_ERROR_MEMORY, "out of memory")                                                            \
    X(SN_ERROR_ARGUMENT, "an argument is out of its range")                                        \
    X(SN_ERROR_HANDLE, "a handle names nothing that exists")                                       \
    X(SN_ERROR_FILE, "a file cannot be read or written")                                           \
    X(SN_ERROR_SYNTAX, "a text does not follow its grammar")                                       \
    X(SN_ERROR_SCENE, "a scene asks for something that has no meaning")                            \
    X(SN_ERROR_GEOMETRY, "a shape is not usable")                                                  \
    X(SN_ERROR_FORMAT, "a binary file is damaged or of another version")                           \
    X(SN_ERROR_DIVERGED, "a body left the range of numbers")                                       \
    X(SN_ERROR_INTEGRATOR, "an integrator could not reach its tolerance")                          \
    X(SN_ERROR_MISMATCH, "two runs that should agree do not")                                      \
    X(SN_ERROR_UNSUPPORTED, "this build or policy cannot do that")                                 \
    X(SN_ERROR_STOPPED, "stopped on request")

typedef enum sn_status {
#define X(name, text) name,
    SN_STATUS_LIST(X)
#undef X
        SN_STATUS_COUNT
} sn_status;

typedef struct sn_error {
    sn_status code;
    char place[256];   // "scene.json:12:7", "body 'bob', step 412", or empty
    char text[512];    // what, and what was expected
    char message[800]; // scratch for sn_error_message
} sn_error;

// "SN_ERROR_SCENE" and "a scene asks for ..." for a status.
SN_API const char *sn_status_name(sn_status status);
SN_API const char *sn_status_text(sn_status status);

// "place: text" as one line, stored in the error itself.
SN_API const char *sn_error_message(sn_error *error);

// The library's version as "0.1.0".
SN_API const char *sn_version(void);

#ifdef __cplusplus
}
#endif

#endif
