//! The lock of a run folder: one writer, or any number of readers.
//!
//! The lock is on the folder itself, not on a file in it, so replacing a file does not release it.
//! After locking, and again after each write, the path must still lead to the locked folder.

use crate::error::RunError;
use crate::terminal::shown_path;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Pause between two attempts to lock a busy folder.
const PAUSE: Duration = Duration::from_millis(20);

/// Number of pauses that a writer makes in any case, because [`is_being_written`] locks a folder for a moment and
/// several programs may ask at nearly the same time.
const LEAST_PAUSES: u32 = 3;

/// How long this program waits for a busy folder \[ms\].
static PATIENCE: AtomicU64 = AtomicU64::new(0);

/// Whether this program reads folders that another process is writing.
static READS_RUNNING: AtomicBool = AtomicBool::new(false);

/// Lets this process read folders that another process is writing, for commands that only show what is
/// there so far. Such a reader keeps nobody from writing: its last line may be truncated.
pub fn read_running() {
    READS_RUNNING.store(true, Ordering::Relaxed);
}

/// Whether another process is writing the run folder at `path`. This takes a shared lock for a moment; a writer that
/// begins in this moment waits for its end.
#[must_use]
pub fn is_being_written(path: &Path) -> bool {
    open_if_there(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Lets this process wait for busy folders instead of refusing them at once.
pub fn wait_for(patience: Duration) {
    let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    PATIENCE.store(millis, Ordering::Relaxed);
}

/// Ends all waiting, now and later: waiting callers get an error. Safe to call from another thread.
pub fn stop_waiting() {
    PATIENCE.store(0, Ordering::Relaxed);
}

/// A run folder, locked until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Locks the folder at `path` against everybody else.
    ///
    /// # Errors
    /// [`RunError::Busy`] when another process works in it.
    pub(crate) fn to_write(path: &Path) -> Result<Self, RunError> {
        Self::take(path, File::try_lock, PAUSE * LEAST_PAUSES)
    }

    /// Locks the folder at `path` against writers. After [`read_running`], a folder that is being written
    /// is opened without a lock.
    ///
    /// # Errors
    /// [`RunError::Busy`] when another process writes in it.
    pub(crate) fn to_read(path: &Path) -> Result<Self, RunError> {
        match Self::take(path, File::try_lock_shared, Duration::ZERO) {
            Err(RunError::Busy(_)) if READS_RUNNING.load(Ordering::Relaxed) => Ok(Self {
                path: path.to_owned(),
                file: open(path).map_err(RunError::file(path))?,
            }),
            taken => taken,
        }
    }

    fn take(
        path: &Path,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
        least: Duration,
    ) -> Result<Self, RunError> {
        let mut waited = Duration::ZERO;
        loop {
            // Opened in each round: while this process waited, the folder may have been replaced,
            // and a lock on the old one keeps nobody out of the new one.
            let file = open(path).map_err(RunError::file(path))?;
            match lock(&file) {
                // Another folder may have been put there between opening and locking.
                Ok(()) if is_at(&file, &lock_name(path)) => {
                    return Ok(Self {
                        path: path.to_owned(),
                        file,
                    });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(RunError::file(path)(e)),
            }
            let patience = Duration::from_millis(PATIENCE.load(Ordering::Relaxed));
            if waited >= patience.max(least) {
                return Err(RunError::Busy(format!(
                    "another process is using {}; try again when it has ended, or wait for it with --wait SECONDS",
                    shown_path(path)
                )));
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
    }

    /// Checks that the folder is still where it was when it was locked.
    ///
    /// # Errors
    /// [`RunError::Failed`] when it was removed or another one was put in its place.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        if is_at(&self.file, &lock_name(&self.path)) {
            return Ok(());
        }
        Err(RunError::Failed(format!(
            "the folder {} was removed or replaced during this run: everything that the run wrote \
             there is lost",
            shown_path(&self.path)
        )))
    }
}

#[cfg(unix)]
fn lock_name(path: &Path) -> PathBuf {
    path.to_owned()
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// As [`open`], but makes no file.
#[cfg(unix)]
fn open_if_there(path: &Path) -> std::io::Result<File> {
    open(path)
}

/// Opens the folder. Where the system cannot open a folder as a file, a file inside it is used.
#[cfg(not(unix))]
fn lock_name(path: &Path) -> PathBuf {
    path.join("lock")
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).write(true).truncate(false);
    options.open(lock_name(path))
}

/// As [`open`], but makes no file: the folder of a reader stays as it is.
#[cfg(not(unix))]
fn open_if_there(path: &Path) -> std::io::Result<File> {
    File::open(lock_name(path))
}

/// Whether `path` still leads to the file or folder that is open as `file`.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same =
        |a: std::fs::Metadata, b: std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    let there = std::fs::metadata(path).ok();
    file.metadata()
        .ok()
        .zip(there)
        .is_some_and(|(a, b)| same(a, b))
}

/// Whether `path` still leads to a file.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_on_the_folder_and_not_on_a_file_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join("manifest.json");
        std::fs::write(&manifest, "{}").unwrap();
        let held = Lock::to_write(dir.path()).unwrap();
        std::fs::remove_file(&manifest).unwrap();
        std::fs::write(&manifest, "{}").unwrap();
        for refused in [Lock::to_write(dir.path()), Lock::to_read(dir.path())] {
            assert!(matches!(refused, Err(RunError::Busy(_))), "{refused:?}");
        }
        assert!(is_being_written(dir.path()));
        drop(held);
        // A program that only asks holds a lock for a moment, which a writer waits for.
        let asks = File::open(dir.path()).unwrap();
        asks.lock_shared().unwrap();
        let waits = std::thread::spawn({
            let path = dir.path().to_owned();
            move || Lock::to_write(&path).map(drop)
        });
        std::thread::sleep(PAUSE);
        drop(asks);
        waits.join().unwrap().unwrap();
        assert!(!is_being_written(dir.path()));
        let readers = [Lock::to_read(dir.path()), Lock::to_read(dir.path())];
        assert!(readers.iter().all(Result::is_ok));
        assert!(Lock::to_write(dir.path()).is_err());
    }

    #[test]
    fn a_folder_that_was_removed_or_replaced_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        std::fs::create_dir(&path).unwrap();
        let held = Lock::to_write(&path).unwrap();
        held.check().unwrap();
        std::fs::rename(&path, dir.path().join("aside")).unwrap();
        assert!(matches!(held.check(), Err(RunError::Failed(_))));
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(held.check(), Err(RunError::Failed(_))));
    }
}
