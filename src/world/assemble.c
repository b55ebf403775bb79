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
#include "geometry/reach.h"
#include "math/rotation.h"
#include "sinew/geometry.h"
#include "world/joint_run.h"
#include "world/span.h"
#include "world/world.h"

// ---- one mechanism under construction ----

typedef struct mechanism {
    sn_tree tree;
    int links; // filled so far
    SN_ARRAY(sn_articulation_part) parts;
    SN_ARRAY(uint32_t) bodies; // of each part, by index
    SN_ARRAY(double) q;
    SN_ARRAY(double) v;
    SN_ARRAY(sn_freedom_def) freedoms;
    SN_ARRAY(sn_tie) ties;
    SN_ARRAY(sn_tie_term) terms;
    SN_ARRAY(uint32_t) tied; // of each tie: the joint, or the coupling
    SN_ARRAY(bool) coupled;  // of each tie: it is a coupling
    int agent;               // -1: nothing of it moves
    bool closed;             // loops or ties decide where its bodies stand, not its joints alone
} mechanism;

// Where bodies are on the tree being built: its link (-1: the ground) and its frame in link axes.
typedef struct seat {
    int link;
    sn_transform frame;
} seat;

typedef struct assembly {
    sn_world *world;
    sn_span span;
    seat *seats;           // by body index; entry 0: the world
    mechanism *mechanisms; // span.components
    bool loose;            // bodies need not stand as their joints allow
} assembly;

static void free_mechanism(mechanism *m)
{
    sn_tree_free(&m->tree);
    sn_array_free(&m->parts);
    sn_array_free(&m->bodies);
    sn_array_free(&m->q);
    sn_array_free(&m->v);
    sn_array_free(&m->freedoms);
    sn_array_free(&m->ties);
    sn_array_free(&m->terms);
    sn_array_free(&m->tied);
    sn_array_free(&m->coupled);
}

// A share of a body's mass.
static sn_mass_properties share_of(const sn_mass_properties *mass, int shares)
{
    sn_mass_properties share = *mass;
    share.mass /= shares;
    share.volume /= shares;
    share.inertia = sn_mat3_scale(1.0 / shares, share.inertia);
    return share;
}

// Adds a mass that stands at `frame` to a link, both about the link's origin and in its axes.
static void add_mass(sn_tree_link *link, const sn_mass_properties *mass, sn_transform frame)
{
    sn_mass_properties both[2] = {
        {.mass = link->mass, .centre = link->centre, .inertia = link->inertia},
        sn_mass_properties_move(mass, frame)};
    sn_mass_properties sum = link->mass > 0.0 ? sn_mass_properties_sum(both, 2) : both[1];
    link->mass = sum.mass;
    link->centre = sum.centre;
    link->inertia = sum.inertia;
}

// Seats a body on a link (or on the ground) and, on a link, makes it a part.
static bool seat_body(assembly *a, mechanism *m, uint32_t body, int link, sn_transform frame)
{
    const sn_body_record *record = &a->world->bodies.data[body];
    a->seats[body] = (seat){link, frame};
    if (link < 0) {
        return true;
    }
    sn_mass_properties share = share_of(&record->own->mass, a->span.shares[body]);
    add_mass(&m->tree.links[link], &share, frame);
    sn_articulation_part part = {
        link, frame, sn_transform_point(frame, record->own->mass.centre),
        sn_shapes_reach(record->shapes, record->shape_count, record->own->mass.centre)};
    return sn_array_push(&m->parts, part) && sn_array_push(&m->bodies, body);
}

// ---- a joint ----

static const char *body_word(const sn_world *world, sn_body body)
{
    return body.index != 0 ? sn_body_name(world, body) : "world";
}

// The child frame in the parent frame now, and how it moves there.
static void relative_motion(const sn_world *world, const sn_joint_record *joint, sn_transform *t,
                            sn_vec3 *shift, sn_vec3 *turning)
{
    sn_transform parent =
        sn_transform_multiply(sn_body_transform(world, joint->parent), joint->parent_frame);
    sn_transform child =
        sn_transform_multiply(sn_body_transform(world, joint->child), joint->child_frame);
    *t = sn_transform_multiply(sn_transform_inverse(parent), child);
    t->rotation = sn_quat_normalize(t->rotation);
    sn_vec3 carried = sn_body_point_velocity(world, joint->parent, child.position);
    sn_vec3 own = sn_body_point_velocity(world, joint->child, child.position);
    *shift = sn_rotate_inverse(parent.rotation, sn_vec3_sub(own, carried));
    *turning = sn_rotate_inverse(parent.rotation,
                                 sn_vec3_sub(sn_body_angular_velocity(world, joint->child),
                                             sn_body_angular_velocity(world, joint->parent)));
}

static sn_status check_gap(const sn_world *world, const sn_joint_record *joint,
                           const sn_joint_run *run, sn_transform t, const double *q,
                           sn_error *error)
{
    sn_transform made = sn_joint_run_place(run, joint->pitch, q);
    if (run->reversed) {
        made = sn_transform_inverse(made);
    }
    sn_transform left = sn_transform_multiply(sn_transform_inverse(made), t);
    double distance = sn_length(left.position), angle = sn_length(sn_quat_log(left.rotation));
    if (distance > 1e-6 || angle > 1e-6) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, joint->name,
            "bodies '%s' and '%s' do not stand as this %s allows: %.3g m and %.3g rad are left",
            body_word(world, joint->parent), body_word(world, joint->child),
            sn_joint_type_word(joint->type), distance, angle);
    }
    return SN_OK;
}

// Brings angles to the turn they were in when the joint was last taken apart.
static void count_turns(const sn_joint_record *joint, const sn_joint_run *run, double *q)
{
    for (int i = 0; i < run->count; ++i) {
        double kept = joint->kept[run->freedom[i]];
        bool turns = run->joint[i] == SN_TREE_HINGE || run->joint[i] == SN_TREE_SCREW;
        if (turns && !isnan(kept)) {
            *q += 2.0 * SN_PI * floor((kept - *q) / (2.0 * SN_PI) + 0.5);
        }
        q += sn_tree_joint_q(run->joint[i]);
    }
}

// A drive whose numbers are those of the child's axes has no meaning for a ball that is run
// backwards.
static sn_status check_reversed(const sn_world *world, const sn_joint_record *joint,
                                sn_error *error)
{
    int first = joint->type == SN_JOINT_BALL ? 0 : (joint->type == SN_JOINT_FREE ? 3 : 6);
    for (int i = first; i < sn_joint_type_freedoms(joint->type); ++i) {
        sn_drive_type drive = joint->freedoms[i].drive.type;
        if (drive == SN_DRIVE_FORCE || drive == SN_DRIVE_VELOCITY) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, joint->name,
                           "a %s drive turns '%s' here, which is the parent, because '%s' is "
                           "nearer to the ground; swap parent and child, with their frames",
                           sn_drive_type_word(drive), body_word(world, joint->parent),
                           body_word(world, joint->child));
        }
    }
    return SN_OK;
}

// What acts in a freedom, as the run has it: a ball that is run backwards turns the other way.
static sn_freedom_def freedom_of(const sn_joint_record *joint, const sn_joint_run *run, int element,
                                 int own)
{
    sn_freedom_def freedom = joint->freedoms[run->freedom[element] + own];
    if (run->reversed && run->joint[element] == SN_TREE_BALL) {
        freedom.drive.target = -freedom.drive.target;
    }
    return freedom;
}

static bool push_link(mechanism *m, const sn_joint_record *joint, const sn_joint_run *run,
                      int element, const double *q, const double *v)
{
    bool made = true;
    for (int k = 0; k < sn_tree_joint_q(run->joint[element]); ++k) {
        made = made && sn_array_push(&m->q, q[k]);
    }
    for (int k = 0; k < sn_tree_joint_v(run->joint[element]); ++k) {
        made = made && sn_array_push(&m->v, v[k]) &&
               sn_array_push(&m->freedoms, freedom_of(joint, run, element, k));
    }
    return made;
}

// Hangs the links of a joint's run on what carries it, and says where its far body's frame is on
// the last of them.
static sn_status hang(assembly *a, mechanism *m, uint32_t index, bool strict, seat *far,
                      sn_error *error)
{
    sn_world *world = a->world;
    sn_joint_record *joint = &world->joints.data[index];
    bool reversed = a->span.reversed[index];
    sn_joint_run run = sn_joint_run_of(joint->type, reversed);
    sn_transform near_frame = reversed ? joint->child_frame : joint->parent_frame,
                 far_frame = reversed ? joint->parent_frame : joint->child_frame, t;
    sn_vec3 shift, turning;
    double q[7] = {0.0}, v[6] = {0.0};
    relative_motion(world, joint, &t, &shift, &turning);
    sn_joint_run_coordinates(&run, joint->type, joint->pitch, t, q);
    sn_joint_run_rates(&run, joint->type, t, shift, turning, v);
    count_turns(joint, &run, q);
    sn_status status = strict ? check_gap(world, joint, &run, t, q, error) : SN_OK;
    if (status == SN_OK && reversed) {
        status = check_reversed(world, joint, error);
    }
    if (status != SN_OK) {
        return status;
    }
    seat at = a->seats[sn_span_near(&a->span, world, index)];
    sn_transform place = sn_transform_multiply(at.frame, near_frame);
    joint->first_link = run.count > 0 ? m->links : -1;
    joint->reversed = reversed;
    const double *q_at = q, *v_at = v;
    for (int i = 0; i < run.count; ++i) {
        place = sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, run.before[i]});
        m->tree.links[m->links] = (sn_tree_link){.parent = at.link,
                                                 .joint = run.joint[i],
                                                 .pitch = joint->pitch,
                                                 .frame = sn_frame_from_transform(place)};
        if (!push_link(m, joint, &run, i, q_at, v_at)) {
            return sn_fail_memory(error, sizeof(sn_tree_link));
        }
        q_at += sn_tree_joint_q(run.joint[i]);
        v_at += sn_tree_joint_v(run.joint[i]);
        at.link = m->links++;
        place = SN_TRANSFORM_IDENTITY;
    }
    place = sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, run.after});
    far->link = at.link;
    far->frame = sn_transform_multiply(place, sn_transform_inverse(far_frame));
    return SN_OK;
}

// A body that hangs on no joint carries its mechanism through space: a shift and a ball.
static bool put_free_root(assembly *a, mechanism *m, uint32_t body)
{
    sn_body handle = {body, a->world->body_ids.generation.data[body]};
    sn_transform frame = sn_body_transform(a->world, handle);
    sn_joint_run run = sn_joint_run_of(SN_JOINT_FREE, false);
    sn_vec3 shift = sn_body_point_velocity(a->world, handle, frame.position);
    double q[7], v[6];
    sn_joint_run_coordinates(&run, SN_JOINT_FREE, 0.0, frame, q);
    sn_joint_run_rates(&run, SN_JOINT_FREE, frame, shift,
                       sn_body_angular_velocity(a->world, handle), v);
    int first = m->links;
    m->tree.links[first] =
        (sn_tree_link){.parent = -1, .joint = SN_TREE_TRANSLATION, .frame = SN_FRAME_IDENTITY};
    m->tree.links[first + 1] =
        (sn_tree_link){.parent = first, .joint = SN_TREE_BALL, .frame = SN_FRAME_IDENTITY};
    m->links += 2;
    bool made = true;
    for (int i = 0; i < 7; ++i) {
        made = made && sn_array_push(&m->q, q[i]);
    }
    for (int i = 0; i < 6; ++i) {
        made = made && sn_array_push(&m->v, v[i]) &&
               sn_array_push(&m->freedoms, sn_default_freedom_def());
    }
    return made && seat_body(a, m, body, first + 1, SN_TRANSFORM_IDENTITY);
}

// ---- ties ----

static bool push_tie(mechanism *m, const sn_tie *tie, uint32_t of, bool coupling)
{
    return sn_array_push(&m->ties, *tie) && sn_array_push(&m->tied, of) &&
           sn_array_push(&m->coupled, coupling);
}

static sn_frame frame_on(const assembly *a, uint32_t body, sn_transform frame)
{
    return sn_frame_from_transform(sn_transform_multiply(a->seats[body].frame, frame));
}

// A joint that closes a loop: its run, with a share of the body it comes back to, and the weld.
static sn_status close_loop(assembly *a, mechanism *m, uint32_t index, sn_error *error)
{
    sn_joint_record *joint = &a->world->joints.data[index];
    uint32_t body = sn_span_far(&a->span, a->world, index);
    seat share = {0};
    sn_status status = hang(a, m, index, false, &share, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mass_properties mass =
        share_of(&a->world->bodies.data[body].own->mass, a->span.shares[body]);
    add_mass(&m->tree.links[share.link], &mass, share.frame);
    joint->closes = true;
    joint->tie = m->ties.count;
    sn_tie weld = {.type = SN_TIE_WELD,
                   .a = a->seats[body].link,
                   .b = share.link,
                   .on_a = sn_frame_from_transform(a->seats[body].frame),
                   .on_b = sn_frame_from_transform(share.frame)};
    return push_tie(m, &weld, index, false) ? SN_OK : sn_fail_memory(error, sizeof weld);
}

// Two bodies of one link, welded once more: nothing to hold, but they must fit.
static sn_status check_second_weld(const assembly *a, const sn_joint_record *joint, sn_error *error)
{
    sn_joint_run run = sn_joint_run_of(SN_JOINT_FIXED, false);
    sn_transform parent = sn_transform_multiply(a->seats[joint->parent.index].frame,
                                                joint->parent_frame),
                 child =
                     sn_transform_multiply(a->seats[joint->child.index].frame, joint->child_frame);
    return check_gap(a->world, joint, &run,
                     sn_transform_multiply(sn_transform_inverse(parent), child), NULL, error);
}

static sn_status put_tie(assembly *a, mechanism *m, uint32_t index, sn_error *error)
{
    sn_joint_record *joint = &a->world->joints.data[index];
    uint32_t parent = joint->parent.index, child = joint->child.index;
    joint->closes = joint->type == SN_JOINT_FIXED && !joint->breakable;
    if (joint->type == SN_JOINT_FIXED && a->seats[parent].link == a->seats[child].link) {
        return a->loose ? SN_OK : check_second_weld(a, joint, error);
    }
    sn_tie tie = {.type = joint->type == SN_JOINT_FIXED      ? SN_TIE_WELD
                          : joint->type == SN_JOINT_DISTANCE ? SN_TIE_ROD
                          : joint->type == SN_JOINT_CURVE    ? SN_TIE_CURVE
                                                             : SN_TIE_SURFACE,
                  .a = a->seats[parent].link,
                  .b = a->seats[child].link,
                  .on_a = frame_on(a, parent, joint->parent_frame),
                  .on_b = frame_on(a, child, joint->child_frame),
                  .length = joint->length,
                  .curve = joint->curve,
                  .surface = joint->surface};
    joint->tie = m->ties.count;
    return push_tie(m, &tie, index, false) ? SN_OK : sn_fail_memory(error, sizeof tie);
}

// A coupling over freedoms that all have links by now.
static sn_status put_coupling(assembly *a, mechanism *m, uint32_t index, sn_error *error)
{
    sn_world *world = a->world;
    sn_coupling_record *coupling = &world->couplings.data[index];
    sn_tie tie = {.type = SN_TIE_COUPLING,
                  .a = -1,
                  .b = -1,
                  .on_a = SN_FRAME_IDENTITY,
                  .on_b = SN_FRAME_IDENTITY,
                  .term = m->terms.count,
                  .term_count = coupling->term_count};
    double sum = 0.0;
    for (int i = 0; i < coupling->term_count; ++i) {
        const sn_coupling_term *term = &coupling->terms[i];
        const sn_joint_record *joint = &world->joints.data[term->joint.index];
        sn_joint_run run = sn_joint_run_of(joint->type, a->span.reversed[term->joint.index]);
        int link = joint->first_link, own = 0, q = 0;
        for (int e = 0; e < run.count; ++e) { // the element that holds the freedom
            int freedoms = sn_tree_joint_v(run.joint[e]);
            if (term->freedom >= run.freedom[e] && term->freedom < run.freedom[e] + freedoms) {
                link = joint->first_link + e;
                own = term->freedom - run.freedom[e];
            }
        }
        for (int k = 0; k < link; ++k) {
            q += sn_tree_joint_q(m->tree.links[k].joint);
        }
        sum += term->factor * m->q.data[q + own];
        if (!sn_array_push(&m->terms, (sn_tie_term){link, own, term->factor})) {
            return sn_fail_memory(error, sizeof(sn_tie_term));
        }
    }
    if (isnan(coupling->sum)) {
        coupling->sum = sum;
    }
    tie.sum = coupling->sum;
    coupling->tie = m->ties.count;
    return push_tie(m, &tie, index, true) ? SN_OK : sn_fail_memory(error, sizeof tie);
}

// ---- all mechanisms ----

// Room for the links of every mechanism.
static sn_status allocate_trees(assembly *a, sn_error *error)
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
        mechanism *m = &a->mechanisms[i];
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
static bool order_by_depth(assembly *a)
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

static sn_status seat_all(assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    a->seats[0] = (seat){-1, SN_TRANSFORM_IDENTITY};
    for (int i = 0; i < world->body_order.count; ++i) { // static bodies stand where they are
        uint32_t body = world->body_order.data[i];
        if (sn_world_is_ground(world, body)) {
            a->seats[body] = (seat){-1, world->bodies.data[body].own->frame};
        }
    }
    for (int i = 0; i < a->span.reached; ++i) {
        uint32_t body = a->span.order[i], carrier = a->span.carrier[body];
        mechanism *m = &a->mechanisms[a->span.component[body]];
        if (carrier == 0) {
            if (!put_free_root(a, m, body)) {
                return sn_fail_memory(error, sizeof(sn_tree_link));
            }
            continue;
        }
        seat at;
        sn_status status = hang(a, m, carrier, !a->loose && !m->closed, &at, error);
        if (status != SN_OK) {
            return status;
        }
        if (!seat_body(a, m, body, at.link, at.frame)) {
            return sn_fail_memory(error, sizeof(sn_articulation_part));
        }
    }
    return SN_OK;
}

static sn_status tie_all(assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    sn_status status = SN_OK;
    for (int i = 0; i < world->joint_order.count && status == SN_OK; ++i) {
        uint32_t index = world->joint_order.data[i];
        if (a->span.role[index] == SN_ROLE_NONE) {
            continue;
        }
        mechanism *m = &a->mechanisms[a->span.joint_component[index]];
        if (a->span.role[index] == SN_ROLE_CLOSE) {
            status = close_loop(a, m, index, error);
        } else if (a->span.role[index] == SN_ROLE_TIE) {
            status = put_tie(a, m, index, error);
        }
    }
    for (int i = 0; i < world->coupling_order.count && status == SN_OK; ++i) {
        uint32_t index = world->coupling_order.data[i];
        const sn_coupling_record *coupling = &world->couplings.data[index];
        bool whole = true; // a coupling ends with the first of its joints that breaks
        for (int k = 0; k < coupling->term_count; ++k) {
            whole = whole && !world->joints.data[coupling->terms[k].joint.index].broken;
        }
        if (whole) {
            int component = a->span.joint_component[coupling->terms[0].joint.index];
            status = put_coupling(a, &a->mechanisms[component], index, error);
        }
    }
    return status;
}

// The integrator all bodies of a mechanism agree on, and the strictest tolerances; they move
// together.
static sn_status agree(const sn_world *world, const mechanism *m, sn_agent *head, sn_error *error)
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
static sn_status install(sn_world *world, mechanism *m, sn_error *error)
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
static sn_status close_all(sn_world *world, const mechanism *m, sn_error *error)
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
static void ground_welded(const assembly *a)
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
static sn_status install_all(assembly *a, sn_error *error)
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
        const mechanism *m = &a->mechanisms[i];
        status = m->agent >= 0 ? close_all(world, m, error) : SN_OK;
    }
    return status;
}

static sn_status assemble_with(assembly *a, sn_error *error)
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
        if (ref->set == SN_SET_RIGID && ref->agent >= 0) {
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
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_take_apart(world, error);
    }
    if (status != SN_OK) {
        return status;
    }
    stance *stances = keep_stances(world);
    assembly a = {.world = world, .loose = loose};
    status = stances != NULL ? assemble_with(&a, error) : sn_fail_memory(error, sizeof *stances);
    for (int i = 0; a.mechanisms != NULL && i < a.span.components; ++i) {
        free_mechanism(&a.mechanisms[i]);
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
    }
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
