//! Texts of replies: menu, history, results. The layouts are those of the authors' program.
//!
//! They are part of what an agent sees, so every change of a character raises the version
//! of the environment.

use super::menu::{Menu, Offer, OfferId, Terms};
use super::observation::{Feedback, PlanOutcome};
use std::fmt::Write;

/// Cents as dollars with two decimals.
pub(super) fn dollars(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    // From whole cents: no double is rounded on the way to the text.
    let cents = cents.unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// The menu, one line per offer.
pub(super) fn menu(menu: &Menu) -> String {
    let lines: Vec<String> = (0..)
        .zip(&menu.offers)
        .map(|(number, offer)| line(OfferId(number), offer))
        .collect();
    lines.join("\n")
}

fn line(id: OfferId, offer: &Offer) -> String {
    let bracket = match offer.terms {
        Terms::Simple => String::new(),
        Terms::TwoPart { upfront_cents } => {
            format!("[additional upfront cost ${}] ", dollars(upfront_cents))
        }
        Terms::BulkOnly { min_copies } => format!("[minimum order quantity {min_copies}] "),
    };
    let items: Vec<String> = offer
        .contents
        .iter()
        .map(|(product, units)| {
            format!(
                "{units} unit{} of {product}",
                if *units == 1 { "" } else { "s" }
            )
        })
        .collect();
    format!(
        "- {id}: {bracket}${} for {}",
        dollars(offer.unit_cents),
        in_words(&items)
    )
}

/// `a`, `a and b`, `a, b, and c`.
fn in_words(items: &[String]) -> String {
    match items {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    }
}

/// All finished periods; empty at the start.
pub(super) fn history<'a>(menu: &Menu, attempts: impl Iterator<Item = &'a Feedback>) -> String {
    let attempts: Vec<String> = attempts
        .enumerate()
        .map(|(number, attempt)| format!("Attempt {number}:\n{}", result(menu, attempt)))
        .collect();
    attempts.join("\n\n")
}

/// A plan and its result.
pub(super) fn result(menu: &Menu, attempt: &Feedback) -> String {
    let Some(lines) = &attempt.plan else {
        return "No purchase plan was submitted".to_owned();
    };
    let outcome = match &attempt.outcome {
        PlanOutcome::Supports {
            workers,
            cost_cents,
        } => {
            format!(
                "supports {workers:.2} workers and incurs cost of {}",
                dollars(*cost_cents)
            )
        }
        PlanOutcome::NotAllowed {
            under_minimum,
            over_budget,
        } => {
            let mut text = "the plan is not allowed and buys nothing:".to_owned();
            for short in under_minimum {
                let _ = write!(
                    text,
                    "\nquantity {} for {} is insufficient, at least {} needed",
                    short.copies, short.offer, short.needed
                );
            }
            if let Some(cost) = over_budget {
                let _ = write!(
                    text,
                    "\ntotal cost {} exceeds the budget of {}",
                    dollars(*cost),
                    dollars(menu.budget_cents)
                );
            }
            text
        }
        PlanOutcome::Forfeited => "none".to_owned(),
    };
    format!(
        "Purchase plan proposed: {}\nPurchase plan results: {outcome}",
        filled(menu.offers.len(), lines)
    )
}

/// The plan as a mapping that also lists the offers without copies.
fn filled(offers: usize, lines: &[(OfferId, u32)]) -> String {
    let mut named = vec![false; offers];
    let mut items: Vec<String> = Vec::with_capacity(offers);
    for (offer, copies) in lines {
        if let Some(named) = named.get_mut(offer.index()) {
            *named = true;
        }
        items.push(format!("'{offer}': {copies}"));
    }
    // Behind the agent's own lines and in the order of the menu, as in the program's history.
    let missing = (0..).map(OfferId).zip(named).filter(|(_, named)| !named);
    items.extend(missing.map(|(offer, _)| format!("'{offer}': 0")));
    format!("{{{}}}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_and_lists_read_as_in_the_source() {
        assert_eq!(dollars(10_998), "109.98");
        assert_eq!(dollars(10_950), "109.50");
        assert_eq!(dollars(5), "0.05");
        let items = |n: usize| in_words(&vec!["x".to_owned(); n]);
        assert_eq!(
            [items(1), items(2), items(3)],
            ["x", "x and x", "x, x, and x"]
        );
    }
}
