// Breaths of scenes: the recordings that are shipped, what they do to a mobile, and the wind that a
// scene gets which has none for them.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "scene/path.h"
#include "scene_text.h"
#include "sinew/breath.h"
#include "sinew/joint.h"
#include "sinew/wave.h"
#include "sinew/wind.h"

static sn_motion *hear(const char *name)
{
    char path[80], *bytes = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "scenes/breaths/%s.wav", name);
    assert_int_equal(sn_path_read(path, 1 << 20, &bytes, &size, NULL), SN_OK);
    assert_true(size < 100000);
    sn_wave wave;
    sn_motion *course = NULL;
    assert_int_equal(sn_wave_read(bytes, size, &wave, NULL), SN_OK);
    assert_int_equal(sn_breath_course(sn_default_breath_def(), wave.rate, wave.samples, wave.count,
                                      &course, NULL, NULL),
                     SN_OK);
    sn_wave_free(&wave);
    sn_free(bytes);
    return course;
}

static double strongest(const sn_motion *course, double from, double to)
{
    double most = 0.0;
    for (double t = from; t < to; t += 0.005) {
        most = fmax(most, sn_motion_at(course, t).value);
    }
    return most;
}

// The first time at which the course is above or below a value.
static double first_time(const sn_motion *course, double from, double value, bool above)
{
    double t = from;
    while (t < 10.0 && (sn_motion_at(course, t).value > value) != above) {
        t += 0.001;
    }
    return t;
}

static void recordings_are_heard(void **state)
{
    (void)state;
    sn_motion *soft = hear("soft-blow"), *hard = hear("hard-blow"), *puffs = hear("three-puffs");
    sn_motion *voice = hear("voice"), *silence = hear("silence");
    assert_true(strongest(soft, 0.0, 5.0) > 0.35 && strongest(soft, 0.0, 5.0) < 0.6);
    assert_true(strongest(hard, 0.0, 5.0) > 0.9 && strongest(hard, 0.0, 5.0) < 1.3);
    // three times up, and down between
    assert_true(strongest(puffs, 0.4, 1.0) > 0.5 && strongest(puffs, 1.3, 1.9) > 0.5 &&
                strongest(puffs, 2.2, 2.8) > 0.5);
    assert_true(sn_motion_at(puffs, 1.25).value < 0.35 && sn_motion_at(puffs, 2.15).value < 0.35);
    assert_true(strongest(voice, 0.0, 5.0) < 0.01);
    assert_true(strongest(silence, 0.0, 5.0) == 0.0);
    // The blow starts at 0.5 s within 80 ms; 50 ms later, and as the mean square settles, it is
    // there. It ends at 2 s, from 150 ms before; the speed falls by e in 0.3 s.
    double up = first_time(hard, 0.4, 0.63, true);
    assert_true(up > 0.53 && up < 0.7);
    double high = sn_motion_at(hard, 2.2).value;
    double down = first_time(hard, 2.2, high / exp(1.0), false);
    assert_true(fabs(down - 2.2 - 0.3) < 0.02);
    sn_motion *all[] = {soft, hard, puffs, voice, silence};
    for (int i = 0; i < 5; ++i) {
        sn_motion_release(all[i]);
    }
}

static const char hanging[] =
    "{\"sinew\": 1, \"name\": \"plate\", \"bodies\": [{\"name\": \"breath\", \"position\": [0, 0, "
    "-0.1],\n"
    "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.001, 0.1], \"density\": 500}}],\n"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"hinge\", \"parent\": \"world\", \"child\": "
    "\"breath\",\n"
    "\"at\": [0, 0, 0], \"axis\": [1, 0, 0]}]\n";

static double blow_at(const char *text, const char *recording, sn_blow *blow, uint64_t *hash)
{
    sn_scene *scene = load(text);
    sn_motion *course = hear(recording);
    sn_error error = {0};
    if (sn_scene_blow(scene, course, blow, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_motion_release(course);
    sn_world *world = build(scene);
    sn_field field = sn_world_find_breath(world);
    assert_string_equal(sn_field_name(world, field), blow->wind);
    double most = 0.0;
    for (int i = 0; i < 400; ++i) {
        advance(world, 0.01, 1);
        most = fmax(most, fabs(sn_joint_position(world, sn_world_find_joint(world, "hinge"), 0)));
    }
    *hash = sn_world_hash(world);
    sn_world_destroy(world);
    // what a recording keeps does the same
    char *resolved = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_resolved_text(scene, &resolved, &length, NULL), SN_OK);
    world = build_text(resolved);
    advance(world, 0.01, 400);
    assert_true(sn_world_hash(world) == *hash);
    sn_world_destroy(world);
    sn_scene_free_text(resolved);
    sn_scene_destroy(scene);
    return most;
}

static void a_breath_moves_things(void **state)
{
    (void)state;
    char with[1200], without[1200];
    snprintf(without, sizeof without, "%s}", hanging);
    snprintf(with, sizeof with,
             "%s, \"fields\": [{\"type\": \"wind\", \"name\": \"other\", \"speed\": 0}, {\"type\": "
             "\"wind\", "
             "\"name\": \"mouth\", \"kind\": \"jet\", \"breath\": true, \"direction\": [0, 1, 0], "
             "\"position\": [0, -0.5, -0.1], \"speed\": 10, \"radius\": 0.01,\n\"strength\": "
             "{\"points\": [[0, 1]]}}]}",
             hanging);
    sn_blow blow;
    uint64_t hash, quiet;
    assert_true(blow_at(with, "hard-blow", &blow, &hash) > 0.05);
    assert_true(!blow.made && blow.speed == 10.0);
    assert_true(blow_at(with, "silence", &blow, &quiet) < 1e-9);
    assert_true(blow_at(with, "voice", &blow, &hash) < 1e-3);
    assert_true(blow_at(without, "hard-blow", &blow, &hash) > 0.05);
    assert_true(blow.made && blow.position.y < 0.0); // from -y, as there is no camera
    assert_true(blow_at(without, "silence", &blow, &quiet) < 1e-9);
}

static void nothing_to_blow_at(void **state)
{
    (void)state;
    sn_scene *scene = load("{\"sinew\": 1, \"name\": \"empty\"}");
    sn_motion *course = hear("silence");
    sn_blow blow;
    sn_error error = {0};
    assert_int_equal(sn_scene_blow(scene, course, &blow, &error), SN_ERROR_SCENE);
    assert_null(blow.wind);
    sn_motion_release(course);
    sn_scene_destroy(scene);
}

static void out_of_memory(void **state)
{
    (void)state;
    char text[1200];
    snprintf(text, sizeof text, "%s}", hanging);
    sn_motion *course = hear("soft-blow");
    for (int after = 0;; ++after) {
        sn_scene *scene = load(text);
        sn_blow blow;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        sn_status status = sn_scene_blow(scene, course, &blow, &error);
        sn_allocation_fail_after(-1);
        if (status != SN_OK) {
            assert_int_equal(status, SN_ERROR_MEMORY);
            assert_int_equal(sn_scene_blow(scene, course, &blow, &error), SN_OK);
        }
        sn_world *world = build(scene);
        assert_true(sn_world_find_breath(world).index != 0);
        assert_int_equal(sn_world_field_count(world), 1);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        if (status == SN_OK) {
            assert_true(after > 5);
            break;
        }
    }
    sn_motion_release(course);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_are_heard),
        cmocka_unit_test(a_breath_moves_things),
        cmocka_unit_test(nothing_to_blow_at),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
