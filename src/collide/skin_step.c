#include "collide/skin_step.h"

#include <float.h>

typedef struct search {
    sn_skin *const *skins;
    const sn_skin_pairs *pairs;
    sn_skin_keep keep;
    sn_skin_step lanes[SN_SKIN_LANES];
} search;

// What rounding may make of a distance: a share of how long the pair's own edges are, and of what
// lies between the two on their way, which is what sn_pair_meets needs to part them (four times as
// much as it is off by).
static const double ROUNDING = 64.0 * DBL_EPSILON;

// The same of the pair's edges alone: nearer than that, they touch.
static bool is_touching(sn_pair_kind kind, const sn_vec3 p[4], double square)
{
    sn_vec3 a = sn_vec3_sub(p[3], p[2]);
    sn_vec3 b = sn_vec3_sub(p[1], p[kind == SN_VERTEX_FACE ? 2 : 0]);
    double size = fmax(sn_dot(a, a), sn_dot(b, b));
    return !(square > ROUNDING * ROUNDING * size);
}

// The most by which what lies between two points of the two has changed in the end, rounding
// included: no distance changes by more on the way. `*reach` is the longest of it all.
static double greatest_change(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4],
                              double *reach)
{
    double most = 0.0, extent = 0.0, last = 0.0;
    int first = kind == SN_VERTEX_FACE ? 1 : 2;
    for (int i = 0; i < first; ++i) {
        for (int k = first; k < 4; ++k) {
            sn_vec3 before = sn_vec3_sub(start[i], start[k]), after = sn_vec3_sub(end[i], end[k]);
            sn_vec3 change = sn_vec3_sub(after, before);
            most = fmax(most, sn_dot(change, change));
            extent = fmax(extent, sn_dot(before, before));
            last = fmax(last, sn_dot(after, after));
        }
    }
    *reach = sqrt(fmax(extent, last));
    return sqrt(most) * (1.0 + 1e-12) + 8.0 * DBL_EPSILON * sqrt(extent);
}

static void try_pair(const search *in, sn_pair_kind kind, const sn_skin_pair *pair,
                     sn_skin_step *step)
{
    sn_vec3 start[4], end[4];
    sn_skin_pair_points(in->skins, kind, pair, start, end);
    double square = sn_pair_find_nearest(kind, start).square, time;
    if (is_touching(kind, start, square)) {
        step->touching += 1;
        return;
    }
    double distance = sqrt(square), kept = sn_skin_kept(in->keep, distance), reach;
    double change = greatest_change(kind, start, end, &reach);
    if (change < (1.0 - 1e-9) * (distance - kept)) {
        return;
    }
    if (!(distance > ROUNDING * reach)) {
        step->touching += 1;
        return;
    }
    // What is kept must be less than the distance by more than rounding, or else nothing could be
    // told from coming nearer, and what was glued together could not be parted.
    kept = fmin(kept, distance - ROUNDING * reach);
    if (sn_pair_meets(kind, start, end, kept, step->share, &time) &&
        (time < step->share || !step->meets)) {
        step->share = time;
        step->meets = true;
        step->kind = kind;
        step->pair = *pair;
    }
}

static void run_pairs(void *context, int first, int last, int chunk)
{
    search *in = context;
    sn_skin_step step = {.share = 1.0};
    int vertex_count = in->pairs->vertex_faces.count;
    for (int i = first; i < last; ++i) {
        if (i < vertex_count) {
            try_pair(in, SN_VERTEX_FACE, &in->pairs->vertex_faces.data[i], &step);
        } else {
            try_pair(in, SN_EDGE_EDGE, &in->pairs->edge_edges.data[i - vertex_count], &step);
        }
    }
    in->lanes[chunk] = step;
}

sn_skin_step sn_skin_step_find(sn_skin *const *skins, const sn_skin_pairs *pairs, sn_skin_keep keep,
                               sn_threads *threads)
{
    search in = {.skins = skins, .pairs = pairs, .keep = keep};
    sn_skin_step step = {.share = 1.0};
    int count = pairs->vertex_faces.count + pairs->edge_edges.count;
    int size = sn_chunk_count(count, SN_SKIN_LANES);
    if (size == 0) {
        return step;
    }
    sn_threads_run(threads, count, size, run_pairs, &in);
    for (int i = 0; i < sn_chunk_count(count, size); ++i) {
        int touching = step.touching + in.lanes[i].touching;
        if (in.lanes[i].meets && (!step.meets || in.lanes[i].share < step.share)) {
            step = in.lanes[i];
        }
        step.touching = touching;
    }
    return step;
}
