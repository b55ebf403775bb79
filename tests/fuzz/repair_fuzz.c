// Fuzzes the repair with soups of triangles: the first byte is the number of vertices, three bytes
// each follow, and then three bytes for each triangle. Coordinates are few, so that much coincides.
#include <stdlib.h>

#include "sinew/geometry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 256 };
    if (size < 1) {
        return 0;
    }
    static sn_vec3 positions[MOST];
    static int triangles[3 * MOST];
    int vertices = data[0], count = 0;
    size_t at = 1;
    for (int i = 0; i < vertices; ++i, at += 3) {
        if (at + 3 > size) {
            return 0;
        }
        // The lower bits are places of a grid, the upper ones move them a little.
        double x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = (double)(data[at + (size_t)k] % 8) + 1e-8 * (data[at + (size_t)k] / 64);
        }
        positions[i] = sn_vec3_make(x[0], x[1], x[2]);
    }
    for (; at + 3 <= size && count < MOST && vertices > 0; at += 3) {
        int a = data[at] % vertices, b = data[at + 1] % vertices, c = data[at + 2] % vertices;
        if (a != b && b != c && c != a) {
            triangles[3 * count] = a;
            triangles[3 * count + 1] = b;
            triangles[3 * count + 2] = c;
            count += 1;
        }
    }
    sn_mesh *mesh = NULL, *repaired = NULL;
    sn_mesh_repair counts = {0};
    sn_error error = {0};
    double overlap = 0.0;
    if (sn_mesh_create(positions, vertices, triangles, count, &mesh, NULL) != SN_OK) {
        return 0;
    }
    sn_status status = sn_mesh_repaired(mesh, true, &repaired, &counts, &error);
    if ((status == SN_OK) != (repaired != NULL) || (status != SN_OK && error.text[0] == '\0')) {
        abort();
    }
    if (status == SN_OK &&
        (sn_mesh_check(repaired, NULL, NULL) != SN_OK ||
         sn_mesh_overlap(repaired, &overlap, NULL) != SN_OK || !(overlap >= 0.0))) {
        abort();
    }
    sn_mesh_release(mesh);
    sn_mesh_release(repaired);
    return 0;
}
