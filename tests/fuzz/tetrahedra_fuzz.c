// Fuzzes the readers of tetrahedra: the first byte names the format (m, v or t), the rest is the
// file; TetGen's two files are parted by a line with a single '@'. What is read must be sound.
#include <stdlib.h>
#include <string.h>

#include "geometry/tetrahedra_file.h"

static sn_status parse_pair(const char *text, size_t size, sn_tetrahedra **mesh, sn_error *error)
{
    size_t first = 0;
    while (first < size && text[first] != '@') {
        ++first;
    }
    size_t second = first < size ? first + 1 : size;
    return sn_tetrahedra_parse_tetgen("a.node", text, first, "a.ele", text + second, size - second,
                                      mesh, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *text = (const char *)data + 1;
    sn_tetrahedra *mesh = NULL;
    sn_error error = {0};
    sn_status status = data[0] == 'm' ? sn_tetrahedra_parse_msh("a", text, size - 1, &mesh, &error)
                       : data[0] == 'v'
                           ? sn_tetrahedra_parse_vtk("a", text, size - 1, &mesh, &error)
                           : parse_pair(text, size - 1, &mesh, &error);
    if ((status == SN_OK) != (mesh != NULL) || (status == SN_OK) != (error.text[0] == '\0')) {
        abort(); // refused without a word, or accepted with complaints
    }
    if (mesh != NULL) {
        sn_tetrahedra_report report;
        status = sn_tetrahedra_check(mesh, &report, &error);
        if (report.counts[SN_TETRAHEDRA_SLIVER] + report.counts[SN_TETRAHEDRA_INVERTED] +
                report.counts[SN_TETRAHEDRA_DOUBLED] + report.counts[SN_TETRAHEDRA_CROWDED_FACE] +
                report.counts[SN_TETRAHEDRA_UNUSED_VERTEX] !=
            0) {
            abort();
        }
        sn_tetrahedra_report_free(&report);
        sn_tetrahedra_release(mesh);
    }
    return 0;
}
