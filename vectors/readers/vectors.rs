// SPDX-License-Identifier: LGPL-3.0-or-later

//! Judges bounds in doubles by the doubles of a result: a bound is never called sound, or unsound, that is not. Read the file with a
//! parser for JSON, serde_json for one.

/// The value of a hexadecimal double such as "0x1.8p-3" or "-0x0.8p-1022", which str::parse does not read.
pub fn double(text: &str) -> Option<f64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let (digits, exponent) = digits.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let significand = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    // in two steps, so that neither power of two is subnormal; exact, as the text is a double
    let half = exponent / 2;
    (significand < 1 << 53).then(|| sign * (significand as f64 * 2f64.powi(half)) * 2f64.powi(exponent - half))
}

/// What is known of an answer: "lo_hex" and "hi_hex" of a result, or infinities where it is "infinite"; and "bound" of the test,
/// None where the result's "side" is "exact".
pub struct Known<'a> {
    pub lo: f64,
    pub hi: f64,
    pub bound: Option<&'a str>,
}

impl Known<'_> {
    /// "sound", "unsound" or "undecided": a bound from the side "upper" or "lower".
    pub fn judge(&self, side: &str, x: f64) -> &'static str {
        let (x, lo, hi) = if side == "lower" { (-x, -self.hi, -self.lo) } else { (x, self.lo, self.hi) };
        if x.is_nan() {
            "unsound"
        } else if x >= hi && (self.bound.map_or(true, |bound| bound == side) || x == f64::INFINITY) {
            "sound"
        } else if x < lo && (self.bound != Some(side) || x == f64::NEG_INFINITY) {
            "unsound"
        } else {
            "undecided"
        }
    }
}
