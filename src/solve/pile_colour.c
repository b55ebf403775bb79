#include "solve/pile_part.h"

static int lowest_bit(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

// Greedy: each contact takes the first colour that neither of its bodies has yet. In three
// dimensions a body of a pile touches a dozen others, so that about as many colours do.
void sn_pile_colour_links(sn_pile_work *work, sn_pile_link *links, int count, uint64_t *used)
{
    int none = work->body_count;
    for (int i = 0; i <= none; ++i) {
        used[i] = 0;
    }
    for (int i = 0; i < count; ++i) {
        sn_pile_link *link = &links[i];
        uint64_t taken = used[link->a] | used[link->b];
        link->colour = ~taken != 0 ? lowest_bit(~taken) : SN_PILE_COLOURS;
        if (link->colour < SN_PILE_COLOURS) {
            uint64_t bit = UINT64_C(1) << link->colour;
            used[link->a] |= link->a != none ? bit : 0;
            used[link->b] |= link->b != none ? bit : 0;
        }
    }
}

static sn_pile_block *empty_block(sn_pile_block *block, int none, int point_first)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        block->a[i] = block->b[i] = none;
        block->contact[i] = -1;
        block->count[i] = 0;
    }
    block->point_first = point_first;
    block->point_count = 0;
    return block;
}

// Links sorted by colour, in a colour by falling number of points, and those that are likely to do
// nothing after the others, so that lanes of a block are alike: by counting, which keeps their
// order otherwise. `order`: count.
static int sort_key(const sn_pile_link *link)
{
    return 2 * (link->colour * SN_MANIFOLD_POINTS + SN_MANIFOLD_POINTS - link->count) + link->idle;
}

static void sort_links(const sn_pile_link *links, int count, int *order)
{
    enum { KEYS = 2 * (SN_PILE_COLOURS + 1) * SN_MANIFOLD_POINTS };
    int first[KEYS + 1] = {0};
    for (int i = 0; i < count; ++i) {
        first[sort_key(&links[i]) + 1] += 1;
    }
    for (int i = 0; i < KEYS; ++i) {
        first[i + 1] += first[i];
    }
    for (int i = 0; i < count; ++i) {
        order[first[sort_key(&links[i])]++] = i;
    }
}

void sn_pile_place_links(sn_pile_work *work, const sn_pile_link *links, int count, int *order)
{
    int colour = -1, lane = 0;
    sn_pile_block *block = NULL;
    sort_links(links, count, order);
    work->block_count = work->point_count = work->colour_count = 0;
    for (int i = 0; i < count; ++i) {
        const sn_pile_link *link = &links[order[i]];
        bool serial = link->colour == SN_PILE_COLOURS;
        if (link->colour != colour) {
            colour = link->colour;
            work->colours[work->colour_count++] = (sn_pile_colour){work->block_count, 0, serial};
            block = NULL;
        }
        if (block == NULL || lane == SN_PILE_LANES || serial) {
            block = empty_block(&work->blocks[work->block_count++], work->body_count,
                                work->point_count);
            block->point_count = link->count; // the most: counts fall
            work->point_count += link->count;
            work->colours[work->colour_count - 1].block_count += 1;
            lane = 0;
        }
        block->a[lane] = link->a;
        block->b[lane] = link->b;
        block->count[lane] = (uint8_t)link->count;
        block->contact[lane++] = link->contact;
    }
}
