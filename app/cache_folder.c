#include "cache_folder.h"

#include <stdlib.h>
#include <string.h>

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

const char *sn_cache_folder(char path[SN_PATH_LIMIT])
{
    const char *own = getenv("SINEW_CACHE"), *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (is_given(own)) {
        length = strcmp(own, "off") != 0 ? snprintf(path, SN_PATH_LIMIT, "%s", own) : 0;
    } else if (is_given(shared) &&
               shared[0] == '/') { // others are to be ignored, says the standard
        length = snprintf(path, SN_PATH_LIMIT, "%s/sinew", shared);
    } else if (is_given(home)) {
        length = snprintf(path, SN_PATH_LIMIT, "%s/.cache/sinew", home);
    }
    return length > 0 && length < SN_PATH_LIMIT ? path : NULL;
}
