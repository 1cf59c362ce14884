//! Random offers within the budget.

use super::super::action::{Action, MOST_COPIES};
use super::super::env::Procurement;
use super::super::observation::Observation;
use super::submit;
use sim_core::{Policy, Seed};

/// Visits the offers in random order and buys a random number of copies of each, up to half of the
/// number that the remaining money buys. Plans are always allowed.
///
/// The draws of a period depend on the seed and the number of the period only.
#[derive(Debug, Clone)]
pub struct Random {
    seed: Seed,
}

impl Random {
    /// A policy that draws its random numbers from `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self { seed }
    }
}

impl Policy<Procurement> for Random {
    fn act(&mut self, observation: &Observation) -> Action {
        let menu = &observation.menu;
        let mut draw = self
            .seed
            .stream("random plan", u64::from(observation.attempt));
        let mut order: Vec<usize> = (0..menu.offers.len()).collect();
        draw.shuffle(&mut order);
        let mut copies = vec![0; menu.offers.len()];
        let mut left = menu.budget_cents;
        for number in order {
            let (Some(offer), Some(entry)) = (menu.offers.get(number), copies.get_mut(number))
            else {
                continue;
            };
            let affordable = (left - offer.upfront_cents()).div_euclid(offer.unit_cents);
            let least = i64::from(offer.min_copies());
            if affordable < least {
                continue;
            }
            // Half, so that a single offer does not take the whole budget.
            let count = draw
                .between(least, least.max(affordable / 2))
                .min(i64::from(MOST_COPIES));
            left -= offer.upfront_cents() + offer.unit_cents * count;
            *entry = u32::try_from(count).unwrap_or(0);
        }
        submit(&copies)
    }
}
