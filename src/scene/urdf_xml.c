#include "scene/urdf_xml.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct reading {
    XML_Parser parser;
    const char *name;
    sn_arena *arena;
    sn_xml_element *root, *open; // `open`: the innermost element that has not ended
    int depth, count;
    sn_xml_oddity oddity;
    sn_status status;
    sn_error *error;
} reading;

static int column_of(const reading *r)
{
    XML_Size column = XML_GetCurrentColumnNumber(r->parser) + 1;
    if (r->oddity.late && r->oddity.lines == 0 && XML_GetCurrentLineNumber(r->parser) == 1) {
        column += r->oddity.skipped;
    }
    return column < INT_MAX ? (int)column : INT_MAX;
}

static int line_of(const reading *r)
{
    XML_Size line = XML_GetCurrentLineNumber(r->parser) + (XML_Size)r->oddity.lines;
    return line < INT_MAX ? (int)line : INT_MAX;
}

// ---- before the first element ----

// Bytes of the UTF-8 character at `text` (RFC 3629), 0 when it is none.
static size_t utf8_length(const unsigned char *text, size_t room)
{
    if (text[0] < 0x80) {
        return 1;
    }
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4 || length > room) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool surrogate = text[0] == 0xED && text[1] > 0x9F;
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    return surrogate || overlong || (text[0] == 0xF4 && text[1] > 0x8F) ? 0 : length;
}

// Does the declaration at the start of the text name this encoding?
static bool declares(const char *text, size_t length, const char *encoding)
{
    const char *end = memchr(text, '>', length);
    size_t size = strlen(encoding);
    for (const char *at = text; end != NULL && at + size < end; ++at) {
        size_t i = 0;
        while (i < size && (at[i] | 0x20) == (encoding[i] | 0x20)) {
            i += 1;
        }
        if (i == size) {
            return true;
        }
    }
    return false;
}

sn_xml_oddity sn_xml_look(const char *text, size_t length)
{
    sn_xml_oddity oddity = {0};
    const unsigned char *bytes = (const unsigned char *)text;
    bool wide = length >= 2 && (bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE);
    if (wide) {
        return oddity; // UTF-16
    }
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, mark = at;
    while (at < length && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') {
        oddity.lines += text[at] == '\n';
        at += 1;
    }
    bool declared = length - at > 5 && memcmp(text + at, "<?xml", 5) == 0;
    oddity.late = at > mark && declared;
    oddity.skipped = oddity.late ? at : 0;
    oddity.lines = oddity.late ? oddity.lines : 0;
    if (declared && declares(text + at, length - at, "iso-8859-1")) {
        return oddity;
    }
    size_t step = 1;
    for (at = 0; at < length && step > 0; at += step) {
        step = utf8_length(bytes + at, length - at);
    }
    oddity.broken = step == 0 ? at + 1 : 0;
    oddity.encoding = step == 0 ? "ISO-8859-1" : "UTF-8";
    return oddity;
}

// ---- elements ----

static void stop(reading *r, const char *what)
{
    char place[300];
    if (r->status == SN_OK) {
        snprintf(place, sizeof place, "%.200s:%d:%d", r->name, line_of(r), column_of(r));
        r->status = sn_fail(r->error, SN_ERROR_SYNTAX, place, "%s", what);
        XML_StopParser(r->parser, XML_FALSE);
    }
}

static void stop_memory(reading *r, size_t bytes)
{
    if (r->status == SN_OK) {
        r->status = sn_fail_memory(r->error, bytes);
        XML_StopParser(r->parser, XML_FALSE);
    }
}

static const char *copy(reading *r, const char *text)
{
    const char *copied = sn_arena_text(r->arena, text, strlen(text));
    if (copied == NULL) {
        stop_memory(r, strlen(text) + 1);
    }
    return copied;
}

// expat hands over names and values alternately, ended by NULL; an attribute given twice is its own
// complaint.
static bool copy_attributes(reading *r, sn_xml_element *element, const XML_Char **pairs)
{
    int count = 0;
    while (pairs[2 * count] != NULL) {
        count += 1;
    }
    size_t bytes = ((size_t)count + 1) * sizeof(sn_xml_attribute);
    sn_xml_attribute *attributes = sn_arena_allocate(r->arena, bytes);
    if (attributes == NULL) {
        stop_memory(r, bytes);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        attributes[i].name = copy(r, pairs[2 * i]);
        attributes[i].value = copy(r, pairs[2 * i + 1]);
    }
    element->attributes = attributes;
    element->attribute_count = count;
    return r->status == SN_OK;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **pairs)
{
    reading *r = user;
    if (r->status != SN_OK) {
        return;
    }
    if (r->depth >= SN_XML_DEPTH_LIMIT || r->count >= SN_XML_ELEMENT_LIMIT) {
        stop(r, r->depth >= SN_XML_DEPTH_LIMIT ? "elements are nested too deep, expected at most 64"
                                               : "more than a million elements, expected fewer");
        return;
    }
    sn_xml_element *element = sn_arena_allocate(r->arena, sizeof *element);
    if (element == NULL) {
        stop_memory(r, sizeof *element);
        return;
    }
    element->line = line_of(r);
    element->column = column_of(r);
    element->name = copy(r, name);
    if (element->name == NULL || !copy_attributes(r, element, pairs)) {
        return;
    }
    element->parent = r->open;
    if (r->open == NULL) {
        r->root = element;
    } else if (r->open->last == NULL) {
        r->open->first = r->open->last = element;
    } else {
        r->open->last->next = element;
        r->open->last = element;
    }
    r->open = element;
    r->depth += 1;
    r->count += 1;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    reading *r = user;
    (void)name;
    if (r->status == SN_OK) {
        r->open = r->open->parent;
        r->depth -= 1;
    }
}

static void XMLCALL on_document_type(void *user, const XML_Char *name, const XML_Char *system,
                                     const XML_Char *public_name, int internal)
{
    (void)name, (void)system, (void)public_name;
    if (internal != 0) {
        stop(user, "a document type (<!DOCTYPE ...>) with declarations, expected plain elements");
    }
}

static void parse(reading *r, const char *text, size_t length)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r->parser, on_document_type);
    if (XML_Parse(r->parser, text, (int)length, XML_TRUE) == XML_STATUS_OK || r->status != SN_OK) {
        return;
    }
    enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        r->status = sn_fail_memory(r->error, length);
        return;
    }
    const char *open = r->open != NULL ? r->open->name : "";
    char what[200];
    snprintf(what, sizeof what, "this is not XML: %s%s%.60s%s", XML_ErrorString(code),
             open[0] != '\0' ? " inside <" : "", open, open[0] != '\0' ? ">" : "");
    stop(r, what);
}

sn_status sn_xml_read(const char *name, const char *text, size_t length, sn_arena *arena,
                      sn_xml_element **root, sn_error *error)
{
    *root = NULL;
    if (length > SN_XML_SIZE_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, name, "more than %u MB, expected less",
                       SN_XML_SIZE_LIMIT >> 20);
    }
    // So that expat's memory can run out in tests as all other memory.
    const XML_Memory_Handling_Suite memory = {sn_allocate, sn_reallocate, sn_free};
    reading r = {.name = name, .arena = arena, .error = error};
    r.oddity = sn_xml_look(text, length);
    r.parser = XML_ParserCreate_MM(r.oddity.encoding, &memory, NULL);
    if (r.parser == NULL) {
        return sn_fail_memory(error, length);
    }
    parse(&r, text + r.oddity.skipped, length - r.oddity.skipped);
    XML_ParserFree(r.parser);
    *root = r.status == SN_OK ? r.root : NULL;
    return r.status;
}

const char *sn_xml_attribute_value(const sn_xml_element *element, const char *name)
{
    for (int i = 0; i < element->attribute_count; ++i) {
        if (strcmp(element->attributes[i].name, name) == 0) {
            return element->attributes[i].value;
        }
    }
    return NULL;
}

const sn_xml_element *sn_xml_child(const sn_xml_element *element, const char *name)
{
    const sn_xml_element *child = element != NULL ? element->first : NULL;
    while (child != NULL && strcmp(child->name, name) != 0) {
        child = child->next;
    }
    return child;
}
