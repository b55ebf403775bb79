#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 64 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Damerau-Levenshtein distance in its restricted form: insert, delete, replace, swap neighbours.
static int edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LONGEST + 1];
    for (int j = 0; j <= b_length; ++j) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= a_length; ++i) {
        int *above2 = rows[(i + 1) % 3], *above = rows[(i - 1) % 3], *here = rows[i % 3];
        here[0] = i;
        for (int j = 1; j <= b_length; ++j) {
            int change = lower(a[i - 1]) != lower(b[j - 1]);
            here[j] = smaller(smaller(above[j] + 1, here[j - 1] + 1), above[j - 1] + change);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                here[j] = smaller(here[j], above2[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

const char *sn_suggest(const char *wrong, const char *const *words, int count)
{
    const char *best = NULL;
    size_t wrong_length = strlen(wrong);
    if (wrong_length == 0 || wrong_length > LONGEST) {
        return NULL;
    }
    int allowed = ((int)wrong_length + 1) / 3;
    int best_distance = (allowed < 1 ? 1 : allowed) + 1;
    for (int i = 0; i < count; ++i) {
        size_t length = words[i] != NULL ? strlen(words[i]) : LONGEST + 1;
        if (length > LONGEST) {
            continue;
        }
        int distance = edit_distance(wrong, (int)wrong_length, words[i], (int)length);
        // As many changes as letters: the two have nothing in common.
        if (distance < best_distance && distance < (int)length) {
            best_distance = distance;
            best = words[i];
        }
    }
    return best;
}
