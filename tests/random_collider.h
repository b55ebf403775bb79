// Convex bodies of everyday proportions, for the tests of meshes and bounds.
#ifndef SN_TESTS_RANDOM_COLLIDER_H
#define SN_TESTS_RANDOM_COLLIDER_H

#include "collide/collider.h"
#include "random_vector.h"

// kind: 0 to 5; the length is up to `longest` of the scale.
static inline sn_collider random_long_body(sn_random *random, int kind, double scale,
                                           double longest)
{
    double a = scale * sn_random_range(random, 0.05, 0.3);
    double b = scale * sn_random_range(random, 0.05, longest);
    double c = scale * sn_random_range(random, 0.05, 0.3);
    switch (kind) {
    case 0:
        return sn_collider_sphere(a);
    case 1:
        return sn_collider_capsule(a, b);
    case 2:
        return sn_collider_cylinder(a, b);
    case 3:
        return sn_collider_cone(a, b);
    default:
        return sn_collider_box(sn_vec3_make(a, b, c), kind == 4 ? 0.0 : 0.2 * a);
    }
}

static inline sn_collider random_body(sn_random *random, int kind, double scale)
{
    return random_long_body(random, kind, scale, 0.3);
}

#endif
