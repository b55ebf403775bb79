#include "recording_source.h"

#include "builtin.h"
#include "exit_code.h"
#include "files.h"
#include "terminal.h"

// The file behind an operand; a path too long to join is left as it is and then fails to open.
static const char *recording_path(const char *operand, char *path)
{
    if (!sn_path_is_folder(operand) ||
        sn_folder_join(operand, "recording.snrec", path, NULL) != SN_OK) {
        return operand;
    }
    return path;
}

// By its ending when it has a telling one, else by trying.
bool sn_operand_is_recording(const char *operand)
{
    char joined[SN_PATH_LIMIT];
    const char *path = recording_path(operand, joined);
    if (path != operand || sn_path_ends_with(path, ".snrec")) {
        return true;
    }
    if (sn_path_ends_with(path, ".json")) {
        return false;
    }
    sn_recording *recording = NULL;
    bool is_recording = sn_recording_open(path, &recording, NULL) == SN_OK;
    sn_recording_close(recording);
    return is_recording;
}

int sn_recording_load(const sn_arguments *arguments, const char *operand, sn_recording **recording)
{
    char joined[SN_PATH_LIMIT];
    sn_error error = {0};
    sn_status status = sn_recording_open(recording_path(operand, joined), recording, &error);
    if (status != SN_OK) {
        bool scene = sn_path_ends_with(operand, ".json") ||
                     (!sn_path_exists(operand) && sn_builtin_find(operand) != NULL);
        if (scene) {
            sn_complain(arguments,
                        "%s is a scene; `sinew run %s` makes the recording that is wanted", operand,
                        operand);
        } else {
            sn_complain(arguments, "%s", sn_error_message(&error));
        }
        return sn_exit_for(status);
    }
    sn_recording_info info = sn_recording_get_info(*recording);
    if (!info.complete) {
        sn_say(arguments,
               "the recording was cut short: %d sound frames up to %.6g s, then %llu lost bytes",
               info.frame_count, info.end_time, (unsigned long long)info.lost_bytes);
    }
    return SN_EXIT_OK;
}
