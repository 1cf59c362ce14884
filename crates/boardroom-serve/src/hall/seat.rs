//! One game.

use super::room::MemoryQuota;
use run_engine::run_dir::progress::Progress;
use serde_json::Value;
use sim_core::{Input, Session};

/// What an entry of the log takes besides what was sent \[bytes\].
const ENTRY: usize = 128;

/// Memory that a JSON value takes besides its text \[bytes\]: the value itself, and the free capacity
/// that a growing list or object keeps for another. A short text can hold many values, so the length
/// of the text alone would be too low a count.
const VALUE: usize = 2 * size_of::<Value>();

/// A game with what is kept of it.
#[derive(Debug)]
pub(super) struct GameSession {
    /// Taken when the record is written.
    pub(super) session: Option<Session>,
    pub(super) over: Option<Value>,
    /// The finished periods on the disk, where games are kept.
    pub(super) progress: Option<Progress>,
    /// What the game has taken in; an ended one needs none.
    pub(super) room: Option<MemoryQuota>,
}

/// Most bytes that an input takes in the log.
pub(super) fn size(input: &Input) -> usize {
    match input {
        Input::Call { tool, arguments } => {
            let text = arguments.to_string().len();
            ENTRY + tool.len() + text + VALUE * values(arguments)
        }
        _ => ENTRY,
    }
}

/// Number of JSON values in a value, including itself.
fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>(),
        Value::Object(fields) => fields.values().map(values).sum::<usize>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn many_small_values_count_as_what_they_take() {
        let call = |arguments| Input::Call {
            tool: String::new(),
            arguments,
        };
        assert_eq!(size(&call(json!({}))), ENTRY + 2 + VALUE);
        let list = call(json!({"a": vec![0; 1_000]}));
        let Input::Call { arguments, .. } = &list else {
            unreachable!("it is a call");
        };
        let kept = arguments["a"].as_array().unwrap().capacity() * size_of::<Value>();
        assert!(size(&list) > kept);
    }
}
