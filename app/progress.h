// A progress bar with the time left, on stderr when that is a terminal; otherwise nothing at all.
//
//     sn_progress progress = sn_progress_start(arguments, "tumbling-racket");
//     while (...) { sn_progress_show(&progress, done / total, "3.2 of 10 s"); }
//     sn_progress_end(&progress);
//
// The first bar is drawn at once, later ones at most every tenth of a second, so it may be called
// after every step.
#ifndef SN_APP_PROGRESS_H
#define SN_APP_PROGRESS_H

#include "options.h"

typedef struct sn_progress {
    const char *title;
    bool shown;
    double started, drawn; // s on the wall clock; drawn < 0: never
} sn_progress;

double sn_wall_time(void);      // s, monotonic
double sn_processor_time(void); // s that this process has used

sn_progress sn_progress_start(const sn_arguments *arguments, const char *title);
bool sn_progress_due(const sn_progress *progress); // would the next call draw?
void sn_progress_show(sn_progress *progress, double share, const char *note);
void sn_progress_end(sn_progress *progress);

// "3 s", "2 min 05 s", "1 h 12 min"
const char *sn_duration_text(double seconds, char *text, size_t size);

#endif
