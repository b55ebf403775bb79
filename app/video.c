#include "video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "draw/png.h"
#include "terminal.h"

extern char **environ;

sn_status sn_picture_write(const char *path, const uint8_t *pixels, int width, int height,
                           sn_error *error)
{
    sn_bytes bytes = {0};
    sn_status status = sn_png_encode(pixels, width, height, &bytes, error);
    if (status == SN_OK) {
        status = sn_write_file(path, (const char *)bytes.data, bytes.count, error);
    }
    sn_bytes_free(&bytes);
    return status;
}

// ffmpeg with our pictures as its standard input, in a process group of its own: Ctrl-C is for us,
// and ffmpeg ends in good order when the pipe does. An errno, ENOENT where there is no ffmpeg.
static int start_ffmpeg(sn_video *video, double rate)
{
    char size[32], speed[32];
    snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    snprintf(speed, sizeof speed, "%.9g", rate);
    // Players want even sizes; an odd one gets a row or column of its edge's colour.
    char *const words[] = {"ffmpeg",
                           "-loglevel",
                           "error",
                           "-y",
                           "-f",
                           "rawvideo",
                           "-pix_fmt",
                           "rgb24",
                           "-s",
                           size,
                           "-r",
                           speed,
                           "-i",
                           "-",
                           "-an",
                           "-vf",
                           "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                           "-pix_fmt",
                           "yuv420p",
                           "-crf",
                           "18",
                           "-movflags",
                           "+faststart",
                           video->path,
                           NULL};
    int ends[2];
    if (pipe(ends) != 0) {
        return errno;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int reason = posix_spawnp(&video->child, words[0], &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    if (reason != 0) {
        close(ends[1]);
        return reason;
    }
    video->pipe = ends[1];
    return 0;
}

// film.mp4 -> film-frames
static void folder_beside(const char *film, char *folder)
{
    size_t length = strlen(film), end = length;
    for (size_t i = length; i > 0 && film[i - 1] != '/'; --i) {
        if (film[i - 1] == '.' && i > 1 && film[i - 2] != '/') {
            end = i - 1;
            break;
        }
    }
    snprintf(folder, SN_PATH_LIMIT, "%.*s-frames", (int)(end < 4000 ? end : 4000), film);
}

// Where the film itself could not be written, ffmpeg would only say so after the first pictures.
static sn_status check_writable(const char *path, sn_error *error)
{
    bool existed = sn_path_exists(path);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot write the film: %s", strerror(errno));
    }
    close(descriptor);
    if (!existed) {
        unlink(path);
    }
    return SN_OK;
}

static sn_status open_film(sn_video *video, const sn_arguments *arguments, const char *path,
                           double rate, sn_error *error)
{
    size_t length = strlen(path);
    if (length + 16 > SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %zu letters is too long", length);
    }
    memcpy(video->path, path, length + 1);
    if (sn_path_ends_with(path, "/") || sn_path_is_folder(path)) {
        return sn_make_folders(video->path, error);
    }
    sn_status status = check_writable(path, error);
    if (status != SN_OK) {
        return status;
    }
    int reason = start_ffmpeg(video, rate);
    if (reason == 0) {
        video->film = true;
        signal(SIGPIPE, SIG_IGN); // a write to an ffmpeg that has gone is to fail, not to kill
        return SN_OK;
    }
    if (reason != ENOENT) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot start ffmpeg: %s", strerror(reason));
    }
    folder_beside(path, video->path);
    sn_say(arguments,
           "there is no ffmpeg here (on Debian: apt-get install ffmpeg), so the pictures go to "
           "%s/ one by one",
           video->path);
    return sn_make_folders(video->path, error);
}

sn_status sn_video_open(sn_video *video, const sn_arguments *arguments, const char *path, int width,
                        int height, double rate, sn_error *error)
{
    *video = (sn_video){.width = width, .height = height, .pipe = -1};
    sn_status status = open_film(video, arguments, path, rate, error);
    video->unwritten = status != SN_OK;
    return status;
}

static sn_status add_picture(sn_video *video, const uint8_t *pixels, sn_error *error)
{
    if (!video->film) {
        char name[32], path[SN_PATH_LIMIT];
        snprintf(name, sizeof name, "frame-%05d.png", video->count + 1);
        sn_status status = sn_folder_join(video->path, name, path, error);
        if (status == SN_OK) {
            status = sn_picture_write(path, pixels, video->width, video->height, error);
        }
        return status;
    }
    size_t left = 3 * (size_t)video->width * (size_t)video->height;
    while (left > 0) {
        ssize_t done = write(video->pipe, pixels, left);
        if (done < 0 && errno == EPIPE) {
            return sn_fail(error, SN_ERROR_FILE, video->path,
                           "ffmpeg gave up; its own message is above (it takes the kind of film "
                           "from the name: .mp4, .webm, .mkv, .gif)");
        }
        if (done < 0 && errno != EINTR) {
            return sn_fail(error, SN_ERROR_FILE, video->path,
                           "ffmpeg does not take more pictures: %s", strerror(errno));
        }
        pixels += done > 0 ? done : 0;
        left -= done > 0 ? (size_t)done : 0;
    }
    return SN_OK;
}

sn_status sn_video_add(sn_video *video, const uint8_t *pixels, sn_error *error)
{
    sn_status status = add_picture(video, pixels, error);
    video->count += status == SN_OK;
    video->unwritten = status != SN_OK;
    return status;
}

static sn_status close_film(sn_video *video, sn_error *error)
{
    if (!video->film || video->pipe < 0) {
        return SN_OK;
    }
    close(video->pipe);
    video->pipe = -1;
    int state = 0;
    while (waitpid(video->child, &state, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        return sn_fail(error, SN_ERROR_FILE, video->path,
                       "ffmpeg failed; its own message is above");
    }
    return SN_OK;
}

sn_status sn_video_close(sn_video *video, sn_status status, sn_error *error)
{
    sn_status closed = close_film(video, status == SN_OK ? error : NULL);
    if (status == SN_OK) {
        video->unwritten = closed != SN_OK;
        status = closed;
    }
    return status;
}
