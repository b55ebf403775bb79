// Mass properties of single solids in closed form; meshes, sums and moves are in sinew/geometry.h.
//
// Each takes dimensions that the caller has checked, and gives the properties about the solid's own
// frame (centred, axis z, as in sinew/shape.h).
#ifndef SN_GEOMETRY_MASS_H
#define SN_GEOMETRY_MASS_H

#include "sinew/geometry.h"

sn_mass_properties sn_sphere_mass_properties(double radius, double density);
sn_mass_properties sn_box_mass_properties(sn_vec3 size, double density);
sn_mass_properties sn_rounded_box_mass_properties(sn_vec3 size, double rounding, double density);
sn_mass_properties sn_cylinder_mass_properties(double radius, double height, double density);
sn_mass_properties sn_cone_mass_properties(double radius, double height, double density);
sn_mass_properties sn_capsule_mass_properties(double radius, double height, double density);
sn_mass_properties sn_torus_mass_properties(double radius, double tube_radius, double density);

#endif
