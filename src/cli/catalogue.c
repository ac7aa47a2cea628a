/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* catalogue: every command and every option, once; help, completion, the manual page and messages are made of it */
#include "cli/catalogue.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

#define PLACE(field) offsetof(cli_options, field)

static const cli_option options[] = {
    { "pair", PLACE(pair), CLI_PARAMETER, 0, "P", "a name from the list of pairs", NULL,
      "Pair of laws that stands for the mechanism" },
    { "mechanism", PLACE(mechanism), CLI_PARAMETER, 0, "FILE", NULL, NULL, "JSON file that describes the mechanism" },
    { "compose", PLACE(compose), CLI_PARAMETER, 0, "FILE", NULL, NULL,
      "JSON file of different mechanisms, one after the other on the same users" },
    { "others", PLACE(others), CLI_SETTING, 0, "same|third", NULL, NULL,
      "What the other users hold, with --pair krr: the value of the differing user, or a third one" },
    { "n", PLACE(n), CLI_PARAMETER, 0, "N", "1 to 1e18", NULL, "Number of all users" },
    { "users", PLACE(n), CLI_PARAMETER, 0, "N", "1 to 1e18", NULL, "Number of all users, the same as --n" },
    { "at-least", PLACE(at_least), CLI_FLAG, 0, NULL, NULL, NULL,
      "N is the least number of users: what is certified holds for more users, too" },
    { "honest", PLACE(honest), CLI_PARAMETER, 0, "H", "a number of users, or a part below 1", "all users",
      "Users who follow the protocol; the others may report anything" },
    { "reports-per-user", PLACE(reports), CLI_PARAMETER, 0, "R", "1 to 1000", "1",
      "Reports of each user through one shuffler; neighbours replace all of them" },
    { "k", PLACE(k), CLI_PARAMETER, SHUF_TAKES_K, "K", "2 to 1e9", NULL, "Number of values that a user may hold" },
    { "eps0", PLACE(eps0), CLI_PARAMETER, SHUF_TAKES_EPS0 | SHUF_TAKES_GAMMA, "X", "0 to 1e6", NULL,
      "Local privacy parameter of each report" },
    { "randomiser", PLACE(randomiser), CLI_PARAMETER, 0, "ldp|rr2|krr|rappor|oue|hadamard-response|FILE", "a name that ends in .json", NULL,
      "What is in a report; ldp is anything that is eps0 locally differentially private" },
    { "eps0-notion", PLACE(eps0_notion), CLI_PARAMETER, 0, "replace|delete", NULL, NULL,
      "Whether eps0 is that of replacing a value or of deleting it" },
    { "release", PLACE(release), CLI_PARAMETER, 0, "reports|sum", NULL, "reports",
      "What is released of vectors of bits: all reports, shuffled, or only their sum" },
    { "neighbours", PLACE(neighbours), CLI_PARAMETER, 0, "replace|remove", "remove: dpsgd only", "replace; dpsgd: remove", "Which data sets are neighbours" },
    { "delta0", PLACE(delta0), CLI_PARAMETER, 0, "D", "0 to 1", NULL,
      "Local delta of each report, for closed forms that take one" },
    { "gamma", PLACE(gamma), CLI_PARAMETER, SHUF_TAKES_GAMMA, "G", "0 to 1", NULL,
      "Probability that a report is drawn uniformly, a free parameter of a closed form, or the high part of a step of staircase noise" },
    { "w0", PLACE(w0), CLI_PARAMETER, SHUF_TAKES_WEIGHTS, "W", "0 to 1", NULL,
      "Probability that the differing user adds to the first counter" },
    { "w1", PLACE(w1), CLI_PARAMETER, SHUF_TAKES_WEIGHTS, "W", "0 to 1", NULL,
      "Probability that the differing user adds to the second counter" },
    { "r0", PLACE(r0), CLI_PARAMETER, SHUF_TAKES_WEIGHTS, "R", "0 to 1", NULL,
      "Probability that another user adds to the first counter" },
    { "r1", PLACE(r1), CLI_PARAMETER, SHUF_TAKES_WEIGHTS, "R", "0 to 1", NULL,
      "Probability that another user adds to the second counter" },
    { "sigma", PLACE(sigma), CLI_PARAMETER, SHUF_TAKES_SIGMA, "S", "1/1000 to 1e6", NULL,
      "Standard deviation of normal noise on a value that changes by 1" },
    { "noise", PLACE(noise), CLI_PARAMETER, 0, "gaussian|laplace|staircase|discrete-gaussian|discrete-laplace|skellam|binomial|sample-and-threshold", NULL, NULL,
      "Noise that is added to what is released; --scale, --variance, --eps0 or --coins says how much; or none, but --sampling-rate and --threshold" },
    { "scale", PLACE(scale), CLI_PARAMETER, 0, "S", "1e-9 to 1e9 times the sensitivity", NULL,
      "Scale of the noise; the standard deviation, but of the two kinds of Laplace noise" },
    { "variance", PLACE(variance), CLI_PARAMETER, 0, "V", "the square of a scale", NULL, "Its variance, in place of the standard deviation" },
    { "coins", PLACE(coins), CLI_PARAMETER, 0, "N", "1 to 1e18", NULL, "Number of fair coins, whose heads are added" },
    { "sensitivity", PLACE(sensitivity), CLI_PARAMETER, 0, "X", "more than 0; of vectors of whole numbers also sqrt(2) and the like", "1",
      "By how much one record changes what is released: L2 norm with Gaussian and Skellam, L1 norm with Laplace noise" },
    { "dimension", PLACE(dimension), CLI_PARAMETER, 0, "D", "1 to 1e18", "1",
      "Numbers that a release is a vector of, each with noise of its own" },
    { "threshold", PLACE(threshold), CLI_PARAMETER, 0, "T", "more than 0", "none",
      "Values of a histogram whose count, with its noise, is less are dropped" },
    { "eps", PLACE(eps), CLI_PARAMETER, 0, "E", "0 to 1e6", NULL, "The eps of (eps, delta) differential privacy" },
    { "delta", PLACE(delta), CLI_PARAMETER, 0, "D", "0 to 1", NULL, "The delta of (eps, delta) differential privacy" },
    { "order", PLACE(order), CLI_PARAMETER, 0, "L", "1 to 1e18, or inf", NULL, "Order of the Renyi divergence" },
    { "claimed-epsilon", PLACE(claimed_epsilon), CLI_PARAMETER, 0, "E", "0 to 1e6", NULL, "The eps that is claimed of all rounds together" },
    { "claimed-delta", PLACE(claimed_delta), CLI_PARAMETER, 0, "D", "0 to 1", NULL, "The delta that is claimed of all rounds together" },
    { "id", PLACE(id), CLI_PARAMETER, 0, "NAME", NULL, "claim", "Name of the claim" },
    { "source", PLACE(source), CLI_PARAMETER, 0, "TEXT", NULL, "not published", "Where the claim stands" },
    { "type1", PLACE(type1), CLI_PARAMETER, 0, "A", "0 to 1", NULL, "Type I error of the test" },
    { "rho", PLACE(rho), CLI_PARAMETER, 0, "R", "0 or more", NULL, "Parameter of zero-concentrated differential privacy that is judged" },
    { "mu", PLACE(mu), CLI_PARAMETER, 0, "M", "0 to 1e6", NULL, "Parameter of Gaussian differential privacy that is judged" },
    { "solve", PLACE(solve), CLI_PARAMETER, 0, "n|eps0|scale|coins|sensitivity|rounds|noise-multiplier|epochs", "dpsgd: the last two", NULL,
      "Option that is searched for, and left out" },
    { "sampler", PLACE(sampler), CLI_PARAMETER, 0, "S", "a name from the list of samplers; noise: balls-and-bins or random-allocation", "poisson; noise: all records are in each release",
      "How the data loader draws batches, or in which releases a record takes part" },
    { "noise-multiplier", PLACE(noise_multiplier), CLI_PARAMETER, 0, "X", "1/1000 to 1e6", NULL,
      "Standard deviation of the noise on the sum of gradients, over the clipping norm" },
    { "target-epsilon", PLACE(target_epsilon), CLI_PARAMETER, 0, "E", "0 to 1e6", NULL,
      "The eps that is to hold at --delta: the smallest noise multiplier for it is searched for" },
    { "batch-size", PLACE(batch_size), CLI_PARAMETER, 0, "B", "1 to 1e18", NULL,
      "Records in a batch, on average with poisson; it goes with --dataset-size" },
    { "dataset-size", PLACE(dataset_size), CLI_PARAMETER, 0, "N", "1 to 1e18", NULL, "Records in the data set" },
    { "sampling-rate", PLACE(sampling_rate), CLI_PARAMETER, 0, "Q", "more than 0, up to 1", NULL,
      "Probability that a record is in a batch, in place of the two sizes" },
    { "steps", PLACE(steps), CLI_PARAMETER, 0, "T", "1 to 1e9", "epochs over the sampling rate",
      "Steps of an epoch; without --epochs, all steps" },
    { "max-batch-size", PLACE(max_batch_size), CLI_PARAMETER, 0, "B", "1 to 1e18", "no batch is cut",
      "With poisson: of a larger batch so many records are kept, drawn at random; it goes with --dataset-size" },
    { "records-per-user", PLACE(records), CLI_PARAMETER, 0, "G", "1 to 1000", "1",
      "Records of each user: neighbours remove or replace all records of one user" },
    { "epochs", PLACE(epochs), CLI_PARAMETER, 0, "T", "1 to 1e9", "1", "Passes over the data" },
    { "blocks", PLACE(blocks), CLI_PARAMETER, 0, "M", "1 to 1e18", NULL,
      "Blocks of data, which each epoch uses in a new random order" },
    { "rounds", PLACE(rounds), CLI_PARAMETER, 0, "T", "1 to 1e9; 1e18 by renyi", "1", "Rounds over the same users" },
    { "best-of", PLACE(best_of), CLI_PARAMETER, 0, "K", "1 to 1e9; from 0 with poisson", "one run", "Of so many runs, in the mean, only the one that did best is told" },
    { "runs", PLACE(runs), CLI_PARAMETER, 0, "geometric|logarithmic|poisson|negative-binomial", NULL, "geometric", "How the number of runs is drawn" },
    { "shape", PLACE(shape), CLI_PARAMETER, 0, "R", "-1/2 to 1000", NULL, "Shape of negative-binomial runs; 1 is geometric, near 0 logarithmic" },
    { "subsample", PLACE(subsample), CLI_PARAMETER, SHUF_TAKES_RATE | SHUF_TAKES_PROBABILITY, "G", "more than 0, up to 1",
      "all users", "Part of the users that a round takes, drawn anew for each" },
    { "scheme", PLACE(scheme), CLI_PARAMETER, 0, "fixed|poisson", NULL, "fixed",
      "How that part is drawn: so many users, or each user independently" },
    { "via", PLACE(via), CLI_PARAMETER, 0, "pld|renyi|strong-composition", NULL, "pld",
      "How rounds are composed: by laws of the privacy loss, Renyi divergences, or (eps, delta)" },
    { "direction", PLACE(direction), CLI_PARAMETER, 0, "both|pq|qp", NULL, "both",
      "Divergence of P from Q, of Q from P, or the larger one" },
    { "fast", PLACE(fast), CLI_FLAG, 0, NULL, NULL, NULL, "Compute in double precision, with proved error bounds, to 9 digits at most" },
    { "log", PLACE(log), CLI_FLAG, 0, NULL, NULL, NULL, "Space the points geometrically" },
    { "plot", PLACE(plot), CLI_SETTING, 0, "FILE", "a name that ends in .svg", NULL, "Also draw the curves to a file" },
    { "pgfplots", PLACE(pgfplots), CLI_SETTING, 0, "FILE", "a name that ends in .tex", NULL, "Also write a figure for LaTeX (the packages standalone and pgfplots), with bands between the ends" },
    { "certificate", PLACE(certificate), CLI_SETTING, 0, "FILE", NULL, NULL,
      "Also write a certificate, from which Coq proves the printed ends" },
    { "html", PLACE(html), CLI_SETTING, 0, "FILE", NULL, NULL, "Also write a report with plots, to be read, printed and signed" },
    { "markdown", PLACE(markdown), CLI_SETTING, 0, "FILE", NULL, NULL, "Also write the report in Markdown, numbers in place of plots" },
    { "latex", PLACE(latex), CLI_SETTING, 0, "FILE", NULL, NULL, "Also write the report in LaTeX, numbers in place of plots" },
    { "date", PLACE(date), CLI_SETTING, 0, "YYYY-MM-DD", "a day", "no date", "Date that reports are to have" },
    { "output", PLACE(output), CLI_SETTING, 0, "FILE", "a folder with vectors", NULL,
      "Where results go; ask and vectors go on there after an interrupt" },
    { "shard", PLACE(shard), CLI_SETTING, 0, "I/N", "N up to 10000", "1/1",
      "Take every N-th item from the I-th on: N machines share the work" },
    { "sample", PLACE(sample), CLI_SETTING, 0, "K", "1 to 1e9", "1", "Take one test out of K at random" },
    { "tolerance", PLACE(tolerance), CLI_SETTING, 0, "X", "relative, 0 up to 1", "0", "Error that a judged bound may have" },
    { "jobs", PLACE(jobs), CLI_SETTING, 0, "N", "1 to 256", "1",
      "Questions answered at a time, each in a process of its own" },
    { "digits", PLACE(digits), CLI_SETTING, 0, "D", "1 to 1000", "12; 6 over rounds",
      "Significant digits that the interval aims at" },
    { "effort", PLACE(effort), CLI_SETTING, 0, "normal|high|UNITS", "UNITS from 1e6 to 1e15", "normal",
      "Work that may be spent, counted the same on every machine" },
    { "max-seconds", PLACE(max_seconds), CLI_SETTING, 0, "S", "0 to 1e9", "no limit",
      "Time after which the best interval so far is printed" },
    { "threads", PLACE(threads), CLI_SETTING, 0, "T", "1 to 256", "1", "Threads; the answer does not depend on them" },
    { "json", PLACE(json), CLI_FLAG, 0, NULL, NULL, NULL, "Print one JSON object a line" },
    { "explain", PLACE(explain), CLI_FLAG, 0, NULL, NULL, NULL,
      "Print all digits, every bound that was tried, and its theorems, sources, proofs and ledger" },
    { "quiet", PLACE(quiet), CLI_FLAG, 0, NULL, NULL, NULL, "Print the guaranteed number alone, or of a claim the verdict" },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

_Static_assert(OPTIONS <= CLI_MAX_OPTIONS, "more options than CLI_MAX_OPTIONS");

const cli_option *cli_option_at(size_t i)
{
    return i < OPTIONS ? &options[i] : NULL;
}

const cli_option *cli_option_named(const char *name)
{
    size_t i;
    for (i = 0; i < OPTIONS && strcmp(options[i].name, name) != 0; i++)
        ;
    return cli_option_at(i);
}

const char *cli_option_text(const cli_options *o, const cli_option *e)
{
    const char *text;
    int flag;
    if (e->kind != CLI_FLAG)
    {
        memcpy(&text, (const char *) o + e->place, sizeof(text));
        return text;
    }
    memcpy(&flag, (const char *) o + e->place, sizeof(flag));
    return flag ? "" : NULL;
}

/* ---- commands ---- */

#define SUBJECT "pair|mechanism|compose"
#define USERS "n at-least honest reports-per-user "
#define WHAT "pair mechanism compose others " USERS "k eps0 gamma w0 w1 r0 r1 sigma "
#define ROUNDS " rounds subsample scheme via direction"
#define RUNS " best-of runs shape"
#define COMMON " digits effort max-seconds threads json explain quiet"

static const cli_command commands[] = {
    { "delta", cli_command_delta, "One number", NULL, SUBJECT " eps", WHAT "eps fast certificate" ROUNDS RUNS COMMON,
      "Enclose the smallest delta at an eps.",
      "Of a pair that bounds from above the upper end is the guarantee; of one from below the lower end is reached.",
      { "delta --pair clones --n 10000 --eps0 4 --eps 0.5", "delta --pair krr-same --n 1000 --eps0 'log(2)' --k 3 --eps 0.1",
        "delta --mechanism doc/mechanisms/krr.json --n 1000 --eps 0.2" } },
    { "epsilon", cli_command_epsilon, "One number", NULL, SUBJECT " delta", WHAT "delta fast certificate" ROUNDS RUNS COMMON,
      "Enclose the smallest eps at a delta.",
      "Rounds over the same users and samples of them are composed with --rounds and --subsample.",
      { "epsilon --pair clones-stronger --n 10000 --eps0 4 --delta 1e-6",
        "epsilon --pair clones-stronger --n 1e4 --eps0 1 --delta 1e-6 --rounds 100",
        "epsilon --pair clones --n 1e4 --eps0 1 --delta 1e-6 --rounds 10 --subsample 1/10 --via renyi --fast" } },
    { "renyi", cli_command_renyi, "One number", NULL, SUBJECT " order", WHAT "order fast" ROUNDS COMMON,
      "Enclose a Renyi divergence.", "Order 1 is the Kullback-Leibler divergence, and inf the largest privacy loss.",
      { "renyi --pair clones --n 1000 --eps0 1 --order 2", "renyi --pair clones --n 1000 --eps0 1 --order inf",
        "renyi --pair clones --n 1000 --eps0 1 --order 8 --rounds 100" } },
    { "tradeoff", cli_command_tradeoff, "One number", NULL, SUBJECT " type1", WHAT "type1 fast" ROUNDS COMMON,
      "Enclose the smallest type II error of a test.",
      "The test tells two neighbouring data sets apart; A:B:K in place of A prints a curve of K points.",
      { "tradeoff --pair clones --n 1000 --eps0 1 --type1 0.05",
        "tradeoff --pair rr2 --n 1000 --eps0 1 --type1 0.05 --direction qp",
        "tradeoff --pair clones --n 1000 --eps0 1 --type1 0:0.2:5" } },
    { "gdp", cli_command_gdp, "One number", NULL, SUBJECT " eps", WHAT "eps mu fast" ROUNDS COMMON,
      "Enclose the smallest mu of Gaussian differential privacy.",
      "It holds at one eps or from A to B, written A:B; --mu asks for a verdict instead.",
      { "gdp --pair clones --n 1000 --eps0 1 --eps 0.1", "gdp --pair clones --n 1000 --eps0 1 --eps 0:0.3",
        "gdp --pair clones --n 1000 --eps0 1 --eps 0.1 --mu 1" } },
    { "zcdp", cli_command_zcdp, "One number", NULL, SUBJECT, WHAT "rho fast" ROUNDS COMMON,
      "Enclose the smallest rho of zero-concentrated privacy.",
      "The Renyi divergence of every order is at most rho times it; --rho asks for a verdict instead.",
      { "zcdp --pair clones --n 1000 --eps0 1", "zcdp --pair clones --n 1000 --eps0 1 --rounds 100", "zcdp --mechanism doc/mechanisms/krr.json --n 1000 --rho 0.01" } },
    { "calibrate", cli_command_calibrate, "One number", NULL, SUBJECT " eps delta solve",
      WHAT "eps delta solve" ROUNDS COMMON,
      "Find the eps0 or the number of users for (eps, delta).",
      "The option that --solve names is left out; one end of the interval is certified, and is named.",
      { "calibrate --pair clones-stronger --eps0 2 --eps 0.5 --delta 1e-6 --solve n",
        "calibrate --pair clones-stronger --n 1e4 --eps 0.5 --delta 1e-6 --solve eps0",
        "calibrate --pair clones --n 1e4 --eps 1 --delta 1e-6 --rounds 10 --solve eps0 --digits 2" } },
    { "mechanism", cli_command_mechanism, "One number", "FILE.json", "", USERS "eps delta solve fast" ROUNDS RUNS COMMON,
      "Bound a local randomiser that a file describes.",
      "Without --n the local eps0 is printed; otherwise every bound that applies to its shuffle.",
      { "mechanism doc/mechanisms/krr.json", "mechanism doc/mechanisms/subset-selection.json --n 1e3 --eps 0.1 --digits 3",
        "mechanism doc/mechanisms/krr.json --n 1000 --eps 0.5 --delta 1e-6 --solve eps0 --digits 2" } },
    { "estimate", cli_command_estimate, "One number", NULL, "k n eps delta", "k n eps delta digits effort json explain quiet",
      "Find eps0 and the error of frequency estimates.",
      "The errors are those of Hadamard response and of k-ary randomised response.",
      { "estimate --k 16 --n 1e5 --eps 0.5 --delta 1e-6", "estimate --k 2 --n 1e5 --eps 0.5 --delta 1e-6 --json",
        "estimate --k 16 --n 1e5 --eps 0.5 --delta 1e-6 --explain" } },
    { "dpsgd", cli_command_dpsgd, "Training", NULL,
      "noise-multiplier|target-epsilon batch-size|sampling-rate|steps delta|eps",
      "sampler neighbours records-per-user max-batch-size noise-multiplier target-epsilon batch-size dataset-size sampling-rate steps epochs eps delta solve via fast"
      RUNS COMMON,
      "Account for training with clipped gradients and Gaussian noise.",
      "With both --eps and --delta the answer is a verdict; --target-epsilon finds the noise, --solve the noise or the epochs.",
      { "dpsgd --noise-multiplier 1.1 --batch-size 256 --dataset-size 60000 --epochs 60 --delta 1e-5",
        "dpsgd --target-epsilon 3 --sampling-rate 0.01 --steps 1000 --delta 1e-5",
        "dpsgd --sampler shuffle --noise-multiplier 2 --steps 100 --delta 1e-5" } },
    { "noise", cli_command_noise, "Training", NULL, "noise coins|scale|variance|eps0|sampling-rate|solve delta|eps",
      "noise scale variance coins eps0 gamma sensitivity dimension sampler steps sampling-rate threshold rounds subsample scheme eps delta solve via fast" RUNS COMMON,
      "Account for releases with noise that a curator adds.",
      "With both --eps and --delta the answer is a verdict. A poisson sample is of neighbours that remove a record, a fixed one of those that replace one.",
      { "noise --noise laplace --scale 10 --rounds 100 --delta 1e-5 --digits 4", "noise --noise skellam --dimension 1000 --sensitivity 300 --eps 1 --delta 1e-5 --solve scale",
        "noise --noise sample-and-threshold --sampling-rate 0.105 --threshold 20 --eps 1" } },
    { "sgd", cli_command_sgd, "Training", NULL, "epochs blocks eps0 delta|eps|order",
      "epochs blocks eps0 eps delta order solve via fast" COMMON,
      "Account for SGD over shuffled blocks with pure noise.",
      "Each step is eps0 differentially private in its block: 2 C/B for Laplace noise of scale B on an update of L1 norm at most C.",
      { "sgd --epochs 1 --blocks 1000 --eps0 1 --delta 1e-6", "sgd --epochs 50 --blocks 100 --eps0 1 --order 2",
        "sgd --epochs 50 --blocks 100 --solve eps0 --eps 1 --delta 1e-5" } },
    { "bound", cli_command_bound, "Papers", "[FORM]", "", "n k eps0 delta0 gamma eps delta order digits effort json explain quiet",
      "Evaluate a closed form of a paper, or list them.", "A form that is refuted or not proved is labelled as no bound.",
      { "bound", "bound feldman21-3.1 --n 1e6 --eps0 1 --delta 1e-6", "bound girgis21-3.1 --n 1e4 --eps0 1 --order 8" } },
    { "theorems", cli_command_theorems, "Papers", "[ID ...]", "", "json",
      "List theorems: what is proved, and where.", "With identifiers it prints statement, source and proof of each.",
      { "theorems", "theorems clones-stronger", "theorems clones pld-composition --json" } },
    { "cite", cli_command_cite, "Papers", "[ID ...]", "", "",
      "Print BibTeX of what theorems rest on.", "Without identifiers it prints every paper, and the program.",
      { "cite", "cite clones-stronger", "cite clones pld-composition" } },
    { "curve", cli_command_curve, "Many numbers", "[FORM ...]", "eps|delta|order|type1",
      WHAT "eps delta order type1 log plot pgfplots fast" ROUNDS COMMON,
      "Tabulate and draw pairs and closed forms.",
      "One number is a range A:B:K of K points, another may be a list: 0.5,1,2; --pair may be given several times.",
      { "curve --pair clones --pair clones-stronger --n 1e4 --eps0 1 --eps 0:0.4:5",
        "curve --pair clones-stronger --eps0 0.5,1,2 --delta 1e-6 --n 1e3:1e5:3 --log",
        "curve --pair clones --n 1e4 --eps0 1 --order 2:16:4 --log girgis21-3.1" } },
    { "ask", cli_command_ask, "Many numbers", "FILE|-", "", "jobs threads output shard",
      "Answer questions in JSON lines.", "The exit status is 65 when a line has an error, and 66 when there is no line.",
      { "ask doc/examples/survey.jsonl", "ask --jobs 2 doc/examples/survey.jsonl", "ask - <doc/examples/survey.jsonl" } },
    { "claim", cli_command_claim, "Many numbers", NULL, "",
      "n users randomiser eps0 eps0-notion k release rounds subsample scheme neighbours claimed-epsilon claimed-delta id source output",
      "Write a claim for audit: it asks for what decides a claim.",
      "Without an option but --output it asks; otherwise --users, --randomiser, --eps0, --eps0-notion and the two claimed numbers are needed.",
      { "claim --users 100000 --randomiser rappor --eps0 5 --eps0-notion delete --release sum --claimed-epsilon 0.317 --claimed-delta 1e-9",
        "claim --users 25000 --randomiser ldp --eps0 3 --eps0-notion replace --rounds 12 --claimed-epsilon 0.25 --claimed-delta 1e-6",
        "claim --users 1000 --randomiser doc/mechanisms/laplace.json --claimed-epsilon 1 --claimed-delta 1e-6 --id laplace" } },
    { "audit", cli_command_audit, "Many numbers", "FILE.json ...", "", "html markdown latex date effort max-seconds threads json explain",
      "Judge claims: certified, refuted or undecided.",
      "The exit status is 0 when all are certified, 1 when one is refuted, otherwise 2.",
      { "audit doc/claims/apple-ml-shuffling-amplification.json",
        "audit --json doc/claims/apple-ml-shuffling-amplification.json",
        "audit --explain doc/claims/apple-ml-shuffling-amplification.json" } },
    { "vectors", cli_command_vectors, "Many numbers", "generate|check|judge|prompt FILE.json ...", "",
      "output shard sample tolerance fast json",
      "Generate, check and judge test vectors.",
      "The exit status of judge is 1 when a bound is unsound, and 2 when one is undecided or has no answer.",
      { "vectors check --sample 20 vectors/delta.json", "vectors check --sample 20 --fast vectors/delta.json",
        "vectors check vectors/sgd.json" } },
    { "completion", cli_command_completion, "About", "bash|zsh|fish", "", "",
      "Print what a shell reads to complete commands.", "Commands, options and their values are completed.",
      { "completion bash", "completion zsh", "completion fish" } },
    { "help", cli_command_help, "About", "[COMMAND]", "", "",
      "Print this list, or the help of a command.", "COMMAND --help and COMMAND -h print the same.",
      { "help", "help dpsgd", "dpsgd --help" } },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const cli_command *cli_command_at(size_t i)
{
    return i < COMMANDS ? &commands[i] : NULL;
}

const cli_command *cli_command_named(const char *name)
{
    char names[20 * COMMANDS] = "", nearest[NAMES_SIZE];
    size_t i;
    for (i = 0; i < COMMANDS; i++)
    {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", commands[i].name);
    }
    if (names_nearest(nearest, name, names))
        report_fail(EXIT_USAGE, "unknown command \"%.60s\": did you mean %s? see shufbound --help", name, nearest);
    else
        report_fail(EXIT_USAGE, "unknown command \"%.60s\"; see shufbound --help", name);
    return NULL;
}

/* ---- lists of names ---- */

int cli_put_words(const char *words, const char *before, const char *between)
{
    char first[160], word[64];
    const char *list = first;
    int count = 0;
    snprintf(first, sizeof(first), "%.*s", (int) strcspn(words, " "), words);
    while (names_next(word, sizeof(word), &list, "|"))
        if (word[0] >= 'a' && word[0] <= 'z')
            printf("%s%s", count++ == 0 ? before : between, word);
    return count > 0;
}

int cli_put_choices(const cli_option *e, const char *before, const char *between)
{
    const int is_pair = strcmp(e->name, "pair") == 0, count = is_pair ? SHUF_PAIR_KINDS : SHUF_BATCH_SAMPLERS;
    int i;
    if (!is_pair && strcmp(e->name, "sampler") != 0)
        return e->argument != NULL && cli_put_words(e->argument, before, between);
    for (i = 0; i < count; i++)
        printf("%s%s", i == 0 ? before : between,
               is_pair ? shuf_pair_about((shuf_pair_kind) i)->name : shuf_batch_about((shuf_batch_sampler) i)->name);
    return 1;
}
