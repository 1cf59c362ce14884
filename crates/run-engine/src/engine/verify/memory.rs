//! Reads what a stream of episodes or interviews had learnt from its folder.

use super::derive::{LinePlace, StoredLines};
use super::lines;
use crate::error::RunError;
use crate::run_dir::outcome::{Check, Verified};
use crate::words::counted;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The line of unit `number` of a stream.
pub fn at(stream: u64, number: u64) -> LinePlace {
    (file(stream), number.to_string())
}

fn file(stream: u64) -> String {
    format!("memory/{stream}.jsonl")
}

/// Reads what a stream had learnt after each of the units in `met`, in their order.
///
/// # Errors
/// When the file cannot be read.
pub fn read(
    dir: &Path,
    stream: u64,
    met: &[u64],
    stored: &mut StoredLines,
    found: &mut Verified,
) -> Result<(), RunError> {
    let name = file(stream);
    let mut order = Vec::new();
    lines::each(dir, &name, Check::Files, found, |line, found| {
        let number = line.value.get("episode").and_then(Value::as_u64);
        let place = format!("{name} line {}", line.number);
        let Some(number) = number else {
            return found.find(Check::Files, place, "it does not name its episode");
        };
        order.push(number);
        if let Some(first) = stored.add(at(stream, number), line.number, line.text) {
            let what = format!("line {first} belongs to the same episode");
            found.find(Check::Files, place, what);
        }
    })?;
    // A line goes to the disk when its work ends, a record when those before it in the run are
    // written: a process that was killed leaves lines without a record.
    let more = order.len().saturating_sub(met.len()) as u64;
    if more > 0 {
        let (lines, belong) = (
            counted(more, "line"),
            if more == 1 { "belongs" } else { "belong" },
        );
        found
            .remarks
            .push(format!("{name}: {lines} {belong} to work without a record"));
    }
    // Lines that are missing are reported by the comparison.
    let held: BTreeSet<u64> = order.iter().copied().collect();
    let there = met.iter().filter(|number| held.contains(number));
    if !there.eq(order.iter().take(met.len())) {
        let what = "its lines are not in the order of the stream";
        found.find(Check::Order, &*name, what);
    }
    Ok(())
}
