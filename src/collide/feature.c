// The corner, line or face of each kind of core.
#include "collide/feature.h"

#include "collide/hull_shape.h"

// Sine of the angle within which things are flat.
static const double flatness = 0.04;

enum { DISC_CORNERS = 16, DISC_NAME = 0x100, LINE_NAME = 0x200, RIM_NAME = 0x300 };

static void add(sn_feature *f, sn_vec3 corner, int name)
{
    f->corners[f->count] = corner;
    f->names[f->count++] = (uint16_t)(name & 0x3fff);
}

// ---- boxes ----

static void box_face(const sn_collider *c, int axis, bool positive, sn_feature *f)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, base = positive ? 1 << axis : 0;
    // Counter-clockwise about +axis; about -axis with u and v exchanged.
    int first = positive ? 1 << u : 1 << v, second = positive ? 1 << v : 1 << u;
    int order[4] = {base, base | first, base | first | second, base | second};
    double normal[3] = {0.0, 0.0, 0.0};
    normal[axis] = positive ? 1.0 : -1.0;
    f->normal = sn_vec3_at(normal);
    for (int k = 0; k < 4; ++k) {
        add(f, sn_collider_corner(c, order[k]), order[k]);
    }
}

static void box_feature(const sn_collider *c, sn_vec3 d, sn_feature *f)
{
    double n[3];
    sn_vec3_put(n, d);
    // A box without extent along an axis has no edge along it.
    bool across[3] = {(fabs(n[0]) < flatness) & (c->half.x > 0.0),
                      (fabs(n[1]) < flatness) & (c->half.y > 0.0),
                      (fabs(n[2]) < flatness) & (c->half.z > 0.0)};
    int corner = (n[0] >= 0.0) | (n[1] >= 0.0) << 1 | (n[2] >= 0.0) << 2;
    if (across[0] + across[1] + across[2] == 2) {
        int axis = !across[0] ? 0 : !across[1] ? 1 : 2;
        box_face(c, axis, n[axis] >= 0.0, f);
        return;
    }
    if (across[0] + across[1] + across[2] == 1) {
        int bit = across[0] ? 1 : across[1] ? 2 : 4;
        add(f, sn_collider_corner(c, corner & ~bit), corner & ~bit);
        add(f, sn_collider_corner(c, corner | bit), corner | bit);
        return;
    }
    add(f, sn_collider_corner(c, corner), corner);
}

// ---- round kinds ----

// The unit direction of d across z; x if there is none to speak of.
static sn_vec3 across_z(sn_vec3 d, double least)
{
    double length = sqrt(d.x * d.x + d.y * d.y);
    return length > least ? sn_vec3_make(d.x / length, d.y / length, 0.0)
                          : sn_vec3_make(1.0, 0.0, 0.0);
}

static void disc(double radius, double z, bool up, sn_vec3 d, sn_feature *f)
{
    static const double cosine[DISC_CORNERS / 4] = {1.0, 0.92387953251128674, 0.70710678118654752,
                                                    0.38268343236508977};
    sn_vec3 u = across_z(d, 1e-4);
    sn_vec3 v = sn_vec3_make(up ? -u.y : u.y, up ? u.x : -u.x, 0.0);
    f->normal = sn_vec3_make(0.0, 0.0, up ? 1.0 : -1.0);
    for (int k = 0; k < DISC_CORNERS; ++k) {
        double c = cosine[k % 4], s = k % 4 == 0 ? 0.0 : cosine[4 - k % 4];
        for (int turn = 0; turn < k / 4; ++turn) {
            double keep = c;
            c = -s;
            s = keep;
        }
        sn_vec3 p = sn_vec3_make(radius * (c * u.x + s * v.x), radius * (c * u.y + s * v.y), z);
        add(f, p, DISC_NAME + k);
    }
}

static void cylinder_feature(const sn_collider *c, sn_vec3 d, sn_feature *f)
{
    double h = d.z >= 0.0 ? c->half_height : -c->half_height;
    if (d.x * d.x + d.y * d.y < flatness * flatness && c->radius > 0.0) {
        disc(c->radius, h, d.z >= 0.0, d, f);
        return;
    }
    sn_vec3 u = sn_vec3_scale(c->radius, across_z(d, 0.0));
    if (fabs(d.z) < flatness && c->half_height > 0.0) {
        add(f, sn_vec3_make(u.x, u.y, -c->half_height), LINE_NAME);
        add(f, sn_vec3_make(u.x, u.y, c->half_height), LINE_NAME + 1);
        return;
    }
    add(f, sn_vec3_make(u.x, u.y, h), RIM_NAME);
}

// Sine and cosine of the angle between the cone's axis and its side.
static void cone_slant(const sn_collider *c, double *sine, double *cosine)
{
    double length = sqrt(c->radius * c->radius + 4.0 * c->half_height * c->half_height);
    *sine = length > 0.0 ? c->radius / length : 1.0;
    *cosine = length > 0.0 ? 2.0 * c->half_height / length : 0.0;
}

static void cone_feature(const sn_collider *c, sn_vec3 d, sn_feature *f)
{
    double across = sqrt(d.x * d.x + d.y * d.y), sine, cosine;
    if (d.z < 0.0 && across < flatness && c->radius > 0.0) {
        disc(c->radius, -c->half_height, false, d, f);
        return;
    }
    cone_slant(c, &sine, &cosine);
    sn_vec3 u = sn_vec3_scale(c->radius, across_z(d, 0.0));
    sn_vec3 rim = sn_vec3_make(u.x, u.y, -c->half_height);
    sn_vec3 tip = sn_vec3_make(0.0, 0.0, c->half_height);
    double off = d.z * cosine - across * sine; // sine of the angle past the side's normal
    if (across > 0.0 && fabs(off) < flatness && c->half_height > 0.0 &&
        across * cosine + d.z * sine > 0.0) {
        add(f, rim, LINE_NAME);
        add(f, tip, LINE_NAME + 1);
        return;
    }
    add(f, off > 0.0 ? tip : rim, off > 0.0 ? LINE_NAME + 1 : LINE_NAME);
}

static void capsule_feature(const sn_collider *c, sn_vec3 d, sn_feature *f)
{
    bool line = fabs(d.z) < flatness && c->half_height > 0.0;
    if (line || d.z < 0.0) {
        add(f, sn_vec3_make(0.0, 0.0, -c->half_height), 0);
    }
    if (line || d.z >= 0.0) {
        add(f, sn_vec3_make(0.0, 0.0, c->half_height), 1);
    }
}

// ---- polyhedra ----

static void hull_face(const sn_hull *hull, const sn_hull_face *face, sn_feature *f)
{
    int step = (face->count + SN_FEATURE_CORNERS - 1) / SN_FEATURE_CORNERS;
    f->normal = face->normal;
    for (int k = 0; k < face->count; k += step) {
        int corner = hull->edges[face->first + k].corner;
        add(f, hull->corners[corner], corner);
    }
}

static void hull_feature(const sn_hull *hull, sn_vec3 d, sn_feature *f)
{
    int corner = sn_hull_support(hull, d);
    const sn_hull_face *face = &hull->faces[sn_hull_face_at(hull, corner, d)];
    if (sn_dot(face->normal, d) > 1.0 - 0.5 * flatness * flatness) {
        hull_face(hull, face, f);
        return;
    }
    add(f, hull->corners[corner], corner);
    double least = flatness;
    int first = hull->first_edge[corner], edge = first;
    do {
        int other = hull->edges[hull->edges[edge].twin].corner;
        sn_vec3 along = sn_vec3_sub(hull->corners[other], hull->corners[corner]);
        double sine = fabs(sn_dot(along, d)) / sn_length(along);
        if (sine < least) {
            least = sine;
            f->count = 1;
            add(f, hull->corners[other], other);
        }
        const sn_hull_face *at = &hull->faces[hull->edges[edge].face];
        int previous = edge == at->first ? at->first + at->count - 1 : edge - 1;
        edge = hull->edges[previous].twin;
    } while (edge != first);
}

static sn_vec3 triangle_normal(const sn_vec3 *p)
{
    return sn_normalize(sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0])));
}

static void triangle_feature(const sn_vec3 *p, sn_vec3 d, sn_feature *f)
{
    sn_vec3 normal = triangle_normal(p);
    double cosine = sn_dot(normal, d);
    if (fabs(cosine) > 1.0 - 0.5 * flatness * flatness) {
        f->normal = cosine > 0.0 ? normal : sn_vec3_negate(normal);
        for (int k = 0; k < 3; ++k) {
            int corner = cosine > 0.0 ? k : 2 - k;
            add(f, p[corner], corner);
        }
        return;
    }
    double height[3] = {sn_dot(p[0], d), sn_dot(p[1], d), sn_dot(p[2], d)};
    int top = height[0] >= height[1] ? 0 : 1;
    top = height[2] > height[top] ? 2 : top;
    add(f, p[top], top);
    double least = flatness;
    for (int k = 1; k < 3; ++k) {
        int other = (top + k) % 3;
        double length = sn_distance(p[other], p[top]);
        double sine = length > 0.0 ? (height[top] - height[other]) / length : 1.0;
        if (sine < least) {
            least = sine;
            f->count = 1;
            add(f, p[other], other);
        }
    }
}

void sn_collider_feature(const sn_collider *c, sn_vec3 direction, sn_feature *f)
{
    f->count = 0;
    f->normal = direction;
    switch (c->type) {
    case SN_COLLIDER_BOX:
        box_feature(c, direction, f);
        break;
    case SN_COLLIDER_CYLINDER:
        cylinder_feature(c, direction, f);
        break;
    case SN_COLLIDER_CONE:
        cone_feature(c, direction, f);
        break;
    case SN_COLLIDER_CAPSULE:
        capsule_feature(c, direction, f);
        break;
    case SN_COLLIDER_HULL:
        hull_feature(c->hull, direction, f);
        break;
    case SN_COLLIDER_TRIANGLE:
        triangle_feature(c->triangle, direction, f);
        break;
    default:
        add(f, SN_VEC3_ZERO, 0);
        break;
    }
}

// ---- directions ----

static int box_flats(sn_vec3 d, sn_vec3 *flats)
{
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (x >= y && x >= z) {
        flats[0] = sn_vec3_make(d.x >= 0.0 ? 1.0 : -1.0, 0.0, 0.0);
    } else if (y >= z) {
        flats[0] = sn_vec3_make(0.0, d.y >= 0.0 ? 1.0 : -1.0, 0.0);
    } else {
        flats[0] = sn_vec3_make(0.0, 0.0, d.z >= 0.0 ? 1.0 : -1.0);
    }
    return 1;
}

static int round_flats(const sn_collider *c, sn_vec3 d, sn_vec3 *flats)
{
    double across = sqrt(d.x * d.x + d.y * d.y);
    int count = 0;
    if (across > 0.0) { // the side's normal
        double sine = 0.0, cosine = 1.0;
        if (c->type == SN_COLLIDER_CONE) {
            cone_slant(c, &sine, &cosine);
        }
        double s = cosine / across;
        flats[count++] = sn_vec3_make(s * d.x, s * d.y, sine);
    }
    if (c->type == SN_COLLIDER_CYLINDER || (c->type == SN_COLLIDER_CONE && d.z < 0.0)) {
        flats[count++] = sn_vec3_make(0.0, 0.0, d.z >= 0.0 ? 1.0 : -1.0);
    }
    return count;
}

int sn_collider_flats(const sn_collider *c, sn_vec3 d, sn_vec3 *flats)
{
    switch (c->type) {
    case SN_COLLIDER_BOX:
        return box_flats(d, flats);
    case SN_COLLIDER_CAPSULE:
    case SN_COLLIDER_CYLINDER:
    case SN_COLLIDER_CONE:
        return round_flats(c, d, flats);
    case SN_COLLIDER_HULL: {
        int corner = sn_hull_support(c->hull, d);
        flats[0] = c->hull->faces[sn_hull_face_at(c->hull, corner, d)].normal;
        return 1;
    }
    case SN_COLLIDER_TRIANGLE: {
        sn_vec3 normal = triangle_normal(c->triangle);
        flats[0] = sn_dot(normal, d) >= 0.0 ? normal : sn_vec3_negate(normal);
        return sn_dot(normal, normal) > 0.0 ? 1 : 0;
    }
    default:
        return 0;
    }
}

static bool box_flat_is_nearest(sn_vec3 half, sn_vec3 flat, sn_vec3 p, double depth)
{
    double room[3] = {half.x - fabs(p.x), half.y - fabs(p.y), half.z - fabs(p.z)};
    double h[3], n[3];
    sn_vec3_put(h, half);
    sn_vec3_put(n, flat);
    bool nearest = true;
    for (int i = 0; i < 3; ++i) { // of the flat's own axis, the opposite face
        nearest &= n[i] != 0.0 ? h[i] >= depth : room[i] >= depth;
    }
    return nearest;
}

static bool hull_flat_is_nearest(const sn_hull *hull, sn_vec3 flat, sn_vec3 p, double depth)
{
    enum { FACES = 64 }; // more cost as much as GJK
    if (hull->face_count > FACES) {
        return false;
    }
    for (int f = 0; f < hull->face_count; ++f) {
        const sn_hull_face *face = &hull->faces[f];
        bool own = face->normal.x == flat.x && face->normal.y == flat.y && face->normal.z == flat.z;
        if (!own && !(face->offset - sn_dot(face->normal, p) >= depth)) {
            return false;
        }
    }
    return true;
}

bool sn_collider_flat_is_nearest(const sn_collider *c, sn_vec3 flat, sn_vec3 p, double s)
{
    double depth = s < 0.0 ? -s : 0.0;
    switch (c->type) {
    case SN_COLLIDER_BOX:
        return box_flat_is_nearest(c->half, flat, p, depth);
    case SN_COLLIDER_CYLINDER:
        return fabs(flat.z) == 1.0 && c->half_height >= depth &&
               c->radius - sqrt(p.x * p.x + p.y * p.y) >= depth;
    case SN_COLLIDER_CONE: {
        double sine, cosine, across = sqrt(p.x * p.x + p.y * p.y);
        cone_slant(c, &sine, &cosine);
        // Above the base the cone is narrower; below it the whole disc counts.
        double z = fmax(p.z, -c->half_height);
        double side = sine * (c->half_height - z) - cosine * across;
        return flat.z == -1.0 && across <= c->radius && side >= depth;
    }
    case SN_COLLIDER_HULL: {
        // Over a face, the planes of its neighbours that lean outward reach farther than it does:
        // what is straight over it is told from the foot of p.
        sn_vec3 foot = s > 0.0 ? sn_vec3_add_scaled(p, -s, flat) : p;
        return hull_flat_is_nearest(c->hull, flat, foot, depth);
    }
    default:
        return false;
    }
}
