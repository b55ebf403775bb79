#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/reach.h"
#include "math/rotation.h"
#include "sinew/geometry.h"

void sn_mechanism_free(sn_mechanism *m)
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

bool sn_mechanism_seat(sn_assembly *a, sn_mechanism *m, uint32_t body, int link, sn_transform frame)
{
    const sn_body_record *record = &a->world->bodies.data[body];
    a->seats[body] = (sn_seat){link, frame};
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

static const double FULL_TURN = 2.0 * SN_PI;

// An angle, which bodies show up to whole turns, in the turn that is within the limits and nearest
// to 0; as it is where there is none.
static double turn_within(const sn_limit_def *limit, double angle)
{
    double slack = 1e-9 * (1.0 + fabs(angle)), turned = angle;
    if (angle < limit->lower - slack) {
        turned = angle + FULL_TURN * ceil((limit->lower - slack - angle) / FULL_TURN);
    } else if (angle > limit->upper + slack) {
        turned = angle - FULL_TURN * ceil((angle - limit->upper - slack) / FULL_TURN);
    }
    return turned >= limit->lower - slack && turned <= limit->upper + slack ? turned : angle;
}

// Brings angles to the turn they were in when the joint was last taken apart, or start in. A screw
// knows its own by its shift.
static void count_turns(const sn_joint_record *joint, const sn_joint_run *run, double *q)
{
    for (int i = 0; i < run->count; ++i) {
        double kept = joint->kept[run->freedom[i]];
        bool turns = run->joint[i] == SN_TREE_HINGE || run->joint[i] == SN_TREE_SCREW;
        if (turns && !isnan(kept)) {
            *q += FULL_TURN * floor((kept - *q) / FULL_TURN + 0.5);
        } else if (run->joint[i] == SN_TREE_HINGE) {
            *q = turn_within(&joint->freedoms[run->freedom[i]].limit, *q);
        }
        q += sn_tree_joint_q(run->joint[i]);
    }
}

// Angles that a joint is to start at must be those of its bodies.
static sn_status check_start(const sn_joint_record *joint, const sn_joint_run *run, const double *q,
                             sn_error *error)
{
    for (int i = 0; i < run->count; ++i) {
        double start = joint->kept[run->freedom[i]];
        bool turns = run->joint[i] == SN_TREE_HINGE || run->joint[i] == SN_TREE_SCREW;
        double off = turns && !isnan(start) ? fabs(*q - start) : 0.0;
        if (off > 1e-6 * (1.0 + fabs(start))) {
            return sn_fail(error, SN_ERROR_ARGUMENT, joint->name,
                           "freedom %d is to start at %.6g rad, but its bodies stand %.3g rad from "
                           "there",
                           run->freedom[i] + 1, start, off);
        }
        q += sn_tree_joint_q(run->joint[i]);
    }
    return SN_OK;
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

// What acts in a freedom, as the run has it.
static sn_freedom_def freedom_of(const sn_joint_record *joint, const sn_joint_run *run, int element,
                                 int own)
{
    return sn_joint_run_freedom(&joint->freedoms[run->freedom[element] + own],
                                run->reversed && run->joint[element] == SN_TREE_BALL);
}

static bool push_link(sn_mechanism *m, const sn_joint_record *joint, const sn_joint_run *run,
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

sn_status sn_mechanism_hang(sn_assembly *a, sn_mechanism *m, uint32_t index, bool strict,
                            sn_seat *far, sn_error *error)
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
    if (status == SN_OK && strict && !joint->was_assembled) {
        status = check_start(joint, &run, q, error);
    }
    if (status == SN_OK && reversed) {
        status = check_reversed(world, joint, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_seat at = a->seats[sn_span_near(&a->span, world, index)];
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

bool sn_mechanism_add_root(sn_assembly *a, sn_mechanism *m, uint32_t body)
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
    return made && sn_mechanism_seat(a, m, body, first + 1, SN_TRANSFORM_IDENTITY);
}

// ---- ties ----

static bool push_tie(sn_mechanism *m, const sn_tie *tie, uint32_t of, bool coupling)
{
    return sn_array_push(&m->ties, *tie) && sn_array_push(&m->tied, of) &&
           sn_array_push(&m->coupled, coupling);
}

static sn_frame frame_on(const sn_assembly *a, uint32_t body, sn_transform frame)
{
    return sn_frame_from_transform(sn_transform_multiply(a->seats[body].frame, frame));
}

sn_status sn_mechanism_close(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error)
{
    sn_joint_record *joint = &a->world->joints.data[index];
    uint32_t body = sn_span_far(&a->span, a->world, index);
    sn_seat share = {0};
    sn_status status = sn_mechanism_hang(a, m, index, false, &share, error);
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
static sn_status check_second_weld(const sn_assembly *a, const sn_joint_record *joint,
                                   sn_error *error)
{
    sn_joint_run run = sn_joint_run_of(SN_JOINT_FIXED, false);
    sn_transform parent = sn_transform_multiply(a->seats[joint->parent.index].frame,
                                                joint->parent_frame),
                 child =
                     sn_transform_multiply(a->seats[joint->child.index].frame, joint->child_frame);
    return check_gap(a->world, joint, &run,
                     sn_transform_multiply(sn_transform_inverse(parent), child), NULL, error);
}

sn_status sn_mechanism_tie(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error)
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

sn_status sn_mechanism_couple(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error)
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
