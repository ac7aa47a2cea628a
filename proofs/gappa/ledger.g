# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: sum_strata, the rounding of the error itself,
#   r->error = 1.05 * ROUNDOFF * (drift + VALUE_FACTOR * spread + (terms + 4) * total);
# and of the charge met += fmax(...) + PART_FACTOR * (|plus| + minus): a few
# roundings, covered by the factor 1.05 against 1.01 (../fast.md, Arithmetic).
@rnd = float<ieee_64, ne>;

drift = rnd(drift_);  spread = rnd(spread_);  total = rnd(total_);  n = rnd(n_);
met = rnd(met_);  v = rnd(v_);  a = rnd(a_);  b = rnd(b_);

factor rnd= rnd(1.05) * 1b-53;
inner  rnd= (drift + 3.25 * spread) + (n + 4) * total;
error  rnd= factor * inner;

next   rnd= met + (v + 3 * (a + b));

{ drift in [1b-900, 1b900] /\ spread in [1b-900, 1b900] /\ total in [1b-900, 1b900] /\ n in [1, 1b38] /\
  met in [1b-900, 1b900] /\ v in [1b-900, 1b900] /\ a in [1b-900, 1b900] /\ b in [1b-900, 1b900]
  ->
  |error -/ (1.05 * 1b-53 * ((drift + 3.25 * spread) + (n + 4) * total))| <= 7b-53 /\
  |next -/ (met + (v + 3 * (a + b)))| <= 5b-53 }
