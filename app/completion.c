#include "completion.h"

#include <string.h>

#include "builtin.h"
#include "verbs.h"

static void write_scenes(FILE *stream)
{
    char name[128];
    const sn_embedded_file *file = NULL;
    for (int i = 0; (file = sn_builtin_scene(i)) != NULL; ++i) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", sn_builtin_name(file, name, sizeof name));
    }
}

// The verbs of a verb, or of the command itself (NULL).
static void write_verb_names(FILE *stream, const sn_verb *parent)
{
    const sn_verb *verb = NULL;
    const char *between = "";
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        const char *word = sn_verb_word(verb, parent);
        if (word != NULL) {
            fprintf(stream, "%s%s", between, word);
            between = " ";
        }
    }
}

static void write_words(FILE *stream, const sn_option *option)
{
    for (int i = 0; option->words[i] != NULL; ++i) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", option->words[i]);
    }
}

// The verbs that have verbs of their own.
static void write_families(FILE *stream)
{
    const sn_verb *verb = NULL;
    const char *between = "";
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        if (verb->family) {
            fprintf(stream, "%s%s", between, verb->name);
            between = " ";
        }
    }
}

// ---- bash ----

// The case that completes an option's value, by type.
static void bash_option_value(FILE *stream, const sn_verb *verb, const sn_option *option)
{
    fprintf(stream, "    '%s':--%s", verb->name, option->name);
    if (option->letter != 0) {
        fprintf(stream, "|'%s':-%c", verb->name, option->letter);
    }
    fputs(") ", stream);
    if (option->type == SN_OPTION_WORD) {
        fputs("COMPREPLY=($(compgen -W '", stream);
        write_words(stream, option);
        fputs("' -- \"$current\"))", stream);
    } else if (option->type == SN_OPTION_FILE) {
        fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))",
              stream);
    } else if (option->type == SN_OPTION_FOLDER) {
        fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$current\"))",
              stream);
    } else {
        fputs("COMPREPLY=()", stream);
    }
    fputs("; return ;;\n", stream);
}

static void bash_verb_words(FILE *stream, const sn_verb *verb)
{
    fprintf(stream, "    '%s') options='", verb->name);
    for (int i = 0; i < verb->option_count; ++i) {
        fprintf(stream, "--%s ", verb->options[i].name);
    }
    for (int i = 0; i < sn_common_option_count; ++i) {
        fprintf(stream, "%s--%s", i > 0 ? " " : "", sn_common_options[i].name);
    }
    fputc('\'', stream);
    if (verb->operand_kind & SN_OPERAND_SCENE) {
        fputs(" operands=$scenes files=1", stream);
    } else if (verb->operand_kind & SN_OPERAND_FILE) {
        fputs(" files=1", stream);
    } else if (verb->operand_kind & SN_OPERAND_VERB) {
        fputs(" operands='", stream);
        write_verb_names(stream, verb->family ? verb : NULL);
        fputc('\'', stream);
    }
    fputs(" ;;\n", stream);
}

static void write_bash(FILE *stream)
{
    const sn_verb *verb = NULL;
    fputs("# bash completion for sinew; `sinew --generate-completion bash` writes it.\n"
          "_sinew()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local verb='' options='' operands='' files='' i\n"
          "    local verbs='",
          stream);
    write_verb_names(stream, NULL);
    fputs("'\n    local families='", stream);
    write_families(stream);
    fputs("'\n    local scenes='", stream);
    write_scenes(stream);
    // `--name=value` reaches completion as three words: --name, =, value.
    fputs("'\n    COMPREPLY=()\n"
          "    if [[ $current == = ]]; then current=''; fi\n"
          "    if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
          "        if [[ ${COMP_WORDS[i]} == -* ]]; then continue; fi\n"
          "        verb+=${verb:+ }${COMP_WORDS[i]}\n"
          "        if [[ \" $families \" != *\" $verb \"* ]]; then break; fi\n"
          "    done\n"
          "    if [[ -z $verb ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$verbs --help --version --generate-man"
          " --generate-completion\" -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    case $verb:$previous in\n",
          stream);
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        for (int j = 0; j < verb->option_count; ++j) {
            if (verb->options[j].type != SN_OPTION_FLAG) {
                bash_option_value(stream, verb, &verb->options[j]);
            }
        }
    }
    fputs("    esac\n    case $verb in\n", stream);
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        bash_verb_words(stream, verb);
    }
    fputs("    *) return ;;\n    esac\n"
          "    if [[ $current == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$operands\" -- \"$current\"))\n"
          "    if [[ -n $files ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY+=($(compgen -f -- \"$current\"))\n"
          "    fi\n}\ncomplete -F _sinew sinew\n",
          stream);
}

// ---- zsh ----

// Inside '...[doc]...' of an _arguments specification: brackets, colons and quotes are escaped.
static void zsh_text(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\'') {
            fputs("'\\''", stream);
        } else {
            fputs(strchr("[]:\\", *c) != NULL ? "\\" : "", stream);
            fputc(*c, stream);
        }
    }
}

static void zsh_option(FILE *stream, const sn_option *option)
{
    bool repeats = option->type == SN_OPTION_SETTING || option->type == SN_OPTION_PACKAGE;
    bool takes_value = option->type != SN_OPTION_FLAG;
    for (int form = option->letter != 0 ? 0 : 1; form < 2; ++form) {
        fputs("        '", stream);
        if (repeats) {
            fputc('*', stream);
        } else if (option->letter != 0) {
            fprintf(stream, "(-%c --%s)", option->letter, option->name);
        }
        if (form == 0) {
            fprintf(stream, "-%c%s[", option->letter, takes_value ? "+" : "");
        } else {
            fprintf(stream, "--%s%s[", option->name, takes_value ? "=" : "");
        }
        zsh_text(stream, option->doc);
        fputc(']', stream);
        if (takes_value) {
            fputc(':', stream);
            zsh_text(stream, option->value);
            fputc(':', stream);
        }
        if (option->type == SN_OPTION_WORD) {
            fputc('(', stream);
            write_words(stream, option);
            fputc(')', stream);
        } else if (option->type == SN_OPTION_FILE) {
            fputs("_files", stream);
        } else if (option->type == SN_OPTION_FOLDER) {
            fputs("_files -/", stream);
        }
        fputs("' \\\n", stream);
    }
}

static void zsh_verb(FILE *stream, const sn_verb *verb)
{
    fprintf(stream, "    '%s')\n        _arguments -s \\\n", verb->name);
    for (int i = 0; i < verb->option_count; ++i) {
        zsh_option(stream, &verb->options[i]);
    }
    for (int i = 0; i < sn_common_option_count; ++i) {
        zsh_option(stream, &sn_common_options[i]);
    }
    if (verb->operand_kind & SN_OPERAND_SCENE) {
        fputs("        '*:scene:_sinew_scenes'\n", stream);
    } else if (verb->operand_kind & SN_OPERAND_FILE) {
        fputs("        '*:file:_files'\n", stream);
    } else if (verb->operand_kind & SN_OPERAND_VERB) {
        fputs("        '*:verb:(", stream);
        write_verb_names(stream, verb->family ? verb : NULL);
        fputs(")'\n", stream);
    } else {
        fputs("        '*: :'\n", stream);
    }
    fputs("        ;;\n", stream);
}

static void write_zsh(FILE *stream)
{
    const sn_verb *verb = NULL;
    fputs("#compdef sinew\n"
          "# zsh completion for sinew; `sinew --generate-completion zsh` writes it.\n"
          "_sinew_scenes() {\n    local -a scenes=(",
          stream);
    write_scenes(stream);
    fputs(")\n    _alternative 'scenes:built-in scene:compadd -a scenes' 'files:file:_files'\n}\n"
          "_sinew() {\n    local -a verbs=(\n",
          stream);
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        if (sn_verb_word(verb, NULL) != NULL) {
            fprintf(stream, "        '%s:", verb->name);
            zsh_text(stream, verb->summary);
            fputs("'\n", stream);
        }
    }
    fputs("    )\n    local families='", stream);
    write_families(stream);
    fputs("'\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe -t verbs verb verbs\n"
          "        return\n"
          "    fi\n"
          "    local verb=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    if [[ \" $families \" == *\" $verb \"* ]] && ((CURRENT > 2)); then\n"
          "        verb=\"$verb $words[2]\"\n"
          "        shift words\n"
          "        ((CURRENT--))\n"
          "    fi\n"
          "    case $verb in\n",
          stream);
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        zsh_verb(stream, verb);
    }
    // Works both when autoloaded from fpath and when sourced.
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] == _sinew ]]; then _sinew \"$@\"; else compdef _sinew sinew; fi\n",
          stream);
}

// ---- fish ----

static void fish_text(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (const char *c = text; *c != '\0'; ++c) {
        fputs(*c == '\'' || *c == '\\' ? "\\" : "", stream);
        fputc(*c, stream);
    }
    fputc('\'', stream);
}

// "complete" for what comes after a verb; a name of two words asks for both.
static void fish_after(FILE *stream, const sn_verb *verb)
{
    const char *blank = strchr(verb->name, ' ');
    int length = blank != NULL ? (int)(blank - verb->name) : (int)strlen(verb->name);
    fprintf(stream, "complete -c sinew -n '__fish_seen_subcommand_from %.*s", length, verb->name);
    if (blank != NULL) {
        fprintf(stream, "; and __fish_seen_subcommand_from %s", blank + 1);
    }
    fputs("' ", stream);
}

static void fish_option(FILE *stream, const sn_verb *verb, const sn_option *option)
{
    fish_after(stream, verb);
    fprintf(stream, "-l %s", option->name);
    if (option->letter != 0) {
        fprintf(stream, " -s %c", option->letter);
    }
    if (option->type == SN_OPTION_WORD) {
        fputs(" -x -a '", stream);
        write_words(stream, option);
        fputc('\'', stream);
    } else if (option->type == SN_OPTION_FILE) {
        fputs(" -r -F", stream);
    } else if (option->type == SN_OPTION_FOLDER) {
        fputs(" -x -a '(__fish_complete_directories)'", stream);
    } else if (option->type != SN_OPTION_FLAG) {
        fputs(" -x", stream);
    }
    fputs(" -d ", stream);
    fish_text(stream, option->doc);
    fputc('\n', stream);
}

static void write_fish(FILE *stream)
{
    const sn_verb *verb = NULL;
    fputs("# fish completion for sinew; `sinew --generate-completion fish` writes it.\n"
          "complete -c sinew -f\n"
          "complete -c sinew -n __fish_use_subcommand -l version -d 'tell the version'\n",
          stream);
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        if (sn_verb_word(verb, NULL) != NULL) {
            fprintf(stream, "complete -c sinew -n __fish_use_subcommand -a %s -d ", verb->name);
            fish_text(stream, verb->summary);
            fputc('\n', stream);
        }
    }
    for (int i = 0; (verb = sn_verb_at(i)) != NULL; ++i) {
        for (int j = 0; j < verb->option_count; ++j) {
            fish_option(stream, verb, &verb->options[j]);
        }
        for (int j = 0; j < sn_common_option_count; ++j) {
            fish_option(stream, verb, &sn_common_options[j]);
        }
        if (verb->operand_kind & (SN_OPERAND_SCENE | SN_OPERAND_FILE)) {
            fish_after(stream, verb);
            fputs("-F\n", stream);
        }
        if (verb->operand_kind & SN_OPERAND_SCENE) {
            fish_after(stream, verb);
            fputs("-a '", stream);
            write_scenes(stream);
            fputs("' -d 'built-in scene'\n", stream);
        } else if (verb->operand_kind & SN_OPERAND_VERB) {
            fish_after(stream, verb);
            fputs("-a '", stream);
            write_verb_names(stream, verb->family ? verb : NULL);
            fputs("'\n", stream);
        }
    }
}

bool sn_completion_write(FILE *stream, const char *shell)
{
    static const struct {
        const char *name;
        void (*write)(FILE *stream);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(stream);
            return true;
        }
    }
    return false;
}
