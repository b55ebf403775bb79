#include "manual.h"

#include <ctype.h>
#include <string.h>

#include "exit_code.h"
#include "help.h"
#include "sinew/base.h"
#include "verbs.h"

// Text as roff: dashes that stay dashes, backslashes, no line that begins like a request. A blank
// line becomes a paragraph.
static void write_text(FILE *stream, const char *text)
{
    bool start = true;
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\n') {
            fputs("\n", stream);
            if (c[1] == '\n') {
                fputs(".PP\n", stream);
                ++c;
            }
            start = true;
            continue;
        }
        if (start && (*c == '.' || *c == '\'')) {
            fputs("\\&", stream);
        }
        start = false;
        if (*c == '-') {
            fputs("\\-", stream);
        } else if (*c == '\\') {
            fputs("\\e", stream);
        } else if (*c == '`') {
            fputs("\\(ga", stream);
        } else if (*c == '\'') {
            fputs("\\(aq", stream);
        } else {
            fputc(*c, stream);
        }
    }
}

static void write_bold(FILE *stream, const char *text)
{
    fputs("\\fB", stream);
    write_text(stream, text);
    fputs("\\fR", stream);
}

static void write_examples(FILE *stream, const sn_example *examples, int count)
{
    for (int i = 0; i < count; ++i) {
        fputs(".TP\n", stream);
        write_bold(stream, examples[i].command);
        fputc('\n', stream);
        write_text(stream, examples[i].doc);
        fputc('\n', stream);
    }
}

static void write_option(FILE *stream, const sn_option *option)
{
    fputs(".TP\n", stream);
    if (option->letter != 0) {
        fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
    }
    fputs("\\fB\\-\\-", stream);
    write_text(stream, option->name);
    fputs("\\fR", stream);
    if (option->type != SN_OPTION_FLAG) {
        fputs(" \\fI", stream);
        write_text(stream, option->value);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    write_text(stream, option->doc);
    if (option->type == SN_OPTION_WORD) {
        fputs(": ", stream);
        for (int i = 0; option->words[i] != NULL; ++i) {
            fputs(i > 0 ? ", " : "", stream);
            write_bold(stream, option->words[i]);
        }
    }
    if (option->fallback != NULL) {
        fputs(" (default: ", stream);
        write_text(stream, option->fallback);
        fputc(')', stream);
    }
    fputc('\n', stream);
}

static void write_verb(FILE *stream, const sn_verb *verb)
{
    fputs(".SS \"sinew ", stream);
    write_text(stream, verb->name);
    fputs(verb->operands[0] != '\0' ? " [OPTION]... " : " [OPTION]...", stream);
    write_text(stream, verb->operands);
    fputs("\"\n", stream);
    fputc(toupper((unsigned char)verb->summary[0]), stream);
    write_text(stream, verb->summary + 1);
    fputs(".\n", stream);
    if (verb->description != NULL) {
        fputs(".PP\n", stream);
        write_text(stream, verb->description);
        fputc('\n', stream);
    }
    for (int i = 0; i < verb->option_count; ++i) {
        write_option(stream, &verb->options[i]);
    }
    if (verb->example_count > 0) {
        fputs(".PP\nExamples:\n", stream);
        write_examples(stream, verb->examples, verb->example_count);
    }
}

static void write_endings(FILE *stream)
{
    fputs(".SH EXIT STATUS\n", stream);
#define X(name, code, text)                                                                        \
    fprintf(stream, ".TP\n.B %d\n", code);                                                         \
    write_text(stream, text);                                                                      \
    fputc('\n', stream);
    SN_EXIT_LIST(X)
#undef X
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset to anything, it switches colours off\n"
          ".TP\n.B SINEW_CACHE\na folder in which surfaces that were filled with "
          "tetrahedra are kept for the next time, or off\n",
          stream);
    fputs(".SH FILES\n.TP\n.I out/SCENE/\nwhere \\fBsinew run\\fR leaves its results unless "
          "\\fB\\-\\-out\\fR says otherwise\n",
          stream);
}

void sn_manual_write(FILE *stream)
{
    // No date: the same sources give the same page.
    fprintf(stream, ".TH SINEW 1 \"\" \"Sinew %s\" \"User Commands\"\n", sn_version());
    fputs(".SH NAME\nsinew \\- physics of things that hang, bend, lift and stick\n", stream);
    fputs(".SH SYNOPSIS\n.B sinew\n\\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n",
          stream);
    fputs(".SH DESCRIPTION\nSinew simulates scenes: JSON files that describe bodies, the forces on "
          "them and what to measure.\nA scene is named by its path, or by its bare name when it is "
          "built in; a single dash is standard input.\nOptions and operands come in any order; two "
          "dashes end the options.\nResults go to standard output, messages to standard error.\n",
          stream);
    fputs(".SH EXAMPLES\n", stream);
    write_examples(stream, sn_main_examples, sn_main_example_count);
    fputs(".SH OPTIONS\nThese work with every verb.\n", stream);
    for (int i = 0; i < sn_common_option_count; ++i) {
        write_option(stream, &sn_common_options[i]);
    }
    fputs(".TP\n\\fB\\-\\-version\\fR\ntell the version\n", stream);
    fputs(".SH VERBS\n", stream);
    const sn_verb *verb = NULL;
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        write_verb(stream, verb);
    }
    write_endings(stream);
}
