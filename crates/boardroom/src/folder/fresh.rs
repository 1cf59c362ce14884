//! Taking back a run folder that was begun for nothing.
//!
//! A missing key or a refused form shows only after the folder was begun. Nothing was played then,
//! and the next try must not meet an occupied folder.

use super::manifest::MANIFEST;
use crate::error::RunError;
use std::path::{Path, PathBuf};

/// Files and folders that may be taken back with the manifest, where they hold nothing.
const EMPTY: [&str; 6] = [
    "episodes.jsonl",
    "items.jsonl",
    "calls.jsonl",
    "references.jsonl",
    "progress",
    "memory",
];

/// The cap of a model's run, which says nothing of what was done.
const CAP: &str = "cap.json";

/// A folder in which a run is about to be begun.
#[derive(Debug)]
pub(crate) struct Fresh {
    path: PathBuf,
    /// Whether the folder itself is not there yet.
    made: bool,
}

impl Fresh {
    /// Notes how things are before a run is begun in `path`; `None` where there is a run already
    /// or none is asked for.
    pub(crate) fn before(path: Option<&PathBuf>) -> Option<Self> {
        let path = path?;
        (!path.join(MANIFEST).exists()).then(|| Self {
            path: path.clone(),
            made: !path.exists(),
        })
    }

    /// Takes the folder back where the work could not even begin and nothing was kept; hands on
    /// what came of it. What cannot be removed stays: the failure itself matters more.
    pub(crate) fn settle<T>(fresh: Option<Self>, came: Result<T, RunError>) -> Result<T, RunError> {
        let unfit = matches!(
            came,
            Err(RunError::Usage(_) | RunError::Config(_) | RunError::File { .. })
        );
        if let Some(fresh) = fresh.filter(|fresh| unfit && fresh.holds_nothing()) {
            fresh.take_back();
        }
        came
    }

    fn holds_nothing(&self) -> bool {
        EMPTY.iter().all(|name| is_empty(&self.path.join(name)))
            && !self.path.join(super::ERRORS).exists()
    }

    fn take_back(&self) {
        for name in EMPTY {
            let path = self.path.join(name);
            if path.is_dir() {
                for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                    let _ = std::fs::remove_file(entry.path());
                }
                let _ = std::fs::remove_dir(&path);
            } else {
                let _ = std::fs::remove_file(&path);
            }
        }
        let _ = std::fs::remove_file(self.path.join(CAP));
        let _ = std::fs::remove_file(self.path.join(MANIFEST));
        if self.made {
            // Fails where somebody put something else there, and that is right.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// Whether there is nothing at `path`, or nothing in it.
fn is_empty(path: &Path) -> bool {
    let Ok(meta) = std::fs::metadata(path) else {
        return true;
    };
    if meta.is_dir() {
        std::fs::read_dir(path).is_ok_and(|entries| {
            entries
                .flatten()
                .all(|entry| entry.metadata().is_ok_and(|m| m.is_file() && m.len() == 0))
        })
    } else {
        meta.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(dir: &Path) -> (PathBuf, Option<Fresh>) {
        let path = dir.join("run");
        let fresh = Fresh::before(Some(&path));
        std::fs::create_dir_all(path.join("progress")).unwrap();
        for name in [MANIFEST, "episodes.jsonl", "progress/0.jsonl"] {
            std::fs::write(path.join(name), "").unwrap();
        }
        (path, fresh)
    }

    #[test]
    fn a_folder_begun_for_nothing_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (path, fresh) = begun(dir.path());
        let came = Fresh::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(came.is_err() && !path.exists());
    }

    #[test]
    fn what_was_kept_stays_and_so_does_what_is_not_ours() {
        let dir = tempfile::tempdir().unwrap();
        let (path, fresh) = begun(dir.path());
        std::fs::write(path.join("calls.jsonl"), "{}\n").unwrap();
        let _ = Fresh::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(path.join(MANIFEST).exists());
        std::fs::remove_dir_all(&path).unwrap();

        let (path, fresh) = begun(dir.path());
        std::fs::write(path.join("notes.txt"), "mine").unwrap();
        let _ = Fresh::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(!path.join(MANIFEST).exists() && path.join("notes.txt").exists());

        std::fs::write(path.join(MANIFEST), "").unwrap();
        assert!(Fresh::before(Some(&path)).is_none());
        std::fs::remove_dir_all(&path).unwrap();

        let (path, fresh) = begun(dir.path());
        let _ = Fresh::settle::<()>(fresh, Err(RunError::Failed("a script ended".to_owned())));
        assert!(path.join(MANIFEST).exists());
    }
}
