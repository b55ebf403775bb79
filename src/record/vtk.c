// The series is a ParaView collection (.pvd) of XML PolyData files (.vtp), and where bodies bend a
// second one of their tetrahedra (.vtu).
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/bytes.h"
#include "record/output.h"
#include "record/surface.h"
#include "record/vtk_array.h"
#include "record/vtk_solid.h"
#include "scene/xml.h"
#include "sinew/elastic.h"
#include "sinew/record.h"

typedef struct vtk_writer {
    sn_recording *recording;
    sn_world *world;
    sn_surfaces surfaces;
    const char *folder, *name;
    int points, triangles;
    sn_vtk_file file;
    sn_vtk_solids solids;
    SN_ARRAY(sn_vec3) bent; // where the vertices of a surface that bends are, or how fast
} vtk_writer;

// Every point of every body in the world, or its velocity there.
static void add_points(vtk_writer *vtk, const char *name, bool velocity)
{
    sn_vtk_begin(&vtk->file, "Float64", name, 3);
    for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
        const sn_placement *placement = &vtk->surfaces.placements.data[i];
        sn_body body = sn_world_body(vtk->world, placement->body);
        sn_transform frame =
            sn_transform_multiply(sn_body_transform(vtk->world, body), placement->frame);
        const sn_mesh *mesh = vtk->surfaces.meshes.data[placement->mesh].mesh;
        const sn_vec3 *positions = sn_mesh_positions(mesh);
        if (placement->bends) {
            sn_body_read_display(vtk->world, body, velocity ? NULL : vtk->bent.data,
                                 velocity ? vtk->bent.data : NULL);
        }
        for (int k = 0; k < sn_mesh_vertex_count(mesh); ++k) {
            if (placement->bends) {
                sn_vtk_vector(&vtk->file, vtk->bent.data[k]);
                continue;
            }
            sn_vec3 point = sn_transform_point(frame, positions[k]);
            sn_vtk_vector(&vtk->file,
                          velocity ? sn_body_point_velocity(vtk->world, body, point) : point);
        }
    }
    sn_vtk_end(&vtk->file);
}

static void add_triangles(vtk_writer *vtk)
{
    sn_text_add(&vtk->file.xml, "<Polys>\n");
    sn_vtk_begin(&vtk->file, "Int32", "connectivity", 1);
    uint32_t base = 0;
    for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
        const sn_mesh *mesh = vtk->surfaces.meshes.data[vtk->surfaces.placements.data[i].mesh].mesh;
        const int *corners = sn_mesh_triangles(mesh);
        for (int k = 0; k < 3 * sn_mesh_triangle_count(mesh); ++k) {
            sn_bytes_put_u32(&vtk->file.array, base + (uint32_t)corners[k]);
        }
        base += (uint32_t)sn_mesh_vertex_count(mesh);
    }
    sn_vtk_end(&vtk->file);
    sn_vtk_begin(&vtk->file, "Int32", "offsets", 1);
    for (int i = 0; i < vtk->triangles; ++i) {
        sn_bytes_put_u32(&vtk->file.array, 3 * ((uint32_t)i + 1));
    }
    sn_vtk_end(&vtk->file);
    sn_text_add(&vtk->file.xml, "</Polys>\n");
}

static void add_colour(vtk_writer *vtk, uint32_t colour, int count)
{
    uint8_t rgb[3] = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour};
    for (int k = 0; k < count; ++k) {
        sn_bytes_put(&vtk->file.array, rgb, 3);
    }
}

// Of all faces of a placement.
static void add_colours(vtk_writer *vtk, const sn_placement *placement)
{
    sn_body body = sn_world_body(vtk->world, placement->body);
    int parts = placement->bends ? sn_body_display_part_count(vtk->world, body) : 0;
    for (int k = 0; k < parts; ++k) {
        sn_display_part part = sn_body_display_part(vtk->world, body, k);
        add_colour(vtk, part.look.colour, part.count);
    }
    if (!placement->bends) {
        add_colour(vtk, placement->colour,
                   sn_mesh_triangle_count(vtk->surfaces.meshes.data[placement->mesh].mesh));
    }
}

static void add_cell_data(vtk_writer *vtk)
{
    sn_text_add(&vtk->file.xml, "<CellData Scalars=\"body\">\n");
    for (int pass = 0; pass < 2; ++pass) {
        sn_vtk_begin(&vtk->file, pass == 0 ? "Int32" : "UInt8", pass == 0 ? "body" : "colour",
                     pass == 0 ? 1 : 3);
        for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
            const sn_placement *placement = &vtk->surfaces.placements.data[i];
            int count = sn_mesh_triangle_count(vtk->surfaces.meshes.data[placement->mesh].mesh);
            for (int k = 0; k < count && pass == 0; ++k) {
                sn_bytes_put_u32(&vtk->file.array, (uint32_t)placement->body);
            }
            if (pass == 1) {
                add_colours(vtk, placement);
            }
        }
        sn_vtk_end(&vtk->file);
    }
    sn_text_add(&vtk->file.xml, "</CellData>\n");
}

// The two series: surfaces of all bodies, and the insides of those that bend.
typedef enum series { SURFACES, SOLIDS } series;

// "<name>_000012.vtp", "<name>_solid_000012.vtu".
static void add_frame_name(const vtk_writer *vtk, series which, int frame, sn_text *text)
{
    text->length = 0;
    sn_text_add(text, vtk->name);
    sn_text_format(text, which == SURFACES ? "_%06d.vtp" : "_solid_%06d.vtu", frame);
}

static sn_status write_text(const vtk_writer *vtk, const sn_text *name, const sn_text *content,
                            sn_error *error)
{
    return name->failed ? sn_fail_memory(error, name->length)
                        : sn_vtk_write(content, vtk->folder, name->data, error);
}

static void fill_surfaces(vtk_writer *vtk)
{
    sn_text *xml = &vtk->file.xml;
    xml->length = 0;
    sn_text_add(xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    sn_vtk_field_data(&vtk->file, vtk->world);
    sn_text_format(xml,
                   "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                   "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                   vtk->points, vtk->triangles);
    sn_text_add(xml, "<PointData Vectors=\"velocity\">\n");
    add_points(vtk, "velocity", true);
    sn_text_add(xml, "</PointData>\n");
    add_cell_data(vtk);
    sn_text_add(xml, "<Points>\n");
    add_points(vtk, "Points", false);
    sn_text_add(xml, "</Points>\n");
    add_triangles(vtk);
    sn_text_add(xml, "</Piece>\n</PolyData>\n</VTKFile>\n");
}

static sn_status write_frame(vtk_writer *vtk, int frame, sn_error *error)
{
    sn_status status = sn_recording_frame(vtk->recording, frame, vtk->world, error);
    if (status != SN_OK) {
        return status;
    }
    if (frame == 0) {
        status = sn_vtk_solids_make(&vtk->solids, vtk->world, error);
    }
    sn_text name = {0};
    if (status == SN_OK) {
        fill_surfaces(vtk);
        add_frame_name(vtk, SURFACES, frame, &name);
        status = write_text(vtk, &name, &vtk->file.xml, error);
    }
    if (status == SN_OK && vtk->solids.points > 0) {
        sn_vtk_solids_fill(&vtk->solids, vtk->world, &vtk->file);
        add_frame_name(vtk, SOLIDS, frame, &name);
        status = write_text(vtk, &name, &vtk->file.xml, error);
    }
    sn_text_free(&name);
    return status;
}

static sn_status write_collection(vtk_writer *vtk, series which, int frames, sn_error *error)
{
    sn_text xml = {0}, file = {0};
    sn_text_add(&xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<Collection>\n");
    for (int i = 0; i < frames; ++i) {
        sn_text_add(&xml, "<DataSet timestep=\"");
        sn_text_number(&xml, sn_recording_frame_time(vtk->recording, i));
        sn_text_add(&xml, "\" group=\"\" part=\"0\" file=\"");
        add_frame_name(vtk, which, i, &file);
        if (file.data != NULL) {
            sn_xml_text(&xml, file.data);
        }
        sn_text_add(&xml, "\"/>\n");
    }
    sn_text_add(&xml, "</Collection>\n</VTKFile>\n");
    file.length = 0;
    sn_text_add(&file, vtk->name);
    sn_text_add(&file, which == SURFACES ? ".pvd" : "_solid.pvd");
    sn_status status = write_text(vtk, &file, &xml, error);
    sn_text_free(&xml);
    sn_text_free(&file);
    return status;
}

// Counts what every frame has, and refuses what 32-bit indices cannot hold.
static sn_status count_parts(vtk_writer *vtk, sn_error *error)
{
    int64_t points = 0, triangles = 0;
    for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
        const sn_mesh *mesh = vtk->surfaces.meshes.data[vtk->surfaces.placements.data[i].mesh].mesh;
        points += sn_mesh_vertex_count(mesh);
        triangles += sn_mesh_triangle_count(mesh);
    }
    if (points > INT32_MAX / 3 || triangles > INT32_MAX / 3) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, vtk->name,
                       "a frame has %lld points and %lld triangles, at most %d can be written",
                       (long long)points, (long long)triangles, INT32_MAX / 3);
    }
    vtk->points = (int)points;
    vtk->triangles = (int)triangles;
    return sn_array_resize(&vtk->bent, (int)points)
               ? SN_OK
               : sn_fail_memory(error, (size_t)points * sizeof(sn_vec3));
}

sn_status sn_export_vtk_world(sn_recording *recording, sn_world *world, const char *folder,
                              const char *name, sn_error *error)
{
    if (recording == NULL || world == NULL || folder == NULL || name == NULL || name[0] == '\0' ||
        strchr(name, '/') != NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "an export needs a recording, a world, a folder and a plain file name");
    }
    vtk_writer vtk = {.recording = recording, .world = world, .folder = folder, .name = name};
    sn_status status = sn_make_folder(folder, error);
    if (status == SN_OK) {
        status = sn_surfaces_collect(world, &vtk.surfaces, error);
    }
    if (status == SN_OK) {
        status = count_parts(&vtk, error);
    }
    int frames = sn_recording_get_info(recording).frame_count;
    for (int i = 0; i < frames && status == SN_OK; ++i) {
        status = write_frame(&vtk, i, error);
    }
    if (status == SN_OK) {
        status = write_collection(&vtk, SURFACES, frames, error);
    }
    if (status == SN_OK && vtk.solids.points > 0) {
        status = write_collection(&vtk, SOLIDS, frames, error);
    }
    sn_surfaces_free(&vtk.surfaces);
    sn_vtk_file_free(&vtk.file);
    sn_vtk_solids_free(&vtk.solids);
    sn_array_free(&vtk.bent);
    return status;
}

sn_status sn_export_vtk(sn_recording *recording, const char *folder, const char *name,
                        sn_error *error)
{
    sn_world *world = NULL;
    sn_status status = sn_recording_build_world(recording, 1, &world, error);
    if (status == SN_OK) {
        status = sn_export_vtk_world(recording, world, folder, name, error);
    }
    sn_world_destroy(world);
    return status;
}
