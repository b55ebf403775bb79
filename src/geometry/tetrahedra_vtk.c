// VTK's legacy files, "VTK File Formats", section "Simple Legacy Formats": unstructured grids in
// ASCII. Cells are lists (count and points), or since version 5.1 offsets and points. Regions are
// the cells' scalars of the name region, if there are some.
#include <limits.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_file.h"

enum { TETRA = 10, QUADRATIC_TETRA = 24 }; // cell types

typedef struct vtk_reader {
    sn_words words;
    sn_tetrahedra_parts parts;
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
            sn_words_fail(&r->words, "a binary file; an ASCII one was expected");
        } else if (!sn_words_is(&r->words, "ASCII")) {
            sn_words_fail(&r->words, "ASCII was expected");
        }
    }
    expect(r, "DATASET");
    expect(r, "UNSTRUCTURED_GRID");
}

static void read_points(vtk_reader *r)
{
    int count = count_of(r, "a number of points");
    sn_words_next(&r->words); // type of numbers
    for (int i = 0; i < count && goes_on(r); ++i) {
        double x = sn_words_number(&r->words, "a coordinate");
        double y = sn_words_number(&r->words, "a coordinate");
        double z = sn_words_number(&r->words, "a coordinate");
        sn_tetrahedra_parts_node(&r->parts, i, (sn_vec3){x, y, z});
    }
}

static void read_list(vtk_reader *r, int cells)
{
    for (int c = 0; c < cells && goes_on(r); ++c) {
        int size = (int)sn_words_integer(&r->words, "a number of points of a cell", 0, 1000000);
        r->parts.failed = !sn_array_push(&r->sizes, size);
        for (int k = 0; k < size && goes_on(r); ++k) {
            int64_t point = sn_words_integer(&r->words, "a point's number", 0, INT_MAX);
            r->parts.failed = !sn_array_push(&r->points, point);
        }
    }
}

// `offsets` of them, one more than cells, then all points.
static void read_offsets(vtk_reader *r, int offsets, int size)
{
    int64_t last = 0;
    sn_words_next(&r->words); // type of numbers
    for (int c = 0; c < offsets && goes_on(r); ++c) {
        int64_t offset = sn_words_integer(&r->words, "an offset", last, size);
        if (c > 0) {
            r->parts.failed = !sn_array_push(&r->sizes, (int)(offset - last));
        }
        last = offset;
    }
    expect(r, "CONNECTIVITY");
    sn_words_next(&r->words);
    for (int k = 0; k < size && goes_on(r); ++k) {
        int64_t point = sn_words_integer(&r->words, "a point's number", 0, INT_MAX);
        r->parts.failed = !sn_array_push(&r->points, point);
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
    for (int c = 0; c < count && goes_on(r); ++c) {
        int type = (int)sn_words_integer(&r->words, "a cell's type", 0, 255);
        r->parts.failed = !sn_array_push(&r->types, type);
    }
}

// The word SCALARS is past; only the array that is called region is read.
static void read_scalars(vtk_reader *r)
{
    sn_words_next(&r->words);
    if (!sn_words_is(&r->words, "region") || r->cell_regions.count > 0) {
        return;
    }
    sn_words_skip_line(&r->words); // type, components
    expect(r, "LOOKUP_TABLE");
    sn_words_next(&r->words);
    for (int c = 0; c < r->types.count && goes_on(r); ++c) {
        double region = sn_words_number(&r->words, "a region");
        bool whole = region >= INT_MIN && region <= INT_MAX && region == (double)(int)region;
        if (!whole) {
            sn_words_fail(&r->words, "a whole number was expected");
        }
        r->parts.failed = !sn_array_push(&r->cell_regions, whole ? (int)region : 0);
    }
}

// Cells of four and of ten nodes out of all.
static void take_cells(vtk_reader *r)
{
    if (r->types.count != r->sizes.count) {
        sn_words_fail(&r->words, "%d cells and %d types; as many were expected", r->sizes.count,
                      r->types.count);
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

sn_status sn_tetrahedra_parse_vtk(const char *name, const char *text, size_t length,
                                  sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    vtk_reader r = {.words = sn_words_of(name, text, length, error)};
    bool cell_data = false;
    read_head(&r);
    while (goes_on(&r) && sn_words_next(&r.words)) {
        if (sn_words_is(&r.words, "POINTS") && r.parts.positions.count == 0) {
            read_points(&r);
        } else if (sn_words_is(&r.words, "CELLS") && r.sizes.count == 0) {
            read_cells(&r);
        } else if (sn_words_is(&r.words, "CELL_TYPES") && r.types.count == 0) {
            read_types(&r);
        } else if (sn_words_is(&r.words, "CELL_DATA")) {
            cell_data = true;
        } else if (sn_words_is(&r.words, "POINT_DATA")) {
            cell_data = false;
        } else if (cell_data && sn_words_is(&r.words, "SCALARS")) {
            read_scalars(&r);
        }
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
