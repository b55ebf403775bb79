#include "scene/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/name_table.h"
#include "base/suggest.h"
#include "math/rotation.h"
#include "scene/error_list.h"
#include "scene/parse.h"
#include "scene/text.h"
#include "scene/urdf_attribute.h"
#include "scene/urdf_tidy.h"

// ---- mistakes and notes ----

void sn_urdf_fail(sn_urdf_reader *reader, sn_place place, const char *format, ...)
{
    char text[512], where[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->mistakes += 1;
    if (sn_error_list_add(reader->errors, SN_ERROR_SCENE,
                          sn_place_text(reader->scene, place, where), "%s",
                          text) == SN_ERROR_MEMORY) {
        reader->out_of_memory = true;
    }
}

void sn_urdf_note(sn_urdf_reader *reader, sn_place place, const char *format, ...)
{
    char text[512], where[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sn_error_list_add(&reader->scene->notes, SN_OK, sn_place_text(reader->scene, place, where),
                          "%s", text) == SN_ERROR_MEMORY) {
        reader->out_of_memory = true;
    }
}

void sn_urdf_mend(sn_urdf_reader *reader, sn_place place, const char *remedy, const char *format,
                  ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->strict) {
        sn_urdf_fail(reader, place, "%s", text);
    } else {
        sn_urdf_note(reader, place, "%s: %s", text, remedy);
    }
}

// ---- what is skipped ----

// Every kind of element that is skipped is told once, with how many there are.
typedef struct skipped_kind {
    const char *name, *inside;
    const sn_xml_element *first;
    int count;
} skipped_kind;

enum { KIND_LIMIT = 32 };

typedef struct reading {
    sn_urdf_reader *reader;
    sn_urdf *urdf;
    const sn_xml_element *robot;
    const sn_xml_element **materials; // of the robot itself
    sn_name_table material_names;     // counted from 1
    skipped_kind kinds[KIND_LIMIT];
    int kind_count;
} reading;

static void skip(reading *r, const sn_xml_element *element)
{
    for (int i = 0; i < r->kind_count; ++i) {
        if (strcmp(r->kinds[i].name, element->name) == 0 &&
            strcmp(r->kinds[i].inside, element->parent->name) == 0) {
            r->kinds[i].count += 1;
            return;
        }
    }
    if (r->kind_count < KIND_LIMIT) {
        r->kinds[r->kind_count++] =
            (skipped_kind){element->name, element->parent->name, element, 1};
    }
}

// Children that are none of `known` (ended by NULL) are skipped.
static void skip_others(reading *r, const sn_xml_element *element, const char *const *known)
{
    for (const sn_xml_element *e = element->first; e != NULL; e = e->next) {
        int i = 0;
        while (known[i] != NULL && strcmp(known[i], e->name) != 0) {
            i += 1;
        }
        if (known[i] == NULL) {
            skip(r, e);
        }
    }
}

static const char *const robot_words[] = {"link", "joint", "material", NULL};
static const char *const link_words[] = {"inertial", "visual", "collision", NULL};
static const char *const joint_words[] = {"origin", "parent",   "child", "axis",
                                          "limit",  "dynamics", "mimic", NULL};

// A word nearly the same as one that would have been read is most likely a slip.
static const char *nearest_word(const skipped_kind *kind)
{
    const char *const *words = strcmp(kind->inside, "robot") == 0   ? robot_words
                               : strcmp(kind->inside, "link") == 0  ? link_words
                               : strcmp(kind->inside, "joint") == 0 ? joint_words
                                                                    : NULL;
    int count = 0;
    while (words != NULL && words[count] != NULL) {
        count += 1;
    }
    return words != NULL ? sn_suggest(kind->name, words, count) : NULL;
}

static void tell_skipped(reading *r)
{
    for (int i = 0; i < r->kind_count; ++i) {
        const skipped_kind *kind = &r->kinds[i];
        const char *near = nearest_word(kind);
        sn_urdf_note(r->reader, sn_urdf_place(r->reader, kind->first),
                     "%d <%.60s> in <%.60s> skipped: not part of the mechanism%s%s%s", kind->count,
                     kind->name, kind->inside, near != NULL ? "; did you mean <" : "",
                     near != NULL ? near : "", near != NULL ? ">?" : "");
    }
}

static const char *read_name(reading *r, const sn_xml_element *element)
{
    const char *name = sn_urdf_text(r->reader, element, "name");
    if (name != NULL && strlen(name) > 100) {
        SN_URDF_FAIL(r->reader, element, "a name of %zu bytes, expected at most 100", strlen(name));
    }
    return name;
}

// ---- links ----

// Only what is said: what it means is decided when the tree is known (urdf_mass.c).
static void read_inertial(reading *r, const sn_xml_element *element, sn_urdf_link *link)
{
    sn_transform origin = sn_urdf_origin(r->reader, element);
    const sn_xml_element *mass = sn_urdf_child(r->reader, element, "mass");
    const sn_xml_element *inertia = sn_urdf_child(r->reader, element, "inertia");
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    skip_others(r, element, known);
    link->has_inertial = true;
    link->inertia_place = sn_urdf_place(r->reader, inertia != NULL ? inertia : element);
    link->mass_place = sn_urdf_place(r->reader, mass != NULL ? mass : element);
    if (mass == NULL || inertia == NULL) {
        SN_URDF_MEND(r->reader, element, "read as 0", "the <inertial> of \"%.60s\" needs <%s>",
                     link->name, mass == NULL ? "mass" : "inertia");
    }
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double n[6] = {0};
    bool good = mass == NULL || sn_urdf_number(r->reader, mass, "value", &link->mass);
    for (int i = 0; i < 6 && inertia != NULL; ++i) {
        if (i < 3 && sn_xml_attribute_value(inertia, names[i]) == NULL) {
            SN_URDF_MEND(r->reader, inertia, "read as 0", "a <inertia> needs the attribute \"%s\"",
                         names[i]);
        }
        good = sn_urdf_numbers(r->reader, inertia, names[i], &n[i], 1) && good;
    }
    if (!good) {
        return;
    }
    sn_mat3 own = {{{n[0], n[3], n[4]}, {n[3], n[1], n[5]}, {n[4], n[5], n[2]}}};
    sn_mat3 turn = sn_quat_to_mat3(origin.rotation);
    link->moments = sn_vec3_make(n[0], n[1], n[2]);
    link->centre = origin.position;
    link->inertia = sn_mat3_multiply(sn_mat3_multiply(turn, own), sn_mat3_transpose(turn));
    // Round-off must not leave the halves apart.
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < i; ++k) {
            link->inertia.m[i][k] = link->inertia.m[k][i];
        }
    }
}

// Sizes: a negative one is meant without its sign, and one of 0 leaves nothing of the shape.
static void mend_sizes(reading *r, const sn_xml_element *element, const char *attribute,
                       double *numbers, int count, sn_urdf_shape *shape)
{
    for (int i = 0; i < count; ++i) {
        if (!(numbers[i] > 0.0) && !shape->empty) {
            bool negative = numbers[i] < 0.0;
            SN_URDF_MEND(r->reader, element, negative ? "read without the sign" : "left out",
                         "\"%s\" of <%s> must be greater than 0, got %g", attribute, element->name,
                         numbers[i]);
            shape->empty = !negative;
        }
        numbers[i] = fabs(numbers[i]);
    }
}

static void read_round(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    if (sn_urdf_number(r->reader, element, "radius", &shape->radius)) {
        mend_sizes(r, element, "radius", &shape->radius, 1, shape);
    }
    if (shape->type != SN_SHAPE_SPHERE &&
        sn_urdf_number(r->reader, element, "length", &shape->height)) {
        mend_sizes(r, element, "length", &shape->height, 1, shape);
    }
}

// One factor for all three axes is what it says, though URDF wants three.
static void read_mesh(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    shape->file = sn_urdf_text(r->reader, element, "filename");
    shape->scale = sn_vec3_make(1, 1, 1);
    int given = sn_urdf_count_numbers(element, "scale", 3);
    if (given == 1 && !r->reader->strict) {
        double factor = 1.0;
        if (sn_urdf_numbers(r->reader, element, "scale", &factor, 1)) {
            SN_URDF_MEND(r->reader, element, "it scales all axes",
                         "\"scale\" of <mesh>: expected 3 numbers, got one");
            shape->scale = sn_vec3_make(factor, factor, factor);
        }
    } else if (!sn_urdf_numbers(r->reader, element, "scale", &shape->scale.x, 3)) {
        return;
    }
    if (shape->scale.x * shape->scale.y * shape->scale.z == 0.0) {
        SN_URDF_MEND(r->reader, element, "left out",
                     "\"scale\" of <mesh> flattens it, expected no zeros");
        shape->empty = true;
    }
}

static void read_box(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    if (sn_urdf_text(r->reader, element, "size") != NULL &&
        sn_urdf_numbers(r->reader, element, "size", &shape->size.x, 3)) {
        mend_sizes(r, element, "size", &shape->size.x, 3, shape);
    }
}

// A capsule is not part of URDF 1.0, but of what several simulators read (Drake, Bullet, and URDF
// 1.2): a cylinder of that length between two half balls.
static const struct {
    const char *word;
    sn_shape_type type;
    void (*read)(reading *r, const sn_xml_element *element, sn_urdf_shape *shape);
} geometries[] = {
    {"box", SN_SHAPE_BOX, read_box},         {"cylinder", SN_SHAPE_CYLINDER, read_round},
    {"sphere", SN_SHAPE_SPHERE, read_round}, {"capsule", SN_SHAPE_CAPSULE, read_round},
    {"mesh", SN_SHAPE_MESH, read_mesh},
};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

static void read_geometry(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    const sn_xml_element *geometry = sn_urdf_child(r->reader, element, "geometry");
    const sn_xml_element *e = geometry != NULL ? geometry->first : NULL;
    shape->place = sn_urdf_place(r->reader, e != NULL ? e : element);
    if (e == NULL || e->next != NULL) {
        SN_URDF_MEND(r->reader, element, e == NULL ? "left out" : "the first one counts",
                     "a <%s> needs one <geometry> of <box>, <cylinder>, <sphere>, <capsule> or "
                     "<mesh>",
                     element->name);
        shape->empty = e == NULL;
    }
    int type = 0;
    while (e != NULL && type < GEOMETRIES && strcmp(geometries[type].word, e->name) != 0) {
        type += 1;
    }
    if (e != NULL && type < GEOMETRIES) {
        shape->type = geometries[type].type;
        geometries[type].read(r, e, shape);
    } else if (e != NULL) {
        SN_URDF_MEND(r->reader, e, "left out",
                     "<%.60s> is no geometry, expected <box>, <cylinder>, <sphere>, <capsule> or "
                     "<mesh>",
                     e->name);
        shape->empty = true;
    }
}

// 0 .. 1 as a byte.
static uint32_t channel(double share)
{
    return share <= 0.0 ? 0u : share >= 1.0 ? 255u : (uint32_t)(255.0 * share + 0.5);
}

// "r g b a" from 0 to 1. Without an alpha the colour is whole; beyond 1, numbers count to 255.
static bool read_colour(reading *r, const sn_xml_element *material, uint32_t *colour)
{
    const sn_xml_element *e = sn_urdf_child(r->reader, material, "color");
    double rgba[4] = {0, 0, 0, 1};
    int given = e != NULL ? sn_urdf_count_numbers(e, "rgba", 4) : 0;
    if (e == NULL) {
        return false;
    }
    if (given == 0) {
        SN_URDF_MEND(r->reader, e, "the usual colour is taken",
                     "a <color> needs the attribute \"rgba\"");
        return false;
    }
    bool no_alpha = given == 3 && !r->reader->strict;
    if (!sn_urdf_numbers(r->reader, e, "rgba", rgba, no_alpha ? 3 : 4)) {
        return false;
    }
    if (no_alpha) {
        SN_URDF_MEND(r->reader, e, "read with an alpha of 1",
                     "\"rgba\" of <color>: expected 4 numbers, got 3");
    }
    double most = fmax(rgba[0], fmax(rgba[1], rgba[2])), unit = most > 1.0 ? 255.0 : 1.0;
    if (most > 1.0) {
        SN_URDF_MEND(r->reader, e, "read as parts of 255",
                     "\"rgba\" of <color>: expected numbers from 0 to 1, got %g", most);
    }
    *colour =
        channel(rgba[0] / unit) << 16 | channel(rgba[1] / unit) << 8 | channel(rgba[2] / unit);
    return true;
}

static bool says_look(const sn_xml_element *material)
{
    return sn_xml_child(material, "color") != NULL || sn_xml_child(material, "texture") != NULL;
}

// A colour of its own, or that of the robot's material with the same name, wherever it stands.
static void read_material(reading *r, const sn_xml_element *visual, sn_urdf_shape *shape)
{
    const sn_xml_element *material = sn_urdf_child(r->reader, visual, "material");
    if (material == NULL) {
        return;
    }
    shape->material = sn_xml_attribute_value(material, "name");
    static const char *const known[] = {"color", NULL};
    skip_others(r, material, known);
    shape->has_colour = read_colour(r, material, &shape->colour);
    bool named = shape->material != NULL && shape->material[0] != '\0' && !shape->has_colour;
    uint32_t found = named ? sn_name_table_find(&r->material_names, shape->material) : 0;
    if (found > 0) {
        shape->has_colour = read_colour(r, r->materials[found - 1], &shape->colour);
    } else if (named && !says_look(material)) {
        sn_urdf_note(r->reader, sn_urdf_place(r->reader, material),
                     "no material is called \"%.60s\": the usual colour is taken", shape->material);
    }
}

static void read_shape(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    static const char *const known[] = {"origin", "geometry", "material", NULL};
    skip_others(r, element, known);
    shape->collision = strcmp(element->name, "collision") == 0;
    shape->frame = sn_urdf_origin(r->reader, element);
    read_geometry(r, element, shape);
    read_material(r, element, shape);
}

static void read_link(reading *r, const sn_xml_element *element, sn_urdf_link *link)
{
    skip_others(r, element, link_words);
    link->place = link->inertia_place = sn_urdf_place(r->reader, element);
    link->name = read_name(r, element);
    link->joint = -1;
    link->first_shape = r->urdf->shape_count;
    if (link->name == NULL) {
        return;
    }
    const sn_xml_element *inertial = sn_urdf_child(r->reader, element, "inertial");
    if (inertial != NULL) {
        read_inertial(r, inertial, link);
    }
    for (const sn_xml_element *e = element->first; e != NULL; e = e->next) {
        if (strcmp(e->name, "visual") == 0 || strcmp(e->name, "collision") == 0) {
            read_shape(r, e, &r->urdf->shapes[r->urdf->shape_count++]);
        }
    }
    link->shape_count = r->urdf->shape_count - link->first_shape;
}

// ---- joints ----

static const struct {
    const char *word;
    sn_joint_type type;
    bool needs_limit;
} joint_types[] = {
    {"fixed", SN_JOINT_FIXED, false},      {"revolute", SN_JOINT_HINGE, true},
    {"continuous", SN_JOINT_HINGE, false}, {"prismatic", SN_JOINT_SLIDER, true},
    {"planar", SN_JOINT_PLANAR, false},    {"floating", SN_JOINT_FREE, false},
};
enum { JOINT_TYPES = sizeof joint_types / sizeof joint_types[0] };

static const char *read_end(reading *r, const sn_xml_element *joint, const char *which,
                            sn_place *place)
{
    const sn_xml_element *e = sn_urdf_child(r->reader, joint, which);
    if (e == NULL) {
        SN_URDF_FAIL(r->reader, joint, "a <joint> needs <%s link=\"...\"/>", which);
        return NULL;
    }
    *place = sn_urdf_place(r->reader, e);
    return sn_urdf_text(r->reader, e, "link");
}

static void read_axis(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    const sn_xml_element *e = sn_urdf_child(r->reader, element, "axis");
    double xyz[3] = {1, 0, 0};
    if (e == NULL || !sn_urdf_numbers(r->reader, e, "xyz", xyz, 3)) {
        joint->axis = sn_vec3_make(1, 0, 0);
        return;
    }
    sn_vec3 axis = sn_vec3_make(xyz[0], xyz[1], xyz[2]);
    double square = sn_dot(axis, axis);
    bool turns_or_slides = joint->type != SN_JOINT_FIXED && joint->type != SN_JOINT_FREE;
    bool directed = square > 1e-200 && square < 1e200;
    if (turns_or_slides && !directed) {
        SN_URDF_MEND(r->reader, e, "read as 1 0 0, as if none were given",
                     "the axis of \"%.60s\" has no direction, expected a length near 1",
                     joint->name);
    }
    joint->axis = turns_or_slides && directed ? sn_normalize(axis) : sn_vec3_make(1, 0, 0);
}

// Lower and upper; where these are missing or upside down, there is no limit.
static void read_range(reading *r, const sn_xml_element *e, sn_urdf_joint *joint)
{
    double lower = 0.0, upper = 0.0;
    bool any = sn_xml_attribute_value(e, "lower") != NULL || sn_xml_attribute_value(e, "upper");
    if (!any && !r->reader->strict) {
        SN_URDF_MEND(r->reader, e, "it has no limit",
                     "the <limit> of \"%.60s\" has neither \"lower\" nor \"upper\"", joint->name);
        return;
    }
    if (!sn_urdf_bound(r->reader, e, "lower", &lower) ||
        !sn_urdf_bound(r->reader, e, "upper", &upper)) {
        return;
    }
    if (lower > upper) {
        SN_URDF_MEND(r->reader, e, "it has no limit",
                     "the lower limit %g of \"%.60s\" is above the upper one, %g", lower,
                     joint->name, upper);
        return;
    }
    joint->has_limit = true;
    joint->lower = lower > -SN_URDF_NO_LIMIT ? lower : -INFINITY;
    joint->upper = upper < SN_URDF_NO_LIMIT ? upper : INFINITY;
}

static void read_limit(reading *r, const sn_xml_element *element, sn_urdf_joint *joint,
                       bool needs_limit)
{
    const sn_xml_element *e = sn_urdf_child(r->reader, element, "limit");
    joint->lower = -INFINITY;
    joint->upper = joint->effort = joint->velocity = INFINITY;
    if (e == NULL) {
        if (needs_limit) {
            SN_URDF_MEND(r->reader, element, "it has no limit",
                         "\"%.60s\" needs <limit lower=\"...\" upper=\"...\" effort=\"...\" "
                         "velocity=\"...\"/>%s",
                         joint->name,
                         joint->type == SN_JOINT_HINGE ? " (a \"continuous\" joint has no limit)"
                                                       : "");
        }
        return;
    }
    joint->limit_place = sn_urdf_place(r->reader, e);
    sn_urdf_amount(r->reader, e, "effort", &joint->effort, INFINITY);
    sn_urdf_amount(r->reader, e, "velocity", &joint->velocity, INFINITY);
    if (needs_limit) { // of the others only effort and velocity mean anything
        read_range(r, e, joint);
    }
}

static void read_dynamics(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    const sn_xml_element *dynamics = sn_urdf_child(r->reader, element, "dynamics");
    if (dynamics != NULL) {
        sn_urdf_amount(r->reader, dynamics, "damping", &joint->damping, 0.0);
        sn_urdf_amount(r->reader, dynamics, "friction", &joint->friction, 0.0);
    }
    const sn_xml_element *mimic = sn_urdf_child(r->reader, element, "mimic");
    joint->mimic = -1;
    joint->multiplier = 1.0;
    if (mimic != NULL) {
        joint->mimic_place = sn_urdf_place(r->reader, mimic);
        joint->mimic_name = sn_xml_attribute_value(mimic, "joint");
        if (joint->mimic_name == NULL || joint->mimic_name[0] == '\0') {
            SN_URDF_MEND(r->reader, mimic, "it moves by itself",
                         "a <mimic> needs the attribute \"joint\"");
            joint->mimic_name = NULL;
        }
        sn_urdf_numbers(r->reader, mimic, "multiplier", &joint->multiplier, 1);
        sn_urdf_numbers(r->reader, mimic, "offset", &joint->offset, 1);
    }
}

static void read_joint(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    skip_others(r, element, joint_words);
    joint->place = sn_urdf_place(r->reader, element);
    joint->parent = joint->child = -1;
    joint->name = read_name(r, element);
    const char *word = sn_urdf_text(r->reader, element, "type");
    if (joint->name == NULL || word == NULL) {
        return;
    }
    int type = 0;
    const char *words[JOINT_TYPES];
    for (int i = 0; i < JOINT_TYPES; ++i) {
        words[i] = joint_types[i].word;
    }
    while (type < JOINT_TYPES && strcmp(joint_types[type].word, word) != 0) {
        type += 1;
    }
    if (type == JOINT_TYPES) {
        const char *near = sn_suggest(word, words, JOINT_TYPES);
        SN_URDF_FAIL(r->reader, element,
                     "no joint has the type \"%.40s\"%s%s%s; expected fixed, revolute, continuous, "
                     "prismatic, planar or floating",
                     word, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                     near != NULL ? "\"?" : "");
        return;
    }
    joint->type = joint_types[type].type;
    joint->parent_name = read_end(r, element, "parent", &joint->parent_place);
    joint->child_name = read_end(r, element, "child", &joint->child_place);
    joint->origin = sn_urdf_origin(r->reader, element);
    read_axis(r, element, joint);
    read_limit(r, element, joint, joint_types[type].needs_limit);
    read_dynamics(r, element, joint);
}

// ---- the robot ----

static int count_children(const sn_xml_element *element, const char *name)
{
    int count = 0;
    for (const sn_xml_element *e = element->first; e != NULL; e = e->next) {
        count += strcmp(e->name, name) == 0;
    }
    return count;
}

static bool allocate_parts(reading *r)
{
    sn_urdf *urdf = r->urdf;
    size_t links = 1, joints = 1, shapes = 1;
    for (const sn_xml_element *e = r->robot->first; e != NULL; e = e->next) {
        if (strcmp(e->name, "link") == 0) {
            links += 1;
            shapes += (size_t)(count_children(e, "visual") + count_children(e, "collision"));
        }
        joints += strcmp(e->name, "joint") == 0;
    }
    sn_arena *arena = &r->reader->scene->arena;
    urdf->links = sn_arena_allocate(arena, links * sizeof *urdf->links);
    urdf->joints = sn_arena_allocate(arena, joints * sizeof *urdf->joints);
    urdf->shapes = sn_arena_allocate(arena, shapes * sizeof *urdf->shapes);
    urdf->order = sn_arena_allocate(arena, joints * sizeof *urdf->order);
    return urdf->links != NULL && urdf->joints != NULL && urdf->shapes != NULL &&
           urdf->order != NULL;
}

// The first macro that xacro would have replaced: everything else would be complaints about them.
static const sn_xml_element *find_xacro(const sn_xml_element *element)
{
    const sn_xml_element *found = strncmp(element->name, "xacro:", 6) == 0 ? element : NULL;
    for (const sn_xml_element *e = element->first; e != NULL && found == NULL; e = e->next) {
        found = find_xacro(e); // at most SN_XML_DEPTH_LIMIT deep
    }
    return found;
}

// What else the file may be.
static const char *other_format(const char *root)
{
    return strcmp(root, "sdf") == 0       ? ": this is an SDF file, not a URDF"
           : strcmp(root, "mujoco") == 0  ? ": this is a file of MuJoCo's own format, not a URDF"
           : strcmp(root, "COLLADA") == 0 ? ": this is a mesh"
                                          : "";
}

static sn_place place_of_byte(const sn_urdf_reader *reader, const char *text, size_t offset)
{
    sn_place place = {reader->source, 1, 1};
    for (size_t i = 0; i < offset; ++i) {
        place.column = text[i] == '\n' ? 1 : place.column + ((text[i] & 0xC0) != 0x80);
        place.line += text[i] == '\n';
    }
    return place;
}

// Oddities of the text as a whole, which the parser overlooks.
static void note_text(sn_urdf_reader *reader, const char *text, size_t length)
{
    sn_xml_oddity oddity = sn_xml_look(text, length);
    if (oddity.late) {
        sn_urdf_mend(reader, (sn_place){reader->source, 1, 1}, "they are skipped",
                     "blanks before <?xml ...?>, expected it at the very start");
    }
    if (oddity.broken > 0) {
        sn_urdf_mend(reader, place_of_byte(reader, text, oddity.broken - 1),
                     "the file is read as Latin-1",
                     "byte %u is not UTF-8, which the file claims to be",
                     (unsigned)(unsigned char)text[oddity.broken - 1]);
    }
}

// Reads the text, if need be once more as a less strict parser would.
static sn_status read_xml(sn_urdf_reader *reader, const char *text, size_t length,
                          sn_xml_element **root, sn_error *error)
{
    sn_arena *arena = &reader->scene->arena;
    const char *name = reader->scene->sources.data[reader->source].name;
    sn_status status = sn_xml_read(name, text, length, arena, root, error);
    if (status != SN_ERROR_SYNTAX || reader->strict) {
        return status;
    }
    sn_tidied tidied = sn_xml_tidy(text, length);
    sn_error inner = {0};
    if (tidied.text == NULL) {
        return sn_fail_memory(error, length);
    }
    sn_status again = sn_xml_read(name, tidied.text, tidied.length, arena, root, &inner);
    sn_free(tidied.text);
    for (int i = 0; i < SN_TIDY_KINDS && again == SN_OK; ++i) {
        if (tidied.kind[i].count > 0) {
            sn_urdf_mend(reader, place_of_byte(reader, text, tidied.kind[i].first),
                         sn_tidy_remedy((sn_tidy_kind)i), "%s (%d time%s)",
                         sn_tidy_fault((sn_tidy_kind)i), tidied.kind[i].count,
                         tidied.kind[i].count == 1 ? "" : "s");
        }
    }
    return again == SN_OK || again == SN_ERROR_MEMORY ? again : status;
}

static bool name_materials(reading *r)
{
    uint32_t count = 0;
    size_t room = (size_t)count_children(r->robot, "material") + 1;
    r->materials = sn_arena_allocate(&r->reader->scene->arena, room * sizeof(void *));
    if (r->materials == NULL) {
        return false;
    }
    for (const sn_xml_element *e = r->robot->first; e != NULL; e = e->next) {
        const char *name =
            strcmp(e->name, "material") == 0 ? sn_xml_attribute_value(e, "name") : NULL;
        if (name != NULL && sn_name_table_find(&r->material_names, name) == 0) {
            r->materials[count++] = e;
            if (!sn_name_table_put(&r->material_names, name, count)) {
                return false;
            }
        }
    }
    return true;
}

static void read_robot(reading *r)
{
    sn_urdf *urdf = r->urdf;
    const char *version = sn_xml_attribute_value(r->robot, "version");
    if (version != NULL && strcmp(version, "1.0") != 0 && strcmp(version, "1") != 0) {
        sn_urdf_note(r->reader, urdf->place, "URDF version \"%.20s\" is read as version 1.0",
                     version);
    }
    skip_others(r, r->robot, robot_words);
    for (const sn_xml_element *e = r->robot->first;
         e != NULL && !r->reader->out_of_memory && r->reader->mistakes < SN_MISTAKE_LIMIT;
         e = e->next) {
        if (strcmp(e->name, "link") == 0) {
            read_link(r, e, &urdf->links[urdf->link_count++]);
        } else if (strcmp(e->name, "joint") == 0) {
            read_joint(r, e, &urdf->joints[urdf->joint_count++]);
        }
    }
    tell_skipped(r);
}

sn_urdf *sn_urdf_read(sn_urdf_reader *reader, const char *text, size_t length)
{
    sn_arena *arena = &reader->scene->arena;
    sn_xml_element *root = NULL;
    sn_error error = {0};
    sn_status status = read_xml(reader, text, length, &root, &error);
    sn_urdf *urdf = sn_arena_allocate(arena, sizeof *urdf);
    if (status == SN_ERROR_MEMORY || urdf == NULL) {
        reader->out_of_memory = true;
        return NULL;
    }
    if (status != SN_OK) {
        reader->mistakes += 1;
        reader->out_of_memory = sn_error_list_add_error(reader->errors, &error) == SN_ERROR_MEMORY;
        return NULL;
    }
    reading r = {.reader = reader, .urdf = urdf, .robot = root};
    urdf->place = sn_urdf_place(reader, root);
    if (strcmp(root->name, "robot") != 0) {
        SN_URDF_FAIL(reader, root, "the outermost element is <%.60s>, expected <robot>%s",
                     root->name, other_format(root->name));
        return NULL;
    }
    const sn_xml_element *macro = find_xacro(root);
    if (macro != NULL) {
        SN_URDF_FAIL(reader, macro,
                     "<%.60s>: this is a xacro file, expected URDF: run `xacro file.xacro > "
                     "file.urdf` first",
                     macro->name);
        return NULL;
    }
    note_text(reader, text, length);
    urdf->name = sn_xml_attribute_value(root, "name");
    if (allocate_parts(&r) && name_materials(&r)) {
        read_robot(&r);
    } else {
        reader->out_of_memory = true;
    }
    sn_name_table_free(&r.material_names);
    if (reader->mistakes == 0 && !reader->out_of_memory) {
        sn_urdf_join(reader, urdf);
    }
    return reader->mistakes == 0 && !reader->out_of_memory ? urdf : NULL;
}
