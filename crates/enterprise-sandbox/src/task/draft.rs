//! The context of a template, and the draft that it writes.
//!
//! A template is a function from a context to a draft. It draws only rows that the persona may read
//! ([`Ctx::any`], [`Ctx::linked`]). It returns `None` whenever the drawn rows do not suit it (no
//! second mail in the thread, a name that two people share), and the generator tries another
//! persona.
//!
//! ```text
//!  Draft::new(phrases)            wordings with {slots}
//!    .slot("name", ..)            values of the slots
//!    .step(..).then(..).last(..)  the plan: independent, after the last step, after all steps
//!    .fact(..).worked_out(..)     facts that the last step gives
//!    .claim(source, conditions, rows)   why there is one answer
//!    .row(source, row)            provenance
//!    .refused(class, act, forbidden)    or: why it cannot be done
//! ```
//!
//! The values in a draft are suggestions until the [checks](super::check) have run the plan.

use super::{Fact, FactKind, RefusalClass, TaskDomain};
use crate::access::{Access, Act};
use crate::company::Company;
use crate::office::Office;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::{row_no, scalar_text};
use crate::view::CompanyView;
use serde_json::{Value, json};
use sim_core::Stream;
use std::collections::BTreeMap;

/// The context of a template: the office, the persona, random numbers. Nothing is written while a
/// template draws, so the view is that of the untouched company.
pub(super) struct Ctx<'a> {
    pub(super) office: &'a Office,
    pub(super) view: CompanyView<'a>,
    /// The persona; an active person of a department of the domain.
    pub(super) me: EmployeeNo,
    pub(super) domain: TaskDomain,
    /// The stream of this attempt.
    pub(super) s: Stream,
    /// The wanted answer of a yes-or-no question. Drawn once for a task, not for an attempt, so that
    /// the rarer answer is not lost to failed attempts.
    pub(super) coin: bool,
}

/// One step of a plan. `depends` has the places of earlier steps whose result it needs, `facts` the
/// keys of the facts that it gives.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) subgoal: String,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) depends: Vec<usize>,
    pub(super) facts: Vec<String>,
}

/// The claim that conditions leave exactly these rows. A condition is a field, a comparison (`is`,
/// `has`, `starts`, `ends`, `mentions`, `from`, `to`) and a value; `participant` stands for either person of a mail or
/// conversation.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) source: TableId,
    pub(super) conditions: Vec<(String, &'static str, String)>,
    pub(super) rows: Vec<u32>,
}

/// A task under construction.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// Wordings, of which the generator chooses one.
    pub(super) phrases: Vec<&'static str>,
    pub(super) slots: BTreeMap<String, String>,
    pub(super) steps: Vec<Step>,
    pub(super) facts: Vec<Fact>,
    /// Free texts: step, field, words that they must contain.
    pub(super) says: Vec<(usize, &'static str, Vec<String>)>,
    /// For a refusal, the last claim is about what is missing or ambiguous.
    pub(super) claims: Vec<Claim>,
    pub(super) refusal: Option<(RefusalClass, Option<(Act, TableId)>)>,
    /// Values that must not be disclosed, of at least three characters: shorter ones occur in texts
    /// by chance.
    pub(super) forbidden: Vec<String>,
    /// Provenance.
    pub(super) rows: Vec<(TableId, u32)>,
}

impl Draft {
    /// A draft with its wordings.
    pub(super) fn new(phrases: &[&'static str]) -> Self {
        Self {
            phrases: phrases.to_vec(),
            ..Self::default()
        }
    }

    /// A value in the wording.
    pub(super) fn slot(mut self, name: &str, value: impl Into<String>) -> Self {
        self.slots.insert(name.to_owned(), value.into());
        self
    }

    /// A step without dependencies.
    pub(super) fn step(
        mut self,
        subgoal: impl Into<String>,
        tool: &'static str,
        arguments: Value,
    ) -> Self {
        self.steps.push(Step {
            subgoal: subgoal.into(),
            tool,
            arguments,
            depends: Vec::new(),
            facts: Vec::new(),
        });
        self
    }

    /// A step that needs the result of the previous one.
    pub(super) fn then(
        self,
        subgoal: impl Into<String>,
        tool: &'static str,
        arguments: Value,
    ) -> Self {
        let before = self.steps.len().checked_sub(1);
        let mut out = self.step(subgoal, tool, arguments);
        if let Some(step) = out.steps.last_mut() {
            step.depends.extend(before);
        }
        out
    }

    /// A step that needs the results of all previous ones.
    pub(super) fn last(
        self,
        subgoal: impl Into<String>,
        tool: &'static str,
        arguments: Value,
    ) -> Self {
        let before = self.steps.len();
        let mut out = self.step(subgoal, tool, arguments);
        if let Some(step) = out.steps.last_mut() {
            step.depends.extend(0..before);
        }
        out
    }

    fn add(mut self, key: &str, kind: FactKind, value: Value, derived: bool) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.facts.push(key.to_owned());
        }
        let money = kind == FactKind::Number && value.as_i64().is_none();
        self.facts.push(Fact {
            key: key.to_owned(),
            kind,
            value,
            tolerance: if money { 0.005 } else { 0.0 },
            required: true,
            derived,
        });
        self
    }

    /// A fact that occurs in a record.
    pub(super) fn fact(self, key: &str, kind: FactKind, value: Value) -> Self {
        self.add(key, kind, value, false)
    }

    /// What a request that cannot be done asks for, so that its form does not give it away.
    pub(super) fn asked(mut self, key: &str, kind: FactKind) -> Self {
        self.facts.push(Fact {
            key: key.to_owned(),
            kind,
            value: Value::Null,
            tolerance: 0.0,
            required: false,
            derived: true,
        });
        self
    }

    /// A derived fact.
    pub(super) fn worked_out(self, key: &str, kind: FactKind, value: Value) -> Self {
        self.add(key, kind, value, true)
    }

    /// The last step's field is a free text that must contain these words.
    pub(super) fn says(mut self, field: &'static str, parts: &[String]) -> Self {
        if let Some(step) = self.steps.len().checked_sub(1) {
            self.says.push((step, field, parts.to_vec()));
        }
        self
    }

    /// Conditions that leave exactly these rows.
    pub(super) fn claim(
        mut self,
        source: TableId,
        conditions: &[(&str, &'static str, String)],
        rows: &[u32],
    ) -> Self {
        self.claims.push(Claim {
            source,
            conditions: conditions
                .iter()
                .map(|(f, i, v)| ((*f).to_owned(), *i, v.clone()))
                .collect(),
            rows: rows.to_vec(),
        });
        self
    }

    /// A row on which the task is based.
    pub(super) fn row(mut self, source: TableId, row: u32) -> Self {
        self.rows.push((source, row));
        self
    }

    /// The right ending is this refusal.
    pub(super) fn refused(
        mut self,
        class: RefusalClass,
        action: Option<(Act, TableId)>,
        forbidden: &[String],
    ) -> Self {
        self.refusal = Some((class, action));
        self.forbidden = forbidden.iter().filter(|v| v.len() >= 3).cloned().collect();
        self
    }
}

impl<'a> Ctx<'a> {
    pub(super) fn company(&self) -> &'a Company {
        self.view.company
    }

    pub(super) fn access(&self) -> &'a Access {
        self.office.access()
    }

    pub(super) fn my_id(&self) -> String {
        self.id(self.me)
    }

    pub(super) fn id(&self, person: EmployeeNo) -> String {
        self.view.id(TableId::Employees, person.0)
    }

    pub(super) fn name(&self, person: EmployeeNo) -> String {
        self.view.text(TableId::Employees, person.0, "Name")
    }

    pub(super) fn get(&self, source: TableId, row: u32, field: &str) -> Value {
        self.view.get(source, row, field)
    }

    pub(super) fn text(&self, source: TableId, row: u32, field: &str) -> String {
        self.view.text(source, row, field)
    }

    pub(super) fn key(&self, source: TableId, row: u32) -> Value {
        self.view.get(source, row, source.key())
    }

    /// A number from a range.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.s.between(low, high)
    }

    /// A row of a list.
    pub(super) fn pick(&mut self, rows: &[u32]) -> Option<u32> {
        self.s.pick(rows).copied()
    }

    /// A row of a source, readable for the persona.
    pub(super) fn any(&mut self, source: TableId) -> Option<u32> {
        for _ in 0..12 {
            let row = row_no(self.s.index(self.view.rows(source) as usize));
            if self.reads(source, row) {
                return Some(row);
            }
        }
        None
    }

    /// Whether the persona may read a row.
    pub(super) fn reads(&self, source: TableId, row: u32) -> bool {
        self.view.exists(source, row) && self.access().may_read(&self.view, self.me, source, row)
    }

    /// Rows of a source that link to a record, readable for the persona.
    pub(super) fn linked(&self, source: TableId, field: &str, key: u32) -> Vec<u32> {
        let rows = self.view.candidates(source, field, key).unwrap_or_default();
        rows.into_iter()
            .filter(|r| self.reads(source, *r))
            .collect()
    }

    /// Whether the name of a person is unique.
    pub(super) fn sole_name(&self, person: EmployeeNo) -> bool {
        let name = self.name(person);
        crate::office::named_people(&self.view, &name).len() == 1
    }

    /// An active colleague with a unique name.
    pub(super) fn colleague(&mut self) -> Option<EmployeeNo> {
        for _ in 0..24 {
            let person = EmployeeNo(row_no(
                self.s.index(self.view.rows(TableId::Employees) as usize),
            ));
            let active = self.view.person(person).is_some_and(|p| p.active);
            if person != self.me && active && self.sole_name(person) {
                return Some(person);
            }
        }
        None
    }

    /// The other participant of a mail or conversation of the persona.
    pub(super) fn other(&self, source: TableId, row: u32) -> Option<EmployeeNo> {
        let me = self.my_id();
        let (a, b) = (
            self.text(source, row, "sender_emp_id"),
            self.text(source, row, "recipient_emp_id"),
        );
        self.view
            .employee(if a == me { &b } else { &a })
            .filter(|p| *p != self.me)
    }

    /// The step that finds a colleague's id by name.
    pub(super) fn look_up(&self, draft: Draft, person: EmployeeNo) -> Draft {
        let name = self.name(person);
        draft
            .step(
                format!("find the id of {name}"),
                "employee_data_read",
                json!({"name": name}),
            )
            .claim(TableId::Employees, &[("Name", "is", name)], &[person.0])
            .row(TableId::Employees, person.0)
    }

    /// A day near a date, for invented details.
    pub(super) fn day_soon(&mut self) -> String {
        let days = self.between(3, 40);
        self.company().clock().plus(days).to_string()
    }

    /// A word list entry.
    pub(super) fn word(&mut self, list: &str) -> String {
        crate::synth::phrases::pick(&mut self.s, list).to_owned()
    }
}

/// The part of a stamp that is a day.
pub(super) fn day_of(value: &Value) -> String {
    let text = scalar_text(value).unwrap_or_default();
    text.get(..10).unwrap_or(&text).to_owned()
}
