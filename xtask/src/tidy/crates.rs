//! Requirements for every package.

use super::Finding;
use crate::project::{Member, Project};

/// The only library with default features: users install its program.
const WITH_DEFAULTS: &str = "boardroom";

/// The page that lists every package.
const MAP: &str = "docs/architecture.md";

/// Minimum number of lines of crate docs.
const DOC_LINES: usize = 3;

pub(super) fn manifests(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, member) in &project.packages {
        let path = in_folder(member, "Cargo.toml");
        let manifest = project.text(&path).unwrap_or_default();
        let mut lines = manifest
            .lines()
            .map(str::trim)
            .skip_while(|line| *line != "[lints]");
        if lines.nth(1) != Some("workspace = true") {
            let message =
                "does not inherit the lints: add `[lints]` and below it `workspace = true`";
            findings.push(Finding::new(path.clone(), message));
        }
        if name != WITH_DEFAULTS && !member.default_features.is_empty() {
            let features = member.default_features.join(", ");
            let message = format!("has default features ({features}): make it `default = []`");
            findings.push(Finding::new(path, message));
        }
    }
    findings
}

pub(super) fn docs(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    let map = project.text(MAP).unwrap_or_default();
    for (name, member) in &project.packages {
        let entry = ["src/lib.rs", "src/main.rs"].map(|file| in_folder(member, file));
        match entry
            .iter()
            .find_map(|path| Some((path, project.text(path)?)))
        {
            None => findings.push(Finding::new(
                member.folder.clone(),
                "has neither src/lib.rs nor src/main.rs",
            )),
            Some((path, source)) => {
                let lines = source
                    .lines()
                    .filter(|line| line.starts_with("//!"))
                    .count();
                if lines < DOC_LINES {
                    let message = format!(
                        "has {lines} lines of crate docs (`//!`): say what the package is about"
                    );
                    findings.push(Finding::new(path.clone(), message));
                }
            }
        }
        let readme = in_folder(member, "README.md");
        if project
            .text(&readme)
            .is_none_or(|text| text.trim().is_empty())
        {
            findings.push(Finding::new(
                readme,
                "is missing or empty: each package has one",
            ));
        }
        if !map.contains(&format!("`{name}`")) {
            findings.push(Finding::new(MAP, format!("does not mention `{name}`")));
        }
    }
    findings
}

fn in_folder(member: &Member, file: &str) -> String {
    format!("{}/{file}", member.folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"edt\"\n\n[lints]\nworkspace = true\n";

    #[test]
    fn manifests_without_lints_or_with_defaults_are_found() {
        let with = |manifest: &str, name: &str, features: &[&str]| {
            let features = features
                .iter()
                .map(|feature| (*feature).to_owned())
                .collect();
            let project = Project::default()
                .with(&format!("crates/{name}/Cargo.toml"), manifest)
                .with_package(name, |member| member.default_features = features);
            manifests(&project).len()
        };
        assert_eq!(with(GOOD, "edt", &[]), 0);
        assert_eq!(with("[package]\nname = \"edt\"\n", "edt", &[]), 1);
        assert_eq!(with("[lints.rust]\nworkspace = true\n", "edt", &[]), 1);
        assert_eq!(with(GOOD, "edt", &["fast"]), 1);
        assert_eq!(with(GOOD, "boardroom", &["mcp", "tls"]), 0);
    }

    #[test]
    fn packages_without_docs_are_found() {
        let complete = Project::default()
            .with("docs/architecture.md", "`edt` is the twin\n")
            .with("crates/edt/src/lib.rs", "//! One\n//! two\n//! three\n")
            .with("crates/edt/README.md", "# edt\n")
            .with_package("edt", |_| ());
        assert_eq!(docs(&complete), []);
        let faults = [
            ("docs/architecture.md", "nothing"),
            ("crates/edt/src/lib.rs", "//! edt\n"),
            ("crates/edt/README.md", " \n"),
        ];
        for (path, text) in faults {
            assert_eq!(docs(&complete.clone().with(path, text)).len(), 1, "{path}");
        }
        let mut without_source = complete;
        without_source.files.remove("crates/edt/src/lib.rs");
        assert_eq!(docs(&without_source).len(), 1);
    }
}
