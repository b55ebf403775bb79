#include "scene/urdf_plan.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "scene/body_def.h"
#include "scene/joint_def.h"

bool sn_plan_can_say(sn_joint_type type)
{
    return type == SN_JOINT_FIXED || type == SN_JOINT_HINGE || type == SN_JOINT_SLIDER ||
           type == SN_JOINT_PLANAR || type == SN_JOINT_FREE;
}

sn_transform sn_plan_frame_above(const sn_plan *plan, int body)
{
    const sn_plan_body *b = &plan->bodies[body];
    const sn_joint_def *def = &plan->joints[b->joint].def;
    return b->reversed ? def->child_frame : def->parent_frame;
}

sn_transform sn_plan_frame_below(const sn_plan *plan, int body)
{
    const sn_plan_body *b = &plan->bodies[body];
    const sn_joint_def *def = &plan->joints[b->joint].def;
    return b->reversed ? def->parent_frame : def->child_frame;
}

// ---- bodies and joints ----

static sn_status describe(sn_plan *plan, sn_error *error)
{
    const sn_scene *scene = plan->scene;
    sn_shape_array shapes = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.bodies.count && status == SN_OK; ++i) {
        sn_body_def def;
        status = sn_body_item_def(scene, SN_BODY(scene, i), &shapes, &def, error);
        if (status == SN_OK) {
            plan->bodies[i] =
                (sn_plan_body){.mass = def.mass, .frame = def.frame, .link = SN_TRANSFORM_IDENTITY};
        }
    }
    sn_array_free(&shapes);
    for (int i = 0; i < scene->root.joints.count && status == SN_OK; ++i) {
        plan->joints[i] = (sn_plan_joint){
            .def = sn_joint_item_def(scene, SN_JOINT(scene, i), plan->motions), .leader = -1};
    }
    return status;
}

// ---- the tree ----

// The joints at each body, the world's last, as one list: those of body i from first[i] to
// first[i + 1].
typedef struct incidence {
    int *first, *joints;
} incidence;

static int node_of(const sn_scene *scene, int body)
{
    return body >= 0 ? body : scene->root.bodies.count;
}

static bool list_incidences(const sn_scene *scene, incidence *at)
{
    int nodes = scene->root.bodies.count + 1, joints = scene->root.joints.count;
    at->first = sn_allocate_zero(((size_t)nodes + 2) * sizeof *at->first);
    at->joints = sn_allocate(((size_t)joints * 2 + 1) * sizeof *at->joints);
    if (at->first == NULL || at->joints == NULL) {
        return false;
    }
    for (int i = 0; i < joints; ++i) {
        at->first[node_of(scene, SN_JOINT(scene, i)->parent_body) + 2] += 1;
        at->first[node_of(scene, SN_JOINT(scene, i)->child_body) + 2] += 1;
    }
    for (int i = 0; i < nodes; ++i) {
        at->first[i + 1] += at->first[i];
    }
    for (int i = 0; i < joints; ++i) {
        at->joints[at->first[node_of(scene, SN_JOINT(scene, i)->parent_body) + 1]++] = i;
        at->joints[at->first[node_of(scene, SN_JOINT(scene, i)->child_body) + 1]++] = i;
    }
    return true;
}

static void free_incidences(incidence *at)
{
    sn_free(at->first);
    sn_free(at->joints);
}

// Hangs the bodies at the joints of a node (-1: the world) on it.
static void visit(sn_plan *plan, const incidence *at, int body, int tree)
{
    const sn_scene *scene = plan->scene;
    int node = node_of(scene, body);
    for (int k = at->first[node]; k < at->first[node + 1]; ++k) {
        const sn_joint_item *joint = SN_JOINT(scene, at->joints[k]);
        bool reversed = joint->parent_body != body;
        int other = reversed ? joint->parent_body : joint->child_body;
        if (other < 0 || plan->bodies[other].reached ||
            !sn_plan_can_say((sn_joint_type)joint->type)) {
            continue;
        }
        sn_plan_body *b = &plan->bodies[other];
        b->reached = plan->joints[at->joints[k]].used = true;
        b->hold = SN_HOLD_JOINT;
        b->parent = body;
        b->joint = at->joints[k];
        b->reversed = reversed;
        b->tree = tree;
        plan->order[plan->count++] = other;
    }
}

static void begin(sn_plan *plan, int body, sn_plan_hold hold, int tree)
{
    sn_plan_body *b = &plan->bodies[body];
    b->reached = true;
    b->hold = hold;
    b->parent = b->joint = -1;
    b->tree = tree;
    plan->order[plan->count++] = body;
}

static void grow(sn_plan *plan, const incidence *at, int from, int tree)
{
    for (int i = from; i < plan->count; ++i) {
        visit(plan, at, plan->order[i], tree);
    }
}

static bool is_child(const sn_plan *plan, const incidence *at, int body)
{
    for (int k = at->first[body]; k < at->first[body + 1]; ++k) {
        if (SN_JOINT(plan->scene, at->joints[k])->child_body == body) {
            return true;
        }
    }
    return false;
}

// From the world and what stands still in it; then from each body that is left, those that nobody's
// joint carries first.
static void grow_trees(sn_plan *plan, const incidence *at)
{
    const sn_scene *scene = plan->scene;
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        if (SN_BODY(scene, i)->type == SN_BODY_STATIC) {
            begin(plan, i, SN_HOLD_FIXED, -1);
        }
    }
    visit(plan, at, -1, -1);
    grow(plan, at, 0, -1);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < scene->root.bodies.count; ++i) {
            if (!plan->bodies[i].reached && (pass == 1 || !is_child(plan, at, i))) {
                int from = plan->count;
                begin(plan, i, SN_HOLD_FREE, i);
                grow(plan, at, from, i);
            }
        }
    }
}

static sn_status check_lost(const sn_plan *plan, sn_error *error)
{
    const sn_scene *scene = plan->scene;
    for (int i = 0; i < scene->root.joints.count; ++i) {
        const sn_joint_item *joint = SN_JOINT(scene, i);
        int parent = joint->parent_body >= 0 ? plan->bodies[joint->parent_body].tree : -1;
        if (!plan->joints[i].used && parent != plan->bodies[joint->child_body].tree) {
            char place[SN_PLACE_SIZE];
            return sn_fail(
                error, SN_ERROR_UNSUPPORTED, sn_place_text(scene, joint->item.place, place),
                "\"%.60s\" hangs on the joint \"%.60s\", and URDF has no word for a %s; "
                "expected fixed, hinge, slider, planar or free joints",
                joint->child, joint->name, sn_joint_type_word((sn_joint_type)joint->type));
        }
    }
    return SN_OK;
}

// ---- where the links' frames are, and the joints at the start ----

// A link's frame stands where its joint is, turned as the body; of joints whose freedoms have axes
// that URDF does not name, also turned as the joint.
static void place_links(sn_plan *plan)
{
    for (int i = 0; i < plan->count; ++i) {
        sn_plan_body *b = &plan->bodies[plan->order[i]];
        if (b->hold != SN_HOLD_JOINT) {
            continue;
        }
        sn_joint_type type = plan->joints[b->joint].def.type;
        b->link = sn_plan_frame_below(plan, plan->order[i]);
        if (type != SN_JOINT_PLANAR && type != SN_JOINT_FREE) {
            b->link.rotation = SN_QUAT_IDENTITY;
        }
    }
}

// The turn about z: in the turn that it starts in, else in the range of the joint's limits if it
// can be.
static double hinge_angle(sn_quat q, double start, const sn_limit_def *limit)
{
    double angle = 2.0 * sn_atan2(q.z, q.w);
    const double turn = 6.283185307179586;
    if (!isnan(start)) {
        return angle + turn * floor((start - angle) / turn + 0.5);
    }
    angle = angle > 0.5 * turn ? angle - turn : angle <= -0.5 * turn ? angle + turn : angle;
    for (int i = 0; i < 16 && angle < limit->lower - 1e-9; ++i) {
        angle += turn;
    }
    for (int i = 0; i < 16 && angle > limit->upper + 1e-9; ++i) {
        angle -= turn;
    }
    return angle;
}

static void measure_joint(sn_plan *plan, int body)
{
    const sn_plan_body *b = &plan->bodies[body];
    sn_plan_joint *joint = &plan->joints[b->joint];
    sn_transform parent = b->parent >= 0 ? plan->bodies[b->parent].frame : SN_TRANSFORM_IDENTITY;
    sn_transform above = sn_transform_multiply(parent, sn_plan_frame_above(plan, body));
    sn_transform below = sn_transform_multiply(b->frame, sn_plan_frame_below(plan, body));
    sn_transform move = sn_transform_multiply(sn_transform_inverse(above), below);
    double *q = joint->position, sign = b->reversed ? -1.0 : 1.0;
    switch (joint->def.type) {
    case SN_JOINT_HINGE: {
        sn_quat turn = b->reversed ? sn_quat_conjugate(move.rotation) : move.rotation;
        q[0] = hinge_angle(turn, joint->def.start[0], &joint->def.freedom[0].limit);
        break;
    }
    case SN_JOINT_SLIDER:
        q[0] = sign * move.position.z;
        break;
    case SN_JOINT_PLANAR:
        q[0] = move.position.x;
        q[1] = move.position.y;
        q[2] = hinge_angle(move.rotation, joint->def.start[2], &joint->def.freedom[2].limit);
        break;
    case SN_JOINT_FREE: {
        sn_vec3 turn = sn_quat_log(move.rotation);
        const double numbers[6] = {move.position.x, move.position.y, move.position.z,
                                   turn.x,          turn.y,          turn.z};
        memcpy(q, numbers, sizeof numbers);
        break;
    }
    default:
        break;
    }
}

// ---- couplings ----

static bool follows(const sn_plan *plan, int joint, int leader)
{
    while (joint >= 0 && joint != leader) {
        joint = plan->joints[joint].leader;
    }
    return joint == leader;
}

// position a = ratio * position b + what is left at the start.
static bool follow(sn_plan *plan, int a, int b, double ratio)
{
    sn_plan_joint *joint = &plan->joints[a];
    const sn_plan_joint *other = &plan->joints[b];
    bool single = sn_joint_type_freedoms(joint->def.type) == 1 &&
                  sn_joint_type_freedoms(other->def.type) == 1;
    if (!joint->used || !other->used || !single || joint->leader >= 0 || follows(plan, b, a) ||
        !isfinite(ratio)) {
        return false;
    }
    joint->leader = b;
    joint->multiplier = ratio;
    joint->offset = joint->position[0] - ratio * other->position[0];
    return true;
}

static void follow_couplings(sn_plan *plan)
{
    const sn_scene *scene = plan->scene;
    for (int i = 0; i < scene->root.couplings.count; ++i) {
        const sn_coupling_item *coupling = SN_COUPLING(scene, i);
        int a = coupling->gear.joint_a, b = coupling->gear.joint_b;
        double ratio = coupling->gear.ratio.number;
        bool two = sn_item_gives(&coupling->item, "gear");
        if (!two && coupling->terms.count == 2) {
            const sn_term_item *first = (const sn_term_item *)coupling->terms.data[0];
            const sn_term_item *second = (const sn_term_item *)coupling->terms.data[1];
            a = first->joint_order;
            b = second->joint_order;
            ratio = -second->factor.number / first->factor.number;
            two = true;
        }
        plan->coupled[i] = two && (follow(plan, a, b, ratio) || follow(plan, b, a, 1.0 / ratio));
    }
}

// ---- the whole ----

static sn_status make(sn_plan *plan, sn_error *error)
{
    sn_status status = describe(plan, error);
    if (status != SN_OK) {
        return status;
    }
    incidence at = {0};
    if (list_incidences(plan->scene, &at)) {
        grow_trees(plan, &at);
        status = check_lost(plan, error);
    } else {
        status = sn_fail_memory(error, 0);
    }
    free_incidences(&at);
    if (status != SN_OK) {
        return status;
    }
    place_links(plan);
    for (int i = 0; i < plan->count; ++i) {
        if (plan->bodies[plan->order[i]].hold == SN_HOLD_JOINT) {
            measure_joint(plan, plan->order[i]);
        }
    }
    follow_couplings(plan);
    return SN_OK;
}

sn_status sn_plan_make(const sn_scene *scene, sn_plan *plan, sn_error *error)
{
    size_t bodies = (size_t)scene->root.bodies.count + 1;
    size_t joints = (size_t)scene->root.joints.count + 1;
    *plan = (sn_plan){
        .scene = scene,
        .bodies = sn_allocate_zero(bodies * sizeof *plan->bodies),
        .joints = sn_allocate_zero(joints * sizeof *plan->joints),
        .order = sn_allocate_zero(bodies * sizeof *plan->order),
        .motions = sn_allocate_zero(((size_t)scene->motions.count + 1) * sizeof(void *)),
        .coupled = sn_allocate_zero((size_t)scene->root.couplings.count + 1),
    };
    sn_status status = plan->bodies != NULL && plan->joints != NULL && plan->order != NULL &&
                               plan->motions != NULL && plan->coupled != NULL
                           ? make(plan, error)
                           : sn_fail_memory(error, bodies * sizeof *plan->bodies);
    if (status != SN_OK) {
        sn_plan_free(plan);
    }
    return status;
}

void sn_plan_free(sn_plan *plan)
{
    sn_free(plan->bodies);
    sn_free(plan->joints);
    sn_free(plan->order);
    sn_free(plan->motions);
    sn_free(plan->coupled);
    *plan = (sn_plan){0};
}
