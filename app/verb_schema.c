// sinew schema, sinew reference: what the scene format's table says.
#include "exit_code.h"
#include "sinew/scene.h"
#include "terminal.h"
#include "verbs.h"

typedef sn_status (*text_function)(char **text, size_t *length, sn_error *error);

static int print_text(const sn_arguments *arguments, text_function make)
{
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_status status = make(&text, &length, &error);
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        return sn_exit_for(status);
    }
    fwrite(text, 1, length, stdout);
    sn_scene_free_text(text);
    return SN_EXIT_OK;
}

static int run_schema(const sn_arguments *arguments)
{
    return print_text(arguments, sn_scene_schema_text);
}

static int run_reference(const sn_arguments *arguments)
{
    return print_text(arguments, sn_scene_reference_text);
}

static const sn_example schema_examples[] = {
    {"sinew schema > scene.schema.json", "for an editor, or any JSON Schema validator"},
};

static const sn_example reference_examples[] = {
    {"sinew reference | less", "every key of a scene, with its default"},
};

const sn_verb sn_verb_schema = {
    .name = "schema",
    .operands = "",
    .summary = "print the JSON Schema of scenes",
    .examples = schema_examples,
    .example_count = 1,
    .hidden = true,
    .run = run_schema,
};

const sn_verb sn_verb_reference = {
    .name = "reference",
    .operands = "",
    .summary = "print the reference page of the scene format, as Markdown",
    .examples = reference_examples,
    .example_count = 1,
    .hidden = true,
    .run = run_reference,
};
