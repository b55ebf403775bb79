// Bonds beside contact: that they hold whatever its method is, and that what they let go comes
// apart, stays awake and falls.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_text.h"
#include "sinew/contact.h"
#include "sinew/elastic.h"
#include "sinew/joint.h"

#define MATERIALS                                                                                  \
    "{\"sinew\": 1, \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e6, \"poisson\": "      \
    "0.3}},\n"
#define CUBE(name, size, cells, rest)                                                              \
    "{\"name\": \"" name "\", \"type\": \"elastic\", \"material\": \"m\", \"mesh\": {\"type\": "   \
    "\"box\", \"size\": [" size ", " size ", " size "], \"cells\": [" cells ", " cells ", " cells  \
    "]}, \"damping\": {\"stiffness\": 0.002}" rest "}"
#define TOP(height) "{\"plane\": [0, 0, 1], \"position\": [0, 0, " height "]}"

#define CARRIED CUBE("carried", "0.1", "1", ", \"position\": [1, 0, 0]")
#define ARM                                                                                        \
    "{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.02]}, "             \
    "\"position\": [1.2, 0, 0.06]}"
#define HINGE                                                                                      \
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"hinge\", \"child\": \"arm\", \"at\": [1.4, "   \
    "0, "                                                                                          \
    "0.06], \"axis\": [0, 1, 0], \"limit\": {\"lower\": \"-5deg\", \"upper\": \"5deg\"}}]"

static const double G = 9.80665;

static double height_of(const sn_world *world, const char *name)
{
    return sn_body_centre(world, sn_world_find_body(world, name)).z;
}

// ---- methods ----

static sn_world *build_with(const char *text, const char *method)
{
    char whole[4000];
    snprintf(whole, sizeof whole, "%s,\n\"contact\": {\"method\": \"%s\"}}", text, method);
    return build_text(whole);
}

static const char *const methods[] = {"solver", "impulse", "penalty", "none"};
enum { METHODS = 4 };

// A cube on the ceiling, and a mechanism with a limit that carries one on its arm, which comes to
// its limit: nothing touches, so all methods are the same, to the bit.
static void every_method_holds(void **state)
{
    (void)state;
    static const char text[] = MATERIALS "\"bodies\": [" CUBE(
        "hung", "0.1", "1",
        "") ",\n" CARRIED ",\n" ARM "],\n" HINGE
            ",\n\"bonds\": [{\"type\": \"coordinates\", \"name\": \"ceiling\", \"body\": \"hung\", "
            "\"vertices\": " TOP(
                "0.05") "},\n{\"type\": \"attached\", \"name\": \"glue\", \"body\": "
                        "\"carried\", \"to\": \"arm\", \"vertices\": " TOP("0.05") "}]";
    uint64_t hashes[METHODS];
    for (int i = 0; i < METHODS; ++i) {
        sn_world *world = build_with(text, methods[i]);
        advance(world, 0.004, 100);
        hashes[i] = sn_world_hash(world);
        sn_bond_state ceiling = sn_bond_read(world, sn_world_find_bond(world, "ceiling"));
        assert_true(fabs(sn_length(ceiling.total) - G) < 1e-3 * G);
        double angle = fabs(sn_joint_position(world, sn_world_find_joint(world, "hinge"), 0));
        assert_true(fabs(angle - 5.0 * 3.14159265358979 / 180.0) < 1e-3);
        if (hashes[i] != hashes[0]) {
            fail_msg("\"%s\" is not the same as \"%s\"", methods[i], methods[0]);
        }
        sn_world_destroy(world);
    }
}

// The same beside balls that lie on a floor, or fall through it where there is no contact; and the
// bond lets go in time.
static void bonds_and_contacts_go_together(void **state)
{
    (void)state;
    static const char text[] = MATERIALS "\"bodies\": [" CUBE(
        "hung", "0.1", "1",
        "") ",\n"
            "{\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}, "
            "\"position\": [0, 0, -2]},\n{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", "
            "\"radius\": 0.1}, \"position\": [1, 0, -1.9]}],\n"
            "\"bonds\": [{\"type\": \"coordinates\", \"name\": \"ceiling\", \"body\": \"hung\", "
            "\"vertices\": " TOP("0.05") ", \"until\": 0.4}]";
    for (int i = 0; i < METHODS; ++i) {
        sn_world *world = build_with(text, methods[i]);
        sn_bond ceiling = sn_world_find_bond(world, "ceiling");
        advance(world, 0.004, 100);
        assert_true(fabs(sn_length(sn_bond_read(world, ceiling).total) - G) < 1e-3 * G);
        assert_int_equal(sn_world_report(world).contacts, i == 3 ? 0 : 1);
        double ball = height_of(world, "ball");
        assert_true(i == 3 ? fabs(ball + 1.9 + 0.5 * G * 0.16) < 0.01 : fabs(ball + 1.9) < 0.01);
        double height = height_of(world, "hung");
        advance(world, 0.004, 50);
        assert_true(sn_bond_read(world, ceiling).force == 0.0);
        assert_true(fabs(height - height_of(world, "hung") - 0.5 * G * 0.04) < 1e-3);
        sn_world_destroy(world);
    }
}

// ---- rest ----

// What has hung at rest for long falls when it is let go, from the world, from something static,
// from a mechanism and from another elastic body.
static void what_is_let_go_is_awake(void **state)
{
    (void)state;
    static const char *const others[] = {
        "\"bodies\": [" CUBE("l", "0.1", "1", "") "], ",
        "\"bodies\": [" CUBE("l", "0.1", "1", "") ", {\"name\": \"o\", \"type\": \"static\", "
                                                  "\"shape\": {\"type\": \"box\", \"size\": [0.2, "
                                                  "0.2, 0.1]}, \"position\": [0, 0, 0.1]}], ",
        "\"bodies\": [" CUBE("l", "0.1", "1",
                             "") ", {\"name\": \"o\", \"shape\": {\"type\": "
                                 "\"box\", \"size\": [0.2, 0.2, 0.1]}, \"position\": [0, 0, "
                                 "0.1]}], \"joints\": [{\"name\": "
                                 "\"h\", \"type\": \"hinge\", \"child\": \"o\", \"at\": [0, 0, "
                                 "0.3], \"axis\": [1, 0, 0]}], ",
        "\"bodies\": [" CUBE("l", "0.1", "1", "") ", " CUBE(
            "o", "0.1", "2", ", \"position\": [0, 0, 0.1], \"fixed\": " TOP("0.05")) "], ",
    };
    for (int i = 0; i < 4; ++i) {
        char text[4000];
        snprintf(text, sizeof text,
                 MATERIALS "%s\"bonds\": [{\"type\": \"attached\", \"name\": \"j\", \"body\": "
                           "\"l\", %s\"vertices\": " TOP("0.05") ", \"until\": 0.8}]}",
                 others[i], i > 0 ? "\"to\": \"o\", " : "");
        sn_world *world = build_text(text);
        advance(world, 0.004, 200);
        double height = height_of(world, "l");
        advance(world, 0.004, 75);
        double fall = height - height_of(world, "l"), wanted = 0.5 * G * 0.09;
        if (!(fabs(fall - wanted) < 0.02 * wanted)) {
            fail_msg("number %d fell by %g m instead of %g", i, fall, wanted);
        }
        sn_world_destroy(world);
    }
}

// ---- glue ----

// Cubes glued face to face: what the lower is like, when it breaks, and how long steps are. Some
// vertices are on vertices, on edges or on diagonals of the other; one pair overlaps by a tenth of
// a millimetre as long as it is glued.
static const struct glued {
    const char *upper, *lower, *size, *place, *breaks;
    double h;
} glued[] = {
    {"2", "1", "0.1", "-0.1", "2", 0.004},    {"2", "2", "0.1", "-0.1", "0.1", 0.004},
    {"1", "2", "0.1", "-0.1", "2", 0.004},    {"2", "2", "0.12", "-0.11", "0.3", 0.001},
    {"2", "1", "0.1", "-0.0999", "2", 0.004},
};

// From the break on it falls as it would without the other, but for how it was pushed off; nobody
// holds it back. Any number of threads is the same.
static void glued_bodies_part(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof glued / sizeof *glued; ++i) {
        const struct glued *own = &glued[i / 2];
        char text[4000];
        snprintf(text, sizeof text,
                 MATERIALS
                 "\"bodies\": [" CUBE("u", "0.1", "%s", ", \"fixed\": " TOP("0.05")) ",\n" CUBE(
                     "l", "%s", "%s",
                     ", \"position\": [0, 0, %s]") "],\n\"bonds\": [{\"type\": \"%s\", \"name\": "
                                                   "\"j\", \"body\": \"l\", \"to\": "
                                                   "\"u\", \"vertices\": {\"plane\": [0, 0, 1], "
                                                   "\"position\": [0, 0, %g]}, "
                                                   "\"breaks_at\": %s}], \"contact\": {\"sleep\": "
                                                   "false}}",
                 own->upper, own->upper, own->upper, own->size, own->size, own->size, own->lower,
                 own->lower, own->lower, own->place, i % 2 ? "attached" : "junction",
                 0.5 * strtod(own->size, NULL), own->breaks);
        sn_world *world = build_text(text), *other = build_text(text);
        assert_int_equal(sn_world_set_threads(other, 2, NULL), SN_OK);
        sn_bond bond = sn_world_find_bond(world, "j");
        double height = 0.0;
        int since = 0, most = (int)(0.3 / own->h);
        for (int k = 0; k < 5 * most && since < most; ++k) {
            advance(world, own->h, 1);
            advance(other, own->h, 1);
            since += sn_bond_read(world, bond).broken;
            height = since == 1 ? height_of(world, "l") : height;
            assert_int_equal(sn_world_report(world).velocity_scaled, 0);
        }
        double time = own->h * (since - 1), fall = height - height_of(world, "l");
        if (since < most || !(fabs(fall - 0.5 * G * time * time) < 0.05 * time)) {
            fail_msg("number %zu fell by %g m in %g s", i, fall, time);
        }
        assert_true(sn_world_hash(world) == sn_world_hash(other));
        sn_world_destroy(other);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_holds),
        cmocka_unit_test(bonds_and_contacts_go_together),
        cmocka_unit_test(what_is_let_go_is_awake),
        cmocka_unit_test(glued_bodies_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
