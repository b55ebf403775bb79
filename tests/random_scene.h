// Random scenes in which nothing is driven: free bodies that fall, mechanisms of all kinds of
// joints with springs, dampers, friction, limits and loops, elastic bodies, bonds between them,
// from millimetres to metres, as texts. A seed gives the same scene everywhere: numbers are drawn
// in statements, since compilers evaluate arguments in an order of their own. Nothing overlaps at
// the start: bodies are stacked in storeys, and fall onto what is below.
#ifndef SN_TESTS_RANDOM_SCENE_H
#define SN_TESTS_RANDOM_SCENE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

typedef struct random_scene {
    sn_random random;
    double size;   // m: of a body, about
    double storey; // m: the height of the next free place
    double step;   // s
    int steps;
    int bodies, joints, bonds;
    char body_text[16384], joint_text[16384], bond_text[4096], text[40960];
} random_scene;

static inline void write_to(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void write_to(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

#define WRITE(list, ...) write_to((list), sizeof(list), __VA_ARGS__)

static inline double between(random_scene *scene, double lower, double upper)
{
    return sn_random_range(&scene->random, lower, upper);
}

// Of any order of magnitude in between.
static inline double decade(random_scene *scene, double lower, double upper)
{
    return pow(10.0, between(scene, lower, upper));
}

// Several, the last one first.
static inline void draw(random_scene *scene, int count, double *x, const double *lower,
                        const double *upper)
{
    for (int i = count - 1; i >= 0; --i) {
        x[i] = between(scene, lower[i], upper[i]);
    }
}

// Three between -most and most.
static inline void draw_vector(random_scene *scene, double most, double x[3])
{
    draw(scene, 3, x, (double[]){-most, -most, -most}, (double[]){most, most, most});
}

static inline int choose(random_scene *scene, int count)
{
    return sn_random_below(&scene->random, count);
}

static inline bool now_and_then(random_scene *scene, double share)
{
    return sn_random_unit(&scene->random) < share;
}

// ---- bodies ----

static inline void write_turn(random_scene *scene)
{
    if (now_and_then(scene, 0.5)) {
        double x = between(scene, -1.0, 1.0), y = between(scene, -1.0, 1.0);
        double angle = between(scene, -3.0, 3.0);
        WRITE(scene->body_text, ", \"rotation\": {\"axis\": [%g, %g, 0.5], \"angle\": %g}", x, y,
              angle);
    }
}

static inline void write_surface(random_scene *scene)
{
    const double friction[] = {0.0, 0.1, 0.3, 0.6, 1.0}, restitution[] = {0.0, 0.0, 0.5, 0.9, 1.0};
    WRITE(scene->body_text, ", \"friction\": %g", friction[choose(scene, 5)]);
    WRITE(scene->body_text, ", \"restitution\": %g", restitution[choose(scene, 5)]);
}

// A shape within a ball of the radius.
static inline void write_shape(random_scene *scene, double radius)
{
    double r = 0.5 * radius, x[5];
    WRITE(scene->body_text, ", \"shape\": {");
    switch (choose(scene, 6)) {
    case 0:
        WRITE(scene->body_text, "\"type\": \"sphere\", \"radius\": %g", r);
        break;
    case 1:
        draw(scene, 2, x, (double[]){0.3, 0.3}, (double[]){1.0, 2.5});
        WRITE(scene->body_text, "\"type\": \"cylinder\", \"radius\": %g, \"height\": %g", r * x[0],
              r * x[1]);
        break;
    case 2:
        WRITE(scene->body_text, "\"type\": \"capsule\", \"radius\": %g, \"height\": %g", 0.4 * r,
              r * between(scene, 0.5, 2.0));
        break;
    case 3:
        draw(scene, 5, x, (double[]){0.5, 0.5, 0.5, 0.5, 0.02},
             (double[]){1.5, 1.5, 1.5, 1.5, 0.3});
        WRITE(scene->body_text,
              "\"type\": \"sheet\", \"outline\": [[%g, 0], [0, %g], [%g, 0], [0, %g]], "
              "\"thickness\": %g",
              r * x[0], r * x[1], -r * x[2], -r * x[3], r * x[4]);
        break;
    default:
        draw(scene, 3, x, (double[]){0.4, 0.4, 0.2}, (double[]){1.1, 1.1, 1.1});
        WRITE(scene->body_text, "\"type\": \"box\", \"size\": [%g, %g, %g]", r * x[0], r * x[1],
              r * x[2]);
        break;
    }
    write_surface(scene);
    WRITE(scene->body_text, "}, \"material\": \"m%d\"", choose(scene, 3));
}

// The next place above all that is there, somewhere about the middle.
static inline void next_place(random_scene *scene, double radius, double aside, double place[3])
{
    place[0] = between(scene, -aside, aside);
    place[1] = between(scene, -aside, aside);
    place[2] = scene->storey + radius;
    scene->storey += 2.1 * radius;
}

static inline void add_free_body(random_scene *scene)
{
    double radius = scene->size * between(scene, 0.5, 2.0), at[3], speed = sqrt(scene->size);
    next_place(scene, radius, scene->size, at);
    WRITE(scene->body_text, ",\n{\"name\": \"b%d\", \"position\": [%g, %g, %g]", scene->bodies++,
          at[0], at[1], at[2]);
    write_turn(scene);
    write_shape(scene, radius);
    double v[3], w[3];
    draw_vector(scene, speed, v);
    WRITE(scene->body_text, ", \"velocity\": [%g, %g, %g]", v[0], v[1], v[2]);
    if (now_and_then(scene, 0.3)) {
        draw_vector(scene, 10.0 * speed / scene->size, w);
        WRITE(scene->body_text, ", \"angular_velocity\": [%g, %g, %g]", w[0], w[1], w[2]);
    }
    WRITE(scene->body_text, "}");
}

// ---- mechanisms ----

// How heavy and strong things of this size are: kg, N m.
static inline double mass_scale(const random_scene *scene)
{
    return 100.0 * scene->size * scene->size * scene->size;
}

static inline double moment_scale(const random_scene *scene)
{
    return 10.0 * mass_scale(scene) * scene->size;
}

// Springs, dampers, friction and limits of a joint, by what turns and what slides alike: a joint
// that slides has forces of the moment over the size.
static inline void write_freedoms(random_scene *scene, bool slides, bool ball, bool limited)
{
    double moment = moment_scale(scene), unit = slides ? scene->size : 1.0;
    double stiffness = moment / (unit * unit), rate = sqrt(10.0 / scene->size);
    if (now_and_then(scene, 0.3)) {
        WRITE(scene->joint_text, ", \"stiffness\": %g", stiffness * decade(scene, -1.0, 2.0));
    }
    if (now_and_then(scene, 0.3)) {
        WRITE(scene->joint_text, ", \"damping\": %g", stiffness / rate * decade(scene, -3.0, 0.0));
    }
    if (now_and_then(scene, 0.3)) {
        WRITE(scene->joint_text, ", \"friction\": %g", moment / unit * decade(scene, -3.0, 1.0));
    }
    if (limited && now_and_then(scene, 0.4)) {
        WRITE(scene->joint_text, ", \"limit\": {\"upper\": %g", unit * between(scene, 0.05, 1.0));
        if (!ball) {
            WRITE(scene->joint_text, ", \"lower\": %g", -unit * between(scene, 0.05, 1.0));
        }
        if (now_and_then(scene, 0.5)) {
            WRITE(scene->joint_text, ", \"stiffness\": %g", stiffness * decade(scene, 0.0, 3.0));
        } else {
            WRITE(scene->joint_text, ", \"restitution\": %g", between(scene, 0.0, 1.0));
        }
        WRITE(scene->joint_text, "}");
    }
}

static inline void write_guide(random_scene *scene, bool curve)
{
    double s = scene->size;
    if (curve) {
        bool closed = now_and_then(scene, 0.5);
        double x[5];
        draw(scene, 5, x, (double[]){0.0, -s, -s, -s, -s}, (double[]){s, s, s, s, s});
        WRITE(scene->joint_text,
              ", \"curve\": {\"points\": [[%g, %g, 0], [0, 0, 0], [%g, %g, %g], [%g, %g, %g]], "
              "\"closed\": %s}",
              -s, x[0], s, x[1], x[2], 2.0 * s, x[3], x[4], closed ? "true" : "false");
    } else if (now_and_then(scene, 0.5)) {
        WRITE(scene->joint_text, ", \"surface\": {\"type\": \"plane\"}");
    } else {
        WRITE(scene->joint_text, ", \"surface\": {\"type\": \"sphere\", \"radius\": %g}", s);
    }
}

// `at`: halfway between both; of guides and rods where their parent has them.
static inline void add_joint(random_scene *scene, int child, int parent, const double at[3],
                             const double child_at[3], bool root)
{
    static const char *const types[] = {"hinge", "hinge",   "ball",        "slider", "universal",
                                        "screw", "planar",  "cylindrical", "fixed",  "free",
                                        "curve", "surface", "distance"};
    enum { TYPES = sizeof types / sizeof *types };
    int type = choose(scene, TYPES);
    const char *word = types[type];
    while (strcmp(word, "free") == 0 && root) {
        word = types[choose(scene, TYPES)];
    }
    bool surface = strcmp(word, "surface") == 0, curve = strcmp(word, "curve") == 0;
    bool rod = strcmp(word, "distance") == 0, bare = surface || curve || rod;
    double place[3] = {at[0], at[1], at[2]};
    if (curve || surface) { // through the child's origin
        memcpy(place, child_at, sizeof place);
    }
    WRITE(scene->joint_text, "%s\n{\"name\": \"j%d\", \"type\": \"%s\", \"child\": \"b%d\"",
          scene->joints > 0 ? "," : "", scene->joints, word, child);
    scene->joints += 1;
    if (parent >= 0) {
        WRITE(scene->joint_text, ", \"parent\": \"b%d\"", parent);
    }
    if (curve || surface) {
        size_t before = strlen(scene->joint_text);
        write_guide(scene, curve);
        if (strstr(scene->joint_text + before, "sphere") != NULL) {
            place[0] += scene->size;
        }
    }
    WRITE(scene->joint_text, ", \"at\": [%.17g, %.17g, %.17g]", place[0], place[1], place[2]);
    if (!rod && !curve && !surface) {
        double axis[3];
        draw(scene, 3, axis, (double[]){-1.0, -1.0, 0.1}, (double[]){1.0, 1.0, 1.0});
        WRITE(scene->joint_text, ", \"axis\": [%g, %g, %g]", axis[0], axis[1], axis[2]);
    }
    if (strcmp(word, "screw") == 0) {
        WRITE(scene->joint_text, ", \"pitch\": %g", scene->size * between(scene, 0.01, 0.3));
    }
    if (!bare && strcmp(word, "fixed") != 0) {
        bool mixed = strcmp(word, "planar") == 0 || strcmp(word, "cylindrical") == 0 ||
                     strcmp(word, "free") == 0;
        write_freedoms(scene, strcmp(word, "slider") == 0 || mixed, strcmp(word, "ball") == 0,
                       !mixed);
    }
    WRITE(scene->joint_text, "}");
}

// A tree of links, each beside an earlier one or on the ground; and now and then a loop.
static inline void add_mechanism(random_scene *scene)
{
    enum { MOST = 5 };
    int count = 1 + choose(scene, MOST), first = scene->bodies;
    double at[MOST][3], s = scene->size, top = 0.0;
    next_place(scene, 2.0 * s, 0.5 * s, at[0]);
    for (int i = 0; i < count; ++i) {
        int parent = i > 0 && now_and_then(scene, 0.9) ? choose(scene, i) : -1;
        double joint[3];
        for (int k = 0; k < 3 && i > 0; ++k) {
            at[i][k] = at[parent < 0 ? 0 : parent][k] + between(scene, -s, s);
        }
        at[i][2] = fmax(at[i][2], at[0][2] - 1.4 * s);
        top = fmax(top, at[i][2]);
        WRITE(scene->body_text, ",\n{\"name\": \"b%d\", \"position\": [%.17g, %.17g, %.17g]",
              scene->bodies++, at[i][0], at[i][1], at[i][2]);
        write_turn(scene);
        write_shape(scene, 0.8 * s);
        if (now_and_then(scene, 0.1)) {
            WRITE(scene->body_text, ", \"mass\": %g", mass_scale(scene) * decade(scene, -2.0, 3.0));
        }
        WRITE(scene->body_text, "}");
        for (int k = 0; k < 3; ++k) {
            joint[k] =
                parent < 0 ? at[i][k] + (k == 2 ? 0.5 * s : 0.0) : 0.5 * (at[i][k] + at[parent][k]);
        }
        add_joint(scene, first + i, parent < 0 ? -1 : first + parent, joint, at[i], parent < 0);
    }
    scene->storey = fmax(scene->storey, top + s);
    if (count > 2 && now_and_then(scene, 0.3)) { // its ends meet: in a point, or by a rod
        int a = count - 1, b = choose(scene, count - 1);
        WRITE(scene->joint_text,
              ",\n{\"name\": \"j%d\", \"type\": \"%s\", \"child\": \"b%d\", \"parent\": \"b%d\", "
              "\"at\": [%.17g, %.17g, %.17g]}",
              scene->joints, now_and_then(scene, 0.5) ? "ball" : "distance", first + a, first + b,
              at[b][0], at[b][1], at[b][2]);
        scene->joints += 1;
    }
}

// ---- elastic bodies ----

static inline void write_mesh(random_scene *scene, double edge, bool box)
{
    if (box) {
        int cells[3];
        for (int i = 2; i >= 0; --i) {
            cells[i] = 1 + choose(scene, i == 1 ? 2 : 3);
        }
        WRITE(scene->body_text,
              ", \"mesh\": {\"type\": \"box\", \"size\": [%.17g, %.17g, %.17g], \"cells\": [%d, "
              "%d, %d]}",
              edge, edge, edge, cells[0], cells[1], cells[2]);
    } else {
        WRITE(scene->body_text, ", \"mesh\": {\"type\": \"sphere\", \"radius\": %g, \"rings\": 2}",
              0.5 * edge);
    }
}

static inline void add_elastic(random_scene *scene)
{
    double edge = scene->size * between(scene, 0.5, 1.5), at[3];
    bool bonded = now_and_then(scene, 0.5);
    next_place(scene, edge, scene->size, at);
    int own = scene->bodies++;
    WRITE(scene->body_text,
          ",\n{\"name\": \"b%d\", \"type\": \"elastic\", \"position\": [%.17g, %.17g, %.17g], "
          "\"material\": \"e%d\"",
          own, at[0], at[1], at[2], choose(scene, 3));
    write_mesh(scene, edge, bonded || now_and_then(scene, 0.5));
    if (now_and_then(scene, 0.3)) {
        WRITE(scene->body_text, ", \"damping\": {\"stiffness\": %g}", decade(scene, -5.0, -2.0));
    }
    WRITE(scene->body_text, "}");
    if (!bonded) {
        return;
    }
    // Its upper face is held by a body above, which may be free, hang or be welded to the world.
    double above[3] = {at[0], at[1], at[2] + 0.75 * edge};
    int holder = scene->bodies++;
    scene->storey = fmax(scene->storey, above[2] + 0.5 * edge);
    WRITE(scene->body_text,
          ",\n{\"name\": \"b%d\", \"position\": [%.17g, %.17g, %.17g], \"material\": \"m%d\", "
          "\"shape\": {\"type\": \"box\", \"size\": [%g, %g, %g]}}",
          holder, above[0], above[1], above[2], choose(scene, 3), edge, edge, 0.48 * edge);
    if (now_and_then(scene, 0.7)) {
        add_joint(scene, holder, -1, above, above, true);
    }
    WRITE(scene->bond_text,
          "%s\n{\"type\": \"attached\", \"body\": \"b%d\", \"to\": \"b%d\", \"vertices\": "
          "{\"plane\": [0, 0, 1], \"position\": [0, 0, %.17g]}}",
          scene->bonds > 0 ? "," : "", own, holder, 0.5 * edge * (1.0 - 1e-9));
    scene->bonds += 1;
}

// ---- scenes ----

static inline void write_materials(random_scene *scene)
{
    WRITE(scene->text, "{\"sinew\": 1, \"materials\": {");
    for (int i = 0; i < 3; ++i) {
        WRITE(scene->text, "\"m%d\": {\"density\": %g}, ", i, decade(scene, 1.5, 4.0));
    }
    for (int i = 0; i < 3; ++i) {
        const char *law = now_and_then(scene, 0.5) ? "corotational" : "neo_hookean";
        double x[4];
        draw(scene, 4, x, (double[]){2.5, 4.0, 0.0, 0.0}, (double[]){3.3, 7.0, 0.45, 1.0});
        WRITE(scene->text,
              "\"e%d\": {\"density\": %g, \"young\": %g, \"poisson\": %g, \"friction\": %g, "
              "\"law\": \"%s\"}%s",
              i, pow(10.0, x[0]), pow(10.0, x[1]), x[2], x[3], law, i < 2 ? ", " : "");
    }
    WRITE(scene->text, "},\n");
}

// What seed says, into scene->text.
static inline void make_random_scene(random_scene *scene, uint64_t seed)
{
    const double steps[] = {1e-3, 1.0 / 480.0, 1.0 / 240.0, 1.0 / 120.0};
    memset(scene, 0, sizeof *scene);
    scene->random.seed = seed;
    scene->size = decade(scene, -2.5, 0.0);
    scene->step = steps[choose(scene, 4)];
    scene->storey = scene->size * between(scene, 0.05, 1.0);
    WRITE(scene->body_text, "{\"name\": \"ground\", \"type\": \"static\", \"shape\": "
                            "{\"type\": \"plane\"");
    write_surface(scene);
    WRITE(scene->body_text, "}}");
    int mechanisms = choose(scene, 3), elastic = choose(scene, 4) / 2, free = choose(scene, 5);
    for (int i = 0; i < mechanisms; ++i) {
        add_mechanism(scene);
    }
    for (int i = 0; i < elastic; ++i) {
        add_elastic(scene);
    }
    for (int i = 0; i < free || scene->bodies == 0; ++i) {
        add_free_body(scene);
    }
    write_materials(scene);
    WRITE(scene->text, "\"bodies\": [%s],\n\"joints\": [%s],\n\"bonds\": [%s],\n", scene->body_text,
          scene->joint_text, scene->bond_text);
    WRITE(scene->text, "\"run\": {\"step\": %.17g}}\n", scene->step);
    // Until the highest has fallen twice.
    scene->steps = (int)fmin(2.0 * sqrt(0.2 * scene->storey) / scene->step, 600.0);
    scene->steps = scene->steps < 200 ? 200 : scene->steps;
}

#endif
