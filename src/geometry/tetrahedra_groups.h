// Physical groups of a Gmsh file, of which a volume may be in several. An element has one region,
// so each combination of groups that elements are in becomes a region, and is called what any of
// its groups is called: materials may be given by all of them.
//
//     volume 1 in "core" (3) and "all" (9)      region 3, called core, all, 9
//     volume 2 in "rim" (7) and "all"           region 7, called rim, all, 9
//
// A region has the number of its first group. Where several combinations have the same first group,
// one of them keeps the number, that of the group alone where there is one, and the others get
// numbers that no group has.
#ifndef SN_GEOMETRY_TETRAHEDRA_GROUPS_H
#define SN_GEOMETRY_TETRAHEDRA_GROUPS_H

#include "geometry/tetrahedra_file.h"

typedef struct sn_group_set {
    int first, count; // of the groups
    int region;       // once they are numbered
} sn_group_set;

// Combinations of two groups or more; elements of one group alone have its number for a region.
typedef struct sn_group_sets {
    SN_ARRAY(sn_group_set) sets;
    SN_ARRAY(int) groups;
    SN_ARRAY(sn_node_tag) elements; // in rising order, and the indices of their combinations
    int last;                       // the combination that was asked for last
} sn_group_sets;

// The combination of these groups, in their order, as its index; -1: memory ran out.
int sn_group_sets_of(sn_group_sets *sets, const int *groups, int count);

// The last element that was read is in a combination; false: memory ran out.
bool sn_group_sets_put(sn_group_sets *sets, int element, int set);

// The last element that was read, of region `region` so far, is in one more group. One that it is
// in already changes nothing. False: memory ran out.
bool sn_group_sets_add(sn_group_sets *sets, int element, int region, int group);

// Gives elements of combinations their regions, and these their names.
void sn_group_sets_finish(sn_group_sets *sets, sn_tetrahedra_parts *parts);
void sn_group_sets_free(sn_group_sets *sets);

#endif
