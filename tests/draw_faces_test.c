// Pictures of faces that bend, without a world.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sinew/draw.h"

enum { WIDTH = 96, HEIGHT = 64, BYTES = 3 * WIDTH * HEIGHT };

// A tetrahedron, one face red, the others blue.
static const sn_vec3 corners[4] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1.5}};
static const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const sn_face_look looks[4] = {
    {0x2040c0, 0.9f}, {0xc02020, 0.9f}, {0x2040c0, 0.9f}, {0x2040c0, 0.9f}};

static sn_picture_def small_picture(void)
{
    sn_picture_def def = sn_default_picture_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 4;
    return def;
}

static void draw(const sn_vec3 *points, sn_vec3 direction, int threads, uint8_t *pixels)
{
    sn_drawing *drawing = NULL;
    sn_error error = {0};
    sn_picture_def def = small_picture();
    def.direction = direction;
    assert_int_equal(sn_drawing_create_faces(triangles, looks, NULL, 4, threads, &drawing, &error),
                     SN_OK);
    if (sn_draw_points(drawing, points, &def, pixels, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_drawing_destroy(drawing);
}

// Pixels that are far redder than blue, and the other way round.
static void count_colours(const uint8_t *pixels, int *red, int *blue)
{
    *red = *blue = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        int difference = pixels[3 * i] - pixels[3 * i + 2];
        *red += difference > 60;
        *blue += difference < -60;
    }
}

static void test_sides(void **unused)
{
    (void)unused;
    static uint8_t front[BYTES], back[BYTES];
    int red, blue;
    draw(corners, (sn_vec3){0, -1, 0.1}, 1, front);
    count_colours(front, &red, &blue);
    assert_true(red > 300);
    assert_true(blue < 20);
    draw(corners, (sn_vec3){0, 1, 0.1}, 1, back);
    count_colours(back, &red, &blue);
    assert_true(red < 20);
    assert_true(blue > 300);
}

static void test_threads_and_movement(void **unused)
{
    (void)unused;
    static uint8_t one[BYTES], three[BYTES], moved[BYTES];
    draw(corners, (sn_vec3){0, -1, 0.2}, 1, one);
    draw(corners, (sn_vec3){0, -1, 0.2}, 3, three);
    assert_memory_equal(one, three, BYTES);
    sn_vec3 bent[4];
    memcpy(bent, corners, sizeof bent);
    bent[3].x = 0.9;
    draw(bent, (sn_vec3){0, -1, 0.2}, 1, moved);
    assert_memory_not_equal(one, moved, BYTES);
}

// The camera holds what was watched: watching a far point makes things smaller. Faces that stand
// still do not count when they are much larger.
static void test_watching(void **unused)
{
    (void)unused;
    static uint8_t pixels[BYTES];
    sn_error error = {0};
    sn_picture_def def = small_picture();
    sn_vec3 far[4];
    double distances[3];
    for (int i = 0; i < 3; ++i) {
        const bool still[4] = {true, true, true, false};
        sn_drawing *drawing = NULL;
        assert_int_equal(sn_drawing_create_faces(triangles, looks, i == 2 ? still : NULL, 4, 1,
                                                 &drawing, &error),
                         SN_OK);
        memcpy(far, corners, sizeof far);
        sn_drawing_watch_points(drawing, far);
        if (i > 0) {
            far[1].x = 50.0; // of no face that moves when i is 2
            sn_drawing_watch_points(drawing, far);
        }
        sn_camera camera = sn_drawing_camera(drawing, &def);
        distances[i] = sn_distance(camera.position, camera.target);
        assert_int_equal(sn_draw_points(drawing, corners, &def, pixels, &error), SN_OK);
        sn_drawing_destroy(drawing);
    }
    assert_true(distances[1] > 5.0 * distances[0]);
    assert_true(distances[2] < 2.0 * distances[0]);
}

static void test_lamp(void **unused)
{
    (void)unused;
    static uint8_t usual[BYTES], green[BYTES];
    sn_error error = {0};
    sn_picture_def def = small_picture();
    def.direction = (sn_vec3){0, -1, 0.1};
    sn_drawing *drawing = NULL;
    assert_int_equal(sn_drawing_create_faces(triangles, looks, NULL, 4, 1, &drawing, &error),
                     SN_OK);
    assert_int_equal(sn_draw_points(drawing, corners, &def, usual, &error), SN_OK);
    sn_drawing_set_lamp(drawing, (sn_vec3){0, -1, 0.5}, (double[]){0.0, 1.0, 0.0});
    assert_int_equal(sn_draw_points(drawing, corners, &def, green, &error), SN_OK);
    int red, blue;
    count_colours(green, &red, &blue);
    assert_true(red < 20); // no red light, so the red face is dark
    sn_drawing_destroy(drawing);
}

static void test_failures(void **unused)
{
    (void)unused;
    static uint8_t pixels[BYTES];
    sn_error error = {0};
    sn_picture_def def = small_picture();
    sn_drawing *drawing = NULL;
    assert_int_equal(sn_drawing_create_faces(triangles, looks, NULL, 4, 1, &drawing, &error),
                     SN_OK);
    sn_vec3 bad[4];
    memcpy(bad, corners, sizeof bad);
    bad[2].y = NAN;
    assert_int_equal(sn_draw_points(drawing, bad, &def, pixels, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "point 2"));
    sn_drawing_destroy(drawing);
    sn_status status = SN_ERROR_MEMORY;
    int64_t after = 0;
    for (; status != SN_OK && after < 500; ++after) {
        sn_allocation_fail_after(after);
        status = sn_drawing_create_faces(triangles, looks, NULL, 4, 1, &drawing, &error);
        if (status == SN_OK) {
            status = sn_draw_points(drawing, corners, &def, pixels, &error);
            sn_drawing_destroy(drawing);
        }
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
    }
    assert_int_equal(status, SN_OK);
    assert_true(after > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides),    cmocka_unit_test(test_threads_and_movement),
        cmocka_unit_test(test_watching), cmocka_unit_test(test_lamp),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
