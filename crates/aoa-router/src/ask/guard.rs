//! Decides whether a policy that a model wrote is accepted.
//!
//! A model writes rules that read well whether or not they are true. So its policy is measured on samples that
//! it has not seen, and a policy that is worse there than its own default agent is not used.

use crate::evaluate::{PolicyComparison, evaluate};
use crate::matrix::Matrix;
use crate::policy::RoutingPlaybook;
use crate::trace::{TraceRecord, halves};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Seed};

/// The verdict on a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarded {
    /// Whether it may be used.
    pub kept: bool,
    /// The policy against its own default agent, on samples that its author did not see.
    pub against_default: PolicyComparison,
}

/// Splits the samples: one part the model learns from, one it is evaluated on.
///
/// A model writes one policy and not one per fold, so instead of cross-fitting a quarter of the
/// samples is kept from it, drawn as [`halves`] draws.
///
/// Returns the shown part, then the held part; all answers to a sample are in the same part.
#[must_use]
pub fn hold_out(traces: Vec<TraceRecord>, seed: Seed) -> (Vec<TraceRecord>, Vec<TraceRecord>) {
    let (mut shown, second) = halves(traces, seed);
    // Another stream: with the same one the parts would follow from each other.
    let (more, held) = halves(second, seed.child("hold out", 0));
    shown.extend(more);
    (shown, held)
}

/// Evaluates `playbook` on samples that its author has not seen. It is refused if its accuracy
/// there is below that of its default agent by more than its margin.
///
/// # Errors
/// When it cannot be followed on these samples.
pub fn guard(playbook: &RoutingPlaybook, held: &Matrix) -> Result<Guarded, ConfigError> {
    let policy = &playbook.routing_policy;
    let evaluation = evaluate(held, policy)?;
    let agents = held.agents();
    // By number: the policy may write the name in another case than the traces.
    let default_agent = agents.find(&policy.default_agent);
    let line = evaluation
        .agents
        .into_iter()
        .find(|line| default_agent.is_some() && agents.find(&line.name) == default_agent)
        .ok_or_else(|| ConfigError::new("default_agent", "has no answers here"))?;
    let against_default = line.router_against;
    Ok(Guarded {
        // A loss below the margin counts as equal, as two gains do everywhere in a policy.
        kept: against_default.difference >= -policy.min_margin,
        against_default,
    })
}
