//! Templates of the helpdesk.

use super::FactKind::{Date, Id, List, Number, Text};
use super::common::{boss_steps, reached};
use super::draft::{Ctx, Draft, ahead, is, least};
use super::draft::{Span, Thing, said_day};
use crate::access::Act;
use crate::data::org::Department;
use crate::data::tables::TableId;
use crate::data::value::Day;
use serde_json::json;
use std::cmp::Reverse;

// ---------------------------------------------------------------- helpdesk
//
// Templates of the helpdesk.
//
// Requests about tickets come from people of Information Technology. Those at level 10 and above
// may read and change all tickets, others only what they raised or handle, so the same template
// gives different candidates to different personas.

const I: TableId = TableId::Tickets;

/// Names a ticket by its number in half of the cases, else by who raised it. A ticket that the persona may
/// not read has no other name than its number, so a number alone must not give the refusal away.
fn find(c: &mut Ctx<'_>, d: Draft, row: u32) -> Option<Draft> {
    if c.s.chance(0.5) {
        let number = c.text(I, row, "id");
        return Some(
            c.numbered_ticket(d, row)
                .claim(I, &[is("id", number)], &[row]),
        );
    }
    c.find_ticket(d, row)
}

/// All tickets of a priority that the persona handles on a day or in a span.
///
/// One step with two filters; the answer is a list.
pub(super) fn tickets_of_day(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = c.mine(I, "emp_id");
    let row = c.pick(&mine)?;
    let (date, priority) = (c.text(I, row, "assigned_date"), c.text(I, row, "priority"));
    let mut rows = c.having(I, &mine, "assigned_date", &date);
    rows.retain(|r| c.text(I, *r, "priority") == priority);
    let d = Draft::new("helpdesk.tickets_of_day")
        .slot("date", said_day(c.day(I, row, "assigned_date")?))
        .slot("priority", &priority)
        .seek(
            "read my tickets of that day",
            I,
            &[is("emp_id", c.my_id()), is("assigned_date", date)],
            &rows,
        )
        .with("priority", priority)
        .fact("ids", List, c.values(I, &rows, "id"))
        .row(I, row);
    Some(d)
}

/// The persona's tickets since a day.
///
/// The answer has the ids and their number; both ends of the span are included.
pub(super) fn tickets_between(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = c.mine(I, "emp_id");
    let row = c.pick(&mine)?;
    let start = c.text(I, row, "assigned_date");
    let mut rows = mine.clone();
    rows.retain(|r| c.text(I, *r, "assigned_date") >= start);
    if rows.len() == mine.len() {
        return None;
    }
    let d = Draft::new("helpdesk.tickets_between")
        .slot("start", said_day(c.day(I, row, "assigned_date")?))
        .list(
            "read my tickets of that span",
            I,
            &[is("emp_id", c.my_id()), ("assigned_date", "from", start)],
            &rows,
        )
        .with("end_date", c.company().clock().to_string())
        .fact("ids", List, c.values(I, &rows, "id"))
        .worked_out("count", Number, rows.len());
    Some(d.rows(I, &rows))
}

/// Tickets that a person raised, if the persona may see them.
///
/// The answer contains only tickets that the persona may read, so it depends on who asks.
pub(super) fn tickets_raised(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let by = c.linked_to(I, row, "raised_by_emp_id")?;
    let rows = c.linked(I, "raised_by_emp_id", by.row);
    let d = Draft::new("helpdesk.tickets_raised")
        .find("person", &by)
        .list(
            "read that person's tickets",
            I,
            &[is("raised_by_emp_id", &by.id)],
            &rows,
        )
        .fact("ids", List, c.values(I, &rows, "id"))
        .row(I, row);
    Some(d)
}

/// Raises a ticket.
///
/// The text is free but has to name the trouble and the day.
pub(super) fn raise(c: &mut Ctx<'_>) -> Option<Draft> {
    let trouble = c.word("trouble");
    let priority = c.pick(&["low", "medium", "high"])?;
    let day = c.day_before(1, 9);
    let text = format!("{trouble} since {day}. Please help.");
    let d = Draft::new("helpdesk.raise")
        .slot("priority", priority)
        .slot("trouble", &trouble)
        .slot("day", &day)
        .step(
            "raise the ticket",
            "it_service_management_create_issue",
            json!({"Issue": text, "priority": priority}),
        )
        .says("Issue", &[trouble, day]);
    Some(d)
}

/// Changes the priority of a ticket.
pub(super) fn reprioritise(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let new = c.pick(&["low", "medium", "high"])?;
    if !c.may_change(I, row, &["priority"]) || c.text(I, row, "priority") == new {
        return None;
    }
    let d = find(
        c,
        Draft::new("helpdesk.priority").slot("priority", new),
        row,
    )?;
    Some(d.change(c, "change the priority", I, row, json!({"priority": new})))
}

/// Deletes a ticket.
pub(super) fn delete(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    c.may(Act::Delete, I, row).then_some(())?;
    let d = Draft::new("helpdesk.delete");
    Some(find(c, d, row)?.delete(c, "delete the ticket", I, row))
}

/// Hands a ticket to a colleague.
///
/// To an active member of the helpdesk who is neither the persona nor the present handler.
pub(super) fn reassign(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let to = c.colleague_of(Department::InformationTechnology)?;
    if !c.may_change(I, row, &["emp_id"]) || c.id(to) == c.text(I, row, "emp_id") {
        return None;
    }
    let d = Draft::new("helpdesk.reassign");
    Some(
        find(c, d, row)?
            .find("name", &c.who(to)?)
            .change(c, "assign the ticket", I, row, json!({"emp_id": c.id(to)}))
            .after_all()
            .row(I, row),
    )
}

// ---------------------------------------------------------------- desk
//
// Templates of the helpdesk whose later steps need what earlier ones found: who handles a ticket,
// who has less to do, how long a repair took, how two months compare.

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
    let d = Draft::new("desk.handler_and_manager");
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
    let d = Draft::new("desk.oldest_open")
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
    let d = Draft::new("desk.busier").slot("level", level);
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
    let d = Draft::new("desk.repair_time");
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
    let d = Draft::new("desk.resolve_and_tell")
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
    let d = Draft::new("desk.escalate").slot("new", new);
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
    let d = Draft::new("desk.hand_to_less_busy");
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
    let d = Draft::new("desk.my_load")
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
    let d = c.find_ticket(Draft::new("desk.ticket_of"), row)?;
    Some(d.tell(c, &[("id", Id), ("priority", Id)]))
}
