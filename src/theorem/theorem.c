/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "theorem/theorem.h"

#include <string.h>

#define FMT21 "Feldman, McMillan, Talwar, Hiding Among the Clones, FOCS 2021 (arXiv 2012.12803)"
#define FMT22 "Feldman, McMillan, Talwar, Stronger Privacy Amplification by Shuffling, SODA 2023 (arXiv 2208.04591)"
#define KHH "Koskela, Heikkila, Honkela, Numerical Accounting in the Shuffle Model of Differential Privacy"
#define BBGN "Balle, Bell, Gascon, Nissim, The Privacy Blanket of the Shuffle Model, CRYPTO 2019 (arXiv 1903.02837)"

static const shuf_theorem theorems[] = {
    { "clones", SHUF_PROVED, "upper bound",
      "The shuffle of n users' reports, each from a pure eps0-LDP randomiser that may depend on the reports before it, "
      "is dominated by the trinomial pair with w0 = E/(E+1), w1 = 1/(E+1), r0 = r1 = 1/(2E), E = e^eps0.",
      "pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user's value; n >= 1, eps0 >= 0",
      FMT21 ", Theorem 3.1 and Remark 3.5",
      "the paper; proofs/trinomial-pair.md for the pair (Remark 3.5 prints it with a slip, doc/errata)" },
    { "clones-stronger", SHUF_PROVED, "upper bound",
      "As clones, with r0 = r1 = 1/(E+1). Never worse than clones.",
      "pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user's value; n >= 1, eps0 >= 0",
      FMT22 ", Theorem 3.1, whose general claim the authors withdrew (Lemma 3.5); used by " KHH ", eq. (3.1)",
      "proofs/clones-stronger.md: a different proof, of the hockey-stick domination only" },
    { "krr-strong", SHUF_PROVED, "exact",
      "k-RR with blanket probability gamma against the adversary who sees which users answered at random, the last one "
      "included: delta is (1-gamma) times that of the trinomial pair with w0 = 1, r0 = r1 = gamma/k. An upper bound for shuffled k-RR.",
      "0 <= gamma <= 1, k >= 2, neighbours replace the last user's value; eps >= 0",
      KHH ", Definition 12; " BBGN, "proofs/trinomial-pair.md" },
    { "krr-weak", SHUF_PROVED, "exact",
      "k-RR with blanket probability gamma against the adversary who sees which of the other users answered at random: the "
      "mixture over b ~ Bin(n-1, gamma) of trinomial pairs with b+1 users. An upper bound for shuffled k-RR.",
      "0 <= gamma <= 1, k >= 2, neighbours replace the last user's value; eps >= 0",
      KHH ", Definition 14; " BBGN, "proofs/trinomial-pair.md" },
    { "rr2", SHUF_PROVED, "lower bound",
      "Shuffled binary randomised response on all-equal data against the same data with one value changed, exactly: "
      "a lower bound for the class of eps0-LDP randomisers. Not the worst pair of datasets.",
      "n >= 1, eps0 >= 0", FMT21 ", Appendix F", "proofs/trinomial-pair.md" },
    { "krr-same", SHUF_PROVED, "lower bound",
      "Shuffled k-RR on all-equal data against the same data with one value changed, exactly.",
      "n >= 1, eps0 >= 0, k >= 2", "definition of k-RR", "proofs/trinomial-pair.md" },
    { "krr-third", SHUF_PROVED, "lower bound",
      "Shuffled k-RR, the other users all hold a third value: exact for k = 3; for k >= 4 the outcome with the other "
      "values merged, hence a lower bound.",
      "n >= 1, eps0 >= 0, k >= 3", "definition of k-RR", "proofs/trinomial-pair.md" },
    { "trinomial", SHUF_PROVED, "exact",
      "The trinomial pair with weights w0, w1 and rates r0, r1, taken as it is: it says nothing of a mechanism.",
      "w0, w1, r0, r1 >= 0, w0+w1 <= 1, r0+r1 <= 1, r0 and r1 both positive or both zero", "definition",
      "proofs/trinomial-pair.md" },
    { "feldman21-3.1", SHUF_PROVED, "upper bound",
      "eps = log(1 + (E-1)/(E+1) (8 sqrt(E log(4/delta))/sqrt(n) + 8 E/n)) at delta, for the mechanisms of clones.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(4/delta)))", FMT21 ", Theorem 3.1",
      "the paper, under the condition that its Lemma 3.2 uses (doc/errata)" },
    { "feldman21-3.1-as-printed", SHUF_UNPROVED, "upper bound",
      "The same formula under the condition that the theorem prints.",
      "0 < delta <= 1, eps0 <= log(n/(16 log(2/delta)))", FMT21 ", Theorem 3.1",
      "the proof of Lemma 3.2 needs log(4/delta); no counterexample known (doc/errata)" },
    { "rappor-bit", SHUF_PROVED, "lower bound",
      "Symmetric RAPPOR on one-hot inputs, each bit flipped with probability 1/(e^eps0+1): one bit of the sum is shuffled "
      "binary randomised response with eps0 (post-processing).",
      "n >= 1, eps0 >= 0 (deletion), at least two bits", "definition of RAPPOR", "proofs/trinomial-pair.md (rr2)" },
    { "rappor-local", SHUF_PROVED, "upper bound",
      "Symmetric RAPPOR with deletion parameter eps0 is (2 eps0)-LDP under replacement (two bits differ), so "
      "clones-stronger with 2 eps0 applies.",
      "n >= 1, eps0 >= 0 (deletion)", "definition of RAPPOR", "proofs/clones-stronger.md" },
    { "variation-ratio-krr", SHUF_REFUTED, "upper bound",
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
    for (i = 0; i < sizeof(theorems) / sizeof(theorems[0]); i++)
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
