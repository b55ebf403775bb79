// Dense fronts. Panels of up to SN_PANEL_WIDTH columns are factored column by column, then taken
// from all columns behind them in tiles of 8 x 4 numbers that stay in registers. Rows of a panel
// are packed in strips of eight for that, so that tiles read memory in its order. Every number is a
// sum in the order of the columns that it loses, whatever the tile.
#include <math.h>
#include <string.h>

#include "elastic/factor_part.h"
#include "elastic/lanes.h"

enum { TILE_COLUMNS = 4 };

typedef struct tiling {
    const sn_front_work *work;
    int first, last; // columns of the panel
} tiling;

// ---- a panel ----

// Column j, from its diagonal down, loses the panel's columns before it.
SN_LANE_FUNCTION void reduce_column(const sn_front_work *work, int first, int j)
{
    size_t height = (size_t)work->height;
    double *column = work->panel + (size_t)j * height;
    const double *base = work->panel + (size_t)first * height;
    double factors[SN_PANEL_WIDTH];
    int count = j - first, i = j;
    for (int k = 0; k < count; ++k) {
        factors[k] = base[(size_t)k * height + (size_t)j];
    }
    for (; i + 2 * SN_LANES <= work->height; i += 2 * SN_LANES) {
        sn_lanes a, b, p, q;
        sn_lanes_load(column + i, &a);
        sn_lanes_load(column + i + SN_LANES, &b);
        const double *other = base + i;
        for (int k = 0; k < count; ++k, other += height) {
            sn_lanes_load(other, &p);
            sn_lanes_load(other + SN_LANES, &q);
            a -= p * factors[k];
            b -= q * factors[k];
        }
        *(sn_lanes_loose *)(column + i) = a;
        *(sn_lanes_loose *)(column + i + SN_LANES) = b;
    }
    for (; i < work->height; ++i) {
        double a = column[i];
        for (int k = 0; k < count; ++k) {
            a -= base[(size_t)k * height + (size_t)i] * factors[k];
        }
        column[i] = a;
    }
}

SN_LANE_FUNCTION void factor_panel_body(void *context, int first, int last, int number)
{
    (void)number;
    sn_front_work *work = context;
    for (int j = first; j < last; ++j) {
        double *column = work->panel + (size_t)j * (size_t)work->height;
        reduce_column(work, first, j);
        double least = 4.0e-16 * (double)(j + 8) * work->diagonal[j];
        if (!(column[j] > least) || !isfinite(column[j])) {
            work->bad = j;
            return;
        }
        double scale = 1.0 / sqrt(column[j]);
        column[j] = scale;
        for (int i = j + 1; i < work->height; ++i) {
            column[i] *= scale;
        }
    }
}

SN_LANE_TWINS(factor_panel)

// ---- what panels take from the columns behind them ----

// Strips of eight rows, each by columns: packed[strip][k][8], with zeros past the end.
static void pack_rows(const sn_front_work *work, int first, int last)
{
    int rows = work->height - last, width = last - first;
    for (int k = 0; k < width; ++k) {
        const double *column =
            work->panel + (size_t)(first + k) * (size_t)work->height + (size_t)last;
        double *out = work->packed + SN_STRIP * (size_t)k;
        for (int i = 0; i < rows; i += SN_STRIP, out += SN_STRIP * (size_t)width) {
            for (int l = 0; l < SN_STRIP; ++l) {
                out[l] = i + l < rows ? column[i + l] : 0.0;
            }
        }
    }
}

// sums[column][half] = the strip's eight rows times four rows of another strip.
SN_LANE_FUNCTION void multiply_strips(const double *a, const double *b, int width, sn_lanes *sums)
{
    sn_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (int k = 0; k < width; ++k, a += SN_STRIP, b += SN_STRIP) {
        sn_lanes p, q;
        sn_lanes_load(a, &p);
        sn_lanes_load(a + SN_LANES, &q);
        s0 += p * b[0];
        s1 += q * b[0];
        s2 += p * b[1];
        s3 += q * b[1];
        s4 += p * b[2];
        s5 += q * b[2];
        s6 += p * b[3];
        s7 += q * b[3];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    sums[4] = s4;
    sums[5] = s5;
    sums[6] = s6;
    sums[7] = s7;
}

// Column j behind the panel's last, from the row of its own number on: in the panel, or in what is
// left to the parent.
SN_LANE_FUNCTION void find_column(const tiling *t, int j, double **column)
{
    const sn_front_work *work = t->work;
    int at = t->last + j;
    if (at < work->width) {
        *column = work->panel + (size_t)at * (size_t)work->height + (size_t)at;
    } else {
        size_t below = (size_t)(work->height - work->width), k = (size_t)(at - work->width);
        *column = work->update + k * below + k;
    }
}

SN_LANE_FUNCTION void subtract_tile(const tiling *t, int i, int j, const sn_lanes *sums)
{
    int rows = t->work->height - t->last;
    for (int c = 0; c < TILE_COLUMNS && j + c < rows; ++c) {
        double *column;
        find_column(t, j + c, &column);
        if (i >= j + c && i + SN_STRIP <= rows) {
            double *out = column + (i - j - c);
            *(sn_lanes_loose *)out -= sums[2 * c];
            *(sn_lanes_loose *)(out + SN_LANES) -= sums[2 * c + 1];
            continue;
        }
        for (int l = 0; l < SN_STRIP && i + l < rows; ++l) {
            if (i + l >= j + c) {
                column[i + l - j - c] -= sums[2 * c + l / SN_LANES][l % SN_LANES];
            }
        }
    }
}

// Groups of four columns behind the panel.
SN_LANE_FUNCTION void subtract_columns_body(void *context, int first, int last, int number)
{
    (void)number;
    const tiling *t = context;
    int width = t->last - t->first, rows = t->work->height - t->last;
    size_t strip = SN_STRIP * (size_t)width;
    for (int g = first; g < last; ++g) {
        int j = TILE_COLUMNS * g;
        const double *b = t->work->packed + (size_t)(j / SN_STRIP) * strip + j % SN_STRIP;
        for (int i = j / SN_STRIP * SN_STRIP; i < rows; i += SN_STRIP) {
            sn_lanes sums[2 * TILE_COLUMNS];
            multiply_strips(t->work->packed + (size_t)(i / SN_STRIP) * strip, b, width, sums);
            subtract_tile(t, i, j, sums);
        }
    }
}

SN_LANE_TWINS(subtract_columns)

void sn_front_factor(sn_front_work *work, sn_threads *threads)
{
    work->bad = -1;
    for (int first = 0; first < work->width; first += SN_PANEL_WIDTH) {
        tiling t = {work, first, first + SN_PANEL_WIDTH};
        t.last = t.last < work->width ? t.last : work->width;
        factor_panel(work, t.first, t.last, 0);
        if (work->bad >= 0) {
            return;
        }
        int groups = (work->height - t.last + TILE_COLUMNS - 1) / TILE_COLUMNS;
        if (groups > 0) {
            pack_rows(work, t.first, t.last);
            sn_threads_run(threads, groups, 16, subtract_columns, &t);
        }
    }
}

// ---- right sides ----

typedef struct solving {
    const double *panel;
    int width, height, columns;
    double *x, *products;
} solving;

// Columns one after the other, four at a time where they are full.
SN_LANE_FUNCTION void forward_body(void *context, int first, int last, int number)
{
    (void)first;
    (void)last;
    (void)number;
    const solving *s = context;
    size_t height = (size_t)s->height;
    double *x = s->x;
    for (int j = 0; j < s->width; j += SN_LANES) {
        int end = j + SN_LANES < s->width ? j + SN_LANES : s->width;
        for (int k = j; k < end; ++k) {
            const double *column = s->panel + (size_t)k * height;
            x[k] = x[k] * column[k];
            for (int i = k + 1; i < end; ++i) {
                x[i] -= column[i] * x[k];
            }
        }
        const double *a = s->panel + (size_t)j * height;
        if (end == j + SN_LANES) {
            const double *b = a + height, *c = b + height, *d = c + height;
            double p = x[j], q = x[j + 1], r = x[j + 2], t = x[j + 3];
            int i = end;
            for (; i + SN_LANES <= s->height; i += SN_LANES) {
                sn_lanes la, lb, lc, ld;
                sn_lanes_load(a + i, &la);
                sn_lanes_load(b + i, &lb);
                sn_lanes_load(c + i, &lc);
                sn_lanes_load(d + i, &ld);
                *(sn_lanes_loose *)(x + i) -= (la * p + lb * q) + (lc * r + ld * t);
            }
            for (; i < s->height; ++i) {
                x[i] -= (a[i] * p + b[i] * q) + (c[i] * r + d[i] * t);
            }
            continue;
        }
        for (int k = j; k < end; ++k, a += height) {
            for (int i = end; i < s->height; ++i) {
                x[i] -= a[i] * x[k];
            }
        }
    }
}

SN_LANE_TWINS(forward)

// Rows from `first` on of four columns times x: sums[column].
SN_LANE_FUNCTION void dot_columns(const double *a, size_t height, const double *x, int first,
                                  int last, double sums[SN_LANES])
{
    const double *b = a + height, *c = b + height, *d = c + height;
    sn_lanes s[SN_LANES] = {{0}}, p, q;
    int i = first;
    for (; i + SN_LANES <= last; i += SN_LANES) {
        sn_lanes_load(x + i, &q);
        sn_lanes_load(a + i, &p);
        s[0] += p * q;
        sn_lanes_load(b + i, &p);
        s[1] += p * q;
        sn_lanes_load(c + i, &p);
        s[2] += p * q;
        sn_lanes_load(d + i, &p);
        s[3] += p * q;
    }
    for (int k = 0; k < SN_LANES; ++k) {
        double rest = 0.0;
        for (int j = i; j < last; ++j) {
            rest += a[(size_t)k * height + (size_t)j] * x[j];
        }
        sums[k] = ((s[k][0] + s[k][1]) + (s[k][2] + s[k][3])) + rest;
    }
}

// Columns one after the other from the last, four at a time as far as they go.
SN_LANE_FUNCTION void backward_body(void *context, int first, int last, int number)
{
    (void)first;
    (void)last;
    (void)number;
    const solving *s = context;
    size_t height = (size_t)s->height;
    double *x = s->x;
    int j = s->width;
    for (; j % SN_LANES != 0; --j) {
        const double *column = s->panel + (size_t)(j - 1) * height;
        double sum = 0.0;
        for (int i = j; i < s->height; ++i) {
            sum += column[i] * x[i];
        }
        x[j - 1] = (x[j - 1] - sum) * column[j - 1];
    }
    for (; j > 0; j -= SN_LANES) {
        const double *block = s->panel + (size_t)(j - SN_LANES) * height;
        double sums[SN_LANES];
        dot_columns(block, height, x, j, s->height, sums);
        for (int k = SN_LANES - 1; k >= 0; --k) {
            const double *column = block + (size_t)k * height;
            int own = j - SN_LANES + k;
            double sum = sums[k];
            for (int i = own + 1; i < j; ++i) {
                sum += column[i] * x[i];
            }
            x[own] = (x[own] - sum) * column[own];
        }
    }
}

SN_LANE_TWINS(backward)

// Rows first .. last - 1 of L's columns, those alone, are taken off: x_i -= L_ik x_k.
SN_LANE_FUNCTION void reduce_rows(const solving *s, int column, int count, int first, int last)
{
    size_t columns = (size_t)s->columns, height = (size_t)s->height;
    const double *a = s->panel + (size_t)column * height;
    const double *own = s->x + (size_t)column * columns;
    for (size_t c = 0; c < columns; c += SN_LANES) {
        sn_lanes p[SN_LANES];
        for (int k = 0; k < count; ++k) {
            sn_lanes_load(own + (size_t)k * columns + c, &p[k]);
        }
        if (count == SN_LANES) {
            for (int i = first; i < last; ++i) {
                const double *l = a + i;
                *(sn_lanes_loose *)(s->x + (size_t)i * columns + c) -=
                    (p[0] * l[0] + p[1] * l[height]) +
                    (p[2] * l[2 * height] + p[3] * l[3 * height]);
            }
            continue;
        }
        for (int i = first; i < last; ++i) {
            for (int k = 0; k < count; ++k) {
                *(sn_lanes_loose *)(s->x + (size_t)i * columns + c) -=
                    p[k] * a[(size_t)k * height + (size_t)i];
            }
        }
    }
}

SN_LANE_FUNCTION void forward_many_body(void *context, int first, int last, int number)
{
    (void)first;
    (void)last;
    (void)number;
    const solving *s = context;
    size_t columns = (size_t)s->columns;
    for (int j = 0; j < s->width; j += SN_LANES) {
        int end = j + SN_LANES < s->width ? j + SN_LANES : s->width;
        for (int k = j; k < end; ++k) {
            double scale = s->panel[(size_t)k * (size_t)s->height + (size_t)k];
            double *own = s->x + (size_t)k * columns;
            for (size_t c = 0; c < columns; ++c) {
                own[c] *= scale;
            }
            reduce_rows(s, k, 1, k + 1, end);
        }
        reduce_rows(s, j, end - j, end, s->height);
    }
}

SN_LANE_TWINS(forward_many)

// products[a][b] = sum over rows of x_a x_b, for b up to a's lanes; columns x columns
SN_LANE_FUNCTION void square_body(void *context, int first, int last, int number)
{
    (void)first;
    (void)last;
    (void)number;
    const solving *s = context;
    size_t columns = (size_t)s->columns;
    for (size_t a = 0; a < columns; a += SN_LANES) {
        for (size_t b = 0; b <= a; b += SN_LANES) {
            sn_lanes sums[SN_LANES] = {{0}}, p;
            for (size_t k = 0; k < (size_t)s->width; ++k) {
                const double *row = s->x + k * columns;
                sn_lanes_load(row + b, &p);
                SN_UNROLL
                for (int l = 0; l < SN_LANES; ++l) {
                    sums[l] += p * row[a + (size_t)l];
                }
            }
            for (size_t l = 0; l < SN_LANES; ++l) {
                *(sn_lanes_loose *)(s->products + (a + l) * columns + b) = sums[l];
            }
        }
    }
}

SN_LANE_TWINS(square)

void sn_front_square(int rows, int columns, const double *x, double *products)
{
    solving s = {.width = rows, .columns = columns, .x = (double *)x, .products = products};
    square(&s, 0, 1, 0);
}

void sn_front_forward(const double *panel, int width, int height, double *x)
{
    solving s = {.panel = panel, .width = width, .height = height, .x = x};
    forward(&s, 0, 1, 0);
}

void sn_front_backward(const double *panel, int width, int height, double *x)
{
    solving s = {.panel = panel, .width = width, .height = height, .x = x};
    backward(&s, 0, 1, 0);
}

void sn_front_forward_many(const double *panel, int width, int height, int columns, double *x)
{
    solving s = {.panel = panel, .width = width, .height = height, .columns = columns, .x = x};
    forward_many(&s, 0, 1, 0);
}
