//! Requests about a record of the persona's own that is named by one property: one record fits, none
//! does, or several do.

use super::{gone, unclear};
use crate::source::TableId;
use crate::task::FactKind::{self, Date, Id};
use crate::task::draft::{Ctx, Draft};
use crate::value::row_no;
use serde_json::json;

/// A record of the persona's that is named by one property: where it is, the property, what is
/// asked for, and the wordings.
struct Mine {
    source: TableId,
    own: &'static str,
    by: &'static str,
    tool: &'static str,
    own_argument: &'static str,
    fact: (&'static str, FactKind),
    phrases: &'static [&'static str],
}

const TICKET: Mine = Mine {
    source: TableId::Tickets,
    own: "emp_id",
    by: "priority",
    tool: "it_service_management_read_issue",
    own_argument: "emp_id",
    fact: ("assigned_date", Date),
    phrases: &[
        "When was the {value} priority ticket assigned to me?",
        "On which day did I get my ticket with {value} priority?",
    ],
};
const REPOSITORY: Mine = Mine {
    source: TableId::Repositories,
    own: "emp_id",
    by: "license",
    tool: "github_read",
    own_argument: "owner_emp_id",
    fact: ("creation_date", Date),
    phrases: &[
        "When did I create my {value} licensed repository?",
        "I need the day on which I set up my repository under {value}.",
    ],
};
const CLIENT: Mine = Mine {
    source: TableId::Clients,
    own: "business_representative_employee",
    by: "industry",
    tool: "clients_read",
    own_argument: "representative_emp_id",
    fact: ("phone_number", Id),
    phrases: &[
        "What is the phone number of my client in {value}?",
        "I have to call the {value} client that I represent. Which number?",
    ],
};

/// The request about a value that none of the persona's records has.
fn none_of_mine(c: &mut Ctx<'_>, m: &Mine) -> Option<Draft> {
    let me = c.my_id();
    let any = c.s.index(c.view.rows(m.source) as usize);
    let value = c.text(m.source, row_no(any), m.by);
    let d = Draft::new(m.phrases)
        .slot("value", &value)
        .step(
            "look for the record",
            m.tool,
            json!({m.own_argument: me, m.by: value}),
        )
        .claim(
            m.source,
            &[(m.own, "is", me), (m.by, "is", value.clone())],
            &[],
        );
    (!value.is_empty()).then_some(())?;
    gone(d, &[m.fact])
}

pub(in crate::task) fn no_ticket(c: &mut Ctx<'_>) -> Option<Draft> {
    none_of_mine(c, &TICKET)
}

pub(in crate::task) fn no_repository(c: &mut Ctx<'_>) -> Option<Draft> {
    none_of_mine(c, &REPOSITORY)
}

pub(in crate::task) fn no_client(c: &mut Ctx<'_>) -> Option<Draft> {
    none_of_mine(c, &CLIENT)
}

/// The request; with exactly one row if it can be done, with several if not.
fn of_mine(c: &mut Ctx<'_>, m: &Mine, one: bool) -> Option<Draft> {
    let me = c.my_id();
    let mine: Vec<u32> = c
        .linked(m.source, m.own, c.me.0)
        .into_iter()
        .filter(|r| c.text(m.source, *r, m.own) == me)
        .collect();
    let row = c.pick(&mine)?;
    let value = c.text(m.source, row, m.by);
    let rows: Vec<u32> = mine
        .iter()
        .copied()
        .filter(|r| c.text(m.source, *r, m.by) == value)
        .collect();
    if (rows.len() == 1) != one || value.is_empty() {
        return None;
    }
    let (key, kind) = m.fact;
    let d = Draft::new(m.phrases)
        .slot("value", &value)
        .step(
            "look for the record",
            m.tool,
            json!({m.own_argument: me, m.by: value}),
        )
        .claim(m.source, &[(m.own, "is", me), (m.by, "is", value)], &rows);
    match one {
        true => {
            let value = c.get(m.source, row, key);
            Some(d.fact(key, kind, value).row(m.source, row))
        }
        false => unclear(d, &[(key, kind)]),
    }
}

pub(in crate::task) fn my_ticket(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &TICKET, true)
}

pub(in crate::task) fn my_repository(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &REPOSITORY, true)
}

pub(in crate::task) fn my_client(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &CLIENT, true)
}

pub(in crate::task) fn which_ticket(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &TICKET, false)
}

pub(in crate::task) fn which_repository(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &REPOSITORY, false)
}

pub(in crate::task) fn which_client(c: &mut Ctx<'_>) -> Option<Draft> {
    of_mine(c, &CLIENT, false)
}
