// Surfaces filled with tetrahedra: by which way.
#include <math.h>

#include "base/error.h"
#include "geometry/stuffing.h"
#include "geometry/tetrahedra_mesher.h"

sn_tetrahedra_fill_options sn_default_tetrahedra_fill_options(void)
{
    return (sn_tetrahedra_fill_options){.program = "gmsh", .seconds = 120.0};
}

sn_status sn_tetrahedra_fill(const sn_mesh *surface, const sn_tetrahedra_fill_options *options,
                             sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                             sn_error *error)
{
    *tetrahedra = NULL;
    sn_tetrahedra_fill_options defaults = sn_default_tetrahedra_fill_options();
    const sn_tetrahedra_fill_options *o = options != NULL ? options : &defaults;
    sn_tetrahedra_fill_report found = {0};
    if (o->program == NULL || !(o->seconds > 0.0) || !(o->edge >= 0.0) || !isfinite(o->edge)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "edge %g m and %g s; a finite edge, 0 or more, a time above 0 and a program "
                       "were expected",
                       o->edge, o->seconds);
    }
    sn_status status = o->method == SN_FILL_GMSH
                           ? sn_gmsh_fill(surface, o, tetrahedra, &found, error)
                           : sn_stuffing_fill(surface, o->edge, tetrahedra, &found, error);
    if (report != NULL) {
        *report = found;
    }
    return status;
}
