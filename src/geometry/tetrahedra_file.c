#include "geometry/tetrahedra_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"

typedef enum file_format { MSH, VTK, TETGEN, UNKNOWN } file_format;

static file_format format_of(const char *path)
{
    static const struct {
        const char *ending;
        file_format format;
    } endings[] = {{".msh", MSH}, {".vtk", VTK}, {".node", TETGEN}, {".ele", TETGEN}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
        if (strcmp(dot, endings[i].ending) == 0) {
            return endings[i].format;
        }
    }
    return UNKNOWN;
}

static sn_status fail_format(const char *path, sn_error *error)
{
    return sn_fail(error, SN_ERROR_UNSUPPORTED, path,
                   "the ending names no format of tetrahedra; .msh, .vtk, .node or .ele was "
                   "expected");
}

static sn_status fail_file(const char *path, const char *what, sn_error *error)
{
    return sn_fail(error, SN_ERROR_FILE, path, "cannot be %s: %s", what,
                   errno != 0 ? strerror(errno) : "input or output failed");
}

// The path with another ending; NULL when memory runs out.
static char *with_ending(const char *path, const char *ending)
{
    size_t stem = (size_t)(strrchr(path, '.') - path);
    char *made = sn_allocate(stem + strlen(ending) + 1);
    if (made != NULL) {
        memcpy(made, path, stem);
        memcpy(made + stem, ending, strlen(ending) + 1);
    }
    return made;
}

// ---- reading ----

sn_status sn_file_read_text(const char *path, char **text, size_t *length, sn_error *error)
{
    *text = NULL;
    *length = 0;
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_file(path, "opened for reading", error);
    }
    sn_status status = SN_OK;
    size_t room = 0, got = 1;
    while (status == SN_OK && got > 0) {
        if (*length == room) {
            room = room == 0 ? 65536 : 2 * room;
            char *grown = sn_reallocate(*text, room);
            if (grown == NULL) {
                status = sn_fail_memory(error, room);
                break;
            }
            *text = grown;
        }
        got = fread(*text + *length, 1, room - *length, file);
        *length += got;
        if (ferror(file)) {
            status = fail_file(path, "read", error);
        }
    }
    fclose(file);
    if (status != SN_OK) {
        sn_free(*text);
        *text = NULL;
    }
    return status;
}

static sn_status read_tetgen(const char *path, sn_tetrahedra **tetrahedra, sn_error *error)
{
    char *names[2] = {with_ending(path, ".node"), with_ending(path, ".ele")};
    char *texts[2] = {NULL, NULL};
    size_t lengths[2];
    sn_status status = SN_OK;
    if (names[0] == NULL || names[1] == NULL) {
        status = sn_fail_memory(error, strlen(path));
    }
    for (int k = 0; k < 2 && status == SN_OK; ++k) {
        status = sn_file_read_text(names[k], &texts[k], &lengths[k], error);
    }
    if (status == SN_OK) {
        status = sn_tetrahedra_parse_tetgen(names[0], texts[0], lengths[0], names[1], texts[1],
                                            lengths[1], tetrahedra, error);
    }
    for (int k = 0; k < 2; ++k) {
        sn_free(texts[k]);
        sn_free(names[k]);
    }
    return status;
}

sn_status sn_tetrahedra_read(const char *path, sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    file_format format = format_of(path);
    if (format == UNKNOWN) {
        return fail_format(path, error);
    }
    if (format == TETGEN) {
        return read_tetgen(path, tetrahedra, error);
    }
    char *text;
    size_t length;
    sn_status status = sn_file_read_text(path, &text, &length, error);
    if (status == SN_OK) {
        status = (format == MSH ? sn_tetrahedra_parse_msh
                                : sn_tetrahedra_parse_vtk)(path, text, length, tetrahedra, error);
        sn_free(text);
    }
    return status;
}

// ---- writing ----

// Nodes of an element, `base` added, in an order of the format's.
static void put_nodes(FILE *file, const sn_tetrahedra *t, int element, int base, const int *order)
{
    const int *v = t->elements + (size_t)element * (size_t)t->nodes;
    for (int k = 0; k < t->nodes; ++k) {
        fprintf(file, " %d", v[order != NULL ? order[k] : k] + base);
    }
}

static void put_position(FILE *file, sn_vec3 p)
{
    fprintf(file, "%.17g %.17g %.17g\n", p.x, p.y, p.z);
}

static void write_msh(FILE *file, const sn_tetrahedra *t)
{
    static const int order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    if (t->region_name_count > 0) {
        fprintf(file, "$PhysicalNames\n%d\n", t->region_name_count);
        for (int i = 0; i < t->region_name_count; ++i) {
            fprintf(file, "3 %d \"%s\"\n", t->region_names[i].region, t->region_names[i].name);
        }
        fprintf(file, "$EndPhysicalNames\n");
    }
    fprintf(file, "$Nodes\n%d\n", t->vertex_count);
    for (int i = 0; i < t->vertex_count; ++i) {
        fprintf(file, "%d ", i + 1);
        put_position(file, t->positions[i]);
    }
    fprintf(file, "$EndNodes\n$Elements\n%d\n", t->element_count);
    for (int e = 0; e < t->element_count; ++e) {
        fprintf(file, "%d %d 2 %d 1", e + 1, t->nodes == 4 ? 4 : 11, t->regions[e]);
        put_nodes(file, t, e, 1, order);
        fputc('\n', file);
    }
    fprintf(file, "$EndElements\n");
}

static void write_vtk(FILE *file, const sn_tetrahedra *t)
{
    fprintf(file, "# vtk DataFile Version 3.0\ntetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    fprintf(file, "POINTS %d double\n", t->vertex_count);
    for (int i = 0; i < t->vertex_count; ++i) {
        put_position(file, t->positions[i]);
    }
    fprintf(file, "CELLS %d %lld\n", t->element_count,
            (long long)t->element_count * (t->nodes + 1));
    for (int e = 0; e < t->element_count; ++e) {
        fprintf(file, "%d", t->nodes);
        put_nodes(file, t, e, 0, NULL);
        fputc('\n', file);
    }
    fprintf(file, "CELL_TYPES %d\n", t->element_count);
    for (int e = 0; e < t->element_count; ++e) {
        fprintf(file, "%d\n", t->nodes == 4 ? 10 : 24);
    }
    fprintf(file, "CELL_DATA %d\nSCALARS region int 1\nLOOKUP_TABLE default\n", t->element_count);
    for (int e = 0; e < t->element_count; ++e) {
        fprintf(file, "%d\n", t->regions[e]);
    }
}

static void write_node(FILE *file, const sn_tetrahedra *t)
{
    fprintf(file, "%d 3 0 0\n", t->vertex_count);
    for (int i = 0; i < t->vertex_count; ++i) {
        fprintf(file, "%d ", i);
        put_position(file, t->positions[i]);
    }
}

static void write_ele(FILE *file, const sn_tetrahedra *t)
{
    fprintf(file, "%d %d 1\n", t->element_count, t->nodes);
    for (int e = 0; e < t->element_count; ++e) {
        fprintf(file, "%d", e);
        put_nodes(file, t, e, 0, NULL);
        fprintf(file, " %d\n", t->regions[e]);
    }
}

static sn_status write_file(const char *path, const sn_tetrahedra *t,
                            void (*write)(FILE *, const sn_tetrahedra *), sn_error *error)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return fail_file(path, "opened for writing", error);
    }
    write(file, t);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    return failed ? fail_file(path, "written", error) : SN_OK;
}

sn_status sn_tetrahedra_write(const sn_tetrahedra *tetrahedra, const char *path, sn_error *error)
{
    file_format format = format_of(path);
    if (format == UNKNOWN) {
        return fail_format(path, error);
    }
    if (format != TETGEN) {
        return write_file(path, tetrahedra, format == MSH ? write_msh : write_vtk, error);
    }
    char *node = with_ending(path, ".node"), *ele = with_ending(path, ".ele");
    sn_status status = node == NULL || ele == NULL ? sn_fail_memory(error, strlen(path)) : SN_OK;
    status = status == SN_OK ? write_file(node, tetrahedra, write_node, error) : status;
    status = status == SN_OK ? write_file(ele, tetrahedra, write_ele, error) : status;
    sn_free(ele);
    sn_free(node);
    return status;
}
