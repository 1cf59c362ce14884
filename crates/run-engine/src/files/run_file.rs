//! The files of a run folder. All code that opens, creates, renames, removes or lists them does it here.
//!
//! A folder may come from somebody else. A link in it would make a command read or write a file elsewhere (a
//! line appended to `~/.bashrc` is a command that the next shell executes), a pipe would make it wait for
//! ever, and a file with holes can state any length without taking room. So a file of a run folder is an
//! ordinary file with one name and without holes, in the folder itself or in one of [`FOLDERS`], which are
//! not links either. The run folder may be reached through links: its user named it.
//!
//! Files are replaced by renaming a new file, which replaces a link and not what it leads to.

pub use super::regular::line;

use super::names::MANIFEST;
use super::regular::{self, ordinary, refused, too_long, too_many, without_holes};
use crate::error::RunError;
use crate::secrets;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sim_core::strict::holds_more_than;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Take, Write as _};
use std::path::{Path, PathBuf};

/// Folders in a run folder.
pub const FOLDERS: [&str; 2] = [PROGRESS, "memory"];

/// Folder of what is not finished yet. Sealed decisions and tokens are in it, so only its owner may read
/// its files.
const PROGRESS: &str = "progress";

/// Opens the file at `path` to read at most `most_bytes` of it, and one byte more that tells whether it is
/// longer.
///
/// # Errors
/// When it cannot be opened, is longer, or is not what a file of a run folder must be.
pub fn open(path: &Path, most_bytes: u64) -> io::Result<Take<File>> {
    let (file, meta) = opened(OpenOptions::new().read(true), path)?;
    if meta.len() > most_bytes {
        return Err(too_long("the file", most_bytes));
    }
    Ok(file.take(most_bytes.saturating_add(1)))
}

/// Opens the file of lines at `path`, to be read with [`line()`].
///
/// # Errors
/// As [`open`].
pub fn reader(path: &Path) -> io::Result<BufReader<File>> {
    let file = open(path, u64::MAX)?.into_inner();
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// The bytes of the file at `path`.
///
/// # Errors
/// As [`open`], and when it cannot be read.
pub fn bytes(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    regular::all(open(path, most_bytes)?, most_bytes)
}

/// The bytes of the file at `path` that holds JSON, in one text or in lines that are all read at once.
///
/// # Errors
/// As [`bytes`], and when they hold more than `most_values` JSON values.
pub(crate) fn json_bytes(path: &Path, most_bytes: u64, most_values: usize) -> io::Result<Vec<u8>> {
    let bytes = bytes(path, most_bytes)?;
    if holds_more_than(&bytes, most_values) {
        return Err(too_many("the file", most_values));
    }
    Ok(bytes)
}

/// The text of the file at `path`.
///
/// # Errors
/// As [`bytes`], and when it is not UTF-8.
pub fn text(path: &Path, most_bytes: u64) -> io::Result<String> {
    regular::as_text(bytes(path, most_bytes)?)
}

/// The JSON in the file at `path`; `None` if there is no such file.
///
/// # Errors
/// When it cannot be read, is not JSON, or holds more than
/// [`MOST_STORED_VALUES`](sim_core::strict::MOST_STORED_VALUES) values.
pub fn json(path: &Path, most_bytes: u64) -> Result<Option<Value>, RunError> {
    let text = regular::if_there(bytes(path, most_bytes)).map_err(RunError::file(path))?;
    let value = text.map(|text| sim_core::strict::json(&text));
    value.transpose().map_err(RunError::in_file(path))
}

/// As [`json`], as a value of a type.
///
/// # Errors
/// As [`json`], and when it does not fit the type.
pub(crate) fn read<T: DeserializeOwned>(
    path: &Path,
    most_bytes: u64,
) -> Result<Option<T>, RunError> {
    let value = json(path, most_bytes)?.map(serde_json::from_value);
    value.transpose().map_err(RunError::in_file(path))
}

/// Number of whole lines of the file at `path`.
///
/// # Errors
/// As [`open`], and when it cannot be read.
pub(crate) fn lines(path: &Path) -> io::Result<u64> {
    let mut reader = reader(path)?;
    let mut count = 0;
    loop {
        let read = reader.fill_buf()?;
        if read.is_empty() {
            return Ok(count);
        }
        count += memchr::memchr_iter(b'\n', read).count() as u64;
        let length = read.len();
        reader.consume(length);
    }
}

/// Opens the file at `path` to append to it and to read it; creates it if it is not there.
///
/// # Errors
/// When it cannot be opened, or is not what a file of a run folder must be.
pub fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    Ok(opened(&mut options, path)?.0)
}

/// From now on, no other user of the machine can open anything in the run folder at `path`, whatever is written there
/// later.
///
/// # Errors
/// When its permissions cannot be changed.
pub fn keep_private(path: &Path) -> Result<(), RunError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let owner_alone = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(path, owner_alone).map_err(RunError::file(path))?;
    }
    let _ = path;
    Ok(())
}

/// Opens the file at `path` to read it and to shorten it.
///
/// # Errors
/// As [`append`], and when it is not there.
pub(crate) fn to_cut(path: &Path) -> io::Result<File> {
    Ok(opened(OpenOptions::new().read(true).write(true), path)?.0)
}

/// Creates the file at `path`.
///
/// # Errors
/// When it cannot be created, or anything has this name.
pub fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    Ok(opened(options.write(true).create_new(true), path)?.0)
}

/// A new file beside `path` that no other process writes.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn draft(path: &Path) -> Result<(PathBuf, File), RunError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 0_u32;
    loop {
        // The number goes up where another machine has a process of the same id, or one was killed.
        let draft = format!("{name}.{}-{number}.new", std::process::id());
        let draft = path.with_file_name(draft);
        match create_new(&draft) {
            Ok(file) => return Ok((draft, file)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            // The user knows the file that is to be written, and not its draft.
            Err(e) => return Err(RunError::file(path)(e)),
        }
    }
}

/// Puts `text`, without keys, in the place of the file at `path`: whole or not at all. `to_disk` waits until it
/// is on the disk.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, text: &str, to_disk: bool) -> Result<(), RunError> {
    replace_bytes(path, secrets::scrub().line(text).as_bytes(), to_disk)
}

/// As [`replace`], for bytes that are not text.
///
/// # Errors
/// As [`replace`].
pub fn replace_bytes(path: &Path, bytes: &[u8], to_disk: bool) -> Result<(), RunError> {
    let (draft, mut file) = draft(path)?;
    let written = file.write_all(bytes);
    let written = written.and_then(|()| if to_disk { file.sync_data() } else { Ok(()) });
    let placed = written.and_then(|()| rename(&draft, path));
    placed.map_err(|e| {
        // It is this process's own; if it stays, it does no harm.
        let _ = std::fs::remove_file(&draft);
        RunError::file(path)(e)
    })
}

/// Gives the file at `from` the name `to` in the same folder, in the place of what has that name.
///
/// # Errors
/// When it cannot be renamed, or the folder is a link in a run folder.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    check_folder(to)?;
    std::fs::rename(from, to)
}

/// Gives the file at `from` the name `to`, unless something has that name. `None` where the system or the
/// disk cannot do it in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> Option<io::Result<()>> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => None,
        done => Some(done.map_err(io::Error::from)),
    }
}

/// The same where the system has no such call.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(crate) fn rename_to_new(_: &Path, _: &Path) -> Option<io::Result<()>> {
    None
}

/// Removes the file at `path`, if there is one. Of a link the link is removed.
///
/// # Errors
/// When it cannot be removed, or its folder is a link in a run folder.
pub fn remove(path: &Path) -> io::Result<()> {
    check_folder(path)?;
    // A disk that cannot be written refuses to remove what is not there.
    if !exists(path) {
        return Ok(());
    }
    // Another process may have removed it in between.
    regular::if_there(std::fs::remove_file(path)).map(|_| ())
}

/// Whether anything has the name `path`, a link that leads nowhere included.
#[must_use]
pub fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Length and times of the file at `path`; `None` if there is none that could be opened here.
#[must_use]
pub fn about(path: &Path) -> Option<Metadata> {
    check_folder(path).ok()?;
    let meta = std::fs::symlink_metadata(path).ok()?;
    meta.is_file().then_some(meta)
}

/// Makes the folder at `path`, which lies in a run folder, unless it is there.
///
/// # Errors
/// When it cannot be made, or something else has its name.
pub fn make_folder(path: &Path) -> Result<(), RunError> {
    // Made without a look before: of two processes that make it at once, both must go on.
    let made = match DirBuilder::new().create(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => folder_itself(path),
        made => made,
    };
    made.map_err(RunError::file(path))
}

/// Names of what is in the folder at `path`, sorted; none if it is not there.
///
/// # Errors
/// When it cannot be read, or is a link in a run folder.
pub fn names(path: &Path) -> Result<Vec<OsString>, RunError> {
    let listed = || {
        check_folder(&path.join("any"))?;
        let entries = std::fs::read_dir(path)?;
        entries.map(|entry| Ok(entry?.file_name())).collect()
    };
    let names: Option<Vec<OsString>> = regular::if_there(listed()).map_err(RunError::file(path))?;
    let mut names = names.unwrap_or_default();
    names.sort();
    Ok(names)
}

/// Why the file at `path` would not be opened; `None` if it would be, or is not there.
///
/// # Errors
/// When the system does not say.
pub(crate) fn refusal(path: &Path) -> io::Result<Option<String>> {
    match open(path, u64::MAX) {
        Err(e) if e.kind() == ErrorKind::InvalidInput => Ok(Some(e.to_string())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        opened => opened.map(|_| None),
    }
}

/// Opens the file at `path` without following a link or waiting for the other end of a pipe.
fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    check_folder(path)?;
    // For its message; a link that is put there afterwards is refused by the system.
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(e),
        // Creating a new file says itself that the name is taken.
        Ok(meta) => one_name(&meta)?,
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        // NONBLOCK: opening a pipe that nobody writes would wait. NOCTTY: a terminal that is opened
        // here must not become the one whose keys send signals to this process.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
        let folder = path.parent().and_then(Path::file_name);
        if folder.is_some_and(|folder| folder == PROGRESS) {
            options.mode(0o600);
        }
    }
    let file = options.open(path)?;
    // On the open file: what was checked by name may have been replaced since.
    let meta = file.metadata()?;
    one_name(&meta)?;
    without_holes(&file, &meta)?;
    Ok((file, meta))
}

/// Refuses a path in one of [`FOLDERS`] of a run folder that is not a folder itself.
fn check_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    let named = |name: &std::ffi::OsStr| FOLDERS.iter().any(|known| name == *known);
    let run = folder
        .parent()
        .filter(|_| folder.file_name().is_some_and(named));
    // Only in a run folder. Elsewhere a folder with this name is the user's own, and may well be a
    // link.
    match run {
        Some(run) if exists(&run.join(MANIFEST)) => {
            regular::if_there(folder_itself(folder)).map(|_| ())
        }
        _ => Ok(()),
    }
}

fn folder_itself(path: &Path) -> io::Result<()> {
    let meta = std::fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        return Err(refused(
            "it is a link; links in a run folder are not followed",
        ));
    }
    if meta.is_dir() {
        return Ok(());
    }
    Err(refused("a folder was expected"))
}

/// Refuses everything but an ordinary file that has no other name.
fn one_name(meta: &Metadata) -> io::Result<()> {
    if meta.is_symlink() {
        return Err(refused(
            "it is a link; links in a run folder are not followed",
        ));
    }
    ordinary(meta)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // None at all: it was removed or replaced after it was opened.
        if meta.nlink() > 1 {
            return Err(refused(
                "the file has a second name (a hard link), which may be outside of the run folder; replace \
                 it by a copy",
            ));
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// Opens `path` in every way there is.
    fn refused_by_all(path: &Path) {
        let found = [
            open(path, 1 << 20).map(|_| ()),
            reader(path).map(|_| ()),
            bytes(path, 1 << 20).map(|_| ()),
            append(path).map(|_| ()),
            to_cut(path).map(|_| ()),
        ];
        for found in found {
            let kind = found.err().map(|e| e.kind());
            assert_eq!(
                kind,
                Some(ErrorKind::InvalidInput),
                "{}",
                path.to_string_lossy()
            );
        }
    }

    #[test]
    fn links_of_each_kind_are_refused_and_what_they_lead_to_is_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bashrc");
        std::fs::write(&target, "mine\n").unwrap();
        let run = dir.path().join("run");
        std::fs::create_dir(&run).unwrap();
        let at = |name: &str| run.join(name);
        symlink(&target, at("file")).unwrap();
        symlink(at("file"), at("chain")).unwrap();
        symlink(dir.path().join("none"), at("dangling")).unwrap();
        symlink(dir.path(), at("folder")).unwrap();
        symlink(at("loop"), at("loop")).unwrap();
        std::fs::hard_link(&target, at("hard")).unwrap();
        for name in ["file", "chain", "dangling", "folder", "loop", "hard"] {
            refused_by_all(&at(name));
            create_new(&at(name)).unwrap_err();
            assert!(refusal(&at(name)).unwrap().is_some(), "{name}");
        }
        assert!(!dir.path().join("none").exists());
        // Replacing a link replaces the link.
        replace(&at("file"), "new", true).unwrap();
        assert_eq!(std::fs::read_to_string(at("file")).unwrap(), "new");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine\n");
        remove(&at("chain")).unwrap();
        remove(&at("chain")).unwrap();
    }

    #[test]
    fn devices_and_pipes_are_refused_and_nobody_waits_for_them() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_bits_truncate(0o600),
            0,
        )
        .unwrap();
        refused_by_all(&pipe);
        refused_by_all(dir.path());
        refused_by_all(Path::new("/dev/zero"));
    }

    #[test]
    fn a_folder_in_a_run_folder_is_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let (elsewhere, run) = (dir.path().join("elsewhere"), dir.path().join("run"));
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::create_dir(&run).unwrap();
        std::fs::write(elsewhere.join("0.jsonl"), "").unwrap();
        std::fs::write(run.join(MANIFEST), "{}").unwrap();
        for name in FOLDERS {
            symlink(&elsewhere, run.join(name)).unwrap();
            let file = run.join(name).join("0.jsonl");
            refused_by_all(&file);
            assert!(create_new(&run.join(name).join("1.jsonl")).is_err());
            assert!(remove(&file).is_err() && about(&file).is_none());
            assert!(replace(&file, "", false).is_err());
            assert!(names(&run.join(name)).is_err() && make_folder(&run.join(name)).is_err());
            std::fs::remove_file(run.join(name)).unwrap();
            make_folder(&run.join(name)).unwrap();
            make_folder(&run.join(name)).unwrap();
            append(&file).unwrap();
        }
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
        // A run folder that is reached through a link is that of its user.
        let link = dir.path().join("link");
        symlink(&run, &link).unwrap();
        assert!(bytes(&link.join(MANIFEST), 10).is_ok());
        // What is in progress is for its owner only.
        for (name, mode) in [(PROGRESS, 0o600), ("memory", 0o644)] {
            let meta = std::fs::metadata(run.join(name).join("0.jsonl")).unwrap();
            assert_eq!(meta.permissions().mode() & 0o777 & !0o022, mode, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_with_holes_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("0.jsonl");
        File::create(&path).unwrap().set_len(60 << 30).unwrap();
        for found in [reader(&path).map(|_| ()), append(&path).map(|_| ())] {
            assert!(found.unwrap_err().to_string().contains("holes"));
        }
        std::fs::write(&path, vec![b'x'; 4 << 20]).unwrap();
        assert_eq!(bytes(&path, 8 << 20).unwrap().len(), 4 << 20);
        let error = bytes(&path, 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}
