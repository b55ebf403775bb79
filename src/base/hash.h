// A fast 64-bit hash for states and tables; not for secrets. The same bytes give the same value on
// every machine of little-endian order, native or WebAssembly.
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include "sinew/base.h"

// Hash of `length` bytes. Chain pieces by passing the last value as the seed of the next.
SN_API uint64_t sn_hash64(const void *bytes, size_t length, uint64_t seed);

// Spreads every bit of a word over all 64 bits, one to one.
static inline uint64_t sn_mix64(uint64_t x)
{
    // The finaliser of MurmurHash3 with the constants of David Stafford's "mix 13".
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
