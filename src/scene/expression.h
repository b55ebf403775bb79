// Expressions over a scene's params ("=draught*2 + sin(angle)"), compiled once and evaluated
// whenever a param changes; and over a running world, evaluated whenever a behaviour acts.
//
//     const char *names[] = {"draught", "angle"};
//     sn_expression expression;
//     sn_expression_compile("draught*2 + sin(angle)", length, names, 2, &expression, &error);
//     sn_expression_evaluate(&expression, (double[]){0.5, 0.1}, &value, &error);
//
// + - * / ^ (right to left, before the sign: -2^2 is -4), parentheses, pi, tau, g0 (9.80665), and
// the functions of SN_FUNCTION_LIST. Comparisons (< <= > >= == !=, not chained) give 1 or 0; && ||
// ! and a ? b : c take everything but 0 for true, and leave uncomputed what does not count. A
// number may carry one unit symbol ("30deg", "5 cm"); everything is in SI units, dimensions are not
// followed. A result that is not finite, or a division by zero on the way, is an error. The same
// inputs give the same bits on every machine.
//
// Where a world runs, probe('name') and of('thing', 'quantity') read it, in single or double
// quotes.
#ifndef SN_SCENE_EXPRESSION_H
#define SN_SCENE_EXPRESSION_H

#include "sinew/base.h"

// Name, least and most arguments, what it is.
#define SN_FUNCTION_LIST(X)                                                                        \
    X(SIN, "sin", 1, 1, "sine of an angle in radians")                                             \
    X(COS, "cos", 1, 1, "cosine")                                                                  \
    X(TAN, "tan", 1, 1, "tangent")                                                                 \
    X(ASIN, "asin", 1, 1, "arc sine")                                                              \
    X(ACOS, "acos", 1, 1, "arc cosine")                                                            \
    X(ATAN, "atan", 1, 1, "arc tangent")                                                           \
    X(ATAN2, "atan2", 2, 2, "angle of the point (x, y), from y and x")                             \
    X(SQRT, "sqrt", 1, 1, "square root")                                                           \
    X(ABS, "abs", 1, 1, "absolute value")                                                          \
    X(MIN, "min", 2, 16, "least of its arguments")                                                 \
    X(MAX, "max", 2, 16, "greatest of its arguments")                                              \
    X(EXP, "exp", 1, 1, "e to a power")                                                            \
    X(LOG, "log", 1, 1, "natural logarithm")                                                       \
    X(POW, "pow", 2, 2, "first to the power of the second")                                        \
    X(FLOOR, "floor", 1, 1, "next whole number below")                                             \
    X(CEIL, "ceil", 1, 1, "next whole number above")                                               \
    X(CLAMP, "clamp", 3, 3, "first, kept between the second and the third")                        \
    X(SIGN, "sign", 1, 1, "-1, 0 or 1")                                                            \
    X(MOD, "mod", 2, 2, "rest of the first divided by the second, with the second's sign")         \
    X(STEP, "step", 2, 2, "0 where the second is below the first, else 1")                         \
    X(SMOOTHSTEP, "smoothstep", 3, 3,                                                              \
      "0 below the first, 1 above the second, a smooth cubic of the third between")

typedef enum sn_expression_code {
#define X(id, name, least, most, text) SN_CODE_##id,
    SN_FUNCTION_LIST(X)
#undef X
        SN_CODE_NUMBER,
    SN_CODE_PARAM,
    SN_CODE_READ,
    SN_CODE_NEGATE,
    SN_CODE_NOT,
    SN_CODE_TRUTH, // 1 for everything but 0
    SN_CODE_JUMP,
    SN_CODE_JUMP_UNLESS, // takes a value, and jumps when it is 0
    SN_CODE_AND,         // jumps when the last value is 0, else takes it away
    SN_CODE_OR,          // jumps when the last value is not 0 and makes it 1, else takes it away
    SN_CODE_ADD,         // from here on: two values to one
    SN_CODE_SUBTRACT,
    SN_CODE_MULTIPLY,
    SN_CODE_DIVIDE,
    SN_CODE_POWER,
    SN_CODE_LESS,
    SN_CODE_LESS_OR_EQUAL,
    SN_CODE_GREATER,
    SN_CODE_GREATER_OR_EQUAL,
    SN_CODE_EQUAL,
    SN_CODE_NOT_EQUAL,
} sn_expression_code;

typedef struct sn_expression_step {
    sn_expression_code code;
    int count;    // arguments of a function, the index of a param or a reading, or where to jump
    double value; // of a number
    int offset;   // bytes from the start of the text, for messages
} sn_expression_step;

// A program for a stack machine. Zero is empty.
typedef struct sn_expression {
    sn_expression_step *data;
    int count, capacity;
} sn_expression;

#define SN_EXPRESSION_STACK 64

// What an expression may name beyond functions and constants.
typedef struct sn_expression_scope {
    const char *const *names; // plain names, in the order of the values to come
    int name_count;
    const char *named; // what they are, for messages: "a param of the scene"

    // What may be read of a running world; NULL: there is none. `find` gives the number of a
    // reading, for probe(thing) with a NULL quantity. `probes` are the names that are also
    // understood as plain words.
    sn_status (*find)(void *user, const char *thing, const char *quantity, int *number,
                      sn_error *error);
    const char *const *probes;
    int probe_count;
    void *user;
} sn_expression_scope;

// Where the numbers come from when it is evaluated.
typedef struct sn_expression_source {
    const double *values;                   // of the scope's names
    double (*read)(void *user, int number); // of a reading; may be NULL without any
    void *user;
} sn_expression_source;

// Errors carry no place; `offset` (may be NULL) gets the byte of the text that is wrong.
SN_API sn_status sn_expression_compile_in(const char *text, size_t length,
                                          const sn_expression_scope *scope,
                                          sn_expression *expression, int *offset, sn_error *error);
SN_API sn_status sn_expression_evaluate_from(const sn_expression *expression,
                                             const sn_expression_source *source, double *value,
                                             int *offset, sn_error *error);

// The same with params alone.
SN_API sn_status sn_expression_compile(const char *text, size_t length, const char *const *params,
                                       int param_count, sn_expression *expression, int *offset,
                                       sn_error *error);
SN_API sn_status sn_expression_evaluate(const sn_expression *expression, const double *params,
                                        double *value, int *offset, sn_error *error);
SN_API void sn_expression_free(sn_expression *expression);

// Letters, digits and _, not a digit first?
SN_API bool sn_expression_is_word(const char *name);

// Is this the name of a function or a constant, and so not to be had for a param?
SN_API bool sn_expression_reserves(const char *name);

#endif
