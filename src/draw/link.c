// Springs, massless rods and strings: they are no bodies, but a picture without them would show
// things that hang on nothing.
#include <math.h>

#include "base/error.h"
#include "draw/model.h"
#include "force/forces.h"
#include "math/elementary.h"
#include "mechanism/joint.h"
#include "model/world.h"
#include "sinew/joint.h"

enum {
    COIL_LIMIT = 40,   // springs; of more of them each is a straight wire
    TURNS = 12,        // of a coil
    TURN_RINGS = 14,   // rings of the wire to a turn
    STRAIGHT_RINGS = 2 // of a rod
};

#define LEAD 0.08 // straight part at each end, as a share of the length

static int order_of(const sn_world *world, sn_body body)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        if (sn_world_body(world, i).index == body.index) {
            return i;
        }
    }
    return -1;
}

static sn_status add_link(sn_model *model, const sn_model_link *link, sn_error *error)
{
    sn_model_link made = *link;
    made.material = sn_model_material_index(model, (sn_model_material){0x8f979f, 0.35f, 0.8f});
    if (made.material < 0 || !sn_array_push(&model->links, made)) {
        return sn_fail_memory(error, sizeof made);
    }
    return SN_OK;
}

static sn_status add_spring(sn_model *model, const sn_world *world, const sn_spring_def *spring,
                            bool coil, sn_error *error)
{
    sn_spring_ends ends = sn_world_spring_ends(world, spring);
    double length = spring->rest_length > 0.0 ? spring->rest_length : sn_distance(ends.a, ends.b);
    sn_model_link link = {.body_a = order_of(world, spring->body_a),
                          .body_b = order_of(world, spring->body_b),
                          .point_a = spring->point_a,
                          .point_b = spring->point_b,
                          .radius = coil ? 0.035 * length : 0.0,
                          .wire = coil ? 0.006 * length : 0.008 * length,
                          .turns = TURNS};
    return add_link(model, &link, error);
}

static sn_status add_rod(sn_model *model, const sn_world *world, sn_joint joint, sn_error *error)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    double length = sn_distance(sn_joint_parent_transform(world, joint).position,
                                sn_joint_child_transform(world, joint).position);
    sn_model_link link = {.body_a = order_of(world, record->parent),
                          .body_b = order_of(world, record->child),
                          .point_a = record->parent_frame.position,
                          .point_b = record->child_frame.position,
                          .wire = 0.005 * length};
    return add_link(model, &link, error);
}

// The box of a body's surfaces in its own frame; empty (lower > upper) without any.
static sn_aabb body_box(const sn_model *model, int body)
{
    sn_aabb box = sn_model_no_bounds().moving;
    for (int i = 0; i < model->parts.count; ++i) {
        const sn_model_part *part = &model->parts.data[i];
        const sn_shading *shading = &model->meshes.data[part->mesh].shading;
        for (int k = 0; k < shading->vertex_count && part->body == body; ++k) {
            const float *p = shading->vertices[k].position;
            sn_vec3 x = sn_transform_point(part->frame, sn_vec3_make(p[0], p[1], p[2]));
            box.lower = sn_vec3_min(box.lower, x);
            box.upper = sn_vec3_max(box.upper, x);
        }
    }
    return box;
}

// A body that turns about a point well outside of it hangs on a string, or sits on an arm, that
// nobody has drawn.
static sn_status add_string(sn_model *model, int body, sn_vec3 anchor, sn_error *error)
{
    sn_aabb box = body_box(model, body);
    sn_vec3 nearest = sn_vec3_max(box.lower, sn_vec3_min(box.upper, anchor));
    double away = sn_distance(anchor, nearest), size = sn_distance(box.lower, box.upper);
    if (!(size > 0.0) || !(away > 0.5 * size)) {
        return SN_OK;
    }
    sn_vec3 centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    sn_model_link link = {.body_a = body,
                          .body_b = body,
                          .point_a = anchor,
                          .point_b = centre,
                          .wire = 0.003 * sn_distance(anchor, centre)};
    return add_link(model, &link, error);
}

static sn_status add_strings(sn_model *model, const sn_world *world, sn_joint joint,
                             sn_error *error)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    sn_joint_type type = record->type;
    if (type != SN_JOINT_HINGE && type != SN_JOINT_BALL && type != SN_JOINT_UNIVERSAL) {
        return SN_OK;
    }
    int parent = order_of(world, record->parent), child = order_of(world, record->child);
    sn_status status = SN_OK;
    if (parent >= 0 && model->moves.data[parent]) {
        status = add_string(model, parent, record->parent_frame.position, error);
    }
    if (status == SN_OK && child >= 0 && model->moves.data[child]) {
        status = add_string(model, child, record->child_frame.position, error);
    }
    return status;
}

sn_status sn_model_find_links(sn_model *model, const sn_world *world, sn_error *error)
{
    int springs = 0;
    for (int i = 0; i < world->field_order.count; ++i) {
        springs += sn_field_kind_of(&world->fields.data[world->field_order.data[i]])->stretches;
    }
    sn_status status = SN_OK;
    for (int i = 0; i < world->field_order.count && status == SN_OK; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        if (sn_field_kind_of(field)->stretches) {
            status = add_spring(model, world, &field->spring, springs <= COIL_LIMIT, error);
        }
    }
    for (int i = 0; i < sn_world_joint_count(world) && status == SN_OK; ++i) {
        sn_joint joint = sn_world_joint(world, i);
        if (sn_joint_get_type(world, joint) == SN_JOINT_DISTANCE) {
            status = add_rod(model, world, joint, error);
        } else {
            status = add_strings(model, world, joint, error);
        }
    }
    return status;
}

int sn_model_link_rings(const sn_model_link *link)
{
    return link->radius > 0.0 ? (int)link->turns * TURN_RINGS + 3 : STRAIGHT_RINGS;
}

void sn_model_link_ends(const sn_model_link *link, const sn_transform *frames, sn_vec3 *a,
                        sn_vec3 *b)
{
    *a =
        link->body_a >= 0 ? sn_transform_point(frames[link->body_a], link->point_a) : link->point_a;
    *b =
        link->body_b >= 0 ? sn_transform_point(frames[link->body_b], link->point_b) : link->point_b;
}

typedef struct link_axes {
    sn_vec3 start, along, x, y; // along: from end to end; x, y: unit, across
} link_axes;

// How far the coil has turned at a ring; straight wires do not.
static double turns_at(const sn_model_link *link, double ring, int rings)
{
    double share = link->radius > 0.0 ? (ring - 1.0) / (rings - 3.0) : 0.0;
    return link->turns * (share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share);
}

static sn_vec3 across(const link_axes *axes, double turns)
{
    double sine, cosine;
    sn_sincos(2.0 * SN_PI * turns, &sine, &cosine);
    return sn_vec3_add(sn_vec3_scale(cosine, axes->x), sn_vec3_scale(sine, axes->y));
}

// The middle line at a ring. The radius of the coil grows from nothing within half a turn at either
// end, where the straight parts begin.
static sn_vec3 middle(const sn_model_link *link, const link_axes *axes, double ring, int rings)
{
    double last = rings - 1;
    if (!(link->radius > 0.0)) {
        return sn_vec3_add_scaled(axes->start, ring / last, axes->along);
    }
    double turns = turns_at(link, ring, rings);
    double along = ring < 1.0          ? LEAD * ring
                   : ring > last - 1.0 ? 1.0 - LEAD * (last - ring)
                                       : LEAD + (1.0 - 2.0 * LEAD) * turns / link->turns;
    double ramp = fmin(1.0, 2.0 * fmin(turns, link->turns - turns));
    double radius = link->radius * ramp * ramp * (3.0 - 2.0 * ramp);
    sn_vec3 p = sn_vec3_add_scaled(axes->start, along, axes->along);
    return sn_vec3_add_scaled(p, radius, across(axes, turns));
}

void sn_model_place_link(sn_model *model, const sn_model_link *link, const sn_transform *frames)
{
    link_axes axes;
    sn_vec3 end;
    sn_model_link_ends(link, frames, &axes.start, &end);
    axes.along = sn_vec3_sub(end, axes.start);
    sn_vec3 direction = sn_normalize(axes.along);
    sn_vec3 side =
        fabs(direction.z) < 0.9 ? sn_vec3_make(0.0, 0.0, 1.0) : sn_vec3_make(0.0, 1.0, 0.0);
    axes.x = sn_normalize(sn_cross(side, direction));
    axes.y = sn_cross(direction, axes.x);
    int rings = sn_model_link_rings(link);
    for (int ring = 0; ring < rings; ++ring) {
        sn_vec3 p = middle(link, &axes, ring, rings);
        sn_vec3 tangent = sn_normalize(sn_vec3_sub(middle(link, &axes, ring + 0.1, rings),
                                                   middle(link, &axes, ring - 0.1, rings)));
        sn_vec3 u = across(&axes, turns_at(link, ring, rings));
        u = sn_normalize(sn_vec3_add_scaled(u, -sn_dot(u, tangent), tangent));
        sn_vec3 v = sn_cross(tangent, u);
        for (int k = 0; k < SN_LINK_SIDES; ++k) {
            double sine, cosine;
            sn_sincos(2.0 * SN_PI * k / SN_LINK_SIDES, &sine, &cosine);
            sn_vec3 n = sn_vec3_add(sn_vec3_scale(cosine, u), sn_vec3_scale(sine, v));
            size_t at = (size_t)link->first_vertex + (size_t)ring * SN_LINK_SIDES + (size_t)k;
            model->positions.data[at] = sn_vec3_add_scaled(p, link->wire, n);
            model->outward.data[at] = n;
            model->normals.data[3 * at] = (float)n.x;
            model->normals.data[3 * at + 1] = (float)n.y;
            model->normals.data[3 * at + 2] = (float)n.z;
        }
    }
}
