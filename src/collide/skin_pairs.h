// Pairs of features that may come near each other: vertex and face, edge and edge, of different
// skins or of one.
//
//     sn_skin_pairs pairs = {0};
//     sn_skin_place(skins[i], x, x_next, 0.5 * margin); // all of them
//     status = sn_skin_pairs_find(&pairs, skins, count, SN_SKIN_SELF, threads, error);
//     for (int i = 0; i < pairs.vertex_faces.count; ++i) { ... }
//     sn_skin_pairs_free(&pairs);
//
// All pairs are found whose boxes, as sn_skin_place made them, have a point in common; each once,
// in an order that does not depend on the number of threads. Within one skin features that share a
// vertex are left out. Memory is kept from call to call.
//
// Skins are tried two by two, which is fine for hundreds, not for tens of thousands.
#ifndef SN_COLLIDE_SKIN_PAIRS_H
#define SN_COLLIDE_SKIN_PAIRS_H

#include "base/array.h"
#include "base/threads.h"
#include "collide/simplex_pair.h"
#include "collide/skin.h"

typedef struct sn_skin_pair {
    int32_t skin_a, skin_b; // places in the list of skins
    int32_t a, b;           // vertex of a and face of b, or edge of each
} sn_skin_pair;

enum { SN_SKIN_LANES = 16 };

typedef SN_ARRAY(sn_skin_pair) sn_skin_pair_list;

typedef struct sn_skin_task {
    int32_t skin_a, skin_b, node; // a block of a against all of b
} sn_skin_task;

typedef struct sn_skin_pairs {
    sn_skin_pair_list vertex_faces, edge_edges;
    SN_ARRAY(sn_skin_task) tasks;
    struct {
        sn_skin_pair_list vertex_faces, edge_edges;
        bool failed;
    } lanes[SN_SKIN_LANES];
} sn_skin_pairs;

typedef enum sn_skin_among {
    SN_SKIN_OTHERS = 1, // different skins
    SN_SKIN_SELF = 2,   // one skin with itself
    SN_SKIN_ALL = 3
} sn_skin_among;

SN_API sn_status sn_skin_pairs_find(sn_skin_pairs *pairs, sn_skin *const *skins, int count,
                                    sn_skin_among among, sn_threads *threads, sn_error *error);
SN_API void sn_skin_pairs_free(sn_skin_pairs *pairs);

// The four points of a pair at the start and, if `end` is not NULL, at the end.
SN_API void sn_skin_pair_points(sn_skin *const *skins, sn_pair_kind kind, const sn_skin_pair *pair,
                                sn_vec3 start[4], sn_vec3 *end);

// An edge of skin a that has a point in common with a face of skin b, at the start.
typedef struct sn_skin_crossing {
    int32_t skin_a, skin_b, edge, face;
} sn_skin_crossing;

// How many edges and faces cross at the start, exactly (geometry/predicate.h); of one skin those
// that share no vertex. The first (lowest) is put into *first, if there is one. sn_skin_crossings
// looks through the trees; sn_skin_crossings_by_force at all, for tests. Places must be set.
SN_API int sn_skin_crossings(sn_skin *const *skins, int count, sn_skin_among among,
                             sn_skin_crossing *first);
SN_API int sn_skin_crossings_by_force(sn_skin *const *skins, int count, sn_skin_among among,
                                      sn_skin_crossing *first);

#endif
