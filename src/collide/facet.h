// Facets: the triangles of a mesh or of a height field, seen alike by whoever collides with them.
// "Ground" is the collider they belong to; everything is in its own frame.
//
// Where may a ground be touched? A normal n, away from the ground, is possible at a feature (face,
// edge, corner) only if no neighbour reaches farther along n: else the neighbour would be touched
// first. So over the edge between two triangles of one plane nothing but their common normal is
// possible, and things slide across it as if it were not there.
#ifndef SN_COLLIDE_FACET_H
#define SN_COLLIDE_FACET_H

#include "collide/box_tree.h"
#include "collide/collider.h"

typedef struct sn_facet {
    sn_vec3 corners[3]; // counter-clockwise seen from where the normal points
    sn_vec3 normal;     // unit; zero without area
    int index;          // of the triangle
} sn_facet;

typedef enum sn_facet_feature {
    SN_FACET_NONE, // a neighbour reaches farther
    SN_FACET_BACK, // n points into the solid
    SN_FACET_FACE,
    SN_FACET_EDGE,
    SN_FACET_CORNER
} sn_facet_feature;

static inline bool sn_collider_is_ground(const sn_collider *collider)
{
    return collider->type == SN_COLLIDER_MESH || collider->type == SN_COLLIDER_HEIGHT_FIELD;
}

// A collider that borrows the height field. Its bounds reach down by its longer side, so that what
// has sunk in is still found.
SN_API sn_collider sn_collider_height_field(const sn_height_field *field);

// Height fields and closed meshes are solid; open meshes push to both sides.
SN_API bool sn_ground_is_solid(const sn_collider *ground);

SN_API sn_facet sn_facet_get(const sn_collider *ground, int index);

// The same number for all facets that lie in one plane and, of meshes, are connected.
SN_API int sn_facet_patch(const sn_collider *ground, int index);

// The half edge that runs the other way: edge 3 t + k runs from corner k of facet t. -1: none.
SN_API int sn_facet_twin(const sn_collider *ground, int edge);

// Bit k: the facet's plane goes on across its edge k.
SN_API int sn_facet_levels(const sn_collider *ground, int index);

// How far, in radians, a normal that the facet admits can be from the facet's own: no farther than
// the normals of the facets around its corners. Pi at a rim and around sharp corners, where this
// does not hold.
SN_API double sn_facet_spread(const sn_collider *ground, int index);

// Which feature of the facet reaches farthest along the unit direction n, and may it be touched
// with n? Directions within 1e-4 of the facet's normal count as it.
SN_API sn_facet_feature sn_facet_admits(const sn_collider *ground, const sn_facet *facet,
                                        sn_vec3 n);

// Is the point inside a solid ground? If so, the facet through which it is to leave: the nearest of
// a mesh, the one above it of a height field; else -1.
SN_API int sn_ground_exit(const sn_collider *ground, sn_vec3 point);

// ---- visits ----

// Facets whose boxes overlap a box, one by one.
typedef struct sn_facet_walk {
    const sn_collider *ground;
    sn_box_walk tree; // of a mesh
    sn_aabb box;      // of a height field, with its columns and rows of cells
    int first_column, last_column, last_row, column, row, half;
} sn_facet_walk;

SN_API void sn_facet_walk_start(sn_facet_walk *walk, const sn_collider *ground, sn_aabb box);
SN_API int sn_facet_walk_next(sn_facet_walk *walk); // -1: no more

// Facets that the line origin + t direction may meet for 0 <= t <= limit, when enlarged by `half`
// on each side (a box that moves along has these half edges), nearer ones mostly first. The test
// gives the new limit. Returns the last.
SN_API double sn_facets_ray(const sn_collider *ground, sn_vec3 origin, sn_vec3 direction,
                            sn_vec3 half, double limit, sn_box_test *test, void *context);

// Facets that may be nearer than `limit` to the box, nearer ones mostly first.
SN_API double sn_facets_near(const sn_collider *ground, sn_aabb box, double limit,
                             sn_box_test *test, void *context);

#endif
