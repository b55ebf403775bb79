#include "live/live_history.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    BLOCK_SHARE = 64, // a block is that part of the budget
    SMALLEST_BLOCK = 1 << 14,
    LARGEST_BLOCK = 1 << 20,    // but for moments that are larger
    LEVELS = 5,                 // of thinning; the newest moments are at level 0
    FEWEST_BLOCKS = 2 * LEVELS, // in shorter histories every moment counts
};

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
static size_t block_size(const sn_history *history, size_t size)
{
    size_t usual = history->budget / BLOCK_SHARE;
    usual = usual < SMALLEST_BLOCK ? SMALLEST_BLOCK : usual > LARGEST_BLOCK ? LARGEST_BLOCK : usual;
    size_t part = (usual / 4 + 7) & ~(size_t)7; // larger ones are multiples of it
    return size <= usual ? usual : (size + part - 1) / part * part;
}

static const moment_head *head_at(const sn_history *history, int index)
{
    return (const moment_head *)(const void *)history->moments.data[history->first + index];
}

// ---- writing and reading moments ----

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

// With `more` bytes of steps before its own.
static size_t size_of(const sn_history_moment *moment, size_t more)
{
    size_t size = round_up(sizeof(moment_head)) + round_up(more);
    for (int i = 0; i < SN_HISTORY_PARTS; ++i) {
        size += round_up(moment->parts[i].size);
    }
    return size;
}

// At the end of a block that has room for it, with `more` bytes of steps that led to its own.
static unsigned char *put(sn_history_block *block, const sn_history_moment *moment,
                          const void *steps, size_t more)
{
    unsigned char *start = block->data + block->used, *at = start + round_up(sizeof(moment_head));
    moment_head head = {*moment, size_of(moment, more)};
    head.moment.parts[SN_HISTORY_STEPS].size += more;
    memcpy(start, &head, sizeof head);
    for (int i = 0; i < SN_HISTORY_PARTS; ++i) {
        if (i == SN_HISTORY_STEPS && more > 0) {
            memcpy(at, steps, more);
            at += more;
        }
        if (moment->parts[i].size > 0) {
            memcpy(at, moment->parts[i].data, moment->parts[i].size);
        }
        at += round_up(moment->parts[i].size);
    }
    block->used += head.size;
    block->moments += 1;
    return start;
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
    sn_free(history->empty.data);
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
    block = (sn_history_block){.data = block.data, .size = block.size};
    if (!sn_array_push(&history->spare, block)) {
        history->bytes -= block.size;
        sn_free(block.data);
    }
}

// The list of moments begins at its beginning again.
static void move_down(sn_history *history)
{
    history->moments.count -= history->first;
    memmove(history->moments.data, history->moments.data + history->first,
            (size_t)history->moments.count * sizeof *history->moments.data);
    history->first = 0;
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
    // Now and then, not each time.
    if (history->first > 64 && 2 * history->first > history->moments.count) {
        move_down(history);
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
        block.size = block_size(history, size);
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

// ---- thinning ----
//
// The oldest block of a level is emptied into the newest of the next, and of two moments the first
// gives its steps to the second and goes. With as many blocks of each level a history reaches
// (1 + 2 + ... + 2^(LEVELS - 1)) / LEVELS times as far back as with moments that all lie alike.

static bool same_part(const sn_history_moment *a, const sn_history_moment *b, int part)
{
    size_t size = a->parts[part].size;
    return size == b->parts[part].size &&
           (size == 0 || memcmp(a->parts[part].data, b->parts[part].data, size) == 0);
}

// Whether the steps that led to both can be taken again in one go.
static bool can_join(const sn_history_moment *before, const sn_history_moment *moment)
{
    size_t steps = before->parts[SN_HISTORY_STEPS].size + moment->parts[SN_HISTORY_STEPS].size;
    return !moment->touched && before->parts[SN_HISTORY_PLACED].size == 0 &&
           moment->parts[SN_HISTORY_PLACED].size == 0 &&
           steps <= SN_HISTORY_STRETCH * sizeof(sn_history_step) &&
           same_part(before, moment, SN_HISTORY_INPUTS) &&
           same_part(before, moment, SN_HISTORY_PARAMS);
}

// Puts a moment into the place of the last one of `block`, with that one's steps before its own.
// NULL, and nothing changed, where that cannot be. `last`: of all moments, its index.
static unsigned char *join(sn_history *history, sn_history_block *block, int last,
                           const sn_history_moment *moment)
{
    sn_history_moment before;
    sn_history_moment_at(history, last, &before);
    size_t size = head_at(history, last)->size, more = before.parts[SN_HISTORY_STEPS].size;
    // The oldest moment of all leads nowhere: without it the history would begin later.
    if (last == 0 || !can_join(&before, moment) ||
        block->size - (block->used - size) < size_of(moment, more)) {
        return NULL;
    }
    sn_history_step steps[SN_HISTORY_STRETCH]; // they lie where the moment goes
    memcpy(steps, before.parts[SN_HISTORY_STEPS].data, more);
    sn_history_moment joined = *moment;
    joined.touched = before.touched;
    block->used -= size;
    block->moments -= 1;
    return put(block, &joined, steps, more);
}

// Makes the empty block one of the list, before the one at that index.
static sn_history_block *open_empty(sn_history *history, int at, int level)
{
    sn_history_block *place = history->blocks.data + at;
    memmove(place + 1, place, (size_t)(history->blocks.count - at) * sizeof *place);
    history->blocks.count += 1;
    *place = history->empty;
    place->level = level;
    history->empty = (sn_history_block){0};
    return place;
}

// Empties a block into the one before it, and into the empty one when that is full. Moments are
// never larger than before where nothing is joined, so no third one is needed.
static void sink(sn_history *history, int at)
{
    sn_history_block old = history->blocks.data[at];
    sn_history_block *to = at > 0 ? &history->blocks.data[at - 1] : NULL;
    to = to != NULL && to->level == old.level + 1 ? to : NULL;
    int from = 0;
    for (int i = 0; i < at; ++i) {
        from += history->blocks.data[i].moments;
    }
    int end = from + old.moments, next = from;
    for (int i = from; i < end; ++i) {
        sn_history_moment moment;
        sn_history_moment_at(history, i, &moment);
        unsigned char *place =
            to != NULL && to->single ? join(history, to, next - 1, &moment) : NULL;
        bool joined = place != NULL;
        if (!joined) {
            if (to == NULL || to->size - to->used < size_of(&moment, 0)) {
                to = open_empty(history, at++, old.level + 1);
            }
            place = put(to, &moment, NULL, 0);
        }
        to->single = !joined;
        next += joined ? 0 : 1;
        history->moments.data[history->first + next - 1] = place;
    }
    history->blocks.count -= 1;
    memmove(history->blocks.data + at, history->blocks.data + at + 1,
            (size_t)(history->blocks.count - at) * sizeof *history->blocks.data);
    unsigned char **moments = history->moments.data + history->first;
    memmove(moments + next, moments + end,
            (size_t)(sn_history_count(history) - end) * sizeof *moments);
    history->moments.count -= end - next;
    move_down(history);
    put_aside(history, old);
}

// The oldest block of the lowest level that has more than its share; -1 when none has. The newest
// block of all is still being filled.
static int block_to_sink(const sn_history *history)
{
    int blocks = history->blocks.count - 1;
    for (int level = 0; level < LEVELS - 1; ++level) {
        int count = 0, oldest = -1;
        for (int i = blocks - 1; i >= 0; --i) {
            if (history->blocks.data[i].level == level) {
                oldest = i;
                ++count;
            }
        }
        if (count > blocks / LEVELS) {
            return oldest;
        }
    }
    return -1;
}

// One of that size is at hand, within the budget.
static bool have_empty(sn_history *history, size_t size)
{
    if (history->empty.size >= size) {
        return true;
    }
    int spare = find_spare(history, size);
    if (spare >= 0) {
        history->spare.count -= 1;
        sn_history_block block = history->spare.data[spare];
        history->spare.data[spare] = history->spare.data[history->spare.count];
        if (history->empty.size > 0) {
            put_aside(history, history->empty);
        }
        history->empty = block;
        return true;
    }
    history->bytes -= history->empty.size;
    sn_free(history->empty.data);
    history->empty = (sn_history_block){0};
    unsigned char *data = history->bytes + size <= history->budget ? sn_allocate(size) : NULL;
    if (data != NULL) {
        history->empty = (sn_history_block){.data = data, .size = size};
        history->bytes += size;
    }
    return data != NULL;
}

// Until a block is free. False: nothing more can be thinned.
static bool thin(sn_history *history)
{
    while (history->blocks.count >= FEWEST_BLOCKS) {
        int at = block_to_sink(history);
        if (at < 0 || !sn_array_reserve(&history->blocks, history->blocks.count + 1) ||
            !have_empty(history, history->blocks.data[at].size)) {
            break;
        }
        sink(history, at);
        if (history->empty.size > 0) {
            return true;
        }
    }
    return history->spare.count > 0;
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
// the budget, or else at the cost of old moments.
static bool make_room(sn_history *history, size_t size)
{
    while (room_in_last(history) < size) {
        size_t block = block_size(history, size);
        if (history->blocks.count >= FEWEST_BLOCKS - 1) {
            (void)have_empty(history, block);
        }
        bool within = find_spare(history, size) >= 0 || history->bytes + block <= history->budget;
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
        } else if (!thin(history)) {
            free_oldest_block(history);
        }
    }
    return true;
}

// ---- moments ----

sn_status sn_history_add(sn_history *history, const sn_history_moment *moment, sn_error *error)
{
    size_t size = size_of(moment, 0);
    if (!sn_array_reserve(&history->moments, history->moments.count + 1) ||
        !make_room(history, size)) {
        return sn_fail_memory(error, size);
    }
    sn_history_block *block = &history->blocks.data[history->blocks.count - 1];
    history->moments.data[history->moments.count++] = put(block, moment, NULL, 0);
    return SN_OK;
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
        block->level = 0; // it will be filled with others
        block->single = false;
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
