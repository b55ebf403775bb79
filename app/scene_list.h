// The built-in scenes as a gallery lists them: in the order and groups of docs/gallery.md, with
// their own titles and descriptions. For a live world's definition, native and in the browser.
//
//     sn_scene_list list;
//     if (sn_scene_list_make(&list)) {
//         def.scenes = list.entries;
//         def.scene_count = list.count;
//         def.find_scene = sn_scene_list_find;
//         def.find_file = sn_scene_list_find_file;
//     }
//     sn_scene_list_free(&list);
#ifndef SN_APP_SCENE_LIST_H
#define SN_APP_SCENE_LIST_H

#include "base/arena.h"
#include "sinew/live.h"

typedef struct sn_scene_list {
    sn_live_entry *entries;
    int count;
    sn_arena texts;
} sn_scene_list;

// Scenes that the gallery does not name come last, without a group. False: out of memory, the list
// is empty.
bool sn_scene_list_make(sn_scene_list *list);
// The user's own file, before all others. False: out of memory, the list is as it was.
bool sn_scene_list_put_own(sn_scene_list *list, const char *name, const char *path);
void sn_scene_list_free(sn_scene_list *list);

// As sn_live_def asks for them, from what is built in; `user` is not looked at.
const char *sn_scene_list_find(void *user, const char *name, char path[1024], size_t *length);
const char *sn_scene_list_find_file(void *user, const char *path, size_t *length);

#endif
