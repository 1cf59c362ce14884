//! Plots with one row an agent: means with intervals, and distributions.

use super::collect::PoolData;
use super::plot::{LETTERS, Plot, WIDTH, colour, failed, figure, range, references, room, short};
use plotters::prelude::*;
use run_engine::error::RunError;
use sim_core::stats::quantile;

/// Height of a row (px).
const ROW: u32 = 34;
/// Height of axis and margins (px).
const FRAME: u32 = 52;
/// Most agents of a plot; the table has all of them.
const MOST: u32 = 60;

/// Mean and 95 % interval of every agent, with optimum (or bound) and baseline.
pub(super) fn intervals(data: &[PoolData]) -> Result<Option<Plot>, RunError> {
    let spread = |d: &PoolData| {
        let score = &d.summary.score;
        score.ci95.or(score.mean.map(|mean| [mean, mean]))
    };
    rows(data, "Mean score and its 95 % interval", |d| {
        let [low, high] = spread(d)?;
        Some(Row {
            low,
            high,
            from: low,
            to: high,
            at: d.summary.score.mean?,
        })
    })
}

/// Quartiles and extremes of every agent.
pub(super) fn distributions(data: &[PoolData]) -> Result<Option<Plot>, RunError> {
    if data.iter().all(|d| d.values.len() < 2) {
        return Ok(None);
    }
    let caption = "Scores of single episodes: min, lower quartile, median, upper quartile, max";
    rows(data, caption, |d| {
        let q = |p| quantile(&d.values, p);
        Some(Row {
            low: q(0.0)?,
            high: q(1.0)?,
            from: q(0.25)?,
            to: q(0.75)?,
            at: q(0.5)?,
        })
    })
}

/// One agent in a plot of rows: a thin line, a thick one on it, and a mark.
struct Row {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    at: f64,
}

fn rows(
    data: &[PoolData],
    caption: &str,
    row: impl Fn(&PoolData) -> Option<Row>,
) -> Result<Option<Plot>, RunError> {
    let lines = references(data);
    let count = u32::try_from(data.len()).unwrap_or(u32::MAX).clamp(1, MOST);
    let drawn: Vec<(String, Option<Row>)> = data
        .iter()
        .take(count as usize)
        .map(|d| (short(&d.summary.agent), row(d)))
        .collect();
    let ends = drawn.iter().filter_map(|(_, row)| row.as_ref());
    let ends = ends.flat_map(|row| [row.low, row.high]);
    let x = range(ends.chain(lines.iter().map(|(value, ..)| *value)));
    let mut svg = String::new();
    {
        let size = (WIDTH, FRAME + ROW * count);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(6)
            .margin_right(24)
            .x_label_area_size(28)
            .y_label_area_size(room(drawn.iter().map(|(name, _)| name)))
            .build_cartesian_2d(x, 0.0..f64::from(count))
            .map_err(failed)?;
        let name = |y: &f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a row number; casts saturate"
            )]
            let place = (f64::from(count) - y).floor() as usize;
            let middle = (y.fract() - 0.5).abs() < 0.01;
            let name = drawn.get(place).filter(|_| middle);
            name.map_or_else(String::new, |(name, _)| name.clone())
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(2 * count as usize + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|x| figure(*x))
            .x_labels(6)
            .x_max_light_lines(0)
            .label_style(("sans-serif", LETTERS))
            .draw()
            .map_err(failed)?;
        for (value, _, colour) in &lines {
            let ends = vec![(*value, 0.0), (*value, f64::from(count))];
            let line = PathElement::new(ends, colour.stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
        }
        for (place, (_, row)) in drawn.iter().enumerate() {
            let y = f64::from(count) - f64::from(u32::try_from(place).unwrap_or(0)) - 0.5;
            let Some(row) = row.as_ref().filter(|row| row.at.is_finite()) else {
                continue;
            };
            let c = colour(place);
            let line = |a, b, width| PathElement::new(vec![(a, y), (b, y)], c.stroke_width(width));
            chart
                .draw_series([line(row.low, row.high, 2), line(row.from, row.to, 7)])
                .map_err(failed)?;
            for style in [WHITE.filled(), c.stroke_width(2)] {
                let mark = Circle::new((row.at, y), 5, style);
                chart.draw_series([mark]).map_err(failed)?;
            }
        }
        root.present().map_err(failed)?;
    }
    Ok(Some(Plot {
        caption: caption.to_owned(),
        svg,
        keys: Vec::new(),
    }))
}
