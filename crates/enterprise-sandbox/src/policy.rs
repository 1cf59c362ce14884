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
use crate::data::overlay::Overlay;
use crate::data::tables::TableId;
use crate::env::OfficeTask;
use crate::instance::Instance;
use crate::menu;
use crate::observation::{Feedback, Observation};
use crate::offices::Offices;
use crate::request::{Pieces, facts, is_complete};
use crate::tasks::probe::probe;
use crate::tasks::{RefusalClass, TaskEnd};
use crate::tools::office::Code;
use crate::tools::{OfficeTool, Op, ToolSet, parse};
use serde_json::{Map, Value, json};
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec, Seed};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

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
        let attempt = m.instance.right();
        let end = match attempt.ending {
            _ if chatty => Action::answer(
                "I had a good look around and everything seems to be in order.",
                Map::new(),
            ),
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

// ---------------------------------------------------------------- greedy
//
// A template matcher: it takes pieces of the request that look like an id, a date, a name or a
// quotation as the arguments of that type of the tool whose words match best.
//
// It tries the tools in the order of how well they fit, at most four, stops at the first refusal,
// and answers with the first record that has every requested fact. It never writes.

/// Maximum number of calls before it answers.
const PATIENCE: usize = 4;

/// Reads with arguments from the request, follows one link, and answers with the fields of the
/// first record.
#[derive(Debug, Default)]
struct Greedy {
    tried: BTreeSet<String>,
    found: Vec<Value>,
    refused: bool,
    calls: usize,
}

impl Policy<OfficeTask> for Greedy {
    fn act(&mut self, o: &Observation) -> Action {
        let me = menu::me(o);
        let p = Pieces::of(&o.instruction);
        self.calls += 1;
        // The requested fields may be those of the persona's own record.
        let own: Vec<&str> = o
            .asks
            .iter()
            .map(|a| a.key.as_str())
            .filter(|k| TableId::Employees.field(k).is_some())
            .collect();
        if self.calls == 1 && !own.is_empty() && own.len() == o.asks.len() && p.ids.is_empty() {
            let arguments = json!({"emp_id": me, "fields": own});
            return Action::call("employee_data_read", arguments);
        }
        let is_found = self.found.iter().any(|r| is_complete(o, r));
        if self.calls <= PATIENCE && !is_found && !self.refused {
            let options = ToolSet::Compact
                .tools(false)
                .into_iter()
                .filter(|t| t.op == Op::Read)
                .filter(|t| !self.tried.contains(t.name))
                .filter_map(|t| {
                    let (score, a) = p.arguments(t, me)?;
                    parse(t, &a).is_ok().then_some((score, t.name, a))
                });
            let best = options.min_by_key(|(score, name, _)| (std::cmp::Reverse(*score), *name));
            if let Some((_, tool, arguments)) = best {
                self.tried.insert(tool.to_owned());
                return Action::call(tool, arguments);
            }
        }
        if self.refused && self.found.is_empty() {
            return Action::refuse(RefusalClass::Denied, "The office refused.");
        }
        menu::answer(o, &self.found)
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.refused |= feedback.refused == Some(Code::AccessDenied);
        self.found.extend_from_slice(feedback.items());
    }
}

// ---------------------------------------------------------------- random
//
// Random valid calls.
//
// It makes up to six calls and then guesses. Calls are valid in form, so it exercises the office
// and not the check of arguments.

/// Reads random sources, with or without a search word, sometimes writes something small, and ends
/// with a guess.
#[derive(Debug)]
struct Random {
    seed: Seed,
    turn: u64,
    last: Vec<Value>,
}

const READS: [&str; 9] = [
    "employee_data_read",
    "enterprise_mail_system_read",
    "conversations_read",
    "github_read",
    "products_read",
    "sales_read",
    "it_service_management_read_issue",
    "social_platform_read",
    "overflow_read",
];

const WORDS: [&str; 6] = ["plan", "budget", "review", "python", "ticket", "leave"];

impl Random {
    fn new(seed: Seed) -> Self {
        Self {
            seed,
            turn: 0,
            last: Vec::new(),
        }
    }
}

impl Policy<OfficeTask> for Random {
    fn act(&mut self, o: &Observation) -> Action {
        let mut s = self.seed.stream("random", self.turn);
        self.turn += 1;
        if self.turn > 6 || s.chance(0.15) {
            if s.chance(0.1) {
                let class = s.pick(&RefusalClass::ALL).copied();
                return Action::refuse(class.unwrap_or(RefusalClass::Missing), "A guess.");
            }
            let record = s.pick(&self.last).cloned();
            return Action::answer("A guess.", facts(o, record.as_ref(), self.last.len()));
        }
        if s.chance(0.08) {
            let note = json!({"Title": "Hello", "Post": "A note."});
            return Action::call("social_platform_create", note);
        }
        let tool = s.pick(&READS).copied().unwrap_or("employee_data_read");
        if s.chance(0.5) {
            let word = s.pick(&WORDS).copied().unwrap_or("plan");
            return Action::call(tool, json!({"query": word, "limit": 5}));
        }
        Action::call(tool, json!({"limit": 5}))
    }

    fn learn(&mut self, feedback: &Feedback) {
        if !feedback.items().is_empty() {
            self.last = feedback.items().to_vec();
        }
    }
}

// ---------------------------------------------------------------- snoop
//
// A policy that tries to read other people's records.
//
// Its calls come from `probe`, which knows every identifier, so what stops it are the rules alone.
// With enforcement on it should find nothing that its persona may not read; the evaluation counts
// impersonations and leaks.

/// Attempts before it ends.
const ATTEMPTS: u64 = 12;

/// Makes well-formed calls for records of others, then answers with all values that it got.
#[derive(Debug)]
struct Snoop {
    env: OfficeTask,
    seed: Seed,
    turn: u64,
    found: Vec<Value>,
    tools: Vec<&'static OfficeTool>,
}

impl Snoop {
    fn new(env: OfficeTask, seed: Seed) -> Self {
        let tools = env.instance().surface.tools(false).into_iter();
        let tools = tools.filter(|tool| tool.op.is_data()).collect();
        Self {
            env,
            seed,
            turn: 0,
            found: Vec::new(),
            tools,
        }
    }
}

impl Policy<OfficeTask> for Snoop {
    fn act(&mut self, o: &Observation) -> Action {
        self.turn += 1;
        if self.turn > ATTEMPTS {
            let facts = facts(o, self.found.first(), self.found.len());
            return Action::answer("This is what I could get.", facts);
        }
        let mut s = self.seed.stream("snoop", self.turn);
        let overlay = Overlay::default();
        let view = self.env.office().view(&overlay);
        let me = view.employee(&self.env.instance().task.persona);
        if let (Some(tool), Some(me)) = (s.pick(&self.tools).copied(), me) {
            let arguments = probe(&view, &mut s, tool, me).arguments;
            if parse(tool, &arguments).is_ok() {
                return Action::call(tool.name, arguments);
            }
        }
        Action::call("whoami", json!({}))
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.found.extend_from_slice(feedback.items());
    }
}
