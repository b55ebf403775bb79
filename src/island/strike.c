// The impact of two things that met within a step, where a fast one was stopped (sweep.c), at that
// moment and in those places. The step's own solver sees bodies in the middle of a step, which a
// fast one would spend far from where it struck: the arms of its impulses would be as long as its
// way. All points at which the two touch strike together (solve/impact.h), so that energy never
// grows; momentum and angular momentum are kept.
#include <math.h>

#include "base/error.h"
#include "collide/collide.h"
#include "model/world.h"
#include "solve/exact.h"
#include "solve/surface_mix.h"
#include "touch/touch.h"

// One of the two: a free body, or what stands still (agent -1).
typedef struct striker {
    int agent;
    sn_part part;
    double inverse_mass;
    sn_mat3 inverse_inertia; // world axes
} striker;

static striker striker_of(const sn_world *world, const sn_body_record *record)
{
    striker own = {.agent = record->agent.agent};
    if (own.agent < 0) {
        return own;
    }
    const sn_rigid_set *set = &world->rigid;
    set->agents.type->part(&set->agents, own.agent, 0, &own.part);
    const sn_rigid_mass *mass = &set->mass[own.agent];
    sn_quat turn = sn_rigid_pose(sn_agent_q(&set->agents, own.agent)).rotation;
    sn_mat3 axes = sn_quat_to_mat3(turn);
    sn_vec3 inverse = {1.0 / mass->inertia.x, 1.0 / mass->inertia.y, 1.0 / mass->inertia.z};
    own.inverse_mass = 1.0 / mass->mass;
    own.inverse_inertia = sn_mat3_multiply(sn_mat3_multiply(axes, sn_mat3_diagonal(inverse)),
                                           sn_mat3_transpose(axes));
    return own;
}

static void push(striker *own, sn_vec3 place, sn_vec3 impulse)
{
    sn_vec3 moment = sn_cross(sn_vec3_sub(place, own->part.centre), impulse);
    own->part.velocity = sn_vec3_add_scaled(own->part.velocity, own->inverse_mass, impulse);
    own->part.angular_velocity =
        sn_vec3_add(own->part.angular_velocity, sn_mat3_apply(own->inverse_inertia, moment));
}

// How the surface of b moves by itself against that of a, in the plane of the contact.
static sn_vec3 drive_between(const sn_world *world, const sn_touch_shape *a,
                             const sn_transform *place_a, const sn_touch_shape *b,
                             const sn_transform *place_b, sn_vec3 normal)
{
    const sn_surface *of_a = sn_touch_surface(world, a), *of_b = sn_touch_surface(world, b);
    sn_vec3 drive = sn_vec3_sub(sn_rotate(place_b->rotation, of_b->velocity),
                                sn_rotate(place_a->rotation, of_a->velocity));
    return sn_vec3_add_scaled(drive, -sn_dot(drive, normal), normal);
}

// Where the two are now, and where they touch.
typedef struct meeting {
    sn_transform place_a, place_b;
    sn_manifold manifolds[SN_PATCHES];
    int count;
} meeting;

static sn_transform place_of(const sn_world *world, const sn_touch_shape *shape)
{
    const sn_body_record *record = &world->bodies.data[shape->body];
    sn_part part;
    if (record->agent.agent >= 0) {
        const sn_agent_set *set = world->sets[record->agent.set];
        set->type->part(set, record->agent.agent, record->agent.part, &part);
    } else {
        part.frame = record->own->frame;
    }
    return sn_transform_multiply(part.frame, record->shapes[shape->shape].frame);
}

// One of the planes in which they touch, as a contact between steps, without impulses yet.
static sn_contact contact_at(const sn_world *world, const sn_touch_shape *a,
                             const sn_touch_shape *b, const meeting *at, int index)
{
    const sn_manifold *manifold = &at->manifolds[index];
    sn_surface_mix mix = sn_mix_surfaces(sn_touch_surface(world, a), sn_touch_surface(world, b));
    sn_contact contact = {
        .a = sn_touch_side(world, a),
        .b = sn_touch_side(world, b),
        .normal = manifold->normal,
        .surface_velocity =
            drive_between(world, a, &at->place_a, b, &at->place_b, manifold->normal),
        .friction = mix.friction,
        .restitution = mix.restitution,
        .size = sn_touch_pair_size(sn_touch_collider(world, a), sn_touch_collider(world, b)),
        .count = manifold->count};
    for (int k = 0; k < manifold->count; ++k) {
        contact.points[k].on_a = manifold->points[k].on_a;
        contact.points[k].on_b = manifold->points[k].on_b;
        contact.points[k].gap = manifold->points[k].gap;
    }
    return contact;
}

// Keeps what struck, to be told of.
static sn_status note_strike(sn_world *world, uint32_t shape_a, uint32_t shape_b,
                             const sn_contact *contact, sn_error *error)
{
    sn_touch_strike own = {shape_a, shape_b, *contact};
    bool any = false;
    for (int k = 0; k < contact->count; ++k) {
        sn_contact_point *point = &own.contact.points[k];
        point->touched = sn_dot(point->impulse, point->impulse) > 0.0;
        any = any || point->touched;
    }
    return !any || sn_array_push(&world->touch.strikes, own) ? SN_OK
                                                             : sn_fail_memory(error, sizeof own);
}

static double kinetic_of(const sn_world *world, const sn_contact *contact)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        if (sides[i]->set >= 0) {
            sum += sn_agent_kinetic(world->sets[sides[i]->set], sides[i]->agent);
        }
    }
    return sum;
}

// Nothing at work there but the strike itself.
static bool is_passive(const sn_world *world, const sn_contact *contact)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    bool passive = !(sn_length(contact->surface_velocity) > 0.0);
    for (int i = 0; i < 2; ++i) {
        passive =
            passive && !(sn_world_traits(world, sides[i]->set)->jointed &&
                         sn_articulation_is_driven(world->sets[sides[i]->set], sides[i]->agent));
    }
    return passive;
}

// What a strike gains where the solver could not keep its laws is taken out.
static void keep_energy(sn_world *world, const sn_contact *contact, double before)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    const double rounding = 1e-9;
    double now = kinetic_of(world, contact);
    if (now <= (1.0 + rounding) * before) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        if (sides[i]->set >= 0) {
            sn_agent_set *set = world->sets[sides[i]->set];
            set->type->contact->slow(set, sides[i]->agent, sqrt(before / now));
            sn_agent_count(&set->agents[sides[i]->agent], SN_COUNTER_VELOCITY_SCALED);
            sn_world_note_worst(world, SN_COUNTER_VELOCITY_SCALED,
                                set->agents[sides[i]->agent].owner, now - before);
        }
    }
}

// With a link in it the whole mechanism answers: the exact solver at the end of a step, of no
// length, so that nothing is carried along.
static sn_status strike_link(sn_world *world, sn_contact *contact, sn_error *error)
{
    sn_contact_course course;
    sn_contact_begin(contact, world->sets, &course);
    for (int k = 0; k < contact->count; ++k) {
        double u = sn_dot(course.points[k].approach, contact->normal);
        course.points[k].gap_end = 0.0;
        course.points[k].rebound = u < 0.0 ? -contact->restitution * u : 0.0;
    }
    sn_exact_problem problem = sn_exact_default();
    sn_exact_report report = {0};
    problem.sets = world->sets;
    problem.contacts = &contact;
    problem.courses = &course;
    problem.contact_count = 1;
    double before = kinetic_of(world, contact);
    sn_status status = sn_exact_relax(&world->touch.exact, &problem, &report, error);
    if (status == SN_OK && is_passive(world, contact)) {
        keep_energy(world, contact, before);
    }
    return status;
}

// Of free bodies and what stands still.
static sn_status strike_free(sn_world *world, sn_contact *contacts, int count, sn_error *error)
{
    sn_contact *listed[SN_PATCHES];
    sn_contact_course courses[SN_PATCHES];
    for (int i = 0; i < count; ++i) {
        listed[i] = &contacts[i];
    }
    sn_exact_problem problem = sn_exact_default();
    problem.sets = world->sets;
    problem.contacts = listed;
    problem.courses = courses;
    problem.contact_count = count;
    return sn_exact_strike(&world->touch.exact, &problem, error);
}

// Where two shapes touch, or the core of one of them and the other.
static meeting find_meeting(const sn_world *world, uint32_t first, uint32_t second, double margin,
                            const sn_strike_core *core)
{
    const sn_touch_shape *a = &world->touch.shapes.data[first],
                         *b = &world->touch.shapes.data[second];
    meeting at = {.place_a = place_of(world, a), .place_b = place_of(world, b)};
    const sn_collider *of_a = sn_touch_collider(world, a), *of_b = sn_touch_collider(world, b);
    sn_transform place_a = at.place_a, place_b = at.place_b;
    if (core != NULL) {
        bool is_a = core->shape == first;
        sn_transform *place = is_a ? &place_a : &place_b;
        place->position = sn_transform_point(*place, core->middle);
        of_a = is_a ? &core->collider : of_a;
        of_b = is_a ? of_b : &core->collider;
    }
    sn_collide_cache cache = {0};
    at.count =
        sn_collide(of_a, &place_a, of_b, &place_b, margin, &cache, at.manifolds, SN_PATCHES, NULL);
    return at;
}

sn_status sn_world_strike(sn_world *world, uint32_t shape_a, uint32_t shape_b, double margin,
                          const sn_strike_core *core, sn_error *error)
{
    uint32_t first = shape_a < shape_b ? shape_a : shape_b,
             second = shape_a < shape_b ? shape_b : shape_a;
    const sn_touch_shape *a = &world->touch.shapes.data[first],
                         *b = &world->touch.shapes.data[second];
    meeting at = find_meeting(world, first, second, margin, core);
    bool link = sn_world_traits(world, sn_touch_side(world, a).set)->jointed ||
                sn_world_traits(world, sn_touch_side(world, b).set)->jointed;
    sn_contact contacts[SN_PATCHES];
    sn_status status = SN_OK;
    for (int i = 0; i < at.count && status == SN_OK; ++i) {
        contacts[i] = contact_at(world, a, b, &at, i);
        if (core != NULL) { // what is deep in does neither rebound nor rub there
            contacts[i].restitution = contacts[i].friction = 0.0;
        }
        status = link ? strike_link(world, &contacts[i], error) : SN_OK;
    }
    if (status == SN_OK && !link && at.count > 0) {
        status = strike_free(world, contacts, at.count, error);
    }
    for (int i = 0; i < at.count && status == SN_OK; ++i) {
        status = note_strike(world, first, second, &contacts[i], error);
    }
    return status;
}

// ---- bodies that an impact sets whirling ----

// The step's solver finds impulses for bodies as they stand in its middle, and takes back at its
// end what an impact before the middle gave too much of. Both are nonsense for what turns by
// radians until then: such things strike at the start of the step, where they stand, and find
// nothing that comes near in the rest of it.
static const double WHIRL_TURN = 1.0; // rad, in a step
static const double WHIRL_WAY = 0.25; // of the contact's size: what turning does to a point of it

// Links are taken for heavy here, which tells whether something whirls; they answer as they do.
static striker striker_at(const sn_world *world, sn_contact_side side)
{
    if (sn_world_traits(world, side.set)->jointed) {
        striker link = {.agent = -1};
        world->sets[side.set]->type->part(world->sets[side.set], side.agent, side.part, &link.part);
        return link;
    }
    sn_body_record record = {.agent = {.set = side.set, .agent = side.agent, .part = side.part}};
    return striker_of(world, &record);
}

// Does it turn far? Turns about the normal, and about the middle of what is round there, leave a
// contact where it is.
static bool turns_far(const striker *own, const sn_contact *contact, sn_vec3 core, double h)
{
    sn_vec3 w = own->part.angular_velocity, n = contact->normal;
    w = sn_vec3_scale(h, sn_vec3_add_scaled(w, -sn_dot(w, n), n));
    sn_vec3 way = sn_cross(w, sn_vec3_sub(core, own->part.centre));
    return own->agent >= 0 && sn_length(w) > WHIRL_TURN &&
           sn_length(way) > WHIRL_WAY * contact->size;
}

static bool one_turns_far(const striker *a, const striker *b, const sn_contact *contact,
                          const sn_contact_point *point, double h)
{
    sn_vec3 n = contact->normal;
    return turns_far(a, contact, sn_vec3_add_scaled(point->on_a, -contact->round_a, n), h) ||
           turns_far(b, contact, sn_vec3_add_scaled(point->on_b, contact->round_b, n), h);
}

// Does it come to touch within the step, and do bodies turn far, as they are or once it has struck?
static bool whirls(const striker *a, const striker *b, const sn_contact *contact,
                   const sn_contact_point *point, double h)
{
    sn_vec3 place = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b)), n = contact->normal;
    double u = sn_dot(
        sn_vec3_sub(sn_part_velocity_at(&b->part, place), sn_part_velocity_at(&a->part, place)), n);
    if (!(u < 0.0 && point->gap + h * u < 0.0)) {
        return false;
    }
    striker from = *a, to = *b;
    push(&from, place, sn_vec3_negate(n));
    push(&to, place, n);
    double w = sn_dot(sn_vec3_sub(sn_part_velocity_at(&to.part, place),
                                  sn_part_velocity_at(&from.part, place)),
                      n) -
               u;
    double p = w > 0.0 ? -(1.0 + contact->restitution) * u / w : 0.0;
    from = *a;
    to = *b;
    push(&from, place, sn_vec3_scale(-p, n));
    push(&to, place, sn_vec3_scale(p, n));
    return one_turns_far(a, b, contact, point, h) || one_turns_far(&from, &to, contact, point, h);
}

sn_status sn_world_strike_whirling(sn_world *world, const sn_pair *pair, int number, double h,
                                   bool *struck, sn_error *error)
{
    sn_contact contact = world->touch.pool.data[number];
    bool link = sn_world_traits(world, contact.a.set)->jointed ||
                sn_world_traits(world, contact.b.set)->jointed;
    striker a = striker_at(world, contact.a), b = striker_at(world, contact.b);
    double deepest = 0.0;
    bool whirl = false;
    for (int k = 0; k < contact.count; ++k) {
        sn_contact_point *point = &contact.points[k];
        whirl = whirl || whirls(&a, &b, &contact, point, h);
        deepest = fmin(deepest, point->gap);
        point->impulse = SN_VEC3_ZERO;
    }
    if (!whirl) {
        return SN_OK;
    }
    bool overlaps = deepest < -SN_EXACT_OVERLAP * contact.size;
    contact.restitution = overlaps ? 0.0 : contact.restitution;
    contact.rolling_friction = contact.spinning_friction = 0.0; // which take their time
    *struck = true;
    sn_contact_count(&contact, world->sets, SN_COUNTER_EARLY_IMPACT);
    sn_status status =
        link ? strike_link(world, &contact, error) : strike_free(world, &contact, 1, error);
    return status == SN_OK ? note_strike(world, pair->a, pair->b, &contact, error) : status;
}
