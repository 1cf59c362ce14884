//! Ranges of the numbers in a method. A manifest can set them, so they are checked.
//!
//! | number | range |
//! |---|---|
//! | `agents`, and `rounds` of debates and discussions | 1 to 1,000 |
//! | `rounds` of self-refine, `turns` of a role play | 0 to 1,000 |
//! | `shown`, `found`, `neighbours`, `retrieve` | 0 to 1,000 |
//! | `words`, `tokens` | 0 to 10,000,000 |
//! | `max_tokens` | 1 to 10,000,000 |
//! | temperatures | 0 to 2 |

use super::spec::{DeliberatorSpec, MemorySpec, MethodSpec};
use crate::error::AgentError;
use crate::wire::Dialect;
use std::ops::RangeInclusive;

/// Maximum number of agents, rounds or turns of a decision: each one is a separate request.
pub(super) const MOST_REQUESTS: u32 = 1_000;

/// Maximum number of entries of a memory that are shown at once.
pub(super) const MOST_SHOWN: u32 = 1_000;

/// Maximum number of words or tokens of a memory.
pub(super) const MOST_KEPT: u64 = 10_000_000;

impl MethodSpec {
    /// Checks that every number of the method lies in its range.
    ///
    /// # Errors
    /// Names the number and its range.
    pub(super) fn check_ranges(&self) -> Result<(), AgentError> {
        self.deliberator.check()?;
        self.memory.check()
    }
}

impl DeliberatorSpec {
    fn check(&self) -> Result<(), AgentError> {
        match self {
            Self::Single(it) => heat(it.temperature),
            Self::Refine(it) => {
                within("rounds", &it.rounds, 0..=MOST_REQUESTS)?;
                heat(it.temperature)?;
                heat(it.critic_temperature)
            }
            Self::Debate(it) => {
                within("agents", &it.agents, 1..=MOST_REQUESTS)?;
                within("rounds", &it.rounds, 1..=MOST_REQUESTS)?;
                heat(it.temperature)
            }
            Self::Discussion(it) => {
                within("agents", &it.agents, 1..=MOST_REQUESTS)?;
                within("rounds", &it.rounds, 1..=MOST_REQUESTS)?;
                within("turns", &it.turns, 0..=MOST_REQUESTS)?;
                heat(it.temperature)
            }
        }
    }
}

impl MemorySpec {
    fn check(&self) -> Result<(), AgentError> {
        match self {
            Self::None | Self::Instruction(_) => Ok(()),
            Self::Reflections(it) => shown("shown", it.shown),
            Self::Notes(it) => {
                shown("found", it.found)?;
                shown("neighbours", it.neighbours)
            }
            Self::Cheatsheet(it) => {
                kept("words", u64::from(it.words))?;
                shown("retrieve", it.retrieve)?;
                length(it.max_tokens)
            }
            Self::Playbook(it) => {
                kept("tokens", it.tokens)?;
                length(it.max_tokens)
            }
        }
    }
}

fn heat(temperature: Option<f64>) -> Result<(), AgentError> {
    let hottest = Dialect::HOTTEST;
    match temperature {
        Some(t) if !(0.0..=hottest).contains(&t) => Err(AgentError::setup(format!(
            "the temperature of a method must be 0 to {hottest}, not `{t}`"
        ))),
        _ => Ok(()),
    }
}

fn shown(name: &str, value: usize) -> Result<(), AgentError> {
    within(name, &(value as u64), 0..=u64::from(MOST_SHOWN))
}

fn kept(name: &str, value: u64) -> Result<(), AgentError> {
    within(name, &value, 0..=MOST_KEPT)
}

fn length(tokens: u32) -> Result<(), AgentError> {
    within("max_tokens", &tokens, 1..=Dialect::MOST_TOKENS)
}

fn within<N: PartialOrd + std::fmt::Display>(
    name: &str,
    value: &N,
    range: RangeInclusive<N>,
) -> Result<(), AgentError> {
    if range.contains(value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(AgentError::setup(format!(
        "{name} of a method must be {least} to {most}, not `{value}`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Debate;
    use sim_core::METHODS;

    #[test]
    fn methods_are_within_their_ranges_and_a_debate_of_billions_is_not() {
        for name in METHODS.map(|method| method.name) {
            name.parse::<MethodSpec>().unwrap().check_ranges().unwrap();
        }
        let mut debate: MethodSpec = "debate".parse().unwrap();
        for wrong in [
            Debate {
                agents: u32::MAX,
                ..Debate::default()
            },
            Debate {
                rounds: 1_001,
                ..Debate::default()
            },
            Debate {
                temperature: Some(f64::NAN),
                ..Debate::default()
            },
        ] {
            debate.deliberator = DeliberatorSpec::Debate(wrong);
            assert!(debate.check_ranges().is_err());
            assert!(debate.make().is_err());
        }
    }
}
