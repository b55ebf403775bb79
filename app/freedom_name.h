// What a freedom of a world is called in tables.
#ifndef SN_APP_FREEDOM_NAME_H
#define SN_APP_FREEDOM_NAME_H

#include "sinew/mechanics.h"

enum { SN_FREEDOM_NAME_SIZE = 160 };

// "elbow", "wrist.2" for the second freedom of a joint with several, "bob.shift.x", "bob.turn.z".
const char *sn_freedom_name(const sn_world *world, int coordinate, char name[SN_FREEDOM_NAME_SIZE]);

#endif
