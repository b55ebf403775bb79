#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "exit_code.h"
#include "scene/units.h"

// The value of a setting in the param's own unit: a bare number, or one with any unit of the same
// dimension.
static sn_status read_setting(const sn_setting *setting, const sn_param *param, double *value,
                              sn_error *error)
{
    char *end = NULL;
    *value = strtod(setting->value, &end);
    if (end != setting->value && *end == '\0' && isfinite(*value)) {
        return SN_OK;
    }
    const char *unit_text = param->unit != NULL ? param->unit : "";
    sn_unit given, own = {.multiply = 1.0, .divide = 1.0};
    bool has_unit;
    if (unit_text[0] != '\0' &&
        sn_units_read_unit(unit_text, strlen(unit_text), &own, error) != SN_OK) {
        return error->code;
    }
    if (sn_units_read(setting->value, strlen(setting->value), value, &given, &has_unit, NULL) !=
            SN_OK ||
        !sn_dimension_accepts(own.dimension, given.dimension)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "expected a number%s%s%s, got '%s'",
                       unit_text[0] != '\0' ? " in " : "", unit_text,
                       unit_text[0] != '\0' ? ", or with another unit of its kind" : "",
                       setting->value);
    }
    *value /= sn_unit_factor(&own);
    return SN_OK;
}

// The name is looked up here, for a suggestion.
static int set_param(const sn_verb *verb, sn_scene *scene, const sn_setting *setting)
{
    const char *names[256];
    int count = sn_scene_param_count(scene);
    sn_param param = {0};
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        sn_param known = sn_scene_param(scene, i);
        param = strcmp(known.name, setting->name) == 0 ? known : param;
        if (i < 256) {
            names[i] = known.name;
        }
    }
    double value = 0.0;
    if ((param.name == NULL || read_setting(setting, &param, &value, &error) == SN_OK) &&
        sn_scene_set_param(scene, setting->name, value, &error) == SN_OK) {
        return SN_EXIT_OK;
    }
    if (param.name != NULL) {
        return sn_usage_error(verb, "--set %s=%s: %s", setting->name, setting->value, error.text);
    }
    count = count < 256 ? count : 256;
    const char *near = sn_suggest(setting->name, names, count);
    char all[400] = "";
    for (int i = 0; near == NULL && i < count; ++i) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return sn_usage_error(verb, "--set %s=%s: %s; %s%s%s", setting->name, setting->value,
                          error.text, near != NULL ? "did you mean '" : "it has ",
                          near != NULL ? near
                          : count > 0  ? all
                                       : "none",
                          near != NULL ? "'?" : "");
}

int sn_apply_settings(const sn_arguments *arguments, sn_scene *scene)
{
    int code = SN_EXIT_OK;
    for (int i = 0; i < arguments->setting_count && code == SN_EXIT_OK; ++i) {
        code = set_param(arguments->verb, scene, &arguments->settings[i]);
    }
    return code;
}
