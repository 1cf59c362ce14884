//! Reads the lines of a run folder's files strictly.

use crate::error::RunError;
use crate::files::run_file;
use crate::run_dir::outcome::{Check, Verified};
use crate::terminal::shown_path;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;

/// A whole line of JSON.
#[derive(Debug, Clone)]
pub struct JsonLine {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its position in the file \[bytes\].
    pub place: u64,
    /// The line, without its end.
    pub text: String,
    /// Its JSON value.
    pub value: Value,
}

/// The parts of a file that are not whole lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ends {
    /// Length of a truncated last line \[bytes\].
    pub torn: u64,
    /// Truncated lines before the end of the file. Only files of calls may have them: some sessions end such a line
    /// and continue after it.
    pub cut: u64,
    /// Number of the first of them, from 1.
    pub first_cut: Option<u64>,
}

/// Passes every whole line of the file `name` in `dir` to `see`. A line that is not JSON, or holds the
/// same key twice, is a finding of `check`. `None` if there is no such file.
///
/// # Errors
/// When the file cannot be read.
pub fn each(
    dir: &Path,
    name: &str,
    check: Check,
    found: &mut Verified,
    mut see: impl FnMut(JsonLine, &mut Verified),
) -> Result<Option<Ends>, RunError> {
    let path = dir.join(name);
    let mut reader = match run_file::reader(&path) {
        Ok(reader) => reader,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == ErrorKind::InvalidInput => {
            found.find(check, shown_path(&path), e.to_string());
            return Ok(None);
        }
        Err(e) => return Err(RunError::file(&path)(e)),
    };
    let mut ends = Ends::default();
    let (mut bytes, mut place) = (Vec::new(), 0);
    for number in 1_u64.. {
        let length = match run_file::line(&mut reader, &mut bytes) {
            // Too long, or too many values: what follows cannot be told apart.
            Err(e) if e.kind() == ErrorKind::InvalidInput => {
                found.find(check, format!("{name} line {number}"), e.to_string());
                break;
            }
            length => length.map_err(RunError::file(&path))? as u64,
        };
        let Some(line) = bytes.strip_suffix(b"\n") else {
            ends.torn = length;
            break;
        };
        let at = place;
        place += length;
        // In folders of earlier versions, and where a command without a run continues a recording, a cut-off call is
        // ended and the next one appended after it. In all other files a cut-off line is set aside first, so it can
        // only be the last one.
        let may_be_cut = check == Check::Calls;
        let what = match std::str::from_utf8(line) {
            // No length means that the bytes end inside a character: the line is cut off. A wrong byte is a finding.
            Err(e) if may_be_cut && e.error_len().is_none() => None,
            Err(e) => Some(e.to_string()),
            Ok(text) => match sim_core::strict::json(line) {
                Ok(value) => {
                    let text = text.to_owned();
                    let line = JsonLine {
                        number,
                        place: at,
                        text,
                        value,
                    };
                    see(line, found);
                    continue;
                }
                Err(e) if may_be_cut && e.is_eof() => None,
                Err(e) => Some(e.to_string()),
            },
        };
        match what {
            None => {
                ends.cut += 1;
                ends.first_cut.get_or_insert(number);
            }
            Some(what) => found.find(check, format!("{name} line {number}"), what),
        }
    }
    Ok(Some(ends))
}
