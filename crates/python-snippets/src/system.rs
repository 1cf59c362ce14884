//! The machine's own Python, for programs that the built-in interpreter does not support.
//!
//! Each snippet has a separate process. It may read Python's library and nothing else (Landlock),
//! open no socket, start no process and send no signal (seccomp), and has limits on memory and
//! time. Without Landlock or Python this backend refuses to start; it never runs with weaker
//! protection.

use super::{Sandbox, SandboxError};
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The worker's program: one snippet from standard input, one reply to standard output.
pub(super) const SCRIPT: &str = include_str!("system.py");

/// Prints the location of this Python, as JSON.
const ASK: &str = "import json,sys,sysconfig; p=sysconfig.get_paths(); print(json.dumps({'version': \
    list(sys.version_info[:2]), 'executable': sys.executable, 'folders': sorted({p['stdlib'], \
    p['platstdlib'], p['purelib'], p['platlib'], sys.base_prefix + '/lib'} | ({sys.prefix + \
    '/pyvenv.cfg'} if sys.prefix != sys.base_prefix else set()))}))";

/// Oldest Python version whose values are known to agree with the stored ones.
const OLDEST: (u32, u32) = (3, 8);

/// Time after a snippet's limit until a worker is killed, when two workers may need their time.
const SHORT_GRACE: Duration = Duration::from_millis(200);

/// The built-in interpreter, and the machine's Python for snippets that it does not support.
///
/// The interpreter gets half of a snippet's time. Snippets that exceed this time, or the interpreter's memory
/// or depth of calls, count as unsupported by it, so Python runs them too, under limits of its own.
#[derive(Debug)]
pub struct WithSystem {
    builtin: Sandbox,
    system: Sandbox,
}

impl WithSystem {
    /// Starts both.
    ///
    /// # Errors
    /// When a worker cannot be started, there is no Python, or Landlock is not available.
    pub fn start() -> Result<Self, SandboxError> {
        let own = std::env::current_exe().map_err(|e| {
            SandboxError::Failed(format!("the path of this program is not known: {e}"))
        })?;
        Self::of(own)
    }

    /// The same with another program as the worker of both.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn of(program: PathBuf) -> Result<Self, SandboxError> {
        let arguments = vec![super::WORKER_COMMAND.to_owned()];
        let mut both = Self {
            builtin: Sandbox::of(program.clone(), arguments)?,
            system: system(program)?,
        };
        both.builtin.grace = SHORT_GRACE;
        both.system.grace = SHORT_GRACE;
        Ok(both)
    }

    /// How long the replies of both to `snippet` are waited for.
    #[must_use]
    pub fn longest_wait(&self, snippet: &Snippet) -> Duration {
        self.builtin.longest_wait(&halved(snippet)) + self.system.longest_wait(snippet)
    }
}

/// The snippet with half of its time.
fn halved(snippet: &Snippet) -> Snippet {
    Snippet {
        time_limit_ms: snippet.time_limit_ms / 2,
        ..snippet.clone()
    }
}

impl SnippetRunner for WithSystem {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        match self.builtin.run(&halved(snippet)) {
            SnippetReply::Unsupported { .. } => self.system.run(snippet),
            reply => reply,
        }
    }
}

/// A sandbox around the machine's Python; `program` (this one) sandboxes itself and executes
/// Python.
///
/// # Errors
/// When there is no Python, or a first snippet gets no reply, as on a system without Landlock.
pub fn system(program: PathBuf) -> Result<Sandbox, SandboxError> {
    let found = find().map_err(|why| {
        SandboxError::Unusable(format!(
            "the system's Python cannot be used: {why}; use --python built-in"
        ))
    })?;
    let mut arguments = vec![
        super::WORKER_COMMAND.to_owned(),
        "--python".to_owned(),
        found.executable,
    ];
    for folder in found.folders {
        arguments.extend(["--read".to_owned(), folder]);
    }
    let unusable = |why: String| {
        SandboxError::Unusable(format!(
            "the system's Python cannot be confined: {why}; use --python built-in"
        ))
    };
    let mut sandbox =
        Sandbox::afresh(program, arguments).map_err(|error| unusable(error.to_string()))?;
    match sandbox.run(&Snippet::new("6 * 7")) {
        SnippetReply::Value(_) => Ok(sandbox),
        SnippetReply::Failed { reason } | SnippetReply::Unsupported { what: reason } => {
            Err(unusable(reason))
        }
    }
}

#[derive(Debug, Deserialize)]
struct Found {
    version: (u32, u32),
    executable: String,
    folders: Vec<String>,
}

/// The machine's Python as reported by itself; `python3` on the path may be a script that starts
/// it.
fn find() -> Result<Found, String> {
    let output = Command::new("python3")
        .args(["-I", "-c", ASK])
        .output()
        .map_err(|e| format!("python3: {e}"))?;
    let found: Found = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("python3 does not say where it is: {e}"))?;
    if found.version < OLDEST {
        return Err(format!(
            "python3 is {}.{}, needed is {}.{}",
            found.version.0, found.version.1, OLDEST.0, OLDEST.1
        ));
    }
    Ok(found)
}
