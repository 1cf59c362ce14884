//! The run folder: the files that hold a run, and the care they are written with.
//!
//! ```text
//! DIR/manifest.json      the plan, the program's version, the start time
//! DIR/episodes.jsonl     one record a line, appended; a torn last line is set aside on reading
//! DIR/errors.jsonl       episodes that failed, with the reason
//! DIR/references.jsonl   references that a search found, by instance
//! ```

use crate::error::RunError;
use crate::plan::Plan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ConfigError, Digest, EpisodeRecord, Stored};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What stands in `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Form of this file.
    pub schema: u32,
    /// Version of the program that began the run.
    pub boardroom: String,
    /// When it began [seconds since 1970-01-01 UTC].
    pub started_unix: u64,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// What is run.
    pub plan: Plan,
}

impl Stored for Manifest {
    const WHAT: &'static str = "manifest";
    const SCHEMA: u32 = 1;
}

/// A run folder, locked for this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held for the lock on it.
    _lock: File,
    /// The manifest.
    pub manifest: Manifest,
}

/// What [`Folder::scan`] made of the records.
#[derive(Debug)]
pub struct Scanned<R> {
    /// One result a record, in the order of the file.
    pub results: Vec<R>,
    /// Length of a torn last line \[bytes\]; 0 when there is none.
    pub torn: u64,
}

const MANIFEST: &str = "manifest.json";
const EPISODES: &str = "episodes.jsonl";
const TORN: &str = "episodes.torn";
const ERRORS: &str = "errors.jsonl";
const REFERENCES: &str = "references.jsonl";

impl Folder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: Plan) -> Result<Self, RunError> {
        std::fs::create_dir_all(path).map_err(RunError::file(path))?;
        let file = path.join(MANIFEST);
        if file.exists() {
            return Err(RunError::usage(format!(
                "{} holds a run already; finish it with `boardroom resume {}` or name another folder",
                path.display(),
                path.display()
            )));
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "the runner notes when a run began"
        )]
        let now = std::time::SystemTime::now();
        let started = now.duration_since(std::time::UNIX_EPOCH);
        let plan_digest =
            Digest::of(&plan).map_err(|e| RunError::usage(format!("the plan: {e}")))?;
        let manifest = Manifest {
            schema: Manifest::SCHEMA,
            boardroom: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix: started.map_or(0, |d| d.as_secs()),
            plan_digest,
            plan,
        };
        let text = serde_json::to_string_pretty(&manifest)
            .map_err(|e| RunError::usage(format!("the plan: {e}")))?;
        // Written beside and renamed, so that a manifest is there whole or not at all.
        let draft = path.join("manifest.json.new");
        std::fs::write(&draft, text + "\n").map_err(RunError::file(&draft))?;
        std::fs::rename(&draft, &file).map_err(RunError::file(&file))?;
        let lock = lock(&file)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            manifest,
        })
    }

    /// Opens the run in `path` to go on with it.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or another process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        Self::open_with(path, lock)
    }

    /// Opens the run in `path` to read it; any number of readers may.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or a process is writing it.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        Self::open_with(path, lock_shared)
    }

    fn open_with(
        path: &Path,
        lock: impl Fn(&Path) -> Result<File, RunError>,
    ) -> Result<Self, RunError> {
        let file = path.join(MANIFEST);
        if !file.exists() {
            return Err(RunError::usage(format!(
                "{} is no run folder: it has no {MANIFEST}",
                path.display()
            )));
        }
        let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
        let bad = |e: ConfigError| RunError::usage(format!("{}: {e}", file.display()));
        let value = serde_json::from_str::<Value>(&text)
            .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", file.display())))?;
        if value.get("interviews").is_some() {
            return Err(RunError::usage(format!(
                "{0} holds interviews, not episodes: `boardroom resume`, `replay` and `verify` \
                 read them",
                path.display()
            )));
        }
        if value.get("questions").is_some() {
            return Err(RunError::usage(format!(
                "{0} holds answers to questions, not episodes: `boardroom resume {0}` goes on with it, \
                 `boardroom score TASK --predictions {0} --gold DIR` judges them anew",
                path.display()
            )));
        }
        let manifest = Manifest::read(value).map_err(bad)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock(&file)?,
            manifest,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads every record, on all cores, and keeps what `see` makes of it, so that a folder of any
    /// length fits in memory.
    ///
    /// # Errors
    /// When the file cannot be read or a whole line is no record (names the line), and what `see`
    /// refuses.
    pub fn scan<R: Send>(
        &self,
        see: impl Fn(EpisodeRecord) -> Result<R, RunError> + Sync,
    ) -> Result<Scanned<R>, RunError> {
        let path = self.path.join(EPISODES);
        if !path.exists() {
            return Ok(Scanned {
                results: Vec::new(),
                torn: 0,
            });
        }
        let file = File::open(&path).map_err(RunError::file(&path))?;
        let lines = Mutex::new(Lines {
            reader: BufReader::with_capacity(1 << 16, file),
            number: 0,
            torn: 0,
        });
        let one = |number: u64, line: &[u8]| {
            let bad = |e: String| RunError::usage(format!("{} line {number}: {e}", path.display()));
            let value: Value = serde_json::from_slice(line).map_err(|e| bad(e.to_string()))?;
            see(EpisodeRecord::read(value).map_err(|e| bad(e.to_string()))?)
        };
        let work = || -> Result<Vec<(u64, R)>, RunError> {
            let (mut line, mut results) = (Vec::new(), Vec::new());
            loop {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(number) = lines.next(&mut line).map_err(RunError::file(&path))? else {
                    return Ok(results);
                };
                drop(lines);
                results.push((number, one(number, &line)?));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let parts: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles
                .into_iter()
                .map(std::thread::ScopedJoinHandle::join)
                .collect()
        });
        let mut results = Vec::new();
        for part in parts {
            let crashed = |_| RunError::Failed("a thread that read records crashed".to_owned());
            results.extend(part.map_err(crashed)??);
        }
        results.sort_by_key(|(number, _)| *number);
        let torn = lines
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .torn;
        Ok(Scanned {
            results: results.into_iter().map(|(_, result)| result).collect(),
            torn,
        })
    }

    /// Length of a torn last line \[bytes\], read from the end of the file; 0 when there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn torn(&self) -> Result<u64, RunError> {
        let path = self.path.join(EPISODES);
        if !path.exists() {
            return Ok(0);
        }
        let look = || -> std::io::Result<u64> {
            let mut file = File::open(&path)?;
            let end = file.metadata()?.len();
            let (mut start, mut block) = (end, Vec::new());
            while start > 0 {
                let from = start.saturating_sub(1 << 16);
                block.clear();
                file.seek(SeekFrom::Start(from))?;
                std::io::Read::by_ref(&mut file)
                    .take(start - from)
                    .read_to_end(&mut block)?;
                if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
                    return Ok(end - (from + at as u64 + 1));
                }
                start = from;
            }
            Ok(end)
        };
        look().map_err(RunError::file(&path))
    }

    /// Moves a torn last line of `length` bytes to a file of its own, so that appending can go on.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn set_aside(&self, length: u64) -> Result<PathBuf, RunError> {
        let path = self.path.join(EPISODES);
        let aside = self.path.join(TORN);
        let error = RunError::file(&path);
        let work = || -> std::io::Result<()> {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            let whole = file.metadata()?.len().saturating_sub(length);
            file.seek(SeekFrom::Start(whole))?;
            let mut torn = Vec::new();
            file.read_to_end(&mut torn)?;
            torn.push(b'\n');
            let mut out = OpenOptions::new().create(true).append(true).open(&aside)?;
            out.write_all(&torn)?;
            out.sync_data()?;
            file.set_len(whole)?;
            file.sync_data()
        };
        work().map_err(error)?;
        Ok(aside)
    }

    /// Opens the record file for appending.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn appender(&self) -> Result<Appender, RunError> {
        Appender::open(self.path.join(EPISODES))
    }

    /// Opens the list of failures, which begins anew with each attempt.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        let path = self.path.join(ERRORS);
        if lines.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(RunError::file(&path)(e)),
                _ => Ok(()),
            };
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).map_err(RunError::file(&path))
    }

    /// Where references that a search found are kept.
    #[must_use]
    pub fn references(&self) -> PathBuf {
        self.path.join(REFERENCES)
    }
}

/// Hands out the whole lines of a file, numbered from 1.
struct Lines {
    reader: BufReader<File>,
    number: u64,
    torn: u64,
}

impl Lines {
    fn next(&mut self, line: &mut Vec<u8>) -> std::io::Result<Option<u64>> {
        line.clear();
        let length = self.reader.read_until(b'\n', line)?;
        if line.last() != Some(&b'\n') {
            // The end of the file, perhaps behind a line that was cut off.
            self.torn = self.torn.max(length as u64);
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.number))
    }
}

/// A file that lines are appended to.
#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Appender {
    /// Opens `path` for appending.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: PathBuf) -> Result<Self, RunError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(RunError::file(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
        })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, line: &str) -> Result<(), RunError> {
        let error = RunError::file(&self.path);
        let mut write = || {
            self.file.write_all(line.as_bytes())?;
            self.file.write_all(b"\n")
        };
        write().map_err(error)
    }

    /// Brings everything to the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn sync(&mut self) -> Result<(), RunError> {
        let error = RunError::file(&self.path);
        let mut sync = || {
            self.file.flush()?;
            self.file.get_ref().sync_data()
        };
        sync().map_err(error)
    }
}

fn lock(path: &Path) -> Result<File, RunError> {
    let file = File::open(path).map_err(RunError::file(path))?;
    locked(path, file.try_lock())?;
    Ok(file)
}

fn lock_shared(path: &Path) -> Result<File, RunError> {
    let file = File::open(path).map_err(RunError::file(path))?;
    locked(path, file.try_lock_shared())?;
    Ok(file)
}

fn locked(path: &Path, result: Result<(), std::fs::TryLockError>) -> Result<(), RunError> {
    match result {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(RunError::usage(format!(
            "another process works on {}; wait for it to end",
            path.parent().unwrap_or(path).display()
        ))),
        Err(std::fs::TryLockError::Error(e)) => Err(RunError::file(path)(e)),
    }
}
