#include "file_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO)

void sn_file_watch_start(sn_file_watch *watch)
{
    *watch = (sn_file_watch){.descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
}

void sn_file_watch_end(sn_file_watch *watch)
{
    if (watch->descriptor >= 0) {
        close(watch->descriptor);
    }
    watch->descriptor = -1;
}

bool sn_file_watch_add(sn_file_watch *watch, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char folder[1024];
    int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    for (int i = 0; i < watch->count; ++i) {
        if (strcmp(watch->paths[i], path) == 0) {
            return true;
        }
    }
    if (watch->descriptor < 0 || watch->count == SN_WATCH_LIMIT ||
        strlen(path) >= sizeof watch->paths[0] || strlen(name) >= sizeof watch->names[0] ||
        length >= (int)sizeof folder) {
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
    int folder_watch = inotify_add_watch(watch->descriptor, folder, EVENTS | IN_ONLYDIR);
    if (folder_watch < 0) {
        return false;
    }
    watch->folders[watch->count] = folder_watch;
    snprintf(watch->names[watch->count], sizeof watch->names[0], "%s", name);
    snprintf(watch->paths[watch->count], sizeof watch->paths[0], "%s", path);
    watch->count += 1;
    return true;
}

void sn_file_watch_clear(sn_file_watch *watch)
{
    watch->count = 0; // folders stay watched: what is not in the list is passed over
}

static bool is_watched(const sn_file_watch *watch, const struct inotify_event *event)
{
    for (int i = 0; i < watch->count && event->len > 0; ++i) {
        if (watch->folders[i] == event->wd && strcmp(watch->names[i], event->name) == 0) {
            return true;
        }
    }
    return false;
}

bool sn_file_watch_look(sn_file_watch *watch)
{
    _Alignas(struct inotify_event) char buffer[4096];
    bool saved = false;
    while (watch->descriptor >= 0) {
        ssize_t got = read(watch->descriptor, buffer, sizeof buffer);
        if (got <= 0) {
            if (got < 0 && errno == EINTR) {
                continue;
            }
            break;
        }
        for (char *at = buffer; at < buffer + got;) {
            const struct inotify_event *event = (const struct inotify_event *)(void *)at;
            saved = saved || (event->mask & IN_Q_OVERFLOW) != 0 || is_watched(watch, event);
            at += sizeof *event + event->len;
        }
    }
    return saved;
}
