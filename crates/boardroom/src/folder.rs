//! The run folder: the files that hold a run, and the care they are written with.
//!
//! ```text
//! DIR/manifest.json      the plan, the program's version, the start time
//! DIR/episodes.jsonl     one record a line, appended; a torn last line is set aside on reading
//! DIR/errors.jsonl       episodes that failed, with the reason
//! DIR/references.jsonl   references that a search found, by instance
//! ```

pub(crate) mod fresh;
pub(crate) mod manifest;
pub mod torn;

use crate::error::RunError;
use crate::plan::Plan;
use crate::runs::unfinished::how_to_finish;
use agent_client::secret::Scrub;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, EpisodeRecord, Stored};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use torn::Torn;

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

const EPISODES: &str = "episodes.jsonl";
const ERRORS: &str = "errors.jsonl";
const REFERENCES: &str = "references.jsonl";

/// Makes the folder `path`, with those above it.
///
/// # Errors
/// When a file is there, or the folder cannot be made.
pub(crate) fn make(path: &Path) -> Result<(), RunError> {
    if path.is_file() {
        return Err(RunError::usage(format!(
            "{} is a file, and a folder is to be made there; name another one",
            path.display()
        )));
    }
    std::fs::create_dir_all(path).map_err(RunError::file(path))
}

/// Whether `name` is one that a run uses in its own folder.
pub(crate) fn is_own_name(name: &std::ffi::OsStr) -> bool {
    let mut own = fresh::OURS.into_iter().chain([manifest::MANIFEST, ERRORS]);
    own.any(|known| name == known)
}

impl Folder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: Plan) -> Result<Self, RunError> {
        let (manifest, lock) = manifest::begin(path, plan, |beginning, plan| Manifest {
            schema: Manifest::SCHEMA,
            boardroom: beginning.boardroom,
            started_unix: beginning.started_unix,
            plan_digest: beginning.plan_digest,
            plan,
        })?;
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
        Self::open_with(path, manifest::lock)
    }

    /// Opens the run in `path` to read it; any number of readers may.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or a process is writing it.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        Self::open_with(path, manifest::lock_shared)
    }

    fn open_with(
        path: &Path,
        lock: impl Fn(&Path) -> Result<File, RunError>,
    ) -> Result<Self, RunError> {
        let value = manifest::value(path)?;
        if value.get("interviews").is_some() {
            return Err(RunError::usage(format!(
                "{0} holds interviews, not episodes: `boardroom resume`, `replay`, `verify`, \
                 `compare` and `export` take them",
                path.display()
            )));
        }
        if value.get("questions").is_some() {
            return Err(RunError::usage(format!(
                "{0} holds answers to questions, not episodes: `boardroom resume {0}` goes on with it, \
                 `boardroom score TASK --predictions {0} --gold DIR` judges them anew, `compare` and \
                 `export` take them",
                path.display()
            )));
        }
        let manifest = manifest::read(path, value)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock(path)?,
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
            let at = format!("{} line {number}", path.display());
            let value: Value = serde_json::from_slice(line).map_err(|e| {
                RunError::usage(format!(
                    "{at}, column {}: {}; the line is no record: remove it, then {}",
                    e.column(),
                    fault(&e),
                    how_to_finish(self)
                ))
            })?;
            let record = EpisodeRecord::read(value);
            see(record.map_err(|e| RunError::usage(format!("{at}: {e}")))?)
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

    /// Number of whole lines in the record file, which are not looked into.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn records(&self) -> Result<u64, RunError> {
        let path = self.path.join(EPISODES);
        if !path.exists() {
            return Ok(0);
        }
        let failed = || RunError::file(&path);
        let mut reader = BufReader::with_capacity(1 << 16, File::open(&path).map_err(failed())?);
        let mut count = 0;
        loop {
            let read = reader.fill_buf().map_err(failed())?;
            if read.is_empty() {
                return Ok(count);
            }
            count += read.iter().filter(|byte| **byte == b'\n').count() as u64;
            let length = read.len();
            reader.consume(length);
        }
    }

    /// Moves a torn last line to a file of its own, so that appending can go on.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn set_torn_aside(&self) -> Result<Option<Torn>, RunError> {
        torn::set_torn_aside(&self.path.join(EPISODES))
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
        write_errors(&self.path, lines)
    }

    /// Where references that a search found are kept.
    #[must_use]
    pub fn references(&self) -> PathBuf {
        self.path.join(REFERENCES)
    }
}

/// What is wrong with a line of JSON, without the place in the line: the file has a line of its own.
fn fault(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
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
        let line = Scrub::from_env().line(line);
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

/// Writes the list of failures of the run in `dir`, or removes it where there are none.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write_errors(dir: &Path, lines: &[Value]) -> Result<(), RunError> {
    let path = dir.join(ERRORS);
    if lines.is_empty() {
        return match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(RunError::file(&path)(e)),
            _ => Ok(()),
        };
    }
    // As one value: a key may be spread over the failures.
    let lines = Scrub::from_env().value(&Value::from(lines.to_vec()));
    let lines = lines.as_array().map(Vec::as_slice).unwrap_or_default();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).map_err(RunError::file(&path))
}
