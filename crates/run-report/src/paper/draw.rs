//! The drawings of papers: means with intervals in groups, shares as stacked bars, single runs as
//! points.

use super::table::slug;
use crate::heat_map::heat_map;
use crate::picture::not_drawn;
use run_engine::error::RunError;
use serde::Serialize;
use sim_core::Plot;
use sim_core::plot::{Axis, RangeGroup, Series, Shape};

/// Most rows of shares in a drawing; the table has all of them.
const MOST: usize = 120;

/// A drawing of a paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperFigure {
    /// Name for files: `figure-1b`.
    pub id: String,
    /// Its place in the paper: `Figure 1b`.
    pub place: String,
    /// What it shows.
    pub title: String,
    /// The drawing as SVG.
    #[serde(skip)]
    pub svg: String,
}

/// The drawing with its subject in name and title.
pub(super) fn named(figure: PaperFigure, of: &str) -> PaperFigure {
    PaperFigure {
        id: format!("{}-{}", figure.id, slug(of)),
        title: format!("{}, {of}", figure.title),
        ..figure
    }
}

/// The figure that `plots` make; `None` if there is nothing to draw.
fn figure(place: &str, title: &str, plots: &[Plot]) -> Result<Option<PaperFigure>, RunError> {
    let svg = pictures::as_file(&format!("{place}: {title}"), plots).map_err(not_drawn)?;
    Ok(svg.map(|svg| PaperFigure {
        id: slug(place),
        place: place.to_owned(),
        title: title.to_owned(),
        // A mark by which an earlier drawing is recognised before it is written over.
        svg: svg.replacen('>', "><!-- boardroom paper -->", 1),
    }))
}

/// Means with intervals as points and lines, in groups; a cross is the published figure. `None` if
/// there is no figure of ours.
pub(super) fn dots(
    place: &str,
    title: &str,
    groups: Vec<RangeGroup>,
) -> Result<Option<PaperFigure>, RunError> {
    let all = || groups.iter().flat_map(|group| &group.rows);
    if all().all(|row| row.value.is_none()) {
        return Ok(None);
    }
    let crosses = all().any(|row| row.value.is_some() && row.other.is_some());
    let crosses = if crosses { " (crosses: the paper)" } else { "" };
    let shape = Shape::Ranges {
        groups,
        levels: Vec::new(),
    };
    let caption = format!("{place}: {title}{crosses}");
    let plot = Plot::new("dots", &caption, Axis::default(), Axis::default(), shape);
    figure(place, title, &[plot])
}

/// Values from -1 to 1 as a grid of coloured cells, row by row. `None` without cells.
pub(super) fn heat(
    place: &str,
    title: &str,
    cells: impl Iterator<Item = (String, String, Option<f64>)>,
) -> Result<Option<PaperFigure>, RunError> {
    let caption = format!("{place}: {title}");
    figure(place, title, &[heat_map("heat", &caption, "", cells)])
}

/// Rows of shares, each drawn as a bar of 100 % that is divided by `parts`. `None` without rows.
pub(super) fn shares(
    place: &str,
    title: &str,
    parts: &[&str],
    rows: &[(String, Vec<f64>)],
) -> Result<Option<PaperFigure>, RunError> {
    let rows: Vec<_> = rows.iter().take(MOST).collect();
    let names = rows.iter().map(|(name, _)| name.clone()).collect();
    let caption = format!("{place}: {title}");
    let (x, y) = (Axis::named("", names), Axis::new("share", "%"));
    let mut plot = Plot::stacked("shares", &caption, x, y);
    for (number, part) in parts.iter().enumerate() {
        let points = rows.iter().zip(0_u32..).map(|((_, shares), row)| {
            let total: f64 = shares.iter().sum();
            let share = shares.get(number).copied().unwrap_or_default();
            // Without any share an empty bar, which keeps the place of the row.
            let percent = if total > 0.0 {
                100.0 * share / total
            } else {
                0.0
            };
            (f64::from(row), percent)
        });
        plot = plot.with(Series::own(*part, points));
    }
    figure(place, title, &[plot])
}

/// One of the drawings that [`points`] puts side by side.
pub(super) struct PointPanel {
    /// What its figures are.
    pub(super) name: String,
    /// Name and figures of each column; one point a figure.
    pub(super) columns: Vec<(String, Vec<f64>)>,
}

/// Single runs as points in columns, one panel below the other. `None` without points.
pub(super) fn points(
    place: &str,
    title: &str,
    panels: &[PointPanel],
) -> Result<Option<PaperFigure>, RunError> {
    let plots = panels.iter().map(|panel| {
        let names = panel.columns.iter().map(|(name, _)| name.clone()).collect();
        let caption = format!("{place}: {title}");
        let (x, y) = (Axis::named("", names), Axis::new(&panel.name, ""));
        let mut plot = Plot::lines(&panel.name, &caption, x, y);
        for ((name, values), at) in panel.columns.iter().zip(0_u32..) {
            // Each run has a place of its own, because equal figures would hide one another.
            let step = 0.6 / values.len().max(1) as f64;
            let points = values.iter().enumerate();
            let points = points
                .map(|(run, value)| (f64::from(at) - 0.3 + step * (run as f64 + 0.5), *value));
            plot = plot.with(Series::own(name.clone(), points).apart());
        }
        plot
    });
    figure(place, title, &plots.collect::<Vec<_>>())
}
