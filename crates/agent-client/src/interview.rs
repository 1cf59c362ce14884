//! The consulting interview: a candidate works out a case in conversation and is judged.
//!
//! ```text
//!  interviewer opens ─► candidate ─► interviewer ─► candidate ─► ... ─► end token or 12 rounds
//!       (facts are gated: one at a time, only when asked for)              │
//!                                                judges ◄── transcript ────┘
//! ```
//!
//! Source: strategic paper, "Consulting Task" and appendix A.4: interviewer and judge are models,
//! hidden facts are disclosed only when a question aims at them, guidance is never shown, an end
//! token closes the interview, and the judge gives five numbers from 0 to 10. Additions:
//! interviewer, candidates and judge that work by rules (test doubles and lower bounds without
//! cost; their numbers are never the paper's metric), an [`audit`] of every interviewer for leaks,
//! and transcripts in which a candidate cannot pose as another speaker.
//!
//! The paper defines "overall" in three ways; the values in its table show that it is the judge's
//! own number. Records have both: `overall` and `mean4`, the mean of the four parts.
//!
//! # Example
//! The scripted ideal candidate, an interviewer and a judge that work by rules; no model is asked:
//! ```
//! use agent_client::interview::{
//!     InterviewEnd, InterviewSettings, InterviewJudge, RuleInterviewer, CandidateScript, ScriptedCandidate, ScriptedJudge,
//!     cases, hold,
//! };
//! use agent_client::Slot;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let case = cases()?.remove(0);
//! let mut candidate = ScriptedCandidate::new(CandidateScript::Ideal, case.clone());
//! let judges: [&dyn InterviewJudge; 1] = [&ScriptedJudge];
//! let held = hold(
//!     &case,
//!     &mut RuleInterviewer::new(),
//!     &mut candidate,
//!     &judges,
//!     &InterviewSettings::default(),
//!     &Slot::new("demo"),
//! )
//! .await?;
//! assert_eq!(held.ended, InterviewEnd::Token);
//! assert!(held.leaks.is_empty());
//! let scores = held.panel.scores.ok_or("no marks")?;
//! assert!(scores.overall > 7.0 && scores.overall <= 10.0);
//! # Ok(())
//! # }
//! ```

pub mod audit;
pub mod candidate;
pub mod case;
pub mod catalogue;
pub mod formula;
pub mod interviewer;
pub mod judge;
pub mod lint;
pub mod matching;
mod rules;
mod session;
mod stream;
pub mod transcript;
mod trials;

pub use audit::{Leak, LeakAuditor};
pub use candidate::{Candidate, CandidateScript, ModelCandidate, ScriptedCandidate};
pub use case::{CaseKind, CaseStudy, Length};
pub use catalogue::{CaseSelection, cases, industries, split};
pub use interviewer::{Interviewer, ModelInterviewer};
pub use judge::{InterviewJudge, InterviewScores, Judged, ModelJudge, Panel, ScriptedJudge};
pub use lint::CaseFinding;
pub use rules::RuleInterviewer;
pub use session::{Interview, InterviewEnd, InterviewSettings, Unlocked, hold};
pub use stream::{InterviewRecord, InterviewTeam, InterviewWork};
pub use transcript::{END_TOKEN, Speaker, Transcript, Turn};
pub use trials::InterviewTrial;
