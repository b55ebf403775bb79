// Filled surfaces kept in a folder, by what they were filled from: filling can take seconds, and
// the same surface comes again with every run of its scene.
//
// A file is named by a 128-bit hash of the surface's numbers and of the options, is written beside
// its place and moved there when it is complete, so that readers and other writers never see half
// of it, and ends with a hash of itself: what is damaged is filled anew. The oldest files go when
// all take more than 256 MB.
#ifndef SN_SCENE_FILL_CACHE_H
#define SN_SCENE_FILL_CACHE_H

#include "sinew/tetrahedra.h"

// As sn_tetrahedra_fill. `folder`: NULL keeps nothing; it is made when it is not there. That
// nothing can be kept is no failure.
SN_API sn_status sn_fill_cached(const char *folder, const sn_mesh *surface,
                                const sn_tetrahedra_fill_options *options,
                                sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                                sn_error *error);

#endif
