/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "enclosure/parallel.h"

#include <math.h>
#include <time.h>

#include <flint/thread_pool.h>
#include <flint/thread_support.h>

#include "enclosure/memory.h"

typedef struct
{
    void (*f)(void *args, slong i);
    void *args;
    slong count, next, helpers; /* next item to take, helpers at work: atomic */
    const budget_state *begin;
    double *work; /* of each item */
    int failed; /* for want of memory: atomic */
} job_struct;

/* Takes items until there is none left. */
static void take_items(void *data)
{
    job_struct *job = data;
    budget_state begin;
    slong i;
    budget_save(&begin);
    while ((i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->count)
    {
        budget_restore(&begin);
        job->f(job->args, i);
        job->work[i] = shuf_work() - begin.work;
    }
}

/* A thread that has no memory left jumps no further than here: others still work for the job. */
static void run_items(job_struct *job)
{
    if (memory_try(take_items, job) != 0)
    {
        __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&job->next, job->count, __ATOMIC_RELAXED);
    }
}

static void help(void *data)
{
    job_struct *job = data;
    budget_state own, begin = *job->begin;
    begin.helping = 1;
    budget_save(&own);
    budget_restore(&begin);
    run_items(job);
    budget_restore(&own);
    __atomic_sub_fetch(&job->helpers, 1, __ATOMIC_RELEASE);
}

/* A watch has to be looked at while the helpers finish: the pool's own way of waiting would sleep through an interrupt. */
static void wait_for_helpers(job_struct *job)
{
    const struct timespec pause = { 0, 100000 };
    while (job->begin->watch != NULL && __atomic_load_n(&job->helpers, __ATOMIC_ACQUIRE) > 0)
    {
        shuf_progress("");
        nanosleep(&pause, NULL);
    }
}

void parallel_do(void (*f)(void *args, slong i), void *args, slong count)
{
    budget_state begin, end;
    job_struct job = { f, args, count, 0, 0, &begin, NULL, 0 };
    thread_pool_handle *threads = NULL;
    slong number = 0, i;

    if (count < 1)
        return;
    budget_save(&begin);
    job.work = flint_malloc((size_t) count * sizeof(double));
    if (count > 1 && flint_get_num_threads() > 1)
        number = flint_request_threads(&threads, FLINT_MIN(count, flint_get_num_threads()));
    job.helpers = number;
    for (i = 0; i < number; i++)
        thread_pool_wake(global_thread_pool, threads[i], 0, help, &job);
    run_items(&job);
    wait_for_helpers(&job);
    for (i = 0; i < number; i++)
        thread_pool_wait(global_thread_pool, threads[i]);
    if (threads != NULL)
        flint_give_back_threads(threads, number);

    if (job.failed)
        memory_fail();
    end = begin;
    for (i = 0; i < count; i++)
        end.work += job.work[i];
    budget_restore(&end);
    flint_free(job.work);
}

double parallel_limit(double limit, slong count)
{
    return limit > 0 ? shuf_work() + fmax(floor((limit - shuf_work()) / (double) count), 1) : 0;
}
