// Materials of an elastic body that are given by names or numbers of the mesh's regions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "scene/checker.h"

static bool has_name(const sn_tetrahedra *mesh, const char *name)
{
    const sn_region_name *names = sn_tetrahedra_region_names(mesh);
    bool found = false;
    for (int i = 0; i < sn_tetrahedra_region_name_count(mesh) && !found; ++i) {
        found = strcmp(names[i].name, name) == 0;
    }
    return found;
}

// NULL: it has none.
static const char *name_of(const sn_tetrahedra *mesh, int region)
{
    const sn_region_name *names = sn_tetrahedra_region_names(mesh);
    for (int i = 0; i < sn_tetrahedra_region_name_count(mesh); ++i) {
        if (names[i].region == region) {
            return names[i].name;
        }
    }
    return NULL;
}

// Does a key of "materials" mean this region? Digits are a number where nothing has them for a
// name.
static bool means(const sn_tetrahedra *mesh, const char *key, int region)
{
    const sn_region_name *names = sn_tetrahedra_region_names(mesh);
    for (int i = 0; i < sn_tetrahedra_region_name_count(mesh); ++i) {
        if (names[i].region == region && strcmp(names[i].name, key) == 0) {
            return true;
        }
    }
    char digits[16];
    snprintf(digits, sizeof digits, "%d", region);
    return strcmp(digits, key) == 0 && !has_name(mesh, key);
}

static int compare_regions(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

// The regions that elements are in, each once, in rising order; how many.
static int find_regions(const sn_tetrahedra *mesh, int *regions)
{
    int elements = sn_tetrahedra_element_count(mesh), count = 0;
    memcpy(regions, sn_tetrahedra_regions(mesh), (size_t)elements * sizeof *regions);
    qsort(regions, (size_t)elements, sizeof *regions, compare_regions);
    for (int i = 0; i < elements; ++i) {
        if (i == 0 || regions[i] != regions[count - 1]) {
            regions[count++] = regions[i];
        }
    }
    return count;
}

enum { REGION_TEXT = 64 };

static const char *region_text(const sn_tetrahedra *mesh, int region, char text[REGION_TEXT])
{
    const char *name = name_of(mesh, region);
    if (name != NULL) {
        snprintf(text, REGION_TEXT, "\"%.40s\" (%d)", name, region);
    } else {
        snprintf(text, REGION_TEXT, "%d", region);
    }
    return text;
}

// No region is called so: tells what there is, and the nearest name.
static void fail_region(sn_checker *c, sn_place place, const char *key, const sn_tetrahedra *mesh,
                        const int *regions, int count)
{
    const sn_region_name *names = sn_tetrahedra_region_names(mesh);
    const char *meant = NULL;
    for (int i = 0; i < sn_tetrahedra_region_name_count(mesh) && meant == NULL; ++i) {
        meant = sn_suggest(key, &names[i].name, 1);
    }
    char list[400] = "", text[REGION_TEXT];
    size_t at = 0;
    for (int i = 0; i < count && at + REGION_TEXT + 8 < sizeof list; ++i) {
        bool last = i + 1 == count || at + 2 * (REGION_TEXT + 8) >= sizeof list;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s%s", i > 0 ? ", " : "",
                               region_text(mesh, regions[i], text),
                               last && i + 1 < count ? ", ..." : "");
    }
    sn_checker_fail(c, place, "the mesh has no region \"%.60s\", expected one of: %s%s%.60s%s", key,
                    list, meant != NULL ? "; did you mean \"" : "", meant != NULL ? meant : "",
                    meant != NULL ? "\"?" : "");
}

// Which of the keys means each region, into `entry`; false, and mistakes, if that cannot be told.
static bool match_regions(sn_checker *c, const sn_body_item *body, const sn_tetrahedra *mesh,
                          const int *regions, int count, int *entry)
{
    const sn_string_list *list = &body->materials;
    bool good = true;
    char text[REGION_TEXT];
    for (int k = 0; k < count; ++k) {
        entry[k] = -1;
        for (int i = 0; i < list->count; ++i) {
            if (!means(mesh, list->keys[i], regions[k])) {
                continue;
            }
            if (entry[k] >= 0) {
                sn_checker_fail(c, list->key_places[i],
                                "\"%.60s\" and \"%.60s\" are one region, expected one of them",
                                list->keys[entry[k]], list->keys[i]);
                good = false;
            }
            entry[k] = i;
        }
    }
    for (int i = 0; i < list->count; ++i) {
        bool met = has_name(mesh, list->keys[i]);
        for (int k = 0; k < count && !met; ++k) {
            met = means(mesh, list->keys[i], regions[k]);
        }
        if (!met) {
            fail_region(c, list->key_places[i], list->keys[i], mesh, regions, count);
            good = false;
        }
    }
    for (int k = 0; k < count && good; ++k) {
        if (entry[k] < 0) {
            sn_checker_fail(c, sn_item_place(&body->item, "materials"),
                            "\"materials\" has none for region %s of the mesh, expected one for "
                            "every region",
                            region_text(mesh, regions[k], text));
            good = false;
        }
    }
    return good;
}

sn_status sn_check_regions(sn_checker *c, const sn_body_item *body, sn_tetrahedra **mesh,
                           sn_error *error)
{
    int elements = sn_tetrahedra_element_count(*mesh);
    const int *old = sn_tetrahedra_regions(*mesh);
    int *regions = sn_allocate(3 * (size_t)elements * sizeof *regions);
    if (regions == NULL) {
        return sn_fail_memory(error, 3 * (size_t)elements * sizeof *regions);
    }
    int *entry = regions + elements, *numbers = entry + elements;
    int count = find_regions(*mesh, regions);
    sn_status status = SN_ERROR_SCENE;
    if (match_regions(c, body, *mesh, regions, count, entry)) {
        for (int e = 0; e < elements; ++e) {
            const int *at =
                bsearch(&old[e], regions, (size_t)count, sizeof *regions, compare_regions);
            numbers[e] = entry[at - regions];
        }
        sn_tetrahedra *copy = NULL;
        status = sn_tetrahedra_with_regions(*mesh, 0, numbers, &copy, error);
        if (status == SN_OK) {
            sn_tetrahedra_release(*mesh);
            *mesh = copy;
        }
    }
    sn_free(regions);
    return status;
}
