// Arrays of VTK's XML files, inline in base64: "VTK File Formats", section "XML File Formats".
// Every array is a u64 byte count and the bytes, encoded together.
//
//     sn_vtk_begin(&file, "Float64", "Points", 3);
//     sn_vtk_vector(&file, x); ...
//     sn_vtk_end(&file);
#ifndef SN_RECORD_VTK_ARRAY_H
#define SN_RECORD_VTK_ARRAY_H

#include "record/bytes.h"
#include "scene/text.h"
#include "sinew/world.h"

typedef struct sn_vtk_file {
    sn_text xml;
    sn_bytes array; // the array being built, its byte count in front
} sn_vtk_file;

void sn_vtk_file_free(sn_vtk_file *file);

void sn_vtk_begin(sn_vtk_file *file, const char *type, const char *name, int components);
void sn_vtk_end(sn_vtk_file *file);
void sn_vtk_vector(sn_vtk_file *file, sn_vec3 v); // three Float64

// The world's time, and the names behind the numbers of bodies.
void sn_vtk_field_data(sn_vtk_file *file, const sn_world *world);

// The text as <folder>/<name>.
sn_status sn_vtk_write(const sn_text *content, const char *folder, const char *name,
                       sn_error *error);

#endif
