//! Learning rules by counting.
//!
//! All agents have answered all samples, so nothing has to be explored: the gain of every rule on
//! these samples is known. The danger is selection: of thousands of possible rules some look good
//! by chance. A rule is kept only if, on the samples that reach it,
//!
//! * its gain over the default agent, shrunk towards that of wider groups, is at least the margin
//!   that matters;
//! * the lower end of the paired bootstrap interval of the gain is at least that margin, too;
//! * a sign test finds it improbable under equality *given how many rules were tried*: over all
//!   rules of a list, a rule without a gain is accepted with a probability of at most 0.05.
//!
//! The list is grown greedily: the rule with the largest `samples * lower end` is added, its
//! samples are removed, and the search continues with the rest. The value of the whole list is
//! measured by cross-fitting ([`CrossFit`]): rules from four fifths of the samples, evaluated on
//! the last fifth.
//!
//! # Formulas
//! For a condition with n samples, an agent with r right answers on them, and the rate of the wider group:
//!
//! * shrunk accuracy = (r + kappa * rate) / (n + kappa); the rate of a single condition is that of all samples
//!   that are left, that of a pair the mean of the shrunk accuracies of its two conditions;
//! * gain = shrunk accuracy of the agent - that of the default agent;
//! * the sign test of rule number r of the list has the level family error / (r (r + 1)) / rules tried.

mod candidate;
mod cross_fit;
mod findings;
mod list;

pub use cross_fit::CrossFit;

use crate::agents::Agents;
use crate::matrix::Matrix;
use crate::policy::{Conflict, RoutingPlaybook, RoutingPolicy, TieBreaker};
use sim_core::{ConfigError, Seed};

/// Weight of the wider group in the estimated accuracy of a narrow one \[samples\].
const KAPPA: f64 = 20.0;

/// Level of the bootstrap interval whose lower end must reach the margin.
const RULE_LEVEL: f64 = 0.9;

/// Maximum number of thresholds that are tried for a countable feature.
const CUTS: usize = 4;

/// Probability of accepting a rule without a gain, for a whole list. Rule number r is tested at `1 / (r (r + 1))` of it,
/// divided by the number of rules tried. The shares sum to 1 over all r, so the bound holds for lists of any length.
const FAMILY_ERROR: f64 = 0.05;

/// Number of folds for cross-fitting.
const FOLDS: usize = 5;

/// Settings of the learner.
///
/// ```
/// use aoa_router::LearnSettings;
/// let settings = LearnSettings { max_rules: 3, ..LearnSettings::default() };
/// assert!(settings.check().is_ok());
/// assert!(LearnSettings { min_margin: 1.5, ..settings }.check().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnSettings {
    /// Smallest gain in accuracy that matters [0 to 1] (default: 0.01, as in the paper).
    pub min_margin: f64,
    /// Minimum number of samples of a rule (default: 30).
    pub min_samples: usize,
    /// Maximum number of rules (default: 8).
    pub max_rules: usize,
    /// Seed of the folds.
    pub seed: Seed,
}

impl Default for LearnSettings {
    fn default() -> Self {
        Self {
            min_margin: 0.01,
            min_samples: 30,
            max_rules: 8,
            seed: Seed(0),
        }
    }
}

impl LearnSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// At the first value that is out of range; the message names it.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(0.0..=1.0).contains(&self.min_margin) {
            let text = format!("must be 0 to 1, not {}", self.min_margin);
            return Err(ConfigError::new("min_margin", text));
        }
        let counts = [
            ("min_samples", self.min_samples, 2, 1_000_000),
            ("max_rules", self.max_rules, 0, 100),
        ];
        for (place, value, low, high) in counts {
            if !(low..=high).contains(&value) {
                let text = format!("must be {low} to {high}, not {value}");
                return Err(ConfigError::new(place, text));
            }
        }
        Ok(())
    }
}

/// The result of learning.
///
/// `cross_fit` and not an evaluation on the same samples says what the policy is worth.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Learned {
    /// The policy, learnt from all samples, with its findings.
    pub playbook: RoutingPlaybook,
    /// Its accuracy on samples that its rules were not learnt from.
    pub cross_fit: CrossFit,
    /// The agents that it chooses among, with their numbers of requests.
    pub agents: Agents,
    /// Number of rules (conditions times agents) that were tried for the first rule of the list.
    pub tried: usize,
}

/// Learns a policy from the answers of all agents.
///
/// # Errors
/// When a setting is out of range, there are fewer than two agents, or fewer samples than
/// twice the folds.
///
/// # Example
/// `dc` is right where there is a table, `cot` elsewhere; the rule is found:
/// ```
/// use aoa_router::matrix::Incomplete;
/// use aoa_router::{Features, LearnSettings, Matrix, TraceRecord, learn};
///
/// let mut traces = Vec::new();
/// for number in 0..300 {
///     let has_table = number % 3 == 0;
///     for (method, correct) in [("cot", !has_table), ("dc", has_table)] {
///         traces.push(TraceRecord {
///             features: Features { has_table: Some(has_table), ..Features::default() },
///             ..TraceRecord::new(format!("s{number}"), method, correct)
///         });
///     }
/// }
/// let matrix = Matrix::join(&traces, Incomplete::Refuse)?;
/// let learned = learn(&matrix, &LearnSettings::default())?;
/// let policy = &learned.playbook.routing_policy;
/// assert_eq!(policy.default_agent, "cot");
/// assert_eq!(policy.rules[0].choose, "dc");
/// assert_eq!(policy.rules[0].when.to_string(), "a table");
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
pub fn learn(matrix: &Matrix, settings: &LearnSettings) -> Result<Learned, ConfigError> {
    settings.check()?;
    if matrix.agent_count() < 2 {
        let text = "there is nothing to choose: at least two agents are needed";
        return Err(ConfigError::new("method", text));
    }
    if matrix.len() < 2 * FOLDS {
        let text = format!(
            "{} samples are too few for {FOLDS} folds of two or more",
            matrix.len()
        );
        return Err(ConfigError::new("folds", text));
    }
    let agents = matrix.agents();
    // From all samples: the folds say what the way of learning is worth, the policy uses
    // everything.
    let mut fit = list::fit(matrix, &agents, &matrix.all(), settings);
    let (cross_fit, fits) = cross_fit::cross_fit(matrix, &agents, settings)?;
    for found in &mut fit.rules {
        let again = fits
            .iter()
            .filter(|other| other.rules.iter().any(|it| it.is_same(found)))
            .count();
        found.evidence.folds = u32::try_from(again).ok();
    }
    let mut playbook = RoutingPlaybook::new(policy_of(&fit, &agents, settings)?);
    playbook.meta_findings = findings::findings(matrix, &fit, &cross_fit);
    Ok(Learned {
        playbook,
        cross_fit,
        agents,
        tried: fit.tried,
    })
}

/// The policy with the rules of a list.
fn policy_of(
    fit: &list::Fit,
    agents: &Agents,
    settings: &LearnSettings,
) -> Result<RoutingPolicy, ConfigError> {
    let name = |number: usize| {
        let agent = agents.as_slice().get(number).map(|it| it.name.clone());
        agent.ok_or_else(|| ConfigError::new("method", format!("there is no agent {number}")))
    };
    let rules = fit.rules.iter();
    Ok(RoutingPolicy {
        default_agent: name(fit.default_agent)?,
        // A gain was counted on the samples that no earlier rule covers. Another tie-breaker would change which rule
        // decides, and the counts would no longer hold.
        tie_breaker: TieBreaker::PreferDefault,
        min_margin: settings.min_margin,
        // The gains were counted in the order of the list; another order would make them untrue.
        conflict: Conflict::FirstMatch,
        rules: rules
            .map(|found| Ok(findings::rule(found, name(found.agent)?)))
            .collect::<Result<_, ConfigError>>()?,
    })
}

#[cfg(test)]
mod tests;
