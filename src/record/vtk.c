// The series is a ParaView collection (.pvd) of XML PolyData files (.vtp), arrays inline in base64:
// "VTK File Formats", section "XML File Formats". Every array is a u64 byte count and the bytes,
// encoded together.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/bytes.h"
#include "record/output.h"
#include "record/surface.h"
#include "scene/xml.h"
#include "sinew/record.h"

typedef struct vtk_writer {
    sn_recording *recording;
    sn_world *world;
    sn_surfaces surfaces;
    const char *folder, *name;
    int points, triangles;
    sn_text xml;
    sn_bytes array; // the array being built, its byte count in front
} vtk_writer;

static void add_base64(sn_text *text, const uint8_t *data, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t rest = count - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (rest > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (rest > 2 ? data[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        rest > 1 ? digits[bits >> 6 & 63] : '=',
                        rest > 2 ? digits[bits & 63] : '='};
        sn_text_add_bytes(text, four, 4);
    }
}

static void begin_array(vtk_writer *vtk, const char *type, const char *name, int components)
{
    sn_text_format(&vtk->xml,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                   "format=\"binary\">",
                   type, name, components);
    sn_bytes_clear(&vtk->array);
    sn_bytes_put_u64(&vtk->array, 0);
}

static void end_array(vtk_writer *vtk)
{
    if (vtk->array.failed) {
        vtk->xml.failed = true;
        return;
    }
    sn_store_u64(vtk->array.data, vtk->array.count - 8);
    add_base64(&vtk->xml, vtk->array.data, vtk->array.count);
    sn_text_add(&vtk->xml, "</DataArray>\n");
}

static void put_vector(sn_bytes *bytes, sn_vec3 v)
{
    sn_bytes_put_f64(bytes, v.x);
    sn_bytes_put_f64(bytes, v.y);
    sn_bytes_put_f64(bytes, v.z);
}

// Every point of every body in the world, or its velocity there.
static void add_points(vtk_writer *vtk, const char *name, bool velocity)
{
    begin_array(vtk, "Float64", name, 3);
    for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
        const sn_placement *placement = &vtk->surfaces.placements.data[i];
        sn_body body = sn_world_body(vtk->world, placement->body);
        sn_transform frame =
            sn_transform_multiply(sn_body_transform(vtk->world, body), placement->frame);
        const sn_mesh *mesh = vtk->surfaces.meshes.data[placement->mesh].mesh;
        const sn_vec3 *positions = sn_mesh_positions(mesh);
        for (int k = 0; k < sn_mesh_vertex_count(mesh); ++k) {
            sn_vec3 point = sn_transform_point(frame, positions[k]);
            put_vector(&vtk->array,
                       velocity ? sn_body_point_velocity(vtk->world, body, point) : point);
        }
    }
    end_array(vtk);
}

static void add_triangles(vtk_writer *vtk)
{
    sn_text_add(&vtk->xml, "<Polys>\n");
    begin_array(vtk, "Int32", "connectivity", 1);
    uint32_t base = 0;
    for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
        const sn_mesh *mesh = vtk->surfaces.meshes.data[vtk->surfaces.placements.data[i].mesh].mesh;
        const int *corners = sn_mesh_triangles(mesh);
        for (int k = 0; k < 3 * sn_mesh_triangle_count(mesh); ++k) {
            sn_bytes_put_u32(&vtk->array, base + (uint32_t)corners[k]);
        }
        base += (uint32_t)sn_mesh_vertex_count(mesh);
    }
    end_array(vtk);
    begin_array(vtk, "Int32", "offsets", 1);
    for (int i = 0; i < vtk->triangles; ++i) {
        sn_bytes_put_u32(&vtk->array, 3 * ((uint32_t)i + 1));
    }
    end_array(vtk);
    sn_text_add(&vtk->xml, "</Polys>\n");
}

static void add_cell_data(vtk_writer *vtk)
{
    sn_text_add(&vtk->xml, "<CellData Scalars=\"body\">\n");
    for (int pass = 0; pass < 2; ++pass) {
        begin_array(vtk, pass == 0 ? "Int32" : "UInt8", pass == 0 ? "body" : "colour",
                    pass == 0 ? 1 : 3);
        for (int i = 0; i < vtk->surfaces.placements.count; ++i) {
            const sn_placement *placement = &vtk->surfaces.placements.data[i];
            uint32_t colour = placement->colour;
            uint8_t rgb[3] = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour};
            int count = sn_mesh_triangle_count(vtk->surfaces.meshes.data[placement->mesh].mesh);
            for (int k = 0; k < count; ++k) {
                if (pass == 0) {
                    sn_bytes_put_u32(&vtk->array, (uint32_t)placement->body);
                } else {
                    sn_bytes_put(&vtk->array, rgb, 3);
                }
            }
        }
        end_array(vtk);
    }
    sn_text_add(&vtk->xml, "</CellData>\n");
}

// Time, and the names behind the body numbers (as VTK wants texts: character codes, each ended by
// 0).
static void add_field_data(vtk_writer *vtk)
{
    sn_text *xml = &vtk->xml;
    sn_text_add(xml, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                     "NumberOfTuples=\"1\" format=\"ascii\">");
    sn_text_number(xml, sn_world_time(vtk->world));
    int bodies = sn_world_body_count(vtk->world);
    sn_text_format(xml,
                   "</DataArray>\n<Array type=\"String\" Name=\"body_names\" "
                   "NumberOfTuples=\"%d\" format=\"ascii\">\n",
                   bodies);
    for (int i = 0; i < bodies; ++i) {
        const char *name = sn_body_name(vtk->world, sn_world_body(vtk->world, i));
        for (const char *c = name; *c != '\0'; ++c) {
            sn_text_format(xml, "%u ", (unsigned)(unsigned char)*c);
        }
        sn_text_add(xml, "0\n");
    }
    sn_text_add(xml, "</Array>\n</FieldData>\n");
}

// "<folder>/<name>_000012.vtp", or without the folder.
static void add_frame_name(const vtk_writer *vtk, int frame, sn_text *text)
{
    sn_text_add(text, vtk->name);
    sn_text_format(text, "_%06d.vtp", frame);
}

static sn_status write_text(const vtk_writer *vtk, const sn_text *file, const sn_text *content,
                            sn_error *error)
{
    sn_text path = {0};
    sn_text_add(&path, vtk->folder);
    sn_text_add(&path, "/");
    if (file->data != NULL) {
        sn_text_add(&path, file->data);
    }
    sn_status status = path.failed || file->failed || content->failed
                           ? sn_fail_memory(error, content->length)
                           : sn_output_file(path.data, content->data, content->length, error);
    sn_text_free(&path);
    return status;
}

static sn_status write_frame(vtk_writer *vtk, int frame, sn_error *error)
{
    sn_status status = sn_recording_frame(vtk->recording, frame, vtk->world, error);
    if (status != SN_OK) {
        return status;
    }
    sn_text *xml = &vtk->xml;
    xml->length = 0;
    sn_text_add(xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    add_field_data(vtk);
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

    sn_text file = {0};
    add_frame_name(vtk, frame, &file);
    status = write_text(vtk, &file, xml, error);
    sn_text_free(&file);
    return status;
}

static sn_status write_collection(vtk_writer *vtk, int frames, sn_error *error)
{
    sn_text xml = {0}, file = {0};
    sn_text_add(&xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<Collection>\n");
    for (int i = 0; i < frames; ++i) {
        sn_text_add(&xml, "<DataSet timestep=\"");
        sn_text_number(&xml, sn_recording_frame_time(vtk->recording, i));
        sn_text_add(&xml, "\" group=\"\" part=\"0\" file=\"");
        file.length = 0;
        add_frame_name(vtk, i, &file);
        if (file.data != NULL) {
            sn_xml_text(&xml, file.data);
        }
        sn_text_add(&xml, "\"/>\n");
    }
    sn_text_add(&xml, "</Collection>\n</VTKFile>\n");
    file.length = 0;
    sn_text_add(&file, vtk->name);
    sn_text_add(&file, ".pvd");
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
    return SN_OK;
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
        status = write_collection(&vtk, frames, error);
    }
    sn_surfaces_free(&vtk.surfaces);
    sn_text_free(&vtk.xml);
    sn_bytes_free(&vtk.array);
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
