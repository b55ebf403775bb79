// The texts of a live world: who is there, what the scene is, how it goes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "live/live.h"
#include "model/world.h"

// ---- pieces of JSON ----

// Bytes of the UTF-8 character that begins there; 0: it is none.
static size_t character_length(const unsigned char *c)
{
    if (c[0] < 0x80) {
        return 1;
    }
    size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || surrogate ? 0 : length;
}

// A string of JSON. Names of files and texts cut short may be no UTF-8, which a browser would close
// the connection for: "?" stands for what is none.
static void add_string(sn_text *text, const char *value)
{
    const unsigned char *at = (const unsigned char *)value;
    size_t length = 1;
    while (*at != '\0' && length > 0) {
        length = character_length(at);
        at += length;
    }
    if (length > 0) {
        sn_text_json_string(text, value);
        return;
    }
    sn_text clean = {0};
    for (at = (const unsigned char *)value; *at != '\0'; at += length > 0 ? length : 1) {
        length = character_length(at);
        sn_text_add_bytes(&clean, length > 0 ? (const char *)at : "?", length > 0 ? length : 1);
    }
    text->failed = text->failed || clean.failed;
    sn_text_json_string(text, clean.failed ? "" : clean.data);
    sn_text_free(&clean);
}

static void add_number(sn_text *text, double value)
{
    if (isfinite(value)) {
        sn_text_number(text, value);
    } else {
        sn_text_add(text, "null");
    }
}

static void add_key(sn_text *text, const char *key)
{
    sn_text_format(text, ", \"%s\": ", key);
}

void sn_live_text_start(sn_text *text, const char *is)
{
    sn_text_format(text, "{\"is\": \"%s\"", is);
}

void sn_live_text_end(sn_text *text)
{
    sn_text_add(text, "}");
}

void sn_live_text_number(sn_text *text, const char *key, double value)
{
    add_key(text, key);
    add_number(text, value);
}

void sn_live_text_integer(sn_text *text, const char *key, uint64_t value)
{
    sn_text_format(text, ", \"%s\": %llu", key, (unsigned long long)value);
}

void sn_live_text_string(sn_text *text, const char *key, const char *value)
{
    add_key(text, key);
    add_string(text, value);
}

void sn_live_text_bool(sn_text *text, const char *key, bool value)
{
    sn_text_format(text, ", \"%s\": %s", key, value ? "true" : "false");
}

static void add_numbers(sn_text *text, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        sn_text_add(text, i == 0 ? "[" : ", ");
        add_number(text, values[i]);
    }
    sn_text_add(text, count == 0 ? "[]" : "]");
}

void sn_live_text_vector(sn_text *text, const char *key, sn_vec3 v)
{
    add_key(text, key);
    add_numbers(text, (const double[]){v.x, v.y, v.z}, 3);
}

void sn_live_text_rotation(sn_text *text, const char *key, sn_quat q)
{
    add_key(text, key);
    add_numbers(text, (const double[]){q.w, q.x, q.y, q.z}, 4);
}

void sn_live_text_colour(sn_text *text, const char *key, uint32_t colour)
{
    sn_text_format(text, ", \"%s\": \"#%06x\"", key, (unsigned)(colour & 0xffffff));
}

// ---- welcome, errors ----

void sn_live_write_welcome(const sn_live *live, const sn_live_client *client, sn_text *text)
{
    sn_live_text_start(text, "welcome");
    sn_live_text_integer(text, "protocol", SN_LIVE_PROTOCOL);
    sn_live_text_string(text, "version", sn_version());
    sn_live_text_string(text, "engine", live->engine);
    sn_live_text_integer(text, "client", (uint64_t)client->number);
    sn_text_add(text, ", \"scenes\": [");
    for (int i = 0; i < live->def.scene_count; ++i) {
        const sn_live_entry *entry = &live->scenes[i];
        sn_text_add(text, i > 0 ? ",\n{\"name\": " : "\n{\"name\": ");
        add_string(text, entry->name);
        if (entry->own) {
            sn_live_text_bool(text, "own", true);
        }
        sn_live_text_string(text, "title", entry->title);
        sn_live_text_string(text, "description", entry->description);
        sn_live_text_string(text, "group", entry->group);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
    sn_live_text_end(text);
}

void sn_live_write_error(sn_text *text, const sn_error *errors, int count, const char *doing,
                         double id)
{
    sn_live_text_start(text, "error");
    if (id >= 0.0) {
        sn_live_text_number(text, "id", id);
    }
    sn_live_text_string(text, "while", doing);
    sn_live_text_string(text, "text", count > 0 ? errors[0].text : sn_status_text(SN_ERROR_MEMORY));
    if (count > 0 && errors[0].place[0] != '\0') {
        sn_live_text_string(text, "place", errors[0].place);
    }
    if (count > 1) {
        sn_text_add(text, ", \"errors\": [");
        for (int i = 0; i < count; ++i) {
            sn_text_add(text, i > 0 ? ",\n{\"place\": " : "\n{\"place\": ");
            add_string(text, errors[i].place);
            sn_live_text_string(text, "text", errors[i].text);
            sn_text_add(text, "}");
        }
        sn_text_add(text, "]");
    }
    sn_live_text_end(text);
}

// ---- the scene ----

static void write_shapes(const sn_live *live, int body, sn_text *text)
{
    bool first = true;
    sn_text_add(text, ", \"shapes\": [");
    for (int i = 0; i < live->model.parts.count; ++i) {
        const sn_model_part *part = &live->model.parts.data[i];
        if (part->body != body) {
            continue;
        }
        const sn_model_material *material = &live->model.materials.data[part->material];
        sn_text_format(text, "%s{\"mesh\": %d", first ? "" : ", ", part->mesh);
        sn_live_text_vector(text, "position", part->frame.position);
        sn_live_text_rotation(text, "rotation", part->frame.rotation);
        sn_live_text_colour(text, "colour", material->colour);
        sn_live_text_number(text, "roughness", (double)material->roughness);
        sn_live_text_number(text, "metallic", (double)material->metallic);
        sn_text_add(text, "}");
        first = false;
    }
    sn_text_add(text, "]");
}

static void write_bodies(const sn_live *live, sn_text *text)
{
    sn_text_add(text, ", \"bodies\": [");
    for (int i = 0; i < sn_world_body_count(live->world); ++i) {
        sn_body body = sn_world_body(live->world, i);
        sn_mass_properties mass = sn_body_mass_properties(live->world, body);
        sn_text_format(text, "%s{\"id\": %d", i > 0 ? ",\n" : "\n", i);
        sn_live_text_string(text, "name", sn_body_name(live->world, body));
        sn_live_text_bool(text, "static", sn_body_get_type(live->world, body) == SN_BODY_STATIC);
        sn_live_text_number(text, "mass", mass.mass);
        sn_live_text_vector(text, "centre", mass.centre);
        write_shapes(live, i, text);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
}

static void write_joints(const sn_live *live, sn_text *text)
{
    const sn_world *world = live->world;
    sn_text_add(text, ", \"joints\": [");
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        sn_text_format(text, "%s{\"id\": %d", i > 0 ? ",\n" : "\n", i);
        sn_live_text_string(text, "name", sn_joint_name(world, joint));
        sn_live_text_string(text, "type", sn_joint_type_word(sn_joint_get_type(world, joint)));
        sn_text_format(text, ", \"parent\": %d, \"child\": %d}",
                       sn_live_order_of(world, sn_joint_parent(world, joint)),
                       sn_live_order_of(world, sn_joint_child(world, joint)));
    }
    sn_text_add(text, "]");
}

static void write_lines(const sn_live *live, sn_text *text)
{
    sn_text_add(text, ", \"lines\": [");
    for (int i = 0; i < live->model.links.count; ++i) {
        const sn_model_link *link = &live->model.links.data[i];
        const char *kind = link->turns > 0.0              ? "spring"
                           : link->body_a == link->body_b ? "string"
                                                          : "rod";
        sn_text_format(text, "%s{\"kind\": \"%s\"", i > 0 ? ", " : "", kind);
        sn_live_text_number(text, "radius", link->radius);
        sn_live_text_number(text, "wire", link->wire);
        sn_live_text_number(text, "turns", link->radius > 0.0 ? link->turns : 0.0);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
}

static void write_params(const sn_live *live, sn_text *text)
{
    sn_text_add(text, ", \"params\": [");
    for (int i = 0; i < sn_scene_param_count(live->scene); ++i) {
        sn_param param = sn_scene_param(live->scene, i);
        sn_text_add(text, i > 0 ? ",\n{\"name\": " : "\n{\"name\": ");
        add_string(text, param.name);
        sn_live_text_number(text, "value", param.value);
        sn_live_text_number(text, "start", live->start_params[i]);
        sn_live_text_number(text, "min", param.minimum);
        sn_live_text_number(text, "max", param.maximum);
        sn_live_text_string(text, "unit", param.unit != NULL ? param.unit : "");
        sn_live_text_string(text, "label", param.label != NULL ? param.label : param.name);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "], \"probes\": [");
    for (int i = 0; i < live->probes.count; ++i) {
        sn_named_probe named = {.name = ""};
        (void)sn_scene_probe(live->scene, live->world, i, &named, NULL);
        sn_text_add(text, i > 0 ? ", {\"name\": " : "{\"name\": ");
        add_string(text, named.name);
        sn_live_text_string(text, "unit", sn_probe_unit(live->world, &live->probes.data[i]));
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
}

static void write_winds(const sn_live *live, sn_text *text)
{
    const sn_world *world = live->world;
    bool first = true;
    sn_text_add(text, ", \"winds\": [");
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        if (!sn_field_kind_of(field)->blows) {
            continue;
        }
        sn_wind_def def = sn_wind_def_of(field->wind);
        sn_text_add(text, first ? "{\"name\": " : ", {\"name\": ");
        add_string(text, field->name);
        sn_live_text_string(text, "kind", sn_wind_kind_word(def.kind));
        sn_live_text_vector(text, "position", def.position);
        sn_live_text_vector(text, "direction", def.direction);
        sn_live_text_number(text, "speed", def.speed);
        sn_live_text_number(text, "radius", def.radius);
        sn_live_text_number(text, "length", def.kind == SN_WIND_CONE ? def.length : 0.0);
        sn_live_text_bool(text, "breath", def.breath);
        sn_text_add(text, "}");
        first = false;
    }
    sn_text_add(text, "]");
}

static void add_box(sn_text *text, const char *key, sn_vec3 lower, sn_vec3 upper)
{
    add_key(text, key);
    sn_text_add(text, "[");
    add_numbers(text, (const double[]){lower.x, lower.y, lower.z}, 3);
    sn_text_add(text, ", ");
    add_numbers(text, (const double[]){upper.x, upper.y, upper.z}, 3);
    sn_text_add(text, "]");
}

static void write_view(const sn_live *live, sn_text *text)
{
    sn_camera camera = live->camera;
    sn_text_format(text, ", \"camera\": {\"given\": %s", camera.given ? "true" : "false");
    sn_live_text_vector(text, "position", camera.position);
    sn_live_text_vector(text, "target", camera.target);
    sn_live_text_number(text, "field_of_view", camera.field_of_view);
    sn_text_add(text, "}");
    add_box(text, "size", live->lower, live->upper);
    add_box(text, "frame", live->frame.lower, live->frame.upper);
    sn_live_text_vector(text, "origin", live->origin);
    if (live->model.floor.given) {
        sn_text_add(text, ", \"floor\": {\"height\": ");
        add_number(text, live->model.floor.height);
        sn_live_text_colour(text, "colour", live->model.floor.colour);
        sn_text_add(text, "}");
    } else {
        sn_text_add(text, ", \"floor\": null");
    }
}

// As they are now: a scene is sent at its start.
static void write_energies(const sn_live *live, sn_text *text)
{
    double energies[4];
    sn_live_energies(live->world, energies);
    for (int i = 0; i < 4; ++i) {
        sn_text_add(text, i == 0 ? ", \"energies\": [" : ", ");
        add_number(text, energies[i]);
    }
    sn_text_add(text, "]");
}

void sn_live_write_scene(const sn_live *live, sn_text *text)
{
    sn_run run = sn_scene_run(live->scene);
    sn_live_text_start(text, "scene");
    sn_live_text_integer(text, "generation", live->generation);
    sn_live_text_string(text, "name", live->name);
    sn_live_text_string(text, "title", sn_scene_name(live->scene));
    sn_live_text_string(text, "description", sn_scene_description(live->scene));
    sn_live_text_string(text, "source", live->foreign ? "" : live->path);
    sn_live_text_number(text, "step", run.step);
    sn_live_text_string(text, "policy", sn_policy_word(run.policy));
    sn_live_text_vector(text, "gravity", sn_world_gravity(live->world));
    sn_live_text_number(text, "duration", run.time);
    write_energies(live, text);
    sn_live_text_bool(text, "keeps", live->keeps);
    sn_live_text_integer(text, "meshes",
                         (uint64_t)(live->model.meshes.count + live->model.bends.count));
    write_view(live, text);
    write_bodies(live, text);
    sn_live_write_surfaces(live, text);
    write_joints(live, text);
    write_lines(live, text);
    write_params(live, text);
    write_winds(live, text);
    sn_live_text_end(text);
}

// ---- how it goes ----

static int client_count(const sn_live *live)
{
    int count = 0;
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        count += live->clients[i] != NULL;
    }
    return count;
}

// Those that are not 0, with the words of `sinew run`.
static void write_counters(const sn_history_counters *counters, sn_text *text)
{
    bool first = true;
    sn_text_format(text, ", \"counters\": {\"steps\": %lu, \"list\": [",
                   (unsigned long)counters->steps);
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        if (counters->each[i] > 0) {
            sn_text_add(text, first ? "{\"name\": " : ", {\"name\": ");
            add_string(text, sn_counter_word((sn_counter)i));
            sn_live_text_integer(text, "steps", counters->each[i]);
            sn_live_text_string(text, "text", sn_counter_text((sn_counter)i));
            sn_text_add(text, "}");
            first = false;
        }
    }
    sn_text_add(text, "]}");
}

void sn_live_write_status(const sn_live *live, sn_text *text, bool all)
{
    sn_live_text_start(text, "status");
    sn_live_text_bool(text, "playing", live->playing);
    sn_live_text_bool(text, "waits", live->waits);
    sn_live_text_number(text, "speed", live->speed);
    sn_live_text_bool(text, "slow", live->slow);
    sn_live_text_bool(text, "past", live->past);
    sn_live_text_integer(text, "clients", (uint64_t)client_count(live));
    if (all) {
        int count = sn_history_count(&live->history);
        sn_history_moment first = {0}, last = {0};
        if (count > 0) {
            sn_history_moment_at(&live->history, 0, &first);
            sn_history_moment_at(&live->history, count - 1, &last);
        }
        sn_live_text_number(text, "time", sn_world_time(live->world));
        sn_live_text_integer(text, "steps", sn_world_step_count(live->world));
        sn_live_text_number(text, "reached", live->playing ? live->reached : NAN);
        write_counters(&live->counters, text);
        sn_text_add(text, ", \"history\": {\"from\": ");
        add_number(text, first.time);
        bool present = !live->past; // also what is not remembered yet
        sn_live_text_number(text, "to", present ? sn_world_time(live->world) : last.time);
        sn_live_text_number(text, "at", sn_world_time(live->world));
        sn_live_text_integer(text, "steps",
                             sn_history_steps(&live->history) +
                                 (present ? (uint64_t)live->steps.count : 0));
        sn_live_text_integer(text, "bytes", live->history.bytes);
        sn_text_add(text, "}");
    }
    sn_live_text_end(text);
}

static void write_body_joint(const sn_world *world, sn_joint joint, sn_text *text)
{
    int freedoms = sn_joint_type_freedoms(sn_joint_get_type(world, joint));
    double positions[6], velocities[6];
    for (int k = 0; k < freedoms; ++k) {
        positions[k] = sn_joint_position(world, joint, k);
        velocities[k] = sn_joint_velocity(world, joint, k);
    }
    sn_joint_load load = sn_joint_reaction(world, joint);
    sn_text_add(text, "{\"name\": ");
    add_string(text, sn_joint_name(world, joint));
    sn_live_text_string(text, "type", sn_joint_type_word(sn_joint_get_type(world, joint)));
    sn_live_text_bool(text, "broken", sn_joint_is_broken(world, joint));
    add_key(text, "positions");
    add_numbers(text, positions, freedoms);
    add_key(text, "velocities");
    add_numbers(text, velocities, freedoms);
    sn_live_text_vector(text, "force", load.force);
    sn_live_text_vector(text, "torque", load.torque);
    sn_text_add(text, "}");
}

static void write_motion(const sn_world *world, sn_body body, sn_text *text)
{
    sn_transform frame = sn_body_transform(world, body);
    sn_live_text_vector(text, "position", frame.position);
    sn_live_text_rotation(text, "rotation", frame.rotation);
    sn_live_text_vector(text, "centre", sn_body_centre(world, body));
    sn_live_text_vector(text, "velocity", sn_body_velocity(world, body));
    sn_live_text_vector(text, "spin", sn_body_angular_velocity(world, body));
}

void sn_live_write_inspected(const sn_live *live, int order, sn_text *text)
{
    const sn_world *world = live->world;
    sn_body body = sn_world_body(world, order);
    sn_energy energy = sn_body_energy(world, body);
    int contacts = 0;
    sn_vec3 pressed = sn_body_contact_force(world, body, &contacts);
    sn_live_text_start(text, "inspected");
    sn_live_text_integer(text, "body", (uint64_t)order);
    sn_live_text_string(text, "name", sn_body_name(world, body));
    sn_live_text_bool(text, "static", sn_body_get_type(world, body) == SN_BODY_STATIC);
    sn_live_text_number(text, "mass", sn_body_mass_properties(world, body).mass);
    sn_live_text_number(text, "time", sn_world_time(world));
    write_motion(world, body, text);
    sn_live_text_number(text, "kinetic", energy.kinetic);
    sn_live_text_number(text, "potential", energy.potential);
    sn_live_text_integer(text, "contacts", (uint64_t)contacts);
    sn_live_text_vector(text, "contact_force", pressed);
    sn_text_add(text, ", \"joints\": [");
    bool first = true;
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        if (sn_joint_parent(world, joint).index == body.index ||
            sn_joint_child(world, joint).index == body.index) {
            sn_text_add(text, first ? "" : ", ");
            write_body_joint(world, joint, text);
            first = false;
        }
    }
    sn_text_add(text, "]");
    sn_live_text_end(text);
}

void sn_live_write_breath(const sn_live_breath *breath, sn_text *text)
{
    sn_live_text_start(text, "breath");
    sn_live_text_string(text, "state", sn_microphone_word(breath->microphone));
    sn_live_text_number(text, "level", sn_breath_level(&breath->heard));
    sn_live_text_number(text, "floor", breath->heard.def.floor);
    sn_live_text_number(text, "full_level", breath->heard.def.full_level);
    sn_live_text_number(text, "speed", sn_live_breath_speed(breath));
    sn_live_text_bool(text, "calibrated", breath->calibrated);
    sn_live_text_integer(text, "clipped", breath->heard.clipped);
    sn_live_text_integer(text, "broken", breath->heard.broken);
    sn_live_text_end(text);
}

void sn_live_write_state(const sn_live *live, sn_text *text)
{
    const sn_world *world = live->world;
    sn_text_add(text, "{\"scene\": ");
    add_string(text, sn_scene_name(live->scene));
    sn_live_text_number(text, "time", sn_world_time(world));
    sn_live_text_integer(text, "steps", sn_world_step_count(world));
    sn_text_format(text, ", \"hash\": \"%016llx\"", (unsigned long long)sn_world_hash(world));
    sn_text_add(text, ",\n\"bodies\": [");
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_text_add(text, i > 0 ? ",\n{\"name\": " : "\n{\"name\": ");
        add_string(text, sn_body_name(world, body));
        write_motion(world, body, text);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "],\n\"joints\": [");
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_text_add(text, i > 0 ? ",\n" : "\n");
        write_body_joint(world, sn_world_joint(world, i), text);
    }
    sn_text_add(text, "]}\n");
}
