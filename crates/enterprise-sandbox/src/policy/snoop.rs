//! A policy that tries to read other people's records.
//!
//! Its calls come from [`probe`](crate::probe::probe()), which knows every identifier, so what
//! stops it are the rules alone. With enforcement on it should find nothing that its persona may
//! not read; the evaluation counts impersonations and leaks.

use crate::action::Action;
use crate::env::OfficeTask;
use crate::observation::{Feedback, Observation};
use crate::overlay::Overlay;
use crate::probe::probe;
use crate::request::facts;
use crate::toolset::{OfficeTool, Op, parse};
use serde_json::{Value, json};
use sim_core::{Policy, Seed};

/// Attempts before it ends.
const ATTEMPTS: u64 = 12;

/// Makes well-formed calls for records of others, then answers with all values that it got.
#[derive(Debug)]
pub(super) struct Snoop {
    env: OfficeTask,
    seed: Seed,
    turn: u64,
    found: Vec<Value>,
    tools: Vec<&'static OfficeTool>,
}

impl Snoop {
    pub(super) fn new(env: OfficeTask, seed: Seed) -> Self {
        let tools = env
            .instance()
            .surface
            .tools(false)
            .into_iter()
            .filter(|t| {
                matches!(
                    t.op,
                    Op::Read | Op::Create | Op::Update | Op::Delete | Op::Document
                )
            })
            .collect();
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
            return Action::Answer {
                text: "This is what I could get.".to_owned(),
                facts: facts(o, self.found.first(), self.found.len()),
            };
        }
        let mut s = self.seed.stream("snoop", self.turn);
        let overlay = Overlay::default();
        let view = self.env.office().view(&overlay);
        let me = view.employee(&self.env.instance().task.persona);
        if let (Some(tool), Some(me)) = (s.pick(&self.tools).copied(), me) {
            let arguments = probe(&view, &mut s, tool, me).arguments;
            if parse(tool, &arguments).is_ok() {
                return Action::Call {
                    tool: tool.name.to_owned(),
                    arguments,
                };
            }
        }
        Action::Call {
            tool: "whoami".to_owned(),
            arguments: json!({}),
        }
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.found.extend_from_slice(feedback.items());
    }
}
