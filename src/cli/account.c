/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/account.h"

#include <string.h>

/* Digits that --fast aims at: those of the path, and those left after a subsampling or a conversion. */
#define FAST_DIGITS 9
#define FAST_DIGITS_THROUGH 6

/* Digits of --pair gaussian and --via pld unless --digits says otherwise. */
#define GAUSSIAN_DIGITS 6
#define PLD_DIGITS 6

void account_init(account_t a)
{
    memset(a, 0, sizeof(*a));
    shuf_pair_init(a->pair);
    shuf_real_init(a->sigma);
    shuf_subsample_init(a->dominated);
    shuf_subsample_init(a->wang);
    shuf_sampled_init(a->sample);
    shuf_real_init(a->order);
    shuf_real_init(a->round_eps);
    shuf_real_init(a->round_delta);
}

void account_clear(account_t a)
{
    size_t i;
    shuf_pair_clear(a->pair);
    shuf_real_clear(a->sigma);
    shuf_subsample_clear(a->dominated);
    shuf_subsample_clear(a->wang);
    shuf_sampled_clear(a->sample);
    shuf_real_clear(a->order);
    shuf_real_clear(a->round_eps);
    shuf_real_clear(a->round_delta);
    if (a->composed)
        shuf_composition_clear(a->composition);
    for (i = 0; i < a->value_count; i++)
    {
        shuf_real_clear(a->values[i].order);
        shuf_enclosure_clear(a->values[i].value);
    }
    flint_free(a->values);
}

/* ---- the curves ---- */

/* The enclosure that the fast path proves. */
static void from_bound(shuf_enclosure_t r, const struct shuf_bound *b, shuf_status status)
{
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, b->lo);
    arf_set_d(r->hi, b->hi);
    mag_set_d(r->ledger.truncation, b->truncation);
    mag_set_d(r->ledger.rounding, b->rounding);
    r->ledger.terms = b->terms;
    r->ledger.precision = 53;
    r->status = status;
}

static shuf_status evaluate_one_round(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                      const shuf_options *options)
{
    const account_struct *a = curve->data;
    if (a->fast)
    {
        struct shuf_bound b;
        shuf_status status = shuf_fast_renyi(&b, a->pair, order, a->direction);
        if (status != SHUF_DOMAIN)
            from_bound(r, &b, status);
        return status;
    }
    return shuf_renyi_divergence(r, a->pair, order, a->direction, options);
}

/* one_round, evaluated once for the two theorems that use it. */
static shuf_status evaluate_kept(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                 const shuf_options *options)
{
    account_struct *const *self = curve->data;
    account_struct *a = *self;
    shuf_status status;
    size_t i;

    for (i = 0; i < a->value_count && shuf_real_cmp(a->values[i].order, order) != 0; i++)
        ;
    if (i < a->value_count && a->values[i].digits >= options->digits)
    {
        shuf_enclosure_set(r, a->values[i].value);
        return r->status;
    }
    status = a->one_round.evaluate(r, &a->one_round, order, options);
    if (status == SHUF_OK)
    {
        if (i == a->value_count)
        {
            a->values = flint_realloc(a->values, (i + 1) * sizeof(*a->values));
            shuf_real_init(a->values[i].order);
            shuf_enclosure_init(a->values[i].value);
            a->value_count++;
        }
        shuf_real_set(a->values[i].order, order);
        a->values[i].digits = options->digits;
        shuf_enclosure_set(a->values[i].value, r);
    }
    return status;
}

/* The smaller of the two bounds for a sample of fixed size. */
static shuf_status evaluate_sampled(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                    const shuf_options *options)
{
    account_struct *const *self = curve->data;
    account_struct *a = *self;
    shuf_renyi_curve dominated, wang;
    shuf_enclosure_t other;
    shuf_status status, other_status;

    shuf_subsample_curve(&dominated, a->dominated);
    shuf_subsample_curve(&wang, a->wang);
    shuf_enclosure_init(other);
    status = dominated.evaluate(r, &dominated, order, options);
    a->sampling_theorem = shuf_subsample_theorem(a->dominated->kind);
    other_status = wang.evaluate(other, &wang, order, options);
    if (other_status != SHUF_DOMAIN && (status == SHUF_DOMAIN || arf_cmp(other->hi, r->hi) < 0))
    {
        shuf_enclosure_set(r, other);
        status = other_status;
        a->sampling_theorem = shuf_subsample_theorem(a->wang->kind);
    }
    shuf_enclosure_clear(other);
    return status;
}

static void set_curves(account_t a)
{
    a->one_round.evaluate = evaluate_one_round;
    a->one_round.data = a;
    a->one_round.integer_orders = 0;
    a->self = a;
    a->kept.evaluate = evaluate_kept;
    a->kept.data = &a->self;
    a->kept.integer_orders = 0;
    a->sampled = a->one_round;
    if (a->subsampled)
    {
        a->sampled.evaluate = evaluate_sampled;
        a->sampled.data = &a->self;
        a->sampled.integer_orders = 1;
    }
    a->total = a->sampled;
    if (a->rounds > 1)
    {
        a->sum.parts = &a->sampled;
        a->sum.count = &a->rounds;
        a->sum.length = 1;
        shuf_renyi_curve_sum(&a->total, &a->sum);
    }
    if (a->composed)
        shuf_composition_curve(&a->total, a->composition);
}

static void set_profiles(account_t a)
{
    shuf_profile_pair(&a->profile, a->pair);
    if (a->subsampled && a->route == VIA_PLD)
        shuf_profile_sampled(&a->sampled_profile, a->sample);
}

/* ---- options ---- */

static int bounds_from_below(const account_t a)
{
    return strcmp(shuf_theorem_find(shuf_pair_theorem(a->pair))->kind, "lower bound") == 0;
}

static int bounds_from_above(const account_t a)
{
    return !bounds_from_below(a) && a->pair->kind != SHUF_PAIR_TRINOMIAL;
}

/* Whether P is the law on all-equal data, which is seen too when the differing user is not sampled. */
static int is_all_equal(const account_t a)
{
    return a->pair->kind == SHUF_PAIR_RR2 || a->pair->kind == SHUF_PAIR_KRR_SAME;
}

/* The two subsampling theorems for Renyi divergences. */
static void set_sampled_curve(account_t a, const fmpq_t gamma)
{
    shuf_real_t loss;
    int finite;
    shuf_real_init(loss);
    finite = shuf_pair_max_loss(loss, a->pair);
    shuf_subsample_set(a->dominated, SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED, &a->kept, SHUF_REPLACE_ONE, gamma,
                       finite ? loss : NULL);
    shuf_subsample_set(a->wang, SHUF_SUBSAMPLE_FIXED_SIZE, &a->kept, SHUF_REPLACE_ONE, gamma, finite ? loss : NULL);
    shuf_real_clear(loss);
}

static int set_subsample(account_t a, const cli_options *o)
{
    fmpq_t gamma;
    int status, from_below = a->route == VIA_PLD && is_all_equal(a);

    fmpq_init(gamma);
    if ((status = cli_probability(gamma, "--subsample", o->subsample)) == 0)
    {
        if (fmpq_is_zero(gamma))
            status = cli_fail(EXIT_USAGE, "--subsample is %.80s: a rational number in (0, 1] is allowed", o->subsample);
        else if (!bounds_from_above(a) && !from_below)
            status = cli_fail(EXIT_USAGE, "--subsample needs a pair that bounds a mechanism from above: --pair clones, "
                              "clones-stronger, krr-strong or krr-weak%s",
                              a->route == VIA_PLD ? "; or rr2 or krr-same, for a lower bound" : "");
        else if (o->direction != NULL && !from_below)
            status = cli_fail(EXIT_USAGE, "--direction does not go with --subsample");
    }
    if (status == 0)
    {
        if (a->route == VIA_PLD)
        {
            shuf_sampled_set(a->sample, from_below ? SHUF_SAMPLED_REPLACED : SHUF_SAMPLED_FIXED_SIZE, &a->profile, gamma);
            if (!from_below)
                a->sampling_theorem = "subsample-profile";
        }
        else
        {
            set_sampled_curve(a, gamma);
        }
        a->subsampled = 1;
        snprintf(a->sampling_note, sizeof(a->sampling_note),
                 "--n %llu is the number of sampled users, %.40s of all (without replacement; neighbours replace one value)",
                 (unsigned long long) a->pair->n, o->subsample);
    }
    fmpq_clear(gamma);
    return status;
}

static int set_composition(account_t a, const cli_options *o)
{
    char error[256];
    if (cli_allow(o, "--compose", "compose order eps delta via engine log plot digits max-seconds json explain") != 0)
        return EXIT_USAGE;
    if (a->route == VIA_STRONG_COMPOSITION)
        return cli_fail(EXIT_USAGE, "--compose needs --via pld or --via renyi");
    if (shuf_composition_load(a->composition, o->compose, error, sizeof(error)) != 0)
        return cli_fail(EXIT_DATA, "%s: %s", o->compose, error);
    a->composed = 1;
    return 0;
}

/* --pair gaussian */
static int set_gaussian(account_t a, const cli_options *o)
{
    shuf_real_t least;
    int status;
    if (cli_allow(o, "--pair gaussian", "pair n sigma eps delta log plot direction digits max-seconds json explain") != 0)
        return EXIT_USAGE;
    shuf_real_init(least);
    shuf_real_set_str(least, "1/1000");
    if ((status = cli_users(&a->users, o->n)) == 0 && (status = cli_real(a->sigma, "--sigma", o->sigma)) == 0
        && (shuf_real_cmp(a->sigma, least) < 0 || shuf_real_cmp_si(a->sigma, 1000000) > 0))
        status = cli_fail(EXIT_USAGE, "--sigma is %.80s: between 1/1000 and 1000000 is allowed", o->sigma);
    if (o->digits == NULL)
        a->budget.digits = GAUSSIAN_DIGITS;
    a->gaussian = 1;
    shuf_real_clear(least);
    return status;
}

/* Whether the fast path takes the pair, at some point. */
static int check_fast(const account_t a)
{
    shuf_pair_kind kind = a->pair->kind;
    int renyi = a->quantity == ACCOUNT_RENYI || a->route == VIA_RENYI;
    if (a->route == VIA_STRONG_COMPOSITION)
        return cli_fail(EXIT_USAGE, "--fast does not go with --via strong-composition");
    if (a->route == VIA_PLD)
        return cli_fail(EXIT_USAGE, "--fast does not go with --via pld, which is in double precision already");
    if (a->pair->n > SHUF_FAST_MAX_USERS
        || (kind != SHUF_PAIR_CLONES && kind != SHUF_PAIR_CLONES_STRONGER && kind != SHUF_PAIR_RR2
            && (renyi || kind != SHUF_PAIR_KRR_STRONG)))
        return cli_fail(EXIT_USAGE, "--fast covers clones, clones-stronger%s up to n = 2^40",
                        renyi ? " and rr2, for Renyi divergences," : ", rr2 and krr-strong");
    return 0;
}

static int set_route(account_t a, const cli_options *o)
{
    int composes = o->rounds != NULL || o->subsample != NULL || o->compose != NULL;
    if (o->via == NULL)
        a->route = a->quantity != ACCOUNT_RENYI && composes ? VIA_PLD : VIA_NOTHING;
    else if (strcmp(o->via, "pld") == 0)
        a->route = VIA_PLD;
    else if (strcmp(o->via, "renyi") == 0)
        a->route = VIA_RENYI;
    else if (strcmp(o->via, "strong-composition") == 0)
        a->route = VIA_STRONG_COMPOSITION;
    else
        return cli_fail(EXIT_USAGE, "--via is \"%.40s\": pld, renyi or strong-composition is allowed", o->via);
    if (a->route != VIA_PLD && o->engine != NULL)
        return cli_fail(EXIT_USAGE, "--engine goes with --via pld");
    if (o->compose != NULL)
        return 0;
    if (a->route == VIA_STRONG_COMPOSITION && o->rounds == NULL)
        return cli_fail(EXIT_USAGE, "--via strong-composition needs --rounds");
    if (a->route == VIA_STRONG_COMPOSITION && o->subsample != NULL)
        return cli_fail(EXIT_USAGE, "--subsample needs --via pld or --via renyi");
    if ((a->route == VIA_RENYI || a->route == VIA_STRONG_COMPOSITION) && o->direction != NULL)
        return cli_fail(EXIT_USAGE, "--direction does not go with --via %s", o->via);
    return 0;
}

static int on_progress(void *data, const char *line)
{
    const account_struct *a = data;
    char text[256];
    snprintf(text, sizeof(text), "%s%s", a->progress, line);
    cli_show(text);
    return cli_interrupted();
}

static int set_pld(account_t a, const cli_options *o)
{
    static const shuf_pld_options defaults = SHUF_PLD_OPTIONS_DEFAULT;
    if (o->digits == NULL)
        a->budget.digits = PLD_DIGITS;
    a->pld = defaults;
    a->pld.budget = a->budget;
    a->pld.progress = on_progress;
    a->pld.progress_data = a;
    if (o->engine == NULL || strcmp(o->engine, "tilted") == 0)
        a->pld.engine = SHUF_PLD_TILTED;
    else if (strcmp(o->engine, "exact") == 0)
        a->pld.engine = SHUF_PLD_EXACT;
    else
        return cli_fail(EXIT_USAGE, "--engine is \"%.40s\": tilted or exact is allowed", o->engine);
    return 0;
}

int account_set(account_t a, const cli_options *o, account_quantity quantity)
{
    static const char *const what[] = {
        [VIA_NOTHING] = "Renyi divergences add",
        [VIA_PLD] = "the laws of the privacy losses are convolved",
        [VIA_RENYI] = "Renyi divergences add",
        [VIA_STRONG_COMPOSITION] = "optimal composition of (eps, delta)-DP mechanisms"
    };
    int status;
    a->quantity = quantity;
    a->rounds = 1;
    a->fast = o->fast;
    if ((status = set_route(a, o)) != 0 || (status = cli_budget(&a->budget, o)) != 0
        || (a->route == VIA_PLD && (status = set_pld(a, o)) != 0))
        return status;
    if (o->pair != NULL && strcmp(o->pair, "gaussian") == 0)
    {
        return (status = cli_direction(&a->direction, o)) != 0 ? status : set_gaussian(a, o);
    }
    else if (o->compose != NULL)
    {
        status = set_composition(a, o);
    }
    else if ((status = cli_pair(a->pair, o, 1, 1)) == 0 && (status = cli_direction(&a->direction, o)) == 0
             && (o->rounds == NULL
                 || (status = cli_count(&a->rounds, "--rounds", o->rounds, 1,
                                      a->route == VIA_PLD ? SHUF_PLD_MAX_ROUNDS : SHUF_MAX_USERS)) == 0)
             && (o->subsample == NULL || (status = set_subsample(a, o)) == 0) && a->fast)
    {
        status = check_fast(a);
        a->budget.digits = FLINT_MIN(a->budget.digits,
                                     a->subsampled || a->route == VIA_RENYI ? FAST_DIGITS_THROUGH : FAST_DIGITS);
    }
    if (a->rounds > 1)
        snprintf(a->rounds_note, sizeof(a->rounds_note), "%llu rounds: %s", (unsigned long long) a->rounds,
                 what[a->route]);
    if (status == 0)
    {
        set_curves(a);
        set_profiles(a);
    }
    return status;
}

static int is_whole(const shuf_real_t x)
{
    return !x->is_log && fmpz_is_one(fmpq_denref(x->q));
}

int account_point(shuf_real_t point, const account_t a, const char *text)
{
    int status;
    switch (a->quantity)
    {
    case ACCOUNT_DELTA:
        return cli_epsilon(point, "--eps", text);
    case ACCOUNT_EPSILON:
        status = cli_delta(point, "--delta", text);
        if (status == 0 && a->route == VIA_STRONG_COMPOSITION && point->is_log)
            status = cli_fail(EXIT_USAGE, "--delta is %.80s: --via strong-composition needs a rational number", text);
        if (status == 0 && (a->route == VIA_RENYI || a->route == VIA_PLD) && shuf_real_sgn(point) == 0)
            status = cli_fail(EXIT_USAGE, "--delta is %.80s: with --via %s more than 0 is allowed", text,
                              a->route == VIA_RENYI ? "renyi" : "pld");
        return status;
    case ACCOUNT_RENYI:
        break;
    }
    status = cli_order(point, "--order", text);
    if (status == 0 && a->total.integer_orders && (!is_whole(point) || shuf_real_cmp_si(point, 2) < 0))
        status = cli_fail(EXIT_USAGE, "--order is %.80s: with subsampling a whole number of at least 2 is allowed", text);
    if (status == 0 && a->fast && shuf_real_cmp_si(point, 1) == 0)
        status = cli_fail(EXIT_USAGE, "--order is %.80s: with --fast more than 1 is allowed", text);
    return status;
}

/* ---- values ---- */

static shuf_status evaluate_directly(shuf_enclosure_t r, account_t a, const shuf_real_t point)
{
    struct shuf_bound b;
    shuf_status status;
    double start = shuf_seconds();
    if (a->gaussian)
        return a->quantity == ACCOUNT_DELTA
                   ? shuf_gaussian_delta(r, a->users, a->sigma, point, a->direction, &a->budget)
                   : shuf_gaussian_epsilon(r, a->users, a->sigma, point, a->direction, &a->budget);
    if (!a->fast)
        return a->quantity == ACCOUNT_DELTA ? shuf_hockey_delta(r, a->pair, point, a->direction, &a->budget)
                                            : shuf_hockey_epsilon(r, a->pair, point, a->direction, &a->budget);
    status = a->quantity == ACCOUNT_DELTA ? shuf_fast_delta(&b, a->pair, point, a->direction)
                                          : shuf_fast_epsilon(&b, a->pair, point, a->direction);
    if (status == SHUF_DOMAIN)
        return status;
    from_bound(r, &b, status);
    r->status = shuf_enclosure_accurate(r, a->budget.digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.seconds = shuf_seconds() - start;
    return r->status;
}

static shuf_status evaluate_pld(shuf_enclosure_t r, account_t a, const shuf_real_t point)
{
    const shuf_pld_part part = { a->subsampled ? &a->sampled_profile : &a->profile, a->rounds };
    shuf_status status;
    cli_catch_interrupt();
    if (a->composed)
        status = a->quantity == ACCOUNT_DELTA ? shuf_composition_delta(r, a->composition, point, &a->pld)
                                              : shuf_composition_epsilon(r, a->composition, point, &a->pld);
    else
        status = a->quantity == ACCOUNT_DELTA ? shuf_pld_delta(r, &part, 1, point, a->direction, &a->pld)
                                              : shuf_pld_epsilon(r, &part, 1, point, a->direction, &a->pld);
    cli_show("");
    return status;
}

shuf_status account_evaluate(shuf_enclosure_t r, account_t a, const shuf_real_t point)
{
    double start = shuf_seconds();
    shuf_status status;
    switch (a->quantity)
    {
    case ACCOUNT_RENYI:
        status = a->total.evaluate(r, &a->total, point, &a->budget);
        if (status == SHUF_DOMAIN)
        {
            shuf_enclosure_zero(r);
            arf_pos_inf(r->lo);
            arf_pos_inf(r->hi);
        }
        if (!arf_is_pos_inf(r->lo))
            r->status = shuf_enclosure_accurate(r, a->budget.digits) ? SHUF_OK : SHUF_ACCURACY;
        r->ledger.seconds = shuf_seconds() - start;
        return r->status;
    case ACCOUNT_DELTA:
    case ACCOUNT_EPSILON:
        break;
    }
    switch (a->route)
    {
    case VIA_RENYI:
        return a->quantity == ACCOUNT_DELTA ? shuf_renyi_to_delta(r, a->order, &a->total, point, &a->budget)
                                            : shuf_renyi_to_epsilon(r, a->order, &a->total, point, &a->budget);
    case VIA_STRONG_COMPOSITION:
        return account_strong_composition(r, a, point);
    case VIA_PLD:
        return evaluate_pld(r, a, point);
    case VIA_NOTHING:
        break;
    }
    return evaluate_directly(r, a, point);
}

shuf_status account_max_loss(shuf_enclosure_t r, const account_t a)
{
    slong prec = 4 * a->budget.digits + 128;
    shuf_real_t loss;
    arb_t x;

    shuf_enclosure_zero(r);
    shuf_real_init(loss);
    arb_init(x);
    if (shuf_pair_max_loss(loss, a->pair))
    {
        shuf_real_get_arb(x, loss, prec);
        arb_mul_ui(x, x, a->rounds, prec);
        shuf_enclosure_set_arb(r, x, prec);
        r->status = shuf_enclosure_accurate(r, a->budget.digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    else
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
    }
    shuf_real_clear(loss);
    arb_clear(x);
    return r->status;
}

/* ---- what was done ---- */

static const char *const guarantees[] = {
    "a certified upper bound on delta; the enclosure is of the bound's value",
    "a certified upper bound on epsilon; the enclosure is of the bound's value",
    "a certified upper bound on the Renyi divergence; the enclosure is of the bound's value"
};

static const char *const lower_guarantees[] = {
    "a certified lower bound: a mechanism of the class has at least the lower end as its delta",
    "a certified lower bound: a mechanism of the class has at least the lower end as its epsilon"
};

static const char *const pair_guarantees[] = {
    "an upper bound on the pair's delta; no guarantee for a mechanism",
    "an upper bound on the pair's epsilon; no guarantee for a mechanism"
};

void account_describe(cli_result *result, account_t a)
{
    static const char *const names[] = { "delta", "epsilon", "renyi" };
    size_t notes = 0, through = 0;
    int converted = a->route == VIA_RENYI || a->route == VIA_STRONG_COMPOSITION;
    int from_above = a->composed || bounds_from_above(a);

    memset(result, 0, sizeof(*result));
    result->quantity = names[a->quantity];
    if (a->gaussian)
    {
        result->theorem = "gaussian-all-equal";
        return;
    }
    result->theorem = !a->composed ? shuf_pair_theorem(a->pair)
                      : a->route == VIA_PLD ? "pld-composition" : "renyi-composition";
    if (a->sampling_note[0] != '\0')
        result->note[notes++] = a->sampling_note;
    if (a->subsampled && !from_above)
        result->note[notes++] = "P: all users hold one value, seen too when the differing user is not sampled; Q: that user "
                                "holds another";
    if (a->rounds_note[0] != '\0')
        result->note[notes++] = a->rounds_note;
    if (a->composed && a->route == VIA_PLD)
        result->note[notes++] = "each mechanism by a proved bound: clones-stronger, krr-weak or rappor-local, and "
                                "subsample-profile over it";
    else if (a->composed)
        result->note[notes++] = "each mechanism by its smallest proved bound: clones-stronger, clones, krr-weak or rappor-local, "
                                "and subsample-dominated over it";

    if (a->subsampled && a->sampling_theorem != NULL)
        result->through[through++] = a->sampling_theorem;
    if (a->route == VIA_PLD && !a->composed)
        result->through[through++] = "pld-composition";
    if (a->rounds > 1 && (a->route == VIA_NOTHING || a->route == VIA_RENYI))
        result->through[through++] = "renyi-composition";
    if (a->route == VIA_RENYI)
    {
        result->through[through++] = "renyi-conversion";
        result->order = a->order->text;
    }
    if (a->route == VIA_STRONG_COMPOSITION)
    {
        result->through[through++] = "kairouz15-optimal";
        result->round_eps = a->round_eps->text;
        result->round_delta = a->round_delta->text;
    }

    if (converted && !from_above)
    {
        result->kind = "upper bound of the pair";
        result->guarantee = pair_guarantees[a->quantity];
    }
    else if (a->route == VIA_PLD && !a->composed && bounds_from_below(a))
    {
        result->guarantee = lower_guarantees[a->quantity];
    }
    else if (converted || (from_above && (a->route == VIA_PLD || a->subsampled || a->composed)))
    {
        result->kind = "upper bound";
        result->guarantee = guarantees[a->quantity];
    }
    else if (a->quantity == ACCOUNT_EPSILON)
    {
        result->guarantee = "delta(epsilon) <= delta is certain at the upper end";
    }
}
