//! Scores answers to business questions: data sets, extraction of answers, scoring rules.
//!
//! ```text
//!  bytes ──load──> items ──prompt──> (a model answers) ──> replies
//!                    │                                        │
//!                    └───────────────┬────────────────────────┘
//!                                    ▼
//!               extract ──> rules under a profile ──> grade ──> report ──> families, cells, tables
//!                                    ▲      ▲
//!                        SnippetRunner      Judge      (traits: this crate runs and asks nothing itself)
//! ```
//!
//! | question | where |
//! |---|---|
//! | which tasks are there, and how is each scored? | [`task`] |
//! | how is a file read? | [`load`] |
//! | what is the answer in this reply? | [`extract`] |
//! | is it right, by which rules? | [`Profile`], [`rules`], [`grade`] |
//! | how is a question an environment, and who judges and runs programs? | [`mod@env`] |
//! | how is a consulting interview held and marked? | [`interview`] |
//! | how good is a set of answers? | [`score_set`], [`metric`], [`aggregate`] |
//! | how similar are two texts? | [`rouge`] |
//! | what would the data sets' own evaluators say? | [`official`], [`tatqa`], [`finqa`], [`formula_eval`] |
//! | how does a model score free text? | [`judge`] |
//! | which capability does a question need, how hard is it? | [`taxonomy`] |
//! | is a question good, and are its options fair? | [`quality`], [`construct`] |
//! | are two sets of figures correlated? | [`correlate`], [`model_table`] |
//! | what does the paper print? | [`published`] |
//! | which share of work do the tasks cover? | [`onet`] |
//!
//! # Sources
//! BizCompass (knowledge and application questions, quality filter, judging, O*NET shares) and the
//! enterprise benchmark (ten structured finance sets, taxonomy). The profile `authors` follows
//! their public code, including its errors; the default profile `strict` avoids them. The page
//! `docs/qa.md` lists the differences and the reasons.
//!
//! # Example
//! ```
//! use qa_scoring::{Grader, AnswerOutcome, Settings, Task, load, score_set};
//!
//! let task: Task = "FOMC".parse()?;
//! let file = load::items(task, br#"[{"ID": 1, "Text": "Rates must rise.", "Answer": "hawkish"},
//!                                   {"ID": 2, "Text": "Rates will fall.", "Answer": "dovish"}]"#)?;
//! let replies = load::predictions(br#"{"id": 1, "prediction": "Hawkish."}"#)?;
//! let report = score_set(task, &file.records, &replies.records, &mut Grader::new(Settings::default()));
//! assert_eq!(report.headline.as_ref().map(|h| h.value), Some(0.5));
//! assert_eq!(report.count(AnswerOutcome::Missing), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aggregate;
pub mod construct;
pub mod correlate;
pub mod env;
pub mod error;
pub mod extract;
pub mod finqa;
pub mod formula_eval;
pub mod grade;
pub mod interview;
pub mod item;
pub mod judge;
pub mod letters;
pub mod load;
pub mod metric;
pub mod model_table;
pub mod official;
pub mod onet;
pub mod profile;
pub mod prompt;
pub mod published;
pub mod python;
pub mod quality;
pub mod rouge;
pub mod rules;
pub mod score;
pub mod snippet;
pub mod task;
pub mod tatqa;
pub mod taxonomy;

/// Version of the scores: raised by every change of a score, also by a change of what becomes of the snippets in
/// replies. Stored with every run.
pub const VERSION: u32 = 9;

use reply_text::cut as span;

pub use error::{LoadError, TableError};
pub use grade::{AnswerOutcome, Grade, Grader, Settings};
pub use item::{Gold, Item};
pub use letters::LetterSet;
pub use profile::Profile;
pub use score::{GradedItem, SetReport, report_of, score_results, score_set};
pub use task::{Application, Companion, Domain, Finance, Metric, MetricFamily, QuestionType, Task};
