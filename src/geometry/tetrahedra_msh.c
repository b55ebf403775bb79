// Gmsh's MSH files, "File formats" of the Gmsh reference manual: sections between $Name and
// $EndName. An element's region is its physical group, 0 when it has none, and regions have the
// names of groups of volumes; tetrahedra_groups.h has what becomes of several groups.
//
// In binary files the sections hold bytes, but for $PhysicalNames and, in version 2, the numbers
// of nodes and elements, which stay words.
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "geometry/tetrahedra_groups.h"

enum { FOUR_NODES = 4, TEN_NODES = 11 }; // element types

// Gmsh numbers the middles of edges 23 and 13 the other way round.
static const int gmsh_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

typedef struct msh_volume {
    int64_t tag;
    int group; // the first, 0: none
    int set;   // of several groups, -1: of one or none
} msh_volume;

typedef struct msh_reader {
    sn_words words;
    sn_tetrahedra_parts parts;
    int version;                  // 2 or 4
    sn_raw_kind number;           // of nodes and elements, and in version 4 how many there are
    SN_ARRAY(msh_volume) volumes; // of $Entities
    sn_group_sets groups;
    int other_type; // of elements that are not read, solid ones first; 0: none
} msh_reader;

// ---- elements that are not read ----

// Types of elements by number, "MSH file format" of the Gmsh reference manual.
static const struct {
    int nodes;
    const char *solid; // NULL: points, lines and faces, and the tetrahedra that are read
} types[] = {
    [1] = {2},
    [2] = {3},
    [3] = {4},
    [FOUR_NODES] = {4},
    [5] = {8, "hexahedra of 8 nodes"},
    [6] = {6, "prisms of 6 nodes"},
    [7] = {5, "pyramids of 5 nodes"},
    [8] = {3},
    [9] = {6},
    [10] = {9},
    [TEN_NODES] = {10},
    [12] = {27, "hexahedra of 27 nodes"},
    [13] = {18, "prisms of 18 nodes"},
    [14] = {14, "pyramids of 14 nodes"},
    [15] = {1},
    [16] = {8},
    [17] = {20, "hexahedra of 20 nodes"},
    [18] = {15, "prisms of 15 nodes"},
    [19] = {13, "pyramids of 13 nodes"},
    [20] = {9},
    [21] = {10},
    [22] = {12},
    [23] = {15},
    [24] = {15},
    [25] = {21},
    [26] = {4},
    [27] = {5},
    [28] = {6},
    [29] = {20, "tetrahedra of 20 nodes, third order"},
    [30] = {35, "tetrahedra of 35 nodes, fourth order"},
    [31] = {56, "tetrahedra of 56 nodes, fifth order"},
    [92] = {64, "hexahedra of 64 nodes"},
    [93] = {125, "hexahedra of 125 nodes"},
};

static int nodes_of(int type)
{
    return type >= 0 && type < (int)(sizeof types / sizeof *types) ? types[type].nodes : 0;
}

static const char *solid_words(int type)
{
    return nodes_of(type) > 0 ? types[type].solid : NULL;
}

// In a text the rest of the line, and in a binary file the nodes of which there are as many as the
// type says.
static void pass_over(msh_reader *r, int type)
{
    if (r->words.status != SN_OK) {
        return;
    }
    if (!r->words.binary) {
        sn_words_skip_line(&r->words);
    } else if (nodes_of(type) > 0) {
        sn_words_skip_stored(&r->words, r->number, nodes_of(type), "a node's number");
    } else {
        sn_words_fail(&r->words,
                      "elements of Gmsh's type %d, of which it is not known how many nodes they "
                      "have; types 1 to 31 were expected",
                      type);
    }
    bool better = solid_words(type) != NULL && solid_words(r->other_type) == NULL;
    r->other_type = r->other_type == 0 || better ? type : r->other_type;
}

static void refuse_others(msh_reader *r)
{
    if (r->words.status == SN_OK && !r->parts.failed && r->parts.regions.count == 0 &&
        r->other_type != 0) {
        const char *solid = solid_words(r->other_type);
        r->words.status =
            sn_fail(r->words.error, SN_ERROR_SYNTAX, r->words.name,
                    "elements of Gmsh's type %d (%s); tetrahedra of 4 or 10 nodes, types 4 and 11, "
                    "were expected",
                    r->other_type, solid != NULL ? solid : "not solid");
    }
}

// ---- numbers ----

// A word in binary files, too.
static int count_in_words(msh_reader *r, const char *what)
{
    return (int)sn_words_integer(&r->words, what, 0, INT_MAX);
}

static int count_of(msh_reader *r, sn_raw_kind kind, const char *what)
{
    return (int)sn_words_stored_integer(&r->words, kind, what, 0, INT_MAX);
}

static int read_int(msh_reader *r, const char *what)
{
    return (int)sn_words_stored_integer(&r->words, SN_RAW_INT32, what, INT_MIN, INT_MAX);
}

static int64_t read_tag(msh_reader *r, sn_raw_kind kind, const char *what)
{
    return sn_words_stored_integer(&r->words, kind, what, -(INT64_C(1) << 60) / 1024,
                                   (INT64_C(1) << 60) / 1024);
}

static sn_vec3 read_position(msh_reader *r)
{
    double x = sn_words_stored_number(&r->words, SN_RAW_FLOAT64, "a coordinate");
    double y = sn_words_stored_number(&r->words, SN_RAW_FLOAT64, "a coordinate");
    return (sn_vec3){x, y, sn_words_stored_number(&r->words, SN_RAW_FLOAT64, "a coordinate")};
}

// ---- both versions ----

// The number 1 follows the line of the format, and tells the order of bytes.
static void begin_binary(msh_reader *r)
{
    int64_t size = sn_words_integer(&r->words, "a size of numbers, 4 or 8,", 4, 8);
    if (r->words.status == SN_OK && size != 8 && (size != 4 || r->version == 2)) {
        sn_words_fail(&r->words, "numbers of 8 bytes were expected");
    }
    r->number = r->version == 2 ? SN_RAW_INT32 : size == 8 ? SN_RAW_UINT64 : SN_RAW_UINT32;
    sn_words_begin_binary(&r->words, false);
    sn_words_start_values(&r->words);
    int one = read_int(r, "the number 1");
    if (one == 1 << 24) {
        sn_words_begin_binary(&r->words, true);
    } else if (one != 1) {
        sn_words_fail(&r->words, "the number 1, in either order of bytes, was expected");
    }
}

static void read_format(msh_reader *r)
{
    sn_words_next(&r->words);
    r->version = sn_words_is(&r->words, "2.2") || sn_words_is(&r->words, "2") ||
                         sn_words_is(&r->words, "2.1")
                     ? 2
                 : sn_words_is(&r->words, "4.1") ? 4
                                                 : 0;
    if (r->version == 0) {
        sn_words_fail(&r->words, "version 2.2 or 4.1 was expected");
    }
    if (sn_words_integer(&r->words, "0 for ASCII or 1 for binary", 0, 1) == 1) {
        begin_binary(r);
    }
}

// In both versions: the group's dimension, number and name in quotes. Numbers count anew in every
// dimension, so those of surfaces, curves and points are no regions.
static void read_names(msh_reader *r)
{
    int count = count_in_words(r, "a number of names");
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        int64_t dimension = sn_words_integer(&r->words, "a dimension", 0, 3);
        int group = (int)sn_words_integer(&r->words, "a physical group", INT_MIN, INT_MAX);
        if (sn_words_quoted(&r->words, "a name") && dimension == 3 && r->words.length > 0) {
            sn_tetrahedra_parts_name(&r->parts, group, r->words.word, r->words.length);
        }
    }
}

static void read_element(msh_reader *r, int type, int region)
{
    sn_tetrahedra_parts_element(&r->parts, &r->words, r->number, nodes_of(type),
                                type == FOUR_NODES ? NULL : gmsh_order, region);
}

// ---- version 2 ----

static void read_nodes_2(msh_reader *r)
{
    int count = count_in_words(r, "a number of nodes");
    sn_words_start_values(&r->words);
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        int64_t tag = read_tag(r, r->number, "a node's number");
        sn_tetrahedra_parts_node(&r->parts, tag, read_position(r));
    }
}

// Writers of version 2 put an element down once for each of its groups, one right after the other:
// is the last one the same as the one before it?
static bool is_repeated(const msh_reader *r)
{
    int count = r->parts.regions.count;
    const int64_t *last = r->parts.elements.data + 10 * (size_t)(count - 1);
    return count > 1 && memcmp(last - 10, last, 10 * sizeof *last) == 0;
}

// The last element is the one before it in another group.
static void join_groups(msh_reader *r, int group)
{
    r->parts.elements.count -= 10;
    r->parts.regions.count -= 1;
    int last = r->parts.regions.count - 1;
    r->parts.failed = !sn_group_sets_add(&r->groups, last, r->parts.regions.data[last], group);
}

// An element from its tags on.
static void read_element_2(msh_reader *r, int type, int tags, int *entity_before)
{
    int group = 0, entity = -1;
    for (int k = 0; k < tags && r->words.status == SN_OK; ++k) {
        int tag = read_int(r, "a tag");
        group = k == 0 ? tag : group;
        entity = k == 1 ? tag : entity;
    }
    if (type != FOUR_NODES && type != TEN_NODES) {
        pass_over(r, type);
        return;
    }
    read_element(r, type, group);
    bool sound = r->words.status == SN_OK && !r->parts.failed;
    if (sound && entity == *entity_before && is_repeated(r)) {
        join_groups(r, group);
    }
    *entity_before = entity;
}

// In a text every element has its number, type and number of tags. In a binary file type and
// number of tags stand before elements that have them in common.
static void read_elements_2(msh_reader *r)
{
    int entity_before = -1, alike = 0, type = 0, tags = 0;
    int count = count_in_words(r, "a number of elements");
    sn_words_start_values(&r->words);
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        if (r->words.binary && alike == 0) {
            type = count_of(r, SN_RAW_INT32, "an element's type");
            alike = (int)sn_words_stored_integer(&r->words, SN_RAW_INT32,
                                                 "a number of elements that are alike", 1,
                                                 (int64_t)count - i);
            tags = count_of(r, SN_RAW_INT32, "a number of tags");
        }
        read_tag(r, r->number, "an element's number");
        if (!r->words.binary) {
            type = count_in_words(r, "an element's type");
            tags = count_in_words(r, "a number of tags");
        }
        read_element_2(r, type, tags, &entity_before);
        --alike;
    }
}

// ---- version 4 ----

// The physical groups of an entity.
static msh_volume read_groups(msh_reader *r, int64_t tag)
{
    msh_volume volume = {.tag = tag, .set = -1};
    SN_ARRAY(int) groups = {0};
    int count = count_of(r, r->number, "a number of physical groups");
    for (int k = 0; k < count && r->words.status == SN_OK && !r->parts.failed; ++k) {
        int group = read_int(r, "a physical group");
        r->parts.failed = !sn_array_push(&groups, group);
    }
    if (r->words.status == SN_OK && !r->parts.failed && count > 0) {
        volume.group = groups.data[0];
    }
    if (r->words.status == SN_OK && !r->parts.failed && count > 1) {
        volume.set = sn_group_sets_of(&r->groups, groups.data, count);
        r->parts.failed = volume.set < 0;
    }
    sn_array_free(&groups);
    return volume;
}

static void read_entities(msh_reader *r)
{
    int counts[4];
    sn_words_start_values(&r->words);
    for (int d = 0; d < 4; ++d) {
        counts[d] = count_of(r, r->number, "a number of entities");
    }
    for (int d = 0; d < 4; ++d) {
        for (int i = 0; i < counts[d] && r->words.status == SN_OK && !r->parts.failed; ++i) {
            int64_t tag = read_tag(r, SN_RAW_INT32, "an entity's number");
            sn_words_skip_stored(&r->words, SN_RAW_FLOAT64, d == 0 ? 3 : 6, "a coordinate");
            msh_volume volume = read_groups(r, tag);
            if (d > 0 && !r->parts.failed) {
                int boundaries = count_of(r, r->number, "a number of boundaries");
                sn_words_skip_stored(&r->words, SN_RAW_INT32, boundaries, "a boundary's number");
            }
            if (d == 3 && !sn_array_push(&r->volumes, volume)) {
                r->parts.failed = true;
            }
        }
    }
}

static msh_volume volume_of(const msh_reader *r, int64_t tag)
{
    for (int i = 0; i < r->volumes.count; ++i) {
        if (r->volumes.data[i].tag == tag) {
            return r->volumes.data[i];
        }
    }
    return (msh_volume){.tag = tag, .set = -1};
}

static void read_node_block(msh_reader *r)
{
    int dimension = count_of(r, SN_RAW_INT32, "a dimension");
    read_tag(r, SN_RAW_INT32, "an entity's number");
    int64_t parametric =
        sn_words_stored_integer(&r->words, SN_RAW_INT32, "0 or 1 for parametric", 0, 1);
    int count = count_of(r, r->number, "a number of nodes");
    int first = r->parts.tags.count;
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        int64_t tag = read_tag(r, r->number, "a node's number");
        sn_tetrahedra_parts_node(&r->parts, tag, SN_VEC3_ZERO);
    }
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        r->parts.positions.data[first + i] = read_position(r);
        sn_words_skip_stored(&r->words, SN_RAW_FLOAT64, parametric * dimension, "a parameter");
    }
}

// How many blocks follow; then how many nodes or elements they have, and their least and greatest
// numbers, none of which is needed.
static int read_block_count(msh_reader *r)
{
    sn_words_start_values(&r->words);
    int blocks = count_of(r, r->number, "a number of blocks");
    sn_words_skip_stored(&r->words, r->number, 3, "a number");
    return blocks;
}

static void read_nodes_4(msh_reader *r)
{
    int blocks = read_block_count(r);
    for (int b = 0; b < blocks && r->words.status == SN_OK && !r->parts.failed; ++b) {
        read_node_block(r);
    }
}

static void read_element_block(msh_reader *r)
{
    int dimension = count_of(r, SN_RAW_INT32, "a dimension");
    int64_t entity = read_tag(r, SN_RAW_INT32, "an entity's number");
    int type = count_of(r, SN_RAW_INT32, "an element's type");
    int count = count_of(r, r->number, "a number of elements");
    msh_volume volume = volume_of(r, dimension == 3 ? entity : INT64_MIN);
    for (int i = 0; i < count && r->words.status == SN_OK && !r->parts.failed; ++i) {
        read_tag(r, r->number, "an element's number");
        if (type == FOUR_NODES || type == TEN_NODES) {
            read_element(r, type, volume.group);
            if (volume.set >= 0 &&
                !sn_group_sets_put(&r->groups, r->parts.regions.count - 1, volume.set)) {
                r->parts.failed = true;
            }
        } else {
            pass_over(r, type);
        }
    }
}

static void read_elements_4(msh_reader *r)
{
    int blocks = read_block_count(r);
    for (int b = 0; b < blocks && r->words.status == SN_OK && !r->parts.failed; ++b) {
        read_element_block(r);
    }
}

// ---- sections ----

// Up to the word $EndName. Bytes may happen to be $End and something, but hardly the name, too.
static void skip_section(msh_reader *r, const char *name, size_t length)
{
    while (sn_words_next(&r->words)) {
        bool ends = r->words.length > 4 && memcmp(r->words.word, "$End", 4) == 0;
        if (ends && (!r->words.binary || (r->words.length == 4 + length &&
                                          memcmp(r->words.word + 4, name, length) == 0))) {
            return;
        }
    }
    sn_words_fail(&r->words, "the end of a section was expected");
}

static void expect_end(msh_reader *r, const char *end)
{
    if (r->words.status == SN_OK && !r->parts.failed) {
        sn_words_next(&r->words);
        if (!sn_words_is(&r->words, end)) {
            sn_words_fail(&r->words, "%s was expected", end);
        }
    }
}

sn_status sn_tetrahedra_parse_msh(const char *name, const char *text, size_t length,
                                  sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    msh_reader r = {.words = sn_words_of(name, text, length, error)};
    while (!r.parts.failed && sn_words_next(&r.words)) {
        if (sn_words_is(&r.words, "$MeshFormat")) {
            read_format(&r);
            skip_section(&r, "MeshFormat", strlen("MeshFormat"));
        } else if (r.version == 0) {
            sn_words_fail(&r.words, "$MeshFormat was expected at the start");
        } else if (sn_words_is(&r.words, "$Nodes")) {
            (r.version == 2 ? read_nodes_2 : read_nodes_4)(&r);
            expect_end(&r, "$EndNodes");
        } else if (sn_words_is(&r.words, "$Elements")) {
            (r.version == 2 ? read_elements_2 : read_elements_4)(&r);
            expect_end(&r, "$EndElements");
        } else if (sn_words_is(&r.words, "$Entities") && r.version == 4) {
            read_entities(&r);
            expect_end(&r, "$EndEntities");
        } else if (sn_words_is(&r.words, "$PhysicalNames")) {
            read_names(&r);
            expect_end(&r, "$EndPhysicalNames");
        } else if (r.words.word[0] == '$') {
            skip_section(&r, r.words.word + 1, r.words.length - 1);
        } else {
            sn_words_fail(&r.words, "a section, $Name, was expected");
        }
    }
    refuse_others(&r);
    if (r.words.status == SN_OK && !r.parts.failed) {
        sn_group_sets_finish(&r.groups, &r.parts);
    }
    sn_group_sets_free(&r.groups);
    sn_array_free(&r.volumes);
    return sn_tetrahedra_parts_finish(&r.parts, &r.words, tetrahedra);
}
