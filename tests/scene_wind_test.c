// Winds and air of scenes: what reaches the world, what params change, what a written scene keeps,
// and mistakes with their places.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "scene/path.h"
#include "scene_text.h"
#include "sinew/joint.h"
#include "sinew/wind.h"

static const char weather[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0],\n"
    "\"params\": {\"v\": {\"value\": \"18 km/h\"}},\n"
    "\"bodies\": [{\"name\": \"leaf\", \"shape\": {\"type\": \"box\", \"size\": [0.01, 1, 1], "
    "\"density\": 100}}],\n"
    "\"fields\": [\n"
    "  {\"type\": \"wind\", \"name\": \"steady\", \"direction\": [2, 0, 0], \"speed\": \"=v\"},\n"
    "  {\"type\": \"wind\", \"name\": \"storm\", \"kind\": \"natural\", \"profile\": \"power\",\n"
    "   \"exponent\": 0.2, \"height\": \"4m\", \"intensity\": \"20%\", \"scale\": \"12m\", "
    "\"modes\": 7,\n"
    "   \"spectrum\": \"von_karman\", \"seed\": 5, \"position\": [0, 0, -2], \"speed\": 0},\n"
    "  {\"type\": \"wind\", \"kind\": \"cone\", \"law\": \"face\", \"random_share\": 0.1, "
    "\"radius\": \"20cm\",\n"
    "   \"length\": \"40cm\", \"speed\": 0},\n"
    "  {\"type\": \"wind\", \"kind\": \"fan\", \"swirl\": 0.7, \"speed\": 0, \"strength\": "
    "\"puff\"},\n"
    "  {\"type\": \"wind\", \"name\": \"mouth\", \"kind\": \"jet\", \"occlusion\": \"rays\", "
    "\"speed\": 0, \"breath\": "
    "true,\n"
    "   \"strength\": {\"type\": \"linear\", \"points\": [[0, 0], [\"500ms\", \"=v/10\"]]}}],\n"
    "\"motions\": {\"puff\": {\"type\": \"smooth\", \"points\": [[1, 0], [2, \"50%\"], [3, 0]]}},\n"
    "\"air\": {\"density\": 2, \"normal\": 1.5, \"tangential\": 0, \"patch\": \"25cm\"}}\n";

static sn_wind_def wind_of(const sn_world *world, const char *name)
{
    const sn_wind *wind = sn_world_wind(world, sn_world_find_field(world, name));
    assert_non_null(wind);
    return sn_wind_def_of(wind);
}

static void check_weather(const sn_world *world)
{
    sn_wind_def steady = wind_of(world, "steady"), storm = wind_of(world, "storm");
    assert_int_equal(steady.kind, SN_WIND_UNIFORM);
    assert_true(steady.speed == 5.0 && steady.direction.x == 2.0);
    assert_int_equal(storm.kind, SN_WIND_NATURAL);
    assert_int_equal(storm.profile, SN_WIND_PROFILE_POWER);
    assert_int_equal(storm.spectrum, SN_WIND_VON_KARMAN);
    assert_true(storm.exponent == 0.2 && storm.height == 4.0 && storm.intensity == 0.2 &&
                storm.scale == 12.0 && storm.modes == 7 && storm.seed == 5 &&
                storm.position.z == -2.0);
    sn_wind_def cone = wind_of(world, "wind 3"), fan = wind_of(world, "wind 4");
    assert_int_equal(cone.kind, SN_WIND_CONE);
    assert_int_equal(cone.law, SN_WIND_LAW_FACE);
    assert_true(cone.random_share == 0.1 && cone.radius == 0.2 && cone.length == 0.4);
    assert_true(fan.kind == SN_WIND_FAN && fan.swirl == 0.7 && fan.radius == 0.1 && !fan.breath);
    sn_wind_def mouth = wind_of(world, "mouth");
    assert_true(mouth.occlusion == SN_WIND_OCCLUSION_RAYS && mouth.breath &&
                sn_motion_at(mouth.strength, 0.25).value == 0.25);
    assert_true(sn_motion_at(fan.strength, 2.0).value == 0.5);
    assert_true(sn_motion_at(fan.strength, 1.5).value == 0.25);
    assert_true(steady.strength == NULL);
    sn_air_def air = sn_world_air(world);
    assert_true(air.density == 2.0 && air.normal == 1.5 && air.tangential == 0.0 &&
                air.patch == 0.25);
}

static void scenes_have_winds(void **state)
{
    (void)state;
    sn_world *world = build_text(weather);
    check_weather(world);
    // 0.5 * 2 kg/m^3 * 1.5 * 1 m^2 * (5 m/s)^2 on 1 kg
    advance(world, 1e-6, 1);
    double v = sn_body_velocity(world, sn_world_find_body(world, "leaf")).x;
    assert_true(fabs(v / 37.5e-6 - 1.0) < 1e-4);
    sn_world_destroy(world);
}

static void defaults_are_the_librarys(void **state)
{
    (void)state;
    for (int kind = 0; kind < SN_WIND_KIND_COUNT; ++kind) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"kind\": \"%s\"}]}",
                 sn_wind_kind_word((sn_wind_kind)kind));
        sn_world *world = build_text(text);
        sn_wind_def a = wind_of(world, "wind 1"), b = sn_default_wind_def();
        assert_int_equal(a.kind, kind);
        assert_true(a.speed == b.speed && a.radius == b.radius && a.length == b.length &&
                    a.swirl == b.swirl && a.law == b.law && a.random_share == b.random_share &&
                    a.profile == b.profile && a.height == b.height && a.modes == b.modes &&
                    a.roughness == b.roughness && a.exponent == b.exponent && a.seed == b.seed &&
                    a.intensity == b.intensity && a.scale == b.scale && a.spectrum == b.spectrum);
        assert_true(a.occlusion == b.occlusion && a.occlusion_pixels == b.occlusion_pixels &&
                    a.occlusion_period == b.occlusion_period && a.strength == NULL && !a.breath);
        assert_true(sn_distance(a.direction, b.direction) == 0.0 && sn_distance(a.up, b.up) == 0.0);
        sn_air_def air = sn_world_air(world), plain = sn_default_air_def();
        assert_true(air.density == plain.density && air.normal == plain.normal &&
                    air.tangential == plain.tangential && air.patch == plain.patch);
        sn_world_destroy(world);
    }
}

static void params_change_winds(void **state)
{
    (void)state;
    sn_scene *scene = load(weather);
    sn_world *world = build(scene);
    advance(world, 0.01, 1);
    sn_error error = {0};
    if (sn_scene_set_param(scene, "v", 10.8, &error) != SN_OK ||
        sn_scene_update(scene, world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_true(fabs(wind_of(world, "steady").speed - 3.0) < 1e-15 * 3.0);
    assert_true(fabs(sn_motion_at(wind_of(world, "mouth").strength, 1.0).value - 0.3) < 1e-15);
    advance(world, 0.01, 1);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void the_resolved_text_is_the_same_scene(void **state)
{
    (void)state;
    sn_scene *scene = load(weather);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_world *world = build_text(text);
    check_weather(world);
    sn_world_destroy(world);
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
}

static void mistakes_have_places(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"kind\": \"jett\"}]}", {"t:1:50: "}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"speed\": -1}]}", {"t:1:51: "}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"radius\": 0}]}", {"t:1:52: "}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"speed\": \"3 kg\"}]}", {"t:1:51: "}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"modes\": 1.5}]}", {"t:1:51: "}},
        {"{\"sinew\": 1, \"air\": {\"density\": -1}}", {"t:1:33: "}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"strength\": \"puf\"}], \"motions\": "
         "{\"puff\": "
         "{\"points\": [[0, 1]]}}}",
         {"t:1:54: there is no motion \"puf\"; did you mean"}},
        {"{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"strength\": {\"points\": [[0, \"1 "
         "m\"]]}}]}",
         {"t:1:66: \"strength\": expected a share"}},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof mistakes[0]);
}

// What only the whole wind shows is told when the world is built, with the field's place.
static void impossible_winds_are_refused(void **state)
{
    (void)state;
    const char *const texts[] = {
        "{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"direction\": [0, 0, 0]}]}",
        "{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"kind\": \"natural\", \"direction\": "
        "[0, 0, 1]}]}",
        "{\"sinew\": 1, \"fields\": [{\"type\": \"wind\", \"kind\": \"natural\", \"height\": "
        "0.01}]}"};
    for (int i = 0; i < 3; ++i) {
        sn_scene *scene = load(texts[i]);
        sn_world *world = NULL;
        sn_error error = {0};
        assert_int_equal(sn_scene_build(scene, &world, &error), SN_ERROR_ARGUMENT);
        assert_null(world);
        assert_non_null(strstr(error.place, "t:1:"));
        sn_scene_destroy(scene);
    }
}

// The scene of docs/wind.md.
static void the_guides_scene_runs(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sn_path_read("docs/wind.md", 1 << 20, &text, &length, NULL), SN_OK);
    char *start = strstr(text, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = '\0';
    sn_world *world = build_text(start);
    sn_free(text);
    advance(world, 0.005, 400);
    sn_joint hinge = sn_world_find_joint(world, "hinge");
    double angle = fabs(sn_joint_position(world, hinge, 0));
    assert_true(angle > 0.02 && angle < 1.0);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_have_winds),
        cmocka_unit_test(defaults_are_the_librarys),
        cmocka_unit_test(params_change_winds),
        cmocka_unit_test(the_resolved_text_is_the_same_scene),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(impossible_winds_are_refused),
        cmocka_unit_test(the_guides_scene_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
