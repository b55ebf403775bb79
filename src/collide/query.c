// Distance, casts and impacts, by the signed distance of convex cores.
#include "collide/query.h"

#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_query.h"
#include "collide/torus_pairs.h"
#include "math/rotation.h"

// Signed distance in the world's axes: normal from a to b.
typedef struct between {
    double gap;
    sn_vec3 normal, on_a, on_b;
} between;

// A convex collider over a half space.
static between over_plane(const sn_collider *a, const sn_transform *place_a,
                          const sn_transform *place_b)
{
    sn_vec3 up = sn_rotate(place_b->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    int corner;
    sn_vec3 down = sn_rotate_inverse(place_a->rotation, sn_vec3_negate(up));
    sn_vec3 low = sn_transform_point(*place_a, sn_collider_support(a, down, &corner));
    between x = {.normal = sn_vec3_negate(up)};
    x.gap = sn_dot(sn_vec3_sub(low, place_b->position), up) - a->rounding;
    x.on_a = sn_vec3_add_scaled(low, -a->rounding, up);
    x.on_b = sn_vec3_add_scaled(x.on_a, -x.gap, up);
    return x;
}

// Two convex colliders, or one and a plane, in any order.
static between gap_between(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                           const sn_transform *place_b, double limit, sn_collide_cache *cache)
{
    if (b->type == SN_COLLIDER_PLANE) {
        return over_plane(a, place_a, place_b);
    }
    if (a->type == SN_COLLIDER_PLANE) {
        between x = over_plane(b, place_b, place_a);
        return (between){x.gap, sn_vec3_negate(x.normal), x.on_b, x.on_a};
    }
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    sn_convex_gap found;
    sn_convex_gap_find(&pair, limit, cache, &found);
    between x = {.gap = found.gap};
    x.normal = sn_rotate(place_a->rotation, found.normal);
    x.on_a = sn_transform_point(*place_a, found.on_a);
    x.on_b = sn_transform_point(*place_a, found.on_b);
    return x;
}

static bool is_simple(const sn_collider *a, const sn_collider *b)
{
    return (sn_collider_is_convex(a) && b->type <= SN_COLLIDER_PLANE) ||
           (sn_collider_is_convex(b) && a->type <= SN_COLLIDER_PLANE);
}

double sn_collide_distance(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                           const sn_transform *place_b, sn_collide_cache *cache, sn_vec3 *on_a,
                           sn_vec3 *on_b)
{
    *on_a = place_a->position;
    *on_b = place_b->position;
    if (sn_is_torus_pair(a, b)) {
        return sn_torus_distance(a, place_a, b, place_b, INFINITY, on_a, on_b);
    }
    if (sn_collider_is_ground(b)) {
        return sn_ground_distance(b, place_b, a, place_a, on_b, on_a);
    }
    if (sn_collider_is_ground(a)) {
        return sn_ground_distance(a, place_a, b, place_b, on_a, on_b);
    }
    if (!is_simple(a, b)) {
        return INFINITY;
    }
    between x = gap_between(a, place_a, b, place_b, INFINITY, cache);
    *on_a = x.on_a;
    *on_b = x.on_b;
    return x.gap;
}

// ---- casts ----

// Where one of convex things moves in a straight line, the plane between their nearest points
// parts them until it is crossed: to go that far is safe, and for polyhedra soon exact.
bool sn_collide_cast(const sn_collider *a, const sn_transform *place_a, sn_vec3 translation,
                     const sn_collider *b, const sn_transform *place_b, double *fraction,
                     sn_vec3 *point, sn_vec3 *normal)
{
    enum { TURNS = 64 };
    if (sn_collider_is_ground(b) && sn_collider_is_convex(a)) {
        return sn_ground_cast(a, place_a, translation, b, place_b, fraction, point, normal);
    }
    if (!is_simple(a, b)) {
        return false;
    }
    sn_collide_cache cache = {0};
    double scale = sn_collide_scale(a, b);
    double near = 1e-8 * (scale > 0.0 ? scale : sn_length(translation)), at = 0.0;
    for (int turn = 0; turn < TURNS; ++turn) {
        sn_transform place = *place_a;
        place.position = sn_vec3_add_scaled(place.position, at, translation);
        between x = gap_between(a, &place, b, place_b, INFINITY, &cache);
        *fraction = at;
        *point = x.on_b;
        *normal = sn_vec3_negate(x.normal);
        if (turn == 0 && x.gap <= 0.0) {
            return true;
        }
        double closing = sn_dot(translation, x.normal);
        if (!(closing > 0.0)) {
            return false; // they part, or pass
        }
        at += x.gap / closing;
        if (x.gap <= near) {
            *fraction = at < 0.0 ? 0.0 : at;
            return at <= 1.0;
        }
        if (at > 1.0) {
            return false;
        }
    }
    return true; // a graze so fine that turns ran out: nearer than any plane could tell
}

// ---- impacts ----

sn_transform sn_sweep_at(const sn_sweep *sweep, double fraction)
{
    sn_vec3 from = sn_transform_point(sweep->start, sweep->centre);
    sn_vec3 to = sn_transform_point(sweep->end, sweep->centre);
    sn_transform place;
    place.rotation = sn_quat_slerp(sweep->start.rotation, sweep->end.rotation, fraction);
    sn_vec3 centre = sn_vec3_add_scaled(from, fraction, sn_vec3_sub(to, from));
    place.position = sn_vec3_sub(centre, sn_rotate(place.rotation, sweep->centre));
    return place;
}

sn_vec3 sn_sweep_travel(const sn_sweep *sweep)
{
    return sn_vec3_sub(sn_transform_point(sweep->end, sweep->centre),
                       sn_transform_point(sweep->start, sweep->centre));
}

sn_vec3 sn_sweep_turn(const sn_sweep *sweep)
{
    return sn_quat_log(
        sn_quat_multiply(sweep->end.rotation, sn_quat_conjugate(sweep->start.rotation)));
}

// What turning on its way moves a collider by: the turn, times its swing about the centre.
static sn_vec3 sweep_swing(const sn_collider *collider, const sn_sweep *sweep)
{
    sn_vec3 angle = sn_sweep_turn(sweep);
    if (collider->type == SN_COLLIDER_PLANE || !(sn_dot(angle, angle) > 0.0)) {
        return SN_VEC3_ZERO; // planes stand still
    }
    return sn_vec3_scale(sn_collider_swing(collider, sweep->centre), angle);
}

// A ball's way as another collider sees it that may turn, which then stands still: a curve,
// followed along chords of it. So things that keep to each other's side while both move are not
// held up by what their turns alone might do.
typedef struct ball_search {
    const sn_collider *ball, *other;
    const sn_sweep *of_ball, *of_other;
    double nearness, slack;
    double bend; // the largest second derivative of the curve by the share of the way
    int casts;   // that are left
} ball_search;

// The middle of the ball at a share of the way, in the other's frame.
static sn_vec3 ball_middle(const ball_search *s, double share)
{
    sn_transform place = sn_sweep_at(s->of_other, share);
    return sn_transform_point(sn_transform_inverse(place), sn_sweep_at(s->of_ball, share).position);
}

// With x from the other's centre to the ball's middle, which turns at rate v about its own centre,
// and w the rate of the other: |x''| + 2 w |x'| + w^2 |x|.
static double ball_bend(const sn_sweep *of_ball, const sn_sweep *of_other)
{
    double v = sn_length(sn_sweep_turn(of_ball)), w = sn_length(sn_sweep_turn(of_other));
    double arm = sn_length(of_ball->centre);
    double way = sn_distance(sn_sweep_travel(of_ball), sn_sweep_travel(of_other));
    double away = sn_distance(sn_transform_point(of_ball->start, of_ball->centre),
                              sn_transform_point(of_other->start, of_other->centre));
    return v * v * arm + 2.0 * w * (way + v * arm) + w * w * (away + way + arm);
}

// By a chord, with the other standing still in its own frame.
static bool cast_ball(ball_search *s, double from, double to, double nearness, double *at)
{
    enum { TURNS = 64 };
    sn_transform still = {.rotation = {1.0, 0.0, 0.0, 0.0}}, place = still;
    sn_vec3 first = ball_middle(s, from), chord = sn_vec3_sub(ball_middle(s, to), first);
    sn_collide_cache cache = {0};
    s->casts -= 1;
    *at = 0.0;
    for (int turn = 0; turn < TURNS; ++turn) {
        place.position = sn_vec3_add_scaled(first, *at, chord);
        between x = gap_between(s->ball, &place, s->other, &still, INFINITY, &cache);
        double left = x.gap - nearness, closing = sn_dot(chord, x.normal);
        if (left <= (turn == 0 ? 0.0 : s->slack)) {
            return true;
        }
        if (!(closing * (1.0 - *at) > left)) {
            return false;
        }
        *at += left / closing;
    }
    return true;
}

// A chord is off the curve by no more than bend * length^2 / 8.
static bool follow_ball(ball_search *s, double from, double to, double *fraction)
{
    double off = 0.125 * s->bend * (to - from) * (to - from), at;
    if (!cast_ball(s, from, to, s->nearness + off, &at)) {
        return false;
    }
    if (off <= s->slack || s->casts <= 0) {
        *fraction = from + at * (to - from);
        return true;
    }
    double middle = 0.5 * (from + to);
    return follow_ball(s, from, middle, fraction) || follow_ball(s, middle, to, fraction);
}

bool sn_collide_impact(const sn_collider *a, const sn_sweep *sweep_a, const sn_collider *b,
                       const sn_sweep *sweep_b, double nearness, double *fraction)
{
    enum { TURNS = 256, CASTS = 1024 };
    if (sn_collider_is_ground(b)) {
        return sn_ground_impact(b, sweep_b, a, sweep_a, nearness, fraction);
    }
    if (sn_collider_is_ground(a)) {
        return sn_ground_impact(a, sweep_a, b, sweep_b, nearness, fraction);
    }
    if (!is_simple(a, b)) {
        return false;
    }
    double scale = sn_collide_scale(a, b), slack = fmax(0.01 * nearness, 1e-9 * scale), at = 0.0;
    if (a->type == SN_COLLIDER_SPHERE || b->type == SN_COLLIDER_SPHERE) {
        bool first = a->type == SN_COLLIDER_SPHERE;
        ball_search s = {.ball = first ? a : b,
                         .other = first ? b : a,
                         .of_ball = first ? sweep_a : sweep_b,
                         .of_other = first ? sweep_b : sweep_a,
                         .nearness = nearness,
                         .slack = 0.5 * slack, // of chords and of casts along them
                         .casts = CASTS};
        s.bend = ball_bend(s.of_ball, s.of_other);
        return follow_ball(&s, 0.0, 1.0, fraction);
    }
    sn_vec3 travel = sn_vec3_sub(sn_sweep_travel(sweep_a), sn_sweep_travel(sweep_b));
    sn_vec3 turn_a = sweep_swing(a, sweep_a), turn_b = sweep_swing(b, sweep_b);
    sn_collide_cache cache = {0};
    for (int turn = 0; turn < TURNS; ++turn) {
        sn_transform place_a = sn_sweep_at(sweep_a, at), place_b = sn_sweep_at(sweep_b, at);
        between x = gap_between(a, &place_a, b, &place_b, INFINITY, &cache);
        *fraction = at;
        double left = x.gap - nearness;
        if (left <= (turn == 0 ? 0.0 : slack)) {
            return true;
        }
        // A point at r turns with w x r, along the normal n at most by |n x w| |r|: no faster do
        // they come nearer.
        double turning =
            sn_length(sn_cross(x.normal, turn_a)) + sn_length(sn_cross(x.normal, turn_b));
        double closing = sn_dot(travel, x.normal) + turning;
        if (!(closing * (1.0 - at) > left)) {
            return false;
        }
        at += left / closing;
    }
    return true; // turns ran out just before they meet
}
