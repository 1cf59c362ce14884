//! Templates of every domain: mails and conversations, colleagues, posts and questions, policies.

use super::FactKind::{Date, Id, List, Number, Text, YesNo};
use super::draft::{Ctx, Draft, ahead, is, least};
use super::draft::{Span, Thing, said_day};
use crate::data::row::EmployeeNo;
use crate::data::synth::phrases::{fill, pair, phrases, pick};
use crate::data::tables::TableId;
use crate::data::tables::TableId::{
    Clients, Employees, Posts, Repositories, SupportChats, Tickets, Vendors,
};
use crate::data::value::{Cents, Day, plain_text};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

// ---------------------------------------------------------------- talk
//
// Templates about mails and conversations; every domain has them.
//
// Only the persona's own mails and conversations are drawn, since the rules allow no others.
// People are named, not identified, so most plans begin with a look-up in the directory, and only
// people with a unique name are used. The text of a message is free: it has to contain a day or a
// topic that the request names.

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

/// The id of a conversation with a person on a day.
///
/// Two steps; unique if the two talked once on that day.
pub(super) fn conversation_id(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, T))?;
    let other = counterpart(c, T, row)?;
    let day = c.day(T, row, "date")?;
    let d = Draft::new("talk.chat_of_day")
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

/// The only conversation with a person.
pub(super) fn message_with(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&mine(c, T))?;
    let other = counterpart(c, T, row)?;
    let d = Draft::new("talk.message_with").find("name", &other).seek(
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
    let d = Draft::new("talk.thread_id")
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
    let d = Draft::new("talk.subject_of_thread")
        .slot("thread", &thread)
        .seek("read the thread", M, &[is("thread_id", &thread)], &rows)
        .row(M, row);
    Some(d.tell(c, &[("subject", Text)]))
}

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
    let d = Draft::new("talk.latest_mail").find("name", &other);
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
    let d = Draft::new("talk.mail_received")
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
    let d = Draft::new("talk.search_inbox")
        .slot("subject", &subject)
        .step(
            "search the mails that I received",
            "enterprise_mail_system_read",
            json!({"query": subject, "recipient_email": email, "limit": 100}),
        )
        .worked_out("mails", Number, rows.len())
        .fact("latest", Date, latest)
        .claim(
            M,
            &[is("recipient_emp_id", me), is("subject", subject)],
            &rows,
        )
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

/// Sends a mail to a colleague.
pub(super) fn send_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?.goal("find the id of");
    let (subject, detail) = errand(c);
    let d = Draft::new("talk.send_mail")
        .slot("subject", &subject)
        .slot("detail", &detail)
        .find("name", &to);
    Some(d.letter(c, to.person(), &subject, DATE, &[detail]))
}

/// Sends a message to a colleague.
pub(super) fn send_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?.goal("find the id of");
    let (topic, detail) = errand(c);
    let d = Draft::new("talk.send_message")
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
    let d = mails_of_day(c, Draft::new("talk.delete_mail"), &who, day, &[row])
        .delete(c, "delete the mail", M, row)
        .row(M, row);
    Some(d)
}

// ---------------------------------------------------------------- compose
//
// Composed tasks: one plan identifies a person, another one does something with them.
//
// The paper has a model merge two tasks. Here the output of one plan is of the type that another
// one needs: every finder ends with a person, and every continuation begins with one. Eight
// finders and three continuations give 24 kinds of task.

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
    let (d, person) = accepted(c, "")?;
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
fn found(c: &mut Ctx<'_>, wording: &str) -> Option<(Draft, EmployeeNo)> {
    let finder = *c.s.pick(&FINDERS)?;
    let (mut d, person, words) = finder(c)?;
    if person == c.me || !c.is_active(person) {
        return None;
    }
    let who = fill(words, |slot| d.slots.get(slot).cloned().unwrap_or_default());
    d.phrases = phrases(wording).to_vec();
    Some((d.slot("who", who), person))
}

/// Identifies a person and looks them up in the directory.
pub(super) fn card_of_found(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(c, "compose.card_of_found")?;
    let d = d.read(c, "read that person's record", Employees, person.0);
    Some(reached(c, d, person))
}

/// Identifies a person and sends them a mail.
pub(super) fn find_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(c, "compose.find_and_mail")?;
    let (subject, detail) = errand(c);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(d.letter(c, person, &subject, DATE, &[detail]))
}

/// Identifies a person and sends them a chat message.
pub(super) fn find_and_message(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, person) = found(c, "compose.find_and_message")?;
    let (subject, detail) = errand(c);
    let d = d.slot("subject", &subject).slot("detail", &detail);
    Some(d.message(c, person, &subject.clone(), &[subject, detail]))
}

// ---------------------------------------------------------------- reach
//
// Templates about colleagues, mails and the forum whose later steps need what earlier ones found;
// every domain has them.
//
// | question | steps |
// |---|---:|
// | the manager of somebody who is known by a mail, a ticket, a post or an answer | 3 to 5 |
// | somebody in a team: the longest there, the one with a skill, the shared manager | 3 to 7 |
// | the history with a person: first and last talk, who mails more | 2 to 4 |
// | two estimates in a thread, of which the later one counts | 2 |
// | mails and messages to people who have to be found first | 3 to 6 |

const E: TableId = TableId::Employees;
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

/// The manager of the person with whom the persona wrote about a subject.
pub(super) fn boss_of_writer(c: &mut Ctx<'_>) -> Option<Draft> {
    let (rows, subject, other) = thread(c)?;
    let d = Draft::new("reach.boss_of_writer");
    boss_steps(c, find_thread(d, &rows, &subject), other)
}

/// The manager's manager of the persona.
pub(super) fn second_manager(c: &mut Ctx<'_>) -> Option<Draft> {
    let boss = c.view.manager(c.me)?;
    let d = Draft::new("reach.second_manager").read_mine(c, "read my own record", &["reports_to"]);
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

/// The person of a team who joined first.
pub(super) fn longest_in_team(c: &mut Ctx<'_>) -> Option<Draft> {
    let (boss, team) = c.team_lead(2, 5)?;
    let joined = team
        .iter()
        .filter_map(|p| Some((c.day(E, p.0, "DOJ")?, *p)));
    let (_, first) = least(joined.collect())?;
    let d = Draft::new("reach.longest");
    Some(
        read_team(c, d, &boss, &team)
            .fact("name", Text, c.name(first))
            .fact("joined", Date, c.get(E, first.0, "DOJ")),
    )
}

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
    let d = Draft::new("reach.skill").slot("skill", &skill);
    Some(read_team(c, d, &boss, &team).worked_out("names", List, names))
}

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
    let d = Draft::new("reach.shared_manager")
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
    let d = Draft::new("reach.boss_of_handler");
    (handler != c.me).then_some(())?;
    boss_steps(c, c.find_ticket(d, row)?, handler)
}

/// Finds the accepted answer to a colleague's question; its author.
pub(super) fn accepted(c: &mut Ctx<'_>, wording: &str) -> Option<(Draft, EmployeeNo)> {
    let row = c.any(O)?;
    let answer = c.follow(O, row, "AcceptedAnswerId")?;
    let asker = c.linked_to(O, row, "employee_id")?;
    let author = c.person(O, answer, "employee_id")?;
    let title = c.text(O, row, "Title");
    if asker.person() == c.me || author == c.me {
        return None;
    }
    let d = Draft::new(wording)
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
    let (d, author) = accepted(c, "reach.accepted_author")?;
    Some(
        d.read(c, "read the author's record", E, author.0)
            .fact("name", Text, c.name(author))
            .fact("department", Id, c.get(E, author.0, "category")),
    )
}

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
    let d = Draft::new("reach.talks")
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
    let d = Draft::new("reach.who_writes_more").compare(
        (&one, &first),
        (&two, &second),
        |d, who, rows| {
            d.then(
                format!("count the mails from {}", who.said),
                "enterprise_mail_system_read",
                json!({"sender_email": address(c, who), "limit": 200}),
            )
            .claim(M, &[is("sender_emp_id", &who.id)], rows)
        },
    );
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
    let d = Draft::new("reach.estimates").find("name", &who);
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
    let d = Draft::new("reach.answer_mail")
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

/// Sends somebody the address of another person's manager.
pub(super) fn pass_on_contact(c: &mut Ctx<'_>) -> Option<Draft> {
    let (to, other) = (c.somebody()?, c.somebody()?);
    let boss = c.view.manager(other.person())?;
    if to.row == other.row || boss == to.person() || !c.is_active(boss) {
        return None;
    }
    let email = c.text(E, boss.0, "email");
    let d = Draft::new("reach.pass_on")
        .find("to", &to)
        .find("other", &other)
        .read(c, "read the manager's record", E, boss.0)
        .mail(c, to.person(), "the address you asked for", &[email]);
    Some(d)
}

/// Thanks the author of an accepted answer.
pub(super) fn thank_author(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, author) = accepted(c, "reach.thank_author")?;
    c.is_active(author).then_some(())?;
    let title = d.slots.get("title")?.clone();
    Some(d.message(c, author, "Thank you for your answer", &[title]))
}

/// Asks the handler of one's ticket to be done by a day.
pub(super) fn ask_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.pick(&c.mine(I, "raised_by_emp_id"))?;
    let handler = c.colleague_in(I, row, "emp_id")?;
    let day = c.day_ahead(2, 14);
    let d = Draft::new("reach.ask_handler").slot("day", &day);
    let d = c.find_ticket(d, row)?;
    Some(d.message(c, handler, "Please settle my ticket by", &[day]))
}

/// Tells everybody who reports to the persona.
pub(super) fn tell_my_team(c: &mut Ctx<'_>) -> Option<Draft> {
    let team = c.team(c.me, 2, 5)?;
    let day = c.day_ahead(3, 30);
    let thing = c.word("thing");
    let d = Draft::new("reach.tell_my_team")
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
    let d = Draft::new("reach.mails_of_month")
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

// ---------------------------------------------------------------- rules
//
// Templates about the company's policies, asked as people ask: by what they want to do, not by the
// wording of the rule.
//
// `rules.figures` in `words/requests.txt` has, for each rule with a figure, the words by which it is found in its document and
// the question of somebody who needs it. The figures are drawn for the company, so a question
// cannot be answered from memory of another company.

const D: TableId = TableId::PolicyDocuments;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;

/// How a rule begins, which of its figures is meant, and the question.
pub(super) type Rule = (&'static str, usize, &'static str);

/// A rule with a figure.
fn drawn_rule(c: &mut Ctx<'_>) -> Rule {
    figure_of(pick(&mut c.s, "rules.figures"))
}

/// The rule of a line of `rules.figures`.
fn figure_of(line: &'static str) -> Rule {
    let (words, rest) = pair(line);
    let (which, question) = pair(rest);
    (words, which.parse().unwrap_or(0), question)
}

/// What people want to do, from a line of `rules.cases`: how the rule begins, whether more than the figure is
/// allowed (else less), and the question with `{n}`.
fn case_of(line: &'static str) -> (&'static str, bool, &'static str) {
    let (words, rest) = pair(line);
    let (allowed, question) = pair(rest);
    (words, allowed == "more", question)
}

/// The figures in a rule.
fn figures(rule: &str) -> Vec<i64> {
    rule.split(|ch: char| !ch.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// The document with the only rule that has these words, and one of its figures.
fn rule(c: &Ctx<'_>, words: &str, which: usize) -> Option<(u32, i64)> {
    let policies = c.company().policies.iter();
    for (row, policy) in policies.enumerate() {
        let rules = policy.sections.iter().flat_map(|s| &s.rules);
        if let Some(rule) = rules.into_iter().find(|r| r.contains(words)) {
            let row = crate::data::value::row_no(row);
            return Some((row, *figures(rule).get(which)?));
        }
    }
    None
}

/// The step that reads the document of a rule.
pub(super) fn look_up_rule(
    c: &Ctx<'_>,
    d: Draft,
    words: &str,
    which: usize,
) -> Option<(Draft, i64)> {
    let (row, figure) = rule(c, words, which)?;
    let d = d.read(c, "read the policy", D, row).after(&[]).claim(
        D,
        &[("text", "has", words.to_owned())],
        &[row],
    );
    Some((d, figure))
}

/// The figure of a rule.
pub(super) fn policy_figure(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, which, question) = drawn_rule(c);
    let d = Draft::new("rules.policy_figure").slot("question", question);
    let (d, figure) = look_up_rule(c, d, words, which)?;
    Some(d.worked_out("figure", Number, figure))
}

/// A rule whose figure has at least two digits: a single digit occurs in most texts by chance.
pub(super) fn with_large_figure(c: &mut Ctx<'_>) -> Option<Rule> {
    let drawn = drawn_rule(c);
    let (_, figure) = rule(c, drawn.0, drawn.1)?;
    (figure >= 10).then_some(drawn)
}

/// Two figures of different documents.
pub(super) fn two_rules(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (drawn_rule(c), drawn_rule(c));
    if rule(c, one.0, 0)?.0 == rule(c, two.0, 0)?.0 {
        return None;
    }
    let d = Draft::new("rules.two_rules")
        .slot("first", one.2)
        .slot("second", two.2);
    let (d, a) = look_up_rule(c, d, one.0, one.1)?;
    let d = d.worked_out("first_figure", Number, a);
    let (d, b) = look_up_rule(c, d, two.0, two.1)?;
    Some(d.worked_out("second_figure", Number, b))
}

/// Whether something is allowed by the rules, and the limit.
pub(super) fn policy_case(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, more, question) = case_of(pick(&mut c.s, "rules.cases"));
    let (_, limit) = rule(c, words, 0)?;
    let above = c.coin == more;
    // Wide, so that the same figure is seldom asked about twice.
    let span = match above {
        true => limit.max(60),
        false => limit - 1,
    };
    let apart = c.between(1, span.max(1));
    // Within the limit is what is allowed; the limit itself is not drawn, because people disagree
    // about it.
    let n = match above {
        true => limit + apart,
        false => limit - apart,
    };
    // "1 days" would read badly.
    if n <= 1 || (words.starts_with("New code") && n > 99) {
        return None;
    }
    let d = Draft {
        phrases: vec![question],
        ..Draft::default()
    };
    let d = d.slot("n", n.to_string());
    let off = (n - limit).abs();
    let (d, limit) = look_up_rule(c, d, words, 0)?;
    let answer = if c.coin { "YES" } else { "NO" };
    Some(
        d.worked_out("allowed", YesNo, answer)
            .worked_out("limit", Number, limit)
            .worked_out("difference", Number, off),
    )
}

/// Mails somebody the figure of a rule.
pub(super) fn tell_figure(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, which, question) = with_large_figure(c)?;
    let to = c.somebody()?;
    let d = Draft::new("rules.tell_figure")
        .slot("question", question)
        .find("name", &to);
    let (d, figure) = look_up_rule(c, d, words, which)?;
    Some(d.mail(c, to.person(), "your question", &[figure.to_string()]))
}

/// Whether the persona may grant a discount, by level, and the price that results.
pub(super) fn discount_for_me(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let level = c.view.person(c.me)?.level;
    let which = match level {
        9 => 0,
        10 | 11 => 1,
        _ => return None,
    };
    let (_, most) = rule(c, "An associate may grant up to", which)?;
    let list = c.cents(P, product.row, "actual_price")?;
    let price = Cents(list * (100 - most) / 100);
    if list * (100 - most) % 100 != 0 {
        return None;
    }
    let d = Draft::new("rules.discount_for_me").read_mine(c, "read my own level", &["Level"]);
    let (d, most) = look_up_rule(c, d, "An associate may grant up to", which)?;
    let d = d.after(&[0]).worked_out("per_cent", Number, most);
    Some(
        d.find("product", &product)
            .worked_out("price", Number, price.value()),
    )
}

/// Looks up a product, a customer, and the sales of one to the other.
pub(super) fn find_purchases(
    d: Draft,
    goal: &str,
    product: &Thing,
    customer: &Thing,
    rows: &[u32],
) -> Draft {
    d.find("product", product)
        .find("customer", customer)
        .seek_about(goal, S, product, customer, rows)
}

/// Finds the only purchase of a product by a customer, and the last day on which it may be returned.
fn return_day(c: &mut Ctx<'_>, wording: &str) -> Option<(Draft, Day)> {
    let row = c.any(S)?;
    let (product, customer) = c.pair(S, row)?;
    (c.about(S, &product, &customer) == [row]).then_some(())?;
    let d = find_purchases(
        Draft::new(wording),
        "find the purchase",
        &product,
        &customer,
        &[row],
    )
    .row(S, row);
    let on = c.day(S, row, "date_of_purchase")?;
    let d = d.fact("bought", Date, on.to_string());
    let (d, days) = look_up_rule(c, d, "Goods may be returned", 0)?;
    Some((d, on.plus(days)))
}

/// Until when a customer may return what was bought.
pub(super) fn last_day_to_return(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, last) = return_day(c, "rules.return")?;
    Some(d.worked_out("last_day", Date, last.to_string()))
}

/// Mails a colleague the day until which a customer may return something.
pub(super) fn mail_return_day(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?;
    let (d, last) = return_day(c, "rules.mail_return_day")?;
    let d = d.without_facts();
    let day = said_day(last);
    Some(
        d.find("name", &to)
            .mail(c, to.person(), "the last day for the return", &[day]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_the_documents() {
        let text = include_str!("../../words/policies.txt");
        for (words, which, question) in phrases("rules.figures").iter().map(|l| figure_of(l)) {
            let lines: Vec<&str> = text.lines().filter(|l| l.contains(words)).collect();
            assert_eq!(lines.len(), 1, "{words}");
            assert!(lines[0].matches('{').count() > which, "{words}");
            assert!(question.contains('?'));
        }
        for (words, _, question) in phrases("rules.cases").iter().map(|l| case_of(l)) {
            assert_eq!(text.lines().filter(|l| l.contains(words)).count(), 1);
            assert!(question.contains("{n}"));
        }
        assert_eq!(figures("between 3 and 14 days"), [3, 14]);
    }
}
