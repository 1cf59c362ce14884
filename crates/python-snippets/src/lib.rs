//! Runs Python snippets with the system's Python 3, each in a process of its own.
//!
//! ```text
//!  Sandbox (here) ── starts ──► this program again, `snippet-worker`: enters the jail,
//!          │                     becomes Python with the program `wrapper.py`
//!          ├── one JSON snippet a line ──► runs it
//!          ◄── one JSON reply a line ───   and ends
//! ```
//!
//! In the jail (Linux: Landlock, seccomp, resource limits) Python reads its library and nothing else, opens no
//! socket, starts no process, sends no signal, and has limits on memory and time. On a system without the jail nothing
//! is run, except after [`trust_programs`].

#[cfg(target_os = "linux")]
mod jail;

use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The hidden command that the program is started with to enter the jail; its argument is that of [`enter_jail`].
pub const WORKER_COMMAND: &str = "snippet-worker";

/// Python's side: one snippet from standard input, one reply to standard output.
const WRAPPER: &str = include_str!("wrapper.py");

/// The name of Python 3 on the path.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Prints an [`Interpreter`] as JSON.
const ASK: &str = "import json,sys,sysconfig; p=sysconfig.get_paths(); print(json.dumps({'version': \
    sys.version_info[:2], 'executable': sys.executable, 'path': sys.path, 'read': sorted({p['stdlib'], \
    p['platstdlib'], p['purelib'], p['platlib'], sys.base_prefix + '/lib'} | ({sys.prefix + '/pyvenv.cfg'} if \
    sys.prefix != sys.base_prefix else set()))}))";

/// Oldest version of Python that runs the wrapper.
const OLDEST: (u32, u32) = (3, 8);

/// Maximum length of a reply that is read \[bytes\]; the wrapper's own limit is lower.
const LONGEST_REPLY: u64 = 4 << 20;

/// Length of the part of a worker's standard error that is read \[bytes\].
const LONGEST_ERROR: u64 = 2_000;

/// Time after a snippet's own time limit until its process is killed. Python cannot interrupt a single operation on
/// huge numbers, and a snippet may catch the wrapper's exception; killing the process always works.
const GRACE: Duration = Duration::from_millis(900);

/// Time limit for the start of Python.
const START: Duration = Duration::from_secs(20);

/// Whether programs may run without a jail.
static TRUSTED: AtomicBool = AtomicBool::new(false);

/// From now on sandboxes run programs without a jail where this system has none. The programs then have every right
/// that this process has.
///
/// This is a choice of the person who starts the process: it holds for the process, and no plan can make it.
pub fn trust_programs() {
    TRUSTED.store(true, Ordering::Relaxed);
}

/// Why snippets cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SandboxError(String);

/// The system's Python, as it describes itself; `python3` on the path may be a script that starts it.
#[derive(Debug, Serialize, Deserialize)]
struct Interpreter {
    version: (u32, u32),
    executable: PathBuf,
    /// Where it looks for modules.
    path: Vec<PathBuf>,
    /// What it may read in the jail; a folder of somebody's own work, to which the path may lead, is not part of it.
    read: Vec<PathBuf>,
}

impl Interpreter {
    fn find() -> Result<Self, String> {
        // Isolated (`-I`): neither variables of the environment nor modules in the present folder
        // may change the answer.
        let output = Command::new(PYTHON)
            .args(["-I", "-c", ASK])
            .output()
            .map_err(|e| format!("{PYTHON}: {e}"))?;
        let found: Self = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("{PYTHON} does not say where it is: {e}"))?;
        if found.version < OLDEST {
            let ((major, minor), (at_least, least)) = (found.version, OLDEST);
            return Err(format!(
                "{PYTHON} is {major}.{minor}, needed is {at_least}.{least}"
            ));
        }
        Ok(found)
    }

    /// Python with the wrapper. The environment decides nothing, and hashes are the same in every process, so that sets
    /// have the same order.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        // Looking for packages (`site`) takes half of the start, and its result is passed on.
        command.args(["-S", "-s", "-B", "-c", WRAPPER]);
        command.args(&self.path).env_clear().envs([
            ("PYTHONHASHSEED", "0"),
            ("PYTHONSAFEPATH", "1"),
            ("PYTHONUTF8", "1"),
        ]);
        // Python for Windows does not start without it.
        command.envs(std::env::var_os("SYSTEMROOT").map(|root| ("SYSTEMROOT", root)));
        command
    }
}

/// Enters the jail and becomes Python; `interpreter` is the argument of [`WORKER_COMMAND`]. Returns only on an error.
#[must_use]
pub fn enter_jail(interpreter: &str) -> io::Error {
    match serde_json::from_str::<Interpreter>(interpreter) {
        #[cfg(target_os = "linux")]
        Ok(interpreter) => jail::enter(&interpreter),
        #[cfg(not(target_os = "linux"))]
        Ok(_) => io::Error::new(io::ErrorKind::Unsupported, "the jail needs Linux"),
        Err(e) => e.into(),
    }
}

/// Runs every snippet in a new process of the system's Python.
#[derive(Debug)]
pub struct Sandbox {
    /// The program that enters the jail; none where programs are trusted.
    program: Option<PathBuf>,
    interpreter: Interpreter,
    /// The process for the next snippet, which starts while others work.
    next: Option<Worker>,
}

impl Sandbox {
    /// A sandbox whose worker is this program.
    ///
    /// # Errors
    /// When there is no Python, or no jail and programs are not trusted.
    pub fn start() -> Result<Self, SandboxError> {
        let own = std::env::current_exe()
            .map_err(|e| SandboxError(format!("the path of this program is not known: {e}")))?;
        Self::of(own)
    }

    /// A sandbox with another program that answers [`WORKER_COMMAND`].
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn of(program: PathBuf) -> Result<Self, SandboxError> {
        let interpreter = Interpreter::find()
            .map_err(|why| SandboxError(format!("there is no Python 3 to be used: {why}")))?;
        let mut sandbox = Self {
            program: Some(program),
            interpreter,
            next: None,
        };
        // Not only looked for: whether the kernel has the jail, and whether Python works in it, shows when a snippet
        // is run.
        let Err(why) = sandbox.try_out() else {
            return Ok(sandbox);
        };
        if !TRUSTED.load(Ordering::Relaxed) {
            return Err(SandboxError(format!(
                "the system's Python cannot be confined: {why}; `--trust-programs` runs it without a jail"
            )));
        }
        sandbox.program = None;
        // The worker that waits is one of the program that cannot be used.
        sandbox.next = None;
        let tried = sandbox.try_out();
        tried.map_err(|why| SandboxError(format!("the system's Python does not work: {why}")))?;
        Ok(sandbox)
    }

    fn try_out(&mut self) -> Result<(), String> {
        match self.run(&Snippet::new("6 * 7")) {
            SnippetReply::Value(_) => Ok(()),
            SnippetReply::Failed { reason } | SnippetReply::Unsupported { what: reason } => {
                Err(reason)
            }
        }
    }

    /// How long the reply to `snippet` is waited for; then its process is killed.
    #[must_use]
    pub fn longest_wait(&self, snippet: &Snippet) -> Duration {
        Duration::from_millis(u64::from(snippet.time_limit_ms)) + GRACE
    }

    fn spawn(&self) -> Result<Worker, String> {
        let Some(program) = &self.program else {
            // A trusted program may leave processes that hold a pipe open.
            return Worker::start(self.interpreter.command().stderr(Stdio::null()));
        };
        let interpreter = serde_json::to_string(&self.interpreter).map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
        // Without the environment, which holds the keys of the account.
        command.args([WORKER_COMMAND, &interpreter]).env_clear();
        Worker::start(command.stderr(Stdio::piped()))
    }

    /// A process that has started and was given the snippet. The time of the snippet begins when Python has it.
    fn begin(&mut self, snippet: &str) -> Result<Worker, String> {
        let mut worker = match self.next.take() {
            Some(worker) => worker,
            None => self.spawn()?,
        };
        match worker.lines.recv_timeout(START) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return Err("Python does not start".to_owned()),
            Err(RecvTimeoutError::Disconnected) => return Err(worker.why_it_ended()),
        }
        let written = writeln!(worker.input, "{snippet}").and_then(|()| worker.input.flush());
        written.map_err(|e| e.to_string())?;
        Ok(worker)
    }
}

impl SnippetRunner for Sandbox {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        let line = match serde_json::to_string(snippet) {
            Ok(line) => line,
            Err(e) => return failed(format!("the snippet cannot be written: {e}")),
        };
        // A process that died while it waited is not the snippet's fault, so another one is tried.
        let mut worker = match self.begin(&line).or_else(|_| self.begin(&line)) {
            Ok(worker) => worker,
            // Nothing was run, so the snippet must not count as wrong.
            Err(what) => return SnippetReply::Unsupported { what },
        };
        // Python starts while this snippet runs, because its start takes as long as many snippets.
        self.next = self.spawn().ok();
        match worker.lines.recv_timeout(self.longest_wait(snippet)) {
            Ok(line) => serde_json::from_slice(&line)
                .unwrap_or_else(|e| failed(format!("Python's reply cannot be read: {e}"))),
            Err(RecvTimeoutError::Timeout) => failed("timeout".to_owned()),
            Err(RecvTimeoutError::Disconnected) => failed(worker.why_it_ended()),
        }
    }
}

fn failed(reason: String) -> SnippetReply {
    SnippetReply::Failed { reason }
}

/// A process for one snippet; it is killed when it is dropped.
#[derive(Debug)]
struct Worker {
    child: Child,
    input: ChildStdin,
    errors: Option<ChildStderr>,
    lines: Receiver<Vec<u8>>,
}

impl Worker {
    fn start(command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the process has no pipes".to_owned());
        };
        let errors = child.stderr.take();
        // One line waits: a process that never stops writing fills no memory.
        let (send, lines) = sync_channel(1);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read = output
                    .by_ref()
                    .take(LONGEST_REPLY)
                    .read_until(b'\n', &mut line);
                // A line without its end means that the process died, or that it never stops writing.
                if read.is_err() || line.last() != Some(&b'\n') || send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            child,
            input,
            errors,
            lines,
        })
    }

    /// Ends the process. One that has already ended keeps its own status.
    fn end(&mut self) -> io::Result<ExitStatus> {
        let _ = self.child.kill();
        self.child.wait()
    }

    /// Why a process that writes no more had ended: the first line of its errors, else its status.
    fn why_it_ended(&mut self) -> String {
        let status = self.end();
        let mut words = Vec::new();
        // Only now: while the process lived, reading to the end could wait for ever.
        if let Some(errors) = self.errors.take() {
            let _ = errors.take(LONGEST_ERROR).read_to_end(&mut words);
        }
        let words = String::from_utf8_lossy(&words);
        match (words.trim().lines().next(), status) {
            (Some(line), _) => line.trim_start_matches("error: ").to_owned(),
            (None, Ok(status)) => format!("Python ended ({status})"),
            (None, Err(e)) => format!("Python ended ({e})"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
