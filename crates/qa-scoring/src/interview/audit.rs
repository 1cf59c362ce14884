//! Detects whether an interviewer disclosed hidden text.
//!
//! A model that interviews may disclose what it should keep. That makes a case easier without any sign in
//! the marks, so the transcript of every interviewer is audited after the interview.

use super::case::{CaseFact, CaseStudy};
use super::matching::{has_any, is_request, numbers, plain, sentences, states};
use super::transcript::{Speaker, Transcript};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Length of a run of words that does not occur by chance.
const SHINGLE: usize = 8;

/// A disclosure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leak {
    /// Index of the interviewer's message, from 0.
    pub message: u32,
    /// What was leaked: `internal`, or the name of a fact that nobody had asked for.
    pub what: String,
    /// The words (or the number) by which it was found.
    pub words: String,
}

/// Searches an interviewer's messages for guidance and for facts that were not asked for.
///
/// It works by rules and not with a model: eight consecutive words of hidden text, or a number that
/// occurs in a locked fact and nowhere else. It works with any interviewer, but does not find
/// paraphrases without numbers.
///
/// # Example
/// ```
/// use qa_scoring::interview::{LeakAuditor, Transcript, cases};
///
/// let case = cases()?.remove(0);
/// let mut transcript = Transcript::default();
/// transcript.interviewer(&case.background);
/// transcript.candidate("Let me think.");
/// transcript.interviewer(&case.internal.solution);
/// let (leaks, told) = LeakAuditor::new(&case).audit(&transcript);
/// assert_eq!((leaks[0].message, leaks[0].what.as_str()), (1, "internal"));
/// assert!(told.is_empty()); // no fact was asked for
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct LeakAuditor<'a> {
    case: &'a CaseStudy,
    hidden: Vec<Runs>,
    facts: Vec<Fact<'a>>,
}

/// A fact, and what tells it from the other texts of its case.
#[derive(Debug)]
struct Fact<'a> {
    fact: &'a CaseFact,
    /// Runs of words that no other fact contains: text that two facts share discloses neither.
    runs: Runs,
    /// Numbers that no other fact contains. Small whole numbers are left out because they occur in every
    /// sentence.
    numbers: Vec<f64>,
}

impl<'a> LeakAuditor<'a> {
    /// An audit of one case.
    #[must_use]
    pub fn new(case: &'a CaseStudy) -> Self {
        let texts: Vec<String> = case.gated.iter().map(|fact| plain(&fact.text)).collect();
        let values: Vec<Vec<f64>> = case.gated.iter().map(|fact| numbers(&fact.text)).collect();
        let facts = case.gated.iter().enumerate().map(|(at, fact)| {
            let is_other = |(other, _): &(usize, &CaseFact)| {
                case.gated
                    .get(*other)
                    .is_some_and(|other| other.id != fact.id)
            };
            let others: Vec<usize> = case
                .gated
                .iter()
                .enumerate()
                .filter(is_other)
                .map(|(at, _)| at)
                .collect();
            let mut runs = Runs::of(&fact.text);
            let of_others: Vec<&String> = others.iter().filter_map(|at| texts.get(*at)).collect();
            runs.0
                .retain(|run| !of_others.iter().any(|text| text.contains(run.as_str())));
            let elsewhere: Vec<f64> = others
                .iter()
                .filter_map(|at| values.get(*at))
                .flatten()
                .copied()
                .collect();
            let numbers = values.get(at).into_iter().flatten().copied();
            Fact {
                fact,
                runs,
                numbers: numbers
                    .filter(|n| n.abs() >= 13.0 || n.fract() != 0.0)
                    .filter(|n| !states(&elsewhere, *n, 0.0))
                    .collect(),
            }
        });
        Self {
            case,
            hidden: case.hidden_texts().into_iter().map(Runs::of).collect(),
            facts: facts.collect(),
        }
    }

    /// All leaks of a transcript, and when each fact was disclosed.
    ///
    /// The second list holds the name of each fact and the index of the interviewer's message that disclosed
    /// it, from 0 (the opening). A fact that is disclosed before a question aims at its dimension is a leak;
    /// after such a question it is not.
    #[must_use]
    pub fn audit(&self, transcript: &Transcript) -> (Vec<Leak>, Vec<(String, u32)>) {
        let mut leaks = Vec::new();
        let mut told: Vec<(String, u32)> = Vec::new();
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        let mut open = Open::default();
        open.add(&self.case.background);
        open.add(&self.case.objective);
        // An interviewer by rules names what may still be asked for: "the reaction at 14 euros" tells no fact.
        for fact in &self.case.gated {
            open.add(&fact.dimension);
        }
        let mut message = 0;
        for turn in &transcript.turns {
            if turn.speaker == Speaker::Candidate {
                asked.extend(dimensions(self.case, &turn.text));
                // An interviewer that repeats the words of the candidate discloses nothing.
                open.add(&turn.text);
                continue;
            }
            let said = plain(&turn.text);
            let said_numbers = numbers(&turn.text);
            for hidden in &self.hidden {
                if let Some(words) = hidden.shared(&said, &open) {
                    leaks.push(Leak {
                        message,
                        what: "internal".to_owned(),
                        words,
                    });
                }
            }
            for Fact {
                fact,
                runs,
                numbers,
            } in &self.facts
            {
                if told.iter().any(|(id, _)| *id == fact.id) {
                    continue;
                }
                let number = || {
                    let mut telling = numbers.iter().filter(|n| !states(&open.numbers, **n, 0.0));
                    telling
                        .find(|n| states(&said_numbers, **n, 0.0))
                        .map(f64::to_string)
                };
                let Some(found) = runs.shared(&said, &open).or_else(number) else {
                    continue;
                };
                if asked.contains(fact.dimension.as_str()) {
                    told.push((fact.id.clone(), message));
                } else {
                    // Not noted as told: what was said is open from now on, so that the same words
                    // are no second leak.
                    leaks.push(Leak {
                        message,
                        what: fact.id.clone(),
                        words: found,
                    });
                }
            }
            // Only now: its own words would otherwise be known before they are searched.
            open.add(&turn.text);
            message += 1;
        }
        (leaks, told)
    }
}

/// Everything that has been said or was known from the start.
#[derive(Debug, Default)]
struct Open {
    /// Words, as [`plain`] gives them.
    words: String,
    numbers: Vec<f64>,
}

impl Open {
    fn add(&mut self, text: &str) {
        let words = plain(text);
        // One blank stands between two texts, as between two words.
        let words = if self.words.is_empty() {
            words.as_str()
        } else {
            words.trim_start()
        };
        self.words.push_str(words);
        self.numbers.extend(numbers(text));
    }
}

/// Runs of words in the order of their text, each with a blank on both sides.
#[derive(Debug)]
struct Runs(Vec<String>);

impl Runs {
    /// All runs of eight words; a shorter text counts as a whole from five words on.
    fn of(text: &str) -> Self {
        let text = plain(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        let length = SHINGLE.min(words.len());
        if length < 5 {
            return Self(Vec::new());
        }
        let runs = words
            .windows(length)
            .map(|run| format!(" {} ", run.join(" ")));
        Self(runs.collect())
    }

    /// The first run that is in `said`, which comes from [`plain`], and was not open before.
    fn shared(&self, said: &str, open: &Open) -> Option<String> {
        let mut runs = self.0.iter();
        let found =
            runs.find(|run| said.contains(run.as_str()) && !open.words.contains(run.as_str()));
        found.map(|run| run.trim().to_owned())
    }
}

/// Dimensions that the questions and requests of a message aim at. The objective of the case is a
/// question too; repeating it requests nothing.
#[must_use]
pub fn dimensions<'a>(case: &'a CaseStudy, message: &str) -> BTreeSet<&'a str> {
    let objective: Vec<String> = sentences(&case.objective).into_iter().map(plain).collect();
    let asking: Vec<String> = sentences(message)
        .into_iter()
        .filter(|sentence| is_request(sentence))
        .map(|sentence| {
            let repeated = objective.iter();
            repeated.fold(plain(sentence), |text, known| text.replace(known, " "))
        })
        .collect();
    case.gated
        .iter()
        .filter(|fact| asking.iter().any(|text| has_any(text, &fact.triggers)))
        .map(|fact| fact.dimension.as_str())
        .collect()
}
