//! Tables for other programs: comma-separated values.
//!
//! Spreadsheets run cells that begin like a formula. A text cell that begins with `=`, `+`, `-`, `@`, a tab
//! or a carriage return therefore gets an apostrophe in front, as OWASP advises; cells that are
//! numbers stay as they are. Cells with a comma, a quote or a line end are quoted, including a lone
//! carriage return.

use ::csv::Writer;
use run_engine::error::RunError;
use std::io::Write;

/// A table that is being written.
pub(crate) struct Table<'a> {
    out: Writer<&'a mut dyn Write>,
}

impl<'a> Table<'a> {
    /// A table that is written to `to`.
    pub(crate) fn new(to: &'a mut dyn Write) -> Self {
        Self {
            out: Writer::from_writer(to),
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn row<S: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = S>,
    ) -> Result<(), RunError> {
        let cells = cells.into_iter().map(|cell| harmless(cell.as_ref()));
        self.out.write_record(cells).map_err(|e| failed(e.into()))
    }

    /// Writes everything that is still buffered.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn finish(mut self) -> Result<(), RunError> {
        self.out.flush().map_err(failed)
    }
}

fn failed(source: std::io::Error) -> RunError {
    RunError::File {
        place: "the table".to_owned(),
        source,
    }
}

/// `cell`, written so that no spreadsheet reads it as a formula.
fn harmless(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    // A lone dash stands for "nothing".
    // A number may begin with a minus, and a spreadsheet must read it as one.
    if formula && cell != "-" && cell.parse::<f64>().is_err() {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut text = Vec::new();
        let mut table = Table::new(&mut text);
        table.row(cells).unwrap();
        table.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn formulas_are_text_and_numbers_stay_numbers() {
        for (cell, shown) in [
            ("=1+1", "'=1+1"),
            ("+cmd", "'+cmd"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("-12.5", "-12.5"),
            ("-1e-7", "-1e-7"),
            ("+3", "+3"),
            ("openai:=x", "openai:=x"),
            ("", ""),
        ] {
            assert_eq!(
                written(&[cell, "end"]),
                format!("{shown},end\n"),
                "{cell:?}"
            );
        }
    }

    #[test]
    fn every_end_of_line_is_quoted() {
        for (cell, shown) in [
            ("a\rb", "\"a\rb\""),
            ("a\nb", "\"a\nb\""),
            ("\r=1", "\"'\r=1\""),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
        ] {
            assert_eq!(
                written(&[cell, "end"]),
                format!("{shown},end\n"),
                "{cell:?}"
            );
        }
    }
}
