// Files that the `sinew` command carries inside: scenes/*.json and schema/*.json, written into a C
// source by tools/embed.c while building.
//
//     for (int i = 0; i < sn_embedded_file_count; ++i) { puts(sn_embedded_files[i].name); }
//
// Names are paths from the project root ("scenes/bob.json"), sorted. Each file ends with a zero
// byte that its size does not count.
#ifndef SN_APP_EMBEDDED_H
#define SN_APP_EMBEDDED_H

#include <stddef.h>

typedef struct sn_embedded_file {
    const char *name;
    const unsigned char *data;
    size_t size; // bytes
} sn_embedded_file;

extern const struct sn_embedded_file sn_embedded_files[]; // count, then an entry of zeros
extern const int sn_embedded_file_count;

#endif
