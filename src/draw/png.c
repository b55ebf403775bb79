#include "draw/png.h"

#include <png.h>
#include <setjmp.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/output.h"
#include "sinew/draw.h"

static void put_bytes(png_structp png, png_bytep bytes, png_size_t count)
{
    sn_bytes *target = png_get_io_ptr(png);
    sn_bytes_put(target, bytes, count);
    if (target->failed) {
        png_error(png, "out of memory");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png;
}

// libpng would print and abort; the jump goes to write_rows.
static void on_error(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return sn_allocate(bytes);
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    sn_free(memory);
}

static sn_status write_rows(png_structp png, png_infop info, sn_bytes *bytes, const uint8_t *pixels,
                            int width, int height, sn_error *error)
{
    // Memory is the one thing that can fail here.
    if (setjmp(png_jmpbuf(png)) != 0) {
        return sn_fail_memory(error, 3 * (size_t)width * (size_t)height);
    }
    png_set_write_fn(png, bytes, put_bytes, flush_bytes);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int row = 0; row < height; ++row) {
        png_write_row(png, pixels + 3 * (size_t)width * (size_t)row);
    }
    png_write_end(png, info);
    return SN_OK;
}

sn_status sn_png_encode(const uint8_t *pixels, int width, int height, sn_bytes *bytes,
                        sn_error *error)
{
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning,
                                                NULL, allocate, release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    sn_status status = info == NULL ? sn_fail_memory(error, 1 << 10)
                                    : write_rows(png, info, bytes, pixels, width, height, error);
    if (png != NULL) {
        png_destroy_write_struct(&png, info != NULL ? &info : NULL);
    }
    return status;
}

sn_status sn_write_png(const char *path, const uint8_t *pixels, int width, int height,
                       sn_error *error)
{
    if (path == NULL || pixels == NULL || width < 1 || height < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, path,
                       "a picture needs a path, pixels and a size above 0");
    }
    sn_bytes bytes = {0};
    sn_status status = sn_png_encode(pixels, width, height, &bytes, error);
    if (status == SN_OK) {
        status = sn_output_file(path, bytes.data, bytes.count, error);
    }
    sn_bytes_free(&bytes);
    return status;
}
