//! Tools and prompts for language models: `get_previous_pricing_data`, `get_product_ids`,
//! `get_attempt_number` and `set_prices`.
//!
//! ```
//! use econ_envs::pricing::{Config, Instance, Pricing};
//! use serde_json::json;
//! use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
//! let mut game = ToolAdapter::new(Pricing::new(Arc::new(instance))?);
//! let reply = game.call("set_prices", &json!({"prices_dict_str": "{'Product_1': 20}"}));
//! assert!(!reply.is_rejected());
//! assert_eq!(game.period().index, 1);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::action::{Action, check_price};
use super::config::Horizon;
use super::env::Pricing;
use super::observation::Feedback;
use crate::action_text::{Mapping, mapping_argument};
use crate::protocol::{self, none_of, number_of};
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::tool::known_arguments;
use sim_core::{
    ActionError, Environment as _, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput,
    ToolSpec,
};
use std::fmt::Write as _;

impl ToolInterface for Pricing {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let history = protocol::getter_once(
            "get_previous_pricing_data",
            "Shows all earlier prices with what was sold, the cost of a unit and the profit. Read \
             this before you set prices.",
            self.instance().config.read_once,
        );
        vec![
            history,
            protocol::product_ids_tool(),
            protocol::attempt_tool(),
            ToolSpec::new(
                "set_prices",
                ToolKind::Action,
                "Sets the prices of this attempt. Takes one argument, `prices_dict_str`: a string \
                 that holds a dictionary from product ids to prices. For a price of 10 for \
                 Product_1 and 20 for Product_2 it is \"{'Product_1': 10, 'Product_2': 20}\".",
            )
            .with(
                "prices_dict_str",
                json!({
                    "type": "string",
                    "description": "A dictionary written as a string. Its keys are all product \
                                    ids, its values the prices to set."
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        let config = &self.instance().config;
        let notes = config.wording.notes();
        let mut system = format!(
            "You set the prices of a user's products. Earn the user as much profit as you can. \
             Learn by trial and error: try many different ways of pricing and let what you see \
             guide you. Explore all options thoroughly before you settle, because staying with \
             prices that are not the best is costly. Work through the tools listed below, base \
             every decision on data, and as you go write {notes} into your notes and read them \
             again."
        );
        if config.horizon != Horizon::Hidden {
            let _ = write!(system, " You have {} attempts.", config.periods);
        }
        if config.horizon == Horizon::KnownWithGoal {
            let _ = write!(
                system,
                " You are judged by the profit of attempts {} to {} alone.",
                config.first_scored(),
                config.periods - 1
            );
        }
        let opening = format!(
            "You can now use the tools to decide on prices. This conversation starts afresh once \
             you set them, but the data of all earlier attempts stay within reach of the tools \
             (get_previous_pricing_data, read_notes). One more thing: prices above {:?} are not \
             advisable.",
            // `{:?}` writes 38.1 and 38.0, as the source does, and neither 38.10 nor 38.
            self.ceiling()
        );
        Prompt {
            system,
            opening,
            reminder: protocol::REMINDER.to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        protocol::attempts(self.attempt(), self.instance().config.periods)
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        known_arguments(arguments, &[])?;
        Ok(match tool {
            "get_previous_pricing_data" => {
                let entries: Vec<String> = self.record().map(|past| entry(&past)).collect();
                ToolOutput::text(entries.join("\n"))
            }
            "get_product_ids" => protocol::ids_output("Product_", self.instance().config.products),
            "get_attempt_number" => protocol::number_output(self.attempt()),
            _ => return Err(ActionError::unknown_tool(tool, &[])),
        })
    }

    fn read_call(&self, _tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        read_prices(
            &mapping_argument(arguments, "prices_dict_str")?,
            usize::from(self.instance().config.products),
        )
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        let mut text = entry(feedback);
        if self.is_over() {
            text.push_str("That was the last attempt.\n");
        }
        text
    }

    fn feedback_value<'a>(&self, feedback: &'a Feedback) -> Option<&'a Feedback> {
        Some(feedback)
    }
}

/// The text of one finished period.
fn entry(past: &Feedback) -> String {
    let mut text = format!("Attempt {}:\n", past.attempt);
    let Some(sales) = &past.sales else {
        text.push_str("No prices were set.\n");
        return text;
    };
    for (number, sale) in (1_usize..).zip(sales) {
        let _ = writeln!(
            text,
            "Product_{number}:\nPrice: {:.2}\nQuantity: {:.2}\nProfit: {:.2}\nCost: {:.2}",
            sale.price, sale.quantity, sale.profit, sale.cost
        );
    }
    text
}

/// The prices in a mapping from product ids, for `n` products. Missing products are reported first,
/// then unknown ones, then bad prices.
///
/// # Errors
/// Names the ids at fault.
pub fn read_prices(mapping: &Mapping, n: usize) -> Result<Action, ActionError> {
    let mut found = vec![None; n];
    let mut unknown = Vec::new();
    for (key, value) in mapping.iter() {
        let index = number_of(key, "Product_").and_then(|index| usize::try_from(index).ok());
        let slot = index.and_then(|index| found.get_mut(index));
        match slot {
            Some(slot) => *slot = Some(value),
            None => unknown.push(clip(key)),
        }
    }
    let missing: Vec<String> = (1..)
        .zip(&found)
        .filter(|(_, value)| value.is_none())
        .map(|(number, _): (usize, _)| format!("Product_{number}"))
        .collect();
    none_of(
        "missing_products",
        "every product needs a price; missing",
        &missing,
    )?;
    none_of("unknown_products", "there are no such products", &unknown)?;
    let mut prices = Vec::with_capacity(n);
    for (number, value) in (1..).zip(found.into_iter().flatten()) {
        let Some(price) = value.number() else {
            return Err(ActionError::new(
                "bad_price",
                format!(
                    "the price of Product_{number} is `{}`, it must be a number from 0 to 1e9",
                    value.display()
                ),
            ));
        };
        check_price(number, price)?;
        prices.push(price);
    }
    Ok(Action { prices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action_text::read_mapping_text;
    use crate::pricing::observation::Sale;

    fn read(text: &str) -> Result<Vec<f64>, String> {
        let mapping = read_mapping_text(text).unwrap();
        read_prices(&mapping, 2)
            .map(|p| p.prices)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn prices_are_read_or_the_fault_is_named() {
        assert_eq!(
            read("{'Product_2': 3, 'Product_1': 2.5}"),
            Ok(vec![2.5, 3.0])
        );
        for (text, error) in [
            (
                "{'Product_1': 1}",
                "every product needs a price; missing: Product_2",
            ),
            (
                "{'Product_1': 1, 'Product_2': 2, 'Product_3': 3}",
                "there are no such products: Product_3",
            ),
            (
                "{'Product_1': 1, 'Product_2': -2}",
                "the price of Product_2 is `-2`, it must be a number from 0 to 1e9",
            ),
            (
                "{'Product_1': NaN, 'Product_2': 2}",
                "the price of Product_1 is `NaN`, it must be a number from 0 to 1e9",
            ),
            (
                "{'Product_1': '1', 'Product_2': 2}",
                "the price of Product_1 is `'1'`, it must be a number from 0 to 1e9",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), error);
        }
    }

    #[test]
    fn an_entry_in_words() {
        let sale = Sale {
            price: 20.0,
            quantity: 24.76,
            profit: 40.92,
            cost: 1.72,
        };
        let past = Feedback {
            attempt: 0,
            sales: Some(vec![sale]),
        };
        assert_eq!(
            entry(&past),
            "Attempt 0:\nProduct_1:\nPrice: 20.00\nQuantity: 24.76\nProfit: 40.92\nCost: 1.72\n"
        );
    }
}
