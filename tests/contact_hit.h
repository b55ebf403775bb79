// Impulses on parts of articulations, as a contact solver gives them, for the tests of contact.
#ifndef SN_TESTS_CONTACT_HIT_H
#define SN_TESTS_CONTACT_HIT_H

#include "mechanism.h"
#include "random_tree.h"

enum { FREEDOMS = 3 * MOST, ROWS = 4 * FREEDOMS };

static inline const sn_agent_contact *contact_of(const sn_articulation_set *set)
{
    return set->agents.type->contact;
}

// ---- steps with impulses ----

typedef struct hit {
    int part;
    sn_spatial f; // moment about the centre of mass, and force, times time
} hit;

static inline void start_step(sn_articulation_set *set, double h, sn_vec3 pull)
{
    sn_agent_set *agents = &set->agents;
    sn_agent_set_keep(agents, 0, agents->count);
    agents->type->begin(agents, 0, agents->count, h);
    agents->type->free_step(agents, 0, agents->count, pull, h);
}

static inline void end_step(sn_articulation_set *set, double h)
{
    sn_agent_set *agents = &set->agents;
    agents->type->advance(agents, 0, agents->count, h);
    for (int i = 0; i < agents->count; ++i) {
        assert_false(agents->agents[i].failed);
        agents->agents[i].time += h;
    }
}

static inline void give(sn_articulation_set *set, const hit *hits, int count, bool tell)
{
    double row[FREEDOMS], sum[FREEDOMS] = {0};
    sn_agent_set *agents = &set->agents;
    for (int i = 0; i < count; ++i) {
        contact_of(set)->project(agents, 0, hits[i].part, &hits[i].f, row);
        for (int j = 0; j < agents->v_count; ++j) {
            sum[j] += row[j];
        }
    }
    contact_of(set)->push(agents, 0, sum);
    for (int i = 0; i < count && tell; ++i) {
        contact_of(set)->bear(agents, 0, hits[i].part, &hits[i].f);
    }
}

static inline double largest(int count, const double *a, const double *b)
{
    double most = 0.0;
    for (int j = 0; j < count; ++j) {
        most = fmax(most, fabs(a[j] - (b != NULL ? b[j] : 0.0)));
    }
    return most;
}

static inline double product(int count, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < count; ++j) {
        sum += a[j] * b[j];
    }
    return sum;
}

// A random tree, each link with mass a part.
static inline void add_random(sn_articulation_set *set, sn_random *random, int bodies,
                              const sn_freedom_def *freedoms, sn_tree *tree)
{
    sn_articulation_part parts[3 * MOST];
    double q[4 * MOST], v[FREEDOMS];
    int count = 0;
    make_tree(random, bodies, 2, tree);
    random_state(random, tree, q, v);
    for (int i = 0; i < tree->count; ++i) {
        if (tree->links[i].mass > 0.0) {
            parts[count++] = (sn_articulation_part){
                i, {random_vec3(random, 0.2), SN_QUAT_IDENTITY}, tree->links[i].centre, 0.5};
        }
    }
    sn_articulation_def def = {.tree = tree,
                               .parts = parts,
                               .part_count = count,
                               .freedoms = freedoms,
                               .q = q,
                               .v = v,
                               .integrator = SN_INTEGRATOR_DEFAULT};
    sn_articulation_set_init(set);
    assert_int_equal(sn_articulation_add(set, &def), 0);
}

static inline hit random_hit(sn_random *random, const sn_articulation_set *set, double size)
{
    int part = sn_random_below(random, set->agents.part_count);
    return (hit){part, random_spatial(random, size)};
}

#endif
