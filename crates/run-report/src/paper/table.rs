//! A table of a paper, filled from runs: its cells, and the three forms in which it is written.

use crate::csv::Table;
use run_engine::error::RunError;
use serde::Serialize;
use std::fmt::Write as _;
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
    /// Decimals of the interval as it is printed.
    #[serde(skip)]
    decimals: usize,
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

    /// A count out of `n` independent observations, shown as `hits/n`, with Wilson's interval of the share.
    pub(super) fn share(hits: u64, n: u64) -> Self {
        let interval = sim_core::stats::share_interval(hits, n, 0.95);
        Self {
            ours: Some(hits as f64 / n.max(1) as f64),
            ci95: interval.map(|i| [i.low, i.high]),
            n: Some(n),
            shown: Some(format!("{hits}/{n}")),
            decimals: 2,
            ..Self::default()
        }
    }

    /// A share of `n` observations with its interval, shown as `hits/n`. An observation that is itself a mean
    /// may count with a part.
    pub(super) fn share_of(share: Measure) -> Self {
        let hits = share.value * share.n as f64;
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

    /// The measured figure, or the command that makes it.
    pub(super) fn of(measure: Option<Measure>, decimals: usize, command: &str) -> Self {
        match measure {
            Some(measure) => Self::measured(measure, decimals),
            None => Self::missing(command),
        }
    }

    /// The measured figure. Without one, why a run has none; without a run, the command that makes one.
    pub(super) fn of_run(
        measure: Option<Measure>,
        decimals: usize,
        undefined: Option<&str>,
        command: &str,
    ) -> Self {
        match (measure, undefined) {
            (None, Some(reason)) => Self::words(reason),
            (measure, _) => Self::of(measure, decimals, command),
        }
    }

    /// The same with what the paper prints.
    pub(super) fn beside(mut self, published: Option<&str>) -> Self {
        self.published = published.map(str::to_owned);
        self
    }

    /// The same with a remark on our figure, if there is a figure.
    pub(super) fn remarked(mut self, remark: Option<String>) -> Self {
        self.remark = remark.filter(|_| self.ours.is_some());
        self
    }

    /// A cell of a row of the paper.
    pub(super) fn printed(published: Option<&str>) -> Self {
        Self::default().beside(published)
    }

    /// The interval as it is printed.
    fn interval(&self) -> Option<String> {
        let [low, high] = self.ci95?;
        let show = |x| fixed(x, self.decimals);
        Some(format!("{} to {}", show(low), show(high)))
    }
}

/// A number with a fixed number of decimals; no negative zero.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
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
}

impl PaperRow {
    /// A row that runs fill.
    pub(super) fn ours<S: Into<String>>(
        labels: impl IntoIterator<Item = S>,
        cells: Vec<PaperCell>,
    ) -> Self {
        Self {
            labels: labels.into_iter().map(Into::into).collect(),
            origin: PaperRowOrigin::Runs,
            cells,
        }
    }

    /// A row of the paper.
    pub(super) fn of_paper<S: Into<String>>(
        labels: impl IntoIterator<Item = S>,
        cells: Vec<PaperCell>,
    ) -> Self {
        Self {
            origin: PaperRowOrigin::Paper,
            ..Self::ours(labels, cells)
        }
    }
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
}

impl PaperTable {
    /// A table without rows. The id follows from the place: `Table 2` becomes `table-2`.
    pub(super) fn new(
        place: &str,
        title: impl Into<String>,
        stubs: &[&str],
        columns: &[&str],
    ) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            id: slug(place),
            place: place.to_owned(),
            title: title.into(),
            stubs: owned(stubs),
            columns: owned(columns),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a remark.
    pub(super) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

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

    /// The commands of cells without a run, each once, in the order of the table.
    fn commands(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        for command in cells.filter_map(|cell| cell.command.as_deref()) {
            if !found.contains(&command) {
                found.push(command);
            }
        }
        found
    }

    /// A cell in words: `72.8 (70.1 to 75.0), paper 72.8`; `[1]` refers to the first command.
    fn words(&self, row: &PaperRow, cell: &PaperCell, commands: &[&str]) -> String {
        let ours = match (&cell.shown, &cell.command) {
            (Some(shown), _) => {
                let interval = cell.interval().map(|text| format!(" ({text})"));
                let remark = cell.remark.as_ref().map(|text| format!(", {text}"));
                Some(
                    std::iter::once(shown.clone())
                        .chain(interval)
                        .chain(remark)
                        .collect::<String>(),
                )
            }
            (None, Some(command)) => commands
                .iter()
                .position(|held| held == command)
                .map(|at| format!("[{}]", at + 1)),
            (None, None) => None,
        };
        match (ours, &cell.published, row.origin) {
            (Some(ours), Some(published), _) => format!("{ours}, paper {published}"),
            (Some(ours), None, _) => ours,
            (None, Some(published), _) => published.clone(),
            (None, None, _) => "–".to_owned(),
        }
    }

    /// The words before the figures of a row; a row of the paper says so in its first word.
    fn labels(row: &PaperRow) -> Vec<String> {
        let mut labels = row.labels.clone();
        if row.origin == PaperRowOrigin::Paper
            && let Some(first) = labels.first_mut()
        {
            first.push_str(" (paper)");
        }
        labels
    }

    /// The table as Markdown, with its heading, remarks and commands.
    #[must_use]
    pub fn markdown(&self) -> String {
        let commands = self.commands();
        let mut text = format!("## {}: {}\n\n", self.place, self.title);
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let heads: Vec<String> = self.stubs.iter().chain(&self.columns).cloned().collect();
        text.push_str(&line(&heads));
        text.push_str(&format!("|{}\n", "---|".repeat(heads.len())));
        for row in &self.rows {
            let cells = row
                .cells
                .iter()
                .map(|cell| self.words(row, cell, &commands));
            let cells: Vec<String> = Self::labels(row).into_iter().chain(cells).collect();
            text.push_str(&line(&cells));
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        if !commands.is_empty() {
            text.push_str("\nCells without a run are filled by:\n\n");
            for (at, command) in commands.iter().enumerate() {
                let _ = writeln!(text, "{}. `{command}`", at + 1);
            }
        }
        text
    }

    /// The table as LaTeX: an environment `table` that needs no package.
    #[must_use]
    pub fn latex(&self, paper: &str) -> String {
        let commands = self.commands();
        let mut text = format!(
            "% boardroom paper {paper}\n\\begin{{table}}\n\\caption{{{}: {}}}\n\\label{{tab:{paper}-{}}}\n",
            escaped(&self.place),
            escaped_note(&self.title),
            self.id
        );
        let columns = "l".repeat(self.stubs.len()) + &"r".repeat(self.columns.len());
        let _ = writeln!(text, "\\begin{{tabular}}{{{columns}}}\n\\hline");
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        text.push_str(&line(
            self.stubs.iter().chain(&self.columns).cloned().collect(),
        ));
        text.push_str("\\hline\n");
        for row in &self.rows {
            let cells = row
                .cells
                .iter()
                .map(|cell| self.words(row, cell, &commands));
            text.push_str(&line(Self::labels(row).into_iter().chain(cells).collect()));
        }
        text.push_str("\\hline\n\\end{tabular}\n");
        for note in &self.notes {
            let _ = writeln!(text, "\\par {}", escaped_note(note));
        }
        for (at, command) in commands.iter().enumerate() {
            let _ = writeln!(text, "\\par [{}] \\texttt{{{}}}", at + 1, escaped(command));
        }
        text.push_str("\\end{table}\n");
        text
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

/// A sentence for LaTeX: words between backticks, which are Markdown, in the letters of a typewriter.
fn escaped_note(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(at, part): (usize, &&str)| {
        let part = escaped(part);
        if at.is_multiple_of(2) {
            part
        } else {
            format!("\\texttt{{{part}}}")
        }
    };
    parts.iter().enumerate().map(part).collect()
}

/// Text for LaTeX.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '–' => out.push_str("--"),
            // A backtick alone is an opening quotation mark.
            '`' => out.push_str("\\textasciigrave{}"),
            '·' => out.push_str("\\textperiodcentered{}"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PaperTable {
        let mut table = PaperTable::new(
            "Table 2",
            "scores, 0 to 100",
            &["model"],
            &["basic", "hard"],
        );
        let measure = Measure {
            value: 72.84,
            ci95: Some([70.06, 75.0]),
            n: 12,
        };
        table.rows = vec![
            PaperRow::ours(
                ["openai:a_b"],
                vec![
                    PaperCell::measured(measure, 1).beside(Some("72.8")),
                    PaperCell::missing("boardroom run x"),
                ],
            ),
            PaperRow::of_paper(
                ["GPT-4o"],
                vec![PaperCell::printed(Some("43.8")), PaperCell::printed(None)],
            ),
        ];
        table.note("A remark on `a_b`.")
    }

    #[test]
    fn markdown_shows_figures_published_ones_and_commands() {
        assert_eq!(
            table().markdown(),
            "## Table 2: scores, 0 to 100\n\n\
             | model | basic | hard |\n|---|---|---|\n\
             | openai:a_b | 72.8 (70.1 to 75.0), paper 72.8 | [1] |\n\
             | GPT-4o (paper) | 43.8 | – |\n\n\
             A remark on `a_b`.\n\n\
             Cells without a run are filled by:\n\n1. `boardroom run x`\n"
        );
        assert_eq!(table().unfilled(), 1);
    }

    #[test]
    fn latex_escapes_what_it_must() {
        let text = table().latex("markets");
        assert!(
            text.starts_with("% boardroom paper markets\n\\begin{table}\n"),
            "{text}"
        );
        assert!(!text.contains('`'), "{text}");
        for part in [
            "\\par A remark on \\texttt{a\\_b}.",
            "\\label{tab:markets-table-2}",
            "\\begin{tabular}{lrr}",
            "openai:a\\_b & 72.8 (70.1 to 75.0), paper 72.8 & [1] \\\\",
            "GPT-4o (paper) & 43.8 & -- \\\\",
            "\\par [1] \\texttt{boardroom run x}",
        ] {
            assert!(text.contains(part), "{part}: {text}");
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
    fn a_cell_of_a_run_names_no_command() {
        let cell = PaperCell::of_run(None, 1, Some("no such task"), "boardroom run x");
        assert_eq!(
            (cell.shown.as_deref(), cell.command),
            (Some("no such task"), None)
        );
        let cell = PaperCell::of_run(None, 1, None, "boardroom run x");
        assert_eq!(
            (cell.shown, cell.command.as_deref()),
            (None, Some("boardroom run x"))
        );
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
