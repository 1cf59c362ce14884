//! Templates about mails and conversations; every domain has them.
//!
//! Only the persona's own mails and conversations are drawn, since the rules allow no others.
//! People are named, not identified, so most plans begin with a look-up in the directory, and only
//! people with a unique name are used. The text of a message is free: it has to contain a day or a
//! topic that the request names.

use super::FactKind::{Date, Id, List, Text, YesNo};
use super::draft::{Ctx, Draft, day_of};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::plain_text;
use serde_json::{Value, json};

const M: TableId = TableId::Emails;
const T: TableId = TableId::Conversations;

/// Mails that the persona sent or received.
fn my_mails(c: &Ctx<'_>) -> Vec<u32> {
    c.linked(M, "participant", c.me.0)
}

/// Conversations that the persona took part in.
fn my_talks(c: &Ctx<'_>) -> Vec<u32> {
    c.linked(T, "participant", c.me.0)
}

/// The id of a conversation with a person on a day.
///
/// Two steps; unique if the two talked once on that day.
pub(super) fn conversation_id(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_talks(c);
        c.pick(&mine)?
    };
    let other = c.other(T, row)?;
    let date = c.text(T, row, "date");
    let d = Draft::new(&[
        "What is the conversation id of my discussion with {name} on {date}?",
        "I talked to {name} on {date}. Give me the id of that conversation.",
        "Please look up the id of the conversation that I had with {name} on {date}.",
    ])
    .slot("name", c.name(other))
    .slot("date", &date);
    let id = c.id(other);
    let d = c
        .look_up(d, other)
        .then(
            "find the conversation on that day",
            "conversations_read",
            json!({"with_emp_id": id, "start_date": date, "end_date": date}),
        )
        .fact("conversation_id", Id, c.key(T, row))
        .claim(
            T,
            &[("participant", "is", id), ("date", "is", date)],
            &[row],
        )
        .row(T, row);
    c.sole_name(other).then_some(d)
}

/// The only conversation with a person.
pub(super) fn message_with(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_talks(c);
        c.pick(&mine)?
    };
    let other = c.other(T, row)?;
    let id = c.id(other);
    let d = Draft::new(&[
        "Fetch me my conversation with {name}: its id and its date.",
        "I once had a conversation with {name}. When was it, and what is its id?",
        "Find the message exchange between {name} and me and tell me its id and date.",
    ])
    .slot("name", c.name(other));
    let d = c
        .look_up(d, other)
        .then(
            "read the conversation with that person",
            "conversations_read",
            json!({"with_emp_id": id}),
        )
        .fact("conversation_id", Id, c.key(T, row))
        .fact("date", Date, c.get(T, row, "date"))
        .claim(T, &[("participant", "is", id)], &[row])
        .row(T, row);
    c.sole_name(other).then_some(d)
}

/// Rows of the persona's mails with the same subject.
fn same_subject(c: &Ctx<'_>, subject: &str) -> Vec<u32> {
    let wanted = plain_text(subject);
    my_mails(c)
        .into_iter()
        .filter(|r| plain_text(&c.text(M, *r, "subject")) == wanted)
        .collect()
}

/// The thread of a subject.
///
/// Several mails may have the subject, as long as they are in one thread.
pub(super) fn thread_id(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_mails(c);
        c.pick(&mine)?
    };
    let (subject, thread) = (c.text(M, row, "subject"), c.get(M, row, "thread_id"));
    let rows = same_subject(c, &subject);
    if rows.iter().any(|r| c.get(M, *r, "thread_id") != thread) {
        return None;
    }
    let d = Draft::new(&[
        "Give me the thread id of my mails about \"{subject}\".",
        "Which thread of mine is about \"{subject}\"? I need its id.",
        "I am looking for the id of my mail thread with the subject \"{subject}\".",
    ])
    .slot("subject", &subject)
    .step(
        "find my mails with that subject",
        "enterprise_mail_system_read",
        json!({"query": subject}),
    )
    .fact("thread_id", Id, thread)
    .claim(M, &[("subject", "is", subject.clone())], &rows)
    .row(M, row);
    Some(d)
}

/// The subject of a thread.
pub(super) fn subject_of_thread(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_mails(c);
        c.pick(&mine)?
    };
    let thread = c.text(M, row, "thread_id");
    let rows: Vec<u32> = my_mails(c)
        .into_iter()
        .filter(|r| c.text(M, *r, "thread_id") == thread)
        .collect();
    let subject = c.get(M, row, "subject");
    if rows.iter().any(|r| c.get(M, *r, "subject") != subject) {
        return None;
    }
    let d = Draft::new(&[
        "What is my mail thread {thread} about? Give me its subject.",
        "Tell me the subject of my thread {thread}.",
        "I need the subject of the mails in thread {thread}.",
    ])
    .slot("thread", &thread)
    .step(
        "read the thread",
        "enterprise_mail_system_read",
        json!({"thread_id": thread}),
    )
    .fact("subject", Text, subject)
    .claim(M, &[("thread_id", "is", thread.clone())], &rows)
    .row(M, row);
    Some(d)
}

/// The latest mail exchanged with a person.
///
/// Three steps: the person, the mails from, and the mails to that person. The latest of both lists
/// is the answer, and no two may share the latest time.
pub(super) fn latest_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = my_mails(c);
    let start = c.pick(&mine)?;
    let other = c.other(M, start)?;
    let id = c.id(other);
    let mut with: Vec<(Value, u32)> = mine
        .iter()
        .filter(|r| c.other(M, **r) == Some(other))
        .map(|r| (c.get(M, *r, "date"), *r))
        .collect();
    with.sort_by(|a, b| b.0.as_str().cmp(&a.0.as_str()));
    let (date, row) = with.first().cloned()?;
    if with.get(1).is_some_and(|second| second.0 == date) {
        return None;
    }
    let email = c.text(TableId::Employees, other.0, "email");
    let day = day_of(&date);
    let d = Draft::new(&[
        "Fetch me the most recent mail between {name} and me: its id and its subject.",
        "What was the last mail that {name} and I exchanged? I need id and subject.",
        "Find my latest mail with {name} and give me its id and subject.",
    ])
    .slot("name", c.name(other));
    let d = c
        .look_up(d, other)
        .then(
            "read the mails from that person",
            "enterprise_mail_system_read",
            json!({"sender_email": email, "limit": 5}),
        )
        .then(
            "read my mails to that person and take the latest of all",
            "enterprise_mail_system_read",
            json!({"recipient_email": email, "limit": 5}),
        )
        .fact("email_id", Id, c.key(M, row))
        .fact("subject", Text, c.get(M, row, "subject"))
        .row(M, row);
    // Unique by the date: there is no later mail between the two.
    let later: Vec<u32> = with
        .iter()
        .filter(|(at, _)| day_of(at) >= day)
        .map(|(_, r)| *r)
        .collect();
    let d = d.claim(
        M,
        &[("participant", "is", id), ("date", "from", day)],
        &later,
    );
    c.sole_name(other).then_some(d)
}

/// Whether a mail with a subject came from a person.
///
/// In four of ten tasks the answer is no: the subject is then that of a mail from somebody else.
pub(super) fn mail_received(c: &mut Ctx<'_>) -> Option<Draft> {
    let me = c.my_id();
    let mine: Vec<u32> = my_mails(c)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me)
        .collect();
    let row = c.pick(&mine)?;
    let sender = c.other(M, row)?;
    let ask_no = c.s.chance(0.4);
    let about = if ask_no { c.pick(&mine)? } else { row };
    let subject = c.text(M, about, "subject");
    let hits: Vec<u32> = same_subject(c, &subject)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me && c.other(M, *r) == Some(sender))
        .collect();
    if ask_no != hits.is_empty() || hits.len() > 1 {
        return None;
    }
    let email = c.text(TableId::Employees, sender.0, "email");
    let d = Draft::new(&[
        "Have I received a mail regarding \"{subject}\" from {name}?",
        "Did {name} ever send me a mail with the subject \"{subject}\"?",
        "Check whether there is a mail from {name} to me about \"{subject}\".",
    ])
    .slot("subject", &subject)
    .slot("name", c.name(sender));
    let d = c
        .look_up(d, sender)
        .then(
            "look for the subject among that person's mails to me",
            "enterprise_mail_system_read",
            json!({"sender_email": email, "query": subject}),
        )
        .worked_out("received", YesNo, json!(if ask_no { "NO" } else { "YES" }))
        .row(M, about);
    let d = match hits.first() {
        Some(hit) => d.fact("email_id", Id, c.key(M, *hit)).claim(
            M,
            &[
                ("sender_emp_id", "is", c.id(sender)),
                ("subject", "is", subject),
            ],
            &hits,
        ),
        None => d,
    };
    c.sole_name(sender).then_some(d)
}

/// All mails in the inbox with a subject.
pub(super) fn search_inbox(c: &mut Ctx<'_>) -> Option<Draft> {
    let me = c.my_id();
    let row = {
        let mine = my_mails(c);
        c.pick(&mine)?
    };
    let subject = c.text(M, row, "subject");
    let rows: Vec<u32> = same_subject(c, &subject)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me)
        .collect();
    if rows.is_empty() || rows.len() > 12 {
        return None;
    }
    let ids: Vec<Value> = rows.iter().map(|r| c.key(M, *r)).collect();
    let email = c.text(TableId::Employees, c.me.0, "email");
    let d = Draft::new(&[
        "Search my inbox for \"{subject}\" and list the ids of the mails that I received with this subject.",
        "Which mails with the subject \"{subject}\" were sent to me? List their ids.",
        "I need the ids of all mails in my inbox with the subject \"{subject}\".",
    ])
    .slot("subject", &subject)
    .step(
        "search the mails that I received",
        "enterprise_mail_system_read",
        json!({"query": subject, "recipient_email": email, "limit": 100}),
    )
    .fact("email_ids", List, Value::Array(ids))
    .claim(M, &[("recipient_emp_id", "is", me), ("subject", "is", subject)], &rows)
    .row(M, row);
    Some(d)
}

/// A message for a colleague: subject, detail.
fn errand(c: &mut Ctx<'_>) -> (String, String) {
    let thing = c.word("thing");
    let day = c.day_soon();
    let subject = match c.between(0, 2) {
        0 => format!("Decision on {thing}"),
        1 => format!("Update about {thing}"),
        _ => format!("Date for {thing}"),
    };
    (subject, day)
}

/// The step that sends a mail, with the words that it must contain.
pub(super) fn mail_step(
    d: Draft,
    to: &str,
    subject: &str,
    detail: &str,
    name: &str,
    alone: bool,
) -> Draft {
    let first = name.split(' ').next().unwrap_or(name);
    let body = format!("Hello {first}, please note the date: {detail}. Best regards");
    let arguments = json!({"recipient_emp_id": to, "subject": subject, "body": body});
    let goal = "send the mail";
    let tool = "enterprise_mail_system_create";
    let d = if alone {
        d.step(goal, tool, arguments)
    } else {
        d.then(goal, tool, arguments)
    };
    d.says("body", &[detail.to_owned()])
}

/// Sends a mail to a colleague.
pub(super) fn send_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.colleague()?;
    let (subject, detail) = errand(c);
    let name = c.name(to);
    let d = Draft::new(&[
        "Send a mail to {name} with the subject \"{subject}\" that says the date is {detail}.",
        "I want {name} to get a mail from me, subject \"{subject}\". It should mention {detail}.",
        "Please write to {name} in my name: subject \"{subject}\", and the text must name {detail} as the date.",
    ])
    .slot("name", &name)
    .slot("subject", &subject)
    .slot("detail", &detail);
    let id = c.id(to);
    Some(mail_step(
        c.look_up(d, to),
        &id,
        &subject,
        &detail,
        &name,
        false,
    ))
}

/// Sends a message to a colleague.
pub(super) fn send_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.colleague()?;
    let (topic, detail) = errand(c);
    let d = Draft::new(&[
        "Send a chat message to {name} regarding \"{topic}\"; it must name {detail}.",
        "Start a conversation with {name} about \"{topic}\" for me and mention {detail}.",
        "I need to tell {name} by chat: \"{topic}\", date {detail}. Please send it.",
    ])
    .slot("name", c.name(to))
    .slot("topic", &topic)
    .slot("detail", &detail);
    let id = c.id(to);
    let text = format!("{topic}: {detail}");
    let d = c
        .look_up(d, to)
        .then(
            "send the message",
            "conversations_create",
            json!({"recipient_emp_id": id, "text": text}),
        )
        .says("text", &[topic, detail]);
    Some(d)
}

/// Replies to a mail in its thread.
///
/// The reply has to be in the thread and keep the subject.
pub(super) fn reply(c: &mut Ctx<'_>) -> Option<Draft> {
    let me = c.my_id();
    let mine: Vec<u32> = my_mails(c)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me)
        .collect();
    let row = c.pick(&mine)?;
    let sender = c.other(M, row)?;
    if !c.view.person(sender).is_some_and(|p| p.active) {
        return None;
    }
    let (mail, thread) = (c.text(M, row, "email_id"), c.text(M, row, "thread_id"));
    let subject = c.text(M, row, "subject");
    let detail = c.day_soon();
    let to = c.id(sender);
    let body = format!("Thank you. I will be ready by {detail}.");
    let d = Draft::new(&[
        "Reply to mail {mail} in its thread, with the same subject, and tell the sender that I will be ready by {detail}.",
        "Answer the mail {mail} for me, keeping thread and subject: I will be ready by {detail}.",
        "Please send my reply to mail {mail} (same thread, same subject); it must name {detail}.",
    ])
    .slot("mail", &mail)
    .slot("detail", &detail)
    .step("read the mail", "enterprise_mail_system_read", json!({"email_id": mail}))
    .row(M, row)
    .then(
        "send the reply",
        "enterprise_mail_system_create",
        json!({"recipient_emp_id": to, "subject": subject, "body": body, "thread_id": thread}),
    )
    .says("body", &[detail]);
    Some(d)
}

/// Deletes a mail from the mailbox.
pub(super) fn delete_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_mails(c);
        c.pick(&mine)?
    };
    let mail = c.text(M, row, "email_id");
    let d = Draft::new(&[
        "Delete the mail {mail} from my mailbox.",
        "I no longer need mail {mail}. Remove it from my mailbox, please.",
        "Please throw my mail {mail} away.",
    ])
    .slot("mail", &mail)
    .step(
        "delete the mail",
        "enterprise_mail_system_delete",
        json!({"email_id": mail}),
    )
    .row(M, row);
    Some(d)
}

/// Mails to a person whom another plan identified.
pub(super) fn mail_to_found(c: &mut Ctx<'_>, d: Draft, person: EmployeeNo) -> Draft {
    let (subject, detail) = errand(c);
    let name = c.name(person);
    let id = c.id(person);
    mail_step(
        d.slot("subject", &subject).slot("detail", &detail),
        &id,
        &subject,
        &detail,
        &name,
        false,
    )
}

/// Sends a chat message to a person whom another plan identified.
pub(super) fn message_to_found(c: &mut Ctx<'_>, d: Draft, person: EmployeeNo) -> Draft {
    let (subject, detail) = errand(c);
    let id = c.id(person);
    let text = format!("{subject}: {detail}");
    d.slot("subject", &subject)
        .slot("detail", &detail)
        .then(
            "send the message",
            "conversations_create",
            json!({"recipient_emp_id": id, "text": text}),
        )
        .says("text", &[subject, detail])
}
