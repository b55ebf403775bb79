// One evaluation of all forces for the state as it stands: what fields and callbacks put into the
// agents' f.
#include <string.h>

#include "field/drag.h"
#include "field/spring.h"
#include "world/world.h"

// The agent and its set, when a body is moved by an agent of the group being evaluated.
static sn_agent_set *find_target(const sn_world *world, sn_body body, int group, int *agent)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0 ||
        world->group_of[record->agent.set].data[record->agent.agent] != group) {
        return NULL;
    }
    *agent = record->agent.agent;
    return world->sets[record->agent.set];
}

static void push_point(sn_world *world, sn_body body, int group, sn_vec3 local, sn_vec3 force)
{
    int agent;
    sn_agent_set *set = find_target(world, body, group, &agent);
    if (set != NULL) {
        set->type->scatter(set, agent, 0, local, force, SN_VEC3_ZERO, sn_agent_f(set, agent));
    }
}

static void apply_spring(sn_world *world, const sn_spring_def *spring, int group)
{
    sn_spring_ends ends = sn_world_spring_ends(world, spring);
    sn_spring_state state =
        sn_spring_evaluate(spring->stiffness, spring->damping, spring->rest_length, ends.a,
                           ends.a_velocity, ends.b, ends.b_velocity);
    sn_vec3 force = sn_vec3_scale(state.tension, state.direction);
    push_point(world, spring->body_a, group, spring->point_a, force);
    push_point(world, spring->body_b, group, spring->point_b, sn_vec3_negate(force));
}

// Adds a 3x3 block to the damping matrix at (3 block, 3 block).
static void add_damping(double *damping, int block, const sn_mat3 *d)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping[(3 * block + i) * SN_RIGID_V + 3 * block + j] += d->m[i][j];
        }
    }
}

// Drag on one rigid agent. Isotropic, so that the angular part may be taken in the agent's own
// axes. A staged group takes the force alone; a single-stage agent takes its derivative too, and
// with it the trapezoidal rule.
static void apply_drag(sn_agent_set *set, int agent, const sn_drag_def *drag, bool staged)
{
    const double *v = sn_agent_v(set, agent);
    double *f = sn_agent_f(set, agent);
    sn_vec3 u = sn_vec3_sub(sn_vec3_make(v[0], v[1], v[2]), drag->medium_velocity);
    sn_vec3 w = sn_vec3_make(v[3], v[4], v[5]), force, torque;
    sn_mat3 linear, angular;
    sn_drag_evaluate(drag->linear, drag->quadratic, u, &force, &linear);
    sn_drag_evaluate(drag->angular_linear, drag->angular_quadratic, w, &torque, &angular);
    f[0] += force.x;
    f[1] += force.y;
    f[2] += force.z;
    f[3] += torque.x;
    f[4] += torque.y;
    f[5] += torque.z;
    if (!staged) {
        double *damping = sn_agent_damping(set, agent);
        add_damping(damping, 0, &linear);
        add_damping(damping, 1, &angular);
    }
}

static void apply_fields(sn_world *world, const uint32_t *fields, int count, int group)
{
    for (int i = 0; i < count; ++i) {
        const sn_field_record *record = &world->fields.data[fields[i]];
        if (record->type == SN_FIELD_SPRING) {
            apply_spring(world, &record->spring, group);
        } else if (record->type == SN_FIELD_DRAG) {
            int agent;
            sn_agent_set *set = find_target(world, record->drag.body, group, &agent);
            if (set != NULL) {
                apply_drag(set, agent, &record->drag, group >= 0);
            }
        }
    }
}

static void apply_callbacks(sn_world *world, double time, int group)
{
    if (!world->has_callbacks) {
        return;
    }
    world->evaluating_group = group;
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *record = &world->fields.data[world->field_order.data[i]];
        if (record->type == SN_FIELD_CALLBACK) {
            record->callback.apply(record->callback.user, world, time);
        }
    }
    world->evaluating_group = -2;
}

// Begins an agent's sum of forces with what a user added.
static void start_forces(sn_agent_set *set, int agent)
{
    if (set->has_external) {
        set->type->external(set, agent, sn_agent_f(set, agent));
    } else {
        memset(sn_agent_f(set, agent), 0, (size_t)set->type->v_count * sizeof(double));
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
        for (int j = 0; j < world->wide_drags.count; ++j) {
            apply_drag(set, agent, &world->fields.data[world->wide_drags.data[j]].drag, true);
        }
    }
    apply_fields(world, group->fields.data, group->fields.count, index);
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
        set->agents[i].has_damping = 0;
        if (sn_integrator_is_staged(set->agents[i].integrator)) {
            continue;
        }
        for (int j = 0; j < world->wide_drags.count; ++j) {
            apply_drag(set, i, &world->fields.data[world->wide_drags.data[j]].drag, false);
        }
    }
}

static void evaluate_singles(sn_world *world, double time)
{
    bool any_field =
        world->single_fields.count > 0 || world->wide_drags.count > 0 || world->has_callbacks;
    for (int i = 0; i < world->set_count; ++i) {
        single_work work = {world, world->sets[i]};
        if (any_field || work.set->has_external || !world->forces_clear) {
            sn_threads_run(world->threads, work.set->count, SN_AGENT_CHUNK, start_singles, &work);
        }
        any_field = any_field || work.set->has_external;
    }
    world->forces_clear = !any_field;
    apply_fields(world, world->single_fields.data, world->single_fields.count, -1);
    if (world->has_singles) {
        apply_callbacks(world, time, -1);
    }
}

void sn_world_evaluate_forces(sn_world *world, double time, int group)
{
    double clock = world->time;
    world->time = time; // what a callback reads with sn_world_time
    world->report.force_evaluations += 1;
    if (group < 0) {
        evaluate_singles(world, time);
    } else {
        evaluate_group(world, time, group);
    }
    world->time = clock;
}
