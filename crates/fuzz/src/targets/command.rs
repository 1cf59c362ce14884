//! Commands of the program over files: scripts and plans, and the player that other targets share.

use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, committed, longest};
use anyhow::{Context as _, Result};
use boardroom::Cli;
use boardroom::Registry;
use boardroom::RunError;
use boardroom::dispatch;
use clap::Parser as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Scripts.
pub const SCRIPT: Target = Target {
    name: "script",
    about: "scripts of actions, played by `run`",
    weight: 2,
    longest: longest::FILE,
    open: || commands("script"),
};

/// Plan files.
pub const PLAN: Target = Target {
    name: "plan",
    about: "plan files of sweeps, run by `run --plan`",
    weight: 3,
    longest: longest::FILE,
    open: || commands("plan"),
};

/// After this time the flag that Ctrl-C sets is set: what heeds it ends well before a hang.
const PATIENCE: Duration = Duration::from_secs(3);

fn commands(target: &'static str) -> Result<Opened> {
    let work = Work::new()?;
    Ok(Opened::new(committed(target)?, move |input| {
        work.play(input)
    }))
}

/// A folder that is the program's working folder while a command runs in it.
///
/// The working folder belongs to the whole process, so a process plays one input at a time.
#[derive(Debug)]
pub struct Work {
    dir: PathBuf,
}

impl Work {
    /// A folder below the one of this process.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<Self> {
        let dir = std::env::current_dir()?.join("play");
        let work = Self { dir };
        work.clear()?;
        Ok(work)
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Leaves the folder empty, and makes it the working folder.
    ///
    /// # Errors
    /// When it cannot be emptied.
    pub fn clear(&self) -> Result<()> {
        if self.dir.exists() {
            std::fs::remove_dir_all(&self.dir).context("the folder cannot be emptied")?;
        }
        std::fs::create_dir_all(&self.dir)?;
        std::env::set_current_dir(&self.dir)?;
        Ok(())
    }

    /// Writes the files of `bundle`; those whose name leads out of the folder are left out.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn write(&self, bundle: &Bundle) -> Result<()> {
        for (name, content) in bundle.open() {
            // A mutation may write a line `=== ../../x` into a file, which names another one.
            let parts = Path::new(name).components();
            let mut parts = parts.map(|part| matches!(part, std::path::Component::Normal(_)));
            if name.is_empty() || !parts.all(|inside| inside) || name.contains('\0') {
                continue;
            }
            let path = self.dir.join(name);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, content)?;
        }
        Ok(())
    }

    /// Runs the commands of a bundle over its files.
    pub fn play(&self, input: &[u8]) -> Verdict {
        let Some(bundle) = Bundle::read(input) else {
            return Verdict::Refused;
        };
        if self.clear().and_then(|()| self.write(&bundle)).is_err() {
            return Verdict::Refused;
        }
        // Played if one of its commands was: later ones may need what an earlier one did not write.
        let mut verdict = Verdict::Refused;
        for line in bundle.text("command").lines() {
            if run(line).is_ok() {
                verdict = Verdict::Played;
            }
        }
        verdict
    }

    /// What the folder `name` holds, as files of a bundle.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn bundled(&self, name: &str) -> Result<Bundle> {
        let files = crate::target::files(&self.dir.join(name))?;
        let named = files
            .into_iter()
            .map(|(path, content)| (format!("{name}/{path}"), content));
        Ok(Bundle(named.collect()))
    }
}

/// Runs one command in this process, as the program would; what it printed.
///
/// A command whose work failed in part (exit code 1) counts as played.
///
/// # Errors
/// When it was refused.
pub fn run(line: &str) -> Result<String, RunError> {
    let words = line.split_whitespace();
    // Commands run with the rights of the user, and an input may be somebody else's file.
    if words
        .clone()
        .any(|word| word.starts_with('/') || word.contains(".."))
    {
        return Err(RunError::usage("a command of a test stays in its folder"));
    }
    let cli = Cli::try_parse_from(std::iter::once("boardroom").chain(words))
        .map_err(|e| RunError::usage(e.to_string()))?;
    let stop = AtomicBool::new(false);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let registry = Registry::new();
    let ended = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            // Parked, not asleep, so that it ends with the command: asleep it would make each input
            // take three seconds.
            std::thread::park_timeout(PATIENCE);
            stop.store(true, Ordering::Relaxed);
        });
        let unpark = Unpark(watch.thread().clone());
        let ended = dispatch(cli, &registry, &stop, &mut out, &mut err);
        drop(unpark);
        ended
    });
    match ended {
        Ok(())
        | Err(
            RunError::Failed(_)
            | RunError::Budget(_)
            | RunError::Interrupted(_)
            | RunError::Left(_),
        ) => Ok(String::from_utf8_lossy(&out).into_owned()),
        Err(refused) => Err(refused),
    }
}

/// Wakes the watch, also when a command panics.
struct Unpark(std::thread::Thread);

impl Drop for Unpark {
    fn drop(&mut self) {
        self.0.unpark();
    }
}
