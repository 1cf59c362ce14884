//! Finding the answer in what a model wrote.
//!
//! | looked for | strict rule | published rules |
//! |---|---|---|
//! | option letters | [`letters`] | [`published`] |
//! | one label of a closed set | [`label`] | the whole text |
//! | a number | [`number`] | [`first_number`], [`last_number`], [`only_brace`] |
//! | a final answer of any kind | | [`final_answer`] |
//! | text without its thinking | [`without_thinking`] | |
//!
//! Every function here is total: any text, of any length, gives a value in time proportional to the
//! length (fuzzed by the crate's tests), and "nothing found" is a value of its own.

mod boxed;
mod brace;
mod fence;
mod final_answer;
mod json;
mod label;
mod letters;
mod number;
mod phrase;
pub mod published;
mod shape;
mod think;

pub use boxed::last_boxed;
pub use brace::{Braces, last_brace, only_brace};
pub use fence::{first_fence, last_fence};
pub use final_answer::{NO_FINAL_ANSWER, final_answer};
pub use json::{JsonAnswer, answer_value, last_object_with};

pub(crate) use json::{field, widest_object};
pub use label::{label, plain_label};
pub use letters::{LetterRule, Letters, letters};
pub use number::{
    ExtractedNumber, NumberRule, first_number, last_number, number, number_in, scaled_number,
};
pub use think::{Spoken, without_thinking};
