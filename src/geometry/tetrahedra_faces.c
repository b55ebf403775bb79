#include "geometry/tetrahedra_faces.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"

static void order_two(int *a, int *b)
{
    if (*b < *a) {
        int swap = *a;
        *a = *b;
        *b = swap;
    }
}

// Three stable counting sorts, the last corner first, order all faces in linear time.
sn_status sn_tetrahedra_faces_find(const sn_tetrahedra *tetrahedra, sn_tetrahedra_faces *faces,
                                   sn_error *error)
{
    size_t count = (size_t)tetrahedra->element_count * 4;
    size_t starts_size = (size_t)tetrahedra->vertex_count + 1;
    *faces = (sn_tetrahedra_faces){.count = (int)count};
    faces->order = sn_allocate(count * sizeof(int));
    faces->corners = sn_allocate(3 * count * sizeof(int));
    int *scratch = sn_allocate((count + starts_size) * sizeof(int));
    if (faces->order == NULL || faces->corners == NULL || scratch == NULL) {
        sn_free(scratch);
        sn_tetrahedra_faces_free(faces);
        return sn_fail_memory(error, (5 * count + starts_size) * sizeof(int));
    }
    for (int f = 0; f < faces->count; ++f) {
        int *c = faces->corners + 3 * (size_t)f;
        sn_tetrahedra_face(tetrahedra, f, c);
        order_two(&c[0], &c[1]);
        order_two(&c[1], &c[2]);
        order_two(&c[0], &c[1]);
        scratch[f] = f;
    }
    int *starts = scratch + count, vertices = tetrahedra->vertex_count;
    sn_counting_sort(faces->corners + 2, 3, scratch, faces->count, vertices, starts, faces->order);
    sn_counting_sort(faces->corners + 1, 3, faces->order, faces->count, vertices, starts, scratch);
    sn_counting_sort(faces->corners, 3, scratch, faces->count, vertices, starts, faces->order);
    sn_free(scratch);
    return SN_OK;
}

void sn_tetrahedra_faces_free(sn_tetrahedra_faces *faces)
{
    sn_free(faces->order);
    sn_free(faces->corners);
    *faces = (sn_tetrahedra_faces){0};
}

int sn_tetrahedra_faces_group(const sn_tetrahedra_faces *faces, int first)
{
    const int *a = faces->corners + 3 * (size_t)faces->order[first];
    int last = first + 1;
    for (; last < faces->count; ++last) {
        const int *b = faces->corners + 3 * (size_t)faces->order[last];
        if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2]) {
            break;
        }
    }
    return last;
}
