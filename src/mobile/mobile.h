// A mobile as a tree of parts: arms of wire that carry others, and pieces (sheets, discs, balls,
// solids) that hang or are fixed on arms. From the numbers of its parts: shapes, masses, and where
// everything is in the wanted pose.
//
// Axes. z is up and gravity points down. An arm has x along its plane and z up, its wire a path of
// points (x, z) there. A sheet has its outline in xy and is z thick; upright it is rolled by a
// quarter turn about x, so that its y points up. Rotations of what hangs: about z by the sum of
// all turns above it, then by the tilt that raises +x, then by the roll about x.
//
// What hangs by a ball joint weighs on its hook and does nothing else, so the potential energy is
// a sum over bodies of g . (R moment) with the moment of everything a body carries about its own
// pivot: every body balances, swings and topples by itself.
#ifndef SN_MOBILE_MOBILE_H
#define SN_MOBILE_MOBILE_H

#include "base/array.h"
#include "sinew/geometry.h"

typedef enum sn_part_type {
    SN_PART_ARM,
    SN_PART_SHEET,
    SN_PART_DISC,
    SN_PART_BALL,
    SN_PART_SOLID, // a closed mesh
} sn_part_type;

typedef struct sn_part {
    sn_part_type type;
    const char *name;
    int parent; // the arm that carries it; -1: the nail. Parents come before what they carry
    bool fixed; // a piece of its arm's body; else it hangs by a ball joint
    bool keep;  // balancing leaves it alone

    // how it hangs on its arm
    double at;   // along the arm's wire
    double drop; // of its hook below the wire
    double string, string_radius, string_density;
    double turn, tilt, roll; // rad

    // what it is
    double height;      // of the pivot above the wire, or above a piece's hole
    double stem_radius; // of the wire between; 0: it weighs nothing
    double density;
    double mass; // instead of what the density gives; 0: none
    double size; // factor of a piece's own lengths, but not of its thickness

    const sn_vec2 *wire; // arm: (x, z)
    int wire_count;
    double hook;        // arm: along the wire
    double hook_margin; // arm: the hook stays so far from both ends
    double hook_least, hook_most;

    double radius; // of an arm's wire, a disc, a ball
    double thickness;
    sn_outline outline; // sheet
    double bend;        // sheet: angle over its length
    bool hole_given;
    sn_vec2 hole; // what a piece hangs by or is fixed at, in its own plane; unscaled

    sn_mesh *mesh; // solid: at size 1; borrowed

    double least, most; // factors within which balancing may change a piece

    // ---- found by sn_mobile_place ----
    sn_mesh *sheet;         // sheet: as it is now
    double yaw;             // sum of the turns
    sn_transform frame;     // of its own axes in the world, wanted pose
    sn_vec3 pivot;          // in its own axes: what it hangs by or is fixed at
    sn_vec3 hook_place;     // world: the parent's end of what it hangs on
    sn_mass_properties own; // in its own axes
    double string_mass;
    // of what is not fixed: the part, what is fixed on it, and all they carry
    double load;    // kg, without its string
    sn_vec3 moment; // kg m, world axes, about its pivot: to its own and its loads' places
} sn_part;

#define SN_LEVEL_ROLL 1e-3 // rad

typedef struct sn_mobile {
    const char *name;
    sn_part *parts;
    int count;
    sn_vec3 position; // of the nail
    double turn;
    double gravity;    // downwards; m/s^2
    bool level;        // arms roll a little (SN_LEVEL_ROLL) about their own direction, to be level
    bool settle;       // every arm hangs as its weights have it, not as its tilt says
    double total_mass; // wanted by a balance of masses; 0: any
    int culprit;       // the part that the last failure is about; -1: the whole
    const char *culprit_key; // of its description; NULL: none in particular
} sn_mobile;

// Along an arm's wire: its length, and the point (x, 0, z) at a length, in the arm's axes.
double sn_wire_length(const sn_part *arm);
sn_vec3 sn_wire_point(const sn_part *arm, double at);

// Weighs the parts and puts them in place. Fails where a part has no sound body, naming it in
// `culprit`. Can be called again after numbers have changed.
SN_API sn_status sn_mobile_place(sn_mobile *mobile, sn_error *error);

// Frees the meshes that placing made; the rest belongs to whoever described the mobile.
SN_API void sn_mobile_clear(sn_mobile *mobile);

typedef SN_ARRAY(sn_shape) sn_part_shapes;

// Shapes of the part alone, in its own axes, at the end of a list: of an arm one capsule for each
// piece of its wire; then, if it hangs, the stem up to its pivot. Meshes are not retained.
sn_status sn_part_add_shapes(const sn_part *part, sn_part_shapes *shapes, sn_error *error);

// The stem on which a part hangs below its arm's wire, in the arm's axes; false: there is none.
bool sn_part_drop_stem(const sn_mobile *mobile, const sn_part *part, sn_shape *stem);

// The part's own axes in those of the body it belongs to: the origin of a body is its pivot.
sn_transform sn_part_in_body(const sn_mobile *mobile, int part);

// Index of the body's part: itself, or the arm it is fixed to.
int sn_part_body(const sn_mobile *mobile, int part);

// Where a hung part's hook or string ends on its arm, in the arm's own axes.
sn_vec3 sn_part_hook_in_arm(const sn_mobile *mobile, const sn_part *part);

// Volume a sheet, disc, ball or solid has at its present size.
double sn_part_volume(const sn_part *part);

// A point of a sheet's flat outline where it is on the bent sheet.
sn_vec3 sn_part_surface_point(const sn_part *part, sn_vec2 point);

// The radius to which a sheet is rolled; 0: flat.
double sn_part_bend_radius(const sn_part *part);

#endif
