//! `cargo xtask outside`: does what a stranger does who wants one crate only.
//!
//! For each library a throw-away package in a temporary folder depends on it by path, outside the
//! workspace, and runs its documented example: the first one of the README, or of the crate docs
//! where the README has none. Then it looks at what would be published: whether the package is
//! complete, how large it is, and whether its README can stand alone.

use crate::command;
use crate::project::{Member, Project};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

mod example;
mod package;

pub use example::{Example, example_of};
pub use package::{Listing, faults_of_package, faults_of_readme};

/// Packages that nobody depends on: programs and what serves this repository alone.
const NOT_LIBRARIES: &[&str] = &[
    "boardroom",
    "boardroom-py",
    "benches",
    "replication",
    "xtask",
];

/// Tries the crates named, all libraries if none is.
///
/// What cargo builds stays in `target/outside`, so the dependencies are built once.
///
/// # Errors
/// If an example does not run, or a package has a fault.
pub fn run(root: &Path, wanted: &[String]) -> Result<()> {
    let project = Project::read(root)?;
    let libraries: Vec<(&String, &Member)> = project
        .packages
        .iter()
        .filter(|(name, _)| !NOT_LIBRARIES.contains(&name.as_str()))
        .collect();
    for name in wanted {
        ensure!(
            libraries.iter().any(|(library, _)| *library == name),
            "there is no library crate `{name}`"
        );
    }
    let mut failed = Vec::new();
    for (name, member) in libraries {
        if !wanted.is_empty() && !wanted.contains(name) {
            continue;
        }
        match tried(root, &project, name, member) {
            Ok(line) => println!("{name:<20} {line}"),
            Err(error) => {
                println!("{name:<20} FAILED: {error:#}");
                failed.push(name.as_str());
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

/// One crate; the line says what was found.
fn tried(root: &Path, project: &Project, name: &str, member: &Member) -> Result<String> {
    let listing = Listing::read(root, name, member)?;
    let mut faults = faults_of_package(project, member, &listing);
    let readme = project.text(&format!("{}/README.md", member.folder));
    faults.extend(faults_of_readme(name, readme.unwrap_or_default()));
    let docs = project.text(&format!("{}/src/lib.rs", member.folder));
    let example = example_of(readme.unwrap_or_default(), docs.unwrap_or_default())
        .context("neither README nor crate docs hold an example in Rust")?;
    let ran = run_example(root, name, member, &example);
    if let Err(error) = &ran {
        faults.push(format!("its example does not run: {error:#}"));
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("; "));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred kilobytes")]
    let kib = listing.bytes as f64 / 1024.0;
    Ok(format!(
        "example of the {} ran, {} files, {kib:.0} KiB",
        example.place,
        listing.files.len()
    ))
}

/// Builds and runs the example in a package of its own.
fn run_example(root: &Path, name: &str, member: &Member, example: &Example) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let at = |name: &str, member_folder: &str| {
        let path = root.join(member_folder);
        format!("{name} = {{ path = {:?} }}\n", path.display().to_string())
    };
    let mut dependencies = at(name, &member.folder);
    // The contract's own names are those of `sim-core`, which every simulator is written against.
    if name != "sim-core" && example.names("sim_core") {
        dependencies += &at("sim-core", "crates/sim-core");
    }
    let manifest = format!(
        "[package]\nname = \"outside-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{dependencies}"
    );
    let write = |path: &str, text: &str| {
        std::fs::write(folder.path().join(path), text)
            .with_context(|| format!("cannot write {path}"))
    };
    write("Cargo.toml", &manifest)?;
    std::fs::create_dir(folder.path().join("src")).context("cannot make src")?;
    write("src/main.rs", &example.program())?;
    // The versions that the workspace is tested with; cargo drops what is not needed.
    std::fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock"))
        .context("cannot copy Cargo.lock")?;
    let mut cargo = command::cargo(folder.path(), ["run", "--quiet", "--offline"]);
    cargo.env("CARGO_TARGET_DIR", root.join("target").join("outside"));
    command::output(&mut cargo).map(|_| ())
}
