#include "collide/patch_set.h"

void sn_patch_set_init(sn_patch_set *set, double scale)
{
    set->scale = scale;
    set->steep = 0.0;
    set->cosine = 1.0 - 0.5e-8;
    set->count = 0;
    set->left_out = 0;
}

static double deepest(const sn_patch *patch)
{
    double least = INFINITY;
    for (int i = 0; i < patch->count; ++i) {
        least = fmin(least, patch->points[i].gap);
    }
    return least;
}

// The patch of like normal, or -1.
static int find_patch(const sn_patch_set *set, sn_vec3 normal)
{
    for (int i = 0; i < set->count; ++i) {
        if (sn_dot(set->patches[i].normal, normal) > set->cosine) {
            return i;
        }
    }
    return -1;
}

static bool has_point(const sn_patch_set *set, sn_patch *patch, const sn_manifold_point *point)
{
    double near = 1e-6 * set->scale;
    for (int i = 0; i < patch->count; ++i) {
        sn_manifold_point *there = &patch->points[i];
        sn_vec3 apart = sn_vec3_sub(there->on_b, point->on_b);
        if (sn_dot(apart, apart) > near * near) {
            continue;
        }
        // Of several names for one place the lowest, whatever the order of facets; of several gaps
        // the smallest.
        uint32_t name = there->feature < point->feature ? there->feature : point->feature;
        if (point->gap < there->gap) {
            *there = *point;
        }
        there->feature = name;
        return true;
    }
    return false;
}

static void thin_out(const sn_patch_set *set, sn_patch *patch)
{
    sn_manifold kept = {.normal = patch->normal};
    sn_manifold_reduce(&kept, patch->points, patch->count, 1e-4 * set->scale, 0.0, set->steep);
    patch->count = kept.count;
    for (int i = 0; i < kept.count; ++i) {
        patch->points[i] = kept.points[i];
    }
}

// Where a new patch finds its place: at the end, or, when all are taken, instead of the shallowest
// if the point is deeper; -1: nowhere.
static int place_patch(sn_patch_set *set, double gap)
{
    if (set->count < SN_PATCH_SET_MOST) {
        return set->count++;
    }
    set->left_out += 1;
    int shallow = -1;
    double most = gap;
    for (int i = 0; i < set->count; ++i) {
        double least = deepest(&set->patches[i]);
        if (least > most) {
            most = least;
            shallow = i;
        }
    }
    return shallow;
}

void sn_patch_set_add(sn_patch_set *set, sn_vec3 normal, uint32_t name,
                      const sn_manifold_point *point)
{
    int index = find_patch(set, normal);
    if (index < 0) {
        index = place_patch(set, point->gap);
        if (index < 0) {
            return;
        }
        set->patches[index].normal = normal;
        set->patches[index].name = name;
        set->patches[index].count = 0;
    }
    sn_patch *patch = &set->patches[index];
    patch->name = name < patch->name ? name : patch->name;
    sn_manifold_point own = *point;
    own.gap = sn_dot(sn_vec3_sub(own.on_b, own.on_a), patch->normal);
    if (has_point(set, patch, &own)) {
        return;
    }
    if (patch->count == SN_PATCH_SET_POINTS) {
        thin_out(set, patch);
    }
    patch->points[patch->count++] = own;
}

void sn_patch_set_drop_against(sn_patch_set *set, sn_vec3 n)
{
    int kept = 0;
    for (int i = 0; i < set->count; ++i) {
        if (sn_dot(set->patches[i].normal, n) >= 0.0) {
            set->patches[kept++] = set->patches[i];
        }
    }
    set->count = kept;
}

// Deepest patches first, by name where equally deep.
static void sort_by_depth(sn_patch_set *set)
{
    for (int i = 1; i < set->count; ++i) {
        sn_patch moved = set->patches[i];
        double gap = deepest(&moved);
        int at = i;
        for (; at > 0; --at) {
            double before = deepest(&set->patches[at - 1]);
            if (before < gap || (before == gap && set->patches[at - 1].name < moved.name)) {
                break;
            }
            set->patches[at] = set->patches[at - 1];
        }
        set->patches[at] = moved;
    }
}

// Patches within 10 degrees of a deeper one become part of it; gaps are measured along its normal.
static void join_alike(sn_patch_set *set)
{
    int count = set->count;
    set->count = 0;
    set->cosine = 0.985;
    for (int i = 0; i < count; ++i) {
        sn_patch patch = set->patches[i]; // copied: its place may be taken below
        int into = find_patch(set, patch.normal);
        if (into < 0) {
            set->patches[set->count++] = patch;
            continue;
        }
        for (int k = 0; k < patch.count; ++k) {
            sn_patch_set_add(set, set->patches[into].normal, patch.name, &patch.points[k]);
        }
    }
}

static void to_world(const sn_transform *place, sn_manifold *m)
{
    m->normal = sn_rotate(place->rotation, m->normal);
    for (int k = 0; k < m->count; ++k) {
        m->points[k].on_a = sn_transform_point(*place, m->points[k].on_a);
        m->points[k].on_b = sn_transform_point(*place, m->points[k].on_b);
    }
}

int sn_patch_set_give(sn_patch_set *set, const sn_transform *place, sn_manifold *manifolds,
                      int capacity, int *left_out)
{
    if (set->count > capacity) {
        sort_by_depth(set);
        join_alike(set);
    }
    int count = set->count < capacity ? set->count : capacity;
    if (left_out != NULL) {
        *left_out = set->left_out + set->count - count;
    }
    for (int i = 0; i < count; ++i) {
        const sn_patch *patch = &set->patches[i];
        int at = i;
        for (; at > 0 && manifolds[at - 1].patch > patch->name; --at) {
            manifolds[at] = manifolds[at - 1];
        }
        manifolds[at].normal = patch->normal;
        manifolds[at].patch = patch->name;
        sn_manifold_reduce(&manifolds[at], patch->points, patch->count, 1e-4 * set->scale, 0.0,
                           set->steep);
    }
    for (int i = 0; i < count; ++i) {
        to_world(place, &manifolds[i]);
    }
    return count;
}
