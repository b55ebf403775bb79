// The option table: one per verb, and the only place where an option is described. Parsing, help,
// man page and shell completion all read it.
//
//     static const sn_option options[] = {
//         {.name = "time", .letter = 't', .type = SN_OPTION_NUMBER, .value = "SECONDS", .doc = "how
//         long to simulate"},
//     };
//     double time = sn_option_number(arguments, "time", run.time);
//
// Options and operands come in any order, as `--name value` or `--name=value`; `--` ends the
// options. A value is checked against its type while parsing, so that a verb only ever sees sound
// ones.
#ifndef SN_APP_OPTIONS_H
#define SN_APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SN_OPTION_LIMIT = 32, SN_LIST_LIMIT = 64, SN_OPERAND_LIMIT = 4096 };

typedef enum sn_option_type {
    SN_OPTION_FLAG,
    SN_OPTION_TEXT,
    SN_OPTION_NUMBER,  // finite, between minimum and maximum when these differ
    SN_OPTION_INTEGER, // the same, without a fraction
    SN_OPTION_TIME,    // seconds, or with a unit: "5ms", "2min"
    SN_OPTION_WORD,    // one of `words`
    SN_OPTION_FILE,
    SN_OPTION_FOLDER,
    SN_OPTION_SETTING, // name=number; may be repeated
    SN_OPTION_PACKAGE, // name=folder; may be repeated
} sn_option_type;

typedef struct sn_option {
    const char *name; // without the dashes
    char letter;      // short form, or 0
    sn_option_type type;
    const char *value;        // what stands for the value in help: "SECONDS"
    const char *fallback;     // the default as told to the user, or NULL
    const char *doc;          // one line, lower case, no full stop
    const char *const *words; // SN_OPTION_WORD: NULL-terminated
    double minimum, maximum;
    const char *endings; // SN_OPTION_FILE: that a name may have, ".png .apng"; NULL: any
} sn_option;

// ---- rows that several verbs have ----

#define SN_OPTION_OUT(kind, what, usual, text)                                                     \
    {                                                                                              \
        .name = "out", .letter = 'o', .type = (kind), .value = (what), .fallback = (usual),        \
        .doc = (text)                                                                              \
    }
// A file of one kind, "FILE.png" with the ending ".png".
#define SN_OPTION_OUT_AS(ending, usual, text)                                                      \
    {                                                                                              \
        .name = "out", .letter = 'o', .type = SN_OPTION_FILE, .value = "FILE" ending,              \
        .fallback = (usual), .doc = (text), .endings = ending                                      \
    }
#define SN_OPTION_THREADS(usual)                                                                   \
    {                                                                                              \
        .name = "threads", .letter = 'j', .type = SN_OPTION_INTEGER, .value = "N",                 \
        .fallback = (usual), .doc = "worker threads; the result does not depend on them",          \
        .minimum = 1, .maximum = 256                                                               \
    }
#define SN_OPTION_SET                                                                              \
    {                                                                                              \
        .name = "set", .letter = 's', .type = SN_OPTION_SETTING, .value = "NAME=VALUE",            \
        .doc = "give a param of the scene another value, in its own unit or with one; may be "     \
               "repeated"                                                                          \
    }

// How URDF files are read: of every verb that reads scenes.
#define SN_OPTIONS_ROBOT                                                                           \
    {.name = "strict",                                                                             \
     .doc = "faults of URDF files are errors, not mended with a note (`sinew check` lists them)"}, \
        {.name = "package",                                                                        \
         .type = SN_OPTION_PACKAGE,                                                                \
         .value = "NAME=DIR",                                                                      \
         .doc = "where package://NAME/... of URDF files is; may be repeated"},                     \
        {.name = "base",                                                                           \
         .type = SN_OPTION_WORD,                                                                   \
         .value = "HOW",                                                                           \
         .fallback = "fixed",                                                                      \
         .words = sn_base_words,                                                                   \
         .doc = "of a URDF file: whether the world holds its root link"},                          \
    {                                                                                              \
        .name = "geometry", .type = SN_OPTION_WORD, .value = "WHAT", .fallback = "file",           \
        .words = sn_geometry_words, .doc = "of a URDF file: which shapes are drawn and touch"      \
    }

typedef struct sn_example {
    const char *command, *doc;
} sn_example;

// What an operand may be; for completion.
typedef enum sn_operand_kind {
    SN_OPERAND_NONE = 0,
    SN_OPERAND_SCENE = 1, // a built-in name or a file
    SN_OPERAND_FILE = 2,
    SN_OPERAND_VERB = 4,
} sn_operand_kind;

typedef struct sn_arguments sn_arguments;

typedef struct sn_verb {
    const char *name;
    const char *operands; // "SCENE...", or "" for none
    int operand_kind;
    int minimum_operands, maximum_operands;
    const char *summary;     // one line for the list of verbs
    const char *description; // paragraphs, separated by newlines
    const sn_option *options;
    int option_count;
    const sn_example *examples;
    int example_count;
    bool hidden; // left out of the short lists
    bool family; // its first operand is a verb of its own, named "NAME WORD"; see verbs.h
    int (*run)(const sn_arguments *arguments);
} sn_verb;

// The tables of a verb's file, which are called `options` and `examples` there.
#define SN_VERB_TABLES                                                                             \
    .options = options, .option_count = sizeof options / sizeof options[0], .examples = examples,  \
    .example_count = sizeof examples / sizeof examples[0]

// Of the options base and geometry.
extern const char *const sn_base_words[];
extern const char *const sn_geometry_words[];

// What every verb takes besides its own options.
extern const sn_option sn_common_options[];
extern const int sn_common_option_count;

typedef struct sn_setting {
    char name[128];
    const char *value; // a number, perhaps with a unit: only the scene knows what it means
} sn_setting;

struct sn_arguments {
    const sn_verb *verb;
    bool quiet, no_color, help;
    const char *values[SN_OPTION_LIMIT]; // by index in the verb's table; NULL: not given
    sn_setting settings[SN_LIST_LIMIT];
    int setting_count;
    sn_setting packages[SN_LIST_LIMIT];
    int package_count;
    const char *operands[SN_OPERAND_LIMIT];
    int operand_count;
};

// Reads the words after the verb. On failure tells stderr what is wrong, with a suggestion, and
// gives false.
bool sn_options_parse(const sn_verb *verb, int count, char *const *words, sn_arguments *arguments);

// Does the verb have this option?
bool sn_option_known(const sn_verb *verb, const char *name);

// What was given for an option of the verb's table.
bool sn_option_given(const sn_arguments *arguments, const char *name);
const char *sn_option_text(const sn_arguments *arguments, const char *name, const char *fallback);
double sn_option_number(const sn_arguments *arguments, const char *name, double fallback);

// "sinew run: MESSAGE" and where help is, on stderr. Returns SN_EXIT_USAGE.
int sn_usage_error(const sn_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
