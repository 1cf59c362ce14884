//! Sorts the records of a run into the order of its plan.

use super::{Folder, record_of, stamp};
use crate::error::RunError;
use crate::files::jsonl::each_line;
use crate::files::run_file;
use std::collections::BTreeMap;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

impl Folder {
    /// Sorts the records from the order `stands` into the order `wanted`, from which they differ if a unit failed at
    /// first and was done later. Nothing is read if the two agree. The new file is written beside the old one and then
    /// renamed, so that a crash loses nothing.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn put_in_order(&self, stands: &[u64], wanted: &[u64]) -> Result<(), RunError> {
        let places: BTreeMap<u64, usize> = wanted.iter().zip(0..).map(|(k, at)| (*k, at)).collect();
        let place = |episode: &u64| places.get(episode).copied().unwrap_or(usize::MAX);
        if stands.is_sorted_by_key(place) {
            return Ok(());
        }
        let path = self.record_file();
        // Places are sorted and not lines: the records of a run need not fit in memory.
        let (mut lines, mut at) = (Vec::new(), 0_u64);
        each_line(&path, |line| {
            let record = record_of(line).map_err(|(_, what)| RunError::in_file(&path)(what))?;
            lines.push((place(&record.header.episode), at, line.len() as u64));
            at += line.len() as u64;
            Ok(())
        })?;
        if lines.is_sorted() {
            return Ok(());
        }
        lines.sort_unstable();
        stamp::remove(self.path())?;
        let draft = path.with_extension("jsonl.new");
        let out = run_file::remove(&draft).and_then(|()| run_file::create_new(&draft));
        let mut out = BufWriter::new(out.map_err(RunError::file(&draft))?);
        let mut file = run_file::reader(&path).map_err(RunError::file(&path))?;
        let mut copy = |start: u64, length: u64| -> std::io::Result<()> {
            file.seek(SeekFrom::Start(start))?;
            std::io::copy(&mut std::io::Read::by_ref(&mut file).take(length), &mut out)?;
            Ok(())
        };
        for (_, start, length) in lines {
            copy(start, length).map_err(RunError::file(&draft))?;
        }
        // Whole on the disk before it replaces the records, which exist nowhere else.
        let synced = out.flush().and_then(|()| out.get_ref().sync_data());
        synced.map_err(RunError::file(&draft))?;
        run_file::rename(&draft, &path).map_err(RunError::file(&path))
    }
}
