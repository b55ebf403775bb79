// Anchors of sticking points, as one contact has them.
//
// The points of a contact between rigid parts move as one rigid figure in the contact's plane: with
// r the place of a point from the middle of those that stick and n the normal, they can be off by
//
//     a(r) = shift + turn n x r
//
// and by nothing else. What anchors say beyond that, by terms of second order in turns, by
// rounding, or since one point sticks for longer than the next, cannot be undone by any motion:
// asked for all the same it would be a row that contradicts the others, answered by friction of
// points against each other that grows until one of them slides. So points return by the figure
// that fits best, in the least squares of the anchors that there are; a point that has none yet
// goes with the others.
//
// Distances below a tiny part of the contact's size are left alone, by all of its points alike, and
// larger ones undone as a whole: a share of its own for each point would be no rigid motion either.
#include <math.h>

#include "solve/exact.h"

static bool is_elastic(const sn_exact_problem *problem, const sn_contact_side *side)
{
    return side->set >= 0 && problem->sets[side->set]->type->traits.deformable;
}

static const sn_contact_point *point_of(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    return &problem->contacts[spot->contact]->points[spot->point];
}

static bool sticks(const sn_contact_point *point)
{
    return sn_dot(point->anchor, point->anchor) > 0.0;
}

// Of `count` spots of one contact.
static void fit(const sn_exact_problem *problem, sn_exact_spot *spots, int count)
{
    sn_vec3 middle = SN_VEC3_ZERO, shift = SN_VEC3_ZERO;
    int stuck = 0;
    for (int i = 0; i < count; ++i) {
        const sn_contact_point *point = point_of(problem, &spots[i]);
        if (sticks(point)) {
            middle = sn_vec3_add(middle, spots[i].place);
            shift = sn_vec3_add(shift, point->anchor);
            ++stuck;
        }
    }
    if (stuck == 0) {
        return;
    }
    middle = sn_vec3_scale(1.0 / stuck, middle);
    shift = sn_vec3_scale(1.0 / stuck, shift);
    double moment = 0.0, square = 0.0;
    for (int i = 0; i < count && stuck > 1; ++i) {
        const sn_contact_point *point = point_of(problem, &spots[i]);
        if (sticks(point)) {
            sn_vec3 across = sn_cross(spots[i].axes[0], sn_vec3_sub(spots[i].place, middle));
            moment += sn_dot(across, point->anchor);
            square += sn_dot(across, across);
        }
    }
    double turn = square > 0.0 ? moment / square : 0.0;
    for (int i = 0; i < count; ++i) {
        sn_vec3 across = sn_cross(spots[i].axes[0], sn_vec3_sub(spots[i].place, middle));
        spots[i].anchor = sn_vec3_add_scaled(shift, turn, across);
    }
}

// Whether a contact undoes its anchors.
static void put_return(const sn_contact *contact, sn_exact_spot *spots, int count)
{
    double away = 0.0, play = SN_EXACT_PLAY * contact->size;
    for (int i = 0; i < count; ++i) {
        away = fmax(away, sn_length(spots[i].anchor));
    }
    for (int i = 0; i < count; ++i) {
        spots[i].returning = away > play;
    }
}

void sn_exact_fit_anchors(sn_exact *exact, const sn_exact_problem *problem)
{
    sn_exact_spot *spots = exact->spots.data;
    for (int i = 0, end; i < exact->spots.count; i = end) {
        const sn_contact *contact = problem->contacts[spots[i].contact];
        for (end = i; end < exact->spots.count && spots[end].contact == spots[i].contact; ++end) {
            spots[end].anchor = point_of(problem, &spots[end])->anchor;
        }
        if (end > i + 1 && !is_elastic(problem, &contact->a) && !is_elastic(problem, &contact->b)) {
            fit(problem, spots + i, end - i);
        }
        put_return(contact, spots + i, end - i);
    }
}
