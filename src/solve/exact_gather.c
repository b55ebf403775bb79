// From contacts and agents to a system of rows.
#include <math.h>
#include <string.h>

#include "solve/exact.h"

// ---- agents ----

static const sn_agent_contact *side_table(const sn_exact_problem *problem,
                                          const sn_contact_side *side)
{
    return side->set >= 0 ? problem->sets[side->set]->type->contact : NULL;
}

// Velocities of an agent that has such a factor become normalised. Bonds ask for true ones.
static bool normalise(const sn_exact_problem *problem, const sn_exact_agent *agent, double *v,
                      double *scratch)
{
    sn_agent_set *set = problem->sets[agent->set];
    if (problem->bond_count > 0 || set->type->contact->normalise == NULL ||
        !set->type->contact->normalise(set, agent->agent, v, scratch)) {
        return false;
    }
    memcpy(v, scratch, (size_t)agent->v_count * sizeof *v);
    return true;
}

// For agents with rows of their own: free velocities as they are, not normalised.
static bool keep_free(sn_exact *exact, const sn_exact_agent *agent, const double *v)
{
    if (!sn_array_resize(&exact->free_v, agent->v_first + agent->v_count)) {
        return false;
    }
    memcpy(exact->free_v.data + agent->v_first, v, (size_t)agent->v_count * sizeof *v);
    return true;
}

// Adds an agent with its free velocity: its index, or -1 when memory runs out. At the end of the
// step it takes impulses there from now on.
static int add_agent(sn_exact *exact, const sn_exact_problem *problem, const sn_contact_side *side)
{
    sn_exact_system *system = &exact->system;
    sn_agent_set *set = problem->sets[side->set];
    sn_exact_agent agent = {.set = side->set,
                            .agent = side->agent,
                            .v_first = system->v.count,
                            .v_count = sn_agent_contact_width(set, side->agent)};
    if (!sn_array_resize(&system->v, agent.v_first + agent.v_count) ||
        !sn_array_resize(&exact->total, agent.v_count)) { // scratch, until gathering ends
        return -1;
    }
    if (exact->at_end) {
        set->type->contact->strike(set, side->agent);
    }
    double *v = system->v.data + agent.v_first;
    set->type->contact->velocity(set, side->agent, v);
    if (set->type->contact->rows != NULL && !keep_free(exact, &agent, v)) {
        return -1;
    }
    agent.normalised = normalise(problem, &agent, v, exact->total.data);
    if (!sn_array_push(&system->agents, agent)) {
        return -1;
    }
    return system->agents.count - 1;
}

// Finds an agent by open addressing, and adds it when it is new.
static int agent_index(sn_exact *exact, const sn_exact_problem *problem,
                       const sn_contact_side *side)
{
    unsigned mask = (unsigned)exact->places.count - 1;
    unsigned place = ((unsigned)side->agent * 2654435761u + (unsigned)side->set * 40503u) & mask;
    while (exact->places.data[place] >= 0) {
        const sn_exact_agent *agent = &exact->system.agents.data[exact->places.data[place]];
        if (agent->set == side->set && agent->agent == side->agent) {
            return exact->places.data[place];
        }
        place = (place + 1) & mask;
    }
    int index = add_agent(exact, problem, side);
    exact->places.data[place] = index;
    return index;
}

static bool reset_places(sn_exact *exact, int contacts)
{
    int size = 16;
    while (size < 4 * contacts) {
        size *= 2;
    }
    if (!sn_array_resize(&exact->places, size)) {
        return false;
    }
    for (int i = 0; i < size; ++i) {
        exact->places.data[i] = -1;
    }
    return true;
}

// ---- rows ----

// Room for `width` rows of one more side; where they begin, or -1.
static int add_side(sn_exact_system *system, sn_exact_block *block, int agent)
{
    int first = system->j.count;
    int size = block->width * system->agents.data[agent].v_count;
    if (!sn_array_resize(&system->j, first + size) || !sn_array_resize(&system->y, first + size)) {
        return -1;
    }
    block->side[block->side_count++] = (sn_exact_side){.agent = agent, .first = first, .felt = -1};
    return first;
}

// From J^T in j: the answers y, or j and y of normalised velocities; those that have `felt` have
// them in j already. False when memory runs out.
static bool invert_side(sn_exact *exact, const sn_exact_problem *problem, sn_exact_side *side,
                        int width)
{
    sn_exact_system *system = &exact->system;
    const sn_exact_agent *agent = &system->agents.data[side->agent];
    const sn_agent_set *set = problem->sets[agent->set];
    size_t size = (size_t)agent->v_count, all = (size_t)width * size;
    double *j = system->j.data + side->first, *y = system->y.data + side->first;
    if (side->felt >= 0) {
        memcpy(y, j, all * sizeof *y);
        return true;
    }
    if (agent->normalised) {
        side->felt = exact->felt.count;
        if (!sn_array_resize(&exact->felt, side->felt + (int)all)) {
            return false;
        }
        memcpy(exact->felt.data + side->felt, j, all * sizeof *j);
        for (int a = 0; a < width; ++a) {
            set->type->contact->half_inverse(set, agent->agent, j + (size_t)a * size);
        }
        memcpy(y, j, all * sizeof *y);
        return true;
    }
    memcpy(y, j, all * sizeof *y);
    for (int a = 0; a < width; ++a) {
        set->type->contact->inverse(set, agent->agent, y + (size_t)a * size);
    }
    return true;
}

static bool add_block(sn_exact_system *system, sn_exact_block *block)
{
    block->row = system->p.count;
    int rows = block->row + block->width;
    if (!sn_array_resize(&system->p, rows) || !sn_array_resize(&system->target, rows) ||
        !sn_array_push(&system->blocks, *block)) {
        return false;
    }
    for (int i = block->row; i < rows; ++i) {
        system->p.data[i] = system->target.data[i] = 0.0;
    }
    return true;
}

// An impulse `sign` times a unit force (or moment) on one side of a contact, at the place.
static sn_spatial unit_wrench(const sn_part *part, sn_vec3 axis, sn_vec3 place, bool moment,
                              double sign)
{
    sn_vec3 along = sn_vec3_scale(sign, axis);
    return moment ? sn_spatial_make(along, SN_VEC3_ZERO)
                  : sn_spatial_make(sn_cross(sn_vec3_sub(place, part->centre), along), along);
}

static void add_to(double *sum, const double *more, int count)
{
    for (int i = 0; i < count; ++i) {
        sum[i] += more[i];
    }
}

// J^T of the last side of a block, and L^-1 J^T in its place where the agent is normalised. False
// when memory runs out.
static bool project_side(sn_exact *exact, const sn_exact_problem *problem,
                         const sn_contact_side *from, sn_exact_block *block,
                         const sn_spatial wrench[SN_BLOCK_ROWS])
{
    sn_exact_system *system = &exact->system;
    sn_exact_side *side = &block->side[block->side_count - 1];
    const sn_exact_agent *agent = &system->agents.data[side->agent];
    const sn_agent_set *set = problem->sets[from->set];
    const sn_agent_contact *table = set->type->contact;
    double *j = system->j.data + side->first;
    if (agent->normalised) {
        side->felt = exact->felt.count;
        if (!sn_array_resize(&exact->felt, side->felt + block->width * agent->v_count)) {
            return false;
        }
        table->half_project(set, from->agent, from->part, wrench, block->width,
                            exact->felt.data + side->felt, j);
        return true;
    }
    for (int a = 0; a < block->width; ++a) {
        table->project(set, from->agent, from->part, &wrench[a], j + a * agent->v_count);
    }
    return true;
}

// Where both sides of a contact are parts of one agent, they are one side of the block.
static void join_sides(sn_exact *exact, sn_exact_block *block)
{
    sn_exact_system *system = &exact->system;
    const sn_exact_side *one = &block->side[0], *other = &block->side[1];
    int count = block->width * system->agents.data[one->agent].v_count;
    add_to(system->j.data + one->first, system->j.data + other->first, count);
    if (one->felt >= 0) {
        add_to(exact->felt.data + one->felt, exact->felt.data + other->felt, count);
        exact->felt.count = other->felt;
    }
    system->j.count = system->y.count = other->first;
    --block->side_count;
}

// Rows of a contact's block, at a place of each side.
static bool contact_rows(sn_exact *exact, const sn_exact_problem *problem,
                         const sn_contact *contact, sn_exact_block *block, const sn_vec3 *axes,
                         const sn_vec3 places[2], bool moment)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    for (int i = 0; i < 2; ++i) {
        if (side_table(problem, sides[i]) == NULL) {
            continue;
        }
        int agent = agent_index(exact, problem, sides[i]);
        if (agent < 0 || add_side(&exact->system, block, agent) < 0) {
            return false;
        }
        const sn_agent_set *set = problem->sets[sides[i]->set];
        sn_part part;
        sn_spatial wrench[SN_BLOCK_ROWS];
        set->type->part(set, sides[i]->agent, sides[i]->part, &part);
        for (int a = 0; a < block->width && a < SN_BLOCK_ROWS; ++a) {
            wrench[a] = unit_wrench(&part, axes[a], places[i], moment, i == 0 ? -1.0 : 1.0);
        }
        if (!project_side(exact, problem, sides[i], block, wrench)) {
            return false;
        }
        if (block->side_count == 2 && block->side[0].agent == agent) {
            join_sides(exact, block);
        }
    }
    bool done = true;
    for (int side = 0; side < block->side_count && done; ++side) {
        done = invert_side(exact, problem, &block->side[side], block->width);
    }
    return done;
}

// ---- contacts ----

// What rests exactly at the bound of friction sticks, whatever round-off and the solver's tolerance
// say: Coulomb's coefficient counts for that much more.
#define FRICTION_SLACK (1.0 + 1e-8)

// How long the velocities found act on positions: half the step under the midpoint rule, all of it
// under Euler's.
static void put_times(const sn_exact_problem *problem, const sn_contact *contact,
                      sn_exact_spot *spot)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    double shares[2] = {0.0, 0.0}, sum = 0.0;
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        const sn_agent_contact *table = side_table(problem, sides[i]);
        if (table != NULL) { // those with rows of their own, mechanisms, have one way to step
            const sn_agent *head = &problem->sets[sides[i]->set]->agents[sides[i]->agent];
            bool middle = (head->integrator == SN_INTEGRATOR_LIE_MIDPOINT && !head->whole) ||
                          problem->sets[sides[i]->set]->type->traits.jointed;
            shares[i] = middle ? 0.5 : 1.0;
            sum += shares[i];
            ++count;
        }
    }
    spot->after = (count > 0 ? sum / count : 0.5) * problem->h;
    spot->before = problem->h - spot->after;
    spot->unlike = count == 2 ? (shares[1] - shares[0]) * problem->h : 0.0;
}

static void axes_about(sn_vec3 normal, sn_vec3 axes[3])
{
    axes[0] = sn_normalize(normal);
    axes[1] = sn_perpendicular(axes[0]);
    axes[2] = sn_cross(axes[0], axes[1]);
}

static sn_vec3 along_axes(const sn_vec3 axes[3], sn_vec3 x)
{
    return sn_vec3_make(sn_dot(axes[0], x), sn_dot(axes[1], x), sn_dot(axes[2], x));
}

// What counts of a gap: see exact.h.
static double counted_gap(double gap, double size)
{
    if (gap > SN_EXACT_SMALL * size) {
        return gap;
    }
    return gap < -SN_EXACT_OVERLAP * size ? gap + SN_EXACT_OVERLAP * size : 0.0;
}

// An impulse along one normal as it counts for friction at another: else its part along the new
// plane, which is none of friction's, would be taken for it, and taken back. `from` 0: the same.
static sn_vec3 turned(sn_vec3 impulse, sn_vec3 from, sn_vec3 to)
{
    if (!(sn_dot(from, from) > 0.0)) {
        return impulse;
    }
    double press = sn_dot(impulse, from);
    sn_vec3 rub = sn_vec3_add_scaled(impulse, -press, from);
    rub = sn_vec3_add_scaled(rub, -sn_dot(rub, to), to);
    return sn_vec3_add_scaled(rub, press, to);
}

// A block that no solver touches: see `striking`. It comes before the point's own, since those of
// rolling and spinning follow that.
static bool add_striking(sn_exact *exact, const sn_exact_problem *problem,
                         const sn_contact *contact, const sn_exact_spot *spot,
                         const sn_vec3 places[2])
{
    sn_exact_block block = {.kind = SN_BLOCK_POINT,
                            .width = 3,
                            .friction = FRICTION_SLACK * contact->friction,
                            .idle = true};
    return contact_rows(exact, problem, contact, &block, spot->axes, places, false) &&
           add_block(&exact->system, &block);
}

// striking: places of both sides when it strikes; NULL: it will not.
static bool add_point(sn_exact *exact, const sn_exact_problem *problem, int index, int point_index,
                      const sn_exact_spot *common, const sn_vec3 *striking)
{
    const sn_contact *contact = problem->contacts[index];
    const sn_contact_point *point = &contact->points[point_index];
    const sn_course_point *course = &problem->courses[index].points[point_index];
    const sn_vec3 places[2] = {common->place, common->place};
    sn_exact_spot spot = *common;
    spot.contact = index;
    spot.point = point_index;
    spot.gap = counted_gap(point->gap, contact->size);
    spot.start = along_axes(spot.axes, course->approach);
    if (striking != NULL && !add_striking(exact, problem, contact, &spot, striking)) {
        return false;
    }
    sn_exact_block block = {
        .kind = SN_BLOCK_POINT, .width = 3, .friction = FRICTION_SLACK * contact->friction};
    if (!contact_rows(exact, problem, contact, &block, spot.axes, places, false)) {
        return false;
    }
    spot.block = exact->system.blocks.count;
    spot.striking = striking != NULL ? spot.block - 1 : spot.block;
    spot.first = along_axes(
        spot.axes, turned(sn_vec3_sub(point->impulse, course->strike), spot.pressed, spot.axes[0]));
    if (!add_block(&exact->system, &block) || !sn_array_push(&exact->spots, spot)) {
        return false;
    }
    sn_exact_put(&exact->system, &block, spot.first);
    return true;
}

// Rolling and spinning friction, bounded by all points of the contact.
static bool add_turning(sn_exact *exact, const sn_exact_problem *problem, const sn_contact *contact,
                        int owner, const sn_vec3 axes[3])
{
    const double lengths[2] = {contact->spinning_friction, contact->rolling_friction};
    const sn_vec3 nowhere[2] = {SN_VEC3_ZERO, SN_VEC3_ZERO};
    sn_vec3 start = along_axes(axes, contact->turning);
    for (int i = 0; i < 2; ++i) {
        sn_exact_block block = {.kind = SN_BLOCK_BALL,
                                .width = 1 + i,
                                .length = lengths[i],
                                .owner = owner,
                                .owner_count = exact->system.blocks.count - owner};
        block.owner_count -= i == 1 && lengths[0] > 0.0 ? 1 : 0;
        if (!(lengths[i] > 0.0)) {
            continue;
        }
        if (!contact_rows(exact, problem, contact, &block, axes + i, nowhere, true) ||
            !add_block(&exact->system, &block)) {
            return false;
        }
        sn_vec3 p = i == 0 ? start : sn_vec3_make(start.y, start.z, 0.0);
        sn_exact_put(&exact->system, &block, p);
    }
    return true;
}

// Cores stay where they are, and what is round touches below them.
static void turn_ahead(sn_contact *now, sn_vec3 normal)
{
    sn_vec3 turn = sn_vec3_sub(now->normal, normal);
    for (int i = 0; i < now->count; ++i) {
        sn_contact_point *point = &now->points[i];
        point->on_a = sn_vec3_add_scaled(point->on_a, now->round_b - now->round_a, turn);
        point->on_b = sn_vec3_add_scaled(point->on_b, now->round_b - now->round_a, turn);
    }
    now->normal = normal;
}

// Where the contact's normal and points are now: in the middle of the step as sn_contact_begin
// saw them go, and from there to the end as bodies have gone since. Gives the normal of the middle
// if that of the end is another one of the ground's, else 0.
static sn_vec3 place_contact(const sn_exact_problem *problem, const sn_contact_course *course,
                             sn_contact *now, double before, double after, bool at_end)
{
    for (int i = 0; i < now->count; ++i) {
        sn_vec3 shift = sn_vec3_scale(before, course->points[i].travel);
        now->points[i].on_a = sn_vec3_add(now->points[i].on_a, shift);
        now->points[i].on_b = sn_vec3_add(now->points[i].on_b, shift);
    }
    now->normal = sn_normalize(sn_vec3_add_scaled(now->normal, before, course->normal_rate));
    sn_vec3 pressed = SN_VEC3_ZERO;
    if (at_end && sn_dot(now->ahead, now->ahead) > 0.0) {
        pressed = now->normal;
        turn_ahead(now, sn_normalize(sn_vec3_add_scaled(now->ahead, before, course->normal_rate)));
    }
    if (at_end) {
        sn_contact_carry(now, problem->sets, after);
    }
    return pressed;
}

static sn_vec3 centre_of(const sn_exact_problem *problem, const sn_contact_side *side)
{
    sn_part part;
    const sn_agent_set *set = problem->sets[side->set];
    set->type->part(set, side->agent, side->part, &part);
    return part.centre;
}

// Where both sides of a point that touches on its way have it, as far from their centres as when it
// touches. In the middle of a step, and again at its end, these are two places: impulses are found
// there, but act in the middle between them, one place for both, which keeps angular momentum. They
// have the right moments all the same: with v the velocities of centres, an impact at the time t,
// s = (h - t) / after of it in the middle and the rest at the end, arms are off by half of
//
//     s (h/2 - t) (v_a - v_b) + (1 - s) (h - t) (v_a' - v_b'),
//
// which is (h - t) (1 - 2 t / h) of what the impulse changes, and so along it.
static sn_vec3 place_arrival(const sn_exact_problem *problem, const sn_contact *contact,
                             const sn_course_point *course, sn_vec3 places[2])
{
    bool moves_a = contact->a.set >= 0, moves_b = contact->b.set >= 0;
    if (moves_a) {
        places[0] = sn_vec3_add(centre_of(problem, &contact->a), course->arm_a);
    }
    if (moves_b) {
        places[1] = sn_vec3_add(centre_of(problem, &contact->b), course->arm_b);
    }
    places[0] = moves_a ? places[0] : places[1];
    places[1] = moves_b ? places[1] : places[0];
    return sn_vec3_scale(0.5, sn_vec3_add(places[0], places[1]));
}

// Does a point touch within the step, or has it struck there?
static bool is_arriving(const sn_exact_problem *problem, const sn_course_point *course, bool at_end)
{
    return course->arrival >= 0.0 && course->arrival <= problem->h &&
           (!at_end || sn_dot(course->strike, course->strike) > 0.0);
}

static bool add_contact(sn_exact *exact, const sn_exact_problem *problem, int index, bool at_end)
{
    const sn_contact *contact = problem->contacts[index];
    const sn_contact_course *course = &problem->courses[index];
    sn_contact now = *contact;
    sn_exact_spot common = {.lag = 0.0};
    bool arriving = false;
    for (int i = 0; i < contact->count; ++i) {
        arriving = arriving || is_arriving(problem, &course->points[i], at_end);
    }
    put_times(problem, contact, &common);
    common.pressed = place_contact(problem, course, &now, common.before, common.after, at_end);
    common.pressed = arriving ? SN_VEC3_ZERO : common.pressed;
    axes_about(arriving ? course->arrival_normal : now.normal, common.axes);
    int owner = exact->system.blocks.count;
    for (int i = 0; i < contact->count; ++i) {
        const sn_course_point *point = &course->points[i];
        bool open = point->gap_end > SN_EXACT_SMALL * contact->size, arrives = false;
        sn_vec3 later = point->later, places[2];
        if (at_end && open && !(sn_dot(later, later) > 0.0)) {
            continue;
        }
        common.place = sn_vec3_scale(0.5, sn_vec3_add(now.points[i].on_a, now.points[i].on_b));
        if (is_arriving(problem, point, at_end)) {
            common.place = place_arrival(problem, contact, point, places);
            arrives = !at_end && contact->restitution > 0.0;
        }
        if (!add_point(exact, problem, index, i, &common, arrives ? places : NULL)) {
            return false;
        }
        exact->system.blocks.data[exact->system.blocks.count - 1].idle = at_end && open;
    }
    return exact->system.blocks.count == owner ||
           add_turning(exact, problem, contact, owner, common.axes);
}

// ---- agents' own rows ----

static bool add_own_row(sn_exact *exact, const sn_exact_problem *problem, int index,
                        const sn_agent_row *row)
{
    sn_exact_system *system = &exact->system;
    bool cone = row->width == 3 && row->cone > 0.0;
    sn_exact_block block = {.kind = cone ? SN_BLOCK_BALL : SN_BLOCK_BOX,
                            .width = cone ? 3 : 1,
                            .lower = row->lower,
                            .upper = row->upper,
                            .radius = row->cone,
                            .softness = row->softness};
    int first = add_side(system, &block, index);
    if (first < 0) {
        return false;
    }
    int count = system->agents.data[index].v_count;
    double *j = system->j.data + first;
    memset(j, 0, (size_t)(block.width * count) * sizeof *j);
    if (cone) {
        for (int a = 0; a < 3; ++a) {
            j[a * count + row->freedom + a] = 1.0;
        }
    } else if (row->width == 3) {
        sn_vec3_put(j + row->freedom, row->direction);
    } else {
        j[row->freedom] = 1.0;
    }
    if (!invert_side(exact, problem, &block.side[0], block.width) || !add_block(system, &block)) {
        return false;
    }
    int last = system->p.count - block.width;
    system->p.data[last] = cone ? 0.0 : row->impulse;
    system->target.data[last] = row->target;
    return true;
}

static bool add_own_rows(sn_exact *exact, const sn_exact_problem *problem, int index)
{
    const sn_exact_agent agent = exact->system.agents.data[index];
    sn_agent_set *set = problem->sets[agent.set];
    if (set->type->contact->rows == NULL) {
        return true;
    }
    int capacity = 4 * agent.v_count + 16;
    if (!sn_array_reserve(&exact->rows, capacity)) {
        return false;
    }
    int count = set->type->contact->rows(set, agent.agent, exact->rows.data, capacity);
    const double *v = exact->free_v.data + agent.v_first;
    double fastest = sn_exact_fastest(&agent, v);
    bool memory = true;
    for (int i = 0; i < count && memory; ++i) {
        const sn_agent_row *row = &exact->rows.data[i];
        memory = sn_exact_is_far(exact, index, v, fastest, row, &memory)
                     ? memory
                     : add_own_row(exact, problem, index, row);
    }
    return memory;
}

// ---- bonds ----

// Of what a row's own impulse does: many vertices of a stiff patch on one rigid body say nearly the
// same, and what they say differently would be lost in rounding.
#define BOND_SOFTNESS 1e-5

static bool ends_whole(const sn_exact_problem *problem, const sn_contact_side *side)
{
    const sn_agent *head = &problem->sets[side->set]->agents[side->agent];
    return head->whole || head->integrator == SN_INTEGRATOR_IMPLICIT_EULER;
}

// A row of a spring, in place of one that holds; gives its target. At the end of the step a spring
// does nothing in the instant of an impact, but for settling its energy. (Those that look at forces
// at the start and end at x0 + h v1, symplectic Euler's, have the midpoint rule's law: with y = x0
// + h/2 v0 there and y = x0 here both are v1 = v0 + h f(y0), y1 = y0 + h v1.)
static double soften(const sn_exact_problem *problem, const sn_exact_bond *bond, double answer,
                     bool at_end, sn_exact_block *block)
{
    sn_soft_row *soft = bond->soft;
    if (at_end) {
        block->idle = !(soft->excess > 0.0);
        return block->idle ? 0.0 : sn_soft_row_end(soft, answer);
    }
    bool whole = false;
    for (int i = 0; i < bond->count; ++i) {
        whole = whole || ends_whole(problem, &bond->sides[i]);
    }
    sn_soft_law law = sn_soft_row_law(soft, answer, problem->h, whole);
    soft->push = law.push;
    soft->resistance = law.resistance;
    soft->share = law.share;
    block->idle = !(law.resistance > 0.0);
    block->softness = block->idle ? 0.0 : 1.0 / law.resistance;
    return block->idle ? 0.0 : soft->rate + law.push / law.resistance;
}

static bool add_bond(sn_exact *exact, const sn_exact_problem *problem, const sn_exact_bond *bond,
                     bool at_end)
{
    sn_exact_system *system = &exact->system;
    sn_exact_block block = {
        .kind = SN_BLOCK_BOX, .width = 1, .lower = -INFINITY, .upper = INFINITY};
    for (int i = 0; i < bond->count; ++i) {
        const sn_contact_side *side = &bond->sides[i];
        const sn_agent_contact *table = side_table(problem, side);
        int agent = agent_index(exact, problem, side), own = 0;
        if (agent < 0) {
            return false;
        }
        while (own < block.side_count && block.side[own].agent != agent) {
            ++own;
        }
        int count = system->agents.data[agent].v_count;
        bool fresh = own == block.side_count;
        if (fresh) {
            int first = add_side(system, &block, agent);
            if (first < 0) {
                return false;
            }
            memset(system->j.data + first, 0, (size_t)count * sizeof(double));
        }
        if (!sn_array_resize(&exact->total, count)) { // scratch, until gathering ends
            return false;
        }
        table->project(problem->sets[side->set], side->agent, side->part, &bond->forces[i],
                       exact->total.data);
        double *row = system->j.data + block.side[own].first;
        for (int k = 0; k < count; ++k) {
            row[k] += exact->total.data[k];
        }
    }
    double answer = 0.0, target = at_end ? bond->end_target : bond->target;
    for (int side = 0; side < block.side_count; ++side) {
        const sn_exact_agent *agent = &system->agents.data[block.side[side].agent];
        bool whole = sn_exact_is_whole(problem, agent);
        target = whole && !at_end ? bond->whole_target + bond->lag : target;
        if (!invert_side(exact, problem, &block.side[side], 1)) {
            return false;
        }
        int count = system->agents.data[block.side[side].agent].v_count;
        for (int k = 0; k < count; ++k) {
            answer += system->j.data[block.side[side].first + k] *
                      system->y.data[block.side[side].first + k];
        }
    }
    block.softness = BOND_SOFTNESS * answer;
    if (bond->soft != NULL) {
        target = soften(problem, bond, answer, at_end, &block);
    }
    if (!add_block(system, &block)) {
        return false;
    }
    system->target.data[system->target.count - 1] = target;
    system->p.data[system->p.count - 1] = at_end ? 0.0 : bond->impulse;
    return true;
}

static bool add_bonds(sn_exact *exact, const sn_exact_problem *problem, bool at_end)
{
    for (int i = 0; i < problem->bond_count; ++i) {
        if (!add_bond(exact, problem, problem->bonds[i], at_end)) {
            return false;
        }
    }
    return true;
}

bool sn_exact_gather(sn_exact *exact, const sn_exact_problem *problem, bool at_end)
{
    sn_exact_system *system = &exact->system;
    exact->at_end = system->at_end = at_end;
    sn_exact_system_clear(system);
    sn_array_clear(&exact->spots);
    sn_array_clear(&exact->felt);
    sn_array_clear(&exact->far);
    if (!reset_places(exact, problem->contact_count + problem->bond_count)) {
        return false;
    }
    for (int i = 0; i < problem->contact_count; ++i) {
        if (!add_contact(exact, problem, i, at_end)) {
            return false;
        }
    }
    exact->contact_blocks = system->blocks.count;
    if (!add_bonds(exact, problem, at_end)) {
        return false;
    }
    // Of all agents there are, those that nothing but a bond brings in as well: a limit that the
    // solver does not know of takes back what bonds were promised.
    for (int i = 0; i < system->agents.count; ++i) {
        if (!add_own_rows(exact, problem, i)) {
            return false;
        }
    }
    if (!sn_exact_system_order(system)) {
        return false;
    }
    sn_exact_system_prepare(system);
    return sn_array_resize(&exact->total, system->v.count) &&
           sn_array_resize(&exact->wishes, system->blocks.count) &&
           sn_array_resize(&exact->impacts, exact->spots.count);
}
