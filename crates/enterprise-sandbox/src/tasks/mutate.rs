//! Single mistakes: each mutation of a right run must score 0.
//!
//! These are the tests of the evaluation: a scorer that accepts a run with one mistake would reward
//! an agent for it. For each task the right run is made once, then once for every single mistake
//! that it allows: a call left out, a value changed, a fact dropped, an ending exchanged. Changes
//! that would select another record, or that any value would satisfy, are not made, because they
//! are other mistakes or none.
//!
//! ```
//! use enterprise_sandbox::tasks::{Mutation, mutations};
//! use enterprise_sandbox::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
//! let wrong = mutations(&instance.task);
//! assert!(wrong.iter().any(|attempt| attempt.mutation == Some(Mutation::Nothing)));
//! assert!(wrong.iter().any(|attempt| attempt.mutation == Some(Mutation::ExtraWrite)));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::check::facts_text;
use super::{
    Expectation, ExpectedChange, Fact, FactKind, RefusalClass, TaskEnd, TaskSpec, is_write,
};
use crate::access::Enforcement;
use crate::tasks::evaluate::evaluate;
use crate::tasks::mention::{other_forms, says};
use crate::tools::office::{Office, OfficeState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;

/// A single mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::VariantArray)]
pub enum Mutation {
    /// A write is left out.
    /// Only in tasks that write.
    WriteDropped,
    /// A field of a write is altered.
    /// The new value is of the same type.
    FieldAltered,
    /// A written text says another number, of which the right one is a part.
    /// 17 for 7, or 126 July for 26 July.
    NumberInside,
    /// A written text denies what it has to say.
    /// "not 7".
    Denied,
    /// One more record is written.
    /// A post on the social platform, which everybody may create.
    ExtraWrite,
    /// A required fact is left out.
    FactDropped,
    /// A required fact is altered.
    FactAltered,
    /// The answer gives no facts by key and its text lacks one.
    /// Checks the search in texts, which is used when no facts are given by key.
    TextLacksFact,
    /// An answer where a refusal is right.
    RefusalMissing,
    /// A refusal of the wrong class.
    /// One for every class that is not accepted.
    WrongClass,
    /// A refusal where none is right.
    /// The calls of the plan were made, so even right writes do not excuse it.
    UndueRefusal,
    /// No call and no answer.
    Nothing,
}

/// A run to test: calls and an ending.
///
/// Make the calls on a fresh [`OfficeState`] as the persona, then [evaluate] with the ending.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The mistake; `None` for the right run.
    pub mutation: Option<Mutation>,
    /// Tool calls in order.
    pub calls: Vec<(String, Value)>,
    /// How it ends.
    pub ending: TaskEnd,
}

impl Attempt {
    /// The run as text: one call a line, the answer or the refusal last; the form of examples and of
    /// training data.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = self
            .calls
            .iter()
            .map(|(tool, arguments)| format!("{tool} {arguments}"))
            .collect();
        match &self.ending {
            TaskEnd::None => {}
            TaskEnd::Answer { text, facts } => {
                lines.push(format!("answer {}", json!({"text": text, "facts": facts})));
            }
            TaskEnd::Refusal { class, reason } => {
                let refusal = json!({"class": class, "reason": reason});
                lines.push(format!("refuse {refusal}"));
            }
        }
        lines.join("\n")
    }

    /// Whether the run, made on a fresh office, counts as right.
    #[must_use]
    pub fn is_success(&self, office: &Office, task: &TaskSpec) -> bool {
        let mut state = OfficeState::default();
        let Some(me) = office.view(&state.overlay).employee(&task.persona) else {
            return false;
        };
        for (tool, arguments) in &self.calls {
            // A call of a wrong form does nothing, which is what a run with such a mistake would do.
            let _ = office.call(&mut state, me, tool, arguments);
        }
        evaluate(office, task, &state, &self.ending).success
    }
}

/// How the rules score the runs of tasks that are known to be right or wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Soundness {
    /// Number of right runs with one mistake.
    pub mutations: u64,
    /// Those that were scored as right.
    pub mutations_passed: u64,
    /// Number of right runs with a date or number of a text in another form.
    pub rewordings: u64,
    /// Those that were scored as wrong.
    pub rewordings_failed: u64,
}

impl Soundness {
    /// Adds the runs of a task. Says whether its right run is scored as right; if not, nothing is added, as the
    /// others are made of it.
    pub fn add(&mut self, office: &Office, task: &TaskSpec) -> bool {
        let is_sound = right(task).is_success(office, task);
        if is_sound {
            for attempt in mutations(task) {
                self.mutations += 1;
                self.mutations_passed += u64::from(attempt.is_success(office, task));
            }
            for attempt in rewordings(task) {
                self.rewordings += 1;
                self.rewordings_failed += u64::from(!attempt.is_success(office, task));
            }
        }
        is_sound
    }
}

impl fmt::Display for Soundness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} runs with one mistake pass; {} of {} right runs with dates and numbers in other forms fail",
            self.mutations_passed, self.mutations, self.rewordings_failed, self.rewordings
        )
    }
}

fn answer(facts: &[Fact]) -> TaskEnd {
    let map: Map<String, Value> = facts
        .iter()
        .map(|f| (f.key.clone(), f.value.clone()))
        .collect();
    let text = facts_text(facts);
    TaskEnd::Answer { text, facts: map }
}

/// An answer without facts by key.
fn said(text: impl Into<String>) -> TaskEnd {
    TaskEnd::Answer {
        text: text.into(),
        facts: Map::new(),
    }
}

fn refusal(class: RefusalClass, reason: &str) -> TaskEnd {
    TaskEnd::Refusal {
        class,
        reason: reason.to_owned(),
    }
}

/// The right run where the rules are enforced, as they are when a task is drawn: the gold plan and its
/// answer or refusal. It scores 1. [`Instance::right`](crate::Instance::right) gives the right run under
/// the settings of an instance.
///
/// ```
/// use enterprise_sandbox::tasks::right;
/// use enterprise_sandbox::{Config, Instance};
/// use sim_core::{Episode, Seed};
///
/// let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
/// let attempt = right(&instance.task);
/// assert_eq!(attempt.calls.len(), instance.task.gold.calls.len());
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn right(task: &TaskSpec) -> Attempt {
    right_under(task, Enforcement::On)
}

/// [`right`] where the rules are enforced as `enforcement` says.
pub(crate) fn right_under(task: &TaskSpec, enforcement: Enforcement) -> Attempt {
    let calls = task
        .gold
        .calls
        .iter()
        .filter(|c| task.has_step(&c.tool, enforcement))
        .map(|c| (c.tool.clone(), c.arguments.clone()))
        .collect();
    let ending = match &task.gold.refusal {
        Some(r) => {
            let why = match r.class {
                RefusalClass::Denied => "I am not allowed to do that.",
                RefusalClass::Missing => "There is no such thing.",
                RefusalClass::Ambiguous => "More than one thing fits.",
            };
            refusal(r.class, why)
        }
        None => answer(&task.gold.facts),
    };
    Attempt {
        mutation: None,
        calls,
        ending,
    }
}

/// A different value of the same kind.
fn other(kind: FactKind, value: &Value) -> Value {
    match (kind, value) {
        (FactKind::Number, v) => match (v.as_i64(), v.as_f64()) {
            (Some(n), _) => json!(n + 1),
            (None, Some(x)) => json!(x + 1.5),
            _ => json!(-1),
        },
        (FactKind::YesNo, v) => {
            let yes = matches!(v, Value::Bool(true)) || v.as_str() == Some("YES");
            json!(if yes { "NO" } else { "YES" })
        }
        (FactKind::Date, _) => json!("1999-01-01"),
        (FactKind::List, Value::Array(list)) => {
            let mut list = list.clone();
            match list.pop() {
                Some(_) if !list.is_empty() => Value::Array(list),
                _ => json!(["something else"]),
            }
        }
        // The right text is its beginning, so that a comparison of beginnings would let it pass.
        (_, v) => {
            let text = crate::data::value::scalar_text(v).unwrap_or_default();
            json!(format!("{text} not"))
        }
    }
}

/// A different value for an argument of a write; `None` if any value would be right.
fn altered(name: &str, value: &Value) -> Option<Value> {
    let toggled = |one: &str, other: &str| {
        json!(if value.as_str() == Some(one) {
            other
        } else {
            one
        })
    };
    let out = match (name, value) {
        // A change of these arguments names another record or none, which is the same as leaving the
        // write out.
        (
            "kind" | "thread_id" | "repo_name" | "path" | "issue_id" | "reports_to" | "product_id"
            | "customer_id" | "recipient_emp_id" | "emp_id",
            _,
        ) => return None,
        // The tools accept a department only with a level of it and a manager there.
        ("category" | "Level", _) => return None,
        ("priority", Value::String(_)) => toggled("low", "high"),
        ("status", Value::String(_)) => toggled("open", "closed"),
        ("POC_status", Value::String(_)) => toggled("accepted", "rejected"),
        ("DOL" | "date_of_purchase", _) => json!("2024-02-03"),
        ("Performance Rating", v) => json!(1 + v.as_i64()? % 5),
        ("Salary", v) => json!(v.as_i64()? + 500),
        ("discounted_price", v) => {
            let price = v.as_f64()?;
            json!(price + if price > 1.0 { -0.5 } else { 0.5 })
        }
        ("actual_price", v) => json!(v.as_f64()? + 1.0),
        ("content", Value::String(text)) => json!(format!("{text}\n# changed\n")),
        (name, v) if name.starts_with("Remaining") => {
            let days = v.as_i64()?;
            json!(if days > 0 { days - 1 } else { days + 1 })
        }
        ("body" | "text" | "Issue" | "Resolution" | "description", Value::String(_)) => {
            json!("Something else entirely.")
        }
        (_, Value::String(text)) => json!(format!("{text} indeed")),
        _ => return None,
    };
    Some(out)
}

/// What a written text of call `n` has to say: the field, its text and the parts, where the text has them
/// letter by letter.
fn worded<'a>(
    task: &'a TaskSpec,
    calls: &'a [(String, Value)],
    n: usize,
) -> Option<(&'a str, &'a str, &'a [String])> {
    let arguments = calls.get(n)?.1.as_object()?;
    let inner = arguments.get("changes").and_then(Value::as_object);
    let texts = arguments.iter().chain(inner.into_iter().flatten());
    let mut texts = texts.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    texts.find_map(|(name, text)| {
        let parts = task
            .gold
            .changes
            .iter()
            .find_map(|change| match change.fields.get(name) {
                Some(Expectation::Says(parts)) => {
                    let all = parts.iter().all(|part| text.contains(part.as_str()));
                    (all && !parts.is_empty()).then_some(parts)
                }
                _ => None,
            })?;
        Some((name, text, parts.as_slice()))
    })
}

/// The calls with another value in an argument of call `n`, or in a field that it changes.
fn with_value(
    calls: &[(String, Value)],
    n: usize,
    field: &str,
    value: impl Into<Value>,
) -> Vec<(String, Value)> {
    let mut calls = calls.to_vec();
    if let Some((_, arguments)) = calls.get_mut(n) {
        let changes = arguments.get("changes");
        let map = match changes.is_some_and(|changes| changes.get(field).is_some()) {
            true => arguments.get_mut("changes"),
            false => Some(arguments),
        };
        if let Some(slot) = map.and_then(|map| map.get_mut(field)) {
            *slot = value.into();
        }
    }
    calls
}

/// The right calls with one mistake in what the text of call `n` says. A part that the text says a second time,
/// in its own words, is left as it is.
fn misworded(
    task: &TaskSpec,
    calls: &[(String, Value)],
    n: usize,
) -> Vec<(Mutation, Vec<(String, Value)>)> {
    let Some((field, text, parts)) = worded(task, calls, n) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for part in parts {
        if says(
            &text.replace(part.as_str(), " "),
            std::slice::from_ref(part),
        ) {
            continue;
        }
        let denied = text.replace(part.as_str(), &format!("not {part}"));
        out.push((Mutation::Denied, with_value(calls, n, field, denied)));
        if let Some(at) = part.find(|c: char| c.is_ascii_digit()) {
            let mut longer = part.clone();
            longer.insert(at, '1');
            let longer = text.replace(part.as_str(), &longer);
            out.push((Mutation::NumberInside, with_value(calls, n, field, longer)));
        }
    }
    out
}

/// The right run with the dates and numbers of its texts in other forms: each of them scores 1, as the right
/// run does.
///
/// ```
/// use enterprise_sandbox::tasks::rewordings;
/// use enterprise_sandbox::{Config, Spec};
/// use sim_core::Seed;
///
/// let generator = Spec::default().generator(&Config::of(50))?;
/// let (tasks, _) = generator.batch(Seed(3), 40);
/// let other = tasks.iter().flat_map(rewordings);
/// assert!(other.count() > 0);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn rewordings(task: &TaskSpec) -> Vec<Attempt> {
    let right = right(task);
    let mut out = Vec::new();
    for n in 0..right.calls.len() {
        let Some((field, text, parts)) = worded(task, &right.calls, n) else {
            continue;
        };
        for part in parts {
            for other in other_forms(part) {
                let text = text.replace(part.as_str(), &other);
                out.push(Attempt {
                    calls: with_value(&right.calls, n, field, text),
                    ..right.clone()
                });
            }
        }
    }
    out
}

/// Every mutation of the right run of a task.
///
/// A handful for a simple question, some dozens for a task with several writes.
#[must_use]
pub fn mutations(task: &TaskSpec) -> Vec<Attempt> {
    let right = right(task);
    let mut out = Vec::new();
    let mut push = |mutation, calls: Vec<(String, Value)>, ending: TaskEnd| {
        out.push(Attempt {
            mutation: Some(mutation),
            calls,
            ending,
        });
    };
    push(Mutation::Nothing, Vec::new(), TaskEnd::None);
    for (n, (tool, arguments)) in right.calls.iter().enumerate() {
        // Where the task cannot be done, the write of the plan is refused: without it the office is the same.
        if !is_write(tool) || task.gold.refusal.is_some() {
            continue;
        }
        let mut calls = right.calls.clone();
        calls.remove(n);
        push(Mutation::WriteDropped, calls, right.ending.clone());
        let Some(map) = arguments.as_object() else {
            continue;
        };
        let inner = map.get("changes").and_then(Value::as_object);
        let fields = map.iter().filter(|(name, _)| *name != "changes");
        let fields = fields.map(|field| (false, field));
        let changed = inner.into_iter().flatten().map(|field| (true, field));
        let key = crate::tools::find(tool).map_or("", |t| t.source.key());
        for (nested, (name, value)) in fields.chain(changed) {
            // Beside the changes an id says which record is meant.
            if name == key || name.ends_with("_id") && !nested {
                continue;
            }
            // Any text will do for a subject that the request does not give.
            let free = |change: &ExpectedChange| match change.fields.get(name) {
                Some(Expectation::Says(parts)) => parts.is_empty(),
                _ => false,
            };
            if task.gold.changes.iter().any(free) {
                continue;
            }
            let Some(new) = altered(name, value) else {
                continue;
            };
            let calls = with_value(&right.calls, n, name, new);
            push(Mutation::FieldAltered, calls, right.ending.clone());
        }
        for (mutation, calls) in misworded(task, &right.calls, n) {
            push(mutation, calls, right.ending.clone());
        }
    }
    let mut calls = right.calls.clone();
    calls.push((
        "social_platform_create".to_owned(),
        json!({"Title": "By the way", "Post": "Nobody asked for this."}),
    ));
    push(Mutation::ExtraWrite, calls, right.ending.clone());
    if let Some(gold) = &task.gold.refusal {
        let done = said("It is done.");
        push(Mutation::RefusalMissing, right.calls.clone(), done);
        for class in RefusalClass::ALL {
            if !gold.accepted.contains(&class) {
                let ending = refusal(class, "");
                push(Mutation::WrongClass, right.calls.clone(), ending);
            }
        }
        return out;
    }
    for class in RefusalClass::ALL {
        let ending = refusal(class, "");
        push(Mutation::UndueRefusal, right.calls.clone(), ending);
    }
    let facts = &task.gold.facts;
    for n in 0..facts.len() {
        let mut fewer = facts.clone();
        fewer.remove(n);
        push(Mutation::FactDropped, right.calls.clone(), answer(&fewer));
        let ending = said(facts_text(&fewer));
        push(Mutation::TextLacksFact, right.calls.clone(), ending);
        let mut wrong = facts.clone();
        if let Some(fact) = wrong.get_mut(n) {
            fact.value = other(fact.kind, &fact.value);
        }
        push(Mutation::FactAltered, right.calls.clone(), answer(&wrong));
    }
    out
}
