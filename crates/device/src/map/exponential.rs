//! Powers of two without the mathematics library, the same on every machine.

/// Taylor coefficients of 2^x = exp(x ln 2): ln(2)^k / k!.
const COEFFICIENTS: [f64; 7] = [
    1.0,
    std::f64::consts::LN_2,
    0.240_226_506_959_100_7,
    0.055_504_108_664_821_58,
    0.009_618_129_107_628_477,
    0.001_333_355_814_642_844_3,
    0.000_154_035_303_933_816_1,
];

/// 2 to the power of `x`, within 2e-7; `x` is bounded to 0 ..= 46 (nanoseconds up to 19 hours).
#[inline]
pub(super) fn exp2(x: f64) -> f64 {
    let x = x.clamp(0.0, 46.0);
    let whole = x as u64;
    // From -1/2 to 1/2 the series ends soon.
    let rest = x - whole as f64 - 0.5;
    let series = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * rest + coefficient);
    (1u64 << whole) as f64 * std::f64::consts::SQRT_2 * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_match_the_library() {
        for step in 0..4600 {
            let x = f64::from(step) / 100.0;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 2e-6, "{x}: {} instead of {}", exp2(x), x.exp2());
        }
        assert_eq!(exp2(-3.0), exp2(0.0));
        assert!(exp2(f64::NAN) as u64 == 0 && exp2(1e300) < 1e14);
    }
}
