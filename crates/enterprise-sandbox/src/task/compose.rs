//! Composed tasks: one plan identifies a person, another one does something with them.
//!
//! The paper has a model merge two tasks. Here the output of one plan is of the type that another
//! one needs: every finder ends with a person, and every continuation begins with one. Eight
//! finders and three continuations give 24 kinds of task.

use super::draft::{Ctx, Draft};
use super::naming::said_day;
use super::reach::{accepted, reached};
use super::talk;
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::json;

const E: TableId = TableId::Employees;

/// A plan that identifies a person, with the person in words.
type Finder = fn(&mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)>;

/// The person that a field of a row names.
fn named_in(c: &Ctx<'_>, source: TableId, row: u32, field: &str) -> Option<EmployeeNo> {
    c.view.employee(&c.text(source, row, field))
}

fn ticket_handler(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let row = c.any(TableId::Tickets)?;
    let person = named_in(c, TableId::Tickets, row, "emp_id")?;
    let d = c.find_ticket(Draft::default(), row)?;
    Some((d, person, "the colleague who handles {ticket}"))
}

fn post_author(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let source = TableId::Posts;
    let row = c.any(source)?;
    let title = c.text(source, row, "Title");
    let day = c.day(source, row, "date")?;
    let person = named_in(c, source, row, "emp_id")?;
    let d = Draft::default()
        .slot("title", &title)
        .slot("day", said_day(day))
        .step(
            "find the post",
            "social_platform_read",
            json!({"query": title, "limit": 200}),
        )
        .claim(
            source,
            &[
                ("Title", "is", title.clone()),
                ("date", "is", day.to_string()),
            ],
            &[row],
        )
        .row(source, row);
    Some((d, person, "the author of the post \"{title}\" of {day}"))
}

fn answerer(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let (d, _, person) = accepted(c)?;
    let words = "the author of the accepted answer to {asker}'s overflow question \"{title}\"";
    Some((d, person, words))
}

fn vendor_contact(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let vendor = c.some(TableId::Vendors)?;
    let field = "management_representative_employee";
    let person = named_in(c, TableId::Vendors, vendor.row, field)?;
    let d = Draft::default().find("vendor", &vendor);
    Some((
        d,
        person,
        "the colleague who looks after the vendor {vendor}",
    ))
}

fn client_contact(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let client = c.some(TableId::Clients)?;
    let field = "business_representative_employee";
    let person = named_in(c, TableId::Clients, client.row, field)?;
    let d = Draft::default().find("client", &client);
    Some((d, person, "our representative at the client {client}"))
}

fn chat_handler(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let row = c.any(TableId::SupportChats)?;
    let person = named_in(c, TableId::SupportChats, row, "emp_id")?;
    let d = c.find_chat(Draft::default(), row)?;
    let words = "the colleague who dealt with {customer}'s complaint about {kind}";
    Some((d, person, words))
}

fn manager_of(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let person = c.somebody()?;
    let boss = c.view.manager(person.person())?;
    let d = Draft::default().find("person", &person);
    Some((d, boss, "{person}'s manager"))
}

fn owner(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, &'static str)> {
    let source = TableId::Repositories;
    let row = c.any(source)?;
    let owner = named_in(c, source, row, "emp_id")?;
    let name = c.text(source, row, "repo_name");
    let d = Draft::default()
        .slot("repository", &name)
        .step(
            "find the owner of the repository",
            "github_read",
            json!({"repo_name": name}),
        )
        .claim(source, &[("repo_name", "is", name)], &[row])
        .row(source, row);
    Some((d, owner, "the owner of the repository {repository}"))
}

const FINDERS: [Finder; 8] = [
    ticket_handler,
    post_author,
    answerer,
    vendor_contact,
    client_contact,
    chat_handler,
    manager_of,
    owner,
];

/// A person who has to be found, with the slot `who` that describes them.
fn found(c: &mut Ctx<'_>, phrases: &[&'static str]) -> Option<(Draft, EmployeeNo)> {
    let finder = *c.s.pick(&FINDERS)?;
    let (mut d, person, words) = finder(c)?;
    if person == c.me || !c.is_active(person) {
        return None;
    }
    let who =
        crate::synth::phrases::fill(words, |slot| d.slots.get(slot).cloned().unwrap_or_default());
    d.phrases = phrases.to_vec();
    Some((d.slot("who", who), person))
}

/// Identifies a person and looks them up in the directory.
pub(super) fn card_of_found(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(
        c,
        &[
            "Who is {who}? I need the name and the mail address.",
            "I want to get in touch with {who}. Name and mail address, please.",
        ],
    )?;
    let d = d.read(c, "read that person's record", E, person.0);
    Some(reached(c, d, person))
}

/// Identifies a person and sends them a mail.
pub(super) fn find_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(
        c,
        &[
            "Mail {who}: subject \"{subject}\", and the text has to name {detail} as the date.",
            "I need to reach {who}. Send that person a mail with the subject \"{subject}\" that gives {detail} as the date.",
        ],
    )?;
    let (subject, detail) = talk::errand(c);
    let name = c.name(person);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(talk::mail_step(
        d,
        &c.id(person),
        &subject,
        &detail,
        &name,
        false,
    ))
}

/// Identifies a person and sends them a chat message.
pub(super) fn find_and_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(
        c,
        &[
            "Send {who} a chat message about \"{subject}\" that names {detail}.",
            "I want to chat with {who}. Write \"{subject}\" and mention {detail}.",
        ],
    )?;
    let (subject, detail) = talk::errand(c);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(d.message(c, person, &subject.clone(), &[subject, detail]))
}
