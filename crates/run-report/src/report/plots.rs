//! The plots of agents: means with intervals, distributions, scores by preset.

use super::collect::AgentData;
use crate::compare::{AgentLevels, LevelComparison, LevelRun};
use crate::picture::not_drawn;
use pictures::{Picture, as_picture};
use run_engine::error::RunError;
use sim_core::Plot;
use sim_core::plot::{Axis, RangeGroup, RangeRow, Series, SeriesRole, Shape};
use sim_core::stats::{mean, quantile};

/// Most agents of a plot; the table has all of them.
const MOST: usize = 60;
/// Share of the width of a preset over which the points of all agents spread.
const SPREAD: f64 = 0.8;

/// `plot` as a figure of the page; `None` if there is nothing to draw.
///
/// # Errors
/// When it cannot be drawn.
pub(super) fn drawn(plot: &Plot) -> Result<Option<Picture>, RunError> {
    as_picture(plot).map_err(not_drawn)
}

/// References that every plot of scores shows, with their names.
fn references(data: &[AgentData]) -> Vec<(SeriesRole, &'static str, f64)> {
    let first = data.first().map(|d| &d.content.summary.reference);
    let lines = first.map(|r| {
        // A bound beside an optimum would be a second line for a weaker statement.
        let bound = r.bound.filter(|_| r.optimum.is_none());
        [
            (SeriesRole::Optimum, "optimum", r.optimum),
            (SeriesRole::Optimum, "bound", bound),
            (SeriesRole::Limit, "own info", r.own_information),
            (SeriesRole::Baseline, "baseline", r.baseline),
        ]
    });
    let known = |(role, name, value): (_, _, Option<f64>)| Some((role, name, value?));
    lines.into_iter().flatten().filter_map(known).collect()
}

/// Mean and 95 % interval of every agent, with optimum (or bound) and baseline.
pub(super) fn intervals(data: &[AgentData], unit: &str) -> Result<Option<Picture>, RunError> {
    of_agents(data, "Mean score and its 95 % interval", unit, |d| {
        let score = &d.content.summary.score;
        Some(of_mean(score.mean?, score.ci95))
    })
}

/// Quartiles and extremes of every agent.
pub(super) fn distributions(data: &[AgentData], unit: &str) -> Result<Option<Picture>, RunError> {
    if data.iter().all(|d| d.values.len() < 2) {
        return Ok(None);
    }
    let caption = "Scores of single episodes: min, lower quartile, median, upper quartile, max";
    of_agents(data, caption, unit, |d| {
        // Sorted once: sorting sorted values again takes no time.
        let mut sorted = d.values.clone();
        sorted.sort_by(f64::total_cmp);
        let q = |p| quantile(&sorted, p);
        Some(RangeRow {
            whole: Some([q(0.0)?, q(1.0)?]),
            inner: Some([q(0.25)?, q(0.75)?]),
            value: q(0.5),
            ..RangeRow::default()
        })
    })
}

/// A row with a mean and its interval.
pub(super) fn of_mean(mean: f64, ci95: Option<[f64; 2]>) -> RangeRow {
    RangeRow {
        value: Some(mean),
        inner: ci95,
        ..RangeRow::default()
    }
}

fn of_agents(
    data: &[AgentData],
    caption: &str,
    unit: &str,
    row: impl Fn(&AgentData) -> Option<RangeRow>,
) -> Result<Option<Picture>, RunError> {
    let rows = data.iter().enumerate().map(|(colour, d)| RangeRow {
        name: d.content.summary.agent.clone(),
        colour,
        ..row(d).unwrap_or_default()
    });
    let levels = references(data).into_iter();
    let levels = levels.map(|(role, name, value)| Series::of(role, name, [(value, 0.0)]));
    ranges(
        rows.collect(),
        caption,
        Axis::new("score", unit),
        levels.collect(),
    )
}

/// Draws the first rows, and lines of reference at the positions of `levels`.
///
/// # Errors
/// When they cannot be drawn.
pub(super) fn ranges(
    mut rows: Vec<RangeRow>,
    caption: &str,
    score: Axis,
    levels: Vec<Series>,
) -> Result<Option<Picture>, RunError> {
    rows.truncate(MOST);
    let groups = vec![RangeGroup {
        name: String::new(),
        rows,
    }];
    let shape = Shape::Ranges { groups, levels };
    drawn(&Plot::new("ranges", caption, Axis::default(), score, shape))
}

/// A value of a run; runs without it have no point.
type RunValue<'a> = &'a dyn Fn(&LevelRun) -> Option<f64>;

/// Scores and exploration rates of single episodes by preset, as in Figure 2 of "Benchmarks for LLM
/// agents in unknown markets": one point for every episode. A dashed line joins the means of an agent.
/// The exploration rate is left out where the environment has none.
///
/// # Errors
/// When it cannot be drawn.
pub fn level_figure(comparison: &LevelComparison) -> Result<String, RunError> {
    let measures: [(&str, RunValue<'_>); 2] = [
        (comparison.measure, &|run| Some(run.value)),
        ("exploration rate", &|run| run.exploration_rate),
    ];
    let plots = measures.map(|(title, value)| {
        let agents = comparison.agents.iter().enumerate();
        let series = agents.flat_map(|(place, agent)| of_levels(comparison, place, agent, value));
        let shape = Shape::Lines {
            series: series.collect(),
        };
        let presets = Axis::named("preset", comparison.presets.clone());
        Plot::new(title, title, presets, Axis::new(title, ""), shape)
    });
    // The program knows its own figures by this title.
    let file = pictures::as_file("Boardroom scores by preset", &plots).map_err(not_drawn)?;
    file.ok_or_else(|| RunError::usage("there is no score to draw"))
}

/// The points of an agent, and its means.
fn of_levels(
    comparison: &LevelComparison,
    place: usize,
    agent: &AgentLevels,
    value: RunValue<'_>,
) -> [Series; 2] {
    let width = SPREAD / coordinate(comparison.agents.len().max(1));
    let (mut points, mut means) = (Vec::new(), Vec::new());
    for level in &agent.levels {
        let mut presets = comparison.presets.iter();
        let Some(at) = presets.position(|name| *name == level.preset) else {
            continue;
        };
        let left = coordinate(at) - SPREAD / 2.0 + width * coordinate(place);
        let values: Vec<f64> = level.runs.iter().filter_map(value).collect();
        points.extend(values.iter().enumerate().map(|(number, value)| {
            // Side by side in an order that spreads neighbours: fractions of the golden ratio.
            let aside = (0.618_034 * coordinate(number + 1)).fract();
            // A margin at both sides of an agent's width keeps the points of neighbours apart.
            (left + width * (0.15 + 0.7 * aside), *value)
        }));
        means.extend(mean(&values).map(|mean| (left + width / 2.0, mean)));
    }
    [
        Series::own(agent.agent.clone(), points).apart(),
        Series::of(
            SeriesRole::Baseline,
            format!("{}, mean", agent.agent),
            means,
        ),
    ]
}

/// A count as a coordinate.
fn coordinate(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
