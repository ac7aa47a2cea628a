/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/renyi_part.h"

#include <math.h>
#include <string.h>

#include "account/members.h"
#include "account/vocabulary.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "renyi/renyi.h"

#define PREC 512 /* steers only */

int renyi_part_is(const json_t *mechanism)
{
    const char *type = json_string_value(json_object_get(mechanism, "type"));
    return type != NULL && strcmp(type, RENYI_TYPE) == 0;
}

int renyi_part_has(const shuf_part_struct *p)
{
    return p->subject == SHUF_SUBJECT_LDP && shuf_real_sgn(p->order) > 0;
}

/* ---- reading ---- */

/* Whether binary randomised response of eps is certainly in the class: eps + (log(1 + e^(-(2a-1) eps)) - log(1 + e^-eps))/(a-1) <= renyi. */
static int has_response(const arf_t eps, const shuf_part_struct *p)
{
    arb_t x, a, s, t;
    int within;
    arb_init(x); arb_init(a); arb_init(s); arb_init(t);
    arb_set_arf(x, eps);
    shuf_real_get_arb(a, p->order, PREC);
    arb_sub_ui(a, a, 1, PREC);
    arb_mul_2exp_si(s, a, 1);
    arb_add_ui(s, s, 1, PREC);
    arb_mul(s, s, x, PREC);
    shuf_ball_exp_minus(s, s, PREC);
    arb_log1p(s, s, PREC);
    shuf_ball_exp_minus(t, x, PREC);
    arb_log1p(t, t, PREC);
    arb_sub(s, s, t, PREC);
    arb_div(s, s, a, PREC);
    arb_add(s, s, x, PREC);
    shuf_real_get_arb(t, p->renyi, PREC);
    within = arb_le(s, t);
    arb_clear(x); arb_clear(a); arb_clear(s); arb_clear(t);
    return within;
}

/* Halvings, and bits of the parameter that is found; it is at most so much above the divergence. Steer only. */
#define HALVINGS 150
#define RESPONSE_BITS 40
#define RESPONSE_ABOVE 1

/* eps0 := nearly the largest parameter of a response of the class: the least of any is 0. */
static void find_response(shuf_part_struct *p)
{
    arf_t lo, hi, mid;
    int i;
    arf_init(lo); arf_init(hi); arf_init(mid);
    shuf_real_end(hi, p->renyi, 1, PREC);
    arf_add_ui(hi, hi, RESPONSE_ABOVE, PREC, ARF_RND_UP);
    for (i = 0; i < HALVINGS; i++)
    {
        arf_add(mid, lo, hi, PREC, ARF_RND_DOWN);
        arf_mul_2exp_si(mid, mid, -1);
        arf_set_round(mid, mid, RESPONSE_BITS, ARF_RND_DOWN);
        if (arf_cmp(mid, lo) <= 0)
            break;
        arf_set(has_response(mid, p) ? lo : hi, mid);
    }
    shuf_real_set_arf(p->eps0, lo);
    arf_clear(lo); arf_clear(hi); arf_clear(mid);
}

int renyi_part_read(shuf_part_struct *p, const json_t *mechanism, const reader *r)
{
    if (member_between(p->order, mechanism, "order", 1, (slong) SHUF_MAX_ORDER, r) != 0 || member_between(p->renyi, mechanism, "renyi", 0, SHUF_MAX_EPSILON, r) != 0)
        return -1;
    if (shuf_real_cmp_si(p->order, 1) <= 0)
        return reader_fail(r, "\"order\" is %.80s: more than 1 is allowed", p->order->text);
    find_response(p);
    return shuf_real_set_str(p->delta0, "1");
}

/* ---- from above ---- */

/* What so many reports have at eps, or at delta, by themselves: their divergences add up. */
static shuf_status convert(shuf_enclosure_t r, const shuf_part_struct *p, uint64_t reports, int want_epsilon, const shuf_real_t point, const shuf_options *options)
{
    shuf_enclosure_t total;
    shuf_status status;
    arb_t t;
    shuf_enclosure_init(total);
    arb_init(t);
    shuf_real_get_arb(t, p->renyi, PREC);
    arb_mul_ui(t, t, reports, PREC);
    shuf_enclosure_set_arb(total, t, PREC);
    status = (want_epsilon ? shuf_renyi_convert_epsilon : shuf_renyi_convert_delta)(r, total, p->order, point, options);
    shuf_enclosure_clear(total);
    arb_clear(t);
    return status == SHUF_DOMAIN ? shuf_enclosure_unknown(r, !want_epsilon) : status;
}

static shuf_status whole_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                               const shuf_options *options)
{
    const shuf_part_struct *p = self->data;
    (void) where; (void) direction;
    return convert(r, p, p->rounds * p->reports, 0, eps, options);
}

static shuf_status whole_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta, shuf_direction direction,
                                 const shuf_options *options)
{
    const shuf_part_struct *p = self->data;
    (void) where; (void) direction;
    return convert(r, p, p->rounds * p->reports, 1, delta, options);
}

void renyi_part_law(shuf_law_t law, const shuf_part_struct *p)
{
    law->data = (void *) p;
    law->symmetric = 1;
    law->delta = whole_delta;
    law->epsilon = whole_epsilon;
}

/* ---- the classes around it ---- */

/* A delta0 below 2^-LEAST_BITS is taken for that, and has so many digits: rounded up, steers only. */
#define LEAST_BITS 65536
#define DELTA0_DIGITS 15

/* Its reports are (eps0, delta0)-LDP: proofs/convert.md. */
static void set_class(shuf_part_struct *own, const shuf_part_struct *p, double eps0)
{
    const shuf_options options = { DELTA0_DIGITS, 0 };
    shuf_enclosure_t delta0;
    arf_t x;
    own->everyone = p->everyone;
    own->users = own->sampled = p->users;
    own->rounds = p->rounds;
    own->reports = p->reports;
    fmpq_set(own->honest, p->honest);
    shuf_enclosure_init(delta0);
    arf_init(x);
    arf_set_d(x, eps0);
    shuf_real_set_arf(own->eps0, x);
    convert(delta0, p, 1, 0, own->eps0, &options);
    arf_one(x);
    arf_mul_2exp_si(x, x, -LEAST_BITS);
    arf_max(x, x, delta0->hi);
    arf_set_round(x, x, 4 * DELTA0_DIGITS, ARF_RND_CEIL);
    shuf_real_set_arf(own->delta0, x);
    shuf_enclosure_clear(delta0);
    arf_clear(x);
}

/* What is known roughly, to choose the eps0 of the classes: all of it steers only. */
typedef struct
{
    double order, renyi, log_c;
    double rounds, users; /* of all parts; the reports of a round */
} rough;

static double log_of(const shuf_real_t x)
{
    arb_t t;
    double d;
    arb_init(t);
    shuf_real_get_arb(t, x, PREC);
    d = steer_log(arb_midref(t));
    arb_clear(t);
    return d;
}

/* The eps0 at which all the variation is about e^-nats at eps: (1 + e^eps) rounds (2n-1) delta0/E. */
static double eps0_of(const rough *x, double eps, double nats)
{
    const double more = eps > 50 ? eps : d_log1p(d_exp(eps));
    return fmax((x->log_c + (x->order - 1) * x->renyi + d_log((2 * x->users - 1) * x->rounds) + more + nats) / x->order, 0);
}

#define STEPS 40          /* steers only */
#define LOG_ROOT_2PI 0.92 /* steers only */
#define LEAST_SQUARE 0.1  /* steers only */

/* About the eps of the pairs at e^-nats: as if their loss were normal, and at most the largest. */
static double eps_of(const rough *x, double eps0, double nats)
{
    const double e = d_exp(fmin(eps0, 600)), square = 2 * x->rounds * (e - 1) * ((e - 1) / ((e + 1) * x->users)), mu = sqrt(square);
    double z = sqrt(2 * nats);
    int i;
    for (i = 0; i < 4 && mu > 0; i++)
        z = sqrt(fmax(2 * (nats - LOG_ROOT_2PI - d_log(z * (z / mu + 1))), LEAST_SQUARE));
    return fmin(square / 2 + mu * z, x->rounds * eps0);
}

#define HALF 0.7 /* nats of 1/2: steers only */

/* The same where the variation is half of e^-nats. */
static double eps_at(const rough *x, double nats)
{
    double eps = 0;
    int i;
    for (i = 0; i < STEPS; i++)
        eps = eps_of(x, eps0_of(x, eps, nats + HALF), nats + HALF);
    return eps;
}

/* Of delta, what the variation is: less is best where the order is larger, and where delta is not given it is known less well. Steers only. */
static const double parts_of_delta[2][RENYI_CLASSES] = { { 0.05, 0.9, 0.2, 0.7, 0.45 }, { 0.06, 2, 0.2, 1, 0.5 } };

#define MOST_NATS 40000         /* steers only */
#define NUDGE (1 + 0x1p-48)     /* what doubles round, times a large order, makes no more of it: steers only */
#define LEAST_EXCESS 0x1p-40    /* of an order over 1: steers only */

void renyi_part_enclose(shuf_part_struct *p, const shuf_question_struct *q)
{
    const int has_eps = q->quantity == SHUF_QUANTITY_DELTA;
    const double reports = (double) p->reports;
    double nats = fmin(d_log(reports) - log_of(q->delta), MOST_NATS), low = 0, high = MOST_NATS, eps = steer_real(q->eps, PREC) / reports, eps0;
    rough x = { fmax(steer_real(p->order, PREC), 1 + LEAST_EXCESS), steer_real(p->renyi, PREC), 0, (double) p->rounds * (double) q->count, (double) p->users };
    size_t i;
    x.log_c = (x.order - 1) * d_log((x.order - 1) / x.order) - d_log(x.order);
    for (i = 0; i < STEPS && has_eps; i++) /* the delta of which that is the eps */
    {
        nats = (low + high) / 2;
        *(eps_at(&x, nats) < eps ? &low : &high) = nats;
    }
    if (!has_eps)
        eps = eps_at(&x, nats);
    for (i = 0; i < p->groups; i++)
    {
        eps0 = NUDGE * eps0_of(&x, eps, nats - d_log(parts_of_delta[has_eps][i]));
        set_class(&p->group[i], p, eps0 < SHUF_MAX_EPSILON ? eps0 : SHUF_MAX_EPSILON);
    }
}
