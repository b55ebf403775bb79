// The engine of `sinew view`: a live world in a thread of its own, fed by the post, with the scene
// file watched.
#ifndef SN_APP_LIVE_HOST_H
#define SN_APP_LIVE_HOST_H

#include <pthread.h>

#include "file_watch.h"
#include "options.h"
#include "post.h"
#include "scene_list.h"
#include "scene_source.h"

typedef struct sn_live_host {
    const sn_arguments *arguments;
    sn_post *post;
    void (*wake)(void *network); // tells the network that there is something to send
    void *network;
    sn_scene_list list;
    sn_live *live;
    sn_file_watch watch;
    char path[1024];        // of the scene's own file; "": none
    bool waited;            // for the first page, when last looked at
    char *text;             // as read last
    sn_scene_source source; // what the command line says of URDF files
    sn_scene_options reading;
    double saved_at;    // when a save was noticed; 0: none
    double advanced_at; // when the last advance began
    pthread_t thread;
    bool runs;
} sn_live_host;

typedef struct sn_live_host_def {
    const sn_scene_source *source;
    int threads; // of the world; 0: the scene's
    bool waits;  // its clock starts when the first page is open
} sn_live_host_def;

// Opens the scene: mistakes in a file are told, and the page shows them, too. False, with a
// message: it cannot be at all.
bool sn_live_host_start(sn_live_host *host, const sn_arguments *arguments,
                        const sn_live_host_def *def);
bool sn_live_host_run(sn_live_host *host, sn_post *post, void (*wake)(void *), void *network);
void sn_live_host_end(sn_live_host *host); // waits for the thread

#endif
