//! Probing calls: well-formed arguments for any tool, for records that exist. The prober knows
//! every identifier of the office, so that a refusal is due to the rules and not to a wrong
//! identifier. The tests of access control and the `snoop` policy use it.
//!
//! Arguments that are invalid in form would be refused before any rule is asked and would test
//! nothing, so most of this file makes values consistent: a product that the customer bought, a
//! manager of the right department, a price below the list price.
//!
//! ```text
//!  tool, random stream ─► source and row ─► arguments, each by its binding ─► fit: values that agree
//! ```
//!
//! Half of the calls that name a caller name somebody else.

use crate::data::org::{Department, level_code};
use crate::data::row::EmployeeNo;
use crate::data::tables::{FieldType, SourceField, TableId};
use crate::data::view::CompanyView;
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

/// A valid value of a field.
fn value(view: &CompanyView<'_>, s: &mut Stream, field: &SourceField) -> Value {
    let today = view.company.clock();
    match field.kind {
        FieldType::Id => json!(format!("new-{}", s.below(1_000_000))),
        FieldType::Text(_) if field.name == "email" => {
            json!(format!(
                "probe.{}@{}",
                s.below(1_000_000),
                view.company.domain()
            ))
        }
        FieldType::Text(_) if field.name == "path" => {
            json!(format!("src/probe_{}.py", s.below(1_000_000)))
        }
        FieldType::Text(_) => json!(format!(
            "Probe {} {}",
            s.pick(&WORDS).unwrap_or(&"x"),
            s.below(100_000)
        )),
        FieldType::Whole(low, high) => json!(s.between(low, high.min(low + 40))),
        FieldType::Money => json!(s.between(1, 400)),
        FieldType::Rating => json!(4),
        FieldType::Day => json!(today.plus(-s.between(1, 200)).to_string()),
        FieldType::Moment => json!(today.plus(-s.between(1, 200)).to_string()),
        FieldType::Choice(words) => json!(s.pick(words).copied().unwrap_or_default()),
        FieldType::Flag => json!(true),
        FieldType::Words => json!(["probing"]),
        FieldType::Link(target) => {
            let member = field.member.and_then(|d| member(view, s, d));
            json!(member.map_or_else(|| some_id(view, s, target), |p| view.id(target, p.0)))
        }
        FieldType::Level => json!("SA09"),
    }
}

/// An active member of a department.
fn member(view: &CompanyView<'_>, s: &mut Stream, department: Department) -> Option<EmployeeNo> {
    let staff = view.company.index.staff(department);
    (0..20).find_map(|_| {
        let person = EmployeeNo(*s.pick(staff)?);
        view.person(person).filter(|p| p.active).map(|_| person)
    })
}

/// A new identifier of the form of a source.
fn new_id(s: &mut Stream, tool: &OfficeTool) -> Value {
    let n = s.below(900_000) + 100_000;
    match tool.source {
        TableId::Products => json!(format!("ZZZZ{n}")),
        TableId::Customers => {
            let letter = |k: u64| char::from(b'a' + u8::try_from(n / k % 10).unwrap_or(0));
            json!(
                [1, 10, 100, 1_000, 10_000]
                    .map(letter)
                    .iter()
                    .collect::<String>()
            )
        }
        TableId::Employees => json!(format!("emp_{n}")),
        source if source.numbered() || source == TableId::Tickets => {
            json!((n + 5_000_000).to_string())
        }
        TableId::Repositories => json!(format!("probe/tool-{n}")),
        _ => json!(format!("probe-{n}")),
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
    let filters = tool
        .args
        .iter()
        .filter(|a| matches!(a.binding, ArgBinding::Filter(_)) && !a.required);
    let chosen = maker.s.index(filters.clone().count() + 2);
    let lone = filters
        .enumerate()
        .find(|(n, _)| *n == chosen)
        .map(|(_, a)| a.name);
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
                ArgBinding::IssueStatus => !keyed && maker.s.chance(0.3),
                ArgBinding::Limit => maker.s.chance(0.3),
                ArgBinding::Field(name) if maker.field(name).is_some_and(|f| f.required) => true,
                ArgBinding::Change(_) | ArgBinding::Field(_) => maker.s.chance(0.5),
                ArgBinding::Same(_) => maker.s.chance(0.5),
                _ => false,
            };
        if wanted {
            maker.argument(arg, me);
        }
    }
    maker.fit(me);
    maker.something_to_change();
    let target = keyed
        .then_some(())
        .and(maker.row)
        .map(|row| (maker.source, row));
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
            ArgBinding::Field(name) | ArgBinding::Change(name) => match self.field(name) {
                Some(field) => value(self.view, self.s, field),
                None => return,
            },
            ArgBinding::NewId => new_id(self.s, self.tool),
            ArgBinding::Changes(names) => {
                let known: Vec<&str> = names
                    .iter()
                    .copied()
                    .filter(|n| self.field(n).is_some())
                    .collect();
                let Some(name) = self.s.pick(&known).copied() else {
                    return;
                };
                let Some(field) = self.field(name) else {
                    return;
                };
                let new = value(self.view, self.s, field);
                json!({name: new})
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
                TableId::Repositories if self.tool.op == Op::Create => new_id(self.s, self.tool),
                TableId::Repositories => json!(self.key()),
                _ => self.of_row("repo_name"),
            },
            ArgBinding::Path if self.source == TableId::Files => match self.tool.op {
                Op::Create => json!(format!("src/probe_{}.py", self.s.below(1_000_000))),
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
            ArgBinding::RecipientEmail => self.person(other, "email"),
            ArgBinding::RecipientName => self.person(other, "Name"),
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
        self.source
            .field(name)
            .filter(|f| f.write != crate::data::tables::Write::Derived)
    }

    /// In whose name the call is made: half of the calls are made in another person's.
    fn claimed(&mut self, me: EmployeeNo, other: EmployeeNo) -> EmployeeNo {
        match self.s.chance(0.5) {
            true => me,
            false => self.owner().unwrap_or(other),
        }
    }

    /// The owner of the record.
    fn owner(&self) -> Option<EmployeeNo> {
        let resource = crate::access::Resource::of(self.view, self.source, self.row?);
        resource.first
    }

    /// One of the two people of a mail or conversation.
    fn pair(&self, arg: &Arg, what: &str) -> Value {
        let side = if arg.name.starts_with("sender") {
            "sender"
        } else {
            "recipient"
        };
        let field = if what == "email" {
            format!("{side}_email")
        } else {
            format!("{side}_emp_id")
        };
        self.of_row(&field)
    }

    fn filter(&mut self, filter: Filter) -> Value {
        match filter {
            Filter::Link(field) | Filter::Prefix(field) | Filter::Same(field) => self.of_row(field),
            Filter::Wildcard(_) => json!("*"),
            Filter::Has(field) => {
                let list = self.of_row(field);
                list.as_array()
                    .and_then(|l| l.first())
                    .cloned()
                    .unwrap_or(json!("python"))
            }
            Filter::From(_) => json!("2012-01-01"),
            Filter::To(_) => json!("2030-01-01"),
            Filter::Participant => self.of_row("sender_emp_id"),
            Filter::NameOf(field, source, name) => {
                let id = crate::data::value::scalar_text(&self.of_row(field)).unwrap_or_default();
                let row = self.view.find(source, &id);
                row.map_or(Value::Null, |row| self.view.get(source, row, name))
            }
        }
    }

    /// Makes the values of one call consistent.
    fn fit(&mut self, me: EmployeeNo) {
        let creates = self.tool.op == Op::Create;
        // An empty filter counts as no filter.
        self.out.retain(|name, v| {
            !v.is_null() || self.tool.args.iter().any(|a| a.name == name && a.required)
        });
        match self.source {
            TableId::Employees if creates => {
                let d = Department::Sales;
                let boss = member(self.view, self.s, d)
                    .map(|m| self.view.chain(m).last().unwrap_or(m))
                    .unwrap_or(me);
                self.out
                    .retain(|name, _| !name.contains("Leaves") && name != "DOL");
                for arg in self.tool.args {
                    match arg.binding {
                        ArgBinding::Field("category") => self.put(arg.name, json!(d.name())),
                        ArgBinding::Field("Level") => self.put(arg.name, json!(level_code(d, 9))),
                        ArgBinding::Field("reports_to") => {
                            let id = self.view.id(TableId::Employees, boss.0);
                            self.put(arg.name, json!(id));
                        }
                        ArgBinding::Field(name) if name.contains("Leaves") && arg.required => {
                            self.put(arg.name, json!(5));
                        }
                        ArgBinding::Unused if arg.required => self.put(arg.name, json!("Present")),
                        _ => {}
                    }
                }
            }
            TableId::Employees if self.tool.op == Op::Update => self.one_change(&[
                ("skills", json!(["probing"])),
                ("Salary", json!(77_777)),
                ("description", json!("Probe description")),
                ("Performance Rating", json!(5)),
            ]),
            TableId::Employees => {
                if let Some(day) = self.out.get_mut("DOL") {
                    *day = json!(self.view.company.clock().to_string());
                }
            }
            TableId::Reviews | TableId::SupportChats if creates => {
                if let Some(sale) = some_row(self.view, self.s, TableId::Sales) {
                    for field in ["product_id", "customer_id"] {
                        let id = self.view.get(TableId::Sales, sale, field);
                        self.put(field, id);
                    }
                }
            }
            TableId::Products if creates => {
                self.put("discounted_price", json!(10));
                self.put("actual_price", json!(20));
            }
            TableId::Products if self.tool.op == Op::Update => {
                self.one_change(&[
                    ("product_name", json!("Probe product")),
                    ("rating", json!(1)),
                ]);
            }
            TableId::Sales if self.tool.op == Op::Update => {
                self.one_change(&[("date_of_purchase", json!("2020-02-02"))]);
            }
            TableId::Sales if creates && self.out.contains_key("discounted_price") => {
                self.put("discounted_price", json!(1));
            }
            TableId::Overflow if creates => {
                let question = self.s.chance(0.5);
                self.put(
                    "post_type",
                    json!(if question { "question" } else { "answer" }),
                );
                for name in ["Title", "Tags", "ParentId"] {
                    self.out.remove(name);
                }
                if question {
                    self.put("Title", json!("Probe question"));
                } else {
                    self.put("ParentId", self.view.company.id_value(TableId::Overflow, 0));
                }
            }
            TableId::Overflow if self.tool.op == Op::Update => {
                self.one_change(&[("Body", json!("Probe body"))]);
            }
            TableId::Posts if creates => {
                self.out.remove("parent_id");
            }
            TableId::Clients | TableId::Vendors if self.tool.op == Op::Update => {
                self.one_change(&[("industry", json!("Probing")), ("tax_id", json!("Pr00000"))]);
            }
            TableId::Emails if creates => {
                self.out.remove("recipient_email");
                let fine = self.tool.name == "create_email";
                let other = member(self.view, self.s, Department::Finance).unwrap_or(me);
                if fine {
                    self.put("recipient_email", self.person(other, "email"));
                    self.put("recipient_name", self.person(other, "Name"));
                } else {
                    let id = self.view.id(TableId::Employees, other.0);
                    self.put("recipient_emp_id", json!(id));
                    let thread = self.s.chance(0.5).then(|| {
                        let row = some_row(self.view, self.s, TableId::Emails);
                        row.map(|r| self.view.get(TableId::Emails, r, "thread_id"))
                    });
                    self.out.remove("thread_id");
                    if let Some(Some(thread)) = thread {
                        self.put("thread_id", thread);
                    }
                }
            }
            TableId::Conversations if creates => {
                let other = member(self.view, self.s, Department::Finance).unwrap_or(me);
                let id = self.view.id(TableId::Employees, other.0);
                self.put("recipient_emp_id", json!(id));
            }
            TableId::Repositories | TableId::Files | TableId::Issues
                if self.tool.code && creates =>
            {
                self.out
                    .retain(|n, _| matches!(n.as_str(), "kind" | "repo_name" | "path"));
                match self.source {
                    TableId::Files => {
                        let path = format!("src/probe_{}.py", self.s.below(1_000_000));
                        self.put("path", json!(path));
                        self.put("content", json!("print('probe')"));
                    }
                    TableId::Issues => {
                        self.out.remove("path");
                        self.put("title", json!("Probe issue"));
                        self.put("description", json!("Probe"));
                    }
                    _ => {
                        self.out.remove("path");
                    }
                }
            }
            TableId::Repositories | TableId::Files | TableId::Issues if self.tool.code => {
                let code_change = match self.source {
                    TableId::Repositories => json!({"license": "mit"}),
                    TableId::Files => json!({"content": "probe"}),
                    _ => json!({"title": "Probe title"}),
                };
                if self.out.contains_key("changes") {
                    self.put("changes", code_change);
                }
                if self.tool.op == Op::Read {
                    let listed = self.out.contains_key("issue_id") || self.out.contains_key("path");
                    if listed || self.out.contains_key("issue_status") {
                        self.out.remove("owner_emp_id");
                        self.out.remove("license");
                    }
                }
            }
            _ => {}
        }
    }

    /// Ensures that an update has a new value, because otherwise it would be refused for its form.
    fn something_to_change(&mut self) {
        let changes: Vec<&'static Arg> = self
            .tool
            .args
            .iter()
            .filter(|a| matches!(a.binding, ArgBinding::Change(_)))
            .collect();
        let none = changes.iter().all(|a| !self.out.contains_key(a.name));
        if self.tool.op != Op::Update || !none || self.out.contains_key("changes") {
            return;
        }
        if let Some(arg) = self.s.pick(&changes).copied()
            && let ArgBinding::Change(name) = arg.binding
            && let Some(field) = self.field(name)
        {
            let new = value(self.view, self.s, field);
            self.put(arg.name, new);
        }
    }

    /// Replaces the changes of an update by one of these.
    fn one_change(&mut self, choices: &[(&str, Value)]) {
        if let Some(changes) = self.out.get_mut("changes") {
            if let Some((name, value)) = self.s.pick(choices) {
                *changes = json!({*name: value});
            }
            return;
        }
        let known: Vec<(&'static str, Value)> = self
            .tool
            .args
            .iter()
            .filter_map(|a| match a.binding {
                ArgBinding::Change(name) => {
                    let choice = choices.iter().find(|c| c.0 == name)?;
                    Some((a.name, choice.1.clone()))
                }
                _ => None,
            })
            .collect();
        let optional: Vec<&'static str> = self
            .tool
            .args
            .iter()
            .filter(|a| matches!(a.binding, ArgBinding::Change(_)) && !a.required)
            .map(|a| a.name)
            .collect();
        self.out
            .retain(|name, _| !optional.contains(&name.as_str()));
        if let Some((name, value)) = self.s.pick(&known) {
            self.out.insert((*name).to_owned(), value.clone());
        }
    }
}
