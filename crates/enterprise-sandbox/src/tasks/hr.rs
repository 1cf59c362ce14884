//! Templates of human resources: the own record, fields of one record, records of others.

use super::FactKind::{Date, Id, List, Number, Text};
use super::common::look_up_rule;
use super::draft::{Asks, Ctx, Draft, ahead, is, least, most};
use super::draft::{Thing, said_day};
use crate::access::Act;
use crate::data::org::{Department, level_code};
use crate::data::row::EmployeeNo;
use crate::data::tables::TableId;
use serde_json::{Value, json};

// ---------------------------------------------------------------- own
//
// Questions about fields of one record, and templates about the persona's own record: balances of leave,
// manager, rating, work history.
//
// These are the simplest tasks: one read of one record, by its name or of the persona's own. Of the
// persona's own record the requested fields are named, because the default view leaves out restricted
// ones. They are frequent in the published goals; here each has half the weight of most other templates.
//
// Questions about texts (a certificate, years of experience) are answered from generated profiles,
// whose wording is known.

const E: TableId = TableId::Employees;

/// A question about one record: wordings, and the fields that are asked for, each under its own name.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The table and the slot of the record's name; the persona's own record if there is none.
    named: Option<(TableId, &'static str)>,
    wording: &'static str,
    facts: Asks<'static>,
    /// Further fields that are read.
    beside: &'static [&'static str],
}

impl Question {
    pub(super) const fn beside(mut self, fields: &'static [&'static str]) -> Self {
        self.beside = fields;
        self
    }

    /// The draft of the question. Its checks fail if one of the fields is null, for instance the manager
    /// of a head of department.
    pub(super) fn draft(&self, c: &mut Ctx<'_>) -> Option<Draft> {
        let d = Draft::new(self.wording);
        let d = match self.named {
            Some((source, slot)) => d.find(slot, &c.some(source)?),
            None => {
                let asked = self.facts.iter().map(|(field, _)| *field);
                let fields: Vec<&str> = asked.chain(self.beside.iter().copied()).collect();
                read_own(c, d, &fields)
            }
        };
        Some(d.tell(c, self.facts))
    }
}

/// A question about the persona's own record.
pub(super) const fn own(wording: &'static str, facts: Asks<'static>) -> Question {
    Question {
        named: None,
        wording,
        facts,
        beside: &[],
    }
}

/// A question about a record that the request names.
pub(super) const fn about(
    source: TableId,
    slot: &'static str,
    wording: &'static str,
    facts: Asks<'static>,
) -> Question {
    Question {
        named: Some((source, slot)),
        ..own(wording, facts)
    }
}

/// The step that reads the persona's record with these fields.
fn read_own(c: &Ctx<'_>, d: Draft, fields: &[&str]) -> Draft {
    d.read_mine(c, "read my own record", fields)
        .claim(E, &[is("emp_id", c.my_id())], &[c.me.0])
}

/// What the persona's work history says.
fn history(c: &Ctx<'_>) -> String {
    c.text(E, c.me.0, "Experience")
}

/// The step that reads the persona's work history, and since when they are here.
fn read_history(c: &Ctx<'_>, wording: &str) -> Draft {
    read_own(c, Draft::new(wording), &["Experience", "DOJ", "DOL"])
}

/// The programmes that generated work histories name.
const PROGRAMMES: [&str; 4] = [
    "Succession Planning",
    "Leadership Development",
    "Talent Management",
    "Workforce Planning",
];

/// The programmes in which the persona took part, at least one.
fn programmes_of(c: &Ctx<'_>) -> Option<Vec<&'static str>> {
    let text = history(c);
    let mut found = PROGRAMMES.to_vec();
    found.retain(|p| text.contains(&format!("{p} programme")));
    (!found.is_empty()).then_some(found)
}

/// The number of years of experience in the persona's work history.
fn years_of(c: &Ctx<'_>) -> Option<i64> {
    let text = history(c);
    let (before, _) = text.split_once(" years of experience")?;
    let digits = before
        .trim_end_matches(|ch: char| ch.is_ascii_digit())
        .len();
    before.get(digits..)?.parse().ok()
}

/// The programmes in which the persona took part, and since when they are here.
pub(super) fn programmes(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_history(c, "own.programmes");
    let d = d.worked_out("programmes", List, programmes_of(c)?);
    Some(d.tell(c, &[("DOJ", Date)]))
}

/// Years of experience in the profile, and since when the persona is here.
pub(super) fn years(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_history(c, "own.years");
    let d = d.worked_out("years", Number, years_of(c)?);
    Some(d.tell(c, &[("DOJ", Date)]))
}

/// The certificate in the persona's work history.
pub(super) fn certified(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = history(c);
    let known = [
        "Certified Career Coach",
        "Hogan Assessor",
        "Certified Project Manager",
    ];
    let one = known.into_iter().find(|k| text.contains(k))?;
    let d = read_history(c, "own.certified");
    Some(
        d.worked_out("certificate", Text, one)
            .worked_out("years", Number, years_of(c)?),
    )
}

/// The years of experience and the programme in the persona's work history.
pub(super) fn leadership(c: &mut Ctx<'_>) -> Option<Draft> {
    let named = *programmes_of(c)?.first()?;
    let d = read_history(c, "own.leadership");
    Some(
        d.worked_out("years", Number, years_of(c)?)
            .worked_out("programme", Text, named),
    )
}

/// The skills that the persona shares with a colleague.
pub(super) fn shared_skills(c: &mut Ctx<'_>) -> Option<Draft> {
    let who = c.somebody()?;
    let skills = |row: u32| c.get(E, row, "skills").as_array().cloned();
    let mut both = skills(c.me.0).unwrap_or_default();
    let theirs = skills(who.row).unwrap_or_default();
    both.retain(|skill| theirs.contains(skill));
    (!both.is_empty()).then_some(())?;
    let d = Draft::new("own.shared_skills")
        .read_mine(c, "read my own record", &["skills"])
        .find("name", &who);
    Some(d.worked_out("skills", List, both))
}

/// How the persona is recorded, and since when they are here.
pub(super) fn active(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new("own.active");
    Some(
        read_own(c, d, &["is_valid", "DOL", "DOJ"])
            .worked_out("status", Id, "Active")
            .tell(c, &[("DOJ", Date)]),
    )
}

// ---------------------------------------------------------------- people
//
// Templates of human resources: changes to the records of others.
//
// The persona belongs to HR. What HR staff at level 9 may not change (pay, level, rating, leaving
// date) is drawn only for personas from level 10, because a draft whose write is refused is
// dropped by the checks anyway.

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

/// Sets a salary.
pub(super) fn salary(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Salary"])?;
    let now = c.get(E, person.0, "Salary").as_i64()?;
    let new = (now + c.between(1, 20) * 500) / 100 * 100;
    if new == now {
        return None;
    }
    let d = Draft::new("people.salary").slot("salary", new.to_string());
    change(c, d, person, json!({"Salary": new}))
}

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
    let d = Draft::new("people.leaves")
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
    let d = Draft::new("people.transfer")
        .slot("department", department.name())
        .slot("level", &code);
    let changes = json!({"category": department.name(), "Level": code, "reports_to": c.id(boss)});
    let d = look_up(c, look_up(c, d, "name", person)?, "boss", boss)?;
    Some(
        d.change(c, "record the transfer", E, person.0, changes)
            .after_all(),
    )
}

/// Sets a rating.
pub(super) fn rating(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Performance Rating"])?;
    let now = c.get(E, person.0, "Performance Rating").as_i64()?;
    let new = 1 + (now + c.between(0, 3)) % 5;
    if new == now {
        return None;
    }
    let d = Draft::new("people.rating").slot("rating", new.to_string());
    change(c, d, person, json!({"Performance Rating": new}))
}

/// Sets marital status or age.
pub(super) fn status(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Marital Status"])?;
    let now = c.text(E, person.0, "Marital Status");
    let new = *c.s.pick(&["Married", "Single", "Divorced"])?;
    if new == now {
        return None;
    }
    let d = Draft::new("people.status").slot("status", new);
    change(c, d, person, json!({"Marital Status": new}))
}

/// Deactivates a person.
pub(super) fn remove(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = c.colleague()?;
    c.may(Act::Delete, E, person.0).then_some(())?;
    let date = c.company().clock().plus(-c.s.between(0, 5));
    let d = Draft::new("people.remove").slot("date", said_day(date));
    let d = look_up(c, d, "name", person)?;
    Some(
        d.delete(c, "deactivate the record", E, person.0)
            .with("DOL", date.to_string()),
    )
}

/// A new colleague: name, department, level, manager, pay.
fn newcomer(c: &mut Ctx<'_>) -> Option<(String, Department, String, EmployeeNo, i64)> {
    let names =
        crate::data::synth::phrases::GIVEN.len() * crate::data::synth::phrases::FAMILY.len();
    let n = u32::try_from(c.s.index(names)).ok()?;
    let order = crate::data::synth::name_order(c.company().seed, "newcomers");
    let (given, family) = crate::data::synth::person_name(&order, n);
    let name = format!("{given} {family}");
    if !crate::tools::office::named_people(&c.view, &name).is_empty() {
        return None;
    }
    let department = *c.s.pick(&Department::ALL)?;
    // The new colleague starts at level 9.
    let boss = boss_in(c, department, 9)?;
    let pay = c.between(80, 118) * 500;
    Some((name, department, level_code(department, 9), boss, pay))
}

/// Looks up the future manager by name, then creates the record.
fn hire(c: &mut Ctx<'_>, wording: &str) -> Option<Draft> {
    c.may_create(E, None).then_some(())?;
    let (name, department, code, boss, pay) = newcomer(c)?;
    let d = Draft::new(wording)
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
    hire(c, "people.register")
}

/// Registers a newcomer and tells the persona's manager.
///
/// Four steps over two sources. Who the lead is has to be found in the persona's own record.
pub(super) fn register_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c.my_manager()?;
    let d = hire(c, "people.register_and_mail")?;
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

// ---------------------------------------------------------------- staff
//
// Templates of human resources whose later steps need what earlier ones found: pay and leave of a
// team, a balance after a request, vacation that lapses under the policy.

fn number(c: &Ctx<'_>, person: EmployeeNo, field: &str) -> Option<i64> {
    c.get(E, person.0, field).as_i64()
}

/// Finds a manager and reads a field of everybody in the team.
fn read_team(c: &Ctx<'_>, d: Draft, boss: &Thing, team: &[EmployeeNo], field: &str) -> Draft {
    let d = d.find("boss", boss);
    let d = team.iter().fold(d, |d, p| {
        d.read_person(c, "read a team member's record", *p, &["Name", field])
            .after(&[0])
    });
    c.team_claim(d, boss.person(), team)
}

/// A manager, the team, and a number in the record of each.
type Numbers = (Thing, Vec<EmployeeNo>, Vec<(i64, EmployeeNo)>);

fn team_with(c: &mut Ctx<'_>, high: usize, field: &str) -> Option<Numbers> {
    let (boss, team) = c.team_lead(2, high)?;
    let numbered = team.iter().map(|p| Some((number(c, *p, field)?, *p)));
    let numbers = numbered.collect::<Option<_>>()?;
    Some((boss, team, numbers))
}

/// How much more one person earns than another.
pub(super) fn pay_gap(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (c.somebody()?, c.somebody()?);
    let pay = |who: &Thing| number(c, who.person(), "Salary");
    let (a, b) = (pay(&one)?, pay(&two)?);
    let more = ahead((&one, a), (&two, b))?.said.clone();
    let fields = ["Name", "Salary"];
    let d = Draft::new("staff.pay_gap")
        .find("one", &one.showing(&fields))
        .find("two", &two.showing(&fields));
    Some(
        d.worked_out("name", Text, more)
            .worked_out("difference", Number, (a - b).abs()),
    )
}

/// The vacation that a team has left.
pub(super) fn team_vacation(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "Remaining Vacation Leaves";
    let (boss, team, left) = team_with(c, 5, field)?;
    let total: i64 = left.iter().map(|(days, _)| days).sum();
    let (_, best) = most(left)?;
    let d = Draft::new("staff.team_vacation");
    Some(
        read_team(c, d, &boss, &team, field)
            .worked_out("days", Number, total)
            .fact("name", Text, c.name(best)),
    )
}

/// The best rated person of a team.
pub(super) fn best_rated(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "Performance Rating";
    let (boss, team, rated) = team_with(c, 6, field)?;
    let (rating, best) = most(rated)?;
    let d = Draft::new("staff.best_rated");
    Some(
        read_team(c, d, &boss, &team, field)
            .fact("name", Text, c.name(best))
            .fact("rating", Number, rating),
    )
}

/// Vacation that lapses at the end of the year.
pub(super) fn lapsing_vacation(c: &mut Ctx<'_>) -> Option<Draft> {
    let who = c.somebody()?;
    let field = "Remaining Vacation Leaves";
    let left = number(c, who.person(), field)?;
    let d = Draft::new("staff.lapsing_vacation")
        .find("name", &who.showing(&["Name", field]))
        .fact("left", Number, left);
    let (d, most) = look_up_rule(c, d, " days of vacation may be carried", 0)?;
    (left > most).then_some(())?;
    Some(d.worked_out("lapse", Number, left - most))
}

/// Takes days off a balance and confirms what is left.
pub(super) fn book_leave(c: &mut Ctx<'_>) -> Option<Draft> {
    let (kind, field) = c.pick(&[
        ("casual", "Remaining Casual Leaves"),
        ("sick", "Remaining Sick Leaves"),
        ("vacation", "Remaining Vacation Leaves"),
    ])?;
    let person = subject(c, &[field])?;
    let who = c.who(person)?;
    let left = number(c, person, field)?;
    let days = c.between(1, 3);
    if left < days {
        return None;
    }
    let d = Draft::new("staff.book_leave")
        .slot(
            "days",
            if days == 1 {
                "one day".to_owned()
            } else {
                format!("{days} days")
            },
        )
        .slot("kind", kind)
        .find("name", &who.clone().showing(&["Name", field]))
        .change(
            c,
            "write the new balance",
            E,
            person.0,
            json!({field: left - days}),
        );
    Some(d.mail(c, person, "days that remain", &[(left - days).to_string()]))
}

/// Raises the lowest pay of a team.
pub(super) fn raise_lowest(c: &mut Ctx<'_>) -> Option<Draft> {
    let (boss, team, paid) = team_with(c, 4, "Salary")?;
    let (pay, lowest) = least(paid)?;
    let more = c.between(2, 20) * 100;
    let d = Draft::new("staff.raise_lowest").slot("more", more.to_string());
    let d = read_team(c, d, &boss, &team, "Salary");
    let changes = json!({"Salary": pay + more});
    Some(
        d.change(c, "enter the new pay", E, lowest.0, changes)
            .after_all(),
    )
}

/// Brings one person's pay up to another's.
pub(super) fn match_pay(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Salary"])?;
    let (low, high) = (c.who(person)?, c.somebody()?);
    let (a, b) = (
        number(c, person, "Salary")?,
        number(c, high.person(), "Salary")?,
    );
    (a < b).then_some(())?;
    let d = Draft::new("staff.match_pay")
        .find("high", &high.showing(&["Name", "Salary"]))
        .find("low", &low)
        .change(c, "enter the pay", E, low.row, json!({"Salary": b}))
        .after_all();
    Some(d)
}

/// Which of two people has left; the other still has the valid flag.
pub(super) fn still_valid(c: &mut Ctx<'_>) -> Option<Draft> {
    let here = c.somebody()?;
    let gone = EmployeeNo(c.row(E));
    if c.get(E, gone.0, "is_valid") != json!(false) {
        return None;
    }
    let gone = c.who(gone)?;
    let (one, two) = if c.coin {
        (&here, &gone)
    } else {
        (&gone, &here)
    };
    let d = Draft::new("staff.still_valid")
        .find("one", one)
        .find("two", two);
    Some(d.fact("name", Text, here.said.as_str()))
}
