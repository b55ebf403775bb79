// The part of the scene table about forces and measuring: fields, probes, events.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_field_item, member)

static const sn_key common_keys[] = {{"name", SN_KEY_NAME, AT(name), "How probes refer to it.",
                                      .standard_text = "its type and number, such as `spring 1`"}};
static const sn_object common_table = {"field_common", .size = sizeof(sn_field_item),
                                       ROWS(common_keys)};

static const sn_key spring_keys[] = {
    {"a", SN_KEY_REFERENCE, AT(a), "One end: a body, or `world`.", .required = true,
     .refers_to = "body", .change = SN_CHANGE_CARRIED},
    {"b", SN_KEY_REFERENCE, AT(b), "The other end.", .refers_to = "body", .standard_text = "world",
     .change = SN_CHANGE_CARRIED},
    {"point_a", SN_KEY_VECTOR, AT(point_a),
     "Where it is tied, in the frame of body `a`; world coordinates for the world.",
     .dimension = SN_LENGTH, .change = SN_CHANGE_CARRIED},
    {"point_b", SN_KEY_VECTOR, AT(point_b), "Where it is tied, in the frame of body `b`.",
     .dimension = SN_LENGTH, .change = SN_CHANGE_CARRIED},
    {"stiffness", SN_KEY_NUMBER, AT(stiffness), "Force per elongation.", .required = true,
     .dimension = SN_STIFFNESS, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"damping", SN_KEY_NUMBER, AT(damping), "Force per rate of elongation.",
     .dimension = SN_DAMPING, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"rest_length", SN_KEY_NUMBER, AT(rest_length), "Length without force.", .dimension = SN_LENGTH,
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {-1}, .standard_text = "the length at the start",
     .change = SN_CHANGE_CARRIED}};

static const sn_object spring_table = {
    .name = "spring",
    .word = "spring",
    .id = SN_SCENE_SPRING,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "A spring with a damper between two points: f = stiffness (length - rest_length) + "
            "damping (rate of length).",
    ROWS(spring_keys)};

static const sn_key drag_keys[] = {
    {"of", SN_KEY_REFERENCE, AT(of), "A body, or `all`.", .refers_to = "body",
     .standard_text = "all", .change = SN_CHANGE_CARRIED},
    {"linear", SN_KEY_NUMBER, AT(linear), "Force per speed.", .dimension = SN_DAMPING,
     .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"quadratic", SN_KEY_NUMBER, AT(quadratic),
     "Force per speed squared: half of density, drag coefficient and area.",
     .dimension = SN_QUADRATIC_DRAG, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"angular_linear", SN_KEY_NUMBER, AT(angular_linear), "Torque per angular speed.",
     .dimension = SN_ANGULAR_DAMPING, .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"angular_quadratic", SN_KEY_NUMBER, AT(angular_quadratic), "Torque per angular speed squared.",
     .dimension = SN_ANGULAR_QUADRATIC_DRAG, .range = SN_RANGE_NOT_NEGATIVE,
     .change = SN_CHANGE_CARRIED},
    {"medium_velocity", SN_KEY_VECTOR, AT(medium_velocity), "Velocity u of the medium.",
     .dimension = SN_SPEED, .change = SN_CHANGE_CARRIED}};

#define X(name, word, text) {word, text},
static const sn_word kind_words[] = {SN_WIND_KIND_LIST(X){NULL, NULL}};
static const sn_word law_words[] = {SN_WIND_LAW_LIST(X){NULL, NULL}};
static const sn_word occlusion_words[] = {SN_WIND_OCCLUSION_LIST(X){NULL, NULL}};
static const sn_word profile_words[] = {SN_WIND_PROFILE_LIST(X){NULL, NULL}};
static const sn_word spectrum_words[] = {SN_WIND_SPECTRUM_LIST(X){NULL, NULL}};
#undef X

static const sn_key wind_keys[] = {
    {"kind", SN_KEY_ENUM, AT(wind.kind), "How it spreads.", .words = kind_words,
     .change = SN_CHANGE_CARRIED},
    {"position", SN_KEY_VECTOR, AT(wind.position),
     "The middle of the disc, the mouth or the fan; of a natural wind, a point of the ground.",
     .dimension = SN_LENGTH, .change = SN_CHANGE_CARRIED},
    {"direction", SN_KEY_VECTOR, AT(wind.direction),
     "Where it blows to; of any length. Of a natural wind the level part counts.",
     .standard = {1, 0, 0}, .change = SN_CHANGE_CARRIED},
    {"speed", SN_KEY_NUMBER, AT(wind.speed),
     "At the source; of a natural wind, the mean at `height`.", .dimension = SN_SPEED,
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {1}, .change = SN_CHANGE_CARRIED},
    {"strength", SN_KEY_ONE_OR_NAME, AT(wind.strength),
     "The share of `speed` that it blows with, as a function of time.", .object = &sn_table_motions,
     .refers_to = "motion", .standard_text = "1", .change = SN_CHANGE_CARRIED},
    {"breath", SN_KEY_BOOLEAN, AT(wind.breath),
     "It is the one that a breath drives, live or by `--blow`.", .change = SN_CHANGE_CARRIED},
    {"radius", SN_KEY_NUMBER, AT(wind.radius), "Of the disc, the mouth or the fan.",
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE, .standard = {0.1},
     .change = SN_CHANGE_CARRIED},
    {"length", SN_KEY_NUMBER, AT(wind.length), "Cone: from its vertex to the disc.",
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE, .standard = {0.3},
     .change = SN_CHANGE_CARRIED},
    {"swirl", SN_KEY_NUMBER, AT(wind.swirl),
     "Fan: speed about the axis at the rim, as a share of `speed`.", .standard = {0.4},
     .change = SN_CHANGE_CARRIED},
    {"law", SN_KEY_ENUM, AT(wind.law), "How it pushes.", .words = law_words,
     .change = SN_CHANGE_CARRIED},
    {"random_share", SN_KEY_NUMBER, AT(wind.random_share),
     "Law `face`: how large the random part of the force may be, as a share of it.",
     .range = SN_RANGE_NOT_NEGATIVE, .change = SN_CHANGE_CARRIED},
    {"occlusion", SN_KEY_ENUM, AT(wind.occlusion), "How it is found what bodies hide from it.",
     .words = occlusion_words, .change = SN_CHANGE_CARRIED},
    {"occlusion_pixels", SN_KEY_WHOLE, AT(wind.occlusion_pixels),
     "Occlusion `depth`: of the longer side of the picture, 8 and up; 0: 32 times the root of the "
     "number of bodies, 320 to 512.",
     .range = SN_RANGE_BETWEEN, .maximum = SN_WIND_PIXEL_LIMIT, .change = SN_CHANGE_CARRIED},
    {"occlusion_period", SN_KEY_NUMBER, AT(wind.occlusion_period),
     "How often it is looked at what is hidden; 0: at every step.", .dimension = SN_TIME,
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {0.05}, .change = SN_CHANGE_CARRIED},
    {"up", SN_KEY_VECTOR, AT(wind.up), "Natural: away from the ground.", .standard = {0, 0, 1},
     .change = SN_CHANGE_CARRIED},
    {"profile", SN_KEY_ENUM, AT(wind.profile), "Natural: how the mean grows with the height z.",
     .words = profile_words, .change = SN_CHANGE_CARRIED},
    {"height", SN_KEY_NUMBER, AT(wind.height), "Natural: where the mean is `speed`.",
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE, .standard = {10},
     .change = SN_CHANGE_CARRIED},
    {"roughness", SN_KEY_NUMBER, AT(wind.roughness),
     "Log profile: the height below which the air rests.", .dimension = SN_LENGTH,
     .range = SN_RANGE_POSITIVE, .standard = {0.03}, .change = SN_CHANGE_CARRIED},
    {"exponent", SN_KEY_NUMBER, AT(wind.exponent), "Power profile.", .range = SN_RANGE_BETWEEN,
     .maximum = 1, .standard = {1.0 / 7.0}, .standard_text = "1/7", .change = SN_CHANGE_CARRIED},
    {"intensity", SN_KEY_NUMBER, AT(wind.intensity),
     "Natural: deviation of each component of the gusts, as a share of `speed`.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {0.15}, .change = SN_CHANGE_CARRIED},
    {"scale", SN_KEY_NUMBER, AT(wind.scale), "Natural: L, the length of the largest eddies.",
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE, .standard = {30},
     .change = SN_CHANGE_CARRIED},
    {"spectrum", SN_KEY_ENUM, AT(wind.spectrum), "Natural: of the gusts.", .words = spectrum_words,
     .change = SN_CHANGE_CARRIED},
    {"modes", SN_KEY_WHOLE, AT(wind.modes), "Natural: waves that the gusts are the sum of.",
     .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = SN_WIND_MODE_LIMIT, .standard = {48},
     .change = SN_CHANGE_CARRIED},
    {"seed", SN_KEY_WHOLE, AT(wind.seed), "Of gusts and random parts.", .range = SN_RANGE_BETWEEN,
     .maximum = 9007199254740992.0, .change = SN_CHANGE_CARRIED}};

static const sn_object drag_table = {
    .name = "drag",
    .word = "drag",
    .id = SN_SCENE_DRAG,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "Drag of a medium at the centre of mass: f = -(linear + quadratic |v - u|) (v - u), "
            "and a torque in the same way.",
    ROWS(drag_keys)};

static const sn_object wind_table = {
    .name = "wind",
    .word = "wind",
    .id = SN_SCENE_WIND,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "A wind that blows on every body; see the page on wind. Winds of the law `air` add up "
            "before they act, and one of speed 0 is air at rest, which damps.",
    ROWS(wind_keys)};

static const sn_key load_keys[] = {
    {"of", SN_KEY_REFERENCE, AT(of), "The elastic body it acts on.", .required = true,
     .refers_to = "body"},
    {"vertices", SN_KEY_ONE_OR_MORE, AT(load.vertices),
     "Which of its vertices: the faces of the surface between them carry it, or, where there is no "
     "whole face, they themselves alike.",
     .required = true, .object = &sn_table_choices},
    {"force", SN_KEY_VECTOR, AT(load.force), "In the world, spread evenly.", .dimension = SN_FORCE,
     .change = SN_CHANGE_CARRIED},
    {"moment", SN_KEY_VECTOR, AT(load.moment),
     "About the middle of the loaded part, spread as bending and twisting spread stress.",
     .dimension = SN_TORQUE, .change = SN_CHANGE_CARRIED},
    {"follows", SN_KEY_BOOLEAN, AT(load.follows),
     "Both turn with the loaded part; else they keep their directions."}};

static const sn_object load_table = {
    .name = "load",
    .word = "load",
    .id = SN_SCENE_LOAD,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "A force and a moment on a part of an elastic body's surface.",
    ROWS(load_keys)};

static const sn_object *const variants[] = {&spring_table, &drag_table, &wind_table, &load_table};

const sn_object sn_table_fields = {"field", .text = "A force with a place.",
                                   .size = sizeof(sn_field_item), .variants = variants,
                                   .variant_count = (int)(sizeof variants / sizeof variants[0])};

#define X(name, word, unit, of) {word, "in " unit},
static const sn_word quantity_words[] = {SN_QUANTITY_LIST(X){NULL, NULL}};
#undef X

static const sn_key probe_keys[] = {
    {"name", SN_KEY_NAME, offsetof(sn_probe_item, name), "Names the column.", .required = true},
    {"of", SN_KEY_REFERENCE, offsetof(sn_probe_item, of),
     "A body, a joint, a bond, a spring, or `world`.", .refers_to = "body, joint, bond or field",
     .standard_text = "world"},
    {"quantity", SN_KEY_ENUM, offsetof(sn_probe_item, quantity), "What to read.", .required = true,
     .words = quantity_words},
    {"point", SN_KEY_VECTOR, offsetof(sn_probe_item, point),
     "Position, velocity or speed are those of this point of the body's frame, of an elastic body "
     "at rest.",
     .dimension = SN_LENGTH, .standard_text = "none"}};

const sn_object sn_table_probes = {"probe", .text = "A number to write down at every step.",
                                   .size = sizeof(sn_probe_item), ROWS(probe_keys)};

static const sn_word direction_words[] = {
    {"both", "either way"}, {"rising", "from below"}, {"falling", "from above"}, {NULL, NULL}};
static const sn_word action_words[] = {{"mark", "only the log remembers it"},
                                       {"stop", "the run ends there"},
                                       {"start", "behaviours that wait for it start there"},
                                       {NULL, NULL}};

static const sn_key event_keys[] = {
    {"name", SN_KEY_NAME, offsetof(sn_event_item, name), "Names it in the log.", .required = true},
    {"of", SN_KEY_REFERENCE, offsetof(sn_event_item, of),
     "A body, a joint, a bond, a spring, or `world`.", .refers_to = "body, joint, bond or field",
     .standard_text = "world"},
    {"quantity", SN_KEY_ENUM, offsetof(sn_event_item, quantity), "What to watch.", .required = true,
     .words = quantity_words},
    {"point", SN_KEY_VECTOR, offsetof(sn_event_item, point), "As of a probe.",
     .dimension = SN_LENGTH, .standard_text = "none"},
    {"threshold", SN_KEY_QUANTITY, offsetof(sn_event_item, threshold),
     "The value it passes, in the quantity's unit.", .dimension = SN_ANY_DIMENSION},
    {"direction", SN_KEY_ENUM, offsetof(sn_event_item, direction), "Which way it passes.",
     .words = direction_words},
    {"action", SN_KEY_ENUM, offsetof(sn_event_item, action), "What happens then.",
     .words = action_words, .standard_text = "`mark`; `start` when a behaviour waits for it"}};

const sn_object sn_table_events = {
    "event", .text = "Something that happens when a quantity passes a threshold.",
    .size = sizeof(sn_event_item), ROWS(event_keys)};
