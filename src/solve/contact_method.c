#include "solve/contact_method.h"

const sn_contact_traits sn_contact_method_traits[SN_CONTACT_METHOD_COUNT] = {
    [SN_CONTACT_SOLVER] = {.collides = true, .strikes = true, .skins = true, .piles = true},
    [SN_CONTACT_IMPULSE] = {.collides = true, .strikes = true, .skins = true, .predicted = true},
    [SN_CONTACT_PENALTY] = {.collides = true, .presses = true},
    [SN_CONTACT_NONE] = {.skins = true}, // as far as anybody asks for overlaps
    [SN_CONTACT_SPRINGS] = {.collides = true, .presses = true, .skins = true, .springs = true},
};

sn_contact_method sn_contact_method_resolve(sn_contact_method method, sn_policy policy)
{
    if (method != SN_CONTACT_DEFAULT) {
        return method;
    }
    return policy == SN_POLICY_LOCKSTEP ? SN_CONTACT_SOLVER : SN_CONTACT_NONE;
}
