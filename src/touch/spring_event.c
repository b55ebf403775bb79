// When contact springs come and go. What happens first within a step of the integrator is chosen by
// the thesis' cubics (meetings) and by straight lines (partings, and vertices at shapes); its time
// is then found on the integrator's dense output, and everything that has happened by then happens
// there. Forces have no jump at these times, only their derivatives have: what comes within a small
// share of the step is taken along.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/world.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"

static const double TOGETHER = 1e-4;    // of the step: what is at one time
static const double LEAST_WAY = 1e-6;   // of the step, up to the event
static const double TIME_SHARE = 1e-12; // of the step: when a time is exact

typedef enum happening {
    HAPPENS_NOT,
    HAPPENS_MEETING, // index of `met`
    HAPPENS_PARTING, // index of `springs`
    HAPPENS_SHAPE,   // a vertex comes to a shape or leaves it
    HAPPENS_NOTHING  // but the stretch is too long for a shape
} happening;

typedef struct event_search {
    sn_world *world;
    sn_spring_look *look;
    void *context;
    double t_a, t_b;
    happening what;
    int index;
    sn_spring_gap gap; // HAPPENS_SHAPE
    double margin;     // m: gaps are known up to this
    double u;          // share of the step, as guessed
} event_search;

static sn_spring_touch *touch_of(const event_search *search)
{
    return &search->world->touch.springs;
}

static void offer(event_search *search, happening what, int index, double u)
{
    if (u < search->u) {
        search->what = what;
        search->index = index;
        search->u = u;
    }
}

// ---- both ends ----

static double fastest(const sn_spring_touch *touch, const double *row)
{
    size_t count = sn_spring_row(touch);
    double most = 0.0;
    for (size_t i = 0; i < count; i += SN_SPRING_STRIDE) {
        sn_vec3 v = sn_vec3_at(row + count + i);
        most = fmax(most, sn_dot(v, v));
    }
    return sqrt(most);
}

// Positions at one end, how deep springs are, and gaps to shapes.
static bool read_end(event_search *search, int end)
{
    sn_world *world = search->world;
    sn_spring_touch *touch = touch_of(search);
    double *row = touch->ends.data + (size_t)end * 2 * sn_spring_row(touch);
    if (!search->look(search->context, end == 0 ? search->t_a : search->t_b)) {
        return false;
    }
    sn_spring_read(world, row);
    sn_spring_place(touch, row);
    if (end == 0) {
        search->margin = 2.0 * (search->t_b - search->t_a) *
                         (fastest(touch, row) + sn_world_fastest_shape(world));
    }
    for (int i = 0; i < touch->springs.count; ++i) {
        touch->depths.data[end * touch->springs.count + i] =
            sn_spring_depth(world, &touch->springs.data[i]);
    }
    return sn_world_find_gaps(world, search->margin, &touch->gaps[end], &touch->places[end]);
}

// ---- what may happen ----

static bool find_meetings(event_search *search)
{
    sn_world *world = search->world;
    sn_spring_touch *touch = touch_of(search);
    size_t row = sn_spring_row(touch);
    const double *ends = touch->ends.data;
    sn_meeting_motion motion = {.x_a = ends,
                                .v_a = ends + row,
                                .x_b = ends + 2 * row,
                                .v_b = ends + 3 * row,
                                .stride = SN_SPRING_STRIDE,
                                .h = search->t_b - search->t_a};
    if (sn_meetings_gather(touch->meetings, &motion, &touch->met, NULL) != SN_OK) {
        return false;
    }
    int kept = 0;
    for (int i = 0; i < touch->met.count; ++i) {
        sn_meeting meeting = touch->met.data[i];
        sn_touch_spring spring = sn_spring_of_meeting(touch, &meeting, motion.x_b);
        if (!sn_spring_has(touch, &spring) &&
            sn_spring_may_meet(world, meeting.kind, meeting.a, meeting.b, spring.side)) {
            touch->met.data[kept++] = meeting;
            offer(search, HAPPENS_MEETING, kept - 1, meeting.u);
        }
    }
    touch->met.count = kept;
    return true;
}

static void find_partings(event_search *search)
{
    const sn_spring_touch *touch = touch_of(search);
    int count = touch->springs.count;
    for (int i = 0; i < count; ++i) {
        double before = touch->depths.data[i], after = touch->depths.data[count + i];
        if (before > 0.0 && !(after > 0.0)) {
            double u = before / (before - after);
            if (u > TOGETHER) {
                offer(search, HAPPENS_PARTING, i, u);
            }
        }
    }
}

static int compare_gaps(const sn_spring_gap *x, const sn_spring_gap *y)
{
    return x->shape != y->shape ? (x->shape < y->shape ? -1 : 1)
                                : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// The gap in a list, which is sorted, or the margin.
static double gap_in(const sn_spring_gap_list *gaps, const sn_spring_gap *key, double margin)
{
    int low = 0, high = gaps->count;
    while (low < high) {
        int middle = (low + high) / 2, order = compare_gaps(key, &gaps->data[middle]);
        if (order == 0) {
            return gaps->data[middle].gap;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return margin;
}

static void find_shape_events(event_search *search)
{
    const sn_spring_touch *touch = touch_of(search);
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < touch->gaps[end].count; ++i) {
            const sn_spring_gap *gap = &touch->gaps[end].data[i];
            if (!(gap->gap < 0.0)) {
                continue;
            }
            double other = gap_in(&touch->gaps[1 - end], gap, search->margin);
            double u = end == 1 ? other / (other - gap->gap) : gap->gap / (gap->gap - other);
            if (other > 0.0 && u > TOGETHER && u < search->u) {
                offer(search, HAPPENS_SHAPE, i, u);
                search->gap = *gap;
            }
        }
    }
}

// Vertices that go through a shape, and shapes that go so far that a face could be passed by.
static void find_tunnels(event_search *search)
{
    const sn_spring_touch *touch = touch_of(search);
    for (int i = 0; i < touch->gaps[0].count; ++i) {
        const sn_spring_gap *gap = &touch->gaps[0].data[i];
        if (gap->gap > 0.0 && gap_in(&touch->gaps[1], gap, search->margin) >= 0.0) {
            double u = sn_spring_tunnel(search->world, gap);
            if (u > TOGETHER && u < fmin(1.0, search->u)) {
                offer(search, HAPPENS_SHAPE, i, u);
                search->gap = *gap;
            }
        }
    }
    for (int i = 0; i < touch->places[0].count; ++i) {
        const sn_spring_frame *from = &touch->places[0].data[i], *to = &touch->places[1].data[i];
        double way = sn_distance(from->frame.position, to->frame.position),
               most = 0.5 *
                      sn_touch_collider(search->world, &search->world->touch.shapes.data[i])->size;
        if ((from->near || to->near) && way > most) {
            offer(search, HAPPENS_NOTHING, i, most / way);
        }
    }
}

// ---- its time ----

// Of what was chosen, at the state in the agents: passes 0 when it happens.
static bool value_now(event_search *search, double *value)
{
    sn_world *world = search->world;
    sn_spring_touch *touch = touch_of(search);
    sn_spring_read(world, touch->now.data);
    sn_spring_place(touch, touch->now.data);
    if (search->what == HAPPENS_MEETING) {
        const sn_meeting *meeting = &touch->met.data[search->index];
        sn_clearance_state state;
        double values[SN_CLEARANCES], rates[SN_CLEARANCES];
        sn_meetings_read(touch->meetings, meeting->kind, meeting->a, meeting->b, touch->now.data,
                         touch->now.data + sn_spring_row(touch), SN_SPRING_STRIDE, &state);
        sn_clearances(meeting->kind, &state, values, rates);
        *value = values[0];
    } else if (search->what == HAPPENS_PARTING) {
        *value = sn_spring_depth(world, &touch->springs.data[search->index]);
    } else {
        // the list of the first end is no longer needed
        if (!sn_world_find_gaps(world, search->margin, &touch->gaps[0], &touch->places[0])) {
            return false;
        }
        *value = gap_in(&touch->gaps[0], &search->gap, search->margin);
    }
    return true;
}

static bool value_at(event_search *search, double t, double *value)
{
    return search->look(search->context, t) && value_now(search, value);
}

// Between two times with values of different signs, by the rule of Illinois; the later end.
static bool narrow(event_search *search, double low, double g_low, double high, double g_high,
                   double *t)
{
    double least = TIME_SHARE * (search->t_b - search->t_a) + 4e-16 * fabs(search->t_b);
    for (int turn = 0; turn < 60 && high - low > least; ++turn) {
        double share = turn % 4 == 3 ? 0.5 : g_low / (g_low - g_high);
        double middle = low + share * (high - low), g;
        middle = fmin(fmax(middle, low + 0.3 * least), high - 0.3 * least);
        if (!value_at(search, middle, &g)) {
            return false;
        }
        if ((g > 0.0) == (g_low > 0.0)) {
            low = middle;
            g_low = g;
            g_high *= 0.5;
        } else {
            high = middle;
            g_high = g;
            g_low *= 0.5;
        }
    }
    *t = high;
    return true;
}

// The cubics and lines are near the truth, so the bracket is first tried small.
static bool find_time(event_search *search, double *t)
{
    double h = search->t_b - search->t_a, guess = search->t_a + search->u * h;
    *t = guess;
    if (search->what == HAPPENS_NOTHING) {
        return true;
    }
    for (double reach = 1e-3; reach < 2.0; reach *= 32.0) {
        double low = fmax(search->t_a, guess - reach * h),
               high = fmin(search->t_b, guess + reach * h), g_low, g_high;
        if (!value_at(search, low, &g_low) || !value_at(search, high, &g_high)) {
            return false;
        }
        if ((g_low > 0.0) != (g_high > 0.0)) {
            return narrow(search, low, g_low, high, g_high, t);
        }
    }
    return true; // it touches and goes: where the cubic says
}

// ---- what there is from then on ----

static bool make_next(event_search *search, double t)
{
    sn_world *world = search->world;
    sn_spring_touch *touch = touch_of(search);
    double h = search->t_b - search->t_a, share = (t - search->t_a) / h;
    int count = touch->springs.count;
    if (!search->look(search->context, t)) {
        return false;
    }
    double *row = touch->now.data;
    sn_spring_read(world, row);
    sn_spring_place(touch, row);
    sn_array_clear(&touch->next);
    if (!sn_world_follow_sides(world)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const sn_touch_spring *spring = &touch->springs.data[i];
        bool acted = touch->depths.data[i] > 0.0, acts = touch->depths.data[count + i] > 0.0;
        bool stays = sn_spring_depth(world, spring) > 0.0 || (!acted && acts);
        if (stays && !sn_array_push(&touch->next, *spring)) {
            return false;
        }
    }
    for (int i = 0; i < touch->met.count; ++i) {
        const sn_meeting *meeting = &touch->met.data[i];
        sn_touch_spring spring = sn_spring_of_meeting(touch, meeting, row);
        bool now = meeting->u <= share + TOGETHER ||
                   (search->what == HAPPENS_MEETING && search->index == i) ||
                   sn_spring_depth(world, &spring) > 0.0;
        now = now && sn_spring_has_room(world, touch->next.count);
        if (now && !sn_array_push(&touch->next, spring)) {
            return false;
        }
    }
    return sn_array_reserve(&touch->springs, touch->next.count);
}

bool sn_world_watch_springs(sn_world *world, sn_spring_look *look, void *context, double t_a,
                            double t_b, double *t)
{
    *t = INFINITY;
    if (!sn_world_has_deformable(world) || !(t_b > t_a)) {
        return true;
    }
    event_search search = {
        .world = world, .look = look, .context = context, .t_a = t_a, .t_b = t_b, .u = INFINITY};
    sn_spring_touch *touch = touch_of(&search);
    bool good = sn_array_resize(&touch->depths, 2 * touch->springs.count) && read_end(&search, 0) &&
                read_end(&search, 1) && find_meetings(&search);
    if (good) {
        find_partings(&search);
        find_shape_events(&search);
        find_tunnels(&search);
    }
    double when = INFINITY;
    if (good && search.what != HAPPENS_NOT) {
        good = find_time(&search, &when);
        when = fmin(t_b, fmax(when, t_a + LEAST_WAY * (t_b - t_a)));
        good = good && make_next(&search, when);
        *t = when;
    } else if (good) {
        good = sn_world_follow_sides(world) && sn_world_check_shapes(world);
    }
    touch->starved = touch->starved || (!good && touch->fault.code == SN_OK);
    return good;
}
