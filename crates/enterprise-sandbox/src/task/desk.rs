//! Templates of the helpdesk whose later steps need what earlier ones found: who handles a ticket,
//! who has less to do, how long a repair took, how two months compare.

use super::FactKind::{Date, Id, Number, Text};
use super::draft::{Ctx, Draft};
use super::helpdesk::{handled, may};
use super::naming::{Span, Thing, said_day};
use super::reach::{boss_steps, reached};
use crate::access::Act;
use crate::source::TableId;
use crate::value::Day;
use serde_json::json;

const I: TableId = TableId::Tickets;
const READ: &str = "it_service_management_read_issue";
const UPDATE: &str = "it_service_management_update_issue";

/// Tickets that a person handles, as far as the persona may read them.
fn handled_by(c: &Ctx<'_>, t: &Thing) -> Vec<u32> {
    c.linked(I, "emp_id", t.row)
        .into_iter()
        .filter(|r| c.text(I, *r, "emp_id") == t.id)
        .collect()
}

fn is_open(c: &Ctx<'_>, row: u32) -> bool {
    c.get(I, row, "Resolution").is_null()
}

/// A member of the helpdesk who is active, by name; not the persona.
fn helper(c: &mut Ctx<'_>) -> Option<Thing> {
    let desk = crate::org::Department::InformationTechnology as u32;
    let staff = c.company().index.staff.of(desk).to_vec();
    let row = c.pick(&staff)?;
    let person = crate::row::EmployeeNo(row);
    (person != c.me && c.is_active(person)).then_some(())?;
    c.who(person)
}

/// The step that lists somebody's tickets.
fn list_of(d: Draft, t: &Thing, step: usize, rows: &[u32]) -> Draft {
    d.step(
        format!("list the tickets of {}", t.said),
        READ,
        json!({"emp_id": t.id, "limit": 200}),
    )
    .after(&[step])
    .claim(I, &[("emp_id", "is", t.id.clone())], rows)
}

/// Who handles a ticket, and that person's manager.
pub(super) fn handler_and_manager(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let handler = c.view.employee(&c.text(I, row, "emp_id"))?;
    let name = c.get(TableId::Employees, handler.0, "Name");
    let d = Draft::new(&[
        "Who handles {ticket}, and who is that person's manager? I need both names and the manager's address.",
        "I am asked about {ticket}. Tell me the handler's name, and the name and mail address of the handler's manager.",
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
    Some(d.fact("handler", Text, name))
}

/// Whose ticket of the persona's has been open longest.
pub(super) fn oldest_open(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = handled(c);
    let mut open: Vec<(Day, u32)> = mine
        .iter()
        .filter(|r| is_open(c, **r))
        .filter_map(|r| Some((c.day(I, *r, "assigned_date")?, *r)))
        .collect();
    open.sort();
    let (first, second) = (*open.first()?, *open.get(1)?);
    let raiser = c.view.employee(&c.text(I, first.1, "raised_by_emp_id"))?;
    if first.0 == second.0 || mine.len() > 200 {
        return None;
    }
    let d = Draft::new(&[
        "Which of my open tickets has waited longest? Tell me whose it is, how to reach that person, and since when.",
        "I want to clear my oldest unresolved ticket first. Who raised it, what is their mail address, and on which day did I get it?",
        "Of the tickets I still have open, find the oldest: date, and name and address of the colleague who raised it.",
    ])
    .step("list my tickets", READ, json!({"emp_id": c.my_id(), "limit": 200}))
    .fact("assigned_date", Date, json!(first.0.to_string()))
    .claim(I, &[("emp_id", "is", c.my_id())], &mine)
    .row(I, first.1)
    .read(c, "read the raiser's record", TableId::Employees, raiser.0);
    Some(reached(c, d, raiser))
}

/// Which of two colleagues handles more tickets of a kind.
pub(super) fn busier(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (helper(c)?, helper(c)?);
    let (a, b) = (handled_by(c, &one), handled_by(c, &two));
    let level = *c.s.pick(&["high", "medium", "low"])?;
    let count = |c: &Ctx<'_>, rows: &[u32]| {
        let fits = rows.iter().filter(|r| c.text(I, **r, "priority") == level);
        fits.count()
    };
    let (n, m) = (count(c, &a), count(c, &b));
    if n == m || one.row == two.row {
        return None;
    }
    let more = if n > m {
        one.said.clone()
    } else {
        two.said.clone()
    };
    let d = Draft::new(&[
        "Who has had more tickets of {level} priority, {one} or {two}? Give me the name and both counts added together.",
        "I am looking at the load of {one} and {two}. Which of them got more {level} priority tickets, and how many did the two get in total?",
    ])
    .slot("level", level)
    .find("one", &one)
    .find("two", &two);
    let d = list_of(list_of(d, &one, 0, &a), &two, 1, &b);
    Some(
        d.worked_out("name", Text, json!(more))
            .worked_out("total", Number, json!(n + m)),
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
        "When was {ticket} fixed, and how many days after it was assigned was that?",
        "I am checking our speed. On which day did we fix {ticket}, and how many days had passed since it was assigned?",
    ]);
    Some(
        c.find_ticket(d, row)?
            .worked_out("fixed_on", Date, json!(fixed.to_string()))
            .worked_out("days", Number, json!(days)),
    )
}

/// Writes the resolution of a ticket and tells who raised it.
pub(super) fn resolve_and_tell(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let raiser = c.view.employee(&c.text(I, row, "raised_by_emp_id"))?;
    if !is_open(c, row) || !may(c, Act::Update, row, &["Resolution"]) || !c.is_active(raiser) {
        return None;
    }
    let fix = *c.s.pick(&[
        "replaced the power supply",
        "reset the account",
        "installed the update",
        "cleared the queue",
        "renewed the certificate",
    ])?;
    let days = c.between(0, 3);
    let day = said_day(c.company().clock().plus(-days));
    let d = Draft::new(&[
        "I settled {ticket}: I {fix} on {day}. Record exactly that as the resolution and mail the colleague who raised it what I did and when.",
        "Please close {ticket} with the note that I {fix} on {day}, and let the person who raised it know by mail, in the same words.",
    ])
    .slot("fix", fix)
    .slot("day", &day);
    (raiser != c.me).then_some(())?;
    let text = format!("I {fix} on {day}.");
    let parts = [fix.to_owned(), day];
    let d = c
        .find_ticket(d, row)?
        .last(
            "write the resolution",
            UPDATE,
            json!({"id": c.text(I, row, "id"), "changes": {"Resolution": text}}),
        )
        .says("Resolution", &parts);
    Some(d.mail(c, raiser, "your ticket", &parts))
}

/// Raises the priority of a ticket and tells its handler.
pub(super) fn escalate(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let handler = c.view.employee(&c.text(I, row, "emp_id"))?;
    let now = c.text(I, row, "priority");
    let new = *c.s.pick(&["low", "medium", "high"])?;
    if now == new
        || !may(c, Act::Update, row, &["priority"])
        || handler == c.me
        || !c.is_active(handler)
    {
        return None;
    }
    let id = c.text(I, row, "id");
    let d = Draft::new(&[
        "Set {ticket} to {new} priority and tell its handler by chat, with the ticket number.",
        "I want {ticket} treated with {new} priority. Change it, then send the handler a chat message that gives the ticket's number.",
    ])
    .slot("new", new);
    let d = c.find_ticket(d, row)?.then(
        "change the priority",
        UPDATE,
        json!({"id": id, "changes": {"priority": new}}),
    );
    Some(d.message(c, handler, "Changed priority", &[id]))
}

/// Hands a ticket to the one of two colleagues who has fewer, and tells that person.
pub(super) fn hand_to_less_busy(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let (one, two) = (helper(c)?, helper(c)?);
    let (a, b) = (handled_by(c, &one), handled_by(c, &two));
    let open = |c: &Ctx<'_>, rows: &[u32]| rows.iter().filter(|r| is_open(c, **r)).count();
    let (n, m) = (open(c, &a), open(c, &b));
    let mine = c.text(I, row, "raised_by_emp_id") == c.my_id();
    if !is_open(c, row) || n == m || !may(c, Act::Update, row, &["emp_id"]) || mine {
        return None;
    }
    let less = if n < m { &one } else { &two };
    if c.text(I, row, "emp_id") == one.id || c.text(I, row, "emp_id") == two.id {
        return None;
    }
    let id = c.text(I, row, "id");
    let d = Draft::new(&[
        "Give {ticket} to whichever of {one} and {two} has fewer open tickets.",
        "I have to pass on {ticket}. {one} or {two}: the one with fewer unresolved tickets gets it.",
        "Look at how many open tickets {one} and {two} have, and assign {ticket} to the one with fewer.",
    ]);
    let d = c.find_ticket(d, row)?;
    let before = d.steps.len();
    let d = d.find("one", &one).find("two", &two);
    let d = list_of(list_of(d, &one, before, &a), &two, before + 1, &b);
    Some(d.last(
        "assign the ticket",
        UPDATE,
        json!({"id": id, "changes": {"emp_id": less.id}}),
    ))
}

/// How the persona's tickets divide by priority, and how many are open.
pub(super) fn my_load(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = handled(c);
    let row = c.pick(&mine)?;
    let since = Span::month(c.day(I, row, "assigned_date")?)?;
    let rows: Vec<u32> = mine
        .iter()
        .copied()
        .filter(|r| {
            c.day(I, *r, "assigned_date")
                .is_some_and(|d| d >= since.first)
        })
        .collect();
    if rows.len() == mine.len() {
        return None;
    }
    let high = rows.iter().filter(|r| c.text(I, **r, "priority") == "high");
    let (high, open) = (
        high.count(),
        rows.iter().filter(|r| is_open(c, **r)).count(),
    );
    let me = c.my_id();
    let d = Draft::new(&[
        "Since the beginning of {month}, how many tickets have I been given, how many of them are still open, and how many have high priority?",
        "I need my figures from {month} on: tickets assigned to me, those without a resolution, and those of high priority.",
    ])
    .slot("month", &since.said)
    .step(
        "list my tickets since then",
        READ,
        json!({"emp_id": me, "start_date": since.first.to_string(), "limit": 200}),
    )
    .worked_out("tickets", Number, json!(rows.len()))
    .worked_out("open", Number, json!(open))
    .worked_out("high_priority", Number, json!(high))
    .claim(
        I,
        &[
            ("emp_id", "is", me),
            ("assigned_date", "from", since.first.to_string()),
        ],
        &rows,
    );
    Some(rows.iter().fold(d, |d, r| d.row(I, *r)))
}

/// A ticket's priority and number, by who raised it.
pub(super) fn ticket_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let d = Draft::new(TICKET_OF);
    Some(c.find_ticket(d, row)?.fact("id", Id, c.key(I, row)).fact(
        "priority",
        Id,
        c.get(I, row, "priority"),
    ))
}

/// Also asked about tickets that do not exist or that the persona may not read.
pub(super) const TICKET_OF: &[&str] = &[
    "What is the number of {ticket}, and which priority does it have?",
    "I need number and priority of {ticket}.",
    "Which number and which priority does {ticket} have?",
    "I am looking for {ticket}: its number and its priority, please.",
];
