//! The promise about restarted periods.

use super::expect;
use crate::bytes::canonical_text;
use crate::dyn_spec::DynInstance;
use crate::record::EpisodeRecord;
use crate::tool::{Input, ToolEnvironment, ToolKind, ToolReply};
use serde_json::json;

/// Periods of an episode that are tried.
const PERIODS: usize = 5;

/// In the first periods of a recorded episode a restart must restore the state at the start of the period,
/// whatever was read and written before the decision.
pub(super) fn check(instance: &dyn DynInstance, record: &EpisodeRecord) -> Result<(), String> {
    let mut here = instance.open().map_err(|e| e.to_string())?;
    let mut entries = record.entries.iter().map(|entry| &entry.input).peekable();
    for _ in 0..PERIODS {
        let begun = canonical_text(&here.snapshot());
        let mut tried = here.fork();
        read_all(&mut *tried);
        // Applies the inputs of the record up to the decision, both to the fork and to the episode.
        for input in entries.by_ref() {
            let before = tried.fork();
            here.apply(input);
            if matches!(tried.apply(input), ToolReply::PeriodOver { .. }) {
                tried = before;
                break;
            }
        }
        read_all(&mut *tried);
        tried.apply(&Input::Restart);
        expect(
            canonical_text(&tried.snapshot()) == begun,
            "a period that is begun anew differs from its beginning",
        )?;
        if here.is_over() || entries.peek().is_none() {
            break;
        }
    }
    Ok(())
}

/// Calls every getter without arguments; those that need some refuse, which changes nothing.
fn read_all(env: &mut dyn ToolEnvironment) {
    let tools = env.tools();
    for tool in tools.iter().filter(|tool| tool.kind == ToolKind::Getter) {
        env.call(&tool.name, &json!({}));
    }
}
