#include "record/table.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "record/output.h"
#include "scene/text.h"

#define FILE_LIMIT ((size_t)4 << 30) // bytes

typedef struct csv_scanner {
    const char *name;
    const char *at, *end;
    int line;
    sn_text field; // the field last read, quotes removed
    bool ends_row; // it was the last of its row
} csv_scanner;

static sn_status csv_fail(const csv_scanner *scanner, sn_error *error, const char *text)
{
    char place[300];
    snprintf(place, sizeof place, "%s:%d", scanner->name, scanner->line);
    return sn_fail(error, SN_ERROR_SYNTAX, place, "%s", text);
}

// The inside of a quoted field, up to its closing quote.
static sn_status scan_quoted(csv_scanner *scanner, sn_error *error)
{
    for (scanner->at += 1; scanner->at < scanner->end; ++scanner->at) {
        if (*scanner->at == '"') {
            scanner->at += 1;
            if (scanner->at == scanner->end || *scanner->at != '"') {
                return SN_OK;
            }
        }
        scanner->line += *scanner->at == '\n';
        sn_text_add_bytes(&scanner->field, scanner->at, 1);
    }
    return csv_fail(scanner, error, "a quoted field is not closed, expected \"");
}

static bool ends_field(char c)
{
    return c == ',' || c == '\n' || c == '\r' || c == '\0';
}

static sn_status scan_field(csv_scanner *scanner, sn_error *error)
{
    scanner->field.length = 0;
    sn_text_add(&scanner->field, "");
    sn_status status = SN_OK;
    if (scanner->at < scanner->end && *scanner->at == '"') {
        status = scan_quoted(scanner, error);
    } else {
        const char *from = scanner->at;
        while (scanner->at < scanner->end && !ends_field(*scanner->at)) {
            scanner->at += 1;
        }
        sn_text_add_bytes(&scanner->field, from, (size_t)(scanner->at - from));
    }
    if (status != SN_OK) {
        return status;
    }
    if (scanner->field.failed) {
        return sn_fail_memory(error, scanner->field.length);
    }
    if (memchr(scanner->field.data, '\0', scanner->field.length) != NULL) {
        return csv_fail(scanner, error, "a zero byte, expected text");
    }
    scanner->ends_row = scanner->at == scanner->end || *scanner->at != ',';
    if (scanner->at < scanner->end && *scanner->at == '\r') {
        scanner->at += 1;
    }
    if (scanner->at == scanner->end) {
        return SN_OK;
    }
    if (*scanner->at != '\n' && *scanner->at != ',') {
        return csv_fail(scanner, error,
                        "something follows a field, expected a comma or a new line");
    }
    scanner->at += 1;
    return SN_OK;
}

static char *copy_part(const char *text, size_t length)
{
    char *copy = sn_allocate(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

// "height[m]" -> "height" and "m".
static bool name_column(sn_table_column *column, const char *name)
{
    size_t length = strlen(name);
    const char *open = strrchr(name, '[');
    bool has_unit = open != NULL && open > name && name[length - 1] == ']';
    column->name = sn_copy_text(name);
    column->label = copy_part(name, has_unit ? (size_t)(open - name) : length);
    column->unit =
        has_unit ? copy_part(open + 1, (size_t)(name + length - 1 - (open + 1))) : sn_copy_text("");
    return column->name && column->label && column->unit;
}

static sn_status read_names(csv_scanner *scanner, sn_table *table, sn_error *error)
{
    SN_ARRAY(sn_table_column) columns = {0};
    sn_status status = SN_OK;
    do {
        status = scan_field(scanner, error);
        if (status == SN_OK) {
            sn_table_column column = {0};
            if (!sn_array_push(&columns, column) ||
                !name_column(&columns.data[columns.count - 1], scanner->field.data)) {
                status = sn_fail_memory(error, sizeof column);
            }
        }
    } while (status == SN_OK && !scanner->ends_row);
    table->columns = columns.data;
    table->count = columns.count;
    scanner->line += 1;
    return status;
}

static bool read_number(const char *text, double *value)
{
    while (*text == ' ' || *text == '+') {
        text += 1;
    }
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        length -= 1;
    }
    if (length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9') {
        return sn_number_from_text(text, length, 0, value);
    }
    static const struct {
        const char *word;
        double value;
    } words[] = {
        {"", NAN},         {"nan", NAN},           {"NaN", NAN},        {"-nan", NAN},
        {"inf", INFINITY}, {"Infinity", INFINITY}, {"-inf", -INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, text, length) == 0) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

static sn_status read_row(csv_scanner *scanner, const sn_table *table, double *row, sn_error *error)
{
    for (int i = 0; i < table->count; ++i) {
        sn_status status = scan_field(scanner, error);
        if (status != SN_OK) {
            return status;
        }
        char text[160];
        if (!read_number(scanner->field.data, &row[i])) {
            snprintf(text, sizeof text, "column '%.40s' has '%.40s', expected a number",
                     table->columns[i].name, scanner->field.data);
            return csv_fail(scanner, error, text);
        }
        if (scanner->ends_row != (i + 1 == table->count)) {
            snprintf(text, sizeof text, "the row has too %s fields, expected %d",
                     scanner->ends_row ? "few" : "many", table->count);
            return csv_fail(scanner, error, text);
        }
    }
    scanner->line += 1;
    return SN_OK;
}

static bool at_blank_line(csv_scanner *scanner)
{
    const char *at = scanner->at;
    at += at < scanner->end && *at == '\r';
    if (at < scanner->end && *at == '\n') {
        scanner->at = at + 1;
        scanner->line += 1;
        return true;
    }
    return false;
}

// Room for twice as many rows in every column.
static sn_status grow_columns(sn_table *table, int *capacity, sn_error *error)
{
    int wanted = *capacity ? 2 * *capacity : 64;
    size_t bytes = sizeof(double) * (size_t)wanted;
    for (int i = 0; i < table->count; ++i) {
        double *grown = sn_reallocate(table->columns[i].values, bytes);
        if (grown == NULL) {
            return sn_fail_memory(error, bytes);
        }
        table->columns[i].values = grown;
    }
    *capacity = wanted;
    return SN_OK;
}

static sn_status read_rows(csv_scanner *scanner, sn_table *table, sn_error *error)
{
    double *row = sn_allocate(sizeof(double) * (size_t)table->count);
    if (row == NULL) {
        return sn_fail_memory(error, sizeof(double) * (size_t)table->count);
    }
    int capacity = 0;
    sn_status status = SN_OK;
    while (status == SN_OK && scanner->at < scanner->end) {
        if (table->count > 1 && at_blank_line(scanner)) {
            continue;
        }
        if (table->rows == capacity) {
            status = capacity > INT_MAX / 2 ? csv_fail(scanner, error, "too many rows")
                                            : grow_columns(table, &capacity, error);
        }
        status = status == SN_OK ? read_row(scanner, table, row, error) : status;
        for (int i = 0; i < table->count && status == SN_OK; ++i) {
            table->columns[i].values[table->rows] = row[i];
        }
        table->rows += status == SN_OK;
    }
    sn_free(row);
    return status;
}

sn_status sn_table_parse(const char *name, const char *text, size_t length, sn_table *table,
                         sn_error *error)
{
    *table = (sn_table){0};
    csv_scanner scanner = {.name = name, .at = text, .end = text + length, .line = 1};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        scanner.at += 3; // a byte order mark, as spreadsheets like to write it
    }
    sn_status status = SN_OK;
    if (scanner.at == scanner.end) {
        status = csv_fail(&scanner, error, "the file is empty, expected a row of column names");
    }
    status = status == SN_OK ? read_names(&scanner, table, error) : status;
    status = status == SN_OK ? read_rows(&scanner, table, error) : status;
    sn_text_free(&scanner.field);
    if (status != SN_OK) {
        sn_table_free(table);
    }
    return status;
}

sn_status sn_table_read(const char *path, sn_table *table, sn_error *error)
{
    *table = (sn_table){0};
    sn_bytes bytes = {0};
    sn_status status = sn_input_file(path, FILE_LIMIT, &bytes, error);
    if (status == SN_OK) {
        status = sn_table_parse(path, (const char *)bytes.data, bytes.count, table, error);
    }
    sn_bytes_free(&bytes);
    return status;
}

void sn_table_free(sn_table *table)
{
    for (int i = 0; i < table->count; ++i) {
        sn_free(table->columns[i].name);
        sn_free(table->columns[i].label);
        sn_free(table->columns[i].unit);
        sn_free(table->columns[i].values);
    }
    sn_free(table->columns);
    *table = (sn_table){0};
}

int sn_table_find(const sn_table *table, const char *name)
{
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->columns[i].name, name) == 0) {
            return i;
        }
    }
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->columns[i].label, name) == 0) {
            return i;
        }
    }
    return -1;
}
