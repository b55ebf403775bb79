// Loops of an outline, cleaned and proved to be usable.
#ifndef SN_GEOMETRY_OUTLINE_H
#define SN_GEOMETRY_OUTLINE_H

#include "sinew/geometry.h"

// The outer loop runs counter-clockwise, the holes clockwise, so that the region is always on the
// left. Repeated neighbours are gone. Loops do not cross or overlap, touch in points of both at
// most, and every hole is inside the outer loop and outside the other holes.
typedef struct sn_loops {
    int count;       // points kept
    sn_vec2 *points; // count
    int *source;     // count: index of each point in the outline
    int loop_count;
    int *starts;     // loop_count + 1
    int touching[2]; // points of the outline, not neighbours, in the same place; -1 when none
} sn_loops;

// The result is to be freed; after a failure nothing is.
sn_status sn_loops_create(const sn_outline *outline, sn_loops *loops, sn_error *error);
void sn_loops_free(sn_loops *loops);

// SN_ERROR_GEOMETRY when loops touch: fine for a flat region, but no surface can be swept from it.
sn_status sn_loops_check_apart(const sn_loops *loops, sn_error *error);

// Index of the point before or after i in its loop.
int sn_loops_previous(const sn_loops *loops, int loop, int i);
int sn_loops_next(const sn_loops *loops, int loop, int i);

// Does the direction from `corner` to x lie strictly left of the path previous -> corner -> next?
bool sn_in_left_cone(sn_vec2 previous, sn_vec2 corner, sn_vec2 next, sn_vec2 x);

static inline bool sn_vec2_equal(sn_vec2 a, sn_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

// Is x strictly between a and b, given that the three are in line?
static inline bool sn_strictly_between(sn_vec2 a, sn_vec2 b, sn_vec2 x)
{
    if (a.x != b.x) {
        return (a.x < x.x && x.x < b.x) || (b.x < x.x && x.x < a.x);
    }
    return (a.y < x.y && x.y < b.y) || (b.y < x.y && x.y < a.y);
}

#endif
