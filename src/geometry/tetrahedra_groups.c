#include "geometry/tetrahedra_groups.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static bool is_same(const sn_group_sets *sets, int index, const int *groups, int count)
{
    const sn_group_set *set = &sets->sets.data[index];
    return set->count == count &&
           memcmp(sets->groups.data + set->first, groups, (size_t)count * sizeof *groups) == 0;
}

int sn_group_sets_of(sn_group_sets *sets, const int *groups, int count)
{
    if (sets->sets.count > 0 && is_same(sets, sets->last, groups, count)) {
        return sets->last;
    }
    for (int i = 0; i < sets->sets.count; ++i) {
        if (is_same(sets, i, groups, count)) {
            return sets->last = i;
        }
    }
    sn_group_set set = {.first = sets->groups.count, .count = count};
    for (int k = 0; k < count; ++k) {
        if (!sn_array_push(&sets->groups, groups[k])) {
            return -1;
        }
    }
    return sn_array_push(&sets->sets, set) ? (sets->last = sets->sets.count - 1) : -1;
}

bool sn_group_sets_put(sn_group_sets *sets, int element, int set)
{
    int count = sets->elements.count;
    if (count > 0 && sets->elements.data[count - 1].tag == element) {
        sets->elements.data[count - 1].index = set;
        return true;
    }
    return sn_array_push(&sets->elements, (sn_node_tag){element, set});
}

bool sn_group_sets_add(sn_group_sets *sets, int element, int region, int group)
{
    int last = sets->elements.count - 1, count = 1;
    bool several = last >= 0 && sets->elements.data[last].tag == element;
    const sn_group_set *set = several ? &sets->sets.data[sets->elements.data[last].index] : NULL;
    count = several ? set->count : 1;
    int *groups = sn_allocate(((size_t)count + 1) * sizeof *groups);
    if (groups == NULL) {
        return false;
    }
    bool known = false;
    for (int k = 0; k < count; ++k) {
        groups[k] = several ? sets->groups.data[set->first + k] : region;
        known = known || groups[k] == group;
    }
    groups[count] = group;
    int joined = known ? -1 : sn_group_sets_of(sets, groups, count + 1);
    sn_free(groups);
    return known || (joined >= 0 && sn_group_sets_put(sets, element, joined));
}

// ---- numbers ----

static int first_group(const sn_group_sets *sets, int set)
{
    return sets->groups.data[sets->sets.data[set].first];
}

// Elements of one group alone, those that are not listed, and earlier combinations come first.
static bool is_taken(const sn_group_sets *sets, const sn_tetrahedra_parts *parts, int index)
{
    int wanted = first_group(sets, index), listed = 0;
    for (int i = 0; i < index; ++i) {
        if (first_group(sets, i) == wanted) {
            return true;
        }
    }
    for (int e = 0; e < parts->regions.count; ++e) {
        bool several =
            listed < sets->elements.count && sets->elements.data[listed].tag == (int64_t)e;
        listed += several ? 1 : 0;
        if (!several && parts->regions.data[e] == wanted) {
            return true;
        }
    }
    return false;
}

static void number(sn_group_sets *sets, const sn_tetrahedra_parts *parts)
{
    int free = 0;
    for (int k = 0; k < sets->groups.count; ++k) {
        free = sets->groups.data[k] > free ? sets->groups.data[k] : free;
    }
    for (int e = 0; e < parts->regions.count; ++e) {
        free = parts->regions.data[e] > free ? parts->regions.data[e] : free;
    }
    for (int i = 0; i < sets->sets.count; ++i) {
        bool fresh = is_taken(sets, parts, i) && free < INT_MAX;
        sets->sets.data[i].region = fresh ? ++free : first_group(sets, i);
    }
}

// ---- names ----

// Calls a region by a group's names, of which the file has `count`, and by its number.
static void call(sn_tetrahedra_parts *parts, int count, int region, int group)
{
    for (int i = 0; i < count && !parts->failed; ++i) {
        if (parts->names.data[i].tag == group && region != group) {
            // A copy, because letters may move as they grow.
            size_t length = strlen(parts->letters.data + parts->names.data[i].index);
            char *name = sn_allocate(length + 1);
            parts->failed = name == NULL;
            if (name != NULL) {
                memcpy(name, parts->letters.data + parts->names.data[i].index, length + 1);
                sn_tetrahedra_parts_name(parts, region, name, length);
                sn_free(name);
            }
        }
    }
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%d", group);
    sn_tetrahedra_parts_name(parts, region, digits, (size_t)length);
}

// Is a group part of a region that has another number? Its digits are a name of several regions
// then, its own among them.
static bool is_shared(const sn_group_sets *sets, int group)
{
    for (int i = 0; i < sets->sets.count; ++i) {
        const sn_group_set *set = &sets->sets.data[i];
        for (int k = 0; k < set->count; ++k) {
            if (sets->groups.data[set->first + k] == group && set->region != group) {
                return true;
            }
        }
    }
    return false;
}

// Is this the first place of the list where the group stands?
static bool is_first(const sn_group_sets *sets, int place)
{
    for (int k = 0; k < place; ++k) {
        if (sets->groups.data[k] == sets->groups.data[place]) {
            return false;
        }
    }
    return true;
}

void sn_group_sets_finish(sn_group_sets *sets, sn_tetrahedra_parts *parts)
{
    number(sets, parts);
    for (int i = 0; i < sets->elements.count; ++i) {
        const sn_node_tag *element = &sets->elements.data[i];
        parts->regions.data[element->tag] = sets->sets.data[element->index].region;
    }
    int named = parts->names.count;
    for (int i = 0; i < sets->sets.count; ++i) {
        const sn_group_set *set = &sets->sets.data[i];
        for (int k = set->first; k < set->first + set->count; ++k) {
            int group = sets->groups.data[k];
            if (group != set->region) {
                call(parts, named, set->region, group);
            }
            if (is_shared(sets, group) && is_first(sets, k)) {
                call(parts, named, group, group);
            }
        }
    }
}

void sn_group_sets_free(sn_group_sets *sets)
{
    sn_array_free(&sets->sets);
    sn_array_free(&sets->groups);
    sn_array_free(&sets->elements);
}
