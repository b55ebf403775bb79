// The words of the scene format for the numbers of the C interface, from the lists in world.h.
#include <string.h>

#include "sinew/elastic.h"
#include "sinew/joint.h"

#define X(name, word, text) word,
static const char *const policy_words[] = {SN_POLICY_LIST(X)};
static const char *const integrator_words[] = {SN_INTEGRATOR_LIST(X)};
static const char *const contact_method_words[] = {SN_CONTACT_METHOD_LIST(X)};
static const char *const drive_words[] = {SN_DRIVE_TYPE_LIST(X)};
static const char *const surface_words[] = {SN_SURFACE_TYPE_LIST(X)};
static const char *const motion_words[] = {SN_MOTION_TYPE_LIST(X)};
static const char *const law_words[] = {SN_ELASTIC_LAW_LIST(X)};
static const char *const solver_words[] = {SN_ELASTIC_SOLVER_LIST(X)};
static const char *const mass_words[] = {SN_ELASTIC_MASS_LIST(X)};
static const char *const bond_words[] = {SN_BOND_TYPE_LIST(X)};
#undef X

#define X(name, word, unit, of) {word, unit, of},
static const struct {
    const char *word, *unit, *of;
} quantities[] = {SN_QUANTITY_LIST(X)};
#undef X

#define X(name, word, freedoms, text) {word, freedoms},
static const struct {
    const char *word;
    int freedoms;
} joint_types[] = {SN_JOINT_TYPE_LIST(X)};
#undef X

static int find(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

// The pair of functions that every list has: from its word to a number, and back.
#define WORDS(list, type, words, count)                                                            \
    int list##_find(const char *word)                                                              \
    {                                                                                              \
        return find(words, count, word);                                                           \
    }                                                                                              \
    const char *list##_word(type value)                                                            \
    {                                                                                              \
        return (unsigned)value < count ? (words)[value] : NULL;                                    \
    }

WORDS(sn_policy, sn_policy, policy_words, SN_POLICY_COUNT)
WORDS(sn_integrator, sn_integrator, integrator_words, SN_INTEGRATOR_COUNT)
WORDS(sn_contact_method, sn_contact_method, contact_method_words, SN_CONTACT_METHOD_COUNT)
WORDS(sn_drive_type, sn_drive_type, drive_words, SN_DRIVE_TYPE_COUNT)
WORDS(sn_surface_type, sn_surface_type, surface_words, SN_SURFACE_TYPE_COUNT)
WORDS(sn_motion_type, sn_motion_type, motion_words, SN_MOTION_TYPE_COUNT)
WORDS(sn_elastic_law, sn_elastic_law, law_words, SN_ELASTIC_LAW_COUNT)
WORDS(sn_elastic_solver, sn_elastic_solver, solver_words, SN_ELASTIC_SOLVER_COUNT)
WORDS(sn_elastic_mass, sn_elastic_mass, mass_words, SN_ELASTIC_MASS_COUNT)
WORDS(sn_bond_type, sn_bond_type, bond_words, SN_BOND_TYPE_COUNT)

int sn_joint_type_find(const char *word)
{
    for (int i = 0; i < SN_JOINT_TYPE_COUNT; ++i) {
        if (strcmp(joint_types[i].word, word) == 0) {
            return i;
        }
    }
    return -1;
}

const char *sn_joint_type_word(sn_joint_type type)
{
    return (unsigned)type < SN_JOINT_TYPE_COUNT ? joint_types[type].word : NULL;
}

int sn_joint_type_freedoms(sn_joint_type type)
{
    return (unsigned)type < SN_JOINT_TYPE_COUNT ? joint_types[type].freedoms : 0;
}

bool sn_joint_type_turns(sn_joint_type type, int freedom)
{
    switch (type) {
    case SN_JOINT_HINGE:
    case SN_JOINT_SCREW:
    case SN_JOINT_UNIVERSAL:
    case SN_JOINT_BALL:
        return true;
    case SN_JOINT_CYLINDRICAL:
        return freedom == 1;
    case SN_JOINT_PLANAR:
        return freedom == 2;
    case SN_JOINT_FREE:
        return freedom >= 3;
    case SN_JOINT_FIXED:
    case SN_JOINT_SLIDER:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
    return false;
}

int sn_quantity_find(const char *word)
{
    for (int i = 0; i < SN_QUANTITY_COUNT; ++i) {
        if (strcmp(quantities[i].word, word) == 0) {
            return i;
        }
    }
    return -1;
}

const char *sn_quantity_word(sn_quantity quantity)
{
    return (unsigned)quantity < SN_QUANTITY_COUNT ? quantities[quantity].word : NULL;
}

const char *sn_quantity_unit(sn_quantity quantity)
{
    return (unsigned)quantity < SN_QUANTITY_COUNT ? quantities[quantity].unit : NULL;
}

const char *sn_quantity_of(sn_quantity quantity)
{
    return (unsigned)quantity < SN_QUANTITY_COUNT ? quantities[quantity].of : NULL;
}
