#include "terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool sn_stream_is_terminal(FILE *stream)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

static bool has_colours(const sn_arguments *arguments, FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    return !arguments->no_color && (refused == NULL || refused[0] == '\0') &&
           sn_stream_is_terminal(stream);
}

const char *sn_style_on(const sn_arguments *arguments, FILE *stream, sn_style style)
{
    static const char *const sequences[SN_STYLE_COUNT] = {"", "\033[1m", "\033[1;31m", "\033[32m",
                                                          "\033[2m"};
    return has_colours(arguments, stream) ? sequences[style] : "";
}

const char *sn_style_off(const sn_arguments *arguments, FILE *stream)
{
    return has_colours(arguments, stream) ? "\033[0m" : "";
}

int sn_stream_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
        return size.ws_col;
    }
    return 80;
}

void sn_say(const sn_arguments *arguments, const char *format, ...)
{
    if (arguments->quiet) {
        return;
    }
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void sn_complain(const sn_arguments *arguments, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%ssinew %s:%s ", sn_style_on(arguments, stderr, SN_STYLE_RED),
            arguments->verb->name, sn_style_off(arguments, stderr));
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}
