//! What plans compute: two chains of managers that meet, the case of a rule, a value for a slot.
//!
//! A function is needed where the lines of a plan cannot say it, because it searches, counts or reads texts.

use super::draft::{Ctx, Draft, Thing, said_day};
use crate::access::Act;
use crate::data::org::{Department, level_code};
use crate::data::row::EmployeeNo;
use crate::data::synth::phrases::{FAMILY, GIVEN, pair, phrases, pick};
use crate::data::tables::TableId;
use crate::data::value::{Day, plain_text, row_no};
use std::collections::BTreeMap;

const E: TableId = TableId::Employees;
const M: TableId = TableId::Emails;
const G: TableId = TableId::Repositories;
const F: TableId = TableId::Files;
const X: TableId = TableId::Issues;

// ---------------------------------------------------------------- mails and colleagues

/// Mails or conversations in which the persona took part.
pub(super) fn mine(c: &Ctx<'_>, source: TableId) -> Vec<u32> {
    c.mine(source, "participant")
}

/// Rows of the persona's mails with the same subject.
pub(super) fn same_subject(c: &Ctx<'_>, subject: &str) -> Vec<u32> {
    let wanted = plain_text(subject);
    let mut rows = mine(c, M);
    rows.retain(|r| plain_text(&c.text(M, *r, "subject")) == wanted);
    rows
}

/// A message for a colleague: subject, detail.
pub(super) fn errand(c: &mut Ctx<'_>) -> (String, String) {
    let thing = c.word("thing");
    let days = c.between(3, 40);
    let day = said_day(c.company().clock().plus(days));
    let subject = match c.between(0, 2) {
        0 => format!("Decision on {thing}"),
        1 => format!("Update about {thing}"),
        _ => format!("Date for {thing}"),
    };
    (subject, day)
}

/// Another person of a department, the first manager that both share, and the people whose records lead there.
pub(super) fn shared_manager(
    c: &mut Ctx<'_>,
    one: EmployeeNo,
) -> Option<(Thing, EmployeeNo, Vec<u32>)> {
    // Two people drawn at random mostly share only the head of the department.
    let mut at = c.view.manager(c.view.manager(one)?)?;
    for _ in 0..c.between(1, 3) {
        let below = c.linked(E, "reports_to", at.0);
        at = match c.pick(&below) {
            Some(row) => EmployeeNo(row),
            None => break,
        };
    }
    let two = c.who(at).filter(|_| at != c.me && c.is_active(at))?;
    let chain = |p: EmployeeNo| c.view.chain(p).collect::<Vec<_>>();
    let (up, other) = (chain(one), chain(two.person()));
    let shared = *up.iter().find(|p| other.contains(p))?;
    let upto = |chain: &[EmployeeNo]| chain.iter().position(|p| *p == shared);
    let (a, b) = (upto(&up)?, upto(&other)?);
    // Of two direct reports the manager would be the only candidate at once.
    let head = c.view.manager(shared).is_none();
    if !(1..=4).contains(&(a + b)) || one == two.person() || (head && c.coin) {
        return None;
    }
    let steps = up.iter().take(a + 1).chain(other.iter().take(b));
    Some((two, shared, steps.map(|p| p.0).collect()))
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
    // Of three estimates the second is neither the old nor the new one.
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
    // With a skill that all have, the answer would be the whole team.
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
pub(super) fn look_up_rule(c: &Ctx<'_>, d: &mut Draft, words: &str, which: usize) -> Option<i64> {
    let policies = TableId::PolicyDocuments;
    let (row, figure) = rule(c, words, which)?;
    d.read(c, "read the policy", policies, row);
    d.after(&[]);
    d.claim(policies, &[("text", "has", words.to_owned())], &[row]);
    Some(figure)
}

/// A rule whose figure has at least two digits: a single digit occurs in most texts by chance.
pub(super) fn with_large_figure(c: &mut Ctx<'_>) -> Option<Rule> {
    let drawn = drawn_rule(c);
    let (_, figure) = rule(c, drawn.0, drawn.1)?;
    (figure >= 10).then_some(drawn)
}

/// The case of a rule whose answer is the wanted one: the rule and the question, which names a figure, the figure,
/// and how far it is from the limit.
pub(super) fn policy_case(c: &mut Ctx<'_>) -> Option<(Rule, i64, i64)> {
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
    let odd = n <= 1 || (words.starts_with("New code") && n > 99);
    (!odd).then_some(((words, 0, question), n, apart))
}

// ---------------------------------------------------------------- people

/// What the persona's work history says.
fn history(c: &Ctx<'_>) -> String {
    c.text(E, c.me.0, "Experience")
}

/// The programmes in which the persona took part, at least one.
pub(super) fn programmes_of(c: &Ctx<'_>) -> Option<Vec<&'static str>> {
    let text = history(c);
    let said = phrases("programme").iter();
    let names = said.filter_map(|p| {
        p.strip_prefix("Took part in the ")?
            .strip_suffix(" programme.")
    });
    let found: Vec<&str> = names
        .filter(|name| text.contains(&format!("{name} programme")))
        .collect();
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
    let mut known = phrases("certificate")
        .iter()
        .map(|said| said.trim_end_matches('.'));
    known.find(|certificate| text.contains(certificate))
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

// ---------------------------------------------------------------- tickets, code, trade

/// The day that a generated resolution names.
pub(super) fn fixed_on(text: &str) -> Option<Day> {
    let at = text.find(" on 20")?;
    Day::parse(text.get(at + 4..at + 14)?)
}

/// A repository, file or issue that the persona may change.
pub(super) fn writable(c: &mut Ctx<'_>, source: TableId) -> Option<u32> {
    let own = c.mine(G, "emp_id");
    for _ in 0..12 {
        let row = match (source, c.s.chance(0.7)) {
            (G, true) => c.pick(&own)?,
            (_, true) => {
                let repository = c.pick(&own)?;
                c.pick(&c.linked(source, "repo_name", repository))?
            }
            _ => c.row(source),
        };
        if c.may(Act::Update, source, row) {
            return Some(row);
        }
    }
    None
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

/// The solution that a support representative offered: the word for the outcome whose phrase is in a generated
/// transcript.
pub(super) fn offer_of(c: &Ctx<'_>, row: u32) -> Option<&'static str> {
    let chats = TableId::SupportChats;
    c.company().is_made(chats, row, "text").then_some(())?;
    let text = c.text(chats, row, "text");
    let mut outcomes = phrases("support.outcome").iter().map(|line| pair(line));
    // A phrase has a drawn number, so only what stands before it can be looked for.
    let told = |phrase: &str| text.contains(phrase.split('{').next().unwrap_or(phrase));
    outcomes
        .find(|(_, phrase)| told(phrase))
        .map(|(name, _)| name)
}

// ---------------------------------------------------------------- refusals

/// A value for a slot of a request, other than the person's name.
pub(super) fn slot_value(c: &mut Ctx<'_>, slot: &str) -> Option<String> {
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
        "date" => {
            let days = c.between(0, 5);
            said_day(c.company().clock().plus(-days))
        }
        "casual" | "sick" => c.between(0, 8).to_string(),
        "rating" => c.between(1, 5).to_string(),
        "status" => c.pick(&["Married", "Single", "Divorced"])?.to_owned(),
        _ => return None,
    })
}

/// The people who work here and have this given name, of at least three letters.
pub(super) fn called(c: &Ctx<'_>, given: &str) -> Option<Vec<u32>> {
    let mut rows: Vec<u32> = (0..c.view.rows(E)).collect();
    rows.retain(|row| {
        let name = c.text(E, *row, "Name");
        c.is_active(EmployeeNo(*row)) && name.split(' ').next() == Some(given)
    });
    (given.len() >= 3).then_some(rows)
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
