// What the methods of contact do, as data: whoever needs to know asks for a trait, not for the
// method.
#ifndef SN_SOLVE_CONTACT_METHOD_H
#define SN_SOLVE_CONTACT_METHOD_H

#include "sinew/world.h"

typedef struct sn_contact_traits {
    bool collides;  // shapes are looked for that touch
    bool strikes;   // they push each other by impulses
    bool presses;   // they push each other by forces, which integrators ask for
    bool skins;     // skins of elastic bodies touch as well
    bool springs;   // by springs that are kept over a step, also under integrators with stages
    bool piles;     // large islands of free bodies have a solver of their own, whirling ones a time
                    // of impact
    bool predicted; // sliding or sticking is settled before the impulse
} sn_contact_traits;

extern const sn_contact_traits sn_contact_method_traits[SN_CONTACT_METHOD_COUNT];

// The method that a policy takes where none is given.
sn_contact_method sn_contact_method_resolve(sn_contact_method method, sn_policy policy);

#endif
