//! Steps of plans in terms of records: look for those that satisfy conditions, read, change or remove one,
//! write to somebody. Which tool does it, and what its arguments are called, follows from the tables of
//! tools.

use super::draft::{Ctx, Draft, Is};
use super::naming::Thing;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::toolset::{ArgBinding, Filter, OfficeTool, Op, tool_for};
use serde_json::{Map, Value, json};

const E: TableId = TableId::Employees;

/// The tool for an operation on a table. A plan without a tool fails its checks.
fn name_of(op: Op, source: TableId) -> &'static str {
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
    let key = c.key(source, row);
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
    pub(super) fn seek(
        self,
        goal: impl Into<String>,
        source: TableId,
        conditions: &[Is],
        rows: &[u32],
    ) -> Self {
        let args = reader(source).map_or(&[][..], |tool| tool.args);
        let mut arguments = Map::new();
        for condition in conditions {
            for arg in args.iter().filter(|arg| finds(arg.binding, condition)) {
                arguments.insert(arg.name.to_owned(), condition.2.as_str().into());
            }
        }
        self.then(goal, reading(source), arguments.into())
            .claim(source, conditions, rows)
    }

    /// As [`seek`](Self::seek), for as many records as a reply can have.
    pub(super) fn list(
        self,
        goal: impl Into<String>,
        source: TableId,
        conditions: &[Is],
        rows: &[u32],
    ) -> Self {
        self.seek(goal, source, conditions, rows).with("limit", 200)
    }

    /// Finds two things, then lists what belongs to each of them: its rows, by the step that `list` adds.
    pub(super) fn compare(
        self,
        one: (&Thing, &[u32]),
        two: (&Thing, &[u32]),
        list: impl Fn(Self, &Thing, &[u32]) -> Self,
    ) -> Self {
        let first = self.steps.len();
        let d = self.find("one", one.0).find("two", two.0);
        let d = list(d, one.0, one.1).after(&[first]);
        list(d, two.0, two.1).after(&[first + 1])
    }

    /// A step that reads a record whose id the step before gave.
    pub(super) fn read(
        self,
        c: &Ctx<'_>,
        goal: impl Into<String>,
        source: TableId,
        row: u32,
    ) -> Self {
        let mut arguments = record(c, reader(source), source, row);
        if source == TableId::Issues {
            // An issue has an id of its own.
            arguments.remove("repo_name");
        }
        self.then(goal, reading(source), arguments.into())
            .row(source, row)
    }

    /// A step that reads these fields of a person's record.
    pub(super) fn read_person(
        self,
        c: &Ctx<'_>,
        goal: &str,
        person: EmployeeNo,
        fields: &[&str],
    ) -> Self {
        self.read(c, goal, E, person.0)
            .with("fields", json!(fields))
    }

    /// A step of its own that reads these fields of the persona's record.
    pub(super) fn read_mine(self, c: &Ctx<'_>, goal: &str, fields: &[&str]) -> Self {
        self.read_person(c, goal, c.me, fields).after(&[])
    }

    /// A step that finds out who the persona's manager is.
    pub(super) fn find_my_manager(self, c: &Ctx<'_>, goal: &str) -> Self {
        let arguments = json!({"emp_id": c.my_id(), "fields": ["reports_to"]});
        self.step(goal, name_of(Op::Read, E), arguments)
    }

    /// Finds the repository of this name.
    pub(super) fn repository(self, c: &Ctx<'_>, goal: &str, row: u32) -> Self {
        let source = TableId::Repositories;
        let name = c.text(source, row, "repo_name");
        self.slot("repository", &name)
            .seek(goal, source, &[("repo_name", "is", name)], &[row])
            .row(source, row)
    }

    /// A step that changes a record whose id the step before gave.
    pub(super) fn change(
        self,
        c: &Ctx<'_>,
        goal: impl Into<String>,
        source: TableId,
        row: u32,
        changes: impl Into<Value>,
    ) -> Self {
        self.write(c, goal.into(), Op::Update, source, row)
            .with("changes", changes)
    }

    /// A step that deletes a record whose id the step before gave.
    pub(super) fn delete(self, c: &Ctx<'_>, goal: &str, source: TableId, row: u32) -> Self {
        self.write(c, goal.to_owned(), Op::Delete, source, row)
    }

    fn write(self, c: &Ctx<'_>, goal: String, op: Op, source: TableId, row: u32) -> Self {
        let tool = tool_for(op, source);
        let mut arguments = record(c, tool, source, row);
        if tool.is_some_and(|tool| tool.code) {
            arguments.insert("kind".to_owned(), source.noun().into());
        }
        self.then(goal, name_of(op, source), arguments.into())
    }

    /// A mail after the step before; the text has to contain `parts`, which `lead` introduces.
    pub(super) fn letter(
        self,
        c: &Ctx<'_>,
        to: EmployeeNo,
        subject: &str,
        lead: &str,
        parts: &[String],
    ) -> Self {
        let name = c.name(to);
        let first = name.split(' ').next().unwrap_or_default();
        let body = format!("Hello {first}, {lead}: {}. Best regards", parts.join(", "));
        let arguments = json!({"recipient_emp_id": c.id(to), "subject": subject, "body": body});
        self.then(
            "send the mail",
            name_of(Op::Create, TableId::Emails),
            arguments,
        )
        .says("body", parts)
    }

    /// A mail in one's own words, after all earlier steps; the text has to contain `parts`.
    pub(super) fn mail(self, c: &Ctx<'_>, to: EmployeeNo, about: &str, parts: &[String]) -> Self {
        self.letter(c, to, about, about, parts)
            .goal(format!("mail {}", c.name(to)))
            .after_all()
            .says("subject", &[])
    }

    /// A chat message in one's own words, after all earlier steps.
    pub(super) fn message(
        self,
        c: &Ctx<'_>,
        to: EmployeeNo,
        about: &str,
        parts: &[String],
    ) -> Self {
        let text = format!("{about}: {}", parts.join(", "));
        self.last(
            format!("write to {}", c.name(to)),
            name_of(Op::Create, TableId::Conversations),
            json!({"recipient_emp_id": c.id(to), "text": text}),
        )
        .says("text", parts)
    }
}
