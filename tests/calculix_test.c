// Elastic bodies beside CalculiX (program ccx), an independent finite element program, on the same
// meshes: where all vertices are at rest under a load, and the slowest frequencies there.
//
// Both have the same shape functions and look at strains in the same points, the middle of elements
// of four nodes and four points of ten; of straight edges both spread weight exactly. Nothing
// but round-off, the 7 digits that CalculiX prints and the ends of iterations is between them.
//
// Masses differ: CalculiX takes them in the points of the strains, too, and ours are exact.
//
// - Four nodes: one point for all of an element makes frequencies of coarse meshes several percent
//   too high. But elements of ten nodes whose edges are kept straight by equations are those of
//   four nodes, and their four points are exact for them.
// - Ten nodes: four points are exact to second order, and the mass is of fourth. What such a mass
//   makes of our frequencies is found by Ritz' method among our modes.
// - Curved edges: our mass matrix is that of straight ones, so CalculiX gets our weights as forces
//   on vertices, and frequencies are not compared.
//
// Of CalculiX' laws two are ours:
//
// - *ELASTIC with NLGEOM is Hooke's law between Green's strain and the second Piola-Kirchhoff
//   stress: St. Venant's.
// - *HYPERFOAM is, of stretches s and J = s1 s2 s3,
//
//     sum of 2 m/a^2 (s1^a + s2^a + s3^a - 3 + (J^(-a b) - 1)/b),  b = v/(1 - 2 v)
//
//   Where v = 0 the last term is -a log J, and two terms with m = 2 G, a = 2 and m = -G, a = 1 add
//   up to G sum of (s - 1)^2, for the logarithms cancel: the corotational law for Poisson's ratio
//   0.
//
// *HYPERELASTIC, NEO HOOKE is C (J^(-2/3) Gamma - 3) + (J - 1)^2/D; ours has log(Gamma + 1), and no
// choice of moduli makes one the other.
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elastic/mass.h"
#include "geometry/tetrahedra.h"
#include "math/dense.h"
#include "sanitized.h"
#include "sinew/sinew.h"

enum { MODES = 6, ALL_MODES = 24, NO_PROGRAM = 127 };

typedef struct specimen {
    sn_tetrahedra *mesh;
    int *fixed; // vertices
    int fixed_count;
    sn_elastic_law law;
    double young, poisson, density;
    double gravity; // along `down`
    bool large;     // deflections; else CalculiX is linear
    bool curved;    // edges
} specimen;

typedef struct answer {
    int count;
    sn_vec3 *moves;            // count: of all vertices
    double frequencies[MODES]; // Hz
    double sampled[MODES];     // with the mass as CalculiX takes it, of ten nodes; else the same
} answer;

// Askew, so that every component has a part in it.
static const sn_vec3 down = {0.36, 0.48, -0.8};

static answer make_answer(const specimen *s)
{
    answer a = {.count = sn_tetrahedra_vertex_count(s->mesh)};
    a.moves = calloc((size_t)a.count, sizeof *a.moves);
    assert_non_null(a.moves);
    return a;
}

// ---- Sinew ----

static sn_body add_specimen(sn_world *world, const specimen *s)
{
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(s->law, s->young, s->poisson);
    material.density = s->density;
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = s->mesh;
    def.materials = &material;
    def.material_count = 1;
    def.fixed = s->fixed;
    def.fixed_count = s->fixed_count;
    def.mass = SN_ELASTIC_MASS_CONSISTENT;
    sn_body body;
    assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
    return body;
}

// Shape functions in the four points of ten nodes.
static void sample_shapes(double shapes[4][10])
{
    const double inner = 0.25 + 0.15 * sqrt(5.0), outer = 0.25 - 0.05 * sqrt(5.0);
    for (int q = 0; q < 4; ++q) {
        double l[4] = {outer, outer, outer, outer};
        l[q] = inner;
        for (int i = 0; i < 4; ++i) {
            shapes[q][i] = l[i] * (2.0 * l[i] - 1.0);
        }
        for (int k = 0; k < 6; ++k) {
            shapes[q][4 + k] = 4.0 * l[sn_tetrahedron_edges[k][0]] * l[sn_tetrahedron_edges[k][1]];
        }
    }
}

static double element_volume(const specimen *s, const int *nodes)
{
    const sn_vec3 *p = sn_tetrahedra_positions(s->mesh);
    sn_vec3 a = sn_vec3_sub(p[nodes[1]], p[nodes[0]]), b = sn_vec3_sub(p[nodes[2]], p[nodes[0]]),
            c = sn_vec3_sub(p[nodes[3]], p[nodes[0]]);
    return sn_dot(a, sn_cross(b, c)) / 6.0;
}

// The modes' mass, each with each, by four points of every element.
static void sample_masses(const specimen *s, const sn_modes *modes, double masses[])
{
    double shapes[4][10];
    sample_shapes(shapes);
    for (int e = 0; e < sn_tetrahedra_element_count(s->mesh); ++e) {
        const int *nodes = sn_tetrahedra_elements(s->mesh) + 10 * e;
        double share = 0.25 * s->density * element_volume(s, nodes);
        for (int q = 0; q < 4; ++q) {
            sn_vec3 moves[ALL_MODES] = {{0}};
            for (int i = 0; i < ALL_MODES; ++i) {
                for (int k = 0; k < 10; ++k) {
                    const double *at = modes->shapes + i * modes->coordinates + 4 * nodes[k];
                    moves[i] = sn_vec3_add_scaled(moves[i], shapes[q][k], sn_vec3_at(at));
                }
                for (int j = 0; j <= i; ++j) {
                    masses[ALL_MODES * i + j] += share * sn_dot(moves[i], moves[j]);
                    masses[ALL_MODES * j + i] = masses[ALL_MODES * i + j];
                }
            }
        }
    }
}

// Ritz: W^2 a = w^2 S a of the modes' own frequencies W and sampled masses S, as eigenvalues 1/w^2
// of W^-1 S W^-1.
static void sample_frequencies(const specimen *s, const sn_modes *modes, double frequencies[])
{
    double masses[ALL_MODES * ALL_MODES] = {0}, vectors[ALL_MODES * ALL_MODES], values[ALL_MODES];
    sample_masses(s, modes, masses);
    for (int i = 0; i < ALL_MODES * ALL_MODES; ++i) {
        masses[i] /= modes->list[i / ALL_MODES].angular_frequency *
                     modes->list[i % ALL_MODES].angular_frequency;
    }
    assert_true(sn_eigen_symmetric(ALL_MODES, masses, values, vectors));
    for (int i = 0; i < MODES; ++i) {
        frequencies[i] = 0.5 / SN_PI / sqrt(values[ALL_MODES - 1 - i]);
    }
}

static void assert_well(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(error));
    }
}

static answer ask_sinew(const specimen *s)
{
    answer a = make_answer(s);
    sn_world_def def = sn_default_world_def();
    def.gravity = sn_vec3_scale(s->gravity, down);
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_body body = add_specimen(world, s);
    sn_equilibrium rest = {0};
    sn_modes modes = {0};
    sn_error error = {0};
    assert_well(sn_world_equilibrium(world, NULL, &rest, &error), &error);
    assert_well(sn_world_modes(world, &modes, &error), &error);
    assert_true(rest.stable && modes.count == ALL_MODES);
    for (int i = 0; i < MODES; ++i) {
        a.frequencies[i] = a.sampled[i] = modes.list[i].frequency;
    }
    if (sn_tetrahedra_nodes(s->mesh) == 10) {
        sample_frequencies(s, &modes, a.sampled);
    }
    assert_true(sn_body_read_vertices(world, body, a.moves, NULL));
    for (int i = 0; i < a.count; ++i) {
        a.moves[i] = sn_vec3_sub(a.moves[i], sn_tetrahedra_positions(s->mesh)[i]);
    }
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
    return a;
}

// ---- what CalculiX gets ----

// Numbers have room for 20 characters. Of the vertices the first `shown` are in the set that is
// printed.
static void write_mesh(FILE *file, const sn_tetrahedra *mesh, int shown)
{
    int nodes = sn_tetrahedra_nodes(mesh);
    fprintf(file, "*NODE, NSET=SHOWN\n");
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[i];
        fprintf(file, "%s%d,%.12e,%.12e,%.12e\n", i == shown ? "*NODE\n" : "", i + 1, p.x, p.y,
                p.z);
    }
    fprintf(file, "*ELEMENT, TYPE=C3D%d, ELSET=BODY\n", nodes);
    for (int e = 0; e < sn_tetrahedra_element_count(mesh); ++e) {
        fprintf(file, "%d", e + 1);
        for (int k = 0; k < nodes; ++k) {
            fprintf(file, ",%d", sn_tetrahedra_elements(mesh)[nodes * e + k] + 1);
        }
        fprintf(file, "\n");
    }
}

// Every vertex from `first` on is the middle of its edge's ends, and stays so.
static void write_straight_edges(FILE *file, const sn_tetrahedra *mesh, int first)
{
    bool *done = calloc((size_t)sn_tetrahedra_vertex_count(mesh), sizeof *done);
    assert_non_null(done);
    for (int e = 0; e < sn_tetrahedra_element_count(mesh); ++e) {
        const int *nodes = sn_tetrahedra_elements(mesh) + 10 * e;
        for (int k = 0; k < 6; ++k) {
            int middle = nodes[4 + k], a = nodes[sn_tetrahedron_edges[k][0]],
                b = nodes[sn_tetrahedron_edges[k][1]];
            assert_true(middle >= first && a < first && b < first);
            for (int axis = 1; axis <= 3 && !done[middle]; ++axis) {
                fprintf(file, "*EQUATION\n3\n%d,%d,1.,%d,%d,-.5,%d,%d,-.5\n", middle + 1, axis,
                        a + 1, axis, b + 1, axis);
            }
            done[middle] = true;
        }
    }
    free(done);
}

static void write_fixed(FILE *file, const specimen *s)
{
    fprintf(file, "*BOUNDARY\n");
    for (int i = 0; i < s->fixed_count; ++i) {
        fprintf(file, "%d,1,3\n", s->fixed[i] + 1);
    }
}

// A start that is a little out of shape: for three stretches that are the same CalculiX does not
// see the shear stiffness of *HYPERFOAM, and its first matrix would be singular.
static void write_start(FILE *file, const specimen *s)
{
    fprintf(file, "*INITIAL CONDITIONS, TYPE=DISPLACEMENT\n");
    for (int i = 0, held = 0; i < sn_tetrahedra_vertex_count(s->mesh); ++i) {
        sn_vec3 p = sn_tetrahedra_positions(s->mesh)[i];
        if (held < s->fixed_count && s->fixed[held] == i) {
            ++held;
            continue;
        }
        fprintf(file, "%d,1,%.12e\n%d,2,%.12e\n%d,3,%.12e\n", i + 1, 0.003 * p.x + 0.001 * p.y,
                i + 1, 0.001 * p.x + 0.005 * p.y + 0.002 * p.z, i + 1, 0.001 * p.x - 0.004 * p.z);
    }
}

static void write_material(FILE *file, const specimen *s)
{
    fprintf(file, "*MATERIAL, NAME=STUFF\n");
    if (s->law == SN_ELASTIC_COROTATIONAL && s->large) {
        assert_true(s->poisson == 0.0);
        double shear = 0.5 * s->young;
        fprintf(file, "*HYPERFOAM, N=2\n%.12e,2.,%.12e,1.,0.,0.\n", 2.0 * shear, -shear);
    } else {
        assert_true(s->law == SN_ELASTIC_ST_VENANT || !s->large);
        fprintf(file, "*ELASTIC\n%.12e,%.12e\n", s->young, s->poisson);
    }
    fprintf(file, "*DENSITY\n%.12e\n*SOLID SECTION, ELSET=BODY, MATERIAL=STUFF\n", s->density);
}

static void write_weights(FILE *file, const specimen *s)
{
    int numbers = 3 * sn_tetrahedra_vertex_count(s->mesh);
    double *fall = malloc((size_t)numbers * sizeof *fall);
    double *weight = calloc((size_t)numbers, sizeof *weight);
    sn_mass mass;
    assert_non_null(fall);
    assert_non_null(weight);
    assert_int_equal(sn_mass_create(s->mesh, &s->density, 1, SN_MASS_CONSISTENT, NULL, &mass, NULL),
                     SN_OK);
    for (int i = 0; i < numbers; ++i) {
        fall[i] = (&down.x)[i % 3];
    }
    sn_mass_add_product(&mass, 3, s->gravity, fall, weight);
    fprintf(file, "*CLOAD\n");
    for (int i = 0; i < numbers; ++i) {
        fprintf(file, "%d,%d,%.12e\n", i / 3 + 1, i % 3 + 1, weight[i]);
    }
    sn_mass_free(&mass);
    free(fall);
    free(weight);
}

// A step of statics, then, if asked for, one of vibrations: about the body at rest, or, with
// PERTURBATION, about where the load has brought it. Newton's method is to go on to round-off, not
// to a half percent.
static void write_steps(FILE *file, const specimen *s, bool vibrates)
{
    fprintf(file, "*STEP%s\n*STATIC\n%s,1.\n", s->large ? ", NLGEOM, INC=1000" : "",
            s->large ? "0.2" : "1.");
    if (s->large) {
        fprintf(file, "*CONTROLS, PARAMETERS=FIELD\n1.e-9,1.e-9,,,1.e-9\n");
    }
    if (s->curved) {
        write_weights(file, s);
    } else {
        fprintf(file, "*DLOAD\nBODY,GRAV,%.12e,%.12e,%.12e,%.12e\n", s->gravity, down.x, down.y,
                down.z);
    }
    fprintf(file, "*NODE PRINT, NSET=SHOWN\nU\n*END STEP\n");
    if (vibrates) {
        fprintf(file, "*STEP%s\n*FREQUENCY\n%d\n*END STEP\n", s->large ? ", PERTURBATION" : "",
                MODES);
    }
}

// ---- running it ----

// `straight`: elements of four nodes as ones of ten with straight edges.
static void write_case(const specimen *s, bool straight, bool vibrates)
{
    FILE *file = fopen("case.inp", "w");
    assert_non_null(file);
    int shown = sn_tetrahedra_vertex_count(s->mesh);
    if (straight) {
        sn_tetrahedra *mesh = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(s->mesh, &mesh, NULL), SN_OK);
        write_mesh(file, mesh, shown);
        write_straight_edges(file, mesh, shown);
        sn_tetrahedra_release(mesh);
    } else {
        write_mesh(file, s->mesh, shown);
    }
    write_fixed(file, s);
    if (s->law == SN_ELASTIC_COROTATIONAL && s->large) {
        write_start(file, s);
    }
    write_material(file, s);
    write_steps(file, s, vibrates);
    assert_int_equal(ferror(file), 0);
    assert_int_equal(fclose(file), 0);
}

// In the present folder, on one processor: the code it ends with.
static int run_calculix(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        setenv("OMP_NUM_THREADS", "1", 1);
        execlp("ccx", "ccx", "-i", "case", (char *)NULL);
        _exit(NO_PROGRAM);
    }
    int state = 0;
    assert_int_equal(waitpid(child, &state, 0), child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// Tables of the .dat file: displacements at the end of every increment, of which the last counts,
// then number, eigenvalue, angular frequency and frequency of every mode.
static void read_results(answer *a, bool with_modes)
{
    FILE *file = fopen("case.dat", "r");
    char line[256];
    int vertices = 0, modes = 0, number;
    bool vibrates = false;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *at = line;
        double values[3];
        if (strstr(line, "displacements") != NULL) {
            vertices = 0;
        } else if (strstr(line, "E I G E N V A L U E   O U T P U T") != NULL) {
            vibrates = true;
        } else if (strstr(line, "P A R T I C I P A T I O N") != NULL) {
            break;
        } else if ((number = (int)strtol(at, &at, 10)) > 0) {
            for (int i = 0; i < 3; ++i) {
                values[i] = strtod(at, &at);
            }
            if (vibrates && number == modes + 1 && modes < MODES) {
                a->frequencies[modes++] = values[2];
            } else if (!vibrates) {
                assert_int_equal(number, ++vertices);
                assert_true(vertices <= a->count);
                a->moves[vertices - 1] = sn_vec3_make(values[0], values[1], values[2]);
            }
        }
    }
    fclose(file);
    assert_int_equal(vertices, a->count);
    assert_int_equal(modes, with_modes ? MODES : 0);
}

static void remove_folder(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        unlinkat(dirfd(listing), entry->d_name, 0);
    }
    closedir(listing);
    rmdir(folder);
}

// In a folder of its own, which stays where CalculiX fails.
static answer ask_calculix(const specimen *s, bool straight, bool vibrates)
{
    answer a = make_answer(s);
    char folder[] = "/tmp/sinew-calculix-XXXXXX", home[4096];
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_case(s, straight, vibrates);
    int code = run_calculix();
    if (code == 0) {
        read_results(&a, vibrates);
    }
    assert_int_equal(chdir(home), 0);
    if (code != 0 && code != NO_PROGRAM) {
        fail_msg("CalculiX ended with code %d, see %s/log", code, folder);
    }
    remove_folder(folder);
    if (code == NO_PROGRAM) {
        fail_msg("there is no program ccx: `tools/setup test` installs CalculiX (calculix-ccx)");
    }
    return a;
}

// ---- side by side ----

static double farthest_move(const answer *a)
{
    double farthest = 0.0;
    for (int i = 0; i < a->count; ++i) {
        farthest = fmax(farthest, sn_length(a->moves[i]));
    }
    return farthest;
}

// The greatest distance between two vertices, by how far the farthest has come.
static double distance_between(const answer *ours, const answer *theirs)
{
    double apart = 0.0;
    for (int i = 0; i < ours->count; ++i) {
        apart = fmax(apart, sn_distance(ours->moves[i], theirs->moves[i]));
    }
    return apart / farthest_move(theirs);
}

static double frequency_between(const double *ours, const double *theirs)
{
    double off = 0.0;
    for (int i = 0; i < MODES; ++i) {
        off = fmax(off, fabs(ours[i] / theirs[i] - 1.0));
    }
    return off;
}

static void compare_places(const char *title, const answer *ours, const answer *theirs)
{
    double apart = distance_between(ours, theirs);
    print_message("%s: places off by %.1e\n", title, apart);
    assert_true(apart < 1e-6);
}

static void compare_four(const specimen *s, const answer *ours)
{
    answer theirs = ask_calculix(s, false, false);
    compare_places("  4 nodes", ours, &theirs);
    free(theirs.moves);
    theirs = ask_calculix(s, true, true);
    compare_places("  4 as 10", ours, &theirs);
    double off = frequency_between(ours->frequencies, theirs.frequencies);
    print_message("           frequencies off by %.1e\n", off);
    assert_true(off < 2e-6);
    free(theirs.moves);
}

// Modes beyond the 24, which Ritz' method lacks, leave some 3e-6.
static void compare_ten(const specimen *s, const answer *ours)
{
    answer theirs = ask_calculix(s, false, true);
    compare_places(" 10 nodes", ours, &theirs);
    double off = frequency_between(ours->frequencies, theirs.frequencies),
           sampled = frequency_between(ours->sampled, theirs.frequencies);
    print_message("           frequencies off by %.1e, with CalculiX' mass by %.1e\n", off,
                  sampled);
    assert_true(off < 1e-3 && sampled < 1e-5);
    free(theirs.moves);
}

// Of ten nodes, if that is asked for; what is beyond `wall` along x is held.
static specimen make_specimen(sn_tetrahedra *plain, int nodes, double wall)
{
    specimen s = {.mesh = plain, .young = 1e5, .poisson = 0.3, .density = 1000.0};
    if (nodes == 10) {
        assert_int_equal(sn_tetrahedra_quadratic(plain, &s.mesh, NULL), SN_OK);
        sn_tetrahedra_release(plain);
    }
    int count = sn_tetrahedra_vertex_count(s.mesh);
    s.fixed = malloc((size_t)count * sizeof *s.fixed);
    assert_non_null(s.fixed);
    for (int i = 0; i < count; ++i) {
        if (sn_tetrahedra_positions(s.mesh)[i].x < wall) {
            s.fixed[s.fixed_count++] = i;
        }
    }
    return s;
}

static void free_specimen(specimen *s)
{
    sn_tetrahedra_release(s->mesh);
    free(s->fixed);
}

static specimen make_beam(int nodes)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *mesh = NULL;
    box.size = sn_vec3_make(0.4, 0.1, 0.08);
    box.cells[0] = 7;
    box.cells[1] = box.cells[2] = 2;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return make_specimen(mesh, nodes, -0.1999);
}

static const double ring_radius = 0.15, tube_radius = 0.05;

static specimen make_ring(int nodes)
{
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    sn_tetrahedra *mesh = NULL;
    torus.radius = ring_radius;
    torus.tube_radius = tube_radius;
    torus.spokes = 6;
    torus.segments = 11;
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, NULL), SN_OK);
    return make_specimen(mesh, nodes, -0.13);
}

// What is beyond 0.7 of the tube's radius is of its surface, for one layer of elements goes from
// there to the middle.
static sn_vec3 put_on_tube(sn_vec3 p)
{
    double around = sqrt(p.x * p.x + p.y * p.y), out = around - ring_radius,
           distance = sqrt(out * out + p.z * p.z);
    if (distance < 0.7 * tube_radius) {
        return p;
    }
    double scale = tube_radius / distance, turned = (ring_radius + scale * out) / around;
    return sn_vec3_make(turned * p.x, turned * p.y, scale * p.z);
}

// The ring with all vertices of its surface on the tube.
static specimen make_round_ring(void)
{
    specimen s = make_ring(10);
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.vertex_count = sn_tetrahedra_vertex_count(s.mesh);
    def.elements = sn_tetrahedra_elements(s.mesh);
    def.element_count = sn_tetrahedra_element_count(s.mesh);
    def.nodes = 10;
    sn_vec3 *positions = malloc((size_t)def.vertex_count * sizeof *positions);
    assert_non_null(positions);
    for (int i = 0; i < def.vertex_count; ++i) {
        positions[i] = put_on_tube(sn_tetrahedra_positions(s.mesh)[i]);
    }
    def.positions = positions;
    sn_tetrahedra *mesh = NULL;
    sn_error error = {0};
    assert_well(sn_tetrahedra_create(&def, &mesh, &error), &error);
    sn_tetrahedra_release(s.mesh);
    free(positions);
    s.mesh = mesh;
    s.curved = true;
    return s;
}

static void compare_bodies(sn_elastic_law law, double poisson, double gravity, bool large)
{
    static specimen (*const makers[])(int nodes) = {make_beam, make_ring};
    static const char *const titles[] = {"beam", "ring"};
    // Under sanitizers beams alone: the curved ring, below, is one.
    for (int k = 0; k < rounds_of(4, law == SN_ELASTIC_ST_VENANT ? 2 : 1); ++k) {
        int nodes = k % 2 == 0 ? 4 : 10;
        specimen s = makers[k / 2](nodes);
        s.law = law;
        s.poisson = poisson;
        s.gravity = gravity;
        s.large = large;
        answer ours = ask_sinew(&s);
        print_message("%s, tip moves by %.3g m, from %.4g Hz\n", titles[k / 2],
                      farthest_move(&ours), ours.frequencies[0]);
        (nodes == 4 ? compare_four : compare_ten)(&s, &ours);
        free(ours.moves);
        free_specimen(&s);
    }
}

// Loads so small that all laws are Hooke's.
static void test_small_loads(void **state)
{
    (void)state;
    compare_bodies(SN_ELASTIC_COROTATIONAL, 0.3, 2e-6, false);
}

static void test_large_deflections_of_st_venant(void **state)
{
    (void)state;
    compare_bodies(SN_ELASTIC_ST_VENANT, 0.3, 9.81, true);
}

static void test_large_deflections_of_corotational_bodies(void **state)
{
    (void)state;
    compare_bodies(SN_ELASTIC_COROTATIONAL, 0.0, 9.81, true);
}

static void test_curved_elements(void **state)
{
    (void)state;
    specimen s = make_round_ring();
    s.law = SN_ELASTIC_ST_VENANT;
    s.large = true;
    s.gravity = 9.81;
    answer ours = ask_sinew(&s), theirs = ask_calculix(&s, false, false);
    print_message("round ring, tip moves by %.3g m\n", farthest_move(&ours));
    compare_places(" 10 nodes", &ours, &theirs);
    free(ours.moves);
    free(theirs.moves);
    free_specimen(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_loads),
        cmocka_unit_test(test_large_deflections_of_st_venant),
        cmocka_unit_test(test_large_deflections_of_corotational_bodies),
        cmocka_unit_test(test_curved_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
