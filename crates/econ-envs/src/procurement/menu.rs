//! The visible part of a market: products, offers and the budget.
//!
//! ```
//! use econ_envs::procurement::menu::{Menu, Offer, OfferId, EquipmentType, Terms};
//!
//! let product = |name: &str| EquipmentType::from_name(name).ok_or("no such product");
//! let menu = Menu {
//!     products: vec![2, 1],
//!     budget_cents: 5_000,
//!     offers: vec![Offer {
//!         unit_cents: 250,
//!         terms: Terms::BulkOnly { min_copies: 4 },
//!         contents: vec![(product("A2")?, 3), (product("B1")?, 1)],
//!     }],
//! };
//! assert!(menu.check().is_ok());
//! assert_eq!(menu.all_products().map(|p| p.to_string()).collect::<Vec<_>>(), ["A1", "A2", "B1"]);
//! assert_eq!(menu.offers[0].min_copies(), 4);
//! assert_eq!(OfferId(0).to_string(), "Offer_1");
//! assert_eq!(OfferId::from_name("Offer_12").map(OfferId::index), Some(11));
//! # Ok::<(), &str>(())
//! ```

use super::config::{MOST_CATEGORIES, MOST_OFFERS};
use crate::protocol::number_of;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sim_core::ConfigError;
use std::fmt;

/// Largest price \[cents\].
pub const MOST_CENTS: i64 = 100_000_000;
/// Largest budget \[cents\].
pub const MOST_BUDGET: i64 = 1_000_000_000_000;
/// Largest number of units of one product in a copy, and largest minimum quantity.
pub const MOST_UNITS: u32 = 10_000;

/// One kind of equipment, named by its category's letters and a number from 1: `A1`, `B4`, `AA2`.
///
/// The 27th category is `AA`. Ordered by category, then by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EquipmentType {
    /// Number of its category, from 0.
    pub category: u16,
    /// Number in its category, from 0.
    pub index: u16,
}

/// Number of an offer, from 0; written `Offer_1`, `Offer_2`, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfferId(pub u32);

/// The conditions of an offer.
///
/// The paper's three kinds of offers. An offer cannot have both an upfront price and a
/// minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Terms {
    /// A price for each copy.
    Simple,
    /// Also an upfront price, paid once when there is any copy.
    TwoPart {
        /// The upfront price \[cents\].
        upfront_cents: i64,
    },
    /// Also a minimum number of copies when there is any.
    BulkOnly {
        /// The minimum number of copies.
        min_copies: u32,
    },
}

/// A bundle on the menu.
///
/// A copy is bought as a whole: its units cannot be had one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Price of a copy \[cents\].
    pub unit_cents: i64,
    /// Further conditions.
    pub terms: Terms,
    /// Units of each product in a copy, in the order in which they are listed.
    pub contents: Vec<(EquipmentType, u32)>,
}

/// The visible part of a market.
///
/// It is the same in all periods of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Menu {
    /// Number of products of each category.
    pub products: Vec<u32>,
    /// The budget of a period \[cents\].
    pub budget_cents: i64,
    /// The offers, `Offer_1` first.
    pub offers: Vec<Offer>,
}

impl Offer {
    /// The upfront price, 0 when there is none \[cents\].
    #[must_use]
    pub fn upfront_cents(&self) -> i64 {
        match self.terms {
            Terms::TwoPart { upfront_cents } => upfront_cents,
            Terms::Simple | Terms::BulkOnly { .. } => 0,
        }
    }

    /// Price of `copies` copies, of which there is at least one \[cents\].
    pub(super) fn cost(&self, copies: u32) -> i64 {
        self.upfront_cents() + self.unit_cents * i64::from(copies)
    }

    /// The minimum number of copies when there is any; at least 1.
    #[must_use]
    pub fn min_copies(&self) -> u32 {
        match self.terms {
            Terms::BulkOnly { min_copies } => min_copies.max(1),
            Terms::Simple | Terms::TwoPart { .. } => 1,
        }
    }
}

impl Menu {
    /// Number of categories, k.
    #[must_use]
    pub fn categories(&self) -> usize {
        self.products.len()
    }

    /// All products, category by category.
    pub fn all_products(&self) -> impl Iterator<Item = EquipmentType> {
        (0_u16..)
            .zip(&self.products)
            .flat_map(|(category, &count)| {
                (0..count).map_while(move |index| {
                    u16::try_from(index)
                        .ok()
                        .map(|index| EquipmentType { category, index })
                })
            })
    }

    /// Whether the product exists.
    #[must_use]
    pub fn has(&self, product: EquipmentType) -> bool {
        self.products
            .get(usize::from(product.category))
            .is_some_and(|&count| u32::from(product.index) < count)
    }

    /// Checks all ranges.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    ///
    /// Sizes, prices and units in their ranges, contents that name existing products,
    /// each at most once.
    pub fn check(&self) -> Result<(), ConfigError> {
        let categories = u32::try_from(self.products.len()).unwrap_or(u32::MAX);
        ConfigError::check_range("products", categories, 1, MOST_CATEGORIES)?;
        for (c, &count) in self.products.iter().enumerate() {
            ConfigError::check_range(format_args!("products.{c}"), count, 1, MOST_OFFERS)?;
        }
        ConfigError::check_range("budget_cents", self.budget_cents, 0, MOST_BUDGET)?;
        let offers = u32::try_from(self.offers.len()).unwrap_or(u32::MAX);
        ConfigError::check_range("offers", offers, 1, MOST_OFFERS)?;
        let mut named = Vec::new();
        for (number, offer) in self.offers.iter().enumerate() {
            self.check_offer(offer, &mut named)
                .map_err(|e| e.within(&format!("offers.{number}")))?;
        }
        Ok(())
    }

    /// `named` is working memory.
    fn check_offer(
        &self,
        offer: &Offer,
        named: &mut Vec<EquipmentType>,
    ) -> Result<(), ConfigError> {
        ConfigError::check_range("unit_cents", offer.unit_cents, 1, MOST_CENTS)?;
        match offer.terms {
            Terms::Simple => {}
            Terms::TwoPart { upfront_cents } => {
                ConfigError::check_range("terms.upfront_cents", upfront_cents, 0, MOST_CENTS)?;
            }
            Terms::BulkOnly { min_copies } => {
                ConfigError::check_range("terms.min_copies", min_copies, 1, MOST_UNITS)?;
            }
        }
        named.clear();
        for (number, &(product, units)) in offer.contents.iter().enumerate() {
            if !self.has(product) {
                return Err(ConfigError::new(
                    format!("contents.{number}"),
                    format!("there is no product `{product}`"),
                ));
            }
            ConfigError::check_range(format_args!("contents.{number}"), units, 1, MOST_UNITS)?;
            named.push(product);
        }
        // Sorted, because a search for every product takes time by the square of their number.
        named.sort_unstable();
        if let Some(twice) = named.windows(2).find_map(|pair| match pair {
            [a, b] if a == b => Some(*a),
            _ => None,
        }) {
            return Err(ConfigError::new(
                "contents",
                format!("`{twice}` is named twice"),
            ));
        }
        Ok(())
    }
}

/// Cents as a number of dollars.
#[expect(
    clippy::cast_precision_loss,
    reason = "cents far below 2^53 in a checked instance"
)]
pub(super) fn dollars(cents: i64) -> f64 {
    cents as f64 / 100.0
}

impl fmt::Display for EquipmentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Letters count in base 26 without a zero: A .. Z, AA, AB, ...
        let mut letters = String::new();
        let mut left = u32::from(self.category) + 1;
        while left > 0 {
            left -= 1;
            letters.insert(0, char::from(b'A' + u8::try_from(left % 26).unwrap_or(0)));
            left /= 26;
        }
        write!(f, "{letters}{}", u32::from(self.index) + 1)
    }
}

impl EquipmentType {
    /// The product called `name`; `None` when `name` is not the name of a product.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let letters = name.bytes().take_while(u8::is_ascii_uppercase).count();
        let (letters, number) = name.split_at_checked(letters)?;
        let mut category = 0_u32;
        for letter in letters.bytes() {
            category = category
                .checked_mul(26)?
                .checked_add(u32::from(letter - b'A') + 1)?;
        }
        Some(Self {
            category: u16::try_from(category.checked_sub(1)?).ok()?,
            index: u16::try_from(number_of(number, "")?).ok()?,
        })
    }
}

impl OfferId {
    /// The offer called `name`; `None` when `name` is not the name of an offer.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        number_of(name, "Offer_").map(Self)
    }

    /// Its index in a list of offers.
    #[must_use]
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offer_{}", u64::from(self.0) + 1)
    }
}

macro_rules! by_name {
    ($type:ty, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Name;
                impl de::Visitor<'_> for Name {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_str<E: de::Error>(self, name: &str) -> Result<$type, E> {
                        <$type>::from_name(name)
                            .ok_or_else(|| E::invalid_value(de::Unexpected::Str(name), &self))
                    }
                }
                deserializer.deserialize_str(Name)
            }
        }
    };
}

by_name!(EquipmentType, "the name of a product such as `A1`");
by_name!(OfferId, "the name of an offer such as `Offer_1`");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (category, name) in [
            (0, "A3"),
            (25, "Z3"),
            (26, "AA3"),
            (62, "BK3"),
            (701, "ZZ3"),
        ] {
            let product = EquipmentType { category, index: 2 };
            assert_eq!(product.to_string(), name);
            assert_eq!(EquipmentType::from_name(name), Some(product));
        }
        for wrong in [
            "",
            "A",
            "1",
            "A0",
            "A01",
            "a1",
            "A1 ",
            "Ä1",
            "A99999999999",
            "AAAAAAAA1",
        ] {
            assert_eq!(EquipmentType::from_name(wrong), None, "{wrong}");
        }
        assert_eq!(OfferId::from_name("Offer_12"), Some(OfferId(11)));
        assert_eq!(OfferId(11).to_string(), "Offer_12");
        for wrong in [
            "Offer_0",
            "Offer_01",
            "Offer_",
            "Offer_+1",
            "offer_1",
            "Offer_99999999999",
        ] {
            assert_eq!(OfferId::from_name(wrong), None, "{wrong}");
        }
    }
}
