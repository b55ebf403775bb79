#include "help.h"

#include <string.h>

#include "exit_code.h"
#include "sinew/base.h"
#include "verbs.h"

const sn_example sn_main_examples[] = {
    {"sinew scenes", "what comes with it"},
    {"sinew run tumbling-racket", "simulate a built-in scene; results in out/tumbling-racket/"},
    {"sinew check my-scene.json", "find every mistake in a scene"},
    {"sinew run my-scene.json --time 20 --out results", "simulate your own"},
    {"sinew plot results", "draw what was measured"},
    {"sinew render results --at 5 -o a.png", "see what it looks like"},
    {"sinew verify", "see how exact the engine is"},
};
const int sn_main_example_count = 7;

static void write_examples(FILE *stream, const sn_example *examples, int count)
{
    int width = 0;
    for (int i = 0; i < count; ++i) {
        int length = (int)strlen(examples[i].command);
        width = length > width ? length : width;
    }
    fputs("Examples:\n", stream);
    for (int i = 0; i < count; ++i) {
        fprintf(stream, "  %-*s  %s\n", width, examples[i].command, examples[i].doc);
    }
    fputc('\n', stream);
}

void sn_help_command(FILE *stream)
{
    fprintf(stream, "Sinew %s: physics of things that hang, bend, lift and stick.\n\n",
            sn_version());
    write_examples(stream, sn_main_examples, sn_main_example_count);
    fputs("Usage: sinew VERB [OPTION]... [OPERAND]...\n\nVerbs:\n", stream);
    const sn_verb *verb = NULL;
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        if (!verb->hidden && sn_verb_word(verb, NULL) != NULL) {
            fprintf(stream, "  %-11s %s\n", verb->name, verb->summary);
        }
    }
    fputs("\n`sinew VERB --help` tells more about a verb; `sinew --version` tells the version.\n",
          stream);
}

// "-t, --time SECONDS"
static int write_option_name(char *text, size_t size, const sn_option *option)
{
    char letter[8] = "    ";
    if (option->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    return snprintf(text, size, "%s--%s%s%s", letter, option->name,
                    option->type != SN_OPTION_FLAG ? " " : "",
                    option->type != SN_OPTION_FLAG ? option->value : "");
}

// Words up to the edge of the screen, then on below their own start.
static void write_wrapped(FILE *stream, const char *text, int indent)
{
    enum { EDGE = 96 };
    int column = indent;
    for (const char *word = text; *word != '\0';) {
        int length = (int)strcspn(word, " ");
        if (column > indent && column + 1 + length > EDGE) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(stream, "%s%.*s", column > indent ? " " : "", length, word);
        column += length + (column > indent ? 1 : 0);
        word += length;
        word += *word == ' ' ? 1 : 0;
    }
    fputc('\n', stream);
}

static void write_option(FILE *stream, const sn_option *option, int width)
{
    char name[96], doc[768];
    write_option_name(name, sizeof name, option);
    int used = snprintf(doc, sizeof doc, "%s", option->doc);
    for (int i = 0; option->type == SN_OPTION_WORD && option->words[i] != NULL; ++i) {
        used += snprintf(doc + used, sizeof doc - (size_t)used, "%s%s", i > 0 ? ", " : ": ",
                         option->words[i]);
    }
    if (option->fallback != NULL) {
        snprintf(doc + used, sizeof doc - (size_t)used, " (default: %s)", option->fallback);
    }
    fprintf(stream, "  %-*s  ", width, name);
    write_wrapped(stream, doc, width + 4);
}

static void write_options(FILE *stream, const sn_verb *verb)
{
    int width = 14; // of --no-color
    for (int i = 0; i < verb->option_count; ++i) {
        char name[96];
        int length = write_option_name(name, sizeof name, &verb->options[i]);
        width = length > width ? length : width;
    }
    fputs("Options:\n", stream);
    for (int i = 0; i < verb->option_count; ++i) {
        write_option(stream, &verb->options[i], width);
    }
    for (int i = 0; i < sn_common_option_count; ++i) {
        write_option(stream, &sn_common_options[i], width);
    }
}

static void write_family(FILE *stream, const sn_verb *parent)
{
    fputs("Verbs:\n", stream);
    const sn_verb *verb = NULL;
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        const char *word = sn_verb_word(verb, parent);
        if (word != NULL) {
            fprintf(stream, "  %-11s %s\n", word, verb->summary);
        }
    }
    fputc('\n', stream);
}

void sn_help_verb(FILE *stream, const sn_verb *verb)
{
    fprintf(stream, "sinew %s: %s.\n\n", verb->name, verb->summary);
    write_examples(stream, verb->examples, verb->example_count);
    fprintf(stream, "Usage: sinew %s [OPTION]...%s%s\n\n", verb->name,
            verb->operands[0] != '\0' ? " " : "", verb->operands);
    if (verb->description != NULL) {
        fprintf(stream, "%s\n\n", verb->description);
    }
    if (verb->family) {
        write_family(stream, verb);
    }
    write_options(stream, verb);
}
