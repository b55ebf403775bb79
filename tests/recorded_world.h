// A small world and its recording, shared by the tests of replay and exports: a tumbling box, a
// compound of two spheres on a spring, a second box of the same shape, and a static floor.
#ifndef TESTS_RECORDED_WORLD_H
#define TESTS_RECORDED_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "sinew/geometry.h"
#include "sinew/record.h"

#define RECORDED_STEP   0.002
#define RECORDED_STEPS  500
#define RECORDED_FRAMES 51 // every 20 ms

static inline sn_world *recorded_world_make(void)
{
    sn_world_def world_def = sn_default_world_def();
    sn_world *world = NULL;
    if (sn_world_create(&world_def, &world, NULL) != SN_OK) {
        abort();
    }
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.1, 0.2, 0.4);
    box.colour = 0xC04000;
    box.roughness = 0.25;
    box.metallic = 0.75;
    sn_shape balls[2] = {sn_default_shape(), sn_default_shape()};
    balls[0].radius = 0.05;
    balls[0].frame.position.x = -0.1;
    balls[1].radius = 0.05;
    balls[1].frame.position.x = 0.1;
    balls[1].colour = 0x00FF00;
    sn_shape floor = sn_default_shape();
    floor.type = SN_SHAPE_CYLINDER;
    floor.radius = 2.0;
    floor.height = 0.1;

    sn_body_def def = sn_default_body_def();
    sn_body body, dumbbell;
    def.name = "box";
    def.shapes = &box;
    def.shape_count = 1;
    def.frame.position = sn_vec3_make(0.0, 0.0, 3.0);
    def.velocity = sn_vec3_make(0.5, 0.0, 1.0);
    def.angular_velocity = sn_vec3_make(0.1, 6.0, 0.2);
    sn_status status = sn_world_add_body(world, &def, &body, NULL);
    def.name = "second <box> & \"friend\"";
    def.frame.position.y = 1.0;
    def.angular_velocity = sn_vec3_make(9.0, 0.0, 0.0);
    status |= sn_world_add_body(world, &def, &body, NULL);
    def = sn_default_body_def();
    def.name = "dumbbell";
    def.shapes = balls;
    def.shape_count = 2;
    def.frame.position = sn_vec3_make(1.0, 0.0, 2.0);
    status |= sn_world_add_body(world, &def, &dumbbell, NULL);
    def = sn_default_body_def();
    def.name = "floor";
    def.type = SN_BODY_STATIC;
    def.shapes = &floor;
    def.shape_count = 1;
    def.frame.position.z = -0.05;
    status |= sn_world_add_body(world, &def, &body, NULL);

    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = dumbbell;
    spring.point_a = sn_vec3_make(0.1, 0.0, 0.0);
    spring.point_b = sn_vec3_make(1.0, 0.0, 3.0);
    spring.stiffness = 200.0;
    spring.rest_length = 0.8;
    sn_field field;
    status |= sn_world_add_spring(world, &spring, &field, NULL);
    if (status != SN_OK) {
        abort();
    }
    return world;
}

// Steps the world and records it; the status of the first thing that failed.
static inline sn_status recorded_world_run(sn_world *world, const char *path, int steps,
                                           sn_error *error)
{
    sn_recorder_def def = {.path = path, .world = world, .frame_step = 0.02};
    sn_recorder *recorder = NULL;
    sn_status status = sn_recorder_open(&def, &recorder, error);
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, RECORDED_STEP, error);
        status = status == SN_OK ? sn_recorder_step(recorder, world, error) : status;
    }
    sn_status closed = sn_recorder_close(recorder, status == SN_OK ? error : NULL);
    return status == SN_OK ? closed : status;
}

static inline sn_recording *recorded_world_open(const char *path)
{
    sn_world *world = recorded_world_make();
    sn_recording *recording = NULL;
    if (recorded_world_run(world, path, RECORDED_STEPS, NULL) != SN_OK ||
        sn_recording_open(path, &recording, NULL) != SN_OK) {
        abort();
    }
    sn_world_destroy(world);
    return recording;
}

// A bar of one elastic body, clamped at one end, beside a ball; some frames of its fall.
#define BENT_FRAMES 5

static inline const char *bent_scene(void)
{
    return "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"100kPa\", \"colour\": "
           "\"#336699\"}}, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", "
           "\"radius\": 0.2}}, {\"name\": \"bar\", \"type\": \"elastic\", \"material\": \"soft\", "
           "\"position\": [1, 0, 1], \"mesh\": {\"type\": \"box\", \"size\": [1, 0.2, 0.2], "
           "\"cells\": [4, 1, 1]}, \"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-0.5, 0, "
           "0]}}], \"run\": {\"step\": 0.02, \"record_step\": 0.02}}";
}

// Two elements that share a face, of a red material and a blue one.
static inline const char *coloured_scene(void)
{
    return "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"materials\": {\"a\": {\"colour\": "
           "\"#d03020\"}, \"b\": {\"colour\": \"#2040d0\"}}, \"bodies\": [{\"name\": \"two\", "
           "\"type\": \"elastic\", \"materials\": [\"b\", \"a\"], \"mesh\": {\"type\": \"listed\", "
           "\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], \"elements\": "
           "[[0, 1, 2, 3], [1, 2, 3, 4]], \"regions\": [1, 0]}}], \"run\": {\"step\": 0.02, "
           "\"record_step\": 0.02}}";
}

// The recording at `path`, of the world of a scene as it begins.
static inline sn_recording *recording_of(const char *path, const char *text, sn_world **world)
{
    sn_scene *scene = NULL;
    sn_recorder *recorder = NULL;
    sn_recording *recording = NULL;
    sn_recorder_def def = {.path = path};
    if (sn_scene_load_text("bent", text, strlen(text), NULL, &scene, NULL) != SN_OK ||
        sn_scene_build(scene, world, NULL) != SN_OK) {
        abort();
    }
    def.scene = scene;
    def.world = *world;
    sn_status status = sn_recorder_open(&def, &recorder, NULL);
    for (int i = 1; i < BENT_FRAMES && status == SN_OK; ++i) {
        status = sn_world_step(*world, 0.02, NULL);
        status = status == SN_OK ? sn_recorder_step(recorder, *world, NULL) : status;
    }
    if (status != SN_OK || sn_recorder_close(recorder, NULL) != SN_OK ||
        sn_recording_open(path, &recording, NULL) != SN_OK) {
        abort();
    }
    sn_scene_destroy(scene);
    return recording;
}

static inline sn_recording *bent_recording(const char *path, sn_world **world)
{
    return recording_of(path, bent_scene(), world);
}

#endif
