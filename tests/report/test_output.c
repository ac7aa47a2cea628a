/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Output files: whole under their name, or not there; nothing is left beside them, even by a process that is killed.
 * Messages: one line, fit for a terminal.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "report/file.h"
#include "report/message.h"

static char folder[] = "/tmp/shufbound-output-XXXXXX";
static char path[3][64];

static int set_up(void **state)
{
    int i;
    (void) state;
    if (mkdtemp(folder) == NULL)
        return -1;
    for (i = 0; i < 3; i++)
        snprintf(path[i], sizeof(path[i]), "%s/%d", folder, i);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    return rmdir(folder);
}

static void open_three(report_file *files)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        assert_int_equal(report_file_open(&files[i], "--out", path[i]), 0);
        fprintf(files[i].out, "half");
        assert_int_equal(access(files[i].temporary->name, F_OK), 0);
    }
}

/* Closed in any order; only what was closed is there. */
static void test_order(void **state)
{
    static const int orders[3][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 } };
    report_file files[3];
    int i;
    (void) state;
    for (i = 0; i < 3; i++)
    {
        open_three(files);
        assert_int_equal(report_file_close(&files[orders[i][0]]), 0);
        report_file_discard(&files[orders[i][1]]);
        report_file_abandon();
        assert_int_equal(access(files[orders[i][2]].temporary->name, F_OK), -1);
        report_file_discard(&files[orders[i][2]]);
        assert_int_equal(unlink(path[orders[i][0]]), 0);
        assert_int_equal(access(path[orders[i][1]], F_OK), -1);
    }
}

/* Another process leaves ours alone. */
static void test_owner(void **state)
{
    report_file files[3];
    pid_t child;
    int status, i;
    (void) state;
    open_three(files);
    fflush(NULL);
    child = fork();
    if (child == 0)
    {
        report_file_abandon();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    for (i = 0; i < 3; i++)
    {
        assert_int_equal(access(files[i].temporary->name, F_OK), 0);
        report_file_discard(&files[i]);
    }
}

/* From now on a stream writes to that file. Returns what undo_redirect takes. */
static int redirect(FILE *stream, const char *file)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600), kept = dup(fileno(stream));
    assert_true(fd >= 0 && kept >= 0);
    fflush(stream);
    assert_int_equal(dup2(fd, fileno(stream)), fileno(stream));
    close(fd);
    return kept;
}

static void undo_redirect(FILE *stream, int kept)
{
    fflush(stream);
    clearerr(stream);
    assert_int_equal(dup2(kept, fileno(stream)), fileno(stream));
    close(kept);
}

/* What was written to path[0], which is removed. */
static void expect_written(const char *text)
{
    char got[256] = "";
    FILE *in = fopen(path[0], "r");
    assert_non_null(in);
    got[fread(got, 1, sizeof(got) - 1, in)] = '\0';
    fclose(in);
    unlink(path[0]);
    assert_string_equal(got, text);
}

/* What a message quotes of a file moves no cursor. */
static void test_message(void **state)
{
    int kept = redirect(stderr, path[0]), status = report_fail(EXIT_DATA, "\"%s\" has %d", "x\x1b[2K\r\nCERTIFIED", 7);
    (void) state;
    undo_redirect(stderr, kept);
    assert_int_equal(status, EXIT_DATA);
    expect_written("shufbound: \"x\\u001b[2K\\u000d\\u000aCERTIFIED\" has 7\n");
}

/* A full disk is told once, and is never success. */
static void test_full(void **state)
{
    int kept[2], status[2], i;
    (void) state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    kept[0] = redirect(stderr, path[0]);
    kept[1] = redirect(stdout, "/dev/full");
    for (i = 0; i < 2; i++)
    {
        printf("text");
        status[i] = report_finish(EXIT_DONE);
    }
    undo_redirect(stdout, kept[1]);
    undo_redirect(stderr, kept[0]);
    assert_int_equal(status[0], EXIT_CANNOT_WRITE);
    assert_int_equal(status[1], EXIT_CANNOT_WRITE);
    expect_written("shufbound: cannot write to standard output: No space left on device\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_owner), cmocka_unit_test(test_message), cmocka_unit_test(test_full)
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
