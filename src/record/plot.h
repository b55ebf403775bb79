// Plots of tables that are in memory already; see sinew/record.h for those of CSV files.
#ifndef SN_RECORD_PLOT_H
#define SN_RECORD_PLOT_H

#include "record/table.h"
#include "sinew/record.h"

// The definition's csv_path only names the table in errors.
SN_API sn_status sn_plot_table(const sn_plot_def *def, const sn_table *table, sn_error *error);

// Energies as plots show them: in a table with kinetic[J] and total[J], potential[J] counts from
// its first row, and total[J] with it; round-off is zero.
SN_API void sn_plot_settle_energy(sn_table *table);

#endif
