// Collecting errors: a reader goes on after a mistake and reports them together.
#ifndef SN_SCENE_ERROR_LIST_H
#define SN_SCENE_ERROR_LIST_H

#include <stdarg.h>

#include "sinew/scene.h"

#define SN_ERROR_LIST_LIMIT 100 // kept; further ones are only counted

// Adds an error (list may be NULL) and returns `code`, or SN_ERROR_MEMORY when it cannot be kept.
SN_API sn_status sn_error_list_add(sn_error_list *list, sn_status code, const char *place,
                                   const char *format, ...) SN_PRINTF(4, 5);
SN_API sn_status sn_error_list_add_error(sn_error_list *list, const sn_error *error);

// Out of memory ends everything: what was found so far is dropped for this one message.
SN_API sn_status sn_error_list_memory(sn_error_list *list);

#endif
