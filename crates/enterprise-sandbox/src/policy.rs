//! The built-in policies, none of which uses a language model.
//!
//! | policy | knows hidden state | what it is for |
//! |---|---|---|
//! | `null` | no | scores 0 everywhere; catches tasks that doing nothing would solve |
//! | `random` | no | a floor for learners |
//! | `greedy` | no | what word matching without a model achieves |
//! | `oracle` | the gold plan | scores 1 everywhere; catches tasks that cannot be done |
//! | `snoop` | all identifiers | tries the access rules |
//! | `chatty` | the gold plan | right writes with a wrong answer; catches scoring of writes alone |

use crate::action::Action;
use crate::env::OfficeTask;
use crate::instance::Instance;
use crate::observation::Observation;
use crate::offices::Offices;
use crate::task::{TaskEnd, right};
use serde_json::{Map, Value};
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec};
use std::collections::VecDeque;
use std::sync::Arc;

mod greedy;
mod random;
mod snoop;

use greedy::Greedy;
use random::Random;
use snoop::Snoop;

/// The policies by name: `oracle` (carries out the gold plan), `null`, `random`, `greedy`, `snoop`
/// and `chatty`. `oracle`, `snoop` and `chatty` know hidden state.
#[must_use]
pub fn policies() -> Vec<PolicySpec<OfficeTask, Instance>> {
    with_offices(Offices::of_process())
}

/// The [`policies`]; `snoop` opens its instance in one of `offices`.
pub(crate) fn with_offices(offices: &Arc<Offices>) -> Vec<PolicySpec<OfficeTask, Instance>> {
    let offices = Arc::clone(offices);
    vec![
        PolicySpec::new(
            "oracle",
            "carries out the gold plan of the task and gives its answer",
            |m| Ok(Script::of(&m, false)),
        )
        .oracle(),
        PolicySpec::new("null", "does nothing and says nothing", |_| Ok(Null)),
        PolicySpec::new(
            "random",
            "reads at random, sometimes writes, answers with what it read",
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
            "reads records of other people, whose ids it knows",
            move |m: PolicyContext<'_, Instance>| {
                let env = OfficeTask::begin(&offices, Arc::new(m.instance.clone()))?;
                Ok::<_, ConfigError>(Snoop::new(env, m.seed))
            },
        )
        .oracle()
        .random(),
        PolicySpec::new(
            "chatty",
            "carries out the gold plan, then adds text that the question did not ask for",
            |m| Ok(Script::of(&m, true)),
        )
        .oracle(),
    ]
}

/// Follows the task's gold plan, then ends the task.
#[derive(Debug)]
struct Script {
    calls: VecDeque<(String, Value)>,
    end: Action,
}

impl Script {
    /// The calls of the gold plan, and its ending or a useless answer.
    fn of(m: &PolicyContext<'_, Instance>, chatty: bool) -> Self {
        let attempt = right(&m.instance.task);
        let end = match attempt.ending {
            _ if chatty => Action::Answer {
                text: "I had a good look around and everything seems to be in order.".to_owned(),
                facts: Map::new(),
            },
            TaskEnd::Answer { text, facts } => Action::Answer { text, facts },
            TaskEnd::Refusal { class, reason } => Action::Refuse { class, reason },
            TaskEnd::None => Action::End,
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
