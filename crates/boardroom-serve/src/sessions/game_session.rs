//! One game.

use super::quota::MemoryQuota;
use run_engine::run_dir::progress::Progress;
use serde_json::Value;
use sim_core::{Input, Session};

/// Memory of an entry of the log besides the call itself \[bytes\].
const ENTRY: usize = 128;

/// Memory of a JSON value besides its text \[bytes\]: the value itself, and the free capacity that
/// a growing list or object has for another one. A short text can contain many values, so the
/// length of the text alone would be too low a count.
const VALUE: usize = 2 * size_of::<Value>();

/// A game and its stored state.
#[derive(Debug)]
pub(super) struct GameSession {
    /// `None` once the record is written.
    pub(super) session: Option<Session>,
    pub(super) over: Option<Value>,
    /// The file of finished periods, if games are stored.
    pub(super) progress: Option<Progress>,
    /// The quota of the game; `None` once it has ended.
    pub(super) quota: Option<MemoryQuota>,
}

/// Maximum memory of an input in the log \[bytes\].
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
