// MuJoCo with its classical Runge-Kutta integrator: the peer whose motion comes closest to ours. In
// memory and loading it is mujoco.c.
#define PEER_INTEGRATOR mjINT_RK4
#define PEER_VARIANT
#include "mujoco.c"
