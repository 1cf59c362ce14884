//! Checks a run folder of any kind, and writes a stamp if it finds no fault.

pub use crate::engine::verify::Programs;
use crate::engine::verify::{episodes, files};
use crate::error::RunError;
use crate::files::lock::Lock;
use crate::registry::Registry;
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::{Folder, manifest, stamp};
use serde_json::Value;
use std::path::Path;

/// Runs every check that applies to the kind of the run folder at `path`, and stamps the folder if
/// nothing is wrong. The result holds everything that is wrong.
///
/// # Errors
/// When there is no run in `path`, another process writes it, or a file cannot be read.
pub fn verify(registry: &Registry, path: &Path) -> Result<Verified, RunError> {
    verify_with(registry, path, Programs::Recorded)
}

/// As [`verify`]; `programs` says whether programs are run again.
///
/// # Errors
/// As there.
pub fn verify_with(
    registry: &Registry,
    path: &Path,
    programs: Programs,
) -> Result<Verified, RunError> {
    manifest::find(path)?;
    // The lock is held until the stamp is written, so that the stamped files are the verified ones.
    let _lock = Lock::to_read(path)?;
    let (mut value, mut found) = match manifest::value(path) {
        Ok(value) => (value, Verified::default()),
        Err(e) => (Value::Null, Verified::unreadable(e)?),
    };
    let outline = manifest::without_instance(&mut value);
    files::refuse(path, &outline, &mut found)?;
    if found.is_sound() {
        let (changed, remark) = (
            manifest::changed(&value),
            manifest::remark_of_version(&value),
        );
        // A lock of its own, which ends with the folder; readers do not exclude each other.
        let folder = Lock::to_read(path).and_then(|lock| Folder::of_value(path, lock, value));
        found = match folder {
            Ok(folder) => episodes::verify(registry, &folder, programs)?,
            Err(e) => Verified::unreadable(e)?,
        };
        if let Some(what) = changed {
            found.find(Check::Manifest, manifest::MANIFEST, what);
        }
        found.remarks.extend(remark);
    }
    files::check(path, &outline, &mut found)?;
    found.settle();
    stamped(path, &mut found)?;
    Ok(found)
}

/// Compares an existing stamp with the folder, and writes a new one if nothing is wrong.
fn stamped(path: &Path, found: &mut Verified) -> Result<(), RunError> {
    let fits = stamp::fits(path)?;
    if fits == Some(false) {
        found.find(
            Check::Stamp,
            stamp::STAMP,
            "the folder changed after this stamp was written, or the stamp is from another folder; \
             if you changed the folder yourself, remove the stamp and run `verify` again",
        );
    }
    if !found.is_sound() {
        // If an unsound folder kept a matching stamp, tables would call it verified.
        return if fits == Some(true) {
            stamp::remove(path)
        } else {
            Ok(())
        };
    }
    if let Err(e) = stamp::write(path, found) {
        let text =
            format!("the stamp could not be written: {e}; tables will call the run `not verified`");
        found.remarks.push(text);
    }
    Ok(())
}
