// Mechanisms: bodies that joints connect become one agent, a tree of links with ties.
//
// Every joint is a run of elementary joints (joint_run.h) with massless links between; the last one
// carries the body. Bodies on fixed joints ride on one link. A joint that closes a loop
// (span.h) is a run like all others: it carries a share of the body it comes back to, and a weld
// ties that share to the rest. So whatever acts in a freedom is the same in a loop and in a tree.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "mechanism/mechanism.h"

// ---- all mechanisms ----

// Room for the links of every mechanism.
static sn_status allocate_trees(sn_assembly *a, sn_error *error)
{
    const sn_world *world = a->world;
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        if (a->span.role[index] == SN_ROLE_TREE || a->span.role[index] == SN_ROLE_CLOSE) {
            a->mechanisms[a->span.joint_component[index]].links +=
                sn_joint_run_of(world->joints.data[index].type, a->span.reversed[index]).count;
        }
        if (a->span.role[index] == SN_ROLE_CLOSE || a->span.role[index] == SN_ROLE_TIE) {
            a->mechanisms[a->span.joint_component[index]].closed = true;
        }
    }
    for (int i = 0; i < a->span.reached; ++i) {
        uint32_t body = a->span.order[i];
        a->mechanisms[a->span.component[body]].links += a->span.carrier[body] == 0 ? 2 : 0;
    }
    for (int i = 0; i < a->span.components; ++i) {
        sn_mechanism *m = &a->mechanisms[i];
        int links = m->links;
        m->links = 0;
        if (!sn_tree_allocate(&m->tree, links > 0 ? links : 1)) {
            return sn_fail_memory(error, (size_t)links * sizeof(sn_tree_link));
        }
    }
    return SN_OK;
}

// Bodies in an order in which each follows what carries it, down one branch before the next: a
// parent is then still at hand when its children ask for it. `order` is replaced.
static bool order_by_depth(sn_assembly *a)
{
    sn_span *span = &a->span;
    size_t bodies = (size_t)a->world->bodies.count + 1;
    uint32_t *first = sn_allocate_zero(bodies * sizeof *first),
             *next = sn_allocate_zero(bodies * sizeof *next),
             *stack = sn_allocate_zero(bodies * sizeof *stack);
    bool made = first != NULL && next != NULL && stack != NULL;
    int depth = 0, count = 0;
    for (int i = span->reached - 1; made && i >= 0; --i) { // lists in order of reaching
        uint32_t body = span->order[i], joint = span->carrier[body];
        uint32_t parent = joint != 0 ? sn_span_near(span, a->world, joint) : 0;
        parent = sn_world_is_ground(a->world, parent) ? 0 : parent;
        next[body] = first[parent];
        first[parent] = body;
    }
    if (made) {
        stack[depth++] = first[0];
    }
    while (depth > 0) {
        uint32_t body = stack[--depth];
        if (body == 0) {
            continue;
        }
        span->order[count++] = body;
        stack[depth++] = next[body];
        if (first[body] != 0) {
            stack[depth++] = first[body];
        }
    }
    sn_free(first);
    sn_free(next);
    sn_free(stack);
    return made;
}

static sn_status seat_all(sn_assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    a->seats[0] = (sn_seat){-1, SN_TRANSFORM_IDENTITY};
    for (int i = 0; i < world->body_order.count; ++i) { // static bodies stand where they are
        uint32_t body = world->body_order.data[i];
        if (sn_world_is_ground(world, body)) {
            a->seats[body] = (sn_seat){-1, world->bodies.data[body].own->frame};
        }
    }
    for (int i = 0; i < a->span.reached; ++i) {
        uint32_t body = a->span.order[i], carrier = a->span.carrier[body];
        sn_mechanism *m = &a->mechanisms[a->span.component[body]];
        if (carrier == 0) {
            if (!sn_mechanism_add_root(a, m, body)) {
                return sn_fail_memory(error, sizeof(sn_tree_link));
            }
            continue;
        }
        sn_seat at;
        sn_status status = sn_mechanism_hang(a, m, carrier, !a->loose && !m->closed, &at, error);
        if (status != SN_OK) {
            return status;
        }
        if (!sn_mechanism_seat(a, m, body, at.link, at.frame)) {
            return sn_fail_memory(error, sizeof(sn_articulation_part));
        }
    }
    return SN_OK;
}

static sn_status tie_all(sn_assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    sn_status status = SN_OK;
    for (int i = 0; i < world->joint_order.count && status == SN_OK; ++i) {
        uint32_t index = world->joint_order.data[i];
        if (a->span.role[index] == SN_ROLE_NONE) {
            continue;
        }
        sn_mechanism *m = &a->mechanisms[a->span.joint_component[index]];
        if (a->span.role[index] == SN_ROLE_CLOSE) {
            status = sn_mechanism_close(a, m, index, error);
        } else if (a->span.role[index] == SN_ROLE_TIE) {
            status = sn_mechanism_tie(a, m, index, error);
        }
    }
    for (int i = 0; i < world->coupling_order.count && status == SN_OK; ++i) {
        uint32_t index = world->coupling_order.data[i];
        const sn_coupling_record *coupling = &world->couplings.data[index];
        if (sn_coupling_is_whole(world, coupling)) {
            int component = a->span.joint_component[coupling->terms[0].joint.index];
            status = sn_mechanism_couple(a, &a->mechanisms[component], index, error);
        }
    }
    return status;
}

// The integrator all bodies of a mechanism agree on, and the strictest tolerances; they move
// together.
static sn_status agree(const sn_world *world, const sn_mechanism *m, sn_agent *head,
                       sn_error *error)
{
    for (int i = 0; i < m->bodies.count; ++i) {
        const sn_body_record *record = &world->bodies.data[m->bodies.data[i]];
        const sn_agent *one = &world->rigid.agents.agents[record->agent.agent];
        if (i == 0) {
            *head = *one;
        } else if (one->integrator != head->integrator) {
            return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                           "is in one mechanism with '%s' but names integrator %s, not %s; bodies "
                           "that joints connect need the same",
                           world->bodies.data[m->bodies.data[0]].name,
                           sn_integrator_word(one->integrator),
                           sn_integrator_word(head->integrator));
        }
        head->relative_tolerance = fmin(head->relative_tolerance, one->relative_tolerance);
        head->absolute_tolerance = fmin(head->absolute_tolerance, one->absolute_tolerance);
    }
    return SN_OK;
}

// Makes a built mechanism an agent and moves its bodies in.
static sn_status install(sn_world *world, sn_mechanism *m, sn_error *error)
{
    m->tree.count = m->links;
    sn_tree_finish(&m->tree);
    sn_agent head = {0};
    sn_status status = agree(world, m, &head, error);
    if (status != SN_OK) {
        return status;
    }
    sn_articulation_def def = {
        .tree = &m->tree,
        .parts = m->parts.data,
        .part_count = m->parts.count,
        .freedoms = m->freedoms.data,
        .ties = m->ties.data,
        .tie_count = m->ties.count,
        .terms = m->terms.data,
        .term_count = m->terms.count,
        .q = m->q.data,
        .v = m->v.data,
        .integrator = head.integrator,
        .relative_tolerance = head.relative_tolerance,
        .absolute_tolerance = head.absolute_tolerance,
        .owner = m->bodies.count > 0 ? m->bodies.data[0] : 0,
        .time = world->time,
    };
    m->agent = sn_articulation_add(&world->articulations, &def);
    if (m->agent < 0) {
        return sn_fail_memory(error, (size_t)m->links * sizeof(sn_tree_link));
    }
    for (int i = 0; i < m->bodies.count; ++i) {
        sn_body_record *record = &world->bodies.data[m->bodies.data[i]];
        sn_world_drop_rigid(world, record);
        record->agent = (sn_agent_ref){SN_SET_ARTICULATION, m->agent, i};
    }
    for (int i = 0; i < m->ties.count; ++i) {
        if (m->coupled.data[i]) {
            world->couplings.data[m->tied.data[i]].agent = m->agent;
        }
    }
    return SN_OK;
}

// The joint that a freedom of a tree belongs to; NULL: that of a free root.
static const sn_joint_record *joint_with_freedom(const sn_world *world, int agent, int freedom)
{
    const sn_tree *tree = &world->articulations.items[agent]->tree;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        int count = sn_joint_run_of(joint->type, joint->reversed).count;
        if (joint->agent != agent || joint->first_link < 0 || count == 0) {
            continue;
        }
        const sn_tree_link *from = &tree->links[joint->first_link], *to = from + count - 1;
        if (freedom >= from->v && freedom < to->v + sn_tree_joint_v(to->joint)) {
            return joint;
        }
    }
    return NULL;
}

// Closes the loops of an installed mechanism.
static sn_status close_all(sn_world *world, const sn_mechanism *m, sn_error *error)
{
    sn_articulation_gap gap = {.tie = -1, .freedom = -1};
    if (sn_articulation_close(&world->articulations, m->agent, world->time, &gap)) {
        return SN_OK;
    }
    if (gap.tie < 0 && gap.freedom < 0) {
        return sn_fail_memory(error, sizeof(sn_tie));
    }
    const sn_joint_record *joint = NULL;
    const char *name = "mechanism", *what = "joint";
    if (gap.tie >= 0) {
        uint32_t of = m->tied.data[gap.tie];
        what = m->coupled.data[gap.tie] ? "coupling" : "joint";
        name =
            m->coupled.data[gap.tie] ? world->couplings.data[of].name : world->joints.data[of].name;
    } else {
        joint = joint_with_freedom(world, m->agent, gap.freedom);
        name = joint != NULL ? joint->name : name;
        what = "prescribed motion of this joint";
    }
    return sn_fail(error, SN_ERROR_ARGUMENT, name,
                   "the %s contradicts the others of its mechanism: %.3g m and %.3g rad are left "
                   "when they are brought as near together as they can be",
                   what, gap.linear, gap.angular);
}

// Limits that a freedom stands beyond from the start.
static sn_status check_limits(const sn_world *world, sn_error *error)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        bool fresh = joint->agent >= 0 && !joint->was_assembled;
        for (int k = 0; k < sn_joint_type_freedoms(joint->type) && fresh; ++k) {
            const sn_limit_def *limit = &joint->freedoms[k].limit;
            sn_joint handle = sn_world_joint(world, i);
            double position = sn_joint_position(world, handle, k), lower = limit->lower;
            bool ball = joint->type == SN_JOINT_BALL || (joint->type == SN_JOINT_FREE && k >= 3);
            if (ball) {
                if (k != 0 && k != 3) {
                    continue; // the first counts for all
                }
                lower = -INFINITY;
                position = sn_length(sn_vec3_make(position, sn_joint_position(world, handle, k + 1),
                                                  sn_joint_position(world, handle, k + 2)));
            }
            double slack = 1e-9 * (1.0 + fabs(position));
            bool hard = limit->stiffness == 0.0;
            if (hard && (position < lower - slack || position > limit->upper + slack)) {
                return sn_fail(error, SN_ERROR_ARGUMENT, joint->name,
                               "freedom %d stands at %.6g %s, outside its limits %.6g .. %.6g",
                               k + 1, position, sn_joint_type_turns(joint->type, k) ? "rad" : "m",
                               lower, limit->upper);
            }
        }
    }
    return SN_OK;
}

// Bodies welded to the ground stand still from now on.
static void ground_welded(const sn_assembly *a)
{
    sn_world *world = a->world;
    for (int i = 0; i < a->span.reached; ++i) {
        uint32_t body = a->span.order[i];
        sn_body_record *record = &world->bodies.data[body];
        if (a->seats[body].link < 0 && record->type == SN_BODY_RIGID) {
            record->own->frame =
                sn_body_transform(world, (sn_body){body, world->body_ids.generation.data[body]});
            sn_world_drop_rigid(world, record);
        }
    }
}

// Each body of a joint keeps its own mass properties beside the tree's sums.
static bool keep_masses(sn_world *world)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        const sn_body pair[2] = {joint->parent, joint->child};
        for (int k = 0; k < 2 && !joint->broken; ++k) {
            sn_body_record *record = sn_world_body_record(world, pair[k]);
            if (record == NULL || record->own != NULL) {
                continue;
            }
            sn_mass_properties mass = sn_body_mass_properties(world, pair[k]);
            record->own = sn_allocate_zero(sizeof *record->own);
            if (record->own == NULL) {
                return false;
            }
            record->own->mass = mass;
        }
    }
    return true;
}

// Makes the mechanisms agents of the world.
static sn_status install_all(sn_assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    sn_status status = SN_OK;
    for (int i = 0; i < a->span.components && status == SN_OK; ++i) {
        a->mechanisms[i].agent = -1;
        if (a->mechanisms[i].links > 0) { // else nothing but welds to the ground
            status = install(world, &a->mechanisms[i], error);
        }
    }
    for (int i = 0; i < world->joint_order.count && status == SN_OK; ++i) {
        uint32_t index = world->joint_order.data[i];
        int component = a->span.joint_component[index];
        world->joints.data[index].agent = component >= 0 ? a->mechanisms[component].agent : -1;
    }
    for (int i = 0; i < a->span.components && status == SN_OK && !a->loose; ++i) {
        const sn_mechanism *m = &a->mechanisms[i];
        status = m->agent >= 0 ? close_all(world, m, error) : SN_OK;
    }
    return status;
}

static sn_status assemble_with(sn_assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    if (!keep_masses(world) || !sn_span_make(world, &a->span) || !order_by_depth(a)) {
        return sn_fail_memory(error, sizeof(sn_mass_properties));
    }
    size_t components = (size_t)a->span.components;
    a->mechanisms = sn_allocate_zero((components > 0 ? components : 1) * sizeof *a->mechanisms);
    a->seats = sn_allocate_zero(((size_t)world->bodies.count + 1) * sizeof *a->seats);
    if (a->mechanisms == NULL || a->seats == NULL) {
        return sn_fail_memory(error, components * sizeof *a->mechanisms);
    }
    sn_status status = allocate_trees(a, error);
    if (status == SN_OK) {
        status = seat_all(a, error);
    }
    if (status == SN_OK) {
        status = tie_all(a, error);
    }
    if (status == SN_OK) {
        status = install_all(a, error);
    }
    if (status == SN_OK) {
        ground_welded(a);
        world->assembled = true;
        status = a->loose ? SN_OK : check_limits(world, error);
    }
    for (int i = 0; i < world->joint_order.count && status == SN_OK; ++i) {
        world->joints.data[world->joint_order.data[i]].was_assembled = true;
    }
    return status;
}

// How a body stood and moved before it was put into a mechanism.
typedef struct stance {
    uint32_t body;
    sn_transform frame;
    sn_vec3 velocity, angular_velocity;
} stance;

// All bodies of joints, which are agents of their own now; NULL when memory runs out.
static stance *keep_stances(const sn_world *world)
{
    size_t count = (size_t)world->body_order.count;
    stance *stances = sn_allocate_zero((count + 1) * sizeof *stances);
    for (size_t i = 0; stances != NULL && i < count; ++i) {
        uint32_t index = world->body_order.data[i];
        sn_body body = {index, world->body_ids.generation.data[index]};
        stances[i] = (stance){index, sn_body_transform(world, body), sn_body_velocity(world, body),
                              sn_body_angular_velocity(world, body)};
    }
    return stances;
}

// Takes back what a failed assembly did.
static void undo(sn_world *world, const stance *stances)
{
    sn_error unused;
    if (sn_world_take_apart(world, &unused) != SN_OK) {
        world->assembled = false;
        return;
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        const sn_agent_ref *ref = &world->bodies.data[stances[i].body].agent;
        if (sn_world_traits(world, ref->set)->lone && ref->agent >= 0) {
            sn_rigid_set_frame(&world->rigid, ref->agent, stances[i].frame);
            sn_rigid_set_velocity(&world->rigid, ref->agent, stances[i].velocity,
                                  stances[i].angular_velocity);
        }
    }
    world->assembled = world->joint_order.count == 0;
}

static sn_status assemble(sn_world *world, bool loose, sn_error *error)
{
    if (world->assembled) {
        return SN_OK;
    }
    sn_load_keep loads = {0};
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_keep_loads(world, &loads, error);
    }
    if (status == SN_OK) {
        status = sn_world_take_apart(world, error);
    }
    if (status != SN_OK) {
        sn_load_keep_free(&loads);
        return status;
    }
    stance *stances = keep_stances(world);
    sn_assembly a = {.world = world, .loose = loose};
    status = stances != NULL ? assemble_with(&a, error) : sn_fail_memory(error, sizeof *stances);
    for (int i = 0; a.mechanisms != NULL && i < a.span.components; ++i) {
        sn_mechanism_free(&a.mechanisms[i]);
    }
    sn_free(a.mechanisms);
    sn_free(a.seats);
    sn_span_free(&a.span);
    world->assembled = true; // also what went in before a failure, for taking apart
    world->groups_current = false;
    if (status != SN_OK && stances != NULL) {
        undo(world, stances);
    } else if (status != SN_OK) {
        world->assembled = world->joint_order.count == 0;
    } else {
        sn_world_put_loads(world, &loads);
        world->touch.wake = true; // agents have other numbers
        if (sn_world_contact_traits(world)->collides) {
            status = sn_world_drop_pairs(world, error);
        }
    }
    sn_load_keep_free(&loads);
    sn_free(stances);
    return status;
}

sn_status sn_world_assemble(sn_world *world, sn_error *error)
{
    return assemble(world, false, error);
}

sn_status sn_world_assemble_loosely(sn_world *world, sn_error *error)
{
    return assemble(world, true, error);
}
