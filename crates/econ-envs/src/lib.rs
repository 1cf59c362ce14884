//! Unknown markets: procurement, scheduling and pricing over 100 periods, with exact optima, and
//! three litmus tests of an agent's leanings.
//!
//! An agent meets a market whose parameters it is not told, acts once a period, sees what came of
//! it, and may keep notes. One module per environment; the two shared ones hold what all three
//! need: reading the mapping that an agent writes as a string, and the metrics of a whole run.

pub mod action_text;
pub mod litmus;
pub mod metrics;
pub mod pricing;
pub mod procurement;
pub mod scheduling;
