// What a scene becomes in memory: one struct per object of the table, filled by the parser, read by
// the builder.
#ifndef SN_SCENE_MODEL_H
#define SN_SCENE_MODEL_H

#include "base/arena.h"
#include "base/array.h"
#include "scene/expression.h"
#include "scene/table.h"
#include "sinew/elastic.h"
#include "sinew/geometry.h"
#include "sinew/scene.h"
#include "sinew/wind.h"

typedef struct sn_place {
    int source; // index in sn_scene.sources
    int line, column;
} sn_place;

// A file, or a text that was handed over.
typedef struct sn_source {
    const char *name;   // for messages
    const char *folder; // where the names in it are looked up; "": the current folder
} sn_source;

// Every object starts with this.
typedef struct sn_item {
    const sn_object *table; // the variant, where there are several
    sn_place place;
    sn_place *places; // of each key's value; line 0 where the key is not given
    bool faulty;      // a mistake was reported inside
} sn_item;

typedef struct sn_named_item {
    sn_item item;
    const char *name; // NULL: none given
} sn_named_item;

typedef struct sn_item_list {
    sn_item **data;
    int count, capacity;
    bool single; // one object that stands there without a list
} sn_item_list;

typedef struct sn_one_or_name {
    const char *name; // NULL: the object itself
    sn_item_list own;
} sn_one_or_name;

typedef struct sn_number_list {
    double *data;
    int count;
} sn_number_list;

typedef struct sn_row_list {
    double *data; // row after row: count * width
    int count, width;
} sn_row_list;

typedef struct sn_vector_list {
    sn_vec3 *data;
    int count;
} sn_vector_list;

typedef struct sn_loop_list {
    sn_vector_list *data;
    int count;
} sn_loop_list;

typedef struct sn_index_list {
    int *data; // 3 * count
    int count;
} sn_index_list;

typedef struct sn_string_list {
    const char **data;
    sn_place *places; // of each
    int count;
    const char **keys;    // of each, where they stand in an object; NULL: in a list
    sn_place *key_places; // likewise
} sn_string_list;

typedef enum sn_rotation_kind {
    SN_ROTATION_NONE,
    SN_ROTATION_QUATERNION, // w x y z
    SN_ROTATION_AXIS,       // x y z angle
    SN_ROTATION_EULER,      // about x, y, z
} sn_rotation_kind;

typedef struct sn_rotation_value {
    sn_rotation_kind kind;
    double numbers[4];
} sn_rotation_value;

typedef struct sn_quantity_value {
    double number;
    bool in_si; // it had a unit or was an expression; else a bare number whose unit the context
                // gives
    bool has_dimension;
    sn_dimension dimension;
    const char *unit_text; // as it was written; NULL: without unit
    int binding;           // the expression that computes it, counted from 1; 0: none
} sn_quantity_value;

// Numbers of which each may have a dimension of its own.
typedef struct sn_quantity_list {
    sn_quantity_value *data;
    sn_place *places; // of each
    int count;
    bool single; // one number that counts for all
} sn_quantity_list;

// A number at several times.
typedef struct sn_course {
    double *times;
    sn_quantity_value *values;
    sn_place *places; // of each point
    int count;
} sn_course;

typedef struct sn_param_item {
    sn_item item;
    const char *name;
    sn_quantity_value value, minimum, maximum;
    const char *unit_text, *label;
    sn_unit unit;
    double factor; // SI units in one of `unit`
    double si;     // present value
    int visit;     // while looking for cycles
} sn_param_item;

typedef struct sn_viscosity_item {
    sn_item item;
    double volume, shape;
} sn_viscosity_item;

typedef struct sn_plastic_item {
    sn_item item;
    double yield_stress, creep_rate, hardening, limit;
} sn_plastic_item;

typedef struct sn_fibre_item {
    sn_item item;
    sn_vec3 direction;
    double stiffness;
} sn_fibre_item;

typedef struct sn_material_item {
    sn_item item;
    const char *name;
    double density, friction, restitution, rolling_friction, spinning_friction;
    int law; // sn_elastic_law
    double young, poisson, bulk, shear;
    sn_viscosity_item viscosity;
    sn_plastic_item plastic;
    sn_fibre_item fibre;
    uint32_t colour;
    double roughness, metallic;
} sn_material_item;

// Variants of a shape: those of shape.h, then those that give meshes.
typedef enum sn_scene_shape {
    SN_SCENE_EXTRUSION = SN_SHAPE_TYPE_COUNT,
    SN_SCENE_REVOLUTION,
    SN_SCENE_SHEET,
    SN_SCENE_TUBE,
} sn_scene_shape;

// A number as it stands, or an expression over more than params, computed when it is needed: each
// time a behaviour acts, or at each point of a height field.
typedef struct sn_formula {
    sn_quantity_value quantity;
    const char *text;   // without the "="; NULL: the number
    bool exact_columns; // no escapes in the source: the error can point into the text
    sn_place place;
    sn_expression expression; // over the names of its context
} sn_formula;

typedef struct sn_shape_item {
    sn_item item;
    const char *name;
    double radius, tube_radius, height, thickness, bend_radius, segments, steps, density;
    double rounding, friction, restitution, rolling_friction, spinning_friction;
    sn_vec3 size, position, surface_velocity;
    sn_rotation_value rotation;
    const char *material, *file, *unit;
    sn_vec3 scale;
    int up;
    bool repair;
    double merge_distance;
    uint32_t colour;
    bool closed, smooth;
    sn_vector_list vertices, points; // points: also outline, profile and path
    sn_loop_list holes;
    sn_index_list triangles;
    sn_string_list group, meets;
    bool sensor;
    int role;              // sn_shape_role
    sn_number_list extent; // of a height field along x and y
    sn_row_list heights;
    sn_formula ground; // over x and y
    double columns, rows;
    // found out later
    uint32_t group_bits, meets_bits;
    const sn_material_item *material_item;
    bool bound;                          // some of its numbers are expressions
    bool hull_when_open;                 // a mesh that is not closed is replaced by its convex hull
    sn_mesh *mesh, *next_mesh;           // of mesh variants; next_mesh while a param is being set
    sn_height_field *field, *next_field; // likewise
} sn_shape_item;

// Variants of the mesh of an elastic body.
typedef enum sn_scene_tetrahedra {
    SN_SCENE_CELLS_BOX,
    SN_SCENE_CELLS_CYLINDER,
    SN_SCENE_CELLS_SPHERE,
    SN_SCENE_CELLS_TORUS,
    SN_SCENE_CELLS_TUBE,
    SN_SCENE_CELLS_EXTRUSION,
    SN_SCENE_CELLS_REVOLUTION,
    SN_SCENE_CELLS_FILE,
    SN_SCENE_CELLS_SURFACE,
    SN_SCENE_CELLS_LISTED,
} sn_scene_tetrahedra;

typedef struct sn_tetrahedra_item {
    sn_item item;
    sn_vec3 size, cells, scale;
    int cell; // sn_tetrahedra_cell
    double radius, tube_radius, inner_radius, height;
    double rings, spokes, layers, segments, edge;
    sn_vector_list points, vertices; // points: outline and profile
    sn_loop_list holes;
    sn_row_list elements;
    sn_number_list regions;
    sn_index_list triangles; // of a surface
    const char *file, *unit;
    int up, fill; // fill: sn_fill_method
    bool repair;  // the surface that is filled
    // found out later
    struct sn_surface_notes *notes; // of the surface; only while it is read
    bool bound;                     // some of its numbers are expressions
    bool renumbered;                // its regions are those of the body's materials, in their order
    sn_tetrahedra *made, *next;     // next while a param is being set
    sn_mesh *surface, *next_surface; // that it was filled from, if this is to be seen; likewise
} sn_tetrahedra_item;

// Variants of a choice of vertices, by what they are in.
typedef enum sn_scene_choice {
    SN_SCENE_CHOICE_VERTICES,
    SN_SCENE_CHOICE_BOX,
    SN_SCENE_CHOICE_SPHERE,
    SN_SCENE_CHOICE_PLANE,
} sn_scene_choice;

typedef struct sn_choice_item {
    sn_item item;
    sn_number_list vertices;
    sn_vec3 extent; // size of the box, normal of the plane
    double radius;
    sn_vec3 position;
} sn_choice_item;

typedef struct sn_rayleigh_item {
    sn_item item;
    double mass, stiffness;
    sn_number_list frequencies, ratios;
} sn_rayleigh_item;

typedef struct sn_skin_item {
    sn_item item;
    double friction, restitution, rolling_friction, spinning_friction;
    sn_string_list group, meets;
    bool self;
    uint32_t group_bits, meets_bits;
} sn_skin_item;

typedef struct sn_body_item {
    sn_item item;
    const char *name;
    int type;
    sn_item_list shape, shapes; // of sn_shape_item
    const char *material;
    sn_vec3 position, velocity, angular_velocity, body_angular_velocity, centre;
    sn_rotation_value rotation;
    double mass;
    sn_number_list inertia;
    int integrator;
    double relative_tolerance, absolute_tolerance;
    uint32_t colour;
    const sn_material_item *material_item;
    // of elastic bodies
    sn_item_list mesh; // of one sn_tetrahedra_item
    int nodes;         // of an element, 4 or 10; 0: not given
    sn_string_list materials;
    const sn_material_item **material_items; // as many
    sn_item_list fixed;                      // of sn_choice_item
    sn_item_list damping;                    // of one sn_rayleigh_item
    sn_item_list surface;                    // of one sn_skin_item
    sn_item_list display;                    // of one sn_shape_item
    int mass_matrix, solver;                 // sn_elastic_mass, sn_elastic_solver
    double solver_tolerance, newton;
    sn_vector_list positions, velocities;
} sn_body_item;

// Variants of a bond.
typedef enum sn_scene_bond {
    SN_SCENE_BOND_COORDINATES,
    SN_SCENE_BOND_PLANE,
    SN_SCENE_BOND_SPHERE,
    SN_SCENE_BOND_CYLINDER,
    SN_SCENE_BOND_QUADRIC,
    SN_SCENE_BOND_PATH,
    SN_SCENE_BOND_ATTACHED,
    SN_SCENE_BOND_POINT,
    SN_SCENE_BOND_RIGID,
    SN_SCENE_BOND_VOLUME,
    SN_SCENE_BOND_JUNCTION,
} sn_scene_bond;

typedef struct sn_bonding_item {
    sn_item item;
    const char *name; // made up where none is given
    const char *body, *to, *axes;
    double start, end, break_force;
    sn_item_list vertices; // of sn_choice_item
    sn_number_list elements;
    double element, to_element;
    sn_vec3 normal, position, linear, point, to_point; // normal: also the axis of a cylinder
    double radius, constant;
    sn_row_list matrix;
    sn_vector_list points;
    sn_number_list times, marks;
    double along, along_rate;
    int course; // sn_motion_type
    bool repeats;
    sn_vec3 start_velocity, end_velocity;
    int body_index, to_index; // in the scene's bodies, -1: the world
} sn_bonding_item;

typedef enum sn_scene_field {
    SN_SCENE_SPRING,
    SN_SCENE_DRAG,
    SN_SCENE_WIND,
    SN_SCENE_LOAD,
    SN_SCENE_FIELD_COUNT,
} sn_scene_field;

typedef struct sn_motion_item {
    sn_item item;
    const char *name; // NULL: inside a drive or a wind
    int type;         // sn_motion_type
    sn_course points; // also what was read from the file
    const char *file;
    bool repeats;
    sn_quantity_value start_rate, end_rate;
    int order; // index in the scene's motions
} sn_motion_item;

// What a field of the type wind says beside its name.
typedef struct sn_wind_item {
    int kind, law, profile, spectrum; // sn_wind_kind and so on
    int occlusion;                    // sn_wind_occlusion
    double occlusion_pixels, occlusion_period;
    bool breath;
    sn_one_or_name strength;
    sn_motion_item *strength_item; // NULL: none
    sn_vec3 position, direction, up;
    double speed, radius, length, swirl, random_share;
    double height, roughness, exponent, intensity, scale, modes, seed;
} sn_wind_item;

typedef struct sn_air_item {
    sn_item item;
    double density, normal, tangential, patch;
} sn_air_item;

typedef struct sn_load_item {
    sn_item_list vertices; // of sn_choice_item
    sn_vec3 force, moment;
    bool follows;
} sn_load_item;

typedef struct sn_field_item {
    sn_item item;
    const char *name; // made up where none is given
    const char *a, *b, *of;
    sn_vec3 point_a, point_b, medium_velocity;
    double stiffness, damping, rest_length;
    double linear, quadratic, angular_linear, angular_quadratic;
    int body_a, body_b; // index in the scene's bodies, -1: the world, or every body
    sn_wind_item wind;
    sn_load_item load;
} sn_field_item;

typedef struct sn_frame_item {
    sn_item item;
    sn_vec3 position;
    sn_rotation_value rotation;
} sn_frame_item;

// Limits and drives start with this.
typedef struct sn_freedom_item {
    sn_item item;
    int freedom; // from 1; 0: as its place in the list says, or all
} sn_freedom_item;

typedef struct sn_limit_item {
    sn_item item;
    int freedom;
    sn_quantity_value lower, upper, stiffness, damping;
    double restitution;
} sn_limit_item;

typedef struct sn_drive_item {
    sn_item item;
    int freedom;
    int type; // sn_drive_type
    sn_quantity_value target, stiffness, damping, force_limit;
    sn_one_or_name motion;
    sn_motion_item *motion_item; // NULL: none
} sn_drive_item;

typedef struct sn_curve_item {
    sn_item item;
    sn_vector_list points;
    bool closed;
} sn_curve_item;

typedef struct sn_surface_item { // its table's id is the sn_surface_type
    sn_item item;
    double radius, tube_radius, angle;
    sn_vec3 size;
} sn_surface_item;

typedef struct sn_joint_item {
    sn_item item;
    const char *name;
    int type; // sn_joint_type
    const char *parent, *child;
    sn_vec3 at, axis, second_axis;
    sn_frame_item parent_frame, child_frame;
    double pitch, length;
    sn_curve_item curve;
    sn_item_list surface; // of one sn_surface_item
    sn_quantity_list stiffness, damping, rest, friction, start;
    sn_item_list limit; // of sn_limit_item
    sn_item_list drive; // of sn_drive_item
    double break_force, break_torque;
    bool breakable, contact;
    bool steered;                // a behaviour sets its drives
    int parent_body, child_body; // index in the scene's bodies, -1: the world
    // What a URDF file says of the motor: the greatest force and velocity, for export only. 0: none
    double effort_limit, velocity_limit;
} sn_joint_item;

typedef struct sn_term_item {
    sn_item item;
    const char *joint;
    int freedom; // from 1; 0: the first
    sn_quantity_value factor;
    int joint_order; // index in the scene's joints
} sn_term_item;

typedef struct sn_gear_item {
    sn_item item;
    const char *a, *b;
    sn_quantity_value ratio;
    int joint_a, joint_b; // index in the scene's joints
} sn_gear_item;

typedef struct sn_coupling_item {
    sn_item item;
    const char *name;   // made up where none is given
    sn_item_list terms; // of sn_term_item
    sn_gear_item gear;
} sn_coupling_item;

// Numbers by name.
typedef struct sn_named_quantities {
    const char *name;
    sn_place place; // of the name
    sn_quantity_list values;
} sn_named_quantities;

typedef struct sn_named_list {
    sn_named_quantities *data;
    int count;
} sn_named_list;

typedef enum sn_robot_base {
    SN_BASE_FIXED,
    SN_BASE_FREE,
} sn_robot_base;

typedef enum sn_robot_geometry {
    SN_GEOMETRY_FILE,
    SN_GEOMETRY_VISUAL,
    SN_GEOMETRY_COLLISION,
} sn_robot_geometry;

typedef struct sn_robot_item {
    sn_item item;
    const char *name; // NULL: its parts have their names alone
    const char *file;
    sn_vec3 position;
    sn_rotation_value rotation;
    int base;     // sn_robot_base
    int geometry; // sn_robot_geometry
    bool concave; // collision meshes touch as they are
    sn_named_list pose;
    sn_string_list packages; // folders by the names of packages, or folders that have packages
    bool bound;              // some of its numbers are expressions
    struct sn_robot *robot;  // what the file says (urdf_scene.h)
} sn_robot_item;

typedef struct sn_target {
    int body, field, joint, bond; // index, -1: not that; all -1: the world
} sn_target;

typedef struct sn_probe_item {
    sn_item item;
    const char *name;
    const char *of;
    int quantity;
    sn_vec3 point;
    sn_target target;
} sn_probe_item;

typedef struct sn_event_item {
    sn_item item;
    const char *name;
    const char *of;
    int quantity;
    sn_quantity_value threshold;
    int direction, action;
    sn_vec3 point;
    sn_target target;
} sn_event_item;

typedef enum sn_scene_statement {
    SN_SCENE_LET,
    SN_SCENE_SET,
    SN_SCENE_DRIVE,
    SN_SCENE_PUSH,
    SN_SCENE_FORCE,
    SN_SCENE_START,
    SN_SCENE_STOP,
    SN_SCENE_BREAK,
    SN_SCENE_IF,
} sn_scene_statement;

typedef struct sn_statement_item {
    sn_item item;
    const char *name; // of what its leading key names
    int freedom;      // from 1; 0: the first
    int type;         // sn_drive_type
    int axes;         // 0: the world's, 1: the body's
    sn_formula value; // what it is to be, target, value, condition
    sn_formula stiffness, damping, force_limit;
    sn_formula force[3], at[3], torque[3];
    const char *motion;
    sn_item_list then, otherwise; // of sn_statement_item
    // found out later
    int order; // of what it names: a variable of the behaviour; a joint, bond, body or behaviour
    bool bond; // what is broken is one
    int motion_order; // index in the scene's motions, -1: none
} sn_statement_item;

typedef struct sn_variable_item {
    sn_item item;
    const char *name;
    sn_quantity_value value;
} sn_variable_item;

// What a formula reads of the running world.
typedef struct sn_reading {
    sn_target target;
    int quantity;
    const sn_probe_item *probe; // of the scene, for its point; NULL: none
} sn_reading;

typedef struct sn_behaviour_item {
    sn_item item;
    const char *name;
    bool active, once;
    double period;
    const char *on, *within;
    sn_item_list variables;  // of sn_variable_item
    sn_item_list statements; // of sn_statement_item
    // found out later
    int event, parent; // index in the scene's events and behaviours, -1: none
    SN_ARRAY(sn_reading) readings;
} sn_behaviour_item;

typedef struct sn_camera_item {
    sn_item item;
    sn_vec3 position, target;
    double field_of_view;
} sn_camera_item;

typedef struct sn_run_item {
    sn_item item;
    double time, step, record_step;
    int policy, integrator;
    double relative_tolerance, absolute_tolerance, threads, seed;
} sn_run_item;

typedef struct sn_contact_item {
    sn_item item;
    int method; // sn_contact_method
    int bounds; // sn_contact_bounds
    double substeps, exact_limit, heap_limit, stiffness, damping;
    bool within, sleep;
} sn_contact_item;

typedef struct sn_root_item {
    sn_item item;
    const char *schema, *name, *description;
    double version;
    sn_string_list include;
    sn_vec3 gravity;
    sn_item_list params, materials, motions, bodies, joints, couplings, bonds, robots, mobiles,
        fields, probes, events, behaviours;
    sn_camera_item camera;
    sn_contact_item contact;
    sn_air_item air;
    sn_run_item run;
} sn_root_item;

// A number of the scene that an expression computes.
typedef struct sn_binding {
    double *target;
    const sn_key *key;  // its range
    const char *text;   // without the "="
    bool exact_columns; // no escapes in the source: the error can point into the text
    sn_place place;
    sn_expression expression;
    double value; // newest, not yet carried to the target
    double before;
} sn_binding;

struct sn_scene {
    sn_arena arena;
    SN_ARRAY(sn_source) sources;
    sn_root_item root;
    SN_ARRAY(sn_binding) bindings;
    SN_ARRAY(sn_formula *) formulas;    // those with expressions
    SN_ARRAY(sn_motion_item *) motions; // those with a name, then those inside drives and winds
    const char **param_names;           // in the order of root.params
    double *param_values;               // SI
    int *param_order;                   // dependencies first
    const char *file_name;              // without folder and ending
    bool sealed;                        // no files but those that its options find
    bool strict;                        // faults of URDF files are errors
    const sn_package *packages;         // of its options
    int package_count;
    const char *cache; // folder of filled surfaces; NULL: none
    void (*filling)(void *user, const char *surface, double seconds, bool ended); // of its options
    void *filling_user;
    sn_error_list notes;
};

#define SN_PARAM(scene, i)     ((sn_param_item *)(scene)->root.params.data[i])
#define SN_MATERIAL(scene, i)  ((sn_material_item *)(scene)->root.materials.data[i])
#define SN_BODY(scene, i)      ((sn_body_item *)(scene)->root.bodies.data[i])
#define SN_JOINT(scene, i)     ((sn_joint_item *)(scene)->root.joints.data[i])
#define SN_MOTION(scene, i)    ((sn_motion_item *)(scene)->root.motions.data[i])
#define SN_COUPLING(scene, i)  ((sn_coupling_item *)(scene)->root.couplings.data[i])
#define SN_BONDING(scene, i)   ((sn_bonding_item *)(scene)->root.bonds.data[i])
#define SN_ROBOT(scene, i)     ((sn_robot_item *)(scene)->root.robots.data[i])
#define SN_FIELD(scene, i)     ((sn_field_item *)(scene)->root.fields.data[i])
#define SN_PROBE(scene, i)     ((sn_probe_item *)(scene)->root.probes.data[i])
#define SN_EVENT(scene, i)     ((sn_event_item *)(scene)->root.events.data[i])
#define SN_BEHAVIOUR(scene, i) ((sn_behaviour_item *)(scene)->root.behaviours.data[i])

// The shapes of a body, whether it has "shape" or "shapes"; of an elastic one its "display".
const sn_item_list *sn_body_item_shapes(const sn_body_item *body);

// Whether the body is of that type, or may have been meant so: a mistake inside may be in the type.
bool sn_body_item_may_be(const sn_body_item *body, int type);

bool sn_item_is_shape(const sn_item *item);
bool sn_item_gives(const sn_item *item, const char *key);

// From now on the key, by its index, counts as given, so that a resolved text has it. Without a
// place of its own it takes that of the file.
void sn_item_mark_given(sn_item *item, int key);

// The limit or drive of a freedom, counted from 0; NULL: none.
const sn_item *sn_item_of_freedom(const sn_item_list *list, int freedom);

// Where a key's value stands; where it is not given, the object.
sn_place sn_item_place(const sn_item *item, const char *key);

// "file:line:column" in the caller's buffer.
#define SN_PLACE_SIZE 300
const char *sn_place_text(const sn_scene *scene, sn_place place, char text[SN_PLACE_SIZE]);

// Puts the place in front of what an error says, if there is one; gives back the status.
sn_status sn_place_error(const sn_scene *scene, sn_place place, sn_status status, sn_error *error);

// The place of a byte of an expression: after the quote and the "=", counted in characters. Without
// exact columns, that of the whole text.
sn_place sn_expression_place(sn_place place, const char *text, bool exact_columns, int offset);

int sn_statement_item_freedom(const sn_statement_item *statement); // from 0

// Does it act from the start? Where nothing is said, unless it waits for an event.
bool sn_behaviour_item_is_active(const sn_behaviour_item *behaviour);

// ---- write.c ----
// A hash of all numbers that come into a running world in one way. Two scenes of one text that
// agree in SN_CHANGE_BUILD are built alike, but for what sn_scene_update carries over and for the
// start.
SN_API sn_status sn_scene_fingerprint(const sn_scene *scene, sn_change change, uint64_t *hash,
                                      sn_error *error);

sn_quat sn_rotation_value_quat(const sn_rotation_value *rotation);
sn_rotation_value sn_rotation_value_from(sn_quat q);

#endif
