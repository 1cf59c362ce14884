//! Sorts the records of a run into the order of its plan.

use super::scan::record_of;
use super::{RunDir, RunPlan, stamp};
use crate::error::RunError;
use crate::files::regular;
use crate::plan::Plan;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};

impl<P: RunPlan> RunDir<P> {
    /// Sorts the records by their place in the run, if they are not in that order. They are not if a
    /// unit failed at first and was done later. The new file is written beside the old one and then
    /// renamed, so that a crash loses nothing.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn sort_records<K: Ord>(&self, place: impl Fn(&P::Record) -> K) -> Result<(), RunError> {
        let path = self.record_file();
        let mut reader = match regular::reader(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            reader => reader.map_err(RunError::file(&path))?,
        };
        let (mut lines, mut line, mut at) = (Vec::new(), Vec::new(), 0_u64);
        loop {
            let length = regular::line(&mut reader, &mut line);
            let length = length.map_err(RunError::file(&path))? as u64;
            if line.last() != Some(&b'\n') {
                break;
            }
            let record: P::Record = record_of(&line)
                .map_err(|(_, what)| RunError::usage(format!("{}: {what}", path.display())))?;
            lines.push((place(&record), at, length));
            at += length;
        }
        if lines.is_sorted() {
            return Ok(());
        }
        lines.sort_unstable();
        stamp::remove(self.path())?;
        let draft = path.with_extension("jsonl.new");
        let mut out = BufWriter::new(File::create(&draft).map_err(RunError::file(&draft))?);
        let mut file = reader.into_inner();
        let mut copy = |start: u64, length: u64| -> std::io::Result<()> {
            file.seek(SeekFrom::Start(start))?;
            std::io::copy(&mut std::io::Read::by_ref(&mut file).take(length), &mut out)?;
            Ok(())
        };
        for (_, start, length) in lines {
            copy(start, length).map_err(RunError::file(&draft))?;
        }
        let synced = out.flush().and_then(|()| out.get_ref().sync_data());
        synced.map_err(RunError::file(&draft))?;
        std::fs::rename(&draft, &path).map_err(RunError::file(&path))
    }
}

impl RunDir<Plan> {
    /// Sorts the records from the order `stands` into the order `wanted`. Nothing is read if the two
    /// agree.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn put_in_order(&self, stands: &[u64], wanted: &[u64]) -> Result<(), RunError> {
        let places: BTreeMap<u64, usize> = wanted.iter().zip(0..).map(|(k, at)| (*k, at)).collect();
        let place = |episode: &u64| places.get(episode).copied().unwrap_or(usize::MAX);
        if stands.is_sorted_by_key(place) {
            return Ok(());
        }
        self.sort_records(|record| place(&record.header.episode))
    }
}
