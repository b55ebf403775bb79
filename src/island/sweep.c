// Fast bodies: what moves by more than a share of its own inside in a step might pass through a
// thin thing between two looks at it. Such bodies are followed from where they were to where they
// are (conservative advancement, collide/query.h), and taken back to where they first meet
// something, and strike there (strike.c). Then both go on for the rest of the step, and are
// followed anew, from where they were to where they now come: what flies together would else be
// stopped together, again and again, though nothing is in its way. What is knocked out from among
// others that it touches keeps only what it has in common with what struck it: the next step moves
// it, together with them. What still meets something after a few rounds stays where it does, and
// the rest of its way is lost. Of what overlaps, or is in contact, only the core is followed, which
// may slide along, go away and let the body turn about it, and strikes by itself where the body's
// surface is on its way out: else it would stay there for ever, at full speed.
//
// A link takes its whole mechanism back with it, along the way of its joints
// (agent/articulation_way.c), of which chords are followed: all the mechanism strikes where it now
// stands, through its joints. Mechanisms that follow prescribed motions, and slow ones that
// something fast meets, are not taken back: a free body then goes on with the link that it met.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collide/query.h"
#include "collide/torus_pairs.h"
#include "math/rotation.h"
#include "model/form.h"
#include "model/world.h"
#include "touch/touch.h"

static const double FAST = 0.25;          // of the inside's radius
static const double NEARNESS = 0.005;     // of the smaller size: where a body is stopped
static const double CORE = 0.5;           // of the inside's radius: what must never pass
static const double CORE_NEARNESS = 0.01; // of the core's radius
static const double LEAST = 1e-6;         // of either nearness: what is left to come nearer by
static const double STOPPED = 0.999;      // of the way: taken back already, unless it goes deeper
static const double CHORD = 0.25;         // rad: of a link's way, followed at a time
enum { ROUNDS = 16, GOING_ON = 8, MOST_CHORDS = 256, MOST_HALVES = 12 };

// How a shape moves in the step.
sn_sweep sn_touch_sweep(const sn_world *world, uint32_t shape)
{
    const sn_touch_shape *own = &world->touch.shapes.data[shape];
    const sn_body_record *record = &world->bodies.data[own->body];
    sn_sweep sweep = {.start = world->touch.places.data[shape].frame};
    sweep.end = sweep.start;
    if (record->agent.agent >= 0) {
        const sn_agent_set *set = world->sets[record->agent.set];
        sn_part now;
        set->type->part(set, record->agent.agent, record->agent.part, &now);
        sweep.end = sn_transform_multiply(now.frame, record->shapes[own->shape].frame);
        sweep.centre = sn_transform_point(sn_transform_inverse(sweep.end), now.centre);
    }
    return sweep;
}

static bool is_free(const sn_world *world, uint32_t body)
{
    const sn_agent_ref *ref = &world->bodies.data[body].agent;
    return ref->agent >= 0 && sn_world_traits(world, ref->set)->lone;
}

static bool is_link(const sn_world *world, uint32_t body)
{
    const sn_agent_ref *ref = &world->bodies.data[body].agent;
    return ref->agent >= 0 && sn_world_traits(world, ref->set)->jointed;
}

// The set that moves a shape's body, which does move.
static sn_agent_set *set_of(const sn_world *world, uint32_t shape)
{
    return world->sets[world->bodies.data[world->touch.shapes.data[shape].body].agent.set];
}

// The mechanism that a shape is of, or -1.
static int mechanism_of(const sn_world *world, uint32_t shape)
{
    uint32_t body = world->touch.shapes.data[shape].body;
    return is_link(world, body) ? world->bodies.data[body].agent.agent : -1;
}

// ---- ways ----

// A part of the way of a shape, from share to share: of links its chord.
static sn_sweep sweep_between(const sn_world *world, uint32_t shape, double from, double to)
{
    const sn_touch_shape *own = &world->touch.shapes.data[shape];
    const sn_body_record *record = &world->bodies.data[own->body];
    sn_sweep whole = sn_touch_sweep(world, shape), part = whole;
    double shares[2] = {from, to};
    sn_transform *ends[2] = {&part.start, &part.end};
    for (int k = 0; k < 2; ++k) {
        if (shares[k] == 0.0 || shares[k] == 1.0) {
            *ends[k] = shares[k] == 0.0 ? whole.start : whole.end;
        } else if (is_link(world, own->body)) {
            sn_transform frame = sn_articulation_on_way(set_of(world, shape), record->agent.agent,
                                                        record->agent.part, shares[k]);
            *ends[k] = sn_transform_multiply(frame, record->shapes[own->shape].frame);
        } else {
            *ends[k] = sn_sweep_at(&whole, shares[k]);
        }
    }
    return part;
}

// In how many chords the way of a shape is followed.
static int chords_of(const sn_world *world, uint32_t shape)
{
    const sn_body_record *record = &world->bodies.data[world->touch.shapes.data[shape].body];
    int mechanism = mechanism_of(world, shape);
    double turn = mechanism >= 0 ? sn_articulation_way_turn(set_of(world, shape), mechanism,
                                                            record->agent.part)
                                 : 0.0;
    return 1 + (int)fmin(turn / CHORD, MOST_CHORDS - 1);
}

// How far the way of a shape is from its chord, in the middle of it.
static double bend_of(const sn_world *world, uint32_t shape, double from, double to)
{
    if (mechanism_of(world, shape) < 0) {
        return 0.0;
    }
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    sn_sweep chord = sweep_between(world, shape, from, to);
    sn_transform along = sn_sweep_at(&chord, 0.5),
                 is = sweep_between(world, shape, 0.5 * (from + to), to).start;
    sn_vec3 turn = sn_quat_log(sn_quat_multiply(is.rotation, sn_quat_conjugate(along.rotation)));
    return sn_distance(sn_transform_point(is, chord.centre),
                       sn_transform_point(along, chord.centre)) +
           sn_length(turn) * sn_collider_reach(collider, chord.centre);
}

// ---- who is fast ----

// May its way be cut short?
static bool can_stop(const sn_world *world, uint32_t shape)
{
    uint32_t body = world->touch.shapes.data[shape].body;
    sn_agent_ref ref = world->bodies.data[body].agent;
    if (body == 0 || ref.agent < 0) {
        return false;
    }
    const sn_agent_set *set = world->sets[ref.set];
    return sn_world_traits(world, ref.set)->lone ? set->agents[ref.agent].held != 1
                                                 : sn_articulation_may_turn_back(set, ref.agent);
}

// How far the centre of a body on joints came; shapes of one body follow each other, and share it.
typedef struct centre_way {
    uint32_t body; // 0: none yet
    double length;
} centre_way;

// How far it came: links also by what the step did to them, as blows and drives may be sudden.
static double way_of(const sn_world *world, uint32_t shape, centre_way *last)
{
    double travel = world->touch.places.data[shape].travel;
    uint32_t body = world->touch.shapes.data[shape].body;
    if (last->body != body && !is_link(world, body)) {
        return travel;
    }
    if (last->body != body) {
        sn_sweep sweep = sn_touch_sweep(world, shape);
        last->body = body;
        last->length = sn_distance(sn_transform_point(sweep.start, sweep.centre),
                                   sn_transform_point(sweep.end, sweep.centre));
    }
    return fmax(travel, last->length);
}

static double inside_of(const sn_collider *collider)
{
    return collider->inner > 0.0 ? collider->inner : 0.5 * collider->size;
}

static bool is_fast(const sn_world *world, uint32_t shape, centre_way *last)
{
    if (!can_stop(world, shape)) {
        return false;
    }
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    return way_of(world, shape, last) > FAST * inside_of(collider);
}

// Does it come far by the ends of its way, as what was struck may?
static bool is_far(const sn_world *world, uint32_t shape)
{
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    sn_sweep sweep = sn_touch_sweep(world, shape);
    return sn_distance(sn_transform_point(sweep.start, collider->heart),
                       sn_transform_point(sweep.end, collider->heart)) > FAST * inside_of(collider);
}

static bool add_fast(sn_world *world, uint32_t shape)
{
    sn_touch_fast own = {mechanism_of(world, shape), shape};
    return sn_array_push(&world->touch.fast, own);
}

static int compare_fast(const void *a, const void *b)
{
    const sn_touch_fast *x = a, *y = b;
    int by_shape = (x->shape > y->shape) - (x->shape < y->shape);
    return x->mechanism != y->mechanism ? (x->mechanism > y->mechanism ? 1 : -1) : by_shape;
}

// Each once, in order.
static void sort_fast(sn_touch *touch)
{
    int kept = 0;
    if (touch->fast.count > 1) {
        qsort(touch->fast.data, (size_t)touch->fast.count, sizeof *touch->fast.data, compare_fast);
    }
    for (int i = 0; i < touch->fast.count; ++i) {
        if (kept == 0 || touch->fast.data[kept - 1].shape != touch->fast.data[i].shape) {
            touch->fast.data[kept++] = touch->fast.data[i];
        }
    }
    touch->fast.count = kept;
}

// Fast are shapes that come far by their own inside, whatever is about; and those of pairs that may
// meet without a contact, as what is slow by its own size is not by that of a thin plate. False
// when memory runs out.
static bool find_fast(sn_world *world)
{
    sn_touch *touch = &world->touch;
    centre_way last = {0};
    sn_array_clear(&touch->fast);
    for (int i = 0; i < touch->shapes.count; ++i) {
        if (is_fast(world, (uint32_t)i, &last) && !add_fast(world, (uint32_t)i)) {
            return false;
        }
    }
    for (int i = 0; i < touch->pairs.count && touch->unseen > 0; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        const uint32_t shapes[2] = {pair->a, pair->b};
        for (int k = 0; k < 2 && pair->flags & SN_PAIR_UNSEEN; ++k) {
            if (can_stop(world, shapes[k]) && !add_fast(world, shapes[k])) {
                return false;
            }
        }
    }
    sort_fast(touch);
    return true;
}

// Has a mechanism a fast link?
static bool is_swift(const sn_touch *touch, int mechanism)
{
    for (int i = 0; i < touch->fast.count; ++i) {
        if (touch->fast.data[i].mechanism == mechanism) {
            return true;
        }
    }
    return false;
}

// ---- meetings ----

typedef struct sweep_search {
    sn_world *world;
    uint32_t shape;  // whose way is looked at
    double fraction; // of the first meeting
    uint32_t other;  // with this shape
    bool core;       // which only the core has met
    bool deep;       // which is known to go deeper than a graze, as all of the core do
} sweep_search;

// Pairs that had contacts in the step are the solver's business; of them only the core is followed,
// so that what slides or rolls on another thing is not stopped by it.
static bool had_contact(const sn_touch *touch, uint32_t a, uint32_t b)
{
    const sn_pair *pair = sn_touch_find_pair(touch, a < b ? a : b, a < b ? b : a);
    return pair != NULL && pair->count > 0;
}

// Where a shape's core is: at the centre of mass, so that most of the body is on the side where its
// core is, and contacts push it back to there; where the core would not be inside of this shape, as
// in compounds, at the shape's own heart.
static sn_vec3 core_place(const sn_collider *collider, sn_vec3 centre)
{
    bool within = sn_distance(centre, collider->heart) <= (1.0 - CORE) * collider->inner;
    return within ? centre : collider->heart;
}

// Is it a ball that stays as it is while the body turns?
static bool is_core_central(const sn_world *world, uint32_t shape)
{
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    sn_vec3 centre = sn_touch_sweep(world, shape).centre;
    return collider->inner > 0.0 && sn_distance(core_place(collider, centre), centre) == 0.0;
}

// The core of a shape to another: a ball; of a torus, to what is static and it is exact to, a
// thinner one. (Rings in a heap of moving things that are held up by their cores hold up the rest:
// tried, the heap is slower to settle.) Of a radius of 0: there is none.
static sn_strike_core core_of(const sn_world *world, uint32_t shape, uint32_t other)
{
    const sn_touch_shape *shapes = world->touch.shapes.data;
    const sn_collider *collider = sn_touch_collider(world, &shapes[shape]),
                      *to = sn_touch_collider(world, &shapes[other]);
    sn_strike_core core = {.shape = shape};
    bool exact = to->type == SN_COLLIDER_PLANE || sn_is_torus_pair(collider, to);
    if (collider->tube > 0.0 && exact && world->bodies.data[shapes[other].body].agent.agent < 0) {
        core.collider = *collider;
        core.collider.tube *= CORE;
        return core;
    }
    core.collider = sn_collider_sphere(CORE * collider->inner);
    core.middle = core_place(collider, sn_touch_sweep(world, shape).centre);
    return core;
}

static double core_radius(const sn_strike_core *core)
{
    return fmax(core->collider.tube, core->collider.rounding);
}

// Two that may meet: how near is a meeting, and the core of the first instead of it (or NULL).
typedef struct approach {
    const sn_world *world;
    uint32_t shape, other;
    double nearness;
    const sn_collider *core;
    sn_vec3 middle; // of the core, in the shape's axes
} approach;

// A part of the way of the shape, or of its core.
static sn_sweep own_sweep(const approach *to, double from, double until)
{
    sn_sweep own = sweep_between(to->world, to->shape, from, until);
    if (to->core != NULL) {
        own.start.position = sn_transform_point(own.start, to->middle);
        own.end.position = sn_transform_point(own.end, to->middle);
        own.centre = sn_vec3_sub(own.centre, to->middle);
    }
    return own;
}

// The first meeting on a part of the way. Where chords are not the way itself, what they meet is
// looked at again on halves of them, until they are as good as the way.
static bool meet_between(const approach *to, double from, double until, int halves,
                         double *fraction)
{
    const sn_world *world = to->world;
    const sn_collider *of_a = sn_touch_collider(world, &world->touch.shapes.data[to->shape]),
                      *of_b = sn_touch_collider(world, &world->touch.shapes.data[to->other]);
    sn_sweep own = own_sweep(to, from, until),
             of_other = sweep_between(world, to->other, from, until);
    double at;
    of_a = to->core != NULL ? to->core : of_a;
    if (!sn_collide_impact(of_a, &own, of_b, &of_other, to->nearness, &at)) {
        return false;
    }
    double bend = bend_of(world, to->shape, from, until) + bend_of(world, to->other, from, until);
    if (halves == MOST_HALVES || !(bend > 0.5 * fabs(to->nearness))) {
        *fraction = from + at * (until - from);
        return true;
    }
    double middle = 0.5 * (from + until);
    return meet_between(to, from, middle, halves + 1, fraction) ||
           meet_between(to, middle, until, halves + 1, fraction);
}

static bool meet_on_way(const approach *to, double *fraction)
{
    int of_a = chords_of(to->world, to->shape), of_b = chords_of(to->world, to->other);
    int chords = of_a > of_b ? of_a : of_b;
    bool met = false;
    for (int i = 0; i < chords && !met; ++i) {
        met = meet_between(to, (double)i / chords, (i + 1.0) / chords, 0, fraction);
    }
    return met;
}

// What starts so near that it would not move at all: it meets the other only if it comes nearer, by
// half of what is left, so that it may slide along and go away but never come in. With nothing left
// it has to go away. What is in the other already has nothing to pass: stopped it would stay there
// for ever.
static int meet_from_near(const approach *from, const sn_collider *of_a, const sn_collider *of_b,
                          double *fraction)
{
    sn_sweep own = own_sweep(from, 0.0, 1.0), of_other = sn_touch_sweep(from->world, from->other);
    double least = LEAST * from->nearness;
    sn_vec3 on_a, on_b;
    double gap = sn_collide_distance(of_a, &own.start, of_b, &of_other.start, NULL, &on_a, &on_b);
    if (gap < -least) {
        return -1;
    }
    approach to = *from;
    to.nearness = gap > least ? 0.5 * gap : gap - 0.1 * least;
    bool leaves = gap > least || sn_collide_distance(of_a, &own.end, of_b, &of_other.end, NULL,
                                                     &on_a, &on_b) > gap;
    return !leaves || meet_on_way(&to, fraction) ? 1 : 0;
}

// Does a shape, or its core, meet another on its way? 1: at `fraction`; 0: no; -1: it is in the
// other already. What comes no deeper than contacts leave alone is none: a box that slides from one
// of two flush tiles to the next is not held up by its side. The signed distance of convex things
// is the largest of their separations over all directions, so that to go by the one found is safe
// below zero as well as above it.
static int meet(const sn_world *world, const sweep_search *s, uint32_t other, bool core,
                double *fraction, bool *deeper)
{
    const sn_collider *of_a = sn_touch_collider(world, &world->touch.shapes.data[s->shape]),
                      *of_b = sn_touch_collider(world, &world->touch.shapes.data[other]);
    double size = sn_touch_pair_size(of_a, of_b), deep;
    approach to = {world, s->shape, other, NEARNESS * size, NULL, SN_VEC3_ZERO};
    sn_strike_core within;
    if (core) {
        within = core_of(world, s->shape, other);
        if (!(core_radius(&within) > 0.0)) {
            return 0;
        }
        to.middle = within.middle;
        to.core = of_a = &within.collider;
        to.nearness = CORE_NEARNESS * core_radius(&within);
    }
    if (!meet_on_way(&to, fraction)) {
        return 0;
    }
    approach graze = to;
    graze.nearness = -SN_EXACT_OVERLAP * size;
    *deeper = !core && (sn_collider_is_convex(of_a) || sn_collider_is_convex(of_b));
    if (*deeper && !meet_on_way(&graze, &deep)) {
        return 0;
    }
    return *fraction > 0.0 ? 1 : meet_from_near(&to, of_a, of_b, fraction);
}

static bool visit(void *context, int proxy, uint32_t other)
{
    (void)proxy;
    sweep_search *s = context;
    const sn_world *world = s->world;
    const sn_touch_shape *a = &world->touch.shapes.data[s->shape],
                         *b = &world->touch.shapes.data[other];
    if (a->body == b->body || !sn_touch_may_meet(world, a, b) ||
        sn_touch_surface(world, a)->sensor || sn_touch_surface(world, b)->sensor) {
        return true;
    }
    bool core = had_contact(&world->touch, s->shape, other);
    bool deep = false;
    double fraction;
    int met = core ? 0 : meet(world, s, other, false, &fraction, &deep);
    core = core || met < 0;
    met = core ? meet(world, s, other, true, &fraction, &deep) : met;
    if (met > 0 && (fraction < s->fraction || (fraction == s->fraction && other < s->other))) {
        s->fraction = fraction;
        s->other = other;
        s->core = core;
        s->deep = deep || core;
    }
    return true;
}

static sn_aabb join(sn_aabb a, sn_aabb b)
{
    return (sn_aabb){sn_vec3_min(a.lower, b.lower), sn_vec3_max(a.upper, b.upper)};
}

// A box about the whole way of a shape. While it turns by an angle along a chord, no point is
// further from the ends than 1 - cos(angle / 2) of its reach.
static sn_aabb bounds_of_way(const sn_world *world, uint32_t shape)
{
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    int chords = chords_of(world, shape);
    sn_sweep sweep = sn_touch_sweep(world, shape);
    sn_aabb box =
        join(sn_collider_bounds(collider, &sweep.start), sn_collider_bounds(collider, &sweep.end));
    double bulge = 0.0;
    for (int i = 0; i < chords; ++i) {
        bool last = i == chords - 1; // whose end is in the box
        sn_sweep chord = chords > 1
                             ? sweep_between(world, shape, (double)i / chords, (i + 1.0) / chords)
                             : sweep;
        sn_vec3 turn = sn_sweep_turn(&chord);
        double reach = sn_collider_reach(collider, chord.centre);
        bulge = fmax(bulge, reach * fmin(0.125 * sn_dot(turn, turn), 1.0));
        box = last ? box : join(box, sn_collider_bounds(collider, &chord.end));
    }
    sn_vec3 more = {bulge, bulge, bulge};
    return (sn_aabb){sn_vec3_sub(box.lower, more), sn_vec3_add(box.upper, more)};
}

// The first thing that a shape meets on its way.
static sweep_search first_meeting(sn_world *world, uint32_t shape)
{
    sweep_search s = {.world = world, .shape = shape, .fraction = 1.0};
    sn_broad_query(world->touch.broad, bounds_of_way(world, shape), visit, &s);
    return s;
}

static sn_vec3 times(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

// Acceleration of a free body by gravity and forces.
static sn_vec3 pull_on(const sn_world *world, const sn_rigid_set *set, int agent)
{
    return sn_vec3_add_scaled(world->gravity, 1.0 / set->mass[agent].mass,
                              set->agents.force[agent].linear);
}

// The displacement of a velocity in a time. A body that rises against the pull follows its parabola
// up to the apex, and stays there: it has the energy for no more.
static sn_vec3 displacement_in(sn_vec3 velocity, sn_vec3 pull, double time)
{
    double along = sn_dot(velocity, pull), square = sn_dot(pull, pull);
    sn_vec3 straight = sn_vec3_scale(time, velocity);
    if (!(along < 0.0)) {
        return straight;
    }
    double rise = fmin(time, -along / square);
    return sn_vec3_add_scaled(straight, (rise - time) * along / square + 0.5 * rise * rise, pull);
}

// The velocity after a displacement under a constant pull: the square of its component along the
// pull changes by 2 pull . displacement, and the component across stays, as nothing acts there.
// Where that along the pull has too little energy, the one across gives the rest: none is gained.
static sn_vec3 velocity_after(sn_vec3 velocity, sn_vec3 pull, sn_vec3 displacement)
{
    double square = sn_dot(pull, pull), work = 2.0 * sn_dot(pull, displacement);
    if (!(square > 0.0)) {
        return velocity;
    }
    double share = sn_dot(velocity, pull) / square, now = share * share * square + work;
    sn_vec3 across = sn_vec3_add_scaled(velocity, -share, pull);
    if (now < 0.0) {
        double left = sn_dot(across, across);
        return sn_vec3_scale(left + now > 0.0 ? sqrt((left + now) / left) : 0.0, across);
    }
    return sn_vec3_add_scaled(across, copysign(sqrt(now / square), share), pull);
}

// Puts a body elsewhere on its way with its momentum and angular momentum, but for what gravity and
// forces did, or will do, between, as if they had acted up to there. An uneven one that is turned
// may need more energy than it has, and then gets only what it has. Taken back step after step it
// would fall, or whirl, ever faster where it stands.
static void put_on_way(sn_world *world, sn_agent_ref ref, sn_transform frame)
{
    sn_rigid_set *set = (sn_rigid_set *)world->sets[ref.set];
    int agent = ref.agent;
    double *v = sn_agent_v(&set->agents, agent), *q = sn_agent_q(&set->agents, agent);
    sn_vec3 inertia = set->mass[agent].inertia, velocity = sn_vec3_at(v), spin = sn_vec3_at(v + 3);
    sn_vec3 momentum = sn_rotate(sn_rigid_pose(q).rotation, times(inertia, spin));
    double energy = sn_dot(spin, times(inertia, spin));
    sn_vec3 from = sn_rigid_pose(q).position;
    sn_rigid_set_frame(set, agent, frame);
    sn_vec3 way = sn_vec3_sub(sn_rigid_pose(q).position, from);
    velocity = velocity_after(velocity, pull_on(world, set, agent), way);
    sn_vec3 own = sn_rotate_inverse(sn_rigid_pose(q).rotation, momentum);
    spin = sn_vec3_make(own.x / inertia.x, own.y / inertia.y, own.z / inertia.z);
    double needed = sn_dot(spin, own);
    spin = needed > energy ? sn_vec3_scale(sqrt(energy / needed), spin) : spin;
    sn_vec3_put(v, velocity);
    sn_vec3_put(v + 3, spin);
}

// Takes a free body back to where it was at a share of its way; what stops its core does not keep
// it from turning about it: held in its turn it would look the same in every step, and might never
// come out. What it met there (`met`, or the shape itself for nothing) carries it on from there, if
// that is a link, which stays where it is.
static void take_back(sn_world *world, uint32_t shape, double fraction, uint32_t met, bool core)
{
    const sn_touch_shape *own = &world->touch.shapes.data[shape];
    const sn_body_record *record = &world->bodies.data[own->body];
    sn_sweep sweep = sn_touch_sweep(world, shape);
    sn_transform local = record->shapes[own->shape].frame;
    sn_transform place = sn_sweep_at(&sweep, fraction);
    if (core && is_core_central(world, shape)) {
        sn_vec3 centre = sn_transform_point(place, sweep.centre);
        place.rotation = sweep.end.rotation;
        place.position = sn_vec3_sub(centre, sn_rotate(place.rotation, sweep.centre));
    }
    if (met != shape && is_link(world, world->touch.shapes.data[met].body)) {
        sn_sweep of_met = sn_touch_sweep(world, met);
        sn_transform back = sn_transform_inverse(sn_sweep_at(&of_met, fraction));
        place = sn_transform_multiply(of_met.end, sn_transform_multiply(back, place));
    }
    sn_transform frame = sn_transform_multiply(place, sn_transform_inverse(local));
    put_on_way(world, record->agent, frame);
}

// The rest of its motion in this step is lost.
static void count_restored(sn_world *world, uint32_t shape)
{
    int agent = world->bodies.data[world->touch.shapes.data[shape].body].agent.agent;
    sn_agent_count(&set_of(world, shape)->agents[agent], SN_COUNTER_RESTORED_BODIES);
}

// What two ways have in common: the shortest that lies between both; none with a thing at rest.
static sn_vec3 common_way(const sn_sweep *a, const sn_sweep *b)
{
    sn_vec3 way = sn_sweep_travel(a), between = sn_vec3_sub(sn_sweep_travel(b), way);
    double square = sn_dot(between, between);
    double share = square > 0.0 ? -sn_dot(way, between) / square : 0.0;
    return sn_vec3_add_scaled(way, fmin(fmax(share, 0.0), 1.0), between);
}

// Lets a free body that was taken back go on by a way, and turn. False when memory runs out.
static bool go_on(sn_world *world, uint32_t shape, sn_vec3 way, sn_quat rotation)
{
    sn_touch *touch = &world->touch;
    const sn_touch_shape *own = &touch->shapes.data[shape];
    const sn_body_record *record = &world->bodies.data[own->body];
    sn_sweep now = sn_touch_sweep(world, shape);
    sn_vec3 centre = sn_vec3_add(sn_transform_point(now.end, now.centre), way);
    sn_transform place = {.rotation = rotation};
    place.position = sn_vec3_sub(centre, sn_rotate(rotation, now.centre));
    sn_transform local = record->shapes[own->shape].frame;
    put_on_way(world, record->agent, sn_transform_multiply(place, sn_transform_inverse(local)));
    bool kept = true;
    for (int i = 0; i < sn_form_touching(record->form); ++i) {
        uint32_t each = (uint32_t)(record->touch + i);
        sn_broad_move(touch->broad, touch->shapes.data[each].proxy, bounds_of_way(world, each),
                      SN_VEC3_ZERO);
        kept = kept && (!is_far(world, each) || add_fast(world, each));
    }
    return kept;
}

static sn_part part_of(const sn_world *world, uint32_t shape)
{
    sn_agent_ref ref = world->bodies.data[world->touch.shapes.data[shape].body].agent;
    sn_part now;
    world->sets[ref.set]->type->part(world->sets[ref.set], ref.agent, ref.part, &now);
    return now;
}

// Does a strike leave a body on its way, or has it nothing else in contact?
static bool is_let_go(const sn_world *world, uint32_t shape, sn_vec3 before)
{
    const double turned = 0.5; // of its velocity
    const sn_touch *touch = &world->touch;
    int number = sn_touch_agent_number(world, touch->places.data[shape].side);
    sn_vec3 now = part_of(world, shape).velocity;
    return touch->islands.of.data[number] < 0 ||
           sn_distance(now, before) <= turned * sn_length(before);
}

// Two that met, of which the second need not be a free body.
typedef struct encounter {
    uint32_t shapes[2];
    int free;            // how many of them
    sn_sweep ways[2];    // before they struck
    sn_vec3 velocity[2]; // likewise
    double fraction;
} encounter;

static encounter encounter_of(const sn_world *world, const sweep_search *s)
{
    encounter e = {.shapes = {s->shape, s->other}, .free = 1, .fraction = s->fraction};
    e.free += is_free(world, world->touch.shapes.data[s->other].body);
    for (int k = 0; k < e.free; ++k) {
        e.ways[k] = sn_touch_sweep(world, e.shapes[k]);
        e.velocity[k] = part_of(world, e.shapes[k]).velocity;
    }
    return e;
}

// Both go on from where they struck: with the velocities they have now, or with what they had in
// common before.
static bool go_on_both(sn_world *world, const encounter *e, double h)
{
    double rest = 1.0 - e->fraction;
    bool let_go = true, kept = true;
    for (int k = 0; k < e->free; ++k) {
        let_go = let_go && is_let_go(world, e->shapes[k], e->velocity[k]);
    }
    sn_vec3 common = e->free > 1 ? common_way(&e->ways[0], &e->ways[1]) : SN_VEC3_ZERO;
    for (int k = 0; k < e->free; ++k) {
        uint32_t shape = e->shapes[k];
        int agent = world->bodies.data[world->touch.shapes.data[shape].body].agent.agent;
        sn_vec3 way = sn_vec3_scale(rest, common);
        sn_quat rotation = e->ways[k].end.rotation;
        if (!let_go) {
            count_restored(world, shape);
        } else {
            sn_part now = part_of(world, shape);
            const sn_rigid_set *set = (const sn_rigid_set *)set_of(world, shape);
            way = displacement_in(now.velocity, pull_on(world, set, agent), rest * h);
            rotation = sn_quat_multiply(sn_quat_exp(sn_vec3_scale(rest * h, now.angular_velocity)),
                                        sn_touch_sweep(world, shape).end.rotation);
        }
        if (set_of(world, shape)->agents[agent].held != 1) {
            kept = go_on(world, shape, way, rotation) && kept;
        }
    }
    return kept;
}

void sn_touch_take_back(sn_world *world, uint32_t shape, double share)
{
    uint32_t body = world->touch.shapes.data[shape].body;
    sn_agent_ref ref = world->bodies.data[body].agent;
    sn_agent_set *links = world->sets[ref.set];
    if (is_link(world, body) && sn_articulation_may_turn_back(links, ref.agent)) {
        sn_articulation_take_back(links, ref.agent, world->gravity, share);
    } else if (is_link(world, body)) {
        sn_world_stand(world, ref);
    } else if (is_free(world, body)) {
        take_back(world, shape, share, shape, false);
        count_restored(world, shape);
        if (!(share > 0.0)) { // to the bit
            sn_agent_set *set = world->sets[ref.set];
            const sn_agent *head = &set->agents[ref.agent];
            memcpy(sn_agent_q(set, ref.agent), set->q_last + head->q_first,
                   (size_t)head->q_count * sizeof(double));
        }
    }
}

// Takes two bodies back to where they met, with their mechanisms, where they strike. Free ones go
// on from there for the rest of the step's `h`; with an `h` of 0 they stay.
static sn_status stop(sn_world *world, const sweep_search *s, double h, sn_error *error)
{
    const sn_touch *touch = &world->touch;
    int own = mechanism_of(world, s->shape), met = mechanism_of(world, s->other);
    bool back = met >= 0 && (own >= 0 || is_swift(touch, met)) && can_stop(world, s->other);
    bool on = h > 0.0 && own < 0 && met < 0;
    encounter both = {0};
    if (on) {
        both = encounter_of(world, s);
    }
    if (own >= 0) {
        sn_articulation_take_back(set_of(world, s->shape), own, world->gravity, s->fraction);
    } else {
        take_back(world, s->shape, s->fraction, back ? s->shape : s->other, s->core && !on);
        if (!on) {
            count_restored(world, s->shape);
        }
    }
    if (back && met != own) {
        sn_articulation_take_back(set_of(world, s->other), met, world->gravity, s->fraction);
    } else if (is_free(world, touch->shapes.data[s->other].body)) {
        take_back(world, s->other, s->fraction, s->other, false);
        if (!on) {
            count_restored(world, s->other);
        }
    }
    double size = sn_touch_pair_size(sn_touch_collider(world, &touch->shapes.data[s->shape]),
                                     sn_touch_collider(world, &touch->shapes.data[s->other]));
    sn_status status =
        sn_world_strike(world, s->shape, s->other, 2.0 * NEARNESS * size, NULL, error);
    if (status == SN_OK && s->core) { // the rest of it may be on its way out, and turn about it
        sn_strike_core core = core_of(world, s->shape, s->other);
        double margin = 2.0 * CORE_NEARNESS * core_radius(&core);
        status = sn_world_strike(world, s->shape, s->other, margin, &core, error);
    }
    bool kept = status != SN_OK || !on || go_on_both(world, &both, h);
    return kept ? status : sn_fail_memory(error, sizeof(sn_touch_fast));
}

// The first meeting of a free body, or of any link of a mechanism: the one at `first` of those that
// are fast, and in `*next` where the next of them is.
static sweep_search first_of_all(sn_world *world, int first, int *next)
{
    const sn_touch *touch = &world->touch;
    sweep_search best = first_meeting(world, touch->fast.data[first].shape);
    int mechanism = touch->fast.data[first].mechanism, i = first + 1;
    for (; mechanism >= 0 && i < touch->fast.count && touch->fast.data[i].mechanism == mechanism;
         ++i) {
        sweep_search s = first_meeting(world, touch->fast.data[i].shape);
        best = s.fraction < best.fraction ? s : best;
    }
    *next = i;
    return best;
}

// A mechanism that was taken back to where it was has no way left to be followed on; `*next` is
// then where the next of those that are fast is.
static bool is_on_way(const sn_world *world, int first, int *next)
{
    const sn_touch *touch = &world->touch;
    int mechanism = touch->fast.data[first].mechanism;
    *next = first + 1;
    if (mechanism < 0 ||
        sn_articulation_is_moved(set_of(world, touch->fast.data[first].shape), mechanism)) {
        return true;
    }
    while (*next < touch->fast.count && touch->fast.data[*next].mechanism == mechanism) {
        *next += 1;
    }
    return false;
}

sn_status sn_world_stop_tunnelling(sn_world *world, double h, sn_error *error)
{
    sn_touch *touch = &world->touch;
    if (!find_fast(world)) {
        return sn_fail_memory(error, sizeof(sn_touch_fast));
    }
    if (touch->fast.count == 0) {
        return SN_OK;
    }
    sn_broad_update(touch->broad);
    // What is taken back may be met by others where it now stays: again, until none is.
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; ++round) {
        int count = touch->fast.count; // those that begin to be fast now come in the next round
        moved = false;
        for (int i = 0, next; i < count; i = next) {
            if (!is_on_way(world, i, &next)) {
                continue;
            }
            sweep_search s = first_of_all(world, i, &next);
            if (s.fraction >= (s.deep ? 1.0 : STOPPED)) {
                continue;
            }
            sn_status status = stop(world, &s, round < GOING_ON ? h : 0.0, error);
            if (status != SN_OK) {
                return status;
            }
            moved = true;
        }
        sort_fast(touch);
        sn_broad_update(touch->broad);
    }
    return SN_OK;
}
