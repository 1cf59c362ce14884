//! What a comparison needs of a run, whether it holds episodes, interviews or answers.

use crate::error::RunError;
use crate::execute::is_deterministic;
use crate::registry::Registry;
use crate::runs::Run;
use crate::source::Source;
use sim_core::Digest;

/// The scores of one run, with what pairs them.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How the run is called.
    pub name: String,
    /// Who played, with what tells the run from others of the same name.
    pub agent: String,
    /// Scores by what pairs them: the instance, and the number of the attempt at it where only
    /// the agents' own lots differ from attempt to attempt.
    pub values: Vec<((String, u64), f64)>,
    /// Whether neither the instances nor the agent drew lots.
    pub exact: bool,
    /// Digest of the settings that decide the instances.
    pub setting: Option<Digest>,
    /// Seed of the instances, where they are drawn.
    pub seed: Option<u64>,
    /// Episodes that were asked for.
    pub asked: u64,
}

impl Measured {
    /// Reads the scores of a run of episodes.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn of(registry: &Registry, run: &Run) -> Result<Self, RunError> {
        let plan = &run.plan;
        let kind = registry.kind(&plan.environment)?;
        let source = Source::of(kind, plan)?;
        let fixed = source.distinct().is_some();
        let values = run.scan(|record| {
            let header = &record.header;
            let trial = if fixed {
                // Streams meet the same episodes: those are one another's trials.
                header.episode % plan.episodes.max(1)
            } else {
                0
            };
            Ok(((header.instance.to_string(), trial), record.score.value()))
        })?;
        let setting = Digest::of(&(&plan.config, &plan.suite, &plan.instance));
        Ok(Self {
            name: run.name(),
            agent: run.agent(),
            values,
            exact: is_deterministic(kind, plan, &source),
            setting: Some(setting.map_err(|e| RunError::Failed(e.to_string()))?),
            seed: (!fixed).then_some(plan.seed.0),
            asked: plan.total(),
        })
    }

    /// Why this run and another one did not play the same, as far as their plans say.
    #[must_use]
    pub fn why_apart(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.agent, &other.agent);
        let mut why = Vec::new();
        if self.setting != other.setting {
            why.push("their settings differ".to_owned());
        }
        match (self.seed, other.seed) {
            (Some(a), Some(b)) if a != b => {
                why.push(format!("{ours} played seed {a}, {theirs} seed {b}"));
            }
            _ => {}
        }
        if self.asked != other.asked {
            let counted = |n| crate::summary::counted(n, "episode");
            why.push(format!(
                "{ours} was asked for {}, {theirs} for {}",
                counted(self.asked),
                counted(other.asked)
            ));
        }
        for side in [self, other] {
            let missing = side.asked.saturating_sub(side.values.len() as u64);
            if missing > 0 {
                why.push(format!("{missing} of {} have no record", side.agent));
            }
        }
        (!why.is_empty()).then(|| why.join("; "))
    }
}
