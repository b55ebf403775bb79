// The generated files in the repository are what the table says today. SINEW_UPDATE=1 writes them
// anew. Where python3-jsonschema is installed, an independent validator must accept every shipped
// scene and refuse known bad ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "scene/json.h"
#include "scene/path.h"
#include "scene/table.h"
#include "sinew/scene.h"

static void compare(const char *path, sn_status (*generate)(char **, size_t *, sn_error *))
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(generate(&text, &length, NULL), SN_OK);
    assert_int_equal(strlen(text), length);
    if (getenv("SINEW_UPDATE") != NULL) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, length, file), length);
        assert_int_equal(fclose(file), 0);
    }
    char *committed = NULL;
    size_t committed_length = 0;
    assert_int_equal(sn_path_read(path, 1 << 24, &committed, &committed_length, NULL), SN_OK);
    if (length != committed_length || memcmp(text, committed, length) != 0) {
        print_error("%s differs from the table: run the schema test with SINEW_UPDATE=1\n", path);
    }
    assert_int_equal(length, committed_length);
    assert_memory_equal(text, committed, length);
    sn_free(committed);
    sn_scene_free_text(text);
}

static void schema_is_current(void **state)
{
    (void)state;
    compare("schema/scene.schema.json", sn_scene_schema_text);
}

static void reference_is_current(void **state)
{
    (void)state;
    compare("docs/scene-reference.md", sn_scene_reference_text);
}

static void schema_is_json(void **state)
{
    (void)state;
    char *text;
    size_t length;
    assert_int_equal(sn_scene_schema_text(&text, &length, NULL), SN_OK);
    sn_json *json = NULL;
    sn_error error = {0};
    sn_status status = sn_json_parse("schema", text, length, &json, &error);
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(&error));
    }
    assert_int_equal(status, SN_OK);
    sn_json_destroy(json);
    sn_scene_free_text(text);
}

// Every key has a sentence, and no two keys of an object share a name or a member.
static void check_object(const sn_object *object, sn_object_set *done)
{
    assert_non_null(object->text);
    for (int i = 0; i < object->variant_count; ++i) {
        check_object(object->variants[i], done);
    }
    assert_in_range(sn_object_key_count(object), 0, 64);
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        assert_true(strlen(key->text) > 5 && key->text[strlen(key->text) - 1] == '.');
        assert_true(key->offset < object->size);
        assert_int_equal(sn_object_find_key(object, key->name), i);
        for (int k = 0; k < i; ++k) {
            assert_true(sn_object_key(object, k)->offset != key->offset);
        }
        int words = 0;
        while (key->words != NULL && key->words[words].word != NULL) {
            words += 1;
        }
        assert_in_range(words, key->type == SN_KEY_ENUM, 128); // as many as the reader knows
        if (key->object != NULL && sn_object_set_add(done, key->object)) {
            check_object(key->object, done);
        }
    }
}

static void table_is_sound(void **state)
{
    (void)state;
    sn_object_set done = {0};
    check_object(sn_scene_table(), &done);
    assert_true(done.count < SN_OBJECT_SET_LIMIT);
}

static void independent_validator_agrees(void **state)
{
    (void)state;
    // NOLINTNEXTLINE(cert-env33-c): a fixed command with nothing from outside in it
    if (system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0) {
        print_message("python3-jsonschema is not installed: skipped\n");
        skip();
    }
    // NOLINTNEXTLINE(cert-env33-c): the same
    assert_int_equal(system("python3 tests/data/validate_scenes.py"), 0);
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    sn_status (*generators[])(char **, size_t *, sn_error *) = {sn_scene_schema_text,
                                                                sn_scene_reference_text};
    for (int g = 0; g < 2; ++g) {
        int n = 0;
        for (;; ++n) {
            char *text = NULL;
            size_t length = 0;
            sn_allocation_fail_after(n);
            sn_status status = generators[g](&text, &length, NULL);
            sn_allocation_fail_after(-1);
            if (status == SN_OK) {
                sn_scene_free_text(text);
                break;
            }
            assert_int_equal(status, SN_ERROR_MEMORY);
            assert_null(text);
        }
        assert_true(n > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_is_current),       cmocka_unit_test(reference_is_current),
        cmocka_unit_test(schema_is_json),          cmocka_unit_test(table_is_sound),
        cmocka_unit_test(survives_lack_of_memory), cmocka_unit_test(independent_validator_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
