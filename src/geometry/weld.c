#include "geometry/weld.h"

#include <string.h>

#include "base/memory.h"

// Kept vertices are chained in a hash table by the cell of a grid of the merging distance, so that
// whatever is near enough is in the same cell or one of its neighbours.
typedef struct welder {
    sn_vec3 *positions; // of the kept vertices, in place
    int kept;
    double distance;
    int *heads; // mask + 1
    int *next;  // per kept vertex
    uint32_t mask;
} welder;

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    value += 0.0; // -0 and 0 are the same place
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static int *chain(const welder *w, sn_vec3 cell)
{
    uint64_t hash = mix(mix(mix(0, cell.x), cell.y), cell.z);
    return &w->heads[(uint32_t)hash & w->mask];
}

static sn_vec3 cell_of(const welder *w, sn_vec3 p)
{
    if (w->distance == 0.0) {
        return p;
    }
    return sn_vec3_make(floor(p.x / w->distance), floor(p.y / w->distance),
                        floor(p.z / w->distance));
}

// The smallest kept index near p in one cell; `best` when none is smaller.
static int search_chain(const welder *w, sn_vec3 cell, sn_vec3 p, int best)
{
    for (int i = *chain(w, cell); i >= 0; i = w->next[i]) {
        if ((best < 0 || i < best) && sn_distance(w->positions[i], p) <= w->distance) {
            best = i;
        }
    }
    return best;
}

// Only kept points below `limit` count.
static int find_or_keep(welder *w, sn_vec3 p, int limit)
{
    sn_vec3 cell = cell_of(w, p);
    int reach = w->distance > 0.0 ? 1 : 0;
    int found = -1;
    for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
            for (int z = -reach; z <= reach; ++z) {
                sn_vec3 neighbour = sn_vec3_add(cell, sn_vec3_make(x, y, z));
                found = search_chain(w, neighbour, p, found);
            }
        }
    }
    if (found >= 0 && found < limit) {
        return found;
    }
    int *head = chain(w, cell);
    w->positions[w->kept] = p;
    w->next[w->kept] = *head;
    *head = w->kept;
    return w->kept++;
}

// Points of one group stay apart; without groups every point is one of its own.
static bool merge(sn_vec3 *positions, int count, const int *group_sizes, double distance, int *map,
                  int *kept)
{
    welder w = {.positions = positions, .distance = distance, .mask = 15};
    while (w.mask < 2u * (uint32_t)count && w.mask < 0x3fffffff) {
        w.mask = 2 * w.mask + 1;
    }
    w.heads = sn_allocate(((size_t)w.mask + 1) * sizeof *w.heads);
    w.next = sn_allocate(((size_t)count + 1) * sizeof *w.next);
    bool done = w.heads != NULL && w.next != NULL;
    if (done) {
        for (size_t i = 0; i <= w.mask; ++i) {
            w.heads[i] = -1;
        }
        for (int i = 0, group = 0, left = 0, limit = 0; i < count; ++i, --left) {
            while (group_sizes != NULL && left == 0) {
                left = group_sizes[group++];
                limit = w.kept;
            }
            map[i] = find_or_keep(&w, positions[i], group_sizes != NULL ? limit : w.kept);
        }
        *kept = w.kept;
    }
    sn_free(w.heads);
    sn_free(w.next);
    return done;
}

bool sn_weld_groups(sn_vec3 *positions, const int *group_sizes, int group_count, double distance,
                    int *map, int *kept)
{
    int count = 0;
    for (int i = 0; i < group_count; ++i) {
        count += group_sizes[i];
    }
    return merge(positions, count, group_sizes, distance, map, kept);
}

static void drop_collapsed_triangles(sn_mesh_builder *builder, const int *map)
{
    int *v = builder->triangles.data;
    int kept = 0;
    for (int i = 0; i < builder->triangles.count; i += 3) {
        int a = map[v[i]], b = map[v[i + 1]], c = map[v[i + 2]];
        if (a != b && b != c && c != a) {
            v[kept] = a;
            v[kept + 1] = b;
            v[kept + 2] = c;
            kept += 3;
        }
    }
    builder->triangles.count = kept;
}

static void drop_unused_vertices(sn_mesh_builder *builder, int *map)
{
    for (int i = 0; i < builder->positions.count; ++i) {
        map[i] = -1;
    }
    for (int i = 0; i < builder->triangles.count; ++i) {
        map[builder->triangles.data[i]] = 0;
    }
    int kept = 0;
    for (int i = 0; i < builder->positions.count; ++i) {
        if (map[i] == 0) {
            builder->positions.data[kept] = builder->positions.data[i];
            map[i] = kept++;
        }
    }
    builder->positions.count = kept;
    for (int i = 0; i < builder->triangles.count; ++i) {
        builder->triangles.data[i] = map[builder->triangles.data[i]];
    }
}

bool sn_weld(sn_mesh_builder *builder, double distance)
{
    int *map = sn_allocate((size_t)builder->positions.count * sizeof *map);
    if (map == NULL) {
        return false;
    }
    bool done = true;
    if (distance >= 0.0) {
        done = merge(builder->positions.data, builder->positions.count, NULL, distance, map,
                     &builder->positions.count);
        if (done) {
            drop_collapsed_triangles(builder, map);
        }
    }
    if (done) {
        drop_unused_vertices(builder, map);
    }
    sn_free(map);
    return done;
}
