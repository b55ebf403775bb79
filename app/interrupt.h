// Ctrl-C and `kill`: the first one asks, and long work ends soon, within a step where it can
// (sn_world_set_stop), with its files closed; the second one ends the process at once. When the
// step goes on for a second, a terminal shows that it waits.
#ifndef SN_APP_INTERRUPT_H
#define SN_APP_INTERRUPT_H

#include <stdbool.h>

void sn_interrupt_listen(void); // SIGINT and SIGTERM
bool sn_interrupted(void);

#endif
