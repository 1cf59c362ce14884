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
//!    .find(slot, &thing)          a step that finds a record by its name, and why that is enough
//!    .seek(..).list(..)           a step that finds records by conditions, and why these are the ones
//!    .read(..).change(..).delete(..)    a step for one record that is known by now
//!    .mail(..).message(..)        a step that writes to somebody
//!    .step(..).then(..).last(..)  any other step: independent, after the last step, after all steps
//!    .tell(..).fact(..).worked_out(..)  facts that the last step gives
//!    .claim(source, conditions, rows)   why there is one answer, where no step above says it
//!    .row(source, row)            provenance
//!    .denied(..).missing(..).ambiguous(..)  or: why it cannot be done
//! ```
//!
//! The steps for records are in [`steps`](super::steps), names of records in [`naming`](super::naming).
//!
//! The values in a draft are suggestions until the [checks](super::check) have run the plan.

use super::naming::said_day;
use super::{Fact, FactKind, RefusalClass, TaskDomain};
use crate::access::{Access, AccessRequest, Act, RequestContext, Resource};
use crate::company::Company;
use crate::office::Office;
use crate::org::Department;
use crate::row::EmployeeNo;
use crate::source::{FieldType, TableId};
use crate::value::{Cents, Day, row_no};
use crate::view::CompanyView;
use serde_json::Value;
use sim_core::Stream;
use std::cmp::{Ordering, Reverse};
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

/// A condition of a claim: field, comparison, value.
pub(super) type Is = (&'static str, &'static str, String);

/// The condition that a field has a value.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers give texts, days and flags alike, most of them made for this call"
)]
pub(super) fn is(field: &'static str, value: impl ToString) -> Is {
    (field, "is", value.to_string())
}

/// What a request asks for: keys and kinds of facts.
pub(super) type Asks<'a> = &'a [(&'a str, FactKind)];

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
        let before: Vec<usize> = self.steps.len().checked_sub(1).into_iter().collect();
        self.step(subgoal, tool, arguments).after(&before)
    }

    /// A step that needs the results of all previous ones.
    pub(super) fn last(
        self,
        subgoal: impl Into<String>,
        tool: &'static str,
        arguments: Value,
    ) -> Self {
        self.step(subgoal, tool, arguments).after_all()
    }

    /// The last step has this purpose.
    pub(super) fn goal(mut self, goal: String) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.subgoal = goal;
        }
        self
    }

    /// One more argument of the last step.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let step = self.steps.last_mut();
        if let Some(map) = step.and_then(|step| step.arguments.as_object_mut()) {
            map.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The last step needs exactly these earlier steps (from 0).
    pub(super) fn after(mut self, steps: &[usize]) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.depends = steps.to_vec();
        }
        self
    }

    /// The last step needs all earlier ones.
    pub(super) fn after_all(self) -> Self {
        let before: Vec<usize> = (0..self.steps.len().saturating_sub(1)).collect();
        self.after(&before)
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
    pub(super) fn fact(self, key: &str, kind: FactKind, value: impl Into<Value>) -> Self {
        self.add(key, kind, value.into(), false)
    }

    /// Facts that the record of the last [`row`](Self::row) gives, each under the name of its field.
    pub(super) fn tell(self, c: &Ctx<'_>, fields: &[(&str, FactKind)]) -> Self {
        let Some((source, row)) = self.rows.last().copied() else {
            return self;
        };
        fields.iter().fold(self, |d, (field, kind)| {
            d.fact(field, *kind, c.get(source, row, field))
        })
    }

    /// The draft without its facts, for a request that does not ask for them.
    pub(super) fn without_facts(mut self) -> Self {
        self.facts.clear();
        self.steps.iter_mut().for_each(|step| step.facts.clear());
        self
    }

    /// What a request that cannot be done asks for, so that its form does not give it away.
    pub(super) fn asked(mut self, asks: Asks<'_>) -> Self {
        self.facts.extend(asks.iter().map(|(key, kind)| Fact {
            key: (*key).to_owned(),
            kind: *kind,
            value: Value::Null,
            tolerance: 0.0,
            required: false,
            derived: true,
        }));
        self
    }

    /// A derived fact.
    pub(super) fn worked_out(self, key: &str, kind: FactKind, value: impl Into<Value>) -> Self {
        self.add(key, kind, value.into(), true)
    }

    /// The last step's field is a free text that must contain these words.
    pub(super) fn says(mut self, field: &'static str, parts: &[String]) -> Self {
        if let Some(step) = self.steps.len().checked_sub(1) {
            self.says.push((step, field, parts.to_vec()));
        }
        self
    }

    /// Conditions that leave exactly these rows.
    pub(super) fn claim(mut self, source: TableId, conditions: &[Is], rows: &[u32]) -> Self {
        let owned = |(field, is, value): &Is| ((*field).to_owned(), *is, value.clone());
        self.claims.push(Claim {
            source,
            conditions: conditions.iter().map(owned).collect(),
            rows: rows.to_vec(),
        });
        self
    }

    /// A row on which the task is based.
    pub(super) fn row(mut self, source: TableId, row: u32) -> Self {
        self.rows.push((source, row));
        self
    }

    /// Rows on which the task is based.
    pub(super) fn rows(mut self, source: TableId, rows: &[u32]) -> Self {
        self.rows.extend(rows.iter().map(|row| (source, *row)));
        self
    }

    /// It cannot be done, because the rules forbid this act; the answer must not have these values.
    pub(super) fn denied(mut self, act: Act, source: TableId, forbidden: &[String]) -> Self {
        self.refusal = Some((RefusalClass::Denied, Some((act, source))));
        self.forbidden = forbidden.iter().filter(|v| v.len() >= 3).cloned().collect();
        self
    }

    /// It cannot be done, because there is no such record; this is what it asks for.
    pub(super) fn missing(mut self, asks: Asks<'_>) -> Self {
        self.refusal = Some((RefusalClass::Missing, None));
        self.asked(asks)
    }

    /// It cannot be done, because several records fit; this is what it asks for.
    pub(super) fn ambiguous(mut self, asks: Asks<'_>) -> Self {
        self.refusal = Some((RefusalClass::Ambiguous, None));
        self.asked(asks)
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

    /// An element of a list.
    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        self.s.pick(list).copied()
    }

    /// Any row of a source, also one that the persona may not read.
    pub(super) fn row(&mut self, source: TableId) -> u32 {
        row_no(self.s.index(self.view.rows(source) as usize))
    }

    /// A row of a source, readable for the persona.
    pub(super) fn any(&mut self, source: TableId) -> Option<u32> {
        for _ in 0..12 {
            let row = self.row(source);
            if self.reads(source, row) {
                return Some(row);
            }
        }
        None
    }

    /// One of these rows; if there are none, any that the persona may read.
    pub(super) fn one_of(&mut self, rows: &[u32], source: TableId) -> Option<u32> {
        match self.pick(rows) {
            Some(row) => Some(row),
            None => self.any(source),
        }
    }

    /// Whether the persona may read a row.
    pub(super) fn reads(&self, source: TableId, row: u32) -> bool {
        self.view.exists(source, row) && self.access().may_read(&self.view, self.me, source, row)
    }

    /// Whether the rules allow the persona an act on a row.
    pub(super) fn may(&self, act: Act, source: TableId, row: u32) -> bool {
        self.allows(act, Resource::of(&self.view, source, row), &[])
    }

    /// Whether the rules allow the persona to change these fields of a row.
    pub(super) fn may_change(&self, source: TableId, row: u32, fields: &[&str]) -> bool {
        self.allows(Act::Update, Resource::of(&self.view, source, row), fields)
    }

    /// Whether the rules allow the persona to create a record, whose first person this is.
    pub(super) fn may_create(&self, source: TableId, first: Option<EmployeeNo>) -> bool {
        self.allows(Act::Create, Resource::planned(source, first), &[])
    }

    fn allows(&self, act: Act, resource: Resource, fields: &[&str]) -> bool {
        let context = RequestContext {
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
            ..RequestContext::default()
        };
        let request = AccessRequest {
            principal: self.me,
            act,
            resource,
            context: &context,
        };
        self.access().decide(&self.view, &request).allow
    }

    /// Rows of a source that link to a record, readable for the persona.
    pub(super) fn linked(&self, source: TableId, field: &str, key: u32) -> Vec<u32> {
        let rows = self.view.candidates(source, field, key).unwrap_or_default();
        rows.into_iter()
            .filter(|r| self.reads(source, *r))
            .collect()
    }

    /// Rows of a source that link to the persona.
    pub(super) fn mine(&self, source: TableId, field: &str) -> Vec<u32> {
        self.linked(source, field, self.me.0)
    }

    /// The record that a field of a row links to.
    pub(super) fn follow(&self, source: TableId, row: u32, field: &str) -> Option<u32> {
        let FieldType::Link(target) = source.field(field)?.kind else {
            return None;
        };
        self.view.find(target, &self.text(source, row, field))
    }

    /// The person that a field of a row links to.
    pub(super) fn person(&self, source: TableId, row: u32, field: &str) -> Option<EmployeeNo> {
        self.follow(source, row, field).map(EmployeeNo)
    }

    /// Those of some rows whose field has a value.
    pub(super) fn having(
        &self,
        source: TableId,
        rows: &[u32],
        field: &str,
        value: &str,
    ) -> Vec<u32> {
        let rows = rows.iter().copied();
        rows.filter(|row| self.text(source, *row, field) == value)
            .collect()
    }

    /// The values of a field in some rows.
    pub(super) fn values(&self, source: TableId, rows: &[u32], field: &str) -> Vec<Value> {
        rows.iter()
            .map(|row| self.get(source, *row, field))
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
            let person = EmployeeNo(self.row(TableId::Employees));
            if person != self.me && self.is_active(person) && self.sole_name(person) {
                return Some(person);
            }
        }
        None
    }

    /// A colleague of a department who still works here.
    pub(super) fn colleague_of(&mut self, department: Department) -> Option<EmployeeNo> {
        let staff = self.company().index.staff(department);
        let person = EmployeeNo(self.s.pick(staff).copied()?);
        (person != self.me && self.is_active(person)).then_some(person)
    }

    /// The person that a field of a row links to, if it is a colleague who still works here.
    pub(super) fn colleague_in(
        &self,
        source: TableId,
        row: u32,
        field: &str,
    ) -> Option<EmployeeNo> {
        let person = self.person(source, row, field)?;
        (person != self.me && self.is_active(person)).then_some(person)
    }

    /// The other participant of a mail or conversation of the persona.
    pub(super) fn other(&self, source: TableId, row: u32) -> Option<EmployeeNo> {
        let sender = self.person(source, row, "sender_emp_id");
        let other = match sender == Some(self.me) {
            true => self.person(source, row, "recipient_emp_id"),
            false => sender,
        };
        other.filter(|person| *person != self.me)
    }

    /// The persona's manager, if that person still works here.
    pub(super) fn my_manager(&self) -> Option<EmployeeNo> {
        let manager = self.view.manager(self.me)?;
        self.is_active(manager).then_some(manager)
    }

    pub(super) fn is_active(&self, person: EmployeeNo) -> bool {
        self.view.person(person).is_some_and(|p| p.active)
    }

    /// The day of a field; of a moment its day.
    pub(super) fn day(&self, source: TableId, row: u32, field: &str) -> Option<Day> {
        let text = self.text(source, row, field);
        Day::parse(text.get(..10).unwrap_or(&text))
    }

    pub(super) fn cents(&self, source: TableId, row: u32, field: &str) -> Option<i64> {
        Cents::from_value(&self.get(source, row, field)).map(|c| c.0)
    }

    /// The sum of an amount over some rows.
    pub(super) fn sum(&self, source: TableId, rows: &[u32], field: &str) -> Option<i64> {
        rows.iter().map(|row| self.cents(source, *row, field)).sum()
    }

    /// A day some days from today, as people write it.
    pub(super) fn day_ahead(&mut self, low: i64, high: i64) -> String {
        let days = self.between(low, high);
        said_day(self.company().clock().plus(days))
    }

    /// A day some days ago, as people write it.
    pub(super) fn day_before(&mut self, low: i64, high: i64) -> String {
        let days = self.between(low, high);
        said_day(self.company().clock().plus(-days))
    }

    /// A word list entry.
    pub(super) fn word(&mut self, list: &str) -> String {
        crate::synth::phrases::pick(&mut self.s, list).to_owned()
    }
}

/// Of at least two elements the one with the largest key, if no other has that key.
pub(super) fn most<K: Ord, T>(mut list: Vec<(K, T)>) -> Option<(K, T)> {
    list.sort_by(|a, b| a.0.cmp(&b.0));
    let best = list.pop()?;
    (list.last()?.0 != best.0).then_some(best)
}

/// Of at least two elements the one with the smallest key, if no other has that key.
pub(super) fn least<K: Ord, T>(list: Vec<(K, T)>) -> Option<(K, T)> {
    let reversed = list.into_iter().map(|(key, of)| (Reverse(key), of));
    most(reversed.collect()).map(|(Reverse(key), of)| (key, of))
}

/// The one of two that has more; `None` if they have equally much.
pub(super) fn ahead<'t, T, N: Ord + Copy>(one: (&'t T, N), two: (&'t T, N)) -> Option<&'t T> {
    match one.1.cmp(&two.1) {
        Ordering::Greater => Some(one.0),
        Ordering::Less => Some(two.0),
        Ordering::Equal => None,
    }
}
