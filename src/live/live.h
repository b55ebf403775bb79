// Inside of a live world: what its parts share. See sinew/live.h for what it is.
//
//   live.c          making, clients joining and leaving, what is told to all
//   live_open.c     scenes: opened, reloaded, reset, params
//   live_view.c     how a scene is first seen: box, camera, origin of frames
//   live_clock.c    the steps that wall time asks for
//   live_past.c     going back and forth in the history
//   live_input.c    what clients do to the world: grabs and winds as fields
//   live_place.c    what hands move while the clock stands still
//   live_breath.c   from a microphone or a key to the speed of a wind
//   live_message.c  messages that come in
//   live_command.c  and what each of them does
//   live_take.c     messages that go out, in their order
//   live_report.c   texts: scene, status, inspected, ...
//   live_frame.c    frames and meshes
//   live_surface.c  surfaces that bend
//   live_file.c     CSV, recordings and scenes, made of the history
#ifndef SN_LIVE_LIVE_H
#define SN_LIVE_LIVE_H

#include "base/arena.h"
#include "base/array.h"
#include "draw/model.h"
#include "live/live_history.h"
#include "record/csv.h"
#include "scene/json.h"
#include "scene/text.h"
#include "sinew/breath.h"
#include "sinew/live.h"
#include "sinew/wind.h"

enum {
    SN_LIVE_QUEUE_LIMIT = 4 << 20, // bytes of answers that a client has not taken
    SN_LIVE_WATCH_LIMIT = 256,     // probes of a client
    SN_LIVE_STEP_LIMIT = 1000,     // steps in one advance without a clock
    SN_LIVE_NAME_LIMIT = 256,      // bytes of names in messages
};

// What a client does to the world in a step. No holes, so that bytes can be compared.
typedef struct sn_live_input {
    uint32_t client, acts; // acts: 1 holds a body, 2 blows
    uint32_t body, kind;   // in the world's order; sn_wind_kind
    sn_vec3 point, target; // of the grab
    double stiffness, damping;
    sn_vec3 position, direction; // of the wind
    double speed, radius, length;
    uint32_t occlusion, occlusion_pixels; // sn_wind_occlusion
    double occlusion_period;
} sn_live_input;

enum { SN_LIVE_HOLDS = 1, SN_LIVE_BLOWS = 2 };

// Inputs as they are in the world, with their fields.
typedef struct sn_live_acting {
    sn_live_input input;
    sn_field pull, wind;
} sn_live_acting;

typedef enum sn_microphone_state {
    SN_MICROPHONE_OFF,
    SN_MICROPHONE_ON,
    SN_MICROPHONE_SILENCE, // hears 2 s of silence
    SN_MICROPHONE_FULL,    // hears 1 s of a full blow
} sn_microphone_state;

typedef struct sn_live_breath {
    bool aimed; // false: from the scene's own mouth, or else from its camera
    sn_vec3 from, towards;
    sn_wind_kind kind;
    double spread;     // rad
    double full_speed; // m/s at `towards`
    double strength;   // asked for by hand, 0 .. 1
    double blown;      // the same, following with a delay
    sn_microphone_state microphone;
    bool calibrated;
    sn_breath heard;
    double silent_for;     // s of wall time without samples
    SN_ARRAY(float) taken; // for a calibration
} sn_live_breath;

// A number that a client's frames have: of a probe of the scene, or of anything.
typedef struct sn_live_watch {
    char name[SN_LIVE_NAME_LIMIT]; // of the probe; or of the body or joint; "": the world
    int quantity;                  // -1: a probe of the scene
    sn_probe probe;
    bool found;
} sn_live_watch;

typedef struct sn_live_client {
    int number;
    bool greeted;   // `hello` came
    bool loading;   // it said in `hello` that it will say when it shows pictures, and has not yet
    bool lost;      // its answers pile up
    sn_bytes queue; // u32 size and the bytes, one text after the other
    size_t queue_at;
    size_t later; // bytes at the end of the queue that wait until the scene they tell of is told
    sn_bytes file;
    bool has_file, took_file;
    uint32_t generation; // that it has been told of; 0: none
    int next_mesh;       // to be sent of that generation
    bool closed_told;
    bool holds;
    uint32_t body;
    sn_vec3 point, to;
    sn_vec3 placed; // the `to` that a clock standing still has followed
    bool unmovable; // what it holds cannot be moved while the clock stands still; this was reported
    sn_live_breath breath;
    SN_ARRAY(sn_live_watch) watches;
    bool shows_contacts, shows_joints, shows_wind;
    double frame_rate;
    double next_frame;     // s of wall time
    uint64_t frame_change; // what of live->change its last frame has
    double engine_seconds; // of live->engine_seconds at its last frame
    double next_status, next_inspected, next_breath;
    uint64_t status;           // hash of what was last sent of it, but for what always changes
    uint64_t status_change;    // of live->change
    int inspected;             // body, -1: none
    uint64_t inspected_change; // of live->change
} sn_live_client;

struct sn_live {
    sn_live_def def;
    sn_arena arena; // of what the definition names
    const char *engine;
    sn_live_entry *scenes;
    sn_live_client *clients[SN_LIVE_CLIENT_LIMIT]; // NULL: free; number - 1

    // The scene that is open.
    sn_scene *scene;
    sn_world *world;
    char *name, *path, *text; // in the list or of the file; as errors call it; as it was read
    size_t length;
    bool foreign; // a client's own text: it reads no files
    uint32_t generation;
    bool keeps; // the state of the generation before
    sn_model model;
    SN_ARRAY(sn_vec3) points; // of what bends, in the frame last made
    sn_text scene_text;       // the `scene` message
    sn_text trouble;      // the `error` message of a scene that could not be read, for who comes
    double *start_params; // as the file gives them
    uint64_t form, start; // fingerprints: what is built, where it begins
    SN_ARRAY(sn_transform) frames;
    SN_ARRAY(sn_probe) probes; // of the scene
    sn_vec3 lower, upper;      // of what moves at the start
    sn_aabb frame;             // that a picture of the scene holds
    sn_camera camera;          // the scene's, or one that holds the frame
    sn_vec3 origin;            // of positions in frames and of meshes that bend

    // The clock.
    bool playing, slow;
    bool waits;   // for the first client that sees something
    bool resumes; // a mistake in the scene has paused it: once that is mended it plays on
    double wall;  // s since the live world was made
    double speed, owed;
    double reached, reached_wall, reached_world; // over about half a second
    double engine_seconds;                       // that steps have taken in all
    sn_history_plan plan;
    sn_history_counters counters; // until the time shown
    sn_run run;
    uint64_t change; // counts whatever a frame would show anew
    int64_t wanted_steps;
    bool seeks;
    double seek_time;
    bool params_changed;
    int events_told;
    int inverted;  // elements inside out, when that was last told
    int exploding; // elastic bodies that hold too much energy, likewise
    int violated;  // bonds that do not hold, likewise
    int broken_joints, broken_bonds;

    // The past.
    sn_history history;
    bool past;  // shown from the history
    bool exact; // steps taken again from a saved state come to the same bits
    bool touched;
    SN_ARRAY(sn_history_step) steps; // since the last moment
    sn_bytes state, memory;
    bool placed;                     // hands have moved things since the last step
    sn_bytes placement;              // SN_HISTORY_PLACED of the steps since the last moment
    SN_ARRAY(double) row, param_row; // numbers of a moment; params as they act
    SN_ARRAY(sn_live_input) noted;   // inputs of the moment that is made
    int advances;                    // since the last moment

    // What clients do.
    SN_ARRAY(sn_live_input) inputs;
    SN_ARRAY(sn_live_acting) acting;

    sn_bytes out; // the message that was made last
    sn_text out_text;
    sn_text gather; // scratch
};

// ---- live.c ----
SN_API sn_live_client *sn_live_client_at(const sn_live *live, int client); // NULL: none
void sn_live_send(sn_live_client *client, const sn_text *text);
// After the scene that runs, where the client does not know it yet: when it gets to know one, it
// forgets what it was told before.
void sn_live_send_news(const sn_live *live, sn_live_client *client, const sn_text *text);
void sn_live_send_all(sn_live *live, const sn_text *text); // to those who have greeted
void sn_live_tell_list(sn_live *live, const sn_error_list *errors, const char *doing);
// A `notice` of something that happened at a time of the world; the kind is a word of the protocol.
void sn_live_note(sn_live *live, const char *kind, double time, const char *sentence);
double sn_live_clock(const sn_live *live); // 0 without one

// ---- live_open.c ----
sn_status sn_live_tell_scene(sn_live *live, sn_error *error); // as a new generation
sn_status sn_live_open(sn_live *live, const char *name, const char *path, const char *text,
                       size_t length, bool foreign, const sn_json *params, int params_node,
                       sn_error_list *errors);
sn_status sn_live_reload(sn_live *live, const char *path, const char *text, size_t length,
                         sn_error_list *errors);
sn_status sn_live_reset(sn_live *live, sn_error *error);
sn_status sn_live_set_param(sn_live *live, const char *name, double value, sn_error *error);
sn_status sn_live_start_params(sn_live *live, sn_error *error);
// Carries changed params to the running world.
sn_status sn_live_apply_params(sn_live *live, sn_error *error);
void sn_live_bind_watch(const sn_live *live, sn_live_watch *watch);
void sn_live_tell_params(sn_live *live, const double *before); // those that differ from `before`
void sn_live_close(sn_live *live);

// ---- live_view.c ----
void sn_live_choose_view(sn_live *live); // of the world as it stands

// ---- live_clock.c ----
// One step as planned; false: it failed, and the world is paused; or it was interrupted.
bool sn_live_step(sn_live *live);
void sn_live_pause(sn_live *live);
void sn_live_pause_for_mistake(sn_live *live); // and plays on when it is mended
void sn_live_resume(sn_live *live);            // as it was before the mistake
void sn_live_start_clock(sn_live *live);       // where it waits for a client
void sn_live_play(sn_live *live);

// ---- live_past.c ----
sn_status sn_live_remember(sn_live *live, sn_error *error); // the present as a new moment
bool sn_live_note_params(sn_live *live);       // as they act from now on; false: out of memory
void sn_live_flush(sn_live *live);             // the same where steps were taken since the last one
int sn_live_moment_every(const sn_live *live); // advances
sn_status sn_live_start_history(sn_live *live, sn_error *error);
sn_status sn_live_go_to(sn_live *live, uint64_t step, sn_error *error);
uint64_t sn_live_step_near(const sn_live *live, double time);
void sn_live_continue(sn_live *live); // from here: the past becomes the present

// The state from which the next step goes on becomes part of the moment that the step leads to.
sn_status sn_live_keep_placement(sn_live *live, sn_error *error);

// ---- live_input.c ----
sn_status sn_live_gather_inputs(sn_live *live, sn_error *error);
// Makes the fields of the world follow.
sn_status sn_live_apply_inputs(sn_live *live, const sn_live_input *inputs, int count,
                               sn_error *error);
bool sn_live_same_inputs(const sn_live *live, const sn_live_input *inputs, int count);
sn_status sn_live_grab(sn_live *live, sn_live_client *client, int body, sn_vec3 point, sn_vec3 to,
                       sn_error *error);

// ---- live_place.c ----
// Moves what clients hold to where their hands are, where the clock stands still.
void sn_live_place_held(sn_live *live);

// ---- live_breath.c ----
void sn_live_breath_start(sn_live_breath *breath);
void sn_live_breath_free(sn_live_breath *breath);
void sn_live_breath_advance(sn_live_breath *breath, double seconds);
double sn_live_breath_speed(const sn_live_breath *breath);
// The wind of a breath in the world that is open; false where there is nowhere to aim.
bool sn_live_breath_input(const sn_live *live, const sn_live_breath *breath, sn_live_input *input);
bool sn_live_breath_is_heard(const sn_live_breath *breath); // the microphone is on, samples come
sn_status sn_live_microphone(sn_live_breath *breath, sn_microphone_state state, double rate,
                             sn_error *error);
sn_status sn_live_hear(sn_live_breath *breath, double rate, const float *samples, size_t count,
                       sn_error *error);
const char *sn_microphone_word(sn_microphone_state state);

// ---- live_command.c ----
sn_status sn_live_obey(sn_live *live, sn_live_client *client, const sn_json *json, double id,
                       sn_text *reply, sn_error_list *errors);

// ---- live_take.c ----
bool sn_live_owes(const sn_live *live, const sn_live_client *client); // a message, now or soon

// ---- live_report.c ----
void sn_live_text_colour(sn_text *text, const char *key, uint32_t colour);
void sn_live_text_start(sn_text *text, const char *is);
void sn_live_text_number(sn_text *text, const char *key, double value); // not finite: null
void sn_live_text_integer(sn_text *text, const char *key, uint64_t value);
void sn_live_text_string(sn_text *text, const char *key, const char *value);
void sn_live_text_bool(sn_text *text, const char *key, bool value);
void sn_live_text_vector(sn_text *text, const char *key, sn_vec3 v);
void sn_live_text_rotation(sn_text *text, const char *key, sn_quat q);
void sn_live_text_end(sn_text *text);
void sn_live_write_welcome(const sn_live *live, const sn_live_client *client, sn_text *text);
void sn_live_write_scene(const sn_live *live, sn_text *text);
void sn_live_write_status(const sn_live *live, sn_text *text, bool all);
void sn_live_write_inspected(const sn_live *live, int body, sn_text *text);
void sn_live_write_breath(const sn_live_breath *breath, sn_text *text);
void sn_live_write_error(sn_text *text, const sn_error *errors, int count, const char *doing,
                         double id); // id < 0: none
void sn_live_write_state(const sn_live *live, sn_text *text);

// ---- live_frame.c ----
void sn_live_write_frame(sn_live *live, const sn_live_client *client, sn_bytes *bytes);
void sn_live_write_mesh(sn_live *live, int index, sn_bytes *bytes);
int sn_live_order_of(const sn_world *world, sn_body body);                   // -1: the world
void sn_live_put_place(const sn_live *live, sn_bytes *bytes, sn_vec3 place); // from the origin
// Kinetic, of gravity, otherwise stored, total.
void sn_live_energies(const sn_world *world, double energies[4]);

// ---- live_surface.c ----
void sn_live_write_surfaces(const sn_live *live, sn_text *text);
void sn_live_write_surface_mesh(sn_live *live, int surface, sn_bytes *bytes);
void sn_live_write_vertices(const sn_live *live, sn_bytes *bytes);

// ---- live_file.c ----
sn_status sn_live_make_file(sn_live *live, sn_live_client *client, const char *what, uint32_t id,
                            sn_error *error);
// Numbers of a row before the probes: energies and momenta.
enum { SN_LIVE_ROW_ENERGY = SN_ENERGY_COLUMNS - 1 };

#endif
