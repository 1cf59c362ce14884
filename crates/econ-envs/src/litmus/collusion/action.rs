//! What a seller decides: the price of its product.

use crate::pricing::action::MAX_PRICE;
use serde::{Deserialize, Serialize};
use sim_core::ActionError;

/// The price of one seller.
///
/// The environment refuses other prices with the code `bad_price`, and the seller stays
/// in turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Price of the seller's own product \[$\], 0 to 1e9.
    pub price: f64,
}

/// Checks that `price` can be a price.
pub(super) fn check_price(price: f64) -> Result<(), ActionError> {
    if (0.0..=MAX_PRICE).contains(&price) {
        return Ok(());
    }
    Err(ActionError::new(
        "bad_price",
        format!("the price is `{price}`, it must be a number from 0 to 1e9"),
    ))
}
