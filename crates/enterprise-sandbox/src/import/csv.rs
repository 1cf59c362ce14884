//! Comma-separated values with quoted fields that may span lines.

/// The records of a CSV text: fields separated by commas, quotes doubled inside quoted fields,
/// records separated by line breaks outside quotes. Empty lines are skipped.
///
/// ```
/// use enterprise_sandbox::import::parse_csv;
/// assert_eq!(parse_csv("a,\"b\nc\"\"d\"\n"), vec![vec!["a", "b\nc\"d"]]);
/// ```
#[must_use]
pub fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut out, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
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
                record.push(std::mem::take(&mut field));
                any = true;
            }
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                if any || !field.is_empty() {
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
    out
}
