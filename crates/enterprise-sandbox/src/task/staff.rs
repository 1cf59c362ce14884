//! Templates of human resources whose later steps need what earlier ones found: pay and leave of a
//! team, a balance after a request, vacation that lapses under the policy.

use super::FactKind::{Number, Text};
use super::draft::{Ctx, Draft, ahead, least, most};
use super::naming::Thing;
use super::people::subject;
use super::rules::look_up_rule;
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::json;

const E: TableId = TableId::Employees;

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

/// Also asked by people who may not know.
pub(super) const PAY_GAP: &[&str] = &[
    "Who earns more, {one} or {two}, and how much more a year?",
    "I am preparing the pay round. Which of {one} and {two} has the higher salary, and what is the difference?",
    "Compare the yearly pay of {one} and {two} for me: who is ahead, and by what amount?",
    "What is the difference between {one}'s and {two}'s yearly salary, and which of the two earns more?",
    "Tell me which of {one} and {two} has the higher yearly pay, and how large the gap is.",
];

/// How much more one person earns than another.
pub(super) fn pay_gap(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (c.somebody()?, c.somebody()?);
    let pay = |who: &Thing| number(c, who.person(), "Salary");
    let (a, b) = (pay(&one)?, pay(&two)?);
    let more = ahead((&one, a), (&two, b))?.said.clone();
    let fields = ["Name", "Salary"];
    let d = Draft::new(PAY_GAP)
        .find("one", &one.showing(&fields))
        .find("two", &two.showing(&fields));
    Some(
        d.worked_out("name", Text, more)
            .worked_out("difference", Number, (a - b).abs()),
    )
}

/// Also asked by people who may not know.
pub(super) const TEAM_VACATION: &[&str] = &[
    "How many days of vacation do the people reporting to {boss} have left altogether, and who of them has most?",
    "I am planning the summer for {boss}'s team: total of their remaining vacation days, and the name of the person with the most, please.",
    "Add up the vacation days that {boss}'s direct reports have left. Who of them has the most?",
    "How much vacation is still open in {boss}'s team, in days, and whose balance is the largest?",
];

/// The vacation that a team has left.
pub(super) fn team_vacation(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "Remaining Vacation Leaves";
    let (boss, team, left) = team_with(c, 5, field)?;
    let total: i64 = left.iter().map(|(days, _)| days).sum();
    let (_, best) = most(left)?;
    let d = Draft::new(TEAM_VACATION);
    Some(
        read_team(c, d, &boss, &team, field)
            .worked_out("days", Number, total)
            .fact("name", Text, c.name(best)),
    )
}

/// Also asked by people who may not know.
pub(super) const BEST_RATED: &[&str] = &[
    "Who in {boss}'s team got the best performance rating, and what is that rating?",
    "I need a candidate for the talent programme out of {boss}'s direct reports: the one with the highest rating. Name and rating?",
    "Which of the people who report to {boss} has the highest performance rating, and how high is it?",
    "Name the best rated person among {boss}'s direct reports for me, with the rating.",
];

/// The best rated person of a team.
pub(super) fn best_rated(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "Performance Rating";
    let (boss, team, rated) = team_with(c, 6, field)?;
    let (rating, best) = most(rated)?;
    let d = Draft::new(BEST_RATED);
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
    let d = Draft::new(&[
        "If {name} takes no more vacation this year, how many days lapse under our carry-over rule? Tell me the days left as well.",
        "How many vacation days does {name} have left, and how many of them are over what our policy lets people carry into next year? I have to send a reminder.",
        "I want to warn {name} about lost vacation: how many days are left, and how many would lapse at the end of the year under our carry-over rule?",
        "{name} asks about their vacation. How many days remain, and how many of these cannot be taken into next year under our policy?",
    ])
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
    let d = Draft::new(&[
        "{name} took {days} of {kind} leave. Please deduct that from what is left and mail them the new balance as a number.",
        "Please book {days} of {kind} leave for {name}: lower the remaining balance, and send them a mail that states how many days remain.",
    ])
    .slot("days", if days == 1 { "one day".to_owned() } else { format!("{days} days") })
    .slot("kind", kind)
    .find("name", &who.clone().showing(&["Name", field]))
    .change(c, "write the new balance", E, person.0, json!({field: left - days}));
    Some(d.mail(c, person, "days that remain", &[(left - days).to_string()]))
}

/// Raises the lowest pay of a team.
pub(super) fn raise_lowest(c: &mut Ctx<'_>) -> Option<Draft> {
    let (boss, team, paid) = team_with(c, 4, "Salary")?;
    let (pay, lowest) = least(paid)?;
    let more = c.between(2, 20) * 100;
    let d = Draft::new(&[
        "The person who earns least among {boss}'s direct reports gets {more} more a year. Please find out who that is and enter the new salary.",
        "I approved a raise of {more} a year for the lowest paid person in {boss}'s team. Please work out the new pay and record it.",
    ])
    .slot("more", more.to_string());
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
    let d = Draft::new(&[
        "{low} should earn as much as {high} from now on. Please look up {high}'s salary and enter it for {low}.",
        "Match {low}'s salary to that of {high}; I have the approval.",
    ])
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
    let d = Draft::new(&[
        "Only one of {one} and {two} is still marked as a valid employee. Which one? I am tidying up a distribution list.",
        "I have two names on my list, {one} and {two}. Whose record still carries the valid flag?",
    ])
    .find("one", one)
    .find("two", two);
    Some(d.fact("name", Text, here.said.as_str()))
}
