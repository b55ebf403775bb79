// Pictures: light and shadow against rays, thin wires that neither vanish nor flicker, framing,
// files that read back, the same bytes from any number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "draw/light.h"
#include "draw/png.h"
#include "draw/shade.h"
#include "math/elementary.h"
#include "sinew/draw.h"
#include "sinew/elastic.h"

static sn_world *load(const char *text)
{
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error_list errors = {0};
    sn_error error = {0};
    assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors), SN_OK);
    assert_int_equal(sn_scene_build(scene, &world, &error), SN_OK);
    sn_scene_destroy(scene);
    return world;
}

typedef struct picture {
    int width, height;
    uint8_t *pixels;
} picture;

static void free_picture(picture *p)
{
    sn_free(p->pixels);
}

static picture draw(const sn_world *world, const sn_picture_def *def, int threads)
{
    sn_error error = {0};
    sn_drawing *drawing = NULL;
    sn_transform frames[32];
    picture p = {def->width, def->height, sn_allocate(3 * (size_t)(def->width * def->height))};
    assert_true(sn_world_body_count(world) <= 32);
    assert_int_equal(sn_drawing_create(world, threads, &drawing, &error), SN_OK);
    sn_world_frames(world, frames);
    sn_vec3 *points = calloc((size_t)sn_world_point_count(world) + 1, sizeof *points);
    sn_world_points(world, points);
    assert_int_equal(sn_draw_picture(drawing, frames, points, def, p.pixels, &error), SN_OK);
    free(points);
    sn_drawing_destroy(drawing);
    return p;
}

static const uint8_t *pixel(const picture *p, int x, int y)
{
    assert_true(x >= 0 && y >= 0 && x < p->width && y < p->height);
    return p->pixels + 3 * (y * p->width + x);
}

static int brightness(const picture *p, int x, int y)
{
    const uint8_t *c = pixel(p, x, y);
    return c[0] + c[1] + c[2];
}

static const char *const still_life =
    "{\"sinew\": 1, \"bodies\": ["
    "{\"name\": \"base\", \"type\": \"static\", \"colour\": \"#806040\", "
    " \"shape\": {\"type\": \"box\", \"size\": [2, 2, 0.1]}, \"position\": [0, 0, -0.05]},"
    "{\"name\": \"ball\", \"colour\": \"#c03020\", "
    " \"shape\": {\"type\": \"sphere\", \"radius\": 0.3}, \"position\": [-0.4, 0, 0.3]},"
    "{\"name\": \"ring\", \"colour\": \"#2050c0\", "
    " \"shape\": {\"type\": \"torus\", \"radius\": 0.3, \"tube_radius\": 0.08}, "
    " \"position\": [0.5, 0.2, 0.5]}],"
    "\"fields\": [{\"type\": \"spring\", \"a\": \"ball\", \"b\": \"ring\", \"stiffness\": 10}]}";

static sn_picture_def small_def(int width, int height, int samples)
{
    sn_picture_def def = sn_default_picture_def();
    def.width = width;
    def.height = height;
    def.samples = samples;
    return def;
}

static void same_bytes_everywhere(void **state)
{
    (void)state;
    sn_world *world = load(still_life);
    sn_picture_def def = small_def(101, 67, 8);
    picture one = draw(world, &def, 1);
    size_t size = 3 * 101 * 67;
    for (int threads = 2; threads <= 4; threads += 2) {
        picture p = draw(world, &def, threads);
        assert_memory_equal(p.pixels, one.pixels, size);
        free_picture(&p);
    }
    // Of every compiler, optimisation and machine.
    assert_int_equal(sn_hash64(one.pixels, size, 0), 0xeb3477f760162f68);
    free_picture(&one);
    sn_world_destroy(world);
}

static void colours_are_those_of_the_scene(void **state)
{
    (void)state;
    sn_world *world = load(still_life);
    sn_picture_def def = small_def(160, 120, 4);
    def.camera = (sn_camera){true, {0, -4, 1}, {0, 0, 0.3}, 0.6};
    picture p = draw(world, &def, 1);
    sn_raster_view view = sn_raster_perspective(def.camera.position, def.camera.target,
                                                sn_vec3_make(0, 0, 1), 0.6, def.width, def.height);
    sn_vec3 ball = sn_raster_project(&view, sn_vec3_make(-0.4, -0.3, 0.3));
    sn_vec3 ring = sn_raster_project(&view, sn_vec3_make(0.5, -0.1, 0.5));
    const uint8_t *red = pixel(&p, (int)ball.x, (int)ball.y);
    const uint8_t *blue = pixel(&p, (int)ring.x, (int)ring.y);
    assert_true(red[0] > 2 * red[1] && red[0] > 2 * red[2]);
    assert_true(blue[2] > blue[0] + 40 && blue[2] > blue[1] + 30);
    free_picture(&p);
    sn_world_destroy(world);
}

// A ball above its own floor: the floor is dark below it, and the same all around further out.
static void balls_cast_shadows(void **state)
{
    (void)state;
    sn_world *world = load("{\"sinew\": 1, \"bodies\": ["
                           "{\"name\": \"floor\", \"type\": \"static\", \"colour\": \"#a0a0a0\", "
                           " \"shape\": {\"type\": \"plane\"}},"
                           "{\"name\": \"ball\", \"position\": [0, 0, 0.6], "
                           " \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}}]}");
    sn_picture_def def = small_def(200, 200, 2);
    def.camera = (sn_camera){true, {0, -4, 3}, {0, 0, 0.3}, 0.7};
    picture p = draw(world, &def, 2);
    sn_raster_view view = sn_raster_perspective(def.camera.position, def.camera.target,
                                                sn_vec3_make(0, 0, 1), 0.7, 200, 200);
    // From the eye the light comes over the left shoulder: the shadow lies to the right, behind.
    int darkest = 999, brightest = 0;
    sn_vec3 where = SN_VEC3_ZERO;
    for (int i = 0; i < 60 * 60; ++i) {
        sn_vec3 x = sn_vec3_make(-1.0 + i % 60 / 30.0, -1.0 + i / 60 / 30.0, 0.0);
        sn_vec3 s = sn_raster_project(&view, x);
        sn_vec3 to_eye = sn_vec3_sub(def.camera.position, x),
                to_ball = sn_vec3_sub(sn_vec3_make(0, 0, 0.6), x);
        double along = sn_dot(to_ball, sn_normalize(to_eye));
        double off = sqrt(fmax(0.0, sn_dot(to_ball, to_ball) - along * along));
        if (along > 0.0 && off < 0.28) {
            continue; // behind the ball
        }
        int b = brightness(&p, (int)s.x, (int)s.y);
        where = b < darkest ? x : where;
        darkest = b < darkest ? b : darkest;
        brightest = b > brightest ? b : brightest;
    }
    assert_true(darkest < 0.75 * brightest);
    assert_true(where.x > 0.05 && where.x < 0.5 && where.y > 0.0 && where.y < 0.5);
    free_picture(&p);
    sn_world_destroy(world);
}

// How much of the lamp is hidden by a ball, against the same directions by hand; and the share of
// the sky that a ball hides from a point below it: (1 - cos^2 a) of the light, weighed by cosine,
// where a is the half angle of its cone.
static void shares_of_light_agree_with_rays(void **state)
{
    (void)state;
    sn_world *world = load("{\"sinew\": 1, \"bodies\": [{\"name\": \"ball\", "
                           "\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}]}");
    sn_error error = {0};
    sn_model model;
    sn_transform frame;
    sn_world_frames(world, &frame);
    assert_int_equal(sn_model_make(&model, world, &error), SN_OK);
    assert_int_equal(sn_model_place(&model, &frame, NULL, &error), SN_OK);
    sn_light_def def = {.key = {0.3, 0.2, 1.0},
                        .key_radius = 0.1,
                        .key_maps = 40,
                        .sky_maps = 200,
                        .key_size = 512,
                        .sky_size = 256};
    sn_light light = {0};
    assert_int_equal(sn_light_make(&light, &model, &def, NULL, &error), SN_OK);
    static sn_light_points points;
    sn_random random = {.seed = 3};
    points.count = 500;
    for (int i = 0; i < points.count; ++i) {
        double x = sn_random_range(&random, -1.2, 1.2), y = sn_random_range(&random, -1.2, 1.2);
        points.x[i] = (float)(i == 0 ? 0.0 : x - light.origin.x);
        points.y[i] = (float)(i == 0 ? 0.0 : y - light.origin.y);
        points.z[i] = (float)(-1.0 - light.origin.z);
        points.nz[i] = 1.0f;
    }
    sn_light_receive(&light, &points);
    double worst = 0.0, some = 0.0;
    for (int i = 0; i < points.count; ++i) {
        sn_vec3 p = sn_vec3_add(sn_vec3_make(points.x[i], points.y[i], points.z[i]), light.origin);
        double open = 0.0;
        for (int k = 0; k < light.key_count; ++k) {
            double along = -sn_dot(p, light.maps.data[k].direction);
            open += sn_dot(p, p) - along * along > 0.25 ? 1.0 / light.key_count : 0.0;
        }
        worst = fmax(worst, fabs(open - points.key[i]));
        some += open > 0.1 && open < 0.9;
        assert_true(points.below[i] > 0.0f && points.above[i] <= 1.0001f);
    }
    assert_true(some > 20); // half shadow
    assert_true(worst < 0.12);
    double cosine2 = 1.0 - 0.25; // half angle of a ball of 0.5 at the distance 1
    assert_true(fabs(points.above[0] - cosine2) < 0.03);
    sn_light_free(&light);
    sn_model_free(&model);
    sn_world_destroy(world);
}

// A wire of a hundredth of a pixel, moved by fractions of a pixel: in every row of pixels it takes
// away about the same light.
static void thin_wires_do_not_flicker(void **state)
{
    (void)state;
    double least = 1e9, most = 0.0;
    for (int turn = 0; turn < 5; ++turn) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"wire\", \"colour\": \"#000000\", "
                 "\"shape\": {\"type\": \"cylinder\", \"radius\": 2e-5, \"height\": 4}, "
                 "\"position\": [%g, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 0.1}}]}",
                 0.0027 * turn);
        sn_world *world = load(text);
        sn_picture_def def = small_def(128, 96, 16);
        def.camera = (sn_camera){true, {0, -2.5, 0.0}, {0, 0, 0}, 0.3};
        picture p = draw(world, &def, 1);
        for (int y = 20; y < 76; ++y) {
            double missing = 0.0;
            int clear = brightness(&p, 2, y);
            for (int x = 20; x < 108; ++x) {
                double difference = clear - brightness(&p, x, y);
                missing += difference > 12.0 ? difference / clear : 0.0;
            }
            least = fmin(least, missing);
            most = fmax(most, missing);
        }
        free_picture(&p);
        sn_world_destroy(world);
    }
    assert_true(least > 0.35 && most < 2.2 * least);
}

static void framing_holds_everything(void **state)
{
    (void)state;
    sn_world *world = load(still_life);
    sn_error error = {0};
    sn_drawing *drawing = NULL;
    sn_transform frames[3];
    assert_int_equal(sn_drawing_create(world, 1, &drawing, &error), SN_OK);
    sn_world_frames(world, frames);
    sn_drawing_watch(drawing, frames, NULL);
    frames[1].position = sn_vec3_make(3.0, 1.0, 4.0); // where the ball goes later
    sn_drawing_watch(drawing, frames, NULL);
    const sn_vec3 directions[] = {{0, 0, 0}, {0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {-1, 1, -0.5}};
    for (int i = 0; i < 5; ++i) {
        sn_picture_def def = small_def(i % 2 ? 300 : 100, 200, 1);
        def.direction = directions[i];
        sn_camera camera = sn_drawing_camera(drawing, &def);
        sn_raster_view view =
            sn_raster_perspective(camera.position, camera.target, sn_vec3_make(0, 0, 1),
                                  camera.field_of_view, def.width, def.height);
        double reach = 0.0;
        for (int k = 0; k < 6; ++k) {
            const sn_vec3 held[6] = {{3.3, 1, 4},    {3, 1.3, 4},   {3, 1, 4.3},
                                     {-1, -1, -0.1}, {1, -1, -0.1}, {-1, 1, 0}};
            sn_vec3 s = sn_raster_project(&view, held[k]);
            assert_true(s.z > 0.0 && s.x > 0.0 && s.x < def.width && s.y > 0.0 && s.y < def.height);
            reach = fmax(
                reach, fmax(fabs(2.0 * s.x / def.width - 1.0), fabs(2.0 * s.y / def.height - 1.0)));
        }
        assert_true(reach > 0.5); // and no smaller than it must be
    }
    sn_drawing_destroy(drawing);
    sn_world_destroy(world);
}

static picture draw_scaled(double scale)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"bodies\": ["
             "{\"name\": \"base\", \"type\": \"static\", \"colour\": \"#806040\", "
             " \"shape\": {\"type\": \"box\", \"size\": [%g, %g, %g]}, \"position\": [0, 0, %g]},"
             "{\"name\": \"ball\", \"colour\": \"#c03020\", "
             " \"shape\": {\"type\": \"sphere\", \"radius\": %g}, \"position\": [0, 0, %g]}]}",
             2 * scale, 2 * scale, 0.1 * scale, -0.05 * scale, 0.3 * scale, 0.4 * scale);
    sn_world *world = load(text);
    sn_picture_def def = small_def(90, 60, 8);
    picture p = draw(world, &def, 1);
    sn_world_destroy(world);
    return p;
}

static void size_does_not_matter(void **state)
{
    (void)state;
    picture one = draw_scaled(1.0);
    const double scales[2] = {0.01, 100.0};
    for (int i = 0; i < 2; ++i) {
        picture p = draw_scaled(scales[i]);
        int different = 0;
        for (int k = 0; k < 3 * 90 * 60; ++k) {
            different += abs(p.pixels[k] - one.pixels[k]) > 2;
        }
        assert_true(different < 3 * 90 * 60 / 200);
        free_picture(&p);
    }
    free_picture(&one);
}

static void poses_between_turn_the_short_way(void **state)
{
    (void)state;
    sn_transform from = {{0, 0, 0}, {1, 0, 0, 0}};
    sn_transform to = {{2, 4, 6}, {-0.9238795325112867, 0, 0, -0.3826834323650898}}; // 45 degrees
    sn_transform middle;
    sn_frames_between(&from, &to, 1, 0.5, &middle);
    assert_true(sn_distance(middle.position, sn_vec3_make(1, 2, 3)) < 1e-15);
    sn_vec3 x = sn_rotate(middle.rotation, sn_vec3_make(1, 0, 0));
    assert_true(fabs(x.x - 0.9238795325112867) < 1e-12 && fabs(x.y - 0.3826834323650898) < 1e-12);
    sn_frames_between(&from, &to, 1, 0.0, &middle);
    assert_memory_equal(&middle, &from, sizeof from);
}

static void files_read_back(void **state)
{
    (void)state;
    uint8_t pixels[3 * 7 * 5], back[3 * 7 * 5];
    for (int i = 0; i < 3 * 7 * 5; ++i) {
        pixels[i] = (uint8_t)(i * 37);
    }
    sn_error error = {0};
    sn_bytes bytes = {0};
    assert_int_equal(sn_png_encode(pixels, 7, 5, &bytes, &error), SN_OK);
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_memory(&image, bytes.data, bytes.count));
    assert_int_equal(image.width, 7);
    assert_int_equal(image.height, 5);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(pixels, back, sizeof pixels);
    sn_bytes_free(&bytes);
    assert_int_equal(sn_write_png("/nonexistent/a.png", pixels, 7, 5, &error), SN_ERROR_FILE);
    assert_int_equal(sn_write_png("a.png", pixels, 0, 5, &error), SN_ERROR_ARGUMENT);
}

static void colours_go_to_bytes_and_back(void **state)
{
    (void)state;
    sn_shade shade;
    sn_shade_make(&shade, sn_vec3_make(0, 0, 1), 0xffffff);
    for (int i = 0; i < 256; ++i) {
        uint8_t bytes[3];
        sn_colour c = sn_shade_linear(&shade, (uint32_t)(i << 16 | i << 8 | i));
        for (int k = 0; k < 64; ++k) {
            sn_shade_bytes(&shade, c, k % 8, k / 8, bytes);
            assert_in_range(bytes[0], i > 0 ? i - 1 : 0, i + 1);
        }
        assert_true(c.g == c.r && c.b == c.r);
        assert_true(fabs(sn_pow((i / 255.0 + 0.055) / 1.055, 2.4) - c.r) < (i < 11 ? 0.004 : 1e-6));
    }
    float before = -1.0f;
    for (int i = 0; i < 400; ++i) {
        float x = 0.01f * (float)i;
        float y = sn_shade_tone((sn_colour){x, 0, 0}).r;
        assert_true(y > before && y < 1.0f && (x > 0.6f || y == x));
        before = y;
    }
}

static void odd_input_is_refused(void **state)
{
    (void)state;
    sn_world *world = load(still_life);
    sn_error error = {0};
    sn_drawing *drawing = NULL;
    sn_transform frames[3];
    uint8_t pixels[3 * 8 * 8];
    assert_int_equal(sn_drawing_create(world, 1, &drawing, &error), SN_OK);
    sn_world_frames(world, frames);
    sn_picture_def def = small_def(0, 8, 1);
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error),
                     SN_ERROR_ARGUMENT);
    def = small_def(8, 8, 3);
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error),
                     SN_ERROR_ARGUMENT);
    def = small_def(8, 8, 1);
    def.camera = (sn_camera){true, {1, 1, 1}, {1, 1, 1}, 0.5};
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error),
                     SN_ERROR_ARGUMENT);
    def.camera.given = false;
    frames[1].position.x = NAN;
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error),
                     SN_ERROR_ARGUMENT);
    sn_drawing_destroy(drawing);
    sn_world_destroy(world);
    // Nothing at all is a picture, too.
    world = load("{\"sinew\": 1}");
    picture p = draw(world, &def, 1);
    free_picture(&p);
    sn_world_destroy(world);
}

static sn_status draw_with_allocations(const sn_world *world, int count, bool whole)
{
    sn_transform frames[3];
    sn_picture_def def = small_def(12, 9, 1);
    uint8_t pixels[3 * 12 * 9];
    sn_drawing *drawing = NULL;
    sn_error error = {0};
    sn_bytes bytes = {0};
    sn_world_frames(world, frames);
    sn_allocation_fail_after(count);
    sn_status status = sn_drawing_create(world, 1, &drawing, &error);
    if (status == SN_OK && whole) {
        status = sn_draw_picture(drawing, frames, NULL, &def, pixels, &error);
        status = status == SN_OK ? sn_png_encode(pixels, 12, 9, &bytes, &error) : status;
    }
    sn_allocation_fail_after(-1);
    sn_bytes_free(&bytes);
    sn_drawing_destroy(drawing);
    return status;
}

static bool stop_at(void *user)
{
    int *left = user;
    *left -= 1;
    return *left < 0;
}

static void pictures_can_be_stopped(void **state)
{
    (void)state;
    sn_world *world = load(still_life);
    sn_error error = {0};
    sn_drawing *drawing = NULL;
    sn_transform frames[3];
    static uint8_t pixels[3 * 320 * 200];
    assert_int_equal(sn_drawing_create(world, 1, &drawing, &error), SN_OK);
    sn_world_frames(world, frames);
    sn_picture_def def = small_def(320, 200, 1);
    int left = 3;
    def.stop = stop_at;
    def.user = &left;
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error),
                     SN_ERROR_STOPPED);
    left = 1000;
    assert_int_equal(sn_draw_picture(drawing, frames, NULL, &def, pixels, &error), SN_OK);
    assert_true(left < 1000);
    sn_drawing_destroy(drawing);
    sn_world_destroy(world);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    sn_world *worlds[2] = {load(still_life),
                           load("{\"sinew\": 1, \"bodies\": [{\"name\": \"box\", "
                                "\"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}]}")};
    for (int k = 0; k < 2; ++k) {
        int count = 0;
        sn_status status;
        while ((status = draw_with_allocations(worlds[k], count, k == 1)) != SN_OK) {
            assert_int_equal(status, SN_ERROR_MEMORY);
            count += 1;
        }
        assert_true(count > 15);
        sn_world_destroy(worlds[k]);
    }
}

static int count_colour(const picture *p, int stronger, int weaker)
{
    int count = 0;
    for (int i = 0; i < p->width * p->height; ++i) {
        const uint8_t *rgb = p->pixels + 3 * (size_t)i;
        count += rgb[stronger] > 60 && rgb[stronger] > 2 * rgb[weaker];
    }
    return count;
}

// Halves of an elastic box, of a red material and a blue one, on its own faces and on a shape that
// stands for it; a colour of the body's own goes before both.
static void regions_have_their_colours(void **state)
{
    (void)state;
    static const char form[] =
        "{\"sinew\": 1, \"materials\": {\"a\": {\"colour\": \"#d01010\"}, \"b\": {\"colour\": "
        "\"#1010d0\"}}, \"bodies\": [{\"name\": \"two\", \"type\": \"elastic\", \"materials\": "
        "[\"a\", \"b\"]%s, \"mesh\": {\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], "
        "[0, 1, 0], [0, 0, 1], [-1, 0, 0]], \"elements\": [[0, 1, 2, 3], [0, 2, 4, 3]], "
        "\"regions\": "
        "[0, 1]}}]}";
    static const char *const more[3] = {
        "",
        ", \"display\": {\"type\": \"box\", \"size\": [1, 0.2, 0.2], \"position\": [0, 0.2, 0.2]}",
        ", \"colour\": \"#d01010\""};
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        snprintf(text, sizeof text, form, more[i]);
        sn_world *world = load(text);
        sn_picture_def def = small_def(160, 120, 4);
        def.camera = (sn_camera){true, {0, -4, 1.5}, {0, 0, 0.3}, 0.6};
        picture p = draw(world, &def, 1);
        int red = count_colour(&p, 0, 2), blue = count_colour(&p, 2, 0);
        assert_true(red > 100 &&
                    (i < 2 ? blue > 100 && blue < 2 * red && red < 2 * blue : blue == 0));
        assert_int_equal(sn_body_display_part_count(world, sn_world_body(world, 0)), i < 2 ? 2 : 1);
        free_picture(&p);
        sn_world_destroy(world);
    }
}

// An elastic box at rest looks like a rigid one, also turned; one that is bent to an arc has the
// normals of the arc.
static void elastic_bodies_are_drawn(void **state)
{
    (void)state;
    static const char *const texts[2] = {
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"b\", \"colour\": \"#c04040\", \"position\": "
        "[0.1, 0, "
        "1], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}, \"shape\": {\"type\": \"box\", "
        "\"size\": [2, 1, 0.5]}}]}",
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"b\", \"colour\": \"#c04040\", \"position\": "
        "[0.1, 0, "
        "1], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}, \"type\": \"elastic\", \"mesh\": "
        "{\"type\": \"box\", \"size\": [2, 1, 0.5], \"cells\": [16, 4, 2]}}]}"};
    sn_picture_def def = sn_default_picture_def();
    def.width = 160;
    def.height = 100;
    def.samples = 4;
    uint8_t *pixels[3];
    sn_world *world = NULL;
    for (int i = 0; i < 3; ++i) { // the last by two threads
        sn_error error = {0};
        sn_drawing *drawing = NULL;
        sn_transform frame;
        sn_world_destroy(world);
        world = load(texts[i > 0]);
        int count = sn_world_point_count(world);
        assert_int_equal(count > 0, i > 0);
        sn_vec3 *points = sn_allocate((size_t)(count + 1) * sizeof *points);
        pixels[i] = sn_allocate(3 * 160 * 100);
        assert_int_equal(sn_drawing_create(world, i == 2 ? 2 : 1, &drawing, &error), SN_OK);
        sn_world_frames(world, &frame);
        sn_world_points(world, points);
        if (i > 0) {
            assert_int_equal(sn_draw_picture(drawing, &frame, NULL, &def, pixels[i], &error),
                             SN_ERROR_ARGUMENT);
        }
        assert_int_equal(sn_draw_picture(drawing, &frame, points, &def, pixels[i], &error), SN_OK);
        sn_drawing_destroy(drawing);
        sn_free(points);
    }
    assert_memory_equal(pixels[1], pixels[2], 3 * 160 * 100);
    double difference = 0.0;
    int different = 0;
    for (int i = 0; i < 3 * 160 * 100; ++i) {
        int d = abs((int)pixels[0][i] - (int)pixels[1][i]);
        difference += d;
        different += d > 8;
    }
    assert_true(difference / (3 * 160 * 100) < 0.2 && different < 60);
    // An arc of radius 2 about the y axis: (x, y, z) goes to ((2 + z) sin(x/2), y, (2 + z)
    // cos(x/2)).
    sn_model model;
    sn_error error = {0};
    sn_transform frame;
    sn_body body = sn_world_body(world, 0);
    const sn_mesh *mesh = sn_body_display(world, body);
    int count = sn_mesh_vertex_count(mesh);
    sn_vec3 *points = sn_allocate((size_t)count * sizeof *points);
    for (int i = 0; i < count; ++i) {
        sn_vec3 x = sn_mesh_positions(mesh)[i];
        points[i] =
            sn_vec3_make((2.0 + x.z) * sn_sin(0.5 * x.x), x.y, (2.0 + x.z) * sn_cos(0.5 * x.x));
    }
    sn_world_frames(world, &frame);
    assert_int_equal(sn_model_make(&model, world, &error), SN_OK);
    assert_int_equal(sn_model_place(&model, &frame, points, &error), SN_OK);
    int outer = 0;
    for (int i = 0; i < model.positions.count; ++i) {
        sn_vec3 x = model.positions.data[i];
        const float *n = model.normals.data + 3 * i;
        double r = sqrt(x.x * x.x + x.z * x.z);
        if (fabs(r - 2.25) < 1e-9 && n[0] * x.x + n[2] * x.z > 0.5 * r && fabs(x.x) < 1.0) {
            assert_true((n[0] * x.x + n[2] * x.z) / r > 0.9998);
            outer += 1;
        }
    }
    assert_true(outer > 40);
    sn_model_free(&model);
    sn_free(points);
    for (int i = 0; i < 3; ++i) {
        sn_free(pixels[i]);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_have_their_colours),
        cmocka_unit_test(elastic_bodies_are_drawn),
        cmocka_unit_test(same_bytes_everywhere),
        cmocka_unit_test(colours_are_those_of_the_scene),
        cmocka_unit_test(balls_cast_shadows),
        cmocka_unit_test(shares_of_light_agree_with_rays),
        cmocka_unit_test(thin_wires_do_not_flicker),
        cmocka_unit_test(framing_holds_everything),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(poses_between_turn_the_short_way),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(colours_go_to_bytes_and_back),
        cmocka_unit_test(odd_input_is_refused),
        cmocka_unit_test(pictures_can_be_stopped),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
