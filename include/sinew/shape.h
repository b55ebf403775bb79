// Sinew shapes: what a body is made of. A body is one shape or several (a compound), each placed in
// the body's frame.
//
//     sn_shape shape = sn_default_shape();
//     shape.type = SN_SHAPE_CYLINDER;
//     shape.radius = 0.02;
//     shape.height = 0.30;
//     shape.density = 2700;
//     sn_mass_properties mass;
//     sn_shape_mass_properties(&shape, 1, &mass, &error);
//
// Primitives are centred on their own origin, axes along z. Generators (extrusion, revolution,
// sheet, tube) and imported files give meshes: see geometry.h. A mesh is shared and immutable once
// it belongs to a shape.
//
// Planes and height fields are grounds: they have no end or no underside, so no mass, and belong to
// static bodies only. Meshes that are not closed bound no body either and may be used likewise.
// Everything else can move.
//
// What it does not do: shapes of one body are not cut where they overlap, each counts in full. The
// skin that `rounding` adds around a hull weighs nothing. Units: SI.
#ifndef SINEW_SHAPE_H
#define SINEW_SHAPE_H

#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_mesh sn_mesh;                 // geometry.h
typedef struct sn_height_field sn_height_field; // geometry.h

typedef enum sn_shape_type {
    SN_SHAPE_SPHERE,   // radius
    SN_SHAPE_BOX,      // size: full edge lengths; rounding
    SN_SHAPE_CYLINDER, // radius, height; axis z, centred
    SN_SHAPE_CONE,     // radius of the base, height; axis z, base at -height/2, tip at +height/2
    SN_SHAPE_CAPSULE,  // radius, height of the cylindrical part; axis z, centred
    SN_SHAPE_TORUS,    // radius of the ring's centre line, tube_radius; axis z
    SN_SHAPE_MESH,     // mesh: a closed triangle mesh; on static bodies also an open one
    SN_SHAPE_HULL,     // mesh: the convex hull of its vertices; rounding
    SN_SHAPE_PLANE,    // the half space z <= 0; static bodies only
    SN_SHAPE_HEIGHT_FIELD, // field: the ground below its heights; static bodies only
    SN_SHAPE_TYPE_COUNT
} sn_shape_type;

// How a shape touches others. Two that touch have friction sqrt(a b), the larger restitution, and
// the larger rolling and spinning friction.
typedef struct sn_surface {
    double friction;          // Coulomb's coefficient, default 0.5
    double restitution;       // 0 (default) .. 1: speed after an impact by the speed before it
    double rolling_friction;  // m: moment against rolling, by the normal force; default 0
    double spinning_friction; // m: moment against spinning about the normal, likewise
    sn_vec3 velocity;         // m/s, shape's axes: of the surface itself, as of a conveyor belt
    uint32_t group;           // bits; default 1
    uint32_t meets;           // bits: touches shapes of these groups, if they meet its own; all
    bool sensor; // notices what is in it, and touches nothing; it has its density's mass
} sn_surface;

// What a shape is there for. What is only drawn touches nothing, weighs nothing, and air does not
// act on it; it need not be closed. What only touches is not drawn.
typedef enum sn_shape_role {
    SN_ROLE_BOTH,
    SN_ROLE_VISUAL,   // is drawn
    SN_ROLE_COLLISION // touches, weighs and feels the air
} sn_shape_role;

typedef struct sn_shape {
    sn_shape_type type;
    double radius;
    double tube_radius;
    double height;
    sn_vec3 size;
    double rounding; // radius of the edges and corners, 0: sharp. A box keeps its outer size;
                     // a hull grows by it on all sides, and weighs as if it had not
    sn_mesh *mesh;   // SN_SHAPE_MESH and SN_SHAPE_HULL; the shape holds a reference
    sn_height_field *field; // SN_SHAPE_HEIGHT_FIELD; likewise
    sn_transform frame;     // in the body's frame
    double density;         // kg/m^3
    uint32_t colour;        // 0xRRGGBB
    double roughness;       // of its look: 0 polished .. 1 chalk, default 0.5
    double metallic;        // of its look: 0 (default) .. 1
    sn_shape_role role;     // default SN_ROLE_BOTH
    sn_surface surface;
} sn_shape;

// "box", "height_field": the words of the scene format; "" for what is none.
SN_API const char *sn_shape_type_word(sn_shape_type type);

SN_API sn_surface sn_default_surface(void);

// A unit sphere of water at the origin.
SN_API sn_shape sn_default_shape(void);

// Are its dimensions, density, frame and surface such as a shape can have? `place` names it in the
// error, and may be NULL.
SN_API sn_status sn_shape_check(const sn_shape *shape, const char *place, sn_error *error);
SN_API sn_status sn_shape_surface_check(const sn_surface *surface, const char *place,
                                        sn_error *error);

SN_API bool sn_shape_touches(const sn_shape *shape);  // role is not SN_ROLE_VISUAL
SN_API bool sn_shape_is_drawn(const sn_shape *shape); // role is not SN_ROLE_COLLISION

// Belongs to a static body and nothing else: a plane or a height field.
SN_API bool sn_shape_is_ground(const sn_shape *shape);

// One more reference, or one less, to the mesh or height field that the shape holds.
SN_API void sn_shape_retain(const sn_shape *shape);
SN_API void sn_shape_release(const sn_shape *shape);

// Mass, centre and inertia of anything rigid, in one frame.
typedef struct sn_mass_properties {
    double mass;    // kg
    double volume;  // m^3
    sn_vec3 centre; // of mass, in the frame's coordinates
    sn_mat3
        inertia; // about the centre, in the frame's axes, with products: I_xy = -sum m x y; kg m^2
} sn_mass_properties;

// The sum over all shapes in the body's frame, each weighed by its own density; what is only drawn
// has none. Refuses planes and height fields.
SN_API sn_status sn_shape_mass_properties(const sn_shape *shapes, int count,
                                          sn_mass_properties *mass, sn_error *error);

// Principal moments (ascending) and the rotation from principal axes to the frame's axes: I = R
// diag(moments) R^T.
SN_API void sn_principal_axes(const sn_mat3 *inertia, sn_vec3 *moments, sn_quat *rotation);

#ifdef __cplusplus
}
#endif

#endif
