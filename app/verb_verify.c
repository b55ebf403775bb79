// sinew verify: how exact the engine is, case by case.
#include <string.h>

#include "base/suggest.h"
#include "exit_code.h"
#include "interrupt.h"
#include "progress.h"
#include "terminal.h"
#include "verbs.h"
#include "verify.h"

static int list(void)
{
    const sn_verify_group *group = NULL;
    for (int i = 0; (group = sn_verify_group_at(i)) != NULL; ++i) {
        printf("%s: %s\n", group->name, group->doc);
        for (int j = 0; j < group->count; ++j) {
            printf("  %s%s\n", group->cases[j].name,
                   group->cases[j].slow ? " (not with --quick)" : "");
        }
    }
    return SN_EXIT_OK;
}

// What was asked for.
typedef struct selection {
    const char *only, *name; // a group and a case; NULL: all
    bool quick;
} selection;

static bool wanted(const char *word, const char *name)
{
    return word == NULL || strcmp(word, name) == 0;
}

static bool is_selected(const selection *chosen, const sn_verify_group *group, int index)
{
    const sn_verify_case *one = &group->cases[index];
    return wanted(chosen->only, group->name) && wanted(chosen->name, one->name) &&
           !(chosen->quick && one->slow);
}

// Whether there is something to run; else says so, with the nearest name.
static bool is_possible(const selection *chosen)
{
    const char *names[256];
    int count = 0;
    bool slow = false;
    const sn_verify_group *group = NULL;
    for (int i = 0; (group = sn_verify_group_at(i)) != NULL; ++i) {
        for (int j = 0; j < group->count; ++j) {
            if (is_selected(chosen, group, j)) {
                return true;
            }
            if (wanted(chosen->only, group->name)) {
                slow = slow || wanted(chosen->name, group->cases[j].name);
                names[count < 255 ? count++ : count] = group->cases[j].name;
            }
        }
    }
    if (slow) {
        sn_usage_error(&sn_verb_verify, "the case '%s' is not run with --quick", chosen->name);
        return false;
    }
    const char *near = sn_suggest(chosen->name, names, count);
    sn_usage_error(&sn_verb_verify, "no case '%s'%s%s%s (--list names them)", chosen->name,
                   near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
    return false;
}

static bool run_group(sn_verify *verify, const sn_verify_group *group, const selection *chosen)
{
    verify->group = group;
    for (int i = 0; i < group->count; ++i) {
        if (sn_interrupted()) {
            return false;
        }
        if (is_selected(chosen, group, i)) {
            verify->current = &group->cases[i];
            verify->current->run(verify);
        }
    }
    return true;
}

// How long it will be, before the first line: some cases print nothing for half a minute.
static void announce(const sn_arguments *arguments, const selection *chosen)
{
    if (chosen->name == NULL && chosen->quick) {
        sn_say(arguments, "takes about 10 s; without --quick, two minutes");
    } else if (chosen->name == NULL && chosen->only == NULL) {
        sn_say(arguments, "takes about two minutes; --quick, about 10 s");
    }
}

static int run(const sn_arguments *arguments)
{
    if (sn_option_given(arguments, "list")) {
        return list();
    }
    selection chosen = {sn_option_text(arguments, "only", NULL),
                        sn_option_text(arguments, "case", NULL),
                        sn_option_given(arguments, "quick")};
    if (!is_possible(&chosen)) {
        return SN_EXIT_USAGE;
    }
    sn_verify verify = {.arguments = arguments,
                        .as_json = sn_option_given(arguments, "json"),
                        .json = {.stream = stdout}};
    announce(arguments, &chosen);
    if (verify.as_json) {
        sn_json_write_open(&verify.json, NULL, '[');
    } else {
        printf("%30s %12s %12s %8s %8s\n", "", "reference", "value", "error", "limit");
        fflush(stdout);
    }
    sn_interrupt_listen();
    double started = sn_wall_time();
    bool whole = true;
    const sn_verify_group *group = NULL;
    for (int i = 0; whole && (group = sn_verify_group_at(i)) != NULL; ++i) {
        whole = run_group(&verify, group, &chosen);
    }
    if (verify.as_json) {
        sn_json_write_close(&verify.json);
    }
    sn_say(arguments, "took %.1f s", sn_wall_time() - started);
    sn_say(arguments, "%s%d passed, %d failed", whole ? "" : "interrupted: ", verify.passed,
           verify.failed);
    return !whole ? SN_EXIT_INTERRUPTED : verify.failed > 0 ? SN_EXIT_DIFFERENCE : SN_EXIT_OK;
}

static const char *const group_names[] = {"rigid",   "mass",   "energy",  "articulated", "rotors",
                                          "springs", "mobile", "contact", "elastic",     NULL};

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
    {.name = "quick", .doc = "leave out what takes a second or more: about 10 s in all"},
    {.name = "list", .doc = "name the groups and cases, run none"},
    {.name = "json", .doc = "print a JSON array, one object for each line of the table"},
};

static const sn_example examples[] = {
    {"sinew verify", "the whole table, about two minutes"},
    {"sinew verify --quick", "cases of every group in about 10 s"},
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
