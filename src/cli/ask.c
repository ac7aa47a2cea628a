/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * ask: JSON lines in, JSON lines out, in their order. They are answered in
 * other processes, so that a line that needs too much takes no other with it:
 * an answer is a function of its line and the version. With --output what is
 * answered is kept until all is.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account/answer_json.h"
#include "cli/cli.h"
#include "config.h"
#include "enclosure/memory.h"
#include "report/sha256.h"

/* The longest line that is read, and the most jobs; more is refused. */
#define MAX_LINE ((size_t) 16 << 20)
#define MAX_JOBS 256

/* ---- one line ---- */

/* The answer to a line, as one line; an error names the line's number. */
static char *answer_line(const char *text, size_t length, size_t number)
{
    char error[256] = "", *dumped, *line;
    reader r = { error, sizeof(error), "", "" };
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

/* ---- what is answered ---- */

/* With --output all lines that are not blank are read first, and their answers kept with a key; else it is NULL and they are printed. */
typedef struct
{
    char *text, *answer;
    size_t length, number;
    char key[SHA256_SIZE];
} kept_line;

typedef struct
{
    const char *path;
    char *dir, *name;
    partial_share share;
    kept_line *lines;
    size_t count, allocated;
    FILE *partial; /* opened for the first answer */
} kept;

/* The key names what the answer is a function of. */
static int kept_add(void *data, const char *text, size_t length, size_t number)
{
    kept *k = data;
    size_t size = length + sizeof(PACKAGE_VERSION) + 32;
    char *both = flint_malloc(size);
    int head = snprintf(both, size, "%s %zu ", PACKAGE_VERSION, number);
    kept_line *line;
    if (k->count == k->allocated)
    {
        k->allocated = 2 * k->allocated + 64;
        k->lines = flint_realloc(k->lines, k->allocated * sizeof(*k->lines));
    }
    line = &k->lines[k->count++];
    memcpy(both + head, text, length);
    sha256_hex(line->key, both, (size_t) head + length);
    flint_free(both);
    line->text = flint_malloc(length + 1);
    memcpy(line->text, text, length);
    line->length = length;
    line->number = number;
    line->answer = NULL;
    return 0;
}

static void kept_clear(kept *k)
{
    size_t i;
    for (i = 0; i < k->count; i++)
    {
        flint_free(k->lines[i].text);
        flint_free(k->lines[i].answer);
    }
    flint_free(k->lines);
    flint_free(k->dir);
    flint_free(k->name);
    if (k->partial != NULL)
        fclose(k->partial);
}

/* INDEX KEY ANSWER of an earlier run; one that was cut off, or of other questions or another version, is passed over. */
static void take_over(void *data, const char *line, size_t length)
{
    kept *k = data;
    char *end, *copy = flint_malloc(length + 1);
    unsigned long long i;
    json_t *answer;
    memcpy(copy, line, length);
    copy[length] = '\0';
    i = strtoull(copy, &end, 10);
    if (end != copy && i < k->count && k->lines[i].answer == NULL && strlen(end) > SHA256_SIZE + 1 && end[0] == ' '
        && end[SHA256_SIZE] == ' ' && strncmp(end + 1, k->lines[i].key, SHA256_SIZE - 1) == 0)
    {
        const char *text = end + SHA256_SIZE + 1;
        if ((answer = json_loads(text, 0, NULL)) != NULL)
        {
            k->lines[i].answer = flint_malloc(strlen(text) + 1);
            strcpy(k->lines[i].answer, text);
        }
        json_decref(answer);
    }
    flint_free(copy);
}

/* Such a member of a question has its quotes escaped. */
static int is_error(const char *answer)
{
    return strstr(answer, "\"error\":") != NULL;
}

/* Prints or keeps the answer to line `index` of those that are not blank. What an interrupt cut short is not kept. */
static int deliver(kept *k, size_t index, char *answer)
{
    char *path;
    if (k == NULL)
    {
        puts(answer);
        fflush(stdout);
        flint_free(answer);
        return 0;
    }
    if (cli_interrupted())
    {
        flint_free(answer);
        return 0;
    }
    k->lines[index].answer = answer;
    if (k->partial == NULL)
    {
        path = partial_path(k->dir, k->name, &k->share);
        k->partial = path != NULL ? partial_open(path) : NULL;
        free(path);
    }
    if (k->partial == NULL)
        return report_fail(EXIT_CANNOT_WRITE, "--output %s: what is finished of this share cannot be kept: %s", k->path,
                           errno == EAGAIN ? "another process computes it" : strerror(errno));
    fprintf(k->partial, "%zu %s %s\n", index, k->lines[index].key, answer);
    if (fflush(k->partial) != 0)
        return report_fail(EXIT_CANNOT_WRITE, "--output %s: %s", k->path, strerror(errno));
    return 0;
}

/* ---- processes ---- */

/* A process that answers one line after the other (what FLINT keeps for the next computation is worth keeping), and where it is. */
typedef struct
{
    pid_t child; /* 0 if there is none */
    int socket;
    size_t number, index;
} worker;

typedef struct
{
    kept *kept;
    int threads; /* of each worker */
    size_t lines, errors; /* that are not blank; answers that are none */
    size_t jobs, first, running; /* a ring of workers; those that run, the oldest first */
    worker ring[MAX_JOBS];
} crew;

/* To one that has died, too: that is seen when its answer is read. */
static void send_all(int socket, const char *text, size_t length)
{
    ssize_t sent = 0;
    while (length > 0 && ((sent = send(socket, text, length, MSG_NOSIGNAL)) > 0 || errno == EINTR))
    {
        text += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t) sent : 0;
    }
}

typedef struct
{
    int socket, threads;
} post;

/* NUMBER LENGTH and the text of a line, until there are no more. */
static void answer_lines(void *data)
{
    const post *p = data;
    FILE *in = fdopen(p->socket, "r");
    size_t number, length;
    if (in == NULL)
        memory_fail();
    flint_set_num_threads(p->threads);
    while (!cli_interrupted() && fscanf(in, "%zu %zu", &number, &length) == 2 && fgetc(in) == '\n')
    {
        char *text = flint_malloc(length + 1), *answer;
        if (fread(text, 1, length, in) != length)
            break;
        answer = answer_line(text, length, number);
        if (memory_is_spoilt())
            memory_fail(); /* what the line held goes with the process */
        send_all(p->socket, answer, strlen(answer));
        send_all(p->socket, "\n", 1);
        flint_free(answer);
        flint_free(text);
    }
}

/* The exit status, or -1 if a signal killed it. */
static int dismiss(worker *w)
{
    int status = 0;
    close(w->socket);
    while (waitpid(w->child, &status, 0) < 0 && errno == EINTR)
        ;
    w->child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int hire(crew *c, worker *w)
{
    int ends[2];
    size_t i;
    const pid_t parent = getpid();
    post p;
    fflush(stdout);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -1;
    if ((w->child = fork()) < 0)
    {
        w->child = 0;
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (w->child == 0)
    {
        /* Another worker would not see the end of its lines while this one holds its socket. */
        for (i = 0; i < c->jobs; i++)
            if (c->ring[i].child != 0)
                close(c->ring[i].socket);
        close(ends[0]);
        cli_stop_with_parent(parent);
        p = (post) { ends[1], c->threads };
        _exit(memory_try(answer_lines, &p) == 0 ? EXIT_DONE : EXIT_MEMORY);
    }
    close(ends[1]);
    w->socket = ends[0];
    return 0;
}

static int start(crew *c, worker *w, const char *text, size_t length, size_t number, size_t index)
{
    char head[64];
    if (w->child == 0 && hire(c, w) != 0)
        return -1;
    snprintf(head, sizeof(head), "%zu %zu\n", number, length);
    send_all(w->socket, head, strlen(head));
    send_all(w->socket, text, length);
    w->number = number;
    w->index = index;
    return 0;
}

/* As read; an interrupt is passed on to the worker, which may not have got it. */
static ssize_t read_some(const worker *w, char *text, size_t size)
{
    struct pollfd end = { w->socket, POLLIN, 0 };
    int told = 0;
    do
    {
        if (cli_interrupted() && !told)
            told = kill(w->child, SIGUSR1) == 0;
    } while (poll(&end, 1, 200) <= 0);
    return read(w->socket, text, size);
}

/* What the worker answers, or an error object if it died. */
static char *finish(worker *w)
{
    size_t total = 0, allocated = 4096;
    char *line = flint_malloc(allocated);
    const char *why;
    ssize_t got = 1;
    while ((total == 0 || line[total - 1] != '\n')
           && ((got = read_some(w, line + total, allocated - total - 1)) > 0 || (got < 0 && errno == EINTR)))
    {
        total += got > 0 ? (size_t) got : 0;
        if (allocated - total < 2)
            line = flint_realloc(line, allocated *= 2);
    }
    if (got > 0)
    {
        line[total - 1] = '\0';
        return line;
    }
    why = dismiss(w) == EXIT_MEMORY ? "out of memory" : "the process that computed this answer ended without one";
    snprintf(line, allocated, "{\"line\":%zu,\"error\":\"%s\",\"version\":\"%s\"}", w->number, why, PACKAGE_VERSION);
    return line;
}

/* ---- all lines ---- */

static int finish_first(crew *c)
{
    worker *w = &c->ring[c->first];
    char *line = finish(w);
    c->first = (c->first + 1) % c->jobs;
    c->running--;
    c->errors += (size_t) is_error(line);
    return deliver(c->kept, w->index, line);
}

static int run_line(crew *c, const char *text, size_t length, size_t number, size_t index)
{
    int status = 0;
    c->lines++;
    if (c->running == c->jobs)
        status = finish_first(c);
    if (status == 0 && start(c, &c->ring[(c->first + c->running) % c->jobs], text, length, number, index) != 0)
        return report_fail(EXIT_ACCURACY, "cannot start a process: %s", strerror(errno));
    c->running += status == 0;
    /* who asks one by one waits for the answer */
    return status == 0 && c->jobs == 1 ? finish_first(c) : status;
}

static int finish_all(crew *c, int status)
{
    size_t i;
    while (c->running > 0)
    {
        int failed = finish_first(c);
        status = status == 0 ? failed : status;
    }
    for (i = 0; i < c->jobs; i++)
        if (c->ring[i].child != 0)
            dismiss(&c->ring[i]);
    return status;
}

/* Calls visit for every line that is not blank. */
static int each_line(FILE *in, int (*visit)(void *data, const char *text, size_t length, size_t number), void *data)
{
    char *text = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    int status = 0;
    while (status == 0 && !cli_interrupted())
    {
        cli_wait_for_input(1);
        errno = 0;
        length = getline(&text, &size, in);
        cli_wait_for_input(0);
        if (length < 0)
            break;
        number++;
        if (strspn(text, " \t\r\n") < (size_t) length)
            status = visit(data, text, (size_t) length, number);
    }
    if (status == 0 && !feof(in) && !cli_interrupted())
        status = report_fail(EXIT_DATA, "cannot read line %zu: %s", number + 1, strerror(errno));
    free(text);
    return status;
}

static int print_line(void *data, const char *text, size_t length, size_t number)
{
    return run_line(data, text, length, number, 0);
}

/* ---- output ---- */

static void kept_init(kept *k, const cli_options *o)
{
    const char *slash = strrchr(o->output, '/'), *name = slash != NULL ? slash + 1 : o->output;
    size_t folder = (size_t) (name - o->output);
    memset(k, 0, sizeof(*k));
    k->path = o->output;
    k->dir = flint_malloc(folder + 2);
    strcpy(k->dir, folder == 0 ? "." : "");
    strncat(k->dir, o->output, folder);
    k->name = flint_malloc(strlen(name) + 1);
    strcpy(k->name, name);
}

/* The file of all answers, in the order of the questions. */
static int write_whole(kept *k, report_file *file)
{
    size_t i;
    int status;
    for (i = 0; i < k->count; i++)
        fprintf(file->out, "%s\n", k->lines[i].answer);
    if ((status = report_file_close(file)) == 0)
        partial_remove(k->dir, k->name);
    return status;
}

/* All answers into one file, or a share of them to where the run for all will find them. */
static int run_kept(crew *c, const cli_options *o, FILE *in)
{
    report_file file;
    kept k;
    char path[256];
    size_t i;
    int whole = o->shard == NULL, status;
    kept_init(&k, o);
    if ((status = cli_share(&k.share, o->shard)) == 0 && whole)
        status = report_file_open(&file, "--output", o->output);
    if (status != 0)
    {
        kept_clear(&k);
        return status;
    }
    if ((status = each_line(in, kept_add, &k)) == 0 && partial_visit(k.dir, k.name, take_over, &k, path, sizeof(path)) != 0)
        status = report_fail(EXIT_CANNOT_WRITE, "--output %s: cannot read %s: %s", o->output, path, strerror(errno));
    c->kept = &k;
    for (i = (size_t) k.share.index - 1; i < k.count && status == 0 && !cli_interrupted(); i += (size_t) k.share.count)
    {
        if (k.lines[i].answer == NULL)
            status = run_line(c, k.lines[i].text, k.lines[i].length, k.lines[i].number, i);
        else
            c->errors += (size_t) is_error(k.lines[i].answer);
    }
    c->lines = k.count;
    status = finish_all(c, status);
    if (status == 0 && cli_interrupted())
        status = report_fail(EXIT_INTERRUPTED, "%s: interrupted; the same command goes on from here", o->output);
    if (whole && status == 0)
        status = write_whole(&k, &file);
    else if (whole)
        report_file_discard(&file);
    kept_clear(&k);
    return status;
}

int cli_command_ask(const cli_options *o)
{
    uint64_t jobs = 1;
    crew c = { 0 };
    FILE *in = stdin;
    int status;
    if (o->jobs != NULL && (status = cli_count(&jobs, "--jobs", o->jobs, 1, MAX_JOBS)) != 0)
        return status;
    if ((status = cli_threads(&c.threads, o->threads)) != 0)
        return status;
    if (o->shard != NULL && o->output == NULL)
        return report_fail(EXIT_USAGE, "--shard is for --output FILE");
    if (strcmp(o->operand[0], "-") != 0 && (in = fopen(o->operand[0], "r")) == NULL)
        return report_fail(EXIT_DATA, "%s: cannot open: %s", o->operand[0], strerror(errno));
    c.jobs = (size_t) jobs;
    cli_catch_interrupt();
    status = o->output != NULL ? run_kept(&c, o, in) : finish_all(&c, each_line(in, print_line, &c));
    report_show("");
    if (in != stdin)
        fclose(in);
    if (status != EXIT_INTERRUPTED && cli_interrupted())
        status = report_fail(EXIT_INTERRUPTED, "interrupted");
    if (status == 0 && c.lines == 0)
        status = report_fail(EXIT_NO_INPUT, "%s has no line", o->operand[0]);
    if (status == 0 && c.errors > 0)
        status = report_fail(EXIT_DATA, "%zu of %zu lines have an error as their answer", c.errors, c.lines);
    return report_finish(status);
}
