//! Appends lines of JSON to files, and reads them. Runs write records, calls, references, memories and unfinished
//! episodes in this way.

use super::lock::is_at;
use crate::error::RunError;
use crate::files::{regular, run_file};
use crate::secrets;
use crate::terminal::shown_path;
use crate::words::counted;
use serde::Serialize;
use serde_json::Value;
use sim_core::scrub::CleanLine;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Size from which waiting lines are written to the file \[bytes\].
const WAITING: usize = 1 << 16;

/// A file that lines are appended to.
///
/// If a write fails, its part that reached the file is removed before the next write.
#[derive(Debug)]
pub struct Jsonl {
    path: PathBuf,
    pub(crate) file: File,
    /// Lines that are not written yet.
    waiting: Vec<u8>,
    /// Length of the file up to the end of its last complete line \[bytes\].
    length: u64,
    /// The part of `length` \[bytes\] and of `lines` that was written without an error.
    synced: (u64, u64),
    /// Whether a write failed; the file may then be longer than `length`.
    torn: bool,
    /// Number of lines that were appended and did not fail.
    lines: u64,
}

impl Jsonl {
    /// Opens `path` for appending; creates the file if it does not exist.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: PathBuf) -> Result<Self, RunError> {
        let error = RunError::file(&path);
        let open = || {
            let file = run_file::append(&path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        let (file, length) = open().map_err(error)?;
        Ok(Self {
            path,
            file,
            waiting: Vec::new(),
            length,
            synced: (length, 0),
            torn: false,
            lines: 0,
        })
    }

    /// Replaces the contents of `path` by `lines`. They are written to another file, which is then
    /// renamed, so that the old contents survive a crash.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn rewritten<T: Serialize>(path: &Path, lines: &[T]) -> Result<Self, RunError> {
        let draft = path.with_extension("jsonl.new");
        // A draft that a crash left behind would be appended to.
        run_file::remove(&draft).map_err(RunError::file(&draft))?;
        let mut file = Self::open(draft.clone())?;
        for line in lines {
            file.keep(line)?;
        }
        file.sync()?;
        run_file::rename(&draft, path).map_err(RunError::file(path))?;
        path.clone_into(&mut file.path);
        Ok(file)
    }

    /// Adds a line end if the last line has none (its process was killed), so that the next line is not
    /// appended to it.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn end_torn_line(&mut self) -> Result<(), RunError> {
        self.end_torn().map_err(RunError::file(&self.path))
    }

    fn end_torn(&mut self) -> io::Result<()> {
        if self.length == 0 {
            return Ok(());
        }
        let mut last = [0_u8];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        if last != [b'\n'] {
            // At once: what reads the file next must find whole lines.
            self.waiting.push(b'\n');
            self.write()?;
            // A later write that fails does not take it back.
            self.synced.0 = self.length;
        }
        Ok(())
    }

    /// Appends one line and returns the offset of its beginning in the file \[bytes\]. The caller has
    /// removed API keys from it; with many lines it does so on threads of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, line: &CleanLine) -> Result<u64, RunError> {
        let place = self.length + self.waiting.len() as u64;
        self.waiting.extend_from_slice(line.as_str().as_bytes());
        self.waiting.push(b'\n');
        self.lines += 1;
        if self.waiting.len() >= WAITING {
            self.write().map_err(|e| self.failed(e))?;
        }
        Ok(place)
    }

    /// Removes API keys from `value` and appends it as a line of JSON. Returns the offset of the line in
    /// the file \[bytes\].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep<T: Serialize>(&mut self, value: &T) -> Result<u64, RunError> {
        let line = serde_json::to_string(value).map_err(RunError::failed)?;
        self.line(&secrets::scrub().clean_line(line))
    }

    /// Writes all waiting lines and flushes the file to the disk. If that fails, all lines since the
    /// last success are dropped: the caller may append them again.
    ///
    /// # Errors
    /// When the lines cannot be written, or the file at its path was removed or replaced. In the second case the lines went
    /// to a file that cannot be opened unless it is moved back; they are not appended again.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.bring(true)
    }

    /// Writes all waiting lines to the file without waiting for the disk: they survive the end of this
    /// process, but the last of them may be lost if the machine fails. For what can be done again, and is
    /// written so often that the disk would decide how fast a program runs.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.bring(false)
    }

    fn bring(&mut self, to_disk: bool) -> Result<(), RunError> {
        let written = self.write().and_then(|()| match to_disk {
            true => self.file.sync_data(),
            false => Ok(()),
        });
        written.map_err(|e| self.failed(e))?;
        self.synced = (self.length, self.lines);
        // On Unix, a file that was removed or replaced takes all later writes without an error.
        if is_at(&self.file, &self.path) {
            return Ok(());
        }
        Err(RunError::Failed(format!(
            "{} was removed or replaced during this run; what it wrote there ({}) is lost",
            shown_path(&self.path),
            counted(self.lines, "line")
        )))
    }

    /// Notes that lines since the last sync may be missing, so that the next write cuts them off.
    fn failed(&mut self, error: io::Error) -> RunError {
        self.waiting.clear();
        (self.length, self.lines) = self.synced;
        self.torn = true;
        RunError::file(&self.path)(error)
    }

    /// Number of lines that were appended and did not fail. Those that went to a file that was removed or moved are among
    /// them: when it is moved back, they are there.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    fn write(&mut self) -> io::Result<()> {
        // Taken also if the write fails: the caller appends these lines again, and they must not
        // come twice.
        let waiting = std::mem::take(&mut self.waiting);
        if self.torn {
            self.file.set_len(self.length)?;
        }
        // Before the write, so that the half of a line that may come of it is cut off by the next
        // one.
        self.torn = true;
        self.file.write_all(&waiting)?;
        self.torn = false;
        self.length += waiting.len() as u64;
        Ok(())
    }
}

/// Every whole line of the file at `path`, as `read` takes its JSON. What follows the last
/// line end is torn, or being written, and is left out. A file that is not there holds no lines.
///
/// # Errors
/// When the file cannot be read, or a line is not what it should be; names the line, from 1.
pub fn every<T>(
    path: &Path,
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<Vec<T>, RunError> {
    let (mut found, mut number) = (Vec::new(), 0_u64);
    each_line(path, |line| {
        number += 1;
        let value = sim_core::strict::json(line).map_err(|e| e.to_string());
        let read = value.and_then(&read);
        found.push(
            read.map_err(|e| RunError::usage(format!("{} line {number}: {e}", shown_path(path))))?,
        );
        Ok(())
    })?;
    Ok(found)
}

/// Passes every whole line of the file at `path` to `see`, with its line end. What follows the last
/// line end is left out. A file that is not there holds no lines.
///
/// # Errors
/// When the file cannot be read, and the first error of `see`.
pub fn each_line(
    path: &Path,
    mut see: impl FnMut(&[u8]) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let reader = regular::if_there(run_file::reader(path));
    let Some(mut reader) = reader.map_err(RunError::file(path))? else {
        return Ok(());
    };
    let mut line = Vec::new();
    loop {
        run_file::line(&mut reader, &mut line).map_err(RunError::file(path))?;
        if line.last() != Some(&b'\n') {
            return Ok(());
        }
        see(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that failed anywhere in a batch, also in a part that was written before, are on the disk
    /// once after they were appended again.
    #[test]
    fn lines_that_failed_are_appended_again_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines.jsonl");
        let mut file = Jsonl::open(path.clone()).unwrap();
        let text = "x".repeat(WAITING / 3);
        file.keep(&"first").unwrap();
        file.sync().unwrap();
        // Four of these exceed what waits in memory; then the disk takes no more.
        for number in 0..4 {
            file.keep(&(number, &text)).unwrap();
        }
        let writable = std::mem::replace(&mut file.file, File::open(&path).unwrap());
        file.keep(&"last").unwrap();
        file.sync().unwrap_err();

        file.file = writable;
        for number in 0..4 {
            file.keep(&(number, &text)).unwrap();
        }
        file.sync().unwrap();
        let stored = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<String> = stored.lines().map(|line| line[..4].to_owned()).collect();
        assert_eq!(lines, ["\"fir", "[0,\"", "[1,\"", "[2,\"", "[3,\""]);
    }

    /// A write that fails after the line end was added does not glue the next line to the torn one.
    #[test]
    fn the_end_of_a_torn_line_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines.jsonl");
        std::fs::write(&path, "{\"a").unwrap();
        let mut file = Jsonl::open(path.clone()).unwrap();
        file.end_torn_line().unwrap();
        let writable = std::mem::replace(&mut file.file, File::open(&path).unwrap());
        file.keep(&1).unwrap();
        file.sync().unwrap_err();
        file.file = writable;
        file.keep(&1).unwrap();
        file.sync().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\n1\n");
    }

    #[test]
    fn a_torn_last_line_is_ended_before_anything_is_appended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines.jsonl");
        for (text, ended) in [
            ("", ""),
            ("{\"a\":1}\n", "{\"a\":1}\n"),
            ("{\"a\":1}", "{\"a\":1}\n"),
            ("{\"a\":1}\n{\"b", "{\"a\":1}\n{\"b\n"),
        ] {
            std::fs::write(&path, text).unwrap();
            Jsonl::open(path.clone()).unwrap().end_torn_line().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), ended);
        }
    }

    /// Damage in the middle is named with its line; only what follows the last line end is
    /// torn.
    #[test]
    fn every_whole_line_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("items.jsonl");
        let read = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            every(&path, |value| {
                value["a"].as_u64().ok_or_else(|| "no a".to_owned())
            })
            .map_err(|e| e.to_string())
        };
        assert_eq!(read(b""), Ok(vec![]));
        assert_eq!(read(b"{\"a\":1}\n{\"a\":2}\n{\"a\":"), Ok(vec![1, 2]));
        for damaged in [
            &b"{\"a\":1}\n{\"a\":\n{\"a\":3}\n"[..],
            b"{\"a\":1}\n\n{\"a\":3}\n",
            b"{\"a\":1}\n\xff\xfe\n{\"a\":3}\n",
            b"{\"a\":1}\n{\"b\":2}\n",
            b"{\"a\":1}\n{\"a\":2}, {\"a\":3}\n",
        ] {
            let wrong = read(damaged).unwrap_err();
            assert!(wrong.contains("items.jsonl line 2: "), "{wrong}");
        }
    }
}
