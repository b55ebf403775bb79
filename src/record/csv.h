// CSV into memory, and the columns of every energy.csv; see sinew/record.h for files.
#ifndef SN_RECORD_CSV_H
#define SN_RECORD_CSV_H

#include "record/bytes.h"
#include "sinew/record.h"

// The sink must stay until sn_csv_close.
SN_API sn_status sn_csv_open_memory(sn_bytes *sink, const char *const *columns, int count,
                                    sn_csv **csv, sn_error *error);

enum { SN_ENERGY_COLUMNS = 10 };
extern SN_API const char *const sn_energy_columns[SN_ENERGY_COLUMNS];

#endif
