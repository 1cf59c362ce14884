//! A table of a paper, filled from runs, and its cells one by one.

use super::compare::{Allowed, ComparedWith, Comparison};
use crate::csv::Table;
use run_engine::error::RunError;
use serde::Serialize;
use std::io::Write;

/// Columns of a table as comma-separated values: one line per cell.
const CSV_COLUMNS: [&str; 12] = [
    "paper",
    "table",
    "row",
    "row_of",
    "column",
    "ours",
    "ci95_low",
    "ci95_high",
    "n",
    "shown",
    "published",
    "command",
];

/// Whose row it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaperRowOrigin {
    /// A row that runs fill.
    Runs,
    /// A row of the paper that no run is to fill, such as a model of the paper that was not run here.
    Paper,
}

/// A cell: our figure, the published one, and the command that fills the cell where no run does.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PaperCell {
    /// Our figure \[the unit of the column\]; absent for words and without a run.
    pub ours: Option<f64>,
    /// 95 % interval of our figure.
    pub ci95: Option<[f64; 2]>,
    /// Number of observations behind our figure.
    pub n: Option<u64>,
    /// Our figure or words as they are printed; absent without a run.
    pub shown: Option<String>,
    /// The figure that the paper prints.
    pub published: Option<String>,
    /// The command that fills the cell; present where no run does.
    pub command: Option<String>,
    /// What the reader must know of our figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// How our figure compares with the published one, in a table that compares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Decimals of the interval as it is printed.
    #[serde(skip)]
    decimals: usize,
    /// The observations of a mean, for drawings.
    #[serde(skip)]
    pub(super) observed: Vec<f64>,
}

/// A figure of our runs before it is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// The value.
    pub(super) value: f64,
    /// Its 95 % interval.
    pub(super) ci95: Option<[f64; 2]>,
    /// Number of observations.
    pub(super) n: u64,
}

impl Measure {
    /// The same times `factor`, which must be positive.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            ci95: self.ci95.map(|[low, high]| [low * factor, high * factor]),
            n: self.n,
        }
    }
}

impl PaperCell {
    /// A figure of ours with `decimals` decimals.
    pub(super) fn measured(measure: Measure, decimals: usize) -> Self {
        Self {
            ours: Some(measure.value),
            ci95: measure.ci95,
            n: Some(measure.n),
            shown: Some(fixed(measure.value, decimals)),
            decimals,
            ..Self::default()
        }
    }

    /// A share of `n` observations with its interval, shown as `hits/n`. An observation that is itself a mean
    /// may count with a part.
    pub(super) fn share_of(share: Measure) -> Self {
        let hits = share.value * share.n as f64;
        // Value times number is not exact: 0.29 of 100 is 28.999999999999996.
        let whole = (hits - hits.round()).abs() < 1e-9;
        let hits = fixed(hits, if whole { 0 } else { 1 });
        Self {
            shown: Some(format!("{hits}/{}", share.n)),
            ..Self::measured(share, 2)
        }
    }

    /// The p value of a test of `n` observations; what is too small for four decimals is shown as such.
    pub(super) fn p_value(p: f64, n: u64) -> Self {
        let measure = Measure {
            value: p,
            ci95: None,
            n,
        };
        let cell = Self::measured(measure, 4);
        if p < 1e-4 {
            Self {
                shown: Some("< 0.0001".to_owned()),
                ..cell
            }
        } else {
            cell
        }
    }

    /// A count without an interval.
    pub(super) fn count(count: u64) -> Self {
        Self {
            // Without a number of observations: a count is not an estimate.
            ours: Some(count as f64),
            shown: Some(count.to_string()),
            ..Self::default()
        }
    }

    /// Words of ours.
    pub(super) fn words(words: impl Into<String>) -> Self {
        Self {
            shown: Some(words.into()),
            ..Self::default()
        }
    }

    /// A cell that no run fills yet.
    pub(super) fn missing(command: impl Into<String>) -> Self {
        Self {
            command: Some(command.into()),
            ..Self::default()
        }
    }

    /// The same with what the paper prints.
    pub(super) fn beside(mut self, published: Option<&str>) -> Self {
        self.published = published.map(str::to_owned);
        self
    }

    /// The same with its comparison, if there is a published figure.
    pub(super) fn compared(mut self, allowed: &Allowed) -> Self {
        let given = self.published.as_deref();
        self.comparison = given.map(|given| Comparison::of(given, self.ours, allowed));
        self
    }

    /// The same with a remark on our figure, if there is a figure.
    pub(super) fn remarked(mut self, remark: Option<String>) -> Self {
        // Without a figure there is nothing to remark on; the command says what is missing.
        self.remark = remark.filter(|_| self.ours.is_some());
        self
    }

    /// The same with its observations.
    pub(super) fn observed(mut self, observed: Vec<f64>) -> Self {
        self.observed = observed;
        self
    }

    /// The interval as it is printed.
    pub(super) fn interval(&self) -> Option<String> {
        let [low, high] = self.ci95?;
        let show = |x| fixed(x, self.decimals);
        Some(format!("{} to {}", show(low), show(high)))
    }
}

/// A number with a fixed number of decimals; no negative zero.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // "-0.0" is what rounding leaves of a small loss, and reads like a mistake.
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperRow {
    /// The labels of the row, one for each of the table's `stubs`.
    pub labels: Vec<String>,
    /// Whose row it is.
    pub origin: PaperRowOrigin,
    /// One cell for each column.
    pub cells: Vec<PaperCell>,
    /// Its name in the file of published figures; absent where the paper has no such row.
    #[serde(skip)]
    pub(super) key: Option<String>,
}

/// A table of a paper, filled from the runs at hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperTable {
    /// Name for files: `table-2`.
    pub id: String,
    /// Its place in the paper: `Table 2`, `Appendix D.3`.
    pub place: String,
    /// What it shows, with the unit of its figures.
    pub title: String,
    /// Headings of the words before the figures of a row: `model`, `level`.
    pub stubs: Vec<String>,
    /// Headings of the figures.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<PaperRow>,
    /// Remarks, one sentence or more each.
    pub notes: Vec<String>,
    /// With what its published figures are compared, if it is a list of comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<ComparedWith>,
    /// What it is about where there are several tables of its place, such as a model.
    #[serde(skip)]
    pub(super) split: Option<String>,
}

impl PaperTable {
    /// Number of cells that runs are to fill and that no run fills.
    #[must_use]
    pub fn unfilled(&self) -> usize {
        let ours = self
            .rows
            .iter()
            .filter(|row| row.origin == PaperRowOrigin::Runs);
        ours.flat_map(|row| &row.cells)
            .filter(|cell| cell.shown.is_none())
            .count()
    }
}

/// Writes `tables` of `paper` as comma-separated values, one line per cell.
///
/// # Errors
/// When `to` cannot be written.
pub(super) fn tables_csv(
    paper: &str,
    tables: &[PaperTable],
    to: &mut dyn Write,
) -> Result<(), RunError> {
    let mut out = Table::new(to);
    out.row(CSV_COLUMNS)?;
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let text = |x: &Option<String>| x.clone().unwrap_or_default();
    for table in tables {
        for row in &table.rows {
            let of = match row.origin {
                PaperRowOrigin::Runs => "runs",
                PaperRowOrigin::Paper => "paper",
            };
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                out.row([
                    paper.to_owned(),
                    table.place.clone(),
                    // Not with a comma, which would have every such cell quoted.
                    row.labels.join(" · "),
                    of.to_owned(),
                    column.clone(),
                    number(cell.ours),
                    number(cell.ci95.map(|[low, _]| low)),
                    number(cell.ci95.map(|[_, high]| high)),
                    cell.n.map_or_else(String::new, |n| n.to_string()),
                    text(&cell.shown),
                    text(&cell.published),
                    text(&cell.command),
                ])?;
            }
        }
    }
    out.finish()
}

/// A name for files: lower case, other signs than letters, digits and full stops as hyphens.
pub(super) fn slug(place: &str) -> String {
    let signs = place.chars().map(|c| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let text: String = signs.collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table with a figure, a cell without a run, and a row of the paper.
    pub(in crate::paper) fn table() -> PaperTable {
        let measure = Measure {
            value: 72.84,
            ci95: Some([70.06, 75.0]),
            n: 12,
        };
        let row = |label: &str, origin, cells| PaperRow {
            labels: vec![label.to_owned()],
            origin,
            cells,
            key: None,
        };
        let ours = vec![
            PaperCell::measured(measure, 1).beside(Some("72.8")),
            PaperCell::missing("boardroom run x"),
        ];
        let theirs = vec![
            PaperCell::default().beside(Some("43.8")),
            PaperCell::default(),
        ];
        PaperTable {
            id: slug("Table 2"),
            place: "Table 2".to_owned(),
            title: "scores, 0 to 100".to_owned(),
            stubs: vec!["model".to_owned()],
            columns: vec!["basic".to_owned(), "hard".to_owned()],
            rows: vec![
                row("openai:a_b", PaperRowOrigin::Runs, ours),
                row("GPT-4o", PaperRowOrigin::Paper, theirs),
            ],
            notes: vec!["A remark on `a_b`.".to_owned()],
            compare: None,
            split: None,
        }
    }

    #[test]
    fn csv_has_a_line_for_each_cell() {
        let mut text = Vec::new();
        tables_csv("markets", &[table()], &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "paper,table,row,row_of,column,ours,ci95_low,ci95_high,n,shown,published,command",
                "markets,Table 2,openai:a_b,runs,basic,72.84,70.06,75,12,72.8,72.8,",
                "markets,Table 2,openai:a_b,runs,hard,,,,,,,boardroom run x",
                "markets,Table 2,GPT-4o,paper,basic,,,,,,43.8,",
                "markets,Table 2,GPT-4o,paper,hard,,,,,,,",
            ]
        );
    }

    #[test]
    fn small_p_values_are_not_zero() {
        for (p, shown) in [
            (0.0, "< 0.0001"),
            (9e-5, "< 0.0001"),
            (1e-4, "0.0001"),
            (0.25, "0.2500"),
        ] {
            let cell = PaperCell::p_value(p, 4);
            assert_eq!(cell.shown.as_deref(), Some(shown));
            assert_eq!(cell.ours, Some(p));
        }
    }

    #[test]
    fn shares_show_parts_of_repeated_observations() {
        for (value, shown) in [(0.5, "2/4"), (0.625, "2.5/4"), (1.0, "4/4")] {
            let share = Measure {
                value,
                ci95: None,
                n: 4,
            };
            assert_eq!(PaperCell::share_of(share).shown.as_deref(), Some(shown));
        }
    }

    #[test]
    fn names_of_files_follow_from_places() {
        for (place, name) in [
            ("Table 2", "table-2"),
            ("Figure 1b", "figure-1b"),
            ("Appendix D.3", "appendix-d.3"),
        ] {
            assert_eq!(slug(place), name);
        }
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-4.5, 1), "-4.5");
    }
}
