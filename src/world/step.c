// The step of a world: the table of contents of the whole simulation.
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "bond/bond.h"
#include "force/air.h"
#include "force/forces.h"
#include "force/shade.h"
#include "island/field_spring.h"
#include "island/spring_sweep.h"
#include "mechanism/joint_read.h"
#include "model/world.h"
#include "probe/event.h"
#include "stage/group.h"
#include "touch/soft_touch.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"
#include "world/behaviour.h"
#include "world/explosion.h"
#include "world/joint_state.h"
#include "world/state.h"

typedef struct step_work {
    sn_world *world;
    sn_agent_set *set;
    double h, end;
    atomic_int diverged; // lowest agent found, or INT_MAX
} step_work;

// ---- interruption ----

void sn_world_set_stop(sn_world *world, sn_stop_function *asked, void *context)
{
    world->stop = asked;
    world->stop_context = context;
}

static sn_status check_stop(const sn_world *world, sn_error *error)
{
    return sn_world_is_stopping(world)
               ? sn_fail(error, SN_ERROR_STOPPED, "world", "step %llu was interrupted on request",
                         (unsigned long long)world->steps + 1)
               : SN_OK;
}

// ---- what agents do, a chunk at a time ----

static void keep_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    step_work *work = context;
    sn_agent_set_keep(work->set, first, last);
}

static void begin_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    step_work *work = context;
    work->set->type->begin(work->set, first, last, work->h);
}

static void free_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    step_work *work = context;
    work->set->type->free_step(work->set, first, last, work->world->gravity, work->h);
}

// The first agent that failed or is no longer a number, or -1.
static int find_lost(const sn_agent_set *set, int first, int last)
{
    int lost = sn_agent_set_find_diverged(set, first, last);
    for (int i = first; i < last && (lost < 0 || i < lost); ++i) {
        lost = set->agents[i].failed ? i : lost;
    }
    return lost;
}

static void advance_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    step_work *work = context;
    work->set->type->advance(work->set, first, last, work->h);
    for (int i = first; i < last; ++i) {
        work->set->agents[i].time = work->end;
    }
    int diverged = find_lost(work->set, first, last);
    int lowest = atomic_load(&work->diverged);
    while (diverged >= 0 && diverged < lowest &&
           !atomic_compare_exchange_weak(&work->diverged, &lowest, diverged)) {
    }
}

// Where nothing is in the way, both at once.
static void move_chunk(void *context, int first, int last, int chunk)
{
    free_chunk(context, first, last, chunk);
    advance_chunk(context, first, last, chunk);
}

// Threads share out agents; or, where there are too few elastic bodies for that, the work inside
// each of them.
static void run_set(sn_world *world, sn_agent_set *set, sn_chunk_work *work, step_work *context)
{
    const sn_agent_traits *traits = &set->type->traits;
    bool inside = traits->threaded && set->count < 2 * sn_threads_count(world->threads);
    set->threads = inside ? world->threads : NULL;
    context->set = set;
    sn_threads_run(inside ? NULL : world->threads, set->count, traits->lone ? SN_AGENT_CHUNK : 1,
                   work, context);
    set->threads = NULL;
}

static void run_agents(sn_world *world, sn_chunk_work *work, step_work *context)
{
    for (int s = 0; s < world->set_count; ++s) {
        run_set(world, world->sets[s], work, context);
    }
}

// ---- the stages ----

// The group that locates events goes first: it says when the step ends.
static sn_status world_locate_events(sn_world *world, double *end, sn_error *error)
{
    return world->event_group >= 0
               ? sn_world_step_group(world, world->event_group, *end, end, error)
               : SN_OK;
}

static sn_status world_step_groups(sn_world *world, double end, sn_error *error)
{
    for (int i = 0; i < world->groups.count; ++i) {
        double reached;
        sn_status status =
            i != world->event_group ? sn_world_step_group(world, i, end, &reached, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// Shapes push each other by impulses.
static bool takes_contacts(const sn_world *world)
{
    return sn_world_contact_traits(world)->strikes;
}

// Bonds are held, and springs pull, by impulses whatever contact is: rows of theirs alone make
// islands, too.
static bool takes_impulses(const sn_world *world)
{
    return takes_contacts(world) || world->bonds.rows.count > 0 ||
           world->field_springs.rows.count > 0;
}

// Moves all; whether all agents came through.
static bool move_agents(sn_world *world, step_work *work, sn_chunk_work *move)
{
    bool sound = true;
    for (int s = 0; s < world->set_count; ++s) {
        work->set = world->sets[s];
        atomic_store(&work->diverged, INT32_MAX);
        run_set(world, work->set, move, work);
        sound = sound && atomic_load(&work->diverged) == INT32_MAX;
    }
    return sound;
}

// What is said of an agent that a step lost.
static sn_status report_lost(const sn_world *world, int set, int lost, double h, sn_error *error)
{
    char place[200];
    const sn_agent *agent = &world->sets[set]->agents[lost];
    const char *joint = agent->failed == SN_FAILURE_TOO_FAST && sn_world_traits(world, set)->jointed
                            ? sn_mechanism_fastest_joint(world, (sn_agent_ref){set, lost, 0})
                            : NULL;
    sn_world_place(world, agent->owner, place, sizeof place);
    if (agent->failed == SN_FAILURE_MEMORY) {
        return sn_fail_memory(error, sizeof(sn_tie));
    }
    if (joint != NULL) {
        snprintf(place, sizeof place, "joint '%.150s', step %llu", joint,
                 (unsigned long long)world->steps + 1);
        return sn_fail(error, SN_ERROR_DIVERGED, place,
                       "it moves too fast to be followed in steps of %g s; take shorter ones, or "
                       "see whether what drives it feeds back on itself",
                       h);
    }
    if (agent->failed && sn_world_traits(world, set)->deformable) {
        return sn_fail(error, SN_ERROR_DIVERGED, place,
                       "its material is squeezed or stretched so far that a step of %g s cannot be "
                       "solved; take shorter ones, or implicit_euler",
                       h);
    }
    if (agent->failed) {
        return sn_fail(
            error, SN_ERROR_DIVERGED, place,
            "the joints of its mechanism move too fast to be followed in steps of %g s; "
            "take shorter ones%s",
            h,
            agent->failed == SN_FAILURE_TIES
                ? ", or see whether its loops and prescribed motions contradict each other"
                : "");
    }
    return sn_fail(
        error, SN_ERROR_DIVERGED, place,
        "position or velocity is no longer a number; the step of %g s may be too long for "
        "the forces, or a force is not finite",
        h);
}

static sn_status world_move(sn_world *world, step_work *work, sn_chunk_work *move, sn_error *error)
{
    if (move_agents(world, work, move)) {
        return SN_OK;
    }
    if (takes_impulses(world)) {
        sn_world_stand_lost(world);
    }
    for (int s = 0; s < world->set_count; ++s) {
        int lost = find_lost(world->sets[s], 0, world->sets[s]->count);
        if (lost >= 0) {
            return report_lost(world, s, lost, work->h, error);
        }
    }
    return SN_OK;
}

static void count_inverted(sn_world *world)
{
    sn_body first;
    world->report.inverted = sn_world_count_inverted(world, &first);
    sn_world_note_worst(world, SN_COUNTER_INVERTED, first.index, 0.0);
}

// Contacts where everything stands. After a change from outside what slept is looked at, too.
static sn_status world_collide(sn_world *world, double h, sn_error *error)
{
    if (world->touch.wake) {
        sn_world_let_go(world);
    }
    return sn_world_collide(world, h, error);
}

static sn_status world_begin(sn_world *world, step_work *work, sn_error *error)
{
    sn_status status = SN_OK;
    if (takes_contacts(world)) {
        double started = sn_wall_clock();
        status = world_collide(world, work->h, error);
        status = status == SN_OK ? sn_world_find_bonds(world, work->h, error) : status;
        world->report.collide_seconds = sn_wall_clock() - started;
    } else {
        status = sn_world_find_bonds_alone(world, work->h, error);
    }
    status = status == SN_OK ? sn_world_find_field_springs(world, work->h, error) : status;
    if (status == SN_OK && takes_impulses(world)) {
        status = sn_world_begin_contacts(world, work->h, error);
    }
    status = status == SN_OK ? check_stop(world, error) : status;
    if (status == SN_OK) {
        run_agents(world, begin_chunk, work);
        sn_world_renew_bonds(world, work->h, false);
        status = sn_world_renew_field_springs(world, work->h, error);
    }
    return status;
}

// What contact leaves to be made good.
static sn_status world_end_contacts(sn_world *world, double h, sn_error *error)
{
    sn_world_check_energies(world, h); // before bodies of other islands may strike
    sn_status status = sn_world_stop_bonded(world, error);
    status = status == SN_OK ? sn_world_stop_tunnelling(world, h, error) : status;
    return status == SN_OK ? sn_world_stop_soft(world, h, error) : status;
}

// The rest of the step where something may be in the way, or bonds hold.
static sn_status world_move_by_impulses(sn_world *world, step_work *work, sn_error *error)
{
    sn_status status = sn_world_choose_solvers(world, error);
    if (status == SN_OK) {
        run_agents(world, free_chunk, work);
        sn_world_sweep_springs(world, work->h);
        double started = sn_wall_clock();
        status = sn_world_press_contacts(world, work->h, error);
        world->report.solve_seconds = sn_wall_clock() - started;
    }
    status = status == SN_OK ? check_stop(world, error) : status;
    if (status == SN_OK) {
        status = world_move(world, work, advance_chunk, error);
    }
    if (status == SN_OK) {
        double started = sn_wall_clock();
        sn_world_renew_bonds(world, work->h, true);
        sn_world_settle_field_springs(world, work->h);
        status = sn_world_relax_contacts(world, work->h, error);
        world->report.solve_seconds += sn_wall_clock() - started;
    }
    if (status == SN_OK && takes_contacts(world)) {
        status = world_end_contacts(world, work->h, error);
    }
    if (status == SN_OK) {
        sn_world_check_sprung(world, work->h);
        sn_world_rest_contacts(world, work->h);
    }
    return status;
}

// The rest of the step where nothing is.
static sn_status world_move_freely(sn_world *world, step_work *work, sn_error *error)
{
    if (world->field_springs.sweep.count == 0) {
        return world_move(world, work, move_chunk, error);
    }
    run_agents(world, free_chunk, work);
    sn_world_sweep_springs(world, work->h);
    return world_move(world, work, advance_chunk, error);
}

// Forces a user added were for this step alone.
static void world_clear_external(sn_world *world)
{
    for (int s = 0; s < world->set_count; ++s) {
        sn_agent_set *set = world->sets[s];
        if (set->has_external) {
            memset(set->external, 0, (size_t)set->part_count * sizeof *set->external);
            if (set->joint_external != NULL) {
                memset(set->joint_external, 0, (size_t)set->v_count * sizeof(double));
            }
            set->has_external = false;
            world->forces_clear = false;
            sn_world_jump(world); // a force that ends is one
        }
    }
}

// Undoes a step that failed: all is as it was at its start, the event log included.
static void world_go_back(sn_world *world)
{
    for (int s = 0; s < world->set_count; ++s) {
        sn_agent_set_go_back(world->sets[s]);
    }
    world->event_log.count = world->logged;
    world->stopped = world->was_stopped;
    world->evaluating_group = -2;
    sn_world_let_go(world);
    sn_world_undo_state(world, true);
    sn_world_touch(world);
    sn_touch_undo(world);
}

// Behaviours act on the world as it stands. When one fails, no agent has moved yet.
static sn_status world_act(sn_world *world, double h, sn_error *error)
{
    sn_status status = sn_world_act(world, h, error);
    bool moved = status == SN_OK && !world->assembled; // they have broken a joint
    status = status == SN_OK ? sn_world_assemble(world, error) : status;
    if (status != SN_OK) {
        world_clear_external(world);
        sn_world_undo_state(world, moved);
    }
    return status;
}

// What an event has left of a step is a part of that step, and not a shorter one.
static double pace_of(const sn_world *world, double h)
{
    return world->pace_left > 0.0 && h <= world->pace_left * (1.0 + 1e-9) ? world->pace : h;
}

static void world_note_pace(sn_world *world, double pace, double left)
{
    world->pace = pace;
    world->pace_left = left;
}

static sn_status take_step(sn_world *world, double h, sn_error *error)
{
    // Kahan's sum: `end` is the time n steps of h should reach, not what n roundings make of it.
    double start = world->time, wanted = h - world->time_rest, end = start + wanted,
           started = sn_wall_clock();
    double rest = (end - start) - wanted, full = end;
    step_work work = {.world = world};
    run_agents(world, keep_chunk, &work);
    sn_world_clear_counters(world);
    sn_status status = sn_world_make_groups(world, error);
    status = status == SN_OK ? sn_world_give_bonds(world, error) : status;
    status = status == SN_OK ? sn_world_draw_shades(world, start, end, error) : status;
    if (status != SN_OK) {
        return status;
    }
    sn_world_cut_air(world, start, end);
    if (sn_world_presses(world)) { // what is near, for every evaluation to come
        world->touch.penalty_start = start;
        world->touch.penalty_step = h;
        status = world_collide(world, h, error);
        if (status == SN_OK && !sn_world_count_penalties(world)) {
            status = sn_fail_memory(error, sizeof(int));
        }
        if (status == SN_OK && sn_world_contact_traits(world)->springs) {
            status = sn_world_begin_springs(world, error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    sn_world_start_events(world);
    world->readings_kept = false;
    world->stepping = true; // up to here and from below on, events can read the loads of joints
    status = world_locate_events(world, &end, error);
    if (status == SN_OK) {
        status = world_step_groups(world, end, error);
    }
    if (status != SN_OK) {
        return status;
    }
    work.h = end < full ? end - start : h;
    work.end = end;
    double pace = pace_of(world, h);
    sn_articulation_set_pace(&world->articulations, world->gravity, pace);
    status = world_begin(world, &work, error);
    if (status != SN_OK) {
        return status;
    }
    double forces_start = sn_wall_clock();
    world->field_springs.solved = true;
    sn_world_evaluate_forces(world, start + 0.5 * work.h, -1);
    world->field_springs.solved = false;
    double move_start = sn_wall_clock();
    status = takes_impulses(world) ? world_move_by_impulses(world, &work, error)
                                   : world_move_freely(world, &work, error);
    if (status == SN_OK) {
        count_inverted(world);
        status = sn_world_check_explosions(world, work.h, error);
    }
    status = status == SN_OK ? check_stop(world, error) : status;
    if (status != SN_OK) {
        return status;
    }
    sn_world_finish_bonds(world, work.h);
    world->last_step = work.h;
    world->time = end;
    world->time_rest = end < full ? 0.0 : rest;
    world->stepping = false;
    if (sn_world_presses(world)) {
        sn_world_keep_penalties(world, end);
    }
    if (sn_world_contact_traits(world)->collides && !sn_world_note_contacts(world)) {
        return sn_fail_memory(error, sizeof(sn_contact_event));
    }
    status = sn_world_finish_events(world, start, error);
    if (status == SN_OK) {
        sn_world_wake_behaviours(world);
    }
    sn_world_count_step(world);
    world_note_pace(world, pace, end < full ? full - end : 0.0);
    double finished = sn_wall_clock();
    world->report.field_seconds = move_start - forces_start;
    world->report.move_seconds = finished - move_start + (forces_start - started);
    world->report.total_seconds = finished - started;
    return status;
}

sn_status sn_world_check_step(sn_world *world, sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    status = status == SN_OK ? sn_world_assemble(world, error) : status;
    status = status == SN_OK ? sn_world_make_groups(world, error) : status;
    status = status == SN_OK ? sn_world_give_bonds(world, error) : status;
    if (status == SN_OK && sn_world_contact_traits(world)->springs) {
        status = sn_world_check_springs(world, error);
    }
    return status;
}

sn_status sn_world_step(sn_world *world, double h, sn_error *error)
{
    if (!(h > 0.0) || !isfinite(h)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world",
                       "a step of %g s was asked for, expected above 0", h);
    }
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_status status = sn_world_assemble(world, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_world_keep_state(world, error);
    status = status == SN_OK ? sn_touch_keep(world, error) : status;
    sn_world_mark_broken_bonds(world);
    status = status == SN_OK ? world_act(world, h, error) : status;
    if (status != SN_OK) {
        return status;
    }
    world->logged = world->event_log.count;
    world->was_stopped = world->stopped;
    world->touch.placed = false;
    status = take_step(world, h, error);
    world->stepping = false;
    world_clear_external(world);
    if (status != SN_OK) {
        world_go_back(world);
        return status;
    }
    world->steps += 1;
    world->step_given = h;
    sn_stack_settle(&world->stack);
    sn_world_break_joints(world);
    return sn_world_assemble(world, error);
}
