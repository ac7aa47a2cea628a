// SPDX-License-Identifier: LGPL-3.0-or-later

// Judges bounds in doubles by the doubles of a result: a bound is never called sound, or unsound, that is not. Read the file with JSON.parse.

export type Side = "upper" | "lower";
export type Verdict = "sound" | "unsound" | "undecided";

export interface Test {
  tcId: number;
  question: unknown;
  bound?: Side;
  result: { lo_hex?: string; hi_hex?: string; infinite?: boolean; side: string };
}

/** The value of a hexadecimal double such as "0x1.8p-3" or "-0x0.8p-1022", which Number() does not read. */
export function double(text: string): number {
  const found = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]+))?p([+-]?[0-9]+)$/i.exec(text);
  if (found === null) throw new Error(`${text} is no hexadecimal double`);
  const fraction = found[3] ?? "";
  const exponent = Number(found[4]) - 4 * fraction.length;
  // in two steps, so that neither power of two is subnormal; exact, as the text is a double
  const half = Math.trunc(exponent / 2);
  return (found[1] === "-" ? -1 : 1) * parseInt(found[2] + fraction, 16) * 2 ** half * 2 ** (exponent - half);
}

/** A bound from above or below. */
export function judge(test: Test, side: Side, bound: number): Verdict {
  const { lo_hex, hi_hex, infinite } = test.result;
  const about = test.result.side === "exact" ? undefined : test.bound;
  let [x, lo, hi] = infinite ? [bound, Infinity, Infinity] : [bound, double(lo_hex!), double(hi_hex!)];
  if (side === "lower") [x, lo, hi] = [-x, -hi, -lo];
  if (Number.isNaN(x)) return "unsound";
  if (x >= hi && (about === undefined || about === side || x === Infinity)) return "sound";
  if (x < lo && (about !== side || x === -Infinity)) return "unsound";
  return "undecided";
}
