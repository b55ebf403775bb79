// Who may talk to the server of `sinew view`: secrets, names and rates. Pure functions, and no
// sockets.
//
// The token stands in the address that is printed, and is new for every run. Whoever opens that
// address gets a cookie with another secret, the session, which a user's pages keep: where there is
// a folder for it ($XDG_RUNTIME_DIR), it is kept for the port, so that a page finds its way back
// after the server was started again.
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
    int port;
    char cookie[32]; // its name: cookies of one host are shared by all its ports
} sn_guard;

bool sn_guard_start(sn_guard *guard); // false: the system has no randomness to give
void sn_guard_set_port(sn_guard *guard, int port);

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
