#include "field/drag.h"

void sn_drag_evaluate(double linear, double quadratic, sn_vec3 u, sn_vec3 *force, sn_mat3 *damping)
{
    double speed = sn_length(u);
    double strength = linear + quadratic * speed;
    *force = sn_vec3_scale(-strength, u);
    double outer = speed > 0.0 ? quadratic / speed : 0.0;
    const double c[3] = {u.x, u.y, u.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping->m[i][j] = outer * c[i] * c[j] + (i == j ? strength : 0.0);
        }
    }
}
