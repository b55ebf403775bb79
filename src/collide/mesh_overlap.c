#include "collide/mesh_overlap.h"

#include "collide/facet.h"

typedef struct edge_test {
    const sn_collider *ground;
    sn_vec3 origin, way;
    bool hit;
} edge_test;

static double test_facet(void *context, int index, double limit)
{
    edge_test *to = context;
    sn_facet facet = sn_facet_get(to->ground, index);
    double at = sn_triangle_ray(facet.corners, to->origin, to->way);
    to->hit = to->hit || (at >= 0.0 && at <= 1.0);
    return to->hit ? -1.0 : limit;
}

static sn_vec3 shrunk(const sn_mesh_tree *tree, int vertex, double depth)
{
    return sn_vec3_add_scaled(tree->positions[vertex], -depth,
                              sn_normalize(tree->corner_normals[vertex]));
}

// Does an edge of `edges`, shrunk, go through a facet of the other? `place`: of the edges' mesh in
// the other's frame. Each edge once: from the lower of its two halves.
static bool edges_cross(const sn_mesh_tree *edges, const sn_transform *place, double depth,
                        const sn_mesh_tree *other)
{
    sn_collider ground = sn_mesh_tree_collider(other);
    edge_test to = {.ground = &ground};
    for (int e = 0; e < 3 * edges->triangle_count && !to.hit; ++e) {
        if (edges->twins[e] >= 0 && edges->twins[e] < e) {
            continue;
        }
        int from = edges->triangles[e], end = edges->triangles[e % 3 == 2 ? e - 2 : e + 1];
        to.origin = sn_transform_point(*place, shrunk(edges, from, depth));
        to.way = sn_vec3_sub(sn_transform_point(*place, shrunk(edges, end, depth)), to.origin);
        sn_facets_ray(&ground, to.origin, to.way, SN_VEC3_ZERO, 1.0, test_facet, &to);
    }
    return to.hit;
}

bool sn_mesh_overlaps(const sn_mesh_tree *a, const sn_mesh_tree *b, const sn_transform *place,
                      double depth)
{
    sn_transform back = sn_transform_inverse(*place);
    return a->closed && b->closed &&
           (edges_cross(b, place, depth, a) || edges_cross(a, &back, depth, b));
}
