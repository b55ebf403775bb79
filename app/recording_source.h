// Telling recordings from scenes on the command line.
#ifndef SN_APP_RECORDING_SOURCE_H
#define SN_APP_RECORDING_SOURCE_H

#include "options.h"
#include "sinew/record.h"

// True when the operand is a file that begins as a recording does, or a run's folder with one in
// it.
bool sn_operand_is_recording(const char *operand);

// Opens it, or tells stderr why not. A folder stands for the recording.snrec inside.
int sn_recording_load(const sn_arguments *arguments, const char *operand, sn_recording **recording);

#endif
