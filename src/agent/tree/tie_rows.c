#include "agent/tree/tie_rows.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tree_joint.h"
#include "base/memory.h"

// Y's diagonal is at most one: what counts as no leverage, and turns for the rest. An even grip
// lets go over a region wide enough for integrators to step across, and makes up for it in turns
// where there is leverage.
static const double grip_eps[] = {
    [SN_GRIP_FIRM] = 1e-11, [SN_GRIP_EVEN] = 1e-6, [SN_GRIP_LOOSE] = 1e-4};
static const int grip_turns[] = {[SN_GRIP_FIRM] = 3, [SN_GRIP_EVEN] = 5, [SN_GRIP_LOOSE] = 1};

bool sn_tie_rows_allocate(sn_tie_rows *rows, const sn_tree *tree)
{
    size_t n = (size_t)tree->count;
    *rows = (sn_tie_rows){0};
    rows->root = sn_allocate(n * sizeof *rows->root);
    rows->root_first = sn_allocate(n * sizeof *rows->root_first);
    rows->felt = sn_allocate_zero(n * sizeof *rows->felt);
    rows->stamp = sn_allocate(n * sizeof *rows->stamp);
    if (rows->root == NULL || rows->root_first == NULL || rows->felt == NULL ||
        rows->stamp == NULL) {
        sn_tie_rows_free(rows);
        return false;
    }
    for (int i = 0; i < tree->count; ++i) {
        int parent = tree->links[i].parent;
        rows->root[i] = parent >= 0 ? rows->root[parent] : i;
        rows->root_first[i] = -1;
        rows->stamp[i] = -1;
    }
    return true;
}

void sn_tie_rows_free(sn_tie_rows *rows)
{
    sn_array_free(&rows->rows);
    sn_array_free(&rows->ends);
    sn_array_free(&rows->entries);
    sn_array_free(&rows->y);
    sn_array_free(&rows->ldl);
    sn_array_free(&rows->scratch);
    sn_array_free(&rows->heads);
    sn_free(rows->root);
    sn_free(rows->root_first);
    sn_free(rows->felt);
    sn_free(rows->stamp);
    *rows = (sn_tie_rows){0};
}

bool sn_tie_rows_reserve(sn_tie_rows *rows, int count, int ends, int entries, int stored)
{
    return sn_array_reserve(&rows->rows, count) && sn_array_reserve(&rows->ends, ends) &&
           sn_array_reserve(&rows->entries, entries) && sn_array_reserve(&rows->y, stored) &&
           sn_array_reserve(&rows->ldl, stored) && sn_array_reserve(&rows->scratch, 2 * count) &&
           sn_array_reserve(&rows->heads, ends);
}

void sn_tie_rows_clear(sn_tie_rows *rows)
{
    for (int i = 0; i < rows->ends.count; ++i) {
        rows->root_first[rows->root[rows->ends.data[i].link]] = -1;
    }
    for (int i = 0; i < rows->entries.count; ++i) {
        rows->stamp[rows->entries.data[i].link] = -1;
    }
    sn_array_clear(&rows->rows);
    sn_array_clear(&rows->ends);
    sn_array_clear(&rows->entries);
    rows->failed = false;
}

void sn_tie_rows_add(sn_tie_rows *rows, int tag, int source, int part)
{
    sn_tie_row row = {
        .tag = tag, .source = source, .part = part, .end = rows->ends.count, .scale = 1.0};
    rows->failed = !sn_array_push(&rows->rows, row) || rows->failed;
}

static void add_end(sn_tie_rows *rows, sn_tie_end end)
{
    if (rows->failed || !sn_array_push(&rows->ends, end)) {
        rows->failed = true;
        return;
    }
    rows->rows.data[rows->rows.count - 1].end_count += 1;
}

void sn_tie_rows_wrench(sn_tie_rows *rows, int link, sn_spatial on_link)
{
    add_end(rows, (sn_tie_end){link, false, on_link});
}

void sn_tie_rows_own(sn_tie_rows *rows, int link, sn_vec3 own)
{
    add_end(rows, (sn_tie_end){link, true, {own, SN_VEC3_ZERO}});
}

// ---- measures ----

// v . D^-1 v at a joint
static sn_vec3 times_inverse(const sn_tree *tree, int link, sn_vec3 z)
{
    const sn_tree_factor *factor = &tree->factor[link];
    return tree->body[link].joint < SN_TREE_BALL
               ? sn_vec3_make(factor->one.inverse_d * z.x, 0.0, 0.0)
               : sn_sym3_apply(&factor->three.inverse, z);
}

// What an end would do were its link free: in a joint, what the joint alone lets it; a link without
// mass counts as what it carries.
static double mobility(const sn_tree *tree, const sn_tie_end *end)
{
    if (end->own) {
        return sn_dot(end->push.angular, times_inverse(tree, end->link, end->push.angular));
    }
    const sn_tree_body *body = &tree->body[end->link];
    const sn_tree_inertia *whole = &tree->inertia[end->link];
    sn_vec3 force = end->push.linear, moment = end->push.angular;
    double mass = body->mass, inertia = body->inertia.xx + body->inertia.yy + body->inertia.zz;
    if (mass > 0.0) {
        moment = sn_vec3_sub(moment, sn_cross(body->reach, force));
    } else {
        mass = (whole->linear.xx + whole->linear.yy + whole->linear.zz) / 3.0;
    }
    if (!(inertia > 0.0)) {
        inertia = whole->angular.xx + whole->angular.yy + whole->angular.zz;
    }
    double sum = mass > 0.0 ? sn_dot(force, force) / mass : 0.0;
    return inertia > 0.0 ? sum + 3.0 * sn_dot(moment, moment) / inertia : sum;
}

static void measure(sn_tie_rows *rows, const sn_tree *tree, sn_tie_row *row)
{
    double sum = 0.0;
    sn_tie_end *ends = rows->ends.data + row->end;
    for (int i = 0; i < row->end_count; ++i) {
        sum += mobility(tree, &ends[i]);
    }
    row->scale = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
    for (int i = 0; i < row->end_count; ++i) {
        ends[i].push = sn_spatial_scale(row->scale, ends[i].push);
    }
}

// ---- the way inwards ----

static void start_heads(sn_tie_rows *rows, const sn_tie_row *row)
{
    sn_array_clear(&rows->heads);
    for (int i = 0; i < row->end_count; ++i) {
        const sn_tie_end *end = &rows->ends.data[row->end + i];
        sn_tie_head head = {end->link, SN_VEC3_ZERO, SN_SPATIAL_ZERO};
        if (end->own) {
            head.own = end->push.angular;
        } else {
            head.wrench = end->push;
        }
        rows->failed = !sn_array_push(&rows->heads, head) || rows->failed;
    }
}

// The outermost link that any part of the row has come to, with all that has come there; -1: the
// world.
static sn_tie_head next_link(sn_tie_rows *rows)
{
    sn_tie_head next = {-1, SN_VEC3_ZERO, SN_SPATIAL_ZERO};
    for (int i = 0; i < rows->heads.count; ++i) {
        int link = rows->heads.data[i].link;
        next.link = link > next.link ? link : next.link;
    }
    int kept = 0;
    for (int i = 0; i < rows->heads.count && next.link >= 0; ++i) {
        const sn_tie_head *head = &rows->heads.data[i];
        if (head->link == next.link) {
            next.own = sn_vec3_add(next.own, head->own);
            next.wrench = sn_spatial_add(next.wrench, head->wrench);
        } else {
            rows->heads.data[kept++] = *head;
        }
    }
    rows->heads.count = kept;
    return next;
}

static void go_inwards(sn_tie_rows *rows, const sn_tree *tree, sn_tie_row *row)
{
    row->entry = rows->entries.count;
    row->entry_count = 0;
    start_heads(rows, row);
    while (!rows->failed) {
        sn_tie_head at = next_link(rows);
        if (at.link < 0) {
            return;
        }
        const sn_tree_body *body = &tree->body[at.link];
        sn_vec3 z = sn_vec3_add(at.own, sn_tree_joint_felt(body, &at.wrench));
        rows->failed = !sn_array_push(&rows->entries, (sn_tie_entry){at.link, z});
        row->entry_count += 1;
        if (body->parent >= 0) {
            const sn_sym3 *armature = tree->armed ? &tree->armature[at.link] : NULL;
            sn_spatial rest = sn_spatial_sub(
                at.wrench, sn_tree_pass_on(body, &tree->factor[at.link], armature, z));
            sn_tie_head on = {body->parent, SN_VEC3_ZERO, SN_SPATIAL_ZERO};
            sn_tree_add_wrench(body, &rest, &on.wrench);
            rows->heads.data[rows->heads.count++] = on; // one was taken
        }
    }
}

// ---- Y ----

static int envelope(sn_tie_rows *rows, int r)
{
    const sn_tie_row *row = &rows->rows.data[r];
    int first = r;
    for (int i = 0; i < row->end_count; ++i) {
        int *from = &rows->root_first[rows->root[rows->ends.data[row->end + i].link]];
        *from = *from < 0 ? r : *from;
        first = *from < first ? *from : first;
    }
    return first;
}

static void fill_row(sn_tie_rows *rows, const sn_tree *tree, int r)
{
    const sn_tie_row *row = &rows->rows.data[r];
    for (int i = 0; i < row->entry_count; ++i) {
        const sn_tie_entry *entry = &rows->entries.data[row->entry + i];
        rows->felt[entry->link] = times_inverse(tree, entry->link, entry->z);
        rows->stamp[entry->link] = r;
    }
    for (int s = row->first; s <= r; ++s) {
        const sn_tie_row *other = &rows->rows.data[s];
        double sum = 0.0;
        for (int i = 0; i < other->entry_count; ++i) {
            const sn_tie_entry *entry = &rows->entries.data[other->entry + i];
            if (rows->stamp[entry->link] == r) {
                sum += sn_dot(entry->z, rows->felt[entry->link]);
            }
        }
        rows->y.data[row->offset + (size_t)s] = sum;
    }
}

bool sn_tie_rows_finish(sn_tie_rows *rows, const sn_tree *tree)
{
    int count = rows->rows.count;
    size_t stored = 0;
    for (int r = 0; r < count && !rows->failed; ++r) {
        sn_tie_row *row = &rows->rows.data[r];
        measure(rows, tree, row);
        go_inwards(rows, tree, row);
        row->first = envelope(rows, r);
        row->offset = stored - (size_t)row->first; // wraps, and back when a column is added
        stored += (size_t)(r - row->first + 1);
    }
    rows->failed = rows->failed || stored > INT32_MAX || !sn_array_resize(&rows->y, (int)stored) ||
                   !sn_array_resize(&rows->ldl, (int)stored) ||
                   !sn_array_resize(&rows->scratch, 2 * count);
    for (int r = 0; r < count && !rows->failed; ++r) {
        fill_row(rows, tree, r);
    }
    return !rows->failed;
}

void sn_tie_rows_apply(const sn_tie_rows *rows, const double *x, double *y)
{
    for (int r = 0; r < rows->rows.count; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        const double *line = rows->y.data + row->offset;
        double sum = (line[r] + row->softness) * x[r];
        for (int s = row->first; s < r; ++s) {
            sum += line[s] * x[s];
            y[s] += line[s] * x[r];
        }
        y[r] = sum;
    }
}

// ---- LDL^T by the envelope ----

void sn_tie_rows_factorise(sn_tie_rows *rows, const uint8_t *out, sn_tie_grip grip)
{
    rows->turns = grip_turns[grip];
    sn_tie_rows_factorise_with(rows, out, grip_eps[grip]);
}

void sn_tie_rows_factorise_with(sn_tie_rows *rows, const uint8_t *out, double eps)
{
    rows->eps = eps;
    for (int r = 0; r < rows->rows.count; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        const double *y = rows->y.data + row->offset;
        double *l = rows->ldl.data + row->offset;
        if (out != NULL && out[r]) {
            for (int s = row->first; s < r; ++s) {
                l[s] = 0.0;
            }
            l[r] = 0.0; // 1 / D, which makes x_r zero
            continue;
        }
        double pivot = y[r] + row->softness + eps;
        for (int s = row->first; s < r; ++s) { // l[s] = L_rs D_s until it is divided
            const sn_tie_row *other = &rows->rows.data[s];
            const double *m = rows->ldl.data + other->offset;
            int from = row->first > other->first ? row->first : other->first;
            double sum = out != NULL && out[s] ? 0.0 : y[s];
            for (int k = from; k < s; ++k) {
                sum -= l[k] * m[k];
            }
            l[s] = sum;
        }
        for (int s = row->first; s < r; ++s) {
            double inverse = rows->ldl.data[rows->rows.data[s].offset + (size_t)s];
            double scaled = l[s] * inverse;
            pivot -= l[s] * scaled;
            l[s] = scaled;
        }
        l[r] = 1.0 / (pivot > 0.5 * eps ? pivot : 0.5 * eps); // rounding may take what eps gave
    }
}

void sn_tie_rows_back(const sn_tie_rows *rows, double *x)
{
    int count = rows->rows.count;
    for (int r = 0; r < count; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        const double *l = rows->ldl.data + row->offset;
        double sum = x[r];
        for (int s = row->first; s < r; ++s) {
            sum -= l[s] * x[s];
        }
        x[r] = sum;
    }
    for (int r = 0; r < count; ++r) {
        x[r] *= rows->ldl.data[rows->rows.data[r].offset + (size_t)r];
    }
    for (int r = count - 1; r >= 0; --r) {
        const sn_tie_row *row = &rows->rows.data[r];
        const double *l = rows->ldl.data + row->offset;
        for (int s = row->first; s < r; ++s) {
            x[s] -= l[s] * x[r];
        }
    }
}

void sn_tie_rows_solve(sn_tie_rows *rows, const double *b, double *x)
{
    size_t count = (size_t)rows->rows.count;
    double *rest = rows->scratch.data;
    memcpy(x, b, count * sizeof *x);
    sn_tie_rows_back(rows, x);
    for (int turn = 1; turn < rows->turns; ++turn) {
        sn_tie_rows_apply(rows, x, rest);
        for (size_t r = 0; r < count; ++r) {
            rest[r] = b[r] - rest[r];
        }
        sn_tie_rows_back(rows, rest);
        for (size_t r = 0; r < count; ++r) {
            x[r] += rest[r];
        }
    }
}

// ---- J^T x and J v ----

void sn_tie_rows_push(const sn_tie_rows *rows, const sn_tree *tree, const double *x,
                      sn_spatial *wrench, double *force)
{
    for (int r = 0; r < rows->rows.count; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        for (int i = 0; i < row->end_count && x[r] != 0.0; ++i) {
            const sn_tie_end *end = &rows->ends.data[row->end + i];
            if (!end->own) {
                wrench[end->link] = sn_spatial_add_scaled(wrench[end->link], x[r], end->push);
                continue;
            }
            const sn_tree_body *body = &tree->body[end->link];
            double own[3];
            sn_tree_joint_write(body, &tree->pose[end->link].rotation,
                                sn_vec3_scale(x[r], end->push.angular), own);
            for (int k = 0; k < sn_tree_joint_v(body->joint); ++k) {
                force[body->v + k] += own[k];
            }
        }
    }
}

void sn_tie_rows_rate(const sn_tie_rows *rows, const sn_tree *tree, const sn_spatial *velocity,
                      const double *v, double *rate)
{
    for (int r = 0; r < rows->rows.count; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        rate[r] = 0.0;
        for (int i = 0; i < row->end_count; ++i) {
            const sn_tie_end *end = &rows->ends.data[row->end + i];
            const sn_tree_body *body = &tree->body[end->link];
            rate[r] +=
                end->own
                    ? sn_dot(end->push.angular,
                             sn_tree_joint_read(body, &tree->pose[end->link].rotation, v + body->v))
                    : sn_spatial_dot(velocity[end->link], end->push);
        }
    }
}
