//! Scoring stored actions with today's program.

use crate::runs::Run;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::setting::Setting;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::terminal::shown_name;
use run_engine::words::{counted, number};
use serde::Serialize;
use sim_core::EpisodeRecord;
use sim_core::stats::mean;
use std::fmt;

/// Stored scores beside those that today's program gives for the same inputs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rescored {
    /// Environment, preset and agent.
    pub name: String,
    /// Version of the numbers that wrote the records.
    pub stored_version: u32,
    /// Version of the numbers of this program.
    pub present_version: u32,
    /// Episodes.
    pub episodes: usize,
    /// Mean of the stored scores.
    pub stored_mean: Option<f64>,
    /// Mean of today's scores over the episodes that could be scored.
    pub present_mean: Option<f64>,
    /// Episodes whose score has changed.
    pub changed: usize,
    /// Episodes that today's program does not finish with the stored inputs.
    pub unfinished: usize,
}

/// Applies the stored inputs of a run to today's environment.
///
/// # Errors
/// When the folder cannot be read or today's program refuses the configuration.
pub fn rescore(registry: &Registry, run: &Run) -> Result<Rescored, RunError> {
    let plan = &run.plan;
    let spec = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(spec, plan)?;
    let both = run.scan(|record: EpisodeRecord| {
        let mut env = source.case(record.header.episode)?.open()?;
        // Refused inputs are entries too and are refused again, or not: that is what is asked.
        for entry in &record.entries {
            env.apply(&entry.input);
        }
        // A score before the end is that of another, shorter episode.
        let whole = env.is_over();
        let present = env.score().ok().filter(|score| whole && score.is_scored());
        let stored = record.score.is_scored().then(|| record.score.value());
        Ok(stored.map(|stored| (stored, present.map(|score| score.value()))))
    })?;
    let both: Vec<_> = both.into_iter().flatten().collect();
    let versions = (plan.version, spec.version());
    let preset = Setting::shown(registry, plan);
    let name = format!("{} {preset} {}", plan.environment, run.agent());
    Ok(Rescored::of(name, versions, &both))
}

impl Rescored {
    fn of(
        name: String,
        (stored_version, present_version): (u32, u32),
        both: &[(f64, Option<f64>)],
    ) -> Self {
        let stored: Vec<f64> = both.iter().map(|(stored, _)| *stored).collect();
        let present: Vec<f64> = both.iter().filter_map(|(_, present)| *present).collect();
        let differs = |(stored, present): &&(f64, Option<f64>)| {
            // To the last bit: a tolerance would hide that a formula has changed.
            present.is_some_and(|present| present.to_bits() != stored.to_bits())
        };
        Self {
            name,
            stored_version,
            present_version,
            episodes: both.len(),
            stored_mean: mean(&stored),
            present_mean: mean(&present),
            changed: both.iter().filter(differs).count(),
            unfinished: both.iter().filter(|(_, present)| present.is_none()).count(),
        }
    }
}

impl fmt::Display for Rescored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |mean: Option<f64>| mean.map_or_else(|| "none".to_owned(), number);
        let episodes = counted(self.episodes as u64, Plan::UNIT);
        writeln!(f, "{}, {episodes}", shown_name(&self.name))?;
        writeln!(
            f,
            "  stored mean  {:>16}  (version {})",
            show(self.stored_mean),
            self.stored_version
        )?;
        writeln!(
            f,
            "  present mean {:>16}  (version {})",
            show(self.present_mean),
            self.present_version
        )?;
        writeln!(
            f,
            "  changed {}, unfinished {}",
            self.changed, self.unfinished
        )
    }
}
