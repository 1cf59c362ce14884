//! Whole lines of a file that another process may be writing.

use run_engine::files::run_file;
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineAt {
    /// Its first byte.
    pub(crate) offset: u64,
    /// Its length with the line end \[bytes\].
    pub(crate) length: u64,
}

/// Calls `see` with every whole line from byte `from` on; gives the end of the last one. A file that is
/// not there has no lines, and a line that is being written is left for the next call.
pub(crate) fn each(path: &Path, from: u64, mut see: impl FnMut(LineAt, &[u8])) -> io::Result<u64> {
    let mut reader = match run_file::reader(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(from),
        reader => reader?,
    };
    // Only what was added is read: a page that is open looks twice a second, and a file of calls is
    // long.
    reader.seek(SeekFrom::Start(from))?;
    let (mut offset, mut line) = (from, Vec::new());
    loop {
        let length = run_file::line(&mut reader, &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            return Ok(offset);
        }
        see(LineAt { offset, length }, &line);
        offset += length;
    }
}

/// The line at `at`.
pub(crate) fn one(path: &Path, at: LineAt) -> io::Result<Vec<u8>> {
    let mut reader = run_file::reader(path)?;
    reader.seek(SeekFrom::Start(at.offset))?;
    let mut line = Vec::new();
    run_file::line(&mut reader, &mut line)?;
    Ok(line)
}

/// Length of a file \[bytes\]; 0 if it is not there.
pub(crate) fn length(path: &Path) -> u64 {
    run_file::about(path).map_or(0, |about| about.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_line_that_is_being_written_is_left_for_later() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(b"{\"a\":1}\n{\"b\":").unwrap();
        let mut seen = Vec::new();
        let end = each(&path, 0, |at, line| seen.push((at, line.to_vec()))).unwrap();
        assert_eq!((end, seen.len()), (8, 1));
        file.write_all(b"2}\n").unwrap();
        let end = each(&path, end, |at, line| seen.push((at, line.to_vec()))).unwrap();
        assert_eq!((end, seen.len()), (length(&path), 2));
        assert_eq!(one(&path, seen[1].0).unwrap(), b"{\"b\":2}\n");
        assert_eq!(each(&dir.path().join("none"), 0, |_, _| {}).unwrap(), 0);
    }
}
