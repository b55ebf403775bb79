// Mobiles of any number of leaves, as texts of scenes, in a natural wind with occlusion: the work
// of benchmark cases and of tools/costs.
//
// A tree divides its leaves in halves on every level, over a square grid of 15 cm. A cascade is a
// chain: each arm carries a leaf and, on a cord of 1 m, the next arm.
#ifndef SN_BENCH_MOBILES_H
#define SN_BENCH_MOBILES_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sinew/math.h"

static inline void sn_mobile_write_branch(FILE *out, int leaves, bool top)
{
    if (leaves == 1) {
        fputs("{\"leaf\": \"leaf\", \"length\": \"9cm\", \"drop\": \"1cm\"}", out);
        return;
    }
    int levels = 0;
    while (1 << levels < leaves) {
        levels += 1;
    }
    // Two levels at right angles to each other double the grid.
    double length = 0.15 * (1 << (levels - 1) / 2);
    fprintf(out,
            "{\"arm\": %g, \"bow\": %g, \"thickness\": %g, \"turn\": \"%ddeg\", \"drop\": %g,\n"
            "\"carries\": [",
            length, 0.08 * length, 0.0015 + 0.0005 * levels, top ? 0 : 90, top ? 0.0 : 0.02);
    sn_mobile_write_branch(out, leaves - leaves / 2, false);
    fputs(", ", out);
    sn_mobile_write_branch(out, leaves / 2, false);
    fputs("]}", out);
}

static inline void sn_mobile_write_tree(FILE *out, int leaves)
{
    fputs("\"materials\": {\"wire\": {\"density\": 7850}},\n\"mobiles\": [{\"name\": \"tree\", "
          "\"material\": \"wire\", \"balance\": \"pivots\", \"position\": [0, 0, 6], "
          "\"height\": \"1.5cm\", \"damping\": 1e-5,\n\"hangs\": ",
          out);
    sn_mobile_write_branch(out, leaves, true);
    fputs("}]", out);
}

// Where the cascade's arms hang, from the first end of each: below, the weights of a disc at that
// end, of the wire and of all that follows at the other end balance.
#define SN_MOBILE_ARM       0.2
#define SN_MOBILE_CORD      1.0
#define SN_MOBILE_DISC      0.03
#define SN_MOBILE_DISC_MASS (2700.0 * SN_PI * SN_MOBILE_DISC * SN_MOBILE_DISC * 5e-4)
#define SN_MOBILE_WIRE_MASS (7850.0 * SN_PI * 1e-6 * SN_MOBILE_ARM)

static inline double sn_mobile_pivot(int arms_below)
{
    double rest = arms_below * (SN_MOBILE_DISC_MASS + SN_MOBILE_WIRE_MASS) + SN_MOBILE_DISC_MASS;
    return (rest + 0.5 * SN_MOBILE_WIRE_MASS) * SN_MOBILE_ARM /
           (rest + SN_MOBILE_WIRE_MASS + SN_MOBILE_DISC_MASS);
}

// An arm's place: its hook's, and the angle about the vertical.
typedef struct sn_mobile_place {
    double x, y, z, angle;
} sn_mobile_place;

static inline sn_mobile_place sn_mobile_first_arm(int arms)
{
    return (sn_mobile_place){0.0, 0.0, (SN_MOBILE_CORD + 0.1) * (arms + 1), 0.0};
}

static inline sn_mobile_place sn_mobile_next_arm(sn_mobile_place at, double pivot)
{
    return (sn_mobile_place){at.x + cos(at.angle) * (SN_MOBILE_ARM - pivot),
                             at.y + sin(at.angle) * (SN_MOBILE_ARM - pivot), at.z - SN_MOBILE_CORD,
                             at.angle + 0.6};
}

static inline void sn_mobile_write_arm(FILE *out, int number, sn_mobile_place at, double pivot,
                                       int discs)
{
    fprintf(out,
            "{\"name\": \"arm%d\", \"position\": [%.12g, %.12g, %.12g], "
            "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": %.12g},\n\"shapes\": ["
            "{\"type\": \"capsule\", \"radius\": 0.001, \"height\": %g, \"density\": 7850, "
            "\"position\": [%.12g, 0, -0.01], "
            "\"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"90deg\"}}",
            number, at.x, at.y, at.z, at.angle, SN_MOBILE_ARM, 0.5 * SN_MOBILE_ARM - pivot);
    for (int i = 0; i < discs; ++i) {
        fprintf(out,
                ", {\"type\": \"cylinder\", \"radius\": %g, \"height\": 0.0005, "
                "\"density\": 2700, \"position\": [%.12g, 0, -0.01]}",
                SN_MOBILE_DISC, i * SN_MOBILE_ARM - pivot);
    }
    fputs("]},\n", out);
}

static inline void sn_mobile_write_cascade(FILE *out, int leaves)
{
    int arms = leaves - 1;
    sn_mobile_place at = sn_mobile_first_arm(arms);
    fputs("\"bodies\": [\n", out);
    for (int i = 0; i < arms; ++i) {
        double pivot = sn_mobile_pivot(arms - 1 - i);
        sn_mobile_write_arm(out, i, at, pivot, i == arms - 1 ? 2 : 1);
        at = sn_mobile_next_arm(at, pivot);
    }
    fputs("], \"joints\": [\n", out);
    at = sn_mobile_first_arm(arms);
    for (int i = 0; i < arms; ++i) {
        char parent[32] = "world";
        if (i > 0) {
            snprintf(parent, sizeof parent, "arm%d", i - 1);
        }
        fprintf(out,
                "{\"name\": \"hook%d\", \"type\": \"ball\", \"parent\": \"%s\", "
                "\"child\": \"arm%d\", \"at\": [%.12g, %.12g, %.12g], \"damping\": 1e-5},\n",
                i, parent, i, at.x, at.y, at.z);
        at = sn_mobile_next_arm(at, sn_mobile_pivot(arms - 1 - i));
    }
    fputs("]", out);
}

enum { SN_MOBILE_TREE, SN_MOBILE_CASCADE };

// Freed with free.
static inline char *sn_mobile_write(int kind, int leaves, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL) {
        return NULL;
    }
    fputs("{\"sinew\": 1,\n", out);
    if (kind == SN_MOBILE_TREE) {
        sn_mobile_write_tree(out, leaves);
    } else {
        sn_mobile_write_cascade(out, leaves);
    }
    fputs(",\n\"fields\": [{\"type\": \"wind\", \"kind\": \"natural\", \"speed\": 1, "
          "\"occlusion\": \"depth\"}]}\n",
          out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

#endif
