#include "record/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

sn_status sn_source_open(sn_source *source, const char *path, sn_error *error)
{
    *source = (sn_source){.descriptor = -1};
    do {
        // Without O_NONBLOCK a named pipe would hold us here until somebody writes to it.
        source->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (source->descriptor < 0 && errno == EINTR);
    struct stat stat;
    if (source->descriptor < 0 || fstat(source->descriptor, &stat) != 0) {
        sn_status status =
            sn_fail(error, SN_ERROR_FILE, path, "cannot open the file: %s", strerror(errno));
        sn_source_close(source);
        return status;
    }
    if (!S_ISREG(stat.st_mode)) {
        sn_source_close(source);
        return sn_fail(error, SN_ERROR_FILE, path, "is not a regular file, which was expected");
    }
    source->length = (uint64_t)stat.st_size;
    return SN_OK;
}

void sn_source_close(sn_source *source)
{
    if (source->descriptor >= 0) {
        close(source->descriptor);
    }
    sn_bytes_free(&source->buffer);
    *source = (sn_source){.descriptor = -1};
}

sn_status sn_source_read(sn_source *source, const char *name, uint64_t offset, uint64_t count,
                         const uint8_t **data, sn_error *error)
{
    if (source->bytes != NULL) {
        *data = source->bytes + offset;
        return SN_OK;
    }
    sn_bytes_clear(&source->buffer);
    if (count > SIZE_MAX / 2 || !sn_bytes_reserve(&source->buffer, (size_t)count + 1)) {
        return sn_fail_memory(error, (size_t)count);
    }
    while (source->buffer.count < count) {
        size_t done = source->buffer.count;
        ssize_t got = pread(source->descriptor, source->buffer.data + done, (size_t)count - done,
                            (off_t)(offset + done));
        if (got == 0) {
            return sn_fail(error, SN_ERROR_FILE, name, "became shorter while it was read");
        }
        if (got < 0 && errno != EINTR) {
            return sn_fail(error, SN_ERROR_FILE, name, "cannot read: %s", strerror(errno));
        }
        source->buffer.count += got > 0 ? (size_t)got : 0;
    }
    *data = source->buffer.data;
    return SN_OK;
}
