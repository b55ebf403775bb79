// Meshes from files. PLY, STL, OBJ and OFF are read here (polygons.h); glTF, DAE and DXF through
// assimp's C interface. Define SN_WITHOUT_ASSIMP to build without it.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/loop_fill.h"
#include "geometry/mesh_file.h"
#include "geometry/polygons.h"
#include "geometry/tetrahedra_file.h"
#include "geometry/weld.h"
#include "math/elementary.h"
#include "sinew/geometry.h"

#ifndef SN_WITHOUT_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#endif

sn_import_options sn_default_import_options(void)
{
    sn_import_options options = {.unit = 0.0, .up = SN_UP_FILE, .merge_distance = 0.0};
    return options;
}

bool sn_unit_from_name(const char *name, double *metres)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        if (strcmp(name, units[i].name) == 0) {
            *metres = units[i].metres;
            return true;
        }
    }
    return false;
}

typedef enum file_format { OBJ, STL, PLY, OFF, GLTF, DAE, DXF, UNKNOWN } file_format;

static file_format format_of(const char *path)
{
    static const struct {
        const char *ending;
        file_format format;
    } endings[] = {{".obj", OBJ},   {".stl", STL},  {".ply", PLY}, {".off", OFF},
                   {".gltf", GLTF}, {".glb", GLTF}, {".dae", DAE}, {".dxf", DXF}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
        const char *a = dot, *b = endings[i].ending;
        while (*a != '\0' && (*a >= 'A' && *a <= 'Z' ? *a + 32 : *a) == *b) {
            ++a;
            ++b;
        }
        if (*a == '\0' && *b == '\0') {
            return endings[i].format;
        }
    }
    return UNKNOWN;
}

typedef struct importer {
    const char *path;
    file_format format;
    sn_import_options options;
    sn_mesh_builder builder;
    sn_error *error;
    SN_ARRAY(sn_vec3) corners; // of one face
    SN_ARRAY(int) corner_vertex;
    SN_ARRAY(int) triangles; // of one face
} importer;

static void importer_free(importer *in)
{
    sn_mesh_builder_free(&in->builder);
    sn_array_free(&in->corners);
    sn_array_free(&in->corner_vertex);
    sn_array_free(&in->triangles);
}

// ---- placing ----

// x_world = m x + t, in double: files of many nested nodes lose less.
typedef struct placement {
    sn_mat3 m;
    sn_vec3 t;
} placement;

// From what the file has to metres with z up.
static placement plain_placement(const importer *in)
{
    static const sn_mat3 from_x = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    static const sn_mat3 from_y = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    bool file_says_y = in->options.up == SN_UP_FILE && (in->format == GLTF || in->format == DAE);
    placement place = {SN_MAT3_IDENTITY, SN_VEC3_ZERO};
    if (in->options.up == SN_UP_X) {
        place.m = from_x;
    } else if (in->options.up == SN_UP_Y || file_says_y) {
        place.m = from_y;
    }
    if (in->format == DXF) { // which assimp turns to y up
        place.m = sn_mat3_multiply(place.m, from_y);
    }
    place.m = sn_mat3_scale(in->options.unit > 0.0 ? in->options.unit : 1.0, place.m);
    return place;
}

// ---- faces ----

static sn_status out_of_memory(const importer *in)
{
    return sn_fail_memory(in->error, (size_t)in->builder.positions.count * sizeof(sn_vec3));
}

// Corners of a face, without those that repeat the one before.
static bool read_corners(importer *in, const int *indices, int count, int first_vertex)
{
    sn_array_clear(&in->corners);
    sn_array_clear(&in->corner_vertex);
    for (int i = 0; i < count; ++i) {
        int vertex = first_vertex + indices[i];
        sn_vec3 p = in->builder.positions.data[vertex];
        if (in->corners.count > 0 &&
            sn_distance(p, in->corners.data[in->corners.count - 1]) == 0.0) {
            continue;
        }
        if (!sn_array_push(&in->corners, p) || !sn_array_push(&in->corner_vertex, vertex)) {
            return false;
        }
    }
    while (in->corners.count > 1 &&
           sn_distance(in->corners.data[0], in->corners.data[in->corners.count - 1]) == 0.0) {
        in->corners.count -= 1;
    }
    return sn_array_reserve(&in->triangles, 3 * SN_TRIANGULATION_CAPACITY(in->corners.count, 1));
}

static void add_triangle(importer *in, int a, int b, int c, bool mirrored)
{
    const int *v = in->corner_vertex.data;
    sn_mesh_builder_triangle(&in->builder, v[a], v[mirrored ? c : b], v[mirrored ? b : c]);
}

// A face of a mesh in the file; both have names or numbers for messages.
typedef struct face_name {
    const char *mesh;
    unsigned index;
} face_name;

static bool face_is_finite(const importer *in, const int *indices, int count, int first_vertex)
{
    for (int i = 0; i < count; ++i) {
        if (!sn_vec3_is_finite(in->builder.positions.data[first_vertex + indices[i]])) {
            return false;
        }
    }
    return true;
}

// Points and lines have no surface and are left out.
static sn_status add_face(importer *in, const int *indices, int size, int first_vertex,
                          bool mirrored, face_name name)
{
    if (in->options.repair != NULL && !face_is_finite(in, indices, size, first_vertex)) {
        in->options.repair->lost_faces += 1;
        return SN_OK;
    }
    if (!read_corners(in, indices, size, first_vertex)) {
        return out_of_memory(in);
    }
    if (in->corners.count < 3) {
        return SN_OK;
    }
    if (in->corners.count == 3) {
        add_triangle(in, 0, 1, 2, mirrored);
        return SN_OK;
    }
    sn_error cause = {0};
    int count = 0;
    sn_status status = sn_triangulate_polygon(in->corners.data, &in->corners.count, 1,
                                              in->triangles.data, &count, &cause);
    if (status == SN_ERROR_GEOMETRY && in->options.repair != NULL) {
        count = in->corners.count - 2;
        in->options.repair->cut_faces += 1;
        status = sn_loop_fill(in->corners.data, in->corners.count, NULL, NULL, in->triangles.data)
                     ? SN_OK
                     : SN_ERROR_MEMORY;
    }
    if (status != SN_OK) {
        return sn_fail(in->error, status, in->path, "face %u%s%.60s%s: %s", name.index,
                       name.mesh != NULL ? " of mesh '" : "", name.mesh != NULL ? name.mesh : "",
                       name.mesh != NULL ? "'" : "", sn_error_message(&cause));
    }
    for (int t = 0; t < count; ++t) {
        const int *v = in->triangles.data + 3 * (size_t)t;
        add_triangle(in, v[0], v[1], v[2], mirrored);
    }
    return SN_OK;
}

// A vertex where it belongs in metres; one that is not finite is refused, or kept for a repair to
// leave out its faces.
static sn_status add_vertex(importer *in, placement place, sn_vec3 own, unsigned index)
{
    sn_vec3 p = sn_vec3_add(place.t, sn_mat3_apply(place.m, own));
    if (!sn_vec3_is_finite(p) && in->options.repair == NULL) {
        return sn_fail(in->error, SN_ERROR_GEOMETRY, in->path,
                       "vertex %u is at (%g, %g, %g); finite numbers were expected", index, own.x,
                       own.y, own.z);
    }
    sn_mesh_builder_vertex(&in->builder, p);
    return SN_OK;
}

// ---- files that are read here ----

static sn_status add_polygons(importer *in, const sn_polygons *polygons)
{
    placement place = plain_placement(in);
    bool mirrored = sn_mat3_determinant(place.m) < 0.0;
    sn_status status = SN_OK;
    for (int i = 0; i < polygons->positions.count && status == SN_OK; ++i) {
        status = add_vertex(in, place, polygons->positions.data[i], (unsigned)i);
    }
    if (status == SN_OK && in->builder.failed) {
        status = out_of_memory(in);
    }
    const int *corners = polygons->corners.data;
    for (int f = 0; f < polygons->sizes.count && status == SN_OK; ++f) {
        int size = polygons->sizes.data[f];
        if (size == 0) {
            continue;
        }
        status = add_face(in, corners, size, 0, mirrored, (face_name){NULL, (unsigned)f});
        corners += size;
    }
    return status;
}

static sn_status read_polygons(importer *in)
{
    static sn_polygons_parser *const parsers[] = {[OBJ] = sn_polygons_parse_obj,
                                                  [STL] = sn_polygons_parse_stl,
                                                  [PLY] = sn_polygons_parse_ply,
                                                  [OFF] = sn_polygons_parse_off};
    char *text = NULL;
    size_t length = 0;
    sn_polygons polygons = {0};
    sn_status status = sn_file_read_text(in->path, &text, &length, in->error);
    if (status == SN_OK) {
        sn_error cause = {0};
        status = parsers[in->format](in->path, text, length, &polygons, &cause);
        if (status != SN_OK) {
            status = status == SN_ERROR_SYNTAX ? SN_ERROR_FORMAT : status;
            sn_fail(in->error, status, cause.place, "%s", cause.text);
        }
    }
    sn_free(text);
    if (status == SN_OK) {
        status = add_polygons(in, &polygons);
    }
    sn_polygons_free(&polygons);
    return status;
}

// ---- files that assimp reads ----

#ifdef SN_WITHOUT_ASSIMP

static sn_status read_scene(importer *in)
{
    return sn_fail(
        in->error, SN_ERROR_UNSUPPORTED, in->path,
        "glTF, DAE and DXF need assimp, which this build lacks; OBJ, STL, PLY or OFF was "
        "expected");
}

#else

static placement node_placement(placement parent, const struct aiMatrix4x4 *a)
{
    sn_mat3 m = {{{a->a1, a->a2, a->a3}, {a->b1, a->b2, a->b3}, {a->c1, a->c2, a->c3}}};
    sn_vec3 t = {a->a4, a->b4, a->c4};
    placement own = {sn_mat3_multiply(parent.m, m),
                     sn_vec3_add(parent.t, sn_mat3_apply(parent.m, t))};
    return own;
}

// assimp turns DAE to y up as declared there, and scales it to metres by its root node; an explicit
// unit takes that scale out again.
static placement scene_placement(const importer *in, const struct aiMatrix4x4 *root)
{
    placement place = plain_placement(in);
    if (in->format == DAE && in->options.unit > 0.0) {
        placement unit = node_placement((placement){SN_MAT3_IDENTITY, SN_VEC3_ZERO}, root);
        double declared = sn_cbrt(fabs(sn_mat3_determinant(unit.m)));
        place.m = declared > 0.0 ? sn_mat3_scale(1.0 / declared, place.m) : place.m;
    }
    return place;
}

static sn_status add_mesh(importer *in, const struct aiMesh *mesh, placement place)
{
    int first = in->builder.positions.count;
    sn_status status = SN_OK;
    for (unsigned i = 0; status == SN_OK && i < mesh->mNumVertices; ++i) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        status = add_vertex(in, place, sn_vec3_make(v->x, v->y, v->z), i);
    }
    if (status == SN_OK && in->builder.failed) {
        return out_of_memory(in);
    }
    bool mirrored = sn_mat3_determinant(place.m) < 0.0;
    for (unsigned f = 0; status == SN_OK && f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        for (unsigned i = 0; i < face->mNumIndices; ++i) {
            if (face->mIndices[i] >= mesh->mNumVertices) {
                return sn_fail(in->error, SN_ERROR_FORMAT, in->path,
                               "face %u of mesh '%.60s' names vertex %u of %u", f, mesh->mName.data,
                               face->mIndices[i], mesh->mNumVertices);
            }
        }
        status = add_face(in, (const int *)face->mIndices, (int)face->mNumIndices, first, mirrored,
                          (face_name){mesh->mName.data, f});
    }
    return status;
}

static sn_status add_node(importer *in, const struct aiScene *scene, const struct aiNode *node,
                          placement parent, int depth)
{
    if (depth > 1000) {
        return sn_fail(in->error, SN_ERROR_FORMAT, in->path,
                       "nodes are nested deeper than 1000 levels");
    }
    placement place = node_placement(parent, &node->mTransformation);
    sn_status status = SN_OK;
    for (unsigned i = 0; status == SN_OK && i < node->mNumMeshes; ++i) {
        status = add_mesh(in, scene->mMeshes[node->mMeshes[i]], place);
    }
    for (unsigned i = 0; status == SN_OK && i < node->mNumChildren; ++i) {
        status = add_node(in, scene, node->mChildren[i], place, depth + 1);
    }
    return status;
}

static const struct aiScene *open_scene(const importer *in)
{
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (in->options.up != SN_UP_FILE) {
        aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    }
    const struct aiScene *scene = aiImportFileExWithProperties(in->path, 0, NULL, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

static sn_status read_scene(importer *in)
{
    const struct aiScene *scene = open_scene(in);
    if (scene == NULL) {
        return sn_fail(in->error, SN_ERROR_FORMAT, in->path, "cannot be understood: %.300s",
                       aiGetErrorString());
    }
    sn_status status = SN_OK;
    if (scene->mRootNode != NULL) {
        placement place = scene_placement(in, &scene->mRootNode->mTransformation);
        status = add_node(in, scene, scene->mRootNode, place, 0);
    }
    aiReleaseImport(scene);
    return status;
}

#endif

// ---- the file ----

static sn_status check_request(const importer *in)
{
    if (in->format == UNKNOWN) {
        return sn_fail(
            in->error, SN_ERROR_UNSUPPORTED, in->path,
            "not a mesh file by its name; .obj, .stl, .ply, .off, .gltf, .glb, .dae or .dxf "
            "was expected");
    }
    const sn_import_options *o = &in->options;
    if (!(o->unit >= 0.0) || !isfinite(o->unit) || !isfinite(o->merge_distance) ||
        (unsigned)o->up > SN_UP_Z) {
        return sn_fail(
            in->error, SN_ERROR_ARGUMENT, in->path,
            "unit %g, up axis %d, merge distance %g; a unit not below 0, an axis from the "
            "list and a finite distance were expected",
            o->unit, (int)o->up, o->merge_distance);
    }
    FILE *file = fopen(in->path, "rb");
    bool readable = file != NULL && fgetc(file) != EOF;
    if (file == NULL) {
        return sn_fail(in->error, SN_ERROR_FILE, in->path, "cannot be opened for reading: %s",
                       strerror(errno));
    }
    fclose(file);
    if (!readable) {
        return sn_fail(in->error, SN_ERROR_FORMAT, in->path, "is empty or cannot be read");
    }
    return in->format == DAE ? sn_dae_file_check(in->path, in->error) : SN_OK;
}

static sn_status finish(importer *in, sn_mesh **mesh)
{
    if (in->builder.failed || !sn_weld(&in->builder, in->options.merge_distance)) {
        return out_of_memory(in);
    }
    if (in->builder.triangles.count == 0) {
        return sn_fail(in->error, SN_ERROR_FORMAT, in->path, "has no faces");
    }
    return sn_mesh_builder_finish(&in->builder, mesh, in->error);
}

sn_status sn_mesh_import(const char *path, const sn_import_options *options, sn_mesh **mesh,
                         sn_error *error)
{
    *mesh = NULL;
    importer in = {.path = path, .format = format_of(path), .error = error};
    in.options = options != NULL ? *options : sn_default_import_options();
    sn_status status = check_request(&in);
    if (status == SN_OK) {
        status = in.format <= OFF ? read_polygons(&in) : read_scene(&in);
    }
    if (status == SN_OK) {
        status = finish(&in, mesh);
    }
    importer_free(&in);
    return status;
}
