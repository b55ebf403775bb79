#include "run_counters.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sinew/elastic.h"

static bool is_measured(sn_counter counter)
{
    return sn_counter_unit(counter)[0] != '\0';
}

// ---- after each step ----

static void copy_name(char (*to)[128], const char *name)
{
    snprintf(*to, sizeof *to, "%s", name != NULL ? name : "");
}

// Of counters that measure nothing the body is named that was counted in most steps.
static sn_status note_bodies(sn_run_counters *counters, const sn_world *world, sn_counter counter,
                             sn_error *error)
{
    sn_run_counter *own = &counters->each[counter];
    int count = sn_world_body_count(world);
    if (own->steps_by_body == NULL) {
        counters->body_count = count;
        size_t bytes = sizeof *own->steps_by_body * (size_t)(count + 1);
        own->steps_by_body = sn_allocate_zero(bytes);
        if (own->steps_by_body == NULL) {
            return sn_fail_memory(error, bytes);
        }
    }
    for (int i = 0; i < count && i < counters->body_count; ++i) {
        own->steps_by_body[i] += sn_body_is_counted(world, sn_world_body(world, i), counter);
    }
    return SN_OK;
}

sn_status sn_run_counters_note(sn_run_counters *counters, const sn_world *world, sn_error *error)
{
    sn_step_report report = sn_world_report(world);
    sn_status status = SN_OK;
    for (int i = 0; i < SN_COUNTER_COUNT && status == SN_OK; ++i) {
        sn_counter counter = (sn_counter)i;
        sn_run_counter *own = &counters->each[i];
        const sn_counter_worst *worst = &report.worst[i];
        int count = sn_step_report_count(&report, counter);
        if (count == 0) {
            continue;
        }
        bool bond = counter == SN_COUNTER_VIOLATED, first = own->steps == 0;
        const char *name =
            bond ? sn_bond_name(world, report.violated_bond) : sn_body_name(world, worst->body);
        own->steps += 1;
        own->count += (uint64_t)count;
        if (first) {
            own->first_time = sn_world_time(world);
            copy_name(&own->first, name);
        }
        if (first || worst->amount > own->amount) {
            own->amount = worst->amount;
            own->time = sn_world_time(world);
            copy_name(&own->most, name);
            copy_name(&own->other,
                      worst->other.index != 0 ? sn_body_name(world, worst->other) : "");
        }
        if (!is_measured(counter)) {
            status = note_bodies(counters, world, counter, error);
        }
    }
    return status;
}

void sn_run_counters_free(sn_run_counters *counters)
{
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        sn_free(counters->each[i].steps_by_body);
        counters->each[i].steps_by_body = NULL;
    }
}

// ---- what is said of them ----

// The body with most steps and their number; the first of several. NULL when none is known.
static const char *most_counted(const sn_run_counters *counters, const sn_world *world,
                                sn_counter counter, uint32_t *steps)
{
    const sn_run_counter *own = &counters->each[counter];
    int best = -1;
    *steps = 0;
    for (int i = 0; own->steps_by_body != NULL && i < counters->body_count; ++i) {
        if (own->steps_by_body[i] > *steps) {
            best = i;
            *steps = own->steps_by_body[i];
        }
    }
    return best >= 0 && best < sn_world_body_count(world)
               ? sn_body_name(world, sn_world_body(world, best))
               : NULL;
}

static void print_most(const sn_run_counter *own, sn_counter counter, FILE *stream)
{
    const char *unit = sn_counter_unit(counter);
    fprintf(stream, own->most[0] != '\0' ? " (most: '%s'" : " (most: ", own->most);
    if (own->other[0] != '\0') {
        fprintf(stream, " and '%s'", own->other);
    }
    fputs(own->most[0] != '\0' ? ", " : "", stream);
    if (strcmp(unit, "residual") == 0) {
        fprintf(stream, "residual %.2g at %.6g s)", own->amount, own->time);
    } else {
        fprintf(stream, "%.3g %s at %.6g s)", own->amount, unit, own->time);
    }
}

void sn_run_counters_print(const sn_run_counters *counters, const sn_world *world, uint64_t steps,
                           FILE *stream)
{
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        const sn_run_counter *own = &counters->each[i];
        sn_counter counter = (sn_counter)i;
        if (own->steps == 0) {
            continue;
        }
        fprintf(stream, "%s in %" PRIu64 " of %" PRIu64 " steps", sn_counter_text(counter),
                own->steps, steps);
        uint32_t most;
        const char *name = most_counted(counters, world, counter, &most);
        if (is_measured(counter)) {
            print_most(own, counter, stream);
        } else if (name != NULL) {
            fprintf(stream, " (most: '%s', %" PRIu32 " step%s)", name, most, most == 1 ? "" : "s");
        }
        fputc('\n', stream);
    }
}

void sn_run_counters_json(const sn_run_counters *counters, const sn_world *world,
                          sn_json_writer *json)
{
    sn_json_write_open(json, "counters", '{');
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        const sn_run_counter *own = &counters->each[i];
        sn_counter counter = (sn_counter)i;
        sn_json_write_open_flat(json, sn_counter_word(counter), '{');
        sn_json_write_integer(json, "steps", own->steps);
        if (own->steps > 0) {
            uint32_t most;
            const char *name = most_counted(counters, world, counter, &most);
            sn_json_write_integer(json, "count", own->count);
            sn_json_write_number(json, "first_time", own->first_time);
            sn_json_write_text(json, "most", is_measured(counter) ? own->most : name);
            if (is_measured(counter)) {
                sn_json_write_text(json, "other", own->other[0] != '\0' ? own->other : NULL);
                sn_json_write_number(json, "amount", own->amount);
                sn_json_write_text(json, "unit", sn_counter_unit(counter));
                sn_json_write_number(json, "time", own->time);
            } else {
                sn_json_write_integer(json, "most_steps", most);
            }
        }
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}
