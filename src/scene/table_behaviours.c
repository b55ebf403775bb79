// The part of the scene table about behaviours: scripts that steer a running world.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_statement_item, member)
#define STATEMENT(key, code)                                                                       \
    .name = key "_statement", .lead = (key), .id = (code), .size = sizeof(sn_statement_item)

#define JOINT_KEY(key, sentence)                                                                   \
    {                                                                                              \
        key, SN_KEY_REFERENCE, AT(name), sentence, .required = true, .refers_to = "joint"          \
    }
#define FREEDOM_KEY                                                                                \
    {                                                                                              \
        "freedom", SN_KEY_INTEGER, AT(freedom),                                                    \
            "Which of its freedoms, counted from 1 in the type's order.",                          \
            .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 6, .standard_text = "1"            \
    }

static const sn_key let_keys[] = {{"let", SN_KEY_REFERENCE, AT(name),
                                   "A variable of this behaviour.", .required = true,
                                   .refers_to = "variable"},
                                  {"be", SN_KEY_FORMULA, AT(value), "What it is from now on.",
                                   .required = true, .dimension = SN_ANY_DIMENSION}};

static const sn_object let_table = {STATEMENT("let", SN_SCENE_LET),
                                    .text = "Gives a variable a new value.", ROWS(let_keys)};

static const sn_key set_keys[] = {
    JOINT_KEY("set", "The joint."),
    FREEDOM_KEY,
    {"target", SN_KEY_FORMULA, AT(value),
     "The new target: a position, a velocity or a force, as the drive's type says.",
     .required = true, .dimension = SN_ANY_DIMENSION}};

static const sn_object set_table = {
    STATEMENT("set", SN_SCENE_SET),
    .text = "Sets the target of a drive; a motion that gave it is let go.", ROWS(set_keys)};

#define X(name, word, text) {word, text},
static const sn_word drive_words[] = {SN_DRIVE_TYPE_LIST(X){NULL, NULL}};
#undef X

static const sn_key drive_keys[] = {
    JOINT_KEY("drive", "The joint."),
    FREEDOM_KEY,
    {"type", SN_KEY_ENUM, AT(type), "What the drive does.", .required = true, .words = drive_words},
    {"target", SN_KEY_FORMULA, AT(value), "Of the type's kind: a force, a velocity or a position.",
     .dimension = SN_ANY_DIMENSION},
    {"motion", SN_KEY_REFERENCE, AT(motion),
     "What the target follows instead, by the world's time.", .refers_to = "motion",
     .standard_text = "none"},
    {"stiffness", SN_KEY_FORMULA, AT(stiffness), "Of a position drive.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE},
    {"damping", SN_KEY_FORMULA, AT(damping), "Of a position drive.", .dimension = SN_ANY_DIMENSION,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"force_limit", SN_KEY_FORMULA, AT(force_limit), "Of velocity and position drives.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "no limit"}};

static const sn_object drive_table = {
    STATEMENT("drive", SN_SCENE_DRIVE),
    .text = "Puts another drive into a freedom: a `motion` takes it over, `none` lets it go.",
    ROWS(drive_keys)};

static const sn_word axes_words[] = {
    {"world", "those of the world"}, {"body", "those of the body, as it stands"}, {NULL, NULL}};

static const sn_key push_keys[] = {
    {"push", SN_KEY_REFERENCE, AT(name), "A rigid body.", .required = true, .refers_to = "body"},
    {"force", SN_KEY_FORMULAS, AT(force), "Force on it, up to the next step.",
     .dimension = SN_FORCE, .standard_text = "none"},
    {"at", SN_KEY_FORMULAS, AT(at), "Where the force acts, in the body's frame.",
     .dimension = SN_LENGTH, .standard_text = "its centre of mass"},
    {"torque", SN_KEY_FORMULAS, AT(torque), "Torque on it, up to the next step.",
     .dimension = SN_TORQUE, .standard_text = "none"},
    {"axes", SN_KEY_ENUM, AT(axes), "What axes force and torque are given in.",
     .words = axes_words}};

static const sn_object push_table = {STATEMENT("push", SN_SCENE_PUSH),
                                     .text = "Pushes a body for one step.", ROWS(push_keys)};

static const sn_key force_keys[] = {JOINT_KEY("force", "The joint."),
                                    FREEDOM_KEY,
                                    {"value", SN_KEY_FORMULA, AT(value),
                                     "Force or torque in the freedom, up to the next step.",
                                     .required = true, .dimension = SN_ANY_DIMENSION}};

static const sn_object force_table = {STATEMENT("force", SN_SCENE_FORCE),
                                      .text = "Pushes a freedom of a joint for one step.",
                                      ROWS(force_keys)};

static const sn_key start_keys[] = {{"start", SN_KEY_REFERENCE, AT(name),
                                     "Another behaviour, or this one.", .required = true,
                                     .refers_to = "behaviour"}};

static const sn_object start_table = {
    STATEMENT("start", SN_SCENE_START),
    .text = "Starts a behaviour: in this step when it stands further on, else in the next.",
    ROWS(start_keys)};

static const sn_key stop_keys[] = {{"stop", SN_KEY_REFERENCE, AT(name),
                                    "Another behaviour, or this one.", .required = true,
                                    .refers_to = "behaviour"}};

static const sn_object stop_table = {STATEMENT("stop", SN_SCENE_STOP),
                                     .text = "Stops a behaviour and those within it.",
                                     ROWS(stop_keys)};

static const sn_key break_keys[] = {{"break", SN_KEY_REFERENCE, AT(name), "The joint or bond.",
                                     .required = true, .refers_to = "joint or bond"}};

static const sn_object break_table = {STATEMENT("break", SN_SCENE_BREAK),
                                      .text = "Breaks a joint or a bond for ever.",
                                      ROWS(break_keys)};

static const sn_key if_keys[] = {
    {"if", SN_KEY_FORMULA, AT(value), "True when it is not 0.", .required = true},
    {"then", SN_KEY_OBJECTS, AT(then), "What to do when it is true.", .required = true,
     .object = &sn_table_statements},
    {"else", SN_KEY_OBJECTS, AT(otherwise), "What to do when it is not.",
     .object = &sn_table_statements}};

static const sn_object if_table = {STATEMENT("if", SN_SCENE_IF),
                                   .text = "Does one thing or another.", ROWS(if_keys)};

// A push has a "force" too, so it is looked for first.
static const sn_object *const statements[] = {&let_table,  &set_table,   &drive_table,
                                              &push_table, &force_table, &start_table,
                                              &stop_table, &break_table, &if_table};

const sn_object sn_table_statements = {
    "statement",
    .text = "One thing that a behaviour does. Numbers may have units, or be expressions that are "
            "computed each time; these may use, beyond params, `time`, the behaviour's own "
            "variables and those of the behaviours it is within, probes (`probe('name')`, or the "
            "plain name where it is a word), and `of('name', 'quantity')` of any body, joint, "
            "bond, spring or the `world`.",
    .size = sizeof(sn_statement_item), .variants = statements,
    .variant_count = (int)(sizeof statements / sizeof statements[0])};

#undef AT
#define AT(member) offsetof(sn_behaviour_item, member)

static const sn_key variable_keys[] = {{"value", SN_KEY_QUANTITY, offsetof(sn_variable_item, value),
                                        "What it is at first.", .required = true,
                                        .dimension = SN_ANY_DIMENSION}};

static const sn_object variable_table = {"variable", .text = "A number that a behaviour keeps.",
                                         .size = sizeof(sn_variable_item), ROWS(variable_keys)};

static const sn_key keys[] = {
    {"name", SN_KEY_NAME, AT(name), "How others start, stop and contain it.", .required = true},
    {"active", SN_KEY_BOOLEAN, AT(active), "Whether it acts from the start.",
     .standard_text = "true, or false when it waits for an event", .change = SN_CHANGE_START},
    {"period", SN_KEY_NUMBER, AT(period),
     "Time between two acts, counted from its start: it acts at the first step start at or after "
     "each multiple. 0: at every step.",
     .dimension = SN_TIME, .range = SN_RANGE_NOT_NEGATIVE},
    {"on", SN_KEY_REFERENCE, AT(on), "The event that starts it, each time it happens.",
     .refers_to = "event", .standard_text = "none"},
    {"within", SN_KEY_REFERENCE, AT(within),
     "The behaviour that contains it: it is active only while that is, and can read its variables.",
     .refers_to = "behaviour", .standard_text = "none"},
    {"once", SN_KEY_BOOLEAN, AT(once), "Whether it stops when it has acted."},
    {"variables", SN_KEY_NUMBER_MAP, AT(variables),
     "Numbers that it keeps from act to act, by name, and what they are at first.",
     .object = &variable_table, .change = SN_CHANGE_START},
    {"do", SN_KEY_OBJECTS, AT(statements), "What it does, in order.", .required = true,
     .object = &sn_table_statements, .change = SN_CHANGE_CARRIED}};

const sn_object sn_table_behaviours = {
    "behaviour",
    .text = "A script that acts at the start of steps, before forces are asked for: in the order "
            "of the file, what contains others before what it contains. What it sets holds for "
            "the step (forces) or until it is set again (drives).",
    .size = sizeof(sn_behaviour_item), ROWS(keys)};
