#include "page_files.h"

#include <string.h>

#include "files.h"

const char sn_page_missing[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>sinew view</title>\n"
    "<h1>The page is not part of this build</h1>\n"
    "<p>The engine runs, and programs can talk to it at <code>/live</code>. The page itself is "
    "built "
    "by node: install <code>nodejs</code> and <code>npm</code>, run <code>make build</code> again, "
    "and start <code>sinew view</code> anew.</p>\n</html>\n";

const sn_embedded_file *sn_page_find(const char *path)
{
    const char *name = strcmp(path, "/") == 0 ? "index.html" : path + (path[0] == '/');
    for (int i = 0; i < sn_page_file_count; ++i) {
        if (strcmp(sn_page_files[i].name, name) == 0) {
            return &sn_page_files[i];
        }
    }
    return NULL;
}

const char *sn_page_type(const char *path)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".webp", "image/webp"},
        {".jpg", "image/jpeg"},
        {".wasm", "application/wasm"},
        {".woff2", "font/woff2"},
        {".map", "application/json"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        if (sn_path_ends_with(path, types[i][0])) {
            return types[i][1];
        }
    }
    return strcmp(path, "/") == 0 ? types[0][1] : "application/octet-stream";
}
