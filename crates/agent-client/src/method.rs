//! The agent methods of [`METHODS`], and the streams of work in which they learn. A method is a
//! deliberator and a memory.
//!
//! Any deliberator can be combined with any memory: `debate+playbook` is a method, too. A
//! [`LearningStream`] runs a method on the episodes of an [`EpisodeWork`] (with [`WorkKind::Run`], on the same decision
//! repeatedly): games, questions, interviews; [`evolve`] searches for an instruction.
//!
//! [`WorkKind::Run`]: crate::memory::WorkKind::Run
//!
//! # Example
//! Two questions; the memory that `reflexion` learns from the first, wrong answer is shown for the second:
//! ```
//! use agent_client::Message;
//! use agent_client::backends::Scripted;
//! use agent_client::memory::{FeedbackMode, WorkKind};
//! use agent_client::method::{EpisodeUnit, EpisodeWork, LearningStream, MethodSpec, Team};
//! use qa_scoring::env::{Config, QuestionEnv};
//! use qa_scoring::{Gold, Item};
//! use sim_core::{Digest, Header, Limits, Seed, Sense, Session, ToolAdapter, ToolEnvironment};
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Arc::new(Scripted::texts(["Answer: 41", "I must check products.", "Answer: 56"]));
//! let method = "reflexion".parse::<MethodSpec>()?.make()?;
//! let work = EpisodeWork {
//!     feedback: FeedbackMode::Outcome,
//!     work: WorkKind::Question,
//!     ..EpisodeWork::new(Sense::Maximise)
//! };
//! let mut stream = LearningStream::new(Team::of(model.clone()), method, work);
//! let mut scores = Vec::new();
//! for (id, question, right) in [("q1", "What is 6 times 7?", "42"), ("q2", "What is 7 times 8?", "56")] {
//!     let item = Item::new(id, question, Gold::Text(right.to_owned()));
//!     let question = Arc::new(Config::default().question("formula".parse()?, item));
//!     let env = ToolAdapter::new(QuestionEnv::new(question)?);
//!     let header = Header::new("qa", 1, Digest([0; 32]), Digest([0; 32]), Seed(0), 0, "a model");
//!     let fresh = env.clone();
//!     let open = move || Ok(Box::new(fresh.clone()) as Box<dyn ToolEnvironment>);
//!     let (record, _) = stream
//!         .next(EpisodeUnit {
//!             name: id.to_owned(),
//!             task: String::new(),
//!             session: Session::new(Box::new(env), header, Limits::default()),
//!             open: &open,
//!             gold: None,
//!             truth: None,
//!             seats: BTreeMap::new(),
//!             after_turn: &mut |_| {},
//!         })
//!         .await?;
//!     scores.push(record.score.value());
//! }
//! assert_eq!(scores, [0.0, 1.0]);
//! let Message::System { text } = &model.asked()[2].messages[0] else { unreachable!() };
//! assert!(text.contains("I must check products."));
//! # Ok(())
//! # }
//! ```

mod episode;
mod evolve;
mod settings;
mod spec;
mod stream;
mod trials;

pub use episode::{EpisodeNote, EpisodeUnit, EpisodeWork, SeatPlayer};
pub use evolve::{Evolution, EvolveSettings, Evolved, evolve};
pub use settings::{MethodSetting, SettingKind};
pub use sim_core::METHODS;
pub use spec::{DeliberatorSpec, MemorySpec, Method, MethodSpec};
pub use stream::{LearningStream, Team};
pub use trials::{ItemTrial, Trial, Trials, instructed};
