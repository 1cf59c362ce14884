//! The action: how much to order.
//!
//! ```
//! use beer_game::{Action, Config};
//! use serde_json::json;
//!
//! let play = Config::paper().play;
//! assert_eq!(Action::of(400).permitted(&play)?, 400);
//! assert_eq!(Action::nearest(432.5, play.largest_order), Action::of(433));
//! assert_eq!(Action::read(&json!({"quantity": 400.0}))?, Action::of(400));
//!
//! let refused = Action::of(-1).permitted(&play).expect_err("an order is not negative");
//! assert_eq!(refused.code, "negative_order");
//! # Ok::<(), sim_core::ActionError>(())
//! ```
//!
//! The range is the game's, not the type's: an [`Action`] can hold any whole number, so
//! that an agent's mistake reaches the environment and is explained to it.

use crate::config::{OutOfRange, Play};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sim_core::ActionError;
use sim_core::error::clip;
use sim_core::tool::whole;

/// The decision of one seat for one week: an order to the supplier; at the brewery, to its own
/// production.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// The name in refusals, which agents read.
#[serde(deny_unknown_fields, expecting = "struct Order")]
#[schemars(rename = "Order")]
pub struct Action {
    /// Quantity \[units\], a whole number. The type admits negative and excessive quantities; the
    /// environment refuses or clips them, as the game's [`OutOfRange`] says.
    #[serde(deserialize_with = "whole_number")]
    pub quantity: i64,
}

impl Action {
    /// An order of `quantity` units.
    #[must_use]
    pub const fn of(quantity: i64) -> Self {
        Self { quantity }
    }

    /// The permitted order nearest to an amount \[units\]; halves go up.
    ///
    /// For policies that compute with fractions. Amounts below 0 and not-a-number become
    /// 0, amounts above `largest` become `largest`; use [`of`](Self::of) where an amount
    /// out of range should be refused instead.
    #[must_use]
    pub fn nearest(amount: f64, largest: u32) -> Self {
        Self::of(i64::from(nearest_units(amount, largest)))
    }

    /// The quantity, if the game permits it \[units\].
    ///
    /// # Errors
    /// `negative_order` and `order_too_large` where the game refuses such orders.
    ///
    /// Where the game clips ([`OutOfRange::Clip`]), every quantity is permitted and the
    /// nearest one in `0..=largest_order` is returned.
    pub fn permitted(self, play: &Play) -> Result<u32, ActionError> {
        let (quantity, largest) = (self.quantity, play.largest_order);
        let clipped = clip_units(quantity, largest);
        // Compared after clipping, which holds both limits in one place.
        if i64::from(clipped) == quantity || play.out_of_range == OutOfRange::Clip {
            return Ok(clipped);
        }
        Err(if quantity < 0 {
            ActionError::new(
                "negative_order",
                format!(
                    "an order of `{quantity}` is negative; order a whole number from 0 to \
                     {largest}"
                ),
            )
        } else {
            ActionError::new(
                "order_too_large",
                format!(
                    "an order of `{quantity}` is above the largest possible one; order a whole \
                     number from 0 to {largest}"
                ),
            )
        })
    }

    /// Reads the arguments of a tool call.
    ///
    /// # Errors
    /// When `quantity` is missing or not a whole number, or another field is present.
    ///
    /// `{"quantity": 400}` and `{"quantity": 400.0}` are the same order. The range is not
    /// checked here but when the order is given to the environment.
    pub fn read(arguments: &Value) -> Result<Self, ActionError> {
        Self::deserialize(arguments).map_err(|e| ActionError::bad_arguments(e.to_string()))
    }
}

/// The permitted amount nearest to `amount` \[units\]; halves are rounded up, NaN is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=largest before"
)]
pub(crate) fn nearest_units(amount: f64, largest: u32) -> u32 {
    // Halves up, as the lanes of a batch round (`to_order`), so that a policy orders the same in
    // both. NaN passes the clamp, and the cast makes it 0.
    (amount + 0.5).floor().clamp(0.0, f64::from(largest)) as u32
}

/// The permitted amount nearest to `units` \[units\].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=largest before"
)]
pub(crate) fn clip_units(units: i64, largest: u32) -> u32 {
    units.clamp(0, i64::from(largest)) as u32
}

/// Accepts `400` and `400.0`; the error explains everything else.
fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    // As any value first: models write 400.0, and a number type would refuse it with words that do
    // not help them.
    let value = Value::deserialize(deserializer)?;
    whole(&value).ok_or_else(|| {
        serde::de::Error::custom(format!(
            "`quantity` must be a whole number of units such as 400, not `{}`",
            clip(&value.to_string())
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use serde_json::json;

    #[test]
    fn orders_are_read_or_explained() {
        assert_eq!(
            Action::read(&json!({"quantity": 400})).unwrap(),
            Action::of(400)
        );
        assert_eq!(
            Action::read(&json!({"quantity": 400.0})).unwrap(),
            Action::of(400)
        );
        for (arguments, expected) in [
            (
                json!({"quantity": 2.5}),
                "`quantity` must be a whole number of units such as 400, not `2.5`",
            ),
            (
                json!({"quantity": "many"}),
                "`quantity` must be a whole number of units such as 400, not `\"many\"`",
            ),
            (json!({}), "missing field `quantity`"),
            (
                json!({"quantity": 1, "to": "brewery"}),
                "unknown field `to`, expected `quantity`",
            ),
        ] {
            assert_eq!(Action::read(&arguments).unwrap_err().message, expected);
        }
    }

    #[test]
    fn out_of_range_orders_are_refused_or_clipped() {
        let mut play = Config::paper().play;
        assert_eq!(Action::of(5000).permitted(&play), Ok(5000));
        assert_eq!(
            Action::of(-1).permitted(&play).unwrap_err().message,
            "an order of `-1` is negative; order a whole number from 0 to 5000"
        );
        assert_eq!(
            Action::of(5001).permitted(&play).unwrap_err().code,
            "order_too_large"
        );
        play.out_of_range = OutOfRange::Clip;
        assert_eq!(Action::of(-1).permitted(&play), Ok(0));
        assert_eq!(Action::of(i64::MAX).permitted(&play), Ok(5000));
    }

    #[test]
    fn nearest_order() {
        assert_eq!(Action::nearest(2.5, 10), Action::of(3));
        assert_eq!(Action::nearest(-7.0, 10), Action::of(0));
        assert_eq!(Action::nearest(1e30, 10), Action::of(10));
        assert_eq!(Action::nearest(f64::NAN, 10), Action::of(0));
    }
}
