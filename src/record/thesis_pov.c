// Scenes of POV-Ray 2.2: triangles in a union (meshes came with 3.0), intensities of ambient,
// diffuse and specular light as single numbers, refraction inside `finish`. `#version 2.0` makes
// later versions read them so.
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "record/output.h"
#include "record/thesis.h"

// ---- views ----

void sn_thesis_grow_box(const sn_thesis_state *state, const sn_thesis_file *surface, sn_aabb *box)
{
    for (int i = 0; i < surface->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int v = surface->faces[i].vertices[k];
            if (v < state->vertex_count) {
                sn_vec3 p = state->positions[v];
                box->lower = sn_vec3_make(fmin(box->lower.x, p.x), fmin(box->lower.y, p.y),
                                          fmin(box->lower.z, p.z));
                box->upper = sn_vec3_make(fmax(box->upper.x, p.x), fmax(box->upper.y, p.y),
                                          fmax(box->upper.z, p.z));
            }
        }
    }
}

sn_thesis_view sn_thesis_view_of(sn_aabb box)
{
    if (!(box.lower.x <= box.upper.x)) {
        box = (sn_aabb){sn_vec3_make(-1.0, -1.0, -1.0), sn_vec3_make(1.0, 1.0, 1.0)};
    }
    sn_thesis_view view = {.field_of_view = 40.0 * SN_PI / 180.0,
                           .aspect = 4.0 / 3.0,
                           .background = {0.85, 0.85, 0.85}};
    view.target = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    sn_vec3 toward = sn_normalize(sn_vec3_make(0.45, -1.0, 0.45));
    sn_vec3 right = sn_normalize(sn_cross(sn_vec3_make(0.0, 0.0, 1.0), toward));
    sn_vec3 up = sn_cross(toward, right);
    // The least distance at which all corners are inside, with a margin of a tenth.
    double half = sn_tan(0.5 * view.field_of_view), distance = 0.0;
    for (int i = 0; i < 8; ++i) {
        sn_vec3 corner =
            sn_vec3_make(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                         i & 4 ? box.upper.z : box.lower.z);
        sn_vec3 c = sn_vec3_sub(corner, view.target);
        double nearer = sn_dot(c, toward);
        distance = fmax(distance, nearer + 1.1 * fabs(sn_dot(c, up)) / half);
        distance = fmax(distance, nearer + 1.1 * fabs(sn_dot(c, right)) / (half * view.aspect));
    }
    view.eye = sn_vec3_add_scaled(view.target, distance > 0.0 ? distance : 1.0, toward);
    return view;
}

// ---- textures ----

sn_status sn_thesis_default_textures(sn_thesis_file *textures, sn_error *error)
{
    static const double colours[3][3] = {
        {0.85, 0.32, 0.22}, {0.93, 0.78, 0.36}, {0.22, 0.50, 0.70}};
    *textures = (sn_thesis_file){.kind = SN_THESIS_TEXTURES, .count = 3};
    textures->textures = sn_allocate_zero(3 * sizeof(sn_thesis_texture));
    if (textures->textures == NULL) {
        textures->count = 0;
        return sn_fail_memory(error, 3 * sizeof(sn_thesis_texture));
    }
    for (int i = 0; i < 3; ++i) {
        sn_thesis_texture *t = &textures->textures[i];
        for (int k = 0; k < 3; ++k) {
            t->ambient[k] = 0.2 * colours[i][k];
            t->diffuse[k] = 0.8 * colours[i][k];
            t->specular[k] = 0.2;
        }
        t->refraction = 1.0;
        t->exponent = 30.0;
    }
    return SN_OK;
}

static double greatest(const double colour[3])
{
    return fmax(fmax(colour[0], colour[1]), colour[2]);
}

static void put_vector(sn_text *text, const double *numbers, int count)
{
    sn_text_add(text, "<");
    for (int k = 0; k < count; ++k) {
        sn_text_add(text, k > 0 ? ", " : "");
        sn_text_number(text, numbers[k]);
    }
    sn_text_add(text, ">");
}

static void put_value(sn_text *text, const char *name, double value)
{
    sn_text_format(text, " %s ", name);
    sn_text_number(text, value);
}

// The pigment has the hue of diffuse (else of ambient) light, `finish` the intensities. Light that
// goes through is filtered by the pigment.
static void put_texture(sn_text *text, const sn_thesis_texture *t, int number)
{
    double diffuse = greatest(t->diffuse), ambient = greatest(t->ambient);
    double through = fmin(greatest(t->transmission), 1.0);
    const double *hue = diffuse > 0.0 ? t->diffuse : through > 0.0 ? t->transmission : t->ambient;
    double scale = greatest(hue) > 0.0 ? 1.0 / greatest(hue) : 0.0;
    const double colour[4] = {scale * hue[0], scale * hue[1], scale * hue[2], through};
    sn_text_format(text, "#declare Texture%d = texture {\n  pigment { color rgbf ", number);
    put_vector(text, colour, 4);
    sn_text_add(text, " }\n  finish {");
    put_value(text, "ambient", ambient);
    put_value(text, "diffuse", diffuse);
    put_value(text, "phong", greatest(t->specular));
    put_value(text, "phong_size", t->exponent);
    if (through > 0.0 && t->refraction > 0.0) {
        sn_text_add(text, " refraction 1");
        put_value(text, "ior", t->refraction);
    }
    sn_text_add(text, " }\n}\n");
}

// ---- scenes ----

static void put_camera(sn_text *text, const sn_thesis_view *view)
{
    // With `right` negative space is right-handed; `direction` is as long as the picture's height
    // of 1 is far away.
    double half = 0.5 * view->field_of_view;
    double reach = 0.5 * sn_cos(half) / sn_sin(half);
    sn_text_add(text, "camera {\n  location ");
    put_vector(text, &view->eye.x, 3);
    sn_text_add(text, "\n  sky <0, 0, 1>\n  direction ");
    put_vector(text, (double[]){0.0, 0.0, reach}, 3);
    sn_text_add(text, "\n  up <0, 1, 0>\n  right ");
    put_vector(text, (double[]){-view->aspect, 0.0, 0.0}, 3);
    sn_text_add(text, "\n  look_at ");
    put_vector(text, &view->target.x, 3);
    sn_text_add(text, "\n}\n");
}

// A light at infinity stands a thousand times as far off as the eye, in its direction.
static void put_light(sn_text *text, const sn_thesis_light *light, const sn_thesis_view *view)
{
    double w = light->position[3], place[3];
    double far = 1000.0 * sn_distance(view->eye, view->target);
    const double *middle = &view->target.x, *p = light->position;
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int k = 0; k < 3; ++k) {
        place[k] = w != 0.0 ? p[k] / w : middle[k] + (length > 0.0 ? far / length * p[k] : 0.0);
    }
    sn_text_add(text, "light_source { ");
    put_vector(text, place, 3);
    sn_text_add(text, " color rgb ");
    put_vector(text, light->colour, 3);
    sn_text_add(text, " }\n");
}

static void put_lights(sn_text *text, const sn_thesis_file *lights, const sn_thesis_view *view)
{
    for (int i = 0; lights != NULL && i < lights->count; ++i) {
        put_light(text, &lights->lights[i], view);
    }
    if (lights == NULL) {
        sn_vec3 to = sn_vec3_sub(view->eye, view->target);
        double far = sn_length(to);
        sn_thesis_light lamp = {{view->eye.x - 0.5 * far, view->eye.y, view->eye.z + far, 1.0},
                                {1.0, 1.0, 1.0}};
        put_light(text, &lamp, view);
    }
}

// POV-Ray refuses triangles without area, so they are left out.
static bool is_flat(const sn_vec3 *p, const int v[3])
{
    sn_vec3 normal = sn_cross(sn_vec3_sub(p[v[1]], p[v[0]]), sn_vec3_sub(p[v[2]], p[v[0]]));
    return !(sn_dot(normal, normal) > 0.0);
}

static void put_faces(sn_text *text, const sn_thesis_state *state, const sn_thesis_file *surface)
{
    sn_text_add(text, "union {\n");
    for (int i = 0; i < surface->count; ++i) {
        const sn_thesis_face *face = &surface->faces[i];
        if (is_flat(state->positions, face->vertices)) {
            continue;
        }
        sn_text_add(text, "  triangle { ");
        for (int k = 0; k < 3; ++k) {
            put_vector(text, &state->positions[face->vertices[k]].x, 3);
            sn_text_add(text, k < 2 ? ", " : " ");
        }
        sn_text_format(text, "texture { Texture%d } }\n", face->texture);
    }
    sn_text_add(text, "}\n");
}

static sn_status check_textures(const sn_thesis_file *surface, const sn_thesis_file *textures,
                                sn_error *error)
{
    for (int i = 0; i < surface->count; ++i) {
        int texture = surface->faces[i].texture;
        if (texture < 0 || texture >= textures->count) {
            return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                           "face %d has texture %d; 0 to %d, the textures there are, were expected",
                           i, texture, textures->count - 1);
        }
    }
    return SN_OK;
}

sn_status sn_thesis_write_pov(const sn_thesis_state *state, const sn_thesis_file *surface,
                              const sn_thesis_file *textures, const sn_thesis_file *lights,
                              const sn_thesis_view *view, const char *path, sn_error *error)
{
    sn_thesis_file usual = {0};
    sn_status status = sn_thesis_check_vertices(surface, NULL, state->vertex_count, error);
    if (status == SN_OK && textures == NULL) {
        status = sn_thesis_default_textures(&usual, error);
        textures = &usual;
    }
    if (status == SN_OK) {
        status = check_textures(surface, textures, error);
    }
    sn_text text = {0};
    if (status == SN_OK) {
        sn_text_add(&text, "// t = ");
        sn_text_number(&text, state->time);
        sn_text_add(&text, "\n#version 2.0\nbackground { color rgb ");
        put_vector(&text, view->background, 3);
        sn_text_add(&text, " }\n");
        put_camera(&text, view);
        put_lights(&text, lights, view);
        for (int i = 0; i < textures->count; ++i) {
            put_texture(&text, &textures->textures[i], i);
        }
        put_faces(&text, state, surface);
        status = text.failed ? sn_fail_memory(error, text.length)
                             : sn_output_file(path, text.data, text.length, error);
    }
    sn_text_free(&text);
    sn_thesis_file_free(&usual);
    return status;
}
