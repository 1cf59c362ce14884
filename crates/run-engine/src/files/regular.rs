//! Reading files that a command line or a manifest names: ordinary ones, of a stated length and with a stated
//! number of JSON values. Links to them are followed, because their user named them; the files of a run folder
//! are read by [`run_file`](super::run_file).
//!
//! A manifest that somebody else wrote may name a device or a pipe, which has no end or never
//! answers. A short text may hold very many values, each of which takes a hundred times its length in memory.

use crate::error::RunError;
use sim_core::strict::{MOST_STORED_VALUES, holds_more_than};
use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Take};
use std::path::Path;

/// Longest script, routing policy and other small file \[bytes\].
pub const MOST_SMALL: u64 = 16 << 20;

/// Longest plan file and price file \[bytes\]: TOML, of which each value takes some hundred bytes in memory.
pub const MOST_TOML: u64 = 1 << 20;

/// Longest instance file and file of questions \[bytes\].
pub const MOST_DATA: u64 = 256 << 20;

/// Longest manifest, which may hold an instance of [`MOST_DATA`] with its indentation \[bytes\]. In memory it takes
/// this much up to three times, while its digest is computed.
pub(crate) const MOST_MANIFEST: u64 = 512 << 20;

/// Longest line of records, calls and the like \[bytes\]; there may be any number of them.
pub(crate) const MOST_LINE: u64 = 64 << 20;

/// Holes that a file may have: a crash may leave a block without content \[bytes\].
const MOST_HOLES: u64 = 1 << 20;

/// Most JSON values in such a line: lines are read on all cores at once.
const MOST_LINE_VALUES: usize = 1_000_000;

/// Opens the file at `path`, behind all links, to read at most `most_bytes` of it, and one byte more
/// that tells whether it is longer.
///
/// # Errors
/// When it cannot be opened, is not an ordinary file without holes, or is longer.
pub(crate) fn open_regular(path: &Path, most_bytes: u64) -> io::Result<Take<File>> {
    // Before it is opened: opening a pipe waits for a writer.
    ordinary(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    let meta = file.metadata()?;
    // Again, now of what is open: another file may have been put there in between.
    ordinary(&meta)?;
    if meta.len() > most_bytes {
        return Err(too_long("the file", most_bytes));
    }
    without_holes(&file, &meta)?;
    Ok(file.take(most_bytes.saturating_add(1)))
}

pub(super) fn ordinary(meta: &Metadata) -> io::Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    let found = if meta.is_dir() {
        "a folder"
    } else {
        "a device, pipe or socket"
    };
    Err(refused(&format!(
        "an ordinary file was expected, not {found}"
    )))
}

/// Refuses a file with holes, which states a length that it does not have on the disk.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn without_holes(file: &File, meta: &Metadata) -> io::Result<()> {
    use rustix::fs::{SeekFrom, seek};
    use std::os::unix::fs::MetadataExt as _;
    // `blocks` counts in units of 512 bytes, whatever the size of the disk's own blocks.
    let stored = meta.blocks().saturating_mul(512);
    if stored.saturating_add(MOST_HOLES) >= meta.len() {
        return Ok(());
    }
    // Disks that compress files store less than the length as well; their files have no holes.
    let hole = seek(file, SeekFrom::Hole(0));
    // The search for a hole has moved the position at which the file is read.
    seek(file, SeekFrom::Start(0)).map_err(io::Error::from)?;
    match hole {
        Ok(first) if first < meta.len() => Err(refused(&format!(
            "the file has holes: of {} bytes, {stored} are on the disk",
            meta.len()
        ))),
        _ => Ok(()),
    }
}

/// The same where the system does not tell.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn without_holes(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// The error of a file that is not read because of what it is.
pub(super) fn refused(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

pub(crate) fn too_long(what: &str, most: u64) -> io::Error {
    refused(&format!(
        "{what} is too long: at most {most} bytes are read"
    ))
}

pub(crate) fn too_many(what: &str, most: usize) -> io::Error {
    refused(&format!(
        "{what} holds too much: at most {most} JSON values are read"
    ))
}

/// The bytes of the file at `path`.
///
/// # Errors
/// When it cannot be opened, is not an ordinary file, or is longer.
pub fn bytes(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    all(open_regular(path, most_bytes)?, most_bytes)
}

/// All of `file`, which may have grown since it was opened.
pub(super) fn all(mut file: Take<File>, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = file.read_to_end(&mut bytes)? as u64;
    if length > most_bytes {
        return Err(too_long("the file", most_bytes));
    }
    Ok(bytes)
}

/// The text of the file at `path`.
///
/// # Errors
/// As [`bytes`], and when it is not UTF-8.
pub fn text(path: &Path, most_bytes: u64) -> io::Result<String> {
    as_text(bytes(path, most_bytes)?)
}

pub(super) fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|e| io::Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// The bytes of the file at `path`, which holds JSON or lines of it.
///
/// # Errors
/// As [`bytes`], and when it holds more than [`MOST_STORED_VALUES`].
pub fn json_bytes(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let bytes = bytes(path, most_bytes)?;
    if holds_more_than(&bytes, MOST_STORED_VALUES) {
        return Err(too_many("the file", MOST_STORED_VALUES));
    }
    Ok(bytes)
}

/// As [`json_bytes`], as text.
///
/// # Errors
/// As [`json_bytes`], and when it is not UTF-8.
pub fn json_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    as_text(json_bytes(path, most_bytes)?)
}

/// What was read from a file; `None` if there is no such file.
///
/// # Errors
/// When it could not be read for another reason.
pub fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// What `load` makes of the bytes of the data file at `path`.
///
/// # Errors
/// When the file cannot be read, or `load` refuses it; the message names the file.
pub fn loaded<T, E: Display>(
    path: &Path,
    load: impl FnOnce(&[u8]) -> Result<T, E>,
) -> Result<T, RunError> {
    let bytes = json_bytes(path, MOST_DATA).map_err(RunError::file(path))?;
    load(&bytes).map_err(RunError::in_file(path))
}

/// Opens the file of lines at `path`, to be read with [`line()`].
///
/// # Errors
/// When it cannot be opened or is not an ordinary file.
pub fn reader(path: &Path) -> io::Result<BufReader<File>> {
    let file = open_regular(path, u64::MAX)?.into_inner();
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// Reads a line with its end into `into`, in the place of what is there; gives its length, 0 at the
/// end of the file.
///
/// # Errors
/// When it cannot be read, is longer than 64 MiB, or holds more than 1,000,000 JSON values.
pub fn line(reader: &mut impl BufRead, into: &mut Vec<u8>) -> io::Result<usize> {
    into.clear();
    let mut most = reader.take(MOST_LINE.saturating_add(1));
    let length = most.read_until(b'\n', into)?;
    if length as u64 > MOST_LINE {
        return Err(too_long("a line", MOST_LINE));
    }
    if holds_more_than(into, MOST_LINE_VALUES) {
        return Err(too_many("a line", MOST_LINE_VALUES));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_ordinary_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |path: &Path| {
            let kinds = [
                bytes(path, MOST_SMALL).unwrap_err().kind(),
                reader(path).unwrap_err().kind(),
            ];
            assert_eq!(kinds, [ErrorKind::InvalidInput; 2], "{}", path.display());
        };
        refused(dir.path());
        if cfg!(unix) {
            refused(Path::new("/dev/zero"));
            refused(Path::new("/dev/null"));
        }
        let none = dir.path().join("none");
        assert_eq!(bytes(&none, 1).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_read_up_to_its_longest_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(text(&path, 5).unwrap(), "12345");
        assert_eq!(text(&path, 4).unwrap_err().kind(), ErrorKind::InvalidInput);
        let (mut reader, mut read) = (reader(&path).unwrap(), Vec::new());
        assert_eq!(line(&mut reader, &mut read).unwrap(), 5);
        assert_eq!(line(&mut reader, &mut read).unwrap(), 0);
        assert!(read.is_empty());
    }

    #[test]
    fn the_values_of_files_and_lines_are_counted_before_they_are_parsed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let zeros = |count: usize| format!("[{}0]\n", "0,".repeat(count - 2));
        std::fs::write(&path, zeros(MOST_LINE_VALUES / 2)).unwrap();
        let mut read = Vec::new();
        line(&mut reader(&path).unwrap(), &mut read).unwrap();
        json_bytes(&path, MOST_DATA).unwrap();
        std::fs::write(&path, zeros(MOST_STORED_VALUES + 1)).unwrap();
        let found = line(&mut reader(&path).unwrap(), &mut read).map(|_| ());
        for found in [found, json_bytes(&path, MOST_DATA).map(|_| ())] {
            assert_eq!(found.unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&path, "1").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(text(&link, 1).unwrap(), "1");
    }
}
