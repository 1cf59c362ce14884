//! Selection of the traces that a model reads.

use crate::agents::folded;
use crate::trace::TraceRecord;
use sim_core::Seed;
use std::collections::BTreeMap;

/// Default number of traces per stratum.
pub const PER_STRATUM: usize = 2;

/// At most `each` traces, drawn by `seed`, of every combination of task, agent, capability,
/// difficulty and outcome, in this order.
///
/// Without strata the most frequent combination, such as right answers to the largest task, would fill the
/// budget, and failures on small tasks would never be read.
#[must_use]
pub fn strata(traces: &[TraceRecord], each: usize, seed: Seed) -> Vec<&TraceRecord> {
    let mut strata: BTreeMap<_, Vec<&TraceRecord>> = BTreeMap::new();
    for trace in traces {
        let sample = trace.sample();
        let stratum = (
            sample.task_name,
            folded(&trace.method),
            sample.capability,
            sample.difficulty_bucket,
            trace.correct,
        );
        strata.entry(stratum).or_default().push(trace);
    }
    let mut drawn = Vec::new();
    for (number, mut stratum) in (0..).zip(strata.into_values()) {
        // By name first, so that the order of the files does not matter.
        stratum.sort_by(|a, b| a.sample_id.cmp(&b.sample_id));
        // A stream for each: one more trace in a stratum leaves the draws from the others as they are.
        seed.stream("stratum", number).shuffle(&mut stratum);
        drawn.extend(stratum.into_iter().take(each));
    }
    drawn
}
