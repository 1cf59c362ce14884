//! Composed tasks: one plan identifies a person, another one writes to them.
//!
//! The paper has a model merge two tasks. Here the output of one plan is of the type that another
//! one needs: every finder ends with a person, and every continuation begins with one. Nine finders
//! and four continuations give 36 kinds of task.

use super::FactKind::{Id, Text};
use super::draft::{Ctx, Draft, Found};
use super::{business, code, talk};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::json;

/// A plan that identifies a person.
type Finder = fn(&mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)>;

fn by_record(
    c: &mut Ctx<'_>,
    source: TableId,
    tool: &'static str,
    field: &str,
    words: &str,
) -> Option<(Draft, EmployeeNo, String)> {
    let row = c.any(source)?;
    let person = c.view.employee(&c.text(source, row, field))?;
    let id = c.text(source, row, source.key());
    let argument = if source == TableId::Overflow {
        "id"
    } else {
        source.key()
    };
    let d = Draft::default()
        .step(
            format!("read the {}", source.noun()),
            tool,
            json!({argument: c.key(source, row)}),
        )
        .claim(source, &[(source.key(), "is", id.clone())], &[row])
        .row(source, row)
        .slot("thing", &id);
    Some((d, person, words.replace("{}", &id)))
}

fn ticket_handler(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::Tickets,
        "it_service_management_read_issue",
        "emp_id",
        "the person who handles ticket {}",
    )
}

fn ticket_raiser(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::Tickets,
        "it_service_management_read_issue",
        "raised_by_emp_id",
        "the person who raised ticket {}",
    )
}

fn post_author(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::Posts,
        "social_platform_read",
        "emp_id",
        "the author of {} on the social platform",
    )
}

fn question_author(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::Overflow,
        "overflow_read",
        "employee_id",
        "the author of overflow post {}",
    )
}

fn vendor_contact(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::Vendors,
        "vendors_read",
        "management_representative_employee",
        "our representative for vendor {}",
    )
}

fn chat_handler(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    by_record(
        c,
        TableId::SupportChats,
        "customer_support_chats_read",
        "emp_id",
        "the person who handled support chat {}",
    )
}

fn managers_name(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    let person = c.colleague()?;
    let boss = c.view.manager(person)?;
    let name = c.name(person);
    let d = c.look_up(Draft::default(), person).slot("thing", &name);
    Some((d, boss, format!("the manager of {name}")))
}

const FINDERS: [Finder; 9] = [
    ticket_handler,
    ticket_raiser,
    post_author,
    question_author,
    vendor_contact,
    chat_handler,
    managers_name,
    code::owner,
    business::representative,
];

fn found(c: &mut Ctx<'_>) -> Option<Draft> {
    let finder = *c.s.pick(&FINDERS)?;
    let (d, person, words) = finder(c)?;
    let active = c.view.person(person).is_some_and(|p| p.active);
    if person == c.me || !active {
        return None;
    }
    let id = c.id(person);
    let mut d = d.fact("emp_id", Id, json!(id)).slot("who", &words);
    d.found = Some(Found { person });
    Some(d)
}

/// Identifies a person and looks them up in the directory.
pub(super) fn card_of_found(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut d = found(c)?;
    d.phrases = vec![
        "Who is {who}? I need the employee id, the name and the department.",
        "Look up {who} for me: employee id, name and department.",
        "I have to know who {who} is. Give me id, name and department.",
    ];
    let person = d.found.as_ref()?.person;
    let id = c.id(person);
    let get = |field: &str| c.get(TableId::Employees, person.0, field);
    let (name, department) = (get("Name"), get("category"));
    Some(
        d.then(
            "read that person's record",
            "employee_data_read",
            json!({"emp_id": id}),
        )
        .fact("Name", Text, name)
        .fact("category", Id, department)
        .row(TableId::Employees, person.0),
    )
}

/// Identifies a person and that person's manager.
pub(super) fn boss_of_found(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut d = found(c)?;
    d.phrases = vec![
        "Who is the direct manager of {who}? I need the manager's name and mail address, and the employee id of the person first named.",
        "I want to write to the manager of {who}: give me the manager's name and address, and the id of that person.",
        "Find {who}, tell me the employee id, and then the name and the address of the manager above.",
    ];
    let person = d.found.as_ref()?.person;
    let boss = c.view.manager(person)?;
    let (id, boss_id) = (c.id(person), c.id(boss));
    let get = |field: &str| c.get(TableId::Employees, boss.0, field);
    let (name, email) = (get("Name"), get("email"));
    Some(
        d.then(
            "read that person's record",
            "employee_data_read",
            json!({"emp_id": id}),
        )
        .then(
            "read the manager's record",
            "employee_data_read",
            json!({"emp_id": boss_id}),
        )
        .fact("Name", Text, name)
        .fact("email", Id, email)
        .row(TableId::Employees, person.0)
        .row(TableId::Employees, boss.0),
    )
}

/// Identifies a person and sends them a mail.
pub(super) fn find_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut d = found(c)?;
    d.phrases = vec![
        "Find out who {who} is, tell me the employee id, and send that person a mail with the subject \"{subject}\" that names {detail} as the date.",
        "I need to reach {who}. Give me the employee id and mail that person: subject \"{subject}\", and the text must mention {detail}.",
        "Please look up {who} for me (I want the id) and send them a mail, subject \"{subject}\", with the date {detail} in it.",
    ];
    let person = d.found.as_ref()?.person;
    Some(talk::mail_to_found(c, d, person))
}

/// Identifies a person and sends them a chat message.
pub(super) fn find_and_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut d = found(c)?;
    d.phrases = vec![
        "Find out who {who} is, tell me the employee id, and start a chat with that person that says \"{subject}\" and names {detail}.",
        "I want to chat with {who}. Give me the employee id and send the message \"{subject}\", naming {detail}.",
    ];
    let person = d.found.as_ref()?.person;
    Some(talk::message_to_found(c, d, person))
}
