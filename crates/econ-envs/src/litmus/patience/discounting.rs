//! The discount factor that explains the answers best.
//!
//! The reliability of a factor is a step function, so there is no gradient and many factors may be equally
//! good. All factors on the authors' grid are tried and the median of the best ones is the result.
//!
//! ```
//! use econ_envs::litmus::patience::discounting::{AmountAnswers, fit};
//!
//! // For one year (delay 2), an agent that waits exactly for more than 107 dollars.
//! let answers: Vec<AmountAnswers> = (1010..=1200)
//!     .step_by(10)
//!     .map(|tenths| AmountAnswers { delay: 2, tenths, waited: if tenths > 1070 { 1.0 } else { 0.0 } })
//!     .collect();
//! let found = fit(&answers, &[2], 200).ok_or("no answers")?;
//! // All rates between 7 and 8 per cent explain the answers; the median is in the middle.
//! assert!((7.0..=8.0).contains(&found.rate));
//! assert_eq!(found.reliability, 1.0);
//! assert!(fit(&answers, &[0], 200).is_none());
//! # Ok::<(), &str>(())
//! ```

use super::config::{DELAYS, Offer};
use sim_core::math;

/// The answers for one amount.
///
/// `waited` lies in 0 to 1. Unreadable and forfeited answers count as waiting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmountAnswers {
    /// Index of its delay in [`DELAYS`].
    pub delay: usize,
    /// The later amount \[tenths of a dollar\].
    pub tenths: u32,
    /// Share of answers that waited for it.
    pub waited: f64,
}

impl AmountAnswers {
    pub(super) fn new(offer: Offer, asked: u32, now: u32) -> Option<Self> {
        (asked > 0).then(|| Self {
            delay: offer.delay,
            tenths: offer.tenths,
            // Everything but a readable "now" is waiting, as the authors count.
            waited: 1.0 - f64::from(now) / f64::from(asked),
        })
    }

    /// The later amount \[dollars\].
    fn amount(&self) -> f64 {
        f64::from(self.tenths) / 10.0
    }
}

/// A discount factor and how well it explains the answers.
///
/// `reliability` lies in 0 to 1; answers given by the toss of a coin reach about a half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscountFit {
    /// Median of the best yearly rates \[%\].
    pub rate: f64,
    /// Share of answers that these rates explain.
    pub reliability: f64,
}

/// Sums that differ by less count as equal.
const SAME: f64 = 1e-12;

/// Fits the yearly rate, from 0 to `most` in steps of 0.1 %, to the answers for the given delays, which
/// have equal weight. `None` without answers.
///
/// Delays that do not exist or have no answers are left out. `most` is the largest step:
/// 200 means rates of up to 20 %.
///
/// # Complexity
/// The number of answers for each cutoff between two amounts, and `most + 1` powers for each delay.
#[must_use]
pub fn fit(answers: &[AmountAnswers], delays: &[usize], most: u32) -> Option<DiscountFit> {
    let mut groups: Vec<Group> = delays
        .iter()
        .filter_map(|&h| {
            let own = answers.iter().filter(|a| a.delay == h).copied().collect();
            Group::new(DELAYS.get(h)?.years, own)
        })
        .collect();
    if groups.is_empty() {
        return None;
    }
    let mut best = f64::NEG_INFINITY;
    let mut maximisers: Vec<u32> = Vec::new();
    for step in 0..=most {
        // Divided and not added up, so that the grid has no rounding of its own.
        let factor = f64::from(1000 + step) / 1000.0;
        let sum: f64 = groups
            .iter_mut()
            .map(|group| group.reliability(factor))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "at most four delays")]
        let value = sum / groups.len() as f64;
        // Reliabilities that are equal may come from other sums and counts, which round
        // differently.
        if value > best + SAME {
            best = value;
            maximisers.clear();
        }
        if value >= best - SAME {
            maximisers.push(step);
        }
    }
    let middle = |at: usize| maximisers.get(at).copied().map_or(0.0, f64::from);
    let half = maximisers.len() / 2;
    let median = if maximisers.len() % 2 == 1 {
        middle(half)
    } else {
        0.5 * (middle(half - 1) + middle(half))
    };
    Some(DiscountFit {
        rate: median / 10.0,
        reliability: best,
    })
}

/// The answers for one delay.
struct Group {
    years: f64,
    answers: Vec<AmountAnswers>,
    /// The amounts in order \[dollars\].
    amounts: Vec<f64>,
    /// Number of amounts below the last cutoff, and up to it.
    below: usize,
    reached: usize,
    /// The reliability at the last cutoff.
    last: Option<f64>,
}

impl Group {
    /// `None` without answers.
    fn new(years: f64, answers: Vec<AmountAnswers>) -> Option<Self> {
        // Sorted once: the cutoff only rises during a fit, so two counters replace a search in
        // every step.
        let mut amounts: Vec<f64> = answers.iter().map(AmountAnswers::amount).collect();
        amounts.sort_by(f64::total_cmp);
        (!answers.is_empty()).then_some(Self {
            years,
            answers,
            amounts,
            below: 0,
            reached: 0,
            last: None,
        })
    }

    /// [`reliability`] at a yearly `factor`, which must not be below the one before. It changes only where the
    /// cutoff passes an amount, which most of the steps of a fit do not.
    fn reliability(&mut self, factor: f64) -> f64 {
        let cutoff = 100.0 * math::pow(factor, self.years);
        let before = (self.below, self.reached);
        while self.amounts.get(self.below).is_some_and(|a| *a < cutoff) {
            self.below += 1;
        }
        while self.amounts.get(self.reached).is_some_and(|a| *a <= cutoff) {
            self.reached += 1;
        }
        match self.last {
            Some(share) if before == (self.below, self.reached) => share,
            _ => *self.last.insert(reliability(cutoff, &self.answers)),
        }
    }
}

/// Share of answers for one delay that a cutoff \[dollars\] explains; an amount exactly at the cutoff is
/// left out.
fn reliability(cutoff: f64, answers: &[AmountAnswers]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0_f64);
    for answer in answers {
        if answer.amount() > cutoff {
            sum += answer.waited;
            count += 1.0;
        } else if answer.amount() < cutoff {
            sum += 1.0 - answer.waited;
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::patience::Config;

    /// Answers of an agent that discounts at exactly `rate` per cent a year.
    fn discounter(rate: f64) -> Vec<AmountAnswers> {
        let offers = Config::default().offers();
        let waits = |o: &Offer| {
            let years = DELAYS[o.delay].years;
            f64::from(o.tenths) / 10.0 > 100.0 * (1.0 + rate / 100.0).powf(years)
        };
        offers
            .iter()
            .filter_map(|o| AmountAnswers::new(*o, 20, if waits(o) { 0 } else { 20 }))
            .collect()
    }

    #[test]
    fn a_consistent_discounter_is_found() {
        for rate in [2.35, 5.05, 9.95, 15.15] {
            let answers = discounter(rate);
            let found = fit(&answers, &[0, 1, 2, 3], 200).unwrap();
            assert!((found.rate - rate).abs() <= 0.11, "{rate}: {found:?}");
            assert!((found.reliability - 1.0).abs() < 1e-9);
            for delay in 0..4 {
                let one = fit(&answers, &[delay], 1999).unwrap();
                assert!((one.reliability - 1.0).abs() < 1e-9);
            }
        }
    }

    /// Amounts in any order, several times, and exactly at a cutoff (105 dollars at 5 % for one year).
    #[test]
    fn a_group_that_skips_steps_equals_the_plain_sum() {
        let mut stream = sim_core::Seed(3).stream("answers", 0);
        let mut met = 0;
        for years in [1.0, 2.0] {
            let mut answers: Vec<AmountAnswers> = (0..60)
                .map(|_| AmountAnswers {
                    delay: 0,
                    tenths: 1_000 + 10 * u32::try_from(stream.below(40)).unwrap(),
                    waited: stream.unit(),
                })
                .collect();
            answers[7].tenths = 1_050;
            let mut group = Group::new(years, answers.clone()).unwrap();
            for step in 0..=400 {
                let factor = f64::from(1_000 + step) / 1_000.0;
                let cutoff = 100.0 * math::pow(factor, years);
                met += answers.iter().filter(|a| a.amount() == cutoff).count();
                let plain = reliability(cutoff, &answers);
                assert_eq!(group.reliability(factor).to_bits(), plain.to_bits());
            }
        }
        assert!(met > 0, "no amount was exactly at a cutoff");
    }

    #[test]
    fn no_answer_gives_no_fit_and_a_coin_gives_a_half() {
        assert!(fit(&[], &[0, 1, 2, 3], 200).is_none());
        let coin: Vec<AmountAnswers> = Config::default()
            .offers()
            .into_iter()
            .filter_map(|o| AmountAnswers::new(o, 20, 10))
            .collect();
        assert!((fit(&coin, &[0, 1, 2, 3], 200).unwrap().reliability - 0.5).abs() < 1e-9);
    }
}
