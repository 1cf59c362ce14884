//! Rules of the repository that no compiler checks.
//!
//! Each check is a function from a [`Project`] to its findings, with tests that contain the fault
//! it looks for. A finding names the place, the rule and the remedy.

use crate::project::Project;
use anyhow::{Result, bail};
use std::fmt;
use std::path::Path;

mod crates;
mod examples;
mod facade;
mod fixtures;
mod layers;
mod links;
mod paths;
mod readme;
mod rings;
mod sources;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// File (with line), folder or package.
    pub place: String,
    /// The fault, and how to correct it.
    pub message: String,
}

impl Finding {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// One rule.
#[derive(Clone, Copy)]
pub struct Check {
    /// Short name.
    pub name: &'static str,
    /// The rule in one sentence.
    pub rule: &'static str,
    /// Finds the violations.
    pub run: fn(&Project) -> Vec<Finding>,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Every rule.
pub const CHECKS: &[Check] = &[
    Check {
        name: "layers",
        rule: "each package depends on the layers below it only, and pure packages reach no \
               runtime or network",
        run: layers::check,
    },
    Check {
        name: "manifests",
        rule: "each package inherits the workspace's lints, and libraries have no default features",
        run: crates::manifests,
    },
    Check {
        name: "crate-docs",
        rule: "each package has crate docs, a README.md, and a place in docs/architecture.md",
        run: crates::docs,
    },
    Check {
        name: "rings",
        rule: "at most three files depend on each other in a cycle, and no two folders do",
        run: rings::check,
    },
    Check {
        name: "facade",
        rule: "the root of each simulator exports what the table in docs/architecture.md says, and its \
               docs have the common sections",
        run: facade::check,
    },
    Check {
        name: "file-length",
        rule: "no Rust file has more than 800 lines, named tables of data excepted",
        run: sources::file_length,
    },
    Check {
        name: "file-names",
        rule: "a Rust file is named after its content, and none is called mod.rs",
        run: sources::file_names,
    },
    Check {
        name: "printing",
        rule: "in crates/ only boardroom/src/main.rs prints",
        run: sources::printing,
    },
    Check {
        name: "opened-files",
        rule: "files of run folders are opened by `run_file` alone",
        run: sources::opened_files,
    },
    Check {
        name: "shown-paths",
        rule: "messages show paths with control characters and line ends escaped",
        run: sources::shown_paths,
    },
    Check {
        name: "ignored-tests",
        rule: "no test is ignored",
        run: sources::ignored_tests,
    },
    Check {
        name: "hash-maps",
        rule: "nothing depends on the order of a hash map",
        run: sources::hash_maps,
    },
    Check {
        name: "machine-paths",
        rule: "no file has a path of a particular machine",
        run: paths::check,
    },
    Check {
        name: "fixtures",
        rule: "each fixture and each golden file has a README.md beside it that names it and its \
               source",
        run: fixtures::check,
    },
    Check {
        name: "readme",
        rule: "the README holds its two commands, each marked and in a block of its own",
        run: readme::check,
    },
    Check {
        name: "links",
        rule: "each link between the repository's pages has a target",
        run: links::check,
    },
    Check {
        name: "examples",
        rule: "each example is registered, and mentioned in the README or in docs/",
        run: examples::check,
    },
];

/// Prints every cycle of files in the repository at `root` that is larger than the rules allow.
///
/// # Errors
/// If the repository cannot be read.
pub fn print_rings(root: &Path) -> Result<()> {
    rings::print(&Project::read(root)?);
    Ok(())
}

/// Reads the repository at `root` and prints the findings of every check.
///
/// # Errors
/// If a rule is violated, or the repository cannot be read.
pub fn report(root: &Path) -> Result<()> {
    let project = Project::read(root)?;
    let mut broken = 0;
    for check in CHECKS {
        let findings = (check.run)(&project);
        if findings.is_empty() {
            println!("{:<14} ok", check.name);
            continue;
        }
        broken += 1;
        println!(
            "{:<14} {} found, though {}:",
            check.name,
            findings.len(),
            check.rule
        );
        for finding in &findings {
            println!("    {finding}");
        }
    }
    if broken > 0 {
        bail!("{broken} of {} rules are violated", CHECKS.len());
    }
    Ok(())
}
