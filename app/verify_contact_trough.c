// A ball in a round trough of narrow strips swings as a pendulum of length R - r: with the period
//
//     T = 2 pi sqrt(L / g) / agm(1, cos(angle / 2))
//
// where it slides, and sqrt(7/5) times that where it rolls; and keeps its energy.
#include <math.h>
#include <stdlib.h>

#include "verify_contact.h"

enum { STRIPS = 4000 };
static const double TROUGH = 1.0, RADIUS = 0.1, ANGLE = SN_PI / 6.0; // of 1 rad to each side

static sn_status make_trough(sn_mesh **mesh, sn_error *error)
{
    sn_vec3 *positions = malloc((2 * STRIPS + 2) * sizeof *positions);
    int *triangles = malloc(6 * STRIPS * sizeof *triangles);
    sn_status status = SN_ERROR_MEMORY;
    if (positions != NULL && triangles != NULL) {
        for (int i = 0; i <= STRIPS; ++i) {
            double a = 2.0 * i / STRIPS - 1.0;
            for (int k = 0; k < 2; ++k) {
                positions[2 * i + k] =
                    sn_vec3_make(TROUGH * sin(a), k == 0 ? -0.2 : 0.2, TROUGH * (1.0 - cos(a)));
            }
        }
        for (int i = 0; i < STRIPS; ++i) {
            const int own[6] = {0, 2, 3, 0, 3, 1};
            for (int k = 0; k < 6; ++k) {
                triangles[6 * i + k] = 2 * i + own[k];
            }
        }
        status = sn_mesh_create(positions, 2 * STRIPS + 2, triangles, 2 * STRIPS, mesh, error);
    }
    free(positions);
    free(triangles);
    return status;
}

static double period(void)
{
    double a = 1.0, b = cos(0.5 * ANGLE);
    for (int i = 0; i < 5; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * SN_PI * sqrt((TROUGH - RADIUS) / SN_TRIAL_GRAVITY) / a;
}

static void swing(sn_verify *verify, double friction, double slower, const char *time,
                  const char *kept)
{
    sn_trial trial;
    sn_trial_open(&trial, 1.0, 1.0);
    sn_shape trough = sn_default_shape(), round = sn_trial_ball(RADIUS, friction);
    trough.type = SN_SHAPE_MESH;
    trough.surface.friction = friction;
    if (trial.status == SN_OK) {
        trial.status = make_trough(&trough.mesh, &trial.error);
    }
    double length = TROUGH - RADIUS - 1e-7; // strips are chords
    sn_trial_fix(&trial, &trough, SN_TRANSFORM_IDENTITY);
    sn_body ball = sn_trial_add(
        &trial, &round, sn_trial_at(length * sin(ANGLE), 0.0, TROUGH - length * cos(ANGLE), 0.0),
        SN_VEC3_ZERO);
    sn_mesh_release(trough.mesh);
    double height = length * (1.0 - cos(ANGLE)), last = 1.0, first = NAN, latest = NAN;
    double mass = 0.0, start = 0.0;
    if (trial.status == SN_OK) {
        mass = sn_body_mass_properties(trial.world, ball).mass;
        start = sn_world_energy(trial.world).total;
    }
    int passed = 0, swings = 0;
    for (int i = 0; i < 2400 && trial.status == SN_OK; ++i) {
        sn_trial_run(&trial, 1);
        double x = sn_trial_place(&trial, ball).x;
        if (last > 0.0 && x <= 0.0) { // through the middle, in one direction
            latest = sn_trial_time(&trial) - SN_TRIAL_STEP * x / (x - last);
            first = passed == 0 ? latest : first;
            swings = passed++;
        }
        last = x;
    }
    if (sn_trial_good(&trial, verify)) {
        sn_verify_relative(verify, time, slower * period(), (latest - first) / swings, 1e-4);
        double change = sn_world_energy(trial.world).total - start;
        sn_verify_near(verify, kept, 1.0, 1.0 + change / (mass * SN_TRIAL_GRAVITY * height), 2e-3);
    }
    sn_trial_close(&trial);
}

void sn_verify_trough(sn_verify *verify)
{
    swing(verify, 0.0, 1.0, "a ball slides: period, s", "a ball slides: energy after 10 s");
    swing(verify, 2.0, sqrt(1.4), "a ball rolls: period, s", "a ball rolls: energy after 10 s");
}
