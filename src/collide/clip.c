// Sutherland and Hodgman's clipping with names kept.
#include "collide/clip.h"

// Names as halves of sn_manifold_point.feature: see manifold.h.
static uint32_t corner_name(int name)
{
    return 2u * (uint32_t)name + 2u;
}

static uint32_t edge_name(int name)
{
    return 2u * (uint32_t)name + 3u;
}

enum { CLIPPING_EDGE = 0x10000 };

typedef struct clip_point {
    sn_vec3 x;
    uint32_t inner, outer; // parts of the name: of the clipped feature, of the one that clips
    uint32_t edge; // on to the next point: of the clipped one, or CLIPPING_EDGE | the other's
} clip_point;

// Keeps what is on the inner side of (x - on) . out <= 0. What is on it to within `slack` (times
// the length of `out`) is kept as it is: edges that nearly coincide then give the same points
// whatever the rounding.
static int clip_side(const clip_point *in, int count, sn_vec3 on, sn_vec3 out, double slack,
                     uint32_t name, clip_point *kept)
{
    int edges = count > 2 ? count : count - 1, made = 0;
    double side[SN_CLIP_POINTS];
    for (int i = 0; i < count; ++i) {
        side[i] = sn_dot(sn_vec3_sub(in[i].x, on), out);
    }
    for (int i = 0; i < count && made < SN_CLIP_POINTS - 1; ++i) {
        int j = i + 1 < count ? i + 1 : 0;
        if (side[i] <= slack) {
            kept[made++] = in[i];
        }
        if (i < edges &&
            ((side[i] < -slack && side[j] > slack) || (side[i] > slack && side[j] < -slack))) {
            double t = side[i] / (side[i] - side[j]);
            clip_point *p = &kept[made++];
            p->x = sn_vec3_add_scaled(in[i].x, t, sn_vec3_sub(in[j].x, in[i].x));
            bool corner = (in[i].edge & CLIPPING_EDGE) != 0; // of what clips
            p->inner = corner ? 0 : in[i].edge;
            p->outer = corner ? (37u * in[i].edge + name) & 0xfffeu : name;
            p->edge = side[i] < 0.0 ? CLIPPING_EDGE | name : in[i].edge;
        }
    }
    return made;
}

// The clipped feature's points over a face, seen along `out_of_face`: positions on the former,
// names of both.
static int clip_over(const sn_feature *face, const sn_feature *feature, sn_vec3 out_of_face,
                     double slack, clip_point *points)
{
    clip_point buffer[2][SN_CLIP_POINTS];
    int count = feature->count, now = 0;
    for (int i = 0; i < count; ++i) {
        buffer[0][i] = (clip_point){feature->corners[i], corner_name(feature->names[i]), 0,
                                    edge_name(feature->names[i])};
    }
    for (int k = 0; k < face->count && count > 0; ++k) {
        sn_vec3 from = face->corners[k], to = face->corners[k + 1 < face->count ? k + 1 : 0];
        sn_vec3 out = sn_cross(sn_vec3_sub(to, from), out_of_face);
        count = clip_side(buffer[now], count, from, out, slack * sn_length(out),
                          edge_name(face->names[k]), buffer[1 - now]);
        now = 1 - now;
    }
    for (int i = 0; i < count; ++i) {
        points[i] = buffer[now][i];
    }
    return count;
}

static int clip_lines(const sn_feature *a, const sn_feature *b, sn_vec3 normal,
                      sn_manifold_point *points)
{
    sn_vec3 u = sn_vec3_sub(a->corners[1], a->corners[0]);
    sn_vec3 v = sn_vec3_sub(b->corners[1], b->corners[0]);
    double uu = sn_dot(u, u), vv = sn_dot(v, v), uv = sn_dot(u, v);
    sn_vec3 cross = sn_cross(u, v);
    if (!(uu > 0.0 && vv > 0.0) || sn_dot(cross, cross) > 1.6e-3 * uu * vv) {
        return 0;
    }
    // Along a: b's line covers s0 .. s1, and a's 0 .. 1.
    double s[2] = {sn_dot(sn_vec3_sub(b->corners[0], a->corners[0]), u) / uu,
                   sn_dot(sn_vec3_sub(b->corners[1], a->corners[0]), u) / uu};
    uint32_t name_a[2] = {corner_name(a->names[0]), corner_name(a->names[1])};
    uint32_t name_b[2] = {corner_name(b->names[0]), corner_name(b->names[1])};
    int first = s[0] <= s[1] ? 0 : 1;
    double lower = fmax(0.0, s[first]), upper = fmin(1.0, s[1 - first]);
    if (!(lower < upper)) {
        return 0;
    }
    for (int k = 0; k < 2; ++k) {
        double at = k == 0 ? lower : upper;
        bool ends_a = k == 0 ? s[first] <= 0.0 : s[1 - first] >= 1.0;
        int end_b = k == 0 ? first : 1 - first;
        sn_manifold_point *p = &points[k];
        p->on_a = sn_vec3_add_scaled(a->corners[0], at, u);
        double t = sn_dot(sn_vec3_sub(p->on_a, b->corners[0]), u) / uv;
        p->on_b = sn_vec3_add_scaled(b->corners[0], fmin(1.0, fmax(0.0, t)), v);
        p->gap = sn_dot(sn_vec3_sub(p->on_b, p->on_a), normal);
        p->feature = ends_a ? name_a[k] : name_b[end_b] << 16;
    }
    return 2;
}

int sn_feature_clip(const sn_feature *a, const sn_feature *b, sn_vec3 normal, double slack,
                    sn_manifold_point *points)
{
    if (a->count == 2 && b->count == 2) {
        return clip_lines(a, b, normal, points);
    }
    // The face that is more square to the normal clips the other.
    double cosine_a = a->count > 2 ? sn_dot(a->normal, normal) : -1.0;
    double cosine_b = b->count > 2 ? -sn_dot(b->normal, normal) : -1.0;
    bool over_a = cosine_a >= cosine_b - 1e-9;
    const sn_feature *face = over_a ? a : b;
    if (face->count < 3) {
        return 0;
    }
    clip_point clipped[SN_CLIP_POINTS];
    int count =
        clip_over(face, over_a ? b : a, over_a ? normal : sn_vec3_negate(normal), slack, clipped);
    double cosine = over_a ? cosine_a : cosine_b;
    for (int i = 0; i < count; ++i) {
        sn_manifold_point *p = &points[i];
        sn_vec3 x = clipped[i].x;
        // How far x is above the face, along the normal.
        p->gap = sn_dot(sn_vec3_sub(x, face->corners[0]), face->normal) / cosine;
        sn_vec3 under = sn_vec3_add_scaled(x, over_a ? -p->gap : p->gap, normal);
        p->on_a = over_a ? under : x;
        p->on_b = over_a ? x : under;
        p->feature = over_a ? clipped[i].outer | clipped[i].inner << 16
                            : clipped[i].inner | clipped[i].outer << 16;
    }
    return count;
}
