//! pass^k: how reliably an agent succeeds, not how often.

/// Probability that k fresh trials of one task all succeed, estimated from `successes` of `trials`:
/// `C(successes, k) / C(trials, k)`, the share of k-subsets of the trials without a failure.
///
/// The estimate is unbiased for p^k; `(successes / trials)^k` is not. Source: S. Yao and others,
/// "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains", 2024. Absent for
/// `k` = 0, `k` > `trials`, and `successes` > `trials`.
///
/// ```
/// use sim_core::stats::pass_k;
/// assert_eq!(pass_k(3, 4, 1), Some(0.75));
/// assert_eq!(pass_k(3, 4, 2), Some(0.5)); // 3 of the 6 pairs
/// assert_eq!(pass_k(3, 4, 4), Some(0.0));
/// assert_eq!(pass_k(3, 4, 5), None);
/// ```
#[must_use]
pub fn pass_k(successes: u32, trials: u32, k: u32) -> Option<f64> {
    if k == 0 || k > trials || successes > trials {
        return None;
    }
    if k > successes {
        return Some(0.0);
    }
    // C(c, k) / C(n, k) is the product of (c - i) / (n - i), which never overflows.
    Some(
        (0..k)
            .map(|i| f64::from(successes - i) / f64::from(trials - i))
            .product(),
    )
}

/// Mean of [`pass_k`] over tasks, each given as (successes, trials).
///
/// Absent for no tasks, and where it is absent for one task: leaving out the tasks with too few
/// trials would change what is measured. For an interval pass the tasks' values to
/// [`mean_interval`](super::mean_interval), with the task as the unit.
///
/// ```
/// use sim_core::stats::mean_pass_k;
/// assert_eq!(mean_pass_k(&[(4, 4), (2, 4)], 2), Some((1.0 + 1.0 / 6.0) / 2.0));
/// ```
#[must_use]
pub fn mean_pass_k(tasks: &[(u32, u32)], k: u32) -> Option<f64> {
    let values: Option<Vec<f64>> = tasks
        .iter()
        .map(|&(successes, trials)| pass_k(successes, trials, k))
        .collect();
    super::mean(&values?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// The share of k-subsets of trials that hold no failure, counted one by one.
    fn by_counting(successes: u32, trials: u32, k: u32) -> f64 {
        let (mut all, mut clean) = (0_u32, 0_u32);
        for subset in 0_u32..1 << trials {
            if subset.count_ones() == k {
                all += 1;
                // the first `successes` trials succeeded
                clean += u32::from(subset >> successes == 0);
            }
        }
        f64::from(clean) / f64::from(all)
    }

    #[test]
    fn equals_counting_subsets() {
        let mut compared = 0;
        for trials in 1..=10 {
            for successes in 0..=trials {
                for k in 1..=trials {
                    let got = pass_k(successes, trials, k).unwrap();
                    assert!((got - by_counting(successes, trials, k)).abs() < 1e-14);
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 440);
    }

    #[test]
    fn is_unbiased_where_the_power_of_the_mean_is_not() {
        let (p, trials, k) = (0.7, 8_u32, 4_u32);
        let mut stream = Seed(11).stream("trials", 0);
        let tasks: Vec<(u32, u32)> = (0..40_000)
            .map(|_| {
                (
                    (0..trials).map(|_| u32::from(stream.chance(p))).sum(),
                    trials,
                )
            })
            .collect();
        let truth = p.powi(4);
        let estimate = mean_pass_k(&tasks, k).unwrap();
        assert!(
            (estimate - truth).abs() < 0.006,
            "{estimate} instead of {truth}"
        );
        let naive: f64 = tasks
            .iter()
            .map(|t| (f64::from(t.0) / f64::from(t.1)).powi(4))
            .sum::<f64>()
            / 4e4;
        assert!(
            (naive - truth).abs() > 0.03,
            "the biased estimator gives {naive}"
        );
    }

    #[test]
    fn undefined_is_absent() {
        for (successes, trials, k) in [(1, 2, 0), (1, 2, 3), (3, 2, 1), (0, 0, 1)] {
            assert_eq!(pass_k(successes, trials, k), None);
        }
        assert_eq!(mean_pass_k(&[], 1), None);
        assert_eq!(mean_pass_k(&[(4, 4), (1, 1)], 2), None);
    }
}
