//! Rules of the repository that no compiler checks.
//!
//! Each check is a function from a [`Project`] to its findings, with tests that contain the fault
//! it looks for. A finding names the place, the rule and the remedy.

use crate::project::Project;
use anyhow::{Result, bail};
use std::fmt;
use std::path::Path;

mod facade;
mod files;
mod fixtures;
mod layers;
mod links;
mod rings;

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
        rule: "each package depends on the layers below it only, as does each room of the office, and \
               pure packages reach no runtime or network",
        run: layers::check,
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
        name: "opened-files",
        rule: "files of run folders are opened by `run_file` alone",
        run: files::opened_files,
    },
    Check {
        name: "shown-paths",
        rule: "messages show paths with control characters and line ends escaped",
        run: files::shown_paths,
    },
    Check {
        name: "fixtures",
        rule: "each fixture and each golden file has a README.md beside it that names it and its \
               source",
        run: fixtures::check,
    },
    Check {
        name: "links",
        rule: "each link between the repository's pages has a target",
        run: links::check,
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
