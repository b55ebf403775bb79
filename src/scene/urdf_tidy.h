// XML that is nearly well-formed, as parsers of the small kind (tinyxml, of ROS) let it pass:
// "--" inside of comments, no blank between two attributes, a bare "&", words after the end.
//
// The tidied text has the same lines. Columns change only behind attributes that stood together.
#ifndef SN_SCENE_URDF_TIDY_H
#define SN_SCENE_URDF_TIDY_H

#include "sinew/base.h"

typedef enum sn_tidy_kind {
    SN_TIDY_COMMENT,    // "--" in a comment
    SN_TIDY_ATTRIBUTES, // no blank between two
    SN_TIDY_AMPERSAND,  // one that begins no entity; becomes "+"
    SN_TIDY_END,        // something after the outermost element
    SN_TIDY_KINDS,
} sn_tidy_kind;

typedef struct sn_tidied {
    char *text; // to be freed; NULL: no memory
    size_t length;
    struct {
        int count;
        size_t first; // offset in the text that was given
    } kind[SN_TIDY_KINDS];
} sn_tidied;

sn_tidied sn_xml_tidy(const char *text, size_t length);

// What it is called in a note, and what is done.
const char *sn_tidy_fault(sn_tidy_kind kind);
const char *sn_tidy_remedy(sn_tidy_kind kind);

#endif
