#include "solve/contact.h"

#include <math.h>

#include "agent/rigid/rigid.h"
#include "math/rotation.h"

// The motion of one side: nothing for what never moves.
static sn_part side_part(const sn_contact_side *side, sn_agent_set *const *sets)
{
    sn_part part = {.frame = SN_TRANSFORM_IDENTITY};
    if (side->set >= 0) {
        const sn_agent_set *set = sets[side->set];
        set->type->part(set, side->agent, side->part, &part);
    }
    return part;
}

// Whose parts are points of its own making, without a centre to turn about.
static bool is_elastic(const sn_contact_side *side, sn_agent_set *const *sets)
{
    return side->set >= 0 && sets[side->set]->type->traits.deformable;
}

static sn_vec3 tangential(sn_vec3 v, sn_vec3 normal)
{
    return sn_vec3_add_scaled(v, -sn_dot(v, normal), normal);
}

// A round surface is a ball about a material point inside, its core. Two of them touch on the line
// of their cores, at shares of it by their radii; a round one touches a flat one below its core. So
// the point follows the cores and not the material, which for a ball that rolls stands still.
// Of sharp ones the side whose corner it is takes the point along. Halfway between both it would
// lag behind a corner that slides, by d = v h / 4 in the middle of the step: then what turns as it
// slides, on a curve of radius r, loses p v d / r to a load p in each step, and an overlap that is
// undone leaves a moment behind. Where two edges cross, or corners meet, neither has it: the mean.
//
// The inner side of a ring is round about a core in front of it: its radius is below zero, and what
// it touches is round or sharp, so that cores have a line there too.
static bool has_cores(const sn_contact *contact)
{
    return (contact->round_a > 0.0 && contact->round_b > 0.0) || contact->round_a < 0.0 ||
           contact->round_b < 0.0;
}

// Cores in one place, deep inside each other or of a ring and the post that fills it, have no line
// between them: nearer than this share of their radii.
static const double LINE = 0.1;

static double line_least(const sn_contact *contact)
{
    return LINE * fmax(fabs(contact->round_a + contact->round_b),
                       fmin(fabs(contact->round_a), fabs(contact->round_b)));
}

static double share_of_a(const sn_contact *contact, const sn_contact_point *point)
{
    double round = contact->round_a + contact->round_b;
    if (has_cores(contact)) { // a post that fills a ring is touched anywhere, a moment later
        return fabs(round) >= line_least(contact) ? contact->round_b / round : 0.5;
    }
    if (round > 0.0) {
        return contact->round_a > 0.0 ? 1.0 : 0.0;
    }
    bool of_a = sn_manifold_is_corner_of_a(point->feature),
         of_b = sn_manifold_is_corner_of_b(point->feature);
    return of_a == of_b ? 0.5 : of_a ? 1.0 : 0.0;
}

static sn_vec3 travel_of(const sn_contact *contact, const sn_part *a, const sn_part *b,
                         const sn_contact_point *point)
{
    sn_vec3 core_a = sn_vec3_add_scaled(point->on_a, -contact->round_a, contact->normal);
    sn_vec3 core_b = sn_vec3_add_scaled(point->on_b, contact->round_b, contact->normal);
    double share_a = share_of_a(contact, point);
    return sn_vec3_add(sn_vec3_scale(share_a, sn_part_velocity_at(a, core_a)),
                       sn_vec3_scale(1.0 - share_a, sn_part_velocity_at(b, core_b)));
}

// Along the normal: below zero where one is within the ring of the other.
static double cores_apart(const sn_contact *contact, sn_vec3 core_a, sn_vec3 core_b)
{
    double apart = sn_distance(core_a, core_b);
    return contact->round_a + contact->round_b < 0.0 ? -apart : apart;
}

// How the normal turns: with the line of the cores, or with the flat side. Of two flat sides
// either may own it; it is left as it is.
static sn_vec3 normal_rate_of(const sn_contact *contact, const sn_part *a, const sn_part *b)
{
    const sn_contact_point *point = &contact->points[0];
    if (has_cores(contact)) {
        sn_vec3 core_a = sn_vec3_add_scaled(point->on_a, -contact->round_a, contact->normal);
        sn_vec3 core_b = sn_vec3_add_scaled(point->on_b, contact->round_b, contact->normal);
        sn_vec3 along = sn_vec3_sub(sn_part_velocity_at(b, core_b), sn_part_velocity_at(a, core_a));
        double apart = cores_apart(contact, core_a, core_b);
        bool has_line = fabs(apart) > line_least(contact);
        return has_line ? sn_vec3_scale(1.0 / apart, tangential(along, contact->normal))
                        : SN_VEC3_ZERO;
    }
    if (contact->round_a == 0.0 && contact->round_b == 0.0) {
        return SN_VEC3_ZERO;
    }
    const sn_part *flat = contact->round_a > 0.0 ? b : a;
    return sn_cross(flat->angular_velocity, contact->normal);
}

// ---- from the middle of a step to its end ----

// Where a point of a body is now, that was at `then` a time t ago, while the body moved as it does.
static sn_vec3 carried(const sn_part *part, sn_quat turn, double t, sn_vec3 then)
{
    sn_vec3 arm = sn_vec3_sub(then, sn_vec3_add_scaled(part->centre, -t, part->velocity));
    return sn_vec3_add(part->centre, sn_rotate(turn, arm));
}

void sn_contact_carry(sn_contact *contact, sn_agent_set *const *sets, double t)
{
    sn_part a = side_part(&contact->a, sets), b = side_part(&contact->b, sets);
    sn_quat turn_a = sn_quat_exp(sn_vec3_scale(t, a.angular_velocity)),
            turn_b = sn_quat_exp(sn_vec3_scale(t, b.angular_velocity));
    double round = contact->round_a + contact->round_b;
    sn_vec3 n = contact->normal, along = SN_VEC3_ZERO;
    double apart = 0.0;
    for (int i = 0; i < contact->count; ++i) {
        sn_contact_point *point = &contact->points[i];
        double share_a = share_of_a(contact, point);
        sn_vec3 core_a = sn_vec3_add_scaled(point->on_a, -contact->round_a, n),
                core_b = sn_vec3_add_scaled(point->on_b, contact->round_b, n);
        sn_vec3 way_a = sn_vec3_sub(carried(&a, turn_a, t, core_a), core_a),
                way_b = sn_vec3_sub(carried(&b, turn_b, t, core_b), core_b);
        sn_vec3 shift =
            sn_vec3_add(sn_vec3_scale(share_a, way_a), sn_vec3_scale(1.0 - share_a, way_b));
        point->on_a = sn_vec3_add(point->on_a, shift);
        point->on_b = sn_vec3_add(point->on_b, shift);
        along = i == 0 ? sn_vec3_sub(way_b, way_a) : along;
        apart = i == 0 ? cores_apart(contact, core_a, core_b) : apart;
    }
    if (has_cores(contact)) {
        sn_vec3 side = tangential(along, n);
        bool has_line = fabs(apart) > line_least(contact);
        contact->normal = has_line ? sn_normalize(sn_vec3_add_scaled(n, 1.0 / apart, side)) : n;
    } else if (round > 0.0) {
        contact->normal = sn_rotate(contact->round_a > 0.0 ? turn_b : turn_a, n);
    }
}

// ---- to where it touches ----

// Gaps below this share of the size touch.
static const double TOUCHING = 1e-7;
// Turning further than this, rad, nobody knows what touches.
static const double FAR_TURN = 1.0;

// Both sides at a time t from now, moving as they do: the normal, and arms to the points that are
// now at on_a and on_b. What is round touches beside its core, wherever it has turned.
static sn_vec3 arms_after(const sn_contact *contact, const sn_part *a, const sn_part *b,
                          const sn_contact_point *point, double t, sn_vec3 arms[2])
{
    sn_vec3 n = contact->normal;
    sn_quat turn_a = sn_quat_exp(sn_vec3_scale(t, a->angular_velocity)),
            turn_b = sn_quat_exp(sn_vec3_scale(t, b->angular_velocity));
    sn_vec3 core_a = sn_vec3_add_scaled(point->on_a, -contact->round_a, n),
            core_b = sn_vec3_add_scaled(point->on_b, contact->round_b, n);
    arms[0] = sn_rotate(turn_a, sn_vec3_sub(core_a, a->centre));
    arms[1] = sn_rotate(turn_b, sn_vec3_sub(core_b, b->centre));
    if (has_cores(contact)) {
        sn_vec3 line =
            sn_vec3_sub(sn_vec3_add(b->centre, arms[1]), sn_vec3_add(a->centre, arms[0]));
        line = sn_vec3_add_scaled(line, t, sn_vec3_sub(b->velocity, a->velocity));
        n = sn_normalize(cores_apart(contact, core_a, core_b) < 0.0 ? sn_vec3_negate(line) : line);
    } else if (contact->round_a > 0.0) {
        n = sn_rotate(turn_b, n);
    } else if (contact->round_b > 0.0) {
        n = sn_rotate(turn_a, n);
    }
    arms[0] = sn_vec3_add_scaled(arms[0], contact->round_a, n);
    arms[1] = sn_vec3_add_scaled(arms[1], -contact->round_b, n);
    return n;
}

static sn_vec3 speed_of(const sn_part *part, sn_vec3 arm)
{
    return sn_velocity_at(part->velocity, part->angular_velocity, arm);
}

// Impulses act where bodies are when they touch. Arms of the start of the step are as much too long
// as the gap is wide, and what is sharp turns on its way. Gaps of what turns close at the mean of
// the first and the last speed.
static void foresee_arrival(const sn_contact *contact, const sn_part *a, const sn_part *b,
                            const sn_contact_point *point, sn_course_point *course, sn_vec3 *normal)
{
    double u = sn_dot(course->approach, contact->normal), t = point->gap / -u;
    double spin = fmax(sn_length(a->angular_velocity), sn_length(b->angular_velocity));
    course->arrival = -1.0;
    if (!(point->gap > TOUCHING * contact->size) || !(u < 0.0) || !(t * spin < FAR_TURN)) {
        return;
    }
    sn_vec3 arms[2], n = contact->normal, impact = SN_VEC3_ZERO;
    for (int turn = 0; turn < 2; ++turn) {
        n = arms_after(contact, a, b, point, t, arms);
        impact = sn_vec3_sub(speed_of(b, arms[1]), speed_of(a, arms[0]));
        double mean = 0.5 * (u + sn_dot(impact, n));
        t = turn == 0 && mean < 0.5 * u ? point->gap / -mean : t;
    }
    if (!(sn_dot(impact, n) < 0.0)) {
        return;
    }
    course->arrival = t;
    course->impact = sn_vec3_add(impact, contact->surface_velocity);
    course->arm_a = arms[0];
    course->arm_b = arms[1];
    *normal = n;
}

// The acceleration of a material point of a part as it turns, towards its axis.
static sn_vec3 turning_in(const sn_part *part, sn_vec3 point)
{
    sn_vec3 w = part->angular_velocity;
    return sn_cross(w, sn_cross(w, sn_vec3_sub(point, part->centre)));
}

// Free bodies with a corner or an edge: what is round touches elsewhere a moment later, and parts
// of mechanisms have ways of their own.
static bool has_bend(const sn_contact *contact, sn_agent_set *const *sets)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    bool free = contact->round_a == 0.0 && contact->round_b == 0.0;
    for (int i = 0; i < 2; ++i) {
        free = free && (sides[i]->set < 0 || sets[sides[i]->set]->type == &sn_rigid_type);
    }
    return free;
}

void sn_contact_count(const sn_contact *contact, sn_agent_set *const *sets, sn_counter counter)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    for (int i = 0; i < 2; ++i) {
        if (sides[i]->set >= 0) {
            sn_agent_count(&sets[sides[i]->set]->agents[sides[i]->agent], counter);
        }
    }
}

void sn_contact_begin(const sn_contact *contact, sn_agent_set *const *sets,
                      sn_contact_course *course)
{
    sn_part a = side_part(&contact->a, sets), b = side_part(&contact->b, sets);
    bool foreseen = !is_elastic(&contact->a, sets) && !is_elastic(&contact->b, sets);
    bool bends = has_bend(contact, sets);
    double first = INFINITY;
    course->arrival_normal = contact->normal;
    for (int i = 0; i < contact->count; ++i) {
        const sn_contact_point *point = &contact->points[i];
        sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b));
        sn_vec3 u = sn_vec3_sub(sn_part_velocity_at(&b, middle), sn_part_velocity_at(&a, middle));
        sn_vec3 sum = sn_vec3_add(sn_part_velocity_at(&b, middle), sn_part_velocity_at(&a, middle));
        course->points[i] = (sn_course_point){
            .approach = sn_vec3_add(u, contact->surface_velocity),
            .common = 0.5 * sn_dot(sum, contact->normal),
            .travel = travel_of(contact, &a, &b, point),
            .gap_end = point->gap,
            .arrival = -1.0,
        };
        if (bends) {
            sn_vec3 bend = sn_vec3_sub(turning_in(&b, middle), turning_in(&a, middle));
            course->points[i].bend = tangential(bend, contact->normal);
        }
        sn_vec3 normal = contact->normal;
        if (foreseen) {
            foresee_arrival(contact, &a, &b, point, &course->points[i], &normal);
        }
        if (course->points[i].arrival >= 0.0 && course->points[i].arrival < first) {
            first = course->points[i].arrival;
            course->arrival_normal = normal;
        }
    }
    course->normal_rate = contact->count > 0 ? normal_rate_of(contact, &a, &b) : SN_VEC3_ZERO;
}
