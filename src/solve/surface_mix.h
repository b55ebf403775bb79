// The law by which two surfaces that touch become one: the geometric mean of what slides, the
// greater of what rebounds and of what resists rolling and spinning.
#ifndef SN_SOLVE_SURFACE_MIX_H
#define SN_SOLVE_SURFACE_MIX_H

#include <math.h>

#include "sinew/shape.h"

typedef struct sn_surface_mix {
    double friction, restitution;
    double rolling_friction, spinning_friction; // m
} sn_surface_mix;

static inline sn_surface_mix sn_mix_surfaces(const sn_surface *a, const sn_surface *b)
{
    return (sn_surface_mix){
        .friction = sqrt(a->friction * b->friction),
        .restitution = fmax(a->restitution, b->restitution),
        .rolling_friction = fmax(a->rolling_friction, b->rolling_friction),
        .spinning_friction = fmax(a->spinning_friction, b->spinning_friction),
    };
}

#endif
