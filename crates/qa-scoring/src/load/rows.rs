//! Users' own tables, as CSV or JSON records, and their cells.

use super::record::{read_objects, text_of};
use super::remark::Remarks;
use super::table::{Row, table_with};
use crate::error::{LoadError, TableError};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads the rows of a table: separated values with a header, as [`table`](super::table) reads them, JSON lines, or a JSON array of
/// objects. Cells are texts in both cases; null is an empty cell.
///
/// # Errors
/// [`LoadError`] when the bytes are none of these.
///
/// ```
/// use qa_scoring::load;
/// let csv = load::rows(b"model,FRM\na,40.5\n")?;
/// let json = load::rows(br#"[{"model": "a", "FRM": 40.5}]"#)?;
/// assert_eq!(csv, json);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn rows(bytes: &[u8]) -> Result<Vec<Row>, LoadError> {
    let text = text_of(bytes, &mut Remarks::default())?;
    // By content: users name their tables as they like.
    if !text.trim_start().starts_with(['[', '{']) {
        return Ok(table_with(&text, &|_| false, &|_| true, None)?.rows);
    }
    let objects = read_objects(bytes, &mut Remarks::default())?;
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Ok(objects
        .iter()
        .map(|fields| {
            let cells = fields
                .iter()
                .map(|(name, value)| (name.clone(), cell(value)));
            cells.collect()
        })
        .collect())
}

/// The cell of `row` under the first of `names` that it has, in any case; `None` if it has none or the
/// cell is blank.
pub(crate) fn cell<'a>(row: &'a Row, names: &[&str]) -> Option<&'a str> {
    let found = names.iter().find_map(|name| {
        row.iter()
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(name.trim()))
    });
    found
        .map(|(_, cell)| cell.trim())
        .filter(|cell| !cell.is_empty())
}

/// The error for a cell of row `at`, counted from 0.
pub(crate) fn bad_cell(at: usize, name: &str, found: &str, expected: &'static str) -> TableError {
    TableError::BadCell {
        row: at + 1,
        name: name.to_owned(),
        found: sim_core::error::clip(found),
        expected,
    }
}

/// A cell that must not be blank.
pub(crate) fn text<'a>(row: &'a Row, at: usize, names: &[&str]) -> Result<&'a str, TableError> {
    cell(row, names).ok_or_else(|| {
        // A blank cell and an absent column are two mistakes with two remedies.
        let has = row.keys().any(|key| {
            names
                .iter()
                .any(|n| key.trim().eq_ignore_ascii_case(n.trim()))
        });
        let name = names.first().copied().unwrap_or_default();
        if has {
            bad_cell(at, name, "", "filled")
        } else {
            TableError::NoColumn {
                name: names.join("` or `"),
            }
        }
    })
}

/// A finite number; a per cent sign after it is ignored. `None` for a blank cell.
pub(crate) fn number(row: &Row, at: usize, names: &[&str]) -> Result<Option<f64>, TableError> {
    let Some(found) = cell(row, names) else {
        return Ok(None);
    };
    number_in(found, at, names.first().copied().unwrap_or_default()).map(Some)
}

/// The number in a cell that is not blank.
fn number_in(found: &str, at: usize, name: &str) -> Result<f64, TableError> {
    let value = crate::python::parse_float(found.trim_end_matches('%'));
    let value = value.filter(|value| value.is_finite());
    value.ok_or_else(|| bad_cell(at, name, found, "a number"))
}

/// The cells of a row that are not blank, by name in any case. [`cell`] compares a name with those of all cells, which
/// takes too long for every cell of a wide table.
pub(crate) struct Cells<'a>(BTreeMap<String, &'a str>);

impl<'a> Cells<'a> {
    pub(crate) fn of(row: &'a Row) -> Self {
        let mut cells = BTreeMap::new();
        for (name, cell) in row {
            // Of two names that differ in their case only the first counts.
            cells.entry(folded(name)).or_insert(cell.trim());
        }
        Self(cells)
    }

    /// As [`number`], by the [`folded`] form of a name.
    pub(crate) fn number(
        &self,
        at: usize,
        folded: &str,
        name: &str,
    ) -> Result<Option<f64>, TableError> {
        let found = self.0.get(folded).filter(|cell| !cell.is_empty());
        found.map(|cell| number_in(cell, at, name)).transpose()
    }
}

/// A name of a column as names are compared.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

/// A number that must be there.
pub(crate) fn needed_number(row: &Row, at: usize, names: &[&str]) -> Result<f64, TableError> {
    text(row, at, names)?;
    number(row, at, names)?.ok_or_else(|| TableError::NoColumn {
        name: names.join("` or `"),
    })
}

/// Yes or no, also as true and false or 1 and 0; `None` for a blank cell.
pub(crate) fn flag(row: &Row, at: usize, name: &str) -> Result<Option<bool>, TableError> {
    let Some(found) = cell(row, &[name]) else {
        return Ok(None);
    };
    match found.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" => Ok(Some(true)),
        "no" | "false" | "0" => Ok(Some(false)),
        _ => Err(bad_cell(at, name, found, "yes or no")),
    }
}
