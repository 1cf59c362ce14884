//! Cost, feasibility and workers of a plan.
//!
//! Money is counted in cents and sums in whole numbers, so that a plan that spends exactly the budget is
//! allowed. (The authors' program compares floating-point dollars and refuses some of these plans.)
//!
//! ```
//! use econ_envs::procurement::evaluate::{Evaluator, geometric_mean};
//! use econ_envs::procurement::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(3), 0))?;
//! let evaluator = Evaluator::new(&instance)?;
//! let plan = evaluator.evaluate(&instance.seed_plan);
//! assert!(plan.is_feasible() && plan.cost_cents <= evaluator.budget_cents());
//! // Workers are the geometric mean of the exact category sums.
//! let sums = evaluator.sums(&instance.seed_plan);
//! assert!((plan.workers - geometric_mean(&sums)).abs() < 1e-9);
//! assert_eq!(geometric_mean(&[2, 4, 8]).round(), 4.0);
//! assert_eq!(geometric_mean(&[2, 0, 8]), 0.0);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::instance::Instance;
use super::menu::OfferId;
use sim_core::{ConfigError, math};

/// Evaluates plans of one market. Its rows are padded to a whole number of vectors.
///
/// It depends on the menu, the effectiveness and the budget; one evaluator serves any
/// number of plans, also from several threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluator {
    categories: usize,
    /// Length of a row: 4, 8, 12, 16, or a multiple of 16.
    stride: usize,
    rows: Rows,
    /// Largest entry of a row.
    largest: u64,
    prices: Vec<Price>,
    budget: i64,
}

/// What a copy of each offer adds to the sum of each category, one row after the other.
#[derive(Debug, Clone, PartialEq)]
enum Rows {
    /// Whole numbers below 2^24, which single precision holds exactly.
    Single(Vec<f32>),
    Whole(Vec<u32>),
}

/// Whole numbers up to here are exact in single precision.
const EXACT_SINGLE: u64 = 1 << 24;

/// Conditions of an offer; the amounts are in cents, at most
/// [`MOST_CENTS`](super::menu::MOST_CENTS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Price {
    unit: u32,
    upfront: u32,
    minimum: u32,
}

/// The evaluation of a plan. Cost and workers are given for plans that are not allowed too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanEvaluation {
    /// Cost \[cents\]; a line below its minimum quantity counts as 0.
    pub cost_cents: i64,
    /// Number of lines below their minimum quantity.
    pub under_minimum: u32,
    /// Whether the cost exceeds the budget.
    pub over_budget: bool,
    /// Workers: the geometric mean of the category sums, whether the plan is allowed or not.
    pub workers: f64,
}

impl PlanEvaluation {
    /// Whether the plan is allowed.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.under_minimum == 0 && !self.over_budget
    }
}

/// `workers` rounded to two decimals, as agents see them.
#[must_use]
pub fn shown_workers(workers: f64) -> f64 {
    // Rounds by formatting, so that the number and its text never differ in the last digit.
    format!("{workers:.2}").parse().unwrap_or(workers)
}

impl Evaluator {
    /// An evaluator for the plans of `instance`.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    pub fn new(instance: &Instance) -> Result<Self, ConfigError> {
        instance.check()?;
        Ok(Self::of_checked(instance))
    }

    /// An evaluator for an instance that was checked or just drawn.
    pub(super) fn of_checked(instance: &Instance) -> Self {
        let categories = instance.menu.categories();
        let stride = match categories {
            0..=16 => categories.next_multiple_of(4).max(4),
            _ => categories.next_multiple_of(16),
        };
        let mut rows = vec![0; stride * instance.menu.offers.len()];
        let mut sums = vec![0; categories];
        for (offer, row) in instance
            .menu
            .offers
            .iter()
            .zip(rows.chunks_exact_mut(stride))
        {
            instance.write_row(offer, &mut sums);
            for (value, &sum) in row.iter_mut().zip(&sums) {
                // INVARIANT: a checked instance has no effect above 1e9.
                *value = u32::try_from(sum).unwrap_or(u32::MAX);
            }
        }
        // INVARIANT: a checked instance has no price above 1e8 cents.
        let in_cents = |cents: i64| u32::try_from(cents).unwrap_or(u32::MAX);
        let prices = instance.menu.offers.iter().map(|offer| Price {
            unit: in_cents(offer.unit_cents),
            upfront: in_cents(offer.upfront_cents()),
            minimum: offer.min_copies(),
        });
        let largest = rows.iter().copied().max().map_or(0, u64::from);
        #[expect(clippy::cast_precision_loss, reason = "below 2^24")]
        let rows = if stride <= 16 && largest < EXACT_SINGLE {
            Rows::Single(rows.iter().map(|&value| value as f32).collect())
        } else {
            Rows::Whole(rows)
        };
        Self {
            categories,
            stride,
            rows,
            largest,
            prices: prices.collect(),
            budget: instance.menu.budget_cents,
        }
    }

    /// Number of offers.
    #[must_use]
    pub fn offers(&self) -> usize {
        self.prices.len()
    }

    /// The budget \[cents\].
    #[must_use]
    pub fn budget_cents(&self) -> i64 {
        self.budget
    }

    /// Evaluates the lines of a plan. Lines for offers that do not exist are ignored;
    /// [`Action::check`](super::Action::check) finds them.
    ///
    /// # Complexity
    /// Proportional to the number of lines with copies, times the number of categories.
    ///
    /// Amounts beyond [`MOST_COPIES`](super::action::MOST_COPIES), which no
    /// [`Action`](super::Action) holds, saturate the cost and the sums instead of
    /// overflowing.
    #[must_use]
    pub fn evaluate(&self, lines: &[(OfferId, u32)]) -> PlanEvaluation {
        self.by_stride(lines.iter().map(|&(offer, copies)| (offer.index(), copies)))
    }

    /// Evaluates a plan that is given as the number of copies of each offer, in order.
    ///
    /// The list may be shorter than the menu; entries beyond it are ignored.
    #[must_use]
    pub fn evaluate_counts(&self, copies: &[u32]) -> PlanEvaluation {
        self.by_stride(copies.iter().copied().enumerate())
    }

    /// The exact sum of each category.
    #[must_use]
    pub fn sums(&self, lines: &[(OfferId, u32)]) -> Vec<u64> {
        self.whole_sums(lines.iter().map(|&(offer, copies)| (offer.index(), copies)))
    }

    fn whole_sums(&self, lines: impl Iterator<Item = (usize, u32)>) -> Vec<u64> {
        let mut sums = vec![0_u64; self.categories];
        for (offer, copies) in lines {
            let Some(row) = self.row(offer) else {
                continue;
            };
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum = sum.saturating_add(value * u64::from(copies));
            }
        }
        sums
    }

    /// The entries of an offer's row.
    fn row(&self, offer: usize) -> Option<impl Iterator<Item = u64> + '_> {
        let start = offer.checked_mul(self.stride)?;
        let place = start..start + self.stride;
        // One of the two is empty, so that both kinds of rows give one type of iterator.
        let (single, whole) = match &self.rows {
            Rows::Single(rows) => (rows.get(place)?, &[][..]),
            Rows::Whole(rows) => (&[][..], rows.get(place)?),
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole numbers"
        )]
        let single = single.iter().map(|&value| value as u64);
        Some(single.chain(whole.iter().map(|&value| u64::from(value))))
    }

    fn by_stride(&self, lines: impl Iterator<Item = (usize, u32)> + Clone) -> PlanEvaluation {
        // Whether the quick sums are exact is known when all copies are counted, so the rare plan
        // that is too large is walked twice; counting first would walk every plan twice.
        let quick = match self.stride {
            4 => self.run_small::<4>(lines.clone()),
            8 => self.run_small::<8>(lines.clone()),
            12 => self.run_small::<12>(lines.clone()),
            16 => self.run_small::<16>(lines.clone()),
            _ => None,
        };
        quick.unwrap_or_else(|| self.run_any(lines))
    }

    /// Sums in single precision; `None` when a sum might not be exact. One instruction adds four sums on
    /// every x86-64 processor, and the row length is a constant, so the loop over categories is unrolled.
    fn run_small<const N: usize>(
        &self,
        lines: impl Iterator<Item = (usize, u32)>,
    ) -> Option<PlanEvaluation> {
        let Rows::Single(rows) = &self.rows else {
            return None;
        };
        let (rows, _) = rows.as_chunks::<N>();
        let mut sums = [0.0_f32; N];
        let mut bill = Bill::default();
        for (offer, copies) in lines {
            if copies == 0 {
                continue;
            }
            let (Some(row), Some(price)) = (rows.get(offer), self.prices.get(offer)) else {
                continue;
            };
            bill.add(price, copies);
            #[expect(clippy::cast_precision_loss, reason = "checked below")]
            let many = copies as f32;
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += value * many;
            }
        }
        // The sum of a category is at most all copies times the largest entry. Below 2^24
        // every intermediate sum is a whole number that single precision holds exactly,
        // so the quick result equals the exact one.
        let exact = bill.copies.saturating_mul(self.largest) < EXACT_SINGLE;
        exact.then(|| {
            let sums = sums.map(f64::from);
            self.finish(
                &bill,
                sums.get(..self.categories)
                    .unwrap_or_default()
                    .iter()
                    .copied(),
            )
        })
    }

    /// Sums in 64-bit whole numbers, for any number of categories.
    fn run_any(&self, lines: impl Iterator<Item = (usize, u32)> + Clone) -> PlanEvaluation {
        // Of a list of all offers most have no copies: their rows are not walked.
        let lines = lines.filter(|(_, copies)| *copies > 0);
        let sums = self.whole_sums(lines.clone());
        let mut bill = Bill::default();
        for (offer, copies) in lines {
            if let Some(price) = self.prices.get(offer) {
                bill.add(price, copies);
            }
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a relative error of 1e-16 is allowed"
        )]
        let sums = sums.into_iter().map(|sum| sum as f64);
        self.finish(&bill, sums)
    }

    fn finish(&self, bill: &Bill, sums: impl ExactSizeIterator<Item = f64>) -> PlanEvaluation {
        PlanEvaluation {
            cost_cents: bill.cost,
            under_minimum: bill.under_minimum,
            over_budget: bill.cost > self.budget,
            workers: mean_of(sums),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Bill {
    cost: i64,
    under_minimum: u32,
    copies: u64,
}

impl Bill {
    /// Adds a line with copies. It has no branch, because the processor could not predict which lines
    /// are below their minimum.
    #[inline]
    fn add(&mut self, price: &Price, copies: u32) {
        let enough = copies >= price.minimum;
        self.under_minimum += u32::from(!enough);
        let cost = i64::from(enough)
            * (i64::from(price.upfront) + i64::from(price.unit) * i64::from(copies));
        // Plans of the environment stay far below the limit; lists from elsewhere may not.
        self.cost = self.cost.saturating_add(cost);
        self.copies += u64::from(copies);
    }
}

/// The geometric mean of category sums: their product to the power of one over their number; 0
/// when there are none or one is 0.
///
/// The sums are those of [`Evaluator::sums`].
#[must_use]
pub fn geometric_mean(sums: &[u64]) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a relative error of 1e-16 is allowed"
    )]
    mean_of(sums.iter().map(|&sum| sum as f64))
}

/// Takes the logarithm of a product of many factors instead of one logarithm per factor, because a
/// logarithm costs as much as tens of multiplications; the limit of 1e280 prevents overflow, since a sum
/// is at most 1e18.
fn mean_of(sums: impl ExactSizeIterator<Item = f64>) -> f64 {
    let k = sums.len();
    let (mut logs, mut product) = (0.0, 1.0_f64);
    for sum in sums {
        product *= sum;
        if product > 1e280 {
            logs += math::ln(product);
            product = 1.0;
        }
    }
    match (product, k) {
        (0.0, _) | (_, 0) => 0.0,
        // A single sum needs no root.
        (product, 1) => product,
        #[expect(clippy::cast_precision_loss, reason = "at most 63 categories")]
        (product, k) => math::exp((logs + math::ln(product)) / k as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_is_exact_enough_at_both_ends() {
        assert_eq!(geometric_mean(&[]), 0.0);
        assert_eq!(geometric_mean(&[7]), 7.0);
        assert_eq!(geometric_mean(&[4, 0, 9]), 0.0);
        assert!((geometric_mean(&[4, 9]) - 6.0).abs() < 1e-14);
        let wide = geometric_mean(&[1_000_000_000_000_000_000; 63]);
        assert!((wide / 1e18 - 1.0).abs() < 1e-12, "{wide}");
    }

    /// Lists of copies that no plan of the environment holds give a huge cost, not an overflow.
    #[test]
    fn amounts_beyond_every_plan_saturate() {
        let config = crate::procurement::Config::hard();
        let episode = sim_core::Episode::of_run(sim_core::Seed(1), 0);
        let mut instance = Instance::generate(&config, episode).unwrap();
        for offer in &mut std::sync::Arc::make_mut(&mut instance.menu).offers {
            offer.unit_cents = crate::procurement::menu::MOST_CENTS;
        }
        let evaluator = Evaluator::new(&instance).unwrap();
        let copies = [u32::MAX; 100];
        let result = evaluator.evaluate_counts(&copies);
        assert_eq!(result.cost_cents, i64::MAX);
        assert!(result.over_budget && !result.is_feasible());
        let lines: Vec<_> = (0..).map(OfferId).zip(copies).collect();
        assert_eq!(evaluator.evaluate(&lines), result);
        assert!(evaluator.sums(&lines).iter().all(|&sum| sum > 1 << 32));
    }

    #[test]
    fn shown_workers_have_two_decimals() {
        assert_eq!(shown_workers(4.674_999), 4.67);
        assert_eq!(shown_workers(0.0), 0.0);
        assert_eq!(shown_workers(1.005), 1.0); // the double below 1.005
    }
}
