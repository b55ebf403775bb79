// sinew thesis coloring: three textures for the faces of a surface.
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"

// "0,1,2"
static bool read_textures(const char *text, int textures[3])
{
    for (int k = 0; k < 3; ++k) {
        char *end = NULL;
        long value = strtol(text, &end, 10);
        if (end == text || value < 0 || value > 100000000 || *end != (k < 2 ? ',' : '\0')) {
            return false;
        }
        textures[k] = (int)value;
        text = end + 1;
    }
    return true;
}

static sn_status color(const sn_arguments *arguments, const sn_thesis_operands *operands,
                       const int textures[3], char *path, sn_error *error)
{
    sn_thesis_file surface = {0}, colours = {0};
    const char *input = operands->paths[SN_THESIS_SURFACE];
    int conflicts = 0;
    sn_status status = sn_thesis_out(arguments, input, ".su", path, error);
    if (status == SN_OK) {
        status = sn_thesis_read(SN_THESIS_SURFACE, input, &surface, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_color(&surface, textures, &conflicts, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_write(&surface, path, error);
    }
    const char *tx = sn_option_text(arguments, "tx", NULL);
    if (status == SN_OK && tx != NULL) {
        snprintf(path, SN_PATH_LIMIT, "%s", tx);
        status = sn_thesis_default_textures(&colours, error);
        status = status == SN_OK ? sn_thesis_write(&colours, path, error) : status;
    }
    if (status == SN_OK) {
        sn_say(arguments, "%d faces in three textures, %d edge%s between equal ones", surface.count,
               conflicts, conflicts == 1 ? "" : "s");
    }
    sn_thesis_file_free(&surface);
    sn_thesis_file_free(&colours);
    return status;
}

static int run(const sn_arguments *arguments)
{
    sn_thesis_operands operands;
    int code = sn_thesis_operands_read(arguments, "su", "", &operands);
    if (code != SN_EXIT_OK) {
        return code;
    }
    int textures[3];
    const char *numbers = sn_option_text(arguments, "textures", "0,1,2");
    if (!read_textures(numbers, textures)) {
        return sn_usage_error(arguments->verb, "--textures %.40s: expected three numbers, A,B,C",
                              numbers);
    }
    sn_error error = {0};
    char path[SN_PATH_LIMIT] = "";
    sn_status status = color(arguments, &operands, textures, path, &error);
    return status == SN_OK ? SN_EXIT_OK : sn_thesis_fail(arguments, status, &error, path);
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.su", "the same file",
                  "where the faces with their textures go; - is standard output"),
    {.name = "textures",
     .type = SN_OPTION_TEXT,
     .value = "A,B,C",
     .fallback = "0,1,2",
     .doc = "the three textures"},
    {.name = "tx",
     .type = SN_OPTION_FILE,
     .value = "FILE.tx",
     .doc = "write three textures, red, yellow and blue, too"},
};

static const sn_example examples[] = {
    {"sinew thesis coloring torus.su", "neighbours get different textures, in the file itself"},
    {"sinew thesis coloring torus.su -o bright.su --tx bright.tx", "with textures to look at"},
};

const sn_verb sn_verb_thesis_coloring = {
    .name = "thesis coloring",
    .operands = "FILE.su",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "give the faces of a surface three textures",
    .description =
        "Faces next to each other over an edge get different ones wherever that is found:\n"
        "everywhere but on a lone tetrahedron, as a rule. Tells how many edges are left.",
    SN_VERB_TABLES,
    .run = run,
};
