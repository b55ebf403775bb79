// Fuzzes the readers of the thesis' files: the first byte names the type by its number, the rest is
// the file. What is read must be written and read again to the same text.
#include <stdlib.h>
#include <string.h>

#include "record/thesis.h"

static void check(bool sound)
{
    if (!sound) {
        abort();
    }
}

static void read_rows(sn_thesis_kind kind, const char *text, size_t size)
{
    sn_error error = {0};
    sn_thesis_file file, back;
    sn_status status = sn_thesis_parse(kind, "a", text, size, &file, &error);
    check((status == SN_OK) == (file.rows != NULL));
    check((status == SN_OK) == (error.text[0] == '\0'));
    if (status == SN_OK) {
        sn_text first = {0}, second = {0};
        sn_thesis_format(&file, &first);
        check(sn_thesis_parse(kind, "b", first.data, first.length, &back, &error) == SN_OK);
        sn_thesis_format(&back, &second);
        check(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
        sn_text_free(&first);
        sn_text_free(&second);
        sn_thesis_file_free(&back);
    }
    sn_thesis_file_free(&file);
}

static void read_states(const char *text, size_t size)
{
    sn_error error = {0};
    sn_thesis_states *states = NULL;
    sn_thesis_state state = {0};
    bool found = true;
    sn_status status = sn_thesis_states_open_memory("a", text, size, &states, &error);
    while (status == SN_OK && found) {
        status = sn_thesis_states_next(states, &state, &found, &error);
        check((status == SN_OK) == (error.text[0] == '\0'));
    }
    sn_thesis_state_free(&state);
    sn_thesis_states_close(states);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int kind = size > 0 ? data[0] - '0' : -1;
    if (kind == SN_THESIS_STATE) {
        read_states((const char *)data + 1, size - 1);
    } else if (kind > SN_THESIS_STATE && kind < SN_THESIS_KIND_COUNT) {
        read_rows((sn_thesis_kind)kind, (const char *)data + 1, size - 1);
    }
    return 0;
}
