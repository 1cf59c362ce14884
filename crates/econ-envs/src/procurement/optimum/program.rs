//! The purchase problem in the form of the solver: rows of coefficients, prices and domains.

#![expect(
    clippy::indexing_slicing,
    reason = "rows have N entries, and every vector here has one entry an offer"
)]

use crate::procurement::action::MOST_COPIES;
use crate::procurement::menu::{Menu, Offer};
use sim_core::math;

/// Maximise the sum of the logarithms of the category sums under one budget.
// `N` is the length of a row: at least one more than the number of categories, the rest is zero.
// The last entry of a row is free; the relaxation keeps the price there, so that one loop handles
// coefficients and price.
#[derive(Debug, Clone)]
pub(super) struct Program<const N: usize> {
    /// Number of categories.
    pub(super) categories: usize,
    /// Amount that one copy adds to each category's sum.
    pub(super) rows: Vec<[f64; N]>,
    /// Price of a copy \[cents\].
    pub(super) unit: Vec<f64>,
    /// Upfront price, paid once when there is any copy \[cents\].
    pub(super) upfront: Vec<f64>,
    /// Minimum number of copies when there is any; at least 1.
    pub(super) minimum: Vec<u32>,
    /// The budget \[cents\].
    pub(super) budget: f64,
}

/// The numbers of copies of one offer that a node of the search allows: 0 if `zero`, and `low` to `high`
/// (none of these when `low > high`). Zero is separate because of upfront costs and minimum quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) zero: bool,
    pub(super) low: u32,
    pub(super) high: u32,
}

impl Domain {
    pub(super) const NOTHING: Self = Self {
        zero: true,
        low: 1,
        high: 0,
    };

    /// Whether a positive number of copies is allowed.
    pub(super) fn positive(self) -> bool {
        self.low <= self.high
    }

    /// Whether exactly one number of copies is allowed.
    pub(super) fn is_fixed(self) -> bool {
        if self.zero {
            !self.positive()
        } else {
            self.low == self.high
        }
    }

    /// Whether no number of copies is allowed.
    pub(super) fn is_empty(self) -> bool {
        !self.zero && !self.positive()
    }

    /// The smallest number of copies.
    pub(super) fn least(self) -> u32 {
        if self.zero { 0 } else { self.low }
    }

    /// The copies up to `at`.
    pub(super) fn up_to(self, at: u32) -> Self {
        Self {
            high: self.high.min(at),
            ..self
        }
    }

    /// The copies above `at`.
    pub(super) fn above(self, at: u32) -> Self {
        Self {
            zero: false,
            low: self.low.max(at.saturating_add(1)),
            ..self
        }
    }
}

impl<const N: usize> Program<N> {
    /// The problem of a menu with these effects, one row per offer.
    pub(super) fn new(menu: &Menu, effects: &[Vec<f64>]) -> Self {
        let rows = effects.iter().map(|effect| {
            let mut row = [0.0; N];
            for (entry, &value) in row.iter_mut().take(N - 1).zip(effect) {
                *entry = value;
            }
            row
        });
        #[expect(clippy::cast_precision_loss, reason = "prices are below 2^53 cents")]
        let in_cents = |cents: i64| cents as f64;
        Self {
            categories: menu.categories(),
            rows: rows.collect(),
            unit: menu
                .offers
                .iter()
                .map(|offer| in_cents(offer.unit_cents))
                .collect(),
            upfront: menu
                .offers
                .iter()
                .map(|offer| in_cents(offer.upfront_cents()))
                .collect(),
            minimum: menu.offers.iter().map(Offer::min_copies).collect(),
            budget: in_cents(menu.budget_cents),
        }
    }

    /// Cost of `copies` of an offer \[cents\].
    #[inline]
    pub(super) fn cost(&self, offer: usize, copies: u32) -> f64 {
        if copies == 0 {
            0.0
        } else {
            self.upfront[offer] + self.unit[offer] * f64::from(copies)
        }
    }

    /// `copies` of an offer, or none where they are below its minimum quantity.
    #[inline]
    pub(super) fn or_none(&self, offer: usize, copies: u32) -> u32 {
        if copies < self.minimum[offer] {
            0
        } else {
            copies
        }
    }

    /// The domains of the root: everything that the budget and [`MOST_COPIES`] allow for each offer alone.
    pub(super) fn root(&self) -> Vec<Domain> {
        let mut domains: Vec<Domain> = self
            .minimum
            .iter()
            .map(|&minimum| Domain {
                zero: true,
                low: minimum.max(1),
                high: MOST_COPIES,
            })
            .collect();
        self.tighten(&mut domains);
        domains
    }

    /// Removes the copies that the budget cannot pay in addition to the required ones. `false` when the
    /// required copies alone exceed the budget or a domain is empty.
    pub(super) fn tighten(&self, domains: &mut [Domain]) -> bool {
        let due: f64 = domains
            .iter()
            .enumerate()
            .filter(|(_, domain)| !domain.zero)
            .map(|(offer, domain)| self.cost(offer, domain.low))
            .sum();
        let left = self.budget - due;
        if left < 0.0 {
            return false;
        }
        // One pass is enough: `due` is made of lower ends, and only upper ends are cut here.
        for (offer, domain) in domains.iter_mut().enumerate() {
            if !domain.positive() {
                if domain.is_empty() {
                    return false;
                }
                continue;
            }
            let unit = self.unit[offer];
            // An offer whose copies are required has its upfront price and its least
            // copies in `due` already; an optional one must pay its upfront price from
            // what is left.
            let most = if domain.zero {
                whole((left - self.upfront[offer]) / unit)
            } else {
                domain.low.saturating_add(whole(left / unit))
            };
            domain.high = domain.high.min(most);
            if domain.zero && !domain.positive() {
                *domain = Domain::NOTHING;
            }
        }
        true
    }

    /// Largest sum of a category when every offer has all copies that the budget allows for it alone.
    pub(super) fn reach(&self) -> f64 {
        let mut most = [0.0; N];
        for (row, domain) in self.rows.iter().zip(self.root()) {
            if domain.positive() {
                let copies = f64::from(domain.high);
                for c in 0..N {
                    most[c] += row[c] * copies;
                }
            }
        }
        most.into_iter().fold(0.0, f64::max)
    }

    /// Category sums of a plan; the unused entries are 0.
    pub(super) fn sums(&self, copies: &[u32]) -> [f64; N] {
        let mut sums = [0.0; N];
        for (row, &copies) in self.rows.iter().zip(copies) {
            if copies > 0 {
                let copies = f64::from(copies);
                for c in 0..N {
                    sums[c] += row[c] * copies;
                }
            }
        }
        sums[N - 1] = 0.0;
        sums
    }

    /// Sum of the logarithms of the category sums; minus infinity when one is zero.
    pub(super) fn value(&self, sums: &[f64; N]) -> f64 {
        log_of_product(&sums[..self.categories])
    }

    /// Cost of a plan \[cents\].
    pub(super) fn spent(&self, copies: &[u32]) -> f64 {
        copies
            .iter()
            .enumerate()
            .map(|(offer, &copies)| self.cost(offer, copies))
            .sum()
    }
}

/// The largest whole number not above `x`; 0 for negative `x`, `u32::MAX` for large `x`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, and what is negative becomes 0"
)]
pub(super) fn whole(x: f64) -> u32 {
    x as u32
}

/// The logarithm of the product of `factors`. It multiplies as long as the product stays in range, because
/// a logarithm costs as much as tens of multiplications.
pub(in crate::procurement) fn log_of_product(factors: &[f64]) -> f64 {
    let (mut total, mut product) = (0.0, 1.0_f64);
    for &factor in factors {
        let next = product * factor;
        // Far from the ends of the doubles, so that no factor of a market can overflow the product.
        if (1e-150..1e150).contains(&next) {
            product = next;
        } else {
            total += math::ln(product);
            product = factor;
        }
    }
    total + math::ln(product)
}
