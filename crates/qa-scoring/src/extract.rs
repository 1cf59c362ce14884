//! Finding the answer in what a model wrote.
//!
//! | looked for | strict rule | published rules |
//! |---|---|---|
//! | option letters | [`letters`], else options written out: [`written_options`] | [`published`] |
//! | one label of a closed set | [`label`] | the whole text |
//! | a number | [`number`] | [`first_number`](crate::rules::number::first_number) and its kin |
//! | a program | [`programs`] | the last fence |
//! | a span, yes or no | [`spans`], [`yes_no`] | the whole text |
//! | a final answer of any kind | | [`final_answer`] |
//! | text without its thinking | [`without_thinking`] | |
//!
//! All strict rules cut with [`reply_text`]: thoughts go first, then the last explicit answer counts, whatever form
//! marks it.
//!
//! Every function here is total: any text, of any length, gives a value in time proportional to the
//! length (fuzzed by the crate's tests), and "nothing found" is a value of its own.

mod final_answer;
mod label;
mod letters;
mod options;
mod phrase;
mod program;
pub mod published;
mod shape;
mod spans;

use reply_text::answer::{self, Answer};

pub use final_answer::{NO_FINAL_ANSWER, final_answer};
pub use label::{label, plain_label};
pub use letters::letters;
pub use options::written_options;
pub use program::programs;
pub use reply_text::thoughts::{Spoken, without_thinking};
pub use spans::{spans, yes_no};

pub(crate) use options::lettered_options;
pub(crate) use reply_text::json::{field, last_object_with, widest_object};
pub(crate) use reply_text::mark::last_fence;
pub(crate) use shape::behind_number;

/// The number of a reply by the strict rule, without running code: thoughts are removed, then
/// [`reply_text::answer::number`] decides.
///
/// ```
/// use qa_scoring::extract::number;
/// let value = |reply| number(reply).map(|found| found.value());
/// assert_eq!(value("In 2019 sales rose. The answer is $1,200.50."), Some(1200.5));
/// assert_eq!(value("[[12%]]"), Some(12.0));
/// assert_eq!(value("<think>5</think>n/a"), None);
/// ```
#[must_use]
pub fn number(reply: &str) -> Option<Answer> {
    let spoken = without_thinking(reply).text()?;
    answer::number(&spoken)
}
