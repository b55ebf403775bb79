// A user's program: the installed headers and library must agree on the version.
#include <sinew/base.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR,
             SN_VERSION_PATCH);
    if (strcmp(sn_version(), wanted) != 0) {
        fprintf(stderr, "header %s, library %s\n", wanted, sn_version());
        return 1;
    }
    printf("%s\n", sn_version());
    return 0;
}
