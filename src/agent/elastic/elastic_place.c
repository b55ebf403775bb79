// Where an elastic body is as a whole, and where points of its material are.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "math/dense.h"
#include "math/rotation.h"

enum { STRIDE = SN_SOLID_STRIDE };

static void add_outer(sn_mat3 *sum, sn_vec3 a, sn_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum->m[i][j] += x[i] * y[j];
        }
    }
}

// The turn nearest to how the material has been turned on average, weighted by mass: the rotation
// of sum m (x - c) (X - C)^T.
static sn_transform mean_frame(const sn_elastic_item *item, const double *q, sn_vec3 centre)
{
    sn_mat3 sum = SN_MAT3_ZERO, rotation, stretch;
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        add_outer(&sum, sn_vec3_sub(sn_vec3_at(q + STRIDE * i), centre),
                  sn_vec3_at(item->rest_moment + STRIDE * i));
    }
    sn_mat3_polar(sum, &rotation, &stretch);
    sn_transform frame = {.rotation = sn_quat_normalize(sn_quat_from_mat3(rotation))};
    frame.position = sn_vec3_sub(centre, sn_rotate(frame.rotation, item->rest_centre));
    return frame;
}

void sn_elastic_find_mean(const sn_agent_set *set, int agent, bool turned, sn_elastic_mean *mean)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    int count = item->mass.vertex_count;
    sn_vec3 moment = SN_VEC3_ZERO, momentum = SN_VEC3_ZERO, spin = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        moment = sn_vec3_add_scaled(moment, item->row_mass[i], sn_vec3_at(q + STRIDE * i));
        momentum = sn_vec3_add_scaled(momentum, item->row_mass[i], sn_vec3_at(v + STRIDE * i));
    }
    mean->mass = item->mass.total;
    mean->centre = sn_vec3_scale(1.0 / mean->mass, moment);
    mean->velocity = sn_vec3_scale(1.0 / mean->mass, momentum);
    // L = sum r x M v and the second moments sum r (M r)^T, both from the centre.
    double *product = item->right, *arms = item->change;
    for (int i = 0; i < count; ++i) {
        sn_vec3_put(arms + STRIDE * i, sn_vec3_sub(sn_vec3_at(q + STRIDE * i), mean->centre));
    }
    memset(product, 0, (size_t)(STRIDE * count) * sizeof *product);
    sn_mass_add_product(&item->mass, STRIDE, 1.0, v, product);
    for (int i = 0; i < count; ++i) {
        spin = sn_vec3_add(
            spin, sn_cross(sn_vec3_at(arms + STRIDE * i), sn_vec3_at(product + STRIDE * i)));
    }
    sn_mat3 second = SN_MAT3_ZERO;
    memset(product, 0, (size_t)(STRIDE * count) * sizeof *product);
    sn_mass_add_product(&item->mass, STRIDE, 1.0, arms, product);
    for (int i = 0; i < count; ++i) {
        add_outer(&second, sn_vec3_at(arms + STRIDE * i), sn_vec3_at(product + STRIDE * i));
    }
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    mean->inertia = sn_mat3_scale(-1.0, second);
    for (int i = 0; i < 3; ++i) {
        mean->inertia.m[i][i] += trace;
    }
    mean->angular_velocity = sn_mat3_apply(sn_mat3_inverse(mean->inertia), spin);
    mean->frame = turned ? mean_frame(item, q, mean->centre) : SN_TRANSFORM_IDENTITY;
}

void sn_elastic_spread(const sn_agent_set *set, int agent, const sn_spatial *wrench, double *f)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_elastic_mean mean;
    sn_elastic_find_mean(set, agent, false, &mean);
    sn_vec3 turn = sn_mat3_apply(sn_mat3_inverse(mean.inertia), wrench->angular);
    sn_vec3 shift = sn_vec3_scale(1.0 / mean.mass, wrench->linear);
    const double *q = sn_agent_q(set, agent);
    double *rates = item->change;
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 arm = sn_vec3_sub(sn_vec3_at(q + STRIDE * i), mean.centre);
        sn_vec3_put(rates + STRIDE * i, sn_vec3_add(shift, sn_cross(turn, arm)));
    }
    sn_mass_add_product(&item->mass, STRIDE, 1.0, rates, f);
}

// ---- points ----

sn_status sn_elastic_find_point(sn_agent_set *set, int agent, sn_vec3 local,
                                sn_elastic_point *point, sn_error *error)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    for (int i = 0; i < item->known.count; ++i) {
        sn_vec3 there = item->known.data[i].local;
        if (there.x == local.x && there.y == local.y && there.z == local.z) {
            *point = item->known.data[i].point;
            return SN_OK;
        }
    }
    sn_embedding embedding;
    sn_status status = sn_embedding_create(item->mesh, &local, 1, &embedding, error);
    if (status != SN_OK) {
        return status;
    }
    *point = (sn_elastic_point){.count = embedding.nodes};
    for (int k = 0; k < embedding.nodes; ++k) {
        point->vertices[k] = embedding.vertices[k];
        point->weights[k] = embedding.weights[k];
    }
    sn_embedding_free(&embedding);
    sn_elastic_known_point known = {local, *point};
    return sn_array_push(&item->known, known) ? SN_OK : sn_fail_memory(error, sizeof known);
}

void sn_elastic_nearest_point(const sn_agent_set *set, int agent, sn_vec3 world_point,
                              sn_elastic_point *point)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent);
    const int *elements = sn_tetrahedra_elements(item->mesh);
    int nodes = sn_tetrahedra_nodes(item->mesh), best = 0;
    double best_least = -INFINITY;
    for (int e = 0; e < sn_tetrahedra_element_count(item->mesh); ++e) {
        const int *corner = elements + (size_t)nodes * (size_t)e;
        sn_vec3 a = sn_vec3_at(q + STRIDE * corner[0]), r = sn_vec3_sub(world_point, a);
        sn_vec3 edge[3];
        for (int k = 0; k < 3; ++k) {
            edge[k] = sn_vec3_sub(sn_vec3_at(q + STRIDE * corner[k + 1]), a);
        }
        double volume = sn_dot(edge[0], sn_cross(edge[1], edge[2]));
        if (volume == 0.0) {
            continue;
        }
        double w[4] = {0.0, sn_dot(r, sn_cross(edge[1], edge[2])) / volume,
                       sn_dot(r, sn_cross(edge[2], edge[0])) / volume,
                       sn_dot(r, sn_cross(edge[0], edge[1])) / volume};
        w[0] = 1.0 - w[1] - w[2] - w[3];
        double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        if (least > best_least) {
            best_least = least;
            best = e;
        }
    }
    sn_vec3 x[10];
    *point = (sn_elastic_point){.count = nodes};
    for (int k = 0; k < nodes; ++k) {
        point->vertices[k] = elements[(size_t)nodes * (size_t)best + (size_t)k];
        x[k] = sn_vec3_at(q + STRIDE * point->vertices[k]);
    }
    if (best_least > -INFINITY) {
        sn_tetrahedron_weights(nodes, x, world_point, point->weights);
    } else { // all are flat
        point->weights[0] = 1.0;
    }
}

void sn_elastic_read_point(const sn_agent_set *set, int agent, const sn_elastic_point *point,
                           sn_vec3 *position, sn_vec3 *velocity)
{
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    *position = *velocity = SN_VEC3_ZERO;
    for (int k = 0; k < point->count; ++k) {
        int at = STRIDE * point->vertices[k];
        *position = sn_vec3_add_scaled(*position, point->weights[k], sn_vec3_at(q + at));
        *velocity = sn_vec3_add_scaled(*velocity, point->weights[k], sn_vec3_at(v + at));
    }
}

void sn_elastic_push(const sn_elastic_point *point, sn_vec3 force, double *forces)
{
    for (int k = 0; k < point->count; ++k) {
        double *f = forces + STRIDE * point->vertices[k];
        f[0] += point->weights[k] * force.x;
        f[1] += point->weights[k] * force.y;
        f[2] += point->weights[k] * force.z;
    }
}

// ---- as a whole ----

void sn_elastic_set_frame(sn_agent_set *set, int agent, sn_transform frame)
{
    sn_elastic_mean mean;
    sn_elastic_find_mean(set, agent, true, &mean);
    sn_transform move = sn_transform_multiply(frame, sn_transform_inverse(mean.frame));
    double *q = sn_agent_q(set, agent);
    for (int i = 0; i < set->agents[agent].v_count; i += STRIDE) {
        sn_vec3_put(q + i, sn_transform_point(move, sn_vec3_at(q + i)));
    }
}

void sn_elastic_set_velocity(sn_agent_set *set, int agent, sn_vec3 velocity,
                             sn_vec3 angular_velocity)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_elastic_mean mean;
    sn_elastic_find_mean(set, agent, false, &mean);
    const double *q = sn_agent_q(set, agent);
    double *v = sn_agent_v(set, agent);
    sn_vec3 shift = sn_vec3_sub(velocity, mean.velocity),
            turn = sn_vec3_sub(angular_velocity, mean.angular_velocity);
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 arm = sn_vec3_sub(sn_vec3_at(q + STRIDE * i), mean.centre);
        sn_vec3 more = sn_vec3_add(shift, sn_cross(turn, arm));
        if (!item->fixed[i]) {
            sn_vec3_put(v + STRIDE * i, sn_vec3_add(sn_vec3_at(v + STRIDE * i), more));
        }
    }
}

double sn_elastic_fastest(const sn_agent_set *set, int agent)
{
    const double *v = sn_agent_v(set, agent);
    double fastest = 0.0;
    for (int i = 0; i < set->agents[agent].v_count; i += STRIDE) {
        fastest = fmax(fastest, sn_length(sn_vec3_at(v + i)));
    }
    return fastest;
}

void sn_elastic_hold(sn_agent_set *set, int agent, sn_vec3 local, double stiffness, double damping)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_elastic_hand hand = {.stiffness = stiffness, .damping = damping};
    if (sn_elastic_find_point(set, agent, local, &hand.point, NULL) != SN_OK) {
        return;
    }
    if (!item->held) {
        sn_array_clear(&item->hands);
    }
    item->held = sn_array_push(&item->hands, hand) || item->held; // else it is taken explicitly
}
