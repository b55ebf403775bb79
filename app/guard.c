#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- secrets ----

static bool make_secret(char secret[SN_SECRET_SIZE])
{
    unsigned char bytes[(SN_SECRET_SIZE - 1) / 2];
    ssize_t got;
    do {
        got = getrandom(bytes, sizeof bytes, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; ++i) {
        snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

bool sn_secret_same(const char *secret, const char *given)
{
    size_t length = strlen(given);
    unsigned char differs = length == SN_SECRET_SIZE - 1 ? 0 : 1;
    for (size_t i = 0; i < SN_SECRET_SIZE - 1; ++i) {
        differs |= (unsigned char)(secret[i] ^ (i < length ? given[i] : 0));
    }
    return differs == 0;
}

bool sn_guard_start(sn_guard *guard)
{
    *guard = (sn_guard){0};
    return make_secret(guard->token) && make_secret(guard->session);
}

sn_token_state sn_guard_token(const sn_guard *guard, const char *given)
{
    if (!sn_secret_same(guard->token, given)) {
        return SN_TOKEN_WRONG;
    }
    return guard->spent ? SN_TOKEN_SPENT : SN_TOKEN_GOOD;
}

void sn_guard_spend(sn_guard *guard)
{
    guard->spent = true;
}

bool sn_guard_renew(sn_guard *guard)
{
    char token[SN_SECRET_SIZE];
    if (!make_secret(token)) {
        return false;
    }
    memcpy(guard->token, token, sizeof token);
    guard->spent = false;
    return true;
}

static bool is_secret(const char *text)
{
    return strlen(text) == SN_SECRET_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == SN_SECRET_SIZE - 1;
}

// The session of an earlier run on this port, if it was ours and nobody else could read it; else
// ours is kept for the next.
static void keep_session(sn_guard *guard)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    char path[1024], kept[SN_SECRET_SIZE] = "";
    if (folder == NULL || folder[0] != '/' ||
        snprintf(path, sizeof path, "%s/sinew-view-%d", folder, guard->port) >= (int)sizeof path) {
        return;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat about;
    if (file >= 0) {
        bool private = fstat(file, &about) == 0 && about.st_uid == geteuid() &&
                       (about.st_mode & 077) == 0 && S_ISREG(about.st_mode);
        ssize_t got = private ? read(file, kept, sizeof kept - 1) : 0;
        kept[got > 0 ? got : 0] = '\0';
        close(file);
    }
    if (is_secret(kept)) {
        memcpy(guard->session, kept, sizeof kept);
        return;
    }
    (void)unlink(path);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
        if (write(file, guard->session, SN_SECRET_SIZE - 1) != SN_SECRET_SIZE - 1) {
            (void)unlink(path);
        }
        close(file);
    }
}

void sn_guard_set_port(sn_guard *guard, int port)
{
    guard->port = port;
    snprintf(guard->cookie, sizeof guard->cookie, "sinew-%d", port);
    keep_session(guard);
}

// ---- names ----

bool sn_guard_host(const sn_guard *guard, const char *host)
{
    char wanted[2][32];
    snprintf(wanted[0], sizeof wanted[0], "127.0.0.1:%d", guard->port);
    snprintf(wanted[1], sizeof wanted[1], "localhost:%d", guard->port);
    return strcmp(host, wanted[0]) == 0 || strcmp(host, wanted[1]) == 0;
}

bool sn_guard_origin(const sn_guard *guard, const char *origin)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           sn_guard_host(guard, origin + sizeof scheme - 1);
}

bool sn_guard_cookie(const sn_guard *guard, const char *cookies)
{
    size_t name = strlen(guard->cookie);
    bool found = false;
    for (const char *at = cookies; *at != '\0';) {
        at += strspn(at, "; ");
        size_t length = strcspn(at, ";");
        if (length == name + SN_SECRET_SIZE && strncmp(at, guard->cookie, name) == 0 &&
            at[name] == '=') {
            char given[SN_SECRET_SIZE];
            memcpy(given, at + name + 1, SN_SECRET_SIZE - 1);
            given[SN_SECRET_SIZE - 1] = '\0';
            found = sn_secret_same(guard->session, given) || found;
        }
        at += length;
    }
    return found;
}

// ---- rates ----

bool sn_allowance_take(sn_allowance *allowance, double amount, double now)
{
    double more = (now - allowance->then) * allowance->rate;
    allowance->left += more > 0.0 ? more : 0.0;
    allowance->left = allowance->left < allowance->most ? allowance->left : allowance->most;
    allowance->then = now;
    if (amount > allowance->left) {
        return false;
    }
    allowance->left -= amount;
    return true;
}

const char *sn_printable(const char *text, char *out, size_t size)
{
    size_t at = 0;
    for (; at + 1 < size && text[at] != '\0'; ++at) {
        out[at] = text[at] >= 32 && text[at] < 127 ? text[at] : '?';
    }
    out[at] = '\0';
    return out;
}
