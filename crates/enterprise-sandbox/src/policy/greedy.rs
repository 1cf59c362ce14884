//! A template matcher: it takes pieces of the request that look like an id, a date, a name or a
//! quotation as the arguments of that type of the tool whose words match best.

use super::{facts_from, items};
use crate::environment::{Action, Feedback, Observation, OfficeTask};
use crate::task::RefusalClass;
use crate::tool::{ArgBinding, Filter, Op, Tool, ToolSet, surface};
use serde_json::{Map, Value, json};
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

/// The typed pieces of a request.
#[derive(Debug, Default)]
struct Pieces {
    people: Vec<String>,
    ids: Vec<String>,
    dates: Vec<String>,
    names: Vec<String>,
    quotes: Vec<String>,
    words: BTreeSet<String>,
}

fn pieces(text: &str) -> Pieces {
    let mut out = Pieces::default();
    let mut parts = text.split('"');
    let _ = parts.next();
    while let Some(quoted) = parts.next() {
        out.quotes.push(quoted.to_owned());
        let _ = parts.next();
    }
    let mut run: Vec<&str> = Vec::new();
    for raw in text.split_whitespace() {
        let ends = |c: char| !c.is_alphanumeric();
        let word = raw.trim_matches(ends);
        let capital = word.chars().next().is_some_and(char::is_uppercase);
        let letters = word.chars().all(char::is_alphabetic);
        if capital && letters && word.len() > 1 {
            run.push(word);
        } else {
            run.clear();
        }
        if let [.., given, family] = run.as_slice() {
            out.names.push(format!("{given} {family}"));
        }
        if raw.ends_with(['.', '?', '!', ',']) {
            run.clear();
        }
        let digits = word.chars().filter(char::is_ascii_digit).count();
        if word.starts_with("emp_") {
            out.people.push(word.to_owned());
        } else if crate::value::Day::parse(word).is_some() {
            out.dates.push(word.to_owned());
        } else if digits > 0 || word.contains(['/', '_']) {
            out.ids.push(word.to_owned());
        }
        out.words
            .insert(word.to_lowercase().trim_end_matches('s').to_owned());
    }
    out
}

impl Greedy {
    /// Arguments of a read from the pieces; `None` if none fits.
    fn arguments(tool: &Tool, p: &Pieces, me: &str) -> Option<(usize, Value)> {
        let mut out = Map::new();
        let mut score = 0;
        let about = format!(
            "{} {}",
            tool.name.replace('_', " "),
            tool.about.to_lowercase()
        );
        for word in about
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| w.len() > 3)
        {
            score += usize::from(p.words.contains(word.trim_end_matches('s')));
        }
        for arg in tool.args {
            let value = match arg.role {
                ArgBinding::Key if tool.source == crate::TableId::Employees => p.people.first(),
                ArgBinding::Key | ArgBinding::Repo | ArgBinding::IssueId => p.ids.first(),
                ArgBinding::Filter(Filter::Link(_) | Filter::Participant) => p.people.first(),
                ArgBinding::Filter(Filter::From(_) | Filter::To(_)) => p.dates.first(),
                ArgBinding::Filter(Filter::Same("Name")) => p.names.last(),
                ArgBinding::Query => p.quotes.first(),
                _ => None,
            };
            if let Some(value) = value
                && (!matches!(arg.role, ArgBinding::IssueId | ArgBinding::Repo)
                    || value.contains(['/', '-']))
            {
                out.insert(arg.name.to_owned(), json!(value));
                score += 3;
            }
        }
        if tool.source == crate::TableId::Employees && out.is_empty() {
            out.insert("emp_id".to_owned(), json!(me));
        }
        (!out.is_empty()).then_some((score, Value::Object(out)))
    }
}

impl Policy<OfficeTask> for Greedy {
    fn act(&mut self, o: &Observation) -> Action {
        let me = o
            .persona
            .get("emp_id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let p = pieces(&o.instruction);
        self.calls += 1;
        // The requested fields may be those of the persona's own record.
        let own: Vec<&str> = o
            .asks
            .iter()
            .map(|a| a.key.as_str())
            .filter(|k| crate::TableId::Employees.field(k).is_some())
            .collect();
        if self.calls == 1 && !own.is_empty() && own.len() == o.asks.len() && p.ids.is_empty() {
            let arguments = json!({"emp_id": me, "fields": own});
            return Action::Call {
                tool: "employee_data_read".to_owned(),
                arguments,
            };
        }
        let complete = |r: &Value| {
            o.asks
                .iter()
                .all(|a| r.get(&a.key).is_some_and(|v| !v.is_null()))
        };
        let hit = self.found.iter().find(|r| complete(r)).cloned();
        if self.calls <= PATIENCE && hit.is_none() && !self.refused {
            let mut options: Vec<(usize, &'static str, Value)> = surface(ToolSet::Compact, false)
                .into_iter()
                .filter(|t| t.op == Op::Read)
                .filter_map(|t| Self::arguments(t, &p, me).map(|(score, a)| (score, t.name, a)))
                .filter(|(_, name, a)| {
                    !self.tried.contains(*name) && crate::Office::check_call(name, a).is_ok()
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
            facts: facts_from(o, record.as_ref(), self.found.len()),
        }
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.refused |= feedback.refused == Some(crate::office::Code::AccessDenied);
        self.found.extend(items(feedback));
    }
}
