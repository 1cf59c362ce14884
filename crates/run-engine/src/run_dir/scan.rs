//! Reading the records of a run folder, on all cores.

use super::{RunDir, RunPlan};
use crate::error::RunError;
use crate::files::regular;
use sim_core::{Stored, strict};
use std::fs::File;
use std::io::BufReader;
use std::sync::{Mutex, PoisonError};

/// The results of [`RunDir::scan`].
#[derive(Debug)]
pub struct Scanned<R> {
    /// One result per record, in the order of the file.
    pub results: Vec<R>,
    /// Length of a truncated last line \[bytes\]; 0 when there is none.
    pub torn: u64,
}

impl<P: RunPlan + Sync> RunDir<P> {
    /// Reads every record, on all cores, and keeps only the result of `see`, so that a folder of any
    /// length fits in memory.
    ///
    /// # Errors
    /// When the file cannot be read, when a whole line is not a record (names the line), and when `see`
    /// returns an error.
    pub fn scan<R: Send>(
        &self,
        see: impl Fn(P::Record) -> Result<R, RunError> + Sync,
    ) -> Result<Scanned<R>, RunError> {
        let path = self.record_file();
        self.scan_lines(|number, line| {
            let at = format!("{} line {number}", path.display());
            let record = record_of(line).map_err(|(column, what)| {
                let column = column.filter(|c| *c > 0);
                let column = column.map_or_else(String::new, |c| format!(", column {c}"));
                RunError::usage(format!(
                    "{at}{column}: {what}; the line is not a record: remove it, then {}",
                    self.how_to_finish()
                ))
            })?;
            see(record)
        })
    }

    /// Like [`scan`](Self::scan), but `see` gets the number of each whole line (from 1) and its text.
    ///
    /// # Errors
    /// When the file cannot be read, and when `see` returns an error.
    pub(crate) fn scan_lines<R: Send>(
        &self,
        see: impl Fn(u64, &[u8]) -> Result<R, RunError> + Sync,
    ) -> Result<Scanned<R>, RunError> {
        let path = self.record_file();
        if !path.exists() {
            return Ok(Scanned {
                results: Vec::new(),
                torn: 0,
            });
        }
        let lines = Mutex::new(Lines {
            reader: regular::reader(&path).map_err(RunError::file(&path))?,
            number: 0,
            torn: 0,
        });
        let work = || -> Result<Vec<(u64, R)>, RunError> {
            let (mut line, mut results) = (Vec::new(), Vec::new());
            loop {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(number) = lines.next(&mut line).map_err(RunError::file(&path))? else {
                    return Ok(results);
                };
                drop(lines);
                results.push((number, see(number, &line)?));
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
            let crashed = |_| RunError::Failed("a thread that reads records crashed".to_owned());
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
}

/// The message of a JSON error without its position: the line number would be that within the line.
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
        let length = regular::line(&mut self.reader, line)?;
        if line.last() != Some(&b'\n') {
            // The end of the file, possibly after a truncated line.
            self.torn = self.torn.max(length as u64);
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.number))
    }
}

/// The record in a line, or what is wrong with the line, with the column of a JSON error.
pub(crate) fn record_of<R: Stored>(line: &[u8]) -> Result<R, (Option<usize>, String)> {
    let value = strict::json(line).map_err(|e| (Some(e.column()), fault(&e)))?;
    R::read(value).map_err(|e| (None, e.to_string()))
}
