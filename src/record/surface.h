// The surfaces of a world's bodies as meshes, each distinct shape once: what VTK and glTF show. Of
// a plane, which has no end, that is a square beyond everything else.
//
//     sn_surfaces surfaces = {0};
//     sn_surfaces_collect(world, &surfaces, error);
//     for each placement p: draw surfaces.meshes[p.mesh] at body p.body, moved by p.frame
//     sn_surfaces_free(&surfaces);
#ifndef SN_RECORD_SURFACE_H
#define SN_RECORD_SURFACE_H

#include "base/array.h"
#include "sinew/geometry.h"
#include "sinew/world.h"

typedef struct sn_surface_mesh {
    sn_shape shape; // the first of its kind, for comparison
    sn_mesh *mesh;  // in the shape's own frame
    int bent;       // the body whose it is, where it bends, in the world's order; else -1
} sn_surface_mesh;

typedef struct sn_placement {
    int body;           // in the world's order
    int mesh;           // in sn_surfaces.meshes
    sn_transform frame; // of the shape in the body's frame
    uint32_t colour;    // 0xRRGGBB
    double roughness, metallic;
    bool bends; // the mesh is how it is at rest; sn_body_read_display tells where its vertices are,
                // and sn_body_display_part what its faces look like, the first ones as here
} sn_placement;

typedef struct sn_surfaces {
    SN_ARRAY(sn_surface_mesh) meshes;
    SN_ARRAY(sn_placement) placements; // body after body
} sn_surfaces;

// Do two shapes have the same surface, wherever they are and whatever their colour?
SN_API bool sn_surface_same(const sn_shape *a, const sn_shape *b);

SN_API sn_status sn_surfaces_collect(const sn_world *world, sn_surfaces *surfaces, sn_error *error);
SN_API void sn_surfaces_free(sn_surfaces *surfaces);

#endif
