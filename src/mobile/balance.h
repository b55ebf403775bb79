// Balancing a mobile: the least change of hooks, masses, sizes or thicknesses after which every
// arm rests in its wanted pose; and what can be said of how it hangs.
//
// An arm rests where the moment of all it carries about its pivot (mobile.h) points straight down:
// two equations per arm, of which the one across the arm's plane holds by itself when everything is
// in that plane. Hooks move along their wires, each arm by itself. Masses, sizes and thicknesses of
// pieces count for all arms above them: the least change of the factors of their masses, that is of
// areas where sizes change (sn_least_change), again and again until the true moments, from the true
// bodies, are zero to rounding.
#ifndef SN_MOBILE_BALANCE_H
#define SN_MOBILE_BALANCE_H

#include "mobile/mobile.h"
#include "sinew/mobile.h"

// Changes the parts' hooks, masses, sizes or thicknesses, and places the mobile. A mobile that
// cannot be balanced is refused, with the reason, and is left as it was; `culprit` names the arm.
SN_API sn_status sn_mobile_balance(sn_mobile *mobile, sn_balance_for what, sn_error *error);

// How the part, placed, hangs. All zero for what is fixed.
SN_API sn_hanging sn_part_hanging(const sn_mobile *mobile, int part);

#endif
