#include "run_output.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const char *const energy_columns[] = {
    "time[s]",
    "kinetic[J]",
    "potential[J]",
    "total[J]",
    "momentum.x[kg m/s]",
    "momentum.y[kg m/s]",
    "momentum.z[kg m/s]",
    "angular_momentum.x[kg m^2/s]",
    "angular_momentum.y[kg m^2/s]",
    "angular_momentum.z[kg m^2/s]",
};

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
        status = sn_csv_open(path, energy_columns, 10, &output->energy, error);
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

sn_status sn_run_output_open(sn_run_output *output, const char *folder, const sn_scene *scene,
                             const sn_world *world, const sn_run_result *result, sn_error *error)
{
    *output = (sn_run_output){0};
    snprintf(output->folder, sizeof output->folder, "%s", folder);
    sn_status status = sn_make_folders(folder, error);
    if (status != SN_OK) {
        return status;
    }
    static const char *const stale[] = {"summary.json", "energy.svg"};
    for (int i = 0; i < 2; ++i) {
        char path[SN_PATH_LIMIT];
        status = sn_folder_join(folder, stale[i], path, error);
        if (status != SN_OK) {
            return status;
        }
        remove(path); // usually not there
    }
    status = open_files(output, scene, world, result, error);
    if (status != SN_OK) {
        sn_run_output_close(output, NULL);
    }
    return status;
}

sn_status sn_run_output_row(sn_run_output *output, const sn_run_result *result,
                            const sn_world *world, const double *values, sn_error *error)
{
    double row[3 * SN_UNPROBED_BODY_LIMIT + 1];
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

sn_status sn_run_output_close(sn_run_output *output, sn_error *error)
{
    sn_status first = SN_OK;
    sn_error scratch;
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

static sn_status draw_energy(const sn_run_output *output, const sn_run_result *result,
                             sn_error *error)
{
    static const char *const columns[] = {"kinetic", "potential", "total"};
    char csv[SN_PATH_LIMIT], svg[SN_PATH_LIMIT], title[192];
    sn_status status = sn_folder_join(output->folder, "energy.csv", csv, error);
    if (status == SN_OK) {
        status = sn_folder_join(output->folder, "energy.svg", svg, error);
    }
    if (status != SN_OK) {
        return status;
    }
    snprintf(title, sizeof title, "Energy of %s", result->scene);
    sn_plot_def plot = sn_default_plot_def();
    plot.csv_path = csv;
    plot.svg_path = svg;
    plot.title = title;
    plot.columns = columns;
    plot.column_count = 3;
    return sn_plot_csv(&plot, error);
}

sn_status sn_run_output_finish(sn_run_output *output, sn_run_result *result, const sn_scene *scene,
                               const sn_world *world, sn_error *error)
{
    static const char *const names[] = {"summary.json", "state.csv", "energy.csv",
                                        "recording.snrec", "energy.svg"};
    for (int i = 0; i < 5; ++i) {
        result->files[result->file_count++] = names[i];
    }
    sn_status status = draw_energy(output, result, error);
    if (status != SN_OK) {
        return status;
    }
    char path[SN_PATH_LIMIT];
    sn_new_file file = {0};
    status = sn_folder_join(output->folder, "summary.json", path, error);
    if (status == SN_OK) {
        status = sn_new_file_open(&file, path, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_run_result_json(result, scene, world, file.stream);
    return sn_new_file_close(&file, error);
}
