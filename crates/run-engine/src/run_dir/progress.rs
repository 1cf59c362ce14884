//! Episodes that are not finished yet: their log on the disk, period by period.
//!
//! Built-in policies need none of it (they play again what was lost, and get the same bytes). A
//! person or a model would not, so what they did in finished periods is kept in
//! `DIR/progress/<episode>.jsonl` until the record of the episode is written; of a repetition of an
//! episode, in `DIR/progress/<episode>.<trial>.jsonl`.

use crate::error::RunError;
use crate::files::jsonl::Jsonl;
use crate::files::{regular, run_file};
use crate::terminal::{shown_name, shown_path};
use sim_core::{Entry, Session, strict};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the folder of logs in a run folder.
const FOLDER: &str = "progress";

/// The kept log of one episode.
#[derive(Debug)]
pub struct Progress {
    path: PathBuf,
    /// Holds the first entries of the game, as many as lines were appended to it.
    file: Jsonl,
}

impl Progress {
    /// Opens the log of repetition `trial` (from 0) of episode `episode` in the run folder `run`, with the
    /// entries that an earlier try left.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn open(run: &Path, episode: u64, trial: u32) -> Result<(Self, Vec<Entry>), RunError> {
        let dir = Self::folder(run);
        run_file::make_folder(&dir)?;
        let path = dir.join(match trial {
            0 => format!("{episode}.jsonl"),
            _ => format!("{episode}.{trial}.jsonl"),
        });
        let mut entries = Vec::new();
        let text = run_file::json_bytes(&path, regular::MOST_DATA, strict::MOST_STORED_VALUES);
        if let Some(text) = regular::if_there(text).map_err(RunError::file(&path))? {
            // A truncated end belongs to a period that was not finished: it is played again. Whatever else cannot be
            // read was a decision, and is not thrown away.
            let lines = text.split_inclusive(|byte| *byte == b'\n');
            let whole = lines.take_while(|line| line.last() == Some(&b'\n'));
            let read = |line: &[u8]| serde_json::from_value(strict::json(line)?);
            for (number, line) in whole.enumerate() {
                entries.push(read(line).map_err(|e| {
                    RunError::usage(format!(
                        "{}: line {} cannot be read ({}); remove the file to play the game from its beginning",
                        shown_path(&path),
                        number + 1,
                        shown_name(&e.to_string())
                    ))
                })?);
            }
        }
        // Begun anew with what the session will take over, see `take_over`.
        let progress = Self {
            file: Jsonl::open(path.clone())?,
            path,
        };
        Ok((progress, entries))
    }

    /// The folder of the logs in the run folder `run`; it need not exist.
    #[must_use]
    pub fn folder(run: &Path) -> PathBuf {
        run.join(FOLDER)
    }

    /// Numbers of the episodes whose beginning is kept in the run folder `run`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn kept_in(run: &Path) -> Result<BTreeSet<u64>, RunError> {
        let kept = Self::kept_trials_in(run)?.into_iter();
        Ok(kept.map(|(episode, _)| episode).collect())
    }

    /// Episodes and trials whose beginning is kept in the run folder `run`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn kept_trials_in(run: &Path) -> Result<BTreeSet<(u64, u32)>, RunError> {
        let mut kept = BTreeSet::new();
        for name in run_file::names(&Self::folder(run))? {
            let stem = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            let numbers = stem.map(|stem| stem.split_once('.').unwrap_or((stem, "0")));
            let numbers = numbers.and_then(|(episode, trial)| {
                Some((episode.parse::<u64>().ok()?, trial.parse::<u32>().ok()?))
            });
            kept.extend(numbers);
        }
        Ok(kept)
    }

    /// Where the log is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rewrites the log as the resumed `session` holds it: an unfinished period is gone from both. The folder of logs
    /// is made again if it was removed, but the run folder is not.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take_over(&mut self, session: &Session) -> Result<(), RunError> {
        if let Some(folder) = self.path.parent() {
            run_file::make_folder(folder)?;
        }
        self.file = Jsonl::rewritten(&self.path, session.entries())?;
        Ok(())
    }

    /// Brings the entries that are new in `session` to the disk; called when a turn is over. What
    /// could not be written is written the next time, and once: where a write failed half way, its half is cut off first,
    /// and what went to a file that was moved away is not written again when it is back.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep(&mut self, session: &Session) -> Result<(), RunError> {
        self.keep_entries(session.entries())
    }

    /// As [`keep`](Self::keep), but without waiting for the disk, see [`Jsonl::flush`]: for servers, whose
    /// clients make thousands of decisions per second.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn note(&mut self, session: &Session) -> Result<(), RunError> {
        self.append(session.entries())?;
        self.file.flush()
    }

    fn keep_entries(&mut self, entries: &[Entry]) -> Result<(), RunError> {
        self.append(entries)?;
        self.file.sync()
    }

    fn append(&mut self, entries: &[Entry]) -> Result<(), RunError> {
        let kept = usize::try_from(self.file.lines()).unwrap_or(usize::MAX);
        for entry in entries.iter().skip(kept) {
            self.file.keep(entry)?;
        }
        Ok(())
    }

    /// Removes the log: the record of the episode is on the disk.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn done(self) -> Result<(), RunError> {
        run_file::remove(&self.path).map_err(RunError::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::episode::EpisodeRunner;
    use crate::plan::source::InstanceSource;
    use crate::plan::{Plan, RunRequest};
    use crate::registry::Registry;
    use serde_json::json;
    use sim_core::Input;
    use std::fs::File;

    /// After a write that failed half way every entry is on the disk once, and the game replays.
    #[test]
    fn a_failed_write_leaves_nothing_twice() {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::new().with_boxed(beer_game::Spec.boxed());
        let request = RunRequest {
            environment: "beer-game".to_owned(),
            agent: "human".to_owned(),
            ..RunRequest::default()
        };
        let plan = Plan::new(&registry, request).unwrap();
        let source = InstanceSource::of(registry.kind("beer-game").unwrap(), &plan).unwrap();
        let table = EpisodeRunner::new(&plan, &source).unwrap();
        let case = table.case(0).unwrap();
        let header = || table.header(&*case, 0);
        let mut session = Session::new(case.open().unwrap(), header(), plan.limits);
        let mut order = |quantity: u32| {
            session.apply(Input::Call {
                tool: "place_order".to_owned(),
                arguments: json!({"quantity": quantity}),
            });
            session.entries().to_vec()
        };
        let (mut progress, _) = Progress::open(dir.path(), 0, 0).unwrap();
        let path = progress.path.clone();
        let whole = |entries: &[Entry]| -> String {
            let lines = entries.iter().map(|e| serde_json::to_string(e).unwrap());
            lines.map(|line| line + "\n").collect()
        };

        let first = order(100);
        progress.keep_entries(&first).unwrap();
        // The disk takes one line and a half of the next two, then no more.
        order(200);
        let three = order(300);
        let writable = std::mem::replace(&mut progress.file.file, File::open(&path).unwrap());
        progress.keep_entries(&three).unwrap_err();
        let text = whole(&three);
        let half = text.len() - 10;
        std::fs::write(&path, &text[..half]).unwrap();
        progress.keep_entries(&three).unwrap_err();

        progress.file.file = writable;
        let four = order(400);
        progress.keep_entries(&four).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole(&four));
        // What was written while the file was elsewhere is there when it is back.
        let five = order(500);
        let away = path.with_extension("away");
        std::fs::rename(&path, &away).unwrap();
        for _ in 0..2 {
            progress.keep_entries(&five).unwrap_err();
        }
        std::fs::rename(&away, &path).unwrap();
        progress.keep_entries(&five).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole(&five));
        let (_, entries) = Progress::open(dir.path(), 0, 0).unwrap();
        let resumed = Session::resume(case.open().unwrap(), header(), plan.limits, entries);
        assert_eq!(resumed.unwrap().entries().len(), 5);
    }
}
