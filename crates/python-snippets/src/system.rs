//! The machine's own Python, for what the built-in interpreter cannot run.
//!
//! Each snippet has a process of its own. It may read Python's library and nothing else (Landlock), open
//! no socket, start no process and signal none (seccomp), and has limits on memory and time. Without
//! Landlock or Python this backend is refused; it never runs with less.

use super::{Sandbox, SandboxError};
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Command;

/// What the worker runs: one snippet from standard input, one reply to standard output.
pub(super) const SCRIPT: &str = include_str!("system.py");

/// Prints where this Python lives, as JSON.
const ASK: &str = "import json,sys,sysconfig; p=sysconfig.get_paths(); print(json.dumps({'version': \
    list(sys.version_info[:2]), 'executable': sys.executable, 'folders': sorted({p['stdlib'], \
    p['platstdlib'], p['purelib'], p['platlib'], sys.base_prefix + '/lib'})}))";

/// Oldest Python whose values are known to agree with the stored ones.
const OLDEST: (u32, u32) = (3, 8);

/// The built-in interpreter, and the machine's Python for what that calls unsupported.
#[derive(Debug)]
pub struct WithSystem {
    builtin: Sandbox,
    system: Sandbox,
}

impl WithSystem {
    /// Starts both.
    ///
    /// # Errors
    /// When a worker cannot be started, there is no Python, or Landlock is not at hand.
    pub fn start() -> Result<Self, SandboxError> {
        let own = std::env::current_exe().map_err(|e| {
            SandboxError::Failed(format!("the path of this program is not known: {e}"))
        })?;
        Ok(Self {
            builtin: Sandbox::start()?,
            system: system(own)?,
        })
    }
}

impl SnippetRunner for WithSystem {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        match self.builtin.run(snippet) {
            SnippetReply::Unsupported { .. } => self.system.run(snippet),
            other => other,
        }
    }
}

/// A sandbox around the machine's Python, with `program` (this one) as its jailer.
///
/// # Errors
/// When there is no Python, or a first snippet does not come back: without Landlock it cannot.
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
    let mut sandbox = Sandbox::afresh(program, arguments)?;
    match sandbox.run(&Snippet::new("6 * 7")) {
        SnippetReply::Value(_) => Ok(sandbox),
        SnippetReply::Failed { reason } | SnippetReply::Unsupported { what: reason } => {
            Err(SandboxError::Unusable(format!(
                "the system's Python cannot be confined: {reason}; use --python built-in"
            )))
        }
    }
}

#[derive(Debug, Deserialize)]
struct Found {
    version: (u32, u32),
    executable: String,
    folders: Vec<String>,
}

/// The machine's Python as it describes itself; `python3` on the path may be a script that starts it.
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
