//! Sorts the records of a run into the order of its plan.

use super::scan::record_of;
use super::{EPISODES, Folder};
use crate::error::RunError;
use crate::files::regular;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

impl Folder {
    /// Sorts the records from the order `stands` into the order `wanted`. They differ if an episode
    /// failed at first and was played later. The new file is written beside the old one and then
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
        let path = self.path.join(EPISODES);
        let mut reader = regular::reader(&path).map_err(RunError::file(&path))?;
        let (mut lines, mut line, mut at) = (Vec::new(), Vec::new(), 0_u64);
        loop {
            let length = regular::line(&mut reader, &mut line);
            let length = length.map_err(RunError::file(&path))? as u64;
            if line.last() != Some(&b'\n') {
                break;
            }
            let record = record_of(&line)
                .map_err(|(_, what)| RunError::usage(format!("{}: {what}", path.display())))?;
            lines.push((place(&record.header.episode), at, length));
            at += length;
        }
        lines.sort_unstable();
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
