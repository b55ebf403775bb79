// Words and numbers of a file, with places for errors: what readers of mesh files have in common.
//
//     sn_words words = sn_words_of("beam.msh", text, length, error);
//     int count = sn_words_integer(&words, "a number of nodes", 0, INT_MAX);
//     double x = sn_words_number(&words, "a coordinate");
//     if (words.status != SN_OK) { return words.status; } // "beam.msh:12:7: 'abc', a ... was
//     expected"
//
// The first failure is kept, and later calls do nothing and give zero, so that readers read as the
// format does.
//
// Some formats have a binary way of writing the same file: headings stay words, and the numbers
// under them are bytes. After sn_words_begin_binary the calls that say `stored` take bytes, so that
// one reader does for both ways, and errors tell the byte, from 0, instead of line and column:
//
//     sn_words_next(&words);         // POINTS
//     sn_words_start_values(&words); // binary: bytes begin behind the line
//     double x = sn_words_stored_number(&words, SN_RAW_FLOAT32, "a coordinate");
//     // "beam.vtk, byte 96: the file ends here; a coordinate was expected"
#ifndef SN_GEOMETRY_WORDS_H
#define SN_GEOMETRY_WORDS_H

#include "geometry/raw.h"
#include "sinew/base.h"

typedef struct sn_words {
    const char *name; // of the file
    const char *start, *at, *end, *line_start;
    const char *word; // the last one
    size_t length;    // of it
    int line;         // of `at`, from 1
    int word_line, word_column;
    char comment; // from this character to the end of a line nothing counts; 0: none
    bool binary, big_endian;
    bool raw;         // the last word is bytes of a number,
    sn_raw_kind kind; // of this kind
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

// Numbers that are stored are bytes from here on.
SN_API void sn_words_begin_binary(sn_words *words, bool big_endian);

// To where stored numbers begin: binary, behind the end of the line; in a text they may follow in
// the same one.
SN_API void sn_words_start_values(sn_words *words);

// The next stored number: a word of a text, where `kind` says nothing, or bytes of this kind.
SN_API int64_t sn_words_stored_integer(sn_words *words, sn_raw_kind kind, const char *what,
                                       int64_t least, int64_t most);
SN_API double sn_words_stored_number(sn_words *words, sn_raw_kind kind, const char *what);

// Passes over `count` stored numbers, whatever they say; fails where the file ends before.
SN_API void sn_words_skip_stored(sn_words *words, sn_raw_kind kind, int64_t count,
                                 const char *what);

// The next word with what is between its quotes, blanks included: "soft core". Gives what they
// hold, without the quotes, as the last word; `what` is told when there are none in the line.
SN_API bool sn_words_quoted(sn_words *words, const char *what);

// Fails at the last word or number: "'word'; text", or at the end of the file.
SN_API sn_status sn_words_fail(sn_words *words, const char *format, ...) SN_PRINTF(2, 3);

#endif
