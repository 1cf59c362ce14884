//! A greedy plan that is changed by one offer at a time.

use super::super::action::{Action, MOST_COPIES};
use super::super::env::Procurement;
use super::super::menu::Menu;
use super::super::observation::Observation;
use super::super::optimum::fill_greedily;
use super::{best_so_far, cost, effects, submit};
use sim_core::Policy;

/// Assumes that all units are equally effective.
///
/// In the first period it buys repeatedly the offer that adds most to the sum of logarithms per dollar.
/// In every later period it starts from the best plan so far, replaces half of the most expensive line
/// by another offer (each offer in turn) and spends the rest greedily. Starting from the best plan
/// keeps every improvement.
///
/// It has no state and no randomness: the history in the observation decides alone.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl Policy<Procurement> for Greedy {
    fn act(&mut self, observation: &Observation) -> Action {
        let menu = &observation.menu;
        let rows = effects(menu, |_| 1.0);
        let offers = menu.offers.len().max(1);
        let turn = usize::try_from(observation.attempt).unwrap_or(0);
        let start = match (turn.checked_sub(1), best_so_far(observation)) {
            (None, _) => vec![0; menu.offers.len()],
            (Some(before), Some(best)) => exchanged(menu, best, before % offers),
            (Some(before), None) => exchanged(menu, vec![0; menu.offers.len()], before % offers),
        };
        submit(&fill_greedily(menu, &rows, &start))
    }
}

/// The plan with half of its most expensive line replaced by copies of `taker`; unchanged when the
/// released money buys none.
fn exchanged(menu: &Menu, before: Vec<u32>, taker: usize) -> Vec<u32> {
    let mut copies = before.clone();
    let most_expensive = menu
        .offers
        .iter()
        .zip(&before)
        .enumerate()
        .filter(|(number, (_, count))| *number != taker && **count > 0)
        .max_by_key(|(number, (offer, count))| {
            (
                offer.unit_cents * i64::from(**count),
                // `max_by_key` takes the last of equal keys; reversed, the first of the menu gives.
                std::cmp::Reverse(*number),
            )
        });
    if let Some((giver, (offer, &count))) = most_expensive {
        let kept = count / 2;
        if let Some(entry) = copies.get_mut(giver) {
            *entry = if kept < offer.min_copies() { 0 } else { kept };
        }
    }
    // The rest of the budget too, which the best plan so far may have left.
    let left = menu.budget_cents - cost(menu, &copies);
    let (Some(offer), Some(&owned)) = (menu.offers.get(taker), copies.get(taker)) else {
        return before;
    };
    let upfront = if owned > 0 { 0 } else { offer.upfront_cents() };
    let more = (left - upfront)
        .div_euclid(offer.unit_cents)
        .min(i64::from(MOST_COPIES.saturating_sub(owned)));
    let more = u32::try_from(more).unwrap_or(0);
    let count = owned + more;
    if more == 0 || count < offer.min_copies() {
        return before;
    }
    if let Some(entry) = copies.get_mut(taker) {
        *entry = count;
    }
    copies
}
