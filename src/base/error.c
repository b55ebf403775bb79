#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sn_status_name(sn_status status)
{
    static const char *const names[] = {
#define X(name, text) #name,
        SN_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < SN_STATUS_COUNT ? names[status] : "SN_ERROR_UNKNOWN";
}

const char *sn_status_text(sn_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        SN_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < SN_STATUS_COUNT ? texts[status] : "unknown status";
}

// Marks a text that was cut, so that nobody takes the rest for the whole.
static void mark_cut(char *text, size_t capacity, int wanted)
{
    if (wanted >= (int)capacity) {
        memcpy(text + capacity - 4, "...", 4);
    }
}

sn_status(sn_fail)(sn_error *error, sn_status code, const char *place, const char *format, ...)
{
    if (error == NULL) {
        return code;
    }
    error->code = code;
    int wanted = snprintf(error->place, sizeof error->place, "%s", place ? place : "");
    mark_cut(error->place, sizeof error->place, wanted);
    va_list arguments;
    va_start(arguments, format);
    wanted = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    mark_cut(error->text, sizeof error->text, wanted);
    return code;
}

sn_status(sn_fail_memory)(sn_error *error, size_t bytes)
{
    return sn_fail(error, SN_ERROR_MEMORY, NULL, "out of memory: %zu bytes were not to be had",
                   bytes);
}

const char *sn_error_message(sn_error *error)
{
    if (error->place[0] != '\0') {
        snprintf(error->message, sizeof error->message, "%s: %s", error->place, error->text);
    } else {
        snprintf(error->message, sizeof error->message, "%s", error->text);
    }
    return error->message;
}

#define TEXT(x)  #x
#define VALUE(x) TEXT(x)

const char *sn_version(void)
{
    return VALUE(SN_VERSION_MAJOR) "." VALUE(SN_VERSION_MINOR) "." VALUE(SN_VERSION_PATCH);
}
