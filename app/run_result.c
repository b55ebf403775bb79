#include "run_result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sinew/behaviour.h"
#include "sinew/elastic.h"

// ---- columns ----

static void name_column(sn_run_column *column, const sn_world *world, const char *name)
{
    snprintf(column->name, sizeof column->name, "%.150s[%s]", name,
             sn_probe_unit(world, &column->probe));
}

// "elbow.joint.position[rad]": what it is of, and the quantity's word.
static void name_own_column(sn_run_column *column, const sn_world *world, const char *of)
{
    char name[160];
    snprintf(name, sizeof name, "%.120s.%s", of, sn_quantity_word(column->probe.quantity));
    name_column(column, world, name);
}

static sn_status columns_from_probes(sn_run_result *result, const sn_scene *scene,
                                     const sn_world *world, sn_error *error)
{
    for (int i = 0; i < result->column_count; ++i) {
        sn_named_probe named;
        sn_status status = sn_scene_probe(scene, world, i, &named, error);
        if (status != SN_OK) {
            return status;
        }
        result->columns[i].probe = named.probe;
        name_column(&result->columns[i], world, named.name);
    }
    return SN_OK;
}

// Positions of the bodies that move, up to the limit. Counts the columns, and fills them where
// `columns` is not NULL.
static int columns_of_bodies(const sn_world *world, sn_run_column *columns, int *left_out)
{
    static const sn_quantity quantities[3] = {SN_QUANTITY_POSITION_X, SN_QUANTITY_POSITION_Y,
                                              SN_QUANTITY_POSITION_Z};
    int count = 0;
    *left_out = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        if (sn_body_get_type(world, body) == SN_BODY_STATIC) {
            continue;
        }
        if (count == 3 * SN_UNPROBED_LIMIT) {
            ++*left_out;
            continue;
        }
        for (int k = 0; k < 3; ++k, ++count) {
            if (columns != NULL) {
                columns[count].probe = (sn_probe){.body = body, .quantity = quantities[k]};
                name_own_column(&columns[count], world, sn_body_name(world, body));
            }
        }
    }
    return count;
}

// Whether something drives a freedom, or may: what behaviours do is not known before.
static bool may_be_driven(const sn_world *world, sn_joint joint, int freedom)
{
    return sn_joint_drive(world, joint, freedom).type != SN_DRIVE_NONE ||
           sn_world_behaviour_count(world) > 0;
}

// Position, velocity and drive force of every freedom of the joints, in the same way.
static int columns_of_joints(const sn_world *world, sn_run_column *columns, int *left_out)
{
    static const sn_quantity quantities[3] = {
        SN_QUANTITY_JOINT_POSITION, SN_QUANTITY_JOINT_VELOCITY, SN_QUANTITY_JOINT_DRIVE_FORCE};
    int count = 0, joints = 0;
    *left_out = 0;
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        int freedoms = sn_joint_type_freedoms(sn_joint_get_type(world, joint));
        if (freedoms == 0) {
            continue;
        }
        if (joints++ >= SN_UNPROBED_LIMIT) {
            ++*left_out;
            continue;
        }
        for (int k = 0; k < 3 * freedoms; ++k) {
            // The quantities of a joint's freedoms follow each other.
            sn_quantity quantity = (sn_quantity)(quantities[k / freedoms] + k % freedoms);
            if (k >= 2 * freedoms && !may_be_driven(world, joint, k % freedoms)) {
                continue;
            }
            if (columns != NULL) {
                columns[count].probe = (sn_probe){.joint = joint, .quantity = quantity};
                name_own_column(&columns[count], world, sn_joint_name(world, joint));
            }
            ++count;
        }
    }
    return count;
}

sn_status sn_run_result_start(sn_run_result *result, const sn_scene *scene, const sn_world *world,
                              sn_error *error)
{
    int joint_columns = 0;
    result->column_count = sn_scene_probe_count(scene);
    result->has_probes = result->column_count > 0;
    if (!result->has_probes) {
        joint_columns = columns_of_joints(world, NULL, &result->unmeasured_joints);
        result->column_count =
            joint_columns + columns_of_bodies(world, NULL, &result->unmeasured_bodies);
    }
    size_t bytes = sizeof *result->columns * (size_t)(result->column_count + 1);
    result->columns = sn_allocate_zero(bytes);
    if (result->columns == NULL) {
        return sn_fail_memory(error, bytes);
    }
    if (result->has_probes) {
        return columns_from_probes(result, scene, world, error);
    }
    columns_of_joints(world, result->columns, &result->unmeasured_joints);
    columns_of_bodies(world, result->columns + joint_columns, &result->unmeasured_bodies);
    return SN_OK;
}

void sn_run_result_free(sn_run_result *result)
{
    sn_free(result->columns);
    result->columns = NULL;
    sn_run_counters_free(&result->counters);
}

// ---- rows ----

void sn_run_result_row(sn_run_result *result, const sn_world *world, double *values)
{
    bool first = result->rows == 0;
    for (int i = 0; i < result->column_count; ++i) {
        sn_run_column *column = &result->columns[i];
        double value = sn_probe_read(world, &column->probe);
        values[i] = value;
        column->end = value;
        column->start = first ? value : column->start;
        // Forces of joints are no numbers before the first step.
        bool none = first || isnan(column->minimum);
        column->minimum = none || value < column->minimum ? value : column->minimum;
        column->maximum = none || value > column->maximum ? value : column->maximum;
    }
    result->end_energy = sn_world_energy(world);
    result->end_momentum = sn_world_momentum(world);
    result->end_angular_momentum = sn_world_angular_momentum(world);
    if (first) {
        result->start_energy = result->end_energy;
        result->start_momentum = result->end_momentum;
        result->start_angular_momentum = result->end_angular_momentum;
    }
    double change = fabs(result->end_energy.total - result->start_energy.total);
    result->largest_energy_change = fmax(result->largest_energy_change, change);
    result->largest_kinetic_energy =
        fmax(result->largest_kinetic_energy, result->end_energy.kinetic);
    result->rows++;
}

double sn_run_result_energy_change(const sn_run_result *result)
{
    double scale = fmax(fabs(result->start_energy.total), result->largest_kinetic_energy);
    return scale > 0.0 ? result->largest_energy_change / scale : 0.0;
}

// ---- summary.json ----

static void json_energy(sn_json_writer *json, const char *key, sn_energy energy)
{
    sn_json_write_open_flat(json, key, '{');
    sn_json_write_number(json, "kinetic", energy.kinetic);
    sn_json_write_number(json, "potential", energy.potential);
    sn_json_write_number(json, "total", energy.total);
    sn_json_write_close(json);
}

static void json_balances(sn_json_writer *json, const sn_run_result *result)
{
    sn_json_write_open(json, "energy", '{');
    json_energy(json, "start", result->start_energy);
    json_energy(json, "end", result->end_energy);
    sn_json_write_number(json, "largest_change", result->largest_energy_change);
    sn_json_write_number(json, "relative_change", sn_run_result_energy_change(result));
    sn_json_write_close(json);
    sn_json_write_open(json, "momentum", '{');
    sn_json_write_vec3(json, "start", result->start_momentum);
    sn_json_write_vec3(json, "end", result->end_momentum);
    sn_json_write_close(json);
    sn_json_write_open(json, "angular_momentum", '{');
    sn_json_write_vec3(json, "start", result->start_angular_momentum);
    sn_json_write_vec3(json, "end", result->end_angular_momentum);
    sn_json_write_close(json);
}

static void json_columns(sn_json_writer *json, const sn_run_result *result)
{
    sn_json_write_open(json, "columns", '[');
    for (int i = 0; i < result->column_count; ++i) {
        const sn_run_column *column = &result->columns[i];
        sn_json_write_open_flat(json, NULL, '{');
        sn_json_write_text(json, "name", column->name);
        sn_json_write_number(json, "start", column->start);
        sn_json_write_number(json, "end", column->end);
        sn_json_write_number(json, "minimum", column->minimum);
        sn_json_write_number(json, "maximum", column->maximum);
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void json_events(sn_json_writer *json, const sn_world *world)
{
    sn_json_write_open(json, "events", '[');
    for (int i = 0; i < sn_world_event_count(world); ++i) {
        sn_event_entry entry = sn_world_event_entry(world, i);
        sn_json_write_open_flat(json, NULL, '{');
        sn_json_write_text(json, "name", sn_event_name(world, entry.event));
        sn_json_write_number(json, "time", entry.time);
        sn_json_write_text(json, "direction", entry.direction > 0 ? "rising" : "falling");
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void json_settings(sn_json_writer *json, const sn_run_result *result, const sn_scene *scene)
{
    const sn_run *run = &result->run;
    sn_json_write_text(json, "scene", result->scene);
    sn_json_write_text(json, "name", sn_scene_name(scene));
    sn_json_write_text(json, "version", sn_version());
    sn_json_write_integer(json, "seed", run->seed);
    sn_json_write_text(json, "policy", sn_policy_word(run->policy));
    sn_json_write_text(json, "integrator", sn_integrator_word(run->integrator));
    sn_json_write_integer(json, "threads", (uint64_t)run->threads);
    sn_json_write_number(json, "step", run->step);
    sn_json_write_number(json, "record_step", run->record_step);
    sn_json_write_open(json, "params", '{');
    for (int i = 0; i < sn_scene_param_count(scene); ++i) {
        sn_param param = sn_scene_param(scene, i);
        sn_json_write_number(json, param.name, param.value);
    }
    sn_json_write_close(json);
}

void sn_run_result_note_swings(sn_run_result *result, sn_world *world)
{
    sn_error unused = {0};
    int count = 0;
    if (result->counters.each[SN_COUNTER_MASS_SCALED].steps > 0 &&
        sn_world_find_fast_swings(world, result->run.step, &result->swing, 1, &count, &unused) ==
            SN_OK &&
        count > 0) {
        result->swing_count = count;
        snprintf(result->swing_body, sizeof result->swing_body, "%s",
                 sn_body_name(world, result->swing.body));
    }
}

sn_status sn_run_result_check_speeds(const sn_world *world, double step, sn_error *error)
{
    const double light = 299792458.0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        double speed = sn_length(sn_body_velocity(world, body));
        if (!(speed <= light)) {
            char place[200];
            snprintf(place, sizeof place, "body '%.120s', step %" PRIu64, sn_body_name(world, body),
                     sn_world_step_count(world));
            return sn_fail(
                error, SN_ERROR_DIVERGED, place,
                "it moves at %.2g m/s at %.6g s, faster than light; what acts on it, or "
                "holds it, is too strong for steps of %g s: take shorter ones, or softer "
                "springs and drives",
                speed, sn_world_time(world), step);
        }
    }
    return SN_OK;
}

void sn_run_result_json(const sn_run_result *result, const sn_scene *scene, const sn_world *world,
                        FILE *stream)
{
    sn_json_writer json = {.stream = stream};
    sn_json_write_open(&json, NULL, '{');
    json_settings(&json, result, scene);
    sn_json_write_integer(&json, "steps", result->steps);
    sn_run_counters_json(&result->counters, world, &json);
    sn_json_write_number(&json, "resolving_step",
                         result->swing_count > 0 ? result->swing.step : NAN);
    sn_json_write_number(&json, "time", result->time);
    sn_json_write_number(&json, "wall_time", result->wall_time);
    sn_json_write_number(&json, "real_time_factor",
                         result->wall_time > 0.0 ? result->time / result->wall_time : NAN);
    sn_json_write_bool(&json, "interrupted", result->interrupted);
    sn_json_write_text(&json, "stopped_by",
                       result->stopped_by[0] != '\0' ? result->stopped_by : NULL);
    sn_json_write_text(&json, "failure", result->failure[0] != '\0' ? result->failure : NULL);
    sn_json_write_hash(&json, "hash", result->hash);
    json_balances(&json, result);
    json_events(&json, world);
    json_columns(&json, result);
    sn_json_write_integer(&json, "unmeasured_bodies", (uint64_t)result->unmeasured_bodies);
    sn_json_write_integer(&json, "unmeasured_joints", (uint64_t)result->unmeasured_joints);
    sn_json_write_open(&json, "files", '[');
    for (int i = 0; i < result->file_count; ++i) {
        sn_json_write_text(&json, NULL, result->files[i]);
    }
    sn_json_write_close(&json);
    sn_json_write_close(&json);
}

// ---- the table ----

static void table_columns(const sn_run_result *result, FILE *stream)
{
    enum { SHOWN = 12 };
    if (result->column_count == 0) {
        return;
    }
    fprintf(stream, "\n%-36s %13s %13s %13s %13s\n", "measured", "start", "end", "minimum",
            "maximum");
    for (int i = 0; i < result->column_count && i < SHOWN; ++i) {
        const sn_run_column *column = &result->columns[i];
        fprintf(stream, "%-36s", column->name);
        const double numbers[] = {column->start, column->end, column->minimum, column->maximum};
        for (int k = 0; k < 4; ++k) {
            if (isnan(numbers[k])) {
                fprintf(stream, " %13s", "-");
            } else {
                fprintf(stream, " %13.6g", numbers[k]);
            }
        }
        fputc('\n', stream);
    }
    if (result->column_count > SHOWN) {
        fprintf(stream, "and %d more columns\n", result->column_count - SHOWN);
    }
}

static void table_events(const sn_world *world, FILE *stream)
{
    enum { SHOWN = 8 };
    int count = sn_world_event_count(world);
    for (int i = 0; i < count && i < SHOWN; ++i) {
        sn_event_entry entry = sn_world_event_entry(world, i);
        fprintf(stream, "%s%-36s %13.9g s, %s\n", i == 0 ? "\nevents\n" : "",
                sn_event_name(world, entry.event), entry.time,
                entry.direction > 0 ? "rising" : "falling");
    }
    if (count > SHOWN) {
        fprintf(stream, "and %d more events\n", count - SHOWN);
    }
}

// Joints that have broken, and couplings that were released with them.
static void table_broken(const sn_world *world, FILE *stream)
{
    int joints = 0, couplings = 0;
    const char *joint_name = "", *coupling_name = "";
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        if (sn_joint_is_broken(world, joint) && joints++ == 0) {
            joint_name = sn_joint_name(world, joint);
        }
    }
    for (int i = 0; i < sn_world_coupling_count(world); ++i) {
        sn_coupling coupling = sn_world_coupling(world, i);
        if (sn_coupling_is_released(world, coupling) && couplings++ == 0) {
            coupling_name = sn_coupling_name(world, coupling);
        }
    }
    if (joints > 0) {
        fprintf(stream, "joints that have broken: %d ('%s'%s)\n", joints, joint_name,
                joints > 1 ? ", ..." : "");
    }
    if (couplings > 0) {
        fprintf(stream, "couplings released because a joint of theirs has broken: %d ('%s'%s)\n",
                couplings, coupling_name, couplings > 1 ? ", ..." : "");
    }
}

void sn_run_result_table(const sn_run_result *result, const sn_world *world, FILE *stream)
{
    fprintf(stream, "%s: %.6g s in %" PRIu64 " step%s, %s, %d bod%s\n", result->scene, result->time,
            result->steps, result->steps == 1 ? "" : "s", sn_policy_word(result->run.policy),
            sn_world_body_count(world), sn_world_body_count(world) == 1 ? "y" : "ies");
    double factor = result->wall_time > 0.0 ? result->time / result->wall_time : 0.0;
    fprintf(stream, "wall time %.3g s, %.*f times real time\n", result->wall_time,
            factor < 10.0 ? 2 : 0, factor);
    sn_run_counters_print(&result->counters, world, result->steps, stream);
    table_broken(world, stream);
    if (result->swing_count > 0) {
        fprintf(stream,
                "mechanisms that steps of %.3g s cannot resolve: %d, '%s' first (%.3g Hz); steps "
                "of %.3g s or shorter resolve it\n",
                result->run.step, result->swing_count, result->swing_body, result->swing.frequency,
                0.995 * result->swing.step);
    }
    fprintf(stream, "\n%-36s %13s %13s %13s\n", "balance", "start", "end", "change");
    const double rows[3][2] = {
        {result->start_energy.total, result->end_energy.total},
        {sn_length(result->start_momentum), sn_length(result->end_momentum)},
        {sn_length(result->start_angular_momentum), sn_length(result->end_angular_momentum)},
    };
    static const char *const names[3] = {"energy[J]", "momentum[kg m/s]",
                                         "angular momentum[kg m^2/s]"};
    for (int i = 0; i < 3; ++i) {
        fprintf(stream, "%-36s %13.6g %13.6g %13.2g\n", names[i], rows[i][0], rows[i][1],
                rows[i][1] - rows[i][0]);
    }
    table_columns(result, stream);
    table_events(world, stream);
    fprintf(stream, "\nstate hash %016" PRIx64 "\n", result->hash);
}
