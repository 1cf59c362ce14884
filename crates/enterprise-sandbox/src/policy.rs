//! Policies without a model.

use crate::environment::{Action, Feedback, Instance, Observation, OfficeTask};
use crate::family::OfficeFamily;
use crate::task::right;
use serde_json::Map;
use sim_core::{ConfigError, EnvironmentSpec as _, Policy, PolicyContext, PolicySpec};
use std::collections::VecDeque;
use std::sync::Arc;

mod greedy;
mod random;
mod snoop;

use crate::evaluate::Ending;
use greedy::Greedy;
use random::Random;
use snoop::Snoop;

/// The policies by name. `family` is used by the policy that knows every identifier.
pub(crate) fn specs(family: &OfficeFamily) -> Vec<PolicySpec<OfficeTask, Instance>> {
    let family = family.clone();
    vec![
        PolicySpec::new(
            "oracle",
            "carries out the plan of the task and gives its answer",
            |m| Ok(Script::of(&m, false)),
        )
        .oracle(),
        PolicySpec::new("null", "does nothing and says nothing", |_| Ok(Null)),
        PolicySpec::new(
            "random",
            "reads here and there, sometimes writes, answers with what it saw",
            |m: PolicyContext<'_, Instance>| Ok(Random::new(m.seed)),
        )
        .random(),
        PolicySpec::new(
            "greedy",
            "matches ids, dates, names and quoted words of the request with the arguments of tools",
            |_| Ok(Greedy::default()),
        ),
        PolicySpec::new(
            "snoop",
            "goes for other people's records, whose ids it knows",
            move |m: PolicyContext<'_, Instance>| {
                let env = family.begin(Arc::new(m.instance.clone()))?;
                Ok::<_, ConfigError>(Snoop::new(env, m.seed))
            },
        )
        .oracle()
        .random(),
        PolicySpec::new(
            "chatty",
            "carries out the plan, then talks past the question",
            |m| Ok(Script::of(&m, true)),
        )
        .oracle(),
    ]
}

/// Follows the task's gold plan, then ends the task.
#[derive(Debug)]
struct Script {
    calls: VecDeque<(String, serde_json::Value)>,
    end: Action,
}

impl Script {
    fn of(m: &PolicyContext<'_, Instance>, chatty: bool) -> Self {
        let attempt = right(&m.instance.task);
        let end = match attempt.ending {
            _ if chatty => Action::Answer {
                text: "I had a good look around and everything seems to be in order.".to_owned(),
                facts: Map::new(),
            },
            Ending::Answer { text, facts } => Action::Answer { text, facts },
            Ending::Refusal { class, reason } => Action::Refuse { class, reason },
            Ending::None => Action::End,
        };
        Self {
            calls: attempt.calls.into(),
            end,
        }
    }
}

impl Policy<OfficeTask> for Script {
    fn act(&mut self, _: &Observation) -> Action {
        match self.calls.pop_front() {
            Some((tool, arguments)) => Action::Call { tool, arguments },
            None => self.end.clone(),
        }
    }
}

/// Ends the task at once.
#[derive(Debug)]
struct Null;

impl Policy<OfficeTask> for Null {
    fn act(&mut self, _: &Observation) -> Action {
        Action::End
    }
}

/// Facts for the requested keys, from the fields of a record.
fn facts_from(
    o: &Observation,
    record: Option<&serde_json::Value>,
    items: usize,
) -> Map<String, serde_json::Value> {
    let mut facts = Map::new();
    for ask in &o.asks {
        let found = record
            .and_then(|r| r.get(&ask.key))
            .filter(|v| !v.is_null());
        match (found, ask.kind) {
            (Some(value), _) => {
                facts.insert(ask.key.clone(), value.clone());
            }
            (None, crate::task::FactKind::YesNo) => {
                facts.insert(ask.key.clone(), if items > 0 { "YES" } else { "NO" }.into());
            }
            (None, crate::task::FactKind::Number) => {
                facts.insert(ask.key.clone(), items.into());
            }
            _ => {}
        }
    }
    facts
}

/// The records of a reply.
fn items(feedback: &Feedback) -> Vec<serde_json::Value> {
    let list = feedback.reply.get("items").and_then(|v| v.as_array());
    list.cloned().unwrap_or_default()
}
