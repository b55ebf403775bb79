// The clock of a live world: which steps wall time asks for, and what they bring.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "live/live.h"
#include "model/world.h"

#define WALL_LIMIT    0.25 // s of one advance that count: a machine that slept does not catch up
#define REACHED_OVER  0.5  // s of wall time that the speed reached is measured over
#define EVENT_NOTICES 8    // events told in one advance; more are counted

// ---- playing ----

void sn_live_pause(sn_live *live)
{
    live->playing = false;
    live->slow = false;
    live->owed = 0.0;
    live->reached = live->reached_wall = live->reached_world = 0.0;
    live->change += 1;
}

void sn_live_pause_for_mistake(sn_live *live)
{
    live->resumes = live->resumes || live->playing;
    sn_live_pause(live);
}

void sn_live_resume(sn_live *live)
{
    if (live->resumes) {
        sn_live_play(live);
    }
    live->resumes = false;
}

void sn_live_start_clock(sn_live *live)
{
    live->change += live->waits;
    live->waits = false;
}

void sn_live_play(sn_live *live)
{
    if (!live->playing) {
        live->playing = true;
        live->owed = 0.0;
        live->change += 1;
    }
}

// ---- steps ----

static void note_counters(sn_live *live)
{
    sn_step_report report = sn_world_report(live->world);
    bool any = false;
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        bool counts = sn_step_report_count(&report, (sn_counter)i) > 0;
        live->counters.each[i] += counts;
        any = any || counts;
    }
    live->counters.steps += any;
}

bool sn_live_step(sn_live *live)
{
    sn_history_plan *plan = &live->plan;
    sn_error error = {0};
    double step = live->run.step, due = plan->base + (double)(plan->planned + 1) * step;
    sn_status status = live->placed ? sn_live_keep_placement(live, &error) : SN_OK;
    if (status == SN_OK) {
        status = sn_array_reserve(&live->steps, live->steps.count + 1)
                     ? sn_world_step(live->world, plan->left > 0.0 ? plan->left : step, &error)
                     : sn_fail_memory(&error, sizeof(sn_history_step));
    }
    if (status == SN_ERROR_STOPPED) {
        return false; // something else is to be done first; the next advance takes it again
    }
    if (status != SN_OK) {
        sn_live_pause(live);
        live->wanted_steps = 0;
        sn_live_tell_error(live, &error, "step");
        return false;
    }
    double time = sn_world_time(live->world);
    plan->left = due - time > 1e-9 * step ? due - time : 0.0;
    plan->planned += plan->left == 0.0;
    live->steps.data[live->steps.count++] =
        (sn_history_step){sn_world_step_size(live->world), time, sn_world_hash(live->world)};
    note_counters(live);
    live->change += 1;
    return true;
}

// What the steps brought about, in sentences.
static void tell_events(sn_live *live)
{
    const sn_world *world = live->world;
    int count = sn_world_event_count(world), told = 0;
    char text[320];
    for (int i = live->events_told; i < count && told < EVENT_NOTICES; ++i, ++told) {
        sn_event_entry entry = sn_world_event_entry(world, i);
        snprintf(text, sizeof text, "event '%.200s' at %.6g s", sn_event_name(world, entry.event),
                 entry.time);
        sn_live_note(live, "event", entry.time, text);
    }
    if (count - live->events_told > told) {
        snprintf(text, sizeof text, "and %d more events", count - live->events_told - told);
        sn_live_note(live, "event", sn_world_time(world), text);
    }
    live->events_told = count;
}

// Says how many are broken, and the last of them in the scene's order, with what is known of it.
static void tell_broken(sn_live *live, int broken, const char *what, const char *last,
                        const char *how)
{
    char text[400];
    snprintf(text, sizeof text, "%d %s%s broken, '%.200s'%s the last in the scene", broken, what,
             broken == 1 ? " is" : "s are", last, how);
    sn_live_note(live, "break", sn_world_time(live->world), text);
}

// Couplings that were released because a joint of theirs has broken.
static void tell_released(sn_live *live)
{
    const sn_world *world = live->world;
    const char *last = "";
    int released = 0;
    for (int i = 0; i < sn_world_coupling_count(world); ++i) {
        sn_coupling coupling = sn_world_coupling(world, i);
        bool is = sn_coupling_is_released(world, coupling);
        released += is;
        last = is ? sn_coupling_name(world, coupling) : last;
    }
    if (released > 0) {
        char text[400];
        snprintf(text, sizeof text, "%d coupling%s released with broken joints, '%.200s' the last",
                 released, released == 1 ? " is" : "s are", last);
        sn_live_note(live, "break", sn_world_time(world), text);
    }
}

static void tell_breaks(sn_live *live)
{
    const sn_world *world = live->world;
    const char *last = "";
    char how[80] = "";
    int broken = 0, bonds = 0;
    for (int i = 0; world->breakable_joints > 0 && i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        bool is = sn_joint_is_broken(world, joint);
        broken += is;
        last = is ? sn_joint_name(world, joint) : last;
    }
    if (broken > live->broken_joints) {
        tell_broken(live, broken, "joint", last, "");
        tell_released(live);
    }
    live->broken_joints = broken;
    for (int i = 0; i < sn_world_bond_count(world); ++i) {
        sn_bond bond = sn_world_bond(world, i);
        const sn_bond_load *load = &sn_world_bond_record(world, bond)->load;
        if (load->broken) {
            bonds += 1;
            last = sn_bond_name(world, bond);
            snprintf(how, sizeof how, " (at %.4g s under %.3g N)", load->break_time,
                     load->break_force);
        }
    }
    if (bonds > live->broken_bonds) {
        tell_broken(live, bonds, "bond", last, how);
    }
    live->broken_bonds = bonds;
}

// Once, when the first element inverts, and again after all had come back.
static void tell_inverted(sn_live *live)
{
    sn_step_report report = sn_world_report(live->world);
    if (report.inverted > 0 && live->inverted == 0) {
        char text[320];
        bool one = report.inverted == 1;
        snprintf(text, sizeof text, "%d element%s of '%.200s' %s inverted", report.inverted,
                 one ? "" : "s", sn_body_name(live->world, report.worst[SN_COUNTER_INVERTED].body),
                 one ? "is" : "are");
        sn_live_note(live, "warning", sn_world_time(live->world), text);
    }
    live->inverted = report.inverted;
}

// The same of other troubles, by the first thing that has one.
static void tell_trouble(sn_live *live, int now, int *told, const char *name, const char *text)
{
    if (now > 0 && *told == 0) {
        char line[320];
        snprintf(line, sizeof line, "'%.200s' %s", name, text);
        sn_live_note(live, "warning", sn_world_time(live->world), line);
    }
    *told = now;
}

static void tell_troubles(sn_live *live)
{
    const sn_world *world = live->world;
    sn_step_report report = sn_world_report(world);
    tell_trouble(live, report.exploding, &live->exploding,
                 sn_body_name(world, report.worst[SN_COUNTER_EXPLODING].body),
                 "holds more energy than any material can");
    tell_trouble(live, report.violated, &live->violated, sn_bond_name(world, report.violated_bond),
                 "is violated: something contradicts this bond");
}

static void tell_happenings(sn_live *live)
{
    tell_events(live);
    tell_breaks(live);
    tell_inverted(live);
    tell_troubles(live);
    if (sn_world_stopped(live->world)) {
        sn_live_pause(live);
        live->wanted_steps = 0;
        sn_live_note(live, "event", sn_world_time(live->world), "an event has stopped the world");
    }
}

// Is the work of this advance up?
static bool is_over(const sn_live *live, double started, int taken)
{
    return live->def.clock != NULL ? sn_live_clock(live) - started > live->def.budget
                                   : taken >= SN_LIVE_STEP_LIMIT;
}

static void take_steps(sn_live *live, double started)
{
    int taken = 0;
    bool over = false;
    double h = live->run.step;
    while ((live->wanted_steps > 0 || (live->playing && live->owed >= h * (1.0 - 1e-9))) && !over) {
        double before = sn_world_time(live->world);
        if (!sn_live_step(live)) {
            break;
        }
        ++taken;
        if (live->wanted_steps > 0) {
            live->wanted_steps -= 1;
        } else {
            live->owed -= sn_world_time(live->world) - before;
            live->reached_world += sn_world_time(live->world) - before;
        }
        if (!live->exact) {
            sn_live_flush(live); // no step of it could be taken again
        }
        if (sn_world_stopped(live->world)) {
            break;
        }
        over = is_over(live, started, taken);
    }
    if (live->playing && over) {
        live->slow = live->slow || live->owed >= h;
        live->owed = 0.0;
    }
}

// ---- what was asked for ----

static bool go_to(sn_live *live, uint64_t step)
{
    sn_error error = {0};
    bool gone = sn_live_go_to(live, step, &error) == SN_OK;
    if (!gone) {
        live->wanted_steps = 0;
        sn_live_tell_error(live, &error, "seek");
    }
    return gone;
}

static void seek(sn_live *live)
{
    if (live->seeks || live->wanted_steps < 0) {
        sn_live_flush(live);
    }
    if (live->seeks) {
        live->seeks = false;
        (void)go_to(live, sn_live_step_near(live, live->seek_time));
    }
    uint64_t step = sn_world_step_count(live->world);
    if (live->wanted_steps < 0) {
        // What hands have put somewhere since the last step goes back first.
        uint64_t back = (uint64_t)-live->wanted_steps - (live->placed ? 1 : 0);
        live->wanted_steps = 0;
        (void)go_to(live, back < step ? step - back : 0);
    } else if (live->wanted_steps > 0 && live->past &&
               go_to(live, step + (uint64_t)live->wanted_steps)) {
        uint64_t gone = sn_world_step_count(live->world) - step;
        live->wanted_steps = live->past ? 0 : live->wanted_steps - (int64_t)gone;
    }
    if (live->playing) {
        sn_live_continue(live); // `seek` and `play` have come together
    }
}

static void apply_changes(sn_live *live)
{
    sn_error error = {0};
    if (live->params_changed) {
        sn_live_continue(live);
        sn_live_flush(live);
        if (sn_live_apply_params(live, &error) != SN_OK) {
            sn_live_pause(live);
            sn_live_tell_error(live, &error, "param");
        }
    }
    if (live->world == NULL || live->past || (!live->playing && live->wanted_steps <= 0)) {
        return;
    }
    sn_status status = sn_live_gather_inputs(live, &error);
    if (status == SN_OK && !sn_live_same_inputs(live, live->inputs.data, live->inputs.count)) {
        sn_live_flush(live); // the steps since the last moment were taken with other inputs
        status = sn_live_apply_inputs(live, live->inputs.data, live->inputs.count, &error);
    }
    // Not every change wakes what sleeps; when steps are taken again, the same ones must.
    live->touched = live->touched || live->world->touch.wake;
    if (status != SN_OK) {
        sn_live_tell_error(live, &error, "grab");
    }
}

static void note_reached(sn_live *live, double wall)
{
    live->reached_wall += wall;
    if (live->reached_wall >= REACHED_OVER) {
        live->reached = live->reached_world / live->reached_wall;
        live->slow = live->reached < 0.9 * live->speed;
        live->reached_wall = live->reached_world = 0.0;
    }
}

void sn_live_advance(sn_live *live, double wall_seconds)
{
    double started = sn_live_clock(live);
    double wall = wall_seconds > 0.0 ? fmin(wall_seconds, WALL_LIMIT) : 0.0;
    live->wall += wall;
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        if (live->clients[i] != NULL) {
            sn_live_breath_advance(&live->clients[i]->breath, wall);
        }
    }
    if (live->world == NULL) {
        return;
    }
    apply_changes(live);
    if (live->world != NULL) {
        seek(live);
        if (live->playing && !live->waits) {
            live->owed += wall * live->speed;
        }
        take_steps(live, started);
        sn_live_place_held(live);
        live->advances += 1;
        if (!live->playing || live->advances >= sn_live_moment_every(live)) {
            sn_live_flush(live);
        }
        if (live->playing && !live->waits) {
            note_reached(live, wall);
        }
        tell_happenings(live);
    }
    live->engine_seconds += sn_live_clock(live) - started;
}
