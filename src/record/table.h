// A CSV file of numbers, read into columns.
//
//     sn_table table = {0};
//     sn_table_read("energy.csv", &table, error);
//     int column = sn_table_find(&table, "total"); // "total[J]" is found by either name
//     double last = table.columns[column].values[table.rows - 1];
//     sn_table_free(&table);
//
// RFC 4180 with LF or CRLF; the first row names the columns "name[unit]". Empty fields and "nan"
// are NaN. A row with a field too many or too few, or a field that is no number, is refused with
// its line.
#ifndef SN_RECORD_TABLE_H
#define SN_RECORD_TABLE_H

#include "sinew/base.h"

typedef struct sn_table_column {
    char *name;     // as in the file
    char *label;    // without the unit
    char *unit;     // "" when there is none
    double *values; // rows
} sn_table_column;

typedef struct sn_table {
    sn_table_column *columns;
    int count;
    int rows;
} sn_table;

SN_API sn_status sn_table_read(const char *path, sn_table *table, sn_error *error);
SN_API sn_status sn_table_parse(const char *name, const char *text, size_t length, sn_table *table,
                                sn_error *error);
SN_API void sn_table_free(sn_table *table);

// By the whole name, else by the label; -1 when there is none.
SN_API int sn_table_find(const sn_table *table, const char *name);

#endif
