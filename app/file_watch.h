// Tells when files are saved. Folders are watched, not files: editors write a new file and rename
// it into the old one's place.
#ifndef SN_APP_FILE_WATCH_H
#define SN_APP_FILE_WATCH_H

#include <stdbool.h>

enum { SN_WATCH_LIMIT = 64 };

typedef struct sn_file_watch {
    int descriptor; // -1: this system cannot watch
    int count;
    int folders[SN_WATCH_LIMIT]; // watch of each file's folder
    char names[SN_WATCH_LIMIT][256];
    char paths[SN_WATCH_LIMIT][1024];
} sn_file_watch;

void sn_file_watch_start(sn_file_watch *watch);
void sn_file_watch_end(sn_file_watch *watch);

// Watches one more; nothing where it is watched already. False: it cannot be, or there are too
// many.
bool sn_file_watch_add(sn_file_watch *watch, const char *path);
void sn_file_watch_clear(sn_file_watch *watch);

// True when one of them was saved since the last call. Does not wait.
bool sn_file_watch_look(sn_file_watch *watch);

#endif
