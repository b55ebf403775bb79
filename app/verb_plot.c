// sinew plot: lines from the CSV files of a run.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "files.h"
#include "sinew/record.h"
#include "terminal.h"
#include "verbs.h"

enum { COLUMN_LIMIT = 64 };

typedef struct column_list {
    char text[4096];
    const char *names[COLUMN_LIMIT];
    int count;
} column_list;

// "a,b[m/s],c" apart. A comma inside brackets belongs to the unit.
static bool split_columns(const char *text, column_list *list)
{
    size_t length = strlen(text);
    if (length >= sizeof list->text) {
        return false;
    }
    memcpy(list->text, text, length + 1);
    int depth = 0;
    char *start = list->text;
    for (char *c = list->text;; ++c) {
        depth += *c == '[' ? 1 : *c == ']' ? -1 : 0;
        if (*c != '\0' && (*c != ',' || depth > 0)) {
            continue;
        }
        bool last = *c == '\0';
        *c = '\0';
        if (*start == '\0' || list->count >= COLUMN_LIMIT) {
            return false;
        }
        list->names[list->count++] = start;
        start = c + 1;
        if (last) {
            return true;
        }
    }
}

// file.csv -> file.svg beside it, unless -o says otherwise.
static sn_status svg_path(const char *csv, const char *given, char *path, sn_error *error)
{
    size_t length = strlen(csv);
    if (given == NULL && length + 5 >= SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %zu letters is too long", length);
    }
    if (given != NULL) {
        snprintf(path, SN_PATH_LIMIT, "%s", given);
        return SN_OK;
    }
    size_t stem = sn_path_ends_with(csv, ".csv") ? length - 4 : length;
    memcpy(path, csv, stem);
    memcpy(path + stem, ".svg", 5);
    return SN_OK;
}

static sn_status plot_one(const sn_arguments *arguments, const char *csv, const column_list *list,
                          sn_error *error)
{
    char path[SN_PATH_LIMIT];
    sn_status status = svg_path(csv, sn_option_text(arguments, "out", NULL), path, error);
    if (status != SN_OK) {
        return status;
    }
    sn_plot_def plot = sn_default_plot_def();
    plot.csv_path = csv;
    plot.svg_path = sn_path_for_output(path);
    plot.title = sn_option_text(arguments, "title", NULL);
    plot.columns = list->count > 0 ? list->names : NULL;
    plot.column_count = list->count;
    plot.log_scale = sn_option_given(arguments, "log");
    status = sn_plot_csv(&plot, error);
    if (status == SN_OK && strcmp(path, "-") != 0) {
        printf("%s\n", path);
    }
    return status;
}

// In a run's folder: both files, or with --columns or -o the first that has what is asked for.
static sn_status plot_folder(const sn_arguments *arguments, const char *folder,
                             const column_list *list, sn_error *error)
{
    static const char *const names[] = {"state.csv", "energy.csv"};
    bool one = list->count > 0 || sn_option_given(arguments, "out");
    sn_status status = SN_OK;
    sn_error first = {0};
    for (int i = 0; i < 2; ++i) {
        char path[SN_PATH_LIMIT];
        status = sn_folder_join(folder, names[i], path, error);
        if (status == SN_OK) {
            status = plot_one(arguments, path, list, error);
        }
        if (one && status == SN_OK) {
            return SN_OK;
        }
        if (!one && status != SN_OK) {
            return status;
        }
        first = i == 0 ? *error : first;
    }
    if (status != SN_OK) {
        *error = first;
    }
    return status;
}

static int run(const sn_arguments *arguments)
{
    const char *operand = arguments->operands[0];
    column_list *list = sn_allocate_zero(sizeof *list);
    const char *columns = sn_option_text(arguments, "columns", NULL);
    if (list == NULL || (columns != NULL && !split_columns(columns, list))) {
        sn_free(list);
        return sn_usage_error(
            &sn_verb_plot, "--columns takes names with commas between, at most %d", COLUMN_LIMIT);
    }
    sn_error error = {0};
    sn_status status = sn_path_is_folder(operand) ? plot_folder(arguments, operand, list, &error)
                                                  : plot_one(arguments, operand, list, &error);
    sn_free(list);
    if (status != SN_OK) {
        bool table = sn_path_ends_with(operand, ".csv") || sn_path_is_folder(operand);
        sn_complain(arguments, "%s%s", sn_error_message(&error),
                    table || status == SN_ERROR_FILE || status == SN_ERROR_ARGUMENT
                        ? ""
                        : "; a CSV file or the folder of a run is wanted");
        // The library names the file it could not use: the table, or else the picture.
        const char *picture = sn_option_text(arguments, "out", NULL);
        bool output = status == SN_ERROR_FILE &&
                      (picture != NULL ? strcmp(error.place, sn_path_for_output(picture)) == 0
                                       : sn_path_ends_with(error.place, ".svg"));
        return output ? SN_EXIT_OUTPUT : sn_exit_for(status);
    }
    return SN_EXIT_OK;
}

static const sn_option options[] = {
    {.name = "columns",
     .letter = 'c',
     .type = SN_OPTION_TEXT,
     .value = "NAME,...",
     .fallback = "all",
     .doc = "what to draw, with or without units"},
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.svg", "beside the CSV file", "where the picture goes"),
    {.name = "title", .type = SN_OPTION_TEXT, .value = "TEXT", .doc = "a line above the picture"},
    {.name = "log", .doc = "logarithmic scale"},
};

static const sn_example examples[] = {
    {"sinew plot out/tumbling-racket", "state.svg and energy.svg of a run"},
    {"sinew plot out/tumbling-racket -c kinetic,total -o e.svg", "two columns"},
    {"sinew plot data.csv --title \"A day outside\"", "any CSV file"},
};

const sn_verb sn_verb_plot = {
    .name = "plot",
    .operands = "RUN|FILE.csv",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "draw the numbers of a run as SVG",
    .description = "Draws columns of a CSV file over its first column. A folder stands for the\n"
                   "state.csv and energy.csv that `sinew run` left in it. Prints the name of each\n"
                   "picture.",
    SN_VERB_TABLES,
    .run = run,
};
