//! Mails and conversations: subjects, bodies, signatures.

use super::{given, person, season, soon};
use crate::company::Company;
use crate::org::Rank;
use crate::row::{EmployeeNo, Topic};
use crate::source::TableId;
use crate::synth::phrases::{capital, fill, phrases, pick};
use crate::value::Day;
use sim_core::Stream;

/// The topic of a thread as a noun phrase, and the matching list of subjects.
fn topic(c: &Company, thread: u32) -> (String, &'static str) {
    match c
        .threads
        .get(thread as usize)
        .map(|t| t.topic)
        .unwrap_or_default()
    {
        Topic::Plain => (String::new(), "subject.plain"),
        Topic::Ticket(row) => (c.id(TableId::Tickets, row), "subject.ticket"),
        Topic::Product(row) => (c.product_name(row), "subject.product"),
        Topic::Repository(row) => (c.id(TableId::Repositories, row), "subject.repository"),
        Topic::Leave => (String::new(), "subject.leave"),
        Topic::Policy(row) => (
            c.policies
                .get(row as usize)
                .map(|p| p.title.to_string())
                .unwrap_or_default(),
            "subject.policy",
        ),
    }
}

/// The day of the earliest mail of a thread.
fn thread_start(c: &Company, thread: u32) -> Day {
    let mails = c.index.thread_mails.of(thread).iter();
    // The earliest, not the first: a data defect may put a thread out of order.
    mails
        .filter_map(|m| c.mails.get(*m as usize))
        .map(|m| m.at.day())
        .min()
        .unwrap_or(c.clock)
}

/// Subject of a mail: that of its thread.
pub(crate) fn mail_subject(c: &Company, row: u32) -> String {
    let Some(thread) = c.mails.get(row as usize).map(|m| m.thread.0) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.subject", u64::from(thread));
    let (about, list) = topic(c, thread);
    let start = thread_start(c, thread);
    let text = fill(pick(&mut s, list), |slot| match slot {
        "ref" => about.clone(),
        "thing" if list == "subject.ticket" => pick(&mut s, "trouble").to_owned(),
        "thing" if list == "subject.repository" => pick(&mut s, "codething").to_owned(),
        "thing" => pick(&mut s, "thing").to_owned(),
        "day" => soon(&mut s, start),
        "days" => s.between(1, 12).to_string(),
        _ => season(&mut s).to_owned(),
    });
    capital(&text)
}

/// Body of a mail.
pub(crate) fn mail_body(c: &Company, row: u32) -> String {
    let Some(m) = c.mails.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.mail", u64::from(row));
    // By row, not by date: with a data defect the opening mail may carry a later date.
    let first = c.index.thread_mails.of(m.thread.0).first() == Some(&row);
    let topic = match topic(c, m.thread.0) {
        (about, "subject.ticket") => format!("ticket {about}"),
        (_, "subject.leave") => "my leave".to_owned(),
        (about, "subject.plain") if about.is_empty() => {
            format!("\"{}\"", mail_subject(c, row))
        }
        (about, _) => about,
    };
    let part = |list: &str, s: &mut Stream| {
        let phrase = pick(s, list);
        let answer = pick(s, "mail.answer");
        let mut slots = |slot: &str| match slot {
            "name" => given(c, m.recipient),
            "topic" => topic.clone(),
            "day" => soon(s, m.at.day()),
            "amount" => (s.between(2, 90) * 100).to_string(),
            _ => String::new(),
        };
        let answer = fill(answer, &mut slots);
        fill(phrase, |slot| {
            if slot == "answer" {
                answer.clone()
            } else {
                slots(slot)
            }
        })
    };
    let middle = if first { "mail.ask" } else { "mail.reply" };
    let open = part("mail.open", &mut s);
    let middle = part(middle, &mut s);
    let close = part("mail.close", &mut s);
    format!("{open}\n\n{middle}\n\n{close}")
}

/// The signature under a mail.
pub(crate) fn signature(c: &Company, signer: EmployeeNo) -> String {
    let Some(e) = person(c, signer.0) else {
        return String::new();
    };
    format!(
        "{}, {}, {}",
        e.name,
        Rank::of_level(e.level).title(),
        e.department
    )
}

/// The notice under a mail.
pub(crate) fn notice() -> String {
    phrases("notice")
        .first()
        .copied()
        .unwrap_or_default()
        .to_owned()
}

/// A conversation: turns behind given names, separated by blank lines.
pub(crate) fn conversation(c: &Company, row: u32) -> String {
    let table = TableId::Conversations;
    let person = |n| c.declared(table)?.person(row, n);
    let (Some(sender), Some(recipient), Some(on)) = (person(0), person(1), c.dated(table, row))
    else {
        return String::new();
    };
    let mut s = c.seed.stream("text.conversation", u64::from(row));
    let (a, b) = (given(c, sender), given(c, recipient));
    let topic = fill(pick(&mut s, "chattopic"), |_| {
        pick(&mut s, "thing").to_owned()
    });
    let topic = if s.chance(0.5) {
        format!("{topic} on {}", soon(&mut s, on))
    } else {
        topic
    };
    let mut turns = vec!["chat.open"];
    turns.extend(std::iter::repeat_n("chat.turn", 2 + s.index(4)));
    turns.push("chat.close");
    let lines: Vec<String> = turns
        .into_iter()
        .enumerate()
        .map(|(n, list)| {
            let phrase = pick(&mut s, list);
            let text = fill(phrase, |slot| match slot {
                "other" => b.clone(),
                "topic" => topic.clone(),
                "day" => soon(&mut s, on),
                "amount" => (s.between(2, 90) * 100).to_string(),
                _ => pick(&mut s, "chat.answer").to_owned(),
            });
            format!("{}: {text}", if n % 2 == 0 { &a } else { &b })
        })
        .collect();
    lines.join("\n\n")
}
