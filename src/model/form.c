#include "model/form.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"

struct sn_form {
    atomic_int references;
    int count, touching;
    sn_collider *colliders; // count, or NULL
    sn_shape shapes[];      // count
};

const sn_shape *sn_form_shapes(const sn_form *form)
{
    return form != NULL ? form->shapes : NULL;
}

int sn_form_touching(const sn_form *form)
{
    return form != NULL ? form->touching : 0;
}

const sn_collider *sn_form_colliders(const sn_form *form)
{
    return form != NULL ? form->colliders : NULL;
}

sn_form *sn_form_retain(sn_form *form)
{
    if (form != NULL) {
        atomic_fetch_add(&form->references, 1);
    }
    return form;
}

void sn_form_release(sn_form *form)
{
    if (form == NULL || atomic_fetch_sub(&form->references, 1) > 1) {
        return;
    }
    for (int i = 0; i < form->count; ++i) {
        if (form->colliders != NULL) {
            sn_collider_free(&form->colliders[i]);
        }
        sn_shape_release(&form->shapes[i]);
    }
    sn_free(form->colliders);
    sn_free(form);
}

// ---- the same shapes ----

static bool same_vector(sn_vec3 a, sn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_transform(sn_transform a, sn_transform b)
{
    return same_vector(a.position, b.position) && a.rotation.w == b.rotation.w &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
           a.rotation.z == b.rotation.z;
}

static bool same_surface(const sn_surface *a, const sn_surface *b)
{
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling_friction == b->rolling_friction &&
           a->spinning_friction == b->spinning_friction && same_vector(a->velocity, b->velocity) &&
           a->group == b->group && a->meets == b->meets && a->sensor == b->sensor;
}

static bool same_shape(const sn_shape *a, const sn_shape *b)
{
    return a->type == b->type && a->radius == b->radius && a->tube_radius == b->tube_radius &&
           a->height == b->height && same_vector(a->size, b->size) && a->mesh == b->mesh &&
           a->rounding == b->rounding && a->field == b->field &&
           same_transform(a->frame, b->frame) && a->density == b->density &&
           a->colour == b->colour && a->role == b->role && same_surface(&a->surface, &b->surface);
}

static bool is_same(const sn_form *form, const sn_shape *shapes, int count, bool with_colliders)
{
    bool same = form->count == count && (form->colliders != NULL) == with_colliders;
    for (int i = 0; same && i < count; ++i) {
        same = same_shape(&form->shapes[i], &shapes[i]);
    }
    return same;
}

// ---- making ----

static sn_status make_colliders(sn_form *form, sn_error *error)
{
    form->colliders = sn_allocate_zero((size_t)form->count * sizeof *form->colliders);
    if (form->colliders == NULL) {
        return sn_fail_memory(error, (size_t)form->count * sizeof *form->colliders);
    }
    for (int i = 0; i < form->count; ++i) {
        if (!sn_shape_touches(&form->shapes[i])) {
            continue;
        }
        sn_error inner = {0};
        sn_status status = sn_collider_make(&form->shapes[i], &form->colliders[i], &inner);
        if (status != SN_OK) {
            char place[32];
            snprintf(place, sizeof place, "shape %d", i);
            return sn_fail(error, status, place, "%s", inner.text);
        }
    }
    return SN_OK;
}

sn_status sn_form_make(const sn_shape *shapes, int count, bool with_colliders, sn_form *const *like,
                       int like_count, sn_form **out, sn_error *error)
{
    *out = NULL;
    if (count == 0) {
        return SN_OK;
    }
    for (int i = 0; i < like_count; ++i) {
        if (like[i] != NULL && is_same(like[i], shapes, count, with_colliders)) {
            *out = sn_form_retain(like[i]);
            return SN_OK;
        }
    }
    size_t size = sizeof(sn_form) + (size_t)count * sizeof(sn_shape);
    sn_form *form = sn_allocate_zero(size);
    if (form == NULL) {
        return sn_fail_memory(error, size);
    }
    atomic_init(&form->references, 1);
    form->count = count;
    for (int i = 0; i < count; ++i) {
        form->shapes[i] = shapes[i];
        sn_shape_retain(&form->shapes[i]);
        form->touching += sn_shape_touches(&shapes[i]);
    }
    sn_status status = with_colliders ? make_colliders(form, error) : SN_OK;
    if (status != SN_OK) {
        sn_form_release(form);
        return status;
    }
    *out = form;
    return SN_OK;
}
