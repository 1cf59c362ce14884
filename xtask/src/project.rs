//! The input of the checks: the files of the repository and the packages of the workspace.

use crate::command;
use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files and packages together.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// Every file by its path from the root, with `/` between the parts; `None` means that the file
    /// is not UTF-8.
    pub files: BTreeMap<String, Option<String>>,
    /// The packages of the workspace by name.
    pub packages: BTreeMap<String, Member>,
}

/// One package of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Member {
    /// Its folder from the root, such as `crates/edt`.
    pub folder: String,
    /// Its version.
    pub version: String,
    /// Names of its `[dependencies]` and `[build-dependencies]`.
    pub dependencies: BTreeSet<String>,
    /// Names of its `[dev-dependencies]`.
    pub dev_dependencies: BTreeSet<String>,
    /// All packages that it is built with on this machine, direct and indirect.
    pub reaches: BTreeSet<String>,
}

impl Project {
    /// Reads the repository at `root`: the files that git tracks or would track, and the output of
    /// `cargo metadata`.
    ///
    /// # Errors
    /// If git or cargo fails, or a file cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        Ok(Self {
            files: files(root)?,
            packages: packages(root)?,
        })
    }

    /// The text of a file, if there is such a file and it is text.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Whether the path is a file, or a folder with a file in it.
    #[must_use]
    pub fn exists(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// The text files whose path ends with `end`.
    pub fn texts<'a>(&'a self, end: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .filter(move |(path, _)| path.ends_with(end))
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }
}

fn files(root: &Path) -> Result<BTreeMap<String, Option<String>>> {
    // Without a git repository, as in a downloaded archive, all files count.
    let paths = if root.join(".git").exists() {
        listed(root)?
    } else {
        walked(root)?
    };
    let mut files = BTreeMap::new();
    for path in paths {
        let full = root.join(&path);
        // A tracked file may have been deleted, and a link may be broken.
        if full.is_file() {
            let bytes =
                std::fs::read(&full).with_context(|| format!("cannot read {}", full.display()))?;
            files.insert(path, String::from_utf8(bytes).ok());
        }
    }
    Ok(files)
}

/// The files that git tracks, or would track if told to add everything.
fn listed(root: &Path) -> Result<Vec<String>> {
    let mut git = command::program(root, "git");
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listed = command::output(&mut git)?;
    Ok(listed
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect())
}

/// All files, except for build output and the like.
fn walked(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = format!("{folder}{}", entry.file_name().to_string_lossy());
            if !entry.file_type()?.is_dir() {
                found.push(path);
            } else if !["target", "runs"].contains(&path.as_str()) {
                open.push(path + "/");
            }
        }
    }
    Ok(found)
}

fn packages(root: &Path) -> Result<BTreeMap<String, Member>> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        // Packages for other platforms are neither built nor downloaded here.
        .other_options(vec!["--filter-platform".to_owned(), host(root)?])
        .exec()
        .context("`cargo metadata` failed")?;
    let members = metadata.workspace_packages();
    Ok(members
        .iter()
        .map(|package| (package.name.to_string(), member(&metadata, package)))
        .collect())
}

/// The platform that rustc builds for by default.
fn host(root: &Path) -> Result<String> {
    let version = command::output(command::program(root, "rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

fn member(metadata: &Metadata, package: &Package) -> Member {
    let named = |development: bool| {
        let of_kind = package
            .dependencies
            .iter()
            .filter(move |edge| (edge.kind == DependencyKind::Development) == development);
        of_kind.map(|edge| edge.name.clone()).collect()
    };
    let from_root = |path: &cargo_metadata::camino::Utf8Path| {
        path.strip_prefix(&metadata.workspace_root)
            .unwrap_or(path)
            .to_string()
    };
    Member {
        folder: package
            .manifest_path
            .parent()
            .map(from_root)
            .unwrap_or_default(),
        version: package.version.to_string(),
        dependencies: named(false),
        dev_dependencies: named(true),
        reaches: reaches(metadata, &package.id),
    }
}

/// The names of all packages that `start` is built with, development dependencies left out.
fn reaches(metadata: &Metadata, start: &PackageId) -> BTreeSet<String> {
    let nodes: BTreeMap<_, _> = metadata
        .resolve
        .iter()
        .flat_map(|resolve| &resolve.nodes)
        .map(|node| (&node.id, node))
        .collect();
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        for edge in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            let built = edge
                .dep_kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development);
            if built && seen.insert(&edge.pkg) {
                open.push(&edge.pkg);
            }
        }
    }
    seen.remove(start);
    let names: BTreeMap<_, _> = metadata
        .packages
        .iter()
        .map(|package| (&package.id, package.name.as_str()))
        .collect();
    seen.into_iter()
        .filter_map(|id| names.get(id))
        .map(|name| (*name).to_owned())
        .collect()
}

#[cfg(test)]
pub(crate) mod planted {
    //! Small projects for the tests of the checks.

    use super::*;

    impl Project {
        pub(crate) fn with(mut self, path: &str, text: &str) -> Self {
            self.files.insert(path.to_owned(), Some(text.to_owned()));
            self
        }

        pub(crate) fn with_package(mut self, name: &str, change: impl FnOnce(&mut Member)) -> Self {
            let member = self.packages.entry(name.to_owned()).or_default();
            member.folder = format!("crates/{name}");
            change(member);
            self
        }
    }

    pub(crate) fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_read_like_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "a.md",
            "crates/edt/b.rs",
            "target/debug/c.rs",
            "crates/edt/target/d.rs",
        ] {
            let full = root.join(path);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, "text").unwrap();
        }
        std::fs::write(root.join("e.bin"), [0xff, 0xfe]).unwrap();
        let archive = files(root).unwrap();
        let names: Vec<&str> = archive.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["a.md", "crates/edt/b.rs", "crates/edt/target/d.rs", "e.bin"]
        );
        assert_eq!(
            (archive["a.md"].as_deref(), &archive["e.bin"]),
            (Some("text"), &None)
        );

        std::fs::write(root.join(".gitignore"), "target\n").unwrap();
        let done = command::output(command::program(root, "git").args(["init", "--quiet"]));
        done.unwrap();
        let names: Vec<String> = files(root).unwrap().into_keys().collect();
        assert_eq!(names, [".gitignore", "a.md", "crates/edt/b.rs", "e.bin"]);
    }

    #[test]
    fn folders_exist_by_their_files() {
        let project = Project::default().with("docs/a/b.md", "");
        for path in ["docs", "docs/", "docs/a", "docs/a/b.md"] {
            assert!(project.exists(path), "{path}");
        }
        for path in ["doc", "docs/a/b", "docs/b.md"] {
            assert!(!project.exists(path), "{path}");
        }
    }
}
