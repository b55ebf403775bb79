// Units: "30deg", "5 mm", "9.81 m/s^2", "20 N m/rad", "3 kJ/(kg K)" as SI numbers with a dimension.
//
//     double value;
//     sn_unit unit;
//     if (sn_units_read("30 cm", &value, &unit, &error) == SN_OK &&
//         sn_dimension_accepts(SN_LENGTH, unit.dimension)) { use(value); } // 0.3
//
// A unit is a product of powers: factors stand side by side or are joined by * or "·"; / divides by
// the one factor after it; ^ (or ² ³) raises to a whole power; parentheses group. SI prefixes stand
// before SI units. Angles are a dimension of their own, so that "30deg" is no length; yet a unit
// without radians is taken where radians are expected ("2 1/s"), since a radian is a plain number.
// Temperatures are kelvin only: no offsets.
#ifndef SN_SCENE_UNITS_H
#define SN_SCENE_UNITS_H

#include "sinew/base.h"

// Powers of metre, kilogram, second, radian, kelvin, mole and ampere.
typedef struct sn_dimension {
    int8_t length, mass, time, angle, temperature, amount, current;
} sn_dimension;

// Every dimension that has a name: macro, powers (m kg s rad K mol A), its name with article, its
// SI unit, an example.
#define SN_DIMENSION_LIST(X)                                                                       \
    X(NUMBER, 0, 0, 0, 0, 0, 0, 0, "a plain number", "1", "0.5 or \"50%\"")                        \
    X(LENGTH, 1, 0, 0, 0, 0, 0, 0, "a length", "m", "0.3 or \"30cm\"")                             \
    X(AREA, 2, 0, 0, 0, 0, 0, 0, "an area", "m^2", "0.02 or \"200 cm^2\"")                         \
    X(VOLUME, 3, 0, 0, 0, 0, 0, 0, "a volume", "m^3", "0.002 or \"2 l\"")                          \
    X(MASS, 0, 1, 0, 0, 0, 0, 0, "a mass", "kg", "2.5 or \"2.5kg\"")                               \
    X(TIME, 0, 0, 1, 0, 0, 0, 0, "a time", "s", "0.005 or \"5ms\"")                                \
    X(ANGLE, 0, 0, 0, 1, 0, 0, 0, "an angle", "rad", "0.5236 or \"30deg\"")                        \
    X(TEMPERATURE, 0, 0, 0, 0, 1, 0, 0, "a temperature", "K", "293.15 or \"293.15K\"")             \
    X(AMOUNT, 0, 0, 0, 0, 0, 1, 0, "an amount of substance", "mol", "0.04 or \"40mmol\"")          \
    X(CURRENT, 0, 0, 0, 0, 0, 0, 1, "a current", "A", "2 or \"2A\"")                               \
    X(SPEED, 1, 0, -1, 0, 0, 0, 0, "a speed", "m/s", "2 or \"7.2 km/h\"")                          \
    X(ACCELERATION, 1, 0, -2, 0, 0, 0, 0, "an acceleration", "m/s^2", "9.81 or \"9.81 m/s^2\"")    \
    X(ANGULAR_SPEED, 0, 0, -1, 1, 0, 0, 0, "an angular speed", "rad/s", "3.14 or \"30rpm\"")       \
    X(FREQUENCY, 0, 0, -1, 0, 0, 0, 0, "a frequency", "1/s", "50 or \"50Hz\"")                     \
    X(FORCE, 1, 1, -2, 0, 0, 0, 0, "a force", "N", "300 or \"0.3kN\"")                             \
    X(TORQUE, 2, 1, -2, 0, 0, 0, 0, "an energy or a torque", "N m", "2 or \"2 N m\"")              \
    X(POWER, 2, 1, -3, 0, 0, 0, 0, "a power", "W", "60 or \"60W\"")                                \
    X(PRESSURE, -1, 1, -2, 0, 0, 0, 0, "a pressure", "Pa", "101325 or \"1.01325bar\"")             \
    X(VISCOSITY, -1, 1, -1, 0, 0, 0, 0, "a viscosity", "Pa s", "20 or \"20 Pa s\"")                \
    X(DENSITY, -3, 1, 0, 0, 0, 0, 0, "a density", "kg/m^3", "2700 or \"2.7 g/cm^3\"")              \
    X(STIFFNESS, 0, 1, -2, 0, 0, 0, 0, "a stiffness", "N/m", "300 or \"0.3 N/mm\"")                \
    X(DAMPING, 0, 1, -1, 0, 0, 0, 0, "a damping", "N s/m", "2 or \"2 N s/m\"")                     \
    X(QUADRATIC_DRAG, -1, 1, 0, 0, 0, 0, 0, "a quadratic drag", "N s^2/m^2", "0.01 or \"10 g/m\"") \
    X(ANGULAR_DAMPING, 2, 1, -1, -1, 0, 0, 0, "an angular damping", "N m s/rad",                   \
      "0.001 or \"1 mN m s/rad\"")                                                                 \
    X(ANGULAR_QUADRATIC_DRAG, 2, 1, 0, -2, 0, 0, 0, "an angular quadratic drag", "N m s^2/rad^2",  \
      "1e-5 or \"0.01 mN m s^2\"")                                                                 \
    X(ANGULAR_STIFFNESS, 2, 1, -2, -1, 0, 0, 0, "an angular stiffness", "N m/rad",                 \
      "20 or \"20 N m/rad\"")                                                                      \
    X(MOMENT_OF_INERTIA, 2, 1, 0, 0, 0, 0, 0, "a moment of inertia", "kg m^2",                     \
      "0.02 or \"200 kg cm^2\"")                                                                   \
    X(MOMENTUM, 1, 1, -1, 0, 0, 0, 0, "a momentum", "kg m/s", "2 or \"2 N s\"")                    \
    X(ANGULAR_MOMENTUM, 2, 1, -1, 0, 0, 0, 0, "an angular momentum", "kg m^2/s",                   \
      "2 or \"2 kg m^2/s\"")                                                                       \
    X(PITCH, 1, 0, 0, -1, 0, 0, 0, "a pitch", "m/rad", "0.0003 or \"2 mm/rev\"")

typedef enum sn_dimension_id {
#define X(id, a, b, c, d, e, f, g, name, unit, example) SN_##id,
    SN_DIMENSION_LIST(X)
#undef X
        SN_DIMENSION_COUNT,
    SN_ANY_DIMENSION = SN_DIMENSION_COUNT // whatever unit is given
} sn_dimension_id;

SN_API sn_dimension sn_dimension_powers(sn_dimension_id id);
SN_API const char *sn_dimension_unit(sn_dimension_id id);    // "m/s^2"
SN_API const char *sn_dimension_name(sn_dimension_id id);    // "an acceleration"
SN_API const char *sn_dimension_example(sn_dimension_id id); // "9.81 or \"9.81 m/s^2\""

// "a mass" for a dimension with a name, else its SI unit ("kg^2 m"), in the caller's buffer.
SN_API const char *sn_dimension_describe(sn_dimension dimension, char buffer[96]);

SN_API bool sn_dimension_accepts(sn_dimension expected, sn_dimension given);

// One unit is worth multiply / divide * 10^decimal SI units. Kept apart so that "5.1mm" is the
// double nearest to 0.0051.
typedef struct sn_unit {
    sn_dimension dimension;
    double multiply, divide;
    int decimal;
} sn_unit;

SN_API double sn_unit_factor(const sn_unit *unit); // SI units in one of these

// Reads a unit alone: "m/s". The error has no place.
SN_API sn_status sn_units_read_unit(const char *text, size_t length, sn_unit *unit,
                                    sn_error *error);

// Reads a number and its unit; `has_unit` tells "5" from "5 m". `value` is in SI units.
SN_API sn_status sn_units_read(const char *text, size_t length, double *value, sn_unit *unit,
                               bool *has_unit, sn_error *error);

// Reads one unit symbol with its prefix ("cm"), as used inside expressions; false when it is none.
SN_API bool sn_units_read_symbol(const char *text, size_t length, sn_unit *unit);

#endif
