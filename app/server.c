#include "server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "interrupt.h"
#include "page_files.h"
#include "sinew/live.h"
#include "terminal.h"

#define MESSAGES_A_SECOND 1000.0
#define MESSAGES_AT_ONCE  2000.0
#define BYTES_A_SECOND    (4.0 * 1048576.0)
#define BYTES_AT_ONCE     (24.0 * 1048576.0)
#define STUCK_TIME        10.0 // s that a client may leave its messages untaken
#define LINES_A_SECOND    10.0 // of refusals on stderr
#define LINES_AT_ONCE     100.0

enum { HEADER_TIME = 2, HEADER_POOL = 1024 }; // s; requests at once
enum { SEND_BUFFER = 64 << 10, CHUNK = 16 << 10, HEADERS = 2048, LOOK_EVERY = 200000 }; // us

struct sn_server {
    const sn_arguments *arguments;
    struct lws_context *context;
    struct lws_vhost *vhost;
    sn_guard guard;
    sn_post *post;
    sn_allowance lines;
    int lines_left_out;
    struct lws *connections[SN_POST_BOXES];
    lws_sorted_usec_list_t timer; // until stdin is looked at again
    bool deaf;                    // stdin has ended
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static sn_server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

// One line for each thing refused; a flood of them is counted.
static void tell(sn_server *server, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(sn_server *server, const char *format, ...)
{
    char text[400], line[400];
    if (!sn_allowance_take(&server->lines, 1.0, now())) {
        server->lines_left_out += 1;
        return;
    }
    if (server->lines_left_out > 0) {
        fprintf(stderr, "sinew view: %d more refusals\n", server->lines_left_out);
        server->lines_left_out = 0;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "sinew view: %s\n", sn_printable(text, line, sizeof line));
}

// ---- who is there ----

static const char *header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t size)
{
    text[0] = '\0';
    if (lws_hdr_copy(wsi, text, (int)size, token) < 0) {
        snprintf(text, size, "(longer than %zu bytes)", size);
    }
    return text;
}

// What comes without a token comes with a wrong one.
static sn_token_state token_of(const sn_server *server, struct lws *wsi)
{
    char text[256];
    const char *token = lws_get_urlarg_by_name(wsi, "token=", text, sizeof text);
    return token != NULL ? sn_guard_token(&server->guard, token) : SN_TOKEN_WRONG;
}

static bool names_token(struct lws *wsi)
{
    char text[256];
    return lws_get_urlarg_by_name(wsi, "token=", text, sizeof text) != NULL;
}

static bool has_session(const sn_server *server, struct lws *wsi)
{
    char cookies[4096];
    return sn_guard_cookie(&server->guard,
                           header(wsi, WSI_TOKEN_HTTP_COOKIE, cookies, sizeof cookies));
}

static bool knows_host(sn_server *server, struct lws *wsi)
{
    char host[256];
    if (sn_guard_host(&server->guard, header(wsi, WSI_TOKEN_HOST, host, sizeof host))) {
        return true;
    }
    tell(server, "refused: a request for the host '%s', expected 127.0.0.1:%d", host,
         server->guard.port);
    return false;
}

// ---- pages ----

typedef struct http_session {
    const unsigned char *body;
    size_t size, at;
    char page[1280]; // that was made for this request
} http_session;

typedef struct http_answer {
    unsigned code;
    const char *type;
    const void *body;
    size_t size;
    bool packed, lasting;     // by gzip; its name changes with its content
    const char *cookie, *way; // headers, or NULL
} http_answer;

static bool add(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

static bool add_security(const sn_server *server, struct lws *wsi, unsigned char **at,
                         unsigned char *end)
{
    char policy[512];
    int port = server->guard.port;
    // Styles are set by scripts on elements; workers and worklets may be made of blobs.
    snprintf(
        policy, sizeof policy,
        "default-src 'self'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src "
        "'self' data: blob:; media-src 'self' blob:; worker-src 'self' blob:; connect-src 'self' "
        "ws://127.0.0.1:%d ws://localhost:%d; object-src 'none'; base-uri 'none'; form-action "
        "'none'; frame-ancestors 'none'",
        port, port);
    return add(wsi, "content-security-policy:", policy, at, end) &&
           add(wsi, "x-content-type-options:", "nosniff", at, end) &&
           add(wsi, "x-frame-options:", "DENY", at, end) &&
           add(wsi, "referrer-policy:", "no-referrer", at, end) &&
           add(wsi, "cross-origin-opener-policy:", "same-origin", at, end) &&
           add(wsi, "cross-origin-resource-policy:", "same-origin", at, end) &&
           add(wsi,
               "permissions-policy:", "microphone=(self), camera=(), geolocation=(), payment=()",
               at, end);
}

static int respond(sn_server *server, struct lws *wsi, http_session *session,
                   const http_answer *answer)
{
    unsigned char buffer[LWS_PRE + HEADERS], *at = buffer + LWS_PRE, *start = at,
                                             *end = buffer + sizeof buffer - 1;
    bool made =
        lws_add_http_common_headers(wsi, answer->code, answer->type, answer->size, &at, end) == 0 &&
        add_security(server, wsi, &at, end) &&
        add(wsi,
            "cache-control:", answer->lasting ? "private, max-age=31536000, immutable" : "no-store",
            &at, end);
    made = made && (!answer->packed || add(wsi, "content-encoding:", "gzip", &at, end));
    made = made && (answer->cookie == NULL || add(wsi, "set-cookie:", answer->cookie, &at, end));
    made = made && (answer->way == NULL || add(wsi, "location:", answer->way, &at, end));
    if (!made || lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return 1;
    }
    session->body = answer->body;
    session->size = answer->size;
    session->at = 0;
    bool head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (answer->size == 0 || head) {
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int respond_text(sn_server *server, struct lws *wsi, http_session *session, unsigned code,
                        const char *text)
{
    http_answer answer = {code, "text/plain; charset=utf-8", text, strlen(text)};
    return respond(server, wsi, session, &answer);
}

// The token in the address is turned into a cookie, and goes out of the address. Who has the cookie
// already spends nothing.
static int welcome(sn_server *server, struct lws *wsi, http_session *session)
{
    char cookie[128];
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Strict",
             server->guard.cookie, server->guard.session);
    bool known = has_session(server, wsi);
    http_answer answer = {303, "text/plain", "", 0, .cookie = known ? NULL : cookie, .way = "/"};
    if (!known) {
        sn_guard_spend(&server->guard);
    }
    return respond(server, wsi, session, &answer);
}

static const char turned_away[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sinew</title>"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<style>body{font:18px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em;"
    "color-scheme:light dark}h1{font-size:1.4em}</style>"
    "<h1>%s</h1><p>%s</p><p>To open the live view here, press Enter in the terminal where "
    "<code>sinew view</code> runs: it prints a new address. Without a terminal, start it again. "
    "In the browser that has it open already, further windows need no token: "
    "<code>http://127.0.0.1:%d/</code>.</p></html>\n";

static int turn_away(sn_server *server, struct lws *wsi, http_session *session, const char *path,
                     sn_token_state token)
{
    bool spent = token == SN_TOKEN_SPENT, named = names_token(wsi);
    tell(server, "refused: '%s' %s", path,
         spent   ? "with a token that was used already; Enter here prints a new address"
         : named ? "with a wrong token"
                 : "without the token");
    snprintf(session->page, sizeof session->page, turned_away,
             spent ? "This address was used already" : "This address does not let you in",
             spent   ? "The token in it lets one browser in, once."
             : named ? "The token in it is not the one that <code>sinew view</code> has printed."
                     : "It needs the token that <code>sinew view</code> prints with its address.",
             server->guard.port);
    http_answer answer = {403, "text/html; charset=utf-8", session->page, strlen(session->page)};
    return respond(server, wsi, session, &answer);
}

static int serve(sn_server *server, struct lws *wsi, http_session *session, const char *path)
{
    char accepts[256];
    bool asked = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0 ||
                 lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (!asked) {
        tell(server, "refused: a request that is not GET");
        return respond_text(server, wsi, session, 405, "only GET is known here\n");
    }
    if (!knows_host(server, wsi)) {
        return respond_text(server, wsi, session, 403, "this is not the host you asked for\n");
    }
    sn_token_state token = token_of(server, wsi);
    bool known = has_session(server, wsi);
    bool gets = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0; // a look at the head is no use
    if (strcmp(path, "/") == 0 && names_token(wsi) && gets && (known || token == SN_TOKEN_GOOD)) {
        return welcome(server, wsi, session);
    }
    if (!known) {
        return turn_away(server, wsi, session, path, token);
    }
    const sn_embedded_file *file = sn_page_find(path);
    if (file == NULL && sn_page_file_count == 0 && strcmp(path, "/") == 0) {
        http_answer missing = {200, sn_page_type("/"), sn_page_missing, strlen(sn_page_missing)};
        return respond(server, wsi, session, &missing);
    }
    if (file == NULL) {
        return respond_text(server, wsi, session, 404, "there is no such page\n");
    }
    if (strstr(header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, accepts, sizeof accepts), "gzip") ==
        NULL) {
        return respond_text(server, wsi, session, 406, "ask with accept-encoding: gzip\n");
    }
    http_answer answer = {
        200,        sn_page_type(path), file->data,
        file->size, .packed = true,     .lasting = strncmp(path, "/assets/", 8) == 0};
    return respond(server, wsi, session, &answer);
}

static int send_body(struct lws *wsi, http_session *session)
{
    unsigned char buffer[LWS_PRE + CHUNK];
    size_t left = session->size - session->at, part = left < CHUNK ? left : CHUNK;
    if (session->body == NULL) {
        return 0;
    }
    memcpy(buffer + LWS_PRE, session->body + session->at, part);
    session->at += part;
    bool last = session->at == session->size;
    if (lws_write(wsi, buffer + LWS_PRE, part, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) !=
        (int)part) {
        return 1;
    }
    if (last) {
        session->body = NULL;
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    sn_server *server = server_of(wsi);
    char path[512];
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        snprintf(path, sizeof path, "%.*s", (int)length, (const char *)in);
        return serve(server, wsi, user, path);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_body(wsi, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        tell(server, "refused: a connection without the subprotocol 'sinew'");
        lws_return_http_status(wsi, 400, NULL);
        return -1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        for (int i = 0; i < SN_POST_BOXES; ++i) {
            if (server->connections[i] != NULL &&
                (sn_post_is_waiting(server->post, i) || sn_post_is_dropped(server->post, i))) {
                lws_callback_on_writable(server->connections[i]);
            }
        }
        return 0;
    default:
        return 0;
    }
}

// ---- messages ----

typedef struct live_session {
    int box; // from 1; 0: none
    sn_allowance messages, bytes;
    double sent_at; // when something could last be sent, or nothing waited
    unsigned char *gathered;
    size_t count, room;
    bool closing;
} live_session;

// Who may open /live: the page itself with its cookie; a program with the cookie, or with the
// token, which is spent. Pages of others, whose browser would send the cookie along, have their
// Origin.
static bool may_connect(sn_server *server, struct lws *wsi)
{
    char origin[256], path[64];
    if (!knows_host(server, wsi)) {
        return false;
    }
    if (strcmp(header(wsi, WSI_TOKEN_GET_URI, path, sizeof path), "/live") != 0) {
        tell(server, "refused: a connection to '%s', expected /live", path);
        return false;
    }
    bool from_page = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;
    if (from_page &&
        !sn_guard_origin(&server->guard, header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin))) {
        tell(server, "refused: a connection from a page of '%s'", origin);
        return false;
    }
    if (has_session(server, wsi)) {
        return true;
    }
    sn_token_state token = token_of(server, wsi);
    if (token == SN_TOKEN_GOOD) {
        sn_guard_spend(&server->guard);
        return true;
    }
    tell(server, "refused: a connection %s",
         token == SN_TOKEN_SPENT ? "with a token that was used already"
         : from_page             ? "of a page without its cookie; open the printed address"
                                 : "with a wrong token, or without one");
    return false;
}

static int close_with(sn_server *server, struct lws *wsi, live_session *session,
                      enum lws_close_status status, const char *why)
{
    if (!session->closing) {
        tell(server, "client dropped: %s", why);
        lws_close_reason(wsi, status, (unsigned char *)(size_t)why, strlen(why));
        session->closing = true;
    }
    return -1;
}

static int establish(sn_server *server, struct lws *wsi, live_session *session)
{
    double time = now();
    *session =
        (live_session){.messages = {MESSAGES_A_SECOND, MESSAGES_AT_ONCE, MESSAGES_AT_ONCE, time},
                       .bytes = {BYTES_A_SECOND, BYTES_AT_ONCE, BYTES_AT_ONCE, time},
                       .sent_at = time};
    int box = sn_post_open(server->post);
    if (box < 0) {
        return close_with(server, wsi, session, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                          "there are 50 clients already");
    }
    session->box = box + 1;
    server->connections[box] = wsi;
    // What the system keeps for a slow client is old when it arrives: little of it.
    int size = SEND_BUFFER;
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    return 0;
}

static int receive(sn_server *server, struct lws *wsi, live_session *session, const void *in,
                   size_t length)
{
    double time = now();
    if (lws_is_first_fragment(wsi) && !sn_allowance_take(&session->messages, 1.0, time)) {
        return close_with(server, wsi, session, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                          "more than 1000 messages a second");
    }
    if (!sn_allowance_take(&session->bytes, (double)length, time)) {
        return close_with(server, wsi, session, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                          "more than 4 MB a second");
    }
    if (session->count + length > SN_LIVE_MESSAGE_LIMIT) {
        return close_with(server, wsi, session, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE,
                          "a message of more than 8 MB");
    }
    bool whole = lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi);
    if (!whole && session->count + length > session->room) {
        size_t room = 2 * (session->count + length);
        unsigned char *grown = sn_reallocate(session->gathered, room);
        if (grown == NULL) {
            return close_with(server, wsi, session, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION,
                              "out of memory");
        }
        session->gathered = grown;
        session->room = room;
    }
    if (!whole && length > 0) {
        memcpy(session->gathered + session->count, in, length);
        session->count += length;
    }
    if (!lws_is_final_fragment(wsi)) {
        return 0;
    }
    sn_letter *letter = sn_letter_make(whole ? in : session->gathered,
                                       whole ? length : session->count, lws_frame_is_binary(wsi));
    sn_free(session->gathered);
    session->gathered = NULL;
    session->count = session->room = 0;
    if (letter == NULL || !sn_post_put(server->post, session->box - 1, letter)) {
        return close_with(server, wsi, session, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                          "the engine cannot keep up with its messages");
    }
    return 0;
}

static int send_next(sn_server *server, struct lws *wsi, live_session *session)
{
    _Static_assert(SN_LETTER_HEAD >= LWS_PRE, "room for the head of a frame");
    bool more = false;
    sn_letter *letter = sn_post_next(server->post, session->box - 1, &more);
    session->sent_at = now();
    if (letter == NULL) {
        return sn_post_is_dropped(server->post, session->box - 1)
                   ? close_with(server, wsi, session, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                                "its answers pile up, or memory has run out")
                   : 0;
    }
    int sent = lws_write(wsi, letter->bytes + SN_LETTER_HEAD, letter->size,
                         letter->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    bool failed = sent < (int)letter->size;
    sn_free(letter);
    if (more || sn_post_is_dropped(server->post, session->box - 1)) {
        lws_callback_on_writable(wsi);
    }
    return failed ? -1 : 0;
}

static int on_live(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    sn_server *server = server_of(wsi);
    live_session *session = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (!may_connect(server, wsi)) {
            lws_return_http_status(wsi, 403, NULL);
            return -1;
        }
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        return establish(server, wsi, session);
    case LWS_CALLBACK_RECEIVE:
        return receive(server, wsi, session, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return session->box > 0 ? send_next(server, wsi, session) : 0;
    case LWS_CALLBACK_CLOSED:
        if (session->box > 0) {
            server->connections[session->box - 1] = NULL;
            sn_post_close(server->post, session->box - 1);
        }
        sn_free(session->gathered);
        session->gathered = NULL;
        return 0;
    default:
        return 0;
    }
}

// ---- the server ----

static const struct lws_protocols protocols[] = {
    {"http", on_http, sizeof(http_session), 4096, 0, NULL, 0},
    {"sinew", on_live, sizeof(live_session), 65536, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static bool listen_at(sn_server *server, int port)
{
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = port;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.user = server;
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    // A request whose headers are not there in full holds one of the pool until its time is up.
    // They come from this machine, in one piece: whoever sends half of one is not waited for.
    info.keepalive_timeout = 10;
    info.timeout_secs = HEADER_TIME;
    info.max_http_header_pool = HEADER_POOL;
    info.max_http_header_data = 8192;
    server->context = lws_create_context(&info);
    server->vhost = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    int got = server->vhost != NULL ? lws_get_vhost_listen_port(server->vhost) : -1;
    if (got <= 0) {
        if (server->context != NULL) {
            lws_context_destroy(server->context);
        }
        server->context = NULL;
        return false;
    }
    sn_guard_set_port(&server->guard, got);
    return true;
}

sn_server *sn_server_start(const sn_arguments *arguments, int port, bool elsewhere, sn_post *post)
{
    lws_set_log_level(0, NULL);
    sn_server *server = sn_allocate_zero(sizeof *server);
    if (server == NULL || !sn_guard_start(&server->guard)) {
        sn_complain(arguments, "no memory, or no randomness for a token");
        sn_free(server);
        return NULL;
    }
    server->arguments = arguments;
    server->post = post;
    server->lines = (sn_allowance){LINES_A_SECOND, LINES_AT_ONCE, LINES_AT_ONCE, now()};
    if (!listen_at(server, port) && !(elsewhere && listen_at(server, 0))) {
        sn_complain(arguments, "cannot listen on 127.0.0.1:%d; is another program there?", port);
        sn_free(server);
        return NULL;
    }
    return server;
}

void sn_server_address(const sn_server *server, char *address, size_t size)
{
    snprintf(address, size, "http://127.0.0.1:%d/?token=%s", server->guard.port,
             server->guard.token);
}

void sn_server_print_address(const sn_server *server)
{
    char address[128];
    sn_server_address(server, address, sizeof address);
    printf("%s\n", address);
    fflush(stdout);
}

// ---- lines on stdin ----

bool sn_server_takes_lines(const sn_server *server)
{
    struct stat about;
    return !server->deaf && fstat(STDIN_FILENO, &about) == 0 &&
           (isatty(STDIN_FILENO) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

// Reading a terminal from the background would stop the program.
static bool may_read(void)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    return (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp()) &&
           poll(&ready, 1, 0) == 1;
}

static void look_at_lines(lws_sorted_usec_list_t *timer)
{
    sn_server *server = lws_container_of(timer, sn_server, timer);
    char text[256];
    if (may_read()) {
        ssize_t got = read(STDIN_FILENO, text, sizeof text);
        server->deaf = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
        if (got > 0 && memchr(text, '\n', (size_t)got) != NULL) {
            if (!server->guard.spent) {
                sn_say(server->arguments, "the address was not used yet; it lets in once:");
            } else if (!sn_guard_renew(&server->guard)) {
                sn_complain(server->arguments, "no randomness for a token");
            }
            sn_server_print_address(server);
        }
    }
    if (sn_server_takes_lines(server)) {
        lws_sul_schedule(server->context, 0, timer, look_at_lines, LOOK_EVERY);
    }
}

void sn_server_wake(void *context)
{
    sn_server *server = context;
    lws_cancel_service(server->context);
}

// Clients that take nothing for long are dropped; their frames were skipped all along.
static void drop_stuck(sn_server *server, double time)
{
    for (int i = 0; i < SN_POST_BOXES; ++i) {
        struct lws *wsi = server->connections[i];
        live_session *session = wsi != NULL ? lws_wsi_user(wsi) : NULL;
        if (session == NULL) {
            continue;
        }
        if (!sn_post_is_waiting(server->post, i)) {
            session->sent_at = time;
        } else if (time - session->sent_at > STUCK_TIME && !session->closing) {
            tell(server, "client dropped: it has taken nothing for %g s", STUCK_TIME);
            session->closing = true;
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        }
    }
}

void sn_server_run(sn_server *server)
{
    double looked = now();
    if (sn_server_takes_lines(server)) {
        lws_sul_schedule(server->context, 0, &server->timer, look_at_lines, LOOK_EVERY);
    }
    while (!sn_interrupted() && lws_service(server->context, 0) >= 0) {
        double time = now();
        if (time - looked > 1.0) {
            looked = time;
            drop_stuck(server, time);
        }
    }
}

void sn_server_end(sn_server *server)
{
    if (server != NULL) {
        lws_sul_cancel(&server->timer);
        lws_context_destroy(server->context);
        sn_free(server);
    }
}
