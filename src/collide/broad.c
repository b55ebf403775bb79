#include "collide/broad.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "collide/box_tree.h"

enum {
    ALIVE = 1,
    MOVING = 2,
    UNBOUNDED = 4,
    CHANGED = 8, // listed: its tree does not know its box
    MOVED = 16,  // listed: to be asked for new pairs
    FRESH = 32,  // has no last box: all its pairs are new
    SEARCH_CHUNK = 64,
    LOCAL_PAIRS = 128
};

// Beyond it, boxes count as unbounded: areas stay finite.
static const double far_away = 1e18;

// The slabs of a fat k-DOP beyond its box, rounded outward.
typedef struct slabs {
    float lower[SN_KDOP_SLABS - 3], upper[SN_KDOP_SLABS - 3];
} slabs;

typedef struct half_space {
    int proxy;
    sn_vec3 normal;
    double offset;
} half_space;

struct sn_broad {
    double fatness;
    // Per proxy.
    int proxy_count, proxy_capacity, free_proxy;
    sn_float_box *fat;  // now
    sn_float_box *last; // at the last call of sn_broad_pairs
    int slab_count;     // of k-DOPs beyond the box; 0: not used, and no memory for them
    slabs *fat_slabs;   // now
    slabs *last_slabs;  // at the last call
    uint32_t *users;    // of a free proxy: the next free one
    uint8_t *flags;
    int *changed; // lists; each proxy at most once in each
    int *moved;
    int changed_count, moved_count;
    sn_box_tree trees[2]; // still, moving
    SN_ARRAY(half_space) half_spaces;
    SN_ARRAY(sn_broad_pair) pairs;
    SN_ARRAY(sn_broad_pair) sorted; // scratch
    int rebuilds;
};

// ---- memory ----

sn_status sn_broad_create(double fatness, sn_broad **broad, sn_error *error)
{
    *broad = NULL;
    if (!(fatness >= 0.0 && fatness <= 10.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "fatness %g; 0 to 10 was expected", fatness);
    }
    sn_broad *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->fatness = fatness;
    made->free_proxy = -1;
    sn_box_tree_init(&made->trees[0]);
    sn_box_tree_init(&made->trees[1]);
    *broad = made;
    return SN_OK;
}

void sn_broad_destroy(sn_broad *broad)
{
    if (broad == NULL) {
        return;
    }
    sn_free(broad->fat);
    sn_free(broad->last);
    sn_free(broad->fat_slabs);
    sn_free(broad->last_slabs);
    sn_free(broad->users);
    sn_free(broad->flags);
    sn_free(broad->changed);
    sn_free(broad->moved);
    sn_box_tree_free(&broad->trees[0]);
    sn_box_tree_free(&broad->trees[1]);
    sn_array_free(&broad->half_spaces);
    sn_array_free(&broad->pairs);
    sn_array_free(&broad->sorted);
    sn_free(broad);
}

static bool grow(void *memory, size_t bytes)
{
    void **place = memory;
    void *grown = sn_reallocate(*place, bytes);
    if (grown == NULL) {
        return false;
    }
    *place = grown;
    return true;
}

static bool reserve(sn_broad *broad)
{
    if (broad->free_proxy >= 0 || broad->proxy_count < broad->proxy_capacity) {
        return true;
    }
    if (broad->proxy_capacity > INT_MAX / 8) {
        return false;
    }
    size_t room = (size_t)broad->proxy_capacity + (size_t)broad->proxy_capacity / 2 + 8;
    if (!grow(&broad->fat, room * sizeof *broad->fat) ||
        !grow(&broad->last, room * sizeof *broad->last) ||
        (broad->slab_count > 0 && (!grow(&broad->fat_slabs, room * sizeof *broad->fat_slabs) ||
                                   !grow(&broad->last_slabs, room * sizeof *broad->last_slabs))) ||
        !grow(&broad->users, room * sizeof *broad->users) ||
        !grow(&broad->flags, room * sizeof *broad->flags) ||
        !grow(&broad->changed, room * sizeof *broad->changed) ||
        !grow(&broad->moved, room * sizeof *broad->moved)) {
        return false;
    }
    broad->proxy_capacity = (int)room;
    return true;
}

// ---- fat boxes ----

static double margin_of(const sn_broad *broad, sn_aabb box)
{
    sn_vec3 edge = sn_vec3_sub(box.upper, box.lower);
    return broad->fatness * (edge.x + edge.y + edge.z) / 3.0;
}

static sn_float_box fatten(const sn_broad *broad, sn_aabb box, sn_vec3 travel)
{
    double margin = margin_of(broad, box);
    sn_vec3 around = {margin, margin, margin};
    sn_aabb fat = {sn_vec3_sub(box.lower, around), sn_vec3_add(box.upper, around)};
    fat.lower = sn_vec3_add(fat.lower, sn_vec3_min(travel, SN_VEC3_ZERO));
    fat.upper = sn_vec3_add(fat.upper, sn_vec3_max(travel, SN_VEC3_ZERO));
    return sn_float_box_around(fat);
}

static bool is_bounded(sn_aabb box)
{
    return fabs(box.lower.x) < far_away && fabs(box.lower.y) < far_away &&
           fabs(box.lower.z) < far_away && fabs(box.upper.x) < far_away &&
           fabs(box.upper.y) < far_away && fabs(box.upper.z) < far_away;
}

static bool holds_box(const sn_broad *broad, int proxy, sn_aabb box, sn_vec3 travel)
{
    const sn_float_box *fat = &broad->fat[proxy];
    double margin = margin_of(broad, box);
    const double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    const double ahead[3] = {travel.x, travel.y, travel.z};
    bool holds = true;
    for (int k = 0; k < 3; ++k) {
        // A box that is far too fat, of something that has slowed down, is not kept either. What
        // floats lose at large coordinates does not count as fat.
        double below = lower[k] - (double)fat->lower[k], above = (double)fat->upper[k] - upper[k];
        double most = 4.0 * (margin + fabs(ahead[k])) + 1e-6 * (fabs(lower[k]) + fabs(upper[k]));
        holds = holds & (below >= 0.0) & (above >= 0.0) & (below <= most) & (above <= most);
    }
    return holds;
}

bool sn_broad_holds(const sn_broad *broad, int proxy, sn_aabb box, sn_vec3 travel)
{
    return holds_box(broad, proxy, box, travel);
}

// ---- k-DOPs ----

sn_status sn_broad_use_kdops(sn_broad *broad, int k, sn_error *error)
{
    if (!sn_kdop_is_kind(k) || broad->proxy_count > 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "k-DOPs of %d planes for %d proxies; 6, 14, 18 or 26 were expected, and no "
                       "proxies yet",
                       k, broad->proxy_count);
    }
    broad->slab_count = k / 2 - 3;
    return SN_OK;
}

static void forget_slabs(sn_broad *broad, int proxy)
{
    for (int i = 0; i < broad->slab_count; ++i) {
        broad->fat_slabs[proxy].lower[i] = -INFINITY;
        broad->fat_slabs[proxy].upper[i] = INFINITY;
    }
}

static bool slabs_overlap(const sn_broad *broad, const slabs *all, int a, int b)
{
    for (int i = 0; i < broad->slab_count; ++i) {
        if (all[a].lower[i] > all[b].upper[i] || all[b].lower[i] > all[a].upper[i]) {
            return false;
        }
    }
    return true;
}

// Within the fat slabs, and these not far too fat.
static bool slabs_hold(const sn_broad *broad, int proxy, const sn_kdop *kdop, sn_vec3 travel)
{
    double margin = margin_of(broad, sn_kdop_box(kdop));
    for (int i = 0; i < broad->slab_count; ++i) {
        const slabs *fat = &broad->fat_slabs[proxy];
        double lower = kdop->lower[i + 3], upper = kdop->upper[i + 3];
        double below = lower - (double)fat->lower[i], above = (double)fat->upper[i] - upper;
        double along = fabs(sn_dot(sn_kdop_direction(kdop->count, i + 3), travel));
        double most = 4.0 * (1.8 * margin + along) + 1e-6 * (fabs(lower) + fabs(upper));
        if (!(below >= 0.0 && above >= 0.0 && below <= most && above <= most)) {
            return false;
        }
    }
    return true;
}

static void fatten_slabs(sn_broad *broad, int proxy, const sn_kdop *kdop, sn_vec3 travel)
{
    sn_kdop fat = *kdop;
    sn_kdop_enlarge(&fat, margin_of(broad, sn_kdop_box(kdop)), travel);
    for (int i = 0; i < broad->slab_count; ++i) {
        broad->fat_slabs[proxy].lower[i] = sn_float_below(fat.lower[i + 3]);
        broad->fat_slabs[proxy].upper[i] = sn_float_above(fat.upper[i + 3]);
    }
}

// ---- proxies ----

static void list_changed(sn_broad *broad, int proxy)
{
    if (!(broad->flags[proxy] & CHANGED)) {
        broad->flags[proxy] |= CHANGED;
        broad->changed[broad->changed_count++] = proxy;
    }
}

static void list_moved(sn_broad *broad, int proxy)
{
    if (!(broad->flags[proxy] & MOVED)) {
        broad->flags[proxy] |= MOVED;
        broad->moved[broad->moved_count++] = proxy;
    }
}

static int take_proxy(sn_broad *broad, uint32_t user, int flags)
{
    int proxy = broad->free_proxy;
    if (proxy >= 0) {
        broad->free_proxy = (int)broad->users[proxy];
    } else {
        proxy = broad->proxy_count++;
        broad->flags[proxy] = 0;
    }
    // A proxy removed since the last call may still be in the lists.
    int listed = broad->flags[proxy] & (CHANGED | MOVED);
    broad->flags[proxy] = (uint8_t)(listed | flags | ALIVE | FRESH);
    broad->users[proxy] = user;
    forget_slabs(broad, proxy);
    list_moved(broad, proxy);
    return proxy;
}

int sn_broad_add(sn_broad *broad, sn_aabb box, uint32_t user, bool moving)
{
    if (!is_bounded(box)) {
        return sn_broad_add_half_space(broad, SN_VEC3_ZERO, 0.0, user);
    }
    sn_box_tree *tree = &broad->trees[moving];
    // Leaves in the tree and those on their way into it are at most all proxies.
    if (!reserve(broad) || !sn_box_tree_reserve(tree, broad->proxy_count + 1,
                                                tree->leaf_count + broad->changed_count + 1)) {
        return -1;
    }
    int proxy = take_proxy(broad, user, moving ? MOVING : 0);
    broad->fat[proxy] = fatten(broad, box, SN_VEC3_ZERO);
    list_changed(broad, proxy);
    return proxy;
}

int sn_broad_add_half_space(sn_broad *broad, sn_vec3 normal, double offset, uint32_t user)
{
    if (!reserve(broad) || !sn_array_reserve(&broad->half_spaces, broad->half_spaces.count + 1)) {
        return -1;
    }
    int proxy = take_proxy(broad, user, UNBOUNDED);
    broad->half_spaces.data[broad->half_spaces.count++] = (half_space){proxy, normal, offset};
    return proxy;
}

void sn_broad_remove(sn_broad *broad, int proxy)
{
    int flags = broad->flags[proxy];
    if (flags & UNBOUNDED) {
        int at = 0;
        while (broad->half_spaces.data[at].proxy != proxy) {
            at += 1;
        }
        memmove(broad->half_spaces.data + at, broad->half_spaces.data + at + 1,
                (size_t)(broad->half_spaces.count - at - 1) * sizeof(half_space));
        broad->half_spaces.count -= 1;
    } else {
        sn_box_tree *tree = &broad->trees[(flags & MOVING) != 0];
        if (proxy < tree->item_capacity && tree->leaf_of[proxy] >= 0) {
            sn_box_tree_remove(tree, proxy);
        }
    }
    broad->flags[proxy] = (uint8_t)(flags & (CHANGED | MOVED));
    broad->users[proxy] = (uint32_t)broad->free_proxy;
    broad->free_proxy = proxy;
}

bool sn_broad_move(sn_broad *broad, int proxy, sn_aabb box, sn_vec3 travel)
{
    if (holds_box(broad, proxy, box, travel) || (broad->flags[proxy] & UNBOUNDED) ||
        !is_bounded(box) || !sn_vec3_is_finite(travel)) {
        return false;
    }
    broad->fat[proxy] = fatten(broad, box, travel);
    forget_slabs(broad, proxy);
    list_changed(broad, proxy);
    list_moved(broad, proxy);
    return true;
}

bool sn_broad_move_kdop(sn_broad *broad, int proxy, const sn_kdop *kdop, sn_vec3 travel)
{
    sn_aabb box = sn_kdop_box(kdop);
    if ((broad->flags[proxy] & UNBOUNDED) || !is_bounded(box) || !sn_vec3_is_finite(travel)) {
        return false;
    }
    bool held = holds_box(broad, proxy, box, travel);
    if (held && slabs_hold(broad, proxy, kdop, travel)) {
        return false;
    }
    if (!held) {
        broad->fat[proxy] = fatten(broad, box, travel);
        list_changed(broad, proxy);
    }
    fatten_slabs(broad, proxy, kdop, travel);
    list_moved(broad, proxy);
    return true;
}

void sn_broad_renew(sn_broad *broad, int proxy)
{
    broad->flags[proxy] |= FRESH;
    list_moved(broad, proxy);
}

// ---- trees ----

static void rebuild(sn_broad *broad, int moving)
{
    sn_box_tree *tree = &broad->trees[moving];
    int count = 0;
    for (int proxy = 0; proxy < broad->proxy_count; ++proxy) {
        int flags = broad->flags[proxy] & (ALIVE | MOVING | UNBOUNDED);
        if (flags == (moving ? ALIVE | MOVING : ALIVE)) {
            tree->leaves[count].box = broad->fat[proxy];
            tree->leaves[count].item = proxy;
            count += 1;
        }
    }
    sn_box_tree_build(tree, count);
    broad->rebuilds += moving;
}

// Leaves that are in the tree get their boxes; those that jumped are taken out. Returns how many
// are left to be inserted, at the front of the list of changes.
static int place_changed(sn_broad *broad, int news[2])
{
    int kept = 0;
    for (int i = 0; i < broad->changed_count; ++i) {
        int proxy = broad->changed[i];
        int flags = broad->flags[proxy];
        broad->flags[proxy] &= (uint8_t)~CHANGED;
        if (!(flags & ALIVE) || (flags & UNBOUNDED)) {
            continue;
        }
        int moving = (flags & MOVING) != 0;
        sn_box_tree *tree = &broad->trees[moving];
        int leaf = tree->leaf_of[proxy];
        if (leaf >= 0) {
            const sn_box_node *node = &tree->nodes[leaf];
            sn_float_box old;
            memcpy(old.lower, node->lower, sizeof old.lower);
            memcpy(old.upper, node->upper, sizeof old.upper);
            if (sn_float_box_overlap(&old, &broad->fat[proxy])) {
                sn_box_tree_place(tree, proxy, &broad->fat[proxy]);
                continue;
            }
            sn_box_tree_remove(tree, proxy);
        }
        broad->changed[kept++] = proxy;
        news[moving] += 1;
    }
    broad->changed_count = 0;
    return kept;
}

void sn_broad_update(sn_broad *broad)
{
    if (broad->changed_count == 0) {
        return;
    }
    int news[2] = {0, 0};
    int kept = place_changed(broad, news);
    for (int moving = 0; moving < 2; ++moving) {
        sn_box_tree *tree = &broad->trees[moving];
        bool many = news[moving] > 8 + tree->leaf_count / 8;
        if (!many) {
            sn_box_tree_refit(tree);
            for (int i = 0; i < kept && !sn_box_tree_is_worn(tree); ++i) {
                int proxy = broad->changed[i];
                if (((broad->flags[proxy] & MOVING) != 0) == moving) {
                    sn_box_tree_insert(tree, proxy, &broad->fat[proxy]);
                }
            }
        }
        if (many || sn_box_tree_is_worn(tree)) {
            rebuild(broad, moving);
        }
    }
}

// ---- overlaps ----

static bool meets_half_space(const sn_float_box *box, const half_space *half)
{
    const double normal[3] = {half->normal.x, half->normal.y, half->normal.z};
    double least = 0.0;
    for (int k = 0; k < 3; ++k) {
        least += normal[k] * (double)(normal[k] > 0.0 ? box->lower[k] : box->upper[k]);
    }
    return least <= half->offset;
}

static const half_space *half_space_of(const sn_broad *broad, int proxy)
{
    const half_space *half = broad->half_spaces.data;
    while (half->proxy != proxy) {
        ++half;
    }
    return half;
}

bool sn_broad_overlaps(const sn_broad *broad, int proxy_a, int proxy_b)
{
    bool plane_a = (broad->flags[proxy_a] & UNBOUNDED) != 0;
    bool plane_b = (broad->flags[proxy_b] & UNBOUNDED) != 0;
    if (plane_a && plane_b) {
        return true;
    }
    if (plane_a) {
        return meets_half_space(&broad->fat[proxy_b], half_space_of(broad, proxy_a));
    }
    if (plane_b) {
        return meets_half_space(&broad->fat[proxy_a], half_space_of(broad, proxy_b));
    }
    return sn_float_box_overlap(&broad->fat[proxy_a], &broad->fat[proxy_b]) &&
           slabs_overlap(broad, broad->fat_slabs, proxy_a, proxy_b);
}

// ---- search ----

typedef struct search {
    const sn_broad *broad;
    sn_broad_filter *filter;
    void *context;
    sn_broad_pair *pairs;
    int capacity;
    atomic_int count; // may exceed the capacity: so many are needed
} search;

// Pairs of one chunk on their way to all pairs.
typedef struct outlet {
    search *to;
    int count;
    sn_broad_pair pairs[LOCAL_PAIRS];
} outlet;

static void flush(outlet *out)
{
    search *to = out->to;
    int first = atomic_fetch_add_explicit(&to->count, out->count, memory_order_relaxed);
    if (out->count > 0 && first <= to->capacity - out->count) {
        memcpy(to->pairs + first, out->pairs, (size_t)out->count * sizeof *out->pairs);
    }
    out->count = 0;
}

static void emit(outlet *out, int a, int b)
{
    const sn_broad *broad = out->to->broad;
    uint32_t user_a = broad->users[a], user_b = broad->users[b];
    if (user_b < user_a || (user_b == user_a && b < a)) {
        int proxy = a;
        a = b;
        b = proxy;
        user_a = broad->users[a];
        user_b = broad->users[b];
    }
    if (out->to->filter != NULL && !out->to->filter(out->to->context, user_a, user_b)) {
        return;
    }
    if (out->count == LOCAL_PAIRS) {
        flush(out);
    }
    out->pairs[out->count++] = (sn_broad_pair){user_a, user_b, a, b};
}

static bool overlapped_before(const sn_broad *broad, int a, int b)
{
    return !((broad->flags[a] | broad->flags[b]) & FRESH) &&
           sn_float_box_overlap(&broad->last[a], &broad->last[b]) &&
           slabs_overlap(broad, broad->last_slabs, a, b);
}

static void search_tree(outlet *out, int proxy, bool moving, bool in_moving)
{
    const sn_broad *broad = out->to->broad;
    sn_box_walk walk;
    sn_box_walk_start(&walk, &broad->trees[in_moving], &broad->fat[proxy]);
    for (int other; (other = sn_box_walk_next(&walk)) >= 0;) {
        // Of two that moved, the lower finds a pair; of a moving and a still one, the moving one.
        bool others =
            (broad->flags[other] & MOVED) && (moving == in_moving ? other < proxy : !moving);
        if (other != proxy && !others && slabs_overlap(broad, broad->fat_slabs, proxy, other) &&
            !overlapped_before(broad, proxy, other)) {
            emit(out, proxy, other);
        }
    }
}

static void search_half_spaces(outlet *out, int proxy)
{
    const sn_broad *broad = out->to->broad;
    for (int i = 0; i < broad->half_spaces.count; ++i) {
        const half_space *half = &broad->half_spaces.data[i];
        bool fresh = ((broad->flags[proxy] | broad->flags[half->proxy]) & FRESH) != 0;
        if (meets_half_space(&broad->fat[proxy], half) &&
            (fresh || !meets_half_space(&broad->last[proxy], half))) {
            emit(out, proxy, half->proxy);
        }
    }
}

static void search_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    search *to = context;
    const sn_broad *broad = to->broad;
    outlet out;
    out.to = to;
    out.count = 0;
    for (int i = first; i < last; ++i) {
        int proxy = broad->moved[i];
        int flags = broad->flags[proxy];
        if (!(flags & ALIVE)) {
            continue;
        }
        if (flags & UNBOUNDED) {
            // A new half space meets what has not moved as well; what has finds it by itself.
            const half_space *half = half_space_of(broad, proxy);
            for (int other = 0; other < broad->proxy_count; ++other) {
                int kind = broad->flags[other] & (ALIVE | MOVING | MOVED);
                if (kind == (ALIVE | MOVING) && meets_half_space(&broad->fat[other], half)) {
                    emit(&out, proxy, other);
                }
            }
            continue;
        }
        bool moving = (flags & MOVING) != 0;
        search_tree(&out, proxy, moving, true);
        if (moving) {
            search_tree(&out, proxy, moving, false);
            search_half_spaces(&out, proxy);
        }
    }
    flush(&out);
}

// ---- order ----

static bool is_before(const sn_broad_pair *a, const sn_broad_pair *b)
{
    if (a->user_a != b->user_a) {
        return a->user_a < b->user_a;
    }
    if (a->user_b != b->user_b) {
        return a->user_b < b->user_b;
    }
    return a->proxy_a != b->proxy_a ? a->proxy_a < b->proxy_a : a->proxy_b < b->proxy_b;
}

// Counting sorts by 11 bits at a time, those of user_b first; then ties, which only users with
// several proxies have, by insertion.
static void sort_pairs(sn_broad *broad)
{
    enum { BITS = 11, KEYS = 1 << BITS };
    int count = broad->pairs.count;
    uint32_t all = 0;
    for (int i = 0; i < count; ++i) {
        all |= broad->pairs.data[i].user_a | broad->pairs.data[i].user_b;
    }
    for (int word = 0; count > 32 && word < 2; ++word) {
        for (int shift = 0; shift < 32 && (all >> shift) != 0; shift += BITS) {
            int starts[KEYS + 1] = {0};
            const sn_broad_pair *from = broad->pairs.data;
            for (int i = 0; i < count; ++i) {
                uint32_t user = word == 0 ? from[i].user_b : from[i].user_a;
                starts[((user >> shift) & (KEYS - 1)) + 1] += 1;
            }
            for (int k = 0; k < KEYS; ++k) {
                starts[k + 1] += starts[k];
            }
            sn_broad_pair *to = broad->sorted.data;
            for (int i = 0; i < count; ++i) {
                uint32_t user = word == 0 ? from[i].user_b : from[i].user_a;
                to[starts[(user >> shift) & (KEYS - 1)]++] = from[i];
            }
            broad->sorted.data = broad->pairs.data;
            broad->pairs.data = to;
            int capacity = broad->sorted.capacity;
            broad->sorted.capacity = broad->pairs.capacity;
            broad->pairs.capacity = capacity;
        }
    }
    sn_broad_pair *pairs = broad->pairs.data;
    for (int i = 1; i < count; ++i) {
        sn_broad_pair pair = pairs[i];
        int at = i;
        for (; at > 0 && is_before(&pair, &pairs[at - 1]); --at) {
            pairs[at] = pairs[at - 1];
        }
        pairs[at] = pair;
    }
}

// Where many moved, in the order of the tree's nodes: searches of neighbours then read the same
// memory.
static void sort_moved(sn_broad *broad)
{
    const sn_box_tree *tree = &broad->trees[1];
    if (broad->moved_count < 512 || broad->moved_count < tree->leaf_count / 16) {
        return;
    }
    int count = 0;
    for (int i = 0; i < broad->moved_count; ++i) {
        int proxy = broad->moved[i], flags = broad->flags[proxy];
        if (!(flags & ALIVE) || !(flags & MOVING)) {
            broad->moved[count++] = proxy;
        }
    }
    for (int node = 0; node < tree->node_count; ++node) {
        int proxy = tree->nodes[node].left;
        if (tree->nodes[node].right == SN_BOX_NODE_LEAF && (broad->flags[proxy] & MOVED)) {
            broad->moved[count++] = proxy;
        }
    }
}

sn_status sn_broad_pairs(sn_broad *broad, sn_threads *threads, sn_broad_filter *filter,
                         void *context, const sn_broad_pair **pairs, int *count, sn_error *error)
{
    *pairs = NULL;
    *count = 0;
    sn_broad_update(broad);
    sort_moved(broad);
    for (;;) {
        search to = {.broad = broad, .filter = filter, .context = context};
        to.pairs = broad->pairs.data;
        to.capacity = broad->pairs.capacity < broad->sorted.capacity ? broad->pairs.capacity
                                                                     : broad->sorted.capacity;
        atomic_init(&to.count, 0);
        sn_threads_run(threads, broad->moved_count, SEARCH_CHUNK, search_chunk, &to);
        broad->pairs.count = atomic_load_explicit(&to.count, memory_order_relaxed);
        if (broad->pairs.count <= to.capacity) {
            break;
        }
        int found = broad->pairs.count;
        broad->pairs.count = 0;
        if (!sn_array_reserve(&broad->pairs, found) || !sn_array_reserve(&broad->sorted, found)) {
            return sn_fail_memory(error, (size_t)found * sizeof(sn_broad_pair));
        }
    }
    sort_pairs(broad);
    for (int i = 0; i < broad->moved_count; ++i) {
        int proxy = broad->moved[i];
        broad->last[proxy] = broad->fat[proxy];
        if (broad->slab_count > 0) {
            broad->last_slabs[proxy] = broad->fat_slabs[proxy];
        }
        broad->flags[proxy] &= (uint8_t) ~(MOVED | FRESH);
    }
    broad->moved_count = 0;
    *pairs = broad->pairs.data;
    *count = broad->pairs.count;
    return SN_OK;
}

// ---- queries ----

void sn_broad_query(const sn_broad *broad, sn_aabb box, sn_broad_visit *visit, void *context)
{
    sn_float_box around = sn_float_box_around(box);
    for (int i = 0; i < broad->half_spaces.count; ++i) {
        const half_space *half = &broad->half_spaces.data[i];
        if (meets_half_space(&around, half) &&
            !visit(context, half->proxy, broad->users[half->proxy])) {
            return;
        }
    }
    for (int moving = 0; moving < 2; ++moving) {
        sn_box_walk walk;
        sn_box_walk_start(&walk, &broad->trees[moving], &around);
        for (int proxy; (proxy = sn_box_walk_next(&walk)) >= 0;) {
            if (!visit(context, proxy, broad->users[proxy])) {
                return;
            }
        }
    }
}

typedef struct ray_to_user {
    const sn_broad *broad;
    sn_broad_hit *hit;
    void *context;
} ray_to_user;

static double hit_user(void *context, int proxy, double limit)
{
    const ray_to_user *to = context;
    return to->hit(to->context, proxy, to->broad->users[proxy], limit);
}

void sn_broad_ray(const sn_broad *broad, sn_vec3 origin, sn_vec3 direction, sn_vec3 half,
                  double limit, sn_broad_hit *hit, void *context)
{
    ray_to_user to = {broad, hit, context};
    for (int i = 0; i < broad->half_spaces.count && limit >= 0.0; ++i) {
        limit = hit_user(&to, broad->half_spaces.data[i].proxy, limit);
    }
    sn_box_ray ray = sn_box_ray_make(origin, direction, half);
    for (int moving = 0; moving < 2 && limit >= 0.0; ++moving) {
        limit = sn_box_tree_ray(&broad->trees[moving], &ray, limit, hit_user, &to);
    }
}

// ---- tests ----

double sn_broad_wear(const sn_broad *broad)
{
    const sn_box_tree *tree = &broad->trees[1];
    return tree->best_cost > 0.0 ? tree->cost / tree->best_cost : 1.0;
}

bool sn_broad_is_sound(const sn_broad *broad)
{
    return sn_box_tree_is_sound(&broad->trees[0]) && sn_box_tree_is_sound(&broad->trees[1]);
}

int sn_broad_rebuilds(const sn_broad *broad)
{
    return broad->rebuilds;
}
