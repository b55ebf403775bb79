// sinew thesis VERB: the programs of the thesis on elastic bodies. Each is a verb of its own, in
// verb_thesis_<name>.c; this one answers when none is named.
#include "exit_code.h"
#include "help.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    sn_help_verb(stdout, arguments->verb);
    return SN_EXIT_OK;
}

static const sn_example examples[] = {
    {"sinew thesis model torus", "torus.st, .tp, .su, .co, .tx and .li, here"},
    {"sinew thesis sim torus.st torus.tp torus.co", "simulate it: torus-sim.st and torus-sim.en"},
    {"sinew thesis show3d torus-sim.st torus.su --video a.mp4", "see it"},
    {"sinew help thesis sim", "one verb and its options"},
};

const sn_verb sn_verb_thesis = {
    .name = "thesis",
    .operands = "VERB [OPERAND]...",
    .operand_kind = SN_OPERAND_VERB,
    .family = true,
    .summary = "programs and files of the thesis on elastic bodies (.st .tp .su ...)",
    .description =
        "R. L. W. Liesenfeld's programs of 1997, which hand text files to each other. The endings\n"
        "of the files say what they are, so operands come in any order.",
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .run = run,
};
