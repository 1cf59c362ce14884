//! A model on the loopback interface whose answers a closure computes.

use crate::server::{Act, Server};
use serde_json::{Value, json};
use std::process::Output;
use std::sync::atomic::Ordering;

/// The parts of a request that a script needs.
pub(super) struct Asked {
    /// The model.
    pub(super) model: String,
    /// The system message.
    pub(super) system: String,
    /// The other messages, joined.
    pub(super) text: String,
    /// How many messages there are.
    pub(super) messages: usize,
    /// How many requests came before.
    pub(super) before: u64,
}

/// The server; it lives as long as the process.
pub(super) struct Model(Server);

impl Model {
    /// A model that answers a text, or refuses with a status.
    pub(super) fn start(
        answer: impl Fn(&Asked) -> Result<String, u16> + Send + Sync + 'static,
    ) -> Self {
        Self(Server::acting(move |before, body| {
            let messages = body["messages"].as_array().unwrap();
            let (system, others): (Vec<&Value>, Vec<&Value>) =
                messages.iter().partition(|m| m["role"] == "system");
            let joined = |messages: Vec<&Value>| {
                let texts: Vec<&str> = messages
                    .iter()
                    .filter_map(|message| message["content"].as_str())
                    .collect();
                texts.join("\n\n")
            };
            let asked = Asked {
                model: body["model"].as_str().unwrap().to_owned(),
                system: joined(system),
                text: joined(others),
                messages: messages.len(),
                before,
            };
            match answer(&asked) {
                Ok(text) => Act::Answer(json!({
                    "choices": [{"index": 0, "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10}
                })),
                Err(status) => {
                    Act::Refuse(status, json!({"error": {"message": "no", "code": status}}))
                }
            }
        }))
    }

    /// Requests that were answered so far.
    pub(super) fn answered(&self) -> usize {
        self.0.answered.load(Ordering::SeqCst)
    }

    /// Calls the program with this model as every `openai:` model.
    pub(super) fn call(&self, line: &str) -> Output {
        self.0.command(line).output().unwrap()
    }

    /// The same; it must succeed and print JSON.
    pub(super) fn json(&self, line: &str) -> Value {
        let output = self.call(line);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "boardroom {line}: {err}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}
