#include "elastic/coarse.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "elastic/factor.h"
#include "math/dense.h"

enum { MOST_MODES = 12, GROUP_SIZE = 40 };

struct sn_coarse {
    int vertex_count, group_count, modes;
    sn_sparse *rest;    // K at rest
    double *masses;     // block_count of it: M's number
    int *group_of;      // vertex_count
    int *members;       // vertex_count: vertices by group
    int *starts;        // group_count + 1
    double *offsets;    // 3 * vertex_count: from the middle of the group, by its size
    sn_vec3 *positions; // vertex_count: at rest
    sn_mat3 *turns;     // group_count
    sn_factor *factor;
    int *row_starts, *columns; // coarse pattern
    int *places;               // block_count of rest: coarse block
    double *values;            // coarse blocks
    double *numbers;           // modes * group_count
    double mass_scale, stiffness_scale;
    uint8_t *fixed; // vertex_count
    bool set;
};

// ---- groups ----

static double axis_of(const sn_vec3 *p, int axis)
{
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

// Vertices by coordinate, then by number: any order of the same set gives the same halves.
static bool before(const sn_coarse *c, int axis, int a, int b)
{
    double p = axis_of(&c->positions[a], axis), q = axis_of(&c->positions[b], axis);
    return p < q || (p == q && a < b);
}

// The half of members first .. last - 1 that is lower along the axis comes first (C. Hoare's
// selection).
static void select_half(sn_coarse *c, int axis, int first, int last, int middle)
{
    int *m = c->members, low = first, high = last - 1;
    while (low < high) {
        int pivot = m[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (before(c, axis, m[i], pivot)) {
                ++i;
            }
            while (before(c, axis, pivot, m[j])) {
                --j;
            }
            if (i <= j) {
                int swap = m[i];
                m[i++] = m[j];
                m[j--] = swap;
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const sn_coarse *c, int first, int last)
{
    int best = 0;
    double length = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int k = first; k < last; ++k) {
            double x = axis_of(&c->positions[c->members[k]], axis);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > length) {
            length = high - low;
            best = axis;
        }
    }
    return best;
}

typedef struct part {
    int first, last;
} part;

// Halves across the longest axis until they are small enough.
static bool make_groups(sn_coarse *c, int size)
{
    SN_ARRAY(part) stack = {0};
    for (int v = 0; v < c->vertex_count; ++v) {
        c->members[v] = v;
    }
    bool fits = sn_array_push(&stack, (part){0, c->vertex_count});
    while (fits && stack.count > 0) {
        part p = stack.data[--stack.count];
        if (p.last - p.first <= size) {
            for (int k = p.first; k < p.last; ++k) {
                c->group_of[c->members[k]] = c->group_count;
            }
            c->starts[++c->group_count] = p.last;
            continue;
        }
        int middle = (p.first + p.last) / 2;
        select_half(c, longest_axis(c, p.first, p.last), p.first, p.last, middle);
        fits = sn_array_push(&stack, (part){middle, p.last}) &&
               sn_array_push(&stack, (part){p.first, middle});
    }
    sn_array_free(&stack);
    return fits;
}

static void measure_groups(sn_coarse *c)
{
    for (int g = 0; g < c->group_count; ++g) {
        int first = c->starts[g], last = c->starts[g + 1];
        sn_vec3 sum = {0.0, 0.0, 0.0};
        double size = 0.0;
        for (int k = first; k < last; ++k) {
            sum = sn_vec3_add(sum, c->positions[c->members[k]]);
        }
        sn_vec3 middle = sn_vec3_scale(1.0 / (last - first), sum);
        for (int k = first; k < last; ++k) {
            double distance = sn_distance(c->positions[c->members[k]], middle);
            size = distance > size ? distance : size;
        }
        for (int k = first; k < last; ++k) {
            sn_vec3 d = sn_vec3_sub(c->positions[c->members[k]], middle);
            sn_vec3_put(c->offsets + 3 * (size_t)c->members[k],
                        sn_vec3_scale(size > 0.0 ? 1.0 / size : 0.0, d));
        }
        c->turns[g] = sn_mat3_diagonal((sn_vec3){1.0, 1.0, 1.0});
    }
}

// ---- modes ----

// Motions of a vertex for each mode: 3 x modes by rows, without fixed coordinates.
static void vertex_modes(const sn_coarse *c, int vertex, double *p)
{
    const double *d = c->offsets + 3 * (size_t)vertex;
    int modes = c->modes;
    memset(p, 0, (size_t)(3 * modes) * sizeof *p);
    for (int i = 0; i < 3; ++i) {
        if (c->fixed[vertex] >> i & 1) {
            continue;
        }
        double *row = p + i * modes;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        row[i] = 1.0;
        if (modes == 6) { // e_j x d has d_k in component i, e_k x d has -d_j
            row[3 + j] = d[k];
            row[3 + k] = -d[j];
        } else if (modes == 12) {
            memcpy(row + 3 + 3 * i, d, 3 * sizeof *d);
        }
    }
}

// out += or with `transposed` its transpose += p^T a q, modes x modes
static void add_modes(int modes, const double *p, const double a[9], const double *q,
                      bool transposed, double *out)
{
    double t[3 * MOST_MODES];
    for (int i = 0; i < 3; ++i) {
        for (int n = 0; n < modes; ++n) {
            t[i * modes + n] =
                a[3 * i] * q[n] + a[3 * i + 1] * q[modes + n] + a[3 * i + 2] * q[2 * modes + n];
        }
    }
    for (int m = 0; m < modes; ++m) {
        for (int n = 0; n < modes; ++n) {
            double sum =
                p[m] * t[n] + p[modes + m] * t[modes + n] + p[2 * modes + m] * t[2 * modes + n];
            out[transposed ? n * modes + m : m * modes + n] += sum;
        }
    }
}

// P^T A P, with a trace of the diagonal added: modes that fixed coordinates or few vertices leave
// without a meaning must not stop the factor.
static void put_together(sn_coarse *c)
{
    const sn_sparse *rest = c->rest;
    size_t size = (size_t)(c->modes * c->modes);
    memset(c->values, 0, (size_t)c->row_starts[c->group_count] * size * sizeof *c->values);
    for (int i = 0; i < c->vertex_count; ++i) {
        double p[3 * MOST_MODES], q[3 * MOST_MODES], a[9];
        vertex_modes(c, i, p);
        for (int k = rest->starts[i]; k < rest->starts[i + 1]; ++k) {
            int j = rest->columns[k], gi = c->group_of[i], gj = c->group_of[j];
            vertex_modes(c, j, q);
            for (int e = 0; e < 9; ++e) {
                a[e] = c->stiffness_scale * rest->values[9 * (size_t)k + (size_t)e] +
                       (e % 4 == 0 ? c->mass_scale * c->masses[k] : 0.0);
            }
            double *out = c->values + (size_t)c->places[k] * size;
            add_modes(c->modes, p, a, q, gi < gj, out);
            if (gi == gj && i != j) {
                add_modes(c->modes, p, a, q, true, out);
            }
        }
    }
    for (int g = 0; g < c->group_count; ++g) {
        double *block = c->values + ((size_t)c->row_starts[g + 1] - 1) * size, largest = 0.0;
        for (int m = 0; m < c->modes; ++m) {
            double own = block[m * c->modes + m];
            largest = own > largest ? own : largest;
        }
        for (int m = 0; m < c->modes; ++m) {
            block[m * c->modes + m] += largest > 0.0 ? 1e-8 * largest : 1.0;
        }
    }
}

// ---- the coarse pattern ----

static int compare_and_find(const int *columns, int first, int last, int column)
{
    for (int k = first; k < last; ++k) {
        if (columns[k] == column) {
            return k;
        }
    }
    return -1;
}

static void insert_sorted(int *columns, int first, int *last, int column)
{
    int k = (*last)++;
    for (; k > first && columns[k - 1] > column; --k) {
        columns[k] = columns[k - 1];
    }
    columns[k] = column;
}

// Lower columns of each group; groups that a group meets are few.
static bool find_pattern(sn_coarse *c)
{
    const sn_sparse *rest = c->rest;
    int *marks = sn_allocate_zero(((size_t)c->group_count + 1) * sizeof(int));
    SN_ARRAY(int) columns = {0};
    bool fits = marks != NULL;
    // who is below whom: collected from both ends of every block
    int *starts = sn_allocate_zero(((size_t)c->group_count + 2) * sizeof(int));
    int *pairs = sn_allocate(((size_t)rest->block_count + 1) * sizeof(int));
    fits = fits && starts != NULL && pairs != NULL;
    for (int pass = 0; fits && pass < 2; ++pass) {
        for (int i = 0, k = 0; i < c->vertex_count; ++i) {
            for (; k < rest->starts[i + 1]; ++k) {
                int a = c->group_of[i], b = c->group_of[rest->columns[k]];
                int high = a > b ? a : b;
                if (pass == 0) {
                    starts[high + 2] += 1;
                } else {
                    pairs[starts[high + 1]++] = a > b ? b : a;
                }
            }
        }
        for (int g = 0; pass == 0 && g < c->group_count; ++g) {
            starts[g + 2] += starts[g + 1];
        }
    }
    for (int g = 0; fits && g < c->group_count; ++g) {
        int first = columns.count;
        c->row_starts[g] = first;
        for (int k = starts[g]; fits && k < starts[g + 1]; ++k) {
            if (marks[pairs[k]] != g + 1) {
                marks[pairs[k]] = g + 1;
                fits = sn_array_reserve(&columns, columns.count + 1);
                if (fits) {
                    insert_sorted(columns.data, first, &columns.count, pairs[k]);
                }
            }
        }
        c->row_starts[g + 1] = columns.count;
    }
    for (int i = 0, k = 0; fits && i < c->vertex_count; ++i) {
        for (; k < rest->starts[i + 1]; ++k) {
            int a = c->group_of[i], b = c->group_of[rest->columns[k]];
            int high = a > b ? a : b;
            c->places[k] = compare_and_find(columns.data, c->row_starts[high],
                                            c->row_starts[high + 1], a > b ? b : a);
        }
    }
    c->columns = columns.data;
    sn_free(marks);
    sn_free(starts);
    sn_free(pairs);
    return fits;
}

// ---- making ----

static bool reserve(sn_coarse *c, const sn_coarse_def *def)
{
    size_t count = (size_t)c->vertex_count;
    c->group_of = sn_allocate((count + 1) * sizeof(int));
    c->members = sn_allocate((count + 1) * sizeof(int));
    c->starts = sn_allocate_zero((count + 1) * sizeof(int));
    c->row_starts = sn_allocate_zero((count + 1) * sizeof(int));
    c->offsets = sn_allocate((3 * count + 1) * sizeof(double));
    c->positions = sn_allocate((count + 1) * sizeof(sn_vec3));
    c->turns = sn_allocate((count + 1) * sizeof(sn_mat3));
    c->fixed = sn_allocate_zero(count + 1);
    if (c->group_of == NULL || c->members == NULL || c->starts == NULL || c->row_starts == NULL ||
        c->offsets == NULL || c->positions == NULL || c->turns == NULL || c->fixed == NULL) {
        return false;
    }
    memcpy(c->positions, def->positions, count * sizeof(sn_vec3));
    return true;
}

static sn_status take_rest(sn_coarse *c, const sn_coarse_def *def, sn_error *error)
{
    sn_sparse_def sparse = {.solid = def->solid, .mass = def->mass, .place = def->place};
    sn_status status = sn_sparse_create(&sparse, &c->rest, error);
    if (status != SN_OK) {
        return status;
    }
    size_t blocks = (size_t)c->rest->block_count;
    double *x = sn_allocate((size_t)(SN_SOLID_STRIDE * c->vertex_count) * sizeof *x);
    c->masses = sn_allocate_zero((blocks + 1) * sizeof(double));
    c->places = sn_allocate((blocks + 1) * sizeof(int));
    if (x == NULL || c->masses == NULL || c->places == NULL) {
        sn_free(x);
        return sn_fail_memory(error, blocks * sizeof(double));
    }
    sn_solid_pad(def->solid, &def->positions->x, x);
    status = sn_solid_linearise(def->solid, NULL, x, SN_STIFFNESS_FROZEN, error);
    sn_free(x);
    sn_sparse_assemble(c->rest, NULL, 0.0, 1.0);
    for (int v = 0; v < c->vertex_count; ++v) {
        c->masses[c->rest->starts[v + 1] - 1] = def->mass->diagonal[v];
    }
    for (int p = 0; p < def->mass->pair_count; ++p) {
        c->masses[c->rest->mass_place[p]] = def->mass->entries[p];
    }
    return status;
}

static sn_status make_factor(sn_coarse *c, const sn_coarse_def *def, sn_error *error)
{
    size_t groups = (size_t)c->group_count, size = (size_t)(c->modes * c->modes);
    sn_vec3 *middles = sn_allocate((groups + 1) * sizeof *middles);
    c->values = sn_allocate(((size_t)c->row_starts[c->group_count] * size + 1) * sizeof(double));
    c->numbers = sn_allocate((groups * (size_t)c->modes + 1) * sizeof(double));
    sn_status status = SN_OK;
    if (middles == NULL || c->values == NULL || c->numbers == NULL) {
        status = sn_fail_memory(error, (size_t)c->row_starts[c->group_count] * size * 8);
    } else {
        for (int g = 0; g < c->group_count; ++g) {
            middles[g] = c->positions[c->members[(c->starts[g] + c->starts[g + 1]) / 2]];
        }
        sn_factor_def factor = {.count = c->group_count,
                                .block = c->modes,
                                .starts = c->row_starts,
                                .columns = c->columns,
                                .positions = middles,
                                .place = def->place};
        status = sn_factor_create(&factor, &c->factor, error);
    }
    sn_free(middles);
    return status;
}

sn_status sn_coarse_create(const sn_coarse_def *def, sn_coarse **coarse, sn_error *error)
{
    *coarse = NULL;
    sn_coarse *c = sn_allocate_zero(sizeof *c);
    if (c == NULL) {
        return sn_fail_memory(error, sizeof *c);
    }
    c->vertex_count = sn_solid_vertex_count(def->solid);
    c->modes = def->modes == 0 ? 6 : def->modes;
    sn_status status = SN_OK;
    if (!reserve(c, def) || !make_groups(c, def->group_size > 0 ? def->group_size : GROUP_SIZE)) {
        status = sn_fail_memory(error, (size_t)c->vertex_count * 128);
    }
    if (status == SN_OK) {
        measure_groups(c);
        status = take_rest(c, def, error);
    }
    if (status == SN_OK && !find_pattern(c)) {
        status = sn_fail_memory(error, (size_t)c->vertex_count * 64);
    }
    status = status == SN_OK ? make_factor(c, def, error) : status;
    if (status != SN_OK) {
        sn_coarse_destroy(c);
        return status;
    }
    *coarse = c;
    return SN_OK;
}

void sn_coarse_destroy(sn_coarse *coarse)
{
    if (coarse == NULL) {
        return;
    }
    sn_sparse_destroy(coarse->rest);
    sn_factor_destroy(coarse->factor);
    sn_free(coarse->masses);
    sn_free(coarse->group_of);
    sn_free(coarse->members);
    sn_free(coarse->starts);
    sn_free(coarse->offsets);
    sn_free(coarse->positions);
    sn_free(coarse->turns);
    sn_free(coarse->row_starts);
    sn_free(coarse->columns);
    sn_free(coarse->places);
    sn_free(coarse->values);
    sn_free(coarse->numbers);
    sn_free(coarse->fixed);
    sn_free(coarse);
}

int sn_coarse_group_count(const sn_coarse *coarse)
{
    return coarse->group_count;
}

// ---- use ----

sn_status sn_coarse_set(sn_coarse *c, sn_threads *threads, double mass_scale,
                        double stiffness_scale, const uint8_t *fixed, sn_error *error)
{
    size_t count = (size_t)c->vertex_count;
    bool same = c->set && c->mass_scale == mass_scale && c->stiffness_scale == stiffness_scale;
    for (size_t v = 0; same && v < count; ++v) {
        same = c->fixed[v] == (fixed != NULL ? fixed[v] : 0);
    }
    if (same) {
        return SN_OK;
    }
    c->mass_scale = mass_scale;
    c->stiffness_scale = stiffness_scale;
    if (fixed != NULL) {
        memcpy(c->fixed, fixed, count);
    } else {
        memset(c->fixed, 0, count);
    }
    put_together(c);
    sn_status status = sn_factor_update(c->factor, threads, c->values, error);
    c->set = status == SN_OK;
    return status;
}

// The rotation nearest to sum (x - middle) (X - middle)^T.
void sn_coarse_turn(sn_coarse *c, const double *x)
{
    for (int g = 0; g < c->group_count; ++g) {
        sn_mat3 sum = {{{0.0}}};
        for (int k = c->starts[g]; x != NULL && k < c->starts[g + 1]; ++k) {
            size_t v = (size_t)c->members[k];
            const double *p = x + SN_SOLID_STRIDE * v, *d = c->offsets + 3 * v;
            const double *origin = x + SN_SOLID_STRIDE * (size_t)c->members[c->starts[g]];
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    sum.m[i][j] += (p[i] - origin[i]) * d[j]; // the offsets' sum is 0
                }
            }
        }
        sn_mat3 ignored;
        c->turns[g] = sn_mat3_diagonal((sn_vec3){1.0, 1.0, 1.0});
        if (x != NULL) {
            sn_mat3_polar(sum, &c->turns[g], &ignored);
        }
    }
}

// Forces on a group's modes: f and d x f, or f and f d^T, with f in the group's axes.
static void restrict_group(const sn_coarse *c, int g, const double *r, double *out)
{
    const sn_mat3 *turn = &c->turns[g];
    memset(out, 0, (size_t)c->modes * sizeof *out);
    for (int k = c->starts[g]; k < c->starts[g + 1]; ++k) {
        size_t v = (size_t)c->members[k];
        const double *p = r + SN_SOLID_STRIDE * v, *d = c->offsets + 3 * v;
        double f[3];
        for (int i = 0; i < 3; ++i) {
            f[i] = turn->m[0][i] * p[0] + turn->m[1][i] * p[1] + turn->m[2][i] * p[2];
            out[i] += f[i];
        }
        if (c->modes == 6) {
            out[3] += d[1] * f[2] - d[2] * f[1];
            out[4] += d[2] * f[0] - d[0] * f[2];
            out[5] += d[0] * f[1] - d[1] * f[0];
        } else if (c->modes == 12) {
            for (int i = 0; i < 9; ++i) {
                out[3 + i] += f[i / 3] * d[i % 3];
            }
        }
    }
}

static void prolong_group(const sn_coarse *c, int g, const double *in, double *z)
{
    const sn_mat3 *turn = &c->turns[g];
    for (int k = c->starts[g]; k < c->starts[g + 1]; ++k) {
        size_t v = (size_t)c->members[k];
        const double *d = c->offsets + 3 * v;
        double u[3] = {in[0], in[1], in[2]}, *p = z + SN_SOLID_STRIDE * v;
        if (c->modes == 6) {
            u[0] += in[4] * d[2] - in[5] * d[1];
            u[1] += in[5] * d[0] - in[3] * d[2];
            u[2] += in[3] * d[1] - in[4] * d[0];
        } else if (c->modes == 12) {
            for (int i = 0; i < 3; ++i) {
                u[i] += in[3 + 3 * i] * d[0] + in[4 + 3 * i] * d[1] + in[5 + 3 * i] * d[2];
            }
        }
        for (int i = 0; i < 3; ++i) {
            p[i] += turn->m[i][0] * u[0] + turn->m[i][1] * u[1] + turn->m[i][2] * u[2];
        }
    }
}

void sn_coarse_add(sn_coarse *c, const double *r, double *z)
{
    for (int g = 0; g < c->group_count; ++g) {
        restrict_group(c, g, r, c->numbers + (size_t)g * (size_t)c->modes);
    }
    sn_factor_solve(c->factor, c->modes, c->numbers);
    for (int g = 0; g < c->group_count; ++g) {
        prolong_group(c, g, c->numbers + (size_t)g * (size_t)c->modes, z);
    }
}
