//! Explains a choice.

use super::{Ready, Router};
use crate::policy::TieBreaker;
use crate::sample::Sample;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What decided a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecidedBy {
    /// No rule matched.
    Default,
    /// The rule was the only one that matched, or came first.
    Rule,
    /// Matching rules were equally good, and the tie-breaker preferred this one.
    TieBreaker,
}

/// A matching rule that did not decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Loser {
    /// Its index in the policy, from 0.
    pub rule: usize,
    /// The agent that it names.
    pub agent: String,
    /// Its conditions, all of which hold.
    pub matched: Vec<String>,
    /// Why it did not decide.
    pub why: String,
}

/// A choice with its reasons.
///
/// It displays as a few lines, in which rules are counted from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Explanation {
    /// The chosen agent.
    pub agent: String,
    /// What decided the choice.
    pub decided_by: DecidedBy,
    /// Index of the rule that decided, from 0.
    pub rule: Option<usize>,
    /// Its conditions, all of which hold.
    pub matched: Vec<String>,
    /// Rules that matched as well.
    pub losers: Vec<Loser>,
    /// For each rule that did not match: its index, and its first condition that does not hold.
    pub missed: Vec<(usize, String)>,
}

impl Router {
    /// The choice for `sample` with its reasons; the same choice as [`choose`](Self::choose).
    ///
    /// ```
    /// use aoa_router::{Agents, RoutingPlaybook, Router, Sample, Strictness};
    /// let text = r#"{"routing_policy": {"default_agent": "gepa", "rules": [
    ///     {"when": {"capability": "DK"}, "choose": "ace"}]}}"#;
    /// let policy = RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict)?.value;
    /// let router = Router::new(&policy.routing_policy, &Agents::methods())?;
    /// assert_eq!(
    ///     router.explain(&Sample::default()).to_string(),
    ///     "gepa: no rule matches, the default agent\n  rule 1 does not match: it wants capability DK\n"
    /// );
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn explain(&self, sample: &Sample) -> Explanation {
        let chosen = self.choose_number(sample);
        let lead = self.lead(sample);
        let parts = |rule: &Ready| rule.parts.iter().map(ToString::to_string).collect();
        let (mut losers, mut missed) = (Vec::new(), Vec::new());
        for (at, rule) in self.rules.iter().enumerate() {
            if chosen.rule == Some(at) {
                continue;
            }
            match rule.parts.iter().find(|part| !part.holds(sample)) {
                Some(part) => missed.push((at, part.to_string())),
                None => losers.push(Loser {
                    rule: at,
                    agent: self.name(rule.agent).to_owned(),
                    matched: parts(rule),
                    why: self.why_not(at, rule, lead, chosen.agent),
                }),
            }
        }
        let rule = chosen.rule.and_then(|at| self.rules.get(at));
        Explanation {
            agent: self.name(chosen.agent).to_owned(),
            decided_by: match (chosen.rule, chosen.tied) {
                (None, _) => DecidedBy::Default,
                (Some(_), false) => DecidedBy::Rule,
                (Some(_), true) => DecidedBy::TieBreaker,
            },
            rule: chosen.rule,
            matched: rule.map(parts).unwrap_or_default(),
            losers,
            missed,
        }
    }

    fn why_not(
        &self,
        at: usize,
        rule: &Ready,
        lead: Option<(usize, &Ready)>,
        chosen: usize,
    ) -> String {
        // First: where the agent is the same, no order and no tie made a difference.
        if rule.agent == chosen {
            return "it names the same agent".to_owned();
        }
        let tie_breaker = match self.tie_breaker {
            TieBreaker::PreferDefault => "the default agent is preferred",
            TieBreaker::PreferSimpler => "the agent with fewer requests is preferred",
            TieBreaker::PreferAce => "ace is preferred",
        };
        match lead {
            Some((first, _)) if first == at => format!("equally good, and {tie_breaker}"),
            Some((_, lead)) if self.contends(rule, lead) => {
                format!("equally good, and {tie_breaker} or an earlier rule")
            }
            _ => "another rule comes first".to_owned(),
        }
    }
}

impl fmt::Display for Explanation {
    /// A few lines for a person; rules are counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rule, self.decided_by) {
            (None, _) => writeln!(f, "{}: no rule matches, the default agent", self.agent)?,
            (Some(at), by) => {
                let reason = Some(self.matched.join(" and ")).filter(|text| !text.is_empty());
                let reason = reason.unwrap_or_else(|| "any sample".to_owned());
                let tie = if by == DecidedBy::TieBreaker {
                    ", by the tie-breaker"
                } else {
                    ""
                };
                writeln!(f, "{}: rule {} ({reason}){tie}", self.agent, at + 1)?;
            }
        }
        for loser in &self.losers {
            let (number, agent) = (loser.rule + 1, &loser.agent);
            writeln!(f, "  rule {number} ({agent}) matches too: {}", loser.why)?;
        }
        for (at, part) in &self.missed {
            writeln!(f, "  rule {} does not match: it wants {part}", at + 1)?;
        }
        Ok(())
    }
}
