// Who may talk to the server of `sinew view`: secrets, names and rates. Pure functions, and no
// sockets.
//
// The token stands in the address that is printed, and lets in once: whoever opens that address
// first gets a cookie with another secret, the session, which all pages of that browser have from
// then on. For another browser a new token is made. Where there is a folder for it
// ($XDG_RUNTIME_DIR), the session is kept for the port, so that a page finds its way back after the
// server was started again.
//
// A browser sends the cookie with requests that other pages make, and resolves any name to
// 127.0.0.1 if its owner says so; so the Origin and the Host are looked at, too.
#ifndef SN_APP_GUARD_H
#define SN_APP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { SN_SECRET_SIZE = 33 }; // 128 bits as hexadecimal digits, and a zero

typedef struct sn_guard {
    char token[SN_SECRET_SIZE], session[SN_SECRET_SIZE];
    bool spent; // the token has let somebody in
    int port;
    char cookie[32]; // its name: cookies of one host are shared by all its ports
} sn_guard;

bool sn_guard_start(sn_guard *guard); // false: the system has no randomness to give
void sn_guard_set_port(sn_guard *guard, int port);

typedef enum sn_token_state { SN_TOKEN_WRONG, SN_TOKEN_SPENT, SN_TOKEN_GOOD } sn_token_state;

sn_token_state sn_guard_token(const sn_guard *guard, const char *given);
void sn_guard_spend(sn_guard *guard);
bool sn_guard_renew(sn_guard *guard); // another token; false: no randomness, the old one stays

// In a time that does not depend on where they differ.
bool sn_secret_same(const char *secret, const char *given);

bool sn_guard_host(const sn_guard *guard, const char *host);
bool sn_guard_origin(const sn_guard *guard, const char *origin);
bool sn_guard_cookie(const sn_guard *guard, const char *cookies); // of a Cookie header

// How much a client may send: a bucket that fills with time.
typedef struct sn_allowance {
    double rate, most; // a second; at once
    double left, then; // s
} sn_allowance;

bool sn_allowance_take(sn_allowance *allowance, double amount, double now);

// A line that is fit for a terminal: what is not printable becomes "?".
const char *sn_printable(const char *text, char *out, size_t size);

#endif
