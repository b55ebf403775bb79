#include "agent/tree/articulation.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tie_rate.h"
#include "agent/tree/tie_step.h"
#include "base/memory.h"
#include "math/rotation.h"

// ---- where the links are ----

void sn_articulation_place(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (!item->placed) {
        sn_tree_place(&item->tree, sn_agent_q(set, agent));
        item->placed = true;
        item->midway = item->moving = false;
        item->turns_known = false;
        if (item->ties != NULL) {
            item->ties->ready = false;
        }
    }
}

// Velocity of a point of a link, given by its place.
static sn_vec3 point_velocity(const sn_articulation *item, int link, sn_vec3 point)
{
    sn_vec3 arm = sn_vec3_sub(point, item->tree.pose[link].origin);
    return sn_velocity_at(item->velocity[link].linear, item->velocity[link].angular, arm);
}

// Does a link turn far in half a step? Joints' velocities are those of the start of the step. At
// its middle they are still those of links where little turns; but what is joined to a link that
// has turned away under it has coordinates in axes that are not its own any more.
static bool whirls(const sn_articulation *item)
{
    const double far = 0.2; // rad
    double most = 2.0 * far / item->step.h, fastest = 0.0;
    for (int i = 0; i < item->tree.count; ++i) {
        sn_vec3 w = item->velocity[i].angular;
        fastest = fmax(fastest, sn_dot(w, w));
    }
    return fastest > most * most;
}

// Links' velocities at the start of the step, for where they are at its middle.
static void velocity_at_start(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_tree_place(&item->tree, sn_agent_q(set, agent));
    sn_tree_velocity(&item->tree, sn_agent_v(set, agent), item->velocity);
    for (int i = 0; i < item->tree.count; ++i) { // of centres: origins will be elsewhere
        item->velocity[i].linear = point_velocity(item, i, item->tree.pose[i].centre);
    }
    sn_tree_place(&item->tree, item->step.c);
    for (int i = 0; i < item->tree.count; ++i) {
        sn_vec3 arm = sn_vec3_sub(item->tree.pose[i].centre, item->tree.pose[i].origin);
        item->velocity[i].linear =
            sn_vec3_sub(item->velocity[i].linear, sn_cross(item->velocity[i].angular, arm));
    }
}

static void move(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_articulation_place(set, agent);
    if (!item->moving) {
        sn_tree_velocity(&item->tree, sn_agent_v(set, agent), item->velocity);
        if (item->midway && whirls(item)) {
            velocity_at_start(set, agent);
        }
        item->moving = true;
    }
}

static void forget_place(sn_articulation *item)
{
    item->placed = false;
    item->moving = false;
}

void sn_articulation_place_true(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (item->tree.added != NULL) {
        item->tree.added = NULL;
        forget_place(item);
    }
    sn_articulation_place(set, agent);
}

static void articulation_touch(sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    forget_place(item);
    item->known = item->reported = false;
}

static void make_unit(sn_agent_set *set, int agent)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    for (int i = 0; i < tree->count; ++i) {
        double *q = sn_agent_q(set, agent) + tree->links[i].q;
        if (tree->links[i].joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]});
            q[0] = turn.w;
            q[1] = turn.x;
            q[2] = turn.y;
            q[3] = turn.z;
        }
    }
    articulation_touch(set, agent);
}

static void articulation_restore(sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    make_unit(set, agent);
    if (item->ties != NULL && item->ties->held_rows > 0) {
        double left;
        sn_tie_close(item->ties, &item->tree, set->now, q, v, &left);
    }
    if (item->ties != NULL && item->ties->modes.held) {
        sn_tie_mode_snap(item->ties, &item->tree, set->now, q, v);
    }
}

void sn_articulation_follow(sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    make_unit(set, agent);
    if (item->ties == NULL || item->ties->held_rows == 0) {
        return;
    }
    item->midway = false;
    item->turns_known = false;
    item->placed = sn_tie_follow(item->ties, &item->tree, set->now, sn_agent_q(set, agent),
                                 sn_agent_v(set, agent));
    if (!item->placed && !item->ties->rows.failed) {
        articulation_restore(set, agent);
    }
}

sn_vec3 sn_articulation_centre(const sn_articulation *item, int part)
{
    const sn_tree_pose *pose = &item->tree.pose[item->parts[part].link];
    return sn_vec3_add(pose->origin, sn_mat3_apply(pose->rotation, item->parts[part].centre));
}

static void articulation_part(const sn_agent_set *set, int agent, int part, sn_part *now)
{
    move(set, agent);
    const sn_articulation *item = sn_articulation_of(set, agent);
    int link = item->parts[part].link;
    const sn_tree_pose *pose = &item->tree.pose[link];
    sn_transform in_world = {pose->origin, sn_quat_from_mat3(pose->rotation)};
    now->frame = sn_transform_multiply(in_world, item->parts[part].frame);
    now->centre = sn_articulation_centre(item, part);
    now->velocity = point_velocity(item, link, now->centre);
    now->angular_velocity = item->velocity[link].angular;
}

static sn_aabb articulation_bounds(const sn_agent_set *set, int agent)
{
    sn_articulation_place(set, agent);
    const sn_articulation *item = sn_articulation_of(set, agent);
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < set->agents[agent].part_count; ++i) {
        double r = item->parts[i].radius;
        sn_vec3 centre = sn_articulation_centre(item, i), reach = {r, r, r};
        box.lower = sn_vec3_min(box.lower, sn_vec3_sub(centre, reach));
        box.upper = sn_vec3_max(box.upper, sn_vec3_add(centre, reach));
    }
    return box;
}

// ---- forces ----

// What acts on the parts (about their centres of mass) as what acts on the links (about their
// origins).
static const sn_spatial *wrench_on_links(sn_articulation *item, const sn_spatial *on_parts,
                                         int part_count)
{
    memset(item->wrench, 0, (size_t)item->tree.count * sizeof *item->wrench);
    item->wrenched = false;
    for (int i = 0; i < part_count; ++i) {
        int link = item->parts[i].link;
        if (sn_spatial_is_zero(&on_parts[i])) {
            continue;
        }
        item->wrenched = true;
        sn_vec3 arm = sn_vec3_sub(sn_articulation_centre(item, i), item->tree.pose[link].origin);
        sn_vec3 moment = sn_vec3_add(on_parts[i].angular, sn_cross(arm, on_parts[i].linear));
        item->wrench[link] =
            sn_spatial_add(item->wrench[link], sn_spatial_make(moment, on_parts[i].linear));
    }
    return item->wrench;
}

// The turn of a ball from its rest, along the shortest way: in link axes and in the parent's alike.
static sn_vec3 ball_turn(const double *q)
{
    return sn_quat_log(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
}

// Joint forces: what fields and behaviours gave, and the freedoms' own springs and dampers, at
// coordinates q.
static double *joint_forces(const sn_agent_set *set, int agent, const double *q, const double *v)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    const double *given = set->joint_force + set->agents[agent].v_first;
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        const sn_freedom_def *own = item->freedoms + link->v;
        double *f = item->force + link->v;
        if (link->joint == SN_TREE_BALL) {
            sn_vec3 pull = own->stiffness != 0.0
                               ? sn_vec3_scale(-own->stiffness, ball_turn(q + link->q))
                               : SN_VEC3_ZERO;
            pull = sn_vec3_add_scaled(pull, -own->damping, sn_vec3_at(v + link->v));
            sn_vec3_put(f, sn_vec3_add(pull, sn_vec3_at(given + link->v)));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            f[k] = given[link->v + k] - own[k].stiffness * (q[link->q + k] - own[k].rest) -
                   own[k].damping * v[link->v + k];
        }
    }
    return item->force;
}

// ---- what resists a step ----

static void add_blocks(sn_tree_inertia *to, sn_mat3 angular, sn_mat3 coupling, sn_mat3 linear)
{
    sn_sym3 a = sn_sym3_from_mat3(&angular), l = sn_sym3_from_mat3(&linear);
    to->angular = sn_sym3_add(&to->angular, &a);
    to->coupling = sn_mat3_add(to->coupling, coupling);
    to->linear = sn_sym3_add(&to->linear, &l);
}

static sn_mat3 block_of(const double *d, double scale, int row, int column)
{
    sn_mat3 m;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m.m[i][j] = scale * d[(3 * row + i) * 6 + 3 * column + j];
        }
    }
    return m;
}

// h/2 D of the parts that fields damp, as resistance of their links about the links' origins: with
// r from there to the part's centre, F = D_vv (v - [r] w) + D_vw w and so on.
static const sn_tree_inertia *resistance_of(const sn_agent_set *set, int agent, double h)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    bool any = false;
    for (int i = 0; i < set->agents[agent].part_count; ++i) {
        if (!sn_agent_is_damped(set, agent, i)) {
            continue;
        }
        if (!any) {
            memset(item->resistance, 0, (size_t)item->tree.count * sizeof *item->resistance);
            any = true;
        }
        const double *d =
            set->damping + (size_t)(set->agents[agent].part_first + i) * SN_DAMPING_SIZE;
        int link = item->parts[i].link;
        sn_mat3 vv = block_of(d, 0.5 * h, 0, 0), vw = block_of(d, 0.5 * h, 0, 1);
        sn_mat3 wv = block_of(d, 0.5 * h, 1, 0), ww = block_of(d, 0.5 * h, 1, 1);
        sn_mat3 r = sn_mat3_cross(
            sn_vec3_sub(sn_articulation_centre(item, i), item->tree.pose[link].origin));
        sn_mat3 coupling = sn_mat3_add(wv, sn_mat3_multiply(r, vv));
        sn_mat3 angular = sn_mat3_add(ww, sn_mat3_multiply(r, vw));
        angular = sn_mat3_add(angular, sn_mat3_scale(-1.0, sn_mat3_multiply(coupling, r)));
        add_blocks(&item->resistance[link], angular, coupling, vv);
    }
    return any ? item->resistance : NULL;
}

static sn_spatial resisted(const sn_tree_inertia *b, const sn_spatial *m)
{
    return sn_spatial_make(
        sn_vec3_add(sn_sym3_apply(&b->angular, m->angular), sn_mat3_apply(b->coupling, m->linear)),
        sn_vec3_add(sn_mat3_apply_transpose(b->coupling, m->angular),
                    sn_sym3_apply(&b->linear, m->linear)));
}

// ---- one step ----

static bool begin_item(sn_articulation *item, double time, double h, const double *q,
                       const double *v)
{
    bool found = true;
    if (item->ties != NULL) {
        found = sn_tie_step_begin(item->ties, &item->step, &item->tree, time, h, q, v);
    } else {
        sn_tree_step_begin(&item->step, &item->tree, q, v, h);
    }
    item->last_time = time;
    item->placed = true;
    item->midway = true; // found or not: v is that of the start either way
    item->moving = false;
    item->turns_known = false;
    item->known = false;
    item->summed = false;
    return found;
}

// What holds loops together is another stiffness, which nobody has looked at.
bool sn_articulation_can_slow(const sn_articulation_set *set, int agent)
{
    const sn_tie_work *ties = set->items[agent]->ties;
    return !sn_integrator_is_staged(set->agents.agents[agent].integrator) &&
           (ties == NULL || ties->held_rows == 0);
}

double sn_articulation_longest_step(sn_articulation_set *set, int agent, sn_vec3 gravity, double h,
                                    int *link)
{
    sn_articulation *item = set->items[agent];
    *link = -1;
    if (sn_integrator_is_staged(set->agents.agents[agent].integrator)) {
        return h;
    }
    sn_swing_work work = {&item->tree, item->step.trial, item->resistance};
    forget_place(item);
    return sn_tree_swings_longest_step(&item->swings, sn_length(gravity), h, &work, link);
}

void sn_articulation_set_pace(sn_articulation_set *set, sn_vec3 gravity, double h)
{
    double pull = sn_length(gravity);
    for (int i = 0; i < set->agents.count; ++i) {
        sn_articulation *item = set->items[i];
        bool free = sn_articulation_can_slow(set, i);
        if (free && !sn_tree_swings_know(&item->swings, pull, h)) {
            sn_swing_work work = {&item->tree, item->step.trial, item->resistance};
            sn_tree_swings_find(&item->swings, pull, h, &work);
            forget_place(item);
        }
        item->mass_scaled = free && item->swings.mass_scaled;
    }
}

// Why a step of it could not be made.
static uint8_t failure_of(const sn_articulation *item)
{
    if (item->ties == NULL) {
        return SN_FAILURE_TOO_FAST;
    }
    return item->ties->rows.failed ? SN_FAILURE_MEMORY : SN_FAILURE_TIES;
}

static void forget_contact(sn_articulation *item)
{
    item->ended = false;
    if (item->touched) {
        memset(item->pushed, 0, (size_t)item->tree.v_count * sizeof *item->pushed);
        memset(item->borne, 0, 2 * (size_t)item->tree.count * sizeof *item->borne);
        item->touched = false;
    }
}

static void articulation_begin(sn_agent_set *set, int first, int last, double h)
{
    for (int i = first; i < last; ++i) {
        sn_articulation_of(set, i)->turns_known = false; // those that rest have a way, too
        if (sn_integrator_is_staged(set->agents[i].integrator) || set->agents[i].held) {
            continue;
        }
        sn_articulation *item = sn_articulation_of(set, i);
        forget_contact(item);
        item->tree.added = item->mass_scaled ? item->swings.added : NULL;
        if (item->mass_scaled) {
            sn_agent_count(&set->agents[i], SN_COUNTER_MASS_SCALED);
        }
        item->last_step = h;
        if (item->ties != NULL) {
            item->ties->in_parts = false;
        }
        bool begun =
            begin_item(item, set->agents[i].time, h, sn_agent_q(set, i), sn_agent_v(set, i));
        set->agents[i].failed = begun ? SN_FAILURE_NONE : failure_of(item);
    }
}

// Factors and sums up what acts, from wrenches on links and forces in joints, both held over the
// step; item->force has room for both.
static bool push_item(sn_articulation *item, sn_vec3 gravity, const sn_tree_inertia *resistance,
                      double *force)
{
    sn_tree_step *step = &item->step;
    double *past = item->force + 2 * item->tree.v_count;
    bool armed = item->sprung && sn_tie_springs(item->freedoms, &item->tree, step, item->last_time,
                                                past, item->weight, force, item->armature);
    sn_tree_step_resist(step, armed ? item->armature : NULL, resistance);
    if (resistance != NULL) { // -D (V' - V-) / 2, of which -D V' / 2 is the step's business
        double per_step = 1.0 / (step->h * step->h);
        item->wrenched = true;
        sn_tree_step_past(step, &item->tree, past);
        sn_tree_velocity(&item->tree, past, item->velocity);
        for (int i = 0; i < item->tree.count; ++i) {
            item->wrench[i] = sn_spatial_add_scaled(item->wrench[i], -per_step,
                                                    resisted(&resistance[i], &item->velocity[i]));
        }
        item->moving = false;
    }
    return sn_tree_step_push(step, &item->tree, gravity, item->wrenched ? item->wrench : NULL,
                             force);
}

static void articulation_free_step(sn_agent_set *set, int first, int last, sn_vec3 gravity,
                                   double h)
{
    for (int i = first; i < last; ++i) {
        if (sn_integrator_is_staged(set->agents[i].integrator) || set->agents[i].held) {
            continue;
        }
        sn_articulation *item = sn_articulation_of(set, i);
        wrench_on_links(item, sn_agent_force(set, i), set->agents[i].part_count);
        memcpy(item->force, set->joint_force + set->agents[i].v_first,
               (size_t)item->tree.v_count * sizeof *item->force);
        bool pushed = push_item(item, gravity, resistance_of(set, i, h), item->force);
        item->loose = pushed;
        if (!pushed && !set->agents[i].failed) {
            set->agents[i].failed = failure_of(item);
        }
    }
}

// Impulses of contact as forces over the whole step.
static void hold_contact(sn_articulation *item, double h)
{
    item->wrenched = true;
    for (int j = 0; j < item->tree.v_count; ++j) {
        item->force[j] += item->pushed[j] / h;
    }
    for (int i = 0; i < item->tree.count; ++i) {
        item->wrench[i] = sn_spatial_add_scaled(item->wrench[i], 1.0 / h, item->borne[i]);
    }
}

// Forces that are numbers, and no motion that must be followed.
static bool may_stop(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    const sn_spatial *acting = sn_agent_force(set, agent);
    bool may = item->ties == NULL || !item->ties->rows.failed;
    for (int i = 0; i < head->part_count && may; ++i) {
        may = sn_vec3_is_finite(acting[i].linear) && sn_vec3_is_finite(acting[i].angular);
    }
    for (int j = 0; j < item->tree.v_count && may; ++j) {
        may = isfinite(set->joint_force[head->v_first + j]) &&
              item->freedoms[j].drive.type != SN_DRIVE_MOTION;
    }
    return may;
}

// Parts of a step are 1/256 of it and up.
enum { WHOLE = 256 };

// Of a tree without ties, which is damped where not even the smallest part does.
static bool advance_tree(sn_articulation *item, bool smallest, double *q, double *v)
{
    return sn_tree_step_advance(&item->step, &item->tree, q, v) ||
           (smallest && sn_tree_step_recover(&item->step, &item->tree, q, v));
}

// Sets out from q and v at `time`, for a part of a step of h, with forces held over the step but
// for those of springs.
static bool set_out(sn_agent_set *set, int agent, double time, double part, double h)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    sn_vec3 gravity = item->step.gravity;
    bool begun = begin_item(item, time, part, sn_agent_q(set, agent), sn_agent_v(set, agent));
    wrench_on_links(item, sn_agent_force(set, agent), head->part_count);
    memcpy(item->force, set->joint_force + head->v_first,
           (size_t)head->v_count * sizeof *item->force);
    if (item->touched) {
        hold_contact(item, h);
    }
    return begun && push_item(item, gravity, resistance_of(set, agent, part), item->force);
}

// A part of a step of h from (q, v). Its loads are added to those of the parts before it; `first`:
// there are none yet.
static bool take_part(sn_agent_set *set, int agent, double h, int done, int count, bool first)
{
    double time = set->agents[agent].time + h * done / WHOLE, part = h * count / WHOLE;
    sn_articulation *item = sn_articulation_of(set, agent);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    bool arrived = set_out(set, agent, time, part, h);
    if (arrived && item->ties != NULL) {
        item->ties->smallest = count == 1;
        arrived = sn_tie_step_advance(item->ties, &item->step, &item->tree, time, q, v);
        item->ties->smallest = false;
        if (arrived) {
            sn_articulation_add_part_loads(item, part / h, first);
        }
    } else if (arrived) {
        arrived = advance_tree(item, count == 1, q, v);
    }
    forget_place(item);
    return arrived;
}

// Was the last part so good that one of twice its length will do?
static bool may_grow(const sn_articulation *item)
{
    return item->ties != NULL ? item->ties->off < 0.25 : 4.0 * item->step.jump < item->step.limit;
}

static void go_back(sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    memcpy(sn_agent_q(set, agent), set->q_last + head->q_first,
           (size_t)head->q_count * sizeof(double));
    memcpy(sn_agent_v(set, agent), set->v_last + head->v_first,
           (size_t)head->v_count * sizeof(double));
}

// Whether something drives it faster than anything could follow, from the start of the step. It
// would do so again.
static bool is_overdriven(sn_agent_set *set, int agent, double h)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    go_back(set, agent);
    bool overdriven = set_out(set, agent, set->agents[agent].time, h, h) &&
                      !sn_tree_step_can_follow(&item->step, &item->tree);
    go_back(set, agent);
    forget_place(item);
    return overdriven;
}

// A step that cannot be followed as a whole goes in parts from its start, each as long as goes
// well. Its loads are the mean of theirs. What not even the smallest part can follow, as a needle
// that a blow lets whirl between its limits, stays where it is for that time, where its ties hold,
// and a step of such parts halves its velocity: it loses energy until it can be followed again.
static bool take_in_parts(sn_agent_set *set, int agent, double h)
{
    const double slower = 0.99729605608547; // 1/2 to the power of 1/256
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_agent *head = &set->agents[agent];
    double *v = sn_agent_v(set, agent);
    int stood = 0;
    bool first = true, damped = false;
    go_back(set, agent);
    for (int part = WHOLE / 2, done = 0; done < WHOLE;) {
        bool arrived = take_part(set, agent, h, done, part, first);
        if (!arrived && part > 1 && !(item->ties != NULL && item->ties->rows.failed)) {
            part /= 2;
            continue;
        }
        if (!arrived && !may_stop(set, agent)) {
            return false;
        }
        damped = damped || (item->ties == NULL && part == 1 && item->step.damped > 0);
        for (int j = 0; j < head->v_count && !arrived; ++j) {
            v[j] *= slower;
        }
        stood += !arrived;
        first = first && !arrived;
        done += part;
        head->sub_steps += 1;
        bool grows = arrived && part < WHOLE / 2 && done % (2 * part) == 0;
        part = grows && may_grow(item) ? 2 * part : part;
    }
    bool stopped = stood == WHOLE;
    if (damped || stood > 0) {
        sn_agent_count(head, SN_COUNTER_DAMPED);
    }
    if (stopped && is_overdriven(set, agent, h)) {
        head->failed = SN_FAILURE_TOO_FAST;
        return false;
    }
    if (stopped) {
        sn_agent_count(head, SN_COUNTER_STOPPED);
    }
    for (int j = 0; j < head->v_count && stopped; ++j) {
        v[j] *= 0.5; // from the start again
    }
    return true;
}

// Of a tree without ties. `resisted`: springs and dampers are each part's own.
static bool divide_tree_step(sn_agent_set *set, int agent, double h, bool resisted)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_agent *head = &set->agents[agent];
    sn_agent_count(head, SN_COUNTER_DIVIDED);
    if (resisted) {
        return take_in_parts(set, agent, h);
    }
    bool arrived = sn_tree_step_recover(&item->step, &item->tree, sn_agent_q(set, agent),
                                        sn_agent_v(set, agent));
    head->sub_steps = item->step.parts;
    if (item->step.damped > 0) {
        sn_agent_count(head, SN_COUNTER_DAMPED);
    }
    return arrived;
}

static void count_ties(sn_agent *head, const sn_tie_work *ties)
{
    if (ties->damped) {
        sn_agent_count(head, SN_COUNTER_DAMPED);
    }
    if (ties->residual > 0.0) {
        sn_agent_count(head, SN_COUNTER_UNCONVERGED);
        head->residual = (float)ties->residual;
    }
}

static void articulation_advance(sn_agent_set *set, int first, int last, double h)
{
    for (int i = first; i < last; ++i) {
        sn_agent *head = &set->agents[i];
        if (sn_integrator_is_staged(head->integrator) || head->held) {
            continue;
        }
        sn_articulation *item = sn_articulation_of(set, i);
        double *q = sn_agent_q(set, i), *v = sn_agent_v(set, i);
        bool arrived = !head->failed;
        if (item->ties != NULL && head->failed != SN_FAILURE_MEMORY) {
            item->ties->damped = false;
            item->ties->residual = 0.0;
            arrived = arrived && sn_tie_step_advance(item->ties, &item->step, &item->tree,
                                                     item->last_time, q, v);
            if (!arrived) {
                sn_agent_count(head, SN_COUNTER_DIVIDED);
                arrived = take_in_parts(set, i, h);
            }
            count_ties(head, item->ties);
            head->failed = head->failed == SN_FAILURE_TOO_FAST ? head->failed : SN_FAILURE_NONE;
        } else if (arrived) {
            bool resisted = item->step.armature != NULL || item->step.resistance != NULL;
            arrived = sn_tree_step_advance(&item->step, &item->tree, q, v);
            item->step.damped = 0;
            arrived = arrived || divide_tree_step(set, i, h, resisted);
        }
        if (!arrived && !head->failed) {
            head->failed = failure_of(item);
        }
        forget_place(item);
        item->known = arrived;
    }
}

// ---- integrators of their own ----

void sn_articulation_push(const sn_agent_set *set, int agent, sn_vec3 gravity, double *push)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    sn_tree *tree = &item->tree;
    sn_articulation_place_true(set, agent);
    const sn_spatial *wrench =
        wrench_on_links(item, sn_agent_force(set, agent), set->agents[agent].part_count);
    double *still = item->force + tree->v_count;
    memset(still, 0, (size_t)tree->v_count * sizeof *still);
    sn_tree_inverse(tree, v, still, gravity, wrench,
                    push); // what the joints must give to stay without acceleration
    double *force = joint_forces(set, agent, q, v);
    if (item->sprung || item->ties != NULL) {
        sn_tie_forces(item->freedoms, item->ties != NULL ? &item->ties->modes : NULL, tree,
                      set->now, q, v, force);
    }
    for (int j = 0; j < tree->v_count; ++j) {
        push[j] = force[j] - push[j];
    }
}

bool sn_articulation_accelerations(const sn_agent_set *set, int agent, sn_vec3 gravity, double *a)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    sn_tree *tree = &item->tree;
    sn_articulation_push(set, agent, gravity, a);
    if (item->ties != NULL) {
        sn_tie_state state = {set->now, q, v};
        sn_tie_mode_forces(item->ties, tree, &state, a, a);
    }
    if (item->ties == NULL || !item->ties->ready) {
        sn_tree_factorise(tree, NULL);
    }
    sn_tree_solve(tree, a, a);
    return item->ties == NULL || sn_tie_rate(item->ties, tree, set->now, gravity, q, v, a);
}

static void articulation_rate(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                              double *v_rate)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    sn_tree *tree = &item->tree;
    if (!sn_articulation_accelerations(set, agent, gravity, v_rate)) {
        for (int j = 0; j < tree->v_count; ++j) {
            v_rate[j] = NAN; // out of memory
        }
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        if (link->joint == SN_TREE_BALL) {
            const double *turn = q + link->q;
            sn_quat rate = sn_quat_derivative_body((sn_quat){turn[0], turn[1], turn[2], turn[3]},
                                                   sn_vec3_at(v + link->v));
            q_rate[link->q] = rate.w;
            sn_vec3_put(q_rate + link->q + 1, sn_vec3_make(rate.x, rate.y, rate.z));
        } else {
            memcpy(q_rate + link->q, v + link->v,
                   (size_t)sn_tree_joint_v(link->joint) * sizeof *q_rate);
        }
    }
}

// ---- measuring ----

// Of a soft limit, whose spring begins where it does; a ball has an upper one alone.
static double limit_energy(const sn_limit_def *limit, double at, bool ball)
{
    double beyond = fmax(at - limit->upper, ball ? 0.0 : limit->lower - at);
    return beyond > 0.0 ? 0.5 * limit->stiffness * beyond * beyond : 0.0;
}

static double spring_energy(const sn_articulation *item, const double *q)
{
    double energy = 0.0;
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        const sn_freedom_def *own = item->freedoms + link->v;
        if (link->joint == SN_TREE_BALL) {
            sn_vec3 turn = ball_turn(q + link->q);
            energy += 0.5 * own->stiffness * sn_dot(turn, turn);
            energy += limit_energy(&own->limit, sn_length(turn), true);
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            double stretch = q[link->q + k] - own[k].rest;
            energy += 0.5 * own[k].stiffness * stretch * stretch;
            energy += limit_energy(&own[k].limit, q[link->q + k], false);
        }
    }
    return energy;
}

static void articulation_measure(const sn_agent_set *set, int agent, sn_vec3 gravity,
                                 sn_measure *measure)
{
    move(set, agent);
    const sn_articulation *item = sn_articulation_of(set, agent);
    *measure = (sn_measure){.potential = spring_energy(item, sn_agent_q(set, agent))};
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        const sn_tree_pose *pose = &item->tree.pose[i];
        sn_vec3 velocity = point_velocity(item, i, pose->centre),
                momentum = sn_vec3_scale(link->mass, velocity);
        sn_vec3 w = sn_mat3_apply_transpose(pose->rotation, item->velocity[i].angular);
        sn_vec3 spin = sn_mat3_apply(link->inertia, w);
        measure->kinetic += sn_kinetic_energy(velocity, momentum, w, spin);
        if (item->mass_scaled) {
            measure->added += 0.5 * sn_dot(w, sn_sym3_apply(&item->swings.added[i].inertia, w));
        }
        measure->potential -= link->mass * sn_dot(gravity, pose->centre);
        measure->momentum = sn_vec3_add(measure->momentum, momentum);
        sn_vec3 about_origin =
            sn_vec3_add(sn_mat3_apply(pose->rotation, spin), sn_cross(pose->centre, momentum));
        measure->angular_momentum = sn_vec3_add(measure->angular_momentum, about_origin);
    }
}

static void articulation_release(sn_agent_set *set)
{
    sn_articulation_set_free((sn_articulation_set *)set);
}

static bool articulation_copy(const sn_agent_set *set, sn_agent_set *copy)
{
    return sn_articulation_set_copy((const sn_articulation_set *)set, (sn_articulation_set *)copy);
}

const sn_agent_type sn_articulation_type = {
    .name = "articulation",
    .traits = {.jointed = true},
    .chart = &sn_articulation_chart,
    .switching = &sn_articulation_switching,
    .contact = &sn_articulation_contact,
    .has_joints = true,
    .begin = articulation_begin,
    .free_step = articulation_free_step,
    .advance = articulation_advance,
    .part = articulation_part,
    .rate = articulation_rate,
    .restore = articulation_restore,
    .touch = articulation_touch,
    .bounds = articulation_bounds,
    .measure = articulation_measure,
    .balance = sn_articulation_balance,
    .mass = sn_articulation_mass,
    .pace = sn_articulation_pace,
    .can_rest = sn_articulation_can_rest,
    .point = sn_agent_point,
    .push_point = sn_agent_push_point,
    .hold_point = sn_agent_hold_point,
    .release = articulation_release,
    .copy = articulation_copy,
};

// ---- the set ----

void sn_articulation_set_init(sn_articulation_set *set)
{
    *set = (sn_articulation_set){.agents = {.type = &sn_articulation_type}};
}

static void free_item(sn_articulation *item)
{
    if (item != NULL) {
        for (int j = 0; item->freedoms != NULL && j < item->tree.v_count; ++j) {
            sn_motion_release(item->freedoms[j].drive.motion);
        }
        sn_tie_work_free(item->ties);
        sn_tree_swings_free(&item->swings);
        sn_tree_free(&item->tree);
        sn_tree_step_free(&item->step);
        sn_free(item->parts);
        sn_free(item->freedoms);
        sn_free(item->wrench);
        sn_free(item->resistance);
        sn_free(item->force);
        sn_free(item->borne);
        sn_free(item->way);
        sn_free(item->turns);
        sn_free(item->freedom_load);
        sn_free(item);
    }
}

void sn_articulation_set_free(sn_articulation_set *set)
{
    for (int i = 0; i < set->agents.count; ++i) {
        free_item(set->items[i]);
    }
    sn_free(set->items);
    sn_agent_set_free(&set->agents);
    sn_articulation_set_init(set);
}

static const sn_freedom_def idle = {.limit = {.lower = -INFINITY, .upper = INFINITY},
                                    .drive = {.force_limit = INFINITY}};

static bool allocate_item(sn_articulation *item, const sn_tree *tree, int part_count)
{
    size_t links = (size_t)tree->count, freedoms = (size_t)tree->v_count;
    bool made = sn_tree_copy(tree, &item->tree) && sn_tree_step_allocate(&item->step, tree) &&
                sn_tree_swings_allocate(&item->swings, &item->tree);
    if (made && sn_tree_step_can_keep(tree)) { // which puts right more than turns leave open
        item->step.keeps = true;
        item->step.tolerance = 5e-8;
    }
    item->parts = sn_allocate((size_t)part_count * sizeof *item->parts);
    item->freedoms = sn_allocate_zero(freedoms * sizeof *item->freedoms);
    item->wrench = sn_allocate_zero(3 * links * sizeof *item->wrench);
    item->resistance = sn_allocate_zero(links * sizeof *item->resistance);
    item->force = sn_allocate_zero(7 * freedoms * sizeof *item->force);
    item->borne = sn_allocate_zero(2 * links * sizeof *item->borne);
    item->freedom_load = sn_allocate_zero(freedoms * sizeof *item->freedom_load);
    item->way = sn_allocate_zero(links * sizeof *item->way);
    item->turns = sn_allocate_zero(links * sizeof *item->turns);
    if (!made || item->parts == NULL || item->freedoms == NULL || item->wrench == NULL ||
        item->resistance == NULL || item->force == NULL || item->borne == NULL ||
        item->freedom_load == NULL || item->way == NULL || item->turns == NULL) {
        return false;
    }
    item->velocity = item->wrench + links;
    item->load = item->velocity + links;
    item->armature = item->force + 4 * freedoms;
    item->weight = item->armature + freedoms;
    item->pushed = item->weight + freedoms;
    item->struck = item->borne + links;
    return true;
}

static sn_articulation *make_item(const sn_articulation_def *def)
{
    sn_articulation *item = sn_allocate_zero(sizeof *item);
    if (item == NULL || !allocate_item(item, def->tree, def->part_count)) {
        free_item(item);
        return NULL;
    }
    if (def->part_count > 0) {
        memcpy(item->parts, def->parts, (size_t)def->part_count * sizeof *def->parts);
    }
    for (int j = 0; j < def->tree->v_count; ++j) {
        item->freedoms[j] = def->freedoms != NULL ? def->freedoms[j] : idle;
        sn_motion_retain(item->freedoms[j].drive.motion);
    }
    sn_articulation_sum_freedoms(item);
    if (sn_tie_work_is_needed(def->tree, item->freedoms, def->tie_count)) {
        item->ties = sn_tie_work_make(def->tree, def->ties, def->tie_count, def->terms,
                                      def->term_count, item->freedoms);
        if (item->ties == NULL) {
            free_item(item);
            return NULL;
        }
    }
    return item;
}

static bool reserve_items(sn_articulation_set *set)
{
    if (set->agents.capacity <= set->capacity) {
        return true;
    }
    sn_articulation **items =
        sn_reallocate(set->items, (size_t)set->agents.capacity * sizeof(void *));
    if (items == NULL) {
        return false;
    }
    set->items = items;
    set->capacity = set->agents.capacity;
    return true;
}

int sn_articulation_add(sn_articulation_set *set, const sn_articulation_def *def)
{
    sn_agent_set *agents = &set->agents;
    int q_count = def->tree->q_count, v_count = def->tree->v_count;
    if (!sn_agent_set_reserve(agents, 1, q_count, v_count, def->part_count) ||
        !reserve_items(set)) {
        return -1;
    }
    sn_articulation *item = make_item(def);
    if (item == NULL) {
        return -1;
    }
    sn_agent head = {
        .time = def->time,
        .relative_tolerance = def->relative_tolerance,
        .absolute_tolerance = def->absolute_tolerance,
        .q_count = q_count,
        .v_count = v_count,
        .part_count = def->part_count,
        .owner = def->owner,
        .integrator = (uint8_t)def->integrator,
    };
    int agent = sn_agent_set_add(agents, &head);
    set->items[agent] = item;
    memcpy(sn_agent_q(agents, agent), def->q, (size_t)q_count * sizeof(double));
    memcpy(sn_agent_v(agents, agent), def->v, (size_t)v_count * sizeof(double));
    sn_agent_set_keep(agents, agent, agent + 1);
    return agent;
}

static sn_articulation *copy_item(const sn_articulation *from, int part_count)
{
    sn_articulation_def def = {.tree = &from->tree,
                               .parts = from->parts,
                               .part_count = part_count,
                               .freedoms = from->freedoms};
    if (from->ties != NULL) {
        def.ties = from->ties->ties;
        def.tie_count = from->ties->tie_count;
        def.terms = from->ties->terms;
        def.term_count = from->ties->term_count;
    }
    return make_item(&def);
}

bool sn_articulation_set_copy(const sn_articulation_set *set, sn_articulation_set *copy)
{
    sn_articulation_set_init(copy);
    int count = set->agents.count;
    if (!sn_agent_set_copy(&set->agents, &copy->agents)) {
        return false;
    }
    copy->agents.count = 0; // until its items are there
    bool made = reserve_items(copy);
    for (int i = 0; i < count && made; ++i) {
        copy->items[i] = copy_item(set->items[i], set->agents.agents[i].part_count);
        made = copy->items[i] != NULL;
        copy->agents.count += made;
    }
    if (!made) {
        sn_articulation_set_free(copy);
    }
    return made;
}
