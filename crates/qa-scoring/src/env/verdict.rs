//! A grade on one scale for all tasks.

use crate::grade::{AnswerOutcome, Grade};
use crate::task::{Metric, Task};

/// Share of the best score from which a graded answer is told to a memory as a success. Nothing else
/// depends on it: figures are means.
// The number from which the published evaluation calls the score of a judge correct.
const SUCCESS: f64 = 0.8;

/// A grade on the scale from 0 to 1, with a word that does not give the answer away.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Share of the full score, 0 to 1.
    pub score: f64,
    /// Whether the answer counts as correct.
    pub correct: bool,
    /// Feedback on the answer.
    pub feedback: String,
}

/// `grade` of an answer to a question of `task` on the scale from 0 to 1.
#[must_use]
pub fn told(task: Task, grade: &Grade) -> Told {
    let top = match task.metric() {
        Metric::Judged => 5.0,
        _ => 1.0,
    };
    let score = (grade.value.unwrap_or(0.0) / top).clamp(0.0, 1.0);
    let word = match grade.outcome {
        AnswerOutcome::Right => "right".to_owned(),
        AnswerOutcome::Wrong => "wrong".to_owned(),
        AnswerOutcome::Graded => format!("{score:.2} of 1"),
        AnswerOutcome::NoAnswer => "no answer could be read in the reply".to_owned(),
        AnswerOutcome::ProviderError | AnswerOutcome::Missing => "there is no reply".to_owned(),
        AnswerOutcome::Unsupported => "the program cannot be run here".to_owned(),
        AnswerOutcome::Unscored | AnswerOutcome::NoGold => "not judged".to_owned(),
    };
    let note = grade
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(" ({note})"));
    Told {
        score,
        correct: grade.outcome == AnswerOutcome::Right
            || (grade.outcome == AnswerOutcome::Graded && score >= SUCCESS),
        feedback: format!("{word}{note}"),
    }
}
