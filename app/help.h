// What `sinew`, `sinew help` and `sinew VERB --help` print: examples first.
#ifndef SN_APP_HELP_H
#define SN_APP_HELP_H

#include "options.h"

extern const sn_example sn_main_examples[]; // of the command as a whole
extern const int sn_main_example_count;

void sn_help_command(FILE *stream);
void sn_help_verb(FILE *stream, const sn_verb *verb);

#endif
