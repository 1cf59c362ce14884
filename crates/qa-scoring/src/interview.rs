//! The consulting interview: a candidate works out a case in conversation and is judged.
//!
//! ```text
//!  interviewer opens ─► agent ─► interviewer ─► agent ─► ... ─► end token or 12 rounds
//!       (facts are gated: one at a time, only when asked for)              │
//!                                          judge_1 .. ◄── transcript ──────┘
//! ```
//!
//! Source: strategic paper, "Consulting Task" and appendix A.4: interviewer and judge are models,
//! hidden facts are disclosed only when a question aims at them, guidance is never shown, an end
//! token closes the interview, and the judge gives five numbers from 0 to 10. Additions:
//! interviewer, candidates and judge that work by rules (test doubles and lower bounds without
//! cost; their numbers are never the paper's metric), an [`audit`] of every interviewer for leaks,
//! and transcripts in which a candidate cannot pose as another speaker.
//!
//! The end token counts only as the very last characters of a message of the interviewer, and not in the opening. The
//! candidate's messages are sanitised first, so that they cannot end the interview or look like a mark.
//!
//! The paper defines "overall" in three ways; the values in its table show that it is the judge's
//! own number. The score is the median of the judges' `overall`; `mean4`, the mean of the four parts, is a metric.
//!
//! # Example
//! The scripted ideal candidate, an interviewer and a judge that work by rules; no model is asked:
//! ```
//! use qa_scoring::interview::{Config, Interview, InterviewEnv, RuleInterviewer, CandidateScript, ScriptedCandidate,
//!     ScriptedJudge, INTERVIEWER, cases};
//! use sim_core::{Environment, Seat, TextReply};
//! use std::sync::Arc;
//!
//! let case = cases()?.remove(0);
//! let mut interview = InterviewEnv::new(Arc::new(Config::default().interview(case.clone())))?;
//! let candidate = ScriptedCandidate::new(CandidateScript::Ideal, case.clone());
//! let mut interviewer = RuleInterviewer::new();
//! while !interview.is_over() {
//!     let seen = interview.observe();
//!     let said = if seen.seat == Seat::AGENT {
//!         candidate.speak(seen.transcript.answers())
//!     } else if seen.seat == INTERVIEWER {
//!         interviewer.speak(&case, &seen.transcript)
//!     } else {
//!         serde_json::to_string(&ScriptedJudge::marks(&case, &seen.transcript))?
//!     };
//!     interview.step(&TextReply::text(said))?;
//! }
//! let score = interview.score()?;
//! assert!(score.value() > 7.0 && score.value() <= 10.0);
//! assert_eq!(score.metrics().get("leaks"), Some(&0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod audit;
pub mod candidate;
pub mod case;
pub mod catalogue;
mod env;
pub mod formula;
pub mod judge;
pub mod lint;
pub mod matching;
mod prompt;
mod rules;
mod spec;
pub mod transcript;

pub use audit::{Leak, LeakAuditor};
pub use candidate::{CandidateScript, ScriptedCandidate};
pub use case::{CaseKind, CaseStudy, Length};
pub use catalogue::{CaseSelection, cases, industries, split};
pub use env::{
    Config, INTERVIEWER, Interview, InterviewEnd, InterviewEnv, JUDGES, MOST_ROUNDS, Observation,
    State,
};
pub use judge::{InterviewScores, Panel, ScriptedJudge};
pub use lint::CaseFinding;
pub use rules::RuleInterviewer;
pub use spec::Spec;
pub use transcript::{END_TOKEN, Speaker, Transcript, Turn};
