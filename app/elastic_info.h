// What `sinew info` tells of elastic bodies: mesh, quality, materials.
#ifndef SN_APP_ELASTIC_INFO_H
#define SN_APP_ELASTIC_INFO_H

#include "json_writer.h"
#include "sinew/elastic.h"

void sn_json_elastic(sn_json_writer *json, const sn_world *world, sn_body body);
void sn_print_elastic(const sn_world *world, sn_body body);

#endif
