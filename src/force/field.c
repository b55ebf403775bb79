// Fields of a world: adding, changing, removing.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "field/spring.h"
#include "field/wind.h"
#include "force/forces.h"
#include "model/world.h"

sn_spring_def sn_default_spring_def(void)
{
    return (sn_spring_def){.stiffness = 100.0, .rest_length = -1.0};
}

sn_pull_def sn_default_pull_def(void)
{
    return (sn_pull_def){.stiffness = 100.0};
}

sn_drag_def sn_default_drag_def(void)
{
    return (sn_drag_def){0};
}

sn_callback_def sn_default_callback_def(void)
{
    return (sn_callback_def){0};
}

sn_field_record *sn_world_field_record(const sn_world *world, sn_field field)
{
    sn_id id = {field.index, field.generation};
    return sn_id_pool_has(&world->field_ids, id) ? &world->fields.data[field.index] : NULL;
}

sn_status sn_world_find_to_change(const sn_world *world, sn_field field, sn_field_type type,
                                  sn_field_record **record, sn_error *error)
{
    *record = sn_world_field_record(world, field);
    if (*record == NULL || (*record)->type != type) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the field to change is not a %s",
                       sn_field_kinds[type].name);
    }
    return SN_OK;
}

static bool is_null(sn_body body)
{
    return body.index == 0;
}

// ---- springs ----

static void spring_end(const sn_world *world, sn_body body, sn_vec3 local, sn_vec3 *position,
                       sn_vec3 *velocity)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL) {
        *position = local;
        *velocity = SN_VEC3_ZERO;
    } else if (record->agent.agent < 0) {
        *position = sn_transform_point(record->own->frame, local);
        *velocity = SN_VEC3_ZERO;
    } else {
        sn_world_body_point(world, record, local, position, velocity);
    }
}

sn_spring_ends sn_world_spring_ends(const sn_world *world, const sn_spring_def *spring)
{
    sn_spring_ends ends;
    spring_end(world, spring->body_a, spring->point_a, &ends.a, &ends.a_velocity);
    spring_end(world, spring->body_b, spring->point_b, &ends.b, &ends.b_velocity);
    return ends;
}

sn_spring_state sn_spring_state_of(const sn_spring_def *spring, const sn_spring_ends *ends)
{
    return sn_spring_evaluate(spring->stiffness, spring->damping, spring->rest_length, ends->a,
                              ends->a_velocity, ends->b, ends->b_velocity);
}

sn_spring_state sn_world_spring_state(const sn_world *world, const sn_spring_def *spring)
{
    sn_spring_ends ends = sn_world_spring_ends(world, spring);
    return sn_spring_state_of(spring, &ends);
}

static sn_status check_spring(const sn_world *world, const sn_spring_def *def, const char *name,
                              sn_error *error)
{
    if ((!is_null(def->body_a) && sn_world_body_record(world, def->body_a) == NULL) ||
        (!is_null(def->body_b) && sn_world_body_record(world, def->body_b) == NULL)) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the spring names a body that does not exist");
    }
    if (def->body_a.index == def->body_b.index) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "both ends of the spring are on the same body");
    }
    if (!sn_vec3_is_finite(def->point_a) || !sn_vec3_is_finite(def->point_b)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "an end point of the spring is not finite");
    }
    if (!(def->stiffness >= 0.0) || !isfinite(def->stiffness) || !(def->damping >= 0.0) ||
        !isfinite(def->damping)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "stiffness is %g N/m and damping %g N s/m, expected 0 or more",
                       def->stiffness, def->damping);
    }
    if (!isfinite(def->rest_length)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "rest length is not finite");
    }
    return SN_OK;
}

static void settle_rest_length(const sn_world *world, sn_spring_def *def)
{
    if (def->rest_length < 0.0) {
        sn_spring_ends ends = sn_world_spring_ends(world, def);
        def->rest_length = sn_distance(ends.a, ends.b);
    }
}

// ---- pulls ----

static sn_status check_pull(const sn_world *world, const sn_pull_def *def, const char *name,
                            sn_error *error)
{
    if (sn_world_body_record(world, def->body) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the body to pull does not exist");
    }
    if (!sn_vec3_is_finite(def->point) || !sn_vec3_is_finite(def->target)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "an end of the pull is not finite");
    }
    if (!(def->stiffness >= 0.0) || !isfinite(def->stiffness) || !(def->damping >= 0.0) ||
        !isfinite(def->damping)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "stiffness is %g N/m and damping %g N s/m, expected 0 or more",
                       def->stiffness, def->damping);
    }
    return SN_OK;
}

// ---- drag ----

static sn_status check_drag(const sn_world *world, const sn_drag_def *def, const char *name,
                            sn_error *error)
{
    if (!is_null(def->body) && sn_world_body_record(world, def->body) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the drag names a body that does not exist");
    }
    const double values[4] = {def->linear, def->quadratic, def->angular_linear,
                              def->angular_quadratic};
    for (int i = 0; i < 4; ++i) {
        if (!(values[i] >= 0.0) || !isfinite(values[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "a drag coefficient is %g, expected 0 or more", values[i]);
        }
    }
    if (!sn_vec3_is_finite(def->medium_velocity)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the velocity of the medium is not finite");
    }
    return SN_OK;
}

// ---- loads ----

static sn_status check_load(const sn_field_load *load, const char *name, sn_error *error)
{
    if (!sn_vec3_is_finite(load->force) || !sn_vec3_is_finite(load->moment)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "force or moment of the load is not finite");
    }
    if (sn_dot(load->moment, load->moment) > 0.0 && !sn_load_has_moment(load->spread)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the load has a moment, and acts on a point or along a line: three vertices "
                       "off a line are needed");
    }
    return SN_OK;
}

// ---- all fields ----

static sn_status check_name(const sn_world *world, const char *name, sn_error *error)
{
    if (name != NULL && name[0] != '\0' && sn_name_table_find(&world->field_names, name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is a field of this name already; names must be unique");
    }
    return SN_OK;
}

static sn_status add(sn_world *world, sn_field_record record, const char *name, sn_field *field,
                     sn_error *error)
{
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_id id = sn_id_pool_take(&world->field_ids);
    if (id.index == 0) {
        return sn_fail_memory(error, sizeof record);
    }
    int old = world->fields.count;
    record.name = sn_world_make_name(world, &world->field_names, name, "field");
    bool made = record.name != NULL &&
                ((int)id.index < old || sn_array_resize(&world->fields, (int)id.index + 1)) &&
                sn_array_push(&world->field_order, id.index);
    // Also when something failed after the resize: whoever frees the fields looks at all of them.
    if (world->fields.count > old) {
        memset(&world->fields.data[old], 0, (size_t)(world->fields.count - old) * sizeof record);
    }
    if (made && !sn_name_table_put(&world->field_names, record.name, id.index)) {
        world->field_order.count -= 1;
        made = false;
    }
    if (!made) {
        sn_free(record.name);
        sn_id_pool_give(&world->field_ids, id);
        return sn_fail_memory(error, sizeof record);
    }
    world->fields.data[id.index] = record;
    world->groups_current = false;
    *field = (sn_field){id.index, id.generation};
    return SN_OK;
}

sn_status sn_world_add_spring(sn_world *world, const sn_spring_def *def, sn_field *field,
                              sn_error *error)
{
    *field = (sn_field){0};
    sn_status status = check_name(world, def->name, error);
    if (status == SN_OK) {
        status = check_spring(world, def, def->name != NULL ? def->name : "unnamed spring", error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_field_record record = {.type = SN_FIELD_SPRING, .spring = *def};
    record.spring.name = NULL;
    settle_rest_length(world, &record.spring);
    return add(world, record, def->name, field, error);
}

sn_status sn_world_add_pull(sn_world *world, const sn_pull_def *def, sn_field *field,
                            sn_error *error)
{
    *field = (sn_field){0};
    sn_status status = check_name(world, def->name, error);
    if (status == SN_OK) {
        status = check_pull(world, def, def->name != NULL ? def->name : "unnamed pull", error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_field_record record = {.type = SN_FIELD_PULL, .pull = *def};
    record.pull.name = NULL;
    return add(world, record, def->name, field, error);
}

sn_status sn_world_add_drag(sn_world *world, const sn_drag_def *def, sn_field *field,
                            sn_error *error)
{
    *field = (sn_field){0};
    sn_status status = check_name(world, def->name, error);
    if (status == SN_OK) {
        status = check_drag(world, def, def->name != NULL ? def->name : "unnamed drag", error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_field_record record = {.type = SN_FIELD_DRAG, .drag = *def};
    record.drag.name = NULL;
    return add(world, record, def->name, field, error);
}

sn_status sn_world_add_callback(sn_world *world, const sn_callback_def *def, sn_field *field,
                                sn_error *error)
{
    *field = (sn_field){0};
    sn_status status = check_name(world, def->name, error);
    if (status != SN_OK) {
        return status;
    }
    if (def->apply == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->name,
                       "a callback field needs a function to call");
    }
    sn_field_record record = {.type = SN_FIELD_CALLBACK, .callback = *def};
    record.callback.name = NULL;
    return add(world, record, def->name, field, error);
}

sn_load_def sn_default_load_def(void)
{
    return (sn_load_def){0};
}

sn_status sn_world_add_load(sn_world *world, const sn_load_def *def, sn_field *field,
                            sn_error *error)
{
    *field = (sn_field){0};
    const char *name = def->name != NULL ? def->name : "unnamed load";
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, def->body);
    sn_status status = check_name(world, def->name, error);
    if (status == SN_OK && mesh == NULL) {
        status = sn_fail(error, SN_ERROR_HANDLE, name, "the load is not on an elastic body");
    }
    sn_field_record record = {.type = SN_FIELD_LOAD,
                              .load = {def->body, def->force, def->moment, def->follows, NULL}};
    if (status == SN_OK) {
        status = sn_load_create(mesh, def->vertices, def->vertex_count, name, &record.load.spread,
                                error);
    }
    if (status == SN_OK) {
        status = check_load(&record.load, name, error);
    }
    if (status == SN_OK) {
        status = add(world, record, def->name, field, error);
    }
    if (status != SN_OK) {
        sn_load_destroy(record.load.spread);
    }
    return status;
}

sn_status sn_world_set_load(sn_world *world, sn_field field, sn_vec3 force, sn_vec3 moment,
                            sn_error *error)
{
    sn_field_record *record = NULL;
    sn_status status = sn_world_find_to_change(world, field, SN_FIELD_LOAD, &record, error);
    if (status != SN_OK) {
        return status;
    }
    sn_field_load changed = record->load;
    changed.force = force;
    changed.moment = moment;
    status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_load(&changed, record->name, error);
    }
    if (status == SN_OK) {
        record->load = changed;
        sn_world_touch(world);
    }
    return status;
}

sn_status sn_world_add_field(sn_world *world, sn_field_record record, const char *name,
                             sn_field *field, sn_error *error)
{
    sn_status status = check_name(world, name, error);
    return status == SN_OK ? add(world, record, name, field, error) : status;
}

static void free_record(sn_field_record *record)
{
    sn_free(record->name);
    sn_field_kind_of(record)->release(record);
    *record = (sn_field_record){0};
}

static void drop(sn_world *world, uint32_t index)
{
    sn_field_record *record = &world->fields.data[index];
    sn_id id = {index, world->field_ids.generation.data[index]};
    sn_world_remove_events_of(world, (sn_body){0}, (sn_field){id.index, id.generation});
    sn_name_table_remove(&world->field_names, record->name);
    free_record(record);
    sn_world_drop_index(world->field_order.data, &world->field_order.count, index);
    sn_id_pool_give(&world->field_ids, id);
    world->groups_current = false;
}

sn_status sn_world_remove_field(sn_world *world, sn_field field, sn_error *error)
{
    if (sn_world_field_record(world, field) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the field to remove does not exist");
    }
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    drop(world, field.index);
    return SN_OK;
}

void sn_world_remove_fields_of(sn_world *world, sn_body body)
{
    for (int i = world->field_order.count - 1; i >= 0; --i) {
        uint32_t index = world->field_order.data[i];
        const sn_field_record *record = &world->fields.data[index];
        sn_body ends[2];
        sn_field_kind_of(record)->ends(record, ends);
        if (ends[0].index == body.index || ends[1].index == body.index) {
            drop(world, index);
        }
    }
}

sn_status sn_world_set_spring(sn_world *world, sn_field field, const sn_spring_def *def,
                              sn_error *error)
{
    sn_field_record *record = NULL;
    sn_status status = sn_world_find_to_change(world, field, SN_FIELD_SPRING, &record, error);
    if (status != SN_OK) {
        return status;
    }
    sn_spring_def changed = *def;
    changed.name = NULL;
    changed.body_a = record->spring.body_a;
    changed.body_b = record->spring.body_b;
    status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_spring(world, &changed, record->name, error);
    }
    if (status == SN_OK) {
        settle_rest_length(world, &changed);
        record->spring = changed;
        sn_world_touch(world);
    }
    return status;
}

sn_status sn_world_set_pull(sn_world *world, sn_field field, const sn_pull_def *def,
                            sn_error *error)
{
    sn_field_record *record = NULL;
    sn_status status = sn_world_find_to_change(world, field, SN_FIELD_PULL, &record, error);
    if (status != SN_OK) {
        return status;
    }
    sn_pull_def changed = *def;
    changed.name = NULL;
    changed.body = record->pull.body;
    status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_pull(world, &changed, record->name, error);
    }
    if (status == SN_OK) {
        record->pull = changed;
        sn_world_touch(world);
    }
    return status;
}

sn_status sn_world_set_drag(sn_world *world, sn_field field, const sn_drag_def *def,
                            sn_error *error)
{
    sn_field_record *record = NULL;
    sn_status status = sn_world_find_to_change(world, field, SN_FIELD_DRAG, &record, error);
    if (status != SN_OK) {
        return status;
    }
    sn_drag_def changed = *def;
    changed.name = NULL;
    changed.body = record->drag.body;
    status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_drag(world, &changed, record->name, error);
    }
    if (status == SN_OK) {
        record->drag = changed;
        sn_world_touch(world);
    }
    return status;
}

int sn_world_field_count(const sn_world *world)
{
    return world->field_order.count;
}

sn_field sn_world_find_field(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->field_names, name);
    return index != 0 ? (sn_field){index, world->field_ids.generation.data[index]} : (sn_field){0};
}

const char *sn_field_name(const sn_world *world, sn_field field)
{
    const sn_field_record *record = sn_world_field_record(world, field);
    return record != NULL ? record->name : "";
}

void sn_world_free_fields(sn_world *world)
{
    for (int i = 0; i < world->fields.count; ++i) {
        free_record(&world->fields.data[i]);
    }
    sn_array_free(&world->fields);
    sn_array_free(&world->field_order);
    sn_name_table_free(&world->field_names);
    sn_id_pool_free(&world->field_ids);
}

bool sn_world_copy_fields(const sn_world *world, sn_world *copy)
{
    int count = world->fields.count;
    if (count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->field_ids, &copy->field_ids) ||
        !sn_array_resize(&copy->fields, count) ||
        !sn_array_resize(&copy->field_order, world->field_order.count)) {
        copy->fields.count = 0; // nothing in them yet that could be freed
        return false;
    }
    memset(copy->fields.data, 0, (size_t)count * sizeof *copy->fields.data);
    for (int i = 0; i < world->field_order.count; ++i) {
        uint32_t index = world->field_order.data[i];
        sn_field_record *record = &copy->fields.data[index];
        *record = world->fields.data[index];
        record->name = sn_copy_text(world->fields.data[index].name);
        copy->field_order.data[i] = index;
        if (!sn_field_kind_of(record)->own(record) || record->name == NULL ||
            !sn_name_table_put(&copy->field_names, record->name, index)) {
            return false;
        }
    }
    return true;
}
