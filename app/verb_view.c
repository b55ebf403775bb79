// `sinew view`: a live world in the browser.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "interrupt.h"
#include "live_host.h"
#include "page_files.h"
#include "server.h"
#include "terminal.h"
#include "verbs.h"

enum { USUAL_PORT = 7463 };

extern char **environ;

static bool has_desktop(void)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (display != NULL && display[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

// Nobody waits for the browser, and its chatter stays out of the terminal.
static void open_browser(const char *address)
{
    char command[] = "xdg-open", copy[128];
    snprintf(copy, sizeof copy, "%s", address);
    char *words[] = {command, copy, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    signal(SIGCHLD, SIG_IGN);
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
    }
    (void)posix_spawnp(&child, command, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
}

static int serve(const sn_arguments *arguments, sn_live_host *host, sn_post *post)
{
    bool chosen = sn_option_given(arguments, "port");
    int port = (int)sn_option_number(arguments, "port", USUAL_PORT);
    sn_server *server = sn_server_start(arguments, port, !chosen, post);
    if (server == NULL) {
        return SN_EXIT_OUTPUT;
    }
    char address[128];
    sn_server_address(server, address, sizeof address);
    sn_interrupt_listen();
    int code = SN_EXIT_OK;
    if (!sn_live_host_run(host, post, sn_server_wake, server)) {
        sn_complain(arguments, "cannot start a thread");
        code = SN_EXIT_SIMULATION;
    } else {
        sn_server_print_address(server);
        if (sn_page_file_count == 0) {
            sn_say(arguments, "this build has no page (node was missing); see the address for how "
                              "to get it");
        }
        if (!sn_option_given(arguments, "run")) {
            sn_say(arguments, "waiting for a page: the clock starts when one is open");
        }
        if (!sn_option_given(arguments, "no-open") && has_desktop()) {
            open_browser(address);
        }
        sn_say(arguments, "the address lets in one browser, once; its further windows need no "
                          "token");
        sn_say(arguments, sn_server_takes_lines(server)
                              ? "Enter prints an address for another browser, Ctrl-C ends it"
                              : "Ctrl-C ends it");
        sn_server_run(server);
    }
    sn_post_stop(post);
    sn_live_host_end(host);
    sn_server_end(server);
    return code;
}

static int run(const sn_arguments *arguments)
{
    sn_scene_source source;
    const char *scene = arguments->operand_count > 0 ? arguments->operands[0] : "steel-fish";
    if (!sn_scene_source_find(arguments, scene, &source)) {
        return SN_EXIT_INPUT;
    }
    static sn_post post; // too large for a stack
    static sn_live_host host;
    sn_live_host_def def = {.source = &source,
                            .threads = (int)sn_option_number(arguments, "threads", 0.0),
                            .waits = !sn_option_given(arguments, "run")};
    int code = SN_EXIT_SIMULATION;
    if (!sn_post_start(&post)) {
        sn_complain(arguments, "out of memory");
    } else {
        if (sn_live_host_start(&host, arguments, &def)) {
            code = serve(arguments, &host, &post);
        } else {
            sn_live_host_end(&host);
        }
        sn_post_end(&post);
    }
    sn_scene_source_free(&source);
    return code;
}

static const sn_option options[] = {
    {.name = "port",
     .letter = 'p',
     .type = SN_OPTION_INTEGER,
     .value = "N",
     .fallback = "7463, or any",
     .doc = "where to listen on 127.0.0.1; 0 takes any free port",
     .minimum = 0,
     .maximum = 65535},
    {.name = "no-open", .doc = "do not open the browser, only print the address"},
    {.name = "run", .doc = "start the clock at once, not when the first page is open"},
    SN_OPTION_THREADS("the scene's"),
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew view", "a mobile, and the gallery of all built-in scenes"},
    {"sinew view my.json", "your own; it is read again whenever you save it"},
    {"sinew view my.json --no-open --port 9000", "only print the address"},
};

const sn_verb sn_verb_view = {
    .name = "view",
    .operands = "[SCENE]",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 0,
    .maximum_operands = 1,
    .summary = "watch and steer a scene in the browser while it runs",
    .description =
        "Serves a page on 127.0.0.1 and prints its address, which has a token in it that\n"
        "lets one browser in, once; opens the browser when there is a desktop. Enter prints\n"
        "an address for another browser. In the page: drag things, blow on them, turn\n"
        "params, go back in time, plot, record. The clock starts when the first page is\n"
        "open; --run starts it at once. The file is watched: on save it is read again, and\n"
        "goes on where it was if its bodies and joints are the same.",
    SN_VERB_TABLES,
    .run = run,
};
