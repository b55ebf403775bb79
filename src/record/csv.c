#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/csv.h"
#include "record/output.h"
#include "scene/text.h"
#include "sinew/record.h"

const char *const sn_energy_columns[SN_ENERGY_COLUMNS] = {
    "time[s]",
    "kinetic[J]",
    "potential[J]",
    "total[J]",
    "momentum.x[kg m/s]",
    "momentum.y[kg m/s]",
    "momentum.z[kg m/s]",
    "angular_momentum.x[kg m^2/s]",
    "angular_momentum.y[kg m^2/s]",
    "angular_momentum.z[kg m^2/s]",
};

struct sn_csv {
    sn_output output;
    sn_text row;
    int columns;
};

// RFC 4180: a field with commas, quotes or line ends stands in quotes, its own quotes doubled.
static void add_field(sn_text *row, const char *field)
{
    if (strpbrk(field, ",\"\r\n") == NULL) {
        sn_text_add(row, field);
        return;
    }
    sn_text_add(row, "\"");
    for (const char *c = field; *c != '\0'; ++c) {
        sn_text_add_bytes(row, "\"\"", *c == '"');
        sn_text_add_bytes(row, c, 1);
    }
    sn_text_add(row, "\"");
}

static void add_number(sn_text *row, double value)
{
    if (isnan(value)) {
        sn_text_add(row, "nan");
    } else if (isinf(value)) {
        sn_text_add(row, value > 0.0 ? "inf" : "-inf");
    } else {
        sn_text_number(row, value);
    }
}

// Ends the row and hands it over: only whole rows reach the file.
static sn_status put_row(sn_csv *csv, sn_error *error)
{
    sn_text_add(&csv->row, "\n");
    if (csv->row.failed) {
        sn_text_free(&csv->row);
        return sn_fail_memory(error, 64);
    }
    sn_status status = sn_output_put(&csv->output, csv->row.data, csv->row.length, error);
    csv->row.length = 0;
    if (status == SN_OK && sn_output_due(&csv->output)) {
        status = sn_output_flush(&csv->output, error);
    }
    return status;
}

// Into a file, or where `path` is NULL into memory.
static sn_status open_csv(const char *path, sn_bytes *sink, const char *const *columns, int count,
                          sn_csv **csv, sn_error *error)
{
    *csv = NULL;
    if ((path == NULL && sink == NULL) || count < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, path, "a CSV file needs a path and a column");
    }
    sn_csv *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->columns = count;
    sn_status status = path != NULL ? sn_output_open(&made->output, path, error)
                                    : sn_output_open_memory(&made->output, sink, error);
    if (status == SN_OK) {
        for (int i = 0; i < count; ++i) {
            sn_text_add(&made->row, i > 0 ? "," : "");
            add_field(&made->row, columns[i]);
        }
        status = put_row(made, error);
    }
    if (status != SN_OK) {
        sn_csv_close(made, NULL);
        return status;
    }
    *csv = made;
    return SN_OK;
}

sn_status sn_csv_open(const char *path, const char *const *columns, int count, sn_csv **csv,
                      sn_error *error)
{
    return open_csv(path, NULL, columns, count, csv, error);
}

sn_status sn_csv_open_memory(sn_bytes *sink, const char *const *columns, int count, sn_csv **csv,
                             sn_error *error)
{
    return open_csv(NULL, sink, columns, count, csv, error);
}

sn_status sn_csv_row(sn_csv *csv, const double *values, sn_error *error)
{
    for (int i = 0; i < csv->columns; ++i) {
        sn_text_add(&csv->row, i > 0 ? "," : "");
        add_number(&csv->row, values[i]);
    }
    return put_row(csv, error);
}

sn_status sn_csv_close(sn_csv *csv, sn_error *error)
{
    if (csv == NULL) {
        return SN_OK;
    }
    sn_status status = sn_output_close(&csv->output, false, error);
    sn_text_free(&csv->row);
    sn_free(csv);
    return status;
}
