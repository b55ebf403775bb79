// The ledger: where every scene that comes with the project comes to, to the bit. Its file,
// tests/data/ledger.txt, has a line for each scene with a hash of all positions and velocities
// after every 20th of 240 steps. A change that is not meant to change motion must leave it as it
// is; one that is meant to renews lines, and its commit names them with the reason:
//
//     SINEW_LEDGER=write build/release/tests/ledger_test      writes all lines anew
//     SINEW_SCENE=box-pile build/release/tests/ledger_test    one scene alone
//
// One thread and two must agree, and so must a copy, a world into which the state was loaded, and
// one whose step failed at first.
#include "shipped_scenes.h"

#include "base/hash.h"
#include "model/world.h"
#include "sanitized.h"

enum { STEPS = 240, EVERY = 20, HASHES = STEPS / EVERY };
static const char ledger_path[] = "tests/data/ledger.txt";

// Where things are and how they move, and nothing else that the world remembers: what is remembered
// may be arranged anew without a new line.
static uint64_t hash_motion(const sn_world *world)
{
    uint64_t hash = 0;
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        for (int i = 0; i < set->count; ++i) {
            const sn_agent *agent = &set->agents[i];
            hash = sn_hash64(sn_agent_q(set, i), (size_t)agent->q_count * sizeof(double), hash);
            hash = sn_hash64(sn_agent_v(set, i), (size_t)agent->v_count * sizeof(double), hash);
        }
    }
    return hash;
}

typedef struct ledger_line {
    char name[64];
    uint64_t hashes[HASHES];
    int count;
} ledger_line;

static int read_ledger(ledger_line *lines)
{
    FILE *file = fopen(ledger_path, "r");
    int count = 0;
    char text[32 * HASHES];
    while (file != NULL && count < MOST_SCENES && fgets(text, sizeof text, file) != NULL) {
        ledger_line *line = &lines[count++];
        *line = (ledger_line){.count = 0};
        int used = 0, more = 0;
        unsigned long long hash;
        assert_int_equal(sscanf(text, "%63s%n", line->name, &used), 1);
        while (line->count < HASHES && sscanf(text + used, "%llx%n", &hash, &more) == 1) {
            line->hashes[line->count++] = hash;
            used += more;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

static void write_ledger(const ledger_line *lines, int count)
{
    FILE *file = fopen(ledger_path, "w");
    assert_non_null(file);
    for (int i = 0; i < count; ++i) {
        fprintf(file, "%s", lines[i].name);
        for (int k = 0; k < lines[i].count; ++k) {
            fprintf(file, " %016llx", (unsigned long long)lines[i].hashes[k]);
        }
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

// ---- runs ----

// On to the next hash; false when the world has stopped before.
static bool go_on(const char *name, const sn_scene *scene, sn_world *world)
{
    for (int i = 0; i < EVERY; ++i) {
        if (!step_shipped(name, scene, world)) {
            return false;
        }
    }
    return true;
}

static int check_end(const char *what, const ledger_line *line, const sn_scene *scene,
                     sn_world *world, int next)
{
    bool same = go_on(line->name, scene, world) && hash_motion(world) == line->hashes[next];
    if (!same) {
        print_error("%s: %s at step %d goes another way within %d steps\n", line->name, what,
                    EVERY * next, EVERY);
    }
    return same ? 0 : 1;
}

static sn_world *load_copy(const char *name, const sn_scene *scene, const sn_world *from)
{
    sn_world *to = build_shipped(name, scene, 1);
    size_t size = sn_world_state_size(from), memory = sn_world_contact_memory_size(from);
    unsigned char *bytes = malloc(size + memory);
    assert_non_null(bytes);
    assert_int_equal(sn_world_save_state(from, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(from, bytes + size, memory, NULL), SN_OK);
    step_shipped(name, scene, to); // it is not a new one
    assert_int_equal(sn_world_load_state(to, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(to, bytes + size, memory, NULL), SN_OK);
    free(bytes);
    return to;
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

// What goes on from here by other ways must come to the hash `next` of the line.
static int try_ways(const ledger_line *line, const sn_scene *scene, const sn_world *world, int next)
{
    sn_world *copy = NULL, *failing = NULL;
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_copy(world, &failing, NULL), SN_OK);
    sn_world *loaded = load_copy(line->name, scene, world);
    int bad = check_end("a copy", line, scene, copy, next);
    bad += check_end("a loaded state", line, scene, loaded, next);
    sn_world_set_stop(failing, at_once, NULL);
    assert_int_equal(sn_world_step(failing, sn_scene_run(scene).step, NULL), SN_ERROR_STOPPED);
    sn_world_set_stop(failing, NULL, NULL);
    bad += check_end("a step that failed at first", line, scene, failing, next);
    sn_world_destroy(copy);
    sn_world_destroy(failing);
    sn_world_destroy(loaded);
    return bad;
}

// Fills the line by a run on so many threads.
static sn_world *run(ledger_line *line, const sn_scene *scene, int threads, int most,
                     sn_world *ways[2])
{
    sn_world *world = build_shipped(line->name, scene, threads);
    for (line->count = 0; line->count < most && go_on(line->name, scene, world); ++line->count) {
        line->hashes[line->count] = hash_motion(world);
        for (int k = 0; k < 2 && ways != NULL; ++k) {
            if (sn_world_step_count(world) == (k == 0 ? 60 : 120)) {
                assert_int_equal(sn_world_copy(world, &ways[k], NULL), SN_OK);
            }
        }
    }
    return world;
}

static int check_scene(ledger_line *line, int most)
{
    sn_scene *scene = load_shipped(line->name);
    sn_world *ways[2] = {NULL, NULL};
    ledger_line other = *line;
    sn_world_destroy(run(line, scene, 1, most, ways));
    sn_world_destroy(run(&other, scene, 2, most, NULL));
    int bad = 0;
    if (other.count != line->count ||
        memcmp(other.hashes, line->hashes, (size_t)line->count * sizeof(uint64_t)) != 0) {
        print_error("%s: another way with two threads\n", line->name);
        bad += 1;
    }
    for (int k = 0; k < 2; ++k) {
        int next = (k == 0 ? 60 : 120) / EVERY;
        bad += ways[k] != NULL && next < line->count ? try_ways(line, scene, ways[k], next) : 0;
        sn_world_destroy(ways[k]);
    }
    sn_scene_destroy(scene);
    return bad;
}

static int compare(const ledger_line *now, const ledger_line *ledger, int count)
{
    int at = 0;
    while (at < count && strcmp(ledger[at].name, now->name) != 0) {
        at += 1;
    }
    if (at == count) {
        print_error("%s: not in %s\n", now->name, ledger_path);
        return 1;
    }
    for (int k = 0; k < now->count; ++k) {
        if (k >= ledger[at].count || now->hashes[k] != ledger[at].hashes[k]) {
            print_error("%s: differs from %s at step %d\n", now->name, ledger_path,
                        EVERY * (k + 1));
            return 1;
        }
    }
    return 0;
}

static void scenes_come_to_the_bits_of_the_ledger(void **state)
{
    (void)state;
    static ledger_line ledger[MOST_SCENES], lines[MOST_SCENES];
    scene_names list = list_scenes();
    const char *wish = getenv("SINEW_LEDGER");
    bool writes = wish != NULL && strcmp(wish, "write") == 0;
    int known = read_ledger(ledger), bad = 0;
    for (int n = 0; n < list.count; n += rounds_of(1, 4)) {
        snprintf(lines[n].name, sizeof lines[n].name, "%s", list.names[n]);
        bad += check_scene(&lines[n], rounds_of(HASHES, 1));
        bad += writes ? 0 : compare(&lines[n], ledger, known);
    }
    if (writes && getenv("SINEW_SCENE") == NULL) {
        write_ledger(lines, list.count);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_come_to_the_bits_of_the_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
