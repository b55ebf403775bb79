// Every verb of the command, in the order in which help lists them. A verb lives in verb_<name>.c:
// its option table, its examples and the function behind it. The name of a verb that belongs to
// another has two words, as "thesis sim"; it lives in verb_thesis_sim.c.
#ifndef SN_APP_VERBS_H
#define SN_APP_VERBS_H

#include "options.h"

extern const sn_verb sn_verb_run, sn_verb_check, sn_verb_info, sn_verb_equilibrium, sn_verb_modes,
    sn_verb_balance, sn_verb_plot, sn_verb_render, sn_verb_export, sn_verb_replay, sn_verb_scenes,
    sn_verb_verify, sn_verb_view, sn_verb_bench, sn_verb_schema, sn_verb_reference, sn_verb_thesis,
    sn_verb_thesis_model, sn_verb_thesis_surf, sn_verb_thesis_coloring, sn_verb_thesis_energy,
    sn_verb_thesis_showen, sn_verb_thesis_convert, sn_verb_thesis_show3d, sn_verb_thesis_sim,
    sn_verb_help;

const sn_verb *sn_verb_at(int index); // NULL beyond the last
const sn_verb *sn_verb_find(const char *name);
// "sim" of "thesis sim" when the verb belongs to `parent`, or its name when parent is NULL and the
// verb belongs to none; else NULL.
const char *sn_verb_word(const sn_verb *verb, const sn_verb *parent);
// The verb `word` of `parent`, or of the command itself when that is NULL. When there is none, says
// so as a mistake in the use of `user`, with what may have been meant.
const sn_verb *sn_verb_choose(const sn_verb *parent, const char *word, const sn_verb *user);

#endif
