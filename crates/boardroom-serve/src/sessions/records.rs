//! The record file of a server.

use super::games::Trial;
use boardroom_http::lock;
use run_engine::error::RunError;
use run_engine::files::jsonl::Jsonl;
use run_engine::run_dir::Folder;
use run_engine::secrets;
use sim_core::scrub::CleanLine;
use sim_core::{EpisodeRecord, Header};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Appends records to the file of a run folder.
///
/// Games that end at the same time share one flush to the disk, which takes milliseconds: a thousand
/// flushes one after the other would make their clients wait for seconds.
#[derive(Debug)]
pub(super) struct Records {
    folder: Folder,
    file: Mutex<Jsonl>,
    waiting: Mutex<Vec<Waiting>>,
}

/// What became of a record: nothing yet, or whether it is on the disk.
type Kept = Arc<OnceLock<Result<(), String>>>;

#[derive(Debug)]
struct Waiting {
    line: CleanLine,
    kept: Kept,
}

impl Records {
    pub(super) fn new(folder: Folder) -> Result<Self, RunError> {
        let file = Mutex::new(folder.appender()?);
        Ok(Self {
            folder,
            file,
            waiting: Mutex::default(),
        })
    }

    /// The run folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The record of a trial, if there is one.
    pub(super) fn find(&self, (episode, trial): Trial) -> Result<Option<EpisodeRecord>, RunError> {
        let wanted = |header: &Header| (header.episode, header.trial) == (episode, trial);
        Ok(self.folder.first(wanted)?.0)
    }

    /// Checks that the file is still the one at its path.
    pub(super) fn check(&self) -> Result<(), RunError> {
        lock(&self.file).flush()
    }

    /// Brings a record to the disk.
    pub(super) fn keep(&self, record: &EpisodeRecord) -> Result<(), RunError> {
        let line = serde_json::to_string(record).map_err(RunError::failed)?;
        let line = secrets::scrub().clean_line(line);
        let kept = Kept::default();
        // Entered before the lock of the file is waited for: its holder takes what is entered by
        // then along.
        lock(&self.waiting).push(Waiting {
            line,
            kept: Arc::clone(&kept),
        });
        let mut file = lock(&self.file);
        // The previous holder of the lock may have written this record as well.
        if kept.get().is_none() {
            let all = std::mem::take(&mut *lock(&self.waiting));
            // After the first error nothing more is written, and all of them get it: what of one
            // flush is on the disk is not known.
            let mut written = Ok(());
            for waiting in &all {
                written = written.and_then(|()| file.line(&waiting.line).map(drop));
            }
            let written = written
                .and_then(|()| file.sync())
                .map_err(|e| e.to_string());
            for waiting in all {
                // Set once: it is taken from the list here only.
                let _ = waiting.kept.set(written.clone());
            }
        }
        drop(file);
        match kept.get() {
            Some(Err(e)) => Err(RunError::Failed(e.clone())),
            _ => Ok(()),
        }
    }
}
