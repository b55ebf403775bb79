// Forms: the shapes of a body as given, and as collision sees them. Bodies of the same shapes share
// one form, within a world and with its copies; a form never changes.
#ifndef SN_MODEL_FORM_H
#define SN_MODEL_FORM_H

#include "collide/collider.h"
#include "sinew/shape.h"

typedef struct sn_form sn_form;

// The form of these shapes, with one reference; `like` (may be NULL) is shared when it is the same.
// `with_colliders`: shapes are to meet others, too. Fails where a shape cannot be collided with
// (the place in the error is the shape's number), or when memory runs out.
SN_API sn_status sn_form_make(const sn_shape *shapes, int count, bool with_colliders,
                              sn_form *const *like, int like_count, sn_form **form,
                              sn_error *error);

SN_API sn_form *sn_form_retain(sn_form *form);
SN_API void sn_form_release(sn_form *form); // NULL is allowed

SN_API const sn_shape *sn_form_shapes(const sn_form *form);
SN_API int sn_form_touching(const sn_form *form); // how many of its shapes touch
// One for each shape, empty for those that are only drawn. NULL: made without.
SN_API const sn_collider *sn_form_colliders(const sn_form *form);

#endif
