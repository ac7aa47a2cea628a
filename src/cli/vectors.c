/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* vectors: test vectors are generated and checked, and judge other libraries */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "vectors/vectors.h"
#include "enclosure/memory.h"

/* More than any result has, in characters. A size. */
#define MAX_OUTPUT ((size_t) 1 << 20)

#define MAX_MESSAGE 512 /* size of a buffer */
#define MAX_SAMPLE 1000000000 /* more is refused */

/* ---- one result, in a process of its own ---- */

/* Answers the question, and leaves the process. The effort is enough for anything that a vector asks. */
static void answer_question(const json_t *question, int fast)
{
    json_t *copy = json_deep_copy(question);
    char *text, *line;
    json_object_set_new(copy, "effort", json_string("high"));
    if (fast)
        json_object_set_new(copy, "fast", json_true());
    text = json_dumps(copy, JSON_COMPACT);
    line = shuf_answer_json(text);
    if (line == NULL)
        cli_out_of_memory();
    puts(line);
    fflush(stdout);
    _exit(EXIT_DONE);
}

/* What the child writes until it ends, as a string (flint_free it). An interrupt ends it at once. */
static char *read_all(int fd, pid_t child)
{
    struct pollfd end = { fd, POLLIN, 0 };
    size_t size = 4096, length = 0;
    char *text = flint_malloc(size);
    ssize_t got = 1;
    while (got > 0 && length < MAX_OUTPUT)
    {
        if (cli_interrupted())
            kill(child, SIGKILL);
        if (poll(&end, 1, 200) <= 0)
            continue;
        got = read(fd, text + length, size - length - 1);
        if (got > 0)
            length += (size_t) got;
        if (length > size / 2)
            text = flint_realloc(text, size *= 2);
    }
    text[length] = '\0';
    return text;
}

/* result := that of the answer, or of its upper or lower bound. Returns 0, or -1 or VECTORS_REFUSED after a message. */
static int read_answer(json_t **result, const char *text, const char *bound, const reader *r)
{
    json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *error = json_string_value(json_object_get(answer, "error"));
    int status = 0;
    if (error != NULL)
    {
        reader_fail(r, "%.300s", error);
        status = VECTORS_REFUSED;
    }
    else if ((*result = vectors_result(answer, bound)) == NULL)
    {
        status = reader_fail(r, bound != NULL ? "the answer has no such bound" : "not one number: a vector is about a pair, a closed form or a bound");
    }
    json_decref(answer);
    return status;
}

static int compute(json_t **result, json_t *question, const char *bound, int fast, const reader *r)
{
    int ends[2], status = -1, outcome = -1;
    pid_t child;
    char *text;

    *result = NULL;
    fflush(NULL); /* or the child would write it again */
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, waitpid has no status */
    if (pipe(ends) != 0)
        return reader_fail(r, "cannot start a process: %s", strerror(errno));
    if ((child = fork()) < 0)
    {
        reader_fail(r, "cannot start a process: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (child == 0)
    {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        answer_question(question, fast);
    }
    close(ends[1]);
    text = read_all(ends[0], child);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (cli_interrupted())
        reader_fail(r, "interrupted");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE)
        outcome = read_answer(result, text, bound, r);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MEMORY)
        reader_fail(r, "out of memory");
    else
    {
        text[strcspn(text, "\n")] = '\0';
        reader_fail(r, "killed by signal %d%s%.160s", WTERMSIG(status), text[0] != '\0' ? ": " : "", text);
    }
    flint_free(text);
    return outcome == VECTORS_REFUSED && !fast ? -1 : outcome;
}

/* ---- several files ---- */

typedef struct
{
    vectors_file *items;
    size_t count;
} file_list;

static void clear_files(file_list *list)
{
    size_t i;
    for (i = 0; i < list->count; i++)
        vectors_clear(&list->items[i]);
    flint_free(list->items);
}

/* The status of a kind of file that is not allowed in `judge`, and not worth an error: all files of a folder may be named. */
#define PASSED_OVER 2

/* Loads the operands from `first` on; each must be of a kind that is allowed, and no tcId in two of them. */
static int load_files(file_list *list, const cli_options *o, int first, const int *allowed)
{
    static const char *const kinds[] = { "prompts, which have no results", "vectors with results", "claims, which have no results" };
    char message[MAX_MESSAGE];
    reader r = { message, sizeof(message), "", "" };
    int i, status = 0;
    list->count = 0;
    list->items = flint_calloc((size_t) (o->operands - first) + 1, sizeof(*list->items));
    for (i = first; i < o->operands && status == 0; i++)
    {
        vectors_file *f = &list->items[list->count];
        if (vectors_load(f, o->operand[i], &r) != 0)
        {
            status = report_fail(EXIT_DATA, "%s: %s", o->operand[i], message);
            continue;
        }
        if (allowed[f->kind] == PASSED_OVER)
        {
            fprintf(stderr, "shufbound: %s: passed over: the file has %s\n", o->operand[i], kinds[f->kind]);
            vectors_clear(f);
            continue;
        }
        list->count++;
        if (!allowed[f->kind])
            status = report_fail(EXIT_DATA, "%s: the file has %s", o->operand[i], kinds[f->kind]);
    }
    if (status == 0 && vectors_disjoint(list->items, list->count, &r) != 0)
        status = report_fail(EXIT_DATA, "in two of the files: %s", message);
    if (status != 0)
        clear_files(list);
    return status;
}

/* The file's name without folders and without .json (flint_free it). */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name, *end;
    size_t size;
    if (slash != NULL)
        path = slash + 1;
    size = strlen(path) + 1;
    name = memcpy(flint_malloc(size), path, size);
    end = name + strlen(name);
    if (size > 6 && strcmp(end - 5, ".json") == 0)
        end[-5] = '\0';
    return name;
}

/* Whether no two operands would be written to one file. */
static int check_names(const cli_options *o)
{
    int i, j, status = 0;
    for (i = 1; i < o->operands && status == 0; i++)
    {
        for (j = 1; j < i && status == 0; j++)
        {
            char *a = base_name(o->operand[i]), *b = base_name(o->operand[j]);
            if (strcmp(a, b) == 0)
                status = report_fail(EXIT_USAGE, "%s and %s would be written to one file", o->operand[j], o->operand[i]);
            flint_free(a);
            flint_free(b);
        }
    }
    return status;
}

/* DIR/NAME.json for a source, which must not be that file itself. */
static int output_path(char **path, const char *dir, const char *name, const char *source)
{
    struct stat a, b;
    size_t size = strlen(dir) + strlen(name) + 8;
    *path = flint_malloc(size);
    snprintf(*path, size, "%s/%s.json", dir, name);
    if (stat(*path, &a) != 0 || stat(source, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return 0;
    flint_free(*path);
    *path = NULL;
    return report_fail(EXIT_USAGE, "--output %s would replace %s itself", dir, source);
}

static int write_file(json_t *root, const char *path)
{
    report_file file;
    int status = report_file_open(&file, "--output", path);
    if (status == 0)
    {
        vectors_write(file.out, root);
        status = report_file_close(&file);
    }
    json_decref(root);
    return status;
}

static void show_progress(size_t done, size_t count, const char *path, const json_t *test)
{
    char line[96];
    snprintf(line, sizeof(line), "%zu/%zu %.40s tcId %lld", done, count, path, (long long) vectors_id(test));
    report_show(line);
}

/* ---- generate ---- */

typedef struct
{
    partial_share part;
    int whole; /* no --shard: the file is put together in the end */
    const char *dir;
} share;

static int read_share(share *s, const cli_options *o)
{
    s->dir = o->output != NULL ? o->output : ".";
    s->whole = o->shard == NULL;
    return cli_share(&s->part, o->shard);
}

/* Computes what is missing of the share. Returns EXIT_DATA if a test has no result, after a message for each. */
static int compute_share(json_t **results, const vectors_file *f, const share *s, const char *name, const char *path)
{
    char message[MAX_MESSAGE], *partial = partial_path(s->dir, name, &s->part);
    reader r = { message, sizeof(message), "", "" };
    FILE *out = NULL;
    size_t i;
    int status = 0;
    for (i = 0; i < f->count && status != EXIT_CANNOT_WRITE && !cli_interrupted(); i++)
    {
        json_t *question = json_object_get(f->tests[i], "question");
        vectors_interval_t interval;
        reader about;
        if (results[i] != NULL || i % s->part.count != s->part.index - 1)
            continue;
        show_progress(i + 1, f->count, path, f->tests[i]);
        about = vectors_about(&r, f->tests[i]);
        vectors_interval_init(interval);
        if (compute(&results[i], question, vectors_bound(f->tests[i]), 0, &about) == 0
            && (vectors_check_result(results[i], &about) != 0 || vectors_result_sound(interval, results[i], &about) != 0))
        {
            json_decref(results[i]);
            results[i] = NULL;
        }
        vectors_interval_clear(interval);
        if (results[i] == NULL)
        {
            report_show("");
            if (!cli_interrupted())
                status = report_fail(EXIT_DATA, "%s: %s", path, message);
            continue;
        }
        if (out == NULL && (partial == NULL || (out = partial_open(partial)) == NULL))
        {
            status = report_fail(EXIT_CANNOT_WRITE, "--output %s: %s", s->dir, strerror(partial == NULL ? ENOMEM : errno));
            continue;
        }
        vectors_partial_add(out, f->tests[i], results[i]);
        if (ferror(out))
            status = report_fail(EXIT_CANNOT_WRITE, "--output %s: %s", partial, strerror(errno));
    }
    report_show("");
    if (out != NULL)
        fclose(out);
    free(partial);
    return cli_interrupted() ? report_fail(130, "%s: interrupted; the same command goes on from here", path) : status;
}

static int generate_file(const vectors_file *f, const share *s, const char *path)
{
    char message[MAX_MESSAGE], *name = base_name(path), *output = NULL;
    reader r = { message, sizeof(message), "", "" };
    json_t **results = flint_calloc(f->count + 1, sizeof(*results));
    size_t i;
    int status = output_path(&output, s->dir, name, path);
    if (status == 0 && vectors_partial_collect(results, f, s->dir, name, &r) != 0)
        status = report_fail(EXIT_CANNOT_WRITE, "--output %s: %s", s->dir, message);
    if (status == 0)
        status = compute_share(results, f, s, name, path);
    if (status == 0 && s->whole && (status = write_file(vectors_to_value(f, results), output)) == 0)
        partial_remove(s->dir, name);
    for (i = 0; i < f->count; i++)
        json_decref(results[i]);
    flint_free(results);
    flint_free(output);
    flint_free(name);
    return status;
}

static int generate(const cli_options *o)
{
    static const int allowed[] = { 1, 0, 0 };
    file_list list;
    share s;
    size_t i;
    int status = 0, failed;
    if ((status = check_names(o)) != 0 || (status = read_share(&s, o)) != 0 || (status = load_files(&list, o, 1, allowed)) != 0)
        return status;
    cli_catch_interrupt();
    for (i = 0; i < list.count && !cli_interrupted(); i++)
        if ((failed = generate_file(&list.items[i], &s, o->operand[i + 1])) != 0)
            status = failed;
    clear_files(&list);
    return status;
}

/* ---- prompt ---- */

static int write_prompts(const cli_options *o)
{
    static const int allowed[] = { 0, 1, 0 };
    const char *dir = o->output != NULL ? o->output : ".";
    file_list list;
    size_t i;
    int status;
    if ((status = check_names(o)) != 0 || (status = load_files(&list, o, 1, allowed)) != 0)
        return status;
    for (i = 0; i < list.count && status == 0; i++)
    {
        char *name = base_name(o->operand[i + 1]), *path;
        if ((status = output_path(&path, dir, name, o->operand[i + 1])) == 0)
            status = write_file(vectors_to_prompt(&list.items[i]), path);
        flint_free(path);
        flint_free(name);
    }
    clear_files(&list);
    return status;
}

/* ---- check ---- */

/* One test out of each run of `every`, at random (splitmix64). */
typedef struct
{
    uint64_t every, state, next, seen;
} sample;

static uint64_t random_bits(sample *s)
{
    uint64_t z = (s->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int read_sample(sample *s, const cli_options *o)
{
    const char *seed = getenv("SHUFBOUND_SEED");
    int status;
    s->every = 1;
    s->state = s->next = s->seen = 0;
    if (o->sample == NULL)
        return 0;
    if ((status = cli_count(&s->every, "--sample", o->sample, 1, MAX_SAMPLE)) != 0)
        return status;
    if (seed != NULL)
        s->state = strtoull(seed, NULL, 10);
    if (s->state == 0)
        s->state = (uint64_t) time(NULL);
    printf("SHUFBOUND_SEED=%llu\n", (unsigned long long) s->state);
    return 0;
}

static int is_taken(sample *s)
{
    uint64_t place = s->seen++ % s->every;
    if (place == 0)
        s->next = random_bits(s) % s->every;
    return place == s->next;
}

static int check(const cli_options *o)
{
    static const int allowed[] = { 0, 1, 1 };
    char message[MAX_MESSAGE];
    reader r = { message, sizeof(message), "", "" };
    size_t outcomes[4] = { 0, 0, 0, 0 }, i, j;
    file_list list;
    sample s;
    int status;
    if ((status = read_sample(&s, o)) != 0 || (status = load_files(&list, o, 1, allowed)) != 0)
        return status;
    cli_catch_interrupt();
    for (i = 0; i < list.count; i++)
    {
        const vectors_file *f = &list.items[i];
        const char *path = o->operand[i + 1];
        for (j = 0; j < f->count && !cli_interrupted(); j++)
        {
            reader about = vectors_about(&r, f->tests[j]);
            vectors_outcome outcome;
            if (!is_taken(&s))
                continue;
            show_progress(j + 1, f->count, path, f->tests[j]);
            outcome = vectors_check(f->tests[j], f->kind, o->fast, compute, &about);
            if (cli_interrupted())
                continue;
            outcomes[outcome]++;
            if (outcome == VECTORS_FAILED)
            {
                report_show("");
                printf("FAIL %s: %s\n", path, message);
                fflush(stdout);
            }
        }
    }
    report_show("");
    printf("%zu agree", outcomes[VECTORS_AGREES] + outcomes[VECTORS_SAME_TEXT]);
    if (!o->fast)
        printf(" (%zu in the same digits)", outcomes[VECTORS_SAME_TEXT]);
    printf(", %zu fail, %zu skipped\n", outcomes[VECTORS_FAILED], outcomes[VECTORS_SKIPPED]);
    clear_files(&list);
    status = outcomes[VECTORS_FAILED] > 0;
    if (cli_interrupted())
        status = report_fail(130, "interrupted");
    return report_finish(status);
}

/* ---- judge ---- */

/* The answer in at most 40 characters. */
static void format_answer(char text[48], const json_t *answer)
{
    if (json_is_string(answer))
        snprintf(text, 48, "%.40s", json_string_value(answer));
    else if (json_is_integer(answer))
        snprintf(text, 48, "%lld", (long long) json_integer_value(answer));
    else
        snprintf(text, 48, "%.17g", json_real_value(answer));
}

static void print_judgements(const vectors_report *report)
{
    char answer[48];
    size_t i;
    printf("%-8s %-10s %-6s %-25s %-25s %-25s %s\n", "TCID", "VERDICT", "SIDE", "ANSWER", "LO", "HI", "RATIO");
    for (i = 0; i < report->count; i++)
    {
        const vectors_judgement *item = &report->items[i];
        const json_t *result = json_object_get(item->test, "result");
        const int infinite = reader_has(result, "infinite");
        format_answer(answer, item->answer);
        printf("%-8lld %-10s %-6s %-25s %-25s %-25s %s\n", (long long) item->id, vectors_verdict_name(item->verdict),
               item->upper ? "upper" : "lower", answer, infinite ? "infinite" : json_string_value(json_object_get(result, "lo")),
               infinite ? "infinite" : json_string_value(json_object_get(result, "hi")), item->ratio != NULL ? item->ratio : "-");
    }
    printf("%.60s %.40s: %zu sound, %zu unsound, %zu undecided, %zu refused, %zu not answered\n", report->library, report->version,
           report->verdicts[VECTORS_SOUND], report->verdicts[VECTORS_UNSOUND], report->verdicts[VECTORS_UNDECIDED], report->refused,
           report->unanswered);
}

static void print_unknown(const vectors_report *report, const file_list *list, const char *path)
{
    const json_t *answer;
    size_t i;
    json_array_foreach(json_object_get(report->root, "answers"), i, answer)
        if (vectors_find_test(list->items, list->count, vectors_id(answer)) == NULL)
            report_fail(EXIT_DATA, "%s: tcId %lld is in none of the files of vectors", path, (long long) vectors_id(answer));
}

static int judge(const cli_options *o)
{
    static const int allowed[] = { 0, 1, PASSED_OVER };
    char message[MAX_MESSAGE], *text = NULL;
    reader r = { message, sizeof(message), "", "" };
    const char *path = o->operand[1];
    vectors_report report;
    file_list list;
    size_t length;
    int status;
    if (o->operands < 3)
        return report_fail(EXIT_USAGE, "vectors judge needs a file of answers and files of vectors");
    if ((status = load_files(&list, o, 2, allowed)) != 0)
        return status;
    if (reader_file(&text, &length, path, &r) != 0 || vectors_judge(&report, text, length, o->tolerance, list.items, list.count, &r) != 0)
    {
        status = report_fail(EXIT_DATA, "%s: %s", path, message);
    }
    else
    {
        if (o->json)
        {
            json_t *root = vectors_report_json(&report);
            memory_dump(stdout, root, JSON_COMPACT);
            json_decref(root);
        }
        else
        {
            print_judgements(&report);
        }
        print_unknown(&report, &list, path);
        status = report.unknown > 0 ? EXIT_DATA : report.verdicts[VECTORS_UNSOUND] > 0 ? 1
                 : report.verdicts[VECTORS_UNDECIDED] > 0 || report.unanswered > 0 ? 2 : 0;
        status = report_finish(status);
        vectors_report_clear(&report);
    }
    flint_free(text);
    clear_files(&list);
    return status;
}

/* ---- the command ---- */

static const struct
{
    const char *name, *options;
    int (*run)(const cli_options *o);
} actions[] = {
    { "generate", "output shard", generate },
    { "check", "fast sample", check },
    { "judge", "json tolerance", judge },
    { "prompt", "output", write_prompts },
};

int cli_command_vectors(const cli_options *o)
{
    char name[32];
    size_t i;
    for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
    {
        if (strcmp(o->operand[0], actions[i].name) != 0)
            continue;
        snprintf(name, sizeof(name), "vectors %s", actions[i].name);
        if (cli_allow(o, name, actions[i].options) != 0)
            return EXIT_USAGE;
        if (o->operands == 1)
            return report_fail(EXIT_USAGE, "%s needs one or more files", name);
        return actions[i].run(o);
    }
    return report_fail(EXIT_USAGE, "vectors %.40s: generate, check, judge or prompt is allowed", o->operand[0]);
}
