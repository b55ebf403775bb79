// A box with rounded edges and corners: a sphere cut into its eight octants, each moved out to a
// corner of the core, with flat faces and quarters of cylinders between them.
//
// Seen from above, a ring of the sphere is four quarter circles around the corners of the core.
// Rings of the lower half are at the core's lower side, those of the upper half at its upper side;
// the first and last ring have no radius and are the corners of the flat bottom and top.
#include "base/error.h"
#include "geometry/generate.h"
#include "geometry/mesh_builder.h"
#include "geometry/weld.h"

// Half an edge of the core; what is left of rounding where the two halves meet is nothing.
static double core_half(double size, double rounding)
{
    double half = 0.5 * size - rounding;
    return half > 1e-12 * size ? half : 0.0;
}

static void add_ring(sn_mesh_builder *builder, sn_vec3 core, double radius, double z, int quarter)
{
    for (int corner = 0; corner < 4; ++corner) {
        double x = corner == 0 || corner == 3 ? core.x : -core.x;
        double y = corner < 2 ? core.y : -core.y;
        for (int i = 0; i <= quarter; ++i) {
            sn_vec2 p = sn_circle_point((corner * quarter + i) % (4 * quarter), 4 * quarter);
            sn_mesh_builder_vertex(builder, sn_vec3_make(x + radius * p.x, y + radius * p.y, z));
        }
    }
}

static void add_vertices(sn_mesh_builder *builder, sn_vec3 core, double rounding, int quarter)
{
    for (int half = 0; half < 2; ++half) {
        for (int i = 0; i <= quarter; ++i) {
            sn_vec2 p = sn_circle_point(half == 0 ? quarter - i : i, 4 * quarter);
            double z = half == 0 ? -core.z - rounding * p.y : core.z + rounding * p.y;
            add_ring(builder, core, rounding * p.x, z, quarter);
        }
    }
}

sn_status sn_mesh_rounded_box(sn_vec3 size, double rounding, int segments, sn_mesh **mesh,
                              sn_error *error)
{
    double least = fmin(size.x, fmin(size.y, size.z));
    if (rounding == 0.0) {
        return sn_mesh_box(size, mesh, error);
    }
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    status = status == SN_OK ? sn_check_length("smallest edge of the box", least, error) : status;
    if (status == SN_OK && !sn_vec3_is_finite(size)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL, "an edge of the box is not finite");
    }
    status = status == SN_OK ? sn_check_length("rounding", rounding, error) : status;
    if (status == SN_OK && 2.0 * rounding > least) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "rounding %g m of a box with an edge of %g m; at most half of it was "
                         "expected",
                         rounding, least);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_mesh_builder builder = {0};
    int quarter = (segments + 3) / 4, ring = 4 * (quarter + 1), rings = 2 * (quarter + 1);
    sn_vec3 core = {core_half(size.x, rounding), core_half(size.y, rounding),
                    core_half(size.z, rounding)};
    add_vertices(&builder, core, rounding, quarter);
    for (int k = 0; k + 1 < rings; ++k) {
        for (int i = 0; i < ring; ++i) {
            int j = (i + 1) % ring;
            sn_mesh_builder_quad(&builder, k * ring + i, k * ring + j, (k + 1) * ring + j,
                                 (k + 1) * ring + i);
        }
    }
    int top = (rings - 1) * ring, step = quarter + 1;
    sn_mesh_builder_quad(&builder, 0, 3 * step, 2 * step, step);
    sn_mesh_builder_quad(&builder, top, top + step, top + 2 * step, top + 3 * step);
    // Corners of the flat faces, and where the core is flat itself: equal to the last bit.
    if (!builder.failed && !sn_weld(&builder, 0.0)) {
        builder.failed = true;
    }
    return sn_mesh_builder_finish(&builder, mesh, error);
}
