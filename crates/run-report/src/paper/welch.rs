//! Welch's test of two means.

use sim_core::stats::{mean, sd};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The result of Welch's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Welch {
    /// Mean of the first less mean of the second.
    pub(super) difference: f64,
    /// 95 % interval of the difference.
    pub(super) ci95: [f64; 2],
    /// Probability of a difference this small or smaller if both means were equal.
    pub(super) p_less: f64,
}

/// Compares the means of two independent samples whose variances may differ. `None` where one has fewer
/// than two values or neither varies.
///
/// # Source
/// B. L. Welch, "The generalization of Student's problem when several different population variances
/// are involved", Biometrika 34, 1947; degrees of freedom by Satterthwaite.
pub(super) fn welch(first: &[f64], second: &[f64]) -> Option<Welch> {
    let part = |values: &[f64]| {
        let n = values.len() as f64;
        Some((mean(values)?, sd(values)?.powi(2) / n, n))
    };
    let ((mean_a, error_a, n_a), (mean_b, error_b, n_b)) = (part(first)?, part(second)?);
    let variance = error_a + error_b;
    if variance <= 0.0 {
        return None;
    }
    let freedom =
        variance.powi(2) / (error_a.powi(2) / (n_a - 1.0) + error_b.powi(2) / (n_b - 1.0));
    let law = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let (difference, error) = (mean_a - mean_b, variance.sqrt());
    let half = law.inverse_cdf(0.975) * error;
    Some(Welch {
        difference,
        ci95: [difference - half, difference + half],
        p_less: law.cdf(difference / error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures are those of `scipy.stats.ttest_ind(a, b, equal_var=False, alternative="less")`.
    #[test]
    fn welch_agrees_with_scipy() {
        let a = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9];
        let b = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8];
        let test = welch(&a, &b).unwrap();
        let close =
            |ours: f64, theirs: f64| assert!((ours - theirs).abs() < 1e-9, "{ours} {theirs}");
        close(test.difference, -2.714_285_714_285_719);
        close(test.p_less, 0.087_466_775_355_260_64);
        close(test.ci95[0], -6.944_650_517_268_16);
        close(test.ci95[1], 1.516_079_088_696_722_4);
        assert_eq!(welch(&a, &[1.0]), None);
        assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0]), None);
    }
}
