// An order of elimination that keeps the factor of a sparse symmetric matrix sparse: nested
// dissection (A. George 1973). A part is cut in two by the smallest separator that planes across
// the axes, or the fronts of a search from one end, give; the separator is eliminated after both
// halves. Small parts go by least degree, with the separators around them counted (F. Pellegrini,
// J. Roman, P. Amestoy 1999).
//
//     status = sn_dissect(count, starts, columns, positions, order, error);
//     // order[k] is eliminated as the k-th
#ifndef SN_ELASTIC_DISSECTION_H
#define SN_ELASTIC_DISSECTION_H

#include "sinew/math.h"

// The pattern by rows, columns not above the row (the diagonal may be among them). Positions only
// guide the cuts; NULL: searches alone do.
SN_API sn_status sn_dissect(int count, const int *starts, const int *columns,
                            const sn_vec3 *positions, int *order, sn_error *error);

#endif
