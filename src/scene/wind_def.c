#include "scene/wind_def.h"

sn_wind_def sn_wind_item_def(const sn_field_item *field, sn_motion *const *motions)
{
    const sn_wind_item *wind = &field->wind;
    return (sn_wind_def){
        .name = field->name,
        .kind = (sn_wind_kind)wind->kind,
        .position = wind->position,
        .direction = wind->direction,
        .speed = wind->speed,
        .strength = wind->strength_item != NULL ? motions[wind->strength_item->order] : NULL,
        .breath = wind->breath,
        .occlusion = (sn_wind_occlusion)wind->occlusion,
        .occlusion_pixels = (int)wind->occlusion_pixels,
        .occlusion_period = wind->occlusion_period,
        .radius = wind->radius,
        .length = wind->length,
        .swirl = wind->swirl,
        .law = (sn_wind_law)wind->law,
        .random_share = wind->random_share,
        .up = wind->up,
        .profile = (sn_wind_profile)wind->profile,
        .height = wind->height,
        .roughness = wind->roughness,
        .exponent = wind->exponent,
        .intensity = wind->intensity,
        .scale = wind->scale,
        .spectrum = (sn_wind_spectrum)wind->spectrum,
        .modes = (int)wind->modes,
        .seed = (uint64_t)wind->seed};
}

sn_air_def sn_air_item_def(const sn_air_item *air)
{
    return (sn_air_def){.density = air->density,
                        .normal = air->normal,
                        .tangential = air->tangential,
                        .patch = air->patch};
}
