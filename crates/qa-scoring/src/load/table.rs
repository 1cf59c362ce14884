//! Separated values with a header, for users' own tables.

use super::record::{is_name, text_of};
use super::remark::Remarks;
use crate::error::LoadError;
use std::collections::BTreeMap;

/// A row of a table: values by column name.
pub type Row = BTreeMap<String, String>;

/// The separators, the first one where nothing tells them apart.
const SEPARATORS: [char; 4] = [',', '\t', ';', '|'];

/// Reads values separated by commas, tabs, semicolons (as spreadsheets write them where the comma is in numbers) or
/// upright bars: a header, then rows; fields may stand in double quotes, in which two double quotes are one and
/// line breaks are text. A first line `sep=;` names the separator; else it is the first one by which all
/// lines have the same number of fields, and more than one. Lines without any content are left out.
///
/// # Errors
/// [`LoadError::BadTable`] when a row has more or fewer fields than the header or a quote is not
/// closed.
///
/// ```
/// use qa_scoring::load::table;
/// let rows = table(b"id,answer\n1,\"3,5\"\n")?;
/// assert_eq!(rows[0]["answer"], "3,5");
/// assert_eq!(table(b"id;answer\r\n1;3,5\r\n")?, rows);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn table(bytes: &[u8]) -> Result<Vec<Row>, LoadError> {
    table_with(&text_of(bytes, &mut Remarks::default())?, &[]).map(|(_, rows)| rows)
}

/// The lines of a table as fields, with their numbers.
type Lines = Vec<(usize, Vec<String>)>;

/// The columns and rows of a table of which one column should have one of the names `wanted`, compared by [`is_name`].
pub(super) fn table_with(
    text: &str,
    wanted: &[&str],
) -> Result<(Vec<String>, Vec<Row>), LoadError> {
    let mut lines = lines(text, wanted)?.into_iter();
    let (_, header) = lines.next().unwrap_or_default();
    let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let rows: Result<Vec<Row>, LoadError> = lines
        .map(|(line, values)| {
            if values.len() == names.len() {
                Ok(names.iter().cloned().zip(values).collect())
            } else {
                Err(LoadError::BadTable {
                    line,
                    message: format!(
                        "{} fields, the header has {}; quote a field that holds the separator",
                        values.len(),
                        names.len()
                    ),
                })
            }
        })
        .collect();
    Ok((names, rows?))
}

/// The lines by the separator that fits best.
fn lines(text: &str, wanted: &[&str]) -> Result<Lines, LoadError> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let named = first.trim().trim_matches('"').strip_prefix("sep=");
    let mut named = named.unwrap_or_default().chars();
    if let (Some(separator), None) = (named.next(), named.next()) {
        return fields(rest, separator, 2);
    }
    let width = |lines: &Lines| lines.first().map_or(0, |(_, header)| header.len());
    let is_even = |lines: &Lines| lines.iter().all(|(_, row)| row.len() == width(lines));
    let has_wanted = |lines: &Lines| {
        let header = lines.first().map(|(_, header)| header.as_slice());
        let mut names = header.unwrap_or_default().iter();
        names.any(|name| {
            let mut wanted = wanted.iter();
            wanted.any(|wanted| is_name(name, wanted))
        })
    };
    let mut best = fields(text, ',', 1);
    // Whether a column that is wanted is there counts first, then whether all lines agree, then their fields.
    let rank = |lines: &Result<Lines, LoadError>| match lines {
        Ok(lines) if width(lines) > 1 => (has_wanted(lines), is_even(lines), 1),
        Ok(lines) => (has_wanted(lines), false, 0),
        Err(_) => (false, false, 0),
    };
    for separator in SEPARATORS {
        let read = fields(text, separator, 1);
        if rank(&read) > rank(&best) {
            best = read;
        }
    }
    best
}

/// Every line that is not empty as its fields, with its number; the first one has the number `line`.
fn fields(text: &str, separator: char, mut line: usize) -> Result<Lines, LoadError> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let (mut quoted, mut start) = (false, line);
    let mut letters = text.chars().peekable();
    let mut close = |start: usize, row: &mut Vec<String>, field: &mut String| {
        row.push(std::mem::take(field));
        let row = std::mem::take(row);
        // Spreadsheets write rows below the table as separators alone.
        if row.iter().any(|field| !field.trim().is_empty()) {
            rows.push((start, row));
        }
    };
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            c if c == separator && !quoted => row.push(std::mem::take(&mut field)),
            // Line ends are \r\n, \n, or \r alone.
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' | '\r' if !quoted => {
                line += 1;
                close(start, &mut row, &mut field);
                start = line;
            }
            c => {
                line += usize::from(c == '\n');
                field.push(c);
            }
        }
    }
    if quoted {
        return Err(LoadError::BadTable {
            line: start,
            message: "a quote is opened and never closed".to_owned(),
        });
    }
    close(start, &mut row, &mut field);
    Ok(rows)
}
