// Scenes in which nothing is as it should be, for the tests that shake contact: bodies put one into
// another, exactly on one another, flat as paper, thin as needles, a million times heavier than
// what they lie on; compounds, meshes that move, mechanisms that stand in all of that and in
// themselves.
#ifndef SN_TESTS_TORTURE_SCENE_H
#define SN_TESTS_TORTURE_SCENE_H

#include "math/rotation.h"
#include "random_shape.h"

enum { TORTURE_BODIES = 24, TORTURE_SHAPES = 3 };

typedef enum torture_placing {
    PLACE_COINCIDENT, // all in one point, turned alike
    PLACE_NESTED,     // each smaller one inside the last
    PLACE_STACKED,    // box upon box without a gap, by the shapes' sizes
    PLACE_IN_GRID,    // side by side without a gap
    PLACE_IN_HEAP,    // anywhere in a space too small for them
    PLACE_IN_LINE,    // centres on a line, so that axes are parallel
    PLACE_IN_GROUND,  // sunk into what they should lie on
    PLACINGS
} torture_placing;

typedef struct torture {
    sn_random random;
    double scale; // m
    torture_placing placing;
    sn_contact_def contact;
    sn_world *world;
    sn_body bodies[TORTURE_BODIES]; // that move
    sn_vec3 sizes[TORTURE_BODIES];
    sn_vec3 at[TORTURE_BODIES];
    int count, joints;
    bool loops;
} torture;

// ---- what bodies are like ----

static inline sn_vec3 torture_proportions(sn_random *random)
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

static inline sn_quat torture_turn(sn_random *random, torture_placing placing)
{
    static const double half = 0.70710678118654752440;
    static const sn_quat quarter[] = {{1.0, 0.0, 0.0, 0.0},   {half, half, 0.0, 0.0},
                                      {half, 0.0, half, 0.0}, {half, 0.0, 0.0, half},
                                      {0.0, 1.0, 0.0, 0.0},   {0.5, 0.5, 0.5, 0.5}};
    if (placing == PLACE_COINCIDENT || placing == PLACE_IN_LINE) {
        return quarter[0];
    }
    bool any = placing >= PLACE_IN_HEAP && sn_random_below(random, 2) == 0;
    return any ? random_turn(random) : quarter[sn_random_below(random, 6)];
}

static inline sn_vec3 torture_place(torture *t, int i, sn_vec3 size)
{
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
    case PLACE_IN_GROUND:
        return sn_vec3_make(sn_random_range(&t->random, -1.5, 1.5) * t->scale,
                            sn_random_range(&t->random, -1.5, 1.5) * t->scale,
                            -0.4 * size.z * sn_random_range(&t->random, 0.0, 1.0));
    default:
        return SN_VEC3_ZERO;
    }
}

static inline sn_surface torture_surface(sn_random *random, double scale)
{
    sn_surface surface = sn_default_surface();
    int kind = sn_random_below(random, 8);
    surface.friction = kind == 0   ? 0.0
                       : kind == 1 ? 10.0
                       : kind == 2 ? sn_random_range(random, 0.0, 10.0)
                                   : 0.5;
    kind = sn_random_below(random, 6);
    surface.restitution = kind == 0 ? 1.0 : kind == 1 ? sn_random_range(random, 0.0, 1.0) : 0.0;
    kind = sn_random_below(random, 6);
    surface.rolling_friction = kind == 0 ? 0.1 * scale : 0.0;
    surface.spinning_friction = kind <= 1 ? 0.1 * scale : 0.0;
    surface.sensor = sn_random_below(random, 20) == 0;
    return surface;
}

static inline void torture_add_ground(torture *t)
{
    sn_random *random = &t->random;
    int kind = sn_random_below(random, 6);
    if (kind == 0) {
        return;
    }
    static const random_kind kinds[] = {RANDOM_PLANE,     RANDOM_PLANE,        RANDOM_BOX,
                                        RANDOM_OPEN_MESH, RANDOM_HEIGHT_FIELD, RANDOM_MESH};
    sn_vec3 size = {4.0 * t->scale, 4.0 * t->scale,
                    t->scale * (sn_random_below(random, 2) == 0 ? 1e-3 : 1.0)};
    sn_shape shapes[2] = {random_shape(random, kinds[kind], size)};
    sn_body_def def = sn_default_body_def();
    sn_body body;
    sn_error error = {0};
    def.type = SN_BODY_STATIC;
    def.shapes = shapes;
    def.shape_count = 1;
    if (sn_random_below(random, 4) == 0) { // and a post in it
        shapes[1] =
            random_shape(random, RANDOM_CAPSULE, sn_vec3_make(t->scale, t->scale, t->scale));
        def.shape_count = 2;
    }
    for (int i = 0; i < def.shape_count; ++i) {
        shapes[i].surface = torture_surface(random, t->scale);
    }
    shapes[0].surface.sensor = false;
    random_ok(sn_world_add_body(t->world, &def, &body, &error), &error);
    for (int i = 0; i < def.shape_count; ++i) {
        sn_shape_release(&shapes[i]);
    }
}

// ---- bodies and mechanisms ----

// Any kind that moves; meshes are coarse and few, as each pair of them takes its time.
static inline sn_shape torture_shape(sn_random *random, sn_vec3 size)
{
    int kind = sn_random_below(random, 3 * RANDOM_CONVEX_KINDS + 2);
    if (kind < 3 * RANDOM_CONVEX_KINDS) {
        return random_shape(random, (random_kind)(kind % RANDOM_CONVEX_KINDS), size);
    }
    sn_shape shape = random_shape(random, RANDOM_SPHERE, size);
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    random_ok(kind % 2 == 0 ? sn_mesh_torus(0.35, 0.15, 5, &mesh, &error)
                            : sn_mesh_sphere(0.5, 4, &mesh, &error),
              &error);
    shape.type = SN_SHAPE_MESH;
    random_ok(sn_mesh_transformed(mesh, size, SN_TRANSFORM_IDENTITY, &shape.mesh, &error), &error);
    sn_mesh_release(mesh);
    return shape;
}

static inline void torture_add_body(torture *t, sn_vec3 size, sn_transform frame)
{
    sn_random *random = &t->random;
    sn_body_def def = sn_default_body_def();
    sn_shape shapes[TORTURE_SHAPES];
    sn_error error = {0};
    int i = t->count++;
    t->sizes[i] = size;
    t->at[i] = frame.position;
    def.frame = frame;
    def.shapes = shapes;
    def.shape_count =
        sn_random_below(random, 5) == 0 ? 1 + sn_random_below(random, TORTURE_SHAPES) : 1;
    // Masses of 1 to 1e6, whatever the volume.
    double density = random_decade(random, 0.0, 6.0) / (size.x * size.y * size.z);
    for (int k = 0; k < def.shape_count; ++k) {
        shapes[k] = torture_shape(random, size);
        shapes[k].density = density;
        shapes[k].surface = torture_surface(random, t->scale);
        shapes[k].frame.position.x = k * 0.5 * size.x;
    }
    shapes[0].surface.sensor = false;
    if (sn_random_below(random, 3) == 0) {
        double speed = t->scale * random_decade(random, -3.0, 1.0);
        def.velocity = sn_vec3_scale(speed, random_direction(random));
        def.angular_velocity = sn_vec3_scale(speed / t->scale, random_direction(random));
    }
    random_ok(sn_world_add_body(t->world, &def, &t->bodies[i], &error), &error);
    for (int k = 0; k < def.shape_count; ++k) {
        sn_shape_release(&shapes[k]);
    }
}

static inline void torture_add_free(torture *t)
{
    int i = t->count;
    double factor = t->placing == PLACE_NESTED ? pow(0.8, i) : 1.0;
    sn_vec3 size = sn_vec3_scale(t->scale * factor, torture_proportions(&t->random));
    bool again = i > 0 && sn_random_below(&t->random, 3) == 0; // two that are equal to the bit
    size = again ? t->sizes[i - 1] : size;
    sn_vec3 at = torture_place(t, i, size);
    torture_add_body(t, size, (sn_transform){at, torture_turn(&t->random, t->placing)});
}

static inline void torture_freedom(sn_random *random, double reach, sn_freedom_def *freedom)
{
    if (sn_random_below(random, 2) == 0) {
        freedom->limit.lower = -reach * sn_random_range(random, 0.0, 1.0);
        freedom->limit.upper = reach * sn_random_range(random, 0.1, 1.0);
        freedom->limit.restitution = sn_random_below(random, 3) == 0 ? 0.5 : 0.0;
    }
}

// A joint between two bodies that stand as it allows. A null parent: the world.
static inline void torture_join(torture *t, sn_joint_type type, sn_body parent, sn_body child,
                                sn_transform on_parent, sn_transform on_child)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    sn_error error = {0};
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.parent_frame = on_parent;
    def.child_frame = on_child;
    def.contact = sn_random_below(&t->random, 6) == 0;
    for (int i = 0; i < sn_joint_type_freedoms(type); ++i) {
        torture_freedom(&t->random, sn_joint_type_turns(type, i) ? 1.5 : 0.5 * t->scale,
                        &def.freedom[i]);
    }
    random_ok(sn_world_add_joint(t->world, &def, &joint, &error), &error);
    t->joints += 1;
}

// A link that hangs on another by a joint at the ends of both, the joint turned any way: so that
// links may lie in one another.
static inline void torture_add_link(torture *t, int parent, sn_vec3 size)
{
    static const sn_joint_type types[] = {SN_JOINT_HINGE, SN_JOINT_HINGE,      SN_JOINT_BALL,
                                          SN_JOINT_BALL,  SN_JOINT_SLIDER,     SN_JOINT_UNIVERSAL,
                                          SN_JOINT_FIXED, SN_JOINT_CYLINDRICAL};
    sn_random *random = &t->random;
    sn_transform on_parent = SN_TRANSFORM_IDENTITY, on_child = SN_TRANSFORM_IDENTITY;
    on_parent.position.z = sn_random_below(random, 4) == 0 ? 0.0 : 0.5 * t->sizes[parent].z;
    on_child.position.z = -0.5 * size.z;
    if (sn_random_below(random, 2) == 0) {
        on_parent.rotation = torture_turn(random, PLACE_IN_HEAP);
    }
    sn_transform frame =
        sn_transform_multiply(sn_body_transform(t->world, t->bodies[parent]), on_parent);
    torture_add_body(t, size, sn_transform_multiply(frame, sn_transform_inverse(on_child)));
    torture_join(t, types[sn_random_below(random, 8)], t->bodies[parent], t->bodies[t->count - 1],
                 on_parent, on_child);
}

// A chain, or with `branches` a ragdoll: limbs of two links on a trunk.
static inline void torture_add_tree(torture *t, int links, bool branches)
{
    sn_random *random = &t->random;
    int first = t->count;
    torture_add_free(t);
    if (sn_random_below(random, 3) == 0) {
        sn_transform at = sn_body_transform(t->world, t->bodies[first]);
        torture_join(t, SN_JOINT_BALL, (sn_body){0}, t->bodies[first], at, SN_TRANSFORM_IDENTITY);
    }
    for (int i = 1; i < links && t->count < TORTURE_BODIES; ++i) {
        sn_vec3 size = sn_vec3_scale(0.5 * t->scale, torture_proportions(random));
        torture_add_link(t, branches && i % 2 == 1 ? first : t->count - 1, size);
    }
}

// Four links in a square, hinged at the corners.
static inline void torture_add_loop(torture *t)
{
    sn_random *random = &t->random;
    int first = t->count;
    t->loops = true;
    double side = 0.5 * t->scale;
    sn_vec3 size = {0.2 * side, 0.2 * side, side};
    sn_transform middle = {random_vec3(random, 0.3 * t->scale), torture_turn(random, t->placing)};
    sn_vec3 axis = {0.0, 1.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        sn_transform own = {SN_VEC3_ZERO, sn_quat_from_axis_angle(axis, i * 0.5 * SN_PI)};
        own.position = sn_rotate(own.rotation, sn_vec3_make(0.5 * side, 0.0, 0.0));
        torture_add_body(t, size, sn_transform_multiply(middle, own));
    }
    sn_quat up = sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), axis);
    for (int i = 0; i < 4; ++i) {
        // Going round by +y turns z to x: the corner beyond link i is at its lower end.
        sn_body from = t->bodies[first + i], to = t->bodies[first + (i + 1) % 4];
        sn_transform corner = sn_transform_multiply(sn_body_transform(t->world, from),
                                                    (sn_transform){{0.0, 0.0, -0.5 * side}, up});
        sn_transform frame_a = sn_transform_inverse(sn_body_transform(t->world, from)),
                     frame_b = sn_transform_inverse(sn_body_transform(t->world, to));
        torture_join(t, SN_JOINT_HINGE, from, to, sn_transform_multiply(frame_a, corner),
                     sn_transform_multiply(frame_b, corner));
    }
}

static inline void torture_make(torture *t, uint64_t seed, uint64_t number)
{
    *t = (torture){.random = {.seed = seed, .stream = number}};
    sn_random *random = &t->random;
    sn_world_def def = sn_default_world_def();
    sn_error error = {0};
    t->scale = random_decade(random, -2.0, 2.0);
    t->placing = (torture_placing)sn_random_below(random, PLACINGS);
    def.gravity.z = sn_random_below(random, 4) == 0 ? 0.0 : -9.81;
    int method = sn_random_below(random, 10);
    def.contact.method = method == 0   ? SN_CONTACT_IMPULSE
                         : method == 1 ? SN_CONTACT_PENALTY
                                       : SN_CONTACT_SOLVER;
    def.contact.exact_limit = method >= 6 ? 0 : def.contact.exact_limit;
    t->contact = def.contact;
    random_ok(sn_world_create(&def, &t->world, &error), &error);
    torture_add_ground(t);
    int bodies = 2 + sn_random_below(random, 4);
    for (int i = 0; i < bodies; ++i) {
        torture_add_free(t);
    }
    switch (sn_random_below(random, 6)) {
    case 0:
        torture_add_tree(t, 2 + sn_random_below(random, 4), false);
        break;
    case 1:
        torture_add_tree(t, 5 + 2 * sn_random_below(random, 3), true);
        break;
    case 2:
        torture_add_loop(t);
        break;
    default:
        break;
    }
}

#endif
