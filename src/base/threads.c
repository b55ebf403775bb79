#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

// One run of sn_threads_run. Workers take the next chunk by counting up `next`; the last one out
// wakes the caller.
struct sn_threads {
    pthread_mutex_t mutex;
    pthread_cond_t start, done;
    pthread_t *workers;
    int worker_count; // without the caller
    int busy;         // workers still inside the present run
    uint64_t run;     // counted up to start the workers
    bool quit;
    // The present run, written under the mutex before `run` is counted up.
    sn_chunk_work *work;
    void *context;
    int count, chunk_size, chunks;
    atomic_int next;
};

static void take_chunks(sn_threads *threads)
{
    for (;;) {
        int chunk = atomic_fetch_add_explicit(&threads->next, 1, memory_order_relaxed);
        if (chunk >= threads->chunks) {
            return;
        }
        int first = chunk * threads->chunk_size;
        int last = threads->count - first < threads->chunk_size ? threads->count
                                                                : first + threads->chunk_size;
        threads->work(threads->context, first, last, chunk);
    }
}

static void *worker_main(void *argument)
{
    sn_threads *threads = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&threads->mutex);
    for (;;) {
        while (threads->run == seen && !threads->quit) {
            pthread_cond_wait(&threads->start, &threads->mutex);
        }
        if (threads->quit) {
            pthread_mutex_unlock(&threads->mutex);
            return NULL;
        }
        seen = threads->run;
        pthread_mutex_unlock(&threads->mutex);
        take_chunks(threads);
        pthread_mutex_lock(&threads->mutex);
        threads->busy -= 1;
        if (threads->busy == 0) {
            pthread_cond_signal(&threads->done);
        }
    }
}

sn_status sn_threads_create(int count, sn_threads **out, sn_error *error)
{
    *out = NULL;
    if (count < 1 || count > 1024) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d threads asked for, expected 1 to 1024",
                       count);
    }
    sn_threads *threads = sn_allocate_zero(sizeof *threads);
    pthread_t *workers = sn_allocate_zero((size_t)count * sizeof *workers);
    if (threads == NULL || workers == NULL) {
        sn_free(threads);
        sn_free(workers);
        return sn_fail_memory(error, sizeof *threads);
    }
    threads->workers = workers;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->start, NULL);
    pthread_cond_init(&threads->done, NULL);
    for (int i = 0; i < count - 1; ++i) {
        if (pthread_create(&threads->workers[i], NULL, worker_main, threads) != 0) {
            sn_threads_destroy(threads);
            return sn_fail(error, SN_ERROR_MEMORY, NULL, "the system gave %d of %d threads", i + 1,
                           count);
        }
        threads->worker_count += 1;
    }
    *out = threads;
    return SN_OK;
}

void sn_threads_destroy(sn_threads *threads)
{
    if (threads == NULL) {
        return;
    }
    pthread_mutex_lock(&threads->mutex);
    threads->quit = true;
    pthread_cond_broadcast(&threads->start);
    pthread_mutex_unlock(&threads->mutex);
    for (int i = 0; i < threads->worker_count; ++i) {
        pthread_join(threads->workers[i], NULL);
    }
    pthread_cond_destroy(&threads->start);
    pthread_cond_destroy(&threads->done);
    pthread_mutex_destroy(&threads->mutex);
    sn_free(threads->workers);
    sn_free(threads);
}

int sn_threads_count(const sn_threads *threads)
{
    return threads != NULL ? threads->worker_count + 1 : 1;
}

void sn_threads_run(sn_threads *threads, int count, int chunk_size, sn_chunk_work *work,
                    void *context)
{
    int chunks = sn_chunk_count(count, chunk_size);
    if (threads == NULL || threads->worker_count == 0 || chunks <= 1) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            int first = chunk * chunk_size;
            work(context, first, count - first < chunk_size ? count : first + chunk_size, chunk);
        }
        return;
    }
    pthread_mutex_lock(&threads->mutex);
    threads->work = work;
    threads->context = context;
    threads->count = count;
    threads->chunk_size = chunk_size;
    threads->chunks = chunks;
    atomic_store_explicit(&threads->next, 0, memory_order_relaxed);
    threads->busy = threads->worker_count;
    threads->run += 1;
    pthread_cond_broadcast(&threads->start);
    pthread_mutex_unlock(&threads->mutex);
    take_chunks(threads);
    pthread_mutex_lock(&threads->mutex);
    while (threads->busy > 0) {
        pthread_cond_wait(&threads->done, &threads->mutex);
    }
    pthread_mutex_unlock(&threads->mutex);
}
