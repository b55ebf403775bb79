// Energy from nothing: in random scenes where nothing is driven, the total energy does not rise by
// more than 1 % of what is at stake in steps of which the report names no gain. What is at stake is
// the largest kinetic energy of the run and the range that the potential energy goes through.
//
//     SINEW_SCENE=17 build/release/tests/random_energy_test    one scene, printed
//     SINEW_SOAK=1 build/release/tests/random_energy_test      2,000 scenes (500 under sanitizers)
//     SINEW_FIRST=2001                                         the scenes from that one on
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_scene.h"
#include "sanitized.h"
#include "scene_text.h"

static const double MOST_RISE = 0.01;

typedef struct energy_watch {
    double kinetic, lowest, highest; // the most; potential
    double low;                      // total: the least since a step that the report names
    double rise, at;                 // the most above that, J, and when, s
    int named;                       // steps
} energy_watch;

// Whether the step's report says that something gained energy, was slowed down or stood still.
static bool is_named(const sn_step_report *report)
{
    return report->energy_gained > 0 || report->velocity_scaled > 0 || report->stopped > 0 ||
           report->damped > 0;
}

static void watch_energy(energy_watch *watch, const sn_world *world)
{
    sn_step_report report = sn_world_report(world);
    sn_energy energy = sn_world_energy(world);
    double total = energy.kinetic + energy.potential;
    bool first = sn_world_step_count(world) == 0;
    watch->kinetic = fmax(watch->kinetic, energy.kinetic);
    watch->lowest = first ? energy.potential : fmin(watch->lowest, energy.potential);
    watch->highest = first ? energy.potential : fmax(watch->highest, energy.potential);
    if (first || is_named(&report)) {
        watch->low = total;
        watch->named += !first;
    }
    if (!(total - watch->low <= watch->rise)) {
        watch->rise = total - watch->low;
        watch->at = sn_world_time(world);
    }
    watch->low = fmin(watch->low, total);
}

static sn_world *build_scene(const random_scene *scene, uint64_t seed)
{
    sn_scene *loaded = NULL;
    sn_world *world = NULL;
    sn_error_list errors = {0};
    sn_error error = {0};
    if (sn_scene_load_text("random", scene->text, strlen(scene->text), NULL, &loaded, &errors) !=
        SN_OK) {
        fail_msg("seed %d: %s\n%s", (int)seed, sn_error_message(&errors.items[0]), scene->text);
    }
    sn_error_list_free(&errors);
    if (sn_scene_build(loaded, &world, &error) != SN_OK ||
        sn_world_check_step(world, &error) != SN_OK) {
        fail_msg("seed %d: %s\n%s", (int)seed, sn_error_message(&error), scene->text);
    }
    sn_scene_destroy(loaded);
    return world;
}

// Whether energy came from nothing, with a line that says so.
static bool gains_energy(uint64_t seed, bool shown)
{
    static random_scene scene;
    energy_watch watch = {0};
    make_random_scene(&scene, seed);
    if (shown) {
        fputs(scene.text, stdout); // whole: print_message cuts texts short
    }
    sn_world *world = build_scene(&scene, seed);
    sn_error error = {0};
    watch_energy(&watch, world);
    for (int i = 0; i < scene.steps; ++i) {
        if (sn_world_step(world, scene.step, &error) != SN_OK) {
            print_error("seed %d, step %d: %s\n", (int)seed, i, sn_error_message(&error));
            sn_world_destroy(world);
            return true;
        }
        watch_energy(&watch, world);
    }
    double rounding = 1e-9 * fmax(fabs(watch.highest), fabs(watch.lowest));
    double stake = watch.kinetic + (watch.highest - watch.lowest) + rounding;
    bool gains = !(watch.rise <= MOST_RISE * stake);
    if (gains || shown) {
        print_error("seed %d: the energy rises by %.3g %% of %.3g J, at %.4g s of %.4g s; %d of %d "
                    "steps named\n",
                    (int)seed, 100.0 * watch.rise / stake, stake, watch.at, sn_world_time(world),
                    watch.named, scene.steps);
    }
    sn_world_destroy(world);
    return gains;
}

static void undriven_scenes_gain_no_energy(void **state)
{
    (void)state;
    const char *one = getenv("SINEW_SCENE"), *from = getenv("SINEW_FIRST");
    uint64_t first = from != NULL ? (uint64_t)atoll(from) : 1;
    int count = getenv("SINEW_SOAK") != NULL ? rounds_of(2000, 500) : rounds_of(100, 12),
        failed = 0;
    if (one != NULL) {
        assert_false(gains_energy((uint64_t)atoll(one), true));
        return;
    }
    for (int i = 0; i < count; ++i) {
        failed += gains_energy(first + (uint64_t)i, false);
    }
    print_message("%d of %d scenes gain energy\n", failed, count);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undriven_scenes_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
