// The glTF export: the container by our own reading, meshes and motion through assimp as an oracle.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <cmocka.h>

#include "base/memory.h"
#include "record/bytes.h"
#include "record/output.h"
#include "record/shading.h"
#include "recorded_world.h"
#include "sinew/elastic.h"

static char record_path[64], glb_path[80];

static void export_run(sn_recording **recording, sn_world **world)
{
    *recording = recorded_world_open(record_path);
    *world = recorded_world_make();
    assert_int_equal(sn_export_gltf_world(*recording, *world, glb_path, NULL), SN_OK);
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        count += 1;
    }
    return count;
}

// Header, chunk lengths, alignment, and every view inside the buffer.
static void test_container(void **unused)
{
    (void)unused;
    sn_recording *recording;
    sn_world *world;
    export_run(&recording, &world);
    sn_bytes file = {0};
    assert_int_equal(sn_input_file(glb_path, SIZE_MAX, &file, NULL), SN_OK);
    assert_memory_equal(file.data, "glTF", 4);
    assert_int_equal(sn_fetch_u32(file.data + 4), 2);
    assert_int_equal(sn_fetch_u32(file.data + 8), file.count);
    uint32_t json_size = sn_fetch_u32(file.data + 12);
    assert_int_equal(json_size % 4, 0);
    assert_memory_equal(file.data + 16, "JSON", 4);
    uint32_t binary_size = sn_fetch_u32(file.data + 20 + json_size);
    assert_memory_equal(file.data + 24 + json_size, "BIN\0", 4);
    assert_int_equal(binary_size % 4, 0);
    assert_int_equal(28 + json_size + binary_size, file.count);

    char *json = calloc(1, json_size + 1);
    memcpy(json, file.data + 20, json_size);
    char expected[64];
    snprintf(expected, sizeof expected, "\"buffers\": [{\"byteLength\": %u}]", binary_size);
    assert_non_null(strstr(json, expected));
    unsigned long end = 0;
    for (const char *at = json; (at = strstr(at, "\"byteOffset\": ")) != NULL; ++at) {
        char *rest = NULL;
        unsigned long offset = strtoul(at + strlen("\"byteOffset\": "), &rest, 10);
        assert_true(strncmp(rest, ", \"byteLength\": ", 16) == 0);
        unsigned long length = strtoul(rest + 16, NULL, 10);
        assert_int_equal(offset, end); // one view after the other, no holes
        assert_int_equal(offset % 4, 0);
        end = offset + length;
    }
    assert_int_equal(end, binary_size);
    // Distinct surfaces: box, sphere, cylinder. In colours: box, two spheres, cylinder.
    assert_int_equal(count_text(json, "\"primitives\""), 4);
    assert_int_equal(count_text(json, "\"pbrMetallicRoughness\""), 3);
    assert_int_equal(count_text(json, "\"metallicFactor\": 0.75, \"roughnessFactor\": 0.25"), 1);
    assert_int_equal(count_text(json, "\"metallicFactor\": 0, \"roughnessFactor\": 0.5"), 2);
    assert_int_equal(count_text(json, "\"NORMAL\": "), 4);
    assert_int_equal(count_text(json, "\"target\": 34962"), 6);
    assert_int_equal(count_text(json, "\"target\": 34963"), 3);
    assert_int_equal(count_text(json, "\"interpolation\": \"LINEAR\""), 6);
    assert_non_null(strstr(json, "{\"name\": \"#c04000\""));
    assert_non_null(strstr(json, "\"name\": \"second <box> & \\\"friend\\\"\""));
    free(json);
    sn_bytes_free(&file);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

static const struct aiNode *find_node(const struct aiNode *node, const char *name)
{
    if (strcmp(node->mName.data, name) == 0) {
        return node;
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        const struct aiNode *found = find_node(node->mChildren[i], name);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static sn_vec3 apply(struct aiMatrix4x4 m, sn_vec3 v)
{
    return sn_vec3_make(m.a1 * v.x + m.a2 * v.y + m.a3 * v.z + m.a4,
                        m.b1 * v.x + m.b2 * v.y + m.b3 * v.z + m.b4,
                        m.c1 * v.x + m.c2 * v.y + m.c3 * v.z + m.c4);
}

// Every key of every channel is the recorded placement, in single precision.
static void check_channel(const struct aiNodeAnim *channel, sn_recording *recording,
                          sn_world *world)
{
    assert_int_equal(channel->mNumPositionKeys, RECORDED_FRAMES);
    assert_int_equal(channel->mNumRotationKeys, RECORDED_FRAMES);
    sn_quat before = SN_QUAT_IDENTITY;
    for (int i = 0; i < RECORDED_FRAMES; ++i) {
        assert_int_equal(sn_recording_frame(recording, i, world, NULL), SN_OK);
        sn_body body = sn_world_find_body(world, channel->mNodeName.data);
        assert_true(sn_body_is_valid(world, body));
        sn_transform frame = sn_body_transform(world, body);
        const struct aiVectorKey *position = &channel->mPositionKeys[i];
        // assimp counts glTF time in milliseconds.
        assert_true(fabs(position->mTime - 1000.0 * sn_recording_frame_time(recording, i)) < 1e-3);
        sn_vec3 p = {position->mValue.x, position->mValue.y, position->mValue.z};
        assert_true(sn_distance(p, frame.position) < 1e-6);
        struct aiQuaternion a = channel->mRotationKeys[i].mValue;
        sn_quat q = {a.w, a.x, a.y, a.z}, r = frame.rotation;
        double along = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z;
        assert_true(fabs(fabs(along) - 1.0) < 1e-6);
        if (i > 0) { // the short way from key to key
            assert_true(q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z > 0.0);
        }
        before = q;
    }
}

static void test_assimp_agrees(void **unused)
{
    (void)unused;
    sn_recording *recording;
    sn_world *world;
    export_run(&recording, &world);
    const struct aiScene *scene = aiImportFile(glb_path, aiProcess_ValidateDataStructure);
    assert_non_null(scene);
    assert_int_equal(scene->mNumAnimations, 1);
    const struct aiAnimation *animation = scene->mAnimations[0];
    assert_int_equal(animation->mNumChannels, 3); // the floor stands still
    for (unsigned i = 0; i < animation->mNumChannels; ++i) {
        check_channel(animation->mChannels[i], recording, world);
    }

    // z up becomes y up.
    const struct aiNode *root = find_node(scene->mRootNode, "z up");
    assert_non_null(root);
    assert_int_equal(root->mNumChildren, 4);
    sn_vec3 up = apply(root->mTransformation, sn_vec3_make(1.0, 2.0, 3.0));
    assert_true(sn_distance(up, sn_vec3_make(1.0, 3.0, -2.0)) < 1e-6);

    const struct aiNode *box = find_node(root, "box"), *dumbbell = find_node(root, "dumbbell");
    assert_true(box != NULL && box->mNumMeshes == 1);
    assert_true(dumbbell != NULL && dumbbell->mNumMeshes == 0 && dumbbell->mNumChildren == 2);
    assert_non_null(find_node(root, "second <box> & \"friend\""));
    assert_int_equal(box->mMeshes[0], find_node(root, "second <box> & \"friend\"")->mMeshes[0]);
    sn_vec3 left = apply(dumbbell->mChildren[0]->mTransformation, SN_VEC3_ZERO);
    assert_true(sn_distance(left, sn_vec3_make(-0.1, 0.0, 0.0)) < 1e-7);

    // A box has 24 shaded corners whose normals are those of its faces.
    const struct aiMesh *mesh = scene->mMeshes[box->mMeshes[0]];
    assert_int_equal(mesh->mNumFaces, 12);
    assert_int_equal(mesh->mNumVertices, 24);
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        struct aiVector3D x = mesh->mVertices[i], n = mesh->mNormals[i];
        assert_true(fabs(fabs(x.x) - 0.05) < 1e-7 && fabs(fabs(x.z) - 0.2) < 1e-7);
        double largest = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
        assert_true(fabs(largest - 1.0) < 1e-6);
        assert_true(x.x * n.x + x.y * n.y + x.z * n.z > 0.0);
    }
    // 0xC04000 as linear colour: (0.7529 + 0.055) / 1.055 to the 2.4, and so on.
    struct aiColor4D colour;
    const struct aiMaterial *material = scene->mMaterials[mesh->mMaterialIndex];
    assert_int_equal(aiGetMaterialColor(material, "$clr.base", 0, 0, &colour), aiReturn_SUCCESS);
    assert_true(fabs(colour.r - 0.527115) < 1e-5 && fabs(colour.g - 0.0512695) < 1e-5);
    assert_true(colour.b == 0.0f && colour.a == 1.0f);
    aiReleaseImport(scene);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// A sphere is smooth: one normal to a vertex, pointing away from the centre.
static void test_smooth_sphere(void **unused)
{
    (void)unused;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_sphere(2.0, 32, &mesh, NULL), SN_OK);
    sn_shading shading;
    assert_int_equal(sn_shading_make(mesh, &shading, NULL), SN_OK);
    assert_int_equal(shading.triangle_count, sn_mesh_triangle_count(mesh));
    assert_int_equal(shading.vertex_count, sn_mesh_vertex_count(mesh));
    for (int i = 0; i < shading.vertex_count; ++i) {
        const float *x = shading.vertices[i].position, *n = shading.vertices[i].normal;
        assert_true((x[0] * n[0] + x[1] * n[1] + x[2] * n[2]) / 2.0f > 0.995f);
    }
    const int *corners = sn_mesh_triangles(mesh);
    for (int i = 0; i < 3 * shading.triangle_count; ++i) {
        assert_in_range(shading.indices[i], 0, shading.vertex_count - 1);
        const float *x = shading.vertices[shading.indices[i]].position;
        sn_vec3 p = sn_mesh_positions(mesh)[corners[i]];
        assert_true(x[0] == (float)p.x && x[1] == (float)p.y && x[2] == (float)p.z);
    }
    sn_shading_free(&shading);
    sn_mesh_release(mesh);
}

// A single frame is a picture without animation; a world without bodies is an empty scene.
static void test_still_and_empty(void **unused)
{
    (void)unused;
    sn_world *world = recorded_world_make();
    assert_int_equal(recorded_world_run(world, record_path, 0, NULL), SN_OK);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(record_path, &recording, NULL), SN_OK);
    assert_int_equal(sn_export_gltf_world(recording, world, glb_path, NULL), SN_OK);
    const struct aiScene *scene = aiImportFile(glb_path, aiProcess_ValidateDataStructure);
    assert_non_null(scene);
    assert_int_equal(scene->mNumAnimations, 0);
    assert_non_null(find_node(scene->mRootNode, "floor"));
    aiReleaseImport(scene);
    sn_recording_close(recording);
    sn_world_destroy(world);

    sn_world_def def = sn_default_world_def();
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    assert_int_equal(recorded_world_run(world, record_path, 20, NULL), SN_OK);
    assert_int_equal(sn_recording_open(record_path, &recording, NULL), SN_OK);
    assert_int_equal(sn_export_gltf_world(recording, world, glb_path, NULL), SN_OK);
    sn_bytes file = {0};
    assert_int_equal(sn_input_file(glb_path, SIZE_MAX, &file, NULL), SN_OK);
    assert_int_equal(sn_fetch_u32(file.data + 8), file.count);
    assert_int_equal(sn_fetch_u32(file.data + 12) + 20, file.count); // no binary part
    sn_bytes_free(&file);
    sn_recording_close(recording);
    sn_world_destroy(world);
}

static void test_failures(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(record_path);
    sn_world *world = recorded_world_make();
    sn_error error = {0};
    assert_int_equal(sn_export_gltf_world(recording, world, "/dev/full", &error), SN_ERROR_FILE);
    assert_non_null(strstr(sn_error_message(&error), "/dev/full: cannot write: No space left"));
    assert_int_equal(sn_export_gltf(recording, glb_path, &error), SN_ERROR_UNSUPPORTED);
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        error = (sn_error){0};
        sn_allocation_fail_after(tries);
        status = sn_export_gltf_world(recording, world, glb_path, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
    }
    assert_true(tries > 30);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// A body that bends has a morph target for every frame: the base and its target, moved by the node,
// are where the vertices are.
static void test_morphs(void **unused)
{
    (void)unused;
    sn_world *world = NULL;
    sn_recording *recording = bent_recording(record_path, &world);
    assert_int_equal(sn_export_gltf(recording, glb_path, NULL), SN_OK);
    const struct aiScene *scene = aiImportFile(glb_path, aiProcess_ValidateDataStructure);
    assert_non_null(scene);
    const struct aiNode *node = find_node(scene->mRootNode, "bar");
    assert_non_null(node);
    const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[0]];
    assert_int_equal(mesh->mNumAnimMeshes, BENT_FRAMES);
    sn_body bar = sn_world_find_body(world, "bar");
    for (int f = 0; f < BENT_FRAMES; ++f) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[f];
        assert_int_equal(sn_recording_frame(recording, f, world, NULL), SN_OK);
        sn_vec3 x[20];
        sn_body_read_vertices(world, bar, x, NULL);
        for (unsigned i = 0; i < target->mNumVertices; ++i) {
            struct aiVector3D p = target->mVertices[i], n = target->mNormals[i];
            sn_vec3 place =
                sn_transform_point(sn_body_transform(world, bar), sn_vec3_make(p.x, p.y, p.z));
            double nearest = 1.0;
            for (int k = 0; k < 20; ++k) {
                nearest = fmin(nearest, sn_distance(place, x[k]));
            }
            assert_true(nearest < 1e-6);
            assert_true(fabs(sn_length(sn_vec3_make(n.x, n.y, n.z)) - 1.0) < 1e-5);
        }
    }
    assert_int_equal(scene->mAnimations[0]->mNumMorphMeshChannels, 1);
    const struct aiMeshMorphAnim *weights = scene->mAnimations[0]->mMorphMeshChannels[0];
    assert_int_equal(weights->mNumKeys, BENT_FRAMES);
    for (int f = 0; f < BENT_FRAMES; ++f) {
        for (unsigned i = 0; i < weights->mKeys[f].mNumValuesAndWeights; ++i) {
            bool own = (int)weights->mKeys[f].mValues[i] == f;
            assert_true(weights->mKeys[f].mWeights[i] == (own ? 1.0 : 0.0));
        }
    }
    aiReleaseImport(scene);
    sn_status status = SN_ERROR_MEMORY;
    for (int left = 0; status != SN_OK; left += 1 + left / 40) {
        sn_allocation_fail_after(left);
        status = sn_export_gltf_world(recording, world, glb_path, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
    }
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// A body of two materials is one mesh of two primitives, with a material each.
static void test_materials_of_regions(void **unused)
{
    (void)unused;
    sn_world *world = NULL;
    sn_recording *recording = recording_of(record_path, coloured_scene(), &world);
    assert_int_equal(sn_export_gltf(recording, glb_path, NULL), SN_OK);
    const struct aiScene *scene = aiImportFile(glb_path, aiProcess_ValidateDataStructure);
    assert_non_null(scene);
    const struct aiNode *node = find_node(scene->mRootNode, "two");
    assert_non_null(node);
    assert_int_equal(node->mNumMeshes, 2);
    for (int k = 0; k < 2; ++k) {
        const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[k]];
        const struct aiMaterial *material = scene->mMaterials[mesh->mMaterialIndex];
        struct aiColor4D colour;
        assert_int_equal(mesh->mNumFaces, 3);
        assert_int_equal(mesh->mNumAnimMeshes, BENT_FRAMES);
        assert_int_equal(aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &colour),
                         aiReturn_SUCCESS);
        assert_true(k == 0 ? colour.b > 4.0f * colour.r : colour.r > 4.0f * colour.b);
    }
    aiReleaseImport(scene);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

int main(void)
{
    snprintf(record_path, sizeof record_path, "/tmp/sinew-gltf-XXXXXX");
    int descriptor = mkstemp(record_path);
    if (descriptor < 0) {
        return 1;
    }
    close(descriptor);
    snprintf(glb_path, sizeof glb_path, "%s.glb", record_path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_container),
        cmocka_unit_test(test_assimp_agrees),
        cmocka_unit_test(test_smooth_sphere),
        cmocka_unit_test(test_still_and_empty),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_morphs),
        cmocka_unit_test(test_materials_of_regions),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(record_path);
    unlink(glb_path);
    return failures;
}
