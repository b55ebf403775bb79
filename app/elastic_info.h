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

// What makes a body stiffer or steps worse than its author may expect: elements of four nodes of a
// material near the incompressible limit, and elements that are nearly flat. Writes up to
// SN_DOUBT_LIMIT texts; how many.
enum { SN_DOUBT_TEXT = 200, SN_DOUBT_LIMIT = 2 };
int sn_elastic_doubts(const sn_world *world, sn_body body,
                      char texts[SN_DOUBT_LIMIT][SN_DOUBT_TEXT]);

// A line for each body with any.
void sn_print_inverted(const sn_world *world);

#endif
