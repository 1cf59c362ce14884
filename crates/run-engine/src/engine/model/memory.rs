//! What a stream has learnt, on the disk: one line after each of its episodes.
//!
//! A line goes to the disk before the record of its episode does, so every record of a stream has
//! its snapshot. Going on with a stream means: the snapshot behind its last record, then the next
//! episode; lines behind that belong to episodes that are played again.

use crate::error::RunError;
use crate::files::jsonl::{Jsonl, each_line};
use crate::files::run_file;
use crate::terminal::shown_path;
use agent_client::memory::MemoryOp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, strict};
use std::path::{Path, PathBuf};

/// The folder of a run with what its streams have learnt.
const MEMORY: &str = "memory";

/// What an episode did to the memory of its stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryLine {
    /// Number of the episode in the run.
    pub episode: u64,
    /// Digest of the memory before it.
    pub before: Digest,
    /// What was done to the memory.
    pub ops: Vec<MemoryOp>,
    /// The stream after it.
    pub snapshot: Value,
}

/// The kept memory of one stream.
#[derive(Debug)]
pub struct MemoryLog {
    file: Jsonl,
}

/// Refuses the run folder `dir` if it lacks the memory of one of these `streams`, which have records: what they had
/// learnt cannot be learnt again.
///
/// # Errors
/// Names the first file that is missing.
pub fn check_kept(dir: &Path, streams: impl IntoIterator<Item = u64>) -> Result<(), RunError> {
    for stream in streams {
        let path = file(dir, stream);
        if run_file::about(&path).is_none() {
            return Err(RunError::usage(format!(
                "{} is missing: it held what stream {stream} had learnt from its records; restore the file, or play \
                 the run again in another folder",
                shown_path(&path)
            )));
        }
    }
    Ok(())
}

fn file(dir: &Path, stream: u64) -> PathBuf {
    dir.join(MEMORY).join(format!("{stream}.jsonl"))
}

impl MemoryLog {
    /// Opens the log of `stream` in the run folder `dir`, behind the episodes `done`, whose records
    /// are there; with the snapshot to go on from.
    ///
    /// # Errors
    /// When a file cannot be read or written, or lacks one of these episodes.
    pub fn open(dir: &Path, stream: u64, done: &[u64]) -> Result<(Self, Option<Value>), RunError> {
        let path = file(dir, stream);
        let mut kept: Vec<MemoryLine> = Vec::new();
        // A truncated line belongs to an episode that has no record yet.
        each_line(&path, |line| {
            // Lines behind the last record belong to episodes that will be played again; with them the agent would
            // have learnt twice from the same episode.
            if kept.len() < done.len() {
                // Strict first: in the free JSON of a snapshot, serde alone would keep the last of
                // two equal keys without a word.
                let value = strict::json(line).map_err(RunError::in_file(&path))?;
                kept.push(serde_json::from_value(value).map_err(RunError::in_file(&path))?);
            }
            Ok(())
        })?;
        let found: Vec<u64> = kept.iter().map(|line| line.episode).collect();
        if found != done {
            let mut pairs = done
                .iter()
                .zip(found.iter().map(Some).chain(std::iter::repeat(None)));
            let missing = pairs.find(|(wanted, there)| Some(*wanted) != *there);
            let missing =
                missing.map_or_else(String::new, |(unit, _)| format!(" after unit {unit}"));
            return Err(RunError::usage(format!(
                "{} does not hold what stream {stream} had learnt{missing}",
                shown_path(&path)
            )));
        }
        let snapshot = kept.last().map(|line| line.snapshot.clone());
        run_file::make_folder(&dir.join(MEMORY))?;
        // Rewritten at once, so that the file never holds two lines for one episode.
        let file = Jsonl::rewritten(&path, &kept)?;
        Ok((Self { file }, snapshot))
    }

    /// Brings a line to the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&mut self, line: &MemoryLine) -> Result<(), RunError> {
        self.file.keep(line)?;
        self.file.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(episode: u64) -> MemoryLine {
        MemoryLine {
            episode,
            before: Digest::of_bytes(b"before"),
            ops: Vec::new(),
            snapshot: json!({"learnt": episode}),
        }
    }

    #[test]
    fn a_stream_goes_on_behind_its_last_record() {
        let dir = tempfile::tempdir().unwrap();
        let (mut log, nothing) = MemoryLog::open(dir.path(), 3, &[]).unwrap();
        assert_eq!(nothing, None);
        for episode in [7, 5, 6] {
            log.keep(&line(episode)).unwrap();
        }
        // The record of episode 6 never reached the disk: it is played again.
        let (mut log, snapshot) = MemoryLog::open(dir.path(), 3, &[7, 5]).unwrap();
        assert_eq!(snapshot, Some(json!({"learnt": 5})));
        log.keep(&line(6)).unwrap();
        let (_, snapshot) = MemoryLog::open(dir.path(), 3, &[7, 5, 6]).unwrap();
        assert_eq!(snapshot, Some(json!({"learnt": 6})));
        let error = MemoryLog::open(dir.path(), 3, &[7, 5, 6, 4]).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        assert!(error.to_string().contains("unit 4"), "{error}");
        check_kept(dir.path(), [3]).unwrap();
        let error = check_kept(dir.path(), [3, 4]).unwrap_err();
        assert!(error.to_string().contains("4.jsonl"), "{error}");
    }
}
