//! What the agent decides: one price for every product.

use serde::{Deserialize, Serialize};
use sim_core::ActionError;

/// Highest price that is accepted \[$\].
pub const MAX_PRICE: f64 = 1e9;

/// One price for every product.
///
/// ```
/// use econ_envs::pricing::Action;
///
/// assert!(Action { prices: vec![12.5, 0.0] }.check(2).is_ok());
/// let fault = Action { prices: vec![12.5, -1.0] }.check(2).expect_err("a negative price");
/// assert_eq!(fault.code, "bad_price");
/// assert_eq!(Action { prices: vec![] }.check(2).expect_err("no prices").code, "wrong_number_of_prices");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Price of each product \[$\], 0 to [`MAX_PRICE`].
    pub prices: Vec<f64>,
}

impl Action {
    /// Checks that there are `products` prices, each from 0 to [`MAX_PRICE`].
    ///
    /// # Errors
    /// `wrong_number_of_prices` or `bad_price`, which names the first product at fault.
    pub fn check(&self, products: usize) -> Result<(), ActionError> {
        if self.prices.len() != products {
            return Err(ActionError::new(
                "wrong_number_of_prices",
                format!(
                    "there are `{}` prices for {products} products",
                    self.prices.len()
                ),
            ));
        }
        (1_usize..)
            .zip(&self.prices)
            .try_for_each(|(number, price)| check_price(number, *price))
    }
}

/// Checks that `price` can be the price of product `number` (counted from 1).
pub(crate) fn check_price(number: usize, price: f64) -> Result<(), ActionError> {
    if (0.0..=MAX_PRICE).contains(&price) {
        return Ok(());
    }
    Err(ActionError::new(
        "bad_price",
        format!("the price of Product_{number} is `{price}`, it must be a number from 0 to 1e9"),
    ))
}
