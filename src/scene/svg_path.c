#include "scene/svg_path.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "scene/text.h"

typedef struct path_reader {
    const char *text;
    size_t at;
    int steps;
    sn_svg_path *path;
    sn_vec2 start, here; // of the subpath; the pen
    sn_vec2 control;     // the last control point of a curve; the pen after anything else
    char last;           // upper case: the kind of curve that `control` belongs to
    int loop_start;      // in path->points
    bool open;           // a subpath has begun
    bool out_of_memory;
} path_reader;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(path_reader *r)
{
    while (r->text[r->at] != '\0' && strchr(" \t\r\n,", r->text[r->at]) != NULL) {
        r->at += 1;
    }
}

// SVG's numbers may lack digits on one side of the point; the decimal reader wants both.
static bool read_number(path_reader *r, double *value)
{
    enum { LIMIT = 64 };
    char plain[LIMIT + 4];
    size_t to = 0, at;
    skip_space(r);
    at = r->at;
    if (r->text[at] == '-') {
        plain[to++] = '-';
    }
    at += r->text[at] == '-' || r->text[at] == '+' ? 1 : 0;
    bool digits = is_digit(r->text[at]);
    while (r->text[at] == '0' && is_digit(r->text[at + 1])) {
        at += 1;
    }
    if (!digits) {
        plain[to++] = '0';
    }
    while (is_digit(r->text[at]) && to < LIMIT) {
        plain[to++] = r->text[at++];
    }
    if (r->text[at] == '.' && is_digit(r->text[at + 1])) {
        digits = true;
        plain[to++] = r->text[at++];
        while (is_digit(r->text[at]) && to < LIMIT) {
            plain[to++] = r->text[at++];
        }
    } else if (r->text[at] == '.' && digits) {
        at += 1;
    }
    size_t sign =
        r->text[at + (r->text[at] != '\0')] == '-' || r->text[at + (r->text[at] != '\0')] == '+';
    if ((r->text[at] == 'e' || r->text[at] == 'E') && is_digit(r->text[at + 1 + sign])) {
        plain[to++] = r->text[at++];
        do {
            plain[to++] = r->text[at++];
        } while (is_digit(r->text[at]) && to < LIMIT);
    }
    if (!digits || to >= LIMIT || !sn_number_from_text(plain, to, 0, value)) {
        return false;
    }
    r->at = at;
    return true;
}

// The flags of an arc are one digit each and need no space after them.
static bool read_flag(path_reader *r, bool *flag)
{
    skip_space(r);
    char c = r->text[r->at];
    *flag = c == '1';
    r->at += c == '0' || c == '1' ? 1 : 0;
    return c == '0' || c == '1';
}

static bool read_numbers(path_reader *r, double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!read_number(r, &numbers[i])) {
            return false;
        }
    }
    return true;
}

// ---- drawing ----

static void add_point(path_reader *r, sn_vec2 p)
{
    if (!r->out_of_memory && !sn_array_push(&r->path->points, (sn_vec2){p.x, -p.y})) {
        r->out_of_memory = true;
    }
}

static void end_loop(path_reader *r)
{
    int size = r->path->points.count - r->loop_start;
    const sn_vec2 *points = r->path->points.data;
    // A loop that comes back to its start by itself has that point twice.
    if (size > 1 && points[r->loop_start].x == points[r->loop_start + size - 1].x &&
        points[r->loop_start].y == points[r->loop_start + size - 1].y) {
        r->path->points.count -= 1;
        size -= 1;
    }
    if (size >= 3 && !sn_array_push(&r->path->sizes, size)) {
        r->out_of_memory = true;
    }
    if (size < 3) {
        r->path->points.count = r->loop_start;
    }
    r->loop_start = r->path->points.count;
    r->open = false;
    r->here = r->start;
}

static void line_to(path_reader *r, sn_vec2 to)
{
    if (!r->open) {
        add_point(r, r->here);
        r->start = r->here;
        r->open = true;
    }
    add_point(r, to);
    r->here = to;
}

static sn_vec2 bezier(const sn_vec2 p[4], double t)
{
    double u = 1.0 - t;
    double w[4] = {u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t};
    sn_vec2 sum = {0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        sum.x += w[i] * p[i].x;
        sum.y += w[i] * p[i].y;
    }
    return sum;
}

static void curve_to(path_reader *r, sn_vec2 a, sn_vec2 b, sn_vec2 to)
{
    sn_vec2 p[4] = {r->here, a, b, to};
    for (int i = 1; i < r->steps; ++i) {
        line_to(r, bezier(p, (double)i / r->steps));
    }
    line_to(r, to);
}

// A quadratic curve as a cubic one.
static void quadratic_to(path_reader *r, sn_vec2 c, sn_vec2 to)
{
    sn_vec2 p = r->here;
    curve_to(r, (sn_vec2){(p.x + 2.0 * c.x) / 3.0, (p.y + 2.0 * c.y) / 3.0},
             (sn_vec2){(to.x + 2.0 * c.x) / 3.0, (to.y + 2.0 * c.y) / 3.0}, to);
}

// From ends to centre and angles, as SVG 2, appendix B.2.4, has it; radii too small are grown.
static void arc_to(path_reader *r, double rx, double ry, double tilt, bool large, bool sweep,
                   sn_vec2 to)
{
    double s, c;
    sn_sincos(tilt * (SN_PI / 180.0), &s, &c);
    double hx = 0.5 * (r->here.x - to.x), hy = 0.5 * (r->here.y - to.y);
    double x1 = c * hx + s * hy, y1 = c * hy - s * hx;
    rx = fabs(rx);
    ry = fabs(ry);
    if (rx == 0.0 || ry == 0.0 || (hx == 0.0 && hy == 0.0)) {
        line_to(r, to);
        return;
    }
    double excess = (x1 / rx) * (x1 / rx) + (y1 / ry) * (y1 / ry);
    double grow = excess > 1.0 ? sqrt(excess) : 1.0;
    rx *= grow;
    ry *= grow;
    excess = (x1 / rx) * (x1 / rx) + (y1 / ry) * (y1 / ry);
    double k = excess < 1.0 ? sqrt((1.0 - excess) / excess) : 0.0;
    k = large == sweep ? -k : k;
    double cx1 = k * rx * y1 / ry, cy1 = -k * ry * x1 / rx;
    double cx = c * cx1 - s * cy1 + 0.5 * (r->here.x + to.x);
    double cy = s * cx1 + c * cy1 + 0.5 * (r->here.y + to.y);
    double from = sn_atan2((y1 - cy1) / ry, (x1 - cx1) / rx);
    double turn = sn_atan2((-y1 - cy1) / ry, (-x1 - cx1) / rx) - from;
    turn += sweep && turn < 0.0 ? 2.0 * SN_PI : 0.0;
    turn -= !sweep && turn > 0.0 ? 2.0 * SN_PI : 0.0;
    for (int i = 1; i < 2 * r->steps; ++i) {
        double sine, cosine;
        sn_sincos(from + turn * i / (2 * r->steps), &sine, &cosine);
        line_to(r, (sn_vec2){cx + c * rx * cosine - s * ry * sine,
                             cy + s * rx * cosine + c * ry * sine});
    }
    line_to(r, to);
}

// ---- commands ----

static sn_vec2 point(const path_reader *r, bool relative, const double *n)
{
    return relative ? (sn_vec2){r->here.x + n[0], r->here.y + n[1]} : (sn_vec2){n[0], n[1]};
}

// Where a smooth curve's first control point is: the last one, mirrored.
static sn_vec2 mirrored(const path_reader *r, const char *kinds)
{
    return strchr(kinds, r->last) != NULL && r->last != '\0'
               ? (sn_vec2){2.0 * r->here.x - r->control.x, 2.0 * r->here.y - r->control.y}
               : r->here;
}

static bool run_curve(path_reader *r, char kind, bool relative)
{
    double n[6] = {0.0};
    static const char kinds[] = "CSQT";
    static const int sizes[] = {6, 4, 4, 2};
    if (!read_numbers(r, n, sizes[strchr(kinds, kind) - kinds])) {
        return false;
    }
    sn_vec2 a, b, to;
    if (kind == 'C' || kind == 'S') {
        a = kind == 'C' ? point(r, relative, n) : mirrored(r, "CS");
        b = point(r, relative, kind == 'C' ? n + 2 : n);
        to = point(r, relative, kind == 'C' ? n + 4 : n + 2);
        curve_to(r, a, b, to);
        r->control = b;
    } else {
        a = kind == 'Q' ? point(r, relative, n) : mirrored(r, "QT");
        to = point(r, relative, kind == 'Q' ? n + 2 : n);
        quadratic_to(r, a, to);
        r->control = a;
    }
    return true;
}

static bool run_arc(path_reader *r, bool relative)
{
    double n[5] = {0.0};
    bool large, sweep;
    if (!read_numbers(r, n, 3) || !read_flag(r, &large) || !read_flag(r, &sweep) ||
        !read_numbers(r, n + 3, 2)) {
        return false;
    }
    arc_to(r, n[0], n[1], n[2], large, sweep, point(r, relative, n + 3));
    return true;
}

// One command with one set of numbers.
static bool run(path_reader *r, char kind, bool relative)
{
    double n[2] = {0.0};
    switch (kind) {
    case 'M':
        if (!read_numbers(r, n, 2)) {
            return false;
        }
        if (r->open) {
            end_loop(r);
        }
        r->here = r->start = point(r, relative, n);
        return true;
    case 'L':
        if (read_numbers(r, n, 2)) {
            line_to(r, point(r, relative, n));
            return true;
        }
        return false;
    case 'H':
    case 'V':
        if (read_numbers(r, n, 1)) {
            sn_vec2 to = r->here;
            double *member = kind == 'H' ? &to.x : &to.y;
            *member = relative ? *member + n[0] : n[0];
            line_to(r, to);
            return true;
        }
        return false;
    case 'A':
        return run_arc(r, relative);
    default:
        return run_curve(r, kind, relative);
    }
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool read_path(path_reader *r)
{
    char command = '\0';
    for (skip_space(r); r->text[r->at] != '\0' && !r->out_of_memory; skip_space(r)) {
        char c = r->text[r->at], kind = upper(c);
        bool first = command == '\0';
        if (strchr("MLHVCSQTAZ", kind) != NULL) {
            command = c;
            r->at += 1;
        } else if (first || upper(command) == 'Z') {
            return false;
        } else if (upper(command) == 'M') {
            command = command == 'm' ? 'l' : 'L'; // further points of a move are lines
        }
        kind = upper(command);
        if (first && kind != 'M') {
            r->at = 0;
            return false;
        }
        if (kind == 'Z') {
            end_loop(r);
        } else if (!run(r, kind, command != kind)) {
            return false;
        }
        r->last = kind;
        if (strchr("CSQT", kind) == NULL) {
            r->control = r->here;
        }
    }
    if (r->open) {
        end_loop(r);
    }
    return true;
}

sn_status sn_svg_path_read(const char *text, int steps, sn_svg_path *path, sn_error *error)
{
    *path = (sn_svg_path){0};
    path_reader r = {.text = text, .steps = steps, .path = path};
    bool good = read_path(&r);
    sn_status status = SN_OK;
    if (r.out_of_memory) {
        status = sn_fail_memory(error, sizeof(sn_vec2) * (size_t)(path->points.count + 1));
    } else if (!good && text[r.at] == '\0') {
        status = sn_fail(error, SN_ERROR_SCENE, NULL,
                         "the path ends before its last command has all its numbers; expected "
                         "commands such as M 0 0 L 10 0 C 10 5 5 10 0 10 Z");
    } else if (!good) {
        status = sn_fail(error, SN_ERROR_SCENE, NULL,
                         "the path cannot be read at its character %zu, \"%.12s\"; expected "
                         "commands such as M 0 0 L 10 0 C 10 5 5 10 0 10 Z",
                         r.at + 1, text + r.at);
    } else if (path->sizes.count == 0) {
        status = sn_fail(error, SN_ERROR_SCENE, NULL,
                         "the path has no outline, expected at least three points");
    }
    if (status != SN_OK) {
        sn_svg_path_free(path);
    }
    return status;
}

void sn_svg_path_free(sn_svg_path *path)
{
    sn_array_free(&path->points);
    sn_array_free(&path->sizes);
}
