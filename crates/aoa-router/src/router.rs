//! Applies a policy to samples.
//!
//! For a sample:
//!
//! 1. The rules whose conditions all hold are the matching ones. A condition on an unknown feature
//!    does not hold; that is not an error.
//! 2. They are ordered: as in the file ([`Conflict::FirstMatch`]), or by the number of their
//!    conditions in descending order, equal ones as in the file ([`Conflict::MostSpecific`]). The
//!    first one leads.
//! 3. A matching rule that names another agent contends if both it and the leading rule have a
//!    measured gain and the two gains differ by less than the policy's margin. Then the tie-breaker
//!    chooses among the agents of these rules; if it prefers none, the leading rule wins.
//! 4. Without a matching rule the default agent gets the sample.
//!
//! The paper leaves order and ties open; these rules are Boardroom's.

mod explain;

pub use explain::{DecidedBy, Explanation, Loser};

use crate::agents::{Agents, folded};
use crate::policy::{Conflict, Part, RoutingPolicy, TieBreaker};
use crate::sample::Sample;
use sim_core::ConfigError;

/// A policy, prepared for routing.
///
/// It holds the policy in a form in which [`choose`](Self::choose) allocates nothing, so it can route millions of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Router {
    agents: Agents,
    default_agent: usize,
    tie_breaker: TieBreaker,
    min_margin: f64,
    conflict: Conflict,
    rules: Vec<Ready>,
    /// Whether any rule has a gain; without gains there are no ties.
    has_gains: bool,
}

/// A rule, prepared for routing.
#[derive(Debug, Clone, PartialEq)]
struct Ready {
    parts: Vec<Part>,
    agent: usize,
    gain: Option<f64>,
}

impl Ready {
    fn matches(&self, sample: &Sample) -> bool {
        self.parts.iter().all(|part| part.holds(sample))
    }
}

/// The choice for a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteChoice<'r> {
    /// The agent.
    pub agent: &'r str,
    /// The index of the deciding rule in the policy; absent for the default agent.
    pub rule: Option<usize>,
    /// Whether the tie-breaker decided.
    pub tied: bool,
}

/// A choice with numbers instead of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) agent: usize,
    pub(crate) rule: Option<usize>,
    pub(crate) tied: bool,
}

impl Router {
    /// The router that follows `policy` with `agents`.
    ///
    /// # Errors
    /// When the policy names an agent that is not among them or cannot be followed; says where.
    ///
    /// # Example
    /// ```
    /// use aoa_router::{Agents, Bucket, RoutingPlaybook, Router, Sample, Strictness};
    ///
    /// let text = r#"{"routing_policy": {"default_agent": "GEPA", "rules": [
    ///     {"when": {"capability": "DK", "difficulty_bucket": "hard"}, "choose": "ACE"}]}}"#;
    /// let policy = RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict)?.value;
    /// let router = Router::new(&policy.routing_policy, &Agents::methods())?;
    /// let sample = Sample {
    ///     capability: Some("Domain Knowledge".to_owned()),
    ///     difficulty_bucket: Bucket::Hard,
    ///     ..Sample::default()
    /// };
    /// assert_eq!(router.choose(&sample).agent, "ace");
    /// assert_eq!(router.choose(&Sample::default()).agent, "gepa");
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    pub fn new(policy: &RoutingPolicy, agents: &Agents) -> Result<Self, ConfigError> {
        // A policy need not come from a file that was checked when it was read.
        policy.check(agents, &|steps, text| {
            ConfigError::new(crate::json_path::path(steps), text)
        })?;
        let rules = policy.rules.iter().map(|rule| {
            Ok(Ready {
                parts: rule.when.parts(),
                agent: agents.known_at("rules", &rule.choose)?,
                gain: rule.evidence.map(|evidence| evidence.gain),
            })
        });
        let rules = rules.collect::<Result<Vec<Ready>, ConfigError>>()?;
        Ok(Self {
            agents: agents.clone(),
            default_agent: agents.known_at("default_agent", &policy.default_agent)?,
            tie_breaker: policy.tie_breaker,
            min_margin: policy.min_margin,
            conflict: policy.conflict,
            has_gains: rules.iter().any(|rule| rule.gain.is_some()),
            rules,
        })
    }

    /// Chooses the agent for `sample`.
    ///
    /// # Complexity
    /// Proportional to the number of conditions; allocates nothing.
    #[must_use]
    pub fn choose(&self, sample: &Sample) -> RouteChoice<'_> {
        let chosen = self.choose_number(sample);
        RouteChoice {
            agent: self.name(chosen.agent),
            rule: chosen.rule,
            tied: chosen.tied,
        }
    }

    /// The agents that it may choose among.
    #[must_use]
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The agent that gets samples without a matching rule.
    #[must_use]
    pub fn default_agent(&self) -> &str {
        self.name(self.default_agent)
    }

    /// The agents that it can actually choose: the default agent and those of the rules.
    #[must_use]
    pub fn choosable(&self) -> Vec<&str> {
        let mut numbers: Vec<usize> = self.rules.iter().map(|rule| rule.agent).collect();
        numbers.push(self.default_agent);
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|at| self.name(at)).collect()
    }

    fn name(&self, agent: usize) -> &str {
        self.agents.name(agent)
    }

    pub(crate) fn choose_number(&self, sample: &Sample) -> Chosen {
        let Some((at, lead)) = self.lead(sample) else {
            return Chosen {
                agent: self.default_agent,
                rule: None,
                tied: false,
            };
        };
        let mut best = (at, lead);
        // Without a gain of its own the leading rule was written by somebody, who meant its place in the file.
        if self.has_gains && lead.gain.is_some() {
            for (other_at, other) in self.rules.iter().enumerate() {
                // Measured against the leading rule and not the best so far: steps below the margin
                // must not add up.
                if self.contends(other, lead)
                    && other.matches(sample)
                    && self.is_preferred(other.agent, best.1.agent)
                {
                    best = (other_at, other);
                }
            }
        }
        Chosen {
            agent: best.1.agent,
            rule: Some(best.0),
            tied: best.0 != at,
        }
    }

    /// The first matching rule.
    fn lead(&self, sample: &Sample) -> Option<(usize, &Ready)> {
        let mut matching = self
            .rules
            .iter()
            .enumerate()
            .filter(|it| it.1.matches(sample));
        match self.conflict {
            Conflict::FirstMatch => matching.next(),
            // `max_by_key` returns the last of equal elements, so later rules need a smaller key.
            Conflict::MostSpecific => {
                matching.max_by_key(|(at, rule)| (rule.parts.len(), usize::MAX - at))
            }
        }
    }

    /// Whether `other` is as good as the leading rule and names another agent.
    fn contends(&self, other: &Ready, lead: &Ready) -> bool {
        let gains = other.gain.zip(lead.gain);
        other.agent != lead.agent
            && gains.is_some_and(|(other, lead)| (other - lead).abs() < self.min_margin)
    }

    /// Whether the tie-breaker prefers agent `other` to `than`.
    fn is_preferred(&self, other: usize, than: usize) -> bool {
        match self.tie_breaker {
            TieBreaker::PreferDefault => other == self.default_agent && than != other,
            TieBreaker::PreferSimpler => self.agents.calls(other) < self.agents.calls(than),
            TieBreaker::PreferAce => {
                // Names in files may be written `ACE`, as in the paper.
                let is_ace = |agent| folded(self.name(agent)) == "ace";
                is_ace(other) && !is_ace(than)
            }
        }
    }
}
