// Shell completion written from the option tables: verbs, options, words that options take, names
// of built-in scenes.
#ifndef SN_APP_COMPLETION_H
#define SN_APP_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

bool sn_completion_write(FILE *stream, const char *shell); // false: not bash, zsh or fish

#endif
