// Piles: large islands of free rigid bodies, made for speed. Where few contacts must be right to
// the last digit there is exact.h; here thousands must be good enough, and cheap.
//
//     sn_pile pile = {0};
//     sn_pile_step_def def = {.gravity = {0, 0, -9.81}, .h = 1.0 / 60, .substeps = 4};
//     sn_status status = sn_pile_step(&pile, set, agents, agent_count, contacts, chosen,
//                                     chosen_count, &def, threads, stack, error);
//     sn_pile_free(&pile);
//
// A step takes its agents all the way from the start of a step to its end, in sub-steps of h' = h /
// substeps ("small steps", Macklin et al. 2019; "soft step" with relaxing, Catto 2024):
//
//     drift   h'/2 of free flight
//     kick    gravity and forces, which are held over the whole step
//     start   impulses of the sub-step before, which it has left with the bodies
//     press   one sweep over all contacts; those that overlap push apart, softly
//     drift   h'/2
//     relax   sweeps without pushing, so that what pushed leaves no velocity behind; rebounds
//
// Bodies are put in clusters of neighbours, by halving the pile across its longest side. A sweep
// goes through the contacts within each cluster, which is one piece of work for a thread and stays
// in its cache, and then through those between clusters; in both colour by colour. Contacts of one
// colour share no moving body: they are done four at a time, those between clusters by several
// threads. The result depends on where bodies are and on the order of agents and contacts, never on
// threads or on whether the machine has AVX2.
//
// A visit to a contact solves its points in the axes of its plane, about their middle: normal
// impulses, Coulomb's disc at each point, normal impulses again; then rolling and spinning.
//
// Impulses act on both bodies at one point of the world, and free flight keeps angular momentum:
// momentum and angular momentum of a pile on its own are kept to round-off.
//
// All lengths and rates are shares of the contacts' sizes and of h'. Overlap is a spring of 1/8 of
// the sub-steps' rate with ten times critical damping: under its own weight a body sinks in by
// 0.8 g h'^2, the lowest of ten by ten times that. So much give is nothing to a heap of large
// things, but bends what is small or stands by its stiffness: a wall of n courses, b thick, of
// bricks h high is a column on springs, which buckles under its own weight (Greenhill 1881) where
// its lowest courses overlap by more than 2 h (b / n h)^2. Where its weight, or loads of the last
// step, would bring overlaps of above 1, 2 or 8 % of a size, the step is made in 2, 4 or 8 times as
// many sub-steps, and likewise where a body touches one of more than 100 (400) times its mass.
//
// One sweep undoes little of a motion in which many bodies take part, and its impulses, which the
// next one starts from, come late: what is slender swings for long, or swings up. Twice as much
// relaxing ends that. It costs two fifths more, so that callers say where it is wanted.
//
// Slip is that of the surfaces: the velocity of b's point against a's plus `surface_velocity`.
//
// Anchors pull back at a sixteenth of that spring's rate, so that piles of some ten layers rest.
//
// Limits: contacts are those of the start of the step; two bodies that touch nowhere in the list
// pass through each other. Friction of a contact that has just begun is up to 6 % low for a few
// steps, until the overlap that carries the load is there. Towers of more than about a dozen bodies
// sway for long without more relaxing; those are for exact.h.
#ifndef SN_SOLVE_PILE_H
#define SN_SOLVE_PILE_H

#include "agent/rigid/rigid.h"
#include "base/array.h"
#include "base/stack.h"
#include "base/threads.h"
#include "solve/contact.h"

// What is kept from step to step; zero at the start.
typedef struct sn_pile {
    SN_ARRAY(int) place; // of agents of the set among those of the last call
    double h;            // of the last step
} sn_pile;

typedef struct sn_pile_step_def {
    sn_vec3 gravity;
    double h;     // s, above 0
    int substeps; // 1 and up; 4 is good at 1/60 s
    bool careful; // relaxes twice and heeds the loads of few: for what is slender, if small
    double height, thickness; // m, of the highest pile, and of what it is made of; 0: not known
} sn_pile_step_def;

// Moves `agents` of the set and nothing else. Contacts are contacts[chosen[i]] (chosen NULL: the
// first chosen_count of them); their moving sides are among the agents. Several islands may come in
// one call, which is faster than one call each.
//
// In: points, gaps, impulses and `turning` of the last step, anchors. Out: impulses and `turning`
// summed over this step, `touched`, anchors as they are at the end.
//
// Fails when memory runs out, with nothing moved, or when a contact names an agent that is not
// listed.
SN_API sn_status sn_pile_step(sn_pile *pile, sn_rigid_set *set, const int *agents, int agent_count,
                              sn_contact *contacts, const int *chosen, int chosen_count,
                              const sn_pile_step_def *def, sn_threads *threads, sn_stack *stack,
                              sn_error *error);

SN_API void sn_pile_free(sn_pile *pile);

#endif
