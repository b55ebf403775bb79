#include "freedom_name.h"

#include <stdio.h>

const char *sn_freedom_name(const sn_world *world, int coordinate, char name[SN_FREEDOM_NAME_SIZE])
{
    sn_freedom freedom = sn_world_freedom(world, coordinate);
    if (freedom.joint.index == 0 && sn_body_get_type(world, freedom.body) == SN_BODY_ELASTIC) {
        int own = freedom.freedom % 4; // of a vertex; the fourth is no freedom
        name[0] = '\0';
        if (own < 3) {
            snprintf(name, SN_FREEDOM_NAME_SIZE, "%s.%d.%c", sn_body_name(world, freedom.body),
                     freedom.freedom / 4, 'x' + own);
        }
    } else if (freedom.joint.index == 0) {
        snprintf(name, SN_FREEDOM_NAME_SIZE, "%s.%s.%c", sn_body_name(world, freedom.body),
                 freedom.turns ? "turn" : "shift", 'x' + freedom.freedom % 3);
    } else if (sn_joint_type_freedoms(sn_joint_get_type(world, freedom.joint)) > 1) {
        snprintf(name, SN_FREEDOM_NAME_SIZE, "%s.%d", sn_joint_name(world, freedom.joint),
                 freedom.freedom + 1);
    } else {
        snprintf(name, SN_FREEDOM_NAME_SIZE, "%s", sn_joint_name(world, freedom.joint));
    }
    return name;
}
