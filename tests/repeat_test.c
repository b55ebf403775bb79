// Every scene that comes with the project comes to the same bits again, whatever happens on the
// way: copied, saved and loaded, with steps that were interrupted, and gone back and forth in a
// live world. SINEW_SCENE=name in the environment: that scene alone.
#include "shipped_scenes.h"

#include "base/memory.h"
#include "sanitized.h"
#include "sinew/live.h"

enum { STEPS = 120 };
// A copy is made after every so many steps, and goes on for so many; so many steps fail at first.
enum { COPY_EVERY = 15, COPY_STEPS = 2, COPIES = STEPS / COPY_EVERY, FAILED_STEPS = 4 };

// ---- all that a world goes on from ----

typedef struct moment {
    unsigned char *state, *memory;
    size_t state_size, memory_size;
    uint64_t hash;
} moment;

static moment save(const sn_world *world)
{
    moment m = {.state_size = sn_world_state_size(world),
                .memory_size = sn_world_contact_memory_size(world),
                .hash = sn_world_hash(world)};
    m.state = malloc(m.state_size + 1);
    m.memory = malloc(m.memory_size + 1);
    assert_true(m.state != NULL && m.memory != NULL);
    assert_int_equal(sn_world_save_state(world, m.state, m.state_size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(world, m.memory, m.memory_size, NULL), SN_OK);
    return m;
}

static void release(moment *m)
{
    free(m->state);
    free(m->memory);
    *m = (moment){0};
}

static void load_moment(const char *name, sn_world *world, const moment *m)
{
    sn_error error = {0};
    if (sn_world_load_state(world, m->state, m->state_size, &error) != SN_OK ||
        sn_world_load_contact_memory(world, m->memory, m->memory_size, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
}

static bool is_same(const moment *a, const moment *b)
{
    return a->hash == b->hash && a->state_size == b->state_size &&
           a->memory_size == b->memory_size && memcmp(a->state, b->state, a->state_size) == 0 &&
           memcmp(a->memory, b->memory, a->memory_size) == 0;
}

// What is different is said once for each scene and kind; the test fails at its end.
typedef struct tally {
    int different;
} tally;

static bool check_same(tally *t, const char *name, const char *what, const sn_world *world,
                       const moment *expected)
{
    moment now = save(world);
    bool same = is_same(&now, expected);
    if (!same) {
        bool state = now.state_size != expected->state_size ||
                     memcmp(now.state, expected->state, now.state_size) != 0;
        print_error("%s, %s, step %llu: %s differ\n", name, what,
                    (unsigned long long)sn_world_step_count(world),
                    now.hash != expected->hash ? "hash and state"
                    : state                    ? "numbers of the state that are in no hash"
                                               : "memories of contacts");
        t->different += 1;
    }
    release(&now);
    return same;
}

// ---- the ways to come there ----

// A copy goes on as the original does.
static void try_copy(tally *t, const char *name, const sn_scene *scene, const sn_world *from,
                     const moment *moments, int at, int last)
{
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(from, &copy, NULL), SN_OK); // the copy of a copy
    bool same = check_same(t, name, "copied", copy, &moments[at]);
    for (int i = at + 1; i <= last && same && step_shipped(name, scene, copy); ++i) {
        same = check_same(t, name, "copied", copy, &moments[i]);
    }
    sn_world_destroy(copy);
}

// So does another world into which the state was loaded.
static void try_load(tally *t, const char *name, sn_scene *scene, const moment *moments, int at,
                     int last)
{
    sn_world *other = build_shipped(name, scene, 1);
    step_shipped(name, scene, other);
    load_moment(name, other, &moments[at]);
    bool same = check_same(t, name, "loaded", other, &moments[at]);
    for (int i = at + 1; i <= last && same && step_shipped(name, scene, other); ++i) {
        same = check_same(t, name, "loaded", other, &moments[i]);
    }
    sn_world_destroy(other);
}

typedef struct countdown {
    int left;
} countdown;

static bool is_up(void *context)
{
    countdown *count = context;
    return count->left-- == 0;
}

// A step that was interrupted wherever it can be has not happened.
static void try_failures(tally *t, const char *name, sn_scene *scene, const moment *moments, int at,
                         int last)
{
    sn_world *world = build_shipped(name, scene, 1);
    for (int i = 1; i <= at; ++i) {
        step_shipped(name, scene, world);
    }
    bool same = true;
    int failures = 0;
    for (int i = at + 1; i <= last && same && !sn_world_stopped(world); ++i) {
        sn_status status = SN_ERROR_STOPPED;
        for (int after = 0; status == SN_ERROR_STOPPED && same; ++after) {
            countdown count = {after < 6 ? after : 1 << 30};
            sn_world_set_stop(world, is_up, &count);
            status = sn_world_step(world, sn_scene_run(scene).step, NULL);
            assert_true(status == SN_OK || status == SN_ERROR_STOPPED);
            failures += status != SN_OK;
            if (status != SN_OK) {
                same = check_same(t, name, "after a failed step", world, &moments[i - 1]);
            }
        }
        same = same && check_same(t, name, "after a step that failed at first", world, &moments[i]);
    }
    assert_true(failures > 0);
    sn_world_destroy(world);
}

// ---- a live world ----

typedef struct player {
    const char *name;
    sn_live *live;
    int client;
} player;

static void say(player *p, const char *text)
{
    assert_true(sn_live_receive(p->live, p->client, text, strlen(text), false));
}

// All that was asked for is done, and what the client is told is taken.
static void settle(player *p)
{
    for (int i = 0; i < 100000 && !sn_live_is_idle(p->live); ++i) {
        sn_live_advance(p->live, 0.0);
    }
    sn_live_message message;
    while (sn_live_take(p->live, p->client, &message)) {
        char start[40]; // messages say at once what they are
        size_t length = message.size < sizeof start - 1 ? message.size : sizeof start - 1;
        memcpy(start, message.data, length);
        start[length] = '\0';
        bool error = !message.binary && strstr(start, "\"error\"") != NULL;
        if (error) {
            fail_msg("%s: %.*s", p->name, (int)message.size, (const char *)message.data);
        }
    }
}

static void start_player(player *p, const char *name)
{
    char path[128];
    static char text[1 << 18];
    *p = (player){.name = name};
    snprintf(path, sizeof path, "scenes/%s.json", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    assert_true(length < sizeof text);
    fclose(file);
    sn_live_def def = sn_default_live_def();
    def.threads = 1;
    sn_error error = {0};
    assert_int_equal(sn_live_create(&def, &p->live, &error), SN_OK);
    if (sn_live_load_text(p->live, path, text, length, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
    p->client = sn_live_join(p->live, NULL);
    say(p, "{\"do\": \"hello\", \"protocol\": 1}");
    say(p, "{\"do\": \"pause\"}");
    settle(p);
}

static void step_by(player *p, int count)
{
    char text[80];
    snprintf(text, sizeof text, "{\"do\": \"step\", \"count\": %d}", count);
    say(p, text);
    settle(p);
}

// Back by so many steps and forward again, through the history; then back once more, and on by
// new steps from there.
static void try_live(tally *t, const char *name, const sn_scene *scene, const moment *moments,
                     int last)
{
    static const int ways[] = {1, 10, 60};
    player p;
    start_player(&p, name);
    step_by(&p, last);
    bool same = check_same(t, name, "live", sn_live_world(p.live), &moments[last]);
    for (int k = 0; k < 3 && same; ++k) {
        int back = ways[k] < last ? ways[k] : last;
        step_by(&p, -back);
        same = check_same(t, name, "back", sn_live_world(p.live), &moments[last - back]);
        step_by(&p, back);
        same = same && check_same(t, name, "and forth", sn_live_world(p.live), &moments[last]);
    }
    int at = 0;
    step_by(&p, -last);
    say(&p, "{\"do\": \"play\"}");
    for (int i = 0; i < 20 * STEPS && same && at < last; ++i) {
        sn_live_advance(p.live, sn_scene_run(scene).step);
        int now = (int)sn_world_step_count(sn_live_world(p.live));
        if (now > at && now <= last) {
            at = now;
            same = check_same(t, name, "on from the past", sn_live_world(p.live), &moments[at]);
        }
    }
    assert_true(!same || at == last);
    sn_live_destroy(p.live);
}

// Scenes whose steps take long take fewer of them, but for a soak.
static int steps_of(const char *name)
{
    static const char *const slow[] = {"beam-bench", "contact-springs"};
    bool is_slow = false;
    for (int i = 0; i < 2; ++i) {
        is_slow = is_slow || strcmp(name, slow[i]) == 0;
    }
    return getenv("SINEW_SOAK") != NULL ? STEPS : rounds_of(is_slow ? STEPS / 4 : STEPS, 16);
}

static void test_worlds(void **state)
{
    (void)state;
    scene_names list = list_scenes();
    tally t = {0};
    for (int n = 0; n < list.count; n += rounds_of(1, 4)) {
        const char *name = list.names[n];
        sn_scene *scene = load_shipped(name);
        sn_world *world = build_shipped(name, scene, 1);
        moment moments[STEPS + 1];
        int last = 0, steps = steps_of(name);
        moments[0] = save(world);
        sn_world *copies[COPIES] = {NULL};
        for (int i = 1; i <= steps && step_shipped(name, scene, world); ++i, ++last) {
            moments[i] = save(world);
            if (i % COPY_EVERY == 0) {
                assert_int_equal(sn_world_copy(world, &copies[i / COPY_EVERY - 1], NULL), SN_OK);
            }
        }
        for (int k = 0; k < COPIES && copies[k] != NULL; ++k) {
            int from = (k + 1) * COPY_EVERY, end = from + COPY_STEPS;
            try_copy(&t, name, scene, copies[k], moments, from, end < last ? end : last);
            sn_world_destroy(copies[k]);
        }
        sn_world_destroy(world);
        int at = last / 2;
        try_load(&t, name, scene, moments, at, last);
        try_live(&t, name, scene, moments, last);
        try_failures(&t, name, scene, moments, at,
                     last < at + FAILED_STEPS ? last : at + FAILED_STEPS);
        for (int i = 0; i <= last; ++i) {
            release(&moments[i]);
        }
        sn_scene_destroy(scene);
    }
    assert_int_equal(t.different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
