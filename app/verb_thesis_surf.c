// sinew thesis surf: the exposed faces of tetrahedra.
#include "exit_code.h"
#include "thesis_operand.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    sn_thesis_operands operands;
    int code = sn_thesis_operands_read(arguments, "tp", "", &operands);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_thesis_face look = {.texture = (int)sn_option_number(arguments, "texture", 0.0),
                           .static_friction = sn_option_number(arguments, "static-friction", 0.0),
                           .friction = sn_option_number(arguments, "friction", 0.0),
                           .restitution = sn_option_number(arguments, "restitution", 0.0)};
    sn_error error = {0};
    sn_thesis_file topology = {0}, surface = {0};
    char path[SN_PATH_LIMIT];
    const char *input = operands.paths[SN_THESIS_TOPOLOGY];
    sn_status status = sn_thesis_out(arguments, input, ".su", path, &error);
    if (status == SN_OK) {
        status = sn_thesis_read(SN_THESIS_TOPOLOGY, input, &topology, &error);
    }
    if (status == SN_OK) {
        status = sn_thesis_surf(&topology, &look, &surface, &error);
    }
    if (status == SN_OK) {
        status = sn_thesis_write(&surface, path, &error);
    }
    sn_thesis_file_free(&topology);
    sn_thesis_file_free(&surface);
    return sn_thesis_end(arguments, status, &error, path);
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.su", "beside the .tp file",
                  "where the faces go; - is standard output"),
    {.name = "texture",
     .type = SN_OPTION_INTEGER,
     .value = "N",
     .fallback = "0",
     .doc = "texture of all faces",
     .minimum = 0,
     .maximum = 1e8},
    {.name = "static-friction",
     .type = SN_OPTION_NUMBER,
     .value = "MU1",
     .fallback = "0",
     .doc = "coefficient of static friction of all faces",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "friction",
     .type = SN_OPTION_NUMBER,
     .value = "MU2",
     .fallback = "0",
     .doc = "coefficient of dynamic friction",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "restitution",
     .type = SN_OPTION_NUMBER,
     .value = "E",
     .fallback = "0",
     .doc = "coefficient of restitution",
     .minimum = 0,
     .maximum = 1},
};

static const sn_example examples[] = {
    {"sinew thesis surf torus.tp", "the faces into torus.su"},
    {"sinew thesis surf body.tp -o skin.su --friction 0.4", "with a coefficient of friction"},
};

const sn_verb sn_verb_thesis_surf = {
    .name = "thesis surf",
    .operands = "FILE.tp",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "find the exposed faces of tetrahedra",
    .description = "Faces that one element alone has, counter-clockwise seen from outside.",
    SN_VERB_TABLES,
    .run = run,
};
