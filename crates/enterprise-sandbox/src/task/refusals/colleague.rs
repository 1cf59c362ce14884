//! Requests about one person who does not exist, or who is named by a given name that several people
//! have. Every wording is that of a template that can be done.

use super::{AGE, CARD, CARD_ASKS, E, LEAVE, PAY, RATING, Request, SICK, sees};
use crate::access::Act;
use crate::row::EmployeeNo;
use crate::synth::phrases::{FAMILY, GIVEN};
use crate::task::FactKind::{Date, Id, List, Number, Text};
use crate::task::draft::{Asks, Ctx, Draft, is};
use crate::task::{TaskDomain, dealings, people, projects, reach, rules, staff, talk};
use serde_json::json;

/// What a request does to the record of a person, if the rules may forbid it; or who asks it.
#[derive(Clone, Copy)]
enum Deed {
    Open,
    In(TaskDomain),
    See,
    Change(&'static [&'static str]),
    Remove,
}

/// A request about one person: wordings and what they ask for, the slot of the person's name, what it does.
type About = (Request, &'static str, Deed);

const fn open(phrases: &'static [&'static str], slot: &'static str, asks: Asks<'static>) -> About {
    ((phrases, asks), slot, Deed::Open)
}

const fn within(
    domain: TaskDomain,
    phrases: &'static [&'static str],
    asks: Asks<'static>,
) -> About {
    ((phrases, asks), "name", Deed::In(domain))
}

const fn see(phrases: &'static [&'static str], asks: Asks<'static>) -> About {
    ((phrases, asks), "name", Deed::See)
}

const fn change(phrases: &'static [&'static str], fields: &'static [&'static str]) -> About {
    ((phrases, &[]), "name", Deed::Change(fields))
}

/// Requests that make sense for each of several people with the same given name.
const OF_ANYBODY: &[About] = &[
    open(CARD, "name", CARD_ASKS),
    open(talk::SEND_MAIL, "name", &[]),
    open(talk::SEND_MESSAGE, "name", &[]),
    open(rules::TELL_FIGURE, "name", &[]),
    open(reach::PASS_ON, "to", &[]),
    see(PAY.phrases, &[("Salary", Number)]),
    see(RATING.phrases, &[("rating", Number), ("my_rating", Number)]),
    see(LEAVE.phrases, &[("Remaining Vacation Leaves", Number)]),
    see(SICK.phrases, &[("Remaining Sick Leaves", Number)]),
    see(AGE.phrases, &[("Age", Number)]),
    change(people::SALARY, &["Salary"]),
    change(people::LEAVES, people::LEAVES_SET),
    change(people::RATING, &["Performance Rating"]),
    change(people::STATUS, &["Marital Status"]),
    ((people::REMOVE, &[]), "name", Deed::Remove),
];

/// Requests that tell people with the same given name apart, for instance because only one of them leads
/// a team. They are asked about people who do not exist.
const OF_ONE: &[About] = &[
    open(reach::LONGEST, "boss", &[("name", Text), ("joined", Date)]),
    open(reach::SKILL, "boss", &[("names", List)]),
    open(
        reach::SHARED_MANAGER,
        "one",
        &[("name", Text), ("email", Id)],
    ),
    open(
        reach::TALKS,
        "name",
        &[("first", Date), ("last", Date), ("days", Number)],
    ),
    open(
        talk::LATEST_MAIL,
        "name",
        &[("subject", Text), ("date", Date)],
    ),
    (
        (staff::TEAM_VACATION, &[("days", Number), ("name", Text)]),
        "boss",
        Deed::See,
    ),
    (
        (staff::BEST_RATED, &[("name", Text), ("rating", Number)]),
        "boss",
        Deed::See,
    ),
    within(
        TaskDomain::Swe,
        projects::OPEN_ISSUES,
        &[("repositories", List), ("open_issues", Number)],
    ),
    within(
        TaskDomain::Swe,
        projects::NEWEST,
        &[("repo_name", Id), ("creation_date", Date), ("license", Id)],
    ),
    within(
        TaskDomain::Business,
        dealings::BIGGEST,
        &[("business_name", Text), ("contact_person_name", Text)],
    ),
    within(
        TaskDomain::Business,
        dealings::OLDEST,
        &[("business_name", Text), ("onboarding_date", Date)],
    ),
];

/// A value for a slot of a request, other than the person's name.
fn value(c: &mut Ctx<'_>, slot: &str) -> Option<String> {
    Some(match slot {
        "salary" => (c.between(80, 200) * 500).to_string(),
        "subject" | "topic" => talk::errand(c).0,
        "detail" => talk::errand(c).1,
        "question" => rules::with_large_figure(c)?.2.to_owned(),
        "other" | "two" => c.somebody()?.said,
        "skill" => {
            let person = c.colleague()?;
            let skills = c.get(E, person.0, "skills");
            skills.as_array()?.first()?.as_str()?.to_owned()
        }
        "date" => c.day_before(0, 5),
        "casual" | "sick" => c.between(0, 8).to_string(),
        "rating" => c.between(1, 5).to_string(),
        "status" => c.pick(&["Married", "Single", "Divorced"])?.to_owned(),
        _ => return None,
    })
}

/// The draft of a request about one person, and what it asks for. `None` if the persona may not do it to
/// all of `people`: then `denied` would be as right as the intended refusal.
fn about_one(
    c: &mut Ctx<'_>,
    requests: &[About],
    name: &str,
    people: &[u32],
) -> Option<(Draft, Asks<'static>)> {
    // Every wording has the same chance: one that is drawn more often would be known for it.
    let wordings = requests
        .iter()
        .flat_map(|about| std::iter::repeat_n(about, about.0.0.len()));
    let wordings: Vec<&About> = wordings.collect();
    let ((phrases, asks), slot, deed) = **c.s.pick(&wordings)?;
    let may = |row: &u32| match deed {
        Deed::Open => true,
        Deed::In(domain) => c.domain == domain,
        Deed::See => sees(c, *row),
        Deed::Change(fields) => c.may_change(E, *row, fields),
        Deed::Remove => c.may(Act::Delete, E, *row),
    };
    people.iter().all(may).then_some(())?;
    let mut d = Draft::new(phrases).slot(slot, name);
    for (n, part) in phrases.iter().flat_map(|p| p.split('{')).enumerate() {
        if let Some((slot, _)) = part.split_once('}').filter(|_| n > 0)
            && !d.slots.contains_key(slot)
        {
            let value = value(c, slot)?;
            // A full name beside the given name would settle who is not meant.
            (!value.starts_with(name)).then_some(())?;
            d = d.slot(slot, value);
        }
    }
    Some((d, asks))
}

/// A colleague who does not exist.
pub(in crate::task) fn no_such_colleague(c: &mut Ctx<'_>) -> Option<Draft> {
    let (given, family) = (c.pick(&GIVEN)?, c.pick(&FAMILY)?);
    let name = format!("{given} {family}");
    let stranger = c.colleague()?;
    let requests = [OF_ANYBODY, OF_ONE].concat();
    let (d, asks) = about_one(c, &requests, &name, &[stranger.0])?;
    let d = d
        .step(
            "look for the colleague",
            "employee_data_read",
            json!({"name": name}),
        )
        .claim(E, &[is("Name", name)], &[]);
    Some(d.missing(asks))
}

/// A colleague with an ambiguous given name.
pub(in crate::task) fn which_colleague(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = c.colleague()?;
    let given = c.name(person).split(' ').next()?.to_owned();
    let mut rows: Vec<u32> = (0..c.view.rows(E)).collect();
    rows.retain(|r| {
        let name = c.text(E, *r, "Name");
        c.is_active(EmployeeNo(*r)) && name.split(' ').next() == Some(given.as_str())
    });
    if rows.len() < 2 || given.len() < 3 {
        return None;
    }
    let (d, asks) = about_one(c, OF_ANYBODY, &given, &rows)?;
    let d = d
        .step(
            "find the colleague",
            "employee_data_read",
            json!({"query": given}),
        )
        .claim(
            E,
            &[
                ("Name", "starts", format!("{given} ")),
                is("is_valid", true),
            ],
            &rows,
        );
    Some(d.ambiguous(asks))
}
