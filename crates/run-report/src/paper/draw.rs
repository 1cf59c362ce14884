//! The drawings of papers: means with intervals in groups, shares as stacked bars, single runs as
//! points.

use super::table::slug;
use crate::report::plot::{LETTERS, WIDTH, colour, failed, figure, range, room, short};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use run_engine::error::RunError;
use serde::Serialize;

/// Height of a row (px).
const ROW: u32 = 28;
/// Height of the title (px).
const TITLE: u32 = 30;
/// Height of the axis of figures (px).
const AXIS: u32 = 34;
/// Most rows of a drawing; the table has all of them.
const MOST: usize = 120;
/// Colour of published figures.
const PRINTED: RGBColor = RGBColor(150, 150, 150);

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

/// A mean with its interval, and the published figure where there is one.
#[derive(Debug, Clone)]
pub(super) struct Dot {
    /// Name of the row.
    pub(super) name: String,
    /// Our mean.
    pub(super) value: Option<f64>,
    /// Its 95 % interval.
    pub(super) ci95: Option<[f64; 2]>,
    /// The published figure.
    pub(super) published: Option<f64>,
    /// Number of its colour.
    pub(super) colour: usize,
}

/// Rows under a common heading; without one the heading is empty.
#[derive(Debug, Clone)]
pub(super) struct DotGroup {
    /// The heading.
    pub(super) name: String,
    /// The rows.
    pub(super) dots: Vec<Dot>,
}

/// A line of a drawing of rows.
enum Line<'a> {
    Heading(&'a str),
    Dot(&'a Dot),
}

/// Room for a name of a row (px).
fn names_room<'a>(names: impl Iterator<Item = &'a String>) -> u32 {
    let names: Vec<String> = names.map(|name| short(name)).collect();
    room(names.iter())
}

/// A figure of a paper from the drawing `svg` and its place.
pub(super) fn drawn(place: &str, title: &str, svg: &str) -> PaperFigure {
    // A mark by which an earlier drawing is recognised before it is written over.
    let svg = svg.replacen('>', "><!-- boardroom paper -->", 1);
    PaperFigure {
        id: slug(place),
        place: place.to_owned(),
        title: title.to_owned(),
        svg,
    }
}

/// The drawing with its subject in name and title.
pub(super) fn named(figure: PaperFigure, of: &str) -> PaperFigure {
    PaperFigure {
        id: format!("{}-{}", figure.id, slug(of)),
        title: format!("{}, {of}", figure.title),
        ..figure
    }
}

/// A white area with the place and the title on top.
fn titled<'a>(
    svg: &'a mut String,
    (width, height): (u32, u32),
    text: &str,
) -> Result<DrawingArea<SVGBackend<'a>, Shift>, RunError> {
    let root = SVGBackend::with_string(svg, (width, height)).into_drawing_area();
    root.fill(&WHITE).map_err(failed)?;
    let style = ("sans-serif", LETTERS).into_font().color(&BLACK);
    root.draw(&Text::new(text.to_owned(), (8, 8), style))
        .map_err(failed)?;
    let (_, rest) = root.split_vertically(TITLE);
    Ok(rest)
}

/// Means with intervals as points and lines, in groups; a cross is the published figure. `None` if
/// there is no figure of ours.
pub(super) fn dots(
    place: &str,
    title: &str,
    groups: &[DotGroup],
) -> Result<Option<PaperFigure>, RunError> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for group in groups {
        if !group.name.is_empty() {
            lines.push(Line::Heading(&group.name));
        }
        lines.extend(group.dots.iter().map(Line::Dot));
    }
    lines.truncate(MOST);
    let all = || groups.iter().flat_map(|group| &group.dots);
    if all().all(|dot| dot.value.is_none()) {
        return Ok(None);
    }
    let ends = all().flat_map(|dot| {
        let [low, high] = dot.ci95.unwrap_or([f64::NAN, f64::NAN]);
        [
            dot.value.unwrap_or(f64::NAN),
            low,
            high,
            dot.published.unwrap_or(f64::NAN),
        ]
    });
    let x = range(ends);
    let crosses = all().any(|dot| dot.value.is_some() && dot.published.is_some());
    let crosses = if crosses { " (crosses: the paper)" } else { "" };
    let count = u32::try_from(lines.len()).unwrap_or(1).max(1);
    let mut svg = String::new();
    {
        let rest = titled(
            &mut svg,
            (WIDTH, TITLE + AXIS + ROW * count),
            &format!("{place}: {title}{crosses}"),
        )?;
        let mut chart = ChartBuilder::on(&rest)
            .margin_left(6)
            .margin_right(24)
            .x_label_area_size(AXIS - 6)
            .y_label_area_size(names_room(all().map(|dot| &dot.name)))
            .build_cartesian_2d(x.clone(), 0.0..f64::from(count))
            .map_err(failed)?;
        let name = |y: &f64| match at_row(&lines, *y) {
            Some(Line::Dot(dot)) => short(&dot.name),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(2 * lines.len() + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|x| figure(*x))
            .x_labels(6)
            .x_max_light_lines(0)
            .label_style(("sans-serif", LETTERS))
            .draw()
            .map_err(failed)?;
        for (row, line) in (0..count).zip(&lines) {
            let y = f64::from(count) - f64::from(row) - 0.5;
            let dot = match line {
                Line::Heading(text) => {
                    let style = ("sans-serif", LETTERS).into_font().color(&BLACK);
                    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
                    let heading = Text::new(format!(" {text}"), (x.start, y), style);
                    chart.draw_series([heading]).map_err(failed)?;
                    continue;
                }
                Line::Dot(dot) => dot,
            };
            let c = colour(dot.colour);
            if let Some([low, high]) = dot.ci95 {
                let line = PathElement::new(vec![(low, y), (high, y)], c.stroke_width(4));
                chart.draw_series([line]).map_err(failed)?;
            }
            if let Some(value) = dot.published {
                let mark = Cross::new((value, y), 6, PRINTED.stroke_width(2));
                chart.draw_series([mark]).map_err(failed)?;
            }
            if let Some(value) = dot.value {
                for style in [WHITE.filled(), c.stroke_width(2)] {
                    chart
                        .draw_series([Circle::new((value, y), 5, style)])
                        .map_err(failed)?;
                }
            }
        }
        rest.present().map_err(failed)?;
    }
    Ok(Some(drawn(place, title, &svg)))
}

/// The line whose middle is at `y`, with the first line at the top.
fn at_row<'a, 'b>(lines: &'b [Line<'a>], y: f64) -> Option<&'b Line<'a>> {
    let mut rows = (0_u32..).zip(lines.iter().rev());
    rows.find_map(|(row, line)| ((y - f64::from(row) - 0.5).abs() < 0.01).then_some(line))
}

/// Rows of shares, each drawn as a bar of length 1 that is divided by `parts`. `None` without rows.
pub(super) fn shares(
    place: &str,
    title: &str,
    parts: &[&str],
    rows: &[(String, Vec<f64>)],
) -> Result<Option<PaperFigure>, RunError> {
    if rows.is_empty() {
        return Ok(None);
    }
    let rows: Vec<_> = rows.iter().take(MOST).collect();
    let count = u32::try_from(rows.len()).unwrap_or(1);
    let legend = u32::try_from(parts.len()).unwrap_or(0) * 20 + 6;
    let mut svg = String::new();
    {
        let rest = titled(
            &mut svg,
            (WIDTH, TITLE + legend + AXIS + ROW * count),
            &format!("{place}: {title}"),
        )?;
        let (keys, rest) = rest.split_vertically(legend);
        for (number, (part, y)) in parts.iter().zip((0..).step_by(20)).enumerate() {
            let square = Rectangle::new([(12, y + 2), (24, y + 14)], colour(number).filled());
            keys.draw(&square).map_err(failed)?;
            let style = ("sans-serif", LETTERS).into_font().color(&BLACK);
            keys.draw(&Text::new((*part).to_owned(), (32, y + 1), style))
                .map_err(failed)?;
        }
        let mut chart = ChartBuilder::on(&rest)
            .margin_left(6)
            .margin_right(24)
            .x_label_area_size(AXIS - 6)
            .y_label_area_size(names_room(rows.iter().map(|(name, _)| name)))
            .build_cartesian_2d(0.0..1.0, 0.0..f64::from(count))
            .map_err(failed)?;
        let name = |y: &f64| {
            let mut numbered = (0_u32..).zip(rows.iter().rev());
            let found = numbered.find(|(row, _)| (y - f64::from(*row) - 0.5).abs() < 0.01);
            found.map_or_else(String::new, |(_, (name, _))| short(name))
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(2 * rows.len() + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|x| format!("{:.0} %", 100.0 * x))
            .x_labels(6)
            .x_max_light_lines(0)
            .label_style(("sans-serif", LETTERS))
            .draw()
            .map_err(failed)?;
        for (row, (_, counts)) in (0..count).zip(&rows) {
            let total: f64 = counts.iter().sum();
            if total <= 0.0 {
                continue;
            }
            let low = f64::from(count) - f64::from(row) - 0.85;
            let mut from = 0.0;
            for (number, part) in counts.iter().enumerate() {
                let to = from + *part / total;
                let bar = Rectangle::new([(from, low), (to, low + 0.7)], colour(number).filled());
                chart.draw_series([bar]).map_err(failed)?;
                from = to;
            }
        }
        rest.present().map_err(failed)?;
    }
    Ok(Some(drawn(place, title, &svg)))
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
    let figures = |panel: &PointPanel| {
        panel
            .columns
            .iter()
            .map(|(_, all)| all.len())
            .sum::<usize>()
    };
    let panels: Vec<&PointPanel> = panels.iter().filter(|panel| figures(panel) > 0).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let height = 260_u32;
    let count = u32::try_from(panels.len()).unwrap_or(1);
    let mut svg = String::new();
    {
        let rest = titled(
            &mut svg,
            (WIDTH, TITLE + height * count),
            &format!("{place}: {title}"),
        )?;
        for (area, panel) in rest.split_evenly((panels.len(), 1)).iter().zip(&panels) {
            let columns = u32::try_from(panel.columns.len()).unwrap_or(1).max(1);
            let all = panel
                .columns
                .iter()
                .flat_map(|(_, all)| all.iter().copied());
            let mut chart = ChartBuilder::on(area)
                .margin(6)
                .margin_right(24)
                .x_label_area_size(AXIS)
                .y_label_area_size(64)
                .build_cartesian_2d(0.0..f64::from(columns), range(all))
                .map_err(failed)?;
            let name = |x: &f64| {
                let mut numbered = (0_u32..).zip(&panel.columns);
                let found = numbered.find(|(at, _)| (x - f64::from(*at) - 0.5).abs() < 0.01);
                found.map_or_else(String::new, |(_, (name, _))| name.clone())
            };
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels(2 * panel.columns.len() + 1)
                .x_label_formatter(&name)
                .y_labels(5)
                .y_label_formatter(&|y| figure(*y))
                .y_max_light_lines(0)
                .y_desc(&panel.name)
                .label_style(("sans-serif", LETTERS))
                .axis_desc_style(("sans-serif", LETTERS))
                .draw()
                .map_err(failed)?;
            for (place, (at, (_, values))) in (0_u32..).zip(&panel.columns).enumerate() {
                // Each run has a place of its own, because equal figures would hide one another.
                let step = 0.6 / values.len().max(1) as f64;
                for (run, value) in values.iter().enumerate() {
                    let x = f64::from(at) + 0.2 + step * (run as f64 + 0.5);
                    let mark = Circle::new((x, *value), 4, colour(place).stroke_width(2));
                    chart.draw_series([mark]).map_err(failed)?;
                }
            }
        }
        rest.present().map_err(failed)?;
    }
    Ok(Some(drawn(place, title, &svg)))
}
