//! The standard normal distribution.

use crate::math;

/// Probability that a standard normal draw is at most `x`: `erfc(-x / sqrt 2) / 2`.
///
/// Keeps its relative accuracy in the lower tail, where `1 - cdf` would lose every digit. NaN in,
/// NaN out.
///
/// ```
/// assert_eq!(sim_core::stats::normal_cdf(0.0), 0.5);
/// ```
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * math::erfc(-x / std::f64::consts::SQRT_2)
}

/// The `x` with `normal_cdf(x) == p`, for 0 < `p` < 1; absent elsewhere.
///
/// Three rational approximations of degree 7 (centre, tails, far tails) with a relative error of
/// about 1e-16: algorithm AS 241, routine PPND16, of M. J. Wichura, "The percentage points of the
/// normal distribution", Applied Statistics 37(3), 1988.
///
/// ```
/// let z = sim_core::stats::normal_quantile(0.975).unwrap();
/// assert!((z - 1.959963984540054).abs() < 1e-14);
/// ```
#[must_use]
pub fn normal_quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return Some(q * polynomial(&CENTRE_TOP, r) / polynomial(&CENTRE_BOTTOM, r));
    }
    // By the nearer end, where the tail is small and a double keeps its relative accuracy.
    let r = (-math::ln(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let x = if r <= 5.0 {
        polynomial(&TAIL_TOP, r - 1.6) / polynomial(&TAIL_BOTTOM, r - 1.6)
    } else {
        polynomial(&FAR_TOP, r - 5.0) / polynomial(&FAR_BOTTOM, r - 5.0)
    };
    Some(if q < 0.0 { -x } else { x })
}

/// Value at `x` of the polynomial with these coefficients, constant first (Horner's rule).
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |value, coefficient| value * x + coefficient)
}

// Coefficients of AS 241, constant first.
const CENTRE_TOP: [f64; 8] = [
    3.387_132_872_796_366_5,
    1.331_416_678_917_843_8e2,
    1.971_590_950_306_551_3e3,
    1.373_169_376_550_946e4,
    4.592_195_393_154_987e4,
    6.726_577_092_700_87e4,
    3.343_057_558_358_813e4,
    2.509_080_928_730_122_7e3,
];
const CENTRE_BOTTOM: [f64; 8] = [
    1.0,
    4.231_333_070_160_091e1,
    6.871_870_074_920_579e2,
    5.394_196_021_424_751e3,
    2.121_379_430_158_659_7e4,
    3.930_789_580_009_271e4,
    2.872_908_573_572_194_3e4,
    5.226_495_278_852_854e3,
];
const TAIL_TOP: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    2.417_807_251_774_506e-1,
    2.272_384_498_926_918_4e-2,
    7.745_450_142_783_414e-4,
];
const TAIL_BOTTOM: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    6.897_673_349_851e-1,
    1.481_039_764_274_800_8e-1,
    1.519_866_656_361_645_7e-2,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR_TOP: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    2.965_605_718_285_048_7e-1,
    2.653_218_952_657_612_4e-2,
    1.242_660_947_388_078_4e-3,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_BOTTOM: [f64; 8] = [
    1.0,
    5.998_322_065_558_88e-1,
    1.369_298_809_227_358e-1,
    1.487_536_129_085_061_5e-2,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs (p, x) with cdf(x) = p: the root of the defining equation in 50-digit arithmetic for
    /// the exact value of the double p, then rounded to a double.
    const CASES: &[(f64, f64)] = &[
        (1e-300, -37.0470962993612),
        (1e-100, -21.273453560965326),
        (1e-20, -9.262340089798407),
        (1e-10, -6.361340902404057),
        (1e-05, -4.264890793922825),
        (0.001, -3.0902323061678136),
        (0.005, -2.575829303548901),
        (0.01, -2.326347874040841),
        (0.025, -1.9599639845400543),
        (0.05, -1.6448536269514726),
        (0.07, -1.4757910281791706),
        (0.075, -1.439531470938456),
        (0.08, -1.4050715603096327),
        (0.1, -1.2815515655446004),
        (0.25, -0.6744897501960817),
        (0.4, -0.2533471031357997),
        (0.5, 0.0),
        (0.6, 0.2533471031357997),
        (0.75, 0.6744897501960817),
        (0.9, 1.2815515655446006),
        (0.95, 1.6448536269514722),
        (0.975, 1.9599639845400538),
        (0.99, 2.3263478740408408),
        (0.995, 2.5758293035489004),
        (0.9999, 3.7190164854557084),
    ];

    #[test]
    fn quantiles_match_known_values() {
        let mut compared = 0;
        for &(p, x) in CASES {
            let got = normal_quantile(p).unwrap();
            let error = if x == 0.0 {
                got.abs()
            } else {
                (got / x - 1.0).abs()
            };
            assert!(error < 2e-15, "quantile({p}) is {got}, {x} expected");
            compared += 1;
        }
        assert!(compared >= 15);
    }

    #[test]
    fn cdf_matches_known_values() {
        for &(p, x) in CASES {
            let got = normal_cdf(x);
            // A relative slip of one unit in the last place of x moves the tail by about x * x.
            let allowed = 4e-16 * (2.0 + x * x);
            assert!(
                (got / p - 1.0).abs() < allowed,
                "cdf({x}) is {got}, {p} expected"
            );
        }
    }

    #[test]
    fn the_edges_are_absent() {
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(normal_quantile(p), None);
        }
    }

    proptest! {
        #[test]
        fn quantile_undoes_cdf(x in -8.0_f64..5.0) {
            let back = normal_quantile(normal_cdf(x)).unwrap();
            // Above zero p is close to 1, whose last place limits what can be had back.
            let allowed = 1e-13 + 3e-16 / (0.398_942_280_401_432_7 * (-x * x / 2.0).exp());
            prop_assert!((back - x).abs() < if x > 0.0 { allowed } else { 1e-13 }, "{x} {back}");
        }

        #[test]
        fn quantile_is_odd_and_monotone(p in 0.000_1_f64..0.999_9, step in 1e-9_f64..0.1) {
            let x = normal_quantile(p).unwrap();
            prop_assert!((x + normal_quantile(1.0 - p).unwrap()).abs() < 1e-11);
            if let Some(next) = normal_quantile(p + step) {
                prop_assert!(next > x);
            }
        }
    }
}
