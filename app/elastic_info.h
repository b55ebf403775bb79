// What the command tells of elastic bodies: mesh, quality, materials, and what is inside out.
#ifndef SN_APP_ELASTIC_INFO_H
#define SN_APP_ELASTIC_INFO_H

#include "json_writer.h"
#include "sinew/elastic.h"

void sn_json_elastic(sn_json_writer *json, const sn_world *world, sn_body body);
void sn_print_elastic(const sn_world *world, sn_body body);

// "2 elements are inside out: 0, 3" where the body is now, with the first numbers; false, and no
// text, where none is.
enum { SN_INVERTED_TEXT = 160 };
bool sn_inverted_text(const sn_world *world, sn_body body, char text[SN_INVERTED_TEXT]);

// A line for each body with any.
void sn_print_inverted(const sn_world *world);

#endif
