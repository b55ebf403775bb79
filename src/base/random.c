#include "base/random.h"

sn_philox sn_philox4x32(const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; ++round) {
        uint64_t product_0 = (uint64_t)c[0] * 0xD2511F53u;
        uint64_t product_1 = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(product_1 >> 32) ^ c[1] ^ k[0], (uint32_t)product_1,
                            (uint32_t)(product_0 >> 32) ^ c[3] ^ k[1], (uint32_t)product_0};
        for (int i = 0; i < 4; ++i) {
            c[i] = next[i];
        }
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return (sn_philox){{c[0], c[1], c[2], c[3]}};
}

uint64_t sn_random_bits(sn_random *random)
{
    uint32_t counter[4] = {(uint32_t)random->counter, (uint32_t)(random->counter >> 32),
                           (uint32_t)random->stream, (uint32_t)(random->stream >> 32)};
    uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
    random->counter += 1;
    sn_philox draw = sn_philox4x32(counter, key);
    return (uint64_t)draw.word[1] << 32 | draw.word[0];
}

double sn_random_unit(sn_random *random)
{
    return (double)(sn_random_bits(random) >> 11) * 0x1.0p-53;
}

double sn_random_range(sn_random *random, double lower, double upper)
{
    return lower + (upper - lower) * sn_random_unit(random);
}

int sn_random_below(sn_random *random, int bound)
{
    // Draws that would favour the small numbers are thrown away.
    uint64_t range = (uint64_t)bound;
    uint64_t limit = UINT64_MAX - UINT64_MAX % range;
    uint64_t draw = sn_random_bits(random);
    while (draw >= limit) {
        draw = sn_random_bits(random);
    }
    return (int)(draw % range);
}
