#include "agent/tree/tie_law.h"

#include <math.h>

void sn_tie_law_add(sn_tie_law *law, sn_tie_piece piece)
{
    if (law->piece_count < SN_LAW_PIECES) {
        law->pieces[law->piece_count++] = piece;
    }
}

sn_tie_law sn_tie_law_hold(void)
{
    return (sn_tie_law){.node_count = 1, .left = {INFINITY}, .right = {-INFINITY}};
}

static double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : (x > upper ? upper : x);
}

// Just before a movement (side < 0) or just after it.
static double piece_force(const sn_tie_piece *piece, double movement, int side)
{
    if (piece->slope < INFINITY) {
        return clamp(piece->slope * (piece->at - movement), piece->lower, piece->upper);
    }
    bool before = movement < piece->at || (movement == piece->at && side < 0);
    return before ? piece->upper : piece->lower;
}

// Between walls only: beyond them there is nothing.
static void add_node(sn_tie_law *law, double node, double low, double high)
{
    int at = law->node_count;
    if (node < low || node > high) {
        return;
    }
    for (int i = 0; i < law->node_count; ++i) {
        if (law->node[i] == node) {
            return;
        }
    }
    for (; at > 0 && law->node[at - 1] > node; --at) {
        law->node[at] = law->node[at - 1];
    }
    law->node[at] = node;
    law->node_count += 1;
}

static void add_nodes(sn_tie_law *law, const sn_tie_piece *piece, double low, double high)
{
    if (piece->slope == INFINITY) {
        add_node(law, piece->at, low, high);
        return;
    }
    if (piece->upper < INFINITY) {
        add_node(law, piece->at - piece->upper / piece->slope, low, high);
    }
    if (piece->lower > -INFINITY) {
        add_node(law, piece->at - piece->lower / piece->slope, low, high);
    }
}

static double slope_at(const sn_tie_law *law, double movement)
{
    double sum = 0.0;
    for (int i = 0; i < law->piece_count; ++i) {
        const sn_tie_piece *piece = &law->pieces[i];
        double free = piece->slope * (piece->at - movement);
        if (piece->slope < INFINITY && free > piece->lower && free < piece->upper) {
            sum += piece->slope;
        }
    }
    return sum;
}

void sn_tie_law_finish(sn_tie_law *law)
{
    double low = -INFINITY, high = INFINITY;
    law->node_count = 0;
    for (int i = 0; i < law->piece_count; ++i) {
        const sn_tie_piece *piece = &law->pieces[i];
        if (piece->slope == INFINITY && piece->upper == INFINITY) {
            low = fmax(low, piece->at);
        }
        if (piece->slope == INFINITY && piece->lower == -INFINITY) {
            high = fmin(high, piece->at);
        }
    }
    for (int i = 0; i < law->piece_count && low > high;
         ++i) { // no room: where the lower one stands
        sn_tie_piece *piece = &law->pieces[i];
        if (piece->slope == INFINITY && piece->lower == -INFINITY) {
            piece->at = fmax(piece->at, low);
        }
    }
    high = fmax(low, high);
    for (int i = 0; i < law->piece_count; ++i) {
        add_nodes(law, &law->pieces[i], low, high);
    }
    int n = law->node_count;
    for (int k = 0; k < n; ++k) {
        law->left[k] = 0.0;
        law->right[k] = 0.0;
        for (int i = 0; i < law->piece_count; ++i) {
            law->left[k] += piece_force(&law->pieces[i], law->node[k], -1);
            law->right[k] += piece_force(&law->pieces[i], law->node[k], 1);
        }
    }
    for (int k = 0; k <= n && n > 0; ++k) {
        double far = 1.0 + fabs(law->node[0]) + fabs(law->node[n - 1]);
        double inside =
            k == 0 ? law->node[0] - far
                   : (k == n ? law->node[n - 1] + far : 0.5 * (law->node[k - 1] + law->node[k]));
        law->slope[k] = slope_at(law, inside);
    }
}

static bool jumps(const sn_tie_law *law, int node)
{
    double left = law->left[node], right = law->right[node];
    if (!isfinite(left) || !isfinite(right)) {
        return true;
    }
    return left - right > 1e-12 * (fabs(left) + fabs(right));
}

int sn_tie_law_step_at(const sn_tie_law *law, double movement)
{
    for (int k = 0; k < law->node_count; ++k) {
        double near = 1e-15 + 1e-9 * fabs(law->node[k]);
        if (fabs(movement - law->node[k]) <= near && jumps(law, k)) {
            return 2 * k + 1;
        }
        // Beyond a wall there is nothing.
        if (movement < law->node[k]) {
            return law->left[k] == INFINITY ? 2 * k + 1 : 2 * k;
        }
        if (law->right[k] == -INFINITY) {
            return 2 * k + 1;
        }
    }
    return 2 * law->node_count;
}

bool sn_tie_law_known(const sn_tie_law *law, int step, double *target, double *softness)
{
    int k = step / 2;
    *softness = 0.0;
    if (step % 2 != 0) {
        *target = law->node[k];
        return true;
    }
    double a = law->slope[k], node = 0.0, force = 0.0;
    if (law->node_count > 0) {
        node = k > 0 ? law->node[k - 1] : law->node[0];
        force = k > 0 ? law->right[k - 1] : law->left[0];
    }
    if (!(a > 0.0)) {
        *target = force;
        return false;
    }
    *softness = 1.0 / a;
    *target = node + force / a;
    return true;
}

int sn_tie_law_next(const sn_tie_law *law, int step, double movement, double force, double small)
{
    int k = step / 2;
    if (step % 2 != 0) {
        double slack = 1e-12 * (fabs(law->left[k]) < INFINITY ? fabs(law->left[k]) : 0.0) +
                       1e-12 * (fabs(law->right[k]) < INFINITY ? fabs(law->right[k]) : 0.0);
        if (force > law->left[k] + slack) {
            return 2 * k;
        }
        return force < law->right[k] - slack ? 2 * k + 2 : step;
    }
    if (k < law->node_count && movement > law->node[k] + small) {
        return jumps(law, k) ? 2 * k + 1 : 2 * k + 2;
    }
    if (k > 0 && movement < law->node[k - 1] - small) {
        return jumps(law, k - 1) ? 2 * k - 1 : 2 * k - 2;
    }
    return step;
}

// Where several pieces jump at once, each takes what it can of what is left, in turn.
double sn_tie_law_share(const sn_tie_law *law, int step, int piece, double movement, double force)
{
    double rest = force;
    bool on_jump = step % 2 != 0;
    double node = on_jump ? law->node[step / 2] : 0.0;
    for (int i = 0; i < law->piece_count; ++i) {
        const sn_tie_piece *at = &law->pieces[i];
        if (!(on_jump && at->slope == INFINITY && at->at == node)) {
            double share = piece_force(at, on_jump ? node : movement, 1);
            if (i == piece) {
                return share;
            }
            rest -= share;
        }
    }
    for (int i = 0; i < law->piece_count; ++i) {
        const sn_tie_piece *at = &law->pieces[i];
        if (on_jump && at->slope == INFINITY && at->at == node) {
            double share = clamp(rest, at->lower, at->upper);
            if (i == piece) {
                return share;
            }
            rest -= share;
        }
    }
    return 0.0;
}
