//! A reply that is a table, without a sentence that states its answer.

use super::{date, refuses};
use crate::number::{self, Number, whole_number};

/// The value of a table in Markdown: its only amount below the heading, else the only one in bold, if that stands in the
/// last row. `None` where several amounts could be meant, or where the text around the table has amounts of its own.
pub(super) fn value(text: &str) -> Option<Number> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let ruler = |row: &str| {
        row.contains('-')
            && row.contains('|')
            && row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
    };
    // The bars at the ends of a row may be left out. The line under the heading says whether they are, so that a text
    // with bars in it, such as |x|, is no row of a table that has them.
    let is_open = !lines().find(|line| ruler(line))?.starts_with('|');
    let is_row = |line: &&str| line.starts_with('|') || is_open && line.contains('|');
    let words: Vec<&str> = lines().filter(|line| !is_row(line)).collect();
    let rows: Vec<&str> = lines().filter(is_row).collect();
    let body = rows.iter().position(|row| ruler(row))? + 1;
    if is_open && body != 2 {
        return None;
    }
    let beside = |line: &&str| number::count(line) > 0 && date::year(line).is_none();
    if words.iter().any(beside) || refuses(text) {
        return None;
    }
    let rows = rows.get(body..)?;
    let mut amounts: Vec<Amount> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        for cell in row.split('|').map(str::trim) {
            let Some(number) = whole_number(cell).filter(|_| date::year(cell).is_none()) else {
                // "10-15", "5 (6)"
                if number::count(cell) > 0
                    && date::year(cell).is_none()
                    // A cell with words is a label and may hold digits: "Item 7".
                    && !cell.contains(char::is_alphabetic)
                {
                    return None;
                }
                continue;
            };
            amounts.push(Amount {
                number,
                bold: cell.starts_with("**"),
                last: place + 1 == rows.len(),
            });
        }
    }
    let only = |amounts: &[Amount]| match amounts {
        [one] => Some(*one),
        _ => None,
    };
    let bold: Vec<Amount> = amounts
        .iter()
        .copied()
        .filter(|amount| amount.bold)
        .collect();
    // "| Result | 42 |"
    let label = rows.last()?.trim_matches(['|', ' ']).split('|').next()?;
    let results = label.trim_matches(['*', ' ']).to_lowercase();
    let named = matches!(results.as_str(), "result" | "final result" | "final value");
    let last: Vec<Amount> = amounts
        .iter()
        .copied()
        .filter(|amount| amount.last)
        .collect();
    only(&amounts)
        .or_else(|| only(&bold).filter(|amount| amount.last))
        .or_else(|| only(&last).filter(|_| named))
        .map(|amount| amount.number)
}

/// A cell that is an amount.
#[derive(Clone, Copy)]
struct Amount {
    number: Number,
    bold: bool,
    /// Whether it stands in the last row.
    last: bool,
}
