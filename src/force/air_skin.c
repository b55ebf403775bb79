// Winds on elastic bodies: every face of the skin is a patch with one side, where it lies now and
// as its vertices move. A face's force goes to its three vertices alike. Implicit steps take the
// law `air` linearised, with -df/dw of a face shared out to its vertices as well.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "force/air.h"
#include "model/world.h"

enum { STRIDE = SN_SOLID_STRIDE };

sn_status sn_world_make_air_skins(sn_world *world, sn_error *error)
{
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_deformable(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        sn_elastic_item *item = sn_elastic_item_of(set, at.agent);
        if (item->skin == NULL) {
            sn_status status = sn_skin_of_tetrahedra(
                item->mesh, STRIDE, world->bodies.data[set->agents[at.agent].owner].name,
                &item->skin, error);
            if (status != SN_OK) {
                return status;
            }
        }
        size_t bytes = (size_t)item->mass.vertex_count * 9 * sizeof *item->drag;
        item->drag = item->drag != NULL ? item->drag : sn_allocate_zero(bytes);
        if (item->drag == NULL) {
            return sn_fail_memory(error, bytes);
        }
    }
    return SN_OK;
}

// One face of a body's skin, now.
typedef struct air_face {
    int vertices[3]; // of the body
    uint64_t number; // for random numbers
    sn_vec3 centre, velocity, normal;
    double area;
} air_face;

static air_face face_at(const sn_agent_set *set, int agent, const sn_skin *skin, int index)
{
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    air_face face = {.number = ((uint64_t)set->agents[agent].owner << 32) + (uint64_t)index};
    sn_vec3 x[3];
    for (int k = 0; k < 3; ++k) {
        face.vertices[k] = skin->vertices[skin->faces[3 * index + k]];
        x[k] = sn_vec3_at(q + STRIDE * face.vertices[k]);
        face.centre = sn_vec3_add_scaled(face.centre, 1.0 / 3.0, x[k]);
        face.velocity =
            sn_vec3_add_scaled(face.velocity, 1.0 / 3.0, sn_vec3_at(v + STRIDE * face.vertices[k]));
    }
    sn_vec3 twice = sn_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[2], x[0]));
    double length = sn_length(twice);
    face.area = 0.5 * length;
    face.normal = length > 0.0 ? sn_vec3_scale(1.0 / length, twice) : SN_VEC3_ZERO;
    return face;
}

// Winds of the law `air` are summed before they act, the others act one by one.
static void blow_on_face(const sn_world *world, const air_face *face, double time, sn_vec3 *force,
                         sn_mat3 *damping)
{
    const sn_air *air = &world->air;
    sn_vec3 total = SN_VEC3_ZERO;
    *force = SN_VEC3_ZERO;
    *damping = SN_MAT3_ZERO;
    for (int i = 0; i < air->winds.count; ++i) {
        const sn_wind *wind = air->winds.data[i];
        double strength = air->strengths.data[i];
        if (strength == 0.0 || wind->def.speed == 0.0) {
            continue;
        }
        sn_vec3 velocity = sn_vec3_scale(strength, sn_wind_full_velocity(wind, face->centre, time));
        if (wind->def.law == SN_WIND_LAW_AIR) {
            total = sn_vec3_add(total, velocity);
        } else if (sn_dot(velocity, face->normal) < 0.0) {
            sn_vec3 push = sn_wind_face_force(air->def.density, face->area, face->normal, velocity);
            *force = sn_vec3_add(*force, push);
            if (wind->def.random_share > 0.0) {
                *force = sn_vec3_add(*force, sn_wind_random_force(push, wind->def.random_share,
                                                                  wind->def.seed, face->number,
                                                                  world->steps));
            }
        }
    }
    if (air->any_air_law) {
        sn_vec3 pressed;
        sn_air_force(&air->def, face->area, 1, face->normal, sn_vec3_sub(total, face->velocity),
                     &pressed, damping);
        *force = sn_vec3_add(*force, pressed);
    }
}

static void blow_on_skin(sn_world *world, sn_agent_set *set, int agent, double time)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *f = set->joint_force + set->agents[agent].v_first;
    memset(item->drag, 0, (size_t)item->mass.vertex_count * 9 * sizeof *item->drag);
    item->dragged = world->air.any_air_law;
    for (int i = 0; i < item->skin->face_count; ++i) {
        air_face face = face_at(set, agent, item->skin, i);
        sn_vec3 force;
        sn_mat3 damping;
        blow_on_face(world, &face, time, &force, &damping);
        for (int k = 0; k < 3; ++k) {
            double *to = f + STRIDE * face.vertices[k], *drag = item->drag + 9 * face.vertices[k];
            to[0] += force.x / 3.0;
            to[1] += force.y / 3.0;
            to[2] += force.z / 3.0;
            for (int j = 0; j < 9; ++j) {
                drag[j] += damping.m[j / 3][j % 3] / 3.0;
            }
        }
    }
}

typedef struct skin_work {
    sn_world *world;
    double time;
    int group, set;
} skin_work;

static void blow_on(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const skin_work *work = context;
    for (int i = first; i < last; ++i) {
        if (work->world->group_of[work->set].data[i] == work->group) {
            blow_on_skin(work->world, work->world->sets[work->set], i, work->time);
        }
    }
}

void sn_world_add_air_to_skins(sn_world *world, double time, int group)
{
    for (int s = 0; s < world->set_count; ++s) {
        if (sn_world_traits(world, s)->deformable) {
            skin_work work = {world, time, group, s};
            sn_threads_run(world->threads, world->sets[s]->count, 1, blow_on, &work);
        }
    }
}
