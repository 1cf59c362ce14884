//! The answers of all agents to all samples.
//!
//! A [`Matrix`] has a row for each agent and a column for each sample. Learning and evaluation need every cell: the
//! accuracy of a policy that sends a sample to an agent is unknown if that agent has not answered the sample.

use crate::agents::{Agents, folded};
use crate::bits::Bits;
use crate::paired::Paired;
use crate::sample::{Sample, short_capability};
use crate::trace::{AnswerUsage, TraceRecord};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::collections::BTreeMap;

/// Maximum number of names in a message.
const SHOWN: usize = 5;

/// Maximum number of agents: each is compared with each, and a list of them is in messages and in what a model is
/// asked.
pub const MAX_AGENTS: usize = 1_000;

/// What happens if an agent has not answered a sample that another agent has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Incomplete {
    /// Refuse, and name the samples.
    #[default]
    Refuse,
    /// Leave out the samples that not all agents have answered.
    LeaveOut,
}

/// Which agent got which sample right.
///
/// Agents and samples are numbered from 0 in the order of their names; the numbers are those of
/// [`names`](Self::names) and [`ids`](Self::ids).
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    ids: Vec<String>,
    samples: Vec<Sample>,
    agents: Vec<Row>,
    left_out: usize,
}

/// The answers of one agent.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    correct: Bits,
    scores: Vec<f64>,
    usages: Vec<Option<AnswerUsage>>,
}

/// Average cost of an answer.
///
/// A mean over answers is absent unless all of them have the value: agents whose usage was recorded in part would look
/// cheaper than they are.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCost {
    /// Number of model requests; absent if an answer has no usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<f64>,
    /// Input and output tokens; absent if an answer has no usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    /// Cost [US dollars]; absent if an answer has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

impl Matrix {
    /// Joins traces by sample. Samples and agents are sorted by name.
    ///
    /// # Errors
    /// When there are more than [`MAX_AGENTS`], an agent has answered a sample twice, an answer is missing
    /// (see [`Incomplete`]), two agents describe a sample differently, or no sample is left.
    ///
    /// # Example
    /// ```
    /// use aoa_router::matrix::Incomplete;
    /// use aoa_router::{Matrix, TraceRecord};
    ///
    /// let traces = [
    ///     TraceRecord::new("s1", "cot", true),
    ///     TraceRecord::new("s1", "dc", false),
    ///     TraceRecord::new("s2", "cot", true),
    /// ];
    /// let error = Matrix::join(&traces, Incomplete::Refuse).unwrap_err();
    /// assert!(error.to_string().contains("not answered: `s2` by `dc`"));
    /// let matrix = Matrix::join(&traces, Incomplete::LeaveOut)?;
    /// assert_eq!((matrix.len(), matrix.left_out()), (1, 1));
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    pub fn join(traces: &[TraceRecord], incomplete: Incomplete) -> Result<Self, ConfigError> {
        let mut by_agent: BTreeMap<String, BTreeMap<&str, &TraceRecord>> = BTreeMap::new();
        let mut doubled = Vec::new();
        for trace in traces {
            let agent = by_agent.entry(folded(&trace.method)).or_default();
            if agent.insert(&trace.sample_id, trace).is_some() {
                doubled.push(format!("`{}` by `{}`", trace.sample_id, trace.method));
            }
        }
        if by_agent.len() > MAX_AGENTS {
            let text = format!("{} agents; at most {MAX_AGENTS}", by_agent.len());
            return Err(ConfigError::new("method", text));
        }
        // First, because of two answers to one sample the map has kept one.
        if !doubled.is_empty() {
            let count = doubled.len();
            let text = format!("answered more than once: {}", some_of(doubled, count));
            return Err(ConfigError::new("sample_id", text));
        }
        let mut samples: BTreeMap<&str, Sample> = BTreeMap::new();
        let mut differing = Vec::new();
        // Compared and not taken from the first: by which of two descriptions a policy routes would depend on the names of
        // the agents.
        for trace in by_agent.values().flat_map(BTreeMap::values) {
            let sample = trace.sample();
            let known = samples
                .entry(&trace.sample_id)
                .or_insert_with(|| sample.clone());
            // As rules and tables compare names.
            let names = |it: &Sample| {
                let capability = it.capability.as_deref().map(short_capability);
                (it.task_name.as_deref().map(folded), capability.map(folded))
            };
            let (bucket, features) = (known.difficulty_bucket, known.features);
            if (bucket, features) != (sample.difficulty_bucket, sample.features)
                || names(known) != names(&sample)
            {
                differing.push(format!("`{}` by `{}`", trace.sample_id, trace.method));
            }
        }
        if !differing.is_empty() {
            let count = differing.len();
            let text = format!(
                "task, capability, difficulty or features differ from those of another agent: {}",
                some_of(differing, count)
            );
            return Err(ConfigError::new("sample_id", text));
        }
        // Counted and not listed: where every agent has samples of its own, nearly all pairs of an agent and a sample
        // are without an answer, the square of the number of traces.
        let missing = by_agent.len() * samples.len() - traces.len();
        if missing > 0 && incomplete == Incomplete::Refuse {
            let names = by_agent.iter().flat_map(|(agent, answers)| {
                let missing = samples.keys().filter(|id| !answers.contains_key(**id));
                missing.map(move |id| format!("`{id}` by `{agent}`"))
            });
            let text = format!("not answered: {}", some_of(names, missing));
            return Err(ConfigError::new("sample_id", text));
        }
        // Only whole columns: what an agent would have done on a sample that it did not answer is
        // unknown.
        let all = samples.len();
        samples.retain(|id, _| by_agent.values().all(|answers| answers.contains_key(id)));
        if samples.is_empty() {
            let text = "no sample is answered by all agents";
            return Err(ConfigError::new("sample_id", text));
        }
        let ids: Vec<&str> = samples.keys().copied().collect();
        let agents = by_agent
            .values()
            .map(|answers| Row::new(&ids, answers))
            .collect();
        Ok(Self {
            left_out: all - ids.len(),
            ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            samples: samples.into_values().collect(),
            agents,
        })
    }

    /// Number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is no sample; [`join`](Self::join) never returns such a matrix.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Number of samples that were left out because not all agents have answered them.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The samples' names.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The properties of the samples.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The agents' names.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.agents.iter().map(|row| row.name.as_str()).collect()
    }

    /// The agents with the numbers of requests recorded here, or the typical numbers if none are
    /// recorded.
    #[must_use]
    pub fn agents(&self) -> Agents {
        let rows = self.agents.iter();
        Agents::new(rows.map(|row| {
            (
                row.name.clone(),
                AnswerCost::of(row.usages.iter().copied()).calls,
            )
        }))
    }

    /// Whether agent `agent` got sample `at` right.
    ///
    /// `false` if one of the numbers has no agent or sample.
    #[must_use]
    pub fn is_correct(&self, agent: usize, at: usize) -> bool {
        self.agents
            .get(agent)
            .is_some_and(|row| row.correct.has(at))
    }

    /// The comparison of two agents over all samples.
    ///
    /// Empty if one of the numbers has no agent.
    #[must_use]
    pub fn compare(&self, first: usize, second: usize) -> Paired {
        self.compare_within(first, second, &self.all())
    }

    /// Mean score of an agent [0 to 1].
    ///
    /// 0 if the number has no agent.
    #[must_use]
    pub fn score(&self, agent: usize) -> f64 {
        let row = self.agents.get(agent);
        row.and_then(|row| sim_core::stats::mean(&row.scores))
            .unwrap_or(0.0)
    }

    /// Average cost of an answer of an agent.
    #[must_use]
    pub fn cost(&self, agent: usize) -> AnswerCost {
        let row = self.agents.get(agent);
        row.map_or_else(AnswerCost::default, |row| {
            AnswerCost::of(row.usages.iter().copied())
        })
    }

    pub(crate) fn all(&self) -> Bits {
        Bits::of(self.len(), |_| true)
    }

    pub(crate) fn agent_count(&self) -> usize {
        self.agents.len()
    }

    /// Mean score and cost if sample `at` goes to agent `chosen[at]`.
    pub(crate) fn along(&self, chosen: &[usize]) -> (f64, AnswerCost) {
        let rows = || {
            let chosen = chosen.iter().enumerate();
            chosen.filter_map(|(at, agent)| Some((at, self.agents.get(*agent)?)))
        };
        let scores: Vec<f64> = rows()
            .filter_map(|(at, row)| row.scores.get(at).copied())
            .collect();
        let usages = rows().map(|(at, row)| row.usages.get(at).copied().flatten());
        let score = sim_core::stats::mean(&scores).unwrap_or(0.0);
        (score, AnswerCost::of(usages))
    }

    /// The samples that an agent got right.
    pub(crate) fn correct(&self, agent: usize) -> Bits {
        let row = self.agents.get(agent);
        row.map_or_else(|| Bits::none(self.len()), |row| row.correct.clone())
    }

    /// Number of samples of `within` that an agent got right.
    pub(crate) fn right_within(&self, agent: usize, within: &Bits) -> usize {
        self.agents
            .get(agent)
            .map_or(0, |row| row.correct.count_and(within))
    }

    /// The agent with the most right answers among the samples of `within`; of equal ones the simplest.
    pub(crate) fn best_within(&self, agents: &Agents, within: &Bits) -> Option<usize> {
        let right: Vec<usize> = (0..self.agent_count())
            .map(|agent| self.right_within(agent, within))
            .collect();
        let most = right.iter().max().copied();
        // All with the most right answers: which of them is the best is a matter of requests.
        let best = right.iter().enumerate().filter(|it| Some(*it.1) == most);
        agents.simplest(best.map(|it| it.0))
    }

    pub(crate) fn compare_within(&self, first: usize, second: usize, within: &Bits) -> Paired {
        let rows = self.agents.get(first).zip(self.agents.get(second));
        let Some((first, second)) = rows else {
            return Paired::default();
        };
        Paired {
            n: within.count(),
            wins: within.count_and_not(&first.correct, &second.correct),
            losses: within.count_and_not(&second.correct, &first.correct),
        }
    }
}

impl Row {
    fn new(ids: &[&str], answers: &BTreeMap<&str, &TraceRecord>) -> Self {
        let answers: Vec<&&TraceRecord> = ids.iter().filter_map(|id| answers.get(id)).collect();
        // As its first answer writes it; the folded form only tells agents apart.
        let name = answers.first().map(|it| it.method.trim().to_owned());
        Self {
            name: name.unwrap_or_default(),
            correct: Bits::of(ids.len(), |at| answers.get(at).is_some_and(|it| it.correct)),
            scores: answers.iter().map(|it| it.score).collect(),
            usages: answers.iter().map(|it| it.usage).collect(),
        }
    }
}

impl AnswerCost {
    /// The averages over answers; each is absent unless all answers have a value.
    fn of(usages: impl Iterator<Item = Option<AnswerUsage>>) -> Self {
        let Some(usages) = usages.collect::<Option<Vec<AnswerUsage>>>() else {
            return Self::default();
        };
        let average = |of: &dyn Fn(&AnswerUsage) -> Option<f64>| {
            let values: Option<Vec<f64>> = usages.iter().map(of).collect();
            values.and_then(|values| sim_core::stats::mean(&values))
        };
        #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
        let tokens = |usage: &AnswerUsage| usage.input.saturating_add(usage.output) as f64;
        Self {
            calls: average(&|usage| Some(f64::from(usage.calls))),
            tokens: average(&|usage| Some(tokens(usage))),
            usd: average(&|usage| usage.cost),
        }
    }
}

/// The first of `count` names, and how many more there are.
fn some_of(names: impl IntoIterator<Item = String>, count: usize) -> String {
    let shown: Vec<String> = names.into_iter().take(SHOWN).collect();
    let more = count - shown.len();
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{}{more}", shown.join(", "))
}
