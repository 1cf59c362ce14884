//! The contract of Boardroom: the traits of a business simulator, and everything that is the same for
//! all simulators.
//!
//! A simulator implements three traits: a typed [`Environment`] (state, action, observation, feedback), a
//! [`ToolInterface`] with its tools and prompts, and an [`EnvironmentSpec`] with presets, generator,
//! reference and policies. Everything else is built on these three:
//!
//! ```text
//!  Config ─generate(episode)─► Instance ─begin─► Environment ─► ToolAdapter ─► Session ─► EpisodeRecord
//!  (preset, settings)          (drawn once)      (typed)        (tools)        (limits,   (verify, resume,
//!                                                                              log)       statistics)
//! ```
//!
//! * **Random numbers** come from a [`Seed`] by named streams; the same seed gives the same bytes on
//!   every platform ([`seed`], [`math`], [`bytes`]).
//! * **An environment is a value**: a clone is a fork of the episode, and a restored state continues
//!   identically. A refused action changes nothing.
//! * **Policies and reinforcement learning** use the typed side, or [`BatchEnvironment`] for many
//!   lanes.
//! * **Language models, MCP clients and people** use the tool side, [`ToolEnvironment`]. Its only
//!   implementation is [`ToolAdapter`]; [`WithNotes`] adds notes to any tool environment.
//! * **A [`Session`]** plays an episode: it applies every input, enforces [`Limits`] and keeps the log,
//!   from which [`EpisodeRecord::verify`] replays the episode and [`Session::resume`] continues it.
//! * **A [`Rollout`]** is an episode of policies without a log: the same score and counts, in a fraction of the time.
//! * **[`testkit::check_contract`]** is the test that every simulator starts from.
//!
//! This crate reads no clock, does no input or output, and depends on no agent.
//!
//! # Example
//!
//! Streams are independent of each other and of the order in which they are used:
//!
//! ```
//! use sim_core::{Score, Seed};
//!
//! let demand = |week| Seed(7).stream("demand", week).between(50, 150);
//! let (second, first) = (demand(2), demand(1));
//! assert_eq!((first, second), (demand(1), demand(2)));
//!
//! let score = Score::new(9_200.0)?.metric("bullwhip", f64::NAN);
//! assert!(score.metrics().is_empty(), "an undefined metric is absent");
//! # Ok::<(), sim_core::NotFinite>(())
//! ```
//!
//! `docs/new-simulator.md` walks through a whole simulator (`examples/new_simulator.rs`).

pub mod ask;
pub mod batch;
pub mod bm25;
pub mod bytes;
pub mod cause;
pub mod described;
pub mod difference;
pub mod dyn_spec;
pub mod environment;
pub mod error;
pub mod lanes;
pub mod limits;
pub mod math;
pub mod method;
pub mod notes;
pub mod parallel;
pub mod plot;
pub mod policy;
pub mod record;
pub mod rollout;
pub mod schema;
pub mod score;
pub mod scrub;
pub mod seed;
pub mod session;
pub mod spec;
pub mod stats;
pub mod strict;
pub mod testkit;
pub mod tool;
pub mod tool_adapter;
pub mod tool_interface;
pub mod words;

pub use ask::{Ask, ChatMessage, FEWER_JUDGES, ReplyForm, Retold, TextReply, UNSCORED};
pub use batch::{BatchEnvironment, BatchLayout, Field, Layout};
pub use bytes::{Digest, canonical_json};
pub use cause::{Cause, Causes};
pub use dyn_spec::{DynEnvironmentSpec, DynGenerator, DynInstance, DynPolicy, PresetAbout};
pub use environment::{Environment, Seat};
pub use error::{ActionError, ConfigError, InRange, RestoreError, ShapeError};
pub use lanes::{Autoreset, Lanes, Stepped};
pub use limits::Limits;
pub use method::{AgentMethod, METHODS};
pub use notes::{NoteLimits, WithNotes};
pub use parallel::ParallelBatch;
pub use plot::Plot;
pub use policy::{Policy, PolicyAbout, PolicyContext, PolicySpec};
pub use record::{Divergence, Ending, Entry, EpisodeRecord, Header, Tally};
pub use rollout::Rollout;
pub use schema::Stored;
pub use score::{Effort, Incident, NotFinite, Reference, Score, ScoreRange, Sense, Status};
pub use seed::{Seed, Stream};
pub use session::{Next, Outcome, Query, Session};
pub use sim_core_derive::Ranges;
pub use spec::{EnvironmentAbout, EnvironmentSpec, Episode, Preset};
pub use tool::{
    Input, PeriodCount, Prompt, ReplyKind, ToolEnvironment, ToolKind, ToolOutput, ToolReply,
    ToolSpec,
};
pub use tool_adapter::ToolAdapter;
pub use tool_interface::ToolInterface;
