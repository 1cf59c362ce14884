//! The same agents on several presets of one environment: is a later preset harder?

use super::measured::{Met, observed};
use crate::runs::Pool;
use run_engine::engine::summary::{BestReached, Observation, RowReference, raise, ratio_metrics};
use run_engine::error::RunError;
use run_engine::plan::cast::is_oracle;
use run_engine::plan::setting::Setting;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::terminal::shown_name;
use run_engine::words::{counted, direction, fine, mark, number};
use serde::Serialize;
use sim_core::stats::{WelchTest, mean, sd, welch_test};
use sim_core::{EpisodeRecord, Sense};
use std::collections::BTreeMap;
use std::fmt;

/// Significance of a test.
const LEVEL: f64 = 0.05;

/// The metric that is shown beside the scores, where an environment has it.
const EXPLORATION: &str = "exploration_rate";

/// Scores of agents by preset, and tests of whether later presets are harder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelComparison {
    /// Environment.
    pub environment: String,
    /// What is compared: `score`, or `ratio` (score over the optimum) where the environment has it.
    pub measure: &'static str,
    /// Whether larger or smaller values are better; absent where neither end is.
    pub sense: Option<Sense>,
    /// The presets, in the order in which `describe` lists them.
    pub presets: Vec<String>,
    /// The agents, in the order of the folders.
    pub agents: Vec<AgentLevels>,
}

/// One agent on all presets that it played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentLevels {
    /// Who played.
    pub agent: String,
    /// Whether the agent knows hidden state.
    pub oracle: bool,
    /// The presets that it played, in the order of [`LevelComparison::presets`].
    pub levels: Vec<Level>,
    /// One test for each pair of these presets.
    pub tests: Vec<LevelTest>,
}

/// An agent on one preset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Level {
    /// The preset.
    pub preset: String,
    /// Mean of the measure over the observations.
    pub mean: Option<f64>,
    /// Standard deviation of the observations.
    pub sd: Option<f64>,
    /// Number of observations: instances, draws, or passes over a list of fewer than six instances.
    pub observations: usize,
    /// Mean exploration rate, where the environment has it.
    pub exploration_rate: Option<f64>,
    /// The single episodes.
    pub runs: Vec<LevelRun>,
    #[serde(skip)]
    values: Vec<f64>,
}

/// One episode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LevelRun {
    /// Seed of its run.
    pub seed: u64,
    /// Its number in the run.
    pub episode: u64,
    /// The measure.
    pub value: f64,
    /// Share of different actions among its actions.
    pub exploration_rate: Option<f64>,
}

/// Welch's one-sided test that the scores of a preset are better than those of a later one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelTest {
    /// The earlier preset.
    pub first: String,
    /// The later preset.
    pub second: String,
    /// Mean of the first minus mean of the second.
    pub difference: f64,
    /// Welch's statistic.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// One-sided p-value: small where the first has the better mean.
    pub p: f64,
    /// Whether p is below 0.05: the later preset is harder.
    pub is_harder: bool,
}

/// Compares the presets that each agent of `pools` played.
///
/// # Errors
/// When the pools are of different environments or versions, of an environment where neither end of
/// the scale is better, or no agent played two presets.
pub fn across_presets(registry: &Registry, pools: &[Pool]) -> Result<LevelComparison, RunError> {
    let Some(first) = pools.first() else {
        return Err(RunError::usage("name the runs of at least two presets"));
    };
    let spec = registry.kind(&first.plan().environment)?;
    for pool in pools {
        let (plan, one) = (pool.plan(), first.plan());
        if (&plan.environment, plan.version) != (&one.environment, one.version) {
            return Err(RunError::usage(format!(
                "{} and {} are not runs of one environment and version",
                first.name(),
                pool.name()
            )));
        }
    }
    if !spec.is_ranked() {
        return Err(RunError::usage(format!(
            "in `{}` neither high nor low scores are better, so no preset is harder",
            spec.name()
        )));
    }
    let sense = spec.sense();
    let listed: Vec<&str> = spec
        .preset_list()
        .iter()
        .map(|preset| preset.name)
        .collect();
    // A preset that is no longer listed comes last.
    let place = |preset: &str| listed.iter().take_while(|name| **name != preset).count();
    // A list and not a map, which would sort the agents: they stand in the order of the folders. An
    // agent has a pool for each preset, and they are put together by its name.
    let mut agents: Vec<(String, bool, ByPreset)> = Vec::new();
    let read = pools.iter().map(|pool| read(registry, pool));
    // All pools are read before any ratio is made: the best play of any of them counts for all.
    let mut read = read.collect::<Result<Vec<_>, _>>()?;
    if spec.about().shows_ratio {
        over_the_optimum(&mut read, sense)?;
    }
    for (pool, seen) in pools.iter().zip(read) {
        let plan = pool.plan();
        // Runs with the same label but other settings are separate levels.
        let key = (place(&plan.preset), Setting::shown(registry, plan));
        let name = pool.agent();
        match agents.iter_mut().find(|(held, ..)| *held == name) {
            Some((_, _, levels)) => levels.entry(key).or_default().extend(seen),
            None => {
                let levels = BTreeMap::from([(key, seen)]);
                agents.push((name, is_oracle(spec, plan), levels));
            }
        }
    }
    let mut presets: Vec<(usize, String)> = Vec::new();
    for (_, _, levels) in &agents {
        presets.extend(levels.keys().cloned());
    }
    presets.sort();
    presets.dedup();
    let agents: Vec<AgentLevels> = agents
        .into_iter()
        .map(|(agent, oracle, levels)| agent_levels(agent, oracle, levels, sense))
        .collect();
    if agents.iter().all(|agent| agent.levels.len() < 2) {
        return Err(RunError::usage(
            "no agent played two presets: name the runs of one agent on several presets",
        ));
    }
    Ok(LevelComparison {
        environment: spec.name().to_owned(),
        measure: if spec.about().shows_ratio {
            "ratio"
        } else {
            "score"
        },
        sense: Some(sense),
        presets: presets.into_iter().map(|(_, preset)| preset).collect(),
        agents,
    })
}

/// What was seen at each preset, in the order of the environment's list.
type ByPreset = BTreeMap<(usize, String), Vec<Seen>>;

/// The values of one episode.
struct Seen {
    run: LevelRun,
    /// The observation of which it is a trial.
    observation: Observation,
    /// What the score is divided by, where the environment shows ratios.
    against: Option<RowReference>,
}

/// Replaces the scores of all pools by ratios. As in the summary of a run, a score that beats a best
/// known value becomes the best known one for all agents.
fn over_the_optimum(pools: &mut [Vec<Seen>], sense: Sense) -> Result<(), RunError> {
    let mut best = BestReached::new();
    for seen in pools.iter().flatten() {
        if let Some(against) = &seen.against {
            raise(&mut best, sense, seen.run.value, against);
        }
    }
    for seen in pools.iter_mut().flatten() {
        let reference = seen.against.as_ref().map(|against| against.raised(&best));
        // An episode without a ratio is not left out: the mean of its preset would be over other
        // episodes than were played, and nobody would see it.
        let metrics = reference.and_then(|reference| ratio_metrics(seen.run.value, &reference));
        seen.run.value = metrics.map(|[(_, ratio), _]| ratio).ok_or_else(|| {
            let episode = seen.run.episode;
            RunError::Failed(format!("episode {episode} has no optimum, so no ratio"))
        })?;
    }
    Ok(())
}

/// Score and exploration rate of the episodes of a pool that have a score.
fn read(registry: &Registry, pool: &Pool) -> Result<Vec<Seen>, RunError> {
    let spec = registry.kind(&pool.plan().environment)?;
    let sources = pool.sources(spec)?;
    let chance = pool.chance(spec, &sources);
    let folders = pool.runs().flat_map(|run| &run.folders);
    let references = References::recorded(&folders.map(Folder::references).collect::<Vec<_>>())?;
    let mut all = Vec::new();
    for (run, source) in pool.runs().zip(&sources) {
        let see = |record: EpisodeRecord| {
            let (header, score) = (&record.header, &record.score);
            if !score.is_scored() {
                return Ok(None);
            }
            let place = (header.seed, header.episode);
            let against = if spec.about().shows_ratio {
                let against = references.of(&*source.case(header.episode)?)?;
                Some(RowReference::new(&against))
            } else {
                None
            };
            let run = LevelRun {
                seed: header.seed.0,
                episode: header.episode,
                value: score.value(),
                exploration_rate: score.metrics().get(EXPLORATION).copied(),
            };
            let met = Met::in_episode(header.instance, place, pool.plan());
            Ok(Some((run, against, met)))
        };
        all.extend(run.scan(see)?.into_iter().flatten());
    }
    // Of all runs together: seeds that meet an instance again are trials of one observation.
    let observed = observed(all.iter().map(|(.., met)| met), chance);
    let seen = all.into_iter().zip(observed);
    let seen = seen.map(|((run, against, _), observation)| Seen {
        run,
        observation,
        against,
    });
    Ok(seen.collect())
}

fn agent_levels(agent: String, oracle: bool, levels: ByPreset, sense: Sense) -> AgentLevels {
    let levels: Vec<Level> = levels
        .into_iter()
        .map(|((_, preset), seen)| Level::new(preset, &seen))
        .collect();
    let mut tests = Vec::new();
    for (place, first) in levels.iter().enumerate() {
        for second in levels.iter().skip(place + 1) {
            tests.extend(LevelTest::new(first, second, sense));
        }
    }
    AgentLevels {
        agent,
        oracle,
        levels,
        tests,
    }
}

impl Level {
    fn new(preset: String, seen: &[Seen]) -> Self {
        let mut trials: BTreeMap<Observation, Vec<f64>> = BTreeMap::new();
        for one in seen {
            trials
                .entry(one.observation)
                .or_default()
                .push(one.run.value);
        }
        // Trials of one observation are averaged first: Welch's test takes its values for
        // independent ones.
        let values: Vec<f64> = trials.values().filter_map(|trials| mean(trials)).collect();
        // The rate of some episodes only would stand beside a score of all of them.
        let rates: Option<Vec<f64>> = seen.iter().map(|seen| seen.run.exploration_rate).collect();
        Self {
            preset,
            mean: mean(&values),
            sd: sd(&values),
            observations: values.len(),
            exploration_rate: rates.and_then(|rates| mean(&rates)),
            runs: seen.iter().map(|seen| seen.run).collect(),
            values,
        }
    }
}

impl LevelTest {
    /// `None` where Welch's test needs more values, or values that vary.
    fn new(first: &Level, second: &Level, sense: Sense) -> Option<Self> {
        let WelchTest {
            difference,
            t,
            degrees,
            p_greater,
        } = welch_test(&first.values, &second.values)?;
        // A harder preset has the smaller scores, or the larger costs: the other tail of the same
        // test.
        let p = match sense {
            Sense::Maximise => p_greater,
            Sense::Minimise => 1.0 - p_greater,
        };
        Some(Self {
            first: first.preset.clone(),
            second: second.preset.clone(),
            difference,
            t,
            degrees,
            p,
            is_harder: p < LEVEL,
        })
    }
}

impl fmt::Display for LevelComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, {} by preset, {}",
            self.environment,
            self.measure,
            direction(self.sense)
        )?;
        for agent in &self.agents {
            writeln!(f, "  {}{}", shown_name(&agent.agent), mark(agent.oracle))?;
            for level in &agent.levels {
                let show = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), fine);
                let explored = level.exploration_rate.map_or_else(String::new, |rate| {
                    format!(", exploration rate {}", fine(rate))
                });
                writeln!(
                    f,
                    "    {:<12} mean {}, sd {}, {}{explored}",
                    level.preset,
                    show(level.mean),
                    show(level.sd),
                    counted(level.observations as u64, "observation"),
                )?;
            }
            for test in &agent.tests {
                let verdict = if test.is_harder {
                    format!("{} is harder", test.second)
                } else {
                    "not distinguishable".to_owned()
                };
                writeln!(
                    f,
                    "    {} - {}: {}; t {}, {} degrees of freedom, p {} (Welch, one-sided): {verdict}",
                    test.first,
                    test.second,
                    fine(test.difference),
                    number((100.0 * test.t).round() / 100.0),
                    number((10.0 * test.degrees).round() / 10.0),
                    fine(test.p),
                )?;
            }
            if agent.tests.is_empty() {
                writeln!(
                    f,
                    "    no test: it needs two presets with at least two values each, not all equal"
                )?;
            }
        }
        Ok(())
    }
}
