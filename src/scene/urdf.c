#include "scene/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/name_table.h"
#include "base/suggest.h"
#include "math/rotation.h"
#include "scene/error_list.h"
#include "scene/parse.h"
#include "scene/text.h"
#include "scene/urdf_xml.h"

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

static sn_place place_of(const sn_urdf_reader *reader, const sn_xml_element *element)
{
    return (sn_place){reader->source, element->line, element->column};
}

#define FAIL(reader, element, ...)                                                                 \
    sn_urdf_fail((reader), place_of((reader), (element)), __VA_ARGS__)

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
        sn_urdf_note(r->reader, place_of(r->reader, kind->first),
                     "%d <%.60s> in <%.60s> skipped: not part of the mechanism%s%s%s", kind->count,
                     kind->name, kind->inside, near != NULL ? "; did you mean <" : "",
                     near != NULL ? near : "", near != NULL ? ">?" : "");
    }
}

// ---- attributes ----

// The only child of that name; NULL when there is none.
static const sn_xml_element *only_child(reading *r, const sn_xml_element *element, const char *name)
{
    const sn_xml_element *child = sn_xml_child(element, name);
    for (const sn_xml_element *e = child != NULL ? child->next : NULL; e != NULL; e = e->next) {
        if (strcmp(e->name, name) == 0) {
            FAIL(r->reader, e, "a second <%s> in a <%s>, expected one", name, element->name);
            break;
        }
    }
    return child;
}

static const char *required_text(reading *r, const sn_xml_element *element, const char *attribute)
{
    const char *value = sn_xml_attribute_value(element, attribute);
    if (value == NULL || value[0] == '\0') {
        FAIL(r->reader, element, "a <%s> needs the attribute \"%s\"", element->name, attribute);
        return NULL;
    }
    return value;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// URDF's numbers are C's: "+1", ".5" and "2." are allowed, which JSON's grammar does not know.
static bool read_number(const char *text, size_t length, double *value)
{
    char plain[SN_NUMBER_LENGTH_LIMIT + 8];
    size_t from = 0, to = 0;
    if (length == 0 || length > SN_NUMBER_LENGTH_LIMIT) {
        return false;
    }
    if (text[from] == '+' || text[from] == '-') {
        to += text[from] == '-';
        plain[0] = text[from++];
    }
    size_t digits = from;
    while (from + 1 < length && text[from] == '0' && text[from + 1] >= '0' &&
           text[from + 1] <= '9') {
        from += 1;
    }
    if (from < length && text[from] == '.') {
        plain[to++] = '0';
    }
    for (; from < length; ++from) {
        bool bare_point = text[from] == '.' &&
                          (from + 1 == length || text[from + 1] < '0' || text[from + 1] > '9');
        if (bare_point && from == digits) {
            return false; // a point without any digit
        }
        if (!bare_point) {
            plain[to++] = text[from];
        }
    }
    return sn_number_from_text(plain, to, 0, value);
}

// Exactly `count` numbers between spaces. Without the attribute the numbers stay as they are.
static bool read_numbers(reading *r, const sn_xml_element *element, const char *attribute,
                         double *numbers, int count)
{
    const char *text = sn_xml_attribute_value(element, attribute);
    if (text == NULL) {
        return true;
    }
    double found[4] = {0};
    int n = 0;
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (at[length] != '\0' && !is_space(at[length])) {
            length += 1;
        }
        if (length == 0) {
            at += 1;
            continue;
        }
        if (n >= count || !read_number(at, length, &found[n])) {
            n = -1;
            break;
        }
        n += 1;
        at += length;
    }
    if (n != count) {
        char expected[32] = "a finite number";
        if (count > 1) {
            snprintf(expected, sizeof expected, "%d finite numbers", count);
        }
        FAIL(r->reader, element, "\"%s\" of <%s>: expected %s, got \"%.60s\"", attribute,
             element->name, expected, text);
        return false;
    }
    memcpy(numbers, found, (size_t)count * sizeof *numbers);
    return true;
}

static bool require_number(reading *r, const sn_xml_element *element, const char *attribute,
                           double *number)
{
    return required_text(r, element, attribute) != NULL &&
           read_numbers(r, element, attribute, number, 1);
}

// A number that must not be negative.
static void read_amount(reading *r, const sn_xml_element *element, const char *attribute,
                        double *number)
{
    double value = *number;
    if (!read_numbers(r, element, attribute, &value, 1)) {
        return;
    }
    if (value < 0.0) {
        FAIL(r->reader, element, "\"%s\" of <%s> must not be negative, got %g", attribute,
             element->name, value);
        return;
    }
    *number = value;
}

// <origin xyz rpy>: rpy turns about the fixed axes x, y, z in this order, R = Rz Ry Rx.
static sn_transform read_origin(reading *r, const sn_xml_element *element)
{
    sn_transform origin = SN_TRANSFORM_IDENTITY;
    const sn_xml_element *e = only_child(r, element, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    if (e != NULL && read_numbers(r, e, "xyz", xyz, 3) && read_numbers(r, e, "rpy", rpy, 3)) {
        origin.position = sn_vec3_make(xyz[0], xyz[1], xyz[2]);
        origin.rotation =
            sn_quat_normalize(sn_quat_from_euler_zyx(sn_vec3_make(rpy[0], rpy[1], rpy[2])));
    }
    return origin;
}

static const char *read_name(reading *r, const sn_xml_element *element)
{
    const char *name = required_text(r, element, "name");
    if (name != NULL && strlen(name) > 100) {
        FAIL(r->reader, element, "a name of %zu bytes, expected at most 100", strlen(name));
    }
    return name;
}

// ---- links ----

static void read_inertial(reading *r, const sn_xml_element *element, sn_urdf_link *link)
{
    sn_transform origin = read_origin(r, element);
    const sn_xml_element *mass = only_child(r, element, "mass");
    const sn_xml_element *inertia = only_child(r, element, "inertia");
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    skip_others(r, element, known);
    if (mass == NULL || inertia == NULL) {
        FAIL(r->reader, element, "the <inertial> of \"%.60s\" needs <%s>", link->name,
             mass == NULL ? "mass" : "inertia");
        return;
    }
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double n[6] = {0};
    bool good = require_number(r, mass, "value", &link->mass);
    for (int i = 0; i < 6; ++i) {
        good = (i < 3 ? require_number(r, inertia, names[i], &n[i])
                      : read_numbers(r, inertia, names[i], &n[i], 1)) &&
               good;
    }
    if (!good) {
        return;
    }
    link->inertia_place = place_of(r->reader, inertia);
    if (link->mass == 0.0 && n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0) {
        return;
    }
    if (link->mass <= 0.0) {
        FAIL(r->reader, mass, "the mass of \"%.60s\" must be greater than 0, got %g", link->name,
             link->mass);
        return;
    }
    sn_mat3 own = {{{n[0], n[3], n[4]}, {n[3], n[1], n[5]}, {n[4], n[5], n[2]}}};
    sn_mat3 turn = sn_quat_to_mat3(origin.rotation);
    link->centre = origin.position;
    link->inertia = sn_mat3_multiply(sn_mat3_multiply(turn, own), sn_mat3_transpose(turn));
    // Round-off must not leave the halves apart.
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < i; ++k) {
            link->inertia.m[i][k] = link->inertia.m[k][i];
        }
    }
    link->has_mass = true;
    sn_mass_properties properties = {
        .mass = link->mass, .centre = link->centre, .inertia = link->inertia};
    sn_error error = {0};
    double least = fmin(n[0], fmin(n[1], n[2])), most = fmax(n[0], fmax(n[1], n[2]));
    if (least < 0.0 || most == 0.0) {
        FAIL(r->reader, inertia,
             "the moments of inertia of \"%.60s\" must not be negative, nor all 0, got %g, %g, %g",
             link->name, n[0], n[1], n[2]);
    } else if (sn_mass_properties_check(&properties, &error) != SN_OK) {
        FAIL(r->reader, inertia, "link \"%.60s\": %s", link->name, error.text);
    }
}

static void require_positive(reading *r, const sn_xml_element *element, const char *attribute,
                             const double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!(numbers[i] > 0.0)) {
            FAIL(r->reader, element, "\"%s\" of <%s> must be greater than 0, got %g", attribute,
                 element->name, numbers[i]);
            return;
        }
    }
}

static void read_round(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    if (require_number(r, element, "radius", &shape->radius)) {
        require_positive(r, element, "radius", &shape->radius, 1);
    }
    if (shape->type == SN_SHAPE_CYLINDER && require_number(r, element, "length", &shape->height)) {
        require_positive(r, element, "length", &shape->height, 1);
    }
}

static void read_mesh(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    shape->file = required_text(r, element, "filename");
    shape->scale = sn_vec3_make(1, 1, 1);
    if (read_numbers(r, element, "scale", &shape->scale.x, 3) &&
        shape->scale.x * shape->scale.y * shape->scale.z == 0.0) {
        FAIL(r->reader, element, "\"scale\" of <mesh> flattens it, expected no zeros");
    }
}

static void read_geometry(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    const sn_xml_element *geometry = only_child(r, element, "geometry");
    const sn_xml_element *e = geometry != NULL ? geometry->first : NULL;
    if (e == NULL || e->next != NULL) {
        FAIL(r->reader, element,
             "a <%s> needs one <geometry> of <box>, <cylinder>, <sphere> or <mesh>", element->name);
        return;
    }
    shape->place = place_of(r->reader, e);
    if (strcmp(e->name, "box") == 0) {
        shape->type = SN_SHAPE_BOX;
        if (required_text(r, e, "size") != NULL && read_numbers(r, e, "size", &shape->size.x, 3)) {
            require_positive(r, e, "size", &shape->size.x, 3);
        }
    } else if (strcmp(e->name, "cylinder") == 0) {
        shape->type = SN_SHAPE_CYLINDER;
        read_round(r, e, shape);
    } else if (strcmp(e->name, "sphere") == 0) {
        shape->type = SN_SHAPE_SPHERE;
        read_round(r, e, shape);
    } else if (strcmp(e->name, "mesh") == 0) {
        shape->type = SN_SHAPE_MESH;
        read_mesh(r, e, shape);
    } else {
        FAIL(r->reader, e, "<%.60s> is no geometry, expected <box>, <cylinder>, <sphere> or <mesh>",
             e->name);
    }
}

// 0 .. 1 as a byte.
static uint32_t channel(double share)
{
    return share <= 0.0 ? 0u : share >= 1.0 ? 255u : (uint32_t)(255.0 * share + 0.5);
}

static bool read_colour(reading *r, const sn_xml_element *material, uint32_t *colour)
{
    const sn_xml_element *e = only_child(r, material, "color");
    double rgba[4] = {0};
    if (e == NULL || required_text(r, e, "rgba") == NULL || !read_numbers(r, e, "rgba", rgba, 4)) {
        return false;
    }
    *colour = channel(rgba[0]) << 16 | channel(rgba[1]) << 8 | channel(rgba[2]);
    return true;
}

// A colour of its own, or that of the robot's material with the same name, wherever it stands.
static void read_material(reading *r, const sn_xml_element *visual, sn_urdf_shape *shape)
{
    const sn_xml_element *material = only_child(r, visual, "material");
    if (material == NULL) {
        return;
    }
    shape->material = sn_xml_attribute_value(material, "name");
    static const char *const known[] = {"color", NULL};
    skip_others(r, material, known);
    shape->has_colour = read_colour(r, material, &shape->colour);
    uint32_t found = shape->material != NULL && !shape->has_colour
                         ? sn_name_table_find(&r->material_names, shape->material)
                         : 0;
    if (found > 0) {
        shape->has_colour = read_colour(r, r->materials[found - 1], &shape->colour);
    }
}

static void read_shape(reading *r, const sn_xml_element *element, sn_urdf_shape *shape)
{
    static const char *const known[] = {"origin", "geometry", "material", NULL};
    skip_others(r, element, known);
    shape->collision = strcmp(element->name, "collision") == 0;
    shape->frame = read_origin(r, element);
    read_geometry(r, element, shape);
    read_material(r, element, shape);
}

static void read_link(reading *r, const sn_xml_element *element, sn_urdf_link *link)
{
    skip_others(r, element, link_words);
    link->place = link->inertia_place = place_of(r->reader, element);
    link->name = read_name(r, element);
    link->joint = -1;
    link->first_shape = r->urdf->shape_count;
    if (link->name == NULL) {
        return;
    }
    const sn_xml_element *inertial = only_child(r, element, "inertial");
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
    const sn_xml_element *e = only_child(r, joint, which);
    if (e == NULL) {
        FAIL(r->reader, joint, "a <joint> needs <%s link=\"...\"/>", which);
        return NULL;
    }
    *place = place_of(r->reader, e);
    return required_text(r, e, "link");
}

static void read_axis(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    const sn_xml_element *e = only_child(r, element, "axis");
    double xyz[3] = {1, 0, 0};
    if (e == NULL || !read_numbers(r, e, "xyz", xyz, 3)) {
        joint->axis = sn_vec3_make(1, 0, 0);
        return;
    }
    sn_vec3 axis = sn_vec3_make(xyz[0], xyz[1], xyz[2]);
    double square = sn_dot(axis, axis);
    bool turns_or_slides = joint->type != SN_JOINT_FIXED && joint->type != SN_JOINT_FREE;
    if (turns_or_slides && !(square > 1e-200 && square < 1e200)) {
        FAIL(r->reader, e, "the axis of \"%.60s\" has no direction, expected a length near 1",
             joint->name);
        return;
    }
    joint->axis = turns_or_slides ? sn_normalize(axis) : sn_vec3_make(1, 0, 0);
}

static void read_limit(reading *r, const sn_xml_element *element, sn_urdf_joint *joint,
                       bool needs_limit)
{
    const sn_xml_element *e = only_child(r, element, "limit");
    joint->lower = -INFINITY;
    joint->upper = joint->effort = joint->velocity = INFINITY;
    if (e == NULL) {
        if (needs_limit) {
            FAIL(r->reader, element,
                 "\"%.60s\" needs <limit lower=\"...\" upper=\"...\" effort=\"...\" "
                 "velocity=\"...\"/>%s",
                 joint->name,
                 joint->type == SN_JOINT_HINGE ? " (a \"continuous\" joint has no limit)" : "");
        }
        return;
    }
    joint->limit_place = place_of(r->reader, e);
    read_amount(r, e, "effort", &joint->effort);
    read_amount(r, e, "velocity", &joint->velocity);
    if (!needs_limit) {
        return; // only effort and velocity mean anything
    }
    double lower = 0.0, upper = 0.0;
    if (!read_numbers(r, e, "lower", &lower, 1) || !read_numbers(r, e, "upper", &upper, 1)) {
        return;
    }
    if (lower > upper) {
        FAIL(r->reader, e, "the lower limit %g of \"%.60s\" is above the upper one, %g", lower,
             joint->name, upper);
        return;
    }
    joint->has_limit = true;
    joint->lower = lower > -SN_URDF_NO_LIMIT ? lower : -INFINITY;
    joint->upper = upper < SN_URDF_NO_LIMIT ? upper : INFINITY;
}

static void read_dynamics(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    const sn_xml_element *dynamics = only_child(r, element, "dynamics");
    if (dynamics != NULL) {
        read_amount(r, dynamics, "damping", &joint->damping);
        read_amount(r, dynamics, "friction", &joint->friction);
    }
    const sn_xml_element *mimic = only_child(r, element, "mimic");
    joint->mimic = -1;
    joint->multiplier = 1.0;
    if (mimic != NULL) {
        joint->mimic_place = place_of(r->reader, mimic);
        joint->mimic_name = required_text(r, mimic, "joint");
        read_numbers(r, mimic, "multiplier", &joint->multiplier, 1);
        read_numbers(r, mimic, "offset", &joint->offset, 1);
    }
}

static void read_joint(reading *r, const sn_xml_element *element, sn_urdf_joint *joint)
{
    skip_others(r, element, joint_words);
    joint->place = place_of(r->reader, element);
    joint->parent = joint->child = -1;
    joint->name = read_name(r, element);
    const char *word = required_text(r, element, "type");
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
        FAIL(r->reader, element,
             "no joint has the type \"%.40s\"%s%s%s; expected fixed, revolute, continuous, "
             "prismatic, planar or floating",
             word, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
             near != NULL ? "\"?" : "");
        return;
    }
    joint->type = joint_types[type].type;
    joint->parent_name = read_end(r, element, "parent", &joint->parent_place);
    joint->child_name = read_end(r, element, "child", &joint->child_place);
    joint->origin = read_origin(r, element);
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

// Macros that xacro would have replaced: everything else would be complaints about them.
static bool is_xacro(const sn_xml_element *robot)
{
    for (const sn_xml_element *e = robot->first; e != NULL; e = e->next) {
        if (strncmp(e->name, "xacro:", 6) == 0) {
            return true;
        }
    }
    return false;
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
    const char *name = reader->scene->sources.data[reader->source].name;
    sn_status status = sn_xml_read(name, text, length, arena, &root, &error);
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
    urdf->place = place_of(reader, root);
    if (strcmp(root->name, "robot") != 0) {
        FAIL(reader, root, "the outermost element is <%.60s>, expected <robot>", root->name);
        return NULL;
    }
    if (is_xacro(root)) {
        FAIL(reader, root, "this is a xacro file, expected URDF: run xacro on it first");
        return NULL;
    }
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
