// Firm rows: those of bonds, which hold whatever happens. All of them together are an equation that
// Newton's method need not solve again for every guess about who sticks, slides and opens. With b
// the firm rows and c the others, scaled as in exact_system.h,
//
//     dp_b = -W_bb^-1 (u_b + W_bc dp_c)
//
// and once u_b is 0 the others see S = W_cc - W_cb W_bb^-1 W_bc in place of W_cc: what they press
// on answers as it does with its bonds. A pad of which 25 vertices are attached and 8 touch has 24
// rows to guess about, of 99.
//
// Bonds that say the same twice make W_bb singular: rows that the others make up, to TWICE, are
// left among the others.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/lanes.h"
#include "solve/exact_system.h"

static const double TWICE = 1e-8; // of the largest answer, which is 1

// Fewer are not worth it.
enum { FEW = 6 };

static bool may_be_firm(const sn_exact_block *block)
{
    return block->kind == SN_BLOCK_BOX && block->lower == -INFINITY && block->upper == INFINITY &&
           !block->idle && block->scale[0] > 0.0;
}

int sn_exact_firm_count(const sn_exact_system *system)
{
    int count = 0;
    for (int i = 0; i < system->blocks.count; ++i) {
        count += may_be_firm(&system->blocks.data[i]);
    }
    return count < FEW ? 0 : count;
}

static double *row_of(const sn_exact_system *system, int row)
{
    return system->matrix.data + (size_t)row * (size_t)system->p.count;
}

static double *answer_of(const sn_exact_system *system, int firm)
{
    return system->firm_answers.data + (size_t)firm * (size_t)system->p.count;
}

// ---- taking them out ----

// Lists blocks in `firm` and factors W_bb; those that are not among the first `firm_count` are left
// out.
static bool factor(sn_exact_system *system)
{
    sn_array_clear(&system->firm);
    system->firm_count = 0;
    for (int i = 0; i < system->blocks.count; ++i) {
        system->blocks.data[i].firm = false;
        if (may_be_firm(&system->blocks.data[i]) && !sn_array_push(&system->firm, i)) {
            return false;
        }
    }
    int count = system->firm.count;
    if (count < FEW) {
        return true;
    }
    if (!sn_array_resize(&system->firm_factor, count * count) ||
        !sn_array_resize(&system->firm_order, 2 * count) ||
        !sn_array_resize(&system->firm_scratch, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const double *w = row_of(system, system->blocks.data[system->firm.data[i]].row);
        for (int k = 0; k < count; ++k) {
            system->firm_factor.data[(size_t)i * (size_t)count + (size_t)k] =
                w[system->blocks.data[system->firm.data[k]].row];
        }
    }
    int *order = system->firm_order.data, *listed = order + count;
    system->firm_count = sn_ldl_factor_pivoted(count, system->firm_factor.data, order, TWICE);
    memcpy(listed, system->firm.data, (size_t)count * sizeof *listed);
    for (int i = 0; i < count; ++i) {
        system->firm.data[i] = listed[order[i]];
        system->blocks.data[system->firm.data[i]].firm = i < system->firm_count;
    }
    return true;
}

// to -= f from, all columns.
static void take(int count, double f, const double *from, double *to)
{
    if (f == 0.0) {
        return;
    }
    int i = 0;
    for (; i + SN_LANES <= count; i += SN_LANES) {
        *(sn_lanes_row *)(to + i) -= f * *(const sn_lanes_row *)(from + i);
    }
    for (; i < count; ++i) {
        to[i] -= f * from[i];
    }
}

static double dot(int count, const double *a, const double *b)
{
    sn_lanes sums = {0.0};
    int i = 0;
    for (; i + SN_LANES <= count; i += SN_LANES) {
        sums += *(const sn_lanes_row *)(a + i) * *(const sn_lanes_row *)(b + i);
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// W_bb^-1 W_bc, row by row: L, D and L^T of the factor in turn.
static void find_answers(sn_exact_system *system)
{
    int count = system->firm_count, rows = system->p.count, all = system->firm.count;
    const double *ldl = system->firm_factor.data;
    for (int i = 0; i < count; ++i) {
        double *answer = answer_of(system, i);
        memcpy(answer, row_of(system, system->blocks.data[system->firm.data[i]].row),
               (size_t)rows * sizeof *answer);
        for (int k = 0; k < i; ++k) {
            take(rows, ldl[i * all + k], answer_of(system, k), answer);
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        double *answer = answer_of(system, i), pivot = ldl[i * all + i];
        for (int k = 0; k < rows; ++k) {
            answer[k] /= pivot;
        }
        for (int k = i + 1; k < count; ++k) {
            take(rows, ldl[k * all + i], answer_of(system, k), answer);
        }
    }
}

// S, in place of W, and where it is not 0.
static void reduce(sn_exact_system *system, const sn_exact_block *block)
{
    int rows = system->p.count;
    for (int row = block->row; row < block->row + block->width; ++row) {
        double *w = row_of(system, row);
        int *low = &system->low.data[row], *high = &system->high.data[row];
        for (int i = 0; i < system->firm_count; ++i) {
            system->firm_scratch.data[i] = w[system->blocks.data[system->firm.data[i]].row];
        }
        for (int i = 0; i < system->firm_count; ++i) {
            take(rows, system->firm_scratch.data[i], answer_of(system, i), w);
        }
        for (int i = 0; i < system->firm_count; ++i) { // nothing asks for these any more
            w[system->blocks.data[system->firm.data[i]].row] = 0.0;
        }
        for (int k = 0; k < *low; ++k) {
            *low = w[k] != 0.0 ? k : *low;
        }
        for (int k = rows - 1; k >= *high; --k) {
            *high = w[k] != 0.0 ? k + 1 : *high;
        }
    }
}

bool sn_exact_firm_take_out(sn_exact_system *system)
{
    if (!factor(system) ||
        !sn_array_resize(&system->firm_answers, system->firm_count * system->p.count)) {
        return false;
    }
    find_answers(system);
    for (int i = 0; i < system->blocks.count && system->firm_count > 0; ++i) {
        if (!system->blocks.data[i].firm) {
            reduce(system, &system->blocks.data[i]);
        }
    }
    return true;
}

// ---- their impulses ----

static void push(sn_exact_system *system, const sn_exact_block *block, double scaled)
{
    sn_vec3 change = sn_vec3_make(block->scale[0] * scaled, 0.0, 0.0);
    sn_exact_put(system, block, sn_vec3_add(sn_exact_impulse(system, block), change));
    sn_exact_push(system, block, change);
}

void sn_exact_firm_hold(sn_exact_system *system)
{
    int count = system->firm_count, all = system->firm.count;
    const double *ldl = system->firm_factor.data;
    double *x = system->firm_scratch.data;
    for (int i = 0; i < count; ++i) {
        const sn_exact_block *block = &system->blocks.data[system->firm.data[i]];
        x[i] = block->scale[0] * sn_exact_velocity(system, block).x;
        x[i] -= dot(i, ldl + (size_t)i * (size_t)all, x);
    }
    for (int i = 0; i < count; ++i) {
        x[i] /= ldl[i * all + i];
    }
    for (int i = count - 1; i > 0; --i) {
        take(i, x[i], ldl + (size_t)i * (size_t)all, x);
    }
    for (int i = 0; i < count; ++i) {
        push(system, &system->blocks.data[system->firm.data[i]], -x[i]);
    }
}

void sn_exact_firm_follow(sn_exact_system *system)
{
    for (int i = 0; i < system->firm_count; ++i) {
        system->firm_scratch.data[i] =
            -dot(system->p.count, answer_of(system, i), system->step.data);
    }
    for (int i = 0; i < system->firm_count; ++i) { // once all steps have been read
        system->step.data[system->blocks.data[system->firm.data[i]].row] =
            system->firm_scratch.data[i];
    }
}
