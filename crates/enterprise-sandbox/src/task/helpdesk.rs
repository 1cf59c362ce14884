//! Templates of the helpdesk.
//!
//! Requests about tickets come from people of Information Technology. Those at level 10 and above
//! may read and change all tickets, others only what they raised or handle, so the same template
//! gives different candidates to different personas.

use super::FactKind::{List, Number};
use super::draft::{Ctx, Draft, is};
use super::naming::said_day;
use crate::access::Act;
use crate::org::Department;
use crate::source::TableId;
use serde_json::json;

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
    let d = Draft::new(&[
        "I am reviewing {date}: which {priority} priority tickets did I get that day? The numbers, please.",
        "Which {priority} priority tickets were assigned to me on {date}? I need the ticket numbers.",
        "Give me the numbers of the {priority} priority tickets that I got on {date}.",
    ])
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
    let d = Draft::new(&[
        "Which tickets have I been given since {start}, that day included? I need the ticket numbers and how many they are.",
        "List the numbers of the tickets assigned to me from {start} until today, and count them.",
    ])
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
    let d = Draft::new(&[
        "Which tickets has {person} raised, as far as I am allowed to see them? I need the ticket numbers.",
        "Give me the numbers of all tickets raised by {person} that I am allowed to see.",
    ])
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
    let d = Draft::new(&[
        "Create a ticket with {priority} priority for me: {trouble} since {day}.",
        "I have a problem: {trouble} since {day}. Raise a {priority} priority ticket.",
        "Please open a helpdesk ticket in my name, priority {priority}. It must say: {trouble}, since {day}.",
    ])
    .slot("priority", priority)
    .slot("trouble", &trouble)
    .slot("day", &day)
    .step("raise the ticket", "it_service_management_create_issue", json!({"Issue": text, "priority": priority}))
    .says("Issue", &[trouble, day]);
    Some(d)
}

/// Also asked by people who have nothing to do with the ticket.
pub(super) const PRIORITY: &[&str] = &[
    "Please change {ticket}: it should have {priority} priority.",
    "I looked at {ticket}: its priority should be {priority}. Please change it.",
    "The right priority for {ticket} is {priority}. Set it for me, please.",
    "{priority} priority is right for {ticket}. Please correct it.",
    "I would like {priority} as the priority of {ticket}. Could you change that?",
    "Can you set {ticket} to {priority} priority?",
];

/// Changes the priority of a ticket.
pub(super) fn reprioritise(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let new = c.pick(&["low", "medium", "high"])?;
    if !c.may_change(I, row, &["priority"]) || c.text(I, row, "priority") == new {
        return None;
    }
    let d = find(c, Draft::new(PRIORITY).slot("priority", new), row)?;
    Some(d.change(c, "change the priority", I, row, json!({"priority": new})))
}

/// Deletes a ticket.
pub(super) fn delete(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    c.may(Act::Delete, I, row).then_some(())?;
    let d = Draft::new(&[
        "Please delete {ticket}; we settled it by phone.",
        "{ticket} was a mistake. Please delete it.",
    ]);
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
    let d = Draft::new(&[
        "{name} takes over {ticket}. Please make them its handler.",
        "This week I cannot look after {ticket}. Assign it to {name}.",
        "Please make {name} the handler of {ticket}.",
    ]);
    Some(
        find(c, d, row)?
            .find("name", &c.who(to)?)
            .change(c, "assign the ticket", I, row, json!({"emp_id": c.id(to)}))
            .after_all()
            .row(I, row),
    )
}
