//! Removes the folder of a run, or of a search for an instruction, in which nothing was played.
//!
//! Some errors, such as a missing key or a refused form, appear only after the folder was created. The next
//! try must not find the folder occupied.

use super::manifest::MANIFEST;
use crate::error::RunError;
use crate::files::names::SEARCH;
use crate::files::run_file;
use crate::plan::list::INSTANCES;
use crate::run_dir::{ACCESS, CAP, PRICES};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files and folders that are removed with the manifest if nothing was written to them.
pub(super) const OURS: [&str; 10] = [
    "episodes.jsonl",
    INSTANCES,
    "calls.jsonl",
    "times.jsonl",
    "references.jsonl",
    "progress",
    "memory",
    CAP,
    PRICES,
    ACCESS,
];

/// A folder in which a run is about to be begun.
#[derive(Debug)]
pub struct RunDirGuard {
    path: PathBuf,
    /// Whether the folder itself is not there yet.
    made: bool,
    /// Whether the folder around it is removed with it if it is then empty.
    with_parent: bool,
    /// What was there before, with its length (bytes): never taken back.
    before: BTreeMap<PathBuf, u64>,
}

impl RunDirGuard {
    /// Notes which files are in `path` before a run or a search is begun there; `None` if `path` holds one already or no
    /// path is given.
    pub fn before(path: Option<&Path>) -> Option<Self> {
        let path = path?;
        let is_begun = [MANIFEST, SEARCH].map(|name| run_file::exists(&path.join(name)));
        (!is_begun.contains(&true)).then(|| Self {
            path: path.to_owned(),
            made: !path.exists(),
            with_parent: false,
            before: held(path),
        })
    }

    /// As [`before`](Self::before), for an empty folder that was made for the run. `with_parent` says that
    /// the folder around it was made for it too.
    pub(super) fn of_new(path: &Path, with_parent: bool) -> Self {
        Self {
            path: path.to_owned(),
            made: true,
            with_parent,
            before: BTreeMap::new(),
        }
    }

    /// Removes the folder if the work could not begin and nothing was written; returns the result `came`. A
    /// file that cannot be removed stays, because the error of the work matters more.
    ///
    /// Call it once this process has begun the run and while it holds the lock, because the manifest is
    /// removed as well.
    pub fn settle<T>(fresh: Option<Self>, came: Result<T, RunError>) -> Result<T, RunError> {
        let unfit = came.as_ref().is_err_and(RunError::is_of_request);
        if let Some(fresh) = fresh.filter(|fresh| unfit && fresh.holds_nothing()) {
            fresh.take_back();
        }
        came
    }

    /// Whether nothing was written since the run began.
    fn holds_nothing(&self) -> bool {
        let errors = self.path.join(super::ERRORS);
        let kept = |(path, length): (&PathBuf, &u64)| {
            let before = self.before.get(path).copied();
            // These are written before anything is played.
            let says_nothing = [CAP, PRICES, ACCESS, INSTANCES]
                .iter()
                .any(|name| path.ends_with(name));
            !says_nothing && *length != before.unwrap_or(0)
        };
        !held(&self.path).iter().any(kept)
            && (self.before.contains_key(&errors) || !run_file::exists(&errors))
    }

    fn take_back(&self) {
        let errors = self.path.join(super::ERRORS);
        // Backwards, so that a folder comes behind what is in it.
        for path in held(&self.path).into_keys().rev() {
            if path == errors || self.before.contains_key(&path) {
                continue;
            }
            // As a folder first: that fails unless it is empty, so nothing in it can be lost.
            let _ = std::fs::remove_dir(&path).or_else(|_| run_file::remove(&path));
        }
        for name in [MANIFEST, SEARCH] {
            let _ = run_file::remove(&self.path.join(name));
        }
        if self.made {
            // Fails where somebody put something else there, and that is right.
            let _ = std::fs::remove_dir(&self.path);
        }
        if let Some(parent) = self.path.parent().filter(|_| self.with_parent) {
            let _ = std::fs::remove_dir(parent);
        }
    }
}

/// What lies in `path` under the names that a run uses, with its length (bytes; 0 for a folder).
fn held(path: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for name in OURS.into_iter().chain([super::ERRORS]) {
        let path = path.join(name);
        // A file has no names in it.
        let inside = run_file::names(&path).unwrap_or_default();
        let inside = inside.into_iter().map(|name| path.join(name));
        for path in inside
            .chain([path.clone()])
            .filter(|path| run_file::exists(path))
        {
            let length = run_file::about(&path).map_or(0, |meta| meta.len());
            found.insert(path, length);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(dir: &Path) -> (PathBuf, Option<RunDirGuard>) {
        let path = dir.join("run");
        let fresh = RunDirGuard::before(Some(&path));
        std::fs::create_dir_all(path.join("progress")).unwrap();
        for name in [MANIFEST, "episodes.jsonl", "progress/0.jsonl"] {
            std::fs::write(path.join(name), "").unwrap();
        }
        // They say what is played and not that something was.
        std::fs::write(path.join(INSTANCES), "{}\n").unwrap();
        (path, fresh)
    }

    #[test]
    fn a_folder_begun_for_nothing_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (path, fresh) = begun(dir.path());
        let came = RunDirGuard::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(came.is_err() && !path.exists());
    }

    /// What lay in the folder before is not the run's, even where it is empty.
    #[test]
    fn what_was_there_before_is_not_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let old = [
            ("memory/0.jsonl", ""),
            ("progress/3.jsonl", ""),
            ("calls.jsonl", ""),
            ("references.jsonl", "{}\n"),
            ("errors.jsonl", "{}\n"),
            ("cap.json", "1"),
        ];
        for name in ["memory", "progress"] {
            std::fs::create_dir_all(path.join(name)).unwrap();
        }
        for (name, text) in old {
            std::fs::write(path.join(name), text).unwrap();
        }
        let (path, fresh) = begun(dir.path());
        let _ = RunDirGuard::settle::<()>(fresh, Err(RunError::usage("no key")));
        for (name, text) in old {
            let kept = std::fs::read_to_string(path.join(name)).unwrap();
            assert_eq!(kept, text, "{name}");
        }
        for name in [MANIFEST, INSTANCES, "episodes.jsonl", "progress/0.jsonl"] {
            assert!(!path.join(name).exists(), "{name}");
        }

        // What was added to an old file was kept.
        let fresh = RunDirGuard::before(Some(&path));
        std::fs::write(path.join(MANIFEST), "").unwrap();
        std::fs::write(path.join("references.jsonl"), "{}\n{}\n").unwrap();
        let _ = RunDirGuard::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(path.join(MANIFEST).exists());
    }

    #[test]
    fn what_was_kept_stays_and_so_does_what_is_not_ours() {
        let dir = tempfile::tempdir().unwrap();
        let (path, fresh) = begun(dir.path());
        std::fs::write(path.join("calls.jsonl"), "{}\n").unwrap();
        let _ = RunDirGuard::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(path.join(MANIFEST).exists());
        std::fs::remove_dir_all(&path).unwrap();

        let (path, fresh) = begun(dir.path());
        std::fs::write(path.join("notes.txt"), "mine").unwrap();
        let _ = RunDirGuard::settle::<()>(fresh, Err(RunError::usage("no key")));
        assert!(!path.join(MANIFEST).exists() && path.join("notes.txt").exists());

        std::fs::write(path.join(MANIFEST), "").unwrap();
        assert!(RunDirGuard::before(Some(&path)).is_none());
        std::fs::remove_dir_all(&path).unwrap();

        let (path, fresh) = begun(dir.path());
        let _ =
            RunDirGuard::settle::<()>(fresh, Err(RunError::Failed("a script ended".to_owned())));
        assert!(path.join(MANIFEST).exists());
    }
}
