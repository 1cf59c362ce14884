//! Reading the records of a run folder, on all cores.

use super::{Folder, record_of};
use crate::error::RunError;
use crate::files::{regular, run_file};
use crate::terminal::shown_path;
use sim_core::{EpisodeRecord, Header};
use std::fs::File;
use std::io::BufReader;
use std::sync::{Mutex, PoisonError};

/// The results of [`Folder::scan`].
#[derive(Debug)]
pub struct Scanned<R> {
    /// One result per record, in the order of the file.
    pub results: Vec<R>,
    /// Length of a truncated last line \[bytes\]; 0 when there is none.
    pub torn: u64,
}

impl Folder {
    /// Reads every record, on all cores, and keeps only the result of `see`, so that a folder of any
    /// length fits in memory.
    ///
    /// # Errors
    /// When the file cannot be read, when a whole line is not a record (names the line), and when `see`
    /// returns an error.
    pub fn scan<R: Send>(
        &self,
        see: impl Fn(EpisodeRecord) -> Result<R, RunError> + Sync,
    ) -> Result<Scanned<R>, RunError> {
        self.scan_lines(|number, line| see(self.record_in(number, line)?))
    }

    /// The record in line `number` of the record file.
    fn record_in(&self, number: u64, line: &[u8]) -> Result<EpisodeRecord, RunError> {
        record_of(line).map_err(|(column, what)| {
            let column = column.filter(|c| *c > 0);
            let column = column.map_or_else(String::new, |c| format!(", column {c}"));
            RunError::usage(format!(
                "{} line {number}{column}: {what}; the line is not a record: remove it, then {}",
                shown_path(self.record_file()),
                self.how_to_finish()
            ))
        })
    }

    /// Like [`scan`](Self::scan), but `see` gets the number of each whole line (from 1) and its text.
    ///
    /// # Errors
    /// When the file cannot be read, and when `see` returns an error: that of the first line with one.
    pub(crate) fn scan_lines<R: Send>(
        &self,
        see: impl Fn(u64, &[u8]) -> Result<R, RunError> + Sync,
    ) -> Result<Scanned<R>, RunError> {
        let path = self.record_file();
        let reader = regular::if_there(run_file::reader(&path));
        let Some(reader) = reader.map_err(RunError::file(&path))? else {
            return Ok(Scanned {
                results: Vec::new(),
                torn: 0,
            });
        };
        let lines = Mutex::new(Lines {
            reader,
            number: 0,
            torn: 0,
            failed: None,
        });
        let seen = Mutex::new(Vec::new());
        let work = || {
            let mut line = Vec::new();
            loop {
                let mut reader = lines.lock().unwrap_or_else(PoisonError::into_inner);
                let number = match reader.next(&mut line) {
                    Ok(Some(number)) => number,
                    Ok(None) => return,
                    // Behind every line: a line before the place that cannot be read has its own
                    // error, and the first one is reported.
                    Err(e) => return reader.fail(u64::MAX, RunError::file(&path)(e)),
                };
                drop(reader);
                match see(number, &line) {
                    Ok(result) => {
                        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                        seen.push((number, result));
                    }
                    Err(e) => {
                        let mut reader = lines.lock().unwrap_or_else(PoisonError::into_inner);
                        return reader.fail(number, e);
                    }
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let ends = handles.into_iter().map(std::thread::ScopedJoinHandle::join);
            ends.collect::<Result<Vec<()>, _>>()
        })
        .map_err(|_| RunError::Failed("a thread that reads records crashed".to_owned()))?;
        let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = lines.failed {
            return Err(error);
        }
        let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Lines are finished in nearly any order.
        seen.sort_unstable_by_key(|(number, _)| *number);
        Ok(Scanned {
            results: seen.into_iter().map(|(_, result)| result).collect(),
            torn: lines.torn,
        })
    }
}

impl Folder {
    /// The first record, in the order of episodes, whose header `fits`, and the number of all records in the folder. Of
    /// two records of one episode and trial, as in a damaged folder, it is that of the earlier line. Each core holds
    /// one record at a time.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn first(
        &self,
        fits: impl Fn(&Header) -> bool + Sync,
    ) -> Result<(Option<EpisodeRecord>, usize), RunError> {
        /// Episode, trial and number of the line.
        type Place = (u64, u32, u64);
        let first: Mutex<Option<(Place, EpisodeRecord)>> = Mutex::new(None);
        let scanned = self.scan_lines(|number, line| {
            let record = self.record_in(number, line)?;
            if fits(&record.header) {
                let place = (record.header.episode, record.header.trial, number);
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(held, _)| place < *held) {
                    *first = Some((place, record));
                }
            }
            Ok(())
        })?;
        let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((first.map(|(_, record)| record), scanned.results.len()))
    }
}

/// Hands out the whole lines of a file, numbered from 1.
struct Lines {
    reader: BufReader<File>,
    number: u64,
    torn: u64,
    /// The error of the first line with one, and its number.
    failed: Option<(u64, RunError)>,
}

impl Lines {
    /// The next line; `None` at the end of the file, and after an error.
    fn next(&mut self, line: &mut Vec<u8>) -> std::io::Result<Option<u64>> {
        // Lines that were handed out before are still looked at, so the error that is kept is that
        // of the first line with one, whatever the threads do.
        if self.failed.is_some() {
            return Ok(None);
        }
        let length = run_file::line(&mut self.reader, line)?;
        if line.last() != Some(&b'\n') {
            // The end of the file, possibly after a truncated line.
            self.torn = self.torn.max(length as u64);
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.number))
    }

    /// Notes an error, so that no further line is handed out.
    fn fail(&mut self, number: u64, error: RunError) {
        if self
            .failed
            .as_ref()
            .is_none_or(|(first, _)| number < *first)
        {
            self.failed = Some((number, error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_the_first_line_counts_and_ends_reading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        std::fs::write(&path, "a\nb\n").unwrap();
        let mut lines = Lines {
            reader: run_file::reader(&path).unwrap(),
            number: 0,
            torn: 0,
            failed: None,
        };
        let mut line = Vec::new();
        assert_eq!(lines.next(&mut line).unwrap(), Some(1));
        for number in [7, 4, 9] {
            lines.fail(number, RunError::usage(number.to_string()));
        }
        assert_eq!(lines.next(&mut line).unwrap(), None);
        assert_eq!(lines.failed.map(|(number, _)| number), Some(4));
    }
}
