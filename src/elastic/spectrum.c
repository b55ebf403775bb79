#include "elastic/spectrum.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/dense.h"

enum { MORE = 8, MOST_TURNS = 200 };

// Eigenvalues have settled when none that is wanted changes by more than this share.
static const double SETTLED = 1e-11;

typedef struct search {
    const sn_spectrum_def *def;
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
    sn_free(s->x);
    sn_free(s->k);
}

// ---- iteration ----

static void start(search *s)
{
    sn_random random = {.seed = 20111};
    for (size_t i = 0; i < (size_t)s->size * s->length; ++i) {
        s->x[i] = sn_random_range(&random, -1.0, 1.0);
    }
}

static void apply_mass(const search *s, const double *x, double *y)
{
    s->def->mass(s->def->context, x, y);
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
        s->def->solve(s->def->context, row(s->image, s, j), row(s->y, s, j));
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
    sn_status status = SN_OK;
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
    memcpy(spectrum->values, s->values, (size_t)s->wanted * sizeof(double));
    return SN_OK;
}

sn_status sn_spectrum_find(const sn_spectrum_def *def, sn_spectrum *spectrum, sn_error *error)
{
    *spectrum = (sn_spectrum){0};
    int all = def->freedoms;
    search s = {.def = def, .length = def->length};
    s.wanted = def->count < all ? def->count : all;
    s.size = s.wanted + MORE < all ? s.wanted + MORE : all;
    if (s.wanted <= 0) {
        return SN_OK;
    }
    sn_status status = make_search(&s)
                           ? iterate(&s, spectrum, error)
                           : sn_fail_memory(error, 3 * (size_t)s.size * s.length * sizeof(double));
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
