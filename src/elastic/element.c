// Shape functions of tetrahedra. With barycentric coordinates l the nodes of ten have l (2 l - 1)
// at the corners and 4 l_i l_j between; four points at (3 sqrt 5 + 5)/20 integrate polynomials of
// second order exactly (P. C. Hammer, A. H. Stroud 1956), which is what the energy of straight
// elements under Hooke's law is.
#include "elastic/solid_part.h"

#include "geometry/tetrahedra.h"

// Derivatives of the shape function of `node` by l1, l2, l3, with l0 = 1 - l1 - l2 - l3.
static void shape_derivatives(int nodes, int node, const double l[4], double out[3])
{
    double d[4] = {0.0, 0.0, 0.0, 0.0};
    if (node < 4) {
        d[node] = nodes == 4 ? 1.0 : 4.0 * l[node] - 1.0;
    } else {
        int i = sn_tetrahedron_edges[node - 4][0], j = sn_tetrahedron_edges[node - 4][1];
        d[i] = 4.0 * l[j];
        d[j] = 4.0 * l[i];
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = d[k + 1] - d[0];
    }
}

static bool point_gradients(int nodes, const sn_vec3 *differences, const double l[4],
                            double *gradients, double *determinant)
{
    double d[SN_MOST_NODES - 1][3];
    sn_mat3 jacobian = SN_MAT3_ZERO; // dX_i / dl_k
    for (int a = 1; a < nodes; ++a) {
        shape_derivatives(nodes, a, l, d[a - 1]);
        const double x[3] = {differences[a - 1].x, differences[a - 1].y, differences[a - 1].z};
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                jacobian.m[i][k] += x[i] * d[a - 1][k];
            }
        }
    }
    *determinant = sn_mat3_determinant(jacobian);
    if (!(*determinant > 0.0) || !isfinite(*determinant)) {
        return false;
    }
    sn_mat3 inverse = sn_mat3_inverse(jacobian);
    for (int a = 0; a < nodes - 1; ++a) {
        for (int j = 0; j < 3; ++j) {
            gradients[3 * a + j] =
                d[a][0] * inverse.m[0][j] + d[a][1] * inverse.m[1][j] + d[a][2] * inverse.m[2][j];
        }
    }
    return true;
}

bool sn_element_gradients(int nodes, const sn_vec3 *differences, double *gradients, double *volumes)
{
    const double inner = 0.58541019662496845446, outer = 0.13819660112501051518;
    int points = nodes == 4 ? 1 : 4;
    for (int q = 0; q < points; ++q) {
        double l[4] = {0.25, 0.25, 0.25, 0.25};
        for (int k = 0; points == 4 && k < 4; ++k) {
            l[k] = k == q ? inner : outer;
        }
        double determinant;
        if (!point_gradients(nodes, differences, l, gradients + 3 * (nodes - 1) * q,
                             &determinant)) {
            volumes[q] = determinant / (6.0 * points);
            return false;
        }
        volumes[q] = determinant / (6.0 * points);
    }
    return true;
}
