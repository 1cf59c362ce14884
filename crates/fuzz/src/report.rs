//! What is told at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What became of the inputs of a target.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Inputs that were played to an end, whatever it was.
    pub executions: u64,
    /// Inputs that were refused before anything was done with them.
    pub refused: u64,
    /// Inputs that failed.
    pub failed: u64,
    /// Longest time of an input that did not fail (microseconds).
    pub slowest: u64,
    /// The input that took it.
    pub slowest_case: u64,
    /// Largest size of the process (bytes).
    pub peak: u64,
    /// Seconds that the target was given.
    pub seconds: f64,
}

/// A way to fail.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Target.
    pub target: &'static str,
    /// The first input that failed so; absent for an input from a file.
    pub case: Option<u64>,
    /// Why, in words.
    pub why: String,
    /// How many failed so.
    pub count: u64,
    /// Where the smallest input found is kept.
    pub kept: String,
}

/// The tallies as a table, then the failures.
#[must_use]
pub fn table(tallies: &BTreeMap<&'static str, Tally>, failures: &[Failure]) -> String {
    let mut text = format!(
        "{:<11} {:>10} {:>8} {:>8} {:>10} {:>8} {:>7}\n",
        "target", "executions", "refused", "failures", "slowest ms", "peak MB", "s"
    );
    let mut all = Tally::default();
    for (name, tally) in tallies {
        row(&mut text, name, tally);
        all.executions += tally.executions;
        all.refused += tally.refused;
        all.failed += tally.failed;
        all.slowest = all.slowest.max(tally.slowest);
        all.peak = all.peak.max(tally.peak);
        all.seconds += tally.seconds;
    }
    row(&mut text, "together", &all);
    for failure in failures {
        let case = failure
            .case
            .map_or_else(String::new, |case| format!(" (case {case})"));
        let _ = writeln!(
            text,
            "\n{}: {}\n  {} times; first {}{case}",
            failure.target, failure.why, failure.count, failure.kept
        );
    }
    text
}

fn row(text: &mut String, name: &str, tally: &Tally) {
    let share = (100 * tally.refused).checked_div(tally.executions);
    let _ = writeln!(
        text,
        "{name:<11} {:>10} {:>7}% {:>8} {:>10} {:>8} {:>7.0}",
        tally.executions,
        share.unwrap_or(0),
        tally.failed,
        tally.slowest / 1_000,
        tally.peak >> 20,
        tally.seconds
    );
}
