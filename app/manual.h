// The man page sinew(1), written from the option tables.
#ifndef SN_APP_MANUAL_H
#define SN_APP_MANUAL_H

#include <stdio.h>

void sn_manual_write(FILE *stream);

#endif
