//! One figure, and the figures of one environment.

use crate::numbers::plain;

/// How ours compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The same, as printed or to the last digit.
    Same,
    /// Within the tolerance.
    Within,
    /// Outside it: a fault of ours.
    Missed,
}

impl Verdict {
    /// As the page says it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Within => "within",
            Self::Missed => "**MISSED**",
        }
    }
}

/// One published figure and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Where it is published (`Table 3`).
    pub place: String,
    /// What it is.
    pub what: String,
    /// As published.
    pub published: String,
    /// What we compute.
    pub ours: String,
    /// How far apart they may be.
    pub tolerance: String,
    /// How they compare.
    pub verdict: Verdict,
    /// What shows it.
    pub command: String,
}

/// What all rows of a group share.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    place: String,
    command: String,
}

impl Source {
    /// Rows published at `place`, shown by `command`.
    pub(crate) fn new(place: &str, command: &str) -> Self {
        Self {
            place: place.to_owned(),
            command: command.to_owned(),
        }
    }

    fn row(&self, what: impl Into<String>, published: String, ours: String) -> Row {
        Row {
            place: self.place.clone(),
            what: what.into(),
            published,
            ours,
            tolerance: String::new(),
            verdict: Verdict::Missed,
            command: self.command.clone(),
        }
    }

    /// A whole amount that has to be equal.
    pub(crate) fn exact(&self, what: impl Into<String>, published: f64, ours: f64) -> Row {
        let same = (published - ours).abs() < 1e-9 * published.abs().max(1.0);
        Row {
            tolerance: "none".to_owned(),
            verdict: if same { Verdict::Same } else { Verdict::Missed },
            ..self.row(what, plain(published), plain(ours))
        }
    }

    /// A figure printed with so many decimals: ours, rounded, has to print the same.
    pub(crate) fn printed(
        &self,
        what: impl Into<String>,
        published: f64,
        decimals: usize,
        ours: f64,
    ) -> Row {
        let shown = |x: f64| format!("{x:.decimals$}");
        // Half a digit either way: what lies in the middle may have been rounded up or down.
        let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
        let same = (published - ours).abs() <= half * (1.0 + 1e-9);
        Row {
            tolerance: "as printed".to_owned(),
            verdict: if same { Verdict::Same } else { Verdict::Missed },
            ..self.row(what, shown(published), format!("{ours:.*}", decimals + 2))
        }
    }

    /// A figure with a tolerance, both shown with so many decimals.
    pub(crate) fn within(
        &self,
        what: impl Into<String>,
        published: f64,
        tolerance: f64,
        decimals: usize,
        ours: f64,
    ) -> Row {
        let holds = (published - ours).abs() <= tolerance;
        Row {
            tolerance: format!("± {tolerance}"),
            verdict: if holds {
                Verdict::Within
            } else {
                Verdict::Missed
            },
            ..self.row(
                what,
                format!("{published:.decimals$}"),
                format!("{ours:.decimals$}"),
            )
        }
    }

    /// How many of so many figures agree within `tolerance`, which is said in words.
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

    /// A statement that holds or does not.
    pub(crate) fn stated(
        &self,
        what: impl Into<String>,
        published: impl Into<String>,
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
            ..self.row(what, published.into(), ours.into())
        }
    }
}

/// The figures of one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Name on the command line.
    pub key: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What was published and where, and what the figures mean: a paragraph or two of Markdown.
    pub about: &'static str,
    /// The figures.
    pub rows: Vec<Row>,
    /// What has to be known beside them, one paragraph each.
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

    #[test]
    fn verdicts_follow_the_figures() {
        let source = Source::new("Table 1", "cargo test");
        assert_eq!(
            source.exact("a", 7_116_500.0, 7_116_500.0).verdict,
            Verdict::Same
        );
        assert_eq!(
            source.exact("a", 7_116_500.0, 7_116_501.0).verdict,
            Verdict::Missed
        );
        let row = source.printed("a", 0.934, 3, 0.934_027);
        assert_eq!(
            (row.published.as_str(), row.ours.as_str()),
            ("0.934", "0.93403")
        );
        assert_eq!(row.verdict, Verdict::Same);
        assert_eq!(
            source.printed("a", 0.934, 3, 0.9346).verdict,
            Verdict::Missed
        );
        assert_eq!(source.printed("a", 7.01, 2, 7.005).verdict, Verdict::Same);
        assert_eq!(
            source.within("a", 75.2, 1.2, 1, 76.3).verdict,
            Verdict::Within
        );
        assert_eq!(
            source.within("a", 75.2, 1.2, 1, 76.5).verdict,
            Verdict::Missed
        );
        assert_eq!(
            source.within("a", 75.2, 1.2, 1, f64::NAN).verdict,
            Verdict::Missed
        );
        assert_eq!(source.count("a", 35, 36, "none").verdict, Verdict::Missed);
    }
}
