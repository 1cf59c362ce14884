//! Welch's t-test: are the means of two independent samples different?

use super::{mean, sd};
use crate::math;
use serde::Serialize;

/// The result of Welch's t-test of two independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WelchTest {
    /// Mean of the first sample minus that of the second \[unit of the samples\].
    pub difference: f64,
    /// `difference` over its standard error.
    pub t: f64,
    /// Degrees of freedom after Welch and Satterthwaite; rarely whole.
    pub degrees: f64,
    /// Probability of this `t` or a larger one if the means are equal: small where the first mean
    /// is larger than the second.
    pub p_greater: f64,
}

/// Compares the means of two independent samples whose variances may differ; `None` where one has
/// fewer than two values, or where neither varies.
///
/// The test treats every value as an observation of its own and the means as normal. With a
/// dozen skewed values a side it is an approximation.
///
/// # Source
/// Welch, The generalization of Student's problem when several different population variances are
/// involved, Biometrika 34, 1947.
///
/// ```
/// use sim_core::stats::welch_test;
///
/// let easy = [1.0, 0.9, 1.0, 0.8, 1.0, 0.9];
/// let hard = [0.5, 0.7, 0.4, 0.6, 0.8, 0.3];
/// let test = welch_test(&easy, &hard).ok_or("both vary")?;
/// assert!(test.difference > 0.38 && test.p_greater < 0.01);
/// assert!(welch_test(&easy, &[0.5]).is_none());
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn welch_test(first: &[f64], second: &[f64]) -> Option<WelchTest> {
    let share = |values: &[f64]| Some(sd(values)?.powi(2) / values.len() as f64);
    let difference = mean(first)? - mean(second)?;
    let (a, b) = (share(first)?, share(second)?);
    let error = (a + b).sqrt();
    if error <= 0.0 {
        return None;
    }
    let freedom = |share: f64, values: &[f64]| share * share / (values.len() - 1) as f64;
    let degrees = (a + b) * (a + b) / (freedom(a, first) + freedom(b, second));
    let t = difference / error;
    Some(WelchTest {
        difference,
        t,
        degrees,
        p_greater: student_tail(t, degrees),
    })
    .filter(|test| test.t.is_finite() && test.degrees.is_finite())
}

/// Probability that Student's t with `degrees` degrees of freedom is `t` or more.
fn student_tail(t: f64, degrees: f64) -> f64 {
    let x = degrees / (degrees + t * t);
    // The tail itself and not 1 minus the rest: small probabilities are what a reader looks at.
    let half = 0.5 * regularised_beta(x, 0.5 * degrees, 0.5);
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The regularised incomplete beta function `I_x(a, b)` for `x` in 0..=1 and positive `a` and `b`.
fn regularised_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean of the beta distribution; above it, the symmetry
    // I_x(a, b) = 1 - I_(1-x)(b, a) is used.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularised_beta(1.0 - x, b, a);
    }
    let front = math::ln_gamma(a + b) - math::ln_gamma(a) - math::ln_gamma(b)
        + a * math::ln(x)
        + b * math::ln_1p(-x);
    math::exp(front) * continued_fraction(x, a, b) / a
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    /// Terms after which the value is taken as it is; 200 are enough for every sample size.
    const MOST: u32 = 1_000;
    const TINY: f64 = 1e-300;
    // Lentz divides by partial results, of which one may be 0 although the fraction is finite.
    let safe = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for number in 1..=MOST {
        let m = f64::from(number);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / safe(1.0 + even * d);
        c = safe(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / safe(1.0 + odd * d);
        c = safe(1.0 + odd / c);
        let step = d * c;
        value *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 1, 2 and 4 degrees of freedom the distribution has closed forms.
    #[test]
    fn tails_are_those_of_the_closed_forms() {
        for t in [-30.0, -3.0, -0.7, 0.0, 0.2, 1.0, 2.5, 12.0, 400.0_f64] {
            let one = 0.5 - t.atan() / std::f64::consts::PI;
            let two = 0.5 - t / (2.0 * (2.0 + t * t).sqrt());
            let u = t / (4.0 + t * t).sqrt();
            let four = 0.5 - 0.75 * (u - u.powi(3) / 3.0);
            for (degrees, known) in [(1.0, one), (2.0, two), (4.0, four)] {
                let tail = student_tail(t, degrees);
                assert!(
                    (tail - known).abs() < 1e-13,
                    "{t} {degrees}: {tail} {known}"
                );
            }
        }
        // Many degrees of freedom: the normal distribution.
        let tail = student_tail(1.96, 1e7);
        assert!((tail - (1.0 - crate::stats::normal_cdf(1.96))).abs() < 1e-7);
    }

    /// Means 3 and 6, variances 5/2 and 10 of five values each: by hand, t is -3 / sqrt(5/2) with
    /// 100/17 degrees of freedom.
    #[test]
    fn a_test_by_hand() {
        let test = welch_test(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 4.0, 6.0, 8.0, 10.0]).unwrap();
        assert_eq!(test.difference, -3.0);
        assert!((test.t + 3.0 / 2.5_f64.sqrt()).abs() < 1e-14);
        assert!((test.degrees - 100.0 / 17.0).abs() < 1e-12);
        assert!((test.p_greater - 0.946_234_402_534).abs() < 1e-9);
        // The other way round it is the other tail.
        let back = welch_test(&[2.0, 4.0, 6.0, 8.0, 10.0], &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((back.p_greater + test.p_greater - 1.0).abs() < 1e-12);
    }

    #[test]
    fn samples_that_do_not_vary_have_no_test() {
        assert_eq!(welch_test(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(welch_test(&[1.0], &[2.0, 3.0]), None);
        assert!(welch_test(&[1.0, 1.0], &[2.0, 3.0]).is_some());
    }
}
