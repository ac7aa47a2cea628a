/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The registry: complete, consistent, and closed to whatever is not proved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "theorem/theorem.h"

#define MAX_PATH 4096

static FILE *open_source(const char *name)
{
    const char *source = getenv("srcdir");
    char path[MAX_PATH];
    snprintf(path, sizeof(path), "%s/%s", source != NULL ? source : ".", name);
    return fopen(path, "r");
}

static void test_entries(void **state)
{
    size_t count, i, j;
    const shuf_theorem *all = shuf_theorems(&count);
    (void) state;
    assert_true(count > 50);
    for (i = 0; i < count; i++)
    {
        const shuf_theorem *t = &all[i];
        assert_ptr_equal(shuf_theorem_find(t->id), t);
        for (j = 0; j < i; j++)
            assert_string_not_equal(t->id, all[j].id);
        assert_true(t->statement[0] != '\0' && t->validity[0] != '\0' && t->source[0] != '\0' && t->proof[0] != '\0');
        /* what is proved was checked somewhere, and nothing else was */
        assert_int_equal(t->checked != SHUF_CHECKED_NONE, t->status == SHUF_PROVED);
        assert_int_equal(t->checked_in != NULL, t->checked != SHUF_CHECKED_NONE);
        assert_int_equal(strncmp(t->proof, "refuted: ", 9) == 0, t->status == SHUF_REFUTED);
    }
}

/* The only ones of no side are those that are not about the privacy of a mechanism. */
static void test_sides(void **state)
{
    static const char *const none[] = { "trinomial", "estimation-krr", "estimation-hadamard", "girgis21-3.7", "girgis21-7.1" };
    size_t count, i, j, found = 0;
    const shuf_theorem *all = shuf_theorems(&count);
    (void) state;
    for (i = 0; i < count; i++)
    {
        if (all[i].side != SHUF_SIDE_NONE)
            continue;
        for (j = 0; j < sizeof(none) / sizeof(none[0]) && strcmp(none[j], all[i].id) != 0; j++)
            ;
        assert_true(j < sizeof(none) / sizeof(none[0]));
        found++;
    }
    assert_int_equal(found, sizeof(none) / sizeof(none[0]));
    /* what an adversary with more knowledge has is no lower bound */
    assert_int_equal(shuf_theorem_find("krr-strong")->side, SHUF_SIDE_UPPER);
    assert_int_equal(shuf_theorem_find("krr-weak")->side, SHUF_SIDE_UPPER);
}

static void test_certifies(void **state)
{
    size_t count, i;
    const shuf_theorem *all = shuf_theorems(&count), zero = { 0 };
    shuf_side side;
    (void) state;
    for (i = 0; i < count; i++)
    {
        for (side = SHUF_SIDE_NONE; side <= SHUF_SIDE_EXACT; side++)
        {
            int may = all[i].status == SHUF_PROVED && side != SHUF_SIDE_NONE
                      && (all[i].side == side || all[i].side == SHUF_SIDE_EXACT);
            assert_int_equal(shuf_theorem_certifies(all[i].id, side), may);
        }
    }
    assert_true(shuf_theorem_certifies("clones", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("clones", SHUF_SIDE_LOWER));
    assert_false(shuf_theorem_certifies("clones", SHUF_SIDE_EXACT));
    assert_true(shuf_theorem_certifies("rr2", SHUF_SIDE_LOWER));
    assert_false(shuf_theorem_certifies("rr2", SHUF_SIDE_UPPER));
    assert_true(shuf_theorem_certifies("pld-composition", SHUF_SIDE_UPPER));
    assert_true(shuf_theorem_certifies("pld-composition", SHUF_SIDE_LOWER));
    /* of one mechanism with that (eps, delta), what is best for all of them is a bound from above */
    assert_true(shuf_theorem_certifies("kairouz15-optimal", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("kairouz15-optimal", SHUF_SIDE_LOWER));
    assert_false(shuf_theorem_certifies("trinomial", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("chen24-thm2", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("koskela22-thm13", SHUF_SIDE_EXACT));
    assert_false(shuf_theorem_certifies("erlingsson19-renyi", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("feldman21-5.2", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("no such theorem", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies("", SHUF_SIDE_UPPER));
    assert_false(shuf_theorem_certifies(NULL, SHUF_SIDE_UPPER));
    /* an entry that is not filled in is the worst */
    assert_int_equal(zero.status, SHUF_REFUTED);
    assert_int_equal(zero.side, SHUF_SIDE_NONE);
    assert_int_equal(zero.checked, SHUF_CHECKED_NONE);
}

/* Whether proofs/MANIFEST has a row "theorem | name | ..." */
static int is_row(const char *name)
{
    char line[MAX_PATH], start[MAX_PATH];
    int found = 0;
    FILE *manifest = open_source("proofs/MANIFEST");
    assert_non_null(manifest);
    snprintf(start, sizeof(start), "theorem | %s | ", name);
    while (!found && fgets(line, sizeof(line), manifest) != NULL)
        found = strncmp(line, start, strlen(start)) == 0;
    fclose(manifest);
    return found;
}

static void test_checked_in(void **state)
{
    size_t count, i;
    const shuf_theorem *all = shuf_theorems(&count);
    (void) state;
    assert_false(is_row("Stronger.no_such_theorem"));
    for (i = 0; i < count; i++)
    {
        char names[MAX_PATH], *name;
        FILE *file;
        if (all[i].checked == SHUF_CHECKED_COQ)
        {
            snprintf(names, sizeof(names), "%s", all[i].checked_in);
            for (name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", "))
                assert_true(is_row(name));
        }
        else if (all[i].checked == SHUF_CHECKED_PAPER && strncmp(all[i].checked_in, "arXiv ", 6) != 0)
        {
            assert_int_equal(strncmp(all[i].checked_in, "proofs/", 7), 0);
            assert_non_null(file = open_source(all[i].checked_in));
            fclose(file);
        }
    }
}

static void test_names(void **state)
{
    (void) state;
    assert_string_equal(shuf_side_name(SHUF_SIDE_NONE), "none");
    assert_string_equal(shuf_side_name(SHUF_SIDE_UPPER), "upper bound");
    assert_string_equal(shuf_side_name(SHUF_SIDE_LOWER), "lower bound");
    assert_string_equal(shuf_side_name(SHUF_SIDE_EXACT), "exact");
    assert_string_equal(shuf_checked_name(SHUF_CHECKED_COQ), "coq");
    assert_string_equal(shuf_checked_name(SHUF_CHECKED_PAPER), "paper");
    assert_string_equal(shuf_checked_name(SHUF_CHECKED_NONE), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_certifies),
        cmocka_unit_test(test_checked_in),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
