// What readers of tetrahedra have in common: nodes by tag, elements by tags, and the formats, each
// from a file's bytes in memory.
#ifndef SN_GEOMETRY_TETRAHEDRA_FILE_H
#define SN_GEOMETRY_TETRAHEDRA_FILE_H

#include "base/array.h"
#include "geometry/words.h"
#include "sinew/tetrahedra.h"

typedef struct sn_node_tag {
    int64_t tag;
    int index;
} sn_node_tag;

// What a file says, with nodes named by tags.
typedef struct sn_tetrahedra_parts {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(sn_node_tag) tags; // of positions
    SN_ARRAY(int64_t) elements; // 10 tags each, of which the first 4 or all count
    SN_ARRAY(int) regions;
    SN_ARRAY(sn_node_tag) names; // of regions: region, and where its name begins in the letters
    SN_ARRAY(char) letters;      // of names, each ended by a zero
    int nodes;                   // per element; 0: none so far
    bool failed;
} sn_tetrahedra_parts;

void sn_tetrahedra_parts_node(sn_tetrahedra_parts *parts, int64_t tag, sn_vec3 position);

// Reads `nodes` tags, bytes of this kind in binary files, and adds the element; `order` (may be
// NULL) says which tag is which node. All elements must have as many nodes as the first.
void sn_tetrahedra_parts_element(sn_tetrahedra_parts *parts, sn_words *words, sn_raw_kind kind,
                                 int nodes, const int *order, int region);

void sn_tetrahedra_parts_name(sn_tetrahedra_parts *parts, int region, const char *name,
                              size_t length);

// Makes the mesh, without nodes that no element uses, and frees the parts. Also called after
// failures, and then passes them on.
sn_status sn_tetrahedra_parts_finish(sn_tetrahedra_parts *parts, sn_words *words,
                                     sn_tetrahedra **tetrahedra);

// ---- formats ----

// Gmsh's MSH 2.2 and 4.1, in ASCII and binary.
SN_API sn_status sn_tetrahedra_parse_msh(const char *name, const char *text, size_t length,
                                         sn_tetrahedra **tetrahedra, sn_error *error);

// VTK's legacy unstructured grids in ASCII and binary, versions 1 to 5.1.
SN_API sn_status sn_tetrahedra_parse_vtk(const char *name, const char *text, size_t length,
                                         sn_tetrahedra **tetrahedra, sn_error *error);

// TetGen's pair of files.
SN_API sn_status sn_tetrahedra_parse_tetgen(const char *node_name, const char *node_text,
                                            size_t node_length, const char *ele_name,
                                            const char *ele_text, size_t ele_length,
                                            sn_tetrahedra **tetrahedra, sn_error *error);

// All bytes of a file, for the caller to free.
sn_status sn_file_read_text(const char *path, char **text, size_t *length, sn_error *error);

#endif
