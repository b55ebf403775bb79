// Sinew scenes: the JSON file a person writes, read, checked, resolved and turned into a world.
//
//     sn_error_list errors = {0};
//     sn_scene *scene = NULL;
//     if (sn_scene_load_file("mobile.json", NULL, &scene, &errors) != SN_OK) {
//         for (int i = 0; i < errors.count; ++i) { puts(sn_error_message(&errors.items[i])); }
//     }
//     sn_scene_set_param(scene, "draught", 1.5, &error);
//     sn_world *world = NULL;
//     sn_scene_build(scene, &world, &error);
//
// Robots come from URDF files, named in the scene or read by themselves.
//
// JSON with // comments and trailing commas; SI numbers, or strings with units ("30deg", "5mm",
// "2t"), or expressions over the scene's params ("=draught*2"). Every error has the form
// file:line:column: what, and what was expected. One table in C (src/scene/table.c) is the source
// of the parser, the defaults, the JSON Schema and the reference page.
//
// What it does not do: it does not write scenes as a person would (only resolved ones), does not
// follow dimensions through expressions, and does not watch files. A scene may be read by several
// threads, but set_param is a writer's work. Numbers are in SI units, except those of a param,
// which are in the param's own unit.
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include "sinew/joint.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_scene sn_scene;

// All that is wrong with a text, not just the first thing. Zero is an empty list.
typedef struct sn_error_list {
    sn_error *items;
    int count;
    int capacity;
    int left_out; // found beyond the hundred that are kept; a file is read up to its thousandth
} sn_error_list;

SN_API void sn_error_list_free(sn_error_list *list);

// Where "package://name/..." is in URDF files.
typedef struct sn_package {
    const char *name, *folder;
} sn_package;

typedef struct sn_scene_options {
    const char *folder; // where relative names of a scene given as text are looked up; NULL: the
                        // current folder
    // May be NULL. Gives the text of a file that a scene includes, or of a robot's, or NULL to look
    // on the disk: for scenes inside a program. The text must stay until loading ends.
    const char *(*find)(void *user, const char *path, size_t *length);
    void *user;
    bool sealed; // nothing is read from the disk: for texts that come from elsewhere
    // Of URDF files. Faults that have an obvious meaning are mended, with a note each; or are
    // errors.
    bool strict;
    const sn_package *packages;
    int package_count;
    const char *base, *geometry; // of a URDF file by itself, in the words of a scene's `robots`;
                                 // NULL: the usual ones
    // A folder in which filled surfaces are kept for the next time (256 MB at most); NULL: nothing
    // is written anywhere. It is made when it is not there. Not used for sealed texts.
    const char *cache;
    // May be NULL; stays with the scene, whose params may ask for further fills. While Gmsh fills a
    // surface: called after every whole second, and then once more at its end.
    void (*filling)(void *user, const char *surface, double seconds, bool ended);
    void *filling_user;
} sn_scene_options;

// A text that begins with "<" is a URDF file: a scene of that one robot, held by the world unless
// the options say otherwise.
SN_API sn_status sn_scene_load_file(const char *path, const sn_scene_options *options,
                                    sn_scene **scene, sn_error_list *errors);
SN_API sn_status sn_scene_load_text(const char *name, const char *text, size_t length,
                                    const sn_scene_options *options, sn_scene **scene,
                                    sn_error_list *errors);
SN_API void sn_scene_destroy(sn_scene *scene);

SN_API const char *
sn_scene_name(const sn_scene *scene); // its "name", or the file's name without ending
SN_API const char *sn_scene_description(const sn_scene *scene); // may be ""

// What was read and changes nothing, or not as a reader might expect: of URDF files, mostly. Each
// with its place, as errors have it.
SN_API const sn_error_list *sn_scene_notes(const sn_scene *scene);

// How the scene wants to be run.
typedef struct sn_run {
    double time; // s, default 10
    double step; // s, default 1 ms
    sn_policy policy;
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    double record_step; // s between recorded frames, default 1/60; never below step
    int threads;
    uint64_t seed;
} sn_run;

SN_API sn_run sn_scene_run(const sn_scene *scene);

// Runs it otherwise than the scene says: worlds built and texts resolved from now on have these
// settings. Refused when a number is out of the range that the scene format allows. A setting that
// the scene gives as an expression follows it again when a param is set later.
SN_API sn_status sn_scene_set_run(sn_scene *scene, const sn_run *run, sn_error *error);

// Params: numbers a person may turn. Setting one resolves every expression again, or changes
// nothing when a value does not fit. Numbers are in the param's own unit (30 for "deg");
// expressions see them in SI units.
typedef struct sn_param {
    const char *name, *label, *unit;
    double value, minimum, maximum; // infinite where the scene gives no bound
} sn_param;

SN_API int sn_scene_param_count(const sn_scene *scene);
SN_API sn_param sn_scene_param(const sn_scene *scene, int index);
SN_API sn_status sn_scene_set_param(sn_scene *scene, const char *name, double value,
                                    sn_error *error);

// Builds a world as the scene says, its joints put together. Can be called again, after a param has
// changed.
SN_API sn_status sn_scene_build(const sn_scene *scene, sn_world **world, sn_error *error);

// What may not be meant and shows only in a world built from the scene, as it stands: bodies that
// are in each other, steps too long for explicit integrators. Added to `notes`, each with its
// place.
SN_API sn_status sn_scene_check_start(const sn_scene *scene, sn_world *world, sn_error_list *notes,
                                      sn_error *error);

// Carries the scene's present numbers (after sn_scene_set_param) into a world built from it:
// gravity, fields, what acts in the freedoms of joints (springs, friction, limits, drives),
// surfaces of shapes and the numbers of contact; not where joints and bodies are. Structure stays.
SN_API sn_status sn_scene_update(const sn_scene *scene, sn_world *world, sn_error *error);

// Probes by name, bound to a world built from this scene.
typedef struct sn_named_probe {
    const char *name;
    sn_probe probe;
} sn_named_probe;

SN_API int sn_scene_probe_count(const sn_scene *scene);
SN_API sn_status sn_scene_probe(const sn_scene *scene, const sn_world *world, int index,
                                sn_named_probe *probe, sn_error *error);

typedef struct sn_camera {
    bool given; // false: frame the scene automatically
    sn_vec3 position, target;
    double field_of_view; // rad
} sn_camera;

SN_API sn_camera sn_scene_camera(const sn_scene *scene);

// Blows at the scene: its wind that is marked with "breath" gets this strength over time (see
// sn_breath_course), in worlds built and texts resolved from now on. A scene without such a wind
// gets one, a cone from the camera's side around what moves.
typedef struct sn_blow {
    const char *wind; // its name; valid as long as the scene is
    bool made;        // the scene had none
    sn_vec3 position; // of its source
    double speed;     // m/s there, at full strength
} sn_blow;

SN_API sn_status sn_scene_blow(sn_scene *scene, const sn_motion *strength, sn_blow *blow,
                               sn_error *error);

// The scene as one self-contained JSON text: includes merged, params at their present values,
// expressions and units resolved to SI numbers, meshes from files and generators written out as
// vertices and triangles. Freed with sn_scene_free_text.
SN_API sn_status sn_scene_resolved_text(const sn_scene *scene, char **text, size_t *length,
                                        sn_error *error);

// Bodies start from now on as they stand and move in a world built from this scene; joints keep
// their places on the bodies, springs and rods the lengths they had. Worlds built and texts
// resolved later begin there. A position that the scene gives as an expression follows it again
// when a param is set. SN_ERROR_MISMATCH when a body is not in the world.
SN_API sn_status sn_scene_place_bodies(sn_scene *scene, const sn_world *world, sn_error *error);

// The scene's mechanism as URDF, for other programs: bodies with their masses and simple shapes as
// links, joints with limits, damping and friction, hanging on a root link "world". What URDF cannot
// say (loops, springs, drives, the pose at the start, ...) is left out, told in comments of the
// text and in `left_out` (may be NULL); bodies that hang only on joints URDF has no word for are
// refused. Freed with sn_scene_free_text.
typedef struct sn_urdf_options {
    // May be NULL: then only boxes, cylinders and spheres are written. Called with the mesh of
    // every other shape, numbered from 0, in the shape's own frame: keeps it in some file and gives
    // the name that the URDF is to have, which must stay until the next call.
    sn_status (*keep_mesh)(void *user, const char *body, int number, const sn_mesh *mesh,
                           const char **file_name, sn_error *error);
    void *user;
} sn_urdf_options;

SN_API sn_status sn_scene_urdf_text(const sn_scene *scene, const sn_urdf_options *options,
                                    char **text, size_t *length, sn_error_list *left_out,
                                    sn_error *error);

// What the table says: JSON Schema (draft 2020-12) and the reference page in Markdown.
SN_API sn_status sn_scene_schema_text(char **text, size_t *length, sn_error *error);
SN_API sn_status sn_scene_reference_text(char **text, size_t *length, sn_error *error);
SN_API void sn_scene_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif
