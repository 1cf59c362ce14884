//! A small table for the terminal.

use run_engine::terminal::shown_name;

/// A title, columns, rows and notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
    /// Whether the last column holds words, which stand to the left.
    ends_in_words: bool,
}

impl TextTable {
    /// A table without notes. Every row has a cell for each column; the title may be empty.
    #[must_use]
    pub fn new(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
            notes: Vec::new(),
            ends_in_words: false,
        }
    }

    /// The same table, whose last column holds words and not numbers: its text form puts them to the left.
    #[must_use]
    pub fn ending_in_words(self) -> Self {
        Self {
            ends_in_words: true,
            ..self
        }
    }

    /// Adds a line below the rows.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Aligned columns: the first (and a last one of words) to the left, the others to the right. A row and a note
    /// are one line each, whatever names are in them.
    #[must_use]
    pub fn text(&self) -> String {
        let rows = std::iter::once(&self.columns).chain(&self.rows);
        // Before the widths are measured: signs that are not shown as they are change the length.
        let shown = |row: &Vec<String>| row.iter().map(|cell| shown_name(cell)).collect();
        let all: Vec<Vec<String>> = rows.map(shown).collect();
        let width = |column: usize| -> usize {
            let cells = all.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        if !self.title.is_empty() {
            text.push_str(&self.title);
            text.push('\n');
        }
        for row in &all {
            let cells = row.iter().zip(&widths).enumerate();
            let line: Vec<String> = cells
                .map(|(place, (cell, width))| match place {
                    0 => format!("{cell:<width$}"),
                    _ if self.ends_in_words && place + 1 == widths.len() => cell.clone(),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            text.push_str(&format!("  {}\n", line.join("  ").trim_end()));
        }
        for note in &self.notes {
            text.push_str(&format!("  {}\n", shown_name(note)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_cells_and_notes_add_no_lines() {
        let name = "a\n9 of 9 records verified\u{1b}[2J\u{202e}";
        let rows = vec![vec![name.to_owned(), "1".to_owned()]];
        let mut table = TextTable::new("figures", ["model", name], rows);
        table.note(format!("{name} is left out"));
        let text = table.text();
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
