// Sinew: things that hang, bend, lift and stick. Includes the whole public interface.
#ifndef SINEW_H
#define SINEW_H

#include "sinew/base.h"
#include "sinew/behaviour.h"
#include "sinew/breath.h"
#include "sinew/contact.h"
#include "sinew/counter.h"
#include "sinew/draw.h"
#include "sinew/elastic.h"
#include "sinew/geometry.h"
#include "sinew/joint.h"
#include "sinew/live.h"
#include "sinew/math.h"
#include "sinew/mechanics.h"
#include "sinew/mobile.h"
#include "sinew/motion.h"
#include "sinew/record.h"
#include "sinew/scene.h"
#include "sinew/shape.h"
#include "sinew/tetrahedra.h"
#include "sinew/thesis.h"
#include "sinew/wave.h"
#include "sinew/wind.h"
#include "sinew/world.h"

#endif
