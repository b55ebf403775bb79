// Checks of elastic bodies and their materials: keys that belong together, numbers that must fit,
// meshes.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"
#include "scene/checker.h"
#include "scene/elastic_mesh.h"
#include "scene/error_list.h"
#include "scene/surface_note.h"

// ---- keys ----

static void fail_together(sn_checker *c, const sn_item *item, const char *a, const char *b)
{
    const char *given = sn_item_gives(item, a) ? a : b;
    sn_checker_fail(c, sn_item_place(item, given),
                    "\"%s\" and \"%s\" belong together, and only \"%s\" is given", a, b, given);
}

void sn_check_material(sn_checker *c, const sn_material_item *material)
{
    const sn_item *item = &material->item;
    bool bulk = sn_item_gives(item, "bulk"), shear = sn_item_gives(item, "shear");
    bool young = sn_item_gives(item, "young") || sn_item_gives(item, "poisson");
    if (sn_item_gives(item, "plastic") && sn_item_gives(item, "fibre")) {
        sn_checker_fail(c, sn_item_place(item, "plastic"),
                        "a material has both \"plastic\" and \"fibre\", expected one of them");
    }
    const sn_item *plastic = &material->plastic.item;
    if (sn_item_gives(item, "plastic") && !plastic->faulty &&
        !sn_item_gives(plastic, "yield_stress") && !sn_item_gives(plastic, "creep_rate")) {
        sn_checker_remark(c, sn_item_place(item, "plastic"),
                          "\"%.60s\" does not flow: \"plastic\" has neither a \"yield_stress\", "
                          "above which it does, nor a \"creep_rate\"",
                          material->name);
    }
    if (bulk != shear) {
        fail_together(c, item, "bulk", "shear");
    } else if (bulk && young) {
        sn_checker_fail(c, sn_item_place(item, "bulk"),
                        "a material has both \"bulk\" and \"shear\", and \"young\" or \"poisson\"; "
                        "expected one pair");
    }
}

static void check_damping(sn_checker *c, const sn_rayleigh_item *damping)
{
    const sn_item *item = &damping->item;
    bool frequencies = sn_item_gives(item, "frequencies"), ratios = sn_item_gives(item, "ratios");
    if (frequencies != ratios) {
        fail_together(c, item, "frequencies", "ratios");
    } else if (ratios && (sn_item_gives(item, "mass") || sn_item_gives(item, "stiffness"))) {
        sn_checker_fail(c, sn_item_place(item, "ratios"),
                        "damping has both \"frequencies\" and \"ratios\", and \"mass\" or "
                        "\"stiffness\"; expected one pair");
    }
}

static bool is_whole(double number)
{
    return number == floor(number) && number >= 0.0 && number <= 2147483646.0;
}

static void check_listed(sn_checker *c, const sn_tetrahedra_item *mesh)
{
    int width = mesh->elements.width;
    if (width != 4 && width != 10) {
        sn_checker_fail(c, sn_item_place(&mesh->item, "elements"),
                        "an element has 4 or 10 indices, got %d", width);
        return;
    }
    for (int i = 0; i < mesh->elements.count * width; ++i) {
        double number = mesh->elements.data[i];
        if (!is_whole(number) || number >= mesh->vertices.count) {
            sn_checker_fail(c, sn_item_place(&mesh->item, "elements"),
                            "element %d names vertex %g, expected whole numbers from 0 to %d",
                            i / width, number, mesh->vertices.count - 1);
            return;
        }
    }
    if (mesh->regions.count > 0 && mesh->regions.count != mesh->elements.count) {
        sn_checker_fail(c, sn_item_place(&mesh->item, "regions"),
                        "%d regions for %d elements, expected one for each", mesh->regions.count,
                        mesh->elements.count);
    }
    for (int i = 0; i < mesh->regions.count; ++i) {
        if (!is_whole(mesh->regions.data[i])) {
            sn_checker_fail(c, sn_item_place(&mesh->item, "regions"),
                            "region %g, expected whole numbers from 0", mesh->regions.data[i]);
            return;
        }
    }
}

static void check_mesh(sn_checker *c, const sn_tetrahedra_item *mesh)
{
    sn_unit unit;
    if (mesh->item.faulty) {
        return;
    }
    if (mesh->item.table->id == SN_SCENE_CELLS_LISTED) {
        check_listed(c, mesh);
    }
    if (mesh->unit != NULL &&
        (sn_units_read_unit(mesh->unit, strlen(mesh->unit), &unit, NULL) != SN_OK ||
         !sn_dimension_accepts(sn_dimension_powers(SN_LENGTH), unit.dimension))) {
        sn_checker_fail(c, sn_item_place(&mesh->item, "unit"),
                        "\"unit\": expected a unit of length such as \"mm\", got \"%.40s\"",
                        mesh->unit);
    }
}

// Which keys are of bodies that bend, and which are not.
static const char *const elastic_keys[] = {
    "mesh",        "nodes",     "materials",        "fixed",  "damping",
    "mass_matrix", "solver",    "solver_tolerance", "newton", "surface",
    "display",     "positions", "velocities"};
static const char *const other_keys[] = {"shape", "shapes", "mass", "inertia", "centre"};

static void check_type(sn_checker *c, const sn_body_item *body)
{
    if (body->item.faulty) {
        return; // its type may be what is wrong
    }
    bool elastic = body->type == SN_BODY_ELASTIC;
    const char *const *keys = elastic ? other_keys : elastic_keys;
    size_t count = elastic ? sizeof other_keys / sizeof *other_keys
                           : sizeof elastic_keys / sizeof *elastic_keys;
    for (size_t i = 0; i < count; ++i) {
        if (!sn_item_gives(&body->item, keys[i])) {
            continue;
        }
        sn_place place = sn_item_place(&body->item, keys[i]);
        if (elastic) {
            sn_checker_fail(c, place,
                            "an elastic body takes no \"%s\": it is made of its \"mesh\" and of "
                            "materials",
                            keys[i]);
        } else {
            sn_checker_fail(c, place,
                            "\"%s\" is of elastic bodies; expected it not here, or the type "
                            "\"elastic\"",
                            keys[i]);
        }
    }
}

static void find_materials(sn_checker *c, sn_body_item *body)
{
    const sn_string_list *names = &body->materials;
    if (names->count == 0) {
        return;
    }
    if (sn_item_gives(&body->item, "material")) {
        sn_checker_fail(c, sn_item_place(&body->item, "materials"),
                        "a body has both \"material\" and \"materials\", expected one of them");
    }
    body->material_items =
        sn_arena_allocate(&c->scene->arena, (size_t)names->count * sizeof *body->material_items);
    if (body->material_items == NULL) {
        sn_checker_note(c, SN_ERROR_MEMORY);
        return;
    }
    for (int i = 0; i < names->count; ++i) {
        uint32_t found = sn_name_table_find(&c->materials, names->data[i]);
        body->material_items[i] = found > 0 ? SN_MATERIAL(c->scene, found - 1) : NULL;
        bool told = body->item.faulty && names->data[i][0] == '\0'; // it is no string
        if (found == 0 && !told) {
            sn_checker_fail_reference(c, names->places[i], names->data[i], "material",
                                      &c->scene->root.materials);
        }
    }
    body->material_item = body->material_items[0];
}

void sn_check_elastic(sn_checker *c, sn_body_item *body)
{
    check_type(c, body);
    if (body->type != SN_BODY_ELASTIC) {
        return;
    }
    find_materials(c, body);
    if (body->nodes != 0 && body->nodes != 4 && body->nodes != 10) {
        sn_checker_fail(c, sn_item_place(&body->item, "nodes"),
                        "\"nodes\": expected 4 or 10, got %d", body->nodes);
    }
    if (!sn_item_gives(&body->item, "mesh") && !body->item.faulty) {
        sn_checker_fail(c, body->item.place, "an elastic body needs a \"mesh\"");
    }
    if (sn_body_item_mesh(body) != NULL) {
        check_mesh(c, sn_body_item_mesh(body));
    }
    if (body->damping.count > 0) {
        check_damping(c, (const sn_rayleigh_item *)body->damping.data[0]);
    }
}

// ---- numbers ----

void sn_check_material_values(sn_checker *c, const sn_material_item *material)
{
    if (sn_item_gives(&material->item, "fibre") &&
        !(sn_length(material->fibre.direction) > 1e-100)) {
        sn_checker_fail(c, sn_item_place(&material->fibre.item, "direction"),
                        "\"direction\" is zero, expected a direction");
    }
}

#define ELEMENT_LIMIT 2000000

static void check_mesh_values(sn_checker *c, const sn_tetrahedra_item *mesh)
{
    const sn_item *item = &mesh->item;
    double elements = sn_tetrahedra_item_elements(mesh);
    sn_vec3 cells = mesh->cells;
    if (item->table->id == SN_SCENE_CELLS_BOX &&
        !(is_whole(cells.x) && is_whole(cells.y) && is_whole(cells.z))) {
        sn_checker_fail(c, sn_item_place(item, "cells"),
                        "\"cells\": expected whole numbers, got [%g, %g, %g]", cells.x, cells.y,
                        cells.z);
    } else if (elements > ELEMENT_LIMIT) {
        sn_checker_fail(c, item->place,
                        "this %s would have about %.0f elements, expected at most %d",
                        item->table->word, elements, ELEMENT_LIMIT);
    }
    if (item->table->id == SN_SCENE_CELLS_TORUS && !(mesh->tube_radius < mesh->radius)) {
        sn_checker_fail(c, sn_item_place(item, "tube_radius"),
                        "\"tube_radius\" must be less than \"radius\", or the torus cuts through "
                        "itself");
    }
    if (item->table->id == SN_SCENE_CELLS_TUBE && !(mesh->inner_radius < mesh->radius)) {
        sn_checker_fail(c, sn_item_place(item, "inner_radius"),
                        "\"inner_radius\" must be less than \"radius\"");
    }
}

void sn_check_choices(sn_checker *c, const sn_item_list *choices)
{
    for (int i = 0; i < choices->count; ++i) {
        const sn_choice_item *choice = (const sn_choice_item *)choices->data[i];
        if (choice->item.table->id == SN_SCENE_CHOICE_PLANE &&
            !(sn_length(choice->extent) > 1e-100)) {
            sn_checker_fail(c, sn_item_place(&choice->item, "plane"),
                            "\"plane\": the normal is zero, expected a direction");
        }
    }
}

void sn_check_elastic_values(sn_checker *c, const sn_body_item *body)
{
    check_mesh_values(c, sn_body_item_mesh(body));
    sn_check_choices(c, &body->fixed);
}

// ---- meshes ----

// A part of a note, after those that it has.
static void say(char *text, size_t size, const char *format, ...) SN_PRINTF(3, 4);

static void say(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)snprintf(text + length, size - length, "%s", length > 0 ? "; " : "");
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

// What filling changed, where it is worth a word: a thousandth of the volume, or a surface that is
// not as surfaces of bodies are.
static void note_fill(sn_checker *c, const sn_body_item *body, const sn_tetrahedra_item *mesh,
                      const sn_tetrahedra_fill_report *report)
{
    bool gmsh = mesh->fill == SN_FILL_GMSH;
    double change = report->filled_volume / report->surface_volume - 1.0;
    char text[300] = "";
    if (report->open) {
        say(text, sizeof text, "the surface is not closed: holes are bridged");
    }
    if (report->overlapping) {
        say(text, sizeof text, "shells overlap: their union is filled");
    }
    if (report->inside_out) {
        say(text, sizeof text, "the surface is inside out: turned");
    }
    if (!gmsh && mesh->edge > 0.0 && report->edge < 0.99 * mesh->edge) {
        say(text, sizeof text, "edges of %.3g m, for walls too thin for %.3g m", report->edge,
            mesh->edge);
    }
    if (report->dropped_parts > 0) {
        say(text, sizeof text, "%d crumb%s that the lattice left %s dropped", report->dropped_parts,
            report->dropped_parts == 1 ? "" : "s", report->dropped_parts == 1 ? "is" : "are");
    }
    if (fabs(change) >= 0.001) {
        say(text, sizeof text, "volume %.1f %% %s the surface's, %s", 100.0 * fabs(change),
            change < 0.0 ? "below" : "above",
            gmsh ? "and so is the mass; a shorter \"edge\" keeps more" : "scaled to it");
    }
    if (text[0] != '\0') {
        sn_place place = mesh->file != NULL ? sn_item_place(&mesh->item, "file") : mesh->item.place;
        sn_checker_remark(c, place, "mesh of '%.60s': %s", body->name, text);
    }
}

sn_status sn_check_tetrahedra(sn_checker *c, const sn_body_item *body, bool again)
{
    sn_tetrahedra_item *mesh = sn_body_item_mesh(body);
    if (again && !mesh->bound) {
        return SN_OK;
    }
    sn_error error = {0};
    sn_surface_notes notes = {0};
    sn_filled_surface filled;
    mesh->notes = &notes;
    sn_status status =
        sn_tetrahedra_item_make(c->scene, mesh, body->nodes, &mesh->next, &filled, &error);
    mesh->notes = NULL;
    sn_mesh_release(mesh->next_surface);
    mesh->next_surface = filled.surface;
    if (status == SN_OK && filled.report.surface_volume > 0.0 && !again) {
        sn_place place = mesh->file != NULL ? sn_item_place(&mesh->item, "file") : mesh->item.place;
        sn_surface_remark(c, &mesh->item, place, mesh->file, true, &notes);
        note_fill(c, body, mesh, &filled.report);
    }
    if (status != SN_OK && status != SN_ERROR_MEMORY) {
        char where[SN_PLACE_SIZE];
        sn_place place = mesh->file != NULL ? sn_item_place(&mesh->item, "file") : mesh->item.place;
        bool placed = error.place[0] != '\0';
        sn_checker_note(c,
                        sn_error_list_add(c->errors, status, sn_place_text(c->scene, place, where),
                                          "mesh of '%s': %s%s%.200s%s", body->name, error.text,
                                          placed ? " (" : "", error.place, placed ? ")" : ""));
    }
    if (status == SN_OK && body->materials.keys != NULL) {
        mesh->renumbered = true;
        status = sn_check_regions(c, body, &mesh->next, &error);
        if (status != SN_OK) {
            sn_tetrahedra_release(mesh->next);
            mesh->next = NULL;
        }
    }
    return status;
}
