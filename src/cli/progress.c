/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Long runs: a line on the terminal, and an interrupt that leaves what is finished. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted;
static volatile double interrupted_at;

/* The first one is noted; timeout(1), for one, sends it twice at once. A later one kills. */
static void on_interrupt(int number)
{
    double now = shuf_seconds();
    if (!interrupted)
    {
        interrupted_at = now;
        interrupted = 1;
    }
    else if (now - interrupted_at > 0.2)
    {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void cli_catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

int cli_interrupted(void)
{
    return interrupted;
}

void cli_show(const char *line)
{
    static int shown;
    if ((!shown && line[0] == '\0') || !isatty(STDERR_FILENO))
        return;
    /* short of 80 columns, so that no terminal breaks it */
    fprintf(stderr, "\r%-79.79s%s", line, line[0] == '\0' ? "\r" : "");
    fflush(stderr);
    shown = line[0] != '\0';
}
