// Contact where nothing is as it should be: bodies put one into another, exactly on one another,
// flat as paper, thin as needles, a million times heavier than what they lie on. Whatever the
// placement, every step must succeed and every number stay finite.
//
// A hundred scenes of convex shapes with fixed seeds; SINEW_SOAK=1 in the environment takes ten
// thousand, with moving meshes and rebounds, and tells of bodies that were thrown out faster than
// their size and weight explain. SINEW_SCENE=n: the nth of these alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_shape.h"

enum { SCENES = 100, SOAK_SCENES = 10000, MOST_BODIES = 5, STEPS = 8 };

typedef enum placing {
    PLACE_COINCIDENT, // all in one point, turned alike
    PLACE_NESTED,     // each smaller one inside the last
    PLACE_STACKED,    // box upon box without a gap, by the shapes' sizes
    PLACE_IN_GRID,    // side by side without a gap
    PLACE_IN_HEAP,    // anywhere in a space too small for them
    PLACE_IN_LINE,    // centres on a line, so that axes are parallel
    PLACINGS
} placing;

typedef struct torture {
    sn_random random;
    double scale; // m
    double h;     // s
    placing placing;
    int count;
    double fastest; // m/s, at the start
    bool meshes;    // that move
    sn_world *world;
    sn_body bodies[MOST_BODIES];
    sn_vec3 sizes[MOST_BODIES];
    sn_vec3 at[MOST_BODIES];
} torture;

// ---- scenes ----

static sn_vec3 proportions(sn_random *random)
{
    sn_vec3 size = {sn_random_range(random, 0.5, 1.0), sn_random_range(random, 0.5, 1.0),
                    sn_random_range(random, 0.5, 1.0)};
    double thin = random_decade(random, -4.0, -1.0);
    switch (sn_random_below(random, 5)) {
    case 0: // a sheet
        size.z = thin;
        break;
    case 1: // a needle
        size.x = size.y = thin;
        break;
    case 2: // a cube, with every chance of equal numbers
        size.x = size.y = size.z = 1.0;
        break;
    default:
        break;
    }
    return size;
}

static sn_quat awkward_turn(sn_random *random, const torture *t)
{
    static const double half = 0.70710678118654752440;
    static const sn_quat quarter[] = {{1.0, 0.0, 0.0, 0.0},   {half, half, 0.0, 0.0},
                                      {half, 0.0, half, 0.0}, {half, 0.0, 0.0, half},
                                      {0.0, 1.0, 0.0, 0.0},   {0.5, 0.5, 0.5, 0.5}};
    if (t->placing == PLACE_COINCIDENT || t->placing == PLACE_IN_LINE) {
        return quarter[0];
    }
    bool any = t->placing == PLACE_IN_HEAP && sn_random_below(random, 2) == 0;
    return any ? random_turn(random) : quarter[sn_random_below(random, 6)];
}

static sn_vec3 awkward_place(torture *t, int i)
{
    sn_vec3 size = t->sizes[i];
    switch (t->placing) {
    case PLACE_STACKED:
        return i == 0 ? sn_vec3_make(0.0, 0.0, 0.5 * size.z)
                      : sn_vec3_make(0.0, 0.0, t->at[i - 1].z + 0.5 * (t->sizes[i - 1].z + size.z));
    case PLACE_IN_GRID:
        return sn_vec3_scale(t->scale, sn_vec3_make(i % 2, i / 2 % 2, i / 4));
    case PLACE_IN_HEAP:
        return random_vec3(&t->random, 0.5 * t->scale);
    case PLACE_IN_LINE:
        return sn_vec3_make(0.0, 0.0, 0.25 * t->scale * i);
    default:
        return SN_VEC3_ZERO;
    }
}

static sn_surface awkward_surface(sn_random *random, double scale)
{
    sn_surface surface = sn_default_surface();
    int kind = sn_random_below(random, 6);
    surface.friction = kind == 0 ? 0.0 : kind == 1 ? 3.0 : 0.5;
    surface.restitution = kind == 2 && getenv("SINEW_SOAK") != NULL ? 0.5 : 0.0;
    surface.rolling_friction = kind == 3 ? 0.1 * scale : 0.0;
    surface.spinning_friction = kind == 3 ? 0.1 * scale : 0.0;
    surface.sensor = sn_random_below(random, 20) == 0;
    return surface;
}

static void add_ground(torture *t)
{
    int kind = sn_random_below(&t->random, 6);
    if (kind == 0) {
        return;
    }
    static const random_kind kinds[] = {RANDOM_PLANE,     RANDOM_PLANE,        RANDOM_BOX,
                                        RANDOM_OPEN_MESH, RANDOM_HEIGHT_FIELD, RANDOM_MESH};
    sn_vec3 size = {4.0 * t->scale, 4.0 * t->scale,
                    t->scale * (sn_random_below(&t->random, 2) == 0 ? 1e-3 : 1.0)};
    sn_shape shape = random_shape(&t->random, kinds[kind], size);
    sn_body_def def = sn_default_body_def();
    sn_body body;
    sn_error error = {0};
    def.type = SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    random_ok(sn_world_add_body(t->world, &def, &body, &error), &error);
    sn_shape_release(&shape);
}

static void add_one(torture *t, int i)
{
    sn_random *random = &t->random;
    sn_body_def def = sn_default_body_def();
    sn_shape shapes[2];
    sn_error error = {0};
    double factor = t->placing == PLACE_NESTED ? pow(0.8, i) : 1.0;
    t->sizes[i] = sn_vec3_scale(t->scale * factor, proportions(random));
    bool again = i > 0 && sn_random_below(random, 3) == 0; // two that are equal to the bit
    t->sizes[i] = again ? t->sizes[i - 1] : t->sizes[i];
    t->at[i] = awkward_place(t, i);
    def.shapes = shapes;
    def.shape_count = 1 + (sn_random_below(random, 6) == 0);
    double density = random_decade(random, 1.0, 5.0);
    for (int k = 0; k < def.shape_count; ++k) {
        random_kind kind = (random_kind)sn_random_below(random, t->meshes ? RANDOM_MOVING_KINDS
                                                                          : RANDOM_CONVEX_KINDS);
        shapes[k] = random_shape(random, kind, t->sizes[i]);
        shapes[k].density = density;
        shapes[k].surface = awkward_surface(random, t->scale);
        shapes[k].frame.position.x = k * 0.5 * t->scale;
    }
    shapes[0].surface.sensor = false;
    def.frame = (sn_transform){t->at[i], awkward_turn(random, t)};
    if (sn_random_below(random, 3) == 0) {
        double speed = t->scale * random_decade(random, -3.0, 1.0);
        def.velocity = sn_vec3_scale(speed, random_direction(random));
        def.angular_velocity = sn_vec3_scale(speed / t->scale, random_direction(random));
        t->fastest = fmax(t->fastest, 3.0 * speed);
    }
    random_ok(sn_world_add_body(t->world, &def, &t->bodies[i], &error), &error);
    for (int k = 0; k < def.shape_count; ++k) {
        sn_shape_release(&shapes[k]);
    }
}

static void make_scene(torture *t, int number)
{
    *t = (torture){.random = {.seed = 4004, .stream = (uint64_t)number}};
    sn_random *random = &t->random;
    t->meshes = getenv("SINEW_SOAK") != NULL || getenv("SINEW_SCENE") != NULL;
    sn_world_def def = sn_default_world_def();
    sn_error error = {0};
    t->scale = random_decade(random, -2.0, 2.0);
    t->h = sn_random_below(random, 2) == 0 ? 1.0 / 240.0 : 1.0 / 60.0;
    t->placing = (placing)sn_random_below(random, PLACINGS);
    t->count = 2 + sn_random_below(random, MOST_BODIES - 1);
    def.gravity.z = sn_random_below(random, 4) == 0 ? 0.0 : -9.81;
    def.contact.method = sn_random_below(random, 8) == 0 ? SN_CONTACT_IMPULSE : SN_CONTACT_DEFAULT;
    random_ok(sn_world_create(&def, &t->world, &error), &error);
    add_ground(t);
    for (int i = 0; i < t->count; ++i) {
        add_one(t, i);
    }
}

// ---- what is asked of them ----

static bool is_sound(const torture *t, double *fastest)
{
    bool sound = isfinite(sn_world_report(t->world).contact_error);
    for (int i = 0; i < t->count; ++i) {
        sn_transform frame = sn_body_transform(t->world, t->bodies[i]);
        sn_vec3 v = sn_body_velocity(t->world, t->bodies[i]),
                w = sn_body_angular_velocity(t->world, t->bodies[i]);
        sound = sound && sn_vec3_is_finite(frame.position) && sn_vec3_is_finite(v) &&
                sn_vec3_is_finite(w) && isfinite(frame.rotation.w + frame.rotation.x);
        *fastest = fmax(*fastest, sn_length(v));
    }
    for (int i = 0; i < sn_world_contact_count(t->world); ++i) {
        sn_contact_info info = sn_world_contact(t->world, i);
        sound = sound && sn_vec3_is_finite(info.force) && sn_vec3_is_finite(info.normal);
    }
    return sound;
}

static double run_scene(int number)
{
    torture t;
    sn_error error = {0};
    double fastest = 0.0;
    make_scene(&t, number);
    for (int i = 0; i < STEPS; ++i) {
        if (sn_world_step(t.world, t.h, &error) != SN_OK) {
            fail_msg("scene %d, step %d: %s", number, i, sn_error_message(&error));
        }
        if (!is_sound(&t, &fastest)) {
            fail_msg("scene %d, step %d: not finite", number, i);
        }
    }
    double usual = t.fastest + 9.81 * STEPS * t.h + t.scale / t.h;
    if (getenv("SINEW_SCENE") != NULL || (t.meshes && fastest > usual)) {
        print_message("scene %d: placing %d, scale %g, %d bodies, speed %g of %g, error %g\n",
                      number, (int)t.placing, t.scale, t.count, fastest, usual,
                      sn_world_report(t.world).contact_error);
    }
    sn_world_destroy(t.world);
    return fastest / usual;
}

static void degenerate_scenes_stay_sound(void **state)
{
    (void)state;
    const char *only = getenv("SINEW_SCENE"), *soak = getenv("SINEW_SOAK");
    int first = only != NULL ? atoi(only) : 0;
    int count = only != NULL ? 1 : soak != NULL ? SOAK_SCENES : SCENES;
    double worst = 0.0;
    for (int i = first; i < first + count; ++i) {
        worst = fmax(worst, run_scene(i));
        if (soak != NULL && i % 500 == 499) {
            print_message("%d scenes, largest speed %.3g of the usual\n", i + 1, worst);
        }
    }
    assert_true(isfinite(worst));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degenerate_scenes_stay_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
