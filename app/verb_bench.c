// sinew bench: what the engine costs.
#include "bench.h"
#include "exit_code.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    const char *path = sn_option_text(arguments, "out", NULL);
    bool as_json = sn_option_given(arguments, "json");
    sn_new_file file = {0};
    sn_error error = {0};
    if (path != NULL && sn_new_file_open(&file, path, &error) != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        return SN_EXIT_OUTPUT;
    }
    sn_interrupt_listen();
    FILE *json = path != NULL ? file.stream : as_json ? stdout : NULL;
    sn_bench_options bench = {.only = sn_option_text(arguments, "only", NULL),
                              .peer_folder = sn_option_text(arguments, "peers", NULL),
                              .repeats = (int)sn_option_number(arguments, "repeat", 5),
                              .quick = sn_option_given(arguments, "quick"),
                              .table = as_json ? NULL : stdout,
                              .json = json};
    int code = sn_bench_run(arguments, &bench);
    if (path != NULL && code != SN_EXIT_OK) {
        sn_new_file_abandon(&file);
    } else if (path != NULL && sn_new_file_close(&file, &error) != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        code = SN_EXIT_OUTPUT;
    }
    if (code == SN_EXIT_INTERRUPTED) {
        sn_say(arguments, "interrupted");
    }
    return code;
}

static const char *const group_names[] = {"rigid",   "collide",  "articulated", "contact",
                                          "elastic", "humanoid", "mobile",      "precise",
                                          "files",   NULL};

static const sn_option options[] = {
    {.name = "only",
     .type = SN_OPTION_WORD,
     .value = "GROUP",
     .fallback = "all",
     .doc = "one group of cases",
     .words = group_names},
    {.name = "peers",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "run the programs in there on the same work, interleaved with ours"},
    {.name = "repeat",
     .type = SN_OPTION_INTEGER,
     .value = "N",
     .fallback = "5",
     .doc = "runs of each case; the table has medians",
     .minimum = 1,
     .maximum = 101},
    {.name = "quick", .doc = "a twentieth of the steps: a first look, not a measurement"},
    {.name = "json", .doc = "print a JSON array instead of the table"},
    {.name = "out",
     .letter = 'o',
     .type = SN_OPTION_FILE,
     .value = "FILE",
     .doc = "write the JSON array there as well"},
};

static const sn_example examples[] = {
    {"sinew bench", "the engine alone"},
    {"sinew bench --only precise", "what accuracy costs, integrator by integrator"},
    {"sinew bench --peers build/release/peers", "beside other engines (make bench builds them)"},
};

const sn_verb sn_verb_bench = {
    .name = "bench",
    .operands = "",
    .summary = "measure what the engine costs, beside peers",
    .description =
        "The ratio is our cost over the peer's: below 1 we are faster. Quality says how\n"
        "exact the result was, so that speed is never bought with wrong motion. Each cost\n"
        "is the median of the repeats; beside it stand the least and the spread, which is\n"
        "the greatest less the least. Bars are what a case promises.",
    SN_VERB_TABLES,
    .run = run,
};
