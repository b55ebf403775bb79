// A thread pool with a deterministic split: work over `count` items is cut into chunks whose
// borders depend on the count alone, never on the number of threads. Which thread takes which chunk
// is left to chance; what a chunk computes is not. A reduction stores one partial result a chunk
// and sums them in chunk order, so that results are the same to the bit for any number of threads.
//
// A run costs well below a microsecond while others follow quickly: threads that have nothing to do
// look out for the next one for some 0.1 ms before they sleep. Each tends to get the same part of
// the whole in every run, so data that is visited many times stays near it.
#ifndef SN_BASE_THREADS_H
#define SN_BASE_THREADS_H

#include "sinew/base.h"

typedef struct sn_threads sn_threads;

// Work on items first .. last - 1. `chunk` counts from 0.
typedef void sn_chunk_work(void *context, int first, int last, int chunk);

// A pool of `count` threads, the caller's included; 1 makes no threads at all.
SN_API sn_status sn_threads_create(int count, sn_threads **threads, sn_error *error);
SN_API void sn_threads_destroy(sn_threads *threads);
SN_API int sn_threads_count(const sn_threads *threads); // NULL: 1

// How many chunks `count` items make at `chunk_size` items each.
static inline int sn_chunk_count(int count, int chunk_size)
{
    return (count + chunk_size - 1) / chunk_size;
}

// Runs the work over all chunks and returns when all are done. NULL threads: on the caller's
// thread, in order.
SN_API void sn_threads_run(sn_threads *threads, int count, int chunk_size, sn_chunk_work *work,
                           void *context);

#endif
