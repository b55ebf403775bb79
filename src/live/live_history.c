#include "live/live_history.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { BLOCK_SIZE = 1 << 20, LARGE_STEP = 1 << 18 }; // larger blocks are multiples of the latter

// As it lies in a block: a head, then the parts, each at a multiple of 8 bytes.
typedef struct moment_head {
    sn_history_moment moment; // its parts' sizes count, their pointers do not
    size_t size;
} moment_head;

static size_t round_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

// Of a block that is to hold `size` bytes.
static size_t block_size(size_t size)
{
    return size <= BLOCK_SIZE ? BLOCK_SIZE : (size + LARGE_STEP - 1) / LARGE_STEP * LARGE_STEP;
}

static const moment_head *head_at(const sn_history *history, int index)
{
    return (const moment_head *)(const void *)history->moments.data[history->first + index];
}

// ---- blocks ----

static void free_blocks(sn_history *history)
{
    for (int i = 0; i < history->blocks.count; ++i) {
        sn_free(history->blocks.data[i].data);
    }
    for (int i = 0; i < history->spare.count; ++i) {
        sn_free(history->spare.data[i].data);
    }
    sn_array_free(&history->blocks);
    sn_array_free(&history->spare);
}

void sn_history_free(sn_history *history)
{
    free_blocks(history);
    sn_array_free(&history->moments);
    *history = (sn_history){.budget = history->budget};
}

// A block that holds nothing any more is kept for later, or freed where there is no room to keep
// it.
static void put_aside(sn_history *history, sn_history_block block)
{
    block.used = 0;
    block.moments = 0;
    if (!sn_array_push(&history->spare, block)) {
        history->bytes -= block.size;
        sn_free(block.data);
    }
}

static void drop_oldest(sn_history *history)
{
    history->first += 1;
    sn_history_block *block = &history->blocks.data[0];
    block->moments -= 1;
    if (block->moments == 0 && history->blocks.count > 1) {
        put_aside(history, *block);
        history->blocks.count -= 1;
        memmove(history->blocks.data, history->blocks.data + 1,
                (size_t)history->blocks.count * sizeof *history->blocks.data);
    }
    // The list is moved down now and then, not each time.
    if (history->first > 64 && 2 * history->first > history->moments.count) {
        history->moments.count -= history->first;
        memmove(history->moments.data, history->moments.data + history->first,
                (size_t)history->moments.count * sizeof *history->moments.data);
        history->first = 0;
    }
}

void sn_history_clear(sn_history *history)
{
    for (int i = history->blocks.count - 1; i >= 0; --i) {
        put_aside(history, history->blocks.data[i]);
    }
    history->blocks.count = 0;
    history->moments.count = 0;
    history->first = 0;
}

static int find_spare(const sn_history *history, size_t size)
{
    for (int i = 0; i < history->spare.count; ++i) {
        if (history->spare.data[i].size >= size) {
            return i;
        }
    }
    return -1;
}

static bool add_block(sn_history *history, size_t size)
{
    if (!sn_array_reserve(&history->blocks, history->blocks.count + 1)) {
        return false;
    }
    sn_history_block block = {0};
    int spare = find_spare(history, size);
    if (spare >= 0) {
        block = history->spare.data[spare];
        history->spare.count -= 1;
        history->spare.data[spare] = history->spare.data[history->spare.count];
    } else {
        block.size = block_size(size);
        block.data = sn_allocate(block.size);
        if (block.data == NULL) {
            return false;
        }
        history->bytes += block.size;
    }
    history->blocks.data[history->blocks.count++] = block;
    return true;
}

static size_t room_in_last(const sn_history *history)
{
    if (history->blocks.count == 0) {
        return 0;
    }
    const sn_history_block *block = &history->blocks.data[history->blocks.count - 1];
    return block->size - block->used;
}

// Drops moments until a block is free.
static void free_oldest_block(sn_history *history)
{
    int blocks = history->blocks.count;
    while (sn_history_count(history) > 0 && history->blocks.count == blocks) {
        if (blocks == 1) {
            sn_history_clear(history);
        } else {
            drop_oldest(history);
        }
    }
}

// Room for `size` bytes at the end of the last block: in it, in a spare one, in a new one within
// the budget, or else at the cost of the oldest moments.
static bool make_room(sn_history *history, size_t size)
{
    while (room_in_last(history) < size) {
        bool within =
            find_spare(history, size) >= 0 || history->bytes + block_size(size) <= history->budget;
        bool empty = sn_history_count(history) == 0;
        if ((within || (empty && history->spare.count == 0)) && add_block(history, size)) {
            return true;
        }
        if (history->spare.count > 0) {
            history->spare.count -= 1;
            history->bytes -= history->spare.data[history->spare.count].size;
            sn_free(history->spare.data[history->spare.count].data);
        } else if (empty) {
            return false;
        } else {
            free_oldest_block(history);
        }
    }
    return true;
}

// ---- moments ----

sn_status sn_history_add(sn_history *history, const sn_history_moment *moment, sn_error *error)
{
    size_t size = round_up(sizeof(moment_head));
    for (int i = 0; i < SN_HISTORY_PARTS; ++i) {
        size += round_up(moment->parts[i].size);
    }
    if (!sn_array_reserve(&history->moments, history->moments.count + 1) ||
        !make_room(history, size)) {
        return sn_fail_memory(error, size);
    }
    sn_history_block *block = &history->blocks.data[history->blocks.count - 1];
    unsigned char *at = block->data + block->used;
    moment_head head = {*moment, size};
    memcpy(at, &head, sizeof head);
    history->moments.data[history->moments.count++] = at;
    at += round_up(sizeof head);
    for (int i = 0; i < SN_HISTORY_PARTS; ++i) {
        if (moment->parts[i].size > 0) {
            memcpy(at, moment->parts[i].data, moment->parts[i].size);
        }
        at += round_up(moment->parts[i].size);
    }
    block->used += size;
    block->moments += 1;
    return SN_OK;
}

int sn_history_count(const sn_history *history)
{
    return history->moments.count - history->first;
}

void sn_history_moment_at(const sn_history *history, int index, sn_history_moment *moment)
{
    const moment_head *head = head_at(history, index);
    const unsigned char *at = (const unsigned char *)head + round_up(sizeof *head);
    *moment = head->moment;
    for (int i = 0; i < SN_HISTORY_PARTS; ++i) {
        moment->parts[i].data = at;
        at += round_up(moment->parts[i].size);
    }
}

int sn_history_find(const sn_history *history, uint64_t step)
{
    int low = 0, high = sn_history_count(history);
    while (low < high) {
        int middle = (low + high) / 2;
        if (head_at(history, middle)->moment.step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int sn_history_find_time(const sn_history *history, double time)
{
    int low = 0, high = sn_history_count(history);
    while (low < high) {
        int middle = (low + high) / 2;
        if (head_at(history, middle)->moment.time < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void sn_history_cut(sn_history *history, int index)
{
    while (sn_history_count(history) > index + 1) {
        const moment_head *head = head_at(history, sn_history_count(history) - 1);
        sn_history_block *block = &history->blocks.data[history->blocks.count - 1];
        block->used -= head->size;
        block->moments -= 1;
        history->moments.count -= 1;
        if (block->moments == 0) {
            put_aside(history, *block);
            history->blocks.count -= 1;
        }
    }
}

uint64_t sn_history_steps(const sn_history *history)
{
    int count = sn_history_count(history);
    return count > 0
               ? head_at(history, count - 1)->moment.step - head_at(history, 0)->moment.step + 1
               : 0;
}
