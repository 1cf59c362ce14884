//! Plots of agents against what they cost, and over their episodes.

use super::collect::AgentData;
use super::plots::drawn;
use crate::questions::plots::RUBRIC;
use pictures::Picture;
use run_engine::error::RunError;
use sim_core::Plot;
use sim_core::plot::{Axis, Series, SeriesRole};

/// Fewest episodes of an agent over which a learning curve is drawn.
const FEWEST: usize = 10;

/// Most points of a learning curve.
const POINTS: usize = 200;

/// A value of the runs of an agent.
type PoolValue<'a> = &'a dyn Fn(&AgentData) -> f64;

/// Mean score of every agent against what an episode cost, in dollars and in tokens; none where no
/// model was asked.
pub(super) fn against_cost(data: &[AgentData], unit: &str) -> Result<Vec<Picture>, RunError> {
    let per_episode = |run: &AgentData, spent: f64| {
        let episodes = u32::try_from(run.values.len().max(1)).unwrap_or(u32::MAX);
        spent / f64::from(episodes)
    };
    let dollars = |run: &AgentData| per_episode(run, run.content.summary.usage.cost_usd);
    #[expect(clippy::cast_precision_loss, reason = "a plot needs few digits")]
    let tokens = |run: &AgentData| {
        let usage = &run.content.summary.usage;
        per_episode(run, usage.tokens_in.saturating_add(usage.tokens_out) as f64)
    };
    let asked = |run: &&AgentData| run.content.summary.usage.requests > 0;
    if data.iter().filter(asked).count() == 0 {
        return Ok(Vec::new());
    }
    // Without prices every cost is 0, and the plot a single column of points.
    let priced = data
        .iter()
        .any(|run| run.content.summary.usage.cost_usd > 0.0);
    let mut plots = Vec::new();
    let kinds: [(&str, &str, PoolValue<'_>, bool); 2] = [
        ("Mean score against cost", "USD", &dollars, priced),
        ("Mean score against tokens", "tokens", &tokens, true),
    ];
    for (title, of, spent, wanted) in kinds {
        if !wanted {
            continue;
        }
        let x = Axis::new("a record", of);
        let mut plot = Plot::lines("spent", title, x, Axis::new("score", unit));
        for run in data {
            if let Some(mean) = run.content.summary.score.mean {
                let point = Series::own(run.content.summary.agent.clone(), [(spent(run), mean)]);
                // Apart: a line between agents would suggest something in between.
                plot = plot.with(point.apart());
            }
        }
        plots.extend(drawn(&plot)?);
    }
    Ok(plots)
}

/// Mean score so far over the episodes of every agent, in the order in which they are numbered.
pub(super) fn learning(data: &[AgentData], unit: &str) -> Result<Option<Picture>, RunError> {
    let longest = data.iter().map(|run| run.values.len()).max().unwrap_or(0);
    if longest < FEWEST {
        return Ok(None);
    }
    let step = longest.div_ceil(POINTS).max(1);
    let (x, y) = (
        Axis::new("episode", ""),
        Axis::new("mean score so far", unit),
    );
    let mut plot = Plot::lines("learning", "Mean score so far, by episode", x, y);
    for run in data {
        let mut sum = 0.0;
        let so_far = run
            .values
            .iter()
            .zip((1_u32..).map(f64::from))
            .map(|(value, number)| {
                sum += value;
                (number, sum / number)
            });
        let all: Vec<(f64, f64)> = so_far.collect();
        let last = all.len().saturating_sub(1);
        let thin = all.into_iter().enumerate();
        // The last one always: it is the mean that the table shows.
        let thin = thin.filter(|(place, _)| place % step == 0 || *place == last);
        let points = thin.map(|(_, point)| point);
        plot = plot.with(Series::own(run.content.summary.agent.clone(), points));
    }
    drawn(&plot)
}

/// Most agents in a plot of bars.
const MOST_BARS: usize = 6;

/// Mean score of every task of the questions, or of every part of the rubric of the interviews, by
/// agent; none where there is one part only.
pub(super) fn by_part(data: &[AgentData], unit: &str) -> Result<Option<Picture>, RunError> {
    // Tasks have a slash in their names (`finance/FinCode`), other metrics have none.
    let is_part = |name: &str| name.contains('/') || RUBRIC.contains(&name);
    let names = data
        .iter()
        .flat_map(|run| run.content.summary.metrics.keys());
    let parts: std::collections::BTreeSet<&String> = names.filter(|name| is_part(name)).collect();
    if parts.len() < 2 {
        return Ok(None);
    }
    let groups = parts.iter().map(|name| name.replace('_', " ")).collect();
    let (x, y) = (Axis::default(), Axis::new("mean", unit));
    let mut plot = Plot::bars("parts", "Mean of each part", x, y, groups);
    for run in data.iter().take(MOST_BARS) {
        let metrics = &run.content.summary.metrics;
        // A gap and not zero where an agent did not have this part.
        let mean = |name: &&String| metrics.get(*name).map_or(f64::NAN, |metric| metric.mean);
        let agent = run.content.summary.agent.clone();
        plot = plot.bar(SeriesRole::Own, agent, parts.iter().map(mean));
    }
    drawn(&plot)
}
