//! Turns fractional plans into good whole plans: rounding, greedy filling, exchanges of a few copies.

// A good plan early in the search raises the threshold and so closes most nodes; that is worth more than
// a faster relaxation.

#![expect(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "rows have N entries, and every vector here has one entry an offer"
)]

use super::bound::dot;
use super::program::{Domain, Program, whole};
use crate::procurement::action::MOST_COPIES;
use sim_core::math;

/// A plan under construction with its category sums and the money left \[cents\].
#[derive(Debug, Clone)]
pub(super) struct Draft<const N: usize> {
    pub(super) copies: Vec<u32>,
    pub(super) sums: [f64; N],
    pub(super) left: f64,
}

/// Sums below this value count as this value, so that a first unit has a finite gain.
const BARELY: f64 = 0.01;
/// Largest number of copies that one exchange gives up.
// This and the next number are chosen, not measured. After a worse draft the search may need more nodes; what it
// proves holds all the same.
const MOST_GIVEN: u32 = 3;
/// Most exchanges of a draft.
const MOST_EXCHANGES: usize = 200;
/// Copies of an offer from which on [`Draft::pay`] removes several at once: one in so many.
const FINE: u32 = 1024;
/// Limit on the work of all exchanges of a draft, where one exchange counts offers squared times
/// categories. The largest published level uses a fifth of it.
const MOST_WORK: usize = 100_000_000;
/// Upper bounds are raised by this factor and, where logarithms are near 0, by [`NEAR_ZERO`] before a comparison
/// skips an offer: rounding errors are far smaller, so that no better offer is skipped.
const ROUNDED_UP: f64 = 1.0 + 1e-11;
const NEAR_ZERO: f64 = 1e-14;
/// Products whose logarithm is at most this are finite.
const NO_OVERFLOW: f64 = 700.0;

impl<const N: usize> Draft<N> {
    /// Whole copies near `fractional` (pairs of offer and copies; other offers get their least number of
    /// copies), within the budget.
    pub(super) fn round(
        program: &Program<N>,
        domains: &[Domain],
        fractional: impl Iterator<Item = (usize, f64)>,
    ) -> Self {
        let mut copies: Vec<u32> = domains.iter().map(|domain| domain.least()).collect();
        for (offer, x) in fractional {
            let domain = domains[offer];
            // Down, because rounding up could exceed the budget; the money that is left
            // is spent by `fill`.
            // The interior point stays strictly inside its limits, so 3 copies may come as
            // 2.9999999.
            let down = whole(x + 1e-6).max(domain.least());
            copies[offer] = if down >= domain.low || down == 0 {
                down
            // Between 0 and the minimum quantity nothing is allowed: the nearer end. `pay` mends
            // the budget where that was too much.
            } else if x * 2.0 >= f64::from(domain.low) {
                domain.low
            } else {
                0
            };
        }
        let mut draft = Self::of(program, copies);
        draft.pay(program);
        draft
    }

    /// A draft of given copies.
    pub(super) fn of(program: &Program<N>, copies: Vec<u32>) -> Self {
        Self {
            sums: program.sums(&copies),
            left: program.budget - program.spent(&copies),
            copies,
        }
    }

    /// Removes the copies with the smallest gain per cent until the plan is within the budget.
    fn pay(&mut self, program: &Program<N>) {
        while self.left < 0.0 {
            let worst = (0..self.copies.len())
                .filter(|&offer| self.copies[offer] > 0)
                .map(|offer| (offer, self.gain(program, offer, 1.0) / program.unit[offer]))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((offer, _)) = worst else { return };
            // One at a time, since every copy changes the gains. A debt of a million copies would take as
            // many steps, so large holdings shrink by a share, and by no more than the debt needs.
            let held = self.copies[offer];
            let owed = whole((-self.left / program.unit[offer]).ceil());
            let fewer = held - owed.clamp(1, (held / FINE).max(1));
            self.set(program, offer, program.or_none(offer, fewer));
        }
    }

    /// Changes the copies of one offer.
    fn set(&mut self, program: &Program<N>, offer: usize, copies: u32) {
        let before = self.copies[offer];
        self.left += program.cost(offer, before) - program.cost(offer, copies);
        let change = f64::from(copies) - f64::from(before);
        for c in 0..N {
            self.sums[c] += program.rows[offer][c] * change;
        }
        self.copies[offer] = copies;
    }

    /// The factor by which `copies` more of an offer increase the product of the sums. Comparing products
    /// needs no logarithms.
    fn factor(&self, program: &Program<N>, offer: usize, copies: f64) -> f64 {
        let row = &program.rows[offer];
        let mut factor = 1.0;
        for c in 0..program.categories {
            factor *= 1.0 + row[c] * copies / self.sums[c].max(BARELY);
        }
        factor
    }

    fn gain(&self, program: &Program<N>, offer: usize, copies: f64) -> f64 {
        math::ln(self.factor(program, offer, copies))
    }

    /// Buys the offer with the largest gain per cent while the money lasts, up to [`MOST_COPIES`] of each.
    // A gain is `ln((1 + a_1) .. (1 + a_k))` with `a_c` the share by which the sum of category c grows, and
    // at most `a_1 + .. + a_k`. That sum is one dot product; the gain itself takes a division per category
    // and a logarithm, and is needed for the few offers only whose sum of shares beats the best gain so far.
    pub(super) fn fill(&mut self, program: &Program<N>, offers: &[usize]) {
        loop {
            let mut over_sums = [0.0; N];
            for c in 0..program.categories {
                over_sums[c] = 1.0 / self.sums[c].max(BARELY);
            }
            let mut best = (0.0, 0, 0);
            for &offer in offers {
                let more = if self.copies[offer] == 0 {
                    program.minimum[offer].max(1)
                } else if self.copies[offer] < MOST_COPIES {
                    1
                } else {
                    continue;
                };
                let price = program.cost(offer, self.copies[offer] + more)
                    - program.cost(offer, self.copies[offer]);
                if price <= self.left {
                    let more_in_all = f64::from(more);
                    let shares = dot(&program.rows[offer], &over_sums) * more_in_all;
                    if shares < NO_OVERFLOW && shares * ROUNDED_UP + NEAR_ZERO <= best.0 * price {
                        continue;
                    }
                    let rate = self.gain(program, offer, more_in_all) / price;
                    if rate > best.0 {
                        best = (rate, offer, more);
                    }
                }
            }
            if best.2 == 0 {
                return;
            }
            // Buys a sixteenth of the affordable copies at once, so that filling an empty plan takes a
            // logarithmic number of steps.
            let affordable = whole(self.left / program.unit[best.1]);
            let several = if self.copies[best.1] == 0 {
                best.2
            } else {
                best.2.max(affordable / 16)
            };
            let more = several.min(MOST_COPIES - self.copies[best.1]);
            self.set(program, best.1, self.copies[best.1] + more);
        }
    }

    /// Exchanges a few copies of one offer for as many copies of another as the money buys, the best
    /// exchange first, until none helps.
    pub(super) fn exchange(&mut self, program: &Program<N>, offers: &[usize]) {
        let one = offers
            .len()
            .saturating_mul(self.copies.len())
            .saturating_mul(program.categories);
        let affordable = (MOST_WORK / one.max(1)).clamp(1, MOST_EXCHANGES);
        for _ in 0..affordable {
            let Some((giver, kept, taker, copies)) = self.best_exchange(program, offers) else {
                return;
            };
            self.set(program, giver, kept);
            self.set(program, taker, copies);
            self.fill(program, offers);
        }
    }

    // The factor of an exchange is the product of the relative sums after it. With k categories it is at most
    // `(sum of the relative sums / k)^k` (the inequality of arithmetic and geometric means), and that sum is
    // linear in the copies of the taker. So most takers are ruled out by one product, and the factor is
    // computed for those that could beat the best exchange so far.
    fn best_exchange(
        &self,
        program: &Program<N>,
        offers: &[usize],
    ) -> Option<(usize, u32, usize, u32)> {
        let mut over_sums = [0.0; N];
        for c in 0..program.categories {
            // A sum of 0 makes every factor NaN, and no comparison holds: a plan without some
            // category is left as it is. `fill` comes first, so that is a plan that cannot pay for
            // the category.
            over_sums[c] = 1.0 / self.sums[c];
        }
        // Of the sizes of the terms, so that the bound holds where rounding made a sum of 0 negative.
        let sizes = over_sums.map(f64::abs);
        // What a copy of each taker adds to the sum, and what it adds for a cent.
        let worths: Vec<(f64, f64)> = offers
            .iter()
            .map(|&taker| {
                let copy = dot(&program.rows[taker], &sizes);
                (copy, copy / program.unit[taker])
            })
            .collect();
        // More than rounding, or two exchanges of equal value would undo each other until the
        // limit.
        let mut best = (1.0 + 1e-12, None);
        let mut needed = least_sum(best.0, program.categories);
        for (giver, &held) in self.copies.iter().enumerate() {
            if held == 0 {
                continue;
            }
            for given in 1..=MOST_GIVEN.min(held) {
                let kept = program.or_none(giver, held - given);
                let money = self.left + program.cost(giver, held) - program.cost(giver, kept);
                let lost = f64::from(held - kept);
                let mut relative = [0.0; N];
                for c in 0..program.categories {
                    relative[c] = (self.sums[c] - program.rows[giver][c] * lost) * over_sums[c];
                }
                let kept_sum: f64 = relative.iter().map(|share| share.abs()).sum();
                for (&taker, (worth, worth_of_a_cent)) in offers.iter().zip(&worths) {
                    if taker == giver || (kept_sum + money * worth_of_a_cent) * ROUNDED_UP <= needed
                    {
                        continue;
                    }
                    let owned = self.copies[taker];
                    let upfront = if owned == 0 {
                        program.upfront[taker]
                    } else {
                        0.0
                    };
                    let more =
                        whole((money - upfront) / program.unit[taker]).min(MOST_COPIES - owned);
                    if more == 0 || owned + more < program.minimum[taker] {
                        continue;
                    }
                    // Again with whole copies.
                    let many = f64::from(more);
                    if (kept_sum + many * worth) * ROUNDED_UP <= needed {
                        continue;
                    }
                    let row = &program.rows[taker];
                    let mut factor = 1.0;
                    for c in 0..program.categories {
                        factor *= relative[c] + row[c] * many * over_sums[c];
                    }
                    // Products instead of sums of logarithms: the order is the same and
                    // no logarithm is taken.
                    if factor > best.0 {
                        best = (factor, Some((giver, kept, taker, owned + more)));
                        needed = least_sum(factor, program.categories);
                    }
                }
                if kept == 0 {
                    break;
                }
            }
        }
        best.1
    }
}

/// The least sum of `categories` numbers whose product is `factor`.
fn least_sum(factor: f64, categories: usize) -> f64 {
    let k = categories as f64;
    k * math::exp(math::ln(factor) / k)
}
