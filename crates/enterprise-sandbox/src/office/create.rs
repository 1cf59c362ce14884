//! Creates records.
//!
//! The order of the steps matters: the rules are asked about the planned record before its links
//! are looked up, so that a caller without the right learns nothing from later messages. Then links
//! are checked, missing values are filled in, the record is checked as a whole, and last it gets
//! its identifier.
//!
//! Fields that the caller cannot choose follow from the session or from other records: the sender
//! of a mail, the author of a post, the price of a sale, the handler of a ticket.

use super::run::{Outcome, Run, refuse};
use super::{Code, check};
use crate::access::{Act, RequestContext, Resource};
use crate::org::Department;
use crate::overlay::WriteKind as Done;
use crate::row::{EmployeeNo, LEAVES};
use crate::source::{FieldDefault, TableId};
use crate::toolset::Call;
use crate::value::{Moment, scalar_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Values = BTreeMap<String, Value>;

/// Minutes by which each write advances the office clock, so that mails keep their order.
const MINUTES_A_WRITE: i64 = 1;

impl Run<'_> {
    /// Creates a record and returns it with its version, 1. The writer may see all fields that were
    /// written, even those that readers of the source may not see.
    pub(super) fn create(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let mut values: Values = call
            .values
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.clone()))
            .collect();
        self.may_create(call, &mut values)?;
        let links: Vec<(&str, &Value)> = values.iter().map(|(k, v)| (k.as_str(), v)).collect();
        self.links(source, &links)?;
        self.complete(call, &mut values)?;
        // New rows follow after all others, removed ones included, so a row number is never used
        // twice.
        let row = self.view().rows(source);
        let id = self.identifier(call, row, &values)?;
        let key = source.key();
        let shown = if source.numbered() {
            id.parse::<i64>()
                .map_or(Value::String(id.clone()), Value::from)
        } else {
            Value::String(id.clone())
        };
        values.insert(key.to_owned(), shown);
        let entry = self.state.overlay.touch(source, row);
        entry.id = Some(id);
        self.write(Done::Create, source, row, values);
        // The writer knows what was written, so its values are authorised in an answer.
        self.state.seen.insert((source, row));
        Ok(self.written(source, row))
    }

    /// Checks the rules for the planned record, and fills in its owner.
    fn may_create(&mut self, call: &Call, values: &mut Values) -> Outcome<()> {
        let source = call.source;
        let me = self.my_id();
        let mut c = RequestContext::default();
        let text = |values: &Values, field: &str| {
            values.get(field).and_then(scalar_text).unwrap_or_default()
        };
        let table = source.table();
        let mut resource = Resource::planned(source, table.owner.map(|_| self.me));
        if let Some(owner) = table.owner {
            values.insert(owner.to_owned(), me.as_str().into());
        } else if let (Some((_, field)), Some(_)) = (table.people.first(), &table.rows) {
            resource.first = self.view().employee(&text(values, field));
        }
        match source {
            TableId::Files | TableId::Issues => {
                let name = text(values, "repo_name");
                let Some(row) = self.view().find(TableId::Repositories, &name) else {
                    return self.absent(Act::Read, TableId::Repositories, &name, &c);
                };
                let of = Resource::of(&self.view(), TableId::Repositories, row);
                resource = Resource {
                    source,
                    row: None,
                    ..of
                };
                // Files and issues are judged by the repository. A caller who may read it is told
                // that the right is missing; to others it must look as if it did not exist.
                if self.ask(Act::Create, resource, &c) {
                    return Ok(());
                }
                if self.knows(TableId::Repositories, row) {
                    return self.denied();
                }
                return self.absent(Act::Read, TableId::Repositories, &name, &c);
            }
            TableId::Emails => {
                self.recipient(call, values)?;
                let thread = text(values, "thread_id");
                if !thread.is_empty() {
                    let (known, mine) = self.thread(&thread);
                    c.reply = true;
                    c.in_thread = mine;
                    // A thread of other people and one that does not exist get the same reply.
                    if self.enforced()
                        && !mine
                        && !self.ask(Act::Create, resource, &c)
                        && !self.hides()
                    {
                        return self.denied();
                    }
                    if !known || (self.hides() && !mine) {
                        return refuse(Code::NotFound, "there is no such thread");
                    }
                }
            }
            TableId::Tickets => {
                resource.second = Some(self.me);
                resource.first = self.view().employee(&text(values, "emp_id"));
            }
            TableId::Employees => {
                c.to_self = text(values, "reports_to") == me;
            }
            _ => {}
        }
        if self.ask(Act::Create, resource, &c) {
            Ok(())
        } else {
            self.denied()
        }
    }

    /// Whether a thread exists, and whether the caller takes part in it.
    pub(super) fn thread(&self, id: &str) -> (bool, bool) {
        let view = self.view();
        let key = view.company.find_thread(id).unwrap_or(u32::MAX);
        let rows = view
            .candidates(TableId::Emails, "thread_id", key)
            .unwrap_or_default();
        let me = self.my_id();
        let mut known = false;
        for row in rows {
            if view.exists(TableId::Emails, row)
                && view.text(TableId::Emails, row, "thread_id") == id
            {
                known = true;
                let person = |field| view.text(TableId::Emails, row, field) == me;
                if person("sender_emp_id") || person("recipient_emp_id") {
                    return (true, true);
                }
            }
        }
        (known, false)
    }

    /// The recipient of a mail by address, if no id is given.
    fn recipient(&self, call: &Call, values: &mut Values) -> Outcome<()> {
        if values.contains_key("recipient_emp_id") {
            return Ok(());
        }
        let Some(email) = &call.recipient_email else {
            return refuse(
                Code::InvalidArgument,
                "a mail needs `recipient_emp_id` or `recipient_email`",
            );
        };
        let view = self.view();
        let mut people = view.people_at(email);
        // Two people may share an address in data with defects; only then does the name decide.
        if let Some(name) = call.recipient_name.as_ref().filter(|_| people.len() > 1) {
            people.retain(|p| {
                view.text(TableId::Employees, p.0, "Name")
                    .eq_ignore_ascii_case(name)
            });
        }
        match people.as_slice() {
            [one] => {
                let id = view.id(TableId::Employees, one.0);
                values.insert("recipient_emp_id".to_owned(), id.into());
                Ok(())
            }
            [] => refuse(Code::FkViolation, "nobody has this address"),
            _ => refuse(
                Code::InvalidArgument,
                format!(
                    "{} people have this address; give `recipient_emp_id`",
                    people.len()
                ),
            ),
        }
    }

    /// The current time of the office clock: it begins at nine and moves with every write, so that new
    /// records have different times, and never past the day.
    fn now(&self) -> Moment {
        let writes = i64::try_from(self.state.overlay.journal().len()).unwrap_or(0);
        // Midnight would be tomorrow, and nothing in the office may be later than today.
        let minutes = (9 * 60 + writes * MINUTES_A_WRITE).min(24 * 60 - 1);
        Moment(self.office.company.clock().start().0 + minutes * 60)
    }

    /// A field of the person with an id; null if there is no such person.
    fn person_text(&self, id: &str, field: &str) -> Value {
        let view = self.view();
        view.employee(id)
            .map_or(Value::Null, |p| view.get(TableId::Employees, p.0, field))
    }

    /// Fills in defaults and values that follow from other records.
    fn complete(&mut self, call: &Call, values: &mut Values) -> Outcome<()> {
        let source = call.source;
        let today = Value::from(self.office.company.clock().to_string());
        let now = format!("{}+05:30", self.now());
        let get = |values: &Values, field: &str| values.get(field).cloned().unwrap_or(Value::Null);
        let text =
            |values: &Values, field: &str| scalar_text(&get(values, field)).unwrap_or_default();
        let default = |values: &mut Values, field: &str, value: Value| {
            values.entry(field.to_owned()).or_insert(value);
        };
        for field in source.fields() {
            match field.default {
                FieldDefault::Absent => {}
                FieldDefault::Null => default(values, field.name, Value::Null),
                FieldDefault::Today => default(values, field.name, today.clone()),
                FieldDefault::Word(word) => default(values, field.name, word.into()),
            }
        }
        match source {
            TableId::Employees => self.complete_employee(values)?,
            TableId::Emails => {
                let (from, to) = (
                    text(values, "sender_emp_id"),
                    text(values, "recipient_emp_id"),
                );
                self.colleague(&to)?;
                for (side, id) in [("sender", &from), ("recipient", &to)] {
                    values.insert(format!("{side}_email"), self.person_text(id, "email"));
                    values.insert(format!("{side}_name"), self.person_text(id, "Name"));
                }
                default(values, "date", now.into());
                // Not an argument: nobody signs for somebody else.
                let signer = self.signature();
                values.insert("signature".to_owned(), signer.into());
                let notice = crate::synth::write::notice();
                values.insert("confidentiality_notice".to_owned(), notice.into());
                if !values.contains_key("thread_id") {
                    let id = self.new_thread();
                    values.insert("thread_id".to_owned(), id.into());
                }
            }
            TableId::Conversations => {
                self.colleague(&text(values, "recipient_emp_id"))?;
            }
            TableId::Posts => {
                let author = self.person_text(&text(values, "emp_id"), "Name");
                values.insert("author".to_owned(), author);
                values.insert("date".to_owned(), today);
            }
            TableId::Overflow => {
                let author = self.person_text(&text(values, "employee_id"), "Name");
                values.insert("employee_Name".to_owned(), author);
                values.insert("CreationDate".to_owned(), self.now().to_string().into());
                values.insert("Score".to_owned(), 0.into());
                let question = get(values, "post_type") == "question";
                values.insert(
                    "ViewCount".to_owned(),
                    if question { 0.into() } else { Value::Null },
                );
                // A question is linked by number.
                if let Some(parent) = crate::value::whole_number(&get(values, "ParentId")) {
                    values.insert("ParentId".to_owned(), parent.into());
                }
            }
            TableId::Files => {
                values.insert("copies".to_owned(), 0.into());
                if text(values, "path").starts_with('/') {
                    return refuse(Code::InvalidArgument, "`path` must not begin with a slash");
                }
            }
            TableId::Issues => {
                values.insert("created_at".to_owned(), self.now().to_string().into());
            }
            TableId::Tickets => {
                if !values.contains_key("emp_id") {
                    let handler = self.helpdesk();
                    values.insert("emp_id".to_owned(), handler.into());
                }
                values.insert("assigned_date".to_owned(), today);
                // A new ticket is open, whatever the caller knows already.
                values.insert("Resolution".to_owned(), Value::Null);
            }
            TableId::Sales => {
                let view = self.view();
                let product = view.find(TableId::Products, &text(values, "product_id"));
                let of = |field: &str| {
                    product.map_or(Value::Null, |p| view.get(TableId::Products, p, field))
                };
                let (list, price) = (of("actual_price"), of("discounted_price"));
                values.insert("actual_price".to_owned(), list);
                default(values, "discounted_price", price);
            }
            TableId::Reviews => {
                // Known only for generated reviews, whose text was made from it.
                values.insert("polarity".to_owned(), Value::Null);
                self.bought(&text(values, "product_id"), &text(values, "customer_id"))?;
            }
            TableId::SupportChats => {
                let view = self.view();
                for (key, target, name) in [
                    ("product_id", TableId::Products, "product_name"),
                    ("customer_id", TableId::Customers, "customer_name"),
                ] {
                    let row = view.find(target, &text(values, key));
                    let told = row.map_or(Value::Null, |r| view.get(target, r, name));
                    values.insert(name.to_owned(), told);
                }
            }
            _ => {}
        }
        let present = values.clone();
        check::derive(source, values, &|field| get(&present, field));
        let after = values.clone();
        self.consistent(source, None, &|field| get(&after, field), &|field| {
            after.get(field).is_some_and(|v| !v.is_null())
        })
    }

    fn complete_employee(&self, values: &mut Values) -> Outcome<()> {
        let text = |values: &Values, field: &str| {
            values.get(field).and_then(scalar_text).unwrap_or_default()
        };
        if !values.contains_key("email") {
            let name = text(values, "Name").to_lowercase();
            let mut words = name.split_whitespace();
            let first = words.next().unwrap_or("new");
            let last = words.next_back().unwrap_or("colleague");
            let plain = |w: &str| {
                w.chars()
                    .filter(char::is_ascii_alphanumeric)
                    .collect::<String>()
            };
            let stem = format!("{}.{}", plain(first), plain(last));
            let domain = self.office.company.domain();
            let address = (1..10_000)
                .map(|n| match n {
                    1 => format!("{stem}@{domain}"),
                    n => format!("{stem}{n}@{domain}"),
                })
                .find(|a| self.view().people_at(a).is_empty())
                .unwrap_or_default();
            values.insert("email".to_owned(), address.into());
        }
        // The allowances that all generated people have.
        for (leave, days) in LEAVES.iter().zip([8, 10, 15]) {
            let total = values
                .entry(format!("Total {leave} Leaves"))
                .or_insert(days.into())
                .clone();
            values
                .entry(format!("Remaining {leave} Leaves"))
                .or_insert(total);
        }
        let today = self.office.company.clock().to_string();
        for (field, value) in [
            ("DOJ", today.into()),
            ("skills", json!([])),
            ("description", "".into()),
            ("Experience", "".into()),
            ("reports_to", Value::Null),
            ("Salary", Value::Null),
            ("Age", Value::Null),
            ("Performance Rating", Value::Null),
            ("Marital Status", Value::Null),
            ("Gender", Value::Null),
        ] {
            values.entry(field.to_owned()).or_insert(value);
        }
        // The published tool demands a leaving date for new people; here they have none.
        values.insert("DOL".to_owned(), Value::Null);
        values.insert("is_valid".to_owned(), true.into());
        Ok(())
    }

    /// Name, title and department of the caller.
    fn signature(&self) -> String {
        let view = self.view();
        let name = view.text(TableId::Employees, self.me.0, "Name");
        match view.person(self.me) {
            Some(p) => {
                let title = crate::org::Rank::of_level(p.level).title();
                format!("{name}, {title}, {}", p.department)
            }
            None => name,
        }
    }

    /// The helpdesk member who gets the caller's next ticket. The member is drawn: choosing the one
    /// with the fewest tickets would disclose the existence of tickets that the caller may not
    /// read.
    fn helpdesk(&self) -> String {
        let view = self.view();
        let desk: Vec<u32> = (0..view.rows(TableId::Employees))
            .filter(|row| {
                let person = view.person(EmployeeNo(*row));
                person
                    .is_some_and(|p| p.active && p.department == Department::InformationTechnology)
            })
            .collect();
        let made = u64::from(view.overlay.made(TableId::Tickets));
        let seed = view.company.seed.child("new.handler", u64::from(self.me.0));
        seed.stream("ticket", made)
            .pick(&desk)
            .map(|row| view.id(TableId::Employees, *row))
            .unwrap_or_default()
    }

    /// Checks that the customer of a review has bought the product.
    fn bought(&self, product: &str, customer: &str) -> Outcome<()> {
        let view = self.view();
        let sales = self.referring(TableId::Sales, "customer_id", TableId::Customers, customer);
        let bought = |s: &u32| view.text(TableId::Sales, *s, "product_id") == product;
        if sales
            .iter()
            .any(|s| bought(s) && self.knows(TableId::Sales, *s))
        {
            return Ok(());
        }
        refuse(
            Code::FkViolation,
            "this customer has not bought this product",
        )
    }
}
