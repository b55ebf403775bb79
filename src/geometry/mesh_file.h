// A first look at DAE files, for what assimp does not get along with: it never comes back from
// lists of indices with a word that is no number.
#ifndef SN_GEOMETRY_MESH_FILE_H
#define SN_GEOMETRY_MESH_FILE_H

#include "sinew/base.h"

// Every list of numbers in the file (p, v, vcount, h, float_array, int_array) is one. The error's
// place is path:line:column.
sn_status sn_dae_file_check(const char *path, sn_error *error);

#endif
