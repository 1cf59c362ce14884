//! The agent methods of [`METHODS`], and the streams of work in which they learn. A method is a
//! deliberator and a memory.
//!
//! Any deliberator can be combined with any memory: `debate+playbook` is a method, too. A
//! [`LearningStream`] runs a method on [`EpisodeWork`] (with [`Work::Run`], on the same decision
//! repeatedly), [`QuestionWork`] or [`InterviewWork`]; [`evolve`] searches for an instruction.
//!
//! [`Work::Run`]: crate::memory::Work::Run
//! [`InterviewWork`]: crate::interview::InterviewWork

mod episode;
mod evolve;
mod item;
mod question;
mod range;
mod spec;
mod stream;

pub use episode::{EpisodeNote, EpisodeProgress, EpisodeUnit, EpisodeWork};
pub use evolve::{
    Evolution, EvolveSettings, Evolved, QuestionTrials, Split, Trial, TrialSource, evolve,
};
pub use item::{ItemHeader, ItemProgress, ItemWork, Series};
pub use question::{Grade, Grader, Item, ItemRecord, QuestionWork};
pub use sim_core::METHODS;
pub use spec::{DeliberatorSpec, MemorySpec, Method, MethodSpec};
pub use stream::{LearningStream, LearningWork, Team, UnitContext};
