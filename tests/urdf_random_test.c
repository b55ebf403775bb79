// Random robots of legal URDF: trees of revolute, continuous, prismatic and fixed joints agree with
// MuJoCo in mass, centre of mass, and accelerations at random states.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "sanitized.h"
#include "urdf_mujoco.h"

typedef struct writer {
    char text[20000];
    size_t at;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->at += (size_t)vsnprintf(w->text + w->at, sizeof w->text - w->at, format, list);
    va_end(list);
    assert_true(w->at < sizeof w->text);
}

static void put_origin(writer *w, sn_random *random, double reach)
{
    sn_vec3 xyz = random_vector(random, reach), rpy = random_vector(random, 3.0);
    put(w, "<origin xyz='%.9g %.9g %.9g' rpy='%.9g %.9g %.9g'/>", xyz.x, xyz.y, xyz.z, rpy.x, rpy.y,
        rpy.z);
}

// What stands in here is for MuJoCo alone, and for our reader alone: see uncover.
#define THEIRS(text) "<!--m-->" text "<!--/m-->"
#define OURS(text)   "<!--+ " text " +-->"

static void put_frame(writer *w, const char *format, sn_vec3 centre, sn_quat rotation)
{
    sn_vec3 rpy = sn_quat_to_euler_zyx(rotation);
    put(w, format, centre.x, centre.y, centre.z, rpy.x, rpy.y, rpy.z);
}

// A possible inertia: that of three point masses and a ball. MuJoCo gets its principal axes, since
// its own search for them ends when they turn by less than 1.4e-6 rad (1 - cos < 1e-12).
static void put_inertial(writer *w, sn_random *random)
{
    double mass = sn_random_range(random, 0.2, 3.0), square[3][3] = {{0}};
    for (int m = 0; m < 3; ++m) {
        sn_vec3 x = random_vector(random, 0.2);
        const double c[3] = {x.x, x.y, x.z};
        for (int i = 0; i < 9; ++i) {
            square[i / 3][i % 3] += mass / 3.0 * c[i / 3] * c[i % 3];
        }
    }
    double trace = square[0][0] + square[1][1] + square[2][2] + 0.002 * mass;
    sn_mat3 inertia, axes;
    for (int i = 0; i < 9; ++i) {
        inertia.m[i / 3][i % 3] = (i % 4 == 0 ? trace : 0.0) - square[i / 3][i % 3];
    }
    sn_vec3 centre = random_vector(random, 0.2), moments;
    sn_quat rotation = random_rotation(random);
    sn_mat3_eigen_symmetric(inertia, &moments, &axes);
    const double(*n)[3] = inertia.m;
    put(w, "<inertial><mass value='%.17g'/>", mass);
    put_frame(w, OURS("<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>"), centre,
              rotation);
    put_frame(w, THEIRS("<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>"), centre,
              sn_quat_multiply(rotation, sn_quat_from_mat3(axes)));
    put(w,
        OURS("<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' iyz='%.17g'/>"),
        n[0][0], n[1][1], n[2][2], n[0][1], n[0][2], n[1][2]);
    put(w,
        THEIRS(
            "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/>") "</inertial>",
        moments.x, moments.y, moments.z);
}

static void put_joint(writer *w, sn_random *random, int child)
{
    static const char *const types[] = {"revolute", "continuous", "prismatic", "fixed"};
    int type = (int)sn_random_range(random, 0.0, 3.999);
    int parent = (int)sn_random_range(random, 0.0, (double)child - 0.001);
    sn_vec3 axis = random_vector(random, 2.0);
    put(w, "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/>", child,
        types[type], parent, child);
    put_origin(w, random, 0.4);
    if (type != 3) {
        put(w, "<axis xyz='%.9g %.9g %.9g'/>", axis.x, axis.y, axis.z);
    }
    if (type == 0 || type == 2) {
        put(w, "<limit lower='%.9g' upper='%.9g' effort='9' velocity='9'/>",
            sn_random_range(random, -2.0, -0.1), sn_random_range(random, 0.1, 2.0));
    }
    if (sn_random_range(random, 0.0, 1.0) < 0.5) {
        put(w, "<dynamics damping='%.9g'/>", sn_random_range(random, 0.0, 1.0));
    }
    // Second ones, which MuJoCo refuses, are for our reader alone: see uncover.
    if (type != 3 && sn_random_range(random, 0.0, 1.0) < 0.2) {
        put(w, "<!--+ <axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='1' velocity='1'/>"
               "<origin xyz='9 9 9'/> +-->");
    }
    put(w, "</joint>");
}

static void put_robot(writer *w, sn_random *random)
{
    int links = (int)sn_random_range(random, 2.0, 12.999);
    *w = (writer){0};
    put(w, "<robot name='r'><mujoco><compiler fusestatic='false'/></mujoco><link name='l0'/>");
    for (int i = 1; i < links; ++i) {
        put(w, "<link name='l%d'>", i);
        put_inertial(w, random);
        put(w, "</link>");
        put_joint(w, random, i);
    }
    put(w, "</robot>");
}

// Comments with a + become elements; what is for MuJoCo goes.
static void uncover(char *text)
{
    for (char *at = strstr(text, "<!--+"); at != NULL; at = strstr(at, "<!--+")) {
        memcpy(at, "     ", 5);
        at = strstr(at, "+-->");
        assert_non_null(at);
        memcpy(at, "    ", 4);
    }
    for (char *at = strstr(text, "<!--m-->"); at != NULL; at = strstr(at, "<!--m-->")) {
        char *end = strstr(at, "<!--/m-->");
        assert_non_null(end);
        memset(at, ' ', (size_t)(end - at) + 9);
    }
}

static void random_robots_agree_with_mujoco(void **state)
{
    (void)state;
    static writer w;
    static mjVFS files;
    sn_random random = {.seed = 2023};
    int rounds = is_sanitized() ? 10 : 150, read = 0;
    for (int i = 0; i < rounds; ++i) {
        put_robot(&w, &random);
        mj_defaultVFS(&files);
        assert_int_equal(mj_makeEmptyFileVFS(&files, "r.urdf", (int)w.at), 0);
        memcpy(files.filedata[0], w.text, w.at);
        uncover(w.text);
        char name[32];
        snprintf(name, sizeof name, "robot %d", i);
        read += both_compare_in(name, "r.urdf", &files, w.text, &random);
        mj_deleteVFS(&files);
    }
    assert_int_equal(read, rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_robots_agree_with_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
