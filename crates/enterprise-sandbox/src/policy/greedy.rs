//! A template matcher: it takes pieces of the request that look like an id, a date, a name or a
//! quotation as the arguments of that type of the tool whose words match best.
//!
//! It tries the tools in the order of how well they fit, at most four, stops at the first refusal,
//! and answers with the first record that has every requested fact. It never writes.

use crate::action::Action;
use crate::env::OfficeTask;
use crate::observation::{Feedback, Observation};
use crate::office::Code;
use crate::request::{Pieces, facts, is_complete};
use crate::source::TableId;
use crate::task::RefusalClass;
use crate::toolset::{Op, ToolSet, parse};
use serde_json::{Value, json};
use sim_core::Policy;
use std::collections::BTreeSet;

/// Maximum number of calls before it answers.
const PATIENCE: usize = 4;

/// Reads with arguments from the request, follows one link, and answers with the fields of the
/// first record.
#[derive(Debug, Default)]
pub(super) struct Greedy {
    tried: BTreeSet<String>,
    found: Vec<Value>,
    refused: bool,
    calls: usize,
}

impl Policy<OfficeTask> for Greedy {
    fn act(&mut self, o: &Observation) -> Action {
        let me = o
            .persona
            .get("emp_id")
            .and_then(Value::as_str)
            .unwrap_or_default();
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
            return Action::Call {
                tool: "employee_data_read".to_owned(),
                arguments,
            };
        }
        let hit = self.found.iter().find(|r| is_complete(o, r)).cloned();
        if self.calls <= PATIENCE && hit.is_none() && !self.refused {
            let mut options: Vec<(usize, &'static str, Value)> = ToolSet::Compact
                .tools(false)
                .into_iter()
                .filter(|t| t.op == Op::Read)
                .filter(|t| !self.tried.contains(t.name))
                .filter_map(|t| {
                    let (score, a) = p.arguments(t, me)?;
                    parse(t, &a).is_ok().then_some((score, t.name, a))
                })
                .collect();
            options.sort_by_key(|(score, name, _)| (std::cmp::Reverse(*score), *name));
            if let Some((_, tool, arguments)) = options.into_iter().next() {
                self.tried.insert(tool.to_owned());
                return Action::Call {
                    tool: tool.to_owned(),
                    arguments,
                };
            }
        }
        if self.refused && self.found.is_empty() {
            return Action::Refuse {
                class: RefusalClass::Denied,
                reason: "The office refused.".to_owned(),
            };
        }
        let record = hit.or_else(|| self.found.last().cloned());
        Action::Answer {
            text: "This is what I found.".to_owned(),
            facts: facts(o, record.as_ref(), self.found.len()),
        }
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.refused |= feedback.refused == Some(Code::AccessDenied);
        self.found.extend_from_slice(feedback.items());
    }
}
