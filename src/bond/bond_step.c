// Bonds in a step: the rows they give to the solver, what comes back, and what can be read.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "bond/bond.h"
#include "model/world.h"

enum { STRIDE = SN_SOLID_STRIDE };

// ---- rows of a step ----

// A rigid body that joints weld to the ground has no agent, but still its own frame, in which
// points of it are given.
static bool is_grounded(const sn_body_record *body)
{
    return body != NULL && body->type == SN_BODY_RIGID && body->agent.agent < 0;
}

static sn_elastic_item *item_of(const sn_world *world, const sn_body_record *body)
{
    return sn_elastic_item_of(world->sets[body->agent.set], body->agent.agent);
}

static bool is_staged(const sn_world *world, const sn_bond_record *record)
{
    sn_agent_ref ref = sn_world_body_record(world, record->body)->agent;
    return sn_integrator_is_staged(world->sets[ref.set]->agents[ref.agent].integrator);
}

sn_bond_view sn_world_bond_view(const sn_world *world, const sn_bond_record *record, int row,
                                double time)
{
    sn_vec3 local = sn_bond_row_local(&record->item, row);
    const sn_body_record *body = sn_world_body_record(world, record->body),
                         *other = sn_world_body_record(world, record->other);
    const sn_agent_set *set = world->sets[body->agent.set];
    sn_bond_view view = {.x = sn_agent_q(set, body->agent.agent),
                         .v = sn_agent_v(set, body->agent.agent),
                         .point = local,
                         .time = time};
    if (other != NULL && other->type == SN_BODY_ELASTIC) {
        view.other_x = sn_agent_q(world->sets[other->agent.set], other->agent.agent);
        view.other_v = sn_agent_v(world->sets[other->agent.set], other->agent.agent);
    } else if (other != NULL && other->agent.agent >= 0) {
        sn_part part;
        world->sets[other->agent.set]->type->part(world->sets[other->agent.set], other->agent.agent,
                                                  other->agent.part, &part);
        sn_world_body_point(world, other, local, &view.point, &view.point_velocity);
        sn_vec3 turning = sn_cross(part.angular_velocity, sn_vec3_sub(view.point, part.centre));
        view.point_acceleration = sn_cross(part.angular_velocity, turning);
    } else if (is_grounded(other)) {
        view.point = sn_transform_point(other->own->frame, local);
    }
    return view;
}

// ---- closing ----

// A bond may begin with a gap: what it holds has moved since the places were chosen. Velocities
// become one in the first step, as in an impact without rebound. The gap is then led to 0 by
//
//     g(t) = g0 s((t - t0) / T),   s(x) = 1 - 10 x^3 + 15 x^4 - 6 x^5
//
// which starts and ends at rest, with |g''| <= 10 / sqrt(3) g0 / T^2: T is such that this is
// GENTLE. So a bond bears at most about twice the weight while it closes, however large the gap
// and however short the steps are.
static const double GENTLE = 10.0; // m/s^2

// s and its rate.
static double closing_share(const sn_bond_record *record, double time, double *rate)
{
    double x = record->closing > 0.0 ? (time - record->began) / record->closing : 1.0;
    *rate = 0.0;
    if (x >= 1.0 || x < 0.0) {
        return 0.0;
    }
    *rate = -30.0 * x * x * (1.0 - x) * (1.0 - x) / record->closing;
    return 1.0 - x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

// A row, less what is left of the gap it began with.
static void read_led_row(const sn_bond_record *record, int index, const sn_bond_view *view,
                         sn_bond_row *row)
{
    double rate, share = closing_share(record, view->time, &rate);
    sn_bond_read_row(&record->item, index, view, row);
    row->value -= record->gaps[index] * share;
    row->rate -= record->gaps[index] * rate;
}

// How far off a row is, m: its value by what the steepest of its terms makes of a metre.
static double length_of(const sn_bond_row *row)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    double steepest = 0.0;
    for (int t = 0; t < row->count; ++t) {
        sum = row->terms[t].end == 0 ? sn_vec3_add(sum, row->terms[t].gradient) : sum;
        steepest = fmax(steepest, sn_length(row->terms[t].gradient));
    }
    steepest = fmax(steepest, sn_length(sum));
    return steepest > 0.0 ? fabs(row->value) / steepest : 0.0;
}

// Notes the gaps of a bond that begins.
static void begin_bond(const sn_world *world, sn_bond_record *record)
{
    double most = 0.0;
    for (int k = 0; k < sn_bond_row_count(&record->item); ++k) {
        sn_bond_view view = sn_world_bond_view(world, record, k, world->time);
        sn_bond_row row;
        sn_bond_read_row(&record->item, k, &view, &row);
        record->gaps[k] = row.value;
        most = fmax(most, length_of(&row));
    }
    bool open = most > 1e-9 * record->item.size;
    record->began = world->time;
    record->closing = open ? sqrt(10.0 / sqrt(3.0) * most / GENTLE) : 0.0;
    record->holds = true;
}

// A vertex as a part of its agent, for the step under way.
static int grip_vertex(sn_world *world, sn_agent_ref ref, int vertex)
{
    sn_elastic_point point = {.count = 1, .vertices = {vertex}, .weights = {1.0}};
    return sn_elastic_grip(world->sets[ref.set], ref.agent, &point);
}

static bool is_midpoint(const sn_world *world, const sn_bond_record *record)
{
    sn_agent_ref ref = sn_world_body_record(world, record->body)->agent;
    return world->sets[ref.set]->agents[ref.agent].integrator == SN_INTEGRATOR_LIE_MIDPOINT;
}

static bool is_curved(const sn_world *world, const sn_bond_record *record)
{
    sn_bond_type type = record->item.type;
    return (type == SN_BOND_QUADRIC || type == SN_BOND_RIGID || type == SN_BOND_VOLUME) &&
           is_midpoint(world, record);
}

// Does what the equation asks turn on the way: is the other side a rigid part that moves, or the
// equation itself curved? Then its rows are those of the middle of the step, x* at first: of a
// quadric, with g(x1) - g(x0) = g'((x0 + x1) / 2) . (x1 - x0), an impulse along those does no work.
static bool turns(const sn_world *world, const sn_bond_record *record)
{
    const sn_body_record *other = sn_world_body_record(world, record->other);
    return is_curved(world, record) ||
           (other != NULL && other->type != SN_BODY_ELASTIC && other->agent.agent >= 0);
}

// The velocity at which an equation holds at the end of the step, with what curvature adds on the
// way. A rule that ends where the new velocity leads gets there at once; under the midpoint rule
// half of the way is left, because velocities that undo the whole error would swing. What begins
// far off comes in a fiftieth of a second, however short steps are: a pull that grew with their
// rate would give any amount of energy.
static double wanted_rate(const sn_world *world, const sn_bond_record *record,
                          const sn_bond_row *now, const sn_bond_row *then, double h, bool whole)
{
    bool straight = record->item.type == SN_BOND_PATH || turns(world, record);
    double bend = straight ? 0.0 : now->acceleration;
    double back = fmin(whole ? 1.0 / h : 0.5 / h, SN_BOND_STABILISATION);
    return whole ? (now->value - then->value) / h - back * now->value - 0.5 * h * bend
                 : -then->rate - back * now->value - h * bend;
}

// How fast the value of a row changes with the velocities there are.
static double rate_of(const sn_bond_row *row, const sn_bond_view *view)
{
    double rate = row->rate;
    for (int i = 0; i < row->count; ++i) {
        const double *v = row->terms[i].end == 0 ? view->v : view->other_v;
        int vertex = row->terms[i].vertex;
        rate += sn_dot(row->terms[i].gradient,
                       vertex < 0 ? view->point_velocity : sn_vec3_at(v + STRIDE * vertex));
    }
    return rate;
}

// What an impulse of the row does to a side: a force at a vertex, or a wrench about the centre of a
// rigid part.
static sn_spatial force_of(const sn_world *world, const sn_body_record *body, sn_vec3 along,
                           sn_vec3 point)
{
    sn_spatial force = sn_spatial_make(SN_VEC3_ZERO, along);
    if (body->type != SN_BODY_ELASTIC) {
        const sn_agent_set *set = world->sets[body->agent.set];
        sn_part part;
        set->type->part(set, body->agent.agent, body->agent.part, &part);
        force.angular = sn_cross(sn_vec3_sub(point, part.centre), along);
    }
    return force;
}

static void bind_none(sn_world *world)
{
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_deformable(world, &at);) {
        sn_elastic_item *item = sn_elastic_item_of(world->sets[at.set], at.agent);
        item->bound = item->on_linkage = false;
    }
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_jointed(world, &at);) {
        sn_articulation_of(world->sets[at.set], at.agent)->bonded = false;
    }
}

// At its end a path has the rate that it came with, not the one of what rests there afterwards.
static double end_time(const sn_bond_record *record, double time)
{
    return fmin(time, nextafter(record->item.end, -INFINITY));
}

// Is the other side a mechanism of more than one freedom? Bonds do some work on those by their
// accelerations. Velocities are then led back to what the bond asks of them in every step, and the
// body may lose energy, which else came ever more.
static bool is_linkage(const sn_world *world, const sn_bond_record *record)
{
    const sn_body_record *other = sn_world_body_record(world, record->other);
    if (other == NULL || other->agent.agent < 0 ||
        !sn_world_traits(world, other->agent.set)->jointed) {
        return false;
    }
    return world->sets[other->agent.set]->agents[other->agent.agent].v_count > 1;
}

// What bonds ask of velocities at the start is asked in the middle, too, so that they do no work;
// what is off there stays, with changing signs. Not so of mechanisms as above, nor when a bond
// begins: what moves apart then is stopped at once.
static bool leads_back(const sn_world *world, const sn_bond_record *record)
{
    bool fresh = true;
    for (int k = 0; k < sn_bond_row_count(&record->item) && fresh; ++k) {
        fresh = record->impulses[k] == 0.0;
    }
    return fresh || is_linkage(world, record);
}

static bool add_row(sn_world *world, sn_bond_record *record, int index, const sn_bond_view *view,
                    double h, bool back)
{
    const sn_body_record *bodies[2] = {sn_world_body_record(world, record->body),
                                       sn_world_body_record(world, record->other)};
    sn_bond_row row, then;
    sn_bond_view later = *view;
    later.time = end_time(record, view->time + h);
    read_led_row(record, index, view, &row);
    read_led_row(record, index, &later, &then);
    bool whole = !is_midpoint(world, record);
    sn_exact_bond out = {.target = wanted_rate(world, record, &row, &then, h, whole),
                         .whole_target = wanted_rate(world, record, &row, &then, h, true),
                         .end_target = -then.rate,
                         .size = record->item.size,
                         .start_rate = back ? rate_of(&row, view) : 0.0,
                         .way = fabs(row.value) + fabs(then.value - row.value),
                         .impulse = record->impulses[index]};
    for (int i = 0; i < row.count; ++i) {
        const sn_body_record *body = bodies[row.terms[i].end];
        if (body == NULL || body->agent.agent < 0) {
            continue; // of the world, or static
        }
        sn_contact_side side = {body->agent.set, body->agent.agent, body->agent.part};
        if (body->type == SN_BODY_ELASTIC) {
            side.part = grip_vertex(world, body->agent, row.terms[i].vertex);
            item_of(world, body)->bound = true;
        }
        if (side.part < 0) {
            return false;
        }
        out.sides[out.count] = side;
        out.forces[out.count++] = force_of(world, body, row.terms[i].gradient, view->point);
    }
    sn_bond_set *set = &world->bonds;
    sn_contact_side none = {-1, -1, 0}, other = none;
    for (int i = 0; i < out.count; ++i) {
        bool same =
            out.sides[i].set == out.sides[0].set && out.sides[i].agent == out.sides[0].agent;
        other = same ? other : out.sides[i];
    }
    sn_island_pair link = {sn_touch_agent_number(world, out.sides[0]),
                           sn_touch_agent_number(world, other)};
    uint32_t owner = (uint32_t)(record - set->records.data);
    return sn_array_push(&set->rows, out) && sn_array_push(&set->owners, owner) &&
           sn_array_push(&world->touch.active, SN_TOUCH_BONDS + set->rows.count - 1) &&
           sn_array_push(&world->touch.links, link);
}

// What its sides have to know of it.
static void bind_sides(sn_world *world, const sn_bond_record *record)
{
    const sn_body_record *other = sn_world_body_record(world, record->other);
    if (is_linkage(world, record)) {
        item_of(world, sn_world_body_record(world, record->body))->on_linkage = true;
    } else if (other != NULL && other->agent.agent >= 0 &&
               sn_world_traits(world, other->agent.set)->jointed) {
        sn_articulation_of(world->sets[other->agent.set], other->agent.agent)->bonded = true;
    }
}

sn_status sn_world_find_bonds(sn_world *world, double h, sn_error *error)
{
    sn_bond_set *set = &world->bonds;
    sn_array_clear(&set->rows);
    sn_array_clear(&set->owners);
    bind_none(world);
    for (int i = 0; i < set->order.count; ++i) {
        sn_bond_record *record = &set->records.data[set->order.data[i]];
        record->first_row = -1;
        bool staged = is_staged(world, record);
        if (!sn_bond_is_active(record, world->time) || staged) {
            memset(record->impulses, 0,
                   (size_t)sn_bond_row_count(&record->item) * sizeof *record->impulses);
            record->holds = false;
            continue;
        }
        if (!record->holds) {
            begin_bond(world, record);
        }
        record->first_row = set->rows.count;
        bind_sides(world, record);
        bool back = leads_back(world, record);
        for (int k = 0; k < sn_bond_row_count(&record->item); ++k) {
            sn_bond_view view = sn_world_bond_view(world, record, k, world->time);
            if (!add_row(world, record, k, &view, h, back)) {
                return sn_fail_memory(error, sizeof(sn_exact_bond));
            }
        }
    }
    return SN_OK;
}

sn_status sn_world_find_bonds_alone(sn_world *world, double h, sn_error *error)
{
    sn_array_clear(&world->touch.active);
    sn_array_clear(&world->touch.links);
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_deformable(world, &at);) {
        sn_elastic_release(world->sets[at.set], at.agent);
    }
    return sn_world_find_bonds(world, h, error);
}

static void renew_row(const sn_world *world, const sn_bond_record *record, int index, double time,
                      bool at_end, sn_exact_bond *out)
{
    const sn_body_record *bodies[2] = {sn_world_body_record(world, record->body),
                                       sn_world_body_record(world, record->other)};
    sn_bond_view view = sn_world_bond_view(world, record, index, end_time(record, time));
    sn_bond_row row;
    int count = 0;
    read_led_row(record, index, &view, &row);
    if (!at_end) { // what turning adds to the rate of the start, in which closing is already
        double middle, start;
        closing_share(record, view.time, &middle);
        closing_share(record, world->time, &start);
        row.rate += record->gaps[index] * (middle - start);
    }
    for (int t = 0; t < row.count; ++t) {
        const sn_body_record *body = bodies[row.terms[t].end];
        if (body != NULL && body->agent.agent >= 0) {
            out->forces[count++] = force_of(world, body, row.terms[t].gradient, view.point);
        }
    }
    if (at_end) {
        out->end_target = -row.rate;
    } else if (is_midpoint(world, record)) {
        out->middle_rate = rate_of(&row, &view);
        out->target -= out->middle_rate - out->start_rate;
    }
}

// Rows were read at the start. An impulse that pushed a part in the middle of the step from where
// it was at the start would do work that is not taken from the other side, in proportion to the
// square of the angle it has turned by: parts that turn are pushed from where they are. Their
// velocities in the middle are those of the start still, and tell what the turning adds.
void sn_world_renew_bonds(sn_world *world, double h, bool at_end)
{
    sn_bond_set *set = &world->bonds;
    for (int i = 0; i < set->order.count; ++i) {
        const sn_bond_record *record = &set->records.data[set->order.data[i]];
        bool due = record->first_row >= 0 && (at_end || turns(world, record));
        for (int k = 0; due && k < sn_bond_row_count(&record->item); ++k) {
            renew_row(world, record, k, world->time + (at_end ? h : 0.5 * h), at_end,
                      &set->rows.data[record->first_row + k]);
        }
    }
}

// Where the agent is halfway through the step, by the change of velocity it is linearised at.
static const double *find_middle(const sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first, *q = sn_agent_q(set, agent);
    double t = sn_elastic_time(set, agent, item->step);
    bool midpoint = sn_elastic_is_midpoint(&set->agents[agent]);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        item->place[i] =
            midpoint ? q[i] + 0.5 * t * item->bend[i] : 0.5 * (q0[i] + q[i] + t * item->bend[i]);
    }
    return item->place;
}

// The point of a rigid part, and its velocity, where the part is turned a little further about its
// centre. Its velocity of now is not that of the start any more, but what that makes of a small
// turn is smaller still.
static sn_vec3 turn_point(const sn_world *world, const sn_body_record *body, sn_vec3 turn,
                          sn_bond_view *view)
{
    if (body == NULL || body->type == SN_BODY_ELASTIC || body->agent.agent < 0) {
        return SN_VEC3_ZERO;
    }
    const sn_agent_set *set = world->sets[body->agent.set];
    sn_part part;
    set->type->part(set, body->agent.agent, body->agent.part, &part);
    sn_vec3 more = sn_cross(turn, sn_vec3_sub(view->point, part.centre));
    view->point = sn_vec3_add(view->point, more);
    return sn_cross(part.angular_velocity, more);
}

static void bend_row(const sn_world *world, const sn_bond_record *record, int index,
                     const double *middle, sn_exact_bond *out)
{
    const sn_body_record *bodies[2] = {sn_world_body_record(world, record->body),
                                       sn_world_body_record(world, record->other)};
    sn_bond_view view = sn_world_bond_view(world, record, index, world->time);
    sn_vec3 faster = turn_point(world, bodies[1], out->turn, &view);
    view.x = middle;
    view.v = item_of(world, bodies[0])->v_start;
    sn_bond_row row;
    sn_bond_read_row(&record->item, index, &view, &row);
    bool curved = is_curved(world, record);
    double bent = curved ? -out->middle_rate : 0.0;
    int put = 0;
    for (int t = 0; t < row.count; ++t) {
        const sn_body_record *body = bodies[row.terms[t].end];
        sn_vec3 along = row.terms[t].gradient;
        if (body != NULL && body->agent.agent >= 0) {
            out->forces[put++] = force_of(world, body, along, view.point);
        }
        if (curved) { // all are of vertices of its own
            bent += sn_dot(along, sn_vec3_at(view.v + STRIDE * row.terms[t].vertex));
        } else if (row.terms[t].vertex < 0) {
            bent += sn_dot(along, faster);
        }
    }
    out->target += out->bent_rate - bent;
    out->bent_rate = bent;
}

void sn_world_bend_bonds(void *context, sn_exact_bond *const *bonds, int count)
{
    sn_world *world = context;
    const sn_bond_set *set = &world->bonds;
    const double *middle = NULL;
    int middle_of = -1;
    for (int i = 0; i < count; ++i) {
        if (bonds[i]->soft != NULL) {
            continue; // a spring's
        }
        int number = (int)(bonds[i] - set->rows.data);
        const sn_bond_record *record = &set->records.data[set->owners.data[number]];
        if (!turns(world, record)) {
            continue;
        }
        sn_agent_ref ref = sn_world_body_record(world, record->body)->agent;
        middle = ref.agent == middle_of ? middle : find_middle(world->sets[ref.set], ref.agent);
        middle_of = ref.agent;
        bend_row(world, record, number - record->first_row, middle, bonds[i]);
    }
}

sn_status sn_world_give_bonds(sn_world *world, sn_error *error)
{
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_deformable(world, &at);) {
        sn_array_clear(&sn_elastic_item_of(world->sets[at.set], at.agent)->bonds);
    }
    world->bonds.ties_groups = sn_world_ties_groups(world);
    for (int i = 0; i < world->bonds.order.count; ++i) {
        sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        const sn_body_record *body = sn_world_body_record(world, record->body);
        const sn_body_record *other = sn_world_body_record(world, record->other);
        sn_bond_item *item = &record->item;
        item->ground = is_grounded(other) ? other->own->frame : SN_TRANSFORM_IDENTITY;
        sn_status status =
            sn_world_check_tied(world, record->body, record->other, record->name, error);
        if (status != SN_OK) {
            return status;
        }
        if (!world->bonds.ties_groups && is_staged(world, record) && !record->load.broken &&
            !sn_array_push(&item_of(world, body)->bonds, item)) {
            return sn_fail_memory(error, sizeof item);
        }
    }
    return SN_OK;
}

// Is its other side where it is whatever its vertices do: on a path, in the world, or on a
// mechanism that a prescribed motion moves?
static bool is_led(const sn_world *world, const sn_bond_record *record)
{
    const sn_body_record *other = sn_world_body_record(world, record->other);
    switch (record->item.type) {
    case SN_BOND_PATH:
    case SN_BOND_COORDINATES:
        return true;
    case SN_BOND_ATTACHED:
    case SN_BOND_POINT:
        return other == NULL || other->agent.agent < 0 ||
               (sn_world_traits(world, other->agent.set)->jointed &&
                !sn_articulation_may_turn_back(world->sets[other->agent.set], other->agent.agent));
    default:
        return false;
    }
}

void sn_world_mark_led(const sn_world *world, uint8_t *led)
{
    const sn_agent_set *set = &world->elastics.agents;
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        if (record->first_row < 0 || !is_led(world, record)) {
            continue;
        }
        const sn_bond_item *item = &record->item;
        bool point = item->type == SN_BOND_POINT;
        const int *vertices = point ? item->ends[0].vertices : item->vertices;
        int agent = sn_world_body_record(world, record->body)->agent.agent;
        for (int k = 0; k < (point ? item->ends[0].count : item->vertex_count); ++k) {
            led[set->agents[agent].v_first / STRIDE + vertices[k]] = 1;
        }
    }
}

// What the rows of a step have come to: forces are impulses times gradients, over time.
static void weigh_rows(const sn_bond_set *set, sn_bond_record *record, double h)
{
    sn_bond_load *load = &record->load;
    load->force = 0.0;
    load->total = SN_VEC3_ZERO;
    for (int k = 0; k < sn_bond_row_count(&record->item) && record->first_row >= 0; ++k) {
        const sn_exact_bond *row = &set->rows.data[record->first_row + k];
        sn_vec3 sum = SN_VEC3_ZERO;
        double steepest = 0.0;
        for (int t = 0; t < row->count; ++t) {
            bool same = row->sides[t].set == row->sides[0].set &&
                        row->sides[t].agent == row->sides[0].agent;
            sum = same ? sn_vec3_add(sum, row->forces[t].linear) : sum;
            steepest = fmax(steepest, sn_length(row->forces[t].linear));
        }
        steepest = fmax(steepest, sn_length(sum)); // all on one body, if not against each other
        record->impulses[k] = row->impulse;
        load->total = sn_vec3_add_scaled(load->total, row->impulse / h, sum);
        load->force = fmax(load->force, fabs(row->impulse) * steepest / h);
    }
}

// `led`: but for what is left of the gap that it began with.
static double error_of(const sn_world *world, const sn_bond_record *record, double time, bool led)
{
    double error = 0.0;
    for (int i = 0; i < sn_bond_row_count(&record->item); ++i) {
        sn_bond_view view = sn_world_bond_view(world, record, i, time);
        sn_bond_row row;
        if (led) {
            read_led_row(record, i, &view, &row);
        } else {
            sn_bond_read_row(&record->item, i, &view, &row);
        }
        error = fmax(error, length_of(&row));
    }
    return error;
}

// A bond is violated that has been off by this share of the shortest edge of its body for this
// long: what begins far off is led in, so contacts, other bonds or a motion that is prescribed
// contradict it, and what it bears then means nothing.
static const double VIOLATED_SHARE = 0.05, VIOLATED_TIME = 0.25;

static void note_violated(sn_world *world, sn_bond_record *record, double h)
{
    const sn_body_record *body = sn_world_body_record(world, record->body);
    double most = VIOLATED_SHARE * item_of(world, body)->shortest;
    bool off = record->first_row >= 0 &&
               error_of(world, record, end_time(record, world->time + h), true) > most;
    record->violated_time = off ? record->violated_time + h : 0.0;
    if (record->violated_time > VIOLATED_TIME && world->report.violated++ == 0) {
        uint32_t index = (uint32_t)(record - world->bonds.records.data);
        world->report.violated_bond = (sn_bond){index, world->bonds.ids.generation.data[index]};
        sn_world_note_worst(world, SN_COUNTER_VIOLATED, record->body.index, 1.0);
    }
}

void sn_world_finish_bonds(sn_world *world, double h)
{
    sn_bond_set *set = &world->bonds;
    for (int i = 0; i < set->order.count; ++i) {
        sn_bond_record *record = &set->records.data[set->order.data[i]];
        if (is_staged(world, record)) {
            continue; // its group knows
        }
        weigh_rows(set, record, h);
        if (record->load.force > record->break_force && !record->load.broken) {
            sn_bond_let_go(record, world->time + h);
        }
        note_violated(world, record, h);
    }
}

// ---- reading ----

sn_bond_state sn_bond_read(const sn_world *world, sn_bond bond)
{
    const sn_bond_record *record = sn_world_bond_record(world, bond);
    sn_bond_state state = {0};
    if (record == NULL) {
        return state;
    }
    state.active = sn_bond_is_active(record, world->time);
    state.broken = record->load.broken;
    state.force = record->load.force;
    state.total = record->load.total;
    state.break_time = record->load.break_time;
    state.break_force = record->load.break_force;
    state.error = error_of(world, record, world->time, false);
    return state;
}

// ---- state ----

void sn_world_walk_bonds(sn_world *world, sn_state_walk *walk)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        sn_bond_along *along = &record->item.along;
        sn_bond_load *load = &record->load;
        sn_state_flag(walk, &load->broken);
        sn_state_numbers(walk, &along->from, 1);
        sn_state_numbers(walk, &along->since, 1);
        sn_state_numbers(walk, &along->target, 1);
        sn_state_numbers(walk, &load->force, 1);
        sn_state_numbers(walk, &load->total.x, 3);
        sn_state_numbers(walk, &load->break_time, 1);
        sn_state_numbers(walk, &load->break_force, 1);
        sn_state_numbers(walk, &record->began, 1);
        sn_state_numbers(walk, &record->closing, 1);
        sn_state_flag(walk, &record->holds);
        sn_state_numbers(walk, &record->violated_time, 1);
        // Impulses of the rows, and behind them their gaps.
        sn_state_numbers(walk, record->impulses, 2 * (size_t)sn_bond_row_count(&record->item));
    }
}

void sn_world_mark_broken_bonds(sn_world *world)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        record->was_broken = record->load.broken;
    }
}
