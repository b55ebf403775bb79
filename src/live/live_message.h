// Messages that come in, read field by field. Every reader gives false, with the error filled, when
// the field is not there or not of its kind.
#ifndef SN_LIVE_MESSAGE_H
#define SN_LIVE_MESSAGE_H

#include "live/live.h"

typedef struct sn_message {
    const sn_json *json;
    const char *doing; // the command's name, for errors
    sn_error *error;
} sn_message;

int sn_message_find(const sn_message *message, const char *key); // the value's node; -1: none
bool sn_message_number(const sn_message *message, const char *key, double minimum, double maximum,
                       double *value);
bool sn_message_integer(const sn_message *message, const char *key, double minimum, double maximum,
                        int64_t *value);
bool sn_message_vector(const sn_message *message, const char *key, sn_vec3 *value);
bool sn_message_string(const sn_message *message, const char *key, char text[SN_LIVE_NAME_LIMIT]);
// Left as it is where the field is not there.
bool sn_message_maybe_bool(const sn_message *message, const char *key, bool *value);
bool sn_message_node_string(const sn_message *message, int node, const char *key,
                            char text[SN_LIVE_NAME_LIMIT]);

// Fills the error and gives SN_ERROR_ARGUMENT.
sn_status sn_message_fail(const sn_message *message, const char *format, ...) SN_PRINTF(2, 3);

#endif
