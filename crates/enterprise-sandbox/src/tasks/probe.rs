//! Probing calls: well-formed arguments for any tool, for records that exist. The prober knows
//! every identifier of the office, so that a refusal is due to the rules and not to a wrong
//! identifier. The tests of access control and the `snoop` policy use it.
//!
//! Arguments that are invalid in form would be refused before any rule is asked and would test
//! nothing. So all values are those of records: a new review has the product and the customer of another
//! review, a new colleague the department, level and manager of somebody. Such values agree with each other
//! without a rule for each table.
//!
//! ```text
//!  tool, random stream ─► source and row ─► arguments, each by its binding, with values of the row
//! ```
//!
//! Half of the calls that name a caller name somebody else.

use crate::access::Resource;
use crate::data::row::EmployeeNo;
use crate::data::tables::{SourceField, TableId, Write};
use crate::data::value::scalar_text;
use crate::data::view::CompanyView;
use crate::tools::office::formed;
use crate::tools::{Arg, ArgBinding, Filter, OfficeTool, Op};
use serde_json::{Map, Value, json};
use sim_core::Stream;

/// Words that occur in the office.
const WORDS: [&str; 8] = [
    "budget", "review", "ticket", "kettle", "python", "leave", "plan", "VPN",
];

/// A random row of a source; `None` if there is none.
fn some_row(view: &CompanyView<'_>, s: &mut Stream, source: TableId) -> Option<u32> {
    let rows = view.rows(source);
    for _ in 0..8 {
        let row = u32::try_from(s.below(u64::from(rows))).ok()?;
        if view.exists(source, row) {
            return Some(row);
        }
    }
    None
}

fn some_id(view: &CompanyView<'_>, s: &mut Stream, source: TableId) -> String {
    some_row(view, s, source)
        .map(|row| view.id(source, row))
        .unwrap_or_default()
}

/// A new identifier of the form of a source.
fn new_id(s: &mut Stream, source: TableId) -> Value {
    let n = s.below(900_000) + 5_000_000;
    match source {
        TableId::Repositories => json!(format!("probe/tool-{n}")),
        _ => json!(formed(source, n, 0, s)),
    }
}

/// A probing call.
///
/// Valid in form for its tool; whether it is allowed depends on who makes the call.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The arguments.
    pub arguments: Value,
    /// The record that the call is for, if it names one.
    pub target: Option<(TableId, u32)>,
}

struct Maker<'v, 's> {
    view: &'v CompanyView<'v>,
    s: &'s mut Stream,
    tool: &'static OfficeTool,
    source: TableId,
    row: Option<u32>,
    out: Map<String, Value>,
}

/// Arguments of one call of `tool` that claims to come from `me`.
///
/// The same view, stream and tool give the same probe.
#[must_use]
pub fn probe(
    view: &CompanyView<'_>,
    s: &mut Stream,
    tool: &'static OfficeTool,
    me: EmployeeNo,
) -> Probe {
    let source = if tool.code {
        let kinds = [TableId::Repositories, TableId::Files, TableId::Issues];
        s.pick(&kinds).copied().unwrap_or(TableId::Repositories)
    } else {
        tool.source
    };
    let row = some_row(view, s, source);
    let mut maker = Maker {
        view,
        s,
        tool,
        source,
        row,
        out: Map::new(),
    };
    // Lists are probed with one filter at a time, or with none.
    let is_filter = |a: &&Arg| matches!(a.binding, ArgBinding::Filter(_)) && !a.required;
    let filters = tool.args.iter().filter(is_filter);
    let chosen = maker.s.index(filters.clone().count() + 2);
    let lone = filters.map(|a| a.name).nth(chosen);
    let keyed = tool.op != Op::Read || maker.s.chance(0.5);
    for arg in tool.args {
        let wanted = arg.required
            || match arg.binding {
                ArgBinding::Key | ArgBinding::Repo | ArgBinding::Path | ArgBinding::IssueId => {
                    keyed
                }
                ArgBinding::Filter(_) => !keyed && lone == Some(arg.name),
                ArgBinding::Query => !keyed && lone.is_none() && maker.s.chance(0.5),
                ArgBinding::Fields => maker.s.chance(0.7),
                ArgBinding::IssueStatus => !keyed && lone.is_none() && maker.s.chance(0.3),
                ArgBinding::Limit => maker.s.chance(0.3),
                ArgBinding::Field(name) if maker.field(name).is_some_and(|f| f.required) => true,
                ArgBinding::Field(_) => maker.s.chance(0.5),
                ArgBinding::Same(_) => maker.s.chance(0.5),
                _ => false,
            };
        if wanted {
            maker.argument(arg, me);
        }
    }
    // An update has a new value, because otherwise it would be refused for its form.
    let changes = tool.args.iter();
    let changes = changes.filter(|a| matches!(a.binding, ArgBinding::Change(_)));
    let changes: Vec<&Arg> = changes.collect();
    if changes.iter().all(|a| !maker.out.contains_key(a.name))
        && let Some(arg) = maker.s.pick(&changes).copied()
    {
        maker.argument(arg, me);
    }
    // What a record does not have is left out; a change may clear a field.
    let kept = |name: &str| {
        let mut of_name = tool.args.iter().filter(|a| a.name == name);
        of_name.any(|a| a.required || matches!(a.binding, ArgBinding::Change(_)))
    };
    maker.out.retain(|name, v| !v.is_null() || kept(name));
    let target = maker.row.filter(|_| keyed).map(|row| (maker.source, row));
    Probe {
        arguments: Value::Object(maker.out),
        target,
    }
}

impl Maker<'_, '_> {
    fn put(&mut self, name: &str, value: Value) {
        self.out.insert(name.to_owned(), value);
    }

    fn of_row(&self, field: &str) -> Value {
        self.row
            .map_or(Value::Null, |row| self.view.get(self.source, row, field))
    }

    fn key(&self) -> String {
        self.row
            .map(|row| self.view.id(self.source, row))
            .unwrap_or_default()
    }

    fn person(&self, person: EmployeeNo, field: &str) -> Value {
        self.view.get(TableId::Employees, person.0, field)
    }

    fn argument(&mut self, arg: &Arg, me: EmployeeNo) {
        let other = some_row(self.view, self.s, TableId::Employees).map_or(me, EmployeeNo);
        let made = match arg.binding {
            ArgBinding::Key => json!(self.key()),
            ArgBinding::Keys => json!([self.key(), some_id(self.view, self.s, self.source)]),
            ArgBinding::Filter(filter) => self.filter(filter),
            ArgBinding::Same(field) => self.of_row(field),
            ArgBinding::Field(name) => match self.field(name) {
                Some(field) => self.of_new(field),
                None => return,
            },
            ArgBinding::Change(name) => match self.field(name) {
                Some(field) => self.of_another(field),
                None => return,
            },
            ArgBinding::NewId => new_id(self.s, self.source),
            ArgBinding::Changes(names) => {
                let known: Vec<_> = names.iter().filter_map(|n| self.field(n)).collect();
                let Some(field) = self.s.pick(&known).copied() else {
                    return;
                };
                json!({field.name: self.of_another(field)})
            }
            ArgBinding::Version => json!(1),
            ArgBinding::Query => json!(self.s.pick(&WORDS).copied().unwrap_or("plan")),
            ArgBinding::Limit => json!(self.s.between(1, 200)),
            ArgBinding::Fields => {
                let names: Vec<&str> = self.source.fields().iter().map(|f| f.name).collect();
                json!(names)
            }
            ArgBinding::CodeKind => json!(self.source.noun()),
            ArgBinding::Repo => match self.source {
                TableId::Repositories if self.tool.op == Op::Create => new_id(self.s, self.source),
                TableId::Repositories => json!(self.key()),
                _ => self.of_row("repo_name"),
            },
            ArgBinding::Path if self.source == TableId::Files => match self.tool.op {
                Op::Create => self.new_path(),
                _ => self.of_row("path"),
            },
            ArgBinding::IssueId if self.source == TableId::Issues && self.tool.op != Op::Create => {
                json!(self.key())
            }
            ArgBinding::IssueStatus => json!("open"),
            ArgBinding::Me | ArgBinding::MyOwn(_) => {
                let claimed = self.claimed(me, other);
                self.person(claimed, "emp_id")
            }
            ArgBinding::MyEmail => {
                let claimed = self.claimed(me, other);
                self.person(claimed, "email")
            }
            ArgBinding::Pair => self.pair(arg, "emp_id"),
            ArgBinding::PairEmail => self.pair(arg, "email"),
            ArgBinding::RecipientEmail => self.person(self.second().unwrap_or(other), "email"),
            ArgBinding::RecipientName => self.person(self.second().unwrap_or(other), "Name"),
            ArgBinding::Section => json!("1"),
            ArgBinding::TopK => json!(3),
            ArgBinding::Prompt | ArgBinding::Text => json!("Hello"),
            ArgBinding::Tokens => json!(10),
            ArgBinding::Tool => json!("products_read"),
            ArgBinding::Arguments => json!({}),
            ArgBinding::Class => json!("denied"),
            ArgBinding::Facts => json!({}),
            ArgBinding::Cursor => json!("next-20"),
            ArgBinding::Unused => json!("x"),
            ArgBinding::Path | ArgBinding::IssueId => return,
        };
        self.put(arg.name, made);
    }

    fn field(&self, name: &str) -> Option<&'static SourceField> {
        let field = self.source.field(name);
        field.filter(|f| f.write != Write::Derived)
    }

    fn new_path(&mut self) -> Value {
        json!(format!("src/probe_{}.py", self.s.below(1_000_000)))
    }

    /// The value of a field of a new record, or of one that a removal writes.
    fn of_new(&mut self, field: &SourceField) -> Value {
        match field.name {
            "email" => {
                let (n, domain) = (self.s.below(1_000_000), self.view.company.domain());
                json!(format!("probe.{n}@{domain}"))
            }
            "path" => self.new_path(),
            "DOL" => json!(self.view.company.clock().to_string()),
            name => self.of_row(name),
        }
    }

    /// A new value of a field: that of another record.
    fn of_another(&mut self, field: &SourceField) -> Value {
        let row = some_row(self.view, self.s, self.source);
        row.map_or(Value::Null, |row| {
            self.view.get(self.source, row, field.name)
        })
    }

    /// In whose name the call is made: half of the calls are made in another person's.
    fn claimed(&mut self, me: EmployeeNo, other: EmployeeNo) -> EmployeeNo {
        match self.s.chance(0.5) {
            true => me,
            false => self.people().and_then(|r| r.first).unwrap_or(other),
        }
    }

    fn people(&self) -> Option<Resource> {
        Some(Resource::of(self.view, self.source, self.row?))
    }

    fn second(&self) -> Option<EmployeeNo> {
        self.people()?.second
    }

    /// One of the two people of a mail or conversation.
    fn pair(&self, arg: &Arg, what: &str) -> Value {
        let side = match arg.name.starts_with("sender") {
            true => "sender",
            false => "recipient",
        };
        self.of_row(&format!("{side}_{what}"))
    }

    fn filter(&mut self, filter: Filter) -> Value {
        match filter {
            Filter::Link(field) | Filter::Prefix(field) | Filter::Same(field) => self.of_row(field),
            Filter::Wildcard(_) => json!("*"),
            Filter::Has(field) => {
                let list = self.of_row(field);
                let first = list.as_array().and_then(|l| l.first());
                first.cloned().unwrap_or(json!("python"))
            }
            Filter::From(_) => json!("2012-01-01"),
            Filter::To(_) => json!("2030-01-01"),
            Filter::Participant => self.of_row("sender_emp_id"),
            Filter::NameOf(field, source, name) => {
                let id = scalar_text(&self.of_row(field)).unwrap_or_default();
                let row = self.view.find(source, &id);
                row.map_or(Value::Null, |row| self.view.get(source, row, name))
            }
        }
    }
}
