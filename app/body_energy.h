// Energies of some bodies of a recording over time, as a table to plot.
#ifndef SN_APP_BODY_ENERGY_H
#define SN_APP_BODY_ENERGY_H

#include "record/table.h"
#include "sinew/record.h"

// The energies of the bodies with these names, together, in every frame: kinetic, elastic where one
// of them is elastic, gravity and total, both counted from the first frame. Springs, bonds and
// contacts between bodies belong to none of them. The table is the caller's.
sn_status sn_body_energy_table(sn_recording *recording, const char *const *names, int count,
                               sn_table *table, sn_error *error);

#endif
