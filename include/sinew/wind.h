// Sinew wind: the velocity of the air at a point, and what it does to a piece of surface.
//
//     sn_wind_def def = sn_default_wind_def();
//     def.kind = SN_WIND_JET;
//     def.direction = sn_vec3_make(1.0, 0.0, 0.0);
//     def.speed = 10.0;
//     def.radius = 0.005;
//     sn_wind *breath = NULL;
//     sn_wind_create(&def, &breath, &error);
//     sn_vec3 air = sn_wind_velocity(breath, sn_vec3_make(0.3, 0.0, 0.0), 0.0); // 2 m/s along x
//     sn_wind_destroy(breath);
//
// Velocities of several winds add up; the force on a patch of a surface follows from their sum
// relative to the surface, so that a surface that moves is damped, by air at rest too.
//
// In a world a wind is a field, and blows on every body: sn_world_add_wind.
//
// What it does not do: the air does not feel the bodies. They shelter each other only from winds
// with `occlusion`, and then as if air flew straight on. There are no wakes, no lift beyond the
// force along the patch's normal, and no added mass; a jet draws in no air from the side. Units: m,
// m/s, s, kg/m^3.
#ifndef SINEW_WIND_H
#define SINEW_WIND_H

#include "sinew/motion.h"
#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_WIND_KIND_LIST(X)                                                                       \
    X(SN_WIND_UNIFORM, "uniform", "the same everywhere")                                           \
    X(SN_WIND_CONE, "cone", "from a disc into a cone: speed falls as 1 / distance^2")              \
    X(SN_WIND_JET, "jet", "a free turbulent jet: speed falls as 1 / distance after six diameters") \
    X(SN_WIND_FAN, "fan", "a jet that turns about its axis")                                       \
    X(SN_WIND_NATURAL, "natural", "wind over ground: grows with height, and comes in gusts")

#define X(name, word, text) name,
typedef enum sn_wind_kind { SN_WIND_KIND_LIST(X) SN_WIND_KIND_COUNT } sn_wind_kind;
#undef X

#define SN_WIND_PROFILE_LIST(X)                                                                    \
    X(SN_WIND_PROFILE_LOG, "log", "speed ln(z / roughness) / ln(height / roughness)")              \
    X(SN_WIND_PROFILE_POWER, "power", "speed (z / height)^exponent")                               \
    X(SN_WIND_PROFILE_FLAT, "flat", "speed at every height")

#define X(name, word, text) name,
typedef enum sn_wind_profile { SN_WIND_PROFILE_LIST(X) SN_WIND_PROFILE_COUNT } sn_wind_profile;
#undef X

#define SN_WIND_SPECTRUM_LIST(X)                                                                   \
    X(SN_WIND_KAIMAL, "kaimal", "n S / variance = 4 f / (1 + 6 f)^(5/3), f = n L / speed")         \
    X(SN_WIND_VON_KARMAN, "von_karman", "n S / variance = 4 f / (1 + 70.8 f^2)^(5/6)")

#define X(name, word, text) name,
typedef enum sn_wind_spectrum { SN_WIND_SPECTRUM_LIST(X) SN_WIND_SPECTRUM_COUNT } sn_wind_spectrum;
#undef X

#define SN_WIND_LAW_LIST(X)                                                                        \
    X(SN_WIND_LAW_AIR, "air", "by the air's velocity relative to each patch: sn_air_force")        \
    X(SN_WIND_LAW_FACE, "face", "by the wind alone: sn_wind_face_force, with a random part")

#define X(name, word, text) name,
typedef enum sn_wind_law { SN_WIND_LAW_LIST(X) SN_WIND_LAW_COUNT } sn_wind_law;
#undef X

#define SN_WIND_OCCLUSION_LIST(X)                                                                  \
    X(SN_WIND_OCCLUSION_NONE, "none", "the wind passes through bodies")                            \
    X(SN_WIND_OCCLUSION_DEPTH, "depth",                                                            \
      "a small picture from the source, with a depth buffer: quick")                               \
    X(SN_WIND_OCCLUSION_RAYS, "rays", "rays from the source to each patch: exact, for checks")

#define X(name, word, text) name,
typedef enum sn_wind_occlusion {
    SN_WIND_OCCLUSION_LIST(X) SN_WIND_OCCLUSION_COUNT
} sn_wind_occlusion;
#undef X

enum { SN_WIND_MODE_LIMIT = 4096, SN_WIND_PIXEL_LIMIT = 2048 };

typedef struct sn_wind_def {
    const char *name;
    sn_wind_kind kind;
    sn_vec3 position;    // centre of the disc, the mouth or the fan; natural: a point of the ground
    sn_vec3 direction;   // of any length; natural: its horizontal part counts
    double speed;        // at the source; natural: the mean at `height`
    sn_motion *strength; // share of the speed over time, below 0 as 0; held; NULL (default): 1
    bool breath;         // the one that a breath drives: sn_world_find_breath
    double radius;       // of the disc, the mouth or the fan
    double length;       // cone: from its vertex to the disc
    double swirl;        // fan: speed about the axis at the rim, as a share of `speed`
    sn_wind_law law;
    double random_share; // face law: how long the random part may be, as a share of the force
    sn_wind_occlusion occlusion; // what bodies hide from it; none by default
    int occlusion_pixels;    // depth: of the longer side of the picture, 8 and up; 0: by the bodies
    double occlusion_period; // s: how often that is looked at; 0: at every step

    // natural
    sn_vec3 up;
    sn_wind_profile profile;
    double height;    // above the ground, where `speed` is the mean
    double roughness; // log profile: the height below which the air rests
    double exponent;  // power profile
    double intensity; // deviation of each component of the gusts, as a share of `speed`
    double scale;     // L: the length of the largest eddies along the wind
    sn_wind_spectrum spectrum;
    int modes;     // waves that the gusts are the sum of
    uint64_t seed; // of gusts and random parts
} sn_wind_def;

// A uniform wind of 1 m/s along x. Of the others: a disc of 0.1 m radius, 0.3 m before the cone's
// vertex; 0.4 swirl; pictures 20 times a second; 10 m height, 0.03 m roughness,
// exponent 1/7, 0.15 intensity, 30 m eddies, 48 waves.
SN_API sn_wind_def sn_default_wind_def(void);

SN_API int sn_wind_kind_find(const char *word); // -1 when there is none
SN_API const char *sn_wind_kind_word(sn_wind_kind kind);

typedef struct sn_wind sn_wind;

SN_API sn_status sn_wind_create(const sn_wind_def *def, sn_wind **wind, sn_error *error);
SN_API void sn_wind_destroy(sn_wind *wind); // NULL is allowed

// Aims a wind anew and gives it another speed. The eddies of a natural wind grow with the speed,
// and are still carried along at the one it was made with.
SN_API sn_status sn_wind_aim(sn_wind *wind, sn_vec3 position, sn_vec3 direction, double speed,
                             sn_error *error);
SN_API sn_wind_def sn_wind_def_of(const sn_wind *wind); // without a name

SN_API sn_vec3 sn_wind_velocity(const sn_wind *wind, sn_vec3 point, double time);
SN_API double sn_wind_strength(const sn_wind *wind, double time); // share of `speed`

// ---- forces ----

typedef struct sn_air_def {
    double density;    // kg/m^3
    double normal;     // coefficient of the force along the normal of a patch
    double tangential; // and of that along the patch, on each of its sides
    double patch;      // m, size of patches that bodies are cut into; 0: a seventh of each shape
} sn_air_def;

// 1.2 kg/m^3; 1.17, a flat plate across the wind; 0.01.
SN_API sn_air_def sn_default_air_def(void);

// The force on a patch with the outward unit normal n in air of the relative velocity w (the air's
// less the patch's). With w_n = w . n and w_t = w - w_n n, by the cross-flow principle
// (S. F. Hoerner, Fluid-Dynamic Drag, 1965, 3-11):
//     force = density / 2 area (normal |w_n| w_n n + sides tangential |w_t| w_t).
// The first term is there only where the air blows at the patch, w_n < 0, unless both sides of it
// meet the air (sides 2): a thin plate made of two faces feels the wind once. damping = d(force)/dw
// is symmetric and never negative.
SN_API void sn_air_force(const sn_air_def *air, double area, int sides, sn_vec3 normal,
                         sn_vec3 relative_velocity, sn_vec3 *force, sn_mat3 *damping);

// The same for a piece of wire: the sum over the faces around it, of `area` in all, for air that
// flows across it or along it. With w_a the part of w along the axis and w_t the rest,
//     force = density / 2 area (2 normal / (3 pi) |w_t| w_t
//                               + tangential (|w_a| w_a + 4 / (3 pi) |w_t| w_t));
// the first term is exact for any w.
SN_API void sn_air_wire_force(const sn_air_def *air, double area, sn_vec3 axis,
                              sn_vec3 relative_velocity, sn_vec3 *force, sn_mat3 *damping);

// The law of a face at rest in the wind: force = density area v^2 (n_v . n) n for the velocity v
// n_v of the wind, whichever way the unit normal n points.
SN_API sn_vec3 sn_wind_face_force(double density, double area, sn_vec3 normal, sn_vec3 velocity);

// The sum of it over the faces around a piece of wire: density area / 4 v v_t with v_t the part of
// the velocity across the wire.
SN_API sn_vec3 sn_wind_wire_force(double density, double area, sn_vec3 axis, sn_vec3 velocity);

// A vector of random direction, shorter than share * |force|: a function of the three numbers.
SN_API sn_vec3 sn_wind_random_force(sn_vec3 force, double share, uint64_t seed, uint64_t patch,
                                    uint64_t tick);

// ---- in a world ----

// A wind that blows on every body that moves. Winds of the air's law are summed before they act;
// one of speed 0 is air at rest. A random part changes from step to step.
SN_API sn_status sn_world_add_wind(sn_world *world, const sn_wind_def *def, sn_field *field,
                                   sn_error *error);

// Changes it between steps; where all but position, direction, speed and strength stay as they are,
// as sn_wind_aim does.
SN_API sn_status sn_world_set_wind(sn_world *world, sn_field field, const sn_wind_def *def,
                                   sn_error *error);
SN_API const sn_wind *sn_world_wind(const sn_world *world, sn_field field); // NULL: no wind
SN_API sn_field
sn_world_find_breath(const sn_world *world); // the first of them; null: there is none

SN_API sn_status sn_world_set_air(sn_world *world, const sn_air_def *def, sn_error *error);
SN_API sn_air_def sn_world_air(const sn_world *world);

// The area of a body's patches that a wind with occlusion reached in the last step, and of all of
// them; a patch with two sides counts once. 0 and 0 before the first step.
SN_API double sn_world_lit_area(const sn_world *world, sn_field field, sn_body body, double *whole);

// The sum of all winds at a point, now; whether bodies hide it is not asked.
SN_API sn_vec3 sn_world_air_velocity(const sn_world *world, sn_vec3 point);

#ifdef __cplusplus
}
#endif

#endif
