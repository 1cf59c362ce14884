//! Requests about a record of the persona's own that is named by one property: one record fits, none
//! does, or several do.

use crate::source::TableId;
use crate::task::FactKind::{self, Date, Id};
use crate::task::draft::{Ctx, Draft, is};

/// A record of the persona's that is named by one property: where it is, whose it is, the property, what
/// is asked for, and the wordings.
pub(in crate::task) struct Mine {
    source: TableId,
    own: &'static str,
    by: &'static str,
    fact: (&'static str, FactKind),
    phrases: &'static [&'static str],
}

pub(in crate::task) const TICKET: Mine = Mine {
    source: TableId::Tickets,
    own: "emp_id",
    by: "priority",
    fact: ("assigned_date", Date),
    phrases: &[
        "When was my {value} priority ticket assigned to me?",
        "On which day did I get my ticket with {value} priority?",
        "I need the day on which my {value} priority ticket was assigned to me.",
        "My ticket with {value} priority: since when have I had it?",
        "Please look up when I was given my {value} priority ticket.",
    ],
};
pub(in crate::task) const REPOSITORY: Mine = Mine {
    source: TableId::Repositories,
    own: "emp_id",
    by: "license",
    fact: ("creation_date", Date),
    phrases: &[
        "When did I create my {value} licensed repository?",
        "I need the day on which I set up my repository under the {value} licence.",
        "Since when have I had my repository with the licence {value}?",
        "On which day was my repository under {value} created?",
        "Please look up the creation date of my {value} licensed repository.",
    ],
};
pub(in crate::task) const CLIENT: Mine = Mine {
    source: TableId::Clients,
    own: "business_representative_employee",
    by: "industry",
    fact: ("phone_number", Id),
    phrases: &[
        "What is the phone number of my client in {value}?",
        "I have to call the {value} client that I represent. Which number?",
        "Under which phone number do I reach my {value} client?",
        "I need the phone number of the client in {value} that I look after.",
        "Please look up the phone number of my client in {value}.",
    ],
};

impl Mine {
    /// The request about those of the persona's records that have this value.
    fn draft(&self, c: &Ctx<'_>, value: &str, rows: &[u32]) -> Option<Draft> {
        let conditions = [is(self.own, c.my_id()), is(self.by, value)];
        let d = Draft::new(self.phrases).slot("value", value).seek(
            "look for the record",
            self.source,
            &conditions,
            rows,
        );
        (!value.is_empty()).then_some(d)
    }

    /// The value of one of the persona's records, and all of them that have it.
    fn drawn(&self, c: &mut Ctx<'_>) -> Option<(String, Vec<u32>)> {
        let mine = c.mine(self.source, self.own);
        let row = c.pick(&mine)?;
        let value = c.text(self.source, row, self.by);
        let rows = c.having(self.source, &mine, self.by, &value);
        Some((value, rows))
    }
}

/// The request about a value that none of the persona's records has.
pub(in crate::task) fn no_record(c: &mut Ctx<'_>, m: &Mine) -> Option<Draft> {
    let any = c.row(m.source);
    let value = c.text(m.source, any, m.by);
    Some(m.draft(c, &value, &[])?.missing(&[m.fact]))
}

/// The request about a value that exactly one of the persona's records has.
pub(in crate::task) fn one_record(c: &mut Ctx<'_>, m: &Mine) -> Option<Draft> {
    let (value, rows) = m.drawn(c)?;
    let [row] = rows.as_slice() else {
        return None;
    };
    let d = m.draft(c, &value, &rows)?.row(m.source, *row);
    Some(d.tell(c, &[m.fact]))
}

/// The request about a value that several of the persona's records have.
pub(in crate::task) fn several_records(c: &mut Ctx<'_>, m: &Mine) -> Option<Draft> {
    let (value, rows) = m.drawn(c)?;
    let d = m.draft(c, &value, &rows)?;
    (rows.len() > 1).then(|| d.ambiguous(&[m.fact]))
}
