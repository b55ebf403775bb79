// sinew plot: lines from the CSV files of a run.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "body_energy.h"
#include "exit_code.h"
#include "files.h"
#include "record/plot.h"
#include "recording_source.h"
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

static sn_plot_def plot_def(const sn_arguments *arguments, const char *csv, const char *svg,
                            const column_list *list)
{
    sn_plot_def plot = sn_default_plot_def();
    plot.csv_path = csv;
    plot.svg_path = sn_path_for_output(svg);
    plot.title = sn_option_text(arguments, "title", NULL);
    plot.columns = list->count > 0 ? list->names : NULL;
    plot.column_count = list->count;
    plot.log_scale = sn_option_given(arguments, "log");
    return plot;
}

static sn_status plot_one(const sn_arguments *arguments, const char *csv, const column_list *list,
                          sn_error *error)
{
    char path[SN_PATH_LIMIT];
    sn_status status = svg_path(csv, sn_option_text(arguments, "out", NULL), path, error);
    if (status != SN_OK) {
        return status;
    }
    sn_plot_def plot = plot_def(arguments, csv, path, list);
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

// energy-bed-ball.svg beside the recording, unless -o says otherwise.
static sn_status energy_path(const sn_arguments *arguments, const char *operand,
                             const column_list *bodies, char *path, sn_error *error)
{
    const char *slash = strrchr(operand, '/'), *given = sn_option_text(arguments, "out", NULL);
    char folder[SN_PATH_LIMIT] = ".", name[SN_PATH_LIMIT] = "energy";
    size_t length = strlen(name);
    for (int i = 0; i < bodies->count && length < 160; ++i) { // names of files have 255 letters
        length += (size_t)snprintf(name + length, sizeof name - length, "-%.40s", bodies->names[i]);
    }
    snprintf(name + length, sizeof name - length, ".svg");
    for (char *c = strchr(name, '/'); c != NULL; c = strchr(c, '/')) {
        *c = '-';
    }
    if (given != NULL) {
        return svg_path(operand, given, path, error);
    }
    if (sn_path_is_folder(operand)) {
        return sn_folder_join(operand, name, path, error);
    }
    if (slash == NULL) {
        snprintf(path, SN_PATH_LIMIT, "%s", name);
        return SN_OK;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - operand), operand);
    return sn_folder_join(folder, name, path, error);
}

// --of: energies of some bodies, out of what was recorded. An exit code.
static int plot_bodies(const sn_arguments *arguments, const char *operand,
                       const column_list *bodies, const column_list *list)
{
    sn_recording *recording = NULL;
    int code = sn_recording_load(arguments, operand, &recording);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    sn_table table = {0};
    char path[SN_PATH_LIMIT];
    sn_status status =
        sn_body_energy_table(recording, bodies->names, bodies->count, &table, &error);
    code = sn_exit_for(status);
    if (status == SN_OK) {
        status = energy_path(arguments, operand, bodies, path, &error);
    }
    if (status == SN_OK) {
        sn_plot_def plot = plot_def(arguments, "energies", path, list);
        if (!plot.log_scale) {
            sn_plot_settle_energy(&table);
        }
        status = sn_plot_table(&plot, &table, &error);
        code = status == SN_ERROR_FILE ? SN_EXIT_OUTPUT : sn_exit_for(status);
    }
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
    } else if (strcmp(path, "-") != 0) {
        printf("%s\n", path);
    }
    sn_table_free(&table);
    sn_recording_close(recording);
    return code;
}

static int plot_tables(const sn_arguments *arguments, const char *operand, const column_list *list)
{
    sn_error error = {0};
    sn_status status = sn_path_is_folder(operand) ? plot_folder(arguments, operand, list, &error)
                                                  : plot_one(arguments, operand, list, &error);
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

static int run(const sn_arguments *arguments)
{
    const char *columns = sn_option_text(arguments, "columns", NULL);
    const char *of = sn_option_text(arguments, "of", NULL);
    column_list *lists = sn_allocate_zero(2 * sizeof *lists);
    int code = SN_EXIT_OK;
    if (lists == NULL || (columns != NULL && !split_columns(columns, &lists[0]))) {
        code = sn_usage_error(
            &sn_verb_plot, "--columns takes names with commas between, at most %d", COLUMN_LIMIT);
    } else if (of != NULL && !split_columns(of, &lists[1])) {
        code = sn_usage_error(&sn_verb_plot, "--of takes names with commas between, at most %d",
                              COLUMN_LIMIT);
    } else if (of != NULL) {
        code = plot_bodies(arguments, arguments->operands[0], &lists[1], &lists[0]);
    } else {
        code = plot_tables(arguments, arguments->operands[0], &lists[0]);
    }
    sn_free(lists);
    return code;
}

static const sn_option options[] = {
    {.name = "columns",
     .letter = 'c',
     .type = SN_OPTION_TEXT,
     .value = "NAME,...",
     .fallback = "all",
     .doc = "what to draw, with or without units"},
    {.name = "of",
     .type = SN_OPTION_TEXT,
     .value = "BODY,...",
     .doc = "the energy of these bodies alone, together, out of what was recorded"},
    SN_OPTION_OUT_AS(".svg", "beside the CSV file", "where the picture goes"),
    {.name = "title", .type = SN_OPTION_TEXT, .value = "TEXT", .doc = "a line above the picture"},
    {.name = "log", .doc = "logarithmic scale"},
};

static const sn_example examples[] = {
    {"sinew plot out/tumbling-racket", "state.svg and energy.svg of a run"},
    {"sinew plot out/tumbling-racket -c kinetic,total -o e.svg", "two columns"},
    {"sinew plot out/trampoline --of bed,ball", "their energy, without that of the others"},
    {"sinew plot data.csv --title \"A day outside\"", "any CSV file"},
};

const sn_verb sn_verb_plot = {
    .name = "plot",
    .operands = "RUN|FILE.csv",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "draw the numbers of a run as SVG",
    .description =
        "Draws columns of a CSV file over its first column. A folder stands for the\n"
        "state.csv and energy.csv that `sinew run` left in it. Prints the name of each\n"
        "picture. The potential energy of a run, and the total with it, counts from its\n"
        "start, and round-off as zero (not with --log).\n"
        "\n"
        "With --of it reads the recording: kinetic, elastic (of elastic bodies), gravity\n"
        "and total, the last two counted from the first frame. What springs, bonds and\n"
        "contacts store belongs to no body.",
    SN_VERB_TABLES,
    .run = run,
};
