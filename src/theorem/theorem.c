/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "theorem/theorem.h"

#include <string.h>

#define FMT21 "Feldman, McMillan, Talwar, Hiding Among the Clones, FOCS 2021 (arXiv 2012.12803)"
#define FS25 "Feldman, Shenfeld, Privacy Amplification by Random Allocation (arXiv 2502.08202)"
#define FMT22 "Feldman, McMillan, Talwar, Stronger Privacy Amplification by Shuffling, SODA 2023 (arXiv 2208.04591)"
#define KHH "Koskela, Heikkila, Honkela, Numerical Accounting in the Shuffle Model of Differential Privacy"
#define BBGN "Balle, Bell, Gascon, Nissim, The Privacy Blanket of the Shuffle Model, CRYPTO 2019 (arXiv 1903.02837)"
#define GDDSK "Girgis, Data, Diggavi, Suresh, Kairouz, On the Renyi Differential Privacy of the Shuffle Model, CCS 2021 (arXiv 2105.05180)"
#define DRS "Dong, Roth, Su, Gaussian Differential Privacy, JRSS-B 2022 (arXiv 1905.02383)"
#define CCG "Chen, Cao, Ge, Renyi Differential Privacy in the Shuffle Model: Enhanced Amplification Bounds, ICASSP 2024 (arXiv 2401.04306)"

static const shuf_theorem theorems[] = {
    { "clones", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Stronger.clones_dominates",
      "The shuffle of n users' reports, each from a pure eps0-LDP randomiser that may depend on the reports before it, "
      "is dominated by the trinomial pair with w0 = E/(E+1), w1 = 1/(E+1), r0 = r1 = 1/(2E), E = e^eps0.",
      "pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user's value; n >= 1, eps0 >= 0",
      FMT21 ", Theorem 3.1 and Remark 3.5",
      "the paper; Coq for finite outputs; proofs/trinomial-pair.md for the pair (Remark 3.5 prints it with a slip, doc/errata)" },
    { "clones-stronger", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Stronger.stronger_dominates, Countable.stronger_countable",
      "As clones, with r0 = r1 = 1/(E+1). Never worse than clones.",
      "pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user's value; n >= 1, eps0 >= 0",
      FMT22 ", Theorem 3.1, whose general claim the authors withdrew (Lemma 3.5); used by " KHH ", eq. (3.1)",
      "proofs/clones-stronger.md: a different proof, of the hockey-stick domination only; Coq for countable outputs, every f-divergence and rounds" },
    { "clones-deletion", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "DeletionClones.clones_deletion",
      "If every randomiser has a law R_0 with R(x) <= E R_0 and R_0 <= E R(x) for every input x (deletion: E = e^eps0), the shuffle of "
      "n users' reports is dominated by the pair krr-weak of k = E+1 values and gamma = 1/E, k whole or not: the mixture over B ~ Bin(n-1, 1/E) "
      "of the trinomial pairs of B+1 users with w0 = E/(E+1), w1 = 1/(E(E+1)), r0 = r1 = 1/(E+1). Never worse than clones-stronger with 2 eps0.",
      "deletion eps0-LDP, the law R_0 may depend on the place and on the reports before; uniform permutation, neighbours replace one "
      "user's value; n >= 1, eps0 >= 0",
      "stated here", "proofs/deletion.md; Coq for finite outputs, without the comparison with clones-stronger" },
    { "deletion-local", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Deployments.deletion_local",
      "Deletion eps0-LDP (every R(x) within the factor E of one law R_0, both ways) is (2 eps0)-LDP under replacement.",
      "eps0 >= 0", "definition", "proofs/deletion.md; Coq for finite outputs" },
    { "deletion-third", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "DeletionThird.third_below, DeletionThird.third_below_same, DeletionThird.third_deletion",
      "A deletion eps0-LDP randomiser of three outputs, R(0) = (Ep, p/E, rest), R(1) = (p/E, Ep, rest), R(2) = (t, t, 1-2t) with p = 1/(E+1), "
      "t = max(p/E, (1+2E-E^2)/(2(E+1))), shuffled on data whose other users hold 2, or hold 0 as user 1 does: exactly a trinomial pair.",
      "n >= 1, E >= 1 rational, rounded down where it is not", "stated here", "proofs/deletion.md; Coq as a lower bound" },
    { "local-profile", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "LocalProfile.local_profile_min, Countable.local_profile_countable",
      "As clones, with m >= H_alpha(R(x)||R(x')) for all inputs of every randomiser, at the one alpha = e^eps: delta(eps) <= "
      "E(W_1 + .. + W_n)_+/n, W_j independent, E - alpha with probability m/(E-alpha), -(alpha E-1) with (m+alpha-1)/(alpha E-1), "
      "else 0. m = (E-alpha)/(E+1), which no eps0-LDP randomiser exceeds, gives clones-stronger.",
      "pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user's value; n >= 1, 0 <= eps < eps0, beyond which delta is 0",
      "stated here; the proof is that of clones-stronger", 
      "proofs/local-profile.md; Coq for countable outputs" },
    { "local-swap", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/local-profile.md",
      "As clones, for one randomiser with m(gamma) >= H_gamma(R(x)||R(x')) for all inputs, and any gamma >= 1 and 1 <= tau <= alpha = e^eps: "
      "delta(eps) <= E(W_1 + .. + W_n)_+/n, W_j independent, E - alpha with probability 1/E, -(alpha-tau) gamma with "
      "(1 - m(gamma) - 1/tau)/gamma, else 0.",
      "pure eps0-LDP (delta0 = 0), the same randomiser for every user, uniform permutation, neighbours replace one user's value; n >= 1, "
      "0 <= eps < eps0, m(gamma) + 1/tau < 1",
      "stated here", "proofs/local-profile.md" },
    { "krr-strong", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "KrrShuffle.krr_strong_bound",
      "k-RR with blanket probability gamma against the adversary who sees which users answered at random, the last one "
      "included: delta is (1-gamma) times that of the trinomial pair with w0 = 1, r0 = r1 = gamma/k. An upper bound for shuffled k-RR.",
      "0 <= gamma <= 1, k >= 2, neighbours replace the last user's value; eps >= 0",
      KHH ", Definition 12; " BBGN, 
      "proofs/trinomial-pair.md; Coq for gamma = k/(E+k-1)" },
    { "krr-weak", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "KrrShuffle.krr_weak_bound",
      "k-RR with blanket probability gamma against the adversary who sees which of the other users answered at random: the "
      "mixture over b ~ Bin(n-1, gamma) of trinomial pairs with b+1 users. An upper bound for shuffled k-RR.",
      "0 <= gamma <= 1, k >= 2, neighbours replace the last user's value; eps >= 0",
      KHH ", Definition 14; " BBGN, 
      "proofs/trinomial-pair.md; Coq for gamma = k/(E+k-1)" },
    { "rr2", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrShuffle.rr2_exact",
      "Shuffled binary randomised response on all-equal data against the same data with one value changed, exactly: "
      "a lower bound for the class of eps0-LDP randomisers. Not the worst pair of datasets.",
      "n >= 1, eps0 >= 0", FMT21 ", Appendix F", "proofs/trinomial-pair.md" },
    { "krr-same", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrShuffle.krr_same_exact",
      "Shuffled k-RR on all-equal data against the same data with one value changed, exactly.",
      "n >= 1, eps0 >= 0, k >= 2", "definition of k-RR", "proofs/trinomial-pair.md" },
    { "krr-third", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrShuffle.krr_third_below",
      "Shuffled k-RR, the other users all hold a third value: exact for k = 3; for k >= 4 the outcome with the other "
      "values merged, hence a lower bound.",
      "n >= 1, eps0 >= 0, k >= 3", "definition of k-RR", 
      "proofs/trinomial-pair.md; Coq as a lower bound" },
    { "trinomial", SHUF_PROVED, SHUF_SIDE_NONE, SHUF_CHECKED_COQ, "TrinomialMean.trinomial_law",
      "The trinomial pair with weights w0, w1 and rates r0, r1, taken as it is: it says nothing of a mechanism.",
      "w0, w1, r0, r1 >= 0, w0+w1 <= 1, r0+r1 <= 1, r0 and r1 both positive or both zero", "definition",
      "proofs/trinomial-pair.md" },
    { "blanket", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "ShuffleBlanket.blanket_common",
      "The shuffle of n users of one randomiser R, with a measure w below every R(z): delta(eps) is at most "
      "E(L_1 + .. + L_n)_+/n for a pair of inputs x, x1, L_j = (R(x) - e^eps R(x1))(Y)/w(Y) with Y ~ w, and 0 with the rest "
      "of the mass, plus the mass of (R(x) - e^eps R(x1))_+ outside w.",
      "the same randomiser for every user, uniform permutation, neighbours replace one user's value; all pairs of inputs are tried",
      BBGN ", Lemma 5.3; w = min_z R(z) is the best choice by Su, Cheng, Wang, Decomposition-Based Optimal Bounds for Privacy "
      "Amplification via Shuffling, 2025", 
      "proofs/blanket.md; Coq for finite outputs, without the best choice of w" },
    { "all-equal", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "ShuffleBlanket.alike_exact",
      "The shuffle of n users of one randomiser who all hold one value, against the same with one value changed, exactly.",
      "the same randomiser for every user; n >= 1", "definition of the shuffled mechanism", 
      "proofs/blanket.md; Coq for finite outputs" },
    { "third-value", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "ShuffleBlanket.alike_exact",
      "The shuffle of n users of one randomiser, all but one of whom hold a value that is neither of the two that the last one holds, exactly.",
      "the same randomiser for every user; at least three inputs", "definition of the shuffled mechanism", 
      "proofs/blanket.md; Coq for finite outputs" },
    { "mixed-data", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "ShuffleCounts.event_below",
      "The shuffle of n users of one randomiser, the others holding two values, each report replaced by whether it lies in an event: "
      "the sum of two binomials and one more report, exactly. For two outputs nothing is lost.",
      "the same randomiser for every user", "definition of the shuffled mechanism, data processing", 
      "proofs/mixed.md; Coq as a lower bound" },
    { "grouped-reports", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "ShuffleCounts.counts_below",
      "The shuffle of n users of one randomiser, the others all holding one value, each report replaced by the one of three sets of outputs "
      "in which it lies, exactly.",
      "the same randomiser for every user; n >= 1", "definition of the shuffled mechanism, data processing", "proofs/mixed.md; Coq for finite outputs, as a lower bound" },
    { "binary-reports", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "BinaryReports.binary_reports, BinaryReports.binary_reports_attained",
      "The shuffle of n independent reports of one bit, each a one with a probability between q and p, both of which some input "
      "has: the largest delta(eps) of neighbouring data is that of N + Bern(p) against N + Bern(q), or the other way round, "
      "N ~ Bin(a, p) + Bin(n-1-a, q), for the worst number a of other users.",
      "reports with two values, independent given the data, the same randomiser for every user; neighbours replace one user's value; n >= 1, eps >= 0",
      "stated here", "proofs/binary-reports.md; Coq" },
    { "binary-reports-sampled", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "BinaryReports.binary_reports_sampled, BinaryReports.binary_reports_sampled_attained",
      "The shuffle of the reports of m users drawn without replacement from n, each one bit as in binary-reports: the largest delta(eps) of "
      "neighbouring data is that of the same data, a of the other users at p and the rest at q, for the worst number a.",
      "as binary-reports; a new uniform subset in every round, 1 <= m < n",
      "stated here", "proofs/binary-reports.md; Coq" },
    { "sum-of-bits", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SumOfBits.sum_of_bits_above",
      "The sum of n vectors of bits that are independent given one-hot data, if nothing else is released, is dominated by the product of "
      "two entries, each with the largest divergence of binary-reports at every eps: the one from p to q, the other from q to p.",
      "a bit that is set is reported as a one with probability p, others with q, independently; any number of values; neighbours replace one user's value",
      "stated here", "proofs/binary-reports.md; Coq" },
    { "sum-of-bits-data", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "SumOfBits.sum_of_bits_data",
      "The same sum on given data, exactly: the product of the two entries that differ, each Bin(a, p) + Bin(n-1-a, q) and one more bit.",
      "as sum-of-bits; the other users hold the two values, or a third one", "stated here", "proofs/binary-reports.md; Coq" },
    { "blanket-sampled", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledShuffle.sampled_blanket",
      "The shuffle of a uniform subset of m of the users of one randomiser R, g = m/users, with a measure w below every R(z): delta(eps) is "
      "at most (g/m) E(L_1 + .. + L_m - K)_+ for a pair of inputs x, x1, L_j as in blanket, K = m (e^eps - 1)(1-g)/g, plus g times the mass of "
      "(R(x) - e^eps R(x1))_+ outside w.",
      "as blanket; a new uniform subset in each round, without replacement", "stated here; blanket and clones-sampled",
      "proofs/sampled-described.md; Coq for finite outputs" },
    { "local-profile-sampled", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledShuffle.sampled_local_profile",
      "As local-profile, for a uniform subset of m of the users, g = m/users: delta(eps) <= (g/m) E(W_1 + .. + W_m - K)_+, "
      "K = m (e^eps - 1)(1-g)/g.",
      "as local-profile; a new uniform subset in each round, without replacement", "stated here; local-profile and clones-sampled",
      "proofs/sampled-described.md; Coq for finite outputs" },
    { "alike-sampled", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "SampledShuffle.sampled_alike",
      "The shuffle of a uniform subset of m of the users of one randomiser, all of whom but the differing one hold one value, exactly: "
      "the sums of all-equal and third-value with the threshold of blanket-sampled.",
      "the same randomiser for every user", "definition of the sampled shuffle", "proofs/sampled-described.md; Coq for finite outputs" },
    { "mixed-sampled", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrSampled.sampled_event_below",
      "The shuffle of a uniform subset of the users of one randomiser, the others holding one of the two values in question, each report replaced by "
      "whether it lies in an event: the law of the ones among the bits of that subset, exactly (binary-reports-sampled).",
      "the same randomiser for every user", "definition of the sampled shuffle, data processing", "proofs/sampled-described.md; Coq for finite outputs, as a lower bound" },
    { "blanket-poisson", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "PoissonShuffle.poisson_blanket",
      "Each of n users of one randomiser R takes part with probability q, independently, and those are shuffled; their number is seen. With a measure "
      "w below every R(z) delta(eps) is at most (1/n) E(T_1 + .. + T_n)_+ for a pair of inputs x, x1, T_j independent: L_j as in blanket with "
      "probability q, else -(e^eps - 1), plus q times the mass of (R(x) - e^eps R(x1))_+ outside w.",
      "as blanket; 0 < q <= 1, participation drawn anew in each round, n known", "stated here: the mean of blanket-sampled over the number of reports",
      "proofs/sampled-described.md; Coq for finite outputs" },
    { "local-profile-poisson", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "PoissonShuffle.poisson_local_profile",
      "As local-profile, each of n users taking part with probability q: delta(eps) <= (1/n) E(T_1 + .. + T_n)_+, T_j independent: W_j with "
      "probability q, else -(e^eps - 1).",
      "as local-profile; 0 < q <= 1, participation drawn anew in each round, n known",
      "stated here: the mean of local-profile-sampled over the number of reports", "proofs/sampled-described.md; Coq for finite outputs" },
    { "alike-poisson", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "PoissonShuffle.poisson_alike",
      "The same participation, all users but the differing one holding one value, exactly: the sums of all-equal and third-value with their "
      "terms replaced by -(e^eps - 1) with probability 1 - q.",
      "the same randomiser for every user; 0 < q <= 1, n known", "definition of the shuffle of those who take part", "proofs/sampled-described.md; Coq for finite outputs" },
    { "profile-nodes", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Grid.upper_grid_kept, DescribedRounds.lines_below, DescribedRounds.nodes_below_pair",
      "From bounds of a mechanism's profile at some alpha: the lower convex envelope of those from above is nowhere below the profile, "
      "that of the lines through neighbouring ones is nowhere above it. Both are profiles of pairs of laws, so their products bound rounds.",
      "any mechanism, the largest divergence over its neighbouring data; from below one pair of data, the same in all rounds",
      "convexity of H_alpha in alpha; Zhu, Dong, Wang, AISTATS 2022 (arXiv 2106.08567), Theorem 10, for the rounds",
      "proofs/described-rounds.md; pld.md, Lemmas 1 to 3; Coq for finite outputs" },
    { "gaussian-all-equal", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/gaussian.md",
      "Shuffled Gaussian noise of standard deviation sigma on all-equal data, against the same data with one value moved by 1, exactly.",
      "n >= 1, sigma > 0", KHH ", Section 5, which estimates it by Monte Carlo integration in n dimensions",
      "proofs/gaussian.md: one dimension is enough" },
    { "local-epsilon", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Deployments.local_epsilon",
      "The largest log of a ratio R(x)(y)/R(x1)(y), exactly.",
      "a randomiser described by its probabilities", "definition of local differential privacy", "proofs/mechanism.md; Coq for a table of probabilities, not for the families and noise" },
    { "noise-interval", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/line.md",
      "Noise with an even density of concave logarithm, added to a number in [0, 1]: min_x R(x)(y) is the smaller of the densities for 0 and "
      "1, and of all pairs of inputs the ends have the largest bound by this blanket, the largest local profile and the largest eps0.",
      "Laplace or Gaussian noise, every user's number in [0, 1]",
      "derived here", "proofs/line.md, Lemmas 5 to 8" },
    { "reports-seen", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Seen.reports_seen",
      "H_alpha(shuffled reports) <= H_alpha(R(x)||R(x1)), in each round of an adaptive composition, whoever takes part: the bound of an observer who "
      "sees which report is whose.",
      "independent reports; users or samples of them, chosen independently of the data", "post-processing",
      "proofs/line.md, Lemma 12; Coq for finite outputs" },
    { "tuple-inputs", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "TupleInputs.product_blanket, TupleInputs.mixture_blanket, TupleInputs.tuple_product, TupleInputs.tuple_mixture",
      "A product or a mixture of randomisers: its blanket is that of the parts, and of all pairs of tuples those that differ in the entry of "
      "every part whose inputs can be exchanged have the largest bound by it.",
      "parts are matrices, of which all pairs of inputs are tried, and families that exchange any two inputs by renaming outputs; all "
      "entries of a tuple may change",
      "derived here", "proofs/mechanism.md, Lemmas 8 to 10; Coq for finite outputs, not that the families exchange inputs" },
    { "feldman21-3.1", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "eps = log(1 + (E-1)/(E+1) (8 sqrt(E log(4/delta))/sqrt(n) + 8 E/n)) at delta, for the mechanisms of clones.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(4/delta)))", FMT21 ", Theorem 3.1",
      "the paper, under the condition that its Lemma 3.2 uses (doc/errata)" },
    { "feldman21-3.1-as-printed", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "The same formula under the weaker condition that the theorem prints.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(2/delta)))", FMT21 ", Theorem 3.1",
      "proofs/feldman21.md (the paper's proof of Lemma 3.2 needs log(4/delta))" },
    { "feldman21-3.8", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "delta = delta1 + (e^eps+1)(1 + 1/(2E)) n delta0 at eps, for the mechanisms of clones with (eps0, delta0)-LDP "
      "randomisers, where delta1 is the delta of feldman21-3.1 at eps. The smallest such eps at a given delta.",
      "0 < eps0, 0 <= delta0; 0 < delta1 <= 1, eps0 <= log(n/(16 log(2/delta1))) at the eps, which a given delta may not leave", FMT21 ", Theorem 3.8",
      "the paper, with Lemma 3.2 as proved in proofs/feldman21.md" },
    { "feldman21-lemma-3.2", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "eps = log(1 + 8 sqrt(E log(4/delta)/n) + 8 E/n) at delta, for the trinomial pair with w0 = 1, w1 = 0, r0 = r1 = 1/(2E) "
      "(clone probability p = 1/E; any p is eps0 = log(1/p)), and so for the mechanisms of clones; weaker than Theorem 3.1 there.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(2/delta))); delta at eps needs eps0 > 0", FMT21 ", Lemma 3.2", "proofs/feldman21.md" },
    { "feldman21-4.1", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "Theorem 4.1 with the decomposition that every eps0-LDP randomiser has, q = (E-1)/(E+1), p = 1/(3E): "
      "eps = log(1 + q (8 sqrt(3 E log(4/delta)/n) + 24 E/n)) at delta, for the mechanisms of clones. Never below Theorem 3.1.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(2/delta))); other p and q: feldman21-4.2, and doc/errata on the condition",
      FMT21 ", Theorem 4.1", "proofs/feldman21.md: it follows from Theorem 3.1" },
    { "feldman21-4.2", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "eps = log(1 + (E-1)(8 sqrt((k+1) log(4/delta)/((E+k-1) k n)) + 8 (k+1)/(k n))) at delta, for shuffled k-RR "
      "(the input of k-RR may be a function of the value and of the reports before it).",
      "k >= 2, 0 < delta <= 1, 8 (k+1)(E+k-1) log(2/delta) <= k n", FMT21 ", Corollary 4.2",
      "proofs/feldman21.md, under a condition on the clone probability" },
    { "feldman21-4.2-as-printed", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "The same formula under the condition that the corollary prints.",
      "k >= 2, 0 < delta <= 1, eps0 <= log(n/(16 log(2/delta)))", FMT21 ", Corollary 4.2",
      "refuted: n = 10^4, k = 10^7, eps0 = 1.729, delta = 1.7e-48 give eps = 0.004934, where krr-third has delta > 3e-45 (doc/errata)" },
    { "balle19-hoeffding", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/balle19.md",
      "delta = E b^2/(4 a n) (1 - (1 - exp(-2 a^2/b^2))/E)^n, a = e^eps - 1, b = (e^eps+1)(E - 1/E), at eps, at most 1: the "
      "privacy blanket with Hoeffding's inequality, for one eps0-LDP randomiser used by all. An eps < (1-2^-20) eps0 where it equals delta.",
      "n >= 1, 0 < eps < eps0 <= 1000; delta < 1, and more than the bound at (1-2^-20) eps0", BBGN ", and the authors' code shuffleddp", "proofs/balle19.md" },
    { "balle19-bennett", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/balle19.md",
      "delta = E b/(n log(1+u)) ((1 - (1-exp(-h))/E)^n - (1-1/E)^n), u = a b/c, h = c/b^2 ((1+u) log(1+u) - u), a = e^eps - 1, "
      "b = E - e^eps/E, c = E (e^(2 eps)+1) - 2 e^eps/E^3, at eps, at most 1: the privacy blanket with Bennett's inequality, for "
      "one eps0-LDP randomiser used by all. An eps < (1-2^-20) eps0 where it equals delta.",
      "n >= 1, 0 < eps < eps0 <= 1000; delta < 1, and more than the bound at (1-2^-20) eps0", BBGN ", and the authors' code shuffleddp", "proofs/balle19.md" },
    { "balle19-hoeffding-krr", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/balle19.md",
      "delta = b^2/(4 a g n) (1 - g (1 - exp(-2 a^2/b^2)))^n, g = k/(E+k-1), a = e^eps - 1, b = (1-g) k (e^eps+1), at eps, at most "
      "1, for shuffled k-RR. An eps < (1-2^-20) eps0 where it equals delta.",
      "n >= 1, k >= 2, 0 < eps < eps0 <= 1000; delta < 1, and more than the bound at (1-2^-20) eps0", BBGN ", and the authors' code shuffleddp", "proofs/balle19.md" },
    { "balle19-bennett-krr", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/balle19.md",
      "delta = b/(g n log(1+u)) ((1 - g (1-exp(-h)))^n - (1-g)^n), g = k/(E+k-1), u = a b/c, h = c/b^2 ((1+u) log(1+u) - u), "
      "a = e^eps - 1, b = (1-g) k - g a, c = g (2-g) a^2 + (1-g)^2 k (e^(2 eps)+1), at eps, at most 1, for shuffled k-RR. An "
      "eps < (1-2^-20) eps0 where it equals delta.",
      "n >= 1, k >= 2, 0 < eps < eps0 <= 1000; delta < 1, and more than the bound at (1-2^-20) eps0", BBGN ", and the authors' code shuffleddp", "proofs/balle19.md" },
    { "cheu19-4.7", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/cheu19.md",
      "eps = sqrt(32 log(4/delta)/s) (1 - s/n) at delta, s = l - sqrt(2 l log(2/delta)), l = 2n/(E+1), for shuffled binary "
      "randomised response, in which l of n users are expected to answer by a fair coin.",
      "k = 2, eps0 >= 0, 0 < delta < 1, l >= 14 log(4/delta)",
      "Cheu, Smith, Ullman, Zeber, Zhilyaev, Distributed Differential Privacy via Shuffling, EUROCRYPT 2019 (arXiv 1808.01394), "
      "Corollary 4.7",
      "proofs/cheu19.md: the paper's road; its proof of Claim 4.4 is one count off (doc/errata)" },
    { "erlingsson19", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/feldman21.md",
      "eps = 12 eps0 sqrt(log(1/delta)/n) at delta, for the mechanisms of clones.",
      "n >= 1000, 0 < eps0 <= 1/2, 0 < delta <= 1/100",
      "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta, Amplification by Shuffling, SODA 2019 (arXiv 1811.12469), "
      "with the constants and ranges of the shuffleddp code of Balle et al.",
      "proofs/feldman21.md: it follows from feldman21-3.1-as-printed" },
    { "girgis21-3.1", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = log(1 + C(lambda,2)(E-1)^2/(nb E) + sum_{i=3}^lambda C(lambda,i) i Gamma(i/2) ((E^2-1)^2/(2 E^2 nb))^(i/2) "
      "+ e^(lambda eps0 - (n-1)/(8E)))/(lambda-1), nb = floor((n-1)/(2E)) + 1, for integer lambda >= 2, for the mechanisms of "
      "clones. Between integers (lambda-1) eps(lambda) is interpolated linearly, below 2 the value at 2 is taken; 0 at eps0 = 0.",
      "eps0 >= 0, real lambda > 1; refused when the sum has too many terms (lambda above 1e6 and lambda^2 z^2 too, z^2 the "
      "bracket)",
      GDDSK ", Theorem 3.1 and Remark 2", "proofs/girgis21.md (the paper, for one randomiser of discrete range)" },
    { "girgis21-3.1-sharp", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "As girgis21-3.1 with the last term (e^(lambda eps0)-1)(1-e^(-(lambda-1) eps0))/(1+E) e^(-(n-1)/(8E)). Never worse.",
      "as girgis21-3.1", GDDSK ", Theorem 3.1, sharpened here", "proofs/girgis21.md" },
    { "girgis21-3.1-gamma", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "As girgis21-3.1-sharp with nb = floor((1-gamma)(n-1)/E) + 1 and e^(-(n-1) gamma^2/(2E)) in the last term; without a "
      "gamma, one that is good for lambda is chosen.",
      "as girgis21-3.1; 0 < gamma < 1", GDDSK ", Remark 3, with the sharper last term", "proofs/girgis21.md" },
    { "girgis21-3.2", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = log(1 + 4 C(lambda,2)(E-1)^2/n)/(lambda-1), for the mechanisms of clones.",
      "eps0 >= 0, integer lambda >= 2, 9 lambda^4 E^5 < n", GDDSK ", Corollary 3.2",
      "proofs/girgis21.md: it is above girgis21-3.1-sharp; the printed proof fails for small eps0 (doc/errata)" },
    { "girgis21-3.3", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = log(e^(lambda^2 (E-1)^2/nb) + e^(lambda eps0 - (n-1)/(8E)))/(lambda-1), nb = floor((n-1)/(2E)) + 1, for "
      "the mechanisms of clones; 0 at eps0 = 0.",
      "eps0 >= 0, real lambda > 1", GDDSK ", Theorem 3.3", "proofs/girgis21.md" },
    { "girgis21-3.3-sharp", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "As girgis21-3.3 with the second exponential replaced by the last term of girgis21-3.1-sharp. Never worse.",
      "eps0 >= 0, real lambda > 1", GDDSK ", Theorem 3.3, sharpened here", "proofs/girgis21.md" },
    { "girgis21-3.4", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "arXiv 2105.05180",
      "The Renyi divergence of the pair rr2 in the direction D(Q||P), exactly. The other direction is larger for large lambda: "
      "rr2 gives both.",
      "eps0 >= 0, integer lambda >= 2; n at most 200000 or lambda at most 5000", GDDSK ", Theorem 3.4", "the paper" },
    { "girgis21-3.5", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) >= log(1 + C(lambda,2)(E-1)^2/(n E))/(lambda-1), the first term of girgis21-3.4.",
      "eps0 >= 0, integer lambda >= 2", GDDSK ", Corollary 3.5",
      "proofs/girgis21.md: the odd central moments are not negative, though not by Jensen's inequality (doc/errata)" },
    { "girgis21-3.6", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = log(E F_(m+1))/(lambda-1), m ~ Bin(n-1, 1/E), F_k = E((j E + (k-j)/E)/k)^lambda, j ~ Bin(k, 1/(E+1)), for the "
      "mechanisms of clones: the right side of (13) at the worst of them, which is binary randomised response. Never worse than "
      "girgis21-3.1-sharp, -gamma and 3.3-sharp.",
      "0 <= eps0 <= 1000, real lambda > 1", GDDSK ", Theorem 3.6, eq. (13)", "proofs/girgis21.md" },
    { "girgis21-3.7", SHUF_PROVED, SHUF_SIDE_NONE, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = log(1 + C(lambda,2)(E-1)^2/(n E) + sum_{i=3}^lambda C(lambda,i) i Gamma(i/2) ((E^2-1)^2/(2 E^2 n))^(i/2))/(lambda-1), "
      "at least D(M(X')||M(X)) where X has n equal values and X' one other: for these data in this direction alone, so no bound of "
      "privacy (k-ary randomised response has more where the others hold a third value).",
      "eps0 >= 0, integer lambda >= 2; refused when the sum has too many terms", GDDSK ", Theorem 3.7, eq. (14)", "proofs/girgis21.md, Lemma 3" },
    { "girgis21-7.1", SHUF_PROVED, SHUF_SIDE_NONE, SHUF_CHECKED_PAPER, "proofs/girgis21.md",
      "eps(lambda) = lambda^2 (E-1)^2/(n (lambda-1)), for the data and the direction of girgis21-3.7 alone, so no bound of privacy.",
      "eps0 >= 0, real lambda > 1", GDDSK ", Theorem 7.1, eq. (42), which asks for lambda >= 2", "proofs/girgis21.md, Lemma 4" },
    { "erlingsson19-renyi", SHUF_UNPROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "eps(lambda) = 2 lambda e^(4 eps0)(E-1)^2/n.",
      "eps0 >= 0, real lambda > 1",
      "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta, Amplification by Shuffling, SODA 2019 (arXiv 1811.12469), "
      "Remark 1, as quoted in " GDDSK ", eq. (9)",
      "a remark without proof as quoted; no counterexample known (doc/errata)" },
    { "chen24-thm1", SHUF_REFUTED, SHUF_SIDE_EXACT, SHUF_CHECKED_NONE, NULL,
      "The Renyi divergence of (A, C-A+Delta) and (A+Delta, C-A), Delta ~ Bern(1/E), C ~ Bin(n-1, 1/E), from a trade-off curve. "
      "Not evaluated: use the pair clones.",
      "none", CCG ", Theorem 1",
      "refuted: n = 10, E = 2, the pair trinomial with w0 = 0, w1 = 1/2, r0 = r1 = 1/4 has delta 0.01996 at eps = log 2, and an "
      "infinite divergence at every order, where the mechanism is eps0-DP (doc/errata)" },
    { "chen24-thm2", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "Gaussian differential privacy with mu = 2 e^(eps0/2)/sqrt(n-1): delta = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2).",
      "n >= 2, eps0 >= 0, eps >= 0", CCG ", Theorem 2 (said to hold approximately)",
      "refuted: n = 1000, eps0 = 4, eps = 3.2 gives 1.2194e-12, rr2 (binary randomised response) has 7.2190e-9; mu = 0.46756, and "
      "rr2 needs 0.66046 over all eps (doc/errata)" },
    { "chen24-cor2", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "eps(lambda) = 2 E lambda/(n-1).", "n >= 2, eps0 >= 0, real lambda >= 2", CCG ", Corollary 2 (said to hold approximately)",
      "refuted: n = 1001, eps0 = 4, lambda = 18 gives 1.9655, rr2 (binary randomised response) has 2.9313" },
    { "chen24-thm3", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "One epoch of shuffled noisy SGD over n blocks of data, Laplace noise: eps(lambda) = 2 E lambda/(n-1); T epochs give T times "
      "as much.",
      "n >= 2, eps0 >= 0, real lambda >= 2", CCG ", Theorem 3 (said to hold approximately)",
      "refuted: its noise is eps0-LDP for one record of a block, not for the block; 100 blocks of 600 records, eps0 = 1, lambda = 2, "
      "one epoch give 0.1099, there is a loss with more than 0.51 (proofs/sgd.md)" },
    { "shuffled-sgd", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "ShuffleRounds.stronger_power, ShuffleRounds.clones_power",
      "T epochs of SGD over m fixed blocks of data, each epoch in a new uniformly random order and with steps that are pure "
      "eps0-LDP in the block, adaptively: dominated by T rounds of the pair clones-stronger, or clones, with n = m. All iterates "
      "may be released.",
      "m >= 1, T >= 1; neighbours replace one block, all of its records or some; eps0 >= 2 C/B for Laplace noise of scale B on each "
      "coordinate of block updates of L1 norm at most C, 2 C sqrt(D)/B for L2 norm and dimension D",
      "the algorithms: " FMT21 ", Algorithm 2; " CCG ", Algorithm 1", 
      "proofs/sgd.md; Coq for finite outputs of a step and a given eps0, without what the noise has" },
    { "batches-fixed", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD over a known partition of the records into batches, adaptive: delta(eps) in the worst case is that of the Gaussian "
      "mechanism with mu = sqrt(E)/s, s the noise multiplier. All iterates may be released. The gradients that have it: 1 for the record "
      "that is removed, 0 for the others.",
      "sums of gradients clipped to norm 1, plus N(0, s^2) on each coordinate; neighbours: one record's gradient is 0; neither batch sizes nor "
      "means over them are released", "folklore", "proofs/dpsgd.md, Theorem 1" },
    { "batches-poisson", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD, adaptive, in each of which every record takes part with probability q, independently: in the worst case the product "
      "of T pairs (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2), s the noise multiplier. As batches-fixed otherwise.",
      "as batches-fixed; 0 < q <= 1", "the pair: Mironov, Talwar, Zhang, Renyi Differential Privacy of the Sampled Gaussian Mechanism (arXiv 1908.10530)",
      "proofs/dpsgd.md, Theorem 1 and Lemma 2; Renyi divergences Theorem 15" },
    { "batches-balls-and-bins", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD of t steps each, adaptive, every record taking part in one step of an epoch, at random, independently: in the worst case "
      "the product of E pairs (1/t) sum_i N(e_i, s^2 I_t) against N(0, s^2 I_t), s the noise multiplier. As batches-fixed otherwise.",
      "as batches-fixed", "the sampler: Chua, Ghazi, Harrison, Kamath, Kumar, Leeman, Manurangsi, Sinha, Zhang, Balls-and-Bins Sampling for DP-SGD "
      "(arXiv 2412.16802); " FS25,
      "proofs/dpsgd.md, Theorem 1; proofs/gaussian.md for one epoch" },
    { "batches-shuffle-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD over batches of equal size by a random permutation of the records, one for all epochs or a new one for each, "
      "adaptive: at most fixed batches, the Gaussian mechanism with mu = sqrt(E)/s.",
      "as batches-fixed", "stated here", "proofs/dpsgd.md, Theorem 2" },
    { "batches-shuffle-clones", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD over t batches of equal size by a new random permutation of the records for each epoch, adaptive: in each, one record of "
      "every batch is a null clone with probability p, of which K = 1 + Bin(t-1, p) hide the record: at most the mean over K of balls and bins with K "
      "steps, and (1 + e^eps) (t-1) gamma, gamma = p Phi(1/(2s) - s h) - Phi(-s h - 1/(2s)), h = log(1/p), for every p, another one for each eps.",
      "as batches-fixed; batches of equal size, drawn anew for each epoch; 0 < p < 1", "Mausberg, Certified Accounting for Adaptive Shuffled Gaussian "
      "Training (2026); proved anew", "proofs/dpsgd.md, Theorem 6" },
    { "batches-shuffle-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-shuffle-above, a new permutation for each of E epochs of t steps, the gradient 1 for the record that is removed and -1 for the "
      "others: at least what the largest step M of each epoch tells, Pr[M < C] = Phi((C-2)/s) Phi(C/s)^(t-1) with the record, "
      "Phi((C-1)/s) Phi(C/s)^(t-1) without, in units plus the size of a batch; for E = 1 and any C the event M >= C.",
      "as batches-fixed; batches of equal size, drawn anew for each epoch", "the pair and the event: Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, "
      "Zhang, How Private are DP-SGD Implementations?, ICML 2024 (arXiv 2403.17673), and Scalable DP-SGD (arXiv 2411.04205)",
      "proofs/dpsgd.md, Theorem 3" },
    { "batches-shuffle-sum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-shuffle-below: at least what the sum of a whole number for each step of an epoch tells, modulo another one, which numbers being a "
      "function of the step alone; of independent steps, one of them shifted by 2 with the record, by 1 without.",
      "as batches-shuffle-below", "stated here", "proofs/dpsgd.md, Theorem 18" },
    { "batches-allocation-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD of t steps each, adaptive, every record taking part in k steps of an epoch, all sets of k equally likely, "
      "independently: at most k E epochs of balls and bins, as batches-balls-and-bins, of whose numbers of steps k add up to t, t mod k of them with t/k steps "
      "rounded up and the others rounded down; or all rounded down.",
      "as batches-fixed; 1 <= k <= t", "the sampler and this reduction: " FS25,
      "proofs/dpsgd.md, Theorem 4" },
    { "batches-allocation-known", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-allocation-above: at most the Gaussian mechanism with mu = sqrt(k E)/s, of one who is told the steps.",
      "as batches-fixed; 1 <= k <= t", "stated here", "proofs/dpsgd.md, Theorem 4" },
    { "batches-allocation-sum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-allocation-above, the gradient 1 for the record that is removed and 0 for the others: at least what the sum of all steps tells, the "
      "Gaussian mechanism with mu = k sqrt(E/t)/s.",
      "as batches-fixed; 1 <= k <= t", "stated here", "proofs/dpsgd.md, Theorem 5" },
    { "batches-allocation-maximum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-allocation-sum: at least what the largest step M of each epoch tells, Pr[M < C] = Phi((C-1)/s)^k Phi(C/s)^(t-k) with the record, "
      "Phi(C/s)^t without; for E = 1 and any C the event M >= C.",
      "as batches-fixed; 1 <= k <= t", "stated here", "proofs/dpsgd.md, Theorem 5" },
    { "batches-allocation-ratio", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-allocation-sum: at least what the event Y > a tells, Y the sum of log(1 - c + c e^((2y - 1)/(2 s^2))) over the steps y of all epochs, "
      "0 < c < 1, plus an independent normal number.",
      "as batches-fixed; 1 <= k < t", "stated here", "proofs/dpsgd.md, Theorem 14" },
    { "batches-all-known", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD with Poisson batches, or of a fixed size without replacement: at most the Gaussian mechanism with mu = sqrt(T)/s, twice that if "
      "neighbours replace a record, of one in every batch.",
      "as batches-poisson, batches-replaced-poisson or batches-subset-above", "folklore", "proofs/dpsgd.md, Theorem 10" },
    { "batches-replaced-fixed", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-fixed, neighbours replace a record: delta(eps) in the worst case is that of the Gaussian mechanism with mu = 2 sqrt(E)/s. The gradients that "
      "have it: 1 and -1 for the record that is replaced.",
      "as batches-fixed; neighbours: one record's gradient is another, of norm at most 1", "folklore", "proofs/dpsgd.md, Theorem 7" },
    { "batches-replaced-poisson", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-poisson, neighbours replace a record: in the worst case the product of T pairs (1-q) N(0, s^2) + q N(1, s^2) against "
      "(1-q) N(0, s^2) + q N(-1, s^2). The gradients that have it: 1 and -1 for the record that is replaced, 0 for the others.",
      "as batches-replaced-fixed; 0 < q <= 1", "stated here", "proofs/dpsgd.md, Theorem 8" },
    { "batches-replaced-known", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD with shuffled or balls-and-bins batches, or random allocation of k of t steps; neighbours replace a record: at most the Gaussian "
      "mechanism with mu = 2 sqrt(k E)/s, of one who is told the steps; k = 1 but for allocation.",
      "as batches-replaced-fixed", "folklore", "proofs/dpsgd.md, Theorems 11 and 12" },
    { "batches-replaced-twice", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD of t steps each, adaptive, every record taking part in k steps of an epoch, all sets of k equally likely, independently; neighbours "
      "replace a record: the pair of an epoch is that of the gradients 1 and -1, and for k = 1 its divergence at a b is at most B(a) + a B'(b), B and B' those of "
      "balls and bins with the record removed, in either order; k E epochs with t/k steps each, rounded down, are enough.",
      "as batches-replaced-fixed; 1 <= k <= t", "stated here", "proofs/dpsgd.md, Theorems 8 and 11" },
    { "batches-replaced-sum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-replaced-twice, the gradients 1 and -1 for the record that is replaced and 0 for the others: at least what the sum of all steps tells, the Gaussian "
      "mechanism with mu = 2 k sqrt(E/t)/s.",
      "as batches-replaced-twice", "stated here", "proofs/dpsgd.md, Theorem 11" },
    { "batches-replaced-maximum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-replaced-sum: at least what the largest step M of each epoch tells, Pr[M < C] = Phi((C-1)/s)^k Phi(C/s)^(t-k), or Phi((C+1)/s)^k Phi(C/s)^(t-k); "
      "for E = 1 and any C the event M >= C.",
      "as batches-replaced-twice", "stated here", "proofs/dpsgd.md, Theorem 11" },
    { "batches-replaced-numbers", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-replaced-sum: at least what the sum of a whole number for each step of an epoch tells, modulo another one, which numbers being a "
      "function of the step alone; of independent steps, k of them shifted by 1 or by -1.",
      "as batches-replaced-twice; k < t", "stated here", "proofs/dpsgd.md, Theorem 18" },
    { "batches-replaced-removed", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-replaced-sum, balls-and-bins batches: at least batches-balls-and-bins, where the record's other gradient is 0.",
      "as batches-replaced-twice; k = 1", "stated here", "proofs/dpsgd.md, Theorems 8 and 11" },
    { "batches-replaced-clones", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD over t batches of equal size by a new random permutation of the records for each epoch, adaptive; neighbours replace a record: at most "
      "batches-shuffle-clones with s/2 in place of s.",
      "as batches-replaced-fixed; batches of equal size, drawn anew for each epoch", "as batches-shuffle-clones", "proofs/dpsgd.md, Theorem 12" },
    { "batches-replaced-shuffle", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-replaced-clones, the gradients 1 and -1 for the record that is replaced and -1 for the others: E epochs of batches-balls-and-bins with s/2 in place of s.",
      "as batches-replaced-clones", "stated here", "proofs/dpsgd.md, Theorem 12" },
    { "batches-subset-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD, adaptive, each over m of n records, drawn without replacement, independently of the other steps; neighbours replace a record: at most the "
      "product of T pairs with the profile q g(1 + (alpha-1)/q), alpha >= 1, in both directions, q = m/n, g that of the Gaussian mechanism with mu = 2/s. "
      "One step has this profile.",
      "as batches-replaced-fixed; m >= 1", "one step: Balle, Barthe, Gaboardi, NeurIPS 2018", "proofs/dpsgd.md, Theorem 9" },
    { "batches-subset-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-subset-above, the gradients 1 and -1 for the record that is replaced, -1 for the others: the product of T pairs (1-q) N(0, s^2) + q N(2, s^2) "
      "against N(0, s^2).",
      "as batches-subset-above", "stated here", "proofs/dpsgd.md, Theorem 9" },
    { "batches-user-fixed", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD with fixed batches, adaptive; neighbours remove all g records of a user, each of clipped gradients of norm at most 1: at most the Gaussian mechanism with mu = g sqrt(E)/s, "
      "or 2 g sqrt(E)/s if they are replaced. The gradients that have it: 1 for these records in every step, which are in one batch of each epoch, 0 (or -1) on the other side, and 0 for all others. The same of any "
      "sampler if every record is in every batch, E the number of all steps.",
      "the user's records fit into one batch; batches do not depend on the data and their sizes are not released", "folklore", "proofs/dpsgd.md, Theorem 13" },
    { "batches-user-poisson", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD, adaptive, each record in each step with probability q, independently; neighbours remove or replace all g records of a user: in the worst case the product of T pairs, of the mixture over "
      "k ~ Bin(g, q) of N(k, s^2) against N(0, s^2), or against that of N(-k, s^2). The gradients that have it: 1 for these records (and -1), 0 for the others.",
      "as batches-poisson", "stated here", "proofs/dpsgd.md, Theorem 13" },
    { "batches-user-known", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "E epochs of noisy SGD with shuffled or balls-and-bins batches, or random allocation of k of t steps; neighbours remove or replace all g records of a user: at most the Gaussian mechanism with "
      "mu = g sqrt(k E)/s, twice that if replaced; k = 1 but for allocation. T steps of Poisson batches, or of batches drawn without replacement, have that of k E = T.",
      "as batches-user-fixed", "folklore", "proofs/dpsgd.md, Theorem 13" },
    { "batches-user-sum", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-user-known, the gradients 1 for the user's records, 0 (or -1) on the other side, and 0 for all others: at least what the sum of all steps tells, the Gaussian mechanism with "
      "mu = g k sqrt(E/t)/s, twice that if replaced.",
      "as batches-user-known", "stated here", "proofs/dpsgd.md, Theorem 13" },
    { "batches-user-subset-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD, adaptive, each with m of n records drawn without replacement; neighbours replace all g records of a user: at most T pairs with the profile (1 - b) H_alpha(sum of h_k N(2k, s^2)||N(0, s^2)) + b sum over k >= 1 "
      "of h_k H_beta(N(2k, s^2)||N(0, s^2)), alpha >= 1, h_k the probability of k of the g among the m, beta = 1 + (alpha - 1)/(1 - h_0), b = alpha/beta.",
      "as batches-subset-above; m + g <= n", "stated here", "proofs/dpsgd.md, Theorem 13" },
    { "batches-user-subset-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-user-subset-above, the gradients 1 for the user's records on one side and -1 for all others: the product of T pairs, of the mixture over k of N(2k, s^2) against N(0, s^2).",
      "as batches-user-subset-above", "stated here", "proofs/dpsgd.md, Theorem 13" },
    { "batches-truncated-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "T steps of noisy SGD, adaptive, each record of n in each step with probability q, independently; of a batch of more than B records a uniform set of B is kept. At most the product of T pairs with the profile "
      "(1 - tau) H(q, s) + tau H(p, s/2), H that of a Poisson step, tau = Pr[Bin(n-1, q) >= B], tau p = (B/n) Pr[Bin(n, q) >= B+1]; neighbours that replace a record have that of batches-replaced-poisson for the first H, and "
      "that of batches-subset-above for the second.",
      "as batches-poisson, 0 < q < 1; n is the number of records of the larger data set, and batch sizes are not released", "Ganesh, McKenna, McMahan, Smith, Wu, arXiv 2508.15089; for the second pair stated here",
      "proofs/dpsgd.md, Theorem 17" },
    { "batches-truncated-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/dpsgd.md",
      "As batches-truncated-above, the gradients 1 for the record that is removed or replaced (and -1), 0 for the others: Poisson steps with rate q (1 - tau) + tau p.",
      "as batches-truncated-above", "stated here", "proofs/dpsgd.md, Theorem 17" },
    { "batches-matrix-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/matrix.md",
      "R runs of noisy SGD with known batches, adaptive, whose noise is C^-1 z, z independent N(0, s^2), C lower triangular: at most the Gaussian mechanism with mu = sqrt(R V)/s, or 2 sqrt(R V)/s if neighbours replace a record, V "
      "the square of the sensitivity of C over all allowed sets of steps of a record. V is that of the first steps if C is Toeplitz and its coefficients are not negative and, with a least separation, do not rise, or if it has no more bands than steps are apart; "
      "else it is bounded by moduli, and of rows with a separation by the largest sum of row sums. Or C has a row for each interval of a binary tree over the steps; V is then the largest sum of squares of the numbers of steps in intervals, or is bounded level by level.",
      "as batches-fixed; C has no 0 on its diagonal, or is that of a tree; a record takes part in steps of an allowed set, whatever was released", "adaptive runs: Denisov, McMahan, Rush, Smith, Thakurta (arXiv 2202.08312); sensitivities: Choquette-Choo et al. (arXiv 2211.06530 "
      "and arXiv 2306.08153), Kalinin, Lampert (arXiv 2405.13763)", "proofs/matrix.md, Theorems 1 to 3, 5" },
    { "batches-matrix-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/matrix.md",
      "As batches-matrix-above, the gradients 1 or -1 in the steps of one allowed set for the record that is removed (or replaced, and their negatives), 0 for the others: the Gaussian mechanism with the sensitivity that they have.",
      "as batches-matrix-above", "stated here", "proofs/matrix.md, Theorems 1 to 3, 5" },
    { "batches-matrix-poisson-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/matrix.md",
      "As batches-matrix-above, C with at most b bands; the records are in b parts, and step t takes each record of part t mod b with probability q, independently: at most T/b, rounded up, steps of batches-poisson, or batches-replaced-poisson, with noise multiplier "
      "s/n, n the largest norm of a column of C.",
      "as batches-matrix-above and batches-poisson; the parts do not depend on the data", "Choquette-Choo et al. (arXiv 2306.08153)", "proofs/matrix.md, Theorem 4" },
    { "batches-matrix-poisson-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/matrix.md",
      "As batches-matrix-poisson-above, the gradients 1 and 0, or 1 and -1, in every step for the record that differs, 0 for the others: at least the steps of one part that have all their rows, with the least norm of a column of these.",
      "as batches-matrix-poisson-above", "stated here", "proofs/matrix.md, Theorem 4" },
    { "batches-matrix-poisson-known", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/matrix.md",
      "As batches-matrix-poisson-above: at most the Gaussian mechanism with mu = n sqrt(J)/s, J the number of steps of a part, twice that if neighbours replace a record.",
      "as batches-matrix-poisson-above", "folklore", "proofs/matrix.md, Theorem 4; proofs/dpsgd.md, Theorem 10" },
    { "batches-shuffle-as-poisson", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "Shuffled batches, accounted for as if every record took part in each step with probability 1/t, independently: batches-poisson with q = 1/t.",
      "t > 1", "practice; doubted by Chua et al. (arXiv 2403.17673)",
      "refuted: s = 1/2, t = 1000, one epoch, delta = 1e-6 has eps >= 10.996 (batches-shuffle-below), the pair of Poisson batches gives at most 4.24" },
    { "groups-apart", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Groups.groups_apart",
      "Groups of users in one shuffle, each with a randomiser of its own: whatever bounds the shuffle of each group alone, all groups that follow k-RR being one, the largest of it "
      "bounds all. Over all randomisers of the groups that are eps_g-LDP classes, and over which outputs groups other than those of k-RR have in common, the worst case is the largest of these worst cases.",
      "a group's users all run its randomiser; independent reports, one shuffle; the differing user may be of any group; of outputs other than those of k-RR nothing is known", "stated here", "proofs/groups.md, Theorem 1; Coq for finite outputs, from above" },
    { "groups-clones", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/groups.md",
      "Groups of users in one shuffle, each with k-RR of its own eps0 and k, on the values 0 to k - 1; a user with k values differs. Dominated by the pair trinomial of N + 1 users with w0 = E/(E+1), w1 = 1/(E+1), "
      "r0 = r1 = r (E+k-1)/(E+1), E = e^eps0 of the largest eps0 of those with k values, r the geometric mean of 1/(e^eps0 + k' - 1) over any N of the other users who have k' >= k values.",
      "independent reports, one shuffle; the differing user may be of any group", "stated here; clones: Feldman, McMillan, Talwar (arXiv 2208.04591)",
      "proofs/groups.md, Theorem 3" },
    { "groups-weak", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/groups.md",
      "As groups-clones: dominated by the pair krr-weak of N + 1 users with k values and gamma = k r, but for the differing user, who has e^eps0 = E.",
      "as groups-clones", "stated here; krr-weak: " KHH ", Definition 14; " BBGN, "proofs/groups.md, Theorem 3b" },
    { "groups-shared", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "GroupsShared.groups_shared",
      "Groups of users in one shuffle, each with binary randomised response of its own eps0: delta(eps) is at most E h(M), M the number of users, but for one "
      "of those with the smallest eps0, who report as with some E_t, a user with E > E_t doing so with probability (E_t+1)/(E+1); h(m) is that of the worst data of m "
      "such users and one with the largest eps0, who differs.",
      "as groups-clones, k = 2", "stated here", "proofs/groups.md, Theorem 3a; Coq" },
    { "groups-bits", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "Groups.groups_bits",
      "The same groups, all other users holding 0, one user the last value of the group or the value before: how many reports are that last value is a sum of independent bits "
      "(a Poisson binomial law), with and without the differing user's bit. If all have two values, the divergence of these data exactly.",
      "as groups-clones", "stated here", "proofs/groups.md, Theorem 4; Coq as a lower bound" },
    { "groups-third", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "Groups.groups_third, Groups.two_counts_alike",
      "The same data, the user who differs having k >= 3 values and no other user k - 1: how many reports are either value of this user. The others among them are a sum of independent "
      "bits, and each is either value alike.",
      "as groups-clones", "stated here", "proofs/groups.md, Theorem 4a; Coq as a lower bound" },
    { "binomial-noise", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Coins.binomial_noise, Coins.binomial_noise_attained, Coins.binomial_noise_rounds",
      "N fair coins added to a count, whole numbers, of which neighbouring data change the count by at most 1: delta(eps) in the worst case is that of "
      "the pair trinomial of N + 1 reports with w0 = 1, w1 = 0, r0 = r1 = 1/2, the number of heads with and without one more. Several counters, "
      "each with coins of its own, adaptively: the product of the pairs.",
      "N >= 1; a record changes each counter by at most 1, and the noise is not cut off or reduced modulo a number", "the mechanism: Dwork, Kenthapadi, "
      "McSherry, Mironov, Naor, EUROCRYPT 2006; draft-case-ppm-binomial-dp-01; the statement: folklore", "proofs/binomial-noise.md; Coq, several counters from above" },
    { "additive-noise", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Noise.additive_noise, Noise.additive_noise_attained, Noise.additive_noise_rounds",
      "Symmetric noise Z with a log-concave law (Laplace, Gaussian, their discrete forms, Skellam, fair coins) added to what one record changes by at most s: "
      "the divergence in the worst case is that of Z against Z + s, in both directions. Several releases, each with noise of its own, adaptively: the "
      "product of the pairs.",
      "s > 0; of one number, or of vectors if s is the L2 norm with Gaussian, the L1 norm with Laplace and discrete Laplace noise; whole numbers with noise on whole numbers",
      "stated here; for one number folklore", "proofs/additive-noise.md, Theorems 2 and 3; Coq for one number and noise with finitely many whole values, from above for several releases" },
    { "additive-noise-poisson", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Noise.additive_noise_poisson",
      "As additive-noise or staircase-noise, each release of a sample that has each record with probability q, independently; neighbours add or remove one record: "
      "q (Z + s) + (1-q) Z against Z, and Z against that.",
      "as additive-noise or staircase-noise; 0 < q <= 1", "stated here; Zhu, Dong, Wang, Optimal Accounting of Differential Privacy via Characteristic Function, AISTATS 2022, has "
      "the pair", "proofs/additive-noise.md, Theorems 4 and 7; Coq for one number, one release and log-concave noise with finitely many whole values, from above" },
    { "integer-vectors", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/additive-noise.md",
      "Discrete Gaussian or Skellam noise added to each entry of a vector of whole numbers, which one record changes by at most s in the L2 norm: the divergences are at most those of "
      "Gaussian noise of variance 1/B^2, for a B such that a change of one entry by 1 is B-Gaussian DP. With p(0) = e^-m I_0(m) the smallest B of Skellam noise of variance m is "
      "2 Phi^-1((1 + p(0))/2); with discrete Gaussian noise of parameter v it is enough that B^2 - B^4/12 >= 1/v, and with the sum of h shares of parameter v, or more, that "
      "B^2 - B^4/12 >= 1/(h v) - 2 log(1 - V/(2-2W)) - log(1 - W V/(1-W)^2), W = T(0) - 1, V = 2 T(0) - 2 T(1), T(j) = sqrt(h v/(2 pi)) e^(j^2/(2 h v)) times the integral over [-pi, pi] of "
      "cos(j t) times the h-th power of the sum over all whole m of e^(-v (t - 2 pi m)^2/2); W < 1, V < 2-2W, W V < (1-W)^2. Renyi divergences with discrete Gaussian noise of one share, without a sample, are at most those of "
      "variance v.",
      "s^2 is a whole number; the noise is not cut off or reduced modulo a number", "stated here; the Renyi divergences: Canonne, Kamath, Steinke, arXiv 2004.00010, Theorem 4", "proofs/additive-noise.md, Theorems 11, 13 and 14" },
    { "noise-allocation", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Allocation.noise_allocation, Allocation.noise_allocation_attained",
      "As additive-noise or staircase-noise, each record in one of the t releases of an epoch, drawn independently; neighbours add or remove one record: with P = Z + s and Q = Z "
      "the mean of the t laws that are P in one place and Q in the others, against Q in all, in both directions. The likelihood ratio is the mean of t independent ratios P/Q under Q. "
      "Several epochs: the product of the pairs.",
      "as additive-noise or staircase-noise; what is released may depend on earlier outcomes", "stated here; the pair: " FS25, "proofs/additive-noise.md, Theorem 8; Coq for one number, one epoch and log-concave noise with finitely many whole values" },
    { "noise-allocation-above", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Allocation.noise_allocation, AllocationAbove.allocation_above",
      "The same, each record in k of the t releases of an epoch: at most k epochs of noise-allocation of t/k releases, or of numbers that add up to t.",
      "as noise-allocation; 1 <= k <= t", "the reduction: " FS25, "proofs/additive-noise.md, Theorem 10; Coq for one number, one epoch and log-concave noise with finitely many whole values" },
    { "noise-allocation-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "Allocation.allocation_below_epochs",
      "The same, each record in k of the t releases of an epoch, data that change each by s: at least what the sum over the releases tells of numbers of their outcomes, each rounded, "
      "modulo some N. With the record k of the outcomes are those of Z + s, the others those of Z.",
      "as noise-allocation; 1 <= k <= t", "stated here", "proofs/additive-noise.md, Theorem 10; Coq for finite outputs of a release, without roundings" },
    { "noise-shares", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Coins.noise_shares, Coins.shares_of_coins",
      "Noise that is the sum of n users' independent shares, of which h are added and not known: the worst case is that of additive-noise with the sum of h shares. It is noise of the same kind "
      "with h/n of the variance or coins for Gaussian and Skellam noise and coins, for Laplace noise the noise itself if h = n, and for discrete Gaussian noise the convolution.",
      "as additive-noise; whose share is missing depends on no share", "stated here", "proofs/additive-noise.md, Theorem 6; Coq for one number and release, whole shares whose sum is symmetric and log-concave; of coins that it is coins" },
    { "staircase-noise", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/additive-noise.md",
      "Staircase noise Z, whose density falls by e^-x at (k + g) s, k = 0, 1, .., added to a number that one record changes by at most s: the divergence in the worst case is that of Z against "
      "Z + s, m (1 - e^(eps-x)), m = (h + q (1/2 - h))/(g + q (1-g)), q = e^-x, h = min(g, 1/2), in both directions. Several releases, each with noise of its own, adaptively: the product of the pairs.",
      "x > 0, 0 < g <= 1; of one number", "stated here; the noise is Geng and Viswanath's, The Optimal Noise-Adding Mechanism in Differential Privacy, arXiv 1212.1186", "proofs/additive-noise.md, Theorem 7" },
    { "sample-and-threshold", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Thresholds.sample_and_threshold, Thresholds.sample_small",
      "A histogram for which each user's report is kept with probability p, and from which counts below tau are dropped: the divergence in the worst case is p b - (alpha-1) S, "
      "b and S the probabilities that of n-1 kept reports there are tau-1, and at least tau, n = ceil((tau-1)/(1 - (1-p)/alpha)); and the same with 1/alpha. Rounds: from above the product "
      "of these profiles, from below that of one n, or whether some round releases the count.",
      "0 < p < 1, tau >= 1; each user has one value, neighbours add or remove one user; nothing of what was dropped is seen, nor how many users there are",
      "stated here", "proofs/thresholds.md, Theorem 1; Coq for one release to which a user is added, at every alpha" },
    { "noise-and-threshold", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Thresholds.noise_and_threshold, Thresholds.noise_and_threshold_attained",
      "A histogram of noisy counts from which those below T are dropped: the divergence in the worst case is the larger one of additive-noise and of a user who is the only one with a "
      "value, Pr[Z + s >= T]. Rounds: from above the product of these profiles, from below that of additive-noise.",
      "as additive-noise of one number; each user has one value, neighbours add or remove one user; a value that nobody holds is not released",
      "stated here; the sole user is in Korolova, Kenthapadi, Mishra, Ntoulas, Releasing Search Queries and Clicks Privately, WWW 2009", "proofs/thresholds.md, Theorem 2; Coq for one release and log-concave noise with finitely many whole values" },
    { "two-buckets", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Thresholds.two_buckets",
      "If a user's value is replaced, a histogram with thresholds is dominated by two rounds of the larger profile of adding and of removing a user.",
      "as sample-and-threshold or noise-and-threshold, neighbours replace one user's value", "stated here", "proofs/thresholds.md, Theorem 3; Coq for finite outputs" },
    { "feldman21-5.2", SHUF_CONDITIONAL, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "Any shuffled eps0-LDP randomisers are (eps, delta)-DP for eps0 = eps sqrt(n)/(16 sqrt(L)) if eps <= sqrt(L/n), "
      "log(eps^2 n/(100 L)) if not, L = log(1/delta).",
      "0 < eps < 1, 0 < delta < 1, where eps0 > 0 and clones-stronger certifies it, which is checked",
      FMT21 ", proof of Theorem 5.2", "the pair clones at that point; the choice can be negative (doc/errata)" },
    { "estimation-krr", SHUF_PROVED, SHUF_SIDE_NONE, SHUF_CHECKED_COQ, "Estimation.krr_error, Estimation.krr_unbiased",
      "The unbiased estimate of the frequencies of k values from n reports of k-RR has expected squared l2 error "
      "(k-1)(2E+k-2)/(n (E-1)^2), whatever the data. For a law that the data are drawn from, (1 - sum p_i^2)/n more.",
      "n >= 1, k >= 2, eps0 > 0", "a standard computation", "proofs/estimation.md; Coq for given data" },
    { "estimation-hadamard", SHUF_PROVED, SHUF_SIDE_NONE, SHUF_CHECKED_PAPER, "proofs/estimation.md",
      "The unbiased estimate from Hadamard responses with B blocks of b columns has an expected squared l2 error of at most "
      "((E+2B-1)(2k + m (E-1))/(E-1)^2 - 1)/n, m = min(b-1, k), attained by some data. For a law that the data are drawn from, "
      "(1 - sum p_i^2)/n more.",
      "n >= 1, k >= 2, eps0 > 0; B the largest power of 2 below min(E, 2k), or 1, b the smallest with B (b-1) >= k",
      "Acharya, Sun, Zhang, Hadamard Response, AISTATS 2019 (arXiv 1802.04705), for the mechanism", "proofs/estimation.md" },
    { "rappor-bit", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "SumOfBits.rappor_bit",
      "Symmetric RAPPOR on one-hot inputs, each bit flipped with probability 1/(e^eps0+1): one bit of the sum is shuffled "
      "binary randomised response with eps0 (post-processing).",
      "n >= 1, eps0 >= 0 (deletion), at least two bits", "definition of RAPPOR", "proofs/trinomial-pair.md (rr2); Coq" },
    { "rappor-sum", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SumOfBits.rappor_sum",
      "The sum of n symmetric RAPPOR vectors on one-hot inputs, if nothing else is released, is dominated by two rounds of the pair "
      "clones-stronger, eps0 the deletion parameter.",
      "each bit flipped with probability 1/(e^eps0 + 1), the bits of all users independently; any number of values",
      "definition of RAPPOR", "proofs/rappor.md; Coq" },
    { "rappor-local", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Rappor.rappor_local",
      "Symmetric RAPPOR with deletion parameter eps0 is (2 eps0)-LDP under replacement (two bits differ), so "
      "clones-stronger with 2 eps0 applies.",
      "n >= 1, eps0 >= 0 (deletion)", "definition of RAPPOR", "proofs/rappor.md; Coq" },
    { "honest-users", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "HonestUsers.honest_users_joint, HonestUsers.honest_stronger",
      "If h of the n users follow the protocol, and what the others report depends neither on the honest reports of the same round "
      "nor on the value that differs, then the largest delta over all that the others may do is that of the h honest users alone: "
      "from above for whatever they report, from below if they report nothing. Likewise for every divergence.",
      "the differing user is honest; what the others do may depend on all that was released before and on all other values; no sampling",
      "a standard argument", "proofs/deployments.md; Coq for finite outputs, from above, one round" },
    { "users-at-least", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Monotone.trinomial_monotone, MoreUsers.trinomial_rounds_more_users, KrrPairs.krr_weak_monotone, KrrPairs.krr_strong_monotone, ProfileBound.profile_bound_users, MoreUsers.blanket_more_users, MoreUsers.sampled_blanket_more_users, MoreUsers.poisson_blanket_more_users, MoreUsers.poisson_profile_more_users",
      "Every bound from above here for n users holds for more users, at the same rate if a part of them is sampled. From below it is "
      "that of n users exactly.",
      "the bounds that are named with it", "stated here", "proofs/deployments.md; Coq for the pairs, the local profile, the blanket, samples of the blanket and participation in both" },
    { "group-privacy", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Deployments.group_privacy_eps",
      "Every user holds r values and sends a report of each through one shuffler; neighbours replace all values of a user. With h(s) a bound of "
      "delta(s) when one of the n r reports changes, delta(eps) <= h(eps/r) (1 + e^(eps/r) + .. + e^((r-1) eps/r)). Not tight.",
      "r >= 1, eps >= 0; one round", "a standard inequality", "proofs/deployments.md; Coq for finite outputs" },
    { "clones-delta0", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/deployments.md",
      "Rounds of shuffles of n_t users' reports from (eps0_t, delta0_t)-LDP randomisers, adaptive as for clones: delta(eps) <= h(eps) + (1 + e^eps) "
      "sum_t (2 n_t - 1) delta0_t e^-eps0_t, h that of the product of the pairs clones-stronger. Not tight.",
      "eps0 >= 0, 0 <= delta0 <= 1 for all pairs of inputs, uniform permutation, neighbours replace one user's value; eps >= 0",
      "stated here; the total variation distance to pure randomisers is the idea of " FMT21 ", Theorem 3.8", "proofs/deployments.md" },
    { "local-delta0", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Seen.local_delta0, Seen.local_delta0_attained",
      "T reports of one user from (eps0, delta0)-LDP randomisers, each seen to be the user's: delta(eps) <= 1 - (1-delta0)^T (1 - h(eps)), h that of T "
      "reports of binary randomised response of eps0. Of one user alone it is attained.",
      "eps0 >= 0, 0 <= delta0 <= 1, each randomiser chosen by all that was seen before, whatever the other users do; eps >= 0",
      "Kairouz, Oh and Viswanath, The Composition Theorem for Differential Privacy, ICML 2015 (arXiv 1311.0776), Theorem 3.3, whose pair this is", "proofs/deployments.md; Coq for finite outputs" },
    { "local-renyi", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/deployments.md",
      "Local randomisers with D_a(R(x)||R(x')) <= r for all x, x' are (eps0, delta0)-LDP for every eps0, delta0 = c_a e^((a-1)(r - eps0)), c_a = (1 - 1/a)^a/(a-1): "
      "clones-delta0 and local-delta0 hold for each. All T reports of a user by themselves have delta(eps) <= c_a e^((a-1)(T r - eps)). Not tight.",
      "a > 1, r >= 0, for all pairs of inputs and whatever was seen before; as clones-delta0 and local-delta0", "stated here; the conversion is renyi-conversion", "proofs/deployments.md" },
    { "local-renyi-below", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/deployments.md",
      "k-RR of eps' is one of these randomisers if eps' + (log(1 + e^-((2a-1) eps')) - log(1 + e^-eps'))/(a-1) <= r, the divergence of order a of binary randomised response.",
      "a > 1, r >= 0, k >= 2", "stated here", "proofs/deployments.md" },
    { "renyi-composition", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Renyi.renyi_rounds",
      "Under adaptive composition of mechanisms with independent randomness the Renyi divergences of one order add: T rounds of "
      "one pair have T times its divergence, and exactly that when the rounds are independent.",
      "real order >= 1; every round bounded for all outputs of the earlier ones, the same neighbouring relation",
      "Mironov, Renyi Differential Privacy, CSF 2017 (arXiv 1702.07476), Proposition 1", "proofs/convert.md; Coq for finite outputs" },
    { "renyi-profile", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "RenyiProfile.renyi_profile, RenyiProfile.renyi_profile_bounds, RenyiProfile.renyi_profile_one, RenyiProfile.renyi_profile_one_bounds",
      "The Renyi divergence of order a is log(1 + a (a-1) J)/(a-1), J the integral of u^(a-2) H_u(P||Q) + u^(-a-1) H_u(Q||P) over u >= 1, and of order 1 it is J: "
      "profiles from above or below bound it on the same side.",
      "real order >= 1; neither law has mass that the other does not see",
      "integrals for all f-divergences: Sason and Verdu, f-Divergence Inequalities, IEEE Transactions on Information Theory 62 (2016) (arXiv 1508.00335)", "proofs/renyi-profile.md; Coq for finite outputs" },
    { "zcdp", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Zcdp.zcdp_chord, Zcdp.zcdp_between, Zcdp.zcdp_below, Zcdp.zcdp_above",
      "The largest D_a/a over all orders a > 1, from divergences at some orders: (a-1) D_a is convex and D_a rises. Of Gaussian noise, of steps of Poisson batches from which a record is removed and of epochs of "
      "balls-and-bins batches it is the limit of large orders, that of the noise alone.",
      "both directions of all neighbouring data", "rho-zCDP: Bun and Steinke, Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds, TCC 2016 (arXiv 1605.02065)", "proofs/renyi-profile.md, Lemmas 6 and 7; Coq for finite outputs, between and beyond the orders, without where the chord is largest and without the limits" },
    { "zcdp-batches", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/renyi-profile.md",
      "However batches are drawn, noisy SGD from which one record, or all of one user, is removed has the smallest rho of zCDP that it has where each of these records is known to take part as often as it can: "
      "that of all steps of Poisson batches, of one step of an epoch of balls-and-bins and of shuffled batches, of k steps with random allocation of k.",
      "as the theorem of the sampler; shuffled batches of one record; every choice of the sampler has positive probability",
      "own; that sampling does not amplify zCDP is known", "proofs/renyi-profile.md, Lemma 7" },
    { "renyi-conversion", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Renyi.renyi_conversion",
      "A mechanism with Renyi divergence at most e at one order a > 1 is (eps, delta)-DP for eps = e + log(1 - 1/a) - (log delta + log a)/(a-1).",
      "real a > 1, 0 < delta <= 1; the divergence bounded in both directions of every neighbouring pair",
      "Canonne, Kamath, Steinke, The Discrete Gaussian for Differential Privacy, NeurIPS 2020 (arXiv 2004.00010), Proposition 12",
      "proofs/convert.md; Coq for finite outputs" },
    { "subsample-poisson", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledRenyi.poisson_added, SampledRenyi.poisson_removed",
      "Poisson sampling with rate g, B_j = exp((j-1) eps(j)): exp((a-1) eps'(a)) is at most the larger of sum_j C(a,j) (1-g)^(a-j) g^j B_j and "
      "1 + (B_2 - 1) ((1-gu)^(1-a) - 1 - (a-1) gu)/u^2 with u = 1 - e^-L, L the largest loss or infinite; each at most 1 - g + g B_a.",
      "integer a >= 2, 0 <= g <= 1, neighbours add or remove one record",
      "the first sum: Zhu, Wang, Poisson Subsampled Renyi Differential Privacy, ICML 2019; the other direction is proved here",
      "proofs/subsample.md; Coq for finite outputs and a known largest loss" },
    { "subsample-wang19", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledRenyi.wang19_subset, SampledRenyi.convex_subset",
      "A uniform subset of fixed size, rate g: exp((a-1) eps'(a)) <= 1 + g^2 C(a,2) min{4(B_2-1), B_2 min{2,(e^L-1)^2}} + "
      "sum_{j>=3} g^j C(a,j) B_j min{2,(e^L-1)^j}, and <= 1 - g + g B_a.",
      "integer a >= 2, 0 <= g <= 1, neighbours replace one record; base curve for the sampled number of records",
      "Wang, Balle, Kasiviswanathan, Subsampled Renyi Differential Privacy and Analytical Moments Accountant, AISTATS 2019 "
      "(arXiv 1808.00087), Theorem 9", "proofs/subsample.md; Coq for finite outputs" },
    { "subsample-dominated", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledRenyi.dominated_subset, SampledRenyi.convex_subset",
      "The same sampling when the base mechanism is dominated by a pair with that curve: exp((a-1) eps'(a)) <= 1 + a(a-1) g^2 (B_2-1) + "
      "sum_{j>=3} g^j C(a,j) min{B_j - 1, (e^L-1)^(j-2) (B_2-1)}, and <= 1 - g + g B_a.",
      "integer a >= 2, 0 <= g <= 1, neighbours replace one record, hockey-stick domination for the sampled number of records",
      "from the amplification of the privacy profile: Balle, Barthe, Gaboardi, NeurIPS 2018 (arXiv 1807.01647)",
      "proofs/subsample.md; Coq for finite outputs, L the largest loss of the pair" },
    { "subsample-profile", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "Subsets.subset_dominated",
      "The same sampling and domination: delta'(eps) <= g delta(log(1 + (e^eps - 1)/g)) at every eps >= 0, delta the pair's. So "
      "(eps1, delta1)-DP before is (log(1 + g (e^eps1 - 1)), g delta1)-DP after.",
      "0 < g <= 1, eps >= 0, neighbours replace one record, hockey-stick domination for the sampled number of records",
      "Balle, Barthe, Gaboardi, Privacy Amplification by Subsampling, NeurIPS 2018 (arXiv 1807.01647)",
      "proofs/subsample.md (Dominated base); Coq for finite outputs" },
    { "clones-sampled", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "SampledShuffle.sampled_clones_dominates, SampledShuffle.sampled_clones_rounds",
      "A uniform subset of g n of n users, shuffled as in clones-stronger, with position-dependent, adaptive eps0-LDP randomisers, is dominated by "
      "the trinomial pair with g n users, w0 = (g E + 1-g)/(E+1), w1 = r0 = r1 = 1/(E+1). Never worse than subsample-profile over "
      "clones-stronger; the largest loss is log(1 + g (E-1)).",
      "pure eps0-LDP (delta0 = 0), 0 < g <= 1, g n a whole number, the subset drawn anew in each round and not seen, neighbours replace one user's value",
      "stated here; the proof is that of clones-stronger", "proofs/clones-sampled.md, Theorem 1; Coq for finite outputs, without the comparison with subsample-profile" },
    { "krr-third-sampled", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrSampled.krr_third_sampled",
      "The same sampling of k-RR, the other users all hold a third value: the trinomial pair with g n users, w0 = (g E + 1-g)/(E+k-1), "
      "w1 = r0 = r1 = 1/(E+k-1), exactly for k = 3; for k >= 4 the outcome with the other values merged, hence a lower bound.",
      "0 < g <= 1, g n a whole number, eps0 >= 0, k >= 3, neighbours replace one user's value", "definition of k-RR", "proofs/clones-sampled.md, Theorem 3; Coq as a lower bound" },
    { "clones-poisson", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "PoissonShuffle.poisson_clones_dominates",
      "Each of n users takes part with probability q, independently, and those are shuffled as in clones-stronger; their number is seen. Dominated "
      "by counts (a, b, c): of each of n-1 users, q/(E+1), q/(E+1) and 1-q, of the last one q E/(E+1), q/(E+1) and 1-q under P, a and b exchanged under Q.",
      "pure eps0-LDP (delta0 = 0), 0 < q <= 1, participation drawn anew in each round, n known, neighbours replace one user's value",
      "stated here; the proof is that of clones-stronger", "proofs/clones-sampled.md, Theorem 2; Coq for finite outputs, the pair as the shuffle of what its users say" },
    { "krr-poisson", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "KrrSampled.krr_same_poisson, KrrSampled.krr_third_poisson",
      "The same participation in k-RR, the other users all hold one value, or a third one: the trinomial pair of krr-same, or krr-third, with all weights "
      "and rates times q, exactly for krr-same with k = 2; else the outcome with absence and the other values merged, hence a lower bound.",
      "0 < q <= 1, eps0 >= 0, k >= 2, or k >= 3 for a third value, neighbours replace one user's value", "definition of k-RR",
      "proofs/clones-sampled.md, Theorem 3; Coq as a lower bound" },
    { "selection", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/selection.md",
      "A mechanism with the profiles d and r of (P, Q) and (Q, P) is run K times, on the same data and independently, and the outcome that is best in an order of all outcomes is released. With f(x) = E x^K, "
      "phi(a) the least of 1, e^s a + r(s) and 1 - e^-s (1 - a - d(s)) over all s >= 0, and h(w) = sup over a of (f'(1-a) - w f'(1-phi(a)))_+: its divergence at eps is at most "
      "the expectation over P of h(e^eps q/p), which a polygon above h and the profiles bound.",
      "K does not depend on the data, and neither K nor other outcomes are seen; how good an outcome is is a part of it",
      "after Papernot, Steinke, Hyperparameter Tuning with Renyi Differential Privacy, ICLR 2022 (arXiv 2110.03620); own proof",
      "proofs/selection.md" },
    { "selection-order", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_PAPER, "proofs/selection.md",
      "The same in an order of outcomes, the better first: blocks of the largest q/p, each before a block of the largest p/q of those left. With x_i at least P of the first i blocks of both kinds, and y_i at most Q of the first i blocks "
      "of the first kind, the divergence is at least the sum of f'(1-x_i) P(E_i) - e^eps f'(1-y_i) Q(E_i), E_i the blocks of the second kind.",
      "P and Q are those of one run on concrete neighbouring data", "own", "proofs/selection.md" },
    { "selection-ties", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "Selection.selection_ties",
      "The same where all outcomes are equally good: what is released is one run, unless there is none. Its profile is Pr[K > 0] times that of one run.",
      "ties are broken at random", "own", "proofs/selection.md; Coq for finite outputs and finitely many numbers of runs" },
    { "subsample-replaced", SHUF_PROVED, SHUF_SIDE_LOWER, SHUF_CHECKED_COQ, "Subsampling.replaced_gamma, Subsampling.replaced_beta",
      "The same sampling of all-equal data against the same with one record replaced: the laws are P and g Q + (1-g) P, P the law on "
      "the all-equal sample (rr2, krr-same), Q that with one value changed; exactly. A lower bound for the sampled mechanism.",
      "0 < g <= 1, neighbours replace one record; P and Q for the sampled number of records",
      "definition", "proofs/subsample.md (Replaced record); Coq for finite outputs" },
    { "pld-composition", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Composition.adaptive_rounds",
      "If (P_i, Q_i) dominates mechanism i, whatever the earlier outputs, then the product of the pairs dominates the adaptive "
      "composition: delta(eps) <= H_e^eps of the products. For pairs it is an equality: the enclosure is of the product's value.",
      "every part is the privacy profile of a pair, or an upper bound of a mechanism's that is itself a pair's",
      "Zhu, Dong, Wang, Optimal Accounting of Differential Privacy via Characteristic Function, AISTATS 2022 "
      "(arXiv 2106.08567), Theorem 10; grids after Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, Connect the Dots, PoPETs 2022 "
      "(arXiv 2207.04380)",
      "proofs/pld.md; Coq for finite outputs" },
    { "dong22-2.12", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_COQ, "Tradeoff.tradeoff_below, Tradeoff.tradeoff_attained, Tradeoff.tradeoff_dominates",
      "The smallest type II error of a test with type I error at most a: T(P,Q)(a) = sup over alpha >= 0 of 1 - alpha a - "
      "H_alpha(Q||P). A pair that dominates a mechanism has no larger one.",
      "0 <= a <= 1; every pair of laws",
      DRS ", Proposition 2.12", "proofs/tradeoff.md; Coq for finite outputs" },
    { "dong22-2.13", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/tradeoff.md",
      "mu-Gaussian DP is delta(eps) <= Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2) at every eps >= 0, for both orders of "
      "the neighbours.",
      "mu > 0, eps >= 0; on a range of eps it is a part of mu-GDP, on 0 to the largest loss all of it",
      DRS ", Corollary 2.13", "proofs/tradeoff.md" },
    { "dong22-3.3", SHUF_PROVED, SHUF_SIDE_EXACT, SHUF_CHECKED_PAPER, "proofs/tradeoff.md",
      "Rounds each of which is mu_i-Gaussian DP, whatever the earlier outputs, are together sqrt(mu_1^2 + .. + mu_r^2)-Gaussian DP.",
      "mu_i-GDP at every eps >= 0 in both orders of the neighbours",
      DRS ", Corollary 3.3", "proofs/tradeoff.md" },
    { "dong22-b.6", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_PAPER, "proofs/tradeoff.md",
      "mu-Gaussian DP is mu^2/2-zCDP: the Renyi divergence of every order a > 1 is at most a mu^2/2, and of rounds these add.",
      "mu-GDP at every eps >= 0 in both orders of the neighbours, whatever the earlier rounds",
      DRS ", Corollary B.6", "proofs/tradeoff.md" },
    { "koskela22-thm13", SHUF_REFUTED, SHUF_SIDE_EXACT, SHUF_CHECKED_NONE, NULL,
      "The delta of T rounds of krr-strong at eps is Pr[Z_1 + ... + Z_T >= eps], Z_i ~ log(N1/N2), N1 ~ 1 + Bin(n-1, gamma/k), "
      "N2 ~ Bin(n-1, gamma/k). Not evaluated: use the pair krr-strong.",
      "none", KHH ", Theorem 13 and (C.8)",
      "refuted: n = 1000, k = 4, gamma = 1/4, eps = 1/2 has delta 1.68e-4, the probability is 3.96e-3 (joint law) or 3.11e-3 "
      "(independent N1, N2); n = 1000, k = 2, gamma = 1/2, eps = 0.7: 2.02e-16, 2.96e-14 and 8.95e-18 (doc/errata)" },
    { "koskela22-thm16", SHUF_REFUTED, SHUF_SIDE_EXACT, SHUF_CHECKED_NONE, NULL,
      "The delta of T rounds of krr-weak at eps is Pr[Z_1 + ... + Z_T >= eps], Z_i its losses. Not evaluated: use the pair krr-weak.",
      "none", KHH ", Theorem 16",
      "refuted: n = 1000, k = 4, gamma = 1/4, eps = 1/2 has delta 5.40e-6, the probability is 1.59e-4 (doc/errata)" },
    { "kairouz15-optimal", SHUF_PROVED, SHUF_SIDE_UPPER, SHUF_CHECKED_COQ, "StrongComposition.strong_composition, StrongComposition.strong_composition_value, StrongComposition.extreme_private",
      "T adaptive (eps, delta)-DP mechanisms: (x, 1 - (1-delta)^T (1 - h(x)))-DP, h the hockey-stick divergence of T binary "
      "randomised responses; the smallest delta that holds for all of them, and of one of them an upper bound.",
      "T >= 1, eps >= 0, 0 <= delta <= 1, x >= 0", "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML 2015 "
      "(arXiv 1311.0776), Theorem 3.3", "proofs/strong-composition.md; Coq for finite outputs" },
    { "variation-ratio-krr", SHUF_REFUTED, SHUF_SIDE_UPPER, SHUF_CHECKED_NONE, NULL,
      "k-RR is dominated by the trinomial pair of krr-third (variation-ratio reduction with p = q = E).",
      "none", "Wang, Peng, Li, Wen, Wang, Zheng, Privacy Amplification via Shuffling: Unified, Simplified, and Tightened, VLDB 2024",
      "refuted: E = 2, k = 3, n = 2, e^eps = 1.7 has delta 0.0375 (krr-same), the pair gives 0.01875" }
};

const shuf_theorem *shuf_theorems(size_t *count)
{
    *count = sizeof(theorems) / sizeof(theorems[0]);
    return theorems;
}

const shuf_theorem *shuf_theorem_find(const char *id)
{
    size_t i;
    for (i = 0; id != NULL && i < sizeof(theorems) / sizeof(theorems[0]); i++)
        if (strcmp(theorems[i].id, id) == 0)
            return &theorems[i];
    return NULL;
}

const char *shuf_theorem_status_name(shuf_theorem_status status)
{
    switch (status)
    {
    case SHUF_PROVED: return "proved";
    case SHUF_CONDITIONAL: return "conditional";
    case SHUF_UNPROVED: return "unproved";
    case SHUF_ASYMPTOTIC: return "asymptotic";
    case SHUF_REFUTED: break;
    }
    return "refuted";
}

const char *shuf_side_name(shuf_side side)
{
    switch (side)
    {
    case SHUF_SIDE_UPPER: return "upper bound";
    case SHUF_SIDE_LOWER: return "lower bound";
    case SHUF_SIDE_EXACT: return "exact";
    case SHUF_SIDE_NONE: break;
    }
    return "none";
}

const char *shuf_checked_name(shuf_checked checked)
{
    switch (checked)
    {
    case SHUF_CHECKED_COQ: return "coq";
    case SHUF_CHECKED_PAPER: return "paper";
    case SHUF_CHECKED_NONE: break;
    }
    return "none";
}

int shuf_theorem_certifies(const char *id, shuf_side side)
{
    const shuf_theorem *t = shuf_theorem_find(id);
    return t != NULL && t->status == SHUF_PROVED && t->checked != SHUF_CHECKED_NONE && side != SHUF_SIDE_NONE
           && (t->side == side || t->side == SHUF_SIDE_EXACT);
}
