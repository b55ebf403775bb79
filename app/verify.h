// The accuracy table: cases with a known answer, each with the error that is allowed. A group lives
// in verify_<group>.c.
//
//     static void falls(sn_verify *verify)
//     {
//         ... run a world ...
//         sn_verify_near(verify, "height after 1 s", -4.905, height, 1e-12);
//     }
//     static const sn_verify_case cases[] = {{"free fall", falls}};
//     const sn_verify_group sn_verify_rigid = {"rigid", "what it is about", cases, 1};
//
// The right answers come from closed forms, published tables or a computation written here, never
// from the engine.
#ifndef SN_APP_VERIFY_H
#define SN_APP_VERIFY_H

#include "json_writer.h"
#include "options.h"
#include "sinew/joint.h"

typedef struct sn_verify sn_verify;

typedef struct sn_verify_case {
    const char *name;
    void (*run)(sn_verify *verify);
    bool slow; // takes a second or more: left out by --quick
} sn_verify_case;

typedef struct sn_verify_group {
    const char *name, *doc;
    const sn_verify_case *cases;
    int count;
} sn_verify_group;

struct sn_verify {
    const sn_arguments *arguments;
    const sn_verify_group *group;
    const sn_verify_case *current;
    const sn_verify_case *headed; // whose heading is printed
    bool as_json;
    sn_json_writer json;
    int passed, failed;
};

extern const sn_verify_group sn_verify_rigid, sn_verify_mass, sn_verify_energy,
    sn_verify_articulated, sn_verify_rotors, sn_verify_spring, sn_verify_mobile, sn_verify_contact,
    sn_verify_elastic;

const sn_verify_group *sn_verify_group_at(int index); // NULL beyond the last

// One line of the table. `what` follows the case's name. Passes when error <= limit; NaN never
// does.
void sn_verify_row(sn_verify *verify, const char *what, double reference, double value,
                   double error, double limit);

// error = |value - reference|
void sn_verify_near(sn_verify *verify, const char *what, double reference, double value,
                    double limit);

// error = |value - reference| / |reference|
void sn_verify_relative(sn_verify *verify, const char *what, double reference, double value,
                        double limit);

// The case could not be run at all: a failed line, and the reason on stderr. Returns false.
bool sn_verify_broken(sn_verify *verify, sn_error *error);

#endif
