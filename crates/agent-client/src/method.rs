//! The agent methods of [`METHODS`], and the streams of work in which they learn. A method is a
//! deliberator and a memory.
//!
//! Any deliberator can be combined with any memory: `debate+playbook` is a method, too. A
//! [`LearningStream`] runs a method on [`EpisodeWork`] (with [`WorkKind::Run`], on the same decision
//! repeatedly), [`QuestionWork`] or [`InterviewWork`]; [`evolve`] searches for an instruction.
//!
//! [`WorkKind::Run`]: crate::memory::WorkKind::Run
//! [`InterviewWork`]: crate::interview::InterviewWork
//!
//! # Example
//! Two questions; the memory that `reflexion` learns from the first, wrong answer is shown for the second:
//! ```
//! use agent_client::backends::Scripted;
//! use agent_client::method::{
//!     AnswerVerdict, AnswerGrader, Question, LearningStream, MethodSpec, QuestionWork, ItemSeries, Team,
//! };
//! use agent_client::memory::FeedbackMode;
//! use agent_client::{AgentError, Message};
//! use async_trait::async_trait;
//! use std::sync::Arc;
//!
//! struct Exact;
//!
//! #[async_trait]
//! impl AnswerGrader for Exact {
//!     fn name(&self) -> String {
//!         "exact-1".to_owned()
//!     }
//!
//!     async fn grade(&self, item: &Question, answer: &str, _: &str) -> Result<AnswerVerdict, AgentError> {
//!         let correct = item.truth.as_deref() == Some(answer);
//!         Ok(AnswerVerdict {
//!             score: if correct { 1.0 } else { 0.0 },
//!             correct,
//!             feedback: String::new(),
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), AgentError> {
//! let model = Arc::new(Scripted::texts(["ANSWER: 41", "I must check products.", "ANSWER: 56"]));
//! let method = "reflexion".parse::<MethodSpec>()?.make()?;
//! let work = QuestionWork { feedback: FeedbackMode::Outcome, series: ItemSeries::new("demo", 0, 0) };
//! let mut stream = LearningStream::new(Team::of(model.clone()), method, work);
//! let item = |id: &str, question: &str, truth: &str| Question {
//!     truth: Some(truth.to_owned()),
//!     ..Question::new(id, question)
//! };
//! let first = stream.next((&item("q1", "What is 6 times 7?", "42"), &Exact)).await?;
//! let second = stream.next((&item("q2", "What is 7 times 8?", "56"), &Exact)).await?;
//! assert_eq!(first.grade.map(|grade| grade.correct), Some(false));
//! assert_eq!(second.grade.map(|grade| grade.correct), Some(true));
//! let Message::System { text } = &model.asked()[2].messages[0] else { unreachable!() };
//! assert!(text.contains("I must check products."));
//! # Ok(())
//! # }
//! ```

mod episode;
mod evolve;
mod item;
pub(crate) use item::digest_of;
mod question;
mod settings;
mod spec;
mod stream;
mod trials;

pub use episode::{EpisodeNote, EpisodeProgress, EpisodeUnit, EpisodeWork, SeatPlayer};
pub use evolve::{Evolution, EvolveSettings, Evolved, evolve};
pub use item::{ItemHeader, ItemProgress, ItemSeries, ItemWork};
pub use question::{AnswerGrader, AnswerVerdict, ItemRecord, Question, QuestionWork};
pub use settings::{MethodSetting, SettingKind};
pub use sim_core::METHODS;
pub use spec::{DeliberatorSpec, MemorySpec, Method, MethodSpec};
pub use stream::{LearningStream, LearningWork, Team, UnitContext};
pub(crate) use trials::tried;
pub use trials::{ItemTrial, QuestionTrial, Split, Trial, TrialSource, Trials, instructed};
