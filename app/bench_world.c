#include "bench_world.h"

#include <malloc.h>

#include "progress.h"

static sn_vec3 vec3_of(const double *x)
{
    return sn_vec3_make(x[0], x[1], x[2]);
}

static void vec3_to(sn_vec3 v, double *x)
{
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

sn_status sn_bench_world_create(int count, int threads, sn_world **world, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = sn_vec3_make(0.0, 0.0, -SN_FREE_GRAVITY);
    world_def.threads = threads;
    world_def.contact.method = SN_CONTACT_NONE; // free bodies, as the peers have them
    sn_status status = sn_world_create(&world_def, world, error);
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = vec3_of(sn_free_size);
    box.density = SN_FREE_MASS / (box.size.x * box.size.y * box.size.z);
    for (int i = 0; i < count && status == SN_OK; ++i) {
        sn_free_body start = sn_free_body_start(i);
        sn_body_def def = sn_default_body_def();
        sn_body body;
        def.shapes = &box;
        def.shape_count = 1;
        def.frame.position = vec3_of(start.position);
        def.velocity = vec3_of(start.velocity);
        def.angular_velocity = vec3_of(start.spin);
        status = sn_world_add_body(*world, &def, &body, error);
    }
    return status;
}

sn_status sn_bench_advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

sn_status sn_bench_time_processor(sn_world *world, double h, int steps, double *seconds,
                                  sn_error *error)
{
    double started = sn_processor_time();
    sn_status status = sn_bench_advance(world, h, steps, error);
    *seconds = sn_processor_time() - started;
    return status;
}

sn_status sn_bench_time_wall(sn_world *world, double h, int steps, double *seconds, sn_error *error)
{
    double started = sn_wall_time();
    sn_status status = sn_bench_advance(world, h, steps, error);
    *seconds = sn_wall_time() - started;
    return status;
}

void sn_bench_read(const sn_world *world, sn_free_body *bodies)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_mat3 rotation = sn_quat_to_mat3(sn_body_transform(world, body).rotation);
        vec3_to(sn_body_centre(world, body), bodies[i].position);
        vec3_to(sn_body_velocity(world, body), bodies[i].velocity);
        vec3_to(sn_body_angular_velocity(world, body), bodies[i].spin);
        for (int k = 0; k < 9; ++k) {
            bodies[i].rotation[k] = rotation.m[k / 3][k % 3];
        }
    }
}

double sn_bench_heap(void)
{
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    double bytes = (double)info.uordblks + (double)info.hblkhd;
    return bytes > 0.0 ? bytes : NAN; // a sanitizer's own heap tells 0
#endif
#endif
    return NAN;
}
