//! `cargo xtask outside`: uses the packages as a registry would hand them out.
//!
//! Clones the last commit and packages every library of the clone (`cargo package`, without a
//! warning), as if the owner had allowed publication: cargo resolves packages to each other only if
//! they may be published. Then it unpacks the archives, and for each library a program outside the
//! workspace, which depends on the unpacked packages by version, runs every example of the README,
//! or of the crate docs if the README has none. It also checks what is in a package: whether it is
//! complete, how large it is, what a registry shows of it, and whether its README makes sense on
//! its own.

use crate::command;
use crate::project::{Member, Project};
use crate::step::Stopwatch;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{MetadataCommand, Package};
use std::path::{Path, PathBuf};
use std::process::Command;

mod archive;
mod example;
mod manifest;
mod package;

use archive::may_be_published;
pub use example::{Example, examples_of};
pub use manifest::{faults_of_manifest, faults_of_status};
pub use package::{Listing, faults_of_package, faults_of_readme};

/// Dependencies that examples use, with their version and features.
const OTHERS: &[(&str, &str)] = &[
    ("rayon", r#""1""#),
    ("serde", r#"{ version = "1", features = ["derive"] }"#),
    ("serde_json", r#""1""#),
    ("tokio", r#"{ version = "1", features = ["macros", "rt"] }"#),
];

/// Tests the named crates, all libraries if none is named.
///
/// Build output is kept in `target/outside`, so the dependencies are built once.
///
/// # Errors
/// If a package cannot be made without a warning, an example does not run, or a package has a fault.
pub fn run(root: &Path, wanted: &[String]) -> Result<()> {
    let watch = Stopwatch::start();
    let project = Project::read(root)?;
    let libraries = libraries(&project);
    for name in wanted {
        ensure!(
            libraries.iter().any(|(library, _)| library == name),
            "there is no library crate `{name}`"
        );
    }
    let outside = Outside::make(root, &project)?;
    println!("{:<20} {}", "packages", watch.seconds());
    let mut failed = Vec::new();
    for (name, member) in libraries {
        if !wanted.is_empty() && !wanted.iter().any(|want| want == name) {
            continue;
        }
        let watch = Stopwatch::start();
        match tried(root, &project, &outside, (name, member)) {
            Ok(line) => println!("{name:<20} {line}, {}", watch.seconds()),
            Err(error) => {
                println!("{name:<20} FAILED: {error:#}");
                failed.push(name);
            }
        }
    }
    println!("{:<20} {}", "together", watch.seconds());
    ensure!(
        failed.is_empty(),
        "not usable outside: {}",
        failed.join(", ")
    );
    Ok(())
}

/// The packages that are to be published: those that leave it to the workspace whether they are.
fn libraries(project: &Project) -> Vec<(&str, &Member)> {
    let packages = project.packages.iter();
    packages
        .map(|(name, member)| (name.as_str(), member))
        .filter(|(_, member)| may_be_published(project, member))
        .collect()
}

/// The unpacked packages, and a workspace with one program package for each.
struct Outside {
    /// Holds `packages/NAME`, `users/NAME` and the build folder `target`.
    folder: PathBuf,
}

impl Outside {
    /// Packages and unpacks the libraries of the last commit, and writes the programs of the examples.
    fn make(root: &Path, project: &Project) -> Result<Self> {
        let folder = root.join("target").join("outside");
        let packages = folder.join("packages");
        archive::unpack_all(root, project, &packages)?;
        let users = folder.join("users");
        archive::empty(&users)?;
        let write = |path: &Path, text: &str| {
            let parent = path.parent().unwrap_or(path);
            std::fs::create_dir_all(parent)
                .and_then(|()| std::fs::write(path, text))
                .with_context(|| format!("cannot write {}", path.display()))
        };
        let libraries = libraries(project);
        for (name, _) in &libraries {
            let user = users.join(name);
            let examples = examples(&packages.join(name))?;
            write(
                &user.join("Cargo.toml"),
                &user_manifest(project, name, &examples),
            )?;
            for example in &examples {
                let program = format!("src/bin/{name}-{}.rs", example.line);
                write(&user.join(program), &example.program())?;
            }
        }
        let mut workspace = String::from(WORKSPACE);
        for (name, _) in libraries {
            workspace += &format!("{name} = {{ path = \"../packages/{name}\" }}\n");
        }
        write(&users.join("Cargo.toml"), &workspace)?;
        // The versions that the workspace is tested with; cargo drops those that are not needed.
        std::fs::copy(root.join("Cargo.lock"), users.join("Cargo.lock"))
            .context("cannot copy Cargo.lock")?;
        Ok(Self { folder })
    }

    /// `cargo` in the workspace of the programs.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = archive::cargo(&self.folder.join("users"), arguments);
        cargo.env("CARGO_TARGET_DIR", self.folder.join("target"));
        cargo
    }
}

/// The workspace of the programs. Without line numbers it is built in less time.
const WORKSPACE: &str = "[workspace]\nmembers = [\"*\"]\nresolver = \"3\"\n\n\
                         [profile.dev]\ndebug = false\nincremental = false\n\n\
                         [patch.crates-io]\n";

/// The `Cargo.toml` of a package that depends on the crate and on the other crates that its
/// examples use.
fn user_manifest(project: &Project, name: &str, examples: &[Example]) -> String {
    let is_named = |krate: &str| examples.iter().any(|example| example.names(krate));
    let mut manifest = format!(
        "[package]\nname = \"outside-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n"
    );
    for (library, member) in libraries(project) {
        if library == name || is_named(library) {
            manifest += &format!("{library} = \"={}\"\n", member.version);
        }
    }
    for (other, taken) in OTHERS {
        if is_named(other) {
            manifest += &format!("{other} = {taken}\n");
        }
    }
    manifest
}

/// The examples of an unpacked package.
fn examples(package: &Path) -> Result<Vec<Example>> {
    let text = |file: &str| {
        let path = package.join(file);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    Ok(examples_of(&text("README.md")?, &text("src/lib.rs")?))
}

/// Tests one crate; returns a line with the results.
fn tried(
    root: &Path,
    project: &Project,
    outside: &Outside,
    (name, member): (&str, &Member),
) -> Result<String> {
    let package = outside.folder.join("packages").join(name);
    let listing = Listing::read(&package)?;
    let mut faults = faults_of_package(project, member, &listing);
    faults.extend(faults_on_show(root, project, name, member)?);
    let examples = examples(&package)?;
    ensure!(
        !examples.is_empty(),
        "neither README nor crate docs hold an example in Rust"
    );
    faults.extend(faults_of_examples(outside, name, &examples));
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
fn faults_of_examples(outside: &Outside, name: &str, examples: &[Example]) -> Vec<String> {
    let package = format!("outside-{name}");
    let mut faults = Vec::new();
    for Example { place, line, .. } in examples {
        let program = format!("{name}-{line}");
        let mut cargo =
            outside.cargo(&["run", "--quiet", "--package", &package, "--bin", &program]);
        if let Err(error) = command::output(&mut cargo) {
            faults.push(format!(
                "the example at line {line} of the {place} does not run: {error:#}"
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_depends_on_what_the_examples_name() {
        let published = "publish.workspace = true\n";
        let project = Project::default()
            .with("crates/agent-client/Cargo.toml", published)
            .with("crates/beer-game/Cargo.toml", published)
            .with("crates/edt/Cargo.toml", published)
            .with("crates/fuzz/Cargo.toml", "publish = false\n");
        let project = ["agent-client", "beer-game", "edt", "fuzz"]
            .into_iter()
            .fold(project, |project, name| {
                project.with_package(name, |member| member.version = "0.2.0".to_owned())
            });
        let manifest = |readme: &str| {
            let text = user_manifest(&project, "agent-client", &examples_of(readme, ""));
            text.split_once("[dependencies]\n").unwrap().1.to_owned()
        };
        let own = "agent-client = \"=0.2.0\"\n";
        assert_eq!(manifest("```rust\nlet a = 1;\n```\n"), own);
        let readme = "```rust\nagent_client::f();\n```\n```rust\nbeer_game::f();\n\
                      fuzz::f();\nserde_json::f();\n```\n";
        assert_eq!(
            manifest(readme),
            format!("{own}beer-game = \"=0.2.0\"\nserde_json = \"1\"\n")
        );
    }

    #[test]
    fn what_strangers_see_of_the_libraries_is_in_order() {
        let root = command::workspace_root().unwrap();
        let project = Project::read(&root).unwrap();
        let libraries = libraries(&project);
        assert!(libraries.len() >= 15, "{libraries:?}");
        for (name, member) in libraries {
            let faults = faults_on_show(&root, &project, name, member).unwrap();
            assert_eq!(faults, Vec::<String>::new(), "{name}");
        }
    }
}
