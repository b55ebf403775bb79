// sinew info SCENE|RECORDING: what is in it.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "elastic_info.h"
#include "exit_code.h"
#include "json_writer.h"
#include "recording_source.h"
#include "scene_source.h"
#include "sinew/contact.h"
#include "terminal.h"
#include "verbs.h"

typedef struct info_subject {
    sn_scene *scene;         // NULL: a recording without a scene
    sn_world *world;         // NULL with it
    sn_recording *recording; // NULL: a scene
    const char *operand;
} info_subject;

// ---- totals ----

static double total_mass(const sn_world *world)
{
    double mass = 0.0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        if (sn_body_get_type(world, body) != SN_BODY_STATIC) {
            mass += sn_body_mass_properties(world, body).mass;
        }
    }
    return mass;
}

static const char *type_word(const sn_world *world, sn_body body)
{
    static const char *const words[] = {"rigid", "static", "elastic"};
    return words[sn_body_get_type(world, body)];
}

static const char *parent_name(const sn_world *world, sn_joint joint)
{
    sn_body parent = sn_joint_parent(world, joint);
    return sn_body_is_valid(world, parent) ? sn_body_name(world, parent) : "world";
}

static sn_vec3 principal_moments(const sn_world *world, sn_body body)
{
    sn_mass_properties mass = sn_body_mass_properties(world, body);
    sn_vec3 moments = SN_VEC3_ZERO;
    sn_quat axes;
    if (mass.mass > 0.0) {
        sn_principal_axes(&mass.inertia, &moments, &axes);
    }
    return moments;
}

// ---- what acts in joints ----

enum { ACTION_COUNT = 5 };
static const char *const action_words[ACTION_COUNT] = {"spring", "damper", "friction", "limit",
                                                       "drive"};

static void find_actions(const sn_freedom_def *def, bool actions[ACTION_COUNT])
{
    actions[0] = def->stiffness > 0.0;
    actions[1] = def->damping > 0.0;
    actions[2] = def->friction > 0.0;
    actions[3] = isfinite(def->limit.lower) || isfinite(def->limit.upper);
    actions[4] = def->drive.type != SN_DRIVE_NONE;
}

static bool anything_acts(const sn_freedom_def *def)
{
    bool actions[ACTION_COUNT];
    find_actions(def, actions);
    return actions[0] || actions[1] || actions[2] || actions[3] || actions[4];
}

// "friction, motion drive"
static void print_freedom(const sn_freedom_def *def)
{
    bool actions[ACTION_COUNT], first = true;
    find_actions(def, actions);
    for (int k = 0; k < ACTION_COUNT; ++k) {
        if (actions[k]) {
            bool drive = k == ACTION_COUNT - 1;
            printf("%s%s%s%s", first ? "" : ", ", drive ? sn_drive_type_word(def->drive.type) : "",
                   drive ? " " : "", action_words[k]);
            first = false;
        }
    }
}

static bool act_alike(const sn_freedom_def *a, const sn_freedom_def *b)
{
    bool of_a[ACTION_COUNT], of_b[ACTION_COUNT];
    find_actions(a, of_a);
    find_actions(b, of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0 && a->drive.type == b->drive.type;
}

// "; 1: spring; 2: friction", with the numbers of freedoms where they differ.
static void print_actions(const sn_world *world, sn_joint joint)
{
    int freedoms = sn_joint_type_freedoms(sn_joint_get_type(world, joint));
    sn_freedom_def defs[6];
    bool alike = true;
    for (int i = 0; i < freedoms; ++i) {
        defs[i] = sn_joint_freedom(world, joint, i);
        alike = alike && act_alike(&defs[0], &defs[i]);
    }
    for (int i = 0; i < (alike && freedoms > 0 ? 1 : freedoms); ++i) {
        if (anything_acts(&defs[i])) {
            printf("; ");
            if (!alike) {
                printf("%d: ", i + 1);
            }
            print_freedom(&defs[i]);
        }
    }
}

// ---- JSON ----

static void json_body(sn_json_writer *json, const sn_world *world, sn_body body)
{
    sn_mass_properties mass = sn_body_mass_properties(world, body);
    sn_json_write_open(json, NULL, '{');
    sn_json_write_text(json, "name", sn_body_name(world, body));
    sn_json_write_text(json, "type", type_word(world, body));
    sn_json_write_integer(json, "shapes", (uint64_t)sn_body_shape_count(world, body));
    sn_json_write_open_flat(json, "shape_types", '[');
    for (int i = 0; i < sn_body_shape_count(world, body); ++i) {
        sn_json_write_text(json, NULL, sn_shape_type_word(sn_body_shape(world, body, i)->type));
    }
    sn_json_write_close(json);
    sn_json_write_vec3(json, "position", sn_body_transform(world, body).position);
    if (sn_body_get_type(world, body) != SN_BODY_STATIC) {
        sn_json_write_number(json, "mass", mass.mass);
        sn_json_write_number(json, "volume", mass.volume);
        sn_json_write_vec3(json, "centre", mass.centre);
        sn_json_write_open_flat(json, "inertia", '[');
        for (int i = 0; i < 3; ++i) {
            const double *row = mass.inertia.m[i];
            sn_json_write_vec3(json, NULL, sn_vec3_make(row[0], row[1], row[2]));
        }
        sn_json_write_close(json);
        sn_json_write_vec3(json, "principal_moments", principal_moments(world, body));
        sn_json_write_text(json, "integrator", sn_integrator_word(sn_body_integrator(world, body)));
    }
    if (sn_body_get_type(world, body) == SN_BODY_ELASTIC) {
        sn_json_elastic(json, world, body);
    }
    sn_json_write_close(json);
}

// Why bodies of a mechanism never meet.
static const char *drop_word(sn_pair_drop why)
{
    static const char *const words[] = {"joined", "apart", "overlaps"};
    return words[why];
}

static void json_contact(sn_json_writer *json, const sn_world *world)
{
    sn_contact_def def = sn_world_contact_def(world);
    sn_json_write_open(json, "contact", '{');
    sn_json_write_text(json, "method", sn_contact_method_word(def.method));
    sn_json_write_integer(json, "substeps", (uint64_t)def.substeps);
    sn_json_write_integer(json, "exact_limit", (uint64_t)def.exact_limit);
    sn_json_write_bool(json, "sleep", def.sleep);
    sn_json_write_open(json, "dropped_pairs", '[');
    for (int i = 0; i < sn_world_dropped_pair_count(world); ++i) {
        sn_dropped_pair pair = sn_world_dropped_pair(world, i);
        sn_json_write_open_flat(json, NULL, '{');
        sn_json_write_text(json, "a", sn_body_name(world, pair.body_a));
        sn_json_write_text(json, "b", sn_body_name(world, pair.body_b));
        sn_json_write_text(json, "why", drop_word(pair.why));
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
    sn_json_write_close(json);
}

static void json_freedom(sn_json_writer *json, const sn_freedom_def *def, int freedom)
{
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_integer(json, "freedom", (uint64_t)freedom + 1);
    sn_json_write_number(json, "stiffness", def->stiffness);
    sn_json_write_number(json, "damping", def->damping);
    sn_json_write_number(json, "rest", def->rest);
    sn_json_write_number(json, "friction", def->friction);
    sn_json_write_number(json, "lower", def->limit.lower);
    sn_json_write_number(json, "upper", def->limit.upper);
    sn_json_write_text(json, "drive", sn_drive_type_word(def->drive.type));
    sn_json_write_close(json);
}

static void json_joint(sn_json_writer *json, const sn_world *world, sn_joint joint)
{
    sn_joint_type type = sn_joint_get_type(world, joint);
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "name", sn_joint_name(world, joint));
    sn_json_write_text(json, "type", sn_joint_type_word(type));
    sn_json_write_text(json, "parent", parent_name(world, joint));
    sn_json_write_text(json, "child", sn_body_name(world, sn_joint_child(world, joint)));
    sn_json_write_integer(json, "freedoms", (uint64_t)sn_joint_type_freedoms(type));
    sn_json_write_open_flat(json, "acts", '[');
    for (int i = 0; i < sn_joint_type_freedoms(type); ++i) {
        sn_freedom_def def = sn_joint_freedom(world, joint, i);
        if (anything_acts(&def)) {
            json_freedom(json, &def, i);
        }
    }
    sn_json_write_close(json);
    sn_json_write_close(json);
}

static void json_world(sn_json_writer *json, const sn_world *world)
{
    sn_json_write_vec3(json, "gravity", sn_world_gravity(world));
    sn_json_write_integer(json, "degrees_of_freedom", (uint64_t)sn_world_freedom_count(world));
    sn_mechanism_info info = sn_world_mechanism_info(world);
    sn_json_write_integer(json, "mechanisms", (uint64_t)info.mechanisms);
    sn_json_write_integer(json, "coordinates", (uint64_t)info.coordinates);
    sn_json_write_integer(json, "loops", (uint64_t)info.loops);
    sn_json_write_integer(json, "rows", (uint64_t)info.rows);
    sn_json_write_integer(json, "redundant_rows", (uint64_t)info.redundant);
    sn_json_write_integer(json, "couplings", (uint64_t)sn_world_coupling_count(world));
    sn_json_write_number(json, "total_mass", total_mass(world));
    sn_json_write_open(json, "bodies", '[');
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        json_body(json, world, sn_world_body(world, i));
    }
    sn_json_write_close(json);
    sn_json_write_open(json, "joints", '[');
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        json_joint(json, world, sn_world_joint(world, i));
    }
    sn_json_write_close(json);
    sn_json_write_integer(json, "fields", (uint64_t)sn_world_field_count(world));
    json_contact(json, world);
}

static void json_scene(sn_json_writer *json, const sn_scene *scene, const sn_world *world)
{
    sn_run run = sn_scene_run(scene);
    sn_json_write_text(json, "name", sn_scene_name(scene));
    sn_json_write_text(json, "description", sn_scene_description(scene));
    sn_json_write_open(json, "run", '{');
    sn_json_write_number(json, "time", run.time);
    sn_json_write_number(json, "step", run.step);
    sn_json_write_number(json, "record_step", run.record_step);
    sn_json_write_text(json, "policy", sn_policy_word(run.policy));
    sn_json_write_text(json, "integrator", sn_integrator_word(run.integrator));
    sn_json_write_number(json, "relative_tolerance", run.relative_tolerance);
    sn_json_write_number(json, "absolute_tolerance", run.absolute_tolerance);
    sn_json_write_integer(json, "threads", (uint64_t)run.threads);
    sn_json_write_integer(json, "seed", run.seed);
    sn_json_write_close(json);
    sn_json_write_open(json, "params", '[');
    for (int i = 0; i < sn_scene_param_count(scene); ++i) {
        sn_param param = sn_scene_param(scene, i);
        sn_json_write_open_flat(json, NULL, '{');
        sn_json_write_text(json, "name", param.name);
        sn_json_write_number(json, "value", param.value);
        sn_json_write_number(json, "minimum", param.minimum);
        sn_json_write_number(json, "maximum", param.maximum);
        sn_json_write_text(json, "unit", param.unit);
        sn_json_write_text(json, "label", param.label);
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
    sn_json_write_open(json, "probes", '[');
    for (int i = 0; i < sn_scene_probe_count(scene); ++i) {
        sn_named_probe named;
        if (sn_scene_probe(scene, world, i, &named, NULL) == SN_OK) {
            sn_json_write_open_flat(json, NULL, '{');
            sn_json_write_text(json, "name", named.name);
            sn_json_write_text(json, "quantity", sn_quantity_word(named.probe.quantity));
            sn_json_write_text(json, "unit", sn_probe_unit(world, &named.probe));
            sn_json_write_close(json);
        }
    }
    sn_json_write_close(json);
}

static void print_json(const info_subject *subject)
{
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_text(&json, "kind", subject->recording != NULL ? "recording" : "scene");
    if (subject->recording != NULL) {
        sn_recording_info info = sn_recording_get_info(subject->recording);
        sn_json_write_text(&json, "version", info.version);
        sn_json_write_integer(&json, "seed", info.seed);
        sn_json_write_integer(&json, "frames", (uint64_t)info.frame_count);
        sn_json_write_integer(&json, "steps", info.step_count);
        sn_json_write_number(&json, "start_time", info.start_time);
        sn_json_write_number(&json, "end_time", info.end_time);
        sn_json_write_bool(&json, "complete", info.complete);
        sn_json_write_integer(&json, "lost_bytes", info.lost_bytes);
        sn_json_write_hash(&json, "hash", sn_recording_hash(subject->recording, info.step_count));
    }
    if (subject->scene != NULL) {
        json_scene(&json, subject->scene, subject->world);
        json_world(&json, subject->world);
    }
    sn_json_write_close(&json);
}

// ---- text ----

static void print_recording(const sn_recording *recording)
{
    sn_recording_info info = sn_recording_get_info(recording);
    printf("recording by Sinew %s: %d frames, %" PRIu64 " steps, %.6g s to %.6g s, seed %" PRIu64
           "%s\n",
           info.version, info.frame_count, info.step_count, info.start_time, info.end_time,
           info.seed, info.complete ? "" : ", cut short");
    printf("state hash at the end %016" PRIx64 "\n", sn_recording_hash(recording, info.step_count));
}

enum { SHOWN = 40 }; // rows of a table

// "box", "3 shapes", "sphere, sensor".
static void describe_shapes(const sn_world *world, sn_body body, char *text, size_t size)
{
    if (sn_body_get_type(world, body) == SN_BODY_ELASTIC) {
        const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
        int elements = sn_tetrahedra_element_count(mesh);
        snprintf(text, size, "%d element%s", elements, elements == 1 ? "" : "s");
        return;
    }
    int count = sn_body_shape_count(world, body);
    const sn_shape *first = sn_body_shape(world, body, 0);
    if (count == 0) {
        snprintf(text, size, "none");
    } else if (count > 1) {
        snprintf(text, size, "%d shapes", count);
    } else {
        snprintf(text, size, "%s%s", sn_shape_type_word(first->type),
                 first->surface.sensor ? ", sensor" : "");
    }
}

static void print_bodies(const sn_world *world)
{
    int count = sn_world_body_count(world);
    printf("\n%-32s %-7s %-20s %12s  %s\n", "body", "type", "shape", "mass[kg]",
           "principal moments[kg m^2]");
    for (int i = 0; i < count && i < SHOWN; ++i) {
        sn_body body = sn_world_body(world, i);
        char shapes[40];
        describe_shapes(world, body, shapes, sizeof shapes);
        bool rigid = sn_body_get_type(world, body) != SN_BODY_STATIC;
        printf("%-32s %-7s %-*s", sn_body_name(world, body), type_word(world, body), rigid ? 20 : 1,
               shapes);
        if (rigid) {
            sn_vec3 moments = principal_moments(world, body);
            printf(" %12.6g  %.6g %.6g %.6g", sn_body_mass_properties(world, body).mass, moments.x,
                   moments.y, moments.z);
        }
        putchar('\n');
    }
    if (count > SHOWN) {
        printf("and %d more; --json lists all\n", count - SHOWN);
    }
}

static void print_elastics(const sn_world *world)
{
    for (int i = 0, shown = 0; i < sn_world_body_count(world) && shown < SHOWN; ++i) {
        sn_body body = sn_world_body(world, i);
        if (sn_body_get_type(world, body) == SN_BODY_ELASTIC) {
            sn_print_elastic(world, body);
            shown += 1;
        }
    }
}

static void print_joints(const sn_world *world)
{
    int count = sn_world_joint_count(world);
    if (count > 0) {
        printf("\n%-32s %-11s %8s  %s\n", "joint", "type", "freedoms",
               "parent - child; what acts in it");
    }
    for (int i = 0; i < count && i < SHOWN; ++i) {
        sn_joint joint = sn_world_joint(world, i);
        sn_joint_type type = sn_joint_get_type(world, joint);
        printf("%-32s %-11s %8d  %s - %s", sn_joint_name(world, joint), sn_joint_type_word(type),
               sn_joint_type_freedoms(type), parent_name(world, joint),
               sn_body_name(world, sn_joint_child(world, joint)));
        print_actions(world, joint);
        putchar('\n');
    }
    if (count > SHOWN) {
        printf("and %d more; --json lists all\n", count - SHOWN);
    }
}

// "1 mechanism of 3 coordinates, 1 loop; 5 rows of constraints, 3 redundant; 1 coupling"
static void print_mechanisms(const sn_world *world)
{
    sn_mechanism_info info = sn_world_mechanism_info(world);
    int couplings = sn_world_coupling_count(world);
    if (info.mechanisms == 0) {
        return;
    }
    printf("%d mechanism%s of %d coordinate%s, %d loop%s", info.mechanisms,
           info.mechanisms == 1 ? "" : "s", info.coordinates, info.coordinates == 1 ? "" : "s",
           info.loops, info.loops == 1 ? "" : "s");
    if (info.rows > 0) {
        printf("; %d row%s of constraints, %d redundant", info.rows, info.rows == 1 ? "" : "s",
               info.redundant);
    }
    if (couplings > 0) {
        printf("; %d coupling%s", couplings, couplings == 1 ? "" : "s");
    }
    putchar('\n');
}

static void print_params(const sn_scene *scene)
{
    for (int i = 0; i < sn_scene_param_count(scene); ++i) {
        sn_param param = sn_scene_param(scene, i);
        printf("%s%-32s %12.6g %s",
               i == 0 ? "\nparam                                   value\n" : "", param.name,
               param.value, param.unit != NULL ? param.unit : "");
        if (isfinite(param.minimum) || isfinite(param.maximum)) {
            printf("  (%g to %g)", param.minimum, param.maximum);
        }
        printf("  %s\n", param.label != NULL ? param.label : "");
    }
}

static void print_probes(const sn_scene *scene, const sn_world *world)
{
    for (int i = 0; i < sn_scene_probe_count(scene); ++i) {
        sn_named_probe named;
        if (sn_scene_probe(scene, world, i, &named, NULL) == SN_OK) {
            printf("%s%-32s %s[%s]\n",
                   i == 0 ? "\nprobe                            quantity\n" : "", named.name,
                   sn_quantity_word(named.probe.quantity), sn_probe_unit(world, &named.probe));
        }
    }
}

// "contact by the solver; of mechanisms 12 pairs never meet: 10 joined, 2 kept apart by joints".
static void print_contact(const sn_world *world)
{
    int counts[3] = {0}, dropped = sn_world_dropped_pair_count(world);
    for (int i = 0; i < dropped; ++i) {
        counts[sn_world_dropped_pair(world, i).why] += 1;
    }
    printf("contact %s", sn_contact_method_word(sn_world_contact_def(world).method));
    static const char *const texts[] = {"joined", "kept apart by joints",
                                        "overlapping from the start"};
    for (int i = 0, first = 1; i < 3; ++i) {
        if (counts[i] > 0) {
            printf("%s%d %s", first ? "; pairs of mechanisms left out: " : ", ", counts[i],
                   texts[i]);
            first = 0;
        }
    }
    putchar('\n');
}

static void print_scene(const sn_scene *scene, const sn_world *world)
{
    sn_run run = sn_scene_run(scene);
    sn_vec3 gravity = sn_world_gravity(world);
    printf("%s\n", sn_scene_name(scene));
    if (sn_scene_description(scene)[0] != '\0') {
        printf("%s\n", sn_scene_description(scene));
    }
    int bodies = sn_world_body_count(world), joints = sn_world_joint_count(world),
        fields = sn_world_field_count(world);
    printf("\n%d bod%s, ", bodies, bodies == 1 ? "y" : "ies");
    if (joints > 0) {
        printf("%d joint%s, ", joints, joints == 1 ? "" : "s");
    }
    int freedoms = sn_world_freedom_count(world);
    printf("%d degree%s of freedom, %.6g kg in all, %d field%s\n", freedoms,
           freedoms == 1 ? "" : "s", total_mass(world), fields, fields == 1 ? "" : "s");
    print_mechanisms(world);
    printf("gravity (%g, %g, %g) m/s^2\n", gravity.x, gravity.y, gravity.z);
    printf("runs %g s in steps of %g s, %s policy, %s integrator, rows every %g s, seed %" PRIu64
           "\n",
           run.time, run.step, sn_policy_word(run.policy), sn_integrator_word(run.integrator),
           run.record_step, run.seed);
    print_contact(world);
    print_bodies(world);
    print_elastics(world);
    print_joints(world);
    print_params(scene);
    print_probes(scene, world);
}

// ---- the verb ----

// The scene inside a recording; none is no failure.
static int read_recorded_scene(const sn_arguments *arguments, info_subject *subject)
{
    sn_recording_info info = sn_recording_get_info(subject->recording);
    if (info.scene_length == 0) {
        return SN_EXIT_OK;
    }
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text(subject->operand, info.scene_text, info.scene_length,
                                          NULL, &subject->scene, &errors);
    if (status != SN_OK && errors.count > 0) {
        sn_complain(arguments, "%s", sn_error_message(&errors.items[0]));
    }
    sn_error_list_free(&errors);
    return sn_exit_for(status);
}

static int open_subject(const sn_arguments *arguments, info_subject *subject)
{
    int code = SN_EXIT_OK;
    if (strcmp(subject->operand, "-") != 0 && sn_operand_is_recording(subject->operand)) {
        code = sn_recording_load(arguments, subject->operand, &subject->recording);
        if (code == SN_EXIT_OK) {
            code = read_recorded_scene(arguments, subject);
        }
    } else {
        code = sn_scene_source_load(arguments, subject->operand, &subject->scene);
    }
    if (code == SN_EXIT_OK && subject->scene != NULL) {
        sn_error error = {0};
        sn_status status = sn_scene_build(subject->scene, &subject->world, &error);
        if (status != SN_OK) {
            sn_complain(arguments, "%s", sn_error_message(&error));
            code = sn_exit_for(status);
        }
    }
    return code;
}

static int run(const sn_arguments *arguments)
{
    info_subject subject = {.operand = arguments->operands[0]};
    int code = open_subject(arguments, &subject);
    if (code == SN_EXIT_OK && sn_option_given(arguments, "json")) {
        print_json(&subject);
    } else if (code == SN_EXIT_OK) {
        if (subject.recording != NULL) {
            print_recording(subject.recording);
        }
        if (subject.scene != NULL) {
            printf("%s", subject.recording != NULL ? "\n" : "");
            print_scene(subject.scene, subject.world);
        }
    }
    sn_world_destroy(subject.world);
    sn_scene_destroy(subject.scene);
    sn_recording_close(subject.recording);
    return code;
}

static const sn_option options[] = {
    {.name = "json", .doc = "print JSON"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew info tumbling-racket", "bodies, masses, joints, loops, params, probes"},
    {"sinew info out/tumbling-racket", "what a run recorded"},
    {"sinew info my.json --json | jq .total_mass", "one number of it"},
};

const sn_verb sn_verb_info = {
    .name = "info",
    .operands = "SCENE|RECORDING",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "tell what is in a scene or a recording",
    SN_VERB_TABLES,
    .run = run,
};
