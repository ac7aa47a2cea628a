/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Long runs: an interrupt leaves what is finished. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted, told; /* by a signal of its own, by its parent */
static volatile double interrupted_at;
static pid_t parent; /* or 0 */

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
    return cli_interrupted();
}

static void handle(int number, void (*handler)(int number), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void cli_catch_interrupt(void)
{
    static shuf_watch watch = { 0, on_progress, NULL, 0 };
    shuf_watch_set(&watch);
    cli_wait_for_input(0);
}

void cli_wait_for_input(int begin)
{
    handle(SIGINT, on_interrupt, begin ? 0 : SA_RESTART);
    handle(SIGTERM, on_interrupt, begin ? 0 : SA_RESTART);
}

static void on_parent(int number)
{
    (void) number;
    told = 1;
}

void cli_stop_with_parent(pid_t process)
{
    parent = process;
    handle(SIGUSR1, on_parent, SA_RESTART);
}

int cli_interrupted(void)
{
    return interrupted || told || (parent != 0 && getppid() != parent);
}

void cli_show_prefix(const char *text)
{
    snprintf(prefix, sizeof(prefix), "%s", text);
    report_show(prefix);
}
