//! Plots as SVG.

use super::{Look, bar_looks, looks, own_look};
use crate::drawing::{BASELINE, LETTERS, failed, figure, range, room, short};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use run_engine::error::RunError;
use sim_core::Plot;
use sim_core::plot::{Bars, Cell, Series, Shape, SpanRow};

/// Width (px): narrow enough for its letters to be read on a phone.
const WIDTH: u32 = 460;
/// Height of lines and piles (px).
const HEIGHT: u32 = 250;
/// Height of axis and margins below rows (px).
const FRAME: u32 = 50;
/// Most columns of a grid whose cells show their numbers.
const NUMBERED: usize = 8;
/// Most rows with a name of their own.
const NAMED: usize = 40;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Flat = Cartesian2d<RangedCoordf64, RangedCoordf64>;

pub(super) fn svg(plot: &Plot) -> Result<String, RunError> {
    let mut svg = String::new();
    {
        let size = (WIDTH, height(plot));
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        match &plot.shape {
            Shape::Lines { series } => lines(&root, plot, series)?,
            Shape::Stacked { series } => piles(&root, plot, series)?,
            Shape::Bars { groups, bars } => bar_groups(&root, plot, groups, bars)?,
            Shape::Spans { rows } => spans(&root, plot, rows)?,
            Shape::Grid {
                columns,
                rows,
                cells,
                kinds,
            } => grid(&root, plot, (columns, rows), cells, !kinds.is_empty())?,
            _ => {}
        }
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn height(plot: &Plot) -> u32 {
    let rows = |n: usize, each: u32| {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        n.saturating_mul(each).saturating_add(FRAME)
    };
    match &plot.shape {
        Shape::Bars { groups, bars } => rows(groups.len(), bar_height(bars.len())),
        Shape::Spans { rows: all } => rows(all.len(), row_height(all.len())),
        Shape::Grid { rows: all, .. } => rows(all.len(), row_height(all.len())),
        _ => HEIGHT,
    }
}

fn bar_height(bars: usize) -> u32 {
    u32::try_from(bars)
        .unwrap_or(u32::MAX)
        .saturating_mul(9)
        .saturating_add(8)
        .max(20)
}

/// Height of one of so many rows: small ones where there are many, as their names are left out.
fn row_height(rows: usize) -> u32 {
    match rows {
        0..=NAMED => 20,
        41..=200 => 5,
        _ => 1,
    }
}

/// Whole and half numbers lie in the middle of a row.
fn row_name(names: &[String], y: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a row number; casts saturate"
    )]
    let place = (count(names.len()) - y).floor() as usize;
    let middle = (y.fract() - 0.5).abs() < 0.01 && names.len() <= NAMED;
    let name = names.get(place).filter(|_| middle);
    name.map_or_else(String::new, |name| short(name))
}

/// A chart with numbers on both axes.
fn flat<'a, 'b>(
    root: &'b Area<'a>,
    plot: &Plot,
    x: std::ops::Range<f64>,
    y: std::ops::Range<f64>,
) -> Result<ChartContext<'b, SVGBackend<'a>, Flat>, RunError> {
    let mut chart = ChartBuilder::on(root)
        .margin(6)
        .margin_right(16)
        .x_label_area_size(42)
        .y_label_area_size(100)
        .build_cartesian_2d(x, y)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .x_labels(6)
        .y_labels(6)
        .x_desc(plot.x.text())
        .y_desc(plot.y.text())
        .x_label_formatter(&|x| figure(*x))
        .y_label_formatter(&|y| figure(*y))
        .label_style(("sans-serif", LETTERS))
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

/// A chart with numbers below and one named row for each of `names`.
fn rows<'a, 'b>(
    root: &'b Area<'a>,
    plot: &Plot,
    x: std::ops::Range<f64>,
    names: &[String],
    x_name: &dyn Fn(&f64) -> String,
) -> Result<ChartContext<'b, SVGBackend<'a>, Flat>, RunError> {
    let shown: Vec<String> = names.iter().map(|name| short(name)).collect();
    let left = if names.len() <= NAMED {
        room(shown.iter())
    } else {
        16
    };
    let mut chart = ChartBuilder::on(root)
        .margin(6)
        .margin_right(16)
        .x_label_area_size(42)
        .y_label_area_size(left.min(WIDTH / 2))
        .build_cartesian_2d(x, 0.0..count(names.len().max(1)))
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(0)
        .x_labels(6)
        .y_labels(if names.len() <= NAMED {
            2 * names.len() + 1
        } else {
            0
        })
        .x_desc(plot.x.text())
        .x_label_formatter(&x_name)
        .y_label_formatter(&|y| row_name(names, *y))
        .label_style(("sans-serif", LETTERS))
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

fn positions(series: &[Series]) -> std::ops::Range<f64> {
    let all = || series.iter().flat_map(|s| s.points.iter().map(|(x, _)| *x));
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
        (l.min(x), h.max(x))
    });
    if low < high {
        low..high
    } else {
        low - 0.5..low + 0.5
    }
}

fn lines(root: &Area<'_>, plot: &Plot, series: &[Series]) -> Result<(), RunError> {
    let values = series.iter().flat_map(|s| s.points.iter().map(|(_, y)| *y));
    let mut chart = flat(root, plot, positions(series), range(values))?;
    for (series, look) in series.iter().zip(looks(series)) {
        let points = series.points.iter().copied();
        if series.apart || series.points.len() == 1 {
            let dots = points.map(|at| Circle::new(at, 3, look.colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        } else if look.dashed {
            let line = DashedLineSeries::new(points, 5, 4, look.colour.stroke_width(2));
            chart.draw_series(line).map_err(failed)?;
        } else {
            let line = LineSeries::new(points, look.colour.stroke_width(2));
            chart.draw_series(line).map_err(failed)?;
        }
    }
    Ok(())
}

fn piles(root: &Area<'_>, plot: &Plot, series: &[Series]) -> Result<(), RunError> {
    let at = positions(series);
    let first = series.first().map_or(&[][..], |series| &series.points);
    let gaps = first.windows(2).filter_map(|pair| match pair {
        [(a, _), (b, _)] => Some(b - a),
        _ => None,
    });
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let half = if gap.is_finite() { 0.42 * gap } else { 0.4 };
    // Layers above zero and below it are piled apart.
    let mut tops = vec![(0.0_f64, 0.0_f64); first.len()];
    let mut boxes: Vec<(Look, f64, f64, f64)> = Vec::new();
    for (series, look) in series.iter().zip(looks(series)) {
        for ((x, value), top) in series.points.iter().zip(&mut tops) {
            let side = if *value < 0.0 { &mut top.1 } else { &mut top.0 };
            boxes.push((look, *x, *side, *side + value));
            *side += value;
        }
    }
    let ends = boxes.iter().flat_map(|(_, _, from, to)| [*from, *to]);
    let y = range(ends.chain([0.0]));
    let mut chart = flat(root, plot, at.start - half..at.end + half, y)?;
    let boxes = boxes.into_iter().filter(|(_, _, from, to)| from != to);
    let boxes = boxes.map(|(look, x, from, to)| {
        Rectangle::new([(x - half, from), (x + half, to)], look.colour.filled())
    });
    chart.draw_series(boxes).map_err(failed)?;
    Ok(())
}

fn bar_groups(
    root: &Area<'_>,
    plot: &Plot,
    groups: &[String],
    bars: &[Bars],
) -> Result<(), RunError> {
    let values = bars.iter().flat_map(|bars| bars.values.iter().flatten());
    let x = range(values.copied().chain([0.0]));
    // The values lie on the horizontal axis here, so that names of any length have room.
    let turned = Plot {
        x: plot.y.clone(),
        ..plot.clone()
    };
    let mut chart = rows(root, &turned, x, groups, &|x| figure(*x))?;
    let thick = 0.84 / count(bars.len().max(1));
    for (place, (bars, look)) in bars
        .iter()
        .zip(bar_looks(bars.iter().map(|bars| bars.role)))
        .enumerate()
    {
        let boxes = bars.values.iter().enumerate().filter_map(|(group, value)| {
            let top = count(groups.len()) - count(group) - 0.08 - thick * count(place);
            let corners = [(0.0, top), ((*value)?, top - thick * 0.9)];
            Some(Rectangle::new(corners, look.colour.filled()))
        });
        chart.draw_series(boxes).map_err(failed)?;
    }
    Ok(())
}

fn spans(root: &Area<'_>, plot: &Plot, all: &[SpanRow]) -> Result<(), RunError> {
    let every = || all.iter().flat_map(|row| &row.spans);
    let ends = every().flat_map(|span| [span.from, span.to]);
    let x = range(ends);
    let most = every().map(|span| span.value).fold(0.0, f64::max);
    let names: Vec<String> = all.iter().map(|row| row.name.clone()).collect();
    let mut chart = rows(root, plot, x, &names, &|x| figure(*x))?;
    for (place, row) in all.iter().enumerate() {
        let base = count(all.len()) - count(place) - 0.92;
        let boxes = row.spans.iter().map(|span| {
            let share = if most > 0.0 { span.value / most } else { 0.0 };
            // A span in which nothing is done is a thin line.
            let (tall, colour) = match span {
                _ if span.failed => (0.84, own_look(1).colour),
                _ if span.value > 0.0 => (0.84 * share.max(0.2), own_look(0).colour),
                _ => (0.08, BASELINE),
            };
            let corners = [(span.from, base), (span.to, base + tall)];
            Rectangle::new(corners, colour.filled())
        });
        chart.draw_series(boxes).map_err(failed)?;
    }
    Ok(())
}

fn grid(
    root: &Area<'_>,
    plot: &Plot,
    (columns, names): (&[String], &[String]),
    cells: &[Cell],
    by_kind: bool,
) -> Result<(), RunError> {
    let column = |x: &f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a column number; casts saturate"
        )]
        let place = x.round() as usize;
        columns.get(place).cloned().unwrap_or_default()
    };
    let wide = count(columns.len()).max(1.0);
    let mut chart = rows(root, plot, -0.5..wide - 0.5, names, &column)?;
    let most = cells
        .iter()
        .map(|cell| cell.value.abs())
        .fold(0.0, f64::max);
    for cell in cells {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number of a kind; casts saturate"
        )]
        let style = if by_kind {
            own_look(cell.value as usize).colour.filled()
        } else {
            let share = if most > 0.0 {
                cell.value.abs() / most
            } else {
                0.0
            };
            own_look(0).colour.mix(0.08 + 0.92 * share).filled()
        };
        let (x, top) = (count(cell.column), count(names.len()) - count(cell.row));
        let corners = [(x - 0.47, top - 0.04), (x + 0.47, top - 0.96)];
        chart
            .draw_series([Rectangle::new(corners, style)])
            .map_err(failed)?;
        if !by_kind && columns.len() <= NUMBERED && names.len() <= NAMED {
            // On a dark cell in the colour of the page, so that both themes keep a contrast.
            let ink = if cell.value.abs() > 0.6 * most {
                &WHITE
            } else {
                &BLACK
            };
            let style = ("sans-serif", LETTERS).into_font().color(ink);
            let style = style.pos(Pos::new(HPos::Center, VPos::Center));
            let text = Text::new(figure(cell.value), (x, top - 0.5), style);
            chart.draw_series([text]).map_err(failed)?;
        }
    }
    Ok(())
}
