//! One market to be played: everything drawn, nothing left open.

use super::config::{MOST_EFFECTIVENESS, Rules, within};
use super::menu::{Menu, Offer, OfferId};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::sync::Arc;

/// Most that a copy of an offer may add to a category's sum. With the other limits it keeps every
/// sum and every cost of a plan within 63 bits.
pub const MOST_EFFECT: u64 = 1_000_000_000;

/// A market, with what an agent must find out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name in a published list (`BASIC_0`); absent when it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it is played.
    pub rules: Rules,
    /// What an agent can see.
    pub menu: Arc<Menu>,
    /// Hidden: how effective each product is, category by category.
    pub effectiveness: Vec<Vec<u32>>,
    /// The largest effectiveness that a product could have had. The policy `learning` knows it
    /// beforehand; agents are not told.
    pub max_effectiveness: u32,
    /// Hidden: the plan whose cost set the budget, where one did.
    #[serde(default)]
    pub seed_plan: Vec<(OfferId, u32)>,
}

impl Instance {
    /// Whether the market can be played; a generated one always can, one from a file may not.
    ///
    /// # Errors
    /// Names the first value that cannot be used.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.rules.check().map_err(|e| e.within("rules"))?;
        self.menu.check().map_err(|e| e.within("menu"))?;
        within(
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
                within(
                    format_args!("effectiveness.{c}.{i}"),
                    value,
                    0,
                    self.max_effectiveness,
                )?;
            }
        }
        let mut row = vec![0; self.menu.categories()];
        for (number, offer) in self.menu.offers.iter().enumerate() {
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

    /// What one copy of each offer adds to each category's sum: one row an offer.
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

    /// What one copy of an offer adds to the sum of each category.
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
