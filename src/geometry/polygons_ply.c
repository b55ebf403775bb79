#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "geometry/polygons.h"

// ---- the heading ----

typedef enum property_role { OTHER, X, Y, Z, CORNERS } property_role;

typedef struct property {
    bool list;
    sn_raw_kind count_kind; // of lists
    sn_raw_kind kind;
    property_role role;
} property;

typedef enum element_role { PASSED, VERTICES, FACES, STRIPS } element_role;

typedef struct element {
    element_role role;
    int64_t count;
    int first, property_count; // in the list of properties
} element;

typedef struct ply {
    sn_words words;
    sn_polygons *polygons;
    SN_ARRAY(element) elements;
    SN_ARRAY(property) properties;
} ply;

static sn_raw_kind read_kind(sn_words *w)
{
    static const struct {
        const char *names[2];
        sn_raw_kind kind;
    } kinds[] = {{{"char", "int8"}, SN_RAW_INT8},        {{"uchar", "uint8"}, SN_RAW_UINT8},
                 {{"short", "int16"}, SN_RAW_INT16},     {{"ushort", "uint16"}, SN_RAW_UINT16},
                 {{"int", "int32"}, SN_RAW_INT32},       {{"uint", "uint32"}, SN_RAW_UINT32},
                 {{"float", "float32"}, SN_RAW_FLOAT32}, {{"double", "float64"}, SN_RAW_FLOAT64}};
    sn_words_next(w);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (sn_words_is(w, kinds[i].names[0]) || sn_words_is(w, kinds[i].names[1])) {
            return kinds[i].kind;
        }
    }
    sn_words_fail(w, "a type of PLY such as float or uchar was expected");
    return SN_RAW_INT8;
}

static void read_format(sn_words *w, bool *binary, bool *big_endian)
{
    sn_words_next(w);
    *binary = sn_words_is(w, "binary_little_endian") || sn_words_is(w, "binary_big_endian");
    *big_endian = sn_words_is(w, "binary_big_endian");
    if (!*binary && !sn_words_is(w, "ascii")) {
        sn_words_fail(w, "ascii, binary_little_endian or binary_big_endian was expected");
    }
}

static void read_element(ply *p)
{
    sn_words *w = &p->words;
    element e = {.role = PASSED, .first = p->properties.count};
    sn_words_next(w);
    e.role = sn_words_is(w, "vertex")                                    ? VERTICES
             : sn_words_is(w, "face")                                    ? FACES
             : sn_words_is(w, "tristrips") || sn_words_is(w, "tristrip") ? STRIPS
                                                                         : PASSED;
    e.count = sn_words_integer(w, "a number of elements", 0, INT_MAX);
    if (w->status == SN_OK && !sn_array_push(&p->elements, e)) {
        sn_polygons_no_memory(w, p->polygons);
    }
}

static void read_property(ply *p)
{
    sn_words *w = &p->words;
    property made = {.role = OTHER};
    const char *before = w->at;
    sn_words_next(w);
    if (p->elements.count == 0) {
        sn_words_fail(w, "an element was expected before its properties");
        return;
    }
    element *of = &p->elements.data[p->elements.count - 1];
    made.list = sn_words_is(w, "list");
    if (made.list) {
        made.count_kind = read_kind(w);
    } else {
        w->at = before;
    }
    made.kind = read_kind(w);
    if (w->status == SN_OK && !sn_words_line_goes_on(w)) {
        sn_words_fail(w, "the name of the property was expected behind its type");
        return;
    }
    sn_words_next(w);
    if (of->role == VERTICES && !made.list) {
        made.role = sn_words_is(w, "x")   ? X
                    : sn_words_is(w, "y") ? Y
                    : sn_words_is(w, "z") ? Z
                                          : OTHER;
    } else if (made.list && (sn_words_is(w, "vertex_indices") || sn_words_is(w, "vertex_index"))) {
        made.role = CORNERS;
    }
    of->property_count += 1;
    if (w->status == SN_OK && !sn_array_push(&p->properties, made)) {
        sn_polygons_no_memory(w, p->polygons);
    }
}

static void read_heading(ply *p)
{
    sn_words *w = &p->words;
    bool binary = false, big_endian = false, formatted = false;
    if (!sn_words_next(w) || !sn_words_is(w, "ply")) {
        sn_words_fail(w, "ply was expected as the first word of a PLY file");
    }
    while (w->status == SN_OK) {
        if (!sn_words_next(w)) {
            sn_words_fail(w, "end_header was expected at the end of the PLY heading");
        } else if (sn_words_is(w, "end_header")) {
            break;
        } else if (sn_words_is(w, "format")) {
            read_format(w, &binary, &big_endian);
            formatted = true;
            sn_words_skip_line(w);
        } else if (sn_words_is(w, "element")) {
            read_element(p);
        } else if (sn_words_is(w, "property")) {
            read_property(p);
        } else if (sn_words_is(w, "comment") || sn_words_is(w, "obj_info")) {
            sn_words_skip_line(w);
        } else {
            sn_words_fail(w, "format, comment, element, property or end_header was expected");
        }
    }
    if (w->status == SN_OK && !formatted) {
        sn_words_fail(w, "a line such as \"format ascii 1.0\" was expected in the PLY heading");
    }
    if (binary) {
        sn_words_begin_binary(w, big_endian);
    }
    sn_words_start_values(w);
}

// ---- values ----

static int read_vertex_index(ply *p, sn_raw_kind kind, int least)
{
    int most = p->polygons->positions.count - 1;
    return (int)sn_words_stored_integer(&p->words, kind, "the index of a vertex", least,
                                        most < least ? least : most);
}

static void read_face(ply *p, const property *of, int64_t count)
{
    if (p->polygons->positions.count == 0 && count > 0) {
        sn_words_fail(&p->words, "vertices were expected before faces");
    }
    for (int64_t i = 0; i < count && p->words.status == SN_OK; ++i) {
        sn_polygons_corner(&p->words, p->polygons, read_vertex_index(p, of->kind, 0));
    }
    sn_polygons_end(&p->words, p->polygons, (int)count);
}

// Every vertex makes a triangle with the two before it, every second one turned over; -1 starts
// anew. Triangles that name a vertex twice only lead the strip on.
static void read_strip(ply *p, const property *of, int64_t count)
{
    int last[2] = {-1, -1}, length = 0;
    for (int64_t i = 0; i < count && p->words.status == SN_OK; ++i) {
        int v = read_vertex_index(p, of->kind, -1);
        if (v < 0) {
            length = 0;
            continue;
        }
        if (length >= 2 && v != last[0] && v != last[1] && last[0] != last[1]) {
            bool turned = length % 2 == 1;
            sn_polygons_corner(&p->words, p->polygons, last[turned ? 1 : 0]);
            sn_polygons_corner(&p->words, p->polygons, last[turned ? 0 : 1]);
            sn_polygons_corner(&p->words, p->polygons, v);
            sn_polygons_end(&p->words, p->polygons, 3);
        }
        last[0] = last[1];
        last[1] = v;
        length += 1;
    }
}

static void read_one(ply *p, const element *e)
{
    sn_words *w = &p->words;
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < e->property_count && w->status == SN_OK; ++k) {
        const property *of = &p->properties.data[e->first + k];
        if (!of->list && of->role != OTHER) {
            x[of->role - X] = sn_polygons_coordinate(w, of->kind);
            continue;
        }
        int64_t count = 1;
        if (of->list) {
            count = sn_words_stored_integer(w, of->count_kind, "the length of a list", 0, INT_MAX);
        }
        if (of->role == CORNERS && e->role == FACES) {
            read_face(p, of, count);
        } else if (of->role == CORNERS && e->role == STRIPS) {
            read_strip(p, of, count);
        } else {
            sn_words_skip_stored(w, of->kind, count, "a value");
        }
    }
    if (e->role == VERTICES) {
        sn_polygons_vertex(w, p->polygons, sn_vec3_make(x[0], x[1], x[2]));
    }
}

static bool element_is_complete(ply *p, const element *e)
{
    int found = 0;
    for (int k = 0; k < e->property_count; ++k) {
        found |= 1 << p->properties.data[e->first + k].role;
    }
    int wanted = e->role == VERTICES ? 1 << X | 1 << Y | 1 << Z
                 : e->role == PASSED ? 0
                                     : 1 << CORNERS;
    if (e->count > 0 && (found & wanted) != wanted) {
        sn_words_fail(&p->words, "%s were expected",
                      e->role == VERTICES ? "vertices with properties x, y and z"
                                          : "faces with a list vertex_indices");
    }
    return p->words.status == SN_OK;
}

sn_status sn_polygons_parse_ply(const char *name, const char *text, size_t length,
                                sn_polygons *polygons, sn_error *error)
{
    ply p = {.words = sn_words_of(name, text, length, error), .polygons = polygons};
    read_heading(&p);
    for (int i = 0; i < p.elements.count && p.words.status == SN_OK; ++i) {
        const element *e = &p.elements.data[i];
        bool any = element_is_complete(&p, e) && e->property_count > 0;
        for (int64_t k = 0; k < e->count && any && p.words.status == SN_OK; ++k) {
            read_one(&p, e);
        }
    }
    sn_array_free(&p.elements);
    sn_array_free(&p.properties);
    return p.words.status;
}
