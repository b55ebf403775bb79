// MuJoCo with its classical Runge-Kutta integrator: the peer whose motion comes closest to ours.
#define PEER_INTEGRATOR mjINT_RK4
#include "mujoco.c"
