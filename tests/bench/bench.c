/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Times the library on the points that the design sets targets for. */
#include <stdio.h>
#include <stdlib.h>

#include "modules.h"

/* One quantity at one point, by the certified engine and by the fast path. */
static void compare(const char *quantity, shuf_pair_kind kind, const char *name, const char *n_text, const char *eps0_text,
                    const char *point_text, slong digits)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_pair_t pair;
    shuf_real_t eps0, point;
    shuf_enclosure_t r;
    struct shuf_bound fast;
    uint64_t n = 1;
    double start, exact, quick;
    shuf_status status;
    int renyi = quantity[0] == 'r';

    o.digits = digits;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(point);
    shuf_enclosure_init(r);
    shuf_users_set_str(&n, n_text);
    shuf_real_set_str(eps0, eps0_text);
    shuf_real_set_str(point, point_text);
    shuf_pair_set_eps0(pair, kind, n, eps0);
    start = shuf_seconds();
    if (renyi)
        shuf_renyi_divergence(r, pair, point, SHUF_DIRECTION_BOTH, &o);
    else
        shuf_hockey_delta(r, pair, point, SHUF_DIRECTION_BOTH, &o);
    exact = shuf_seconds() - start;
    start = shuf_seconds();
    status = renyi ? shuf_fast_renyi(&fast, pair, point, SHUF_DIRECTION_BOTH)
                   : shuf_fast_delta(&fast, pair, point, SHUF_DIRECTION_BOTH);
    quick = shuf_seconds() - start;
    printf("%-6s %-16s %-5s %-3s %-7s %3ld digits  %9.2f ms", quantity, name, n_text, eps0_text, point_text, (long) digits, 1e3 * exact);
    if (status == SHUF_DOMAIN)
        printf("  fast: not covered\n");
    else
        printf("  fast: %8.3f ms, relative width %.1e, %7.1f times faster\n", 1e3 * quick, (fast.hi - fast.lo) / fast.hi, exact / quick);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(point);
    shuf_enclosure_clear(r);
}

int main(void)
{
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e4", "4", "0.5", 12);
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e6", "1", "0.02", 12);
    compare("delta", SHUF_PAIR_CLONES_STRONGER, "clones-stronger", "1e6", "1", "0.02", 12);
    compare("delta", SHUF_PAIR_RR2, "rr2", "1e6", "1", "0.02", 12);
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e9", "1", "0.0005", 12);
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e12", "1", "1e-5", 6);
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e12", "4", "1e-4", 6);
    compare("delta", SHUF_PAIR_CLONES, "clones", "1e15", "1", "1e-6", 6);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e6", "1", "2", 12);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e6", "1", "32.5", 12);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e6", "1", "1000", 12);
    compare("renyi", SHUF_PAIR_RR2, "rr2", "1e6", "1", "32.5", 12);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e9", "1", "2", 6);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e9", "1", "1000", 6);
    compare("renyi", SHUF_PAIR_CLONES, "clones", "1e12", "1", "32.5", 6);
    flint_cleanup();
    return 0;
}
