// Making the system of a world at rest: who has freedoms, which bonds are rows, and the pattern of
// the matrix. See rest.h.
#include "statics/rest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "statics/elastic_rest.h"

enum { STRIDE = SN_SOLID_STRIDE };

typedef struct pair_list {
    SN_ARRAY(int64_t) keys; // row * nodes + column, column < row
} pair_list;

static const sn_bond_record *bond_of(const sn_rest *rest, uint32_t index)
{
    return &rest->world->bonds.records.data[index];
}

static bool moves(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && record->agent.agent >= 0;
}

// ---- bodies ----

// How stiff by how heavy over its own size, 1/s^2.
static double unit_of(const sn_elastic_item *item)
{
    double most = 0.0;
    for (int i = 0; i < item->material_count; ++i) {
        const sn_elastic *law = &item->materials[i].elastic;
        most = fmax(most, (law->bulk + law->shear) / item->materials[i].density);
    }
    return most / (item->radius * item->radius);
}

static sn_status make_bodies(sn_rest *rest, sn_error *error)
{
    const sn_agent_set *set = rest->soft;
    rest->nodes = set->v_count / STRIDE;
    rest->size = (size_t)rest->n + (size_t)set->v_count;
    rest->bodies = sn_arena_allocate(&rest->arena, (size_t)set->count * sizeof *rest->bodies);
    rest->fixed = sn_arena_allocate(&rest->arena, (size_t)rest->nodes + 1);
    if (rest->bodies == NULL || rest->fixed == NULL) {
        return sn_fail_memory(error, (size_t)set->count * sizeof *rest->bodies);
    }
    rest->body_count = set->count;
    rest->reach = rest->system.size;
    rest->mass = rest->system.mass;
    for (int i = 0; i < set->count; ++i) {
        sn_rest_body *body = &rest->bodies[i];
        body->item = sn_elastic_item_of(set, i);
        body->first = set->agents[i].v_first / STRIDE;
        body->unit = unit_of(body->item);
        rest->reach = fmax(rest->reach, body->item->radius);
        rest->mass += body->item->mass.total;
        memcpy(rest->fixed + body->first, body->item->fixed, (size_t)body->item->mass.vertex_count);
        sn_elastic_follow_flow(set, i);
        sn_sparse_def def = {.solid = body->item->solid,
                             .mass = &body->item->mass,
                             .place = rest->world->bodies.data[set->agents[i].owner].name};
        sn_status status = sn_sparse_create(&def, &body->sparse, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---- bonds ----

// Coordinates that stay where they are need no rows.
static bool fix_by_bond(sn_rest *rest, const sn_bond_record *bond)
{
    const sn_bond_item *item = &bond->item;
    bool fixes = item->type == SN_BOND_COORDINATES ||
                 (item->type == SN_BOND_ATTACHED && !moves(rest->world, bond->other));
    const sn_body_record *record = sn_world_body_record(rest->world, bond->body);
    const sn_rest_body *body = &rest->bodies[record->agent.agent];
    for (int i = 0; i < item->vertex_count && fixes; ++i) {
        rest->fixed[body->first + item->vertices[i]] |=
            item->type == SN_BOND_COORDINATES ? item->coordinates : 7;
    }
    return fixes;
}

static sn_status list_ties(sn_rest *rest, sn_error *error)
{
    const sn_world *world = rest->world;
    for (int i = 0; i < world->bonds.order.count; ++i) {
        uint32_t index = world->bonds.order.data[i];
        const sn_bond_record *bond = bond_of(rest, index);
        if (!sn_bond_is_active(bond, world->time) || fix_by_bond(rest, bond)) {
            continue;
        }
        int rows = sn_bond_row_count(&bond->item);
        if (rest->ties.count + rows > SN_MECHANICS_LIMIT) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, bond->name,
                           "with its %d equations, bonds between bodies that move have more than "
                           "statics and modes can treat, which is %d",
                           rows, (int)SN_MECHANICS_LIMIT);
        }
        for (int k = 0; k < rows; ++k) {
            if (!sn_array_push(&rest->ties, (sn_rest_tie){index, k})) {
                return sn_fail_memory(error, sizeof(sn_rest_tie));
            }
        }
    }
    for (int b = 0; b < rest->body_count; ++b) {
        sn_rest_body *body = &rest->bodies[b];
        body->loose = true;
        for (int i = 0; i < body->item->mass.vertex_count; ++i) {
            body->loose = body->loose && rest->fixed[body->first + i] == 0;
        }
    }
    return SN_OK;
}

// ---- what acts on what ----

static bool add_pair(const sn_rest *rest, pair_list *list, int a, int b)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return a == b || sn_array_push(&list->keys, high * rest->nodes + low);
}

static bool note_end(sn_rest *rest, int node)
{
    if (rest->slot[node] < 0) {
        rest->slot_nodes[rest->slot_count] = node;
        rest->slot[node] = rest->slot_count++;
    }
    return true;
}

static bool pair_tie(sn_rest *rest, int tie, pair_list *list)
{
    sn_bond_row row;
    bool rigid = false, good = true;
    sn_rest_read_tie(rest, tie, &row, NULL);
    for (int i = 0; i < row.count; ++i) {
        rigid = rigid || row.terms[i].vertex < 0;
    }
    for (int i = 0; i < row.count && good; ++i) {
        int a = row.terms[i].vertex;
        if (a >= 0 && rigid) {
            note_end(rest, a);
        }
        for (int k = 0; k < i && good && a >= 0; ++k) {
            good = row.terms[k].vertex < 0 || add_pair(rest, list, a, row.terms[k].vertex);
        }
    }
    return good;
}

static sn_status pair_spring(sn_rest *rest, const sn_spring_def *spring, pair_list *list,
                             sn_error *error)
{
    sn_rest_end ends[2];
    sn_status status = sn_rest_find_end(rest, spring->body_a, spring->point_a, &ends[0], error);
    if (status == SN_OK) {
        status = sn_rest_find_end(rest, spring->body_b, spring->point_b, &ends[1], error);
    }
    for (int i = 0; status == SN_OK && i < ends[0].count; ++i) {
        for (int k = 0; k < ends[1].count; ++k) {
            if (!add_pair(rest, list, ends[0].nodes[i], ends[1].nodes[k])) {
                return sn_fail_memory(error, sizeof(int64_t));
            }
        }
    }
    for (int e = 0; status == SN_OK && e < 2; ++e) {
        for (int i = 0; i < ends[e].count && ends[1 - e].ref.agent >= 0; ++i) {
            note_end(rest, ends[e].nodes[i]);
        }
    }
    return status;
}

static sn_status list_pairs(sn_rest *rest, pair_list *list, sn_error *error)
{
    const sn_world *world = rest->world;
    for (int i = 0; i < rest->ties.count; ++i) {
        if (!pair_tie(rest, i, list)) {
            return sn_fail_memory(error, sizeof(int64_t));
        }
    }
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        sn_status status = sn_field_kind_of(field)->stretches
                               ? pair_spring(rest, &field->spring, list, error)
                               : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---- the pattern ----

static int compare_keys(const void *a, const void *b)
{
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return p < q ? -1 : p > q;
}

static bool allocate_pattern(sn_rest *rest, const pair_list *list)
{
    size_t blocks = (size_t)list->keys.count;
    for (int b = 0; b < rest->body_count; ++b) {
        sn_rest_body *body = &rest->bodies[b];
        size_t own = (size_t)body->sparse->block_count;
        body->place = sn_arena_allocate(&rest->arena, own * sizeof *body->place);
        if (body->place == NULL) {
            return false;
        }
        blocks += own;
    }
    rest->starts = sn_arena_allocate(&rest->arena, ((size_t)rest->nodes + 1) * sizeof(int));
    rest->columns = sn_arena_allocate(&rest->arena, blocks * sizeof(int));
    return rest->starts != NULL && rest->columns != NULL;
}

// Merges the columns of a vertex's row in its body, ascending and the diagonal last, with pairs.
static void make_row(sn_rest *rest, const sn_rest_body *body, int own, const pair_list *list,
                     int *pair)
{
    const sn_sparse *sparse = body->sparse;
    int row = body->first + own;
    rest->starts[row] = rest->block_count;
    for (int k = sparse->starts[own]; k < sparse->starts[own + 1]; ++k) {
        int column = body->first + sparse->columns[k];
        while (*pair < list->keys.count && list->keys.data[*pair] / rest->nodes == row) {
            int more = (int)(list->keys.data[*pair] % rest->nodes);
            bool known = rest->block_count > rest->starts[row] &&
                         rest->columns[rest->block_count - 1] == more;
            if (more > column) {
                break;
            }
            if (more < column && !known) {
                rest->columns[rest->block_count++] = more;
            }
            *pair += 1;
        }
        body->place[k] = rest->block_count;
        rest->columns[rest->block_count++] = column;
    }
}

static sn_status make_pattern(sn_rest *rest, pair_list *list, sn_error *error)
{
    if (!allocate_pattern(rest, list)) {
        return sn_fail_memory(error, (size_t)rest->nodes * sizeof(int));
    }
    if (list->keys.count > 1) {
        qsort(list->keys.data, (size_t)list->keys.count, sizeof(int64_t), compare_keys);
    }
    int pair = 0;
    for (int b = 0; b < rest->body_count; ++b) {
        for (int i = 0; i < rest->bodies[b].item->mass.vertex_count; ++i) {
            make_row(rest, &rest->bodies[b], i, list, &pair);
        }
    }
    rest->starts[rest->nodes] = rest->block_count;
    sn_vec3 *positions = sn_allocate((size_t)rest->nodes * sizeof *positions);
    if (positions == NULL) {
        return sn_fail_memory(error, (size_t)rest->nodes * sizeof *positions);
    }
    for (int b = 0; b < rest->body_count; ++b) {
        const double *q = sn_agent_q(rest->soft, b);
        for (int i = 0; i < rest->bodies[b].item->mass.vertex_count; ++i) {
            positions[rest->bodies[b].first + i] = sn_vec3_at(q + STRIDE * i);
        }
    }
    sn_factor_def def = {.count = rest->nodes,
                         .block = 3,
                         .starts = rest->starts,
                         .columns = rest->columns,
                         .positions = positions,
                         .place = "world"};
    sn_status status = sn_factor_create(&def, &rest->factor, error);
    sn_free(positions);
    return status;
}

// ---- memory ----

static bool make_room(sn_rest *rest)
{
    size_t n = (size_t)rest->n + 1, rows = (size_t)rest->most_rows + 1,
           blocks = (size_t)rest->block_count, border = (size_t)rest->slot_count * n * 3 + 1;
    struct {
        double **at;
        size_t count;
    } wanted[] = {{&rest->turned, rows * n},
                  {&rest->scaled, rows * n},
                  {&rest->gap, rows},
                  {&rest->weight, rows},
                  {&rest->lambda, rows},
                  {&rest->base, 9 * blocks},
                  {&rest->values, 9 * blocks},
                  {&rest->sprung, border},
                  {&rest->border, border},
                  {&rest->k, n * n},
                  {&rest->w, (n + rows) * (n + rows)},
                  {&rest->h, n * n},
                  {&rest->q, rows * n},
                  {&rest->hq, rows * n},
                  {&rest->y, rows * rows},
                  {&rest->scratch, 2 * (n + rows)},
                  {&rest->outer, rest->size},
                  {&rest->force, rest->size},
                  {&rest->work, rest->size}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        *wanted[i].at = sn_arena_allocate(&rest->arena, wanted[i].count * sizeof(double));
        if (*wanted[i].at == NULL) {
            return false;
        }
    }
    rest->order = sn_arena_allocate(&rest->arena, rows * sizeof(int));
    return rest->order != NULL;
}

static sn_status make(sn_rest *rest, sn_error *error)
{
    sn_status status = make_bodies(rest, error);
    status = status == SN_OK ? list_ties(rest, error) : status;
    if (status != SN_OK) {
        return status;
    }
    rest->rows = rest->system.rows + rest->ties.count;
    rest->most_rows = rest->system.tie_rows + rest->system.limits.count + rest->ties.count;
    size_t slots = ((size_t)rest->nodes + 1) * sizeof(int);
    rest->slot = sn_arena_allocate(&rest->arena, slots);
    rest->slot_nodes = sn_arena_allocate(&rest->arena, slots);
    rest->tie_starts =
        sn_arena_allocate(&rest->arena, ((size_t)rest->ties.count + 1) * sizeof(int));
    if (rest->slot == NULL || rest->slot_nodes == NULL || rest->tie_starts == NULL) {
        return sn_fail_memory(error, slots);
    }
    for (int i = 0; i < rest->nodes; ++i) {
        rest->slot[i] = -1;
    }
    pair_list list = {0};
    status = list_pairs(rest, &list, error);
    status = status == SN_OK ? make_pattern(rest, &list, error) : status;
    sn_array_free(&list.keys);
    if (status == SN_OK && !make_room(rest)) {
        status = sn_fail_memory(error, rest->arena.used);
    }
    return status;
}

sn_status sn_rest_open(sn_world *world, sn_rest *rest, sn_error *error)
{
    *rest = (sn_rest){0};
    sn_status status = sn_system_open(world, &rest->system, error);
    if (status != SN_OK) {
        return status;
    }
    rest->world = world;
    rest->soft = sn_soft_agents(world);
    rest->n = rest->system.n;
    status = make(rest, error);
    if (status != SN_OK) {
        sn_rest_close(rest);
    }
    return status;
}

void sn_rest_close(sn_rest *rest)
{
    for (int b = 0; b < rest->body_count; ++b) {
        sn_sparse_destroy(rest->bodies[b].sparse);
    }
    sn_factor_destroy(rest->factor);
    sn_array_free(&rest->ties);
    sn_array_free(&rest->row_starts);
    sn_array_free(&rest->row_nodes);
    sn_array_free(&rest->row_numbers);
    sn_array_free(&rest->tie_nodes);
    sn_array_free(&rest->tie_numbers);
    sn_arena_free(&rest->arena);
    sn_system_close(&rest->system);
    *rest = (sn_rest){0};
}

// ---- poses ----

size_t sn_rest_pose_size(const sn_rest *rest)
{
    return (size_t)rest->system.q_count + (size_t)STRIDE * (size_t)rest->nodes;
}

static size_t own_length(const sn_rest_body *body)
{
    return (size_t)STRIDE * (size_t)body->item->mass.vertex_count;
}

void sn_rest_read(const sn_rest *rest, double *pose)
{
    sn_system_read(&rest->system, pose, NULL);
    double *x = pose + rest->system.q_count;
    for (int b = 0; b < rest->body_count; ++b) {
        memcpy(x + STRIDE * (size_t)rest->bodies[b].first, sn_agent_q(rest->soft, b),
               own_length(&rest->bodies[b]) * sizeof *x);
    }
}

void sn_rest_write(sn_rest *rest, const double *pose)
{
    sn_system_write(&rest->system, pose, NULL);
    const double *x = pose + rest->system.q_count;
    for (int b = 0; b < rest->body_count; ++b) {
        memcpy(sn_agent_q(rest->soft, b), x + STRIDE * (size_t)rest->bodies[b].first,
               own_length(&rest->bodies[b]) * sizeof *x);
    }
}

void sn_rest_read_rates(const sn_rest *rest, double *v)
{
    sn_system_read(&rest->system, NULL, v);
    memcpy(v + rest->n, rest->soft->v, (size_t)rest->soft->v_count * sizeof *v);
}

void sn_rest_write_rates(sn_rest *rest, const double *v)
{
    sn_system_write(&rest->system, NULL, v);
    memcpy(rest->soft->v, v + rest->n, (size_t)rest->soft->v_count * sizeof *v);
}

void sn_rest_stop(sn_rest *rest)
{
    memset(rest->work, 0, rest->size * sizeof *rest->work);
    sn_rest_write_rates(rest, rest->work);
}

// The linear displacement of a turn would stretch a body by the square of the angle; a loose body
// is turned by what its vertices turn in the mean, and the remainder goes with it.
static void move_loose(const sn_rest *rest, int b, const double *x, const double *d, double part,
                       double *moved)
{
    sn_agent_set *set = rest->soft;
    const sn_rest_body *body = &rest->bodies[b];
    double *v = sn_agent_v(set, b), *q = sn_agent_q(set, b), *kept = rest->work;
    size_t length = own_length(body);
    sn_elastic_mean mean;
    memcpy(kept, q, length * sizeof *q);
    memcpy(q, x, length * sizeof *q);
    for (size_t i = 0; i < length; ++i) {
        v[i] = part * d[i];
    }
    sn_elastic_find_mean(set, b, false, &mean);
    sn_quat turn = sn_quat_exp(mean.angular_velocity);
    for (size_t i = 0; i < length; i += STRIDE) {
        sn_vec3 arm = sn_vec3_sub(sn_vec3_at(x + i), mean.centre);
        sn_vec3 rigid = sn_velocity_at(mean.velocity, mean.angular_velocity, arm);
        sn_vec3 own = sn_vec3_sub(sn_vec3_at(v + i), rigid);
        sn_vec3 place = sn_vec3_add(sn_vec3_add(mean.centre, mean.velocity),
                                    sn_rotate(turn, sn_vec3_add(arm, own)));
        sn_vec3_put(moved + i, place);
        moved[i + 3] = 0.0;
    }
    memcpy(q, kept, length * sizeof *q);
    memset(v, 0, length * sizeof *v);
}

void sn_rest_move(sn_rest *rest, const double *pose, const double *d, double part, double *moved)
{
    sn_system_move(&rest->system, pose, d, part, moved);
    const double *x = pose + rest->system.q_count;
    double *to = moved + rest->system.q_count;
    for (int b = 0; b < rest->body_count; ++b) {
        size_t first = (size_t)STRIDE * (size_t)rest->bodies[b].first,
               length = own_length(&rest->bodies[b]);
        const double *by = d + rest->n + first;
        if (rest->bodies[b].loose) {
            move_loose(rest, b, x + first, by, part, to + first);
            continue;
        }
        for (size_t i = first; i < first + length; ++i) {
            to[i] = x[i] + part * by[i - first];
        }
    }
}

void sn_rest_clear_fixed(const sn_rest *rest, double *y)
{
    double *x = y + rest->n;
    for (int i = 0; i < rest->nodes; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[STRIDE * i + k] = rest->fixed[i] >> k & 1 ? 0.0 : x[STRIDE * i + k];
        }
        x[STRIDE * i + 3] = 0.0;
    }
}

int sn_rest_pulling_limit(const sn_rest *rest, double least)
{
    int row = rest->system.tie_rows, worst = -1;
    for (int i = 0; i < rest->system.limits.count; ++i) {
        const sn_system_limit *limit = &rest->system.limits.data[i];
        if (limit->side == 0) {
            continue;
        }
        double pull = limit->side * rest->lambda[row++] * rest->system.reach[limit->v];
        if (pull > least && !limit->locked) {
            least = pull;
            worst = i;
        }
    }
    return worst;
}

int sn_rest_freedoms(const sn_rest *rest)
{
    int count = rest->n - rest->rank;
    for (int i = 0; i < rest->nodes; ++i) {
        int held = (rest->fixed[i] & 1) + (rest->fixed[i] >> 1 & 1) + (rest->fixed[i] >> 2 & 1);
        count += 3 - held;
    }
    return count;
}
