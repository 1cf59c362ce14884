//! Separated values with a header, for users' own tables.

use super::record::text_of;
use super::remark::Remarks;
use crate::error::LoadError;
use sim_core::error::clip;
use std::collections::{BTreeMap, BTreeSet};

/// A row of a table: values by column name.
pub type Row = BTreeMap<String, String>;

/// The separators, the first one where nothing tells them apart.
const SEPARATORS: [char; 4] = [',', '\t', ';', '|'];

/// Reads values separated by commas, tabs, semicolons (as spreadsheets write them where the comma is in numbers) or
/// upright bars: a header, then rows; fields may stand in double quotes, in which two double quotes are one and
/// line breaks are text. A first line `sep=;` names the separator; else it is the first one by which all
/// lines have the same number of fields, and more than one. Empty lines, lines of separators alone and the line below the header
/// of a Markdown table are left out.
///
/// # Errors
/// [`LoadError::BadTable`] when two columns have one name, a row has more or fewer fields than the header, a quote is
/// not closed, or text stands behind one that is.
///
/// ```
/// use qa_scoring::load::table;
/// let rows = table(b"id,answer\n1,\"3,5\"\n")?;
/// assert_eq!(rows[0]["answer"], "3,5");
/// assert_eq!(table(b"id;answer\r\n1;3,5\r\n")?, rows);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn table(bytes: &[u8]) -> Result<Vec<Row>, LoadError> {
    let text = text_of(bytes, &mut Remarks::default())?;
    Ok(table_with(&text, &|_| false, &|_| true, None)?.rows)
}

/// The lines of a table as fields, with their numbers.
type Lines = Vec<(usize, Vec<String>)>;

/// A table that was read.
pub(super) struct Table {
    /// The names of its columns.
    pub(super) columns: Vec<String>,
    /// Its rows.
    pub(super) rows: Vec<Row>,
    /// The numbers of the first empty lines between rows of one column, which were left out, and how many there are.
    pub(super) left_out: (Vec<usize>, usize),
}

/// The columns and rows of a table of which one column should have a name that is `wanted`. Where no column is one that
/// `identifies` its row, a line of separators alone between others is a row too.
///
/// In a table of one column the empty lines are rows if it has the `expected` number of rows with them and not without.
pub(super) fn table_with(
    text: &str,
    wanted: &dyn Fn(&str) -> bool,
    identifies: &dyn Fn(&str) -> bool,
    expected: Option<usize>,
) -> Result<Table, LoadError> {
    let mut lines = lines(text, wanted)?;
    let is_single = lines.first().is_some_and(|(_, header)| header.len() == 1);
    let left_out = if is_single {
        keep_places(text, &mut lines, expected)
    } else {
        (Vec::new(), 0)
    };
    let is_empty = |(_, row): &(usize, Vec<String>)| row.len() > 1 && is_blank(row);
    // Spreadsheets write such lines below the table. There they are not rows, even where rows are
    // known by their place.
    while lines.pop_if(|line| is_empty(line)).is_some() {}
    let mut lines = lines.into_iter();
    let (line, header) = lines.next().unwrap_or_default();
    let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let by_name = names.iter().any(|name| identifies(name));
    let mut seen = BTreeSet::new();
    // Columns without a name stand beside a table in a spreadsheet; nobody asks for them.
    let mut twice = names
        .iter()
        .filter(|name| !name.is_empty() && !seen.insert(*name));
    if let Some(name) = twice.next() {
        let message = format!(
            "two columns have the name `{}`; the columns are `{}`; give each a name of its own",
            clip(name),
            clip(&names.join("`, `"))
        );
        return Err(LoadError::BadTable { line, message });
    }
    let rows: Result<Vec<Row>, LoadError> = lines
        .filter(|line| !(by_name && is_empty(line)))
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
    Ok(Table {
        columns: names,
        rows: rows?,
        left_out,
    })
}

/// Puts the empty lines of a table of one column among its `lines` if it has the `expected` number of rows with them.
/// Otherwise the first numbers of the empty lines between rows, and how many there are.
fn keep_places(text: &str, lines: &mut Lines, expected: Option<usize>) -> (Vec<usize>, usize) {
    // Found by the numbers of the lines: kept as rows, the empty lines of a large file would take far more memory than
    // the file.
    let end = |(start, row): &(usize, Vec<String>)| {
        start + 1 + row.first().map_or(0, |field| field.matches('\n').count())
    };
    let gaps = lines.windows(2).filter_map(|pair| match pair {
        [row, next] => Some(end(row)..next.0),
        _ => None,
    });
    let gaps: Vec<std::ops::Range<usize>> = gaps.filter(|gap| !gap.is_empty()).collect();
    let between: usize = gaps.iter().map(ExactSizeIterator::len).sum();
    let tail = text.get(text.trim_end().len()..).unwrap_or_default();
    let behind = tail.replace("\r\n", "\n").matches(['\n', '\r']).count();
    let filled = lines.len() - 1;
    // The count decides: a spreadsheet writes an empty reply as a person sets rows apart. Any number of empty lines may
    // stand at the end of a file.
    let most = filled + between + behind.saturating_sub(1);
    match expected {
        Some(rows) if rows != filled && (filled + between..=most).contains(&rows) => {
            let last = lines.last().map(end).unwrap_or_default();
            let missing = last..last + rows - filled - between;
            let empty = gaps.into_iter().flatten().chain(missing);
            lines.extend(empty.map(|line| (line, vec![String::new()])));
            lines.sort_by_key(|(line, _)| *line);
            (Vec::new(), 0)
        }
        _ => {
            let first = gaps.into_iter().flatten().take(10);
            (first.collect(), between)
        }
    }
}

/// The lines by the separator that fits best.
fn lines(text: &str, wanted: &dyn Fn(&str) -> bool) -> Result<Lines, LoadError> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let named = first.trim().trim_matches('"').strip_prefix("sep=");
    let mut named = named.unwrap_or_default().chars();
    if let (Some(separator), None) = (named.next(), named.next()) {
        return fields(rest, separator, 2);
    }
    let header = text
        .split(['\n', '\r'])
        .find(|line| !line.trim().is_empty());
    let header = header.unwrap_or_default();
    // Whether a column that is wanted is there counts first, then whether there are several, then whether all lines
    // agree. A table with a fault in its quotes is told by its header.
    let rank = |separator: char, lines: &Result<Lines, LoadError>| {
        let names = match lines {
            Ok(lines) => lines.first().map(|(_, names)| names.clone()),
            Err(_) => fields(header, separator, 1)
                .ok()
                .and_then(|lines| lines.into_iter().next())
                .map(|(_, names)| names),
        };
        let names = names.unwrap_or_default();
        let has_several = names.len() > 1;
        let is_even = lines.as_ref().is_ok_and(|lines| {
            has_several && lines.iter().all(|(_, row)| row.len() == names.len())
        });
        let has_wanted = names.iter().any(|name| wanted(name));
        (
            has_wanted && has_several,
            has_wanted,
            has_several && is_even,
            has_several,
        )
    };
    let [first, others @ ..] = SEPARATORS;
    let mut best = fields(text, first, 1);
    let mut best_rank = rank(first, &best);
    for separator in others {
        let read = fields(text, separator, 1);
        let its_rank = rank(separator, &read);
        if its_rank > best_rank {
            (best, best_rank) = (read, its_rank);
        }
    }
    best
}

/// Whether no field of a row has a content.
fn is_blank(row: &[String]) -> bool {
    row.iter().all(|field| field.trim().is_empty())
}

/// Every line that is not empty as its fields, with its number; the first one has the number `line`.
fn fields(text: &str, separator: char, mut line: usize) -> Result<Lines, LoadError> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let (mut quoted, mut closed, mut start) = (false, false, line);
    // The line in which the last quote was opened, 0 before the first one.
    let mut opened = 0;
    let mut letters = text.chars().peekable();
    let mut close = |start: usize, is_quoted: bool, row: &mut Vec<String>, field: &mut String| {
        row.push(std::mem::take(field));
        let row = std::mem::take(row);
        // A quoted field counts also if it is empty: in a table of one column it is an empty reply.
        // Above the header all blank lines are left out.
        let is_empty = is_blank(&row) && (rows.is_empty() || row.len() == 1 && !is_quoted);
        // A line of dashes is a reply, except below the header of a Markdown table.
        let is_rule = |field: &String| field.chars().all(|c| matches!(c, '-' | ':' | ' '));
        let is_rule = separator == '|'
            && rows.len() == 1
            && row.iter().all(is_rule)
            && row.concat().contains('-');
        if !is_empty && !is_rule {
            rows.push((start, row));
        }
    };
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted => (quoted, closed) = (false, true),
            // Only at the beginning of a field; a quote inside one is a sign of inches, or a text
            // that its writer did not quote.
            '"' if field.is_empty() && !closed => (quoted, opened) = (true, line),
            c if c == separator && !quoted => {
                closed = false;
                row.push(std::mem::take(&mut field));
            }
            // Line ends are \r\n, \n, or \r alone.
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' | '\r' if !quoted => {
                closed = false;
                close(start, opened >= start, &mut row, &mut field);
                line += 1;
                start = line;
            }
            ' ' if closed => {}
            _ if closed => {
                return Err(LoadError::BadTable {
                    line: opened,
                    message: "text stands behind the closing quote of a field; write a quote inside a field twice, or leave a quote without its pair out".to_owned(),
                });
            }
            c => {
                line += usize::from(c == '\n');
                field.push(c);
            }
        }
    }
    if quoted {
        return Err(LoadError::BadTable {
            line: opened,
            message: "a quote is opened and never closed; write a quote inside a field twice, or leave it out".to_owned(),
        });
    }
    close(start, opened >= start, &mut row, &mut field);
    Ok(rows)
}
