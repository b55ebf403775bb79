#include "blow.h"

#include <math.h>

#include "base/memory.h"
#include "exit_code.h"
#include "files.h"
#include "sinew/breath.h"
#include "sinew/wave.h"
#include "terminal.h"

static double strongest(const sn_motion *course)
{
    sn_motion_def points = sn_motion_points(course);
    double most = 0.0;
    for (int i = 0; i < points.count; ++i) {
        most = fmax(most, points.values[i]);
    }
    return most;
}

// What a person should know of the recording, and of the wind that it drives.
static void tell(const sn_arguments *arguments, const char *path, const sn_wave *wave,
                 const sn_breath *heard, const sn_motion *course, const sn_blow *blow)
{
    double seconds = (double)wave->count / wave->rate, most = strongest(course);
    sn_say(arguments, "%s: %.3g s of sound, at most %.0f %% of a full blow; drives the wind '%s'%s",
           path, seconds, 100.0 * most, blow->wind,
           blow->made ? ", a cone from the camera's side: no wind of the scene has \"breath\": true"
                      : "");
    if (most < 0.02) {
        sn_say(arguments,
               "%s: no breath is heard in it: it is silent, a voice, or without low tones", path);
    }
    if (heard->broken > 0) {
        sn_say(arguments, "%s: %llu samples are no numbers, and were taken for silence", path,
               (unsigned long long)heard->broken);
    }
    if ((double)heard->clipped > 0.01 * (double)heard->heard) {
        sn_say(arguments,
               "%s: %.0f %% of the samples are clipped; the blow is stronger than it sounds", path,
               100.0 * (double)heard->clipped / (double)heard->heard);
    }
}

int sn_apply_blow(const sn_arguments *arguments, sn_scene *scene)
{
    const char *path = sn_option_text(arguments, "blow", NULL);
    if (path == NULL) {
        return SN_EXIT_OK;
    }
    sn_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    sn_wave wave = {0};
    sn_breath heard = {0};
    sn_motion *course = NULL;
    sn_breath_def def = sn_default_breath_def();
    def.full_speed = 1.0; // shares
    sn_status status = sn_read_file(path, &bytes, &size, &error);
    int code = status == SN_OK ? SN_EXIT_OK : SN_EXIT_INPUT;
    if (status == SN_OK) {
        status = sn_wave_read(bytes, size, &wave, &error);
    }
    if (status == SN_OK) {
        status =
            sn_breath_course(def, wave.rate, wave.samples, wave.count, &course, &heard, &error);
    }
    sn_blow blow = {0};
    if (status == SN_OK) {
        status = sn_scene_blow(scene, course, &blow, &error);
    }
    if (status == SN_OK) {
        tell(arguments, path, &wave, &heard, course, &blow);
    } else {
        sn_complain(arguments, "--blow %s: %s", path, sn_error_message(&error));
        code = status == SN_ERROR_MEMORY ? SN_EXIT_SIMULATION : SN_EXIT_INPUT;
    }
    sn_motion_release(course);
    sn_wave_free(&wave);
    sn_free(bytes);
    return code;
}
