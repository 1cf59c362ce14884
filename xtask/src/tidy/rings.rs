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

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in project.packages.values() {
        let rings = Rings::of(project, member);
        for (kind, rings) in [
            ("files", rings.files),
            ("modules between folders", rings.folders),
        ] {
            findings.extend(rings.into_iter().map(|ring| {
                let message = format!(
                    "has a ring of {} {kind}, {ring}: move what they share into a file below them",
                    ring.len()
                );
                Finding::new(&member.folder, message)
            }));
        }
    }
    findings
}

/// The dependencies of each file of the library in `folder`.
pub(super) fn edges(project: &Project, folder: &str) -> graph::Edges {
    Modules::read(project, folder).edges()
}

/// Prints every ring that is too large, with the files of the ring that each file depends on.
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
        let edges = edges(project, &member.folder);
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
