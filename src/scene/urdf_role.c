#include "scene/urdf_role.h"

#include <string.h>

static bool has_shapes(const sn_urdf_shape *shapes, int count, bool collision)
{
    bool found = false;
    for (int i = 0; i < count; ++i) {
        found = found || shapes[i].collision == collision;
    }
    return found;
}

// Are a link's <collision> (true) or <visual> shapes drawn, and which of them touch?
typedef struct choice {
    bool drawn, touching;
} choice;

static choice choose(const sn_urdf *urdf, const sn_robot_item *item, const sn_urdf_link *link)
{
    const sn_urdf_shape *shapes = &urdf->shapes[link->first_shape];
    if (item->geometry == SN_GEOMETRY_FILE) {
        // A robot of which nothing would be seen shows what touches.
        return (choice){!has_shapes(urdf->shapes, urdf->shape_count, false), true};
    }
    bool collision = item->geometry == SN_GEOMETRY_COLLISION;
    collision = has_shapes(shapes, link->shape_count, collision) ? collision : !collision;
    return (choice){collision, collision};
}

// ---- the same form twice ----

static bool same_vector(sn_vec3 a, sn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_frame(sn_transform a, sn_transform b)
{
    sn_quat p = a.rotation, q = b.rotation;
    return same_vector(a.position, b.position) && p.w == q.w && p.x == q.x && p.y == q.y &&
           p.z == q.z;
}

static bool is_twin(const sn_urdf_shape *a, const sn_urdf_shape *b)
{
    bool same_file = a->type != SN_SHAPE_MESH ||
                     (a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0);
    return a->collision != b->collision && a->type == b->type && same_vector(a->size, b->size) &&
           a->radius == b->radius && a->height == b->height && same_frame(a->frame, b->frame) &&
           same_vector(a->scale, b->scale) && same_file;
}

// A <visual> and a <collision> of the same form are one shape, if it touches as it is drawn.
static bool has_twin(const sn_urdf_shape *shapes, int count, int index, bool concave)
{
    bool found = false;
    for (int i = 0; i < count; ++i) {
        found = found || is_twin(&shapes[i], &shapes[index]);
    }
    return found && (shapes[index].type != SN_SHAPE_MESH || concave);
}

// ---- roles ----

int sn_urdf_roles(const sn_urdf *urdf, const sn_robot_item *item, const sn_urdf_link *link,
                  int index, sn_shape_role roles[2])
{
    const sn_urdf_shape *shapes = &urdf->shapes[link->first_shape];
    choice wanted = choose(urdf, item, link);
    bool drawn = shapes[index].collision == wanted.drawn;
    bool touches = shapes[index].collision == wanted.touching;
    if (wanted.drawn != wanted.touching &&
        has_twin(shapes, link->shape_count, index, item->concave)) {
        touches = drawn; // both by the <visual>, which has the colour
    }
    bool hull = shapes[index].type == SN_SHAPE_MESH && !item->concave;
    int count = 0;
    if (drawn && touches && !hull) {
        roles[count++] = SN_ROLE_BOTH;
        return count;
    }
    if (drawn) {
        roles[count++] = SN_ROLE_VISUAL;
    }
    if (touches) {
        roles[count++] = SN_ROLE_COLLISION;
    }
    return count;
}

bool sn_urdf_touches_nothing(const sn_urdf *urdf, const sn_robot_item *item)
{
    return item->geometry == SN_GEOMETRY_FILE && urdf->shape_count > 0 &&
           !has_shapes(urdf->shapes, urdf->shape_count, true);
}
