// sinew thesis showen: energies against time.
#include "exit_code.h"
#include "thesis_operand.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    sn_thesis_operands operands;
    int code = sn_thesis_operands_read(arguments, "en", "", &operands);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    sn_thesis_file energies = {0};
    char path[SN_PATH_LIMIT] = "", stem[128];
    const char *input = operands.paths[SN_THESIS_ENERGIES];
    sn_status status = sn_thesis_out(arguments, input, ".svg", path, &error);
    if (status == SN_OK) {
        status = sn_thesis_read(SN_THESIS_ENERGIES, input, &energies, &error);
    }
    if (status == SN_OK) {
        const char *usual = sn_path_stem(input, stem, sizeof stem);
        status = sn_thesis_plot(&energies, sn_option_text(arguments, "title", usual), path, &error);
    }
    sn_thesis_file_free(&energies);
    return sn_thesis_end(arguments, status, &error, path);
}

static const sn_option options[] = {
    SN_OPTION_OUT_AS(".svg", "beside the .en file", "where the picture goes; - is standard output"),
    {.name = "title",
     .type = SN_OPTION_TEXT,
     .value = "TEXT",
     .fallback = "the file's name",
     .doc = "what stands above it"},
};

static const sn_example examples[] = {
    {"sinew thesis showen torus.en", "all curves into torus.svg"},
};

const sn_verb sn_verb_thesis_showen = {
    .name = "thesis showen",
    .operands = "FILE.en",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "plot energies against time",
    .description =
        "K and P as they are in the file, G from the first state on, D, the integral of W "
        "by the\n"
        "trapezoidal rule, U = K + P + G, and T = U + D, which is level where gravity "
        "alone acts\n"
        "from outside.",
    SN_VERB_TABLES,
    .run = run,
};
