/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Long runs: an interrupt leaves what is finished. */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted;
static volatile double interrupted_at;

/* The first one is noted; timeout(1), for one, sends it twice at once. A later one kills, and leaves no half-written file. */
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
        report_file_abandon();
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* What every line of the engines begins with. */
static char prefix[48];

static int on_progress(void *data, const char *line)
{
    (void) data;
    if (line[0] != '\0')
    {
        char text[256];
        snprintf(text, sizeof(text), "%s%s", prefix, line);
        report_show(text);
    }
    return interrupted;
}

void cli_catch_interrupt(void)
{
    static shuf_watch watch = { 0, on_progress, NULL, 0 };
    struct sigaction action;
    shuf_watch_set(&watch);
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

void cli_show_prefix(const char *text)
{
    snprintf(prefix, sizeof(prefix), "%s", text);
    report_show(prefix);
}
