//! The learning curves: mean score so far after each period, every line named at its end.

use super::collect::PoolData;
use super::plot::{LETTERS, Plot, WIDTH, colour, failed, figure, range, references, room, short};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use run_engine::error::RunError;

/// Height of the plot (px), at least.
const HEIGHT: u32 = 320;
/// Height of a name at the end of a line (px).
const NAME: i32 = 16;

/// Mean score so far after each period, with optimum (or bound) and baseline.
pub(super) fn curves(data: &[PoolData]) -> Result<Option<Plot>, RunError> {
    let ends_at = |d: &PoolData| d.curve.last().map_or(0, |(period, _)| *period);
    let longest = data.iter().map(ends_at).max().unwrap_or(0);
    if longest < 2 {
        return Ok(None);
    }
    let lines = references(data);
    let values = data
        .iter()
        .flat_map(|d| d.curve.iter().map(|(_, value)| *value));
    let y = range(values.chain(lines.iter().map(|(value, ..)| *value)));
    let unit = data.first().map_or("period", |d| d.period_unit.as_str());
    let replayed = data.iter().map(|d| d.replayed).max().unwrap_or(0);
    let names = ends(data, &lines);
    let wanted = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let height = HEIGHT.max(
        wanted
            .saturating_mul(NAME.unsigned_abs())
            .saturating_add(50),
    );
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let end = f64::from(longest);
        let mut chart = ChartBuilder::on(&root)
            .margin(6)
            .margin_right(room(names.iter().map(|(name, ..)| name)) + 8)
            .x_label_area_size(28)
            .y_label_area_size(80)
            .build_cartesian_2d(1.0..end, y)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|x| figure(x.round()))
            .y_label_formatter(&|y| figure(*y))
            .label_style(("sans-serif", LETTERS))
            .draw()
            .map_err(failed)?;
        for (value, _, colour) in &lines {
            let ends = vec![(1.0, *value), (end, *value)];
            let line = PathElement::new(ends, colour.stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
        }
        for (place, d) in data.iter().enumerate() {
            let points = d.curve.iter().map(|(x, y)| (f64::from(*x), *y));
            let line = LineSeries::new(points, colour(place).stroke_width(2));
            chart.draw_series(line).map_err(failed)?;
        }
        // Names stand where their lines end, pushed apart where they would overlap.
        let at = |value: f64| chart.backend_coord(&(end, value));
        let wanted: Vec<i32> = names.iter().map(|(_, value, _)| at(*value).1).collect();
        let most = i32::try_from(height).unwrap_or(i32::MAX) - 40;
        for ((name, value, colour), y) in names.iter().zip(spread(&wanted, most)) {
            let style = ("sans-serif", LETTERS).into_font().color(colour);
            let style = style.pos(Pos::new(HPos::Left, VPos::Center));
            let text = Text::new(name.clone(), (at(*value).0 + 6, y), style);
            root.draw(&text).map_err(failed)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(Some(Plot {
        caption: format!(
            "Mean score so far, by {unit} ({replayed} episodes at most, played again)"
        ),
        svg,
        keys: Vec::new(),
    }))
}

/// Names with the value at which their lines end, from the top.
fn ends(data: &[PoolData], lines: &[(f64, &str, RGBColor)]) -> Vec<(String, f64, RGBColor)> {
    let agents = data.iter().enumerate().filter_map(|(place, d)| {
        let (_, last) = *d.curve.last()?;
        Some((short(&d.summary.agent), last, colour(place)))
    });
    let lines = lines
        .iter()
        .map(|(value, name, c)| ((*name).to_owned(), *value, *c));
    let mut all: Vec<_> = agents.chain(lines).collect();
    all.sort_by(|(_, a, _), (_, b, _)| b.total_cmp(a));
    all
}

/// Heights near the `wanted` ones (sorted downwards, px from the top), a name apart and above
/// `most` where there is room.
fn spread(wanted: &[i32], most: i32) -> Vec<i32> {
    let mut placed: Vec<i32> = Vec::new();
    for &y in wanted {
        let least = placed.last().map_or(NAME / 2, |above| above + NAME);
        placed.push(y.max(least));
    }
    let mut below = most + NAME;
    for y in placed.iter_mut().rev() {
        *y = (*y).min(below - NAME);
        below = *y;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_pushed_apart() {
        assert_eq!(spread(&[20, 22, 24, 200], 280), [20, 36, 52, 200]);
        assert_eq!(spread(&[270, 278, 279], 280), [248, 264, 280]);
        assert!(spread(&[], 280).is_empty());
    }
}
