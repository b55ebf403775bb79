#include "interrupt.h"

#include <signal.h>
#include <string.h>

// A signal handler can reach nothing but a static flag.
static volatile sig_atomic_t asked;

static void note(int number)
{
    (void)number;
    asked = 1;
}

void sn_interrupt_listen(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND; // the second signal has its usual effect
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool sn_interrupted(void)
{
    return asked != 0;
}
