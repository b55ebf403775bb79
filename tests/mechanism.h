// Small mechanisms for the tests of ties: planar ones in the x-z plane, hinges along y.
#ifndef SN_TESTS_MECHANISM_H
#define SN_TESTS_MECHANISM_H

#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "agent/tree/tie_work.h"
#include "math/rotation.h"

enum { MECHANISM_LINKS = 700 };

static const sn_vec3 down = {0.0, 0.0, -9.81};

typedef struct mechanism {
    sn_tree_link links[MECHANISM_LINKS];
    sn_articulation_part parts[MECHANISM_LINKS];
    sn_freedom_def freedoms[3 * MECHANISM_LINKS];
    sn_tie ties[MECHANISM_LINKS];
    sn_tie_term terms[16];
    double q[4 * MECHANISM_LINKS], v[3 * MECHANISM_LINKS];
    int link_count, tie_count, term_count;
} mechanism;

static inline void start_mechanism(mechanism *m)
{
    memset(m, 0, sizeof *m);
    for (int j = 0; j < 3 * MECHANISM_LINKS; ++j) {
        m->freedoms[j] = sn_default_freedom_def();
    }
}

// A joint's frame whose z is along `axis`.
static inline sn_mat3 axes_along(sn_vec3 axis)
{
    return sn_quat_to_mat3(sn_quat_between(sn_vec3_make(0, 0, 1), axis));
}

// A rod along the link's x from its origin to `length`, slender, with a little inertia about
// itself.
static inline int add_link(mechanism *m, int parent, sn_tree_joint joint, sn_frame frame,
                           double mass, sn_vec3 centre, sn_vec3 moments)
{
    int i = m->link_count++;
    m->links[i] = (sn_tree_link){.parent = parent,
                                 .joint = joint,
                                 .frame = frame,
                                 .mass = mass,
                                 .centre = centre,
                                 .inertia = sn_mat3_diagonal(moments)};
    m->parts[i] = (sn_articulation_part){i, SN_TRANSFORM_IDENTITY, centre, 1.0};
    return i;
}

// Hinges of planar mechanisms have z along -y (x to x, y to z), so that a growing angle turns x
// towards z.
static inline sn_mat3 planar_axes(void)
{
    return (sn_mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
}

// On the world at a place, or on another rod at a distance along it.
static inline int add_rod(mechanism *m, int parent, sn_vec3 at, double length, double mass)
{
    sn_frame frame = {parent < 0 ? planar_axes() : SN_MAT3_IDENTITY, at};
    double i = mass * length * length / 12.0;
    return add_link(m, parent, SN_TREE_HINGE, frame, mass, sn_vec3_make(0.5 * length, 0, 0),
                    sn_vec3_make(0.01 * i, i, i));
}

static inline sn_tie *add_tie(mechanism *m, sn_tie_type type, int a, sn_vec3 on_a, int b,
                              sn_vec3 on_b)
{
    sn_tie *tie = &m->ties[m->tie_count++];
    *tie = (sn_tie){.type = type,
                    .a = a,
                    .b = b,
                    .on_a = {SN_MAT3_IDENTITY, on_a},
                    .on_b = {SN_MAT3_IDENTITY, on_b}};
    return tie;
}

static inline int add_mechanism(sn_articulation_set *set, mechanism *m, sn_integrator integrator)
{
    sn_tree tree;
    if (!sn_tree_allocate(&tree, m->link_count)) {
        return -1;
    }
    memcpy(tree.links, m->links, (size_t)m->link_count * sizeof *m->links);
    sn_tree_finish(&tree);
    bool given = false;
    for (int i = 0; i < tree.q_count; ++i) {
        given = given || m->q[i] != 0.0;
    }
    if (!given) {
        sn_tree_zero(&tree, m->q);
    }
    sn_articulation_def def = {.tree = &tree,
                               .parts = m->parts,
                               .part_count = m->link_count,
                               .freedoms = m->freedoms,
                               .ties = m->ties,
                               .tie_count = m->tie_count,
                               .terms = m->terms,
                               .term_count = m->term_count,
                               .q = m->q,
                               .v = m->v,
                               .integrator = integrator,
                               .relative_tolerance = 1e-8,
                               .absolute_tolerance = 1e-8};
    int agent = sn_articulation_add(set, &def);
    sn_tree_free(&tree);
    return agent;
}

// One step of all agents, with the time kept.
static inline bool step_set(sn_articulation_set *set, double h, sn_vec3 gravity)
{
    sn_agent_set *agents = &set->agents;
    bool good = true;
    agents->type->begin(agents, 0, agents->count, h);
    agents->type->free_step(agents, 0, agents->count, gravity, h);
    agents->type->advance(agents, 0, agents->count, h);
    for (int i = 0; i < agents->count; ++i) {
        good = good && !agents->agents[i].failed;
        agents->agents[i].time += h;
    }
    return good;
}

static inline double energy_of(const sn_articulation_set *set, sn_vec3 gravity)
{
    sn_measure measure;
    set->agents.type->measure(&set->agents, 0, gravity, &measure);
    return measure.kinetic + measure.potential;
}

// The largest error of any tie or motion now.
static inline double gap_of(sn_articulation_set *set, int agent)
{
    static double j[600 * 700], error[600];
    double most = 0.0;
    int rows = sn_articulation_rows(set, agent);
    sn_articulation_jacobian(set, agent, set->agents.agents[agent].time, j, error);
    for (int r = 0; r < rows; ++r) {
        most = fmax(most, fabs(error[r]));
    }
    return most;
}

// A row of `count` four-bars: count + 1 cranks hinged to the ground a metre apart, their tips
// joined by couplers. Each crank but the first is two halves, one on the ground and one on the
// coupler before it, welded together. All cranks at one angle from x.
static inline void make_four_bars(mechanism *m, int count, double angle, double rate)
{
    int crank = -1;
    start_mechanism(m);
    for (int i = 0; i <= count; ++i) {
        int half = -1;
        if (i > 0) {
            int coupler = add_rod(m, crank, sn_vec3_make(1, 0, 0), 1.0, 1.0);
            m->q[coupler] = -angle;
            m->v[coupler] = -rate;
            half = add_rod(m, coupler, sn_vec3_make(1, 0, 0), 1.0, 0.5);
            m->links[half].centre = sn_vec3_make(-0.5, 0, 0);
            m->q[half] = angle;
            m->v[half] = rate;
        }
        crank = add_rod(m, -1, sn_vec3_make(i, 0, 0), 1.0, i > 0 ? 0.5 : 1.0);
        m->q[crank] = angle;
        m->v[crank] = rate;
        if (i > 0) {
            add_tie(m, SN_TIE_WELD, crank, sn_vec3_make(1, 0, 0), half, SN_VEC3_ZERO);
        }
    }
}

#endif
