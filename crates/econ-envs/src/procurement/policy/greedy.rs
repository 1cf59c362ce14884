//! A greedy bundle, changed by one offer at a time.

use super::super::env::{Market, Observation};
use super::super::menu::Menu;
use super::super::optimum::fill_greedily;
use super::super::plan::{MOST_COPIES, PurchasePlan};
use super::{best_so_far, cost, effects, submit};
use sim_core::Policy;

/// Takes every unit for equally effective. It first buys, again and again, the offer that adds
/// most to the sum of logarithms for its money; then, in each period, it takes the best plan so
/// far, gives up half of its dearest line for another offer (each in turn), fills up greedily, and
/// thereby keeps what turns out better.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl Policy<Market> for Greedy {
    fn act(&mut self, observation: &Observation) -> PurchasePlan {
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

/// The plan with half of its dearest line given up for `taker`; unchanged where the released money
/// buys none of that.
fn exchanged(menu: &Menu, before: Vec<u32>, taker: usize) -> Vec<u32> {
    let mut copies = before.clone();
    let dearest = menu
        .offers
        .iter()
        .zip(&before)
        .enumerate()
        .filter(|(number, (_, count))| *number != taker && **count > 0)
        .max_by_key(|(number, (offer, count))| {
            (
                offer.unit_cents * i64::from(**count),
                std::cmp::Reverse(*number),
            )
        });
    if let Some((giver, (offer, &count))) = dearest {
        let kept = count / 2;
        if let Some(entry) = copies.get_mut(giver) {
            *entry = if kept < offer.min_copies() { 0 } else { kept };
        }
    }
    let left = menu.budget_cents - cost(menu, &copies);
    let (Some(offer), Some(&owned)) = (menu.offers.get(taker), copies.get(taker)) else {
        return before;
    };
    let upfront = if owned > 0 { 0 } else { offer.upfront_cents() };
    let more = u32::try_from((left - upfront).div_euclid(offer.unit_cents)).unwrap_or(0);
    let count = owned.saturating_add(more).min(MOST_COPIES);
    if more == 0 || count < offer.min_copies() {
        return before;
    }
    if let Some(entry) = copies.get_mut(taker) {
        *entry = count;
    }
    copies
}
