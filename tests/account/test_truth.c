/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Claims at the truth, just above it and just below: of matrices with rational rows and a few users the largest delta of all
 * neighbouring data is added up in whole numbers. A verdict is right or open, never an error, and the ends that go with it
 * contain the truth. SHUFBOUND_CLAIMS says how many, else make check-all takes more.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "asked.h"
#include "random.h"

#define MOST_USERS 5
#define MOST_VALUES 3
#define OUTCOMES 216 /* how many reports of each of three values, in base 6 */
#define MOST_PAIRS 90

typedef struct
{
    int inputs, outputs, users;
    slong scale, row[MOST_VALUES][MOST_VALUES]; /* probabilities, times scale */
    slong total;                                /* scale^users, what the laws are multiples of */
    slong first[MOST_PAIRS][OUTCOMES], second[MOST_PAIRS][OUTCOMES];
    int pairs;
} mechanism;

static const int place[MOST_VALUES] = { 1, 6, 36 };

static void draw_rows(mechanism *m)
{
    static const slong scales[] = { 4, 8, 10, 12, 16 };
    int x, y;
    m->inputs = 2 + (int) random_below(2);
    m->outputs = 2 + (int) random_below(2);
    m->users = 1 + (int) random_below(MOST_USERS);
    m->scale = scales[random_below(5)];
    memset(m->row, 0, sizeof(m->row));
    for (x = 0; x < m->inputs; x++)
    {
        slong left = m->scale;
        for (y = 0; y < m->outputs - 1; y++)
        {
            m->row[x][y] = (slong) random_below((uint64_t) left + 1);
            left -= m->row[x][y];
        }
        m->row[x][y] = left;
    }
}

/* law := that of the reports of one more user, who holds x. */
static void add_user(slong *law, const mechanism *m, int x)
{
    slong next[OUTCOMES] = { 0 };
    int i, y;
    for (i = 0; i < OUTCOMES; i++)
        for (y = 0; y < m->outputs && law[i] > 0; y++)
            next[i + place[y]] += law[i] * m->row[x][y];
    memcpy(law, next, sizeof(next));
}

static void fill_laws(mechanism *m)
{
    int a, b, x, x1, i;
    m->pairs = 0;
    for (i = 0, m->total = 1; i < m->users; i++)
        m->total *= m->scale;
    for (a = 0; a < m->users; a++)
    {
        for (b = 0; b + a < m->users && (m->inputs > 2 || b == 0); b++)
        {
            slong others[OUTCOMES] = { 1 };
            for (i = 0; i < m->users - 1; i++)
                add_user(others, m, i < a ? 1 : i < a + b ? 2 : 0);
            for (x = 0; x < m->inputs; x++)
                for (x1 = 0; x1 < m->inputs; x1++)
                {
                    if (x == x1)
                        continue;
                    assert_true(m->pairs < MOST_PAIRS);
                    memcpy(m->first[m->pairs], others, sizeof(others));
                    memcpy(m->second[m->pairs], others, sizeof(others));
                    add_user(m->first[m->pairs], m, x);
                    add_user(m->second[m->pairs++], m, x1);
                }
        }
    }
}

/* delta := the largest one at e^eps = alpha */
static void truth(fmpq_t delta, const mechanism *m, const fmpq_t alpha)
{
    fmpz_t sum, term, most;
    int i, j;
    fmpz_init(sum);
    fmpz_init(term);
    fmpz_init(most);
    for (i = 0; i < m->pairs; i++)
    {
        fmpz_zero(sum);
        for (j = 0; j < OUTCOMES; j++)
        {
            if (m->first[i][j] == 0)
                continue;
            fmpz_mul_si(term, fmpq_denref(alpha), m->first[i][j]);
            fmpz_submul_ui(term, fmpq_numref(alpha), (ulong) m->second[i][j]);
            if (fmpz_sgn(term) > 0)
                fmpz_add(sum, sum, term);
        }
        if (fmpz_cmp(sum, most) > 0)
            fmpz_set(most, sum);
    }
    fmpz_mul_si(term, fmpq_denref(alpha), m->total);
    fmpq_set_fmpz_frac(delta, most, term);
    fmpz_clear(sum);
    fmpz_clear(term);
    fmpz_clear(most);
}

#define PREC 160

/* alpha := a rational number a little above or below e^end */
static void exponential(fmpq_t alpha, const arf_t end, int above)
{
    arb_t t;
    arf_t x;
    arb_init(t);
    arf_init(x);
    arb_set_arf(t, end);
    arb_exp(t, t, PREC);
    arb_add_error_2exp_si(t, -100);
    if (above)
        arb_get_ubound_arf(x, t, PREC);
    else
        arb_get_lbound_arf(x, t, PREC);
    arf_get_fmpq(alpha, x);
    arb_clear(t);
    arf_clear(x);
}

/* Above the upper end nothing exceeds the claimed delta, below the lower one everything does. */
static void check_ends(const asked *x, const mechanism *m, const fmpq_t claimed)
{
    const shuf_answer_bound *above = x->answer->upper, *below = x->answer->lower;
    fmpq_t alpha, delta;
    fmpq_init(alpha);
    fmpq_init(delta);
    if (above != NULL && arf_is_finite(above->value->hi))
    {
        exponential(alpha, above->value->hi, 1);
        truth(delta, m, alpha);
        if (fmpq_cmp(delta, claimed) > 0)
            fail_msg("%s: %.17g is no upper end", x->text, upper(above->value));
    }
    if (below != NULL && arf_sgn(below->value->lo) > 0)
    {
        if (arf_is_finite(below->value->lo))
            exponential(alpha, below->value->lo, 0);
        else
            fmpq_set_si(alpha, WORD_MAX, 1);
        truth(delta, m, alpha);
        if (fmpq_cmp(delta, claimed) <= 0)
            fail_msg("%s: %.17g is no lower end", x->text, lower(below->value));
    }
    fmpq_clear(alpha);
    fmpq_clear(delta);
}

static void mechanism_text(char *text, size_t size, const mechanism *m)
{
    size_t used = (size_t) snprintf(text, size, "{\"type\":\"matrix\",\"rows\":[");
    int x, y;
    for (x = 0; x < m->inputs; x++)
        for (y = 0; y < m->outputs; y++)
            used += (size_t) snprintf(text + used, size - used, "%s\"%ld/%ld\"%s", y == 0 ? x == 0 ? "[" : ",[" : ",", (long) m->row[x][y],
                                      (long) m->scale, y == m->outputs - 1 ? "]" : "");
    snprintf(text + used, size - used, "]}");
}

/* delta := the truth, or a relative part of 10^-digits more or less. */
static void move(fmpq_t delta, int direction)
{
    static const ulong digits[] = { 1, 3, 6, 9, 12, 18 };
    fmpq_t part;
    fmpz_t ten;
    fmpq_init(part);
    fmpz_init_set_ui(ten, 10);
    fmpz_pow_ui(ten, ten, digits[random_below(6)]);
    fmpq_div_fmpz(part, fmpq_is_zero(delta) ? (fmpq[]) { { 1, 1 } } : delta, ten);
    if (direction > 0)
        fmpq_add(delta, delta, part);
    if (direction < 0)
        fmpq_sub(delta, delta, part);
    fmpq_clear(part);
    fmpz_clear(ten);
}

static int judged[4];

static void check_claim(mechanism *m)
{
    const slong b = 1 + (slong) random_below(6), a = b + (slong) random_below(5 * (uint64_t) b + 1);
    int direction = (int) random_below(3) - 1;
    char text[512], *claimed;
    fmpq_t alpha, delta;
    asked x;
    draw_rows(m);
    fill_laws(m);
    mechanism_text(text, sizeof(text), m);
    fmpq_init(alpha);
    fmpq_init(delta);
    fmpq_set_si(alpha, a, (ulong) b);
    truth(delta, m, alpha);
    if (fmpq_is_zero(delta) && direction < 0)
        direction = 0;
    move(delta, direction);
    if (fmpq_cmp_si(delta, 1) <= 0)
    {
        claimed = fmpq_get_str(NULL, 10, delta);
        ask(&x, "{\"mechanism\":%s,\"users\":%d,\"claim\":{\"eps\":\"log(%ld/%ld)\",\"delta\":\"%s\"},\"effort\":\"1e8\"}", text, m->users, (long) a,
            (long) b, claimed);
        flint_free(claimed);
        if (x.answer->verdict == (direction < 0 ? SHUF_CERTIFIED : SHUF_REFUTED_CLAIM))
            fail_msg("%s: %s", x.text, shuf_verdict_name(x.answer->verdict));
        check_ends(&x, m, delta);
        judged[x.answer->verdict]++;
        asked_clear(&x);
    }
    fmpq_clear(alpha);
    fmpq_clear(delta);
}

static void test_claims(void **state)
{
    const char *text = getenv("SHUFBOUND_CLAIMS");
    const long count = text != NULL ? strtol(text, NULL, 10) : getenv("SHUFBOUND_CHECK_ALL") != NULL ? 3000 : 200;
    mechanism *m = flint_malloc(sizeof(*m));
    long i;
    (void) state;
    for (i = 0; i < count; i++)
        check_claim(m);
    flint_free(m);
    print_message("%d certified, %d refuted, %d undecided\n", judged[SHUF_CERTIFIED], judged[SHUF_REFUTED_CLAIM], judged[SHUF_UNDECIDED]);
    assert_true(judged[SHUF_CERTIFIED] > 0 && judged[SHUF_REFUTED_CLAIM] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_claims) };
    int result;
    seed_random();
    result = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return result;
}
