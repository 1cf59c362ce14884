//! An interviewer that works by rules.
//!
//! Its reaction to an answer is the first of these that applies:
//!
//! 1. a recommendation with at least two drivers, and enough answers for the length of the case: it closes;
//! 2. a question that aims at more than three dimensions: it asks which one matters most;
//! 3. three requests in a row without reasoning or a number: it asks for a summary and a hypothesis;
//! 4. a question that aims at a locked fact whose earlier facts are open: it discloses the fact;
//! 5. a question that aims at an open fact: it repeats the fact;
//! 6. any other request: the case says nothing about it;
//! 7. no request: it asks for the next step, from the second such answer in a row on with the name of a
//!    dimension that is still locked, and for the recommendation if nothing is locked.

use super::audit::dimensions;
use super::case::CaseStudy;
use super::matching::{has_any, is_request, numbers, plain, sentences};
use super::transcript::{END_TOKEN, Speaker, Transcript};

/// Maximum number of dimensions in one message.
const MOST_DIMENSIONS: usize = 3;
/// Maximum number of consecutive requests without reasoning.
const MOST_REQUESTS: u32 = 3;

const TOO_MUCH: &str = "That is a lot at once. Which of these matters most for your conclusion, and why? Let us take \
    that one first.";
const SUM_UP: &str =
    "Before I give you more: please sum up what you know so far and tell me your hypothesis.";

/// Whether a message of this interviewer asks for reasoning in place of giving data.
pub(crate) fn is_redirect(message: &str) -> bool {
    [TOO_MUCH, SUM_UP].contains(&message)
}

const THOUGHTS: [&str; 12] = [
    "because",
    "therefore",
    "hypothes",
    "suggests",
    "implies",
    "which means",
    "this means",
    "so that",
    "my structure",
    "i conclude",
    "in total",
    "calculat",
];
const ADVICE: [&str; 7] = [
    "i recommend",
    "my recommendation",
    "i advise",
    "my advice",
    "i suggest that the client",
    "the client should",
    "i would therefore",
];

/// An interviewer without a model: unlocks a fact when a question aims at its dimension, one per
/// message, asks for reasoning when the candidate only collects data, and closes when there is a
/// recommendation with two drivers and the interview is long enough.
///
/// Deterministic and free of cost, for tests and as a lower bound. It matches words and does not
/// understand meaning.
#[derive(Debug, Default)]
pub struct RuleInterviewer {
    unlocked: Vec<String>,
    requests: u32,
    idle: u32,
}

impl RuleInterviewer {
    /// An interviewer at the start of an interview.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next message; it ends with [`END_TOKEN`] to close the interview. An empty `transcript` asks for the opening.
    pub fn speak(&mut self, case: &CaseStudy, transcript: &Transcript) -> String {
        let Some(answer) = transcript.of(Speaker::Candidate).next_back() else {
            return opening(case);
        };
        // First: a recommendation often holds questions and numbers too.
        if self.may_close(case, transcript, answer) {
            return closing();
        }
        let text = plain(answer);
        let asked = dimensions(case, answer);
        let requests = sentences(answer).iter().any(|s| is_request(s));
        let thinks = has_any(&text, &THOUGHTS) || !numbers(answer).is_empty();
        // Everything but a bare request begins the count anew.
        self.requests = match (requests, thinks) {
            (true, false) => self.requests + 1,
            _ => 0,
        };
        if asked.len() > MOST_DIMENSIONS {
            return TOO_MUCH.to_owned();
        }
        if self.requests >= MOST_REQUESTS {
            return SUM_UP.to_owned();
        }
        let is_open = |id: &str| self.unlocked.iter().any(|known| known == id);
        let next = case.gated.iter().find(|fact| {
            asked.contains(fact.dimension.as_str())
                && !is_open(&fact.id)
                // Facts that follow from others are not given to somebody who guesses.
                && fact.after.iter().all(|id| is_open(id))
        });
        if let Some(fact) = next {
            // One fact a message, as the candidate is to ask for each of them.
            self.unlocked.push(fact.id.clone());
            self.idle = 0;
            return format!("{} {}", fact.text, self.follow_up());
        }
        let again = case
            .gated
            .iter()
            .filter(|fact| asked.contains(fact.dimension.as_str()) && is_open(&fact.id))
            .map(|fact| fact.text.as_str())
            // The last one, which the candidate is most likely to mean.
            .next_back();
        if let Some(known) = again {
            return format!("As I said: {known} What do you make of it?");
        }
        if requests {
            return "The case does not say anything about that. Please make a sensible assumption, \
                    or look at it from another side."
                .to_owned();
        }
        self.idle += 1;
        let closed = case.gated.iter().find(|fact| {
            !self.unlocked.contains(&fact.id)
                && fact.after.iter().all(|id| self.unlocked.contains(id))
        });
        match closed {
            // A hint names a direction, never a fact.
            Some(fact) if self.idle >= 2 => {
                self.idle = 0;
                format!(
                    "You have not looked at {} yet. What would you want to know?",
                    fact.dimension
                )
            }
            Some(_) => "Understood. What would you want to look at next, and why?".to_owned(),
            None => {
                "You have what there is. What do you recommend, and on what grounds?".to_owned()
            }
        }
    }

    fn may_close(&self, case: &CaseStudy, transcript: &Transcript, answer: &str) -> bool {
        let long_enough = transcript.answers() >= case.length.least_answers() as usize;
        let text = plain(answer);
        // Of all answers: drivers are worked out on the way and not repeated at the end.
        let everything: Vec<String> = transcript.of(Speaker::Candidate).map(plain).collect();
        let everything = everything.concat();
        let drivers = case.rubric.drivers.iter();
        let named = drivers
            .filter(|driver| has_any(&everything, &driver.any))
            .count();
        long_enough && has_any(&text, &ADVICE) && named >= 2.min(case.rubric.drivers.len())
    }

    fn follow_up(&self) -> &'static str {
        match self.unlocked.len() % 3 {
            0 => "What does that tell you?",
            1 => "How does that fit into your structure?",
            _ => "What would you work out from it?",
        }
    }
}

fn opening(case: &CaseStudy) -> String {
    format!(
        "{} {} Before we begin: how do you understand the objective, and how would you structure \
         the problem?",
        case.background, case.objective
    )
}

fn closing() -> String {
    format!(
        "Thank you. You have given a recommendation with its grounds; in practice it should be \
         followed by a check of the largest assumption. That closes our interview. {END_TOKEN}"
    )
}
