#include "collide/patch_set.h"

static const double ALIKE = 1.0 - 0.5e-8; // 1e-4 rad

void sn_patch_set_init(sn_patch_set *set, double scale)
{
    set->scale = scale;
    set->steep = 0.0;
    set->cosine = ALIKE;
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

// The patch whose normal is most alike, or -1.
static int find_patch(const sn_patch_set *set, sn_vec3 normal)
{
    double most = set->cosine;
    int found = -1;
    for (int i = 0; i < set->count; ++i) {
        double cosine = sn_dot(set->patches[i].normal, normal);
        if (cosine > most) {
            most = cosine;
            found = i;
        }
    }
    return found;
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

// Adds a point to a patch, its gap measured along the patch's normal.
static void add_to(const sn_patch_set *set, sn_patch *patch, uint32_t name,
                   const sn_manifold_point *point)
{
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

static void turn_to(sn_patch *patch, sn_vec3 normal)
{
    patch->normal = normal;
    for (int i = 0; i < patch->count; ++i) {
        sn_manifold_point *point = &patch->points[i];
        point->gap = sn_dot(sn_vec3_sub(point->on_b, point->on_a), normal);
    }
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

// Patches that are alike by now become part of the deepest of them.
static void join_alike(sn_patch_set *set)
{
    int count = set->count;
    set->count = 0;
    for (int i = 0; i < count; ++i) {
        sn_patch patch = set->patches[i]; // copied: its place may be taken below
        int into = find_patch(set, patch.normal);
        if (into < 0) {
            set->patches[set->count++] = patch;
            continue;
        }
        for (int k = 0; k < patch.count; ++k) {
            add_to(set, &set->patches[into], patch.name, &patch.points[k]);
        }
    }
}

// Makes room: the angle within which normals are alike grows, to 10 degrees, by no more than it
// takes. On fine curved ground patches so follow its slope, in as many parts as there is room for:
// a single one would be a ramp to what slides there, and each step on it a blow.
static void join_to(sn_patch_set *set, int wanted)
{
    static const double cosines[] = {0.99999, 0.99996, 0.99985, 0.9994,
                                     0.9976,  0.9945,  0.985}; // 0.25 deg, 0.5, 1, 2, 4, 6, 10
    if (set->count > wanted) {
        sort_by_depth(set);
    }
    for (size_t i = 0; i < sizeof cosines / sizeof *cosines && set->count > wanted; ++i) {
        if (cosines[i] < set->cosine) {
            set->cosine = cosines[i];
            join_alike(set);
        }
    }
}

// Where a new patch finds its place: at the end, or, when all are taken and none can be joined,
// instead of the shallowest if the point is deeper; -1: nowhere.
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
    if (index < 0 && set->count == SN_PATCH_SET_MOST) {
        join_to(set, SN_PATCH_SET_MOST - 1);
        index = find_patch(set, normal);
    }
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
    bool same = sn_dot(patch->normal, normal) > ALIKE;
    if (!same && point->gap < deepest(patch)) { // the deepest has the say
        turn_to(patch, normal);
    }
    add_to(set, patch, name, point);
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
    join_to(set, capacity);
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
