// How a live world is first seen and when its clock starts: frames of scenes without a camera, the
// origin of places far from zero, waiting for the first page, what a mended mistake resumes,
// notices with their times.
#include "draw/stage.h"
#include "live_client.h"

static sn_live *load(const char *text)
{
    sn_live *live = make_live(1 << 20);
    sn_error error = {0};
    if (sn_live_load_text(live, "mine.json", text, strlen(text), &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return live;
}

// ---- what is framed ----

static bool is_box(sn_aabb box, sn_vec3 lower, sn_vec3 upper, double tolerance)
{
    return sn_distance(box.lower, lower) < tolerance && sn_distance(box.upper, upper) < tolerance;
}

#define BALL(x, y, z)                                                                              \
    "{\"name\": \"ball\", \"position\": [" x ", " y ", " z "], "                                   \
    "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}}"
#define FLOOR ", {\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}}"
#define STILL(size, position)                                                                      \
    ", {\"name\": \"still\", \"type\": \"static\", \"position\": " position                        \
    ", \"shape\": {\"type\": \"box\", \"size\": " size "}}"
#define SCENE(bodies, more) "{\"sinew\": 1, \"bodies\": [" bodies "]" more "}"
#define HOOK                                                                                       \
    ", \"joints\": [{\"name\": \"hook\", \"type\": \"ball\", \"child\": \"ball\", "                \
    "\"at\": [0, 0, 1.05]}]"

static void frames_hold_what_matters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sn_vec3 lower, upper;
    } cases[] = {
        {SCENE(BALL("0", "0", "1"), ""), {-0.05, -0.05, 0.95}, {0.05, 0.05, 1.05}},
        // what falls, with the floor it falls on, unless that is far below
        {SCENE(BALL("0", "0", "1") FLOOR, ""), {-0.05, -0.05, 0.0}, {0.05, 0.05, 1.05}},
        {SCENE(BALL("0", "0", "9") FLOOR, ""), {-0.05, -0.05, 8.95}, {0.05, 0.05, 9.05}},
        // what hangs, without it
        {SCENE(BALL("0", "0", "1") FLOOR, HOOK), {-0.05, -0.05, 0.95}, {0.05, 0.05, 1.05}},
        // a ramp, whole; of a great table what is near; no wall that would hide it
        {SCENE(BALL("0", "0", "1") STILL("[1.6, 0.4, 0.1]", "[0.5, 0, 0.8]"), ""),
         {-0.3, -0.2, 0.75},
         {1.3, 0.2, 1.05}},
        {SCENE(BALL("0", "0", "1") STILL("[20, 20, 0.1]", "[0, 0, 0.9]"), ""),
         {-0.12, -0.12, 0.88},
         {0.12, 0.12, 1.05}},
        {SCENE(BALL("0", "0", "1") STILL("[1, 0.1, 2]", "[0, -0.4, 1]"), ""),
         {-0.05, -0.05, 0.95},
         {0.05, 0.05, 1.05}},
        // nothing moves, nothing is drawn
        {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"static\", "
         "\"shape\": {\"type\": \"box\", \"size\": [2, 2, 2]}}]}",
         {-1, -1, -1},
         {1, 1, 1}},
        {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"position\": [100, 0, 0], \"mass\": 1, "
         "\"inertia\": [1, 1, 1]}]}",
         {99.5, -0.5, -0.5},
         {100.5, 0.5, 0.5}},
        {"{\"sinew\": 1}", {-1, -1, -1}, {1, 1, 1}},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        sn_live *live = load(cases[i].text);
        if (!is_box(live->frame, cases[i].lower, cases[i].upper, 0.02)) {
            fail_msg("case %d: %g %g %g to %g %g %g", i, live->frame.lower.x, live->frame.lower.y,
                     live->frame.lower.z, live->frame.upper.x, live->frame.upper.y,
                     live->frame.upper.z);
        }
        // The camera that is told holds it: every corner lies within its field of view.
        assert_false(live->camera.given);
        sn_raster_view view =
            sn_raster_perspective(live->camera.position, live->camera.target, sn_vec3_make(0, 0, 1),
                                  live->camera.field_of_view, 160, 100);
        for (int k = 0; k < 8; ++k) {
            sn_vec3 corner = {k & 1 ? live->frame.upper.x : live->frame.lower.x,
                              k & 2 ? live->frame.upper.y : live->frame.lower.y,
                              k & 4 ? live->frame.upper.z : live->frame.lower.z};
            sn_vec3 s = sn_raster_project(&view, corner);
            assert_true(s.z > 0.0 && s.x > 0.0 && s.x < 160.0 && s.y > 0.0 && s.y < 100.0);
        }
        sn_live_destroy(live);
    }
}

static void given_cameras_are_told(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    assert_true(heard(l, "\"camera\": {\"given\": true, \"position\": [0, -2, 1]"));
    assert_true(heard(l, "\"origin\": [0, 0, 0]"));
    end(l);
}

// A scene far from zero looks as it does at zero: places are counted from an origin among its
// things, and differ by less than a hundred-thousandth of its size from what they are.
static void far_scenes_have_an_origin(void **state)
{
    (void)state;
    static const double away[] = {0.0, 5.0, 1e4, 1e6};
    for (int i = 0; i < 4; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"position\": [%.17g, 0.1, 0.3], "
                 "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}}]}",
                 away[i] + 0.123);
        listener *l = greet(load(text));
        say(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [%.17g, 0.1, 0.3]}",
            away[i] + 0.2);
        sn_live_advance(l->live, 0.05);
        listen(l);
        sn_vec3 origin = l->live->origin;
        assert_true((sn_length(origin) > 0.0) == (away[i] > 100.0));
        double x = sn_body_transform(sn_live_world(l->live), body_of(l, "a")).position.x;
        assert_true(fabs((double)float_at(l, 104) + origin.x - x) < 1e-6);
        size_t grab = 104 + 28 + 8; // after the pose: whose hand, and of what
        assert_true(fabs((double)float_at(l, grab) + origin.x - x) < 1e-6);
        assert_true(fabs((double)float_at(l, grab + 12) + origin.x - away[i] - 0.2) < 1e-6);
        end(l);
    }
}

// ---- when the clock starts ----

static listener *wait_for_page(void)
{
    sn_live_def def = sn_default_live_def();
    def.waits = true;
    def.find_scene = find_scene;
    sn_live *live = NULL;
    assert_int_equal(sn_live_create(&def, &live, NULL), SN_OK);
    assert_int_equal(sn_live_load_text(live, "boxes.json", boxes, strlen(boxes), NULL), SN_OK);
    sn_live_advance(live, 0.2);
    assert_true(sn_live_is_waiting(live) && sn_live_is_playing(live) && sn_live_is_idle(live));
    assert_true(sn_world_time(sn_live_world(live)) == 0.0);
    return join(live);
}

static void clocks_wait_for_a_page(void **state)
{
    (void)state;
    listener *l = wait_for_page();
    must(l, "{\"do\": \"hello\", \"protocol\": 1, \"loading\": true}");
    assert_true(heard(l, "\"is\": \"status\", \"playing\": true, \"waits\": true"));
    pass(l, 0.5);
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    must(l, "{\"do\": \"open\", \"scene\": \"leaf\"}"); // a page's link, before its first picture
    pass(l, 0.2);
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    must(l, "{\"do\": \"ready\"}");
    assert_false(sn_live_is_waiting(l->live));
    pass(l, 0.5);
    assert_true(fabs(sn_world_time(sn_live_world(l->live)) - 0.5) < 0.02);
    end(l);

    l = wait_for_page(); // a program, which sees from the start
    must(l, "{\"do\": \"hello\", \"protocol\": 1}");
    assert_false(sn_live_is_waiting(l->live));
    end(l);

    static const char *const steering[] = {"play", "pause", "step", "continue"};
    for (int i = 0; i < 4; ++i) {
        l = wait_for_page();
        must(l, "{\"do\": \"hello\", \"protocol\": 1, \"loading\": true}");
        must(l, "{\"do\": \"%s\"}", steering[i]);
        assert_false(sn_live_is_waiting(l->live));
        end(l);
    }
    l = wait_for_page();
    refused(l, "true or false", "{\"do\": \"hello\", \"protocol\": 1, \"loading\": 1}");
    refused(l, "hello", "{\"do\": \"ready\"}");
    assert_true(sn_live_is_waiting(l->live));
    end(l);
}

// ---- mistakes ----

static sn_status reload(listener *l, const char *text)
{
    sn_status status = sn_live_reload_text(l->live, "boxes.json", text, strlen(text), NULL);
    listen(l);
    return status;
}

static void mended_scenes_play_on(void **state)
{
    (void)state;
    listener *l = greet(load(boxes));
    assert_true(sn_live_is_playing(l->live));
    assert_int_not_equal(reload(l, "{"), SN_OK);
    assert_false(sn_live_is_playing(l->live));
    assert_int_not_equal(reload(l, "{\"sinew\": 2}"), SN_OK); // twice wrong
    assert_int_equal(reload(l, boxes), SN_OK);
    assert_true(sn_live_is_playing(l->live));

    must(l, "{\"do\": \"pause\"}"); // paused it stays paused
    assert_int_not_equal(reload(l, "{"), SN_OK);
    assert_int_equal(reload(l, boxes), SN_OK);
    assert_false(sn_live_is_playing(l->live));

    must(l, "{\"do\": \"play\"}"); // and who steers meanwhile decides
    assert_int_not_equal(reload(l, "{"), SN_OK);
    must(l, "{\"do\": \"step\"}");
    assert_int_equal(reload(l, boxes), SN_OK);
    assert_false(sn_live_is_playing(l->live));
    end(l);
}

// ---- notices ----

static void notices_have_kind_and_time(void **state)
{
    (void)state;
    // From rest at 1 m a body passes 0.5 m at sqrt(1 / g).
    listener *l = greet(load(SCENE(BALL("0", "0", "1"),
                                   ", \"gravity\": [0, 0, -4], \"events\": [{\"name\": \"half\", "
                                   "\"of\": \"ball\", \"quantity\": \"position.z\", "
                                   "\"threshold\": 0.5, \"direction\": \"falling\"}]")));
    bool told = false;
    for (int i = 0; i < 60 && !told; ++i) {
        pass(l, 1.0 / 60.0);
        told = heard(l, "\"is\": \"notice\", \"kind\": \"event\", \"time\": 0.");
    }
    assert_true(told);
    const char *time = strstr(l->texts, "\"event\", \"time\": ") + strlen("\"event\", \"time\": ");
    assert_true(fabs(strtod(time, NULL) - 0.5) < 1e-3);
    sn_live_tell(l->live, "something else");
    listen(l);
    assert_true(heard(l, "\"kind\": \"news\", \"time\": 0."));
    end(l);
    l = greet(make_live(1 << 20));
    sn_live_tell(l->live, "no world");
    listen(l);
    assert_true(heard(l, "\"kind\": \"news\", \"time\": null, \"text\": \"no world\""));
    end(l);
}

static void own_files_are_listed_as_such(void **state)
{
    (void)state;
    const sn_live_entry list[] = {{"mine.json", "mine", "", "Your file", true},
                                  {"boxes", "Boxes", "", "Contact", false}};
    sn_live_def def = sn_default_live_def();
    def.scenes = list;
    def.scene_count = 2;
    sn_live *live = NULL;
    assert_int_equal(sn_live_create(&def, &live, NULL), SN_OK);
    listener *l = greet(live);
    assert_true(heard(l, "{\"name\": \"mine.json\", \"own\": true, \"title\": \"mine\""));
    assert_true(heard(l, "{\"name\": \"boxes\", \"title\": \"Boxes\""));
    end(l);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (int64_t left = 0;; ++left) {
        sn_live_def def = sn_default_live_def();
        sn_live *live = NULL;
        sn_allocation_fail_after(left);
        sn_status status = sn_live_create(&def, &live, NULL);
        if (status == SN_OK) {
            status = sn_live_load_text(live, "m.json", boxes, strlen(boxes), NULL);
        }
        sn_allocation_fail_after(-1);
        sn_live_destroy(live);
        if (status == SN_OK) {
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_hold_what_matters),
        cmocka_unit_test(given_cameras_are_told),
        cmocka_unit_test(far_scenes_have_an_origin),
        cmocka_unit_test(clocks_wait_for_a_page),
        cmocka_unit_test(mended_scenes_play_on),
        cmocka_unit_test(notices_have_kind_and_time),
        cmocka_unit_test(own_files_are_listed_as_such),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
