//! The agent methods of [`METHODS`]: a deliberator and a memory each, and the streams of work in
//! which they learn.
//!
//! Every deliberator goes with every memory: `debate+playbook` is a method, too. A
//! [`LearningStream`] drives a method through [`EpisodeWork`] (and, with [`Work::Run`], through the same
//! decision again and again), [`QuestionWork`] or [`InterviewWork`]; [`evolve`] is the search for an
//! instruction.
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
pub use stream::{LearningStream, LearningWork, Team, UnitContext, order};
