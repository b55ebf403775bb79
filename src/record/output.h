// A file being written: buffered, and honest about failure. Used by every export.
//
//     sn_output output = {0};
//     sn_status status = sn_output_open(&output, path, error);
//     ... sn_output_put(&output, data, count, error) ...
//     status = sn_output_close(&output, true, error); // true: wait until the disk has it
//
// What is put reaches the operating system in the order given; short writes and interrupts are
// dealt with. A failure names the path and the system's reason, is reported again by every later
// call, and leaves nothing to clean up but sn_output_close.
#ifndef SN_RECORD_OUTPUT_H
#define SN_RECORD_OUTPUT_H

#include "record/bytes.h"

typedef struct sn_output {
    char *path;
    int descriptor; // -1 when closed
    int reason;     // errno of the first failure, 0 while all is well
    sn_bytes buffer;
    sn_bytes *sink;      // in memory, instead of a file
    uint64_t length;     // bytes put so far
    int64_t flushed_at;  // monotonic clock, ns
    size_t buffer_limit; // flushes by itself beyond this
} sn_output;

// Creates or empties the file.
SN_API sn_status sn_output_open(sn_output *output, const char *path, sn_error *error);

// The same into memory: everything is appended to the sink, which must stay.
SN_API sn_status sn_output_open_memory(sn_output *output, sn_bytes *sink, sn_error *error);

SN_API sn_status sn_output_put(sn_output *output, const void *data, size_t count, sn_error *error);

// Hands the buffer to the operating system.
SN_API sn_status sn_output_flush(sn_output *output, sn_error *error);

// True when 16 ms of wall time have passed since the last flush.
SN_API bool sn_output_due(const sn_output *output);

// Safe on an output that is zero, failed or closed; everything is released whatever the status.
SN_API sn_status sn_output_close(sn_output *output, bool sync, sn_error *error);

// Writes one whole file.
SN_API sn_status sn_output_file(const char *path, const void *data, size_t count, sn_error *error);

// Makes a folder and those above it; an existing one is fine.
SN_API sn_status sn_make_folder(const char *path, sn_error *error);

// Reads one whole file, at most `limit` bytes, with a zero behind the last.
SN_API sn_status sn_input_file(const char *path, size_t limit, sn_bytes *bytes, sn_error *error);

#endif
