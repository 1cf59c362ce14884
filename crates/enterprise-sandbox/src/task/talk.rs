//! Templates about mails and conversations; every domain has them.
//!
//! Only the persona's own mails and conversations are drawn, since the rules allow no others.
//! People are named, not identified, so most plans begin with a look-up in the directory, and only
//! people with a unique name are used. The text of a message is free: it has to contain a day or a
//! topic that the request names.

use super::FactKind::{Date, Id, Number, Text};
use super::draft::{Ctx, Draft, day_of};
use super::naming::said_day;
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
        "I want to link to the chat that {name} and I had on {date}. Under which id is it filed?",
        "Which id does my conversation with {name} of {date} have? The ticket form asks for it.",
    ])
    .slot("name", c.name(other))
    .slot("date", said_day(c.day(T, row, "date")?));
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

/// Also asked where there were several conversations.
pub(super) const MESSAGE_WITH: &[&str] = &[
    "On which day did {name} and I chat? I need the id of the chat as well, for a link.",
    "I once had a chat with {name}. When was it, and under which id is it filed?",
    "I want to quote the chat that I had with {name}. What is its id, and what day was it?",
    "Look up my conversation with {name} for me: day and id, please.",
    "{name} refers to a chat of ours. I need its id and the day on which we had it.",
];

/// The only conversation with a person.
pub(super) fn message_with(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = {
        let mine = my_talks(c);
        c.pick(&mine)?
    };
    let other = c.other(T, row)?;
    let id = c.id(other);
    let d = Draft::new(MESSAGE_WITH).slot("name", c.name(other));
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
        "Our archive asks for the thread id of my mails with the subject \"{subject}\". What is it?",
        "I want to link to my mail thread \"{subject}\". Under which thread id is it filed?",
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
        "The archive lists a mail thread of mine as {thread}. What is its subject?",
        "Which subject does my thread {thread} have? I only have the id from the archive.",
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
        "What was the last mail between {name} and me about, and on which day was it sent?",
        "Find the latest mail that {name} and I exchanged, in either direction: subject and date.",
        "I lost track of my mails with {name}. What is the subject of the most recent one, and when was it sent?",
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
        .fact("subject", Text, c.get(M, row, "subject"))
        .fact("date", Date, date.clone())
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

/// When a person mailed about a subject, and how many mails of theirs there are.
pub(super) fn mail_received(c: &mut Ctx<'_>) -> Option<Draft> {
    let me = c.my_id();
    let mine: Vec<u32> = my_mails(c)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me)
        .collect();
    let row = c.pick(&mine)?;
    let sender = c.other(M, row)?;
    let subject = c.text(M, row, "subject");
    let from: Vec<u32> = mine
        .iter()
        .copied()
        .filter(|r| c.other(M, *r) == Some(sender))
        .collect();
    let wanted = plain_text(&subject);
    let hit = |r: &u32| plain_text(&c.text(M, *r, "subject")) == wanted;
    if from.iter().filter(|r| hit(r)).count() != 1 || from.len() > 100 {
        return None;
    }
    let who = c.who(sender)?;
    let d = Draft::new(&[
        "On which day did {name} send me the mail with the subject \"{subject}\", and how many mails have I got from {name} in all?",
        "{name} once wrote to me under the subject \"{subject}\". When was that? Tell me also how many mails {name} has sent me altogether.",
    ])
    .slot("subject", &subject)
    .find("name", &who)
    .then(
        "read that person's mails to me",
        "enterprise_mail_system_read",
        json!({"sender_email": c.text(TableId::Employees, sender.0, "email"), "limit": 200}),
    )
    .fact("date", Date, c.get(M, row, "date"))
    .worked_out("mails", Number, json!(from.len()))
    .claim(M, &[("sender_emp_id", "is", who.id.clone())], &from)
    .row(M, row);
    Some(d)
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
    let latest = rows.iter().map(|r| c.text(M, *r, "date")).max()?;
    let email = c.text(TableId::Employees, c.me.0, "email");
    let d = Draft::new(&[
        "How many mails with the subject \"{subject}\" came to me, and on which day did the latest arrive?",
        "Search my inbox for \"{subject}\": how many mails did I get under it, and when was the last one sent?",
    ])
    .slot("subject", &subject)
    .step(
        "search the mails that I received",
        "enterprise_mail_system_read",
        json!({"query": subject, "recipient_email": email, "limit": 100}),
    )
    .worked_out("mails", Number, json!(rows.len()))
    .fact("latest", Date, json!(latest))
    .claim(M, &[("recipient_emp_id", "is", me), ("subject", "is", subject)], &rows)
    .row(M, row);
    Some(d)
}

/// A message for a colleague: subject, detail.
pub(super) fn errand(c: &mut Ctx<'_>) -> (String, String) {
    let thing = c.word("thing");
    let days = c.between(3, 40);
    let day = said_day(c.company().clock().plus(days));
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

/// Also asked with a given name that several people have.
pub(super) const SEND_MAIL: &[&str] = &[
    "Send a mail to {name} with the subject \"{subject}\" that says the date is {detail}.",
    "I want {name} to get a mail from me, subject \"{subject}\". It should mention {detail}.",
    "Please write to {name} in my name: subject \"{subject}\", and the text must name {detail} as the date.",
];

/// Sends a mail to a colleague.
pub(super) fn send_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.colleague()?;
    let (subject, detail) = errand(c);
    let name = c.name(to);
    let d = Draft::new(SEND_MAIL)
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

/// Deletes the mail that a colleague sent on a day.
pub(super) fn delete_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let me = c.my_id();
    let mine: Vec<u32> = my_mails(c)
        .into_iter()
        .filter(|r| c.text(M, *r, "recipient_emp_id") == me)
        .collect();
    let row = c.pick(&mine)?;
    let who = c.who(c.other(M, row)?)?;
    let day = c.day(M, row, "date")?;
    let d = Draft::new(&[
        "Delete the mail that {name} sent me on {day}.",
        "I no longer need {name}'s mail of {day}. Remove it from my mailbox, please.",
        "Please throw away the mail that came from {name} on {day}.",
    ])
    .slot("day", said_day(day))
    .find("name", &who)
    .then(
        "find the mail",
        "enterprise_mail_system_read",
        json!({
            "sender_email": c.text(TableId::Employees, who.row, "email"),
            "start_date": day.to_string(), "end_date": day.to_string(),
        }),
    )
    .claim(
        M,
        &[
            ("sender_emp_id", "is", who.id.clone()),
            ("date", "from", day.to_string()),
            ("date", "to", day.to_string()),
        ],
        &[row],
    )
    .then(
        "delete the mail",
        "enterprise_mail_system_delete",
        json!({"email_id": c.text(M, row, "email_id")}),
    )
    .row(M, row);
    Some(d)
}
