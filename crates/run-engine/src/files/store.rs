//! Model calls on the disk: one JSON line each, appended and synced before the answer is used.

use crate::error::RunError;
use crate::files::jsonl::Jsonl;
use crate::files::run_file;
use crate::secrets;
use crate::terminal::shown_path;
use agent_client::store::Store;
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name of the cassette in a run folder.
pub const CALLS: &str = "calls.jsonl";

/// Name of the file beside it with the time that each answer took. Nothing is derived from it: `verify`
/// does not read it, and a run without it is complete.
pub const TIMES: &str = "times.jsonl";

/// An append-only file of lines.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    /// Absent where the file is only read.
    file: Option<Mutex<Jsonl>>,
    /// Whether each line is on the disk when `append` returns.
    syncs: bool,
}

impl FileStore {
    /// Opens `path`, making it when it is not there. A truncated last line (of a process that was
    /// killed in mid-write) is ended, so that the next line stands alone; `scan` leaves it out.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let mut file = Jsonl::open(path.to_owned())?;
        file.end_torn_line()?;
        Ok(Self {
            path: path.to_owned(),
            file: Some(Mutex::new(file)),
            syncs: true,
        })
    }

    /// As [`open`](Self::open), for lines that may be lost when the machine stops: they are not synced.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_unsynced(path: &Path) -> Result<Self, RunError> {
        Ok(Self {
            syncs: false,
            ..Self::open(path)?
        })
    }

    /// The file at `path` to be read as it is: nothing is made or mended, and nothing can be
    /// appended. A file that is not there holds no lines.
    #[must_use]
    pub fn to_read(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            syncs: false,
        }
    }
}

impl Store for FileStore {
    fn scan(&self, see: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        let mut reader = match run_file::reader(&self.path) {
            Err(e) if self.file.is_none() && e.kind() == io::ErrorKind::NotFound => return Ok(()),
            reader => reader?,
        };
        let (mut place, mut line) = (0, Vec::new());
        loop {
            let length = run_file::line(&mut reader, &mut line)?;
            if length == 0 {
                return Ok(());
            }
            let text = line
                .strip_suffix(b"\n")
                .and_then(|line| std::str::from_utf8(line).ok());
            // Only a line that is whole JSON counts: a truncated one has no closing brace.
            if let Some(text) = text.filter(|text| text.ends_with('}')) {
                see(place, text);
            }
            place += length as u64;
        }
    }

    fn read(&self, place: u64) -> io::Result<String> {
        let mut reader = run_file::reader(&self.path)?;
        reader.seek(SeekFrom::Start(place))?;
        let mut line = Vec::new();
        run_file::line(&mut reader, &mut line)?;
        let text = String::from_utf8(line);
        let text = text.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn append(&self, line: &str) -> io::Result<u64> {
        let Some(file) = &self.file else {
            let text = format!("{} was opened for reading only", shown_path(&self.path));
            return Err(io::Error::other(text));
        };
        let line = secrets::scrub().clean_line(line.to_owned());
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = file.line(&line).and_then(|place| {
            if self.syncs {
                file.sync()?;
            } else {
                file.flush()?;
            }
            Ok(place)
        });
        // The error of the system is passed on as it is, so that a full disk is known as one.
        kept.map_err(|e| match e {
            RunError::File { source, .. } => source,
            e => io::Error::other(e.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn lines_are_found_by_place_and_a_torn_one_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(CALLS);
        let store = FileStore::open(&path).unwrap();
        let first = store.append("{\"a\":1}").unwrap();
        let second = store.append("{\"b\":2}").unwrap();
        assert_eq!(store.read(second).unwrap(), "{\"b\":2}");
        assert_eq!(store.read(first).unwrap(), "{\"a\":1}");
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut f| f.write_all(b"{\"torn\":"))
            .unwrap();
        let store = FileStore::open(&path).unwrap();
        let third = store.append("{\"c\":3}").unwrap();
        let mut seen = Vec::new();
        store
            .scan(&mut |place, line| seen.push((place, line.to_owned())))
            .unwrap();
        let lines: Vec<&str> = seen.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines, ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
        assert_eq!(seen[2].0, third);
    }
}
