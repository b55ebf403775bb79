// Ctrl-C and `kill`: the first one asks, and long work ends between two steps with its files
// closed; the second one ends the process at once. When the step goes on for a second, a person at
// a terminal is told so.
#ifndef SN_APP_INTERRUPT_H
#define SN_APP_INTERRUPT_H

#include <stdbool.h>

void sn_interrupt_listen(void); // SIGINT and SIGTERM
bool sn_interrupted(void);

#endif
