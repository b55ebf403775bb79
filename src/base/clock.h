// The wall clock, for reports only: nothing that is simulated may depend on it.
#ifndef SN_BASE_CLOCK_H
#define SN_BASE_CLOCK_H

double sn_wall_clock(void); // s, from any start

#endif
