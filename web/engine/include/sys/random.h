// expat seeds its hash tables by getrandom; WASI has getentropy.
#ifndef SN_WEB_RANDOM_H
#define SN_WEB_RANDOM_H

#include_next <sys/random.h>

#include <stddef.h>
#include <unistd.h>

#define GRND_NONBLOCK 1

static inline ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
    (void)flags;
    size_t most = count < 256 ? count : 256; // getentropy gives no more
    return getentropy(bytes, most) == 0 ? (ssize_t)most : -1;
}

#endif
