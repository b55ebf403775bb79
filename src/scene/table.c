#include "scene/table.h"

#include <stddef.h>
#include <string.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))

static const sn_key param_keys[] = {
    {"value", SN_KEY_QUANTITY, offsetof(sn_param_item, value),
     "The number itself: in `unit` when bare, or with a unit of "
     "its own (`\"30deg\"`), or an expression of other params (`\"=2*width\"`).",
     .required = true, .dimension = SN_ANY_DIMENSION},
    {"min", SN_KEY_QUANTITY, offsetof(sn_param_item, minimum), "The least value it may take.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "no limit"},
    {"max", SN_KEY_QUANTITY, offsetof(sn_param_item, maximum), "The greatest value it may take.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "no limit"},
    {"unit", SN_KEY_STRING, offsetof(sn_param_item, unit_text),
     "The unit of bare numbers in `value`, `min` and `max`, and of the slider. Expressions see the "
     "value in SI units.",
     .standard_text = "the unit that `value`, or else `min` or `max`, is written with"},
    {"label", SN_KEY_STRING, offsetof(sn_param_item, label),
     "What a person reads beside the slider.", .standard_text = "the param's name"},
};

static const sn_object param_table = {"param",
                                      .text =
                                          "A number that a person may turn: it becomes a slider "
                                          "and a sweep axis, and expressions may use it by name.",
                                      .size = sizeof(sn_param_item), ROWS(param_keys)};

#define X(name, word, text) {word, text},
static const sn_word law_words[] = {SN_ELASTIC_LAW_LIST(X){NULL, NULL}};
#undef X

static const sn_key viscosity_keys[] = {
    {"volume", SN_KEY_NUMBER, offsetof(sn_viscosity_item, volume),
     "Against changes of volume: half the bulk viscosity.", .dimension = SN_VISCOSITY,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"shape", SN_KEY_NUMBER, offsetof(sn_viscosity_item, shape),
     "Against changes of shape: half the shear viscosity.", .dimension = SN_VISCOSITY,
     .range = SN_RANGE_NOT_NEGATIVE}};

static const sn_object viscosity_table = {
    "viscosity", .text = "Friction inside an elastic material, by the rate of its metric.",
    .size = sizeof(sn_viscosity_item), ROWS(viscosity_keys)};

static const sn_key plastic_keys[] = {
    {"yield_stress", SN_KEY_NUMBER, offsetof(sn_plastic_item, yield_stress),
     "Von Mises' stress above which the material flows.", .dimension = SN_PRESSURE,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"creep_rate", SN_KEY_NUMBER, offsetof(sn_plastic_item, creep_rate),
     "At which stress above yield goes; 0: at once. Integrators with stages need one.",
     .dimension = SN_FREQUENCY, .range = SN_RANGE_NOT_NEGATIVE},
    {"hardening", SN_KEY_NUMBER, offsetof(sn_plastic_item, hardening),
     "What the yield stress grows by for a plastic strain of 1.", .dimension = SN_PRESSURE,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"limit", SN_KEY_NUMBER, offsetof(sn_plastic_item, limit),
     "Total plastic strain above which nothing flows any more; 0: none.",
     .range = SN_RANGE_NOT_NEGATIVE}};

static const sn_object plastic_table = {
    "plastic",
    .text =
        "Plastic flow of an elastic material: what is loaded beyond yield keeps some of its new "
        "shape.",
    .size = sizeof(sn_plastic_item), ROWS(plastic_keys)};

static const sn_key fibre_keys[] = {
    {"direction", SN_KEY_VECTOR, offsetof(sn_fibre_item, direction),
     "Of the fibres, in the frame of the body at rest.", .required = true},
    {"stiffness", SN_KEY_NUMBER, offsetof(sn_fibre_item, stiffness),
     "What they add to Young's modulus along them.", .required = true, .dimension = SN_PRESSURE,
     .range = SN_RANGE_NOT_NEGATIVE}};

static const sn_object fibre_table = {"fibre", .text = "Fibres that all lie along one direction.",
                                      .size = sizeof(sn_fibre_item), ROWS(fibre_keys)};

static const sn_key material_keys[] = {
    {"density", SN_KEY_NUMBER, offsetof(sn_material_item, density), "Mass per volume.",
     .dimension = SN_DENSITY, .range = SN_RANGE_POSITIVE, .standard = {1000}},
    {"friction", SN_KEY_NUMBER, offsetof(sn_material_item, friction),
     "Coulomb's coefficient; two surfaces that touch have the square root of the product of "
     "theirs.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {0.5}, .change = SN_CHANGE_CARRIED},
    {"restitution", SN_KEY_NUMBER, offsetof(sn_material_item, restitution),
     "Share of the approach speed kept after an impact; of two the larger counts.",
     .range = SN_RANGE_BETWEEN, .maximum = 1, .change = SN_CHANGE_CARRIED},
    {"rolling_friction", SN_KEY_NUMBER, offsetof(sn_material_item, rolling_friction),
     "Moment against rolling, by the normal force; of two the larger counts.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"spinning_friction", SN_KEY_NUMBER, offsetof(sn_material_item, spinning_friction),
     "Moment against spinning about the normal, by the normal force; of two the larger counts.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"law", SN_KEY_ENUM, offsetof(sn_material_item, law),
     "How stress follows from stretch in elastic bodies.", .words = law_words,
     .standard_text = "`corotational`"},
    {"young", SN_KEY_NUMBER, offsetof(sn_material_item, young),
     "Young's modulus of elastic bodies; with `poisson`, or else `bulk` and `shear`.",
     .dimension = SN_PRESSURE, .range = SN_RANGE_POSITIVE, .standard = {1e6}},
    {"poisson", SN_KEY_NUMBER, offsetof(sn_material_item, poisson),
     "Poisson's ratio of elastic bodies: above -1 and below 0.5.", .range = SN_RANGE_BETWEEN,
     .minimum = -0.9999, .maximum = 0.49999, .standard = {0.3}},
    {"bulk", SN_KEY_NUMBER, offsetof(sn_material_item, bulk), "Bulk modulus of elastic bodies.",
     .dimension = SN_PRESSURE, .range = SN_RANGE_POSITIVE,
     .standard_text = "from `young` and `poisson`"},
    {"shear", SN_KEY_NUMBER, offsetof(sn_material_item, shear), "Shear modulus of elastic bodies.",
     .dimension = SN_PRESSURE, .range = SN_RANGE_POSITIVE,
     .standard_text = "from `young` and `poisson`"},
    {"viscosity", SN_KEY_OBJECT, offsetof(sn_material_item, viscosity),
     "Friction inside elastic bodies.", .object = &viscosity_table, .standard_text = "none"},
    {"plastic", SN_KEY_OBJECT, offsetof(sn_material_item, plastic),
     "Flow of elastic bodies beyond a yield stress; not together with `fibre`.",
     .object = &plastic_table, .standard_text = "none"},
    {"fibre", SN_KEY_OBJECT, offsetof(sn_material_item, fibre),
     "What makes elastic bodies stiffer along one direction.", .object = &fibre_table,
     .standard_text = "none"},
    {"colour", SN_KEY_COLOUR, offsetof(sn_material_item, colour), "For drawing.",
     .standard_text = "a light grey"},
    {"roughness", SN_KEY_NUMBER, offsetof(sn_material_item, roughness),
     "For drawing: 0 polished, 1 like chalk.", .range = SN_RANGE_BETWEEN, .maximum = 1,
     .standard = {0.5}},
    {"metallic", SN_KEY_NUMBER, offsetof(sn_material_item, metallic),
     "For drawing: 1 shines as metals do, in its own colour; 0 as paint or plastic.",
     .range = SN_RANGE_BETWEEN, .maximum = 1},
};

static const sn_object material_table = {"material",
                                         .text = "What a shape or an elastic body is made of.",
                                         .size = sizeof(sn_material_item), ROWS(material_keys)};

static const sn_key camera_keys[] = {
    {"position", SN_KEY_VECTOR, offsetof(sn_camera_item, position), "Where the eye is.",
     .required = true, .dimension = SN_LENGTH},
    {"target", SN_KEY_VECTOR, offsetof(sn_camera_item, target),
     "The point in the middle of the picture.", .dimension = SN_LENGTH},
    {"field_of_view", SN_KEY_NUMBER, offsetof(sn_camera_item, field_of_view),
     "Height of the picture as an angle.", .dimension = SN_ANGLE, .range = SN_RANGE_BETWEEN,
     .minimum = 0.01, .maximum = 3, .standard = {0.78539816339744828}, .standard_text = "45deg"},
};

static const sn_object camera_table = {
    "camera", .text = "From where the scene is seen. Without it the whole scene is framed.",
    .size = sizeof(sn_camera_item), ROWS(camera_keys)};

#define X(name, word, text) {word, text},
static const sn_word policy_words[] = {SN_POLICY_LIST(X){NULL, NULL}};
static const sn_word integrator_words[] = {SN_INTEGRATOR_LIST(X){NULL, NULL}};
#undef X

#define X(name, word, text) {word, text},
static const sn_word method_words[] = {SN_CONTACT_METHOD_LIST(X){NULL, NULL}};
#undef X

#define X(name, word, text) {word, text},
static const sn_word bounds_words[] = {SN_CONTACT_BOUNDS_LIST(X){NULL, NULL}};
#undef X

static const sn_key contact_keys[] = {
    {"method", SN_KEY_ENUM, offsetof(sn_contact_item, method),
     "How shapes that meet are kept apart.", .words = method_words},
    {"substeps", SN_KEY_WHOLE, offsetof(sn_contact_item, substeps),
     "Parts of a step in which large piles are solved; up to 8 times as many where weights ask for "
     "it.",
     .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 1000, .standard = {4},
     .change = SN_CHANGE_CARRIED},
    {"exact_limit", SN_KEY_WHOLE, offsetof(sn_contact_item, exact_limit),
     "Things that touch with up to so many contacts among them are solved to convergence, larger "
     "piles by sub-steps.",
     .range = SN_RANGE_BETWEEN, .maximum = 1000000, .standard = {128}, .change = SN_CHANGE_CARRIED},
    {"heap_limit", SN_KEY_WHOLE, offsetof(sn_contact_item, heap_limit),
     "The same for heaps: compact bodies of like masses with more than 1.5 contacts each.",
     .range = SN_RANGE_BETWEEN, .maximum = 1000000, .standard = {24}, .change = SN_CHANGE_CARRIED},
    {"within", SN_KEY_BOOLEAN, offsetof(sn_contact_item, within),
     "Bodies of one mechanism meet each other, but for pairs that a joint connects, that joints "
     "keep "
     "apart for ever, or that overlap at the start.",
     .standard = {1}},
    {"sleep", SN_KEY_BOOLEAN, offsetof(sn_contact_item, sleep),
     "What has come to rest is not moved until something wakes it.", .standard = {1}},
    {"stiffness", SN_KEY_NUMBER, offsetof(sn_contact_item, stiffness),
     "Of the penalty method and of contact springs, at each point of contact.",
     .dimension = SN_STIFFNESS, .range = SN_RANGE_NOT_NEGATIVE,
     .standard_text = "0: from masses and the step, shared by a body's points, or from elastic "
                      "moduli",
     .change = SN_CHANGE_CARRIED},
    {"damping", SN_KEY_NUMBER, offsetof(sn_contact_item, damping),
     "Of the same, as a share of critical damping; 0 keeps energy.", .range = SN_RANGE_NOT_NEGATIVE,
     .standard = {0.5}, .change = SN_CHANGE_CARRIED},
    {"bounds", SN_KEY_ENUM, offsetof(sn_contact_item, bounds),
     "What shapes are wrapped in to find which are near each other. Results are the same to the "
     "bit.",
     .words = bounds_words, .change = SN_CHANGE_CARRIED},
};

static const sn_object contact_table = {
    "contact", .text = "How things that touch are treated; see the page on contact.",
    .size = sizeof(sn_contact_item), ROWS(contact_keys)};

static const sn_key air_keys[] = {
    {"density", SN_KEY_NUMBER, offsetof(sn_air_item, density), "Of the air.",
     .dimension = SN_DENSITY, .range = SN_RANGE_NOT_NEGATIVE, .standard = {1.2}},
    {"normal", SN_KEY_NUMBER, offsetof(sn_air_item, normal),
     "Coefficient of the force along the normal of a surface.", .range = SN_RANGE_NOT_NEGATIVE,
     .standard = {1.17}},
    {"tangential", SN_KEY_NUMBER, offsetof(sn_air_item, tangential),
     "Coefficient of the force along a surface, on each of its sides.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {0.01}},
    {"patch", SN_KEY_NUMBER, offsetof(sn_air_item, patch),
     "Size of the pieces that surfaces are cut into.", .dimension = SN_LENGTH,
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "a seventh of each shape"}};

static const sn_object air_table = {"air", .text = "What winds are made of; see the page on wind.",
                                    .size = sizeof(sn_air_item), ROWS(air_keys)};

static const sn_key run_keys[] = {
    {"time", SN_KEY_NUMBER, offsetof(sn_run_item, time), "How long to run.", .dimension = SN_TIME,
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {10}, .change = SN_CHANGE_NONE},
    {"step", SN_KEY_NUMBER, offsetof(sn_run_item, step),
     "The step of the lockstep policy; in the precise policy the spacing of hashes and probes.",
     .dimension = SN_TIME, .range = SN_RANGE_POSITIVE, .standard = {0.001},
     .change = SN_CHANGE_NONE},
    {"policy", SN_KEY_ENUM, offsetof(sn_run_item, policy),
     "How the agents' clocks go forward together.", .words = policy_words},
    {"integrator", SN_KEY_ENUM, offsetof(sn_run_item, integrator), "For bodies that name none.",
     .words = integrator_words},
    {"relative_tolerance", SN_KEY_NUMBER, offsetof(sn_run_item, relative_tolerance),
     "Error control of the precise policy.", .range = SN_RANGE_BETWEEN, .minimum = 1e-14,
     .maximum = 1, .standard = {1e-9}},
    {"absolute_tolerance", SN_KEY_NUMBER, offsetof(sn_run_item, absolute_tolerance),
     "Error control of the precise policy, in each component's own SI unit.",
     .range = SN_RANGE_POSITIVE, .standard = {1e-12}},
    {"record_step", SN_KEY_NUMBER, offsetof(sn_run_item, record_step),
     "Time between recorded frames; never below `step`.", .dimension = SN_TIME,
     .range = SN_RANGE_POSITIVE, .standard = {1.0 / 60.0}, .standard_text = "1/60 s",
     .change = SN_CHANGE_NONE},
    {"threads", SN_KEY_WHOLE, offsetof(sn_run_item, threads),
     "Worker threads. The result does not depend on it.", .range = SN_RANGE_BETWEEN, .minimum = 1,
     .maximum = 256, .standard = {1}, .change = SN_CHANGE_NONE},
    {"seed", SN_KEY_WHOLE, offsetof(sn_run_item, seed), "For everything random.",
     .range = SN_RANGE_BETWEEN, .maximum = 9007199254740992.0},
};

static const sn_object run_table = {
    "run", .text = "How the scene wants to be run; the command line may override it.",
    .size = sizeof(sn_run_item), ROWS(run_keys)};

static const sn_key root_keys[] = {
    {"$schema", SN_KEY_STRING, offsetof(sn_root_item, schema),
     "Where an editor finds the JSON Schema of this format.", .change = SN_CHANGE_NONE},
    {"sinew", SN_KEY_WHOLE, offsetof(sn_root_item, version), "Version of the format: 1.",
     .required = true, .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 1,
     .change = SN_CHANGE_NONE},
    {"name", SN_KEY_STRING, offsetof(sn_root_item, name), "A title.",
     .standard_text = "the file's name", .change = SN_CHANGE_NONE},
    {"description", SN_KEY_STRING, offsetof(sn_root_item, description),
     "What there is to see, in a sentence or two.", .change = SN_CHANGE_NONE},
    {"include", SN_KEY_STRINGS, offsetof(sn_root_item, include),
     "Files whose contents come before this one's, relative to this file. Lists are joined, single "
     "values are overridden by "
     "the including file, names must stay unique, and a file met twice counts once.",
     .change = SN_CHANGE_NONE},
    {"gravity", SN_KEY_VECTOR, offsetof(sn_root_item, gravity),
     "Acceleration of everything that falls.", .dimension = SN_ACCELERATION,
     .standard = {0, 0, -9.81}, .change = SN_CHANGE_CARRIED},
    {"params", SN_KEY_MAP, offsetof(sn_root_item, params),
     "Numbers that a person may turn, by name.", .object = &param_table, .change = SN_CHANGE_NONE},
    {"materials", SN_KEY_MAP, offsetof(sn_root_item, materials),
     "What shapes are made of, by name.", .object = &material_table},
    {"motions", SN_KEY_MAP, offsetof(sn_root_item, motions),
     "Numbers as functions of time, by name, for drives of joints to follow.",
     .object = &sn_table_motions, .change = SN_CHANGE_CARRIED},
    {"bodies", SN_KEY_OBJECTS, offsetof(sn_root_item, bodies), "The things of the scene.",
     .object = &sn_table_bodies},
    {"joints", SN_KEY_OBJECTS, offsetof(sn_root_item, joints),
     "How bodies hang together, in trees and loops.", .object = &sn_table_joints},
    {"couplings", SN_KEY_OBJECTS, offsetof(sn_root_item, couplings),
     "Gears: freedoms of joints that move together.", .object = &sn_table_couplings},
    {"bonds", SN_KEY_OBJECTS, offsetof(sn_root_item, bonds),
     "What holds vertices of elastic bodies, and joins them to others.", .object = &sn_table_bonds},
    {"robots", SN_KEY_OBJECTS, offsetof(sn_root_item, robots),
     "Mechanisms from URDF files: their links become bodies, their joints joints, which everything "
     "else here can refer to.",
     .object = &sn_table_robots, .change = SN_CHANGE_NONE},
    {"mobiles", SN_KEY_OBJECTS, offsetof(sn_root_item, mobiles),
     "Kinetic sculptures: their arms and leaves become bodies, their hooks joints, which "
     "everything "
     "else here can refer to.",
     .object = &sn_table_mobiles, .change = SN_CHANGE_NONE},
    {"fields", SN_KEY_OBJECTS, offsetof(sn_root_item, fields), "Forces: springs and drag.",
     .object = &sn_table_fields},
    {"probes", SN_KEY_OBJECTS, offsetof(sn_root_item, probes), "Numbers to write down and plot.",
     .object = &sn_table_probes},
    {"events", SN_KEY_OBJECTS, offsetof(sn_root_item, events), "What is to be noticed.",
     .object = &sn_table_events},
    {"behaviours", SN_KEY_OBJECTS, offsetof(sn_root_item, behaviours),
     "Scripts that steer the world while it runs.", .object = &sn_table_behaviours},
    {"camera", SN_KEY_OBJECT, offsetof(sn_root_item, camera), "From where the scene is seen.",
     .object = &camera_table, .change = SN_CHANGE_NONE},
    {"contact", SN_KEY_OBJECT, offsetof(sn_root_item, contact),
     "How things that touch are treated.", .object = &contact_table},
    {"air", SN_KEY_OBJECT, offsetof(sn_root_item, air), "What winds are made of.",
     .object = &air_table, .change = SN_CHANGE_CARRIED},
    {"run", SN_KEY_OBJECT, offsetof(sn_root_item, run), "How the scene wants to be run.",
     .object = &run_table},
};

static const sn_object root_table = {"scene", .text = "A scene: the outermost object of a file.",
                                     .size = sizeof(sn_root_item), ROWS(root_keys)};

const sn_object *sn_scene_table(void)
{
    return &root_table;
}

int sn_object_key_count(const sn_object *object)
{
    return object->key_count + (object->base != NULL ? object->base->key_count : 0);
}

const sn_key *sn_object_key(const sn_object *object, int index)
{
    int before = object->base != NULL ? object->base->key_count : 0;
    return index < before ? &object->base->keys[index] : &object->keys[index - before];
}

int sn_object_find_key(const sn_object *object, const char *name)
{
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        if (strcmp(sn_object_key(object, i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool sn_object_set_add(sn_object_set *set, const sn_object *object)
{
    for (int i = 0; i < set->count; ++i) {
        if (set->objects[i] == object) {
            return false;
        }
    }
    if (set->count < SN_OBJECT_SET_LIMIT) {
        set->objects[set->count++] = object;
    }
    return true;
}
