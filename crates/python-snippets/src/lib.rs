//! Runs Python snippets in a separate process.
//!
//! ```text
//!  Sandbox (here) ── one JSON snippet a line ──► worker: this program again, `snippet-worker`
//!          ◄── one JSON reply a line ──          no environment, limits on memory and files,
//!                                                an interpreter that knows no host at all
//! ```
//!
//! The worker is started again when it dies, so a snippet can only affect its own result. Four
//! measures protect the machine: the interpreter has no access to the host; the worker may open no
//! file, start no process and use no more than [`MEMORY`]; the worker's environment is empty; a
//! worker that exceeds the time limit is killed.

mod builtin;
mod classify;
mod confine;
#[cfg(all(feature = "system-python", target_os = "linux"))]
mod jail;
mod last_value;
mod prelude;
mod rewrite;
#[cfg(all(feature = "system-python", target_os = "linux"))]
pub mod system;
mod value;
pub mod worker;

use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Memory limit of a worker \[bytes of address space\].
pub const MEMORY: u64 = 1 << 29;

/// Maximum length of a reply that is read \[bytes\]; the worker's own limit is lower.
const LONGEST_REPLY: u64 = 4 << 20;

/// Length of the end of a worker's standard error that is kept \[bytes\].
const LAST_WORDS: usize = 2_000;

/// Time after a snippet's own time limit until its worker is killed, for reading and writing. The
/// interpreter cannot interrupt a single operation on huge numbers; killing the worker does.
const GRACE: Duration = Duration::from_millis(900);

/// Time limit for the start and for the end of a worker.
const START: Duration = Duration::from_secs(5);

/// The hidden command that the program is started with as a worker.
pub const WORKER_COMMAND: &str = "snippet-worker";

/// Why snippets cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The interpreter that was asked for cannot be used on this machine.
    #[error("{0}")]
    Unusable(String),
    /// A worker could not be started.
    #[error("the Python sandbox did not start: {0}")]
    Failed(String),
}

/// Runs snippets in a worker process, which it starts on demand.
#[derive(Debug)]
pub struct Sandbox {
    program: PathBuf,
    arguments: Vec<String>,
    worker: Option<Worker>,
    started: u32,
    /// Whether every snippet gets a new worker, which is Python itself.
    afresh: bool,
    /// Time after a snippet's own limit until its worker is killed.
    grace: Duration,
}

impl Sandbox {
    /// A sandbox whose worker is this program.
    ///
    /// # Errors
    /// When the program cannot be found or a worker cannot be started.
    pub fn start() -> Result<Self, SandboxError> {
        let own = std::env::current_exe().map_err(|e| {
            SandboxError::Failed(format!("the path of this program is not known: {e}"))
        })?;
        Self::of(own, vec![WORKER_COMMAND.to_owned()])
    }

    /// A sandbox whose worker is another program that implements the protocol.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn of(program: PathBuf, arguments: Vec<String>) -> Result<Self, SandboxError> {
        Self::begin(program, arguments, false)
    }

    /// The same, with a separate worker for every snippet. The worker writes an empty line when it
    /// is ready, so that its start does not use up the time of the snippet. If a worker has to be
    /// killed, its snippet failed, because the worker is Python itself; the interpreter of
    /// [`Sandbox::of`] is not.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn afresh(program: PathBuf, arguments: Vec<String>) -> Result<Self, SandboxError> {
        Self::begin(program, arguments, true)
    }

    fn begin(program: PathBuf, arguments: Vec<String>, afresh: bool) -> Result<Self, SandboxError> {
        let mut sandbox = Self {
            program,
            arguments,
            worker: None,
            started: 0,
            afresh,
            grace: GRACE,
        };
        match sandbox.spawn() {
            Ok(worker) => sandbox.worker = Some(worker),
            Err(why) => return Err(SandboxError::Failed(why)),
        }
        Ok(sandbox)
    }

    /// How long the reply to `snippet` is waited for; then its worker is killed. This deadline is the only bound
    /// on the time of a snippet that holds in every case: the interpreter counts no steps, and looks at the
    /// clock only between operations.
    #[must_use]
    pub fn longest_wait(&self, snippet: &Snippet) -> Duration {
        Duration::from_millis(u64::from(snippet.time_limit_ms)) + self.grace
    }

    /// Number of workers started so far: 1, and one more for each that died.
    #[must_use]
    pub fn started(&self) -> u32 {
        self.started
    }

    fn spawn(&mut self) -> Result<Worker, String> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", self.program.display()))?;
        self.started += 1;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("the worker has no pipes".to_owned());
        };
        let (send, replies) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read = output
                    .by_ref()
                    .take(LONGEST_REPLY)
                    .read_until(b'\n', &mut line);
                // A line without its end means that the worker died, or that it never stops
                // writing.
                if read.is_err() || line.last() != Some(&b'\n') || send.send(line).is_err() {
                    return;
                }
            }
        });
        let (send, last_words) = channel();
        std::thread::spawn(move || {
            let mut errors = BufReader::new(errors);
            let mut kept = Vec::new();
            let mut block = [0; 1024];
            while let Ok(length @ 1..) = errors.read(&mut block) {
                kept.extend_from_slice(block.get(..length).unwrap_or_default());
                let surplus = kept.len().saturating_sub(LAST_WORDS);
                kept.drain(..surplus);
            }
            let _ = send.send(String::from_utf8_lossy(&kept).into_owned());
        });
        let mut worker = Worker {
            child,
            input,
            replies,
            last_words,
        };
        // Wait until the worker has answered once, so that its start does not use up the time of the
        // first snippet.
        let ready = if self.afresh {
            worker.answered()
        } else {
            worker.greet()
        };
        match ready {
            Ok(()) => Ok(worker),
            Err(why) => Err(format!("{why}{}", worker.end().1)),
        }
    }

    /// Passes a snippet to a worker; an error means that the worker did not take it.
    fn hand_over(&mut self, line: &str) -> Result<&mut Worker, String> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.spawn()?,
        };
        let written = worker.input.write_all(line.as_bytes());
        match written.and_then(|()| worker.input.flush()) {
            Ok(()) => Ok(self.worker.insert(worker)),
            Err(e) => Err(format!("{e}{}", worker.end().1)),
        }
    }
}

impl SnippetRunner for Sandbox {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        let line = match serde_json::to_string(snippet) {
            Ok(line) => line + "\n",
            Err(e) => return failed(format!("the snippet cannot be written: {e}")),
        };
        // A worker may have died while idle, which is not the snippet's fault, so it is tried once
        // more with a new one.
        let first = self.hand_over(&line).err();
        if first.is_some()
            && let Err(why) = self.hand_over(&line)
        {
            // Nothing was run, so the snippet must not count as wrong.
            return SnippetReply::Unsupported {
                what: format!("the sandbox: {why}"),
            };
        }
        let limit = self.longest_wait(snippet);
        let Some(worker) = &mut self.worker else {
            return failed("the worker is gone".to_owned());
        };
        let reply = match worker.replies.recv_timeout(limit) {
            Ok(line) => match serde_json::from_slice(&line) {
                Ok(reply) if !self.afresh => return reply,
                Ok(reply) => reply,
                Err(e) => given_up(
                    self.afresh,
                    &format!("the worker's reply cannot be read: {e}"),
                ),
            },
            Err(RecvTimeoutError::Timeout) => given_up(self.afresh, classify::TIMEOUT),
            Err(RecvTimeoutError::Disconnected) => {
                let Some(worker) = self.worker.take() else {
                    return failed("the worker is gone".to_owned());
                };
                let (status, words) = worker.end();
                return given_up(self.afresh, &cause_of_death(status, &words));
            }
        };
        if let Some(worker) = self.worker.take() {
            worker.end();
        }
        reply
    }
}

fn failed(reason: String) -> SnippetReply {
    SnippetReply::Failed { reason }
}

/// The reply for a snippet whose worker ran into a limit or was lost: it failed if the worker is Python itself
/// (`is_python`). What ends the interpreter, Python might have run.
fn given_up(is_python: bool, cause: &str) -> SnippetReply {
    if is_python {
        return failed(cause.to_owned());
    }
    let what = match cause {
        classify::TIMEOUT => "more time than its limit (the interpreter is slower than Python)",
        classify::MEMORY => "more memory than the interpreter may use",
        classify::RECURSION => "deeper recursion than the interpreter allows",
        other => other,
    };
    SnippetReply::Unsupported {
        what: what.to_owned(),
    }
}

/// Why a worker ended, from its status and the end of its standard error.
fn cause_of_death(status: Option<ExitStatus>, words: &str) -> String {
    if words.contains("memory allocation of") || words.contains("MemoryError") {
        return classify::MEMORY.to_owned();
    }
    if words.contains("overflowed its stack") {
        return classify::RECURSION.to_owned();
    }
    match status {
        Some(status) => format!("the interpreter ended ({status})"),
        None => "the interpreter ended".to_owned(),
    }
}

/// A running worker.
#[derive(Debug)]
struct Worker {
    child: Child,
    input: ChildStdin,
    replies: Receiver<Vec<u8>>,
    last_words: Receiver<String>,
}

impl Worker {
    /// Waits for its first answer.
    fn greet(&mut self) -> Result<(), String> {
        let line = serde_json::to_string(&Snippet::new("1")).map_err(|e| e.to_string())? + "\n";
        let written = self.input.write_all(line.as_bytes());
        written
            .and_then(|()| self.input.flush())
            .map_err(|e| e.to_string())?;
        self.answered()
    }

    /// Waits until the worker has written a line.
    fn answered(&mut self) -> Result<(), String> {
        match self.replies.recv_timeout(START) {
            Ok(_) => Ok(()),
            Err(e) => Err(format!("it does not answer: {e}")),
        }
    }

    /// Ends the worker; returns its status and the end of its standard error.
    fn end(mut self) -> (Option<ExitStatus>, String) {
        // A worker that has already ended keeps its own status.
        let _ = self.child.kill();
        let status = self.child.wait().ok();
        let words = self.last_words.recv_timeout(START).unwrap_or_default();
        (status, words)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.end();
        }
    }
}
