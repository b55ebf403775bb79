// Round bodies of tetrahedra.
#include "base/error.h"
#include "geometry/generate.h"
#include "geometry/tetrahedra_builder.h"
#include "geometry/tetrahedra_lattice.h"
#include "geometry/tetrahedra_section.h"

enum { MOST = 100000 };

static sn_status check_number(const char *name, int value, int least, sn_error *error)
{
    if (value < least || value > MOST) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d %s; %d to %d were expected", value, name,
                       least, MOST);
    }
    return SN_OK;
}

// A disc's points must be countable.
static sn_status check_disc(int rings, int spokes, sn_error *error)
{
    sn_status status = check_number("rings", rings, 1, error);
    status = status == SN_OK ? check_number("spokes", spokes, 3, error) : status;
    if (status == SN_OK && 1.0 * rings * rings * spokes > 1e8) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d rings of %d spokes; at most 1e8 triangles a section were expected",
                       rings, spokes);
    }
    return status;
}

// ---- cylinder, torus, tube ----

sn_tetrahedra_cylinder sn_default_tetrahedra_cylinder(void)
{
    return (sn_tetrahedra_cylinder){
        .radius = 0.5, .height = 1.0, .rings = 2, .spokes = 6, .layers = 4};
}

sn_status sn_tetrahedra_make_cylinder(const sn_tetrahedra_cylinder *cylinder,
                                      sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_length("radius", cylinder->radius, error);
    status = status == SN_OK ? sn_check_length("height", cylinder->height, error) : status;
    status = status == SN_OK ? check_disc(cylinder->rings, cylinder->spokes, error) : status;
    status = status == SN_OK ? check_number("layers", cylinder->layers, 1, error) : status;
    if (status != SN_OK) {
        return status;
    }
    sn_section section = {0};
    sn_section_disc(&section, cylinder->radius, cylinder->rings, cylinder->spokes);
    return sn_section_raise(&section, -0.5 * cylinder->height, cylinder->height, cylinder->layers,
                            tetrahedra, error);
}

sn_tetrahedra_torus sn_default_tetrahedra_torus(void)
{
    return (sn_tetrahedra_torus){
        .radius = 1.0, .tube_radius = 0.3, .rings = 1, .spokes = 8, .segments = 20};
}

sn_status sn_tetrahedra_make_torus(const sn_tetrahedra_torus *torus, sn_tetrahedra **tetrahedra,
                                   sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_length("tube radius", torus->tube_radius, error);
    status = status == SN_OK ? sn_check_length("radius", torus->radius, error) : status;
    status = status == SN_OK ? check_disc(torus->rings, torus->spokes, error) : status;
    status = status == SN_OK ? check_number("segments", torus->segments, 3, error) : status;
    if (status == SN_OK && !(torus->radius > torus->tube_radius)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "a torus of radius %g m and tube radius %g m; a tube that stays away from "
                         "the axis was expected",
                         torus->radius, torus->tube_radius);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_section section = {0};
    sn_section_disc(&section, torus->tube_radius, torus->rings, torus->spokes);
    return sn_section_turn(&section, torus->radius, torus->segments, tetrahedra, error);
}

sn_tetrahedra_tube sn_default_tetrahedra_tube(void)
{
    return (sn_tetrahedra_tube){.inner_radius = 0.3,
                                .radius = 0.5,
                                .height = 1.0,
                                .rings = 2,
                                .segments = 24,
                                .layers = 10};
}

sn_status sn_tetrahedra_make_tube(const sn_tetrahedra_tube *tube, sn_tetrahedra **tetrahedra,
                                  sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_length("inner radius", tube->inner_radius, error);
    status = status == SN_OK ? sn_check_length("radius", tube->radius, error) : status;
    status = status == SN_OK ? sn_check_length("height", tube->height, error) : status;
    status = status == SN_OK ? check_number("rings", tube->rings, 1, error) : status;
    status = status == SN_OK ? check_number("segments", tube->segments, 3, error) : status;
    status = status == SN_OK ? check_number("layers", tube->layers, 1, error) : status;
    if (status == SN_OK && !(tube->radius > tube->inner_radius)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "a tube of inner radius %g m and radius %g m; a smaller inner one was "
                         "expected",
                         tube->inner_radius, tube->radius);
    }
    if (status == SN_OK && 1.0 * tube->rings * tube->segments > 1e8) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "%d rings of %d segments; at most 1e8 were expected", tube->rings,
                         tube->segments);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_section section = {0};
    sn_section_annulus(&section, tube->inner_radius, tube->radius, tube->rings, tube->segments);
    return sn_section_raise(&section, -0.5 * tube->height, tube->height, tube->layers, tetrahedra,
                            error);
}

// ---- sphere ----

typedef struct ball {
    double radius;
    int rings;
} ball;

// Layer k of a cut icosahedron, k the weight of all corners but the middle (vertex 0), goes to the
// sphere of radius k / rings.
static sn_vec3 place_on_sphere(const void *context, const sn_lattice_point *point, sn_vec3 mean)
{
    const ball *b = context;
    int layer = point->corners[0] == 0 ? b->rings - point->weights[0] : b->rings;
    return sn_vec3_scale(b->radius * layer / b->rings, sn_normalize(mean));
}

// The ends of three golden rectangles; three of them make a face when all are neighbours.
static sn_status make_icosahedron(sn_tetrahedra **icosahedron, sn_error *error)
{
    double golden = 0.5 * (1.0 + sqrt(5.0)), a = 1.0 / sqrt(1.0 + golden * golden), b = a * golden;
    const sn_vec3 corners[12] = {{0, a, b}, {0, a, -b}, {0, -a, b}, {0, -a, -b},
                                 {a, b, 0}, {a, -b, 0}, {-a, b, 0}, {-a, -b, 0},
                                 {b, 0, a}, {-b, 0, a}, {b, 0, -a}, {-b, 0, -a}};
    sn_tetrahedra_builder builder = {0};
    sn_tetrahedra_builder_vertex(&builder, SN_VEC3_ZERO);
    for (int i = 0; i < 12; ++i) {
        sn_tetrahedra_builder_vertex(&builder, corners[i]);
    }
    double near = 2.5 * a; // an edge is 2 a, the next distance 2 b
    for (int i = 0; i < 12; ++i) {
        for (int j = i + 1; j < 12; ++j) {
            for (int k = j + 1; k < 12; ++k) {
                if (sn_distance(corners[i], corners[j]) < near &&
                    sn_distance(corners[j], corners[k]) < near &&
                    sn_distance(corners[k], corners[i]) < near) {
                    sn_tetrahedra_builder_element(&builder, 0, 1 + i, 1 + j, 1 + k);
                }
            }
        }
    }
    return sn_tetrahedra_builder_finish(&builder, icosahedron, error);
}

sn_status sn_tetrahedra_make_sphere(double radius, int rings, sn_tetrahedra **tetrahedra,
                                    sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_length("radius", radius, error);
    status = status == SN_OK ? check_number("rings", rings, 1, error) : status;
    sn_tetrahedra *icosahedron = NULL;
    status = status == SN_OK ? make_icosahedron(&icosahedron, error) : status;
    if (status == SN_OK) {
        const ball b = {radius, rings};
        status = sn_tetrahedra_lattice(icosahedron, rings, place_on_sphere, &b, tetrahedra, error);
    }
    sn_tetrahedra_release(icosahedron);
    return status;
}
