//! Metrics of a whole run.
//!
//! Each function takes the submitted actions, period by period, and returns a share or a difference. A
//! metric that is undefined (nothing was submitted) is `None`. Source: the paper's tables 3 and 4; where
//! the text allows several readings, the variants are named here.

/// Share of distinct actions among all that were submitted.
///
/// The actions must be canonical, so that two ways of writing the same plan count as one plan. (The
/// authors' program compares printed text, in which the order of keys matters.)
///
/// ```
/// assert_eq!(econ_envs::metrics::exploration_rate([3, 1, 3, 3]), Some(0.5));
/// ```
///
/// In 0 to 1. Sorting makes it `n log n`; the actions are consumed.
pub fn exploration_rate<T: Ord>(actions: impl IntoIterator<Item = T>) -> Option<f64> {
    let mut actions: Vec<T> = actions.into_iter().collect();
    let all = actions.len();
    actions.sort_unstable();
    actions.dedup();
    share(actions.len(), all)
}

/// Share of submitted plans whose cost lies in 95 % to 100 % of the budget, both ends included.
///
/// `costs` holds the cost of each submitted plan, or `None` for a plan that must not count. In the strict
/// variant that is every infeasible plan, in the loose variant none: a plan over the budget lies outside
/// the range anyway, and a plan below a minimum quantity counts with the cost of its other lines.
///
/// ```
/// use econ_envs::metrics::budget_utilization;
/// assert_eq!(budget_utilization([Some(95), Some(94), Some(101), None], 100), Some(0.25));
/// ```
pub fn budget_utilization(
    costs: impl IntoIterator<Item = Option<i64>>,
    budget: i64,
) -> Option<f64> {
    let (mut all, mut within) = (0, 0);
    for cost in costs {
        all += 1;
        // Whole numbers, because 0.95 has no exact double and both ends count; 128 bits, because a
        // cost from elsewhere times 100 may not fit 64.
        within += usize::from(cost.is_some_and(|cost| {
            cost <= budget && i128::from(cost) * 100 >= i128::from(budget) * 95
        }));
    }
    share(within, all)
}

/// Share of submitted matchings with strictly fewer blocking pairs than every earlier one.
///
/// With `count_first` the first matching counts as an improvement; without it, it does not. The
/// denominator is the number of all submitted matchings in both variants.
///
/// ```
/// use econ_envs::metrics::best_so_far_rate;
/// assert_eq!(best_so_far_rate([9, 7, 8, 7, 6], true), Some(0.6));
/// assert_eq!(best_so_far_rate([9, 7, 8, 7, 6], false), Some(0.4));
/// ```
pub fn best_so_far_rate(
    blocking_pairs: impl IntoIterator<Item = usize>,
    count_first: bool,
) -> Option<f64> {
    let (mut all, mut better) = (0, 0);
    let mut best: Option<usize> = None;
    for pairs in blocking_pairs {
        all += 1;
        let counts = best.map_or(count_first, |best| pairs < best);
        better += usize::from(counts);
        best = Some(best.map_or(pairs, |best| best.min(pairs)));
    }
    share(better, all)
}

/// Mean of `ratios` over the last `late` periods minus the mean over the first `early` ones
/// \[share; times 100 for percentage points\].
///
/// For pricing, `ratios` are profit over optimal profit, `early` is 10 and `late` 50 of 100.
/// Absent when there are fewer than `early + late` periods.
///
/// ```
/// use econ_envs::metrics::adaptability;
/// assert_eq!(adaptability(&[0.25, 0.25, 0.5, 0.75, 0.75], 2, 2), Some(0.5));
/// ```
///
/// A ratio may exceed 1 by the rounding of recorded profits, and may be negative when a
/// price lies below cost, so the difference is not limited to -1 to 1.
#[must_use]
pub fn adaptability(ratios: &[f64], early: usize, late: usize) -> Option<f64> {
    if early == 0 || late == 0 || ratios.len() < early.saturating_add(late) {
        return None;
    }
    let (first, _) = ratios.split_at_checked(early)?;
    let (_, last) = ratios.split_at_checked(ratios.len() - late)?;
    Some(mean(last) - mean(first))
}

#[expect(clippy::cast_precision_loss, reason = "counts of periods")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts of periods")]
fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_metrics_are_absent() {
        assert_eq!(exploration_rate::<u8>([]), None);
        assert_eq!(budget_utilization([], 5), None);
        assert_eq!(best_so_far_rate([], true), None);
        assert_eq!(adaptability(&[1.0; 59], 10, 50), None);
        assert!(adaptability(&[1.0; 60], 10, 50).is_some());
    }

    #[test]
    fn the_range_of_budget_utilization_is_exact() {
        // 95 % of 10,987 cents is 10,437.65: 10,437 is outside, 10,438 inside, as is the budget.
        for (cost, inside) in [(10_437, 0.0), (10_438, 1.0), (10_987, 1.0), (10_988, 0.0)] {
            assert_eq!(
                budget_utilization([Some(cost)], 10_987),
                Some(inside),
                "{cost}"
            );
        }
    }
}
