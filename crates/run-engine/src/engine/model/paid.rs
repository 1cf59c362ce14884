//! The prices at which the calls of a run were booked, so that their costs can be computed again.

use crate::error::RunError;
use crate::files::regular;
use crate::run_dir::PRICES;
use crate::run_dir::manifest::write_whole;
use agent_client::money::{Price, PriceBook};
use agent_client::wire::Dialect;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The price of a model in one session of a run (from its start or a `resume` to its end).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paid {
    /// The model.
    pub(crate) model: String,
    /// Its price; `None` if that session had no price file.
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
    let mut all = kept(dir)?.unwrap_or_default();
    let before = all.len();
    for dialect in dialects {
        let price = prices.and_then(|book| book.price(&dialect.model));
        let paid = Paid {
            model: dialect.model.clone(),
            price: price.unwrap_or(Price::FREE),
        };
        if !all.contains(&paid) {
            all.push(paid);
        }
    }
    if all.len() == before {
        return Ok(());
    }
    let text = serde_json::to_string(&all).map_err(|e| RunError::Failed(e.to_string()))?;
    write_whole(&dir.join(PRICES), &(text + "\n"))
}

/// The prices of the run in `dir`; `None` if it has no such file.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn kept(dir: &Path) -> Result<Option<Vec<Paid>>, RunError> {
    let path = dir.join(PRICES);
    let text = match regular::text(&path, regular::MOST_SMALL) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(RunError::file(&path)(e)),
    };
    let read = serde_json::from_str(&text);
    read.map(Some)
        .map_err(|e| RunError::usage(format!("{}: {e}", path.display())))
}

/// The last price of each model of the run in `dir`.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn book(dir: &Path) -> Result<PriceBook, RunError> {
    let paid = kept(dir)?.unwrap_or_default().into_iter();
    Ok(PriceBook {
        models: paid.map(|paid| (paid.model, paid.price)).collect(),
    })
}
