//! Files of a zip archive that are stored as they are or packed with Zstandard, as inspect_ai packs them.

use ruzstd::decoding::StreamingDecoder;
use std::collections::BTreeMap;
use std::io::Read as _;

/// Longest file of an archive, unpacked \[bytes\].
const MOST_FILE: u64 = 1 << 30;

/// The record at the end of an archive, the entries of its directory, and the header before each file.
const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";

/// Kinds of packing.
const STORED: u16 = 0;
const ZSTANDARD: u16 = 93;

/// An archive in memory.
#[derive(Debug)]
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    files: BTreeMap<String, Place>,
}

/// Where a file lies.
#[derive(Debug, Clone, Copy)]
struct Place {
    packing: u16,
    packed: u32,
    length: u32,
    header: u32,
}

impl<'a> Archive<'a> {
    /// Reads the directory. Of several files with one name the last one counts.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let end = end(bytes).ok_or("it is not a log of inspect_ai (no zip archive)")?;
        let (count, start) = (short(end, 10), long(end, 16));
        let (Some(count), Some(start)) = (count, start) else {
            return Err(damaged());
        };
        if count == u16::MAX || start == u32::MAX {
            return Err("logs of 4 GB or with 65,535 files and more are not read".to_owned());
        }
        let mut rest = from(bytes, start).ok_or_else(damaged)?;
        let mut files = BTreeMap::new();
        for _ in 0..count {
            let (name, place, after) = entry(rest).ok_or_else(damaged)?;
            files.insert(name, place);
            rest = after;
        }
        Ok(Self { bytes, files })
    }

    /// Names of the files, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The contents of a file.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let place = self.files.get(name).ok_or_else(damaged)?;
        let packed = packed(self.bytes, *place).ok_or_else(damaged)?;
        let length = u64::from(place.length);
        if length > MOST_FILE {
            return Err(format!("{name} has more than {MOST_FILE} bytes"));
        }
        let contents = match place.packing {
            STORED => packed.to_vec(),
            ZSTANDARD => unpack(packed, length).map_err(|e| format!("{name}: {e}"))?,
            other => {
                return Err(format!(
                    "{name} is packed in a way that is not read ({other}); `inspect log convert` of inspect_ai \
                     0.3.285 or later writes the log anew"
                ));
            }
        };
        if contents.len() as u64 == length {
            Ok(contents)
        } else {
            Err(damaged())
        }
    }
}

fn damaged() -> String {
    "the archive is damaged or incomplete".to_owned()
}

/// One frame after the other, until the file has its `length`.
fn unpack(mut packed: &[u8], length: u64) -> Result<Vec<u8>, String> {
    let mut contents = Vec::new();
    while !packed.is_empty() {
        // One byte more than it should have tells that it is too long.
        let most = (length + 1).saturating_sub(contents.len() as u64);
        if most == 0 {
            break;
        }
        let frame = StreamingDecoder::new(&mut packed).map_err(|e| e.to_string())?;
        let read = frame.take(most).read_to_end(&mut contents);
        read.map_err(|e| e.to_string())?;
    }
    Ok(contents)
}

/// The record at the end; a comment of up to 65,535 bytes may stand behind it.
fn end(bytes: &[u8]) -> Option<&[u8]> {
    const LENGTH: usize = 22;
    let last = bytes.len().checked_sub(LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last)
        .rev()
        .filter_map(|at| bytes.get(at..))
        .find(|tail| tail.starts_with(END))
}

/// An entry of the directory, and what follows it.
fn entry(bytes: &[u8]) -> Option<(String, Place, &[u8])> {
    const LENGTH: usize = 46;
    bytes.starts_with(ENTRY).then_some(())?;
    let [name, extra, comment] = [28, 30, 32].map(|at| short(bytes, at).map(usize::from));
    let (name, extra, comment) = (name?, extra?, comment?);
    let place = Place {
        packing: short(bytes, 10)?,
        packed: long(bytes, 20)?,
        length: long(bytes, 24)?,
        header: long(bytes, 42)?,
    };
    let text = bytes.get(LENGTH..LENGTH + name)?;
    let text = String::from_utf8_lossy(text).into_owned();
    let after = bytes.get(LENGTH + name + extra + comment..)?;
    Some((text, place, after))
}

/// The bytes of a file as they are stored.
fn packed(bytes: &[u8], place: Place) -> Option<&[u8]> {
    const LENGTH: usize = 30;
    let header = from(bytes, place.header)?;
    header.starts_with(LOCAL).then_some(())?;
    let (name, extra) = (short(header, 26)?, short(header, 28)?);
    let start = LENGTH + usize::from(name) + usize::from(extra);
    let length = usize::try_from(place.packed).ok()?;
    header.get(start..)?.get(..length)
}

fn from(bytes: &[u8], at: u32) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*pair))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"a": 1}` twice under one name, then `hello`, all stored, as Python's `zipfile` writes them.
    fn archive() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut directory = Vec::new();
        for (name, text) in [("x.json", "{}"), ("x.json", r#"{"a": 1}"#), ("y", "hello")] {
            let header = u32::try_from(bytes.len()).unwrap().to_le_bytes();
            let length = u32::try_from(text.len()).unwrap().to_le_bytes();
            let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
            bytes.extend_from_slice(LOCAL);
            bytes.extend_from_slice(&[0; 14]);
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(&name_length);
            bytes.extend_from_slice(&[0; 2]);
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(text.as_bytes());
            directory.extend_from_slice(ENTRY);
            directory.extend_from_slice(&[0; 16]);
            directory.extend_from_slice(&length);
            directory.extend_from_slice(&length);
            directory.extend_from_slice(&name_length);
            directory.extend_from_slice(&[0; 12]);
            directory.extend_from_slice(&header);
            directory.extend_from_slice(name.as_bytes());
        }
        let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        bytes.extend(directory);
        bytes.extend_from_slice(END);
        bytes.extend_from_slice(&[0, 0, 0, 0, 3, 0, 3, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&start);
        bytes.extend_from_slice(&[0; 2]);
        bytes
    }

    #[test]
    fn the_last_file_of_a_name_counts() {
        let bytes = archive();
        let files = Archive::new(&bytes).unwrap();
        assert_eq!(files.names().collect::<Vec<_>>(), ["x.json", "y"]);
        assert_eq!(files.read("x.json").unwrap(), br#"{"a": 1}"#);
        assert_eq!(files.read("y").unwrap(), b"hello");
    }

    #[test]
    fn every_cut_archive_is_refused() {
        let bytes = archive();
        for length in 0..bytes.len() {
            let cut = bytes.get(..length).unwrap();
            assert!(Archive::new(cut).is_err(), "{length}");
        }
    }

    #[test]
    fn several_frames_are_one_file() {
        // Written by the package zstandard 0.25 for Python: `hello ` and `world`.
        let frames: [&[u8]; 2] = [
            &[
                40, 181, 47, 253, 32, 6, 49, 0, 0, 104, 101, 108, 108, 111, 32,
            ],
            &[40, 181, 47, 253, 32, 5, 41, 0, 0, 119, 111, 114, 108, 100],
        ];
        let packed = frames.concat();
        assert_eq!(unpack(&packed, 11).unwrap(), b"hello world");
        // A file that is longer than its directory says is not read to its end.
        assert_eq!(unpack(&packed, 3).unwrap().len(), 4);
        assert!(unpack(&packed[..9], 11).is_err());
    }
}
