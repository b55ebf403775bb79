// The `sinew` command: finds the verb, reads its options, and ends with the right code.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "completion.h"
#include "exit_code.h"
#include "help.h"
#include "manual.h"
#include "sinew/base.h"
#include "verbs.h"

// A stream that the caller has closed would give its number to the next file opened, and messages
// would end up inside results. /dev/null for reading keeps the number taken, and writing to it
// fails as it should.
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; ++stream) {
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream) {
            return;
        }
    }
}

// What could not be printed is a failed output, whatever the verb thought of it.
static int finish(int code)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "sinew: standard output cannot be written: %s\n",
                errno != 0 ? strerror(errno) : "write error");
        return code == SN_EXIT_OK ? SN_EXIT_OUTPUT : code;
    }
    return code;
}

static int run_global(int argc, char **argv)
{
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        sn_help_command(stdout);
        return SN_EXIT_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("sinew %s\n", sn_version());
        return SN_EXIT_OK;
    }
    if (strcmp(word, "--generate-man") == 0) {
        sn_manual_write(stdout);
        return SN_EXIT_OK;
    }
    if (strcmp(word, "--generate-completion") == 0) {
        if (argc != 3 || !sn_completion_write(stdout, argv[2])) {
            return sn_usage_error(NULL, "--generate-completion takes bash, zsh or fish");
        }
        return SN_EXIT_OK;
    }
    return sn_usage_error(NULL, "unknown option %s; options come after a verb", word);
}

static int run_verb(const sn_verb *verb, int count, char **words)
{
    sn_arguments *arguments = calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        fprintf(stderr, "sinew: out of memory\n");
        return SN_EXIT_SIMULATION;
    }
    int code = SN_EXIT_USAGE;
    if (sn_options_parse(verb, count, words, arguments)) {
        if (arguments->help) {
            sn_help_verb(stdout, verb);
            code = SN_EXIT_OK;
        } else {
            code = verb->run(arguments);
        }
    }
    free(arguments);
    return code;
}

// The verb is the first word that is no option: `sinew -q run x` and `sinew run -q x` are the same.
static int find_verb_word(int argc, char **argv, int from)
{
    for (int i = from; i < argc; ++i) {
        if (strcmp(argv[i], "-q") != 0 && strcmp(argv[i], "--quiet") != 0 &&
            strcmp(argv[i], "--no-color") != 0) {
            return i;
        }
    }
    return argc;
}

// The word at `at` comes to `to`; the options between move behind it.
static void move_word(char **argv, int at, int to)
{
    char *word = argv[at];
    for (int i = at; i > to; --i) {
        argv[i] = argv[i - 1];
    }
    argv[to] = word;
}

static int run_command(int argc, char **argv)
{
    int at = find_verb_word(argc, argv, 1);
    if (at == argc) {
        sn_help_command(stdout);
        return SN_EXIT_OK;
    }
    if (argv[at][0] == '-') {
        return run_global(argc - at + 1, argv + at - 1);
    }
    const sn_verb *verb = sn_verb_choose(NULL, argv[at], NULL);
    if (verb == NULL) {
        return SN_EXIT_USAGE;
    }
    move_word(argv, at, 1);
    int own = 2;
    at = find_verb_word(argc, argv, own);
    if (verb->family && at < argc && argv[at][0] != '-') {
        verb = sn_verb_choose(verb, argv[at], verb);
        if (verb == NULL) {
            return SN_EXIT_USAGE;
        }
        move_word(argv, at, own++);
    }
    return run_verb(verb, argc - own, argv + own);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    return finish(run_command(argc, argv));
}
