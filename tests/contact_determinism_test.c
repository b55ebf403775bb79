// Worlds full of contacts come out the same to the bit: whatever the number of threads, with either
// kind of bounds, from a copy, from a saved state with what contacts remember, and in the replay of
// a recording.
//
// SINEW_SOAK=1 in the environment: a thousand boxes and a thousand steps each.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contact_scene.h"
#include "model/world.h"
#include "sanitized.h"

typedef struct scene {
    const char *name;
    void (*build)(sn_world *world);
    int steps, soak_steps;
} scene;

static bool is_soak(void)
{
    return getenv("SINEW_SOAK") != NULL;
}

static void build_pile(sn_world *world)
{
    scene_pile(world, is_soak() ? 1000 : 220);
}

static void build_stairs(sn_world *world)
{
    scene_stairs(world, is_soak() ? 8 : 1);
}

static void build_arch(sn_world *world)
{
    scene_arch(world, is_soak() ? 25 : 7, is_soak() ? 0.13 : 0.2);
}

static const scene scenes[] = {
    {"pile", build_pile, 36, 1000},
    {"stairs", build_stairs, 66, 1000},
    {"arch", build_arch, 15, 1000},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static int steps_of(const scene *of)
{
    return is_soak() ? of->soak_steps : of->steps;
}

static sn_world *make(const scene *made, int threads)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_error error = {0};
    def.threads = threads;
    scene_must(sn_world_create(&def, &world, &error), &error);
    made->build(world);
    scene_must(sn_world_assemble(world, &error), &error);
    return world;
}

static void run(sn_world *world, int steps)
{
    sn_error error = {0};
    for (int i = 0; i < steps; ++i) {
        if (sn_world_step(world, 1.0 / 240.0, &error) != SN_OK) {
            fail_msg("step %d: %s", i, sn_error_message(&error));
        }
    }
}

// k-DOPs leave out pairs that only boxes bring near each other, and nothing else: the same bits,
// with any number of threads, from a copy, and where a world goes over to them while it runs.
static void needles_fall(sn_world *world)
{
    scene_floor(world);
    for (int i = 0; i < 60; ++i) {
        sn_shape rod = sn_default_shape();
        rod.type = i % 2 == 0 ? SN_SHAPE_CAPSULE : SN_SHAPE_BOX;
        rod.radius = 0.01;
        rod.height = 0.6;
        rod.size = sn_vec3_make(0.02, 0.02, 0.6);
        sn_vec3 along = {1.0, 1.0, 0.7};
        sn_transform frame = scene_at(0.11 * (i % 10), 0.13 * (i / 10), 0.5 + 0.02 * (i % 7));
        frame.rotation = sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), sn_normalize(along));
        scene_add(world, rod, SN_BODY_RIGID, frame);
    }
}

static void use_bounds(sn_world *world, sn_contact_bounds bounds)
{
    sn_error error = {0};
    sn_contact_def def = sn_world_contact_def(world);
    def.bounds = bounds;
    scene_must(sn_world_set_contact_def(world, &def, &error), &error);
    assert_int_equal(sn_world_contact_def(world).bounds, bounds);
}

// Both go on; the first step that differs is told.
static void assert_same(sn_world *a, sn_world *b, int steps, const char *what)
{
    for (int i = 0; i <= steps; ++i) {
        if (sn_world_hash(a) != sn_world_hash(b)) {
            fail_msg("%s: differs after %d steps", what, i);
        }
        run(a, 1);
        run(b, 1);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; ++i) {
        uint64_t expected = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            sn_world *world = make(&scenes[i], threads);
            run(world, steps_of(&scenes[i]));
            assert_true(sn_world_report(world).contacts > 0);
            expected = threads == 1 ? sn_world_hash(world) : expected;
            if (sn_world_hash(world) != expected) {
                fail_msg("%s differs with %d threads", scenes[i].name, threads);
            }
            sn_world_destroy(world);
        }
    }
}

static void bounds_do_not_matter(void **state)
{
    (void)state;
    static const scene more[] = {{"needles", needles_fall, 160, 1000}};
    for (int i = 0; i <= SCENES; ++i) {
        const scene *of = i < SCENES ? &scenes[i] : &more[0];
        for (int threads = rounds_of(1, 2); threads <= 2; ++threads) {
            sn_world *boxes = make(of, 1), *dops = make(of, threads), *copy = NULL;
            long tested[2] = {0, 0};
            use_bounds(dops, SN_BOUNDS_KDOP);
            for (int k = 0; k < steps_of(of); ++k) {
                run(boxes, 1);
                run(dops, 1);
                if (sn_world_hash(boxes) != sn_world_hash(dops)) {
                    fail_msg("%s: k-DOPs differ after %d steps", of->name, k);
                }
                tested[0] += sn_world_report(boxes).pairs;
                tested[1] += sn_world_report(dops).pairs;
            }
            assert_true(sn_world_report(dops).contacts > 0 && tested[1] <= tested[0]);
            // What lies aslant is what they are for.
            assert_true(i < SCENES || 2 * tested[1] < tested[0]);
            scene_must(sn_world_copy(dops, &copy, NULL), NULL);
            assert_int_equal(sn_world_contact_def(copy).bounds, SN_BOUNDS_KDOP);
            use_bounds(boxes, SN_BOUNDS_KDOP);
            use_bounds(dops, SN_BOUNDS_BOX);
            use_bounds(copy, SN_BOUNDS_KDOP);
            for (int k = 0; k < 5; ++k) {
                run(boxes, 1);
                run(dops, 1);
                run(copy, 1);
                assert_true(sn_world_hash(boxes) == sn_world_hash(dops));
                assert_true(sn_world_hash(copy) == sn_world_hash(dops));
            }
            sn_world_destroy(boxes);
            sn_world_destroy(dops);
            sn_world_destroy(copy);
        }
    }
}

static void copies_go_on_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; ++i) {
        sn_world *world = make(&scenes[i], 1), *copy = NULL;
        sn_error error = {0};
        for (int part = 1; part <= 2; ++part) {
            run(world, steps_of(&scenes[i]) / 3);
            scene_must(sn_world_copy(world, &copy, &error), &error);
            assert_same(world, copy, 12, scenes[i].name);
            sn_world_destroy(copy);
        }
        sn_world_destroy(world);
    }
}

// A state with its contact memory, loaded into a world that was built alike and has a past of its
// own.
static void loaded_states_go_on_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; ++i) {
        sn_world *world = make(&scenes[i], 1), *other = make(&scenes[i], 2);
        sn_error error = {0};
        run(world, steps_of(&scenes[i]) / 2);
        run(other, 7);
        size_t size = sn_world_state_size(world), memory_size = sn_world_contact_memory_size(world);
        void *bytes = malloc(size), *memory = malloc(memory_size);
        assert_true(bytes != NULL && memory != NULL);
        scene_must(sn_world_save_state(world, bytes, size, &error), &error);
        scene_must(sn_world_save_contact_memory(world, memory, memory_size, &error), &error);
        scene_must(sn_world_load_state(other, bytes, size, &error), &error);
        scene_must(sn_world_load_contact_memory(other, memory, memory_size, &error), &error);
        assert_same(world, other, 12, scenes[i].name);
        free(bytes);
        free(memory);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

// How many courses of contacts in piles there are among the first `known`; each is still 0xFF.
static int untouched_courses(const sn_world *world, int known)
{
    int count = 0;
    for (int i = 0; i < world->touch.islands.islands.count; ++i) {
        const sn_island *island = &world->touch.islands.islands.data[i];
        int end = island->pair_first + island->pair_count;
        bool piled = world->touch.kinds.data[i] == SN_ISLAND_PILE;
        for (int k = island->pair_first; piled && k < (end < known ? end : known); ++k) {
            const unsigned char *bytes = (const unsigned char *)&world->touch.courses.data[k];
            for (size_t at = 0; at < sizeof(sn_contact_course); ++at) {
                assert_true(bytes[at] == 0xFF);
            }
            ++count;
        }
    }
    return count;
}

// Nothing of a step's course is used in the next one, and piles do not touch it.
static void courses_end_with_their_step(void **state)
{
    (void)state;
    int untouched = 0;
    for (int i = 0; i < SCENES; ++i) {
        sn_world *world = make(&scenes[i], 1), *other = make(&scenes[i], 1);
        for (int step = 0; step < steps_of(&scenes[i]); ++step) {
            int known = other->touch.courses.count;
            if (known > 0) { // no numbers
                memset(other->touch.courses.data, 0xFF, sizeof(sn_contact_course) * (size_t)known);
            }
            run(world, 1);
            run(other, 1);
            assert_true(sn_world_hash(world) == sn_world_hash(other));
            untouched += untouched_courses(other, known);
        }
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
    assert_true(untouched > 0);
}

// Memory with any byte changed is refused, or taken without harm; cut short it is refused.
static void damaged_memory_does_no_harm(void **state)
{
    (void)state;
    sn_world *world = make(&scenes[1], 1);
    sn_error error = {0};
    run(world, 66);
    size_t size = sn_world_contact_memory_size(world);
    unsigned char *memory = malloc(size);
    assert_non_null(memory);
    scene_must(sn_world_save_contact_memory(world, memory, size, &error), &error);
    for (size_t i = 0; i < size; i += 1 + size / 23) {
        memory[i] ^= 0xFF;
        sn_status status = sn_world_load_contact_memory(world, memory, size, &error);
        assert_true(status == SN_ERROR_FORMAT || status == SN_ERROR_MISMATCH);
        memory[i] ^= 0xFF;
        run(world, 1);
        assert_int_not_equal(
            sn_world_load_contact_memory(world, memory, size - 1 - i % size / 2, &error), SN_OK);
    }
    scene_must(sn_world_load_contact_memory(world, memory, size, &error), &error);
    run(world, 1);
    free(memory);
    sn_world_destroy(world);
}

static void recordings_replay_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; ++i) {
        char path[] = "/tmp/sinew-contact-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        sn_world *world = make(&scenes[i], 1);
        sn_error error = {0};
        sn_recorder_def def = {.path = path, .world = world, .frame_step = 0.1};
        sn_recorder *recorder = NULL;
        scene_must(sn_recorder_open(&def, &recorder, &error), &error);
        for (int k = 0; k < 30; ++k) {
            run(world, 1);
            scene_must(sn_recorder_step(recorder, world, &error), &error);
        }
        scene_must(sn_recorder_close(recorder, &error), &error);
        sn_recording *recording = NULL;
        sn_replay replay = {0};
        sn_world *again = make(&scenes[i], 2);
        scene_must(sn_recording_open(path, &recording, &error), &error);
        scene_must(sn_recording_replay_world(recording, again, NULL, NULL, &replay, &error),
                   &error);
        assert_int_equal(replay.compared, 30);
        assert_true(sn_world_hash(again) == sn_world_hash(world));
        sn_recording_close(recording);
        sn_world_destroy(again);
        sn_world_destroy(world);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(bounds_do_not_matter),
        cmocka_unit_test(copies_go_on_to_the_bit),
        cmocka_unit_test(loaded_states_go_on_to_the_bit),
        cmocka_unit_test(courses_end_with_their_step),
        cmocka_unit_test(damaged_memory_does_no_harm),
        cmocka_unit_test(recordings_replay_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
