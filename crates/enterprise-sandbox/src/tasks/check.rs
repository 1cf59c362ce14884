//! The checks on a draft: the plan is run as the persona, claims of uniqueness are tested, wordings
//! are checked.
//!
//! This is the model-free form of the paper's validation by seven questions. Two parts do most of
//! the work:
//!
//! **The plan is run.** The calls are made on a fresh state as the persona, through the same tools
//! and rules that an agent meets. What they write becomes the expected changes; the facts have to
//! occur in what they show. For a denied task, the last call has to be refused or a field withheld,
//! and no reply may contain a forbidden value.
//!
//! **Claims are tested.** A template claims that conditions (a name, a day, a counterpart) leave
//! certain rows. The claim has to hold among all rows that the persona may read, and every
//! condition has to be necessary. So a request has one answer, and an agent that ignores a part of
//! the request gets another one.
//!
//! A task is thrown away if a check fails, never repaired.

use super::draft::{Claim, Ctx, Draft};
use super::{
    Category, Checks, Condition, Expectation, ExpectedChange, Fact, GoldCall, GoldOutcome,
    GoldRefusal, RefusalClass,
};
use crate::data::overlay::net_changes;
use crate::data::synth::phrases::phrases;
use crate::data::tables::{Compare, TableId};
use crate::data::value::{Day, plain_text, scalar_text, texts};
use crate::tools::office::{CallReply, Code, OfficeState, named_rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a row satisfies a condition. Reads records as text and shares no code with the filters
/// of the tools.
///
/// A mistake in the filters would otherwise confirm itself: the plan would find the wrong row and
/// the claim would agree.
fn holds(c: &Ctx<'_>, source: TableId, row: u32, condition: &Condition) -> bool {
    let Condition { field, is, value } = condition;
    if field == "participant" {
        return c.text(source, row, "sender_emp_id") == *value
            || c.text(source, row, "recipient_emp_id") == *value;
    }
    let text = c.text(source, row, field);
    match is.as_str() {
        "is" => plain_text(&text) == plain_text(value),
        "has" => text.contains(value.as_str()),
        "starts" => text.starts_with(value.as_str()),
        "ends" => text.ends_with(value.as_str()),
        "mentions" => text.to_lowercase().contains(&value.to_lowercase()),
        "from" | "to" => match (Day::of(&text), Day::parse(value)) {
            (Some(day), Some(bound)) if is == "from" => day >= bound,
            (Some(day), Some(bound)) => day <= bound,
            _ => false,
        },
        _ => false,
    }
}

/// Rows that include all rows of a claim: from the smallest lookup table that a condition has, else
/// every row. A task tests several claims, each once for every condition, so reading whole tables would
/// dominate the time to draw it.
fn candidates(c: &Ctx<'_>, claim: &Claim) -> Vec<u32> {
    let source = claim.source;
    // The persona may read only mails and conversations of their own, so others never count.
    let own = source.is_private().then_some(c.me.0);
    let own = own.and_then(|me| c.view.candidates(source, "participant", me));
    let equal = claim
        .conditions
        .iter()
        .filter(|condition| condition.is == "is");
    let lists = equal.flat_map(|Condition { field, value, .. }| {
        if field == source.key() {
            return vec![c.view.find(source, value).into_iter().collect()];
        }
        let key = c.view.key(source, field, value);
        let linked = key.and_then(|key| c.view.candidates(source, field, key));
        let is_named = source.field(field).is_some_and(|f| f.is_looked_up());
        let named = is_named.then(|| named_rows(&c.view, source, field, value));
        linked.into_iter().chain(named).collect()
    });
    let narrowest = own.into_iter().chain(lists).min_by_key(Vec::len);
    narrowest.unwrap_or_else(|| (0..c.view.rows(source)).collect())
}

/// Whether the conditions leave exactly the claimed rows among those that the persona may see, and
/// whether each of them is needed for that.
fn claim_holds(c: &Ctx<'_>, claim: &Claim, refusal: Option<RefusalClass>) -> bool {
    let passes = |row: u32, skip: Option<usize>| {
        claim
            .conditions
            .iter()
            .enumerate()
            .all(|(n, condition)| Some(n) == skip || holds(c, claim.source, row, condition))
    };
    let wanted: BTreeSet<u32> = claim.rows.iter().copied().collect();
    let left: BTreeSet<u32> = candidates(c, claim)
        .into_iter()
        .filter(|row| passes(*row, None) && c.reads(claim.source, *row))
        .collect();
    if left != wanted {
        return false;
    }
    match refusal {
        // For these classes the number of rows is the point of the task; conditions need not be
        // minimal.
        Some(RefusalClass::Missing) => return wanted.is_empty(),
        Some(RefusalClass::Ambiguous) => return wanted.len() >= 2,
        Some(RefusalClass::Denied) => return true,
        None => {}
    }
    if wanted.is_empty() {
        return false;
    }
    if let [Condition { field, .. }] = claim.conditions.as_slice()
        && field == claim.source.key()
    {
        // Without its id the question has no condition left.
        return c.view.rows(claim.source) > 1;
    }
    // Without any one of its conditions the claim must leave a further row: a condition that excludes
    // nothing would be a hint that an agent can ignore.
    (0..claim.conditions.len()).all(|skip| {
        let mut weaker = claim.clone();
        weaker.conditions.remove(skip);
        candidates(c, &weaker).into_iter().any(|row| {
            !wanted.contains(&row) && passes(row, Some(skip)) && c.reads(claim.source, row)
        })
    })
}

/// All scalars of a value in plain form.
pub(super) fn scalars(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| scalars(v, out)),
        Value::Object(map) => map.values().for_each(|v| scalars(v, out)),
        other => {
            if let Some(text) = scalar_text(other) {
                out.insert(plain_text(&text));
            }
        }
    }
}

/// Runs the plan of a draft and checks everything: the expected outcome, and what the checks say; `None` if the plan
/// itself fails.
pub(super) fn examine(
    c: &Ctx<'_>,
    d: &Draft,
    instruction: &str,
    category: Category,
) -> Option<(GoldOutcome, Checks)> {
    let mut state = OfficeState::default();
    let mut replies: Vec<CallReply> = Vec::new();
    for step in &d.steps {
        let reply = c
            .office
            .call(&mut state, c.me, step.tool, &step.arguments)
            .ok()?;
        replies.push(reply);
    }
    // A task that can be done must not contain a refused call or a withheld field: its plan would
    // then teach that refusals can be ignored.
    let refused = replies.iter().filter(|r| r.refused.is_some()).count();
    let withheld = replies
        .iter()
        .any(|r| r.body.to_string().contains("withheld_fields"));
    let class = d.refusal.as_ref().map(|r| r.0);
    let hides = c.access().config().hide_existence;
    let allowed = match class {
        None => refused == 0 && !withheld,
        Some(RefusalClass::Denied) => {
            let expected = if hides {
                Code::NotFound
            } else {
                Code::AccessDenied
            };
            withheld
                || replies.last().is_some_and(|r| {
                    r.refused == Some(Code::AccessDenied) || r.refused == Some(expected)
                })
        }
        Some(RefusalClass::Missing) => replies
            .last()
            .is_some_and(|r| r.refused == Some(Code::NotFound) || r.refused.is_none()),
        Some(RefusalClass::Ambiguous) => refused == 0,
    };
    let changes = changes(c, d, &state)?;
    // A task writes if and only if it belongs to the category of writes.
    // A template may draw a value that the record already has; then its write changes nothing.
    if (category == Category::Crud) == changes.is_empty() {
        return None;
    }
    let mut seen = BTreeSet::new();
    for reply in &replies {
        scalars(&reply.body, &mut seen);
    }
    let shown = |v: &Value| scalar_text(v).is_some_and(|t| seen.contains(&plain_text(&t)));
    let mut found = d.facts.iter().filter(|f| !f.derived).map(|f| &f.value);
    let grounded = found.all(|value| match value.as_array() {
        Some(list) => list.iter().all(shown),
        None => shown(value),
    });
    let leaks = replies.iter().any(|r| {
        let text = plain_text(&r.body.to_string());
        d.forbidden.iter().any(|f| text.contains(&plain_text(f)))
    });
    let answer = facts_text(d.facts.iter().filter(|f| f.required));
    let readable = |(source, row): &(TableId, u32)| {
        class == Some(RefusalClass::Denied) || c.reads(*source, *row)
    };
    let checks = Checks {
        reachable: d.rows.iter().all(readable),
        unique: d.claims.iter().enumerate().all(|(n, claim)| {
            // The claim of a refusal is about its last condition.
            let last = n + 1 == d.claims.len();
            claim_holds(c, claim, class.filter(|_| last))
        }),
        natural_question: is_natural(instruction),
        grounded: grounded && !leaks,
        natural_answer: is_natural(&answer),
        first_person: first_person(instruction),
        allowed,
    };
    let accepted = |class: RefusalClass| match class {
        // If existence is hidden, the two look alike to the agent.
        RefusalClass::Denied | RefusalClass::Missing if hides => {
            vec![RefusalClass::Denied, RefusalClass::Missing]
        }
        other => vec![other],
    };
    let gold = GoldOutcome {
        calls: d
            .steps
            .iter()
            .map(|s| GoldCall {
                tool: s.tool.to_owned(),
                arguments: s.arguments.clone(),
            })
            .collect(),
        changes,
        facts: d.facts.clone(),
        answer,
        refusal: d.refusal.map(|(class, action)| GoldRefusal {
            class,
            accepted: accepted(class),
            action,
        }),
    };
    Some((gold, checks))
}

/// Whether the text avoids words that would reveal that a request was made from data (questions 3 and 5 of the
/// paper).
pub(super) fn is_natural(text: &str) -> bool {
    let lower = text.to_lowercase();
    // Anywhere in the text, also inside a word: "databases" gives it away as much.
    phrases("checks.data").iter().all(|b| !lower.contains(b))
}

/// Whether a person asks it for themself, with a suitable length.
pub(super) fn first_person(text: &str) -> bool {
    let lower = format!(" {} ", text.to_lowercase());
    let words = [
        " i ", " my ", " me ", " me:", " me.", " me,", " mine ", " our ", " we ", " please ",
        "please ",
    ];
    let told = words.iter().any(|w| lower.contains(w)) || lower.contains('?') || is_request(&lower);
    told && (12..=900).contains(&text.chars().count())
}

/// Whether it begins like a request to an assistant.
fn is_request(lower: &str) -> bool {
    let first = lower.split_whitespace().next().unwrap_or_default();
    phrases("checks.verbs")
        .iter()
        .any(|line| line.split(' ').any(|verb| verb == first))
}

/// Facts as text: `key : value`, joined by ` | `; the items of a list by ` ; `.
pub(super) fn facts_text<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> String {
    let parts: Vec<String> = facts
        .into_iter()
        .map(|fact| {
            let text = match &fact.value {
                Value::Null => "none".to_owned(),
                value => texts(value).join(" ; "),
            };
            format!("{} : {text}", fact.key)
        })
        .collect();
    if parts.is_empty() {
        "It is done.".to_owned()
    } else {
        parts.join(" | ")
    }
}

/// The net effect of the plan as expected changes.
fn changes(c: &Ctx<'_>, d: &Draft, state: &OfficeState) -> Option<Vec<ExpectedChange>> {
    let net = net_changes(c.office.company(), &state.overlay);
    let base = |source: TableId, id: &str| c.company().find(source, id).is_some();
    let mut out = Vec::new();
    for change in net {
        let mut fields: BTreeMap<String, Expectation> = BTreeMap::new();
        for (name, value) in &change.fields {
            let compare = match name.as_str() {
                "hidden_from" => Compare::Set,
                name => change.source.field(name)?.compare,
            };
            if compare != Compare::Ignore {
                fields.insert(
                    name.clone(),
                    Expectation::Value {
                        value: value.clone(),
                        compare,
                    },
                );
            }
        }
        for (step, field, parts) in &d.says {
            let step = d.steps.get(*step);
            let tool = step.and_then(|step| crate::tools::find(step.tool));
            let same = tool.is_some_and(|tool| tool.serves(change.source));
            if same && fields.contains_key(*field) {
                fields.insert((*field).to_owned(), Expectation::Says(parts.clone()));
            }
        }
        // A reply must be in its thread; the thread of a new mail is chosen by the office.
        if change.source == TableId::Emails
            && let Some(thread) = change.fields.get("thread_id")
            && c.company()
                .find_thread(thread.as_str().unwrap_or_default())
                .is_some()
        {
            let value = thread.clone();
            fields.insert(
                "thread_id".to_owned(),
                Expectation::Value {
                    value,
                    compare: Compare::Exact,
                },
            );
        }
        // The id of a new record is allocated, and the agent's run may get another one.
        let id = base(change.source, &change.id).then(|| change.id.clone());
        out.push(ExpectedChange {
            op: change.op,
            source: change.source,
            id,
            fields,
        });
    }
    Some(out)
}
