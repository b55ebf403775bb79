#include "mobile/mobile.h"

#include <math.h>

#include "base/error.h"
#include "math/elementary.h"
#include "math/rotation.h"

// Edges around a full circle of bent sheets.
enum { BEND_SEGMENTS = 96 };

// A hole that nobody places is this share of the sheet's height below its upper edge.
static const double HOLE_MARGIN = 0.06;

// ---- wires ----

static double distance(sn_vec2 a, sn_vec2 b)
{
    return sn_hypot(b.x - a.x, b.y - a.y);
}

double sn_wire_length(const sn_part *arm)
{
    double length = 0.0;
    for (int i = 1; i < arm->wire_count; ++i) {
        length += distance(arm->wire[i - 1], arm->wire[i]);
    }
    return length;
}

sn_vec3 sn_wire_point(const sn_part *arm, double at)
{
    int i = 1;
    double piece = distance(arm->wire[0], arm->wire[1]);
    while (at > piece && i + 1 < arm->wire_count) {
        at -= piece;
        i += 1;
        piece = distance(arm->wire[i - 1], arm->wire[i]);
    }
    sn_vec2 a = arm->wire[i - 1], b = arm->wire[i];
    double share = at / piece;
    return sn_vec3_make(a.x + share * (b.x - a.x), 0.0, a.y + share * (b.y - a.y));
}

// ---- outlines ----

static sn_vec2 scaled(const sn_part *part, sn_vec2 p)
{
    return (sn_vec2){part->size * p.x, part->size * p.y};
}

static double outline_length(const sn_part *part)
{
    double low = part->outline.points[0].x, high = low;
    for (int i = 1; i < part->outline.loop_sizes[0]; ++i) {
        low = fmin(low, part->outline.points[i].x);
        high = fmax(high, part->outline.points[i].x);
    }
    return part->size * (high - low);
}

double sn_part_bend_radius(const sn_part *part)
{
    return part->bend != 0.0 ? outline_length(part) / part->bend : 0.0;
}

sn_vec3 sn_part_surface_point(const sn_part *part, sn_vec2 point)
{
    double radius = sn_part_bend_radius(part), s, c;
    if (radius == 0.0) {
        return sn_vec3_make(point.x, point.y, 0.0);
    }
    sn_sincos(point.x / radius, &s, &c);
    return sn_vec3_make(radius * s, point.y, radius * (1.0 - c));
}

// The middle of the area: holes count against the outer loop, whichever way the loops run.
static sn_vec2 outline_middle(const sn_outline *outline, double *whole)
{
    sn_vec2 sum = {0.0, 0.0};
    double area = 0.0;
    const sn_vec2 *p = outline->points;
    for (int l = 0; l < outline->loop_count; ++l) {
        int n = outline->loop_sizes[l];
        double twice = 0.0, x = 0.0, y = 0.0;
        for (int i = 0; i < n; ++i) {
            sn_vec2 a = p[i], b = p[(i + 1) % n];
            double cross = a.x * b.y - a.y * b.x;
            twice += cross;
            x += cross * (a.x + b.x);
            y += cross * (a.y + b.y);
        }
        double sign = (twice < 0.0) == (l == 0) ? -1.0 : 1.0;
        area += sign * 0.5 * twice;
        sum.x += sign * x / 6.0;
        sum.y += sign * y / 6.0;
        p += n;
    }
    *whole = area;
    return area != 0.0 ? (sn_vec2){sum.x / area, sum.y / area} : outline->points[0];
}

// How far from `from` along `direction` the outer loop reaches, and how far back.
static void reach(const sn_outline *outline, sn_vec2 from, sn_vec2 direction, double *least,
                  double *most)
{
    int n = outline->loop_sizes[0];
    *least = *most = 0.0;
    for (int i = 0; i < n; ++i) {
        sn_vec2 a = outline->points[i], b = outline->points[(i + 1) % n];
        double sa = direction.x * (a.y - from.y) - direction.y * (a.x - from.x);
        double sb = direction.x * (b.y - from.y) - direction.y * (b.x - from.x);
        if ((sa > 0.0) == (sb > 0.0)) {
            continue;
        }
        double share = sa / (sa - sb);
        double t = direction.x * (a.x + share * (b.x - a.x) - from.x) +
                   direction.y * (a.y + share * (b.y - a.y) - from.y);
        *least = fmin(*least, t);
        *most = fmax(*most, t);
    }
}

// On the line up through the middle, a little below the edge. `up` is in the sheet's axes.
static sn_vec2 default_hole(const sn_part *part, sn_vec3 up)
{
    double area;
    sn_vec2 middle = outline_middle(&part->outline, &area);
    double length = sn_hypot(up.x, up.y);
    if (length < 0.1) {
        return middle; // it lies flat
    }
    sn_vec2 direction = {up.x / length, up.y / length};
    double least, most;
    reach(&part->outline, middle, direction, &least, &most);
    double t = fmax(most - HOLE_MARGIN * (most - least), 0.5 * most);
    return (sn_vec2){middle.x + t * direction.x, middle.y + t * direction.y};
}

// ---- shapes ----

// A rod between two points of a plane y = 0. Its round ends overlap those of the next one, so its
// density is such that it weighs as much as a cylinder of its length.
static sn_shape rod(sn_vec3 a, sn_vec3 b, double radius, double density)
{
    sn_shape shape = sn_default_shape();
    double length = sn_distance(a, b);
    shape.type = SN_SHAPE_CAPSULE;
    shape.radius = radius;
    shape.height = length;
    shape.frame.position = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    shape.frame.rotation = sn_quat_between(sn_vec3_make(0, 0, 1), sn_vec3_sub(b, a));
    shape.density = density * length / (length + 4.0 / 3.0 * radius);
    return shape;
}

double sn_part_volume(const sn_part *part)
{
    double r = part->size * part->radius;
    sn_mass_properties mass = {0};
    switch (part->type) {
    case SN_PART_DISC:
        return SN_PI * r * r * part->thickness;
    case SN_PART_BALL:
        return 4.0 / 3.0 * SN_PI * r * r * r;
    case SN_PART_SHEET:
        return sn_mesh_mass_properties(part->sheet, 1.0, &mass, NULL) == SN_OK ? mass.mass : 0.0;
    case SN_PART_SOLID:
        return sn_mesh_mass_properties(part->mesh, 1.0, &mass, NULL) == SN_OK
                   ? mass.mass * part->size * part->size * part->size
                   : 0.0;
    default:
        return 0.0;
    }
}

static bool has_stem(const sn_part *part)
{
    return !part->fixed && part->stem_radius > 0.0 && part->height > 0.0;
}

static double arm_density(const sn_part *arm)
{
    double volume = SN_PI * arm->radius * arm->radius * sn_wire_length(arm);
    if (has_stem(arm)) {
        volume += SN_PI * arm->stem_radius * arm->stem_radius * arm->height;
    }
    return arm->mass > 0.0 ? arm->mass / volume : arm->density;
}

static sn_status add_shape(sn_part_shapes *shapes, sn_shape shape, sn_error *error)
{
    return sn_array_push(shapes, shape) ? SN_OK : sn_fail_memory(error, sizeof shape);
}

static sn_status add_wire(const sn_part *arm, sn_part_shapes *shapes, sn_error *error)
{
    double density = arm_density(arm);
    sn_status status = SN_OK;
    for (int i = 1; i < arm->wire_count && status == SN_OK; ++i) {
        sn_vec3 a = sn_vec3_make(arm->wire[i - 1].x, 0.0, arm->wire[i - 1].y);
        sn_vec3 b = sn_vec3_make(arm->wire[i].x, 0.0, arm->wire[i].y);
        status = add_shape(shapes, rod(a, b, arm->radius, density), error);
    }
    return status;
}

sn_status sn_part_add_shapes(const sn_part *part, sn_part_shapes *shapes, sn_error *error)
{
    sn_shape shape = sn_default_shape();
    sn_status status;
    if (part->type == SN_PART_ARM) {
        status = add_wire(part, shapes, error);
    } else {
        shape.type = part->type == SN_PART_DISC   ? SN_SHAPE_CYLINDER
                     : part->type == SN_PART_BALL ? SN_SHAPE_SPHERE
                                                  : SN_SHAPE_MESH;
        shape.radius = part->size * part->radius;
        shape.height = part->thickness;
        shape.mesh = part->type == SN_PART_SHEET ? part->sheet : part->mesh;
        shape.density = part->mass > 0.0 ? part->mass / sn_part_volume(part) : part->density;
        if (part->type == SN_PART_SHEET && part->bend != 0.0 && !(part->mass > 0.0)) {
            // Rolling keeps the volume; the facets of the rolled mesh cut some of it off.
            double area;
            (void)outline_middle(&part->outline, &area);
            double volume = area * part->size * part->size * part->thickness;
            shape.density *= volume / sn_part_volume(part);
        }
        status = add_shape(shapes, shape, error);
    }
    if (status == SN_OK && has_stem(part) && part->type == SN_PART_ARM) {
        sn_vec3 foot = sn_wire_point(part, part->hook), up = sn_vec3_make(0.0, 0.0, part->height);
        status = add_shape(
            shapes, rod(foot, sn_vec3_add(foot, up), part->stem_radius, arm_density(part)), error);
    }
    return status;
}

bool sn_part_drop_stem(const sn_mobile *mobile, const sn_part *part, sn_shape *stem)
{
    if (part->parent < 0 || part->fixed || part->drop <= 0.0) {
        return false;
    }
    const sn_part *arm = &mobile->parts[part->parent];
    if (arm->stem_radius <= 0.0) {
        return false;
    }
    *stem = rod(sn_part_hook_in_arm(mobile, part), sn_wire_point(arm, part->at), arm->stem_radius,
                arm->density);
    return true;
}

// ---- weighing ----

static sn_status make_sheet(sn_part *part, sn_error *error)
{
    int count = 0;
    for (int l = 0; l < part->outline.loop_count; ++l) {
        count += part->outline.loop_sizes[l];
    }
    SN_ARRAY(sn_vec2) points = {0};
    if (!sn_array_reserve(&points, count)) {
        return sn_fail_memory(error, sizeof(sn_vec2) * (size_t)count);
    }
    for (int i = 0; i < count; ++i) {
        points.data[i] = scaled(part, part->outline.points[i]);
    }
    sn_outline outline = {points.data, part->outline.loop_sizes, part->outline.loop_count};
    sn_mesh_release(part->sheet);
    part->sheet = NULL;
    sn_status status = sn_mesh_sheet(&outline, part->thickness, sn_part_bend_radius(part),
                                     BEND_SEGMENTS, &part->sheet, error);
    sn_array_free(&points);
    return status;
}

// Stems of what hangs below an arm's wire belong to the arm.
static sn_status add_drop_stems(const sn_mobile *mobile, int arm, sn_part_shapes *shapes,
                                sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = arm + 1; i < mobile->count && status == SN_OK; ++i) {
        sn_shape stem;
        if (mobile->parts[i].parent == arm && sn_part_drop_stem(mobile, &mobile->parts[i], &stem)) {
            status = add_shape(shapes, stem, error);
        }
    }
    return status;
}

static sn_status weigh(const sn_mobile *mobile, int index, sn_part_shapes *shapes, sn_error *error)
{
    sn_part *part = &mobile->parts[index];
    sn_array_clear(shapes);
    sn_status status = part->type == SN_PART_SHEET ? make_sheet(part, error) : SN_OK;
    if (status == SN_OK) {
        status = sn_part_add_shapes(part, shapes, error);
    }
    if (status == SN_OK && part->type == SN_PART_ARM) {
        status = add_drop_stems(mobile, index, shapes, error);
    }
    double size = part->size;
    if (status == SN_OK && part->type == SN_PART_SOLID && size != 1.0) {
        // The mesh is the unscaled one: mass grows with the cube, inertia with the fifth power.
        status = sn_shape_mass_properties(shapes->data, shapes->count, &part->own, error);
        part->own.mass *= size * size * size;
        part->own.volume *= size * size * size;
        part->own.centre = sn_vec3_scale(size, part->own.centre);
        part->own.inertia = sn_mat3_scale(sn_pow(size, 5.0), part->own.inertia);
    } else if (status == SN_OK) {
        status = sn_shape_mass_properties(shapes->data, shapes->count, &part->own, error);
    }
    part->string_mass =
        SN_PI * part->string_radius * part->string_radius * part->string * part->string_density;
    return status;
}

// ---- placing ----

static sn_quat about(double x, double y, double z, double angle)
{
    return sn_quat_from_axis_angle(sn_vec3_make(x, y, z), angle);
}

static sn_quat posed(double yaw, double tilt, double roll)
{
    sn_quat q = sn_quat_multiply(about(0, 0, 1, yaw), about(0, 1, 0, -tilt));
    return sn_quat_multiply(q, about(1, 0, 0, roll));
}

// What a piece hangs by or is fixed at, in its own axes. `up` is there too.
static sn_vec3 piece_pivot(sn_part *part, sn_vec3 up)
{
    double r = part->size * part->radius;
    sn_vec3 at = SN_VEC3_ZERO;
    if (part->type == SN_PART_SHEET) {
        if (!part->hole_given) {
            part->hole = part->fixed ? (sn_vec2){0.0, 0.0} : default_hole(part, up);
        }
        at = sn_part_surface_point(part, scaled(part, part->hole));
    } else if (part->hole_given) {
        at = sn_vec3_make(part->size * part->hole.x, part->size * part->hole.y, 0.0);
    } else if (part->type == SN_PART_DISC && !part->fixed) {
        double length = sn_hypot(up.x, up.y), reach = r * (1.0 - 2.0 * HOLE_MARGIN);
        at = length < 0.1 ? SN_VEC3_ZERO
                          : sn_vec3_make(reach * up.x / length, reach * up.y / length, 0.0);
        part->hole = (sn_vec2){at.x / part->size, at.y / part->size};
    } else if (part->type == SN_PART_BALL && !part->fixed) {
        at = sn_vec3_scale(r, up);
    } else if (part->fixed && part->type != SN_PART_SOLID) {
        at.x = -r;
        part->hole = (sn_vec2){-part->radius, 0.0};
    } else if (part->type == SN_PART_SOLID && !part->fixed) {
        // Above its centre of mass, at the height of its top.
        sn_aabb bounds = sn_mesh_bounds(part->mesh);
        at = sn_vec3_make(part->own.centre.x, part->own.centre.y, part->size * bounds.upper.z);
    }
    return part->fixed ? at : sn_vec3_add(at, sn_vec3_scale(part->height, up));
}

// The rotation that brings the moment straight below the pivot, by the shortest way.
static sn_quat settled(sn_quat rotation, sn_vec3 moment, double scale)
{
    if (!(sn_length(moment) > 1e-12 * scale)) {
        return rotation; // rests in every position
    }
    return sn_quat_normalize(
        sn_quat_multiply(sn_quat_between(moment, sn_vec3_make(0, 0, -1)), rotation));
}

sn_vec3 sn_part_hook_in_arm(const sn_mobile *mobile, const sn_part *part)
{
    const sn_part *arm = &mobile->parts[part->parent];
    sn_vec3 at = sn_wire_point(arm, part->at);
    at.z -= part->drop;
    return at;
}

// A fixed piece stands on its arm and points away from the arm's middle.
static void orient_fixed(sn_part *part, const sn_part *arm)
{
    double away = part->at < 0.5 * sn_wire_length(arm) ? SN_PI : 0.0;
    sn_quat in_arm = posed(part->turn + away, part->tilt, part->roll);
    part->pivot = piece_pivot(part, sn_rotate_inverse(in_arm, sn_vec3_make(0, 0, 1)));
    part->frame.rotation = in_arm; // in the arm's axes until the arm is placed
    part->frame.position =
        sn_vec3_sub(sn_wire_point(arm, part->at), sn_rotate(in_arm, part->pivot));
}

static void orient_hung(sn_part *part)
{
    if (part->type == SN_PART_ARM) {
        part->frame.rotation = posed(part->yaw, part->tilt, 0.0);
        part->pivot = sn_wire_point(part, part->hook);
        part->pivot.z += part->height;
        return;
    }
    sn_quat wanted = posed(part->yaw, part->tilt, part->roll);
    part->pivot = piece_pivot(part, sn_rotate_inverse(wanted, sn_vec3_make(0, 0, 1)));
    sn_vec3 arm = sn_rotate(wanted, sn_vec3_sub(part->own.centre, part->pivot));
    part->frame.rotation = settled(wanted, arm, sn_length(part->pivot));
}

// Moments in each hung part's own axes, from below upwards.
static void add_loads(sn_mobile *mobile)
{
    for (int i = 0; i < mobile->count; ++i) {
        sn_part *part = &mobile->parts[i];
        part->load = part->own.mass;
        part->moment = sn_vec3_scale(part->own.mass, sn_vec3_sub(part->own.centre, part->pivot));
    }
    for (int i = mobile->count - 1; i > 0; --i) {
        const sn_part *part = &mobile->parts[i];
        sn_part *arm = &mobile->parts[part->parent];
        double mass = part->fixed ? part->own.mass : part->load + part->string_mass;
        sn_vec3 place = part->fixed ? sn_transform_point(part->frame, part->own.centre)
                                    : sn_part_hook_in_arm(mobile, part);
        arm->load += mass;
        arm->moment = sn_vec3_add(arm->moment, sn_vec3_scale(mass, sn_vec3_sub(place, arm->pivot)));
    }
}

// Rolls an arm about its level direction until its weight is in its plane, when that takes little:
// so much leans what is symmetric but for rounding and for the triangles of its sheets.
static void level_roll(sn_part *arm)
{
    double s, c;
    sn_sincos(arm->yaw, &s, &c);
    sn_vec3 moment = sn_rotate(arm->frame.rotation, arm->moment);
    double sideways = c * moment.y - s * moment.x, angle = sn_atan2(sideways, -moment.z);
    if (-moment.z > 0.0 && fabs(angle) < SN_LEVEL_ROLL) {
        arm->frame.rotation =
            sn_quat_normalize(sn_quat_multiply(about(c, s, 0, -angle), arm->frame.rotation));
    }
}

// From own axes to the world, from above downwards.
static void put_in_place(sn_mobile *mobile)
{
    for (int i = 0; i < mobile->count; ++i) {
        sn_part *part = &mobile->parts[i];
        const sn_part *arm = i > 0 ? &mobile->parts[part->parent] : NULL;
        if (part->fixed) {
            part->frame = sn_transform_multiply(arm->frame, part->frame);
            part->hook_place = sn_transform_point(part->frame, part->pivot);
            continue;
        }
        if (mobile->level && part->type == SN_PART_ARM) {
            level_roll(part);
        }
        sn_vec3 moment = sn_rotate(part->frame.rotation, part->moment);
        if (mobile->settle && part->type == SN_PART_ARM) {
            double scale = part->load * sn_wire_length(part);
            part->frame.rotation = settled(part->frame.rotation, moment, scale);
            moment = sn_rotate(part->frame.rotation, part->moment);
        }
        part->moment = moment;
        part->hook_place = arm != NULL
                               ? sn_transform_point(arm->frame, sn_part_hook_in_arm(mobile, part))
                               : mobile->position;
        sn_vec3 pivot = part->hook_place;
        pivot.z -= part->string;
        part->frame.position = sn_vec3_sub(pivot, sn_rotate(part->frame.rotation, part->pivot));
    }
}

sn_status sn_mobile_place(sn_mobile *mobile, sn_error *error)
{
    sn_part_shapes shapes = {0};
    sn_status status = SN_OK;
    mobile->culprit = -1;
    mobile->culprit_key = NULL;
    for (int i = 0; i < mobile->count && status == SN_OK; ++i) {
        sn_part *part = &mobile->parts[i];
        const sn_part *arm = part->parent >= 0 ? &mobile->parts[part->parent] : NULL;
        status = weigh(mobile, i, &shapes, error);
        if (status != SN_OK) {
            mobile->culprit = i;
            break;
        }
        part->yaw = (arm != NULL ? arm->yaw : mobile->turn) + part->turn;
        if (part->fixed && arm != NULL) {
            orient_fixed(part, arm);
        } else {
            orient_hung(part);
        }
    }
    sn_array_free(&shapes);
    if (status == SN_OK) {
        add_loads(mobile);
        put_in_place(mobile);
    }
    return status;
}

void sn_mobile_clear(sn_mobile *mobile)
{
    for (int i = 0; i < mobile->count; ++i) {
        sn_mesh_release(mobile->parts[i].sheet);
        mobile->parts[i].sheet = NULL;
    }
}

// ---- bodies ----

int sn_part_body(const sn_mobile *mobile, int part)
{
    return mobile->parts[part].fixed ? mobile->parts[part].parent : part;
}

sn_transform sn_part_in_body(const sn_mobile *mobile, int part)
{
    const sn_part *own = &mobile->parts[part];
    const sn_part *body = &mobile->parts[sn_part_body(mobile, part)];
    sn_transform in_part = {own->fixed ? SN_VEC3_ZERO : sn_vec3_scale(-1.0, own->pivot),
                            SN_QUAT_IDENTITY};
    if (!own->fixed) {
        return in_part;
    }
    sn_transform relative = sn_transform_multiply(sn_transform_inverse(body->frame), own->frame);
    relative.position = sn_vec3_sub(relative.position, body->pivot);
    relative.rotation = sn_quat_normalize(relative.rotation);
    return relative;
}
