// Laws, elements and mass matrices of elastic bodies by themselves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "elastic/mass.h"
#include "elastic/solid.h"
#include "verify_elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

static const int node_counts[2] = {4, 10};

// A box of irregular elements: vertices inside have been moved.
typedef struct block {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    int vertices, size; // numbers of a vector
    double *memory;     // of the vectors that follow
    double *x, *f, *d, *y, *at;
    double *four[4];
} block;

static sn_status shaken_mesh(int cells, int nodes, sn_random *random, sn_tetrahedra **mesh,
                             sn_error *error)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    double size = cells;
    box.size = (sn_vec3){size, size, size};
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    sn_tetrahedra *plain = NULL, *moved = NULL;
    sn_status status = sn_tetrahedra_make_box(&box, &plain, error);
    if (status != SN_OK) {
        return status;
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.vertex_count = sn_tetrahedra_vertex_count(plain);
    def.elements = sn_tetrahedra_elements(plain);
    def.element_count = sn_tetrahedra_element_count(plain);
    sn_vec3 *p = malloc((size_t)def.vertex_count * sizeof *p);
    for (int i = 0; i < def.vertex_count && p != NULL; ++i) {
        p[i] = sn_tetrahedra_positions(plain)[i];
        if (fmax(fabs(p[i].x), fmax(fabs(p[i].y), fabs(p[i].z))) < 0.49 * size) {
            p[i].x += sn_random_range(random, -0.15, 0.15);
            p[i].y += sn_random_range(random, -0.15, 0.15);
            p[i].z += sn_random_range(random, -0.15, 0.15);
        }
    }
    def.positions = p;
    status = p != NULL ? sn_tetrahedra_create(&def, &moved, error) : sn_fail_memory(error, 0);
    free(p);
    sn_tetrahedra_release(plain);
    if (status == SN_OK && nodes == 10) {
        status = sn_tetrahedra_quadratic(moved, mesh, error);
        sn_tetrahedra_release(moved);
    } else {
        *mesh = moved;
    }
    return status;
}

static sn_status make_block(int cells, int nodes, const sn_elastic *material, sn_random *random,
                            block *b, sn_error *error)
{
    *b = (block){0};
    sn_status status = shaken_mesh(cells, nodes, random, &b->mesh, error);
    if (status == SN_OK) {
        sn_solid_def def = {.mesh = b->mesh, .materials = material, .material_count = 1};
        status = sn_solid_create(&def, &b->solid, error);
    }
    if (status != SN_OK) {
        return status;
    }
    b->vertices = sn_tetrahedra_vertex_count(b->mesh);
    b->size = STRIDE * b->vertices;
    b->memory = calloc(9 * (size_t)b->size, sizeof(double));
    if (b->memory == NULL) {
        return sn_fail_memory(error, 9 * (size_t)b->size * sizeof(double));
    }
    double **vectors[] = {&b->x,       &b->f,       &b->d,       &b->y,      &b->at,
                          &b->four[0], &b->four[1], &b->four[2], &b->four[3]};
    for (int k = 0; k < 9; ++k) {
        *vectors[k] = b->memory + (size_t)k * (size_t)b->size;
    }
    sn_solid_pad(b->solid, &sn_tetrahedra_positions(b->mesh)->x, b->x);
    return SN_OK;
}

static void free_block(block *b)
{
    free(b->memory);
    sn_solid_destroy(b->solid);
    sn_tetrahedra_release(b->mesh);
}

static sn_elastic material_of(int law)
{
    return (sn_elastic){.law = (sn_elastic_law)law, .bulk = 2.0, .shear = 1.0};
}

static void name_row(char *what, size_t size, int law, int nodes, const char *text)
{
    snprintf(what, size, "%s, %d nodes%s", sn_elastic_law_word((sn_elastic_law)law), nodes, text);
}

// ---- patch ----

// An affine deformation is an equilibrium of any mesh: forces inside, of those at the surface.
static double patch_error(block *b)
{
    const sn_mat3 affine = {{{1.2, 0.3, -0.1}, {0.05, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};
    double inside = 0.0, outside = 0.0;
    const sn_vec3 *rest = sn_tetrahedra_positions(b->mesh);
    for (int i = 0; i < b->vertices; ++i) {
        sn_vec3_put(b->x + STRIDE * i, sn_mat3_apply(affine, rest[i]));
    }
    sn_solid_add_forces(b->solid, NULL, b->x, b->f);
    for (int i = 0; i < b->vertices; ++i) {
        sn_vec3 p = rest[i];
        double force = sn_length(sn_vec3_at(b->f + STRIDE * i));
        bool within = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) < 1.999;
        inside = fmax(inside, within ? force : 0.0);
        outside = fmax(outside, within ? 0.0 : force);
    }
    return inside / outside;
}

void sn_verify_elastic_patch(sn_verify *verify)
{
    sn_random random = {.seed = 6};
    for (int k = 0; k < 2 * SN_ELASTIC_LAW_COUNT; ++k) {
        sn_error error = {0};
        block b;
        char what[80];
        int law = k % SN_ELASTIC_LAW_COUNT, nodes = node_counts[k / SN_ELASTIC_LAW_COUNT];
        sn_elastic material = material_of(law);
        name_row(what, sizeof what, law, nodes, "");
        if (make_block(4, nodes, &material, &random, &b, &error) == SN_OK) {
            sn_verify_near(verify, what, 0.0, patch_error(&b), 1e-12);
        } else {
            sn_verify_broken(verify, &error);
        }
        free_block(&b);
    }
}

// ---- derivatives ----

static double length_of(const double *v, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

// Along a random direction d, by five points: forces against the energy's slope, of |f| |d|, and K
// d against the forces' slope, of |K d|.
static bool derivative_errors(block *b, sn_random *random, double reach, double *force_error,
                              double *stiffness_error, sn_error *error)
{
    const double steps[4] = {-2.0, -1.0, 1.0, 2.0}, h = 2e-4;
    double energies[4], along = 0.0;
    for (int i = 0; i < b->size; ++i) {
        bool counts = i % STRIDE < 3;
        b->x[i] += counts ? sn_random_range(random, -reach, reach) : 0.0;
        b->d[i] = counts ? sn_random_range(random, -1.0, 1.0) : 0.0;
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < b->size; ++i) {
            b->at[i] = b->x[i] + steps[k] * h * b->d[i];
        }
        energies[k] = sn_solid_energy(b->solid, NULL, b->at);
        sn_solid_add_forces(b->solid, NULL, b->at, b->four[k]);
    }
    sn_solid_add_forces(b->solid, NULL, b->x, b->f);
    if (sn_solid_linearise(b->solid, NULL, b->x, SN_STIFFNESS_EXACT, error) != SN_OK) {
        return false;
    }
    sn_solid_add_product(b->solid, NULL, 1.0, b->d, b->y);
    double size = length_of(b->y, b->size);
    for (int i = 0; i < b->size; ++i) {
        double *const *f = b->four;
        along += b->f[i] * b->d[i];
        b->y[i] += (8.0 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12.0 * h);
    }
    double slope = (8.0 * (energies[2] - energies[1]) - (energies[3] - energies[0])) / (12.0 * h);
    *force_error = fabs(slope + along) / (length_of(b->f, b->size) * length_of(b->d, b->size));
    *stiffness_error = length_of(b->y, b->size) / size;
    return true;
}

void sn_verify_elastic_derivatives(sn_verify *verify)
{
    sn_random random = {.seed = 2};
    for (int k = 0; k < 2 * SN_ELASTIC_LAW_COUNT; ++k) {
        sn_error error = {0};
        block b;
        char what[80];
        double forces, stiffness;
        int law = k % SN_ELASTIC_LAW_COUNT, nodes = node_counts[k / SN_ELASTIC_LAW_COUNT];
        sn_elastic material = material_of(law);
        material.fibre_stiffness = 3.0;
        material.fibre = (sn_vec3){0.6, 0.0, 0.8};
        if (make_block(3, nodes, &material, &random, &b, &error) == SN_OK &&
            derivative_errors(&b, &random, nodes == 4 ? 0.12 : 0.05, &forces, &stiffness, &error)) {
            name_row(what, sizeof what, law, nodes, ": forces");
            sn_verify_near(verify, what, 0.0, forces, 1e-7);
            name_row(what, sizeof what, law, nodes, ": stiffness");
            sn_verify_near(verify, what, 0.0, stiffness, 1e-7);
        } else {
            sn_verify_broken(verify, &error);
        }
        free_block(&b);
    }
}

// ---- the thesis ----

// Liesenfeld's energy density for moduli 1 in a body of one element: its energy by its volume.
static double density_of(sn_solid *solid, const sn_tetrahedra *mesh, sn_mat3 deformation)
{
    double x[4 * STRIDE] = {0}, volume = 0.0;
    for (int i = 0; i < 4; ++i) {
        sn_vec3_put(x + STRIDE * i, sn_mat3_apply(deformation, sn_tetrahedra_positions(mesh)[i]));
    }
    volume = sn_solid_rest_volume(solid, 0);
    return sn_solid_energy(solid, NULL, x) / volume;
}

static sn_status one_element(sn_tetrahedra **mesh, sn_solid **solid, sn_error *error)
{
    static const sn_vec3 corners[4] = {
        {0.1, 0.0, 0.2}, {1.0, 0.1, 0.0}, {0.2, 0.9, 0.1}, {0.0, 0.3, 1.1}};
    static const int order[4] = {0, 1, 2, 3};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = corners;
    def.vertex_count = 4;
    def.elements = order;
    def.element_count = 1;
    sn_elastic material = {.law = SN_ELASTIC_LIESENFELD, .bulk = 1.0, .shear = 1.0};
    sn_status status = sn_tetrahedra_create(&def, mesh, error);
    if (status == SN_OK) {
        sn_solid_def solid_def = {.mesh = *mesh, .materials = &material, .material_count = 1};
        status = sn_solid_create(&solid_def, solid, error);
    }
    return status;
}

// A change of volume by s, a change of shape diag(s, 1, 1/s), a simple shear of s: the thesis'
// figures 4.3 to 4.5 in their closed forms.
void sn_verify_elastic_thesis(sn_verify *verify)
{
    static const double stretches[] = {0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 3.0, 4.0};
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_solid *solid = NULL;
    if (one_element(&mesh, &solid, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        for (size_t i = 0; i < sizeof stretches / sizeof *stretches; ++i) {
            double s = stretches[i], root = cbrt(s), x = s * s + 1.0 / (s * s);
            double s4 = s * s * s * s;
            sn_mat3 volume = sn_mat3_diagonal((sn_vec3){root, root, root});
            sn_mat3 shape = sn_mat3_diagonal((sn_vec3){s, 1.0, 1.0 / s});
            sn_mat3 shear = SN_MAT3_IDENTITY;
            shear.m[1][0] = s;
            char what[80];
            snprintf(what, sizeof what, "volume times %g", s);
            sn_verify_relative(verify, what, (s4 + 1.0 / s4 - 2.0) / 32.0,
                               density_of(solid, mesh, volume), 1e-12);
            snprintf(what, sizeof what, "shape (s, 1, 1/s), s = %g", s);
            sn_verify_relative(verify, what, (x + 1.0) * (x - 2.0) / 6.0,
                               density_of(solid, mesh, shape), 1e-12);
            snprintf(what, sizeof what, "shear of %g", s);
            sn_verify_relative(verify, what, s * s / 2.0 + s4 / 6.0, density_of(solid, mesh, shear),
                               1e-12);
        }
    }
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
}

// Numbers of a mesh's consistent mass matrix, and its sum over one axis.
static sn_status weigh(sn_tetrahedra *mesh, double *nonzeros, double *total, sn_error *error)
{
    double density = 3.0;
    sn_mass mass = {0};
    sn_status status = sn_mass_create(mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, error);
    if (status == SN_OK) {
        *nonzeros += (double)sn_mass_nonzeros(&mass);
        for (int i = 0; i < mass.vertex_count; ++i) {
            *total += mass.diagonal[i];
        }
        for (int p = 0; p < mass.pair_count; ++p) {
            *total += 2.0 * mass.entries[p];
        }
        sn_mass_free(&mass);
    }
    sn_tetrahedra_release(mesh);
    return status;
}

static sn_status weigh_box(int x, int y, int z, double *nonzeros, double *total, sn_error *error)
{
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = SN_CELL_SIX};
    sn_tetrahedra *mesh = NULL;
    sn_status status = sn_tetrahedra_make_box(&box, &mesh, error);
    return status == SN_OK ? weigh(mesh, nonzeros, total, error) : status;
}

// Non-zeros 3 (vertices) + 6 (edges) of the thesis' bodies: a cube of six elements, the torus of 20
// x 8, and the trampoline with its cube and ball.
void sn_verify_elastic_mass(sn_verify *verify)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    double cube = 0.0, cube_mass = 0.0, torus = 0.0, trampoline = 0.0, total = 0.0;
    sn_tetrahedra_torus torus_def = sn_default_tetrahedra_torus();
    sn_status status = weigh_box(1, 1, 1, &cube, &cube_mass, &error);
    status = status == SN_OK ? sn_tetrahedra_make_torus(&torus_def, &mesh, &error) : status;
    status = status == SN_OK ? weigh(mesh, &torus, &total, &error) : status;
    status = status == SN_OK ? weigh_box(8, 8, 2, &trampoline, &total, &error) : status;
    status = status == SN_OK ? weigh_box(2, 2, 2, &trampoline, &total, &error) : status;
    status = status == SN_OK ? sn_tetrahedra_make_sphere(1.0, 1, &mesh, &error) : status;
    status = status == SN_OK ? weigh(mesh, &trampoline, &total, &error) : status;
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_near(verify, "non-zeros, cube", 138.0, cube, 0.0);
    sn_verify_near(verify, "non-zeros, torus", 5460.0, torus, 0.0);
    sn_verify_near(verify, "non-zeros, trampoline", 8901.0, trampoline, 0.0);
    sn_verify_relative(verify, "sum of all entries, cube", 3.0, cube_mass, 1e-14);
}
