//! Tables that compare a figure of ours with a given one: difference, tolerance and verdict.

use super::table::{PaperCell, PaperTable, fixed};
use serde::{Deserialize, Serialize};
use sim_core::plot::number;
use strum::VariantArray;

/// With what the figures of a table are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
pub enum ComparedWith {
    /// A figure that a paper prints.
    #[strum(serialize = "printed in the paper")]
    Paper,
    /// The output of another program; not printed in a paper.
    #[strum(serialize = "another program's run")]
    Program,
    /// A figure that this project found with another method: shows that two methods agree, and replicates nothing.
    #[strum(serialize = "own reference")]
    Own,
}

/// How two figures compare; shown as Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// Equal in the digits of the given figure.
    Same,
    /// Inside the tolerance.
    Within,
    /// The same or within after an error of the paper is corrected, which a note names.
    Corrected,
    /// The paper's own parts give another figure than it prints, as a note says.
    #[strum(serialize = "**differs**")]
    Differs,
    /// Outside the tolerance, or not computed: a fault of ours.
    #[strum(serialize = "**MISSED**")]
    Missed,
}

/// What is allowed of a figure: the columns `tolerance` and `expect` of its line in the file of given figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Allowed {
    /// Largest distance; half a digit of the given figure if absent.
    pub(super) tolerance: Option<f64>,
    /// The verdict where it is not simply agreement.
    pub(super) expect: Option<Verdict>,
}

impl Allowed {
    /// Reads the two columns.
    ///
    /// # Errors
    /// Says which of them cannot be read, and what would be right.
    pub(super) fn read(tolerance: &str, expect: &str) -> Result<Self, String> {
        let distance = |text: &str| {
            let distance = text
                .parse()
                .ok()
                .filter(|x: &f64| x.is_finite() && *x >= 0.0);
            distance.ok_or_else(|| format!("the tolerance `{text}` is not a number from 0 on"))
        };
        let tolerance = Some(tolerance).filter(|text| !text.is_empty());
        Ok(Self {
            tolerance: tolerance.map(distance).transpose()?,
            expect: match expect {
                "" => None,
                "corrected" => Some(Verdict::Corrected),
                "differs" => Some(Verdict::Differs),
                _ => {
                    return Err(format!(
                        "`expect` is empty, `corrected` or `differs`, not `{expect}`"
                    ));
                }
            },
        })
    }
}

/// A figure of ours beside a given one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Ours less the given figure; absent without a figure of ours.
    pub difference: Option<f64>,
    /// Largest distance that is allowed.
    pub tolerance: f64,
    /// The verdict.
    pub verdict: Verdict,
    #[serde(skip)]
    decimals: usize,
    #[serde(skip)]
    in_words: String,
}

impl Comparison {
    /// Compares `ours` with `given`, which has the digits of its source. What is not a number never agrees.
    pub(super) fn of(given: &str, ours: Option<f64>, allowed: &Allowed) -> Self {
        let value = value(given).unwrap_or(f64::NAN);
        let decimals = given.split_once('.').map_or(0, |(_, digits)| digits.len());
        let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
        let tolerance = allowed.tolerance.unwrap_or(half);
        let difference = ours.map(|ours| ours - value);
        // A value in the middle between two printed ones may have been rounded up or down.
        let agrees = difference.is_some_and(|d| d.abs() <= tolerance * (1.0 + 1e-9));
        let verdict = match (allowed.expect, agrees) {
            (None, true) if allowed.tolerance.is_some_and(|most| most > 0.0) => Verdict::Within,
            (None, true) => Verdict::Same,
            (Some(Verdict::Corrected), true) => Verdict::Corrected,
            // Where the figures do agree, the note is out of date.
            (Some(Verdict::Differs), false) if difference.is_some() => Verdict::Differs,
            _ => Verdict::Missed,
        };
        Self {
            difference,
            tolerance,
            verdict,
            // Two digits more than the given figure, to see how far inside the tolerance ours is.
            decimals: decimals + 2,
            in_words: match allowed.tolerance {
                None => "its digits".to_owned(),
                Some(0.0) => "none".to_owned(),
                Some(most) => format!("± {most}"),
            },
        }
    }
}

/// A number with commas between the thousands and a fixed number of decimals.
fn rounded(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    // `number` writes a zero without a sign, so the sign of `-0.4` would be lost with its whole
    // part.
    let sign = if whole == "-0" { "-" } else { "" };
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), number);
    format!("{sign}{whole}{rest}")
}

/// A cell that is compared, with the words that name it.
pub(super) struct Compared<'a> {
    pub(super) labels: Vec<String>,
    pub(super) given: &'a str,
    pub(super) comparison: &'a Comparison,
    cell: &'a PaperCell,
}

impl Compared<'_> {
    /// The cells after the labels: given figure, ours, difference, tolerance, verdict.
    pub(super) fn words(&self) -> [String; 5] {
        let shown = &self.comparison;
        let ours = self.cell.ours.map(|ours| rounded(ours, shown.decimals));
        let difference = shown.difference.map(|d| rounded(d, shown.decimals));
        let none = || "–".to_owned();
        [
            self.given.to_owned(),
            ours.unwrap_or_else(none),
            difference.unwrap_or_else(none),
            shown.in_words.clone(),
            shown.verdict.to_string(),
        ]
    }
}

impl PaperTable {
    /// The cells that have a given figure, row by row, if the table compares.
    pub(super) fn compared(&self) -> impl Iterator<Item = Compared<'_>> {
        let one = self.columns.len() == 1;
        self.rows.iter().flat_map(move |row| {
            let found = self.columns.iter().zip(&row.cells);
            found.filter_map(move |(column, cell)| {
                let mut labels = row.labels.clone();
                if let (false, Some(last)) = (one, labels.last_mut()) {
                    // A single column needs no name: it would be the same in every line.
                    last.push_str(&format!(": {column}"));
                }
                Some(Compared {
                    labels,
                    given: cell.published.as_deref()?,
                    comparison: cell.comparison.as_ref()?,
                    cell,
                })
            })
        })
    }
}

/// Figures that are outside their tolerance or that no run fills, each as `place, figure: given ..., ours ...`.
pub(super) fn missed(tables: &[PaperTable]) -> Vec<String> {
    let all = tables
        .iter()
        .flat_map(|table| table.compared().map(move |found| (table, found)));
    let missed = all.filter(|(_, found)| found.comparison.verdict == Verdict::Missed);
    let line = |(table, found): (&PaperTable, Compared<'_>)| {
        let [given, ours, ..] = found.words();
        let (place, figure) = (&table.place, found.labels.join(", "));
        format!("{place}, {figure}: given {given}, ours {ours}")
    };
    missed.map(line).collect()
}

/// The counts of verdicts by what was compared with, and the figures that differ, as Markdown; empty if no table
/// compares.
pub(super) fn summary(tables: &[PaperTable]) -> String {
    let mut text = String::new();
    for with in ComparedWith::VARIANTS {
        let own = tables.iter().filter(|table| table.compare == Some(*with));
        let verdicts: Vec<Verdict> = own
            .flat_map(PaperTable::compared)
            .map(|found| found.comparison.verdict)
            .collect();
        if verdicts.is_empty() {
            continue;
        }
        let count = |wanted: &[Verdict]| verdicts.iter().filter(|v| wanted.contains(v)).count();
        text.push_str(&format!(
            "| {with} | {} | {} | {} | {} | {} |\n",
            verdicts.len(),
            count(&[Verdict::Same, Verdict::Within]),
            count(&[Verdict::Corrected]),
            count(&[Verdict::Differs]),
            count(&[Verdict::Missed])
        ));
    }
    if text.is_empty() {
        return text;
    }
    text.insert_str(
        0,
        "| compared with | figures | agree | corrected | differ | missed |\n|---|---|---|---|---|---|\n",
    );
    let mut differ = String::new();
    for table in tables {
        for found in table.compared() {
            if found.comparison.verdict == Verdict::Differs {
                let [given, ours, ..] = found.words();
                let (place, figure) = (&table.place, found.labels.join(", "));
                differ.push_str(&format!("| {place} | {figure} | {given} | {ours} |\n"));
            }
        }
    }
    if !differ.is_empty() {
        text.push_str(&format!(
            "\nThe figures that differ; the notes of their tables give the reasons:\n\n\
             | where | what | given | ours |\n|---|---|---|---|\n{differ}"
        ));
    }
    text
}

/// A printed figure as a number; papers print commas between thousands.
pub(super) fn value(printed: &str) -> Option<f64> {
    let value = printed.replace(',', "").parse();
    value.ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_figures() {
        let verdict = |given, ours, tolerance, expect| {
            Comparison::of(given, ours, &Allowed::read(tolerance, expect).unwrap()).verdict
        };
        for (given, ours, tolerance, expect, wanted) in [
            ("7,116,500", 7_116_500.0, "0", "", Verdict::Same),
            ("7,116,500", 7_116_501.0, "0", "", Verdict::Missed),
            ("0.934", 0.934_027, "", "", Verdict::Same),
            ("0.934", 0.9346, "", "", Verdict::Missed),
            ("7.01", 7.005, "", "", Verdict::Same),
            ("75.2", 76.3, "1.2", "", Verdict::Within),
            ("75.2", 76.5, "1.2", "", Verdict::Missed),
            ("75.2", f64::NAN, "1.2", "", Verdict::Missed),
            ("N/D", 7.0, "", "", Verdict::Missed),
            ("1.0", 1.0, "", "corrected", Verdict::Corrected),
            ("1.0", 2.0, "", "corrected", Verdict::Missed),
            ("1.0", 2.0, "", "differs", Verdict::Differs),
            ("1.0", 1.0, "", "differs", Verdict::Missed),
        ] {
            assert_eq!(
                verdict(given, Some(ours), tolerance, expect),
                wanted,
                "{given} {ours}"
            );
        }
        assert_eq!(verdict("1.0", None, "", "differs"), Verdict::Missed);
    }

    #[test]
    fn thousands_are_set_apart_and_signs_kept() {
        assert_eq!(rounded(7_116_500.0, 2), "7,116,500.00");
        assert_eq!(rounded(-0.25, 2), "-0.25");
        assert_eq!(rounded(-1_234.5, 1), "-1,234.5");
    }
}
