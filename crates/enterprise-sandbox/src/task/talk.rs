//! Templates about mails and conversations; every domain has them.
//!
//! Only the persona's own mails and conversations are drawn, since the rules allow no others.
//! People are named, not identified, so most plans begin with a look-up in the directory, and only
//! people with a unique name are used. The text of a message is free: it has to contain a day or a
//! topic that the request names.

use super::FactKind::{Date, Id, Number, Text};
use super::draft::{Ctx, Draft, is};
use super::naming::{Thing, said_day};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::{Day, plain_text};
use serde_json::json;

const M: TableId = TableId::Emails;
const T: TableId = TableId::Conversations;

/// What a mail says before the day that it has to name.
pub(super) const DATE: &str = "please note the date";

/// Mails or conversations in which the persona took part.
pub(super) fn mine(c: &Ctx<'_>, source: TableId) -> Vec<u32> {
    c.mine(source, "participant")
}

/// Mails that the persona received.
pub(super) fn received(c: &Ctx<'_>) -> Vec<u32> {
    c.having(M, &mine(c, M), "recipient_emp_id", &c.my_id())
}

/// Mails or conversations of the persona with a person, among these.
pub(super) fn with(c: &Ctx<'_>, source: TableId, rows: &[u32], person: EmployeeNo) -> Vec<u32> {
    let rows = rows.iter().copied();
    rows.filter(|r| c.other(source, *r) == Some(person))
        .collect()
}

/// The mail address of a person.
pub(super) fn address(c: &Ctx<'_>, who: &Thing) -> String {
    c.text(TableId::Employees, who.row, "email")
}

/// The other person of a conversation or mail, who is looked up by name.
fn counterpart(c: &Ctx<'_>, source: TableId, row: u32) -> Option<Thing> {
    Some(c.who(c.other(source, row)?)?.goal("find the id of"))
}

/// Also asked about a day without such a chat.
pub(super) const CHAT_OF_DAY: &[&str] = &[
    "I want to link to the chat that {name} and I had on {date}. Under which id is it filed?",
    "Which id does my conversation with {name} of {date} have? The ticket form asks for it.",
    "{name} and I had a chat on {date}. What is its id? I want to quote it.",
    "I need the id of the chat with {name} on {date}, please.",
];

/// The id of a conversation with a person on a day.
///
/// Two steps; unique if the two talked once on that day.
pub(super) fn conversation_id(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, T))?;
    let other = counterpart(c, T, row)?;
    let day = c.day(T, row, "date")?;
    let d = Draft::new(CHAT_OF_DAY)
        .slot("date", said_day(day))
        .find("name", &other)
        .seek(
            "find the conversation on that day",
            T,
            &[is("participant", &other.id), is("date", day)],
            &[row],
        )
        .row(T, row);
    Some(d.tell(c, &[("conversation_id", Id)]))
}

/// Also asked where there were several conversations.
pub(super) const MESSAGE_WITH: &[&str] = &[
    "On which day did {name} and I chat? I need the id of the chat as well, for a link.",
    "I once had a chat with {name}. When was it, and under which id is it filed?",
    "I want to quote the chat that I had with {name}. What is its id, and what day was it?",
    "Look up my conversation with {name} for me: day and id, please.",
    "{name} refers to a chat of ours. I need its id and the day on which we had it.",
    "When did I have my chat with {name}, and what is its id?",
    "I cannot find my chat with {name}. Please give me its id and its date.",
    "Which id does the chat between {name} and me have, and from which day is it?",
];

/// The only conversation with a person.
pub(super) fn message_with(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, T))?;
    let other = counterpart(c, T, row)?;
    let d = Draft::new(MESSAGE_WITH).find("name", &other).seek(
        "read the conversation with that person",
        T,
        &[is("participant", &other.id)],
        &[row],
    );
    let d = d.row(T, row);
    Some(d.tell(c, &[("conversation_id", Id), ("date", Date)]))
}

/// Rows of the persona's mails with the same subject.
pub(super) fn same_subject(c: &Ctx<'_>, subject: &str) -> Vec<u32> {
    let wanted = plain_text(subject);
    let mut rows = mine(c, M);
    rows.retain(|r| plain_text(&c.text(M, *r, "subject")) == wanted);
    rows
}

/// The thread of a subject.
///
/// Several mails may have the subject, as long as they are in one thread.
pub(super) fn thread_id(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, M))?;
    let (subject, thread) = (c.text(M, row, "subject"), c.text(M, row, "thread_id"));
    let rows = same_subject(c, &subject);
    if c.having(M, &rows, "thread_id", &thread) != rows {
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
    .claim(M, &[is("subject", &subject)], &rows)
    .row(M, row);
    Some(d.tell(c, &[("thread_id", Id)]))
}

/// The subject of a thread.
pub(super) fn subject_of_thread(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = mine(c, M);
    let row = c.pick(&all)?;
    let (subject, thread) = (c.text(M, row, "subject"), c.text(M, row, "thread_id"));
    let rows = c.having(M, &all, "thread_id", &thread);
    if c.having(M, &rows, "subject", &subject) != rows {
        return None;
    }
    let d = Draft::new(&[
        "The archive lists a mail thread of mine as {thread}. What is its subject?",
        "Which subject does my thread {thread} have? I only have the id from the archive.",
    ])
    .slot("thread", &thread)
    .seek("read the thread", M, &[is("thread_id", &thread)], &rows)
    .row(M, row);
    Some(d.tell(c, &[("subject", Text)]))
}

/// Also asked about people who do not exist.
pub(super) const LATEST_MAIL: &[&str] = &[
    "What was the last mail between {name} and me about, and on which day was it sent?",
    "Find the latest mail that {name} and I exchanged, in either direction: subject and date.",
    "I lost track of my mails with {name}. What is the subject of the most recent one, and when was it sent?",
    "When did {name} and I last exchange a mail, and what was its subject?",
];

/// The latest mail exchanged with a person.
///
/// Three steps: the person, the mails from, and the mails to that person. The latest of both lists
/// is the answer, and no two may share the latest time.
pub(super) fn latest_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = mine(c, M);
    let start = c.pick(&all)?;
    let other = counterpart(c, M, start)?;
    let rows = with(c, M, &all, other.person()).into_iter();
    let mut dated: Vec<(String, u32)> = rows.map(|r| (c.text(M, r, "date"), r)).collect();
    // The newest first.
    dated.sort_by(|a, b| b.0.cmp(&a.0));
    let (date, row) = dated.first()?.clone();
    if dated.get(1).is_some_and(|second| second.0 == date) {
        return None;
    }
    let email = address(c, &other);
    let day = c.day(M, row, "date")?;
    // Unique by the date: there is no later mail between the two.
    let mut later: Vec<u32> = dated.into_iter().map(|(_, row)| row).collect();
    later.retain(|r| c.day(M, *r, "date") >= Some(day));
    let d = Draft::new(LATEST_MAIL).find("name", &other);
    let d = d
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
        .claim(
            M,
            &[
                is("participant", &other.id),
                ("date", "from", day.to_string()),
            ],
            &later,
        )
        .row(M, row);
    Some(d.tell(c, &[("subject", Text), ("date", Date)]))
}

/// When a person mailed about a subject, and how many mails of theirs there are.
pub(super) fn mail_received(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = received(c);
    let row = c.pick(&all)?;
    let who = c.who(c.other(M, row)?)?;
    let subject = c.text(M, row, "subject");
    let from = with(c, M, &all, who.person());
    let named = same_subject(c, &subject);
    let hits = from.iter().filter(|r| named.contains(r)).count();
    (hits == 1 && from.len() <= 100).then_some(())?;
    let d = Draft::new(&[
        "On which day did {name} send me the mail with the subject \"{subject}\", and how many mails have I got from them in all?",
        "{name} once wrote to me under the subject \"{subject}\". When was that? Tell me also how many mails they have sent me altogether.",
    ])
    .slot("subject", &subject)
    .find("name", &who)
    .then(
        "read that person's mails to me",
        "enterprise_mail_system_read",
        json!({"sender_email": address(c, &who), "limit": 200}),
    )
    .claim(M, &[is("sender_emp_id", &who.id)], &from)
    .row(M, row)
    .tell(c, &[("date", Date)])
    .worked_out("mails", Number, from.len());
    Some(d)
}

/// All mails in the inbox with a subject.
pub(super) fn search_inbox(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, M))?;
    let (me, subject) = (c.my_id(), c.text(M, row, "subject"));
    let rows = c.having(M, &same_subject(c, &subject), "recipient_emp_id", &me);
    (rows.len() <= 12).then_some(())?;
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
    .worked_out("mails", Number, rows.len())
    .fact("latest", Date, latest)
    .claim(M, &[is("recipient_emp_id", me), is("subject", subject)], &rows)
    .row(M, row);
    Some(d)
}

/// A message for a colleague: subject, detail.
pub(super) fn errand(c: &mut Ctx<'_>) -> (String, String) {
    let thing = c.word("thing");
    let day = c.day_ahead(3, 40);
    let subject = match c.between(0, 2) {
        0 => format!("Decision on {thing}"),
        1 => format!("Update about {thing}"),
        _ => format!("Date for {thing}"),
    };
    (subject, day)
}

/// Also asked with a given name that several people have.
pub(super) const SEND_MAIL: &[&str] = &[
    "Send a mail to {name} with the subject \"{subject}\" that says the date is {detail}.",
    "I want {name} to get a mail from me, subject \"{subject}\". It should mention {detail}.",
    "Please write to {name} in my name: subject \"{subject}\", and the text must name {detail} as the date.",
    "Could you mail {name} for me? The subject is \"{subject}\", and the text has to give {detail} as the date.",
    "{name} has to know the date, {detail}. Please send a mail with that, subject \"{subject}\".",
];

/// Sends a mail to a colleague.
pub(super) fn send_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?.goal("find the id of");
    let (subject, detail) = errand(c);
    let d = Draft::new(SEND_MAIL)
        .slot("subject", &subject)
        .slot("detail", &detail)
        .find("name", &to);
    Some(d.letter(c, to.person(), &subject, DATE, &[detail]))
}

/// Also asked about people who do not exist, or with a given name that several people have.
pub(super) const SEND_MESSAGE: &[&str] = &[
    "Send a chat message to {name} regarding \"{topic}\"; it must name {detail}.",
    "Start a conversation with {name} about \"{topic}\" for me and mention {detail}.",
    "I need to tell {name} by chat: \"{topic}\", date {detail}. Please send it.",
    "Please write {name} a chat message about \"{topic}\" for me. It has to mention {detail}.",
    "{name} should hear from me by chat: \"{topic}\", and the date is {detail}. Please write to them.",
];

/// Sends a message to a colleague.
pub(super) fn send_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?.goal("find the id of");
    let (topic, detail) = errand(c);
    let d = Draft::new(SEND_MESSAGE)
        .slot("topic", &topic)
        .slot("detail", &detail)
        .find("name", &to);
    let text = format!("{topic}: {detail}");
    Some(
        d.then(
            "send the message",
            "conversations_create",
            json!({"recipient_emp_id": to.id, "text": text}),
        )
        .says("text", &[topic, detail]),
    )
}

/// Also asked about mails that never came, and people who do not exist.
pub(super) const DELETE_MAIL: &[&str] = &[
    "Delete the mail that {name} sent me on {day}.",
    "I no longer need {name}'s mail of {day}. Remove it from my mailbox, please.",
    "Please throw away the mail that came from {name} on {day}.",
    "On {day} I got a mail from {name} that I do not need. Please delete it.",
    "Can you delete the mail of {day} from {name}? I have dealt with it.",
];

/// Finds a colleague, and the mails that came from them on a day.
pub(super) fn mails_of_day(c: &Ctx<'_>, d: Draft, who: &Thing, day: Day, rows: &[u32]) -> Draft {
    d.slot("day", said_day(day))
        .find("name", who)
        .then(
            "find the mail",
            "enterprise_mail_system_read",
            json!({
                "sender_email": address(c, who),
                "start_date": day.to_string(), "end_date": day.to_string(),
            }),
        )
        .claim(
            M,
            &[
                is("sender_emp_id", &who.id),
                ("date", "from", day.to_string()),
                ("date", "to", day.to_string()),
            ],
            rows,
        )
}

/// Deletes the mail that a colleague sent on a day.
pub(super) fn delete_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&received(c))?;
    let who = c.who(c.other(M, row)?)?;
    let day = c.day(M, row, "date")?;
    let d = mails_of_day(c, Draft::new(DELETE_MAIL), &who, day, &[row])
        .delete(c, "delete the mail", M, row)
        .row(M, row);
    Some(d)
}
