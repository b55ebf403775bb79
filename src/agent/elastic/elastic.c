#include "agent/elastic/elastic.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { STRIDE = SN_SOLID_STRIDE };

// ---- items ----

static void free_item(sn_elastic_item *item)
{
    if (item == NULL) {
        return;
    }
    sn_tetrahedra_release(item->mesh);
    sn_free(item->rest);
    sn_free(item->materials);
    sn_free(item->viscosities);
    sn_linear_destroy(item->linear);
    sn_linear_destroy(item->inertia);
    sn_solid_destroy(item->solid);
    sn_mass_free(&item->mass);
    sn_free(item->fixed);
    sn_free(item->row_mass);
    sn_free(item->rest_moment);
    sn_free(item->force);
    sn_free(item->drag);
    sn_skin_destroy(item->skin);
    sn_array_free(&item->known);
    sn_array_free(&item->hands);
    sn_array_free(&item->answer);
    sn_array_free(&item->bonds);
    sn_array_free(&item->bond_rows);
    sn_array_free(&item->bond_numbers);
    sn_array_free(&item->bond_order);
    sn_array_free(&item->grips);
    sn_array_free(&item->compliance);
    sn_array_free(&item->row_numbers);
    sn_array_free(&item->row_starts);
    sn_array_free(&item->row_nodes);
    sn_free(item);
}

// The vectors of an item are one block of memory.
static bool reserve_vectors(sn_elastic_item *item, int vertices)
{
    enum { VECTORS = 10 };
    size_t length = (size_t)(STRIDE * vertices);
    item->fixed = sn_allocate_zero((size_t)vertices);
    item->row_mass = sn_allocate_zero((size_t)vertices * sizeof(double));
    item->rest_moment = sn_allocate_zero(length * sizeof(double));
    item->force = sn_allocate_zero(VECTORS * length * sizeof(double));
    if (item->fixed == NULL || item->row_mass == NULL || item->rest_moment == NULL ||
        item->force == NULL) {
        return false;
    }
    item->impulse = item->force + length;
    item->right = item->impulse + length;
    item->change = item->right + length;
    item->place = item->change + length;
    item->turn = item->place + length;
    item->q_start = item->turn + length;
    item->v_start = item->q_start + length;
    item->lean = item->v_start + length;
    item->bend = item->lean + length;
    return true;
}

static sn_status make_solid(sn_elastic_item *item, const char *place, sn_error *error)
{
    int count = item->material_count;
    sn_elastic *laws = sn_allocate((size_t)count * sizeof *laws);
    sn_plastic *plastics = sn_allocate((size_t)count * sizeof *plastics);
    double *densities = sn_allocate((size_t)count * sizeof *densities);
    sn_status status = laws != NULL && plastics != NULL && densities != NULL
                           ? SN_OK
                           : sn_fail_memory(error, (size_t)count * sizeof *laws);
    item->stiffness = SN_STIFFNESS_FROZEN;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        laws[i] = item->materials[i].elastic;
        plastics[i] = item->materials[i].plastic;
        densities[i] = item->materials[i].density;
        if (laws[i].law != SN_ELASTIC_COROTATIONAL || laws[i].fibre_stiffness > 0.0) {
            item->stiffness = SN_STIFFNESS_PROJECTED;
        }
    }
    if (status == SN_OK) {
        sn_solid_def def = {.mesh = item->mesh,
                            .materials = laws,
                            .material_count = count,
                            .rest = item->rest,
                            .place = place};
        status = sn_solid_create(&def, &item->solid, error);
    }
    if (status == SN_OK) {
        status = sn_solid_make_plastic(item->solid, plastics, count, place, error);
        item->barrier = sn_solid_has_barrier(item->solid);
    }
    int elements = sn_tetrahedra_element_count(item->mesh);
    double *volumes = NULL;
    if (status == SN_OK && item->rest != NULL) {
        volumes = sn_allocate((size_t)elements * sizeof *volumes);
        status = volumes != NULL ? SN_OK : sn_fail_memory(error, (size_t)elements * sizeof(double));
    }
    for (int e = 0; e < elements && volumes != NULL; ++e) {
        volumes[e] = sn_solid_rest_volume(item->solid, e);
    }
    if (status == SN_OK) {
        status = sn_mass_create(item->mesh, densities, count,
                                item->mass_kind == SN_ELASTIC_MASS_LUMPED ? SN_MASS_LUMPED
                                                                          : SN_MASS_CONSISTENT,
                                volumes, &item->mass, error);
    }
    sn_free(volumes);
    sn_free(laws);
    sn_free(plastics);
    sn_free(densities);
    return status;
}

// M 1, the centre at rest, and M times places from there.
static void weigh(sn_elastic_item *item)
{
    const sn_vec3 *rest = sn_tetrahedra_positions(item->mesh);
    int count = item->mass.vertex_count;
    double *ones = item->right, *sums = item->change;
    for (int i = 0; i < STRIDE * count; ++i) {
        ones[i] = i % STRIDE < 3 ? 1.0 : 0.0;
        sums[i] = 0.0;
    }
    sn_mass_add_product(&item->mass, STRIDE, 1.0, ones, sums);
    item->rest_centre = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        item->row_mass[i] = sums[STRIDE * i];
        item->rest_centre =
            sn_vec3_add_scaled(item->rest_centre, item->row_mass[i] / item->mass.total, rest[i]);
    }
    item->radius = 0.0;
    for (int i = 0; i < count; ++i) {
        sn_vec3 arm = sn_vec3_sub(rest[i], item->rest_centre);
        sn_vec3_put(item->right + STRIDE * i, arm);
        item->right[STRIDE * i + 3] = 0.0;
        item->radius = fmax(item->radius, sn_length(arm));
    }
    sn_mass_add_product(&item->mass, STRIDE, 1.0, item->right, item->rest_moment);
}

static double find_shortest_edge(const sn_tetrahedra *mesh)
{
    const sn_vec3 *x = sn_tetrahedra_positions(mesh);
    const int *elements = sn_tetrahedra_elements(mesh);
    int nodes = sn_tetrahedra_nodes(mesh);
    double shortest = INFINITY;
    for (int e = 0; e < sn_tetrahedra_element_count(mesh); ++e, elements += nodes) {
        for (int i = 0; i < 4; ++i) {
            for (int k = i + 1; k < 4; ++k) {
                shortest = fmin(shortest, sn_length(sn_vec3_sub(x[elements[i]], x[elements[k]])));
            }
        }
    }
    return shortest;
}

static sn_status make_linear(sn_elastic_item *item, int integrator, const char *place,
                             sn_error *error)
{
    const sn_linear_kind kinds[] = {SN_LINEAR_AUTOMATIC, SN_LINEAR_DIRECT, SN_LINEAR_CONJUGATE};
    sn_linear_def def = {.mesh = item->mesh,
                         .solid = item->solid,
                         .mass = &item->mass,
                         .kind = kinds[item->solver_kind],
                         .tolerance = item->tolerance,
                         .place = place};
    bool implicit =
        integrator == SN_INTEGRATOR_LIE_MIDPOINT || integrator == SN_INTEGRATOR_IMPLICIT_EULER;
    if (implicit) {
        return sn_linear_create(&def, &item->linear, error);
    }
    if (item->mass_kind == SN_ELASTIC_MASS_LUMPED) {
        return SN_OK;
    }
    def.kind = SN_LINEAR_DIRECT; // M is factored once
    return sn_linear_create(&def, &item->inertia, error);
}

sn_status sn_elastic_factor_mass(sn_elastic_item *item, sn_error *error)
{
    if (item->inertia == NULL) {
        return SN_OK;
    }
    sn_linear_begin(item->inertia, NULL, 1.0, 0.0);
    return sn_linear_finish(item->inertia, NULL, item->fixed, NULL, error);
}

static sn_status copy_array(void **to, const void *from, size_t bytes, sn_error *error)
{
    *to = NULL;
    if (from == NULL || bytes == 0) {
        return SN_OK;
    }
    *to = sn_allocate(bytes);
    if (*to == NULL) {
        return sn_fail_memory(error, bytes);
    }
    memcpy(*to, from, bytes);
    return SN_OK;
}

static sn_elastic_mass resolve_mass(sn_elastic_mass wanted, int integrator)
{
    return wanted != SN_ELASTIC_MASS_DEFAULT              ? wanted
           : integrator == SN_INTEGRATOR_SYMPLECTIC_EULER ? SN_ELASTIC_MASS_LUMPED
                                                          : SN_ELASTIC_MASS_CONSISTENT;
}

static sn_status make_viscosities(sn_elastic_item *item, sn_error *error)
{
    bool any = false;
    for (int i = 0; i < item->material_count; ++i) {
        sn_viscosity one = item->materials[i].viscosity;
        any = any || one.volume > 0.0 || one.shape > 0.0;
    }
    if (!any) {
        return SN_OK;
    }
    size_t bytes = (size_t)item->material_count * sizeof *item->viscosities;
    item->viscosities = sn_allocate(bytes);
    for (int i = 0; i < item->material_count && item->viscosities != NULL; ++i) {
        item->viscosities[i] = item->materials[i].viscosity;
    }
    return item->viscosities != NULL ? SN_OK : sn_fail_memory(error, bytes);
}

static sn_status check_flow(const sn_elastic_item *item, int integrator, const char *place,
                            sn_error *error)
{
    if (!sn_integrator_is_staged(integrator) || sn_solid_plastic_has_rate(item->solid)) {
        return SN_OK;
    }
    return sn_fail(error, SN_ERROR_ARGUMENT, place,
                   "plastic flow at once or up to a limit under an integrator with stages; a creep "
                   "rate above 0 and no limit, or a single-stage integrator, was expected");
}

static sn_status make_item(const sn_elastic_def *def, int integrator, sn_elastic_item **out,
                           sn_error *error)
{
    *out = NULL;
    int vertices = sn_tetrahedra_vertex_count(def->mesh),
        elements = sn_tetrahedra_element_count(def->mesh);
    sn_elastic_item *item = sn_allocate_zero(sizeof *item);
    if (item == NULL) {
        return sn_fail_memory(error, sizeof *item);
    }
    item->mesh = sn_tetrahedra_retain(def->mesh);
    item->material_count = def->material_count;
    item->viscosity_now = !def->viscosity_at_rest;
    item->rayleigh = (sn_rayleigh){def->mass_damping, def->stiffness_damping};
    item->mass_kind = resolve_mass(def->mass, integrator);
    item->solver_kind = def->solver;
    item->tolerance = def->solver_tolerance;
    item->newton = def->newton;
    item->newton_tolerance = def->newton_tolerance;
    item->surface = def->surface;
    item->meets_itself = def->meets_itself;
    void *materials = NULL, *rest = NULL;
    sn_status status = copy_array(&materials, def->materials,
                                  (size_t)def->material_count * sizeof *def->materials, error);
    item->materials = materials;
    if (status == SN_OK) {
        status = copy_array(&rest, def->rest, (size_t)elements * sizeof *def->rest, error);
        item->rest = rest;
    }
    if (status == SN_OK && !reserve_vectors(item, vertices)) {
        status = sn_fail_memory(error, (size_t)(STRIDE * vertices) * sizeof(double));
    }
    status = status == SN_OK ? make_viscosities(item, error) : status;
    status = status == SN_OK ? make_solid(item, def->name, error) : status;
    if (status == SN_OK) {
        for (int i = 0; i < def->fixed_count; ++i) {
            item->fixed_count += !item->fixed[def->fixed[i]];
            item->fixed[def->fixed[i]] = 7;
        }
        weigh(item);
        item->shortest = find_shortest_edge(item->mesh);
        status = check_flow(item, integrator, def->name, error);
        status = status == SN_OK ? make_linear(item, integrator, def->name, error) : status;
        status = status == SN_OK ? sn_elastic_factor_mass(item, error) : status;
    }
    if (status != SN_OK) {
        free_item(item);
        return status;
    }
    *out = item;
    return SN_OK;
}

// ---- checks ----

static sn_status check_materials(const sn_elastic_def *def, const char *name, sn_error *error)
{
    int regions = 0, least = INT_MAX;
    for (int e = 0; e < sn_tetrahedra_element_count(def->mesh); ++e) {
        int region = sn_tetrahedra_regions(def->mesh)[e];
        regions = region + 1 > regions ? region + 1 : regions;
        least = region < least ? region : least;
    }
    if (def->materials == NULL || def->material_count < 1 ||
        (def->material_count > 1 && (def->material_count < regions || least < 0))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "%d materials for regions from %d to %d; one for all, or a list in which "
                       "region 0 has the first, region 1 the second and so on, was expected",
                       def->material_count, least, regions - 1);
    }
    for (int i = 0; i < def->material_count; ++i) {
        const sn_elastic_material *m = &def->materials[i];
        sn_status status = sn_elastic_check(&m->elastic, name, error);
        if (status != SN_OK) {
            return status;
        }
        if (!(m->density > 0.0) || !isfinite(m->density)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "density %g kg/m^3; a finite number above 0 was expected", m->density);
        }
        status = sn_plastic_check(&m->plastic, &m->elastic, name, error);
        if (status != SN_OK) {
            return status;
        }
        if (!(m->viscosity.volume >= 0.0) || !(m->viscosity.shape >= 0.0) ||
            !isfinite(m->viscosity.volume + m->viscosity.shape)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "viscosities %g and %g Pa s; finite numbers, 0 or more, were expected",
                           m->viscosity.volume, m->viscosity.shape);
        }
    }
    return SN_OK;
}

// A vertex without an element has no mass, and no step could be solved.
static sn_status check_vertices(const sn_elastic_def *def, const char *name, sn_error *error)
{
    int count = sn_tetrahedra_vertex_count(def->mesh), alone = -1;
    uint8_t *used = sn_allocate_zero((size_t)count);
    if (used == NULL) {
        return sn_fail_memory(error, (size_t)count);
    }
    const int *v = sn_tetrahedra_elements(def->mesh);
    size_t corners =
        (size_t)sn_tetrahedra_element_count(def->mesh) * (size_t)sn_tetrahedra_nodes(def->mesh);
    for (size_t k = 0; k < corners; ++k) {
        used[v[k]] = 1;
    }
    for (int i = 0; i < count && alone < 0; ++i) {
        alone = used[i] ? -1 : i;
    }
    sn_free(used);
    return alone < 0 ? SN_OK
                     : sn_fail(error, SN_ERROR_GEOMETRY, name,
                               "vertex %d belongs to no element; all were expected to", alone);
}

static sn_status check_numbers(const sn_elastic_def *def, const char *name, sn_error *error)
{
    if (!(def->mass_damping >= 0.0) || !(def->stiffness_damping >= 0.0) ||
        !isfinite(def->mass_damping + def->stiffness_damping)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "damping by mass %g 1/s and by stiffness %g s; finite numbers, 0 or more, "
                       "were expected",
                       def->mass_damping, def->stiffness_damping);
    }
    if (!(def->solver_tolerance > 0.0 && def->solver_tolerance < 1.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "solver tolerance %g; above 0 and below 1 was expected",
                       def->solver_tolerance);
    }
    if (def->newton < 1 || def->newton > 100 || !(def->newton_tolerance >= 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "%d linearisations a step to a tolerance of %g; 1 to 100 and 0 or more were "
                       "expected",
                       def->newton, def->newton_tolerance);
    }
    if ((unsigned)def->mass >= SN_ELASTIC_MASS_COUNT ||
        (unsigned)def->solver >= SN_ELASTIC_SOLVER_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "mass %d or solver %d is none of those there are", (int)def->mass,
                       (int)def->solver);
    }
    int vertices = sn_tetrahedra_vertex_count(def->mesh);
    for (int i = 0; i < def->fixed_count; ++i) {
        if (def->fixed == NULL || def->fixed[i] < 0 || def->fixed[i] >= vertices) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "fixed vertex %d; 0 to %d were expected",
                           def->fixed != NULL ? def->fixed[i] : -1, vertices - 1);
        }
    }
    for (int i = 0; i < vertices; ++i) {
        bool finite = (def->positions == NULL || sn_vec3_is_finite(def->positions[i])) &&
                      (def->velocities == NULL || sn_vec3_is_finite(def->velocities[i]));
        if (!finite) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "the position or velocity of vertex %d is not finite", i);
        }
    }
    return SN_OK;
}

static sn_status check_def(const sn_elastic_def *def, int integrator, sn_error *error)
{
    const char *name = def->name;
    if (def->mesh == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "an elastic body needs a mesh");
    }
    if (sn_tetrahedra_vertex_count(def->mesh) > INT_MAX / (2 * STRIDE)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "%d vertices are too many",
                       sn_tetrahedra_vertex_count(def->mesh));
    }
    sn_status status = check_vertices(def, name, error);
    status = status == SN_OK ? check_materials(def, name, error) : status;
    status = status == SN_OK ? check_numbers(def, name, error) : status;
    if (status == SN_OK && integrator == SN_INTEGRATOR_SYMPLECTIC_EULER &&
        def->stiffness_damping > 0.0) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, name,
                         "damping by stiffness is taken by implicit and staged integrators only; "
                         "symplectic_euler has none");
    }
    return status;
}

// ---- the set ----

void sn_elastic_set_init(sn_elastic_set *set)
{
    *set = (sn_elastic_set){.agents = {.type = &sn_elastic_type}};
}

void sn_elastic_set_free(sn_elastic_set *set)
{
    for (int i = 0; i < set->agents.count; ++i) {
        free_item(set->items[i]);
    }
    sn_free(set->items);
    sn_agent_set_free(&set->agents);
    sn_elastic_set_init(set);
}

static bool reserve_items(sn_elastic_set *set)
{
    int capacity = set->agents.capacity;
    if (capacity <= set->capacity) {
        return true;
    }
    sn_elastic_item **items = sn_reallocate(set->items, (size_t)capacity * sizeof *items);
    if (items == NULL) {
        return false;
    }
    set->items = items;
    set->capacity = capacity;
    return true;
}

// Where vertices are at the start, and how they move.
static void place_vertices(const sn_elastic_def *def, const sn_elastic_item *item, double *q,
                           double *v)
{
    const sn_vec3 *rest = sn_tetrahedra_positions(def->mesh);
    sn_vec3 centre = sn_transform_point(def->frame, item->rest_centre);
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 place =
            def->positions != NULL ? def->positions[i] : sn_transform_point(def->frame, rest[i]);
        sn_vec3 velocity =
            def->velocities != NULL
                ? def->velocities[i]
                : sn_velocity_at(def->velocity, def->angular_velocity, sn_vec3_sub(place, centre));
        sn_vec3_put(q + STRIDE * i, place);
        sn_vec3_put(v + STRIDE * i, item->fixed[i] != 0 ? SN_VEC3_ZERO : velocity);
        q[STRIDE * i + 3] = v[STRIDE * i + 3] = 0.0;
    }
}

sn_status sn_elastic_add(sn_elastic_set *set, const sn_elastic_def *def, const sn_agent *head,
                         int *agent, sn_error *error)
{
    *agent = -1;
    sn_status status = check_def(def, head->integrator, error);
    sn_elastic_item *item = NULL;
    status = status == SN_OK ? make_item(def, head->integrator, &item, error) : status;
    if (status != SN_OK) {
        return status;
    }
    int numbers = STRIDE * sn_tetrahedra_vertex_count(def->mesh);
    int flow = sn_solid_plastic_size(item->solid);
    if (!sn_agent_set_reserve(&set->agents, 1, numbers + flow, numbers, 1) || !reserve_items(set)) {
        free_item(item);
        return sn_fail_memory(error, (size_t)numbers * sizeof(double));
    }
    sn_agent one = *head;
    one.q_count = numbers + flow;
    one.v_count = numbers;
    one.part_count = 1;
    *agent = sn_agent_set_add(&set->agents, &one);
    set->items[*agent] = item;
    place_vertices(def, item, sn_agent_q(&set->agents, *agent), sn_agent_v(&set->agents, *agent));
    sn_solid_plastic_start(item->solid, sn_agent_q(&set->agents, *agent) + numbers);
    sn_agent_set_keep(&set->agents, *agent, *agent + 1);
    return SN_OK;
}

static void close_gap(double *numbers, int first, int count, int total)
{
    memmove(numbers + first, numbers + first + count,
            (size_t)(total - first - count) * sizeof *numbers);
}

void sn_elastic_remove(sn_elastic_set *set, int agent)
{
    sn_agent_set *agents = &set->agents;
    const sn_agent gone = agents->agents[agent];
    double *places[] = {agents->q, agents->q_last};
    double *speeds[] = {agents->v, agents->v_last, agents->joint_force, agents->joint_external};
    free_item(set->items[agent]);
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        close_gap(places[k], gone.q_first, gone.q_count, agents->q_count);
    }
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
        close_gap(speeds[k], gone.v_first, gone.v_count, agents->v_count);
    }
    for (int i = agent; i + 1 < agents->count; ++i) {
        agents->agents[i] = agents->agents[i + 1];
        agents->agents[i].q_first -= gone.q_count;
        agents->agents[i].v_first -= gone.v_count;
        agents->agents[i].part_first -= 1;
        memcpy(sn_agent_memory(agents, i), sn_agent_memory(agents, i + 1),
               sizeof(sn_elastic_memory));
        agents->force[i] = agents->force[i + 1];
        agents->external[i] = agents->external[i + 1];
        set->items[i] = set->items[i + 1];
        if (agents->damped != NULL) {
            agents->damped[i] = agents->damped[i + 1];
            memcpy(agents->damping + (size_t)i * SN_DAMPING_SIZE,
                   agents->damping + (size_t)(i + 1) * SN_DAMPING_SIZE,
                   SN_DAMPING_SIZE * sizeof(double));
        }
    }
    agents->count -= 1;
    agents->part_count -= 1;
    agents->q_count -= gone.q_count;
    agents->v_count -= gone.v_count;
}

// What an item was made of, but for its state.
static sn_status copy_item(const sn_elastic_item *from, int integrator, sn_elastic_item **to)
{
    sn_elastic_def def = {.mesh = from->mesh,
                          .rest = from->rest,
                          .materials = from->materials,
                          .material_count = from->material_count,
                          .mass_damping = from->rayleigh.mass_rate,
                          .stiffness_damping = from->rayleigh.stiffness_time,
                          .viscosity_at_rest = !from->viscosity_now,
                          .mass = from->mass_kind,
                          .solver = from->solver_kind,
                          .solver_tolerance = from->tolerance,
                          .newton = from->newton,
                          .newton_tolerance = from->newton_tolerance,
                          .surface = from->surface,
                          .meets_itself = from->meets_itself};
    sn_status status = make_item(&def, integrator, to, NULL);
    if (status == SN_OK) {
        memcpy((*to)->fixed, from->fixed, (size_t)from->mass.vertex_count);
        (*to)->fixed_count = from->fixed_count;
        status = sn_elastic_factor_mass(*to, NULL);
    }
    return status;
}

bool sn_elastic_set_copy(const sn_elastic_set *set, sn_elastic_set *copy)
{
    sn_elastic_set_init(copy);
    if (!sn_agent_set_copy(&set->agents, &copy->agents)) {
        return false;
    }
    int count = copy->agents.count;
    copy->agents.count = 0; // items that there are, for the case of failure
    bool made = reserve_items(copy);
    for (int i = 0; i < count && made; ++i) {
        made = copy_item(set->items[i], set->agents.agents[i].integrator, &copy->items[i]) == SN_OK;
        copy->agents.count += made;
    }
    if (!made) {
        sn_elastic_set_free(copy);
    }
    return made;
}

// ---- the type ----

static void elastic_part(const sn_agent_set *set, int agent, int part, sn_part *now)
{
    if (part > 0) { // a point that is touched
        const sn_elastic_point *grip = &sn_elastic_item_of(set, agent)->grips.data[part - 1];
        *now = (sn_part){.frame = SN_TRANSFORM_IDENTITY};
        sn_elastic_read_point(set, agent, grip, &now->centre, &now->velocity);
        now->frame.position = now->centre;
        return;
    }
    sn_elastic_mean mean;
    sn_elastic_find_mean(set, agent, true, &mean);
    *now = (sn_part){mean.frame, mean.centre, mean.velocity, mean.angular_velocity};
}

static void elastic_restore(sn_agent_set *set, int agent)
{
    (void)set;
    (void)agent;
}

static sn_aabb elastic_bounds(const sn_agent_set *set, int agent)
{
    const double *q = sn_agent_q(set, agent);
    sn_aabb box = {sn_vec3_at(q), sn_vec3_at(q)};
    for (int i = STRIDE; i < set->agents[agent].v_count; i += STRIDE) {
        box.lower = sn_vec3_min(box.lower, sn_vec3_at(q + i));
        box.upper = sn_vec3_max(box.upper, sn_vec3_at(q + i));
    }
    return box;
}

void sn_elastic_measure_at(const sn_agent_set *set, int agent, sn_vec3 gravity, const double *q,
                           const double *v, sn_measure *measure)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    *measure = (sn_measure){0};
    sn_elastic_follow_flow(set, agent);
    double *momentum = item->right;
    memset(momentum, 0, (size_t)(STRIDE * item->mass.vertex_count) * sizeof *momentum);
    sn_mass_add_product(&item->mass, STRIDE, 1.0, v, momentum);
    bool wide = sn_solid_use_wide(item->solid, false);
    measure->potential = sn_solid_energy(item->solid, set->threads, q);
    sn_solid_use_wide(item->solid, wide);
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 x = sn_vec3_at(q + STRIDE * i), p = sn_vec3_at(momentum + STRIDE * i);
        measure->kinetic += 0.5 * sn_dot(sn_vec3_at(v + STRIDE * i), p);
        measure->potential -= item->row_mass[i] * sn_dot(gravity, x);
        measure->momentum = sn_vec3_add(measure->momentum, p);
        measure->angular_momentum = sn_vec3_add(measure->angular_momentum, sn_cross(x, p));
    }
}

static void elastic_measure(const sn_agent_set *set, int agent, sn_vec3 gravity,
                            sn_measure *measure)
{
    sn_elastic_measure_at(set, agent, gravity, sn_agent_q(set, agent), sn_agent_v(set, agent),
                          measure);
}

static void elastic_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 *position,
                          sn_vec3 *velocity)
{
    sn_elastic_point point;
    if (sn_elastic_find_point(set, agent, local, &point, NULL) == SN_OK) {
        sn_elastic_read_point(set, agent, &point, position, velocity);
    } else {
        sn_agent_point(set, agent, part, local, position, velocity);
    }
}

static void elastic_push_point(sn_agent_set *set, int agent, int part, sn_vec3 local,
                               sn_vec3 position, sn_vec3 force)
{
    (void)part;
    (void)position;
    sn_elastic_point point;
    if (sn_elastic_find_point(set, agent, local, &point, NULL) == SN_OK) {
        sn_elastic_push(&point, force, set->joint_force + set->agents[agent].v_first);
    }
}

static void elastic_hold_point(sn_agent_set *set, int agent, int part, sn_vec3 local,
                               sn_vec3 position, double stiffness, double damping)
{
    (void)part;
    (void)position;
    sn_elastic_hold(set, agent, local, stiffness, damping);
}

static void elastic_release(sn_agent_set *set)
{
    sn_elastic_set_free((sn_elastic_set *)set);
}

static bool elastic_copy(const sn_agent_set *set, sn_agent_set *copy)
{
    return sn_elastic_set_copy((const sn_elastic_set *)set, (sn_elastic_set *)copy);
}

const sn_agent_type sn_elastic_type = {
    .name = "elastic",
    .traits = {.deformable = true, .threaded = true},
    .memory_count = sizeof(sn_elastic_memory) / sizeof(double),
    .contact = &sn_elastic_contact,
    .has_joints = true,
    .begin = sn_elastic_begin,
    .free_step = sn_elastic_free_step,
    .advance = sn_elastic_advance,
    .part = elastic_part,
    .rate = sn_elastic_rate,
    .restore = elastic_restore,
    .bounds = elastic_bounds,
    .measure = elastic_measure,
    .balance = sn_elastic_balance,
    .mass = sn_elastic_mass_of,
    .pace = sn_elastic_pace,
    .can_rest = sn_elastic_can_rest,
    .point = elastic_point,
    .push_point = elastic_push_point,
    .hold_point = elastic_hold_point,
    .set_frame = sn_elastic_set_frame,
    .set_velocity = sn_elastic_set_velocity,
    .release = elastic_release,
    .copy = elastic_copy,
};
