// From a mobile's description to bodies and joints without numbers; mobile_place.c has those.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mobile/outline_preset.h"
#include "scene/checker.h"
#include "scene/error_list.h"
#include "scene/made_item.h"
#include "scene/mobile_item.h"
#include "scene/svg_path.h"

// Straight pieces of a bow, of each span of a smooth wire or outline, of each curve of a path.
enum { BOW_STEPS = 10, WIRE_STEPS = 6, OUTLINE_STEPS = 6, PATH_STEPS = 10, POLE_POINTS = 10 };

typedef struct making {
    sn_scene *scene;
    sn_error_list *errors;
    sn_mobile_item *item;
    sn_made_mobile *made;
    int part_count, arm_count;
    sn_status status; // first failure
} making;

// ---- failing ----

static void fail(making *m, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

static void fail(making *m, sn_place place, const char *format, ...)
{
    char text[400], where[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_status status = sn_error_list_add(m->errors, SN_ERROR_SCENE,
                                         sn_place_text(m->scene, place, where), "%s", text);
    m->status = m->status == SN_OK || status == SN_ERROR_MEMORY ? status : m->status;
}

static void *allocate(making *m, size_t bytes)
{
    void *memory = sn_arena_allocate(&m->scene->arena, bytes + 1);
    if (memory == NULL) {
        m->status = SN_ERROR_MEMORY;
    }
    return memory;
}

// ---- parts in order ----

static int count_parts(const sn_part_item *item)
{
    int count = 1;
    for (int i = 0; i < item->carries.count; ++i) {
        count += count_parts((const sn_part_item *)item->carries.data[i]);
    }
    return count;
}

static const char *full_name(making *m, const char *base, const char *name, sn_place place)
{
    size_t length = strlen(base) + strlen(name) + 1;
    char *full = allocate(m, length);
    if (full != NULL) {
        snprintf(full, length + 1, "%s/%s", base, name);
    }
    if (full != NULL && length > 90) {
        fail(m, place, "\"%.110s\" is a name of %zu bytes, expected at most 90", full, length);
    }
    return full;
}

static const char *kind_word(const sn_part_item *item)
{
    static const char *const kinds[] = {"arm",  "arm",  "leaf",   "leaf",
                                        "leaf", "disc", "sphere", "solid"};
    return kinds[item->item.table->id];
}

// `arm3` of the mobile; `leaf2` of its arm, counting those of its kind there.
static const char *part_name(making *m, const sn_part_item *item, int parent, int number)
{
    char word[40];
    bool arm = item->item.table->id <= SN_SCENE_WIRE;
    const char *mobile = m->made->mobile.name;
    const char *base = arm || parent < 0 ? mobile : m->made->mobile.parts[parent].name;
    if (item->name != NULL) {
        return full_name(m, mobile, item->name, item->item.place);
    }
    snprintf(word, sizeof word, "%s%d", kind_word(item), arm ? m->arm_count : number);
    return full_name(m, base, word, item->item.place);
}

static sn_part_type type_of(const sn_part_item *item)
{
    switch (item->item.table->id) {
    case SN_SCENE_ARM:
    case SN_SCENE_WIRE:
        return SN_PART_ARM;
    case SN_SCENE_DISC:
        return SN_PART_DISC;
    case SN_SCENE_BALL:
        return SN_PART_BALL;
    case SN_SCENE_SOLID:
        return SN_PART_SOLID;
    default:
        return SN_PART_SHEET;
    }
}

static void check_place(making *m, const sn_part_item *item, int number, int count)
{
    if (m->part_count == 0) {
        if (item->fixed || sn_item_gives(&item->item, "at")) {
            fail(m, item->item.place,
                 "the topmost part of a mobile hangs on its nail, expected neither \"fixed\" nor "
                 "\"at\"");
        }
        return;
    }
    if (number > 0 && number + 1 < count && !sn_item_gives(&item->item, "at")) {
        fail(m, item->item.place,
             "the first of the parts on an arm is at its first end and the last at its second; "
             "those between need \"at\"");
    }
    if (item->fixed && (item->string > 0.0 || item->drop > 0.0)) {
        fail(m, item->item.place, "what is fixed on its arm has neither a string nor a drop");
    }
}

static void add_part(making *m, sn_part_item *item, int parent, int number, int count, int of_kind)
{
    int index = m->part_count;
    sn_part *part = &m->made->mobile.parts[index];
    check_place(m, item, number, count);
    part->type = type_of(item);
    m->arm_count += part->type == SN_PART_ARM;
    part->parent = parent;
    part->fixed = item->fixed;
    part->name = part_name(m, item, parent, of_kind);
    item->order = index;
    m->made->parts[index].item = item;
    m->part_count += 1;
    for (int i = 0; i < item->carries.count && m->status != SN_ERROR_MEMORY; ++i) {
        sn_part_item *child = (sn_part_item *)item->carries.data[i];
        int same = 1;
        for (int k = 0; k < i; ++k) {
            same += strcmp(kind_word((const sn_part_item *)item->carries.data[k]),
                           kind_word(child)) == 0;
        }
        add_part(m, child, index, i, item->carries.count, same);
    }
}

// ---- materials ----

static const sn_material_item *find_material(making *m, const sn_item *item, const char *name)
{
    const sn_item_list *list = &m->scene->root.materials;
    for (int i = 0; name != NULL && i < list->count; ++i) {
        if (strcmp(SN_MATERIAL(m->scene, i)->name, name) == 0) {
            return SN_MATERIAL(m->scene, i);
        }
    }
    if (name != NULL) {
        sn_error error = {0};
        (void)sn_checker_miss_reference(&error, name, "material", list);
        fail(m, sn_item_place(item, "material"), "%s", error.text);
    }
    return NULL;
}

static void find_materials(making *m)
{
    const sn_material_item *common = find_material(m, &m->item->item, m->item->material);
    for (int i = 0; i < m->part_count; ++i) {
        sn_made_part *made = &m->made->parts[i];
        made->material = made->item->material != NULL
                             ? find_material(m, &made->item->item, made->item->material)
                             : common;
    }
    if (m->item->foot.material != NULL) {
        (void)find_material(m, &m->item->foot.item, m->item->foot.material);
    }
}

// ---- outlines ----

static void make_wire(making *m, sn_made_part *made, sn_part *part)
{
    const sn_part_item *item = made->item;
    int count = item->wire.count;
    if (item->item.table->id == SN_SCENE_ARM) {
        count = sn_item_gives(&item->item, "bow") ? BOW_STEPS + 1 : 2;
    } else if (item->smooth) {
        count = sn_spline_point_count(count, false, WIRE_STEPS);
    }
    made->wire = allocate(m, (size_t)count * sizeof *made->wire);
    part->wire = made->wire;
    part->wire_count = count;
    made->shape_count = count - 1;
}

static void make_path(making *m, sn_made_part *made, sn_part *part)
{
    sn_svg_path path;
    sn_error error = {0};
    sn_status status = sn_svg_path_read(made->item->path, PATH_STEPS, &path, &error);
    if (status == SN_ERROR_MEMORY) {
        m->status = status;
        return;
    }
    if (status != SN_OK) {
        fail(m, sn_item_place(&made->item->item, "path"), "%s", error.text);
        return;
    }
    made->points = allocate(m, (size_t)path.points.count * sizeof *made->points);
    made->sizes = allocate(m, (size_t)path.sizes.count * sizeof *made->sizes);
    if (made->points != NULL && made->sizes != NULL) {
        memcpy(made->points, path.points.data, (size_t)path.points.count * sizeof *made->points);
        memcpy(made->sizes, path.sizes.data, (size_t)path.sizes.count * sizeof *made->sizes);
        part->outline = (sn_outline){made->points, made->sizes, path.sizes.count};
    }
    // Scaled in place when placed: what the path says is kept beside it.
    made->wire = allocate(m, (size_t)path.points.count * sizeof *made->wire);
    if (made->wire != NULL) {
        memcpy(made->wire, path.points.data, (size_t)path.points.count * sizeof *made->wire);
    }
    sn_svg_path_free(&path);
}

static void make_outline(making *m, sn_made_part *made, sn_part *part)
{
    const sn_part_item *item = made->item;
    int loops = 1 + item->holes.count;
    int count = item->item.table->id == SN_SCENE_LEAF
                    ? sn_preset_point_count((sn_outline_preset)item->leaf)
                : item->smooth ? sn_spline_point_count(item->outline.count, true, OUTLINE_STEPS)
                               : item->outline.count;
    made->sizes = allocate(m, (size_t)loops * sizeof *made->sizes);
    if (made->sizes == NULL) {
        return;
    }
    made->sizes[0] = count;
    for (int i = 0; i < item->holes.count; ++i) {
        made->sizes[i + 1] = item->holes.data[i].count;
        count += item->holes.data[i].count;
    }
    made->points = allocate(m, (size_t)count * sizeof *made->points);
    part->outline = (sn_outline){made->points, made->sizes, loops};
}

static void make_forms(making *m)
{
    for (int i = 0; i < m->part_count && m->status != SN_ERROR_MEMORY; ++i) {
        sn_made_part *made = &m->made->parts[i];
        sn_part *part = &m->made->mobile.parts[i];
        made->shape_count = 1;
        if (part->type == SN_PART_ARM) {
            make_wire(m, made, part);
        } else if (made->item->item.table->id == SN_SCENE_PATH) {
            make_path(m, made, part);
        } else if (part->type == SN_PART_SHEET) {
            make_outline(m, made, part);
        }
    }
}

// ---- items ----

static sn_body_item *add_body(making *m, const char *name, sn_body_type type, sn_place place)
{
    sn_body_item *body =
        (sn_body_item *)sn_made_item(m->scene, &sn_table_bodies, &m->scene->root.bodies, place);
    if (body == NULL) {
        m->status = SN_ERROR_MEMORY;
        return NULL;
    }
    static const char *const keys[] = {"name", "position", "rotation", "shapes"};
    for (int i = 0; i < 4; ++i) {
        sn_made_give(&body->item, keys[i], place);
    }
    body->name = name;
    body->type = type;
    if (type == SN_BODY_STATIC) {
        sn_made_give(&body->item, "type", place);
    }
    sn_made_give_list(m->scene, "bodies", place);
    return body;
}

static sn_shape_item *add_shape(making *m, sn_body_item *body, int type, sn_place place)
{
    sn_shape_item *shape =
        (sn_shape_item *)sn_made_item(m->scene, sn_made_shape_table(type), &body->shapes, place);
    if (shape == NULL) {
        m->status = SN_ERROR_MEMORY;
        return NULL;
    }
    static const char *const common[] = {"position", "rotation", "density"};
    for (int i = 0; i < 3; ++i) {
        sn_made_give(&shape->item, common[i], place);
    }
    if (type == SN_SHAPE_CAPSULE || type == SN_SHAPE_CYLINDER) {
        sn_made_give(&shape->item, "height", place);
    }
    if (type == SN_SHAPE_CAPSULE || type == SN_SHAPE_CYLINDER || type == SN_SHAPE_SPHERE) {
        sn_made_give(&shape->item, "radius", place);
    }
    shape->bound = m->item->bound;
    return shape;
}

static void paint(sn_item *item, uint32_t *colour, const sn_part_item *part)
{
    if (sn_item_gives(&part->item, "colour")) {
        *colour = part->colour;
        sn_made_give(item, "colour", sn_item_place(&part->item, "colour"));
    }
}

static int shape_type(const sn_part *part)
{
    switch (part->type) {
    case SN_PART_ARM:
        return SN_SHAPE_CAPSULE;
    case SN_PART_DISC:
        return SN_SHAPE_CYLINDER;
    case SN_PART_BALL:
        return SN_SHAPE_SPHERE;
    case SN_PART_SOLID:
        return SN_SHAPE_MESH;
    default:
        return SN_SCENE_SHEET;
    }
}

static const char *material_name(const making *m, const sn_made_part *made)
{
    return made->item->material != NULL ? made->item->material : m->item->material;
}

static void add_own_shapes(making *m, int index)
{
    sn_made_part *made = &m->made->parts[index];
    const sn_part *part = &m->made->mobile.parts[index];
    sn_body_item *body = m->made->parts[sn_part_body(&m->made->mobile, index)].body;
    made->shapes = allocate(m, (size_t)made->shape_count * sizeof(void *));
    for (int i = 0; i < made->shape_count && m->status != SN_ERROR_MEMORY; ++i) {
        sn_shape_item *shape = add_shape(m, body, shape_type(part), made->item->item.place);
        if (shape == NULL) {
            return;
        }
        made->shapes[i] = shape;
        if (part->fixed) {
            shape->material = material_name(m, made);
            if (shape->material != NULL) {
                sn_made_give(&shape->item, "material", made->item->item.place);
            }
            paint(&shape->item, &shape->colour, made->item);
        }
        if (part->type == SN_PART_SOLID) {
            shape->file = made->item->file;
            shape->unit = made->item->unit;
            sn_made_give(&shape->item, "file", sn_item_place(&made->item->item, "mesh"));
        }
        if (part->type == SN_PART_SHEET) {
            sn_made_give(&shape->item, "outline", made->item->item.place);
        }
    }
}

static void add_joint(making *m, sn_joint_type type, const char *parent, const sn_body_item *child,
                      sn_joint_item **result)
{
    sn_place place = child->item.place;
    sn_joint_item *joint =
        (sn_joint_item *)sn_made_item(m->scene, &sn_table_joints, &m->scene->root.joints, place);
    if (joint == NULL) {
        m->status = SN_ERROR_MEMORY;
        return;
    }
    joint->name = full_name(m, child->name, "hook", place);
    joint->type = (int)type;
    joint->parent = parent;
    joint->child = child->name;
    static const char *const keys[] = {"name", "type", "parent", "child", "at"};
    for (int i = 0; i < 5; ++i) {
        sn_made_give(&joint->item, keys[i], place);
    }
    if (type == SN_JOINT_UNIVERSAL) {
        sn_made_give(&joint->item, "axis", place);
        sn_made_give(&joint->item, "second_axis", place);
    }
    sn_made_give_list(m->scene, "joints", place);
    if (sn_item_gives(&m->item->item, "damping") &&
        !sn_made_quantity(m->scene, joint, "damping", &joint->damping, 0.0, place)) {
        m->status = SN_ERROR_MEMORY;
    }
    *result = joint;
}

// A rod that cannot spin about itself, on a universal joint.
static void add_string(making *m, int index, const char *parent)
{
    sn_made_part *made = &m->made->parts[index];
    sn_place place = made->item->item.place;
    const char *name = full_name(m, m->made->mobile.parts[index].name, "string", place);
    made->string = add_body(m, name, SN_BODY_RIGID, place);
    if (made->string != NULL && add_shape(m, made->string, SN_SHAPE_CAPSULE, place) != NULL) {
        add_joint(m, SN_JOINT_UNIVERSAL, parent, made->string, &made->string_joint);
    }
}

static void add_hung(making *m, int index)
{
    sn_made_part *made = &m->made->parts[index];
    const sn_part *part = &m->made->mobile.parts[index];
    const char *carrier = part->parent >= 0          ? m->made->mobile.parts[part->parent].name
                          : m->made->support != NULL ? m->made->support->name
                                                     : "world";
    if (sn_item_gives(&made->item->item, "string")) {
        add_string(m, index, carrier);
        carrier = made->string != NULL ? made->string->name : carrier;
    }
    made->body = m->status != SN_ERROR_MEMORY
                     ? add_body(m, part->name, SN_BODY_RIGID, made->item->item.place)
                     : NULL;
    if (made->body == NULL) {
        return;
    }
    made->body->material = material_name(m, made);
    if (made->body->material != NULL) {
        sn_made_give(&made->body->item, "material", made->item->item.place);
    }
    paint(&made->body->item, &made->body->colour, made->item);
    add_joint(m, SN_JOINT_BALL, carrier, made->body, &made->joint);
}

// Stems come after everything else of their body, so that those without length can be left out.
static void add_stems(making *m)
{
    for (int i = 0; i < m->part_count && m->status != SN_ERROR_MEMORY; ++i) {
        sn_made_part *made = &m->made->parts[i];
        const sn_part *part = &m->made->mobile.parts[i];
        sn_place place = made->item->item.place;
        if (part->type == SN_PART_ARM) {
            made->stem = add_shape(m, made->body, SN_SHAPE_CAPSULE, place);
        }
        if (part->parent >= 0 && sn_item_gives(&made->item->item, "drop")) {
            made->drop_stem =
                add_shape(m, m->made->parts[part->parent].body, SN_SHAPE_CAPSULE, place);
        }
    }
}

static void add_support(making *m)
{
    bool foot = sn_item_gives(&m->item->item, "foot");
    bool ceiling = sn_item_gives(&m->item->item, "ceiling");
    sn_place place = sn_item_place(&m->item->item, foot ? "foot" : "ceiling");
    if (foot && ceiling) {
        fail(m, place, "a mobile stands on a foot or hangs from a ceiling, expected one of them");
    }
    if ((!foot && !ceiling) || m->status != SN_OK) {
        return;
    }
    const char *name = full_name(m, m->made->mobile.name, foot ? "foot" : "ceiling", place);
    sn_body_item *body = add_body(m, name, SN_BODY_STATIC, place);
    if (body == NULL) {
        return;
    }
    m->made->support = body;
    body->material =
        foot && m->item->foot.material != NULL ? m->item->foot.material : m->item->material;
    if (body->material != NULL) {
        sn_made_give(&body->item, "material", place);
    }
    if (foot && sn_item_gives(&m->item->foot.item, "colour")) {
        body->colour = m->item->foot.colour;
        sn_made_give(&body->item, "colour", place);
    }
    m->made->plate = add_shape(m, body, SN_SHAPE_CYLINDER, place);
    if (foot && m->made->plate != NULL) {
        m->made->pole = add_shape(m, body, SN_SCENE_TUBE, place);
        sn_vec3 *points = allocate(m, POLE_POINTS * sizeof *points);
        if (m->made->pole != NULL && points != NULL) {
            m->made->pole->points = (sn_vector_list){points, POLE_POINTS};
            sn_made_give(&m->made->pole->item, "path", place);
            sn_made_give(&m->made->pole->item, "radius", place);
        }
    }
}

// ---- the whole ----

static const char *mobile_name(making *m, int number)
{
    char name[32];
    if (m->item->name != NULL) {
        return m->item->name;
    }
    snprintf(name, sizeof name, number > 0 ? "mobile%d" : "mobile", number + 1);
    m->item->name = sn_arena_text(&m->scene->arena, name, strlen(name));
    if (m->item->name == NULL) {
        m->status = SN_ERROR_MEMORY;
    }
    return m->item->name;
}

static sn_status make_mobile(sn_scene *scene, sn_mobile_item *item, int number,
                             sn_error_list *errors)
{
    making m = {.scene = scene, .errors = errors, .item = item};
    // Materials and gravity may depend on params as well.
    item->bound = scene->bindings.count > 0;
    sn_part_item *root = (sn_part_item *)item->hangs.data[0];
    int count = count_parts(root);
    m.made = allocate(&m, sizeof *m.made);
    if (m.made == NULL) {
        return SN_ERROR_MEMORY;
    }
    m.made->mobile.name = mobile_name(&m, number);
    m.made->mobile.parts = allocate(&m, (size_t)count * sizeof *m.made->mobile.parts);
    m.made->parts = allocate(&m, (size_t)count * sizeof *m.made->parts);
    if (m.status == SN_ERROR_MEMORY) {
        return m.status;
    }
    m.made->mobile.count = count;
    add_part(&m, root, -1, 0, 1, 1);
    find_materials(&m);
    if (m.status != SN_ERROR_MEMORY) {
        make_forms(&m);
    }
    add_support(&m);
    for (int i = 0; i < count && m.status == SN_OK; ++i) {
        if (!m.made->mobile.parts[i].fixed) {
            add_hung(&m, i);
        }
    }
    for (int i = 0; i < count && m.status == SN_OK; ++i) {
        add_own_shapes(&m, i);
    }
    for (int i = 0; i < count && m.status == SN_OK; ++i) {
        const sn_body_item *body = m.made->parts[i].body;
        m.made->parts[i].body_shape_count = body != NULL ? body->shapes.count : 0;
    }
    if (m.status == SN_OK) {
        add_stems(&m);
    }
    item->made = m.status == SN_OK ? m.made : NULL;
    return m.status;
}

sn_status sn_mobiles_load(sn_scene *scene, sn_error_list *errors)
{
    sn_status first = SN_OK;
    for (int i = 0; i < scene->root.mobiles.count && first != SN_ERROR_MEMORY; ++i) {
        sn_mobile_item *item = SN_MOBILE(scene, i);
        if (!item->item.faulty) {
            sn_status status = make_mobile(scene, item, i, errors);
            first = first == SN_OK || status == SN_ERROR_MEMORY ? status : first;
        }
    }
    return first;
}

bool sn_mobiles_are_read(const sn_scene *scene)
{
    for (int i = 0; i < scene->root.mobiles.count; ++i) {
        if (SN_MOBILE(scene, i)->made == NULL) {
            return false;
        }
    }
    return true;
}

static void free_carried(sn_part_item *item)
{
    for (int i = 0; i < item->carries.count; ++i) {
        free_carried((sn_part_item *)item->carries.data[i]);
    }
    sn_array_free(&item->carries);
}

void sn_mobiles_free(sn_scene *scene)
{
    for (int i = 0; i < scene->root.mobiles.count; ++i) {
        sn_mobile_item *item = SN_MOBILE(scene, i);
        for (int k = 0; item->made != NULL && k < item->made->mobile.count; ++k) {
            sn_mesh_release(item->made->parts[k].mesh);
        }
        if (item->made != NULL) {
            sn_mobile_clear(&item->made->mobile);
        }
        for (int k = 0; k < item->hangs.count; ++k) {
            free_carried((sn_part_item *)item->hangs.data[k]);
        }
        sn_array_free(&item->hangs);
    }
}
