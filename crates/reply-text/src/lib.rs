//! Reads what the text of a model says.
//!
//! | question | where |
//! |---|---|
//! | what did it say, apart from its thoughts? | [`thoughts`] |
//! | which JSON did it write? | [`json`] |
//! | where does it mark its answer, and in which code? | [`mark`] |
//! | which numbers are in it? | [`number`] |
//! | does it deny what it mentions, or leave it open? | [`doubt`] |
//! | which number does it state as its answer? | [`answer`] |
//!
//! Models write one answer in many forms. Everything that cuts an answer out of a text is here, so that the
//! same form is read alike in letters, numbers, spans, labels, programs, marks of judges and calls of tools.
//! Every function is total: any text gives a value in time proportional to its length.

pub mod answer;
pub mod cut;
pub mod doubt;
pub mod json;
pub mod mark;
pub mod number;
mod plain;
pub mod thoughts;
