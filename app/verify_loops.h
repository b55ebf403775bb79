// Cases of the group `articulated` with closed loops.
#ifndef SN_APP_VERIFY_LOOPS_H
#define SN_APP_VERIFY_LOOPS_H

#include "verify.h"

void sn_verify_two_four_bars(sn_verify *verify);
void sn_verify_forty_four_bars(sn_verify *verify);
void sn_verify_andrews(sn_verify *verify);

#endif
