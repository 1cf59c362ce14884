//! Records as colleagues name them: a person by name, a product by its kind and model, a ticket by
//! who raised it and when, a day as `12 May 2024`.
//!
//! A [`Thing`] is a record with its spoken name, the call that finds it by that name, and the
//! condition under which it is the only one. [`Draft::find`] adds all three to a draft, so a
//! template cannot name a record in a way that its claim does not prove.

use super::draft::{Ctx, Draft, Is, is};
use super::steps::reading;
use crate::row::EmployeeNo;
use crate::source::{FieldType, TableId};
use crate::value::Day;
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
    goal: String,
    arguments: Value,
    condition: Is,
}

impl Thing {
    /// The same, asked for these fields.
    pub(super) fn showing(mut self, fields: &[&str]) -> Self {
        if let Some(map) = self.arguments.as_object_mut() {
            map.insert("fields".to_owned(), json!(fields));
        }
        self
    }

    /// The same; the purpose of the step that finds it is these words and the name in the record.
    pub(super) fn goal(mut self, words: &str) -> Self {
        self.goal = format!("{words} {}", self.condition.2);
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
    pub(super) fn find(self, slot: &str, thing: &Thing) -> Self {
        self.slot(slot, &thing.said)
            .step(&thing.goal, reading(thing.source), thing.arguments.clone())
            .claim(
                thing.source,
                std::slice::from_ref(&thing.condition),
                &[thing.row],
            )
            .row(thing.source, thing.row)
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
        let sole = crate::office::named_rows(&self.view, source, field, &name) == [row];
        (sole && !name.is_empty()).then(|| Thing {
            source,
            row,
            id: self.text(source, row, source.key()),
            said: name.clone(),
            goal: format!("find {name}"),
            arguments: json!({field: name}),
            condition: is(field, name),
        })
    }

    /// A product by kind and model, else by its full name.
    fn product_named(&self, row: u32) -> Option<Thing> {
        let (source, field) = (TableId::Products, "product_name");
        let name = self.text(source, row, field);
        // Models of generated companies are unique; other names may be shared.
        let Some((said, _)) = spoken_product(&name) else {
            return self.by_name(source, row, field);
        };
        Some(Thing {
            source,
            row,
            id: self.text(source, row, source.key()),
            said: said.to_owned(),
            goal: format!("find {said}"),
            arguments: json!({field: format!("*{said}")}),
            condition: (field, "ends", said.to_owned()),
        })
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

    /// What a field of a row links to, as people name it.
    pub(super) fn linked_to(&self, source: TableId, row: u32, field: &str) -> Option<Thing> {
        match source.field(field)?.kind {
            FieldType::Link(target) => self.named(target, self.follow(source, row, field)?),
            _ => None,
        }
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
    pub(super) fn team(
        &self,
        boss: EmployeeNo,
        low: usize,
        high: usize,
    ) -> Option<Vec<EmployeeNo>> {
        let rows = self.linked(TableId::Employees, "reports_to", boss.0);
        let team: Vec<EmployeeNo> = rows.into_iter().map(EmployeeNo).collect();
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
            &[is("reports_to", self.id(boss))],
            &rows,
        )
    }

    /// Finds a ticket: who raised it, and on which day unless it is that person's only one.
    pub(super) fn find_ticket(&self, d: Draft, row: u32) -> Option<Draft> {
        let (source, by) = (TableId::Tickets, "raised_by_emp_id");
        let raiser = self.person(source, row, by)?;
        let day = self.day(source, row, "assigned_date")?;
        let mut conditions = vec![is(by, self.id(raiser))];
        let dated = self.linked(source, by, raiser.0).len() > 1;
        if dated {
            conditions.push(is("assigned_date", day));
        }
        let (d, goal, said) = if raiser == self.me {
            let said = match dated {
                true => format!("the ticket that I raised on {}", said_day(day)),
                false => "the helpdesk ticket that I once raised".to_owned(),
            };
            (d, "find my ticket", said)
        } else {
            let who = self.who(raiser)?;
            let said = match dated {
                true => format!("the ticket that {} raised on {}", who.said, said_day(day)),
                false => format!("the ticket that {} raised", who.said),
            };
            (d.find("raiser", &who), "find the ticket", said)
        };
        Some(
            d.slot("ticket", said)
                .seek(goal, source, &conditions, &[row])
                .row(source, row),
        )
    }

    /// Names a ticket by its number.
    pub(super) fn numbered_ticket(&self, d: Draft, row: u32) -> Draft {
        let source = TableId::Tickets;
        let number = self.text(source, row, "id");
        d.slot("ticket", format!("ticket {number}"))
            .row(source, row)
    }

    /// Finds a support chat as people remember it: the customer, the kind of product, and the month
    /// if there were several.
    pub(super) fn find_chat(&self, d: Draft, row: u32) -> Option<Draft> {
        let (source, on) = (TableId::SupportChats, "interaction_date");
        let who = self.linked_to(source, row, "customer_id")?;
        let name = self.text(source, row, "product_name");
        let (_, kind) = spoken_product(&name)?;
        let month = Span::month(self.day(source, row, on)?)?;
        let mut same = self.linked(source, "customer_id", who.row);
        same.retain(|r| self.text(source, *r, "product_name").contains(kind));
        let mut conditions = vec![
            is("customer_id", &who.id),
            ("product_name", "has", kind.to_owned()),
        ];
        let mut about = a(kind);
        if same.len() > 1 {
            about = format!("{about} in {}", month.said);
            // One bound is enough where nothing lies beyond the other.
            let days: Vec<Day> = same
                .iter()
                .filter_map(|r| self.day(source, *r, on))
                .collect();
            let [from, to] = month.holds_day(on);
            if days.iter().all(|d| *d <= month.last) {
                conditions.push(from);
            } else if days.iter().all(|d| *d >= month.first) {
                conditions.push(to);
            } else {
                conditions.extend([from, to]);
            }
        }
        Some(
            d.find("customer", &who)
                .slot("kind", about)
                .then(
                    "find the support chat",
                    "customer_support_chats_read",
                    json!({"customer_id": who.id, "limit": 200}),
                )
                .claim(source, &conditions, &[row])
                .row(source, row),
        )
    }

    /// Product and customer of a row.
    pub(super) fn pair(&self, source: TableId, row: u32) -> Option<(Thing, Thing)> {
        Some((
            self.linked_to(source, row, "product_id")?,
            self.linked_to(source, row, "customer_id")?,
        ))
    }

    /// Rows of a source about this product and this customer.
    pub(super) fn about(&self, source: TableId, product: &Thing, customer: &Thing) -> Vec<u32> {
        let rows = self.linked(source, "product_id", product.row);
        self.having(source, &rows, "customer_id", &customer.id)
    }
}

impl Draft {
    /// The step that looks for what is recorded about a product and a customer, both found before.
    pub(super) fn seek_about(
        self,
        goal: &str,
        source: TableId,
        product: &Thing,
        customer: &Thing,
        rows: &[u32],
    ) -> Self {
        let conditions = [
            is("product_id", &product.id),
            is("customer_id", &customer.id),
        ];
        self.seek(goal, source, &conditions, rows).after_all()
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
