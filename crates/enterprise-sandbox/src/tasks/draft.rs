//! The context of a template, and the draft that it writes.
//!
//! The lines of a template ([`plan`](super::plan)) draw values from a [`Ctx`] and write to a [`Draft`]. They draw only
//! rows that the persona may read ([`Ctx::any`], [`Ctx::linked`]). Whenever the drawn rows do not suit a line (no
//! second mail in the thread, a name that two people share) there is no draft, and the generator tries another
//! persona.
//!
//! ```text
//!  slot                    values of the slots of the wording
//!  find                    a step that finds a record by its name, and why that is enough
//!  seek                    a step that finds records by conditions, and why these are the ones
//!  read, write             a step for one record that is known by now
//!  letter                  a step that writes to somebody
//!  step, then              any other step: independent, or after the last step
//!  tell, fact              facts that the last step gives
//!  claim                   why there is one answer, where no step above says it
//!  row                     provenance
//! ```
//!
//! The values in a draft are suggestions until the [checks](super::check) have run the plan.

use crate::access::{Access, AccessRequest, Act, RequestContext, Resource};
use crate::data::company::Company;
use crate::data::org::Department;
use crate::data::row::EmployeeNo;
use crate::data::synth::phrases::pick;
use crate::data::tables::TableId;
use crate::data::value::{Cents, Day, MONTHS, row_no};
use crate::data::view::CompanyView;
use crate::tasks::{Condition, Fact, FactKind, RefusalClass, TaskDomain};
use crate::tools::office::{Office, named_people, named_rows};
use crate::tools::{ArgBinding, Filter, OfficeTool, Op, tool_for};
use serde_json::{Map, Value, json};
use sim_core::Stream;
use std::cmp::Reverse;
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

/// The claim that conditions leave exactly these rows.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) source: TableId,
    pub(super) conditions: Vec<Condition>,
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
    /// A value in the wording.
    pub(super) fn slot(&mut self, name: &str, value: impl Into<String>) {
        self.slots.insert(name.to_owned(), value.into());
    }

    /// A step without dependencies.
    pub(super) fn step(&mut self, goal: impl Into<String>, tool: &'static str, arguments: Value) {
        self.steps.push(Step {
            subgoal: goal.into(),
            tool,
            arguments,
            depends: Vec::new(),
            facts: Vec::new(),
        });
    }

    /// A step that needs the result of the previous one.
    pub(super) fn then(&mut self, goal: impl Into<String>, tool: &'static str, arguments: Value) {
        let before: Vec<usize> = self.steps.len().checked_sub(1).into_iter().collect();
        self.step(goal, tool, arguments);
        self.after(&before);
    }

    /// One more argument of the last step.
    pub(super) fn with(&mut self, name: &str, value: Value) {
        let step = self.steps.last_mut();
        if let Some(map) = step.and_then(|step| step.arguments.as_object_mut()) {
            map.insert(name.to_owned(), value);
        }
    }

    /// The last step needs exactly these earlier steps (from 0).
    pub(super) fn after(&mut self, steps: &[usize]) {
        if let Some(step) = self.steps.last_mut() {
            step.depends = steps.to_vec();
        }
    }

    /// The last step needs all earlier ones.
    pub(super) fn after_all(&mut self) {
        let before: Vec<usize> = (0..self.steps.len().saturating_sub(1)).collect();
        self.after(&before);
    }

    /// A fact that the last step gives: it occurs in a record, or is derived.
    pub(super) fn fact(&mut self, key: &str, kind: FactKind, value: Value, derived: bool) {
        if let Some(step) = self.steps.last_mut() {
            step.facts.push(key.to_owned());
        }
        self.facts.push(Fact::new(key, kind, value, derived));
    }

    /// Facts that the record of the last [`row`](Self::row) gives, each under the name of its field.
    pub(super) fn tell(&mut self, c: &Ctx<'_>, fields: Asks<'_>) {
        if let Some((source, row)) = self.rows.last().copied() {
            for (field, kind) in fields {
                self.fact(field, *kind, c.get(source, row, field), false);
            }
        }
    }

    /// What a request that cannot be done asks for, so that its form does not give it away.
    pub(super) fn asked(&mut self, asks: Asks<'_>) {
        self.facts.extend(asks.iter().map(|(key, kind)| Fact {
            tolerance: 0.0,
            required: false,
            ..Fact::new(key, *kind, Value::Null, true)
        }));
    }

    /// The last step's field is a free text that must contain these words.
    pub(super) fn says(&mut self, field: &'static str, parts: &[String]) {
        if let Some(step) = self.steps.len().checked_sub(1) {
            self.says.push((step, field, parts.to_vec()));
        }
    }

    /// Conditions that leave exactly these rows.
    pub(super) fn claim(&mut self, source: TableId, conditions: &[Is], rows: &[u32]) {
        let owned = |(field, is, value): &Is| Condition {
            field: (*field).to_owned(),
            is: (*is).to_owned(),
            value: value.clone(),
        };
        self.claims.push(Claim {
            source,
            conditions: conditions.iter().map(owned).collect(),
            rows: rows.to_vec(),
        });
    }

    /// A row on which the task is based.
    pub(super) fn row(&mut self, source: TableId, row: u32) {
        self.rows.push((source, row));
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
        let id = self.text(source, row, field);
        self.view.find(source.target(field)?, &id)
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

    /// An active colleague with a unique name.
    pub(super) fn colleague(&mut self) -> Option<EmployeeNo> {
        for _ in 0..24 {
            let person = EmployeeNo(self.row(TableId::Employees));
            let sole = || named_people(&self.view, &self.name(person)).len() == 1;
            if person != self.me && self.is_active(person) && sole() {
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

    /// The other participant of a mail or conversation of the persona.
    pub(super) fn other(&self, source: TableId, row: u32) -> Option<EmployeeNo> {
        let sender = self.person(source, row, "sender_emp_id");
        let other = match sender == Some(self.me) {
            true => self.person(source, row, "recipient_emp_id"),
            false => sender,
        };
        other.filter(|person| *person != self.me)
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

    /// A word list entry.
    pub(super) fn word(&mut self, list: &str) -> String {
        pick(&mut self.s, list).to_owned()
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

// ---------------------------------------------------------------- steps
//
// Steps of plans in terms of records: look for those that satisfy conditions, read, change or remove one,
// write to somebody. Which tool does it, and what its arguments are called, follows from the tables of
// tools.

/// The tool for an operation on a table. A plan without a tool fails its checks.
pub(super) fn name_of(op: Op, source: TableId) -> &'static str {
    tool_for(op, source).map_or("", |tool| tool.name)
}

/// The tool that reads a table.
fn reader(source: TableId) -> Option<&'static OfficeTool> {
    tool_for(Op::Read, source).or_else(|| tool_for(Op::Document, source))
}

/// The name of the tool that reads a table.
pub(super) fn reading(source: TableId) -> &'static str {
    reader(source).map_or("", |tool| tool.name)
}

/// Whether an argument of a tool finds the records that satisfy a condition. A condition on a day is both
/// the first and the last day of a span.
fn finds(binding: ArgBinding, (field, is, _): &Is) -> bool {
    match (binding, *is) {
        (ArgBinding::Repo, "is") => *field == "repo_name",
        (ArgBinding::Filter(Filter::Participant), "is") => *field == "participant",
        (ArgBinding::Filter(Filter::Link(f) | Filter::Same(f)), "is")
        | (ArgBinding::Filter(Filter::From(f)), "is" | "from")
        | (ArgBinding::Filter(Filter::To(f)), "is" | "to") => f == *field,
        _ => false,
    }
}

/// The arguments that name a record.
fn record(c: &Ctx<'_>, tool: Option<&OfficeTool>, source: TableId, row: u32) -> Map<String, Value> {
    let get = |field: &str| c.get(source, row, field);
    let key = get(source.key());
    let named = match source {
        TableId::Repositories => json!({"repo_name": key}),
        TableId::Files => json!({"repo_name": get("repo_name"), "path": get("path")}),
        TableId::Issues => json!({"repo_name": get("repo_name"), "issue_id": key}),
        _ => {
            let args = tool.map_or(&[][..], |tool| tool.args);
            let arg = args.iter().find(|arg| arg.binding == ArgBinding::Key);
            json!({arg.map_or("", |arg| arg.name): key})
        }
    };
    match named {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

impl Draft {
    /// A step after the last one that looks for the records that satisfy these conditions, with the claim
    /// that these rows do.
    pub(super) fn seek(&mut self, goal: String, source: TableId, conditions: &[Is], rows: &[u32]) {
        let args = reader(source).map_or(&[][..], |tool| tool.args);
        let mut arguments = Map::new();
        for condition in conditions {
            for arg in args.iter().filter(|arg| finds(arg.binding, condition)) {
                arguments.insert(arg.name.to_owned(), condition.2.as_str().into());
            }
        }
        self.then(goal, reading(source), arguments.into());
        self.claim(source, conditions, rows);
    }

    /// A step that reads a record whose id the step before gave.
    pub(super) fn read(&mut self, c: &Ctx<'_>, goal: &str, source: TableId, row: u32) {
        let mut arguments = record(c, reader(source), source, row);
        if source == TableId::Issues {
            // An issue has an id of its own.
            arguments.remove("repo_name");
        }
        self.then(goal, reading(source), arguments.into());
        self.row(source, row);
    }

    /// A step of its own that reads these fields of the persona's record.
    pub(super) fn read_mine(&mut self, c: &Ctx<'_>, goal: &str, fields: &[&str]) {
        self.read(c, goal, TableId::Employees, c.me.0);
        self.with("fields", json!(fields));
        self.after(&[]);
    }

    /// A step that changes or deletes a record whose id the step before gave.
    pub(super) fn write(
        &mut self,
        c: &Ctx<'_>,
        goal: String,
        op: Op,
        (source, row): (TableId, u32),
    ) {
        let tool = tool_for(op, source);
        let mut arguments = record(c, tool, source, row);
        if tool.is_some_and(|tool| tool.code) {
            arguments.insert("kind".to_owned(), source.noun().into());
        }
        self.then(goal, name_of(op, source), arguments.into());
    }

    /// A mail after the step before; the text has to contain `parts`, which `lead` introduces.
    pub(super) fn letter(
        &mut self,
        c: &Ctx<'_>,
        goal: &str,
        to: EmployeeNo,
        (subject, lead): (&str, &str),
        parts: &[String],
    ) {
        let name = c.name(to);
        let first = name.split(' ').next().unwrap_or_default();
        let body = format!("Hello {first}, {lead}: {}. Best regards", parts.join(", "));
        let arguments = json!({"recipient_emp_id": c.id(to), "subject": subject, "body": body});
        self.then(goal, name_of(Op::Create, TableId::Emails), arguments);
        self.says("body", parts);
    }
}

// ---------------------------------------------------------------- naming
//
// Records as colleagues name them: a person by name, a product by its kind and model, a ticket by
// who raised it and when, a day as `12 May 2024`.
//
// A [`Thing`] is a record with its spoken name, the call that finds it by that name, and the
// condition under which it is the only one. [`Draft::find`] adds all three to a draft, so a
// template cannot name a record in a way that its claim does not prove.

/// A record with the name that a colleague would use.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) source: TableId,
    pub(super) row: u32,
    /// Its key.
    pub(super) id: String,
    /// What colleagues call it.
    pub(super) said: String,
    pub(super) goal: String,
    arguments: Value,
    pub(super) condition: Is,
}

impl Thing {
    /// The person, if it is one.
    pub(super) fn person(&self) -> EmployeeNo {
        EmployeeNo(self.row)
    }
}

impl Draft {
    /// A step that finds a record by its name, with the claim that the name is enough.
    pub(super) fn find(&mut self, slot: &str, thing: &Thing) {
        let condition = std::slice::from_ref(&thing.condition);
        self.slot(slot, &thing.said);
        self.step(&thing.goal, reading(thing.source), thing.arguments.clone());
        self.claim(thing.source, condition, &[thing.row]);
        self.row(thing.source, thing.row);
    }
}

/// Product names of generated companies end with kind and model: `Corvane quiet desk lamp M-219`.
/// Returns the part that people say, `desk lamp M-219`, and the kind.
pub(super) fn spoken_product(name: &str) -> Option<(&str, &str)> {
    let (_, rest) = name.split_once(' ')?;
    let (_, said) = rest.split_once(' ')?;
    let (kind, model) = said.rsplit_once(' ')?;
    let digits = model.strip_prefix("M-")?;
    digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some((said, kind))
}

/// A kind of product with its article.
pub(super) fn a(kind: &str) -> String {
    match kind.ends_with('s') {
        true => kind.to_owned(),
        false => format!("a {kind}"),
    }
}

/// A name in lower case as people write it.
pub(super) fn title(name: &str) -> String {
    let words = name.split(' ').map(crate::data::synth::phrases::capital);
    words.collect::<Vec<_>>().join(" ")
}

/// A day as people write it: `12 May 2024`.
pub(super) fn said_day(day: Day) -> String {
    let (year, month, day) = day.date();
    let name = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    format!("{day} {name} {year}")
}

/// A span of whole days with its name.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// `May 2024`, or `2024`.
    pub(super) said: String,
    pub(super) first: Day,
    pub(super) last: Day,
}

impl Span {
    /// The month that a day lies in.
    pub(super) fn month(day: Day) -> Option<Self> {
        let (year, month, _) = day.date();
        let first = Day::from_date(year, month, 1)?;
        // No month has more than 31 days.
        let (next_year, next_month, _) = first.plus(31).date();
        let next = Day::from_date(next_year, next_month, 1)?;
        let name = MONTHS.get(month as usize - 1)?;
        Some(Self {
            said: format!("{name} {year}"),
            first,
            last: next.plus(-1),
        })
    }

    /// A calendar year.
    pub(super) fn year(year: i32) -> Option<Self> {
        Some(Self {
            said: year.to_string(),
            first: Day::from_date(year, 1, 1)?,
            last: Day::from_date(year, 12, 31)?,
        })
    }

    pub(super) fn holds(&self, day: Day) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// The conditions that the day of a field lies in it.
    pub(super) fn holds_day(&self, field: &'static str) -> [Is; 2] {
        [
            (field, "from", self.first.to_string()),
            (field, "to", self.last.to_string()),
        ]
    }
}

impl Ctx<'_> {
    /// A record by the field that names it.
    fn by_name(&self, source: TableId, row: u32, field: &'static str) -> Option<Thing> {
        let name = self.text(source, row, field);
        let sole = named_rows(&self.view, source, field, &name) == [row];
        (sole && !name.is_empty())
            .then(|| self.thing(source, row, json!({field: name}), is(field, name)))
    }

    /// A record that requests name by its condition.
    fn thing(&self, source: TableId, row: u32, arguments: Value, condition: Is) -> Thing {
        Thing {
            source,
            row,
            id: self.text(source, row, source.key()),
            said: condition.2.clone(),
            goal: format!("find {}", condition.2),
            arguments,
            condition,
        }
    }

    /// A product by kind and model, else by its full name.
    fn product_named(&self, row: u32) -> Option<Thing> {
        let (source, field) = (TableId::Products, "product_name");
        let name = self.text(source, row, field);
        // Models of generated companies are unique; other names may be shared.
        let Some((said, _)) = spoken_product(&name) else {
            return self.by_name(source, row, field);
        };
        let arguments = json!({field: format!("*{said}")});
        Some(self.thing(source, row, arguments, (field, "ends", said.to_owned())))
    }

    /// A person, product, customer, client or vendor as people name it.
    pub(super) fn named(&self, source: TableId, row: u32) -> Option<Thing> {
        let field = match source {
            TableId::Employees => {
                let who = self.by_name(source, row, "Name")?;
                let arguments = json!({"name": who.said});
                return Some(Thing { arguments, ..who });
            }
            TableId::Products => return self.product_named(row),
            TableId::Customers => "customer_name",
            TableId::Clients | TableId::Vendors => "business_name",
            _ => return None,
        };
        let mut thing = self.by_name(source, row, field)?;
        if thing.said == thing.said.to_lowercase() {
            thing.said = title(&thing.said);
            thing.goal = format!("find {}", thing.said);
        }
        // The plan searches vendors by the words of their names.
        if source == TableId::Vendors {
            thing.arguments = json!({"query": thing.said});
        }
        Some(thing)
    }

    /// A person by full name.
    pub(super) fn who(&self, person: EmployeeNo) -> Option<Thing> {
        self.named(TableId::Employees, person.0)
    }

    /// A colleague by full name.
    pub(super) fn somebody(&mut self) -> Option<Thing> {
        let person = self.colleague()?;
        self.who(person)
    }

    /// A product, customer, client or vendor that the persona may read.
    pub(super) fn some(&mut self, source: TableId) -> Option<Thing> {
        let row = self.any(source)?;
        self.named(source, row)
    }

    /// The people who report to a person, if there are `low` to `high` and all still work here.
    pub(super) fn team(&self, boss: EmployeeNo, low: usize, high: usize) -> Option<Vec<u32>> {
        let team = self.linked(TableId::Employees, "reports_to", boss.0);
        let works = |row: &u32| self.is_active(EmployeeNo(*row));
        ((low..=high).contains(&team.len()) && team.iter().all(works)).then_some(team)
    }

    /// A manager whose people all still work here, found through one of them.
    pub(super) fn team_lead(&mut self, low: usize, high: usize) -> Option<(Thing, Vec<u32>)> {
        for _ in 0..12 {
            let person = self.colleague()?;
            let Some(boss) = self.view.manager(person).filter(|b| *b != self.me) else {
                continue;
            };
            if let (Some(team), true) = (self.team(boss, low, high), self.is_active(boss))
                && !team.contains(&self.me.0)
                && let Some(boss) = self.who(boss)
            {
                return Some((boss, team));
            }
        }
        None
    }

    /// Rows of a source about this product and this customer.
    pub(super) fn about(&self, source: TableId, product: &Thing, customer: &Thing) -> Vec<u32> {
        let rows = self.linked(source, "product_id", product.row);
        self.having(source, &rows, "customer_id", &customer.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_hand() {
        let name = "Corvane quiet desk lamp M-219";
        assert_eq!(spoken_product(name), Some(("desk lamp M-219", "desk lamp")));
        assert_eq!(spoken_product("Novara tripod N-4"), None);
        assert_eq!(a("kettle"), "a kettle");
        assert_eq!(a("headphones"), "headphones");
        assert_eq!(title("jo doe"), "Jo Doe");
        let day = Day::from_date(2024, 2, 9).unwrap();
        assert_eq!(said_day(day), "9 February 2024");
        let month = Span::month(day).unwrap();
        assert_eq!(
            (month.said.as_str(), month.last.to_string().as_str()),
            ("February 2024", "2024-02-29")
        );
        assert!(!month.holds(day.plus(30)));
    }
}
