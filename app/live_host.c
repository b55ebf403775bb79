#include "live_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cache_folder.h"
#include "files.h"
#include "guard.h"
#include "interrupt.h"
#include "terminal.h"

#define TICK     (1.0 / 60.0) // s between two advances while the world plays
#define NAP      0.05         // s at most without a look at files and interrupts
#define PATIENCE 0.5          // s that a step may take before it gives way to messages
#define SETTLE   0.03         // s after a save until the file is read: editors write several times

enum { NEWS_ROOM = 256 }; // bytes of a sentence with the file's name

static double now(void *user)
{
    (void)user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- scenes ----

// What the gallery calls the user's own file.
static const char *own_name(const sn_live_host *host)
{
    const char *slash = strrchr(host->path, '/');
    return slash != NULL ? slash + 1 : host->path;
}

// A scene of the list, or the user's own file, read anew.
static const char *find_scene(void *user, const char *name, char path[1024], size_t *length)
{
    sn_live_host *host = user;
    if (host->path[0] == '\0' || strcmp(name, own_name(host)) != 0) {
        return sn_scene_list_find(NULL, name, path, length);
    }
    sn_free(host->text);
    host->text = NULL;
    snprintf(path, 1024, "%s", host->path);
    return sn_read_file(host->path, &host->text, length, NULL) == SN_OK ? host->text : NULL;
}

static void complain(const sn_live_host *host, sn_error *error)
{
    char line[900];
    fprintf(stderr, "%s\n", sn_printable(sn_error_message(error), line, sizeof line));
    (void)host;
}

static bool is_open(const sn_live_host *host)
{
    const char *source = sn_live_source(host->live, 0);
    return sn_live_world(host->live) == NULL || (source != NULL && strcmp(source, host->path) == 0);
}

static void watch_sources(sn_live_host *host)
{
    if (host->path[0] == '\0') {
        return;
    }
    sn_file_watch_clear(&host->watch);
    bool watched = sn_file_watch_add(&host->watch, host->path);
    const char *source;
    for (int i = 1; (source = sn_live_source(host->live, i)) != NULL && is_open(host); ++i) {
        watched = sn_file_watch_add(&host->watch, source) && watched;
    }
    if (!watched) {
        sn_say(host->arguments, "%s cannot be watched for changes", host->path);
    }
}

// Reads the file after it was saved. Where somebody has gone on to another scene, that brings the
// file back.
static void read_again(sn_live_host *host)
{
    sn_error error = {0};
    char *text = NULL;
    size_t length = 0;
    bool shown = is_open(host);
    sn_status status = sn_read_file(host->path, &text, &length, &error);
    if (status == SN_OK && shown) {
        status = sn_live_reload_text(host->live, host->path, text, length, &error);
    } else if (status == SN_OK) {
        status = sn_live_load_text(host->live, host->path, text, length, &error);
        if (status == SN_OK) {
            char news[NEWS_ROOM];
            snprintf(news, sizeof news, "%.200s was saved, and is shown again", own_name(host));
            sn_live_tell(host->live, news);
        }
    } else {
        sn_live_tell_error(host->live, &error, "reload");
    }
    sn_free(text);
    if (status != SN_OK) {
        complain(host, &error);
    } else {
        sn_say(host->arguments, "%s read again", host->path);
        watch_sources(host);
    }
}

static void look_at_files(sn_live_host *host)
{
    double time = now(NULL);
    if (sn_file_watch_look(&host->watch)) {
        host->saved_at = time;
    }
    if (host->saved_at > 0.0 && time - host->saved_at >= SETTLE) {
        host->saved_at = 0.0;
        read_again(host);
    }
}

// Through a client of its own, since that is how a scene of the list is opened.
static void open_listed(sn_live_host *host, const char *name)
{
    char text[256];
    int client = sn_live_join(host->live, NULL);
    static const char hello[] = "{\"do\": \"hello\", \"protocol\": 1, \"loading\": true}";
    int length = snprintf(text, sizeof text, "{\"do\": \"open\", \"scene\": \"%s\"}", name);
    sn_live_receive(host->live, client, hello, sizeof hello - 1, false);
    sn_live_receive(host->live, client, text, (size_t)length, false);
    sn_live_leave(host->live, client);
}

static void open_source(sn_live_host *host, const sn_scene_source *source)
{
    sn_error error = {0};
    char *text = NULL;
    size_t length = source->length;
    bool listed = source->text != NULL && source->owned == NULL;
    if (listed) {
        open_listed(host, source->short_name);
        return;
    }
    sn_status status = SN_OK;
    if (source->text == NULL) {
        status = sn_read_file(source->name, &text, &length, &error);
        if (status != SN_OK) {
            sn_live_tell_error(host->live, &error, "open");
        }
    }
    if (status == SN_OK) {
        status = sn_live_load_text(host->live, source->name, text != NULL ? text : source->text,
                                   length, &error);
    }
    if (status != SN_OK) {
        complain(host, &error);
        sn_say(host->arguments, "the page opens all the same; save the file to try again");
    } else {
        sn_scene_source_say_notes(host->arguments, source, sn_live_scene(host->live));
    }
    sn_free(text);
    watch_sources(host);
}

// The gallery, with the user's own file as its first scene.
static bool make_list(sn_live_host *host, const sn_scene_source *source)
{
    if (!sn_scene_list_make(&host->list)) {
        return false;
    }
    if (source->text != NULL) {
        return true;
    }
    memcpy(host->path, source->name, strlen(source->name) + 1);
    return sn_scene_list_put_own(&host->list, own_name(host), host->path);
}

// ---- interruption ----

// Somebody waits for an answer.
static bool has_letters(const sn_post *post)
{
    for (int i = 0; i < SN_POST_BOXES; ++i) {
        const sn_box *box = &post->boxes[i];
        if (box->used && (box->in.first != NULL || box->left || box->client == 0)) {
            return true;
        }
    }
    return false;
}

// Long steps give way to clients, who are answered between steps, and to the end of the program.
static bool gives_way(void *user)
{
    sn_live_host *host = user;
    if (host->post == NULL) {
        return sn_interrupted(); // no network yet
    }
    bool patient = now(NULL) - host->advanced_at < PATIENCE;
    pthread_mutex_lock(&host->post->lock);
    bool way = host->post->ends || (!patient && has_letters(host->post));
    pthread_mutex_unlock(&host->post->lock);
    return way || sn_interrupted();
}

// ---- the start ----

bool sn_live_host_start(sn_live_host *host, const sn_arguments *arguments,
                        const sn_live_host_def *given)
{
    const sn_scene_source *source = given->source;
    *host = (sn_live_host){.arguments = arguments, .waited = given->waits};
    sn_error error = {0};
    sn_file_watch_start(&host->watch);
    if (source->text == NULL && strlen(source->name) >= sizeof host->path) {
        sn_complain(arguments, "the path of the scene is too long");
        return false;
    }
    if (!make_list(host, source)) {
        sn_complain(arguments, "out of memory");
        return false;
    }
    sn_live_def def = sn_default_live_def();
    def.scenes = host->list.entries;
    def.scene_count = host->list.count;
    def.find_scene = find_scene;
    def.find_file = sn_scene_list_find_file;
    def.clock = now;
    def.stop = gives_way;
    def.user = host;
    host->source = *source;
    sn_scene_source_options(&host->source, &host->reading);
    def.reading = &host->reading;
    def.threads = given->threads;
    def.waits = given->waits;
    char cache[SN_PATH_LIMIT];
    def.cache = sn_cache_folder(cache);
    if (sn_live_create(&def, &host->live, &error) != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        return false;
    }
    open_source(host, source);
    return true;
}

// ---- the thread ----

// What a box holds, taken out under the lock and dealt with after it.
typedef struct taken_box {
    bool used, left, room;
    int client;
    sn_letter_list in;
} taken_box;

static bool collect(sn_live_host *host, taken_box *taken)
{
    sn_post *post = host->post;
    pthread_mutex_lock(&post->lock);
    bool ends = post->ends;
    for (int i = 0; i < SN_POST_BOXES; ++i) {
        sn_box *box = &post->boxes[i];
        taken[i] = (taken_box){box->used, box->left, box->out.first == NULL, box->client, box->in};
        box->in = (sn_letter_list){0};
    }
    pthread_mutex_unlock(&post->lock);
    return !ends;
}

static void obey(sn_live_host *host, taken_box *taken, bool *dropped)
{
    if (taken->client == 0 && !taken->left) {
        sn_error error = {0};
        taken->client = sn_live_join(host->live, &error);
        *dropped = taken->client == 0;
    }
    for (sn_letter *letter = NULL; (letter = sn_letters_take(&taken->in)) != NULL;) {
        if (!*dropped && !taken->left) {
            *dropped = !sn_live_receive(host->live, taken->client, letter->bytes + SN_LETTER_HEAD,
                                        letter->size, letter->binary);
        }
        sn_free(letter);
    }
    if (taken->left && taken->client != 0) {
        sn_live_leave(host->live, taken->client);
    }
}

// Everything that a client with an empty box is to get now.
static void answer(sn_live_host *host, const taken_box *taken, sn_letter_list *out, bool *dropped)
{
    sn_live_message message;
    while (taken->room && !*dropped && out->bytes < SN_POST_OUT_BYTES &&
           sn_live_take(host->live, taken->client, &message)) {
        sn_letter *letter = sn_letter_make(message.data, message.size, message.binary);
        if (letter == NULL) {
            *dropped = true;
        } else {
            sn_letters_add(out, letter);
        }
    }
}

// Puts the answers into a box, and frees it where the network is done with it.
static bool hand_over(sn_live_host *host, int index, const taken_box *taken, sn_letter_list *out,
                      bool dropped)
{
    pthread_mutex_lock(&host->post->lock);
    sn_box *box = &host->post->boxes[index];
    sn_letter_list gone = {0};
    bool news = out->first != NULL || dropped;
    box->client = taken->client;
    box->dropped = box->dropped || dropped;
    if (taken->left) {
        gone = box->out;
        sn_letter_list more = box->in;
        *box = (sn_box){0};
        pthread_mutex_unlock(&host->post->lock);
        sn_letters_free(&gone);
        sn_letters_free(&more);
        sn_letters_free(out);
        return false;
    }
    for (sn_letter *letter = NULL; (letter = sn_letters_take(out)) != NULL;) {
        sn_letters_add(&box->out, letter);
    }
    pthread_mutex_unlock(&host->post->lock);
    return news;
}

static void wait(sn_live_host *host, double until)
{
    struct timespec time = {.tv_sec = (time_t)until};
    time.tv_nsec = (long)(1e9 * (until - (double)time.tv_sec));
    bool sleeps = sn_live_is_idle(host->live);
    pthread_mutex_lock(&host->post->lock);
    bool news = false;
    while (!news && !host->post->ends &&
           pthread_cond_timedwait(&host->post->come, &host->post->lock, &time) == 0) {
        // While the world plays, messages wait for the next tick.
        news = sleeps;
    }
    pthread_mutex_unlock(&host->post->lock);
}

static void tell_start(sn_live_host *host)
{
    if (host->waited && !sn_live_is_waiting(host->live)) {
        host->waited = false;
        sn_say(host->arguments, "a page is open: the clock runs");
    }
}

static void *run(void *context)
{
    sn_live_host *host = context;
    taken_box taken[SN_POST_BOXES];
    bool dropped[SN_POST_BOXES];
    double last = now(NULL), tick = last;
    while (collect(host, taken) && !sn_interrupted()) {
        for (int i = 0; i < SN_POST_BOXES; ++i) {
            dropped[i] = false;
            if (taken[i].used) {
                obey(host, &taken[i], &dropped[i]);
            }
        }
        look_at_files(host);
        double time = now(NULL);
        host->advanced_at = time;
        sn_live_advance(host->live, time - last);
        last = time;
        bool news = false;
        for (int i = 0; i < SN_POST_BOXES; ++i) {
            sn_letter_list out = {0};
            if (taken[i].used) {
                if (!taken[i].left) {
                    answer(host, &taken[i], &out, &dropped[i]);
                }
                news = hand_over(host, i, &taken[i], &out, dropped[i]) || news;
            }
        }
        if (news) {
            host->wake(host->network);
        }
        tell_start(host);
        // Ticks stand at even distances; those that were missed are not made up for.
        tick = tick + TICK > time ? tick + TICK : time + 1e-3;
        wait(host, sn_live_is_idle(host->live) ? time + NAP : tick);
        tick = sn_live_is_idle(host->live) ? now(NULL) : tick;
    }
    for (int i = 0; i < SN_POST_BOXES; ++i) { // what came in while it ended
        sn_letters_free(&taken[i].in);
    }
    host->wake(host->network);
    return NULL;
}

bool sn_live_host_run(sn_live_host *host, sn_post *post, void (*wake)(void *), void *network)
{
    host->post = post;
    host->wake = wake;
    host->network = network;
    host->runs = pthread_create(&host->thread, NULL, run, host) == 0;
    return host->runs;
}

void sn_live_host_end(sn_live_host *host)
{
    if (host->runs) {
        sn_post_stop(host->post);
        pthread_join(host->thread, NULL);
    }
    sn_live_destroy(host->live);
    sn_scene_list_free(&host->list);
    sn_file_watch_end(&host->watch);
    sn_free(host->text);
}
