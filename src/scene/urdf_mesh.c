// Where the meshes of a robot are, and what becomes of those that are not found.
#include "scene/urdf_package.h"
#include "scene/urdf_scene.h"

// One that is not found is an empty shape if its body has a mass of its own.
static void find_mesh(sn_package_search *search, sn_urdf_shape *shape, bool weighed)
{
    char why[SN_PACKAGE_WHY];
    const char *file = sn_package_find(search, shape->file, why);
    shape->empty = file == NULL;
    if (search->reader->out_of_memory) {
        return;
    }
    if (file != NULL && why[0] != '\0') {
        sn_urdf_note(search->reader, shape->place, "%s", why);
    } else if (file == NULL && weighed) {
        sn_urdf_mend(search->reader, shape->place, "an empty shape",
                     "the mesh \"%.100s\" is not found (%s)", shape->file, why);
    } else if (file == NULL) {
        sn_urdf_fail(search->reader, shape->place,
                     "the mesh \"%.100s\" is not found (%s), and the link has no <inertial>",
                     shape->file, why);
    }
    shape->file = file;
}

// Shapes that are left out leave the list of their link.
static void drop_empty(sn_urdf *urdf, sn_urdf_link *link)
{
    int kept = link->first_shape;
    for (int i = 0; i < link->shape_count; ++i) {
        if (!urdf->shapes[link->first_shape + i].empty) {
            urdf->shapes[kept++] = urdf->shapes[link->first_shape + i];
        }
    }
    link->shape_count = kept - link->first_shape;
}

void sn_urdf_find_meshes(sn_urdf_reader *reader, const sn_robot_item *item, const sn_robot *robot,
                         sn_urdf *urdf)
{
    sn_package_search search = {.reader = reader,
                                .item = item,
                                .folder = reader->scene->sources.data[reader->source].folder};
    for (int i = 0; i < urdf->link_count; ++i) {
        sn_urdf_link *link = &urdf->links[i];
        bool weighed = link->has_inertial || urdf->links[robot->links[i].host].has_inertial;
        for (int k = 0; k < link->shape_count && !reader->out_of_memory; ++k) {
            sn_urdf_shape *shape = &urdf->shapes[link->first_shape + k];
            if (shape->type == SN_SHAPE_MESH && !shape->empty) {
                find_mesh(&search, shape, weighed);
            }
        }
        drop_empty(urdf, link);
    }
}
