#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// A signal handler can reach nothing but a static flag; a lock-free one may be read in any thread.
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "an atomic int is always lock-free");
static atomic_int asked;

static void note(int number)
{
    (void)number;
    int before = errno;
    atomic_store(&asked, 1);
    alarm(1);
    errno = before;
}

// A single step may take minutes, and nothing but a signal reaches a person then.
static void remind(int number)
{
    (void)number;
    static const char text[] = "\nending after this step; Ctrl-C once more ends at once\n";
    int before = errno;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    errno = before;
}

void sn_interrupt_listen(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = isatty(STDERR_FILENO) ? remind : SIG_IGN;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND; // the second signal has its usual effect
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool sn_interrupted(void)
{
    return atomic_load(&asked) != 0;
}
