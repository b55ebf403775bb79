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
    int bars, bars_held; // printed so far
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

static const sn_bench_group *const groups[] = {
    &sn_bench_rigid,   &sn_bench_collide,  &sn_bench_articulated,
    &sn_bench_contact, &sn_bench_humanoid, &sn_bench_elastic,
    &sn_bench_mobile,  &sn_bench_precise,  &sn_bench_files};

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

typedef struct summary {
    double median, least, spread; // NaN when there is nothing
} summary;

// Of the cost (quality < 0) or of one measure of quality.
static summary summarize(const series *runs, int quality)
{
    double values[REPEAT_LIMIT];
    int count = runs != NULL ? runs->count : 0, middle = count / 2;
    if (count == 0) {
        return (summary){NAN, NAN, NAN};
    }
    for (int i = 0; i < count; ++i) {
        const sn_bench_result *result = &runs->results[i];
        values[i] = quality < 0 ? result->value : result->quality[quality];
    }
    qsort(values, (size_t)count, sizeof values[0], by_value);
    double median = count % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
    return (summary){median, values[0], (values[count - 1] - values[0]) / median};
}

static double median_quality(const series *runs, int quality)
{
    return summarize(runs, quality).median;
}

static int quality_count(const sn_bench_case *bench)
{
    int count = 0;
    while (count < SN_BENCH_QUALITY_LIMIT && bench->quality[count] != NULL) {
        count++;
    }
    return count;
}

// ---- bars ----

// A row of the table: a case, ours alone or beside one peer.
typedef struct row {
    const sn_bench_group *group;
    const sn_bench_case *bench;
    const series *ours, *theirs; // theirs: NULL when ours is alone
    const char *peer;
    bool first; // of its case: the bars of ours alone stand there
} row;

// The next bar that this row can tell of, from *at on; NULL: none is left.
static const sn_bench_bar *next_bar(const row *one, int *at)
{
    while (*at < SN_BENCH_BAR_LIMIT) {
        const sn_bench_bar *bar = &one->bench->bars[(*at)++];
        bool here =
            bar->peer == NULL ? one->first : one->peer != NULL && strcmp(bar->peer, one->peer) == 0;
        if (bar->limit != 0.0 && here) {
            return bar;
        }
    }
    return NULL;
}

static double bar_value(const row *one, const sn_bench_bar *bar)
{
    int quality = -1; // the cost
    for (int i = 0; bar->quality != NULL && i < quality_count(one->bench); ++i) {
        quality = strcmp(one->bench->quality[i], bar->quality) == 0 ? i : quality;
    }
    double ours = summarize(one->ours, quality).median;
    return bar->peer != NULL ? ours / summarize(one->theirs, quality).median : ours;
}

static const char *bar_name(const sn_bench_bar *bar)
{
    return bar->quality != NULL ? bar->quality : bar->peer != NULL ? "ratio" : "ours";
}

static bool bar_holds(const sn_bench_bar *bar, double value)
{
    return bar->least ? value >= bar->limit : value <= bar->limit;
}

// ---- rows ----

static void json_bars(sn_json_writer *json, const row *one)
{
    int at = 0;
    const sn_bench_bar *bar = next_bar(one, &at);
    if (bar == NULL) {
        return;
    }
    sn_json_write_open(json, "bars", '[');
    for (; bar != NULL; bar = next_bar(one, &at)) {
        double value = bar_value(one, bar);
        sn_json_write_open(json, NULL, '{');
        sn_json_write_text(json, "of", bar_name(bar));
        sn_json_write_number(json, "value", value);
        sn_json_write_number(json, bar->least ? "at_least" : "at_most", bar->limit);
        sn_json_write_bool(json, "pass", bar_holds(bar, value));
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void json_row(sn_json_writer *json, const row *one)
{
    summary ours = summarize(one->ours, -1), theirs = summarize(one->theirs, -1);
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "group", one->group->name);
    sn_json_write_text(json, "case", one->bench->title);
    sn_json_write_number(json, "ours", ours.median);
    sn_json_write_text(json, "peer", one->peer);
    sn_json_write_number(json, "peer_value", theirs.median);
    sn_json_write_number(json, "ratio", ours.median / theirs.median);
    sn_json_write_text(json, "unit", one->bench->unit);
    sn_json_write_open(json, "quality", '{');
    for (int i = 0; i < quality_count(one->bench); ++i) {
        char key[96];
        snprintf(key, sizeof key, "peer_%s", one->bench->quality[i]);
        double other = median_quality(one->theirs, i);
        sn_json_write_number(json, one->bench->quality[i], median_quality(one->ours, i));
        if (!isnan(other)) { // some measures are ours alone
            sn_json_write_number(json, key, other);
        }
    }
    sn_json_write_number(json, "minimum", ours.least);
    sn_json_write_number(json, "spread", ours.spread);
    if (one->theirs != NULL) {
        sn_json_write_number(json, "peer_minimum", theirs.least);
        sn_json_write_number(json, "peer_spread", theirs.spread);
    }
    sn_json_write_close(json);
    json_bars(json, one);
    sn_json_write_close(json);
}

// "9 %" of one or more repeats.
static const char *spread_text(double spread, char *text, size_t size)
{
    snprintf(text, size, "%.0f %%", 100.0 * spread);
    return isnan(spread) ? "-" : text;
}

static void table_row(FILE *stream, const row *one)
{
    summary ours = summarize(one->ours, -1), theirs = summarize(one->theirs, -1);
    char spread[32];
    fprintf(stream, "%-11s %-41s %9.4g %9.4g %6s %-13s", one->group->name, one->bench->title,
            ours.median, ours.least, spread_text(ours.spread, spread, sizeof spread),
            one->bench->unit);
    if (one->theirs != NULL) {
        fprintf(stream, " %-13s %10.4g %6s %6.3f ", one->peer, theirs.median,
                spread_text(theirs.spread, spread, sizeof spread), ours.median / theirs.median);
    } else {
        fprintf(stream, " %-13s %10s %6s %6s ", "-", "-", "-", "-");
    }
    for (int i = 0; i < quality_count(one->bench); ++i) {
        double other = median_quality(one->theirs, i);
        fprintf(stream, "%s%s %.2g", i > 0 ? ", " : " ", one->bench->quality[i],
                median_quality(one->ours, i));
        if (!isnan(other)) {
            fprintf(stream, " (peer %.2g)", other);
        }
    }
    fputc('\n', stream);
}

static void table_bars(bench_job *job, const row *one)
{
    int at = 0;
    for (const sn_bench_bar *bar = NULL; (bar = next_bar(one, &at)) != NULL;) {
        double value = bar_value(one, bar);
        bool holds = bar_holds(bar, value);
        fprintf(job->table, "%-11s %-41s %s%s%s %.3g, at %s %g: %s\n", one->group->name, "  bar",
                bar_name(bar), bar->peer != NULL ? " to " : "", bar->peer != NULL ? bar->peer : "",
                value, bar->least ? "least" : "most", bar->limit, holds ? "pass" : "FAIL");
        job->bars++;
        job->bars_held += holds ? 1 : 0;
    }
}

static void write_row(bench_job *job, const row *one)
{
    if (job->table != NULL) {
        table_row(job->table, one);
        table_bars(job, one);
        fflush(job->table);
    }
    if (job->json != NULL) {
        json_row(job->json, one);
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
    int repeats =
        bench->repeats > 0 && bench->repeats < job->repeats ? bench->repeats : job->repeats;
    for (int i = 0; i < repeats && code == SN_EXIT_OK; ++i) {
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
    row one = {.group = group, .bench = bench, .ours = &all[0], .first = true};
    for (int j = 0; j < job->peer_count && code == SN_EXIT_OK; ++j) {
        if (all[j + 1].count > 0) {
            one.theirs = &all[j + 1];
            one.peer = job->peers[j].name;
            write_row(job, &one);
            one.first = false;
        }
    }
    if (one.first && code == SN_EXIT_OK) {
        write_row(job, &one);
    }
    free(all);
    return code;
}

static void table_head(FILE *table)
{
    fprintf(table, "%-11s %-41s %9s %9s %6s %-13s %-13s %10s %6s %6s  %s\n", "group", "case",
            "ours", "minimum", "spread", "unit", "peer", "peer_value", "spread", "ratio",
            "quality");
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
        if (options->table != NULL && job->bars > 0) {
            fprintf(options->table, "%d of %d bars hold\n", job->bars_held, job->bars);
        }
    }
    if (options->json != NULL && writer.depth > 0) {
        sn_json_write_close(&writer);
    }
    free(job);
    return code;
}
