// EPA: a polytope inside the difference a - b grows where its surface is nearest to the origin.
#include "collide/epa.h"

enum { CORNERS = 96, FACES = 2 * CORNERS, HORIZON = CORNERS };

typedef struct face {
    int corner[3]; // counter-clockwise seen from outside
    int next[3];   // the face across edge corner[k] .. corner[k + 1]
    sn_vec3 normal;
    double offset; // of its plane from the origin, signed; INFINITY: too thin to have a normal
    int born;      // the number of corners then
    bool dead;
} face;

typedef struct polytope {
    const sn_core_pair *pair;
    double extent;
    int corner_count, face_count;
    sn_gjk_corner corners[CORNERS];
    face faces[FACES];
} polytope;

// ---- the first solid ----

static bool near_same(const polytope *p, sn_vec3 a, sn_vec3 b)
{
    sn_vec3 d = sn_vec3_sub(a, b);
    return sn_dot(d, d) <= 1e-26 * p->extent * p->extent;
}

static void grow_extent(polytope *p, sn_vec3 w)
{
    p->extent = fmax(p->extent, sn_length(w));
}

static sn_gjk_corner support(polytope *p, sn_vec3 direction)
{
    sn_gjk_corner c = sn_core_pair_support(p->pair, direction);
    grow_extent(p, c.w);
    return c;
}

// A second corner, as far from the first as any along the axes.
static bool second_corner(polytope *p)
{
    double best = 1e-26 * p->extent * p->extent;
    for (int i = 0; i < 6; ++i) {
        double s = i % 2 == 0 ? 1.0 : -1.0;
        sn_vec3 axis = i < 2   ? sn_vec3_make(s, 0.0, 0.0)
                       : i < 4 ? sn_vec3_make(0.0, s, 0.0)
                               : sn_vec3_make(0.0, 0.0, s);
        sn_gjk_corner c = support(p, axis);
        sn_vec3 d = sn_vec3_sub(c.w, p->corners[0].w);
        if (sn_dot(d, d) > best) {
            best = sn_dot(d, d);
            p->corners[1] = c;
            p->corner_count = 2;
        }
    }
    return p->corner_count == 2;
}

// A third one, off the line of two.
static bool third_corner(polytope *p)
{
    sn_vec3 line = sn_normalize(sn_vec3_sub(p->corners[1].w, p->corners[0].w));
    sn_vec3 u = sn_perpendicular(line), v = sn_cross(line, u);
    double best = 1e-13 * p->extent;
    for (int i = 0; i < 8; ++i) {
        // Eight directions around the line.
        double c = i % 4 == 0 ? 1.0 : i % 4 == 1 ? 0.7 : i % 4 == 2 ? 0.0 : -0.7;
        double s = i % 4 == 0 ? 0.0 : i % 4 == 2 ? 1.0 : 0.7;
        sn_vec3 d = sn_vec3_add(sn_vec3_scale(c, u), sn_vec3_scale(s, v));
        sn_gjk_corner found = support(p, i < 4 ? d : sn_vec3_negate(d));
        double off = sn_length(sn_cross(sn_vec3_sub(found.w, p->corners[0].w), line));
        if (off > best) {
            best = off;
            p->corners[2] = found;
            p->corner_count = 3;
        }
    }
    return p->corner_count == 3;
}

static void measure(const polytope *p, face *f)
{
    sn_vec3 a = p->corners[f->corner[0]].w;
    sn_vec3 u = sn_vec3_sub(p->corners[f->corner[1]].w, a);
    sn_vec3 v = sn_vec3_sub(p->corners[f->corner[2]].w, a);
    sn_vec3 n = sn_cross(u, v);
    double length = sn_length(n);
    // Thinner than rounding: its plane is anybody's guess, and its neighbours' will do.
    if (length <= 1e-14 * p->extent * fmax(sn_length(u), sn_length(v))) {
        f->normal = SN_VEC3_ZERO;
        f->offset = INFINITY;
        return;
    }
    f->normal = sn_vec3_scale(1.0 / length, n);
    f->offset = sn_dot(f->normal, a);
}

static int add_face(polytope *p, int i, int j, int k)
{
    face *f = &p->faces[p->face_count];
    *f = (face){.corner = {i, j, k}, .next = {-1, -1, -1}, .born = p->corner_count};
    measure(p, f);
    return p->face_count++;
}

static void join_faces(polytope *p)
{
    for (int f = 0; f < p->face_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            int from = p->faces[f].corner[k], to = p->faces[f].corner[(k + 1) % 3];
            for (int g = 0; g < p->face_count; ++g) {
                for (int m = 0; m < 3; ++m) {
                    if (p->faces[g].corner[m] == to && p->faces[g].corner[(m + 1) % 3] == from) {
                        p->faces[f].next[k] = g;
                    }
                }
            }
        }
    }
}

// Two pyramids over the first three corners, one if the other is flat. False: all is flat.
static bool first_solid(polytope *p)
{
    sn_vec3 a = p->corners[0].w;
    sn_vec3 n = sn_cross(sn_vec3_sub(p->corners[1].w, a), sn_vec3_sub(p->corners[2].w, a));
    n = sn_normalize(n);
    sn_gjk_corner up = support(p, n), down = support(p, sn_vec3_negate(n));
    double over = sn_dot(n, sn_vec3_sub(up.w, a)), under = -sn_dot(n, sn_vec3_sub(down.w, a));
    double thin = 1e-13 * p->extent;
    if (over <= thin && under <= thin) {
        return false;
    }
    int top = -1, bottom = -1;
    if (over > thin) {
        top = p->corner_count++;
        p->corners[top] = up;
    }
    if (under > thin) {
        bottom = p->corner_count++;
        p->corners[bottom] = down;
    }
    for (int k = 0; k < 3 && top >= 0; ++k) {
        add_face(p, k, (k + 1) % 3, top);
    }
    for (int k = 0; k < 3 && bottom >= 0; ++k) {
        add_face(p, (k + 1) % 3, k, bottom);
    }
    if (top < 0) {
        add_face(p, 0, 1, 2);
    }
    if (bottom < 0) {
        add_face(p, 0, 2, 1);
    }
    join_faces(p);
    return true;
}

// The tetrahedron that GJK ended with, turned outward; false if it is too flat to start from.
static bool given_solid(polytope *p, const sn_gjk *gjk)
{
    if (gjk->count < 4) {
        return false;
    }
    sn_vec3 a = p->corners[0].w;
    sn_vec3 u = sn_vec3_sub(p->corners[1].w, a), v = sn_vec3_sub(p->corners[2].w, a);
    sn_vec3 w = sn_vec3_sub(p->corners[3].w, a);
    double volume = sn_dot(u, sn_cross(v, w));
    if (fabs(volume) <= 1e-13 * p->extent * sn_length(u) * sn_length(v)) {
        return false;
    }
    p->corner_count = 4;
    int s = volume > 0.0 ? 1 : 2; // seen from outside, 0 1 2 runs clockwise for volume > 0
    add_face(p, 0, 3 - s, s);
    add_face(p, 0, s, 3);
    add_face(p, s, 3 - s, 3);
    add_face(p, 3 - s, 0, 3);
    join_faces(p);
    return true;
}

// ---- growth ----

typedef struct rim {
    int count;
    int from[HORIZON], to[HORIZON];
    int outside[HORIZON]; // the face that stays
    int edge[HORIZON];    // its edge
} rim;

// Faces that the new corner sees, from `start` over their edges; the edges to those it does not
// see are the rim, in order around it. False when it is too long to hold.
static bool find_rim(polytope *p, int start, sn_vec3 w, rim *r)
{
    int stack_face[FACES], stack_edge[FACES], stack_left[FACES], depth = 0;
    double slack = 1e-14 * p->extent;
    p->faces[start].dead = true;
    r->count = 0;
    stack_face[depth] = start;
    stack_edge[depth] = 0;
    stack_left[depth++] = 3;
    while (depth > 0) {
        if (stack_left[depth - 1]-- == 0) {
            depth--;
            continue;
        }
        int f = stack_face[depth - 1], k = stack_edge[depth - 1];
        stack_edge[depth - 1] = (k + 1) % 3;
        int g = p->faces[f].next[k];
        if (p->faces[g].dead) {
            continue;
        }
        int from = p->faces[f].corner[k], to = p->faces[f].corner[(k + 1) % 3], m = 0;
        while (p->faces[g].corner[m] != to && m < 2) {
            ++m;
        }
        bool thin = p->faces[g].offset == INFINITY;
        if (thin || sn_dot(p->faces[g].normal, w) > p->faces[g].offset + slack) {
            p->faces[g].dead = true;
            stack_face[depth] = g;
            stack_edge[depth] = (m + 1) % 3;
            stack_left[depth++] = 2;
            continue;
        }
        if (r->count == HORIZON) {
            return false;
        }
        r->from[r->count] = from;
        r->to[r->count] = to;
        r->outside[r->count] = g;
        r->edge[r->count++] = m;
    }
    return true;
}

static int free_face(polytope *p, int *from)
{
    while (*from < p->face_count && !p->faces[*from].dead) {
        ++*from;
    }
    if (*from < p->face_count) {
        return *from;
    }
    return p->face_count < FACES ? p->face_count++ : -1;
}

// Joins the new corner with the rim. False when there is no room, or the rim is not one loop
// (rounding has torn it): the polytope is then of no more use.
static bool cover_rim(polytope *p, const rim *r, int corner)
{
    int made[HORIZON], search = 0;
    for (int i = 0; i < r->count; ++i) {
        if (r->to[i] != r->from[(i + 1) % r->count]) {
            return false;
        }
        made[i] = free_face(p, &search);
        if (made[i] < 0) {
            return false;
        }
        p->faces[made[i]] = (face){.corner = {r->from[i], r->to[i], corner}, .born = corner};
        measure(p, &p->faces[made[i]]);
    }
    for (int i = 0; i < r->count; ++i) {
        face *f = &p->faces[made[i]];
        f->next[0] = r->outside[i];
        f->next[1] = made[(i + 1) % r->count];
        f->next[2] = made[(i + r->count - 1) % r->count];
        p->faces[r->outside[i]].next[r->edge[i]] = made[i];
    }
    return r->count >= 3;
}

// Of equals the youngest: around the tip of a cone all faces are equally near, and following one
// of them ends soon, while taking turns never does.
static int nearest_face(const polytope *p)
{
    int best = -1;
    double tie = 1e-13 * p->extent;
    for (int f = 0; f < p->face_count; ++f) {
        const face *other = &p->faces[f];
        if (other->dead || other->offset == INFINITY) {
            continue;
        }
        double ahead = best < 0 ? INFINITY : p->faces[best].offset - other->offset;
        if (ahead > tie || (ahead > -tie && other->born > p->faces[best].born)) {
            best = f;
        }
    }
    return best;
}

// ---- the answer ----

// Shares of a face's corners in its point nearest to the origin, not yet of sum 1. Returns the
// least of the unclamped ones, as a share of all: negative, the plane's nearest point is outside.
static double weigh(const polytope *p, const face *f, double weight[3])
{
    sn_vec3 x = sn_vec3_scale(f->offset, f->normal);
    double sum = 0.0, least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 q = sn_vec3_sub(p->corners[f->corner[(k + 1) % 3]].w, x);
        sn_vec3 r = sn_vec3_sub(p->corners[f->corner[(k + 2) % 3]].w, x);
        weight[k] = sn_dot(f->normal, sn_cross(q, r));
        sum += weight[k];
        least = fmin(least, weight[k]);
        weight[k] = fmax(0.0, weight[k]);
    }
    return sum > 0.0 ? least / sum : -INFINITY;
}

// Points of a and b that meet in the nearest point of the surface. A flat side of the difference
// is several faces of one plane: the one that the nearest point is in knows the points.
static void witness(const polytope *p, sn_epa *epa)
{
    double inside = -INFINITY, best[3] = {0.0, 0.0, 0.0}, weight[3];
    const face *found = NULL;
    for (int i = 0; i < p->face_count; ++i) {
        const face *f = &p->faces[i];
        if (f->dead || f->offset == INFINITY || sn_dot(f->normal, epa->normal) < 1.0 - 1e-8) {
            continue;
        }
        double least = weigh(p, f, weight);
        if (least > inside) {
            inside = least;
            found = f;
            for (int k = 0; k < 3; ++k) {
                best[k] = weight[k];
            }
        }
    }
    double sum = best[0] + best[1] + best[2];
    if (found == NULL || !(sum > 0.0)) {
        return; // GJK's points stand
    }
    epa->on_a = SN_VEC3_ZERO;
    epa->on_b = SN_VEC3_ZERO;
    for (int k = 0; k < 3; ++k) {
        const sn_gjk_corner *c = &p->corners[found->corner[k]];
        epa->on_a = sn_vec3_add_scaled(epa->on_a, best[k] / sum, c->a);
        epa->on_b = sn_vec3_add_scaled(epa->on_b, best[k] / sum, c->b);
    }
}

// Cores without thickness along n: whichever side is nearer is the way out.
static void flat_answer(polytope *p, sn_vec3 normal, sn_epa *epa)
{
    sn_gjk_corner up = support(p, normal), down = support(p, sn_vec3_negate(normal));
    double over = sn_dot(normal, up.w), under = -sn_dot(normal, down.w);
    epa->normal = over <= under ? normal : sn_vec3_negate(normal);
    epa->depth = fmin(over, under);
}

static bool start(polytope *p, const sn_gjk *gjk, sn_epa *epa)
{
    epa->on_a = gjk->on_a;
    epa->on_b = gjk->on_b;
    if (given_solid(p, gjk)) {
        return true;
    }
    p->face_count = 0;
    p->corner_count = gjk->count < 3 ? gjk->count : 3;
    if (p->corner_count >= 2 && near_same(p, p->corners[0].w, p->corners[1].w)) {
        p->corner_count = 1;
    }
    if (p->corner_count < 2 && !second_corner(p)) {
        flat_answer(p, sn_vec3_make(0.0, 0.0, 1.0), epa); // both are points
        return false;
    }
    sn_vec3 line = sn_normalize(sn_vec3_sub(p->corners[1].w, p->corners[0].w));
    sn_vec3 across = sn_cross(sn_vec3_sub(p->corners[2].w, p->corners[0].w), line);
    if (p->corner_count == 3 && sn_length(across) <= 1e-13 * p->extent) {
        p->corner_count = 2;
    }
    if (p->corner_count < 3 && !third_corner(p)) {
        flat_answer(p, sn_perpendicular(line), epa); // both are needles in one line
        return false;
    }
    sn_vec3 n = sn_cross(sn_vec3_sub(p->corners[1].w, p->corners[0].w),
                         sn_vec3_sub(p->corners[2].w, p->corners[0].w));
    if (!first_solid(p)) {
        flat_answer(p, sn_normalize(n), epa);
        return false;
    }
    return true;
}

void sn_epa_run(const sn_core_pair *pair, const sn_gjk *gjk, sn_epa *epa)
{
    polytope p;
    p.pair = pair;
    p.extent = gjk->extent;
    p.corner_count = 0;
    p.face_count = 0;
    for (int i = 0; i < gjk->count; ++i) {
        p.corners[i] = gjk->corners[i];
    }
    *epa = (sn_epa){.depth = INFINITY, .normal = {0.0, 0.0, 1.0}};
    if (!start(&p, gjk, epa)) {
        return;
    }
    if (sn_dot(gjk->normal, gjk->normal) > 0.0) { // they only just touch: GJK's may be the best
        epa->normal = gjk->normal;
        epa->depth = sn_dot(support(&p, gjk->normal).w, gjk->normal);
    }
    rim r;
    for (;;) {
        int f = nearest_face(&p);
        if (f < 0) {
            break;
        }
        epa->turns++;
        sn_gjk_corner c = support(&p, p.faces[f].normal);
        double depth = sn_dot(c.w, p.faces[f].normal); // the true one along this direction
        if (depth < epa->depth) {
            epa->depth = depth;
            epa->normal = p.faces[f].normal;
        }
        // The face's plane bounds the depth from below, the best direction from above.
        if (epa->depth - p.faces[f].offset <= 1e-12 * p.extent || p.corner_count == CORNERS) {
            break;
        }
        p.corners[p.corner_count++] = c;
        if (!find_rim(&p, f, c.w, &r) || !cover_rim(&p, &r, p.corner_count - 1)) {
            break;
        }
    }
    if (!(epa->depth < INFINITY)) {
        flat_answer(&p, epa->normal, epa);
        return;
    }
    witness(&p, epa);
}
