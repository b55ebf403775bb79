#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "exit_code.h"
#include "files.h"
#include "scene/units.h"

const sn_option sn_common_options[] = {
    {.name = "quiet", .letter = 'q', .doc = "say nothing but results and errors"},
    {.name = "no-color", .doc = "no colours (so does the environment variable NO_COLOR)"},
    {.name = "help", .letter = 'h', .doc = "show this help"},
};
const int sn_common_option_count = 3;

const char *const sn_base_words[] = {"fixed", "free", NULL};
const char *const sn_geometry_words[] = {"file", "visual", "collision", NULL};

int sn_usage_error(const sn_verb *verb, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "sinew%s%s: ", verb != NULL ? " " : "", verb != NULL ? verb->name : "");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\nTry `sinew %s%s--help`.\n", verb != NULL ? verb->name : "",
            verb != NULL ? " " : "");
    va_end(list);
    return SN_EXIT_USAGE;
}

// ---- values ----

static bool number_is_sound(const sn_verb *verb, const sn_option *option, const char *text)
{
    char *end = NULL;
    double number = strtod(text, &end);
    bool whole = option->type == SN_OPTION_INTEGER;
    if (end == text || *end != '\0' || !isfinite(number) || (whole && number != floor(number))) {
        sn_usage_error(verb, "--%s takes a %s, not '%s'", option->name,
                       whole ? "whole number" : "number", text);
        return false;
    }
    if (option->minimum < option->maximum &&
        (number < option->minimum || number > option->maximum)) {
        sn_usage_error(verb, "--%s takes a number from %g to %g, not %s", option->name,
                       option->minimum, option->maximum, text);
        return false;
    }
    return true;
}

static bool read_time(const char *text, double *seconds)
{
    sn_unit unit;
    bool has_unit = false;
    return sn_units_read(text, strlen(text), seconds, &unit, &has_unit, NULL) == SN_OK &&
           (!has_unit || sn_dimension_accepts(sn_dimension_powers(SN_TIME), unit.dimension));
}

static bool time_is_sound(const sn_verb *verb, const sn_option *option, const char *text)
{
    double seconds = 0.0;
    if (!read_time(text, &seconds) || !isfinite(seconds)) {
        sn_usage_error(verb, "--%s takes a time such as 0.005 or 5ms, not '%s'", option->name,
                       text);
        return false;
    }
    if (seconds < option->minimum || seconds > option->maximum) {
        sn_usage_error(verb, "--%s takes a time from %g s to %g s, not %s", option->name,
                       option->minimum, option->maximum, text);
        return false;
    }
    return true;
}

static bool word_is_known(const sn_verb *verb, const sn_option *option, const char *text)
{
    char all[512] = "";
    int count = 0;
    for (; option->words[count] != NULL; ++count) {
        if (strcmp(option->words[count], text) == 0) {
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "",
                 option->words[count]);
    }
    const char *near = sn_suggest(text, option->words, count);
    if (near != NULL) {
        sn_usage_error(verb, "--%s knows no '%s'; did you mean '%s'?", option->name, text, near);
    } else {
        sn_usage_error(verb, "--%s knows no '%s'; it takes one of %s", option->name, text, all);
    }
    return false;
}

// The ending of a file's name, with its dot; "" where it has none.
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name ? dot : "";
}

static bool has_ending(const char *endings, const char *ending)
{
    size_t length = strlen(ending);
    for (const char *one = endings; one != NULL && *one != '\0'; one += strspn(one, " ")) {
        size_t count = strcspn(one, " ");
        if (count == length && strncasecmp(one, ending, length) == 0) {
            return true;
        }
        one += count;
    }
    return false;
}

// What is written does not follow the name, so a name that promises something else is refused.
static bool ending_is_right(const sn_verb *verb, const sn_option *option, const char *path)
{
    const char *ending = ending_of(path);
    if (option->endings == NULL || ending[0] == '\0' || has_ending(option->endings, ending) ||
        sn_path_is_folder(path)) {
        return true;
    }
    for (int i = 0; i < verb->option_count; ++i) {
        if (has_ending(verb->options[i].endings, ending)) {
            sn_usage_error(verb, "--%s %.200s: expected a name that ends in %s; --%s takes '%s'",
                           option->name, path, option->endings, verb->options[i].name, ending);
            return false;
        }
    }
    sn_usage_error(verb, "--%s %.200s: expected a name that ends in %s", option->name, path,
                   option->endings);
    return false;
}

// NAME=VALUE
static bool add_setting(const sn_option *option, const char *text, const sn_verb *verb,
                        sn_setting *settings, int *count)
{
    const char *equals = strchr(text, '=');
    sn_setting *setting = &settings[*count];
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof setting->name) {
        sn_usage_error(verb, "--%s takes %s, not '%s'", option->name, option->value, text);
        return false;
    }
    if (*count + 1 >= SN_LIST_LIMIT) {
        sn_usage_error(verb, "--%s is given more than %d times", option->name, SN_LIST_LIMIT - 1);
        return false;
    }
    setting->value = equals + 1;
    memcpy(setting->name, text, (size_t)(equals - text));
    setting->name[equals - text] = '\0';
    *count += 1;
    return true;
}

static bool take_value(const sn_option *option, int index, const char *text,
                       sn_arguments *arguments)
{
    arguments->values[index] = text;
    switch (option->type) {
    case SN_OPTION_NUMBER:
    case SN_OPTION_INTEGER:
        return number_is_sound(arguments->verb, option, text);
    case SN_OPTION_TIME:
        return time_is_sound(arguments->verb, option, text);
    case SN_OPTION_WORD:
        return word_is_known(arguments->verb, option, text);
    case SN_OPTION_SETTING:
        return add_setting(option, text, arguments->verb, arguments->settings,
                           &arguments->setting_count);
    case SN_OPTION_PACKAGE:
        return add_setting(option, text, arguments->verb, arguments->packages,
                           &arguments->package_count);
    default:
        if (text[0] == '\0') {
            sn_usage_error(arguments->verb, "--%s is empty", option->name);
            return false;
        }
        return option->type != SN_OPTION_FILE || ending_is_right(arguments->verb, option, text);
    }
}

// ---- words ----

// The flags every verb takes; -1 when it is none.
static int take_common(const char *name, size_t length, char letter, sn_arguments *arguments)
{
    bool *const targets[] = {&arguments->quiet, &arguments->no_color, &arguments->help};
    for (int i = 0; i < sn_common_option_count; ++i) {
        const sn_option *option = &sn_common_options[i];
        bool same = name != NULL
                        ? strlen(option->name) == length && memcmp(option->name, name, length) == 0
                        : option->letter == letter;
        if (same) {
            *targets[i] = true;
            return i;
        }
    }
    return -1;
}

static int find_option(const sn_verb *verb, const char *name, size_t length, char letter)
{
    for (int i = 0; i < verb->option_count; ++i) {
        const sn_option *option = &verb->options[i];
        if (name != NULL ? strlen(option->name) == length && memcmp(option->name, name, length) == 0
                         : option->letter == letter && letter != 0) {
            return i;
        }
    }
    return -1;
}

static bool unknown_option(const sn_verb *verb, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length > 63 ? 63 : length), word);
    const char *known[SN_OPTION_LIMIT + 8];
    int count = 0;
    for (int i = 0; i < verb->option_count; ++i) {
        known[count++] = verb->options[i].name;
    }
    for (int i = 0; i < sn_common_option_count; ++i) {
        known[count++] = sn_common_options[i].name;
    }
    const char *near = sn_suggest(name, known, count);
    if (near != NULL) {
        sn_usage_error(verb, "unknown option --%s; did you mean --%s?", name, near);
    } else {
        sn_usage_error(verb, "unknown option --%s", name);
    }
    return false;
}

// --name, --name=value or --name value. `at` moves past what was used.
static bool parse_long(int count, char *const *words, int *at, sn_arguments *arguments)
{
    const sn_verb *verb = arguments->verb;
    const char *name = words[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    ++*at;
    if (equals == NULL && take_common(name, length, 0, arguments) >= 0) {
        return true;
    }
    int index = find_option(verb, name, length, 0);
    if (index < 0) {
        return unknown_option(verb, name, length);
    }
    const sn_option *option = &verb->options[index];
    if (option->type == SN_OPTION_FLAG) {
        if (equals != NULL) {
            sn_usage_error(verb, "--%s takes no value", option->name);
            return false;
        }
        arguments->values[index] = "";
        return true;
    }
    if (equals == NULL && *at >= count) {
        sn_usage_error(verb, "--%s needs a value: --%s %s", option->name, option->name,
                       option->value);
        return false;
    }
    return take_value(option, index, equals != NULL ? equals + 1 : words[(*at)++], arguments);
}

// -q, -t 5, -t5, -qh.
static bool parse_short(int count, char *const *words, int *at, sn_arguments *arguments)
{
    const sn_verb *verb = arguments->verb;
    const char *letters = words[(*at)++] + 1;
    for (; *letters != '\0'; ++letters) {
        if (take_common(NULL, 0, *letters, arguments) >= 0) {
            continue;
        }
        int index = find_option(verb, NULL, 0, *letters);
        if (index < 0) {
            sn_usage_error(verb, "unknown option -%c", *letters);
            return false;
        }
        const sn_option *option = &verb->options[index];
        if (option->type == SN_OPTION_FLAG) {
            arguments->values[index] = "";
            continue;
        }
        const char *value = letters[1] != '\0' ? letters + 1 : NULL;
        if (value == NULL && *at >= count) {
            sn_usage_error(verb, "-%c needs a value: -%c %s", *letters, *letters, option->value);
            return false;
        }
        return take_value(option, index, value != NULL ? value : words[(*at)++], arguments);
    }
    return true;
}

static bool check_operands(const sn_arguments *arguments)
{
    const sn_verb *verb = arguments->verb;
    if (arguments->operand_count < verb->minimum_operands) {
        sn_usage_error(verb, "%s is missing", verb->operands);
        return false;
    }
    if (arguments->operand_count > verb->maximum_operands) {
        const char *extra = arguments->operands[verb->maximum_operands];
        if (verb->maximum_operands == 0) {
            sn_usage_error(verb, "takes no operand, but '%s' is given", extra);
        } else {
            sn_usage_error(verb, "'%s' is one too many: it takes %s", extra, verb->operands);
        }
        return false;
    }
    return true;
}

bool sn_options_parse(const sn_verb *verb, int count, char *const *words, sn_arguments *arguments)
{
    assert(verb->option_count <= SN_OPTION_LIMIT);
    arguments->verb = verb;
    bool options_ended = false;
    for (int at = 0; at < count;) {
        const char *word = words[at];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            ++at;
        } else if (!options_ended && strncmp(word, "--", 2) == 0) {
            if (!parse_long(count, words, &at, arguments)) {
                return false;
            }
        } else if (!options_ended && word[0] == '-' && word[1] != '\0') {
            if (!parse_short(count, words, &at, arguments)) {
                return false;
            }
        } else {
            if (arguments->operand_count >= SN_OPERAND_LIMIT) {
                sn_usage_error(verb, "more than %d operands", SN_OPERAND_LIMIT);
                return false;
            }
            arguments->operands[arguments->operand_count++] = word;
            ++at;
        }
    }
    return arguments->help || check_operands(arguments);
}

// ---- reading ----

bool sn_option_known(const sn_verb *verb, const char *name)
{
    return find_option(verb, name, strlen(name), 0) >= 0;
}

static int index_of(const sn_arguments *arguments, const char *name)
{
    int index = find_option(arguments->verb, name, strlen(name), 0);
    assert(index >= 0); // a verb asks only for what its own table has
    return index;
}

bool sn_option_given(const sn_arguments *arguments, const char *name)
{
    return arguments->values[index_of(arguments, name)] != NULL;
}

const char *sn_option_text(const sn_arguments *arguments, const char *name, const char *fallback)
{
    const char *text = arguments->values[index_of(arguments, name)];
    return text != NULL ? text : fallback;
}

double sn_option_number(const sn_arguments *arguments, const char *name, double fallback)
{
    int index = index_of(arguments, name);
    const char *text = arguments->values[index];
    double number = fallback;
    if (text != NULL && arguments->verb->options[index].type == SN_OPTION_TIME) {
        read_time(text, &number);
    } else if (text != NULL) {
        number = strtod(text, NULL);
    }
    return number;
}
