#include "body_energy.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "scene/text.h"
#include "sinew/elastic.h"

typedef struct energy_sum {
    double kinetic, elastic, gravity;
} energy_sum;

static sn_status fail_unknown(const sn_recording *recording, const char *name, sn_error *error)
{
    int count = sn_recording_body_count(recording);
    const char **known = sn_allocate(((size_t)count + 1) * sizeof *known);
    if (known == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *known);
    }
    for (int i = 0; i < count; ++i) {
        known[i] = sn_recording_body_name(recording, i);
    }
    const char *near = sn_suggest(name, known, count);
    sn_status status = sn_fail(error, SN_ERROR_ARGUMENT, NULL, "no body '%s' was recorded%s%s%s",
                               name, near != NULL ? "; did you mean '" : "",
                               near != NULL ? near : "", near != NULL ? "'?" : "");
    sn_free(known);
    return status;
}

static sn_status find_bodies(const sn_recording *recording, const sn_world *world,
                             const char *const *names, int count, sn_body *bodies, bool *elastic,
                             sn_error *error)
{
    *elastic = false;
    for (int i = 0; i < count; ++i) {
        bodies[i] = sn_world_find_body(world, names[i]);
        if (bodies[i].index == 0) {
            return fail_unknown(recording, names[i], error);
        }
        *elastic = *elastic || sn_body_get_type(world, bodies[i]) == SN_BODY_ELASTIC;
    }
    return SN_OK;
}

static energy_sum sum_of(const sn_world *world, const sn_body *bodies, int count)
{
    energy_sum sum = {0};
    for (int i = 0; i < count; ++i) {
        sn_energy energy = sn_body_energy(world, bodies[i]);
        double elastic = sn_body_get_type(world, bodies[i]) == SN_BODY_ELASTIC
                             ? sn_body_elastic_report(world, bodies[i]).elastic_energy
                             : 0.0;
        sum.kinetic += energy.kinetic;
        sum.elastic += elastic;
        sum.gravity += energy.potential - elastic;
    }
    return sum;
}

static void put_row(sn_text *csv, double time, const energy_sum *sum, bool elastic)
{
    sn_text_number(csv, time);
    sn_text_add(csv, ",");
    sn_text_number(csv, sum->kinetic);
    if (elastic) {
        sn_text_add(csv, ",");
        sn_text_number(csv, sum->elastic);
    }
    sn_text_add(csv, ",");
    sn_text_number(csv, sum->gravity);
    sn_text_add(csv, ",");
    sn_text_number(csv, sum->kinetic + sum->elastic + sum->gravity);
    sn_text_add(csv, "\n");
}

static sn_status put_frames(sn_recording *recording, sn_world *world, const sn_body *bodies,
                            int count, bool elastic, sn_text *csv, sn_error *error)
{
    int frames = sn_recording_get_info(recording).frame_count;
    double level = 0.0;
    sn_text_add(csv, elastic ? "time[s],kinetic[J],elastic[J],gravity[J],total[J]\n"
                             : "time[s],kinetic[J],gravity[J],total[J]\n");
    for (int i = 0; i < frames; ++i) {
        sn_status status = sn_recording_frame(recording, i, world, error);
        if (status != SN_OK) {
            return status;
        }
        energy_sum sum = sum_of(world, bodies, count);
        level = i == 0 ? sum.gravity : level;
        sum.gravity -= level;
        put_row(csv, sn_recording_frame_time(recording, i), &sum, elastic);
    }
    return csv->failed ? sn_fail_memory(error, csv->length) : SN_OK;
}

sn_status sn_body_energy_table(sn_recording *recording, const char *const *names, int count,
                               sn_table *table, sn_error *error)
{
    sn_world *world = NULL;
    sn_text csv = {0};
    bool elastic = false;
    sn_body *bodies = sn_allocate(((size_t)count + 1) * sizeof *bodies);
    sn_status status = bodies != NULL ? sn_recording_build_world(recording, 1, &world, error)
                                      : sn_fail_memory(error, (size_t)count * sizeof *bodies);
    if (status == SN_OK) {
        status = find_bodies(recording, world, names, count, bodies, &elastic, error);
    }
    if (status == SN_OK) {
        status = put_frames(recording, world, bodies, count, elastic, &csv, error);
    }
    if (status == SN_OK) {
        status = sn_table_parse("energies", csv.data, csv.length, table, error);
    }
    sn_text_free(&csv);
    sn_world_destroy(world);
    sn_free(bodies);
    return status;
}
