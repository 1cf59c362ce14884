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
/// use agent_client::interview::{LeakAuditor, Transcript, cases};
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
}

impl<'a> LeakAuditor<'a> {
    /// An audit of one case.
    #[must_use]
    pub fn new(case: &'a CaseStudy) -> Self {
        Self { case }
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
        let mut open = format!("{}\n{}", self.case.background, self.case.objective);
        let mut message = 0;
        for turn in &transcript.turns {
            if turn.speaker == Speaker::Candidate {
                asked.extend(dimensions(self.case, &turn.text));
                open.push('\n');
                open.push_str(&turn.text);
                continue;
            }
            let said = plain(&turn.text);
            let said_numbers = numbers(&turn.text);
            for hidden in self.case.hidden_texts() {
                if let Some(words) = shared(hidden, &said, &plain(&open)) {
                    leaks.push(Leak {
                        message,
                        what: "internal".to_owned(),
                        words,
                    });
                }
            }
            for fact in &self.case.gated {
                let known = told.iter().any(|(id, _)| *id == fact.id);
                // Text that two facts share discloses neither.
                let others: Vec<&str> = self.others(fact).collect();
                let open_or_other = plain(&format!("{open}\n{}", others.join("\n")));
                let words = shared(&fact.text, &said, &open_or_other);
                let number = self.telling(fact, &open).into_iter();
                let number = number.filter(|n| states(&said_numbers, *n, 0.0));
                let found = words.or_else(|| number.map(|n| n.to_string()).next());
                let Some(found) = found.filter(|_| !known) else {
                    continue;
                };
                if asked.contains(fact.dimension.as_str()) {
                    told.push((fact.id.clone(), message));
                } else {
                    leaks.push(Leak {
                        message,
                        what: fact.id.clone(),
                        words: found,
                    });
                }
            }
            open.push('\n');
            open.push_str(&turn.text);
            message += 1;
        }
        (leaks, told)
    }

    /// The texts of all other facts.
    fn others<'b>(&'b self, fact: &'b CaseFact) -> impl Iterator<Item = &'b str> {
        let others = self.case.gated.iter().filter(|other| other.id != fact.id);
        others.map(|other| other.text.as_str())
    }

    /// Numbers that occur in this fact and in no other text that may be disclosed. Small whole
    /// numbers are left out because they occur in every sentence.
    fn telling(&self, fact: &CaseFact, open: &str) -> Vec<f64> {
        let elsewhere: Vec<f64> = self
            .others(fact)
            .flat_map(numbers)
            .chain(numbers(open))
            .collect();
        numbers(&fact.text)
            .into_iter()
            .filter(|n| n.abs() >= 13.0 || n.fract() != 0.0)
            .filter(|n| !states(&elsewhere, *n, 0.0))
            .collect()
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

/// The first eight words in a row that `hidden` and `said` share and that are not in `open`; both
/// latter come from [`plain`]. A shorter hidden text counts as a whole from five words on.
fn shared(hidden: &str, said: &str, open: &str) -> Option<String> {
    let hidden = plain(hidden);
    let words: Vec<&str> = hidden.split_whitespace().collect();
    let length = SHINGLE.min(words.len());
    if length < 5 {
        return None;
    }
    words
        .windows(length)
        .map(|window| window.join(" "))
        .find(|shingle| {
            let around = format!(" {shingle} ");
            said.contains(&around) && !open.contains(&around)
        })
}
