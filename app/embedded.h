// Text files that the `sinew` command carries inside: scenes/*.json and schema/*.json, written into
// a C source by tools/embed.c while building.
//
//     for (size_t i = 0; i < sn_embedded_file_count; ++i) { puts(sn_embedded_files[i].name); }
//
// Names are paths from the project root ("scenes/bob.json"), sorted. Each text ends with a zero
// byte that its size does not count.
#ifndef SN_APP_EMBEDDED_H
#define SN_APP_EMBEDDED_H

#include <stddef.h>

typedef struct sn_embedded_file {
    const char *name;
    const char *text;
    size_t size; // bytes
} sn_embedded_file;

extern const sn_embedded_file sn_embedded_files[]; // sn_embedded_file_count, then an entry of zeros
extern const size_t sn_embedded_file_count;

#endif
