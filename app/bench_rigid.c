// What free rigid bodies cost.
//
// Case `free-bodies`: N boxes of 0.2 x 0.3 x 0.5 m and 1 kg, under gravity (0, 0, -9.81), no
// contact. Box i stands at (3 (i mod 100), 3 (i / 100 mod 100), 3 (i / 10000)) m, axes along the
// world's. With f(k) = frac(0.6180339887498949 k) its angular velocity is 6 (f(3 i + 1) - 1/2, f(3
// i + 2) - 1/2, f(3 i + 3) - 1/2) rad/s and its velocity (0, 0, 10 f(i)) m/s. After 10 steps
// unmeasured, S steps of H seconds are timed on one thread. Value: ns of processor time per body
// and step. Quality, over the S steps:
//   energy_drift            |E_end - E_start| / K_start, E kinetic and potential, K kinetic energy
//   of all bodies angular_momentum_error  sum |L_end - L_start| / sum |L_start|, L of each body
//   about its own centre
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "progress.h"
#include "sinew/world.h"

static double fraction(int k)
{
    double x = 0.6180339887498949 * k;
    return x - floor(x);
}

static sn_status build(const sn_bench_case *bench, sn_world **world, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    sn_status status = sn_world_create(&world_def, world, error);
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.2, 0.3, 0.5);
    box.density = 1.0 / 0.03;
    for (int i = 0; i < bench->size && status == SN_OK; ++i) {
        sn_body_def def = sn_default_body_def();
        sn_body body;
        def.shapes = &box;
        def.shape_count = 1;
        int column = i % 100, row = i / 100 % 100, layer = i / 10000;
        def.frame.position = sn_vec3_make(3.0 * column, 3.0 * row, 3.0 * layer);
        def.velocity.z = 10.0 * fraction(i);
        def.angular_velocity =
            sn_vec3_scale(6.0, sn_vec3_make(fraction(3 * i + 1) - 0.5, fraction(3 * i + 2) - 0.5,
                                            fraction(3 * i + 3) - 0.5));
        status = sn_world_add_body(*world, &def, &body, error);
    }
    return status;
}

// Angular momentum of every body about its own centre, in world axes.
static void spins(const sn_world *world, sn_vec3 *spin)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_quat rotation = sn_body_transform(world, body).rotation;
        sn_vec3 omega = sn_rotate_inverse(rotation, sn_body_angular_velocity(world, body));
        sn_mat3 inertia = sn_body_mass_properties(world, body).inertia;
        spin[i] = sn_rotate(rotation, sn_mat3_apply(inertia, omega));
    }
}

static sn_status advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

static sn_status measure(const sn_bench_case *bench, sn_world *world, sn_vec3 *start, sn_vec3 *end,
                         sn_bench_result *result, sn_error *error)
{
    sn_status status = advance(world, bench->step, 10, error);
    if (status != SN_OK) {
        return status;
    }
    spins(world, start);
    sn_energy before = sn_world_energy(world);
    double started = sn_processor_time();
    status = advance(world, bench->step, bench->steps, error);
    double seconds = sn_processor_time() - started;
    spins(world, end);
    double change = 0.0, whole = 0.0;
    for (int i = 0; i < bench->size; ++i) {
        change += sn_distance(end[i], start[i]);
        whole += sn_length(start[i]);
    }
    result->value = 1e9 * seconds / ((double)bench->steps * bench->size);
    result->quality[0] = fabs(sn_world_energy(world).total - before.total) / before.kinetic;
    result->quality[1] = change / whole;
    return status;
}

static sn_status free_bodies(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_world *world = NULL;
    size_t bytes = 2 * sizeof(sn_vec3) * (size_t)bench->size;
    sn_vec3 *spin = sn_allocate(bytes);
    sn_status status = spin != NULL ? build(bench, &world, error) : sn_fail_memory(error, bytes);
    if (status == SN_OK) {
        status = measure(bench, world, spin, spin + bench->size, result, error);
    }
    sn_world_destroy(world);
    sn_free(spin);
    return status;
}

// The 10,000 bodies of the promise, then how the cost grows with their number at equal work.
#define FREE_BODIES(number, text, step_count)                                                      \
    {                                                                                              \
        .name = "free-bodies", .title = text, .unit = "ns/body/step", .size = number,              \
        .steps = step_count, .step = 1e-3, .quality = {"energy_drift", "angular_momentum_error"},  \
        .run = free_bodies                                                                         \
    }

static const sn_bench_case cases[] = {
    FREE_BODIES(10000, "10,000 free bodies", 200),
    FREE_BODIES(100, "growth: 100 free bodies", 20000),
    FREE_BODIES(1000, "growth: 1,000 free bodies", 2000),
    FREE_BODIES(100000, "growth: 100,000 free bodies", 20),
};

const sn_bench_group sn_bench_rigid = {"rigid", "free rigid bodies", cases,
                                       sizeof cases / sizeof cases[0]};
