/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "enclosure/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "enclosure/parallel.h"

static _Thread_local jmp_buf *door; /* of the innermost memory_try */
static _Thread_local int spoilt;

int memory_is_spoilt(void)
{
    return spoilt;
}

void memory_fail(void)
{
    if (door != NULL)
        longjmp(*door, 1);
    fputs("shufbound: out of memory\n", stderr);
    flint_abort();
}

/* FLINT and jansson treat NULL in their own way outside a door. */
static void *given(void *block)
{
    if (block == NULL && door != NULL)
        memory_fail();
    return block;
}

void *memory_claim(size_t size)
{
    return given(malloc(size));
}

void memory_dump(FILE *out, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    if (text == NULL)
        memory_fail();
    fputs(text, out);
    fputc('\n', out);
    free(text);
}

int memory_call(int (*f)(void *data, const char *line), void *data, const char *line)
{
    jmp_buf *outer = door;
    int result;
    door = NULL;
    result = f(data, line);
    door = outer;
    return result;
}

/* ---- the allocators of the libraries, those of before underneath ---- */

static void *(*flint_malloc_before)(size_t), *(*flint_calloc_before)(size_t, size_t), *(*flint_realloc_before)(void *, size_t);
static json_malloc_t json_malloc_before;

static void *flint_malloc_here(size_t size)
{
    return given(flint_malloc_before(size));
}

static void *flint_calloc_here(size_t count, size_t size)
{
    return given(flint_calloc_before(count, size));
}

static void *flint_realloc_here(void *block, size_t size)
{
    return given(flint_realloc_before(block, size));
}

static void *json_malloc_here(size_t size)
{
    return given(json_malloc_before(size));
}

static void *gmp_malloc_here(size_t size)
{
    void *block = malloc(size);
    if (block == NULL)
        memory_fail();
    return block;
}

static void *gmp_realloc_here(void *block, size_t before, size_t size)
{
    void *next = realloc(block, size);
    (void) before;
    if (next == NULL)
        memory_fail();
    return next;
}

static void gmp_free_here(void *block, size_t size)
{
    (void) size;
    free(block);
}

/* GMP's own allocators do not return without memory: they are replaced. Those of somebody else are left alone. */
static void replace_gmp(void)
{
    void *(*allocate[2])(size_t), *(*reallocate[2])(void *, size_t, size_t);
    void (*release[2])(void *, size_t);
    mp_get_memory_functions(&allocate[0], &reallocate[0], &release[0]);
    mp_set_memory_functions(NULL, NULL, NULL);
    mp_get_memory_functions(&allocate[1], &reallocate[1], &release[1]);
    if (allocate[0] == allocate[1] && reallocate[0] == reallocate[1] && release[0] == release[1])
        mp_set_memory_functions(gmp_malloc_here, gmp_realloc_here, gmp_free_here);
    else
        mp_set_memory_functions(allocate[0], reallocate[0], release[0]);
}

static void replace_allocators(void)
{
    void (*flint_free_before)(void *);
    json_free_t json_free_before;
    __flint_get_memory_functions(&flint_malloc_before, &flint_calloc_before, &flint_realloc_before, &flint_free_before);
    __flint_set_memory_functions(flint_malloc_here, flint_calloc_here, flint_realloc_here, flint_free_before);
    json_get_alloc_funcs(&json_malloc_before, &json_free_before);
    json_set_alloc_funcs(json_malloc_here, json_free_before);
    replace_gmp();
}

/* ---- doors ---- */

static int try_here(void (*f)(void *data), void *data)
{
    jmp_buf here, *outer = door;
    budget_state begin;
    budget_save(&begin);
    if (setjmp(here) == 0)
    {
        door = &here;
        f(data);
        door = outer;
        return 0;
    }
    door = outer;
    spoilt = 1;
    budget_restore(&begin);
    return -1;
}

typedef struct
{
    void (*f)(void *data);
    void *data;
    budget_state budget;
    int status;
} errand;

static void *run_errand(void *data)
{
    errand *e = data;
    budget_restore(&e->budget);
    e->status = try_here(e->f, e->data);
    budget_save(&e->budget);
    if (e->status == 0)
        flint_cleanup();
    return NULL;
}

int memory_try(void (*f)(void *data), void *data)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    errand e = { .f = f, .data = data, .status = -1 };
    pthread_t thread;
#ifdef __EMSCRIPTEN__ /* the page's worker ends with its question */
    f(data);
    return 0;
#endif
    pthread_once(&once, replace_allocators);
    if (!spoilt)
        return try_here(f, data);
    budget_save(&e.budget);
    if (pthread_create(&thread, NULL, run_errand, &e) != 0)
        return -1;
    pthread_join(thread, NULL);
    budget_restore(&e.budget);
    return e.status;
}
