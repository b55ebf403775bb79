#include "solve/pile_part.h"

enum {
    REGIONS = 16, // of contacts between clusters
    CLASSES = 2 * SN_MANIFOLD_POINTS,
    KEYS = (SN_PILE_COLOURS + 1) * REGIONS * CLASSES,
};

static int lowest_bit(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

// Greedy: each contact takes the first colour that neither of its bodies has yet. In three
// dimensions a body of a pile touches a dozen others, so that about as many colours do.
static void colour_link(sn_pile_link *link, int none, uint64_t *used)
{
    uint64_t taken = (link->a != none ? used[link->a] : 0) | (link->b != none ? used[link->b] : 0);
    link->colour = (uint8_t)(~taken != 0 ? lowest_bit(~taken) : SN_PILE_COLOURS);
    if (link->colour < SN_PILE_COLOURS) {
        uint64_t bit = UINT64_C(1) << link->colour;
        if (link->a != none) { // which threads share
            used[link->a] |= bit;
        }
        if (link->b != none) {
            used[link->b] |= bit;
        }
    }
}

// Links by colour, in a colour by regions, there by falling number of points, and those that are
// likely to do nothing after the others, so that lanes of a block are alike: by counting, which
// keeps their order otherwise.
static int sort_key(const sn_pile_link *link, int regions)
{
    int class = 2 * (SN_MANIFOLD_POINTS - link->count) + link->idle;
    return (link->colour * regions + link->region) * CLASSES + class;
}

static void sort_links(const sn_pile_link *links, const int *list, int count, int regions,
                       int *order)
{
    int first[KEYS + 1], keys = (SN_PILE_COLOURS + 1) * regions * CLASSES;
    for (int i = 0; i <= keys; ++i) {
        first[i] = 0;
    }
    for (int i = 0; i < count; ++i) {
        first[sort_key(&links[list[i]], regions) + 1] += 1;
    }
    for (int i = 0; i < keys; ++i) {
        first[i + 1] += first[i];
    }
    for (int i = 0; i < count; ++i) {
        order[first[sort_key(&links[list[i]], regions)]++] = list[i];
    }
}

// ---- within clusters ----

// Links of a cluster that fill blocks of one colour come first in its part of `order`. All others
// come after them: those that lead out of it, and those for which no others were left.
static void sort_cluster(const sn_pile_layout *layout, sn_pile_cluster *cluster)
{
    sn_pile_link *links = layout->links;
    int none = layout->work->body_count, count = cluster->link_count, within = 0, out = 0;
    int *list = layout->list + cluster->link_first, *order = layout->order + cluster->link_first;
    int *spare = layout->spare + cluster->link_first, kept = 0, left = 0;
    for (int i = 0; i < count; ++i) {
        sn_pile_link *link = &links[list[i]];
        bool own = link->within;
        if (own) {
            colour_link(link, none, layout->used);
            own = link->colour < SN_PILE_COLOURS;
        }
        spare[within] = list[i];
        order[count - 1 - out] = list[i];
        within += own;
        out += !own;
    }
    sort_links(links, spare, within, 1, list);
    cluster->block_count = cluster->point_count = 0;
    for (int i = 0, same = 0; i < within; i = same) {
        for (same = i; same < within && links[list[same]].colour == links[list[i]].colour;) {
            ++same;
        }
        int full = (same - i) / SN_PILE_LANES * SN_PILE_LANES;
        for (int k = i; k < same; ++k) {
            if (k - i < full) {
                cluster->point_count += (k - i) % SN_PILE_LANES == 0 ? links[list[k]].count : 0;
                order[kept++] = list[k];
            } else {
                spare[left++] = list[k];
            }
        }
        cluster->block_count += full / SN_PILE_LANES;
    }
    for (int i = 0; i < left; ++i) {
        order[kept + i] = spare[i];
    }
}

static void cluster_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const sn_pile_layout *layout = context;
    for (int i = first; i < last; ++i) {
        sort_cluster(layout, &layout->work->clusters[i]);
    }
}

// Every link is in the list of the cluster of its first body, or of its second if that does not
// move.
static void share_out(const sn_pile_layout *layout)
{
    sn_pile_work *work = layout->work;
    int none = work->body_count, sum = 0;
    for (int i = 0; i < work->cluster_count; ++i) {
        work->clusters[i].link_count = 0;
    }
    for (int i = 0; i < layout->count; ++i) {
        sn_pile_link *link = &layout->links[i];
        int a = link->a / work->cluster_size, b = link->b / work->cluster_size;
        link->within = link->a == none || link->b == none || a == b;
        link->cluster = link->a == none ? b : a;
        link->region = 0;
        work->clusters[link->cluster].link_count += 1;
    }
    for (int i = 0; i < work->cluster_count; ++i) {
        work->clusters[i].link_first = sum;
        sum += work->clusters[i].link_count;
        work->clusters[i].link_count = 0;
    }
    for (int i = 0; i < layout->count; ++i) {
        sn_pile_cluster *cluster = &work->clusters[layout->links[i].cluster];
        layout->list[cluster->link_first + cluster->link_count++] = i;
    }
}

// ---- between clusters ----

// In `list`, cluster by cluster, so that neighbours stay near each other.
static int gather_others(const sn_pile_layout *layout)
{
    const sn_pile_work *work = layout->work;
    int count = 0, half = (work->cluster_count + 1) / 2, regions = half < REGIONS ? half : REGIONS;
    for (int i = 0; i < work->cluster_count; ++i) {
        const sn_pile_cluster *cluster = &work->clusters[i];
        int region = (int)((int64_t)i * regions / work->cluster_count);
        for (int k = SN_PILE_LANES * cluster->block_count; k < cluster->link_count; ++k) {
            int link = layout->order[cluster->link_first + k];
            layout->links[link].region = (uint8_t)region;
            layout->list[count++] = link;
        }
    }
    for (int i = 0; i <= work->body_count; ++i) {
        layout->used[i] = 0;
    }
    for (int i = 0; i < count; ++i) {
        colour_link(&layout->links[layout->list[i]], work->body_count, layout->used);
    }
    sort_links(layout->links, layout->list, count, regions, layout->spare);
    return count;
}

// Ranges of blocks and points of all colours between clusters.
static void count_others(const sn_pile_layout *layout)
{
    sn_pile_work *work = layout->work;
    int colour = -1, lane = SN_PILE_LANES;
    work->colour_count = 0;
    for (int i = 0; i < layout->other_count; ++i) {
        const sn_pile_link *link = &layout->links[layout->spare[i]];
        bool serial = link->colour == SN_PILE_COLOURS;
        if (link->colour != colour) {
            colour = link->colour;
            work->colours[work->colour_count++] = (sn_pile_colour){work->block_count, 0, serial};
            lane = SN_PILE_LANES;
        }
        if (lane == SN_PILE_LANES || serial) {
            work->colours[work->colour_count - 1].block_count += 1;
            work->block_count += 1;
            lane = 0;
        }
        lane += 1;
    }
}

void sn_pile_sort_links(sn_pile_layout *layout)
{
    sn_pile_work *work = layout->work;
    for (int i = 0; i <= work->body_count; ++i) {
        layout->used[i] = 0;
    }
    share_out(layout);
    sn_threads_run(work->threads, work->cluster_count, 1, cluster_chunk, layout);
    layout->other_count = gather_others(layout);
    work->block_count = work->point_count = 0;
    for (int i = 0; i < work->cluster_count; ++i) {
        sn_pile_cluster *cluster = &work->clusters[i];
        cluster->block_first = work->block_count;
        cluster->point_first = work->point_count;
        work->block_count += cluster->block_count;
        work->point_count += cluster->point_count;
    }
    work->own_blocks = work->block_count;
    count_others(layout);
    // Counts fall within a region only.
    work->point_count += SN_MANIFOLD_POINTS * (work->block_count - work->own_blocks);
}

// ---- blocks ----

static void empty_block(sn_pile_block *block, int none, int point_first)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        block->a[i] = block->b[i] = none;
        block->contact[i] = -1;
        block->count[i] = 0;
    }
    block->point_first = point_first;
    block->point_count = 0;
}

static void put_link(sn_pile_block *block, int lane, const sn_pile_link *link)
{
    block->a[lane] = link->a;
    block->b[lane] = link->b;
    block->count[lane] = (uint8_t)link->count;
    block->contact[lane] = link->contact;
    block->point_count = block->point_count > link->count ? block->point_count : link->count;
}

static void fill_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const sn_pile_layout *layout = context;
    const sn_pile_work *work = layout->work;
    for (int i = first; i < last; ++i) {
        const sn_pile_cluster *cluster = &work->clusters[i];
        const int *order = layout->order + cluster->link_first;
        int point = cluster->point_first;
        for (int k = 0; k < cluster->block_count; ++k) {
            sn_pile_block *block = &work->blocks[cluster->block_first + k];
            empty_block(block, work->body_count, point);
            for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
                put_link(block, lane, &layout->links[order[SN_PILE_LANES * k + lane]]);
            }
            point += block->point_count;
        }
    }
}

static void fill_others(const sn_pile_layout *layout)
{
    const sn_pile_work *work = layout->work;
    int point = work->point_count - SN_MANIFOLD_POINTS * (work->block_count - work->own_blocks);
    const int *order = layout->spare, *end = order + layout->other_count;
    for (int i = 0; i < work->colour_count; ++i) {
        const sn_pile_colour *colour = &work->colours[i];
        for (int k = 0; k < colour->block_count; ++k) {
            sn_pile_block *block = &work->blocks[colour->block_first + k];
            empty_block(block, work->body_count, point);
            int lanes = colour->serial ? 1 : SN_PILE_LANES, wanted = layout->links[*order].colour;
            for (int lane = 0; lane < lanes && order < end; ++lane, ++order) {
                if (layout->links[*order].colour != wanted) {
                    break;
                }
                put_link(block, lane, &layout->links[*order]);
            }
            point += block->point_count;
        }
    }
}

void sn_pile_fill_blocks(const sn_pile_layout *layout)
{
    sn_threads_run(layout->work->threads, layout->work->cluster_count, 1, fill_chunk,
                   (void *)layout);
    fill_others(layout);
}
