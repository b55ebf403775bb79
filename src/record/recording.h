// What replays need of a recording beside the public functions.
#ifndef SN_RECORD_RECORDING_H
#define SN_RECORD_RECORDING_H

#include "sinew/record.h"

// Puts the world where the step after `step` starts, if that is not what `step` has left.
sn_status sn_recording_jump(sn_recording *recording, uint64_t step, sn_world *world,
                            sn_error *error);

#endif
