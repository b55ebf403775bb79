#include "base/hash.h"

#include <string.h>

// Four lanes of multiply-and-rotate, so that the multiplier's latency is hidden, folded by the
// mixer at the end. Odd constants from the golden ratio and its powers.
#define PRIME_1 UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_2 UINT64_C(0xd1b54a32d192ed03)

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t absorb(uint64_t lane, uint64_t word)
{
    return rotate_left(lane ^ (word * PRIME_2), 29) * PRIME_1;
}

uint64_t sn_hash64(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *at = bytes;
    size_t left = length;
    uint64_t lane[4] = {seed + PRIME_1, seed ^ PRIME_2, seed - PRIME_1, ~seed};
    while (left >= 32) {
        uint64_t words[4];
        memcpy(words, at, 32);
        for (int i = 0; i < 4; ++i) {
            lane[i] = absorb(lane[i], words[i]);
        }
        at += 32;
        left -= 32;
    }
    uint64_t hash = sn_mix64(lane[0] ^ rotate_left(lane[1], 17) ^ (uint64_t)length * PRIME_1);
    hash = sn_mix64(hash ^ lane[2]) + rotate_left(lane[3], 41);
    while (left > 0) {
        size_t taken = left < 8 ? left : 8;
        uint64_t word = 0;
        memcpy(&word, at, taken);
        hash = absorb(hash, word);
        at += taken;
        left -= taken;
    }
    return sn_mix64(hash);
}
