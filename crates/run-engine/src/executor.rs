//! The agent `python` of a seat that runs programs: the system's Python 3 in its jail.
//!
//! A verifier takes the values that the record holds, unless it is asked to run the programs again: the same program may
//! time out on one machine only, and a folder of somebody else may hold any program.

use crate::error::RunError;
use python_snippets::Sandbox;
use qa_scoring::env::EXECUTOR;
use qa_scoring::snippet::{Snippet, SnippetRunner as _};
use serde_json::Value;
use sim_core::{ConfigError, DynPolicy, EpisodeRecord, Input, TextReply, ToolEnvironment};
use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The name of the agent.
pub const PYTHON: &str = "python";

/// Started once a process: starting Python takes as long as many programs.
static SANDBOX: OnceLock<Result<Mutex<Sandbox>, String>> = OnceLock::new();

/// Runs the program in the observation of its seat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Python;

/// Checks that programs can be run.
///
/// # Errors
/// When the system has no Python 3, or no jail and programs are not trusted.
pub(crate) fn check() -> Result<(), RunError> {
    sandbox().map(|_| ())
}

fn sandbox() -> Result<&'static Mutex<Sandbox>, RunError> {
    let started = SANDBOX.get_or_init(|| {
        let sandbox = Sandbox::start();
        sandbox.map(Mutex::new).map_err(|e| e.to_string())
    });
    started.as_ref().map_err(|why| RunError::usage(why.clone()))
}

impl DynPolicy for Python {
    fn act(&mut self, env: &dyn ToolEnvironment) -> Result<Value, ConfigError> {
        let bad = |what: String| ConfigError::new("agent", what);
        let seen = env.observation();
        let Some(snippet) = seen.get("snippet").filter(|snippet| !snippet.is_null()) else {
            return Err(bad(format!("`{PYTHON}` is for a seat that runs programs")));
        };
        let snippet: Snippet =
            serde_json::from_value(snippet.clone()).map_err(|e| bad(e.to_string()))?;
        let sandbox = sandbox().map_err(|e| bad(e.to_string()))?;
        // Only programs wait for one another, and only as long as they run.
        let mut sandbox = sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = sandbox.run(&snippet);
        let text = serde_json::to_string(&reply).map_err(|e| bad(e.to_string()))?;
        Ok(sim_core::bytes::json(&TextReply::text(text)))
    }

    fn learn(&mut self, _: &dyn ToolEnvironment) {}
}

/// The replies at the seat that runs programs, as a record holds them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorded(VecDeque<Value>);

impl Recorded {
    /// The replies in `record`.
    pub(crate) fn of(record: &EpisodeRecord) -> Self {
        let entries = record.entries.iter();
        let entries = entries.filter(|entry| entry.seat.as_ref() == Some(&EXECUTOR));
        let replies = entries.filter_map(|entry| match &entry.input {
            Input::Act(reply) => Some(reply.clone()),
            _ => None,
        });
        Self(replies.collect())
    }
}

impl DynPolicy for Recorded {
    fn act(&mut self, _: &dyn ToolEnvironment) -> Result<Value, ConfigError> {
        let missing = || ConfigError::new("agent", "the record holds no value of this program");
        self.0.pop_front().ok_or_else(missing)
    }

    fn learn(&mut self, _: &dyn ToolEnvironment) {}
}
