// sinew help [VERB [VERB]]
#include "exit_code.h"
#include "help.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    if (arguments->operand_count == 0) {
        sn_help_command(stdout);
        return SN_EXIT_OK;
    }
    const sn_verb *verb = sn_verb_choose(NULL, arguments->operands[0], &sn_verb_help);
    if (verb != NULL && arguments->operand_count > 1) {
        if (!verb->family) {
            return sn_usage_error(&sn_verb_help, "'%s' has no verbs of its own", verb->name);
        }
        verb = sn_verb_choose(verb, arguments->operands[1], &sn_verb_help);
    }
    if (verb == NULL) {
        return SN_EXIT_USAGE;
    }
    sn_help_verb(stdout, verb);
    return SN_EXIT_OK;
}

static const sn_example examples[] = {
    {"sinew help", "all verbs"},
    {"sinew help run", "one verb and its options"},
    {"sinew help thesis sim", "a verb of a verb"},
};

const sn_verb sn_verb_help = {
    .name = "help",
    .operands = "[VERB [VERB]]",
    .operand_kind = SN_OPERAND_VERB,
    .maximum_operands = 2,
    .summary = "show help for the command or a verb",
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .hidden = true,
    .run = run,
};
