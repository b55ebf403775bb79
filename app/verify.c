#include "verify.h"

#include <math.h>
#include <string.h>

#include "terminal.h"

static const sn_verify_group *const groups[] = {
    &sn_verify_rigid,       &sn_verify_mass,    &sn_verify_energy,
    &sn_verify_articulated, &sn_verify_rotors,  &sn_verify_spring,
    &sn_verify_mobile,      &sn_verify_contact, &sn_verify_elastic};

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

// A heading for each case, then lines of at most 80 columns. A label that is too long for its
// column has a line of its own. --json has all digits.
static void print_line(sn_verify *verify, const char *what, double reference, double value,
                       double error, double limit, bool pass)
{
    enum { LABEL = 28 };
    const sn_arguments *arguments = verify->arguments;
    if (verify->headed != verify->current) {
        printf("%s: %s\n", verify->group->name, verify->current->name);
        verify->headed = verify->current;
    }
    if (strlen(what) > LABEL) {
        printf("  %s\n", what);
        what = "";
    }
    printf("  %-*s %12.6g %12.6g %8.2g %8.2g  %s%s%s\n", LABEL, what, reference, value, error,
           limit, sn_style_on(arguments, stdout, pass ? SN_STYLE_GREEN : SN_STYLE_RED),
           pass ? "ok" : "FAIL", sn_style_off(arguments, stdout));
    fflush(stdout);
}

void sn_verify_row(sn_verify *verify, const char *what, double reference, double value,
                   double error, double limit)
{
    bool pass = error <= limit;
    verify->passed += pass ? 1 : 0;
    verify->failed += pass ? 0 : 1;
    if (verify->as_json) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", verify->current->name, what[0] != '\0' ? ": " : "",
                 what);
        print_json(verify, name, reference, value, error, limit, pass);
    } else {
        print_line(verify, what, reference, value, error, limit, pass);
    }
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
