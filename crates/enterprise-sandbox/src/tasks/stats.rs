//! Figures of a set of tasks: how long plans are, how often a template recurs, how requests sound,
//! and how far somebody gets who reads only the wording.
//!
//! ```
//! use enterprise_sandbox::tasks::TaskStats;
//! use enterprise_sandbox::{Config, Spec};
//! use sim_core::Seed;
//!
//! let generator = Spec::default().generator(&Config::of(50))?;
//! let (tasks, _) = generator.batch(Seed(3), 100);
//! let stats = TaskStats::of(&tasks);
//! assert_eq!(stats.tasks, 100);
//! assert_eq!(stats.steps.values().sum::<u64>(), 100);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::{FactKind, TaskSpec};
use crate::data::synth::phrases::{pair, phrases};
use crate::data::tables::TableId;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Tasks that a template needs before shares of its answers mean something.
const ENOUGH: u64 = 10;

/// Figures of a set of tasks.
///
/// Shares are between 0 and 1. Those of answers are given for templates with at least ten tasks in
/// the set.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TaskStats {
    /// Number of tasks.
    pub tasks: u64,
    /// Tasks by category.
    pub categories: BTreeMap<&'static str, u64>,
    /// Tasks by domain.
    pub domains: BTreeMap<&'static str, u64>,
    /// Mean number of steps of the plan.
    pub mean_steps: f64,
    /// Tasks by number of steps.
    pub steps: BTreeMap<usize, u64>,
    /// Mean longest chain of dependent steps.
    pub mean_depth: f64,
    /// Tasks by template.
    pub templates: BTreeMap<String, u64>,
    /// Share of the most frequent template.
    pub largest_template: f64,
    /// Share of requests that name a record by its key.
    pub bare_ids: f64,
    /// Share of requests with a greeting or a word of thanks.
    pub greetings: f64,
    /// Greetings and thanks by frequency.
    pub greeting_words: BTreeMap<String, u64>,
    /// Different requests.
    pub different_requests: u64,
    /// Share of YES, by template and key.
    pub yes: BTreeMap<String, f64>,
    /// Share of the most frequent complete answer, by template.
    pub constant_answers: BTreeMap<String, f64>,
    /// Share of tasks that a baseline solves that calls no tool: it gives the answer or refusal that
    /// was right most often for other tasks of the set with the same wording.
    pub wording_only: f64,
    /// Tasks that this baseline solves, by template.
    pub wording_only_by_template: BTreeMap<String, u64>,
}

#[expect(clippy::cast_precision_loss, reason = "counts of tasks")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl TaskStats {
    /// The figures of these tasks.
    #[must_use]
    pub fn of(tasks: &[TaskSpec]) -> Self {
        let mut out = Self {
            tasks: tasks.len() as u64,
            ..Self::default()
        };
        let (mut steps, mut depth, mut ids, mut greeted) = (0, 0, 0, 0);
        let mut yes: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let mut answers: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
        for t in tasks {
            *out.categories.entry(t.category.into()).or_default() += 1;
            *out.domains.entry(t.domain.into()).or_default() += 1;
            *out.steps.entry(t.subtasks.len()).or_default() += 1;
            *out.templates.entry(t.template.clone()).or_default() += 1;
            steps += t.subtasks.len() as u64;
            depth += u64::from(t.depth);
            ids += u64::from(names_a_key(t));
            if let Some(words) = greeting(&t.instruction) {
                greeted += 1;
                *out.greeting_words.entry(words).or_default() += 1;
            }
            if t.gold.refusal.is_some() {
                continue;
            }
            for fact in &t.gold.facts {
                if fact.kind == FactKind::YesNo {
                    let of = yes
                        .entry(format!("{}.{}", t.template, fact.key))
                        .or_default();
                    of.0 += u64::from(fact.value.as_str() == Some("YES"));
                    of.1 += 1;
                }
            }
            if !t.gold.facts.is_empty() {
                let all = answers.entry(t.template.as_str()).or_default();
                *all.entry(facts_of(t)).or_default() += 1;
            }
        }
        out.mean_steps = share(steps, out.tasks);
        out.mean_depth = share(depth, out.tasks);
        out.largest_template = share(
            out.templates.values().copied().max().unwrap_or(0),
            out.tasks,
        );
        out.bare_ids = share(ids, out.tasks);
        out.greetings = share(greeted, out.tasks);
        let requests: BTreeSet<&str> = tasks.iter().map(|t| t.instruction.as_str()).collect();
        out.different_requests = requests.len() as u64;
        out.yes = yes
            .into_iter()
            .filter(|(_, (_, of))| *of >= ENOUGH)
            .map(|(name, (yes, of))| (name, share(yes, of)))
            .collect();
        out.constant_answers = answers
            .into_iter()
            .filter_map(|(name, counts)| {
                let of: u64 = counts.values().sum();
                let most = counts.values().copied().max().unwrap_or(0);
                (of >= ENOUGH).then(|| (name.to_owned(), share(most, of)))
            })
            .collect();
        let solved = solved_by_wording(tasks);
        out.wording_only = share(solved.len() as u64, out.tasks);
        for task in solved {
            *out.wording_only_by_template
                .entry(task.template.clone())
                .or_default() += 1;
        }
        out
    }
}

fn per_cent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl fmt::Display for TaskStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |counts: &mut dyn Iterator<Item = (String, u64)>| {
            let parts: Vec<String> = counts.map(|(k, n)| format!("{k} {n}")).collect();
            parts.join(", ")
        };
        let named = |m: &BTreeMap<&'static str, u64>| {
            list(&mut m.iter().map(|(k, n)| ((*k).to_owned(), *n)))
        };
        writeln!(
            f,
            "{} tasks: {}; {}",
            self.tasks,
            named(&self.categories),
            named(&self.domains)
        )?;
        writeln!(
            f,
            "steps       {:.2} on average (chain {:.2}); tasks by steps: {}",
            self.mean_steps,
            self.mean_depth,
            list(&mut self.steps.iter().map(|(k, n)| (k.to_string(), *n)))
        )?;
        let largest = self.templates.iter().max_by_key(|(_, n)| **n);
        writeln!(
            f,
            "templates   {}; most frequent {} with {}",
            self.templates.len(),
            largest.map_or("", |(name, _)| name),
            per_cent(self.largest_template)
        )?;
        writeln!(
            f,
            "wording     {} different requests; bare ids in {}; {} different greetings in {}",
            self.different_requests,
            per_cent(self.bare_ids),
            self.greeting_words.len(),
            per_cent(self.greetings)
        )?;
        for (name, yes) in &self.yes {
            writeln!(f, "yes         {name} {}", per_cent(*yes))?;
        }
        let constant = self.constant_answers.iter();
        if let Some((name, share)) = constant.max_by(|a, b| a.1.total_cmp(b.1)) {
            writeln!(
                f,
                "constant    one answer is right in at most {} ({name})",
                per_cent(*share)
            )?;
        }
        writeln!(
            f,
            "wording only, without tools: {} solved",
            per_cent(self.wording_only)
        )
    }
}

/// The facts of a task as one text.
fn facts_of(t: &TaskSpec) -> String {
    let facts = t.gold.facts.iter();
    facts.map(|f| format!("{}={};", f.key, f.value)).collect()
}

/// What a request says before and after what it asks for, if it is a greeting or thanks.
fn frame(text: &str) -> Option<(&'static str, &'static str)> {
    let mut frames = phrases("frames").iter().map(|line| pair(line));
    frames.find(|(before, after)| {
        (!before.is_empty() && text.starts_with(before))
            || (!after.is_empty() && text.ends_with(after))
    })
}

/// The greeting or thanks of a request.
fn greeting(text: &str) -> Option<String> {
    if let Some((before, after)) = frame(text) {
        return Some(format!("{before}{after}").trim().to_owned());
    }
    let lower = text.to_lowercase();
    // "hi" and "dear" begin other words.
    let mut hello = "hi |hi,|hi!|hello|hey|dear |good morning|good afternoon".split('|');
    let mut thanks = "thanks|thanks!|thanks.|thank you|thank you.|thank you!".split('|');
    let first = hello.find(|w| lower.starts_with(w));
    let last = thanks.find(|w| lower.ends_with(w));
    first.or(last).map(str::to_owned)
}

/// Whether a request names a record by a key that only programs use. Names of repositories and
/// documents are not counted: people use them.
fn names_a_key(t: &TaskSpec) -> bool {
    let keys: Vec<&str> = t
        .provenance
        .iter()
        .filter(|p| !matches!(p.source, TableId::Repositories | TableId::PolicyDocuments))
        .map(|p| p.id.as_str())
        .collect();
    let words = t.instruction.split_whitespace();
    let ends = |c: char| !c.is_alphanumeric();
    words
        .map(|w| w.trim_matches(ends))
        .any(|w| !w.is_empty() && (keys.contains(&w) || looks_like_a_key(w)))
}

/// Whether a word has the form of a key: `emp_0042`, `CLNT-0001`, `THR_..`, a UUID, or ten capitals
/// and digits.
fn looks_like_a_key(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hex = |w: &str| w.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let prefixed = [
        "emp_",
        "CLNT-",
        "THR_",
        "invoice_",
        "purchase_order_",
        "shipping_order_",
    ];
    let code = word.len() == 10
        && digits > 0
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && digits < 10;
    prefixed.iter().any(|p| word.starts_with(p)) || (word.len() == 36 && hex(word)) || code
}

/// A request without greeting, with the values of its slots masked.
fn skeleton(t: &TaskSpec) -> String {
    let mut text = t.instruction.clone();
    if let Some((before, after)) = frame(&text) {
        let cut = text.strip_prefix(before).unwrap_or(&text);
        text = cut.strip_suffix(after).unwrap_or(cut).to_owned();
    }
    let mut values: Vec<(&String, &String)> = t.slots.iter().collect();
    // Longer values first: a short one may be part of a longer one.
    values.sort_by_key(|(_, v)| std::cmp::Reverse(v.len()));
    for (name, value) in values {
        text = text.replace(value.as_str(), &format!("{{{name}}}"));
    }
    text
}

/// What can be right without a tool: an answer or a refusal. Writes cannot.
fn outcome(t: &TaskSpec) -> Option<String> {
    match &t.gold.refusal {
        Some(refusal) => Some(format!("refuse {}", refusal.class)),
        None => t.gold.changes.is_empty().then(|| facts_of(t)),
    }
}

/// Text and skeleton of a request, and its outcome.
type Wording = ([String; 2], Option<String>);

/// Tasks whose outcome is the one that was right most often for the other tasks with the same text,
/// else with the same skeleton.
fn solved_by_wording(tasks: &[TaskSpec]) -> Vec<&TaskSpec> {
    let known: Vec<Wording> = tasks
        .iter()
        .map(|t| ([t.instruction.clone(), skeleton(t)], outcome(t)))
        .collect();
    let solved = tasks.iter().zip(guessed(&known));
    solved.filter_map(|(task, is)| is.then_some(task)).collect()
}

/// Whether each outcome is guessed from the others with the same wording.
fn guessed(known: &[Wording]) -> Vec<bool> {
    let mut by_text: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (texts, outcome) in known {
        if let Some(outcome) = outcome {
            // A request without slots and greeting is its own skeleton, and counts once.
            for text in BTreeSet::from_iter(texts) {
                let counts = by_text.entry(text).or_default();
                *counts.entry(outcome).or_default() += 1;
            }
        }
    }
    // A task leaves out only its own outcome, so one of the two most frequent ones is the guess. To go through all
    // outcomes of a wording for each of its tasks would take the square of their number.
    let leaders = by_text.into_iter().map(|(text, counts)| {
        let mut ranked: Vec<_> = counts.into_iter().map(|(o, n)| (n, o)).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        ranked.truncate(2);
        (text, ranked)
    });
    let leaders: BTreeMap<&str, Vec<(u64, &str)>> = leaders.collect();
    let solves = |(texts, outcome): &Wording| {
        let Some(own) = outcome else {
            return false;
        };
        let guess = texts.iter().find_map(|text| {
            let ranked = leaders.get(text.as_str())?.iter();
            let others = ranked.map(|(n, o)| (n - u64::from(o == own), *o));
            others.filter(|(n, _)| *n > 0).max()
        });
        guess.is_some_and(|(_, guess)| guess == own)
    };
    known.iter().map(solves).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_greetings_by_hand() {
        for (word, key) in [
            ("emp_0042", true),
            ("CLNT-0001", true),
            ("0208c585-3273-4c1d-8f1b-0123456789ab", true),
            ("B000000001", true),
            ("meadow-planner-12", false),
            ("M-219", false),
            ("2024-05-12", false),
            ("0123456789", false),
        ] {
            assert_eq!(looks_like_a_key(word), key, "{word}");
        }
        assert!(greeting("Hi! Who is that?").is_some());
        assert!(greeting("Who is that? Thanks!").is_some());
        assert!(greeting("Dear me, who is that?").is_some());
        assert!(greeting("Who is that?").is_none());
    }

    /// Every list of up to five tasks with three outcomes in two texts of one skeleton, against the definition. Of two
    /// outcomes that are equally frequent, the later one in the alphabet is the guess.
    #[test]
    fn guesses_are_those_of_a_search_through_all_other_tasks() {
        let outcomes = [Some("a"), Some("b"), Some("c"), None];
        for (length, list) in (0..=5).flat_map(|l| (0..8_usize.pow(l)).map(move |n| (l, n))) {
            let digits = (0..length).map(|place| list / 8_usize.pow(place) % 8);
            let known: Vec<Wording> = digits
                .map(|d| {
                    let text = if d < 4 { "one" } else { "two" };
                    let texts = [text.to_owned(), "skeleton".to_owned()];
                    (texts, outcomes[d % 4].map(str::to_owned))
                })
                .collect();
            let wanted = known.iter().enumerate().map(|(at, (texts, own))| {
                let guess = (0..2).find_map(|form| {
                    let others = known.iter().enumerate().filter(|(n, _)| *n != at);
                    let alike = others.filter(|(_, (other, _))| other[form] == texts[form]);
                    let right: Vec<&String> = alike.filter_map(|(_, (_, o))| o.as_ref()).collect();
                    let count = |o: &&String| right.iter().filter(|other| *other == o).count();
                    right.iter().copied().max_by_key(|o| (count(o), *o))
                });
                own.is_some() && guess == own.as_ref()
            });
            assert_eq!(guessed(&known), wanted.collect::<Vec<_>>(), "{known:?}");
        }
    }
}
