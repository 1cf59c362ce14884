//! The plots, as SVG text.

use super::collect::RunData;
use crate::error::RunError;
use plotters::prelude::*;
use sim_core::stats::quantile;

/// Width of every plot (px).
const WIDTH: u32 = 760;
/// Height of a row of an agent (px).
const ROW: u32 = 34;
/// Height of axes and margins (px).
const FRAME: u32 = 80;

/// Colours that differ in brightness as well, so that they can be told apart in print.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 90, 160),
    RGBColor(200, 80, 0),
    RGBColor(0, 130, 90),
    RGBColor(170, 40, 110),
    RGBColor(90, 90, 90),
    RGBColor(220, 150, 0),
    RGBColor(90, 170, 220),
    RGBColor(120, 60, 20),
];

fn colour(place: usize) -> RGBColor {
    COLOURS.iter().copied().cycle().nth(place).unwrap_or(BLACK)
}

fn failed<E: std::fmt::Display>(error: E) -> RunError {
    RunError::Failed(format!("a plot could not be drawn: {error}"))
}

/// The least and the greatest of `values` with a margin, never an empty range.
fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
    if low > high {
        return 0.0..1.0;
    }
    let margin = ((high - low) * 0.05)
        .max(high.abs().max(low.abs()) * 1e-6)
        .max(1e-9);
    low - margin..high + margin
}

/// References that every plot of scores shows, with their names.
fn references(data: &[RunData]) -> Vec<(f64, &'static str, RGBColor)> {
    let first = data.first().map(|d| &d.summary.reference);
    let lines = first.map(|r| {
        let bound = r.bound.filter(|_| r.optimum.is_none());
        [
            (r.optimum, "optimum", RGBColor(0, 120, 40)),
            (bound, "bound", RGBColor(0, 120, 40)),
            (r.baseline, "baseline", RGBColor(150, 150, 150)),
        ]
    });
    lines
        .into_iter()
        .flatten()
        .filter_map(|(value, name, colour)| value.map(|value| (value, name, colour)))
        .collect()
}

/// Mean and 95 % interval of every agent, with optimum (or bound) and baseline.
pub(super) fn intervals(data: &[RunData]) -> Result<String, RunError> {
    let spread = |d: &RunData| {
        let score = &d.summary.score;
        score.ci95.or(score.mean.map(|mean| [mean, mean]))
    };
    rows(data, "mean and 95 % interval", spread, |d| {
        let [low, high] = spread(d).unwrap_or([f64::NAN; 2]);
        let mean = d.summary.score.mean.unwrap_or(f64::NAN);
        Row {
            low,
            high,
            from: low,
            to: high,
            at: mean,
        }
    })
}

/// Quartiles and extremes of every agent.
pub(super) fn distributions(data: &[RunData]) -> Result<String, RunError> {
    let ends = |d: &RunData| {
        d.summary
            .score
            .min
            .zip(d.summary.score.max)
            .map(|(a, b)| [a, b])
    };
    rows(data, "least, quartiles, median and most", ends, |d| {
        let q = |p| quantile(&d.values, p).unwrap_or(f64::NAN);
        Row {
            low: q(0.0),
            high: q(1.0),
            from: q(0.25),
            to: q(0.75),
            at: q(0.5),
        }
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
    data: &[RunData],
    caption: &str,
    ends: impl Fn(&RunData) -> Option<[f64; 2]>,
    row: impl Fn(&RunData) -> Row,
) -> Result<String, RunError> {
    let lines = references(data);
    let shown = data.iter().filter_map(ends).flatten();
    let x = range(shown.chain(lines.iter().map(|(value, ..)| *value)));
    let count = u32::try_from(data.len()).unwrap_or(u32::MAX).clamp(1, 60);
    let names: Vec<String> = data.iter().map(|d| d.summary.agent.clone()).collect();
    let mut text = String::new();
    {
        let root =
            SVGBackend::with_string(&mut text, (WIDTH, FRAME + ROW * count)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .caption(caption, ("sans-serif", 15))
            .margin(8)
            .x_label_area_size(28)
            .y_label_area_size(150)
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
            if middle {
                names.get(place).cloned().unwrap_or_default()
            } else {
                String::new()
            }
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(2 * data.len() + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|x| crate::summary::number((x * 1e4).round() / 1e4))
            .x_labels(6)
            .light_line_style(WHITE)
            .draw()
            .map_err(failed)?;
        for (value, _, colour) in &lines {
            let line = PathElement::new(
                vec![(*value, 0.0), (*value, f64::from(count))],
                colour.stroke_width(2),
            );
            chart.draw_series([line]).map_err(failed)?;
        }
        for (place, d) in data.iter().enumerate().take(count as usize) {
            let y = f64::from(count) - f64::from(u32::try_from(place).unwrap_or(0)) - 0.5;
            let Row {
                low,
                high,
                from,
                to,
                at,
            } = row(d);
            if !at.is_finite() {
                continue;
            }
            let c = colour(place);
            let line = |a, b, width| PathElement::new(vec![(a, y), (b, y)], c.stroke_width(width));
            chart
                .draw_series([line(low, high, 2), line(from, to, 7)])
                .map_err(failed)?;
            let mark = Circle::new((at, y), 5, WHITE.filled());
            chart.draw_series([mark]).map_err(failed)?;
            chart
                .draw_series([Circle::new((at, y), 5, c.stroke_width(2))])
                .map_err(failed)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(text)
}

/// Mean score so far after each period.
pub(super) fn curves(data: &[RunData]) -> Result<String, RunError> {
    let longest = data.iter().map(|d| d.curve.len()).max().unwrap_or(0);
    if longest < 2 {
        return Ok(String::new());
    }
    let y = range(data.iter().flat_map(|d| d.curve.iter().copied()));
    let unit = data.first().map_or("period", |d| d.period_unit.as_str());
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, 340)).into_drawing_area();
        let end = u32::try_from(longest).unwrap_or(u32::MAX);
        let mut chart = ChartBuilder::on(&root)
            .caption(format!("mean score so far, by {unit}"), ("sans-serif", 15))
            .margin(8)
            .x_label_area_size(28)
            .y_label_area_size(90)
            .build_cartesian_2d(1.0..f64::from(end), y)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .y_label_formatter(&|y| crate::summary::number((y * 1e4).round() / 1e4))
            .draw()
            .map_err(failed)?;
        for (place, d) in data.iter().enumerate() {
            let points = (1_u32..).map(f64::from).zip(d.curve.iter().copied());
            let c = colour(place);
            chart
                .draw_series(LineSeries::new(points, c.stroke_width(2)))
                .map_err(failed)?
                .label(&d.summary.agent)
                .legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + 18, y)], c.stroke_width(2))
                });
        }
        chart
            .configure_series_labels()
            .border_style(BLACK.mix(0.3))
            .background_style(WHITE.mix(0.8))
            .draw()
            .map_err(failed)?;
        root.present().map_err(failed)?;
    }
    Ok(text)
}
