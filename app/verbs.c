#include "verbs.h"

#include <string.h>

#include "base/suggest.h"

static const sn_verb *const verbs[] = {
    &sn_verb_run,       &sn_verb_view,    &sn_verb_check,  &sn_verb_info,     &sn_verb_equilibrium,
    &sn_verb_modes,     &sn_verb_balance, &sn_verb_plot,   &sn_verb_render,   &sn_verb_export,
    &sn_verb_replay,    &sn_verb_scenes,  &sn_verb_verify, &sn_verb_bench,    &sn_verb_schema,
    &sn_verb_reference, &sn_verb_model,   &sn_verb_surf,   &sn_verb_coloring, &sn_verb_energy,
    &sn_verb_showen,    &sn_verb_convert, &sn_verb_show3d, &sn_verb_sim,      &sn_verb_help,
};

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

const sn_verb *sn_verb_at(int index)
{
    return index >= 0 && index < VERB_COUNT ? verbs[index] : NULL;
}

const sn_verb *sn_verb_find(const char *name)
{
    for (int i = 0; i < VERB_COUNT; ++i) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

const char *sn_verb_suggest(const char *wrong)
{
    const char *words[VERB_COUNT];
    for (int i = 0; i < VERB_COUNT; ++i) {
        words[i] = verbs[i]->name;
    }
    return sn_suggest(wrong, words, VERB_COUNT);
}
