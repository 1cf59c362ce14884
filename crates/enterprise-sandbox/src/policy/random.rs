//! Random valid calls.
//!
//! It makes up to six calls and then guesses. Calls are valid in form, so it exercises the office
//! and not the check of arguments.

use crate::action::Action;
use crate::env::OfficeTask;
use crate::observation::{Feedback, Observation};
use crate::request::facts;
use crate::task::RefusalClass;
use serde_json::{Value, json};
use sim_core::{Policy, Seed};

/// Reads random sources, with or without a search word, sometimes writes something small, and ends
/// with a guess.
#[derive(Debug)]
pub(super) struct Random {
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
    pub(super) fn new(seed: Seed) -> Self {
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
        let call = |tool: &str, arguments: Value| Action::Call {
            tool: tool.to_owned(),
            arguments,
        };
        if self.turn > 6 || s.chance(0.15) {
            if s.chance(0.1) {
                let class = s
                    .pick(&RefusalClass::ALL)
                    .copied()
                    .unwrap_or(RefusalClass::Missing);
                return Action::Refuse {
                    class,
                    reason: "A guess.".to_owned(),
                };
            }
            let record = s.pick(&self.last).cloned();
            return Action::Answer {
                text: "A guess.".to_owned(),
                facts: facts(o, record.as_ref(), self.last.len()),
            };
        }
        if s.chance(0.08) {
            return call(
                "social_platform_create",
                json!({"Title": "Hello", "Post": "A note."}),
            );
        }
        let tool = s.pick(&READS).copied().unwrap_or("employee_data_read");
        if s.chance(0.5) {
            let word = s.pick(&WORDS).copied().unwrap_or("plan");
            return call(tool, json!({"query": word, "limit": 5}));
        }
        call(tool, json!({"limit": 5}))
    }

    fn learn(&mut self, feedback: &Feedback) {
        if !feedback.items().is_empty() {
            self.last = feedback.items().to_vec();
        }
    }
}
