// What readers and writers of the thesis' files have in common: headers, counts, footers; and the
// readers from texts in memory.
#ifndef SN_RECORD_THESIS_H
#define SN_RECORD_THESIS_H

#include "geometry/words.h"
#include "record/bytes.h"
#include "scene/text.h"
#include "sinew/thesis.h"

// Words in files, by kind: "state", "topology", ... and what is counted: "vertices", ...
extern const char *const sn_thesis_type_words[SN_THESIS_KIND_COUNT];
extern const char *const sn_thesis_count_words[SN_THESIS_KIND_COUNT];

// Takes a piece of text that must come next, after any blanks; the rest of a word stays.
void sn_thesis_take(sn_words *words, const char *text);

// "begin TYPE (format of YY-MM-DD)", "NAME = count", "end TYPE".
void sn_thesis_take_header(sn_words *words, sn_thesis_kind kind);
int sn_thesis_take_count(sn_words *words, sn_thesis_kind kind);
void sn_thesis_take_footer(sn_words *words, sn_thesis_kind kind);

// "number :", the number that is due.
void sn_thesis_take_number(sn_words *words, int number);

void sn_thesis_put_header(sn_text *text, sn_thesis_kind kind, int count);
void sn_thesis_put_numbers(sn_text *text, const double *numbers, int count); // blanks between
void sn_thesis_put_footer(sn_text *text, sn_thesis_kind kind);

SN_API sn_status sn_thesis_parse(sn_thesis_kind kind, const char *name, const char *text,
                                 size_t length, sn_thesis_file *file, sn_error *error);
SN_API void sn_thesis_format(const sn_thesis_file *file, sn_text *text);

// States out of memory; the text must stay.
SN_API sn_status sn_thesis_states_open_memory(const char *name, const void *text, size_t length,
                                              sn_thesis_states **states, sn_error *error);
SN_API void sn_thesis_format_state(const sn_thesis_state *state, sn_text *text);

// Are all vertices that a file of elements, faces or fixed vertices names among `vertex_count`?
// `name` is the file's, for the error.
sn_status sn_thesis_check_vertices(const sn_thesis_file *file, const char *name, int vertex_count,
                                   sn_error *error);

// Connected parts: begin with a forest of vertices, join those of every element, then number it, in
// place, so that every vertex has its part's number. Parts count in the order of their first
// vertices.
void sn_thesis_parts_begin(int *parents, int vertex_count);
void sn_thesis_parts_join(int *parents, const int vertices[4]);
int sn_thesis_parts_number(int *parents, int vertex_count); // how many there are

#endif
