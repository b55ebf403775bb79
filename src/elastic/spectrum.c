#include "elastic/spectrum.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/dense.h"

enum { STRIDE = SN_SOLID_STRIDE, MORE = 8, MOST_TURNS = 200 };

// Eigenvalues have settled when none that is wanted changes by more than this share.
static const double SETTLED = 1e-11;

typedef struct search {
    const sn_spectrum_def *def;
    sn_linear *linear;
    double shift;
    int size, wanted;        // of the subspace; of it the slowest
    size_t length;           // of a vector
    double *x, *y;           // size * length
    double *image;           // size * length: A y
    double *k, *vectors;     // size x size
    double *values, *before; // size
} search;

static double dot(size_t length, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < length; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static bool is_fixed(const sn_spectrum_def *def, int vertex, int k)
{
    return k == 3 || (def->fixed != NULL && (def->fixed[vertex] >> k & 1) != 0);
}

static int count_free(const sn_spectrum_def *def)
{
    int count = 0;
    for (int i = 0; i < def->mass->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            count += !is_fixed(def, i, k);
        }
    }
    return count;
}

static void clear_fixed(const sn_spectrum_def *def, double *x)
{
    for (int i = 0; i < def->mass->vertex_count; ++i) {
        for (int k = 0; k < STRIDE; ++k) {
            x[STRIDE * i + k] = is_fixed(def, i, k) ? 0.0 : x[STRIDE * i + k];
        }
    }
}

// ---- memory ----

static bool make_search(search *s)
{
    size_t q = (size_t)s->size;
    s->x = sn_allocate_zero(3 * q * s->length * sizeof(double));
    s->k = sn_allocate_zero((2 * q * q + 2 * q) * sizeof(double));
    if (s->x == NULL || s->k == NULL) {
        return false;
    }
    s->y = s->x + q * s->length;
    s->image = s->y + q * s->length;
    s->vectors = s->k + q * q;
    s->values = s->vectors + q * q;
    s->before = s->values + q;
    return true;
}

static void free_search(search *s)
{
    sn_linear_destroy(s->linear);
    sn_free(s->x);
    sn_free(s->k);
}

// ---- the factor ----

// The least shift, from a tiny one on, that makes K + shift M positive definite.
static sn_status factor(search *s, sn_error *error)
{
    const sn_spectrum_def *def = s->def;
    sn_solid_set_damping(def->solid, 1.0, 0.0, NULL, 0, false);
    sn_status status =
        sn_solid_linearise(def->solid, def->threads, def->x, SN_STIFFNESS_EXACT, error);
    sn_error inner = {0};
    s->shift = 1e-7 * def->unit;
    for (int turn = 0; status == SN_OK && turn < 40; ++turn, s->shift *= 8.0) {
        sn_linear_begin(s->linear, def->threads, s->shift, 1.0);
        status = sn_linear_finish(s->linear, def->threads, def->fixed, def->x, &inner);
        if (status != SN_ERROR_INTEGRATOR) {
            return status == SN_OK ? status : sn_fail(error, status, def->place, "%s", inner.text);
        }
        status = SN_OK;
    }
    return status == SN_OK ? sn_fail(error, SN_ERROR_DIVERGED, def->place,
                                     "its stiffness is not finite, or far from any stable place")
                           : status;
}

// ---- iteration ----

static void start(search *s)
{
    sn_random random = {.seed = 20111};
    for (size_t i = 0; i < (size_t)s->size * s->length; ++i) {
        s->x[i] = sn_random_range(&random, -1.0, 1.0);
    }
    for (int j = 0; j < s->size; ++j) {
        clear_fixed(s->def, s->x + (size_t)j * s->length);
    }
}

static void apply_mass(const search *s, const double *x, double *y)
{
    memset(y, 0, s->length * sizeof *y);
    sn_mass_add_product(s->def->mass, STRIDE, 1.0, x, y);
    clear_fixed(s->def, y);
}

static double *row(double *rows, const search *s, int j)
{
    return rows + (size_t)j * s->length;
}

static void add_scaled(const search *s, double *to, double share, const double *from)
{
    for (size_t k = 0; k < s->length; ++k) {
        to[k] += share * from[k];
    }
}

// y becomes orthonormal in M (Gram and Schmidt's way, each twice, because what a free body can do
// without strain swamps all else at first), and `image`, which is A y, follows. x is scratch.
static bool make_orthonormal(search *s)
{
    bool sound = true;
    for (int j = 0; j < s->size; ++j) {
        double *y = row(s->y, s, j), *image = row(s->image, s, j);
        for (int pass = 0; pass < 2; ++pass) {
            apply_mass(s, y, row(s->x, s, j));
            for (int i = 0; i < j; ++i) {
                double share = -dot(s->length, row(s->x, s, i), y); // M of an earlier one
                add_scaled(s, y, share, row(s->y, s, i));
                add_scaled(s, image, share, row(s->image, s, i));
            }
            apply_mass(s, y, row(s->x, s, j));
            double size = sqrt(dot(s->length, row(s->x, s, j), y));
            sound = sound && size > 0.0 && isfinite(size);
            for (size_t k = 0; k < s->length && sound; ++k) {
                y[k] /= size;
                image[k] /= size;
                row(s->x, s, j)[k] /= size;
            }
        }
    }
    return sound;
}

// Each turn's x is y with the columns of `vectors`.
static void combine(search *s)
{
    for (int i = 0; i < s->size; ++i) {
        double *to = row(s->x, s, i);
        memset(to, 0, s->length * sizeof *to);
        for (int j = 0; j < s->size; ++j) {
            add_scaled(s, to, s->vectors[j * s->size + i], row(s->y, s, j));
        }
    }
}

// x becomes the best of what A^-1 M x spans.
static sn_status turn(search *s, sn_error *error)
{
    int q = s->size;
    for (int j = 0; j < q; ++j) {
        apply_mass(s, row(s->x, s, j), row(s->image, s, j));
        memset(row(s->y, s, j), 0, s->length * sizeof(double));
        sn_status status = sn_linear_solve(s->linear, s->def->threads, row(s->image, s, j),
                                           row(s->y, s, j), error);
        if (status != SN_OK) {
            return status;
        }
    }
    bool sound = make_orthonormal(s);
    for (int i = 0; i < q && sound; ++i) {
        for (int j = 0; j <= i; ++j) {
            double upper = dot(s->length, row(s->y, s, i), row(s->image, s, j)),
                   lower = dot(s->length, row(s->y, s, j), row(s->image, s, i));
            s->k[i * q + j] = s->k[j * q + i] = 0.5 * (upper + lower);
        }
    }
    if (!sound || !sn_eigen_symmetric(q, s->k, s->values, s->vectors)) {
        return sn_fail(error, SN_ERROR_DIVERGED, s->def->place,
                       "its vibrations cannot be told apart: a mass or a stiffness is not finite");
    }
    combine(s);
    return SN_OK;
}

static bool has_settled(search *s)
{
    bool settled = true;
    for (int i = 0; i < s->size; ++i) {
        double change = fabs(s->values[i] - s->before[i]);
        settled = settled && (i >= s->wanted || change <= SETTLED * fabs(s->values[i]));
        s->before[i] = s->values[i];
    }
    return settled;
}

static sn_status iterate(search *s, sn_spectrum *spectrum, sn_error *error)
{
    sn_status status = factor(s, error);
    start(s);
    bool settled = false;
    for (int i = 0; i < MOST_TURNS && status == SN_OK && !settled; ++i) {
        status = turn(s, error);
        settled = status == SN_OK && has_settled(s);
        spectrum->iterations = i + 1;
    }
    if (status != SN_OK) {
        return status;
    }
    size_t bytes = (size_t)s->wanted * s->length * sizeof(double);
    spectrum->values = sn_allocate(((size_t)s->wanted + 1) * sizeof(double));
    spectrum->vectors = sn_allocate(bytes + 1);
    if (spectrum->values == NULL || spectrum->vectors == NULL) {
        return sn_fail_memory(error, bytes);
    }
    spectrum->count = s->wanted;
    memcpy(spectrum->vectors, s->x, bytes);
    for (int i = 0; i < s->wanted; ++i) {
        spectrum->values[i] = s->values[i] - s->shift;
    }
    return SN_OK;
}

sn_status sn_spectrum_find(const sn_spectrum_def *def, sn_spectrum *spectrum, sn_error *error)
{
    *spectrum = (sn_spectrum){0};
    int all = count_free(def);
    search s = {.def = def, .length = (size_t)STRIDE * (size_t)def->mass->vertex_count};
    s.wanted = def->count < all ? def->count : all;
    s.size = s.wanted + MORE < all ? s.wanted + MORE : all;
    if (s.wanted <= 0) {
        return SN_OK;
    }
    sn_linear_def linear = {.mesh = def->mesh,
                            .solid = def->solid,
                            .mass = def->mass,
                            .kind = SN_LINEAR_DIRECT,
                            .place = def->place};
    sn_status status = sn_linear_create(&linear, &s.linear, error);
    if (status == SN_OK && !make_search(&s)) {
        status = sn_fail_memory(error, 3 * (size_t)s.size * s.length * sizeof(double));
    }
    if (status == SN_OK) {
        status = iterate(&s, spectrum, error);
    }
    free_search(&s);
    if (status != SN_OK) {
        sn_spectrum_free(spectrum);
    }
    return status;
}

void sn_spectrum_free(sn_spectrum *spectrum)
{
    sn_free(spectrum->values);
    sn_free(spectrum->vectors);
    *spectrum = (sn_spectrum){0};
}
