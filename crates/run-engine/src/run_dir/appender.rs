//! A file that lines are appended to.

use super::lock::is_at;
use crate::engine::summary::counted;
use crate::error::RunError;
use crate::regular;
use agent_client::secret::{CleanLine, Scrub};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

/// A file that lines are appended to.
#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: BufWriter<File>,
    /// Lines that were appended.
    lines: u64,
}

impl Appender {
    /// Opens `path` for appending.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: PathBuf) -> Result<Self, RunError> {
        regular::check(&path).map_err(RunError::file(&path))?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(RunError::file(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
            lines: 0,
        })
    }

    /// Notes that the file was given the name `path`.
    pub(crate) fn renamed(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// Appends one line. The caller removes keys from it, on its own thread where there are many lines.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, line: &CleanLine) -> Result<(), RunError> {
        let error = RunError::file(&self.path);
        let mut write = || {
            self.file.write_all(line.as_str().as_bytes())?;
            self.file.write_all(b"\n")
        };
        write().map_err(error)?;
        self.lines += 1;
        Ok(())
    }

    /// Appends `value` as a line of JSON, without keys.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep<T: Serialize>(&mut self, value: &T) -> Result<(), RunError> {
        let line = serde_json::to_string(value).map_err(|e| RunError::Failed(e.to_string()))?;
        self.line(&Scrub::from_env().clean_line(line))
    }

    /// Writes everything to the disk.
    ///
    /// # Errors
    /// When it cannot be written, or the file was removed or replaced: the system would continue to
    /// write to a file that no path leads to.
    pub fn sync(&mut self) -> Result<(), RunError> {
        let error = RunError::file(&self.path);
        let mut sync = || {
            self.file.flush()?;
            self.file.get_ref().sync_data()
        };
        sync().map_err(error)?;
        if is_at(self.file.get_ref(), &self.path) {
            return Ok(());
        }
        Err(RunError::Failed(format!(
            "{} was removed or replaced during this run; what it wrote there ({}) is lost",
            self.path.display(),
            counted(self.lines, "line")
        )))
    }
}
