// Binary files of tetrahedra: the same mesh written as text and as bytes by writers of the test's
// own reads alike, and files that end early, say too much or are damaged are refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/tetrahedra_file.h"
#include "sinew/tetrahedra.h"

// ---- files in memory ----

typedef struct file {
    bool binary, big_endian;
    size_t length;
    char bytes[200000];
} file;

static file one, other;

static void start(file *f, bool binary, bool big_endian)
{
    f->binary = binary;
    f->big_endian = big_endian;
    f->length = 0;
}

static void put_words(file *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(f->bytes + f->length, sizeof f->bytes - f->length, format, arguments);
    va_end(arguments);
    assert_true(written >= 0 && (size_t)written < sizeof f->bytes - f->length);
    f->length += (size_t)written;
}

static void put_bits(file *f, int size, uint64_t bits)
{
    assert_true(f->length + 8 < sizeof f->bytes);
    for (int i = 0; i < size; ++i) {
        int shift = 8 * (f->big_endian ? size - 1 - i : i);
        f->bytes[f->length++] = (char)(unsigned char)(bits >> shift & 255);
    }
}

// A number of `size` bytes, or a word.
static void put_integer(file *f, int size, int64_t value)
{
    if (f->binary) {
        put_bits(f, size, (uint64_t)value);
    } else {
        put_words(f, "%lld ", (long long)value);
    }
}

static void put_number(file *f, int size, double value)
{
    uint64_t bits = 0;
    uint32_t half;
    float narrow = (float)value;
    memcpy(&half, &narrow, sizeof half);
    memcpy(&bits, &value, sizeof bits);
    if (f->binary) {
        put_bits(f, size, size == 4 ? half : bits);
    } else {
        put_words(f, "%.17g ", value);
    }
}

static sn_status parse(const file *f, char format, sn_tetrahedra **mesh, sn_error *error)
{
    return (format == 'm' ? sn_tetrahedra_parse_msh
                          : sn_tetrahedra_parse_vtk)("f", f->bytes, f->length, mesh, error);
}

static sn_tetrahedra *read_back(const file *f, char format)
{
    sn_tetrahedra *mesh = NULL;
    sn_error error = {0};
    if (parse(f, format, &mesh, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return mesh;
}

// ---- meshes ----

// Through memory: gcc 12 leaves out pairs of conversions to four bytes and back that it makes at
// once.
static double narrow(double value)
{
    volatile float kept = (float)value;
    return (double)kept;
}

// A ball whose positions are the same in numbers of four bytes, with regions 3 to 5.
static sn_tetrahedra *make_ball(int nodes)
{
    sn_tetrahedra *ball = NULL, *curved = NULL, *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_sphere(0.7, 1, &ball, NULL), SN_OK);
    assert_int_equal(sn_tetrahedra_quadratic(ball, &curved, NULL), SN_OK);
    const sn_tetrahedra *from = nodes == 4 ? ball : curved;
    int vertices = sn_tetrahedra_vertex_count(from), elements = sn_tetrahedra_element_count(from);
    sn_vec3 *positions = malloc((size_t)vertices * sizeof *positions);
    int *regions = malloc((size_t)elements * sizeof *regions);
    for (int i = 0; i < vertices; ++i) {
        sn_vec3 p = sn_tetrahedra_positions(from)[i];
        positions[i] = (sn_vec3){narrow(p.x), narrow(p.y), narrow(p.z)};
    }
    for (int e = 0; e < elements; ++e) {
        regions[e] = 3 + e % 3;
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = positions;
    def.vertex_count = vertices;
    def.elements = sn_tetrahedra_elements(from);
    def.element_count = elements;
    def.nodes = nodes;
    def.regions = regions;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
    free(positions);
    free(regions);
    sn_tetrahedra_release(ball);
    sn_tetrahedra_release(curved);
    return mesh;
}

static void assert_same(const sn_tetrahedra *a, const sn_tetrahedra *b)
{
    size_t vertices = (size_t)sn_tetrahedra_vertex_count(a);
    size_t elements = (size_t)sn_tetrahedra_element_count(a),
           nodes = (size_t)sn_tetrahedra_nodes(a);
    assert_int_equal(sn_tetrahedra_vertex_count(b), vertices);
    assert_int_equal(sn_tetrahedra_element_count(b), elements);
    assert_int_equal(sn_tetrahedra_nodes(b), nodes);
    assert_memory_equal(sn_tetrahedra_positions(a), sn_tetrahedra_positions(b),
                        vertices * sizeof(sn_vec3));
    assert_memory_equal(sn_tetrahedra_elements(a), sn_tetrahedra_elements(b),
                        elements * nodes * sizeof(int));
    assert_memory_equal(sn_tetrahedra_regions(a), sn_tetrahedra_regions(b), elements * sizeof(int));
}

static void assert_same_names(const sn_tetrahedra *a, const sn_tetrahedra *b, int least)
{
    int count = sn_tetrahedra_region_name_count(a);
    assert_int_equal(sn_tetrahedra_region_name_count(b), count);
    assert_true(count >= least);
    for (int i = 0; i < count; ++i) {
        const sn_region_name *x = &sn_tetrahedra_region_names(a)[i];
        const sn_region_name *y = &sn_tetrahedra_region_names(b)[i];
        assert_int_equal(x->region, y->region);
        assert_string_equal(x->name, y->name);
    }
}

// ---- Gmsh ----

static const int gmsh_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

static void put_head(file *f, const char *version, int size)
{
    put_words(f, "$MeshFormat\n%s %d %d\n", version, f->binary, size);
    if (f->binary) {
        put_bits(f, 4, 1);
        put_words(f, "\n");
    }
    put_words(f, "$EndMeshFormat\n$PhysicalNames\n3\n2 4 \"skin\"\n3 3 \"soft core\"\n"
                 "3 9 \"all\"\n$EndPhysicalNames\n");
}

// A section that is not read, with bytes that look like the end of one.
static void put_data_section(file *f)
{
    put_words(f, "$NodeData\n1\n\"temperature\"\n1\n0\n3\n0\n1\n2\n");
    put_integer(f, 4, 1);
    put_number(f, 8, 1.0);
    put_words(f, f->binary ? " $EndNot " : "\n");
    put_integer(f, 4, 2);
    put_number(f, 8, 2.0);
    put_words(f, "\n$EndNodeData\n");
}

static void put_nodes(file *f, const sn_tetrahedra *t, int e, int size)
{
    int nodes = sn_tetrahedra_nodes(t);
    for (int k = 0; k < nodes; ++k) {
        put_integer(f, size, sn_tetrahedra_elements(t)[e * nodes + gmsh_order[k]] + 11);
    }
    put_words(f, f->binary ? "" : "\n");
}

static void put_position(file *f, int size, sn_vec3 p)
{
    put_number(f, size, p.x);
    put_number(f, size, p.y);
    put_number(f, size, p.z);
}

// What stands before an element of a type: of `alike` in a binary file, of each in a text.
static void put_element_head(file *f, int number, int type, int alike, bool first)
{
    if (f->binary && first) {
        put_integer(f, 4, type);
        put_integer(f, 4, alike);
        put_integer(f, 4, 2);
    }
    put_integer(f, 4, number);
    if (!f->binary) {
        put_words(f, "%d 2 ", type);
    }
}

// Version 2, with nodes from 11 on, one that is not used, a point and a line.
static void write_msh2(file *f, const sn_tetrahedra *t, int alike)
{
    int vertices = sn_tetrahedra_vertex_count(t), elements = sn_tetrahedra_element_count(t);
    put_head(f, "2.2", 8);
    put_words(f, "$Nodes\n%d\n", vertices + 1);
    for (int i = 0; i <= vertices; ++i) {
        put_integer(f, 4, i + 11);
        put_position(f, 8, i < vertices ? sn_tetrahedra_positions(t)[i] : (sn_vec3){9, 9, 9});
    }
    put_words(f, "\n$EndNodes\n");
    put_data_section(f);
    put_words(f, "$Elements\n%d\n", elements + 2);
    for (int k = 0; k < 2; ++k) {
        put_element_head(f, k + 1, k == 0 ? 15 : 1, 1, true);
        for (int n = 0; n < 3 + k; ++n) {
            put_integer(f, 4, 11 + n);
        }
        put_words(f, f->binary ? "" : "\n");
    }
    for (int e = 0; e < elements; ++e) {
        int left = elements - e;
        put_element_head(f, e + 3, sn_tetrahedra_nodes(t) == 4 ? 4 : 11,
                         left < alike ? left : alike, e % alike == 0);
        put_integer(f, 4, sn_tetrahedra_regions(t)[e]);
        put_integer(f, 4, 1);
        put_nodes(f, t, e, 4);
    }
    put_words(f, "\n$EndElements\n");
}

// Volumes 1 to 3 of the groups 3; 9 and 3; and none, with a point and a surface.
static void put_entities(file *f, int size)
{
    static const int groups[5][3] = {{0}, {1, 4}, {1, 3}, {2, 9, 3}, {0}};
    static const int dimensions[5] = {0, 2, 3, 3, 3}, numbers[5] = {1, 1, 1, 2, 3};
    put_words(f, "$Entities\n");
    put_integer(f, size, 1);
    put_integer(f, size, 0);
    put_integer(f, size, 1);
    put_integer(f, size, 3);
    for (int k = 0; k < 5; ++k) {
        put_integer(f, 4, numbers[k]);
        for (int n = 0; n < (k == 0 ? 3 : 6); ++n) {
            put_number(f, 8, n);
        }
        put_integer(f, size, groups[k][0]);
        for (int n = 0; n < groups[k][0]; ++n) {
            put_integer(f, 4, groups[k][1 + n]);
        }
        if (dimensions[k] > 0) {
            put_integer(f, size, k % 2);
            for (int n = 0; n < k % 2; ++n) {
                put_integer(f, 4, -1);
            }
        }
    }
    put_words(f, "\n$EndEntities\n");
}

static void put_block_head(file *f, int size, int dimension, int entity, int kind, int count)
{
    put_integer(f, 4, dimension);
    put_integer(f, 4, entity);
    put_integer(f, 4, kind);
    put_integer(f, size, count);
}

static void put_counts(file *f, int size, int blocks, int count)
{
    put_integer(f, size, blocks);
    put_integer(f, size, count);
    put_integer(f, size, 1);
    put_integer(f, size, count);
}

// Version 4: the first two nodes with parameters on a surface, then the rest; a triangle, then a
// block for every element.
static void write_msh4(file *f, const sn_tetrahedra *t, int size)
{
    int vertices = sn_tetrahedra_vertex_count(t), elements = sn_tetrahedra_element_count(t);
    put_head(f, "4.1", size);
    put_entities(f, size);
    put_words(f, "$Nodes\n");
    put_counts(f, size, 2, vertices);
    for (int b = 0; b < 2; ++b) {
        int first = b == 0 ? 0 : 2, end = b == 0 ? 2 : vertices;
        put_block_head(f, size, 2 + b, 1, b == 0, end - first);
        for (int i = first; i < end; ++i) {
            put_integer(f, size, i + 11);
        }
        for (int i = first; i < end; ++i) {
            put_position(f, 8, sn_tetrahedra_positions(t)[i]);
            for (int n = 0; n < (b == 0 ? 2 : 0); ++n) {
                put_number(f, 8, 0.5);
            }
        }
    }
    put_words(f, "\n$EndNodes\n");
    put_data_section(f);
    put_words(f, "$Elements\n");
    put_counts(f, size, 1 + elements, 1 + elements);
    put_block_head(f, size, 2, 1, 2, 1);
    for (int n = 0; n < 4; ++n) {
        put_integer(f, size, 11 + n);
    }
    put_words(f, f->binary ? "" : "\n");
    for (int e = 0; e < elements; ++e) {
        put_block_head(f, size, 3, 1 + e % 3, sn_tetrahedra_nodes(t) == 4 ? 4 : 11, 1);
        put_integer(f, size, e + 2);
        put_nodes(f, t, e, size);
    }
    put_words(f, "\n$EndElements\n");
}

static void test_gmsh_s_bytes_read_as_its_text(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_tetrahedra *mesh = make_ball(nodes);
        for (int k = 0; k < 8; ++k) {
            bool big_endian = k % 2 != 0, old = k < 4;
            int size = k % 4 < 2 ? 8 : 4; // of counts in version 4, elements alike in version 2
            start(&one, false, false);
            start(&other, true, big_endian);
            (old ? write_msh2 : write_msh4)(&one, mesh, size);
            (old ? write_msh2 : write_msh4)(&other, mesh, size);
            sn_tetrahedra *text = read_back(&one, 'm'), *bytes = read_back(&other, 'm');
            assert_same(text, bytes);
            assert_same_names(text, bytes, old ? 2 : 5);
            if (old) {
                assert_same(mesh, bytes);
            }
            sn_tetrahedra_release(text);
            sn_tetrahedra_release(bytes);
        }
        sn_tetrahedra_release(mesh);
    }
}

// ---- VTK ----

typedef struct number_type {
    const char *name;
    int size;
    bool real;
} number_type;

static const number_type number_types[] = {
    {"int", 4, false},           {"double", 8, true},          {"float", 4, true},
    {"vtktypeint64", 8, false},  {"char", 1, false},           {"unsigned_char", 1, false},
    {"short", 2, false},         {"unsigned_short", 2, false}, {"unsigned_int", 4, false},
    {"long", 8, false},          {"unsigned_long", 8, false},  {"vtkIdType", 4, false},
    {"vtktypeint8", 1, false},   {"vtktypeuint8", 1, false},   {"vtktypeint16", 2, false},
    {"vtktypeint32", 4, false},  {"vtktypeuint16", 2, false},  {"vtktypeuint32", 4, false},
    {"vtktypeuint64", 8, false}, {"vtktypefloat32", 4, true},  {"vtktypefloat64", 8, true},
    {"signed_char", 1, false},
};

enum { NUMBER_TYPES = sizeof number_types / sizeof *number_types };

typedef struct vtk_way {
    bool offsets; // version 5.1
    bool field;   // regions stand in one
    number_type position, number, region;
} vtk_way;

// The cells: a line, the tetrahedra, and a triangle at the end.
static void put_cells(file *f, const sn_tetrahedra *t, const vtk_way *way)
{
    int nodes = sn_tetrahedra_nodes(t), elements = sn_tetrahedra_element_count(t), offset = 0;
    int size = way->offsets ? way->number.size : 4;
    put_words(f, "CELLS %d %d\n", elements + 2 + way->offsets,
              elements * nodes + 5 + (way->offsets ? 0 : elements + 2));
    if (way->offsets) {
        put_words(f, "OFFSETS %s\n", way->number.name);
        for (int c = 0; c <= elements + 2; ++c) {
            put_integer(f, size, offset);
            offset += c == 0 ? 2 : c <= elements ? nodes : 3;
        }
        put_words(f, "\nCONNECTIVITY %s\n", way->number.name);
    }
    for (int c = 0; c < elements + 2; ++c) {
        int count = c == 0 ? 2 : c <= elements ? nodes : 3;
        if (!way->offsets) {
            put_integer(f, size, count);
        }
        for (int k = 0; k < count; ++k) {
            put_integer(f, size,
                        count == nodes ? sn_tetrahedra_elements(t)[(c - 1) * nodes + k] : k);
        }
    }
    put_words(f, "\nCELL_TYPES %d\n", elements + 2);
    for (int c = 0; c < elements + 2; ++c) {
        put_integer(f, 4, c == 0 ? 3 : c > elements ? 5 : nodes == 4 ? 10 : 24);
    }
    put_words(f, "\n");
}

static void put_array(file *f, number_type type, int count)
{
    for (int i = 0; i < count; ++i) {
        if (type.real) {
            put_number(f, type.size, 0.25 * i);
        } else {
            put_integer(f, type.size, i % 100);
        }
    }
    put_words(f, "\n");
}

static void put_string(file *f, int length)
{
    bool small = length < 64;
    if (f->binary) {
        put_bits(f, small ? 1 : 2, (uint64_t)((small ? 3 << 6 : 2 << 14) | length));
    }
    put_words(f, "%0*d%s", length, 0, f->binary ? "" : "\n");
}

// Arrays of every sort, of `count` points or cells.
static void put_other_arrays(file *f, int count)
{
    static const struct {
        const char *words;
        int components;
    } plain[] = {{"VECTORS region float\n", 3},
                 {"NORMALS normals float\n", 3},
                 {"TENSORS stress float\n", 9},
                 {"TENSORS6 strain float\n", 6},
                 {"TEXTURE_COORDINATES c 2 float\n", 2}};
    const number_type real = {"float", 4, true}, byte = {"unsigned_char", 1, false};
    put_words(f, "SCALARS pressure float\nLOOKUP_TABLE colours\n");
    put_array(f, real, count);
    put_words(f, "LOOKUP_TABLE colours 5\n");
    put_array(f, byte, 20);
    put_words(f, "SCALARS pair unsigned_char 2\nLOOKUP_TABLE default\n");
    put_array(f, byte, 2 * count);
    put_words(f, "METADATA\nCOMPONENT_NAMES\nCELLS\nPOINTS\n\nCOLOR_SCALARS shades 3\n");
    put_array(f, byte, 3 * count);
    for (size_t k = 0; k < sizeof plain / sizeof *plain; ++k) {
        put_words(f, "%s", plain[k].words);
        put_array(f, real, plain[k].components * count);
    }
    put_words(f, "GLOBAL_IDS ids vtkIdType\n");
    put_array(f, number_types[0], count);
    put_words(f, "FIELD FieldData 4\nsized 2 %d float\n", count);
    put_array(f, real, 2 * count);
    put_words(f, "METADATA\nINFORMATION 1\nNAME range LOCATION array\nDATA 2 0 1\n\n");
    put_words(f, "NULL_ARRAY\nsaid 1 %d string\n", count);
    for (int i = 0; i < count; ++i) {
        put_string(f, i == 3 ? 300 : 1 + i % 63);
    }
    put_words(f, "\nflags 1 %d bit\n", count);
    put_array(f, byte, f->binary ? (count + 7) / 8 : count);
}

static void put_regions(file *f, const sn_tetrahedra *t, const vtk_way *way)
{
    int count = sn_tetrahedra_element_count(t) + 2;
    if (way->field) {
        put_words(f, "FIELD FieldData 1\nregion 1 %d %s\n", count, way->region.name);
    } else {
        put_words(f, "SCALARS region %s 1\nLOOKUP_TABLE default\n", way->region.name);
    }
    for (int c = 0; c < count; ++c) {
        int region = c == 0 || c == count - 1 ? 99 : sn_tetrahedra_regions(t)[c - 1];
        if (way->region.real) {
            put_number(f, way->region.size, region);
        } else {
            put_integer(f, way->region.size, region);
        }
    }
    put_words(f, "\n");
}

static void write_vtk(file *f, const sn_tetrahedra *t, const vtk_way *way)
{
    int vertices = sn_tetrahedra_vertex_count(t);
    put_words(f, "# vtk DataFile Version %s\nany title\n%s\nDATASET UNSTRUCTURED_GRID\n",
              way->offsets ? "5.1" : "3.0", f->binary ? "BINARY" : "ASCII");
    put_words(f, "FIELD FieldData 1\nTIME 1 1 double\n");
    put_number(f, 8, 1.5);
    put_words(f, "\nPOINTS %d %s\n", vertices, way->position.name);
    for (int i = 0; i < vertices; ++i) {
        put_position(f, way->position.size, sn_tetrahedra_positions(t)[i]);
    }
    put_words(f, "\nMETADATA\nINFORMATION 0\n\n");
    put_cells(f, t, way);
    put_words(f, "POINT_DATA %d\n", vertices);
    put_other_arrays(f, vertices);
    put_words(f, "CELL_DATA %d\n", sn_tetrahedra_element_count(t) + 2);
    put_other_arrays(f, sn_tetrahedra_element_count(t) + 2);
    put_regions(f, t, way);
}

static vtk_way way_of(int k)
{
    return (vtk_way){.offsets = k % 2 != 0,
                     .field = k / 2 % 2 != 0,
                     .position = number_types[1 + k / 4 % 2],
                     .number = number_types[k / 8 % 2 == 0 ? 3 : 0],
                     .region = number_types[k % NUMBER_TYPES]};
}

static void test_vtk_s_bytes_read_as_its_text(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_tetrahedra *mesh = make_ball(nodes);
        for (int k = 0; k < 2 * NUMBER_TYPES; ++k) {
            vtk_way way = way_of(k);
            start(&one, false, false);
            start(&other, true, true);
            write_vtk(&one, mesh, &way);
            write_vtk(&other, mesh, &way);
            sn_tetrahedra *text = read_back(&one, 'v'), *bytes = read_back(&other, 'v');
            assert_same(mesh, text);
            assert_same(mesh, bytes);
            sn_tetrahedra_release(text);
            sn_tetrahedra_release(bytes);
        }
        sn_tetrahedra_release(mesh);
    }
}

// ---- damage ----

// One of six files, each of one element.
static char write_small(file *f, int k)
{
    static const sn_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int element[4] = {0, 1, 2, 3}, region = 3;
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.elements = element;
    def.element_count = 1;
    def.regions = &region;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
    start(f, true, k >= 3 || k == 1);
    if (k < 2) {
        write_msh2(f, mesh, 1);
    } else if (k < 4) {
        write_msh4(f, mesh, 8);
    } else {
        vtk_way way = way_of(k - 4);
        write_vtk(f, mesh, &way);
    }
    sn_tetrahedra_release(mesh);
    return k < 4 ? 'm' : 'v';
}

// Reads from a copy of just the length, so that the sanitizer sees a byte too many.
static sn_status read_exactly(const char *bytes, size_t length, char format, sn_error *error)
{
    char *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, bytes, length);
    sn_tetrahedra *mesh = NULL;
    sn_status status = (format == 'm' ? sn_tetrahedra_parse_msh
                                      : sn_tetrahedra_parse_vtk)("f", copy, length, &mesh, error);
    assert_int_equal(status == SN_OK, mesh != NULL);
    assert_int_equal(status == SN_OK, error->text[0] == '\0');
    sn_tetrahedra_release(mesh);
    free(copy);
    return status;
}

// VTK's files may end behind the cells and behind any array; elsewhere all end too early.
static void test_files_that_end_early_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        char format = write_small(&one, k);
        int read = 0;
        for (size_t length = 0; length <= one.length; ++length) {
            sn_error error = {0};
            bool sound = read_exactly(one.bytes, length, format, &error) == SN_OK;
            read += sound;
            assert_true(!sound || format == 'v' || length + 1 >= one.length);
        }
        assert_true(format == 'm' ? read == 2 : read > 2 && read < 400);
    }
}

static void test_damaged_files_do_no_harm(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    for (int k = 0; k < 6; ++k) {
        char format = write_small(&one, k);
        for (int i = 0; i < 20000; ++i) {
            uint64_t bits = sn_random_bits(&random);
            size_t place = (size_t)(bits >> 32) % one.length;
            char before = one.bytes[place];
            sn_error error = {0};
            one.bytes[place] = (char)(unsigned char)(bits & 255);
            read_exactly(one.bytes, one.length, format, &error);
            one.bytes[place] = before;
        }
    }
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        char format = write_small(&one, k);
        sn_status status = SN_ERROR_MEMORY;
        int after = 0;
        for (; status != SN_OK; ++after) {
            sn_error error = {0};
            sn_tetrahedra *mesh = NULL;
            sn_allocation_fail_after(after);
            status = parse(&one, format, &mesh, &error);
            sn_allocation_fail_after(-1);
            sn_tetrahedra_release(mesh);
            assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        }
        assert_true(after > 8);
    }
}

// ---- errors ----

static void assert_refused(const file *f, char format, size_t byte, const char *says)
{
    sn_error error = {0};
    char place[32];
    snprintf(place, sizeof place, "f, byte %zu", byte);
    assert_int_not_equal(read_exactly(f->bytes, f->length, format, &error), SN_OK);
    if (strcmp(error.place, place) != 0 || strstr(error.text, says) == NULL) {
        fail_msg("%s: %s", error.place, error.text);
    }
}

#define MSH2     "$MeshFormat\n2.2 1 8\n"
#define MSH4     "$MeshFormat\n4.1 1 8\n"
#define END_HEAD "\n$EndMeshFormat\n"

static void start_msh(file *f, const char *head)
{
    start(f, true, false);
    put_words(f, "%s", head);
    put_bits(f, 4, 1);
    put_words(f, END_HEAD);
}

static void test_gmsh_errors_have_places(void **state)
{
    (void)state;
    sn_error error = {0};
    const char *const sizes[] = {"$MeshFormat\n4.1 1 5\n", "$MeshFormat\n2.2 1 4\n"};
    for (int k = 0; k < 2; ++k) {
        assert_int_not_equal(read_exactly(sizes[k], strlen(sizes[k]), 'm', &error), SN_OK);
        assert_string_equal(error.place, "f:2:7");
        assert_non_null(strstr(error.text, "numbers of 8 bytes were expected"));
    }
    start(&one, true, false);
    put_words(&one, MSH2);
    put_bits(&one, 4, 2);
    assert_refused(&one, 'm', 20, "'2'; the number 1, in either order of bytes, was expected");
    start_msh(&one, MSH2);
    put_words(&one, "$Nodes\n2147483647\n");
    put_integer(&one, 4, 1);
    put_position(&one, 8, (sn_vec3){1, 2, 3});
    assert_refused(&one, 'm', one.length,
                   "the file ends here; a node's number, a whole number, was expected");
    start_msh(&one, MSH2);
    put_words(&one, "$Nodes\n1\n");
    put_integer(&one, 4, 1);
    put_position(&one, 8, (sn_vec3){1, 2, (double)NAN});
    assert_refused(&one, 'm', one.length - 8, "a coordinate in the range of numbers was expected");
    start_msh(&one, MSH2);
    put_words(&one, "$Nodes\n0\nmore\n$EndNodes\n");
    assert_refused(&one, 'm', one.length - 15, "'more'; $EndNodes was expected");
    start_msh(&one, MSH2);
    put_words(&one, "$Elements\n2\n");
    put_block_head(&one, 4, 4, 3, 0, 1);
    assert_refused(&one, 'm', one.length - 12,
                   "'3'; a number of elements that are alike, 1 to 2, was expected");
    start_msh(&one, MSH2);
    put_words(&one, "$Elements\n1\n");
    put_block_head(&one, 4, 99, 1, 0, 1);
    assert_refused(&one, 'm', one.length - 4, "elements of Gmsh's type 99, of which it is not");
}

static void test_gmsh_s_counts_are_not_believed(void **state)
{
    (void)state;
    static const char *const sections[] = {"$Nodes\n", "$Elements\n", "$Entities\n"};
    for (int k = 0; k < 3; ++k) {
        start_msh(&one, MSH4);
        put_words(&one, "%s", sections[k]);
        put_bits(&one, 8, UINT64_MAX);
        assert_refused(&one, 'm', one.length - 8, "0 to 2147483647, was expected");
        start_msh(&one, MSH4);
        put_words(&one, "%s", sections[k]);
        put_counts(&one, 8, INT32_MAX, INT32_MAX);
        assert_refused(&one, 'm', one.length, "the file ends here");
    }
    start_msh(&one, MSH4);
    put_words(&one, "$Nodes\n");
    put_counts(&one, 8, 1, 1);
    put_block_head(&one, 8, INT32_MAX, 1, 1, INT32_MAX);
    assert_refused(&one, 'm', one.length, "the file ends here; a node's number");
    start_msh(&one, MSH4);
    put_words(&one, "$Nodes\n");
    put_counts(&one, 8, 1, 1);
    put_block_head(&one, 8, INT32_MAX, 1, 1, 1);
    put_integer(&one, 8, 1);
    put_position(&one, 8, (sn_vec3){1, 2, 3});
    assert_refused(&one, 'm', one.length, "the file ends here; a parameter was expected");
}

static void start_vtk(file *f, const char *words)
{
    start(f, true, true);
    put_words(f, "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n%s", words);
}

// Words alone, and how many bytes from their end on the failure is.
static void assert_words_refused(const char *words, size_t from_end, const char *says)
{
    start_vtk(&one, words);
    assert_refused(&one, 'v', one.length - from_end, says);
}

static void test_vtk_errors_have_places(void **state)
{
    (void)state;
    assert_words_refused("POINTS 1 quad\n", 5, "'quad'; a type such as float");
    assert_words_refused("POINTS 1 bit\n", 4, "'bit'; a type of numbers was expected");
    assert_words_refused("POINTS 2147483647 double\n", 0, "the file ends here; a coordinate");
    assert_words_refused("CELLS 2147483647 2147483647\n", 0, "a number of points of a cell");
    assert_words_refused("CELLS 9 9\nOFFSETS vtktypeint64\n", 0, "an offset, 0 to 0");
    assert_words_refused("CELL_TYPES 2147483647\n", 0, "a cell's type, 0 to 255");
    assert_words_refused("CELLS\1\n", 7, "no word, but other bytes; a heading such as POINTS");
    assert_words_refused("CELL_DATA 2147483647\nTENSORS stress double\n", 0,
                         "a value of an array was expected");
    assert_words_refused("CELL_DATA 3\nSCALARS a double 2147483647\nLOOKUP_TABLE b\n", 0,
                         "a value of an array was expected");
    assert_words_refused("FIELD f 2147483647\n", 0, "a number of components");
    assert_words_refused("FIELD f 1\na 2147483647 2147483647 string\n", 0, "a string's length");
    assert_words_refused("FIELD f 1\na 2147483647 2147483647 bit\n", 0, "a value of an array");
    assert_words_refused("FIELD f 1\na 1 1 string\n\301", 0, "a string was expected");
    assert_words_refused("CELL_DATA 1\nSCALARS region bit\nLOOKUP_TABLE b\n\1", 3,
                         "regions of type bit; numbers were expected");
    assert_words_refused("CELL_DATA 1\nSCALARS region int 3\nLOOKUP_TABLE b\n\1", 3,
                         "regions of 3 numbers; one was expected");
    assert_words_refused("CELL_DATA 1\nSCALARS region char\nLOOKUP_TABLE b\nA", 0,
                         "1 regions of 0 cells; as many were expected");
    start_vtk(&one, "CELL_DATA 1\nSCALARS region float\nLOOKUP_TABLE default\n");
    put_number(&one, 4, 0.5);
    assert_refused(&one, 'v', one.length - 4, "'0.5'; a whole number was expected");
    start_vtk(&one, "CELLS 1 5\n");
    put_integer(&one, 4, -4);
    assert_refused(&one, 'v', one.length - 4, "'-4'; a number of points of a cell");
    start_vtk(&one, "POINTS 1 float\n");
    put_number(&one, 4, (double)INFINITY);
    put_words(&one, "12345678");
    assert_refused(&one, 'v', one.length - 12, "'inf'; a coordinate in the range of numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmsh_s_bytes_read_as_its_text),
        cmocka_unit_test(test_vtk_s_bytes_read_as_its_text),
        cmocka_unit_test(test_files_that_end_early_are_refused),
        cmocka_unit_test(test_damaged_files_do_no_harm),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_gmsh_errors_have_places),
        cmocka_unit_test(test_gmsh_s_counts_are_not_believed),
        cmocka_unit_test(test_vtk_errors_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
