# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast_renyi.c: evaluate, the densities  p = (f->p0 * b + f->p1 * a) / m  (q alike), 4.1 roundings;
# sum_row, weight *= (m - at) * f->odds / (at + 1), 4.02 of the 5 counted;
# sum_cells, weight *= (others - c) * odds / (c + 1) * ((m + 1) / (m + 1 - a) * f->rho_complement), and
# weight *= c * inverse_odds / (others - c + 1) * ((m - a) / m / f->rho_complement), at most 9.06 of the 12 counted.
# ../fast-renyi.md, Lemma 2. i1, i2, ... are integers, exact in double.
@rnd = float<ieee_64, ne>;

p0 = rnd(p0_);  p1 = rnd(p1_);  a = rnd(a_);  b = rnd(b_);  m = rnd(m_);
odds = rnd(odds_);  rc = rnd(rc_);  weight = rnd(weight_);
i1 = rnd(i1_);  i2 = rnd(i2_);  i3 = rnd(i3_);  i4 = rnd(i4_);

p    rnd= (p0 * b + p1 * a) / m;
cell rnd= weight * (i1 * odds / i2);
up   rnd= weight * (i1 * odds / i2 * (i3 / i4 * rc));
inverse rnd= 1 / odds;
down rnd= weight * (i1 * inverse / i2 * (i3 / i4 / rc));

{ p0 in [1b-200, 1b200] /\ p1 in [1b-200, 1b200] /\ P0 in [1b-201, 1b201] /\ P1 in [1b-201, 1b201] /\
  odds in [1b-150, 1b150] /\ O in [1b-151, 1b151] /\ rc in [1b-150, 1b0] /\ R in [1b-151, 1b1] /\
  weight in [1b-300, 1b300] /\ a in [1, 1b41] /\ b in [1, 1b41] /\ m in [1, 1b41] /\
  i1 in [1, 1b41] /\ i2 in [1, 1b41] /\ i3 in [1, 1b41] /\ i4 in [1, 1b41] /\
  |p0 -/ P0| <= 1.1324274852e-16 /\ |p1 -/ P1| <= 1.1324274852e-16 /\
  |odds -/ O| <= 1.1324274852e-16 /\ |rc -/ R| <= 1.1324274852e-16
  ->
  # 4.03, 4.03, 8.05, 9.06 times 2^-53
  |p -/ ((P0 * b + P1 * a) / m)| <= 4.47419e-16 /\
  |cell -/ (weight * (i1 * O / i2))| <= 4.47419e-16 /\
  |up -/ (weight * (i1 * O / i2 * (i3 / i4 * R)))| <= 8.93729e-16 /\
  |down -/ (weight * (i1 * (1 / O) / i2 * (i3 / i4 / R)))| <= 1.0058620e-15 }
