#include "mobile/balance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "mobile/least_change.h"

// Moments by load and length of wire: below ROUND_OFF an arm is balanced, and what is below
// SIDEWAYS across the arm's plane is left to rounding.
static const double ROUND_OFF = 1e-13, SIDEWAYS = 1e-11;

static const char *const words[] = {
#define X(name, word, text) word,
    SN_BALANCE_LIST(X)
#undef X
};

// ---- how parts hang ----

static sn_vec3 pivot_of(const sn_part *part)
{
    return sn_transform_point(part->frame, part->pivot);
}

// Level directions along the part's plane and across it.
static sn_vec3 along(const sn_part *part)
{
    double s, c;
    sn_sincos(part->yaw, &s, &c);
    return sn_vec3_make(c, s, 0.0);
}

static sn_vec3 across(const sn_part *part)
{
    double s, c;
    sn_sincos(part->yaw, &s, &c);
    return sn_vec3_make(-s, c, 0.0);
}

static double moment_scale(const sn_part *arm)
{
    return arm->load * sn_wire_length(arm);
}

// About a level axis through a point, of a body and of a point.
static double body_inertia(const sn_part *part, sn_vec3 axis, sn_vec3 point)
{
    sn_vec3 own = sn_rotate_inverse(part->frame.rotation, axis);
    sn_vec3 arm =
        sn_cross(axis, sn_vec3_sub(sn_transform_point(part->frame, part->own.centre), point));
    return sn_dot(own, sn_mat3_apply(part->own.inertia, own)) + part->own.mass * sn_dot(arm, arm);
}

static double swing_inertia(const sn_mobile *mobile, int index)
{
    const sn_part *part = &mobile->parts[index];
    sn_vec3 axis = across(part), pivot = pivot_of(part);
    double inertia = body_inertia(part, axis, pivot);
    for (int i = index + 1; i < mobile->count; ++i) {
        const sn_part *child = &mobile->parts[i];
        if (child->parent != index) {
            continue;
        }
        if (child->fixed) {
            inertia += body_inertia(child, axis, pivot);
        } else {
            sn_vec3 arm = sn_cross(axis, sn_vec3_sub(child->hook_place, pivot));
            inertia += (child->load + child->string_mass) * sn_dot(arm, arm);
        }
    }
    return inertia;
}

// One gram at the end that is farther from the pivot: tan t = m l / (M h + m d), the weights M at
// depth h and m at distance l and depth d.
static double tilt_per_gram(const sn_part *arm)
{
    double gram = 0.001, length = sn_wire_length(arm), far = -1.0, tilt = 0.0;
    for (int end = 0; end < 2; ++end) {
        sn_vec3 place = sn_transform_point(arm->frame, sn_wire_point(arm, end * length));
        sn_vec3 lever = sn_vec3_sub(place, pivot_of(arm));
        double level = sn_hypot(lever.x, lever.y);
        if (level > far) {
            far = level;
            tilt = sn_atan2(gram * level, -arm->moment.z - gram * lever.z);
        }
    }
    return tilt;
}

sn_hanging sn_part_hanging(const sn_mobile *mobile, int index)
{
    const sn_part *part = &mobile->parts[index];
    sn_hanging hanging = {0};
    if (part->fixed) {
        return hanging;
    }
    double level = sn_hypot(part->moment.x, part->moment.y), down = -part->moment.z;
    hanging.load = part->load;
    hanging.depth = down / part->load;
    hanging.torque = mobile->gravity * level;
    hanging.tilt = sn_atan2(level, down);
    hanging.stable = down > 1e-12 * part->load * sn_length(part->pivot) && down > 0.0;
    if (part->type == SN_PART_ARM) {
        hanging.tilt_per_gram = tilt_per_gram(part);
    }
    if (hanging.stable) {
        double stiffness = mobile->gravity * down;
        hanging.frequency = sqrt(stiffness / swing_inertia(mobile, index)) / (2.0 * SN_PI);
        hanging.period = hanging.frequency > 0.0 ? 1.0 / hanging.frequency : 0.0;
    }
    return hanging;
}

// ---- what is left ----

static sn_status fail_arm(sn_mobile *mobile, int arm, const char *key, sn_error *error,
                          const char *text)
{
    mobile->culprit = arm;
    mobile->culprit_key = key;
    return sn_fail(error, SN_ERROR_SCENE, mobile->parts[arm].name, "%s", text);
}

// Every arm rests in its wanted pose, or the first that does not is named.
static sn_status check_balanced(sn_mobile *mobile, sn_balance_for what, sn_error *error)
{
    char text[400];
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *arm = &mobile->parts[i];
        if (arm->type != SN_PART_ARM) {
            continue;
        }
        double in_plane = sn_dot(arm->moment, along(arm)) / moment_scale(arm);
        double sideways = sn_dot(arm->moment, across(arm)) / moment_scale(arm);
        if (fabs(sideways) > SIDEWAYS) {
            snprintf(text, sizeof text,
                     "\"%.80s\" leans sideways by %.3g N m: what it carries weighs %.3g mm beside "
                     "its plane; expected things in that plane, or \"balance\": \"pose\"",
                     arm->name, mobile->gravity * fabs(sideways) * moment_scale(arm),
                     1000.0 * fabs(sideways) * sn_wire_length(arm));
            return fail_arm(mobile, i, NULL, error, text);
        }
        if (fabs(in_plane) > 10.0 * ROUND_OFF) {
            snprintf(text, sizeof text,
                     "\"%.80s\" is not balanced by %s: its %s end is too heavy by %.3g N m",
                     arm->name, words[what], in_plane > 0.0 ? "second" : "first",
                     mobile->gravity * fabs(in_plane) * moment_scale(arm));
            return fail_arm(mobile, i, NULL, error, text);
        }
    }
    return SN_OK;
}

// ---- pivots ----

// The hook's stem moves with it: its mass, 0 where there is none.
static double stem_mass(const sn_part *arm)
{
    if (!(arm->stem_radius > 0.0) || !(arm->height > 0.0)) {
        return 0.0;
    }
    double stem = SN_PI * arm->stem_radius * arm->stem_radius * arm->height;
    double wire = SN_PI * arm->radius * arm->radius * sn_wire_length(arm);
    return arm->mass > 0.0 ? arm->mass * stem / (stem + wire) : arm->density * stem;
}

// With u the level direction in the arm's axes, P(s) the pivot, S(s) = P(s) - h/2 z the middle of
// the stem of mass m, and M, Q mass and first moment of everything else:
//     u . (Q - M P(s)) - m u . z h/2 = 0,
// which is linear along each straight piece of the wire. The nearest root counts.
static sn_status move_hook(sn_mobile *mobile, int index, sn_error *error)
{
    sn_part *arm = &mobile->parts[index];
    sn_vec3 u = sn_rotate_inverse(arm->frame.rotation, along(arm));
    double rest = arm->load - stem_mass(arm);
    double target = sn_dot(u, arm->pivot) + sn_dot(arm->moment, along(arm)) / rest;
    double length = sn_wire_length(arm);
    double least = fmax(arm->hook_least, arm->hook_margin);
    double most = fmin(arm->hook_most, length - arm->hook_margin);
    double from = 0.0, best = -1.0;
    for (int i = 1; i < arm->wire_count; ++i) {
        double piece =
            sn_hypot(arm->wire[i].x - arm->wire[i - 1].x, arm->wire[i].y - arm->wire[i - 1].y);
        double a = u.x * arm->wire[i - 1].x + u.z * (arm->wire[i - 1].y + arm->height);
        double b = u.x * arm->wire[i].x + u.z * (arm->wire[i].y + arm->height);
        double share = b != a ? (target - a) / (b - a) : -1.0;
        double at = from + share * piece;
        if (share >= 0.0 && share <= 1.0 && at >= least && at <= most &&
            (best < 0.0 || fabs(at - arm->hook) < fabs(best - arm->hook))) {
            best = at;
        }
        from += piece;
    }
    if (best >= 0.0) {
        arm->hook = best;
        return SN_OK;
    }
    char text[400];
    double shift = target - sn_dot(u, arm->pivot);
    snprintf(text, sizeof text,
             "\"%.80s\" cannot be balanced by pivots: the weight of what it carries is %.4g mm "
             "towards its %s end from the hook at %.4g mm, and a hook between %.4g and %.4g mm "
             "does not come above it",
             arm->name, 1000.0 * fabs(shift), shift > 0.0 ? "second" : "first", 1000.0 * arm->hook,
             1000.0 * least, 1000.0 * most);
    return fail_arm(mobile, index, "hook", error, text);
}

static sn_status balance_pivots(sn_mobile *mobile, sn_error *error)
{
    enum { TURNS = 4 }; // one does it; the others take rounding away
    sn_status status = sn_mobile_place(mobile, error);
    for (int turn = 0; turn < TURNS && status == SN_OK; ++turn) {
        for (int i = 0; i < mobile->count && status == SN_OK; ++i) {
            const sn_part *arm = &mobile->parts[i];
            if (arm->type == SN_PART_ARM && !arm->keep &&
                fabs(sn_dot(arm->moment, along(arm))) > ROUND_OFF * moment_scale(arm)) {
                status = move_hook(mobile, i, error);
            }
        }
        status = status == SN_OK ? sn_mobile_place(mobile, error) : status;
    }
    return status;
}

// ---- masses, sizes, thicknesses ----

typedef struct row {
    int arm; // -1: the total mass
    sn_vec3 direction;
    double scale;
} row;

typedef struct solver {
    sn_mobile *mobile;
    sn_balance_for what;
    int n, rows;
    int *pieces;                                    // n
    double *factor, *wanted, *lower, *upper, *next; // n
    double *step_lower, *step_upper;                // n
    double *mass, *size, *thickness;                // n: before
    row *row;                                       // rows
    double *a, *b, *residual;                       // rows x n, rows, rows
    void *memory;
} solver;

// How a piece's mass grows with its factor.
static int power_of(const solver *s, const sn_part *piece)
{
    if (s->what != SN_BALANCE_SIZES) {
        return 1;
    }
    return piece->type == SN_PART_BALL || piece->type == SN_PART_SOLID ? 3 : 2;
}

static bool is_free(const sn_part *part, sn_balance_for what)
{
    bool thin = part->type == SN_PART_SHEET || part->type == SN_PART_DISC;
    return part->type != SN_PART_ARM && !part->keep && (what != SN_BALANCE_THICKNESS || thin);
}

// Factors are of masses: a hanging piece's moment is linear in them.
static void apply(const solver *s, const double *factor)
{
    for (int j = 0; j < s->n; ++j) {
        sn_part *piece = &s->mobile->parts[s->pieces[j]];
        int power = power_of(s, piece);
        double size = power == 3 ? sn_cbrt(factor[j]) : power == 2 ? sqrt(factor[j]) : factor[j];
        bool weighed = s->mass[j] > 0.0 || s->what == SN_BALANCE_MASSES;
        piece->mass = weighed ? fabs(s->mass[j]) * factor[j] : 0.0;
        piece->size = s->size[j] * (s->what == SN_BALANCE_SIZES ? size : 1.0);
        piece->thickness = s->thickness[j] * (s->what == SN_BALANCE_THICKNESS ? factor[j] : 1.0);
    }
}

// d(moment)/d(factor) of a piece on the arm that carries it, then on those above: there the whole
// load hangs on one hook.
static void add_column(solver *s, int j)
{
    const sn_mobile *mobile = s->mobile;
    const sn_part *piece = &mobile->parts[s->pieces[j]];
    double rate = piece->own.mass / s->factor[j];
    int arm = piece->parent, from = s->pieces[j];
    while (arm >= 0) {
        const sn_part *carrier = &mobile->parts[arm], *hung = &mobile->parts[from];
        sn_vec3 pivot = pivot_of(carrier), slope;
        if (hung->fixed) {
            sn_vec3 centre = sn_transform_point(hung->frame, hung->own.centre);
            slope = sn_vec3_scale(rate, sn_vec3_sub(centre, pivot));
            if (s->what == SN_BALANCE_SIZES) {
                sn_vec3 grows = sn_vec3_sub(centre, hung->hook_place);
                slope = sn_vec3_add_scaled(slope, rate / power_of(s, hung), grows);
            }
        } else {
            slope = sn_vec3_scale(rate, sn_vec3_sub(hung->hook_place, pivot));
        }
        for (int i = 0; i < s->rows; ++i) {
            if (s->row[i].arm == arm) {
                s->a[(size_t)i * (size_t)s->n + (size_t)j] +=
                    sn_dot(slope, s->row[i].direction) / s->row[i].scale;
            }
        }
        from = arm;
        arm = carrier->parent;
    }
    if (s->row[s->rows - 1].arm < 0) {
        s->a[(size_t)(s->rows - 1) * (size_t)s->n + (size_t)j] = rate / s->row[s->rows - 1].scale;
    }
}

static double whole_mass(const sn_mobile *mobile)
{
    return mobile->parts[0].load + mobile->parts[0].string_mass;
}

// Residuals by scale, and the largest.
static double find_residual(solver *s)
{
    double most = 0.0;
    for (int i = 0; i < s->rows; ++i) {
        const row *r = &s->row[i];
        double value = r->arm >= 0 ? sn_dot(s->mobile->parts[r->arm].moment, r->direction)
                                   : whole_mass(s->mobile) - s->mobile->total_mass;
        s->residual[i] = value / r->scale;
        most = fmax(most, fabs(s->residual[i]));
    }
    return most;
}

static void linearise(solver *s)
{
    memset(s->a, 0, (size_t)s->rows * (size_t)s->n * sizeof *s->a);
    for (int j = 0; j < s->n; ++j) {
        add_column(s, j);
    }
    for (int i = 0; i < s->rows; ++i) {
        double sum = -s->residual[i];
        for (int j = 0; j < s->n; ++j) {
            sum += s->a[(size_t)i * (size_t)s->n + (size_t)j] * s->factor[j];
        }
        s->b[i] = sum;
    }
}

static sn_status explain(solver *s, int worst, sn_error *error)
{
    char text[400];
    const row *r = &s->row[worst];
    if (r->arm < 0) {
        double least = 0.0, most = 0.0, now = whole_mass(s->mobile);
        for (int j = 0; j < s->n; ++j) {
            double mass = s->mobile->parts[s->pieces[j]].own.mass / s->factor[j];
            least += mass * (s->lower[j] - s->factor[j]);
            most += mass * (s->upper[j] - s->factor[j]);
        }
        sn_mobile *mobile = s->mobile;
        mobile->culprit = -1;
        mobile->culprit_key = "mass";
        return sn_fail(error, SN_ERROR_SCENE, mobile->name,
                       "a total of %.4g kg cannot be reached by %s together with balance; the "
                       "pieces' bounds allow %.4g to %.4g kg",
                       mobile->total_mass, words[s->what], now + least, now + most);
    }
    double low = -s->b[worst], high = low;
    int count = 0;
    for (int j = 0; j < s->n; ++j) {
        double a = s->a[(size_t)worst * (size_t)s->n + (size_t)j];
        low += a * (a > 0.0 ? s->lower[j] : s->upper[j]);
        high += a * (a > 0.0 ? s->upper[j] : s->lower[j]);
        count += fabs(a) > 1e-9;
    }
    const sn_part *arm = &s->mobile->parts[r->arm];
    double force = s->mobile->gravity * r->scale;
    const char *end = low > 0.0 ? "second" : "first";
    if (count == 0) {
        snprintf(text, sizeof text,
                 "\"%.80s\" cannot be balanced by %s: nothing that it carries may change",
                 arm->name, words[s->what]);
    } else if (low > 0.0 || high < 0.0) {
        snprintf(text, sizeof text,
                 "\"%.80s\" cannot be balanced by %s within their bounds: its %s end stays too "
                 "heavy by %.3g N m; expected wider bounds, or its hook nearer to that end",
                 arm->name, words[s->what], end, force * fmin(fabs(low), fabs(high)));
    } else {
        snprintf(text, sizeof text,
                 "\"%.80s\" cannot be balanced by %s within their bounds together with the other "
                 "arms; expected wider bounds, or hooks that may move",
                 arm->name, words[s->what]);
    }
    return fail_arm(s->mobile, r->arm, NULL, error, text);
}

// The lowest arm whose own equation the bounds leave open is a better explanation than any other.
static int find_hopeless(const solver *s, int worst)
{
    for (int i = s->rows - 1; i >= 0; --i) {
        double low = -s->b[i], high = low;
        for (int j = 0; j < s->n; ++j) {
            double a = s->a[(size_t)i * (size_t)s->n + (size_t)j];
            low += a * (a > 0.0 ? s->lower[j] : s->upper[j]);
            high += a * (a > 0.0 ? s->upper[j] : s->lower[j]);
        }
        if (low > 1e-10 || high < -1e-10) {
            return i;
        }
    }
    return worst;
}

// The straight lines that stand for how levers grow with sizes hold nearby only.
static void bound_step(const solver *s, double *lower, double *upper)
{
    for (int j = 0; j < s->n; ++j) {
        bool curved = s->what == SN_BALANCE_SIZES;
        lower[j] = curved ? fmax(s->lower[j], 0.5 * s->factor[j]) : s->lower[j];
        upper[j] = curved ? fmin(s->upper[j], 2.0 * s->factor[j]) : s->upper[j];
    }
}

static sn_status iterate(solver *s, sn_error *error)
{
    enum { TURNS = 100 };
    sn_status status = sn_mobile_place(s->mobile, error);
    double most = status == SN_OK ? find_residual(s) : 0.0, before = INFINITY;
    for (int turn = 0; turn < TURNS && status == SN_OK; ++turn) {
        if (turn > 0 && most < ROUND_OFF && !(most < 0.5 * before)) {
            break;
        }
        bool solved;
        int worst;
        linearise(s);
        bound_step(s, s->step_lower, s->step_upper);
        status = sn_least_change(s->rows, s->n, s->a, s->b, s->wanted, s->step_lower, s->step_upper,
                                 s->next, &solved, &worst, error);
        if (status == SN_OK && !solved && (s->what != SN_BALANCE_SIZES || turn > TURNS / 2)) {
            return explain(s, find_hopeless(s, worst), error);
        }
        if (status == SN_OK) {
            memcpy(s->factor, s->next, (size_t)s->n * sizeof *s->factor);
            apply(s, s->factor);
            status = sn_mobile_place(s->mobile, error);
            before = most;
            most = status == SN_OK ? find_residual(s) : most;
        }
    }
    return status;
}

static int count_pieces(const sn_mobile *mobile, sn_balance_for what, int *arms)
{
    int pieces = 0;
    *arms = 0;
    for (int i = 0; i < mobile->count; ++i) {
        pieces += is_free(&mobile->parts[i], what);
        *arms += mobile->parts[i].type == SN_PART_ARM;
    }
    return pieces;
}

static bool allocate_solver(solver *s, int arms)
{
    size_t n = (size_t)s->n, rows = 2 * (size_t)arms + 1;
    size_t numbers = 10 * n + rows * n + 2 * rows;
    s->memory = sn_allocate_zero(numbers * sizeof(double) + rows * sizeof(row) + n * sizeof(int));
    if (s->memory == NULL) {
        return false;
    }
    double *at = s->memory;
    double **lists[] = {&s->factor, &s->wanted, &s->lower,     &s->upper,      &s->next,
                        &s->mass,   &s->size,   &s->thickness, &s->step_lower, &s->step_upper};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i, at += n) {
        *lists[i] = at;
    }
    s->a = at;
    s->b = s->a + rows * n;
    s->residual = s->b + rows;
    s->row = (row *)(void *)(s->residual + rows);
    s->pieces = (int *)(void *)(s->row + rows);
    return true;
}

static void note_pieces(solver *s)
{
    int j = 0;
    for (int i = 0; i < s->mobile->count; ++i) {
        const sn_part *part = &s->mobile->parts[i];
        if (is_free(part, s->what)) {
            s->pieces[j] = i;
            s->factor[j] = s->wanted[j] = 1.0;
            s->lower[j] = s->upper[j] = 1.0;
            for (int k = 0; k < power_of(s, part); ++k) {
                s->lower[j] *= part->least;
                s->upper[j] *= part->most;
            }
            // A mass that nobody gave has a minus, to be told from one that stays when sizes
            // change.
            s->mass[j] = part->mass > 0.0 ? part->mass : -part->own.mass;
            s->size[j] = part->size;
            s->thickness[j] = part->thickness;
            j += 1;
        }
    }
}

// A row of each arm in its plane, and across it where something free has leverage there.
static void note_rows(solver *s)
{
    const sn_mobile *mobile = s->mobile;
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *arm = &mobile->parts[i];
        if (arm->type != SN_PART_ARM) {
            continue;
        }
        s->row[s->rows++] = (row){i, along(arm), moment_scale(arm)};
        bool leverage = false;
        for (int k = i + 1; k < mobile->count && !leverage; ++k) {
            const sn_part *part = &mobile->parts[k];
            sn_vec3 place =
                part->fixed ? sn_transform_point(part->frame, part->own.centre) : part->hook_place;
            double side = sn_dot(sn_vec3_sub(place, pivot_of(arm)), across(arm));
            bool changes = part->type == SN_PART_ARM || is_free(part, s->what);
            leverage = part->parent == i && changes && fabs(side) > 1e-3 * sn_wire_length(arm);
        }
        if (leverage) {
            s->row[s->rows++] = (row){i, across(arm), moment_scale(arm)};
        }
    }
    if (mobile->total_mass > 0.0 && s->what == SN_BALANCE_MASSES) {
        s->row[s->rows++] = (row){-1, SN_VEC3_ZERO, mobile->total_mass};
    }
}

static sn_status balance_pieces(sn_mobile *mobile, sn_balance_for what, sn_error *error)
{
    sn_status status = sn_mobile_place(mobile, error);
    if (status != SN_OK) {
        return status;
    }
    solver s = {.mobile = mobile, .what = what};
    int arms;
    s.n = count_pieces(mobile, what, &arms);
    if (s.n == 0) {
        return sn_fail(error, SN_ERROR_SCENE, mobile->name,
                       "there is nothing whose %s may change; expected pieces without \"keep\"",
                       words[what]);
    }
    if (!allocate_solver(&s, arms)) {
        return sn_fail_memory(error, sizeof(double) * (size_t)s.n);
    }
    note_pieces(&s);
    note_rows(&s);
    status = s.rows > 0 ? iterate(&s, error) : SN_OK;
    sn_free(s.memory);
    return status;
}

// ---- the whole ----

typedef struct kept {
    double hook, mass, size, thickness;
} kept;

sn_status sn_mobile_balance(sn_mobile *mobile, sn_balance_for what, sn_error *error)
{
    mobile->culprit = -1;
    mobile->culprit_key = NULL;
    mobile->settle = what == SN_BALANCE_POSE;
    mobile->level = true;
    if (what == SN_BALANCE_NONE || what == SN_BALANCE_POSE) {
        return sn_mobile_place(mobile, error);
    }
    if (!(mobile->gravity > 0.0)) {
        return sn_fail(error, SN_ERROR_SCENE, mobile->name,
                       "a mobile is balanced under gravity along -z, which this scene has not");
    }
    size_t bytes = (size_t)mobile->count * sizeof(kept);
    kept *before = sn_allocate(bytes);
    if (before == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *part = &mobile->parts[i];
        before[i] = (kept){part->hook, part->mass, part->size, part->thickness};
    }
    sn_status status = what == SN_BALANCE_PIVOTS ? balance_pivots(mobile, error)
                                                 : balance_pieces(mobile, what, error);
    status = status == SN_OK ? check_balanced(mobile, what, error) : status;
    if (status != SN_OK) {
        int culprit = mobile->culprit;
        const char *key = mobile->culprit_key;
        for (int i = 0; i < mobile->count; ++i) {
            sn_part *part = &mobile->parts[i];
            part->hook = before[i].hook;
            part->mass = before[i].mass;
            part->size = before[i].size;
            part->thickness = before[i].thickness;
        }
        (void)sn_mobile_place(mobile, NULL);
        mobile->culprit = culprit;
        mobile->culprit_key = key;
    }
    sn_free(before);
    return status;
}
