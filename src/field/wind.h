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

// The velocity at full strength: sn_wind_velocity is this times sn_wind_strength.
SN_API sn_vec3 sn_wind_full_velocity(const sn_wind *wind, sn_vec3 point, double time);

// Takes another motion for its strength; NULL is allowed.
SN_API void sn_wind_take_strength(sn_wind *wind, sn_motion *strength);

// Where the wind comes from: the vertex of a cone through the rim of its disc or mouth, or from
// afar. Of a jet the cone has three times its width far away.
typedef struct sn_wind_source {
    bool is_cone; // else all comes along `along`
    sn_vec3 vertex;
    double length; // from the vertex to the disc
    double slope;  // radius by distance from the vertex
} sn_wind_source;

SN_API sn_wind_source sn_wind_source_of(const sn_wind *wind);

#endif
