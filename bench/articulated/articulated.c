// Times trees on the articulated cases and prints one line of JSON with the members that the
// programs of other engines print for the same cases, so that all can be run in turn:
//
//     articulated --case chain --n 1000 --dt 1e-3 --steps 200
//     articulated --case robot --dt 1e-3 --steps 100000 --budget 10
//
// --case chain | tree | robot | doublependulum, --n links, --dt seconds, --steps, --budget seconds
// of processor time after which a run ends early. `ns_per_step` is processor time without building
// and without the first step. `energy_drift` is the largest |E - E0| at any of some 200 samples,
// over the energy of everything hanging straight below the root; `every_drift` the same at every
// step of a second, untimed run when --variant every. `final_metric` is the height of the centre of
// mass at the end, for the double pendulum the error of the tip at the last of 1, 2, 3 s.
#include <stdio.h>
#include <time.h>

#include "agent/tree_step.h"
#include "scene.h"

static const double gravity = 9.81;

typedef struct run {
    const char *name;
    int n;
    double dt, budget, tolerance;
    long steps;
    bool every; // measure at every step
    sn_tree tree;
    sn_tree_step step;
    double *q, *v;
    sn_spatial *velocity;
    long done, turns, parts;
    double seconds, start_energy, energy, drift, gap, tip_error;
} run;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- measures, from poses and velocities alone ----

static double energy(run *r)
{
    sn_tree_place(&r->tree, r->q);
    sn_tree_velocity(&r->tree, r->v, r->velocity);
    double sum = 0;
    for (int i = 0; i < r->tree.count; ++i) {
        const sn_tree_link *link = &r->tree.links[i];
        const sn_tree_pose *pose = &r->tree.pose[i];
        sn_vec3 w = r->velocity[i].angular, arm = sn_vec3_sub(pose->centre, pose->origin);
        sn_vec3 at_centre = sn_vec3_add(r->velocity[i].linear, sn_cross(w, arm));
        sn_vec3 local = sn_mat3_apply_transpose(pose->rotation, w);
        sum += 0.5 * link->mass * sn_dot(at_centre, at_centre) +
               0.5 * sn_dot(local, sn_mat3_apply(link->inertia, local)) +
               link->mass * gravity * pose->centre.z;
    }
    return sum;
}

// Everything hanging straight below the root.
static double energy_scale(const sn_tree *tree)
{
    double *depth = calloc((size_t)tree->count, sizeof *depth), sum = 0;
    for (int i = 0; depth != NULL && i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        depth[i] = sn_length(link->frame.position) + (link->parent >= 0 ? depth[link->parent] : 0);
        sum += link->mass * gravity * (depth[i] + sn_length(link->centre));
    }
    free(depth);
    return sum;
}

// The largest distance between a joint's two anchors, each found from its own link's centre.
static double joint_gap(const sn_tree *tree)
{
    double worst = 0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *pose = &tree->pose[i];
        sn_vec3 here = sn_vec3_sub(pose->centre, sn_mat3_apply(pose->rotation, link->centre));
        sn_vec3 there = link->frame.position;
        if (link->parent >= 0) {
            const sn_tree_pose *up = &tree->pose[link->parent];
            sn_vec3 arm = sn_vec3_sub(there, tree->links[link->parent].centre);
            there = sn_vec3_add(up->centre, sn_mat3_apply(up->rotation, arm));
        }
        worst = fmax(worst, sn_distance(here, there));
    }
    return worst;
}

static sn_vec3 mass_centre(const sn_tree *tree)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    double mass = 0;
    for (int i = 0; i < tree->count; ++i) {
        sum = sn_vec3_add_scaled(sum, tree->links[i].mass, tree->pose[i].centre);
        mass += tree->links[i].mass;
    }
    return sn_vec3_scale(1 / mass, sum);
}

// Rates of the double pendulum's two angles below the horizontal and of their speeds.
static void pendulum_rates(const double y[4], double rate[4])
{
    const double inertia = 4e-5;
    double a = 2 + inertia, b = 1 + inertia, c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    double f = 2 * gravity * cos(y[0]) - s * y[3] * y[3], g = gravity * cos(y[1]) + s * y[2] * y[2];
    double d = a * b - c * c;
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (b * f - c * g) / d;
    rate[3] = (a * g - c * f) / d;
}

// Its tip at time t, by Runge-Kutta steps of 1e-5 s.
static sn_vec3 pendulum_tip(double t)
{
    const double h = 1e-5, at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double y[4] = {0};
    for (long i = 0; i < lround(t / h); ++i) {
        double k[4] = {0}, sum[4] = {0}, z[4];
        for (int s = 0; s < 4; ++s) {
            for (int j = 0; j < 4; ++j) {
                z[j] = y[j] + at[s] * h * k[j];
            }
            pendulum_rates(z, k);
            for (int j = 0; j < 4; ++j) {
                sum[j] += weight[s] * k[j];
            }
        }
        for (int j = 0; j < 4; ++j) {
            y[j] += h / 6 * sum[j];
        }
    }
    return sn_vec3_make(cos(y[0]) + cos(y[1]), 0, -sin(y[0]) - sin(y[1]));
}

// ---- the run ----

static bool advance(run *r, long steps)
{
    for (long i = 0; i < steps; ++i) {
        if (!sn_tree_step_take(&r->step, &r->tree, r->dt, sn_vec3_make(0, 0, -gravity), NULL, NULL,
                               r->q, r->v)) {
            return false;
        }
        r->turns += r->step.turns;
        r->parts += r->step.parts;
        r->done += 1;
    }
    return true;
}

static void measure(run *r, double scale)
{
    r->energy = energy(r);
    r->drift = fmax(r->drift, fabs(r->energy - r->start_energy) / scale);
    r->gap = fmax(r->gap, joint_gap(&r->tree));
    for (int t = 1; t <= 3 && r->name[0] == 'd'; ++t) {
        if (r->done == lround(t / r->dt)) {
            r->tip_error = sn_distance(r->tree.pose[1].centre, pendulum_tip(t));
        }
    }
}

static bool run_all(run *r)
{
    double scale = energy_scale(&r->tree);
    long chunk = r->steps / 200 > 1 ? r->steps / 200 : 1, timed = 0;
    if (r->name[0] == 'd') {
        chunk = lround(0.1 / r->dt) > 1 ? lround(0.1 / r->dt) : 1;
    }
    chunk = r->every ? 1 : chunk;
    r->start_energy = energy(r);
    bool sound = advance(r, 1); // not counted: it fills the caches
    while (sound && r->done < r->steps && r->seconds < r->budget) {
        long count = chunk - r->done % chunk, left = r->steps - r->done;
        count = count < left ? count : left;
        double began = processor_seconds();
        sound = advance(r, count);
        r->seconds += processor_seconds() - began;
        timed += count;
        measure(r, scale);
    }
    r->seconds = timed > 0 ? r->seconds / (double)timed : 0;
    return sound;
}

static void print_line(run *r, bool sound, double build_seconds)
{
    sn_vec3 c = mass_centre(&r->tree), tip = r->tree.pose[r->tree.count - 1].centre;
    double ns = 1e9 * r->seconds;
    printf("{\"peer\": \"sinew\", \"version\": \"0.1\", \"variant\": \"%s\", \"case\": \"%s\", "
           "\"n\": %d, \"dt\": %.9g, \"steps\": %ld, \"ns_per_step\": %.9g, "
           "\"ns_per_joint_step\": %.9g, ",
           r->every ? "every" : "default", r->name, r->tree.count, r->dt, r->done, ns,
           ns / r->tree.count);
    printf("\"energy_start\": %.9g, \"energy_end\": %.9g, \"max_joint_gap\": %.9g, "
           "\"final_metric\": %.9g, \"energy_drift\": %.9g, \"centre\": [%.9g, %.9g, %.9g], "
           "\"tip\": [%.9g, %.9g, %.9g], ",
           r->start_energy, r->energy, r->gap, r->name[0] == 'd' ? r->tip_error : c.z, r->drift,
           c.x, c.y, c.z, tip.x, tip.y, tip.z);
    printf("\"build_seconds\": %.9g, \"turns_per_step\": %.4g, \"parts\": %ld", build_seconds,
           (double)r->turns / (double)(r->done > 0 ? r->done : 1), r->parts);
    if (!sound) {
        printf(", \"failed_after_step\": %ld", r->done);
    }
    printf("}\n");
}

int main(int argc, char **argv)
{
    run r = {.name = "chain", .n = 10, .dt = 1e-3, .budget = 1e9, .steps = 1000};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *option = argv[i], *value = argv[i + 1];
        r.name = strcmp(option, "--case") == 0 ? value : r.name;
        r.n = strcmp(option, "--n") == 0 ? (int)strtol(value, NULL, 10) : r.n;
        r.dt = strcmp(option, "--dt") == 0 ? strtod(value, NULL) : r.dt;
        r.budget = strcmp(option, "--budget") == 0 ? strtod(value, NULL) : r.budget;
        r.tolerance = strcmp(option, "--tolerance") == 0 ? strtod(value, NULL) : r.tolerance;
        r.steps = strcmp(option, "--steps") == 0 ? strtol(value, NULL, 10) : r.steps;
        r.every = r.every || (strcmp(option, "--variant") == 0 && strcmp(value, "every") == 0);
    }
    double began = processor_seconds();
    if (r.n < 1 || !(r.dt > 0) || r.steps < 1 || !articulated_scene(r.name, r.n, &r.tree)) {
        fprintf(stderr, "usage: articulated --case chain|tree|robot|doublependulum [--n LINKS] "
                        "[--dt SECONDS] [--steps COUNT] [--budget SECONDS] [--tolerance T] "
                        "[--variant every]\n");
        return 2;
    }
    bool made = sn_tree_step_allocate(&r.step, &r.tree);
    r.step.tolerance = r.tolerance > 0 ? r.tolerance : r.step.tolerance;
    r.q = calloc((size_t)r.tree.q_count + (size_t)r.tree.v_count, sizeof *r.q);
    r.velocity = calloc((size_t)r.tree.count, sizeof *r.velocity);
    if (made && r.q != NULL && r.velocity != NULL) {
        r.v = r.q + r.tree.q_count;
        sn_tree_zero(&r.tree, r.q);
        double build_seconds = processor_seconds() - began;
        bool sound = run_all(&r);
        print_line(&r, sound, build_seconds);
    }
    free(r.q);
    free(r.velocity);
    sn_tree_step_free(&r.step);
    sn_tree_free(&r.tree);
    return 0;
}
