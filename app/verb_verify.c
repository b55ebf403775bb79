// sinew verify: how exact the engine is, case by case.
#include <string.h>

#include "base/suggest.h"
#include "exit_code.h"
#include "interrupt.h"
#include "terminal.h"
#include "verbs.h"
#include "verify.h"

static int list(void)
{
    const sn_verify_group *group = NULL;
    for (int i = 0; (group = sn_verify_group_at(i)) != NULL; ++i) {
        printf("%s: %s\n", group->name, group->doc);
        for (int j = 0; j < group->count; ++j) {
            printf("  %s\n", group->cases[j].name);
        }
    }
    return SN_EXIT_OK;
}

static bool wanted(const char *word, const char *name)
{
    return word == NULL || strcmp(word, name) == 0;
}

// Whether some group that is wanted has the case; else says so, with the nearest name.
static bool known_case(const char *only, const char *name)
{
    const char *names[256];
    int count = 0;
    const sn_verify_group *group = NULL;
    for (int i = 0; (group = sn_verify_group_at(i)) != NULL; ++i) {
        for (int j = 0; j < group->count && wanted(only, group->name) && count < 256; ++j) {
            names[count++] = group->cases[j].name;
        }
    }
    for (int i = 0; i < count; ++i) {
        if (wanted(name, names[i])) {
            return true;
        }
    }
    const char *near = sn_suggest(name, names, count);
    sn_usage_error(&sn_verb_verify, "no case '%s'%s%s%s (--list names them)", name,
                   near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
    return false;
}

static bool run_group(sn_verify *verify, const sn_verify_group *group, const char *name)
{
    verify->group = group;
    for (int i = 0; i < group->count; ++i) {
        if (sn_interrupted()) {
            return false;
        }
        if (wanted(name, group->cases[i].name)) {
            verify->current = &group->cases[i];
            verify->current->run(verify);
        }
    }
    return true;
}

static int run(const sn_arguments *arguments)
{
    if (sn_option_given(arguments, "list")) {
        return list();
    }
    const char *only = sn_option_text(arguments, "only", NULL);
    const char *name = sn_option_text(arguments, "case", NULL);
    if (!known_case(only, name)) {
        return SN_EXIT_USAGE;
    }
    sn_verify verify = {.arguments = arguments,
                        .as_json = sn_option_given(arguments, "json"),
                        .json = {.stream = stdout}};
    if (verify.as_json) {
        sn_json_write_open(&verify.json, NULL, '[');
    } else {
        printf("%-11s %-70s %20s %20s %9s %9s\n", "group", "case", "reference", "value", "error",
               "limit");
        fflush(stdout);
    }
    sn_interrupt_listen();
    bool whole = true;
    const sn_verify_group *group = NULL;
    for (int i = 0; whole && (group = sn_verify_group_at(i)) != NULL; ++i) {
        if (wanted(only, group->name)) {
            whole = run_group(&verify, group, name);
        }
    }
    if (verify.as_json) {
        sn_json_write_close(&verify.json);
    }
    sn_say(arguments, "%s%d passed, %d failed", whole ? "" : "interrupted: ", verify.passed,
           verify.failed);
    return !whole ? SN_EXIT_INTERRUPTED : verify.failed > 0 ? SN_EXIT_DIFFERENCE : SN_EXIT_OK;
}

static const char *const group_names[] = {"rigid",  "mass",    "energy",  "articulated",
                                          "mobile", "contact", "elastic", NULL};

static const sn_option options[] = {
    {.name = "only",
     .type = SN_OPTION_WORD,
     .value = "GROUP",
     .fallback = "all",
     .doc = "one group of cases",
     .words = group_names},
    {.name = "case",
     .type = SN_OPTION_TEXT,
     .value = "NAME",
     .fallback = "all",
     .doc = "one case, by its name in --list"},
    {.name = "list", .doc = "name the groups and cases, run none"},
    {.name = "json", .doc = "print a JSON array, one object for each line of the table"},
};

static const sn_example examples[] = {
    {"sinew verify", "the whole table"},
    {"sinew verify --only rigid", "one group"},
    {"sinew verify --only contact --case arch", "one case"},
    {"sinew verify --json > accuracy.json", "for a program"},
};

const sn_verb sn_verb_verify = {
    .name = "verify",
    .operands = "",
    .summary = "run the accuracy table: references, our values, errors, limits",
    .description =
        "Every line compares a number of the engine with a closed form, a published value\n"
        "or a high-order computation. The exit code is 1 when an error is beyond its\n"
        "limit.",
    SN_VERB_TABLES,
    .run = run,
};
