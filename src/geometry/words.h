// Words and numbers of a text, with places for errors: what readers of mesh files have in common.
//
//     sn_words words = sn_words_of("beam.msh", text, length, error);
//     int count = sn_words_integer(&words, "a number of nodes", 0, INT_MAX);
//     double x = sn_words_number(&words, "a coordinate");
//     if (words.status != SN_OK) { return words.status; } // "beam.msh:12:7: 'abc', a ... was
//     expected"
//
// The first failure is kept, and later calls do nothing and give zero, so that readers read as the
// format does.
#ifndef SN_GEOMETRY_WORDS_H
#define SN_GEOMETRY_WORDS_H

#include "sinew/base.h"

typedef struct sn_words {
    const char *name; // of the file
    const char *at, *end, *line_start;
    const char *word; // the last one
    size_t length;    // of it
    int line;         // of `at`, from 1
    int word_line, word_column;
    char comment; // from this character to the end of a line nothing counts; 0: none
    sn_status status;
    sn_error *error;
} sn_words;

SN_API sn_words sn_words_of(const char *name, const char *text, size_t length, sn_error *error);

// The next word, between white space; false at the end of the text or after a failure.
SN_API bool sn_words_next(sn_words *words);

// Goes to the next line.
SN_API void sn_words_skip_line(sn_words *words);

// Does a further word follow in the same line?
SN_API bool sn_words_line_goes_on(const sn_words *words);

// Is the last word this one, but for the case of letters?
SN_API bool sn_words_is(const sn_words *words, const char *word);

// The next word as a number; `what` is told when it is none: "a coordinate".
SN_API int64_t sn_words_integer(sn_words *words, const char *what, int64_t least, int64_t most);
SN_API double sn_words_number(sn_words *words, const char *what);

// The next word with what is between its quotes, blanks included: "soft core". Gives what they
// hold, without the quotes, as the last word; `what` is told when there are none in the line.
SN_API bool sn_words_quoted(sn_words *words, const char *what);

// Fails at the last word: "'word': text", or at the end of the file.
SN_API sn_status sn_words_fail(sn_words *words, const char *format, ...) SN_PRINTF(2, 3);

#endif
