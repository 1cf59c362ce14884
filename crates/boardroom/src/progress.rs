//! Episodes that are not finished yet: their log on the disk, period by period.
//!
//! Built-in policies need none of it (they play again what was lost, and get the same bytes). A
//! person or a model would not, so what they did in finished periods is kept in
//! `DIR/progress/<episode>.jsonl` until the record of the episode is written.

use crate::error::RunError;
use crate::folder::Appender;
use sim_core::{Entry, Session};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The kept log of one episode.
#[derive(Debug)]
pub struct Progress {
    path: PathBuf,
    appender: Appender,
    /// Entries that are on the disk.
    kept: usize,
}

impl Progress {
    /// Opens the log of episode `episode` in the run folder `run`, with the entries that an earlier try left.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn open(run: &Path, episode: u64) -> Result<(Self, Vec<Entry>), RunError> {
        let dir = run.join("progress");
        std::fs::create_dir_all(&dir).map_err(RunError::file(&dir))?;
        let path = dir.join(format!("{episode}.jsonl"));
        let mut entries = Vec::new();
        if path.exists() {
            let text = std::fs::read(&path).map_err(RunError::file(&path))?;
            // A torn end belongs to a period that was not finished: it is played again.
            entries = text
                .split_inclusive(|byte| *byte == b'\n')
                .take_while(|line| line.last() == Some(&b'\n'))
                .map_while(|line| serde_json::from_slice(line).ok())
                .collect();
        }
        // Begun anew with what the session will take over, see `take_over`.
        let appender = Appender::open(path.clone())?;
        let progress = Self {
            path,
            appender,
            kept: 0,
        };
        Ok((progress, entries))
    }

    /// Numbers of the episodes whose beginning is kept in the run folder `run`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn kept_in(run: &Path) -> Result<BTreeSet<u64>, RunError> {
        let dir = run.join("progress");
        let mut numbers = BTreeSet::new();
        if !dir.exists() {
            return Ok(numbers);
        }
        for entry in std::fs::read_dir(&dir).map_err(RunError::file(&dir))? {
            let path = entry.map_err(RunError::file(&dir))?.path();
            let of_log = path.extension().is_some_and(|e| e == "jsonl");
            let number = path
                .file_stem()
                .and_then(|stem| stem.to_str()?.parse::<u64>().ok());
            numbers.extend(number.filter(|_| of_log));
        }
        Ok(numbers)
    }

    /// Rewrites the log as the resumed `session` holds it: an unfinished period is gone from both.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take_over(&mut self, session: &Session) -> Result<(), RunError> {
        // Written beside and renamed: a crash here loses nothing of what was kept.
        let draft = self.path.with_extension("jsonl.new");
        if draft.exists() {
            std::fs::remove_file(&draft).map_err(RunError::file(&draft))?;
        }
        self.appender = Appender::open(draft.clone())?;
        self.kept = 0;
        self.keep(session)?;
        std::fs::rename(&draft, &self.path).map_err(RunError::file(&self.path))
    }

    /// Brings the entries that are new in `session` to the disk; called when a turn is over.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep(&mut self, session: &Session) -> Result<(), RunError> {
        for entry in session.entries().iter().skip(self.kept) {
            let line = serde_json::to_string(entry).map_err(|e| RunError::Failed(e.to_string()))?;
            self.appender.line(&line)?;
        }
        self.kept = session.entries().len();
        self.appender.sync()
    }

    /// Removes the log: the record of the episode is on the disk.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn done(self) -> Result<(), RunError> {
        std::fs::remove_file(&self.path).map_err(RunError::file(&self.path))
    }
}
