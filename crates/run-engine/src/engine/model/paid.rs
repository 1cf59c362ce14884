//! The prices at which the calls of a run were booked, so that their costs can be computed again.

use crate::error::RunError;
use crate::error::json;
use crate::files::{regular, run_file};
use crate::run_dir::{CAP, PRICES, stamp};
use agent_client::money::{Price, PriceBook};
use agent_client::wire::Dialect;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The price of a model in one session of a run (from its start or a `resume` to its end).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paid {
    /// The model.
    pub(crate) model: String,
    /// Its price; free if that session had no price file.
    pub(crate) price: Price,
}

/// Adds the prices of the models of `dialects` that this process asks to the prices of the run in `dir`.
///
/// # Errors
/// When the file cannot be read or written.
pub(crate) fn keep(
    dir: &Path,
    dialects: &[&Dialect],
    prices: Option<&PriceBook>,
) -> Result<(), RunError> {
    // Unchanged prices are not written again, so that a `resume` that asks nothing leaves the file as it was.
    if with_prices_of(dir, dialects, prices)?.is_none() {
        return Ok(());
    }
    // The stamp covers the prices. What it says stays true: the prices at which the calls were booked are all still
    // there. That holds only if the file is read again under the lock.
    stamp::keeping(dir, || {
        let Some(all) = with_prices_of(dir, dialects, prices)? else {
            return Ok(());
        };
        run_file::replace(&dir.join(PRICES), &(json(&all)? + "\n"), true)
    })
}

/// The prices of the run in `dir` with those of the models of `dialects` in `prices`; `None` if that changes nothing.
fn with_prices_of(
    dir: &Path,
    dialects: &[&Dialect],
    prices: Option<&PriceBook>,
) -> Result<Option<Vec<Paid>>, RunError> {
    let before = kept(dir)?;
    let mut all: Vec<Paid> = before.iter().flatten().cloned().collect();
    for dialect in dialects {
        let price = prices.and_then(|book| book.price(&dialect.model));
        let paid = Paid {
            model: dialect.model.clone(),
            price: price.unwrap_or(Price::FREE),
        };
        // The last price of a model is the one that holds.
        all.retain(|held| *held != paid);
        all.push(paid);
    }
    Ok((before.as_ref() != Some(&all)).then_some(all))
}

/// The prices of the run in `dir`; `None` if it has no such file.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn kept(dir: &Path) -> Result<Option<Vec<Paid>>, RunError> {
    run_file::read(&dir.join(PRICES), regular::MOST_TOML)
}

/// The last price of each model of the run in `dir`; `None` if there is none.
///
/// # Errors
/// When the file cannot be read.
pub fn prices_in(dir: &Path) -> Result<Option<PriceBook>, RunError> {
    // With a cap each model needs a price: then a price of 0 is one that a price file stated.
    book(dir, run_file::exists(&dir.join(CAP)))
}

fn book(dir: &Path, had_cap: bool) -> Result<Option<PriceBook>, RunError> {
    let paid = kept(dir)?.into_iter().flatten();
    let mut models: BTreeMap<String, Price> = paid.map(|paid| (paid.model, paid.price)).collect();
    models.retain(|_, price| had_cap || *price != Price::FREE);
    Ok((!models.is_empty()).then_some(PriceBook { models }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::wire::ApiKind;

    #[test]
    fn the_last_price_of_a_model_holds() {
        let dir = tempfile::tempdir().unwrap();
        let book_of = |input: u32| {
            PriceBook::parse(&format!("[models.m]\ninput = {input}\noutput = 1\n")).unwrap()
        };
        let dialect = Dialect::new(ApiKind::OpenAi, "m");
        let last = |had_cap| book(dir.path(), had_cap).unwrap();
        assert_eq!(last(true), None);
        keep(dir.path(), &[&dialect], None).unwrap();
        assert_eq!(
            last(false),
            None,
            "a session without prices does not set prices to 0"
        );
        for input in [3, 2, 3] {
            keep(dir.path(), &[&dialect], Some(&book_of(input))).unwrap();
            assert_eq!(last(false), Some(book_of(input)));
        }
        assert_eq!(kept(dir.path()).unwrap().unwrap().len(), 3);
    }
}
