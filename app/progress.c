#include "progress.h"

#include <string.h>
#include <time.h>

#include "terminal.h"

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sn_wall_time(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double sn_processor_time(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

sn_progress sn_progress_start(const sn_arguments *arguments, const char *title)
{
    sn_progress progress = {.title = title, .started = sn_wall_time(), .drawn = -1.0};
    progress.shown = !arguments->quiet && sn_stream_is_terminal(stderr);
    sn_progress_show(&progress, 0.0, "");
    return progress;
}

const char *sn_duration_text(double seconds, char *text, size_t size)
{
    // Also catches NaN.
    if (!(seconds < 360000.0)) {
        snprintf(text, size, "days");
    } else if (seconds < 60.0) {
        snprintf(text, size, "%.0f s", seconds);
    } else if (seconds < 3600.0) {
        snprintf(text, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    } else {
        snprintf(text, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
    }
    return text;
}

bool sn_progress_due(const sn_progress *progress)
{
    return progress->shown && (progress->drawn < 0.0 || sn_wall_time() - progress->drawn >= 0.1);
}

void sn_progress_show(sn_progress *progress, double share, const char *note)
{
    if (!sn_progress_due(progress)) {
        return;
    }
    double now = sn_wall_time();
    progress->drawn = now;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;

    // The first fraction of a second says little about the speed.
    char left[32] = "", line[256];
    double elapsed = now - progress->started;
    if (elapsed > 0.3 && share > 0.0) {
        char duration[24];
        snprintf(left, sizeof left, "  %s left",
                 sn_duration_text(elapsed * (1.0 - share) / share, duration, sizeof duration));
    }
    enum { BAR = 20 };
    int full = (int)(share * BAR + 0.5);
    char bar[BAR + 1];
    for (int i = 0; i < BAR; ++i) {
        bar[i] = i < full ? '#' : '-';
    }
    bar[BAR] = '\0';
    int length = snprintf(line, sizeof line, "%.30s [%s] %3.0f%%  %s%s", progress->title, bar,
                          100.0 * share, note, left);
    int width = sn_stream_width(stderr) - 1;
    fprintf(stderr, "\r%.*s\033[K", length < width ? length : width, line);
    fflush(stderr);
}

void sn_progress_end(sn_progress *progress)
{
    if (progress->shown && progress->drawn >= 0.0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = false;
}
