// URDF files as real robots have them, with the faults and the styles of the programs that write
// them (tests/data/urdf/real): each is read with its note, moves for a second, and agrees with
// MuJoCo where that reads it, too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "math/dense.h"
#include "sanitized.h"
#include "scene/path.h"
#include "urdf_mujoco.h"

#define FOLDER  "tests/data/urdf/real"
#define REFUSED "tests/data/urdf/refused"

// clang-format off
// File, place, and what is noted there; files without a row are read without a note.
static const struct {
    const char *file, *place, *note;
} notes[] = {
    {"axis_twice", "16:5", "a second <axis> in a <joint>, expected one: the first one counts"},
    {"axis_zero", "15:5", "the axis of \"shoulder\" has no direction, expected a length near 1: read as 1 0 0, as if none were given"},
    {"blank_before_xml", "1:1", "blanks before <?xml ...?>, expected it at the very start: they are skipped"},
    {"blender_style", "21:7", "1 <bitmask> in <collision> skipped: not part of the mechanism"},
    {"blender_style", "45:5", "0 is beyond the limits of \"knee\": it starts at 1.3"},
    {"box_negative", "12:9", "\"size\" of <box> must be greater than 0, got -0.1: read without the sign"},
    {"box_zero", "12:9", "\"size\" of <box> must be greater than 0, got 0: left out"},
    {"colour_to_255", "15:9", "\"rgba\" of <color>: expected numbers from 0 to 1, got 200: read as parts of 255"},
    {"colour_without_alpha", "15:9", "\"rgba\" of <color>: expected 4 numbers, got 3: read with an alpha of 1"},
    {"commas", "14:5", "\"xyz\" of <origin>: expected spaces between numbers, got \"0, 0, 0.3\": commas are read as spaces"},
    {"commas", "14:5", "\"rpy\" of <origin>: expected spaces between numbers, got \"0,0,0\": commas are read as spaces"},
    {"cylinder_zero_length", "12:9", "\"length\" of <cylinder> must be greater than 0, got 0: left out"},
    {"damping_negative", "17:5", "\"damping\" of <dynamics> must not be negative, got -0.1: read as 0"},
    {"drake_style", "42:3", "1 <transmission> in <robot> skipped: not part of the mechanism"},
    {"drake_style", "47:3", "1 <frame> in <robot> skipped: not part of the mechanism"},
    {"drake_style", "24:5", "1 <self_collision_checking> in <link> skipped: not part of the mechanism"},
    {"empty_rpy", "14:5", "\"rpy\" of <origin> is empty, expected 3 numbers: read as if it were not there"},
    {"gazebo_style", "3:3", "2 <gazebo> in <robot> skipped: not part of the mechanism"},
    {"gazebo_style", "43:3", "1 <transmission> in <robot> skipped: not part of the mechanism"},
    {"gazebo_style", "18:7", "1 <verbose> in <collision> skipped: not part of the mechanism"},
    {"gazebo_style", "27:5", "1 <sensor> in <link> skipped: not part of the mechanism"},
    {"gazebo_style", "39:5", "1 <safety_controller> in <joint> skipped: not part of the mechanism"},
    {"gazebo_style", "40:5", "1 <calibration> in <joint> skipped: not part of the mechanism"},
    {"geometry_empty", "10:5", "a <visual> needs one <geometry> of <box>, <cylinder>, <sphere>, <capsule> or <mesh>: left out"},
    {"geometry_two", "10:5", "a <collision> needs one <geometry> of <box>, <cylinder>, <sphere>, <capsule> or <mesh>: the first one counts"},
    {"geometry_unknown", "12:9", "<ellipsoid> is no geometry, expected <box>, <cylinder>, <sphere>, <capsule> or <mesh>: left out"},
    {"inertia_all_negative", "8:7", "the moments of inertia of \"upper_arm\" must not be negative, nor all 0, got -0.01, -0.012, -0.008: the nearest possible principal ones are 0.000766, 0.000766, 0.000766"},
    {"inertia_attribute_missing", "8:7", "a <inertia> needs the attribute \"izz\": read as 0"},
    {"inertia_attribute_missing", "8:7", "a moment of inertia of \"upper_arm\" is 0, got 0.01, 0.01, 0: the nearest possible principal ones are 2e-08, 0.01, 0.01"},
    {"inertia_missing", "5:5", "the <inertial> of \"upper_arm\" needs <inertia>: read as 0"},
    {"inertia_missing", "5:5", "the moments of inertia of \"upper_arm\" must not be negative, nor all 0, got 0, 0, 0: the nearest possible principal ones are 0.000766, 0.000766, 0.000766"},
    {"inertia_negative", "8:7", "the moments of inertia of \"upper_arm\" must not be negative, nor all 0, got 0.01, -0.012, 0.008: the nearest possible principal ones are 2e-08, 0.009, 0.009"},
    {"inertia_over_sum", "8:7", "link \"upper_arm\": principal moments 1, 1, 5 kg m^2; no body has one larger than the sum of the others: the nearest possible principal ones are 2, 2, 4"},
    {"inertia_products", "8:7", "link \"upper_arm\": principal moments -0.04, 0.01, 0.06 kg m^2; none below 0 was expected: the nearest possible principal ones are 1.2e-07, 0.035, 0.035"},
    {"inertia_rod", "8:7", "a moment of inertia of \"upper_arm\" is 0, got 0.01, 0.01, 0: the nearest possible principal ones are 2e-08, 0.01, 0.01"},
    {"inertia_zero", "8:7", "the moments of inertia of \"upper_arm\" must not be negative, nor all 0, got 0, 0, 0: the nearest possible principal ones are 0.000766, 0.000766, 0.000766"},
    {"inertial_twice", "10:5", "a second <inertial> in a <link>, expected one: the first one counts"},
    {"latin_1", "2:16", "byte 176 is not UTF-8, which the file claims to be: the file is read as Latin-1"},
    {"limit_missing", "11:3", "\"shoulder\" needs <limit lower=\"...\" upper=\"...\" effort=\"...\" velocity=\"...\"/> (a \"continuous\" joint has no limit): it has no limit"},
    {"limit_nan", "16:5", "\"effort\" of <limit> is not a number: read as no bound"},
    {"limit_negative_effort", "16:5", "\"effort\" of <limit> must not be negative, got -10: left out"},
    {"limit_negative_effort", "16:5", "\"velocity\" of <limit> must not be negative, got -2: left out"},
    {"limit_twice", "17:5", "a second <limit> in a <joint>, expected one: the first one counts"},
    {"limit_upside_down", "16:5", "the lower limit 1.57 of \"shoulder\" is above the upper one, -1.57: it has no limit"},
    {"limit_without_range", "16:5", "the <limit> of \"shoulder\" has neither \"lower\" nor \"upper\": it has no limit"},
    {"mass_missing", "12:5", "the <inertial> of \"plate\" needs <mass>: read as 0"},
    {"mass_missing", "11:3", "the link \"plate\" has no mass: it is a part of \"upper_arm\""},
    {"mass_negative", "14:7", "the mass of \"counterweight\" must be greater than 0, got -0.3: it has no mass"},
    {"mass_negative", "11:3", "the link \"counterweight\" has no mass: it is a part of \"upper_arm\""},
    {"mass_zero_fixed", "11:3", "the link \"tool0\" has no mass: it is a part of \"upper_arm\""},
    {"mass_zero_with_inertia", "14:7", "the mass of \"sensor\" must be greater than 0, got 0: it has no mass, and no inertia"},
    {"mass_zero_with_inertia", "11:3", "the link \"sensor\" has no mass: it is a part of \"upper_arm\""},
    {"massless_carrier", "4:3", "the link \"wheel_link\" has no mass: it takes part with 1.5e-09 kg, a billionth of what moves with it"},
    {"massless_chain", "4:3", "the link \"x_link\" has no mass: it takes part with 1.5e-09 kg, a billionth of what moves with it"},
    {"massless_chain", "5:3", "the link \"y_link\" has no mass: it takes part with 1.5e-09 kg, a billionth of what moves with it"},
    {"massless_chain", "6:3", "the link \"z_link\" has no mass: it takes part with 1.5e-09 kg, a billionth of what moves with it"},
    {"massless_cross", "4:3", "the link \"cross\" has no mass: it takes part with 1.5e-09 kg, a billionth of what moves with it"},
    {"massless_frame_moves", "11:3", "the link \"target_frame\" has no mass, no shape, and nothing below it: its joint \"aim\" is locked"},
    {"massless_leader", "18:3", "the link \"command_link\" has no mass: it takes part with 3e-09 kg, a billionth of what moves with it"},
    {"material_twice", "17:7", "a second <material> in a <visual>, expected one: the first one counts"},
    {"material_undefined", "14:7", "no material is called \"Gazebo/Orange\": the usual colour is taken"},
    {"mesh_missing", "12:9", "the mesh \"package://nowhere_description/meshes/upper_arm.dae\" is not found (no package \"nowhere_description\" with it from \"tests/data/urdf/real\" upwards; --package nowhere_description=DIR names its folder): an empty shape"},
    {"mesh_scale_one_number", "12:9", "\"scale\" of <mesh>: expected 3 numbers, got one: it scales all axes"},
    {"mesh_scale_zero", "12:9", "\"scale\" of <mesh> flattens it, expected no zeros: left out"},
    {"mimic_fixed", "29:5", "\"glue\" follows \"shoulder\"; expected both to turn about an axis or slide along one: it stands still"},
    {"mimic_itself", "17:5", "from \"shoulder\" on, joints follow each other in a circle or in a chain longer than 100, expected one that moves by itself: this one moves by itself"},
    {"mimic_unknown", "17:5", "\"shoulder\" follows \"sholder\", and there is no such joint: it moves by itself"},
    {"name_world", "3:3", "\"world\" has a meaning of its own, expected another name, or a \"name\" of the robot, which would stand before it: a \"_\" is added to it"},
    {"no_inertial_collision", "4:3", "the link \"drum\" moves but has no mass, nor has anything below it: its shapes are solid, of 1000 kg/m3 (6.28 kg)"},
    {"no_inertial_visual_only", "10:3", "the link \"right_leg\" moves but has no mass, nor has anything below it: its shapes are solid, of 1000 kg/m3 (12 kg)"},
    {"onshape_style", "46:5", "1 <joint_properties> in <joint> skipped: not part of the mechanism"},
    {"onshape_style", "15:9", "the mesh \"package:///body_part.stl\" is not found (no file \"tests/data/urdf/real/body_part.stl\" nor in any folder above): an empty shape"},
    {"onshape_style", "48:3", "the link \"leg_tip\" has no mass: it is a part of \"leg\""},
    {"origin_twice", "16:5", "a second <origin> in a <joint>, expected one: the first one counts"},
    {"ros2_control_style", "31:3", "1 <ros2_control> in <robot> skipped: not part of the mechanism"},
    {"same_names", "11:3", "a link and a joint are called \"upper_arm\": the joint becomes \"upper_arm_joint\""},
    {"solidworks_style", "26:9", "the mesh \"package://ARM_ASM/meshes/base_link.STL\" is not found (no package \"ARM_ASM\" with it from \"tests/data/urdf/real\" upwards; --package ARM_ASM=DIR names its folder): an empty shape"},
    {"solidworks_style", "40:9", "the mesh \"package://ARM_ASM/meshes/base_link.STL\" is not found (no package \"ARM_ASM\" with it from \"tests/data/urdf/real\" upwards; --package ARM_ASM=DIR names its folder): an empty shape"},
    {"solidworks_style", "66:9", "the mesh \"package://ARM_ASM/meshes/Link1.STL\" is not found (no package \"ARM_ASM\" with it from \"tests/data/urdf/real\" upwards; --package ARM_ASM=DIR names its folder): an empty shape"},
    {"sphere_zero", "12:9", "\"radius\" of <sphere> must be greater than 0, got 0: left out"},
    {"texture", "15:9", "1 <texture> in <material> skipped: not part of the mechanism"},
    {"tutorial_style", "15:3", "the link \"gripper_pole\" moves but has no mass, nor has anything below it: its shapes are solid, of 1000 kg/m3 (0.0628 kg)"},
    {"tutorial_style", "29:3", "the link \"head\" moves but has no mass, nor has anything below it: its shapes are solid, of 1000 kg/m3 (33.5 kg)"},
    {"version_2", "2:1", "URDF version \"1.2\" is read as version 1.0"},
    {"xacro_output_style", "52:3", "the link \"laser_frame\" has no mass: it is a part of \"base_link\""},
    {"comment_dashes", "2:1", "\"--\" inside of a comment, which XML does not allow (2 times): the comment is skipped"},
    {"attributes_glued", "16:24", "no blank between two attributes (2 times): one is added"},
    {"ampersand", "2:18", "a \"&\" that begins no entity (1 time): read as \"+\""},
    {"words_after_end", "19:1", "something after the outermost element (1 time): it is skipped"},
    {"colour_missing", "15:9", "a <color> needs the attribute \"rgba\": the usual colour is taken"},
    {"mimic_beyond_limits", "31:5", "\"right\" follows \"left\" to -0.02 at the start, beyond its own limits 0.01 and 0.03: it has no limit"},
    {"mimic_beyond_limits", "23:5", "0 is beyond the limits of \"left\": it starts at 0.02"},
    {"mesh_lfs_pointer", "12:9", "the mesh \"pointer.stl\" is not found (it is only a pointer: run `git lfs pull`): an empty shape"},
    {"mesh_http", "12:9", "the mesh \"https://example.org/wedge.obj\" is not found (it cannot be reached, expected package://, file:// or a path): an empty shape"},
    {"mesh_broken", "12:9", "mesh: has no faces (tests/data/urdf/real/broken.stl): an empty shape"},
    {"mesh_xacro_path", "12:9", "the mesh \"file://$(find arm_description)/meshes/arm.stl\" is not found (xacro has not been run on this file): an empty shape"},
};
// clang-format on

enum { NOTES = sizeof notes / sizeof notes[0], FILES = 200 };

// ---- the files ----

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

// Names without the ending, sorted.
static int list_files(char names[FILES][64])
{
    int count = 0;
    DIR *listing = opendir(FOLDER);
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && length < 64 && strcmp(entry->d_name + length - 5, ".urdf") == 0) {
            assert_true(count < FILES);
            snprintf(names[count++], 64, "%.*s", (int)(length - 5), entry->d_name);
        }
    }
    closedir(listing);
    qsort(names, (size_t)count, 64, compare_names);
    return count;
}

static sn_status load_with(const char *path, const sn_scene_options *options, sn_scene **scene,
                           sn_error_list *errors)
{
    sn_status status = sn_scene_load_file(path, options, scene, errors);
    assert_true((status == SN_OK) == (*scene != NULL));
    return status;
}

static sn_scene *load(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    if (load_with(path, NULL, &scene, &errors) != SN_OK) {
        fail_msg("%s", sn_error_message(&errors.items[0]));
    }
    sn_error_list_free(&errors);
    return scene;
}

static sn_scene *load_text(const char *text)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    if (sn_scene_load_text("r", text, strlen(text), NULL, &scene, &errors) != SN_OK) {
        fail_msg("%s", sn_error_message(&errors.items[0]));
    }
    sn_error_list_free(&errors);
    return scene;
}

static sn_world *build(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return world;
}

static bool has_note(const sn_error_list *list, const char *place, const char *text)
{
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->items[i].place, place) == 0 && strcmp(list->items[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

// Every file, every note: none is missing, and none is there that is not in the table.
static void every_file_has_its_notes(void **state)
{
    (void)state;
    static char names[FILES][64];
    int count = list_files(names), seen = 0;
    assert_true(count >= 60);
    for (int i = 0; i < count; ++i) {
        char path[200], place[250];
        snprintf(path, sizeof path, FOLDER "/%.60s.urdf", names[i]);
        sn_scene *scene = load(path);
        const sn_error_list *found = sn_scene_notes(scene);
        int expected = 0;
        for (int k = 0; k < NOTES; ++k) {
            if (strcmp(notes[k].file, names[i]) != 0) {
                continue;
            }
            expected += 1;
            snprintf(place, sizeof place, "%s:%s", path, notes[k].place);
            if (!has_note(found, place, notes[k].note)) {
                fail_msg("%s: no note says %s", place, notes[k].note);
            }
        }
        int others = 0; // about the robot as a whole
        for (int k = 0; k < found->count; ++k) {
            others += strncmp(found->items[k].text, "the robot has no <collision>", 28) == 0;
        }
        if (found->count != expected + others) {
            fail_msg("%s: %d notes, expected %d", path, found->count, expected);
        }
        seen += expected;
        sn_scene_destroy(scene);
    }
    assert_int_equal(seen, NOTES);
}

static void every_file_moves_for_a_second(void **state)
{
    (void)state;
    static char names[FILES][64];
    int count = list_files(names);
    for (int i = 0; i < count; ++i) {
        char path[200];
        snprintf(path, sizeof path, FOLDER "/%.60s.urdf", names[i]);
        sn_scene *scene = load(path);
        sn_world *world = build(scene);
        advance(world, 0.004, is_sanitized() ? 25 : 250);
        for (int k = 0; k < sn_world_body_count(world); ++k) {
            sn_vec3 centre = sn_body_centre(world, sn_world_body(world, k));
            assert_true(sn_vec3_is_finite(centre) && sn_length(centre) < 100.0);
        }
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

static void mujoco_agrees_where_it_reads(void **state)
{
    (void)state;
    static char names[FILES][64];
    int count = list_files(names), read = 0;
    sn_random random = {.seed = 23};
    for (int i = 0; i < count; ++i) {
        char path[200], *text = NULL;
        size_t length = 0;
        sn_error error = {0};
        snprintf(path, sizeof path, FOLDER "/%.60s.urdf", names[i]);
        assert_int_equal(sn_path_read(path, 1 << 20, &text, &length, &error), SN_OK);
        // MuJoCo takes a negative damping as it is; of a NaN it writes to a file here.
        bool differs =
            strcmp(names[i], "damping_negative") == 0 || strcmp(names[i], "limit_nan") == 0;
        bool both = !differs && both_compare(names[i], path, text, &random);
        read += both;
        sn_free(text);
    }
    print_message("MuJoCo reads %d of %d\n", read, count);
    assert_true(read >= 30);
}

// Under `strict`, what is mended is an error at the same place, with the same words.
static void strict_refuses(void **state)
{
    (void)state;
    static const char *const remedies[] = {
        ": read ",        ": left out",      ": the first one counts", ": it has no ",
        ": the nearest ", ": it moves by ",  ": this one moves by ",   ": it stands still",
        ": commas are ",  ": they are ",     ": the file is read as ", ": an empty shape",
        ": a \"_\" is ",  ": it scales all "};
    int refused = 0;
    for (int i = 0; i < NOTES; ++i) {
        const char *end = NULL;
        for (size_t k = 0; k < sizeof remedies / sizeof *remedies && end == NULL; ++k) {
            end = strstr(notes[i].note, remedies[k]);
        }
        bool second_stage = strstr(notes[i].note, "moment") != NULL;    // after other errors
        bool standard = strstr(notes[i].note, "has neither") != NULL || // 0 to 0, by the standard
                        strstr(notes[i].note, "beyond its own") != NULL;
        if (end == NULL || second_stage || standard) {
            continue;
        }
        char path[200], place[250], text[500];
        snprintf(path, sizeof path, FOLDER "/%.60s.urdf", notes[i].file);
        snprintf(place, sizeof place, "%s:%s", path, notes[i].place);
        snprintf(text, sizeof text, "%.*s", (int)(end - notes[i].note), notes[i].note);
        sn_scene_options options = {.strict = true};
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        if (load_with(path, &options, &scene, &errors) == SN_OK) {
            fail_msg("%s is not refused: %s", place, text);
        }
        bool found = false;
        for (int k = 0; k < errors.count; ++k) {
            found = found || strncmp(errors.items[k].text, "this is not XML", 15) == 0 ||
                    (strcmp(errors.items[k].place, place) == 0 &&
                     (strncmp(errors.items[k].text, text, 12) == 0 ||
                      strncmp(errors.items[k].text, "there is no joint", 17) == 0));
        }
        if (!found) {
            fail_msg("%s: expected %s, got %s", place, text, sn_error_message(&errors.items[0]));
        }
        refused += 1;
        sn_error_list_free(&errors);
    }
    assert_true(refused > 40);
}

// ---- what is refused all the same ----

static const struct {
    const char *file, *place, *text;
} refusals[] = {
    {"two_roots", "4:3", "2 links have no parent (\"base_link\", \"upper_arm\"), expected one"},
    {"loop", "34:5", "\"b\" has a parent already, by \"second\" at"},
    {"circle", "23:3", "links hang on each other in a circle: "},
    {"xacro_macro", "5:5", "<xacro:box_inertia>: this is a xacro file, expected URDF: run `xacro"},
    {"xacro_number", "7:7", "got \"${mass}\"; xacro has not been run on this file"},
    {"locale_number", "7:7", "got \"1,5\"; fractions need a point, not a comma"},
    {"degrees", "16:5", "\"lower\" of <limit>: expected a finite number, got \"-90deg\""},
    {"unknown_link", "13:5", "there is no link \"uper_arm\"; did you mean \"upper_arm\"?"},
    {"same_link_twice", "11:3", "the link \"upper_arm\" has the name of the one at"},
    {"unknown_type", "11:3", "no joint has the type \"Revolute\"; did you mean \"revolute\"?"},
    {"no_child", "11:3", "a <joint> needs <child link=\"...\"/>"},
    {"sdf", "2:1", "the outermost element is <sdf>, expected <robot>: this is an SDF file"},
    {"mujoco", "1:1", "expected <robot>: this is a file of MuJoCo's own format"},
    {"entities", "2:17", "a document type (<!DOCTYPE ...>) with declarations"},
    {"mesh_missing_without_inertial", "7:9",
     "no package \"nowhere_description\" with it from \"" REFUSED "\" upwards"},
    {"not_closed", NULL, "this is not XML: "},
};

static void others_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        char path[200], place[250];
        snprintf(path, sizeof path, REFUSED "/%.60s.urdf", refusals[i].file);
        snprintf(place, sizeof place, "%s:%s", path,
                 refusals[i].place != NULL ? refusals[i].place : "");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_not_equal(load_with(path, NULL, &scene, &errors), SN_OK);
        if (errors.count != 1 || strstr(errors.items[0].text, refusals[i].text) == NULL ||
            (refusals[i].place != NULL && strcmp(errors.items[0].place, place) != 0)) {
            fail_msg("%s: expected %s, got %s", place, refusals[i].text,
                     sn_error_message(&errors.items[0]));
        }
        sn_error_list_free(&errors);
    }
}

// ---- inertias ----

#define INERTIAL                                                                                   \
    "<inertial><origin xyz='0.1 0.15 0.2'/><mass value='2'/><inertia ixx='0.3' iyy='0.4' "         \
    "izz='0.5' "                                                                                   \
    "ixy='0.01' ixz='0.02' iyz='0'/></inertial>"

static sn_mat3 read_inertia(const double n[6])
{
    char text[700];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2'/><inertia "
             "ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' iyz='%.17g'/></inertial>"
             "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
             "</robot>",
             n[0], n[1], n[2], n[3], n[4], n[5]);
    sn_scene *scene = load_text(text);
    sn_world *world = build(scene);
    sn_mat3 inertia = sn_body_mass_properties(world, sn_world_find_body(world, "b")).inertia;
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return inertia;
}

static double distance2(const sn_mat3 *a, const sn_mat3 *b)
{
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
        double d = a->m[i / 3][i % 3] - b->m[i / 3][i % 3];
        sum += d * d;
    }
    return sum;
}

// The nearest point of a convex cone: no other point of it is nearer, so that for every possible
// inertia X the angle at the result R between X and what was asked for is not acute,
// (A - R) : (X - R) <= 0. Tried with random X, and with X near R.
static void mended_inertias_are_the_nearest(void **state)
{
    (void)state;
    sn_random random = {.seed = 41};
    int mended = 0;
    for (int round = 0; round < (is_sanitized() ? 20 : 200); ++round) {
        double n[6];
        for (int i = 0; i < 6; ++i) {
            n[i] = sn_random_range(&random, -1.0, 1.0);
        }
        const sn_mat3 asked = {{{n[0], n[3], n[4]}, {n[3], n[1], n[5]}, {n[4], n[5], n[2]}}};
        sn_mat3 found = read_inertia(n);
        mended += distance2(&asked, &found) > 1e-20;
        for (int k = 0; k < 200; ++k) {
            // Any body: second moments p in any axes, I = tr(p) - p.
            double square[3][3] = {{0}}, trace = 0.0, scale = sn_random_range(&random, 0.0, 1.0);
            for (int m = 0; m < 3; ++m) {
                sn_vec3 x = random_vector(&random, 1.0);
                const double c[3] = {x.x, x.y, x.z};
                for (int i = 0; i < 9; ++i) {
                    square[i / 3][i % 3] += scale * c[i / 3] * c[i % 3];
                }
            }
            trace = square[0][0] + square[1][1] + square[2][2];
            double angle = 0.0, norm = 0.0;
            for (int i = 0; i < 9; ++i) {
                double body = (i % 4 == 0 ? trace : 0.0) - square[i / 3][i % 3];
                double r = found.m[i / 3][i % 3];
                angle += (asked.m[i / 3][i % 3] - r) * (body - r);
                norm += fabs((asked.m[i / 3][i % 3] - r) * (body - r));
            }
            assert_true(angle <= 1e-4 * norm + 1e-5); // second moments keep a millionth
        }
        const double again[6] = {found.m[0][0], found.m[1][1], found.m[2][2],
                                 found.m[0][1], found.m[0][2], found.m[1][2]};
        sn_mat3 twice = read_inertia(again);
        assert_true(distance2(&twice, &found) < 1e-20);
    }
    assert_true(mended > (is_sanitized() ? 10 : 100));
}

// (1, 1, 5): second moments 2.5, 2.5, -1.5; the nearest are 2, 2, 0 (and a millionth).
static void mended_inertias_in_closed_form(void **state)
{
    (void)state;
    const double n[6] = {1, 1, 5, 0, 0, 0}, zero[6] = {0};
    sn_mat3 found = read_inertia(n);
    assert_true(fabs(found.m[0][0] - 2.0) < 1e-5 && fabs(found.m[2][2] - 4.0) < 1e-5);
    found = read_inertia(zero); // a ball of steel of 2 kg
    double radius = cbrt(2.0 * 3.0 / (4.0 * 3.14159265358979323846 * 7850.0));
    assert_true(fabs(found.m[1][1] - 0.4 * 2.0 * radius * radius) < 1e-12);
    const double rod[6] = {0.1, 0.1, 0, 0, 0, 0}, plate[6] = {0.1, 0.2, 0.3, 0, 0, 0};
    found = read_inertia(rod);
    assert_true(found.m[2][2] > 0.0 && found.m[2][2] < 1e-6);
    found = read_inertia(plate); // is possible, and stays
    assert_true(found.m[0][0] == 0.1 && found.m[1][1] == 0.2 && found.m[2][2] == 0.3);
}

// ---- links without mass ----

// A cross without mass between two hinges is a universal joint, which the engine has.
static void massless_links_take_part(void **state)
{
    (void)state;
    sn_scene *robot = load_text(
        "<robot name='r'><link name='base'/><link name='cross'/><link name='arm'>" INERTIAL
        "</link>"
        "<joint name='first' type='continuous'><parent link='base'/><child link='cross'/>"
        "<axis xyz='0 0 1'/></joint><joint name='second' type='continuous'><parent link='cross'/>"
        "<child link='arm'/><axis xyz='1 0 0'/></joint></robot>");
    static const char text[] =
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"arm\", \"mass\": 2, \"centre\": [0.1, 0.15, "
        "0.2], "
        "\"inertia\": [0.3, 0.4, 0.5, 0.01, 0.02, 0]}], \"joints\": [{\"name\": \"u\", \"type\": "
        "\"universal\", \"parent\": \"world\", \"child\": \"arm\"}]}";
    sn_scene *scene = load_text(text);
    sn_world *a = build(robot), *b = build(scene);
    advance(a, 0.001, 300);
    advance(b, 0.001, 300);
    sn_vec3 one = sn_body_centre(a, sn_world_find_body(a, "arm"));
    sn_vec3 other = sn_body_centre(b, sn_world_find_body(b, "arm"));
    assert_true(sn_distance(other, sn_vec3_make(0.1, 0.15, 0.2)) > 0.05); // it fell
    assert_true(sn_distance(one, other) < 1e-7);
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(robot);
    sn_scene_destroy(scene);
}

// The root of a free base without mass falls with what hangs on it.
static void massless_free_roots_fall(void **state)
{
    (void)state;
    static const char urdf[] =
        "<robot name='r'><link name='base'/><link name='arm'>" INERTIAL "</link><joint name='j' "
        "type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
        "<dynamics damping='0.1'/></joint></robot>";
    sn_scene_options options = {.base = "free"};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_text("r", urdf, strlen(urdf), &options, &scene, &errors), SN_OK);
    sn_world *world = build(scene);
    advance(world, 0.002, 250);
    sn_vec3 centre = sn_body_centre(world, sn_world_find_body(world, "arm"));
    assert_true(fabs(centre.z - (0.2 - 0.5 * 9.81 * 0.25)) < 1e-6);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    // Words that are none.
    options.base = "loose";
    assert_int_equal(sn_scene_load_text("r", urdf, strlen(urdf), &options, &scene, &errors),
                     SN_ERROR_SCENE);
    assert_non_null(strstr(errors.items[0].text, "expected fixed, free"));
    sn_error_list_free(&errors);
}

// Followers move by a command link without mass.
static void massless_leaders_lead(void **state)
{
    (void)state;
    sn_scene *scene = load(FOLDER "/massless_leader.urdf");
    sn_world *world = build(scene);
    assert_int_equal(sn_world_coupling_count(world), 2);
    assert_true(sn_joint_is_valid(world, sn_world_find_joint(world, "command")));
    assert_int_equal(sn_world_freedom_count(world), 1);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- what is read instead ----

static void mended_values(void **state)
{
    (void)state;
    sn_scene *scene = load(FOLDER "/inertial_twice.urdf");
    sn_world *world = build(scene);
    sn_body arm = sn_world_find_body(world, "upper_arm");
    assert_true(sn_body_mass_properties(world, arm).mass == 1.5);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    scene = load(FOLDER "/mesh_scale_one_number.urdf");
    world = build(scene);
    arm = sn_world_find_body(world, "upper_arm");
    sn_aabb box = sn_mesh_bounds(sn_body_shape(world, arm, 0)->mesh);
    assert_true(fabs(box.upper.x - 1e-3) < 1e-12);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    scene = load(FOLDER "/capsule.urdf");
    world = build(scene);
    const sn_shape *shape = sn_body_shape(world, sn_world_find_body(world, "upper_arm"), 0);
    assert_int_equal(shape->type, SN_SHAPE_CAPSULE);
    assert_true(shape->radius == 0.04 && shape->height == 0.25);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    scene = load(FOLDER "/limit_upside_down.urdf");
    world = build(scene);
    sn_joint joint = sn_world_find_joint(world, "shoulder");
    assert_true(isinf(sn_joint_freedom(world, joint, 0).limit.upper));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    scene = load(FOLDER "/names_with_blanks.urdf");
    world = build(scene);
    assert_true(sn_body_is_valid(world, sn_world_find_body(world, "left arm/upper")));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    // A link that says nothing of its mass: 0.6 x 0.1 x 0.2 m of water.
    scene = load(FOLDER "/no_inertial_visual_only.urdf");
    world = build(scene);
    sn_mass_properties mass =
        sn_body_mass_properties(world, sn_world_find_body(world, "right_leg"));
    assert_true(fabs(mass.mass - 12.0) < 1e-12);
    assert_true(fabs(mass.inertia.m[2][2] - 12.0 / 12.0 * (0.36 + 0.01)) < 1e-12);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- packages ----

#define WORKSPACE "tests/data/urdf/workspace"

static int count_shapes(const char *path, const sn_scene_options *options, const char *note)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    if (load_with(path, options, &scene, &errors) != SN_OK) {
        fail_msg("%s", sn_error_message(&errors.items[0]));
    }
    int shapes = 0;
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        shapes += SN_BODY(scene, i)->shapes.count;
    }
    const sn_error_list *found = sn_scene_notes(scene);
    bool noted = note == NULL;
    for (int i = 0; i < found->count; ++i) {
        noted = noted || strstr(found->items[i].text, note) != NULL;
    }
    if (!noted) {
        fail_msg("no note says %s", note);
    }
    sn_scene_destroy(scene);
    sn_error_list_free(&errors);
    return shapes;
}

// A workspace: the robot's own package under another name than its folder, meshes in a package
// beside it, in one of another repository, and in one that is elsewhere.
static void packages_are_found(void **state)
{
    (void)state;
    static const char robot[] = WORKSPACE "/src/crane/description/urdf/crane.urdf";
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    // Own package by its manifest, one beside it, one in another repository of the workspace.
    assert_int_equal(count_shapes(robot, NULL, "no package \"far_away\" with it"), 3);
    const sn_package packages[] = {{"far_awya", WORKSPACE "/elsewhere/far"},
                                   {"far_away", WORKSPACE "/elsewhere/far"}};
    sn_scene_options options = {.packages = packages, .package_count = 1};
    assert_int_equal(count_shapes(robot, &options, "\"far_awya\" is given, did you mean that?"), 3);
    options.package_count = 2;
    assert_int_equal(count_shapes(robot, &options, NULL), 4);
    setenv("ROS_PACKAGE_PATH", "/nowhere:" WORKSPACE "/elsewhere", 1);
    assert_int_equal(count_shapes(robot, NULL, NULL), 4);
    unsetenv("ROS_PACKAGE_PATH");
    setenv("AMENT_PREFIX_PATH", WORKSPACE "/installed", 1);
    assert_int_equal(count_shapes(robot, NULL, NULL), 4);
    unsetenv("AMENT_PREFIX_PATH");
    // The same from a scene, by name and as a folder of packages.
    assert_int_equal(count_shapes(WORKSPACE "/by_name.json", NULL, NULL), 4);
    assert_int_equal(count_shapes(WORKSPACE "/by_folder.json", NULL, NULL), 4);
    // A text from elsewhere reads no files, and opens all the same.
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    assert_int_equal(sn_path_read(robot, 1 << 20, &text, &length, &error), SN_OK);
    sn_scene_options sealed = {.sealed = true};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_text("r", text, length, &sealed, &scene, &errors), SN_OK);
    int missing = 0;
    for (int i = 0; i < sn_scene_notes(scene)->count; ++i) {
        missing += strstr(sn_scene_notes(scene)->items[i].text, "reads no files") != NULL;
    }
    assert_int_equal(missing, 4);
    sn_scene_destroy(scene);
    sn_free(text);
}

// ---- memory ----

static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    static const char *const files[] = {
        "inertia_over_sum",      "massless_leader", "no_inertial_visual_only",
        "mimic_unknown",         "mesh_missing",    "latin_1",
        "mesh_scale_one_number", "comment_dashes",  "solidworks_style"};
    const sn_package packages[] = {{"a", "tests"}, {"b", "scenes"}};
    for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
        char path[200];
        snprintf(path, sizeof path, FOLDER "/%.60s.urdf", files[f]);
        bool done = false;
        int64_t stride = is_sanitized() ? 7 : 1;
        for (int64_t n = 0; n < 4000 && !done; n += stride) {
            sn_scene *scene = NULL;
            sn_error_list errors = {0};
            sn_scene_options options = {.packages = packages, .package_count = 2};
            sn_allocation_fail_after(n);
            sn_status status = sn_scene_load_file(path, &options, &scene, &errors);
            sn_allocation_fail_after(-1);
            done = status == SN_OK;
            // A library that reads meshes allocates for itself and cannot always say why.
            assert_true(done || status == SN_ERROR_MEMORY || status == SN_ERROR_FILE);
            assert_true(done == (scene != NULL));
            sn_scene_destroy(scene);
            sn_error_list_free(&errors);
        }
        assert_true(done);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_has_its_notes),
        cmocka_unit_test(every_file_moves_for_a_second),
        cmocka_unit_test(mujoco_agrees_where_it_reads),
        cmocka_unit_test(strict_refuses),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(mended_inertias_are_the_nearest),
        cmocka_unit_test(mended_inertias_in_closed_form),
        cmocka_unit_test(massless_links_take_part),
        cmocka_unit_test(massless_free_roots_fall),
        cmocka_unit_test(massless_leaders_lead),
        cmocka_unit_test(mended_values),
        cmocka_unit_test(packages_are_found),
        cmocka_unit_test(memory_runs_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
