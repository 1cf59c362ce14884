//! Comma-separated values with a header, for users' own tables.

use super::record::text_of;
use super::remark::Remarks;
use crate::error::LoadError;
use std::collections::BTreeMap;

/// A row of a table: values by column name.
pub type Row = BTreeMap<String, String>;

/// Reads comma-separated values: a header, then rows; fields may stand in double quotes, in which two
/// double quotes are one and line breaks are text.
///
/// # Errors
/// [`LoadError::BadTable`] when a row has more or fewer fields than the header or a quote is not
/// closed.
///
/// ```
/// let rows = qa_scoring::load::table(b"id,answer\n1,\"3,5\"\n")?;
/// assert_eq!(rows[0]["answer"], "3,5");
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn table(bytes: &[u8]) -> Result<Vec<Row>, LoadError> {
    let text = text_of(bytes, &mut Remarks::default())?;
    let mut lines = fields(text)?.into_iter();
    let Some((_, header)) = lines.next() else {
        return Ok(Vec::new());
    };
    let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    lines
        .map(|(line, values)| {
            if values.len() == names.len() {
                Ok(names.iter().cloned().zip(values).collect())
            } else {
                Err(LoadError::BadTable {
                    line,
                    message: format!(
                        "{} fields, the header has {}; quote a field that holds a comma",
                        values.len(),
                        names.len()
                    ),
                })
            }
        })
        .collect()
}

/// Every line that is not empty as its fields, with its number.
fn fields(text: &str) -> Result<Vec<(usize, Vec<String>)>, LoadError> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let (mut quoted, mut line, mut start) = (false, 1, 1);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                line += 1;
                if field.ends_with('\r') {
                    field.pop();
                }
                if !(row.is_empty() && field.is_empty()) {
                    row.push(std::mem::take(&mut field));
                    rows.push((start, std::mem::take(&mut row)));
                }
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
    if !(row.is_empty() && field.is_empty()) {
        row.push(field);
        rows.push((start, row));
    }
    Ok(rows)
}
