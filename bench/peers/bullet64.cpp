// Bullet in double precision: Debian's second build of the same library (bullet-float64).
#include "bullet.cpp"
