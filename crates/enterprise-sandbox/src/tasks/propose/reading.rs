//! Reads a proposed task: looks up what it names, makes its calls, reads the values of its facts, and
//! collects all faults.

use super::sample::shown;
use super::{ProposalCheck, ProposalFault, ProposedTask};
use crate::data::tables::{FieldType, TableId};
use crate::data::value::{Day, plain_text, scalar_text};
use crate::tasks::check::scalars;
use crate::tasks::draft::{Claim, Ctx, Draft, Step, said_day};
use crate::tasks::rephrase::holds_whole;
use crate::tasks::{Category, FactKind};
use crate::tools::office::OfficeState;
use crate::tools::{ArgBinding, OfficeTool};
use serde_json::Value;
use std::collections::BTreeSet;

/// Largest number of steps and of facts.
const MOST_STEPS: usize = 7;
const MOST_FACTS: usize = 8;
/// Longest value that is asked for \[characters\].
const LONGEST_FACT: usize = 300;

/// A draft while it is read.
pub(super) struct Reading<'a> {
    c: &'a Ctx<'a>,
    proposed: &'a ProposedTask,
    request: String,
    /// Values that the assistant knows from the start.
    given: BTreeSet<String>,
    faults: Vec<ProposalFault>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(c: &'a Ctx<'a>, proposed: &'a ProposedTask) -> Self {
        let card = ["emp_id", "Name", "email"];
        let card = card.map(|field| plain_text(&c.text(TableId::Employees, c.me.0, field)));
        Self {
            c,
            proposed,
            request: plain_text(&proposed.request),
            given: BTreeSet::from(card),
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, check: ProposalCheck, message: impl Into<String>) {
        let message = message.into();
        self.faults.push(ProposalFault { check, message });
    }

    /// Whether the request or the person says a value; a day also in words.
    fn is_said(&self, value: &str) -> bool {
        let plain = plain_text(value);
        // A person says `12 May 2024` where conditions and arguments have `2024-05-12`.
        let in_words = Day::parse(value).map(|day| plain_text(&said_day(day)));
        self.given.contains(&plain)
            || holds_whole(&self.request, &plain)
            || in_words.is_some_and(|words| holds_whole(&self.request, &words))
    }

    pub(super) fn read(mut self, category: Category) -> Result<Draft, Vec<ProposalFault>> {
        let mut draft = Draft::default();
        self.records(&mut draft);
        let state = self.steps(&mut draft);
        self.says(&mut draft);
        if let Some(state) = state {
            self.facts(&mut draft, &state);
        }
        if category == Category::Search && self.proposed.facts.is_empty() {
            let message = "a request that looks something up needs at least one fact";
            self.fault(ProposalCheck::Facts, message);
        }
        match self.faults.is_empty() {
            true => Ok(draft),
            false => Err(self.faults),
        }
    }

    /// The records with their conditions.
    fn records(&mut self, draft: &mut Draft) {
        if self.proposed.records.is_empty() {
            self.fault(ProposalCheck::Form, "no records are named");
        }
        let mut known = BTreeSet::new();
        for (n, record) in self.proposed.records.iter().enumerate() {
            let source = record.source;
            let mut conditions = Vec::new();
            for (k, condition) in record.conditions.iter().enumerate() {
                let field = condition.field.as_str();
                let is_field = source.field(field).is_some_and(|f| !f.restricted)
                    || (field == "participant" && source.is_private());
                if !is_field || !COMPARISONS.contains(&condition.is.as_str()) {
                    let is = &condition.is;
                    let message =
                        format!("records[{n}]: `{field}` `{is}` is not a condition on {source}");
                    self.fault(ProposalCheck::Form, message);
                    continue;
                }
                let value = &condition.value;
                if !self.is_said(value) && !known.contains(&plain_text(value)) {
                    let where_not = "is neither in the request nor in a record before";
                    self.fault(
                        ProposalCheck::Known,
                        format!("records[{n}]: `{value}` {where_not}"),
                    );
                }
                // A slot, because a rephrasing must keep what tells the records apart.
                draft.slots.insert(format!("{n}_{k}"), value.clone());
                conditions.push(condition.clone());
            }
            let mut rows = Vec::new();
            for id in &record.ids {
                match self.c.view.find(source, id) {
                    Some(row) if self.c.reads(source, row) => rows.push(row),
                    _ => self.fault(
                        ProposalCheck::Form,
                        format!("records[{n}]: there is no {} `{id}`", source.noun()),
                    ),
                }
            }
            // A model may name a record twice; a claim is about different ones.
            rows.sort_unstable();
            rows.dedup();
            for row in &rows {
                scalars(&shown(self.c, source, *row), &mut known);
                draft.rows.push((source, *row));
            }
            draft.claims.push(Claim {
                source,
                conditions,
                rows,
            });
        }
    }

    /// The steps; the state after them, if all of them could be made.
    fn steps(&mut self, draft: &mut Draft) -> Option<OfficeState> {
        let count = self.proposed.steps.len();
        if !(1..=MOST_STEPS).contains(&count) {
            let message = format!("{count} steps, but a task has 1 to {MOST_STEPS}");
            self.fault(ProposalCheck::Form, message);
            return None;
        }
        let mut state = OfficeState::default();
        let mut replies: Vec<BTreeSet<String>> = Vec::new();
        for (n, step) in self.proposed.steps.iter().enumerate() {
            let tool = crate::tools::find(&step.tool).filter(|tool| tool.op.is_data());
            let Some(tool) = tool else {
                let message = format!("steps[{n}]: there is no tool `{}`", step.tool);
                self.fault(ProposalCheck::Form, message);
                return None;
            };
            let arguments = Value::Object(step.arguments.clone());
            let depends = self.known(n, tool, &replies);
            let (office, me) = (self.c.office, self.c.me);
            let reply = match office.call(&mut state, me, tool.name, &arguments) {
                Ok(reply) => match reply.refused {
                    None => Ok(reply.body),
                    Some(code) => Err(format!("refused, {code}")),
                },
                Err(e) => Err(e.message),
            };
            let mut found = BTreeSet::new();
            match reply {
                Ok(body) => scalars(&body, &mut found),
                // The other steps need what this one did not give, so their faults would only mislead.
                Err(why) => {
                    self.fault(ProposalCheck::Plan, format!("steps[{n}]: {why}"));
                    return None;
                }
            }
            replies.push(found);
            draft.steps.push(Step {
                subgoal: step.subgoal.clone(),
                tool: tool.name,
                arguments,
                depends,
                facts: Vec::new(),
            });
        }
        Some(state)
    }

    /// Checks that the values of step `n` are known by then. Returns the earlier steps that gave some.
    fn known(&mut self, n: usize, tool: &OfficeTool, replies: &[BTreeSet<String>]) -> Vec<usize> {
        let mut depends = BTreeSet::new();
        let Some(step) = self.proposed.steps.get(n) else {
            return Vec::new();
        };
        let worded: Vec<&str> = self
            .proposed
            .says
            .iter()
            .filter(|words| words.step == n + 1)
            .map(|words| words.field.as_str())
            .collect();
        for (name, value) in &step.arguments {
            let binding = tool.args.iter().find(|arg| arg.name == name);
            let is_free = binding.is_none_or(|arg| {
                matches!(
                    arg.binding,
                    ArgBinding::Fields
                        | ArgBinding::Limit
                        | ArgBinding::Cursor
                        | ArgBinding::CodeKind
                        | ArgBinding::TopK
                        | ArgBinding::Version
                        | ArgBinding::Unused
                )
            });
            if is_free || worded.contains(&name.as_str()) {
                continue;
            }
            let mut values = Vec::new();
            leaves(value, name, &mut values);
            for (field, value) in values {
                if worded.contains(&field) || self.is_said(&value) {
                    continue;
                }
                let plain = plain_text(&value);
                let before = replies.iter().position(|found| found.contains(&plain));
                match before {
                    Some(step) => {
                        depends.insert(step);
                    }
                    None => {
                        let where_not = "is neither in the request nor in an earlier reply";
                        let message = format!("steps[{n}]: `{value}` of `{field}` {where_not}");
                        self.fault(ProposalCheck::Known, message);
                    }
                }
            }
        }
        depends.into_iter().collect()
    }

    /// Texts that the assistant words.
    fn says(&mut self, draft: &mut Draft) {
        for (n, words) in self.proposed.says.iter().enumerate() {
            let step = words.step.checked_sub(1);
            let step = step.filter(|step| *step < draft.steps.len());
            let tool = step.and_then(|step| crate::tools::find(draft.steps.get(step)?.tool));
            let field = tool.and_then(|tool| {
                let mut sources = tool.sources().iter();
                sources.find_map(|source| source.field(&words.field))
            });
            let (Some(step), Some(field)) = (step, field) else {
                let message = format!("says[{n}]: step {} writes no `{}`", words.step, words.field);
                self.fault(ProposalCheck::Form, message);
                continue;
            };
            if words.words.iter().all(|word| word.trim().is_empty()) {
                self.fault(ProposalCheck::Form, format!("says[{n}]: it needs words"));
            }
            draft.says.push((step, field.name, words.words.clone()));
        }
    }

    /// The facts, read from the records.
    fn facts(&mut self, draft: &mut Draft, state: &OfficeState) {
        if self.proposed.facts.len() > MOST_FACTS {
            let message = format!(
                "{} facts, but a request has at most {MOST_FACTS}",
                self.proposed.facts.len()
            );
            self.fault(ProposalCheck::Facts, message);
        }
        let mut keys = BTreeSet::new();
        for (n, fact) in self.proposed.facts.iter().enumerate() {
            let claim = fact
                .record
                .checked_sub(1)
                .and_then(|at| draft.claims.get(at));
            let found = claim.and_then(|claim| Some((claim, claim.source.field(&fact.field)?)));
            let Some((claim, field)) = found else {
                self.fault(
                    ProposalCheck::Form,
                    format!("facts[{n}]: there is no such record or field"),
                );
                continue;
            };
            let source = claim.source;
            let values: Vec<Value> = claim
                .rows
                .iter()
                .map(|row| self.c.get(source, *row, field.name))
                .collect();
            let texts: Vec<&Value> = values
                .iter()
                .flat_map(|value| match value {
                    Value::Array(list) => list.iter().collect(),
                    one => vec![one],
                })
                .collect();
            let is_short = texts.iter().all(|value| {
                scalar_text(value).is_some_and(|text| text.chars().count() <= LONGEST_FACT)
            });
            let is_read = claim
                .rows
                .iter()
                .all(|row| state.seen.contains(&(source, *row)));
            let told = !fact.key.trim().is_empty() && keys.insert(fact.key.clone());
            if !(is_short && is_read && told && !values.is_empty()) {
                self.fault(
                    ProposalCheck::Facts,
                    format!(
                        "facts[{n}]: it needs a key of its own and a value of at most {LONGEST_FACT} \
                         characters in a record that a step reads"
                    ),
                );
                continue;
            }
            let (kind, value) = match <[Value; 1]>::try_from(values) {
                Ok([one]) => (kind_of(field.kind), one),
                Err(several) => (FactKind::List, Value::Array(several)),
            };
            draft.fact(&fact.key, kind, value, false);
        }
    }
}

/// Comparisons of conditions.
pub(super) const COMPARISONS: [&str; 7] = ["is", "has", "starts", "ends", "mentions", "from", "to"];

/// How a fact of a field is compared.
fn kind_of(field: FieldType) -> FactKind {
    match field {
        FieldType::Id | FieldType::Link(_) | FieldType::Choice(_) | FieldType::Level => {
            FactKind::Id
        }
        FieldType::Text(_) | FieldType::Moment => FactKind::Text,
        FieldType::Whole(..) | FieldType::Money | FieldType::Rating => FactKind::Number,
        FieldType::Day => FactKind::Date,
        FieldType::Flag => FactKind::YesNo,
        FieldType::Words => FactKind::List,
    }
}

/// All scalars of a value, each with the name of its field.
fn leaves<'v>(value: &'v Value, name: &'v str, out: &mut Vec<(&'v str, String)>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| leaves(v, name, out)),
        Value::Object(map) => map.iter().for_each(|(k, v)| leaves(v, k, out)),
        // No request says `true`, so a truth value need not be known from one.
        Value::Bool(_) => {}
        other => out.extend(scalar_text(other).map(|text| (name, text))),
    }
}
