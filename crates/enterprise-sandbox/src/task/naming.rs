//! Records as colleagues name them: a person by name, a product by its kind and model, a ticket by
//! who raised it and when, a day as `12 May 2024`.
//!
//! A [`Thing`] is a record with its spoken name, the call that finds it by that name, and the
//! condition under which it is the only one. [`Draft::find`] adds all three to a draft, so a
//! template cannot name a record in a way that its claim does not prove.

use super::draft::{Claim, Ctx, Draft};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::{Cents, Day};
use serde_json::{Value, json};

/// A record with the name that a colleague would use.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) source: TableId,
    pub(super) row: u32,
    /// Its key.
    pub(super) id: String,
    /// What colleagues call it.
    pub(super) said: String,
    tool: &'static str,
    arguments: Value,
    conditions: Vec<(&'static str, &'static str, String)>,
}

impl Thing {
    /// The same, asked for these fields.
    pub(super) fn showing(mut self, fields: &[&str]) -> Self {
        if let Some(map) = self.arguments.as_object_mut() {
            map.insert("fields".to_owned(), json!(fields));
        }
        self
    }

    /// The person, if it is one.
    pub(super) fn person(&self) -> EmployeeNo {
        EmployeeNo(self.row)
    }

    /// The first word of its name.
    pub(super) fn first(&self) -> &str {
        self.said.split(' ').next().unwrap_or(&self.said)
    }
}

impl Draft {
    /// A step that finds a record by its name, with the claim that the name is enough.
    pub(super) fn find(mut self, slot: &str, thing: &Thing) -> Self {
        self.claims.push(Claim {
            source: thing.source,
            conditions: thing
                .conditions
                .iter()
                .map(|(field, is, value)| ((*field).to_owned(), *is, value.clone()))
                .collect(),
            rows: vec![thing.row],
        });
        self.slot(slot, &thing.said)
            .step(
                format!("find {}", thing.said),
                thing.tool,
                thing.arguments.clone(),
            )
            .row(thing.source, thing.row)
    }

    /// A step that reads a record whose id the step before gave.
    pub(super) fn read(self, c: &Ctx<'_>, goal: &str, source: TableId, row: u32) -> Self {
        let (tool, argument) = reader(source);
        self.then(goal, tool, json!({argument: c.key(source, row)}))
            .row(source, row)
    }

    /// As [`read`](Self::read), with the fields that are wanted.
    pub(super) fn read_person(
        self,
        c: &Ctx<'_>,
        goal: &str,
        person: EmployeeNo,
        fields: &[&str],
    ) -> Self {
        self.then(
            goal,
            "employee_data_read",
            json!({"emp_id": c.id(person), "fields": fields}),
        )
        .row(TableId::Employees, person.0)
    }

    /// The last step needs exactly these earlier steps (from 0).
    pub(super) fn after(mut self, steps: &[usize]) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.depends = steps.to_vec();
        }
        self
    }

    /// A mail in one's own words, after all earlier steps; the text has to contain `parts`.
    pub(super) fn mail(self, c: &Ctx<'_>, to: EmployeeNo, about: &str, parts: &[String]) -> Self {
        let name = c.name(to);
        let first = name.split(' ').next().unwrap_or_default();
        let body = format!("Hello {first}, {about}: {}. Best regards", parts.join(", "));
        self.last(
            format!("mail {name}"),
            "enterprise_mail_system_create",
            json!({"recipient_emp_id": c.id(to), "subject": about, "body": body}),
        )
        .says("subject", &[])
        .says("body", parts)
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
            "conversations_create",
            json!({"recipient_emp_id": c.id(to), "text": text}),
        )
        .says("text", parts)
    }
}

/// The tool that reads one record of a source by its id, and the name of the argument.
fn reader(source: TableId) -> (&'static str, &'static str) {
    match source {
        TableId::Products => ("products_read", "product_id"),
        TableId::Customers => ("customers_read", "customer_id"),
        TableId::Tickets => ("it_service_management_read_issue", "id"),
        TableId::Overflow => ("overflow_read", "id"),
        TableId::Posts => ("social_platform_read", "post_id"),
        TableId::Issues => ("github_read", "issue_id"),
        TableId::Repositories => ("github_read", "repo_name"),
        TableId::Clients => ("clients_read", "client_id"),
        TableId::Vendors => ("vendors_read", "vendor_id"),
        TableId::Emails => ("enterprise_mail_system_read", "email_id"),
        _ => ("employee_data_read", "emp_id"),
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
    let words = name.split(' ').map(crate::synth::phrases::capital);
    words.collect::<Vec<_>>().join(" ")
}

/// The months by name.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

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
        let next = match month {
            12 => Day::from_date(year + 1, 1, 1)?,
            _ => Day::from_date(year, month + 1, 1)?,
        };
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
}

impl Ctx<'_> {
    /// A person by full name.
    pub(super) fn who(&self, person: EmployeeNo) -> Option<Thing> {
        let name = self.name(person);
        self.sole_name(person).then(|| Thing {
            source: TableId::Employees,
            row: person.0,
            id: self.id(person),
            tool: "employee_data_read",
            arguments: json!({"name": name}),
            conditions: vec![("Name", "is", name.clone())],
            said: name,
        })
    }

    /// A colleague by full name.
    pub(super) fn somebody(&mut self) -> Option<Thing> {
        let person = self.colleague()?;
        self.who(person)
    }

    /// A product by kind and model, else by its full name.
    pub(super) fn product_named(&self, row: u32) -> Option<Thing> {
        let source = TableId::Products;
        let name = self.text(source, row, "product_name");
        let (said, is, pattern) = match spoken_product(&name) {
            Some((said, _)) => (said.to_owned(), "ends", format!("*{said}")),
            None => (name.clone(), "is", name.clone()),
        };
        // Models of generated companies are unique; other names may be shared.
        let sole = is == "ends"
            || crate::office::named_rows(&self.view, source, "product_name", &name) == [row];
        sole.then(|| Thing {
            source,
            row,
            id: self.text(source, row, "product_id"),
            tool: "products_read",
            arguments: json!({"product_name": pattern}),
            conditions: vec![("product_name", is, said.clone())],
            said,
        })
    }

    /// A record of a source by the field that names it.
    fn by_name(
        &self,
        source: TableId,
        row: u32,
        field: &'static str,
        tool: &'static str,
    ) -> Option<Thing> {
        let name = self.text(source, row, field);
        let lower = name.to_lowercase() == name;
        let sole = crate::office::named_rows(&self.view, source, field, &name) == [row];
        (sole && !name.is_empty()).then(|| Thing {
            source,
            row,
            id: self.text(source, row, source.key()),
            tool,
            arguments: json!({field: name}),
            conditions: vec![(field, "is", name.clone())],
            said: if lower { title(&name) } else { name },
        })
    }

    pub(super) fn customer_named(&self, row: u32) -> Option<Thing> {
        self.by_name(TableId::Customers, row, "customer_name", "customers_read")
    }

    pub(super) fn client_named(&self, row: u32) -> Option<Thing> {
        self.by_name(TableId::Clients, row, "business_name", "clients_read")
    }

    /// A vendor by name. Vendors have no argument for it, so they are searched.
    pub(super) fn vendor_named(&self, row: u32) -> Option<Thing> {
        let mut thing = self.by_name(TableId::Vendors, row, "business_name", "vendors_read")?;
        thing.arguments = json!({"query": thing.said});
        Some(thing)
    }

    /// A product, customer, client or vendor that the persona may read.
    pub(super) fn some(&mut self, source: TableId) -> Option<Thing> {
        let row = self.any(source)?;
        match source {
            TableId::Products => self.product_named(row),
            TableId::Customers => self.customer_named(row),
            TableId::Clients => self.client_named(row),
            TableId::Vendors => self.vendor_named(row),
            _ => None,
        }
    }

    pub(super) fn day(&self, source: TableId, row: u32, field: &str) -> Option<Day> {
        let text = self.text(source, row, field);
        Day::parse(text.get(..10).unwrap_or(&text))
    }

    pub(super) fn cents(&self, source: TableId, row: u32, field: &str) -> Option<i64> {
        Cents::from_value(&self.get(source, row, field)).map(|c| c.0)
    }

    pub(super) fn is_active(&self, person: EmployeeNo) -> bool {
        self.view.person(person).is_some_and(|p| p.active)
    }

    /// The people who report to a person, if there are `low` to `high` and all still work here.
    pub(super) fn team(
        &self,
        boss: EmployeeNo,
        low: usize,
        high: usize,
    ) -> Option<Vec<EmployeeNo>> {
        let id = self.id(boss);
        let rows = self.linked(TableId::Employees, "reports_to", boss.0);
        let team: Vec<EmployeeNo> = rows
            .into_iter()
            .filter(|r| self.text(TableId::Employees, *r, "reports_to") == id)
            .map(EmployeeNo)
            .collect();
        let fits = (low..=high).contains(&team.len()) && team.iter().all(|p| self.is_active(*p));
        fits.then_some(team)
    }

    /// A manager whose people all still work here, found through one of them.
    pub(super) fn team_lead(
        &mut self,
        low: usize,
        high: usize,
    ) -> Option<(Thing, Vec<EmployeeNo>)> {
        for _ in 0..12 {
            let person = self.colleague()?;
            let Some(boss) = self.view.manager(person).filter(|b| *b != self.me) else {
                continue;
            };
            if let (Some(team), true) = (self.team(boss, low, high), self.is_active(boss))
                && !team.contains(&self.me)
                && let Some(boss) = self.who(boss)
            {
                return Some((boss, team));
            }
        }
        None
    }

    /// The claim that these people, and no others, report to a person.
    pub(super) fn team_claim(&self, d: Draft, boss: EmployeeNo, team: &[EmployeeNo]) -> Draft {
        let rows: Vec<u32> = team.iter().map(|p| p.0).collect();
        d.claim(
            TableId::Employees,
            &[("reports_to", "is", self.id(boss))],
            &rows,
        )
    }

    /// Finds a ticket: who raised it, and on which day unless it is that person's only one.
    pub(super) fn find_ticket(&self, d: Draft, row: u32) -> Option<Draft> {
        let source = TableId::Tickets;
        let raiser = self
            .view
            .employee(&self.text(source, row, "raised_by_emp_id"))?;
        let id = self.id(raiser);
        let all = self.linked(source, "raised_by_emp_id", raiser.0);
        let day = self.day(source, row, "assigned_date")?;
        let mut conditions = vec![("raised_by_emp_id", "is", id.clone())];
        let mut arguments = json!({"raised_by_emp_id": id});
        let dated = all.len() > 1;
        if dated {
            conditions.push(("assigned_date", "is", day.to_string()));
            if let Some(map) = arguments.as_object_mut() {
                map.insert("start_date".to_owned(), json!(day.to_string()));
                map.insert("end_date".to_owned(), json!(day.to_string()));
            }
        }
        let tool = "it_service_management_read_issue";
        let d = if raiser == self.me {
            let said = match dated {
                true => format!("the ticket that I raised on {}", said_day(day)),
                false => "the helpdesk ticket that I once raised".to_owned(),
            };
            d.slot("ticket", said)
                .step("find my ticket", tool, arguments)
        } else {
            let who = self.who(raiser)?;
            let said = match dated {
                true => format!("the ticket that {} raised on {}", who.said, said_day(day)),
                false => format!("the ticket that {} raised", who.said),
            };
            d.find("raiser", &who)
                .slot("ticket", said)
                .then("find the ticket", tool, arguments)
        };
        Some(d.claim(source, &conditions, &[row]).row(source, row))
    }

    /// Finds a support chat as people remember it: the customer, the kind of product, and the month
    /// if there were several.
    pub(super) fn find_chat(&self, d: Draft, row: u32) -> Option<Draft> {
        let source = TableId::SupportChats;
        let customer = self
            .view
            .find(TableId::Customers, &self.text(source, row, "customer_id"))?;
        let who = self.customer_named(customer)?;
        let name = self.text(source, row, "product_name");
        let (_, kind) = spoken_product(&name)?;
        let month = Span::month(self.day(source, row, "interaction_date")?)?;
        let same: Vec<u32> = self
            .linked(source, "customer_id", customer)
            .into_iter()
            .filter(|r| self.text(source, *r, "product_name").contains(kind))
            .collect();
        let mut conditions = vec![
            ("customer_id", "is", who.id.clone()),
            ("product_name", "has", kind.to_owned()),
        ];
        let mut about = a(kind);
        if same.len() > 1 {
            conditions.push(("interaction_date", "from", month.first.to_string()));
            conditions.push(("interaction_date", "to", month.last.to_string()));
            about = format!("{about} in {}", month.said);
            // One bound is enough where nothing lies beyond the other.
            let days = |r: &u32| self.day(source, *r, "interaction_date");
            if same.iter().filter_map(days).all(|d| d <= month.last) {
                conditions.pop();
            } else if same.iter().filter_map(days).all(|d| d >= month.first) {
                conditions.remove(2);
            }
        }
        let id = who.id.clone();
        Some(
            d.find("customer", &who)
                .slot("kind", about)
                .then(
                    "find the support chat",
                    "customer_support_chats_read",
                    json!({"customer_id": id, "limit": 200}),
                )
                .claim(source, &conditions, &[row])
                .row(source, row),
        )
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
