//! One market: the rules, the menu and the hidden effectiveness.
//!
//! The visible part is the [`Menu`]; effectiveness and seed plan are hidden. Policies get
//! the menu through the observation, and oracles read the instance.

use super::config::{MOST_EFFECTIVENESS, Rules};
use super::menu::{Menu, Offer, OfferId};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::sync::Arc;

/// Largest amount that a copy of an offer may add to a category's sum. Together with the other limits it
/// keeps every sum and every cost of a plan within 63 bits.
pub const MOST_EFFECT: u64 = 1_000_000_000;

/// One market with its hidden effectiveness: what `generate` prints and `--instance` reads.
///
/// As JSON, products and offers are written by their names (`A1`, `Offer_1`), and money
/// in cents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name in a published list (`BASIC_0`); absent when it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The rules of the run.
    pub rules: Rules,
    /// The parts that an agent can see.
    pub menu: Arc<Menu>,
    /// Hidden: effectiveness of each product, category by category.
    pub effectiveness: Vec<Vec<u32>>,
    /// Largest effectiveness that could be drawn. The policy `learning` knows it; agents do not.
    pub max_effectiveness: u32,
    /// Hidden: the plan whose cost determined the budget; empty when there was none.
    #[serde(default)]
    pub seed_plan: Vec<(OfferId, u32)>,
}

impl Instance {
    /// Checks all ranges and sizes. Drawn instances pass; an instance from a file may not.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.rules.check_ranges().map_err(|e| e.within("rules"))?;
        self.menu.check().map_err(|e| e.within("menu"))?;
        ConfigError::check_range(
            "max_effectiveness",
            self.max_effectiveness,
            1,
            MOST_EFFECTIVENESS,
        )?;
        let shape = self.effectiveness.iter().map(Vec::len);
        let wanted = self
            .menu
            .products
            .iter()
            .map(|&n| usize::try_from(n).unwrap_or(usize::MAX));
        if !shape.eq(wanted) {
            return Err(ConfigError::new(
                "effectiveness",
                "must have one number for each product of `menu.products`",
            ));
        }
        for (c, category) in self.effectiveness.iter().enumerate() {
            for (i, &value) in category.iter().enumerate() {
                ConfigError::check_range(
                    format_args!("effectiveness.{c}.{i}"),
                    value,
                    // From 0, although the laws draw from 1: a market from a file may have products
                    // of no effect.
                    0,
                    self.max_effectiveness,
                )?;
            }
        }
        let mut row = vec![0; self.menu.categories()];
        for (number, offer) in self.menu.offers.iter().enumerate() {
            // Units and effectiveness are in their ranges by now, but not always the sum of their
            // products.
            self.write_row(offer, &mut row);
            if row.iter().any(|&value| value > MOST_EFFECT) {
                return Err(ConfigError::new(
                    format!("menu.offers.{number}.contents"),
                    format!("a copy must not add more than {MOST_EFFECT} to a category's sum"),
                ));
            }
        }
        match self
            .seed_plan
            .iter()
            .find(|line| line.0.index() >= self.menu.offers.len())
        {
            Some((offer, _)) => Err(ConfigError::new(
                "seed_plan",
                format!("there is no offer `{offer}`"),
            )),
            None => Ok(()),
        }
    }

    /// The amount that one copy of each offer adds to each category's sum: one row per offer.
    ///
    /// The matrix of the optimisation problem: workers are the geometric mean of the
    /// column sums of `copies * rows`.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<u64>> {
        self.menu
            .offers
            .iter()
            .map(|offer| {
                let mut row = vec![0; self.menu.categories()];
                self.write_row(offer, &mut row);
                row
            })
            .collect()
    }

    /// Writes the amount that one copy of an offer adds to the sum of each category.
    pub(super) fn write_row(&self, offer: &Offer, row: &mut [u64]) {
        row.fill(0);
        for &(product, units) in &offer.contents {
            let category = usize::from(product.category);
            let effect = self
                .effectiveness
                .get(category)
                .and_then(|products| products.get(usize::from(product.index)))
                .copied()
                .unwrap_or(0);
            if let Some(sum) = row.get_mut(category) {
                *sum += u64::from(units) * u64::from(effect);
            }
        }
    }
}
