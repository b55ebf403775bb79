// What the parts of the glTF writer share.
#ifndef SN_RECORD_GLTF_PART_H
#define SN_RECORD_GLTF_PART_H

#include "base/array.h"
#include "record/bytes.h"
#include "record/shading.h"
#include "record/surface.h"
#include "scene/text.h"
#include "sinew/record.h"

#define GLTF_FLOAT        5126
#define GLTF_UNSIGNED_INT 5125
#define GLTF_VERTICES     34962
#define GLTF_INDICES      34963

typedef struct gltf_material {
    uint32_t colour;
    double roughness, metallic;
} gltf_material;

// A surface of a material.
typedef struct gltf_mesh {
    int surface;
    int material;
} gltf_mesh;

// A surface that bends: a target for some of the frames, between which its form is blended.
typedef struct gltf_morph {
    int placement, surface;
    int points;   // vertices of its mesh
    float *moved; // target after target, 3 * points: from rest, in the body's frame
    int first;    // accessor: of the first target, positions and normals in turn
} gltf_morph;

typedef struct gltf_writer {
    sn_recording *recording;
    sn_world *world;
    sn_surfaces surfaces;
    SN_ARRAY(gltf_mesh) meshes;
    SN_ARRAY(int) first_accessors; // by surface
    SN_ARRAY(gltf_material) materials;
    SN_ARRAY(int) moving; // bodies with channels
    float *keys;          // body after body: 3 * frames of position, 4 * frames of rotation
    float *times;
    int frames; // key frames kept
    SN_ARRAY(gltf_morph) morphs;
    int target_step;  // frames from one target to the next
    int target_count; // of each morph, so far as frames are read
    int frame_room;
    sn_bytes binary;
    sn_text json, accessors, views; // the last two without their brackets
    int accessor_count;
} gltf_writer;

// Opens a view and its accessor at the end of the binary part; `extra` goes into the accessor.
int sn_gltf_accessor(gltf_writer *gltf, size_t bytes, int target, int component, int count,
                     const char *type, const char *extra);
// , "min": [...], "max": [...] of `count` tuples, `stride` floats apart.
void sn_gltf_bounds(sn_text *text, const float *values, int count, int components, int stride);
void sn_gltf_floats(sn_bytes *binary, const float *values, size_t count);

// ---- gltf_morph.c ----
// Room for the surfaces that bend, once the number of frames is known.
sn_status sn_gltf_find_morphs(gltf_writer *gltf, sn_error *error);
// The frame that is read now, as the next key frame.
sn_status sn_gltf_read_morphs(gltf_writer *gltf, sn_error *error);
void sn_gltf_free_morphs(gltf_writer *gltf);
// The morph of a surface; NULL: it does not bend.
const gltf_morph *sn_gltf_morph_of(const gltf_writer *gltf, int surface);
// Accessors of the targets of a surface that has this shading.
sn_status sn_gltf_put_targets(gltf_writer *gltf, int surface, const sn_shading *shading,
                              sn_error *error);
// , "targets": [...]
void sn_gltf_add_targets(gltf_writer *gltf, const gltf_morph *morph);
// , "weights": [...] of a mesh that does not move: those of the first key frame.
void sn_gltf_add_weights(gltf_writer *gltf);
// Accessor of all weights: target_count by key frame.
int sn_gltf_put_weights(gltf_writer *gltf);

#endif
