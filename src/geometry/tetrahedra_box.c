#include "geometry/generate.h"

#include <limits.h>

#include "base/error.h"
#include "geometry/tetrahedra_builder.h"

sn_tetrahedra_box sn_default_tetrahedra_box(void)
{
    return (sn_tetrahedra_box){
        .size = {1.0, 1.0, 1.0}, .cells = {4, 4, 4}, .cell = SN_CELL_SIX_MIRRORED};
}

static sn_status check_box(const sn_tetrahedra_box *box, sn_error *error)
{
    sn_status status = sn_check_length("size.x", box->size.x, error);
    status = status == SN_OK ? sn_check_length("size.y", box->size.y, error) : status;
    status = status == SN_OK ? sn_check_length("size.z", box->size.z, error) : status;
    if (status != SN_OK) {
        return status;
    }
    const int *n = box->cells;
    double count = 6.0 * n[0] * n[1] * n[2];
    if (n[0] < 1 || n[1] < 1 || n[2] < 1 || count > INT_MAX / 16) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d by %d by %d cells; 1 and more each were expected, and at most %d "
                       "elements",
                       n[0], n[1], n[2], INT_MAX / 16);
    }
    if (box->cell < SN_CELL_SIX || box->cell > SN_CELL_FIVE) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "cell %d; SN_CELL_SIX, SN_CELL_SIX_MIRRORED or SN_CELL_FIVE was expected",
                       (int)box->cell);
    }
    return SN_OK;
}

// Corner k of a cell: bits 0, 1, 2 say whether it is at the upper x, y, z. `mirror` flips bits, so
// that a cell is the mirror image of its neighbours.
static void put_cell(sn_tetrahedra_builder *builder, const int corner[8], int mirror,
                     sn_tetrahedra_cell cell)
{
    // H. Freudenthal's cut: the six ways from corner 0 to corner 7 along edges.
    static const int six[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                  {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    // One regular element between every other corner, and the four that are cut off by it.
    static const int five[5][4] = {
        {1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}};
    const int(*cut)[4] = cell == SN_CELL_FIVE ? five : six;
    for (int k = 0; k < (cell == SN_CELL_FIVE ? 5 : 6); ++k) {
        sn_tetrahedra_builder_element(builder, corner[cut[k][0] ^ mirror],
                                      corner[cut[k][1] ^ mirror], corner[cut[k][2] ^ mirror],
                                      corner[cut[k][3] ^ mirror]);
    }
}

sn_status sn_tetrahedra_make_box(const sn_tetrahedra_box *box, sn_tetrahedra **tetrahedra,
                                 sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = check_box(box, error);
    if (status != SN_OK) {
        return status;
    }
    sn_tetrahedra_builder builder = {0};
    const int *n = box->cells, row = n[0] + 1, sheet = row * (n[1] + 1);
    for (int k = 0; k <= n[2]; ++k) {
        for (int j = 0; j <= n[1]; ++j) {
            for (int i = 0; i <= n[0]; ++i) {
                sn_vec3 share = {(double)i / n[0] - 0.5, (double)j / n[1] - 0.5,
                                 (double)k / n[2] - 0.5};
                sn_tetrahedra_builder_vertex(&builder, sn_vec3_multiply(box->size, share));
            }
        }
    }
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                int corner[8], mirror = (i & 1) | (j & 1) << 1 | (k & 1) << 2;
                for (int c = 0; c < 8; ++c) {
                    corner[c] = i + (c & 1) + (j + (c >> 1 & 1)) * row + (k + (c >> 2)) * sheet;
                }
                put_cell(&builder, corner, box->cell == SN_CELL_SIX ? 0 : mirror, box->cell);
            }
        }
    }
    return sn_tetrahedra_builder_finish(&builder, tetrahedra, error);
}
