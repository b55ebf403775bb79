// Who hid whom from winds, as bytes, for states and copies: what would not come out the same when
// it is looked at anew.
#ifndef SN_MODEL_SHADE_MEMORY_H
#define SN_MODEL_SHADE_MEMORY_H

#include "model/shade_state.h"

size_t sn_shade_memory_size(const sn_shade *shade);
unsigned char *sn_shade_save_memory(const sn_shade *shade, unsigned char *at);
bool sn_shade_is_memory(const unsigned char *bytes, size_t size);
bool sn_shade_keep_memory(sn_shade *shade, const unsigned char *bytes, size_t size);
// Takes over what was kept, now that the bodies are known.
void sn_shade_take_memory(sn_shade *shade);

#endif
