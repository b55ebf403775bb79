#include "model/shade_memory.h"

#include <string.h>

typedef struct memory_head {
    int32_t winds, patches;
} memory_head;

// When and from where, as seven numbers.
enum { MEMORY_NUMBERS = 7 };

size_t sn_shade_memory_size(const sn_shade *shade)
{
    return sizeof(memory_head) + (size_t)shade->winds.count *
                                     (MEMORY_NUMBERS * sizeof(double) + (size_t)shade->patch_count);
}

unsigned char *sn_shade_save_memory(const sn_shade *shade, unsigned char *at)
{
    memory_head head = {shade->winds.count, shade->patch_count};
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < shade->winds.count; ++i) {
        const sn_shade_wind *wind = &shade->winds.data[i];
        const double numbers[MEMORY_NUMBERS] = {
            wind->drawn,       wind->position.x,  wind->position.y, wind->position.z,
            wind->direction.x, wind->direction.y, wind->direction.z};
        memcpy(at, numbers, sizeof numbers);
        at += sizeof numbers;
    }
    if (shade->lit.count > 0) {
        memcpy(at, shade->lit.data, (size_t)shade->lit.count);
    }
    return at + shade->lit.count;
}

bool sn_shade_is_memory(const unsigned char *bytes, size_t size)
{
    memory_head head;
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    size_t numbers = MEMORY_NUMBERS * sizeof(double);
    if (head.winds < 0 || head.patches < 0 || size > INT32_MAX ||
        (size_t)head.winds * (numbers + (size_t)head.patches) != size - sizeof head) {
        return false;
    }
    bool sound = true;
    for (size_t i = sizeof head + (size_t)head.winds * numbers; i < size; ++i) {
        sound = sound && bytes[i] <= SN_SHADE_WHOLE;
    }
    return sound;
}

bool sn_shade_keep_memory(sn_shade *shade, const unsigned char *bytes, size_t size)
{
    if (!sn_array_resize(&shade->pending, (int)size)) {
        return false;
    }
    memcpy(shade->pending.data, bytes, size);
    if (shade->winds.count > 0) {
        sn_shade_take_memory(shade);
    }
    return true;
}

void sn_shade_take_memory(sn_shade *shade)
{
    const unsigned char *at = shade->pending.data;
    memory_head head = {0};
    if (shade->pending.count == 0) {
        return;
    }
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    if (head.winds == shade->winds.count && head.patches == shade->patch_count) {
        for (int i = 0; i < head.winds; ++i) {
            double n[MEMORY_NUMBERS];
            memcpy(n, at, sizeof n);
            at += sizeof n;
            sn_shade_wind *wind = &shade->winds.data[i];
            wind->drawn = n[0];
            wind->position = sn_vec3_make(n[1], n[2], n[3]);
            wind->direction = sn_vec3_make(n[4], n[5], n[6]);
        }
        if (shade->lit.count > 0) {
            memcpy(shade->lit.data, at, (size_t)shade->lit.count);
        }
    }
    sn_array_clear(&shade->pending);
}
