#include "scene/surface_note.h"

#include <string.h>

#include "base/error.h"
#include "geometry/mesh_check.h"

// ---- repair ----

static sn_status pass_or_repair(sn_mesh **mesh, bool repair, bool may_end, sn_surface_notes *notes,
                                sn_error *error)
{
    sn_status status = SN_ERROR_GEOMETRY;
    sn_mesh *repaired = NULL;
    if (may_end && !repair) {
        status = sn_mesh_check_surface(*mesh, NULL);
    }
    if (status != SN_ERROR_GEOMETRY) {
        return status;
    }
    status = sn_mesh_repaired(*mesh, repair, &repaired, &notes->repair, error);
    if (status == SN_ERROR_GEOMETRY && may_end && !repair) {
        status = sn_mesh_check_surface(*mesh, error); // rims are not what it is refused for
    }
    if (status == SN_OK) {
        sn_mesh_release(*mesh);
        *mesh = repaired;
    }
    return status;
}

sn_status sn_surface_settle(sn_mesh **mesh, bool repair, bool may_end, bool offer_hull,
                            sn_surface_notes *notes, sn_error *error)
{
    sn_error inner = {0};
    sn_status status = pass_or_repair(mesh, repair, may_end, notes, &inner);
    if (status == SN_ERROR_GEOMETRY) {
        const char *offer = repair && offer_hull ? "; \"type\": \"hull\" takes its convex hull"
                            : repair             ? ""
                            : offer_hull         ? "; write \"repair\": true to have it repaired, "
                                                   "or \"type\": \"hull\" for its convex hull"
                                                 : "; write \"repair\": true to have it repaired";
        return sn_fail(error, status, inner.place, "%.360s%s", inner.text, offer);
    }
    if (status != SN_OK) {
        return sn_fail(error, status, inner.place, "%s", inner.text);
    }
    sn_aabb box = sn_mesh_bounds(*mesh);
    sn_vec3 size = sn_vec3_sub(box.upper, box.lower);
    sn_mass_properties mass;
    notes->size = fmax(size.x, fmax(size.y, size.z));
    if (!may_end && sn_mesh_mass_properties(*mesh, 1.0, &mass, NULL) == SN_OK) {
        notes->volume = mass.volume;
        status = sn_mesh_overlap(*mesh, &notes->overlap, error);
    }
    return status;
}

// ---- notes ----

// Things that move are rarely larger than a ship's propeller or smaller than a grain of sand;
// ground may be a valley.
static const double LARGE_BODY = 50.0, LARGE_GROUND = 5000.0, SMALL = 1e-4;

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static void remark_size(sn_checker *c, const sn_item *item, sn_place place, bool moves, double size)
{
    bool robot = ends_with(c->scene->sources.data[place.source].name, ".urdf");
    bool given = sn_item_gives(item, "unit") || sn_item_gives(item, "scale");
    if (given || size == 0.0 || (size >= SMALL && size <= (moves ? LARGE_BODY : LARGE_GROUND))) {
        return;
    }
    if (size < SMALL) {
        sn_checker_remark(c, place, "the mesh is %.3g mm large; if that is too small, write %s",
                          1e3 * size,
                          robot ? "scale=\"1000 1000 1000\"" : "\"scale\": [1000, 1000, 1000]");
        return;
    }
    sn_checker_remark(c, place, "the mesh is %.3g m large; is its unit mm? write %s", size,
                      robot ? "scale=\"0.001 0.001 0.001\"" : "\"unit\": \"mm\"");
}

void sn_surface_remark(sn_checker *c, const sn_item *item, sn_place place, const char *file,
                       bool moves, const sn_surface_notes *notes)
{
    char text[SN_MESH_REPAIR_TEXT];
    if (notes->hull) {
        sn_checker_remark(c, place, "the mesh is not closed: its convex hull stands for it");
    } else if (sn_mesh_repair_text(&notes->repair, text)) {
        sn_checker_remark(c, place, "the mesh is repaired: %.280s", text);
    }
    if (file != NULL) {
        remark_size(c, item, place, moves, notes->size);
    }
    if (moves && notes->overlap > 1e-3 * notes->volume) {
        sn_checker_remark(c, place,
                          "parts of the mesh overlap: about %.2g of %.3g m^3 (%.2g %%) count twice "
                          "in mass and inertia",
                          notes->overlap, notes->volume, 100.0 * notes->overlap / notes->volume);
    }
}
