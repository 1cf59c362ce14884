//! Comma-separated values with quoted fields that may span lines.
//!
//! Spreadsheets read a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a
//! formula. Such cells are written with an apostrophe in front, which spreadsheets hide. Reading removes
//! the apostrophe, so that the original text comes back.

/// The records of a CSV text: fields separated by commas, quotes doubled inside quoted fields,
/// records separated by line breaks outside quotes. Empty lines are skipped.
///
/// ```
/// use enterprise_sandbox::import::parse_csv;
/// assert_eq!(parse_csv("a,\"b\nc\"\"d\"\n"), vec![vec!["a", "b\nc\"d"]]);
/// ```
#[must_use]
pub fn parse_csv(text: &str) -> Vec<Vec<String>> {
    records(text, usize::MAX).unwrap_or_default()
}

/// As [`parse_csv`]; `None` if there are more than `most` fields. A field takes 24 bytes in memory, and one in the
/// text.
pub(super) fn records(text: &str, most: usize) -> Option<Vec<Vec<String>>> {
    let (mut out, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut left = most;
    let mut chars = text.chars().peekable();
    let (mut quoted, mut any) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => {
                quoted = !quoted;
                any = true;
            }
            ',' if !quoted => {
                left = left.checked_sub(1)?;
                record.push(std::mem::take(&mut field));
                any = true;
            }
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                if any || !field.is_empty() {
                    left = left.checked_sub(1)?;
                    record.push(std::mem::take(&mut field));
                    out.push(std::mem::take(&mut record));
                }
                any = false;
            }
            c => field.push(c),
        }
    }
    if any || !field.is_empty() {
        record.push(field);
        out.push(record);
    }
    Some(out)
}

/// Whether a spreadsheet would read the text as a formula, ignoring apostrophes in front. Texts with
/// such apostrophes get another one, so that reading restores exactly what was written.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A cell in its written form: protected from being a formula, and quoted if necessary.
pub(crate) fn written(text: &str) -> String {
    let guard = if is_formula(text) { "'" } else { "" };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

/// The original text of a cell that [`written`] wrote.
pub(super) fn meant(cell: String) -> String {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest.to_owned(),
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_while_they_are_read() {
        let text = "a,b\nc,\"d,e\"\n";
        assert_eq!(records(text, 4), Some(parse_csv(text)));
        assert_eq!(records(text, 3), None);
        assert_eq!(records(&"1,".repeat(1_000), 999), None);
    }

    #[test]
    fn formulas_are_guarded_and_come_back() {
        for (text, cell) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@a", "'@a"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("'=x", "''=x"),
            ("''", "''"),
            ("'tis", "'tis"),
            ("a\rb", "\"a\rb\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(written(text), cell);
            let line = format!("first,{cell}\n");
            let read = parse_csv(&line).remove(0).remove(1);
            assert_eq!(meant(read), text, "{cell}");
        }
    }
}
