// Mobiles of any size: binary trees with hooks and with strings hang still and keep their energy
// when struck, at the default step; what steps add to links is seen by nobody else.
//
// Depths 3 to 6 for some seconds; SINEW_SOAK=1 in the environment: depths 3 to 9, a minute each.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/world.h"
#include "sinew/contact.h"
#include "sinew/mechanics.h"

#define STEP (1.0 / 240.0)

static bool soaks(void)
{
    return getenv("SINEW_SOAK") != NULL;
}

// ---- mobiles ----

// Arms of two levels double what hangs below, and are longer by sqrt(2): nothing is in the way.
static void write_branch(FILE *out, int level, const char *string)
{
    if (level == 0) {
        fprintf(out, "{\"disc\": \"2cm\"%s}", string);
        return;
    }
    fprintf(out, "{\"arm\": \"%.4fcm\", \"bow\": \"2cm\"%s, \"carries\": [",
            10.0 + 14.1421 * pow(2.0, 0.5 * (level - 1)), string);
    write_branch(out, level - 1, string);
    fputs(", ", out);
    write_branch(out, level - 1, string);
    fputs("]}", out);
}

static sn_world *make_tree(int depth, bool strings)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fputs("{\"sinew\": 1, \"materials\": {\"al\": {\"density\": 2700}}, \"contact\": {\"method\": "
          "\"none\"}, \"mobiles\": [{\"name\": \"m\", \"material\": \"al\", \"balance\": "
          "\"pivots\", \"position\": [0, 0, 100], \"hangs\": ",
          out);
    write_branch(out, depth, strings ? ", \"string\": \"5cm\"" : "");
    fputs("}]}", out);
    assert_int_equal(fclose(out), 0);
    sn_world *world = build_text(text);
    free(text);
    return world;
}

static sn_world *load_world(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_file(path, NULL, &scene, &errors), SN_OK);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    sn_error_list_free(&errors);
    return world;
}

// ---- at rest ----

static void check_rest(sn_world *world, int steps, const char *name)
{
    double most = 0.0;
    for (int i = 0; i < steps; ++i) {
        advance(world, STEP, 1);
        most = fmax(most, sn_world_energy(world).kinetic);
    }
    if (!(most < 1e-12 * fabs(sn_world_energy(world).total))) {
        fail_msg("%s: %g J", name, most);
    }
    sn_world_destroy(world);
}

static void test_hangs_still(void **state)
{
    (void)state;
    int deepest = soaks() ? 9 : 6, steps = soaks() ? 60 * 240 : 480;
    for (int depth = 3; depth <= deepest; ++depth) {
        for (int strings = 0; strings < 2; ++strings) {
            char name[40];
            snprintf(name, sizeof name, "depth %d, %s", depth, strings ? "strings" : "hooks");
            check_rest(make_tree(depth, strings), steps, name);
        }
    }
    check_rest(load_world("tests/faults/mobile_shakes.json"), steps, "mobile_shakes");
}

// ---- struck ----

// A blow on the last leaf, off its middle; means over the first and the last quarter, as parts of
// the energy that it gave.
static void check_struck(int depth, bool strings, double impulse, int steps)
{
    sn_world *world = make_tree(depth, strings);
    sn_body leaf = sn_world_body(world, sn_world_body_count(world) - 1);
    double rest = sn_world_energy(world).total, first = 0.0, last = 0.0;
    sn_vec3 at =
        sn_vec3_add(sn_body_transform(world, leaf).position, sn_vec3_make(0.003, 0, 0.002));
    sn_body_add_force(world, leaf, sn_vec3_scale(impulse / STEP, sn_vec3_make(0.3, 1.0, 0.2)), at);
    for (int i = 0; i < steps; ++i) {
        advance(world, STEP, 1);
        double energy = sn_world_energy(world).total - rest;
        first += i < steps / 4 ? energy : 0.0;
        last += i >= steps - steps / 4 ? energy : 0.0;
    }
    if (!(first > 0.0 && fabs(last / first - 1.0) < 1e-3)) {
        fail_msg("depth %d, %s, %g N s: %g of %g J", depth, strings ? "strings" : "hooks", impulse,
                 last - first, first);
    }
    sn_world_destroy(world);
}

static void test_struck(void **state)
{
    (void)state;
    for (int depth = 3; depth <= (soaks() ? 9 : 5); ++depth) {
        for (int strings = 0; strings < 2; ++strings) {
            check_struck(depth, strings, 1e-3, soaks() ? 60 * 240 : 8 * 240);
        }
    }
}

// ---- what is slowed ----

// The fastest swing is the fastest mode, which knows nothing of the factor that finds it; and of
// steps too long for it the links get inertia, of shorter ones none.
static void test_fastest_swing(void **state)
{
    (void)state;
    for (int depth = 3; depth <= 5; ++depth) {
        sn_world *world = make_tree(depth, true);
        sn_modes modes = {0};
        sn_error error = {0};
        assert_int_equal(sn_world_modes(world, &modes, &error), SN_OK);
        double fastest = modes.list[modes.count - 1].frequency;
        sn_modes_free(&modes);
        sn_fast_swing swing;
        int count = 0;
        assert_int_equal(sn_world_find_fast_swings(world, 0.1, &swing, 1, &count, &error), SN_OK);
        assert_int_equal(count, 1);
        assert_true(swing.mass_scaled);
        assert_true(fabs(swing.frequency / fastest - 1.0) < 1e-6);
        assert_true(fabs(2.0 * SN_PI * swing.frequency * swing.step - 1.0) < 1e-6);
        assert_string_equal(sn_body_name(world, swing.body), "m/arm1");
        advance(world, 0.999 * swing.step, 1);
        assert_int_equal(sn_world_report(world).mass_scaled, 0);
        advance(world, 1.001 * swing.step, 1);
        assert_int_equal(sn_world_report(world).mass_scaled, 1);
        sn_world_destroy(world);
    }
}

static void strike(sn_world *world)
{
    sn_body leaf = sn_world_body(world, sn_world_body_count(world) - 1);
    sn_body_add_force(world, leaf, sn_vec3_make(0.1, 0.2, 0.0),
                      sn_body_transform(world, leaf).position);
}

// With all links slowed that have fast swings, none has omega h above 0.6: seen by the modes of a
// tree whose links have the inertia for their own.
static void test_slowed_enough(void **state)
{
    (void)state;
    sn_world *world = make_tree(4, true);
    advance(world, STEP, 1);
    sn_articulation *item = world->articulations.items[0];
    assert_true(item->mass_scaled);
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_sym3 *a = &item->swings.added[i].inertia;
        sn_mat3 added = {{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}};
        sn_tree_link *link = &item->tree.links[i];
        link->inertia = sn_mat3_add(link->inertia, added);
        link->principal = false;
        link->round = -1;
    }
    sn_modes modes = {0};
    sn_error error = {0};
    assert_int_equal(sn_world_modes(world, &modes, &error), SN_OK);
    double fastest = modes.list[modes.count - 1].angular_frequency * STEP;
    assert_true(fastest < 0.6001 && fastest > 0.3);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// A chain of rods on balls, every third one ten times as heavy, or a comb: teeth on a chain.
static void make_linkage(sn_tree *tree, int count, bool comb)
{
    assert_true(sn_tree_allocate(tree, count));
    for (int i = 0; i < count; ++i) {
        double mass = i % 3 == 2 ? 1.0 : 0.1;
        tree->links[i] = (sn_tree_link){
            .parent = comb && i % 2 == 0 ? i - 2 : i - 1,
            .joint = i % 5 == 4 ? SN_TREE_HINGE : SN_TREE_BALL,
            .frame = {SN_MAT3_IDENTITY, {0.0, 0.0, i > 0 ? -0.1 : 0.0}},
            .mass = mass,
            .centre = {0.0, 0.0, -0.05},
            .inertia = sn_mat3_diagonal(sn_vec3_make(8e-4 * mass, 8e-4 * mass, 5e-5 * mass))};
        tree->links[i].parent = i > 0 && tree->links[i].parent < 0 ? 0 : tree->links[i].parent;
    }
    sn_tree_finish(tree);
}

// The search takes linear time: rounds do not grow with the number of links.
static void test_few_rounds(void **state)
{
    (void)state;
    for (int comb = 0; comb < 2; ++comb) {
        for (int count = 10; count <= 10000; count *= 10) {
            sn_tree tree = {0};
            sn_tree_swings swings = {0};
            make_linkage(&tree, count, comb);
            assert_true(sn_tree_swings_allocate(&swings, &tree));
            double *q = calloc((size_t)tree.q_count, sizeof *q);
            sn_tree_inertia *extra = calloc((size_t)count, sizeof *extra);
            sn_swing_work work = {&tree, q, extra};
            assert_true(sn_tree_swings_find(&swings, 9.81, 0.05, &work));
            assert_in_range(swings.rounds, 1, 6);
            assert_false(sn_tree_swings_find(&swings, 9.81, 0.001 / sqrt(count), &work));
            assert_int_equal(swings.rounds, 0);
            free(q);
            free(extra);
            sn_tree_swings_free(&swings);
            sn_tree_free(&tree);
        }
    }
}

// Copies, and worlds that load the state, go on alike; energies of bodies are without what is
// added, the world's has it; modes and accelerations are those of the links' own inertia, before a
// step and after it.
static void test_seen_by_nobody(void **state)
{
    (void)state;
    sn_world *world = make_tree(5, true), *copy = NULL, *loaded = make_tree(5, true);
    sn_error error = {0};
    advance(world, STEP, 2);
    strike(world);
    advance(world, STEP, 30);
    assert_int_equal(sn_world_report(world).mass_scaled, 1);
    assert_int_equal(sn_world_copy(world, &copy, &error), SN_OK);
    size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, &error), SN_OK);
    assert_int_equal(sn_world_load_state(loaded, bytes, size, &error), SN_OK);
    free(bytes);
    double kinetic = 0.0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        kinetic += sn_body_energy(world, sn_world_body(world, i)).kinetic;
    }
    const sn_agent_set *set = &world->articulations.agents;
    sn_measure measure;
    set->type->measure(set, 0, world->gravity, &measure);
    assert_true(fabs(kinetic / measure.kinetic - 1.0) < 1e-12);
    assert_true(measure.added > 0.0);
    assert_true(fabs((kinetic + measure.added) / sn_world_energy(world).kinetic - 1.0) < 1e-12);
    sn_modes before = {0}, after = {0};
    assert_int_equal(sn_world_modes(copy, &before, &error), SN_OK);
    assert_int_equal(sn_world_modes(world, &after, &error), SN_OK);
    assert_int_equal(before.count, after.count);
    for (int i = 0; i < before.count; ++i) {
        assert_true(before.list[i].frequency == after.list[i].frequency);
    }
    sn_modes_free(&before);
    sn_modes_free(&after);
    advance(world, STEP, 30);
    advance(copy, STEP, 30);
    advance(loaded, STEP, 30);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    assert_true(sn_world_hash(world) == sn_world_hash(loaded));
    sn_world_destroy(world);
    sn_world_destroy(copy);
    sn_world_destroy(loaded);
}

// ---- leaves that hang close together ----

static double most_kinetic(sn_world *world, int steps)
{
    double most = 0.0;
    for (int i = 0; i < steps; ++i) {
        advance(world, STEP, 1);
        assert_int_equal(sn_world_report(world).restored_mechanisms, 0);
        most = fmax(most, sn_world_energy(world).kinetic);
    }
    return most;
}

static void test_leaves_swing(void **state)
{
    (void)state;
    sn_world *world = load_world("tests/faults/leaves_freeze.json");
    sn_left_out_pair pair;
    sn_error error = {0};
    int count = 0;
    assert_int_equal(sn_world_find_left_out(world, &pair, 1, &count, &error), SN_OK);
    assert_int_equal(count, 1);
    assert_string_equal(sn_body_name(world, pair.body_a), "m/b");
    assert_string_equal(sn_body_name(world, pair.body_b), "m/c");
    double most = most_kinetic(world, 3 * 240); // 7.54e-5 J at 2 ms
    assert_true(most > 7.4e-5 && most < 7.7e-5);
    sn_world_destroy(world);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

// The gill of the fish hangs over its neighbour: they swing, as it does a little farther away.
static void test_gill_swings(void **state)
{
    (void)state;
    double most[8] = {0.0};
    for (int at = 27; at <= 33; at += at < 29 ? 2 : 1) {
        char *text = read_text("scenes/steel-fish.json"), *place = strstr(text, "\"at\": \"24cm\"");
        assert_non_null(place);
        memcpy(place, at == 27 ? "\"at\": \"27cm\"" : "\"at\": \"30cm\"", 12);
        place[7] = (char)('0' + at / 10);
        place[8] = (char)('0' + at % 10);
        sn_world *world = build_text(text);
        most[at - 26] = most_kinetic(world, 240);
        sn_world_destroy(world);
        free(text);
        assert_true(most[at - 26] > 0.5 * most[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hangs_still),   cmocka_unit_test(test_struck),
        cmocka_unit_test(test_fastest_swing), cmocka_unit_test(test_slowed_enough),
        cmocka_unit_test(test_few_rounds),    cmocka_unit_test(test_seen_by_nobody),
        cmocka_unit_test(test_leaves_swing),  cmocka_unit_test(test_gill_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
