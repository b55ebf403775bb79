#include "verify.h"

#include <math.h>

#include "terminal.h"

static const sn_verify_group *const groups[] = {
    &sn_verify_rigid,  &sn_verify_mass,    &sn_verify_energy, &sn_verify_articulated,
    &sn_verify_mobile, &sn_verify_contact, &sn_verify_elastic};

const sn_verify_group *sn_verify_group_at(int index)
{
    return index >= 0 && index < (int)(sizeof groups / sizeof groups[0]) ? groups[index] : NULL;
}

static void print_json(sn_verify *verify, const char *name, double reference, double value,
                       double error, double limit, bool pass)
{
    sn_json_writer *json = &verify->json;
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "group", verify->group->name);
    sn_json_write_text(json, "case", name);
    sn_json_write_number(json, "reference", reference);
    sn_json_write_number(json, "value", value);
    sn_json_write_number(json, "error", error);
    sn_json_write_number(json, "limit", limit);
    sn_json_write_bool(json, "pass", pass);
    sn_json_write_close(json);
}

void sn_verify_row(sn_verify *verify, const char *what, double reference, double value,
                   double error, double limit)
{
    char name[160];
    bool pass = error <= limit;
    snprintf(name, sizeof name, "%s%s%s", verify->current->name, what[0] != '\0' ? ": " : "", what);
    verify->passed += pass ? 1 : 0;
    verify->failed += pass ? 0 : 1;
    if (verify->as_json) {
        print_json(verify, name, reference, value, error, limit, pass);
        return;
    }
    const sn_arguments *arguments = verify->arguments;
    printf("%-11s %-70s %20.13g %20.13g %9.2g %9.2g  %s%s%s\n", verify->group->name, name,
           reference, value, error, limit,
           sn_style_on(arguments, stdout, pass ? SN_STYLE_GREEN : SN_STYLE_RED),
           pass ? "ok" : "FAILED", sn_style_off(arguments, stdout));
    fflush(stdout);
}

void sn_verify_near(sn_verify *verify, const char *what, double reference, double value,
                    double limit)
{
    sn_verify_row(verify, what, reference, value, fabs(value - reference), limit);
}

void sn_verify_relative(sn_verify *verify, const char *what, double reference, double value,
                        double limit)
{
    sn_verify_row(verify, what, reference, value, fabs(value - reference) / fabs(reference), limit);
}

bool sn_verify_broken(sn_verify *verify, sn_error *error)
{
    sn_complain(verify->arguments, "%s: %s", verify->current->name, sn_error_message(error));
    sn_verify_row(verify, "could not be run", 0.0, NAN, NAN, 0.0);
    return false;
}
