// Winds, seen from inside: where they come from.
#ifndef SN_FIELD_WIND_H
#define SN_FIELD_WIND_H

#include "field/gust.h"

struct sn_wind {
    sn_wind_def def;
    sn_vec3 along, across, up; // unit vectors at right angles; natural: `up` is the ground's
    double carry;              // the speed at which eddies are carried along
    int mode_count;            // 0 but of a natural wind with gusts
    sn_gust_mode modes[];
};

SN_API sn_wind *sn_wind_copy(const sn_wind *wind); // NULL when memory runs out

// Where the wind comes from: true, and the point, when that is a point; false, and the direction
// towards which it blows, when it comes from afar.
SN_API bool sn_wind_origin(const sn_wind *wind, sn_vec3 *origin);

#endif
