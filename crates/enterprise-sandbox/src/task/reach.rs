//! Templates about colleagues, mails and the forum whose later steps need what earlier ones found;
//! every domain has them.
//!
//! | question | steps |
//! |---|---:|
//! | the manager of somebody who is known by a mail, a ticket, a post or an answer | 3 to 5 |
//! | somebody in a team: the longest there, the one with a skill, the shared manager | 3 to 7 |
//! | the history with a person: first and last talk, who mails more | 2 to 4 |
//! | two estimates in a thread, of which the later one counts | 2 |
//! | mails and messages to people who have to be found first | 3 to 6 |

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft, ahead, is, least};
use super::naming::{Span, Thing};
use super::talk::{address, mine, received, same_subject, with};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::Day;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const E: TableId = TableId::Employees;
const M: TableId = TableId::Emails;
const T: TableId = TableId::Conversations;
const I: TableId = TableId::Tickets;
const O: TableId = TableId::Overflow;

/// Name and address of a person, as facts of the last step.
pub(super) fn reached(c: &Ctx<'_>, d: Draft, person: EmployeeNo) -> Draft {
    d.fact("name", Text, c.name(person))
        .fact("email", Id, c.get(E, person.0, "email"))
}

/// Reads a person's record and then the manager's; the manager is the answer.
pub(super) fn boss_steps(c: &Ctx<'_>, d: Draft, person: EmployeeNo) -> Option<Draft> {
    let boss = c.view.manager(person)?;
    let d = d.read(c, "read that person's record", E, person.0).read(
        c,
        "read the manager's record",
        E,
        boss.0,
    );
    Some(reached(c, d, boss))
}

/// A subject that all mails of the persona with one colleague in one thread share: the rows, the
/// subject, the colleague.
fn thread(c: &mut Ctx<'_>) -> Option<(Vec<u32>, String, EmployeeNo)> {
    let row = c.pick(&mine(c, M))?;
    let subject = c.text(M, row, "subject");
    let rows = same_subject(c, &subject);
    let other = c.other(M, row)?;
    let alone = with(c, M, &rows, other) == rows;
    (alone && rows.len() <= 20).then_some((rows, subject, other))
}

/// The step that finds the mails of a thread by their subject.
fn find_thread(d: Draft, rows: &[u32], subject: &str) -> Draft {
    d.slot("subject", subject)
        .step(
            "find the mails with that subject",
            "enterprise_mail_system_read",
            json!({"query": subject}),
        )
        .claim(M, &[is("subject", subject)], rows)
}

/// Wordings of the question for the manager of a person with whom one wrote.
const BOSS_OF_WRITER: &[&str] = &[
    "A colleague and I exchanged mails with the subject \"{subject}\". Who is that person's manager, and what is the manager's address?",
    "I need to speak to the manager of the person I mailed with under \"{subject}\". Give me the manager's name and mail address, please.",
    "With whom did I write about \"{subject}\"? I want to reach that person's manager: name and address, please.",
    "Some time ago I exchanged mails under \"{subject}\" with a colleague. I need the name and the address of that colleague's manager.",
];

/// The manager of the person with whom the persona wrote about a subject.
pub(super) fn boss_of_writer(c: &mut Ctx<'_>) -> Option<Draft> {
    let (rows, subject, other) = thread(c)?;
    let d = Draft::new(BOSS_OF_WRITER);
    boss_steps(c, find_thread(d, &rows, &subject), other)
}

/// The manager's manager of the persona.
pub(super) fn second_manager(c: &mut Ctx<'_>) -> Option<Draft> {
    let boss = c.view.manager(c.me)?;
    let d = Draft::new(&[
        "My manager is away. Who is the next one up, and how do I reach that person by mail?",
        "Who does my manager report to? Name and mail address, please.",
        "I have to escalate something past my own manager. Give me the name and mail address of the manager one level up.",
    ])
    .read_mine(c, "read my own record", &["reports_to"]);
    boss_steps(c, d, boss)
}

/// Finds a manager and reads the record of everybody in the team.
fn read_team(c: &Ctx<'_>, d: Draft, boss: &Thing, team: &[EmployeeNo]) -> Draft {
    let d = d.find("boss", boss);
    let d = team.iter().fold(d, |d, p| {
        d.read(c, "read a team member's record", E, p.0).after(&[0])
    });
    c.team_claim(d, boss.person(), team)
}

/// Also asked about managers who do not exist.
pub(super) const LONGEST: &[&str] = &[
    "Who among the people reporting to {boss} has been with us longest, and since when?",
    "{boss}'s team wants to celebrate its most senior member by years of service. Who is it, and when did that person join? I have to order the cake.",
    "I need the name and joining date of the direct report of {boss} who has been here the longest.",
    "Of {boss}'s direct reports, who joined us first, and on which day?",
];

/// The person of a team who joined first.
pub(super) fn longest_in_team(c: &mut Ctx<'_>) -> Option<Draft> {
    let (boss, team) = c.team_lead(2, 5)?;
    let joined = team
        .iter()
        .filter_map(|p| Some((c.day(E, p.0, "DOJ")?, *p)));
    let (_, first) = least(joined.collect())?;
    let d = Draft::new(LONGEST);
    Some(
        read_team(c, d, &boss, &team)
            .fact("name", Text, c.name(first))
            .fact("joined", Date, c.get(E, first.0, "DOJ")),
    )
}

/// Also asked about managers who do not exist.
pub(super) const SKILL: &[&str] = &[
    "Who in {boss}'s team knows {skill}? I am looking for somebody to ask.",
    "I need help with {skill}. Which of {boss}'s direct reports list it among their skills?",
    "Look through the people who report to {boss}: who of them has {skill} as a skill? Names, please.",
    "{boss} offered me help with {skill}. Who of their direct reports has that skill?",
];

/// The people of a team with a skill.
pub(super) fn skill_in_team(c: &mut Ctx<'_>) -> Option<Draft> {
    let (boss, team) = c.team_lead(2, 6)?;
    let mut holders: BTreeMap<String, Vec<EmployeeNo>> = BTreeMap::new();
    for person in &team {
        let skills = c.get(E, person.0, "skills");
        for skill in skills.as_array()? {
            let known = holders.entry(skill.as_str()?.to_owned()).or_default();
            known.push(*person);
        }
    }
    let some: Vec<(String, Vec<EmployeeNo>)> = holders
        .into_iter()
        .filter(|(_, people)| people.len() < team.len())
        .collect();
    let (skill, people) = c.s.pick(&some)?.clone();
    let names: Vec<String> = people.iter().map(|p| c.name(*p)).collect();
    let d = Draft::new(SKILL).slot("skill", &skill);
    Some(read_team(c, d, &boss, &team).worked_out("names", List, names))
}

/// Also asked about people who do not exist.
pub(super) const SHARED_MANAGER: &[&str] = &[
    "{one} and {two} cannot agree. Who is the lowest manager above both of them? I need name and address.",
    "Who is the lowest manager that {one} and {two} both report to, directly or through others? Name and mail address, please.",
    "I need a decision that binds {one} and {two}: find the nearest manager they have in common, with the address.",
    "{one} and {two} need the same approval. Whose is it: who is the first manager above both? Name and address, please.",
];

/// The first manager that two people of a department share.
pub(super) fn shared_manager(c: &mut Ctx<'_>) -> Option<Draft> {
    let one = c.somebody()?;
    // Two people drawn at random mostly share only the head of the department.
    let mut at = c.view.manager(c.view.manager(one.person())?)?;
    for _ in 0..c.between(1, 3) {
        let below = c.linked(E, "reports_to", at.0);
        at = match c.pick(&below) {
            Some(row) => EmployeeNo(row),
            None => break,
        };
    }
    let two = c.who(at).filter(|_| at != c.me && c.is_active(at))?;
    let chain = |p: EmployeeNo| c.view.chain(p).collect::<Vec<_>>();
    let (up, other) = (chain(one.person()), chain(two.person()));
    let shared = *up.iter().find(|p| other.contains(p))?;
    let upto = |chain: &[EmployeeNo]| chain.iter().position(|p| *p == shared);
    let (a, b) = (upto(&up)?, upto(&other)?);
    // Of two direct reports the manager would be the only candidate at once.
    let head = c.view.manager(shared).is_none();
    if !(1..=4).contains(&(a + b)) || one.row == two.row || (head && c.coin) {
        return None;
    }
    let d = Draft::new(SHARED_MANAGER)
        .find("one", &one)
        .find("two", &two);
    let steps = up.iter().take(a + 1).chain(other.iter().take(b));
    let d = steps.fold(d, |d, p| d.read(c, "read the manager above", E, p.0));
    Some(reached(c, d, shared))
}

/// The manager of the person who handles a ticket of the persona's, or one that the persona may see.
pub(super) fn boss_of_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(I, "raised_by_emp_id");
    let row = c.one_of(&own, I)?;
    let handler = c.person(I, row, "emp_id")?;
    let d = Draft::new(&[
        "Who is the manager of the person looking after {ticket}? I need name and mail address.",
        "I want to complain about how long {ticket} takes. Tell me who the handler's manager is and how to reach that person.",
        "Please find out who handles {ticket}, and give me the name and address of the handler's manager.",
        "I would like a word with the manager of the colleague who handles {ticket}. Name and mail address, please.",
    ]);
    (handler != c.me).then_some(())?;
    boss_steps(c, c.find_ticket(d, row)?, handler)
}

/// Finds the accepted answer to a colleague's question; its author.
pub(super) fn accepted(c: &mut Ctx<'_>, phrases: &[&'static str]) -> Option<(Draft, EmployeeNo)> {
    let row = c.any(O)?;
    let answer = c.follow(O, row, "AcceptedAnswerId")?;
    let asker = c.linked_to(O, row, "employee_id")?;
    let author = c.person(O, answer, "employee_id")?;
    let title = c.text(O, row, "Title");
    if asker.person() == c.me || author == c.me {
        return None;
    }
    let d = Draft::new(phrases)
        .find("asker", &asker)
        .slot("title", &title)
        .seek(
            "find the question",
            O,
            &[is("employee_id", &asker.id), is("Title", &title)],
            &[row],
        )
        .with("query", title)
        .row(O, row)
        .read(c, "read the accepted answer", O, answer);
    Some((d, author))
}

/// Whose answer was accepted.
pub(super) fn accepted_author(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "{asker} asked \"{title}\" on overflow. Whose answer was accepted, and which department is that person in?",
        "I remember that {asker}'s question \"{title}\" got a good answer. Who wrote the accepted one, and where does that person work (department)?",
        "Find {asker}'s overflow question \"{title}\" for me: who gave the accepted answer? Name and department.",
    ];
    let (d, author) = accepted(c, &phrases)?;
    Some(
        d.read(c, "read the author's record", E, author.0)
            .fact("name", Text, c.name(author))
            .fact("department", Id, c.get(E, author.0, "category")),
    )
}

/// Also asked about people with whom one never had a chat.
pub(super) const TALKS: &[&str] = &[
    "When did {name} and I first chat, when did we last chat, and how many days lie between the two?",
    "I am writing up my work with {name}. On which days were our first and our latest chat, and how many days apart are they?",
    "Give me the dates of my earliest and latest conversation with {name}, and the number of days from one to the other.",
    "What were the days of my first and my last chat with {name}, and how many days lie between the two?",
];

/// First and last talk with a person, and the days between.
pub(super) fn talks_with(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = mine(c, T);
    let row = c.pick(&all)?;
    let who = c.who(c.other(T, row)?)?;
    let rows = with(c, T, &all, who.person());
    let days: BTreeSet<Day> = rows.iter().filter_map(|r| c.day(T, *r, "date")).collect();
    let (first, last) = (*days.first()?, *days.last()?);
    if first == last || rows.len() > 20 {
        return None;
    }
    let apart = i64::from(last.0) - i64::from(first.0);
    let d = Draft::new(TALKS)
        .find("name", &who)
        .list(
            "read our conversations",
            T,
            &[is("participant", &who.id)],
            &rows,
        )
        .fact("first", Date, first.to_string())
        .fact("last", Date, last.to_string())
        .worked_out("days", Number, apart);
    Some(d)
}

/// Which of two people wrote the persona more mails.
pub(super) fn who_writes_more(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = received(c);
    let (a, b) = (c.pick(&all)?, c.pick(&all)?);
    let (one, two) = (c.who(c.other(M, a)?)?, c.who(c.other(M, b)?)?);
    let from = |who: &Thing| with(c, M, &all, who.person());
    let (first, second) = (from(&one), from(&two));
    let more = ahead((&one, first.len()), (&two, second.len()))?;
    let more = more.said.clone();
    (first.len().max(second.len()) <= 100).then_some(())?;
    let d = Draft::new(&[
        "Who has sent me more mails, {one} or {two}, and how many more?",
        "I have a feeling that one of {one} and {two} writes to me far more often. Which one, and by how many mails?",
        "Count the mails that I got from {one} and from {two}. Who sent more, and what is the difference?",
    ])
    .compare((&one, &first), (&two, &second), |d, who, rows| {
        d.then(
            format!("count the mails from {}", who.said),
            "enterprise_mail_system_read",
            json!({"sender_email": address(c, who), "limit": 200}),
        )
        .claim(M, &[is("sender_emp_id", &who.id)], rows)
    });
    Some(d.worked_out("name", Text, more).worked_out(
        "difference",
        Number,
        first.len().abs_diff(second.len()),
    ))
}

/// The estimate in the body of a generated mail.
fn estimate(body: &str) -> Option<i64> {
    let (_, rest) = body.split_once("The estimate is ")?;
    rest.split(' ').next()?.parse().ok()
}

/// Two mails of a thread name different estimates; the later one counts.
pub(super) fn estimates(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut threads: BTreeMap<String, Vec<(String, u32, i64)>> = BTreeMap::new();
    for row in mine(c, M) {
        if let Some(n) = estimate(&c.text(M, row, "body")) {
            let key = c.text(M, row, "thread_id");
            let list = threads.entry(key).or_default();
            list.push((c.text(M, row, "date"), row, n));
        }
    }
    let both: Vec<_> = threads.into_values().filter(|t| t.len() == 2).collect();
    let mut both = c.s.pick(&both)?.clone();
    both.sort();
    let [(_, early, old), (_, late, new)] = both.as_slice() else {
        return None;
    };
    let (old, new, early, late) = (*old, *new, *early, *late);
    let who = c.who(c.other(M, late)?)?;
    let subject = c.text(M, late, "subject");
    let thread = c.text(M, late, "thread_id");
    let rows = same_subject(c, &subject);
    let one = c.having(M, &rows, "thread_id", &thread) == rows;
    if old == new || !one || rows.len() > 20 {
        return None;
    }
    let d = Draft::new(&[
        "There are two estimates for the quarter in my mails with {name} under \"{subject}\". The later one counts: what is it, and by how much does the earlier one differ?",
        "{name} and I have two estimates for the quarter in our mails with the subject \"{subject}\". Which of them is in the later mail, and by how much does the other one differ?",
        "Please look at my mails with {name} under \"{subject}\": two of them give an estimate for the quarter. I need the more recent estimate and the difference between the two.",
        "In my mails with {name} under \"{subject}\" there is one estimate for the quarter and later another one. What is the later estimate, and how far apart are the two?",
    ])
    .find("name", &who);
    Some(
        find_thread(d, &rows, &subject)
            .worked_out("estimate", Number, new)
            .worked_out("difference", Number, (new - old).abs())
            .row(M, early)
            .row(M, late),
    )
}

// ---------------------------------------------------------------- writes

/// Replies to the latest mail of a person about a subject.
pub(super) fn answer_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let (rows, subject, other) = thread(c)?;
    let who = c.who(other).filter(|_| c.is_active(other))?;
    let row = *rows.first()?;
    let thread = c.text(M, row, "thread_id");
    (c.having(M, &rows, "thread_id", &thread) == rows).then_some(())?;
    let day = c.day_ahead(3, 30);
    let d = Draft::new(&[
        "Answer {name} in our mail thread \"{subject}\", same subject, and say that I will be done by {day}.",
        "I owe {name} a reply in the thread \"{subject}\". Tell them {day} works for me, and keep thread and subject.",
        "Reply to {name} under \"{subject}\" for me, in the same thread and with the same subject: I need until {day}.",
    ])
    .slot("day", &day)
    .find("name", &who);
    let body = format!("Hello {}, you will have it by {day}.", who.first());
    let d = find_thread(d, &rows, &subject)
        .last(
            "send the reply",
            "enterprise_mail_system_create",
            json!({"recipient_emp_id": who.id, "subject": subject, "body": body, "thread_id": thread}),
        )
        .says("body", &[day]);
    Some(d)
}

/// Also asked about people who do not exist, or with a given name that several people have.
pub(super) const PASS_ON: &[&str] = &[
    "{to} would like to write to {other}'s manager. Please send {to} a mail with the manager's mail address.",
    "{to} asked me for the mail address of {other}'s manager. Please look it up and send it to {to} by mail.",
    "I promised {to} the mail address of {other}'s manager. Could you look it up and mail it to {to}?",
    "Please find out who {other}'s manager is, and send {to} a mail with that person's address.",
    "{to} has to reach {other}'s manager and does not know the address. Can you mail it to {to}?",
];

/// Sends somebody the address of another person's manager.
pub(super) fn pass_on_contact(c: &mut Ctx<'_>) -> Option<Draft> {
    let (to, other) = (c.somebody()?, c.somebody()?);
    let boss = c.view.manager(other.person())?;
    if to.row == other.row || boss == to.person() || !c.is_active(boss) {
        return None;
    }
    let email = c.text(E, boss.0, "email");
    let d = Draft::new(PASS_ON)
        .find("to", &to)
        .find("other", &other)
        .read(c, "read the manager's record", E, boss.0)
        .mail(c, to.person(), "the address you asked for", &[email]);
    Some(d)
}

/// Thanks the author of an accepted answer.
pub(super) fn thank_author(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "{asker} asked \"{title}\" on overflow, and the accepted answer saved my day. Thank its author by chat, and quote the question's title so that they know what it is about.",
        "Please thank the person who gave the accepted answer to {asker}'s question \"{title}\" on overflow. Do it by chat, and quote the title.",
    ];
    let (d, author) = accepted(c, &phrases)?;
    c.is_active(author).then_some(())?;
    let title = d.slots.get("title")?.clone();
    Some(d.message(c, author, "Thank you for your answer", &[title]))
}

/// Asks the handler of one's ticket to be done by a day.
pub(super) fn ask_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&c.mine(I, "raised_by_emp_id"))?;
    let handler = c.colleague_in(I, row, "emp_id")?;
    let day = c.day_ahead(2, 14);
    let d = Draft::new(&[
        "Please chat to the person who looks after {ticket}: I need it settled by {day}.",
        "Find out who handles {ticket}. Then tell that person by chat that {day} is my deadline.",
        "{day} is my deadline for {ticket}. Please tell the handler so by chat.",
    ])
    .slot("day", &day);
    let d = c.find_ticket(d, row)?;
    Some(d.message(c, handler, "Please settle my ticket by", &[day]))
}

/// Tells everybody who reports to the persona.
pub(super) fn tell_my_team(c: &mut Ctx<'_>) -> Option<Draft> {
    let team = c.team(c.me, 2, 5)?;
    let day = c.day_ahead(3, 30);
    let thing = c.word("thing");
    let d = Draft::new(&[
        "Mail each of my direct reports that we talk about {thing} on {day}.",
        "I moved our meeting on {thing} to {day}. Let everybody who reports to me know, one mail each, with the date.",
        "Send every member of my team a mail of their own: {day} is the date for {thing}.",
    ])
    .slot("thing", &thing)
    .slot("day", &day)
    .step(
        "find who reports to me",
        "employee_data_read",
        json!({"emp_id": c.my_id()}),
    )
    .row(E, c.me.0);
    let d = c.team_claim(d, c.me, &team);
    let parts = [day];
    let d = team.iter().fold(d, |d, p| {
        d.mail(c, *p, &format!("Date for {thing}"), &parts)
            .after(&[0])
    });
    Some(d)
}

/// How many mails the persona sent and received in a month, and the day of the last.
pub(super) fn mails_of_month(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut rows = mine(c, M);
    let row = c.pick(&rows)?;
    let month = Span::month(c.day(M, row, "date")?)?;
    rows.retain(|r| c.day(M, *r, "date").is_some_and(|d| month.holds(d)));
    let sent = c.having(M, &rows, "sender_emp_id", &c.my_id()).len();
    let last = rows.iter().filter_map(|r| c.day(M, *r, "date")).max()?;
    (2..=100).contains(&rows.len()).then_some(())?;
    let d = Draft::new(&[
        "How many mails did I send and how many did I receive in {month}, and on which day was the last of them?",
        "I am looking back at {month}: how many mails did I write that month, how many did I get, and what was the day of the latest one?",
        "Count my mails of {month} for me, sent and received separately, and give me the day of the last one.",
    ])
    .slot("month", &month.said)
    .list(
        "read the mails of that month",
        M,
        &month.holds_day("date"),
        &rows,
    )
    .worked_out("sent", Number, sent)
    .worked_out("received", Number, rows.len() - sent)
    .worked_out("last_day", Date, last.to_string());
    Some(d)
}
