//! `cargo xtask outside`: tests the use of single crates outside the workspace.
//!
//! For each library, a temporary package depends on it by path, outside the workspace, and runs its
//! documented examples: every one of the README, or of the crate docs if the README has none. Then
//! it checks what would be published: whether the package is complete, how large it is, what a
//! registry shows of it, and whether its README makes sense on its own.

use crate::command;
use crate::project::{Member, Project};
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{MetadataCommand, Package};
use std::path::Path;

mod example;
mod manifest;
mod package;

pub use example::{Example, examples_of};
pub use manifest::{faults_of_manifest, faults_of_status};
pub use package::{Listing, faults_of_package, faults_of_readme};

/// Packages that are not published as libraries: parts of the program, and tools of this repository.
const NOT_LIBRARIES: &[&str] = &[
    "run-report",
    "qa-runner",
    "python-snippets",
    "boardroom-serve",
    "boardroom",
    "boardroom-py",
    "benches",
    "fuzz",
    "replication",
    "xtask",
];

/// Dependencies that examples use, with their version and features.
const OTHERS: &[(&str, &str)] = &[
    ("rayon", r#""1""#),
    ("serde_json", r#""1""#),
    ("tokio", r#"{ version = "1", features = ["macros", "rt"] }"#),
];

/// Tests the named crates, all libraries if none is named.
///
/// Build output is kept in `target/outside`, so the dependencies are built once.
///
/// # Errors
/// If an example does not run, or a package has a fault.
pub fn run(root: &Path, wanted: &[String]) -> Result<()> {
    let project = Project::read(root)?;
    let libraries = libraries(&project);
    for name in wanted {
        ensure!(
            libraries.iter().any(|(library, _)| library == name),
            "there is no library crate `{name}`"
        );
    }
    let mut failed = Vec::new();
    for (name, member) in libraries {
        if !wanted.is_empty() && !wanted.iter().any(|want| want == name) {
            continue;
        }
        match tried(root, &project, name, member) {
            Ok(line) => println!("{name:<20} {line}"),
            Err(error) => {
                println!("{name:<20} FAILED: {error:#}");
                failed.push(name);
            }
        }
    }
    ensure!(
        failed.is_empty(),
        "not usable outside: {}",
        failed.join(", ")
    );
    Ok(())
}

fn libraries(project: &Project) -> Vec<(&str, &Member)> {
    let packages = project.packages.iter();
    packages
        .map(|(name, member)| (name.as_str(), member))
        .filter(|(name, _)| !NOT_LIBRARIES.contains(name))
        .collect()
}

/// Tests one crate; returns a line with the results.
fn tried(root: &Path, project: &Project, name: &str, member: &Member) -> Result<String> {
    let listing = Listing::read(root, name, member)?;
    let mut faults = faults_of_package(project, member, &listing);
    faults.extend(faults_on_show(root, project, name, member)?);
    let text = |file: &str| project.text(&format!("{}/{file}", member.folder));
    let examples = examples_of(
        text("README.md").unwrap_or_default(),
        text("src/lib.rs").unwrap_or_default(),
    );
    ensure!(
        !examples.is_empty(),
        "neither README nor crate docs hold an example in Rust"
    );
    faults.extend(faults_of_examples(root, project, name, &examples)?);
    if !faults.is_empty() {
        bail!("{}", faults.join("; "));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred kilobytes")]
    let kib = listing.bytes as f64 / 1024.0;
    Ok(format!(
        "examples ran: {}, {} files, {kib:.0} KiB",
        examples.len(),
        listing.files.len()
    ))
}

/// Faults in what users see of a package before they use it.
fn faults_on_show(
    root: &Path,
    project: &Project,
    name: &str,
    member: &Member,
) -> Result<Vec<String>> {
    let readme = project.text(&format!("{}/README.md", member.folder));
    let readme = readme.unwrap_or_default();
    let package = package(root, member)?;
    let mut faults = faults_of_readme(name, readme);
    faults.extend(faults_of_manifest(&package));
    faults.extend(faults_of_status(&package, readme));
    Ok(faults)
}

/// What cargo knows of a package.
fn package(root: &Path, member: &Member) -> Result<Package> {
    let manifest = root.join(&member.folder).join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(&manifest)
        .no_deps()
        .exec()
        .context("`cargo metadata` failed")?;
    let found = metadata
        .packages
        .into_iter()
        .find(|package| package.manifest_path.as_std_path() == manifest);
    found.with_context(|| format!("cargo knows no package at {}", manifest.display()))
}

/// Builds and runs the examples, each as a program of one package; returns those that fail.
fn faults_of_examples(
    root: &Path,
    project: &Project,
    name: &str,
    examples: &[Example],
) -> Result<Vec<String>> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let write = |path: &str, text: &str| {
        std::fs::write(folder.path().join(path), text)
            .with_context(|| format!("cannot write {path}"))
    };
    write(
        "Cargo.toml",
        &outside_manifest(root, project, name, examples),
    )?;
    std::fs::create_dir_all(folder.path().join("src/bin")).context("cannot make src/bin")?;
    for example in examples {
        write(
            &format!("src/bin/{name}-{}.rs", example.line),
            &example.program(),
        )?;
    }
    // The versions that the workspace is tested with; cargo drops those that are not needed.
    std::fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock"))
        .context("cannot copy Cargo.lock")?;
    let mut faults = Vec::new();
    for Example { place, line, .. } in examples {
        let mut cargo = command::cargo(folder.path(), ["run", "--quiet", "--offline", "--bin"]);
        cargo.arg(format!("{name}-{line}"));
        cargo.env("CARGO_TARGET_DIR", root.join("target").join("outside"));
        if let Err(error) = command::output(&mut cargo) {
            faults.push(format!(
                "the example at line {line} of the {place} does not run: {error:#}"
            ));
        }
    }
    Ok(faults)
}

/// The `Cargo.toml` of a package that depends on the crate and on the other crates that its
/// examples use.
fn outside_manifest(root: &Path, project: &Project, name: &str, examples: &[Example]) -> String {
    let is_named = |krate: &str| examples.iter().any(|example| example.names(krate));
    let mut manifest = format!(
        "[package]\nname = \"outside-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n"
    );
    for (library, member) in libraries(project) {
        if library == name || is_named(library) {
            let path = root.join(&member.folder).display().to_string();
            manifest += &format!("{library} = {{ path = {path:?} }}\n");
        }
    }
    for (other, taken) in OTHERS {
        if is_named(other) {
            manifest += &format!("{other} = {taken}\n");
        }
    }
    manifest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_depends_on_what_the_examples_name() {
        let project = Project::default()
            .with_package("agent-client", |_| ())
            .with_package("beer-game", |_| ())
            .with_package("edt", |_| ())
            .with_package("boardroom", |_| ());
        let manifest = |readme: &str| {
            let examples = examples_of(readme, "");
            let text = outside_manifest(Path::new("/r"), &project, "agent-client", &examples);
            text.split_once("[dependencies]\n").unwrap().1.to_owned()
        };
        let own = "agent-client = { path = \"/r/crates/agent-client\" }\n";
        assert_eq!(manifest("```rust\nlet a = 1;\n```\n"), own);
        let readme = "```rust\nagent_client::f();\n```\n```rust\nbeer_game::f();\n\
                      boardroom::f();\nserde_json::f();\n```\n";
        assert_eq!(
            manifest(readme),
            format!("{own}beer-game = {{ path = \"/r/crates/beer-game\" }}\nserde_json = \"1\"\n")
        );
    }

    #[test]
    fn what_strangers_see_of_the_libraries_is_in_order() {
        let root = command::workspace_root().unwrap();
        let project = Project::read(&root).unwrap();
        let libraries = libraries(&project);
        assert!(libraries.len() >= 9, "{libraries:?}");
        for (name, member) in libraries {
            let faults = faults_on_show(&root, &project, name, member).unwrap();
            assert_eq!(faults, Vec::<String>::new(), "{name}");
        }
    }
}
