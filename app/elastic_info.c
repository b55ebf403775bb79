#include "elastic_info.h"

#include <math.h>
#include <stdio.h>

// Young's modulus and Poisson's ratio: E = 9 K G / (3 K + G), nu = (3 K - 2 G) / (6 K + 2 G).
static double young_of(const sn_elastic *e)
{
    return 9.0 * e->bulk * e->shear / (3.0 * e->bulk + e->shear);
}

static double poisson_of(const sn_elastic *e)
{
    return (3.0 * e->bulk - 2.0 * e->shear) / (6.0 * e->bulk + 2.0 * e->shear);
}

static int fixed_count(const sn_world *world, sn_body body)
{
    int count = 0;
    for (int i = 0; i < sn_body_vertex_count(world, body); ++i) {
        count += sn_body_vertex_is_fixed(world, body, i);
    }
    return count;
}

static double degrees(double radians)
{
    return radians * 180.0 / SN_PI;
}

static void json_material(sn_json_writer *json, const sn_elastic_material *material)
{
    const sn_elastic *e = &material->elastic;
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "law", sn_elastic_law_word(e->law));
    sn_json_write_number(json, "young", young_of(e));
    sn_json_write_number(json, "poisson", poisson_of(e));
    sn_json_write_number(json, "bulk", e->bulk);
    sn_json_write_number(json, "shear", e->shear);
    sn_json_write_number(json, "density", material->density);
    sn_json_write_close(json);
}

void sn_json_elastic(sn_json_writer *json, const sn_world *world, sn_body body)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    sn_tetrahedra_quality quality;
    sn_json_write_open(json, "mesh", '{');
    sn_json_write_integer(json, "vertices", (uint64_t)sn_tetrahedra_vertex_count(mesh));
    sn_json_write_integer(json, "elements", (uint64_t)sn_tetrahedra_element_count(mesh));
    sn_json_write_integer(json, "nodes", (uint64_t)sn_tetrahedra_nodes(mesh));
    sn_json_write_integer(json, "fixed", (uint64_t)fixed_count(world, body));
    if (sn_tetrahedra_measure(mesh, &quality)) {
        sn_json_write_number(json, "least_angle", quality.least_angle);
        sn_json_write_number(json, "least_ratio", quality.least_ratio);
        sn_json_write_number(json, "mean_ratio", quality.mean_ratio);
        sn_json_write_number(json, "shortest_edge", quality.shortest_edge);
        sn_json_write_number(json, "longest_edge", quality.longest_edge);
        sn_json_write_integer(json, "parts", (uint64_t)quality.part_count);
    }
    sn_json_write_integer(json, "turned", (uint64_t)sn_tetrahedra_turned_count(mesh));
    sn_json_write_integer(json, "inverted",
                          (uint64_t)sn_body_inverted_elements(world, body, NULL, 0));
    sn_json_write_close(json);
    int count = 0;
    const sn_elastic_material *materials = sn_body_materials(world, body, &count);
    sn_json_write_open(json, "materials", '[');
    for (int i = 0; i < count; ++i) {
        json_material(json, &materials[i]);
    }
    sn_json_write_close(json);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

bool sn_inverted_text(const sn_world *world, sn_body body, char text[SN_INVERTED_TEXT])
{
    enum { SHOWN = 8 };
    int list[SHOWN], count = sn_body_inverted_elements(world, body, list, SHOWN);
    int used = snprintf(text, SN_INVERTED_TEXT, "%d element%s inside out", count,
                        count == 1 ? " is" : "s are");
    for (int i = 0; i < count && i < SHOWN; ++i) {
        used += snprintf(text + used, (size_t)(SN_INVERTED_TEXT - used), "%s %d",
                         i == 0 ? ":" : ",", list[i]);
    }
    if (count > SHOWN) {
        snprintf(text + used, (size_t)(SN_INVERTED_TEXT - used), " and %d more", count - SHOWN);
    }
    return count > 0;
}

int sn_elastic_doubts(const sn_world *world, sn_body body,
                      char texts[SN_DOUBT_LIMIT][SN_DOUBT_TEXT])
{
    const double locking = 0.45, flat = 0.05;
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    sn_tetrahedra_quality quality;
    int count = 0, found = 0;
    const sn_elastic_material *materials = sn_body_materials(world, body, &count);
    double poisson = 0.0;
    for (int i = 0; i < count; ++i) {
        poisson = fmax(poisson, poisson_of(&materials[i].elastic));
    }
    if (sn_tetrahedra_nodes(mesh) == 4 && poisson > locking + 1e-9) {
        snprintf(texts[found++], SN_DOUBT_TEXT,
                 "elements of 4 nodes lock at a Poisson's ratio of %.5g and are too stiff; "
                 "\"nodes\": 10 are not",
                 poisson);
    }
    if (sn_tetrahedra_measure(mesh, &quality) && quality.least_ratio < flat) {
        snprintf(texts[found++], SN_DOUBT_TEXT,
                 "element %d is nearly flat: of quality %.2g, 1 is regular; steps suffer from it",
                 quality.least_ratio_element, quality.least_ratio);
    }
    return found;
}

void sn_print_inverted(const sn_world *world)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        char text[SN_INVERTED_TEXT];
        sn_body body = sn_world_body(world, i);
        if (sn_inverted_text(world, body, text)) {
            printf("body '%s': %s\n", sn_body_name(world, body), text);
        }
    }
}

// What does not keep a mesh from use, and may not be what its maker wanted.
static void print_oddities(const sn_tetrahedra *mesh, const sn_tetrahedra_quality *quality)
{
    sn_tetrahedra_report report = {0};
    int turned = sn_tetrahedra_turned_count(mesh);
    if (turned > 0) {
        printf("  %d element%s in negative order: turned\n", turned, plural(turned));
    }
    if (quality->part_count > 1) {
        printf("  %d parts that do not hang together\n", quality->part_count);
    }
    sn_tetrahedra_check(mesh, &report, NULL);
    int edges = report.counts[SN_TETRAHEDRA_HINGE],
        points = report.counts[SN_TETRAHEDRA_PINCHED_VERTEX];
    if (edges + points > 0) {
        printf("  parts hang together by %d edge%s and %d single %s alone\n", edges, plural(edges),
               points, points == 1 ? "vertex" : "vertices");
    }
    sn_tetrahedra_report_free(&report);
}

void sn_print_elastic(const sn_world *world, sn_body body)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    sn_tetrahedra_quality quality;
    printf("\nelastic body %s: %d vertices (%d fixed), %d element%s of %d nodes\n",
           sn_body_name(world, body), sn_tetrahedra_vertex_count(mesh), fixed_count(world, body),
           sn_tetrahedra_element_count(mesh), plural(sn_tetrahedra_element_count(mesh)),
           sn_tetrahedra_nodes(mesh));
    if (sn_tetrahedra_measure(mesh, &quality)) {
        printf("  edges %.4g to %.4g m, angles between faces %.1f to %.1f degrees, quality %.2f at "
               "least (element %d), %.2f in the mean\n",
               quality.shortest_edge, quality.longest_edge, degrees(quality.least_angle),
               degrees(quality.greatest_angle), quality.least_ratio, quality.least_ratio_element,
               quality.mean_ratio);
        print_oddities(mesh, &quality);
    }
    char inverted[SN_INVERTED_TEXT];
    if (sn_inverted_text(world, body, inverted)) {
        printf("  %s\n", inverted);
    }
    int count = 0;
    const sn_elastic_material *materials = sn_body_materials(world, body, &count);
    for (int i = 0; i < count; ++i) {
        const sn_elastic *e = &materials[i].elastic;
        printf("  material %d: %s, Young's modulus %.4g Pa, Poisson's ratio %.4g, %.4g kg/m^3\n", i,
               sn_elastic_law_word(e->law), young_of(e), poisson_of(e), materials[i].density);
    }
    char doubts[SN_DOUBT_LIMIT][SN_DOUBT_TEXT];
    int doubt_count = sn_elastic_doubts(world, body, doubts);
    for (int i = 0; i < doubt_count; ++i) {
        printf("  %s\n", doubts[i]);
    }
}
