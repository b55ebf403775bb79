// What the cases of elastic bodies share: a bar along x that starts at x = 0, in a world of its
// own.
//
//     sn_bar_def def = sn_default_bar_def();
//     def.size = (sn_vec3){4.0, 1.0, 1.0};
//     sn_bar bar;
//     if (sn_bar_make(&def, &bar, &error) == SN_OK) {
//         double down = sn_bar_tip(&bar).z;
//     }
//     sn_bar_free(&bar);
#ifndef SN_APP_VERIFY_ELASTIC_H
#define SN_APP_VERIFY_ELASTIC_H

#include "sinew/elastic.h"
#include "sinew/tetrahedra.h"
#include "verify.h"

typedef struct sn_bar_def {
    sn_vec3 size;
    int cells[3];
    double grading; // length of the cells at x = 0 by the mean; 0: all are alike
    int nodes;      // of an element: 4 or 10
    sn_elastic_law law;
    double young, poisson, density;
    double gravity;
    bool clamped; // at x = 0
    sn_policy policy;
    sn_integrator integrator;
    sn_elastic_solver solver;
    double tolerance; // of conjugate gradients; 0: the default
    int newton;
} sn_bar_def;

// 4 x 1 x 1 m of 8 x 2 x 2 cells with ten nodes, corotational, 10 MPa, 0.3, 1000 kg/m^3, clamped,
// without gravity; implicit Euler's rule by direct solution.
sn_bar_def sn_default_bar_def(void);

// A free bar of 10 x 1 x 1 m, 1 Pa and 1 kg/m^3, so that waves run along it with 1 m/s.
sn_bar_def sn_wave_bar_def(void);

typedef struct sn_bar {
    sn_world *world;
    sn_body body;
    sn_tetrahedra *mesh;
    sn_vec3 size;
    int count;            // of vertices
    sn_vec3 *rest, *now;  // count
    sn_vec3 *speed;       // count
    int end_count, *ends; // vertices of the section at the end
    int middle;           // the vertex nearest to the end's middle
} sn_bar;

// Free it whatever the status.
sn_status sn_bar_make(const sn_bar_def *def, sn_bar *bar, sn_error *error);
void sn_bar_free(sn_bar *bar);

// Adds the bar of a definition to a world that there is already, with its left end at `from`.
sn_status sn_bar_add(sn_world *world, const sn_bar_def *def, const char *name, sn_vec3 from,
                     sn_vec3 velocity, sn_surface surface, sn_body *body, sn_error *error);

// `now` and `speed` as they are.
void sn_bar_read(sn_bar *bar);

// Steps so long that inertia does not count, each from rest: Newton's method for the equilibrium,
// under the forces that `push` (may be NULL) adds before each. Ends when nothing moves any more.
typedef void sn_bar_push(sn_bar *bar, double share, void *context);
sn_status sn_bar_settle(sn_bar *bar, double step, sn_bar_push *push, double share, void *context,
                        int most, sn_error *error);

// How far the end's middle is from where it was at rest.
sn_vec3 sn_bar_tip(sn_bar *bar);

// Small swings of a clamped bar in Euler's mode 0, 1 or 2; the frequency is about `expected`.
sn_status sn_bar_frequency(sn_bar *bar, int mode, double expected, double *frequency,
                           sn_error *error);

// ---- cases ----

void sn_verify_elastic_patch(sn_verify *verify);
void sn_verify_elastic_derivatives(sn_verify *verify);
void sn_verify_elastic_thesis(sn_verify *verify);
void sn_verify_elastic_mass(sn_verify *verify);
void sn_verify_elastic_refined(sn_verify *verify);
void sn_verify_elastic_rubber(sn_verify *verify);
void sn_verify_elastic_loads(sn_verify *verify);
void sn_verify_elastic_circle(sn_verify *verify);
void sn_verify_elastic_couple(sn_verify *verify);
void sn_verify_elastic_modes(sn_verify *verify);
void sn_verify_elastic_weight(sn_verify *verify);
void sn_verify_elastic_energy(sn_verify *verify);
void sn_verify_elastic_momentum(sn_verify *verify);
void sn_verify_elastic_impact(sn_verify *verify);
void sn_verify_elastic_slide(sn_verify *verify);
void sn_verify_elastic_stick(sn_verify *verify);
void sn_verify_elastic_tip(sn_verify *verify);
void sn_verify_elastic_plates(sn_verify *verify);
void sn_verify_elastic_wall(sn_verify *verify);
void sn_verify_elastic_spring_bounce(sn_verify *verify);
void sn_verify_elastic_spring_pair(sn_verify *verify);
void sn_verify_elastic_spring_bars(sn_verify *verify);

#endif
