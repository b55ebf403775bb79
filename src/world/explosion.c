// Elastic bodies that explode. Explicit steps that are too long and bonds that cannot be met make
// energy grow from step to step, to numbers that have long been without meaning when they cease to
// be numbers.
//
// What tells is the state alone, never where its energy came from: drives, fields and hands may do
// any amount of work. The energy that a body stores is held against its own material's, Y =
// integral of (bulk + 4/3 shear + fibre) dV, about twice that of strain 1 in all of it:
//
//     DOUBTFUL Y    told in the step report. Stretched as a whole to some forty times its length:
//                   rubber breaks below ten
//     LOST Y        the step fails. Stretched to a thousand times its length, or squeezed to where
//                   a law that is infinite at zero volume is without meaning
//
// and the step fails where an element is TORN times as long as the whole body, however soft it is.
// Energy of motion does not count: a bullet of jelly may be as fast as it likes.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "model/world.h"
#include "world/explosion.h"

static const double DOUBTFUL = 1e3, LOST = 1e6; // of Y
static const double TORN = 1000.0;              // of the body's size at rest
// What is nowhere as wide as this many times its size stores no such energy, unless something is
// inside out or squeezed flat.
static const double WIDE = 4.0;

// Is some vertex so far from the first?
static bool is_wide(const sn_elastic_item *item, const double *q, double distance)
{
    sn_vec3 first = sn_vec3_at(q);
    bool wide = false;
    for (int i = 1; i < item->mass.vertex_count && !wide; ++i) {
        wide = !(sn_distance(sn_vec3_at(q + SN_SOLID_STRIDE * i), first) <= distance);
    }
    return wide;
}

// The longest edge from the first corner of an element.
static double longest_edge(const sn_elastic_item *item, const double *q)
{
    int nodes = sn_tetrahedra_nodes(item->mesh);
    double longest = 0.0;
    for (int e = 0; e < sn_tetrahedra_element_count(item->mesh); ++e) {
        const int *v = sn_tetrahedra_elements(item->mesh) + (size_t)nodes * (size_t)e;
        for (int k = 1; k < nodes; ++k) {
            double edge = sn_distance(sn_vec3_at(q + SN_SOLID_STRIDE * v[k]),
                                      sn_vec3_at(q + SN_SOLID_STRIDE * v[0]));
            longest = edge <= longest ? longest : edge;
        }
    }
    return longest;
}

// Y
static double yardstick(const sn_elastic_item *item)
{
    const int *regions = sn_tetrahedra_regions(item->mesh);
    double sum = 0.0;
    for (int e = 0; e < sn_tetrahedra_element_count(item->mesh); ++e) {
        int region = item->material_count > 1 ? regions[e] : 0;
        const sn_elastic *law = &item->materials[region].elastic;
        sum += sn_solid_rest_volume(item->solid, e) *
               (law->bulk + 4.0 / 3.0 * law->shear + law->fibre_stiffness);
    }
    return sum;
}

// What the user may do about it.
static void advise(const sn_agent_set *set, int agent, double h, char *text, size_t size)
{
    const sn_agent *head = &set->agents[agent];
    const char *word = sn_integrator_word((sn_integrator)head->integrator);
    double longest = sn_elastic_longest_step(set, agent);
    if (h > longest) {
        snprintf(text, size,
                 "steps of %g s are too long for %s, which bears %.2g s at most here; take shorter "
                 "ones, or an implicit integrator",
                 h, word, longest);
    } else if (sn_elastic_item_of(set, agent)->bound) {
        snprintf(text, size,
                 "its bonds pull it to where it cannot be; see whether they contradict each other "
                 "or drag it along too fast, or take steps shorter than %g s",
                 h);
    } else {
        snprintf(text, size,
                 "what acts on it is too strong for steps of %g s of %s; take shorter ones, or "
                 "implicit_euler",
                 h, word);
    }
}

static sn_status fail(const sn_world *world, sn_agent_ref ref, double h, const char *what,
                      sn_error *error)
{
    const sn_agent_set *set = world->sets[ref.set];
    char place[200], advice[240];
    sn_world_place(world, set->agents[ref.agent].owner, place, sizeof place);
    advise(set, ref.agent, h, advice, sizeof advice);
    return sn_fail(error, SN_ERROR_DIVERGED, place, "it has exploded at %.6g s: %s; %s",
                   world->time + h, what, advice);
}

static sn_status check_body(sn_world *world, sn_agent_ref ref, double h, bool troubled,
                            sn_error *error)
{
    const sn_agent_set *set = world->sets[ref.set];
    int agent = ref.agent;
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent);
    const double size = 2.0 * item->radius;
    char what[160];
    if (!troubled && !is_wide(item, q, WIDE * size)) {
        return SN_OK;
    }
    double longest = longest_edge(item, q);
    if (!(longest <= TORN * size)) {
        snprintf(what, sizeof what,
                 "an element is %.2g m long, in a body that measures %.2g m at rest", longest,
                 size);
        return fail(world, ref, h, what, error);
    }
    sn_elastic_follow_flow(set, agent);
    double energy = sn_solid_energy(item->solid, NULL, q), most = yardstick(item);
    if (!(energy <= LOST * most)) {
        snprintf(what, sizeof what,
                 "its material holds %.2g J, and to stretch all of it to twice its length takes "
                 "about %.2g J",
                 energy, 0.5 * most);
        return fail(world, ref, h, what, error);
    }
    if (energy > DOUBTFUL * most) {
        world->report.exploding += 1;
        sn_world_note_worst(world, SN_COUNTER_EXPLODING, set->agents[agent].owner, energy);
    }
    return SN_OK;
}

sn_status sn_world_check_explosions(sn_world *world, double h, sn_error *error)
{
    sn_status status = SN_OK;
    for (sn_agent_ref at = SN_BEFORE_AGENTS;
         status == SN_OK && sn_world_next_deformable(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        const sn_elastic_item *item = sn_elastic_item_of(set, at.agent);
        bool unguarded = item->barrier && sn_integrator_is_staged(set->agents[at.agent].integrator);
        bool troubled = world->report.inverted > 0 || item->truncated || unguarded;
        status = check_body(world, at, h, troubled, error);
    }
    return status;
}
