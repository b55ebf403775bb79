#include "record/vtk_array.h"

#include "base/error.h"
#include "record/output.h"

void sn_vtk_file_free(sn_vtk_file *file)
{
    sn_text_free(&file->xml);
    sn_bytes_free(&file->array);
}

static void add_base64(sn_text *text, const uint8_t *data, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t rest = count - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (rest > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (rest > 2 ? data[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        rest > 1 ? digits[bits >> 6 & 63] : '=',
                        rest > 2 ? digits[bits & 63] : '='};
        sn_text_add_bytes(text, four, 4);
    }
}

void sn_vtk_begin(sn_vtk_file *file, const char *type, const char *name, int components)
{
    sn_text_format(&file->xml,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                   "format=\"binary\">",
                   type, name, components);
    sn_bytes_clear(&file->array);
    sn_bytes_put_u64(&file->array, 0);
}

void sn_vtk_end(sn_vtk_file *file)
{
    if (file->array.failed) {
        file->xml.failed = true;
        return;
    }
    sn_store_u64(file->array.data, file->array.count - 8);
    add_base64(&file->xml, file->array.data, file->array.count);
    sn_text_add(&file->xml, "</DataArray>\n");
}

void sn_vtk_vector(sn_vtk_file *file, sn_vec3 v)
{
    sn_bytes_put_f64(&file->array, v.x);
    sn_bytes_put_f64(&file->array, v.y);
    sn_bytes_put_f64(&file->array, v.z);
}

// Texts are character codes, each ended by 0.
void sn_vtk_field_data(sn_vtk_file *file, const sn_world *world)
{
    sn_text *xml = &file->xml;
    sn_text_add(xml, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                     "NumberOfTuples=\"1\" format=\"ascii\">");
    sn_text_number(xml, sn_world_time(world));
    int bodies = sn_world_body_count(world);
    sn_text_format(xml,
                   "</DataArray>\n<Array type=\"String\" Name=\"body_names\" "
                   "NumberOfTuples=\"%d\" format=\"ascii\">\n",
                   bodies);
    for (int i = 0; i < bodies; ++i) {
        const char *name = sn_body_name(world, sn_world_body(world, i));
        for (const char *c = name; *c != '\0'; ++c) {
            sn_text_format(xml, "%u ", (unsigned)(unsigned char)*c);
        }
        sn_text_add(xml, "0\n");
    }
    sn_text_add(xml, "</Array>\n</FieldData>\n");
}

sn_status sn_vtk_write(const sn_text *content, const char *folder, const char *name,
                       sn_error *error)
{
    sn_text path = {0};
    sn_text_add(&path, folder);
    sn_text_add(&path, "/");
    sn_text_add(&path, name);
    sn_status status = path.failed || content->failed
                           ? sn_fail_memory(error, content->length)
                           : sn_output_file(path.data, content->data, content->length, error);
    sn_text_free(&path);
    return status;
}
