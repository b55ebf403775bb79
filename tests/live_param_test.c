// A param that is turned while a world runs takes effect, whatever key of a body it stands in: the
// world then goes on as one that was built with the new number and has the same state. Keys and
// their ranges are those of the scene table, so that a new key is tested without a line here.
#include "live_client.h"

#include "base/random.h"
#include "scene/model.h"

// ---- texts ----

typedef struct text_of {
    char data[8192];
    int length;
} text_of;

static void put(text_of *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int room = (int)sizeof text->data - text->length;
    text->length += vsnprintf(text->data + text->length, (size_t)room, format, arguments);
    va_end(arguments);
    assert_true(text->length < (int)sizeof text->data);
}

#define CUBE "[[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]" // corners
#define SURFACE                                                                                    \
    "[[0,2,1],[1,2,3],[4,5,6],[5,7,6],[0,1,4],[1,5,4],[2,6,3],[3,6,7],[0,4,2],[2,4,6],[1,3,5],[3," \
    "7,"                                                                                           \
    "5]]"

// Values that a number in its range alone does not give: lists that must fit each other, and
// numbers that must. P stands for the param, which is between 0.3 and 0.5.
typedef struct sample {
    const char *object, *key, *value;
} sample;

static const sample samples[] = {
    {"body", "inertia", "['=P','=P','=P']"},
    {"body", "rotation", "{'axis':[0,0,1],'angle':'=P'}"},
    {"body", "positions",
     "[['=0.1*P',0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"},
    {"body", "velocities", "[['=P',0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"},
    {"shape_common", "rotation", "{'axis':[0,0,1],'angle':'=P'}"},
    {"box", "rounding", "'=0.1*P'"},
    {"torus", "tube_radius", "'=0.2*P'"},
    {"mesh", "vertices", "[['=-P',0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"},
    {"extrusion", "outline", "[[0,0],['=P',0],[1,1],[0,1]]"},
    {"extrusion", "holes", "[[[0.2,0.2],[0.2,0.3],['=0.1*P+0.3',0.3]]]"},
    {"revolution", "profile", "[['=P',0],[1,0],[1,1]]"},
    {"sheet", "outline", "[[0,0],['=P',0],[1,1],[0,1]]"},
    {"sheet", "holes", "[[[0.2,0.2],[0.2,0.3],['=0.1*P+0.3',0.3]]]"},
    {"sheet", "thickness", "'=0.1*P'"},
    {"sheet", "bend_radius", "'=10+P'"},
    {"tube", "path", "[[0,0,0],['=P',0,0.5],[0,0,1]]"},
    {"tube", "radius", "'=0.1*P'"},
    {"hull", "points", "[['=-P',0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"},
    {"hull", "rounding", "'=0.1*P'"},
    {"height_field", "size", "['=4*P',2]"},
    {"height_field", "heights", "[[0,0,0],[0,'=0.1*P',0],[0,0,0]]"},
    {"height_field", "height", "'=0.1*P*x'"},
    {"torus_mesh", "tube_radius", "'=0.2*P'"},
    {"tube_mesh", "inner_radius", "'=0.5*P'"},
    {"extrusion_mesh", "outline", "[[0,0],['=P',0],[1,1],[0,1]]"},
    {"extrusion_mesh", "holes", "[[[0.2,0.2],[0.2,0.3],['=0.1*P+0.3',0.3]]]"},
    {"revolution_mesh", "profile", "[['=P',0],[1,0],[1,1]]"},
    {"surface_mesh", "vertices",
     "[['=-P',0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"},
    {"listed_mesh", "vertices", "[[0,0,0],['=P',0,0],[0,1,0],[0,0,1],[1,1,1]]"},
    {"listed_mesh", "elements", "[[0,1,2,3],[1,2,3,4]]"},
    {"listed_mesh", "regions", "[0,0]"},
    {"vertices_choice", "vertices", "['=floor(20*P)-3',1]"},
    {"box_choice", "box", "['=4*P',2,2]"},
    {"sphere_choice", "sphere", "'=0.6+P'"},
    {"plane_choice", "plane", "['=-P',0.1,0]"},
    {"damping", "frequencies", "['=2*P',20]"},
    {"damping", "ratios", "['=P',0.1]"},
    {"material", "bulk", "'=1e6*P'"},
    {"material", "shear", "'=1e5*P'"},
    {"material", "young", "'=1e5*P'"},
    {"material", "density", "'=1000*P'"},
    {"viscosity", "volume", "'=100*P'"},
    {"viscosity", "shape", "'=100*P'"},
    {"plastic", "yield_stress", "'=1000*P'"},
    {"plastic", "hardening", "'=1000*P'"},
    {"fibre", "stiffness", "'=1e5*P'"},
};

// What a key cannot be without.
static const sample companions[] = {
    {"damping", "frequencies", "'ratios':[0.1,0.1]"},
    {"damping", "ratios", "'frequencies':[1,20]"},
    {"material", "bulk", "'shear':1e5"},
    {"material", "shear", "'bulk':1e6"},
    {"mesh", "vertices", "'triangles':" SURFACE},
    {"mesh", "*", "'vertices':" CUBE ",'triangles':" SURFACE},
    {"hull", "points", ""},
    {"hull", "*", "'points':" CUBE},
    {"height_field", "heights", ""},
    {"height_field", "*", "'heights':[[0,0,0],[0,0.1,0],[0,0,0]]"},
    {"height_field", "height", "'columns':4,'rows':4"},
    {"height_field", "columns", "'height':'=0.1*x','rows':4"},
    {"height_field", "rows", "'height':'=0.1*x','columns':4"},
    {"body", "positions", "'velocities':" CUBE},
};

// A list of the scene's: what stands in it.
static const sn_object *table_of(const char *list)
{
    return sn_object_key(sn_scene_table(), sn_object_find_key(sn_scene_table(), list))->object;
}

static const char *find_sample(const sample *list, size_t count, const char *object,
                               const char *key)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].object, object) == 0 && strcmp(list[i].key, key) == 0) {
            return list[i].value;
        }
    }
    return NULL;
}

#define FIND(list, object, key) find_sample(list, sizeof(list) / sizeof *(list), object, key)

static void put_quoted(text_of *text, const char *value, const char *param)
{
    for (const char *c = value; *c != '\0'; ++c) {
        if (*c == 'P') {
            put(text, "%s", param);
        } else {
            put(text, "%c", *c == '\'' ? '"' : *c);
        }
    }
}

// The name that samples know an object's own and inherited keys by.
static const char *owner_of(const sn_object *object, const sn_key *key)
{
    bool inherited = object->base != NULL && sn_object_find_key(object->base, key->name) >= 0;
    return inherited ? object->base->name : object->name;
}

// An expression of `param` (0.3 to 0.5) that is in the key's range.
static void put_number(text_of *text, const sn_key *key, const char *param)
{
    double low = key->range == SN_RANGE_BETWEEN ? key->minimum : 0.0,
           high = key->range == SN_RANGE_BETWEEN ? fmin(key->maximum, low + 10.0) : 1.0;
    if (key->type == SN_KEY_WHOLE) {
        put(text, "\"=%g+floor(20*%s)-6\"", fmax(low, 3.0), param);
    } else {
        put(text, "\"=%.17g+%.17g*%s\"", low, high - low, param);
    }
}

// False: no param can stand there.
static bool put_value(text_of *text, const sn_object *object, const sn_key *key, const char *param)
{
    const char *given = FIND(samples, owner_of(object, key), key->name);
    if (given != NULL) {
        put_quoted(text, given, param);
        return strchr(given, 'P') != NULL;
    }
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
        put_number(text, key, param);
        return true;
    case SN_KEY_VECTOR:
        put(text, "[");
        for (int i = 0; i < 3; ++i) {
            put(text, i > 0 ? "," : "");
            bool whole = strcmp(key->name, "cells") == 0;
            put(text, whole ? "\"=1+floor(20*%s)-6\"" : "\"=%s\"", param);
        }
        put(text, "]");
        return true;
    case SN_KEY_NUMBERS:
    case SN_KEY_ROWS:
    case SN_KEY_QUANTITY:
    case SN_KEY_QUANTITIES:
    case SN_KEY_ROTATION:
    case SN_KEY_POINTS2:
    case SN_KEY_POINTS3:
    case SN_KEY_LOOPS:
    case SN_KEY_COURSE:
    case SN_KEY_FORMULA:
        fail_msg("%s.%s: there is no sample", owner_of(object, key), key->name);
        return false;
    default:
        return false;
    }
}

// The object with all it needs, and one key that the param is in. False: none can be.
static bool put_object(text_of *text, const sn_object *object, const sn_key *tested)
{
    bool first = true, any = false;
    put(text, "{");
    if (object->word != NULL) {
        put(text, "\"type\":\"%s\"", object->word);
        first = false;
    }
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        bool has_lead = object->lead != NULL && strcmp(object->lead, key->name) == 0;
        if (!key->required && !has_lead && key != tested) {
            continue;
        }
        put(text, first ? "\"%s\":" : ",\"%s\":", key->name);
        first = false;
        if (key->type == SN_KEY_TRIANGLES) {
            put(text, "%s", SURFACE);
        } else {
            bool can = put_value(text, object, key, key == tested ? "p" : "(0.4)");
            any = any || (can && key == tested);
        }
    }
    const char *companion = FIND(companions, owner_of(object, tested), tested->name);
    companion = companion != NULL ? companion : FIND(companions, object->name, "*");
    if (companion != NULL && companion[0] != '\0') {
        put(text, ",");
        put_quoted(text, companion, "");
    }
    put(text, "}");
    return any;
}

// ---- worlds ----

static sn_world *build_with(const char *text, double p)
{
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, NULL), SN_OK);
    if (sn_scene_set_param(scene, "p", p, &error) != SN_OK ||
        sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s\n%s", text, sn_error_message(&error));
    }
    sn_scene_destroy(scene);
    return world;
}

static void take_over(const sn_world *from, sn_world *to)
{
    size_t size = sn_world_state_size(from), memory = sn_world_contact_memory_size(from);
    unsigned char *bytes = malloc(size + memory);
    assert_non_null(bytes);
    assert_int_equal(sn_world_save_state(from, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(from, bytes + size, memory, NULL), SN_OK);
    assert_int_equal(sn_world_load_state(to, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(to, bytes + size, memory, NULL), SN_OK);
    free(bytes);
}

typedef struct tally {
    int keys;    // that a param can stand in
    int started; // of which the world has nothing until a reset
    int felt;    // of the others: the old number would have led elsewhere
    int bad;
} tally;

enum { BEFORE = 12, AFTER = 24 };

static void go_on(sn_world *world, double h)
{
    sn_error error = {0};
    for (int i = 0; i < AFTER; ++i) {
        if (sn_world_step(world, h, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

// Would the old number, from the same state on, have led elsewhere?
static bool is_felt(const sn_world *live, const char *text, double p, double h, uint64_t end)
{
    sn_world *stale = build_with(text, p);
    bool felt = sn_world_state_size(stale) != sn_world_state_size(live);
    if (!felt) {
        take_over(live, stale);
        go_on(stale, h);
        felt = sn_world_hash(stale) != end;
    }
    sn_world_destroy(stale);
    return felt;
}

// Turns p from one number to another in a world that has run for a while.
static void turn(tally *t, const char *what, bool starts, const char *text, double p, double q)
{
    sn_error error = {0};
    listener *l = greet(make_live(1 << 20));
    if (sn_live_load_text(l->live, "t.json", text, strlen(text), &error) != SN_OK) {
        fail_msg("%s\n%s\n%s", what, text, sn_error_message(&error));
    }
    must(l, "{\"do\": \"pause\"}");
    must(l, "{\"do\": \"param\", \"name\": \"p\", \"value\": %.17g}", p);
    must(l, "{\"do\": \"reset\"}");
    step(l, BEFORE);
    must(l, "{\"do\": \"param\", \"name\": \"p\", \"value\": %.17g}", q);
    sn_live_advance(l->live, 0.0);
    double h = sn_scene_run(sn_live_scene(l->live)).step;
    sn_world *fresh = build_with(text, q), *copy = NULL;
    take_over(sn_live_world(l->live), fresh);
    assert_int_equal(sn_world_copy(sn_live_world(l->live), &copy, NULL), SN_OK);
    go_on(copy, h);
    go_on(fresh, h);
    uint64_t end_hash = sn_world_hash(fresh);
    bool good = sn_world_hash(copy) == end_hash;
    bool felt = is_felt(sn_live_world(l->live), text, p, h, end_hash);
    if (starts) {
        must(l, "{\"do\": \"reset\"}");
        sn_world *begun = build_with(text, q);
        good = good && sn_world_hash(begun) == sn_world_hash(sn_live_world(l->live));
        sn_world_destroy(begun);
    }
    t->keys += 1;
    t->started += starts;
    t->felt += felt;
    if (!good) {
        print_error("%s: from %g to %g, it goes on as something else\n", what, p, q);
        t->bad += 1;
    }
    sn_world_destroy(fresh);
    sn_world_destroy(copy);
    end(l);
}

// ---- bodies ----

typedef struct body_kind {
    const char *type, *made, *make; // the key that it is made by, and what of
} body_kind;

static const body_kind kinds[] = {
    {"rigid", "shape", "{'type':'box','size':[0.3,0.3,0.3]}"},
    {"static", "shape", "{'type':'box','size':[0.3,0.3,0.3]}"},
    {"elastic", "mesh", "{'type':'box','size':[1,1,1],'cells':[1,1,1]}"},
};

// Which kinds have a key: the table says so in words.
static bool has(const body_kind *kind, const sn_key *key)
{
    bool elastic = strcmp(kind->type, "elastic") == 0, rigid = strcmp(kind->type, "rigid") == 0;
    if (strncmp(key->text, "Elastic:", 8) == 0) {
        return elastic;
    }
    static const char *const rigid_keys[] = {"mass", "inertia", "centre"};
    for (size_t i = 0; i < sizeof rigid_keys / sizeof *rigid_keys; ++i) {
        if (strcmp(key->name, rigid_keys[i]) == 0) {
            return rigid;
        }
    }
    if (strcmp(key->name, "shape") == 0) {
        return !elastic;
    }
    bool still = strcmp(key->name, "position") == 0 || strcmp(key->name, "rotation") == 0;
    return strcmp(kind->type, "static") != 0 || still;
}

static void begin_text(text_of *text, const char *material)
{
    text->length = 0;
    put(text, "{\"sinew\":1,\"params\":{\"p\":{\"value\":0.4}},\"materials\":{\"m\":%s},",
        material);
    put(text, "\"bodies\":[{\"name\":\"ground\",\"type\":\"static\",\"position\":[0,0,-0.6],"
              "\"shape\":{\"type\":\"plane\"}}");
}

// A body of the kind, sliding on the ground or near it, with a value for one key.
static void add_body(text_of *text, const body_kind *kind, const char *name, const char *key,
                     const char *value)
{
    bool made = strcmp(key, kind->made) == 0, is_static = strcmp(kind->type, "static") == 0;
    put(text, ",{\"name\":\"%s\",\"type\":\"%s\",\"material\":\"m\"", name, kind->type);
    if (!made) {
        put(text, ",\"%s\":", kind->made);
        put_quoted(text, kind->make, "");
    }
    if (!is_static && strstr(key, "velocit") == NULL) {
        put(text, ",\"velocity\":[1,0.5,-4]");
    }
    put(text, key[0] != '\0' ? ",\"%s\":%s}" : "}", key, value);
}

static void end_text(text_of *text)
{
    put(text, "],\"run\":{\"step\":0.004}}");
}

// Two numbers that a random change goes between.
static void turn_randomly(tally *t, sn_random *random, const char *what, bool starts,
                          const char *text)
{
    double p = 0.3 + 0.2 * sn_random_unit(random), q = 0.3 + 0.2 * sn_random_unit(random);
    turn(t, what, starts, text, p, q);
}

static void try_value(tally *t, sn_random *random, const body_kind *kind, const sn_key *key,
                      const char *what, const char *value)
{
    static text_of text;
    begin_text(&text, "{\"young\":100000}");
    add_body(&text, kind, "thing", key->name, value);
    add_body(&text, &kinds[0], "mate", "position", "[0.1,0.1,0.5]");
    end_text(&text);
    bool starts = key->change == SN_CHANGE_START && strcmp(kind->type, "static") != 0;
    turn_randomly(t, random, what, starts, text.data);
}

// Every key of an object that stands in a body's key.
static void try_object(tally *t, sn_random *random, const body_kind *kind, const sn_key *key,
                       const sn_object *object)
{
    static text_of value;
    bool ground = strcmp(object->name, "plane") == 0 || strcmp(object->name, "height_field") == 0;
    if (sn_object_find_key(object, "sensor") >= 0 &&
        ground != (strcmp(kind->type, "static") == 0)) {
        return; // some shapes cannot move; the others are tested where they do
    }
    int file = sn_object_find_key(object, "file");
    if (file >= 0 && sn_object_key(object, file)->required) {
        return; // there is none here
    }
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *own = sn_object_key(object, i);
        char what[200];
        snprintf(what, sizeof what, "%s %s %s.%s", kind->type, key->name, object->name, own->name);
        value.length = 0;
        if (!own->object && put_object(&value, object, own)) {
            try_value(t, random, kind, key, what, value.data);
        }
    }
}

static void try_key(tally *t, sn_random *random, const body_kind *kind, const sn_key *key)
{
    static text_of value;
    bool several = key->type == SN_KEY_OBJECTS || strcmp(key->name, "display") == 0;
    if (key->object != NULL && !several) { // lists of shapes are no other than one
        for (int i = 0; i < key->object->variant_count; ++i) {
            try_object(t, random, kind, key, key->object->variants[i]);
        }
        if (key->object->variant_count == 0) {
            try_object(t, random, kind, key, key->object);
        }
        return;
    }
    value.length = 0;
    if (!several && put_value(&value, table_of("bodies"), key, "p")) {
        char what[200];
        snprintf(what, sizeof what, "%s %s", kind->type, key->name);
        try_value(t, random, kind, key, what, value.data);
    }
}

static void check(const tally *t, int least_keys, int least_felt)
{
    print_message("%d keys, %d of how things begin, %d with an effect within %d steps\n", t->keys,
                  t->started, t->felt, AFTER);
    assert_int_equal(t->bad, 0);
    assert_true(t->keys >= least_keys && t->felt >= least_felt);
}

static void every_key_of_bodies_takes_effect(void **state)
{
    (void)state;
    tally t = {0};
    sn_random random = {.seed = 77};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        for (int i = 0; i < sn_object_key_count(table_of("bodies")); ++i) {
            const sn_key *key = sn_object_key(table_of("bodies"), i);
            if (has(&kinds[k], key)) {
                try_key(&t, &random, &kinds[k], key);
            }
        }
    }
    check(&t, 100, 50);
}

// ---- materials ----

static void try_material(tally *t, sn_random *random, const char *key, const char *value)
{
    static text_of text, material;
    char what[200];
    snprintf(what, sizeof what, "material %.30s: %.150s", key, value);
    const char *companion = FIND(companions, "material", key);
    material.length = 0;
    put(&material, "{\"%s\":%s", key, value);
    if (companion != NULL) {
        put(&material, ",");
        put_quoted(&material, companion, "");
    }
    put(&material, "}");
    begin_text(&text, material.data);
    add_body(&text, &kinds[0], "hard", "position", "[3,0,-0.45]");
    add_body(&text, &kinds[2], "thing", "", "");
    end_text(&text);
    turn_randomly(t, random, what, false, text.data);
}

static void every_key_of_materials_takes_effect(void **state)
{
    (void)state;
    tally t = {0};
    sn_random random = {.seed = 78};
    const sn_object *table = table_of("materials");
    static text_of value;
    for (int i = 0; i < sn_object_key_count(table); ++i) {
        const sn_key *key = sn_object_key(table, i);
        for (int k = 0; key->object != NULL && k < sn_object_key_count(key->object); ++k) {
            value.length = 0;
            if (put_object(&value, key->object, sn_object_key(key->object, k))) {
                try_material(&t, &random, key->name, value.data);
            }
        }
        value.length = 0;
        if (key->object == NULL && put_value(&value, table, key, "p")) {
            try_material(&t, &random, key->name, value.data);
        }
    }
    check(&t, 15, 10);
}

// ---- a scene that comes with the project ----

static void the_damping_of_the_beam_bench_is_felt(void **state)
{
    (void)state;
    static char text[1 << 16];
    FILE *file = fopen("scenes/beam-bench.json", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    sn_error error = {0};
    listener *l = greet(make_live(1 << 20));
    if (sn_live_load_text(l->live, "scenes/beam-bench.json", text, strlen(text), &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    must(l, "{\"do\": \"pause\"}");
    step(l, 3);
    sn_world *before = NULL;
    assert_int_equal(sn_world_copy(sn_live_world(l->live), &before, NULL), SN_OK);
    must(l, "{\"do\": \"param\", \"name\": \"damping\", \"value\": 0.4}");
    sn_live_advance(l->live, 0.0);
    assert_true(sn_world_hash(sn_live_world(l->live)) ==
                sn_world_hash(before)); // the state goes on
    step(l, 1);
    assert_int_equal(sn_world_step(before, sn_scene_run(sn_live_scene(l->live)).step, NULL), SN_OK);
    assert_true(sn_world_hash(sn_live_world(l->live)) != sn_world_hash(before));
    sn_world_destroy(before);
    end(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_bodies_takes_effect),
        cmocka_unit_test(every_key_of_materials_takes_effect),
        cmocka_unit_test(the_damping_of_the_beam_bench_is_felt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
