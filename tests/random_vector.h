// Random vectors and rotations.
#ifndef SN_TESTS_RANDOM_VECTOR_H
#define SN_TESTS_RANDOM_VECTOR_H

#include "base/random.h"
#include "math/rotation.h"

// In the cube of half edge `reach`.
static inline sn_vec3 random_vector(sn_random *random, double reach)
{
    double x = sn_random_range(random, -reach, reach), y = sn_random_range(random, -reach, reach);
    return sn_vec3_make(x, y, sn_random_range(random, -reach, reach));
}

static inline sn_quat random_rotation(sn_random *random)
{
    double w = sn_random_range(random, -1.0, 1.0), x = sn_random_range(random, -1.0, 1.0),
           y = sn_random_range(random, -1.0, 1.0), z = sn_random_range(random, -1.0, 1.0);
    return sn_quat_normalize((sn_quat){w, x, y, z});
}

#endif
