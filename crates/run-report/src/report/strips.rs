//! Scores and exploration rates of single episodes by preset, as in Figure 2 of "Benchmarks for LLM
//! agents in unknown markets".

use super::plot::{LETTERS, colour, failed, figure, range, short};
use crate::compare::{AgentLevels, LevelComparison, LevelRun};
use plotters::coord::Shift;
use plotters::prelude::*;
use run_engine::error::RunError;

/// Size of the figure (px); every agent adds a line to its legend.
const SIZE: (u32, u32) = (960, 380);
/// Height of a line of the legend (px).
const LINE: u32 = 20;
/// Share of the width of a preset over which the points of all agents spread.
const SPREAD: f64 = 0.8;

/// A value of a run; runs without it have no point.
type RunValue<'a> = &'a dyn Fn(&LevelRun) -> Option<f64>;

/// One point for every episode: the measure on the left and, where the environment has it, the
/// exploration rate on the right. A bar is the mean of an agent on a preset.
///
/// # Errors
/// When it cannot be drawn.
pub fn level_figure(comparison: &LevelComparison) -> Result<String, RunError> {
    let rate = |run: &LevelRun| run.exploration_rate;
    let runs = |agent: &AgentLevels| -> Vec<LevelRun> {
        agent
            .levels
            .iter()
            .flat_map(|level| level.runs.clone())
            .collect()
    };
    let explored = comparison
        .agents
        .iter()
        .any(|agent| runs(agent).iter().any(|run| rate(run).is_some()));
    let agents = u32::try_from(comparison.agents.len()).unwrap_or(u32::MAX);
    let legend = LINE.saturating_mul(agents);
    let mut svg = String::new();
    {
        let size = (SIZE.0, SIZE.1.saturating_add(legend));
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let (plots, names) = root.split_vertically(SIZE.1);
        let panels = plots.split_evenly((1, if explored { 2 } else { 1 }));
        let measures: [(&str, RunValue<'_>); 2] = [
            (comparison.measure, &|run| Some(run.value)),
            ("exploration rate", &rate),
        ];
        for (panel, (title, value)) in panels.iter().zip(measures) {
            draw(panel, comparison, title, value)?;
        }
        for (place, agent) in comparison.agents.iter().enumerate() {
            let y = i32::try_from(LINE.saturating_mul(u32::try_from(place).unwrap_or(u32::MAX)))
                .unwrap_or(i32::MAX)
                .saturating_add(4);
            let dot = Circle::new((24, y + 6), 5, colour(place).filled());
            names.draw(&dot).map_err(failed)?;
            let text = Text::new(
                short(&agent.agent),
                (36, y),
                ("sans-serif", LETTERS).into_font(),
            );
            names.draw(&text).map_err(failed)?;
        }
        root.present().map_err(failed)?;
    }
    // Screen readers read it, and the program knows its own figures by it.
    Ok(svg.replacen('>', ">\n<title>Boardroom scores by preset</title>", 1))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(
    panel: &Area<'_>,
    comparison: &LevelComparison,
    title: &str,
    value: RunValue<'_>,
) -> Result<(), RunError> {
    let agents = comparison.agents.iter();
    let runs = agents.flat_map(|agent| agent.levels.iter().flat_map(|level| &level.runs));
    let y = range(runs.filter_map(value));
    let presets = small(comparison.presets.len());
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", LETTERS))
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..presets, y)
        .map_err(failed)?;
    let name = |x: &f64| {
        let middle = (x.fract() - 0.5).abs() < 0.01;
        let at = comparison.presets.iter().zip(0..);
        let here = at.filter(|(_, place)| middle && (f64::from(*place) + 0.5 - x).abs() < 0.1);
        here.map(|(preset, _): (&String, i32)| preset.clone())
            .next()
            .unwrap_or_default()
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * comparison.presets.len() + 1)
        .x_label_formatter(&name)
        .y_label_formatter(&|y| figure(*y))
        .y_labels(6)
        .max_light_lines(0)
        .label_style(("sans-serif", LETTERS))
        .draw()
        .map_err(failed)?;
    let width = SPREAD / small(comparison.agents.len().max(1));
    for (place, agent) in comparison.agents.iter().enumerate() {
        let colour = colour(place);
        for level in &agent.levels {
            let Some(at) = comparison
                .presets
                .iter()
                .position(|name| *name == level.preset)
            else {
                continue;
            };
            let left = small(at) + (1.0 - SPREAD) / 2.0 + width * small(place);
            let values: Vec<f64> = level.runs.iter().filter_map(value).collect();
            let points = values.iter().enumerate().map(|(number, value)| {
                // Side by side in an order that spreads neighbours: fractions of the golden ratio.
                let aside = (0.618_034 * small(number + 1)).fract();
                let x = left + width * (0.15 + 0.7 * aside);
                Circle::new((x, *value), 3, colour.mix(0.6).filled())
            });
            chart.draw_series(points).map_err(failed)?;
            if let Some(mean) = sim_core::stats::mean(&values) {
                let ends = vec![(left + 0.1 * width, mean), (left + 0.9 * width, mean)];
                let bar = PathElement::new(ends, colour.stroke_width(3));
                chart.draw_series([bar]).map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// A count as a coordinate.
fn small(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
