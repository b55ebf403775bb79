// A closed surface filled by Gmsh as an outside program: the surface goes there as a discrete one
// in an MSH file with a script beside it, the volume comes back as another MSH file. Everything is
// in a folder of its own, which is removed whatever happens.
//
// Between both stands a shell that holds one end of a pipe, of which this process has the other:
// whatever ends this process, the pipe ends with it, and the shell ends Gmsh and removes the
// folder.
#include "geometry/tetrahedra_mesher.h"

#include "base/error.h"

#ifdef __wasi__

sn_status sn_gmsh_fill(const sn_mesh *surface, const sn_tetrahedra_fill_options *options,
                       sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                       sn_error *error)
{
    (void)surface;
    (void)options;
    (void)report;
    *tetrahedra = NULL;
    return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                   "Gmsh is an outside program, which this build cannot start; the lattice fills "
                   "surfaces here");
}

#else

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 512, FILES = 4, MOST_ELEMENTS = 2000000, NO_PROGRAM = 127 };

typedef struct workshop {
    char folder[PATH_SIZE];
    char files[FILES][PATH_SIZE + 16]; // surface, script, volume, log
} workshop;

typedef enum workshop_file { SURFACE, SCRIPT, VOLUME, LOG } workshop_file;

static sn_status open_workshop(workshop *w, sn_error *error)
{
    static const char *const names[FILES] = {"surface.msh", "fill.geo", "volume.msh", "log"};
    const char *base = getenv("TMPDIR");
    base = base == NULL || base[0] == '\0' ? "/tmp" : base;
    int length = snprintf(w->folder, sizeof w->folder, "%s/sinew-fill-XXXXXX", base);
    errno = 0;
    if (length >= (int)sizeof w->folder || mkdtemp(w->folder) == NULL) {
        return sn_fail(error, SN_ERROR_FILE, base, "no folder can be made there: %s",
                       errno != 0 ? strerror(errno) : "the name is too long");
    }
    for (int k = 0; k < FILES; ++k) {
        snprintf(w->files[k], sizeof w->files[k], "%s/%s", w->folder, names[k]);
    }
    return SN_OK;
}

static void close_workshop(const workshop *w)
{
    for (int k = 0; k < FILES; ++k) {
        remove(w->files[k]);
    }
    rmdir(w->folder);
}

// ---- what Gmsh gets ----

static sn_status close_written(FILE *file, const char *path, sn_error *error)
{
    bool failed = file == NULL || ferror(file) != 0;
    failed = (file != NULL && fclose(file) != 0) || failed;
    return failed ? sn_fail(error, SN_ERROR_FILE, path, "cannot be written: %s", strerror(errno))
                  : SN_OK;
}

static sn_status write_surface(const sn_mesh *surface, const char *path, sn_error *error)
{
    FILE *file = fopen(path, "wb");
    int vertices = sn_mesh_vertex_count(surface), triangles = sn_mesh_triangle_count(surface);
    if (file != NULL) {
        fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", vertices);
        for (int i = 0; i < vertices; ++i) {
            sn_vec3 p = sn_mesh_positions(surface)[i];
            fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, p.x, p.y, p.z);
        }
        fprintf(file, "$EndNodes\n$Elements\n%d\n", triangles);
        for (int t = 0; t < triangles; ++t) {
            const int *v = sn_mesh_triangles(surface) + 3 * (size_t)t;
            fprintf(file, "%d 2 2 1 1 %d %d %d\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1);
        }
        fprintf(file, "$EndElements\n");
    }
    return close_written(file, path, error);
}

// With an edge given, the surface is parted along edges sharper than 40 degrees and meshed anew.
static sn_status write_script(const workshop *w, double edge, sn_error *error)
{
    FILE *file = fopen(w->files[SCRIPT], "wb");
    if (file != NULL) {
        fprintf(file, "Merge \"surface.msh\";\n");
        if (edge > 0.0) {
            fprintf(file, "ClassifySurfaces{40*Pi/180, 1, 1, Pi};\nCreateGeometry;\n");
        }
        fprintf(file, "Surface Loop(1) = Surface{:};\nVolume(1) = {1};\n");
        fprintf(file, "Mesh.SaveAll = 1;\nMesh.Optimize = 1;\n");
    }
    return close_written(file, w->files[SCRIPT], error);
}

// Elements of about one size fill a volume V by 6 sqrt(2) V / edge^3, regular ones that is, and
// others are smaller.
static sn_status check_count(const sn_mesh *surface, double edge, sn_error *error)
{
    sn_mass_properties mass;
    sn_status status = edge > 0.0 ? sn_mesh_mass_properties(surface, 1.0, &mass, error) : SN_OK;
    if (edge == 0.0 || status != SN_OK) {
        return status;
    }
    double count = 6.0 * sqrt(2.0) * mass.volume / (edge * edge * edge);
    return count <= MOST_ELEMENTS
               ? SN_OK
               : sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "edges of %g m would fill the surface with some %.2g elements; longer "
                         "ones, for %d at most, were expected",
                         edge, count, MOST_ELEMENTS);
}

// ---- running it ----

// $1: the folder; then the program and its words. Input 3 ends when the process that asks does, and
// is nobody else's. The guard is told by USR1 that it is not needed, until it is. A shell has
// background programs ignore interrupts of the terminal, so they are passed on.
static const char watch[] = "folder=$1; shift; exec 3<&0 </dev/null\n"
                            "\"$@\" 3<&- & job=$!\n"
                            "trap 'kill $job 2>/dev/null' INT TERM HUP\n"
                            "( trap '' INT TERM HUP; read end <&3; trap '' USR1\n"
                            "  kill -9 $job; cd \"$folder\" &&\n"
                            "  rm -f surface.msh fill.geo volume.msh log && rmdir \"$folder\"\n"
                            ") >/dev/null 2>&1 & guard=$!\n"
                            "wait $job; code=$?\n"
                            "while kill -0 $job 2>/dev/null; do wait $job; code=$?; done\n"
                            "kill -USR1 $guard\n"
                            "exit $code\n";

// `line`: the end of the pipe that the shell watches.
static sn_status start(const workshop *w, const sn_tetrahedra_fill_options *options, int line,
                       pid_t *child, sn_error *error)
{
    char edge[40];
    snprintf(edge, sizeof edge, "%.9g", options->edge > 0.0 ? options->edge : 1e22);
    char *words[] = {"sh",
                     "-c",
                     (char *)watch,
                     "sh",
                     (char *)w->folder,
                     (char *)options->program,
                     (char *)w->files[SCRIPT],
                     "-3",
                     "-format",
                     "msh22",
                     "-clmax",
                     edge,
                     "-o",
                     (char *)w->files[VOLUME],
                     NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        posix_spawn_file_actions_adddup2(&actions, line, STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, w->files[LOG],
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
        failure = posix_spawn(child, "/bin/sh", &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    return failure != 0 ? sn_fail(error, SN_ERROR_UNSUPPORTED, options->program,
                                  "the program cannot be started: %s", strerror(failure))
                        : SN_OK;
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

// Asks every 5 ms, and ends the program, by closing the pipe's end `held`, when its time is over.
// `shown`: the seconds that were reported last.
static sn_status wait_for(pid_t child, const sn_tetrahedra_fill_options *options, int *held,
                          int *code, double *shown, sn_error *error)
{
    const struct timespec nap = {0, 5000000};
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        int state = 0;
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child) {
            *code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
            return SN_OK;
        }
        double waited = seconds_since(&begin);
        if (options->progress != NULL && (int)waited > (int)*shown) {
            *shown = waited;
            options->progress(options->user, waited, false);
        }
        if ((ended < 0 && errno != EINTR) || waited > options->seconds) {
            close(*held);
            *held = -1;
            waitpid(child, &state, 0);
            return sn_fail(
                error, SN_ERROR_STOPPED, options->program,
                "was ended after %g s; a surface that is filled within %g s was expected", waited,
                options->seconds);
        }
        nanosleep(&nap, NULL);
    }
}

// Runs it; `code`: how it ended.
static sn_status run(const workshop *w, const sn_tetrahedra_fill_options *options, int *code,
                     sn_error *error)
{
    int ends[2];
    pid_t child = 0;
    if (pipe(ends) != 0) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, options->program,
                       "the program cannot be started: %s", strerror(errno));
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    sn_status status = start(w, options, ends[0], &child, error);
    close(ends[0]);
    double shown = 0.0;
    status = status == SN_OK ? wait_for(child, options, &ends[1], code, &shown, error) : status;
    if (shown > 0.0) {
        options->progress(options->user, shown, true);
    }
    if (ends[1] >= 0) {
        close(ends[1]);
    }
    return status;
}

// The first line of the log that speaks of an error, or the last line.
static void read_complaint(const workshop *w, char *text, size_t size)
{
    FILE *file = fopen(w->files[LOG], "rb");
    char line[256];
    text[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0') {
            snprintf(text, size, "%s", line);
        }
        if (strstr(line, "Error") != NULL) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static sn_status fill(const workshop *w, const sn_mesh *surface,
                      const sn_tetrahedra_fill_options *options, sn_tetrahedra **tetrahedra,
                      sn_error *error)
{
    int code = 0;
    sn_status status = write_surface(surface, w->files[SURFACE], error);
    status = status == SN_OK ? write_script(w, options->edge, error) : status;
    status = status == SN_OK ? run(w, options, &code, error) : status;
    if (status != SN_OK) {
        return status;
    }
    char complaint[256];
    read_complaint(w, complaint, sizeof complaint);
    if (code == NO_PROGRAM) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, options->program,
                       "the program is not there; Gmsh was expected, which fills surfaces with "
                       "tetrahedra (Debian package gmsh)");
    }
    if (code != 0 || access(w->files[VOLUME], R_OK) != 0) {
        return sn_fail(error, SN_ERROR_GEOMETRY, options->program,
                       "could not fill the surface (exit code %d): %s", code, complaint);
    }
    sn_error inner = {0};
    status = sn_tetrahedra_read(w->files[VOLUME], tetrahedra, &inner);
    return status == SN_OK ? SN_OK
                           : sn_fail(error, status, options->program,
                                     "wrote no usable tetrahedra: %.200s (it said: %.200s)",
                                     inner.text, complaint);
}

// Gmsh meshes the surface anew where an edge is given, and coarse faces cut off what is curved.
static sn_status measure(const sn_mesh *surface, const sn_tetrahedra *body, double edge,
                         sn_tetrahedra_fill_report *report, sn_error *error)
{
    sn_mass_properties mass;
    sn_tetrahedra_quality quality;
    sn_status status = sn_mesh_mass_properties(surface, 1.0, &mass, error);
    if (status == SN_OK && !sn_tetrahedra_measure(body, &quality)) {
        status = sn_fail_memory(error, (size_t)sn_tetrahedra_vertex_count(body) * sizeof(int));
    }
    if (status == SN_OK) {
        *report = (sn_tetrahedra_fill_report){.surface_volume = mass.volume,
                                              .filled_volume = quality.volume,
                                              .scale = 1.0,
                                              .edge = edge};
    }
    return status;
}

sn_status sn_gmsh_fill(const sn_mesh *surface, const sn_tetrahedra_fill_options *options,
                       sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                       sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_mesh_check(surface, NULL, error);
    status = status == SN_OK ? check_count(surface, options->edge, error) : status;
    if (status != SN_OK) {
        return status;
    }
    workshop w;
    status = open_workshop(&w, error);
    if (status == SN_OK) {
        status = fill(&w, surface, options, tetrahedra, error);
        close_workshop(&w);
    }
    if (status == SN_OK) {
        status = measure(surface, *tetrahedra, options->edge, report, error);
    }
    if (status != SN_OK) {
        sn_tetrahedra_release(*tetrahedra);
        *tetrahedra = NULL;
    }
    return status;
}

#endif
