//! Templates of the helpdesk whose later steps need what earlier ones found: who handles a ticket,
//! who has less to do, how long a repair took, how two months compare.

use super::FactKind::{Date, Id, Number, Text};
use super::draft::{Ctx, Draft, ahead, is, least};
use super::naming::{Span, Thing};
use super::reach::{boss_steps, reached};
use crate::org::Department;
use crate::source::TableId;
use crate::value::Day;
use serde_json::json;
use std::cmp::Reverse;

const I: TableId = TableId::Tickets;

fn is_open(c: &Ctx<'_>, row: u32) -> bool {
    c.get(I, row, "Resolution").is_null()
}

/// A colleague of the helpdesk who still works here, by name.
fn helper(c: &mut Ctx<'_>) -> Option<Thing> {
    let person = c.colleague_of(Department::InformationTechnology)?;
    c.who(person)
}

/// Tickets that a person handles, as far as the persona may read them.
fn handled_by(c: &Ctx<'_>, who: &Thing) -> Vec<u32> {
    c.linked(I, "emp_id", who.row)
}

/// The step that lists somebody's tickets.
fn list_of(d: Draft, who: &Thing, rows: &[u32]) -> Draft {
    let goal = format!("list the tickets of {}", who.said);
    d.list(goal, I, &[is("emp_id", &who.id)], rows)
}

/// Who handles a ticket, and that person's manager.
pub(super) fn handler_and_manager(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let handler = c.person(I, row, "emp_id")?;
    let d = Draft::new(&[
        "Who handles {ticket}, and who is the handler's manager? I need both names and the manager's mail address.",
        "I was asked about {ticket}. Tell me the handler's name, and the name and mail address of the handler's manager.",
        "Please look up who is in charge of {ticket}: the name of the handler, and the name and address of the handler's manager.",
        "I need to know who is working on {ticket}, and who manages that person. Both names, and the manager's mail address, please.",
    ]);
    (handler != c.me).then_some(())?;
    let mut d = boss_steps(c, c.find_ticket(d, row)?, handler)?;
    if let Some(fact) = d.facts.iter_mut().find(|f| f.key == "name") {
        "manager".clone_into(&mut fact.key);
    }
    if let Some(step) = d.steps.last_mut() {
        step.facts.retain(|k| k != "name");
        step.facts.push("manager".to_owned());
    }
    Some(d.fact("handler", Text, c.name(handler)))
}

/// Whose ticket of the persona's has been open longest.
pub(super) fn oldest_open(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = c.mine(I, "emp_id");
    let open = mine.iter().filter(|r| is_open(c, **r));
    let dated = open.filter_map(|r| Some((c.day(I, *r, "assigned_date")?, *r)));
    let (day, row) = least(dated.collect())?;
    let raiser = c.person(I, row, "raised_by_emp_id")?;
    (mine.len() <= 200).then_some(())?;
    let d = Draft::new(&[
        "Which of my open tickets has waited longest? Tell me who raised it, that person's mail address, and since when I have had it.",
        "I want to clear my oldest unresolved ticket first. Who raised it, what is their mail address, and on which day did I get it?",
        "Of the tickets that I still have open, find the oldest: the day I got it, and name and mail address of the colleague who raised it.",
    ])
    .list("list my tickets", I, &[is("emp_id", c.my_id())], &mine)
    .fact("assigned_date", Date, day.to_string())
    .row(I, row)
    .read(c, "read the raiser's record", TableId::Employees, raiser.0);
    Some(reached(c, d, raiser))
}

/// Which of two colleagues handles more tickets of a kind.
pub(super) fn busier(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (helper(c)?, helper(c)?);
    let (a, b) = (handled_by(c, &one), handled_by(c, &two));
    let level = c.pick(&["high", "medium", "low"])?;
    let count = |rows: &[u32]| c.having(I, rows, "priority", level).len();
    let (n, m) = (count(&a), count(&b));
    let more = ahead((&one, n), (&two, m))?.said.clone();
    (one.row != two.row).then_some(())?;
    let d = Draft::new(&[
        "Who has had more tickets of {level} priority, {one} or {two}, and how many have the two had together?",
        "I am looking at the load of {one} and {two}. Which of them got more {level} priority tickets, and how many did the two get in total?",
    ])
    .slot("level", level);
    Some(
        d.compare((&one, &a), (&two, &b), list_of)
            .worked_out("name", Text, more)
            .worked_out("total", Number, n + m),
    )
}

/// The day that a generated resolution names.
fn fixed_on(text: &str) -> Option<Day> {
    let at = text.find(" on 20")?;
    Day::parse(text.get(at + 4..at + 14)?)
}

/// How long a repair took.
pub(super) fn repair_time(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let on = c.day(I, row, "assigned_date")?;
    let fixed = fixed_on(&c.text(I, row, "Resolution"))?;
    let days = i64::from(fixed.0) - i64::from(on.0);
    let d = Draft::new(&[
        "I am looking at {ticket}. On which day was it fixed, and how many days after it was assigned was that?",
        "I am checking how fast we are. Take {ticket}: on which day did we fix it, and how many days had passed since it was assigned?",
        "How long did we take for {ticket}, in days from the day it was assigned, and when was it fixed?",
    ]);
    Some(
        c.find_ticket(d, row)?
            .worked_out("fixed_on", Date, fixed.to_string())
            .worked_out("days", Number, days),
    )
}

/// Writes the resolution of a ticket and tells who raised it.
pub(super) fn resolve_and_tell(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let raiser = c.colleague_in(I, row, "raised_by_emp_id")?;
    (is_open(c, row) && c.may_change(I, row, &["Resolution"])).then_some(())?;
    let fix = c.pick(&[
        "replaced the power supply",
        "reset the account",
        "installed the update",
        "cleared the queue",
        "renewed the certificate",
    ])?;
    let day = c.day_before(0, 3);
    let d = Draft::new(&[
        "I settled {ticket}: I {fix} on {day}. Record exactly that as the resolution and mail the colleague who raised it what I did and when.",
        "Please close {ticket}. As the resolution write that I {fix} on {day}, and tell the person who raised it the same by mail.",
    ])
    .slot("fix", fix)
    .slot("day", &day);
    let text = format!("I {fix} on {day}.");
    let parts = [fix.to_owned(), day];
    let d = c
        .find_ticket(d, row)?
        .change(
            c,
            "write the resolution",
            I,
            row,
            json!({"Resolution": text}),
        )
        .after_all()
        .says("Resolution", &parts);
    Some(d.mail(c, raiser, "your ticket", &parts))
}

/// Raises the priority of a ticket and tells its handler.
pub(super) fn escalate(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let handler = c.colleague_in(I, row, "emp_id")?;
    let new = c.pick(&["low", "medium", "high"])?;
    if c.text(I, row, "priority") == new || !c.may_change(I, row, &["priority"]) {
        return None;
    }
    let d = Draft::new(&[
        "I looked at {ticket}: it needs {new} priority. Please change that and tell the handler by chat, with the ticket number.",
        "{new} is the right priority for {ticket}. Change it for me, then write the handler a chat message that gives the ticket's number.",
    ])
    .slot("new", new);
    let d =
        c.find_ticket(d, row)?
            .change(c, "change the priority", I, row, json!({"priority": new}));
    let id = c.text(I, row, "id");
    Some(d.message(c, handler, "Changed priority", &[id]))
}

/// Hands a ticket to the one of two colleagues who has fewer, and tells that person.
pub(super) fn hand_to_less_busy(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let (one, two) = (helper(c)?, helper(c)?);
    let (a, b) = (handled_by(c, &one), handled_by(c, &two));
    let open = |rows: &[u32]| rows.iter().filter(|r| is_open(c, **r)).count();
    let less = ahead((&one, Reverse(open(&a))), (&two, Reverse(open(&b))))?;
    let mine = c.text(I, row, "raised_by_emp_id") == c.my_id();
    let now = c.text(I, row, "emp_id");
    let theirs = now == one.id || now == two.id;
    if !is_open(c, row) || mine || theirs || !c.may_change(I, row, &["emp_id"]) {
        return None;
    }
    let d = Draft::new(&[
        "{one} or {two} should take over {ticket}. Please make the one who has fewer open tickets its handler.",
        "I have to pass on {ticket}. Assign it to {one} or {two}: the one with fewer unresolved tickets gets it.",
        "Who has fewer open tickets, {one} or {two}? Make that person the handler of {ticket}.",
    ]);
    Some(
        c.find_ticket(d, row)?
            .compare((&one, &a), (&two, &b), list_of)
            .change(c, "assign the ticket", I, row, json!({"emp_id": less.id}))
            .after_all(),
    )
}

/// How the persona's tickets divide by priority, and how many are open.
pub(super) fn my_load(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = c.mine(I, "emp_id");
    let row = c.pick(&mine)?;
    let since = Span::month(c.day(I, row, "assigned_date")?)?;
    let mut rows = mine.clone();
    rows.retain(|r| {
        let day = c.day(I, *r, "assigned_date");
        day.is_some_and(|day| day >= since.first)
    });
    if rows.len() == mine.len() {
        return None;
    }
    let high = c.having(I, &rows, "priority", "high").len();
    let open = rows.iter().filter(|r| is_open(c, **r)).count();
    let d = Draft::new(&[
        "Since the beginning of {month}, how many tickets have I been given, how many of them are still open, and how many have high priority?",
        "I need my figures since the first day of {month}: how many tickets were assigned to me, how many of them have no resolution yet, and how many have high priority.",
    ])
    .slot("month", &since.said)
    .list(
        "list my tickets since then",
        I,
        &[
            is("emp_id", c.my_id()),
            ("assigned_date", "from", since.first.to_string()),
        ],
        &rows,
    )
    .worked_out("tickets", Number, rows.len())
    .worked_out("open", Number, open)
    .worked_out("high_priority", Number, high);
    Some(d.rows(I, &rows))
}

/// A ticket's priority and number, by who raised it.
pub(super) fn ticket_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let d = c.find_ticket(Draft::new(TICKET_OF), row)?;
    Some(d.tell(c, &[("id", Id), ("priority", Id)]))
}

/// Also asked about tickets that do not exist or that the persona may not read.
pub(super) const TICKET_OF: &[&str] = &[
    "What is the number of {ticket}, and which priority does it have?",
    "I need number and priority of {ticket}.",
    "Look up {ticket}, please, and tell me its number and its priority.",
    "I am looking for {ticket}: its number and its priority, please.",
    "Which number does {ticket} have? Please tell me its priority as well.",
];
