// Fuzzes the readers of mesh files: the first byte names the format (p, s, o or f for PLY, STL, OBJ
// and OFF), the rest is the file. Corners are vertices that exist, and what is repaired is sound.
#include <stdlib.h>

#include "geometry/mesh_builder.h"
#include "geometry/polygons.h"

// Fans of the polygons as a mesh, repaired.
static void repair(const sn_polygons *polygons)
{
    sn_mesh_builder builder = {0};
    const int *corners = polygons->corners.data;
    for (int i = 0; i < polygons->positions.count; ++i) {
        sn_vec3 p = polygons->positions.data[i];
        sn_mesh_builder_vertex(&builder, sn_vec3_is_finite(p) ? p : SN_VEC3_ZERO);
    }
    for (int f = 0; f < polygons->sizes.count; ++f) {
        int size = polygons->sizes.data[f];
        for (int k = 2; k < size; ++k) {
            int a = corners[0], b = corners[k - 1], c = corners[k];
            if (a != b && b != c && c != a) {
                sn_mesh_builder_triangle(&builder, a, b, c);
            }
        }
        corners = size > 0 ? corners + size : corners;
    }
    sn_mesh *mesh = NULL, *repaired = NULL;
    sn_mesh_repair counts = {0};
    char text[SN_MESH_REPAIR_TEXT];
    double overlap;
    if (builder.triangles.count / 3 > 500 || builder.positions.count < 3 ||
        builder.triangles.count == 0) {
        sn_mesh_builder_free(&builder);
        return;
    }
    if (sn_mesh_builder_finish(&builder, &mesh, NULL) == SN_OK &&
        sn_mesh_repaired(mesh, true, &repaired, &counts, NULL) == SN_OK) {
        if (sn_mesh_check(repaired, NULL, NULL) != SN_OK ||
            sn_mesh_overlap(repaired, &overlap, NULL) != SN_OK) {
            abort();
        }
        sn_mesh_repair_text(&counts, text);
    }
    sn_mesh_release(mesh);
    sn_mesh_release(repaired);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    sn_polygons_parser *parser = data[0] == 'p'   ? sn_polygons_parse_ply
                                 : data[0] == 's' ? sn_polygons_parse_stl
                                 : data[0] == 'o' ? sn_polygons_parse_obj
                                                  : sn_polygons_parse_off;
    sn_polygons polygons = {0};
    sn_error error = {0};
    sn_status status = parser("a", (const char *)data + 1, size - 1, &polygons, &error);
    if ((status == SN_OK) != (error.text[0] == '\0')) {
        abort(); // refused without a word, or accepted with complaints
    }
    int corners = 0;
    for (int f = 0; status == SN_OK && f < polygons.sizes.count; ++f) {
        corners += polygons.sizes.data[f];
    }
    for (int i = 0; status == SN_OK && i < polygons.corners.count; ++i) {
        if (polygons.corners.data[i] < 0 || polygons.corners.data[i] >= polygons.positions.count) {
            abort();
        }
    }
    if (status == SN_OK && corners != polygons.corners.count) {
        abort();
    }
    if (status == SN_OK) {
        repair(&polygons);
    }
    sn_polygons_free(&polygons);
    return 0;
}
