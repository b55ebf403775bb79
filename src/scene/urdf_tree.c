// From the links and joints of a URDF to a tree: who hangs on whom, and in which order.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_table.h"
#include "base/suggest.h"
#include "scene/urdf.h"

typedef struct joining {
    sn_urdf_reader *reader;
    sn_urdf *urdf;
    sn_name_table links, joints; // counted from 1
} joining;

// ---- names ----

static void fail_twice(joining *j, const char *what, const char *name, sn_place place,
                       sn_place first)
{
    char where[SN_PLACE_SIZE];
    sn_urdf_fail(j->reader, place,
                 "the %s \"%.60s\" has the name of the one at %.120s, expected another", what, name,
                 sn_place_text(j->reader->scene, first, where));
}

static void put_names(joining *j)
{
    sn_urdf *urdf = j->urdf;
    for (int i = 0; i < urdf->link_count && !j->reader->out_of_memory; ++i) {
        const sn_urdf_link *link = &urdf->links[i];
        uint32_t found = sn_name_table_find(&j->links, link->name);
        if (found > 0) {
            fail_twice(j, "link", link->name, link->place, urdf->links[found - 1].place);
        } else if (!sn_name_table_put(&j->links, link->name, (uint32_t)i + 1)) {
            j->reader->out_of_memory = true;
        }
    }
    for (int i = 0; i < urdf->joint_count && !j->reader->out_of_memory; ++i) {
        const sn_urdf_joint *joint = &urdf->joints[i];
        uint32_t found = sn_name_table_find(&j->joints, joint->name);
        if (found > 0) {
            fail_twice(j, "joint", joint->name, joint->place, urdf->joints[found - 1].place);
        } else if (!sn_name_table_put(&j->joints, joint->name, (uint32_t)i + 1)) {
            j->reader->out_of_memory = true;
        }
    }
}

enum { SUGGESTIONS = 256 };

static void fail_unknown(joining *j, sn_place place, const char *what, const char *name)
{
    const char *known[SUGGESTIONS];
    bool link = strcmp(what, "link") == 0;
    int count = link ? j->urdf->link_count : j->urdf->joint_count;
    count = count < SUGGESTIONS ? count : SUGGESTIONS;
    for (int i = 0; i < count; ++i) {
        known[i] = link ? j->urdf->links[i].name : j->urdf->joints[i].name;
    }
    const char *near = sn_suggest(name, known, count);
    sn_urdf_fail(j->reader, place, "there is no %s \"%.60s\"%s%.60s%s", what, name,
                 near != NULL ? "; did you mean \"" : " in the robot", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
}

static int find_link(joining *j, const char *name, sn_place place)
{
    uint32_t found = sn_name_table_find(&j->links, name);
    if (found == 0) {
        fail_unknown(j, place, "link", name);
    }
    return (int)found - 1;
}

static void find_ends(joining *j)
{
    for (int i = 0; i < j->urdf->joint_count; ++i) {
        sn_urdf_joint *joint = &j->urdf->joints[i];
        joint->parent = find_link(j, joint->parent_name, joint->parent_place);
        joint->child = find_link(j, joint->child_name, joint->child_place);
        if (joint->parent < 0 || joint->child < 0) {
            continue;
        }
        sn_urdf_link *child = &j->urdf->links[joint->child];
        char where[SN_PLACE_SIZE];
        if (joint->parent == joint->child) {
            sn_urdf_fail(j->reader, joint->child_place, "\"%.60s\" joins \"%.60s\" to itself",
                         joint->name, child->name);
        } else if (child->joint >= 0) {
            const sn_urdf_joint *other = &j->urdf->joints[child->joint];
            sn_urdf_fail(
                j->reader, joint->child_place,
                "\"%.60s\" has a parent already, by \"%.60s\" at %.120s; URDF knows only trees "
                "(close loops with joints of the scene)",
                child->name, other->name, sn_place_text(j->reader->scene, other->place, where));
        } else {
            child->joint = i;
        }
    }
}

// ---- the tree ----

// Links that the root does not reach hang on each other in a circle: every one has a parent.
static void fail_circle(joining *j, const bool *reached)
{
    const sn_urdf *urdf = j->urdf;
    int link = 0;
    while (reached[link]) {
        link += 1;
    }
    // Up as many parents as there are links ends inside the circle.
    for (int i = 0; i < urdf->link_count; ++i) {
        link = urdf->joints[urdf->links[link].joint].parent;
    }
    char text[300];
    size_t at = (size_t)snprintf(text, sizeof text, "%.60s", urdf->links[link].name);
    int next = link;
    do {
        next = urdf->joints[urdf->links[next].joint].parent;
        at += at < sizeof text ? (size_t)snprintf(text + at, sizeof text - at, " on %.60s",
                                                  urdf->links[next].name)
                               : 0;
    } while (next != link && at < sizeof text);
    sn_urdf_fail(j->reader, urdf->joints[urdf->links[link].joint].place,
                 "links hang on each other in a circle: %.290s", text);
}

// Breadth first from the root: children of links are gathered in linear time by counting.
static void order_joints(joining *j)
{
    sn_urdf *urdf = j->urdf;
    size_t room = (size_t)urdf->link_count + 1;
    int *first = sn_allocate_zero((room + 1) * sizeof *first); // of each link's joints in `joints`
    int *joints = sn_allocate(((size_t)urdf->joint_count + 1) * sizeof *joints);
    bool *reached = sn_allocate_zero(room * sizeof *reached);
    if (first != NULL && joints != NULL && reached != NULL) {
        for (int i = 0; i < urdf->joint_count; ++i) {
            first[urdf->joints[i].parent + 2] += 1;
        }
        for (int i = 0; i < urdf->link_count; ++i) {
            first[i + 1] += first[i];
        }
        for (int i = 0; i < urdf->joint_count; ++i) {
            joints[first[urdf->joints[i].parent + 1]++] = i;
        }
        int count = 0, link = urdf->root;
        reached[link] = true;
        for (int done = 0; done <= count; ++done) {
            for (int i = first[link]; i < first[link + 1]; ++i) {
                urdf->order[count++] = joints[i];
                reached[urdf->joints[joints[i]].child] = true;
            }
            link = done < count ? urdf->joints[urdf->order[done]].child : link;
        }
        if (count < urdf->joint_count) {
            fail_circle(j, reached);
        }
    } else {
        j->reader->out_of_memory = true;
    }
    sn_free(first);
    sn_free(joints);
    sn_free(reached);
}

static void find_root(joining *j)
{
    sn_urdf *urdf = j->urdf;
    int roots[3], count = 0;
    for (int i = 0; i < urdf->link_count; ++i) {
        if (urdf->links[i].joint < 0) {
            roots[count < 3 ? count : 2] = i;
            count += 1;
        }
    }
    if (urdf->link_count == 0) {
        sn_urdf_fail(j->reader, urdf->place, "the robot has no links, expected at least one");
    } else if (count == 0) {
        sn_urdf_fail(j->reader, urdf->place,
                     "every link has a parent, expected one that has none: the root");
    } else if (count > 1) {
        sn_urdf_fail(j->reader, urdf->links[roots[1]].place,
                     "%d links have no parent (\"%.60s\", \"%.60s\"%s), expected one: the root",
                     count, urdf->links[roots[0]].name, urdf->links[roots[1]].name,
                     count > 2 ? ", ..." : "");
    } else {
        urdf->root = roots[0];
        order_joints(j);
    }
}

// ---- joints that follow others ----

static bool has_one_freedom(const sn_urdf_joint *joint)
{
    return joint->type == SN_JOINT_HINGE || joint->type == SN_JOINT_SLIDER;
}

// A follower that cannot follow moves by itself.
static void find_leader(joining *j, sn_urdf_joint *joint)
{
    static const char remedy[] = "it moves by itself";
    sn_urdf *urdf = j->urdf;
    joint->mimic = (int)sn_name_table_find(&j->joints, joint->mimic_name) - 1;
    if (joint->mimic < 0) {
        if (j->reader->strict) {
            fail_unknown(j, joint->mimic_place, "joint", joint->mimic_name);
        } else {
            sn_urdf_mend(j->reader, joint->mimic_place, remedy,
                         "\"%.60s\" follows \"%.60s\", and there is no such joint", joint->name,
                         joint->mimic_name);
        }
    } else if (!has_one_freedom(joint) || !has_one_freedom(&urdf->joints[joint->mimic])) {
        bool moves = sn_joint_type_freedoms(joint->type) > 0;
        sn_urdf_mend(j->reader, joint->mimic_place, moves ? remedy : "it stands still",
                     "\"%.60s\" follows \"%.60s\"; expected both to turn about an axis or slide "
                     "along one",
                     joint->name, joint->mimic_name);
        joint->mimic = -1;
    }
}

static void find_mimics(joining *j)
{
    sn_urdf *urdf = j->urdf;
    for (int i = 0; i < urdf->joint_count; ++i) {
        if (urdf->joints[i].mimic_name != NULL) {
            find_leader(j, &urdf->joints[i]);
        }
    }
    for (int i = 0; i < urdf->joint_count && j->reader->mistakes == 0; ++i) {
        int leader = i, steps = 0;
        while (leader >= 0 && steps <= SN_URDF_MIMIC_LIMIT) {
            leader = urdf->joints[leader].mimic;
            steps += 1;
        }
        if (leader >= 0) {
            sn_urdf_mend(j->reader, urdf->joints[i].mimic_place, "this one moves by itself",
                         "from \"%.60s\" on, joints follow each other in a circle or in a chain "
                         "longer than %d, expected one that moves by itself",
                         urdf->joints[i].name, SN_URDF_MIMIC_LIMIT);
            urdf->joints[i].mimic = -1;
        }
    }
}

void sn_urdf_join(sn_urdf_reader *reader, sn_urdf *urdf)
{
    joining j = {.reader = reader, .urdf = urdf};
    put_names(&j);
    if (reader->mistakes == 0 && !reader->out_of_memory) {
        find_ends(&j);
    }
    if (reader->mistakes == 0 && !reader->out_of_memory) {
        find_root(&j);
        find_mimics(&j);
    }
    sn_name_table_free(&j.links);
    sn_name_table_free(&j.joints);
}
