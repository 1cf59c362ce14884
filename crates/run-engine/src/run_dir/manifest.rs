//! Beginning a run and finding it again.

use super::Manifest;
use crate::clock::seconds_now;
use crate::error::RunError;
use crate::files::lock::Lock;
use crate::files::names::SEARCH;
use crate::files::{regular, run_file};
use crate::plan::Plan;
use crate::terminal::{shell_path, shown_path};
use serde::Serialize;
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

pub use crate::files::names::MANIFEST;

/// Begins a run of `plan` in `path`, which must not hold a run yet, and locks it.
///
/// # Errors
/// When the folder cannot be made or written, or holds a run, a sweep or a search.
pub(super) fn begin(
    path: &Path,
    plan: Plan,
    notes: Vec<String>,
) -> Result<(Manifest, Lock), RunError> {
    let manifest = Manifest {
        schema: Manifest::SCHEMA,
        boardroom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix: seconds_now(),
        plan_digest: Digest::of(&plan).map_err(|e| RunError::usage(format!("the plan: {e}")))?,
        plan,
        notes,
        learnt: BTreeMap::new(),
    };
    let lock = begin_with(path, &manifest, || manifest.plan.write_files(path))?;
    Ok((manifest, lock))
}

/// Refuses a folder that holds a search for an instruction.
///
/// # Errors
/// Names the folder.
pub fn refuse_search(path: &Path) -> Result<(), RunError> {
    if !run_file::exists(&path.join(SEARCH)) {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "{} holds a search for an instruction; name another folder",
        shown_path(path)
    )))
}

/// Makes the folder `path` with this manifest, and locks it. If several processes try at the same time,
/// exactly one of them begins the run. `files` writes what the run needs besides: before the manifest, because a folder
/// with a manifest can be continued.
fn begin_with<M: Serialize>(
    path: &Path,
    manifest: &M,
    files: impl FnOnce() -> Result<(), RunError>,
) -> Result<Lock, RunError> {
    if run_file::exists(&path.join(crate::files::names::SWEEP)) {
        return Err(RunError::usage(format!(
            "{} holds a sweep already; name another folder",
            shown_path(path)
        )));
    }
    refuse_search(path)?;
    super::make(path)?;
    // Before the lock, so that a folder with a run is refused as such also while another process
    // has locked it.
    if run_file::exists(&path.join(MANIFEST)) {
        return Err(occupied(path));
    }
    let text = text_of(manifest)?;
    let lock = Lock::to_write(path).map_err(|e| match e {
        // Another process was faster.
        RunError::Busy(_) if run_file::exists(&path.join(MANIFEST)) => occupied(path),
        e => e,
    })?;
    // Another process may have begun a run and ended before this one had the lock.
    if run_file::exists(&path.join(MANIFEST)) {
        return Err(occupied(path));
    }
    files()?;
    publish(path, &text)?;
    Ok(lock)
}

/// The text of a manifest.
///
/// # Errors
/// When it is longer than what is read.
fn text_of(manifest: &impl Serialize) -> Result<String, RunError> {
    let text = serde_json::to_string_pretty(manifest);
    let text = text.map_err(|e| RunError::usage(format!("the plan: {e}")))? + "\n";
    if text.len() as u64 > regular::MOST_MANIFEST {
        return Err(RunError::usage(format!(
            "the manifest would have {} bytes, and at most {} are read: play a smaller instance",
            text.len(),
            regular::MOST_MANIFEST
        )));
    }
    Ok(text)
}

fn occupied(path: &Path) -> RunError {
    RunError::usage(format!(
        "{} holds a run already; `boardroom resume {}` plays what it misses; for another run name another folder",
        shown_path(path),
        shell_path(path)
    ))
}

/// Creates the complete manifest in one step, unless there is one already.
fn publish(path: &Path, text: &str) -> Result<(), RunError> {
    let name = path.join(MANIFEST);
    let (draft, mut file) = run_file::draft(&name)?;
    let written = file
        .write_all(text.as_bytes())
        .map_err(RunError::file(&draft));
    // A plain rename would replace what another has begun.
    let placed = written.map(|()| run_file::rename_to_new(&draft, &name));
    if !matches!(placed, Ok(Some(Ok(())))) {
        // A draft that cannot be removed does no harm.
        let _ = run_file::remove(&draft);
    }
    match placed? {
        Some(Err(e)) if e.kind() == ErrorKind::AlreadyExists => Err(occupied(path)),
        Some(placed) => placed.map_err(RunError::file(&name)),
        None => publish_in_place(path, text),
    }
}

/// The same where the system or the disk has no such rename. A process that is killed here leaves an incomplete
/// manifest, which every reader refuses.
fn publish_in_place(path: &Path, text: &str) -> Result<(), RunError> {
    let name = path.join(MANIFEST);
    let mut file = run_file::create_new(&name).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => occupied(path),
        _ => RunError::file(&name)(e),
    })?;
    file.write_all(text.as_bytes()).map_err(|e| {
        // It is ours and no run began; if it stays, the error says which file it is.
        let _ = run_file::remove(&name);
        RunError::file(&name)(e)
    })
}

/// Replaces the manifest of the run in `path`, which the caller has locked, in one step.
///
/// # Errors
/// When it cannot be written.
pub(super) fn replace(path: &Path, manifest: &Manifest) -> Result<(), RunError> {
    let text = text_of(manifest)?;
    // Keys are not masked here, as when the manifest was first written: a masked word would change the digest of the
    // plan.
    run_file::replace_bytes(&path.join(MANIFEST), text.as_bytes(), true)
}

/// Checks that there is a run in `path`, even if it cannot be read, and returns the path of its
/// manifest.
///
/// # Errors
/// When there is none.
pub fn find(path: &Path) -> Result<PathBuf, RunError> {
    let file = path.join(MANIFEST);
    if run_file::exists(&path.join(crate::files::names::SWEEP)) {
        return Err(RunError::usage(format!(
            "{0} is the folder of a sweep, not of a run; name one of the folders in it, such as {1}",
            shown_path(path),
            crate::run_dir::members::members(path)?
                .first()
                .map_or_else(|| "none yet".to_owned(), shown_path)
        )));
    }
    if !run_file::exists(&file) && !path.exists() {
        return Err(RunError::usage(format!(
            "there is no folder {}",
            shown_path(path)
        )));
    }
    if !run_file::exists(&file) {
        return Err(RunError::usage(format!(
            "{} is not a run folder: it has no {MANIFEST}{}",
            shown_path(path),
            run_nearby(path).unwrap_or_default()
        )));
    }
    Ok(file)
}

/// The run folder that was probably meant by `path`, one level above or below it, as the end of a sentence.
fn run_nearby(path: &Path) -> Option<String> {
    let above = path
        .parent()
        .filter(|above| run_file::exists(&above.join(MANIFEST)));
    if let Some(above) = above {
        return Some(format!("; the run folder is {}", shown_path(above)));
    }
    let inside = crate::run_dir::members::members(path).ok()?;
    let first = inside.first()?;
    let count = match inside.len() {
        1 => "it holds the run folder".to_owned(),
        count => format!("it holds {count} run folders; name one of them, such as"),
    };
    Some(format!("; {count} {}", shown_path(first)))
}

/// The JSON of the manifest in `path`.
///
/// # Errors
/// When there is none, or it is not JSON.
pub fn value(path: &Path) -> Result<Value, RunError> {
    let file = find(path)?;
    let text = run_file::bytes(&file, regular::MOST_MANIFEST).map_err(RunError::file(&file))?;
    sim_core::strict::json(&text)
        .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", shown_path(&file))))
}

/// A copy of the manifest `value` without its instance, which may be long.
pub(crate) fn without_instance(value: &mut Value) -> Value {
    let place = "/plan/instance";
    let instance = value.pointer_mut(place).map(Value::take);
    let copy = value.clone();
    if let (Some(instance), Some(place)) = (instance, value.pointer_mut(place)) {
        *place = instance;
    }
    copy
}

/// Reads the manifest `value` of the run in `path`.
///
/// # Errors
/// When it is not one, was written by a newer program, or a number of its plan is out of range: loops over episodes
/// have to end.
pub fn read(path: &Path, value: Value) -> Result<Manifest, RunError> {
    let file = path.join(MANIFEST);
    let manifest = Manifest::read(value).map_err(RunError::in_file(&file))?;
    let ranges = manifest.plan.check_ranges();
    ranges.map_err(RunError::in_file(&file))?;
    Ok(manifest)
}

/// The environment of the run in `path`; `None` if its manifest cannot be read.
#[must_use]
pub fn environment_of(path: &Path) -> Option<String> {
    let value = value(path).ok()?;
    Some(value.pointer("/plan/environment")?.as_str()?.to_owned())
}

/// Checks that the plan in the manifest `value` of the run in `path` has the digest that the manifest
/// states.
///
/// # Errors
/// Names the two digests.
pub fn check_digest(path: &Path, value: &Value) -> Result<(), RunError> {
    match changed(value) {
        None => Ok(()),
        Some(what) => Err(RunError::usage(format!(
            "{}: {what}",
            shown_path(path.join(MANIFEST))
        ))),
    }
}

/// What is to be said of the version of the program in the manifest `value`, if it is newer than this one.
#[must_use]
pub fn remark_of_version(value: &Value) -> Option<String> {
    let stated = value.get("boardroom")?.as_str()?;
    let this = env!("CARGO_PKG_VERSION");
    (numbers(stated) > numbers(this)).then(|| {
        let stated = sim_core::error::one_line(stated, 40);
        format!("boardroom {stated} began the run, which is newer than this program ({this})")
    })
}

/// The numbers of a version: `0.2.0-dev` is `[0, 2, 0]`.
fn numbers(version: &str) -> Vec<u64> {
    let release = version.split(['-', '+']).next().unwrap_or_default();
    let numbers = release.split('.').map(|part| part.parse().unwrap_or(0));
    numbers.collect()
}

/// The error message if the plan in the manifest `value` does not have the digest that the manifest
/// states; else `None`.
pub(crate) fn changed(value: &Value) -> Option<String> {
    let plan = value.get("plan");
    let found = match Digest::of(&plan) {
        Ok(found) => found.to_string(),
        Err(e) => return Some(e.to_string()),
    };
    let stored = value.get("plan_digest").and_then(Value::as_str);
    // The first 16 characters are enough to distinguish two digests.
    let short = |digest: &str| sim_core::error::one_line(digest, 16);
    (stored != Some(&*found)).then(|| {
        format!(
            "the plan was changed: its digest is {}, the manifest says {}",
            short(&found),
            short(stored.unwrap_or("none"))
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn at_once<H: Send>(
        path: &Path,
        begin: impl Fn(&Path, u32) -> Result<H, RunError> + Sync,
    ) -> H {
        let (count, mut won) = (12, Vec::new());
        let barrier = Barrier::new(12);
        let shown = shown_path(path);
        let begin = |number: u32| {
            barrier.wait();
            begin(path, number)
        };
        let begin = &begin;
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..count)
                .map(|number| scope.spawn(move || (number, begin(number))))
                .collect();
            for one in all {
                match one.join().unwrap() {
                    (number, Ok(held)) => won.push((number, held)),
                    (_, Err(RunError::Busy(_))) => {}
                    (_, Err(e)) => {
                        assert!(matches!(e, RunError::Usage(_)), "{e:?}");
                        assert!(e.to_string().contains(&shown), "{e}");
                    }
                }
            }
        });
        assert_eq!(won.len(), 1, "one begins the run");
        let (winner, held) = won.remove(0);
        let kept = value(path).unwrap();
        assert_eq!(kept, serde_json::json!(winner));
        let names = std::fs::read_dir(path).unwrap().count();
        assert_eq!(names, 1, "no draft stays");
        held
    }

    #[test]
    fn of_many_that_begin_a_folder_at_once_one_does() {
        let dir = tempfile::tempdir().unwrap();
        for round in 0..40 {
            let path = dir.path().join(format!("linked{round}"));
            let held = at_once(&path, |path, number| begin_with(path, &number, || Ok(())));
            assert!(matches!(Lock::to_write(&path), Err(RunError::Busy(_))));
            drop(held);
            assert!(Lock::to_write(&path).is_ok());
            let path = dir.path().join(format!("in-place{round}"));
            std::fs::create_dir(&path).unwrap();
            at_once(&path, |path, number| {
                publish_in_place(path, &number.to_string())
            });
        }
    }

    /// The other program may have changed the manifest.
    #[test]
    fn who_waits_for_a_folder_reads_what_was_written_meanwhile() {
        use crate::files::lock::{stop_waiting, wait_for};
        use crate::plan::RunRequest;
        use crate::registry::Registry;
        use crate::run_dir::Folder;
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::new().with(qa_scoring::env::Spec);
        let request = RunRequest {
            environment: "qa".to_owned(),
            agent: "oracle".to_owned(),
            ..RunRequest::default()
        };
        let plan = Plan::new(&registry, request).unwrap();
        let other = Folder::create(dir.path(), plan).unwrap();
        let mut manifest = other.manifest.clone();
        manifest.notes = vec!["later".to_owned()];
        wait_for(std::time::Duration::from_secs(10));
        let path = dir.path().to_owned();
        let waits = std::thread::spawn(move || Folder::open(&path));
        std::thread::sleep(std::time::Duration::from_millis(100));
        replace(dir.path(), &manifest).unwrap();
        drop(other);
        let opened = waits.join().unwrap().unwrap();
        stop_waiting();
        assert_eq!(opened.manifest.notes, ["later"]);
    }

    /// An instance is not copied to tell which files belong to a run.
    #[test]
    fn a_manifest_without_its_instance_stays_whole_itself() {
        let whole = serde_json::json!({"plan": {"agent": "a", "instance": {"n": 1}}});
        let mut value = whole.clone();
        let copy = without_instance(&mut value);
        assert_eq!(value, whole);
        assert_eq!(
            copy,
            serde_json::json!({"plan": {"agent": "a", "instance": null}})
        );
        assert_eq!(without_instance(&mut Value::Null), Value::Null);
    }

    /// A process that is killed between the two leaves no run that cannot be played.
    #[test]
    fn the_manifest_is_written_after_the_files_that_the_run_needs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let files = || {
            assert!(path.exists() && !path.join(MANIFEST).exists());
            Err(RunError::Failed("the disk is full".to_owned()))
        };
        assert!(begin_with(&path, &7, files).is_err());
        assert!(!path.join(MANIFEST).exists());
        begin_with(&path, &7, || Ok(())).unwrap();
        let error = begin_with(&path, &8, || panic!("a run is there")).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
    }

    #[test]
    fn a_plan_that_was_changed_does_not_have_its_digest() {
        let dir = Path::new("run");
        let plan = serde_json::json!({"episodes": 12, "share": 0.1});
        let digest = Digest::of(&plan).unwrap();
        let mut manifest = serde_json::json!({"plan_digest": digest, "plan": plan});
        check_digest(dir, &manifest).unwrap();
        manifest["plan"]["episodes"] = 3.into();
        assert!(check_digest(dir, &manifest).is_err());
        assert!(check_digest(dir, &serde_json::json!({})).is_err());
    }

    #[test]
    fn of_many_that_write_a_file_at_once_each_leaves_a_whole_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("verified.json");
        let barrier = Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8_u8 {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    let text = number.to_string().repeat(1 << 16);
                    barrier.wait();
                    for _ in 0..20 {
                        run_file::replace(path, &text, true).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len(), 1 << 16);
        assert!(text.chars().all(|digit| text.starts_with(digit)));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_stops_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let (stale, _) = run_file::draft(&dir.path().join(MANIFEST)).unwrap();
        begin_with(dir.path(), &7, || Ok(())).unwrap();
        assert_eq!(value(dir.path()).unwrap(), serde_json::json!(7));
        assert!(stale.exists());
    }
}
