/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Output files: whole under their name, or not there; nothing is left beside them, even by a process that is killed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "report/file.h"

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
        assert_int_equal(access(files[i].temporary, F_OK), 0);
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
        assert_int_equal(access(files[orders[i][2]].temporary, F_OK), -1);
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
        assert_int_equal(access(files[i].temporary, F_OK), 0);
        report_file_discard(&files[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_order), cmocka_unit_test(test_owner) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
