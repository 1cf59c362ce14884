//! What a seller decides: the price of its product.

use serde::{Deserialize, Serialize};

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
