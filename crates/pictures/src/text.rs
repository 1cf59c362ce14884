//! Plots as text.

use crate::look::{bounds, figure, piled};
use sim_core::Plot;
use sim_core::plot::{Bars, Cell, Series, Shape, SpanRow, number};
use std::fmt::Write as _;

/// Lines of a chart.
const HEIGHT: usize = 12;
/// Most rows of a chart with one row for each name.
const ROWS: usize = 40;
/// Marks of series, in order.
const MARKS: [char; 12] = ['o', 'x', '+', '*', '#', '@', '%', '&', '$', '=', '~', '?'];

/// `plot` as text: a title, a chart of at most `width` columns (at least 30), and a legend; of ranges the title alone.
/// Control characters in names are escaped.
#[must_use]
pub fn as_text(plot: &Plot, width: usize) -> String {
    // Below that, names and numbers leave no columns for a chart.
    let width = width.max(30);
    let mut out = cut(&plot.title, width);
    out.push('\n');
    match &plot.shape {
        Shape::Lines { series } => chart(&mut out, plot, series, width),
        Shape::Stacked { series } => chart(&mut out, plot, &ends_of_layers(series), width),
        Shape::Bars { groups, bars } => bar_rows(&mut out, plot, groups, bars, width),
        Shape::Spans { rows } => span_rows(&mut out, plot, rows, width),
        Shape::Grid {
            rows, cells, kinds, ..
        } => cell_rows(&mut out, plot, rows, cells, kinds, width),
        // No environment has a plot of ranges: these compare agents, and a table stands beside them.
        _ => {}
    }
    out
}

/// The first `most` characters of a text, with an ellipsis for the rest. Control characters are replaced: they would
/// act on the terminal.
fn cut(text: &str, most: usize) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    if text.chars().count() <= most {
        return text;
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A number in as few digits as an axis needs.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1_000.0 => 1.0,
        size if size >= 10.0 => 10.0,
        size if size >= 1e-3 => 1_000.0,
        _ => return figure(value),
    };
    number((value * digits).round() / digits)
}

/// The layers as lines at their ends, the sums from the axis outwards.
fn ends_of_layers(series: &[Series]) -> Vec<Series> {
    let layers = series.iter().zip(piled(series));
    let layers = layers.map(|(layer, piles)| Series {
        points: piles.into_iter().map(|(x, _, end)| (x, end)).collect(),
        ..layer.clone()
    });
    layers.collect()
}

/// The value of a line at `x`: between two points what lies between them.
fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = points.partition_point(|(at, _)| *at < x);
    let (right_x, right) = *points.get(after)?;
    // Before its first and behind its last point a line has no value.
    if right_x == x || after == 0 {
        return (right_x == x).then_some(right);
    }
    let (left_x, left) = *points.get(after - 1)?;
    Some(left + (right - left) * (x - left_x) / (right_x - left_x))
}

/// The number of one of `count` places between `low` and `high`.
fn place(value: f64, (low, high): (f64, f64), count: usize) -> usize {
    let last = count.saturating_sub(1);
    // All values equal: in the middle, where a line is not taken for the least or the most.
    let share = if high > low {
        (value - low) / (high - low)
    } else {
        0.5
    };
    let steps = f64::from(u32::try_from(last).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the share lies in 0 to 1; casts saturate"
    )]
    let found = (share.clamp(0.0, 1.0) * steps).round() as usize;
    found.min(last)
}

fn marks() -> impl Iterator<Item = char> {
    MARKS.into_iter().cycle()
}

fn chart(out: &mut String, plot: &Plot, series: &[Series], width: usize) {
    let every = || series.iter().flat_map(|series| &series.points);
    // Without a point there are no axes to draw.
    let (Some(x), Some(y)) = (bounds(every().map(|p| p.0)), bounds(every().map(|p| p.1))) else {
        return;
    };
    let labels = [short(y.1), short((y.0 + y.1) / 2.0), short(y.0)];
    // The numbers of this plot decide, so that a chart is as wide as it can be.
    let left = labels.iter().map(String::len).max().unwrap_or(0);
    // A number has at most 22 characters, so the narrowest chart has six columns left.
    let columns = width - left - 2;
    let mut rows = vec![vec![' '; columns]; HEIGHT];
    let mut put = |column: usize, value: f64, mark: char| {
        let row = HEIGHT - 1 - place(value, y, HEIGHT);
        // The first series are on top.
        let cell = rows.get_mut(row).and_then(|row| row.get_mut(column));
        if let Some(cell) = cell.filter(|cell| **cell == ' ') {
            *cell = mark;
        }
    };
    for (series, mark) in series.iter().zip(marks()) {
        // Not along the columns: between these points there is nothing.
        if series.apart || series.points.len() == 1 {
            for (at, value) in &series.points {
                put(place(*at, x, columns), *value, mark);
            }
            continue;
        }
        // Column by column and not point by point: long games have more points than columns, short ones fewer.
        let last = f64::from(u32::try_from(columns - 1).unwrap_or(u32::MAX));
        for (column, step) in (0..columns).zip((0_u32..).map(f64::from)) {
            if let Some(value) = at(&series.points, x.0 + (x.1 - x.0) * step / last) {
                put(column, value, mark);
            }
        }
    }
    for (number, row) in rows.iter().enumerate() {
        let label = match number {
            0 => labels[0].as_str(),
            _ if number == HEIGHT / 2 => labels[1].as_str(),
            _ if number + 1 == HEIGHT => labels[2].as_str(),
            _ => "",
        };
        let line: String = row.iter().collect();
        let _ = writeln!(out, "{label:>left$} |{}", line.trim_end());
    }
    let _ = writeln!(out, "{:left$} +{}", "", "-".repeat(columns));
    if plot.x.names.is_empty() {
        axis(out, plot, left, x, columns);
    } else {
        let names = format!("{}: {}", plot.x.text(), plot.x.names.join(", "));
        let _ = writeln!(out, "{:left$}  {}", "", cut(&names, columns));
    }
    let _ = writeln!(out, "{}", cut(&plot.y.text(), width));
    legend(out, series.iter().map(|series| &series.name), width);
}

/// The least and the greatest number below a chart of `columns` columns, and the title of the axis between them.
fn axis(out: &mut String, plot: &Plot, left: usize, (low, high): (f64, f64), columns: usize) {
    let (from, to) = (short(low), short(high));
    let gap = columns.saturating_sub(from.len() + to.len());
    let middle = cut(&plot.x.text(), gap.saturating_sub(2));
    let _ = writeln!(out, "{:left$}  {from}{middle:^gap$}{to}", "");
}

fn legend<'a>(out: &mut String, names: impl Iterator<Item = &'a String>, width: usize) {
    let mut line = String::new();
    for (name, mark) in names.zip(marks()) {
        let key = cut(&format!("{mark} {name}"), width);
        let longer = line.chars().count() + key.chars().count() + 3;
        // Wrapped between keys, as a mark without its name says nothing.
        if !line.is_empty() && longer > width {
            let _ = writeln!(out, "{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push_str("   ");
        }
        line.push_str(&key);
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{line}");
    }
}

/// Room for names beside rows.
fn names_room<'a>(names: impl Iterator<Item = &'a String>, width: usize) -> usize {
    let longest = names.map(|name| name.chars().count()).max();
    // A third at most: a long name is cut and not the chart.
    longest.unwrap_or(0).min(width / 3)
}

fn bar_rows(out: &mut String, plot: &Plot, groups: &[String], bars: &[Bars], width: usize) {
    let all = bars.iter().flat_map(|bars| bars.values.iter().flatten());
    let most = all.map(|value| value.abs()).fold(0.0, f64::max);
    let left = names_room(
        groups.iter().chain(bars.iter().map(|bars| &bars.name)),
        width,
    );
    let columns = width.saturating_sub(left + 16).max(4);
    let _ = writeln!(out, "{}", cut(&plot.y.text(), width));
    for (number, group) in groups.iter().enumerate().take(ROWS) {
        if bars.len() > 1 {
            let _ = writeln!(out, "{}", cut(group, width));
        }
        // The bars of one series are told apart by their groups.
        let is_single = bars.len() == 1 && groups.len() > 1;
        for bars in bars {
            let name = if !is_single && bars_are_named(bars, group) {
                &bars.name
            } else {
                group
            };
            let name = cut(name, left);
            match bars.values.get(number).copied().flatten() {
                Some(value) => {
                    // One more than columns, since a bar of no length is a place too.
                    let long = place(value.abs(), (0.0, most), columns + 1);
                    let mark = if value < 0.0 { "-" } else { "=" };
                    let shown = short(value);
                    let _ = writeln!(out, "{name:left$} {shown:>10} |{}", mark.repeat(long));
                }
                None => {
                    let _ = writeln!(out, "{name:left$} {:>10} |", "–");
                }
            }
        }
    }
    rest(out, groups.len());
}

/// Whether a bar is told apart by its own name; a single one is told apart by its group.
fn bars_are_named(bars: &Bars, group: &str) -> bool {
    bars.name != group && !group.is_empty() && !bars.name.is_empty()
}

fn rest(out: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = writeln!(out, "and {} more", rows - ROWS);
    }
}

fn span_rows(out: &mut String, plot: &Plot, rows: &[SpanRow], width: usize) {
    let every = || rows.iter().flat_map(|row| &row.spans);
    let Some(x) = bounds(every().flat_map(|span| [span.from, span.to])) else {
        return;
    };
    let left = names_room(rows.iter().map(|row| &row.name), width);
    let columns = width - left - 3;
    let one_by_one = every().all(|span| span.value <= 1.0);
    for row in rows.iter().take(ROWS) {
        let mut line = vec![' '; columns];
        for span in &row.spans {
            let from = place(span.from, x, columns + 1);
            // At least one column: a short span must not vanish.
            let to = place(span.to, x, columns + 1).max(from + 1);
            for cell in line.iter_mut().take(to).skip(from) {
                *cell = mark(span.value, span.failed, one_by_one);
            }
        }
        let line: String = line.into_iter().collect();
        let _ = writeln!(out, "{:left$} |{line}|", cut(&row.name, left));
    }
    rest(out, rows.len());
    axis(out, plot, left, x, columns);
    let about = if one_by_one {
        "# one, ! refused".to_owned()
    } else {
        format!("digits: {} (+ for ten and more), . for none", plot.y.label)
    };
    let _ = writeln!(out, "{}", cut(&about, width));
}

fn mark(value: f64, failed: bool, one_by_one: bool) -> char {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small count; casts saturate"
    )]
    let digit = value.round().max(1.0) as u32;
    match value {
        _ if failed => '!',
        _ if value <= 0.0 => '.',
        _ if one_by_one => '#',
        _ => char::from_digit(digit, 10).unwrap_or('+'),
    }
}

fn cell_rows(
    out: &mut String,
    plot: &Plot,
    rows: &[String],
    cells: &[Cell],
    kinds: &[String],
    width: usize,
) {
    let left = names_room(rows.iter(), width);
    let wide = cells.iter().map(|cell| cell.column + 1).max().unwrap_or(0);
    // One column for each and none left out in between; those at the end are counted below.
    let columns = wide.min(width.saturating_sub(left + 3));
    // From 0, as in a drawing: the palest shade is an amount near nothing and not the least one there is.
    let most = cells.iter().map(|cell| cell.value).fold(0.0, f64::max);
    for (number, name) in rows.iter().enumerate().take(ROWS) {
        let mut line = vec![' '; columns];
        for cell in cells.iter().filter(|cell| cell.row == number) {
            let shade = [' ', '.', ':', '+', '#'];
            let kind = || {
                // As far as there are kinds: a value that is none would be looked for without an end.
                let mut all = (0_u32..).map(f64::from).zip(marks()).take(kinds.len());
                let found = all.find(|(kind, _)| *kind == cell.value);
                found.map_or('?', |(_, mark)| mark)
            };
            let mark = if kinds.is_empty() {
                let level = place(cell.value, (0.0, most), shade.len());
                shade.get(level).copied().unwrap_or(' ')
            } else {
                kind()
            };
            if let Some(slot) = line.get_mut(cell.column) {
                *slot = mark;
            }
        }
        let line: String = line.into_iter().collect();
        let _ = writeln!(out, "{:>left$} |{line}|", cut(name, left));
    }
    rest(out, rows.len());
    if wide > columns {
        let _ = writeln!(out, "and {} more columns", wide - columns);
    }
    let axes = format!("{} by {}", plot.y.text(), plot.x.text());
    let _ = writeln!(out, "{}", cut(&axes, width));
    legend(out, kinds.iter(), width);
}
