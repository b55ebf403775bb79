// What tests of the thesis' files share: samples of them, a torus as a model, paths in a folder of
// their own.
#ifndef SN_TESTS_THESIS_SAMPLES_H
#define SN_TESTS_THESIS_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/thesis.h"

static const char topology_text[] = "begin topology (format of 96-10-01)\ntetrahedrons = 2\n"
                                    "0 : 1 0 0 0 1 0 0 0 1\n    0 1 2 3\n    2 20000 10000 16 8\n"
                                    "1:1 0 0  0 2 0  0 0 3\n 1 2 3 4\n 0.5 1e4 1e3 0 0\n"
                                    "end topology\n";
static const char textures_text[] =
    "begin textures format of (97-03-14)\ntextures=1\n"
    "0.1 0.2 0.3  0.4 0.5 0.6  0.7 0.8 0.9  0 0.25 0.5  1.5 40\nend textures";
static const char lights_text[] = "begin lights ( format of 97-03-14 )\nlights = 1\n"
                                  "10 -5 3 0 1 0.9 0.8\nend lights\n";

static inline sn_thesis_file parse(sn_thesis_kind kind, const char *text)
{
    sn_thesis_file file;
    sn_error error = {0};
    if (sn_thesis_parse(kind, "a", text, strlen(text), &file, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return file;
}

static const sn_thesis_material rubber = {1.5, 20000.0, 15000.0, 12.0, 7.0};

static inline sn_tetrahedra *make_torus(void)
{
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, NULL), SN_OK);
    return mesh;
}

static inline sn_thesis_model torus_model(void)
{
    sn_tetrahedra *mesh = make_torus();
    sn_thesis_model model;
    sn_error error = {0};
    if (sn_thesis_model_make(mesh, &rubber, 1, &model, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(mesh);
    return model;
}

typedef struct four_paths {
    char folder[64], st[96], tp[96], su[96], co[96];
    sn_thesis_paths paths;
} four_paths;

static inline void make_paths(four_paths *p)
{
    strcpy(p->folder, "/tmp/sinew-thesis-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->st, sizeof p->st, "%s/a.st", p->folder);
    snprintf(p->tp, sizeof p->tp, "%s/a.tp", p->folder);
    snprintf(p->su, sizeof p->su, "%s/a.su", p->folder);
    snprintf(p->co, sizeof p->co, "%s/a.co", p->folder);
    p->paths = (sn_thesis_paths){p->st, p->tp, p->su, p->co};
}

static inline void remove_paths(four_paths *p)
{
    unlink(p->st);
    unlink(p->tp);
    unlink(p->su);
    unlink(p->co);
    rmdir(p->folder);
}

static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static char text[200000];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static inline int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

#endif
