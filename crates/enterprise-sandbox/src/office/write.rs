//! Calls that write: new records, changes and removals, and the checks before them.

use super::Code;
use super::run::{Outcome, Run, not_found, refuse};
use crate::access::{Act, MailDelete, RequestContext, Resource};
use crate::company::ids::Ids;
use crate::org::{Department, parse_level_code};
use crate::overlay::{Change, FieldChange, WriteKind as Done};
use crate::row::{EmployeeNo, LEAVES};
use crate::source::{FieldDefault, FieldType, TableId};
use crate::toolset::Call;
use crate::value::{Cents, Day, Moment, scalar_text, whole_number};
use serde_json::{Value, json};
use sim_core::Stream;
use std::collections::BTreeMap;

// ---------------------------------------------------------------- create
//
// Creates records.
//
// The order of the steps matters: the rules are asked about the planned record before its links
// are looked up, so that a caller without the right learns nothing from later messages. Then links
// are checked, missing values are filled in, the record is checked as a whole, and last it gets
// its identifier.
//
// Fields that the caller cannot choose follow from the session or from other records: the sender
// of a mail, the author of a post, the price of a sale, the handler of a ticket.

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
        } else if let Some((_, field)) = table.people.first() {
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
        derive(source, values, &|field| get(&present, field));
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

// ---------------------------------------------------------------- identify
//
// Identifiers of new records: the caller's identifier if it is free and reveals nothing, otherwise a
// new one.
//
// An identifier can tell a secret: "id in use" says that a hidden record exists, and the number
// after the highest says how many there are. So there are two ways to choose one, by what the
// caller may read:
//
// - A caller who may read all records of the source gets what a database would give: the requested
//   identifier or `DUPLICATE_ID`, else the next one in the source's own scheme.
// - Any other caller gets an identifier that is drawn from a very wide range, by the number of
//   records made in this episode. A requested identifier is checked for its form and otherwise
//   ignored.
//
// Both are functions of the company's seed and the overlay, so a replayed run allocates the same
// identifiers.

impl Run<'_> {
    /// The identifier of a new thread of mails.
    pub(super) fn new_thread(&self) -> String {
        let c = &self.office.company;
        let (y, m, d) = c.clock().date();
        let n = u64::from(self.state.overlay.made(TableId::Emails));
        let mut draws = c.seed.stream("new.thread", n);
        loop {
            // Longer than generated thread ids, so that they never collide with threads of others.
            let id = format!("THR_{y:04}{m:02}{d:02}_{:012x}", draws.below(1 << 48));
            if !self.thread(&id).0 {
                return id;
            }
        }
    }

    /// The identifier of a new record: the caller's identifier if it is free and reveals nothing,
    /// otherwise a new one.
    pub(super) fn identifier(
        &self,
        call: &Call,
        row: u32,
        values: &BTreeMap<String, Value>,
    ) -> Outcome<String> {
        let source = call.source;
        let view = self.view();
        if source == TableId::Files {
            let part = |f: &str| values.get(f).and_then(scalar_text).unwrap_or_default();
            let id = format!("{}:{}", part("repo_name"), part("path"));
            return if view.find(source, &id).is_some() {
                refuse(Code::DuplicateId, "there is a file with this path")
            } else {
                Ok(id)
            };
        }
        // If the caller may not read all records, refusing an id would reveal that it is in use.
        // Repositories are identified by their name alone, which must be free.
        let open = source == TableId::Repositories || self.knows_all(source);
        if let Some(id) = call.new_id.as_ref() {
            well_formed(source, id)?;
        }
        if let Some(id) = call.new_id.as_ref().filter(|_| open) {
            if view.is_taken(source, id) {
                return refuse(
                    Code::DuplicateId,
                    format!("the id `{}` is in use", sim_core::error::clip(id)),
                );
            }
            return Ok(id.clone());
        }
        Ok(if self.knows_all(source) {
            self.allocate(source, row)
        } else {
            self.allocate_apart(source)
        })
    }

    /// A new identifier for a caller who may not read all records of the source. It depends only on the
    /// records that were made in this episode, not on the number of records. The numbers are drawn from
    /// a range so wide that a collision with a used one is very unlikely.
    fn allocate_apart(&self, source: TableId) -> String {
        let view = self.view();
        let made = u64::from(view.overlay.made(source));
        let seed = view.company.seed.child("new.id.apart", source as u64);
        let mut draws = seed.stream("row", made);
        loop {
            let number = 100_000_000_000 + draws.below(900_000_000_000);
            let id = match source {
                TableId::Employees => format!("emp_{:09}", number % 1_000_000_000),
                TableId::Posts => format!("post_{number}"),
                TableId::Customers => letters(&mut draws, 5),
                TableId::Products => product(&mut draws),
                source if source.numbered() || source == TableId::Tickets => number.to_string(),
                _ => uuid(&mut draws),
            };
            if !view.is_taken(source, &id) {
                return id;
            }
        }
    }

    /// A new identifier for a caller who may read all records of the source: the one that the row would
    /// have in a larger company, else the number after the highest, else a random one.
    fn allocate(&self, source: TableId, row: u32) -> String {
        let view = self.view();
        let c = view.company;
        // The scheme of a generated table has names for rows beyond its end.
        if let Some(ids @ Ids::Made(_)) = c.ids.get(&source) {
            let id = ids.name(row);
            if !view.is_taken(source, &id) {
                return id;
            }
        }
        let mut draws = c
            .seed
            .child("new.id", source as u64)
            .stream("row", u64::from(row));
        // Looked up once; each further attempt takes the next number.
        let mut highest: Option<u64> = None;
        loop {
            let id = match source {
                TableId::Employees
                | TableId::Sales
                | TableId::Reviews
                | TableId::SupportChats
                | TableId::Overflow
                | TableId::Posts => {
                    let next = match highest {
                        Some(n) => n + 1,
                        None => self.highest(source) + 1,
                    };
                    highest = Some(next);
                    match source {
                        TableId::Employees => format!("emp_{next:04}"),
                        TableId::Posts => format!("post_{next}"),
                        _ => next.to_string(),
                    }
                }
                TableId::Tickets => (100 + draws.below(1_000_000)).to_string(),
                TableId::Customers => letters(&mut draws, 5),
                TableId::Products => product(&mut draws),
                _ => uuid(&mut draws),
            };
            if !view.is_taken(source, &id) {
                return id;
            }
        }
    }

    /// The largest number in the identifiers of a source, 0 without any. It reads every identifier of the
    /// source, and is asked only if the computed identifier is not free.
    fn highest(&self, source: TableId) -> u64 {
        let view = self.view();
        (0..view.rows(source))
            .filter_map(|row| {
                let id = view.id(source, row);
                id.trim_start_matches(|c: char| !c.is_ascii_digit())
                    .parse::<u64>()
                    .ok()
            })
            .max()
            .unwrap_or(0)
    }
}

/// Random lower-case letters.
fn letters(draws: &mut Stream, count: u32) -> String {
    (0..count)
        .map(|_| char::from(b'a' + u8::try_from(draws.below(26)).unwrap_or(0)))
        .collect()
}

/// A random product id: `B` and nine digits or capitals.
fn product(draws: &mut Stream) -> String {
    let digit = |d: u64| char::from_digit(u32::try_from(d).unwrap_or(0), 36);
    let tail: String = (0..9).filter_map(|_| digit(draws.below(36))).collect();
    format!("B{}", tail.to_uppercase())
}

/// A random UUID of version 4.
fn uuid(draws: &mut Stream) -> String {
    let (a, b) = (draws.bits(), draws.bits());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

/// Checks that an identifier chosen by the caller has the form of its source.
fn well_formed(source: TableId, id: &str) -> Outcome<()> {
    let (fits, form) = match source {
        TableId::Products => (
            id.len() == 10
                && id
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
            "10 capitals or digits",
        ),
        TableId::Customers => (
            id.len() == 5 && id.bytes().all(|b| b.is_ascii_lowercase()),
            "5 lower-case letters",
        ),
        TableId::Employees => (
            id.strip_prefix("emp_").is_some_and(|d| {
                (4..=9).contains(&d.len()) && d.bytes().all(|b| b.is_ascii_digit())
            }),
            "`emp_` and at least 4 digits",
        ),
        s if s.numbered() || s == TableId::Tickets => (
            id.len() <= 12
                && id.bytes().all(|b| b.is_ascii_digit())
                && !(id.len() > 1 && id.starts_with('0')),
            "a whole number",
        ),
        _ => (
            id.chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c)),
            "letters, digits, dots, hyphens, underscores and slashes",
        ),
    };
    if fits {
        Ok(())
    } else {
        refuse(
            Code::InvalidArgument,
            format!("the id of a {} must be {form}", source.noun()),
        )
    }
}

// ---------------------------------------------------------------- check
//
// Checks of values beyond their own form: links, and consistency with other records.
//
// Types, ranges and required fields were checked with the arguments, before any data was read.
// What remains depends on the office: a manager has to be an active member of the department, a
// discounted price must not be above the list price, an accepted answer has to belong to the
// question.
//
// A check runs on the record as it would be after the write: new values where there are some,
// present ones elsewhere. It complains only about rules that a written field takes part in,
// because imported data may break a rule that the caller has nothing to do with.

/// Fields of a record after a write: written ones replace present ones.
type Given<'a> = &'a dyn Fn(&str) -> Value;

fn text(values: Given<'_>, field: &str) -> String {
    scalar_text(&values(field)).unwrap_or_default()
}

/// An amount of a record.
pub(super) fn money(values: Given<'_>, field: &str) -> Cents {
    Cents::from_value(&values(field)).unwrap_or_default()
}

impl Run<'_> {
    /// Checks that every written link has a target.
    /// A target that the caller may not read counts as missing.
    pub(super) fn links(&self, source: TableId, written: &[(&str, &Value)]) -> Outcome<()> {
        let view = self.view();
        for (name, value) in written {
            let Some(field) = source.field(name) else {
                continue;
            };
            if let (FieldType::Link(target), Some(id)) = (field.kind, scalar_text(value))
                && view
                    .find(target, &id)
                    .is_none_or(|row| !self.knows(target, row))
            {
                return refuse(
                    Code::FkViolation,
                    format!(
                        "`{name}`: there is no {} `{}`",
                        target.noun(),
                        sim_core::error::clip(&id)
                    ),
                );
            }
        }
        Ok(())
    }

    /// An active colleague who is not the caller.
    pub(super) fn colleague(&self, id: &str) -> Outcome<EmployeeNo> {
        let view = self.view();
        let Some(person) = view.employee(id) else {
            return refuse(
                Code::FkViolation,
                format!("there is no employee `{}`", sim_core::error::clip(id)),
            );
        };
        if person == self.me {
            return refuse(Code::InvalidArgument, "the recipient must be somebody else");
        }
        if view.person(person).is_none_or(|p| !p.active) {
            return refuse(
                Code::InvalidArgument,
                format!("`{id}` has left the company"),
            );
        }
        Ok(person)
    }

    /// An active member of a department.
    pub(super) fn member(&self, field: &str, id: &str, department: Department) -> Outcome<()> {
        let view = self.view();
        let person = view.employee(id).and_then(|p| view.person(p));
        match person {
            Some(p) if p.active && p.department == department => Ok(()),
            _ => refuse(
                Code::InvalidArgument,
                format!("`{field}` must be an active member of {department}, `{id}` is not"),
            ),
        }
    }

    /// Checks the consistency of a record after a write. `row` is `None` for a new one; `touched`
    /// are the written fields.
    pub(super) fn consistent(
        &self,
        source: TableId,
        row: Option<u32>,
        values: Given<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let priced =
            source == TableId::Sales || touched("actual_price") || touched("discounted_price");
        let dear = priced && money(values, "discounted_price") > money(values, "actual_price");
        match source {
            TableId::Employees => self.consistent_employee(row, values, touched)?,
            TableId::Products | TableId::Sales if dear => {
                let list = match source {
                    TableId::Products => "`actual_price`",
                    _ => "the list price",
                };
                return refuse(
                    Code::InvalidArgument,
                    format!("`discounted_price` must not be above {list}"),
                );
            }
            TableId::Overflow => self.consistent_post(row, values, touched)?,
            _ => {}
        }
        for field in source.fields().iter().filter(|f| touched(f.name)) {
            if let Some(department) = field.member {
                self.member(field.name, &text(values, field.name), department)?;
            }
            if field.past {
                self.not_later(field.name, values)?;
            }
        }
        Ok(())
    }

    /// Refuses a written date after today: sales, reviews and chats record what happened.
    fn not_later(&self, field: &str, values: Given<'_>) -> Outcome<()> {
        let today = self.office.company.clock();
        match Day::parse(&text(values, field)) {
            Some(day) if day > today => refuse(
                Code::InvalidArgument,
                format!("`{field}` {day} lies after today, {today}"),
            ),
            _ => Ok(()),
        }
    }

    /// Questions have a title and may have tags and an accepted answer; answers have a question.
    fn consistent_post(
        &self,
        row: Option<u32>,
        values: Given<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let question = values("post_type") == "question";
        if row.is_none() && question && values("Title").is_null() {
            return refuse(Code::InvalidArgument, "a question needs `Title`");
        }
        if !question && (touched("Title") || touched("Tags") || touched("AcceptedAnswerId")) {
            return refuse(
                Code::InvalidArgument,
                "`Title`, `Tags` and `AcceptedAnswerId` belong to questions",
            );
        }
        let view = self.view();
        let kind_of = |id: &Value| {
            let id = scalar_text(id).unwrap_or_default();
            view.find(TableId::Overflow, &id)
                .map(|r| (r, view.text(TableId::Overflow, r, "post_type")))
        };
        if row.is_none() && !question {
            match kind_of(&values("ParentId")) {
                Some((_, kind)) if kind == "question" => {}
                _ => {
                    return refuse(
                        Code::InvalidArgument,
                        "an answer needs `ParentId`, the question",
                    );
                }
            }
        }
        if row.is_none() && question && !values("ParentId").is_null() {
            return refuse(Code::InvalidArgument, "`ParentId` belongs to answers");
        }
        let accepted = values("AcceptedAnswerId");
        if touched("AcceptedAnswerId") && !accepted.is_null() {
            let own = row.map(|r| view.id(TableId::Overflow, r));
            let parent =
                kind_of(&accepted).map(|(r, _)| view.text(TableId::Overflow, r, "ParentId"));
            if parent != own {
                return refuse(
                    Code::InvalidArgument,
                    "`AcceptedAnswerId` must be an answer to this question",
                );
            }
        }
        Ok(())
    }

    /// Department and level code belong together, leave balances do not exceed the allowance, dates
    /// are in order, the address is free, and the manager fits.
    fn consistent_employee(
        &self,
        row: Option<u32>,
        values: Given<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let department = Department::parse(&text(values, "category"));
        let code = parse_level_code(&text(values, "Level"));
        let (Some(department), Some((of_level, level))) = (department, code) else {
            return refuse(Code::InvalidArgument, "`category` and `Level` are needed");
        };
        if department != of_level {
            return refuse(
                Code::InvalidArgument,
                format!(
                    "`Level` {} belongs to {of_level}, not to {department}; give both",
                    text(values, "Level")
                ),
            );
        }
        if level == 11 || level == 15 {
            return refuse(Code::InvalidArgument, "levels 11 and 15 are reserved");
        }
        for leave in LEAVES {
            let days = |kind: &str| whole_number(&values(&format!("{kind} {leave} Leaves")));
            if days("Remaining") > days("Total") {
                return refuse(
                    Code::InvalidArgument,
                    format!("`Remaining {leave} Leaves` must not be above `Total {leave} Leaves`"),
                );
            }
        }
        if let (Some(joined), Some(left)) = (
            Day::parse(&text(values, "DOJ")),
            Day::parse(&text(values, "DOL")),
        ) && left < joined
        {
            return refuse(Code::InvalidArgument, "`DOL` must not be before `DOJ`");
        }
        if touched("email") {
            self.free_address(row, &text(values, "email"))?;
        }
        // Only these fields can break the tree. Imported companies have managers who left; changing
        // the salary of a report must not fail because of that.
        let moved = touched("reports_to") || touched("category") || touched("Level");
        if !moved {
            return Ok(());
        }
        self.consistent_manager(row, department, level, values)
    }

    /// Checks the form of a work address and that nobody else has it. Addresses are part of the
    /// directory, which everybody may read.
    fn free_address(&self, row: Option<u32>, email: &str) -> Outcome<()> {
        let shape = email.split_once('@').is_some_and(|(a, b)| {
            !a.is_empty()
                && b.contains('.')
                && !b.contains('@')
                && !email.contains(char::is_whitespace)
        });
        if !shape {
            return refuse(
                Code::InvalidArgument,
                "`email` must be an address like a.b@example.com",
            );
        }
        let taken = self
            .view()
            .people_at(email)
            .into_iter()
            .any(|p| Some(p.0) != row);
        if taken {
            return refuse(
                Code::InvalidArgument,
                format!("the address `{email}` is in use"),
            );
        }
        Ok(())
    }

    /// Keeps the reporting tree valid in both directions: the reports below stay in the department
    /// and at no higher level, the manager above is active, of the department and at no lower
    /// level, and no cycle arises.
    fn consistent_manager(
        &self,
        row: Option<u32>,
        department: Department,
        level: u8,
        values: Given<'_>,
    ) -> Outcome<()> {
        let view = self.view();
        if let Some(own) = row {
            let reports = view.get(TableId::Employees, own, "reportees");
            let ids = reports.as_array().map(Vec::as_slice).unwrap_or_default();
            for id in ids.iter().filter_map(Value::as_str) {
                let below = view.employee(id).and_then(|p| view.person(p));
                if below.is_some_and(|p| p.department != department) {
                    return refuse(
                        Code::InvalidArgument,
                        format!(
                            "{} people report to this person; move them first",
                            ids.len()
                        ),
                    );
                }
                if below.is_some_and(|p| p.level > level) {
                    return refuse(
                        Code::InvalidArgument,
                        format!("`{id}` reports to this person at a higher level"),
                    );
                }
            }
        }
        let Some(id) = scalar_text(&values("reports_to")) else {
            return Ok(());
        };
        let Some(manager) = view.employee(&id) else {
            return refuse(
                Code::FkViolation,
                format!("there is no employee `{}`", sim_core::error::clip(&id)),
            );
        };
        let fits = view
            .person(manager)
            .is_some_and(|m| m.active && m.department == department && m.level >= level);
        if !fits {
            return refuse(
                Code::InvalidArgument,
                format!(
                    "`reports_to` must be an active member of {department} at level {level} or above; `{id}` is not"
                ),
            );
        }
        let own = row.map(EmployeeNo);
        if own == Some(manager) || own.is_some_and(|p| view.is_above(p, manager)) {
            return refuse(Code::InvalidArgument, "nobody can stand above themselves");
        }
        Ok(())
    }
}

/// Computes derived values after a write.
pub(super) fn derive(
    source: TableId,
    written: &mut BTreeMap<String, Value>,
    present: &dyn Fn(&str) -> Value,
) {
    match source {
        TableId::Files => {
            if let Some(content) = written.get("content").and_then(Value::as_str) {
                let hash = crate::synth::write::hash_of(content);
                let size = content.len();
                written.insert("hash".to_owned(), hash.into());
                written.insert("size".to_owned(), size.into());
            }
        }
        TableId::Sales if written.contains_key("discounted_price") => {
            let list = Cents::from_value(&present("actual_price")).unwrap_or_default();
            let price = written.get("discounted_price").and_then(Cents::from_value);
            let percent = list.discount_to(price.unwrap_or_default());
            written.insert("discount_percentage".to_owned(), percent.into());
        }
        _ => {}
    }
}

// ---------------------------------------------------------------- update
//
// Changes records.
//
// An update names a record and new values. The rules see which fields change, but not their
// values, apart from one: whether the new manager is the caller. Fields that do not differ from
// the present value are not written, and an update that changes nothing leaves version and journal
// alone.
//
// Concurrency is optimistic: a caller may state the version that it has read, and is refused with
// `VERSION_CONFLICT` if the record has a later one.

impl Run<'_> {
    /// Changes fields of a record and returns the record with its new version.
    pub(super) fn update(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let Some(id) = call.keys.first() else {
            return not_found(source, "");
        };
        let mut c = RequestContext {
            fields: call.changes.keys().map(|k| (*k).to_owned()).collect(),
            ..RequestContext::default()
        };
        if source == TableId::Employees {
            let boss = call.changes.get("reports_to").and_then(scalar_text);
            c.to_self = boss.is_some_and(|b| b == self.my_id());
        }
        let row = self.target(Act::Update, source, id, &c)?;
        self.agrees(call, row)?;
        let version = self.view().version(source, row);
        if let Some(seen) = call.version.filter(|seen| *seen != version) {
            return refuse(
                Code::VersionConflict,
                format!(
                    "the {} is at version {version}, not {seen}; read it again",
                    source.noun()
                ),
            );
        }
        let links: Vec<(&str, &Value)> = call.changes.iter().map(|(k, v)| (*k, v)).collect();
        self.links(source, &links)?;
        let mut values: BTreeMap<String, Value> = call
            .changes
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.clone()))
            .collect();
        // Links arrive as text, but these ids are numbers in records: as text, the value would
        // differ from an equal one.
        if source == TableId::Overflow
            && let Some(id) = values
                .get("AcceptedAnswerId")
                .and_then(crate::value::whole_number)
        {
            values.insert("AcceptedAnswerId".to_owned(), id.into());
        }
        {
            let view = self.view();
            derive(source, &mut values, &|field| view.get(source, row, field));
            let after = |field: &str| {
                values
                    .get(field)
                    .cloned()
                    .unwrap_or_else(|| view.get(source, row, field))
            };
            self.consistent(source, Some(row), &after, &|field| {
                values.contains_key(field)
            })?;
        }
        // The published tool for products returns both states; the others return the record.
        let before = (source == TableId::Products).then(|| self.written(source, row));
        self.write(Done::Update, source, row, values);
        self.state.seen.insert((source, row));
        let after = self.written(source, row);
        let part = |v: &Value, key: &str| v.get(key).cloned().unwrap_or(Value::Null);
        Ok(match before {
            Some(before) => json!({
                "before": part(&before, "record"),
                "after": part(&after, "record"),
                "version": part(&after, "version"),
            }),
            None => after,
        })
    }

    /// Checks that arguments that only repeat a field of the record agree with it.
    pub(super) fn agrees(&self, call: &Call, row: u32) -> Outcome<()> {
        for (field, stated) in &call.same {
            let is = self.view().text(call.source, row, field);
            if is.to_lowercase() != stated.to_lowercase() {
                return refuse(
                    Code::InvalidArgument,
                    format!(
                        "`{field}` of this {} is not `{}`",
                        call.source.noun(),
                        sim_core::error::clip(stated)
                    ),
                );
            }
        }
        Ok(())
    }
}

// ---------------------------------------------------------------- delete
//
// Removes records. Employees remain with a leaving date; mails are removed from one mailbox.
//
// | record | what happens |
// |---|---|
// | employee | gets `is_valid` false and a leaving date; reports move to the manager above |
// | mail | leaves the caller's mailbox; removed when both people have deleted it |
// | repository | its files and issues go with it |
// | question | its answers go with it |
// | answer | the question loses it as accepted answer |
// | post | comments stay, without their parent |
// | product, customer | refused while sales, reviews or chats refer to it, or these go too |
// | others | removed |

/// Records that cannot be without a record of a source: their source and field.
fn referrers(source: TableId) -> impl Iterator<Item = (TableId, &'static str)> {
    let links = TableId::ALL.into_iter().flat_map(|from| {
        let fields = from.fields().iter();
        fields.filter(|f| f.required).map(move |f| (from, f))
    });
    links
        .filter(move |(_, field)| field.kind == FieldType::Link(source))
        .map(|(from, field)| (from, field.name))
}

impl Run<'_> {
    /// Removes a record, and decides what happens to records that refer to it: files, issues and answers
    /// go with it, comments stay without their parent, and everything else is refused or cascades.
    pub(super) fn delete(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let Some(id) = call.keys.first() else {
            return not_found(source, "");
        };
        let row = self.target(Act::Delete, source, id, &RequestContext::default())?;
        self.agrees(call, row)?;
        match source {
            TableId::Employees => return self.deactivate(call, row),
            TableId::Emails => self.unmail(row),
            TableId::Repositories => {
                for (part, field) in [
                    (TableId::Files, "repo_name"),
                    (TableId::Issues, "repo_name"),
                ] {
                    for inner in self.referring(part, field, source, id) {
                        self.remove(part, inner);
                    }
                }
                self.remove(source, row);
            }
            TableId::Overflow => {
                for answer in self.referring(source, "ParentId", source, id) {
                    self.remove(source, answer);
                }
                self.remove(source, row);
                let parent = self.view().text(source, row, "ParentId");
                if let Some(question) = self.view().find(source, &parent)
                    && self.view().text(source, question, "AcceptedAnswerId") == *id
                {
                    let none = BTreeMap::from([("AcceptedAnswerId".to_owned(), Value::Null)]);
                    self.write(Done::Update, source, question, none);
                }
            }
            TableId::Posts => {
                for comment in self.referring(source, "parent_id", source, id) {
                    let none = BTreeMap::from([("parent_id".to_owned(), Value::Null)]);
                    self.write(Done::Update, source, comment, none);
                }
                self.remove(source, row);
            }
            _ => {
                let cascade = self.office.access().config().cascade;
                for (from, field) in referrers(source) {
                    let rows = self.referring(from, field, source, id);
                    if !rows.is_empty() && !cascade {
                        return refuse(
                            Code::FkViolation,
                            format!("the {} is referred to by {}", source.noun(), from.name()),
                        );
                    }
                    for inner in rows {
                        self.remove(from, inner);
                    }
                }
                self.remove(source, row);
            }
        }
        Ok(json!({"deleted_id": self.office.company().id_like(source, id)}))
    }

    /// Removes a mail from the caller's mailbox, or from the office.
    fn unmail(&mut self, row: u32) {
        let source = TableId::Emails;
        let me = self.my_id();
        let view = self.view();
        let sides = [
            view.text(source, row, "sender_emp_id"),
            view.text(source, row, "recipient_emp_id"),
        ];
        let global = self.office.access().config().mail_delete == MailDelete::Global;
        // Somebody who is neither sender nor recipient gets here only without enforcement, and has
        // no copy of the mail to remove.
        if global || !sides.contains(&me) {
            return self.remove(source, row);
        }
        let id = view.id(source, row);
        let entry = self.state.overlay.touch(source, row);
        let before = entry.hidden_from.clone();
        entry.hidden_from.push(me.clone());
        entry.version += 1;
        // Deleted for good once it is in no mailbox.
        entry.deleted = sides.iter().all(|s| entry.hidden_from.contains(s));
        let change = FieldChange {
            before: json!(before),
            after: json!(entry.hidden_from),
        };
        let version = entry.version;
        self.state.overlay.record(Change {
            by: me,
            op: Done::Delete,
            source,
            id,
            version,
            fields: BTreeMap::from([("hidden_from".to_owned(), change)]),
        });
        self.records += 1;
    }

    /// Marks a person as having left and assigns their reports to the next manager above.
    fn deactivate(&mut self, call: &Call, row: u32) -> Outcome<Value> {
        let source = TableId::Employees;
        let view = self.view();
        // A second deactivation would overwrite the first leaving date.
        if view.get(source, row, "is_valid") == Value::Bool(false) {
            return refuse(
                Code::InvalidArgument,
                "this employee is already deactivated",
            );
        }
        let today = Value::from(self.office.company().clock().to_string());
        let left = call
            .values
            .get("DOL")
            .filter(|v| !v.is_null())
            .cloned()
            .unwrap_or(today);
        let joined = Day::parse(&view.text(source, row, "DOJ"));
        if Day::parse(left.as_str().unwrap_or_default()) < joined {
            return refuse(
                Code::InvalidArgument,
                "`DOL` must not be before the joining date",
            );
        }
        let above = view.get(source, row, "reports_to");
        let reports: Vec<u32> = view
            .get(source, row, "reportees")
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| view.find(source, id.as_str()?))
            .collect();
        // Reports move first, so that at no entry of the journal anybody reports to a person who
        // left.
        for report in reports {
            let moved = BTreeMap::from([("reports_to".to_owned(), above.clone())]);
            self.write(Done::Update, source, report, moved);
        }
        let values = BTreeMap::from([
            ("is_valid".to_owned(), Value::Bool(false)),
            ("DOL".to_owned(), left),
        ]);
        self.write(Done::Update, source, row, values);
        Ok(self.written(source, row))
    }
}

impl crate::company::Company {
    /// An identifier in the JSON type of its source.
    fn id_like(&self, source: TableId, id: &str) -> Value {
        if source.numbered() {
            id.parse::<i64>().map_or_else(|_| id.into(), Value::from)
        } else {
            id.into()
        }
    }
}
