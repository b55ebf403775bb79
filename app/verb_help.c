// sinew help [VERB]
#include "exit_code.h"
#include "help.h"
#include "verbs.h"

static int run(const sn_arguments *arguments)
{
    if (arguments->operand_count == 0) {
        sn_help_command(stdout);
        return SN_EXIT_OK;
    }
    const char *name = arguments->operands[0];
    const sn_verb *verb = sn_verb_find(name);
    if (verb == NULL) {
        const char *near = sn_verb_suggest(name);
        if (near != NULL) {
            return sn_usage_error(&sn_verb_help, "unknown verb '%s'; did you mean '%s'?", name,
                                  near);
        }
        return sn_usage_error(&sn_verb_help, "unknown verb '%s'", name);
    }
    sn_help_verb(stdout, verb);
    return SN_EXIT_OK;
}

static const sn_example examples[] = {
    {"sinew help", "all verbs"},
    {"sinew help run", "one verb and its options"},
};

const sn_verb sn_verb_help = {
    .name = "help",
    .operands = "[VERB]",
    .operand_kind = SN_OPERAND_VERB,
    .maximum_operands = 1,
    .summary = "show help for the command or a verb",
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .hidden = true,
    .run = run,
};
