// Checks of shapes: keys that belong together, groups, numbers that must fit, meshes.
#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "scene/check.h"
#include "scene/checker.h"
#include "scene/elastic_mesh.h"
#include "scene/error_list.h"
#include "scene/shape_field.h"
#include "scene/shape_mesh.h"

// ---- keys ----

static void check_mesh_keys(sn_checker *c, const sn_shape_item *shape)
{
    const sn_item *item = &shape->item;
    bool inlined = sn_item_gives(item, "vertices") || sn_item_gives(item, "triangles");
    if (shape->file != NULL && inlined) {
        sn_checker_fail(
            c, sn_item_place(item, "file"),
            "a mesh has both \"file\" and \"vertices\" or \"triangles\", expected one way");
    }
    if (shape->file == NULL &&
        !(sn_item_gives(item, "vertices") && sn_item_gives(item, "triangles"))) {
        sn_checker_fail(c, item->place, "a mesh needs \"file\", or \"vertices\" and \"triangles\"");
    }
}

static void check_file_unit(sn_checker *c, const sn_shape_item *shape)
{
    sn_unit unit;
    sn_error error = {0};
    if (shape->unit != NULL &&
        (sn_units_read_unit(shape->unit, strlen(shape->unit), &unit, &error) != SN_OK ||
         !sn_dimension_accepts(sn_dimension_powers(SN_LENGTH), unit.dimension))) {
        sn_checker_fail(c, sn_item_place(&shape->item, "unit"),
                        "\"unit\": expected a unit of length such as \"mm\", got \"%.40s\"",
                        shape->unit);
    }
}

static void check_hull_keys(sn_checker *c, const sn_shape_item *shape)
{
    bool listed = sn_item_gives(&shape->item, "points");
    if (shape->file != NULL && listed) {
        sn_checker_fail(c, sn_item_place(&shape->item, "file"),
                        "a hull has both \"file\" and \"points\", expected one of them");
    }
    if (shape->file == NULL && !listed) {
        sn_checker_fail(c, shape->item.place, "a hull needs \"points\" or \"file\"");
    }
}

static void check_field_keys(sn_checker *c, sn_shape_item *shape)
{
    const sn_item *item = &shape->item;
    bool listed = sn_item_gives(item, "heights"), computed = sn_item_gives(item, "height");
    if (listed && computed) {
        sn_checker_fail(c, sn_item_place(item, "height"),
                        "a height field has both \"heights\" and \"height\", expected one of them");
    }
    if (!listed && !computed) {
        sn_checker_fail(c, item->place, "a height field needs \"heights\" or \"height\"");
    }
    static const char *const counts[] = {"columns", "rows"};
    for (int i = 0; i < 2 && listed; ++i) {
        if (sn_item_gives(item, counts[i])) {
            sn_checker_fail(c, sn_item_place(item, counts[i]),
                            "\"%s\" is for \"height\"; \"heights\" has its own number of them",
                            counts[i]);
        }
    }
    sn_error error = {0};
    sn_place place;
    sn_status status = c->scene->param_names != NULL
                           ? sn_shape_item_compile_field(c->scene, shape, &place, &error)
                           : SN_OK;
    if (status == SN_ERROR_MEMORY) {
        sn_checker_note(c, status);
    } else if (status != SN_OK) {
        sn_checker_fail(c, place, "%s", error.text);
    }
}

// What is only drawn has no mass and notices nothing.
static void check_role(sn_checker *c, const sn_shape_item *shape)
{
    if (shape->role != SN_ROLE_VISUAL) {
        return;
    }
    if (sn_item_gives(&shape->item, "density")) {
        sn_checker_fail(c, sn_item_place(&shape->item, "density"),
                        "a shape that is only drawn weighs nothing; expected no \"density\", or "
                        "another \"role\"");
    }
    if (shape->sensor) {
        sn_checker_fail(c, sn_item_place(&shape->item, "sensor"),
                        "a sensor is not drawn; expected \"sensor\" or the role \"visual\", not "
                        "both");
    }
}

void sn_check_shape(sn_checker *c, const sn_body_item *body, sn_shape_item *shape)
{
    int id = shape->item.table->id;
    if (shape->item.faulty) {
        return;
    }
    if (id == SN_SHAPE_MESH) {
        check_mesh_keys(c, shape);
    } else if (id == SN_SHAPE_HULL) {
        check_hull_keys(c, shape);
    } else if (id == SN_SHAPE_HEIGHT_FIELD) {
        check_field_keys(c, shape);
    }
    check_file_unit(c, shape);
    check_role(c, shape);
    if ((id == SN_SHAPE_PLANE || id == SN_SHAPE_HEIGHT_FIELD) &&
        !sn_body_item_may_be(body, SN_BODY_STATIC)) {
        sn_checker_fail(c, shape->item.place,
                        "a %s has no mass and cannot move; expected it in a body of the type "
                        "\"static\"",
                        shape->item.table->word);
    }
}

// ---- groups ----

enum { GROUP_LIMIT = 32 };

// The names of a scene's groups; each is one bit. Shapes that name none are in the first.
typedef struct groups {
    const char *names[GROUP_LIMIT];
    int count;
} groups;

// The bit of a name; 0 where there is no room for one more.
static uint32_t group_bit(sn_checker *c, groups *all, const char *name, sn_place place)
{
    int i = 0;
    while (i < all->count && strcmp(all->names[i], name) != 0) {
        i += 1;
    }
    if (name[0] == '\0') {
        sn_checker_fail(c, place, "the name of a group is empty, expected at least one character");
        return 0;
    }
    if (i == GROUP_LIMIT) {
        sn_checker_fail(c, place,
                        "\"%.60s\" is one group too many, expected at most %d in a scene, "
                        "\"default\" among them",
                        name, GROUP_LIMIT);
        return 0;
    }
    if (i == all->count) {
        all->names[all->count++] = name;
    }
    return (uint32_t)1 << i;
}

static uint32_t group_bits(sn_checker *c, groups *all, const sn_string_list *list)
{
    uint32_t bits = 0;
    for (int i = 0; i < list->count; ++i) {
        bits |= group_bit(c, all, list->data[i], list->places[i]);
    }
    return bits;
}

typedef void visit_shape(sn_checker *c, sn_shape_item *shape, groups *all);

static void each_shape(sn_checker *c, visit_shape *visit, groups *all)
{
    for (int i = 0; i < c->scene->root.bodies.count && c->first != SN_ERROR_MEMORY; ++i) {
        const sn_item_list *shapes = sn_body_item_shapes(SN_BODY(c->scene, i));
        for (int k = 0; k < shapes->count; ++k) {
            if (!shapes->data[k]->faulty) {
                visit(c, (sn_shape_item *)shapes->data[k], all);
            }
        }
    }
}

static void find_group(sn_checker *c, sn_shape_item *shape, groups *all)
{
    shape->group_bits = shape->group.count > 0 ? group_bits(c, all, &shape->group) : 1;
}

// A name that no shape has is most likely a slip, but a scene may be a part of another.
static void find_meets(sn_checker *c, sn_shape_item *shape, groups *all)
{
    int known = all->count;
    for (int i = 0; i < shape->meets.count; ++i) {
        const char *name = shape->meets.data[i];
        bool there = false;
        for (int k = 0; k < known && !there; ++k) {
            there = strcmp(all->names[k], name) == 0;
        }
        if (!there && name[0] != '\0') {
            const char *near = sn_suggest(name, all->names, known);
            sn_checker_remark(c, shape->meets.places[i], "no shape is in the group \"%.60s\"%s%s%s",
                              name, near ? "; did you mean \"" : "", near ? near : "",
                              near ? "\"?" : "");
        }
    }
    bool given = sn_item_gives(&shape->item, "meets");
    shape->meets_bits = given ? group_bits(c, all, &shape->meets) : 0xFFFFFFFF;
}

// The shape that a skin's groups are those of: so that both are found in one way.
static void each_skin(sn_checker *c, visit_shape *visit, groups *all)
{
    for (int i = 0; i < c->scene->root.bodies.count && c->first != SN_ERROR_MEMORY; ++i) {
        const sn_item_list *surface = &SN_BODY(c->scene, i)->surface;
        if (surface->count == 0 || surface->data[0]->faulty) {
            continue;
        }
        sn_skin_item *skin = (sn_skin_item *)surface->data[0];
        sn_shape_item like = {.item = skin->item, .group = skin->group, .meets = skin->meets};
        visit(c, &like, all);
        skin->group_bits = like.group_bits != 0 ? like.group_bits : skin->group_bits;
        skin->meets_bits = visit == find_meets ? like.meets_bits : skin->meets_bits;
    }
}

void sn_check_groups(sn_checker *c)
{
    groups all = {.names = {"default"}, .count = 1};
    each_shape(c, find_group, &all);
    each_skin(c, find_group, &all);
    each_shape(c, find_meets, &all);
    each_skin(c, find_meets, &all);
}

// ---- numbers ----

// A bent sheet is cut into triangles with edges of one segment, on both sides: about two per square
// of an edge.
static double bent_sheet_vertices(const sn_shape_item *shape)
{
    if (shape->bend_radius == 0.0 || shape->points.count == 0) {
        return 0.0;
    }
    sn_vec3 low = shape->points.data[0], high = low;
    for (int i = 1; i < shape->points.count; ++i) {
        low = sn_vec3_min(low, shape->points.data[i]);
        high = sn_vec3_max(high, shape->points.data[i]);
    }
    double edge = 2.0 * SN_PI * fabs(shape->bend_radius) / shape->segments;
    return 4.0 * ((high.x - low.x) / edge) * ((high.y - low.y) / edge);
}

// Vertices that a generator would make, so that a slip of a zero does not fill the memory.
static double generated_vertices(const sn_shape_item *shape)
{
    double points = shape->points.count;
    switch (shape->item.table->id) {
    case SN_SCENE_REVOLUTION:
        return points * shape->segments;
    case SN_SCENE_SHEET:
        return bent_sheet_vertices(shape);
    case SN_SCENE_TUBE:
        return points * (shape->smooth ? shape->steps : 1.0) * shape->segments;
    default:
        return 0.0;
    }
}

#define VERTEX_LIMIT 100000
#define HEIGHT_LIMIT 1000000

void sn_check_shape_values(sn_checker *c, const sn_shape_item *shape)
{
    double vertices = generated_vertices(shape);
    if (vertices > VERTEX_LIMIT) {
        sn_checker_fail(
            c, shape->item.place,
            "this %s would have about %.0f vertices, expected at most %d: use fewer segments",
            shape->item.table->word, vertices, VERTEX_LIMIT);
    }
    if (shape->columns * shape->rows > HEIGHT_LIMIT) {
        sn_checker_fail(c, shape->item.place,
                        "this height field would have %.0f heights, expected at most %d: use fewer "
                        "columns or rows",
                        shape->columns * shape->rows, HEIGHT_LIMIT);
    }
    sn_checker_rotation(c, &shape->item, &shape->rotation);
    double least = fmin(shape->size.x, fmin(shape->size.y, shape->size.z));
    if (shape->item.table->id == SN_SHAPE_BOX && 2.0 * shape->rounding > least) {
        sn_checker_fail(c, sn_item_place(&shape->item, "rounding"),
                        "\"rounding\" must be at most half of the smallest edge, %g m, got %g m",
                        0.5 * least, shape->rounding);
    }
    if (shape->item.table->id == SN_SHAPE_TORUS && !(shape->tube_radius < shape->radius)) {
        sn_checker_fail(c, sn_item_place(&shape->item, "tube_radius"),
                        "\"tube_radius\" must be less than \"radius\", or the torus "
                        "cuts through itself");
    }
}

// ---- meshes and height fields ----

static sn_status make_mesh(sn_checker *c, const sn_body_item *body, sn_shape_item *shape,
                           bool again, sn_place *place, sn_error *error)
{
    bool may_end = body->type != SN_BODY_RIGID;
    sn_surface_notes notes;
    const char *key = shape->file != NULL                      ? "file"
                      : shape->item.table->id == SN_SHAPE_HULL ? "points"
                                                               : "vertices";
    *place = sn_item_place(&shape->item, key);
    sn_status status =
        sn_shape_item_mesh(c->scene, shape, may_end, &shape->next_mesh, &notes, error);
    if (status == SN_OK && !again) {
        sn_surface_remark(c, &shape->item, *place, shape->file, body->type == SN_BODY_RIGID,
                          &notes);
    }
    return status == SN_OK ? c->first : status;
}

// A mesh of a robot that cannot be used is left out where the body has a mass of its own.
static bool may_drop(const sn_scene *scene, const sn_body_item *body, const sn_shape_item *shape,
                     bool again)
{
    return shape->hull_when_open && !again && !scene->strict && body->shapes.count > 0 &&
           sn_item_gives(&body->item, "mass");
}

// `empty`: with a note, it is to be left out.
static sn_status check_mesh(sn_checker *c, const sn_body_item *body, sn_shape_item *shape,
                            bool again, bool *empty)
{
    sn_error error = {0};
    sn_place place = shape->item.place;
    sn_status status = SN_OK;
    if (sn_shape_item_is_mesh(shape)) {
        status = make_mesh(c, body, shape, again, &place, &error);
    } else if (shape->item.table->id == SN_SHAPE_HEIGHT_FIELD) {
        status = sn_shape_item_field(c->scene, shape, &shape->next_field, &place, &error);
    }
    if (status != SN_OK && status != SN_ERROR_MEMORY) {
        char where[SN_PLACE_SIZE];
        bool placed = error.place[0] != '\0', dropped = may_drop(c->scene, body, shape, again);
        sn_status added =
            sn_error_list_add(dropped ? &c->scene->notes : c->errors, dropped ? SN_OK : status,
                              sn_place_text(c->scene, place, where), "%s: %s%s%.200s%s%s",
                              shape->item.table->word, error.text, placed ? " (" : "", error.place,
                              placed ? ")" : "", dropped ? ": an empty shape" : "");
        sn_checker_note(c, added);
        *empty = dropped;
        status = added == SN_ERROR_MEMORY ? added : status;
    }
    return status;
}

// The shape leaves its body.
static void drop_shape(sn_body_item *body, int index)
{
    sn_item_list *shapes = &body->shapes;
    shapes->count -= 1;
    for (int i = index; i < shapes->count; ++i) {
        shapes->data[i] = shapes->data[i + 1];
    }
    if (shapes->count == 0) {
        body->item.places[sn_object_find_key(body->item.table, "shapes")] = (sn_place){0};
    }
}

sn_status sn_check_meshes(sn_scene *scene, bool again, sn_error_list *errors)
{
    sn_checker c = {.scene = scene, .errors = errors};
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        sn_body_item *body = SN_BODY(scene, i);
        const sn_item_list *shapes = sn_body_item_shapes(body);
        if (body->type == SN_BODY_ELASTIC &&
            sn_check_tetrahedra(&c, body, again) == SN_ERROR_MEMORY) {
            return SN_ERROR_MEMORY;
        }
        for (int k = 0; k < shapes->count; ++k) {
            sn_shape_item *shape = (sn_shape_item *)shapes->data[k];
            bool empty = false;
            if ((!again || shape->bound) &&
                check_mesh(&c, body, shape, again, &empty) == SN_ERROR_MEMORY) {
                return SN_ERROR_MEMORY;
            }
            if (empty) {
                drop_shape(body, k--);
            }
        }
    }
    return c.first;
}

void sn_swap_meshes(sn_scene *scene)
{
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        const sn_item_list *shapes = sn_body_item_shapes(SN_BODY(scene, i));
        sn_tetrahedra_item *solid = sn_body_item_mesh(SN_BODY(scene, i));
        if (solid != NULL && solid->next != NULL) {
            sn_tetrahedra *old = solid->made;
            solid->made = solid->next;
            solid->next = old;
            sn_mesh *surface = solid->surface;
            solid->surface = solid->next_surface;
            solid->next_surface = surface;
        }
        for (int k = 0; k < shapes->count; ++k) {
            sn_shape_item *shape = (sn_shape_item *)shapes->data[k];
            if (shape->next_mesh != NULL) {
                sn_mesh *old = shape->mesh;
                shape->mesh = shape->next_mesh;
                shape->next_mesh = old;
            }
            if (shape->next_field != NULL) {
                sn_height_field *old = shape->field;
                shape->field = shape->next_field;
                shape->next_field = old;
            }
        }
    }
}

void sn_drop_meshes(sn_scene *scene)
{
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        const sn_item_list *shapes = sn_body_item_shapes(SN_BODY(scene, i));
        sn_tetrahedra_item *solid = sn_body_item_mesh(SN_BODY(scene, i));
        if (solid != NULL) {
            sn_tetrahedra_release(solid->next);
            solid->next = NULL;
            sn_mesh_release(solid->next_surface);
            solid->next_surface = NULL;
        }
        for (int k = 0; k < shapes->count; ++k) {
            sn_shape_item *shape = (sn_shape_item *)shapes->data[k];
            sn_mesh_release(shape->next_mesh);
            sn_height_field_release(shape->next_field);
            shape->next_mesh = NULL;
            shape->next_field = NULL;
        }
    }
}
