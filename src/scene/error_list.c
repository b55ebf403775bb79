#include "scene/error_list.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// Cutting a text to its room may have left a part of a character; "?" stands for it then.
static void repair_utf8(char *text)
{
    while (*text != '\0') {
        unsigned char lead = (unsigned char)*text;
        int wanted = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        int found = 1;
        while (found < wanted && (text[found] & 0xc0) == 0x80) {
            found += 1;
        }
        if (found < wanted) {
            memset(text, '?', (size_t)found);
        }
        text += found;
    }
}

static bool push(sn_error_list *list, const sn_error *error)
{
    if (!sn_array_grow((void **)&list->items, &list->capacity, sizeof *error, list->count + 1)) {
        return false;
    }
    sn_error *kept = &list->items[list->count++];
    *kept = *error;
    repair_utf8(kept->place);
    repair_utf8(kept->text);
    return true;
}

sn_status sn_error_list_add_error(sn_error_list *list, const sn_error *error)
{
    if (list == NULL) {
        return error->code;
    }
    if (list->count >= SN_ERROR_LIST_LIMIT) {
        list->left_out += 1;
        return error->code;
    }
    return push(list, error) ? error->code : SN_ERROR_MEMORY;
}

sn_status sn_error_list_add(sn_error_list *list, sn_status code, const char *place,
                            const char *format, ...)
{
    char text[sizeof((sn_error *)NULL)->text];
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (wanted >= (int)sizeof text) {
        memcpy(text + sizeof text - 4, "...", 4);
    }
    sn_error error = {0};
    sn_fail(&error, code, place, "%s", text);
    return sn_error_list_add_error(list, &error);
}

sn_status sn_error_list_memory(sn_error_list *list)
{
    if (list != NULL) {
        list->count = 0;
        list->left_out = 0;
        sn_error error = {0};
        sn_fail(&error, SN_ERROR_MEMORY, NULL, "out of memory while reading a scene");
        // When not even this fits, the status alone tells.
        (void)push(list, &error);
    }
    return SN_ERROR_MEMORY;
}

void sn_error_list_free(sn_error_list *list)
{
    if (list != NULL) {
        sn_array_release((void **)&list->items);
        *list = (sn_error_list){0};
    }
}
