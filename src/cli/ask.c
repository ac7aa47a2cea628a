/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * ask: JSON lines in, JSON lines out, in their order. With --jobs the lines
 * are answered in processes of their own: an answer is a function of its line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account/answer_json.h"
#include "cli/cli.h"
#include "config.h"

/* The longest line that is read. */
#define MAX_LINE ((size_t) 16 << 20)
#define MAX_JOBS 256

/* ---- one line ---- */

/* The answer to a line, as one line; an error names the line's number. */
static char *answer_line(const char *text, size_t length, size_t number)
{
    char error[256] = "", *dumped, *line;
    reader r = { error, sizeof(error), "" };
    json_t *question = NULL, *answer;
    if (length > MAX_LINE)
        answer = answer_error_json(NULL, "longer than 16 MiB");
    else if ((question = reader_parse(text, length, &r)) == NULL)
        answer = answer_error_json(NULL, error);
    else
        answer = answer_read(question);
    if (json_object_get(answer, "error") != NULL)
        json_object_set_new(answer, "line", json_integer((json_int_t) number));
    dumped = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(6));
    line = flint_malloc(strlen(dumped) + 1);
    strcpy(line, dumped);
    free(dumped);
    json_decref(question);
    json_decref(answer);
    return line;
}

static int is_blank(const char *text, size_t length)
{
    return strspn(text, " \t\r\n") >= length;
}

/* ---- processes ---- */

/* A line that is being answered by a child, and the pipe that its answer comes through. */
typedef struct
{
    pid_t child;
    int from;
    size_t number;
} job;

static int start(job *j, const char *text, size_t length, size_t number)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return -1;
    if ((j->child = fork()) < 0)
    {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (j->child == 0)
    {
        char *line = answer_line(text, length, number);
        FILE *out = fdopen(ends[1], "w");
        close(ends[0]);
        if (out == NULL || fputs(line, out) == EOF || fclose(out) != 0)
            _exit(EXIT_CANNOT_WRITE);
        _exit(EXIT_DONE);
    }
    close(ends[1]);
    j->from = ends[0];
    j->number = number;
    return 0;
}

/* Prints what the child answers, or an error object if it died. */
static void finish(job *j)
{
    char buffer[65536];
    size_t total = 0;
    ssize_t got;
    int status = -1;
    while ((got = read(j->from, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            total += fwrite(buffer, 1, (size_t) got, stdout);
    close(j->from);
    while (waitpid(j->child, &status, 0) < 0 && errno == EINTR)
        ;
    if (total == 0)
        printf("{\"line\":%zu,\"error\":\"the process that computed this answer ended without one\",\"version\":\"%s\"}", j->number, PACKAGE_VERSION);
    putchar('\n');
    fflush(stdout);
}

/* ---- all lines ---- */

typedef struct
{
    size_t jobs, first, running; /* a ring of running jobs, the oldest first */
    job ring[MAX_JOBS];
} crew;

static int run_line(crew *c, const char *text, size_t length, size_t number)
{
    if (c->jobs == 1)
    {
        char *line = answer_line(text, length, number);
        puts(line);
        fflush(stdout);
        flint_free(line);
        return 0;
    }
    if (c->running == c->jobs)
    {
        finish(&c->ring[c->first]);
        c->first = (c->first + 1) % c->jobs;
        c->running--;
    }
    if (start(&c->ring[(c->first + c->running) % c->jobs], text, length, number) != 0)
        return cli_fail(EXIT_ACCURACY, "cannot start a process: %s", strerror(errno));
    c->running++;
    return 0;
}

static int run_lines(crew *c, FILE *in)
{
    char *text = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    int status = 0;
    while (status == 0 && !cli_interrupted() && (length = getline(&text, &size, in)) >= 0)
    {
        number++;
        if (!is_blank(text, (size_t) length))
            status = run_line(c, text, (size_t) length, number);
    }
    while (c->running > 0)
    {
        finish(&c->ring[c->first]);
        c->first = (c->first + 1) % c->jobs;
        c->running--;
    }
    if (status == 0 && ferror(in))
        status = cli_fail(EXIT_DATA, "cannot read line %zu: %s", number + 1, strerror(errno));
    free(text);
    return status;
}

int cli_command_ask(const cli_options *o)
{
    uint64_t jobs = 1;
    crew c = { 0 };
    FILE *in = stdin;
    int status;
    if (o->operands != 1)
        return cli_fail(EXIT_USAGE, "ask takes one file of JSON lines, or - for standard input");
    if (o->jobs != NULL && (status = cli_count(&jobs, "--jobs", o->jobs, 1, MAX_JOBS)) != 0)
        return status;
    if (strcmp(o->operand[0], "-") != 0 && (in = fopen(o->operand[0], "r")) == NULL)
        return cli_fail(EXIT_DATA, "%s: cannot open: %s", o->operand[0], strerror(errno));
    c.jobs = (size_t) jobs;
    cli_catch_interrupt();
    status = run_lines(&c, in);
    report_show("");
    if (in != stdin)
        fclose(in);
    if (cli_interrupted())
        status = cli_fail(EXIT_INTERRUPTED, "interrupted");
    return report_finish(status);
}
