// The JSON reader: values, places, and a clear refusal of everything else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "scene/json.h"
#include "scene/text.h"

static sn_json *parse(const char *text)
{
    sn_json *json = NULL;
    sn_error error = {0};
    sn_status status = sn_json_parse("t", text, strlen(text), &json, &error);
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(&error));
    }
    assert_int_equal(status, SN_OK);
    return json;
}

static void refuse_bytes(const char *text, size_t length, const char *message)
{
    sn_json *json = NULL;
    sn_error error = {0};
    assert_int_equal(sn_json_parse("t", text, length, &json, &error), SN_ERROR_SYNTAX);
    assert_null(json);
    const char *got = sn_error_message(&error);
    if (strncmp(got, message, strlen(message)) != 0) {
        print_error("for: %.60s\n got: %s\nwant: %s\n", text, got, message);
    }
    assert_int_equal(strncmp(got, message, strlen(message)), 0);
}

static void refuse(const char *text, const char *message)
{
    refuse_bytes(text, strlen(text), message);
}

static int find(const sn_json *json, int object, const char *name)
{
    for (int key = sn_json_first(json, object); key >= 0; key = sn_json_next(json, key)) {
        if (sn_json_is(json, key, name)) {
            return key + 1;
        }
    }
    return -1;
}

static void reads_values(void **state)
{
    (void)state;
    sn_json *json =
        parse("// a scene\n{\"a\": [1, -2.5e-3, {\"x\": null},], /* two\nlines */ \"b\" : "
              "{}, \"c\": \"\", \"d\": true,}\n// end");
    assert_int_equal(json->nodes[0].type, SN_JSON_OBJECT);
    assert_int_equal(json->nodes[0].size, 4);
    int a = find(json, 0, "a");
    assert_int_equal(json->nodes[a].type, SN_JSON_ARRAY);
    assert_int_equal(json->nodes[a].size, 3);
    double value;
    int element = sn_json_first(json, a);
    assert_true(sn_json_number(json, element, &value) && value == 1.0);
    element = sn_json_next(json, element);
    assert_true(sn_json_number(json, element, &value) && value == -2.5e-3);
    element = sn_json_next(json, element);
    assert_int_equal(json->nodes[element].type, SN_JSON_OBJECT);
    assert_int_equal(json->nodes[find(json, element, "x")].type, SN_JSON_NULL);
    assert_int_equal(sn_json_next(json, element), -1);
    assert_int_equal(sn_json_first(json, find(json, 0, "b")), -1);
    assert_true(sn_json_is(json, find(json, 0, "c"), ""));
    assert_true(sn_json_boolean(json, find(json, 0, "d")));
    int line, column;
    sn_json_node_place(json, find(json, 0, "b"), &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 16);
    sn_json_destroy(json);
}

static void columns_count_characters(void **state)
{
    (void)state;
    // é and the emoji are one character each.
    sn_json *json = parse("\xef\xbb\xbf{\"é\": \"\xf0\x9f\x98\x80\", /* ü */ \"x\": 5}");
    int line, column;
    sn_json_node_place(json, find(json, 0, "x"), &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 26);
    sn_json_destroy(json);

    // Places far into a single long line agree with counting from its start.
    sn_text text = {0};
    sn_text_add(&text, "{\"list\": [");
    for (int i = 0; i < 3000; ++i) {
        sn_text_add(&text, i % 7 == 0 ? "\"ö\"," : "12,");
    }
    sn_text_add(&text, "]}");
    json = parse(text.data);
    int at = find(json, 0, "list"), expected = 11;
    int index = 0;
    for (int e = sn_json_first(json, at); e >= 0; e = sn_json_next(json, e), ++index) {
        sn_json_node_place(json, e, &line, &column);
        assert_int_equal(column, expected);
        expected += index % 7 == 0 ? 4 : 3;
    }
    assert_int_equal(index, 3000);
    sn_json_destroy(json);
    sn_text_free(&text);
}

static void decodes_strings(void **state)
{
    (void)state;
    sn_json *json =
        parse("{\"s\": \"a\\n\\t\\\"\\\\\\/\\u00e9\\u20ac\\ud83d\\ude00z\", \"\\u0061\": 1}");
    char buffer[64];
    size_t length = sn_json_string(json, find(json, 0, "s"), buffer);
    assert_string_equal(buffer, "a\n\t\"\\/é€\xf0\x9f\x98\x80z");
    assert_int_equal(length, strlen(buffer));
    assert_true(find(json, 0, "a") > 0);
    sn_json_destroy(json);
}

static void refuses_with_place(void **state)
{
    (void)state;
    refuse("", "t:1:1: the text is empty, expected '{'");
    refuse("  \n// only a comment\n", "t:3:1: the text is empty");
    refuse("[1]", "t:1:1: expected '{' to start the scene, found '['");
    refuse("5", "t:1:1: expected '{' to start the scene, found '5'");
    refuse("{", "t:1:2: the text ends, but the '{' at 1:1 is not closed; expected a key or '}'");
    refuse("{\"a\"", "t:1:5: the text ends, but the '{' at 1:1 is not closed; expected ':'");
    refuse("{\"a\":", "t:1:6: the text ends");
    refuse("{\"a\": [1, 2", "t:1:12: the text ends, but the '[' at 1:7 is not closed");
    refuse("{\"a\": 1} {", "t:1:10: expected nothing after the scene's closing '}', found '{'");
    refuse("{\"a\": 1 \"b\": 2}", "t:1:9: expected ',' or '}', found '\"'");
    refuse("{\"a\": [1 2]}", "t:1:10: expected ',' or ']', found '2'");
    refuse("{\"a\": [1}", "t:1:9: expected ',' or ']', found '}'");
    refuse("{\"a\": [,]}", "t:1:8: expected a value or ']', found ','");
    refuse("{\"a\": [1,,2]}", "t:1:10: expected a value or ']', found ','");
    refuse("{,}", "t:1:2: expected a key in double quotes or '}', found ','");
    refuse("{a: 1}", "t:1:2: expected a key in double quotes or '}', found 'a'");
    refuse("{\"a\" 1}", "t:1:6: expected ':' after the key, found '1'");
    refuse("{\"a\": }", "t:1:7: expected a value, found '}'");
    refuse("{\"a\": 'x'}", "t:1:7: expected a string in double quotes, found '''");
    refuse("{\"a\": \"x\n\"}", "t:1:7: this string is not closed on its line");
    refuse("{\"a\": \"x", "t:1:7: this string is not closed");
    refuse("{\"a\": \"\\x\"}", "t:1:8: unknown escape");
    refuse("{\"a\": \"\\u12g4\"}", "t:1:8: expected four hexadecimal digits");
    refuse("{\"a\": \"\\ud800\"}", "t:1:8: half of a surrogate pair");
    refuse("{\"a\": \"\\udc00\\ud800\"}", "t:1:8: half of a surrogate pair");
    refuse("{\"a\": \"\\u0000\"}", "t:1:8: \\u0000 cannot be part of a text");
    refuse("{\"a\": \"\t\"}", "t:1:8: control character 0x09 in a string");
    refuse("{ / }", "t:1:3: expected // or /* to start a comment");
    refuse("{ /* }", "t:1:3: this comment is not closed");
    refuse("{\"a\": nul}", "t:1:7: expected a value, found 'nul'");
    refuse("{\"a\": True}", "t:1:7: expected a value, found 'True'; did you mean true?");
}

static void refuses_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"01",  "+1",   ".5",    "1.",  "-",    "1e+",
                                      "--1", "0x10", "1_000", "5mm", "1.e5", "-.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[64];
        snprintf(text, sizeof text, "{\"a\": %s}", bad[i]);
        refuse(text, "t:1:7: expected a number such as -1.5e-3");
    }
    static const char *const words[] = {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        char text[64], message[64];
        snprintf(text, sizeof text, "{\"a\": %s}", words[i]);
        snprintf(message, sizeof message, "t:1:7: %s is not a number a scene can hold", words[i]);
        refuse(text, message);
    }
    sn_json *json = parse("{\"a\": [1e999, -1e400, 1e-999, 1e308]}");
    double value;
    int node = sn_json_first(json, find(json, 0, "a"));
    assert_false(sn_json_number(json, node, &value));
    node = sn_json_next(json, node);
    assert_false(sn_json_number(json, node, &value));
    node = sn_json_next(json, node);
    assert_true(sn_json_number(json, node, &value) && value == 0.0);
    node = sn_json_next(json, node);
    assert_true(sn_json_number(json, node, &value) && value == 1e308);
    sn_json_destroy(json);

    char *longest = malloc(SN_NUMBER_LENGTH_LIMIT + 32);
    assert_non_null(longest);
    size_t at = (size_t)sprintf(longest, "{\"a\": ");
    memset(longest + at, '1', SN_NUMBER_LENGTH_LIMIT + 1);
    memcpy(longest + at + SN_NUMBER_LENGTH_LIMIT + 1, "}", 2);
    refuse(longest, "t:1:7: a number of 1001 characters, expected at most 1000");
    free(longest);
}

static void refuses_bytes(void **state)
{
    (void)state;
    refuse_bytes("{\"a\0\": 1}", 10, "t:1:4: a zero byte: this looks like a binary file");
    refuse("{\"a\": \"\xff\"}", "t:1:8: byte 0xff is not valid UTF-8");
    refuse("{\"a\": \"\xc0\xaf\"}", "t:1:8: byte 0xc0 is not valid UTF-8");         // overlong
    refuse("{\"a\": \"\xed\xa0\x80\"}", "t:1:8: byte 0xed is not valid UTF-8");     // surrogate
    refuse("{\"a\": \"\xf4\x90\x80\x80\"}", "t:1:8: byte 0xf4 is not valid UTF-8"); // > 10FFFF
    refuse("{ // \xe2\x82\n}", "t:1:6: byte 0xe2 is not valid UTF-8");
    refuse_bytes("\xff\xfe{\0", 4, "t:1:1: this file is UTF-16");
    refuse_bytes("\x7f"
                 "ELF\1\1\0\0",
                 8, "t:1:7: a zero byte");
}

static void refuses_duplicates(void **state)
{
    (void)state;
    refuse("{\"a\": 1,\n \"b\": 2, \"a\": 3}",
           "t:2:10: the key \"a\" stands here again, first at 1:2; expected it once");
    refuse("{\"o\": {\"k\": 1, \"\\u006b\": 3}}",
           "t:1:16: the key \"k\" stands here again, first at 1:8");
    // The same key in different objects is fine; many keys take linear time.
    sn_text text = {0};
    sn_text_add(&text, "{\"x\": {\"x\": 1}");
    for (int i = 0; i < 50000; ++i) {
        sn_text_format(&text, ", \"key%d\": %d", i, i);
    }
    sn_text_add(&text, ",}");
    sn_json *json = parse(text.data);
    assert_int_equal(json->nodes[0].size, 50001);
    sn_json_destroy(json);
    text.length -= 2;
    sn_text_add(&text, ", \"key77\": 0}");
    sn_error error = {0};
    assert_int_equal(sn_json_parse("t", text.data, text.length, &json, &error), SN_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, "\"key77\" stands here again"));
    sn_text_free(&text);
}

static void limits_depth_and_size(void **state)
{
    (void)state;
    for (int depth = SN_JSON_DEPTH_LIMIT - 1; depth <= SN_JSON_DEPTH_LIMIT; ++depth) {
        sn_text text = {0};
        sn_text_add(&text, "{\"a\":");
        for (int i = 0; i < depth; ++i) {
            sn_text_add(&text, "[");
        }
        for (int i = 0; i < depth; ++i) {
            sn_text_add(&text, "]");
        }
        sn_text_add(&text, "}");
        if (depth < SN_JSON_DEPTH_LIMIT) {
            sn_json_destroy(parse(text.data));
        } else {
            refuse(text.data, "t:1:2105: nested more than 2100 deep");
        }
        sn_text_free(&text);
    }
    sn_error error = {0};
    sn_json *json;
    assert_int_equal(sn_json_parse("t", "", (size_t)257 << 20, &json, &error), SN_ERROR_SYNTAX);
    assert_non_null(strstr(sn_error_message(&error), "t: 257 MB of text, expected at most 256 MB"));

    // A million opening brackets fail at the 2101st, not on the stack.
    size_t many = 1000000;
    char *brackets = malloc(many);
    assert_non_null(brackets);
    memset(brackets, '[', many);
    memcpy(brackets, "{\"a\":", 5);
    assert_int_equal(sn_json_parse("t", brackets, many, &json, &error), SN_ERROR_SYNTAX);
    // More values than the limit.
    size_t wide = 2 * (SN_JSON_VALUE_LIMIT + 4);
    brackets = realloc(brackets, wide);
    assert_non_null(brackets);
    for (size_t i = 0; i < wide; i += 2) {
        memcpy(brackets + i, "1,", 2);
    }
    memcpy(brackets, "{\"a\":[", 6);
    assert_int_equal(sn_json_parse("t", brackets, wide, &json, &error), SN_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, "more than 8000000 keys and values"));
    free(brackets);
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    const char *text = "{\"a\": [1, 2, {\"b\": \"c\", \"d\": 4}], \"e\": {\"f\": 5, \"g\": 6}}";
    int n = 0;
    for (;; ++n) {
        sn_json *json = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_json_parse("t", text, strlen(text), &json, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_json_destroy(json);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(json);
    }
    assert_in_range(n, 4, 20);
}

static void numbers_round_trip(void **state)
{
    (void)state;
    char text[32];
    static const double values[] = {
        0.0, -0.0, 1.0, 0.1, 1e23, 5e-324, 1.7976931348623157e308, 123456789012345680.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        double back;
        sn_number_to_text(values[i], text);
        assert_true(sn_number_from_text(text, strlen(text), 0, &back));
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    sn_number_to_text(0.1, text);
    assert_string_equal(text, "0.1");
    uint64_t seed = 1;
    for (int i = 0; i < 20000; ++i) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double value, back;
        memcpy(&value, &seed, sizeof value);
        if (value - value != 0.0) {
            continue;
        }
        sn_number_to_text(value, text);
        assert_true(sn_number_from_text(text, strlen(text), 0, &back));
        assert_memory_equal(&back, &value, sizeof back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_values),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(decodes_strings),
        cmocka_unit_test(refuses_with_place),
        cmocka_unit_test(refuses_numbers),
        cmocka_unit_test(refuses_bytes),
        cmocka_unit_test(refuses_duplicates),
        cmocka_unit_test(limits_depth_and_size),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(numbers_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
