// Sinew live worlds: a running world that people steer while it runs, by messages.
//
//     sn_live_def def = sn_default_live_def();
//     sn_live *live = NULL;
//     sn_live_create(&def, &live, &error);
//     const char text[] = "{\"sinew\": 1, \"bodies\": [{\"name\": \"ball\"}]}";
//     sn_live_load_text(live, "ball.json", text, sizeof text - 1, &error);
//     int client = sn_live_join(live, &error);
//     const char hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
//     sn_live_receive(live, client, hello, sizeof hello - 1, false);
//     for (int i = 0; i < 60; ++i) {
//         sn_live_advance(live, 1.0 / 60.0); // wall time since the last call
//         sn_live_message message;
//         while (sn_live_take(live, client, &message)) { printf("%zu bytes\n", message.size); }
//     }
//     sn_live_destroy(live);
//
// Messages are what docs/protocol.md describes: JSON texts and binary frames, the same for the
// native server and for the WebAssembly worker. Whatever comes in is checked; what makes no sense
// is answered with an `error` message and changes nothing.
//
// A live world remembers where it was: every step can be gone back to, bit for bit, as far as the
// history's budget of bytes reaches. Without anybody's doing it takes the same steps as `sinew run`
// and has the same state hashes.
//
// What it does not do: it reads no clock (wall time comes in), opens no file but through its
// finders and the scene reader, starts no thread of its own, and waits for nobody: a client that
// does not take its messages misses frames, and is told to be dropped when its answers pile up. It
// is not locked: one thread at a time per live world. Wall times are seconds.
#ifndef SINEW_LIVE_H
#define SINEW_LIVE_H

#include "sinew/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_LIVE_PROTOCOL      1
#define SN_LIVE_CLIENT_LIMIT  64
#define SN_LIVE_MESSAGE_LIMIT (8u << 20) // bytes of one message to the live world

typedef struct sn_live sn_live;

// A scene that can be opened by name, as a gallery lists it. Texts are copied.
typedef struct sn_live_entry {
    const char *name;        // "steel-fish"
    const char *title;       // "Steel Fish"
    const char *description; // may be ""
    const char *group;       // "Mobiles"; may be ""
    bool own;                // the user's own file: a page offers it first, and the way back to it
} sn_live_entry;

typedef struct sn_live_def {
    const char *engine;          // "native" or "wasm", as `welcome` says it; copied
    const sn_live_entry *scenes; // scene_count; copied
    int scene_count;

    // May be NULL. Gives the text of a scene by its name in the list, with the path that errors are
    // to name and that names in it are relative to (at most 1023 bytes), or NULL when there is
    // none. The text must stay until the next call.
    const char *(*find_scene)(void *user, const char *name, char path[1024], size_t *length);

    // May be NULL. Gives the text of a file that a scene includes, or of a robot's, or NULL: then
    // the disk is looked at for scenes that the program loaded, and nowhere for texts that a client
    // sent.
    const char *(*find_file)(void *user, const char *path, size_t *length);

    // May be NULL. Seconds from any start, to measure what steps cost: without it, the budget
    // counts steps alone and frames tell no milliseconds.
    double (*clock)(void *user);

    // May be NULL. Asked often during steps, see sn_world_set_stop. True drops the step under way:
    // sn_live_advance returns soon, and the next one takes the step again.
    bool (*stop)(void *user);
    void *user;

    // May be NULL, and must stay. How URDF files are read: strict, packages, base, geometry.
    const sn_scene_options *reading;
    const char *cache; // folder of filled surfaces, see sn_scene_options; NULL: none; copied

    size_t history_bytes; // default 128 MiB; at least the last step is kept
    double frame_rate;    // frames a second for clients that ask for none, default 60
    double budget;        // s of work in one sn_live_advance, default 1/40
    int threads;          // of worlds; 0 (default): the scene's
    bool waits;           // the clock starts when the first client sees something, or steers it
} sn_live_def;

SN_API sn_live_def sn_default_live_def(void);
SN_API sn_status sn_live_create(const sn_live_def *def, sn_live **live, sn_error *error);
SN_API void sn_live_destroy(sn_live *live); // NULL is allowed

// A client's number from 1, or 0 with an error when there are too many or memory runs out.
SN_API int sn_live_join(sn_live *live, sn_error *error);
SN_API void sn_live_leave(sn_live *live, int client); // lets go what it holds

// Decodes one message and obeys it, or answers with an `error` message. False: the client is to be
// dropped, since it does not exist or its answers pile up.
SN_API bool sn_live_receive(sn_live *live, int client, const void *data, size_t size, bool binary);

// Moves the world by the wall time that passed and the speed asked for, and does what was asked
// for in between: steps, seeks, params, files. More work than the budget is left undone: the world
// then runs slower, and says so. A failed step pauses the world and is told to all.
SN_API void sn_live_advance(sn_live *live, double wall_seconds);

typedef struct sn_live_message {
    const void *data; // until the next call of any function of this live world
    size_t size;
    bool binary;
} sn_live_message;

// The next message for a client; false: there is none now. Frames are made here, of the world as
// it stands, when one is due: who comes late gets the newest.
SN_API bool sn_live_take(sn_live *live, int client, sn_live_message *message);

// Opens a scene. When that fails, the world that runs is paused and stays as it is, and the errors
// are told to all. `path` is what errors call it, and what names in it are relative to.
SN_API sn_status sn_live_load_text(sn_live *live, const char *path, const char *text, size_t length,
                                   sn_error *error);

// The same scene again, after it was saved: the state is kept where bodies and joints have the same
// names and kinds, and where not, the world starts anew and says so. A mistake pauses it; the text
// without it plays on if it played before.
SN_API sn_status sn_live_reload_text(sn_live *live, const char *path, const char *text,
                                     size_t length, sn_error *error);

// Tells all clients something in a sentence: a `notice`, or an `error` with its place.
SN_API void sn_live_tell(sn_live *live, const char *text);
SN_API void sn_live_tell_error(sn_live *live, const sn_error *error, const char *doing);

// The world that runs and its scene, to look at; NULL when none is open.
SN_API const sn_world *sn_live_world(const sn_live *live);
SN_API const sn_scene *sn_live_scene(const sn_live *live);

SN_API bool sn_live_is_playing(const sn_live *live);
SN_API bool sn_live_is_waiting(const sn_live *live); // the clock stands until a client is there

// True when there is nothing to do until a message comes: no step to take, and no client to whom a
// message is owed, now or when its time has come. A server may sleep.
SN_API bool sn_live_is_idle(const sn_live *live);

// Files that the open scene was read from, itself first: what a watcher watches. NULL beyond the
// last.
SN_API const char *sn_live_source(const sn_live *live, int index);

#ifdef __cplusplus
}
#endif

#endif
