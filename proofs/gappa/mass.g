# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: sum_strata,  mass *= c * odds / (others + 1 - c):
# 4.02 roundings; the code counts 5 (../fast.md, Lemma 5).
# c and r = others + 1 - c are integers, exact in double.
# Bounds are decimal: 1.1324...e-16 is 1.02 * 2^-53, rounded up; the others, 2^-53 times
# the number of roundings (and 0.0001 for the second order), rounded down.
@rnd = float<ieee_64, ne>;

odds = rnd(odds_);  mass = rnd(mass_);  c = rnd(c_);  r = rnd(r_);

ratio rnd= rnd(c * odds) / r;
next  rnd= mass * ratio;

{ mass in [1b-300, 1b300] /\ odds in [1b-300, 1b300] /\ o in [1b-301, 1b301] /\
  c in [1, 1b41] /\ r in [1, 1b41] /\ |odds -/ o| <= 1.1324274852e-16
  ->
  |next -/ (mass * (c * o / r))| <= 4.4632075812e-16 }
