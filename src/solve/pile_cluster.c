#include <string.h>

#include "solve/pile_part.h"

// Clusters shall be several times as many as threads, and the bodies of one in the nearest cache.
enum { LEAST = 64, MOST = 512, WANTED = 12, DEEPEST = 40 };

int sn_pile_cluster_size(int body_count)
{
    int size = LEAST;
    while (size < MOST && body_count > WANTED * size) {
        size *= 2;
    }
    return size;
}

// Doubles as whole numbers of the same order, whatever they are.
static int64_t rank(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static bool comes_before(const sn_pile_place *p, const sn_pile_place *q, int axis)
{
    int64_t a = rank(p->centre[axis]), b = rank(q->centre[axis]);
    return a < b || (a == b && p->agent < q->agent);
}

static void swap(sn_pile_place *p, sn_pile_place *q)
{
    sn_pile_place keep = *p;
    *p = *q;
    *q = keep;
}

// Brings those that come first along an axis to first .. middle - 1 (Hoare's search).
static void part(sn_pile_place *places, int first, int last, int middle, int axis)
{
    for (int low = first, high = last - 1; low < high;) {
        sn_pile_place pivot = places[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (comes_before(&places[i], &pivot, axis)) {
                ++i;
            }
            while (comes_before(&pivot, &places[j], axis)) {
                --j;
            }
            if (i <= j) {
                swap(&places[i++], &places[j--]);
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const sn_pile_place *places, int first, int last)
{
    double most = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < last; ++i) {
            double x = places[i].centre[k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > most) {
            most = high - low;
            axis = k;
        }
    }
    return axis;
}

void sn_pile_order_bodies(const sn_rigid_set *set, const int *agents, int count, int size,
                          sn_pile_place *places, int *ordered)
{
    int pending[DEEPEST][2], depth = 0;
    for (int i = 0; i < count; ++i) {
        const double *q = set->agents.q + (size_t)agents[i] * SN_RIGID_Q;
        places[i] = (sn_pile_place){{q[0], q[1], q[2]}, agents[i]};
    }
    pending[depth][0] = 0;
    pending[depth++][1] = count;
    while (depth > 0) { // each time one of two halves waits: no deeper than there are bits
        int first = pending[--depth][0], last = pending[depth][1];
        if (last - first <= size) {
            continue;
        }
        int clusters = (last - first + size - 1) / size, middle = first + clusters / 2 * size;
        part(places, first, last, middle, longest_axis(places, first, last));
        pending[depth][0] = first;
        pending[depth++][1] = middle;
        pending[depth][0] = middle;
        pending[depth++][1] = last;
    }
    for (int i = 0; i < count; ++i) {
        ordered[i] = places[i].agent;
    }
}
