// CSV files: what is written reads back to the bit, and what is wrong in a file is named with its
// line.
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/output.h"
#include "record/table.h"
#include "sinew/record.h"

static char path[64];

static sn_bytes file_content(void)
{
    sn_bytes bytes = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &bytes, NULL), SN_OK);
    return bytes;
}

static bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// Any double, from random bits, survives the way through the file.
static void test_round_trip(void **unused)
{
    (void)unused;
    static const char *const columns[] = {"time[s]", "a, \"quoted\"\nname[m/s]", "plain"};
    sn_csv *csv = NULL;
    assert_int_equal(sn_csv_open(path, columns, 3, &csv, NULL), SN_OK);
    enum { ROWS = 5000 };
    static double values[ROWS][3];
    uint64_t seed = 11;
    const double special[] = {
        0.0, -0.0, NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308, 0.1, 1.0 / 3.0};
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < 3; ++k) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t bits = seed ^ seed >> 29;
            memcpy(&values[i][k], &bits, sizeof bits);
            values[i][k] = i < 9 ? special[(i + k) % 9] : values[i][k];
        }
        assert_int_equal(sn_csv_row(csv, values[i], NULL), SN_OK);
    }
    assert_int_equal(sn_csv_close(csv, NULL), SN_OK);

    sn_table table;
    assert_int_equal(sn_table_read(path, &table, NULL), SN_OK);
    assert_int_equal(table.count, 3);
    assert_int_equal(table.rows, ROWS);
    assert_string_equal(table.columns[1].name, columns[1]);
    assert_string_equal(table.columns[1].label, "a, \"quoted\"\nname");
    assert_string_equal(table.columns[1].unit, "m/s");
    assert_string_equal(table.columns[2].unit, "");
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_true(same_bits(table.columns[k].values[i], values[i][k]));
        }
    }
    assert_int_equal(sn_table_find(&table, "time"), 0);
    assert_int_equal(sn_table_find(&table, "time[s]"), 0);
    assert_int_equal(sn_table_find(&table, "tim"), -1);
    sn_table_free(&table);
}

static void write_one(const double *values)
{
    static const char *const columns[] = {"time[s]", "say \"hi\", you"};
    sn_csv *csv = NULL;
    assert_int_equal(sn_csv_open(path, columns, 2, &csv, NULL), SN_OK);
    assert_int_equal(sn_csv_row(csv, values, NULL), SN_OK);
    assert_int_equal(sn_csv_close(csv, NULL), SN_OK);
}

// The text itself: shortest numbers, RFC 4180 quotes.
static void test_text(void **unused)
{
    (void)unused;
    write_one((double[]){0.1, -1e-7});
    sn_bytes bytes = file_content();
    assert_string_equal((char *)bytes.data, "time[s],\"say \"\"hi\"\", you\"\n0.1,-1e-07\n");
    // A locale with a decimal comma changes nothing. Not every machine has one; then this says
    // little.
    setlocale(LC_ALL, "de_DE.UTF-8");
    write_one((double[]){0.1, -1e-7});
    setlocale(LC_ALL, "C");
    sn_bytes again = file_content();
    assert_string_equal((char *)bytes.data, (char *)again.data);
    sn_bytes_free(&bytes);
    sn_bytes_free(&again);
}

static sn_status parse(const char *text, sn_table *table, sn_error *error)
{
    return sn_table_parse("t.csv", text, strlen(text), table, error);
}

static void test_reader_forgives(void **unused)
{
    (void)unused;
    sn_table table;
    assert_int_equal(parse("\xEF\xBB\xBFt[s],x\r\n 1 ,+2\r\n\r\n3,\r\n", &table, NULL), SN_OK);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table.columns[0].label, "t");
    assert_true(table.columns[0].values[0] == 1.0 && table.columns[1].values[0] == 2.0);
    assert_true(table.columns[0].values[1] == 3.0 && isnan(table.columns[1].values[1]));
    sn_table_free(&table);
    assert_int_equal(parse("t,\"x\"\n1,\"2.5\"", &table, NULL), SN_OK); // no last line end
    assert_true(table.rows == 1 && table.columns[1].values[0] == 2.5);
    sn_table_free(&table);
    assert_int_equal(parse("only\n", &table, NULL), SN_OK);
    assert_true(table.rows == 0 && table.count == 1);
    sn_table_free(&table);
    assert_int_equal(parse("[m],a[b\n1,2\n", &table, NULL), SN_OK); // brackets that are no unit
    assert_string_equal(table.columns[0].label, "[m]");
    assert_string_equal(table.columns[1].label, "a[b");
    sn_table_free(&table);
}

static void check_refused(const char *text, const char *message)
{
    sn_table table;
    sn_error error = {0};
    assert_int_equal(parse(text, &table, &error), SN_ERROR_SYNTAX);
    assert_string_equal(sn_error_message(&error), message);
    assert_null(table.columns);
}

static void test_reader_refuses(void **unused)
{
    (void)unused;
    check_refused("", "t.csv:1: the file is empty, expected a row of column names");
    check_refused("a,b\n1,2\n3\n", "t.csv:3: the row has too few fields, expected 2");
    check_refused("a,b\n1,2,3\n", "t.csv:2: the row has too many fields, expected 2");
    check_refused("a,b\n1,two\n", "t.csv:2: column 'b' has 'two', expected a number");
    check_refused("a,b\n1,0x10\n", "t.csv:2: column 'b' has '0x10', expected a number");
    check_refused("a,\"b\n1,2\n", "t.csv:3: a quoted field is not closed, expected \"");
    check_refused("a,\"b\"c\n1,2\n",
                  "t.csv:1: something follows a field, expected a comma or a new line");
    sn_table table;
    sn_error error = {0};
    assert_int_equal(sn_table_parse("t.csv", "a,b\n1,\0\n", 8, &table, &error), SN_ERROR_SYNTAX);
}

// Random damage to a sound text: any answer is fine but a crash, and none may leak.
static void test_reader_survives(void **unused)
{
    (void)unused;
    const char sound[] = "time[s],\"a \"\"b\"\"\"[m],c\n0,1.5,nan\n1,-2e300,inf\r\n2,,\"3\"\n";
    uint64_t seed = 5;
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        char *text = malloc(sizeof sound - 1);
        memcpy(text, sound, sizeof sound - 1);
        for (int k = 0; k < 2; ++k) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            text[(seed >> 33) % (sizeof sound - 1)] = "\",\n\r0-.e\0x[]"[(seed >> 50) % 12];
        }
        sn_table table;
        read += sn_table_parse("t", text, sizeof sound - 1, &table, NULL) == SN_OK;
        sn_table_free(&table);
        free(text);
    }
    assert_true(read > 0 && read < 20000);
}

static void test_failures(void **unused)
{
    (void)unused;
    static const char *const columns[] = {"x"};
    sn_csv *csv = NULL;
    sn_error error = {0};
    assert_int_equal(sn_csv_open("/dev/full", columns, 1, &csv, NULL), SN_OK);
    sn_status status = SN_OK;
    for (int i = 0; i < 200000 && status == SN_OK; ++i) {
        status = sn_csv_row(csv, (double[]){i}, &error);
    }
    assert_int_equal(status, SN_ERROR_FILE); // once the buffer had to go out
    assert_int_equal(sn_csv_row(csv, (double[]){1}, &error), SN_ERROR_FILE);
    memset(&error, 0, sizeof error);
    assert_int_equal(sn_csv_close(csv, &error), SN_ERROR_FILE);
    assert_string_equal(sn_error_message(&error),
                        "/dev/full: cannot write: No space left on device");
    // A file so short that it only fails at the end.
    assert_int_equal(sn_csv_open("/dev/full", columns, 1, &csv, NULL), SN_OK);
    assert_int_equal(sn_csv_close(csv, &error), SN_ERROR_FILE);
    assert_int_equal(sn_csv_open("/nowhere/x.csv", columns, 1, &csv, &error), SN_ERROR_FILE);
    assert_null(csv);
    assert_int_equal(sn_csv_open(path, columns, 0, &csv, &error), SN_ERROR_ARGUMENT);
}

static sn_status write_and_read(sn_error *error)
{
    static const char *const columns[] = {"a[m]", "b"};
    sn_csv *csv = NULL;
    sn_status status = sn_csv_open(path, columns, 2, &csv, error);
    for (int i = 0; i < 100 && status == SN_OK; ++i) {
        status = sn_csv_row(csv, (double[]){i, 2 * i}, error);
    }
    sn_status closed = sn_csv_close(csv, status == SN_OK ? error : NULL);
    status = status == SN_OK ? closed : status;
    sn_table table = {0};
    status = status == SN_OK ? sn_table_read(path, &table, error) : status;
    assert_true(status != SN_OK || table.rows == 100);
    sn_table_free(&table);
    return status;
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        sn_error error = {0};
        sn_allocation_fail_after(tries);
        status = write_and_read(&error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
    }
    assert_true(tries > 10);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/sinew-csv-XXXXXX");
    int descriptor = mkstemp(path);
    if (descriptor < 0) {
        return 1;
    }
    close(descriptor);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_text),
        cmocka_unit_test(test_reader_forgives), cmocka_unit_test(test_reader_refuses),
        cmocka_unit_test(test_reader_survives), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_out_of_memory),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failures;
}
