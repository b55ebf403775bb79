// HTTP and WebSocket on 127.0.0.1 for `sinew view`, by libwebsockets: one thread, nothing waits.
//
// Served: the page, to whoever has the token or the session (guard.h), and /live, the messages of
// docs/protocol.md, to and from the post. Every refusal is a line on stderr.
#ifndef SN_APP_SERVER_H
#define SN_APP_SERVER_H

#include "guard.h"
#include "options.h"
#include "post.h"

typedef struct sn_server sn_server;

// Port 0: any that is free; `elsewhere`: also when the port is taken. NULL, with a message on
// stderr, when there is no way to listen.
sn_server *sn_server_start(const sn_arguments *arguments, int port, bool elsewhere, sn_post *post);
const sn_guard *sn_server_guard(const sn_server *server); // with the port that it listens on
void sn_server_wake(void *server);                        // from any thread
void sn_server_run(sn_server *server);                    // until interrupted
void sn_server_end(sn_server *server);

#endif
