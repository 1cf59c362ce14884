//! Reads rated questions and preferences of experts from tables.

use super::filter::Quality;
use crate::error::TableError;
use crate::load::{Row, bad_cell, cell, flag, needed_number, text};
use std::collections::BTreeMap;

/// Columns of the three scores of the quality filter, each with a short name.
pub const QUALITY_COLUMNS: [[&str; 2]; 3] =
    [["depth", "A"], ["synthesis", "B"], ["centrality", "C"]];

/// Columns of the two scores of the conversion to a choice.
pub const CONVERSION_COLUMNS: [[&str; 2]; 2] =
    [["clarity", "clarity"], ["misconception", "misconception"]];

/// The scores of every row of a table.
///
/// ```
/// use qa_scoring::{load, quality::{QUALITY_COLUMNS, scores}};
/// let rows = load::rows(b"id,depth,synthesis,centrality\nq1,7,6,9\n")?;
/// assert_eq!(scores(&rows, QUALITY_COLUMNS)?, [[7.0, 6.0, 9.0]]);
/// # Ok::<(), qa_scoring::error::TableError>(())
/// ```
///
/// # Errors
/// [`TableError`] when a column is absent or a cell is not a number.
pub fn scores<const N: usize>(
    rows: &[Row],
    columns: [[&str; 2]; N],
) -> Result<Vec<[f64; N]>, TableError> {
    rows.iter()
        .enumerate()
        .map(|(at, row)| {
            let mut scores = [0.0; N];
            for (score, names) in scores.iter_mut().zip(columns) {
                *score = needed_number(row, at, &names)?;
            }
            Ok(scores)
        })
        .collect()
}

/// The questions of a table with the experts' verdict in the column `rejected` (yes or no).
///
/// # Errors
/// [`TableError`] when a column is absent or a cell has the wrong form.
pub fn rated(rows: &[Row]) -> Result<Vec<(Quality, Option<bool>)>, TableError> {
    let scores = scores(rows, QUALITY_COLUMNS)?;
    let rated = scores.into_iter().zip(rows).enumerate();
    rated
        .map(|(at, ([depth, synthesis, centrality], row))| {
            let quality = Quality {
                depth,
                synthesis,
                centrality,
            };
            Ok((quality, flag(row, at, "rejected")?))
        })
        .collect()
}

/// The preferences of a table: rows with `better` and `worse`, or with a `ranking` such as `q4>q1>q2`,
/// best first. Items are named by the column `id` of `items`, or by their place from 0 if there is none.
///
/// # Errors
/// [`TableError`] when a column is absent or names an unknown item.
pub fn preferences_of(items: &[Row], rows: &[Row]) -> Result<Vec<(usize, usize)>, TableError> {
    let ids = items.iter().enumerate().map(|(place, row)| {
        let id = cell(row, &["id"]);
        (id.map_or_else(|| place.to_string(), str::to_owned), place)
    });
    let ids: BTreeMap<String, usize> = ids.collect();
    let mut all = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let find = |name: &str, id: &str| {
            let place = ids.get(id.trim()).copied();
            place.ok_or_else(|| bad_cell(at, name, id, "the id of an item"))
        };
        match cell(row, &["ranking"]) {
            Some(ranking) => {
                let places = ranking.split('>').map(|id| find("ranking", id));
                all.extend(super::preferences(&places.collect::<Result<Vec<_>, _>>()?));
            }
            None => all.push((
                find("better", text(row, at, &["better"])?)?,
                find("worse", text(row, at, &["worse"])?)?,
            )),
        }
    }
    Ok(all)
}

/// Share of preferences whose preferred item has the higher weighted sum; ties count as half. `None`
/// without preferences.
#[must_use]
pub fn agreement<const N: usize>(
    items: &[[f64; N]],
    preferences: &[(usize, usize)],
    weights: &[f64; N],
) -> Option<f64> {
    let total = |place: usize| -> Option<f64> {
        let item = items.get(place)?;
        Some(item.iter().zip(weights).map(|(x, w)| x * w).sum())
    };
    let shares: Option<Vec<f64>> = preferences
        .iter()
        .map(|&(better, worse)| {
            let difference = total(better)? - total(worse)?;
            Some(if difference.abs() < super::SLACK {
                0.5
            } else {
                f64::from(u8::from(difference > 0.0))
            })
        })
        .collect();
    sim_core::stats::mean(&shares?)
}
