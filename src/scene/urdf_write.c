// The scene's mechanism as URDF.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/name_table.h"
#include "math/rotation.h"
#include "scene/error_list.h"
#include "scene/shape_mesh.h"
#include "scene/text.h"
#include "scene/urdf.h"
#include "scene/urdf_plan.h"
#include "scene/xml.h"
#include "sinew/geometry.h"

typedef struct writer {
    const sn_scene *scene;
    sn_plan plan;
    sn_text text;
    sn_text comments; // what is left out, as comments at the end
    sn_error_list *left_out;
    sn_name_table names; // of joints, to find new ones
    const sn_urdf_options *options;
    int mesh_count;
    sn_status status; // of what keeps meshes
    sn_error *error;
    bool out_of_memory;
} writer;

// ---- what URDF cannot say ----

static void leave_out(writer *w, const sn_item *item, const char *format, ...) SN_PRINTF(3, 4);

static void leave_out(writer *w, const sn_item *item, const char *format, ...)
{
    char text[400], place[SN_PLACE_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (item != NULL) {
        sn_place_text(w->scene, item->place, place);
    }
    if (sn_error_list_add(w->left_out, SN_ERROR_UNSUPPORTED, place, "%s", text) ==
        SN_ERROR_MEMORY) {
        w->out_of_memory = true;
    }
    // A comment may not have two hyphens in a row.
    for (char *c = text; *c != '\0'; ++c) {
        *c = c[0] == '-' && c[1] == '-' ? '~' : *c;
    }
    sn_text_add(&w->comments, "  <!-- left out: ");
    sn_xml_text(&w->comments, text);
    sn_text_add(&w->comments, " -->\n");
}

// ---- pieces ----

static void write_attribute(sn_text *out, const char *name, const char *value)
{
    sn_text_format(out, " %s=\"", name);
    sn_xml_text(out, value);
    sn_text_add(out, "\"");
}

static void write_number(sn_text *out, const char *name, double value)
{
    sn_text_format(out, " %s=\"", name);
    sn_text_number(out, value);
    sn_text_add(out, "\"");
}

static void write_vector(sn_text *out, const char *name, sn_vec3 v)
{
    sn_text_format(out, " %s=\"", name);
    for (int i = 0; i < 3; ++i) {
        sn_text_add(out, i > 0 ? " " : "");
        sn_text_number(out, (&v.x)[i] + 0.0); // -0 + 0 = 0
    }
    sn_text_add(out, "\"");
}

static void write_origin(sn_text *out, sn_transform frame)
{
    sn_text_add(out, "<origin");
    write_vector(out, "xyz", frame.position);
    if (frame.rotation.x != 0.0 || frame.rotation.y != 0.0 || frame.rotation.z != 0.0) {
        write_vector(out, "rpy", sn_quat_to_euler_zyx(frame.rotation));
    }
    sn_text_add(out, "/>\n");
}

// ---- links ----

static bool is_written(const sn_shape *shape)
{
    return (shape->type == SN_SHAPE_BOX && shape->rounding == 0.0) ||
           shape->type == SN_SHAPE_CYLINDER || shape->type == SN_SHAPE_SPHERE;
}

static void write_geometry(sn_text *out, const sn_shape *shape, const char *file)
{
    sn_text_add(out, "      <geometry>");
    if (file != NULL) {
        sn_text_add(out, "<mesh");
        write_attribute(out, "filename", file);
    } else if (shape->type == SN_SHAPE_BOX) {
        sn_text_add(out, "<box");
        write_vector(out, "size", shape->size);
    } else {
        sn_text_add(out, shape->type == SN_SHAPE_CYLINDER ? "<cylinder" : "<sphere");
        write_number(out, "radius", shape->radius);
    }
    if (shape->type == SN_SHAPE_CYLINDER) {
        write_number(out, "length", shape->height);
    }
    sn_text_add(out, "/></geometry>\n");
}

// The name of the file that a shape's mesh is kept in, NULL when nobody keeps it.
static const char *keep_mesh(writer *w, const char *body, const sn_shape *shape)
{
    if (w->options == NULL || w->options->keep_mesh == NULL || w->status != SN_OK ||
        shape->type == SN_SHAPE_PLANE) {
        return NULL;
    }
    sn_mesh *mesh = NULL;
    const char *file = NULL;
    w->status = sn_shape_mesh(shape, 0.0, &mesh, w->error);
    if (w->status == SN_OK) {
        w->status =
            w->options->keep_mesh(w->options->user, body, w->mesh_count++, mesh, &file, w->error);
    }
    sn_mesh_release(mesh);
    return file;
}

static void write_shape(sn_text *out, const sn_shape *shape, const char *file, sn_transform in_link)
{
    static const char *const kinds[] = {"visual", "collision"};
    for (int i = 0; i < 2; ++i) {
        if (i == 0 ? !sn_shape_is_drawn(shape) : !sn_shape_touches(shape)) {
            continue;
        }
        sn_text_format(out, "    <%s>\n      ", kinds[i]);
        write_origin(out, sn_transform_multiply(in_link, shape->frame));
        write_geometry(out, shape, file);
        if (i == 0) {
            uint32_t c = shape->colour;
            sn_text_format(out, "      <material name=\"#%06x\"><color rgba=\"", (unsigned)c);
            for (int k = 16; k >= 0; k -= 8) {
                sn_xml_fixed(out, (double)(c >> k & 255u) / 255.0, 3);
                sn_text_add(out, " ");
            }
            sn_text_add(out, "1\"/></material>\n");
        }
        sn_text_format(out, "    </%s>\n", kinds[i]);
    }
}

static void write_inertial(sn_text *out, const sn_plan_body *body)
{
    sn_transform back = sn_transform_inverse(body->link);
    sn_mat3 turn = sn_quat_to_mat3(back.rotation);
    sn_mat3 inertia =
        sn_mat3_multiply(sn_mat3_multiply(turn, body->mass.inertia), sn_mat3_transpose(turn));
    bool turned = body->link.rotation.w != 1.0;
    const double(*m)[3] = turned ? inertia.m : body->mass.inertia.m;
    sn_transform centre = {sn_transform_point(back, body->mass.centre), SN_QUAT_IDENTITY};
    sn_text_add(out, "    <inertial>\n      ");
    write_origin(out, centre);
    sn_text_add(out, "      <mass");
    write_number(out, "value", body->mass.mass);
    sn_text_add(out, "/>\n      <inertia");
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        write_number(out, names[i], m[rows[i]][columns[i]] + 0.0);
    }
    sn_text_add(out, "/>\n    </inertial>\n");
}

static void write_link(writer *w, int index)
{
    const sn_body_item *item = SN_BODY(w->scene, index);
    const sn_plan_body *body = &w->plan.bodies[index];
    sn_text *out = &w->text;
    sn_text_add(out, "  <link");
    write_attribute(out, "name", item->name);
    sn_text_add(out, ">\n");
    if (item->type == SN_BODY_RIGID) {
        write_inertial(out, body);
    }
    sn_transform in_link = sn_transform_inverse(body->link);
    const sn_item_list *shapes = sn_body_item_shapes(item);
    for (int i = 0; i < shapes->count; ++i) {
        const sn_shape_item *from = (const sn_shape_item *)shapes->data[i];
        sn_shape shape = sn_shape_item_shape(item, from);
        const char *file = is_written(&shape) ? NULL : keep_mesh(w, item->name, &shape);
        if (is_written(&shape) || file != NULL) {
            write_shape(out, &shape, file, in_link);
        } else if (w->status == SN_OK) {
            leave_out(w, &from->item, "the form of \"%.60s\"%s: URDF has no %s%s", item->name,
                      item->type == SN_BODY_RIGID ? ", its mass is there" : "",
                      shape.rounding > 0.0 ? "rounded " : "", from->item.table->word);
        }
    }
    sn_text_add(out, "  </link>\n");
    if (sn_dot(item->velocity, item->velocity) > 0.0 ||
        sn_dot(item->angular_velocity, item->angular_velocity) > 0.0 ||
        sn_dot(item->body_angular_velocity, item->body_angular_velocity) > 0.0) {
        leave_out(w, &item->item, "the velocity of \"%.60s\" at the start", item->name);
    }
}

// ---- joints ----

static void open_joint(writer *w, const char *name, const char *type, int parent, int child,
                       sn_transform origin)
{
    sn_text *out = &w->text;
    sn_text_add(out, "  <joint");
    write_attribute(out, "name", name);
    write_attribute(out, "type", type);
    sn_text_add(out, ">\n    <parent");
    write_attribute(out, "link", parent >= 0 ? SN_BODY(w->scene, parent)->name : "world");
    sn_text_add(out, "/>\n    <child");
    write_attribute(out, "link", SN_BODY(w->scene, child)->name);
    sn_text_add(out, "/>\n    ");
    write_origin(out, origin);
}

static bool has_limit(const sn_limit_def *limit)
{
    return isfinite(limit->lower) || isfinite(limit->upper);
}

static const char *type_word(const sn_joint_def *def)
{
    switch (def->type) {
    case SN_JOINT_HINGE:
        return has_limit(&def->freedom[0].limit) ? "revolute" : "continuous";
    case SN_JOINT_SLIDER:
        return "prismatic";
    case SN_JOINT_PLANAR:
        return "planar";
    case SN_JOINT_FREE:
        return "floating";
    default:
        return "fixed";
    }
}

static double or_none(double number)
{
    return number > 0.0 && number < SN_URDF_NO_LIMIT ? number : SN_URDF_NO_LIMIT;
}

static void write_limit(writer *w, const sn_joint_item *item, const sn_joint_def *def)
{
    const sn_limit_def *limit = &def->freedom[0].limit;
    double effort = item->effort_limit;
    if (effort == 0.0 && def->freedom[0].drive.type != SN_DRIVE_NONE) {
        effort = def->freedom[0].drive.force_limit;
    }
    bool bounded = def->type == SN_JOINT_SLIDER || has_limit(limit);
    if (!bounded && !(effort > 0.0) && !(item->velocity_limit > 0.0)) {
        return;
    }
    sn_text_add(&w->text, "    <limit");
    if (bounded) {
        write_number(&w->text, "lower", fmax(limit->lower, -SN_URDF_NO_LIMIT));
        write_number(&w->text, "upper", fmin(limit->upper, SN_URDF_NO_LIMIT));
    }
    write_number(&w->text, "effort", or_none(effort));
    write_number(&w->text, "velocity", or_none(item->velocity_limit));
    sn_text_add(&w->text, "/>\n");
}

static void write_dynamics(writer *w, const sn_joint_def *def, int leader)
{
    const sn_freedom_def *freedom = &def->freedom[0];
    if (freedom->damping > 0.0 || freedom->friction > 0.0) {
        sn_text_add(&w->text, "    <dynamics");
        write_number(&w->text, "damping", freedom->damping);
        write_number(&w->text, "friction", freedom->friction);
        sn_text_add(&w->text, "/>\n");
    }
    const sn_plan_joint *joint = leader >= 0 ? &w->plan.joints[leader] : NULL;
    if (joint != NULL && joint->leader >= 0) {
        sn_text_add(&w->text, "    <mimic");
        write_attribute(&w->text, "joint", SN_JOINT(w->scene, joint->leader)->name);
        write_number(&w->text, "multiplier", joint->multiplier);
        write_number(&w->text, "offset", joint->offset);
        sn_text_add(&w->text, "/>\n");
    }
}

static bool differs(const sn_joint_def *def, int freedom)
{
    const sn_freedom_def *a = &def->freedom[0], *b = &def->freedom[freedom];
    return a->damping != b->damping || a->friction != b->friction || has_limit(&b->limit);
}

// What acts in the joint's freedoms and has no word in URDF.
static void leave_out_of_joint(writer *w, const sn_joint_item *item, const sn_joint_def *def)
{
    bool spring = false, drive = false, soft = false, uneven = false;
    int freedoms = sn_joint_type_freedoms(def->type);
    for (int i = 0; i < freedoms; ++i) {
        const sn_freedom_def *freedom = &def->freedom[i];
        spring = spring || freedom->stiffness > 0.0;
        drive = drive || freedom->drive.type != SN_DRIVE_NONE;
        soft = soft || (has_limit(&freedom->limit) &&
                        (freedom->limit.stiffness > 0.0 || freedom->limit.restitution > 0.0));
        uneven = uneven || (freedoms > 1 && (differs(def, i) || has_limit(&freedom->limit)));
    }
    bool breaks = isfinite(def->break_force) || isfinite(def->break_torque);
    if (spring || drive || soft || uneven || breaks) {
        leave_out(w, &item->item, "of the joint \"%.60s\":%s%s%s%s%s", item->name,
                  spring ? " springs" : "", drive ? " drives" : "",
                  soft ? " what its limits are made of" : "",
                  uneven ? " limits, dampers and friction of single freedoms" : "",
                  breaks ? " when it breaks" : "");
    }
}

// Without the last bits that turning leaves behind.
static sn_vec3 clean_axis(sn_vec3 axis)
{
    for (int i = 0; i < 3; ++i) {
        double *x = &(&axis.x)[i];
        *x = fabs(*x) < 1e-15 ? 0.0 : *x;
    }
    return sn_normalize(axis);
}

static void write_joint(writer *w, int body)
{
    const sn_plan_body *b = &w->plan.bodies[body];
    const sn_joint_item *item = SN_JOINT(w->scene, b->joint);
    const sn_joint_def *def = &w->plan.joints[b->joint].def;
    sn_transform parent_link =
        b->parent >= 0 ? w->plan.bodies[b->parent].link : SN_TRANSFORM_IDENTITY;
    // Where both frames of the joint meet: all positions are zero there.
    sn_transform below = sn_plan_frame_below(&w->plan, body);
    sn_transform zero =
        sn_transform_multiply(sn_plan_frame_above(&w->plan, body), sn_transform_inverse(below));
    sn_transform origin = sn_transform_multiply(sn_transform_inverse(parent_link),
                                                sn_transform_multiply(zero, b->link));
    open_joint(w, item->name, type_word(def), b->parent, body, origin);
    bool single = sn_joint_type_freedoms(def->type) == 1;
    if (single || def->type == SN_JOINT_PLANAR) {
        sn_vec3 z = sn_vec3_make(0, 0, single && b->reversed ? -1 : 1);
        sn_vec3 in_link = single ? sn_rotate(below.rotation, z) : z;
        sn_text_add(&w->text, "    <axis");
        write_vector(&w->text, "xyz", clean_axis(in_link));
        sn_text_add(&w->text, "/>\n");
    }
    if (single) {
        write_limit(w, item, def);
    }
    if (sn_joint_type_freedoms(def->type) > 0) {
        write_dynamics(w, def, single ? b->joint : -1);
    }
    sn_text_add(&w->text, "  </joint>\n");
    leave_out_of_joint(w, item, def);
}

// Static and free bodies hang on the world by joints that the scene does not have.
static void write_own_joint(writer *w, int body)
{
    const sn_plan_body *b = &w->plan.bodies[body];
    const char *word = b->hold == SN_HOLD_FREE ? "free" : "fixed";
    char name[160];
    int length = snprintf(name, sizeof name, "%s_%s", SN_BODY(w->scene, body)->name, word);
    if (length > 90) {
        length = snprintf(name, sizeof name, "%s %d", word, body);
    }
    while (sn_name_table_find(&w->names, name) > 0 && length < 100) {
        name[length++] = '_';
        name[length] = '\0';
    }
    open_joint(w, name, b->hold == SN_HOLD_FREE ? "floating" : "fixed", -1, body, b->frame);
    sn_text_add(&w->text, "  </joint>\n");
}

// ---- the whole ----

static void leave_out_the_rest(writer *w)
{
    const sn_root_item *root = &w->scene->root;
    for (int i = 0; i < root->joints.count; ++i) {
        if (!w->plan.joints[i].used) {
            const sn_joint_item *item = SN_JOINT(w->scene, i);
            leave_out(w, &item->item,
                      "the %s \"%.60s\" between \"%.60s\" and \"%.60s\": it closes "
                      "a loop, and URDF knows only trees",
                      sn_joint_type_word((sn_joint_type)item->type), item->name,
                      item->parent != NULL ? item->parent : "world", item->child);
        }
    }
    for (int i = 0; i < root->couplings.count; ++i) {
        if (!w->plan.coupled[i]) {
            leave_out(w, &SN_COUPLING(w->scene, i)->item,
                      "the coupling \"%.60s\": URDF has none but of two joints that turn or slide",
                      SN_COUPLING(w->scene, i)->name);
        }
    }
    if (root->fields.count > 0) {
        leave_out(w, root->fields.data[0], "%d field%s", root->fields.count,
                  root->fields.count == 1 ? "" : "s");
    }
}

// Where the joints stand at the start, as a scene that reads the URDF may give it.
static void leave_out_pose(writer *w)
{
    sn_text pose = {0};
    for (int i = 0; i < w->scene->root.joints.count; ++i) {
        const sn_plan_joint *joint = &w->plan.joints[i];
        int freedoms = sn_joint_type_freedoms(joint->def.type);
        double most = 0.0;
        for (int k = 0; k < freedoms; ++k) {
            most = fmax(most, fabs(joint->position[k]));
        }
        if (!joint->used || joint->leader >= 0 || most < 1e-12) {
            continue;
        }
        sn_text_add(&pose, pose.length > 0 ? ", " : "");
        sn_text_json_string(&pose, SN_JOINT(w->scene, i)->name);
        sn_text_add(&pose, freedoms > 1 ? ": [" : ": ");
        for (int k = 0; k < freedoms; ++k) {
            sn_text_add(&pose, k > 0 ? ", " : "");
            sn_text_number(&pose, joint->position[k]);
        }
        sn_text_add(&pose, freedoms > 1 ? "]" : "");
    }
    if (pose.failed) {
        w->out_of_memory = true;
    } else if (pose.length > 0 && pose.length < 300) {
        leave_out(w, NULL, "where the joints start, \"pose\": {%s}", pose.data);
    } else if (pose.length > 0) {
        leave_out(w, NULL, "where the joints start");
    }
    sn_text_free(&pose);
}

static void write_robot(writer *w)
{
    sn_text *out = &w->text;
    sn_text_add(out, "<?xml version=\"1.0\"?>\n<robot");
    write_attribute(out, "name", sn_scene_name(w->scene));
    sn_text_add(out, ">\n  <link name=\"world\"/>\n");
    for (int i = 0; i < w->plan.count; ++i) {
        write_link(w, w->plan.order[i]);
    }
    for (int i = 0; i < w->plan.count; ++i) {
        int body = w->plan.order[i];
        if (w->plan.bodies[body].hold == SN_HOLD_JOINT) {
            write_joint(w, body);
        } else {
            write_own_joint(w, body);
        }
    }
    leave_out_the_rest(w);
    leave_out_pose(w);
    if (w->comments.length > 0) {
        sn_text_add_bytes(out, w->comments.data, w->comments.length);
    }
    sn_text_add(out, "</robot>\n");
}

sn_status sn_scene_urdf_text(const sn_scene *scene, const sn_urdf_options *options, char **text,
                             size_t *length, sn_error_list *left_out, sn_error *error)
{
    *text = NULL;
    *length = 0;
    writer w = {.scene = scene, .left_out = left_out, .options = options, .error = error};
    sn_status status = sn_plan_make(scene, &w.plan, error);
    if (status != SN_OK) {
        return status;
    }
    for (int i = 0; i < scene->root.joints.count && !w.out_of_memory; ++i) {
        w.out_of_memory = !sn_name_table_put(&w.names, SN_JOINT(scene, i)->name, 1);
    }
    if (!w.out_of_memory) {
        write_robot(&w);
    }
    sn_plan_free(&w.plan);
    sn_name_table_free(&w.names);
    bool failed = w.out_of_memory || w.text.failed || w.comments.failed;
    size_t bytes = w.text.length;
    sn_text_free(&w.comments);
    if (failed || w.status != SN_OK) {
        sn_text_free(&w.text);
        return failed ? sn_fail_memory(error, bytes) : w.status;
    }
    *text = w.text.data;
    *length = w.text.length;
    return SN_OK;
}
