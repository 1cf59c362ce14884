//! Cycles of files: files that depend on each other, so that none of them can be read, moved or
//! tested without the others.
//!
//! A file depends on another one if a `use` line, or a path from `crate::`, `super::` or `self::`
//! anywhere in its code, leads to an item defined there. A name that a module re-exports with `pub
//! use` counts for the file that defines it, so a facade is not part of a cycle. Unit tests do not
//! count.
//!
//! Between folders the unit is a module with everything below it: `plan.rs` and all of `plan/`.

use super::Finding;
use crate::project::{Member, Project};
use graph::Ring;
use modules::Modules;

mod graph;
mod modules;
mod uses;

/// Largest allowed number of files in a ring, such as a parent and two children.
const MOST_FILES: usize = 3;

/// The packages whose rings are still to be broken up. The figures are exact and may only shrink:
/// lower them when a ring is broken up, and remove the package when both are 0.
const TO_OPEN: &[ToOpen] = &[ToOpen {
    package: "enterprise-sandbox",
    files: 5,
    folders: 2,
}];

/// The largest rings of a package that are tolerated for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ToOpen {
    package: &'static str,
    /// Files in the largest ring of files.
    files: usize,
    /// Modules in the largest ring between folders.
    folders: usize,
}

pub(super) fn check(project: &Project) -> Vec<Finding> {
    compared(project, TO_OPEN)
}

fn compared(project: &Project, tolerated: &[ToOpen]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, member) in &project.packages {
        let rings = Rings::of(project, member);
        let listed = tolerated.iter().find(|entry| entry.package == name);
        for (kind, rings, listed) in [
            ("files", &rings.files, listed.map_or(0, |entry| entry.files)),
            (
                "modules between folders",
                &rings.folders,
                listed.map_or(0, |entry| entry.folders),
            ),
        ] {
            let largest = rings.iter().map(Ring::len).max().unwrap_or(0);
            if largest > listed {
                let grown = rings.iter().filter(|ring| ring.len() > listed);
                findings.extend(grown.map(|ring| {
                    let message = format!(
                        "has a ring of {} {kind}, {ring}: move what they share into a file below \
                         them",
                        ring.len()
                    );
                    Finding::new(&member.folder, message)
                }));
            } else if largest < listed {
                let message = format!(
                    "is listed with a ring of {listed} {kind}, but the largest has {largest}: \
                     lower the figure in xtask's tidy/rings.rs"
                );
                findings.push(Finding::new(&member.folder, message));
            }
        }
    }
    let unknown = tolerated
        .iter()
        .filter(|entry| !project.packages.contains_key(entry.package));
    findings.extend(unknown.map(|entry| {
        let message = "is listed in xtask's tidy/rings.rs but is not a package";
        Finding::new(entry.package, message)
    }));
    findings
}

/// Prints every ring that is too large, including the tolerated ones, with the files of the ring
/// that each file depends on.
pub(super) fn print(project: &Project) {
    for (name, member) in &project.packages {
        let rings = Rings::of(project, member);
        for (kind, ring) in rings.files.iter().map(|ring| ("files", ring)).chain(
            rings
                .folders
                .iter()
                .map(|ring| ("modules between folders", ring)),
        ) {
            println!("{name}: a ring of {} {kind}", ring.len());
            for (file, needed) in ring.needs() {
                println!("    {file} needs {}", needed.join(", "));
            }
        }
    }
}

/// The rings of one package that are too large.
struct Rings {
    files: Vec<Ring>,
    folders: Vec<Ring>,
}

impl Rings {
    fn of(project: &Project, member: &Member) -> Self {
        let edges = Modules::read(project, &member.folder).edges();
        let mut files = graph::rings(&edges);
        files.retain(|ring| ring.len() > MOST_FILES);
        Self {
            files,
            folders: graph::between_folders(&edges),
        }
    }
}

#[cfg(test)]
mod tests;
