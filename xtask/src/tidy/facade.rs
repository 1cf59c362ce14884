//! Every simulator has the same facade at its root, and the same sections in the docs of its root.
//!
//! The table in `docs/architecture.md` lists the simulators: the file of the root, the name of the
//! environment, and what a simulator does not have.

use super::Finding;
use crate::markdown::code_spans;
use crate::project::Project;
use std::collections::BTreeSet;

const PAGE: &str = "docs/architecture.md";
const HEADING: &str = "## The facade of a simulator";

/// The exports of every root, beside the environment.
const WORDS: [&str; 9] = [
    "Action",
    "Batch",
    "Config",
    "Feedback",
    "Instance",
    "Observation",
    "Spec",
    "policies",
    "reference",
];

/// The sections of the docs of every root, in this order.
const SECTIONS: [&str; 8] = [
    "Example",
    "Rules",
    "Presets",
    "Action, observation, feedback",
    "Score and reference",
    "Policies",
    "Batch",
    "Modules",
];

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let page = project.text(PAGE).unwrap_or_default();
    let Some((_, rest)) = page.split_once(HEADING) else {
        let message = format!("has no section `{HEADING}` with the table of simulators");
        return vec![Finding::new(PAGE, message)];
    };
    let section = rest
        .split_once("\n## ")
        .map_or(rest, |(section, _)| section);
    let rows: Vec<&str> = section
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(".rs`"))
        .collect();
    if rows.is_empty() {
        return vec![Finding::new(PAGE, "the table of simulators has no rows")];
    }
    rows.into_iter()
        .filter_map(|row| of_row(project, row))
        .collect()
}

/// What is wrong with the simulator in a row of the table.
fn of_row(project: &Project, row: &str) -> Option<Finding> {
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let spans = |place: usize| {
        cells
            .get(place)
            .map_or_else(Vec::new, |cell| code_spans(cell))
    };
    let (files, names, without) = (spans(2), spans(3), spans(4));
    let (Some(file), Some(name)) = (files.first(), names.first()) else {
        return Some(Finding::new(PAGE, format!("a row without a file: {row}")));
    };
    let Some(text) = project.text(file) else {
        return Some(Finding::new(PAGE, format!("`{file}` does not exist")));
    };
    let mut wanted: BTreeSet<&str> = WORDS.into_iter().chain([*name]).collect();
    wanted.retain(|word| !without.contains(word));
    let found = exports(text);
    let list = |words: BTreeSet<&str>| words.into_iter().collect::<Vec<_>>().join(", ");
    let missing: BTreeSet<&str> = wanted.difference(&found).copied().collect();
    let more: BTreeSet<&str> = found.difference(&wanted).copied().collect();
    let mut faults = Vec::new();
    if !missing.is_empty() {
        faults.push(format!("does not export {}", list(missing)));
    }
    if !more.is_empty() {
        faults.push(format!(
            "exports {}, which belongs into a module",
            list(more)
        ));
    }
    let found = sections(text);
    if found != SECTIONS {
        faults.push(format!(
            "its docs have the sections {}, not {}",
            found.join(", "),
            SECTIONS.join(", ")
        ));
    }
    (!faults.is_empty()).then(|| Finding::new(*file, faults.join("; ")))
}

/// Headings of the docs at the top of a file. Lines of examples, which may also begin with `#`, are
/// left out.
fn sections(text: &str) -> Vec<&str> {
    let docs = text.lines().map_while(|line| line.strip_prefix("//!"));
    let mut in_example = false;
    let mut found = Vec::new();
    for line in docs.map(str::trim) {
        if line.starts_with("```") {
            in_example = !in_example;
        } else if !in_example {
            found.extend(line.strip_prefix("# "));
        }
    }
    found
}

/// Names that a root exports: `pub use` and public items, without modules.
fn exports(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for item in text
        .split(';')
        .flat_map(|part| part.split("\npub ").skip(1))
    {
        let Some((kind, rest)) = item.split_once(' ') else {
            continue;
        };
        if kind == "use" {
            let last = rest.rsplit("::").next().unwrap_or(rest);
            let list = last.trim_matches(['{', '}']).split(',');
            names.extend(list.map(str::trim).filter(|name| !name.is_empty()));
        } else if kind != "mod" {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(rest.get(..end.unwrap_or(rest.len())));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_with_more_or_less_than_the_facade_is_found() {
        let docs: String = (SECTIONS.iter())
            .map(|section| {
                format!("//! # {section}\n//!\n//! ```\n//! # hidden();\n//! ```\n//!\n")
            })
            .collect();
        let page = format!(
            "{HEADING}\n\n| a | file | b | c |\n|---|---|---|---|\n| Game | `lib.rs` | `Game` | `Batch` |\n\n## Next\n"
        );
        let root = "//! Docs.\n//!\nDOCS\npub mod env;\n\npub use action::Action;\npub use config::Config;\npub use env::Game;\n\
                    pub use instance::Instance;\npub use observation::{Feedback, Observation};\n\
                    pub use policy::policies;\npub use reference::reference;\npub use spec::Spec;\n"
            .replace("DOCS\n", &format!("{docs}\n"));
        let root = root.as_str();
        let findings = |root: &str| {
            let project = Project::default().with(PAGE, &page).with("lib.rs", root);
            let found = check(&project);
            found.into_iter().map(|f| f.message).collect::<Vec<_>>()
        };
        assert!(findings(root).is_empty(), "{:?}", findings(root));
        let more = format!("{root}pub use spec::Other;\npub fn help() {{}}\n");
        assert_eq!(
            findings(&more),
            ["exports Other, help, which belongs into a module"]
        );
        let less = root.replace("pub use config::Config;\n", "");
        assert_eq!(findings(&less), ["does not export Config"]);
        let without = root.replace("//! # Batch\n", "");
        assert_eq!(findings(&without).len(), 1);
        let extra = root.replace("//! # Rules\n", "//! # Rules\n//! # Costs\n");
        assert_eq!(findings(&extra).len(), 1);
        assert_eq!(check(&Project::default()).len(), 1);
    }
}
