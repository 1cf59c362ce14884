//! Chooses the right agent for each sample.
//!
//! Several agents have answered the same samples. From these traces the router learns which agent
//! is better on which samples, stores the result as readable rules, and applies them:
//!
//! ```text
//!  traces ─► Matrix ─► learn ──► Playbook ─► Router ─► choose, explain   (before an answer)
//!  (who was  (samples   (rules    (policy       │
//!   right)    x agents)  + gains)  file)        └────► evaluate          (reusing the traces)
//! ```
//!
//! * A rule is kept only if its gain is significant: the interval of the gain is above a margin,
//!   *and* a test that allows for the number of rules tried supports it. The accuracy of the rules
//!   is measured on samples that they were not learnt from ([`learn()`]).
//! * Evaluation runs no agent: it joins a policy with the traces ([`evaluate()`]).
//! * A model may write the rules instead ([`ask`]): this crate builds the requests and checks the
//!   replies, but calls no model itself.
//!
//! Source: "EnterpriseBench: Benchmarking LLM Agents on Enterprise-Level Strategic Reasoning and
//! Decision-Making", section 4.3, Table 4 and A.3. The form of policy and experience files is the
//! paper's; order and ties of rules, the features' definitions and the statistics are Boardroom's.
//!
//! # Where to begin
//! * To follow a policy file: [`RoutingPlaybook::read`], then [`Router::new`] and [`Router::choose`].
//! * To learn one from stored answers: [`read_traces`], [`Matrix::join`], [`learn()`].
//! * To see what a policy is worth: [`evaluate()`], on other samples than those it was learnt from.
//!
//! # Example
//! ```
//! use aoa_router::{Agents, Features, RoutingPlaybook, Router, Sample, Strictness};
//!
//! let text = r#"{"routing_policy": {"default_agent": "GEPA", "rules": [
//!     {"when": {"feature_conditions": {"has_table": true}}, "choose": "DC"}]}}"#;
//! let policy = RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict)?.value;
//! let router = Router::new(&policy.routing_policy, &Agents::methods())?;
//! let sample = Sample {
//!     features: Features::of("Which year was best?", Some("a | b | c\n1 | 2 | 3")),
//!     ..Sample::default()
//! };
//! assert_eq!(router.choose(&sample).agent, "dc");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

pub mod agents;
pub mod ask;
mod bits;
pub mod evaluate;
pub mod experience;
pub mod features;
mod json_path;
pub mod learn;
pub mod matrix;
pub mod paired;
pub mod policy;
pub mod router;
pub mod sample;
pub mod trace;

pub use agents::{Agents, RoutedAgent};
pub use evaluate::{PolicyEvaluation, evaluate, evaluate_picks};
pub use experience::{RoutingExperience, read_experiences, write_experiences};
pub use features::{FEATURE_VERSION, Features};
pub use learn::{LearnSettings, Learned, learn};
pub use matrix::{Incomplete, Matrix};
pub use paired::Paired;
pub use policy::{
    Conflict, Evidence, RoutingPlaybook, RoutingPolicy, RoutingRule, Strictness, TieBreaker, When,
};
pub use router::{Explanation, RouteChoice, Router};
pub use sample::{Bucket, Sample};
pub use trace::{TraceRecord, read_traces};
