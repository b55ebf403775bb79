// The mesh of the thesis' doll, for thesis_demo.c.
#ifndef SN_RECORD_THESIS_DOLL_H
#define SN_RECORD_THESIS_DOLL_H

#include "sinew/tetrahedra.h"

// The ball is around the origin, legs point down and out.
sn_status sn_thesis_doll(double radius, sn_tetrahedra **mesh, sn_error *error);

#endif
