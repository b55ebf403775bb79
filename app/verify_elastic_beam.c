// Beams that bend: refinement, large deflections by dead loads, by their own weight and by an end
// moment.
#include <math.h>
#include <stdlib.h>

#include "sinew/mechanics.h"
#include "verify_elastic.h"

// ---- Hooke's law: 4 x 1 x 1 m under its weight ----

// The tip in units of a full weight's: a millionth of it keeps within Hooke's law.
static bool linear_tip(sn_verify *verify, int cells, int nodes, double *tip)
{
    const double share = 1e-6;
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = sn_default_bar_def();
    def.nodes = nodes;
    def.cells[0] = 4 * cells;
    def.cells[1] = def.cells[2] = cells;
    def.gravity = 9.81 * share;
    sn_status status = sn_bar_make(&def, &bar, &error);
    sn_equilibrium rest = {0};
    if (status == SN_OK) {
        status = sn_world_equilibrium(bar.world, NULL, &rest, &error);
    }
    sn_equilibrium_free(&rest);
    if (status == SN_OK) {
        *tip = sn_bar_tip(&bar).z / share;
    }
    sn_bar_free(&bar);
    return status == SN_OK || sn_verify_broken(verify, &error);
}

// GetFEM, FEniCSx and CalculiX agree on the reference.
void sn_verify_elastic_refined(sn_verify *verify)
{
    enum { MESHES = 3 };
    const double reference = -0.3911001;
    const int cells[2][MESHES] = {{2, 4, 8}, {1, 2, 4}};
    // Four nodes are stiff in bending, which refinement must mend.
    const double limits[2][MESHES] = {{0.4, 0.15, 0.04}, {0.06, 0.01, 0.01}};
    for (int k = 0; k < 2; ++k) {
        int nodes = k == 0 ? 4 : 10;
        double tips[MESHES];
        char what[80];
        for (int i = 0; i < MESHES; ++i) {
            if (!linear_tip(verify, cells[k][i], nodes, &tips[i])) {
                return;
            }
            snprintf(what, sizeof what, "%d nodes, %d x %d x %d cells: tip", nodes, 4 * cells[k][i],
                     cells[k][i], cells[k][i]);
            sn_verify_relative(verify, what, reference, tips[i], limits[k][i]);
        }
        // Ten nodes come closer to the truth than the reference is: by differences.
        double order = nodes == 4 ? log2((tips[1] - reference) / (tips[2] - reference))
                                  : log2((tips[1] - tips[0]) / (tips[2] - tips[1]));
        snprintf(what, sizeof what, "%d nodes: order of convergence", nodes);
        sn_verify_near(verify, what, 2.0, order, 0.4);
    }
}

// ---- the elastica: a slender bar ----

static const double step = 1e4; // s: long against any swing

static sn_bar_def slender(double ratio, int cells)
{
    sn_bar_def def = sn_default_bar_def();
    def.size = (sn_vec3){1.0, 1.0 / ratio, 1.0 / ratio};
    def.cells[0] = cells;
    def.cells[1] = def.cells[2] = 1;
    def.law = SN_ELASTIC_COROTATIONAL;
    def.young = 1e9;
    def.poisson = 0.0;
    def.newton = 50;
    return def;
}

static double bending_stiffness(const sn_bar_def *def)
{
    return def->young * def->size.y * def->size.z * def->size.z * def->size.z / 12.0;
}

typedef struct load {
    double force;
} load;

static void push_down(sn_bar *bar, double share, void *context)
{
    const load *l = context;
    for (int i = 0; i < bar->end_count; ++i) {
        sn_body_add_vertex_force(bar->world, bar->body, bar->ends[i],
                                 (sn_vec3){0.0, 0.0, -share * l->force / bar->end_count});
    }
}

// Tip deflection and shortening under a dead force at the end, of the length (K. E. Bisshopp, D. C.
// Drucker 1945; values of the reference list by shooting).
void sn_verify_elastic_loads(sn_verify *verify)
{
    static const double cases[][3] = {
        {1.0, 0.05643, 0.30172}, {3.0, 0.25442, 0.60325}, {10.0, 0.55500, 0.81061}};
    for (int k = 0; k < 3; ++k) {
        sn_error error = {0};
        sn_bar bar;
        sn_bar_def def = slender(40.0, 20);
        load l = {.force = cases[k][0] * bending_stiffness(&def)};
        sn_status status = sn_bar_make(&def, &bar, &error);
        int increments = 2 * (int)cases[k][0];
        for (int i = 1; i <= increments && status == SN_OK; ++i) {
            status = sn_bar_settle(&bar, step, push_down, (double)i / increments, &l, 60, &error);
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
        } else {
            char what[80];
            sn_vec3 tip = sn_bar_tip(&bar);
            snprintf(what, sizeof what, "P L^2/EI = %g: shortening", cases[k][0]);
            sn_verify_relative(verify, what, cases[k][1], -tip.x, 0.01);
            snprintf(what, sizeof what, "P L^2/EI = %g: deflection", cases[k][0]);
            sn_verify_relative(verify, what, cases[k][2], -tip.z, 0.01);
        }
        sn_bar_free(&bar);
    }
}

// Bent into an arc of a full turn times `turns`, both ends held, and let go in between: the energy
// by that of Euler's beam, U L/EI. Lateral motion of long bars under a given moment is unstable, so
// the angle is given.
static sn_status arc_energy(sn_bar *bar, double angle, double *energy, sn_error *error)
{
    double radius = bar->size.x / angle;
    for (int i = 0; i < bar->count; ++i) {
        sn_vec3 p = bar->rest[i];
        double turn = p.x / radius;
        bar->now[i] =
            (sn_vec3){(radius - p.z) * sin(turn), p.y, radius - (radius - p.z) * cos(turn)};
        bar->speed[i] = SN_VEC3_ZERO;
    }
    sn_status status = sn_body_write_vertices(bar->world, bar->body, bar->now, bar->speed, error);
    if (status == SN_OK) {
        status = sn_bar_settle(bar, step, NULL, 1.0, NULL, 60, error);
    }
    *energy = sn_body_elastic_report(bar->world, bar->body).elastic_energy;
    return status;
}

// The moment that keeps an arc is the energy's slope by the angle: M L/EI = angle, and 2 pi for the
// closed circle.
void sn_verify_elastic_circle(sn_verify *verify)
{
    static const double angles[] = {0.5 * SN_PI, SN_PI, 2.0 * SN_PI};
    static const char *const names[] = {"quarter", "half", "full"};
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = slender(50.0, 40);
    def.size.y *= 4.0; // a strip, which does not leave the plane
    def.cells[1] = 2;
    double unit = bending_stiffness(&def) / def.size.x;
    sn_status status = sn_bar_make(&def, &bar, &error);
    for (int i = 0; i < bar.end_count && status == SN_OK; ++i) {
        status = sn_body_fix_vertex(bar.world, bar.body, bar.ends[i], true, &error);
    }
    for (int k = 0; k < 3 && status == SN_OK; ++k) {
        double less = NAN, more = NAN, change = 0.01 * angles[k];
        status = arc_energy(&bar, angles[k] - change, &less, &error);
        status = status == SN_OK ? arc_energy(&bar, angles[k] + change, &more, &error) : status;
        if (status == SN_OK) {
            char what[80];
            snprintf(what, sizeof what, "M L/EI of a %s circle", names[k]);
            sn_verify_relative(verify, what, angles[k], (more - less) / (2.0 * change * unit),
                               0.01);
        }
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    }
    sn_bar_free(&bar);
}

// A couple on the end, M = share 2 pi EI/L, in twelfths of a full turn: how far the end's middle is
// from where Euler's arc has it, by the length. Vertices stay in their planes y.
static sn_status bend_round(sn_bar *bar, double moment, double *off, sn_error *error)
{
    enum { PARTS = 12 };
    sn_load_def def = sn_default_load_def();
    def.body = bar->body;
    def.vertices = bar->ends;
    def.vertex_count = bar->end_count;
    sn_field couple;
    sn_status status = sn_world_add_load(bar->world, &def, &couple, error);
    for (int i = 1; i <= PARTS && status == SN_OK; ++i) {
        sn_equilibrium rest = {0};
        sn_equilibrium_def how = sn_default_equilibrium_def();
        how.accept_unstable = true;
        sn_vec3 moment_now = {0.0, -moment * i / PARTS, 0.0};
        status = sn_world_set_load(bar->world, couple, SN_VEC3_ZERO, moment_now, error);
        if (status == SN_OK) {
            status = sn_world_equilibrium(bar->world, &how, &rest, error);
        }
        sn_equilibrium_free(&rest);
        double turn = 2.0 * SN_PI * i / PARTS, radius = bar->size.x / turn;
        sn_vec3 arc = {radius * sin(turn), 0.0, radius * (1.0 - cos(turn))};
        sn_bar_read(bar);
        off[i - 1] = sn_distance(bar->now[bar->middle], arc) / bar->size.x;
    }
    return status;
}

// M L/EI = 2 pi closes the circle.
void sn_verify_elastic_couple(sn_verify *verify)
{
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = slender(50.0, 60);
    double off[12], moment = 2.0 * SN_PI * bending_stiffness(&def) / def.size.x;
    sn_status status = sn_bar_make(&def, &bar, &error);
    int *all = malloc((size_t)(bar.count > 0 ? bar.count : 1) * sizeof *all);
    sn_bond_def plane = sn_default_bond_def();
    sn_bond bond;
    plane.type = SN_BOND_COORDINATES;
    plane.body = bar.body;
    plane.coordinates = 2;
    plane.vertices = all;
    for (int i = 0; i < bar.count && all != NULL; ++i) {
        all[plane.vertex_count++] = i;
    }
    if (status == SN_OK && all != NULL) {
        status = sn_world_add_bond(bar.world, &plane, &bond, &error);
    }
    if (status == SN_OK) {
        status = bend_round(&bar, moment, off, &error);
    }
    if (status != SN_OK || all == NULL) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_near(verify, "quarter of the moment: end off the arc, by L", 0.0, off[2], 0.01);
        sn_verify_near(verify, "half of it", 0.0, off[5], 0.01);
        sn_verify_near(verify, "M L/EI = 2 pi: end off the start", 0.0, off[11], 0.01);
    }
    free(all);
    sn_bar_free(&bar);
}

// ---- rubber: 0.2 x 0.02 x 0.02 m ----

static sn_bar_def rubber(double length)
{
    sn_bar_def def = sn_default_bar_def();
    def.size = (sn_vec3){length, 0.02, 0.02};
    def.young = 2e6;
    def.poisson = 0.45;
    def.density = 1100.0;
    def.newton = 50;
    return def;
}

static void hang(sn_verify *verify, const sn_bar_def *def, const char *name,
                 double deflection_limit, double shortening_limit)
{
    sn_error error = {0};
    sn_bar bar;
    char what[80];
    sn_status status = sn_bar_make(def, &bar, &error);
    if (status == SN_OK) {
        status = sn_bar_settle(&bar, step, NULL, 1.0, NULL, 60, &error);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_vec3 tip = sn_vec3_scale(1.0 / def->size.x, sn_bar_tip(&bar));
        snprintf(what, sizeof what, "%s: deflection by length", name);
        sn_verify_relative(verify, what, 0.15859, -tip.z, deflection_limit);
        snprintf(what, sizeof what, "%s: shortening by length", name);
        sn_verify_relative(verify, what, 0.01449, -tip.x, shortening_limit);
    }
    sn_bar_free(&bar);
}

// The references are those of a line that bends without shear. A bar of ten to one is not quite
// one: its clamp keeps the section from changing, which stiffens it over a length like its
// thickness, and shear softens it. Eight times as long, and stiffer so that rho g A L^3/EI is the
// same, both no longer count.
void sn_verify_elastic_rubber(sn_verify *verify)
{
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = rubber(1.6);
    def.young *= 512.0;
    def.cells[0] = 40;
    def.grading = 0.05;
    def.gravity = 9.81;
    hang(verify, &def, "80 to 1", 0.01, 0.01);
    def = rubber(0.2);
    def.cells[0] = 20;
    def.cells[1] = def.cells[2] = 4;
    def.grading = 0.15;
    def.gravity = 9.81;
    hang(verify, &def, "10 to 1", 0.01, 0.03);
    def.cells[1] = def.cells[2] = 2;
    def.newton = 1;
    def.gravity = 0.0;
    def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
    double frequency = NAN;
    sn_status status = sn_bar_make(&def, &bar, &error);
    if (status == SN_OK) {
        status = sn_bar_frequency(&bar, 0, 3.444, &frequency, &error);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_relative(verify, "10 to 1: f1 in Hz", 3.444, frequency, 0.01);
    }
    sn_bar_free(&bar);
}
