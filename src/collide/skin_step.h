// How far skins may go along their motion until a vertex meets a face or two edges meet: as long as
// none do, no skin passes through another or itself.
//
//     sn_skin_place(skins[i], x, x_next, 0.0); // all of them
//     status = sn_skin_pairs_find(&pairs, skins, count, SN_SKIN_ALL, threads, error);
//     sn_skin_keep keep = {.share = 0.1, .least = 1e-6 * size};
//     sn_skin_step step = sn_skin_step_find(skins, &pairs, keep, threads);
//     if (step.share < 1.0) { ... go no farther than x + step.share (x_next - x) ... }
//
// Distances may shrink to a share of what they are at the start and no more, so that some is always
// left. Below `least` that share goes to 1, d (1 - d / least): what comes nearer step after step is
// at least / n after n of them, far from where rounding would tell the sides apart. Where that
// would be less than rounding, from sqrt(least times rounding) on, the share is what rounding can
// tell: what starts so near may still part. What touches at the start cannot be kept apart: it is
// counted, and left out.
#ifndef SN_COLLIDE_SKIN_STEP_H
#define SN_COLLIDE_SKIN_STEP_H

#include "collide/skin_pairs.h"

typedef struct sn_skin_keep {
    double share; // 0 .. 1
    double least; // m; 0: the same share at any distance
} sn_skin_keep;

// How near things may come that start at a distance.
static inline double sn_skin_kept(sn_skin_keep keep, double distance)
{
    bool near = distance < (1.0 - keep.share) * keep.least;
    return distance * (near ? 1.0 - distance / keep.least : keep.share);
}

typedef struct sn_skin_step {
    double share;      // 0 .. 1 of the motion
    bool meets;        // a pair keeps it from going on:
    sn_pair_kind kind; // of `pair`
    sn_skin_pair pair; // the first in the list, of equals
    int touching;      // pairs that touch at the start, to rounding
} sn_skin_step;

// `pairs` are those of the skins as they are placed. The same for any number of threads.
SN_API sn_skin_step sn_skin_step_find(sn_skin *const *skins, const sn_skin_pairs *pairs,
                                      sn_skin_keep keep, sn_threads *threads);

#endif
