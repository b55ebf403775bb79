// Counters: what a step did beyond the method it was asked for.
//
// A step never fails where it can go on, but it does not hide what that took. Every mechanism that
// leaves the asked-for rule, divides the step, damps, scales, stops or sets back something has a
// counter of its own, in the step report (world.h), in the `summary.json` and the lines of
// `sinew run`, and in the live view:
//
//     sn_step_report report = sn_world_report(world);
//     for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
//         if (sn_step_report_count(&report, (sn_counter)i) > 0) {
//             printf("%s: '%s'\n", sn_counter_text((sn_counter)i),
//                    sn_body_name(world, report.worst[i].body));
//         }
//     }
//
// A counter of 0 everywhere is what a resolved motion has; docs/contact.md says what to do about
// others. Steps of the precise policy have error control instead, and count nothing here but
// elements, bonds and penalty contact. Part of the method, and not counted: contact piles beyond
// `exact_limit` (they are solved in `substeps`), the projections that keep energy and momentum of
// mechanisms and of free elastic bodies, the splitting of fast free rotations, and continuous
// collision of rigid bodies that go on after their impact.
#ifndef SINEW_COUNTER_H
#define SINEW_COUNTER_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Name, word (the field of the step report, the key of summary.json and of the live view), unit of
// what is measured ("" for nothing), what happened: it reads on with "in 3 of 720 steps". All up to
// SN_COUNTER_AGENTS count agents of the step, which are rigid bodies, whole mechanisms and elastic
// bodies; the others what they name.
#define SN_COUNTER_LIST(X)                                                                         \
    X(EULER, euler, "", "integration rule: Euler's instead of the midpoint rule")                  \
    X(EXPLICIT, explicit_damping, "",                                                              \
      "integration rule: explicit for damping that feeds energy in")                               \
    X(DIVIDED, divided, "sub-steps", "time step: divided into sub-steps")                          \
    X(DAMPED, damped, "", "artificial damping: smallest sub-steps of mechanisms damped")           \
    X(MASS_SCALED, mass_scaled, "", "mass scaling: inertia added to links that swing too fast")    \
    X(VELOCITY_SCALED, velocity_scaled, "J", "energy guard: velocities scaled down")               \
    X(DISPLACEMENT_SCALED, displacement_scaled, "",                                                \
      "energy guard: displacements of elastic bodies scaled down")                                 \
    X(ENERGY_GAINED, energy_gained, "J", "energy balance: more than 0.5 % gained and kept")        \
    X(STOPPED, stopped, "", "stopped: position kept and velocity halved")                          \
    X(RESTORED, restored, "", "continuous collision: elastic bodies set back before an impact")    \
    X(RESTORED_MECHANISMS, restored_mechanisms, "",                                                \
      "continuous collision: mechanisms set back to their time of impact")                         \
    X(RESTORED_BODIES, restored_bodies, "",                                                        \
      "continuous collision: rigid bodies set back and left there")                                \
    X(TRUNCATED, truncated, "", "inversion guard: motion cut short before an element inverts")     \
    X(UNCONVERGED, unconverged, "residual", "solver: not converged")                               \
    X(TRESCA, tresca, "", "contact solver: Tresca's friction instead of Coulomb's")                \
    X(IMPULSE_SCALED, impulse_scaled, "", "contact solver: impulses of an impact scaled down")     \
    X(DEPENETRATED, depenetrated, "", "contact solver: overlap pushed apart")                      \
    X(EARLY_IMPACT, early_impact, "", "fast rotation: impact taken at the start of the step")      \
    X(STIFF, stiff, "points", "penalty contact: too stiff or too damped for the step")             \
    X(DROPPED_PATCHES, dropped_patches, "patches", "contact: patches dropped")                     \
    X(DAMPED_SPRINGS, damped_springs, "springs", "stiff springs: damped numerically")              \
    X(INVERTED, inverted, "elements", "elements: inverted")                                        \
    X(EXPLODING, exploding, "J", "explosion: more energy than any material can hold")              \
    X(VIOLATED, violated, "bonds", "bonds: violated because something contradicts them")

#define X(name, word, unit, text) SN_COUNTER_##name,
typedef enum sn_counter { SN_COUNTER_LIST(X) SN_COUNTER_COUNT } sn_counter;
#undef X

#define SN_COUNTER_AGENTS SN_COUNTER_STIFF // the first that does not count agents

SN_API const char *sn_counter_word(sn_counter counter); // "velocity_scaled"
SN_API const char *sn_counter_text(sn_counter counter); // "energy guard: velocities scaled down"
SN_API const char *sn_counter_unit(sn_counter counter); // "J"; "": nothing is measured

#ifdef __cplusplus
}
#endif

#endif
