//! Model calls on the disk: one JSON line each, appended and synced before the answer is used.

use crate::error::RunError;
use crate::files::jsonl::Jsonl;
use crate::files::regular;
use crate::secrets;
use agent_client::store::Store;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name of the cassette in a run folder.
pub const CALLS: &str = "calls.jsonl";

/// An append-only file of lines.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    /// Absent where the file is only read.
    file: Option<Mutex<Jsonl>>,
}

impl FileStore {
    /// Opens `path`, making it when it is not there. A torn last line (of a process that was
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
        })
    }

    /// The file at `path` to be read as it is: nothing is made or mended, and nothing can be
    /// appended. A file that is not there holds no lines.
    #[must_use]
    pub fn to_read(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
        }
    }

    /// Appends `line` as JSON and brings it to the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep<T: Serialize>(&self, line: &T) -> Result<(), RunError> {
        self.writing(|file| file.keep(line))?;
        Ok(())
    }

    fn writing(
        &self,
        write: impl FnOnce(&mut Jsonl) -> Result<u64, RunError>,
    ) -> Result<u64, RunError> {
        let Some(file) = &self.file else {
            let text = format!("{} was opened for reading only", self.path.display());
            return Err(RunError::Failed(text));
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let place = write(&mut file)?;
        file.sync()?;
        Ok(place)
    }
}

/// Every whole line of the file at `path`, as `read` takes its JSON. What stands behind the last
/// line end is torn, or being written, and is left out. A file that is not there holds no lines.
///
/// # Errors
/// When the file cannot be read, or a line is not what it should be; names the line, from 1.
pub fn every<T>(
    path: &Path,
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<Vec<T>, RunError> {
    let mut found = Vec::new();
    let mut reader = match regular::reader(path) {
        Ok(reader) => reader,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(e) => return Err(RunError::file(path)(e)),
    };
    let mut line = Vec::new();
    for number in 1_u64.. {
        regular::line(&mut reader, &mut line).map_err(RunError::file(path))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        let value = sim_core::strict::json(&line).map_err(|e| e.to_string());
        found.push(
            value
                .and_then(&read)
                .map_err(|e| RunError::usage(format!("{} line {number}: {e}", path.display())))?,
        );
    }
    Ok(found)
}

impl Store for FileStore {
    fn scan(&self, see: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        let mut reader = match regular::reader(&self.path) {
            Err(e) if self.file.is_none() && e.kind() == io::ErrorKind::NotFound => return Ok(()),
            reader => reader?,
        };
        let (mut place, mut line) = (0, Vec::new());
        loop {
            let length = regular::line(&mut reader, &mut line)?;
            if length == 0 {
                return Ok(());
            }
            let text = line
                .strip_suffix(b"\n")
                .and_then(|line| std::str::from_utf8(line).ok());
            // Only a line that is whole JSON counts: a torn one has no closing brace.
            if let Some(text) = text.filter(|text| text.ends_with('}')) {
                see(place, text);
            }
            place += length as u64;
        }
    }

    fn read(&self, place: u64) -> io::Result<String> {
        let mut reader = regular::reader(&self.path)?;
        reader.seek(SeekFrom::Start(place))?;
        let mut line = Vec::new();
        regular::line(&mut reader, &mut line)?;
        let text = String::from_utf8(line);
        let text = text.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn append(&self, line: &str) -> io::Result<u64> {
        let line = secrets::scrub().clean_line(line.to_owned());
        self.writing(|file| file.line(&line)).map_err(|e| match e {
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

    /// Damage in the middle is named with its line; only what stands behind the last line end is
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
