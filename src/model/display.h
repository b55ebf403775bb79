// What is seen of an elastic body: a surface, and how each of its vertices follows the material.
// Made once, shared by copies of a world.
#ifndef SN_MODEL_DISPLAY_H
#define SN_MODEL_DISPLAY_H

#include "sinew/elastic.h"

typedef struct sn_display sn_display;

// With one reference. The body's own faces, or the surface that the def gives.
sn_status sn_display_make(const sn_elastic_def *def, sn_display **display, sn_error *error);

sn_display *sn_display_retain(sn_display *display); // NULL is allowed
void sn_display_release(sn_display *display);       // likewise

const sn_mesh *sn_display_mesh(const sn_display *display);

// One vertex of the surface, or all, from numbers of the body's vertices, `stride` of them each.
sn_vec3 sn_display_point(const sn_display *display, const double *x, int stride, int vertex);
void sn_display_read(const sn_display *display, const double *x, int stride, sn_vec3 *points);

#endif
