// Events: quantities that cross a threshold.
#ifndef SN_PROBE_EVENT_H
#define SN_PROBE_EVENT_H

#include "model/world.h"

// ---- event.c ----
void sn_world_start_events(sn_world *world);
sn_status sn_world_finish_events(sn_world *world, double start_time, sn_error *error);
sn_status sn_world_log_event(sn_world *world, uint32_t event, double time, int direction,
                             sn_error *error);
double sn_world_event_value(const sn_world *world, const sn_event_record *event);
void sn_world_walk_events(sn_world *world, sn_state_walk *walk);

#endif
