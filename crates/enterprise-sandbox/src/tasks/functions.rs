//! Templates that are functions, and functions that plans use.
//!
//! A function is needed where a task is computed: two chains of managers that meet, the case of a rule, a name that
//! several people have.

use super::FactKind::{Date, Id, List, Number, Text, YesNo};
use super::TaskDomain;
use super::draft::{Asks, Ctx, Draft, Thing, is};
use crate::access::Act;
use crate::data::org::{Department, level_code};
use crate::data::row::EmployeeNo;
use crate::data::synth::phrases::{FAMILY, GIVEN, pair, phrases, pick};
use crate::data::tables::TableId;
use crate::data::value::{Cents, Day, plain_text, row_no};
use Deed::{Change, In, Open, Remove, See};
use serde_json::json;
use std::collections::BTreeMap;

const E: TableId = TableId::Employees;
const M: TableId = TableId::Emails;
const I: TableId = TableId::Tickets;
const G: TableId = TableId::Repositories;
const F: TableId = TableId::Files;
const X: TableId = TableId::Issues;
const P: TableId = TableId::Products;
const D: TableId = TableId::PolicyDocuments;
const V: TableId = TableId::Vendors;

// ---------------------------------------------------------------- mails and colleagues

/// Mails or conversations in which the persona took part.
pub(super) fn mine(c: &Ctx<'_>, source: TableId) -> Vec<u32> {
    c.mine(source, "participant")
}

/// Mails or conversations of the persona with a person, among these.
pub(super) fn with(c: &Ctx<'_>, source: TableId, rows: &[u32], person: EmployeeNo) -> Vec<u32> {
    let rows = rows.iter().copied();
    rows.filter(|r| c.other(source, *r) == Some(person))
        .collect()
}

/// Rows of the persona's mails with the same subject.
pub(super) fn same_subject(c: &Ctx<'_>, subject: &str) -> Vec<u32> {
    let wanted = plain_text(subject);
    let mut rows = mine(c, M);
    rows.retain(|r| plain_text(&c.text(M, *r, "subject")) == wanted);
    rows
}

/// The latest mail exchanged with a person.
///
/// Three steps: the person, the mails from, and the mails to that person. The latest of both lists
/// is the answer, and no two may share the latest time.
pub(super) fn latest_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let all = mine(c, M);
    let start = c.pick(&all)?;
    let other = c.who(c.other(M, start)?)?.goal("find the id of");
    let rows = with(c, M, &all, other.person()).into_iter();
    let mut dated: Vec<(String, u32)> = rows.map(|r| (c.text(M, r, "date"), r)).collect();
    // The newest first.
    dated.sort_by(|a, b| b.0.cmp(&a.0));
    let (date, row) = dated.first()?.clone();
    if dated.get(1).is_some_and(|second| second.0 == date) {
        return None;
    }
    let email = c.text(E, other.row, "email");
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

/// The estimate in the body of a generated mail.
pub(super) fn estimate(body: &str) -> Option<i64> {
    let (_, rest) = body.split_once("The estimate is ")?;
    rest.split(' ').next()?.parse().ok()
}

/// Two mails of a thread of the persona's that name estimates, the earlier one first.
pub(super) fn two_estimates(c: &mut Ctx<'_>) -> Option<[(u32, i64); 2]> {
    let mut threads: BTreeMap<String, Vec<(String, u32, i64)>> = BTreeMap::new();
    for row in mine(c, M) {
        if let Some(n) = estimate(&c.text(M, row, "body")) {
            let list = threads.entry(c.text(M, row, "thread_id")).or_default();
            list.push((c.text(M, row, "date"), row, n));
        }
    }
    let both: Vec<_> = threads.into_values().filter(|t| t.len() == 2).collect();
    let mut both = c.s.pick(&both)?.clone();
    both.sort();
    match both.as_slice() {
        [(_, early, old), (_, late, new)] => Some([(*early, *old), (*late, *new)]),
        _ => None,
    }
}

/// A skill that some of a team have, and who they are.
pub(super) fn skill_of_some(c: &mut Ctx<'_>, team: &[u32]) -> Option<(String, Vec<u32>)> {
    let mut holders: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for person in team {
        for skill in c.get(E, *person, "skills").as_array()? {
            holders
                .entry(skill.as_str()?.to_owned())
                .or_default()
                .push(*person);
        }
    }
    let some = holders
        .into_iter()
        .filter(|(_, people)| people.len() < team.len());
    let some: Vec<(String, Vec<u32>)> = some.collect();
    c.s.pick(&some).cloned()
}

// ---------------------------------------------------------------- rules

/// How a rule begins, which of its figures is meant, and the question.
pub(super) type Rule = (&'static str, usize, &'static str);

/// A rule with a figure.
pub(super) fn drawn_rule(c: &mut Ctx<'_>) -> Rule {
    figure_of(pick(&mut c.s, "rules.figures"))
}

/// The rule of a line of `rules.figures`.
pub(super) fn figure_of(line: &'static str) -> Rule {
    let (words, rest) = pair(line);
    let (which, question) = pair(rest);
    (words, which.parse().unwrap_or(0), question)
}

/// What people want to do, from a line of `rules.cases`: how the rule begins, whether more than the figure is
/// allowed (else less), and the question with `{n}`.
pub(super) fn case_of(line: &'static str) -> (&'static str, bool, &'static str) {
    let (words, rest) = pair(line);
    let (allowed, question) = pair(rest);
    (words, allowed == "more", question)
}

/// The figures in a rule.
pub(super) fn figures(rule: &str) -> Vec<i64> {
    rule.split(|ch: char| !ch.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// The document with the only rule that has these words, and one of its figures.
pub(super) fn rule(c: &Ctx<'_>, words: &str, which: usize) -> Option<(u32, i64)> {
    let policies = c.company().policies.iter();
    for (row, policy) in policies.enumerate() {
        let rules = policy.sections.iter().flat_map(|s| &s.rules);
        if let Some(rule) = rules.into_iter().find(|r| r.contains(words)) {
            let row = row_no(row);
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

/// A rule whose figure has at least two digits: a single digit occurs in most texts by chance.
pub(super) fn with_large_figure(c: &mut Ctx<'_>) -> Option<Rule> {
    let drawn = drawn_rule(c);
    let (_, figure) = rule(c, drawn.0, drawn.1)?;
    (figure >= 10).then_some(drawn)
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

// ---------------------------------------------------------------- people

/// The step that reads the persona's record with these fields.
pub(super) fn read_own(c: &Ctx<'_>, d: Draft, fields: &[&str]) -> Draft {
    d.read_mine(c, "read my own record", fields)
        .claim(E, &[is("emp_id", c.my_id())], &[c.me.0])
}

/// What the persona's work history says.
fn history(c: &Ctx<'_>) -> String {
    c.text(E, c.me.0, "Experience")
}

/// The programmes that generated work histories name.
const PROGRAMMES: [&str; 4] = [
    "Succession Planning",
    "Leadership Development",
    "Talent Management",
    "Workforce Planning",
];

/// The programmes in which the persona took part, at least one.
pub(super) fn programmes_of(c: &Ctx<'_>) -> Option<Vec<&'static str>> {
    let text = history(c);
    let mut found = PROGRAMMES.to_vec();
    found.retain(|p| text.contains(&format!("{p} programme")));
    (!found.is_empty()).then_some(found)
}

/// The number of years of experience in the persona's work history.
pub(super) fn years_of(c: &Ctx<'_>) -> Option<i64> {
    let text = history(c);
    let (before, _) = text.split_once(" years of experience")?;
    let digits = before
        .trim_end_matches(|ch: char| ch.is_ascii_digit())
        .len();
    before.get(digits..)?.parse().ok()
}

/// The certificate in the persona's work history.
pub(super) fn certificate_of(c: &Ctx<'_>) -> Option<&'static str> {
    let text = history(c);
    let known = [
        "Certified Career Coach",
        "Hogan Assessor",
        "Certified Project Manager",
    ];
    known
        .into_iter()
        .find(|certificate| text.contains(certificate))
}

/// A name in the order of `purpose`: one of the first `count`, else of all.
pub(super) fn new_name(c: &mut Ctx<'_>, purpose: &str, count: Option<usize>) -> Option<String> {
    let count = count.unwrap_or(GIVEN.len() * FAMILY.len());
    let n = u32::try_from(c.s.index(count)).ok()?;
    let order = crate::data::synth::name_order(c.company().seed, purpose);
    let (given, family) = crate::data::synth::person_name(&order, n);
    Some(format!("{given} {family}"))
}

/// A department, the code of a level there, and a colleague above it: for somebody who comes from another
/// department, or for a newcomer at level 9.
pub(super) fn post(c: &mut Ctx<'_>, of: Option<EmployeeNo>) -> Option<(Department, String, Thing)> {
    let now = of.map(|person| c.view.person(person));
    let (now, level) = match now {
        Some(person) => (Some(person?.department), person?.level),
        None => (None, 9),
    };
    let department = *c.s.pick(&Department::ALL)?;
    (now != Some(department)).then_some(())?;
    let boss = c.colleague_of(department)?;
    (c.view.person(boss)?.level > level).then_some(())?;
    Some((department, level_code(department, level), c.who(boss)?))
}

/// Whether the persona may see the restricted fields of a person.
pub(super) fn sees(c: &Ctx<'_>, person: u32) -> bool {
    c.may(Act::ReadSensitive, E, person)
}

/// An existing row with which the persona may not do this.
fn barred(c: &mut Ctx<'_>, source: TableId, may: impl Fn(&Ctx<'_>, u32) -> bool) -> Option<u32> {
    for _ in 0..12 {
        let row = c.row(source);
        if c.view.exists(source, row) && !may(c, row) {
            return Some(row);
        }
    }
    None
}

/// An existing row of which the persona may not change these fields.
pub(super) fn unchangeable(c: &mut Ctx<'_>, source: TableId, fields: &[&str]) -> Option<u32> {
    barred(c, source, |c, row| c.may_change(source, row, fields))
}

/// An active colleague whose restricted fields the persona may not see.
pub(super) fn stranger(c: &mut Ctx<'_>) -> Option<Thing> {
    let row = barred(c, E, sees)?;
    c.named(E, row).filter(|who| c.is_active(who.person()))
}

/// Somebody whose restricted fields the persona may see: a report of theirs, or anybody for HR.
pub(super) fn report(c: &mut Ctx<'_>) -> Option<Thing> {
    let person = match c.pick(&c.mine(E, "reports_to")) {
        Some(row) => EmployeeNo(row),
        None => c.colleague()?,
    };
    let may = sees(c, person.0) && c.is_active(person);
    (may && person != c.me).then_some(())?;
    c.who(person)
}

// ---------------------------------------------------------------- tickets, code, trade

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

/// The day that a generated resolution names.
pub(super) fn fixed_on(text: &str) -> Option<Day> {
    let at = text.find(" on 20")?;
    Day::parse(text.get(at + 4..at + 14)?)
}

/// Files or issues of a repository that the persona may read.
pub(super) fn inside(c: &Ctx<'_>, source: TableId, repository: u32) -> Vec<u32> {
    c.linked(source, "repo_name", repository)
}

/// Issues of a repository with a status.
pub(super) fn issues(c: &Ctx<'_>, repository: u32, status: &str) -> Vec<u32> {
    c.having(X, &inside(c, X, repository), "status", status)
}

/// A repository, file or issue that the persona may change.
pub(super) fn writable(c: &mut Ctx<'_>, source: TableId) -> Option<u32> {
    let own = c.mine(G, "emp_id");
    for _ in 0..12 {
        let row = match (source, c.s.chance(0.7)) {
            (G, true) => c.pick(&own)?,
            (_, true) => {
                let repository = c.pick(&own)?;
                c.pick(&inside(c, source, repository))?
            }
            _ => c.row(source),
        };
        if c.may(Act::Update, source, row) {
            return Some(row);
        }
    }
    None
}

/// A colleague with one to four repositories, all of which the persona may read.
pub(super) fn maintainer(c: &mut Ctx<'_>, low: usize) -> Option<(Thing, Vec<u32>)> {
    let row = c.any(G)?;
    let owner = c.linked_to(G, row, "emp_id")?;
    let rows = c.linked(G, "emp_id", owner.row);
    let other = owner.person() != c.me;
    (other && (low..=4).contains(&rows.len())).then_some((owner, rows))
}

/// Finds an issue by its title in a repository.
pub(super) fn find_issue(c: &Ctx<'_>, d: Draft, row: u32) -> Option<Draft> {
    let name = c.text(X, row, "repo_name");
    let title = c.text(X, row, "title");
    let mut conditions = vec![is("repo_name", &name)];
    // The title is a condition only where the repository has other issues.
    if inside(c, X, c.follow(X, row, "repo_name")?).len() > 1 {
        conditions.push(is("title", &title));
    }
    Some(
        d.slot("title", &title)
            .slot("repository", &name)
            .step(
                "read the repository",
                "github_read",
                json!({"repo_name": name}),
            )
            .claim(X, &conditions, &[row])
            .row(X, row),
    )
}

/// The file of an open issue of a generated company, and its right text.
pub(super) fn repaired(c: &Ctx<'_>, issue: u32) -> Option<(u32, String)> {
    let file = c.company().link(X, issue, "path")?;
    let patched = !c.company().cell(X, issue, "patch").is_null();
    let open = c.text(X, issue, "status") == "open";
    (open && !patched && c.company().is_made(F, file, "content")).then_some(())?;
    Some((
        file,
        crate::data::synth::code::plan(c.company(), file).text(true),
    ))
}

/// The solution that a support representative offered: the word for an outcome in a generated
/// transcript.
fn outcome(text: &str) -> Option<&'static str> {
    [
        ("replacement", "replacement"),
        ("refund", "refund"),
        ("repair", "repair"),
        ("button", "advice"),
    ]
    .into_iter()
    .find(|(word, _)| text.contains(word))
    .map(|(_, name)| name)
}

/// What a generated support chat ended with.
pub(super) fn offer_of(c: &Ctx<'_>, row: u32) -> Option<&'static str> {
    c.company()
        .is_made(TableId::SupportChats, row, "text")
        .then_some(())?;
    outcome(&c.text(TableId::SupportChats, row, "text"))
}

/// An address for somebody who moves.
pub(super) fn new_address(c: &mut Ctx<'_>) -> String {
    let number = c.between(1, 200);
    format!("{number} {}, {}", c.word("street"), c.word("city"))
}

// ---------------------------------------------------------------- refusals

/// A vendor that does not exist.
pub(super) fn no_such_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let (family, other) = (c.pick(&FAMILY)?, c.pick(&FAMILY)?);
    let name = match c.coin {
        true => format!("{family} and {other}"),
        false => format!("{family}, {other} and Sons"),
    };
    let me = c.view.person(c.me)?;
    (me.department == Department::Management).then_some(())?;
    // Two of three, because denials have that wording more often. Somebody who may not change every
    // vendor would be denied as well.
    let (wording, asks): (_, Asks<'static>) = match c.s.chance(2.0 / 3.0) {
        true => (me.level >= 12).then_some(("business.move", &[][..]))?,
        false => (
            "business.vendor",
            &[("onboarding_date", Date), ("business_type", Text)],
        ),
    };
    let address = new_address(c);
    let d = Draft::new(wording)
        .slot("vendor", &name)
        .slot("address", address)
        .step(
            "look for the vendor",
            "vendors_read",
            json!({"query": name}),
        )
        .claim(V, &[is("business_name", name)], &[]);
    Some(d.missing(asks))
}

// ---------------------------------------------------------------- colleague
//
// Requests about one person who does not exist, or who is named by a given name that several people
// have. Every wording is that of a template that can be done.

/// What a request does to the record of a person, if the rules may forbid it; or who asks it.
#[derive(Clone, Copy)]
enum Deed {
    Open,
    In(TaskDomain),
    See,
    Change(&'static [&'static str]),
    Remove,
}

/// A request about one person: wordings, the slot of the person's name, what it asks for, what it does.
type About = (&'static str, &'static str, Asks<'static>, Deed);

/// Requests that make sense for each of several people with the same given name.
#[rustfmt::skip] // One line a request.
const OF_ANYBODY: &[About] = &[
    ("refusals.card", "name", &[("category", Id), ("email", Id)], Open),
    ("talk.send_mail", "name", &[], Open),
    ("talk.send_message", "name", &[], Open),
    ("rules.tell_figure", "name", &[], Open),
    ("reach.pass_on", "to", &[], Open),
    ("refusals.pay", "name", &[("Salary", Number)], See),
    ("refusals.rating", "name", &[("rating", Number), ("my_rating", Number)], See),
    ("refusals.leave", "name", &[("Remaining Vacation Leaves", Number)], See),
    ("refusals.sick", "name", &[("Remaining Sick Leaves", Number)], See),
    ("refusals.age", "name", &[("Age", Number)], See),
    ("people.salary", "name", &[], Change(&["Salary"])),
    ("people.leaves", "name", &[], Change(&["Remaining Casual Leaves", "Remaining Sick Leaves"])),
    ("people.rating", "name", &[], Change(&["Performance Rating"])),
    ("people.status", "name", &[], Change(&["Marital Status"])),
    ("people.remove", "name", &[], Remove),
];

/// Requests that tell people with the same given name apart, for instance because only one of them leads
/// a team. They are asked about people who do not exist.
#[rustfmt::skip] // One line a request.
const OF_ONE: &[About] = &[
    ("reach.longest", "boss", &[("name", Text), ("joined", Date)], Open),
    ("reach.skill", "boss", &[("names", List)], Open),
    ("reach.shared_manager", "one", &[("name", Text), ("email", Id)], Open),
    ("reach.talks", "name", &[("first", Date), ("last", Date), ("days", Number)], Open),
    ("talk.latest_mail", "name", &[("subject", Text), ("date", Date)], Open),
    ("staff.team_vacation", "boss", &[("days", Number), ("name", Text)], See),
    ("staff.best_rated", "boss", &[("name", Text), ("rating", Number)], See),
    ("projects.open_issues", "name", &[("repositories", List), ("open_issues", Number)], In(TaskDomain::Swe)),
    ("projects.newest", "name", &[("repo_name", Id), ("creation_date", Date), ("license", Id)], In(TaskDomain::Swe)),
    ("dealings.biggest", "name", &[("business_name", Text), ("contact_person_name", Text)], In(TaskDomain::Business)),
    ("dealings.oldest", "name", &[("business_name", Text), ("onboarding_date", Date)], In(TaskDomain::Business)),
];

/// A value for a slot of a request, other than the person's name.
fn value(c: &mut Ctx<'_>, slot: &str) -> Option<String> {
    Some(match slot {
        "salary" => (c.between(80, 200) * 500).to_string(),
        "subject" | "topic" => errand(c).0,
        "detail" => errand(c).1,
        "question" => with_large_figure(c)?.2.to_owned(),
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
        .flat_map(|about| std::iter::repeat_n(about, phrases(about.0).len()));
    let wordings: Vec<&About> = wordings.collect();
    let (wording, slot, asks, deed) = **c.s.pick(&wordings)?;
    let may = |row: &u32| match deed {
        Open => true,
        In(domain) => c.domain == domain,
        See => sees(c, *row),
        Change(fields) => c.may_change(E, *row, fields),
        Remove => c.may(Act::Delete, E, *row),
    };
    people.iter().all(may).then_some(())?;
    let mut d = Draft::new(wording).slot(slot, name);
    for (n, part) in phrases(wording)
        .iter()
        .flat_map(|p| p.split('{'))
        .enumerate()
    {
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
pub(super) fn no_such_colleague(c: &mut Ctx<'_>) -> Option<Draft> {
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
pub(super) fn which_colleague(c: &mut Ctx<'_>) -> Option<Draft> {
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
