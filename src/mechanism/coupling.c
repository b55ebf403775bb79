// Couplings of a world: freedoms that move together.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/joint.h"
#include "model/world.h"

sn_coupling_def sn_default_coupling_def(void)
{
    return (sn_coupling_def){0};
}

static sn_coupling_record *find_record(const sn_world *world, sn_coupling coupling)
{
    sn_id id = {coupling.index, coupling.generation};
    return sn_id_pool_has(&world->coupling_ids, id) ? &world->couplings.data[coupling.index] : NULL;
}

bool sn_coupling_is_whole(const sn_world *world, const sn_coupling_record *coupling)
{
    for (int i = 0; i < coupling->term_count; ++i) {
        if (world->joints.data[coupling->terms[i].joint.index].broken) {
            return false;
        }
    }
    return true;
}

static sn_status check_coupling(const sn_world *world, const sn_coupling_def *def, sn_error *error)
{
    const char *name = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed coupling";
    if (sn_name_table_find(&world->coupling_names, name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is a coupling of this name already; names must be unique");
    }
    if (def->term_count < 1 || def->terms == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the coupling has no terms");
    }
    for (int i = 0; i < def->term_count; ++i) {
        const sn_coupling_term *term = &def->terms[i];
        const sn_joint_record *joint = sn_world_joint_record(world, term->joint);
        if (joint == NULL) {
            return sn_fail(error, SN_ERROR_HANDLE, name, "the joint of term %d does not exist",
                           i + 1);
        }
        int freedoms = sn_joint_type_freedoms(joint->type);
        bool ball =
            joint->type == SN_JOINT_BALL || (joint->type == SN_JOINT_FREE && term->freedom >= 3);
        if (term->freedom < 0 || term->freedom >= freedoms || ball) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "freedom %d of joint '%s', a %s, cannot be coupled", term->freedom + 1,
                           joint->name, sn_joint_type_word(joint->type));
        }
        if (!isfinite(term->factor) || term->factor == 0.0) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "the factor of term %d is %g, expected a finite number other than 0",
                           i + 1, term->factor);
        }
    }
    return SN_OK;
}

static void free_record(sn_coupling_record *record)
{
    sn_free(record->name);
    sn_free(record->terms);
    *record = (sn_coupling_record){0};
}

static bool copy_terms(sn_coupling_record *record, const sn_coupling_term *terms, int count)
{
    size_t size = (size_t)count * sizeof *terms;
    record->terms = sn_allocate(size);
    record->term_count = count;
    if (record->terms != NULL) {
        memcpy(record->terms, terms, size);
    }
    return record->terms != NULL;
}

// Puts a record under a new id; false when memory runs out.
static bool enter(sn_world *world, const sn_coupling_record *record, sn_coupling *coupling)
{
    sn_id id = sn_id_pool_take(&world->coupling_ids);
    if (id.index == 0) {
        return false;
    }
    int old = world->couplings.count;
    bool made = (int)id.index < old || sn_array_resize(&world->couplings, (int)id.index + 1);
    if (made && (int)id.index >= old) {
        memset(&world->couplings.data[old], 0, (size_t)((int)id.index + 1 - old) * sizeof *record);
    }
    made = made && sn_array_reserve(&world->coupling_order, world->coupling_order.count + 1) &&
           sn_name_table_put(&world->coupling_names, record->name, id.index);
    if (!made) {
        sn_id_pool_give(&world->coupling_ids, id);
        return false;
    }
    world->couplings.data[id.index] = *record;
    world->coupling_order.data[world->coupling_order.count++] = id.index;
    *coupling = (sn_coupling){id.index, id.generation};
    return true;
}

sn_status sn_world_add_coupling(sn_world *world, const sn_coupling_def *def, sn_coupling *coupling,
                                sn_error *error)
{
    *coupling = (sn_coupling){0};
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_coupling(world, def, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_coupling_record record = {.sum = NAN, .agent = -1, .tie = -1};
    record.name = sn_world_make_name(world, &world->coupling_names, def->name, "coupling");
    if (record.name == NULL || !copy_terms(&record, def->terms, def->term_count) ||
        !enter(world, &record, coupling)) {
        free_record(&record);
        return sn_fail_memory(error, sizeof record);
    }
    world->assembled = false;
    return SN_OK;
}

void sn_world_remove_couplings_of(sn_world *world, sn_joint joint)
{
    for (int i = world->coupling_order.count - 1; i >= 0; --i) {
        uint32_t index = world->coupling_order.data[i];
        sn_coupling_record *record = &world->couplings.data[index];
        bool names_it = false;
        for (int k = 0; k < record->term_count; ++k) {
            names_it = names_it || record->terms[k].joint.index == joint.index;
        }
        if (names_it) {
            sn_name_table_remove(&world->coupling_names, record->name);
            free_record(record);
            sn_world_drop_index(world->coupling_order.data, &world->coupling_order.count, index);
            sn_id_pool_give(&world->coupling_ids,
                            (sn_id){index, world->coupling_ids.generation.data[index]});
            world->assembled = false;
        }
    }
}

void sn_world_free_couplings(sn_world *world)
{
    for (int i = 0; i < world->coupling_order.count; ++i) {
        free_record(&world->couplings.data[world->coupling_order.data[i]]);
    }
    sn_array_free(&world->couplings);
    sn_array_free(&world->coupling_order);
    sn_name_table_free(&world->coupling_names);
    sn_id_pool_free(&world->coupling_ids);
}

bool sn_world_copy_couplings(const sn_world *world, sn_world *copy)
{
    int count = world->couplings.count;
    if (count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->coupling_ids, &copy->coupling_ids) ||
        !sn_array_reserve(&copy->couplings, count) ||
        !sn_array_reserve(&copy->coupling_order, world->coupling_order.count)) {
        return false;
    }
    copy->couplings.count = count;
    memset(copy->couplings.data, 0, (size_t)count * sizeof *copy->couplings.data);
    for (int i = 0; i < world->coupling_order.count; ++i) {
        uint32_t index = world->coupling_order.data[i];
        const sn_coupling_record *from = &world->couplings.data[index];
        sn_coupling_record *record = &copy->couplings.data[index];
        *record = *from;
        record->terms = NULL;
        record->name = sn_copy_text(from->name);
        copy->coupling_order.data[copy->coupling_order.count++] = index;
        if (record->name == NULL || !copy_terms(record, from->terms, from->term_count) ||
            !sn_name_table_put(&copy->coupling_names, record->name, index)) {
            return false;
        }
    }
    return true;
}

int sn_world_coupling_count(const sn_world *world)
{
    return world->coupling_order.count;
}

sn_coupling sn_world_coupling(const sn_world *world, int order)
{
    if (order < 0 || order >= world->coupling_order.count) {
        return (sn_coupling){0};
    }
    uint32_t index = world->coupling_order.data[order];
    return (sn_coupling){index, world->coupling_ids.generation.data[index]};
}

const char *sn_coupling_name(const sn_world *world, sn_coupling coupling)
{
    const sn_coupling_record *record = find_record(world, coupling);
    return record != NULL ? record->name : "";
}

bool sn_coupling_is_released(const sn_world *world, sn_coupling coupling)
{
    const sn_coupling_record *record = find_record(world, coupling);
    return record != NULL && !sn_coupling_is_whole(world, record);
}

sn_coupling sn_world_find_coupling(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->coupling_names, name);
    return index != 0 ? (sn_coupling){index, world->coupling_ids.generation.data[index]}
                      : (sn_coupling){0};
}

double sn_coupling_force(const sn_world *world, sn_coupling coupling)
{
    const sn_coupling_record *record = find_record(world, coupling);
    if (record == NULL || record->agent < 0 || record->tie < 0) {
        return NAN;
    }
    sn_articulation_set *set = (sn_articulation_set *)&world->articulations;
    double load[6] = {NAN};
    if (sn_articulation_knows_loads(set, record->agent)) {
        sn_articulation_tie_load(set, record->agent, record->tie, load);
    }
    return load[0];
}
