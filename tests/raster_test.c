// The rasteriser against brute force: every sample belongs to exactly one triangle of a mesh that
// has no gaps, and rays cast at all triangles one by one see the same ones at the same distance.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "geometry/raster.h"
#include "sanitized.h"

enum { SOUP = 60 };

typedef struct picture {
    float *nearness;
    uint32_t *ids;
    size_t samples;
} picture;

static picture make_picture(const sn_raster_view *view)
{
    picture p = {.samples = (size_t)view->width * (size_t)view->height * (size_t)view->rows};
    p.nearness = sn_allocate(p.samples * sizeof *p.nearness);
    p.ids = sn_allocate(p.samples * sizeof *p.ids);
    assert_non_null(p.nearness);
    assert_non_null(p.ids);
    return p;
}

static void free_picture(picture *p)
{
    sn_free(p->nearness);
    sn_free(p->ids);
}

static picture draw(const sn_raster_view *view, const sn_vec3 *x, int vertices,
                    const int *triangles, int count, int threads)
{
    sn_error error = {0};
    sn_raster raster = {0};
    picture p = make_picture(view);
    sn_threads *pool = NULL;
    assert_int_equal(sn_threads_create(threads, &pool, &error), SN_OK);
    assert_int_equal(sn_raster_load(&raster, view, x, vertices, triangles, count, &error), SN_OK);
    sn_raster_draw(&raster, pool, p.nearness, p.ids);
    sn_threads_destroy(pool);
    sn_raster_free(&raster);
    return p;
}

// A parallel view in which a length of 1 is a pixel and z points away from the eye: x and -y are
// places in the picture, exactly.
static sn_raster_view flat_view(int width, int height, int rows)
{
    sn_raster_view view =
        sn_raster_parallel(sn_vec3_make(0.5 * width, -0.5 * height, 0.0), sn_vec3_make(0, 0, 1),
                           sn_vec3_make(0, 1, 0), height, width, height);
    view.right = sn_vec3_make(1, 0, 0); // a mirrored view: right-handed would look from behind
    view.rows = rows;
    return view;
}

static double random_offset(sn_random *random, int coarseness)
{
    // Multiples of 1/2 .. 1/1024 pixel: the coarse ones put corners and edges onto samples.
    int steps = 2 << coarseness;
    return (double)(sn_random_below(random, 3 * steps) - steps) / steps;
}

// A grid of squares with shifted corners, each cut along either diagonal. Squares may fold over, so
// a sample's count is the winding number: here 1, drawn triangle by triangle with its sign.
static void shared_edges_have_no_cracks(void **state)
{
    (void)state;
    enum { CELLS = 6, CELL = 8, SIZE = CELLS * CELL };
    sn_random random = {.seed = 11};
    for (int turn = 0; turn < rounds_of(60, 10); ++turn) {
        sn_raster_view view = flat_view(SIZE - 3 * (turn % 3), SIZE - turn % 5, 1 << turn % 7);
        sn_vec3 x[(CELLS + 1) * (CELLS + 1)];
        for (int k = 0; k < (CELLS + 1) * (CELLS + 1); ++k) {
            int i = k % (CELLS + 1), j = k / (CELLS + 1);
            bool rim_x = i == 0 || i == CELLS, rim_y = j == 0 || j == CELLS;
            double dx = rim_x ? 0.0 : random_offset(&random, turn % 10);
            double dy = rim_y ? 0.0 : random_offset(&random, turn % 10);
            x[k] = sn_vec3_make(CELL * i + 3.0 * dx, -(CELL * j + 3.0 * dy), 1.0);
        }
        size_t samples = (size_t)view.width * (size_t)view.height * (size_t)view.rows;
        int *count = sn_allocate_zero(samples * sizeof *count);
        for (int k = 0; k < CELLS * CELLS; ++k) {
            int a = k / CELLS * (CELLS + 1) + k % CELLS, b = a + 1, c = b + CELLS + 1, d = c - 1;
            bool other = sn_random_below(&random, 2) == 1;
            int halves[2][3] = {{a, b, other ? d : c}, {other ? b : a, c, d}};
            for (int h = 0; h < 2; ++h) {
                const int *t = halves[h];
                sn_vec3 u = sn_vec3_sub(x[t[1]], x[t[0]]), v = sn_vec3_sub(x[t[2]], x[t[0]]);
                int sign = sn_cross(u, v).z < 0.0 ? 1 : -1;
                picture p = draw(&view, x, (CELLS + 1) * (CELLS + 1), t, 1, 1);
                for (size_t s = 0; s < samples; ++s) {
                    count[s] += p.ids[s] == 0 ? sign : 0;
                }
                free_picture(&p);
            }
        }
        for (size_t s = 0; s < samples; ++s) {
            assert_int_equal(count[s], 1);
        }
        sn_free(count);
    }
}

typedef struct seen {
    uint32_t id;
    double distance;
    double slope;  // of its surface against the ray: distance per way across
    double margin; // from the nearest edge, as a share of the triangle, over all that come close
} seen;

static sn_vec3 random_point(sn_random *random, double spread)
{
    // One by one: compilers evaluate arguments in any order.
    double x = sn_random_range(random, -spread, spread);
    double y = sn_random_range(random, -spread, spread);
    return sn_vec3_make(x, y, sn_random_range(random, -spread, spread));
}

// All triangles against one ray, Cramer's rule in double precision.
static seen cast(const sn_raster_view *view, const sn_vec3 *x, const int *triangles, int count,
                 double px, double py)
{
    seen found = {SN_RASTER_NONE, INFINITY, 0.0, 1.0};
    sn_vec3 origin, d;
    sn_raster_ray(view, px, py, &origin, &d);
    for (int i = 0; i < count; ++i) {
        const int *t = triangles + 3 * i;
        sn_vec3 a = x[t[0]], u = sn_vec3_sub(x[t[1]], a), v = sn_vec3_sub(x[t[2]], a);
        sn_vec3 n = sn_cross(u, v), r = sn_vec3_sub(origin, a), q = sn_cross(r, d);
        double det = -sn_dot(d, n);
        double s1 = sn_dot(v, q) / -det, s2 = -sn_dot(u, q) / -det, z = sn_dot(r, n) / det;
        s1 = -s1;
        s2 = -s2;
        double inside = fmin(fmin(s1, s2), 1.0 - s1 - s2);
        if (z < view->near * 1.001 && z > view->near * 0.999) {
            found.margin = 0.0;
        }
        if (z < view->near) {
            continue;
        }
        found.margin = fmin(found.margin, fabs(inside) * fabs(det) / sn_length(n));
        if (inside >= 0.0) {
            if (fabs(z - found.distance) < 1e-3) {
                found.margin = 0.0; // too close to call
            }
            if (z < found.distance) {
                found.distance = z;
                found.slope = sn_length(n) * sn_length(d) / fabs(det);
                found.id = (uint32_t)i;
            }
        }
    }
    return found;
}

static void compare_with_rays(const sn_raster_view *view, sn_random *random, double spread)
{
    sn_vec3 x[3 * SOUP];
    int triangles[3 * SOUP];
    for (int i = 0; i < 3 * SOUP; ++i) {
        triangles[i] = i;
        x[i] = random_point(random, spread);
        if (i % 3 > 0 && i % 2 == 0) { // long and short edges
            x[i] = sn_vec3_add_scaled(x[i - 1], 0.2, sn_vec3_sub(x[i], x[i - 1]));
        }
    }
    picture p = draw(view, x, 3 * SOUP, triangles, SOUP, 2);
    int compared = 0, hits = 0;
    for (int line = 0; line < view->height * view->rows; ++line) {
        for (int column = 0; column < view->width; ++column) {
            int sx, sy;
            sn_raster_sample(view->rows, line % view->rows, &sx, &sy);
            seen want = cast(view, x, triangles, SOUP, column + sx / 1024.0,
                             line / view->rows + sy / 1024.0);
            if (want.margin < 0.01) {
                continue;
            }
            size_t at = (size_t)line * (size_t)view->width + (size_t)column;
            assert_int_equal(p.ids[at], want.id);
            compared += 1;
            if (want.id != SN_RASTER_NONE) {
                double distance = sn_raster_distance(view, p.nearness[at]);
                double pixel = (view->orthographic ? 1.0 : want.distance) / view->scale;
                double limit = 2.0 * want.slope * pixel / 1024.0 + 1e-6 * fabs(want.distance);
                assert_true(fabs(distance - want.distance) < limit + 1e-6);
                hits += 1;
            } else {
                assert_true(isinf(p.nearness[at]) && p.nearness[at] < 0.0f);
            }
        }
    }
    assert_true(compared > view->width * view->height * view->rows / 20);
    assert_true(hits > 100);
    free_picture(&p);
}

static void rays_see_the_same(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int turn = 0; turn < rounds_of(12, 3); ++turn) {
        sn_vec3 eye = {sn_random_range(&random, 3, 5), sn_random_range(&random, -3, 3), 2.0};
        sn_raster_view view =
            sn_raster_perspective(eye, SN_VEC3_ZERO, sn_vec3_make(0, 0, 1), 0.9, 70 + turn, 45);
        view.rows = 1 << turn % 3;
        compare_with_rays(&view, &random, 2.0);
        view = sn_raster_parallel(sn_vec3_make(0, 0, 0.3), eye, sn_vec3_make(0, 1, 0), 3.0, 61, 50);
        view.near = -2.0;
        compare_with_rays(&view, &random, 2.0);
    }
}

// The eye among the triangles: many of them reach behind it, and far out of the picture.
static void triangles_are_cut_at_the_near_plane(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    for (int turn = 0; turn < rounds_of(12, 3); ++turn) {
        sn_vec3 eye = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1), 0.1};
        sn_vec3 target = {sn_random_range(&random, -1, 1), 2.0, sn_random_range(&random, -1, 1)};
        sn_raster_view view =
            sn_raster_perspective(eye, target, sn_vec3_make(0, 0, 1), 1.2, 64, 48);
        view.near = 0.05;
        compare_with_rays(&view, &random, 4.0);
    }
}

// Two triangles of a wall that goes from behind the eye to far away still share their edge.
static void cut_triangles_have_no_cracks(void **state)
{
    (void)state;
    sn_vec3 wall[4] = {{-1e7, -3, 1e7}, {1e7, -3, 1e7}, {1e7, -3, -1e7}, {-1e7, -3, -1e7}};
    int halves[6] = {0, 1, 2, 0, 2, 3};
    sn_raster_view view = sn_raster_perspective(sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(1, -2, 5),
                                                sn_vec3_make(0, 1, 0), 1.0, 200, 150);
    view.rows = 4;
    picture both = draw(&view, wall, 4, halves, 2, 1), one = draw(&view, wall, 4, halves, 1, 1),
            other = draw(&view, wall, 4, halves + 3, 1, 1);
    int covered = 0;
    for (size_t s = 0; s < both.samples; ++s) {
        bool hit = both.ids[s] != SN_RASTER_NONE;
        assert_int_equal((one.ids[s] == 0) + (other.ids[s] == 0), hit);
        int column = (int)(s % (size_t)view.width), line = (int)(s / (size_t)view.width);
        int sx, sy;
        sn_raster_sample(4, line % 4, &sx, &sy);
        sn_vec3 origin, d;
        sn_raster_ray(&view, column + sx / 1024.0, line / 4 + sy / 1024.0, &origin, &d);
        if (fabs(d.y) > 1e-2) {
            assert_int_equal(hit, d.y < 0.0); // the whole half space below the horizon
        }
        covered += hit;
    }
    assert_true(covered > 1000);
    free_picture(&both);
    free_picture(&one);
    free_picture(&other);
}

static void tiles_and_threads_agree(void **state)
{
    (void)state;
    sn_random random = {.seed = 8};
    sn_vec3 x[900];
    int triangles[900];
    for (int i = 0; i < 900; ++i) {
        triangles[i] = sn_random_below(&random, 900);
        x[i] = random_point(&random, 2.0);
    }
    sn_raster_view view = sn_raster_perspective(sn_vec3_make(4, 1, 2), SN_VEC3_ZERO,
                                                sn_vec3_make(0, 0, 1), 0.8, 107, 69);
    view.rows = 8;
    picture one = draw(&view, x, 900, triangles, 300, 1);
    for (int threads = 2; threads <= 4; threads += 2) {
        picture p = draw(&view, x, 900, triangles, 300, threads);
        assert_memory_equal(p.ids, one.ids, p.samples * sizeof *p.ids);
        assert_memory_equal(p.nearness, one.nearness, p.samples * sizeof *p.nearness);
        free_picture(&p);
    }
    // The same bits from every compiler and optimisation.
    uint64_t hash = sn_hash64(one.ids, one.samples * sizeof *one.ids, 0);
    hash = sn_hash64(one.nearness, one.samples * sizeof *one.nearness, hash);
    assert_int_equal(hash, 0x5f9ffd708246d9ea);
    sn_error error = {0};
    sn_raster raster = {0};
    static float nearness[SN_RASTER_TILE * SN_RASTER_TILE * 8];
    static uint32_t ids[SN_RASTER_TILE * SN_RASTER_TILE * 8];
    assert_int_equal(sn_raster_load(&raster, &view, x, 900, triangles, 300, &error), SN_OK);
    assert_int_equal(raster.tile_count, 4 * 3);
    for (int tile = 0; tile < raster.tile_count; ++tile) {
        bool drawn = sn_raster_tile(&raster, tile, nearness, ids);
        for (int line = 0; line < SN_RASTER_TILE * 8; ++line) {
            for (int column = 0; column < SN_RASTER_TILE; ++column) {
                int px = tile % 4 * SN_RASTER_TILE + column;
                int row = tile / 4 * SN_RASTER_TILE * 8 + line;
                if (px < view.width && row < view.height * 8) {
                    uint32_t want = one.ids[(size_t)row * (size_t)view.width + (size_t)px];
                    uint32_t got = drawn ? ids[line * SN_RASTER_TILE + column] : SN_RASTER_NONE;
                    assert_int_equal(got, want);
                }
            }
        }
    }
    sn_raster_free(&raster);
    free_picture(&one);
}

static void equally_near_shows_the_first(void **state)
{
    (void)state;
    sn_vec3 x[3] = {{0, 0, 1}, {8, 0, 1}, {0, -8, 1}};
    int twice[6] = {0, 1, 2, 2, 1, 0};
    sn_raster_view view = flat_view(8, 8, 4);
    picture p = draw(&view, x, 3, twice, 2, 1);
    int seen_first = 0;
    for (size_t s = 0; s < p.samples; ++s) {
        assert_int_not_equal(p.ids[s], 1);
        seen_first += p.ids[s] == 0;
    }
    assert_in_range(seen_first, 8 * 8 * 4 / 2 - 12, 8 * 8 * 4 / 2 + 12);
    free_picture(&p);
}

// One column and one row for every sample, and no two samples close to each other.
static void samples_are_spread(void **state)
{
    (void)state;
    for (int rows = 1; rows <= SN_RASTER_ROW_LIMIT; rows *= 2) {
        int x[SN_RASTER_ROW_LIMIT], y[SN_RASTER_ROW_LIMIT];
        uint64_t columns = 0;
        for (int i = 0; i < rows; ++i) {
            sn_raster_sample(rows, i, &x[i], &y[i]);
            assert_int_equal(y[i], (2 * i + 1) * 512 / rows);
            columns |= 1ULL << (x[i] * rows / 1024);
        }
        assert_true(columns == (rows == 64 ? UINT64_MAX : (1ULL << rows) - 1));
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < i; ++j) {
                double dx = x[i] - x[j], dy = y[i] - y[j];
                assert_true((dx * dx + dy * dy) * rows > 0.4 * 1024 * 1024);
            }
        }
    }
}

static void odd_input_is_refused_or_passed_over(void **state)
{
    (void)state;
    sn_vec3 x[4] = {{0, 0, 1}, {NAN, 0, 1}, {0, INFINITY, 1}, {1e300, 1, 1}};
    int triangles[9] = {0, 1, 2, 0, 0, 3, 0, 0, 0};
    sn_raster_view view = sn_raster_perspective(sn_vec3_make(0, 0, 0), sn_vec3_make(0, 0, 1),
                                                sn_vec3_make(0, 1, 0), 1.0, 1, 1);
    picture p = draw(&view, x, 4, triangles, 3, 1);
    assert_int_equal(p.ids[0], SN_RASTER_NONE);
    free_picture(&p);
    sn_raster raster = {0};
    sn_error error = {0};
    const sn_raster_view good = view;
    for (int i = 0; i < 6; ++i) {
        view = good;
        view.width = i == 0 ? 0 : i == 1 ? SN_RASTER_SIZE_LIMIT + 1 : 1;
        view.rows = i == 2 ? 3 : i == 3 ? 128 : 1;
        view.near = i == 4 ? 0.0 : view.near;
        view.eye.x = i == 5 ? NAN : 0.0;
        assert_int_equal(sn_raster_load(&raster, &view, x, 4, triangles, 3, &error),
                         SN_ERROR_ARGUMENT);
    }
    sn_raster_free(&raster);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    sn_vec3 x[3] = {{-9, -9, 1}, {9, 0, 1}, {0, 9, 1}};
    int triangles[3] = {0, 1, 2};
    sn_raster_view view = sn_raster_perspective(sn_vec3_make(0, 0, 0), sn_vec3_make(0, 0, 1),
                                                sn_vec3_make(0, 1, 0), 1.0, 100, 100);
    for (int i = 0;; ++i) {
        sn_raster raster = {0};
        sn_error error = {0};
        sn_allocation_fail_after(i);
        sn_status status = sn_raster_load(&raster, &view, x, 3, triangles, 1, &error);
        sn_allocation_fail_after(-1);
        sn_raster_free(&raster);
        if (status == SN_OK) {
            assert_true(i > 2);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_edges_have_no_cracks),
        cmocka_unit_test(rays_see_the_same),
        cmocka_unit_test(triangles_are_cut_at_the_near_plane),
        cmocka_unit_test(cut_triangles_have_no_cracks),
        cmocka_unit_test(tiles_and_threads_agree),
        cmocka_unit_test(equally_near_shows_the_first),
        cmocka_unit_test(samples_are_spread),
        cmocka_unit_test(odd_input_is_refused_or_passed_over),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
