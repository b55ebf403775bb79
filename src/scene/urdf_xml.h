// Reading XML with places: the elements of a text as a tree, each with its line and column.
//
//     sn_xml_element *root = NULL;
//     sn_xml_read("arm.urdf", text, length, &arena, &root, &error);
//     for (const sn_xml_element *e = root->first; e != NULL; e = e->next) {
//         if (strcmp(e->name, "link") == 0) { use(sn_xml_attribute_value(e, "name")); }
//     }
//
// expat does the reading; nothing else in the project knows of it. Character data, comments and
// processing instructions are left out: URDF says everything in attributes. A document type with
// declarations, and so every entity of the text's own, is refused, so that no text can grow while
// it is read or reach for another file.
//
// Two faults that expat would stop at are overlooked, for sn_xml_look to tell of: blanks before
// <?xml ...?>, and text that is not in the encoding it claims.
#ifndef SN_SCENE_URDF_XML_H
#define SN_SCENE_URDF_XML_H

#include "base/arena.h"

#define SN_XML_SIZE_LIMIT    (64u << 20) // bytes
#define SN_XML_ELEMENT_LIMIT 1000000
#define SN_XML_DEPTH_LIMIT   64

typedef struct sn_xml_attribute {
    const char *name, *value;
} sn_xml_attribute;

typedef struct sn_xml_element {
    const char *name;
    int line, column; // from 1; columns count characters
    const sn_xml_attribute *attributes;
    int attribute_count;
    struct sn_xml_element *parent, *first, *last, *next; // children in the order of the text
} sn_xml_element;

// What is odd about a text before any element is read.
typedef struct sn_xml_oddity {
    bool late;            // <?xml ...?> comes after blanks
    size_t skipped;       // bytes of these
    int lines;            // line ends among them
    const char *encoding; // to be used whatever the text says; NULL: as it says
    size_t broken;        // it claims to be UTF-8: where it is not, counted from 1; 0: it is
} sn_xml_oddity;

SN_API sn_xml_oddity sn_xml_look(const char *text, size_t length);

// The outermost element; everything lives in the arena. `name` is for messages.
SN_API sn_status sn_xml_read(const char *name, const char *text, size_t length, sn_arena *arena,
                             sn_xml_element **root, sn_error *error);

// NULL when the element has no such attribute.
SN_API const char *sn_xml_attribute_value(const sn_xml_element *element, const char *name);

// The first child of that name, NULL when there is none; `element` may be NULL.
SN_API const sn_xml_element *sn_xml_child(const sn_xml_element *element, const char *name);

#endif
