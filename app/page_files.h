// The page that `sinew view` serves, packed by gzip while building (tools/embed-page). Without node
// at that time there is none, and a plain text says how to get it.
#ifndef SN_APP_PAGE_FILES_H
#define SN_APP_PAGE_FILES_H

#include "embedded.h"

// Names are paths within web/dist: "index.html", "assets/main-1a2b3c.js".
extern const struct sn_embedded_file sn_page_files[]; // count, then an entry of zeros
extern const int sn_page_file_count;

const sn_embedded_file *sn_page_find(const char *path); // "/" is the index; NULL: no such file
const char *sn_page_type(const char *path);             // MIME type by the name's ending
extern const char sn_page_missing[];                    // what to show where there is no page

#endif
