#include "mechanism/joint_run.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_work.h"
#include "math/elementary.h"
#include "math/rotation.h"

// Turns that bring z to where x or y was: by a quarter about y, or about x the other way.
static const sn_quat z_from_x = {0.70710678118654752, 0.0, 0.70710678118654752, 0.0};
static const sn_quat z_from_y = {0.70710678118654752, -0.70710678118654752, 0.0, 0.0};
static const sn_quat half_turn = {0.0, 1.0, 0.0, 0.0}; // F

static void add(sn_joint_run *run, sn_tree_joint joint, sn_quat before, int freedom)
{
    run->joint[run->count] = joint;
    run->before[run->count] = before;
    run->freedom[run->count] = freedom;
    run->count += 1;
}

// Three sliders along x, y and z of the frame so far.
static void add_sliders(sn_joint_run *run, int count)
{
    sn_quat x_back = sn_quat_conjugate(z_from_x), y_back = sn_quat_conjugate(z_from_y);
    add(run, SN_TREE_SLIDER, z_from_x, 0);
    add(run, SN_TREE_SLIDER, sn_quat_multiply(x_back, z_from_y), 1);
    if (count > 2) {
        add(run, SN_TREE_SLIDER, y_back, 2);
    }
}

static sn_joint_run forward_run(sn_joint_type type, bool in_sliders)
{
    const sn_quat one = SN_QUAT_IDENTITY;
    sn_joint_run run = {.after = one};
    switch (type) {
    case SN_JOINT_HINGE:
        add(&run, SN_TREE_HINGE, one, 0);
        break;
    case SN_JOINT_SLIDER:
        add(&run, SN_TREE_SLIDER, one, 0);
        break;
    case SN_JOINT_SCREW:
        add(&run, SN_TREE_SCREW, one, 0);
        break;
    case SN_JOINT_CYLINDRICAL:
        add(&run, SN_TREE_SLIDER, one, 0);
        add(&run, SN_TREE_HINGE, one, 1);
        break;
    case SN_JOINT_UNIVERSAL:
        add(&run, SN_TREE_HINGE, one, 0);
        add(&run, SN_TREE_HINGE, z_from_x, 1);
        run.after = sn_quat_conjugate(z_from_x);
        break;
    case SN_JOINT_BALL:
        add(&run, SN_TREE_BALL, one, 0);
        break;
    case SN_JOINT_PLANAR:
        add_sliders(&run, 2);
        add(&run, SN_TREE_HINGE, sn_quat_conjugate(z_from_y), 2);
        break;
    case SN_JOINT_FREE:
        if (in_sliders) {
            add_sliders(&run, 3);
        } else {
            add(&run, SN_TREE_TRANSLATION, one, 0);
        }
        add(&run, SN_TREE_BALL, one, 3);
        break;
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
    return run;
}

sn_joint_run sn_joint_run_of(sn_joint_type type, bool reversed)
{
    // A shift backwards is a mirror image, not a turned shift: three sliders can be turned one by
    // one.
    sn_joint_run run = forward_run(type, reversed), back = {.reversed = true};
    if (!reversed) {
        return run;
    }
    sn_quat pending = sn_quat_conjugate(run.after);
    for (int i = run.count - 1; i >= 0; --i) {
        bool turns_freely = run.joint[i] == SN_TREE_BALL;
        sn_quat before = turns_freely ? pending : sn_quat_multiply(pending, half_turn);
        add(&back, run.joint[i], before, run.freedom[i]);
        pending = sn_quat_conjugate(run.before[i]);
        if (!turns_freely) {
            pending = sn_quat_multiply(sn_quat_conjugate(half_turn), pending);
        }
    }
    back.after = pending;
    return back;
}

// Elements' numbers, given in the joint's own order, into the run's: `size` tells how many numbers
// an element has.
static void put_in_order(const sn_joint_run *run, int (*size)(sn_tree_joint), const double *given,
                         double *numbers)
{
    if (!run->reversed) {
        int all = 0;
        for (int i = 0; i < run->count; ++i) {
            all += size(run->joint[i]);
        }
        memcpy(numbers, given, (size_t)all * sizeof *numbers);
        return;
    }
    for (int i = 0; i < run->count; ++i) {
        int first = 0, own = size(run->joint[i]);
        for (int k = i + 1; k < run->count; ++k) { // those before it in the joint's order
            first += size(run->joint[k]);
        }
        memcpy(numbers, given + first, (size_t)own * sizeof *numbers);
        numbers += own;
    }
}

// In the order of the joint's meaning.
static void own_coordinates(sn_joint_type type, double pitch, sn_transform t, double *q)
{
    sn_quat r = t.rotation;
    sn_mat3 m = sn_quat_to_mat3(r);
    double about_z = 2.0 * sn_atan2(r.w < 0.0 ? -r.z : r.z, fabs(r.w));
    switch (type) {
    case SN_JOINT_HINGE:
        q[0] = about_z;
        break;
    case SN_JOINT_SLIDER:
        q[0] = t.position.z;
        break;
    case SN_JOINT_SCREW: // the shift tells the whole turns
        q[0] = about_z;
        if (pitch != 0.0) {
            q[0] += 2.0 * SN_PI * floor((t.position.z / pitch - about_z) / (2.0 * SN_PI) + 0.5);
        }
        break;
    case SN_JOINT_CYLINDRICAL:
        q[0] = t.position.z;
        q[1] = about_z;
        break;
    case SN_JOINT_UNIVERSAL: // Rz(a) Rx(b)
        q[0] = sn_atan2(m.m[1][0], m.m[0][0]);
        q[1] = sn_atan2(m.m[2][1], m.m[2][2]);
        break;
    case SN_JOINT_PLANAR:
        q[0] = t.position.x;
        q[1] = t.position.y;
        q[2] = about_z;
        break;
    case SN_JOINT_FREE:
    case SN_JOINT_BALL: {
        double *turn = q;
        if (type == SN_JOINT_FREE) {
            sn_vec3_put(q, t.position);
            turn = q + 3;
        }
        turn[0] = r.w;
        sn_vec3_put(turn + 1, sn_vec3_make(r.x, r.y, r.z));
        break;
    }
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
}

void sn_joint_run_coordinates(const sn_joint_run *run, sn_joint_type type, double pitch,
                              sn_transform t, double *q)
{
    double own[7] = {0.0};
    if (run->reversed) {
        // A ball's quaternion is that of T^-1, whose turn is all the same where it is in the run.
        t.rotation = type == SN_JOINT_BALL || type == SN_JOINT_FREE ? sn_quat_conjugate(t.rotation)
                                                                    : t.rotation;
    }
    own_coordinates(type, pitch, t, own);
    put_in_order(run, sn_tree_joint_q, own, q);
}

void sn_joint_run_rates(const sn_joint_run *run, sn_joint_type type, sn_transform t, sn_vec3 shift,
                        sn_vec3 turning, double *v)
{
    sn_vec3 in_child = sn_rotate_inverse(t.rotation, turning);
    double own[6] = {0.0};
    switch (type) {
    case SN_JOINT_HINGE:
    case SN_JOINT_SCREW:
        own[0] = turning.z;
        break;
    case SN_JOINT_SLIDER:
        own[0] = shift.z;
        break;
    case SN_JOINT_CYLINDRICAL:
        own[0] = shift.z;
        own[1] = turning.z;
        break;
    case SN_JOINT_UNIVERSAL:
        own[0] = turning.z;
        own[1] = in_child.x;
        break;
    case SN_JOINT_PLANAR:
        own[0] = shift.x;
        own[1] = shift.y;
        own[2] = turning.z;
        break;
    case SN_JOINT_FREE:
    case SN_JOINT_BALL: {
        double *turn = own;
        if (type == SN_JOINT_FREE) {
            sn_vec3_put(own, shift);
            turn = own + 3;
        }
        // A reversed ball turns the parent against the child, and has its rate in the parent's
        // axes.
        sn_vec3_put(turn, run->reversed ? sn_vec3_negate(turning) : in_child);
        break;
    }
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
    put_in_order(run, sn_tree_joint_v, own, v);
}

sn_freedom_def sn_joint_run_freedom(const sn_freedom_def *freedom, bool reversed_ball)
{
    sn_freedom_def own = *freedom;
    if (own.drive.motion != NULL) {
        own.drive.target = reversed_ball ? SN_TARGET_MIRRORED : 0.0;
    } else if (reversed_ball) {
        own.drive.target = -own.drive.target;
    }
    return own;
}

static sn_transform element_place(sn_tree_joint joint, double pitch, const double *q)
{
    sn_transform place = SN_TRANSFORM_IDENTITY;
    sn_vec3 axis = {0.0, 0.0, 1.0};
    switch (joint) {
    case SN_TREE_HINGE:
        place.rotation = sn_quat_from_axis_angle(axis, q[0]);
        break;
    case SN_TREE_SLIDER:
        place.position.z = q[0];
        break;
    case SN_TREE_SCREW:
        place.position.z = pitch * q[0];
        place.rotation = sn_quat_from_axis_angle(axis, q[0]);
        break;
    case SN_TREE_BALL:
        place.rotation = (sn_quat){q[0], q[1], q[2], q[3]};
        break;
    case SN_TREE_TRANSLATION:
        place.position = sn_vec3_at(q);
        break;
    }
    return place;
}

sn_transform sn_joint_run_place(const sn_joint_run *run, double pitch, const double *q)
{
    sn_transform place = SN_TRANSFORM_IDENTITY;
    for (int i = 0; i < run->count; ++i) {
        place = sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, run->before[i]});
        place = sn_transform_multiply(place, element_place(run->joint[i], pitch, q));
        q += sn_tree_joint_q(run->joint[i]);
    }
    return sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, run->after});
}
