// Broad phase: which of many things are near each other, found from boxes around them.
//
//     int ball = sn_broad_add(broad, ball_box, 0, true);
//     int floor = sn_broad_add_half_space(broad, up, 0.0, 1);
//     // each step
//     sn_broad_move(broad, ball, ball_box, sn_vec3_scale(2.0 * h, velocity));
//     sn_broad_pairs(broad, threads, NULL, NULL, &pairs, &count, &error); // those that begin
//     // pairs that were given earlier end where sn_broad_overlaps says no
//
// Every proxy has a fat box: its box enlarged by a share of its size and by the travel foretold.
// While its box stays within, nothing happens; a proxy that left gets a new fat box, and only such
// proxies are asked for new pairs. A pair is two proxies, one of them moving, whose fat boxes
// overlap. Two trees (box_tree.h) hold them, one what moves and one what does not; half spaces
// and unbounded boxes are a short list of their own.
//
// A pair is new when the fat boxes overlap now and did not at the last call of sn_broad_pairs: so
// no set of pairs is kept here. The owner's pairs are right if it drops, after each call, those
// that no longer overlap (only pairs of proxies that moved can end).
//
// As a second filter proxies may have a fat k-DOP beside the fat box (sn_broad_use_kdops): pairs
// must then overlap in both. That is worth its cost where things are long, flat or slanted and the
// exact tests are dear.
//
// Nothing allocates unless a number grows: of proxies, or of new pairs at once.
#ifndef SN_COLLIDE_BROAD_H
#define SN_COLLIDE_BROAD_H

#include "base/threads.h"
#include "collide/kdop.h"
#include "sinew/math.h"

typedef struct sn_broad sn_broad;

typedef struct sn_broad_pair {
    uint32_t user_a, user_b; // user_a <= user_b
    int32_t proxy_a, proxy_b;
} sn_broad_pair;

// What a filter says of two users; called from several threads. False: not a pair, ever.
typedef bool sn_broad_filter(void *context, uint32_t user_a, uint32_t user_b);

// One proxy that a query found; false ends the query.
typedef bool sn_broad_visit(void *context, int proxy, uint32_t user);

// One proxy whose fat box a ray enters before `limit`: the new limit (the same, or where the ray
// met the thing itself, or negative to end).
typedef double sn_broad_hit(void *context, int proxy, uint32_t user, double limit);

// `fatness`: a fat box exceeds the box by this share of the mean of its edges; 0.05 is good.
SN_API sn_status sn_broad_create(double fatness, sn_broad **broad, sn_error *error);
SN_API void sn_broad_destroy(sn_broad *broad);

// A new proxy, or -1 when memory runs out. What is not moving makes no pairs with its like.
SN_API int sn_broad_add(sn_broad *broad, sn_aabb box, uint32_t user, bool moving);

// All points with normal . x <= offset; it does not move.
SN_API int sn_broad_add_half_space(sn_broad *broad, sn_vec3 normal, double offset, uint32_t user);

SN_API void sn_broad_remove(sn_broad *broad, int proxy);

// Its box now, and how far it is likely to travel until it should be looked at again (a few steps).
// True if it left its fat box. A box that is not finite is ignored.
SN_API bool sn_broad_move(sn_broad *broad, int proxy, sn_aabb box, sn_vec3 travel);

// From now on proxies have k-DOPs of k planes (6, 14, 18 or 26) beside their boxes; only while
// there are no proxies. A proxy that sn_broad_move_kdop was not called for has only its box.
SN_API sn_status sn_broad_use_kdops(sn_broad *broad, int k, sn_error *error);

// As sn_broad_move, with the k-DOP, of the chosen k, whose first three slabs are the box.
SN_API bool sn_broad_move_kdop(sn_broad *broad, int proxy, const sn_kdop *kdop, sn_vec3 travel);

// Would sn_broad_move say false? Many threads may ask at once.
SN_API bool sn_broad_holds(const sn_broad *broad, int proxy, sn_aabb box, sn_vec3 travel);

// All pairs of this proxy count as new again: for a filter that changed its mind.
SN_API void sn_broad_renew(sn_broad *broad, int proxy);

// Brings the trees in order after proxies were added or moved. sn_broad_pairs does so itself; calls
// of sn_broad_query and sn_broad_ray see what was true at the last of both.
SN_API void sn_broad_update(sn_broad *broad);

// New pairs since the last call, each once, sorted by users (then proxies), for any number of
// threads. They are valid until the next call. `filter` may be NULL.
SN_API sn_status sn_broad_pairs(sn_broad *broad, sn_threads *threads, sn_broad_filter *filter,
                                void *context, const sn_broad_pair **pairs, int *count,
                                sn_error *error);

// Do the fat bounds overlap? Pairs that were given and no longer do have ended.
SN_API bool sn_broad_overlaps(const sn_broad *broad, int proxy_a, int proxy_b);

// All whose fat box overlaps `box`, half spaces too.
SN_API void sn_broad_query(const sn_broad *broad, sn_aabb box, sn_broad_visit *visit,
                           void *context);

// All whose fat box, enlarged by `half` on each side (zero for a ray; a moving box's half edges for
// a cast), the line origin + t direction meets for 0 <= t <= limit, nearer ones mostly first.
SN_API void sn_broad_ray(const sn_broad *broad, sn_vec3 origin, sn_vec3 direction, sn_vec3 half,
                         double limit, sn_broad_hit *hit, void *context);

// Sum of the areas of the moving tree's inner boxes, by that of a tree built anew at its best
// moment since: 1 is perfect, above 1.3 it is built anew. And soundness of both trees: for tests.
SN_API double sn_broad_wear(const sn_broad *broad);
SN_API bool sn_broad_is_sound(const sn_broad *broad);
SN_API int sn_broad_rebuilds(const sn_broad *broad);

#endif
