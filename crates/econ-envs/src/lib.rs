//! Unknown markets: procurement, scheduling and pricing over 100 periods, with exact optima, and
//! three litmus tests.
//!
//! The agent acts in a market whose parameters it does not know, once per period, sees the result, and
//! may keep notes. Every environment is a module with the same facade: `Config`, `Instance`, the
//! environment itself, `Action`, `Observation`, `Feedback`, `reference`, `policies`, `Batch` (where
//! there is one) and `Spec`. Two shared modules hold the reader of mappings that agents write as a
//! string, and the metrics of a run.
//!
//! | module | environment |
//! |---|---|
//! | [`procurement`] | buying bundles under a budget |
//! | [`scheduling`] | matching workers to tasks under hidden preferences |
//! | [`pricing`] | setting prices under a hidden, moving demand |
//! | [`litmus`] | efficiency or equality, patience, collusion |
//!
//! # The common protocol
//!
//! A run has a number of periods (100 in the paper). Before each action a language model
//! may read the record of earlier periods, but only once a period, and may write notes;
//! the action ends the period. A policy gets all that it may know in the observation
//! instead. What is hidden never changes its kind: effectiveness in [`procurement`],
//! preferences in [`scheduling`], price sensitivities in [`pricing`].
//!
//! The environments are those of "EconAgentBench" (the *unknown-markets paper*) and of
//! its authors' public program. Where the two disagree, the program made the published
//! numbers, so it is the default and the paper's reading is an option.

pub mod action_text;
pub mod litmus;
pub mod metrics;
pub mod pricing;
pub mod procurement;
pub mod scheduling;

mod protocol;
