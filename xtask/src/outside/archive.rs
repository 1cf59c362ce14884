//! Making and unpacking the archives that a registry would hold.

use super::libraries;
use crate::command;
use crate::project::{Member, Project};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// The workspace's switch in the root manifest, and what a clone has instead.
const SWITCH: (&str, &str) = ("\npublish = false\n", "\npublish = true\n");

/// Whether a package leaves it to the workspace whether it is published. Tools of this repository
/// say `publish = false` themselves.
pub(super) fn may_be_published(project: &Project, member: &Member) -> bool {
    let manifest = project.text(&format!("{}/Cargo.toml", member.folder));
    manifest.is_some_and(|text| text.lines().any(|line| line == "publish.workspace = true"))
}

/// Packages the libraries of the last commit and unpacks them to `packages/NAME`.
pub(super) fn unpack_all(root: &Path, project: &Project, packages: &Path) -> Result<()> {
    let temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
    let clone = temporary.path().join("clone");
    command::run(
        command::program(root, "git")
            .args(["clone", "--quiet"])
            .args([root, &clone]),
    )?;
    let manifest = clone.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).context("the clone has no Cargo.toml")?;
    ensure!(
        text.matches(SWITCH.0).count() == 1,
        "Cargo.toml does not hold one line `publish = false`"
    );
    std::fs::write(&manifest, text.replacen(SWITCH.0, SWITCH.1, 1))
        .context("cannot write the clone's Cargo.toml")?;

    let made = temporary.path().join("made");
    // The programs outside build the packages, so cargo need not do it here.
    let mut cargo = cargo(
        &clone,
        &["package", "--workspace", "--no-verify", "--allow-dirty"],
    );
    cargo.arg("--target-dir").arg(&made);
    for (name, _) in project
        .packages
        .iter()
        .filter(|(_, m)| !may_be_published(project, m))
    {
        cargo.args(["--exclude", name]);
    }
    let done = cargo
        .stderr(Stdio::piped())
        .output()
        .context("cannot start cargo")?;
    let told = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "`cargo package` failed: {told}");
    ensure!(!told.contains("warning"), "`cargo package` warns: {told}");

    empty(packages)?;
    for (name, member) in libraries(project) {
        let folder = format!("{name}-{}", member.version);
        let mut tar = command::program(packages, "tar");
        // `-m`: cargo gives all files an old date, by which a changed one would not be built again.
        tar.arg("-xmzf")
            .arg(made.join("package").join(format!("{folder}.crate")));
        command::run(&mut tar)?;
        std::fs::rename(packages.join(&folder), packages.join(name))
            .with_context(|| format!("the archive holds no {folder}"))?;
    }
    Ok(())
}

/// `cargo` as a stranger would run it, without a network: each package has its own features.
pub(super) fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut cargo = command::cargo(folder, arguments);
    cargo.arg("--offline");
    cargo.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    cargo
}

/// Makes an empty folder, in place of what was there.
pub(super) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_the_repository_stay_here() {
        let root = command::workspace_root().unwrap();
        let project = Project::read(&root).unwrap();
        let stay: Vec<&str> = project
            .packages
            .iter()
            .filter(|(_, member)| !may_be_published(&project, member))
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(stay, ["benches", "boardroom-py", "fuzz", "xtask"]);
    }
}
