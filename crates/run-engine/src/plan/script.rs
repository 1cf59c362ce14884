//! Scripts: what to do, one line each.
//!
//! A line is a typed action as JSON (`{"order": 400}`), a tool call (`{"tool": "place_order",
//! "arguments": {"cases": 400}}`), free text (`{"say": "..."}`), `"forfeit"` or `"restart"`.
//! Empty lines and lines that begin with `#` are skipped.

use crate::error::RunError;
use crate::files::regular;
use crate::terminal::shown_path;
use serde_json::{Map, Value};
use sim_core::{Digest, Input};
use std::path::Path;

/// The inputs of a script, in order, with the numbers of their lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    lines: Vec<(usize, Input)>,
    digest: Digest,
}

impl Script {
    /// Reads a script from a file.
    ///
    /// # Errors
    /// When the file cannot be read or a line is not JSON; names the line.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = regular::json_text(path, regular::MOST_SMALL).map_err(RunError::file(path))?;
        Self::parse(&text)
            .map_err(|(line, e)| RunError::usage(format!("{} line {line}: {e}", shown_path(path))))
    }

    /// Reads a script from text.
    ///
    /// # Errors
    /// The number of the first line that is not an input, and why.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let value = sim_core::strict::json(line.as_bytes()).map_err(|e| {
                (
                    index + 1,
                    format!("`{}` is not JSON: {e}", sim_core::error::clip(line)),
                )
            })?;
            let input = read_input(value).map_err(|e| (index + 1, e))?;
            lines.push((index + 1, input));
        }
        Ok(Self {
            lines,
            digest: Digest::of_bytes(text.as_bytes()),
        })
    }

    /// The input number `index`, from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Input> {
        self.lines.get(index).map(|(_, input)| input)
    }

    /// The number of the line (from 1) that holds the input number `index` (from 0).
    #[must_use]
    pub(crate) fn line(&self, index: usize) -> Option<usize> {
        self.lines.get(index).map(|(line, _)| *line)
    }

    /// Digest of its text.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Number of inputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

fn read_input(value: Value) -> Result<Input, String> {
    match value {
        Value::String(word) if word == "forfeit" => Ok(Input::Forfeit),
        Value::String(word) if word == "restart" => Ok(Input::Restart),
        Value::Object(mut map) if map.contains_key("tool") => {
            let tool = match map.remove("tool") {
                Some(Value::String(tool)) => tool,
                _ => return Err("`tool` must be the name of a tool".to_owned()),
            };
            let arguments = map
                .remove("arguments")
                .unwrap_or_else(|| Value::Object(Map::new()));
            match map.keys().next() {
                Some(extra) => Err(format!(
                    "a tool call has `tool` and `arguments`, not `{extra}`"
                )),
                None => Ok(Input::Call { tool, arguments }),
            }
        }
        // Alone only: an action of an environment may have a field `say` among others.
        Value::Object(mut map) if map.len() == 1 && map.contains_key("say") => {
            match map.remove("say") {
                Some(Value::String(text)) => Ok(Input::Say { text }),
                _ => Err("`say` must be text".to_owned()),
            }
        }
        action => Ok(Input::Act(action)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_is_read() {
        let text = "# weeks\n{\"order\": 4}\n\n{\"tool\": \"look\"}\n\
                    {\"tool\": \"place\", \"arguments\": {\"n\": 1}}\n{\"say\": \"hi\"}\n\
                    \"forfeit\"\n7\n";
        let script = Script::parse(text).unwrap();
        assert_eq!(script.len(), 6);
        assert_eq!(script.get(0), Some(&Input::Act(json!({"order": 4}))));
        assert!(
            matches!(script.get(1), Some(Input::Call { tool, arguments })
                if tool == "look" && *arguments == json!({}))
        );
        assert_eq!(script.get(4), Some(&Input::Forfeit));
        assert_eq!(script.get(5), Some(&Input::Act(json!(7))));
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert_eq!(Script::parse("1\n\n{oops}\n").unwrap_err().0, 3);
        let twice = Script::parse("1\n{\"order\": 4, \"order\": 5}\n").unwrap_err();
        assert!(twice.0 == 2 && twice.1.contains("twice"), "{twice:?}");
        assert!(
            Script::parse("{\"tool\": 3}")
                .unwrap_err()
                .1
                .contains("tool")
        );
        assert!(
            Script::parse("{\"tool\": \"a\", \"args\": {}}")
                .unwrap_err()
                .1
                .contains("not `args`")
        );
    }
}
