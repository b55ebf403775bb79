#include "verbs.h"

#include <string.h>

#include "base/suggest.h"

static const sn_verb *const verbs[] = {
    &sn_verb_run,           &sn_verb_view,
    &sn_verb_check,         &sn_verb_info,
    &sn_verb_equilibrium,   &sn_verb_modes,
    &sn_verb_balance,       &sn_verb_plot,
    &sn_verb_render,        &sn_verb_export,
    &sn_verb_replay,        &sn_verb_scenes,
    &sn_verb_verify,        &sn_verb_bench,
    &sn_verb_schema,        &sn_verb_reference,
    &sn_verb_thesis,        &sn_verb_thesis_model,
    &sn_verb_thesis_surf,   &sn_verb_thesis_coloring,
    &sn_verb_thesis_sim,    &sn_verb_thesis_energy,
    &sn_verb_thesis_showen, &sn_verb_thesis_convert,
    &sn_verb_thesis_show3d, &sn_verb_help,
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

const char *sn_verb_word(const sn_verb *verb, const sn_verb *parent)
{
    const char *blank = strchr(verb->name, ' ');
    if (parent == NULL) {
        return blank == NULL ? verb->name : NULL;
    }
    size_t length = strlen(parent->name);
    bool belongs = blank == verb->name + length && memcmp(verb->name, parent->name, length) == 0;
    return belongs ? blank + 1 : NULL;
}

// The verb of any other with this word, as "thesis sim" for "sim".
static const sn_verb *find_elsewhere(const char *word)
{
    for (int i = 0; i < VERB_COUNT; ++i) {
        const char *blank = strchr(verbs[i]->name, ' ');
        if (blank != NULL && strcmp(blank + 1, word) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

const sn_verb *sn_verb_choose(const sn_verb *parent, const char *word, const sn_verb *user)
{
    const char *words[VERB_COUNT];
    int count = 0;
    for (int i = 0; i < VERB_COUNT; ++i) {
        const char *own = sn_verb_word(verbs[i], parent);
        if (own != NULL && strcmp(own, word) == 0) {
            return verbs[i];
        }
        if (own != NULL) {
            words[count++] = own;
        }
    }
    const sn_verb *elsewhere = parent == NULL ? find_elsewhere(word) : NULL;
    const char *near = sn_suggest(word, words, count);
    if (elsewhere != NULL) {
        sn_usage_error(user, "'%s' is now `sinew %s`", word, elsewhere->name);
    } else if (near != NULL) {
        sn_usage_error(user, "unknown verb '%s'; did you mean '%s'?", word, near);
    } else {
        sn_usage_error(user, "unknown verb '%s'", word);
    }
    return NULL;
}
