// What holds vertices of elastic bodies beyond their material: coordinates, planes, quadrics,
// paths, elements that keep their shape or their volume, and points of other bodies. Each is a few
// equations g(x, t) = 0 between positions of vertices.
#ifndef SN_AGENT_ELASTIC_ELASTIC_BOND_H
#define SN_AGENT_ELASTIC_ELASTIC_BOND_H

#include "agent/agent.h"
#include "sinew/elastic.h"

enum { SN_BOND_TERMS = 20 };

// Under integrators with stages errors die out at this rate, 1/s.
#define SN_BOND_STABILISATION 50.0

// One side of an attachment: a point of an elastic body, of a rigid part, or of the world.
typedef struct sn_bond_end {
    int set, agent, part; // set -1: the world
    int count;            // vertices of an elastic body
    int vertices[10];
    double weights[10];
    sn_vec3 local; // of a rigid part, or in the world
} sn_bond_end;

// One equation at a state: its value, its gradient by positions of vertices (or of a rigid part's
// point, vertex -1), and how it changes by itself.
typedef struct sn_bond_row {
    double value;
    double rate;         // dg/dt with positions held, 1/s
    double acceleration; // d^2 g/dt^2 with v held: what curvature and the path's own motion add
    int count;
    struct {
        int end; // 0: of the body, 1: of the other side
        int vertex;
        sn_vec3 gradient;
    } terms[SN_BOND_TERMS];
} sn_bond_row;

// What a path is a function of in place of time: a number that goes from `from`, where it was at
// the time `since`, to `target` with a constant rate.
typedef struct sn_bond_along {
    double rate; // 1/s; 0: time itself
    double from, since, target;
} sn_bond_along;

typedef struct sn_bond_item {
    sn_bond_type type;
    sn_bond_end ends[2]; // the body, and the other side of attachments and junctions
    int *vertices;       // vertex_count
    int vertex_count;
    sn_vec3 *starts;      // vertex_count: where they are held, or from the path's first point
    sn_bond_end *anchors; // vertex_count: what attached vertices are held to on the other side
    uint8_t coordinates;  // bits
    sn_vec3 normal;
    double offset;
    sn_mat3 quadric;
    sn_vec3 linear;
    double constant;
    int *nodes;         // 2 of each edge; 4 of each element; of a junction 4, and 4 of the other
    double *lengths;    // part_count: squares of edges, six-fold volumes
    int part_count;     // edges of what is rigid, elements that keep their volume; 1: a junction
    double weights[16]; // junction: of the other element's corners for each of the body's
    sn_motion *path[3];
    sn_bond_along along;
    sn_transform ground; // in which points of a side that does not move are given
    double start, end;   // s: when it holds
    double size;         // m: what errors are measured by
} sn_bond_item;

// The equations at positions and velocities (SN_SOLID_STRIDE numbers a vertex) of both sides; those
// of a rigid or static other side as a point. At most three of each vertex, six, or twelve.
typedef struct sn_bond_view {
    const double *x, *v;             // of the body
    const double *other_x, *other_v; // of the other side, if it is elastic
    sn_vec3 point, point_velocity;   // of it, if it is not
    sn_vec3 point_acceleration;      // what its turning gives it
    double time;
} sn_bond_view;

SN_API int sn_bond_row_count(const sn_bond_item *bond);
// What a path is a function of, at a time, and its rate.
SN_API double sn_bond_along_at(const sn_bond_along *along, double time, double *rate);
// The point on the other side that a row is about, in the frame of a rigid body or in the world.
SN_API sn_vec3 sn_bond_row_local(const sn_bond_item *bond, int row);
SN_API void sn_bond_read_row(const sn_bond_item *bond, int row, const sn_bond_view *view,
                             sn_bond_row *out);

#endif
