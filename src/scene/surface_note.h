// Surfaces that files hold: what is put right before they become bodies, and what is noted of them.
#ifndef SN_SCENE_SURFACE_NOTE_H
#define SN_SCENE_SURFACE_NOTE_H

#include "scene/checker.h"

typedef struct sn_surface_notes {
    sn_mesh_repair repair;
    double size;            // m: the longest edge of its box
    double volume, overlap; // m^3; overlap: what its shells have in common
    bool hull;              // its convex hull stands for it, because it is not closed
} sn_surface_notes;

// Makes a mesh that passes its check: all is repaired if `repair`, else shells that are inside out
// are turned. A surface that `may_end` needs no repair for its rims. The error of a mesh that does
// not pass names the ways out, of which a hull is one if `offer_hull`.
sn_status sn_surface_settle(sn_mesh **mesh, bool repair, bool may_end, bool offer_hull,
                            sn_surface_notes *notes, sn_error *error);

// Notes of the scene: what was repaired, a size that looks like another unit's (only of files), and
// parts that overlap (only of bodies that move).
void sn_surface_remark(sn_checker *c, const sn_item *item, sn_place place, const char *file,
                       bool moves, const sn_surface_notes *notes);

#endif
