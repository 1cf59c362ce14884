//! Pictures of an episode as data: series with names and units, which a report, a viewer or a terminal
//! draws.
//!
//! An environment makes them from the episode at its end ([`EnvironmentSpec::plots`]); this crate
//! draws nothing. Every number is finite: a builder leaves out what is not, so a value that is
//! undefined in an episode is absent.
//!
//! ```
//! use sim_core::plot::{Axis, Plot, Series};
//!
//! let orders = Series::own("retailer", [(1.0, 100.0), (2.0, f64::NAN), (3.0, 140.0)]);
//! let plot = Plot::lines("orders", "Orders", Axis::new("week", ""), Axis::new("order", "units"))
//!     .with(orders);
//! assert_eq!(plot.series("retailer").map(|s| s.points.len()), Some(2));
//! ```
//!
//! [`EnvironmentSpec::plots`]: crate::EnvironmentSpec::plots

use serde::{Deserialize, Serialize};

/// One picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Short stable name in snake case, unique among the plots of an episode.
    pub name: String,
    /// What it shows, for people.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The data.
    pub shape: Shape,
}

/// What an axis shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The quantity (`week`, `profit`).
    pub label: String,
    /// Its unit (`$`); empty for counts and names.
    pub unit: String,
    /// Names of the positions 0, 1, .. of an axis of names; empty for an axis of numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Axis {
    /// An axis of `label` in `unit`.
    #[must_use]
    pub fn new(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            names: Vec::new(),
        }
    }

    /// An axis of `label` with a name at each of the positions 0, 1, ..
    #[must_use]
    pub fn named(label: &str, names: Vec<String>) -> Self {
        Self {
            names,
            ..Self::new(label, "")
        }
    }

    /// Label and unit as one text; one of them where they are the same.
    #[must_use]
    pub fn text(&self) -> String {
        if self.unit.is_empty() || self.unit == self.label {
            self.label.clone()
        } else {
            format!("{} [{}]", self.label, self.unit)
        }
    }
}

/// The data of a plot by the form in which it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "form")]
#[non_exhaustive]
pub enum Shape {
    /// Lines or points over a numeric axis.
    Lines {
        /// One line each.
        series: Vec<Series>,
    },
    /// Bars on top of each other, one pile for each horizontal position; the series share their
    /// positions. Piles at positions with names lie: each is a row.
    Stacked {
        /// One layer each, the lowest first.
        series: Vec<Series>,
    },
    /// Groups of bars side by side.
    Bars {
        /// Names of the groups.
        groups: Vec<String>,
        /// One bar in each group.
        bars: Vec<Bars>,
    },
    /// Rows of spans over a numeric axis.
    Spans {
        /// The rows, the first on top.
        rows: Vec<SpanRow>,
    },
    /// A table of cells. Cells that are not listed are empty.
    Grid {
        /// Names of the columns.
        columns: Vec<String>,
        /// Names of the rows, the first on top.
        rows: Vec<String>,
        /// The cells.
        cells: Vec<Cell>,
        /// Names of the values 0, 1, .. if a value is a kind and not an amount; else empty.
        kinds: Vec<String>,
    },
    /// Rows of marks with ranges around them: means with intervals, medians with quartiles. The values are on the
    /// vertical axis of the plot, which is drawn below the rows.
    Ranges {
        /// The rows, under common headings.
        groups: Vec<RangeGroup>,
        /// Lines through all rows at the positions of their points, such as an optimum.
        levels: Vec<Series>,
    },
}

/// Whose values a series shows. Plots give the first a colour of its own, and lines of reference a
/// common look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesRole {
    /// What happened in the episode.
    #[default]
    Own,
    /// The best known play.
    Optimum,
    /// A limit that holds for every play, such as a budget.
    Limit,
    /// A simple play for comparison.
    Baseline,
}

/// A line, a layer or a set of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Whose values these are.
    #[serde(default)]
    pub role: SeriesRole,
    /// Whether the points are drawn apart, without a line between them.
    #[serde(default)]
    pub apart: bool,
    /// Position and value, in order of position.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// What happened in the episode. Points that are not finite are left out.
    pub fn own(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::of(SeriesRole::Own, name, points)
    }

    /// A series of `role`. Points that are not finite are left out.
    pub fn of(
        role: SeriesRole,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        Self {
            name: name.into(),
            role,
            apart: false,
            points: points.into_iter().filter(finite).collect(),
        }
    }

    /// The same value at every position from `low` to `high`.
    pub fn level(role: SeriesRole, name: impl Into<String>, at: f64, low: f64, high: f64) -> Self {
        Self::of(role, name, [(low, at), (high, at)])
    }

    /// The points without a line between them.
    #[must_use]
    pub fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// The sum of the values.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.points.iter().map(|(_, value)| value).sum()
    }
}

/// One bar in each group of a plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// Name in the legend.
    pub name: String,
    /// Whose values these are.
    #[serde(default)]
    pub role: SeriesRole,
    /// One value for each group; `None` where it is not defined.
    pub values: Vec<Option<f64>>,
}

/// A row of spans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanRow {
    /// Its name.
    pub name: String,
    /// Its spans, in order.
    pub spans: Vec<Span>,
}

/// A part of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its height in the unit of the vertical axis; 0 for a span in which nothing is done.
    pub value: f64,
    /// Whether it stands for something that was refused or failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Rows under a common heading; without one the heading is empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeGroup {
    /// The heading.
    pub name: String,
    /// The rows, the first on top.
    pub rows: Vec<RangeRow>,
}

/// A mark with the ranges around it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeRow {
    /// Its name; empty where the row above has the name.
    pub name: String,
    /// Number of its colour.
    pub colour: usize,
    /// The value, such as a mean; nothing is drawn where it is not known.
    pub value: Option<f64>,
    /// The range that is drawn thick, such as an interval or the quartiles.
    pub inner: Option<[f64; 2]>,
    /// The range that is drawn thin, such as the extremes.
    pub whole: Option<[f64; 2]>,
    /// A value to compare with, such as a published figure.
    pub other: Option<f64>,
}

impl RangeRow {
    /// All numbers of the row.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let ranges = self.inner.iter().chain(&self.whole).flatten();
        self.value.iter().chain(&self.other).chain(ranges).copied()
    }
}

/// A number with commas between the thousands, at most four decimals and no trailing zeros. From 1e16 on
/// it has an exponent.
#[must_use]
pub fn number(value: f64) -> String {
    // A double of this size has no decimals, and without an exponent up to 309 digits.
    if value.abs() >= 1e16 {
        return format!("{value:.4e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // A small negative number is rounded to zero, and its sign would read as a fault.
    let text = if text == "-0" { "0" } else { text };
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("-", rest));
    let (whole, rest) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

/// A cell of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Number of its row, from 0.
    pub row: usize,
    /// Number of its column, from 0.
    pub column: usize,
    /// Its value, or the number of its kind.
    pub value: f64,
}

impl Plot {
    /// A plot of `shape`.
    #[must_use]
    pub fn new(name: &str, title: &str, x: Axis, y: Axis, shape: Shape) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            x,
            y,
            shape,
        }
    }

    /// A plot of lines, to which [`with`](Self::with) adds.
    #[must_use]
    pub fn lines(name: &str, title: &str, x: Axis, y: Axis) -> Self {
        Self::new(name, title, x, y, Shape::Lines { series: Vec::new() })
    }

    /// A plot of piles, to which [`with`](Self::with) adds layers.
    #[must_use]
    pub fn stacked(name: &str, title: &str, x: Axis, y: Axis) -> Self {
        Self::new(name, title, x, y, Shape::Stacked { series: Vec::new() })
    }

    /// A plot of grouped bars, to which [`bar`](Self::bar) adds.
    #[must_use]
    pub fn bars(name: &str, title: &str, x: Axis, y: Axis, groups: Vec<String>) -> Self {
        let bars = Vec::new();
        Self::new(name, title, x, y, Shape::Bars { groups, bars })
    }

    /// Adds a series to a plot of lines or piles; one without points, and any to a plot of another
    /// form, is left out.
    #[must_use]
    pub fn with(mut self, added: Series) -> Self {
        if let Shape::Lines { series } | Shape::Stacked { series } = &mut self.shape
            && !added.points.is_empty()
        {
            series.push(added);
        }
        self
    }

    /// Adds a bar to every group of a plot of bars; values that are not finite are absent.
    #[must_use]
    pub fn bar(
        mut self,
        role: SeriesRole,
        name: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
    ) -> Self {
        if let Shape::Bars { groups, bars } = &mut self.shape {
            let finite = values.into_iter().map(|x| x.is_finite().then_some(x));
            let mut values: Vec<Option<f64>> = finite.collect();
            // A picture is left with a gap rather than refused; `check` says what is wrong in
            // tests.
            values.resize(groups.len(), None);
            bars.push(Bars {
                name: name.into(),
                role,
                values,
            });
        }
        self
    }

    /// The plot called `name` in a list of plots.
    #[must_use]
    pub fn find<'a>(plots: &'a [Self], name: &str) -> Option<&'a Self> {
        plots.iter().find(|plot| plot.name == name)
    }

    /// The series called `name`, of a plot of lines or piles.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        match &self.shape {
            Shape::Lines { series } | Shape::Stacked { series } => {
                series.iter().find(|series| series.name == name)
            }
            _ => None,
        }
    }

    /// The bars called `name`, of a plot of bars.
    #[must_use]
    pub fn bars_of(&self, name: &str) -> Option<&Bars> {
        match &self.shape {
            Shape::Bars { bars, .. } => bars.iter().find(|bars| bars.name == name),
            _ => None,
        }
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.shape {
            Shape::Lines { series } | Shape::Stacked { series } => {
                series.iter().all(|series| series.points.is_empty())
            }
            Shape::Bars { groups, bars } => groups.is_empty() || bars.is_empty(),
            Shape::Spans { rows } => rows.iter().all(|row| row.spans.is_empty()),
            Shape::Grid { rows, columns, .. } => rows.is_empty() || columns.is_empty(),
            Shape::Ranges { groups, .. } => {
                let mut rows = groups.iter().flat_map(|group| &group.rows);
                rows.all(|row| row.numbers().next().is_none())
            }
        }
    }

    /// What is wrong with the plot: an empty name, a number that is not finite, a cell outside of the
    /// grid, layers at different positions.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), String> {
        let of = |what: &str| Err(format!("plot `{}`: {what}", self.name));
        if self.name.is_empty() || self.title.is_empty() {
            return of("it needs a name and a title");
        }
        let all_finite = match &self.shape {
            Shape::Lines { series } | Shape::Stacked { series } => series
                .iter()
                .flat_map(|series| &series.points)
                .all(|(x, y)| x.is_finite() && y.is_finite()),
            Shape::Bars { bars, .. } => {
                let values = bars.iter().flat_map(|bars| &bars.values);
                values.flatten().all(|value| value.is_finite())
            }
            Shape::Spans { rows } => rows
                .iter()
                .flat_map(|row| &row.spans)
                .all(|s| s.from.is_finite() && s.to.is_finite() && s.value.is_finite()),
            Shape::Grid { cells, .. } => cells.iter().all(|cell| cell.value.is_finite()),
            Shape::Ranges { groups, levels } => {
                let rows = groups.iter().flat_map(|group| &group.rows);
                let levels = levels.iter().flat_map(|level| &level.points);
                let mut numbers = rows.flat_map(RangeRow::numbers);
                numbers.all(f64::is_finite) && { levels }.all(|(x, _)| x.is_finite())
            }
        };
        if !all_finite {
            return of("a number is not finite");
        }
        match &self.shape {
            Shape::Grid {
                rows,
                columns,
                cells,
                ..
            } if cells
                .iter()
                .any(|cell| cell.row >= rows.len() || cell.column >= columns.len()) =>
            {
                of("a cell is outside of the grid")
            }
            Shape::Bars { groups, bars }
                if bars.iter().any(|bars| bars.values.len() != groups.len()) =>
            {
                of("a bar does not have one value for each group")
            }
            Shape::Stacked { series } => {
                let positions = |series: &Series| -> Vec<u64> {
                    // Positions of layers are copies of each other, so equality is exact.
                    series.points.iter().map(|(x, _)| x.to_bits()).collect()
                };
                let mut all = series.iter().map(positions);
                let first = all.next().unwrap_or_default();
                if all.all(|other| other == first) {
                    Ok(())
                } else {
                    of("its layers have different positions")
                }
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Plot {
        Plot::stacked(
            "cost",
            "Cost",
            Axis::new("week", ""),
            Axis::new("cost", "$"),
        )
    }

    #[test]
    fn a_unit_that_repeats_the_label_is_written_once() {
        assert_eq!(Axis::new("cost", "$").text(), "cost [$]");
        assert_eq!(Axis::new("cost", "cost").text(), "cost");
        assert_eq!(Axis::new("week", "").text(), "week");
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let plot = empty().with(Series::own("a", [(1.0, f64::INFINITY), (2.0, 3.0)]));
        assert_eq!(plot.series("a").unwrap().points, [(2.0, 3.0)]);
        assert_eq!(plot.series("a").unwrap().sum(), 3.0);
        assert!(empty().with(Series::own("a", [(1.0, f64::NAN)])).is_empty());
        let bars = Plot::bars("b", "B", Axis::default(), Axis::default(), vec!["x".into()]).bar(
            SeriesRole::Own,
            "n",
            [f64::NAN],
        );
        assert_eq!(bars.bars_of("n").unwrap().values, [None]);
    }

    #[test]
    fn faults_are_found() {
        let fine = empty()
            .with(Series::own("a", [(1.0, 1.0), (2.0, 3.0)]))
            .with(Series::own("b", [(1.0, 1.0), (2.0, 3.0)]));
        assert_eq!(fine.check(), Ok(()));
        let apart = fine.clone().with(Series::own("c", [(1.0, 1.0)]));
        assert!(apart.check().is_err(), "layers at different positions");
        let grid = |row| {
            let (x, y) = (Axis::default(), Axis::default());
            let cells = vec![Cell {
                row,
                column: 0,
                value: 1.0,
            }];
            let (columns, rows) = (vec!["c".to_owned()], vec!["r".to_owned()]);
            let shape = Shape::Grid {
                columns,
                rows,
                cells,
                kinds: Vec::new(),
            };
            Plot::new("grid", "Grid", x, y, shape)
        };
        assert_eq!(grid(0).check(), Ok(()));
        assert!(grid(1).check().is_err(), "a cell outside");
        let text = serde_json::to_string(&fine).unwrap();
        assert_eq!(serde_json::from_str::<Plot>(&text).unwrap(), fine);
    }
}
