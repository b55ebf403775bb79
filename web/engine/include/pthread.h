// Threads for a machine that has none: locks hold by themselves, a new thread is refused. With it
// src/base/threads.c compiles as it is and works in the caller's thread alone.
#ifndef SN_WEB_PTHREAD_H
#define SN_WEB_PTHREAD_H

#include <errno.h>
#include <stddef.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return EINVAL;
}

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)attributes;
    *mutex = 0;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes)
{
    (void)attributes;
    *condition = 0;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition, (void)mutex;
    return 0;
}

static inline int pthread_cond_signal(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

#endif
