//! Calls that write: new records, changes and removals, and the checks before them.

use super::Code;
use super::run::{Outcome, Run, invalid, not_found, refuse};
use crate::access::{Act, MailDelete, RequestContext, Resource};
use crate::data::cells::id_value;
use crate::data::company::ids::Ids;
use crate::data::org::{Department, parse_level_code};
use crate::data::overlay::{FieldChange, WriteKind as Done};
use crate::data::row::{EmployeeNo, LEAVES};
use crate::data::tables::{FieldDefault, FieldType, TableId, Write};
use crate::data::value::{Cents, Day, Moment, scalar_text, whole_number};
use crate::data::view::CompanyView;
use crate::tools::Call;
use serde_json::{Value, json};
use sim_core::Stream;
use sim_core::error::clip;
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

/// Values by the names of their fields.
pub(super) type Values = BTreeMap<&'static str, Value>;

/// Minutes by which each write advances the office clock, so that mails keep their order.
const MINUTES_A_WRITE: i64 = 1;

/// A value as a text; empty if there is none.
fn text(values: &Values, field: &str) -> String {
    values.get(field).and_then(scalar_text).unwrap_or_default()
}

impl Run<'_> {
    /// Creates a record and returns it with its version, 1. The writer may see all fields that were
    /// written, even those that readers of the source may not see.
    pub(super) fn create(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let mut values = call.values.clone();
        self.may_create(call, &mut values)?;
        self.links(source, &values)?;
        self.complete(source, &mut values)?;
        // New rows follow after all others, removed ones included, so a row number is never used
        // twice.
        let row = self.view().rows(source);
        let id = self.identifier(call, row, &values)?;
        values.insert(source.key(), id_value(source, &id));
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
        let table = source.table();
        let mut resource = Resource::planned(source, table.owner.map(|_| self.me));
        if let Some(owner) = table.owner {
            values.insert(owner, me.as_str().into());
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
        // A thread of this episode has no number. Its mails are among the candidates of any, as all written rows are.
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
            return invalid("a mail needs `recipient_emp_id` or `recipient_email`");
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
                values.insert("recipient_emp_id", id.into());
                Ok(())
            }
            [] => refuse(Code::FkViolation, "nobody has this address"),
            several => invalid(format!(
                "{} people have this address; give `recipient_emp_id`",
                several.len()
            )),
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

    /// Fills in defaults, copies of fields of linked records, and what follows from the session.
    fn complete(&self, source: TableId, values: &mut Values) -> Outcome<()> {
        let company = &self.office.company;
        for field in source.fields() {
            let value = match field.default {
                FieldDefault::Absent => continue,
                FieldDefault::Null => Value::Null,
                FieldDefault::Empty if field.kind == FieldType::Words => json!([]),
                FieldDefault::Empty => "".into(),
                FieldDefault::Today => company.clock().to_string().into(),
                // With its zone if tools write it, as a stored one is shown.
                FieldDefault::Now if field.write == Write::Derived => self.now().to_string().into(),
                FieldDefault::Now => format!("{}+05:30", self.now()).into(),
                FieldDefault::Word(word) => word.into(),
                FieldDefault::Number(n) => n.into(),
                FieldDefault::Yes => true.into(),
                FieldDefault::Same(other) => values.get(other).cloned().unwrap_or_default(),
            };
            values.entry(field.name).or_insert(value);
        }
        let view = self.view();
        // A field of the record that another field links to; null if there is none.
        let linked = |values: &Values, link: &str, field: &str| {
            let target = source.target(link)?;
            let row = view.find(target, &text(values, link))?;
            Some(view.get(target, row, field))
        };
        if source.is_private() {
            self.colleague(&text(values, "recipient_emp_id"))?;
        }
        for field in source.fields() {
            if let Some((link, of)) = field.copy {
                let copy = linked(values, link, of).unwrap_or_default();
                values.insert(field.name, copy);
            }
        }
        match source {
            TableId::Employees if !values.contains_key("email") => {
                let address = self.new_address(&text(values, "Name"));
                values.insert("email", address.into());
            }
            TableId::Emails => {
                // Not an argument: nobody signs for somebody else.
                values.insert("signature", self.signature().into());
                let notice = crate::data::synth::write::notice();
                values.insert("confidentiality_notice", notice.into());
                if !values.contains_key("thread_id") {
                    values.insert("thread_id", self.new_thread().into());
                }
            }
            TableId::Overflow => {
                if values
                    .get("post_type")
                    .is_some_and(|kind| kind == "question")
                {
                    values.insert("ViewCount", 0.into());
                }
                numbered(values, "ParentId");
            }
            TableId::Files if text(values, "path").starts_with('/') => {
                return invalid("`path` must not begin with a slash");
            }
            TableId::Tickets if !values.contains_key("emp_id") => {
                values.insert("emp_id", self.helpdesk().into());
            }
            TableId::Sales => {
                for field in ["actual_price", "discounted_price"] {
                    let price = linked(values, "product_id", field).unwrap_or_default();
                    values.entry(field).or_insert(price);
                }
            }
            TableId::Reviews => {
                self.bought(&text(values, "product_id"), &text(values, "customer_id"))?;
            }
            _ => {}
        }
        self.check(source, None, values)
    }

    /// An address of a new person that nobody has.
    fn new_address(&self, name: &str) -> String {
        let name = name.to_lowercase();
        let mut words = name.split_whitespace();
        let first = words.next().unwrap_or("new");
        let last = words.next_back().unwrap_or("colleague");
        let plain = |w: &str| w.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        let stem = format!("{}.{}", plain(first), plain(last));
        let domain = self.office.company.domain();
        let address = |n: u32| match n {
            1 => format!("{stem}@{domain}"),
            n => format!("{stem}{n}@{domain}"),
        };
        let mut all = (1..10_000).map(address);
        let free = all.find(|a| self.view().people_at(a).is_empty());
        free.unwrap_or_default()
    }

    /// Name, title and department of the caller.
    fn signature(&self) -> String {
        let view = self.view();
        let name = view.text(TableId::Employees, self.me.0, "Name");
        match view.person(self.me) {
            Some(p) => {
                let title = crate::data::org::Rank::of_level(p.level).title();
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
    fn identifier(&self, call: &Call, row: u32, values: &Values) -> Outcome<String> {
        let source = call.source;
        let view = self.view();
        if source == TableId::Files {
            let id = format!("{}:{}", text(values, "repo_name"), text(values, "path"));
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
                    format!("the id `{}` is in use", clip(id)),
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
                // Their ids have at most nine digits.
                TableId::Employees => formed(source, number % 1_000_000_000, 9, &mut draws),
                _ => formed(source, number, 0, &mut draws),
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
        let seed = c.seed.child("new.id", source as u64);
        let mut draws = seed.stream("row", u64::from(row));
        let counted = source.numbered() || matches!(source, TableId::Employees | TableId::Posts);
        let mut number = if counted { self.highest(source) } else { 0 };
        loop {
            number = match source {
                TableId::Tickets => 100 + draws.below(1_000_000),
                _ => number + 1,
            };
            let id = formed(source, number, 4, &mut draws);
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

/// An identifier in the form of its source: with a number, for employees of at least this width, or drawn.
pub(crate) fn formed(source: TableId, number: u64, width: usize, draws: &mut Stream) -> String {
    match source {
        TableId::Employees => format!("emp_{number:0width$}"),
        TableId::Posts => format!("post_{number}"),
        TableId::Customers => letters(draws, 5),
        TableId::Products => product(draws),
        _ if source.numbered() || source == TableId::Tickets => number.to_string(),
        _ => uuid(draws),
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
    let all = |fits: fn(char) -> bool| id.chars().all(fits);
    let digits = |c: char| c.is_ascii_digit();
    let (fits, form) = match source {
        TableId::Products => (
            id.len() == 10 && all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()),
            "10 capitals or digits",
        ),
        TableId::Customers => (
            id.len() == 5 && all(|c| c.is_ascii_lowercase()),
            "5 lower-case letters",
        ),
        TableId::Employees => (
            id.strip_prefix("emp_")
                .is_some_and(|d| (4..=9).contains(&d.len()) && d.chars().all(digits)),
            "`emp_` and at least 4 digits",
        ),
        s if s.numbered() || s == TableId::Tickets => (
            id.len() <= 12 && all(digits) && (id.len() == 1 || !id.starts_with('0')),
            "a whole number",
        ),
        _ => (
            all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c)),
            "letters, digits, dots, hyphens, underscores and slashes",
        ),
    };
    match fits {
        true => Ok(()),
        false => invalid(format!("the id of a {} must be {form}", source.noun())),
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

/// A record as it would be after a write: written values, and present ones elsewhere.
struct Planned<'a> {
    view: CompanyView<'a>,
    source: TableId,
    /// `None` for a new record.
    row: Option<u32>,
    written: &'a Values,
}

impl Planned<'_> {
    fn get(&self, field: &str) -> Value {
        match (self.written.get(field), self.row) {
            (Some(value), _) => value.clone(),
            (None, Some(row)) => self.view.get(self.source, row, field),
            (None, None) => Value::Null,
        }
    }

    fn text(&self, field: &str) -> String {
        scalar_text(&self.get(field)).unwrap_or_default()
    }

    fn money(&self, field: &str) -> Cents {
        Cents::from_value(&self.get(field)).unwrap_or_default()
    }

    /// Whether a field is written; one of a new record if it has a value.
    fn touches(&self, field: &str) -> bool {
        let written = self.written.get(field);
        written.is_some_and(|value| self.row.is_some() || !value.is_null())
    }

    /// Values that follow from written ones.
    fn derived(&self) -> Values {
        let content = self.written.get("content").and_then(Value::as_str);
        match (self.source, content) {
            (TableId::Files, Some(content)) => Values::from([
                ("hash", crate::data::synth::write::hash_of(content).into()),
                ("size", content.len().into()),
            ]),
            (TableId::Sales, _) if self.written.contains_key("discounted_price") => {
                let price = self.money("discounted_price");
                let percent = self.money("actual_price").discount_to(price);
                Values::from([("discount_percentage", percent.into())])
            }
            _ => Values::new(),
        }
    }
}

/// The refusal of a value that links to a record that does not exist.
fn dangling<T>(target: TableId, id: &str) -> Outcome<T> {
    let message = format!("there is no {} `{}`", target.noun(), clip(id));
    refuse(Code::FkViolation, message)
}

/// Makes a link a number, as the ids of questions and answers are in records; links arrive as text, and as
/// text the value would differ from an equal one.
fn numbered(values: &mut Values, field: &'static str) {
    if let Some(id) = values.get(field).and_then(whole_number) {
        values.insert(field, id.into());
    }
}

impl Run<'_> {
    /// Checks that every written link has a target.
    /// A target that the caller may not read counts as missing.
    fn links(&self, source: TableId, written: &Values) -> Outcome<()> {
        for (name, value) in written {
            let (Some(target), Some(id)) = (source.target(name), scalar_text(value)) else {
                continue;
            };
            let row = self.view().find(target, &id);
            if row.is_none_or(|row| !self.knows(target, row)) {
                let message = format!("`{name}`: there is no {} `{}`", target.noun(), clip(&id));
                return refuse(Code::FkViolation, message);
            }
        }
        Ok(())
    }

    /// An active colleague who is not the caller.
    fn colleague(&self, id: &str) -> Outcome<EmployeeNo> {
        let view = self.view();
        match view.employee(id) {
            None => dangling(TableId::Employees, id),
            Some(me) if me == self.me => invalid("the recipient must be somebody else"),
            Some(person) if view.person(person).is_some_and(|p| p.active) => Ok(person),
            Some(_) => invalid(format!("`{id}` has left the company")),
        }
    }

    fn planned<'a>(
        &'a self,
        source: TableId,
        row: Option<u32>,
        written: &'a Values,
    ) -> Planned<'a> {
        Planned {
            view: self.view(),
            source,
            row,
            written,
        }
    }

    /// Computes what follows from written values, and checks the record as it would be. `row` is `None` for a
    /// new one.
    fn check(&self, source: TableId, row: Option<u32>, values: &mut Values) -> Outcome<()> {
        let derived = self.planned(source, row, values).derived();
        values.extend(derived);
        let p = self.planned(source, row, values);
        let priced =
            source == TableId::Sales || p.touches("actual_price") || p.touches("discounted_price");
        let dear = priced && p.money("discounted_price") > p.money("actual_price");
        match source {
            TableId::Employees => self.check_employee(&p)?,
            TableId::Products if dear => {
                return invalid("`discounted_price` must not be above `actual_price`");
            }
            TableId::Sales if dear => {
                return invalid("`discounted_price` must not be above the list price");
            }
            TableId::Overflow => check_post(&p)?,
            _ => {}
        }
        let today = self.office.company.clock();
        for field in source.fields().iter().filter(|f| p.touches(f.name)) {
            let (name, stated) = (field.name, p.text(field.name));
            if let Some(department) = field.member {
                let person = p.view.employee(&stated).and_then(|who| p.view.person(who));
                if person.is_none_or(|p| !p.active || p.department != department) {
                    return invalid(format!(
                        "`{name}` must be an active member of {department}, `{stated}` is not"
                    ));
                }
            }
            // Sales, reviews and chats record what happened.
            if let Some(day) = Day::parse(&stated).filter(|day| field.past && *day > today) {
                return invalid(format!("`{name}` {day} lies after today, {today}"));
            }
        }
        Ok(())
    }

    /// Department and level code belong together, leave balances do not exceed the allowance, dates
    /// are in order, the address is free, and the manager fits.
    fn check_employee(&self, p: &Planned<'_>) -> Outcome<()> {
        let department = Department::parse(&p.text("category"));
        let code = parse_level_code(&p.text("Level"));
        let (Some(department), Some((of_level, level))) = (department, code) else {
            return invalid("`category` and `Level` are needed");
        };
        if department != of_level {
            return invalid(format!(
                "`Level` {} belongs to {of_level}, not to {department}; give both",
                p.text("Level")
            ));
        }
        if level == 11 || level == 15 {
            return invalid("levels 11 and 15 are reserved");
        }
        for leave in LEAVES {
            let days = |kind: &str| whole_number(&p.get(&format!("{kind} {leave} Leaves")));
            if days("Remaining") > days("Total") {
                return invalid(format!(
                    "`Remaining {leave} Leaves` must not be above `Total {leave} Leaves`"
                ));
            }
        }
        let day = |field| Day::parse(&p.text(field));
        if let (Some(joined), Some(left)) = (day("DOJ"), day("DOL"))
            && left < joined
        {
            return invalid("`DOL` must not be before `DOJ`");
        }
        if p.touches("email") {
            free_address(p)?;
        }
        // Only these fields can break the tree. Imported companies have managers who left; changing
        // the salary of a report must not fail because of that.
        match ["reports_to", "category", "Level"]
            .iter()
            .any(|f| p.touches(f))
        {
            true => check_manager(p, department, level),
            false => Ok(()),
        }
    }
}

/// Questions have a title and may have tags and an accepted answer; answers have a question.
fn check_post(p: &Planned<'_>) -> Outcome<()> {
    let (made, question) = (p.row.is_none(), p.get("post_type") == "question");
    if made && question && p.get("Title").is_null() {
        return invalid("a question needs `Title`");
    }
    let of_questions = ["Title", "Tags", "AcceptedAnswerId"];
    if !question && of_questions.iter().any(|field| p.touches(field)) {
        return invalid("`Title`, `Tags` and `AcceptedAnswerId` belong to questions");
    }
    let linked = |field: &str| p.view.find(p.source, &p.text(field));
    let shown = |row: u32, field: &str| p.view.text(p.source, row, field);
    if made && !question {
        let parent = linked("ParentId").map(|row| shown(row, "post_type"));
        if parent.as_deref() != Some("question") {
            return invalid("an answer needs `ParentId`, the question");
        }
    }
    if made && question && !p.get("ParentId").is_null() {
        return invalid("`ParentId` belongs to answers");
    }
    if p.touches("AcceptedAnswerId") && !p.get("AcceptedAnswerId").is_null() {
        let own = p.row.map(|row| p.view.id(p.source, row));
        let parent = linked("AcceptedAnswerId").map(|row| shown(row, "ParentId"));
        if parent != own {
            return invalid("`AcceptedAnswerId` must be an answer to this question");
        }
    }
    Ok(())
}

/// Checks the form of a work address and that nobody else has it. Addresses are part of the
/// directory, which everybody may read.
fn free_address(p: &Planned<'_>) -> Outcome<()> {
    let email = p.text("email");
    let shape = email.split_once('@').is_some_and(|(a, b)| {
        let spaced = email.contains(char::is_whitespace);
        !a.is_empty() && b.contains('.') && !b.contains('@') && !spaced
    });
    if !shape {
        return invalid("`email` must be an address like a.b@example.com");
    }
    match p
        .view
        .people_at(&email)
        .iter()
        .any(|who| Some(who.0) != p.row)
    {
        true => invalid(format!("the address `{email}` is in use")),
        false => Ok(()),
    }
}

/// Keeps the reporting tree valid in both directions: the reports below stay in the department
/// and at no higher level, the manager above is active, of the department and at no lower
/// level, and no cycle arises.
fn check_manager(p: &Planned<'_>, department: Department, level: u8) -> Outcome<()> {
    let view = &p.view;
    if let Some(own) = p.row {
        let reports = view.get(TableId::Employees, own, "reportees");
        let ids = reports.as_array().map(Vec::as_slice).unwrap_or_default();
        for id in ids.iter().filter_map(Value::as_str) {
            let below = view.employee(id).and_then(|p| view.person(p));
            if below.is_some_and(|p| p.department != department) {
                let count = ids.len();
                return invalid(format!(
                    "{count} people report to this person; move them first"
                ));
            }
            if below.is_some_and(|p| p.level > level) {
                return invalid(format!("`{id}` reports to this person at a higher level"));
            }
        }
    }
    let Some(id) = scalar_text(&p.get("reports_to")) else {
        return Ok(());
    };
    let Some(manager) = view.employee(&id) else {
        return dangling(TableId::Employees, &id);
    };
    let fits = view
        .person(manager)
        .is_some_and(|m| m.active && m.department == department && m.level >= level);
    if !fits {
        return invalid(format!(
            "`reports_to` must be an active member of {department} at level {level} or above; `{id}` is not"
        ));
    }
    let own = p.row.map(EmployeeNo);
    if own == Some(manager) || own.is_some_and(|p| view.is_above(p, manager)) {
        return invalid("nobody can stand above themselves");
    }
    Ok(())
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
        let boss = call.changes.get("reports_to").and_then(scalar_text);
        let c = RequestContext {
            fields: call.changes.keys().map(|k| (*k).to_owned()).collect(),
            to_self: source == TableId::Employees && boss.is_some_and(|b| b == self.my_id()),
            ..RequestContext::default()
        };
        let row = self.target(Act::Update, source, id, &c)?;
        self.agrees(call, row)?;
        let version = self.view().version(source, row);
        if let Some(seen) = call.version.filter(|seen| *seen != version) {
            let message = format!(
                "the {} is at version {version}, not {seen}; read it again",
                source.noun()
            );
            return refuse(Code::VersionConflict, message);
        }
        self.links(source, &call.changes)?;
        let mut values = call.changes.clone();
        if source == TableId::Overflow {
            numbered(&mut values, "AcceptedAnswerId");
        }
        self.check(source, Some(row), &mut values)?;
        // The published tool for products returns both states; the others return the record.
        let before = (source == TableId::Products).then(|| self.written(source, row));
        self.write(Done::Update, source, row, values);
        self.state.seen.insert((source, row));
        let after = self.written(source, row);
        Ok(match before {
            Some(before) => json!({
                "before": before.get("record"),
                "after": after.get("record"),
                "version": after.get("version"),
            }),
            None => after,
        })
    }

    /// Checks that arguments that only repeat a field of the record agree with it.
    fn agrees(&self, call: &Call, row: u32) -> Outcome<()> {
        for (field, stated) in &call.same {
            let is = self.view().text(call.source, row, field);
            if is.to_lowercase() != stated.to_lowercase() {
                let noun = call.source.noun();
                return invalid(format!(
                    "`{field}` of this {noun} is not `{}`",
                    clip(stated)
                ));
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
                for part in [TableId::Files, TableId::Issues] {
                    for inner in self.referring(part, "repo_name", source, id) {
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
                    let none = Values::from([("AcceptedAnswerId", Value::Null)]);
                    self.write(Done::Update, source, question, none);
                }
            }
            TableId::Posts => {
                for comment in self.referring(source, "parent_id", source, id) {
                    let none = Values::from([("parent_id", Value::Null)]);
                    self.write(Done::Update, source, comment, none);
                }
                self.remove(source, row);
            }
            _ => {
                let cascade = self.office.access().config().cascade;
                for (from, field) in referrers(source) {
                    let rows = self.referring(from, field, source, id);
                    if !rows.is_empty() && !cascade {
                        let message = format!("the {} is referred to by {from}", source.noun());
                        return refuse(Code::FkViolation, message);
                    }
                    for inner in rows {
                        self.remove(from, inner);
                    }
                }
                self.remove(source, row);
            }
        }
        Ok(json!({"deleted_id": id_value(source, id)}))
    }

    /// Removes a mail from the caller's mailbox, or from the office.
    fn unmail(&mut self, row: u32) {
        let source = TableId::Emails;
        let me = self.my_id();
        let view = self.view();
        let sides =
            ["sender_emp_id", "recipient_emp_id"].map(|field| view.text(source, row, field));
        let global = self.office.access().config().mail_delete == MailDelete::Global;
        // Somebody who is neither sender nor recipient gets here only without enforcement, and has
        // no copy of the mail to remove.
        if global || !sides.contains(&me) {
            return self.remove(source, row);
        }
        let entry = self.state.overlay.touch(source, row);
        let before = entry.hidden_from.clone();
        entry.hidden_from.push(me);
        entry.version += 1;
        // Deleted for good once it is in no mailbox.
        entry.deleted = sides.iter().all(|s| entry.hidden_from.contains(s));
        let change = FieldChange {
            before: json!(before),
            after: json!(entry.hidden_from),
        };
        let fields = BTreeMap::from([("hidden_from".to_owned(), change)]);
        self.record(Done::Delete, source, row, fields);
    }

    /// Marks a person as having left and assigns their reports to the next manager above.
    fn deactivate(&mut self, call: &Call, row: u32) -> Outcome<Value> {
        let source = TableId::Employees;
        let view = self.view();
        // A second deactivation would overwrite the first leaving date.
        if view.get(source, row, "is_valid") == Value::Bool(false) {
            return invalid("this employee is already deactivated");
        }
        let left = call.values.get("DOL").filter(|v| !v.is_null()).cloned();
        let left = left.unwrap_or_else(|| self.office.company.clock().to_string().into());
        let joined = Day::parse(&view.text(source, row, "DOJ"));
        if Day::parse(left.as_str().unwrap_or_default()) < joined {
            return invalid("`DOL` must not be before the joining date");
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
            let moved = Values::from([("reports_to", above.clone())]);
            self.write(Done::Update, source, report, moved);
        }
        let values = Values::from([("is_valid", false.into()), ("DOL", left)]);
        self.write(Done::Update, source, row, values);
        Ok(self.written(source, row))
    }
}
