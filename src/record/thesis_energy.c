// Energies of states, and the plot of them.
#include "base/error.h"
#include "base/memory.h"
#include "elastic/material.h"
#include "record/plot.h"
#include "record/thesis.h"

// ---- energy ----

static sn_mat3 edges_of(const sn_vec3 *values, const int v[4])
{
    sn_mat3 m;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 edge = sn_vec3_sub(values[v[k + 1]], values[v[0]]);
        m.m[0][k] = edge.x;
        m.m[1][k] = edge.y;
        m.m[2][k] = edge.z;
    }
    return m;
}

// Section 5.3.1: K = m/20 (sum of vi^2 + sum over pairs of vi . vj) = m/40 (|sum vi|^2 + sum vi^2).
static double kinetic(double mass, const sn_vec3 *velocities, const int v[4])
{
    sn_vec3 sum = velocities[v[0]];
    double squares = sn_dot(sum, sum);
    for (int k = 1; k < 4; ++k) {
        sum = sn_vec3_add(sum, velocities[v[k]]);
        squares += sn_dot(velocities[v[k]], velocities[v[k]]);
    }
    return mass / 40.0 * (sn_dot(sum, sum) + squares);
}

static void add_element(const sn_thesis_element *e, const sn_thesis_state *state, sn_vec3 gravity,
                        bool rest_volume, sn_thesis_energy *energy)
{
    sn_mat3 inverse = sn_mat3_inverse(e->rest), b = edges_of(state->positions, e->vertices);
    sn_mat3 f = sn_mat3_multiply(b, inverse);
    sn_mat3 rate = sn_mat3_multiply(edges_of(state->velocities, e->vertices), inverse);
    double volume = sn_mat3_determinant(e->rest) / 6.0, mass = e->density * volume;
    sn_elastic material = {.law = SN_ELASTIC_LIESENFELD, .bulk = e->bulk, .shear = e->shear};
    sn_viscosity viscosity = {e->volume_viscosity, e->shape_viscosity};
    sn_vec3 middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        middle = sn_vec3_add_scaled(middle, 0.25, state->positions[e->vertices[k]]);
    }
    double now = rest_volume ? volume : fabs(sn_mat3_determinant(b)) / 6.0;
    energy->kinetic += kinetic(mass, state->velocities, e->vertices);
    energy->elastic += volume * sn_elastic_energy(&material, &f);
    energy->gravity -= mass * sn_dot(gravity, middle);
    energy->power += now * sn_viscosity_power(&viscosity, &f, &rate);
}

sn_status sn_thesis_measure(const sn_thesis_file *topology, const sn_thesis_state *state,
                            sn_vec3 gravity, bool rest_volume, sn_thesis_energy *energy,
                            sn_error *error)
{
    *energy = (sn_thesis_energy){.time = state->time};
    sn_status status = sn_thesis_check_vertices(topology, NULL, state->vertex_count, error);
    for (int i = 0; status == SN_OK && i < topology->count; ++i) {
        add_element(&topology->elements[i], state, gravity, rest_volume, energy);
    }
    return status;
}

int sn_thesis_count_inverted(const sn_thesis_file *topology, const sn_thesis_state *state,
                             int *first)
{
    int count = 0;
    *first = -1;
    for (int i = 0; i < topology->count; ++i) {
        sn_mat3 b = edges_of(state->positions, topology->elements[i].vertices);
        if (!(sn_mat3_determinant(b) > 0.0)) {
            *first = count++ == 0 ? i : *first;
        }
    }
    return count;
}

// ---- showen ----

void sn_thesis_dissipation(const sn_thesis_file *energies, double *dissipated)
{
    double sum = 0.0;
    for (int i = 0; i < energies->count; ++i) {
        const sn_thesis_energy *e = &energies->energies[i];
        if (i > 0) {
            sum += 0.5 * (e->time - e[-1].time) * (e->power + e[-1].power);
        }
        dissipated[i] = sum;
    }
}

// G counts from the first state: the weight of what is held, as of a floor, would bury the others.
static void put_table(const sn_thesis_file *energies, const double *dissipated, sn_text *csv)
{
    double level = energies->count > 0 ? energies->energies[0].gravity : 0.0;
    sn_text_add(csv, "t[s],K kinetic,P elastic,G gravitational,D dissipated,U = K + P + G,"
                     "T = U + D\n");
    for (int i = 0; i < energies->count; ++i) {
        const sn_thesis_energy *e = &energies->energies[i];
        double height = e->gravity - level, useful = e->kinetic + e->elastic + height;
        const double row[7] = {
            e->time, e->kinetic, e->elastic, height, dissipated[i], useful, useful + dissipated[i]};
        for (int k = 0; k < 7; ++k) {
            sn_text_add(csv, k > 0 ? "," : "");
            sn_text_number(csv, row[k]);
        }
        sn_text_add(csv, "\n");
    }
}

sn_status sn_thesis_plot(const sn_thesis_file *energies, const char *title, const char *svg_path,
                         sn_error *error)
{
    sn_text csv = {0};
    size_t bytes = ((size_t)energies->count + 1) * sizeof(double);
    double *dissipated = sn_allocate(bytes);
    if (dissipated == NULL) {
        return sn_fail_memory(error, bytes);
    }
    sn_thesis_dissipation(energies, dissipated);
    put_table(energies, dissipated, &csv);
    sn_free(dissipated);
    sn_table table = {0};
    sn_status status = csv.failed ? sn_fail_memory(error, csv.length)
                                  : sn_table_parse("energies", csv.data, csv.length, &table, error);
    sn_text_free(&csv);
    if (status == SN_OK) {
        sn_plot_def plot = sn_default_plot_def();
        plot.csv_path = "energies";
        plot.svg_path = svg_path;
        plot.title = title;
        status = sn_plot_table(&plot, &table, error);
    }
    sn_table_free(&table);
    return status;
}
