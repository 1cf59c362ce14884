//! Composed tasks: one plan identifies a person, another one does something with them.
//!
//! The paper has a model merge two tasks. Here the output of one plan is of the type that another
//! one needs: every finder ends with a person, and every continuation begins with one. Eight
//! finders and three continuations give 24 kinds of task.

use super::draft::{Ctx, Draft, is};
use super::naming::said_day;
use super::reach::{accepted, reached};
use super::talk::{DATE, errand};
use crate::row::EmployeeNo;
use crate::source::TableId::{
    Clients, Employees, Posts, Repositories, SupportChats, Tickets, Vendors,
};
use serde_json::json;

/// A plan that identifies a person, with the person in words.
type Found = (Draft, EmployeeNo, &'static str);
type Finder = fn(&mut Ctx<'_>) -> Option<Found>;

fn ticket_handler(c: &mut Ctx<'_>) -> Option<Found> {
    let row = c.any(Tickets)?;
    let person = c.person(Tickets, row, "emp_id")?;
    let d = c.find_ticket(Draft::default(), row)?;
    Some((d, person, "the colleague who handles {ticket}"))
}

fn post_author(c: &mut Ctx<'_>) -> Option<Found> {
    let row = c.any(Posts)?;
    let title = c.text(Posts, row, "Title");
    let day = c.day(Posts, row, "date")?;
    let person = c.person(Posts, row, "emp_id")?;
    let d = Draft::default()
        .slot("title", &title)
        .slot("day", said_day(day))
        .step(
            "find the post",
            "social_platform_read",
            json!({"query": title, "limit": 200}),
        )
        .claim(Posts, &[is("Title", title), is("date", day)], &[row])
        .row(Posts, row);
    Some((d, person, "the author of the post \"{title}\" of {day}"))
}

fn answerer(c: &mut Ctx<'_>) -> Option<Found> {
    let (d, person) = accepted(c, &[])?;
    let words = "the author of the accepted answer to {asker}'s overflow question \"{title}\"";
    Some((d, person, words))
}

fn vendor_contact(c: &mut Ctx<'_>) -> Option<Found> {
    let vendor = c.some(Vendors)?;
    let person = c.person(Vendors, vendor.row, "management_representative_employee")?;
    let d = Draft::default().find("vendor", &vendor);
    let words = "the colleague who looks after the vendor {vendor}";
    Some((d, person, words))
}

fn client_contact(c: &mut Ctx<'_>) -> Option<Found> {
    let client = c.some(Clients)?;
    let person = c.person(Clients, client.row, "business_representative_employee")?;
    let d = Draft::default().find("client", &client);
    Some((d, person, "our representative at the client {client}"))
}

fn chat_handler(c: &mut Ctx<'_>) -> Option<Found> {
    let row = c.any(SupportChats)?;
    let person = c.person(SupportChats, row, "emp_id")?;
    let d = c.find_chat(Draft::default(), row)?;
    let words = "the colleague who dealt with {customer}'s complaint about {kind}";
    Some((d, person, words))
}

fn manager_of(c: &mut Ctx<'_>) -> Option<Found> {
    let person = c.somebody()?;
    let boss = c.view.manager(person.person())?;
    let d = Draft::default().find("person", &person);
    Some((d, boss, "{person}'s manager"))
}

fn owner(c: &mut Ctx<'_>) -> Option<Found> {
    let row = c.any(Repositories)?;
    let owner = c.person(Repositories, row, "emp_id")?;
    let d = Draft::default().repository(c, "find the owner of the repository", row);
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
    let d = d.read(c, "read that person's record", Employees, person.0);
    Some(reached(c, d, person))
}

/// Identifies a person and sends them a mail.
pub(super) fn find_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(
        c,
        &[
            "Write a mail to {who}. The subject is \"{subject}\", and the text has to name {detail} as the date.",
            "I need to reach {who}. Send that person a mail with the subject \"{subject}\" that gives {detail} as the date.",
        ],
    )?;
    let (subject, detail) = errand(c);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(d.letter(c, person, &subject, DATE, &[detail]))
}

/// Identifies a person and sends them a chat message.
pub(super) fn find_and_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(
        c,
        &[
            "Send a chat message to {who}. It is about \"{subject}\" and must name {detail} as the date.",
            "I want to chat with {who}. Write \"{subject}\" and name {detail} as the date.",
        ],
    )?;
    let (subject, detail) = errand(c);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(d.message(c, person, &subject.clone(), &[subject, detail]))
}
