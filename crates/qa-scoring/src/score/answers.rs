//! Answers from a file, read with the items that they answer.

use super::Join;
use crate::error::LoadError;
use crate::grade::{AnswerOutcome, Grader, Settings};
use crate::item::Item;
use crate::load::{self, Answers, Prediction, Seen};
use crate::task::Task;

/// Reads the answers to `items` of `task` as [`predictions`](crate::load::predictions) does. The items decide what a file leaves open: whether
/// an `answer` beside another field is the right answer, whether a list is one answer or several, and
/// whether an empty line of a table of one column is an empty reply.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read, or where several fields could hold the replies.
///
/// ```
/// use qa_scoring::{Gold, Item, score};
/// let items = ["1", "2"].map(|id| Item::new(id, "?", Gold::Text("positive".into())));
/// let file = b"id,answer,sentiment\n1,positive,negative\n2,positive,neutral\n";
/// let answers = score::answers("FPB".parse()?, &items, file)?;
/// assert_eq!(answers.fields, ["sentiment"]);
/// assert_eq!(answers.set_aside.as_deref(), Some("answer"));
/// assert_eq!(answers.records[0].reply.as_deref(), Some("negative"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn answers(task: Task, items: &[Item], bytes: &[u8]) -> Result<Answers, LoadError> {
    load::answers(task, items.len(), bytes, |replies| {
        seen(task, items, replies)
    })
}

fn seen(task: Task, items: &[Item], replies: &[Prediction]) -> Vec<Seen> {
    let mut grader = Grader::new(Settings {
        intervals: false,
        ..Settings::default()
    });
    let join = Join::of(task, items, replies);
    let answered = items.iter().zip(&join.answers);
    answered
        .filter_map(|(item, answer)| Some((item, answer.as_ref()?.reply.as_deref()?.trim())))
        .map(|(item, text)| {
            let grade = grader.grade(task, item, Some(text));
            let asked = [Some(&item.question), item.context.as_ref()];
            Seen {
                is_right: grade.outcome == AnswerOutcome::Right
                    // By the text too: where a judge decides, the right answer itself has no grade
                    // here.
                    || item.gold_text().is_some_and(|gold| gold.trim() == text),
                // A shorter text, such as a number or a label, stands in many questions by chance.
                is_asked: text.len() > 12
                    && asked.iter().flatten().any(|asked| asked.contains(text)),
                is_read: !matches!(
                    grade.outcome,
                    AnswerOutcome::NoAnswer | AnswerOutcome::Missing | AnswerOutcome::ProviderError
                ),
            }
        })
        .collect()
}
