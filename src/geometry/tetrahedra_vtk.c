// VTK's legacy files, "VTK File Formats", section "Simple Legacy Formats": unstructured grids.
// Cells are lists (count and points), or since version 5.1 offsets and points. Regions are the
// cells' array of the name region, as scalars or in a field, if there is one.
//
// In binary files the numbers under a line of words are bytes, the highest first. Nothing tells
// where they end but how many there are and of which type, so that arrays have to be understood to
// be passed over.
#include <limits.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_file.h"

enum { TETRA = 10, QUADRATIC_TETRA = 24 }; // cell types

typedef struct vtk_type {
    const char *name;
    enum { NUMBERS, BITS, STRINGS } form;
    sn_raw_kind kind; // of numbers
} vtk_type;

typedef struct vtk_reader {
    sn_words words;
    sn_tetrahedra_parts parts;
    bool cell_data;             // arrays are of cells, otherwise of points or of nothing
    int tuples;                 // of arrays
    SN_ARRAY(int) sizes;        // of cells
    SN_ARRAY(int64_t) points;   // of all cells
    SN_ARRAY(int) types;        // of cells
    SN_ARRAY(int) cell_regions; // of cells, or none
} vtk_reader;

static int count_of(vtk_reader *r, const char *what)
{
    return (int)sn_words_integer(&r->words, what, 0, INT_MAX);
}

static bool goes_on(const vtk_reader *r)
{
    return r->words.status == SN_OK && !r->parts.failed;
}

static void expect(vtk_reader *r, const char *word)
{
    if (goes_on(r)) {
        sn_words_next(&r->words);
        if (!sn_words_is(&r->words, word)) {
            sn_words_fail(&r->words, "%s was expected", word);
        }
    }
}

static void read_head(vtk_reader *r)
{
    expect(r, "#");
    expect(r, "vtk");
    expect(r, "DataFile");
    sn_words_skip_line(&r->words); // version
    sn_words_skip_line(&r->words); // title
    if (goes_on(r)) {
        sn_words_next(&r->words);
        if (sn_words_is(&r->words, "BINARY")) {
            sn_words_begin_binary(&r->words, true);
        } else if (!sn_words_is(&r->words, "ASCII")) {
            sn_words_fail(&r->words, "ASCII or BINARY was expected");
        }
    }
    expect(r, "DATASET");
    expect(r, "UNSTRUCTURED_GRID");
}

// ---- types ----

// What VTK's writer and its likes call types. It writes vtkIdType as int whatever the size is in
// memory, and long as on the machine that wrote: of eight bytes but under Windows.
static const vtk_type types[] = {
    {"float", NUMBERS, SN_RAW_FLOAT32},
    {"double", NUMBERS, SN_RAW_FLOAT64},
    {"int", NUMBERS, SN_RAW_INT32},
    {"unsigned_int", NUMBERS, SN_RAW_UINT32},
    {"long", NUMBERS, SN_RAW_INT64},
    {"unsigned_long", NUMBERS, SN_RAW_UINT64},
    {"short", NUMBERS, SN_RAW_INT16},
    {"unsigned_short", NUMBERS, SN_RAW_UINT16},
    {"char", NUMBERS, SN_RAW_INT8},
    {"signed_char", NUMBERS, SN_RAW_INT8},
    {"unsigned_char", NUMBERS, SN_RAW_UINT8},
    {"vtkIdType", NUMBERS, SN_RAW_INT32},
    {"vtktypeint64", NUMBERS, SN_RAW_INT64},
    {"vtktypeuint64", NUMBERS, SN_RAW_UINT64},
    {"vtktypeint32", NUMBERS, SN_RAW_INT32},
    {"vtktypeuint32", NUMBERS, SN_RAW_UINT32},
    {"vtktypeint16", NUMBERS, SN_RAW_INT16},
    {"vtktypeuint16", NUMBERS, SN_RAW_UINT16},
    {"vtktypeint8", NUMBERS, SN_RAW_INT8},
    {"vtktypeuint8", NUMBERS, SN_RAW_UINT8},
    {"vtktypefloat32", NUMBERS, SN_RAW_FLOAT32},
    {"vtktypefloat64", NUMBERS, SN_RAW_FLOAT64},
    {"bit", BITS, SN_RAW_UINT8},
    {"string", STRINGS, SN_RAW_UINT8},
    {"utf8_string", STRINGS, SN_RAW_UINT8},
};

static const vtk_type bytes = {"unsigned_char", NUMBERS, SN_RAW_UINT8};

// The next word as a type; in a text any word will do for numbers.
static vtk_type read_type(vtk_reader *r)
{
    sn_words_next(&r->words);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (sn_words_is(&r->words, types[i].name)) {
            return types[i];
        }
    }
    if (r->words.binary) {
        sn_words_fail(&r->words, "a type such as float, int or vtktypeint64 was expected");
    }
    return types[0];
}

// The type of numbers that are about to be read.
static sn_raw_kind read_kind(vtk_reader *r)
{
    vtk_type type = read_type(r);
    if (r->words.binary && type.form != NUMBERS) {
        sn_words_fail(&r->words, "a type of numbers was expected");
    }
    sn_words_start_values(&r->words);
    return type.kind;
}

// ---- points and cells ----

static void read_points(vtk_reader *r)
{
    int count = count_of(r, "a number of points");
    sn_raw_kind kind = read_kind(r);
    for (int i = 0; i < count && goes_on(r); ++i) {
        double x = sn_words_stored_number(&r->words, kind, "a coordinate");
        double y = sn_words_stored_number(&r->words, kind, "a coordinate");
        double z = sn_words_stored_number(&r->words, kind, "a coordinate");
        sn_tetrahedra_parts_node(&r->parts, i, (sn_vec3){x, y, z});
    }
}

static void read_point_number(vtk_reader *r, sn_raw_kind kind)
{
    int64_t point = sn_words_stored_integer(&r->words, kind, "a point's number", 0, INT_MAX);
    r->parts.failed = !sn_array_push(&r->points, point);
}

static void read_list(vtk_reader *r, int cells)
{
    sn_words_start_values(&r->words);
    for (int c = 0; c < cells && goes_on(r); ++c) {
        int size = (int)sn_words_stored_integer(&r->words, SN_RAW_INT32,
                                                "a number of points of a cell", 0, 1000000);
        r->parts.failed = !sn_array_push(&r->sizes, size);
        for (int k = 0; k < size && goes_on(r); ++k) {
            read_point_number(r, SN_RAW_INT32);
        }
    }
}

// `offsets` of them, one more than cells, then all points.
static void read_offsets(vtk_reader *r, int offsets, int size)
{
    int64_t last = 0;
    sn_raw_kind kind = read_kind(r);
    for (int c = 0; c < offsets && goes_on(r); ++c) {
        int64_t most = c == 0 ? 0 : size; // the first one is 0
        int64_t offset = sn_words_stored_integer(&r->words, kind, "an offset", last, most);
        if (c > 0) {
            r->parts.failed = !sn_array_push(&r->sizes, (int)(offset - last));
        }
        last = offset;
    }
    expect(r, "CONNECTIVITY");
    kind = goes_on(r) ? read_kind(r) : kind;
    for (int k = 0; k < size && goes_on(r); ++k) {
        read_point_number(r, kind);
    }
    if (goes_on(r) && last != size) {
        sn_words_fail(&r->words, "the last offset is %lld; %d were expected", (long long)last,
                      size);
    }
}

static void read_cells(vtk_reader *r)
{
    int cells = count_of(r, "a number of cells"), size = count_of(r, "a size of the list");
    sn_words look = r->words;
    if (goes_on(r) && sn_words_next(&look) && sn_words_is(&look, "OFFSETS")) {
        r->words = look;
        read_offsets(r, cells, size);
    } else {
        read_list(r, cells);
    }
}

static void read_types(vtk_reader *r)
{
    int count = count_of(r, "a number of cells");
    sn_words_start_values(&r->words);
    for (int c = 0; c < count && goes_on(r); ++c) {
        int type = (int)sn_words_stored_integer(&r->words, SN_RAW_INT32, "a cell's type", 0, 255);
        r->parts.failed = !sn_array_push(&r->types, type);
    }
}

// ---- arrays ----

// The highest bits of a string's first byte tell of how many bytes its length is.
static void pass_string(vtk_reader *r)
{
    static const sn_raw_kind kinds[] = {SN_RAW_UINT64, SN_RAW_UINT32, SN_RAW_UINT16, SN_RAW_UINT8};
    unsigned char first = r->words.at < r->words.end ? (unsigned char)*r->words.at : 0;
    sn_raw_kind kind = kinds[first >> 6];
    int64_t length = sn_words_stored_integer(&r->words, kind, "a string's length", 0, INT64_MAX);
    int64_t mask = (INT64_C(1) << (8 * sn_raw_size(kind) - 2)) - 1;
    sn_words_skip_stored(&r->words, SN_RAW_UINT8, length & mask, "a string");
}

static void pass_values(vtk_reader *r, vtk_type type, int64_t count)
{
    bool packed = type.form == BITS && r->words.binary;
    if (type.form != STRINGS) {
        sn_words_skip_stored(&r->words, type.kind, packed ? count / 8 + (count % 8 != 0) : count,
                             "a value of an array");
    } else if (r->words.binary) {
        for (int64_t k = 0; k < count && goes_on(r); ++k) {
            pass_string(r);
        }
    } else {
        // One in a line, which may be empty.
        for (int64_t k = 0; k < count && r->words.at < r->words.end; ++k) {
            sn_words_skip_line(&r->words);
        }
    }
}

static void read_regions(vtk_reader *r, vtk_type type, int count)
{
    if (type.form != NUMBERS) {
        sn_words_fail(&r->words, "regions of type %s; numbers were expected", type.name);
    }
    for (int c = 0; c < count && goes_on(r); ++c) {
        double region = sn_words_stored_number(&r->words, type.kind, "a region");
        bool whole = region >= INT_MIN && region <= INT_MAX && region == (double)(int)region;
        if (!whole) {
            sn_words_fail(&r->words, "a whole number was expected");
        }
        r->parts.failed = !sn_array_push(&r->cell_regions, whole ? (int)region : 0);
    }
}

// The values of an array; the first one of cells that is called region is read.
static void read_array(vtk_reader *r, bool region, vtk_type type, int components, int tuples)
{
    if (r->words.binary || type.form == STRINGS) {
        sn_words_skip_line(&r->words);
    }
    if (!region || !r->cell_data || r->cell_regions.count > 0) {
        pass_values(r, type, (int64_t)components * tuples);
    } else if (components != 1) {
        sn_words_fail(&r->words, "regions of %d numbers; one was expected", components);
    } else {
        read_regions(r, type, tuples);
    }
}

static bool read_name(vtk_reader *r)
{
    sn_words_next(&r->words);
    return sn_words_is(&r->words, "region");
}

// Name, type, perhaps how many numbers a tuple has, and a line that names a table of colours.
static void read_scalars(vtk_reader *r)
{
    bool region = read_name(r);
    vtk_type type = read_type(r);
    int components = 1;
    if (sn_words_line_goes_on(&r->words)) {
        components = count_of(r, "a number of components");
    }
    expect(r, "LOOKUP_TABLE");
    sn_words_next(&r->words);
    read_array(r, region, type, components, r->tuples);
}

// Up to an empty line.
static void pass_metadata(vtk_reader *r)
{
    do {
        sn_words_skip_line(&r->words);
    } while (sn_words_line_goes_on(&r->words));
}

// Arrays with a name, numbers of components and tuples, and a type each.
static void read_field(vtk_reader *r)
{
    read_name(r);
    int arrays = count_of(r, "a number of arrays");
    for (int i = 0; i < arrays && goes_on(r); ++i) {
        bool region = read_name(r);
        while (sn_words_is(&r->words, "METADATA")) {
            pass_metadata(r);
            region = read_name(r);
        }
        if (!sn_words_is(&r->words, "NULL_ARRAY")) {
            int components = count_of(r, "a number of components");
            int tuples = count_of(r, "a number of tuples");
            read_array(r, region, read_type(r), components, tuples);
        }
    }
}

// Does the last word begin an array? Then the array is read.
static bool read_attribute(vtk_reader *r)
{
    static const struct {
        const char *word;
        int components;
    } plain[] = {{"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},   {"TENSORS6", 6},
                 {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
        if (sn_words_is(&r->words, plain[i].word)) {
            read_name(r);
            read_array(r, false, read_type(r), plain[i].components, r->tuples);
            return true;
        }
    }
    if (sn_words_is(&r->words, "SCALARS")) {
        read_scalars(r);
    } else if (sn_words_is(&r->words, "FIELD")) {
        read_field(r);
    } else if (sn_words_is(&r->words, "METADATA")) {
        pass_metadata(r);
    } else if (sn_words_is(&r->words, "COLOR_SCALARS")) {
        read_name(r);
        read_array(r, false, bytes, count_of(r, "a number of components"), r->tuples);
    } else if (sn_words_is(&r->words, "LOOKUP_TABLE")) {
        read_name(r);
        read_array(r, false, bytes, 4, count_of(r, "a number of colours"));
    } else if (sn_words_is(&r->words, "TEXTURE_COORDINATES")) {
        read_name(r);
        int components = count_of(r, "a number of components");
        read_array(r, false, read_type(r), components, r->tuples);
    } else {
        return false;
    }
    return true;
}

// ---- the grid ----

// Cells of four and of ten nodes out of all.
static void take_cells(vtk_reader *r)
{
    if (r->types.count != r->sizes.count) {
        sn_words_fail(&r->words, "%d cells and %d types; as many were expected", r->sizes.count,
                      r->types.count);
        return;
    }
    if (r->cell_regions.count > 0 && r->cell_regions.count != r->types.count) {
        sn_words_fail(&r->words, "%d regions of %d cells; as many were expected",
                      r->cell_regions.count, r->types.count);
        return;
    }
    int64_t start = 0;
    for (int c = 0; c < r->types.count && goes_on(r); start += r->sizes.data[c++]) {
        int type = r->types.data[c], nodes = type == TETRA ? 4 : 10;
        if (type != TETRA && type != QUADRATIC_TETRA) {
            continue;
        }
        if (r->sizes.data[c] != nodes || (r->parts.nodes != 0 && r->parts.nodes != nodes)) {
            sn_words_fail(&r->words, "cell %d has %d points; %d were expected", c, r->sizes.data[c],
                          r->parts.nodes != 0 ? r->parts.nodes : nodes);
            return;
        }
        r->parts.nodes = nodes;
        for (int k = 0; k < 10 && goes_on(r); ++k) {
            int64_t point = k < nodes ? r->points.data[start + k] : 0;
            r->parts.failed = !sn_array_push(&r->parts.elements, point);
        }
        int region = r->cell_regions.count > 0 ? r->cell_regions.data[c] : 0;
        r->parts.failed = r->parts.failed || !sn_array_push(&r->parts.regions, region);
    }
}

// What the last word begins. Words that begin nothing are passed over in a text, but the bytes of
// which nothing is known could be anything.
static void read_section(vtk_reader *r)
{
    if (sn_words_is(&r->words, "POINTS") && r->parts.positions.count == 0) {
        read_points(r);
    } else if (sn_words_is(&r->words, "CELLS") && r->sizes.count == 0) {
        read_cells(r);
    } else if (sn_words_is(&r->words, "CELL_TYPES") && r->types.count == 0) {
        read_types(r);
    } else if (sn_words_is(&r->words, "CELL_DATA") || sn_words_is(&r->words, "POINT_DATA")) {
        r->cell_data = sn_words_is(&r->words, "CELL_DATA");
        r->tuples = count_of(r, "a number of tuples");
    } else if (!read_attribute(r) && r->words.binary) {
        sn_words_fail(&r->words, "a heading such as POINTS, CELLS or CELL_DATA was expected");
    }
}

sn_status sn_tetrahedra_parse_vtk(const char *name, const char *text, size_t length,
                                  sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    vtk_reader r = {.words = sn_words_of(name, text, length, error)};
    read_head(&r);
    while (goes_on(&r) && sn_words_next(&r.words)) {
        read_section(&r);
    }
    if (goes_on(&r)) {
        take_cells(&r);
    }
    sn_array_free(&r.sizes);
    sn_array_free(&r.points);
    sn_array_free(&r.types);
    sn_array_free(&r.cell_regions);
    return sn_tetrahedra_parts_finish(&r.parts, &r.words, tetrahedra);
}
