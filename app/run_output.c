#include "run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/csv.h"

static sn_status open_state(sn_run_output *output, const sn_run_result *result, sn_error *error)
{
    char path[SN_PATH_LIMIT];
    size_t bytes = sizeof(char *) * (size_t)(result->column_count + 1);
    const char **names = sn_allocate(bytes);
    if (names == NULL) {
        return sn_fail_memory(error, bytes);
    }
    names[0] = "time[s]";
    for (int i = 0; i < result->column_count; ++i) {
        names[i + 1] = result->columns[i].name;
    }
    sn_status status = sn_folder_join(output->folder, "state.csv", path, error);
    if (status == SN_OK) {
        status = sn_csv_open(path, names, result->column_count + 1, &output->state, error);
    }
    sn_free(names);
    return status;
}

static sn_status open_files(sn_run_output *output, const sn_scene *scene, const sn_world *world,
                            const sn_run_result *result, sn_error *error)
{
    char path[SN_PATH_LIMIT];
    sn_status status = open_state(output, result, error);
    if (status == SN_OK) {
        status = sn_folder_join(output->folder, "energy.csv", path, error);
    }
    if (status == SN_OK) {
        status = sn_csv_open(path, sn_energy_columns, SN_ENERGY_COLUMNS, &output->energy, error);
    }
    if (status == SN_OK) {
        status = sn_folder_join(output->folder, "recording.snrec", path, error);
    }
    if (status == SN_OK) {
        sn_recorder_def def = {
            .path = path, .scene = scene, .world = world, .frame_step = result->run.record_step};
        status = sn_recorder_open(&def, &output->recorder, error);
    }
    return status;
}

// Two runs that write the same files leave neither. The lock goes with the process, however it
// ends; a file system without locks is used without.
static sn_status lock_folder(sn_run_output *output, sn_error *error)
{
    int folder = open(output->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return SN_OK; // it may be written to and still not be read
    }
    if (flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(folder);
        return sn_fail(error, SN_ERROR_FILE, output->folder,
                       "another run is writing here; let it end, or choose another folder");
    }
    output->lock = folder;
    return SN_OK;
}

static void unlock_folder(sn_run_output *output)
{
    if (output->lock > 0) {
        close(output->lock);
    }
    output->lock = 0;
}

sn_status sn_run_output_open(sn_run_output *output, const char *folder, const sn_scene *scene,
                             const sn_world *world, const sn_run_result *result, sn_error *error)
{
    *output = (sn_run_output){0};
    snprintf(output->folder, sizeof output->folder, "%s", folder);
    sn_status status = sn_make_folders(folder, error);
    if (status == SN_OK) {
        status = lock_folder(output, error);
    }
    if (status != SN_OK) {
        return status;
    }
    static const char *const stale[] = {"summary.json", "state.svg", "energy.svg"};
    for (int i = 0; i < 3; ++i) {
        char path[SN_PATH_LIMIT];
        status = sn_folder_join(folder, stale[i], path, error);
        if (status != SN_OK) {
            return status;
        }
        remove(path); // usually not there
    }
    status = open_files(output, scene, world, result, error);
    if (status != SN_OK) {
        sn_run_output_close(output, NULL, NULL);
        unlock_folder(output);
    }
    return status;
}

sn_status sn_run_output_row(sn_run_output *output, const sn_run_result *result,
                            const sn_world *world, const double *values, sn_error *error)
{
    double row[3 * SN_UNPROBED_LIMIT + 1];
    double *wide = row;
    size_t bytes = sizeof(double) * (size_t)(result->column_count + 1);
    if (bytes > sizeof row) {
        wide = sn_allocate(bytes);
        if (wide == NULL) {
            return sn_fail_memory(error, bytes);
        }
    }
    wide[0] = sn_world_time(world);
    memcpy(wide + 1, values, bytes - sizeof(double));
    sn_status status = sn_csv_row(output->state, wide, error);
    if (wide != row) {
        sn_free(wide);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_vec3 p = result->end_momentum, l = result->end_angular_momentum;
    const double balance[10] = {sn_world_time(world),
                                result->end_energy.kinetic,
                                result->end_energy.potential,
                                result->end_energy.total,
                                p.x,
                                p.y,
                                p.z,
                                l.x,
                                l.y,
                                l.z};
    return sn_csv_row(output->energy, balance, error);
}

sn_status sn_run_output_step(sn_run_output *output, const sn_world *world, sn_error *error)
{
    return sn_recorder_step(output->recorder, world, error);
}

sn_status sn_run_output_close(sn_run_output *output, const sn_world *world, sn_error *error)
{
    sn_status first = SN_OK;
    sn_error scratch;
    if (world != NULL && output->recorder != NULL) {
        first = sn_recorder_frame(output->recorder, world, error);
    }
    for (int i = 0; i < 3; ++i) {
        sn_status status = SN_OK;
        sn_error *place = first == SN_OK ? error : &scratch;
        if (i == 0 && output->state != NULL) {
            status = sn_csv_close(output->state, place);
        } else if (i == 1 && output->energy != NULL) {
            status = sn_csv_close(output->energy, place);
        } else if (i == 2 && output->recorder != NULL) {
            status = sn_recorder_close(output->recorder, place);
        }
        first = first == SN_OK ? status : first;
    }
    output->state = output->energy = NULL;
    output->recorder = NULL;
    return first;
}

// <name>.csv drawn as <name>.svg.
static sn_status draw(const sn_run_output *output, const char *name, const char *title,
                      const char *const *columns, int count, sn_error *error)
{
    char file[32], csv[SN_PATH_LIMIT], svg[SN_PATH_LIMIT];
    snprintf(file, sizeof file, "%s.csv", name);
    sn_status status = sn_folder_join(output->folder, file, csv, error);
    if (status == SN_OK) {
        snprintf(file, sizeof file, "%s.svg", name);
        status = sn_folder_join(output->folder, file, svg, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_plot_def plot = sn_default_plot_def();
    plot.csv_path = csv;
    plot.svg_path = svg;
    plot.title = title;
    plot.columns = columns;
    plot.column_count = count;
    return sn_plot_csv(&plot, error);
}

// A plot holds the whole table in memory.
static bool is_drawn(const sn_run_result *result, int columns)
{
    return columns > 0 && result->rows <= SN_DRAWN_NUMBER_LIMIT / ((uint64_t)columns + 1);
}

sn_status sn_run_output_draw(const sn_run_output *output, sn_run_result *result, sn_error *error)
{
    static const char *const energies[] = {"kinetic", "potential", "total"};
    const int count = SN_ENERGY_COLUMNS - 1;
    char title[192];
    sn_status status = SN_OK;
    if (is_drawn(result, result->column_count)) {
        snprintf(title, sizeof title, "State of %s", result->scene);
        status = draw(output, "state", title, NULL, 0, error);
        result->state_drawn = status == SN_OK;
    }
    if (status == SN_OK && is_drawn(result, count)) {
        snprintf(title, sizeof title, "Energy of %s", result->scene);
        status = draw(output, "energy", title, energies, 3, error);
        result->energy_drawn = status == SN_OK;
    }
    return status;
}

sn_status sn_run_output_summarise(sn_run_output *output, sn_run_result *result,
                                  const sn_scene *scene, const sn_world *world, sn_error *error)
{
    static const char *const names[] = {"summary.json", "state.csv", "energy.csv",
                                        "recording.snrec"};
    for (int i = 0; i < 4; ++i) {
        result->files[result->file_count++] = names[i];
    }
    if (result->state_drawn) {
        result->files[result->file_count++] = "state.svg";
    }
    if (result->energy_drawn) {
        result->files[result->file_count++] = "energy.svg";
    }
    char path[SN_PATH_LIMIT];
    sn_new_file file = {0};
    sn_status status = sn_folder_join(output->folder, "summary.json", path, error);
    if (status == SN_OK) {
        status = sn_new_file_open(&file, path, error);
    }
    if (status == SN_OK) {
        sn_run_result_json(result, scene, world, file.stream);
        status = sn_new_file_close(&file, error);
    }
    unlock_folder(output);
    return status;
}
