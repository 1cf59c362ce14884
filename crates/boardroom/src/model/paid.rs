//! The prices at which the calls of a run were booked, so that what they cost can be computed again.

use crate::error::RunError;
use crate::folder::manifest::write_whole;
use crate::regular;
use agent_client::money::{Price, PriceBook};
use agent_client::wire::Dialect;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File of a run folder with them.
pub(crate) const PRICES: &str = "prices.json";

/// What a model cost in some sitting of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paid {
    /// The model.
    pub(crate) model: String,
    /// Its price; nothing where the sitting had no price file.
    pub(crate) price: Price,
}

/// Adds what the models of `dialects` cost in this sitting to the prices of the run in `dir`.
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

/// The prices of the run in `dir`; `None` where it keeps none.
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
