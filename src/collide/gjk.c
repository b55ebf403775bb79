// GJK: a simplex of the difference a - b walks towards the origin.
#include "collide/gjk.h"

#include "collide/hull_shape.h"
#include "collide/mesh_tree.h"

enum { TURNS = 128 };

// Below this share of the supports' lengths a distance is rounding, and the cores count as
// touching.
static const double touching = 1e-9;

sn_core_pair sn_core_pair_make(const sn_collider *a, const sn_transform *place_a,
                               const sn_collider *b, const sn_transform *place_b)
{
    sn_quat back = sn_quat_conjugate(place_a->rotation);
    sn_core_pair pair = {.a = a, .b = b};
    pair.rotation = sn_quat_to_mat3(sn_quat_multiply(back, place_b->rotation));
    pair.offset = sn_rotate(back, sn_vec3_sub(place_b->position, place_a->position));
    return pair;
}

sn_gjk_corner sn_core_pair_support(const sn_core_pair *pair, sn_vec3 direction)
{
    sn_gjk_corner c = {.weight = 1.0};
    int corner;
    c.a = sn_collider_support(pair->a, direction, &corner);
    c.corner_a = (uint16_t)corner;
    sn_vec3 back = sn_mat3_apply_transpose(pair->rotation, sn_vec3_negate(direction));
    sn_vec3 b = sn_collider_support(pair->b, back, &corner);
    c.corner_b = (uint16_t)corner;
    c.b = sn_vec3_add(pair->offset, sn_mat3_apply(pair->rotation, b));
    c.w = sn_vec3_sub(c.a, c.b);
    return c;
}

double sn_core_pair_separation(const sn_core_pair *pair, sn_vec3 normal)
{
    return -sn_dot(sn_core_pair_support(pair, normal).w, normal);
}

// ---- the nearest point of a simplex to the origin ----

// What is left of a simplex: the corners the nearest point needs, their weights, and the point.
typedef struct nearest {
    int count;
    int corner[4];
    double weight[4];
    sn_vec3 point;
    double square; // of its distance
} nearest;

static nearest nearest_point(const sn_gjk_corner *c, int i)
{
    nearest n = {.count = 1, .corner = {i}, .weight = {1.0}, .point = c[i].w};
    n.square = sn_dot(n.point, n.point);
    return n;
}

static nearest nearest_segment(const sn_gjk_corner *c, int i, int j)
{
    sn_vec3 p = c[i].w, d = sn_vec3_sub(c[j].w, p);
    double dd = sn_dot(d, d), t = -sn_dot(p, d);
    if (!(t > 0.0)) {
        return nearest_point(c, i);
    }
    if (t >= dd) {
        return nearest_point(c, j);
    }
    t /= dd;
    nearest n = {.count = 2, .corner = {i, j}, .weight = {1.0 - t, t}};
    n.point = sn_vec3_add_scaled(p, t, d);
    n.square = sn_dot(n.point, n.point);
    return n;
}

static void keep_nearer(nearest *best, nearest other)
{
    if (other.square < best->square) {
        *best = other;
    }
}

// Weights from the areas that the origin's projection has with each edge, in the coordinate plane
// that the triangle covers most; where one is not positive, the nearest point is on an edge.
static nearest nearest_triangle(const sn_gjk_corner *c, int i, int j, int k)
{
    sn_vec3 p = c[i].w, q = c[j].w, r = c[k].w;
    sn_vec3 n = sn_cross(sn_vec3_sub(q, p), sn_vec3_sub(r, p));
    double nn = sn_dot(n, n);
    nearest best = {.count = 3, .corner = {i, j, k}, .square = INFINITY};
    bool inside = false;
    if (nn > 0.0) {
        best.point = sn_vec3_scale(sn_dot(p, n) / nn, n);
        double u = sn_dot(n, sn_cross(sn_vec3_sub(q, best.point), sn_vec3_sub(r, best.point)));
        double v = sn_dot(n, sn_cross(sn_vec3_sub(r, best.point), sn_vec3_sub(p, best.point)));
        double w = sn_dot(n, sn_cross(sn_vec3_sub(p, best.point), sn_vec3_sub(q, best.point)));
        inside = u > 0.0 && v > 0.0 && w > 0.0;
        double s = 1.0 / (u + v + w);
        best.weight[0] = s * u;
        best.weight[1] = s * v;
        best.weight[2] = s * w;
    }
    if (inside) {
        best.square = sn_dot(best.point, best.point);
        return best;
    }
    best = nearest_segment(c, i, j);
    keep_nearer(&best, nearest_segment(c, j, k));
    keep_nearer(&best, nearest_segment(c, k, i));
    return best;
}

static double volume(sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    return sn_dot(a, sn_cross(b, c));
}

static nearest nearest_tetrahedron(const sn_gjk_corner *c)
{
    sn_vec3 p = c[0].w, q = c[1].w, r = c[2].w, s = c[3].w;
    // Volumes of the tetrahedra with the origin in place of one corner.
    double v0 = volume(q, r, s), v1 = -volume(p, r, s);
    double v2 = volume(p, q, s), v3 = -volume(p, q, r);
    double whole = (v0 + v1) + (v2 + v3);
    double sign = whole > 0.0 ? 1.0 : -1.0;
    double far2 = fmax(fmax(sn_dot(p, p), sn_dot(q, q)), fmax(sn_dot(r, r), sn_dot(s, s)));
    double least = 1e-15 * far2 * sqrt(far2); // what rounding can make of nothing
    if (sign * v0 > least && sign * v1 > least && sign * v2 > least && sign * v3 > least) {
        nearest in = {.count = 4, .corner = {0, 1, 2, 3}};
        in.weight[0] = v0 / whole;
        in.weight[1] = v1 / whole;
        in.weight[2] = v2 / whole;
        in.weight[3] = v3 / whole;
        return in;
    }
    nearest best = nearest_triangle(c, 0, 1, 2);
    keep_nearer(&best, nearest_triangle(c, 0, 1, 3));
    keep_nearer(&best, nearest_triangle(c, 0, 2, 3));
    keep_nearer(&best, nearest_triangle(c, 1, 2, 3));
    return best;
}

static nearest nearest_of(const sn_gjk_corner *c, int count)
{
    switch (count) {
    case 1:
        return nearest_point(c, 0);
    case 2:
        return nearest_segment(c, 0, 1);
    case 3:
        return nearest_triangle(c, 0, 1, 2);
    default:
        return nearest_tetrahedron(c);
    }
}

static void reduce(sn_gjk *gjk, const nearest *n)
{
    sn_gjk_corner kept[4];
    for (int i = 0; i < n->count; ++i) {
        kept[i] = gjk->corners[n->corner[i]];
        kept[i].weight = n->weight[i];
    }
    gjk->count = n->count;
    for (int i = 0; i < n->count; ++i) {
        gjk->corners[i] = kept[i];
    }
}

// ---- start and end ----

static bool has_corner(const sn_collider *collider, int corner)
{
    switch (collider->type) {
    case SN_COLLIDER_SPHERE:
        return corner == 0;
    case SN_COLLIDER_CAPSULE:
        return corner < 2;
    case SN_COLLIDER_BOX:
        return corner < 8;
    case SN_COLLIDER_TRIANGLE:
        return corner < 3;
    case SN_COLLIDER_HULL:
        return corner < collider->hull->corner_count;
    case SN_COLLIDER_MESH:
        return corner < sn_mesh_vertex_count(collider->mesh->mesh);
    default:
        return false;
    }
}

static sn_gjk_corner corner_again(const sn_core_pair *pair, int corner_a, int corner_b)
{
    sn_gjk_corner c = {.weight = 1.0, .corner_a = (uint16_t)corner_a};
    c.corner_b = (uint16_t)corner_b;
    c.a = sn_collider_corner(pair->a, corner_a);
    c.b = sn_mat3_apply(pair->rotation, sn_collider_corner(pair->b, corner_b));
    c.b = sn_vec3_add(pair->offset, c.b);
    c.w = sn_vec3_sub(c.a, c.b);
    return c;
}

static void begin(const sn_core_pair *pair, const sn_collide_cache *cache, sn_gjk *gjk)
{
    *gjk = (sn_gjk){0};
    bool kept = cache != NULL && cache->count > 0 && cache->count <= 4;
    for (int i = 0; kept && i < cache->count; ++i) {
        kept = has_corner(pair->a, cache->corner_a[i]) && has_corner(pair->b, cache->corner_b[i]);
    }
    if (kept) {
        gjk->count = cache->count;
        for (int i = 0; i < cache->count; ++i) {
            gjk->corners[i] = corner_again(pair, cache->corner_a[i], cache->corner_b[i]);
        }
        return;
    }
    sn_vec3 direction = pair->offset; // roughly from a to b
    if (cache != NULL && sn_dot(cache->axis, cache->axis) > 0.0) {
        direction = cache->axis;
    } else if (!(sn_dot(direction, direction) > 0.0)) {
        direction = sn_vec3_make(0.0, 0.0, 1.0);
    }
    gjk->count = 1;
    gjk->corners[0] = sn_core_pair_support(pair, direction);
}

static void remember(const sn_gjk *gjk, sn_collide_cache *cache)
{
    cache->count = (uint8_t)gjk->count;
    for (int i = 0; i < gjk->count; ++i) {
        cache->corner_a[i] = gjk->corners[i].corner_a;
        cache->corner_b[i] = gjk->corners[i].corner_b;
    }
    if (!gjk->overlap) {
        cache->axis = gjk->normal;
    }
}

static bool already_there(const sn_gjk *gjk, const sn_gjk_corner *corner)
{
    for (int i = 0; i < gjk->count; ++i) {
        sn_vec3 w = gjk->corners[i].w;
        if (w.x == corner->w.x && w.y == corner->w.y && w.z == corner->w.z) {
            return true;
        }
    }
    return false;
}

static void witness(sn_gjk *gjk)
{
    gjk->on_a = SN_VEC3_ZERO;
    gjk->on_b = SN_VEC3_ZERO;
    for (int i = 0; i < gjk->count; ++i) {
        gjk->on_a = sn_vec3_add_scaled(gjk->on_a, gjk->corners[i].weight, gjk->corners[i].a);
        gjk->on_b = sn_vec3_add_scaled(gjk->on_b, gjk->corners[i].weight, gjk->corners[i].b);
    }
}

void sn_gjk_run(const sn_core_pair *pair, double limit, sn_collide_cache *cache, sn_gjk *gjk)
{
    begin(pair, cache, gjk);
    double extent2 = 0.0;
    for (int i = 0; i < gjk->count; ++i) {
        extent2 = fmax(extent2, sn_dot(gjk->corners[i].w, gjk->corners[i].w));
    }
    nearest n = nearest_of(gjk->corners, gjk->count);
    for (;;) {
        reduce(gjk, &n);
        gjk->overlap = n.count == 4 || n.square <= touching * touching * extent2;
        if (gjk->overlap || gjk->turns == TURNS) {
            break;
        }
        gjk->turns++;
        sn_gjk_corner next = sn_core_pair_support(pair, sn_vec3_negate(n.point));
        double along = sn_dot(n.point, next.w); // distance >= along / |point|
        extent2 = fmax(extent2, sn_dot(next.w, next.w));
        if (along > 0.0 && along * along > limit * limit * n.square) {
            gjk->beyond = true;
            gjk->distance = along / sqrt(n.square);
            break;
        }
        if (n.square - along <= 1e-14 * n.square || already_there(gjk, &next)) {
            break;
        }
        gjk->corners[gjk->count++] = next;
        nearest nearer = nearest_of(gjk->corners, gjk->count);
        if (!(nearer.square < n.square)) { // as near as rounding lets it come
            gjk->count--;
            break;
        }
        n = nearer;
    }
    gjk->extent = sqrt(extent2);
    gjk->normal = sn_vec3_negate(sn_normalize(n.point));
    if (!gjk->overlap) {
        gjk->distance = gjk->beyond ? gjk->distance : sqrt(n.square);
    }
    witness(gjk);
    if (cache != NULL) {
        remember(gjk, cache);
    }
}
