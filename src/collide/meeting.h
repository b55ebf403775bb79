// The first meeting of bodies of tetrahedra in a step of the precise policy, as the thesis finds
// it: clearances (clearance.h) of the pairs of features whose swept boxes overlap (sweep_list.h).
//
//     status = sn_meetings_create(meshes, count, &meetings, error);
//     status = sn_meetings_find(meetings, &motion, &meeting, error); // each step
//     if (meeting.found) {
//         ... make a contact at meeting.u, and let the pair be:
//         status = sn_meetings_ignore(meetings, &meeting, true, error);
//     }
//     sn_meetings_destroy(meetings);
//
// The bodies' vertices are numbered in one row, mesh after mesh. A pair is relevant if the two
// belong to no common element and share no vertex. Boxes are those of the four Bezier points of
// each vertex' way. Faces of six nodes are the four triangles between them, as in skin.h.
#ifndef SN_COLLIDE_MEETING_H
#define SN_COLLIDE_MEETING_H

#include "base/array.h"
#include "collide/clearance.h"
#include "collide/skin.h"

typedef struct sn_meetings sn_meetings;

SN_API sn_status sn_meetings_create(const sn_tetrahedra *const *meshes, int count,
                                    sn_meetings **meetings, sn_error *error);
SN_API void sn_meetings_destroy(sn_meetings *meetings); // NULL is allowed

// Vertices, edges and faces outside, of all bodies: numbers below count in events.
SN_API const sn_skin *sn_meetings_skin(const sn_meetings *meetings);

// How many relevant pairs there are: by vertex and face, and by two edges.
SN_API void sn_meetings_count_relevant(const sn_meetings *meetings, int64_t *vertex_faces,
                                       int64_t *edge_edges);

// Positions and velocities at both ends of a step of h seconds, `stride` numbers (3 or more) a
// vertex.
typedef struct sn_meeting_motion {
    const double *x_a, *v_a, *x_b, *v_b;
    int stride;
    double h;
} sn_meeting_motion;

typedef struct sn_meeting {
    bool found;
    sn_pair_kind kind;
    int a, b;          // vertex and face, or edges, a < b
    double u;          // share of the step
    int vertices[4];   // of the bodies: those of a, then those of b
    double weights[4]; // on each side they add up to 1
} sn_meeting;

// The earliest, and of equals the lowest by kind, a and b. Boxes and candidates are brought up to
// this motion from the last one's, so that small steps cost little.
SN_API sn_status sn_meetings_find(sn_meetings *meetings, const sn_meeting_motion *motion,
                                  sn_meeting *meeting, sn_error *error);

// The first meeting of every pair that has one, by kind, a and b.
typedef SN_ARRAY(sn_meeting) sn_meeting_list;
SN_API sn_status sn_meetings_gather(sn_meetings *meetings, const sn_meeting_motion *motion,
                                    sn_meeting_list *list, sn_error *error);

// May a pair meet: a vertex and a face, or two edges? And its clearances' points at positions and
// velocities of the bodies' vertices.
SN_API bool sn_meetings_is_relevant(const sn_meetings *meetings, sn_pair_kind kind, int a, int b);
SN_API void sn_meetings_read(const sn_meetings *meetings, sn_pair_kind kind, int a, int b,
                             const double *x, const double *v, int stride,
                             sn_clearance_state *state);

// The earliest meeting by looking at all relevant pairs whose boxes overlap, for tests.
SN_API void sn_meetings_find_by_force(sn_meetings *meetings, const sn_meeting_motion *motion,
                                      sn_meeting *meeting);

// Candidates of the last find: relevant pairs whose boxes overlap.
SN_API int sn_meetings_candidate_count(const sn_meetings *meetings);

// A pair in contact is not looked at; of a vertex and a face no pair of that vertex is (7.4). Asked
// for as often as taken back.
SN_API sn_status sn_meetings_ignore(sn_meetings *meetings, const sn_meeting *meeting, bool ignored,
                                    sn_error *error);

#endif
