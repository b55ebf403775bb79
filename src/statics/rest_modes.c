// Small vibrations of worlds with elastic bodies. See rest.h.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "statics/elastic_rest.h"
#include "statics/rest.h"

enum { STRIDE = SN_SOLID_STRIDE, MODES_OF_A_BODY = 24, MOST_MODES = 400 };

// ---- the spectrum ----

static void apply_mass(void *context, const double *x, double *y)
{
    sn_rest_mass(context, x, y);
}

static void solve(void *context, const double *x, double *y)
{
    sn_rest_solve(context, x, NULL, y, NULL);
}

// The least shift, from a tiny one on, that makes K + shift M positive definite on what rows leave.
static sn_status shift_and_factor(sn_rest *rest, double *shift, sn_error *error)
{
    sn_error inner = {0};
    *shift = 0.0;
    for (int b = 0; b < rest->body_count; ++b) {
        *shift = fmax(*shift, 1e-7 * rest->bodies[b].unit);
    }
    for (int turn = 0; turn < 40; ++turn, *shift *= 8.0) {
        sn_status status = sn_rest_factor(rest, SN_REST_SHIFTED, *shift, &inner);
        if (status != SN_ERROR_INTEGRATOR) {
            return status == SN_OK ? status : sn_fail(error, status, inner.place, "%s", inner.text);
        }
    }
    return sn_fail(error, SN_ERROR_DIVERGED, inner.place,
                   "the stiffness is not finite, or far from any stable place");
}

// What a stiffness of zero may come out as: rounding in the products of K's entries, which are
// differences in the rigid freedoms.
static double noise_of(const sn_rest *rest, const double *shape)
{
    double soft = 0.0, rigid = 0.0;
    const double *x = shape + rest->n;
    for (int row = 0; row < rest->nodes; ++row) {
        for (int k = rest->starts[row]; k < rest->starts[row + 1]; ++k) {
            const double *b = rest->base + 9 * (size_t)k, *own = x + (size_t)STRIDE * (size_t)row,
                         *other = x + (size_t)STRIDE * (size_t)rest->columns[k];
            double sum = 0.0;
            for (int e = 0; e < 9; ++e) {
                sum += fabs(own[e / 3] * b[e] * other[e % 3]);
            }
            soft += rest->columns[k] == row ? sum : 2.0 * sum;
        }
    }
    for (int i = 0; i < rest->n; ++i) {
        for (int j = 0; j < rest->n; ++j) {
            rigid += fabs(shape[i] * rest->k[i * rest->n + j] * shape[j]);
        }
    }
    return 16.0 * DBL_EPSILON * soft + 1e-10 * rigid +
           1e-9 * sn_length(rest->world->gravity) / rest->reach;
}

// Rayleigh's quotient with K itself is free of the factor's rounding.
static void sharpen(sn_rest *rest, double *values, const double *vectors, int count,
                    sn_mode_type *types, double *scratch)
{
    for (int i = 0; i < count; ++i) {
        const double *shape = vectors + (size_t)i * rest->size;
        double sum = 0.0, noise = noise_of(rest, shape);
        sn_rest_product(rest, shape, scratch);
        for (size_t k = 0; k < rest->size; ++k) {
            sum += shape[k] * scratch[k];
        }
        values[i] = sum;
        types[i] = sum > noise ? SN_MODE_SWINGS : (sum < -noise ? SN_MODE_UNSTABLE : SN_MODE_FREE);
    }
}

sn_status sn_rest_vibrations(sn_rest *rest, int count, sn_spectrum *spectrum, sn_mode_type *types,
                             sn_error *error)
{
    *spectrum = (sn_spectrum){0};
    double shift;
    sn_status status = shift_and_factor(rest, &shift, error);
    if (status != SN_OK) {
        return status;
    }
    sn_spectrum_def def = {.length = rest->size,
                           .freedoms = sn_rest_freedoms(rest),
                           .count = count,
                           .context = rest,
                           .mass = apply_mass,
                           .solve = solve,
                           .place = "world"};
    status = sn_spectrum_find(&def, spectrum, error);
    if (status == SN_OK) {
        sharpen(rest, spectrum->values, spectrum->vectors, spectrum->count, types, rest->force);
    }
    return status;
}

// ---- modes ----

// Lets limits press that are reached, but for those that would have to pull.
static sn_status find_pressed(sn_rest *rest, double *d, sn_error *error)
{
    sn_system *rigid = &rest->system;
    sn_system_read(rigid, rigid->pose, NULL);
    for (int i = 0; i < rigid->limits.count; ++i) {
        const sn_system_limit *limit = &rigid->limits.data[i];
        double position = sn_system_limit_position(limit, rigid->pose),
               near = 1e-9 * rigid->reach[limit->v];
        int side = position >= limit->upper - near ? 1 : (position <= limit->lower + near ? -1 : 0);
        sn_system_press(rigid, i, side);
    }
    for (;;) {
        double shift;
        memset(rest->lambda, 0, (size_t)rest->most_rows * sizeof(double));
        sn_status status = sn_rest_look(rest, error);
        status = status == SN_OK ? sn_rest_linearise(rest, SN_STIFFNESS_EXACT, 1, error) : status;
        status = status == SN_OK ? shift_and_factor(rest, &shift, error) : status;
        if (status != SN_OK) {
            return status;
        }
        sn_rest_solve(rest, rest->force, NULL, d, rest->lambda);
        int pulling = sn_rest_pulling_limit(rest, 0.0);
        if (pulling < 0) {
            return SN_OK;
        }
        sn_system_press(rigid, pulling, 0);
    }
}

// What rows leave of the forces.
static void find_left(sn_rest *rest, double *left, double *force, double *torque)
{
    memcpy(left, rest->force, rest->size * sizeof *left);
    sn_rest_add_rows(rest, rest->lambda, left);
    sn_rest_clear_fixed(rest, left);
    *force = *torque = 0.0;
    for (size_t i = 0; i < rest->size; ++i) {
        double *most = i < (size_t)rest->n && rest->system.turns[i] ? torque : force;
        *most = fmax(*most, fabs(left[i]));
    }
}

static void fill_list(sn_modes *modes, const sn_spectrum *spectrum, const sn_mode_type *types)
{
    for (int i = 0; i < spectrum->count; ++i) {
        int at = i; // products with K may exchange neighbours
        double value = types[i] == SN_MODE_FREE ? 0.0 : spectrum->values[i];
        sn_mode mode = {.type = types[i],
                        .angular_frequency = value < 0.0 ? -sqrt(-value) : sqrt(value)};
        mode.frequency = mode.angular_frequency / (2.0 * SN_PI);
        size_t n = (size_t)modes->coordinates;
        for (; at > 0 && modes->list[at - 1].angular_frequency > mode.angular_frequency; --at) {
            modes->list[at] = modes->list[at - 1];
            memcpy(modes->shapes + (size_t)at * n, modes->shapes + (size_t)(at - 1) * n,
                   n * sizeof(double));
        }
        modes->list[at] = mode;
        memcpy(modes->shapes + (size_t)at * n, spectrum->vectors + (size_t)i * n,
               n * sizeof(double));
    }
    modes->count = spectrum->count;
}

static sn_status find_modes(sn_rest *rest, sn_modes *modes, double *d, sn_error *error)
{
    int wanted = MODES_OF_A_BODY * rest->body_count + rest->n;
    wanted = wanted < MOST_MODES ? wanted : MOST_MODES;
    size_t most = (size_t)wanted;
    sn_mode_type types[MOST_MODES];
    sn_spectrum spectrum = {0};
    sn_status status = find_pressed(rest, d, error);
    if (status == SN_OK) {
        find_left(rest, d, &modes->force, &modes->torque);
        status = sn_rest_linearise(rest, SN_STIFFNESS_EXACT, 4, error);
    }
    status = status == SN_OK ? sn_rest_vibrations(rest, wanted, &spectrum, types, error) : status;
    if (status != SN_OK) {
        return status;
    }
    modes->coordinates = (int)rest->size;
    modes->asymmetry = rest->asymmetry;
    modes->list = sn_allocate_zero(most * sizeof *modes->list);
    modes->shapes = sn_allocate_zero(most * rest->size * sizeof *modes->shapes);
    modes->pose = sn_allocate(sn_rest_pose_size(rest) * sizeof *modes->pose);
    if (modes->list == NULL || modes->shapes == NULL || modes->pose == NULL) {
        status = sn_fail_memory(error, most * rest->size * sizeof *modes->shapes);
    } else {
        sn_rest_read(rest, modes->pose);
        fill_list(modes, &spectrum, types);
    }
    sn_spectrum_free(&spectrum);
    return status;
}

sn_status sn_world_elastic_modes(sn_world *world, sn_modes *modes, sn_error *error)
{
    sn_rest rest;
    sn_status status = sn_rest_open(world, &rest, error);
    if (status != SN_OK) {
        return status;
    }
    double *v = sn_allocate((2 * rest.size + 1) * sizeof *v), *d = v + rest.size;
    if (v != NULL) {
        sn_rest_read_rates(&rest, v);
        sn_rest_stop(&rest);
        status = find_modes(&rest, modes, d, error);
        sn_rest_write_rates(&rest, v);
    } else {
        status = sn_fail_memory(error, 2 * rest.size * sizeof *v);
    }
    sn_free(v);
    sn_rest_close(&rest);
    if (status != SN_OK) {
        sn_modes_free(modes);
    }
    return status;
}

// ---- swinging ----

// Bonds between bodies that turn are met to the second order of the amplitude.
sn_status sn_world_elastic_swing(sn_world *world, const sn_modes *modes, int mode, double shift,
                                 double rate, sn_error *error)
{
    sn_rest rest;
    sn_status status = sn_rest_open(world, &rest, error);
    if (status != SN_OK) {
        return status;
    }
    size_t all = sn_rest_pose_size(&rest);
    double *moved = sn_allocate((all + rest.size + 1) * sizeof *moved), *v = moved + all;
    if ((int)rest.size != modes->coordinates) {
        status = sn_fail(error, SN_ERROR_MISMATCH, "world",
                         "the world has %d coordinates, the modes are of %d", (int)rest.size,
                         modes->coordinates);
    } else if (moved == NULL) {
        status = sn_fail_memory(error, (all + rest.size) * sizeof *moved);
    } else {
        const double *shape = modes->shapes + (size_t)mode * rest.size;
        sn_rest_stop(&rest);
        sn_rest_move(&rest, modes->pose, shape, shift, moved);
        for (size_t i = 0; i < rest.size; ++i) {
            v[i] = rate * shape[i];
        }
        sn_rest_write(&rest, moved);
        sn_rest_write_rates(&rest, v);
    }
    sn_free(moved);
    sn_rest_close(&rest);
    return status;
}
