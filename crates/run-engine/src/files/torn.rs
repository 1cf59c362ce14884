//! A last line that a crash cut off: set aside, never dropped.

use crate::error::RunError;
use crate::files::regular::{self, MOST_LINE, too_long};
use crate::files::run_file;
use crate::terminal::shown_path;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A truncated last line and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedLine {
    /// Length (bytes).
    pub bytes: u64,
    /// The file that it was moved to.
    pub aside: PathBuf,
}

impl std::fmt::Display for TruncatedLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bytes, aside) = (self.bytes, shown_path(&self.aside));
        write!(
            f,
            "a truncated last line of {bytes} bytes was moved to {aside}"
        )
    }
}

/// Moves a last line without its end from the file at `path` to one beside it that ends in
/// `.torn`, so that appending can go on. A line that lacks nothing but its end is ended: it may be an answer that was
/// paid for, or the game of a person.
///
/// # Errors
/// When a file cannot be read or written.
pub fn set_torn_aside(path: &Path) -> Result<Option<TruncatedLine>, RunError> {
    moved(path).map_err(RunError::file(path))
}

/// Length of a last line without its end in the file at `path` (bytes); 0 where there is none.
///
/// # Errors
/// When the file cannot be read.
pub fn torn_bytes(path: &Path) -> Result<u64, RunError> {
    let length = || match regular::if_there(run_file::open(path, u64::MAX))? {
        Some(file) => Ok(tail(&mut file.into_inner())?.len() as u64),
        None => Ok(0),
    };
    length().map_err(RunError::file(path))
}

fn moved(path: &Path) -> std::io::Result<Option<TruncatedLine>> {
    let Some(mut file) = regular::if_there(run_file::to_cut(path))? else {
        return Ok(None);
    };
    let tail = tail(&mut file)?;
    let bytes = tail.len() as u64;
    if bytes == 0 {
        return Ok(None);
    }
    if serde_json::from_slice::<IgnoredAny>(&tail).is_ok() {
        file.seek(SeekFrom::End(0))?;
        file.write_all(b"\n")?;
        file.sync_data()?;
        return Ok(None);
    }
    // First the copy, then the cut: a crash in between leaves the bytes in two places, and never in
    // none.
    let aside = path.with_extension("torn");
    let mut out = run_file::append(&aside)?;
    out.write_all(&tail)?;
    out.write_all(b"\n")?;
    out.sync_data()?;
    file.set_len(file.metadata()?.len() - bytes)?;
    file.sync_data()?;
    Ok(Some(TruncatedLine { bytes, aside }))
}

/// What follows the last line end.
fn tail(file: &mut File) -> std::io::Result<Vec<u8>> {
    let end = file.metadata()?.len();
    let (mut start, mut block) = (end, Vec::new());
    // Backwards by blocks until a line end is found; only then is the line copied.
    while start > 0 {
        if end - start > MOST_LINE {
            return Err(too_long("a line", MOST_LINE));
        }
        let from = start.saturating_sub(1 << 16);
        block.clear();
        file.seek(SeekFrom::Start(from))?;
        std::io::Read::by_ref(file)
            .take(start - from)
            .read_to_end(&mut block)?;
        if let Some(at) = memchr::memrchr(b'\n', &block) {
            start = from + at as u64 + 1;
            break;
        }
        start = from;
    }
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    std::io::Read::by_ref(file)
        .take(end - start)
        .read_to_end(&mut tail)?;
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_set_aside_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("items.jsonl");
        for (text, whole, torn) in [
            ("", "", None),
            ("{\"a\":1}\n", "{\"a\":1}\n", None),
            ("{\"a\":1}\n{\"b", "{\"a\":1}\n", Some("{\"b\n")),
            ("{\"b", "", Some("{\"b\n")),
            ("{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n", None),
        ] {
            std::fs::write(&path, text).unwrap();
            let bytes = torn_bytes(&path).unwrap();
            let last = text.rfind('\n').map_or(0, |at| at + 1);
            assert_eq!(bytes, (text.len() - last) as u64);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            let aside = set_torn_aside(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
            let kept = aside.map(|TruncatedLine { aside, bytes }| {
                let text = std::fs::read_to_string(&aside).unwrap();
                assert_eq!(text.len() as u64, bytes + 1);
                std::fs::remove_file(aside).unwrap();
                text
            });
            assert_eq!(kept.as_deref(), torn);
        }
        let long = format!("{{}}\n{}", "x".repeat(200_000));
        std::fs::write(&path, &long).unwrap();
        let aside = set_torn_aside(&path).unwrap().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 3);
        assert_eq!(std::fs::metadata(aside.aside).unwrap().len(), 200_001);
    }

    /// Also at the edges of the blocks that are read.
    #[test]
    fn a_long_torn_line_is_measured() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("items.jsonl");
        let whole = b"{}\n";
        for length in [1, 65_535, 65_536, 65_537, 8 << 20] {
            let torn = vec![b'x'; length];
            std::fs::write(&path, [whole.as_slice(), &torn].concat()).unwrap();
            assert_eq!(torn_bytes(&path).unwrap(), length as u64);
        }
    }
}
