//! Comparison of one figure, and the comparisons of one environment.

use crate::numbers::{at_most, plain, rounded};

/// Origin of the figure that ours is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Printed in a paper.
    Paper,
    /// The output of another program; not printed in a paper.
    Program,
    /// Found by this project with another method (a prototype, a search, an integer programme):
    /// shows that two methods agree, and replicates nothing.
    Own,
}

impl Origin {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Program, Self::Own];

    /// Its name on the page.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Paper => "printed in the paper",
            Self::Program => "another program's run",
            Self::Own => "own reference",
        }
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Equal, as printed or to the last digit.
    Same,
    /// Within the tolerance.
    Within,
    /// Equal or within the tolerance after correction of an error in the paper, which the section
    /// names.
    Corrected,
    /// The paper's own parts give another figure than the printed one; the section says why.
    Differs,
    /// Outside the tolerance: a fault of ours.
    Missed,
}

impl Verdict {
    /// Its name on the page.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Within => "within",
            Self::Corrected => "corrected",
            Self::Differs => "**differs**",
            Self::Missed => "**MISSED**",
        }
    }

    /// Whether the figure agrees without a correction.
    #[must_use]
    pub fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Within)
    }
}

/// A figure and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Position of the figure (`Table 3`).
    pub place: String,
    /// What the figure measures.
    pub what: String,
    /// Its origin.
    pub origin: Origin,
    /// The figure that ours is compared with, in the digits of its source.
    pub compared: String,
    /// Our figure.
    pub ours: String,
    /// Tolerance.
    pub tolerance: String,
    /// The result of the comparison.
    pub verdict: Verdict,
    /// A command that reproduces it.
    pub command: String,
}

impl Row {
    /// Marks that the comparison corrects an error in the paper, which the section names.
    pub(crate) fn corrected(mut self) -> Self {
        if self.verdict.agrees() {
            self.verdict = Verdict::Corrected;
        }
        self
    }

    /// A figure that contradicts its paper's own parts, which the section explains. If the figures
    /// do agree, the explanation is out of date and the row counts as a fault.
    pub(crate) fn disputed(mut self) -> Self {
        self.verdict = match self.verdict {
            Verdict::Missed => Verdict::Differs,
            _ => Verdict::Missed,
        };
        self
    }
}

/// Common data of all rows of a group.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    origin: Origin,
    place: String,
    command: String,
}

impl Source {
    /// Figures printed in a paper at `place`, reproduced by `command`.
    pub(crate) fn paper(place: &str, command: &str) -> Self {
        Self::new(Origin::Paper, place, command)
    }

    /// Figures of another program.
    pub(crate) fn program(place: &str, command: &str) -> Self {
        Self::new(Origin::Program, place, command)
    }

    /// Figures that this project found with another method.
    pub(crate) fn own(place: &str, command: &str) -> Self {
        Self::new(Origin::Own, place, command)
    }

    fn new(origin: Origin, place: &str, command: &str) -> Self {
        Self {
            origin,
            place: place.to_owned(),
            command: command.to_owned(),
        }
    }

    fn row(&self, what: impl Into<String>, compared: String, ours: String) -> Row {
        Row {
            place: self.place.clone(),
            what: what.into(),
            origin: self.origin,
            compared,
            ours,
            tolerance: String::new(),
            verdict: Verdict::Missed,
            command: self.command.clone(),
        }
    }

    /// A whole number that has to be equal.
    pub(crate) fn exact(&self, what: impl Into<String>, figure: f64, ours: f64) -> Row {
        let same = (figure - ours).abs() < 1e-9 * figure.abs().max(1.0);
        Row {
            tolerance: "none".to_owned(),
            verdict: if same { Verdict::Same } else { Verdict::Missed },
            ..self.row(what, plain(figure), plain(ours))
        }
    }

    /// A figure in the digits of its source (`0.970`): ours, rounded to these digits, has to be the
    /// same.
    pub(crate) fn printed(&self, what: impl Into<String>, figure: &str, ours: f64) -> Row {
        let (value, decimals) = read(figure);
        // Half a digit in both directions, because a value in the middle may have been rounded up
        // or down.
        let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
        let same = (value - ours).abs() <= half * (1.0 + 1e-9);
        Row {
            tolerance: match self.origin {
                Origin::Paper => "as printed".to_owned(),
                Origin::Program | Origin::Own => "as recorded".to_owned(),
            },
            verdict: if same { Verdict::Same } else { Verdict::Missed },
            ..self.row(what, figure.to_owned(), rounded(ours, decimals + 2))
        }
    }

    /// A figure in the digits of its source with a tolerance; ours is shown with `decimals`
    /// decimals.
    pub(crate) fn printed_within(
        &self,
        what: impl Into<String>,
        figure: &str,
        tolerance: f64,
        decimals: usize,
        ours: f64,
    ) -> Row {
        let (value, _) = read(figure);
        Row {
            compared: figure.to_owned(),
            ..self.within(what, value, tolerance, decimals, ours)
        }
    }

    /// A computed figure with a tolerance, and the numbers of decimals of both figures.
    pub(crate) fn within(
        &self,
        what: impl Into<String>,
        figure: f64,
        tolerance: f64,
        decimals: usize,
        ours: f64,
    ) -> Row {
        let holds = (figure - ours).abs() <= tolerance;
        Row {
            tolerance: format!("± {tolerance}"),
            verdict: if holds {
                Verdict::Within
            } else {
                Verdict::Missed
            },
            ..self.row(what, at_most(figure, decimals), rounded(ours, decimals))
        }
    }

    /// How many figures agree within `tolerance`, which is given in words.
    pub(crate) fn count(
        &self,
        what: impl Into<String>,
        agreeing: usize,
        all: usize,
        tolerance: &str,
    ) -> Row {
        Row {
            tolerance: tolerance.to_owned(),
            verdict: if agreeing == all {
                Verdict::Same
            } else {
                Verdict::Missed
            },
            ..self.row(
                what,
                format!("{all} figures"),
                format!("{agreeing} of {all}"),
            )
        }
    }

    /// A statement that is true or false.
    pub(crate) fn stated(
        &self,
        what: impl Into<String>,
        figure: impl Into<String>,
        ours: impl Into<String>,
        tolerance: &str,
        holds: bool,
    ) -> Row {
        Row {
            tolerance: tolerance.to_owned(),
            verdict: if holds {
                Verdict::Within
            } else {
                Verdict::Missed
            },
            ..self.row(what, figure.into(), ours.into())
        }
    }
}

/// Value and number of decimals of a figure in the notation of its source; NaN, which never agrees,
/// for anything else.
fn read(figure: &str) -> (f64, usize) {
    let value = figure.replace(',', "").parse().unwrap_or(f64::NAN);
    let decimals = figure.split_once('.').map_or(0, |(_, digits)| digits.len());
    (value, decimals)
}

/// Numbers of rows by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All rows.
    pub rows: usize,
    /// Equal or within the tolerance.
    pub agreeing: usize,
    /// Only after correction of an error in the paper.
    pub corrected: usize,
    /// Contradicted by the paper's own parts.
    pub differing: usize,
    /// Faults of ours.
    pub missed: usize,
}

impl Tally {
    /// Counts the rows of one origin.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>, origin: Origin) -> Self {
        let mut tally = Self::default();
        for row in rows.into_iter().filter(|row| row.origin == origin) {
            tally.rows += 1;
            *match row.verdict {
                Verdict::Same | Verdict::Within => &mut tally.agreeing,
                Verdict::Corrected => &mut tally.corrected,
                Verdict::Differs => &mut tally.differing,
                Verdict::Missed => &mut tally.missed,
            } += 1;
        }
        tally
    }
}

/// The comparisons of one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Name on the command line.
    pub key: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Source and meaning of the figures: a paragraph or two of Markdown.
    pub about: &'static str,
    /// The figures.
    pub rows: Vec<Row>,
    /// Notes on the figures, one paragraph each.
    pub notes: Vec<String>,
}

impl Section {
    /// Rows outside their tolerance.
    pub fn missed(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| row.verdict == Verdict::Missed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::paper("Table 1", "cargo test")
    }

    #[test]
    fn verdicts_follow_the_figures() {
        let source = source();
        let exact = |ours| source.exact("a", 7_116_500.0, ours).verdict;
        assert_eq!(exact(7_116_500.0), Verdict::Same);
        assert_eq!(exact(7_116_501.0), Verdict::Missed);
        let printed = |ours| source.printed("a", "0.934", ours).verdict;
        assert_eq!(printed(0.934_027), Verdict::Same);
        assert_eq!(printed(0.9346), Verdict::Missed);
        assert_eq!(source.printed("a", "7.01", 7.005).verdict, Verdict::Same);
        assert_eq!(source.printed("a", "N/D", 7.0).verdict, Verdict::Missed);
        let within = |ours| source.within("a", 75.2, 1.2, 1, ours).verdict;
        assert_eq!(within(76.3), Verdict::Within);
        assert_eq!(within(76.5), Verdict::Missed);
        assert_eq!(within(f64::NAN), Verdict::Missed);
        assert_eq!(source.count("a", 35, 36, "none").verdict, Verdict::Missed);
    }

    #[test]
    fn figures_keep_the_digits_of_their_source() {
        let source = source();
        let row = source.printed("a", "0.970", 0.970_2);
        assert_eq!(
            (row.compared.as_str(), row.ours.as_str()),
            ("0.970", "0.97020")
        );
        let row = source.printed_within("a", "100", 0.05, 1, 100.0);
        assert_eq!((row.compared.as_str(), row.ours.as_str()), ("100", "100.0"));
        let row = source.within("a", 75_454.0, 0.5, 1, 75_453.66);
        assert_eq!(
            (row.compared.as_str(), row.ours.as_str()),
            ("75,454", "75,453.7")
        );
    }

    #[test]
    fn a_slip_is_never_counted_as_agreement() {
        let source = source();
        let agreeing = || source.exact("a", 1.0, 1.0);
        let apart = || source.exact("a", 1.0, 2.0);
        let rows = [
            agreeing(),
            agreeing().corrected(),
            apart().disputed(),
            apart().corrected(),
            agreeing().disputed(),
        ];
        let tally = Tally::of(&rows, Origin::Paper);
        let expected = Tally {
            rows: 5,
            agreeing: 1,
            corrected: 1,
            differing: 1,
            missed: 2,
        };
        assert_eq!(tally, expected);
        assert_eq!(Tally::of(&rows, Origin::Own), Tally::default());
    }
}
