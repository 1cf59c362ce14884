//! Templates of the helpdesk.
//!
//! Requests about tickets come from people of Information Technology. Those at level 10 and above
//! may read and change all tickets, others only what they raised or handle, so the same template
//! gives different candidates to different personas.

use super::FactKind::{List, Number};
use super::draft::{Ctx, Draft};
use super::naming::said_day;
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::{Value, json};

const I: TableId = TableId::Tickets;

/// Tickets that the persona handles.
pub(super) fn handled(c: &Ctx<'_>) -> Vec<u32> {
    c.linked(I, "emp_id", c.me.0)
        .into_iter()
        .filter(|r| c.text(I, *r, "emp_id") == c.my_id())
        .collect()
}

/// Whether the rules allow the persona this act on a ticket.
pub(super) fn may(c: &Ctx<'_>, act: Act, row: u32, fields: &[&str]) -> bool {
    let context = RequestContext {
        fields: fields.iter().map(|f| (*f).to_owned()).collect(),
        ..RequestContext::default()
    };
    let resource = Resource::of(&c.view, I, row);
    let request = AccessRequest {
        principal: c.me,
        act,
        resource,
        context: &context,
    };
    c.access().decide(&c.view, &request).allow
}

/// All tickets of a priority that the persona handles on a day or in a span.
///
/// One step with two filters; the answer is a list.
pub(super) fn tickets_of_day(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = handled(c);
    let row = c.pick(&mine)?;
    let (date, priority) = (c.text(I, row, "assigned_date"), c.text(I, row, "priority"));
    let rows: Vec<u32> = mine
        .iter()
        .copied()
        .filter(|r| c.text(I, *r, "assigned_date") == date && c.text(I, *r, "priority") == priority)
        .collect();
    let ids: Vec<Value> = rows.iter().map(|r| c.key(I, *r)).collect();
    let me = c.my_id();
    let d = Draft::new(&[
        "I am reviewing {date}: which {priority} priority tickets did I get that day? The numbers, please.",
        "Which {priority} priority tickets were assigned to me on {date}? I need the ticket numbers.",
        "Give me the numbers of the {priority} priority tickets that I got on {date}.",
    ])
    .slot("date", said_day(c.day(I, row, "assigned_date")?))
    .slot("priority", &priority)
    .step(
        "read my tickets of that day",
        "it_service_management_read_issue",
        json!({"emp_id": me, "priority": priority, "start_date": date, "end_date": date}),
    )
    .fact("ids", List, Value::Array(ids))
    .claim(
        I,
        &[("emp_id", "is", me), ("assigned_date", "is", date)],
        &rows,
    )
    .row(I, row);
    Some(d)
}

/// The persona's tickets since a day.
///
/// The answer has the ids and their number; both ends of the span are included.
pub(super) fn tickets_between(c: &mut Ctx<'_>) -> Option<Draft> {
    let mine = handled(c);
    let row = c.pick(&mine)?;
    let start = c.text(I, row, "assigned_date");
    let rows: Vec<u32> = mine
        .iter()
        .copied()
        .filter(|r| c.text(I, *r, "assigned_date") >= start)
        .collect();
    if rows.len() == mine.len() {
        return None;
    }
    let ids: Vec<Value> = rows.iter().map(|r| c.key(I, *r)).collect();
    let (me, today) = (c.my_id(), c.company().clock().to_string());
    let d = Draft::new(&[
        "Which tickets have I been given since {start}, that day included? I need the ticket numbers and how many they are.",
        "List the numbers of the tickets assigned to me from {start} until today, and count them.",
    ])
    .slot("start", said_day(c.day(I, row, "assigned_date")?))
    .step(
        "read my tickets of that span",
        "it_service_management_read_issue",
        json!({"emp_id": me, "start_date": start, "end_date": today, "limit": 200}),
    )
    .fact("ids", List, Value::Array(ids))
    .worked_out("count", Number, json!(rows.len()))
    .claim(I, &[("emp_id", "is", me), ("assigned_date", "from", start)], &rows);
    Some(rows.iter().fold(d, |d, r| d.row(I, *r)))
}

/// Tickets that a person raised, if the persona may see them.
///
/// The answer contains only tickets that the persona may read, so it depends on who asks.
pub(super) fn tickets_raised(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let by = c.view.employee(&c.text(I, row, "raised_by_emp_id"))?;
    let id = c.id(by);
    let rows: Vec<u32> = c
        .linked(I, "raised_by_emp_id", by.0)
        .into_iter()
        .filter(|r| c.text(I, *r, "raised_by_emp_id") == id)
        .collect();
    let ids: Vec<Value> = rows.iter().map(|r| c.key(I, *r)).collect();
    let d = Draft::new(&[
        "Which tickets has {person} raised, as far as I can see? I need the ticket numbers.",
        "Give me the numbers of all tickets that came from {person}.",
    ])
    .find("person", &c.who(by)?)
    .then(
        "read that person's tickets",
        "it_service_management_read_issue",
        json!({"raised_by_emp_id": id, "limit": 200}),
    )
    .fact("ids", List, Value::Array(ids))
    .claim(I, &[("raised_by_emp_id", "is", id)], &rows)
    .row(I, row);
    Some(d)
}

/// Raises a ticket.
///
/// The text is free but has to name the trouble and the day.
pub(super) fn raise(c: &mut Ctx<'_>) -> Option<Draft> {
    let trouble = c.word("trouble");
    let priority = *c.s.pick(&["low", "medium", "high"])?;
    let days = c.between(1, 9);
    let day = said_day(c.company().clock().plus(-days));
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
    "Please give {ticket} {priority} priority.",
    "I looked at {ticket}: its priority should be {priority}. Please change it.",
    "Set {ticket} to {priority} priority for me.",
    "{priority} priority is right for {ticket}. Please correct it.",
    "Could you change the priority of {ticket} to {priority}?",
];

/// Changes the priority of a ticket.
pub(super) fn reprioritise(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let new = *c.s.pick(&["low", "medium", "high"])?;
    if !may(c, Act::Update, row, &["priority"]) || c.text(I, row, "priority") == new {
        return None;
    }
    let id = c.text(I, row, "id");
    let d = c.find_ticket(Draft::new(PRIORITY).slot("priority", new), row)?;
    Some(d.then(
        "change the priority",
        "it_service_management_update_issue",
        json!({"id": id, "changes": {"priority": new}}),
    ))
}

/// Deletes a ticket.
pub(super) fn delete(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    if !may(c, Act::Delete, row, &[]) {
        return None;
    }
    let id = c.text(I, row, "id");
    let d = Draft::new(&[
        "We settled {ticket} by phone. Please delete it.",
        "Remove {ticket} from the helpdesk for me; it was opened by mistake.",
    ]);
    Some(c.find_ticket(d, row)?.then(
        "delete the ticket",
        "it_service_management_delete_issue",
        json!({"id": id}),
    ))
}

/// Hands a ticket to a colleague.
///
/// To an active member of the helpdesk who is neither the persona nor the present handler.
pub(super) fn reassign(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(I)?;
    let desk = c
        .company()
        .index
        .staff
        .of(crate::org::Department::InformationTechnology as u32)
        .to_vec();
    let to = EmployeeNo(c.pick(&desk)?);
    let active = c.view.person(to).is_some_and(|p| p.active);
    let now = c.text(I, row, "emp_id");
    if !may(c, Act::Update, row, &["emp_id"])
        || !active
        || !c.sole_name(to)
        || c.id(to) == now
        || to == c.me
    {
        return None;
    }
    let (id, to_id) = (c.text(I, row, "id"), c.id(to));
    let d = Draft::new(&[
        "Hand {ticket} over to {name}.",
        "I cannot look after {ticket} this week; assign it to {name}.",
        "Please make {name} the handler of {ticket} for me.",
    ]);
    let d = c
        .find_ticket(d, row)?
        .find("name", &c.who(to)?)
        .last(
            "assign the ticket",
            "it_service_management_update_issue",
            json!({"id": id, "changes": {"emp_id": to_id}}),
        )
        .row(I, row);
    Some(d)
}
