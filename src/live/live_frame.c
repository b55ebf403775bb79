// Frames: the world as it stands, in the numbers that a picture needs; and meshes, once each.
#include <math.h>
#include <string.h>

#include "live/live.h"
#include "math/elementary.h"
#include "model/world.h"
#include "sinew/contact.h"
#include "sinew/draw.h"
#include "sinew/elastic.h"

enum {
    FRAME = 2,
    MESH = 3,
    PLAYING = 1,
    PAST = 2,
    SLOW = 4,
    HEAD = 104, // bytes of a frame before its probes
    // Arrows of the wind: about so many in the scene's box, equally far apart along all its edges.
    ARROWS = 200,
    ARROWS_MOST = 14, // along one edge
};

int sn_live_order_of(const sn_world *world, sn_body body)
{
    // Bodies that were added and never removed stand in the order of their indices.
    int guess = (int)body.index - 1;
    if (guess >= 0 && guess < sn_world_body_count(world) &&
        sn_world_body(world, guess).index == body.index) {
        return guess;
    }
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        if (sn_world_body(world, i).index == body.index) {
            return i;
        }
    }
    return -1;
}

static void put_vector(sn_bytes *bytes, sn_vec3 v)
{
    sn_bytes_put_f32(bytes, (float)v.x);
    sn_bytes_put_f32(bytes, (float)v.y);
    sn_bytes_put_f32(bytes, (float)v.z);
}

void sn_live_put_place(const sn_live *live, sn_bytes *bytes, sn_vec3 place)
{
    put_vector(bytes, sn_vec3_sub(place, live->origin));
}

static void put_frame(const sn_live *live, sn_bytes *bytes, sn_transform frame)
{
    sn_live_put_place(live, bytes, frame.position);
    sn_bytes_put_f32(bytes, (float)frame.rotation.w);
    sn_bytes_put_f32(bytes, (float)frame.rotation.x);
    sn_bytes_put_f32(bytes, (float)frame.rotation.y);
    sn_bytes_put_f32(bytes, (float)frame.rotation.z);
}

// What a joint did may be not known yet.
static sn_vec3 known(sn_vec3 v)
{
    return sn_vec3_is_finite(v) ? v : SN_VEC3_ZERO;
}

// ---- parts of a frame ----

// Of gravity alone: what an elastic body's material stores is not in it.
static double weight_energy(const sn_world *world, sn_body body)
{
    if (sn_body_get_type(world, body) != SN_BODY_ELASTIC) {
        return sn_body_energy(world, body).potential;
    }
    double mass = sn_body_mass_properties(world, body).mass;
    return -mass * sn_dot(sn_world_gravity(world), sn_body_centre(world, body));
}

void sn_live_energies(const sn_world *world, double energies[4])
{
    sn_energy energy = sn_world_energy(world);
    double weight = 0.0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        weight += weight_energy(world, sn_world_body(world, i));
    }
    const double numbers[4] = {energy.kinetic, weight, energy.potential - weight, energy.total};
    memcpy(energies, numbers, sizeof numbers);
}

static void put_energies(const sn_world *world, sn_bytes *bytes)
{
    double energies[4];
    sn_live_energies(world, energies);
    for (int i = 0; i < 4; ++i) {
        sn_bytes_put_f64(bytes, energies[i]);
    }
}

static int count_spots(const sn_world *world)
{
    int count = 0;
    for (int i = 0; i < sn_world_contact_count(world); ++i) {
        count += sn_world_contact(world, i).count;
    }
    return count;
}

static void put_contacts(const sn_live *live, sn_bytes *bytes)
{
    const sn_world *world = live->world;
    double h = sn_world_step_length(world), rate = h > 0.0 ? 1.0 / h : 0.0;
    for (int i = 0; i < sn_world_contact_count(world); ++i) {
        sn_contact_info contact = sn_world_contact(world, i);
        for (int k = 0; k < contact.count; ++k) {
            sn_bytes_put_u32(bytes, (uint32_t)sn_live_order_of(world, contact.body_a));
            sn_bytes_put_u32(bytes, (uint32_t)sn_live_order_of(world, contact.body_b));
            sn_live_put_place(live, bytes, contact.spots[k].position);
            put_vector(bytes, contact.normal);
            put_vector(bytes, sn_vec3_scale(rate, contact.spots[k].impulse));
        }
    }
}

static void put_joints(const sn_live *live, sn_bytes *bytes)
{
    const sn_world *world = live->world;
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        sn_joint_load load = sn_joint_reaction(world, joint);
        put_frame(live, bytes, sn_joint_child_transform(world, joint));
        put_vector(bytes, known(load.force));
        put_vector(bytes, known(load.torque));
    }
}

// Grabs as the world has them; while it is paused, as clients mean them.
static int put_grabs(const sn_live *live, sn_bytes *bytes)
{
    int count = 0;
    for (int i = 0; i < (live->past ? live->acting.count : SN_LIVE_CLIENT_LIMIT); ++i) {
        const sn_live_client *client = live->past ? NULL : live->clients[i];
        const sn_live_input *input = live->past ? &live->acting.data[i].input : NULL;
        bool holds =
            live->past ? (input->acts & SN_LIVE_HOLDS) != 0 : client != NULL && client->holds;
        if (!holds) {
            continue;
        }
        ++count;
        if (bytes == NULL) {
            continue;
        }
        uint32_t body = live->past ? input->body : client->body;
        sn_bytes_put_u32(bytes, live->past ? input->client : (uint32_t)client->number);
        sn_bytes_put_u32(bytes, body);
        sn_live_put_place(live, bytes,
                          sn_body_point(live->world, sn_world_body(live->world, (int)body),
                                        live->past ? input->point : client->point));
        sn_live_put_place(live, bytes, live->past ? input->target : client->to);
    }
    return count;
}

static bool has_wind(const sn_live *live)
{
    const sn_world *world = live->world;
    for (int i = 0; i < world->field_order.count; ++i) {
        if (sn_field_kind_of(&world->fields.data[world->field_order.data[i]])->blows) {
            return true;
        }
    }
    return false;
}

// How many arrows stand along each edge.
static int count_arrows(const sn_live *live, int along[3])
{
    sn_vec3 size = sn_vec3_sub(live->upper, live->lower);
    const double edges[3] = {size.x, size.y, size.z};
    double largest = fmax(size.x, fmax(size.y, size.z)), volume = 1.0;
    for (int k = 0; k < 3; ++k) {
        volume *= fmax(edges[k], largest / ARROWS_MOST);
    }
    double apart = sn_cbrt(volume / ARROWS);
    for (int k = 0; k < 3; ++k) {
        double count = largest > 0.0 ? floor(edges[k] / apart + 0.5) : 1.0;
        along[k] = count < 1.0 ? 1 : count > ARROWS_MOST ? ARROWS_MOST : (int)count;
    }
    return along[0] * along[1] * along[2];
}

static void put_arrows(const sn_live *live, sn_bytes *bytes)
{
    int along[3], count = count_arrows(live, along);
    sn_vec3 size = sn_vec3_sub(live->upper, live->lower);
    for (int i = 0; i < count; ++i) {
        const int at[3] = {i % along[0], i / along[0] % along[1], i / (along[0] * along[1])};
        sn_vec3 place = {live->lower.x + size.x * (at[0] + 0.5) / along[0],
                         live->lower.y + size.y * (at[1] + 0.5) / along[1],
                         live->lower.z + size.z * (at[2] + 0.5) / along[2]};
        sn_live_put_place(live, bytes, place);
        put_vector(bytes, known(sn_world_air_velocity(live->world, place)));
    }
}

// ---- the frame ----

typedef struct frame_counts {
    int contacts, joints, grabs, arrows;
} frame_counts;

static frame_counts count_all(const sn_live *live, const sn_live_client *client)
{
    const sn_world *world = live->world;
    int along[3];
    return (frame_counts){
        .contacts = client->shows_contacts ? count_spots(world) : 0,
        .joints = client->shows_joints ? sn_world_joint_count(world) : 0,
        .grabs = put_grabs(live, NULL),
        .arrows = client->shows_wind && has_wind(live) ? count_arrows(live, along) : 0,
    };
}

static void put_head(const sn_live *live, const sn_live_client *client, frame_counts counts,
                     sn_bytes *bytes)
{
    sn_bytes_put_u32(bytes, FRAME);
    sn_bytes_put_u32(bytes, live->generation);
    sn_bytes_put_f64(bytes, sn_world_time(live->world));
    sn_bytes_put_u64(bytes, sn_world_step_count(live->world));
    sn_bytes_put_f32(bytes, (float)live->reached);
    sn_bytes_put_f32(bytes, (float)(1e3 * (live->engine_seconds - client->engine_seconds)));
    sn_bytes_put_u32(bytes, (live->playing ? PLAYING : 0) | (live->past ? PAST : 0) |
                                (live->slow ? SLOW : 0));
    sn_bytes_put_u32(bytes, 0);
    sn_bytes_put_u32(bytes, (uint32_t)sn_world_body_count(live->world));
    sn_bytes_put_u32(bytes, (uint32_t)counts.contacts);
    sn_bytes_put_u32(bytes, (uint32_t)counts.joints);
    sn_bytes_put_u32(bytes, (uint32_t)counts.grabs);
    sn_bytes_put_u32(bytes, (uint32_t)live->model.bends.count);
    sn_bytes_put_u32(bytes, (uint32_t)client->watches.count);
    sn_bytes_put_u32(bytes, (uint32_t)counts.arrows);
    sn_bytes_put_u32(bytes, (uint32_t)live->model.links.count);
    put_energies(live->world, bytes);
}

void sn_live_write_frame(sn_live *live, const sn_live_client *client, sn_bytes *bytes)
{
    const sn_world *world = live->world;
    frame_counts counts = count_all(live, client);
    sn_bytes_clear(bytes);
    sn_bytes_reserve(bytes, HEAD + 28 * (size_t)sn_world_body_count(world));
    put_head(live, client, counts, bytes);
    for (int i = 0; i < client->watches.count; ++i) {
        const sn_live_watch *watch = &client->watches.data[i];
        sn_bytes_put_f64(bytes, watch->found ? sn_probe_read(world, &watch->probe) : NAN);
    }
    sn_world_frames(world, live->frames.data);
    sn_world_points(world, live->points.data);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        put_frame(live, bytes, live->frames.data[i]);
    }
    if (counts.contacts > 0) {
        put_contacts(live, bytes);
    }
    if (counts.joints > 0) {
        put_joints(live, bytes);
    }
    put_grabs(live, bytes);
    if (counts.arrows > 0) {
        put_arrows(live, bytes);
    }
    for (int i = 0; i < live->model.links.count; ++i) {
        sn_vec3 a, b;
        sn_model_link_ends(&live->model.links.data[i], live->frames.data, &a, &b);
        sn_live_put_place(live, bytes, a);
        sn_live_put_place(live, bytes, b);
    }
    sn_live_write_vertices(live, bytes);
}

// ---- meshes ----

void sn_live_write_mesh(sn_live *live, int index, sn_bytes *bytes)
{
    if (index >= live->model.meshes.count) {
        sn_live_write_surface_mesh(live, index - live->model.meshes.count, bytes);
        return;
    }
    const sn_shading *shading = &live->model.meshes.data[index].shading;
    sn_bytes_clear(bytes);
    sn_bytes_put_u32(bytes, MESH);
    sn_bytes_put_u32(bytes, live->generation);
    sn_bytes_put_u32(bytes, (uint32_t)index);
    sn_bytes_put_u32(bytes, (uint32_t)shading->vertex_count);
    sn_bytes_put_u32(bytes, (uint32_t)shading->triangle_count);
    sn_bytes_put_u32(bytes, 0);
    for (int i = 0; i < shading->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            sn_bytes_put_f32(bytes, shading->vertices[i].position[k]);
        }
    }
    for (int i = 0; i < shading->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            sn_bytes_put_f32(bytes, shading->vertices[i].normal[k]);
        }
    }
    for (int i = 0; i < 3 * shading->triangle_count; ++i) {
        sn_bytes_put_u32(bytes, shading->indices[i]);
    }
}
