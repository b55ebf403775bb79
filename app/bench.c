#include "bench.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_code.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

enum { PEER_LIMIT = 16, REPEAT_LIMIT = 101, QUICK_SHARE = 20 };

typedef struct peer {
    char name[64], path[SN_PATH_LIMIT];
} peer;

typedef struct bench_job {
    const sn_arguments *arguments;
    peer peers[PEER_LIMIT];
    int peer_count, repeats;
    bool quick;
    FILE *table;
    sn_json_writer *json; // NULL: none
} bench_job;

// One contender's repeats of one case.
typedef struct series {
    sn_bench_result results[REPEAT_LIMIT];
    int count;
    bool refused; // a peer that does not know the case
} series;

static const sn_bench_group *const groups[] = {&sn_bench_rigid, &sn_bench_precise, &sn_bench_files};

const sn_bench_group *sn_bench_group_at(int index)
{
    return index >= 0 && index < (int)(sizeof groups / sizeof groups[0]) ? groups[index] : NULL;
}

// ---- peers ----

static int by_name(const void *a, const void *b)
{
    return strcmp(((const peer *)a)->name, ((const peer *)b)->name);
}

// Every executable file in the folder.
static bool find_peers(bench_job *job, const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        sn_complain(job->arguments, "%s: the folder of peers cannot be read", folder);
        return false;
    }
    struct dirent *entry = NULL;
    while ((entry = readdir(directory)) != NULL && job->peer_count < PEER_LIMIT) {
        peer *next = &job->peers[job->peer_count];
        struct stat status;
        if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof next->name ||
            sn_folder_join(folder, entry->d_name, next->path, NULL) != SN_OK ||
            stat(next->path, &status) != 0 || !S_ISREG(status.st_mode) ||
            access(next->path, X_OK) != 0) {
            continue;
        }
        snprintf(next->name, sizeof next->name, "%.63s", entry->d_name);
        job->peer_count++;
    }
    closedir(directory);
    qsort(job->peers, (size_t)job->peer_count, sizeof job->peers[0], by_name);
    return true;
}

// The number of a member of a flat JSON object; NaN when it is not there.
static double member(const char *line, const char *name)
{
    char key[96];
    snprintf(key, sizeof key, "\"%s\"", name);
    const char *at = strstr(line, key);
    at = at != NULL ? strchr(at + strlen(key), ':') : NULL;
    char *end = NULL;
    double number = at != NULL ? strtod(at + 1, &end) : NAN;
    return at != NULL && end != at + 1 ? number : NAN;
}

// Runs a peer and gives its output. No shell is involved.
static bool run_program(char *const *words, char *output, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execv(words[0], words);
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got = 0;
    while (child > 0 && used + 1 < size &&
           (got = read(ends[0], output + used, size - used - 1)) > 0) {
        used += (size_t)got;
    }
    output[used] = '\0';
    close(ends[0]);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void run_peer(const peer *one, const sn_bench_case *bench, series *runs)
{
    char size[32], steps[32], step[32], output[4096];
    snprintf(size, sizeof size, "%d", bench->size);
    snprintf(steps, sizeof steps, "%d", bench->steps);
    snprintf(step, sizeof step, "%.17g", bench->step);
    char *const words[] = {(char *)one->path,
                           "--case",
                           (char *)bench->name,
                           "--size",
                           size,
                           "--steps",
                           steps,
                           "--step",
                           step,
                           NULL};
    sn_bench_result *result = &runs->results[runs->count];
    if (!run_program(words, output, sizeof output) || !isfinite(member(output, "value"))) {
        runs->refused = true;
        return;
    }
    result->value = member(output, "value");
    for (int i = 0; i < SN_BENCH_QUALITY_LIMIT && bench->quality[i] != NULL; ++i) {
        result->quality[i] = member(output, bench->quality[i]);
    }
    runs->count++;
}

// ---- medians ----

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

// Of the cost (quality < 0) or of one measure of quality: its place in the middle, or the least.
// NaN when there is nothing.
static void summarize(const series *runs, int quality, double *median_value, double *least)
{
    double values[REPEAT_LIMIT];
    for (int i = 0; i < runs->count; ++i) {
        const sn_bench_result *result = &runs->results[i];
        values[i] = quality < 0 ? result->value : result->quality[quality];
    }
    qsort(values, (size_t)runs->count, sizeof values[0], by_value);
    int middle = runs->count / 2;
    *least = runs->count > 0 ? values[0] : NAN;
    *median_value = runs->count == 0       ? NAN
                    : runs->count % 2 == 1 ? values[middle]
                                           : 0.5 * (values[middle - 1] + values[middle]);
}

static double median(const series *runs, int quality)
{
    double value, least;
    summarize(runs, quality, &value, &least);
    return value;
}

static double minimum(const series *runs)
{
    double value, least;
    summarize(runs, -1, &value, &least);
    return least;
}

// ---- rows ----

static void json_row(sn_json_writer *json, const sn_bench_group *group, const sn_bench_case *bench,
                     const series *ours, const char *peer_name, const series *theirs)
{
    double value = median(ours, -1), other = theirs != NULL ? median(theirs, -1) : NAN;
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "group", group->name);
    sn_json_write_text(json, "case", bench->title);
    sn_json_write_number(json, "ours", value);
    sn_json_write_text(json, "peer", peer_name);
    sn_json_write_number(json, "peer_value", other);
    sn_json_write_number(json, "ratio", value / other);
    sn_json_write_text(json, "unit", bench->unit);
    sn_json_write_open(json, "quality", '{');
    for (int i = 0; i < SN_BENCH_QUALITY_LIMIT && bench->quality[i] != NULL; ++i) {
        char key[96];
        snprintf(key, sizeof key, "peer_%s", bench->quality[i]);
        sn_json_write_number(json, bench->quality[i], median(ours, i));
        if (theirs != NULL && !isnan(median(theirs, i))) { // some measures are ours alone
            sn_json_write_number(json, key, median(theirs, i));
        }
    }
    sn_json_write_number(json, "minimum", minimum(ours));
    if (theirs != NULL) {
        sn_json_write_number(json, "peer_minimum", minimum(theirs));
    }
    sn_json_write_close(json);
    sn_json_write_close(json);
}

static void table_row(FILE *stream, const sn_bench_group *group, const sn_bench_case *bench,
                      const series *ours, const char *peer_name, const series *theirs)
{
    double value = median(ours, -1), other = theirs != NULL ? median(theirs, -1) : NAN;
    fprintf(stream, "%-7s %-41s %9.4g %9.4g %-12s", group->name, bench->title, value, minimum(ours),
            bench->unit);
    if (theirs != NULL) {
        fprintf(stream, " %-10s %10.4g %6.3f ", peer_name, other, value / other);
    } else {
        fprintf(stream, " %-10s %10s %6s ", "-", "-", "-");
    }
    for (int i = 0; i < SN_BENCH_QUALITY_LIMIT && bench->quality[i] != NULL; ++i) {
        fprintf(stream, "%s%s %.2g", i > 0 ? ", " : " ", bench->quality[i], median(ours, i));
        if (theirs != NULL && !isnan(median(theirs, i))) {
            fprintf(stream, " (peer %.2g)", median(theirs, i));
        }
    }
    fputc('\n', stream);
    fflush(stream);
}

static void write_row(const bench_job *job, const sn_bench_group *group, const sn_bench_case *bench,
                      const series *ours, const char *peer_name, const series *theirs)
{
    if (job->table != NULL) {
        table_row(job->table, group, bench, ours, peer_name, theirs);
    }
    if (job->json != NULL) {
        json_row(job->json, group, bench, ours, peer_name, theirs);
    }
}

// ---- running ----

// Ours, then each peer, again and again, so that a slow spell of the machine hits all alike.
static int run_case(bench_job *job, const sn_bench_group *group, const sn_bench_case *whole)
{
    sn_bench_case shorter = *whole;
    const sn_bench_case *bench = job->quick ? &shorter : whole;
    shorter.steps = shorter.steps > QUICK_SHARE ? shorter.steps / QUICK_SHARE : 1;
    series *all = calloc((size_t)job->peer_count + 1, sizeof *all); // ours is the first
    int code = SN_EXIT_OK;
    if (all == NULL) {
        sn_complain(job->arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    for (int i = 0; i < job->repeats && code == SN_EXIT_OK; ++i) {
        sn_error error = {0};
        sn_status status = bench->run(bench, &all[0].results[all[0].count], &error);
        all[0].count += status == SN_OK ? 1 : 0;
        if (status != SN_OK) {
            sn_complain(job->arguments, "%s: %s", bench->title, sn_error_message(&error));
            code = sn_exit_for(status);
        }
        for (int j = 0; j < job->peer_count && !sn_interrupted(); ++j) {
            if (!all[j + 1].refused) {
                run_peer(&job->peers[j], bench, &all[j + 1]);
            }
        }
        code = sn_interrupted() ? SN_EXIT_INTERRUPTED : code;
    }
    bool alone = true;
    for (int j = 0; j < job->peer_count && code == SN_EXIT_OK; ++j) {
        if (all[j + 1].count > 0) {
            write_row(job, group, bench, &all[0], job->peers[j].name, &all[j + 1]);
            alone = false;
        }
    }
    if (alone && code == SN_EXIT_OK) {
        write_row(job, group, bench, &all[0], NULL, NULL);
    }
    free(all);
    return code;
}

static void table_head(FILE *table)
{
    fprintf(table, "%-7s %-41s %9s %9s %-12s %-10s %10s %6s  %s\n", "group", "case", "ours",
            "minimum", "unit", "peer", "peer_value", "ratio", "quality");
    fflush(table);
}

static int run_groups(bench_job *job, const char *only)
{
    int code = SN_EXIT_OK;
    const sn_bench_group *group = NULL;
    for (int i = 0; code == SN_EXIT_OK && (group = sn_bench_group_at(i)) != NULL; ++i) {
        bool wanted = only == NULL || strcmp(only, group->name) == 0;
        for (int j = 0; wanted && j < group->count && code == SN_EXIT_OK; ++j) {
            code = run_case(job, group, &group->cases[j]);
        }
    }
    return code;
}

int sn_bench_run(const sn_arguments *arguments, const sn_bench_options *options)
{
    sn_json_writer writer = {.stream = options->json};
    bench_job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    *job = (bench_job){.arguments = arguments,
                       .repeats = options->repeats,
                       .quick = options->quick,
                       .table = options->table};
    job->json = options->json != NULL ? &writer : NULL;
    int code = SN_EXIT_OK;
    if (options->peer_folder != NULL && !find_peers(job, options->peer_folder)) {
        code = SN_EXIT_INPUT;
    }
    if (code == SN_EXIT_OK) {
        if (options->table != NULL) {
            table_head(options->table);
        }
        if (options->json != NULL) {
            sn_json_write_open(&writer, NULL, '[');
        }
        code = run_groups(job, options->only);
    }
    if (options->json != NULL && writer.depth > 0) {
        sn_json_write_close(&writer);
    }
    free(job);
    return code;
}
