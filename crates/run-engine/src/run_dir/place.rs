//! Folders for runs whose user names none: `runs/DATE-environment-agent-N`.

use super::fresh::RunDirGuard;
use super::make;
use crate::clock::today;
use crate::error::RunError;
use crate::terminal::shown_path;
use crate::words::file_name;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder that holds runs whose user names none, in the folder where the program is called.
pub const RUNS: &str = "runs";

/// Longest part of a name that an agent or an environment gives \[bytes\]; systems allow 255 in all.
const LONGEST: usize = 80;

/// Makes a new folder in `home` for a run of `agent` in `environment`. Its name holds the date (UTC) and the
/// first number for which there is no folder yet, so that two processes never get the same one.
///
/// # Errors
/// When a folder cannot be made.
pub fn claim(
    home: &Path,
    environment: &str,
    agent: &str,
) -> Result<(PathBuf, RunDirGuard), RunError> {
    let with_parent = !home.exists();
    make(home)?;
    let name = format!("{}-{}-{}", today(), plain(environment), plain(agent));
    for number in 1_u32.. {
        let path = home.join(format!("{name}-{number}"));
        match std::fs::create_dir(&path) {
            Ok(()) => {
                let guard = RunDirGuard::of_new(&path, with_parent);
                return Ok((path, guard));
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(RunError::file(&path)(e)),
        }
    }
    // Not reached before 2^32 folders exist. Needed for the return type.
    Err(RunError::Failed(format!(
        "{} has no number left for `{name}`",
        shown_path(home)
    )))
}

/// `text` as a part of a file name on every system.
fn plain(text: &str) -> String {
    file_name(text, "-_.").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_claim_gets_a_folder_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join(RUNS);
        let claimed = |agent| claim(&home, "beer-game", agent).unwrap().0;
        let (one, two) = (claimed("openai:org/m"), claimed("openai:org/m"));
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name(&one).ends_with("-beer-game-openai-org-m-1"), "{one:?}");
        assert!(name(&two).ends_with("-2") && one.parent() == two.parent());
        let long = "x".repeat(400);
        assert!(claimed(&long).is_dir());
    }

    #[test]
    fn a_folder_for_nothing_is_taken_back_with_the_one_around_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join(RUNS);
        let (_, guard) = claim(&home, "edt", "openai:m").unwrap();
        let came = RunDirGuard::settle::<()>(Some(guard), Err(RunError::usage("no key")));
        assert!(came.is_err() && !home.exists());
    }
}
