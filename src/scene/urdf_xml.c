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
    sn_status status;
    sn_error *error;
} reading;

static int column_of(XML_Parser parser)
{
    XML_Size column = XML_GetCurrentColumnNumber(parser);
    return column < INT_MAX ? (int)column + 1 : INT_MAX;
}

static int line_of(XML_Parser parser)
{
    XML_Size line = XML_GetCurrentLineNumber(parser);
    return line < INT_MAX ? (int)line : INT_MAX;
}

static void stop(reading *r, const char *what)
{
    char place[300];
    if (r->status == SN_OK) {
        snprintf(place, sizeof place, "%.200s:%d:%d", r->name, line_of(r->parser),
                 column_of(r->parser));
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
    element->line = line_of(r->parser);
    element->column = column_of(r->parser);
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
    (void)name, (void)system, (void)public_name, (void)internal;
    stop(user, "a document type (<!DOCTYPE ...>), expected plain elements");
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
    r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (r.parser == NULL) {
        return sn_fail_memory(error, length);
    }
    parse(&r, text, length);
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
