// HTTP and WebSocket on 127.0.0.1 for `sinew view`, by libwebsockets: one thread, nothing waits.
//
// Served: the page, to whoever has the token or the session (guard.h), and /live, the messages of
// docs/protocol.md, to and from the post. Every refusal is a line on stderr. A line on stdin asks
// for another address, for another browser.
#ifndef SN_APP_SERVER_H
#define SN_APP_SERVER_H

#include "guard.h"
#include "options.h"
#include "post.h"

typedef struct sn_server sn_server;

// Port 0: any that is free; `elsewhere`: also when the port is taken. NULL, with a message on
// stderr, when there is no way to listen.
sn_server *sn_server_start(const sn_arguments *arguments, int port, bool elsewhere, sn_post *post);
// On stdout: the address with its token, which lets in once.
void sn_server_print_address(const sn_server *server);
void sn_server_address(const sn_server *server, char *address, size_t size);
bool sn_server_takes_lines(const sn_server *server); // stdin is somebody's
void sn_server_wake(void *server);                   // from any thread
void sn_server_run(sn_server *server);               // until interrupted
void sn_server_end(sn_server *server);

#endif
