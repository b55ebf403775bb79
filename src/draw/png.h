// Pictures as PNG files, in memory.
#ifndef SN_DRAW_PNG_H
#define SN_DRAW_PNG_H

#include "record/bytes.h"

// Appends a whole PNG file to `bytes`. The pixels are bytes red, green, blue, row by row.
SN_API sn_status sn_png_encode(const uint8_t *pixels, int width, int height, sn_bytes *bytes,
                               sn_error *error);

#endif
