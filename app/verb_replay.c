// sinew replay RECORDING: the run again, compared step by step.
#include <inttypes.h>

#include "base/error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "json_writer.h"
#include "progress.h"
#include "recording_source.h"
#include "terminal.h"
#include "verbs.h"

static bool show(void *user, double share)
{
    sn_progress_show(user, share, "");
    return !sn_interrupted();
}

static void print_json(sn_status status, const sn_replay *replay, uint64_t steps,
                       const char *message)
{
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_bool(&json, "same", status == SN_OK);
    sn_json_write_integer(&json, "steps", steps);
    sn_json_write_integer(&json, "compared", replay->compared);
    if (status == SN_ERROR_MISMATCH) {
        sn_json_write_integer(&json, "first_different", replay->first_different);
    } else {
        sn_json_write_null(&json, "first_different");
    }
    sn_json_write_text(&json, "message", message);
    sn_json_write_close(&json);
}

static int run(const sn_arguments *arguments)
{
    sn_recording *recording = NULL;
    int code = sn_recording_load(arguments, arguments->operands[0], &recording);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    sn_replay replay = {0};
    sn_recording_info info = sn_recording_get_info(recording);
    uint64_t steps = info.step_count;
    sn_interrupt_listen();
    sn_progress progress = sn_progress_start(arguments, "replay");
    sn_status status =
        sn_recording_replay(recording, (int)sn_option_number(arguments, "threads", 1), show,
                            &progress, &replay, &error);
    sn_progress_end(&progress);
    // A run cut short in its first moments has frames, but no hashes to compare with.
    if (status == SN_OK && steps == 0 && !info.complete) {
        status = sn_fail(&error, SN_ERROR_FORMAT, arguments->operands[0],
                         "holds no step that could be compared");
    }
    sn_recording_close(recording);
    if (sn_option_given(arguments, "json")) {
        print_json(status, &replay, steps, status != SN_OK ? sn_error_message(&error) : NULL);
    } else if (status == SN_OK) {
        printf("same: all %" PRIu64 " steps agree to the bit\n", replay.compared);
    }
    if (status == SN_ERROR_STOPPED) {
        sn_say(arguments, "interrupted after %" PRIu64 " of %" PRIu64 " steps, which agree",
               replay.compared, steps);
    } else if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
    }
    return sn_exit_for(status);
}

static const sn_option options[] = {
    SN_OPTION_THREADS("1"),
    {.name = "json", .doc = "print JSON"},
};

static const sn_example examples[] = {
    {"sinew replay out/tumbling-racket", "does this build give the same bits?"},
    {"sinew replay run.snrec --threads 4", "and with four threads?"},
};

const sn_verb sn_verb_replay = {
    .name = "replay",
    .operands = "RECORDING",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "run a recording again and compare every step",
    .description = "Builds the recorded scene, takes the recorded steps and compares the hash of\n"
                   "each. The first step that differs is named, and the exit code is then 1.",
    SN_VERB_TABLES,
    .run = run,
};
