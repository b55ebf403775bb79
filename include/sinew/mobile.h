// Sinew mobiles: kinetic sculptures of a scene (its key "mobiles"), how they hang, how to balance
// them, and the sheet to build them from.
//
//     sn_error error = {0};
//     for (int i = 0; i < sn_scene_mobile_count(scene); ++i) {
//         if (sn_scene_balance(scene, i, SN_BALANCE_PIVOTS, &error) == SN_OK) {
//             for (int k = 0; k < sn_scene_mobile_part_count(scene, i); ++k) {
//                 sn_mobile_part part = sn_scene_mobile_part(scene, i, k);
//                 printf("%s: %g Hz\n", part.name, part.hanging.frequency);
//             }
//         }
//     }
//
// A mobile is a tree: arms of wire carry pieces and other arms. What hangs, hangs by a ball joint,
// so every arm balances by itself: it rests in its wanted pose when the weight of all it carries is
// straight below its pivot, and it comes back to it when that weight is below the pivot at all.
//
// What it does not do: wires do not bend, strings are stiff rods, and the holes that things hang by
// weigh as if they had not been drilled. Lengths are metres, masses kilograms, angles radians.
#ifndef SINEW_MOBILE_H
#define SINEW_MOBILE_H

#include "sinew/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, word, text
#define SN_BALANCE_LIST(X)                                                                         \
    X(SN_BALANCE_NONE, "none", "everything stays as it is written, and falls into its own pose")   \
    X(SN_BALANCE_PIVOTS, "pivots", "hooks move along their wires")                                 \
    X(SN_BALANCE_MASSES, "masses", "pieces become heavier or lighter, their forms stay")           \
    X(SN_BALANCE_SIZES, "sizes", "pieces grow or shrink, their thickness stays")                   \
    X(SN_BALANCE_THICKNESS, "thickness", "sheets and discs become thicker or thinner")             \
    X(SN_BALANCE_POSE, "pose", "nothing changes but the tilt of the arms: it starts as it hangs")

typedef enum sn_balance_for {
#define X(name, word, text) name,
    SN_BALANCE_LIST(X)
#undef X
        SN_BALANCE_COUNT
} sn_balance_for;

typedef struct sn_hanging {
    bool stable;          // its weight is below its pivot: it comes back
    double load;          // kg: with all it carries
    double depth;         // m: of the weight's middle below the pivot; negative: above
    double torque;        // N m: what is left unbalanced in the wanted pose
    double tilt;          // rad: how far from the wanted pose it comes to rest
    double tilt_per_gram; // rad: after one gram more at the far end
    double frequency; // Hz, of small swings in its plane, what it carries as points; 0: unstable
    double period;    // s; 0: unstable
} sn_hanging;

// What a person builds: each part with its final numbers.
typedef struct sn_mobile_part {
    const char *name;
    const char *kind;   // "arm", "sheet", "disc", "ball", "solid"
    const char *parent; // the arm that carries it; "" for the topmost
    bool fixed;         // on its arm; else it hangs
    double mass;        // kg, of the part alone
    double length;      // m: an arm's wire with its bends; else the longest extent of the outline
    double thickness;   // m: diameter of a wire, thickness of a sheet or disc, else 0
    double hook;        // m: along an arm's wire, else 0
    double size;        // factor that balancing gave a piece
    double string;      // m, 0: none
    sn_hanging hanging; // of what is not fixed
} sn_mobile_part;

SN_API int sn_scene_mobile_count(const sn_scene *scene);
SN_API const char *sn_scene_mobile_name(const sn_scene *scene, int mobile);
SN_API int sn_scene_mobile_part_count(const sn_scene *scene, int mobile);
SN_API sn_mobile_part sn_scene_mobile_part(const sn_scene *scene, int mobile, int part);

// Balances a mobile of the scene: worlds built and texts resolved from now on have it so. Refused,
// with the reason and nothing changed, where no numbers within the bounds balance it. What a param
// computes is computed anew, and lost, when that param is set later.
SN_API sn_status sn_scene_balance(sn_scene *scene, int mobile, sn_balance_for what,
                                  sn_error *error);

// The scene's own text, as a person wrote it, with the numbers that balancing found. `text` is what
// the scene was loaded from. SN_ERROR_UNSUPPORTED where a mobile stands in an included file. Freed
// with sn_scene_free_text.
SN_API sn_status sn_scene_balanced_text(const sn_scene *scene, const char *text, size_t length,
                                        char **balanced, size_t *balanced_length, sn_error *error);

// The build sheet: one HTML page with everything inside, to be printed on A4.
SN_API sn_status sn_scene_build_sheet(const sn_scene *scene, int mobile, char **text,
                                      size_t *length, sn_error *error);

// The flat outline of one part for a cutter, in millimetres: DXF (R12) or SVG. NULL in *text where
// the part is no sheet or disc. Layer CUT is the edge, DRILL what it hangs by, MARK where it is
// fixed.
SN_API sn_status sn_scene_cut_dxf(const sn_scene *scene, int mobile, int part, char **text,
                                  size_t *length, sn_error *error);
SN_API sn_status sn_scene_cut_svg(const sn_scene *scene, int mobile, int part, char **text,
                                  size_t *length, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
