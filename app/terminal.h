// What the streams are connected to, and colours for those that are terminals.
#ifndef SN_APP_TERMINAL_H
#define SN_APP_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

typedef enum sn_style {
    SN_STYLE_PLAIN,
    SN_STYLE_BOLD,
    SN_STYLE_RED,
    SN_STYLE_GREEN,
    SN_STYLE_DIM,
    SN_STYLE_COUNT
} sn_style;

// True when the stream is a terminal that understands escape sequences (TERM is not "dumb").
bool sn_stream_is_terminal(FILE *stream);

// The escape sequence of a style, or "" when this stream gets no colours: no terminal, --no-color,
// or NO_COLOR set to anything (no-color.org).
const char *sn_style_on(const sn_arguments *arguments, FILE *stream, sn_style style);
const char *sn_style_off(const sn_arguments *arguments, FILE *stream);

// Columns of the terminal behind the stream; 80 when it is none.
int sn_stream_width(FILE *stream);

// A message on stderr unless --quiet.
void sn_say(const sn_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// "sinew VERB: MESSAGE" on stderr.
void sn_complain(const sn_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
