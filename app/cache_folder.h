// Where the command keeps what takes long to make: filled surfaces.
#ifndef SN_APP_CACHE_FOLDER_H
#define SN_APP_CACHE_FOLDER_H

#include "files.h"

// SINEW_CACHE, unless it says `off`; else `sinew` in XDG_CACHE_HOME, or in ~/.cache. NULL: nowhere.
const char *sn_cache_folder(char path[SN_PATH_LIMIT]);

#endif
