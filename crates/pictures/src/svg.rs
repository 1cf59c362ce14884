//! Plots as SVG.

use crate::look::{
    BASELINE, Look, bar_looks, bounds, count, figure, looks, names_width, own_look, piled, pixels,
    range, short,
};
use crate::{DrawError, failed, legend};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sim_core::Plot;
use sim_core::plot::{Bars, Cell, RangeGroup, RangeRow, Series, Shape, SpanRow};
use std::ops::Range;

/// Width (px): narrow enough for its letters to be read on a phone.
const WIDTH: u32 = 520;
/// Height of a plot with numbers on both axes (px).
const HEIGHT: u32 = 270;
/// Height of axis and margins below rows (px).
const FRAME: u32 = 50;
/// Size of letters (px, as the drawing library counts them).
const LETTERS: u32 = 16;
/// Height of a title, and of a line of a legend, in a file (px).
const LINE: u32 = 22;
/// Most columns of a grid whose cells show their numbers.
const NUMBERED: usize = 24;
/// Most rows with a name of their own.
const NAMED: usize = 40;
/// Most rows of marks; the table beside the plot has all of them.
const RANGES: usize = 120;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Flat = Cartesian2d<RangedCoordf64, RangedCoordf64>;
type Chart<'a, 'b> = ChartContext<'b, SVGBackend<'a>, Flat>;

/// The drawing of one plot for a page, which shows caption and legend itself.
pub(crate) fn of_page(plot: &Plot) -> Result<String, DrawError> {
    let mut svg = String::new();
    {
        let size = (width(plot), height(plot));
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&root, plot)?;
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

/// The drawing of plots one below the other, with their titles and legends.
pub(crate) fn of_file(plots: &[&Plot]) -> Result<String, DrawError> {
    let legends: Vec<_> = plots.iter().map(|plot| legend(plot)).collect();
    let key_height = |keys: usize| pixels(keys).saturating_mul(LINE);
    let parts = plots.iter().zip(&legends);
    let heights: Vec<u32> = parts
        .map(|(plot, keys)| LINE + height(plot).saturating_add(key_height(keys.len())))
        .collect();
    // The widest one decides, as all of them are parts of one drawing.
    let wide = plots.iter().map(|plot| width(plot)).max().unwrap_or(WIDTH);
    let high = heights
        .iter()
        .fold(0_u32, |sum, one| sum.saturating_add(*one));
    let mut svg = String::new();
    {
        // Parts of one drawing, because a file has a single `<svg>`.
        let root = SVGBackend::with_string(&mut svg, (wide, high)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let mut rest = root;
        for ((plot, keys), high) in plots.iter().zip(&legends).zip(heights) {
            let (part, below) = rest.split_vertically(high);
            let (head, part) = part.split_vertically(LINE);
            write(&head, &plot.title, (8, 4), HPos::Left, &BLACK)?;
            let (area, below_plot) = part.split_vertically(height(plot));
            draw(&area, plot)?;
            for ((look, name), y) in keys.iter().zip((0..).step_by(LINE as usize)) {
                let square = [(12, y + 4), (24, y + 16)];
                let square = Rectangle::new(square, look.colour.filled());
                below_plot.draw(&square).map_err(failed)?;
                write(&below_plot, name, (32, y + 2), HPos::Left, &BLACK)?;
            }
            rest = below;
        }
        rest.present().map_err(failed)?;
    }
    Ok(svg)
}

/// Writes `text` with its top at `place`.
fn write(
    area: &Area<'_>,
    text: &str,
    place: (i32, i32),
    side: HPos,
    ink: &RGBColor,
) -> Result<(), DrawError> {
    let style = ("sans-serif", LETTERS).into_font().color(ink);
    let style = style.pos(Pos::new(side, VPos::Top));
    area.draw(&Text::new(text.to_owned(), place, style))
        .map_err(failed)
}

fn draw(root: &Area<'_>, plot: &Plot) -> Result<(), DrawError> {
    match &plot.shape {
        Shape::Lines { series } => lines(root, plot, series),
        // Names need room to the left, as no letters are turned.
        Shape::Stacked { series } if plot.x.names.is_empty() => piles(root, plot, series),
        Shape::Stacked { series } => piled_rows(root, plot, series),
        Shape::Bars { groups, bars } => bar_groups(root, plot, groups, bars),
        Shape::Spans { rows } => spans(root, plot, rows),
        Shape::Grid {
            columns,
            rows,
            cells,
            kinds,
        } => grid(root, plot, (columns, rows), cells, !kinds.is_empty()),
        Shape::Ranges { groups, levels } => ranges(root, plot, groups, levels),
        _ => Ok(()),
    }
}

fn width(plot: &Plot) -> u32 {
    match &plot.shape {
        Shape::Grid { columns, rows, .. } if columns.len() <= NUMBERED => {
            // Wide enough for "-0.00" also below short names.
            let cell = names_width(columns.iter()).max(44);
            let cells = pixels(columns.len()).saturating_mul(cell);
            cells
                .saturating_add(names_width(rows.iter()))
                .saturating_add(22)
                .max(WIDTH)
        }
        _ => WIDTH,
    }
}

fn height(plot: &Plot) -> u32 {
    let rows = |n: usize, each: u32| pixels(n).saturating_mul(each).saturating_add(FRAME);
    match &plot.shape {
        Shape::Stacked { .. } if !plot.x.names.is_empty() => rows(plot.x.names.len(), 26),
        Shape::Bars { groups, bars } => {
            let bars = pixels(bars.len()).saturating_mul(9).saturating_add(8);
            rows(groups.len(), bars.max(20))
        }
        Shape::Spans { rows: all } => rows(all.len(), row_height(all.len())),
        Shape::Grid { rows: all, .. } => rows(all.len(), row_height(all.len())),
        Shape::Ranges { groups, .. } => rows(range_lines(groups).len(), 28),
        _ => HEIGHT,
    }
}

/// Height of one of so many rows: small ones where there are many, as their names are left out.
fn row_height(rows: usize) -> u32 {
    match rows {
        0..=NAMED => 24,
        41..=200 => 5,
        _ => 1,
    }
}

/// The name at a place of an axis with a name at each whole number; empty between them.
fn name_at(names: &[String], at: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a row or column number; casts saturate"
    )]
    let place = at.round() as usize;
    // The library asks for labels between the names too.
    let named = (at - at.round()).abs() < 0.01 && at > -0.5;
    let name = names.get(place).filter(|_| named);
    name.map_or_else(String::new, |name| short(name))
}

/// A number on an axis, or its name where the axis has names.
fn number_or_name(names: &[String], at: f64) -> String {
    if names.is_empty() {
        figure(at)
    } else {
        name_at(names, at)
    }
}

/// A chart with numbers above the horizontal axis, which has numbers or, where the plot has some, names.
fn flat<'a, 'b>(
    root: &'b Area<'a>,
    plot: &Plot,
    x: Range<f64>,
    y: Range<f64>,
) -> Result<Chart<'a, 'b>, DrawError> {
    let names = &plot.x.names;
    let (x, labels) = if names.is_empty() {
        (x, 6)
    } else {
        // Twice as many as names: the ticks stand at half steps, and those between names stay
        // empty.
        (-0.5..count(names.len()) - 0.5, 2 * names.len() + 1)
    };
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
        .x_labels(labels)
        .y_labels(6)
        .x_desc(plot.x.text())
        .y_desc(plot.y.text())
        .x_label_formatter(&|x| number_or_name(names, *x))
        .y_label_formatter(&|y| figure(*y))
        .label_style(("sans-serif", LETTERS))
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

/// A chart with one row for each of `names`, the first on top. The horizontal axis is called `x_title`; it has numbers
/// or the names `columns`.
fn rows<'a, 'b>(
    root: &'b Area<'a>,
    x_title: String,
    x: Range<f64>,
    names: &[String],
    columns: &[String],
) -> Result<Chart<'a, 'b>, DrawError> {
    let (wide, high) = root.dim_in_pixel();
    // Below 16 px names would lie on each other; the table beside the plot has them.
    let named = high >= pixels(names.len()).saturating_mul(16);
    let left = if named { names_width(names.iter()) } else { 16 };
    let mut chart = ChartBuilder::on(root)
        .margin(6)
        .margin_right(16)
        .x_label_area_size(42)
        // At most half, or long names would leave no room for the figures.
        .y_label_area_size(left.min(wide / 2))
        // From large to small: the first row is to be on top, and the axis counts upwards.
        .build_cartesian_2d(x, count(names.len().max(1)) - 0.5..-0.5)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(0)
        .x_labels(if columns.is_empty() || columns.len() > NUMBERED {
            6
        } else {
            2 * columns.len() + 1
        })
        .y_labels(if named { 2 * names.len() + 1 } else { 0 })
        .x_desc(x_title)
        .x_label_formatter(&|x| number_or_name(columns, *x))
        .y_label_formatter(&|y| name_at(names, *y))
        .label_style(("sans-serif", LETTERS))
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

fn positions(series: &[Series]) -> Range<f64> {
    let all = series.iter().flat_map(|s| s.points.iter().map(|(x, _)| *x));
    match bounds(all) {
        Some((low, high)) if low < high => low..high,
        // A single position has no width.
        Some((at, _)) => at - 0.5..at + 0.5,
        None => -0.5..0.5,
    }
}

fn lines(root: &Area<'_>, plot: &Plot, series: &[Series]) -> Result<(), DrawError> {
    let values = series.iter().flat_map(|s| s.points.iter().map(|(_, y)| *y));
    let mut chart = flat(root, plot, positions(series), range(values))?;
    for (series, look) in series.iter().zip(looks(series)) {
        let points = series.points.iter().copied();
        // A line of one point would be invisible.
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

/// A layer of a pile: its look, its position, where it begins and where it ends.
type Layer = (Look, f64, f64, f64);

/// The layers of all piles that have a height.
fn layers(series: &[Series]) -> Vec<Layer> {
    let all = looks(series).into_iter().zip(piled(series));
    let all = all.flat_map(|(look, piles)| {
        let piles = piles.into_iter();
        piles.map(move |(x, from, to)| (look, x, from, to))
    });
    // A box without height would still be drawn, as a line in the colour of its layer.
    all.filter(|(.., from, to)| to - from != 0.0).collect()
}

fn piles(root: &Area<'_>, plot: &Plot, series: &[Series]) -> Result<(), DrawError> {
    let at = positions(series);
    let first = series.first().map_or(&[][..], |series| &series.points);
    let gaps = first.windows(2).filter_map(|pair| match pair {
        [(a, _), (b, _)] => Some(b - a),
        _ => None,
    });
    // The least gap, so that no two piles touch where positions are uneven.
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let half = if gap.is_finite() { 0.42 * gap } else { 0.4 };
    let layers = layers(series);
    let ends = layers.iter().flat_map(|(_, _, from, to)| [*from, *to]);
    // With zero: the length of a box is read as its amount.
    let y = range(ends.chain([0.0]));
    let mut chart = flat(root, plot, at.start - half..at.end + half, y)?;
    let boxes = layers.into_iter().map(|(look, x, from, to)| {
        Rectangle::new([(x - half, from), (x + half, to)], look.colour.filled())
    });
    chart.draw_series(boxes).map_err(failed)?;
    Ok(())
}

/// Piles whose positions have names lie: one row for each name.
fn piled_rows(root: &Area<'_>, plot: &Plot, series: &[Series]) -> Result<(), DrawError> {
    let layers = layers(series);
    let ends = layers.iter().flat_map(|(_, _, from, to)| [*from, *to]);
    let x = range(ends.chain([0.0]));
    let mut chart = rows(root, plot.y.text(), x, &plot.x.names, &[])?;
    let boxes = layers.into_iter().map(|(look, row, from, to)| {
        Rectangle::new([(from, row - 0.36), (to, row + 0.36)], look.colour.filled())
    });
    chart.draw_series(boxes).map_err(failed)?;
    Ok(())
}

fn bar_groups(
    root: &Area<'_>,
    plot: &Plot,
    groups: &[String],
    bars: &[Bars],
) -> Result<(), DrawError> {
    let values = bars.iter().flat_map(|bars| bars.values.iter().flatten());
    // With zero, from which the bars begin.
    let x = range(values.copied().chain([0.0]));
    // The values lie on the horizontal axis here, so that names of any length have room.
    let mut chart = rows(root, plot.y.text(), x, groups, &[])?;
    let thick = 0.84 / count(bars.len().max(1));
    let looks = bar_looks(bars.iter().map(|bars| bars.role));
    for (place, (bars, look)) in bars.iter().zip(looks).enumerate() {
        let boxes = bars.values.iter().enumerate().filter_map(|(group, value)| {
            let top = count(group) - 0.42 + thick * count(place);
            let corners = [(0.0, top), ((*value)?, top + thick * 0.9)];
            Some(Rectangle::new(corners, look.colour.filled()))
        });
        chart.draw_series(boxes).map_err(failed)?;
    }
    Ok(())
}

fn spans(root: &Area<'_>, plot: &Plot, all: &[SpanRow]) -> Result<(), DrawError> {
    let every = || all.iter().flat_map(|row| &row.spans);
    let x = range(every().flat_map(|span| [span.from, span.to]));
    let most = every().map(|span| span.value).fold(0.0, f64::max);
    let names: Vec<String> = all.iter().map(|row| row.name.clone()).collect();
    let mut chart = rows(root, plot.x.text(), x, &names, &[])?;
    for (place, row) in all.iter().enumerate() {
        // The axis counts downwards, so the foot of a row is the greater number and a tall box has the smaller one.
        let base = count(place) + 0.42;
        let boxes = row.spans.iter().map(|span| {
            let share = if most > 0.0 { span.value / most } else { 0.0 };
            // A span in which nothing is done is a thin line.
            let (tall, colour) = match span {
                _ if span.failed => (0.84, own_look(1).colour),
                // Never thinner than a fifth, or a span of little work would look like one without.
                _ if span.value > 0.0 => (0.84 * share.max(0.2), own_look(0).colour),
                _ => (0.08, BASELINE),
            };
            let corners = [(span.from, base), (span.to, base - tall)];
            Rectangle::new(corners, colour.filled())
        });
        chart.draw_series(boxes).map_err(failed)?;
    }
    Ok(())
}

/// Cells deepen from 0 to the largest amount, those below 0 in a colour of their own.
fn grid(
    root: &Area<'_>,
    plot: &Plot,
    (columns, names): (&[String], &[String]),
    cells: &[Cell],
    by_kind: bool,
) -> Result<(), DrawError> {
    let x = -0.5..count(columns.len()).max(1.0) - 0.5;
    let mut chart = rows(root, plot.x.text(), x, names, columns)?;
    let sizes = cells.iter().map(|cell| cell.value.abs());
    let most = sizes.fold(0.0, f64::max);
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
            let look = own_look(usize::from(cell.value < 0.0));
            // From 0.08 on, so that a cell of zero differs from a missing one.
            look.colour.mix(0.08 + 0.92 * share).filled()
        };
        let (x, y) = (count(cell.column), count(cell.row));
        let corners = [(x - 0.47, y - 0.46), (x + 0.47, y + 0.46)];
        chart
            .draw_series([Rectangle::new(corners, style)])
            .map_err(failed)?;
        // A kind is no amount, and its colour is explained in the legend.
        if !by_kind && columns.len() <= NUMBERED && names.len() <= NAMED {
            // On a dark cell in the colour of the page, so that both themes keep a contrast.
            let ink = if cell.value.abs() > 0.6 * most {
                &WHITE
            } else {
                &BLACK
            };
            let style = ("sans-serif", LETTERS).into_font().color(ink);
            let style = style.pos(Pos::new(HPos::Center, VPos::Center));
            // Coefficients and shares: two decimals each, so that they can be compared at a glance.
            let text = if most <= 1.0 {
                // Rounded first, so that no cell shows a negative zero.
                format!("{:.2}", (cell.value * 100.0).round() / 100.0 + 0.0)
            } else {
                figure(cell.value)
            };
            chart
                .draw_series([Text::new(text, (x, y), style)])
                .map_err(failed)?;
        }
    }
    Ok(())
}

/// A line of a plot of ranges: the heading of a group, or a row.
enum RangeLine<'a> {
    Heading(&'a str),
    Row(&'a RangeRow),
}

fn range_lines(groups: &[RangeGroup]) -> Vec<RangeLine<'_>> {
    let mut lines = Vec::new();
    for group in groups {
        if !group.name.is_empty() {
            lines.push(RangeLine::Heading(&group.name));
        }
        lines.extend(group.rows.iter().map(RangeLine::Row));
    }
    // Cut as lines, headings included, since the height follows from them.
    lines.truncate(RANGES);
    lines
}

fn ranges(
    root: &Area<'_>,
    plot: &Plot,
    groups: &[RangeGroup],
    levels: &[Series],
) -> Result<(), DrawError> {
    let lines = range_lines(groups);
    let at_levels = || {
        levels
            .iter()
            .flat_map(|level| level.points.iter().map(|(x, _)| *x))
    };
    let all = groups.iter().flat_map(|group| &group.rows);
    let x = range(all.flat_map(RangeRow::numbers).chain(at_levels()));
    let names: Vec<String> = lines
        .iter()
        .map(|line| match line {
            // Drawn into the plot below: a heading is longer than the room for names.
            RangeLine::Heading(_) => String::new(),
            RangeLine::Row(row) => row.name.clone(),
        })
        .collect();
    let mut chart = rows(root, plot.y.text(), x.clone(), &names, &[])?;
    for (level, look) in levels.iter().zip(looks(levels)) {
        for (x, _) in &level.points {
            let ends = vec![(*x, -0.5), (*x, count(lines.len()) - 0.5)];
            let line = PathElement::new(ends, look.colour.stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
        }
    }
    for (place, line) in lines.iter().enumerate() {
        let y = count(place);
        let row = match line {
            RangeLine::Heading(text) => {
                let style = ("sans-serif", LETTERS).into_font().color(&BLACK);
                let style = style.pos(Pos::new(HPos::Left, VPos::Center));
                let heading = Text::new(format!(" {text}"), (x.start, y), style);
                chart.draw_series([heading]).map_err(failed)?;
                continue;
            }
            RangeLine::Row(row) => row,
        };
        let colour = own_look(row.colour).colour;
        for (range, wide) in [(row.whole, 2), (row.inner, 6)] {
            if let Some([low, high]) = range {
                let style = colour.stroke_width(wide);
                let line = PathElement::new(vec![(low, y), (high, y)], style);
                chart.draw_series([line]).map_err(failed)?;
            }
        }
        if let Some(value) = row.other {
            let mark = Cross::new((value, y), 6, BASELINE.stroke_width(2));
            chart.draw_series([mark]).map_err(failed)?;
        }
        if let Some(value) = row.value {
            // White first, so that the bar behind it does not shine through the ring.
            for style in [WHITE.filled(), colour.stroke_width(2)] {
                let mark = Circle::new((value, y), 5, style);
                chart.draw_series([mark]).map_err(failed)?;
            }
        }
    }
    Ok(())
}
