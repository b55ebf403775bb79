#include "collide/kdop.h"

// Axes, then edges, then corners.
static const sn_vec3 directions[SN_KDOP_SLABS] = {
    {1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, 0, 1},  {0, 1, 1},  {1, -1, 0},
    {1, 0, -1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
};

bool sn_kdop_is_kind(int k)
{
    return k == 6 || k == 14 || k == 18 || k == 26;
}

sn_vec3 sn_kdop_direction(int slab_count, int slab)
{
    // Of 14 planes the last eight are those of the corners.
    return directions[slab_count == 7 && slab >= 3 ? slab + 6 : slab];
}

static double direction_length(int slab_count, int slab)
{
    static const double lengths[3] = {1.0, 1.41421356237309505, 1.73205080756887729};
    if (slab < 3) {
        return lengths[0];
    }
    return slab_count == 7 || slab >= 9 ? lengths[2] : lengths[1];
}

// What rounding of the sums below can take away, with room to spare.
static double rounding_of(sn_vec3 position, double lower, double upper)
{
    double size = fabs(position.x) + fabs(position.y) + fabs(position.z);
    return 4e-15 * (size + fabs(lower) + fabs(upper));
}

// Support of the body in its own frame along +-d: the interval of d . x.
static void interval(const sn_collider *c, sn_vec3 d, double *lower, double *upper)
{
    if (c->type == SN_COLLIDER_BOX) {
        double reach = fabs(d.x) * c->half.x + fabs(d.y) * c->half.y + fabs(d.z) * c->half.z;
        *lower = -reach;
        *upper = reach;
    } else if (sn_collider_is_convex(c)) {
        int corner = 0;
        *upper = sn_dot(d, sn_collider_support(c, d, &corner));
        *lower = sn_dot(d, sn_collider_support(c, sn_vec3_negate(d), &corner));
    } else {
        sn_vec3 a = sn_vec3_multiply(d, c->bounds.lower), b = sn_vec3_multiply(d, c->bounds.upper);
        sn_vec3 low = sn_vec3_min(a, b), high = sn_vec3_max(a, b);
        *lower = low.x + low.y + low.z;
        *upper = high.x + high.y + high.z;
    }
}

void sn_kdop_make(const sn_collider *collider, const sn_transform *place, int k, sn_kdop *kdop)
{
    kdop->count = k / 2;
    for (int i = 0; i < kdop->count; ++i) {
        if (collider->type == SN_COLLIDER_PLANE) {
            kdop->lower[i] = -INFINITY;
            kdop->upper[i] = INFINITY;
            continue;
        }
        sn_vec3 d = sn_kdop_direction(kdop->count, i);
        double lower, upper, at = sn_dot(d, place->position);
        interval(collider, sn_rotate_inverse(place->rotation, d), &lower, &upper);
        double round = collider->rounding * direction_length(kdop->count, i);
        double more = round + rounding_of(place->position, lower, upper);
        kdop->lower[i] = at + lower - more;
        kdop->upper[i] = at + upper + more;
    }
}

void sn_kdop_move(sn_kdop *kdop, sn_vec3 travel)
{
    for (int i = 0; i < kdop->count; ++i) {
        double along = sn_dot(sn_kdop_direction(kdop->count, i), travel);
        double more = rounding_of(travel, kdop->lower[i], kdop->upper[i]);
        kdop->lower[i] += along - more;
        kdop->upper[i] += along + more;
    }
}

void sn_kdop_enlarge(sn_kdop *kdop, double margin, sn_vec3 travel)
{
    for (int i = 0; i < kdop->count; ++i) {
        double along = sn_dot(sn_kdop_direction(kdop->count, i), travel);
        double more = margin * direction_length(kdop->count, i);
        kdop->lower[i] += fmin(along, 0.0) - more;
        kdop->upper[i] += fmax(along, 0.0) + more;
    }
}

bool sn_kdop_overlap(const sn_kdop *a, const sn_kdop *b)
{
    for (int i = 0; i < a->count; ++i) {
        if (a->lower[i] > b->upper[i] || b->lower[i] > a->upper[i]) {
            return false;
        }
    }
    return true;
}

bool sn_kdop_holds(const sn_kdop *outer, const sn_kdop *inner)
{
    for (int i = 0; i < outer->count; ++i) {
        if (inner->lower[i] < outer->lower[i] || inner->upper[i] > outer->upper[i]) {
            return false;
        }
    }
    return true;
}
