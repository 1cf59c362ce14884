//! Generated texts, each a function of the company's seed and the row.
//!
//! A text is written when it is read, from a stream of its own that is named after the field and the
//! row. So texts need no memory, and the order in which they are read does not matter.
//!
//! Facts inside texts come from the row, not from the stream: the day in a mail about a ticket is
//! drawn, the ticket's number is the ticket's. A text may use other generated texts (a mail quotes
//! its subject), but never in a circle.
//!
//! Changing a phrase list or the order of draws here changes what agents read, so it raises the
//! environment's version.

use crate::company::Company;
use crate::org::Department;
use crate::row::{Employee, EmployeeNo};
use crate::source::TableId;
use crate::synth::phrases::pick;
use crate::value::Day;
use sim_core::Stream;

mod forum;
mod issues;
mod mail;
mod partners;
mod profile;
mod trade;

pub(crate) use issues::{
    file_path, file_text, hash_of, issue_description, issue_patch, issue_title, license,
};
pub(crate) use mail::{mail_body, mail_subject, notice, signature};
pub(crate) use profile::{description, experience, gender, marital, skills};
pub(crate) use trade::{customer_name, order_document};

/// A text of a table whose rows are stored by the fields.
pub(crate) fn text(c: &Company, source: TableId, row: u32, field: &str) -> String {
    match (source, field) {
        (TableId::Resumes, _) => profile::resume(c, row, field),
        (TableId::Posts, "Title") => forum::post_title(c, row),
        (TableId::Posts, _) => forum::post_body(c, row),
        (TableId::Tickets, "Issue") => issues::ticket_issue(c, row),
        (TableId::Tickets, _) => issues::ticket_resolution(c, row),
        (TableId::Products, _) => trade::product_text(c, row, field),
        (TableId::Conversations, _) => mail::conversation(c, row),
        (TableId::Overflow, "Title") => forum::overflow_title(c, row),
        (TableId::Overflow, "Body") => forum::overflow_body(c, row),
        (TableId::Overflow, _) => forum::overflow_tags(c, row),
        (TableId::Reviews, _) => trade::review(c, row),
        (TableId::SupportChats, _) => trade::support_chat(c, row),
        (TableId::Clients, _) => partners::client(c, row, field),
        (TableId::Vendors, _) => partners::vendor(c, row, field),
        _ => partners::phrase(c, source, row, field),
    }
}

fn person(c: &Company, row: u32) -> Option<&Employee> {
    c.employees.get(row as usize)
}

/// The given name, by which mails and chats address people.
fn given(c: &Company, who: EmployeeNo) -> String {
    let name = c.person_name(who);
    name.split(' ').next().unwrap_or_default().to_owned()
}

fn department(c: &Company, who: EmployeeNo) -> &'static str {
    person(c, who.0)
        .map_or(Department::Management, |e| e.department)
        .name()
}

/// A day 2 to 21 days later, for dates inside texts.
fn soon(s: &mut Stream, from: Day) -> String {
    from.plus(s.between(2, 21)).to_string()
}

fn season(s: &mut Stream) -> &'static str {
    pick(s, "season")
}
