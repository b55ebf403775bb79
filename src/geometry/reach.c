#include "geometry/reach.h"

#include "geometry/mesh.h"

static double mesh_reach(const sn_mesh *mesh)
{
    double reach = 0.0;
    const sn_vec3 *positions = sn_mesh_positions(mesh);
    for (int i = 0; i < sn_mesh_vertex_count(mesh); ++i) {
        double far = sn_length(positions[i]);
        reach = far > reach ? far : reach;
    }
    return reach;
}

// The farthest corner of the bounds is at least as far as the surface.
static double field_reach(const sn_height_field *field)
{
    sn_aabb bounds = sn_height_field_bounds(field);
    sn_vec3 far = {fmax(-bounds.lower.x, bounds.upper.x), fmax(-bounds.lower.y, bounds.upper.y),
                   fmax(fabs(bounds.lower.z), fabs(bounds.upper.z))};
    return sn_length(far);
}

double sn_shape_reach(const sn_shape *shape)
{
    double half = 0.5 * shape->height;
    switch (shape->type) {
    case SN_SHAPE_SPHERE:
        return shape->radius;
    case SN_SHAPE_BOX:
        return 0.5 * sn_length(shape->size);
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        return sqrt(shape->radius * shape->radius + half * half);
    case SN_SHAPE_CAPSULE:
        return half + shape->radius;
    case SN_SHAPE_TORUS:
        return shape->radius + shape->tube_radius;
    case SN_SHAPE_MESH:
        return shape->mesh != NULL ? mesh_reach(shape->mesh) : 0.0;
    case SN_SHAPE_HULL:
        return shape->mesh != NULL ? mesh_reach(shape->mesh) + shape->rounding : 0.0;
    case SN_SHAPE_HEIGHT_FIELD:
        return shape->field != NULL ? field_reach(shape->field) : 0.0;
    case SN_SHAPE_PLANE: // no end; it belongs to static bodies, which do not turn
    case SN_SHAPE_TYPE_COUNT:
        break;
    }
    return 0.0;
}

double sn_shapes_reach(const sn_shape *shapes, int count, sn_vec3 centre)
{
    double radius = 0.0;
    for (int i = 0; i < count; ++i) {
        if (!sn_shape_touches(&shapes[i])) {
            continue;
        }
        double far = sn_distance(shapes[i].frame.position, centre) + sn_shape_reach(&shapes[i]);
        radius = far > radius ? far : radius;
    }
    return radius;
}
