//! What a comparison needs of a run, whether it holds episodes, interviews or answers.

use super::work::Work;
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
    /// What was done to get a score.
    pub work: Work,
    /// Digest of what decides the instances or items.
    pub setting: Option<Digest>,
    /// Seed of the instances, where they are drawn.
    pub seed: Option<u64>,
    /// How often it was to be done; absent where nobody said (clients of a server play as many
    /// games as they like).
    pub asked: Option<u64>,
    /// How often it was done: what has a record, with a score or without.
    pub records: u64,
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
            work: Work::Episodes,
            records: values.len() as u64,
            values,
            exact: is_deterministic(kind, plan, &source),
            setting: Some(setting.map_err(|e| RunError::Failed(e.to_string()))?),
            seed: (!fixed).then_some(plan.seed.0),
            asked: (plan.agent != "mcp").then(|| plan.total()),
        })
    }

    /// Why this run and another one did not play the same, as far as their plans say.
    #[must_use]
    pub fn why_apart(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.agent, &other.agent);
        let mut why = Vec::new();
        if self.setting != other.setting {
            why.push(format!("their {} differ", self.work.settings()));
        }
        match (self.seed, other.seed) {
            (Some(a), Some(b)) if a != b => {
                why.push(format!("{ours} played seed {a}, {theirs} seed {b}"));
            }
            _ => {}
        }
        let counted = |n| crate::summary::counted(n, self.work.record());
        match (self.asked, other.asked) {
            (Some(a), Some(b)) if a != b => why.push(format!(
                "{ours} was asked for {}, {theirs} for {}",
                counted(a),
                counted(b)
            )),
            (Some(_), Some(_)) => {}
            _ if self.records != other.records => why.push(format!(
                "{ours} has {}, {theirs} {}",
                counted(self.records),
                counted(other.records)
            )),
            _ => {}
        }
        for side in [self, other] {
            let missing = side
                .asked
                .map_or(0, |asked| asked.saturating_sub(side.records));
            let unread = side.records.saturating_sub(side.values.len() as u64);
            for (count, what) in [(missing, "record"), (unread, "score")] {
                if count > 0 {
                    let has = if count == 1 { "has" } else { "have" };
                    let counted = counted(count);
                    why.push(format!("{counted} of {} {has} no {what}", side.agent));
                }
            }
        }
        (!why.is_empty()).then(|| why.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients of a server play as many games as they like: none of them is missing.
    #[test]
    fn games_of_clients_are_not_missing() {
        let side = |agent: &str, asked: Option<u64>, records: u64| Measured {
            name: agent.to_owned(),
            agent: agent.to_owned(),
            work: Work::Episodes,
            values: (0..records).map(|k| ((k.to_string(), 0), 1.0)).collect(),
            exact: false,
            setting: None,
            seed: Some(1),
            asked,
            records,
        };
        let policy = side("sterman", Some(10), 9);
        let why = side("mcp", None, 2).why_apart(&policy).unwrap();
        assert_eq!(
            why,
            "mcp has 2 episodes, sterman 9 episodes; 1 episode of sterman has no record"
        );
        let why = policy.why_apart(&side("random", Some(20), 20)).unwrap();
        assert!(why.starts_with("sterman was asked for 10 episodes, random for 20 episodes"));
    }
}
