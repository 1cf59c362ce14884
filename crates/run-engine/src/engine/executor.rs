//! The agent `python` of a seat that runs programs: the system's Python 3 in its jail.

use crate::error::RunError;
use python_snippets::Sandbox;
use qa_scoring::snippet::{Snippet, SnippetRunner as _};
use serde_json::Value;
use sim_core::{ConfigError, DynPolicy, TextReply, ToolEnvironment};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The name of the agent.
pub const PYTHON: &str = "python";

/// Started once a process: starting Python takes as long as many programs.
static SANDBOX: OnceLock<Result<Mutex<Sandbox>, String>> = OnceLock::new();

/// Runs the program in the observation of its seat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Python(());

impl Python {
    /// An executor.
    ///
    /// # Errors
    /// When the system has no Python 3, or no jail and programs are not trusted.
    pub(crate) fn start() -> Result<Self, RunError> {
        sandbox().map(|_| Self(()))
    }
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
