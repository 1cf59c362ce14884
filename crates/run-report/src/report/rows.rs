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
    rows(data, "Mean score and its 95 % interval", |d| {
        let score = &d.summary.score;
        Some(Row::of_mean(score.mean?, score.ci95))
    })
}

/// Quartiles and extremes of every agent.
pub(super) fn distributions(data: &[PoolData]) -> Result<Option<Plot>, RunError> {
    if data.iter().all(|d| d.values.len() < 2) {
        return Ok(None);
    }
    let caption = "Scores of single episodes: min, lower quartile, median, upper quartile, max";
    rows(data, caption, |d| {
        // Sorted once: sorting sorted values again takes no time.
        let mut sorted = d.values.clone();
        sorted.sort_by(f64::total_cmp);
        let q = |p| quantile(&sorted, p);
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    at: f64,
}

impl Row {
    /// A mean with its interval.
    pub(super) fn of_mean(mean: f64, ci95: Option<[f64; 2]>) -> Self {
        let [low, high] = ci95.unwrap_or([mean, mean]);
        Self {
            low,
            high,
            from: low,
            to: high,
            at: mean,
        }
    }
}

/// A row that is to be drawn.
pub(super) struct NamedRow {
    /// Its name; empty where the row above has the name.
    pub(super) name: String,
    /// Number of its colour.
    pub(super) colour: usize,
    /// What is drawn; nothing where nothing is known.
    pub(super) row: Option<Row>,
}

fn rows(
    data: &[PoolData],
    caption: &str,
    row: impl Fn(&PoolData) -> Option<Row>,
) -> Result<Option<Plot>, RunError> {
    let drawn = data.iter().enumerate().map(|(colour, d)| NamedRow {
        name: d.summary.agent.clone(),
        colour,
        row: row(d),
    });
    draw(drawn.collect(), caption, &references(data)).map(Some)
}

/// Draws the first rows, and `lines` of reference through all of them.
///
/// # Errors
/// When they cannot be drawn.
pub(super) fn draw(
    mut drawn: Vec<NamedRow>,
    caption: &str,
    lines: &[(f64, &'static str, RGBColor)],
) -> Result<Plot, RunError> {
    drawn.truncate(MOST as usize);
    for row in &mut drawn {
        row.name = short(&row.name);
    }
    let count = u32::try_from(drawn.len()).unwrap_or(MOST).max(1);
    let ends = drawn.iter().filter_map(|row| row.row.as_ref());
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
            .y_label_area_size(room(drawn.iter().map(|row| &row.name)))
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
            let row = drawn.get(place).filter(|_| middle);
            row.map_or_else(String::new, |row| row.name.clone())
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
        for (value, _, colour) in lines {
            let ends = vec![(*value, 0.0), (*value, f64::from(count))];
            let line = PathElement::new(ends, colour.stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
        }
        for (place, named) in drawn.iter().enumerate() {
            let y = f64::from(count) - f64::from(u32::try_from(place).unwrap_or(0)) - 0.5;
            let Some(row) = named.row.filter(|row| row.at.is_finite()) else {
                continue;
            };
            let c = colour(named.colour);
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
    Ok(Plot {
        caption: caption.to_owned(),
        svg,
        keys: Vec::new(),
    })
}
