//! Templates of human resources: changes to the records of others.
//!
//! The persona belongs to HR. What HR staff at level 9 may not change (pay, level, rating, leaving
//! date) is drawn only for personas from level 10, because a draft whose write is refused is
//! dropped by the checks anyway.

use super::draft::{Ctx, Draft};
use super::naming::said_day;
use crate::access::Act;
use crate::org::{Department, level_code};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::{Value, json};

const E: TableId = TableId::Employees;

/// A person whose record the persona may change in this way.
pub(super) fn subject(c: &mut Ctx<'_>, fields: &[&str]) -> Option<EmployeeNo> {
    let person = c.colleague()?;
    c.may_change(E, person.0, fields).then_some(person)
}

/// Finds a person's id by name.
fn look_up(c: &Ctx<'_>, d: Draft, slot: &str, person: EmployeeNo) -> Option<Draft> {
    Some(d.find(slot, &c.who(person)?.goal("find the id of")))
}

/// Looks the person up by name, then writes the changes.
fn change(c: &Ctx<'_>, d: Draft, person: EmployeeNo, changes: Value) -> Option<Draft> {
    let d = look_up(c, d, "name", person)?;
    Some(d.change(c, "change the record", E, person.0, changes))
}

/// A manager in a department, above a level.
fn boss_in(c: &mut Ctx<'_>, department: Department, level: u8) -> Option<EmployeeNo> {
    let boss = c.colleague_of(department)?;
    (c.view.person(boss)?.level > level).then_some(boss)
}

/// Also asked by people who may not change salaries.
pub(super) const SALARY: &[&str] = &[
    "{name} gets a new yearly pay of {salary}; please enter it for me.",
    "I approved a raise: set the salary of {name} to {salary}.",
    "Please change the pay of {name} to {salary} a year for me.",
    "Payroll needs the new figure for {name}: {salary} a year. Please put it into the record.",
    "From this month on {name} earns {salary} a year. Would you update that?",
    "{name}'s salary goes to {salary} a year. Please enter it.",
];

/// Sets a salary.
pub(super) fn salary(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Salary"])?;
    let now = c.get(E, person.0, "Salary").as_i64()?;
    let new = (now + c.between(1, 20) * 500) / 100 * 100;
    if new == now {
        return None;
    }
    let d = Draft::new(SALARY).slot("salary", new.to_string());
    change(c, d, person, json!({"Salary": new}))
}

/// Also asked by people who may not change leave, and about people who do not exist.
pub(super) const LEAVES: &[&str] = &[
    "Update the remaining leaves of {name}: {casual} casual and {sick} sick.",
    "I need {name}'s balances corrected to {casual} casual leaves and {sick} sick leaves remaining.",
    "Please set the remaining leaves of {name} to casual {casual}, sick {sick} for me.",
    "{name} has {casual} casual and {sick} sick leaves left. What we have on file is wrong; please correct it.",
    "Payroll and {name} agree: {casual} casual leaves and {sick} sick leaves remain. Please enter both.",
];

/// What they set.
pub(super) const LEAVES_SET: &[&str] = &["Remaining Casual Leaves", "Remaining Sick Leaves"];

/// Sets remaining leaves.
pub(super) fn leaves(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, LEAVES_SET)?;
    let total =
        |c: &Ctx<'_>, kind: &str| c.get(E, person.0, &format!("Total {kind} Leaves")).as_i64();
    let (casual, sick) = (total(c, "Casual")?, total(c, "Sick")?);
    let (a, b) = (c.between(0, casual), c.between(0, sick));
    if c.get(E, person.0, "Remaining Casual Leaves") == a
        || c.get(E, person.0, "Remaining Sick Leaves") == b
    {
        return None;
    }
    let d = Draft::new(LEAVES)
        .slot("casual", a.to_string())
        .slot("sick", b.to_string());
    let changes = json!({"Remaining Casual Leaves": a, "Remaining Sick Leaves": b});
    change(c, d, person, changes)
}

/// Moves a person to another department.
///
/// Department, level code and manager have to change together. People with reports are left out,
/// because their reports would have to move first.
pub(super) fn transfer(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["category", "Level", "reports_to"])?;
    if c.get(E, person.0, "reportees")
        .as_array()
        .is_some_and(|r| !r.is_empty())
    {
        return None;
    }
    let about = c.view.person(person)?;
    let department = *c.s.pick(&Department::ALL)?;
    if department == about.department {
        return None;
    }
    let boss = boss_in(c, department, about.level)?;
    let code = level_code(department, about.level);
    let d = Draft::new(&[
        "{name} moves to {department} at level {level} and will report to {boss}. Please update the record.",
        "I confirm an internal transfer: {name} goes to {department}, level {level}, manager {boss}. Please record it.",
        "Please transfer {name} to {department} with level {level}, reporting to {boss}, for me.",
    ])
    .slot("department", department.name())
    .slot("level", &code);
    let changes = json!({"category": department.name(), "Level": code, "reports_to": c.id(boss)});
    let d = look_up(c, look_up(c, d, "name", person)?, "boss", boss)?;
    Some(
        d.change(c, "record the transfer", E, person.0, changes)
            .after_all(),
    )
}

/// Also asked by people who may not rate, and about people who do not exist.
pub(super) const RATING: &[&str] = &[
    "After the annual review, set the performance rating of {name} to {rating}.",
    "I finished the review of {name}. The new performance rating is {rating}; please record it.",
    "Please revise {name}'s performance rating to {rating} for me.",
    "{name} and I agreed on a rating of {rating} in the review. Please enter it.",
    "{name}'s rating for the last period is {rating}. Could you put that into the record?",
];

/// Sets a rating.
pub(super) fn rating(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Performance Rating"])?;
    let now = c.get(E, person.0, "Performance Rating").as_i64()?;
    let new = 1 + (now + c.between(0, 3)) % 5;
    if new == now {
        return None;
    }
    let d = Draft::new(RATING).slot("rating", new.to_string());
    change(c, d, person, json!({"Performance Rating": new}))
}

/// Also asked by people who may not change it, and about people who do not exist.
pub(super) const STATUS: &[&str] = &[
    "{name} is {status} now; please correct the personnel file for me.",
    "{name} told me about a change: the marital status is now {status}. Please update it.",
    "Please set {name}'s marital status to {status} for me.",
    "Please enter a new marital status for {name}: {status}.",
    "The marital status that we have for {name} is out of date. It should be {status}; please change it.",
];

/// Sets marital status or age.
pub(super) fn status(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Marital Status"])?;
    let now = c.text(E, person.0, "Marital Status");
    let new = *c.s.pick(&["Married", "Single", "Divorced"])?;
    if new == now {
        return None;
    }
    let d = Draft::new(STATUS).slot("status", new);
    change(c, d, person, json!({"Marital Status": new}))
}

/// Also asked by people who may not do that, and about people who do not exist.
pub(super) const REMOVE: &[&str] = &[
    "{name} has left. Please deactivate the employee record with {date} as leaving date.",
    "I need the record of {name} deactivated; the last day was {date}.",
    "Please remove {name} from the active staff for me, leaving date {date}.",
    "{name} no longer works here. Please deactivate the record; the leaving date is {date}.",
    "{date} was {name}'s last day with us. Please deactivate the record.",
];

/// Deactivates a person.
pub(super) fn remove(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = c.colleague()?;
    c.may(Act::Delete, E, person.0).then_some(())?;
    let date = c.company().clock().plus(-c.s.between(0, 5));
    let d = Draft::new(REMOVE).slot("date", said_day(date));
    let d = look_up(c, d, "name", person)?;
    Some(
        d.delete(c, "deactivate the record", E, person.0)
            .with("DOL", date.to_string()),
    )
}

/// A new colleague: name, department, level, manager, pay.
fn newcomer(c: &mut Ctx<'_>) -> Option<(String, Department, String, EmployeeNo, i64)> {
    let names = crate::synth::phrases::GIVEN.len() * crate::synth::phrases::FAMILY.len();
    let n = u32::try_from(c.s.index(names)).ok()?;
    let order = crate::synth::name_order(c.company().seed, "newcomers");
    let (given, family) = crate::synth::person_name(&order, n);
    let name = format!("{given} {family}");
    if !crate::office::named_people(&c.view, &name).is_empty() {
        return None;
    }
    let department = *c.s.pick(&Department::ALL)?;
    // The new colleague starts at level 9.
    let boss = boss_in(c, department, 9)?;
    let pay = c.between(80, 118) * 500;
    Some((name, department, level_code(department, 9), boss, pay))
}

/// Looks up the future manager by name, then creates the record.
fn hire(c: &mut Ctx<'_>, phrases: &[&'static str]) -> Option<Draft> {
    c.may_create(E, None).then_some(())?;
    let (name, department, code, boss, pay) = newcomer(c)?;
    let d = Draft::new(phrases)
        .slot("new", &name)
        .slot("department", department.name())
        .slot("level", &code)
        .slot("pay", pay.to_string());
    Some(look_up(c, d, "boss", boss)?.then(
        "register the newcomer",
        "employee_data_create",
        json!({"Name": name, "category": department.name(), "Level": code,
               "reports_to": c.id(boss), "Salary": pay}),
    ))
}

/// Registers a newcomer.
pub(super) fn register(c: &mut Ctx<'_>) -> Option<Draft> {
    hire(
        c,
        &[
            "Register a new employee for me: {new}, {department}, level {level}, salary {pay}, reporting to {boss}.",
            "I hired {new} for {department} at level {level} with a salary of {pay}; the manager is {boss}. Please register the record.",
            "Please enter {new} as a new employee of {department}: level {level}, pay {pay}, manager {boss}. I have signed the contract.",
        ],
    )
}

/// Registers a newcomer and tells the persona's manager.
///
/// Four steps over two sources. Who the lead is has to be found in the persona's own record.
pub(super) fn register_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c.my_manager()?;
    let d = hire(
        c,
        &[
            "Register {new} as a new employee ({department}, level {level}, salary {pay}, reporting to {boss}) and send a mail to my lead with the subject \"{subject}\" that names {new}.",
            "I hired {new}: {department}, level {level}, pay {pay}, manager {boss}. Enter the record, then mail my lead, subject \"{subject}\", naming {new}.",
        ],
    )?;
    let new = d.slots.get("new")?.clone();
    let subject = "New colleague registered";
    let parts = [new.clone()];
    Some(
        d.slot("subject", subject)
            .find_my_manager(c, "find my lead")
            .letter(c, lead, subject, "new here", &parts)
            .with("body", format!("{new} is registered.")),
    )
}
