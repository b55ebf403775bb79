#include "record/vtk_solid.h"

#include "base/error.h"
#include "sinew/elastic.h"

enum { VTK_TETRA = 10, VTK_QUADRATIC_TETRA = 24 }; // its nodes are in the same order as ours

void sn_vtk_solids_free(sn_vtk_solids *solids)
{
    sn_array_free(&solids->start);
    sn_array_free(&solids->now);
}

static void read_all(const sn_world *world, sn_vec3 *positions, sn_vec3 *velocities)
{
    int at = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_body_read_vertices(world, body, positions + at,
                              velocities != NULL ? velocities + at : NULL);
        at += sn_body_vertex_count(world, body);
    }
}

sn_status sn_vtk_solids_make(sn_vtk_solids *solids, const sn_world *world, sn_error *error)
{
    *solids = (sn_vtk_solids){0};
    int64_t points = 0, corners = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        const sn_tetrahedra *mesh = sn_body_tetrahedra(world, sn_world_body(world, i));
        if (mesh != NULL) {
            int count = sn_tetrahedra_element_count(mesh);
            points += sn_tetrahedra_vertex_count(mesh);
            corners += (int64_t)count * sn_tetrahedra_nodes(mesh);
            solids->elements += count;
        }
    }
    if (points > INT32_MAX / 6 || corners > INT32_MAX) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                       "%lld vertices and %lld nodes of elements are too many for a file",
                       (long long)points, (long long)corners);
    }
    solids->points = (int)points;
    solids->corners = (int)corners;
    if (!sn_array_resize(&solids->start, solids->points) ||
        !sn_array_resize(&solids->now, 2 * solids->points)) {
        sn_vtk_solids_free(solids);
        return sn_fail_memory(error, (size_t)points * sizeof(sn_vec3));
    }
    if (points > 0) {
        read_all(world, solids->start.data, NULL);
    }
    return SN_OK;
}

static void add_vectors(sn_vtk_file *file, const char *name, const sn_vec3 *v, const sn_vec3 *less,
                        int count)
{
    sn_vtk_begin(file, "Float64", name, 3);
    for (int i = 0; i < count; ++i) {
        sn_vtk_vector(file, less != NULL ? sn_vec3_sub(v[i], less[i]) : v[i]);
    }
    sn_vtk_end(file);
}

static double volume_of(const sn_vec3 *x, const int *corner)
{
    sn_vec3 a = x[corner[0]];
    return sn_dot(sn_vec3_sub(x[corner[1]], a),
                  sn_cross(sn_vec3_sub(x[corner[2]], a), sn_vec3_sub(x[corner[3]], a))) /
           6.0;
}

typedef enum column { BODY, REGION, STRETCH, CONNECTIVITY, OFFSETS, TYPES } column;

static void put_element(sn_vtk_file *file, column what, const sn_tetrahedra *mesh, int element,
                        int body, const sn_vec3 *x, int first, uint32_t *offset)
{
    int nodes = sn_tetrahedra_nodes(mesh);
    const int *corner = sn_tetrahedra_elements(mesh) + (size_t)nodes * (size_t)element;
    switch (what) {
    case BODY:
        sn_bytes_put_u32(&file->array, (uint32_t)body);
        break;
    case REGION:
        sn_bytes_put_u32(&file->array, (uint32_t)sn_tetrahedra_regions(mesh)[element]);
        break;
    case STRETCH:
        sn_bytes_put_f64(&file->array,
                         volume_of(x, corner) / volume_of(sn_tetrahedra_positions(mesh), corner));
        break;
    case CONNECTIVITY:
        for (int k = 0; k < nodes; ++k) {
            sn_bytes_put_u32(&file->array, (uint32_t)(first + corner[k]));
        }
        break;
    case OFFSETS:
        *offset += (uint32_t)nodes;
        sn_bytes_put_u32(&file->array, *offset);
        break;
    case TYPES:
        sn_bytes_put(&file->array, &(uint8_t){nodes == 4 ? VTK_TETRA : VTK_QUADRATIC_TETRA}, 1);
        break;
    }
}

static void add_column(const sn_vtk_solids *solids, const sn_world *world, sn_vtk_file *file,
                       column what, const char *type, const char *name)
{
    uint32_t offset = 0;
    int first = 0;
    sn_vtk_begin(file, type, name, 1);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        const sn_tetrahedra *mesh = sn_body_tetrahedra(world, sn_world_body(world, i));
        for (int e = 0; mesh != NULL && e < sn_tetrahedra_element_count(mesh); ++e) {
            put_element(file, what, mesh, e, i, solids->now.data + first, first, &offset);
        }
        first += mesh != NULL ? sn_tetrahedra_vertex_count(mesh) : 0;
    }
    sn_vtk_end(file);
}

void sn_vtk_solids_fill(sn_vtk_solids *solids, const sn_world *world, sn_vtk_file *file)
{
    sn_text *xml = &file->xml;
    sn_vec3 *velocities = solids->now.data + solids->points;
    read_all(world, solids->now.data, velocities);
    xml->length = 0;
    sn_text_add(xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    sn_vtk_field_data(file, world);
    sn_text_format(xml, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", solids->points,
                   solids->elements);
    sn_text_add(xml, "<PointData Vectors=\"displacement\">\n");
    add_vectors(file, "displacement", solids->now.data, solids->start.data, solids->points);
    add_vectors(file, "velocity", velocities, NULL, solids->points);
    sn_text_add(xml, "</PointData>\n<CellData Scalars=\"stretch\">\n");
    add_column(solids, world, file, STRETCH, "Float64", "stretch");
    add_column(solids, world, file, BODY, "Int32", "body");
    add_column(solids, world, file, REGION, "Int32", "region");
    sn_text_add(xml, "</CellData>\n<Points>\n");
    add_vectors(file, "Points", solids->now.data, NULL, solids->points);
    sn_text_add(xml, "</Points>\n<Cells>\n");
    add_column(solids, world, file, CONNECTIVITY, "Int32", "connectivity");
    add_column(solids, world, file, OFFSETS, "Int32", "offsets");
    add_column(solids, world, file, TYPES, "UInt8", "types");
    sn_text_add(xml, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}
