#include "touch/spring_touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/mesh_tree.h"
#include "model/world.h"
#include "solve/surface_mix.h"
#include "touch/soft_touch.h"

enum { STRIDE = SN_SPRING_STRIDE };

// A spring is so much stiffer than the elements it presses on: modulus times edge.
static const double STIFFER = 4.0;
// Friction is full from these shares of the speed of sound, or of a fall over its size, on.
static const double CREEP_OF_SOUND = 1e-3, CREEP_OF_FALL = 1e-2;
// Dampers begin softly over this share of an edge.
static const double RAMP = 1e-3;

void sn_spring_touch_free(sn_spring_touch *touch)
{
    sn_meetings_destroy(touch->meetings);
    for (int i = 0; i < touch->meshes.count; ++i) {
        sn_tetrahedra_release(touch->meshes.data[i]);
    }
    sn_array_free(&touch->meshes);
    sn_array_free(&touch->first);
    sn_array_free(&touch->agents);
    sn_array_free(&touch->bodies);
    sn_array_free(&touch->normals);
    sn_array_free(&touch->now);
    sn_array_free(&touch->ends);
    sn_array_free(&touch->springs);
    sn_array_free(&touch->next);
    sn_array_free(&touch->depths);
    sn_array_free(&touch->met);
    sn_skin_shape_contacts_free(&touch->near);
    for (int end = 0; end < 2; ++end) {
        sn_array_free(&touch->gaps[end]);
        sn_array_free(&touch->places[end]);
    }
    *touch = (sn_spring_touch){0};
}

// ---- bodies ----

static bool is_made(const sn_world *world)
{
    const sn_spring_touch *touch = &world->touch.springs;
    bool made = touch->meetings != NULL && touch->meshes.count == sn_soft_agents(world)->count;
    for (int i = 0; made && i < touch->meshes.count; ++i) {
        made = touch->meshes.data[i] == sn_soft_item(world, i)->mesh;
    }
    return made;
}

static const sn_skin *skin_of(const sn_spring_touch *touch)
{
    return sn_meetings_skin(touch->meetings);
}

// The mean edge of each body outside, at rest.
static void measure_edges(sn_spring_touch *touch)
{
    const sn_skin *skin = skin_of(touch);
    for (int agent = 0; agent < touch->bodies.count; ++agent) {
        double sum = 0.0;
        int count = 0;
        for (int e = 0; e < skin->edge_count; ++e) {
            const int *ends = skin->edges + 2 * (size_t)e;
            if (touch->agents.data[ends[0]] == agent) {
                sum += sn_distance(skin->rest[ends[0]], skin->rest[ends[1]]);
                count += 1;
            }
        }
        touch->bodies.data[agent].edge = count > 0 ? sum / count : 0.0;
    }
}

static void measure_normals(sn_spring_touch *touch)
{
    const sn_skin *skin = skin_of(touch);
    for (int f = 0; f < skin->face_count; ++f) {
        const int *v = skin->faces + 3 * (size_t)f;
        const sn_vec3 p[3] = {skin->rest[v[0]], skin->rest[v[1]], skin->rest[v[2]]};
        touch->normals.data[f] = sn_triangle_normal(p);
    }
}

static void measure_bodies(sn_world *world)
{
    sn_spring_touch *touch = &world->touch.springs;
    double gravity = sn_length(world->gravity);
    for (int i = 0; i < touch->bodies.count; ++i) {
        const sn_elastic_item *item = sn_soft_item(world, i);
        sn_spring_body *body = &touch->bodies.data[i];
        double modulus = 0.0, sound = INFINITY;
        for (int m = 0; m < item->material_count; ++m) {
            const sn_elastic *law = &item->materials[m].elastic;
            double own = law->bulk + 4.0 / 3.0 * law->shear;
            modulus = fmax(modulus, own);
            sound = fmin(sound, sqrt(own / item->materials[m].density));
        }
        body->stiffness = STIFFER * modulus * body->edge;
        body->creep = CREEP_OF_SOUND * sound;
        if (gravity > 0.0) {
            body->creep = fmin(body->creep, CREEP_OF_FALL * sqrt(gravity * item->radius));
        }
    }
}

static sn_status make(sn_world *world, sn_error *error)
{
    sn_spring_touch *touch = &world->touch.springs;
    int count = sn_soft_agents(world)->count, row = 0;
    // Springs of a loaded state or of a copy stay; those of other bodies do not.
    sn_touch_springs springs = touch->springs;
    touch->springs = (sn_touch_springs){0};
    springs.count = touch->meetings != NULL ? 0 : springs.count;
    sn_spring_touch_free(touch);
    touch->springs = springs;
    bool good = sn_array_resize(&touch->bodies, count) && sn_array_resize(&touch->first, count + 1);
    for (int i = 0; good && i < count; ++i) {
        sn_tetrahedra *mesh = sn_soft_item(world, i)->mesh;
        good = sn_array_push(&touch->meshes, mesh);
        if (good) {
            sn_tetrahedra_retain(mesh);
        }
        touch->first.data[i] = row;
        row += sn_tetrahedra_vertex_count(mesh);
    }
    if (!good) {
        return sn_fail_memory(error, (size_t)count * sizeof(sn_spring_body));
    }
    touch->first.data[count] = row;
    sn_status status = sn_meetings_create((const sn_tetrahedra *const *)touch->meshes.data, count,
                                          &touch->meetings, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_skin *skin = skin_of(touch);
    if (!sn_array_resize(&touch->agents, skin->vertex_count) ||
        !sn_array_resize(&touch->normals, skin->face_count) ||
        !sn_array_resize(&touch->now, 2 * STRIDE * row) ||
        !sn_array_resize(&touch->ends, 4 * STRIDE * row)) {
        return sn_fail_memory(error, 6 * STRIDE * (size_t)row * sizeof(double));
    }
    for (int v = 0, agent = 0; v < skin->vertex_count; ++v) { // both ascend
        while (skin->vertices[v] >= touch->first.data[agent + 1]) {
            agent += 1;
        }
        touch->agents.data[v] = agent;
    }
    measure_edges(touch);
    measure_normals(touch);
    return SN_OK;
}

static sn_status make_current(sn_world *world, sn_error *error)
{
    sn_status status = is_made(world) ? SN_OK : make(world, error);
    if (status != SN_OK) {
        sn_spring_touch_free(&world->touch.springs);
    } else {
        measure_bodies(world);
    }
    return status;
}

// ---- where everything is ----

size_t sn_spring_row(const sn_spring_touch *touch)
{
    return STRIDE * (size_t)touch->first.data[touch->first.count - 1];
}

void sn_spring_read(const sn_world *world, double *row)
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_agent_set *set = sn_soft_agents(world);
    double *x = row, *v = row + sn_spring_row(touch);
    for (int i = 0; i < set->count; ++i) {
        const double *q = sn_agent_q(set, i), *speed = sn_agent_v(set, i);
        for (int k = 0; k < set->agents[i].v_count; k += SN_SOLID_STRIDE) {
            memcpy(x, q + k, STRIDE * sizeof *x);
            memcpy(v, speed + k, STRIDE * sizeof *v);
            x += STRIDE;
            v += STRIDE;
        }
    }
}

void sn_spring_place(sn_spring_touch *touch, const double *x)
{
    sn_skin_place((sn_skin *)skin_of(touch), x, NULL, 0.0); // it is the meetings' for our sake
}

static sn_vec3 place_of(const sn_skin *skin, int vertex)
{
    return sn_skin_from(skin, vertex);
}

void sn_spring_push(sn_world *world, int vertex, sn_vec3 force)
{
    const sn_spring_touch *touch = &world->touch.springs;
    sn_agent_set *set = sn_soft_agents(world);
    int agent = 0;
    while (vertex >= touch->first.data[agent + 1]) {
        agent += 1;
    }
    double *f = set->joint_force + set->agents[agent].v_first +
                SN_SOLID_STRIDE * (size_t)(vertex - touch->first.data[agent]);
    f[0] += force.x;
    f[1] += force.y;
    f[2] += force.z;
}

double sn_spring_mass(const sn_world *world, int agent, int node)
{
    const sn_elastic_item *item = sn_soft_item(world, agent);
    return sn_tetrahedra_nodes(item->mesh) == 4 ? item->row_mass[node] : item->mass.diagonal[node];
}

static double mass_of(const sn_world *world, int vertex)
{
    const sn_spring_touch *touch = &world->touch.springs;
    int agent = 0;
    while (vertex >= touch->first.data[agent + 1]) {
        agent += 1;
    }
    return sn_spring_mass(world, agent, vertex - touch->first.data[agent]);
}

// ---- laws ----

sn_spring_law sn_spring_law_of(const sn_world *world, int a, int b, const sn_surface *surface,
                               double mass)
{
    const sn_spring_body *of_a = &world->touch.springs.bodies.data[a], *of_b = of_a;
    if (b >= 0) {
        of_b = &world->touch.springs.bodies.data[b];
        surface = &sn_soft_item(world, b)->surface;
    }
    sn_spring_law law = {.stiffness = world->contact.stiffness > 0.0
                                          ? world->contact.stiffness
                                          : fmin(of_a->stiffness, of_b->stiffness),
                         .ramp = RAMP * fmin(of_a->edge, of_b->edge),
                         .creep = fmin(of_a->creep, of_b->creep)};
    law.friction = sn_mix_surfaces(&sn_soft_item(world, a)->surface, surface).friction;
    law.damping = 2.0 * world->contact.damping * sqrt(law.stiffness * mass);
    return law;
}

// ---- a vertex in a body ----

typedef struct nearest_search {
    const sn_world *world;
    sn_vec3 point;
    int vertex, agent, side; // of the skin; whose faces count
    bool self;
    double apart_at_rest; // on one body
    sn_spring_near near;
} nearest_search;

bool sn_spring_looks_away(const sn_spring_touch *touch, int side, int face)
{
    const double against = -0.5; // cosine
    return sn_dot(touch->normals.data[side], touch->normals.data[face]) < against;
}

static void read_face(const sn_skin *skin, int face, sn_vec3 p[4])
{
    for (int k = 0; k < 3; ++k) {
        p[k + 1] = place_of(skin, skin->faces[3 * (size_t)face + (size_t)k]);
    }
}

static bool counts_at_rest(const sn_skin *skin, sn_pair_kind kind, const int vertices[4],
                           double least)
{
    sn_vec3 p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = skin->rest[vertices[k]];
    }
    return sn_pair_find_nearest(kind, p).square > least * least;
}

static double try_face(void *context, int face, double limit)
{
    nearest_search *search = context;
    const sn_spring_touch *touch = &search->world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    const int *corners = skin->faces + 3 * (size_t)face;
    const int vertices[4] = {search->vertex, corners[0], corners[1], corners[2]};
    if (touch->agents.data[corners[0]] != search->agent ||
        (search->side >= 0 && sn_spring_looks_away(touch, search->side, face)) ||
        (search->self &&
         (!sn_meetings_is_relevant(touch->meetings, SN_VERTEX_FACE, search->vertex, face) ||
          !counts_at_rest(skin, SN_VERTEX_FACE, vertices, search->apart_at_rest)))) {
        return limit;
    }
    sn_vec3 p[4] = {search->point};
    read_face(skin, face, p);
    sn_pair_nearest nearest = sn_pair_find_nearest(SN_VERTEX_FACE, p);
    double distance = sqrt(nearest.square);
    sn_spring_near *near = &search->near;
    if (distance > limit || (near->face >= 0 && distance == limit && face > near->face)) {
        return limit;
    }
    near->face = face;
    near->apart = nearest.apart;
    memcpy(near->weights, nearest.weights + 1, sizeof near->weights);
    return distance;
}

sn_spring_near sn_spring_find_near(const sn_world *world, int vertex, int agent, int side)
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    bool self = touch->agents.data[vertex] == agent;
    double deepest = SN_SPRING_DEPTH * touch->bodies.data[agent].edge;
    nearest_search search = {.world = world,
                             .point = place_of(skin, vertex),
                             .vertex = vertex,
                             .agent = agent,
                             .side = side,
                             .self = self,
                             .apart_at_rest = 2.0 * deepest,
                             .near = {.face = -1}};
    sn_aabb box = {search.point, search.point};
    sn_box_tree_near(&skin->tree, box, self ? deepest : 1e300, try_face, &search);
    sn_spring_near *near = &search.near;
    near->inside =
        near->face >= 0 && !sn_skin_is_outside(skin, near->face, near->weights, near->apart);
    return *near;
}

static void act_vertex(sn_world *world, const sn_touch_spring *spring, const double *v,
                       sn_spring_forces *out, int vertices[4])
{
    sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    *out = (sn_spring_forces){.energy = 0.0};
    sn_spring_near near = sn_spring_find_near(world, spring->a, spring->b, spring->side);
    if (!near.inside) {
        return;
    }
    sn_vec3 x[4] = {place_of(skin, spring->a)}, speed[4];
    read_face(skin, near.face, x);
    vertices[0] = skin->vertices[spring->a];
    double other = 0.0, own = mass_of(world, vertices[0]);
    for (int k = 0; k < 4; ++k) {
        vertices[k] = k == 0 ? vertices[0]
                             : skin->vertices[skin->faces[3 * (size_t)near.face + (size_t)k - 1]];
        speed[k] = sn_vec3_at(v + STRIDE * (size_t)vertices[k]);
        other += k > 0 ? near.weights[k - 1] * mass_of(world, vertices[k]) : 0.0;
    }
    sn_spring_law law = sn_spring_law_of(world, touch->agents.data[spring->a], spring->b, NULL,
                                         own * other / (own + other));
    sn_contact_spring_vertex(&law, x, speed, near.weights, true, out);
}

// ---- two edges ----

static void edge_points(const sn_skin *skin, int a, int b, int own[4], sn_vec3 x[4])
{
    memcpy(own, skin->edges + 2 * (size_t)a, 2 * sizeof *own);
    memcpy(own + 2, skin->edges + 2 * (size_t)b, 2 * sizeof *own);
    for (int k = 0; k < 4; ++k) {
        x[k] = place_of(skin, own[k]);
    }
}

static void act_edges(sn_world *world, const sn_touch_spring *spring, const double *v,
                      sn_spring_forces *out, int vertices[4])
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    int own[4];
    sn_vec3 x[4], speed[4];
    double mass[4];
    edge_points(skin, spring->a, spring->b, own, x);
    for (int k = 0; k < 4; ++k) {
        vertices[k] = skin->vertices[own[k]];
        speed[k] = sn_vec3_at(v + STRIDE * (size_t)vertices[k]);
        mass[k] = mass_of(world, vertices[k]);
    }
    double one = 0.5 * (mass[0] + mass[1]), other = 0.5 * (mass[2] + mass[3]);
    sn_spring_law law =
        sn_spring_law_of(world, touch->agents.data[own[0]], touch->agents.data[own[2]], NULL,
                         one * other / (one + other));
    sn_contact_spring_edges(&law, x, speed, spring->side, out);
}

double sn_spring_depth(const sn_world *world, const sn_touch_spring *spring)
{
    if (spring->kind == SN_VERTEX_FACE) {
        sn_spring_near near = sn_spring_find_near(world, spring->a, spring->b, spring->side);
        double distance = near.face >= 0 ? sn_length(near.apart) : 0.0;
        return near.inside ? distance : -distance;
    }
    const sn_spring_law plain = {.stiffness = 1.0};
    const sn_vec3 still[4] = {{0.0, 0.0, 0.0}};
    int own[4];
    sn_vec3 x[4];
    sn_spring_forces out;
    edge_points(skin_of(&world->touch.springs), spring->a, spring->b, own, x);
    sn_contact_spring_edges(&plain, x, still, spring->side, &out);
    return out.depth;
}

// ---- forces ----

static void act(sn_world *world, const sn_touch_spring *spring, sn_spring_forces *out,
                int vertices[4])
{
    sn_spring_touch *touch = &world->touch.springs;
    const double *v = touch->now.data + sn_spring_row(touch);
    if (spring->kind == SN_VERTEX_FACE) {
        act_vertex(world, spring, v, out, vertices);
    } else {
        act_edges(world, spring, v, out, vertices);
    }
}

void sn_world_add_springs(sn_world *world, int group)
{
    sn_spring_touch *touch = &world->touch.springs;
    int count = sn_soft_agents(world)->count;
    if (count == 0 || world->group_of[sn_soft_side(0, 0).set].data[0] != group) {
        return;
    }
    sn_spring_read(world, touch->now.data);
    sn_spring_place(touch, touch->now.data);
    for (int i = 0; i < touch->springs.count; ++i) {
        sn_spring_forces out;
        int vertices[4];
        act(world, &touch->springs.data[i], &out, vertices);
        for (int k = 0; k < 4 && out.depth > 0.0; ++k) {
            sn_spring_push(world, vertices[k], out.force[k]);
        }
    }
    sn_world_press_shapes(world, group, true);
}

// ---- which springs there are ----

// Do the faces of both edges fall away from the plane of both, each to its side? Flat edges and
// valleys are for vertices.
static bool are_ridges(const sn_spring_touch *touch, int a, int b, int sign)
{
    const double flat = 0.1; // sine: what lies nearly flush has sunk in by the time edges cross
    const sn_skin *skin = skin_of(touch);
    int own[4];
    sn_vec3 x[4];
    edge_points(skin, a, b, own, x);
    sn_vec3 out = sn_normalize(sn_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[3], x[2])));
    out = sn_vec3_scale(sign, out); // from b to a
    return sn_skin_ridge_under(skin, b, out, flat) == SN_RIDGE_OVER &&
           sn_skin_ridge_under(skin, a, sn_vec3_negate(out), flat) == SN_RIDGE_OVER;
}

bool sn_spring_may_meet(const sn_world *world, sn_pair_kind kind, int a, int b, int sign)
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    int vertices[4];
    if (kind == SN_VERTEX_FACE) {
        vertices[0] = a;
        memcpy(vertices + 1, skin->faces + 3 * (size_t)b, 3 * sizeof *vertices);
    } else {
        memcpy(vertices, skin->edges + 2 * (size_t)a, 2 * sizeof *vertices);
        memcpy(vertices + 2, skin->edges + 2 * (size_t)b, 2 * sizeof *vertices);
    }
    int of_a = touch->agents.data[vertices[0]], of_b = touch->agents.data[vertices[3]];
    double deepest = SN_SPRING_DEPTH * touch->bodies.data[of_a].edge;
    return sn_soft_may_meet(world, of_a, of_b) &&
           (of_a != of_b || counts_at_rest(skin, kind, vertices, 2.0 * deepest)) &&
           (kind == SN_VERTEX_FACE || are_ridges(touch, a, b, sign));
}

static int compare_springs(const void *first, const void *second)
{
    const sn_touch_spring *x = first, *y = second;
    const int keys[3][2] = {{(int)x->kind, (int)y->kind}, {x->a, y->a}, {x->b, y->b}};
    for (int k = 0; k < 3; ++k) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

// Among the first `count`, which are in order.
static bool is_among(const sn_touch_springs *springs, int count, const sn_touch_spring *spring)
{
    return count > 0 && bsearch(spring, springs->data, (size_t)count, sizeof *springs->data,
                                compare_springs) != NULL;
}

bool sn_spring_has(const sn_spring_touch *touch, const sn_touch_spring *spring)
{
    return is_among(&touch->springs, touch->springs.count, spring);
}

sn_touch_spring sn_spring_of_meeting(const sn_spring_touch *touch, const sn_meeting *meeting,
                                     const double *row)
{
    const sn_skin *skin = skin_of(touch);
    if (meeting->kind == SN_VERTEX_FACE) {
        int corner = skin->faces[3 * (size_t)meeting->b];
        return (sn_touch_spring){SN_VERTEX_FACE, meeting->a, touch->agents.data[corner],
                                 meeting->b};
    }
    sn_clearance_state state;
    double values[SN_CLEARANCES], rates[SN_CLEARANCES];
    sn_meetings_read(touch->meetings, SN_EDGE_EDGE, meeting->a, meeting->b, row,
                     row + sn_spring_row(touch), STRIDE, &state);
    sn_clearances(SN_EDGE_EDGE, &state, values, rates);
    // G2 - G3 has the sign that G1 has while they are apart, also where an end is just at a plane.
    int sign = values[1] - values[2] + (values[3] - values[4]) > 0.0 ? 1 : -1;
    return (sn_touch_spring){SN_EDGE_EDGE, meeting->a, meeting->b, sign};
}

static sn_aabb bounds_of(const sn_world *world, int agent)
{
    return sn_soft_agents(world)->type->bounds(sn_soft_agents(world), agent);
}

static bool is_in(const sn_aabb *box, sn_vec3 x)
{
    return x.x >= box->lower.x && x.y >= box->lower.y && x.z >= box->lower.z &&
           x.x <= box->upper.x && x.y <= box->upper.y && x.z <= box->upper.z;
}

// Vertices that are in other bodies and have no spring yet.
static bool find_vertices(sn_world *world)
{
    sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = skin_of(touch);
    int known = touch->springs.count;
    for (int agent = 0; agent < touch->bodies.count; ++agent) {
        sn_aabb box = bounds_of(world, agent);
        for (int v = 0; v < skin->vertex_count; ++v) {
            sn_touch_spring spring = {SN_VERTEX_FACE, v, agent, -1};
            if (touch->agents.data[v] == agent || !is_in(&box, place_of(skin, v)) ||
                !sn_soft_may_meet(world, touch->agents.data[v], agent) ||
                is_among(&touch->springs, known, &spring)) {
                continue;
            }
            sn_spring_near near = sn_spring_find_near(world, v, agent, -1);
            spring.side = near.face;
            if (near.inside && !sn_array_push(&touch->springs, spring)) {
                return false;
            }
        }
    }
    return true;
}

// A loaded state may be of another world.
static bool is_of_world(const sn_spring_touch *touch, const sn_touch_spring *spring)
{
    const sn_skin *skin = skin_of(touch);
    if (spring->kind == SN_EDGE_EDGE) {
        return spring->a >= 0 && spring->a < skin->edge_count && spring->b >= 0 &&
               spring->b < skin->edge_count && (spring->side == 1 || spring->side == -1);
    }
    return spring->a >= 0 && spring->a < skin->vertex_count && spring->b >= 0 &&
           spring->b < touch->bodies.count && spring->side >= 0 &&
           spring->side < skin->face_count &&
           touch->agents.data[skin->faces[3 * (size_t)spring->side]] == spring->b;
}

static bool is_kept(const sn_world *world, const sn_touch_spring *spring)
{
    const sn_spring_touch *touch = &world->touch.springs;
    if (!is_of_world(touch, spring)) {
        return false;
    }
    bool edges = spring->kind == SN_EDGE_EDGE;
    int vertex = edges ? skin_of(touch)->edges[2 * (size_t)spring->a] : spring->a,
        agent = touch->agents.data[vertex];
    double depth = sn_spring_depth(world, spring),
           deepest = SN_SPRING_DEPTH * touch->bodies.data[agent].edge;
    return depth > 0.0 && ((!edges && agent != spring->b) || depth < deepest);
}

static sn_status find_springs(sn_world *world, sn_error *error)
{
    sn_spring_touch *touch = &world->touch.springs;
    sn_spring_read(world, touch->now.data);
    sn_spring_place(touch, touch->now.data);
    int kept = 0;
    for (int i = 0; i < touch->springs.count; ++i) {
        sn_touch_spring spring = touch->springs.data[i];
        if (is_kept(world, &spring)) {
            touch->springs.data[kept++] = spring;
        }
    }
    touch->springs.count = kept;
    if (!find_vertices(world)) {
        return sn_fail_memory(error, sizeof *touch->springs.data);
    }
    if (touch->springs.count > 1) {
        qsort(touch->springs.data, (size_t)touch->springs.count, sizeof *touch->springs.data,
              compare_springs);
    }
    return SN_OK;
}

void sn_world_take_springs(sn_world *world)
{
    sn_spring_touch *touch = &world->touch.springs;
    if (touch->next.count > 1) {
        qsort(touch->next.data, (size_t)touch->next.count, sizeof *touch->next.data,
              compare_springs);
    }
    touch->springs.count = 0;
    for (int i = 0; i < touch->next.count; ++i) { // room was made, and a meeting may come twice
        const sn_touch_spring *spring = &touch->next.data[i];
        if (i == 0 || compare_springs(spring, &touch->next.data[i - 1]) != 0) {
            touch->springs.data[touch->springs.count++] = *spring;
        }
    }
}

// ---- the world's side ----

// One system of equations holds everything that may touch.
sn_status sn_world_check_springs(const sn_world *world, sn_error *error)
{
    const sn_agent_set *set = sn_soft_agents(world);
    int group = set->count > 0 ? world->group_of[sn_soft_side(0, 0).set].data[0] : -1;
    for (int s = 0; s < world->set_count; ++s) {
        for (int i = 0; i < world->sets[s]->count && set->count > 0; ++i) {
            if (world->group_of[s].data[i] != group || group < 0) {
                char place[200];
                const sn_agent *head = &world->sets[s]->agents[i];
                sn_world_place(world, head->owner, place, sizeof place);
                return sn_fail(error, SN_ERROR_UNSUPPORTED, place,
                               "is moved by %s; contact springs of elastic bodies need all that "
                               "moves under one integrator with stages, such as fehlberg45",
                               sn_integrator_word((sn_integrator)head->integrator));
            }
        }
    }
    return SN_OK;
}

sn_status sn_world_begin_springs(sn_world *world, sn_error *error)
{
    world->touch.springs.starved = false;
    world->touch.springs.fault.code = SN_OK;
    sn_status status = sn_world_check_springs(world, error);
    if (sn_soft_agents(world)->count == 0 || status != SN_OK) {
        return status;
    }
    status = make_current(world, error);
    return status == SN_OK ? find_springs(world, error) : status;
}

// ---- reading ----

double sn_world_spring_energy(const sn_world *world)
{
    sn_world *own = (sn_world *)world; // what is looked up here is no part of its state
    if (sn_soft_agents(world)->count == 0 ||
        (!world->stepping && make_current(own, NULL) != SN_OK)) {
        return 0.0;
    }
    // The list is part of the state, and stays what it was.
    sn_spring_touch *touch = &own->touch.springs;
    sn_touch_springs springs = touch->springs;
    touch->springs = touch->next;
    touch->springs.count = 0;
    bool good = sn_array_resize(&touch->springs, springs.count);
    if (good && springs.count > 0) {
        memcpy(touch->springs.data, springs.data, (size_t)springs.count * sizeof *springs.data);
    }
    good = good && (world->stepping || find_springs(own, NULL) == SN_OK);
    sn_spring_read(world, touch->now.data);
    sn_spring_place(touch, touch->now.data);
    double energy = 0.0;
    for (int i = 0; i < touch->springs.count && good; ++i) {
        sn_spring_forces out;
        int vertices[4];
        act(own, &touch->springs.data[i], &out, vertices);
        energy += out.energy;
    }
    touch->next = touch->springs;
    touch->springs = springs;
    return energy + sn_world_press_shapes(own, -1, false);
}

int sn_world_spring_count(const sn_world *world)
{
    return world->touch.springs.springs.count;
}
