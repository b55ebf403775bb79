// Closed surfaces filled by an outside program: scripts in its place show what is asked of it and
// that nothing is left behind; Gmsh itself is asked where it is installed.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sinew/tetrahedra.h"

static char folder[64], program[96], kept[256];

// TMPDIR is a folder of the test's own, which must be empty but for the script after every call.
static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-mesher-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    const char *old = getenv("TMPDIR");
    snprintf(kept, sizeof kept, "%s", old != NULL ? old : "");
    snprintf(program, sizeof program, "%s/program", folder);
    return setenv("TMPDIR", folder, 1);
}

static int tear_down(void **state)
{
    (void)state;
    remove(program);
    rmdir(folder);
    return kept[0] != '\0' ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR");
}

static void assert_nothing_left(void)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        assert_true(entry->d_name[0] == '.' || strcmp(entry->d_name, "program") == 0);
    }
    closedir(listing);
}

static void write_program(const char *body)
{
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    assert_int_equal(chmod(program, 0700), 0);
}

static sn_status fill_box(const char *name, double edge, double seconds, sn_tetrahedra **made,
                          sn_error *error)
{
    sn_mesh *box = NULL;
    assert_int_equal(sn_mesh_box((sn_vec3){2, 1, 1}, &box, NULL), SN_OK);
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.method = SN_FILL_GMSH;
    options.program = name;
    options.edge = edge;
    options.seconds = seconds;
    sn_status status = sn_tetrahedra_fill(box, &options, made, NULL, error);
    sn_mesh_release(box);
    assert_nothing_left();
    return status;
}

static void test_what_the_program_is_asked(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *made = NULL;
    // Checks its arguments and files, and answers with one element.
    write_program("[ \"$2 $3 $4 $5 $6 $7\" = '-3 -format msh22 -clmax 0.25 -o' ] || exit 3\n"
                  "cd \"$(dirname \"$1\")\" || exit 4\n"
                  "grep -q 'Merge \"surface.msh\"' fill.geo || exit 5\n"
                  "grep -q ClassifySurfaces fill.geo || exit 6\n"
                  "[ \"$(grep -c ' 2 2 1 1 ' surface.msh)\" = 12 ] || exit 7\n"
                  "printf '$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n4\\n1 0 0 0\\n2 1 0 "
                  "0\\n3 0 1 0\\n4 0 0 1\\n$EndNodes\\n$Elements\\n1\\n1 4 2 0 1 1 2 3 "
                  "4\\n$EndElements\\n' >\"$8\"");
    sn_status status = fill_box(program, 0.25, 20.0, &made, &error);
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_tetrahedra_element_count(made), 1);
    sn_tetrahedra_release(made);
}

static void test_failures_are_told(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *made = NULL;
    assert_int_equal(fill_box("no-such-program-anywhere", 0.0, 20.0, &made, &error),
                     SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "Gmsh was expected"));
    assert_string_equal(error.place, "no-such-program-anywhere");
    write_program(
        "echo Info: fine; echo 'Error   : the surface cuts itself' >&2; echo end; exit 1");
    assert_int_equal(fill_box(program, 0.0, 20.0, &made, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "the surface cuts itself"));
    write_program("exit 0");
    assert_int_equal(fill_box(program, 0.0, 20.0, &made, &error), SN_ERROR_GEOMETRY);
    write_program("echo nonsense >\"$8\"");
    assert_int_equal(fill_box(program, 0.0, 20.0, &made, &error), SN_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, "$MeshFormat was expected"));
    write_program("exec sleep 30");
    assert_int_equal(fill_box(program, 0.0, 0.05, &made, &error), SN_ERROR_STOPPED);
    assert_int_equal(fill_box(program, -1.0, 1.0, &made, &error), SN_ERROR_ARGUMENT);
    // A surface with a hole never gets there.
    const sn_vec3 corners[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    sn_mesh *open = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, (int[]){0, 1, 2, 0, 3, 1, 0, 2, 3}, 3, &open, NULL),
                     SN_OK);
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.method = SN_FILL_GMSH;
    assert_int_equal(sn_tetrahedra_fill(open, &options, &made, NULL, &error), SN_ERROR_GEOMETRY);
    sn_mesh_release(open);
    assert_null(made);
}

// What was reported of a fill: before its end, at its end, and the last time that was named.
typedef struct heard {
    int before, after;
    double seconds;
} heard;

static void hear(void *user, double seconds, bool ended)
{
    heard *h = user;
    assert_true(h->after == 0 && seconds >= h->seconds); // the end is the last
    h->before += !ended;
    h->after += ended;
    h->seconds = seconds;
}

// Those that take longer than a second say so, whether they succeed or not.
static void test_long_fills_are_reported(void **state)
{
    (void)state;
    static const char *const bodies[] = {"exit 1", "sleep 2.2; exit 1"};
    sn_mesh *box = NULL;
    assert_int_equal(sn_mesh_box((sn_vec3){2, 1, 1}, &box, NULL), SN_OK);
    for (int i = 0; i < 2; ++i) {
        heard h = {0};
        sn_tetrahedra *made = NULL;
        sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
        options.method = SN_FILL_GMSH;
        options.program = program;
        options.progress = hear;
        options.user = &h;
        write_program(bodies[i]);
        assert_int_equal(sn_tetrahedra_fill(box, &options, &made, NULL, NULL), SN_ERROR_GEOMETRY);
        assert_true(i == 0 ? h.after == h.before
                           : h.after == 1 && h.before >= 1 && h.before <= h.seconds);
    }
    sn_mesh_release(box);
}

// What would take all memory is refused before anything is started.
static void test_too_fine_edges_are_refused(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *made = NULL;
    write_program("exit 3");
    assert_int_equal(fill_box(program, 1e-4, 20.0, &made, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "1.7e+13 elements"));
    assert_int_equal(fill_box(program, 0.1, 20.0, &made, &error), SN_ERROR_GEOMETRY);
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 10000000}, NULL);
}

static int read_number(const char *path)
{
    FILE *file = fopen(path, "r");
    int number = 0;
    if (file != NULL) {
        number = fscanf(file, "%d\n", &number) == 1 ? number : 0;
        fclose(file);
    }
    return number;
}

// Whatever ends the process that asked, the program ends with it and the folder goes.
static void test_ends_with_its_process(void **state)
{
    (void)state;
    const int signals[3] = {SIGTERM, SIGINT, SIGKILL};
    char path[128], script[500];
    snprintf(path, sizeof path, "%s/.number", folder);
    snprintf(script, sizeof script, "echo $$ >%s.new; mv %s.new %s; exec sleep 60", path, path,
             path);
    for (int k = 0; k < 3; ++k) {
        write_program(script);
        pid_t asking = fork();
        assert_true(asking >= 0);
        if (asking == 0) {
            signal(signals[k], SIG_DFL); // which is ignored where the test runs in the background
            sn_tetrahedra *made = NULL;
            sn_mesh *box = NULL;
            sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
            options.method = SN_FILL_GMSH;
            options.program = program;
            sn_mesh_box((sn_vec3){2, 1, 1}, &box, NULL);
            sn_tetrahedra_fill(box, &options, &made, NULL, NULL);
            _exit(0);
        }
        int running = 0, state_of = 0;
        for (int i = 0; i < 3000 && running == 0; ++i) {
            nap();
            running = read_number(path);
        }
        assert_true(running > 0 && kill(running, 0) == 0);
        kill(asking, signals[k]);
        waitpid(asking, &state_of, 0);
        assert_true(WIFSIGNALED(state_of));
        bool there = true;
        for (int i = 0; i < 3000 && there; ++i) {
            nap();
            there = kill(running, 0) == 0;
            DIR *listing = opendir(folder);
            for (struct dirent *e = readdir(listing); e != NULL; e = readdir(listing)) {
                there = there || strncmp(e->d_name, "sinew-fill", 10) == 0;
            }
            closedir(listing);
        }
        assert_false(there);
        remove(path);
        assert_nothing_left();
    }
}

static bool is_installed(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        char file[512];
        snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
        if (access(file, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static void test_gmsh_itself(void **state)
{
    (void)state;
    if (!is_installed("gmsh")) {
        fail_msg("there is no program gmsh: tools/setup test installs it");
    }
    for (int k = 0; k < 3; ++k) { // a box as it is, a box meshed anew, a torus as it is
        sn_error error = {0};
        sn_tetrahedra *made = NULL;
        sn_status status;
        double volume = 2.0;
        if (k < 2) {
            status = fill_box("gmsh", k == 0 ? 0.0 : 0.4, 100.0, &made, &error);
        } else {
            sn_mesh *torus = NULL;
            sn_mass_properties mass;
            assert_int_equal(sn_mesh_torus(1.0, 0.4, 16, &torus, NULL), SN_OK);
            assert_int_equal(sn_mesh_mass_properties(torus, 1.0, &mass, NULL), SN_OK);
            volume = mass.volume;
            sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
            options.method = SN_FILL_GMSH;
            status = sn_tetrahedra_fill(torus, &options, &made, NULL, &error);
            sn_mesh_release(torus);
        }
        if (status != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        sn_tetrahedra_quality quality;
        assert_true(sn_tetrahedra_measure(made, &quality));
        assert_true(fabs(quality.volume - volume) < 1e-9 * volume);
        assert_int_equal(sn_tetrahedra_check(made, NULL, &error), SN_OK);
        assert_true(k != 1 || (quality.longest_edge < 0.8 && quality.least_ratio > 0.2));
        sn_tetrahedra_release(made);
    }
    assert_nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_program_is_asked),
        cmocka_unit_test(test_failures_are_told),
        cmocka_unit_test(test_long_fills_are_reported),
        cmocka_unit_test(test_too_fine_edges_are_refused),
        cmocka_unit_test(test_ends_with_its_process),
        cmocka_unit_test(test_gmsh_itself),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
