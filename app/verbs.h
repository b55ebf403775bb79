// Every verb of the command, in the order in which help lists them. A verb lives in verb_<name>.c:
// its option table, its examples and the function behind it.
#ifndef SN_APP_VERBS_H
#define SN_APP_VERBS_H

#include "options.h"

extern const sn_verb sn_verb_run, sn_verb_check, sn_verb_info, sn_verb_equilibrium, sn_verb_modes,
    sn_verb_balance, sn_verb_plot, sn_verb_render, sn_verb_export, sn_verb_replay, sn_verb_scenes,
    sn_verb_verify, sn_verb_view, sn_verb_bench, sn_verb_schema, sn_verb_reference, sn_verb_model,
    sn_verb_surf, sn_verb_coloring, sn_verb_energy, sn_verb_showen, sn_verb_convert, sn_verb_show3d,
    sn_verb_sim, sn_verb_help;

const sn_verb *sn_verb_at(int index); // NULL beyond the last
const sn_verb *sn_verb_find(const char *name);
const char *sn_verb_suggest(const char *wrong); // NULL: nothing near

#endif
