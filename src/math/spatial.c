#include "math/spatial.h"

#include <string.h>

#include "math/dense.h"

// ---- 3 x 3 helpers ----

static sn_mat3 mat3_sub(sn_mat3 a, sn_mat3 b)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] -= b.m[i][j];
        }
    }
    return a;
}

// What round-off made unequal in a product that is symmetric.
static sn_mat3 symmetrised(sn_mat3 a)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            a.m[i][j] = a.m[j][i] = 0.5 * (a.m[i][j] + a.m[j][i]);
        }
    }
    return a;
}

// r a r^T
static sn_mat3 turned(sn_mat3 r, sn_mat3 a)
{
    return sn_mat3_multiply(sn_mat3_multiply(r, a), sn_mat3_transpose(r));
}

// [p] a
static sn_mat3 cross_times(sn_vec3 p, sn_mat3 a)
{
    sn_mat3 c;
    for (int j = 0; j < 3; ++j) {
        sn_vec3 column = sn_cross(p, sn_vec3_make(a.m[0][j], a.m[1][j], a.m[2][j]));
        c.m[0][j] = column.x;
        c.m[1][j] = column.y;
        c.m[2][j] = column.z;
    }
    return c;
}

// a [p], whose rows are a_i x p.
static sn_mat3 times_cross(sn_mat3 a, sn_vec3 p)
{
    sn_mat3 c;
    for (int i = 0; i < 3; ++i) {
        sn_vec3 row = sn_cross(sn_vec3_make(a.m[i][0], a.m[i][1], a.m[i][2]), p);
        c.m[i][0] = row.x;
        c.m[i][1] = row.y;
        c.m[i][2] = row.z;
    }
    return c;
}

// a b^T
static sn_mat3 outer(sn_vec3 a, sn_vec3 b)
{
    sn_mat3 c = {{{a.x * b.x, a.x * b.y, a.x * b.z},
                  {a.y * b.x, a.y * b.y, a.y * b.z},
                  {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return c;
}

static void set_block(double x[36], int row, int column, sn_mat3 a)
{
    for (int i = 0; i < 3; ++i) {
        memcpy(&x[6 * (row + i) + column], a.m[i], sizeof a.m[i]);
    }
}

// ---- frames as matrices ----

// X = [[E, 0], [-E [p], E]], E = R^T
void sn_frame_motion_matrix(const sn_frame *frame, double x[36])
{
    sn_mat3 e = sn_mat3_transpose(frame->rotation);
    set_block(x, 0, 0, e);
    set_block(x, 0, 3, SN_MAT3_ZERO);
    set_block(x, 3, 0, sn_mat3_scale(-1.0, times_cross(e, frame->position)));
    set_block(x, 3, 3, e);
}

// X^-T = [[E, -E [p]], [0, E]]
void sn_frame_force_matrix(const sn_frame *frame, double x[36])
{
    sn_mat3 e = sn_mat3_transpose(frame->rotation);
    set_block(x, 0, 0, e);
    set_block(x, 0, 3, sn_mat3_scale(-1.0, times_cross(e, frame->position)));
    set_block(x, 3, 0, SN_MAT3_ZERO);
    set_block(x, 3, 3, e);
}

// [[ [w], 0 ], [ [v], [w] ]]
void sn_cross_motion_matrix(sn_spatial v, double x[36])
{
    set_block(x, 0, 0, sn_mat3_cross(v.angular));
    set_block(x, 0, 3, SN_MAT3_ZERO);
    set_block(x, 3, 0, sn_mat3_cross(v.linear));
    set_block(x, 3, 3, sn_mat3_cross(v.angular));
}

// [[ [w], [v] ], [ 0, [w] ]]
void sn_cross_force_matrix(sn_spatial v, double x[36])
{
    set_block(x, 0, 0, sn_mat3_cross(v.angular));
    set_block(x, 0, 3, sn_mat3_cross(v.linear));
    set_block(x, 3, 0, SN_MAT3_ZERO);
    set_block(x, 3, 3, sn_mat3_cross(v.angular));
}

// ---- rigid bodies ----

// m (|c|^2 1 - c c^T) = -m [c]^2
static sn_mat3 steiner(double mass, sn_vec3 c)
{
    double square = mass * sn_dot(c, c);
    return mat3_sub(sn_mat3_diagonal(sn_vec3_make(square, square, square)),
                    sn_mat3_scale(mass, outer(c, c)));
}

sn_spatial_inertia sn_spatial_inertia_make(double mass, sn_vec3 centre, sn_mat3 inertia)
{
    sn_spatial_inertia a = {mass, sn_vec3_scale(mass, centre),
                            sn_mat3_add(inertia, steiner(mass, centre))};
    return a;
}

void sn_spatial_inertia_split(const sn_spatial_inertia *a, double *mass, sn_vec3 *centre,
                              sn_mat3 *inertia)
{
    *mass = a->mass;
    *centre = a->mass > 0.0 ? sn_vec3_make(a->moment.x / a->mass, a->moment.y / a->mass,
                                           a->moment.z / a->mass)
                            : SN_VEC3_ZERO;
    *inertia = mat3_sub(a->inertia, steiner(a->mass, *centre));
}

sn_spatial_inertia sn_spatial_inertia_add(const sn_spatial_inertia *a, const sn_spatial_inertia *b)
{
    sn_spatial_inertia c = {a->mass + b->mass, sn_vec3_add(a->moment, b->moment),
                            sn_mat3_add(a->inertia, b->inertia)};
    return c;
}

// The inertia about the point -p: every particle moves by p, so that with h the moment before,
// I' = sum -m [x + p]^2 = I - [h] [p] - [p] [h + m p].
static sn_spatial_inertia shifted(const sn_spatial_inertia *a, sn_vec3 p)
{
    sn_vec3 moment = sn_vec3_add_scaled(a->moment, a->mass, p);
    sn_mat3 first = times_cross(sn_mat3_cross(a->moment), p);
    sn_mat3 second = times_cross(sn_mat3_cross(p), moment);
    sn_spatial_inertia b = {a->mass, moment,
                            symmetrised(mat3_sub(mat3_sub(a->inertia, first), second))};
    return b;
}

sn_spatial_inertia sn_spatial_inertia_to_parent(const sn_frame *frame,
                                                const sn_spatial_inertia *local)
{
    sn_spatial_inertia a = {local->mass, sn_mat3_apply(frame->rotation, local->moment),
                            turned(frame->rotation, local->inertia)};
    return shifted(&a, frame->position);
}

sn_spatial_inertia sn_spatial_inertia_to_local(const sn_frame *frame,
                                               const sn_spatial_inertia *parent)
{
    sn_spatial_inertia a = shifted(parent, sn_vec3_negate(frame->position));
    a.moment = sn_mat3_apply_transpose(frame->rotation, a.moment);
    a.inertia = symmetrised(turned(sn_mat3_transpose(frame->rotation), a.inertia));
    return a;
}

void sn_spatial_inertia_matrix(const sn_spatial_inertia *a, double x[36])
{
    sn_mat6 m = sn_mat6_from_inertia(a);
    sn_mat6_to_array(&m, x);
}

// ---- symmetric 6 x 6 matrices ----

// [[I, [h]], [[h]^T, m 1]]
sn_mat6 sn_mat6_from_inertia(const sn_spatial_inertia *a)
{
    sn_mat6 m = {a->inertia, sn_mat3_cross(a->moment), sn_mat3_scale(a->mass, SN_MAT3_IDENTITY)};
    return m;
}

void sn_mat6_to_array(const sn_mat6 *a, double x[36])
{
    set_block(x, 0, 0, a->angular);
    set_block(x, 0, 3, a->coupling);
    set_block(x, 3, 0, sn_mat3_transpose(a->coupling));
    set_block(x, 3, 3, a->linear);
}

sn_mat6 sn_mat6_from_array(const double x[36])
{
    sn_mat6 a;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int row = i > j ? i : j, column = i > j ? j : i;
            a.angular.m[i][j] = x[6 * row + column];
            a.linear.m[i][j] = x[6 * (row + 3) + column + 3];
            a.coupling.m[i][j] = x[6 * (j + 3) + i];
        }
    }
    return a;
}

sn_mat6 sn_mat6_add(const sn_mat6 *a, const sn_mat6 *b)
{
    sn_mat6 c = {sn_mat3_add(a->angular, b->angular), sn_mat3_add(a->coupling, b->coupling),
                 sn_mat3_add(a->linear, b->linear)};
    return c;
}

sn_mat6 sn_mat6_add_outer(const sn_mat6 *a, double s, sn_spatial u)
{
    sn_mat6 b = {sn_mat3_add(a->angular, sn_mat3_scale(s, outer(u.angular, u.angular))),
                 sn_mat3_add(a->coupling, sn_mat3_scale(s, outer(u.angular, u.linear))),
                 sn_mat3_add(a->linear, sn_mat3_scale(s, outer(u.linear, u.linear)))};
    return b;
}

// X^T a X for a pure shift, X = [[1, 0], [-[p], 1]]: with H' = H + [p] M, I' = I + [p] H^T - H'
// [p].
static sn_mat6 mat6_shifted(const sn_mat6 *a, sn_vec3 p)
{
    sn_mat3 coupling = sn_mat3_add(a->coupling, cross_times(p, a->linear));
    sn_mat3 first = cross_times(p, sn_mat3_transpose(a->coupling));
    sn_mat3 second = times_cross(coupling, p);
    sn_mat6 b = {symmetrised(mat3_sub(sn_mat3_add(a->angular, first), second)), coupling,
                 a->linear};
    return b;
}

static sn_mat6 mat6_turned(sn_mat3 r, const sn_mat6 *a)
{
    sn_mat6 b = {symmetrised(turned(r, a->angular)), turned(r, a->coupling),
                 symmetrised(turned(r, a->linear))};
    return b;
}

sn_mat6 sn_mat6_to_parent(const sn_frame *frame, const sn_mat6 *local)
{
    sn_mat6 a = mat6_turned(frame->rotation, local);
    return mat6_shifted(&a, frame->position);
}

sn_mat6 sn_mat6_to_local(const sn_frame *frame, const sn_mat6 *parent)
{
    sn_mat6 a = mat6_shifted(parent, sn_vec3_negate(frame->position));
    return mat6_turned(sn_mat3_transpose(frame->rotation), &a);
}

bool sn_mat6_solve(const sn_mat6 *a, sn_spatial f, sn_spatial *m)
{
    double x[36];
    double y[6] = {f.angular.x, f.angular.y, f.angular.z, f.linear.x, f.linear.y, f.linear.z};
    sn_mat6_to_array(a, x);
    if (!sn_ldl6_factor(x)) {
        return false;
    }
    sn_ldl6_solve(x, y);
    *m = sn_spatial_make(sn_vec3_make(y[0], y[1], y[2]), sn_vec3_make(y[3], y[4], y[5]));
    return true;
}
