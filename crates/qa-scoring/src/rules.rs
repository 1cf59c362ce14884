//! Scoring rules for one answer and the right one.
//!
//! | category | module | tasks |
//! |---|---|---|
//! | a computed number within 1 % | [`program`] | FinCode, CodeFinQA, CodeTAT-QA |
//! | a copied number or span | [`quantity`] | ConvFinQA, TAT-QA, SEC-NUM |
//! | one option | [`choice`] | FinKnow |
//! | a list of tags | [`tags`] | finer |
//! | a plain number, exactly | [`formula`] | formula |
//!
//! Each module has the strict rule and the published ones.
//!
//! A rule gets the reply and the right answer as text and says whether the reply is right; what the outcome counts is
//! decided in [`grade`](crate::grade).

pub mod choice;
pub mod compare;
pub mod formula;
pub mod number;
pub mod program;
pub mod quantity;
pub mod tags;
