//! Evaluates a policy on stored answers.
//!
//! Every agent has answered every sample, so the accuracy of a policy is known without asking an
//! agent again: for each sample the answer of the chosen agent counts.
//!
//! | figure | formula |
//! |---|---|
//! | accuracy | right answers of the chosen agents / samples |
//! | oracle | samples that at least one agent got right / samples |
//! | regret | oracle - accuracy |
//! | a comparison | samples that only one side got right; see [`Paired`] |
//!
//! A policy must be evaluated on other samples than those that its rules were learnt from
//! ([`halves`](crate::trace::halves)); on its own samples it looks better than it is.

mod shown;

use crate::agents::{Agents, folded};
use crate::bits::Bits;
use crate::matrix::{AnswerCost, Matrix};
use crate::paired::{LEVEL, Paired};
use crate::policy::RoutingPolicy;
use crate::router::{Chosen, Router};
use crate::sample::{Bucket, short_capability};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use sim_core::stats::Interval;
use std::collections::BTreeMap;

/// The evaluation of a policy on a set of samples.
///
/// It displays as a table for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicyEvaluation {
    /// Number of samples.
    pub n: usize,
    /// Number of samples that were left out because not all agents have answered them.
    pub left_out: usize,
    /// The policy.
    pub router: Routed,
    /// Accuracy if the best agent is chosen for each sample afterwards: an upper bound for every
    /// router.
    pub oracle: f64,
    /// Oracle minus router [0 to 1].
    pub regret: f64,
    /// The agent with the most right answers; of equally good ones the one with the fewest
    /// requests.
    pub best_single: String,
    /// The agents, best first.
    pub agents: Vec<AgentLine>,
    /// By task, by capability, and by capability and difficulty.
    pub cells: Vec<CellLine>,
    /// The rules in the order of the policy, the default agent last.
    pub rules: Vec<RuleLine>,
}

/// Results of the policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Routed {
    /// Share of right answers.
    pub accuracy: f64,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// Mean score [0 to 1].
    pub score: f64,
    /// The agent that gets samples without a matching rule.
    pub default_agent: String,
    /// Share of the samples that it gets, by a rule or without one.
    pub default_share: f64,
    /// Average cost of an answer.
    pub cost: AnswerCost,
    /// Comparison with the best single agent.
    pub against_best: PolicyComparison,
}

/// A comparison of two sides on the same samples.
///
/// `distinguishable` needs both: zero outside the interval, and `mcnemar` of at most 0.05.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyComparison {
    /// The counts.
    pub counts: Paired,
    /// Difference in accuracy, first minus second.
    pub difference: f64,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// McNemar's exact probability.
    pub mcnemar: f64,
    /// Whether the two sides are distinguishable.
    pub distinguishable: bool,
}

impl PolicyComparison {
    /// The comparison behind these counts.
    #[must_use]
    pub fn new(counts: Paired) -> Self {
        Self {
            counts,
            difference: counts.mean(),
            interval: counts.interval(LEVEL),
            mcnemar: counts.mcnemar(),
            distinguishable: counts.is_distinguishable(),
        }
    }
}

/// Results of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentLine {
    /// Its name.
    pub name: String,
    /// Share of right answers, if it got all samples.
    pub accuracy: f64,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// Mean score, if it got all samples.
    pub score: f64,
    /// Share of the samples that the policy gives it.
    pub share: f64,
    /// Average cost of an answer.
    pub cost: AnswerCost,
    /// The policy compared with this agent.
    pub router_against: PolicyComparison,
    /// This agent compared with the best single agent; absent for that one.
    pub against_best: Option<PolicyComparison>,
}

/// Results on a group of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CellLine {
    /// Task; absent if the group is by capability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_name: Option<String>,
    /// Capability; absent if the group is by task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Difficulty; absent if the group has all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty_bucket: Option<Bucket>,
    /// Number of samples.
    pub n: usize,
    /// Accuracy of the policy.
    pub router: f64,
    /// Accuracy of the best single agent over all samples.
    pub best_single: f64,
    /// The agent that is best in this group in hindsight.
    pub best_here: String,
    /// Its accuracy.
    pub best_here_accuracy: f64,
    /// Accuracy of the oracle.
    pub oracle: f64,
    /// The policy against the best single agent.
    pub against_best: PolicyComparison,
}

/// Results of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleLine {
    /// Its index in the policy, from 0; absent for the default agent.
    pub rule: Option<usize>,
    /// Its condition in words.
    pub when: String,
    /// Its agent.
    pub agent: String,
    /// Number of samples that it decided.
    pub n: usize,
    /// Accuracy on them.
    pub accuracy: f64,
    /// Its agent against the default agent on them.
    pub against_default: PolicyComparison,
}

/// Evaluates `policy` on `matrix`; it must choose among the agents of the matrix.
///
/// # Errors
/// When the policy names an agent without answers in the matrix, or cannot be followed.
///
/// # Example
/// ```
/// use aoa_router::matrix::Incomplete;
/// use aoa_router::{Matrix, RoutingPolicy, TraceRecord, evaluate};
///
/// // Two samples: `dc` gets the first one right, `cot` the second one.
/// let traces = [
///     TraceRecord::new("s1", "dc", true),
///     TraceRecord::new("s2", "dc", false),
///     TraceRecord::new("s1", "cot", false),
///     TraceRecord::new("s2", "cot", true),
/// ];
/// let matrix = Matrix::join(&traces, Incomplete::Refuse)?;
/// let evaluation = evaluate(&matrix, &RoutingPolicy::always("dc"))?;
/// assert_eq!((evaluation.router.accuracy, evaluation.oracle), (0.5, 1.0));
/// assert_eq!(evaluation.regret, 0.5);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
pub fn evaluate(matrix: &Matrix, policy: &RoutingPolicy) -> Result<PolicyEvaluation, ConfigError> {
    let agents = matrix.agents();
    let router = Router::new(policy, &agents)?;
    let samples = matrix.samples().iter();
    let chosen: Vec<Chosen> = samples.map(|it| router.choose_number(it)).collect();
    judge(matrix, &agents, &chosen, policy)
}

/// Evaluates choices that were not made by rules, such as those of a model: `picks` holds the name
/// of the agent for each sample, and `default_agent` gets the others.
///
/// # Errors
/// When an agent has no answers in the matrix; the message names the sample.
pub fn evaluate_picks(
    matrix: &Matrix,
    picks: &BTreeMap<String, String>,
    default_agent: &str,
) -> Result<PolicyEvaluation, ConfigError> {
    let agents = matrix.agents();
    let default_number = agents.known_at("default_agent", default_agent)?;
    let ids = matrix.ids().iter();
    let chosen: Vec<Chosen> = ids
        .map(|id| {
            let picked = picks.get(id).map(|name| agents.known_at(id, name));
            let picked = picked.transpose()?;
            Ok(Chosen {
                agent: picked.unwrap_or(default_number),
                rule: None,
                tied: false,
            })
        })
        .collect::<Result<_, ConfigError>>()?;
    // Picks follow no rules, so all of them are in the one line of the default agent.
    let policy = RoutingPolicy::always(default_agent);
    judge(matrix, &agents, &chosen, &policy)
}

fn judge(
    matrix: &Matrix,
    agents: &Agents,
    chosen: &[Chosen],
    policy: &RoutingPolicy,
) -> Result<PolicyEvaluation, ConfigError> {
    let (n, count) = (matrix.len(), matrix.agent_count());
    let goes_to: Vec<usize> = chosen.iter().map(|it| it.agent).collect();
    let view = View {
        matrix,
        everything: matrix.all(),
        right: Bits::of(n, |at| {
            let agent = goes_to.get(at);
            agent.is_some_and(|agent| matrix.is_correct(*agent, at))
        }),
        oracle: Bits::of(n, |at| (0..count).any(|agent| matrix.is_correct(agent, at))),
    };
    let right_of = |agent: usize| matrix.right_within(agent, &view.everything);
    let best = matrix
        .best_within(agents, &view.everything)
        .ok_or_else(|| ConfigError::new("method", "there are no agents"))?;
    let name = |agent: usize| agents.name(agent).to_owned();
    // The mean of `Paired::accuracy` is used for any share, here of all samples: it is 0 where there are none.
    let share = |agent: usize| {
        let given = goes_to.iter().filter(|it| **it == agent).count();
        Paired::accuracy(n, given).mean()
    };
    let mut lines: Vec<AgentLine> = (0..count)
        .map(|agent| {
            let accuracy = Paired::accuracy(n, right_of(agent));
            AgentLine {
                name: name(agent),
                accuracy: accuracy.mean(),
                interval: accuracy.interval(LEVEL),
                score: matrix.score(agent),
                share: share(agent),
                cost: matrix.cost(agent),
                router_against: PolicyComparison::new(view.against(agent, &view.everything)),
                against_best: (agent != best)
                    .then(|| PolicyComparison::new(matrix.compare(agent, best))),
            }
        })
        .collect();
    lines.sort_by(|a, b| {
        // The best single agent first, also where another is as accurate.
        let best_first = b.against_best.is_none().cmp(&a.against_best.is_none());
        best_first
            .then(b.accuracy.total_cmp(&a.accuracy))
            .then(a.name.cmp(&b.name))
    });
    let accuracy = Paired::accuracy(n, view.right.count());
    let oracle = Paired::accuracy(n, view.oracle.count()).mean();
    let (score, cost) = matrix.along(&goes_to);
    let default_agent = agents.known_at("default_agent", &policy.default_agent)?;
    Ok(PolicyEvaluation {
        n,
        left_out: matrix.left_out(),
        router: Routed {
            accuracy: accuracy.mean(),
            interval: accuracy.interval(LEVEL),
            score,
            default_agent: name(default_agent),
            default_share: share(default_agent),
            cost,
            against_best: PolicyComparison::new(view.against(best, &view.everything)),
        },
        oracle,
        regret: (oracle - accuracy.mean()).max(0.0),
        best_single: name(best),
        agents: lines,
        cells: view.cells(best, &name),
        rules: view.rules(chosen, policy, agents, default_agent)?,
    })
}

/// Which side got which samples right.
struct View<'m> {
    matrix: &'m Matrix,
    everything: Bits,
    /// Samples that the policy gets right.
    right: Bits,
    /// Samples that any agent gets right.
    oracle: Bits,
}

impl View<'_> {
    /// The policy compared with an agent.
    fn against(&self, agent: usize, within: &Bits) -> Paired {
        let other = self.matrix.correct(agent);
        Paired {
            n: within.count(),
            wins: within.count_and_not(&self.right, &other),
            losses: within.count_and_not(&other, &self.right),
        }
    }

    /// The results of each rule; the samples without a rule come last.
    fn rules(
        &self,
        chosen: &[Chosen],
        policy: &RoutingPolicy,
        agents: &Agents,
        default_agent: usize,
    ) -> Result<Vec<RuleLine>, ConfigError> {
        let decided = |rule: Option<usize>| {
            Bits::of(chosen.len(), |at| {
                chosen.get(at).is_some_and(|it| it.rule == rule)
            })
        };
        // By the rule that decided and not by those that match: a sample counts once, as its answer does.
        let line = |rule: Option<usize>, when: String, name: &str| {
            let agent = agents.known_at("rules", name)?;
            let decided = decided(rule);
            let n = decided.count();
            let right = match rule {
                Some(_) => self.matrix.right_within(agent, &decided),
                // Picks of a model have no rules and go to different agents, so what each of them
                // got right counts.
                None => self.right.count_and(&decided),
            };
            let against = self.matrix.compare_within(agent, default_agent, &decided);
            Ok(RuleLine {
                rule,
                when,
                agent: agents.name(agent).to_owned(),
                n,
                accuracy: Paired::accuracy(n, right).mean(),
                against_default: PolicyComparison::new(against),
            })
        };
        let rules = policy.rules.iter().enumerate();
        let mut lines: Vec<RuleLine> = rules
            .map(|(at, rule)| line(Some(at), rule.when.to_string(), &rule.choose))
            .collect::<Result<_, ConfigError>>()?;
        lines.push(line(
            None,
            "no rule matches".to_owned(),
            &policy.default_agent,
        )?);
        Ok(lines)
    }

    fn cells(&self, best: usize, name: &dyn Fn(usize) -> String) -> Vec<CellLine> {
        let mut groups: BTreeMap<Group, Bits> = BTreeMap::new();
        let mut spelled: BTreeMap<String, &str> = BTreeMap::new();
        let n = self.matrix.len();
        let mut put = |group: Group, at: usize| {
            groups
                .entry(group)
                .or_insert_with(|| Bits::none(n))
                .insert(at);
        };
        for (at, sample) in self.matrix.samples().iter().enumerate() {
            if let Some(task) = sample.task_name.as_deref() {
                put((Some(folded(task)), None, None), at);
            }
            if let Some(capability) = sample.capability.as_deref() {
                // Under one name: otherwise samples with the long name, or with the same in
                // capitals, would be another group.
                let short = short_capability(capability);
                let name = folded(short);
                put((None, Some(name.clone()), None), at);
                put(
                    (None, Some(name.clone()), Some(sample.difficulty_bucket)),
                    at,
                );
                spelled.entry(name).or_insert(short);
            }
        }
        let lines = groups
            .into_iter()
            .map(|((task, capability, bucket), within)| {
                let n = within.count();
                let share = |right: usize| Paired::accuracy(n, right).mean();
                let right = |agent: usize| self.matrix.right_within(agent, &within);
                let agents = 0..self.matrix.agent_count();
                // Of equally good agents the first, but the best single agent before all others.
                let here =
                    agents.max_by_key(|agent| (right(*agent), *agent == best, usize::MAX - agent));
                let here = here.unwrap_or(best);
                CellLine {
                    task_name: task,
                    capability: capability
                        .and_then(|name| spelled.get(&name).map(|it| (*it).to_owned())),
                    difficulty_bucket: bucket,
                    n,
                    router: share(self.right.count_and(&within)),
                    best_single: share(right(best)),
                    best_here: name(here),
                    best_here_accuracy: share(right(here)),
                    oracle: share(self.oracle.count_and(&within)),
                    against_best: PolicyComparison::new(self.against(best, &within)),
                }
            });
        lines.collect()
    }
}

/// Task, or capability, or capability and difficulty; names are folded.
type Group = (Option<String>, Option<String>, Option<Bucket>);
