#include "scene/urdf_tidy.h"

#include <string.h>

#include "base/memory.h"

typedef struct tidying {
    const char *from;
    size_t length, at;
    sn_tidied to;
    int depth;
    bool ended; // the outermost element
} tidying;

static void count(tidying *t, sn_tidy_kind kind, size_t place)
{
    if (t->to.kind[kind].count++ == 0) {
        t->to.kind[kind].first = place;
    }
}

static void put(tidying *t, char c)
{
    t->to.text[t->to.length++] = c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool starts(const tidying *t, size_t at, const char *with)
{
    size_t size = strlen(with);
    return t->length - at >= size && memcmp(t->from + at, with, size) == 0;
}

// Where `what` is next, or the end of the text.
static size_t find(const tidying *t, size_t at, const char *what)
{
    while (at < t->length && !starts(t, at, what)) {
        at += 1;
    }
    return at;
}

static void copy_to(tidying *t, size_t end)
{
    for (; t->at < end && t->at < t->length; ++t->at) {
        put(t, t->from[t->at]);
    }
}

// <!-- ... -->: all of it becomes blanks where XML would not have it.
static void tidy_comment(tidying *t)
{
    size_t start = t->at, end = find(t, start + 4, "-->");
    bool bad = end > start + 4 && t->from[end - 1] == '-';
    for (size_t i = start + 4; i + 1 < end && !bad; ++i) {
        bad = t->from[i] == '-' && t->from[i + 1] == '-';
    }
    if (!bad || end >= t->length) {
        copy_to(t, end + 3);
        return;
    }
    count(t, SN_TIDY_COMMENT, start);
    copy_to(t, start + 4);
    for (; t->at < end; ++t->at) {
        put(t, is_blank(t->from[t->at]) ? t->from[t->at] : ' ');
    }
    copy_to(t, end + 3);
}

static bool begins_entity(const tidying *t)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (starts(t, t->at, known[i])) {
            return true;
        }
    }
    return false;
}

static void put_character(tidying *t)
{
    char c = t->from[t->at];
    if (c == '&' && !begins_entity(t)) {
        count(t, SN_TIDY_AMPERSAND, t->at);
        c = '+';
    }
    put(t, c);
    t->at += 1;
}

// <name ...>, </name> or <name .../>, with quotes.
static void tidy_tag(tidying *t)
{
    bool closing = starts(t, t->at, "</");
    char quote = '\0', last = '\0';
    while (t->at < t->length && (quote != '\0' || t->from[t->at] != '>')) {
        char c = t->from[t->at];
        put_character(t);
        if (quote != '\0' && c == quote) {
            quote = '\0';
            char next = t->at < t->length ? t->from[t->at] : '>';
            if (!is_blank(next) && next != '/' && next != '>' && next != '?') {
                count(t, SN_TIDY_ATTRIBUTES, t->at);
                put(t, ' ');
            }
        } else if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
        }
        last = c;
    }
    copy_to(t, t->at + 1);
    t->depth += closing ? -1 : last == '/' ? 0 : 1;
    t->ended = t->depth <= 0;
}

static void tidy(tidying *t)
{
    while (t->at < t->length) {
        if (starts(t, t->at, "<!--")) {
            tidy_comment(t);
        } else if (t->ended && is_blank(t->from[t->at])) {
            copy_to(t, t->at + 1);
        } else if (t->ended) {
            count(t, SN_TIDY_END, t->at);
            return;
        } else if (starts(t, t->at, "<?")) {
            copy_to(t, find(t, t->at, "?>") + 2);
        } else if (starts(t, t->at, "<!")) {
            copy_to(t, find(t, t->at, ">") + 1);
        } else if (t->from[t->at] == '<') {
            tidy_tag(t);
        } else {
            put_character(t);
        }
    }
}

sn_tidied sn_xml_tidy(const char *text, size_t length)
{
    // At most one blank is added for each quote.
    size_t room = length + 1;
    for (size_t i = 0; i < length; ++i) {
        room += text[i] == '"' || text[i] == '\'';
    }
    tidying t = {.from = text, .length = length};
    t.to.text = sn_allocate(room);
    if (t.to.text != NULL) {
        tidy(&t);
    }
    return t.to;
}

const char *sn_tidy_fault(sn_tidy_kind kind)
{
    static const char *const texts[] = {
        "\"--\" inside of a comment, which XML does not allow", "no blank between two attributes",
        "a \"&\" that begins no entity", "something after the outermost element"};
    return texts[kind];
}

const char *sn_tidy_remedy(sn_tidy_kind kind)
{
    static const char *const texts[] = {"the comment is skipped", "one is added", "read as \"+\"",
                                        "it is skipped"};
    return texts[kind];
}
