// Live worlds while a person steers them: params, reloading, hands, breath.
#include "live_client.h"

// ---- params and reloading ----

static void params_act_while_it_runs(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.1);
    must(l, "{\"do\": \"param\", \"name\": \"g\", \"value\": 3, \"id\": 9}");
    assert_true(heard(l, "\"is\": \"reply\", \"id\": 9"));
    listen(other);
    assert_true(heard(other, "\"is\": \"params\", \"values\": {\"g\": 3}"));
    pass(l, 0.1);
    assert_true(fabs(sn_world_gravity(sn_live_world(l->live)).z + 3.0) < 1e-12);
    assert_int_equal(l->live->generation, 1);
    // One that reshapes a body: built anew, the state goes on.
    double time = sn_world_time(sn_live_world(l->live));
    must(l, "{\"do\": \"param\", \"name\": \"size\", \"value\": 0.3}");
    sn_live_advance(l->live, 0.0);
    listen(l);
    assert_true(heard(l, "built anew, the state goes on"));
    assert_true(heard(l, "\"is\": \"scene\", \"generation\": 2") && heard(l, "\"keeps\": true"));
    assert_true(sn_world_time(sn_live_world(l->live)) == time);
    const sn_shape *shape = sn_body_shape(sn_live_world(l->live), body_of(l, "low"), 0);
    assert_true(fabs(shape->size.x - 0.3) < 1e-12);
    // One that says how things begin waits for the reset.
    must(l, "{\"do\": \"param\", \"name\": \"height\", \"value\": 0.9}");
    sn_live_advance(l->live, 0.0);
    listen(l);
    assert_true(heard(l, "reset to see it"));
    assert_int_equal(l->live->generation, 2);
    must(l, "{\"do\": \"reset\"}");
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    assert_true(fabs(sn_body_centre(sn_live_world(l->live), body_of(l, "high")).z - 0.9) < 1e-12);
    must(l, "{\"do\": \"params\", \"reset\": true}");
    assert_true(heard(l, "{\"g\": 9.81}"));
    refused(l, "expected", "{\"do\": \"param\", \"name\": \"g\", \"value\": 100}");
    refused(l, "nothing", "{\"do\": \"param\", \"name\": \"nothing\", \"value\": 1}");
    part(other);
    end(l);
}

static char *with(const char *from, const char *to)
{
    static char text[sizeof boxes + 64];
    const char *at = strstr(boxes, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - boxes), boxes, to, at + strlen(from));
    return text;
}

static void reloading_keeps_what_it_can(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.2);
    double time = sn_world_time(sn_live_world(l->live));
    sn_vec3 place = sn_body_centre(sn_live_world(l->live), body_of(l, "high"));
    const char *text = with("[0.2, 0.2, 0.2]", "[0.2, 0.3, 0.2]");
    assert_int_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    assert_true(heard(l, "\"keeps\": true") && heard(l, "the state goes on"));
    assert_true(sn_world_time(sn_live_world(l->live)) == time && sn_live_is_playing(l->live));
    assert_true(sn_distance(place, sn_body_centre(sn_live_world(l->live), body_of(l, "high"))) <
                1e-12);
    text = with("\"high\", \"shape\"", "\"tall\", \"shape\"");
    assert_int_not_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    text = with("\"low\", \"shape\"", "\"deep\", \"shape\"");
    assert_int_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    assert_true(heard(l, "\"keeps\": false") && heard(l, "starts anew"));
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    must(l, "{\"do\": \"reload\"}");
    assert_true(heard(l, "\"name\": \"low\"")); // as the list has it
    assert_string_equal(sn_live_source(l->live, 0), "shelf/boxes.json");
    assert_null(sn_live_source(l->live, 1));
    end(l);
}

// ---- hands ----

// A body of mass m on a critically damped spring of w = 2 pi 3: x = 1 - (1 + w t) exp(-w t).
static void a_hand_pulls_with_critical_damping(void **state)
{
    (void)state;
    const char *text =
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"run\": {\"step\": \"=1/960\"}, \"bodies\":"
        " [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}]}";
    listener *l = greet(make_live(8 << 20));
    assert_int_equal(sn_live_load_text(l->live, "ball.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    must(l, "{\"do\": \"pause\"}");
    must(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [1, 0, 0]}");
    double w = 6.0 * 3.14159265358979323846;
    for (int i = 1; i <= 40; ++i) {
        step(l, 10);
        double t = i * 10 / 960.0, x = 1.0 - (1.0 + w * t) * exp(-w * t);
        double now = sn_body_centre(sn_live_world(l->live), body_of(l, "ball")).x;
        assert_true(fabs(now - x) < 2e-4);
    }
    look(l);
    assert_int_equal(count_at(l, 3), 1);
    assert_int_equal(sn_fetch_u32(l->frame + 104 + 28), (uint32_t)l->client);
    assert_true(fabs(float_at(l, 104 + 28 + 8 + 12) - 1.0f) < 1e-6f);
    assert_true(number_at(l, 72 + 16) > 0.0); // stored in the spring
    must(l, "{\"do\": \"release\"}");
    step(l, 1);
    look(l);
    assert_int_equal(count_at(l, 3), 0);
    refused(l, "nothing is grabbed", "{\"do\": \"drag\", \"to\": [0, 0, 0]}");
    end(l);
}

static void hands_are_checked(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    refused(l, "does not move",
            "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [0, 0, 0]}");
    refused(l, "out of range",
            "{\"do\": \"grab\", \"body\": 3, \"point\": [0, 0, 0], \"to\": [0, 0, 0]}");
    refused(l, "three numbers",
            "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0], \"to\": [0, 0, 0]}");
    refused(l, "three numbers",
            "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 1e99], \"to\": [0, 0, 0]}");
    refused(l, "missing", "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0]}");
    must(l, "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0], \"to\": [0, 0, 1]}");
    must(other, "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0], \"to\": [0, 0, 2]}");
    must(l, "{\"do\": \"play\"}");
    pass(l, 1.0);
    assert_int_equal(count_at(l, 3), 2);
    assert_true(sn_body_centre(sn_live_world(l->live), body_of(l, "high")).z > 1.0);
    int fields = sn_world_field_count(sn_live_world(l->live));
    part(other); // who leaves lets go
    pass(l, 0.1);
    assert_int_equal(count_at(l, 3), 1);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), fields - 1);
    end(l);
}

// ---- breath ----

static double leaf_angle(const listener *l)
{
    sn_transform frame = sn_body_transform(sn_live_world(l->live), body_of(l, "leaf"));
    return sn_distance(sn_rotate(frame.rotation, sn_vec3_make(0.0, 0.0, 1.0)),
                       sn_vec3_make(0.0, 0.0, 1.0));
}

static double most_of_angle(listener *l, double seconds)
{
    double most = 0.0;
    for (int i = 0; i < (int)(60.0 * seconds); ++i) {
        pass(l, 1.0 / 60.0);
        most = fmax(most, leaf_angle(l));
    }
    return most;
}

// Deep noise, as of wind on a microphone: a sum of low tones.
static void send_samples(listener *l, double seconds, double level, double *phase)
{
    enum { RATE = 8000 };
    static uint8_t message[8 + 4 * RATE];
    int count = (int)(seconds * RATE);
    sn_store_u32(message, 1);
    sn_store_u32(message + 4, RATE);
    for (int i = 0; i < count; ++i) {
        double t = *phase + (double)i / RATE;
        float sample =
            (float)(level * (sin(2.0 * 3.14159265 * 61.0 * t) + sin(2.0 * 3.14159265 * 97.0 * t)));
        memcpy(message + 8 + 4 * i, &sample, 4);
    }
    *phase += seconds;
    assert_true(sn_live_receive(l->live, l->client, message, 8 + 4 * (size_t)count, true));
}

static void a_breath_moves_the_leaf(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    must(l, "{\"do\": \"play\"}");
    pass(l, 1.0);
    assert_true(leaf_angle(l) < 1e-3);
    must(l, "{\"do\": \"show\", \"wind\": true, \"joints\": true}");
    must(l,
         "{\"do\": \"wind\", \"from\": [0, -1, 0.5], \"towards\": [0, 0, 1], \"kind\": \"cone\"}");
    must(l, "{\"do\": \"breath\", \"full\": 4}");
    must(l, "{\"do\": \"blow\", \"strength\": 1}");
    assert_true(most_of_angle(l, 1.0) > 0.05);
    assert_int_equal(count_at(l, 6), 14 * 14); // equally far apart in the box of a thin leaf
    assert_int_equal(count_at(l, 2), 1);
    must(l, "{\"do\": \"blow\", \"strength\": 0}");
    pass(l, 4.0);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 0);
    refused(l, "gale",
            "{\"do\": \"wind\", \"from\": [0, 0, 0], \"towards\": [0, 0, 1], \"kind\": \"gale\"}");
    refused(l, "same place", "{\"do\": \"wind\", \"from\": [0, 0, 0], \"towards\": [0, 0, 0]}");
    end(l);
}

static double air_at(const listener *l, sn_vec3 point)
{
    return sn_world_air_velocity(sn_live_world(l->live), point).y;
}

// Who blows without having aimed does so out of the mouth that the scene has, beside what it does
// by itself; who aims, from elsewhere, with the same shelter.
static void a_breath_comes_from_the_mouth_of_the_scene(void **state)
{
    (void)state;
    listener *l = open_scene("mouth");
    const sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(l->live->lower, l->live->upper));
    const sn_vec3 place = {0.0, middle.y, 1.0}; // on the axis
    double depth = place.y + 1.0, own = 3.0 * 0.09 / ((0.3 + depth) * (0.3 + depth));
    must(l, "{\"do\": \"breath\", \"full\": 0.7}");
    must(l, "{\"do\": \"blow\", \"strength\": 1}");
    step(l, 1);
    assert_true(air_at(l, place) == 0.0);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.9); // the blow has risen
    assert_true(fabs(air_at(l, place) - 0.7) < 1e-6);
    pass(l, 0.3);
    assert_true(fabs(air_at(l, place) - 0.7 - own) < 1e-6);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 2);
    const sn_world *world = sn_live_world(l->live);
    sn_wind_def def =
        sn_wind_def_of(sn_world_wind(world, sn_world_find_field(world, "breath of client 1")));
    assert_true(def.occlusion == SN_WIND_OCCLUSION_DEPTH && def.kind == SN_WIND_CONE);
    must(l, "{\"do\": \"wind\", \"from\": [0, 1, 1], \"towards\": [0, %.17g, 1]}", place.y);
    pass(l, 0.1);
    assert_true(fabs(air_at(l, place) + 0.7 - own) < 1e-6);
    must(l, "{\"do\": \"wind\", \"aimed\": false}");
    pass(l, 0.1);
    assert_true(fabs(air_at(l, place) - 0.7 - own) < 1e-6);
    must(l, "{\"do\": \"blow\", \"strength\": 0}");
    pass(l, 3.0);
    assert_true(air_at(l, place) == 0.0);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 1);
    refused(l, "true or false", "{\"do\": \"wind\", \"aimed\": 1}");
    end(l);
}

static void a_microphone_moves_the_leaf(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    double phase = 0.0;
    refused(l, "it is off", "{\"do\": \"microphone\", \"state\": \"calibrate\"}");
    refused(l, "rate", "{\"do\": \"microphone\", \"state\": \"on\", \"rate\": 100}");
    must(l, "{\"do\": \"microphone\", \"state\": \"on\", \"rate\": 8000}");
    must(l, "{\"do\": \"breath\", \"full\": 5}");
    must(l, "{\"do\": \"play\"}");
    must(l, "{\"do\": \"microphone\", \"state\": \"calibrate\"}");
    for (int i = 0; i < 150; ++i) {
        send_samples(l, 1.0 / 60.0, 1e-4, &phase);
        pass(l, 1.0 / 60.0);
    }
    assert_true(leaf_angle(l) < 1e-3);
    assert_true(heard(l, "\"calibrated\": true") || l->live->clients[0]->breath.calibrated);
    double blown = 0.0;
    for (int i = 0; i < 60; ++i) {
        send_samples(l, 1.0 / 60.0, 0.2, &phase);
        pass(l, 1.0 / 60.0);
        blown = fmax(blown, leaf_angle(l));
    }
    assert_true(blown > 0.05);
    // Samples that stop coming are no wind that goes on for ever.
    pass(l, 1.0);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 0);
    must(l, "{\"do\": \"microphone\", \"state\": \"off\"}");
    uint8_t bad[12] = {1, 0, 0, 0, 0x40, 0x1f};
    sn_live_receive(l->live, l->client, bad, 12, true);
    listen(l);
    assert_true(heard(l, "microphone is off"));
    sn_live_receive(l->live, l->client, bad, 7, true);
    listen(l);
    assert_true(heard(l, "no block of samples"));
    end(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(params_act_while_it_runs),
        cmocka_unit_test(reloading_keeps_what_it_can),
        cmocka_unit_test(a_hand_pulls_with_critical_damping),
        cmocka_unit_test(hands_are_checked),
        cmocka_unit_test(a_breath_moves_the_leaf),
        cmocka_unit_test(a_breath_comes_from_the_mouth_of_the_scene),
        cmocka_unit_test(a_microphone_moves_the_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
