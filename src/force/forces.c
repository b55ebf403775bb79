// One evaluation of all forces for the state as it stands: what fields and callbacks put into the
// agents' f.
#include <string.h>

#include "field/drag.h"
#include "field/spring.h"
#include "force/air.h"
#include "force/forces.h"
#include "model/world.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"

// Where a body's agent is, when it is of the group being evaluated; else agent -1.
static sn_agent_ref find_target(const sn_world *world, sn_body body, int group)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0 ||
        world->group_of[record->agent.set].data[record->agent.agent] != group) {
        return (sn_agent_ref){0, -1, 0};
    }
    return record->agent;
}

// A force on the point of a body that was at `local` of its frame, and is at `world_point`.
static void push_point(sn_world *world, sn_body body, int group, sn_vec3 local, sn_vec3 world_point,
                       sn_vec3 force)
{
    sn_agent_ref target = find_target(world, body, group);
    if (target.agent < 0) {
        return;
    }
    sn_agent_set *set = world->sets[target.set];
    set->type->push_point(set, target.agent, target.part, local, world_point, force);
}

// In a step of single-stage agents springs are rows of the solver (field_spring.c); elsewhere, in
// stages, statics and whatever asks for accelerations, they are forces. So they are where one is no
// number: the step then fails at its body.
void sn_world_apply_spring(sn_world *world, const sn_field_record *record, int group)
{
    const sn_spring_def *spring = &record->spring;
    if (group < 0 && world->field_springs.solved && !world->field_springs.lost) {
        return;
    }
    sn_spring_ends ends = sn_world_spring_ends(world, spring);
    sn_spring_state state = sn_spring_state_of(spring, &ends);
    sn_vec3 force = sn_vec3_scale(state.tension, state.direction);
    push_point(world, spring->body_a, group, spring->point_a, ends.a, force);
    push_point(world, spring->body_b, group, spring->point_b, ends.b, sn_vec3_negate(force));
}

void sn_world_apply_pull(sn_world *world, const sn_field_record *record, int group)
{
    const sn_pull_def *pull = &record->pull;
    sn_agent_ref target = find_target(world, pull->body, group);
    if (target.agent < 0) {
        return;
    }
    sn_agent_set *set = world->sets[target.set];
    sn_vec3 point, velocity;
    set->type->point(set, target.agent, target.part, pull->point, &point, &velocity);
    sn_vec3 force = sn_vec3_sub(sn_vec3_scale(pull->stiffness, sn_vec3_sub(pull->target, point)),
                                sn_vec3_scale(pull->damping, velocity));
    set->type->push_point(set, target.agent, target.part, pull->point, point, force);
    if (group < 0) {
        set->type->hold_point(set, target.agent, target.part, pull->point, point, pull->stiffness,
                              pull->damping);
    }
}

// Adds a 3x3 block to a part's damping matrix at (3 block, 3 block).
static void add_damping(double *damping, int block, const sn_mat3 *d)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping[(3 * block + i) * 6 + 3 * block + j] += d->m[i][j];
        }
    }
}

// Drag on one part of an agent. A staged group takes the force alone; a single-stage agent takes
// its derivative too, and with it the trapezoidal rule.
static void apply_drag(sn_agent_set *set, int agent, int part, const sn_drag_def *drag, bool staged)
{
    if (drag->linear == 0.0 && drag->quadratic == 0.0 && drag->angular_linear == 0.0 &&
        drag->angular_quadratic == 0.0) {
        return; // as a parameter of a scene may leave it
    }
    sn_part now;
    set->type->part(set, agent, part, &now);
    sn_spatial *f = sn_agent_force(set, agent) + part;
    sn_vec3 u = sn_vec3_sub(now.velocity, drag->medium_velocity), force, torque;
    sn_mat3 linear, angular;
    sn_drag_evaluate(drag->linear, drag->quadratic, u, &force, &linear);
    sn_drag_evaluate(drag->angular_linear, drag->angular_quadratic, now.angular_velocity, &torque,
                     &angular);
    *f = sn_spatial_add(*f, sn_spatial_make(torque, force));
    if (!staged) {
        double *damping = sn_agent_damping(set, agent, part);
        add_damping(damping, 0, &linear);
        add_damping(damping, 1, &angular);
    }
}

// The drags that act on every body, on all parts of one agent.
static void apply_wide_drags(sn_world *world, sn_agent_set *set, int agent, bool staged)
{
    for (int j = 0; j < world->wide_drags.count; ++j) {
        const sn_drag_def *drag = &world->fields.data[world->wide_drags.data[j]].drag;
        for (int part = 0; part < set->agents[agent].part_count; ++part) {
            apply_drag(set, agent, part, drag, staged);
        }
    }
}

void sn_world_apply_drag(sn_world *world, const sn_field_record *record, int group)
{
    sn_agent_ref target = find_target(world, record->drag.body, group);
    if (target.agent >= 0) {
        apply_drag(world->sets[target.set], target.agent, target.part, &record->drag, group >= 0);
    }
}

void sn_world_apply_load(sn_world *world, const sn_field_record *record, int group)
{
    const sn_field_load *load = &record->load;
    sn_agent_ref target = find_target(world, load->body, group);
    if (target.agent >= 0) {
        sn_agent_set *set = world->sets[target.set];
        sn_load_push(load->spread, load->force, load->moment, load->follows,
                     sn_agent_q(set, target.agent),
                     set->joint_force + set->agents[target.agent].v_first);
    }
}

static void apply_fields(sn_world *world, const uint32_t *fields, int count, int group)
{
    for (int i = 0; i < count; ++i) {
        const sn_field_record *record = &world->fields.data[fields[i]];
        sn_field_kind_of(record)->apply(world, record, group);
    }
}

static void apply_callbacks(sn_world *world, double time, int group)
{
    if (sn_world_presses(world)) {
        sn_world_add_penalties(world, time, group);
    }
    if (sn_world_contact_traits(world)->springs) {
        sn_world_add_springs(world, group);
    }
    if (!world->has_callbacks) {
        return;
    }
    world->evaluating_group = group;
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *record = &world->fields.data[world->field_order.data[i]];
        if (sn_field_kind_of(record)->couples) {
            record->callback.apply(record->callback.user, world, time);
        }
    }
    world->evaluating_group = -2;
}

// Begins an agent's sum of forces with what a user added.
static void start_forces(sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    size_t parts = (size_t)head->part_count;
    memcpy(set->force + head->part_first, set->external + head->part_first,
           parts * sizeof *set->force);
    if (set->joint_force != NULL) {
        memcpy(set->joint_force + head->v_first, set->joint_external + head->v_first,
               (size_t)head->v_count * sizeof(double));
    }
    if (set->damped != NULL) {
        memset(set->damped + head->part_first, 0, parts);
    }
}

// ---- agents of a staged group ----

static void evaluate_group(sn_world *world, double time, int index)
{
    const sn_group *group = &world->groups.data[index];
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_set *set = world->sets[group->agents.data[i].set];
        int agent = group->agents.data[i].agent;
        start_forces(set, agent);
        apply_wide_drags(world, set, agent, true);
    }
    apply_fields(world, group->fields.data, group->fields.count, index);
    sn_world_add_air(world, time, index);
    apply_callbacks(world, time, index);
}

// ---- single-stage agents ----

typedef struct single_work {
    sn_world *world;
    sn_agent_set *set;
} single_work;

static void start_singles(void *context, int first, int last, int chunk)
{
    (void)chunk;
    single_work *work = context;
    sn_world *world = work->world;
    sn_agent_set *set = work->set;
    for (int i = first; i < last; ++i) {
        start_forces(set, i);
        if (!sn_integrator_is_staged(set->agents[i].integrator)) {
            apply_wide_drags(world, set, i, false);
        }
    }
}

static void evaluate_singles(sn_world *world, double time)
{
    bool any_field = world->single_fields.count > 0 || world->wide_drags.count > 0 ||
                     world->air.winds.count > 0 || world->has_callbacks || sn_world_presses(world);
    for (int i = 0; i < world->set_count; ++i) {
        single_work work = {world, world->sets[i]};
        if (any_field || work.set->has_external || !world->forces_clear) {
            sn_threads_run(world->threads, work.set->count, SN_AGENT_CHUNK, start_singles, &work);
        }
        any_field = any_field || work.set->has_external;
    }
    world->forces_clear = !any_field;
    apply_fields(world, world->single_fields.data, world->single_fields.count, -1);
    sn_world_add_air(world, time, -1);
    if (world->has_singles) {
        apply_callbacks(world, time, -1);
    }
}

void sn_world_evaluate_forces(sn_world *world, double time, int group)
{
    double clock = world->time;
    world->time = time; // what a callback reads with sn_world_time
    world->report.force_evaluations += 1;
    for (int i = 0; i < world->set_count; ++i) {
        world->sets[i]->now = time;
    }
    if (group < 0) {
        evaluate_singles(world, time);
    } else {
        evaluate_group(world, time, group);
    }
    world->time = clock;
}
