#include "island/field_spring.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "field/spring.h"
#include "force/forces.h"
#include "island/spring_sweep.h"
#include "model/world.h"

void sn_field_springs_free(sn_field_springs *springs)
{
    sn_array_free(&springs->springs);
    sn_array_free(&springs->rows);
    sn_array_free(&springs->laws);
    sn_array_free(&springs->owners);
    sn_spring_sweep_free(&springs->sweep);
}

static const sn_spring_def *def_of(const sn_world *world, const sn_field_spring *spring)
{
    return &world->fields.data[spring->field].spring;
}

// ---- at the start ----

// The end of a spring as a part that impulses act on; agent -1: it does not move.
static bool find_side(sn_world *world, sn_body body, sn_vec3 local, sn_contact_side *side)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    *side = (sn_contact_side){-1, -1, 0};
    if (record == NULL || record->agent.agent < 0) {
        return true;
    }
    *side = (sn_contact_side){record->agent.set, record->agent.agent, record->agent.part};
    if (sn_world_traits(world, record->agent.set)->deformable) {
        sn_elastic_point point;
        sn_agent_set *set = world->sets[side->set];
        if (sn_elastic_find_point(set, side->agent, local, &point, NULL) != SN_OK) {
            *side = (sn_contact_side){-1, -1, 0};
            return true;
        }
        side->part = sn_elastic_grip(set, side->agent, &point);
        return side->part >= 0;
    }
    return true;
}

double sn_spring_across(const sn_spring_def *def, double length)
{
    if (!(length > 0.0)) {
        return def->rest_length == 0.0 ? def->stiffness : 0.0;
    }
    return length > def->rest_length ? def->stiffness * (1.0 - def->rest_length / length) : 0.0;
}

// How much a free body's point answers to a unit impulse, at most. What is within a mechanism or an
// elastic body is found with the rows.
static double most_answer(const sn_world *world, const sn_contact_side *side, sn_vec3 point)
{
    if (!sn_world_traits(world, side->set)->lone) {
        return side->set < 0 ? 0.0 : INFINITY;
    }
    const sn_agent_set *set = world->sets[side->set];
    const sn_rigid_mass *mass = sn_rigid_mass_of(set, side->agent);
    sn_vec3 arm = sn_vec3_sub(point, sn_vec3_at(sn_agent_q(set, side->agent)));
    double least = fmin(fmin(mass->inertia.x, mass->inertia.y), mass->inertia.z);
    return 1.0 / mass->mass + sn_dot(arm, arm) / least;
}

static bool is_across(const sn_world *world, const sn_spring_def *def,
                      const sn_field_spring *spring, const sn_spring_ends *ends, double h)
{
    double stiffness = sn_spring_across(def, spring->length), answer = 0.0;
    const sn_vec3 points[2] = {ends->a, ends->b};
    for (int i = 0; i < spring->terms; ++i) {
        answer += most_answer(world, &spring->side[i], points[spring->ends[i]]);
    }
    return stiffness > 0.0 && h * h * stiffness * answer > SN_SPRING_SLACK;
}

// How far a point is from what its part may turn about: the centre of a free body, the farthest of
// the joints that a link hangs on.
static double arm_of(const sn_world *world, const sn_contact_side *side, sn_vec3 point)
{
    if (sn_world_traits(world, side->set)->lone) {
        return sn_distance(point, sn_vec3_at(sn_agent_q(world->sets[side->set], side->agent)));
    }
    double arm = 0.0;
    if (sn_world_traits(world, side->set)->jointed) {
        const sn_articulation *item = sn_articulation_of(world->sets[side->set], side->agent);
        for (int i = item->parts[side->part].link; i >= 0; i = item->tree.body[i].parent) {
            arm = fmax(arm, sn_distance(point, item->tree.pose[i].origin));
        }
    }
    return arm;
}

// A moment of what is held on an arm answers to a turn, whatever else the spring does. Free bodies
// know how much by themselves.
static bool is_turning(const sn_world *world, const sn_spring_def *def, sn_field_spring *spring,
                       const sn_spring_ends *ends, double h)
{
    const sn_vec3 points[2] = {ends->a, ends->b};
    double tension = fabs(def->stiffness * (spring->length - def->rest_length)), answer = 0.0;
    for (int i = 0; i < spring->terms; ++i) {
        const sn_contact_side *side = &spring->side[i];
        spring->arm += arm_of(world, side, points[spring->ends[i]]);
        if (sn_world_traits(world, side->set)->lone) {
            sn_vec3 inertia = sn_rigid_mass_of(world->sets[side->set], side->agent)->inertia;
            answer += 1.0 / fmin(fmin(inertia.x, inertia.y), inertia.z);
        } else if (sn_world_traits(world, side->set)->jointed) {
            answer = INFINITY;
        }
    }
    double stiffness = tension * spring->arm;
    return stiffness > 0.0 && h * h * stiffness * answer > SN_SPRING_TURNING;
}

static bool add_rows(sn_world *world, sn_field_spring *spring)
{
    sn_field_springs *all = &world->field_springs;
    sn_exact_bond row = {.count = spring->terms, .size = 1.0};
    sn_contact_side none = {-1, -1, 0};
    for (int i = 0; i < spring->terms; ++i) {
        row.sides[i] = spring->side[i];
    }
    bool two = spring->terms == 2 &&
               (row.sides[0].set != row.sides[1].set || row.sides[0].agent != row.sides[1].agent);
    sn_island_pair link = {sn_touch_agent_number(world, row.sides[0]),
                           sn_touch_agent_number(world, two ? row.sides[1] : none)};
    for (int i = 0; i < spring->count; ++i) {
        if (!sn_array_push(&all->rows, row) || !sn_array_push(&all->laws, (sn_soft_row){0}) ||
            !sn_array_push(&all->owners, all->springs.count) ||
            !sn_array_push(&world->touch.active, SN_TOUCH_SPRINGS + all->rows.count - 1) ||
            !sn_array_push(&world->touch.links, link)) {
            return false;
        }
    }
    return true;
}

static bool add_spring(sn_world *world, uint32_t field, double h)
{
    sn_field_springs *all = &world->field_springs;
    const sn_spring_def *def = &world->fields.data[field].spring;
    sn_field_spring spring = {.field = field, .first = all->rows.count, .middle = true};
    const sn_body bodies[2] = {def->body_a, def->body_b};
    const sn_vec3 points[2] = {def->point_a, def->point_b};
    for (int i = 0; i < 2; ++i) {
        sn_contact_side side;
        if (!find_side(world, bodies[i], points[i], &side)) {
            return false;
        }
        if (side.agent >= 0) {
            int integrator = world->sets[side.set]->agents[side.agent].integrator;
            spring.middle = spring.middle && (sn_world_traits(world, side.set)->jointed ||
                                              integrator == SN_INTEGRATOR_LIE_MIDPOINT);
            spring.ends[spring.terms] = i;
            spring.side[spring.terms++] = side;
        }
    }
    if (spring.terms == 0 || (def->stiffness == 0.0 && def->damping == 0.0)) {
        return true;
    }
    sn_spring_ends ends = sn_world_spring_ends(world, def);
    spring.length = sn_distance(ends.a, ends.b);
    spring.across = is_across(world, def, &spring, &ends, h) ? 2 : 0;
    spring.turning = is_turning(world, def, &spring, &ends, h) ? 3 : 0;
    spring.count = 1 + spring.across + spring.turning;
    return add_rows(world, &spring) && sn_array_push(&all->springs, spring);
}

sn_status sn_world_find_field_springs(sn_world *world, double h, sn_error *error)
{
    sn_field_springs *all = &world->field_springs;
    sn_array_clear(&all->springs);
    sn_array_clear(&all->rows);
    sn_array_clear(&all->laws);
    sn_array_clear(&all->owners);
    if (!sn_world_find_swept(world, h)) {
        return sn_fail_memory(error, sizeof(sn_sweep_spring));
    }
    for (int i = 0; i < all->sweep.springs.count; ++i) {
        const sn_sweep_spring *spring = &all->sweep.springs.data[i];
        if (!sn_spring_is_swept(&all->sweep, spring) && !add_spring(world, spring->field, h)) {
            return sn_fail_memory(error, sizeof(sn_exact_bond));
        }
    }
    for (int i = 0; i < all->rows.count; ++i) { // now that these stay where they are
        all->rows.data[i].soft = &all->laws.data[i];
    }
    return SN_OK;
}

// ---- in the middle ----

// Where a row acts on its ends. Across a spring both ends are pushed at one place, since a pair of
// forces across it would turn them: the elastic end's, which can be pushed nowhere else, or the
// middle.
static void find_places(const sn_world *world, const sn_field_spring *spring,
                        const sn_spring_ends *ends, bool across, sn_vec3 places[2])
{
    places[0] = ends->a;
    places[1] = ends->b;
    if (across && spring->terms == 2) {
        bool soft_a = sn_world_traits(world, spring->side[0].set)->deformable,
             soft_b = sn_world_traits(world, spring->side[1].set)->deformable;
        sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(ends->a, ends->b));
        sn_vec3 common = soft_a == soft_b ? middle : soft_a ? ends->a : ends->b;
        places[0] = places[1] = common;
    }
}

// What a unit of the row's impulse, which drives the ends apart, does to each end; gives the row's
// rate.
static double put_forces(const sn_world *world, const sn_field_spring *spring,
                         const sn_spring_ends *ends, sn_vec3 along, bool across, sn_exact_bond *row)
{
    const sn_vec3 velocities[2] = {ends->a_velocity, ends->b_velocity};
    sn_vec3 places[2];
    double rate = 0.0;
    find_places(world, spring, ends, across, places);
    for (int i = 0; i < spring->terms; ++i) {
        const sn_contact_side *side = &spring->side[i];
        int end = spring->ends[i];
        sn_vec3 force = end == 0 ? sn_vec3_negate(along) : along, velocity = velocities[end];
        row->forces[i] = sn_spatial_make(SN_VEC3_ZERO, force);
        if (!sn_world_traits(world, side->set)->deformable) {
            const sn_agent_set *set = world->sets[side->set];
            sn_part part;
            set->type->part(set, side->agent, side->part, &part);
            sn_vec3 arm = sn_vec3_sub(places[end], part.centre);
            row->forces[i].angular = sn_cross(arm, force);
            velocity = sn_velocity_at(part.velocity, part.angular_velocity, arm);
        }
        rate += sn_dot(force, velocity);
    }
    return rate;
}

// What a unit of moment between the ends does; gives the rate of turning.
static double put_moments(const sn_world *world, const sn_field_spring *spring, sn_vec3 axis,
                          sn_exact_bond *row)
{
    double rate = 0.0;
    for (int i = 0; i < spring->terms; ++i) {
        const sn_contact_side *side = &spring->side[i];
        row->forces[i] = SN_SPATIAL_ZERO;
        if (!sn_world_traits(world, side->set)->deformable) {
            const sn_agent_set *set = world->sets[side->set];
            sn_part part;
            set->type->part(set, side->agent, side->part, &part);
            row->forces[i].angular = spring->ends[i] == 0 ? sn_vec3_negate(axis) : axis;
            rate += sn_dot(row->forces[i].angular, part.angular_velocity);
        }
    }
    return rate;
}

void sn_spring_axes(const sn_spring_def *def, sn_vec3 reach, double length, int count,
                    sn_vec3 axes[3])
{
    axes[0] = length > 0.0              ? sn_vec3_scale(1.0 / length, reach)
              : def->rest_length == 0.0 ? sn_vec3_make(1.0, 0.0, 0.0)
                                        : SN_VEC3_ZERO;
    if (count > 1) {
        axes[1] = sn_perpendicular(axes[0]);
        axes[2] = sn_cross(axes[0], axes[1]);
    }
}

static void renew(sn_world *world, const sn_field_spring *spring, double h)
{
    sn_field_springs *all = &world->field_springs;
    const sn_spring_def *def = def_of(world, spring);
    sn_spring_ends ends = sn_world_spring_ends(world, def);
    double length = sn_distance(ends.a, ends.b);
    double across = sn_spring_across(def, length);
    sn_vec3 axes[3];
    sn_spring_axes(def, sn_vec3_sub(ends.b, ends.a), length, 3, axes);
    for (int i = 0; i < 1 + spring->across; ++i) {
        sn_soft_row *law = &all->laws.data[spring->first + i];
        *law = (sn_soft_row){.stiffness = i == 0 ? def->stiffness : across};
        law->rate =
            put_forces(world, spring, &ends, axes[i], i > 0, &all->rows.data[spring->first + i]);
    }
    double turning = fabs(def->stiffness * (length - def->rest_length)) * spring->arm;
    for (int i = 0; i < spring->turning; ++i) {
        int row = spring->first + 1 + spring->across + i;
        sn_vec3 axis = sn_vec3_make(i == 0, i == 1, i == 2);
        all->laws.data[row] = (sn_soft_row){.stiffness = turning, .turns = true};
        all->laws.data[row].rate = put_moments(world, spring, axis, &all->rows.data[row]);
    }
    sn_soft_row *law = &all->laws.data[spring->first];
    law->damping = length > 0.0 ? def->damping : 0.0;
    law->stretch = length - def->rest_length;
    law->start = spring->length - def->rest_length;
    // Of the stiffness, the part that is the same in all directions has no curve.
    double bent = def->stiffness > 0.0 ? 1.0 - across / def->stiffness : 0.0;
    law->curve = spring->middle ? bent * (law->start + 0.5 * h * law->rate - law->stretch) : 0.0;
    all->lost = all->lost || !isfinite(law->stiffness * law->stretch + law->damping * law->rate);
}

sn_status sn_world_renew_field_springs(sn_world *world, double h, sn_error *error)
{
    world->field_springs.lost = false;
    for (int i = 0; i < world->field_springs.springs.count; ++i) {
        renew(world, &world->field_springs.springs.data[i], h);
    }
    return sn_world_renew_swept(world, h, &world->field_springs.lost)
               ? SN_OK
               : sn_fail_memory(error, sizeof(sn_sweep_row));
}

// ---- at the end ----

// Below this share of what the spring holds and held, it is rounding.
static const double EXCESS = 1e-9;

static void settle(sn_world *world, const sn_field_spring *spring, double h)
{
    sn_field_springs *all = &world->field_springs;
    sn_touch *touch = &world->touch;
    int island = touch->islands.of.data[sn_touch_agent_number(world, spring->side[0])];
    if (!(all->laws.data[spring->first].share > 0.0) || island < 0 ||
        touch->kinds.data[island] != SN_ISLAND_EXACT) {
        return;
    }
    double work = 0.0, sum = 0.0;
    for (int i = spring->first; i < spring->first + spring->count; ++i) {
        const sn_soft_row *law = &all->laws.data[i];
        work += law->resistance > 0.0 ? sn_soft_row_work(law, all->rows.data[i].impulse, h) : 0.0;
    }
    sn_soft_row *law = &all->laws.data[spring->first];
    double excess = work - sn_world_field_spring_work(world, spring->first, &sum);
    if (!(law->share * excess > EXCESS * sum)) {
        return;
    }
    const sn_spring_def *def = def_of(world, spring);
    sn_spring_ends ends = sn_world_spring_ends(world, def);
    sn_vec3 axes[3];
    sn_spring_axes(def, sn_vec3_sub(ends.b, ends.a), sn_distance(ends.a, ends.b), 1, axes);
    law->excess = law->share * excess;
    law->end_rate =
        put_forces(world, spring, &ends, axes[0], false, &all->rows.data[spring->first]);
    touch->struck.data[island] = 1;
}

void sn_world_settle_field_springs(sn_world *world, double h)
{
    const sn_field_springs *all = &world->field_springs;
    for (int i = 0; i < all->springs.count; ++i) {
        const sn_field_spring *spring = &all->springs.data[i];
        settle(world, spring, h);
        if (all->laws.data[spring->first].share > SN_SPRING_UNRESOLVED) {
            const sn_spring_def *def = def_of(world, spring);
            world->report.damped_springs += 1;
            sn_world_note_worst(world, SN_COUNTER_DAMPED_SPRINGS,
                                def->body_b.index != 0 ? def->body_b.index : def->body_a.index,
                                0.0);
        }
    }
}

double sn_world_field_spring_work(const sn_world *world, int row, double *sum)
{
    const sn_field_springs *all = &world->field_springs;
    const sn_field_spring *spring = &all->springs.data[all->owners.data[row]];
    if (row != spring->first) {
        return 0.0;
    }
    const sn_spring_def *def = def_of(world, spring);
    sn_spring_ends ends = sn_world_spring_ends(world, def);
    double held = sn_spring_energy(def->stiffness, def->rest_length, spring->length);
    double holds = sn_spring_energy(def->stiffness, def->rest_length, sn_distance(ends.a, ends.b));
    *sum += held + holds;
    return held - holds;
}
