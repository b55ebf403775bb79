// Every mistake a person can make in a scene: refused with its place and what was expected, never
// with a crash.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/text.h"
#include "sinew/scene.h"

typedef struct mistake {
    const char *text;
    const char *messages[4]; // each must be the start of the error of that number
} mistake;

#define BODY(inside)  "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", " inside "}]}"
#define SHAPE(inside) BODY("\"shape\": {" inside "}")
#define FIELD(inside)                                                                              \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", "          \
    "\"radius\": 1}}],\n\"fields\": [{" inside "}]}"
#define PROBE(inside)                                                                              \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", "          \
    "\"radius\": 1}}],\n\"fields\": [{\"name\": \"air\", \"type\": \"drag\"}, {\"name\": "         \
    "\"coil\", \"type\": \"spring\", \"a\": \"ball\", \"stiffness\": 1}],\n\"probes\": [{" inside  \
    "}]}"
#define BALL ", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"

static const mistake mistakes[] = {
    // the outermost object
    {"{}", {"t:1:1: a scene needs the key \"sinew\": Version of the format: 1."}},
    {"{\"sinew\": 2}", {"t:1:11: \"sinew\" must be 1, got 2"}},
    {"{\"sinew\": \"1\"}", {"t:1:11: \"sinew\": expected a plain number"}},
    {"{\"sinew\": 1, \"bodis\": []}",
     {"t:1:14: unknown key \"bodis\" in a scene; did you mean \"bodies\"? Expected one of: "
      "$schema, sinew,"}},
    {"{\"sinew\": 1, \"bodies\": {}}",
     {"t:1:24: \"bodies\": expected a list of body objects in [ ], got an object"}},
    {"{\"sinew\": 1, \"bodies\": [5]}",
     {"t:1:25: expected a body, that is an object in { }, got 5"}},
    {"{\"sinew\": 1, \"name\": 5}",
     {"t:1:22: \"name\": expected a string in double quotes, got 5"}},
    {"{\"sinew\": 1, \"include\": 3}",
     {"t:1:25: \"include\": expected a string, or a list of strings in [ ], got 3"}},
    {"{\"sinew\": 1, \"gravity\": 9.81}",
     {"t:1:25: \"gravity\": expected 3 numbers [x, y, z], each an acceleration such as 9.81 or "
      "\"9.81 m/s^2\", got 9.81"}},
    {"{\"sinew\": 1, \"gravity\": [0, 9.81]}",
     {"t:1:25: \"gravity\": expected 3 numbers [x, y, z], each an acceleration such as 9.81 or "
      "\"9.81 m/s^2\", got 2"}},
    {"{\"sinew\": 1, \"gravity\": [0, 0, \"9.81 m/s\"]}",
     {"t:1:32: \"gravity\": expected an acceleration such as 9.81 or \"9.81 m/s^2\", got \"9.81 "
      "m/s\", a speed"}},
    {"{\"sinew\": 1, \"gravity\": [0, 0, 1e999]}",
     {"t:1:32: \"gravity\": this number is out of range"}},
    {"{\"sinew\": 1, \"gravity\": [0, 0, null]}",
     {"t:1:32: \"gravity\": expected an acceleration such as 9.81 or \"9.81 m/s^2\", got null"}},
    {"{\"sinew\": 1, \"run\": {\"policy\": \"precice\"}}",
     {"t:1:32: \"policy\": got \"precice\"; did you mean \"precise\"? Expected one of: lockstep, "
      "precise"}},
    {"{\"sinew\": 1, \"run\": {\"threads\": 1.5}}",
     {"t:1:33: \"threads\" must be a whole number, got 1.5"}},
    {"{\"sinew\": 1, \"run\": {\"threads\": 0}}",
     {"t:1:33: \"threads\" must lie between 1 and 256, got 0"}},
    {"{\"sinew\": 1, \"run\": {\"step\": 0}}", {"t:1:30: \"step\" must be greater than 0, got 0"}},
    {"{\"sinew\": 1, \"run\": {\"time\": \"-1s\"}}",
     {"t:1:30: \"time\" must not be negative, got -1"}},
    {"{\"sinew\": 1, \"camera\": {\"position\": [0, 0, 0]}}",
     {"t:1:24: the camera's position is its target"}},
    {"{\"sinew\": 1, \"camera\": {}}", {"t:1:24: a camera needs the key \"position\""}},
    {"{\"sinew\": 1, \"materials\": {\"x\": {\"density\": 0}}}",
     {"t:1:45: \"density\" must be greater than 0, got 0"}},
    {"{\"sinew\": 1, \"materials\": {\"x\": {\"colour\": \"red\"}}}",
     {"t:1:44: \"colour\": expected a colour such as \"#c08040\", got \"red\""}},
    {"{\"sinew\": 1, \"materials\": {\"x\": 5}}",
     {"t:1:33: expected a material, that is an object in { }, got 5"}},
    // bodies
    {"{\"sinew\": 1, \"bodies\": [{}]}", {"t:1:25: a body needs the key \"name\""}},
    {BODY("\"type\": \"rigit\"" BALL),
     {"t:1:47: \"type\": got \"rigit\"; did you mean \"rigid\"? Expected one of: rigid, static"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"\"" BALL "}]}", {"t:1:34: a name is empty"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"world\"" BALL "}]}",
     {"t:1:34: \"world\" has a meaning of its own"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\\nb\"" BALL "}]}",
     {"t:1:34: a name with a control character"}},
    {BODY("\"mass\": \"5mm\"" BALL),
     {"t:1:47: \"mass\": expected a mass such as 2.5 or \"2.5kg\", got \"5mm\", a length"}},
    {BODY("\"mass\": -2" BALL), {"t:1:47: \"mass\" must be greater than 0, got -2"}},
    {BODY("\"mass\": \"2 kgg\"" BALL),
     {"t:1:47: \"mass\": unknown unit \"kgg\"; did you mean \"kg\"?"}},
    {BODY("\"mass\": 2"),
     {"t:1:25: a rigid body needs \"shape\" or \"shapes\", or both \"mass\" and \"inertia\""}},
    {BODY("\"mass\": 1, \"inertia\": [1, 1, 3]"), {"t:1:61: body 'a': "}},
    {BODY("\"mass\": 1, \"inertia\": [1, 1, -1]"), {"t:1:61: body 'a': "}},
    {BODY("\"mass\": 1, \"inertia\": [1, 1]"),
     {"t:1:61: \"inertia\": expected at least 3 and at most 6 numbers, got 2"}},
    {BODY("\"mass\": 1, \"inertia\": [1, 1, 1, 0]"),
     {"t:1:61: \"inertia\": expected 3 or 6 numbers, got 4"}},
    {BODY("\"material\": \"brass\"" BALL),
     {"t:1:51: there is no material \"brass\", expected one of: (there are none)"}},
    {"{\"sinew\": 1, \"materials\": {\"brass\": {}}, \"bodies\": [{\"name\": \"a\", \"material\": "
     "\"bras\"" BALL "}]}",
     {"t:1:79: there is no material \"bras\"; did you mean \"brass\"?"}},
    {BODY("\"type\": \"static\", \"velocity\": [1, 0, 0]" BALL),
     {"t:1:69: a static body never moves and takes no \"velocity\""}},
    {BODY("\"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]" BALL),
     {"t:1:49: a body has both \"shape\" and \"shapes\""}},
    {BODY("\"shapes\": []"), {"t:1:49: \"shapes\": expected at least 1 shape objects, got 0"}},
    {BODY("\"angular_velocity\": [0, 0, 1], \"body_angular_velocity\": [0, 0, 1]" BALL),
     {"t:1:95: a body has both \"angular_velocity\" and"}},
    {BODY("\"rotation\": [0, 0, 0, 0]" BALL),
     {"t:1:51: \"rotation\": the quaternion has no direction"}},
    {BODY("\"rotation\": {\"axis\": [0, 0, 0], \"angle\": 1}" BALL),
     {"t:1:51: \"rotation\": the axis has no direction"}},
    {BODY("\"rotation\": {\"axis\": [0, 0, 1]}" BALL),
     {"t:1:51: \"rotation\": expected a rotation: [w, x, y, z], or"}},
    {BODY("\"rotation\": {\"axis\": [0, 0, 1], \"angel\": 1}" BALL),
     {"t:1:71: unknown key in a rotation"}},
    {BODY("\"rotation\": {\"axis\": [0, 0, 1], \"angle\": \"5kg\"}" BALL),
     {"t:1:80: \"angle\": expected an angle such as 0.5236 or \"30deg\", got \"5kg\", a mass"}},
    {BODY("\"rotation\": \"30deg\"" BALL), {"t:1:51: \"rotation\": expected a rotation"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\"" BALL "},\n{\"name\": \"a\"" BALL "}]}",
     {"t:2:10: the body \"a\" has the name of the one at t:1:34"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\"" BALL
     "}],\n\"fields\": [{\"name\": \"a\", \"type\": \"drag\"}]}",
     {"t:2:21: the field \"a\" has the name of the one at t:1:34"}},
    // shapes
    {SHAPE("\"radius\": 1"),
     {"t:1:48: a shape needs the key \"type\", one of: sphere, box, cylinder"}},
    {SHAPE("\"type\": \"shpere\", \"radius\": 1"),
     {"t:1:57: no shape has the type \"shpere\"; did you mean \"sphere\"? Expected one of: "
      "sphere, box"}},
    {SHAPE("\"type\": 5"), {"t:1:57: no shape has the type 5; expected one of"}},
    {SHAPE("\"type\": \"sphere\", \"radus\": 1"),
     {"t:1:67: unknown key \"radus\" in a sphere; did you mean \"radius\"?",
      "t:1:48: a sphere needs the key \"radius\""}},
    {SHAPE("\"type\": \"sphere\", \"radius\": \"5kg\""),
     {"t:1:77: \"radius\": expected a length such as 0.3 or \"30cm\", got \"5kg\", a mass"}},
    {SHAPE("\"type\": \"sphere\", \"radius\": \"0.3\""),
     {"t:1:77: \"radius\": expected a length such as 0.3 or \"30cm\", got \"0.3\", a number "
      "without unit"}},
    {SHAPE("\"type\": \"sphere\", \"radius\": 0"),
     {"t:1:77: \"radius\" must be greater than 0, got 0"}},
    {SHAPE("\"type\": \"box\", \"size\": [1, -1, 1]"),
     {"t:1:76: \"size\" must be greater than 0, got -1"}},
    {SHAPE("\"type\": \"torus\", \"radius\": 1, \"tube_radius\": 1"),
     {"t:1:94: \"tube_radius\" must be less than \"radius\""}},
    {SHAPE("\"type\": \"mesh\""),
     {"t:1:48: a mesh needs \"file\", or \"vertices\" and \"triangles\""}},
    {SHAPE("\"type\": \"mesh\", \"file\": \"a.stl\", \"unit\": \"kg\""),
     {"t:1:90: \"unit\": expected a unit of length such as \"mm\", got \"kg\""}},
    {SHAPE("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": "
           "[[0,2,1],[0,1,3],[1,2,3],[0,2,3]]"),
     {"t:1:77: mesh: "}},
    {SHAPE("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": "
           "[[0,2,1],[0,1,3],[1,2,3],[0,3,9]]"),
     {"t:1:77: mesh: "}},
    {SHAPE("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": "
           "[[0,2,1],[0,1,3],[1,2,3],[0,3]]"),
     {"t:1:150: \"triangles\": expected a triangle: three indices"}},
    {SHAPE("\"type\": \"extrusion\", \"height\": 1, \"outline\": [[0,0],[1,1],[1,0],[0,1]]"),
     {"t:1:48: extrusion: "}},
    {SHAPE("\"type\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]"),
     {"t:1:75: hull: "}},
    {SHAPE("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [[0,1,2]]"),
     {"t:1:77: mesh: the mesh has a hole"}},
    {BODY("\"type\": \"static\", \"shape\": {\"type\": \"mesh\", \"vertices\": "
          "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": [[0,1,2],[0,1,3]]}"),
     {"t:1:95: mesh: a face is turned over"}},
    // fields, probes, events
    {FIELD("\"type\": \"spring\", \"a\": \"bal\", \"stiffness\": 1"),
     {"t:2:36: there is no body \"bal\"; did you mean \"ball\"?"}},
    {FIELD("\"type\": \"spring\", \"a\": \"zebra\", \"stiffness\": 1"),
     {"t:2:36: there is no body \"zebra\", expected one of: world, ball"}},
    {FIELD("\"type\": \"spring\", \"a\": \"world\", \"stiffness\": 1"),
     {"t:2:12: a spring joins the world to itself"}},
    {FIELD("\"type\": \"spring\", \"a\": \"ball\", \"b\": \"ball\", \"stiffness\": 1"),
     {"t:2:12: a spring joins \"ball\" to itself"}},
    {FIELD("\"type\": \"spring\", \"a\": \"ball\", \"stiffness\": -1"),
     {"t:2:57: \"stiffness\" must not be negative"}},
    {FIELD("\"type\": \"spring\", \"a\": \"ball\", \"stiffness\": \"3 N\""),
     {"t:2:57: \"stiffness\": expected a stiffness such as 300 or \"0.3 N/mm\", got \"3 N\", a "
      "force"}},
    {FIELD("\"type\": \"sprng\""),
     {"t:2:21: no field has the type \"sprng\"; did you mean \"spring\"?"}},
    {FIELD("\"type\": \"drag\", \"of\": \"al\""),
     {"t:2:35: there is no body \"al\"; did you mean \"all\"?"}},
    {PROBE("\"name\": \"p\", \"quantity\": \"position.x\""),
     {"t:3:38: the world has no \"position.x\", expected it of a body (name it in \"of\")"}},
    {PROBE("\"name\": \"p\", \"of\": \"ball\", \"quantity\": \"length\""),
     {"t:3:52: a body has no \"length\", expected it of a spring"}},
    {PROBE("\"name\": \"p\", \"of\": \"air\", \"quantity\": \"force\""),
     {"t:3:51: a drag field has no \"force\""}},
    {PROBE("\"name\": \"p\", \"of\": \"coill\", \"quantity\": \"force\""),
     {"t:3:32: there is no body, joint, bond or field \"coill\"; did you mean \"coil\"?"}},
    {PROBE("\"name\": \"p\", \"quantity\": \"energy.totl\""),
     {"t:3:38: \"quantity\": got \"energy.totl\"; did you mean \"energy.total\"?"}},
    {"{\"sinew\": 1, \"events\": [{\"name\": \"e\", \"quantity\": \"time\", \"threshold\": "
     "\"3m\"}]}",
     {"t:1:72: \"threshold\": expected a number in s for \"time\", got a length"}},
    {"{\"sinew\": 1, \"events\": [{\"name\": \"e\", \"quantity\": \"time\", \"action\": "
     "\"halt\"}]}",
     {"t:1:69: \"action\": got \"halt\"; expected one of: mark, stop"}},
    // params and expressions
    {"{\"sinew\": 1, \"params\": {\"a\": {}}}", {"t:1:30: a param needs the key \"value\""}},
    {"{\"sinew\": 1, \"params\": {\"sin\": {\"value\": 1}}}",
     {"t:1:25: \"sin\" is a function or constant of expressions"}},
    {"{\"sinew\": 1, \"params\": {\"a b\": {\"value\": 1}}}",
     {"t:1:25: the param \"a b\" cannot be used in expressions"}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": 1, \"unit\": \"metre\"}}}",
     {"t:1:51: unknown unit \"metre\""}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"5kg\", \"unit\": \"m\"}}}",
     {"t:1:40: \"value\": got a mass, but the param's unit is \"m\""}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"90deg\", \"max\": \"2kg\"}}}",
     {"t:1:56: \"max\": got a mass, but the param's unit is \"deg\""}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"4 m/s\", \"max\": 3}}}",
     {"t:1:40: the param \"a\" is 4 m/s, expected at most 3 m/s"}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": 5, \"min\": 6}}}",
     {"t:1:40: the param \"a\" is 5, expected at least 6"}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"5m\", \"max\": \"400 cm\", \"unit\": "
     "\"cm\"}}}",
     {"t:1:40: the param \"a\" is 500 cm, expected at most 400"}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"=b\"}, \"b\": {\"value\": \"=c+1\"}, \"c\": "
     "{\"value\": \"=2*a\"}}}",
     {"t:1:40: params depend on each other in a circle: a -> b -> c -> a"}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"=a\"}}}",
     {"t:1:40: params depend on each other in a circle: a -> a"}},
    {"{\"sinew\": 1, \"params\": {\"width\": {\"value\": 1}}, \"gravity\": [0, \"=2*widht\", 0]}",
     {"t:1:68: unknown name \"widht\"; did you mean \"width\"?"}},
    {"{\"sinew\": 1, \"params\": {\"w\": {\"value\": 1}}, \"gravity\": [0, \"=1/(w-1)\", 0]}",
     {"t:1:63: division by zero"}},
    {"{\"sinew\": 1, \"gravity\": [0, \"=sqrt(-1)\", 0]}",
     {"t:1:31: sqrt gives no number (NaN) here"}},
    {"{\"sinew\": 1, \"gravity\": [0, \"=1 +\", 0]}", {"t:1:34: the expression ends"}},
    {"{\"sinew\": 1, \"params\": {\"r\": {\"value\": -1}}, \"bodies\": [{\"name\": \"a\", "
     "\"shape\": {\"type\": \"sphere\", \"radius\": \"=r\"}}]}",
     {"t:1:109: \"radius\" must be greater than 0, got -1 from \"=r\""}},
    {"{\"sinew\": 1, \"run\": {\"threads\": \"=1.5\"}}",
     {"t:1:33: \"threads\" must be a whole number, got 1.5 from \"=1.5\""}},
    {"{\"sinew\": 1, \"params\": {\"a\": {\"value\": \"1e308m\", \"unit\": \"nm\"}}}",
     {"t:1:40: \"value\" is out of range in the param's unit"}},
    {SHAPE("\"type\": \"tube\", \"radius\": 1, \"path\": [[0,0,0],[9,0,0]], \"smooth\": true, "
           "\"steps\": 1000, \"segments\": 4096"),
     {"t:1:48: this tube would have about 8192000 vertices"}},
    {SHAPE("\"type\": \"sheet\", \"thickness\": 0.1, \"bend_radius\": 1, \"outline\": [[0, 0], [3, "
           "0], [3, 1]], \"segments\": 4096"),
     {"t:1:48: this sheet would have about 5"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\"" BALL
     "}, {\"name\": \"b\", \"integrator\": \"rk4\"" BALL
     "}],\n\"fields\": [{\"type\": \"spring\", \"a\": \"a\", \"b\": \"b\", \"stiffness\": 1}]}",
     {"t:2:12: the spring joins \"a\" and \"b\", which have different integrators"}},
    // several at once, over stages
    {"{\"sinew\": 1, \"gravitty\": 0,\n\"bodies\": [{\"name\": \"a\", \"mass\": -1" BALL
     "},\n{\"name\": \"b\", \"material\": \"x\"" BALL "}]}",
     {"t:1:14: unknown key \"gravitty\"", "t:2:34: \"mass\" must be greater than 0",
      "t:3:27: there is no material \"x\""}},
};

static bool check(const char *got_name, sn_status status, const sn_error_list *errors,
                  const char *const *messages)
{
    int wanted = 0;
    while (wanted < 4 && messages[wanted] != NULL) {
        wanted += 1;
    }
    bool good = status != SN_OK && errors->count == wanted;
    for (int i = 0; i < wanted && i < errors->count; ++i) {
        good = good &&
               strncmp(sn_error_message(&errors->items[i]), messages[i], strlen(messages[i])) == 0;
    }
    if (!good) {
        print_error("%s\n", got_name);
        for (int i = 0; i < errors->count; ++i) {
            print_error("   got: %s\n", sn_error_message(&errors->items[i]));
        }
        for (int i = 0; i < wanted; ++i) {
            print_error("  want: %s\n", messages[i]);
        }
    }
    return good;
}

static void refuses(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("t", mistakes[i].text, strlen(mistakes[i].text), NULL,
                                              &scene, &errors);
        assert_null(scene);
        failures += !check(mistakes[i].text, status, &errors, mistakes[i].messages);
        sn_error_list_free(&errors);
        // Nobody has to listen.
        assert_int_equal(
            sn_scene_load_text("t", mistakes[i].text, strlen(mistakes[i].text), NULL, &scene, NULL),
            status);
    }
    assert_int_equal(failures, 0);
}

static void refuse_file(const char *path, const char *const messages[4])
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_file(path, NULL, &scene, &errors);
    assert_null(scene);
    assert_true(check(path, status, &errors, messages));
    sn_error_list_free(&errors);
}

#define FOLDER "tests/data/scenes/"

static void refuses_files(void **state)
{
    (void)state;
    refuse_file(FOLDER "nowhere.json",
                (const char *const[4]){FOLDER "nowhere.json: the file does not exist"});
    refuse_file("tests/data",
                (const char *const[4]){"tests/data: this is a folder, expected a file"});
    refuse_file(FOLDER "cycle-a.json",
                (const char *const[4]){
                    FOLDER "parts/cycle-c.json:1:27: files include each other in a circle: " FOLDER
                           "cycle-a.json -> " FOLDER "cycle-b.json -> " FOLDER
                           "parts/cycle-c.json -> " FOLDER "cycle-a.json"});
    refuse_file("./" FOLDER "parts/../self.json",
                (const char *const[4]){
                    FOLDER "self.json:1:26: files include each other in a circle: " FOLDER
                           "self.json -> " FOLDER "self.json"});
    refuse_file(FOLDER "clash.json",
                (const char *const[4]){
                    FOLDER
                    "clash.json:7:18: the material \"brass\" has the name of the one at " FOLDER
                    "materials.json:7:18",
                    FOLDER "clash.json:5:15: the body \"ball\" has the name of the one at " FOLDER
                           "parts/ball.json:4:24"});
    refuse_file(FOLDER "broken-include.json",
                (const char *const[4]){
                    FOLDER "broken-include.json:3:15: cannot include \"" FOLDER
                           "nowhere.json\": the file does not exist",
                    FOLDER "parts/not-json.json:2:24: expected ':' after the key, found '\"'"});
    refuse_file(FOLDER "open-mesh.json",
                (const char *const[4]){FOLDER "open-mesh.json:4:60: mesh: ",
                                       FOLDER "open-mesh.json:5:61: mesh: "});
}

static void keeps_a_hundred_errors(void **state)
{
    (void)state;
    sn_text text = {0};
    sn_text_add(&text, "{\"sinew\": 1, \"bodies\": [");
    for (int i = 0; i < 130; ++i) {
        sn_text_format(&text,
                       "{\"name\": \"b%d\", \"mass\": -1, \"shape\": {\"type\": \"sphere\", "
                       "\"radius\": 1}},\n",
                       i);
    }
    sn_text_add(&text, "]}");
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors),
                     SN_ERROR_SCENE);
    assert_int_equal(errors.count, 100);
    assert_int_equal(errors.left_out, 30);
    sn_error_list_free(&errors);
    sn_text_free(&text);
}

// Millions of mistakes cost no more than the reading of the file: memory is not spent on what
// nobody will read.
static void gives_up_after_a_thousand_errors(void **state)
{
    (void)state;
    static const char *const lists[][2] = {
        {"{\"sinew\": 1, \"bodies\": [", "{},"},
        {"{\"sinew\": 1, \"bodies\": [", "5,"},
        {"{\"sinew\": 1, \"include\": [", "\"nowhere.json\","},
        {"{\"sinew\": 1, \"gravity\": [0, 0, 1], \"bodies\": [{\"name\": \"a\", \"shape\": "
         "{\"type\": "
         "\"mesh\", \"vertices\": [",
         "[true, 0, 0],"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        sn_text text = {0};
        sn_text_add(&text, lists[i][0]);
        for (int k = 0; k < 5000; ++k) {
            sn_text_add(&text, lists[i][1]);
        }
        sn_text_add(&text, i < 3 ? "]}" : "]}}]}");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors),
                         SN_ERROR_SCENE);
        assert_int_equal(errors.count, 100);
        // whoever notices first ends a list; what it belongs to may have a word to add
        assert_in_range(errors.left_out, 900, 910);
        sn_error_list_free(&errors);
        sn_text_free(&text);
    }
}

// A near name in the same folder is worth naming; a far one is not.
static void missing_files_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {SHAPE("\"type\": \"mesh\", \"file\": \"tests/data/scenes/parts/cubes.obj\""),
         "cannot be opened for reading: No such file or directory; did you mean \"cube.obj\"?"},
        {SHAPE("\"type\": \"mesh\", \"file\": \"tests/nowhere/x.obj\""), "No such file"},
        {"{\"sinew\": 1, \"include\": \"scenes/gyroscop.json\"}",
         "the file does not exist; did you mean \"gyroscope.json\"?"},
        {"{\"sinew\": 1, \"include\": \"scenes/zzzzzzzzzzzz\"}", "the file does not exist"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_scene_load_text("t", cases[i].text, strlen(cases[i].text), NULL, &scene, &errors);
        assert_null(scene);
        assert_int_equal(errors.count, 1);
        if (strstr(errors.items[0].text, cases[i].message) == NULL) {
            fail_msg("%s", errors.items[0].text);
        }
        sn_error_list_free(&errors);
    }
}

static void limits_params(void **state)
{
    (void)state;
    for (int count = 1000; count <= 1001; ++count) {
        // Each depends on the one after it: the longest chain there can be.
        sn_text text = {0};
        sn_text_add(&text, "{\"sinew\": 1, \"params\": {");
        for (int i = 0; i < count - 1; ++i) {
            sn_text_format(&text, "\"p%d\": {\"value\": \"=p%d+1\"}, ", i, i + 1);
        }
        sn_text_format(&text, "\"p%d\": {\"value\": 1}}}", count - 1);
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors);
        if (count == 1000) {
            assert_int_equal(status, SN_OK);
            assert_true(sn_scene_param(scene, 0).value == 1000.0);
        } else {
            assert_true(
                check("params", status, &errors,
                      (const char *const[4]){"t:1:24: 1001 params, expected at most 1000"}));
        }
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
        sn_text_free(&text);
    }
}

// Messages stay valid UTF-8 wherever they are cut.
static void messages_are_whole(void **state)
{
    (void)state;
    for (int shift = 0; shift < 4; ++shift) {
        sn_text text = {0};
        sn_text_format(&text, "{\"sinew\": 1, \"%.*s", shift, "aaaa");
        for (int i = 0; i < 100; ++i) {
            sn_text_add(&text, "\xe2\x82\xac");
        }
        sn_text_add(&text, "\": 5}");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors),
                         SN_ERROR_SCENE);
        const char *message = sn_error_message(&errors.items[0]);
        for (const char *c = message; *c != '\0';) {
            if ((unsigned char)*c >= 0x80) {
                assert_memory_equal(c, "\xe2\x82\xac", 3);
                c += 3;
            } else {
                c += 1;
            }
        }
        sn_error_list_free(&errors);
        sn_text_free(&text);
    }
}

static void limits_expressions(void **state)
{
    (void)state;
    sn_text text = {0};
    sn_text_add(&text, "{\"sinew\": 1, \"gravity\": [0, 0, \"=0");
    for (int i = 0; i < 5000; ++i) {
        sn_text_add(&text, "+1");
    }
    sn_text_add(&text, "\"]}");
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors);
    assert_true(
        check("long expression", status, &errors,
              (const char *const[4]){
                  "t:1:32: \"gravity\": an expression of 10002 bytes, expected at most 10000"}));
    sn_error_list_free(&errors);
    sn_text_free(&text);
}

// A hundred megabytes: either read or refused, in linear time and within the stated limits.
static void handles_large_files(void **state)
{
    (void)state;
    static const char *const kinds[] = {"[0,0,0],", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",",
                                        "// comment comment comment\n", "          "};
    for (int kind = 0; kind < 4; ++kind) {
        size_t size = (size_t)30 << 20, at = 0, piece = strlen(kinds[kind]);
        char *text = malloc(size + 64);
        assert_non_null(text);
        at += (size_t)sprintf(text, "{\"sinew\": 1, \"bodies\": [");
        while (at + piece < size) {
            memcpy(text + at, kinds[kind], piece);
            at += piece;
        }
        at += (size_t)sprintf(text + at, "]}");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("t", text, at, NULL, &scene, &errors);
        assert_int_equal(status, kind == 0 ? SN_ERROR_SYNTAX : kind == 1 ? SN_ERROR_SCENE : SN_OK);
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_files),
        cmocka_unit_test(keeps_a_hundred_errors),
        cmocka_unit_test(gives_up_after_a_thousand_errors),
        cmocka_unit_test(missing_files_are_explained),
        cmocka_unit_test(limits_params),
        cmocka_unit_test(messages_are_whole),
        cmocka_unit_test(limits_expressions),
        cmocka_unit_test(handles_large_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
