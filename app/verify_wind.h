// The cases of the group `mobile` that have to do with wind and impacts.
#ifndef SN_APP_VERIFY_WIND_H
#define SN_APP_VERIFY_WIND_H

#include "sinew/scene.h"
#include "verify.h"

void sn_verify_wind_speed(sn_verify *verify);
void sn_verify_wind_force(sn_verify *verify);
void sn_verify_wind_cut(sn_verify *verify);
void sn_verify_occlusion(sn_verify *verify, const char *name, const sn_scene *scene);
void sn_verify_still_air(sn_verify *verify, const char *name, const sn_scene *scene);
void sn_verify_strike(sn_verify *verify);

#endif
