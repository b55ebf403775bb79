#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

#if defined(__x86_64__) || defined(__i386__)
#define SN_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define SN_PAUSE() __asm__ volatile("yield")
#else
#define SN_PAUSE() ((void)0)
#endif

// Who waits looks again and again for a while before it sleeps: a step of a world is hundreds of
// short runs, and waking a thread takes longer than most of them. In turns of a pause each, which
// are 20 to 60 ns: longer than what lies between two runs of a step, and too short to matter where
// nothing follows.
enum { WORKER_PATIENCE = 6000, CALLER_PATIENCE = 2000, SN_LINE = 64 };

// Each thread has a range of a run's chunks to itself, the same part of the whole in every run, so
// that it finds in its cache what it left there. Who is done early takes from the ends of others.
//
// A range is one word, so that who takes a chunk knows at once whether there is one: the run's
// number (16 bits), the end of what is left (24) and its beginning (24).
enum { CHUNK_BITS = 24, MOST_CHUNKS = 1 << CHUNK_BITS };
static const uint64_t CHUNK_MASK = (UINT64_C(1) << CHUNK_BITS) - 1;

// What one thread writes and others look at has a line of the cache to itself.
typedef struct sn_chunk_range {
    _Atomic uint64_t word;
    char apart[SN_LINE - sizeof(uint64_t)];
} sn_chunk_range;

typedef struct sn_worker {
    sn_threads *threads;
    int number; // of its range; 0 is the caller's
    pthread_t thread;
} sn_worker;

struct sn_threads {
    // The present run. It is written while no chunk of it can be had, and read only by those who
    // have one, which the caller waits for: so it needs no lock.
    sn_chunk_work *work;
    void *context;
    int count, chunk_size;
    char apart_done[SN_LINE];
    atomic_int done; // chunks
    char apart_rest[SN_LINE];
    // Sleep.
    pthread_mutex_t mutex;
    pthread_cond_t start, finish;
    atomic_int sleepers; // workers
    atomic_bool caller_sleeps, quit;
    sn_chunk_range *ranges; // worker_count + 1
    sn_worker *workers;
    int worker_count; // without the caller
};

static uint64_t word_of(int run, int begin, int end)
{
    return (uint64_t)run << (2 * CHUNK_BITS) | (uint64_t)end << CHUNK_BITS | (uint64_t)begin;
}

static int run_of(uint64_t word)
{
    return (int)(word >> (2 * CHUNK_BITS));
}

static int end_of(uint64_t word)
{
    return (int)(word >> CHUNK_BITS & CHUNK_MASK);
}

static int begin_of(uint64_t word)
{
    return (int)(word & CHUNK_MASK);
}

static void wake(sn_threads *threads, pthread_cond_t *who)
{
    pthread_mutex_lock(&threads->mutex);
    pthread_cond_broadcast(who);
    pthread_mutex_unlock(&threads->mutex);
}

// A chunk of a range, the first or the last; -1: none is left.
static int take_chunk(sn_chunk_range *range, bool last)
{
    uint64_t word = atomic_load_explicit(&range->word, memory_order_acquire);
    for (;;) {
        int run = run_of(word), begin = begin_of(word), end = end_of(word);
        if (begin >= end) {
            return -1;
        }
        uint64_t less = last ? word_of(run, begin, end - 1) : word_of(run, begin + 1, end);
        if (atomic_compare_exchange_weak_explicit(&range->word, &word, less, memory_order_acquire,
                                                  memory_order_acquire)) {
            return last ? end - 1 : begin;
        }
    }
}

static int work_off(sn_threads *threads, sn_chunk_range *range, bool last)
{
    int finished = 0;
    for (int chunk; (chunk = take_chunk(range, last)) >= 0; ++finished) {
        int first = chunk * threads->chunk_size, count = threads->count;
        bool is_short = count - first <= threads->chunk_size;
        threads->work(threads->context, first, is_short ? count : first + threads->chunk_size,
                      chunk);
    }
    return finished;
}

// Takes chunks until there are none, of its own range first. Chunks may belong to a later run than
// the one it came for: a run does not end before all who have a chunk of it say so here.
static void take_chunks(sn_threads *threads, int number)
{
    int finished = work_off(threads, &threads->ranges[number], false);
    for (int i = 1; i <= threads->worker_count; ++i) {
        int other = (number + i) % (threads->worker_count + 1);
        finished += work_off(threads, &threads->ranges[other], true);
    }
    // The caller says that it sleeps and then looks; here it is the other way round: one of both
    // sees the other.
    if (finished > 0) {
        atomic_fetch_add(&threads->done, finished);
        if (atomic_load(&threads->caller_sleeps)) {
            wake(threads, &threads->finish);
        }
    }
}

static void wait_for_run(sn_threads *threads, const sn_chunk_range *own, int seen)
{
    for (int i = 0; i < WORKER_PATIENCE; ++i) {
        if (run_of(atomic_load_explicit(&own->word, memory_order_relaxed)) != seen) {
            return;
        }
        SN_PAUSE();
    }
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->sleepers, 1);
    while (run_of(atomic_load(&own->word)) == seen && !atomic_load(&threads->quit)) {
        pthread_cond_wait(&threads->start, &threads->mutex);
    }
    atomic_fetch_sub(&threads->sleepers, 1);
    pthread_mutex_unlock(&threads->mutex);
}

static void *worker_main(void *argument)
{
    const sn_worker *self = argument;
    sn_threads *threads = self->threads;
    const sn_chunk_range *own = &threads->ranges[self->number];
    int seen = 0;
    while (!atomic_load(&threads->quit)) {
        wait_for_run(threads, own, seen);
        seen = run_of(atomic_load_explicit(&own->word, memory_order_relaxed));
        take_chunks(threads, self->number);
    }
    return NULL;
}

sn_status sn_threads_create(int count, sn_threads **out, sn_error *error)
{
    *out = NULL;
    if (count < 1 || count > 1024) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d threads asked for, expected 1 to 1024",
                       count);
    }
#ifdef SN_WITHOUT_THREADS
    count = 1; // where there are no others, the caller's does all the work, with the same results
#endif
    sn_threads *threads = sn_allocate_zero(sizeof *threads);
    sn_worker *workers = sn_allocate_zero((size_t)count * sizeof *workers);
    sn_chunk_range *ranges = sn_allocate_zero((size_t)count * sizeof *ranges);
    if (threads == NULL || workers == NULL || ranges == NULL) {
        sn_free(threads);
        sn_free(workers);
        sn_free(ranges);
        return sn_fail_memory(error, sizeof *threads);
    }
    threads->workers = workers;
    threads->ranges = ranges;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->start, NULL);
    pthread_cond_init(&threads->finish, NULL);
    // No run comes before all are there: workers read worker_count only in one.
    for (int i = 0; i < count - 1; ++i) {
        workers[i].threads = threads;
        workers[i].number = i + 1;
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0) {
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
    atomic_store(&threads->quit, true);
    wake(threads, &threads->start);
    for (int i = 0; i < threads->worker_count; ++i) {
        pthread_join(threads->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&threads->start);
    pthread_cond_destroy(&threads->finish);
    pthread_mutex_destroy(&threads->mutex);
    sn_free(threads->workers);
    sn_free(threads->ranges);
    sn_free(threads);
}

int sn_threads_count(const sn_threads *threads)
{
    return threads != NULL ? threads->worker_count + 1 : 1;
}

static void wait_for_chunks(sn_threads *threads, int chunks)
{
    for (int i = 0; i < CALLER_PATIENCE; ++i) {
        if (atomic_load_explicit(&threads->done, memory_order_acquire) == chunks) {
            return;
        }
        SN_PAUSE();
    }
    pthread_mutex_lock(&threads->mutex);
    atomic_store(&threads->caller_sleeps, true);
    while (atomic_load(&threads->done) != chunks) {
        pthread_cond_wait(&threads->finish, &threads->mutex);
    }
    atomic_store(&threads->caller_sleeps, false);
    pthread_mutex_unlock(&threads->mutex);
}

void sn_threads_run(sn_threads *threads, int count, int chunk_size, sn_chunk_work *work,
                    void *context)
{
    int chunks = sn_chunk_count(count, chunk_size);
    if (threads == NULL || threads->worker_count == 0 || chunks <= 1 || chunks >= MOST_CHUNKS) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            int first = chunk * chunk_size;
            work(context, first, count - first < chunk_size ? count : first + chunk_size, chunk);
        }
        return;
    }
    threads->work = work;
    threads->context = context;
    threads->count = count;
    threads->chunk_size = chunk_size;
    atomic_store(&threads->done, 0);
    int run = (run_of(atomic_load(&threads->ranges[0].word)) + 1) & 0xffff;
    int64_t sharers = threads->worker_count + 1;
    for (int64_t i = 0; i < sharers; ++i) {
        atomic_store(&threads->ranges[i].word,
                     word_of(run, (int)(chunks * i / sharers), (int)(chunks * (i + 1) / sharers)));
    }
    if (atomic_load(&threads->sleepers) > 0) {
        wake(threads, &threads->start);
    }
    take_chunks(threads, 0);
    wait_for_chunks(threads, chunks);
}
