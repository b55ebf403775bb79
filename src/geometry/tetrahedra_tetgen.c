// TetGen's .node and .ele files (H. Si, TetGen's manual, "File formats"): counted lines, # begins a
// comment, nodes are counted from 0 or 1, attributes and markers follow.
#include <limits.h>

#include "geometry/tetrahedra.h"
#include "geometry/tetrahedra_file.h"

static void read_nodes(sn_words *words, sn_tetrahedra_parts *parts)
{
    int count = (int)sn_words_integer(words, "a number of nodes", 0, INT_MAX);
    sn_words_integer(words, "three dimensions", 3, 3);
    sn_words_skip_line(words);
    for (int i = 0; i < count && words->status == SN_OK && !parts->failed; ++i) {
        int64_t tag = sn_words_integer(words, "a node's number", 0, INT_MAX);
        double x = sn_words_number(words, "a coordinate");
        double y = sn_words_number(words, "a coordinate");
        double z = sn_words_number(words, "a coordinate");
        sn_tetrahedra_parts_node(parts, tag, (sn_vec3){x, y, z});
        sn_words_skip_line(words);
    }
}

static void read_elements(sn_words *words, sn_tetrahedra_parts *parts)
{
    int count = (int)sn_words_integer(words, "a number of tetrahedra", 0, INT_MAX);
    int nodes = (int)sn_words_integer(words, "4 or 10 nodes", 4, 10);
    if (words->status == SN_OK && nodes != 4 && nodes != 10) {
        sn_words_fail(words, "4 or 10 nodes were expected");
    }
    int attributes = 0;
    if (sn_words_line_goes_on(words)) {
        attributes = (int)sn_words_integer(words, "a number of attributes", 0, 1000);
    }
    sn_words_skip_line(words);
    for (int i = 0; i < count && words->status == SN_OK && !parts->failed; ++i) {
        sn_words_integer(words, "a tetrahedron's number", 0, INT_MAX);
        sn_tetrahedra_parts_element(parts, words, SN_RAW_INT32, nodes, NULL, 0);
        if (attributes > 0 && words->status == SN_OK && !parts->failed) {
            double region = sn_words_number(words, "a region");
            if (!(region >= INT_MIN && region <= INT_MAX) || region != (double)(int)region) {
                sn_words_fail(words, "a whole number was expected for a region");
            } else {
                parts->regions.data[parts->regions.count - 1] = (int)region;
            }
        }
        sn_words_skip_line(words);
    }
}

// Which node stands between which corners differs between programs: the nearest middle tells.
static void order_middles(const sn_vec3 *p, const int *old, int *ordered)
{
    bool taken[6] = {false};
    for (int k = 0; k < 6; ++k) {
        sn_vec3 a = p[old[sn_tetrahedron_edges[k][0]]], b = p[old[sn_tetrahedron_edges[k][1]]];
        sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b));
        int best = -1;
        double least = INFINITY;
        for (int n = 0; n < 6; ++n) {
            double distance = sn_distance(p[old[4 + n]], middle);
            if (!taken[n] && (best < 0 || distance < least)) {
                best = n;
                least = distance;
            }
        }
        taken[best] = true;
        ordered[k] = best;
    }
}

// Tags of all nodes must be known by now; they are the positions' places when files are sound, and
// otherwise the elements stay as they are and are refused later.
static void order_elements(sn_tetrahedra_parts *parts)
{
    int64_t base = parts->tags.count > 0 ? parts->tags.data[0].tag : 0;
    for (int e = 0; parts->nodes == 10 && e < parts->regions.count; ++e) {
        int64_t *tags = parts->elements.data + 10 * (size_t)e, made[6];
        int old[10], ordered[6];
        bool known = true;
        for (int k = 0; k < 10; ++k) {
            int64_t index = tags[k] - base;
            known = known && index >= 0 && index < parts->positions.count &&
                    parts->tags.data[index].tag == tags[k];
            old[k] = known ? (int)index : 0;
        }
        if (!known) {
            continue;
        }
        order_middles(parts->positions.data, old, ordered);
        for (int k = 0; k < 6; ++k) {
            made[k] = tags[4 + ordered[k]];
        }
        for (int k = 0; k < 6; ++k) {
            tags[4 + k] = made[k];
        }
    }
}

sn_status sn_tetrahedra_parse_tetgen(const char *node_name, const char *node_text,
                                     size_t node_length, const char *ele_name, const char *ele_text,
                                     size_t ele_length, sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_tetrahedra_parts parts = {0};
    sn_words nodes = sn_words_of(node_name, node_text, node_length, error);
    sn_words elements = sn_words_of(ele_name, ele_text, ele_length, error);
    nodes.comment = elements.comment = '#';
    read_nodes(&nodes, &parts);
    if (nodes.status != SN_OK || parts.failed) {
        return sn_tetrahedra_parts_finish(&parts, &nodes, tetrahedra);
    }
    read_elements(&elements, &parts);
    if (elements.status == SN_OK && !parts.failed) {
        order_elements(&parts);
    }
    return sn_tetrahedra_parts_finish(&parts, &elements, tetrahedra);
}
