// What the cases of contact share: small scenes that are described once and built at any size.
//
//     sn_trial trial;
//     sn_trial_open(&trial, 1.0, 1.0);
//     sn_trial_floor(&trial, 0.0, 0.5);
//     sn_shape box = sn_trial_box(0.2, 0.2, 0.1, 0.5);
//     sn_body block = sn_trial_add(&trial, &box, sn_trial_at(0.0, 0.0, 0.05, 0.0), SN_VEC3_ZERO);
//     sn_trial_run(&trial, 240);
//     double x = sn_trial_place(&trial, block).x;
//     sn_trial_close(&trial);
//
// Everything given and read is in the units of a scene of length 1 and mass 1, at 1/240 s. A trial
// of length L has all lengths L times as large and, under the same gravity, all times sqrt(L)
// times: what is read must come out the same. Sleep is off, so that it cannot stand in for
// friction.
//
// After a failure a trial does nothing, and every reading is NaN.
#ifndef SN_APP_VERIFY_CONTACT_H
#define SN_APP_VERIFY_CONTACT_H

#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "verify.h"

#define SN_TRIAL_GRAVITY 9.81
#define SN_TRIAL_STEP    (1.0 / 240.0)

typedef struct sn_trial {
    sn_world *world;
    double length, mass, time; // what a unit of each is here
    sn_status status;
    sn_error error;
} sn_trial;

void sn_trial_open(sn_trial *trial, double length, double mass);
void sn_trial_open_with(sn_trial *trial, double length, double mass, const sn_contact_def *contact,
                        double gravity);
void sn_trial_close(sn_trial *trial);

// Tells the table when the trial has failed; false then.
bool sn_trial_good(sn_trial *trial, sn_verify *verify);

sn_shape sn_trial_box(double x, double y, double z, double friction);
sn_shape sn_trial_ball(double radius, double friction);

// A place, turned about y: a positive slope leads down along x.
sn_transform sn_trial_at(double x, double y, double z, double slope);

// Along and off a floor of this slope through the origin: (x, y, z) of the floor's axes.
sn_transform sn_trial_on(double slope, double x, double y, double z);

sn_body sn_trial_add_def(sn_trial *trial, const sn_body_def *def); // meshes come scaled
sn_body sn_trial_add(sn_trial *trial, const sn_shape *shape, sn_transform frame, sn_vec3 velocity);
sn_body sn_trial_fix(sn_trial *trial, const sn_shape *shape, sn_transform frame);
sn_body sn_trial_floor(sn_trial *trial, double slope, double friction);

void sn_trial_run(sn_trial *trial, int steps);
void sn_trial_push(sn_trial *trial, sn_body body, sn_vec3 force); // at the centre, for a step
double sn_trial_time(const sn_trial *trial);
sn_vec3 sn_trial_place(const sn_trial *trial, sn_body body);
sn_vec3 sn_trial_velocity(const sn_trial *trial, sn_body body);
sn_vec3 sn_trial_spin(const sn_trial *trial, sn_body body);

// How far a body's farthest point from the centre can have moved since `start`.
double sn_trial_moved(const sn_trial *trial, sn_body body, sn_transform start, double radius);

// One number with a closed form, measured at size 1 and at other sizes and masses: two lines of the
// table, against the reference and against itself.
typedef struct sn_trial_measure {
    const char *what;
    double (*run)(sn_trial *trial);
    double reference, limit; // relative
} sn_trial_measure;

void sn_trial_compare(sn_verify *verify, const sn_trial_measure *measures, int count);

// ---- the cases ----

void sn_verify_slide(sn_verify *verify);
void sn_verify_roll(sn_verify *verify);
void sn_verify_trough(sn_verify *verify);
void sn_verify_belt(sn_verify *verify);
void sn_verify_bounce(sn_verify *verify);
void sn_verify_cradle(sn_verify *verify);
void sn_verify_hanging_cradle(sn_verify *verify);
void sn_verify_thrown_together(sn_verify *verify);
void sn_verify_contact_events(sn_verify *verify);
void sn_verify_tip(sn_verify *verify);
void sn_verify_stick(sn_verify *verify);
void sn_verify_tower(sn_verify *verify);
void sn_verify_heavy(sn_verify *verify);
void sn_verify_cards(sn_verify *verify);
void sn_verify_arch(sn_verify *verify);
void sn_verify_settled(sn_verify *verify);
void sn_verify_capstan(sn_verify *verify);

#endif
