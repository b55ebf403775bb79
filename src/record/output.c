#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

// ns: a process that is killed loses no more than a frame of a film, and files are not written to
// thousands of times a second.
#define FLUSH_INTERVAL 16000000

static int64_t monotonic_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static sn_status output_failure(const sn_output *output, sn_error *error)
{
    if (output->reason == ENOMEM) {
        return sn_fail(error, SN_ERROR_MEMORY, output->path, "cannot write: out of memory");
    }
    return sn_fail(error, SN_ERROR_FILE, output->path, "cannot write: %s",
                   strerror(output->reason ? output->reason : EBADF));
}

sn_status sn_output_open(sn_output *output, const char *path, sn_error *error)
{
    *output = (sn_output){.descriptor = -1, .buffer_limit = 1 << 18};
    output->path = sn_copy_text(path);
    if (output->path == NULL) {
        return sn_fail_memory(error, strlen(path) + 1);
    }
    do {
        output->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (output->descriptor < 0 && errno == EINTR);
    if (output->descriptor < 0) {
        sn_status status =
            sn_fail(error, SN_ERROR_FILE, path, "cannot create the file: %s", strerror(errno));
        sn_free(output->path);
        output->path = NULL;
        return status;
    }
    output->flushed_at = monotonic_now();
    return SN_OK;
}

sn_status sn_output_open_memory(sn_output *output, sn_bytes *sink, sn_error *error)
{
    *output = (sn_output){.descriptor = -1, .sink = sink};
    output->path = sn_copy_text("memory");
    return output->path != NULL ? SN_OK : sn_fail_memory(error, sizeof "memory");
}

static sn_status put_in_memory(sn_output *output, const void *data, size_t count, sn_error *error)
{
    sn_bytes_put(output->sink, data, count);
    if (output->sink->failed) {
        output->reason = ENOMEM;
        return output_failure(output, error);
    }
    output->length += count;
    return SN_OK;
}

// What the buffer holds goes to the file.
static sn_status write_buffer(sn_output *output, sn_error *error)
{
    size_t done = 0;
    while (done < output->buffer.count) {
        ssize_t written =
            write(output->descriptor, output->buffer.data + done, output->buffer.count - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            output->reason = written == 0 ? EIO : errno;
            return output_failure(output, error);
        }
    }
    sn_bytes_clear(&output->buffer);
    return SN_OK;
}

sn_status sn_output_put(sn_output *output, const void *data, size_t count, sn_error *error)
{
    if (output->sink != NULL && output->reason == 0) {
        return put_in_memory(output, data, count, error);
    }
    if (output->reason != 0 || output->descriptor < 0) {
        return output_failure(output, error);
    }
    sn_bytes_put(&output->buffer, data, count);
    if (output->buffer.failed) {
        output->reason = ENOMEM;
        return output_failure(output, error);
    }
    output->length += count;
    // Not a flush: who writes has more to add to that, and is asked for it when it is due.
    return output->buffer.count > output->buffer_limit ? write_buffer(output, error) : SN_OK;
}

sn_status sn_output_flush(sn_output *output, sn_error *error)
{
    if (output->sink != NULL && output->reason == 0) {
        return SN_OK;
    }
    if (output->reason != 0 || output->descriptor < 0) {
        return output_failure(output, error);
    }
    output->flushed_at = monotonic_now();
    return write_buffer(output, error);
}

bool sn_output_due(const sn_output *output)
{
    return output->sink == NULL && monotonic_now() - output->flushed_at >= FLUSH_INTERVAL;
}

sn_status sn_output_close(sn_output *output, bool sync, sn_error *error)
{
    if (output->path == NULL) {
        return SN_OK;
    }
    if (output->reason == 0) {
        sn_output_flush(output, NULL);
    }
    sync = sync && output->sink == NULL;
    // Pipes and devices cannot be synchronised and say EINVAL: nothing is lost by that.
    if (sync && output->reason == 0) {
        int result;
        do {
            result = fsync(output->descriptor);
        } while (result != 0 && errno == EINTR);
        if (result != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
            output->reason = errno;
        }
    }
    // POSIX leaves the descriptor's state open after EINTR; Linux has closed it, so no second try.
    if (output->sink == NULL && close(output->descriptor) != 0 && errno != EINTR &&
        output->reason == 0) {
        output->reason = errno;
    }
    sn_status status = output->reason ? output_failure(output, error) : SN_OK;
    sn_bytes_free(&output->buffer);
    sn_free(output->path);
    *output = (sn_output){.descriptor = -1};
    return status;
}

sn_status sn_output_file(const char *path, const void *data, size_t count, sn_error *error)
{
    sn_output output;
    sn_status status = sn_output_open(&output, path, error);
    if (status == SN_OK) {
        status = sn_output_put(&output, data, count, error);
        sn_status closed = sn_output_close(&output, false, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    return status;
}

sn_status sn_make_folder(const char *path, sn_error *error)
{
    char *copy = sn_copy_text(path);
    if (copy == NULL) {
        return sn_fail_memory(error, strlen(path) + 1);
    }
    sn_status status = SN_OK;
    for (char *end = copy + (copy[0] == '/'); status == SN_OK; ++end) {
        if (*end != '/' && *end != '\0') {
            continue;
        }
        char last = *end;
        *end = '\0';
        if (copy[0] != '\0' && mkdir(copy, 0777) != 0 && errno != EEXIST) {
            status =
                sn_fail(error, SN_ERROR_FILE, copy, "cannot make the folder: %s", strerror(errno));
        }
        *end = last;
        if (last == '\0') {
            break;
        }
    }
    sn_free(copy);
    return status;
}

sn_status sn_input_file(const char *path, size_t limit, sn_bytes *bytes, sn_error *error)
{
    int descriptor;
    do {
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot open the file: %s", strerror(errno));
    }
    sn_bytes_clear(bytes);
    sn_status status = SN_OK;
    for (;;) {
        if (!sn_bytes_reserve(bytes, 65536 + 1)) {
            status = sn_fail_memory(error, bytes->count + 65536);
            break;
        }
        ssize_t got = read(descriptor, bytes->data + bytes->count, 65536);
        if (got == 0) {
            bytes->data[bytes->count] = 0;
            break;
        }
        if (got < 0 && errno != EINTR) {
            status = sn_fail(error, SN_ERROR_FILE, path, "cannot read: %s", strerror(errno));
            break;
        }
        bytes->count += got > 0 ? (size_t)got : 0;
        if (bytes->count > limit) {
            status = sn_fail(error, SN_ERROR_FILE, path, "is longer than %zu bytes", limit);
            break;
        }
    }
    close(descriptor);
    return status;
}
